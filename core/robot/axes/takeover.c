/* Taking leases over: by asking their holders, by the holders' silence, or by force. Motions are stopped first. */
#include <string.h>

#include "body/description.h"
#include "motions.h"

static bool has_base(const struct robo_description *d)
{
    for (unsigned i = 0; i < d->devices; i++)
        if (d->device[i].base)
            return true;
    return robo__root_has_dofs(d);
}

/* The axes that a client names, all when it names none: 0, or an error. */
static int axes_of(const struct robo__axes *a, const struct robo_stop *named, uint8_t revision,
                   struct robo__need *axes)
{
    robo__need_nothing(axes, a->port->description->dofs);
    /* the numbers of an older revision may be of other axes */
    if ((named->base && !has_base(a->port->description)) ||
        (named->bytes > 0 && revision != (uint8_t)a->revisions->revision) ||
        !robo__need_axes(a->port->description, a->port->model, named, axes))
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

static void end_ask(struct robo__axes *a, struct robo__holder *holder)
{
    a->asking -= holder->ask.on;
    holder->ask.on = false;
}

static void wake(struct robo__axes *a, const struct robo__holder *holder)
{
    for (struct robo__mover *s = a->movers->first; s; s = s->next)
        if (s->holder == holder)
            robo__mover_wake(s);
}

void robo__takeover_end(struct robo__axes *a, struct robo__holder *holder, uint8_t state)
{
    end_ask(a, holder);
    holder->ask.refused = state == ROBO__REFUSED;
    holder->answer.state = state;
    holder->answer.count++;
    wake(a, holder);
}

void robo__takeover_pass(struct robo__axes *a, const struct robo__holder *to,
                         const struct robo__need *axes, robo_time now)
{
    bool asked = false;
    if (a->asking == 0)
        return;
    for (struct robo__holder *h = a->clients; h; h = h->next) {
        if (h == to || !h->ask.on || !robo__need_meets(&h->ask.axes, axes))
            continue;
        h->ask.due = now + robo__lease_time(a);
        h->ask.serial = ++a->asks;
        asked = true;
    }
    if (asked)
        wake(a, to);
}

/* The client gets these axes of others, whose commands that wait for them are lost. */
static void transfer(struct robo__axes *a, struct robo__holder *to, const struct robo__need *axes,
                     robo_time now)
{
    struct robo__need theirs;
    if (robo__lease_of_others(a, to, axes, now, &theirs))
        robo__brake_away(a, &theirs, now);
    for (struct robo__mover *s = a->movers->first; s; s = s->next)
        if (s->holder != to)
            a->sweep(s, axes, ROBO_WHY_LEASE, now);
    robo__lease_hand_over(a, to, axes, now);
}

/* Of the asking clients, the one that has asked first after that one; NULL: the first of all, and none. */
static struct robo__holder *next_asker(const struct robo__axes *a, const struct robo__holder *after)
{
    struct robo__holder *first = NULL;
    for (struct robo__holder *h = a->asking > 0 ? a->clients : NULL; h; h = h->next)
        if (h->ask.on && (!after || (int32_t)(h->ask.turn - after->ask.turn) > 0) &&
            (!first || (int32_t)(first->ask.turn - h->ask.turn) > 0))
            first = h;
    return first;
}

void robo__takeover_free(struct robo__axes *a, robo_time now)
{
    struct robo__need theirs;
    struct robo__holder *h = NULL;
    while ((h = next_asker(a, h)) != NULL) {
        const struct robo__need axes = h->ask.axes;
        if (!robo__lease_of_others(a, h, &axes, now, &theirs))
            transfer(a, h, &axes, now);
    }
}

/* Whether an axis there still brakes, which keeps the client from moving it. */
static bool brakes(const struct robo__axes *a, const struct robo__holder *holder,
                   const struct robo__need *axes)
{
    for (ROBO__EACH_AXIS(a, i))
        if (robo__need_has(axes, i) && robo__slowing_keeps(a, i, holder->client))
            return true;
    for (unsigned i = 0; i < a->tickets; i++) {
        const struct robo__ticket *t = &a->ticket[i];
        const bool waits = t->guard || (t->left && !robo__party_is(t->client, holder->client));
        if (t->taken && waits && robo__brake_reaches(a, t, axes))
            return true;
    }
    return false;
}

/* A question to the others; or why there is none now. */
static enum robo__taking ask(struct robo__axes *a, struct robo__holder *holder,
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
                               .due = now + robo__lease_time(a),
                               .next = now + robo__lease_time(a) / 10,
                               .serial = a->asks + 1,
                               .turn = a->asks + 1 };
    a->asks++;
    *left = robo__lease_time(a);
    a->asking++;
    for (struct robo__mover *s = a->movers->first; s; s = s->next)
        if (s->holder != holder)
            robo__mover_wake(s);
    return ROBO__ASKED;
}

static void take(struct robo__mover *mover, const struct robo__need *axes, bool force,
                 robo_time now, struct robo_reply_take *out)
{
    struct robo__axes *a = mover->axes;
    struct robo__need theirs;
    if (!force && robo__lease_of_others(a, mover->holder, axes, now, &theirs)) {
        const struct robo__holder *other = robo__lease_other(mover, &theirs, now);
        out->state = (uint8_t)ask(a, mover->holder, axes, now, &out->left);
        out->holder = other->client.number;
        memcpy(out->name, other->name, sizeof out->name);
        return;
    }
    transfer(a, mover->holder, axes, now);
    robo__port_forward(a->port, now);
    out->state = ROBO__TAKEN;
}

/* The axes that a request names: 0, or an error. */
static int asked_axes(const struct robo__mover *mover, uint8_t base, uint8_t bytes,
                      const uint8_t *mask, uint8_t revision, struct robo__need *axes)
{
    struct robo_stop named = { .base = base, .bytes = bytes };
    memcpy(named.mask, mask, sizeof named.mask);
    return mover->gone ? ROBO_ENONE : axes_of(mover->axes, &named, revision, axes);
}

int robo__takeover_take(struct robo__mover *mover, const struct robo_request_take *what, bool force,
                        robo_time now, struct robo_reply_take *out)
{
    struct robo__need axes;
    *out = (struct robo_reply_take){ 0 };
    int error = asked_axes(mover, what->base, what->bytes, what->mask, what->revision, &axes);
    if (error == 0 && mover->holder->dismissed)
        out->state = ROBO__REFUSED;
    else if (error == 0)
        take(mover, &axes, force, now, out);
    return error;
}

void robo__takeover_look(const struct robo__mover *mover, const struct robo_request_take *what,
                         struct robo_reply_take *out)
{
    struct robo__need axes;
    if (out->state == ROBO__TAKEN &&
        asked_axes(mover, what->base, what->bytes, what->mask, what->revision, &axes) == 0 &&
        brakes(mover->axes, mover->holder, &axes))
        out->state = ROBO__TAKEN_BRAKING;
}

/* Ends the client's question for any of these axes. Unless `asked`, its leases of these axes are given back, too. */
static void release(struct robo__mover *mover, struct robo__need *axes, bool asked, robo_time now)
{
    struct robo__axes *a = mover->axes;
    struct robo__holder *holder = mover->holder;
    if (holder->ask.on && robo__need_meets(&holder->ask.axes, axes))
        end_ask(a, holder);
    if (asked || !meet(axes, holder))
        return;
    robo__brake_away(a, axes, now);
    for (struct robo__mover *s = a->movers->first; s; s = s->next)
        if (s->holder == holder)
            a->sweep(s, axes, ROBO_WHY_LEASE, now);
    a->drop_held(mover, axes, ROBO_WHY_LEASE, now);
    robo__lease_give_back(a, holder, axes);
    robo__takeover_free(a, now);
}

int robo__takeover_give_back(struct robo__mover *mover, const struct robo_request_release *what,
                             robo_time now)
{
    struct robo__need axes;
    int error = asked_axes(mover, what->base, what->bytes, what->mask, what->revision, &axes);
    if (error == 0)
        release(mover, &axes, what->asked != 0, now);
    return error;
}

static struct robo__holder *asker_of(const struct robo__axes *a, uint32_t number)
{
    struct robo__holder *h = a->clients;
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
    struct robo__axes *a = mover->axes;
    struct robo__need axes;
    struct robo__holder *to = mover->gone ? NULL : asker_of(a, asker);
    bool asked = to && asks_of(to, mover->holder, &axes);
    if (asked && given) {
        transfer(a, to, &axes, now);
        robo__takeover_free(a, now); /* other axes that it asked for may be nobody's */
    } else if (asked) {
        robo__takeover_end(a, to, ROBO__REFUSED);
        to->ask.next = now + robo__lease_time(a);
    }
    return asked;
}

bool robo__takeover_asked(const struct robo__mover *mover, uint32_t *serial,
                          struct robo_notice_asked *out)
{
    struct robo__axes *a = mover->axes;
    const struct robo__holder *first = NULL;
    struct robo__need axes, wanted;
    for (const struct robo__holder *h = a->clients; h; h = h->next) {
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
        for (unsigned i = 0; i < a->port->description->dofs; i++) {
            if (!robo__dof_set_has(&wanted.dofs, i))
                continue;
            out->mask[i / 8] |= (uint8_t)(1u << i % 8);
            out->bytes = (uint8_t)(i / 8 + 1);
        }
    } else {
        *serial = a->asks;
    }
    return first != NULL;
}

robo_time robo__takeover_due(const struct robo__axes *a)
{
    robo_time due = ROBO_NEVER;
    for (const struct robo__holder *h = a->clients; h; h = h->next)
        if (h->ask.on && h->ask.due < due)
            due = h->ask.due;
    return due;
}

void robo__takeover_run(struct robo__axes *a, robo_time now)
{
    struct robo__holder *h = NULL;
    while ((h = next_asker(a, h)) != NULL) {
        const struct robo__need axes = h->ask.axes;
        if (h->ask.due <= now)
            transfer(a, h, &axes, now);
    }
}
