/* The needs of a command: the axes and devices of a body, and which axes go on moving after it. Pure: looks at the
 * description and its model alone. */
#ifndef ROBO_NEED_H
#define ROBO_NEED_H

#include <stdbool.h>

#include "body/dof_set.h"

/* The axes of a robot by number: its dofs, and the base. ROBO__AXES: there is no other. */
enum { ROBO__BASE_AXIS = ROBO_MAX_DOFS, ROBO__AXES };

struct robo__need {
    bool base, setpoint;
    bool parts;    /* a stop that names its axes */
    bool preempts; /* takes over from what its own session has under way on its axes */
    uint8_t devices;
    bool bounds;       /* its driver must keep to a speed or acceleration that it carries */
    bool keeps;        /* ends at its target and holds its axes until then */
    bool cartesian;    /* the core resolves it into servo commands */
    bool lasting_base; /* the base, or of its dofs the lasting ones, move after it until changed */
    struct robo__dof_set dofs, lasting_dofs;
};

/* None of a body of so many dofs. */
void robo__need_nothing(struct robo__need *need, unsigned dofs);

static inline bool robo__need_has(const struct robo__need *need, unsigned axis)
{
    return axis == ROBO__BASE_AXIS ? need->base : robo__dof_set_has(&need->dofs, axis);
}

static inline void robo__need_add(struct robo__need *need, unsigned axis)
{
    if (axis == ROBO__BASE_AXIS)
        need->base = true;
    else
        robo__dof_set_add(&need->dofs, axis);
}

/* The first of its axes from that one on; ROBO__AXES: there is none. */
static inline unsigned robo__need_next(const struct robo__need *need, unsigned from)
{
    unsigned dof = from < ROBO__BASE_AXIS ? robo__dof_set_next(&need->dofs, from) : ROBO_MAX_DOFS;
    if (dof < ROBO_MAX_DOFS)
        return dof;
    return need->base && from <= ROBO__BASE_AXIS ? ROBO__BASE_AXIS : ROBO__AXES;
}

/* Whether two commands move an axis in common. */
bool robo__need_meets(const struct robo__need *one, const struct robo__need *other);

/* Adds the axes that a stop or a query names, all when it names none, to a need of nothing. false: an axis that is not
 * there, or a root that dofs move, without a model that names them. */
bool robo__need_axes(const struct robo_description *description, const robo_model *model,
                     const struct robo_stop *named, struct robo__need *need);

/* The needs of a command, into *need; or why it is impossible: a value, a number, a servo that is not there. model: of
 * that description; NULL: it has no geometry, and no control frames. */
enum robo_reason robo__need_of(const struct robo_description *description, const robo_model *model,
                               const struct robo_cmd *cmd, struct robo__need *need);

#endif
