/* What a robot behind a Player server tells that when their connection is lost: a server whose robot has other clients does not stop it
 * when one goes. Real sockets, real clocks; nothing here measures time. */
#include "player_stand_in.h"
#include "../described.h"

#include "../kept_log.h"
#include "../ids.h"

static int begin(void **state)
{
    begin_by(600, ROBO_LIMP);
    return 0;
}

/* Its motors are on in a panic. */
static int begin_braking(void **state)
{
    begin_by(600, ROBO_BRAKE);
    return 0;
}

static int begin_impatient(void **state)
{
    begin_by(2, ROBO_LIMP);
    return 0;
}

/* ---- tests ---- */

FIXTURE(begin, end);

TEST(the_next_connection_says_that_the_base_stands_before_its_motors_go_on)
{
    struct said vel = { .value = { 1 } }, motors;
    EVENTUALLY(taken(drive));
    const unsigned c = lose(), at = first(c, BASE, CMD, VEL, &vel);
    assert_true(at > 0);
    assert_true(vel.value[0] == 0 && vel.value[1] == 0 && vel.value[2] == 0);
    assert_true(at < first(c, BASE, REQ, MOTORS, &motors));
    assert_true(motors.value[0] == 1);
}

TEST(a_base_that_others_drive_is_left_to_them)
{
    struct said vel;
    EVENTUALLY(is_ready());
    assert_int_equal(first(lose(), BASE, CMD, VEL, &vel), 0); /* it was never moved */
    EVENTUALLY(taken(drive));
    assert_true(first(lose(), BASE, CMD, VEL, &vel) > 0);
    EVENTUALLY(rests());
    assert_int_equal(first(lose(), BASE, CMD, VEL, &vel), 0); /* that was told */
    EVENTUALLY(taken(drive));
    assert_true(taken(stop));
    EVENTUALLY(rests());
    assert_int_equal(first(lose(), BASE, CMD, VEL, &vel), 0);
}

/* It stands there by itself; the stand-in's base is at the origin. */
TEST(a_base_that_has_come_to_its_place_is_left_to_others)
{
    struct said vel;
    const struct robo_cmd go = { .op = ROBO_GO_TO };
    EVENTUALLY(is_ready());
    assert_int_equal(result(go), ROBO_SUCCESS);
    EVENTUALLY(rests());
    assert_int_equal(first(lose(), BASE, CMD, VEL, &vel), 0);
}

/* What goes with the connection has not stopped anything. */
TEST(a_stop_that_is_lost_with_its_connection_is_said_again)
{
    struct said vel = { .value = { 1 } };
    EVENTUALLY(taken(drive));
    fill();
    assert_true(taken(stop));
    assert_false(rests());
    const unsigned before = newest();
    atomic_store(&cuts, true); /* with all that it has not read */
    atomic_store(&reads, true);
    EVENTUALLY(newest() > before && is_ready());
    assert_true(first(newest(), BASE, CMD, VEL, &vel) > 0);
    assert_true(vel.value[0] == 0);
}

/* The stand-in's head never comes to its place, whereto it would go on by itself. */
TEST(a_stop_of_a_head_on_its_way_that_is_lost_is_said_again)
{
    struct said head = { .value = { 1, 1, 1, 1, 1 } };
    const struct robo_cmd look_aside = {
        .op = ROBO_SET_JOINT, .body.servo = { .joint = 1, .mask = 1, .value = { 0.8 } }
    };
    EVENTUALLY(taken(drive));
    give(look_aside);
    fill();
    assert_true(taken(stop));
    const unsigned before = newest();
    atomic_store(&cuts, true);
    atomic_store(&reads, true);
    EVENTUALLY(newest() > before && is_ready());
    assert_true(first(newest(), HEAD, CMD, PTZ_STATE, &head) > 0);
    assert_true(head.value[0] == 0 && head.value[3] == 0 && head.value[4] == 0);
}

/* Its machine has acknowledged the stop, which nobody reads. */
TEST(a_stop_to_a_server_that_had_ended_its_side_is_said_again)
{
    struct said vel = { .value = { 1 } }, motors;
    EVENTUALLY(taken(drive));
    const unsigned before = newest();
    atomic_store(&halves, true);
    EVENTUALLY(newest() > before && is_ready());
    const unsigned c = newest(), at = first(c, BASE, CMD, VEL, &vel);
    assert_true(at > 0);
    assert_true(vel.value[0] == 0 && vel.value[1] == 0 && vel.value[2] == 0);
    assert_true(at < first(c, BASE, REQ, MOTORS, &motors));
}

/* In a panic everything stands, whoever moves it: this client has moved nothing. */
TEST(a_panic_while_the_server_is_away_is_told_on_the_next_connection, begin_braking, end)
{
    struct said vel = { .value = { 1, 1, 1, 1 } }, claw, motors = { .value = { 0 } };
    EVENTUALLY(is_ready());
    const unsigned before = newest();
    atomic_store(&away, true);
    atomic_store(&cuts, true);
    EVENTUALLY(!is_ready());
    robo_panic(here);
    atomic_store(&away, false);
    EVENTUALLY(newest() > before && is_ready());
    const unsigned c = newest();
    assert_true(first(c, BASE, CMD, VEL, &vel) > 0);
    assert_true(vel.value[0] == 0 && vel.value[1] == 0 && vel.value[2] == 0);
    assert_true(vel.value[3] == 0); /* nor does that switch them on */
    assert_true(first(c, CLAW, CMD, GRIP_STOP, &claw) > 0);
    assert_int_equal(nth(2, c, BASE, CMD, VEL, &vel), 0); /* once is enough */
    assert_int_equal(first(c, BASE, REQ, MOTORS, &motors), 0);
    robo_reset(here);
    robo_disconnect(client); /* what it knows is of before the panic */
    come();
    assert_int_equal(first(c, BASE, REQ, MOTORS, &motors), 0);
    EVENTUALLY(taken(drive));
    EVENTUALLY(first(c, BASE, REQ, MOTORS, &motors) > 0);
    assert_true(motors.value[0] == 1);
}

/* The connection is there, and the server has not granted the devices yet. */
TEST(a_panic_while_devices_are_asked_for_switches_no_motors_on, begin_braking, end)
{
    struct said motors, vel;
    EVENTUALLY(is_ready());
    const unsigned before = newest();
    atomic_store(&reads, false);
    atomic_store(&cuts, true);
    struct robo__player_link *p = link_here();
    bool asks = false;
    REPEAT_UNTIL(asks, {
        pthread_mutex_lock(&lock);
        asks = connections > before;
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&p->lock);
        asks = asks && p->fd >= 0 && !p->ready;
        pthread_mutex_unlock(&p->lock);
    });
    robo_panic(here);
    atomic_store(&reads, true);
    EVENTUALLY(newest() > before && is_ready());
    const unsigned c = newest();
    assert_int_equal(first(c, BASE, REQ, MOTORS, &motors), 0);
    for (unsigned n = 1; nth(n, c, BASE, CMD, VEL, &vel) > 0; n++)
        assert_true(vel.value[3] == 0); /* nor does the halt itself */
    robo_reset(here);
    robo_disconnect(client);
    come();
    EVENTUALLY(taken(drive));
    EVENTUALLY(first(c, BASE, REQ, MOTORS, &motors) > 0);
    assert_true(motors.value[0] == 1);
}

TEST(a_head_and_a_gripper_that_move_by_speeds_are_told_to_stand)
{
    struct said mode = { .value = { 1 } }, head = { .value = { 1, 1, 1, 1, 1 } }, claw, vel;
    EVENTUALLY(taken(pan));
    assert_true(taken(grip));
    const unsigned c = lose(), at = first(c, HEAD, CMD, PTZ_STATE, &head);
    assert_true(at > 0);
    assert_true(head.value[3] == 0 && head.value[4] == 0);
    const unsigned by = first(c, HEAD, REQ, PTZ_MODE, &mode);
    assert_true(by > 0 && by < at); /* by speeds: it does not turn to where it was */
    assert_true(mode.value[0] == 0);
    assert_true(first(c, CLAW, CMD, GRIP_STOP, &claw) > 0);
    assert_int_equal(first(c, BASE, CMD, VEL, &vel), 0);
    EVENTUALLY(rests());
    assert_int_equal(first(lose(), HEAD, CMD, PTZ_STATE, &head), 0);
}

/* A speed of the other axis says nothing of the one that was told to stand. */
TEST(a_head_that_was_told_to_stand_does_not_turn_again_by_itself)
{
    struct said head = { .value = { 1, 1, 1, 1, 1 } };
    const struct robo_cmd tilt = { .op = ROBO_SET_JOINT_SPEED,
                                   .body.servo = { .joint = 1, .mask = 2, .value = { 0, 0.25 } } };
    EVENTUALLY(taken(pan));
    const unsigned c = lose();
    assert_true(first(c, HEAD, CMD, PTZ_STATE, &head) > 0);
    EVENTUALLY(taken(tilt));
    EVENTUALLY(last(c, HEAD, CMD, PTZ_STATE, &head) && head.value[4] == 0.25);
    assert_true(head.value[3] == 0);
}

/* The device that knew what it had moved is closed by then. */
TEST(a_robot_described_anew_while_the_server_is_away_is_told_to_stand)
{
    struct said vel = { .value = { 1 } }, motors, claw;
    EVENTUALLY(taken(drive));
    assert_true(taken(grip));
    const unsigned before = newest();
    atomic_store(&away, true);
    atomic_store(&cuts, true);
    EVENTUALLY(!is_ready());
    struct robo_description d = *described(here);
    d.deadman += 1000000;
    assert_int_equal(robo_reload(here, &d, NULL), 0);
    atomic_store(&away, false);
    EVENTUALLY(newest() > before && is_ready());
    const unsigned c = newest(), at = first(c, BASE, CMD, VEL, &vel);
    assert_true(at > 0);
    assert_true(vel.value[0] == 0 && vel.value[1] == 0 && vel.value[2] == 0);
    assert_true(at < first(c, BASE, REQ, MOTORS, &motors));
    assert_true(first(c, CLAW, CMD, GRIP_STOP, &claw) > 0);
    EVENTUALLY(rests());
    assert_int_equal(first(lose(), BASE, CMD, VEL, &vel), 0); /* that was told */
}

/* The server reads all of it, and then the end: it is not torn from it with what it has not read yet. */
TEST(late_data_stop_what_moves_and_end_the_connection_in_order, begin_impatient, end)
{
    struct said vel;
    EVENTUALLY(taken(drive));
    const unsigned c = newest();
    atomic_store(&tells, false);
    EVENTUALLY(newest() > c);
    const unsigned next = newest();
    assert_true(last(c, BASE, CMD, VEL, &vel));
    assert_true(vel.value[0] == 0);
    pthread_mutex_lock(&lock);
    const bool in_order = !torn;
    pthread_mutex_unlock(&lock);
    assert_true(in_order);
    assert_int_equal(first(next, BASE, CMD, VEL, &vel), 0); /* so it is not said again */
}

/* The way is full, and so a limp halt waits when the data come late. */
TEST(a_limp_halt_outlives_the_connection_on_which_it_waits, begin_impatient, end)
{
    struct said motors = { .value = { 1 } }, vel = { .value = { 1 } };
    EVENTUALLY(taken(drive));
    const unsigned before = newest();
    fill();
    robo_panic(here);
    atomic_store(&tells, false);
    EVENTUALLY(!is_ready());
    atomic_store(&reads, true);
    atomic_store(&tells, true);
    EVENTUALLY(newest() > before && is_ready());
    const unsigned c = newest();
    for (unsigned i = before; i <= c; i++) /* on the one on which it waited, or a later one */
        last(i, BASE, CMD, VEL, &vel);
    assert_true(vel.value[0] == 0);
    assert_true(vel.value[3] == 0); /* its motors are to be off */
    assert_true(first(c, BASE, REQ, MOTORS, &motors) > 0);
    assert_true(motors.value[0] == 0);
    robo_reset(here);
    robo_disconnect(client); /* what it knows is of before the panic */
    come();
    EVENTUALLY(taken(drive));
    EVENTUALLY(nth(2, c, BASE, REQ, MOTORS, &motors) > 0);
    assert_true(motors.value[0] == 1);
}

/* Its address is told, since what listens there may be anything. */
TEST(a_server_that_ends_the_first_connection_at_once_is_told_of, NULL, end)
{
    char wanted[256];
    const struct robo_options options = { .size = sizeof options, .log = on_log };
    client = NULL; /* nobody comes */
    forget_log();
    open_stand_in();
    atomic_store(&away, true);
    world = robo_open(&options);
    assert_int_equal(robo_add_drivers(world), 0);
    add_here(wears_all(), url, 600); /* it waits for the first connection, and so for that line */
    snprintf(wanted, sizeof wanted,
             "%s: it has ended the connection before its devices were open\n",
             url + strlen("player://"));
    assert_int_equal(logged(wanted), 1);
}

/* Not a loss: the head is there at once, and the gripper takes its time. */
TEST(it_is_home_when_head_and_gripper_are)
{
    struct robo__player_link *p = link_here();
    EVENTUALLY(taken(stop));
    atomic_store(&grip_state, ROBO__GRIPPER_MOVING);
    bool moves = false;
    REPEAT_UNTIL(moves, {
        pthread_mutex_lock(&p->lock);
        moves = p->grip == ROBO__GRIPPER_MOVING;
        pthread_mutex_unlock(&p->lock);
    });
    const struct robo_cmd home = { .op = ROBO_HOME };
    const uint32_t id = give(home);
    bool turned = false;
    REPEAT_UNTIL(turned, {
        pthread_mutex_lock(&p->lock);
        turned = p->grip_goal.ticket != 0 && p->head_goal.ticket == 0;
        pthread_mutex_unlock(&p->lock);
    });
    assert_int_equal(robo_wait(client, id, 0), ROBO_ETIMEOUT);
    atomic_store(&grip_state, ROBO__GRIPPER_CLOSED);
    assert_int_equal(answer_to(id).signal, ROBO_SUCCESS);
}
