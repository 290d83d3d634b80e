/* The judge of the fault runs can fail. Each invariant has a scene that is played twice, once as it should be, which
 * nothing is found in, and once with a defect, which is. */
#include "judge_leases.h"
#include "judge_stage.h"

/* ---- the scenes ---- */

static void expired(bool wrong)
{
    struct robo__errand *e = sends(set_speed(0, 1));
    run_for(wrong ? 1.1 : 0.9);
    begins(e);
}

static void late(bool wrong)
{
    struct robo__errand *e = sends(set_speed(0, 1));
    begins(e);
    struct robo_result result = word(e, ROBO_SUCCESS, ROBO_WHY_NONE);
    result.scheduled -= S(wrong ? 1.1 : 0.9);
    robo__answer_on_wire(&run, 0, &result);
}

static void panic_ignored(bool wrong)
{
    robo__judge_panic(&run, 0, robo_now(world));
    if (!wrong)
        robo_panic(robot);
    robo__judge_flagged(&run);
}

static void panic_reached(bool wrong)
{
    struct robo__errand *e = sends(set_speed(0, 1));
    run.robot[0].panic = wrong;
    begins(e);
}

static void panic_survived(bool wrong)
{
    struct robo__errand *e = sends(set_speed(0, 1));
    if (wrong)
        robo__judge_panic(&run, 0, robo_now(world));
    run.robot[0].panic = false;
    begins(e);
}

static void panic_left(bool wrong)
{
    robo__judge_panic(&run, 0, robo_now(world));
    robo_panic(robot);
    if (wrong)
        robo_reset(robot);
    robo__judge_flagged(&run);
}

static void panic_moved(bool wrong)
{
    robo__judge_panic(&run, 0, robo_now(world));
    robo_panic(robot);
    run.visit[0].drives = true;
    run.robot[0].brake = 0.2;
    shown.speed[0] = 0.1;
    run_for(wrong ? 0.3 : 0.1);
    looks();
}

static void stop_survived(bool wrong)
{
    struct robo__errand *of_other = sends_in(1, stop(0), false), *e = sends(set_speed(0, 1));
    arrives(of_other);
    if (wrong)
        begins(of_other);
    begins(e);
}

static void stop_swept(bool wrong)
{
    struct robo__errand *first = sends(set_speed(0, 1)), *halt = sends(stop(0));
    arrives(first);
    arrives(halt);
    begins(halt);
    struct robo__errand *later = sends(set_speed(0, 1));
    arrives(later);
    begins(wrong ? first : later);
}

static void stop_refused(bool wrong)
{
    answered(sends(stop(0)), ROBO_ERROR, wrong ? ROBO_WHY_EXPIRED : ROBO_WHY_DEVICE);
}

static void stop_waited(bool wrong)
{
    stop_comes(sends(stop(0)), 1, wrong ? 0 : 1);
}

/* A second copy of its package is told from a new one up to 63 behind the newest. */
static void stop_done_again(bool wrong)
{
    run.user[0].channel.duplicate = 0.5;
    const struct robo__errand *e = sends(stop(0));
    stop_comes(e, 1, 2);
    answered(e, ROBO_SUCCESS, ROBO_WHY_NONE);
    run_for(0.1);
    stop_comes(sends(stop(0)), wrong ? 64 : 65, 2);
    stop_comes(e, 1, 2);
}

static void stop_done_too_often(bool wrong)
{
    run.user[0].channel.duplicate = 0.5;
    const struct robo__errand *e = sends(stop(0));
    stop_comes(e, 1, 1);
    stop_comes(sends(stop(0)), 65, 1);
    stop_comes(e, 1, 1);
    if (wrong)
        begins(e);
}

static void rest_refused(bool wrong)
{
    answered(sends(set_speed(0, 0)), ROBO_ERROR, wrong ? ROBO_WHY_EXPIRED : ROBO_WHY_DEVICE);
}

static void stranger(bool wrong)
{
    struct robo__errand e = *sends(set_speed(0, 1));
    e.id += wrong;
    begins(&e);
}

static void began_twice(bool wrong)
{
    const struct robo__errand *e = sends(set_speed(0, 1));
    begins(e);
    if (wrong)
        begins(e);
}

static void refused_began(bool wrong)
{
    struct robo__errand *e = sends(set_speed(0, 1));
    answered(e, ROBO_ERROR, ROBO_WHY_DEVICE);
    if (wrong)
        begins(e);
}

static void no_answer(bool wrong)
{
    struct robo__errand *e = sends(set_speed(0, 1));
    arrives(e);
    answered(e, ROBO_ERROR, ROBO_WHY_DEVICE);
    if (!wrong)
        told(e, ROBO_ERROR, ROBO_WHY_DEVICE);
    robo__ledger_unanswered(&run, true);
}

static void no_answer_of_the_server(bool wrong)
{
    struct robo__errand *e = sends(set_speed(0, 1));
    arrives(e);
    run_for(0.1);
    robo__ledger_close(&run.visit[0], robo_now(world));
    if (!wrong)
        answered(e, ROBO_INTERRUPTED, ROBO_WHY_CLOSED);
    told(e, ROBO_INTERRUPTED, ROBO_WHY_CLOSED);
}

static void no_answer_to_a_query(bool wrong)
{
    struct robo__cached_answer asked = { .id = 5, .query = true, .done = !wrong };
    client.cache.slot = &asked;
    client.cache.size = 1;
    robo__ledger_unanswered(&run, true);
    client.cache.size = 0;
}

static void two_answers(bool wrong)
{
    const struct robo__errand *e = sends(set_speed(0, 1));
    answered(e, ROBO_ERROR, ROBO_WHY_DEVICE);
    if (wrong)
        answered(e, ROBO_ERROR, ROBO_WHY_DEVICE);
}

static void two_answers_to_the_client(bool wrong)
{
    const struct robo__errand *e = sends(set_speed(0, 1));
    told(e, ROBO_ERROR, ROBO_WHY_DEVICE);
    if (wrong)
        told(e, ROBO_ERROR, ROBO_WHY_DEVICE);
}

static void false_age(bool wrong)
{
    struct robo__errand *e = sends(set_speed(0, 1));
    run_for(wrong ? 0.9 : 1.1);
    arrives(e);
    answered(e, ROBO_ERROR, ROBO_WHY_EXPIRED);
}

static void false_silence(bool wrong)
{
    struct robo__errand *e = sends(set_speed(0, 1));
    begins(e);
    run_for(wrong ? 0.4 : 0.6);
    answered(e, ROBO_INTERRUPTED, ROBO_WHY_DEADMAN);
}

static void false_link(bool wrong)
{
    run.line[0].ghost = !wrong;
    told(sends(set_speed(0, 1)), ROBO_ERROR, ROBO_WHY_LINK);
}

static void false_want_of_room(bool wrong)
{
    answered(sends(set_speed(0, 1)), ROBO_ERROR, wrong ? ROBO_WHY_FULL : ROBO_WHY_DEVICE);
}

static void clock_wrong(bool wrong)
{
    robo_time now = robo_now(world), off = wrong ? S(1) : 0;
    robo__sync_init(&client.sync);
    robo__sync_add(&client.sync, now, now + off, now + off, now);
    sends(set_speed(0, 1));
}

static void not_told(bool wrong)
{
    robo__judge_panic(&run, 0, robo_now(world));
    for (uint16_t visit = 0; visit < 2; visit++)
        if (!wrong)
            robo__answer_notice(&run, visit, ROBO_N_PANICKED, 1);
    robo__ledger_untold(&run, true);
}

static void not_told_of_a_stop(bool wrong)
{
    begins(sends(stop(0)));
    if (!wrong)
        robo__answer_notice(&run, 1, ROBO_N_STOPPED, 1);
    robo__ledger_untold(&run, true);
}

static void told_twice(bool wrong)
{
    robo__answer_notice(&run, 0, ROBO_N_STOPPED, 1);
    robo__answer_notice(&run, 0, ROBO_N_STOPPED, wrong ? 1 : 2);
}

static void link_untold(bool wrong)
{
    robo__answer_lost(&run, &run.user[0], wrong ? 0 : 1);
}

/* The first of two frames of a complete sequence begins. */
static struct robo__errand *plays(void)
{
    struct robo__visit *v = &run.visit[0];
    v->plays = v->buffered = v->pure = v->finished = true;
    struct robo__errand *one = sends_in(0, set_speed(5, 1), true),
                        *two = sends_in(0, set_speed(5.1, 1), true);
    arrives(one);
    arrives(two);
    begins(one);
    return two;
}

static void not_played(bool wrong)
{
    struct robo__errand *two = plays();
    run_for(0.1);
    if (!wrong)
        begins(two);
    robo__ledger_unplayed(&run, true);
}

static void rushed(bool wrong)
{
    struct robo__errand *two = plays();
    run_for(wrong ? 0.09 : 0.2);
    begins(two);
}

static void silent_moved(bool wrong)
{
    begins(sends(set_speed(0, 1)));
    shown.speed[0] = 0.1;
    run_for(wrong ? 0.6 : 0.4);
    looks();
}

static void silent_began(bool wrong)
{
    struct robo__errand *e = sends(set_speed(0, 1));
    arrives(e);
    run_for(wrong ? 0.6 : 0.4);
    begins(e);
}

static void outranked(bool wrong)
{
    run.user[0].role = wrong ? ROBO_ROLE_WATCH : ROBO_ROLE_DRIVE;
    begins(sends(set_speed(0, 1)));
}

static void reset_by_rank(bool wrong)
{
    const struct robo_header header = { .flags = ROBO_FLAG_RESET, .session = WIRE, .epoch = 1 };
    run.user[0].role = wrong ? ROBO_ROLE_DRIVE : ROBO_ROLE_OPERATE;
    robo__judge_panic(&run, 0, robo_now(world));
    robo_panic(robot);
    robo__judge_flags(&run, 0, &header, 0, robo_now(world));
    robo_reset(robot);
    robo__judge_flagged(&run);
}

static void mistaken(bool wrong)
{
    run.visit[0].known = run.visit[1].known = true;
    run.visit[1].party.key = wrong;
    robo__hold_met(&run, &run.visit[1]);
}

static void latch_ignored(bool wrong)
{
    run.apart = run.visit[0].known = run.visit[1].known = true;
    run.visit[0].life = run.visit[1].life = run.robot[0].life;
    run.visit[0].party.key = 1;
    run.visit[1].party.key = 2;
    run.visit[1].user = 1;
    run.robot[0].latch[0] = (struct robo__latched){ .party.key = 1, .stop = wrong };
    begins(sends(set_speed(0, 1)));
}

static void overridden(bool wrong)
{
    assert_int_equal(robo__override_set(robot, 0.5), 0);
    run.robot[0].share = wrong ? 1 : 0.5;
    looks();
}

static void held_moved(bool wrong)
{
    assert_int_equal(robo__override_set(robot, 0), 0);
    run.robot[0].share = 0;
    run.robot[0].shared = robo_now(world);
    run.robot[0].brake = 0.2;
    run.visit[0].drives = true;
    shown.speed[0] = 0.1;
    run_for(wrong ? 0.3 : 0.1);
    looks();
}

static void end_moved(bool wrong)
{
    shown.speed[0] = wrong ? 0.1 : 0;
    run_for(0.1);
    robo__look_left(&run);
}

static void not_finite(bool wrong)
{
    shown.position[0] = wrong ? (double)NAN : 0;
    run_for(0.1);
    looks();
}

static void beyond_limits(bool wrong)
{
    shown.position[0] = wrong ? 1.001 : 1;
    run_for(0.1);
    looks();
}

static void leaked(bool wrong)
{
    struct robo__session *s = open_session(NULL, NULL);
    if (!wrong)
        robo__session_close(s);
    robo__look_left(&run);
    if (wrong)
        robo__session_close(s);
}

static void grew(bool wrong)
{
    struct robo__growth growth = { 0 };
    for (size_t i = 0; i < 3000 && !report.broken; i++)
        robo__growth_note(&growth, 1 << 20 | (i % 7) << 12 | (wrong ? i << 7 : 0), &report);
}

static const struct {
    enum robo__invariant broken;
    void (*play)(bool wrong);
} SCENES[] = {
    { ROBO__EXPIRED_BEGAN, expired },
    { ROBO__LATE_BEGAN, late },
    { ROBO__PANIC_IGNORED, panic_ignored },
    { ROBO__PANIC_REACHED, panic_reached },
    { ROBO__PANIC_SURVIVED, panic_survived },
    { ROBO__PANIC_LEFT, panic_left },
    { ROBO__PANIC_MOVED, panic_moved },
    { ROBO__STOP_SURVIVED, stop_survived },
    { ROBO__STOP_SWEPT, stop_swept },
    { ROBO__STOP_REFUSED, stop_refused },
    { ROBO__STOP_WAITED, stop_waited },
    { ROBO__REST_REFUSED, rest_refused },
    { ROBO__STRANGER_BEGAN, stranger },
    { ROBO__TWICE_BEGAN, began_twice },
    { ROBO__TWICE_BEGAN, stop_done_again },
    { ROBO__TWICE_BEGAN, stop_done_too_often },
    { ROBO__REFUSED_BEGAN, refused_began },
    { ROBO__NO_ANSWER, no_answer },
    { ROBO__NO_ANSWER, no_answer_of_the_server },
    { ROBO__NO_ANSWER, no_answer_to_a_query },
    { ROBO__TWO_ANSWERS, two_answers },
    { ROBO__TWO_ANSWERS, two_answers_to_the_client },
    { ROBO__FALSE_ANSWER, false_age },
    { ROBO__FALSE_ANSWER, false_silence },
    { ROBO__FALSE_ANSWER, false_link },
    { ROBO__FALSE_ANSWER, false_want_of_room },
    { ROBO__CLOCK_WRONG, clock_wrong },
    { ROBO__NOT_TOLD, not_told },
    { ROBO__NOT_TOLD, not_told_of_a_stop },
    { ROBO__TOLD_TWICE, told_twice },
    { ROBO__LINK_UNTOLD, link_untold },
    { ROBO__NOT_PLAYED, not_played },
    { ROBO__RUSHED, rushed },
    { ROBO__SILENT_MOVED, silent_moved },
    { ROBO__SILENT_MOVED, silent_began },
    { ROBO__END_MOVED, end_moved },
    { ROBO__NOT_FINITE, not_finite },
    { ROBO__BEYOND_LIMITS, beyond_limits },
    { ROBO__USURPED, usurped },
    { ROBO__GRABBED, grabbed },
    { ROBO__LOSS_SURVIVED, loss_survived },
    { ROBO__UNRESTED, unrested },
    { ROBO__LOSS_UNTOLD, loss_untold },
    { ROBO__LOSS_UNTOLD, loss_not_counted },
    { ROBO__HELD_ON, held_on },
    { ROBO__FALSE_ANSWER, false_lease },
    { ROBO__FALSE_ANSWER, false_braking },
    { ROBO__STOP_REFUSED, stop_busy },
    { ROBO__OUTRANKED, outranked },
    { ROBO__PANIC_LEFT, reset_by_rank },
    { ROBO__MISTAKEN, mistaken },
    { ROBO__LATCH_IGNORED, latch_ignored },
    { ROBO__OVERRIDDEN, overridden },
    { ROBO__HELD_MOVED, held_moved },
    { ROBO__LEAKED, leaked },
    { ROBO__GREW, grew },
};

TEST(every_defect_is_found_and_nothing_else)
{
    int failed = 0;
    for (size_t i = 0; i < sizeof SCENES / sizeof SCENES[0]; i++) {
        for (int wrong = 0; wrong < 2; wrong++) {
            open_scene();
            SCENES[i].play(wrong);
            close_scene();
            enum robo__invariant wanted = wrong ? SCENES[i].broken : ROBO__HOLDS;
            if (report.broken != wanted)
                print_error("scene %zu: %s instead of %s: %s\n", i,
                            robo__fault_words[report.broken].name, robo__fault_words[wanted].name,
                            report.text);
            failed += report.broken != wanted;
        }
    }
    assert_int_equal(failed, 0);
}

/* Runs that crash or do not end are found by whoever started them: tests/net/series_test.c. */
TEST(every_invariant_has_a_scene)
{
    bool has[ROBO__INVARIANTS] = {
        [ROBO__HOLDS] = true, [ROBO__ENDLESS] = true, [ROBO__CRASHED] = true
    };
    for (size_t i = 0; i < sizeof SCENES / sizeof SCENES[0]; i++)
        has[SCENES[i].broken] = true;
    for (int i = 0; i < ROBO__INVARIANTS; i++)
        if (!has[i])
            fail_msg("%s has none", robo__fault_words[i].name);
}
