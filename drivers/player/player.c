/* A robot behind a server of Player 3, as P2OS's or Stage's are (spec/player.md): base, head, sensors, battery, camera. Its thread
 * keeps a connection, and makes another one when that is lost; commands are written by the caller's thread. For real devices: it
 * uses the real clock. */
#include "drivers.h"

#include <math.h>
#include <string.h>
#include <sys/socket.h>

#include "base/command.h"
#include "base/time.h"
#include "link.h"
#include "robot/reports.h"

static const robo_time LOOK = 20 * 1000000; /* between two looks whether a place is reached */
static const double END = 0.05; /* of a gripper's way: as near to an end is meant for that */

/* ---- open and close ---- */

static int check(const struct robo_description *d, unsigned device, char why[128])
{
    struct robo__bind bind;
    return robo__bind_read(d, device, &bind, why);
}

static int open_player(void *state, robo_device *device, robo_time now)
{
    struct robo__player_link *p = state;
    char why[128];
    const struct robo_description *d = robo_device_description(device);
    (void)now;
    p->device = device;
    p->fd = p->wake = -1;
    p->panic = d->panic;
    p->fails = true; /* its camera: no picture yet */
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->woke, NULL);
    int error = robo__bind_read(d, (unsigned)robo_device_index(device), &p->bind, why);
    if (error < 0) {
        robo_device_log(device, ROBO_LOG_ERROR, "%s", why);
        return error;
    }
    memcpy(p->far.device, p->bind.device, sizeof p->far.device);
    p->dark = p->bind.motors && robo_device_in_panic(device); /* nothing may be switched on */
    /* The stops of the device before it may not have reached the server, as when the link was cut. */
    if (robo_device_before(device))
        p->moves = 1u << ROBO__FAR_BASE | 1u << ROBO__FAR_GRIPPER;
    return robo__link_open(p);
}

static void close_player(void *state)
{
    robo__link_close(state);
}

/* ---- with the robot's mutex and the lock ---- */

static void tell(struct robo__player_link *p, enum robo__far_role role, unsigned type,
                 unsigned subtype, const double *value, unsigned values)
{
    robo__link_tell(p, ROBO__LINK_COMMANDS, role, type, subtype, value, values);
}

/* Cuts a value to a limit; 0: none. */
static double cut(double x, double most, bool *clipped)
{
    const double y = most > 0 ? fmin(fmax(x, -most), most) : x;
    *clipped |= y != x;
    return y;
}

/* After a halt that has switched them off. */
static void switch_on(struct robo__player_link *p)
{
    if (p->dark)
        tell(p, ROBO__FAR_BASE, ROBO__PLAYER_REQ, MOTORS, (double[]){ 1 }, 1);
    p->dark = p->limp = false;
}

static void set_speed(struct robo__player_link *p, const struct robo_set_speed *s,
                      robo_ticket ticket)
{
    const double v[3] = { s->x, s->y, s->theta };
    const struct robo_description *d = robo_device_description(p->device);
    double value[4] = { 0, 0, 0, 1 };
    bool clipped = false;
    for (unsigned i = 0; i < 3; i++)
        value[i] = cut(v[i], d->base_speed[i], &clipped);
    if (!d->holonomic)
        value[1] = 0;
    p->base.ticket = 0;
    switch_on(p);
    tell(p, ROBO__FAR_BASE, ROBO__PLAYER_CMD, VEL, value, 4);
    robo__link_note(p, ROBO__FAR_BASE, value[0] != 0 || value[1] != 0 || value[2] != 0);
    if (!d->holonomic && v[1] != 0)
        robo_done(p->device, ticket, ROBO_MODIFIED, ROBO_WHY_HOLONOMIC);
    else
        robo__link_answer(p, ticket, clipped);
}

static void go_to(struct robo__player_link *p, const struct robo_go_to *g, robo_ticket ticket)
{
    const struct robo_description *d = robo_device_description(p->device);
    /* a greatest speed that it does not reach is kept all the same: nothing is modified */
    const double most = d->base_speed[0],
                 speed = g->speed > 0 ? cut(g->speed, most, &(bool){ 0 }) : most;
    switch_on(p);
    tell(p, ROBO__FAR_BASE, ROBO__PLAYER_CMD, POS,
         (double[]){ g->x, g->y, g->theta, speed, 0, d->base_speed[2], 1 }, 7);
    robo__link_note(p, ROBO__FAR_BASE, true);
    p->base = (struct robo__player_goal){ .ticket = ticket, .value = { g->x, g->y, g->theta } };
}

/* The place of a dof of the head in messages: 0 pan, 1 tilt; -1: neither. */
static int axis_of(const struct robo__player_link *p, unsigned dof)
{
    return dof == p->bind.pan ? 0 : dof == p->bind.tilt ? 1 : -1;
}

static void set_mode(struct robo__player_link *p, bool by_speeds)
{
    if (p->by_speeds != by_speeds || p->unsure)
        tell(p, ROBO__FAR_HEAD, ROBO__PLAYER_REQ, PTZ_MODE, (double[]){ by_speeds ? 0 : 1 }, 1);
    p->by_speeds = by_speeds;
    p->unsure = false;
}

static void turn_head(struct robo__player_link *p, const struct robo_servo_command *s,
                      bool by_speeds, robo_ticket ticket)
{
    const struct robo_description *d = robo_device_description(p->device);
    const struct robo_joint *joint = &d->joint[s->joint];
    double speed[2] = { s->speed, s->speed };
    bool clipped = false;
    if (!robo__link_knows_head(
            p, robo__time_monotonic())) { /* axes that are not named would go to 0, the zoom, too */
        robo_done(p->device, ticket, ROBO_ERROR, ROBO_WHY_DEVICE);
        return;
    }
    if (p->head_goal.ticket == 0) /* an axis that is not named stays where it is, or turns on */
        memcpy(p->aim, p->head, sizeof p->aim);
    if (!by_speeds || !p->by_speeds)
        memset(p->turns, 0, sizeof p->turns);
    if (by_speeds)
        memcpy(speed, p->turns, sizeof speed);
    for (unsigned i = 0; i < joint->dofs; i++) {
        const struct robo_dof *dof = &d->dof[joint->first + i];
        const int axis = axis_of(p, joint->first + i);
        if (axis < 0 || !(s->mask >> i & 1))
            continue;
        if (by_speeds) {
            speed[axis] = p->turns[axis] = cut(s->value[i], dof->speed, &clipped);
            continue;
        }
        speed[axis] = cut(s->speed, dof->speed, &(bool){ 0 });
        p->aim[axis] = s->value[i];
        if (dof->high > dof->low)
            p->aim[axis] = fmin(fmax(s->value[i], dof->low), dof->high);
        clipped |= p->aim[axis] != s->value[i];
    }
    set_mode(p, by_speeds);
    tell(p, ROBO__FAR_HEAD, ROBO__PLAYER_CMD, PTZ_STATE,
         (double[]){ p->aim[0], p->aim[1], p->zoom, speed[0], speed[1] }, 5);
    robo__link_note(p, ROBO__FAR_HEAD, p->turns[0] != 0 || p->turns[1] != 0);
    if (by_speeds) {
        p->head_goal.ticket = 0;
        robo__link_answer(p, ticket, clipped);
    } else {
        p->head_goal = (struct robo__player_goal){ .ticket = ticket,
                                                   .value = { p->aim[0], p->aim[1], clipped } };
    }
}

/* Player knows but open and closed: a gripper goes to the end that is nearer. */
static void move_gripper(struct robo__player_link *p, const struct robo_servo_command *s,
                         bool by_speeds, robo_ticket ticket)
{
    const struct robo_dof *dof = &robo_device_description(p->device)->dof[p->bind.gripper.dof];
    const double share = (s->value[0] - dof->low) / (dof->high - dof->low), x = s->value[0];
    const bool opens = by_speeds ? x > 0 : share >= 0.5, stops = by_speeds && x == 0;
    const bool clipped = !by_speeds && fabs(share - opens) > END;
    p->grip_goal.ticket = 0;
    if (!(s->mask & 1)) {
        robo__link_answer(p, ticket, false);
        return;
    }
    tell(p, ROBO__FAR_GRIPPER, ROBO__PLAYER_CMD,
         stops   ? GRIP_STOP
         : opens ? GRIP_OPEN
                 : GRIP_CLOSE,
         NULL, 0);
    robo__link_note(p, ROBO__FAR_GRIPPER, by_speeds && !stops);
    if (by_speeds)
        robo__link_answer(p, ticket, !stops); /* at a speed of its own */
    else
        p->grip_goal = (struct robo__player_goal){
            .ticket = ticket,
            .value = { opens ? ROBO__GRIPPER_OPEN : ROBO__GRIPPER_CLOSED, clipped, false }
        };
}

/* Those parts stop where they are, before waiting messages. */
static void stand(struct robo__player_link *p, enum robo__link_sender sender, uint16_t roles)
{
    robo__link_drop(p, ROBO__LINK_COMMANDS);
    robo__link_rest(p, sender, roles);
    p->base.ticket = p->head_goal.ticket = p->grip_goal.ticket = 0;
    memset(p->turns, 0, sizeof p->turns);
}

/* To where they begin. */
static void go_home(struct robo__player_link *p, double speed, robo_ticket ticket)
{
    const struct robo_description *d = robo_device_description(p->device);
    const bool head = p->bind.device[ROBO__FAR_HEAD].interf != 0,
               grips = p->bind.device[ROBO__FAR_GRIPPER].interf != 0;
    struct robo_servo_command home = { .joint = p->bind.joint, .mask = 63, .speed = speed };
    if (head && !robo__link_knows_head(p, robo__time_monotonic())) { /* all of it, or nothing */
        robo_done(p->device, ticket, ROBO_ERROR, ROBO_WHY_DEVICE);
        return;
    }
    if (grips) {
        const struct robo_servo_command grip = { .mask = 1,
                                                 .value = { d->dof[p->bind.gripper.dof].home } };
        move_gripper(p, &grip, false, ticket);
    }
    for (unsigned i = 0; head && i < d->joint[home.joint].dofs; i++)
        home.value[i] = d->dof[d->joint[home.joint].first + i].home;
    if (head)
        turn_head(p, &home, false, ticket);
    else if (!grips)
        robo__link_answer(p, ticket, false);
}

static bool is_for_gripper(const struct robo__player_link *p, const struct robo_cmd *cmd)
{
    return p->bind.grips && cmd->body.servo.joint == p->bind.gripper.joint;
}

/* Whether the server has a device for that command: the descriptor may say that it is not wanted. */
static bool has_device(const struct robo__player_link *p, const struct robo_cmd *cmd)
{
    enum robo__far_role role = ROBO__FAR_BASE;
    if (cmd->op == ROBO_SET_JOINT || cmd->op == ROBO_SET_JOINT_SPEED)
        role = is_for_gripper(p, cmd) ? ROBO__FAR_GRIPPER : ROBO__FAR_HEAD;
    else if (cmd->op != ROBO_SET_SPEED && cmd->op != ROBO_GO_TO)
        return true;
    return p->bind.device[role].interf != 0;
}

static void begin(struct robo__player_link *p, const struct robo_cmd *cmd, robo_ticket ticket)
{
    const struct robo_command_kind *kind = robo__command_of(cmd->op);
    if ((kind && robo__command_bounds(kind, cmd).acceleration > 0) || !has_device(p, cmd)) {
        robo_done(p->device, ticket, ROBO_NA, ROBO_WHY_UNSUPPORTED);
        return;
    }
    switch (cmd->op) {
    case ROBO_STOP:
        stand(p, ROBO__LINK_COMMANDS, UINT16_MAX);
        robo__link_answer(p, ticket, false);
        break;
    case ROBO_SET_SPEED: set_speed(p, &cmd->body.set_speed, ticket); break;
    case ROBO_GO_TO: go_to(p, &cmd->body.go_to, ticket); break;
    case ROBO_SET_JOINT:
    case ROBO_SET_JOINT_SPEED:
        if (is_for_gripper(p, cmd))
            move_gripper(p, &cmd->body.servo, cmd->op == ROBO_SET_JOINT_SPEED, ticket);
        else
            turn_head(p, &cmd->body.servo, cmd->op == ROBO_SET_JOINT_SPEED, ticket);
        break;
    case ROBO_HOME: go_home(p, cmd->body.home.speed, ticket); break;
    default: robo_done(p->device, ticket, ROBO_NA, ROBO_WHY_UNSUPPORTED); break;
    }
}

static void start(void *state, const struct robo_cmd *cmd, robo_ticket ticket, robo_time now)
{
    struct robo__player_link *p = state;
    (void)now;
    pthread_mutex_lock(&p->lock);
    if (p->ready && !p->unsent)
        begin(p, cmd, ticket);
    else
        robo_done(p->device, ticket, ROBO_ERROR, ROBO_WHY_LINK);
    pthread_mutex_unlock(&p->lock);
}

static robo_time advance(void *state, robo_time now)
{
    struct robo__player_link *p = state;
    pthread_mutex_lock(&p->lock);
    if (!p->ready)
        p->base.ticket = p->head_goal.ticket = p->grip_goal.ticket =
            0; /* the fault has answered them */
    const bool waits = robo__link_look(p, now);
    pthread_mutex_unlock(&p->lock);
    return waits ? now + LOOK : ROBO_NEVER;
}

static void read_player(const void *state, robo_time now, struct robo_state *out)
{
    struct robo__player_link *p = (struct robo__player_link *)state; /* its lock */
    (void)now;
    pthread_mutex_lock(&p->lock);
    if (p->bind.device[ROBO__FAR_BASE].interf) {
        out->pose[0] = p->place[0];
        out->pose[1] = p->place[1];
        out->attitude[2] = p->place[2];
        out->twist[0] = p->velocity[0];
        out->twist[1] = p->velocity[1];
        out->spin[2] = p->velocity[2];
        out->moving |= p->velocity[0] != 0 || p->velocity[1] != 0 || p->velocity[2] != 0;
    }
    for (unsigned i = 0; i < 2; i++) {
        const unsigned dof = i == 0 ? p->bind.pan : p->bind.tilt;
        if (dof == ROBO__BIND_NONE)
            continue;
        out->position[dof] = p->head[i];
        out->speed[dof] = p->head_speed[i];
        out->moving |= p->head_speed[i] != 0;
    }
    if (p->grip != 0) {
        const struct robo_dof *dof = &robo_device_description(p->device)->dof[p->bind.gripper.dof];
        out->position[p->bind.gripper.dof] = p->grip == ROBO__GRIPPER_OPEN ? dof->high
                                             : p->grip == ROBO__GRIPPER_CLOSED
                                                 ? dof->low
                                                 : (dof->low + dof->high) / 2;
        out->moving |= p->grip == ROBO__GRIPPER_MOVING;
    }
    if (p->bind.device[ROBO__FAR_POWER].interf) {
        out->voltage = p->volts;
        out->charge = p->charge;
    }
    pthread_mutex_unlock(&p->lock);
}

/* Bits of roles: parts that this client has moved, or has sent somewhere. */
static uint16_t moved(const struct robo__player_link *p)
{
    return (uint16_t)(p->moves | (p->head_goal.ticket != 0) << ROBO__FAR_HEAD |
                      (p->grip_goal.ticket != 0) << ROBO__FAR_GRIPPER);
}

/* In a panic everything stands, whoever moves it; when the robot is closed or reloaded, parts that others move go on. */
static void halt(void *state, robo_time now)
{
    struct robo__player_link *p = state;
    (void)now;
    pthread_mutex_lock(&p->lock);
    /* this halt replaces waiting ones; stops among the dropped commands are sent again */
    robo__link_drop(p, ROBO__LINK_HALTS);
    robo__link_drop(p, ROBO__LINK_COMMANDS);
    bool told;
    const bool panics = robo__device_panics(p->device, &told) || robo_device_in_panic(p->device);
    const uint16_t roles = panics ? UINT16_MAX : moved(p);
    const bool limp = p->panic == ROBO_LIMP && p->bind.device[ROBO__FAR_BASE].interf &&
                      roles >> ROBO__FAR_BASE & 1;
    p->limp |= limp;
    p->dark |= panics && !p->ready && p->bind.motors; /* nothing is switched on */
    stand(p, ROBO__LINK_HALTS, roles);
    if (limp) {
        robo__link_tell(p, ROBO__LINK_HALTS, ROBO__FAR_BASE, ROBO__PLAYER_REQ, MOTORS,
                        (double[]){ 0 }, 1);
        p->dark = p->bind.motors;
    }
    pthread_mutex_unlock(&p->lock);
}

const robo_driver robo_player_driver = { .size = sizeof(robo_driver),
                                         .name = "player",
                                         .state_size = sizeof(struct robo__player_link),
                                         .open = open_player,
                                         .start = start,
                                         .advance = advance,
                                         .read = read_player,
                                         .halt = halt,
                                         .close = close_player,
                                         .check = check,
                                         .bounds = 1 };
