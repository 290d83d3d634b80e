/* The resources of a command: the axes and devices of a body, and which axes go on moving after it. Pure: looks at the
 * description and its model alone. */
#pragma once

#include <stdbool.h>

#include "body/dof_set.h"

/* The axes of a robot by number: its dofs, and the base. ROBO__AXES: there is no other. */
enum { ROBO__BASE_AXIS = ROBO_MAX_DOFS, ROBO__AXES };

struct robo__resources {
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
void robo__resources_nothing(struct robo__resources *resources, unsigned dofs);

static inline bool robo__resources_has(const struct robo__resources *resources, unsigned axis)
{
    return axis == ROBO__BASE_AXIS ? resources->base : robo__dof_set_has(&resources->dofs, axis);
}

static inline void robo__resources_add(struct robo__resources *resources, unsigned axis)
{
    if (axis == ROBO__BASE_AXIS)
        resources->base = true;
    else
        robo__dof_set_add(&resources->dofs, axis);
}

/* The first of its axes from that one on; ROBO__AXES: there is none. */
static inline unsigned robo__resources_next(const struct robo__resources *resources, unsigned from)
{
    unsigned dof =
        from < ROBO__BASE_AXIS ? robo__dof_set_next(&resources->dofs, from) : ROBO_MAX_DOFS;
    if (dof < ROBO_MAX_DOFS)
        return dof;
    return resources->base && from <= ROBO__BASE_AXIS ? ROBO__BASE_AXIS : ROBO__AXES;
}

/* Whether two commands move an axis in common. */
bool robo__resources_meets(const struct robo__resources *one, const struct robo__resources *other);

/* Adds the axes that a stop or a query names, all when it names none, to none. false: an axis that is not
 * there, or a root that dofs move, without a model that names them. */
bool robo__resources_axes(const struct robo_description *description, const robo_model *model,
                          const struct robo_stop *named, struct robo__resources *resources);

/* The resources of a command, into *resources; or why it is impossible: a value, a number, a servo that is not there. model: of
 * that description; NULL: it has no geometry, and no control frames. */
enum robo_reason robo__resources_of(const struct robo_description *description,
                                    const robo_model *model, const struct robo_cmd *cmd,
                                    struct robo__resources *resources);
