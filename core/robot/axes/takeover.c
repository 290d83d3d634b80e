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
                   struct robo__resources *axes)
{
    robo__resources_nothing(axes, a->port->description->dofs);
    /* the numbers of an older revision may be of other axes */
    if ((named->base && !has_base(a->port->description)) ||
        (named->bytes > 0 && revision != (uint8_t)a->port->revisions->revision) ||
        !robo__resources_axes(a->port->description, a->port->model, named, axes))
        return ROBO_ENONE;
    return axes->base || !robo__dof_set_is_empty(&axes->dofs) ? 0 : ROBO_ERANGE;
}

/* The client gets these axes of others, whose commands that wait for them are lost. */
static void transfer(struct robo__axes *a, struct robo__holder *to,
                     const struct robo__resources *axes, robo_time now)
{
    struct robo__resources theirs;
    if (robo__lease_other(a, to, axes, now, &theirs))
        robo__brake_away(a, &theirs, now);
    for (struct robo__mover *s = a->movers->first; s; s = s->next)
        if (s->holder != to)
            robo__mover_sweep(s, axes, ROBO_NEVER, ROBO_WHY_LEASE, now);
    robo__lease_hand_over(a, to, axes, now);
}

void robo__takeover_free(struct robo__axes *a, robo_time now)
{
    struct robo__holder *h = NULL;
    while ((h = robo__ask_next(a, h)) != NULL) {
        const struct robo__resources axes = h->ask.axes;
        if (!robo__lease_other(a, h, &axes, now, NULL))
            transfer(a, h, &axes, now);
    }
}

/* Whether an axis there still brakes, which keeps the client from moving it. */
static bool brakes(const struct robo__axes *a, const struct robo__holder *holder,
                   const struct robo__resources *axes)
{
    for (ROBO__EACH_AXIS(a, i))
        if (robo__resources_has(axes, i) && robo__slowing_keeps(a, i, holder->client))
            return true;
    for (unsigned i = 0; i < a->tickets; i++) {
        const struct robo__ticket *t = &a->ticket[i];
        const bool waits = t->guard || (t->left && !robo__party_is(t->client, holder->client));
        if (t->taken && waits && robo__brake_reaches(a, t, axes))
            return true;
    }
    return false;
}

static void take(struct robo__axes *a, struct robo__mover *mover,
                 const struct robo__resources *axes, bool force, robo_time now,
                 struct robo_reply_take *out)
{
    const struct robo__holder *other =
        force ? NULL : robo__lease_other(a, mover->holder, axes, now, NULL);
    if (other) {
        out->state = (uint8_t)robo__ask_begin(a, mover->holder, axes, now, &out->left);
        out->holder = other->client.number;
        memcpy(out->name, other->name, sizeof out->name);
        return;
    }
    transfer(a, mover->holder, axes, now);
    robo__port_forward(a->port, now);
    out->state = ROBO__TAKEN;
}

/* The axes that a request names: 0, or an error. */
static int asked_axes(const struct robo__axes *a, const struct robo__mover *mover, uint8_t base,
                      uint8_t bytes, const uint8_t *mask, uint8_t revision,
                      struct robo__resources *axes)
{
    struct robo_stop named = { .base = base, .bytes = bytes };
    memcpy(named.mask, mask, sizeof named.mask);
    return mover->gone ? ROBO_ENONE : axes_of(a, &named, revision, axes);
}

int robo__takeover_take(struct robo__axes *a, struct robo__mover *mover,
                        const struct robo_request_take *what, robo_time now,
                        struct robo_reply_take *out)
{
    struct robo__resources axes;
    *out = (struct robo_reply_take){ 0 };
    int error = asked_axes(a, mover, what->base, what->bytes, what->mask, what->revision, &axes);
    if (error == 0 && mover->holder->dismissed)
        out->state = ROBO__REFUSED;
    else if (error == 0)
        take(a, mover, &axes, what->force != 0, now, out);
    return error;
}

void robo__takeover_look(const struct robo__axes *a, const struct robo__mover *mover,
                         const struct robo_request_take *what, struct robo_reply_take *out)
{
    struct robo__resources axes;
    if (out->state == ROBO__TAKEN &&
        asked_axes(a, mover, what->base, what->bytes, what->mask, what->revision, &axes) == 0 &&
        brakes(a, mover->holder, &axes))
        out->state = ROBO__TAKEN_BRAKING;
}

/* Ends the client's question for any of these axes. Unless `asked`, its leases of these axes are given back, too. */
static void release(struct robo__axes *a, struct robo__mover *mover, struct robo__resources *axes,
                    bool asked, robo_time now)
{
    struct robo__holder *holder = mover->holder;
    robo__ask_withdraw(a, holder, axes);
    axes->base &= holder->base;
    robo__dof_set_intersect(&axes->dofs, &holder->dofs);
    if (asked || !(axes->base || !robo__dof_set_is_empty(&axes->dofs)))
        return;
    robo__brake_away(a, axes, now);
    for (struct robo__mover *s = a->movers->first; s; s = s->next)
        if (s->holder == holder)
            robo__mover_sweep(s, axes, ROBO_NEVER, ROBO_WHY_LEASE, now);
    robo__mover_drop_held(mover, axes, ROBO_WHY_LEASE, now);
    robo__lease_give_back(a, holder, axes);
    robo__takeover_free(a, now);
}

int robo__takeover_give_back(struct robo__axes *a, struct robo__mover *mover,
                             const struct robo_request_release *what, robo_time now)
{
    struct robo__resources axes;
    int error = asked_axes(a, mover, what->base, what->bytes, what->mask, what->revision, &axes);
    if (error == 0)
        release(a, mover, &axes, what->asked != 0, now);
    return error;
}

int robo__takeover_reply(struct robo__axes *a, struct robo__mover *mover, uint32_t asker,
                         bool given, robo_time now)
{
    struct robo__resources axes;
    struct robo__holder *to = mover->gone ? NULL : robo__ask_of(a, asker, mover->holder, &axes);
    if (to && given) {
        transfer(a, to, &axes, now);
        robo__takeover_free(a, now); /* other axes that it asked for may be nobody's */
    } else if (to) {
        robo__ask_end(a, to, ROBO__REFUSED, now);
    }
    return to ? 0 : ROBO_ENONE;
}

void robo__takeover_run(struct robo__axes *a, robo_time now)
{
    struct robo__holder *h = NULL;
    while ((h = robo__ask_next(a, h)) != NULL) {
        const struct robo__resources axes = h->ask.axes;
        if (h->ask.due <= now)
            transfer(a, h, &axes, now);
    }
}
