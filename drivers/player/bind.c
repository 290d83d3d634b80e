/* Which devices of a Player server a robot's device is behind. */
#include "bind.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "../options.h"
#include "protocols.h"
#include "robotalk/description.h"

struct options {
    const char *url, *device[ROBO__FAR_ROLES];
    double timeout, near, turn;
    bool motors;
};

#define DEVICE(option, role)                             \
    {                                                    \
        .name = (option), .type = ROBO_OPTION_TEXT,      \
        .offset = offsetof(struct options, device[role]) \
    }

static const struct robo__option_row ROWS[] = {
    { .name = "url",
      .type = ROBO_OPTION_TEXT,
      .offset = offsetof(struct options, url),
      .needed = "the address of a server of Player, as player://host:6665" },
    DEVICE("position", ROBO__FAR_BASE),
    DEVICE("head", ROBO__FAR_HEAD),
    DEVICE("gripper", ROBO__FAR_GRIPPER),
    DEVICE("sonar", ROBO__FAR_SONAR),
    DEVICE("laser", ROBO__FAR_LASER),
    DEVICE("bumper", ROBO__FAR_BUMPER),
    DEVICE("power", ROBO__FAR_POWER),
    DEVICE("camera", ROBO__FAR_CAMERA),
    { .name = "timeout",
      .type = ROBO_OPTION_REAL,
      .offset = offsetof(struct options, timeout),
      .otherwise = 1,
      .least = 0.05,
      .most = 3600 },
    { .name = "near",
      .type = ROBO_OPTION_REAL,
      .offset = offsetof(struct options, near),
      .otherwise = 0.05,
      .least = 0.001,
      .most = 10 },
    { .name = "turn",
      .type = ROBO_OPTION_REAL,
      .offset = offsetof(struct options, turn),
      .otherwise = 0.1,
      .least = 0.001,
      .most = 7 },
    { .name = "motors",
      .type = ROBO_OPTION_FLAG,
      .offset = offsetof(struct options, motors),
      .otherwise = 1 },
};
static const struct robo__option_table OPTIONS = { .row = ROWS,
                                                   .rows = sizeof ROWS / sizeof ROWS[0] };

/* The device that is meant without an option. */
static const char *const OTHERWISE[ROBO__FAR_ROLES] = {
    [ROBO__FAR_BASE] = "position2d:0", [ROBO__FAR_HEAD] = "ptz:0",
    [ROBO__FAR_GRIPPER] = "gripper:0", [ROBO__FAR_SONAR] = "sonar:0",
    [ROBO__FAR_LASER] = "laser:0",     [ROBO__FAR_BUMPER] = "bumper:0",
    [ROBO__FAR_POWER] = "power:0",     [ROBO__FAR_CAMERA] = "camera:0",
};

/* ---- what the robot has on this device ---- */

static unsigned dof_of(const struct robo_description *d, const struct robo_joint *joint,
                       const char *name)
{
    for (unsigned i = joint->first; i < (unsigned)joint->first + joint->dofs; i++)
        if (strcasecmp(d->dof[i].name, name) == 0)
            return i;
    return ROBO__BIND_NONE;
}

static void find_head(const struct robo_description *d, unsigned device, struct robo__bind *bind)
{
    bind->joint = bind->pan = bind->tilt = ROBO__BIND_NONE;
    for (unsigned i = 0; i < d->joints && bind->joint == ROBO__BIND_NONE; i++) {
        const struct robo_joint *joint = &d->joint[i];
        if (joint->device != device || joint->dofs == 0)
            continue;
        bind->pan = (uint16_t)dof_of(d, joint, "pan");
        bind->tilt = (uint16_t)dof_of(d, joint, "tilt");
        if (bind->pan != ROBO__BIND_NONE || bind->tilt != ROBO__BIND_NONE)
            bind->joint = (uint16_t)i;
    }
}

static void find_gripper(const struct robo_description *d, unsigned device, struct robo__bind *bind)
{
    struct robo__gripper g;
    for (unsigned i = 0; !bind->grips && robo__next_gripper(d, i, &g); i = g.joint + 1u) {
        if (d->joint[g.joint].device != device || g.joint == bind->joint)
            continue;
        bind->grips = true;
        bind->gripper = g;
    }
}

/* A joint whose dofs all follow others takes no commands. */
static bool follows(const struct robo_description *d, const struct robo_joint *joint)
{
    for (unsigned i = joint->first; i < (unsigned)joint->first + joint->dofs; i++)
        if (d->dof[i].mimics == 0)
            return false;
    return true;
}

static void find_sensors(const struct robo_description *d, unsigned device, struct robo__bind *bind)
{
    for (unsigned i = 0; i < d->sensors; i++) {
        const struct robo_sensor *s = &d->sensor[i];
        const enum robo_sense sense = robo_sensor_sense(s);
        const int role = sense == ROBO_SENSE_SONAR || sense == ROBO_SENSE_INFRARED ? ROBO__FAR_SONAR
                         : sense == ROBO_SENSE_LASER                               ? ROBO__FAR_LASER
                         : sense == ROBO_SENSE_BUMPER  ? ROBO__FAR_BUMPER
                         : sense == ROBO_SENSE_BATTERY ? ROBO__FAR_POWER
                                                       : -1;
        if (role >= 0 && s->device == device && bind->sensors[role] < ROBO__BIND_SENSORS)
            bind->sensor[role][bind->sensors[role]++] = (uint16_t)i;
    }
    bind->camera = ROBO__BIND_NONE;
    for (unsigned i = d->cameras; i-- > 0;)
        if (d->camera[i].device == device)
            bind->camera = (uint16_t)i;
}

static bool has(const struct robo_description *d, unsigned device, const struct robo__bind *bind,
                unsigned role)
{
    switch (role) {
    case ROBO__FAR_BASE: return d->device[device].base != 0;
    case ROBO__FAR_HEAD: return bind->joint != ROBO__BIND_NONE;
    case ROBO__FAR_GRIPPER: return bind->grips;
    case ROBO__FAR_CAMERA: return bind->camera != ROBO__BIND_NONE;
    case ROBO__FAR_POWER:
        return bind->sensors[role] > 0 || (d->device[device].base && d->battery > 0);
    default: return bind->sensors[role] > 0;
    }
}

/* Joints that no device of Player moves. */
static bool has_others(const struct robo_description *d, unsigned device,
                       const struct robo__bind *bind)
{
    for (unsigned i = 0; i < d->joints; i++)
        if (d->joint[i].device == device && !follows(d, &d->joint[i]) && i != bind->joint &&
            !(bind->grips && i == bind->gripper.joint) && !(d->device[device].base && i == 0))
            return true;
    return false;
}

/* ---- reading ---- */

static int wrong(char why[128], const char *option, const char *what)
{
    snprintf(why, 128, "%s: %.110s", option, what);
    return ROBO_EINVAL;
}

int robo__bind_read(const struct robo_description *d, unsigned device, struct robo__bind *bind,
                    char why[128])
{
    struct options o = { .url = NULL };
    char what[256] = "";
    int error = robo__options_read(&OPTIONS, d, device, &o, why);
    if (error < 0)
        return error;
    *bind = (struct robo__bind){
        .timeout = o.timeout, .near = o.near, .turn = o.turn, .motors = o.motors
    };
    if (robo__url_parse(o.url, robo__protocols, &bind->url, what) < 0 ||
        strcmp(bind->url.protocol->name, "player") != 0 || bind->url.medium != ROBO__TCP)
        return wrong(why, "url", *what ? what : "expected player://host:port");
    find_head(d, device, bind);
    find_gripper(d, device, bind);
    find_sensors(d, device, bind);
    if (has_others(d, device, bind))
        return wrong(why, "url",
                     "a joint on it has no dof called pan or tilt and is no gripper: no device of "
                     "Player moves it");
    for (unsigned role = 0; role < ROBO__FAR_ROLES; role++) {
        const char *text = o.device[role];
        const bool there = has(d, device, bind, role);
        if (text && *text && !there)
            return wrong(why, robo__far_option(role),
                         "the robot has nothing of that kind on this device");
        if (!there || (text && !*text)) /* an empty text: it is not wanted */
            continue;
        if (!robo__far_parse(role, text ? text : OTHERWISE[role], &bind->device[role])) {
            snprintf(what, sizeof what, "expected a device of Player, as \"%s\"", OTHERWISE[role]);
            return wrong(why, robo__far_option(role), what);
        }
    }
    return 0;
}
