/* A robot whose joints are on a bus, for tests of that: its drives record every message and obey it at once. */
#pragma once

#include <math.h>
#include <string.h>

#include "../chain.h"
#include "../idle_driver.h"
#include "one_robot.h"
#include "base/time.h"

enum { MOST = 1 << 15, DOFS = 5 };
static const robo_time SECOND = 1000000000;

/* ---- drives that record messages ---- */

struct heard {
    robo_time at;
    struct robo_bus_message message;
};
static struct heard heard[MOST];
static size_t heard_count;
static int line_error;   /* what send answers */
static bool stuck;       /* the drives do not move */
static bool reports_nan; /* the sensor of joint 3 */

struct line {
    robo_device *device;
    robo_time since;
    double position[DOFS], speed[DOFS], stored[DOFS];
    bool halted;
};
static struct line *line;

static int line_open(void *state, robo_device *device, robo_time now)
{
    line = state;
    line->device = device;
    line->since = now;
    return 0;
}

static void go_on(struct line *l, robo_time now)
{
    for (int i = 0; i < DOFS && !stuck; i++)
        l->position[i] += l->speed[i] * (double)(now - l->since) * 1e-9;
    l->since = now;
}

static int line_send(void *state, const struct robo_bus_message *m, robo_time now)
{
    struct line *l = state;
    if (line_error)
        return line_error;
    go_on(l, now);
    if (heard_count < MOST)
        heard[heard_count++] = (struct heard){ now, *m };
    if (m->kind == ROBO_BUS_SYNCHRONISE) {
        memcpy(l->speed, l->stored, sizeof l->speed);
        return 0;
    }
    int i = m->joint - 1;
    assert_in_range(i, 0, DOFS - 1);
    assert_true(isfinite(m->value));
    if (m->servo == ROBO_SERVO_SETPOINT)
        l->position[i] = m->value;
    else if (m->kind == ROBO_BUS_STORE)
        l->stored[i] = m->value;
    else
        l->speed[i] = m->value;
    return 0;
}

static void line_read(const void *state, robo_time now, struct robo_state *out)
{
    struct line l = *(const struct line *)state;
    go_on(&l, now);
    for (int i = 0; i < DOFS; i++) {
        out->position[i] = reports_nan && i == 2 ? NAN : l.position[i];
        out->speed[i] = stuck ? 0 : l.speed[i];
    }
}

static void line_halt(void *state, robo_time now)
{
    struct line *l = state;
    go_on(l, now);
    l->halted = true;
    memset(l->speed, 0, sizeof l->speed);
}

static const robo_driver line_driver = { .size = sizeof(robo_driver),
                                         .name = "line",
                                         .state_size = sizeof(struct line),
                                         .open = line_open,
                                         .read = line_read,
                                         .halt = line_halt,
                                         .close = idle_close,
                                         .send = line_send };

/* ---- the robot: five joints of one dof each, a planar arm ---- */

static const struct robo_options OPTIONS = { .size = sizeof OPTIONS,
                                             .virtual_clock = 1,
                                             .seed = 1 };

static inline void describe(struct robo_description *d, uint8_t order, double rate)
{
    make_flat_arm(d, DOFS, ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED, "line");
    d->bus_order = order;
    d->bus_rate = rate;
}

static inline void open_with(const struct robo_description *d)
{
    heard_count = 0;
    line_error = 0;
    stuck = reports_nan = false;
    open_world_with(&OPTIONS, &line_driver, d);
}

static inline void open_arm(uint8_t order, double rate)
{
    static struct robo_description d;
    describe(&d, order, rate);
    open_with(&d);
}

/* The signal of a command, or 0 when it has no result yet; other results are dropped. */
static inline int signal_of(uint32_t id, int *why)
{
    struct robo_result results[64];
    size_t n = robo__session_results(session, results, 64);
    for (size_t i = 0; i < n; i++) {
        if (results[i].id != id)
            continue;
        if (why)
            *why = results[i].reason;
        return results[i].signal;
    }
    return 0;
}
