/* Which bodies of one robot do not touch each other. Bodies are its links by their numbers, and after them its wheels. A set is made with
 * a robot's rig and freed with it; it is guarded as that is. */
#pragma once

#include "engine.h"
#include "text.h"
#include "../wheels.h"

struct robo__apart {
    const robo_body *body; /* which lasts as long */
    unsigned links, count;
    bool all;     /* none touches another */
    bool learned; /* it includes the contacts at home */
    uint8_t *is;  /* is[i * count + k], both ways */
};

/* With neighbours in it: links that a joint holds together, links fixed to them, and the fingers of a gripper, which meet when it
 * closes. A link that nothing can touch is passed over: then the next ones are neighbours, as in two joints that turn about one point.
 * 0 or ROBO_ENOMEM. */
int robo__apart_init(struct robo__apart *apart, const robo_body *body, bool all);
void robo__apart_free(struct robo__apart *apart);

/* Adds pairs that touch or nearly touch in a model whose robot is at home: they were drawn so, and would push each other away
 * for ever. True: there are new ones. Only once. The model's margins of contacts are 0. */
bool robo__apart_learn(struct robo__apart *apart, const struct robo__engine *engine, mjModel *model,
                       mjData *data);

/* Writes a <contact> with all of them. */
void robo__apart_write(const struct robo__apart *apart, struct robo__draft *draft);
