/* The versions of a robot's description: what it is now and what it was before robo_reload. Old ones stay as long as
 * the robot: readers may still look at them, and commands that were numbered by them are translated by name. */
#ifndef ROBO_VERSION_H
#define ROBO_VERSION_H

#include <stdbool.h>

#include "robotalk.h"
#include "base/time.h"

struct robo__version {
    struct robo_description description;
    robo_model *model; /* NULL: a description without a geometry */
    uint32_t generation;
    struct robo__version *older;
    /* numbers in the next version, or GONE; set when there is one */
    uint8_t joint[ROBO_MAX_JOINTS], dof[ROBO_MAX_DOFS], frame[ROBO_MAX_FRAMES];
};

enum { ROBO__GONE = 255 };

/* The version of a robot's description: what it is called and what it says never come apart. */
static inline const struct robo__version *
robo__version_of(const struct robo_description *description)
{
    return robo__container_of(description, const struct robo__version, description);
}

/* A copy of the description, checked, with its model. ROBO_EINVAL, ROBO_ENOMEM. */
int robo__version_make(const struct robo_description *description, struct robo__version **version);
void robo__version_free(struct robo__version *newest); /* and all older ones */

/* Fills in what became of the old version's numbers: names decide. */
void robo__version_link(struct robo__version *old, const struct robo__version *fresh);

/* Brings a command of that version's numbering to the next one's. False: what it names is gone. */
bool robo__version_translate(const struct robo__version *old, const struct robo__version *fresh,
                             struct robo_cmd *cmd);

/* Likewise from whatever generation (its lowest 8 bits) to the newest; false also when it is too long ago. */
bool robo__version_renew(const struct robo__version *newest, struct robo_cmd *cmd);

#endif
