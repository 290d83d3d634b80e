/* The lights of a model. */
#include "lights.h"

#include <math.h>

#include "base/linear.h"

/* Parts of full light: from everywhere, from where the camera is, and from lights together, where they are brightest. A white
 * surface seen from above is just not overexposed. */
static const double AMBIENT = 0.45, CAMERA = 0.17, MOST = 0.38;
static const double FADES = 0.03; /* 1/m2: a lamp is half as bright 5.8 m away as near it */
static const double SUN[3] = { 0.2, 0.3, -1 };
enum { CUTOFF = 80 }; /* degrees from the direction of a lamp to its border */

static double part_of(const struct robo_light *l, int k)
{
    return l->colour ? (l->colour >> (24 - 8 * k) & 255) / 255.0 : 1;
}

/* How bright a light makes the floor at a spot. */
static double light_at(const struct robo_light *l, const double spot[3])
{
    double way[3], brightest = 0;
    const double length = robo__length(l->direction);
    for (int k = 0; k < 3; k++) {
        way[k] = l->sun ? l->direction[k] : spot[k] - l->position[k];
        brightest = fmax(brightest, part_of(l, k));
    }
    const double distance = robo__length(way);
    if (!(distance > 0 && length > 0 && way[2] < 0))
        return 0;
    const double incidence = -way[2] / distance;
    if (l->sun)
        return brightest * incidence;
    if (way[0] * l->direction[0] + way[1] * l->direction[1] + way[2] * l->direction[2] <
        cos(CUTOFF * M_PI / 180) * distance * length)
        return 0;
    return brightest * incidence / (1 + FADES * distance * distance);
}

/* The floor is examined below each lamp. */
double robo__lights_exposure(const struct robo_scenery *room)
{
    double most = 0;
    for (size_t i = 0; i < room->lights; i++) {
        const double spot[3] = { room->light[i].position[0], room->light[i].position[1], 0 };
        double sum = 0;
        for (size_t k = 0; k < room->lights; k++)
            sum += light_at(&room->light[k], spot);
        most = fmax(most, sum);
    }
    return most > MOST ? MOST / most : 1;
}

static void add_values(struct robo__draft *draft, const char *name, const double value[3])
{
    robo__draft_add(draft, " %s=\"", name);
    robo__draft_values(draft, value, 3);
    robo__draft_add(draft, "\"");
}

void robo__lights_add_ambient(struct robo__draft *draft)
{
    robo__draft_add(draft,
                    "<visual><headlight ambient=\"%.4g %.4g %.4g\" diffuse=\"%.4g %.4g %.4g\" "
                    "specular=\"0 0 0\"/></visual>\n",
                    AMBIENT, AMBIENT, AMBIENT, CAMERA, CAMERA, CAMERA);
}

void robo__lights_add(struct robo__draft *draft, const struct robo_scenery *room)
{
    const struct robo_light sun = { .position = { 0, 0, 10 },
                                    .direction = { SUN[0], SUN[1], SUN[2] },
                                    .sun = 1 };
    const struct robo_scenery none = { .lights = 1, .light = &sun };
    if (!room || room->lights == 0)
        room = &none;
    const double exposure = robo__lights_exposure(room);
    for (size_t i = 0; i < room->lights; i++) {
        const struct robo_light *l = &room->light[i];
        double diffuse[3];
        for (int k = 0; k < 3; k++)
            diffuse[k] = exposure * part_of(l, k);
        robo__draft_add(draft, "<light");
        if (l->sun)
            robo__draft_add(draft, " directional=\"true\"");
        else
            robo__draft_add(draft, " cutoff=\"%d\" exponent=\"0\" attenuation=\"1 0 %.4g\"", CUTOFF,
                            FADES);
        add_values(draft, "pos", l->position);
        add_values(draft, "dir", l->direction);
        add_values(draft, "diffuse", diffuse);
        robo__draft_add(draft, " specular=\"0.15 0.15 0.15\"/>\n");
    }
}
