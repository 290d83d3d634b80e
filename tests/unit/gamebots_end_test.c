/* What ends what was said before, of a client of Gamebots and of a bridge's script: a stop by another client, a device that is lost, the
 * deadman, another description. What waits for a base that brakes is not given once more then, and what was told is not told anew by a
 * behaviour. The base takes 1 m/s2, and 1.65 m/s at most. */
#include "fixture_bridge.h"
#include "../described.h"

#include "robot/axes/holder.h"
#include "robot/world/inside.h"

/* ---- a simulated robot whose link may be down: it stands then, and refuses all but a stop; its joints may be held, as legs that
 * walk are ---- */

enum { LIFT = 2 };

static bool down, held, defers;
static robo_ticket deferred; /* a command to the base, or to a joint, that is answered later */
static robo_driver lossy;

static void start(void *state, const struct robo_cmd *cmd, robo_ticket ticket, robo_time now)
{
    if (down && cmd->op == ROBO_STOP)
        robo_done(robot->devices.at[0], ticket, ROBO_SUCCESS, ROBO_WHY_NONE);
    else if (down)
        robo_done(robot->devices.at[0], ticket, ROBO_ERROR, ROBO_WHY_LINK);
    else if (defers && (cmd->op == ROBO_SET_SPEED || cmd->op == ROBO_SET_JOINT))
        deferred = ticket;
    else if (held && cmd->op == ROBO_SET_JOINT_SPEED)
        robo_done(robot->devices.at[0], ticket, ROBO_BUSY, ROBO_WHY_AXIS);
    else
        robo_sim_driver.start(state, cmd, ticket, now);
}

static void lose(void)
{
    down = true;
    robo__robot_lock(robot);
    robo__device_halt(robot->devices.at[0], robo_now(world));
    robo__robot_unlock(robot);
    robo_post_fault(robot->devices.at[0], ROBO_WHY_LINK);
}

static int begin_lossy(void **state)
{
    struct robo_description d = *robot_description();
    only_newest = true;
    down = held = defers = false;
    open_world(state);
    lossy = robo_sim_driver;
    lossy.name = "lossy";
    lossy.start = start;
    assert_int_equal(robo_add_driver(world, &lossy), 0);
    strcpy(d.name, "pioneer2");
    strcpy(d.device[0].driver, "lossy");
    d.dof[LIFT].acceleration = 1;
    assert_int_equal(robo_add(world, &d, &robot), 0);
    robo_release(robot); /* the world holds it */
    return 0;
}

static int end_lossy(void **state)
{
    leave(&client);
    leave(&other);
    assert_int_equal(atomic_load(&world->memory.used), 0);
    return close_world(state);
}

static int begin_bridged(void **state)
{
    begin_lossy(state);
    open_script();
    join(&client, "gamebots+local:?bridge");
    return 0;
}

/* ---- what others do ---- */

enum stop { WHOLE, BASE, DATED, HEAD };

static void stop_as_another(enum stop stop)
{
    char text[128];
    const struct robo__identity who = { .number = 99, .name = "somebody" };
    const struct robo__session_request request = { .who = &who };
    struct robo__session *s = NULL;
    assert_int_equal(
        robo__session_open(robot, NULL, &request, NULL, NULL, robo_now(world), &s, text), 0);
    struct robo_cmd cmd = { .op = ROBO_STOP,
                            .id = 1,
                            .start = ROBO_AT_ONCE,
                            .revision = (uint8_t)robot->revisions->revision,
                            .body.stop.base = stop == BASE };
    if (stop == DATED)
        cmd.start = robo_now(world) + 50000000;
    if (stop == HEAD)
        cmd.body.stop.bytes = cmd.body.stop.mask[0] = 1;
    const struct robo__known known = {
        .epoch = (uint16_t)robo__robot_alarm(robot).epoch,
        .stops = (uint16_t)robo__session_news(s, robo_now(world)).stops,
    };
    robo__session_commands(s, &cmd, 1, known, ROBO_NO_TIME, robo_now(world));
    pass(0.1);
    robo__session_close(s);
}

/* An operator ends all latches. */
static void resume_as_another(void)
{
    char text[128];
    const struct robo__identity who = { .number = 98, .name = "operator" };
    const struct robo__session_request request = { .who = &who };
    struct robo__session *s = NULL;
    struct robo_reply_latch latch;
    assert_int_equal(
        robo__session_open(robot, NULL, &request, NULL, NULL, robo_now(world), &s, text), 0);
    assert_true(robo__session_latched(s, 0, &latch));
    const struct robo_request_resume all = { .scope = 1, .stop = latch.stop };
    assert_int_equal(
        robo__session_request(s, ROBO_Q_RESUME, &all, ROBO_ROLE_OPERATE, NULL, robo_now(world)), 0);
    robo__session_close(s);
}

static void describe_anew(void)
{
    struct robo_description d = *described(robot);
    d.deadman += 1000000;
    assert_int_equal(robo_reload(robot, &d, NULL), 0);
}

/* The first client drives at 1.65 m/s and goes: the base brakes for 1.65 s. The next one wants to drive backwards at once. */
static void wait_for_the_base_at(const char *address)
{
    join(&other, "gamebots+local:");
    say(&other, "INIT {ClassName USARBot.P2AT} {Name R0}");
    say(&other, "DRIVE {Left 20} {Right 20}");
    pass(3);
    assert_float_equal(speed(), 1.65, 1e-6);
    leave(&other);
    pass(0.1);
    join(&client, address);
    say(&client, "INIT {ClassName USARBot.P2AT} {Name R1}");
    say(&client, "DRIVE {Left -10} {Right -10}");
    pass(0.1);
    assert_true(speed() > 1);
}

static void wait_for_the_base(void)
{
    wait_for_the_base_at("gamebots+local:");
}

static void assert_no_drive(void)
{
    for (int i = 0; i < 100; i++) {
        pass(0.1);
        assert_true(speed() > -1e-9);
    }
    assert_float_equal(speed(), 0, 1e-9);
    say(&client, "DRIVE {Left -10} {Right -10}");
    pass(3);
    assert_float_equal(speed(), -0.825, 1e-6);
}

/* ---- without a bridge ---- */

FIXTURE(begin_lossy, end_lossy);

TEST(a_drive_waits_until_the_base_stands)
{
    wait_for_the_base();
    pass(5);
    assert_float_equal(speed(), -0.825, 1e-6);
}

TEST(a_drive_that_waits_ends_with_a_stop_by_another)
{
    for (enum stop stop = WHOLE; stop <= DATED; stop++) {
        wait_for_the_base();
        stop_as_another(stop);
        assert_no_drive();
        leave(&client);
        pass(3);
    }
}

/* Nobody has looked at the refusal when the stop comes. */
TEST(a_drive_that_was_refused_before_a_stop_does_not_wait)
{
    join(&client, "gamebots+local:");
    init(&client);
    defers = true;
    say(&client, "DRIVE {Left -10} {Right -10}");
    pass(0.1);
    assert_int_not_equal(deferred, 0);
    robo__robot_lock(robot);
    robo_done(robot->devices.at[0], deferred, ROBO_BUSY, ROBO_WHY_BRAKING);
    robo__robot_unlock(robot);
    defers = false;
    stop_as_another(WHOLE);
    assert_no_drive();
}

TEST(a_drive_that_waits_ends_with_a_panic)
{
    wait_for_the_base();
    robo_panic(robot);
    pass(0.05);
    robo_reset(robot);
    assert_no_drive();
}

TEST(a_drive_that_waits_ends_with_a_device_that_is_lost)
{
    wait_for_the_base();
    lose();
    down = false; /* it is there again before anybody has looked */
    assert_no_drive();
}

TEST(a_drive_that_waits_ends_with_another_description)
{
    wait_for_the_base();
    describe_anew();
    assert_no_drive();
}

static const char *control = "Control"; /* "Bridge": of a bridge's client */

/* How many lines about its control the client has got since the last time that begin so. */
static int told_of_control(const char *what)
{
    char begin[160];
    int n = 0;
    client.got[client.count] = 0;
    snprintf(begin, sizeof begin, "RES {Type %s} {Name R1} {Status %s", control, what);
    for (const char *at = client.got; (at = strstr(at, begin)); at++)
        n++;
    forget(&client);
    return n;
}

static void go_on(double seconds)
{
    if (strcmp(control, "Bridge") == 0)
        run(seconds); /* with its script */
    else
        pass(seconds);
}

/* Without `strict`, too. */
static void assert_ends_are_told(void)
{
    stop_as_another(WHOLE);
    go_on(0.2);
    stop_as_another(WHOLE);
    go_on(0.2);
    if (strcmp(control, "Control") == 0) /* once: nothing was said since */
        assert_int_equal(
            told_of_control("Failed} {Reason stopped by somebody 99: nothing moves before "
                            "a speed of 0 at rest, 5 s without motion commands or a "
                            "new connection}"),
            1);
    say(&client, "DRIVE {Left 0} {Right 0}"); /* the stop holds until the client has stopped, too */
    go_on(0.2);
    say(&client, "DRIVE {Left 1} {Right 1}");
    go_on(0.5);
    if (strcmp(control, "Control") == 0) { /* and OK says that it holds no more */
        assert_int_equal(told_of_control("OK}"), 1);
        stop_as_another(WHOLE);
        go_on(0.2);
        assert_int_equal(told_of_control("Failed} {Reason stopped by somebody 99: "), 1);
        resume_as_another();
        go_on(0.2);
        assert_int_equal(told_of_control("OK}"), 1);
        say(&client, "DRIVE {Left 1} {Right 1}");
        go_on(0.5);
    }
    forget(&client);
    lose();
    go_on(0.2);
    assert_int_equal(told_of_control("Failed} {Reason a device of the robot is lost"), 1);
    down = false;
    go_on(0.2);
    say(&client, "DRIVE {Left 2} {Right 2}");
    go_on(2);
    assert_int_equal(told_of_control("OK}"), 1);
    robo_panic(robot);
    go_on(0.2);
    assert_int_equal(told_of_control("Failed} {Reason the robot is in panic until someone resets "
                                     "it}"),
                     1);
    go_on(0.5);
    assert_int_equal(told_of_control(""), 0);
    robo_reset(robot);
    go_on(0.2);
    assert_int_equal(told_of_control("OK}"), 1);
    robo_panic(robot);
    robo_reset(robot); /* over before anybody has looked */
    go_on(0.2);
    assert_int_equal(told_of_control(""), 2);
}

TEST(a_client_is_told_of_what_it_has_not_done_itself)
{
    join(&client, "gamebots+local:?deadman=1");
    init(&client);
    stop_as_another(WHOLE);
    pass(0.2);
    assert_int_equal(told_of_control(""), 0); /* nothing was said that this has ended */
    say(&client, "DRIVE {Left 1} {Right 1}");
    say(&client, "PAUSE");
    pass(0.2);
    assert_int_equal(told_of_control(""), 0);
    say(&client, "DRIVE {Left 1} {Right 1}");
    pass(3);
    assert_int_equal(told_of_control("Failed} {Reason nothing has come from its client for 1 s"),
                     1);
    assert_float_equal(speed(), 0, 1e-9);
    say(&client, "DRIVE {Left 1} {Right 1}");
    assert_ends_are_told();
}

/* What a line leaves out is as it was, but not as before a stop. */
TEST(a_steered_speed_ends_with_a_stop_by_another)
{
    join(&client, "gamebots+local:");
    init(&client);
    say(&client, "DRIVE {Speed 2}");
    pass(3);
    assert_float_equal(speed(), 0.165, 1e-6);
    stop_as_another(WHOLE);
    say(&client, "DRIVE {FrontSteer 0.1}");
    pass(3);
    assert_float_equal(speed(), 0, 1e-9);
}

TEST(a_steered_speed_ends_with_a_panic)
{
    join(&client, "gamebots+local:");
    init(&client);
    say(&client, "DRIVE {Speed 2}");
    pass(3);
    robo_panic(robot);
    pass(0.2);
    robo_reset(robot);
    say(&client, "DRIVE {FrontSteer 0.1}");
    pass(3);
    assert_float_equal(speed(), 0, 1e-9);
}

TEST(a_drive_that_waits_does_not_end_with_a_stop_of_another_part)
{
    wait_for_the_base();
    stop_as_another(HEAD);
    pass(5);
    assert_float_equal(speed(), -0.825, 1e-6);
}

TEST(who_waits_hears_that_it_is_in_vain)
{
    wait_for_the_base_at("gamebots+local:?strict");
    forget(&client);
    stop_as_another(BASE);
    assert_non_null(told(&client,
                         "RES {Type DRIVE} {Name R1} {Status Failed} {Reason what waits for "
                         "the robot to brake is not done any more: the robot was "
                         "stopped, or a part of it}"));
    assert_non_null(strstr(log_text, "gamebots: R1: what waits for the robot to brake is not done "
                                     "any more: the robot was stopped, or a part of it"));
}

/* By its line's type, once as long as it stays the same; what the stop itself has ended is told as Control alone. */
TEST(who_is_latched_hears_of_each_line_that_is_refused)
{
    join(&client, "gamebots+local:?strict");
    init(&client);
    say(&client, "DRIVE {Left 1} {Right 1}");
    pass(0.5);
    forget(&client);
    stop_as_another(WHOLE);
    assert_null(told(&client, "RES {Type DRIVE}"));
    for (int i = 0; i < 3; i++) {
        say(&client, "DRIVE {Left 1} {Right 1}");
        pass(0.1);
        const char *refusal =
            told(&client, "RES {Type DRIVE} {Name R1} {Status Failed} {Reason stopped by somebody "
                          "99: nothing moves before a speed of 0 at rest, ");
        assert_true((i == 0) == (refusal != NULL));
        forget(&client);
    }
    say(&client, "DRIVE {Left 0} {Right 0}");
    pass(0.1);
    say(&client, "DRIVE {Left 1} {Right 1}");
    pass(3);
    assert_null(told(&client, "RES {Type DRIVE}"));
    assert_float_equal(speed(), 0.0825, 1e-6);
}

/* What a line leaves out goes on as it was, as does the base. */
TEST(a_stop_of_another_part_leaves_the_base_what_was_said_of_it)
{
    join(&client, "gamebots+local:?strict");
    init(&client);
    say(&client, "DRIVE {Speed 2} {FrontSteer 0.2}");
    pass(3);
    stop_as_another(HEAD);
    forget(&client);
    pass(0.2);
    assert_non_null(told(&client, "{FrontSteer 0.2000}"));
    say(&client, "DRIVE {FrontSteer 0.1}");
    pass(3);
    assert_float_equal(speed(), 0.165, 1e-6);
    robo__robot_lock(robot);
    robo__device_halt(robot->devices.at[0], robo_now(world)); /* as before a wall */
    robo__robot_unlock(robot);
    pass(4);
    assert_non_null(told(&client, "the base stands although it is to drive"));
}

static double lift_speed(void)
{
    return look_at(robot).speed[LIFT];
}

/* The first client lifts at 1.5 rad/s and goes: the joint brakes for 1.5 s. The next one wants it down at once. */
static void wait_for_the_joint(const char *address)
{
    join(&other, "gamebots+local:");
    say(&other, "INIT {ClassName USARBot.P2AT} {Name R0}");
    say(&other, "DRIVE {Name lift} {Value 1.5} {Order 1}");
    pass(3);
    assert_float_equal(fabs(lift_speed()), 1.5, 1e-6);
    leave(&other);
    pass(0.1);
    join(&client, address);
    say(&client, "INIT {ClassName USARBot.P2AT} {Name R1}");
}

TEST(a_joint_waits_until_it_stands)
{
    wait_for_the_joint("gamebots+local:?strict");
    const double way = lift_speed() > 0 ? 1 : -1;
    say(&client, "DRIVE {Name lift} {Value -0.9} {Order 1}");
    say(&client, "DRIVE {Name lift} {Value -0.5} {Order 1}"); /* the newest counts */
    pass(0.1);
    assert_true(way * lift_speed() > 1);
    pass(5);
    assert_float_equal(way * lift_speed(), -0.5, 1e-6);
    assert_null(told(&client, "Failed"));
}

TEST(a_joint_that_waits_ends_with_a_stop)
{
    for (int pauses = 0; pauses < 2; pauses++) {
        wait_for_the_joint("gamebots+local:");
        say(&client, "DRIVE {Name lift} {Value -0.5} {Order 1}");
        pass(0.1);
        if (pauses)
            say(&client, "PAUSE");
        else
            stop_as_another(HEAD);
        pass(5);
        assert_float_equal(lift_speed(), 0, 1e-9);
        leave(&client);
        pass(1);
    }
}

/* By the type that the line had, as its other answers. */
TEST(what_waits_and_ends_is_answered_by_its_own_type)
{
    static const char *const lines[][2] = {
        { "MISPKG {Name shoulder} {Link 1} {Value -0.5} {Order 1}",
          "RES {Type MISPKG} {Name R1} {Status Failed}" },
        { "ACT {Name shoulder} {Link 0} {Value -0.5} {Order 1}",
          "RES {Type ACT} {Name R1} {Status Failed}" },
        { "SET {Type Joint} {Name lift} {Opcode Angle} {Params 0.1}",
          "RES {Type Joint} {Name R1} {Status Failed}" },
    };
    for (unsigned i = 0; i < 3; i++) {
        wait_for_the_joint("gamebots+local:?strict");
        say(&client, lines[i][0]);
        forget(&client);
        stop_as_another(HEAD);
        pass(0.1);
        assert_non_null(told(&client, lines[i][1]));
        pass(3);
        leave(&client);
        pass(1);
    }
}

/* Its device knows no torques: the angle of before is still gone to. */
TEST(what_fails_behind_a_newer_refusal_is_answered_by_its_own_type)
{
    join(&client, "gamebots+local:?strict");
    init(&client);
    defers = true;
    say(&client, "MISPKG {Name shoulder} {Link 1} {Value 0.5}");
    say(&client, "MISPKG {Name shoulder} {Link 1} {Value 1} {Order 2}");
    pass(0.1);
    assert_non_null(told(&client, "RES {Type MISPKG} {Name R1} {Status Failed} {Reason na: "));
    forget(&client);
    robo__robot_lock(robot);
    robo_done(robot->devices.at[0], deferred, ROBO_ERROR, ROBO_WHY_BLOCKED);
    robo__robot_unlock(robot);
    pass(0.1);
    assert_non_null(told(&client, "RES {Type MISPKG} {Name R1} {Status Failed} {Reason error: "));
}

/* What holds it may do so for minutes: nobody expects the joint to move when that is over. */
TEST(a_joint_that_another_motion_holds_does_not_wait)
{
    join(&client, "gamebots+local:?strict");
    init(&client);
    say(&client, "DRIVE {Left 2} {Right 2}");
    pass(3);
    assert_float_equal(speed(), 0.165, 1e-6);
    held = true;
    forget(&client);
    say(&client, "DRIVE {Name lift} {Value 0.5} {Order 1}");
    pass(1);
    assert_non_null(told(&client, "RES {Type DRIVE} {Name R1} {Status Failed} {Reason busy: "));
    say(&client, "DRIVE {Left 2} {Right 2}"); /* taken: the next refusal is news */
    say(&client, "MISPKG {Name shoulder} {Link 1} {Value 0.5} {Order 1}");
    pass(1);
    assert_non_null(told(&client, "RES {Type MISPKG} {Name R1} {Status Failed} {Reason busy: "));
    say(&client, "DRIVE {Left 0} {Right 0}");
    pass(1);
    assert_float_equal(speed(), 0, 1e-9);
    held = false;
    pass(3);
    assert_float_equal(lift_speed(), 0, 1e-9);
    say(&client, "DRIVE {Name lift} {Value 0.5} {Order 1}");
    pass(3);
    assert_float_equal(fabs(lift_speed()), 0.5, 1e-6);
}

/* ---- with a bridge, whose script says the same again and again ---- */

/* A behaviour whose wish is never the same, as one that slows down near obstacles. */
static void wish_anew(void)
{
    static double x = 0.2;
    const struct robo_bridge_wish wish = { .base = true, .velocity = { x += 1e-6 } };
    robo_bridge_hand_over(bridge, view.epoch, &wish);
}

static void assert_a_new_line_drives(void)
{
    say(&client, "DRIVE {Left 2} {Right 2}");
    run(3);
    assert_float_equal(speed(), 0.165, 1e-6);
}

TEST(a_device_that_is_lost_ends_the_epoch_and_the_client_is_told, begin_bridged, end)
{
    drive();
    const uint32_t before = view.epoch;
    forget(&client);
    lose();
    wish_anew(); /* it has not heard of it */
    run(0.5);
    assert_true(view.epoch > before);
    assert_non_null(told(&client, "RES {Type Bridge} {Name R1} {Status Failed} {Reason a device of "
                                  "the robot is lost: the robot stops}"));
    down = false;
    assert_at_rest();
    assert_a_new_line_drives();
}

TEST(a_bridge_s_client_is_told_of_what_it_has_not_done_itself, begin_bridged, end)
{
    drive();
    control = "Bridge";
    assert_ends_are_told();
    control = "Control";
}

TEST(a_wish_that_nobody_can_carry_out_ends_the_epoch, begin_bridged, end)
{
    init(&client);
    run(0.1);
    lose();
    run(0.5);
    const uint32_t before = view.epoch;
    forget(&client);
    say(&client, "DRIVE {Left 2} {Right 2}");
    run(0.1);
    assert_true(view.epoch > before);
    const char *why = told(&client, "RES {Type Bridge} {Name R1} {Status Failed} {Reason error: ");
    assert_non_null(why);
    assert_null(strstr(why + 1, "RES {Type Bridge}")); /* once as long as it stays the same */
    forget(&client);
    say(&client, "DRIVE {Left 3} {Right 3}");
    run(0.1);
    assert_null(told(&client, "RES {Type Bridge}"));
    down = false;
    assert_at_rest();
    assert_a_new_line_drives();
}

TEST(another_description_ends_the_epoch, begin_bridged, end)
{
    drive();
    const uint32_t before = view.epoch;
    describe_anew();
    wish_anew();
    assert_at_rest();
    assert_true(view.epoch > before);
    assert_a_new_line_drives();
}

/* Its thread hangs longer than the robot's deadman time of 0.5 s. */
TEST(a_stop_by_the_deadman_ends_the_epoch, begin_bridged, end)
{
    drive();
    const uint32_t before = view.epoch;
    robo__robot_lock(robot);
    for (struct robo__mover *m = robot->movers.first; m; m = m->next)
        atomic_store(&m->last_heard, robo_now(world) - 600000000);
    for (struct robo__mover *m = robot->movers.moving; m; m = m->next_moving)
        m->watched = robo_now(world);
    robo__deadman_run(&robot->timeline, robo_now(world));
    robo__robot_unlock(robot);
    assert_at_rest();
    assert_true(view.epoch > before);
    assert_a_new_line_drives();
}

TEST(a_stop_of_the_base_alone_ends_the_epoch_and_all_that_moves, begin_bridged, end)
{
    drive();
    say(&client, "DRIVE {Name tilt} {Value 0.1} {Order 1}");
    run(0.3);
    assert_float_equal(look_at(robot).speed[1], 0.1, 1e-6);
    const uint32_t before = view.epoch;
    stop_as_another(BASE);
    assert_float_equal(look_at(robot).speed[1], 0, 1e-9);
    wish_anew();
    assert_at_rest();
    assert_true(view.epoch > before);
    assert_a_new_line_drives();
}

TEST(a_stop_of_a_part_is_told_to_the_client_whose_robot_stops, begin_bridged, end)
{
    drive();
    forget(&client);
    stop_as_another(HEAD);
    run(0.1);
    assert_non_null(told(&client,
                         "RES {Type Bridge} {Name R1} {Status Failed} {Reason the robot was "
                         "stopped, or a part of it: all of it stops}"));
    assert_non_null(
        strstr(log_text, "gamebots: R1: the robot was stopped, or a part of it: all of it stops"));
    forget(&client);
    say(&client, "PAUSE"); /* its own */
    run(1.1);
    assert_null(told(&client, "Failed"));
    stop_as_another(WHOLE); /* of everything: it latches */
    run(0.1);
    assert_non_null(told(&client, "RES {Type Bridge} {Name R1} {Status Failed} {Reason stopped by "
                                  "somebody 99: nothing moves before "));
    assert_non_null(strstr(log_text, "gamebots: R1: stopped by somebody 99: "));
}

/* What a behaviour wishes, and does not change, is handed over once. */
TEST(a_joint_waits_for_a_script_too, begin_bridged, end)
{
    leave(&client);
    wait_for_the_joint("gamebots+local:?bridge");
    const double way = lift_speed() > 0 ? 1 : -1;
    run(0.05);
    say(&client, "DRIVE {Name lift} {Value -0.5} {Order 1}");
    run(0.1);
    assert_true(way * lift_speed() > 1);
    run(5);
    assert_float_equal(way * lift_speed(), -0.5, 1e-6);
}

/* What it waits with is the connection's: the script's stop and its error are its end. */
TEST(a_drive_that_waits_ends_with_a_stop_or_an_error_of_the_script, begin_bridged, end)
{
    for (int fails = 0; fails < 2; fails++) {
        leave(&client);
        pass(3);
        join(&other, "gamebots+local:");
        say(&other, "INIT {ClassName USARBot.P2AT} {Name R0}");
        say(&other, "DRIVE {Left 20} {Right 20}");
        pass(3);
        leave(&other);
        join(&client, "gamebots+local:?bridge");
        init(&client);
        run(0.05);
        say(&client, "DRIVE {Left -10} {Right -10}");
        run(0.1);
        assert_true(speed() > 1);
        if (fails)
            robo_bridge_fail(bridge, view.user, "boom");
        else
            robo_bridge_hand_over(bridge, view.epoch, &(struct robo_bridge_wish){ .stops = true });
        for (int i = 0; i < 50; i++) {
            run(0.1);
            assert_true(speed() > -1e-9);
        }
        assert_a_new_line_drives();
    }
}
