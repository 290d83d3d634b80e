/* What a description says of its drivers: the options that each of them is given. */
#ifndef ROBO_BINDINGS_H
#define ROBO_BINDINGS_H

#include "robotalk.h"

/* Whether all options of a description can be: 0, or ROBO_EINVAL and what is wrong; why may be NULL. */
int robo__bindings_check(const struct robo_description *description, char why[128]);

/* Makes the bindings of a description that was copied, and is checked, independent of the one that it was copied from:
 * their options, names and texts lie in *memory now, which free takes. 0 or ROBO_ENOMEM. */
int robo__bindings_copy(struct robo_description *description, void **memory);

/* Gives a description the drivers of another one, whose memory it refers to then: joints of the same name have the same
 * device, and a joint that the other lacks has that of the joint which holds its parent link, or of the one that holds that
 * one's; the first device where there is none. */
void robo__bindings_inherit(struct robo_description *description,
                            const struct robo_description *from);

#endif
