/* Frames on their way: all parts are looked at before any begins, and their results are counted. How a frame is split is
 * motion/move.c's. The mutex is held. */
#include <math.h>

#include "motions.h"

/* The needs of all parts together. */
struct sum {
    unsigned parts, cartesian;
    struct robo__resources resources;
};

static bool adds(struct sum *sum, const struct robo__resources *resources)
{
    if (robo__resources_meets(&sum->resources, resources))
        return false;
    sum->parts++;
    sum->cartesian += resources->cartesian;
    sum->resources.base |= resources->base;
    robo__dof_set_unite(&sum->resources.dofs, &resources->dofs);
    return true;
}

/* Whether a part is refused because the body lacks something: such a part is left out of the frame. */
static bool is_lacking(enum robo_reason why)
{
    return why == ROBO_WHY_UNSUPPORTED || why == ROBO_WHY_SERVO || why == ROBO_WHY_JOINT ||
           why == ROBO_WHY_FRAME || why == ROBO_WHY_OVERRIDE;
}

/* Looks at all parts before any begins. Why the whole is refused, or 0; parts that the body lacks are left out. The
 * needs of the others are left in the robot's room, in their order. */
static enum robo_signal look(struct robo__axes *a, struct robo__mover *mover,
                             struct robo__session_move *m, struct sum *sum, enum robo_reason *why,
                             const struct robo__holder **other, robo_time now)
{
    const struct robo_description *d = a->port->description;
    struct robo_cmd cmd = { 0 };
    robo__resources_nothing(&sum->resources, d->dofs);
    unsigned at;
    for (struct robo__move_walk walk = robo__move_parts(m, d); robo__move_next(&walk, &cmd, &at);) {
        struct robo__resources *resources = &a->resources[sum->parts];
        *why = robo__resources_of(d, a->port->model, &cmd, resources);
        if (!*why && !robo__motion_moves_frames(a, resources))
            *why = ROBO_WHY_SERVO;
        if (!*why && !robo__motion_allows(a, &cmd, resources))
            *why = ROBO_WHY_OVERRIDE;
        if (is_lacking(*why)) {
            robo__move_leave_out(m, at, *why);
            continue;
        }
        enum robo_signal signal = ROBO_ERROR;
        if (!*why && !adds(sum, resources))
            *why = ROBO_WHY_AXIS;
        else if (!*why && !robo__holder_has(mover->holder, resources) &&
                 (*other = robo__lease_other(a, mover->holder, resources, now, NULL))) {
            *why = ROBO_WHY_LEASE;
            signal = ROBO_BUSY;
        } else if (!*why) {
            *why = robo__motion_obstacle(a, resources, mover);
            signal = ROBO_BUSY;
        }
        if (*why) {
            robo__move_mark(m, at, signal, *why);
            return signal;
        }
    }
    *why = m->result.reason ? m->result.reason : ROBO_WHY_UNSUPPORTED;
    if (sum->parts == 0)
        return ROBO_NA;
    *why = ROBO_WHY_FULL;
    if (a->taken + sum->parts > a->tickets)
        return ROBO_ERROR;
    *why = ROBO_WHY_AXIS;
    return sum->cartesian > robo__frames_room(a->frames, &sum->resources.dofs) ? ROBO_BUSY : 0;
}

void robo__move_begin(struct robo__axes *a, struct robo__mover *mover, const struct robo_cmd *cmd,
                      robo_time scheduled, robo_time now)
{
    struct robo__session_move *m = robo__move_of(cmd);
    struct sum sum = { .parts = 0 };
    enum robo_reason why;
    const struct robo__holder *other = NULL;
    enum robo_signal signal = look(a, mover, m, &sum, &why, &other, now);
    if (other) {
        robo__mover_refuse_held(mover, cmd, scheduled, other, now);
        return;
    }
    if (signal) {
        robo__mover_refuse(mover, cmd, scheduled, signal, why, now);
        return;
    }
    robo__lease_take(a, mover->holder, &sum.resources, now);
    m->result = (struct robo_result){ .id = cmd->id,
                                      .op = cmd->op,
                                      .signal = m->result.reason ? ROBO_MODIFIED : ROBO_SUCCESS,
                                      .reason = m->result.reason,
                                      .scheduled = scheduled,
                                      .executed = now };
    /* all are counted before any is begun: one that is over at once must not end the whole */
    m->pending = (uint16_t)sum.parts;
    mover->running++;
    robo__motion_count_begun(mover, scheduled, now);
    struct robo_cmd part = { .revision = cmd->revision, .id = cmd->id, .start = cmd->start };
    struct robo__starting starting = { .mover = mover, .scheduled = scheduled, .move = m };
    const struct robo__resources *resources = a->resources;
    for (struct robo__move_walk walk = robo__move_again(m, a->port->description);
         robo__move_next(&walk, &part, &starting.part);)
        robo__motion_start(a, &part, resources++, &starting, now);
}

void robo__move_part_over(const struct robo__ticket *t, robo_time now)
{
    struct robo__mover *mover = t->mover;
    struct robo__session_move *m = t->move;
    struct robo_result *r = &m->result;
    robo__move_mark(m, t->part, t->signal, t->reason);
    r->position_error = fmax(r->position_error, t->result.position_error);
    r->rotation_error = fmax(r->rotation_error, t->result.rotation_error);
    if (robo__motion_badness(t->signal) > robo__motion_badness(r->signal)) {
        r->signal = t->signal;
        r->reason = t->reason;
    }
    if (--m->pending > 0)
        return;
    r->finished = now;
    mover->running--;
    robo__mover_keep(mover, m);
    robo__mover_answer(mover, r);
}
