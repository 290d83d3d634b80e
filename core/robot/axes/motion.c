/* Motions: commands on their way to the drivers, the axes they hold, and their results (ticket.c). Frames are split into them by
 * move.c.
 *
 * An axis is the base or one dof. A goal motion (go_to, a set-point) holds its axes from start to end. On a
 * held axis a later command
 *   - is answered BUSY as a rule;
 *   - takes over, when both are of the same session: the earlier one is answered MODIFIED, superseded. Streams of
 *     set-points live from that, and so does a goal that is changed. A step takes over from nothing but steps;
 *   - takes over a stop that is still braking.
 * STOP takes everything, or the axes that it names, from anybody: what it ends is answered INTERRUPTED, stopped. What
 * waits in queues is schedule.c's.
 *
 * A speed or a force holds no axis but lasts until changed. The session that set it is kept for each axis: the deadman
 * of that session stops it. */
#include <math.h>
#include <string.h>

#include "motions.h"

void robo__motion_yield(struct robo__axes *a, const struct robo__dof_set *dofs, robo_time now)
{
    for (unsigned i = 0; i < ROBO__STAGES; i++)
        if (a->stage[i]->kind->yield)
            a->stage[i]->kind->yield(a->stage[i], dofs, now);
}

static enum robo_signal signal_of(enum robo_reason reason)
{
    return reason == ROBO_WHY_UNSUPPORTED || reason == ROBO_WHY_SERVO ? ROBO_NA : ROBO_ERROR;
}

/* Whether the holder of an axis lets a command of the session have it. A stop does for the client whose motion it
 * brakes: that rests before others begin anything there. */
static bool yields(const struct robo__axes *a, unsigned axis,
                   const struct robo__resources *resources, const struct robo__mover *mover)
{
    const struct robo__ticket *held = &a->ticket[a->row[axis].ticket - 1];
    const struct robo__party client = mover->holder->client, braked = a->row[axis].braked;
    if (held->left)
        return robo__party_is(held->client, client);
    if (held->stop)
        return !held->guard &&
               (robo__party_is(braked, ROBO__NOBODY) || robo__party_is(braked, client));
    return resources->preempts && held->mover == mover;
}

/* The axes of a stop that is over brake on, except those that a command takes. */
static void coast(struct robo__axes *a, const struct robo__ticket *stop,
                  const struct robo__resources *taken)
{
    const uint16_t number = (uint16_t)(stop - a->ticket + 1);
    struct robo__resources rest;
    robo__resources_nothing(&rest, a->port->description->dofs);
    for (unsigned i = stop->first; i < ROBO__AXES; i = robo__axis_from(a, i + 1))
        if (a->row[i].ticket == number && !robo__resources_has(taken, i))
            robo__resources_add(&rest, i);
    robo__slowing_begin(a, &rest, NULL, a->port->latest);
}

/* Ends a motion since a later command takes some of its axes. Its set-points for other axes stay: the dofs move on to them,
 * and belong to the same session, as with a lasting speed. */
static void supersede(struct robo__axes *a, struct robo__ticket *t,
                      const struct robo__resources *resources)
{
    const uint16_t number = (uint16_t)(t - a->ticket + 1);
    struct robo__mover *mover = t->mover;
    if (t->stop) /* it brakes on, and nothing lasts there */
        coast(a, t, resources);
    else
        robo__lasting_put_back(a, t);
    for (unsigned i = t->first; i < ROBO__AXES && t->holds > 1; i = robo__axis_from(a, i + 1))
        if (t->setpoint && mover && a->row[i].ticket == number &&
            !robo__resources_has(resources, i))
            robo__motion_set_lasting(a, i, mover, t->devices);
    robo__motion_end_one(a, t, ROBO_MODIFIED, ROBO_WHY_SUPERSEDED);
}

enum robo_reason robo__motion_obstacle(const struct robo__axes *a,
                                       const struct robo__resources *resources,
                                       const struct robo__mover *mover)
{
    if (a->held == 0 && a->slowings <= a->port->latest)
        return ROBO_WHY_NONE;
    for (unsigned i = robo__resources_next(resources, 0); i < ROBO__AXES;
         i = robo__resources_next(resources, i + 1)) {
        if (a->row[i].ticket && !yields(a, i, resources, mover))
            return a->ticket[a->row[i].ticket - 1].stop ? ROBO_WHY_BRAKING : ROBO_WHY_AXIS;
        if (robo__slowing_keeps(a, i, mover->holder->client))
            return ROBO_WHY_BRAKING;
    }
    return ROBO_WHY_NONE;
}

/* A stop ends all motions that it reaches, also those that hold no axis, so that there is a ticket for it. Whether one of them
 * was a stop before whose end nothing may begin: then that is so of this one. */
static bool take_all(struct robo__axes *a, const struct robo__resources *resources,
                     enum robo_reason why)
{
    bool guard = false;
    for (unsigned i = 0; i < a->tickets; i++) {
        struct robo__ticket *t = &a->ticket[i];
        if (!t->taken || (resources->parts && !robo__brake_reaches(a, t, resources)))
            continue;
        guard |= t->guard;
        if (!t->stop)
            robo__lasting_put_back(a, t);
        robo__motion_end_one(a, t, t->stop ? ROBO_MODIFIED : ROBO_INTERRUPTED,
                             t->stop ? ROBO_WHY_SUPERSEDED : why);
    }
    return guard;
}

static void take_axes(struct robo__axes *a, const struct robo__resources *resources)
{
    if (a->held == 0)
        return;
    for (unsigned i = robo__resources_next(resources, 0); i < ROBO__AXES;
         i = robo__resources_next(resources, i + 1))
        if (a->row[i].ticket)
            supersede(a, &a->ticket[a->row[i].ticket - 1], resources);
}

/* A driver need not answer a stop after a later command for one of its axes, whoever moved that one: nobody waits for it then.
 * taken: the axes of that command; over: gets those that were held for the stop, which that command brakes (NULL: it does not).
 * Whether that was for other clients, too. */
static bool end_left(struct robo__axes *a, unsigned devices, const struct robo__party *client,
                     const struct robo__resources *taken, struct robo__resources *over)
{
    bool others = false;
    for (unsigned i = 0; a->leaving > 0 && i < a->tickets; i++) {
        struct robo__ticket *t = &a->ticket[i];
        if (!t->taken || !t->left || !(t->devices & devices))
            continue;
        others |= client && !robo__party_is(t->client, *client);
        for (ROBO__EACH_AXIS(a, axis))
            if (over && a->row[axis].ticket == i + 1)
                robo__resources_add(over, axis);
        if (!over)
            coast(a, t, taken);
        robo__motion_end_one(a, t, ROBO_MODIFIED, ROBO_WHY_SUPERSEDED);
    }
    return others;
}

/* Notes for each axis of a command the session whose speed lasts there. */
static void note_lasting(struct robo__axes *a, const struct robo__resources *resources,
                         struct robo__ticket *t)
{
    for (unsigned i = robo__resources_next(resources, 0); i < ROBO__AXES;
         i = robo__resources_next(resources, i + 1)) {
        bool lasts = i == ROBO__BASE_AXIS ? resources->lasting_base
                                          : robo__dof_set_has(&resources->lasting_dofs, i);
        robo__lasting_note(a, i, lasts ? t->mover : NULL, t);
        robo__lease_rest(a, i, t->mover, a->port->latest);
    }
}

/* A speed of zero brakes its axes, and its result does not wait for their rest. */
static void coast_to_rest(struct robo__axes *a, const struct robo__resources *resources,
                          const struct robo__mover *mover, robo_time now)
{
    if ((!resources->base || resources->lasting_base) &&
        robo__dof_set_within(&resources->dofs, &resources->lasting_dofs))
        return;
    struct robo__resources axes = *resources;
    axes.base &= !resources->lasting_base;
    for (unsigned i = 0; i < axes.dofs.words; i++)
        axes.dofs.word[i] &= ~resources->lasting_dofs.word[i];
    robo__slowing_begin(a, &axes, &mover->holder->client, now);
}

static void hold_axes(struct robo__axes *a, struct robo__ticket *t,
                      const struct robo__resources *resources)
{
    t->first = (uint16_t)robo__resources_next(resources, 0);
    for (unsigned i = robo__resources_next(resources, 0); i < ROBO__AXES;
         i = robo__resources_next(resources, i + 1)) {
        a->row[i].ticket = (uint16_t)(t - a->ticket + 1);
        a->held++;
        t->holds++;
    }
}

/* While the devices are detached, a stop succeeds, since they were halted; all else is BUSY. */
static void answer_detached(struct robo__mover *mover, const struct robo_cmd *cmd,
                            robo_time scheduled, robo_time now)
{
    struct robo_result done = { .id = cmd->id,
                                .op = cmd->op,
                                .signal = ROBO_SUCCESS,
                                .scheduled = scheduled,
                                .executed = now,
                                .finished = now };
    if (cmd->op != ROBO_STOP) {
        robo__mover_refuse(mover, cmd, scheduled, ROBO_BUSY, ROBO_WHY_CHANGED, now);
        return;
    }
    mover->executed++;
    robo__mover_answer(mover, &done);
}

void robo__motion_count_begun(struct robo__mover *mover, robo_time scheduled, robo_time now)
{
    mover->executed++;
    if (!mover->begun) {
        mover->begun = true;
        mover->first_delay = now - scheduled + mover->shift;
    }
    if (now - scheduled > mover->worst)
        mover->worst = now - scheduled;
    if (mover->buffered)
        atomic_store_explicit(&mover->last_heard, now, memory_order_relaxed);
}

static void give_to_frame(struct robo__axes *a, struct robo__ticket *t, const struct robo_cmd *cmd,
                          const struct robo__resources *resources, robo_time now)
{
    const robo_ticket ticket = robo__ticket_number(a, t);
    enum robo_reason what = robo__frames_begin(a->frames, cmd, &resources->dofs, ticket, now);
    if (what == ROBO_WHY_AXIS) {
        robo__lasting_put_back(a, t);
        robo__motion_ended(a, ticket, ROBO_BUSY, what, 0, 0);
    } else if (!resources->keeps) {
        robo__effect_end(a->effects, ticket, what ? ROBO_MODIFIED : ROBO_SUCCESS, what);
    }
}

static void give_to_devices(struct robo__axes *a, struct robo__ticket *t,
                            const struct robo_cmd *cmd, const struct robo__resources *resources,
                            robo_time now)
{
    const robo_ticket ticket = robo__ticket_number(a, t);
    const unsigned devices = t->devices;
    /* all are counted before any is started: one that reports at once must not end the whole */
    t->pending = (uint8_t)__builtin_popcount(devices);
    if (resources->parts)
        robo__brake_start(a, cmd, resources, ticket, now);
    for (unsigned i = 0; !resources->parts && i < a->port->description->devices; i++)
        if (devices & 1u << i)
            robo__bus_give(a->bus, i, cmd, ticket, now);
    if (devices == 0) /* a robot without devices stands */
        robo__effect_end(a->effects, ticket, ROBO_SUCCESS, ROBO_WHY_NONE);
}

/* Whether the drivers of these devices, or their bus, keep to the bounds that goals carry. */
static bool keep_bounds(const struct robo__axes *a, unsigned devices)
{
    for (unsigned i = 0; i < a->port->description->devices; i++)
        if (devices >> i & 1 && !a->traits[i]->bounds && !(a->bus->devices >> i & 1))
            return false;
    return true;
}

bool robo__motion_is_rigid(const struct robo__axes *a, unsigned device)
{
    return !a->traits[device]->override && !(a->bus->devices >> device & 1);
}

bool robo__motion_allows(const struct robo__axes *a, const struct robo_cmd *cmd,
                         const struct robo__resources *resources)
{
    if (a->port->override == 1 || resources->cartesian || robo__cmd_is_rest(cmd))
        return true;
    for (unsigned i = 0; i < a->port->description->devices; i++)
        if (resources->devices >> i & 1 && robo__motion_is_rigid(a, i))
            return false;
    return true;
}

bool robo__motion_moves_frames(const struct robo__axes *a, const struct robo__resources *resources)
{
    for (unsigned i = 0; resources->cartesian && i < a->port->description->devices; i++)
        if (resources->devices >> i & 1 && !a->traits[i]->frames)
            return false;
    return true;
}

/* Whether the driver of a joint, or its bus, lets set-points move on. */
static bool keeps_velocities(const struct robo__axes *a, const struct robo_servo_command *servo)
{
    const unsigned device = a->port->description->joint[servo->joint].device;
    return a->traits[device]->velocities || a->bus->devices >> device & 1;
}

robo_ticket robo__motion_leave(struct robo__axes *a, struct robo__party client,
                               const struct robo__resources *resources, unsigned devices)
{
    struct robo__resources all = *resources;
    /* this stop is in the place of an earlier one; an axis that two clients have left is nobody's until it rests */
    const bool others = end_left(a, devices, &client, resources, &all);
    const bool any = devices && robo__resources_next(&all, 0) < ROBO__AXES;
    struct robo__ticket *t = any ? robo__ticket_take(a) : NULL;
    if (!t)
        return 0;
    t->stop = t->left = true;
    a->leaving++;
    t->client = others ? ROBO__STRANGER : client;
    t->devices = (uint8_t)devices;
    t->pending = (uint8_t)__builtin_popcount(devices);
    hold_axes(a, t, &all);
    return robo__ticket_number(a, t);
}

void robo__motion_guard(struct robo__axes *a, const struct robo_cmd *stop,
                        const struct robo__resources *resources, robo_time now)
{
    take_all(a, resources, ROBO_WHY_LEASE);
    for (unsigned i = robo__resources_next(resources, 0); i < ROBO__AXES;
         i = robo__resources_next(resources, i + 1))
        robo__motion_set_lasting(a, i, NULL, 0);
    robo__motion_yield(a, &resources->dofs, now);
    end_left(a, resources->devices, NULL, resources, NULL);
    struct robo__ticket *t = robo__ticket_take(a);
    if (!t) { /* it stops all the same */
        robo__brake_start(a, stop, resources, 0, now);
        return;
    }
    t->stop = t->guard = true;
    t->devices = resources->devices;
    hold_axes(a, t, resources);
    give_to_devices(a, t, stop, resources, now);
}

/* The heading with which a base arrives at a place that it drives straight to; a root that dofs move keeps its own. */
static double arrival(struct robo__axes *a, const struct robo_go_to *goal, robo_time now)
{
    struct robo_state here;
    a->port->read(a->port, now, &here);
    const double x = goal->x - here.pose[0], y = goal->y - here.pose[1];
    return robo__root_has_dofs(a->port->description) || hypot(x, y) < 1e-9 ? here.attitude[2]
                                                                           : atan2(y, x);
}

bool robo__motion_start(struct robo__axes *a, const struct robo_cmd *cmd,
                        const struct robo__resources *resources,
                        const struct robo__starting *starting, robo_time now)
{
    struct robo__mover *mover = starting->mover;
    bool stop = cmd->op == ROBO_STOP;
    struct robo_cmd still;
    struct robo__resources rests;
    if (cmd->op == ROBO_SET_JOINT && !robo__dof_set_is_empty(&resources->lasting_dofs) &&
        !keeps_velocities(a, &cmd->body.servo)) {
        still = *cmd;
        rests = *resources;
        still.body.servo.velocities = 0;
        memset(still.body.servo.velocity, 0, sizeof still.body.servo.velocity);
        robo__dof_set_empty(&rests.lasting_dofs, a->port->description->dofs);
        cmd = &still;
        resources = &rests;
    }
    if (cmd->op == ROBO_GO_TO && isnan(cmd->body.go_to.theta)) {
        still = *cmd;
        still.body.go_to.theta = arrival(a, &cmd->body.go_to, now);
        cmd = &still;
    }
    bool guard = false;
    for (unsigned i = robo__resources_next(resources, 0); stop && i < ROBO__AXES;
         i = robo__resources_next(resources, i + 1))
        a->row[i].braked = robo__holder_of_motion(a, i);
    if (stop)
        guard = take_all(a, resources, ROBO_WHY_STOPPED);
    else
        take_axes(a, resources);
    end_left(a, resources->devices, NULL, resources, NULL);
    struct robo__ticket *t = robo__ticket_take(a);
    if (!t)
        return false;
    t->guard = guard;
    t->setpoint = resources->setpoint;
    t->stop = stop;
    t->devices = resources->devices;
    t->mover = mover;
    t->move = starting->move;
    t->part = starting->part;
    t->result = (struct robo_result){
        .id = cmd->id, .op = cmd->op, .scheduled = starting->scheduled, .executed = now
    };
    if (resources->keeps || stop)
        hold_axes(a, t, resources);
    mover->running += !t->move; /* a frame counts as one */
    mover->braking += stop;
    note_lasting(a, resources, t);
    if (!stop && !resources->keeps)
        coast_to_rest(a, resources, mover, now);
    robo__mover_count_moving(mover);
    if (!t->move)
        robo__motion_count_begun(mover, starting->scheduled, now);

    robo__motion_yield(a, stop && !resources->parts ? NULL : &resources->dofs, now);
    if (resources->cartesian)
        give_to_frame(a, t, cmd, resources, now);
    else
        give_to_devices(a, t, cmd, resources, now);
    return true;
}

/* Counts a stop that begins and is of anybody's motions. Clients that wait, or go on with an earlier command, are
 * notified by these counts. */
static void count_stop(struct robo__axes *a, const struct robo_cmd *stop)
{
    struct robo__resources resources;
    const bool parts = !a->port->detached && robo__stop_names(a->port->revisions, stop, &resources);
    if (parts)
        robo__brake_widen(a, &resources);
    a->begun_stops++;
    a->base_ends += !parts || resources.base;
}

void robo__motion_begin(struct robo__axes *a, struct robo__mover *mover, const struct robo_cmd *cmd,
                        robo_time scheduled, robo_time now)
{
    bool stop = cmd->op == ROBO_STOP;
    struct robo__resources resources;
    struct robo_cmd renewed;
    now = robo__port_forward(a->port, now);
    if (stop && cmd->body.stop.scope) {
        renewed = robo__brake_own(a, mover, cmd);
        cmd = &renewed;
    } else if (stop) {
        count_stop(a, cmd);
    }
    if (cmd->revision != (uint8_t)a->port->revisions->revision && !stop) {
        renewed = *cmd;
        if (!robo__revision_renew(a->port->revisions, &renewed)) {
            robo__mover_refuse(mover, cmd, scheduled, ROBO_ERROR, ROBO_WHY_CHANGED, now);
            return;
        }
        cmd = &renewed;
    } else if (stop && !robo__stop_names(a->port->revisions, cmd, &resources)) {
        renewed = (struct robo_cmd){ .op = ROBO_STOP, .id = cmd->id };
        cmd = &renewed;
    }
    if (cmd->op == ROBO_MOVE && !a->port->detached) {
        robo__move_begin(a, mover, cmd, scheduled, now);
        return;
    }
    enum robo_reason why =
        cmd->op == ROBO_MOVE
            ? ROBO_WHY_NONE
            : robo__resources_of(a->port->description, a->port->model, cmd, &resources);
    if (why) {
        robo__mover_refuse(mover, cmd, scheduled, signal_of(why), why, now);
        return;
    }
    if (a->port->detached) {
        answer_detached(mover, cmd, scheduled, now);
        return;
    }
    if (resources.bounds && !resources.cartesian && !keep_bounds(a, resources.devices)) {
        robo__mover_refuse(mover, cmd, scheduled, ROBO_NA, ROBO_WHY_BOUNDS, now);
        return;
    }
    if (!robo__motion_moves_frames(a, &resources)) {
        robo__mover_refuse(mover, cmd, scheduled, ROBO_NA, ROBO_WHY_SERVO, now);
        return;
    }
    if (!robo__motion_allows(a, cmd, &resources)) {
        robo__mover_refuse(mover, cmd, scheduled, ROBO_NA, ROBO_WHY_OVERRIDE, now);
        return;
    }
    if (resources.parts)
        robo__brake_widen(a, &resources);
    if (!stop && !robo__holder_has(mover->holder, &resources)) {
        const struct robo__holder *other =
            robo__lease_other(a, mover->holder, &resources, now, NULL);
        if (other) {
            robo__mover_refuse_held(mover, cmd, scheduled, other, now);
            return;
        }
        robo__lease_take(a, mover->holder, &resources, now);
    }
    if (!stop && (why = robo__motion_obstacle(a, &resources, mover)) != ROBO_WHY_NONE) {
        robo__mover_refuse(mover, cmd, scheduled, ROBO_BUSY, why, now);
        return;
    }
    const struct robo__starting starting = { .mover = mover, .scheduled = scheduled };
    if (!robo__motion_start(a, cmd, &resources, &starting, now))
        robo__mover_refuse(mover, cmd, scheduled, ROBO_ERROR, ROBO_WHY_FULL, now);
}
