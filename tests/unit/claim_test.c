/* A driver that asks (robo_claim), by robotalk.h alone. */
#include "fixture_claim.h"

/* ---- commands ---- */

FIXTURE(begin, end);

TEST(begins_answers_and_ends_commands)
{
    expect_nothing();
    int before = woken;
    uint32_t id = send_cmd((struct robo_cmd){
        .op = ROBO_SET_JOINT, .body.servo = { .joint = 2, .mask = 2, .value = { 0, 0.5 } } });
    assert_true(woken > before);
    struct robo_job job = take(ROBO_JOB_START);
    assert_int_equal(job.cmd.op, ROBO_SET_JOINT);
    assert_int_equal(job.cmd.body.servo.joint, 2);
    assert_int_equal(job.dof[0], 1 << 2);
    assert_int_equal(job.base, 0);
    assert_true(job.number > 0);
    expect_nothing();
    assert_int_equal(robo_claim_write(claim, job.number, "go", 2), ROBO_ENONE); /* not yet */
    assert_int_equal(robo_claim_begin(claim, job.number), 1);
    assert_int_equal(robo_claim_write(claim, job.number, "go", 2), 2);
    assert_string_equal(heard(), "go");
    expect_no_answer(id);
    assert_int_equal(robo_claim_done(claim, job.number, ROBO_MODIFIED, ROBO_WHY_LIMIT), 0);
    assert_int_equal(robo_claim_done(claim, job.number, ROBO_SUCCESS, ROBO_WHY_NONE), ROBO_ENONE);
    expect_answer(id, ROBO_MODIFIED, ROBO_WHY_LIMIT);
    /* it is still worked on */
    assert_int_equal(robo_claim_write(claim, job.number, "on", 2), 2);
    assert_int_equal(robo_claim_end(claim, job.number), 0);
    assert_int_equal(robo_claim_end(claim, job.number), ROBO_ENONE);
    assert_int_equal(robo_claim_write(claim, job.number, "no", 2), ROBO_ENONE);
    assert_int_equal(robo_claim_begin(claim, job.number), 0);
    assert_string_equal(heard(), "on");

    /* the next one has the same place, and another number */
    id = move(2, 1);
    int64_t next = take_and_begin();
    assert_int_not_equal(next, job.number);
    assert_int_equal(robo_claim_done(claim, job.number, ROBO_ERROR, ROBO_WHY_DEVICE), ROBO_ENONE);
    assert_int_equal(robo_claim_done(claim, next, (enum robo_signal)0, ROBO_WHY_NONE), ROBO_EINVAL);
    assert_int_equal(robo_claim_done(claim, next, (enum robo_signal)99, ROBO_WHY_NONE),
                     ROBO_EINVAL);
    assert_int_equal(robo_claim_done(claim, next, ROBO_SUCCESS, (enum robo_reason)250),
                     ROBO_EINVAL);
    expect_no_answer(id);
    assert_int_equal(robo_claim_end(claim, next), 0); /* without an answer */
    expect_answer(id, ROBO_ERROR, ROBO_WHY_DEVICE);
}

TEST(a_stop_of_a_part_leaves_the_rest_to_who_takes_such_stops)
{
    const struct robo_cmd stop = { .op = ROBO_STOP,
                                   .body.stop = { .bytes = 1, .mask = { 1 << 1 } } };
    assert_int_equal(robo_claim_takes(claim, 0, 0, 1), 0);
    uint32_t lift = move(1, 1), head = move(2, 1);
    int64_t stays = take_and_begin();
    take_and_begin();
    send_cmd(stop); /* of a device that knows nothing of parts */
    expect_answer(lift, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    expect_answer(head, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    take(ROBO_JOB_OVER), take(ROBO_JOB_OVER);
    struct robo_job job = take(ROBO_JOB_START);
    assert_true(job.cmd.body.stop.bytes == 0 && !job.cmd.body.stop.base);
    assert_int_equal(robo_claim_begin(claim, job.number), 1);
    assert_int_equal(robo_claim_end(claim, job.number), 0);

    assert_int_equal(robo_claim_takes(claim, 1, 0, 1), 0);
    lift = move(1, 1), head = move(2, 1);
    stays = take_and_begin();
    take_and_begin();
    send_cmd(stop);
    expect_answer(head, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    expect_no_answer(lift);
    take(ROBO_JOB_OVER);
    job = take(ROBO_JOB_START);
    assert_int_equal(job.cmd.op, ROBO_STOP);
    assert_int_equal(job.cmd.body.stop.mask[0] & 7, 1 << 1);
    assert_int_equal(robo_claim_begin(claim, job.number), 1);
    assert_int_equal(robo_claim_done(claim, stays, ROBO_SUCCESS, ROBO_WHY_NONE), 0);
    expect_answer(lift, ROBO_SUCCESS, ROBO_WHY_NONE);
}

TEST(goals_with_bounds_reach_who_takes_them)
{
    const struct robo_cmd go = { .op = ROBO_GO_TO, .body.go_to = { .x = 1, .speed = 0.1 } };
    expect_answer(send_cmd(go), ROBO_NA, ROBO_WHY_BOUNDS);
    assert_int_equal(robo_claim_takes(claim, 0, 1, 1), 0);
    send_cmd(go);
    assert_true(take(ROBO_JOB_START).cmd.body.go_to.speed == 0.1);
}

TEST(hears_that_a_later_command_has_taken_its_axes)
{
    uint32_t first = move(1, 1), other = move(2, 1);
    int64_t old = take_and_begin(), aside = take_and_begin();
    uint32_t second = move(1, 2);
    expect_answer(first, ROBO_MODIFIED, ROBO_WHY_SUPERSEDED);
    assert_int_equal(robo_claim_write(claim, old, "old", 3), ROBO_ENONE);
    assert_int_equal(take(ROBO_JOB_OVER).number, old);
    int64_t later = take_and_begin();
    assert_int_equal(robo_claim_write(claim, later, "new", 3), 3);
    assert_int_equal(robo_claim_write(claim, aside, "aside", 5), 5);
    assert_string_equal(heard(), "newaside");
    assert_int_equal(robo_claim_done(claim, later, ROBO_SUCCESS, ROBO_WHY_NONE), 0);
    assert_int_equal(robo_claim_done(claim, aside, ROBO_SUCCESS, ROBO_WHY_NONE), 0);
    expect_answer(second, ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_answer(other, ROBO_SUCCESS, ROBO_WHY_NONE);
}

TEST(does_not_begin_what_has_expired)
{
    uint32_t id = move(1, 1);
    int64_t number = take(ROBO_JOB_START).number;
    wait_for(1.5);
    assert_int_equal(robo_claim_begin(claim, number), 0);
    expect_answer(id, ROBO_ERROR, ROBO_WHY_EXPIRED);
    assert_int_equal(take(ROBO_JOB_OVER).number, number);
    expect_nothing();
}

TEST(what_has_begun_does_not_expire)
{
    uint32_t id = move(1, 1);
    int64_t number = take_and_begin();
    wait_for(1.5);
    assert_int_equal(robo_claim_begin(claim, number), 1);
    assert_int_equal(robo_claim_done(claim, number, ROBO_SUCCESS, ROBO_WHY_NONE), 0);
    expect_answer(id, ROBO_SUCCESS, ROBO_WHY_NONE);
}

TEST(a_lost_device_answers_error)
{
    uint32_t id = move(1, 1);
    int64_t number = take_and_begin();
    assert_int_equal(robo_claim_fault(claim, ROBO_WHY_AXIS), ROBO_EINVAL);
    assert_int_equal(robo_claim_fault(claim, ROBO_WHY_LINK), 0);
    expect_answer(id, ROBO_ERROR, ROBO_WHY_LINK);
    assert_int_equal(take(ROBO_JOB_OVER).number, number);
}

/* ---- stops and halts ---- */

TEST(a_stop_of_some_axes_leaves_the_others)
{
    uint32_t lift = move(1, 1), head = move(2, 1);
    int64_t lifts = take_and_begin(), nods = take_and_begin();
    struct robo_cmd some = { .op = ROBO_STOP, .body.stop = { .bytes = 1, .mask = { 1 << 0 } } };
    uint32_t stop = send_cmd(some);
    expect_answer(lift, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    assert_int_equal(robo_claim_write(claim, lifts, "lift", 4), ROBO_ENONE);
    assert_int_equal(robo_claim_write(claim, nods, "nod", 3), 3);
    assert_int_equal(take(ROBO_JOB_OVER).number, lifts);
    struct robo_job job = take(ROBO_JOB_START);
    assert_int_equal(job.cmd.op, ROBO_STOP);
    assert_int_equal(job.dof[0], 1 << 0);
    assert_int_equal(job.base, 0);
    /* what comes later waits for it */
    uint32_t again = move(1, 2);
    expect_nothing();
    assert_int_equal(robo_claim_begin(claim, job.number), 1);
    int64_t lifts_again = take_and_begin();
    assert_int_equal(robo_claim_done(claim, job.number, ROBO_SUCCESS, ROBO_WHY_NONE), ROBO_ENONE);
    assert_int_equal(take(ROBO_JOB_OVER).number, job.number);
    assert_int_equal(robo_claim_done(claim, lifts_again, ROBO_SUCCESS, ROBO_WHY_NONE), 0);
    assert_int_equal(robo_claim_done(claim, nods, ROBO_SUCCESS, ROBO_WHY_NONE), 0);
    expect_answer(again, ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_answer(head, ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_answer(stop, ROBO_MODIFIED, ROBO_WHY_SUPERSEDED); /* before the lift stood */
}

TEST(a_stop_that_does_not_begin_halts)
{
    uint32_t id = move(1, 1);
    int64_t number = take_and_begin();
    uint32_t stop = send_cmd((struct robo_cmd){ .op = ROBO_STOP });
    assert_int_equal(robo_claim_write(claim, number, "late", 4), ROBO_ENONE);
    assert_string_equal(heard(), "");
    wait_for(0.6);
    assert_string_equal(heard(), "HALT");
    expect_answer(stop, ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_answer(id, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    struct robo_job job;
    while (robo_claim_next(claim, &job) == 1 && job.kind == ROBO_JOB_OVER)
        ;
    assert_int_equal(job.kind, ROBO_JOB_HALT);
    assert_int_equal(job.why, ROBO_HALT_STOP);
    assert_int_equal(robo_claim_state(claim), 0);
    assert_int_equal(robo_claim_heard(claim, job.number), 0);
    assert_int_equal(robo_claim_state(claim), 1);
}

TEST(a_stop_at_the_programs_end_halts_soon)
{
    move(1, 1);
    take_and_begin();
    assert_int_equal(robo_try_dismiss_all(world), 1);
    assert_string_equal(heard(), "");
    wait_for(0.03);
    assert_string_equal(heard(), "HALT");
}

TEST(a_panic_writes_its_bytes_at_once)
{
    uint32_t id = move(1, 1);
    int64_t number = take_and_begin();
    int before = woken;
    robo_panic(robot);
    assert_string_equal(heard(), "HALT");
    assert_true(woken > before);
    expect_answer(id, ROBO_PANIC, ROBO_WHY_PANIC);
    assert_int_equal(robo_claim_write(claim, number, "late", 4), ROBO_EPANIC);
    assert_int_equal(robo_claim_write(claim, 0, "late", 4), ROBO_EPANIC);
    assert_int_equal(robo_claim_done(claim, number, ROBO_SUCCESS, ROBO_WHY_NONE), ROBO_ENONE);
    assert_int_equal(take(ROBO_JOB_OVER).number, number);
    struct robo_job first = take(ROBO_JOB_HALT);
    assert_int_equal(first.why, ROBO_HALT_PANIC);
    assert_true(first.number < 0);
    assert_int_equal(robo_claim_write(claim, first.number, "lights", 6), 6);

    /* another one: what was written for the first is over */
    robo_panic(robot);
    assert_string_equal(heard(), "lightsHALT");
    assert_int_equal(robo_claim_write(claim, first.number, "lights", 6), ROBO_EPANIC);
    assert_int_equal(robo_claim_heard(claim, first.number), ROBO_ENONE);
    struct robo_job second = take(ROBO_JOB_HALT);
    assert_int_equal(robo_claim_heard(claim, second.number), 0);
    assert_int_equal(robo_claim_write(claim, second.number, "late", 4), ROBO_EPANIC);
    assert_int_equal(robo_claim_write(claim, 0, "late", 4), ROBO_EPANIC); /* it is not reset */
    robo_panic(robot);
    assert_string_equal(heard(), "HALT");
    second = take(ROBO_JOB_HALT);
    reset();
    assert_int_equal(robo_claim_state(claim), 0); /* not before it was seen to */
    id = move(1, 1);
    assert_int_equal(take(ROBO_JOB_HALT).number, second.number);
    assert_int_equal(robo_claim_heard(claim, second.number), 0);
    assert_int_equal(robo_claim_heard(claim, second.number), ROBO_ENONE);
    assert_int_equal(robo_claim_state(claim), 1);
    assert_int_equal(take(ROBO_JOB_RESET).number, 0); /* before any command */
    number = take_and_begin();
    assert_int_equal(robo_claim_done(claim, number, ROBO_SUCCESS, ROBO_WHY_NONE), 0);
    expect_answer(id, ROBO_SUCCESS, ROBO_WHY_NONE);
}

TEST(a_sign_of_life_goes_out_in_a_panic_too)
{
    const char many[ROBO_MAX_SIGN_BYTES + 1] = { 0 };
    assert_int_equal(robo_claim_sign(claim, many, sizeof many), ROBO_ERANGE);
    assert_int_equal(robo_claim_sign(claim, "alive", 5), 0);
    robo_panic(robot);
    assert_string_equal(heard(), "HALT");
    const int64_t number = take(ROBO_JOB_HALT).number;
    assert_int_equal(robo_claim_write(claim, 0, "alive", 5), 5);
    assert_int_equal(robo_claim_heard(claim, number), 0);
    assert_int_equal(robo_claim_write(claim, 0, "alive", 5), 5);
    assert_int_equal(robo_claim_write(claim, 0, "alive!", 6), ROBO_EPANIC);
    assert_int_equal(robo_claim_write(claim, 0, "drive", 5), ROBO_EPANIC);
    assert_string_equal(heard(), "alivealive");
    assert_int_equal(robo_claim_sign(claim, NULL, 0), 0);
    assert_int_equal(robo_claim_write(claim, 0, "alive", 5), ROBO_EPANIC);
    assert_int_equal(robo_claim_write(claim, 0, "", 0), ROBO_EPANIC);
    assert_int_equal(robo_claim_sign(claim, "alive", 5), 0);
    assert_true(robo_claim_halt(claim) < 0); /* the robot goes */
    assert_int_equal(robo_claim_write(claim, 0, "alive", 5), ROBO_EPANIC);
}

TEST(a_reset_is_told_once_and_not_after_the_next_panic)
{
    struct robo_job job;
    robo_panic(robot);
    assert_int_equal(robo_claim_heard(claim, take(ROBO_JOB_HALT).number), 0);
    assert_int_equal(robo_claim_next(claim, &job), 0); /* there was none */
    int before = woken;
    reset();
    assert_true(woken > before);
    take(ROBO_JOB_RESET);
    assert_int_equal(robo_claim_next(claim, &job), 0);
    reset(); /* of no panic */
    assert_int_equal(robo_claim_next(claim, &job), 0);

    robo_panic(robot);
    assert_int_equal(robo_claim_heard(claim, take(ROBO_JOB_HALT).number), 0);
    reset();
    robo_panic(robot);
    assert_int_equal(robo_claim_heard(claim, take(ROBO_JOB_HALT).number), 0);
    assert_int_equal(robo_claim_next(claim, &job), 0);
    reset();
    take(ROBO_JOB_RESET);
}

TEST(a_reset_is_told_also_behind_a_stop_that_halts)
{
    robo_panic(robot);
    assert_int_equal(robo_claim_heard(claim, take(ROBO_JOB_HALT).number), 0);
    reset();
    send_cmd((struct robo_cmd){ .op = ROBO_STOP });
    wait_for(0.6);
    struct robo_job job;
    while (robo_claim_next(claim, &job) == 1 && job.kind == ROBO_JOB_OVER)
        ;
    assert_int_equal(job.kind, ROBO_JOB_HALT);
    assert_int_equal(job.why, ROBO_HALT_STOP);
    assert_int_equal(robo_claim_heard(claim, job.number), 0);
    take(ROBO_JOB_RESET);
}

TEST(halts_for_the_last_time_before_it_is_closed)
{
    uint32_t id = move(1, 1);
    int64_t number = take_and_begin(), last = robo_claim_halt(claim);
    assert_true(last < 0);
    assert_string_equal(heard(), "HALT");
    assert_int_equal(robo_claim_write(claim, number, "late", 4), ROBO_EPANIC);
    assert_int_equal(robo_claim_write(claim, last, "bye", 3), 3);
    assert_int_equal(robo_claim_heard(claim, last), 0);
    assert_string_equal(heard(), "bye");
    assert_int_equal(robo_claim_halt(claim), last); /* it is halted for good */
    assert_string_equal(heard(), "");
    assert_int_equal(robo_claim_state(claim), 0);
    expect_answer(send_cmd((struct robo_cmd){ .op = ROBO_GO_TO }), ROBO_ERROR, ROBO_WHY_DEVICE);
    expect_no_answer(id); /* the removal answers it */
    robo_remove(robot);
    expect_answer(id, ROBO_INTERRUPTED, ROBO_WHY_CLOSED);
}

/* Without a removal, the release answers what was under way at the last halt. */
TEST(a_release_answers_what_the_last_halt_has_ended)
{
    uint32_t id = move(1, 1);
    int64_t number = take_and_begin();
    assert_true(robo_claim_halt(claim) < 0);
    assert_int_equal(robo_claim_done(claim, number, ROBO_SUCCESS, ROBO_WHY_NONE), ROBO_ENONE);
    expect_no_answer(id);
    robo_claim_release(claim);
    claim = NULL;
    expect_answer(id, ROBO_ERROR, ROBO_WHY_DEVICE);
}

static void look_between(void *state)
{
    if (!between.claim)
        return;
    if (between.again) { /* let go, and claimed again */
        robo_claim_release(between.claim);
        between.claim = robo_claim_open(world, "mine", NULL, NULL, NULL);
        assert_non_null(between.claim);
    }
    between.next = robo_claim_next(between.claim, &between.job);
    between.heard = robo_claim_heard(between.claim, between.job.number);
    between.write = robo_claim_write(between.claim, 0, "late", 4);
    between.state = robo_claim_state(between.claim);
}

static const robo_driver aside = { .size = sizeof(robo_driver),
                                   .name = "aside",
                                   .open = idle_open,
                                   .start = idle_start,
                                   .read = idle_read,
                                   .halt = idle_halt,
                                   .close = look_between };

static void expect_silence_between(void)
{
    assert_int_equal(between.next, 1);
    assert_int_equal(between.job.kind, ROBO_JOB_HALT);
    assert_int_equal(between.job.why, ROBO_HALT_CLOSE);
    assert_int_equal(between.heard, 0);
    assert_int_equal(between.write, ROBO_EPANIC);
    assert_int_equal(between.state, 0);
    assert_string_equal(heard(), between.again ? "HALTHALT" : "HALT");
    assert_int_equal(robo_claim_state(between.claim), ROBO_ECLOSED);
    robo_claim_release(between.claim);
    between.claim = NULL;
}

TEST(nothing_follows_the_last_halt)
{
    struct robo_description *d = body(3);
    robo_robot *pair;
    strcpy(d->name, "pair");
    d->devices = 2;
    d->device[1] = d->device[0];
    strcpy(d->device[0].driver, "aside");
    d->device[0].base = 0;
    d->joint[1].device = d->joint[2].device = 1;
    assert_int_equal(robo_add_driver(world, &aside), 0);
    assert_int_equal(robo_add(world, d, &pair), 0);
    for (int i = 0; i < 4; i++) {
        between.again = i % 2 == 1;
        between.claim = robo_claim_open(world, "mine", NULL, NULL, NULL);
        assert_non_null(between.claim);
        assert_int_equal(robo_claim_port(between.claim, line[1], "HALT", 4), 0);
        if (i < 2) {
            assert_int_equal(robo_reload(pair, d, NULL), 0);
        } else {
            robo_remove(pair);
            robo_release(pair);
        }
        expect_silence_between();
        if (i == 2)
            assert_int_equal(robo_add(world, d, &pair), 0);
    }
}

/* ---- reports ---- */

TEST(reports_what_the_device_does)
{
    const double three[] = { 1, 2, 3, 4 }, force[] = { NAN, 5 }, pose[] = { 7, 8, 9 };
    struct robo_report report = { .size = sizeof report,
                                  .position = { three, 3 },
                                  .speed = { three, 1 },
                                  .force = { force, 2 },
                                  .pose = { pose, 3 } };
    struct robo_reply_state seen;
    assert_int_equal(robo_claim_dofs(claim), 3);
    assert_int_equal(robo_claim_report(claim, &report), 0);
    report = (struct robo_report){ .size = sizeof report, .position = { three + 3, 1 } };
    assert_int_equal(robo_claim_report(claim, &report), 0);
    robo_read_more(robot, ROBO_MORE_FORCES, &seen);
    assert_true(seen.position[0] == 4 && seen.position[1] == 2 && seen.position[2] == 3);
    assert_true(seen.speed[0] == 1 && seen.speed[1] == 0);
    assert_true(!seen.known[0] && seen.known[1] && seen.force[1] == 5 && !seen.known[2]);
    assert_true(seen.pose[0] == 7 && seen.pose[1] == 8 && seen.attitude[2] == 9);
    assert_int_equal(seen.moving, 1);

    const double wrong[][1] = { { NAN }, { INFINITY }, { 1e300 } };
    for (int i = 0; i < 3; i++) {
        report = (struct robo_report){ .size = sizeof report, .speed = { wrong[i], 1 } };
        assert_int_equal(robo_claim_report(claim, &report), ROBO_ERANGE);
    }
    report.speed = (struct robo_numbers){ three, 4 };
    assert_int_equal(robo_claim_report(claim, &report), ROBO_ERANGE);
    report.size = 0;
    assert_int_equal(robo_claim_report(claim, &report), ROBO_EINVAL);
    assert_int_equal(robo_claim_report(claim, NULL), ROBO_EINVAL);
}

/* ---- ports ---- */

TEST(has_one_port_at_a_time)
{
    char many[ROBO_MAX_FRAME_BYTES + 1] = { 0 };
    int other[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, other), 0);
    assert_int_equal(robo_claim_port(claim, other[1], "X", 1), ROBO_EINVAL); /* it blocks */
    fcntl(other[1], F_SETFL, O_NONBLOCK);
    assert_int_equal(robo_claim_port(claim, other[1], many, ROBO_MAX_HALT_BYTES + 1), ROBO_EINVAL);
    assert_int_equal(robo_claim_port(claim, -1, "X", 1), ROBO_EINVAL);
    assert_int_equal(robo_claim_write(claim, 0, many, sizeof many), ROBO_ERANGE);
    robo_panic(robot);
    assert_string_equal(heard(), "HALT");
    /* in the middle of a panic: it hears of it at once */
    assert_int_equal(robo_claim_port(claim, other[1], "X", 1), 0);
    close(other[1]);
    char got;
    assert_int_equal(read(other[0], &got, 1), 1);
    assert_int_equal(got, 'X');
    robo_panic(robot);
    assert_string_equal(heard(), "");
    assert_int_equal(read(other[0], &got, 1), 1);
    close(other[0]);
}

/* One that comes before the halt was seen to waits, whatever port there is meanwhile. */
TEST(a_port_that_is_late_ends_no_command)
{
    robo_claim_release(claim);
    claim = robo_claim_open(world, "mine", wake, &woken, NULL);
    assert_non_null(claim);
    uint32_t id = move(1, 1);
    heard();
    assert_int_equal(robo_claim_port(claim, line[1], "HALT", 4), 0);
    assert_string_equal(heard(), "HALT");
    assert_int_equal(robo_claim_heard(claim, take(ROBO_JOB_HALT).number), 0);
    int64_t number = take_and_begin();
    assert_int_equal(robo_claim_done(claim, number, ROBO_SUCCESS, ROBO_WHY_NONE), 0);
    expect_answer(id, ROBO_SUCCESS, ROBO_WHY_NONE);
}

/* The number of a halt that was seen to is over. */
TEST(a_halt_that_was_seen_to_writes_no_more)
{
    robo_panic(robot);
    struct robo_job job = take(ROBO_JOB_HALT);
    assert_int_equal(robo_claim_write(claim, job.number - 1, "next", 4), ROBO_EPANIC);
    reset();
    assert_int_equal(robo_claim_heard(claim, job.number), 0);
    heard();
    assert_int_equal(robo_claim_state(claim), 1);
    assert_int_equal(robo_claim_write(claim, job.number, "late", 4), ROBO_ENONE);
    assert_int_equal(robo_claim_write(claim, job.number - 1, "next", 4), ROBO_ENONE);
    assert_string_equal(heard(), "");
    assert_int_equal(robo_claim_write(claim, 0, "own", 3), 3);
}
