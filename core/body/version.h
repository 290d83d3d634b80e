/* The versions of a robot: its body now and those that it had before robo_reload. Old ones stay as long as the robot:
 * readers may still look at them, and commands that were numbered by them are translated by name. */
#ifndef ROBO_VERSION_H
#define ROBO_VERSION_H

#include <stdbool.h>

#include "body.h"

struct robo__version {
    robo_body *body; /* held */
    uint32_t generation;
    struct robo__version *older;
    /* numbers in the next version, or GONE; set when there is one */
    uint16_t joint[ROBO_MAX_JOINTS], dof[ROBO_MAX_DOFS], frame[ROBO_MAX_FRAMES];
};

enum { ROBO__GONE = UINT16_MAX };

/* Of a body that a robot can have. ROBO_EINVAL, ROBO_ENOMEM. */
int robo__version_make(robo_body *body, struct robo__version **version);
void robo__version_free(struct robo__version *newest); /* and all older ones */

/* Fills in what became of the old version's numbers: names decide. */
void robo__version_link(struct robo__version *old, const struct robo__version *fresh);

/* Brings a command of that version's numbering to the next one's. False: what it names is gone. */
bool robo__version_translate(const struct robo__version *old, const struct robo__version *fresh,
                             struct robo_cmd *cmd);

/* Likewise from whatever generation (its lowest 8 bits) to the newest; false also when it is too long ago. */
bool robo__version_renew(const struct robo__version *newest, struct robo_cmd *cmd);

#endif
