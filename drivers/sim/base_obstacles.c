/* A simulated base in its surroundings. */
#include "base_obstacles.h"
#include "robotalk/device.h"

#include <math.h>

static const double DEEPER = 1e-9; /* m, in one look; a base that leaves is free */
/* One that goes along may sink in by so much of its way, and by so many metres in all: no heading is exact. */
static const double GRAZE = 0.01, GRAZED = 0.005;

void robo__hull_init(struct robo__hull *hull, robo_device *device)
{
    const struct robo_description *d = robo_device_description(device);
    const double pose[3] = { 0, 0, d->links > 0 ? d->link[0].position[2] : 0 };
    hull->device = device;
    robo__trunk_of(d, pose, 0, &hull->trunk);
    const double aside = hypot(hull->trunk.x, hull->trunk.y),
                 swing = fmin(2 * aside, hull->trunk.radius / 2);
    hull->turns = swing - aside;
}

/* With the cosine and the sine of its heading. */
static struct robo__trunk turned(const struct robo__hull *hull, const struct robo__sim_base *base,
                                 double c, double s)
{
    struct robo__trunk trunk = hull->trunk;
    trunk.x = base->x + c * hull->trunk.x - s * hull->trunk.y;
    trunk.y = base->y + s * hull->trunk.x + c * hull->trunk.y;
    return trunk;
}

void robo__hull_tell(const struct robo__hull *hull, const struct robo__sim_base *base,
                     robo_time now)
{
    struct robo__sim_base here = *base;
    robo__sim_base_cut(&here, now);
    const double c = cos(here.theta), s = sin(here.theta), *v = here.v;
    const struct robo__trunk trunk = turned(hull, &here, c, s);
    robo__device_stands(hull->device, &trunk, c * v[0] - s * v[1] - v[2] * (trunk.y - here.y),
                        s * v[0] + c * v[1] + v[2] * (trunk.x - here.x), now);
}

/* How deep the trunk of a base is at that time; centred: if its middle were at the base's origin. */
static double depth_of(const struct robo__hull *hull, const struct robo__sim_base *base,
                       bool centred, robo_time time, char name[64])
{
    const struct robo__surroundings *around =
        robo__surroundings_of(robo_device_world(hull->device));
    struct robo__trunk trunk = turned(hull, base, cos(base->theta), sin(base->theta));
    if (centred) {
        trunk.x = base->x;
        trunk.y = base->y;
    }
    return around->kind->depth(around, robo__device_robot(hull->device), &trunk, time, name);
}

/* The trunk swings towards a thing when the base turns. So a motion is also free when a trunk centred at the origin gets no deeper;
 * the bound on that one's depth keeps turns and drives in succession from leading through the thing. */
enum robo__way robo__hull_way(const struct robo__hull *hull, const struct robo__sim_base *base,
                              robo_time now, robo_time until, char name[64])
{
    if (!robo__surroundings_of(robo_device_world(hull->device)))
        return ROBO__WAY_UNKNOWN;
    struct robo__sim_base here = *base, there;
    robo__sim_base_cut(&here, now);
    there = here;
    robo__sim_base_cut(&there, until);
    if (here.x == there.x && here.y == there.y && here.theta == there.theta)
        return ROBO__WAY_STANDS;
    const double deep = depth_of(hull, &there, false, until, name);
    if (deep <= 0)
        return ROBO__WAY_FREE;
    const double graze = GRAZE * hypot(there.x - here.x, there.y - here.y),
                 centred = depth_of(hull, &there, true, until, NULL),
                 before = depth_of(hull, &here, true, until, NULL), most = hull->turns + GRAZED;
    if (centred > fmax(before + DEEPER, most))
        return ROBO__WAY_BLOCKED;
    return (centred <= before + fmax(graze, DEEPER) && centred <= most) ||
                   deep <= depth_of(hull, &here, false, until, NULL) + DEEPER
               ? ROBO__WAY_FREE
               : ROBO__WAY_BLOCKED;
}

bool robo__hull_leave(const struct robo__hull *hull, const struct robo__sim_base *base,
                      robo_time now, robo_time span, double v[3], char name[64])
{
    /* without x, without y, turning alone, and these without turning; nothing */
    static const bool kept[][3] = { { 1, 1, 1 }, { 0, 1, 1 }, { 1, 0, 1 }, { 0, 0, 1 },
                                    { 1, 1, 0 }, { 0, 1, 0 }, { 1, 0, 0 } };
    char other[64] = "";
    if (!robo__surroundings_of(robo_device_world(hull->device)))
        return false;
    for (unsigned i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        const double w[3] = { kept[i][0] * v[0], kept[i][1] * v[1], kept[i][2] * v[2] };
        if (i > 0 && w[0] == 0 && w[1] == 0 && w[2] == 0)
            continue;
        struct robo__sim_base as = *base;
        robo__sim_base_cut(&as, now);
        as.override = 1;
        for (int k = 0; k < 3; k++)
            as.v[k] = w[k];
        robo__sim_base_set_speed(&as, w);
        if (robo__hull_way(hull, &as, now, now + span, i ? other : name) == ROBO__WAY_BLOCKED)
            continue;
        for (int k = 0; k < 3; k++)
            v[k] = w[k];
        return i > 0;
    }
    v[0] = v[1] = v[2] = 0;
    return true;
}
