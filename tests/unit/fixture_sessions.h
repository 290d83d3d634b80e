/* A fixture with a session, a, or with two, a and b. */
#pragma once

#include "fixture_core.h"

UNUSED static struct robo__session *a, *b;

UNUSED static int open_one(void **state)
{
    open_fixture(state);
    a = open_session(NULL, NULL);
    return 0;
}

UNUSED static int close_one(void **state)
{
    robo__session_close(a);
    return close_fixture(state);
}

UNUSED static int open_two(void **state)
{
    open_fixture(state);
    a = open_session(NULL, NULL);
    b = open_session(NULL, NULL);
    return 0;
}

UNUSED static int open_two_one_device(void **state)
{
    open_fixture_one_device(state);
    a = open_session(NULL, NULL);
    b = open_session(NULL, NULL);
    return 0;
}

/* With a driver of the test's own, whose goals end after that many seconds (fixture_core.h). */
UNUSED static int open_two_driven(const robo_driver *driver, bool one_device, double goal)
{
    const struct robo_options options = virtual_options(1);
    open_fixture_driven(driver, &options, one_device);
    acting.goal = S(goal);
    a = open_session(NULL, NULL);
    b = open_session(NULL, NULL);
    return 0;
}

UNUSED static int close_two(void **state)
{
    robo__session_close(a);
    robo__session_close(b);
    return close_fixture(state);
}

static size_t wakes;

UNUSED static void on_wake(void *owner)
{
    wakes++;
}

/* A session that counts its wake-ups in `wakes`, from 0. */
UNUSED static struct robo__session *open_counting(void)
{
    static const struct robo__session_request direct;
    struct robo__session *s = NULL;
    char text[128];
    assert_int_equal(
        robo__session_open(robot, NULL, &direct, on_wake, NULL, robo_now(world), &s, text), 0);
    wakes = 0;
    return s;
}

UNUSED static struct robo__known knows(const struct robo__session *s)
{
    return (struct robo__known){ (uint16_t)robo__robot_alarm(s->mover.robot).epoch,
                                 (uint16_t)robo__mover_stop_count(&s->mover) };
}

/* Sends a command n times as one package. */
UNUSED static void send_row(struct robo__session *s, struct robo_cmd cmd, uint32_t n)
{
    struct robo_cmd *row = calloc(n, sizeof *row);
    for (uint32_t i = 0; i < n; i++) {
        row[i] = cmd;
        row[i].id = ++last_id;
    }
    assert_int_equal(robo__session_commands(s, row, n, knows(s), robo_now(world), robo_now(world)),
                     n);
    free(row);
}
