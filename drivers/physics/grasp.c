/* The grip of grippers across a reload. */
#include "grasp.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rig.h"
#include "robotalk/device.h"

static const double SAME = 1e-4; /* m or rad: it has not moved */

/* Of that dof; NULL: nothing is known of it. With the lock. */
static struct robo__grasp *find(struct robo__grasps *g, const struct robo__grasp *of)
{
    for (unsigned i = 0; i < sizeof g->grasp / sizeof g->grasp[0]; i++)
        if (g->grasp[i].robot == of->robot && strcmp(g->grasp[i].dof, of->dof) == 0)
            return &g->grasp[i];
    return NULL;
}

static struct robo__grasp name_it(const robo_device *device, unsigned joint, unsigned dof)
{
    const struct robo_description *d = robo_device_description(device);
    struct robo__grasp g = { .robot = robo__robot_number(robo__device_robot(device)) };
    snprintf(g.dof, sizeof g.dof, "%s.%s", d->joint[joint].name, d->dof[dof].name);
    return g;
}

void robo__grasp_keep(const robo_device *device, unsigned joint, unsigned dof, double position,
                      double force)
{
    struct robo__simulation *s = robo__simulation_of(robo_device_world(device));
    struct robo__grasp g = name_it(device, joint, dof);
    if (!s || g.robot == 0)
        return;
    g.position = position;
    g.force = force;
    robo__simulation_lock(s);
    struct robo__grasps *all = &s->grasps;
    struct robo__grasp *at = find(all, &g);
    if (!at && force != 0) {
        at = &all->grasp[all->next];
        all->next = (all->next + 1) % (sizeof all->grasp / sizeof all->grasp[0]);
    }
    if (at)
        *at = g;
    robo__simulation_unlock(s);
}

double robo__grasp_of(const robo_device *device, unsigned joint, unsigned dof, double position)
{
    struct robo__simulation *s = robo__simulation_of(robo_device_world(device));
    const struct robo__grasp g = name_it(device, joint, dof);
    if (!s || g.robot == 0)
        return 0;
    robo__simulation_lock(s);
    const struct robo__grasp *at = find(&s->grasps, &g);
    const double force = at && fabs(at->position - position) <= SAME ? at->force : 0;
    robo__simulation_unlock(s);
    return force;
}
