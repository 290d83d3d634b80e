/* Latches: clients that a stop by another client holds until somebody resumes them. */
#include <stdio.h>
#include <string.h>

#include "axes.h"

/* A client whose protocol has no word for `resume` goes on after so long without a command that moves. */
static const robo_time QUIET = 5 * (robo_time)1000000000;

void robo__latch_others(struct robo__clients *c, struct robo__mover *by, robo_time now)
{
    struct robo__latch *stop = &c->newest_stop;
    if (++stop->number == 0)
        stop->number = 1;
    stop->by = by->sender->client.number;
    memcpy(stop->name, by->sender->name, sizeof stop->name);
    stop->since = now;
    for (struct robo__holder *h = c->first; h; h = h->next) {
        if (robo__holder_is_kin(h, by->sender) || !h->drives)
            continue;
        const bool shared = h->latch.number != 0 && (h->latch.shared || h->latch.by != stop->by);
        h->latch = *stop;
        h->latch.shared = shared;
        h->rested = false;
        h->tried = now;
    }
    const bool told = c->movers->told_of == by;
    c->movers->told_of = by;
    c->movers->stops++;
    by->own_stops++;
    for (struct robo__mover *s = c->movers->first; s; s = s->next) {
        if (!robo__holder_is_kin(s->sender, by->sender) && s->buffered &&
            (s->begun || s->held_count > 0 || s->unanswered > 0))
            s->cut = true;
        if (s != by && !told)
            robo__mover_wake(s);
    }
}

/* Whether a motion of that client is under way, or brakes. */
static bool moves(const struct robo__axes *a, const struct robo__holder *holder)
{
    for (ROBO__EACH_AXIS(a, i))
        if (robo__party_is(robo__holder_of_motion(a, i), holder->client) ||
            (robo__party_is(a->row[i].slowing.of, holder->client) &&
             a->row[i].slowing.until > a->port->latest))
            return true;
    return false;
}

bool robo__latch_refuse(const struct robo__clients *c, struct robo__mover *s, robo_time now)
{
    struct robo__holder *h = s->sender;
    if (h->latch.number == 0)
        return s->cut;
    if (!h->wordless)
        return true;
    const bool over = now - h->tried >= QUIET || (h->rested && !moves(c->axes, s->holder));
    h->tried = now;
    if (over)
        h->latch.number = 0;
    return !over;
}

void robo__latch_note(struct robo__clients *c, struct robo__mover *s, bool moves)
{
    s->sender->rested |= !moves;
    if (!moves || s->sender->drives)
        return;
    for (struct robo__holder *h = c->first; h; h = h->next)
        h->drives |= robo__holder_is_kin(h, s->sender);
}

bool robo__latch_frees(const struct robo__clients *c, const struct robo__holder *holder)
{
    bool latched = holder->latch.number != 0, drives = holder->drives && !latched;
    for (const struct robo__mover *s = c->movers->first; s && !drives; s = s->next) {
        if (s->holder != holder || s->sender == holder)
            continue;
        latched |= s->sender->latch.number != 0;
        drives |= s->sender->drives && s->sender->latch.number == 0;
    }
    return latched && !drives;
}

/* Whether it stands for an earlier run of a program that another latched holder stands for. */
static bool is_superseded(const struct robo__clients *c, const struct robo__holder *holder)
{
    if (holder->sessions > 0)
        return false;
    bool newer = true;
    for (const struct robo__holder *h = c->first; h; h = h->next) {
        if (h == holder)
            newer = false;
        else if (h->latch.number != 0 && (newer || h->sessions > 0) &&
                 robo__holder_is_kin(h, holder))
            return true;
    }
    return false;
}

/* For the log: that it resumes, with the first latched clients, of all or of the program of one, and how many more there are, unless it is
 * the sender alone. */
static void name_resumed(const struct robo__clients *c, const struct robo__mover *s,
                         const struct robo__holder *one, char text[ROBO__REQUEST_LOG])
{
    enum { NAMED = 3 };
    unsigned count = 0;
    const size_t size = ROBO__REQUEST_LOG;
    size_t used = (size_t)snprintf(text, size, "resumes");
    for (const struct robo__holder *h = c->first; h; h = h->next) {
        if (h->latch.number == 0 || (one && (one == s->sender || !robo__holder_is_kin(h, one))) ||
            is_superseded(c, h))
            continue;
        if (count++ < NAMED && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s %u", count > 1 ? ", " : " ",
                                     h->name, (unsigned)h->client.number);
    }
    if (count > NAMED && used < size)
        snprintf(text + used, size - used, " and %u more", count - NAMED);
}

static void release(struct robo__clients *c, struct robo__holder *holder)
{
    if (holder->latch.number == 0)
        return;
    holder->latch.number = 0;
    for (struct robo__mover *s = c->movers->first; s; s = s->next)
        if (s->sender == holder)
            robo__mover_wake(s);
}

/* The client of that number which is latched; NULL: there is none. */
static struct robo__holder *latched(const struct robo__clients *c, uint32_t number)
{
    struct robo__holder *h = c->first;
    while (h && !(h->client.number == number && h->latch.number != 0))
        h = h->next;
    return h;
}

/* Whether a client may resume others, one (and its program) or all: the role operate may, and the client whose newest stop it is. A
 * watcher's stop after another client's ends nothing of that one's. */
static bool may_resume(const struct robo__clients *c, const struct robo__mover *s,
                       const struct robo__holder *one, const struct robo__latch *stop, uint8_t role)
{
    bool may = role >= ROBO_ROLE_OPERATE || stop->by == s->sender->client.number;
    for (const struct robo__holder *h = c->first; h && role < ROBO_ROLE_DRIVE; h = h->next)
        may &= h->latch.number == 0 || (one && !robo__holder_is_kin(h, one)) || !h->latch.shared;
    return may;
}

/* Of the stops that latch clients the newest; of none it is a number of 0. */
static const struct robo__latch *newest(const struct robo__clients *c)
{
    static const struct robo__latch none;
    const struct robo__latch *stop = &none;
    for (const struct robo__holder *h = c->first; h; h = h->next)
        if (h->latch.number != 0 &&
            (stop == &none || (int32_t)(h->latch.number - stop->number) > 0))
            stop = &h->latch;
    return stop;
}

int robo__latch_release(struct robo__clients *c, struct robo__mover *s,
                        const struct robo_request_resume *what, uint8_t role,
                        char log[ROBO__REQUEST_LOG])
{
    enum { OWN, ALL, ONE };
    int error = 0;
    struct robo__holder *one = what->scope == OWN ? s->sender : latched(c, what->client);
    const struct robo__latch *stop = what->scope == ALL ? newest(c) : one ? &one->latch : NULL;
    if (what->scope == OWN && role < ROBO_ROLE_DRIVE)
        error = ROBO_EROLE; /* of others: in any role, whom its own stop has latched */
    else if (!stop)
        error = ROBO_ENONE;
    else if (stop->number != 0 && what->scope != OWN &&
             !may_resume(c, s, what->scope == ALL ? NULL : one, stop, role))
        error = ROBO_EROLE;
    else if (stop->number != 0 && stop->number != what->stop)
        error = ROBO_ESTOPPED;
    if (error == 0 && stop && stop->number != 0)
        name_resumed(c, s, what->scope == ALL ? NULL : one, log);
    for (struct robo__holder *h = c->first; h && error == 0; h = h->next)
        if (what->scope == ALL || robo__holder_is_kin(h, one))
            release(c, h);
    return error;
}

bool robo__latch_list(struct robo__clients *c, const struct robo__mover *s, unsigned index,
                      struct robo_reply_latch *out)
{
    robo__holders_expire(c, c->axes->port->now(c->axes->port));
    const struct robo__holder *h = c->first;
    while (h && (h->latch.number == 0 || is_superseded(c, h) || index-- > 0))
        h = h->next;
    if (h) {
        *out = (struct robo_reply_latch){ .stop = h->latch.number,
                                          .client = h->client.number,
                                          .own = h == s->sender,
                                          .by = h->latch.by,
                                          .since = h->latch.since,
                                          .connected = h->sessions > 0 };
        memcpy(out->name, h->name, sizeof out->name);
        memcpy(out->stopper, h->latch.name, sizeof out->stopper);
    }
    return h != NULL;
}
