/* Shapes as geoms of MuJoCo. */
#include "geom.h"

#include <math.h>

#include "body/shape.h"

static const double THINNEST = 1e-6; /* m */

void robo__geom_add(struct robo__draft *draft, unsigned kind, const double size[3])
{
    const struct robo__shape_facts *facts = &robo__shape_facts[kind];
    double given[3];
    robo__draft_add(draft, " type=\"%s\"", facts->name);
    if (kind == ROBO_SHAPE_MESH)
        return;
    for (int i = 0; i < facts->sizes; i++)
        given[i] = fmax(i < facts->radii ? size[i] : size[i] / 2, THINNEST);
    robo__draft_add(draft, " size=\"");
    robo__draft_values(draft, given, facts->sizes);
    robo__draft_add(draft, "\"");
}

unsigned robo__geom_kind(int type)
{
    unsigned kind = 0;
    while (kind < ROBO_SHAPE_KINDS && robo__shape_facts[kind].geom != type)
        kind++;
    return kind;
}

bool robo__geom_contains(int type, const double *size, const double at[3])
{
    static const double UP[3] = { 0, 0, 1 };
    const unsigned kind = robo__geom_kind(type);
    double whole[3] = { 0 }, enter = 0, leave = 0;
    if (kind == ROBO_SHAPE_KINDS)
        return false;
    for (int i = 0; i < robo__shape_facts[kind].sizes; i++)
        whole[i] = i < robo__shape_facts[kind].radii ? size[i] : 2 * size[i];
    return robo__shape_cut(kind, whole, at, UP, &enter, &leave);
}
