/* The revisions of a robot: its body now and those that it had before robo_reload. Old ones stay as long as the robot:
 * readers may still look at them, and commands that were numbered by them are translated by name. */
#ifndef ROBO_REVISION_H
#define ROBO_REVISION_H

#include <stdbool.h>

#include "base/ring.h"
#include "base/snapshot.h"
#include "body.h"

struct robo__revision {
    robo_body *body; /* held */
    uint32_t revision;
    struct robo__revision *older;
    /* numbers in the next revision, or GONE; set when there is one */
    uint16_t *joint, *dof, *frame;
    struct robo__snapshot snapshot; /* the state of the robot, by its numbers */
    struct robo__ring *reading;     /* of each sensor: what it has told */
};

enum { ROBO__GONE = UINT16_MAX };

/* Of a body that a robot can have. ROBO_EINVAL, ROBO_ENOMEM. */
int robo__revision_make(robo_body *body, struct robo__revision **revision);
void robo__revision_free(struct robo__revision *newest); /* and all older ones */

/* Fills in what became of the old revision's numbers: names decide. */
void robo__revision_link(struct robo__revision *old, const struct robo__revision *fresh);

/* Brings a command of that revision's numbering to the next one's. False: what it names is gone. */
bool robo__revision_translate(const struct robo__revision *old, const struct robo__revision *fresh,
                              struct robo_cmd *cmd);

/* Likewise from whatever revision (its lowest 8 bits) to the newest; false also when it is too long ago. */
bool robo__revision_renew(const struct robo__revision *newest, struct robo_cmd *cmd);

#endif
