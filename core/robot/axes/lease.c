/* Leases: which client may drive which axes of a robot. The mutex is held. */
#include <string.h>

#include "motions.h"

static void give(struct robo__axes *a, unsigned axis, struct robo__holder *holder)
{
    struct robo__holder *before = a->row[axis].lease.holder;
    a->row[axis].lease.holder = holder;
    if (axis == ROBO__BASE_AXIS) {
        if (before)
            before->base = false;
        if (holder)
            holder->base = true;
        return;
    }
    if (before)
        robo__dof_set_remove(&before->dofs, axis);
    if (holder)
        robo__dof_set_add(&holder->dofs, axis);
}

/* The leases of that client have changed, `too`: and with them those of others. Each session is notified of changes to
 * other clients' leases. */
static void tell(struct robo__axes *a, const struct robo__holder *holder, bool too)
{
    a->movers->leases++;
    for (struct robo__mover *s = a->movers->first; s; s = s->next) {
        if (s->holder == holder && !too)
            continue;
        s->leases++;
        robo__mover_wake(s);
    }
}

void robo__lease_drop(struct robo__axes *a, struct robo__holder *holder)
{
    if (robo__holder_has_any(holder))
        tell(a, holder, false);
    a->asking -= holder->ask.on;
    holder->ask.on = false;
    for (ROBO__EACH_AXIS(a, i))
        if (a->row[i].lease.holder == holder)
            give(a, i, NULL);
}

/* ---- how long ---- */

static bool is_of(const struct robo__mover *mover, const struct robo__holder *holder)
{
    return mover && mover->holder == holder;
}

static bool moves(const struct robo__axes *a, unsigned axis, const struct robo__holder *holder)
{
    const uint16_t ticket = a->row[axis].ticket;
    return (ticket && is_of(a->ticket[ticket - 1].mover, holder)) ||
           is_of(a->row[axis].lasting.now.mover, holder);
}

/* Until when commands of the holder have waited, or its client gave the last sign of life with commands waiting. */
static robo_time waited(const struct robo__axes *a, const struct robo__holder *holder,
                        robo_time now)
{
    robo_time latest = holder->waited;
    for (const struct robo__mover *s = a->movers->first; s && latest < now; s = s->next) {
        if (s->holder != holder ||
            (s->queued.count == 0 && !s->queued.cut_first && s->held_count == 0))
            continue;
        const robo_time until = robo__mover_heard_until(s, now);
        if (until > latest)
            latest = until;
    }
    return latest;
}

/* How long the lease of an axis lasts if nothing more comes; 0 or less: it is over, or nobody has it. `waiting`: as `waited`
 * says of its holder. */
static robo_time left(const struct robo__axes *a, unsigned axis, robo_time waiting, robo_time now)
{
    const struct robo__lease *lease = &a->row[axis].lease;
    robo_time used = lease->used > waiting ? lease->used : waiting;
    if (!lease->holder)
        return 0;
    return robo__lease_time(a->clients) -
           (moves(a, axis, lease->holder) || used > now ? 0 : now - used);
}

/* The holder of the axis before, and whether it keeps others out: that takes a look at all sessions, and axes often have one holder. */
struct asked {
    const struct robo__holder *holder;
    bool keeps;
};

/* Whether another client holds it; a lease whose time is over, or of a latched client, is nobody's. */
static bool is_held(const struct robo__axes *a, unsigned axis, const struct robo__holder *by,
                    struct asked *asked, robo_time now)
{
    const struct robo__holder *holder = a->row[axis].lease.holder;
    if (!holder || holder == by)
        return false;
    if (asked->holder != holder)
        *asked = (struct asked){ holder, !robo__latch_frees(a->clients, holder) };
    return asked->keeps && (left(a, axis, holder->waited, now) > 0 ||
                            left(a, axis, waited(a, holder, now), now) > 0);
}

bool robo__lease_look(const struct robo__axes *a, const struct robo__holder *holder, robo_time now,
                      struct robo__leased *out)
{
    struct robo_reply_holder *last = &out->last;
    *out = (struct robo__leased){ .last.holder = holder->client.number, .ends = ROBO_NEVER };
    memcpy(last->name, holder->name, sizeof last->name);
    if (!robo__holder_has_any(holder))
        return false;
    const robo_time waiting = waited(a, holder, now);
    for (ROBO__EACH_AXIS(a, i)) {
        const bool has = a->row[i].lease.holder == holder;
        const robo_time rest = has ? left(a, i, waiting, now) : 0;
        out->over += has && rest <= 0;
        if (rest <= 0)
            continue;
        out->lasting++;
        out->ends = now + rest < out->ends ? now + rest : out->ends;
        last->left = rest > last->left ? rest : last->left;
        if (i == ROBO__BASE_AXIS) {
            last->base = 1;
            continue;
        }
        last->mask[i / 8] |= (uint8_t)(1u << i % 8);
        last->bytes = (uint8_t)(i / 8 + 1);
    }
    out->keeps = last->left > 0 && !robo__latch_frees(a->clients, holder);
    return last->left > 0;
}

/* ---- lost leases ---- */

/* A client has lost the lease of that axis; `again`: and others with it just now. */
static void lose(struct robo__axes *a, struct robo__holder *holder, unsigned axis, uint32_t to,
                 uint32_t before)
{
    if (holder->losses == before) {
        holder->losses++;
        for (struct robo__mover *s = a->movers->first; s; s = s->next) {
            const uint32_t stops = a->movers->stops - s->own_stops;
            if (s->holder != holder)
                continue;
            s->losses = s->stops_then == stops ? s->losses + 1 : 1;
            s->stops_then = stops;
        }
    }
    holder->lost[axis] = holder->losses;
    holder->lost_to = to;
}

static enum robo_reason missed_by(const struct robo__axes *a, const struct robo__mover *s,
                                  uint16_t known, const struct robo_cmd *cmd)
{
    const struct robo__holder *holder = s->holder;
    const uint16_t missed = (uint16_t)(robo__mover_stop_count(s) - known);
    struct robo__resources lost;
    if (missed == 0)
        return ROBO_WHY_NONE;
    if (missed > s->losses || s->stops_then != a->movers->stops - s->own_stops)
        return ROBO_WHY_STOPPED;
    robo__resources_nothing(&lost, a->port->description->dofs);
    for (ROBO__EACH_AXIS(a, i)) {
        if (holder->lost[i] == 0 || holder->losses - holder->lost[i] >= missed)
            continue;
        robo__resources_add(&lost, i);
    }
    return cmd && robo__cmd_meets(a->port->revisions, cmd, &lost) ? ROBO_WHY_LEASE : ROBO_WHY_NONE;
}

enum robo_reason robo__client_refuses(const struct robo__axes *a, struct robo__mover *s,
                                      uint16_t known, const struct robo_cmd *cmd, bool moves,
                                      robo_time now)
{
    const enum robo_reason why = missed_by(a, s, known, cmd);
    if (why || !moves || !robo__latch_refuse(a->clients, s, now))
        return why;
    return ROBO_WHY_STOPPED;
}

/* The waiting commands of a client for axes that it has lost never run, whoever has these when the commands fall
 * due. */
static void sweep(struct robo__axes *a, const struct robo__holder *holder,
                  const struct robo__resources *axes, robo_time now)
{
    for (struct robo__mover *s = a->movers->first; s; s = s->next)
        if (s->holder == holder)
            robo__mover_sweep(s, axes, ROBO_NEVER, ROBO_WHY_LEASE, now);
}

/* Gives a client those of these axes that it does not have; false: there are none. */
static bool gain(struct robo__axes *a, struct robo__holder *to, const struct robo__resources *axes,
                 robo_time now)
{
    bool any = false;
    for (unsigned i = robo__resources_next(axes, 0); i < ROBO__AXES;
         i = robo__resources_next(axes, i + 1)) {
        a->row[i].lease.used = now;
        if (a->row[i].lease.holder == to)
            continue;
        give(a, i, to);
        any = true;
    }
    return any;
}

void robo__lease_hand_over(struct robo__axes *a, struct robo__holder *to,
                           const struct robo__resources *axes, robo_time now)
{
    bool lost = false;
    for (struct robo__holder *h = a->clients->first; h; h = h->next) {
        const uint32_t before = h->losses;
        for (unsigned i = robo__resources_next(axes, 0); i < ROBO__AXES;
             i = robo__resources_next(axes, i + 1))
            if (h != to && a->row[i].lease.holder == h)
                lose(a, h, i, to->client.number, before);
        if (h->losses == before)
            continue;
        lost = true;
        sweep(a, h, axes, now);
    }
    const bool any = gain(a, to, axes, now);
    if (to->ask.on && robo__holder_has(to, &to->ask.axes)) /* it may have got them otherwise */
        robo__ask_end(a, to, ROBO__TAKEN, now);
    if (!any)
        return;
    tell(a, to, lost);
    robo__ask_pass(a, to, axes, now);
}

void robo__lease_give_back(struct robo__axes *a, struct robo__holder *holder,
                           const struct robo__resources *axes)
{
    for (unsigned i = robo__resources_next(axes, 0); i < ROBO__AXES;
         i = robo__resources_next(axes, i + 1))
        if (a->row[i].lease.holder == holder)
            give(a, i, NULL);
    tell(a, holder, false);
}

/* ---- the gate ---- */

const struct robo__holder *robo__lease_other(const struct robo__axes *a,
                                             const struct robo__holder *holder,
                                             const struct robo__resources *axes, robo_time now,
                                             struct robo__resources *others)
{
    const struct robo__holder *first = NULL;
    struct asked asked = { NULL, false };
    if (others)
        robo__resources_nothing(others, a->port->description->dofs);
    for (ROBO__EACH_AXIS(a, i)) {
        if ((axes && !robo__resources_has(axes, i)) || !is_held(a, i, holder, &asked, now))
            continue;
        first = first ? first : a->row[i].lease.holder;
        if (!others)
            break;
        robo__resources_add(others, i);
    }
    return first;
}

/* Whether the client has the leases of a frame of base and dofs; without computing its needs. */
static bool is_covered(const struct robo_move *m, const struct robo__holder *holder, unsigned dofs)
{
    bool covered = m->frames == 0 && holder->base;
    for (unsigned i = 0; i < m->dofs && covered; i++)
        covered = m->dof[i].dof < dofs && robo__dof_set_has(&holder->dofs, m->dof[i].dof);
    return covered;
}

bool robo__lease_reserve(struct robo__axes *a, struct robo__mover *mover,
                         const struct robo_cmd *cmd, robo_time now)
{
    struct robo__resources one;
    const struct robo__resources *resources = &one;
    if (cmd->op == ROBO_STOP || cmd->revision != (uint8_t)a->port->revisions->revision)
        return true;
    if (cmd->op == ROBO_MOVE &&
        is_covered(cmd->body.move, mover->holder, a->port->description->dofs))
        return true;
    if (cmd->op == ROBO_MOVE)
        resources = robo__move_need(a->port->revisions, cmd);
    else if (robo__resources_of(a->port->description, a->port->model, cmd, &one) != ROBO_WHY_NONE)
        return true;
    if (robo__holder_has(mover->holder, resources))
        return true;
    const struct robo__holder *other = robo__lease_other(a, mover->holder, resources, now, NULL);
    if (other)
        robo__mover_refuse_held(mover, cmd, cmd->start, other, now);
    else
        robo__lease_take(a, mover->holder, resources, now);
    return !other;
}

/* ---- another body ---- */

void robo__lease_renew(struct robo__axes *a, const struct robo__revision *old)
{
    const unsigned dofs = old->body->description.dofs;
    struct robo__lease before[ROBO_MAX_DOFS];
    for (unsigned i = 0; i < ROBO_MAX_DOFS; i++) {
        before[i] = a->row[i].lease;
        a->row[i].lease = (struct robo__lease){ 0 };
    }
    for (struct robo__holder *h = a->clients->first; h; h = h->next) {
        uint32_t lost[ROBO_MAX_DOFS];
        robo__dof_set_empty(&h->dofs, a->port->description->dofs);
        memcpy(lost, h->lost, sizeof lost);
        memset(h->lost, 0, sizeof lost);
        for (unsigned i = 0; i < dofs; i++)
            if (old->dof[i] != ROBO__GONE)
                h->lost[old->dof[i]] = lost[i];
        if (h->ask.on) /* the axes that it asked for have other numbers now: it asks again */
            robo__ask_end(a, h, 0, 0);
    }
    for (unsigned i = 0; i < dofs; i++) {
        const unsigned to = old->dof[i];
        if (to == ROBO__GONE || !before[i].holder)
            continue;
        give(a, to, before[i].holder);
        a->row[to].lease.used = before[i].used;
    }
}
