/* Whose a device is, by robotalk.h alone: one claim at a time, until it is released, described anew, or gone with its robot. */
#include "fixture_claim.h"
#include "robotalk/emergency.h"

FIXTURE(begin, end);

TEST(a_device_belongs_to_one_at_a_time)
{
    int error = 0, others = 0;
    assert_int_equal(waiting, 1);
    assert_null(robo_claim_open(world, "mine", NULL, NULL, &error));
    assert_int_equal(error, ROBO_ENONE);
    assert_null(robo_claim_open(world, "else", NULL, NULL, NULL));
    uint32_t id = move(1, 1);
    int64_t number = take_and_begin();
    robo_claim_release(robo_claim_hold(claim)); /* it is counted */
    assert_int_equal(robo_claim_write(claim, number, "a", 1), 1);

    robo_claim_release(claim);
    claim = NULL;
    assert_string_equal(heard(), "aHALT");
    assert_null(robo_claim_open(world, "else", NULL, NULL, NULL));
    robo_world *other = robo_open(NULL);
    assert_null(robo_claim_open(other, "mine", NULL, NULL, NULL));
    robo_close(other);
    expect_answer(id, ROBO_ERROR, ROBO_WHY_DEVICE);
    expect_answer(move(1, 1), ROBO_ERROR, ROBO_WHY_DEVICE); /* nobody is there */
    int before = woken;
    robo_panic(robot); /* its bytes are there as ever */
    assert_string_equal(heard(), "HALT");
    reset();
    assert_int_equal(woken, before);

    claim = robo_claim_open(world, "mine", wake, &others, NULL);
    assert_non_null(claim);
    assert_int_equal(robo_claim_write(claim, number, "b", 1), ROBO_EPANIC);
    assert_int_equal(robo_claim_heard(claim, take(ROBO_JOB_HALT).number), 0);
    take(ROBO_JOB_RESET);
    assert_int_equal(robo_claim_write(claim, number, "b", 1), ROBO_ENONE);
    assert_int_equal(robo_claim_done(claim, number, ROBO_SUCCESS, ROBO_WHY_NONE), ROBO_ENONE);
    id = move(1, 1);
    assert_true(others > 0);
    number = take_and_begin();
    assert_int_equal(robo_claim_done(claim, number, ROBO_SUCCESS, ROBO_WHY_NONE), 0);
    expect_answer(id, ROBO_SUCCESS, ROBO_WHY_NONE);

    robo_claim_halt(claim); /* for ever, but not for the next one */
    robo_claim_release(claim);
    claim = robo_claim_open(world, "mine", NULL, NULL, NULL);
    assert_non_null(claim);
    struct robo_job left = take(ROBO_JOB_HALT);
    assert_int_equal(left.why, ROBO_HALT_LEFT);
    assert_int_equal(robo_claim_heard(claim, left.number), 0);
    assert_int_equal(robo_claim_state(claim), 1);
}

TEST(a_program_that_dies_halts_it)
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        robo_emergency_write(); /* as the handler of a fault does */
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_string_equal(heard(), "HALTHALT");
}

static void expect_closed(robo_claim *gone)
{
    const struct robo_report report = { .size = sizeof report };
    struct robo_job job;
    assert_int_equal(robo_claim_state(gone), ROBO_ECLOSED);
    assert_int_equal(robo_claim_next(gone, &job), ROBO_ECLOSED);
    assert_int_equal(robo_claim_begin(gone, 1), ROBO_ECLOSED);
    assert_int_equal(robo_claim_done(gone, 1, ROBO_SUCCESS, ROBO_WHY_NONE), ROBO_ECLOSED);
    assert_int_equal(robo_claim_end(gone, 1), ROBO_ECLOSED);
    assert_int_equal(robo_claim_heard(gone, -1), ROBO_ECLOSED);
    assert_int_equal(robo_claim_halt(gone), ROBO_ECLOSED);
    assert_int_equal(robo_claim_fault(gone, ROBO_WHY_DEVICE), ROBO_ECLOSED);
    assert_int_equal(robo_claim_report(gone, &report), ROBO_ECLOSED);
    assert_int_equal(robo_claim_port(gone, line[1], "HALT", 4), ROBO_ECLOSED);
    assert_int_equal(robo_claim_write(gone, 0, "x", 1), ROBO_ECLOSED);
    assert_string_equal(robo_device_description(robo_claim_device(gone))->name, "thing");
}

TEST(a_reload_closes_the_device_and_opens_another)
{
    uint32_t id = move(1, 1);
    int64_t number = take_and_begin();
    int before = woken;
    assert_int_equal(robo_reload(robot, body(2), NULL), 0);
    assert_true(woken > before);
    assert_string_equal(heard(), "HALT");
    expect_answer(id, ROBO_INTERRUPTED, ROBO_WHY_CHANGED);
    expect_closed(claim);
    assert_string_equal(heard(), "");
    assert_int_equal(waiting, 2);
    robo_claim *fresh = robo_claim_open(world, "mine", wake, &woken, NULL);
    assert_non_null(fresh);
    assert_int_equal(robo_claim_dofs(fresh), 1);
    assert_int_equal(robo_claim_dofs(claim), 3);
    robo_claim_release(claim);
    claim = fresh;
    assert_int_equal(robo_claim_write(claim, number, "x", 1), ROBO_ENONE);
    id = move(1, 1);
    number = take_and_begin();
    assert_int_equal(robo_claim_write(claim, number, "x", 1), ROBO_EDEVICE); /* no port yet */
    assert_int_equal(robo_claim_done(claim, number, ROBO_SUCCESS, ROBO_WHY_NONE), 0);
    expect_answer(id, ROBO_SUCCESS, ROBO_WHY_NONE);
}

TEST(a_device_goes_on_from_where_it_was_when_its_robot_is_described_anew)
{
    const double position[] = { 0.1, 0.2, 0.3 }, speed[] = { 1, 1, 1 }, pose[] = { 7, 8, 9 };
    const struct robo_report report = { .size = sizeof report,
                                        .position = { position, 3 },
                                        .speed = { speed, 3 },
                                        .pose = { pose, 3 } };
    struct robo_state seen;
    assert_int_equal(robo_claim_report(claim, &report), 0);
    robo_read(robot, &seen, sizeof seen);
    assert_true(seen.position[1] == 0.2);
    assert_int_equal(robo_reload(robot, body(2), NULL), 0);
    robo_read(robot, &seen, sizeof seen);
    assert_true(seen.position[0] == 0.1 && seen.speed[0] == 0);
    assert_true(seen.pose[0] == 7 && seen.pose[1] == 8 && seen.attitude[2] == 9);
    assert_int_equal(seen.moving, 0);
}

TEST(a_claim_outlives_its_robot_and_its_world)
{
    move(1, 1);
    take_and_begin();
    robo_remove(robot);
    assert_string_equal(heard(), "HALT");
    expect_closed(claim);
    robo_disconnect(client);
    robo_release(robot);
    robo_close(world);
    expect_closed(claim);
    robo_claim_release(claim);
    /* for the end */
    const struct robo_options options = { .size = sizeof options, .virtual_clock = 1 };
    claim = NULL;
    client = NULL;
    robot = NULL;
    world = robo_open(&options);
    assert_non_null(world);
}
