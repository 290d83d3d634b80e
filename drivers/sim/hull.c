/* A simulated base among what stands around it. */
#include "hull.h"

#include <math.h>

static const double DEEPER = 1e-6; /* m; a base that leaves, or goes along, is free */

void robo__hull_init(struct robo__hull *hull, robo_device *device)
{
    const struct robo_description *d = robo_device_description(device);
    const double pose[3] = { 0, 0, d->links > 0 ? d->link[0].position[2] : 0 };
    hull->device = device;
    robo__trunk_of(d, pose, 0, &hull->trunk);
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

static struct robo__trunk trunk_at(const struct robo__hull *hull, const struct robo__sim_base *base)
{
    return turned(hull, base, cos(base->theta), sin(base->theta));
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

enum robo__way robo__hull_way(const struct robo__hull *hull, const struct robo__sim_base *base,
                              robo_time now, robo_time until, char name[64])
{
    const struct robo__surroundings *around =
        robo__surroundings_of(robo_device_world(hull->device));
    if (!around)
        return ROBO__WAY_UNKNOWN;
    struct robo__sim_base here = *base, there;
    robo__sim_base_cut(&here, now);
    there = here;
    robo__sim_base_cut(&there, until);
    if (here.x == there.x && here.y == there.y && here.theta == there.theta)
        return ROBO__WAY_STANDS;
    const struct robo__trunk at = trunk_at(hull, &here), next = trunk_at(hull, &there);
    const robo_robot *robot = robo__device_robot(hull->device);
    const double deep = around->kind->depth(around, robot, &next, until, name);
    return deep <= 0 || deep <= around->kind->depth(around, robot, &at, until, NULL) + DEEPER
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
