/* Commands on their way to the drivers: wrong ones, tickets, and descriptions at their bounds. Expected signals are those of
 * RoboTalk III.C as spec/robotalk.md section 4 lays them down. All else is in tests/scenes/motions.txt. */
#include "fixture_sessions.h"

#include <math.h>
#include <pthread.h>

#include "robot/event.h"

/* ---- what cannot be ---- */

FIXTURE(open_two, close_two);

TEST(ops_that_are_none)
{
    expect_answer(a, ((struct robo_cmd){ .op = 0, .start = ROBO_AT_ONCE }), ROBO_NA,
                  ROBO_WHY_UNSUPPORTED);
    expect_answer(a, ((struct robo_cmd){ .op = ROBO_LAST_OP + 1, .start = ROBO_AT_ONCE }), ROBO_NA,
                  ROBO_WHY_UNSUPPORTED);
    expect_answer(a, ((struct robo_cmd){ .op = UINT16_MAX, .start = ROBO_AT_ONCE }), ROBO_NA,
                  ROBO_WHY_UNSUPPORTED);
    assert_int_equal(heard(0), 0);
}

TEST(wrong_values)
{
    expect_answer(a, set_joint(0, 3, 1, 0), ROBO_ERROR, ROBO_WHY_JOINT);
    expect_answer(a, set_joint(0, 255, 1, 0), ROBO_ERROR, ROBO_WHY_JOINT);
    expect_answer(a, set_joint(0, 0, 1, 0), ROBO_ERROR, ROBO_WHY_JOINT); /* the root has no dofs */
    expect_answer(a, set_joint(0, 1, 8, 0), ROBO_ERROR, ROBO_WHY_JOINT); /* dof 3 of 3 */
    expect_answer(a, set_joint(0, 1, 0, 0), ROBO_ERROR, ROBO_WHY_JOINT);
    const double bad[] = { (double)NAN, (double)INFINITY, -(double)INFINITY };
    for (size_t i = 0; i < 3; i++) {
        expect_answer(a, go_to(0, bad[i]), ROBO_ERROR, ROBO_WHY_RANGE);
        expect_answer(a, set_speed(0, bad[i]), ROBO_ERROR, ROBO_WHY_RANGE);
        expect_answer(a, set_joint(0, 1, 1, bad[i]), ROBO_ERROR, ROBO_WHY_RANGE);
        expect_answer(a, joint_speed(1, 1, bad[i]), ROBO_ERROR, ROBO_WHY_RANGE);
    }
    struct robo_cmd slow = set_joint(0, 1, 1, 1);
    slow.body.servo.speed = -1;
    expect_answer(a, slow, ROBO_ERROR, ROBO_WHY_RANGE);
    assert_int_equal(heard(0), 0);
}

/* ---- stop ---- */

/* A stop of everything also ends what reports late and holds no axis: it must never lack a ticket. */
TEST(stop_when_tickets_are_exhausted)
{
    acting.mute = true;
    uint32_t first = last_id + 1;
    for (int i = 0; i < ROBO__TICKETS; i++)
        send_cmd(a, set_speed(0, 1));
    assert_int_equal(take_answers(a), 0);
    /* one more finds none; the earlier ones are kept */
    expect_answer(a, set_speed(0, 2), ROBO_ERROR, ROBO_WHY_FULL);
    expect_answer(b, set_speed(0, 2), ROBO_ERROR, ROBO_WHY_FULL);
    assert_int_equal(a->mover.running, ROBO__TICKETS);
    acting.mute = false;
    uint32_t halt = send_cmd(b, stop(0));
    take_answers(b);
    expect_signal(halt, ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(take_answers(a), ROBO__TICKETS);
    for (uint32_t i = 0; i < ROBO__TICKETS; i++)
        expect_signal(first + i, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    assert_int_equal(a->mover.running, 0);
    expect_answer(a, set_speed(0, 3), ROBO_SUCCESS, ROBO_WHY_NONE);
}

/* ---- tickets ---- */

TEST(stale_tickets)
{
    uint32_t drive = send_cmd(a, go_to(0, 5));
    robo_ticket old = heard_id(drive)->ticket;
    robo_device *base = robot->devices.at[0], *arm = robot->devices.at[1];
    assert_int_not_equal(old, 0);
    /* tickets that never were, and the right one from the wrong device */
    robo_post_done(base, 0, ROBO_SUCCESS, ROBO_WHY_NONE);
    robo_post_done(base, old + ROBO__MOST_TICKETS, ROBO_SUCCESS, ROBO_WHY_NONE);
    robo_post_done(base, old + 1, ROBO_SUCCESS, ROBO_WHY_NONE);
    robo_post_done(base, UINT32_MAX, ROBO_SUCCESS, ROBO_WHY_NONE);
    robo_post_done(arm, old, ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(take_answers(a), 0);
    robo_post_done(base, old, ROBO_MODIFIED, ROBO_WHY_LIMIT);
    take_answers(a);
    expect_signal(drive, ROBO_MODIFIED, ROBO_WHY_LIMIT);
    robo_post_done(base, old, ROBO_SUCCESS, ROBO_WHY_NONE); /* twice */
    assert_int_equal(take_answers(a), 0);
    /* the same place, another generation: the old number does not end the new motion */
    uint32_t again = send_cmd(a, go_to(0, 6));
    assert_int_not_equal(heard_id(again)->ticket, old);
    robo_post_done(base, old, ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(take_answers(a), 0);
}

TEST(ticket_of_a_closed_session)
{
    struct robo__session *c = open_session(NULL, NULL);
    uint32_t drive = send_cmd(c, go_to(0, 5));
    robo_ticket ticket = heard_id(drive)->ticket;
    robo__session_close(c);
    assert_int_equal(heard(ROBO_STOP), 1); /* what it moved is stopped */
    robo_post_done(robot->devices.at[0], ticket, ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_answer(a, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
}

/* A package was read before the timekeeper ran, and has its turn after it. */
TEST(time_never_runs_backwards_for_a_device)
{
    const robo_time before = robo_now(world);
    struct robo_cmd cmds[] = { set_speed(0, 1), stop(0) };
    acting.goal = S(0.3);
    send_cmd(a, go_to(0, 1));
    run_for(0.4);
    send_cmd(b, set_joint(0, 1, 1, 1));
    for (uint32_t i = 0; i < 2; i++) {
        cmds[i].id = ++last_id;
        assert_int_equal(
            robo__session_commands(a, &cmds[i], 1, (struct robo__known){ 0 }, before, before), 1);
    }
    robo_time last = 0;
    for (size_t i = 0; i < heard_count; i++) {
        assert_true(heard_log[i].at >= last);
        last = heard_log[i].at;
    }
    assert_int_equal(heard(ROBO_STOP), 2); /* of both devices */
}

/* ---- descriptions at their bounds ---- */

/* A root that stands, behind the last of 64 dofs: its first one would be the 65th. For the sanitizer of undefined
 * behaviour. */
TEST(a_joint_without_dofs_behind_all_dofs)
{
    struct robo_description d = make_description("full", false), part = d;
    const uint8_t dofs[] = { 0, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 4, 0 };
    d.link = NULL;
    begin_description(&d, 64, part);
    d.links = d.joints = sizeof dofs;
    d.dofs = 0;
    for (uint8_t i = 0; i < sizeof dofs; i++) {
        d.joint[i] = (struct robo_joint){ .name = "joint",
                                          .parent = dofs[i] ? 0 : ROBO_WORLD,
                                          .child = i,
                                          .device = 1,
                                          .servo = ROBO_SERVO_SPEED,
                                          .first = d.dofs,
                                          .dofs = dofs[i] };
        strcpy(d.link[i].name, "link");
        for (uint8_t k = 0; k < dofs[i]; k++)
            d.dof[d.dofs++] = (struct robo_dof){ .name = "q", .axis = { 0, 0, 1 }, .low = 1 };
    }
    assert_int_equal(d.dofs, 64);
    d.frames = 1;
    d.frame[0] = (struct robo_frame){ .name = "hand", .link = 1, .servo = ROBO_SERVO_SPEED };
    assert_int_equal(robo_add(world, &d, &robot), 0);
    struct robo__session *s = open_session(NULL, NULL);
    send_cmd(s, (struct robo_cmd){ .op = ROBO_SET_FRAME_SPEED,
                                   .start = ROBO_AT_ONCE,
                                   .body.frame = { .angular = { 0, 0, 0.1 } } });
    assert_int_equal(s->mover.lasting, 6);
    robo__robot_lock(robot);
    robo__axes_step(&robot->axes,
                    &(struct robo__step_event){ .kind = ROBO__ON_PAUSE, .mover = &s->mover },
                    robo_now(world));
    robo__robot_unlock(robot);
    assert_int_equal(s->mover.lasting, 0);
    robo__session_close(s);
    robo_release(robot);
}

/* ---- a robot that is a description alone ---- */

TEST(stop_of_a_robot_without_devices)
{
    struct robo_description d = { .name = "bare", .commands = UINT64_MAX };
    assert_int_equal(robo_add(world, &d, &robot), 0);
    struct robo__session *s = open_session(NULL, NULL);
    expect_answer(s, stop(0), ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(s->mover.running, 0);
    robo__session_close(s);
    robo_release(robot);
}

/* ---- reports from another thread: a real clock, no sleeping ---- */

struct reporter {
    robo_device *device;
    robo_ticket ticket;
};

static void *report(void *arg)
{
    struct reporter *r = arg;
    robo_post_done(r->device, r->ticket, ROBO_SUCCESS, ROBO_WHY_NONE);
    return NULL;
}

TEST(report_from_another_thread, NULL)
{
    open_fixture_of(NULL, false);
    /* in real time: no deadman on a machine that is busy */
    const struct robo__session_request request = { .deadman = S(5) };
    struct robo__session *s = open_session(NULL, &request);
    for (int i = 0; i < 100; i++) {
        uint32_t id = send_cmd(s, go_to(0, i));
        struct reporter r = { robot->devices.at[0], heard_id(id)->ticket };
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, report, &r), 0);
        pthread_join(thread, NULL);
        take_answers(s);
        expect_signal(id, ROBO_SUCCESS, ROBO_WHY_NONE);
    }
    robo__session_close(s);
    robo_close(world);
}
