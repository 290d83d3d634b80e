/* Sessions: admission, the return queue, and the playback machinery with modes in C; more is in tests/scenes/sequences.txt.
 * Sources: RoboTalk V, spec/robotalk.md sections 4 and 7, PRODUCT "Safety defaults". */
#include "fixture_sessions.h"

#include "modes.h"

static struct test_modes modes;

static struct robo__session *open_mode(const char *name, robo_time delay, robo_time expiry)
{
    struct robo__session_request request = {
        .name = name, .delay = delay, .expiry = expiry, .gap = S(2)
    };
    return open_session(&modes.modes, &request);
}

/* ---- opening ---- */

FIXTURE(open_one, close_one);

TEST(modes_by_name)
{
    char text[128];
    struct robo__session *s = NULL;
    struct robo__session_request request = { .name = "playback" };
    /* without scripts there is direct mode only */
    assert_int_equal(robo__session_open(robot, NULL, &request, NULL, NULL, S(1), &s, text),
                     ROBO_EMODE);
    test_modes_init(&modes, 1);
    request.name = "nonsense";
    assert_int_equal(robo__session_open(robot, &modes.modes, &request, NULL, NULL, S(1), &s, text),
                     ROBO_EMODE);
    assert_string_equal(text, "there is no mode 'nonsense'");
    assert_int_equal(modes.closed, 1); /* a refused one is let go of as well */
    request.name = "";
    assert_int_equal(robo__session_open(robot, &modes.modes, &request, NULL, NULL, S(1), &s, text),
                     0);
    assert_true(s->decision.blocking && !s->mover.buffered);
    robo__session_close(s);
    assert_int_equal(modes.closed, modes.opened);
}

/* ---- times ---- */

/* A mode may allow no lateness at all. */
TEST(an_expiry_of_nothing)
{
    struct robo_cmd cmd = set_speed(0, 7);
    a->mover.expiry = 0;
    for (cmd.id = 1; cmd.id <= 2; cmd.id++)
        robo__session_commands(a, &cmd, 1, (struct robo__known){ 0 }, S(1) - (cmd.id == 1), S(1));
    take_answers(a);
    expect_signal(1, ROBO_ERROR, ROBO_WHY_EXPIRED);
    expect_signal(2, ROBO_SUCCESS, ROBO_WHY_NONE);
}

/* Instants from the ends of the clock: what a client may send if it wants to do harm. */
TEST(absurd_times)
{
    const robo_time absurd[] = { INT64_MAX, INT64_MIN, INT64_MAX - 1, INT64_MIN + 1, 1, -1 };
    test_modes_init(&modes, 3);
    modes.expiry = S(1);
    modes.shift = INT64_MAX;
    struct robo__session *hold = open_mode("hold", 0, 0);
    struct robo__session *delay = open_mode("delay", S(3600), S(3600));
    struct robo__session *back = open_mode("delay", 0, -1000);
    struct robo__session *all[] = { a, hold, delay, back };
    for (size_t k = 0; k < 4; k++) {
        uint32_t first = last_id + 1;
        for (size_t i = 0; i < 6; i++) {
            for (size_t j = 0; j < 6; j++) {
                struct robo_cmd cmd = set_speed(0, 1);
                cmd.id = ++last_id;
                cmd.start = absurd[i];
                assert_int_equal(robo__session_commands(all[k], &cmd, 1, (struct robo__known){ 0 },
                                                        absurd[j], robo_now(world)),
                                 1);
            }
        }
        run_for(1);
        robo__session_cancel(all[k], 0, robo_now(world));
        assert_int_equal(take_answers(all[k]), 36);
        for (uint32_t id = first; id <= last_id; id++)
            assert_non_null(answer_to(id));
    }
    for (size_t k = 1; k < 4; k++)
        robo__session_close(all[k]);
}

/* ---- taking back ---- */

/* So that nobody looks through long queues for each command. */
TEST(newest_only_keeps_few)
{
    struct robo__session *s = open_session(NULL, &(struct robo__session_request){ .newest = true });
    for (int i = 0; i < ROBO__SESSION_GRANTED; i++)
        send_cmd(s, set_speed(2 + i * 1e-3, 1));
    assert_int_equal(take_answers(s), 0);
    expect_answer(s, set_speed(3, 1), ROBO_ERROR, ROBO_WHY_FULL);
    robo__session_close(s);
}

/* ---- the return queue ---- */

TEST(answers_in_order_of_issue)
{
    struct robo__session_request direct = { 0 };
    struct robo__session *s;
    char text[128];
    robot->revisions->body->description.deadman = 0;
    strcpy(text, "what was wrong the last time");
    assert_int_equal(robo__session_open(robot, NULL, &direct, on_wake, NULL, S(1), &s, text), 0);
    assert_string_equal(text, "");
    wakes = 0;
    for (int i = 0; i < 1000; i++) /* the ring grows several times meanwhile, and turns */
        send_cmd(s, set_speed(3 - 0.001 * i, i));
    assert_int_equal(wakes, 0);
    run_until(2.5);
    assert_true(wakes > 0);
    robo_time last = 0;
    size_t count = 0, n;
    struct robo_result some[7];
    while ((n = robo__session_results(s, some, 7)) > 0) {
        for (size_t i = 0; i < n; i++, count++) {
            assert_true(some[i].finished >= last);
            last = some[i].finished;
        }
    }
    assert_int_equal(count, 500);
    run_until(4);
    assert_int_equal(take_answers(s), 500);
    /* posted when it stops being empty, not for each answer */
    wakes = 0;
    for (int i = 0; i < 10; i++)
        send_cmd(s, set_speed(5, i));
    run_until(5.1);
    assert_int_equal(wakes, 1);
    robo__session_close(s);
}

TEST(most_unanswered)
{
    robot->revisions->body->description.deadman = 0;
    struct robo_cmd *cmds = calloc(ROBO__SESSION_MOST + 10, sizeof *cmds);
    struct robo__session *s = open_session(NULL, NULL);
    for (uint32_t i = 0; i < ROBO__SESSION_MOST + 10; i++) {
        cmds[i] = set_speed(0, 1); /* done at once, answers nobody takes */
        cmds[i].id = i + 1;
    }
    assert_int_equal(robo__session_commands(s, cmds, ROBO__SESSION_MOST + 10,
                                            (struct robo__known){ 0 }, S(1), S(1)),
                     ROBO__SESSION_MOST);
    run_for(0);
    assert_int_equal(robo__session_commands(s, cmds, 1, (struct robo__known){ 0 }, S(1), S(1)), 0);
    struct robo_result one;
    assert_int_equal(robo__session_results(s, &one, 1), 1);
    assert_int_equal(one.id, 1);
    assert_int_equal(robo__session_commands(s, cmds, 5, (struct robo__known){ 0 }, S(1), S(1)), 1);
    assert_int_equal(take_answers(s), ROBO__SESSION_MOST);
    assert_int_equal(robo__session_commands(s, cmds, 5, (struct robo__known){ 0 }, S(1), S(1)), 5);
    assert_int_equal(take_answers(s), 5);
    robo__session_close(s);
    free(cmds);
}

/* ---- playback ---- */

/* Frames every 0.1 s on the client's clock, arriving every 0.2 s, for ten frames: D(a/c - 1) = 0.9 s of delay
 * behind the first arrival keep them all in time (DESIGN section 5). */
TEST(held_then_released_with_a_shift)
{
    test_modes_init(&modes, 5);
    struct robo__session *s = open_mode("hold", 0, 0);
    const double client = 1000; /* its clock has nothing to do with ours */
    uint32_t id[10];
    /* first arrival at 1 s; so the first frame may begin at 1.9 s */
    modes.shift = S(1.9) - S(client);
    for (int i = 0; i < 10; i++) {
        id[i] = send_cmd(s, set_speed(client + 0.1 * i, i));
        struct robo_reply_status status;
        robo__session_status(s, &status);
        assert_int_equal(status.held, i < 4 ? i + 1 : 0);
        assert_int_equal(status.decided, i >= 4);
        if (i < 4)
            assert_int_equal(heard(0), 0);
        run_for(0.2);
    }
    run_until(4);
    for (int i = 0; i < 10; i++)
        assert_in_range(heard_id(id[i])->at, S(1.9 + 0.1 * i) - 2, S(1.9 + 0.1 * i) + 2);
    assert_int_equal(modes.asked, 5); /* decided once: not asked again for later packages */
    struct robo_reply_status status;
    robo__session_status(s, &status);
    assert_int_equal(status.underruns, 0);
    assert_int_equal(status.executed, 10);
    /* the same arithmetic for whoever asks how much would have been enough: the worst of arrival - start */
    assert_true(llabs(status.needed - (S(1.9) - S(client))) <= 2);
    take_answers(s);
    for (int i = 0; i < 10; i++)
        expect_signal(id[i], ROBO_SUCCESS, ROBO_WHY_NONE);
    robo__session_close(s);
    assert_int_equal(modes.closed, 1);
}

/* Frames that share a start are one frame, and a package may carry many. */
TEST(arrivals)
{
    test_modes_init(&modes, 1000);
    struct robo__session *s = open_mode("hold", 0, 0);
    struct robo_cmd cmds[6];
    const double start[] = { 5, 5, 5.1, 5.2, 5.2, 5.3 };
    for (int i = 0; i < 6; i++) {
        cmds[i] = set_speed(start[i], i);
        cmds[i].id = 100 + (uint32_t)i;
    }
    robo__session_commands(s, cmds, 3, (struct robo__known){ 0 }, S(1), S(1));
    run_until(1.5);
    robo__session_commands(s, cmds + 3, 2, (struct robo__known){ 0 }, S(1.5), S(1.5));
    run_until(1.7);
    robo__session_commands(s, cmds + 5, 1, (struct robo__known){ 0 }, S(1.7), S(1.7));
    const struct robo__arrivals *r = &s->arrivals;
    assert_int_equal(r->frames, 4);
    assert_int_equal(r->packages, 3);
    assert_int_equal(r->first_start, S(5));
    assert_int_equal(r->last_start, S(5.3));
    assert_int_equal(r->first_arrival, S(1));
    assert_int_equal(r->last_arrival, S(1.7));
    assert_int_equal(r->least,
                     S(1) - S(5.1)); /* of every command: the earliest against its start */
    assert_int_equal(r->worst, S(1.7) - S(5.3));
    /* gaps of 0.5 and 0.2 s: mean 0.35, squares about it 2 * 0.15^2 */
    assert_float_equal(r->gap_mean, 0.35, 1e-12);
    assert_float_equal(r->gap_m2, 0.045, 1e-12);
    robo__session_close(s);
}

TEST(mode_that_wants_every_instant)
{
    test_modes_init(&modes, 1000);
    modes.again = -S(2);
    struct robo__session *s = open_mode("hold", 0, 0);
    send_cmd(s, set_speed(2, 1));
    assert_true(s->decision.again >=
                robo_now(world) + 1000000); /* asked again in 1 ms at the earliest */
    robo__session_close(s);
}

TEST(most_held)
{
    test_modes_init(&modes, UINT64_MAX);
    struct robo__session *s = open_mode("hold", 0, 0);
    enum { BATCH = 4096 };
    struct robo_cmd *cmds = calloc(BATCH, sizeof *cmds);
    size_t admitted = 0;
    for (int k = 0; k < 17; k++) {
        for (uint32_t i = 0; i < BATCH; i++) {
            cmds[i] = set_speed(100 + k, 1);
            cmds[i].id = (uint32_t)k * BATCH + i + 1;
        }
        admitted += robo__session_commands(s, cmds, BATCH, (struct robo__known){ 0 }, S(1), S(1));
    }
    assert_int_equal(admitted, ROBO__SESSION_MOST);
    assert_int_equal(s->mover.held_count, ROBO__SESSION_MOST);
    assert_int_equal(robo__session_cancel(s, 0, S(1)), ROBO__SESSION_MOST);
    assert_int_equal(take_answers(s), ROBO__SESSION_MOST);
    robo__session_close(s);
    free(cmds);
}
