/* Drives on a CAN bus: which of them are ready, where they are, and the frames that stop them. */
#include "base/time.h"
#include "device.h"

bool robo__can_is_cia402(const struct robo__can_drive *d)
{
    return d->layout.kind != ROBO__CAN_GENERIC;
}

const char *robo__can_name(const struct robo__can *can, const struct robo__can_drive *d)
{
    return robo_device_description(can->device)->joint[d->joint].name;
}

void robo__can_forget(struct robo__can *can)
{
    for (size_t i = 0; i < can->drives; i++) {
        atomic_store(&can->drive[i].status, 0);
        atomic_store(&can->drive[i].heard, robo__time_monotonic());
    }
}

const struct robo__can_drive *robo__can_unready(const struct robo__can *can)
{
    for (size_t i = 0; i < can->drives; i++) {
        const struct robo__can_drive *d = &can->drive[i];
        bool tells = robo__can_is_cia402(d) || d->layout.position.there;
        if (tells && !d->knows_position)
            return d;
        if (robo__can_is_cia402(d) && !robo__cia402_is_enabled((uint16_t)d->status))
            return d;
    }
    return NULL;
}

const struct robo__can_drive *robo__can_silent(const struct robo__can *can, robo_time now)
{
    for (size_t i = 0; i < can->drives; i++) {
        const struct robo__can_drive *d = &can->drive[i];
        bool tells = robo__can_is_cia402(d) || d->layout.position.there || d->layout.speed.there;
        if (tells && now - d->heard > can->timeout)
            return d;
    }
    return NULL;
}

/* ---- where they are, and what stops them ---- */

/* Estimated position of a drive without feedback, from its last command. */
static double reckon(const struct robo__can_drive *d, robo_time now)
{
    return d->by_position ? d->from : d->from + d->told * (double)(now - d->told_at) * 1e-9;
}

double robo__can_position(const struct robo__can_drive *d, robo_time now)
{
    return d->knows_position ? d->position : reckon(d, now);
}

void robo__can_note(struct robo__can_drive *d, double value, robo_time now)
{
    d->from = d->by_position ? value : reckon(d, now);
    d->told = value;
    d->told_at = now;
}

static bool goes_limp(const struct robo__can *can, const struct robo__can_drive *d)
{
    return can->panic == ROBO_LIMP && robo__can_is_cia402(d);
}

/* The speed or position that a halt sends to a drive. */
static double halt_value(const struct robo__can *can, const struct robo__can_drive *d,
                         robo_time now)
{
    if (!d->by_position)
        return 0;
    return can->panic == ROBO_RETREAT && d->retreats ? d->retreat : robo__can_position(d, now);
}

size_t robo__can_halt_frames(const struct robo__can *can, const robo_time *now,
                             struct robo__can_frame *out)
{
    size_t n = 0;
    for (size_t i = 0; i < can->drives; i++) {
        const struct robo__can_drive *d = &can->drive[i];
        const struct robo__can_layout *l = &d->layout;
        if (l->kind == ROBO__CAN_GENERIC && l->halts)
            out[n++] = l->halt;
        else if (goes_limp(can, d))
            robo__cia402_control(l, ROBO__CIA402_LIMP, &out[n++]);
        else if (!d->by_position || now)
            n += robo__can_layout_set(l, now ? halt_value(can, d, *now) : 0, out + n);
        else if (robo__can_is_cia402(d) &&
                 !l->cyclic) /* a drive in a cyclic position mode stays at its last set-point */
            robo__cia402_control(l, ROBO__CIA402_HALT, &out[n++]);
    }
    if (can->stored)
        out[n++] = (struct robo__can_frame){ .id = ROBO__CAN_SYNC };
    return n;
}

void robo__can_note_halt(struct robo__can *can, robo_time now)
{
    for (size_t i = 0; i < can->drives; i++)
        if (!goes_limp(can, &can->drive[i]))
            robo__can_note(&can->drive[i], halt_value(can, &can->drive[i], now), now);
}
