/* A robot's records in its journal: commands before their answers, each of which comes once; requests and notices. */
#include "fixture_move.h"

#include <math.h>

#include "base/journal.h"
#include "robot/journal.h"

static struct robo__journal journal;
static char told[4096];

static const char *name_of(const struct robo__journal_entry *e)
{
    const struct robo__journal_session *session = robo__journal_body(e);
    switch (e->kind) {
    case ROBO__JOURNAL_SESSION: return session->over ? "over" : "session";
    case ROBO__JOURNAL_MODE: return "mode";
    case ROBO__JOURNAL_ARRIVAL: return "arrival";
    case ROBO__JOURNAL_REFUSED: return "refused";
    case ROBO__JOURNAL_RETAINED: return "retained";
    case ROBO__JOURNAL_HOLDER: return "holder";
    case ROBO__JOURNAL_REQUEST: return robo_query_name(e->op);
    case ROBO__JOURNAL_NOTICE: return robo_notice_name(e->op);
    default: return robo_op_name(e->op);
    }
}

/* All records that there are, by name; with the sessions' numbers, and of results with the signal. */
static const char *records(void)
{
    size_t n = 0;
    told[0] = '\0';
    for (const struct robo__journal_entry *e; (e = robo__journal_next(&journal)) != NULL;) {
        const struct robo_result *r = robo__journal_body(e);
        n += (size_t)snprintf(told + n, sizeof told - n, "%s%s", n ? "; " : "", name_of(e));
        if (e->session > 0)
            n += (size_t)snprintf(told + n, sizeof told - n, " %u", e->session);
        if (e->kind == ROBO__JOURNAL_RESULT)
            n += (size_t)snprintf(told + n, sizeof told - n, " %s", robo_signal_name(r->signal));
        assert_int_equal(e->lost, 0);
        robo__journal_take(&journal, e);
    }
    return told;
}

static int begin(void **state)
{
    open_two(state);
    if (robo__journal_open(&journal, 1 << 16) < 0)
        return -1;
    robo__journal_enter(robot, &journal);
    return 0;
}

static int end(void **state)
{
    robo__journal_leave(robot, &journal);
    robo__journal_close(&journal);
    return close_two(state);
}

FIXTURE(begin, end);

TEST(commands_and_results)
{
    assert_string_equal(records(), "session 2; open 2; mode 2; session 1; open 1; mode 1");
    send_cmd(a, set_speed(0, 1));
    assert_string_equal(records(), "set_speed 1; leases; holder; set_speed 1 success");
    send_cmd(b, set_speed(0, 1));
    assert_string_equal(records(), "set_speed 2; set_speed 2 success");
    send_cmd(b, stop(0));
    assert_string_equal(records(), "stop 2; latched; stop 2 success");
    robo__session_heard(a, 7, ROBO_NO_TIME, robo_now(world));
    assert_string_equal(records(), "arrival 1");
}

TEST(a_panic_precedes_its_answers)
{
    send_cmd(a, set_speed(0, 1));
    send_cmd(a, go_to(0, 5));
    records();
    robo_panic(robot);
    assert_string_equal(records(), "panicked; go_to 1 panic");
    robo_reset(robot);
    robo_reset(robot);
    assert_string_equal(records(), "reset");
}

TEST(what_is_held_is_answered_once)
{
    send_cmd(a, set_speed(9, 1));
    records();
    assert_int_equal(robo__session_cancel(a, 0, robo_now(world)), 1);
    assert_string_equal(records(), "cancel 1; set_speed 1 interrupted");
}

TEST(frames)
{
    struct robo_cmd cmd = { .op = ROBO_MOVE, .id = 7, .start = ROBO_AT_ONCE };
    struct robo__session_move *move = setpoint(base(make(2, 0), ROBO_MOVE_SPEED, 1), 0, 0.5);
    setpoint(move, 1, NAN);
    records();
    cmd.body.move = &move->set;
    cmd.revision = (uint8_t)robot->revisions->revision;
    assert_int_equal(robo__session_commands(a, &cmd, 1, knows(a), ROBO_NO_TIME, robo_now(world)),
                     1);
    const struct robo__journal_entry *e = robo__journal_next(&journal);
    const struct robo__journal_command *body = robo__journal_body(e);
    const struct robo_move_dof *dof = (const void *)(body + 1);
    assert_int_equal(body->cmd.id, 7);
    assert_int_equal(body->frame.dofs, 2);
    assert_true(dof[0].value == 0.5 && isnan(dof[1].value));
    robo__journal_take(&journal, e);
    e = robo__journal_next(&journal);
    const struct robo_result *r = robo__journal_body(e);
    const struct robo_part *part = (const void *)(r + 1);
    assert_int_equal(r->reason, ROBO_WHY_RANGE);
    assert_int_equal(e->size, sizeof *r + 2 * sizeof *part);
    assert_true(part[1].kind == ROBO_PART_DOF && part[1].number == 1);
    robo__journal_take(&journal, e);
    take(a);
}

TEST(silence)
{
    records();
    send_cmd(a, set_speed(0, 1));
    records();
    run_until(3);
    assert_string_equal(records(), "deadman 1");
}

/* The lease of a ends, of which nobody is notified; it is noted before what comes next, and taken again. */
TEST(leases_end)
{
    records();
    send_cmd(a, set_speed(0, 1));
    run_until(1.5);
    send_cmd(a, stop(0));
    records();
    run_until(9);
    robo__session_finish(b, robo_now(world));
    assert_string_equal(records(), "finish 2");
    robo__session_close(open_session(NULL, NULL));
    assert_string_equal(records(), "session 3; open 3; mode 3; leases; over 3");
    send_cmd(a, set_speed(0, 1));
    assert_string_equal(records(), "set_speed 1; leases; holder; set_speed 1 success");
}

TEST(sessions_come_and_go)
{
    records();
    struct robo__session *s = open_session(NULL, NULL);
    assert_string_equal(records(), "session 3; open 3; mode 3");
    robo__session_close(s);
    assert_string_equal(records(), "over 3");
    assert_int_equal(robo__override_set(robot, 0.5), 0);
    assert_string_equal(records(), "retained");
}

/* As at Ctrl-C: what moves ends before its client closes. */
TEST(a_client_that_is_dismissed)
{
    send_cmd(a, go_to(0, 5));
    records();
    robo_dismiss(world, 0);
    assert_string_equal(records(), "close 2; close 1; go_to 1 interrupted; leases");
    robo__session_end(a, robo_now(world));
    assert_string_equal(records(), "close 1");
    robo_readmit(world);
    take(a);
}

/* Another one gets what there is first; both the same from then on. */
TEST(a_second_journal)
{
    records();
    robo__journal_leave(robot, &journal);
    send_cmd(a, set_speed(0, 1));
    robo_panic(robot);
    assert_string_equal(records(), "");
    robo__journal_enter(robot, &journal);
    assert_string_equal(records(),
                        "session 2; open 2; mode 2; session 1; open 1; mode 1; panicked; holder");
}
