/* What the driver of a robot behind a Player server says to that, and answers, in a virtual world: the server is what a test reads of a
 * socket, and what it lets the driver hear. */
#include "fixture_core.h"
#include "../base_robot.h"

#include <math.h>
#include <sys/socket.h>
#include <unistd.h>

#include "player/link.h"
#include "player/player.h"

enum { BASE = ROBO__PLAYER_POSITION2D, HEAD = ROBO__PLAYER_PTZ, CLAW = ROBO__PLAYER_GRIPPER };
enum { CMD = ROBO__PLAYER_CMD, REQ = ROBO__PLAYER_REQ, MOST = 256 };

static struct robo__player_link *link_; /* of the robot's device */
static int far_end;
static struct robo__session *session;

/* ---- the server ---- */

static struct said {
    unsigned interf, type, subtype;
    double value[8];
} said[MOST];
static unsigned saids;

/* All that was said since the last time. */
static void read_said(void)
{
    uint8_t in[1 << 14];
    const ssize_t n = recv(far_end, in, sizeof in, MSG_DONTWAIT);
    struct robo__player_header h;
    const char *why;
    saids = 0;
    for (ssize_t at = 0; at < n; at += ROBO__PLAYER_HEADER + (ssize_t)h.size) {
        struct robo__player_body body = { .values = 0 };
        struct robo__player_mistake mistake;
        assert_true(robo__player_get_header(in + at, &h, &why));
        const struct robo__player_kind *kind = robo__player_kind_of(h.interf, h.type, h.subtype);
        assert_true(kind && robo__player_decode(kind->body, in + at + ROBO__PLAYER_HEADER, h.size,
                                                &body, &mistake));
        assert_true(saids < MOST);
        said[saids] = (struct said){ .interf = h.interf, .type = h.type, .subtype = h.subtype };
        memcpy(said[saids++].value, body.value, sizeof said[0].value);
    }
}

/* The newest of those messages; NULL: there is none. */
static const struct said *newest(unsigned interf, unsigned type, unsigned subtype)
{
    const struct said *found = NULL;
    for (unsigned i = 0; i < saids; i++)
        if (said[i].interf == interf && said[i].type == type && said[i].subtype == subtype)
            found = &said[i];
    return found;
}

static void tell(enum robo__far_role role, unsigned interf, struct robo__player_body body)
{
    const struct robo__player_header header = { .interf = (uint16_t)interf,
                                                .type = ROBO__PLAYER_DATA,
                                                .subtype = 1 };
    robo__link_hear(link_, role, &header, &body);
}

static void tell_base(double x, double y, double theta)
{
    tell(ROBO__FAR_BASE, BASE, (struct robo__player_body){ .value = { x, y, theta } });
}

static void tell_head(double pan, double tilt, double zoom)
{
    tell(ROBO__FAR_HEAD, HEAD, (struct robo__player_body){ .value = { pan, tilt, zoom } });
}

static void tell_gripper(unsigned state, unsigned beams)
{
    tell(ROBO__FAR_GRIPPER, CLAW, (struct robo__player_body){ .value = { state, beams } });
}

/* ---- the robot ---- */

/* A connection that stands already, without a thread. */
static int open_connected(void *state, robo_device *device, robo_time now)
{
    const struct robo_description *d = robo_device_description(device);
    char why[128];
    int ends[2];
    (void)now;
    link_ = state;
    link_->device = device;
    link_->wake = -1;
    link_->ready = link_->tried = true;
    pthread_mutex_init(&link_->lock, NULL);
    pthread_cond_init(&link_->woke, NULL);
    assert_int_equal(robo__bind_read(d, 0, &link_->bind, why), 0);
    memcpy(link_->far.device, link_->bind.device, sizeof link_->far.device);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    link_->fd = ends[0];
    far_end = ends[1];
    robo__outbox_init(&link_->out, link_->fd);
    return 0;
}

/* What it has said last can still be looked at. */
static void close_connected(void *state)
{
    read_said();
    close(link_->fd);
    close(far_end);
    robo__link_close(state);
}

/* A base, a head and a gripper. bare: none of the server's devices is wanted for them. */
static int begin_with(bool bare)
{
    static robo_driver driver;
    static struct robo_link link[] = { { .name = "base" }, { .name = "eye" }, { .name = "claw" } };
    static struct robo_dof dof[] = {
        { .name = "pan", .axis = { 0, 0, 1 }, .low = -1, .high = 1, .speed = 10 },
        { .name = "tilt", .axis = { 0, 1, 0 }, .low = -1, .high = 1, .speed = 10 },
        { .name = "width", .kind = ROBO_PRISMATIC, .axis = { 0, 1, 0 }, .high = 1, .speed = 1 },
    };
    enum { SERVO = ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED };
    static struct robo_joint joint[] = {
        { .name = "root", .parent = ROBO_WORLD },
        { .name = "head", .child = 1, .dofs = 2, .servo = SERVO },
        { .name = "gripper", .child = 2, .dofs = 1, .first = 2, .servo = SERVO },
    };
    const struct robo_option option[] = {
        { .name = "url", .type = ROBO_OPTION_TEXT, .value.text = "player://nowhere" },
        { .name = "position", .type = ROBO_OPTION_TEXT, .value.text = "" },
        { .name = "head", .type = ROBO_OPTION_TEXT, .value.text = "" },
        { .name = "gripper", .type = ROBO_OPTION_TEXT, .value.text = "" },
    };
    struct robo_description d = base_robot("rex", "connected");
    const struct robo_options options = virtual_options(1);
    d.links = d.joints = d.dofs = 3;
    d.link = link;
    d.joint = joint;
    d.dof = dof;
    d.device[0].option = option;
    d.device[0].options = bare ? 4 : 1;
    driver = robo_player_driver;
    driver.name = "connected";
    driver.open = open_connected;
    driver.close = close_connected;
    world = robo_open(&options);
    assert_non_null(world);
    assert_int_equal(robo_add_driver(world, &driver), 0);
    assert_int_equal(robo_add(world, &d, &robot), 0);
    session = open_session(NULL, NULL);
    return 0;
}

static int begin(void **state)
{
    (void)state;
    return begin_with(false);
}

static int begin_bare(void **state)
{
    (void)state;
    return begin_with(true);
}

static int end(void **state)
{
    robo__session_close(session);
    robo_release(robot);
    return close_fixture(state);
}

static const struct robo_cmd HEAD_UP = { .op = ROBO_SET_JOINT,
                                         .start = ROBO_AT_ONCE,
                                         .body.servo = { .joint = 1,
                                                         .mask = 3,
                                                         .value = { 0.5, 0.25 } } },
                             HOME = { .op = ROBO_HOME, .start = ROBO_AT_ONCE },
                             GRASP = { .op = ROBO_SET_JOINT,
                                       .start = ROBO_AT_ONCE,
                                       .body.servo = { .joint = 2, .mask = 1 } };

/* What was heard goes by the real clock: as if it had come so much earlier. */
static const robo_time SILENCE = 10 * INT64_C(1000000000);

/* ---- what is not known, or not its own, is left alone ---- */

static void test_a_head_that_has_not_told_where_it_is_is_left_alone(void **state)
{
    (void)state;
    expect_answer(session, HEAD_UP, ROBO_ERROR, ROBO_WHY_DEVICE);
    expect_answer(session, joint_speed(1, 1, 0.5), ROBO_ERROR, ROBO_WHY_DEVICE);
    robo_panic(robot);
    read_said();
    assert_true(newest(BASE, CMD, VEL) && !newest(HEAD, CMD, PTZ_STATE));
    robo_reset(robot);
    tell_head(0.25, 0.5, 0.75);
    send_cmd(session, joint_speed(1, 1, 0.5));
    read_said();
    const struct said *at = newest(HEAD, CMD, PTZ_STATE);
    assert_non_null(at);
    assert_true(at->value[1] == 0.5 && at->value[2] == 0.75); /* not lowered, not zoomed */
}

static void test_home_moves_nothing_before_the_head_has_told_where_it_is(void **state)
{
    (void)state;
    tell_gripper(ROBO__GRIPPER_OPEN, 0);
    expect_answer(session, HOME, ROBO_ERROR, ROBO_WHY_DEVICE);
    read_said();
    assert_int_equal(saids, 0);
}

static void test_what_has_no_device_of_the_server_is_na(void **state)
{
    (void)state;
    expect_answer(session, set_speed(0, 0.5), ROBO_NA, ROBO_WHY_UNSUPPORTED);
    expect_answer(session, go_to(0, 1), ROBO_NA, ROBO_WHY_UNSUPPORTED);
    expect_answer(session, HEAD_UP, ROBO_NA, ROBO_WHY_UNSUPPORTED);
    expect_answer(session, joint_speed(1, 1, 0.5), ROBO_NA, ROBO_WHY_UNSUPPORTED);
    expect_answer(session, GRASP, ROBO_NA, ROBO_WHY_UNSUPPORTED);
    expect_answer(session, stop(0), ROBO_SUCCESS, ROBO_WHY_NONE);
    robo_panic(robot);
    read_said();
    assert_int_equal(saids, 0);
}

/* What the robot is told as it is removed; everything has told where it is. */
static void tell_where_and_remove(void)
{
    tell_base(1, 0, 0);
    tell_head(0.1, 0.2, 0.5);
    tell_gripper(ROBO__GRIPPER_OPEN, 0);
    read_said(); /* what was said before */
    robo_remove(robot);
}

static void test_who_goes_leaves_alone_what_it_has_not_moved(void **state)
{
    (void)state;
    tell_where_and_remove();
    assert_int_equal(saids, 0);
}

static void test_who_goes_stops_what_it_has_moved(void **state)
{
    (void)state;
    send_cmd(session, set_speed(0, 0.5));
    tell_where_and_remove();
    assert_non_null(newest(BASE, CMD, VEL));
    assert_true(newest(BASE, CMD, VEL)->value[0] == 0);
    assert_int_equal(saids, 1);
}

static void test_who_goes_stops_a_head_on_its_way(void **state)
{
    (void)state;
    tell_head(0, 0, 0.5);
    send_cmd(session, HEAD_UP);
    tell_where_and_remove();
    assert_non_null(newest(HEAD, CMD, PTZ_STATE));
    assert_true(fabs(newest(HEAD, CMD, PTZ_STATE)->value[1] - 0.2) < 1e-6);
    assert_int_equal(saids, 1);
}

static void test_a_panic_stops_what_others_move_too(void **state)
{
    (void)state;
    tell_head(0, 0, 0.5);
    robo_panic(robot);
    read_said();
    assert_true(newest(BASE, CMD, VEL) && newest(HEAD, CMD, PTZ_STATE) &&
                newest(CLAW, CMD, GRIP_STOP));
}

/* ---- goals ---- */

static void test_a_base_that_gets_no_further_is_blocked_and_told_to_stand(void **state)
{
    (void)state;
    const uint32_t id = send_cmd(session, go_to(0, 1));
    run_for(4);
    tell_base(0.5, 0, 0); /* it had to think */
    run_for(4.9);
    take_answers(session);
    assert_null(answer_to(id));
    read_said();
    run_for(0.2);
    take_answers(session);
    expect_signal(id, ROBO_ERROR, ROBO_WHY_BLOCKED);
    read_said();
    const struct said *vel = newest(BASE, CMD, VEL);
    assert_non_null(vel); /* else it would go on once the way is free */
    assert_true(vel->value[0] == 0 && vel->value[1] == 0 && vel->value[2] == 0);
}

static void test_a_base_that_creeps_or_turns_to_its_place_is_waited_for(void **state)
{
    (void)state;
    const uint32_t id = send_cmd(session, go_to(0, 0.2));
    for (int i = 1; i <= 14; i++) { /* 10 mm and then 0.02 rad each 4 s */
        run_for(4);
        tell_base(fmin(i, 10) * 0.01, 0, i > 10 ? 0.5 + 0.02 * i : 0.5);
        take_answers(session);
        assert_null(answer_to(id));
    }
    tell_base(0.2, 0, 0);
    run_for(0.1);
    take_answers(session);
    expect_signal(id, ROBO_SUCCESS, ROBO_WHY_NONE);
}

/* However far off its goal is reached already: near may be 10 m, turn a half turn. */
static void test_a_base_that_creeps_to_a_wide_goal_is_waited_for(void **state)
{
    (void)state;
    link_->bind.near = 10;
    link_->bind.turn = 3;
    const uint32_t id = send_cmd(session, go_to(0, 12));
    for (int i = 1; i <= 120; i++) { /* 0.01 m/s, then 0.02 rad/s */
        run_for(1);
        tell_base(fmin(i, 60) * 0.01, 0, fmax(0, i - 60) * 0.02);
        take_answers(session);
        assert_null(answer_to(id));
    }
    tell_base(2, 0, 1.2);
    run_for(0.1);
    take_answers(session);
    expect_signal(id, ROBO_SUCCESS, ROBO_WHY_NONE);
}

static void test_a_heading_that_trembles_about_half_a_turn_is_no_turn(void **state)
{
    (void)state;
    tell_base(0, 0, 3.141);
    const uint32_t id = send_cmd(session, go_to(0, 1));
    for (int i = 0; i < 52; i++) {
        run_for(0.1);
        tell_base(0, 0, i % 2 == 0 ? -3.141 : 3.141);
    }
    take_answers(session);
    expect_signal(id, ROBO_ERROR, ROBO_WHY_BLOCKED);
}

static void test_a_head_that_gets_no_further_is_blocked_and_told_to_stand(void **state)
{
    (void)state;
    tell_head(0.1, 0, 0.5);
    const uint32_t id = send_cmd(session, HEAD_UP);
    run_for(1);
    tell_head(0.3, 0.25, 0.5);
    run_for(4.9);
    take_answers(session);
    assert_null(answer_to(id));
    read_said();
    run_for(0.2);
    take_answers(session);
    expect_signal(id, ROBO_ERROR, ROBO_WHY_BLOCKED);
    read_said();
    const struct said *at = newest(HEAD, CMD, PTZ_STATE);
    assert_non_null(at);
    assert_true(fabs(at->value[0] - 0.3) < 1e-6 && fabs(at->value[1] - 0.25) < 1e-6);
}

/* By speeds: nobody knows where it is. */
static void test_a_head_that_tells_no_more_where_it_is_has_failed_and_is_told_to_stand(void **state)
{
    (void)state;
    tell_head(0.1, 0, 0.5);
    const uint32_t id = send_cmd(session, HEAD_UP);
    run_for(1);
    take_answers(session);
    assert_null(answer_to(id));
    read_said();
    link_->head_heard -= SILENCE;
    run_for(0.1);
    take_answers(session);
    expect_signal(id, ROBO_ERROR, ROBO_WHY_DEVICE);
    read_said();
    const struct said *mode = newest(HEAD, REQ, PTZ_MODE), *at = newest(HEAD, CMD, PTZ_STATE);
    assert_true(mode && mode->value[0] == 0);
    assert_true(at && at->value[3] == 0 && at->value[4] == 0);
}

static void
test_home_with_a_head_that_gets_no_further_stops_the_gripper_and_is_answered_once(void **state)
{
    (void)state;
    tell_head(0.1, 0, 0);
    tell_gripper(ROBO__GRIPPER_MOVING, 0);
    const uint32_t id = send_cmd(session, HOME);
    run_for(4.9);
    read_said();
    assert_true(newest(CLAW, CMD, GRIP_CLOSE) && !newest(CLAW, CMD, GRIP_STOP));
    run_for(0.2);
    read_said();
    assert_non_null(newest(CLAW, CMD, GRIP_STOP));
    tell_gripper(ROBO__GRIPPER_CLOSED, 0);
    run_for(0.1);
    take_answers(session);
    expect_signal(id, ROBO_ERROR, ROBO_WHY_BLOCKED);
}

static void test_a_gripper_that_does_nothing_has_failed_and_is_told_to_stop(void **state)
{
    (void)state;
    tell_gripper(ROBO__GRIPPER_OPEN, 8);
    uint32_t id = send_cmd(session, GRASP);
    run_for(4.9);
    take_answers(session);
    assert_null(answer_to(id));
    read_said();
    run_for(0.2);
    take_answers(session);
    expect_signal(id, ROBO_ERROR, ROBO_WHY_DEVICE);
    read_said();
    assert_non_null(newest(CLAW, CMD, GRIP_STOP)); /* else it would close once it can */
    id = send_cmd(session, GRASP);
    run_for(4);
    tell_gripper(ROBO__GRIPPER_MOVING, 0); /* as long as it likes */
    run_for(20);
    take_answers(session);
    assert_null(answer_to(id));
    tell_gripper(ROBO__GRIPPER_CLOSED, 0);
    run_for(0.1);
    take_answers(session);
    expect_signal(id, ROBO_SUCCESS, ROBO_WHY_NONE);
}

static void
test_a_gripper_that_tells_no_more_as_it_moves_has_failed_and_is_told_to_stop(void **state)
{
    (void)state;
    tell_gripper(ROBO__GRIPPER_MOVING, 0);
    const uint32_t id = send_cmd(session, GRASP);
    run_for(20);
    take_answers(session);
    assert_null(answer_to(id));
    read_said();
    link_->grip_heard -= SILENCE;
    run_for(0.1);
    take_answers(session);
    expect_signal(id, ROBO_ERROR, ROBO_WHY_DEVICE);
    read_said();
    assert_non_null(newest(CLAW, CMD, GRIP_STOP));
}

/* It rests between its ends, around something, before it is told to close. */
static void test_a_gripper_that_holds_something_is_closed_already(void **state)
{
    (void)state;
    tell_gripper(ROBO__GRIPPER_ERROR, 8);
    const uint32_t id = send_cmd(session, GRASP);
    run_for(5.1);
    take_answers(session);
    expect_signal(id, ROBO_SUCCESS, ROBO_WHY_NONE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_head_that_has_not_told_where_it_is_is_left_alone),
        TEST(home_moves_nothing_before_the_head_has_told_where_it_is),
        cmocka_unit_test_setup_teardown(test_what_has_no_device_of_the_server_is_na, begin_bare,
                                        end),
        TEST(who_goes_leaves_alone_what_it_has_not_moved),
        TEST(who_goes_stops_what_it_has_moved),
        TEST(who_goes_stops_a_head_on_its_way),
        TEST(a_panic_stops_what_others_move_too),
        TEST(a_base_that_gets_no_further_is_blocked_and_told_to_stand),
        TEST(a_base_that_creeps_or_turns_to_its_place_is_waited_for),
        TEST(a_base_that_creeps_to_a_wide_goal_is_waited_for),
        TEST(a_heading_that_trembles_about_half_a_turn_is_no_turn),
        TEST(a_head_that_gets_no_further_is_blocked_and_told_to_stand),
        TEST(a_head_that_tells_no_more_where_it_is_has_failed_and_is_told_to_stand),
        TEST(home_with_a_head_that_gets_no_further_stops_the_gripper_and_is_answered_once),
        TEST(a_gripper_that_does_nothing_has_failed_and_is_told_to_stop),
        TEST(a_gripper_that_tells_no_more_as_it_moves_has_failed_and_is_told_to_stop),
        TEST(a_gripper_that_holds_something_is_closed_already),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
