/* The Golog-Tekkotsu interface on the server's thread: the base walks and stops without the script. What that is asked is
 * gti_questions_test.c's; tests/lua/gti_test.lua has the real one, and our client. */
#include "fixture_gti.h"

FIXTURE(begin, end);

TEST(a_walk_waits_for_no_script)
{
    struct client c;
    join(&c);
    walk(&c, 120);
    assert_true(speed() == 0.12);
    walk(&c, 0);
    assert_true(speed() == 0);
    /* the script is told all the same, before: its motions yield the legs */
    go_on(0);
    assert_int_equal(asked_count, 2);
    assert_string_equal(asked[0].action, "walk");
    assert_true(asked[0].count == 3 && asked[0].value[0] == 0.12 && asked[1].value[0] == 0);
    leave(&c);
}

/* Another client, of whatever protocol, drives the base: a walk has to wait, and a stop has not. */
TEST(a_walk_wants_the_lease_and_a_stop_does_not)
{
    struct client c;
    struct robo__session *driver = open_session_by(7, NULL, NULL);
    join(&c);
    send_cmd(driver, set_speed(0, 0.5));
    walk(&c, 120);
    assert_true(speed() == 0.5);
    assert_int_equal(logged("gti: walk: BUSY: another client holds the lease"), 1);
    move(&c, 3); /* legs: its own walk would end, if it had one */
    assert_true(speed() == 0.5);
    walk(&c, 0);
    assert_int_equal(heard_log[heard_count - 1].op, ROBO_STOP);
    take_answers(driver);
    assert_false(robo__session_moves(driver));
    assert_int_equal(logged("BUSY"), 1);
    /* and the other way round */
    robo__session_close(driver);
    walk(&c, 120);
    assert_true(speed() == 0.12);
    driver = open_session_by(8, NULL, NULL);
    uint32_t id = send_cmd(driver, set_speed(0, 0.5));
    take_answers(driver);
    expect_signal(id, ROBO_BUSY, ROBO_WHY_LEASE);
    assert_true(speed() == 0.12);
    robo__session_close(driver);
    leave(&c);
}

TEST(the_newest_walk_wins_and_an_old_ones_time_ends_no_newer)
{
    struct client a, b;
    join(&a), join(&b);
    walk_for(&a, 60, 2);
    go_on(1);
    assert_true(speed() == 0.06);
    walk(&b, 100);
    go_on(3);
    assert_true(speed() == 0.1);
    walk_for(&b, 50, 2);
    walk_for(&b, 60, 4);
    go_on(3);
    assert_true(speed() == 0.06);
    go_on(2);
    assert_true(speed() == 0);
    walk_for(&b, 60, 1e9); /* an hour at most */
    leave(&a);
    go_on(3500);
    assert_true(speed() == 0); /* but b was not heard for so long */
    leave(&b);
}

/* Three ways go on: a stop that has brought rest, silence, a new connection; each for one client alone. */
TEST(a_stop_by_another_holds_each_client_for_itself)
{
    struct client c, other;
    struct robo__session *driver = open_session_by(7, NULL, NULL);
    join(&c), join(&other);
    for (int way = 0; way < 3; way++) {
        walk(&c, 120);
        assert_true(speed() == 0.12);
        const int lines = logged("gti: walk: INTERRUPTED: stopped by client 7 7");
        send_cmd(driver, stop(0));
        for (int i = 0; i < 10; i++) {
            go_on(1);
            for (int k = way + i > 0 ? 9 : 0; k < 10;
                 k++) /* a line a second at most, which names him */
                walk(&c, 120);
            assert_true(speed() == 0);
        }
        go_on(1);
        go_on(1);
        assert_int_equal(logged("gti: walk: INTERRUPTED: "),
                         logged("gti: walk: INTERRUPTED: stopped by client 7 7"));
        assert_in_range(logged("gti: walk: INTERRUPTED: ") - lines, 5, 12);
        const int before = asked_count;
        move(&c, 13);
        motion(&c, "kick.mot");
        go_on(0);
        assert_int_equal(asked_count, before);
        assert_int_equal(logged("gti: move_joints: INTERRUPTED: stopped by client 7 7"), way + 1);
        if (way == 0) { /* it keeps nobody out, and others are not held */
            send_cmd(driver, set_speed(0, 0.5));
            assert_true(speed() == 0.5);
            send_cmd(driver, set_speed(0, 0));
            go_on(6);
            walk(&other, 60);
            assert_true(speed() == 0.06);
            walk(&c, 0);
        } else if (way == 1) {
            go_on(5);
        } else {
            leave(&c), join(&c);
        }
        go_on(1);
        move(&c, 13);
        go_on(0);
        assert_string_equal(asked[asked_count - 2].action, "resume");
        assert_true(asked[asked_count - 2].value[0] == way + 1);
        assert_string_equal(asked[asked_count - 1].action, "move_joints");
    }
    walk(&c, 120);
    assert_true(speed() == 0.12);
    robo__session_close(driver);
    leave(&c), leave(&other);
}

/* Of a client without a session nobody knows whether a stop holds it. */
TEST(without_a_session_nothing_moves)
{
    static struct robo__session *others[ROBO__SESSIONS];
    struct client c;
    unsigned n = 0;
    while (robot->movers.count < ROBO__SESSIONS)
        others[n++] = open_session(NULL, NULL);
    join(&c);
    move(&c, 13);
    motion(&c, "kick.mot");
    search(&c);
    go_on(0);
    assert_int_equal(asked_count, 0);
    assert_true(logged("gti: walk: ") > 0);
    robo__session_close(others[--n]);
    move(&c, 13);
    go_on(0);
    assert_int_equal(asked_count, 1);
    leave(&c);
    while (n > 0)
        robo__session_close(others[--n]);
}

/* By numbers of an older revision it would be a stop of everything. */
TEST(a_stop_after_a_reload_is_of_the_base_alone)
{
    struct client c;
    struct robo__session *driver = open_session_by(7, NULL, NULL);
    struct robo_description d = make_description(robot->description->name, false);
    struct robo_reply_latch row;
    join(&c);
    assert_int_equal(robo_reload(robot, &d, NULL), 0);
    send_cmd(driver, set_speed(0, 0.5));
    walk(&c, 0);
    assert_int_equal(heard_log[heard_count - 1].op, ROBO_STOP);
    assert_false(robo__session_latched(driver, 0, &row));
    robo__session_close(driver);
    leave(&c);
}

TEST(who_goes_takes_his_own_walk_along)
{
    struct client a, b;
    join(&a), join(&b);
    walk(&a, 60);
    leave(&a);
    assert_int_equal(heard(ROBO_STOP), 1);
    join(&a);
    walk(&a, 60);
    walk(&b, 100);
    leave(&a);
    assert_int_equal(heard(ROBO_STOP), 1);
    assert_true(speed() == 0.1);
    leave(&b);
    assert_int_equal(heard(ROBO_STOP), 2);
}

TEST(a_silent_client_walks_no_further)
{
    struct client a, other, forever;
    join_at(&a, "gti+local:?deadman=2");
    join(&other);
    walk(&a, 60);
    for (int i = 0; i < 4; i++) {
        go_on(1.5);
        query(&other, 13); /* another's word counts for nothing */
        if (i < 3)
            query(&a, 13);
    }
    assert_true(speed() == 0.06);
    go_on(1);
    assert_true(speed() == 0);
    assert_false(a.conn.closing);
    assert_int_equal(
        logged("nothing has come from a client for 2 s while the dog walks: it stands"), 1);
    walk_for(&a, 60, 100);
    go_on(1.9);
    assert_true(speed() == 0.06);
    go_on(0.2);
    assert_true(speed() == 0);
    leave(&a), leave(&other);
    join_at(&forever, "gti+local:?deadman=0");
    walk(&forever, 60);
    go_on(100000);
    assert_true(speed() == 0.06);
    leave(&forever);
}

/* The device answers neither the walk nor its end: the thread waits for that as for anything else. */
TEST(silence_is_told_once_however_long_the_dog_takes_to_stand)
{
    struct client a;
    join_at(&a, "gti+local:?deadman=1");
    walk(&a, 60);
    acting.mute = true;
    go_on(5);
    acting.mute = false;
    assert_int_equal(heard(ROBO_SET_SPEED), 2);
    assert_int_equal(logged("nothing has come from a client"), 1);
    leave(&a);
}

TEST(refusals_are_told)
{
    struct client c;
    join(&c);
    acting.signal = ROBO_MODIFIED;
    acting.reason = ROBO_WHY_LIMIT;
    walk(&c, 60), walk(&c, 60);
    acting.signal = 0;
    assert_int_equal(logged("gti: walk: MODIFIED: a value was clipped"), 1);
    robo_panic(robot);
    walk(&c, 60), walk(&c, 60);
    assert_int_equal(logged("gti: walk: PANIC: "), 1);
    go_on(1);
    assert_int_equal(logged("gti: walk: PANIC: "), 2); /* a line a second */
    robo_reset(robot);
    go_on(1);
    assert_int_equal(heard(ROBO_SET_SPEED), 2); /* none is run after it */
    walk(&c, 60);
    assert_true(speed() == 0.06);
    leave(&c);
    join_at(&c, "gti+local:nobody");
    walk(&c, 60);
    assert_int_equal(logged("gti: walk: nothing of that name or number: nobody"), 1);
    leave(&c);
}

TEST(a_robot_that_goes_is_looked_for_again)
{
    struct client c;
    struct robo_description d = make_description("robot", false);
    join(&c);
    walk(&c, 60);
    robo_remove(robot);
    go_on(1);
    walk(&c, 60);
    assert_int_equal(logged("gti: walk: nothing of that name or number"), 1);
    assert_int_equal(robo_add(world, &d, NULL), 0);
    robo_robot *again = robo_find(world, "robot");
    size_t before = heard(ROBO_SET_SPEED);
    walk(&c, 60);
    assert_int_equal(heard(ROBO_SET_SPEED), before + 1);
    robo_release(again);
    leave(&c);
}

TEST(legs_are_free_for_what_wants_them_unless_a_walk_is_newer)
{
    struct client c, other;
    join(&c), join(&other);
    walk(&other, 60);
    move(&c, 13); /* the head */
    assert_true(speed() == 0.06);
    move(&c, 11); /* a knee: whoever's walk it is */
    assert_true(speed() == 0);
    go_on(0);
    assert_string_equal(asked[asked_count - 1].action, "move_joints");
    assert_true(asked[asked_count - 1].value[0] == 11 && asked[asked_count - 1].value[1] == 30 &&
                asked[asked_count - 1].value[2] == 50);
    /* a motion's joints are in its file: the script says that there are legs */
    walk(&other, 60);
    motion(&c, "kick.mot");
    go_on(0);
    assert_string_equal(asked[asked_count - 1].text, "kick.mot");
    assert_true(speed() == 0.06);
    answer(asked_count - 1, 1);
    assert_true(speed() == 0);
    motion(&c, "kick.mot");
    walk(&c, 80);
    go_on(0);
    assert_string_equal(asked[asked_count - 2].action, "motion");
    answer(asked_count - 2, 1);
    assert_true(speed() == 0.08);
    leave(&c), leave(&other);
}
