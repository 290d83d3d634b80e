/* What a Player server does longer than one command takes: a velocity that finds the base braking for somebody else, and a heading that
 * is kept. The simulated base takes 0.5 m/s2 and 1 rad/s2. */
#include "fixture_player.h"
#include "../described.h"

#include "../base_robot.h"
#include "drivers.h"

static int begin_base(void **state)
{
    const struct robo_options options = virtual_options(1);
    struct robo_description d = base_robot("rover", "sim");
    forget_log();
    world = robo_open(&options);
    assert_non_null(world);
    world->log = on_log;
    d.base_speed[0] = 1;
    d.base_speed[2] = 2;
    d.base_acceleration[0] = 0.5;
    d.base_acceleration[2] = 1;
    d.devices = 2; /* another, which moves nothing */
    snprintf(d.device[1].driver, sizeof d.device[1].driver, "sim");
    assert_int_equal(robo_add_driver(world, &robo_sim_driver), 0);
    assert_int_equal(robo_add(world, &d, NULL), 0);
    robo__host_init(&host, world, NULL);
    return 0;
}

static struct robo_state look(void)
{
    struct robo_state s;
    robo_robot *rover = robo_find(world, "rover");
    robo_read(rover, &s, sizeof s);
    robo_release(rover);
    return s;
}

static void is_near(double x, double wanted, double within)
{
    if (fabs(x - wanted) > within)
        fail_msg("%g, not %g", x, wanted);
}

/* The first client drives at 1 m/s and goes, so that the base brakes for 2 s. */
static void leave_it_braking(void)
{
    struct client first;
    join(&first);
    drive(&first, 1, 0, 0);
    pass(3);
    leave(&first);
    pass(0.1);
}

static double refused(struct client *c)
{
    return ask(c, POSITION, 0, 254,
               (struct robo__player_body){
                   .array = { { .count = 8, .raw = (const uint8_t *)"refused" } } })
        ->body.value[0];
}

FIXTURE(begin_base, end);

TEST(a_velocity_waits_for_a_base_that_brakes)
{
    struct client c;
    leave_it_braking();
    join(&c);
    drive(&c, 0.5, 0, 0.25);
    pass(0.5);
    assert_true(look().twist[0] < 1 && look().spin[2] == 0); /* not yet */
    pass(4);
    is_near(look().twist[0], 0.5, 1e-9);
    is_near(look().spin[2], 0.25, 1e-9);
    assert_true(refused(&c) == 0);
    assert_int_equal(logged("BUSY"), 0);
    leave(&c);
}

TEST(a_heading_waits_for_a_base_that_brakes)
{
    struct client c;
    leave_it_braking();
    join(&c);
    say(&c, POSITION, 0, CMD, 4, NUMBERS(0.25, 1));
    pass(0.5);
    assert_true(look().spin[2] == 0); /* not yet */
    pass(10);
    is_near(look().attitude[2], 1, 0.01);
    is_near(look().twist[0], 0.25, 1e-9);
    assert_true(refused(&c) == 0);
    leave(&c);
}

TEST(of_those_that_wait_the_newest_counts)
{
    struct client c;
    leave_it_braking();
    join(&c);
    drive(&c, 0.5, 0, 0);
    drive(&c, -0.25, 0, 0);
    pass(5);
    is_near(look().twist[0], -0.25, 1e-9);
    leave(&c);
    leave_it_braking();
    join(&c);
    drive(&c, 0.5, 0, 0);
    ask(&c, POSITION, 0, 2, NUMBERS(0)); /* motors off: it is forgotten */
    pass(5);
    is_near(look().twist[0], 0, 1e-9);
    leave(&c);
}

/* Somebody of this process, as the terminal's user. */
/* base: of the base alone, not of everything. */
static void stop_as_another(bool base)
{
    struct robo__session *s;
    char why[128];
    const struct robo__identity who = { .number = 99, .name = "another" };
    const struct robo__session_request direct = { .who = &who };
    robo_robot *rover = robo_find(world, "rover");
    assert_int_equal(robo__session_open(rover, NULL, &direct, NULL, NULL, robo_now(world), &s, why),
                     0);
    struct robo_cmd cmd = { .op = ROBO_STOP,
                            .id = 1,
                            .start = ROBO_AT_ONCE,
                            .revision = (uint8_t)rover->revisions->revision,
                            .body.stop.base = base };
    const struct robo__known known = { .stops =
                                           (uint16_t)robo__session_news(s, robo_now(world)).stops,
                                       .epoch = (uint16_t)robo__robot_alarm(rover).epoch };
    robo__session_commands(s, &cmd, 1, known, ROBO_NO_TIME, robo_now(world));
    robo__session_close(s);
    robo_release(rover);
}

/* Its link is lost, and there again before anybody has looked. */
static void lose(unsigned device)
{
    robo_robot *rover = robo_find(world, "rover");
    robo_post_fault(rover->devices.at[device], ROBO_WHY_LINK);
    robo_release(rover);
}

static void describe_anew(void)
{
    robo_robot *rover = robo_find(world, "rover");
    assert_int_equal(robo_reload(rover, described(rover), &(struct robo_reload_report){ 0 }), 0);
    robo_release(rover);
}

TEST(nothing_waits_over_what_stops_the_robot)
{
    struct client c;
    for (int what = 0; what < 4; what++) {
        leave_it_braking();
        join(&c);
        drive(&c, 0.5, 0, 0);
        if (what < 2)
            stop_as_another(what);
        else if (what == 2)
            lose(0);
        else
            describe_anew();
        pass(5);
        is_near(look().twist[0], 0, 1e-9);
        assert_true(refused(&c) == 1); /* and its client is told */
        assert_int_equal(logged("what waited for the base is dropped: a stop, a loss"), what + 1);
        leave(&c);
    }
    leave_it_braking();
    join(&c);
    drive(&c, 0.5, 0, 0);
    robo_robot *rover = robo_find(world, "rover");
    robo_panic(rover);
    pass(3);
    robo_reset(rover);
    robo_release(rover);
    pass(3);
    is_near(look().twist[0], 0, 1e-9);
    leave(&c);
}

TEST(nothing_waits_longer_than_the_clients_deadman_time)
{
    struct client c;
    leave_it_braking();
    join_at(&c, "player+local:?deadman=0.5");
    drive(&c, 0.5, 0, 0);
    pass(5);
    is_near(look().twist[0], 0, 1e-9);
    leave(&c);
}

TEST(a_heading_is_turned_to_and_kept)
{
    struct client c;
    join(&c);
    ask(&c, POSITION, 0, 5, NUMBERS(0, 0, 1)); /* its odometry has the base at 1 rad */
    double most = 0;
    say(&c, POSITION, 0, CMD, 4, NUMBERS(0.25, -1));
    for (int i = 0; i < 100; i++) {
        pass(0.05);
        most = fmax(most, -look().attitude[2]);
    }
    is_near(look().attitude[2], -2, 0.01);
    assert_true(most < 2.1); /* it does not swing */
    is_near(look().twist[0], 0.25, 1e-9);
    pass(20);
    is_near(look().attitude[2], -2, 0.01);
    drive(&c, 0, 0, 0.5); /* until another command */
    pass(4);
    is_near(look().spin[2], 0.5, 1e-9);
    leave(&c);
    pass(5);
    is_near(look().spin[2], 0, 1e-9);
}

TEST(a_heading_is_kept_no_more_after_a_stop)
{
    struct client c;
    join(&c);
    for (int base = 0; base < 2; base++) {
        say(&c, POSITION, 0, CMD, 4, NUMBERS(0.25, base ? -3 : 3));
        pass(0.5);
        assert_true(look().spin[2] != 0);
        stop_as_another(base);
        pass(5);
        is_near(look().twist[0], 0, 1e-9);
        is_near(look().spin[2], 0, 1e-9);
    }
    leave(&c);
}

TEST(a_turn_that_nobody_watches_any_more_ends)
{
    struct client c;
    join(&c);
    say(&c, POSITION, 0, CMD, 4, NUMBERS(0, 3));
    pass(0.5);
    assert_true(look().spin[2] > 0);
    lose(1); /* the base is not stopped by that */
    pass(5);
    is_near(look().spin[2], 0, 1e-9);
    leave(&c);
}

/* The robot has no room for another speed: who holds it at the heading is gone then. */
TEST(a_turn_whose_renewal_is_refused_ends)
{
    struct client c;
    join(&c);
    say(&c, POSITION, 0, CMD, 4, NUMBERS(0, 3));
    pass(0.5);
    assert_true(look().spin[2] > 0);
    const struct robo__player_connection *p = c.conn.state;
    p->drive->seat.session->mover.unanswered += ROBO__SESSION_MOST;
    pass(5);
    is_near(look().spin[2], 0, 1e-9);
    assert_int_equal(logged("no room for more commands"), 1);
    p->drive->seat.session->mover.unanswered -= ROBO__SESSION_MOST;
    leave(&c);
}

/* It is at its heading and does not move; somebody else turns it later. */
TEST(a_heading_is_kept_no_more_after_a_lost_device)
{
    struct client c;
    join(&c);
    say(&c, POSITION, 0, CMD, 4, NUMBERS(0, 1));
    pass(5);
    is_near(look().attitude[2], 1, 0.01);
    lose(0);
    pass(60); /* its lease ends, since it commands nothing */
    struct client other;
    join(&other);
    drive(&other, 0, 0, 0.5);
    pass(1);
    drive(&other, 0, 0, 0);
    leave(&other);
    pass(1);
    const double turned = look().attitude[2];
    assert_true(turned > 1.2);
    pass(5);
    is_near(look().attitude[2], turned, 1e-6);
    leave(&c);
}
