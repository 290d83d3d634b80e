/* What a state tells more to who asks: forces, and poses of control frames. */
#include <math.h>

#include "connected_client.h"

/* Its gripper presses with what it was told last; nobody knows the forces of the arm. */
static void actor_forces(const void *state, robo_time now, double *force)
{
    const struct actor *a = state;
    (void)now;
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

static void check_forces(const struct robo_reply_state *state, double grip)
{
    assert_int_equal(state->dofs, 4);
    assert_int_equal(state->forces, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(state->known[i], i == 3);
    assert_true(state->force[0] == 0 && state->force[3] == grip);
}

static void test_forces(void **unused)
{
    (void)unused;
    static struct robo_reply_state state;
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
    assert_int_equal(robo_take_reply(c, (uint32_t)q, &state, sizeof(struct robo_state)),
                     ROBO_EINVAL);
    assert_int_equal(robo_take_reply(c, (uint32_t)q, &state, sizeof state), 1);
    check_forces(&state, -12.5);
    assert_int_equal(state.frames, 0); /* not asked for */

    /* who has the robot asks it */
    robo_read_more(pressing, ROBO_MORE_FORCES, &state);
    check_forces(&state, -12.5);
    robo_disconnect(c);
}

static void test_nothing_more(void **unused)
{
    (void)unused;
    struct robo_state state;
    struct robo_answer answer;
    robo_client *c = connect_to(NULL, false);
    uint32_t s = session_with(c, "pressing");
    const struct robo_request_state none = { .more = 0 };
    for (int i = 0; i < 2; i++) {
        int64_t q = robo_request(c, s, ROBO_Q_STATE, i ? &none : NULL);
        assert_int_equal(robo_wait(c, (uint32_t)q, S(1)), 0);
        assert_int_equal(robo_look(c, (uint32_t)q, &answer), 1);
        assert_int_equal(answer.size, sizeof state);
        assert_int_equal(robo_take_reply(c, (uint32_t)q, &state, sizeof state), 1);
        assert_int_equal(state.dofs, 4);
    }
    /* what has to be there is */
    assert_int_equal(robo_request(c, s, ROBO_Q_CANCEL, NULL), ROBO_EINVAL);
    robo_disconnect(c);
}

/* A driver that tells no forces, and a body without geometry: nothing is known, and that is told. */
static void test_unknown(void **unused)
{
    (void)unused;
    static struct robo_reply_state state;
    /* bits that nobody knows are left aside */
    robo_read_more(bare, 0xf0 | ROBO_MORE_FORCES | ROBO_MORE_FRAMES, &state);
    assert_int_equal(state.forces, 4);
    for (int i = 0; i < 4; i++)
        assert_true(state.known[i] == 0 && state.force[i] == 0);
    assert_int_equal(state.frames, 0);
}

static void test_broadcast(void **unused)
{
    (void)unused;
    static struct robo_reply_state state;
    robo_client *c = connect_to(NULL, false);
    uint32_t s = session_with(c, "pressing");
    const struct robo_request_broadcast ask = { .period = S(0.1), .more = ROBO_MORE_FORCES };
    int64_t q = robo_request(c, s, ROBO_Q_BROADCAST, &ask);
    for (int i = 0; i < 3; i++) {
        uint32_t id = send_one(c, s, set_grip(i + 0.5));
        assert_int_equal(robo_wait(c, id, S(1)), 0);
        run_for(0.15);
        robo_poll(c, 0);
        assert_int_equal(robo_take_reply(c, (uint32_t)q, &state, sizeof state), 1);
        check_forces(&state, i + 0.5);
    }
    robo_disconnect(c);
}

/* The last state of a robot that is no more; its devices are not asked. */
static void test_removed(void **unused)
{
    (void)unused;
    static struct robo_reply_state state;
    robo_robot *r = robo_hold(pressing);
    robo_remove(r);
    robo_read_more(r, ROBO_MORE_FORCES | ROBO_MORE_FRAMES, &state);
    assert_int_equal(state.dofs, 4);
    assert_int_equal(state.known[3], 0);
    robo_release(r);
}

#define MORE(name) cmocka_unit_test_setup_teardown(name, open_more, close_host)

int main(void)
{
    const struct CMUnitTest tests[] = {
        MORE(test_forces),    MORE(test_nothing_more), MORE(test_unknown),
        MORE(test_broadcast), MORE(test_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
