/* Goals of a bus's dofs: how commands set them, their speed in a slot, and when they are reached. */
#include <math.h>

#include "bus.h"
#include "base/command.h"
#include "base/time.h"

static const double CLOSE = 1e-3;    /* rad, m: tolerance of a goal */
static const double DEADBAND = 5e-4; /* rad, m: position error that is tolerated while holding */
static const double TURNED =
    0.1; /* rad, m: further from its last message, something else moved it */
static const double STANDS = 5e-3; /* rad/s, m/s: below this it has stopped */
/* without coming closer: the closest reachable position */
static const robo_time PATIENCE = 500 * 1000000;

/* ---- from commands ---- */

static void begin_way(struct robo__bus *bus, struct robo__bus_dof *dof,
                      const struct robo_state *state, robo_time now)
{
    if (dof->goal == ROBO__BUS_POSITION) {
        robo__profile_cut(&dof->profile, now);
        return;
    }
    double told = bus->schedule.sent[dof - bus->dof];
    robo__profile_halt(&dof->profile);
    robo__profile_cut(&dof->profile, now);
    dof->profile.position = state->position[dof->part->index];
    dof->profile.speed =
        dof->by_position || dof->goal == ROBO__BUS_FORCE ? state->speed[dof->part->index] : told;
    dof->profile.speed = fmin(fmax(dof->profile.speed, -dof->profile.limit), dof->profile.limit);
}

static void switch_goal(struct robo__bus *bus, struct robo__bus_dof *dof, enum robo__bus_goal goal,
                        const struct robo_state *state)
{
    bool force = goal == ROBO__BUS_FORCE, was = dof->goal == ROBO__BUS_FORCE;
    unsigned i = (unsigned)(dof - bus->dof);
    if (force != was) {
        bus->schedule.sent[i] =
            dof->by_position && !force ? ROBO__BUS_GAIN * state->position[dof->part->index] : 0;
        robo__schedule_lost(&bus->schedule, i);
    }
    dof->goal = goal;
}

/* A controller of positions gets a position to stop at. */
static void stop_dof(struct robo__bus *bus, struct robo__bus_dof *dof, robo_time now)
{
    if (dof->by_position) {
        begin_way(bus, dof, bus->here, now);
        switch_goal(bus, dof, ROBO__BUS_POSITION, bus->here);
        robo__profile_stop(&dof->profile);
    } else {
        switch_goal(bus, dof, ROBO__BUS_SPEED, bus->here);
        dof->value = 0;
    }
    dof->best = HUGE_VAL;
}

/* Sets a lasting speed or force; false when it had to be clipped. */
static bool hold(struct robo__bus *bus, struct robo__bus_dof *dof, enum robo__bus_goal goal,
                 double value, double most)
{
    switch_goal(bus, dof, goal, bus->here);
    dof->value = fmin(fmax(value, -most), most);
    return dof->value == value;
}

/* At an override of 0 a force waits, and its dof brakes. */
static void hold_force(struct robo__bus *bus, struct robo__bus_dof *dof, robo_time now)
{
    dof->force = dof->value;
    dof->force_waits = true;
    stop_dof(bus, dof, now);
}

static bool start_dof(struct robo__dofs *dofs, unsigned i, const struct robo_cmd *cmd,
                      robo_time now)
{
    struct robo__bus *bus = robo__container_of(dofs, struct robo__bus, dofs);
    struct robo__bus_dof *dof = &bus->dof[i];
    const struct robo_dof *is = &bus->stage.port->description->dof[dof->part->index];
    const double value = cmd->body.servo.value[dof->part->number];
    dof->improved = now;
    dof->scaled = dofs->scaled;
    dof->force_waits = false;
    switch (robo__command_of(cmd->op)->servo) {
    case ROBO_SERVO_SETPOINT:
        begin_way(bus, dof, bus->here, now);
        switch_goal(bus, dof, ROBO__BUS_POSITION, bus->here);
        dof->best = HUGE_VAL;
        return robo__profile_give(&dof->profile, cmd, dof->part->number, is->home, dofs->scaled);
    case ROBO_SERVO_SPEED: return hold(bus, dof, ROBO__BUS_SPEED, value, dof->profile.limit);
    case ROBO_SERVO_FORCE: {
        bool whole = hold(bus, dof, ROBO__BUS_FORCE, value, is->force > 0 ? is->force : HUGE_VAL);
        if (dof->scaled && bus->stage.port->override == 0)
            hold_force(bus, dof, now);
        return whole;
    }
    default: stop_dof(bus, dof, now); return true;
    }
}

static void finish_dofs(struct robo__dofs *dofs, unsigned device, robo_ticket ticket,
                        enum robo_signal signal, enum robo_reason reason)
{
    struct robo__port *port = robo__container_of(dofs, struct robo__bus, dofs)->stage.port;
    port->done(port, device, ticket, signal, reason);
}

const struct robo__dofs_kind robo__bus_dofs = { .start = start_dof, .done = finish_dofs };

void robo__bus_give(struct robo__bus *bus, unsigned device, const struct robo_cmd *cmd,
                    robo_ticket ticket, robo_time now)
{
    struct robo__port *port = bus->stage.port;
    struct robo_state state;
    if (!(bus->devices >> device & 1)) {
        port->give(port, device, cmd, ticket, now);
        return;
    }
    port->read(port, now, &state);
    bus->here = &state;
    robo__dofs_give(&bus->dofs, device, cmd, ticket, now);
    bus->here = NULL;
    robo__bus_wake(bus, now);
}

void robo__bus_forget(struct robo__bus *bus, unsigned devices)
{
    struct robo__port *port = bus->stage.port;
    struct robo_state state;
    bool read = false;
    robo__dofs_forget(&bus->dofs, devices);
    for (unsigned i = 0; i < bus->dofs.count; i++) {
        struct robo__bus_dof *dof = &bus->dof[i];
        if (!(devices >> dof->part->device & 1))
            continue;
        dof->goal = ROBO__BUS_IDLE;
        dof->force_waits = false;
        if (dof->by_position && !read) {
            port->read(port, port->now(port), &state);
            read = true;
        }
        bus->schedule.sent[i] =
            dof->by_position ? ROBO__BUS_GAIN * state.position[dof->part->index] : 0;
    }
}

void robo__bus_override(struct robo__bus *bus, robo_time now)
{
    struct robo__port *port = bus->stage.port;
    struct robo_state state;
    port->read(port, now, &state);
    bus->here = &state;
    for (unsigned i = 0; i < bus->dofs.count; i++) {
        struct robo__bus_dof *dof = &bus->dof[i];
        robo__profile_override(&dof->profile, port->override, now);
        if (port->override == 0 && dof->goal == ROBO__BUS_FORCE && dof->scaled) {
            hold_force(bus, dof, now);
        } else if (port->override > 0 && dof->force_waits) {
            dof->force_waits = false;
            hold(bus, dof, ROBO__BUS_FORCE, dof->force, HUGE_VAL);
        }
    }
    bus->here = NULL;
}

/* ---- in a slot ---- */

/* The greatest speed from which the dof can still brake before its limit. */
static double within(const struct robo__bus *bus, const struct robo__bus_dof *dof, double speed,
                     double position)
{
    double room = speed > 0 ? dof->profile.high - position : position - dof->profile.low;
    double most = room > 0 ? fmin(sqrt(2 * dof->profile.acceleration * room), room * bus->rate) : 0;
    return fmin(fmax(speed, -most), most);
}

static bool is_over(const struct robo__profile *profile, robo_time now)
{
    if (robo__profile_is_held(profile))
        return false;
    robo_time end = robo__profile_end(profile);
    return end == ROBO_NEVER || end <= now;
}

double robo__bus_target(const struct robo__bus *bus, const struct robo__bus_dof *dof,
                        const struct robo_state *state, robo_time now, robo_time later)
{
    double here, then, speed, position = state->position[dof->part->index];
    switch (dof->goal) {
    case ROBO__BUS_IDLE: { /* one that fell in a halt, or was turned while it was lost, stays there */
        const double sent = bus->schedule.sent[dof - bus->dof];
        const bool turned = dof->by_position && fabs(position - sent / ROBO__BUS_GAIN) > TURNED;
        return turned ? ROBO__BUS_GAIN * position : sent;
    }
    case ROBO__BUS_FORCE: return dof->value;
    case ROBO__BUS_SPEED:
        return within(bus, dof, dof->value * (dof->scaled ? bus->stage.port->override : 1),
                      position);
    default: break;
    }
    bool over = is_over(&dof->profile, now) && dof->profile.onward == 0;
    robo__profile_read(&dof->profile, later, &then, &speed);
    if (dof->by_position)
        return ROBO__BUS_GAIN * then;
    robo__profile_read(&dof->profile, now, &here, &speed);
    if (over && !dof->part->ticket && fabs(here - position) < DEADBAND)
        return 0;
    speed = (then - here) / ((double)(later - now) * 1e-9) + bus->gain * (here - position);
    return fmin(fmax(speed, -dof->profile.limit), dof->profile.limit);
}

/* The distance that is missing at the end of a way: a dof that is still fast only passes its goal. Its speed counts as the
 * distance that calls for that speed, so that a dof that settles by the gain has arrived when it is close. */
static double missing(const struct robo__bus_dof *dof, double position, double speed)
{
    return fmax(fabs(dof->profile.target - position), speed / ROBO__BUS_GAIN);
}

void robo__bus_arrive(struct robo__bus *bus, const struct robo_state *state, robo_time now)
{
    for (unsigned i = 0; i < bus->dofs.count; i++) {
        struct robo__bus_dof *dof = &bus->dof[i];
        if (!dof->part->ticket)
            continue;
        bool stops = dof->goal == ROBO__BUS_SPEED;
        const double speed = fabs(state->speed[dof->part->index]);
        double left = stops ? speed : missing(dof, state->position[dof->part->index], speed);
        if (stops ? bus->schedule.sent[i] != 0 : !is_over(&dof->profile, now)) {
            dof->improved = now;
        } else if (dof->profile.onward != 0 || left < (stops ? STANDS : CLOSE)) {
            robo__dofs_end(&bus->dofs, i, true);
        } else if (left < 0.98 * dof->best) {
            dof->best = left;
            dof->improved = now;
        } else if (now - dof->improved > PATIENCE) {
            robo__dofs_end(&bus->dofs, i, false);
        }
    }
}

bool robo__bus_under_way(const struct robo__bus *bus, const struct robo__bus_dof *dof, double u,
                         robo_time now)
{
    unsigned i = (unsigned)(dof - bus->dof);
    bool goes_round = bus->schedule.scheme < ROBO_ORDER_GREATEST;
    return dof->part->ticket || (goes_round && fabs(u - bus->schedule.sent[i]) > 1e-9) ||
           (dof->goal == ROBO__BUS_SPEED && dof->value != 0) ||
           (dof->goal == ROBO__BUS_POSITION &&
            (!is_over(&dof->profile, now) || dof->profile.onward != 0));
}
