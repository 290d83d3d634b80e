/* The optional parts of a state: forces, goals, and poses of control frames. */

#include <math.h>

#include "connected_client.h"
#include "robotalk/session.h"
#include "../ids.h"

/* Its gripper presses with what it was told last; nobody knows the forces of the arm. */
static void actor_forces(const void *state, robo_time now, double *force)
{
    const struct actor *a = state;
    if (robo_device_index(a->device) == 1)
        force[3] = a->x;
}

static robo_robot *pressing, *bare;

static int open_more(void **state)
{
    robo_driver driver = actor_driver;
    open_host(state);
    driver.name = "pressing";
    driver.forces = actor_forces;
    assert_int_equal(robo_add_driver(world, &driver), 0);
    bare = robot;
    struct robo_description d = make_description("pressing", false);
    d.dof[0].low = -1;
    d.dof[0].high = 1;
    for (int i = 0; i < d.devices; i++)
        strcpy(d.device[i].driver, "pressing");
    assert_int_equal(robo_add(world, &d, &pressing), 0);
    robo_release(pressing);
    return 0;
}

static uint32_t session_with(robo_client *c, const char *name)
{
    int64_t s = robo_session(c,
                             &(struct robo_session_options){
                                 .size = sizeof(struct robo_session_options), .robot = name },
                             S(5));
    assert_true(s > 0);
    return (uint32_t)s;
}

static struct robo_cmd set_grip(double force)
{
    return (struct robo_cmd){ .op = ROBO_SET_JOINT_FORCE,
                              .start = ROBO_AT_ONCE,
                              .body.servo = { .joint = 2, .mask = 1, .value = { force } } };
}

static void check_forces(const struct robo_reply_state *got, double grip)
{
    assert_int_equal(got->dofs, 4);
    assert_int_equal(got->forces, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(got->known[i], i == 3);
    assert_true(got->force[0] == 0 && got->force[3] == grip);
}

FIXTURE(open_more, close_host);

TEST(forces)
{
    static struct robo_reply_state got;
    robo_client *c = connect_to(NULL, false);
    uint32_t s = session_with(c, "pressing");
    uint32_t id = send_one(c, s, set_grip(-12.5));
    assert_int_equal(robo_wait(c, id, S(1)), 0);
    assert_int_equal(take(c, id).signal, ROBO_SUCCESS);

    const struct robo_request_state ask = { .more = ROBO_MORE_FORCES };
    int64_t q = robo_request(c, s, ROBO_Q_STATE, &ask);
    assert_true(q > 0);
    assert_int_equal(robo_wait(c, (uint32_t)q, S(1)), 0);
    /* it is more than a state */
    assert_int_equal(robo_take_reply(c, (uint32_t)q, &got, sizeof(struct robo_state)), ROBO_EINVAL);
    assert_int_equal(robo_take_reply(c, (uint32_t)q, &got, sizeof got), 1);
    check_forces(&got, -12.5);
    assert_int_equal(got.frames, 0); /* not asked for */

    /* who has the robot asks it */
    robo_read_more(pressing, ROBO_MORE_FORCES, &got);
    check_forces(&got, -12.5);
    robo_disconnect(c);
}

TEST(nothing_more)
{
    struct robo_state got;
    struct robo_answer answer;
    robo_client *c = connect_to(NULL, false);
    uint32_t s = session_with(c, "pressing");
    const struct robo_request_state none = { .more = 0 };
    for (int i = 0; i < 2; i++) {
        int64_t q = robo_request(c, s, ROBO_Q_STATE, i ? &none : NULL);
        assert_int_equal(robo_wait(c, (uint32_t)q, S(1)), 0);
        assert_int_equal(robo_look(c, (uint32_t)q, &answer), 1);
        assert_int_equal(answer.size, sizeof got);
        assert_int_equal(robo_take_reply(c, (uint32_t)q, &got, sizeof got), 1);
        assert_int_equal(got.dofs, 4);
    }
    /* what has to be there is */
    assert_int_equal(robo_request(c, s, ROBO_Q_CANCEL, NULL), ROBO_EINVAL);
    robo_disconnect(c);
}

static void check_goal(double goal)
{
    static struct robo_reply_state got;
    robo_read_more(pressing, ROBO_MORE_GOALS, &got);
    assert_int_equal(got.goals, 4);
    assert_int_equal(got.forces + got.frames, 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(got.aimed[i], i == 0 && isfinite(goal));
    assert_true(got.goal[0] == (isfinite(goal) ? goal : 0));
}

static void give(robo_client *c, uint32_t s, struct robo_cmd cmd)
{
    const uint32_t id = send_one(c, s, cmd);
    assert_int_equal(robo_wait(c, id, S(1)), 0);
    take(c, id);
}

/* A goal is in force, within the limits of its dof, also after it was reached, until something else is. */
TEST(goals)
{
    robo_client *c = connect_to(NULL, false);
    const uint32_t s = session_with(c, "pressing");
    struct robo_cmd go = { .op = ROBO_SET_JOINT,
                           .start = ROBO_AT_ONCE,
                           .body.servo = { .joint = 1, .mask = 1, .value = { 0.5 } } };
    acting.goal = S(0.1);
    check_goal(NAN);
    give(c, s, go);
    check_goal(0.5);
    go.body.servo.value[0] = 99;
    give(c, s, go);
    check_goal(1);
    give(c, s, (struct robo_cmd){ .op = ROBO_STOP, .start = ROBO_AT_ONCE });
    check_goal(NAN);
    give(c, s, go);
    check_goal(1);
    robo_client_panic(c, s);
    robo_poll(c, 0);
    check_goal(NAN);
    robo_disconnect(c);
}

/* A driver that tells no forces, and a body without geometry: nothing is known, and that is told. */
TEST(unknown)
{
    static struct robo_reply_state got;
    /* bits that nobody knows are left aside */
    robo_read_more(bare, 0xf0 | ROBO_MORE_FORCES | ROBO_MORE_FRAMES, &got);
    assert_int_equal(got.forces, 4);
    for (int i = 0; i < 4; i++)
        assert_true(got.known[i] == 0 && got.force[i] == 0);
    assert_int_equal(got.frames, 0);
}

TEST(broadcast)
{
    static struct robo_reply_state got;
    robo_client *c = connect_to(NULL, false);
    uint32_t s = session_with(c, "pressing");
    const struct robo_request_broadcast ask = { .period = S(0.1), .more = ROBO_MORE_FORCES };
    int64_t q = robo_request(c, s, ROBO_Q_BROADCAST, &ask);
    for (int i = 0; i < 3; i++) {
        uint32_t id = send_one(c, s, set_grip(i + 0.5));
        assert_int_equal(robo_wait(c, id, S(1)), 0);
        run_for(0.15);
        robo_poll(c, 0);
        assert_int_equal(robo_take_reply(c, (uint32_t)q, &got, sizeof got), 1);
        check_forces(&got, i + 0.5);
    }
    robo_disconnect(c);
}

/* The last state of a robot that is no more; its devices are not asked. */
TEST(removed)
{
    static struct robo_reply_state got;
    robo_robot *r = robo_hold(pressing);
    robo_remove(r);
    robo_read_more(r, ROBO_MORE_FORCES | ROBO_MORE_FRAMES, &got);
    assert_int_equal(got.dofs, 4);
    assert_int_equal(got.known[3], 0);
    robo_release(r);
}
