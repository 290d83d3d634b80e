/* Cameras that zoom. */
#include "lens.h"

#include <stdbool.h>
#include <strings.h>

static bool is_zoom(const struct robo_dof *dof)
{
    return strcasecmp(dof->name, "zoom") == 0 && dof->kind == ROBO_REVOLUTE && dof->mimics == 0 &&
           dof->low > 0 && dof->low < dof->high;
}

int robo__zoom_of(const struct robo_description *d, unsigned camera)
{
    for (unsigned i = 0; i < d->joints; i++) {
        const struct robo_joint *j = &d->joint[i];
        if (j->child != d->camera[camera].link || !(j->servo & ROBO_SERVO_SETPOINT))
            continue;
        for (unsigned k = j->first; k < (unsigned)j->first + j->dofs; k++)
            if (is_zoom(&d->dof[k]))
                return (int)k;
    }
    return ROBO_ENONE;
}
