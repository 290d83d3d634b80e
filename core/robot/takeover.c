/* Taking leases over: by asking their holders, by the holders' silence, or by force. Motions are stopped first. */
#include <string.h>

#include "body/description.h"
#include "robot.h"

static bool has_base(const struct robo_description *d)
{
    for (unsigned i = 0; i < d->devices; i++)
        if (d->device[i].base)
            return true;
    return robo__root_has_dofs(d);
}

/* The axes that a client names, all when it names none: 0, or an error. */
static int axes_of(const robo_robot *robot, const struct robo_stop *named, uint8_t revision,
                   struct robo__need *axes)
{
    robo__need_nothing(axes, robot->description->dofs);
    /* the numbers of an older revision may be of other axes */
    if ((named->base && !has_base(robot->description)) ||
        (named->bytes > 0 && revision != (uint8_t)robot->revisions->revision) ||
        !robo__need_axes(robot->description, robot->port.model, named, axes))
        return ROBO_ENONE;
    return axes->base || !robo__dof_set_is_empty(&axes->dofs) ? 0 : ROBO_ERANGE;
}

static bool is_same(const struct robo__need *a, const struct robo__need *b)
{
    return a->base == b->base && robo__dof_set_equal(&a->dofs, &b->dofs);
}

/* Leaves only those axes that the client has the lease of: whether there are any. */
static bool meet(struct robo__need *axes, const struct robo__holder *holder)
{
    axes->base &= holder->base;
    robo__dof_set_intersect(&axes->dofs, &holder->dofs);
    return axes->base || !robo__dof_set_is_empty(&axes->dofs);
}

static void end_ask(robo_robot *robot, struct robo__holder *holder)
{
    robot->axes.asking -= holder->ask.on;
    holder->ask.on = false;
}

static void wake(robo_robot *robot, const struct robo__holder *holder)
{
    for (struct robo__mover *s = robot->movers.first; s; s = s->next)
        if (s->holder == holder)
            robo__mover_wake(s);
}

void robo__takeover_end(robo_robot *robot, struct robo__holder *holder, uint8_t state)
{
    end_ask(robot, holder);
    holder->ask.refused = state == ROBO__REFUSED;
    holder->answer.state = state;
    holder->answer.count++;
    wake(robot, holder);
}

void robo__takeover_pass(robo_robot *robot, const struct robo__holder *to,
                         const struct robo__need *axes, robo_time now)
{
    bool asked = false;
    if (robot->axes.asking == 0)
        return;
    for (struct robo__holder *h = robot->axes.clients; h; h = h->next) {
        if (h == to || !h->ask.on || !robo__need_meets(&h->ask.axes, axes))
            continue;
        h->ask.due = now + robo__lease_time(robot);
        h->ask.serial = ++robot->axes.asks;
        asked = true;
    }
    if (asked)
        wake(robot, to);
}

/* The client gets these axes of others, whose commands that wait for them are lost. */
static void transfer(robo_robot *robot, struct robo__holder *to, const struct robo__need *axes,
                     robo_time now)
{
    struct robo__need theirs;
    if (robo__lease_of_others(robot, to, axes, now, &theirs))
        robo__brake_away(robot, &theirs, now);
    for (struct robo__mover *s = robot->movers.first; s; s = s->next)
        if (s->holder != to)
            robot->axes.sweep(s, axes, ROBO_WHY_LEASE, now);
    robo__lease_hand_over(robot, to, axes, now);
}

/* Of the asking clients, the one that has asked first after that one; NULL: the first of all, and none. */
static struct robo__holder *next_asker(const robo_robot *robot, const struct robo__holder *after)
{
    struct robo__holder *first = NULL;
    for (struct robo__holder *h = robot->axes.asking > 0 ? robot->axes.clients : NULL; h;
         h = h->next)
        if (h->ask.on && (!after || (int32_t)(h->ask.turn - after->ask.turn) > 0) &&
            (!first || (int32_t)(first->ask.turn - h->ask.turn) > 0))
            first = h;
    return first;
}

void robo__takeover_free(robo_robot *robot, robo_time now)
{
    struct robo__need theirs;
    struct robo__holder *h = NULL;
    while ((h = next_asker(robot, h)) != NULL) {
        const struct robo__need axes = h->ask.axes;
        if (!robo__lease_of_others(robot, h, &axes, now, &theirs))
            transfer(robot, h, &axes, now);
    }
}

/* Whether an axis there still brakes, which keeps the client from moving it. */
static bool brakes(const robo_robot *robot, const struct robo__holder *holder,
                   const struct robo__need *axes)
{
    for (ROBO__EACH_AXIS(robot, i))
        if (robo__need_has(axes, i) && robo__slowing_keeps(robot, i, holder->client))
            return true;
    for (unsigned i = 0; i < robot->axes.tickets; i++) {
        const struct robo__ticket *t = &robot->axes.ticket[i];
        const bool waits = t->guard || (t->left && !robo__party_is(t->client, holder->client));
        if (t->taken && waits && robo__brake_reaches(robot, t, axes))
            return true;
    }
    return false;
}

/* A question to the others; or why there is none now. */
static enum robo__taking ask(robo_robot *robot, struct robo__holder *holder,
                             const struct robo__need *axes, robo_time now, robo_time *left)
{
    struct robo__ask *ask = &holder->ask;
    if (ask->on || now < ask->next) {
        const bool refused = ask->refused && robo__need_meets(&ask->axes, axes);
        *left = (ask->on ? ask->due : ask->next) - now;
        return ask->on && is_same(&ask->axes, axes) ? ROBO__ASKED
               : !ask->on && refused                ? ROBO__REFUSED
                                                    : ROBO__LATER;
    }
    *ask = (struct robo__ask){ .on = true,
                               .axes = *axes,
                               .due = now + robo__lease_time(robot),
                               .next = now + robo__lease_time(robot) / 10,
                               .serial = robot->axes.asks + 1,
                               .turn = robot->axes.asks + 1 };
    robot->axes.asks++;
    *left = robo__lease_time(robot);
    robot->axes.asking++;
    for (struct robo__mover *s = robot->movers.first; s; s = s->next)
        if (s->holder != holder)
            robo__mover_wake(s);
    return ROBO__ASKED;
}

static void take(struct robo__mover *mover, const struct robo__need *axes, bool force,
                 robo_time now, struct robo_reply_take *out)
{
    robo_robot *robot = mover->robot;
    struct robo__need theirs;
    if (!force && robo__lease_of_others(robot, mover->holder, axes, now, &theirs)) {
        const struct robo__holder *other = robo__lease_other(mover, &theirs, now);
        out->state = (uint8_t)ask(robot, mover->holder, axes, now, &out->left);
        out->holder = other->client.number;
        memcpy(out->name, other->name, sizeof out->name);
        return;
    }
    transfer(robot, mover->holder, axes, now);
    robo__robot_forward(robot, now);
    robo__effects_carry_out(robot); /* axes at rest have ended their stop already */
    out->state = brakes(robot, mover->holder, axes) ? ROBO__TAKEN_BRAKING : ROBO__TAKEN;
}

int robo__takeover_take(struct robo__mover *mover, const struct robo_request_take *what, bool force,
                        robo_time now, struct robo_reply_take *out)
{
    struct robo__need axes;
    struct robo_stop named = { .base = what->base, .bytes = what->bytes };
    memcpy(named.mask, what->mask, sizeof what->mask);
    *out = (struct robo_reply_take){ 0 };
    int error = mover->gone ? ROBO_ENONE : axes_of(mover->robot, &named, what->revision, &axes);
    if (error == 0 && mover->holder->dismissed)
        out->state = ROBO__REFUSED;
    else if (error == 0)
        take(mover, &axes, force, now, out);
    return error;
}

/* Ends the client's question for any of these axes. Unless `asked`, its leases of these axes are given back, too. */
static void release(struct robo__mover *mover, struct robo__need *axes, bool asked, robo_time now)
{
    robo_robot *robot = mover->robot;
    struct robo__holder *holder = mover->holder;
    if (holder->ask.on && robo__need_meets(&holder->ask.axes, axes))
        end_ask(robot, holder);
    if (asked || !meet(axes, holder))
        return;
    robo__brake_away(robot, axes, now);
    for (struct robo__mover *s = robot->movers.first; s; s = s->next)
        if (s->holder == holder)
            robot->axes.sweep(s, axes, ROBO_WHY_LEASE, now);
    robot->axes.drop_held(mover, axes, ROBO_WHY_LEASE, now);
    robo__lease_give_back(robot, holder, axes);
    robo__takeover_free(robot, now);
}

int robo__takeover_give_back(struct robo__mover *mover, const struct robo_request_release *what,
                             robo_time now)
{
    struct robo__need axes;
    struct robo_stop named = { .base = what->base, .bytes = what->bytes };
    memcpy(named.mask, what->mask, sizeof what->mask);
    int error = mover->gone ? ROBO_ENONE : axes_of(mover->robot, &named, what->revision, &axes);
    if (error == 0)
        release(mover, &axes, what->asked != 0, now);
    return error;
}

static struct robo__holder *asker_of(const robo_robot *robot, uint32_t number)
{
    struct robo__holder *h = robot->axes.clients;
    while (h && !(h->client.number == number && h->ask.on))
        h = h->next;
    return h;
}

/* The axes of `holder` that `asker` asks for; false: there are none. */
static bool asks_of(const struct robo__holder *asker, const struct robo__holder *holder,
                    struct robo__need *axes)
{
    *axes = asker->ask.axes;
    return asker->ask.on && asker != holder && meet(axes, holder);
}

bool robo__takeover_reply(struct robo__mover *mover, uint32_t asker, bool given, robo_time now)
{
    robo_robot *robot = mover->robot;
    struct robo__need axes;
    struct robo__holder *to = mover->gone ? NULL : asker_of(robot, asker);
    bool asked = to && asks_of(to, mover->holder, &axes);
    if (asked && given) {
        transfer(robot, to, &axes, now);
        robo__takeover_free(robot, now); /* other axes that it asked for may be nobody's */
    } else if (asked) {
        robo__takeover_end(robot, to, ROBO__REFUSED);
        to->ask.next = now + robo__lease_time(robot);
    }
    return asked;
}

bool robo__takeover_asked(const struct robo__mover *mover, uint32_t *serial,
                          struct robo_notice_asked *out)
{
    robo_robot *robot = mover->robot;
    const struct robo__holder *first = NULL;
    struct robo__need axes, wanted;
    pthread_mutex_lock(&robot->mutex);
    for (const struct robo__holder *h = robot->axes.clients; h; h = h->next) {
        if ((int32_t)(h->ask.serial - *serial) > 0 && asks_of(h, mover->holder, &axes) &&
            (!first || (int32_t)(first->ask.serial - h->ask.serial) > 0)) {
            first = h;
            wanted = axes;
        }
    }
    if (first) {
        *serial = first->ask.serial;
        *out = (struct robo_notice_asked){ .holder = first->client.number, .due = first->ask.due };
        memcpy(out->name, first->name, sizeof out->name);
        out->base = wanted.base;
        for (unsigned i = 0; i < robot->description->dofs; i++) {
            if (!robo__dof_set_has(&wanted.dofs, i))
                continue;
            out->mask[i / 8] |= (uint8_t)(1u << i % 8);
            out->bytes = (uint8_t)(i / 8 + 1);
        }
    } else {
        *serial = robot->axes.asks;
    }
    pthread_mutex_unlock(&robot->mutex);
    return first != NULL;
}

robo_time robo__takeover_due(const robo_robot *robot)
{
    robo_time due = ROBO_NEVER;
    for (const struct robo__holder *h = robot->axes.clients; h; h = h->next)
        if (h->ask.on && h->ask.due < due)
            due = h->ask.due;
    return due;
}

void robo__takeover_run(robo_robot *robot, robo_time now)
{
    struct robo__holder *h = NULL;
    while ((h = next_asker(robot, h)) != NULL) {
        const struct robo__need axes = h->ask.axes;
        if (h->ask.due <= now)
            transfer(robot, h, &axes, now);
    }
}
