/* Tickets of motions, with the drivers' reports on them, and the speeds and forces that last on axes. Which motions
 * there are is motion.c's. */
#include "motions.h"

/* ---- lasting speeds and forces ---- */

void robo__motion_set_lasting(struct robo__axes *a, unsigned axis, struct robo__mover *mover,
                              uint8_t devices)
{
    struct robo__lasting *lasting = &a->row[axis].lasting;
    struct robo__mover *old = lasting->now.mover;
    *lasting = (struct robo__lasting){ .now = { mover, devices } };
    if (old == mover)
        return;
    if (old) {
        robo__lease_rest(a, axis, old, a->port->latest);
        old->lasting--;
        robo__mover_count_moving(old);
    }
    if (mover) {
        mover->lasting++;
        robo__mover_count_moving(mover);
    }
}

void robo__lasting_end(struct robo__axes *a, unsigned devices)
{
    for (ROBO__EACH_AXIS(a, i))
        if (a->row[i].lasting.now.mover && a->row[i].lasting.now.devices & devices)
            robo__motion_set_lasting(a, i, NULL, 0);
}

void robo__lasting_put_back(struct robo__axes *a, const struct robo__ticket *t)
{
    const robo_ticket ticket = robo__ticket_number(a, t);
    for (unsigned i = robo__axis_from(a, 0); t->over && i < ROBO__AXES;
         i = robo__axis_from(a, i + 1)) {
        const struct robo__setter before = a->row[i].lasting.before;
        if (a->row[i].lasting.since == ticket && before.mover)
            robo__motion_set_lasting(a, i, before.mover, before.devices);
    }
}

/* If the command that took the axis over is refused, the axis belongs to the session of that command. */
void robo__lasting_pass_on(struct robo__axes *a, const struct robo__mover *mover)
{
    for (ROBO__EACH_AXIS(a, i)) {
        struct robo__lasting *lasting = &a->row[i].lasting;
        if (lasting->before.mover != mover)
            continue;
        const struct robo__ticket *t = robo__ticket_of(a, lasting->since);
        lasting->before.mover = t && t->mover != mover ? t->mover : NULL;
    }
}

void robo__lasting_note(struct robo__axes *a, unsigned axis, struct robo__mover *mover,
                        struct robo__ticket *t)
{
    struct robo__lasting *lasting = &a->row[axis].lasting;
    const struct robo__setter before = lasting->now;
    /* a stream of commands: the axis stays with its session, also if this one is refused */
    if (before.mover == mover) {
        lasting->now.devices = t->devices;
        return;
    }
    robo__motion_set_lasting(a, axis, mover, t->devices);
    if (!before.mover)
        return;
    lasting->before = before;
    lasting->since = robo__ticket_number(a, t);
    t->over = true;
}

/* ---- tickets ---- */

struct robo__ticket *robo__ticket_take(struct robo__axes *a)
{
    for (unsigned i = a->free_from; i < a->tickets; i++) {
        struct robo__ticket *t = &a->ticket[i];
        if (t->taken)
            continue;
        a->free_from = i + 1;
        /* never 0: ticket 0 is nobody's */
        uint32_t generation = t->generation % (UINT32_MAX / ROBO__MOST_TICKETS) + 1;
        *t = (struct robo__ticket){ .taken = true, .generation = generation };
        a->taken++;
        return t;
    }
    return NULL;
}

static void finish(struct robo__axes *a, struct robo__ticket *t)
{
    for (unsigned i = t->first; t->holds && i < ROBO__AXES; i = robo__axis_from(a, i + 1)) {
        if (a->row[i].ticket && &a->ticket[a->row[i].ticket - 1] == t) {
            a->row[i].ticket = 0;
            a->held--;
            t->holds--;
            robo__lease_rest(a, i, t->mover, a->port->latest);
        }
    }
    t->taken = false;
    a->taken--;
    a->leaving -= t->left;
    if (a->free_from > t - a->ticket)
        a->free_from = (unsigned)(t - a->ticket);
    if (!t->mover)
        return;
    const robo_time now = a->port->now(a->port);
    if (t->move) {
        robo__move_part_over(t, now);
        robo__mover_count_moving(t->mover);
        return;
    }
    t->result.signal = t->signal;
    t->result.reason = t->reason;
    t->result.finished = now;
    if (t->signal == ROBO_NA)
        t->result.executed = ROBO_NO_TIME; /* its driver has refused it, so it has not begun */
    t->mover->running--;
    t->mover->braking -= t->stop;
    robo__mover_count_moving(t->mover);
    robo__mover_answer(t->mover, &t->result);
}

void robo__motion_end_one(struct robo__axes *a, struct robo__ticket *t, enum robo_signal signal,
                          enum robo_reason reason)
{
    t->signal = (uint8_t)signal;
    t->reason = (uint8_t)reason;
    finish(a, t);
}

int robo__motion_badness(uint8_t signal)
{
    static const int rank[] = {
        [ROBO_SUCCESS] = 1,     [ROBO_MODIFIED] = 2, [ROBO_NA] = 3,   [ROBO_BUSY] = 4,
        [ROBO_INTERRUPTED] = 5, [ROBO_ERROR] = 6,    [ROBO_PANIC] = 7
    };
    _Static_assert(sizeof rank / sizeof rank[0] == ROBO_SIGNALS, "a rank for each");
    return signal < ROBO_SIGNALS ? rank[signal] : 0;
}

void robo__motion_done(struct robo__axes *a, unsigned device, robo_ticket ticket,
                       enum robo_signal signal, enum robo_reason reason)
{
    struct robo__ticket *t = robo__ticket_of(a, ticket);
    /* of a command of a stage, which has no ticket: the driver does not take it, or another client drives what is behind it */
    if (ticket == 0 && (signal == ROBO_NA || (signal == ROBO_BUSY && reason == ROBO_WHY_LEASE)))
        robo__frames_refused(a->frames, device, signal, reason);
    if (!t || !(t->devices & 1u << device) || t->pending == 0)
        return;
    if (robo__motion_badness((uint8_t)signal) > robo__motion_badness(t->signal)) {
        t->signal = (uint8_t)signal;
        t->reason = (uint8_t)reason;
    }
    if (--t->pending > 0)
        return;
    if (robo__motion_badness(t->signal) > robo__motion_badness(ROBO_MODIFIED))
        robo__lasting_put_back(a, t);
    finish(a, t);
}

void robo__motion_ended(struct robo__axes *a, robo_ticket ticket, enum robo_signal signal,
                        enum robo_reason reason, double position, double rotation)
{
    struct robo__ticket *t = robo__ticket_of(a, ticket);
    if (!t)
        return;
    t->result.position_error = position;
    t->result.rotation_error = rotation;
    robo__motion_end_one(a, t, signal, reason);
}
