/* Walking: feet that stand do not slip, the body gets where it should, and what is said of an instant does not depend on
 * who looked when. */
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../test.h"
#include "../biped.h"
#include "driver_options.h"
#include "base/random.h"
#include "robot/robot.h"
#include "robot/sessions/session.h"
#include "drivers.h"
#include "robot/world/inside.h"
#include "robotalk/description.h"

#define S(seconds) ((robo_time)((seconds)*1e9))

static struct robo_description body;
static robo_world *world;
static robo_robot *robot;
static struct robo__session *session;

static int open_world(void **state)
{
    const struct robo_options options = { .size = sizeof options, .virtual_clock = 1, .seed = 1 };
    const struct robo__session_request request = { .name = "direct", .deadman = S(1000) };
    char why[128];
    world = robo_open(&options);
    make_biped(&body);
    assert_non_null(world);
    assert_int_equal(robo_add_drivers(world), 0);
    assert_int_equal(robo_add(world, &body, &robot), 0);
    assert_int_equal(
        robo__session_open(robot, NULL, &request, NULL, NULL, robo_now(world), &session, why), 0);
    return 0;
}

static int close_world(void **state)
{
    robo__session_close(session);
    robo_release(robot);
    robo_close(world);
    return 0;
}

static void give(struct robo_cmd cmd)
{
    static uint32_t id;
    cmd.id = ++id;
    assert_int_equal(robo__session_commands(session, &cmd, 1, (struct robo__known){ 0 },
                                            ROBO_NO_TIME, robo_now(world)),
                     1);
}

static uint8_t word(struct robo_result *result)
{
    assert_int_equal(robo__session_results(session, result, 1), 1);
    return result->signal;
}

static void run(double seconds)
{
    robo_advance(world, robo_now(world) + S(seconds));
}

/* Where the foot is in the world. */
static void foot_of(const struct robo_state *s, unsigned leg, struct robo_pose *out)
{
    struct robo_pose pose;
    assert_int_equal(robo_frame_pose(robot->port.model, s->position, 1 + leg, &pose), 0);
    double c = cos(s->attitude[2]), n = sin(s->attitude[2]);
    out->position[0] = s->pose[0] + c * pose.position[0] - n * pose.position[1];
    out->position[1] = s->pose[1] + n * pose.position[0] + c * pose.position[1];
    out->position[2] = s->pose[2] + pose.position[2];
    memcpy(out->rotation, pose.rotation, sizeof out->rotation);
}

static struct robo_cmd go_to(double x, double y, double theta)
{
    struct robo_cmd cmd = { .op = ROBO_GO_TO, .start = ROBO_AT_ONCE };
    cmd.body.go_to = (struct robo_go_to){ .x = x, .y = y, .theta = theta };
    return cmd;
}

/* Follows a walk at the instants of its grid until it stands: 10 ms apart from the command on. */
static void follow_walk(double most)
{
    struct robo_pose before[2], now[2];
    struct robo_state s, last;
    robo_read(robot, &s, sizeof s);
    foot_of(&s, 0, &before[0]);
    foot_of(&s, 1, &before[1]);
    bool stood = false;
    for (double t = 0; t < most && !stood; t += 0.01) {
        last = s;
        run(0.01);
        robo_read(robot, &s, sizeof s);
        stood = !s.moving;
        unsigned standing = 0;
        for (unsigned leg = 0; leg < 2; leg++) {
            foot_of(&s, leg, &now[leg]);
            double z = now[leg].position[2];
            assert_true(z > -1e-6); /* never below the floor */
            /* the sole stays level */
            assert_true(now[leg].rotation[8] > 1 - 1e-9);
            if (z < 1e-6 && before[leg].position[2] < 1e-6) {
                standing++;
                /* a foot that stands does not slip */
                double slip = hypot(now[leg].position[0] - before[leg].position[0],
                                    now[leg].position[1] - before[leg].position[1]);
                if (slip > 2e-6)
                    fail_msg("foot %u slips by %g m at %.2f s", leg, slip, t);
            }
            before[leg] = now[leg];
        }
        assert_true(standing >= 1);
        for (unsigned k = 0; k < s.dofs; k++) {
            assert_true(fabs(s.speed[k]) < 12);
            assert_true(fabs(s.position[k] - last.position[k]) < 0.12);
            assert_true(s.position[k] >= -2.2 && s.position[k] <= 2.2);
        }
    }
    assert_true(stood);
}

FIXTURE(open_world, close_world);

TEST(goes_there)
{
    struct robo_result result;
    struct robo_state s;
    give(go_to(1, 0.5, 1.2));
    follow_walk(30);
    assert_int_equal(word(&result), ROBO_SUCCESS);
    robo_read(robot, &s, sizeof s);
    assert_true(fabs(s.pose[0] - 1) < 1e-6 && fabs(s.pose[1] - 0.5) < 1e-6);
    assert_true(fabs(s.attitude[2] - 1.2) < 1e-6);
    assert_true(fabs(s.pose[2] - body.link[0].position[2]) < 1e-9);
    /* with its feet below its hips again */
    for (unsigned k = 0; k < s.dofs; k++)
        assert_true(fabs(s.position[k] - body.dof[k].home) < 1e-4);
}

TEST(speed_and_stop)
{
    struct robo_result result;
    struct robo_state s;
    struct robo_cmd cmd = { .op = ROBO_SET_SPEED, .start = ROBO_AT_ONCE };
    cmd.body.set_speed = (struct robo_set_speed){ 0.2, 0.02, 0.1 };
    give(cmd);
    assert_int_equal(word(&result), ROBO_SUCCESS);
    run(3);
    robo_read(robot, &s, sizeof s);
    assert_true(fabs(s.spin[2] - 0.1) < 1e-9 && s.moving);
    cmd.body.set_speed.x = 50;
    give(cmd);
    assert_int_equal(word(&result), ROBO_MODIFIED);
    assert_int_equal(result.reason, ROBO_WHY_LIMIT);
    /* its legs are spoken for */
    struct robo_cmd joint = { .op = ROBO_SET_JOINT, .start = ROBO_AT_ONCE };
    joint.body.servo = (struct robo_servo_command){ .joint = 2, .mask = 1, .value = { 0.5 } };
    give(joint);
    assert_int_equal(word(&result), ROBO_BUSY);
    give((struct robo_cmd){ .op = ROBO_STOP, .start = ROBO_AT_ONCE });
    run(6);
    assert_int_equal(word(&result), ROBO_SUCCESS);
    robo_read(robot, &s, sizeof s);
    assert_false(s.moving);
    give(joint);
    run(2);
    assert_int_equal(word(&result), ROBO_SUCCESS);
    robo_read(robot, &s, sizeof s);
    assert_true(fabs(s.position[3] - 0.5) < 1e-9);
}

/* The body goes sideways as fast as it was told, and the trunk sways on top of that: its twist tells both. */
TEST(the_twist_is_the_trunks)
{
    struct robo_result result;
    struct robo_state s, later;
    struct robo_cmd cmd = { .op = ROBO_SET_SPEED, .start = ROBO_AT_ONCE };
    cmd.body.set_speed.y = 0.1;
    give(cmd);
    assert_int_equal(word(&result), ROBO_SUCCESS);
    run(2);
    double most = 0, begin, sum = 0;
    robo_read(robot, &s, sizeof s);
    begin = s.pose[1];
    for (int i = 0; i < 80; i++) { /* one period */
        robo_read(robot, &s, sizeof s);
        run(0.001);
        robo_read(robot, &later, sizeof later);
        assert_true(fabs((later.pose[1] - s.pose[1]) / 0.001 - s.twist[1]) < 1e-6);
        run(0.009);
        most = fmax(most, fabs(s.twist[1]));
        sum += s.twist[1] / 80;
    }
    robo_read(robot, &s, sizeof s);
    assert_true(fabs(s.pose[1] - begin - 0.08) < 1e-6 && fabs(sum - 0.1) < 1e-6);
    assert_true(fabs(most - 0.1 - 2 * M_PI * 0.03 / 0.8) < 0.01);
}

TEST(step)
{
    struct robo_result result;
    struct robo_state s;
    struct robo_pose foot, other;
    struct robo_cmd cmd = { .op = ROBO_STEP, .start = ROBO_AT_ONCE };
    cmd.body.step = (struct robo_step){ .leg = 1, .x = 0.1, .y = 0.1, .theta = 0.2 };
    give(cmd);
    run(2);
    assert_int_equal(word(&result), ROBO_SUCCESS);
    robo_read(robot, &s, sizeof s);
    foot_of(&s, 0, &foot);
    foot_of(&s, 1, &other);
    assert_true(fabs(foot.position[0] - 0.1) < 1e-6 && fabs(foot.position[1] - 0.1) < 1e-6);
    assert_true(fabs(foot.position[2]) < 1e-6);
    assert_true(fabs(atan2(foot.rotation[3], foot.rotation[0]) - 0.2) < 1e-6);
    assert_true(fabs(other.position[0]) < 1e-6);
    assert_true(fabs(s.pose[0]) < 1e-12);
    cmd.body.step = (struct robo_step){ .leg = 2, .x = 3, .y = -0.06 };
    give(cmd);
    run(2);
    assert_int_equal(word(&result), ROBO_MODIFIED);
    robo_read(robot, &s, sizeof s);
    foot_of(&s, 1, &other);
    assert_true(other.position[0] > 0.1 && other.position[0] < 0.5);
    /* however far away */
    double near = other.position[0];
    for (cmd.body.step.x = 300; cmd.body.step.x < 1e9; cmd.body.step.x *= 1000) {
        give(cmd);
        run(2);
        assert_int_equal(word(&result), ROBO_MODIFIED);
        robo_read(robot, &s, sizeof s);
        foot_of(&s, 1, &other);
        assert_true(fabs(other.position[0] - near) < 0.001 * near);
    }
    cmd.body.step.leg = 3;
    give(cmd);
    assert_int_equal(word(&result), ROBO_NA);
    /* a step of a leg that is bent the wrong way takes longer: it bends back on the way */
    struct robo_cmd joint = { .op = ROBO_SET_JOINT, .start = ROBO_AT_ONCE };
    joint.body.servo = (struct robo_servo_command){ .joint = 5, .mask = 1, .value = { -2 } };
    give(joint);
    run(2);
    assert_int_equal(word(&result), ROBO_SUCCESS);
    cmd.body.step = (struct robo_step){ .leg = 2, .x = 0.05, .y = -0.06 };
    give(cmd);
    run(2);
    assert_int_equal(word(&result), ROBO_SUCCESS);
    robo_read(robot, &s, sizeof s);
    foot_of(&s, 1, &other);
    assert_true(fabs(other.position[0] - 0.05) < 1e-6 && s.position[9] > 0);
    /* from there it walks on */
    give(go_to(0.5, 0, 0));
    run(20);
    assert_int_equal(word(&result), ROBO_SUCCESS);
}

static void check_held(double seconds)
{
    struct robo_state s, later;
    robo_read(robot, &s, sizeof s);
    run(seconds);
    robo_read(robot, &later, sizeof later);
    for (unsigned k = 0; k < s.dofs; k++)
        assert_true(fabs(later.position[k] - s.position[k]) < 1e-9);
    assert_true(hypot(later.pose[0] - s.pose[0], later.pose[1] - s.pose[1]) < 1e-9);
}

TEST(an_override_of_0_holds_a_walk_and_a_step)
{
    struct robo_result result;
    struct robo_cmd step = { .op = ROBO_STEP, .start = ROBO_AT_ONCE };
    step.body.step = (struct robo_step){ .leg = 1, .x = 0.1, .y = 0.1 };
    give(step);
    run(0.2); /* the foot is in the air */
    assert_int_equal(robo__override_set(robot, 0), 0);
    check_held(5);
    assert_int_equal(robo__session_results(session, &result, 1), 0);
    assert_int_equal(robo__override_set(robot, 1), 0);
    run(2);
    assert_int_equal(word(&result), ROBO_SUCCESS);
    give(go_to(2, 0, 0));
    run(2);
    assert_int_equal(robo__override_set(robot, 0), 0);
    run(4); /* it brakes, and puts its feet down */
    check_held(5);
    assert_int_equal(robo__session_results(session, &result, 1), 0);
    assert_int_equal(robo__override_set(robot, 1), 0);
    follow_walk(30);
    assert_int_equal(word(&result), ROBO_SUCCESS);
}

/* A knee that is straight or bent the wrong way when a walk begins: the leg is bent as at home after it, and no dof moves
 * faster than it can on the way. */
TEST(knees_come_back)
{
    static const double knee[] = { 0.12, 0, -0.1, -0.7, -2 };
    for (size_t i = 0; i < sizeof knee / sizeof knee[0]; i++) {
        struct robo_result result;
        struct robo_state s, last;
        struct robo_cmd joint = { .op = ROBO_SET_JOINT, .start = ROBO_AT_ONCE };
        joint.body.servo =
            (struct robo_servo_command){ .joint = 2, .mask = 1, .value = { knee[i] } };
        give(joint);
        run(2);
        assert_int_equal(word(&result), ROBO_SUCCESS);
        struct robo_cmd walk = { .op = ROBO_SET_SPEED, .start = ROBO_AT_ONCE };
        walk.body.set_speed.x = 0.1;
        give(walk);
        assert_int_equal(word(&result), ROBO_SUCCESS);
        robo_read(robot, &s, sizeof s);
        for (int k = 0; k < 600; k++) {
            last = s;
            run(0.01);
            robo_read(robot, &s, sizeof s);
            for (unsigned n = 0; n < s.dofs; n++)
                if (fabs(s.position[n] - last.position[n]) > 0.12 + 1e-9)
                    fail_msg("from a knee at %g: dof %u goes from %g to %g in 10 ms", knee[i], n,
                             last.position[n], s.position[n]);
            if (k == 300) {
                walk.body.set_speed.x = 0;
                give(walk);
                assert_int_equal(word(&result), ROBO_SUCCESS);
            }
        }
        assert_false(s.moving);
        for (unsigned n = 0; n < s.dofs; n++)
            if (fabs(s.position[n] - body.dof[n].home) > 1e-4)
                fail_msg("from a knee at %g: dof %u stands at %g, not %g", knee[i], n,
                         s.position[n], body.dof[n].home);
    }
}

/* A standing body that is asked for no speed has nothing to do: what its legs are at goes on. */
TEST(no_speed_of_a_standing_body)
{
    struct robo_result result;
    struct robo_state s;
    struct robo_cmd joint = { .op = ROBO_SET_JOINT, .start = ROBO_AT_ONCE };
    joint.body.servo =
        (struct robo_servo_command){ .joint = 2, .mask = 1, .value = { 0.3 }, .speed = 0.2 };
    give(joint);
    run(0.5);
    give((struct robo_cmd){ .op = ROBO_SET_SPEED, .start = ROBO_AT_ONCE });
    assert_int_equal(word(&result), ROBO_SUCCESS);
    assert_int_equal(result.op, ROBO_SET_SPEED);
    run(5);
    assert_int_equal(word(&result), ROBO_SUCCESS);
    assert_int_equal(result.op, ROBO_SET_JOINT);
    robo_read(robot, &s, sizeof s);
    assert_true(fabs(s.position[3] - 0.3) < 1e-9);
}

TEST(panic)
{
    struct robo_result result;
    struct robo_state s, later;
    give(go_to(2, 0, 0));
    run(2.345);
    robo_panic(robot);
    assert_int_equal(word(&result), ROBO_PANIC);
    robo_read(robot, &s, sizeof s);
    assert_false(s.moving);
    run(3);
    robo_read(robot, &later, sizeof later);
    assert_memory_equal(s.pose, later.pose, sizeof s.pose);
    assert_memory_equal(s.position, later.position, s.dofs * sizeof *s.position);
    robo_reset(robot);
    struct robo_cmd cmd = go_to(0, 0, 0);
    cmd.id = 77;
    assert_int_equal(robo__session_commands(session, &cmd, 1, (struct robo__known){ .epoch = 1 },
                                            ROBO_NO_TIME, robo_now(world)),
                     1);
    run(30);
    assert_int_equal(word(&result), ROBO_SUCCESS);
    robo_read(robot, &s, sizeof s);
    assert_true(fabs(s.pose[0]) < 1e-6);
}

/* The same walk, looked at now and then at random. */
static void walk_and_look(uint64_t seed, struct robo_state out[8])
{
    struct robo__random random;
    struct robo_state s;
    robo__random_seed(&random, seed);
    open_world(NULL);
    robo_time begin = robo_now(world);
    give(go_to(0.7, 0.2, -0.5));
    for (int i = 0; i < 8; i++) {
        robo_time until = begin + S(1.2345) * (i + 1);
        while (seed > 0) {
            robo_time next = robo_now(world) + (robo_time)(robo__random_uniform(&random) * 7e7);
            if (next >= until)
                break;
            robo_advance(world, next);
            robo_read(robot, &s, sizeof s);
        }
        robo_advance(world, until);
        robo_read(robot, &out[i], sizeof(out[i]));
    }
    close_world(NULL);
}

TEST(looking_changes_nothing, NULL)
{
    static struct robo_state plain[8], looked[8]; /* numbers beyond the dofs stay zero */
    walk_and_look(0, plain);
    for (uint64_t seed = 1; seed < 5; seed++) {
        walk_and_look(seed, looked);
        assert_memory_equal(plain, looked, sizeof plain);
    }
}

/* A machine that was away has not moved the legs: whoever looks first does not see them run through their stops. */
TEST(a_look_before_the_gait_goes_on)
{
    struct robo_state before, after;
    give(go_to(2, 0, 0));
    run(1.003);
    robo_read(robot, &before, sizeof before);
    world->now += S(3);
    robo_read(robot, &after, sizeof after);
    assert_int_equal(after.time, before.time + S(3));
    for (unsigned i = 0; i < after.dofs; i++)
        assert_true(fabs(after.position[i] - before.position[i]) < 12 * 0.01);
    run(0);
    robo_read(robot, &after, sizeof after);
    assert_true(after.pose[0] > before.pose[0] + 0.3);
}

TEST(wrong_options)
{
    static const struct {
        struct robo_option option[2];
        unsigned options;
        const char *why;
    } wrong[] = {
        { .why =
              "feet: expected control frames of two to eight feet, with blanks between, got nothing" },
        { { TEXT("feet", "sole0") }, 1, "feet: expected two at least, got \"sole0\"" },
        { { TEXT("feet", "sole0 nobody") },
          1,
          "feet: expected names of control frames, got nobody" },
        { { TEXT("feet", "sole0 sole1"), INTEGER("period", 0) },
          2,
          "period: expected a number, 0.1 to 10, got 0" },
        { { TEXT("feet", "sole0 sole1"), TEXT("lift", "x") },
          2,
          "lift: expected a number, 0 to 1, got \"x\"" },
        { { TEXT("feet", "sole0 sole1"), TEXT("gait", "pace") },
          2,
          "gait: expected the name of a gait, got \"pace\"" },
        { { TEXT("feet", "sole0 sole1"), REAL("perod", 3) },
          2,
          "perod: did you mean 'period'? expected one of feet, gait, period, lift, sway, bob" },
        { { TEXT("feet", "sole0 sole1"), REAL("speed", 3) },
          2,
          "speed: expected a dof, as joint1.0, or one of feet, gait, period, lift, sway, bob" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        static struct robo_description d;
        char why[128] = "";
        make_biped(&d);
        strcpy(d.name, "other");
        d.device[0].option = wrong[i].option;
        d.device[0].options = (uint16_t)wrong[i].options;
        assert_int_equal(robo_walk_driver.check(&d, 0, why), ROBO_EINVAL);
        assert_string_equal(why, wrong[i].why);
        assert_int_equal(robo_add(world, &d, NULL), ROBO_EINVAL);
    }
}
