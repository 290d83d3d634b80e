/* Ends of commands that wait in the queue, or before their mode has decided: by a stop, a panic, a client that is silent or takes them back. */
#include "timeline.h"

#include "body/revision.h"

struct flush {
    enum robo_signal signal;
    enum robo_reason reason;
    robo_time now;
    uint32_t count;
};

static void flush_one(void *payload, struct robo__queue_owner *owner, void *arg)
{
    struct flush *f = arg;
    const struct robo_cmd *cmd = payload;
    robo__mover_refuse(robo__container_of(owner, struct robo__mover, queued), cmd, cmd->start,
                       f->signal, f->reason, f->now);
    f->count++;
}

static uint32_t take_cut(struct robo__timeline *t, struct robo__mover *mover, uint32_t most)
{
    struct flush f = { t->cut.signal, t->cut.reason, t->cut.at, 0 };
    return robo__queue_take_cut(&t->queue, &mover->queued, most, flush_one, &f);
}

uint32_t robo__waiting_flush(struct robo__timeline *t, struct robo__mover *mover,
                             enum robo_signal signal, enum robo_reason reason, robo_time now)
{
    struct flush f = { signal, reason, now, 0 };
    take_cut(t, mover, UINT32_MAX);
    robo__queue_remove_owner(&t->queue, &mover->queued, flush_one, &f);
    return f.count;
}

void robo__waiting_cut(struct robo__timeline *t, enum robo_signal signal, enum robo_reason reason,
                       robo_time now)
{
    /* of an earlier end; but a panic does not wait for that, and is the answer to all */
    if (signal != ROBO_PANIC && t->cut.signal != signal)
        robo__waiting_answer_cut(t, UINT32_MAX);
    for (struct robo__mover *m = t->movers->first; m; m = m->next)
        robo__queue_cut_owner(&t->queue, &m->queued);
    robo__queue_cut(&t->queue);
    t->cut.signal = signal;
    t->cut.reason = reason;
    t->cut.at = now;
}

void robo__waiting_answer_cut(struct robo__timeline *t, uint32_t most)
{
    for (struct robo__mover *m = t->movers->first; m && most > 0 && t->queue.cut > 0; m = m->next)
        most -= take_cut(t, m, most);
}

bool robo__waiting_cancel(struct robo__timeline *t, struct robo__mover *mover, uint32_t id,
                          robo_time now)
{
    struct robo_cmd *cmd = robo__queue_first(&t->queue, &mover->queued);
    while (cmd && cmd->id != id)
        cmd = robo__queue_next(&t->queue, cmd);
    if (!cmd)
        return false;
    robo__mover_refuse(mover, cmd, cmd->start, ROBO_INTERRUPTED, ROBO_WHY_CANCELLED, now);
    robo__queue_remove(&t->queue, cmd);
    return true;
}

void robo__waiting_renew(struct robo__timeline *t, robo_time now, struct robo_reload_report *report)
{
    for (struct robo__mover *s = t->movers->first; s; s = s->next) {
        void *next;
        for (void *at = robo__queue_first(&t->queue, &s->queued); at; at = next) {
            struct robo_cmd *cmd = at;
            next = robo__queue_next(&t->queue, at);
            if (robo__revision_renew(t->axes->port->revisions, cmd)) {
                report->kept++;
                continue;
            }
            robo__mover_refuse(s, cmd, cmd->start, ROBO_ERROR, ROBO_WHY_CHANGED, now);
            robo__queue_remove(&t->queue, at);
            report->dropped++;
        }
    }
}
