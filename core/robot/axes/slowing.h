/* Axes that slow down without a command whose end would report their rest: until then no other client begins to move them. The robot's
 * mutex is held. */
#pragma once

#include "holder.h"

struct robo__axes;

/* Of one axis: the client whose motion it was, and until when it may move on. */
struct robo__slowing {
    struct robo__party of;
    robo_time until;
    double braking; /* s that it takes, when that was last looked at */
};

/* The motion of these axes brakes from now on, and no command of the core's reports when it rests. client: whose motion
 * it is; NULL: as robo__holder_of_motion says, before that motion is ended. */
void robo__slowing_begin(struct robo__axes *a, const struct robo__resources *axes,
                         const struct robo__party *client, robo_time now);

/* Their device has failed: their motion brakes as in a panic. */
void robo__slowing_powerless(struct robo__axes *a, const struct robo__resources *axes,
                             robo_time now);

/* The devices were halted, and begin again. */
void robo__slowing_forget(struct robo__axes *a);

/* Whether an axis may still brake from another client's motion. */
bool robo__slowing_keeps(const struct robo__axes *a, unsigned axis, struct robo__party client);
