/* Requests and commands to devices of a Player server. */
#include <math.h>
#include <string.h>

#include "connection.h"
#include "robot/client.h"

/* Numbers of interfaces in messages: spec/player.md names them. */
enum {
    POSITION_VEL = 1,
    POSITION_POS = 2,
    POSITION_CAR = 3,
    POSITION_VEL_HEAD = 4,
    GET_GEOM = 1,
    MOTOR_POWER = 2,
    VELOCITY_MODE = 3,
    POSITION_MODE = 4,
    SET_ODOM = 5,
    RESET_ODOM = 6,
    PTZ_MODE = 2,
    PTZ_GEOM = 4,
    PTZ_STATUS = 5,
    GRIPPER_OPEN = 1,
    GRIPPER_CLOSE = 2,
    GRIPPER_STOP = 3,
    LASER_CONFIG = 3,
    RANGER_CONFIG = 5,
    CAPABILITIES = 255,
    GET_INT = 254,
    GET_DOUBLE = 252,
    SET_DOUBLE = 251,
    GET_STRING = 250
};

/* The messages that the server acts on: each interface's data, commands and requests, as bits of their
 * subtypes. */
static const struct {
    uint16_t interf;
    uint32_t data, commands, requests;
} abilities[] = {
    { ROBO__PLAYER_POSITION2D, 1 << 1, 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4,
      1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 6 },
    { ROBO__PLAYER_PTZ, 1 << 1, 1 << 1, 1 << 2 | 1 << 4 | 1 << 5 },
    { ROBO__PLAYER_GRIPPER, 1 << 1, 1 << 1 | 1 << 2 | 1 << 3, 1 << 1 },
    { ROBO__PLAYER_SONAR, 1 << 1, 0, 1 << 1 },
    { ROBO__PLAYER_IR, 1 << 1, 0, 1 << 1 },
    { ROBO__PLAYER_LASER, 1 << 1, 0, 1 << 1 | 1 << 3 },
    { ROBO__PLAYER_RANGER, 1 << 1, 0, 1 << 1 | 1 << 5 },
    { ROBO__PLAYER_BUMPER, 1 << 1, 0, 1 << 1 },
    { ROBO__PLAYER_POWER, 1 << 1, 0, 0 },
    { ROBO__PLAYER_CAMERA, 1 << 1, 0, 0 },
};

bool robo__player_can(unsigned interf, unsigned type, unsigned subtype)
{
    if (type == ROBO__PLAYER_REQ &&
        (subtype == CAPABILITIES || subtype == GET_INT || subtype == GET_DOUBLE ||
         subtype == SET_DOUBLE || subtype == GET_STRING))
        return true;
    for (size_t i = 0; i < sizeof abilities / sizeof abilities[0]; i++)
        if (abilities[i].interf == interf && subtype < 32)
            return (type == ROBO__PLAYER_DATA  ? abilities[i].data
                    : type == ROBO__PLAYER_CMD ? abilities[i].commands
                    : type == ROBO__PLAYER_REQ ? abilities[i].requests
                                               : 0) >>
                       subtype &
                   1;
    return false;
}

static bool is_sane(const double *value, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (!(fabs(value[i]) <= 1e9)) /* NaN, too */
            return false;
    return true;
}

/* ---- the base ---- */

/* whoever moves it: a stop needs no lease */
static const struct robo_cmd base_stop = { .op = ROBO_STOP, .body.stop.base = 1 };

static void set_speed(struct robo__player_drive *drive, double x, double y, double theta,
                      robo_time now)
{
    const struct robo_cmd cmd = { .op = ROBO_SET_SPEED, .body.set_speed = { x, y, theta } };
    robo__player_drive_base(drive, cmd, now);
}

/* The velocity's x is the greatest speed on the way; 0: the robot's own. */
static void go_to(struct robo__player_drive *drive, const double *v, robo_time now)
{
    double at[3];
    robo__player_drive_world(drive, v, at);
    const struct robo_cmd cmd = {
        .op = ROBO_GO_TO,
        .body.go_to = { .x = at[0], .y = at[1], .theta = at[2], .speed = fabs(v[3]) }
    };
    robo__player_drive_base(drive, cmd, now);
}

static void command_base(struct robo__player_connection *c, struct robo__player_drive *drive,
                         unsigned subtype, const double *v, robo_time now)
{
    /* the motor state of a command is left aside, as Player's drivers do: clients write both 0 and 1 there */
    if (drive->off)
        drive->refused++;
    else if (subtype == POSITION_VEL)
        set_speed(drive, v[0], v[1], v[2], now);
    else if (subtype == POSITION_POS)
        go_to(drive, v, now);
    else if (subtype == POSITION_CAR)
        set_speed(drive, v[0], 0, v[0] * tan(fmin(fmax(v[1], -1.4), 1.4)) / c->axles, now);
    else if (subtype == POSITION_VEL_HEAD)
        robo__player_drive_steer(drive, v[0], drive->origin[2] + v[1], now);
}

static bool request_base(const struct robo__player_target *t, struct robo__player_drive *drive,
                         unsigned subtype, const double *v, robo_time now)
{
    static const double zero[3];
    double world[3];
    bool panic;
    switch (subtype) {
    case MOTOR_POWER:
        panic = robo__robot_alarm(t->robot).panic;
        if (v[0] != 0 && panic)
            return false; /* after a panic the reset is its owner's */
        if (v[0] == 0 && !panic)
            robo__player_drive_base(drive, base_stop, now);
        drive->off = v[0] == 0;
        return true;
    case VELOCITY_MODE: return true;      /* the robot has one way to keep a speed */
    case POSITION_MODE: return v[0] <= 1; /* the command says which it is */
    case SET_ODOM:
    case RESET_ODOM:
        if (subtype == SET_ODOM && !is_sane(v, 3))
            return false;
        robo__player_where(t->robot, world);
        robo__player_drive_set(drive, world, subtype == SET_ODOM ? v : zero);
        return true;
    default: return false;
    }
}

/* ---- the head ---- */

static void command_head(const struct robo__player_target *t, struct robo__player_drive *drive,
                         const double *v, robo_time now)
{
    const struct robo__player_part *p = &t->part;
    const struct robo_joint *joint = &robo_body_description(t->body)->joint[p->joint];
    const bool speeds =
        (drive->steps && joint->servo & ROBO_SERVO_SPEED) || !(joint->servo & ROBO_SERVO_SETPOINT);
    struct robo_cmd cmd = { .op = speeds ? ROBO_SET_JOINT_SPEED : ROBO_SET_JOINT,
                            .revision = t->revision,
                            .body.servo.joint = p->joint };
    const unsigned pan = p->pan - joint->first, tilt = p->tilt - joint->first;
    cmd.body.servo.mask = (uint8_t)(1u << pan);
    cmd.body.servo.value[pan] = speeds ? v[3] : v[0];
    if (p->tilt != ROBO__PLAYER_NONE) {
        cmd.body.servo.mask |= (uint8_t)(1u << tilt);
        cmd.body.servo.value[tilt] = speeds ? v[4] : v[1];
    }
    if (!speeds && p->zoom != ROBO__PLAYER_NONE && v[2] > 0) { /* 0: as it is */
        cmd.body.servo.mask |= (uint8_t)(1u << (p->zoom - joint->first));
        cmd.body.servo.value[p->zoom - joint->first] = v[2];
    }
    if (!speeds) /* of both dofs at once: the greater of the two that were asked for */
        cmd.body.servo.speed = fmax(fabs(v[3]), fabs(v[4]));
    robo__player_drive_give(drive, cmd, now);
}

/* ---- the gripper ---- */

static void command_gripper(const struct robo__player_target *t, struct robo__player_drive *drive,
                            unsigned subtype, robo_time now)
{
    const struct robo_dof *dof = &robo_body_description(t->body)->dof[t->part.pan];
    struct robo_cmd cmd = { .op = ROBO_SET_JOINT,
                            .body.servo = { .joint = t->part.joint, .mask = 1 } };
    if (subtype == GRIPPER_STOP) {
        cmd = (struct robo_cmd){ .op = ROBO_STOP }; /* whoever moves it */
        cmd.body.stop.mask[t->part.pan / 8] = (uint8_t)(1u << t->part.pan % 8);
        cmd.body.stop.bytes = (uint8_t)(t->part.pan / 8 + 1);
    } else {
        cmd.body.servo.value[0] = subtype == GRIPPER_OPEN ? dof->high : dof->low;
    }
    cmd.revision = t->revision;
    robo__player_drive_give(drive, cmd, now);
}

/* ---- all of them ---- */

void robo__player_command(struct robo__player_connection *c, const struct robo__player_target *t,
                          const struct robo__player_header *header,
                          const struct robo__player_body *body, robo_time now)
{
    struct robo__player_drive *drive = robo__player_driver(c, t->robot);
    if (!drive || !is_sane(body->value, body->values)) {
        c->malformed++;
        return;
    }
    switch (t->interf) {
    case ROBO__PLAYER_POSITION2D: command_base(c, drive, header->subtype, body->value, now); break;
    case ROBO__PLAYER_PTZ: command_head(t, drive, body->value, now); break;
    case ROBO__PLAYER_GRIPPER: command_gripper(t, drive, header->subtype, now); break;
    default: c->unknown++; break;
    }
}

/* ---- properties of every device ---- */

static bool is_key(const struct robo__player_body *body, const char *key)
{
    char text[ROBO__PLAYER_NAME];
    robo__player_text(&body->array[0], text, sizeof text);
    return strcmp(text, key) == 0;
}

/* How much was dropped, and why. */
static bool get_int(const struct robo__player_connection *c, const struct robo__player_body *body,
                    double *value)
{
    uint64_t refused = 0;
    for (const struct robo__player_drive *d = c->drive; d; d = d->next)
        refused += d->refused;
    if (is_key(body, "dropped"))
        *value = (double)c->queue.dropped_all;
    else if (is_key(body, "refused"))
        *value = (double)refused;
    else if (is_key(body, "unknown"))
        *value = c->unknown;
    else if (is_key(body, "malformed"))
        *value = c->malformed;
    else if (is_key(body, "oversized"))
        *value = c->oversized;
    else
        return false;
    return true;
}

static bool request_property(struct robo__player_connection *c, const struct robo__player_target *t,
                             unsigned subtype, const struct robo__player_body *body,
                             struct robo__player_answer *answer)
{
    struct robo__player_body *reply = &answer->body;
    *reply = *body; /* each reply begins with the key */
    switch (subtype) {
    case CAPABILITIES:
        return body->value[0] < 256 && body->value[1] < 256 &&
               robo__player_can(t->interf, (unsigned)body->value[0], (unsigned)body->value[1]);
    case GET_INT: return get_int(c, body, reply->value);
    case GET_DOUBLE: reply->value[0] = 1e9 / (double)c->period; return is_key(body, "rate");
    case SET_DOUBLE:
        if (!is_key(body, "rate") || !(body->value[0] >= 0.1 && body->value[0] <= 1000))
            return false;
        c->period = (robo_time)(1e9 / body->value[0]);
        return true;
    case GET_STRING:
        if (!is_key(body, "robot") || !t->robot)
            return false;
        reply->array[1].raw = (const uint8_t *)robo_robot_name(t->robot);
        reply->array[1].count = (uint32_t)strlen((const char *)reply->array[1].raw) + 1;
        return true;
    default: return false;
    }
}

bool robo__player_request(struct robo__player_connection *c, const struct robo__player_target *t,
                          const struct robo__player_header *header,
                          const struct robo__player_body *body, struct robo__player_answer *answer,
                          robo_time now)
{
    const unsigned subtype = header->subtype;
    answer->body = (struct robo__player_body){ .values = 0 };
    if (!robo__player_can(t->interf, ROBO__PLAYER_REQ, subtype))
        return false;
    if (subtype >= ROBO__PLAYER_UNIVERSAL)
        return request_property(c, t, subtype, body, answer);
    if (subtype == (t->interf == ROBO__PLAYER_PTZ ? PTZ_GEOM : GET_GEOM)) {
        robo__player_geometry(t, answer);
        return true;
    }
    if (t->interf == ROBO__PLAYER_LASER || t->interf == ROBO__PLAYER_RANGER) {
        robo__player_setting(t, &answer->body);
        return true;
    }
    struct robo__player_drive *drive = robo__player_driver(c, t->robot);
    if (!drive)
        return false;
    if (t->interf == ROBO__PLAYER_PTZ) {
        if (subtype == PTZ_MODE && body->value[0] > 1)
            return false;
        if (subtype == PTZ_MODE)
            drive->steps = body->value[0] == 0;
        return true; /* a status of 0: nothing is wrong */
    }
    return request_base(t, drive, subtype, body->value, now);
}
