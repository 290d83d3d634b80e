/* Questions of clients to others for their leases. */
#include <string.h>

#include "motions.h"

static bool is_same(const struct robo__resources *a, const struct robo__resources *b)
{
    return a->base == b->base && robo__dof_set_equal(&a->dofs, &b->dofs);
}

/* Leaves only those axes that the client has the lease of: whether there are any. */
static bool meet(struct robo__resources *axes, const struct robo__holder *holder)
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

void robo__ask_end(struct robo__axes *a, struct robo__holder *holder, uint8_t state, robo_time now)
{
    end_ask(a, holder);
    holder->ask.refused = state == ROBO__REFUSED;
    if (state == ROBO__REFUSED)
        holder->ask.next = now + robo__lease_time(a->clients);
    holder->answer.state = state;
    holder->answer.count++;
    wake(a, holder);
}

void robo__ask_withdraw(struct robo__axes *a, struct robo__holder *holder,
                        const struct robo__resources *axes)
{
    if (holder->ask.on && robo__resources_meets(&holder->ask.axes, axes))
        end_ask(a, holder);
}

void robo__ask_pass(struct robo__axes *a, const struct robo__holder *to,
                    const struct robo__resources *axes, robo_time now)
{
    bool asked = false;
    if (a->asking == 0)
        return;
    for (struct robo__holder *h = a->clients->first; h; h = h->next) {
        if (h == to || !h->ask.on || !robo__resources_meets(&h->ask.axes, axes))
            continue;
        h->ask.due = now + robo__lease_time(a->clients);
        h->ask.serial = ++a->asks;
        asked = true;
    }
    if (asked)
        wake(a, to);
}

struct robo__holder *robo__ask_next(const struct robo__axes *a, const struct robo__holder *after)
{
    struct robo__holder *first = NULL;
    for (struct robo__holder *h = a->asking > 0 ? a->clients->first : NULL; h; h = h->next)
        if (h->ask.on && (!after || (int32_t)(h->ask.turn - after->ask.turn) > 0) &&
            (!first || (int32_t)(first->ask.turn - h->ask.turn) > 0))
            first = h;
    return first;
}

enum robo__taking robo__ask_begin(struct robo__axes *a, struct robo__holder *holder,
                                  const struct robo__resources *axes, robo_time now,
                                  robo_time *left)
{
    struct robo__ask *ask = &holder->ask;
    if (ask->on || now < ask->next) {
        const bool refused = ask->refused && robo__resources_meets(&ask->axes, axes);
        *left = (ask->on ? ask->due : ask->next) - now;
        return ask->on && is_same(&ask->axes, axes) ? ROBO__ASKED
               : !ask->on && refused                ? ROBO__REFUSED
                                                    : ROBO__LATER;
    }
    *ask = (struct robo__ask){ .on = true,
                               .axes = *axes,
                               .due = now + robo__lease_time(a->clients),
                               .next = now + robo__lease_time(a->clients) / 10,
                               .serial = a->asks + 1,
                               .turn = a->asks + 1 };
    a->asks++;
    *left = robo__lease_time(a->clients);
    a->asking++;
    for (struct robo__mover *s = a->movers->first; s; s = s->next)
        if (s->holder != holder)
            robo__mover_wake(s);
    return ROBO__ASKED;
}

/* The axes of `holder` that `asker` asks for; false: there are none. */
static bool asks_of(const struct robo__holder *asker, const struct robo__holder *holder,
                    struct robo__resources *axes)
{
    *axes = asker->ask.axes;
    return asker->ask.on && asker != holder && meet(axes, holder);
}

struct robo__holder *robo__ask_of(const struct robo__axes *a, uint32_t asker,
                                  const struct robo__holder *holder, struct robo__resources *axes)
{
    struct robo__holder *h = a->clients->first;
    while (h && !(h->client.number == asker && h->ask.on))
        h = h->next;
    return h && asks_of(h, holder, axes) ? h : NULL;
}

bool robo__ask_oldest(const struct robo__axes *a, const struct robo__mover *mover, uint32_t *serial,
                      struct robo_notice_asked *out)
{
    const struct robo__holder *first = NULL;
    struct robo__resources axes, wanted;
    for (const struct robo__holder *h = a->clients->first; h; h = h->next) {
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
