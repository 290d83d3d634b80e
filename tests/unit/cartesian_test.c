/* Control frames through a driver that writes down what its joints are told: what happens when they do not do it. */
#include <math.h>
#include <string.h>

#include "../chain.h"
#include "one_robot.h"

enum { DOFS = 3, MOST = 1 << 16 };
static const robo_time SECOND = 1000000000;

/* ---- a driver of joints that do what they are told, at once ---- */

struct heard {
    robo_time at;
    uint16_t op;
    uint8_t joint, mask;
    double value, speed;
};
static struct heard heard[MOST];
static size_t heard_count;
static bool stuck;               /* the joints do not move */
static bool mad;                 /* a sensor tells what is no number */
static enum robo_signal refused; /* with it commands to joints are refused; 0: they are not */
static enum robo_reason why;     /* of that */
static bool lame;                /* they are slower than they are told, and tell no speed */

struct limb {
    robo_device *device;
    robo_time since;
    double position[DOFS], speed[DOFS], target[DOFS];
};

static int limb_open(void *state, robo_device *device, robo_time now)
{
    struct limb *l = state;
    *l = (struct limb){ .device = device, .since = now, .position = { 0.4, 0.5, 0.6 } };
    memcpy(l->target, l->position, sizeof l->target);
    return 0;
}

static void go_on(struct limb *l, robo_time now)
{
    for (int i = 0; i < DOFS && !stuck; i++) {
        double way = l->speed[i] * (double)(now - l->since) * (lame ? 0.3e-9 : 1e-9),
               left = l->target[i] - l->position[i];
        /* a set-point is reached and held, a speed goes on */
        l->position[i] += isnan(left) ? way : fmin(fmax(left, -fabs(way)), fabs(way));
    }
    l->since = now;
}

static void limb_start(void *state, const struct robo_cmd *cmd, robo_ticket ticket, robo_time now)
{
    struct limb *l = state;
    go_on(l, now);
    int i = cmd->body.servo.joint - 1;
    if (cmd->op != ROBO_STOP && refused) {
        robo_done(l->device, ticket, refused, why);
        return;
    }
    if (cmd->op == ROBO_STOP) {
        memset(l->speed, 0, sizeof l->speed);
    } else {
        double value = cmd->body.servo.value[0];
        assert_in_range(i, 0, DOFS - 1);
        assert_true(isfinite(value));
        assert_true(heard_count < MOST);
        heard[heard_count++] =
            (struct heard){ now,
                            cmd->op,
                            cmd->body.servo.joint,
                            cmd->body.servo.mask,
                            value,
                            cmd->op == ROBO_SET_JOINT ? cmd->body.servo.speed : 0 };
        l->target[i] = cmd->op == ROBO_SET_JOINT ? value : NAN;
        l->speed[i] = cmd->op == ROBO_SET_JOINT ? cmd->body.servo.speed : value;
        if (cmd->op == ROBO_SET_JOINT_FORCE)
            l->speed[i] = 0;
    }
    robo_done(l->device, ticket, ROBO_SUCCESS, ROBO_WHY_NONE);
}

static void limb_read(const void *state, robo_time now, struct robo_state *out)
{
    struct limb l = *(const struct limb *)state;
    go_on(&l, now);
    for (int i = 0; i < DOFS; i++) {
        out->position[i] = mad && i == 1 ? NAN : l.position[i];
        out->speed[i] =
            stuck || lame || (!isnan(l.target[i]) && l.target[i] == l.position[i]) ? 0 : l.speed[i];
    }
}

static void limb_halt(void *state, robo_time now)
{
    struct limb *l = state;
    go_on(l, now);
    memset(l->speed, 0, sizeof l->speed);
}

static void limb_close(void *state)
{
}

static const robo_driver limb_driver = { .size = sizeof(robo_driver),
                                         .name = "limb",
                                         .state_size = sizeof(struct limb),
                                         .open = limb_open,
                                         .start = limb_start,
                                         .read = limb_read,
                                         .halt = limb_halt,
                                         .close = limb_close };

/* ---- a flat arm of three joints, 0.9 m ---- */

static const struct robo_options OPTIONS = { .size = sizeof OPTIONS,
                                             .virtual_clock = 1,
                                             .seed = 1 };

static void open_arm(uint8_t servo)
{
    static struct robo_description d;
    make_flat_arm(&d, DOFS, servo, "limb");
    d.frame[1].servo |= ROBO_SERVO_FORCE;
    heard_count = 0;
    stuck = mad = lame = false;
    refused = 0;
    open_world_with(&OPTIONS, &limb_driver, &d);
}

/* Runs until the one command that is under way is answered; s that it took, 0: not within a minute. */
static double until_answered(struct robo_result *result)
{
    robo_time begin = robo_now(world);
    while (robo_now(world) < begin + 60 * SECOND) {
        if (robo__session_results(session, result, 1) == 1)
            return (double)(result->finished - result->scheduled) * 1e-9;
        run_for(0.01);
    }
    return 0;
}

static struct robo_cmd reach(double x, double y)
{
    return (struct robo_cmd){ .op = ROBO_SET_FRAME,
                              .start = ROBO_AT_ONCE,
                              .body.frame = { .frame = 1, .free = 1, .linear = { x, y, 0 } } };
}

static void tip(double out[3])
{
    struct robo_state state;
    struct robo_pose pose;
    robo_read(robot, &state, sizeof state);
    robo_frame_pose(robot->port.model, state.position, 1, &pose);
    memcpy(out, pose.position, sizeof pose.position);
}

static double last_told(uint8_t joint)
{
    for (size_t i = heard_count; i-- > 0;)
        if (heard[i].joint == joint)
            return heard[i].value;
    return NAN;
}

/* ---- tests ---- */

TEST(joints_get_no_more_than_they_can_do)
{
    open_arm(ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED);
    struct robo_result result;
    double place[3], before[DOFS] = { 0 };
    give(reach(0.2, 0.5));
    assert_true(until_answered(&result) > 0);
    assert_int_equal(result.signal, ROBO_SUCCESS);
    assert_true(result.position_error == 0);
    tip(place);
    assert_true(hypot(place[0] - 0.2, place[1] - 0.5) < 2e-4);
    for (size_t i = 0; i < heard_count; i++) {
        assert_int_equal(heard[i].op, ROBO_SET_JOINT_SPEED);
        double *v = &before[heard[i].joint - 1];
        assert_true(fabs(heard[i].value) <= 2 && fabs(heard[i].value - *v) <= 8 * 0.004 + 1e-9);
        *v = heard[i].value;
        assert_int_equal((heard[i].at - heard[0].at) % 4000000, 0); /* 250 times a second */
    }
    for (uint8_t joint = 1; joint <= DOFS; joint++)
        assert_true(last_told(joint) == 0);
    size_t count = heard_count;
    run_for(1);
    assert_int_equal(heard_count, count);
    close_world();
}

/* One command a dof, since a command has one speed; ahead of where it is. */
TEST(joints_without_speeds_get_set_points)
{
    open_arm(ROBO_SERVO_SETPOINT);
    struct robo_result result;
    double place[3];
    give(reach(0.2, 0.5));
    assert_true(until_answered(&result) > 0);
    assert_int_equal(result.signal, ROBO_SUCCESS);
    tip(place);
    assert_true(hypot(place[0] - 0.2, place[1] - 0.5) < 2e-4);
    for (size_t i = 0; i < heard_count; i++)
        assert_true(heard[i].op == ROBO_SET_JOINT && heard[i].speed > 0 && heard[i].speed <= 2);
    close_world();
}

/* Also where the dof is locked, and its sensor is a little off. */
TEST(set_points_stay_within_the_limits)
{
    open_arm(ROBO_SERVO_SETPOINT);
    struct robo_dof *dof = robot->revisions->body->description.dof;
    dof[0].high = 0.6;
    dof[1].low = dof[1].high = 0.49; /* the limb tells 0.5 */
    give((struct robo_cmd){
        .op = ROBO_SET_FRAME_SPEED,
        .start = ROBO_AT_ONCE,
        .body.frame = { .frame = 1, .linear = { 0, 0.1, 0 }, .angular = { 0, 0, 1 } } });
    run_for(1);
    assert_true(heard_count > 0);
    for (size_t i = 0; i < heard_count; i++) {
        const struct robo_dof *its = &dof[heard[i].joint - 1];
        assert_true(heard[i].value >= its->low && heard[i].value <= its->high);
    }
    close_world();
}

/* A stop is a set-point too: where each comes to rest when it brakes as hard as it may. */
TEST(set_points_of_a_stop_leave_room_to_brake)
{
    open_arm(ROBO_SERVO_SETPOINT);
    struct robo_cmd cmd = { .op = ROBO_SET_FRAME_SPEED,
                            .start = ROBO_AT_ONCE,
                            .body.frame = { .frame = 1, .linear = { 0, 0.5, 0 } } };
    struct robo_state before;
    give(cmd);
    run_for(0.2);
    robo_read(robot, &before, sizeof before);
    cmd.body.frame.linear[1] = 0;
    give(cmd);
    for (uint8_t i = 0; i < DOFS; i++) {
        double v = before.speed[i];
        assert_true(fabs(v) > 0.01);
        assert_float_equal(last_told(i + 1), before.position[i] + v * fabs(v) / (2 * 8), 1e-9);
    }
    close_world();
}

/* Joints that do not move at all: the answer comes half a second after the way's end, with all that is missing. */
TEST(a_stuck_limb_is_told_soon)
{
    open_arm(ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED);
    struct robo_result result;
    double place[3];
    tip(place);
    stuck = true;
    give(reach(0.2, 0.5));
    double took = until_answered(&result);
    assert_true(took > 0.5 && took < 3);
    assert_int_equal(result.signal, ROBO_MODIFIED);
    assert_int_equal(result.reason,
                     ROBO_WHY_NONE); /* the goal is in reach, no limit has clipped it */
    assert_float_equal(result.position_error, hypot(place[0] - 0.2, place[1] - 0.5), 1e-6);
    assert_true(result.rotation_error == 0);
    for (uint8_t joint = 1; joint <= DOFS; joint++)
        assert_true(last_told(joint) == 0);
    close_world();
}

/* A radian counts as 0.3 m: joint 3, which turns a tip 0.3 m away, is arrived up to 1e-5 / hypot(0.3, 0.3) rad from its
 * place, and beyond that it is waited for. */
TEST(what_is_near_enough_is_answered_at_once)
{
    for (int far = 0; far <= 1; far++) {
        open_arm(ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED);
        struct robo_result result;
        stuck = true;
        double off = far ? 3e-5 : 1.8e-5, yaw = 1.5 + off;
        give((struct robo_cmd){
            .op = ROBO_SET_FRAME,
            .start = ROBO_AT_ONCE,
            .body.frame = { .frame = 1,
                            .linear = { 0.3 * (cos(0.4) + cos(0.9) + cos(yaw)),
                                        0.3 * (sin(0.4) + sin(0.9) + sin(yaw)), 0 },
                            .angular = { 0, 0, yaw } } });
        double took = until_answered(&result);
        assert_true(far ? took > 0.6 : took > 0 && took < 0.4);
        assert_int_equal(result.signal, ROBO_SUCCESS);
        close_world();
    }
}

/* The driver takes no speeds, or another client drives what is behind it: at once, or as soon as that is so. */
TEST(a_refusal_by_the_driver_is_the_result)
{
    static const struct {
        enum robo_signal signal;
        enum robo_reason reason;
        bool ends;
    } rows[] = { { ROBO_NA, ROBO_WHY_SERVO, true },
                 { ROBO_BUSY, ROBO_WHY_LEASE, true },
                 { ROBO_ERROR, ROBO_WHY_FULL, false } }; /* the next tick gives it once more */
    for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        const bool later = i % 2;
        open_arm(ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED);
        struct robo_result result;
        why = rows[i / 2].reason;
        refused = later ? 0 : rows[i / 2].signal;
        give(reach(0.2, 0.5));
        run_for(later ? 0.2 : 0);
        refused = rows[i / 2].signal;
        run_for(0.1);
        assert_int_equal(robo__session_results(session, &result, 1), rows[i / 2].ends);
        if (rows[i / 2].ends) {
            assert_int_equal(result.signal, rows[i / 2].signal);
            assert_int_equal(result.reason, rows[i / 2].reason);
        }
        close_world();
    }
}

TEST(a_limb_that_was_stuck_catches_up)
{
    open_arm(ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED);
    struct robo_result result;
    double place[3];
    stuck = true;
    give(reach(0.2, 0.5));
    run_for(0.4);
    stuck = false;
    assert_true(until_answered(&result) > 0);
    assert_int_equal(result.signal, ROBO_SUCCESS);
    tip(place);
    assert_true(hypot(place[0] - 0.2, place[1] - 0.5) < 2e-4);
    close_world();
}

/* As long as they come closer they are waited for, also where no speed tells that they do. */
TEST(a_lame_limb_is_waited_for)
{
    open_arm(ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED);
    struct robo_result result;
    lame = true;
    give(reach(0.4, 0.4));
    assert_true(until_answered(&result) > 1.5);
    assert_int_equal(result.signal, ROBO_SUCCESS);
    close_world();
}

/* A sensor tells what is no number: nothing is computed from it, and the joints are stopped. */
TEST(no_numbers_end_a_motion)
{
    static const struct robo_cmd speed = { .op = ROBO_SET_FRAME_SPEED,
                                           .start = ROBO_AT_ONCE,
                                           .body.frame = { .frame = 1, .linear = { 0, 0.1, 0 } } };
    static const struct robo_cmd force = { .op = ROBO_SET_FRAME_FORCE,
                                           .start = ROBO_AT_ONCE,
                                           .body.frame = { .frame = 1, .linear = { 0, 1, 0 } } };
    open_arm(ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED | ROBO_SERVO_FORCE);
    for (int kind = 0; kind < 3; kind++) {
        struct robo_result result;
        give(kind == 0 ? reach(0.2, 0.5) : kind == 1 ? speed : force);
        run_for(0.2);
        mad = true;
        run_for(0.1);
        size_t count = heard_count;
        for (uint8_t joint = 1; joint <= DOFS; joint++)
            assert_true(last_told(joint) == 0);
        run_for(1);
        assert_int_equal(heard_count, count);
        assert_int_equal(robo__session_results(session, &result, 1), 1);
        assert_int_equal(result.signal, kind == 0 ? ROBO_ERROR : ROBO_SUCCESS);
        assert_int_equal(result.reason, kind == 0 ? ROBO_WHY_DEVICE : ROBO_WHY_NONE);
        /* nor does one begin */
        give(reach(0.2, 0.5));
        run_for(0.1);
        assert_int_equal(robo__session_results(session, &result, 1), 1);
        assert_int_equal(result.signal, ROBO_ERROR);
        mad = false;
    }
    close_world();
}

TEST(no_numbers_let_go_what_takes_forces_alone)
{
    open_arm(ROBO_SERVO_FORCE);
    give((struct robo_cmd){ .op = ROBO_SET_FRAME_FORCE,
                            .start = ROBO_AT_ONCE,
                            .body.frame = { .frame = 1, .linear = { 0, 1, 0 } } });
    run_for(0.2);
    assert_true(last_told(1) != 0);
    mad = true;
    run_for(0.1);
    for (uint8_t joint = 1; joint <= DOFS; joint++)
        assert_true(last_told(joint) == 0);
    close_world();
}

TEST(another_command_stops_what_it_does_not_take)
{
    open_arm(ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED);
    give(reach(0.2, 0.5));
    run_for(0.3);
    assert_true(last_told(1) != 0 && last_told(3) != 0);
    give((struct robo_cmd){ .op = ROBO_SET_JOINT_SPEED,
                            .start = ROBO_AT_ONCE,
                            .body.servo = { .joint = 2, .mask = 1, .value = { 0.1 } } });
    assert_true(last_told(1) == 0 && last_told(3) == 0 && last_told(2) == 0.1);
    run_for(1);
    assert_true(last_told(1) == 0 && last_told(3) == 0);
    close_world();
    /* what takes forces alone is let go */
    open_arm(ROBO_SERVO_FORCE);
    give((struct robo_cmd){ .op = ROBO_SET_FRAME_FORCE,
                            .start = ROBO_AT_ONCE,
                            .body.frame = { .frame = 1, .linear = { 0, 1, 0 } } });
    run_for(0.1);
    assert_true(last_told(1) != 0);
    give((struct robo_cmd){ .op = ROBO_SET_JOINT_FORCE,
                            .start = ROBO_AT_ONCE,
                            .body.servo = { .joint = 2, .mask = 1, .value = { 0.1 } } });
    assert_true(last_told(1) == 0 && last_told(3) == 0 && last_told(2) == 0.1);
    close_world();
}

/* The answer to a speed says whether the frame can have it. */
TEST(a_speed_out_of_reach_is_told_at_once)
{
    open_arm(ROBO_SERVO_SPEED);
    for (int i = 0; i < 2; i++) {
        /* the arm is flat: it can go aside, and cannot rise */
        struct robo_cmd cmd = { .op = ROBO_SET_FRAME_SPEED,
                                .start = ROBO_AT_ONCE,
                                .body.frame = { .frame = 1, .linear = { 0, 0.1, 0 } } };
        struct robo_result result;
        cmd.body.frame.linear[2] = i * 0.1;
        give(cmd);
        assert_int_equal(robo__session_results(session, &result, 1), 1);
        assert_int_equal(result.signal, i ? ROBO_MODIFIED : ROBO_SUCCESS);
        assert_int_equal(result.reason, i ? ROBO_WHY_LIMIT : ROBO_WHY_NONE);
    }
    close_world();
}

TEST(a_stop_ends_every_motion_of_a_frame)
{
    open_arm(ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED | ROBO_SERVO_FORCE);
    for (int kind = 0; kind < 3; kind++) {
        struct robo_cmd cmd = { .op = kind == 1 ? ROBO_SET_FRAME_SPEED : ROBO_SET_FRAME_FORCE,
                                .start = ROBO_AT_ONCE,
                                .body.frame = { .frame = 1, .linear = { 0, 0.1, 0 } } };
        struct robo_result results[2];
        give(kind == 0 ? reach(0.2, 0.5) : cmd);
        run_for(0.1);
        give((struct robo_cmd){ .op = ROBO_STOP, .start = ROBO_AT_ONCE });
        size_t count = heard_count;
        run_for(1);
        assert_int_equal(heard_count, count); /* nothing ticks any more */
        assert_int_equal(robo__session_results(session, results, 2), 2);
        if (kind == 0)
            assert_int_equal(results[0].signal, ROBO_INTERRUPTED);
    }
    close_world();
}

/* A joint at its greatest speed is not accelerated any more by a force that moves it alone. */
TEST(a_force_does_not_push_beyond_the_greatest_speed)
{
    open_arm(ROBO_SERVO_SPEED | ROBO_SERVO_FORCE);
    give((struct robo_cmd){ .op = ROBO_SET_JOINT_SPEED,
                            .start = ROBO_AT_ONCE,
                            .body.servo = { .joint = 3, .mask = 1, .value = { 2 } } });
    size_t count = heard_count;
    const double way = 0.4 + 0.5 + 0.6 + M_PI / 2; /* of the tip: across the last link */
    give((struct robo_cmd){ .op = ROBO_SET_FRAME_FORCE,
                            .start = ROBO_AT_ONCE,
                            .body.frame = { .frame = 1, .linear = { cos(way), sin(way), 0 } } });
    assert_int_equal(heard_count, count + DOFS);
    assert_true(last_told(1) > 0.3 && last_told(2) > 0.3);
    assert_float_equal(last_told(3), 0, 1e-9);
    close_world();
}

/* However often: each of them needs nothing afterwards. */
TEST(a_frame_that_shall_stand_is_told_so_once)
{
    open_arm(ROBO_SERVO_SPEED | ROBO_SERVO_FORCE);
    for (int i = 0; i < 2 * ROBO__CARTESIANS; i++) {
        struct robo_cmd cmd = { .op = i & 1 ? ROBO_SET_FRAME_SPEED : ROBO_SET_FRAME_FORCE,
                                .start = ROBO_AT_ONCE,
                                .body.frame = { .frame = 1 } };
        double *some = i < 4   ? &cmd.body.frame.linear[i / 2]
                       : i < 6 ? &cmd.body.frame.angular[2]
                               : &cmd.body.frame.linear[1];
        *some = 0.1;
        give(cmd);
        run_for(0.1);
        assert_true(last_told(1) != 0);
        *some = 0;
        give(cmd);
        size_t count = heard_count;
        for (uint8_t joint = 1; joint <= DOFS; joint++)
            assert_true(last_told(joint) == 0);
        run_for(0.1);
        assert_int_equal(heard_count, count);
        struct robo_result results[2];
        assert_int_equal(robo__session_results(session, results, 2), 2);
        assert_int_equal(results[1].signal, ROBO_SUCCESS);
    }
    close_world();
}

/* The least that goes about: a root with one dof, and no joint besides. */
TEST(a_carriage_on_a_rail_drives)
{
    static struct robo_description d;
    struct robo_link link = { .name = "carriage" };
    struct robo_frame frame = { .name = "root", .servo = ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED };
    struct robo_joint joint = {
        .name = "rail", .parent = ROBO_WORLD, .dofs = 1, .servo = ROBO_SERVO_SPEED
    };
    struct robo_dof dof = { .name = "x",
                            .kind = ROBO_PRISMATIC,
                            .axis = { 1, 0, 0 },
                            .low = -1,
                            .high = 1,
                            .speed = 1,
                            .acceleration = 2 };
    d = (struct robo_description){ .name = "carriage",
                                   .links = 1,
                                   .joints = 1,
                                   .dofs = 1,
                                   .frames = 1,
                                   .devices = 1,
                                   .commands = UINT64_MAX,
                                   .device[0].driver = "sim",
                                   .link = &link,
                                   .frame = &frame,
                                   .joint = &joint,
                                   .dof = &dof };
    open_world_with(&OPTIONS, NULL, &d);
    struct robo_result result;
    struct robo_state there;
    give((struct robo_cmd){ .op = ROBO_GO_TO, .start = ROBO_AT_ONCE, .body.go_to = { .x = 0.3 } });
    assert_true(until_answered(&result) > 0);
    assert_int_equal(result.signal, ROBO_SUCCESS);
    robo_read(robot, &there, sizeof there);
    assert_float_equal(there.pose[0], 0.3, 2e-4);
    give((struct robo_cmd){
        .op = ROBO_SET_SPEED, .start = ROBO_AT_ONCE, .body.set_speed = { .x = 0.1 } });
    run_for(1);
    robo_read(robot, &there, sizeof there);
    assert_float_equal(there.pose[0], 0.4, 0.01);
    close_world();

    /* where wheels carry the rail, it is they that drive */
    d.device[0].base = 1;
    open_world_with(&OPTIONS, NULL, &d);
    give((struct robo_cmd){ .op = ROBO_GO_TO, .start = ROBO_AT_ONCE, .body.go_to = { .x = 0.3 } });
    assert_true(until_answered(&result) > 0);
    assert_int_equal(result.signal, ROBO_SUCCESS);
    robo_read(robot, &there, sizeof there);
    assert_true(there.position[0] == 0);
    close_world();
}
