/* The life of holders: made with a client's first session, kept for a while after its last. */
#include <string.h>

#include "base/text.h"
#include "axes.h"

/* Whether a holder is kept, also without a session. */
static bool is_kept(const struct robo__clients *c, const struct robo__holder *h, robo_time now)
{
    return h->sessions > 0 || (h->drives && ((h->latch.number != 0 && h->local) ||
                                             now - h->left < robo__lease_time(c)));
}

void robo__holders_expire(struct robo__clients *c, robo_time now)
{
    for (struct robo__holder *h = c->first; h; h = h->next) {
        h->drives &= is_kept(c, h, now);
        if (!h->drives)
            h->latch.number = 0;
    }
}

/* A holder that is made is latched as other runs of its program are. */
static void join_kin(const struct robo__clients *c, struct robo__holder *fresh)
{
    for (const struct robo__holder *h = c->first; h; h = h->next) {
        if (!robo__holder_is_kin(h, fresh))
            continue;
        fresh->drives |= h->drives;
        if (fresh->latch.number == 0)
            fresh->latch = h->latch;
    }
}

static struct robo__holder *join(struct robo__clients *c, const struct robo__identity *who,
                                 struct robo__holder **fresh)
{
    const struct robo__party client = { who->key, who->number };
    robo__holders_expire(c, c->axes->port->now(c->axes->port));
    struct robo__holder *h = robo__holder_of(c, client);
    if (h) {
        if (h->sessions++ == 0)
            join_kin(c, h); /* another run may be latched since this one went */
        h->local |= who->local;
        return h;
    }
    h = *fresh;
    *fresh = NULL;
    *h = (struct robo__holder){
        .client = client, .sessions = 1, .local = who->local, .wordless = who->wordless
    };
    robo__text_copy(h->name, sizeof h->name, who->name, strlen(who->name));
    robo__dof_set_empty(&h->dofs, c->axes->port->description->dofs);
    join_kin(c, h);
    h->next = c->first;
    c->first = h;
    return h;
}

void robo__mover_join(struct robo__clients *c, struct robo__mover *mover,
                      const struct robo__identity *who, const struct robo__identity *sender,
                      struct robo__holder *fresh[2])
{
    mover->holder = join(c, who, &fresh[0]);
    mover->sender = sender ? join(c, sender, &fresh[1]) : mover->holder;
    robo__movers_add(c->movers, mover);
}

/* Whether it has a place besides the holders away: a latched script of this process, for its newest run. */
static bool is_lasting(const struct robo__clients *c, const struct robo__holder *h)
{
    const struct robo__holder *newer = c->first;
    if (!h->local || h->latch.number == 0 || h->client.key >> 32 == 0)
        return false;
    while (newer != h && !(newer->latch.number != 0 && robo__holder_is_kin(newer, h)))
        newer = newer->next;
    return newer == h;
}

/* Takes the holders off the list that have no session and are kept no longer. */
static struct robo__holder *sift(struct robo__clients *c, robo_time now)
{
    struct robo__holder *gone = NULL;
    unsigned kept[2] = { 0 }; /* latched, or not */
    for (struct robo__holder **p = &c->first; *p;) {
        struct robo__holder *h = *p;
        if (is_kept(c, h, now) && (h->sessions > 0 || is_lasting(c, h) ||
                                   kept[h->latch.number != 0]++ < ROBO__HOLDERS_AWAY)) {
            p = &h->next;
            continue;
        }
        *p = h->next;
        h->next = gone;
        gone = h;
    }
    return gone;
}

bool robo__holder_leave(struct robo__clients *c, struct robo__mover *mover, robo_time now,
                        struct robo__holder **gone)
{
    struct robo__holder *holder = mover->holder;
    const bool sends = mover->sender != holder, last = --holder->sessions == 0;
    if (sends && --mover->sender->sessions == 0)
        mover->sender->left = now;
    if (last)
        holder->left = now;
    *gone = last || sends ? sift(c, now) : NULL;
    return last;
}

struct robo__party robo__holder_of_motion(const struct robo__axes *a, unsigned axis)
{
    const struct robo__ticket *t = a->row[axis].ticket ? &a->ticket[a->row[axis].ticket - 1] : NULL;
    const struct robo__mover *by = t ? t->mover : a->row[axis].lasting.now.mover;
    if (t && t->stop)
        return t->guard ? ROBO__STRANGER : t->left ? t->client : a->row[axis].braked;
    return by ? by->holder->client : robo__slowing_of(a, axis);
}
