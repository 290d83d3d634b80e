/* Which parts of a robot are which devices of Player. */
#include "parts.h"

#include <string.h>
#include <strings.h>

#include "body/gripper.h"
#include "body/lens.h"
#include "robotalk/description.h"

const uint16_t robo__player_offered[] = {
    ROBO__PLAYER_POSITION2D,
    ROBO__PLAYER_PTZ,
    ROBO__PLAYER_GRIPPER,
    ROBO__PLAYER_SONAR,
    ROBO__PLAYER_IR,
    ROBO__PLAYER_LASER,
    ROBO__PLAYER_RANGER,
    ROBO__PLAYER_BUMPER,
    ROBO__PLAYER_POWER,
    ROBO__PLAYER_CAMERA,
    0,
};

static bool has_base(const struct robo_description *d)
{
    for (unsigned i = 0; i < d->devices; i++)
        if (d->device[i].base)
            return true;
    return false;
}

/* ---- joints ---- */

static unsigned dof_named(const struct robo_description *d, const struct robo_joint *joint,
                          const char *name)
{
    for (unsigned i = joint->first; i < (unsigned)joint->first + joint->dofs; i++)
        if (strcasecmp(d->dof[i].name, name) == 0)
            return i;
    return ROBO__PLAYER_NONE;
}

/* A camera that the joint moves: on its link. */
static unsigned camera_on(const struct robo_description *d, unsigned link)
{
    for (unsigned i = 0; i < d->cameras; i++)
        if (d->camera[i].link == link)
            return i;
    return ROBO__PLAYER_NONE;
}

static bool is_driven(const struct robo_joint *joint)
{
    return joint->dofs > 0 && joint->servo & (ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED);
}

/* A joint with a dof that is called pan turns a camera, or could. Its tilt, or its nod, tilts it. */
static bool is_ptz(const struct robo_description *d, unsigned joint, struct robo__player_part *part)
{
    const struct robo_joint *j = &d->joint[joint];
    const unsigned pan = is_driven(j) ? dof_named(d, j, "pan") : ROBO__PLAYER_NONE;
    if (pan == ROBO__PLAYER_NONE)
        return false;
    unsigned tilt = dof_named(d, j, "tilt");
    if (tilt == ROBO__PLAYER_NONE)
        tilt = dof_named(d, j, "nod");
    part->joint = (uint16_t)joint;
    part->pan = (uint16_t)pan;
    part->tilt = (uint16_t)tilt;
    part->camera = (uint16_t)camera_on(d, j->child);
    const int zoom =
        part->camera == ROBO__PLAYER_NONE ? ROBO_ENONE : robo__zoom_of(d, part->camera);
    part->zoom = zoom >= 0 ? (uint16_t)zoom : ROBO__PLAYER_NONE;
    return true;
}

/* One place decides for all protocols which of them a joint is. */
static bool is_gripper(const struct robo_description *d, unsigned joint,
                       struct robo__player_part *part)
{
    struct robo__gripper gripper;
    if (!robo__gripper_at(d, joint, &gripper))
        return false;
    part->joint = gripper.joint;
    part->pan = gripper.dof;
    return true;
}

/* ---- sensors ---- */

static unsigned next_sensor(const struct robo_description *d, unsigned sense, unsigned from)
{
    for (unsigned i = from; i < d->sensors; i++)
        if (robo_sensor_sense(&d->sensor[i]) == (enum robo_sense)sense &&
            d->sensor[i].device != 255)
            return i;
    return ROBO__PLAYER_NONE;
}

unsigned robo__player_sensor(const struct robo_description *d, const struct robo__player_part *part,
                             unsigned from)
{
    if (part->sense == 0 || (part->single && from > part->first))
        return ROBO__PLAYER_NONE;
    return part->single ? part->first : next_sensor(d, part->sense, from);
}

/* All sensors of that kind are one device. */
static bool is_ring(const struct robo_description *d, unsigned sense,
                    struct robo__player_part *part)
{
    const unsigned first = next_sensor(d, sense, 0);
    part->first = (uint16_t)first;
    part->sense = (uint8_t)sense;
    return first != ROBO__PLAYER_NONE;
}

/* ---- devices ---- */

static const unsigned rangers[] = { ROBO_SENSE_SONAR, ROBO_SENSE_INFRARED };

/* Through the parts that are of an interface, up to that number. */
struct walk {
    unsigned number, n; /* n: of those that matched */
};

/* Whether the walk ends here: this part matches, if `is`, and is the wanted one. */
static bool ends(struct walk *w, bool is)
{
    return is && w->n++ == w->number;
}

static void walk_lasers(const struct robo_description *d, struct walk *w,
                        struct robo__player_part *part)
{
    part->sense = ROBO_SENSE_LASER;
    part->single = true;
    for (unsigned i = next_sensor(d, ROBO_SENSE_LASER, 0); i != ROBO__PLAYER_NONE;
         i = next_sensor(d, ROBO_SENSE_LASER, i + 1)) {
        part->first = (uint16_t)i;
        if (ends(w, true))
            return;
    }
}

static void walk_cameras(const struct robo_description *d, struct walk *w,
                         struct robo__player_part *part)
{
    for (unsigned i = 0; i < d->cameras; i++) {
        part->camera = (uint16_t)i;
        if (ends(w, d->camera[i].device != 255))
            return;
    }
}

/* How many parts of the robot are of that interface, up to the one of that number, which *part is then. */
static unsigned walk(const struct robo_description *d, unsigned interf, unsigned number,
                     struct robo__player_part *part)
{
    struct walk w = { .number = number };
    *part = (struct robo__player_part){ .interf = (uint16_t)interf, .camera = ROBO__PLAYER_NONE };
    switch (interf) {
    case ROBO__PLAYER_POSITION2D: ends(&w, has_base(d)); break;
    case ROBO__PLAYER_POWER: ends(&w, d->battery > 0 || d->voltage > 0); break;
    case ROBO__PLAYER_SONAR: ends(&w, is_ring(d, ROBO_SENSE_SONAR, part)); break;
    case ROBO__PLAYER_IR: ends(&w, is_ring(d, ROBO_SENSE_INFRARED, part)); break;
    case ROBO__PLAYER_BUMPER: ends(&w, is_ring(d, ROBO_SENSE_BUMPER, part)); break;
    case ROBO__PLAYER_PTZ:
        for (unsigned i = 0; i < d->joints && !ends(&w, is_ptz(d, i, part)); i++) {
        }
        break;
    case ROBO__PLAYER_GRIPPER:
        for (unsigned i = 0; i < d->joints && !ends(&w, is_gripper(d, i, part)); i++) {
        }
        break;
    case ROBO__PLAYER_RANGER:
        for (unsigned i = 0; i < sizeof rangers / sizeof rangers[0]; i++)
            if (ends(&w, is_ring(d, rangers[i], part)))
                return w.n;
        walk_lasers(d, &w, part);
        break;
    case ROBO__PLAYER_LASER: walk_lasers(d, &w, part); break;
    case ROBO__PLAYER_CAMERA: walk_cameras(d, &w, part); break;
    default: break;
    }
    return w.n;
}

unsigned robo__player_parts(const struct robo_description *d, unsigned interf)
{
    struct robo__player_part part;
    return walk(d, interf, UINT32_MAX, &part);
}

bool robo__player_part(const struct robo_description *d, unsigned interf, unsigned number,
                       struct robo__player_part *part)
{
    return walk(d, interf, number, part) == number + 1;
}
