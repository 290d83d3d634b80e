/* The drivers of a description: the options of each. */
#pragma once

#include "robotalk.h"
#include "robotalk/records.h"

/* Whether all options of a description are valid: 0, or ROBO_EINVAL and the fault; why may be NULL. */
int robo__bindings_check(const struct robo_description *description, char why[128]);

/* Makes the bindings of a copied, checked description independent of the original: their options, names and texts
 * lie in *memory now, for free(). 0 or ROBO_ENOMEM. */
int robo__bindings_copy(struct robo_description *description, void **memory);

/* Gives a description the drivers of another one, whose memory it refers to then. Joints of the same name have the same
 * device. A joint that the other lacks has the device of the joint that holds its parent link, or of that joint's
 * parent; the first device where there is none. */
void robo__bindings_inherit(struct robo_description *description,
                            const struct robo_description *from);
