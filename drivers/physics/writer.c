/* Names, values and places of MJCF. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/linear.h"
#include "writer.h"
#include "robotalk/kinematics.h"

static const double IDENTITY[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };

void robo__write_name(struct robo__writer *w, const char *attribute, const char *part,
                      const char *more)
{
    robo__draft_add(w->out, " %s=\"", attribute);
    robo__draft_escape(w->out, w->d->name);
    if (part) {
        robo__draft_add(w->out, "/");
        robo__draft_escape(w->out, part);
    }
    if (more) {
        robo__draft_add(w->out, ".");
        robo__draft_escape(w->out, more);
    }
    robo__draft_add(w->out, "\"");
}

void robo__write_wheel_name(struct robo__writer *w, const char *attribute, int number)
{
    char part[24];
    snprintf(part, sizeof part, "wheel%d", number + 1);
    robo__write_name(w, attribute, part, NULL);
}

void robo__write_values(struct robo__writer *w, const char *attribute, const double *value,
                        size_t count)
{
    robo__draft_add(w->out, " %s=\"", attribute);
    robo__draft_values(w->out, value, count);
    robo__draft_add(w->out, "\"");
}

void robo__write_spot(struct robo__writer *w, const struct robo__spot *spot)
{
    double q[4];
    robo__write_values(w, "pos", spot->position, 3);
    if (memcmp(spot->rotation, IDENTITY, sizeof IDENTITY) == 0)
        return;
    robo__quaternion(spot->rotation, q);
    robo__write_values(w, "quat", q, 4);
}

struct robo__spot robo__spot_at(const double position[3], const double attitude[3])
{
    struct robo__spot spot;
    memcpy(spot.position, position, sizeof spot.position);
    memcpy(spot.rotation, IDENTITY, sizeof IDENTITY);
    if (attitude[0] != 0 || attitude[1] != 0 || attitude[2] != 0)
        robo_attitude_to_rotation(attitude, spot.rotation);
    return spot;
}

void robo__spot_append(struct robo__spot *at, const double position[3], const double rotation[9])
{
    double moved[3], rotated[9];
    robo__turn(at->rotation, position, moved);
    robo__rotate(at->rotation, rotation, rotated);
    for (int i = 0; i < 3; i++)
        at->position[i] += moved[i];
    memcpy(at->rotation, rotated, sizeof rotated);
}
