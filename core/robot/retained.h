/* Retained notices: facts about a robot of which all its sessions are notified. The robot keeps the newest two notices of each kind. A
 * session that opens later gets those that differ from a new robot's. The rows are those of spec/messages.lua with `retained`. The robot's
 * mutex guards them. */
#pragma once

#include <stdbool.h>

#include "robotalk.h"

struct robo__retained {
    struct {
        uint32_t count; /* how often it has changed; its body is at count % 2 */
        bool differs;   /* from a new robot's */
        union robo_retained_body body[2];
    } of[ROBO_RETAINED_KINDS];
    uint32_t changes; /* of all of them */
};

/* The newest body of that kind; a new robot's: there was none. */
static inline const union robo_retained_body *robo__retained(const struct robo__retained *r,
                                                             enum robo_retained kind)
{
    return &r->of[kind].body[r->of[kind].count % 2];
}

/* The next notice of that kind, unless it says the same as the newest; the sessions are woken. */
void robo__retain(robo_robot *robot, enum robo_retained kind, const union robo_retained_body *body,
                  bool differs);

/* The notice of that kind to a session that knows the first *known of them, and counts it; false: there is none. One that has
 * missed several gets the newest two. */
bool robo__retained_next(const struct robo__retained *r, enum robo_retained kind, uint32_t *known,
                         union robo_retained_body *out);
