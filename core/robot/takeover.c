/* Taking leases over: by asking those who have them, by their silence, or by force. What moves is stopped first. */
#include <string.h>

#include "body/description.h"
#include "playback.h"
#include "robot.h"

/* The axes that a request names; all, when it names none, or one that is not there. */
static void axes_of(const robo_robot *robot, const struct robo_request_take *what,
                    struct robo__need *axes)
{
    struct robo_cmd stop = { .op = ROBO_STOP, .revision = (uint8_t)robot->revisions->revision };
    stop.body.stop.base = what->base;
    stop.body.stop.bytes = what->bytes;
    memcpy(stop.body.stop.mask, what->mask, sizeof what->mask);
    if (!robo__brake_names(robot, &stop, axes)) {
        stop.body.stop = (struct robo_stop){ 0 };
        robo__need_of(robot->description, robot->port.model, &stop, axes);
    }
}

static bool is_same(const struct robo__need *a, const struct robo__need *b)
{
    return a->base == b->base && robo__dof_set_equal(&a->dofs, &b->dofs);
}

static void end_ask(robo_robot *robot, struct robo__holder *holder)
{
    robot->asking -= holder->ask.on;
    holder->ask.on = false;
}

/* The client gets these axes of others, who lose what waits for them. */
static void transfer(robo_robot *robot, struct robo__holder *to, const struct robo__need *axes,
                     robo_time now)
{
    struct robo__need theirs;
    if (robo__lease_of_others(robot, to, axes, now, &theirs))
        robo__brake_away(robot, &theirs, now);
    for (struct robo__session *s = robot->sessions; s; s = s->next)
        if (s->holder != to)
            robo__session_sweep(s, axes, ROBO_WHY_LEASE, now);
    robo__lease_hand_over(robot, to, axes, now);
    /* who else has asked for them asks the new one */
    for (struct robo__holder *h = robot->clients; h; h = h->next) {
        if (h == to || !h->ask.on || !robo__need_meets(&h->ask.axes, axes))
            continue;
        h->ask.due = now + robot->lease_time;
        h->ask.serial = ++robot->asks;
    }
}

static bool brakes(const robo_robot *robot, const struct robo__need *axes)
{
    for (unsigned i = 0; i < robot->tickets; i++)
        if (robot->ticket[i].taken && robot->ticket[i].guard &&
            robo__brake_reaches(robot, &robot->ticket[i], axes))
            return true;
    return false;
}

static enum robo__taking take(struct robo__session *session, const struct robo__need *axes,
                              bool force, robo_time now, uint32_t *other)
{
    robo_robot *robot = session->robot;
    struct robo__holder *holder = session->holder;
    struct robo__ask *ask = &holder->ask;
    struct robo__need theirs;
    if (ask->on && !is_same(&ask->axes, axes))
        end_ask(robot, holder);
    bool refused = ask->refused && is_same(&ask->axes, axes);
    ask->refused = false;
    if (!robo__lease_of_others(robot, holder, axes, now, &theirs) || force) {
        end_ask(robot, holder);
        transfer(robot, holder, axes, now);
        return brakes(robot, axes) ? ROBO__TAKEN_BRAKING : ROBO__TAKEN;
    }
    *other = robo__lease_other(session, axes, now)->number;
    if (refused)
        return ROBO__REFUSED;
    if (!ask->on) {
        *ask = (struct robo__ask){
            .on = true, .axes = *axes, .due = now + robot->lease_time, .serial = ++robot->asks
        };
        robot->asking++;
        for (struct robo__session *s = robot->sessions; s; s = s->next)
            if (s->holder != holder)
                robo__session_wake(s);
    }
    return ROBO__ASKED;
}

enum robo__taking robo__takeover(struct robo__session *session,
                                 const struct robo_request_take *what, bool force, robo_time now,
                                 uint32_t *other)
{
    struct robo__need axes;
    *other = 0;
    robo__session_enter(session, now);
    axes_of(session->robot, what, &axes);
    const bool has = robo__holder_has(session->holder, &axes) && !session->holder->ask.on;
    enum robo__taking taking = has && brakes(session->robot, &axes) ? ROBO__TAKEN_BRAKING
                               : has                                ? ROBO__TAKEN
                               : session->gone || session->holder->dismissed
                                   ? ROBO__REFUSED
                                   : take(session, &axes, force, now, other);
    for (ROBO__EACH_AXIS(session->robot, i))
        if (has && session->robot->lease[i].holder == session->holder)
            session->robot->lease[i].used = now;
    robo__session_leave(session);
    return taking;
}

static struct robo__holder *asker_of(const robo_robot *robot, uint32_t number)
{
    struct robo__holder *h = robot->clients;
    while (h && !(h->number == number && h->ask.on))
        h = h->next;
    return h;
}

/* What the other asks for of what this one has. */
static bool asks_of(const struct robo__holder *asker, const struct robo__holder *holder,
                    struct robo__need *axes)
{
    *axes = asker->ask.axes;
    axes->base &= holder->base;
    robo__dof_set_intersect(&axes->dofs, &holder->dofs);
    return asker->ask.on && asker != holder && (axes->base || !robo__dof_set_is_empty(&axes->dofs));
}

bool robo__takeover_answer(struct robo__session *session, uint32_t asker, bool given, robo_time now)
{
    robo_robot *robot = session->robot;
    struct robo__need axes;
    robo__session_enter(session, now);
    struct robo__holder *to = asker_of(robot, asker);
    bool asked = to && asks_of(to, session->holder, &axes);
    if (asked && given) {
        transfer(robot, to, &axes, now);
    } else if (asked) {
        end_ask(robot, to);
        to->ask.refused = true;
        for (struct robo__session *s = robot->sessions; s; s = s->next) {
            s->leases += s->holder == to;
            if (s->holder == to)
                robo__session_wake(s);
        }
    }
    robo__session_leave(session);
    return asked;
}

bool robo__takeover_asked(const struct robo__session *session, uint32_t *serial,
                          struct robo_notice_asked *out)
{
    robo_robot *robot = session->robot;
    const struct robo__holder *first = NULL;
    struct robo__need axes, wanted;
    pthread_mutex_lock(&robot->mutex);
    for (const struct robo__holder *h = robot->clients; h; h = h->next) {
        if ((int32_t)(h->ask.serial - *serial) > 0 && asks_of(h, session->holder, &axes) &&
            (!first || (int32_t)(first->ask.serial - h->ask.serial) > 0)) {
            first = h;
            wanted = axes;
        }
    }
    if (first) {
        *serial = first->ask.serial;
        *out = (struct robo_notice_asked){ .holder = first->number, .due = first->ask.due };
        memcpy(out->name, first->name, sizeof out->name);
        out->base = wanted.base;
        for (unsigned i = 0; i < robot->description->dofs; i++) {
            if (!robo__dof_set_has(&wanted.dofs, i))
                continue;
            out->mask[i / 8] |= (uint8_t)(1u << i % 8);
            out->bytes = (uint8_t)(i / 8 + 1);
        }
    } else {
        *serial = robot->asks;
    }
    pthread_mutex_unlock(&robot->mutex);
    return first != NULL;
}

robo_time robo__takeover_due(const robo_robot *robot)
{
    robo_time due = ROBO_NEVER;
    for (const struct robo__holder *h = robot->clients; h; h = h->next)
        if (h->ask.on && h->ask.due < due)
            due = h->ask.due;
    return due;
}

void robo__takeover_run(robo_robot *robot, robo_time now)
{
    for (struct robo__holder *h = robot->clients; h; h = h->next) {
        if (!h->ask.on || h->ask.due > now)
            continue;
        const struct robo__need axes = h->ask.axes;
        end_ask(robot, h);
        transfer(robot, h, &axes, now);
    }
}
