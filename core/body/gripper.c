/* Which joints of a robot are grippers, and their readings. */
#include "gripper.h"
#include "robotalk/description.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* Of its way: how near to an end it is there. */
static const double NEAR = 0.02;
/* Of its way, a second: below this a gripper rests. A gripper that presses on something with weight never
 * rests to the bit. */
static const double STANDS = 0.002;

/* ---- which they are ---- */

static bool has_in_name(const struct robo_joint *joint)
{
    static const char word[] = "gripper";
    for (const char *at = joint->name; *at; at++)
        if (strncasecmp(at, word, sizeof word - 1) == 0)
            return true;
    return false;
}

static unsigned sensor_on(const struct robo_description *d, unsigned link)
{
    for (unsigned i = 0; i < d->sensors; i++)
        if (d->sensor[i].link == link && robo_sensor_sense(&d->sensor[i]) == ROBO_SENSE_GRIPPER)
            return i;
    return ROBO__GRIPPER_NONE;
}

static bool can_grip(const struct robo_description *d, const struct robo_joint *joint)
{
    if (joint->dofs == 0 || !(joint->servo & ROBO_SERVO_SETPOINT))
        return false;
    const struct robo_dof *dof = &d->dof[joint->first];
    for (unsigned i = 1; i < joint->dofs; i++)
        if (dof[i].mimics == 0)
            return false;
    return dof->mimics == 0 && dof->low < dof->high;
}

/* The last beam on a link is the inner one, the one before it the outer one. */
static bool find_beams(const struct robo_description *d, unsigned link, struct robo__gripper *g)
{
    g->outer = g->inner = ROBO__GRIPPER_NONE;
    for (unsigned i = 0; i < d->sensors; i++) {
        if (d->sensor[i].link != link || robo_sensor_sense(&d->sensor[i]) != ROBO_SENSE_BEAM)
            continue;
        g->outer = g->inner;
        g->inner = (uint16_t)i;
    }
    return g->inner != ROBO__GRIPPER_NONE;
}

bool robo__gripper_at(const struct robo_description *d, unsigned joint,
                      struct robo__gripper *gripper)
{
    const struct robo_joint *j = &d->joint[joint];
    if (!can_grip(d, j))
        return false;
    const unsigned sensor = sensor_on(d, j->child);
    if (sensor == ROBO__GRIPPER_NONE && !has_in_name(j))
        return false;
    *gripper = (struct robo__gripper){ .joint = (uint16_t)joint,
                                       .dof = j->first,
                                       .sensor = (uint16_t)sensor };
    if (!find_beams(d, j->child, gripper) && j->parent != ROBO_WORLD)
        find_beams(d, j->parent, gripper); /* beams may stand beside fingers */
    return true;
}

bool robo__next_gripper(const struct robo_description *d, unsigned joint,
                        struct robo__gripper *gripper)
{
    while (joint < d->joints && !robo__gripper_at(d, joint, gripper))
        joint++;
    return joint < d->joints;
}

/* ---- readings ---- */

void robo__gripper_tell(const struct robo_description *d, const struct robo__gripper *g,
                        double position, double speed, double outer, double inner,
                        double value[ROBO__GRIPPER_VALUES])
{
    const struct robo_dof *dof = &d->dof[g->dof];
    const struct robo_sensor *s = g->sensor == ROBO__GRIPPER_NONE ? NULL : &d->sensor[g->sensor];
    const double share = fmin(fmax((position - dof->low) / (dof->high - dof->low), 0), 1);
    const int state = fabs(speed) > STANDS * (dof->high - dof->low) ? ROBO__GRIPPER_MOVING
                      : share > 1 - NEAR                            ? ROBO__GRIPPER_OPEN
                      : share < NEAR                                ? ROBO__GRIPPER_CLOSED
                                                                    : ROBO__GRIPPER_STOPPED;
    const bool rests = state == ROBO__GRIPPER_CLOSED || state == ROBO__GRIPPER_STOPPED;
    value[0] = state;
    value[1] = share;
    value[2] = s && s->low < s->high ? s->low + share * (s->high - s->low) : NAN;
    value[3] = outer;
    value[4] = inner;
    value[5] = isnan(outer) && isnan(inner) ? NAN : rests && (outer == 1 || inner == 1);
}
