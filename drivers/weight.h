/* The mass of a link in a model in which it moves. MuJoCo accepts no body without mass or inertia, and none whose
 * greatest principal moment is larger than the other two together, which is impossible. Pure functions. */
#pragma once

#include <stdbool.h>

#include "robotalk.h"
#include "robotalk/records.h"

struct robo__weight {
    double mass, com[3];
    double inertia[6]; /* about the centre of mass: xx, yy, zz, xy, xz, yz */
};

/* As the description says. A link without a mass has a gram. A link whose inertia is unknown, or next to nothing, has that
 * of a ball of water. An impossible inertia is made as large as it must be. True: nothing of that was necessary. */
bool robo__weigh(const struct robo_link *link, struct robo__weight *weight);

/* Whether the links of a body have plausible masses and inertias, which the simulator relies on: 0, or ROBO_EINVAL and why, "link
 * NAME: mass: expected …". Shapes may be coarse, or a small part of their link: so a mass is refused only far beyond the densest
 * matter. Unknown values pass. */
int robo__weights_check(const struct robo_description *description, char why[128]);

/* Takes a part away from a weight: they are along the same axes, and places are in the same frame. */
void robo__weight_take(struct robo__weight *from, const struct robo__weight *part);

/* Makes the inertia of a body of it, if it is not. True: it was. */
bool robo__weight_balance(struct robo__weight *weight);
