/* Retained notices. */
#include "retained.h"

#include <string.h>

#include "journal.h"
#include "robot.h"

void robo__retain(robo_robot *robot, enum robo_retained kind, const union robo_retained_body *body,
                  bool differs)
{
    struct robo__retained *r = &robot->retained;
    if (memcmp(body, robo__retained(r, kind), sizeof *body) == 0)
        return;
    r->of[kind].count++;
    r->of[kind].differs = differs;
    r->of[kind].body[r->of[kind].count % 2] = *body;
    r->changes++;
    if (robo__journals_of(&robot->movers))
        robo__journal_retained(robot, kind);
    robo__movers_wake(&robot->movers);
}

bool robo__retained_next(const struct robo__retained *r, enum robo_retained kind, uint32_t *known,
                         union robo_retained_body *out)
{
    const uint32_t count = r->of[kind].count;
    if (*known == count)
        return false;
    *known = count - *known > 1 ? count - 1 : count;
    *out = r->of[kind].body[*known % 2];
    return true;
}
