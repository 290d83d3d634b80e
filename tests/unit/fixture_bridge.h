/* A bridge between a client of Gamebots and a robot. The script is a function in C that drives as it is told. */
#pragma once

#include "fixture_gamebots.h"

#include "gamebots/bridge.h"
#include "robot/world/inside.h"

enum { KEY = 77 };

static struct client client, other;
static robo_robot *robot;
static robo_bridge *bridge;
static unsigned wakes;
static struct robo_bridge_view view;

static inline void on_wake(void *owner)
{
    wakes++;
}

static inline void open_script(void)
{
    int error = 0;
    bridge = robo_bridge_open(world, "pioneer2", KEY, on_wake, NULL, &error);
    assert_non_null(bridge);
}

static inline int begin(void **state)
{
    only_newest = true;
    open_world(state);
    robot = add_robot("pioneer2");
    open_script();
    join(&client, "gamebots+local:?bridge");
    return 0;
}

static inline int end(void **state)
{
    leave(&client);
    leave(&other);
    robo_bridge_close(bridge);
    bridge = NULL;
    assert_int_equal(atomic_load(&world->memory.used), 0);
    return close_world(state);
}

/* One cycle of a script that carries out all that it is told. */
static inline void cycle(void)
{
    size_t n, said;
    char room[4096];
    static struct robo_bridge_wish wish;
    robo_bridge_look(bridge, &view);
    for (const char *line; (line = robo_bridge_line(bridge, &n)) != NULL;) {
        if (!robo_bridge_mean(bridge, line, n, &wish, room, sizeof room, &said)) {
            robo_bridge_pass(bridge, view.user, line, n);
            continue;
        }
        robo_bridge_say(bridge, view.user, room, said);
        robo_bridge_hand_over(bridge, view.epoch, &wish);
    }
}

/* Time goes on, with a cycle each 10 ms. */
static inline void run(double seconds)
{
    for (double t = 0; t < seconds - 1e-9; t += 0.01) {
        cycle();
        pass(0.01);
    }
    if (client.there)
        settle(&client);
}

static inline void init(struct client *c)
{
    say(c, "INIT {ClassName USARBot.P2AT} {Name R1}");
}

static inline double speed(void)
{
    return look_at(robot).twist[0];
}

static inline double pan_speed(void)
{
    return look_at(robot).speed[0];
}

static inline const char *told(struct client *c, const char *word)
{
    return strstr(c->got, word);
}

static inline void forget(struct client *c)
{
    c->count = c->read = 0;
    c->got[0] = 0;
}

static inline void drive(void)
{
    init(&client);
    say(&client, "DRIVE {Left 2} {Right 2}");
    run(3);
    assert_float_equal(speed(), 0.165, 1e-6);
}

/* Nothing moves, now and in a second of cycles. */
static inline void assert_at_rest(void)
{
    run(2);
    for (int i = 0; i < 100; i++) {
        run(0.01);
        const struct robo_state s = look_at(robot);
        assert_float_equal(s.twist[0], 0, 1e-9);
        for (unsigned d = 0; d < robot_description()->dofs; d++)
            assert_float_equal(s.speed[d], 0, 1e-9);
    }
}
