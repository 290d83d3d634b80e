/* What a command needs of a body: its axes and devices, and what goes on after it. Pure: looks at the description alone. */
#ifndef ROBO_NEED_H
#define ROBO_NEED_H

#include <stdbool.h>

#include "robotalk.h"

struct robo__need {
    bool base, setpoint;
    bool parts;    /* a stop that names its axes */
    bool preempts; /* takes over from what its own session has under way on its axes */
    uint64_t dofs;
    uint8_t devices;
    bool bounds;       /* its driver must keep to a speed or acceleration that it carries */
    bool keeps;        /* ends at its target and holds its axes until then */
    bool cartesian;    /* the core resolves it into servo commands */
    bool lasting_base; /* the base, or these dofs, move after it until told otherwise */
    uint64_t lasting_dofs;
};

/* Whether two commands move an axis in common. */
bool robo__need_meets(const struct robo__need *one, const struct robo__need *other);

/* What it needs, into *need, which is all zeros; or why it cannot be: a value, a number, a servo that is not there. */
enum robo_reason robo__need_of(const struct robo_description *description,
                               const struct robo_cmd *cmd, struct robo__need *need);

#endif
