/* The revisions of a robot: its body now and some that it had before robo_reload. Commands that were numbered by an older revision are
 * translated by name. */
#pragma once

#include <stdbool.h>

#include "base/ring.h"
#include "base/snapshot.h"
#include "body.h"

struct robo__revision {
    robo_body *body; /* held */
    uint32_t revision;
    struct robo__revision *_Atomic older;
    /* numbers in the next revision, or GONE; set when there is one */
    uint16_t *joint, *dof, *frame;
    struct robo__snapshot snapshot; /* the state of the robot, by its numbers */
    struct robo__ring *reading;     /* of each sensor: its readings */
    /* taken off the list in that turn of the readers (base/readers.h); the one before it */
    uint64_t turn;
    struct robo__revision *next_left;
};

enum {
    ROBO__GONE = UINT16_MAX,
    ROBO__REVISIONS = 9 /* the newest and the older ones that a robot keeps */
};

/* Of a body that a robot can have. ROBO_EINVAL, ROBO_ENOMEM. */
int robo__revision_make(robo_body *body, struct robo__revision **revision);
void robo__revision_free(struct robo__revision *newest); /* and all older ones */
/* Takes revisions that are older than the kept ones off the list, and puts them on this one, of those that readers may still use. */
void robo__revision_leave(struct robo__revision *newest, struct robo__revision **left);
/* Takes off that list the revisions that no reader uses any more, for robo__revision_free_left. */
struct robo__revision *robo__revision_left(struct robo__revision **left);
void robo__revision_free_left(struct robo__revision *left);

/* Fills in the new numbers for the old revision's: names decide. */
void robo__revision_link(struct robo__revision *old, const struct robo__revision *fresh);

/* Brings a command of that revision's numbering to the next one's. False: its object is gone. */
bool robo__revision_translate(const struct robo__revision *old, const struct robo__revision *fresh,
                              struct robo_cmd *cmd);

/* The same from any revision (its lowest 8 bits) to the newest; false also when it is too long ago. */
bool robo__revision_renew(const struct robo__revision *newest, struct robo_cmd *cmd);
