#include "sliding.h"

#include <math.h>
#include <stdbool.h>

void robo__slide(const struct robo__engine *engine, const mjModel *model, mjData *data)
{
    bool changed = false;
    for (int i = 0; i < data->ncon; i++) {
        mjContact *c = &data->contact[i];
        const mjtNum lesser =
            fmin(model->geom_friction[3 * c->geom1], model->geom_friction[3 * c->geom2]);
        if (lesser < c->friction[0]) {
            c->friction[0] = c->friction[1] = lesser;
            changed = true;
        }
    }
    if (!changed)
        return;
    engine->mj_makeConstraint(model, data);
    engine->mj_projectConstraint(model, data);
    engine->mj_referenceConstraint(model, data);
}
