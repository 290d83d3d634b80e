/* The server of Gamebots where lines are no matter: floods, clients that do not read, who drives, and what is left when a connection
 * ends. */
#include "fixture_gamebots.h"

#include "../memory.h"
#include "gamebots/connection.h"
#include "robot/world/inside.h"

static struct client client, other;
static robo_robot *robot;

static int begin(void **state)
{
    only_newest = true;
    open_world(state);
    robot = add_robot("pioneer2");
    join(&client, "gamebots+local:");
    return 0;
}

static int end(void **state)
{
    leave(&client);
    leave(&other);
    assert_int_equal(atomic_load(&world->memory.used), 0);
    return close_world(state);
}

static void init(struct client *c)
{
    say(c, "INIT {ClassName USARBot.P2AT} {Name R1}");
}

static double speed(void)
{
    return look_at(robot).twist[0];
}

/* The newest bytes that have come, from that word on; NULL: it is not there. */
static const char *told(struct client *c, const char *word)
{
    return strstr(c->got, word);
}

static void forget(struct client *c)
{
    c->count = c->read = 0;
    c->got[0] = 0;
}

static struct robo_cmd set_speed(double x)
{
    return (struct robo_cmd){ .op = ROBO_SET_SPEED, .start = ROBO_AT_ONCE, .body.set_speed.x = x };
}

/* A program of another protocol: its session with the robot. */
static struct robo__session *open_other(void)
{
    char text[128];
    const struct robo__identity who = { .number = 99, .name = "somebody" };
    const struct robo__session_request request = { .who = &who };
    struct robo__session *s = NULL;
    assert_int_equal(
        robo__session_open(robot, NULL, &request, NULL, NULL, robo_now(world), &s, text), 0);
    return s;
}

static void command(struct robo__session *s, double x)
{
    struct robo_cmd cmd = set_speed(x);
    static uint32_t id;
    cmd.id = ++id;
    const struct robo__known known = {
        .epoch = (uint16_t)robo__robot_alarm(robot).epoch,
        .stops = (uint16_t)robo__session_news(s, robo_now(world)).stops,
    };
    robo__session_commands(s, &cmd, 1, known, ROBO_NO_TIME, robo_now(world));
}

static uint8_t signal_of(struct robo__session *s)
{
    struct robo_result result;
    assert_int_equal(robo__session_results(s, &result, 1), 1);
    return result.signal;
}

/* ---- floods ---- */

FIXTURE(begin, end);

TEST(of_lines_that_come_together_only_the_newest_is_a_command)
{
    struct robo_reply_status before, after;
    static char flood[40 * 3000];
    init(&client);
    struct robo__gb_connection *own = client.conn.state;
    assert_non_null(own->seat.session);
    robo__session_status(own->seat.session, &before);
    for (int i = 0; i < 3000; i++)
        sprintf(flood + strlen(flood), "DRIVE {Left %d} {Right %d}\r\n", i % 7, i % 7);
    strcat(flood, "DRIVE {Left 2} {Right 2}\r\n");
    send(&client, flood, strlen(flood));
    robo__session_status(own->seat.session, &after);
    assert_int_equal(after.executed - before.executed, 1);
    pass(3);
    assert_float_equal(speed(), 0.165, 1e-6);
}

TEST(a_flood_that_is_cut_in_mid_line_stops_the_robot)
{
    init(&client);
    say(&client, "DRIVE {Left 2} {Right 2}");
    pass(3);
    send(&client, "DRIVE {Left 9} {Ri", 18);
    leave(&client);
    pass(3);
    assert_float_equal(speed(), 0, 1e-9);
}

TEST(a_line_of_a_megabyte_is_dropped_and_told_and_the_next_one_counts)
{
    static char junk[4096];
    memset(junk, 'x', sizeof junk);
    init(&client);
    forget(&client);
    for (int i = 0; i < 256; i++) {
        send(&client, junk, sizeof junk);
        assert_true(client.conn.in_size <= 2 * 65536 + sizeof junk);
    }
    assert_non_null(told(&client, "RES {Type Line} {Name } {Status Failed}"));
    send(&client, "\r\nDRIVE {Left 2} {Right 2}\r\n", 28);
    pass(3);
    assert_float_equal(speed(), 0.165, 1e-6);
}

/* ---- clients that do not read ---- */

TEST(a_slow_client_is_told_the_newest_and_keeps_little)
{
    init(&client);
    forget(&client);
    client.stalls = true;
    pass(20);
    size_t waiting;
    robo__conn_output(&client.conn, &waiting);
    assert_true(waiting > 0);
    assert_in_range(waiting, 1, ROBO__CONN_BUSY + 49152);
    client.stalls = false;
    settle(&client);
    forget(&client);
    pass(0.11);
    assert_non_null(told(&client, "STA {Type GroundVehicle} {Time 21.1"));
}

TEST(questions_of_a_client_that_does_not_read_are_not_kept)
{
    init(&client);
    client.stalls = true;
    for (int i = 0; i < 2000; i++)
        say(&client, "GETGEO {Type Sonar}");
    size_t waiting;
    robo__conn_output(&client.conn, &waiting);
    assert_in_range(waiting, ROBO__CONN_OUT / 2, ROBO__CONN_OUT + 4096);
    /* and what it sends is worked on all the same: it may be a stop */
    say(&client, "DRIVE {Left 2} {Right 2}");
    pass(3);
    assert_float_equal(speed(), 0.165, 1e-6);
}

TEST(a_client_that_takes_nothing_for_half_a_minute_is_closed_and_its_robot_stops)
{
    init(&client);
    say(&client, "DRIVE {Left 2} {Right 2}");
    client.stalls = true;
    pass(29);
    assert_false(client.conn.closing);
    pass(2);
    assert_true(client.conn.closing);
    assert_non_null(strstr(log_text, "the client reads nothing"));
}

TEST(answers_to_wrong_lines_are_not_kept_either)
{
    init(&client);
    client.stalls = true;
    for (int i = 0; i < 4000; i++)
        say(&client, "DRIVE {Left 1,5} {Right 1}");
    size_t waiting;
    robo__conn_output(&client.conn, &waiting);
    assert_in_range(waiting, ROBO__CONN_OUT / 2, ROBO__CONN_OUT + 4096);
}

/* ---- robots without wheels ---- */

/* One whose root is moved along x, y, z and about z. */
static void add_flyer(void)
{
    static struct robo_description d;
    static const struct robo_dof slide = {
        .kind = ROBO_PRISMATIC, .low = -50, .high = 50, .speed = 1, .acceleration = 1
    };
    begin_description(&d, 4,
                      (struct robo_description){ .name = "flyer",
                                                 .links = 1,
                                                 .joints = 1,
                                                 .dofs = 4,
                                                 .frames = 1,
                                                 .devices = 1,
                                                 .commands = UINT64_MAX,
                                                 .deadman = 500000000 });
    strcpy(d.device[0].driver, "sim");
    strcpy(d.link[0].name, "body");
    strcpy(d.joint[0].name, "flight");
    strcpy(d.frame[0].name, "body");
    d.frame[0].servo = ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED;
    d.joint[0] = (struct robo_joint){ .name = "flight",
                                      .parent = ROBO_WORLD,
                                      .servo = ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED,
                                      .rest = { 1, 0, 0, 0, 1, 0, 0, 0, 1 },
                                      .dofs = 4 };
    for (int i = 0; i < 4; i++) {
        d.dof[i] = slide;
        sprintf(d.dof[i].name, "%c", "xyzt"[i]);
        d.dof[i].axis[i < 3 ? i : 2] = 1;
    }
    d.dof[3].kind = ROBO_REVOLUTE;
    assert_int_equal(robo_add(world, &d, NULL), 0);
}

TEST(what_flies_goes_ahead_up_and_to_the_right)
{
    add_flyer();
    say(&client, "INIT {ClassName USARBot.AirRobot} {Name A}");
    say(&client, "DRIVE {LinearVelocity 0.2} {LateralVelocity 0.1} {AltitudeVelocity 0.3}");
    pass(2);
    forget(&client);
    say(&client, "DRIVE {LinearVelocity 0} {LateralVelocity 0} {AltitudeVelocity 0}"
                 " {RotationalVelocity 0.5}");
    pass(1);
    robo_robot *flyer = robo_find(world, "flyer");
    assert_non_null(flyer);
    const struct robo_state s = look_at(flyer);
    robo_release(flyer);
    assert_true(s.position[0] > 0.3);
    assert_true(s.position[1] < -0.15); /* to our right */
    assert_true(s.position[2] > 0.4);
    assert_true(s.position[3] < -0.3); /* clockwise */
    assert_non_null(told(&client, "STA {Type AerialVehicle}"));
    /* there y is to the right, and z down */
    assert_non_null(told(&client, "SEN {Time 3.50} {Type INS} {Name INS} {Location 0."));
    double place[3], attitude[3];
    assert_int_equal(sscanf(strrchr(client.got, 'L'),
                            "Location %lf,%lf,%lf} {Orientation %lf,%lf,%lf", &place[0], &place[1],
                            &place[2], &attitude[0], &attitude[1], &attitude[2]),
                     6);
    assert_true(place[1] > 0.15);
    assert_true(place[2] < -0.4);
    assert_true(attitude[2] > 0.3 && attitude[2] < 1);
    say(&client, "GETCONF {Type INS}");
    assert_non_null(told(&client, "CONF {Type INS} {Name INS} {ScanInterval 0.1000}\r\n"));
}

TEST(a_robot_that_does_not_drive_says_so)
{
    struct robo_description d = *robot_description();
    snprintf(d.name, sizeof d.name, "arm");
    d.device[0].base = 0;
    assert_int_equal(robo_add(world, &d, NULL), 0);
    say(&client, "INIT {ClassName arm} {Name A}");
    say(&client, "DRIVE {Left 1} {Right 1}");
    assert_non_null(told(&client, "RES {Type DRIVE} {Name A} {Status Failed} {Reason this robot "
                                  "does not drive}"));
    forget(&client);
    say(&client, "DRIVE {LinearVelocity 1}");
    assert_non_null(told(&client, "this robot does not drive"));
    pass(0.1);
    assert_non_null(told(&client, "STA {Type StaticPlatform}"));
}

/* ---- who drives ---- */

TEST(a_client_has_the_lease_from_init_on)
{
    struct robo__session *s = open_other();
    init(&client);
    pass(60); /* longer than any lease lasts by itself */
    command(s, 0.1);
    assert_int_equal(signal_of(s), ROBO_BUSY);
    robo__session_close(s);
}

TEST(a_robot_without_memory_for_it_is_not_called_taken)
{
    static const char line[] = "INIT {ClassName USARBot.P2AT} {Name R1}\r\n";
    unsigned refused = 0;
    bool failed = true;
    for (long n = 1; failed; n++) {
        forget(&client);
        client.stalls = true; /* then the connection keeps its room for what is said */
        say(&client, "GETSTARTPOSES");
        memory_fail_from(n);
        send(&client, line, strlen(line)); /* a whole one, so that it waits nowhere */
        failed = memory_failed();
        memory_fail_at(0);
        client.stalls = false;
        settle(&client);
        assert_null(told(&client, "no robot of that class is free"));
        refused += told(&client, "{Status Failed} {Reason there is no memory for a robot}") != NULL;
    }
    assert_true(refused > 1);
    pass(0.2);
    assert_non_null(told(&client, "STA "));
}

TEST(what_a_client_has_of_a_robot_is_in_the_worlds_budget)
{
    const size_t total = world->memory.total, before = atomic_load(&world->memory.used);
    world->memory.total = before + 1000;
    init(&client);
    assert_non_null(told(&client, "{Status Failed} {Reason there is no memory for a robot}"));
    world->memory.total = total;
    init(&client);
    pass(0.2);
    assert_non_null(told(&client, "STA "));
    settle(&client);
    assert_true(atomic_load(&world->memory.used) - before >=
                robo__gb_vehicle_size(robot_description()));
    leave(&client); /* and the end asserts that nothing is left */
}

TEST(a_robot_that_somebody_drives_is_not_free)
{
    struct robo__session *s = open_other();
    command(s, 0.1);
    forget(&client);
    init(&client);
    assert_non_null(told(&client, "RES {Type INIT} {Name R1} {Status Failed} {Reason no robot of "
                                  "that class is free: another client has it}"));
    robo__session_close(s);
    pass(2);
    init(&client);
    say(&client, "DRIVE {Left 2} {Right 2}");
    pass(3);
    assert_float_equal(speed(), 0.165, 1e-6);
}

TEST(who_loses_the_lease_is_told_and_asks_for_it_by_init)
{
    static const struct robo_request_take everything = { .force = 1 };
    struct robo_reply_take reply;
    init(&client);
    say(&client, "DRIVE {Left 2} {Right 2}");
    pass(3);
    struct robo__session *s = open_other();
    forget(&client);
    assert_int_equal(robo__session_request(s, ROBO_Q_TAKE, &everything, ROBO_ROLE_OPERATE, &reply,
                                           robo_now(world)),
                     0);
    pass(1);
    assert_non_null(told(&client, "RES {Type Control} {Name R1} {Status Failed} {Reason another "
                                  "client has taken control}"));
    assert_float_equal(speed(), 0, 1e-6);
    say(&client, "DRIVE {Left 2} {Right 2}");
    pass(1);
    assert_float_equal(speed(), 0, 1e-6);
    say(&client, "INIT {ClassName USARBot.P2AT} {Name R1}");
    assert_non_null(told(&client, "{Reason another client controls the robot}"));
    robo__session_close(s);
    /* it does not come back by itself: that would surprise who has just let go */
    say(&client, "DRIVE {Left 2} {Right 2}");
    pass(3);
    assert_float_equal(speed(), 0, 1e-6);
    say(&client, "INIT {ClassName USARBot.P2AT} {Name R1}");
    say(&client, "DRIVE {Left 2} {Right 2}");
    pass(3);
    assert_float_equal(speed(), 0.165, 1e-6);
}

/* Its lines are carried out no more, so the base must not go on with the last of them. */
TEST(who_loses_the_head_alone_drives_no_further)
{
    static const struct robo_request_take head = { .bytes = 1, .mask = { 1 }, .force = 1 };
    struct robo_reply_take reply;
    init(&client);
    say(&client, "DRIVE {Left 2} {Right 2}");
    pass(3);
    struct robo__session *s = open_other();
    assert_int_equal(
        robo__session_request(s, ROBO_Q_TAKE, &head, ROBO_ROLE_OPERATE, &reply, robo_now(world)),
        0);
    pass(1);
    assert_float_equal(speed(), 0, 1e-6);
    robo__session_close(s);
}

/* What stops a robot that nobody is there for any more: its session's own deadman, as this thread's pulses are missing. */
TEST(the_robots_own_deadman_goes_on)
{
    init(&client);
    say(&client, "DRIVE {Left 2} {Right 2}");
    pass(3);
    struct robo__gb_connection *own = client.conn.state;
    robo__timer_stop(host.timers, &own->seat.pulse);
    robo__timer_stop(host.timers, &own->tick);
    pass(3);
    assert_float_equal(speed(), 0, 1e-6);
}

/* ---- what is left ---- */

/* Ten thousand of them cost nothing then. */
TEST(a_connection_without_init_has_no_timers)
{
    pass(1);
    const struct robo__gb_connection *own = client.conn.state;
    assert_int_equal(own->tick.place, ROBO__TIMER_IDLE);
    assert_int_equal(own->seat.pulse.place, ROBO__TIMER_IDLE);
}

TEST(a_connection_without_init_takes_no_robot)
{
    say(&client, "DRIVE {Left 2} {Right 2}");
    say(&client, "GETCONF {Type Robot}");
    assert_null(told(&client, "CONF"));
    join(&other, "gamebots+local:");
    init(&other);
    pass(0.1);
    assert_non_null(told(&other, "STA "));
    assert_null(told(&client, "STA "));
}

TEST(an_address_may_name_its_robot)
{
    add_robot("pioneer2_b");
    join(&other, "gamebots+local:pioneer2_b");
    say(&other, "INIT {ClassName P2AT} {Name Z}");
    say(&other, "DRIVE {Left 2} {Right 2}");
    pass(3);
    assert_float_equal(speed(), 0, 1e-9);
    leave(&other);
    join(&other, "gamebots+local:pioneer2_b");
    say(&other, "INIT {ClassName P2AT} {Name pioneer2}");
    say(&other, "DRIVE {Left 2} {Right 2}");
    pass(3);
    assert_float_equal(speed(), 0, 1e-9);
}

TEST(a_robot_that_is_removed_ends_the_connection)
{
    init(&client);
    pass(1);
    robo_remove(robot);
    pass(1);
    assert_true(client.conn.closing);
}

TEST(a_robot_that_is_described_anew_goes_on)
{
    struct robo_description d = *robot_description();
    snprintf(d.name, sizeof d.name, "pioneer2");
    d.sensors = 1;
    init(&client);
    pass(1);
    assert_int_equal(robo_reload(robot, &d, NULL), 0);
    say(&client, "DRIVE {Left 2} {Right 2}");
    pass(3);
    assert_float_equal(speed(), 0.165, 1e-6);
    forget(&client);
    say(&client, "DRIVE {Left 1,5} {Right 1}");
    assert_non_null(told(&client, "RES {Type DRIVE} {Name R1}"));
    say(&client, "GETCONF {Type Sonar}");
    assert_non_null(told(&client, "{Name F1}"));
    assert_null(told(&client, "{Name F2}"));
}

TEST(more_names_than_there_is_room_for_push_out_those_that_left_first)
{
    char line[64];
    leave(&client);
    for (int i = 0; i < ROBO__GB_NAMES + 10; i++) {
        join(&client, "gamebots+local:");
        sprintf(line, "INIT {ClassName P2AT} {Name N%d}", i);
        say(&client, line);
        struct robo__gb_connection *own = client.conn.state;
        assert_non_null(own->name_given);
        leave(&client);
    }
    join(&client, "gamebots+local:");
}

static int count(const char *text, const char *word)
{
    int n = 0;
    while ((text = strstr(text, word)) != NULL)
        text++, n++;
    return n;
}

/* A client may ask again and again; each time it is answered. */
TEST(an_init_that_is_refused_is_logged_once_as_long_as_it_is_the_same)
{
    join(&other, "gamebots+local:");
    init(&other);
    for (int i = 0; i < 100; i++)
        say(&client, "INIT {ClassName USARBot.Zerg} {Name R2}");
    say(&client, "INIT {ClassName USARBot.Yeti} {Name R2}");
    pass(1);
    assert_int_equal(count(log_text, "INIT: "), 2);
    assert_int_equal(count(client.got, "{Status Failed}"), 101);
}

TEST(inits_that_are_refused_in_many_connections_are_a_line_a_second)
{
    init(&client);
    for (int i = 0; i < 50; i++) {
        join(&other, "gamebots+local:");
        say(&other, "INIT {ClassName USARBot.Yeti} {Name R2}");
        leave(&other);
    }
    assert_int_equal(count(log_text, "INIT: "), 1);
    pass(1);
    assert_int_equal(count(log_text, "INIT: "), 2);
    assert_non_null(strstr(log_text, "49 more; the last: gamebots: INIT: Yeti: no robot here is of "
                                     "that class"));
}
