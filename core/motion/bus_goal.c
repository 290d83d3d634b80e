/* Goals of a bus's dofs: what commands make of them, what they ask for in a slot, and when they are reached. */
#include <math.h>

#include "bus.h"
#include "base/time.h"

static const double CLOSE = 1e-3;    /* rad, m: there */
static const double DEADBAND = 5e-4; /* rad, m: position error that is tolerated while holding */
static const double STANDS = 5e-3;   /* rad/s, m/s: it has stopped */
/* without coming closer: the closest reachable position */
static const robo_time PATIENCE = 500 * 1000000;

/* ---- from commands ---- */

/* Tells the end of a command when no other dof of its device waits for it. */
static void finish(struct robo__bus *bus, struct robo__bus_dof *dof, enum robo_signal signal,
                   enum robo_reason reason)
{
    robo_ticket ticket = dof->ticket;
    bool waits = false;
    dof->ticket = 0;
    for (unsigned i = 0; i < bus->dofs; i++) {
        struct robo__bus_dof *other = &bus->dof[i];
        if (other->ticket != ticket || other->device != dof->device)
            continue;
        waits = true;
        other->clipped |= signal != ROBO_SUCCESS; /* whoever is last tells it */
    }
    if (!waits)
        bus->stage.port->done(bus->stage.port, dof->device, ticket, signal, reason);
}

static void begin_way(struct robo__bus *bus, struct robo__bus_dof *dof,
                      const struct robo_state *state, robo_time now)
{
    if (dof->goal == ROBO__BUS_PLACE) {
        robo__servo_cut(&dof->way, now);
        return;
    }
    double told = bus->order.sent[dof - bus->dof];
    robo__servo_halt(&dof->way);
    robo__servo_cut(&dof->way, now);
    dof->way.position = state->position[dof->index];
    dof->way.speed =
        dof->by_place || dof->goal == ROBO__BUS_FORCE ? state->speed[dof->index] : told;
    dof->way.speed = fmin(fmax(dof->way.speed, -dof->way.limit), dof->way.limit);
}

static void switch_goal(struct robo__bus *bus, struct robo__bus_dof *dof, enum robo__bus_goal goal,
                        const struct robo_state *state)
{
    bool force = goal == ROBO__BUS_FORCE, was = dof->goal == ROBO__BUS_FORCE;
    unsigned i = (unsigned)(dof - bus->dof);
    if (force != was) {
        bus->order.sent[i] =
            dof->by_place && !force ? ROBO__BUS_GAIN * state->position[dof->index] : 0;
        robo__order_unsent(&bus->order, i);
    }
    dof->goal = goal;
}

/* One dof's part of a command; false when a value had to be clipped. */
static bool start_dof(struct robo__bus *bus, struct robo__bus_dof *dof, const struct robo_cmd *cmd,
                      const struct robo_state *state, robo_time now)
{
    const struct robo_dof *is = &bus->stage.port->description->dof[dof->index];
    double value = cmd->body.servo.value[dof->number], most;
    switch (cmd->op) {
    case ROBO_SET_JOINT:
    case ROBO_HOME:
        begin_way(bus, dof, state, now);
        switch_goal(bus, dof, ROBO__BUS_PLACE, state);
        dof->best = HUGE_VAL;
        return cmd->op == ROBO_HOME ? robo__servo_move(&dof->way, is->home, 0)
                                    : robo__servo_move(&dof->way, value, cmd->body.servo.speed);
    case ROBO_SET_JOINT_FORCE:
        most = is->force > 0 ? is->force : HUGE_VAL;
        switch_goal(bus, dof, ROBO__BUS_FORCE, state);
        dof->value = fmin(fmax(value, -most), most);
        return dof->value == value;
    case ROBO_SET_JOINT_SPEED:
        switch_goal(bus, dof, ROBO__BUS_SPEED, state);
        dof->value = fmin(fmax(value, -dof->way.limit), dof->way.limit);
        return dof->value == value;
    default:                 /* stop */
        if (dof->by_place) { /* a place to stop at is what its controller understands */
            begin_way(bus, dof, state, now);
            switch_goal(bus, dof, ROBO__BUS_PLACE, state);
            robo__servo_stop(&dof->way);
        } else {
            switch_goal(bus, dof, ROBO__BUS_SPEED, state);
            dof->value = 0;
        }
        dof->best = HUGE_VAL;
        return true;
    }
}

static bool addresses(const struct robo_cmd *cmd, const struct robo__bus_dof *dof)
{
    return cmd->op == ROBO_STOP || cmd->op == ROBO_HOME ||
           (cmd->body.servo.joint == dof->joint && cmd->body.servo.mask >> dof->number & 1);
}

/* A command to a device whose joints hang on the bus. */
static void start(struct robo__bus *bus, unsigned device, const struct robo_cmd *cmd,
                  robo_ticket ticket, robo_time now)
{
    struct robo__port *port = bus->stage.port;
    bool lasts = cmd->op == ROBO_SET_JOINT_SPEED || cmd->op == ROBO_SET_JOINT_FORCE;
    bool clipped = false, waits = false;
    struct robo_state state;
    port->read(port, now, &state);
    for (unsigned i = 0; i < bus->dofs; i++) {
        struct robo__bus_dof *dof = &bus->dof[i];
        if (dof->device != device || !addresses(cmd, dof))
            continue;
        dof->ticket = lasts ? 0 : ticket;
        dof->clipped = !start_dof(bus, dof, cmd, &state, now);
        dof->improved = now;
        clipped |= dof->clipped;
        waits |= dof->ticket != 0;
    }
    if (!waits)
        port->done(port, device, ticket, clipped ? ROBO_MODIFIED : ROBO_SUCCESS,
                   clipped ? ROBO_WHY_LIMIT : ROBO_WHY_NONE);
    robo__bus_wake(bus, now);
}

void robo__bus_give(struct robo__bus *bus, unsigned device, const struct robo_cmd *cmd,
                    robo_ticket ticket, robo_time now)
{
    struct robo__port *port = bus->stage.port;
    if (bus->devices >> device & 1)
        start(bus, device, cmd, ticket, now);
    else
        port->give(port, device, cmd, ticket, now);
}

void robo__bus_forget(struct robo__bus *bus, unsigned devices)
{
    struct robo__port *port = bus->stage.port;
    struct robo_state state;
    bool read = false;
    for (unsigned i = 0; i < bus->dofs; i++) {
        struct robo__bus_dof *dof = &bus->dof[i];
        if (!(devices >> dof->device & 1))
            continue;
        dof->goal = ROBO__BUS_IDLE;
        dof->ticket = 0;
        if (dof->by_place && !read) {
            port->read(port, port->now(port), &state);
            read = true;
        }
        bus->order.sent[i] = dof->by_place ? ROBO__BUS_GAIN * state.position[dof->index] : 0;
    }
}

/* ---- in a slot ---- */

/* A speed that can still be braked before the dof's end. */
static double within(const struct robo__bus *bus, const struct robo__bus_dof *dof, double speed,
                     double position)
{
    double room = speed > 0 ? dof->way.high - position : position - dof->way.low;
    double most = room > 0 ? fmin(sqrt(2 * dof->way.acceleration * room), room * bus->rate) : 0;
    return fmin(fmax(speed, -most), most);
}

static bool is_over(const struct robo__servo *way, robo_time now)
{
    robo_time end = robo__servo_end(way);
    return end == ROBO_NEVER || end <= now;
}

double robo__bus_aim(const struct robo__bus *bus, const struct robo__bus_dof *dof,
                     const struct robo_state *state, robo_time now, robo_time later)
{
    double here, then, speed, position = state->position[dof->index];
    switch (dof->goal) {
    case ROBO__BUS_IDLE: return bus->order.sent[dof - bus->dof];
    case ROBO__BUS_FORCE: return dof->value;
    case ROBO__BUS_SPEED: return within(bus, dof, dof->value, position);
    default: break;
    }
    bool over = is_over(&dof->way, now);
    robo__servo_read(&dof->way, later, &then, &speed);
    if (dof->by_place)
        return ROBO__BUS_GAIN * then;
    robo__servo_read(&dof->way, now, &here, &speed);
    if (over && !dof->ticket && fabs(here - position) < DEADBAND)
        return 0;
    speed = (then - here) / ((double)(later - now) * 1e-9) + bus->gain * (here - position);
    return fmin(fmax(speed, -dof->way.limit), dof->way.limit);
}

void robo__bus_arrive(struct robo__bus *bus, const struct robo_state *state, robo_time now)
{
    for (unsigned i = 0; i < bus->dofs; i++) {
        struct robo__bus_dof *dof = &bus->dof[i];
        if (!dof->ticket)
            continue;
        bool stops = dof->goal == ROBO__BUS_SPEED;
        double left = stops ? fabs(state->speed[dof->index])
                            : fabs(dof->way.target - state->position[dof->index]);
        if (stops ? bus->order.sent[i] != 0 : !is_over(&dof->way, now)) {
            dof->improved = now;
        } else if (left < (stops ? STANDS : CLOSE)) {
            finish(bus, dof, dof->clipped ? ROBO_MODIFIED : ROBO_SUCCESS,
                   dof->clipped ? ROBO_WHY_LIMIT : ROBO_WHY_NONE);
        } else if (left < 0.98 * dof->best) {
            dof->best = left;
            dof->improved = now;
        } else if (now - dof->improved > PATIENCE) {
            finish(bus, dof, ROBO_MODIFIED, ROBO_WHY_LIMIT);
        }
    }
}

bool robo__bus_under_way(const struct robo__bus *bus, const struct robo__bus_dof *dof, double u,
                         robo_time now)
{
    unsigned i = (unsigned)(dof - bus->dof);
    bool goes_round = bus->order.scheme < ROBO__ORDER_OPTIMAL;
    return dof->ticket || (goes_round && fabs(u - bus->order.sent[i]) > 1e-9) ||
           (dof->goal == ROBO__BUS_SPEED && dof->value != 0) ||
           (dof->goal == ROBO__BUS_PLACE && !is_over(&dof->way, now));
}
