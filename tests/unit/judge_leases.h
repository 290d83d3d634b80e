/* Scenes of the judge's test about leases: two clients, of whom the first has taken all. */
#pragma once

#include "judge_stage.h"

static struct robo__session *holder, *other;
static const struct robo__resources BASE = { .base = true };

static void takes(struct robo__session *s)
{
    static const struct robo_request_take all = { .force = 1 };
    struct robo_reply_take answer;
    assert_int_equal(
        robo__session_request(s, ROBO_Q_TAKE, &all, ROBO_ROLE_OPERATE, &answer, robo_now(world)),
        0);
}

/* The judge is told that the second client takes them by force. */
static void may_take(void)
{
    for (unsigned i = 0; i < ROBO__RUN_AXES; i++)
        run.robot[0].axis[i].heirs = 1;
}

static void open_leases(void)
{
    holder = open_session_by(1, NULL, NULL);
    other = open_session_by(2, NULL, NULL);
    run.apart = true;
    run.visit[0].party = holder->mover.holder->client;
    run.visit[1].party = other->mover.holder->client;
    robo__hold_look(&run, 0, robo_now(world));
    takes(holder);
    robo__hold_look(&run, 0, robo_now(world));
    run_for(0.1);
}

static void close_leases(void)
{
    robo__session_close(holder);
    robo__session_close(other);
}

static void begins_to_move(uint16_t visit, double speed)
{
    const struct robo_state state = { .twist = { speed } };
    robo__hold_begins(&run, sends_in(visit, set_speed(0, 1), false), &BASE, &state,
                      robo_now(world));
}

static void usurped(bool wrong)
{
    open_leases();
    begins_to_move(wrong ? 1 : 0, 0);
    close_leases();
}

static void grabbed(bool wrong)
{
    open_leases();
    if (!wrong)
        may_take();
    takes(other);
    robo__hold_look(&run, 0, robo_now(world));
    close_leases();
}

static void loss_survived(bool wrong)
{
    open_leases();
    may_take();
    takes(other);
    robo__hold_look(&run, 0, robo_now(world));
    may_take();
    takes(holder);
    run.visit[0].stops = wrong ? 0 : 1;
    begins_to_move(0, 0);
    close_leases();
}

static void unrested(bool wrong)
{
    open_leases();
    begins_to_move(0, 0);
    may_take();
    takes(other);
    begins_to_move(1, wrong ? 0.01 : 0);
    close_leases();
}

static void loss_untold(bool wrong)
{
    run.apart = true;
    run.visit[0].losses = 1;
    run.visit[0].losses_told = wrong ? 0 : 1;
    robo__ledger_untold(&run, true);
}

static void loss_not_counted(bool wrong)
{
    open_leases();
    may_take();
    takes(other);
    holder->mover.holder->losses -= wrong;
    robo__hold_look(&run, 0, robo_now(world));
    close_leases();
}

static void held_on(bool wrong)
{
    open_leases();
    run_for(20);
    if (wrong)
        takes(holder);
    robo__hold_check(&run, 0, robo_now(world));
    close_leases();
}

static void false_lease(bool wrong)
{
    run.apart = !wrong;
    answered(sends(set_speed(0, 1)), ROBO_BUSY, ROBO_WHY_LEASE);
}

static void false_braking(bool wrong)
{
    run.apart = !wrong;
    answered(sends(set_speed(0, 1)), ROBO_BUSY, ROBO_WHY_BRAKING);
}

static void stop_busy(bool wrong)
{
    answered(sends(stop(0)), wrong ? ROBO_BUSY : ROBO_INTERRUPTED,
             wrong ? ROBO_WHY_LEASE : ROBO_WHY_CLOSED);
}
