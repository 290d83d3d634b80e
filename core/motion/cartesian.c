/* Control frames in Cartesian space. */
#include "cartesian.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "bus.h"
#include "base/command.h"
#include "body/description.h"
#include "base/linear.h"
#include "body/model.h"
#include "profile.h"
#include "joint_commands.h"
#include "base/time.h"
#include "twist.h"

static const robo_time TICK = 4 * 1000000;
static const double TICK_SECONDS = 0.004;
static const double LONGEST_TICK = 0.1; /* s: after a longer pause the path goes on where it was */
static const double GAIN = 10;          /* 1/s, of the correction of errors */
static const double RESERVE = 1.0 / 3;  /* of a dof's acceleration, for corrections */
static const double RADIAN = 0.3;       /* m that a radian counts */
/* the same where fewer than six dofs, but three, hold the position: they hold the rest of the attitude */
static const double LITTLE_RADIAN = 0.003;
static const double CLOSE = 1e-5;  /* m, or RADIAN times rad: arrived */
static const double NEAR = 2e-4;   /* m and rad: close enough when it gets no closer */
static const double STANDS = 1e-3; /* rad/s, m/s: it has stopped */
static const double STREAM = 0.5;  /* s between two poses of a stream, at most */
/* for the dofs to come to rest before a path */
static const robo_time BRAKING = 2000000000;
static const robo_time PATIENCE = 500000000;     /* without coming closer: it gets no closer */
static const robo_time LONGEST_END = 3000000000; /* from the end of the path to the result */

static const double none[ROBO_MAX_DOFS];

/* ---- a motion to a pose ---- */

static bool stands(const struct robo__cartesian *c, const struct robo_state *state)
{
    for (unsigned k = 0; k < state->dofs; k++)
        if (robo__dof_set_has(&c->dofs, k) && fabs(state->speed[k]) > STANDS)
            return false;
    return true;
}

/* s since the last tick, which is this one from now on. */
static double passed(struct robo__cartesian *c, robo_time now)
{
    double seconds = fmin((double)(now - c->last) * 1e-9, LONGEST_TICK);
    c->last = now;
    return seconds;
}

static void begin_stage(struct robo__cartesian *c, enum robo__frame_stage stage, robo_time now)
{
    c->stage = stage;
    c->since = now;
}

/* The speed that corrects an error and can be braked without overshoot. */
static double take_back(const struct robo_dof *dof, double error, double hold)
{
    /* as with GAIN, for a speed that is held that long */
    double gain = (1 - exp(-GAIN * hold)) / hold;
    double most = sqrt(2 * RESERVE * robo__profile_acceleration(dof) * fabs(error));
    return fmin(fmax(gain * error, -most), most);
}

/* The speed to send to a dof that has the speed `now` and shall have `mean` on average while it is held: it makes up for the
 * time that the dof takes to accelerate. */
static double anticipate(const struct robo_dof *dof, double now, double mean, double hold)
{
    double most = robo__profile_acceleration(dof) * hold, change = mean - now;
    double part = fmin(1, 2 * fabs(change) / most);
    return now + copysign(most * (1 - sqrt(1 - part)), change);
}

/* The share of its speed follows the override, as fast as the reserve of the dofs' accelerations lets it. */
static void follow_override(struct robo__cartesian *c, double seconds)
{
    const struct robo_description *d = c->port->description;
    struct robo__path_position soon = c->position;
    double q[ROBO_MAX_DOFS], next[ROBO_MAX_DOFS], most = HUGE_VAL,
                                                  missing = c->port->override - c->share;
    if (missing == 0)
        return;
    robo__path_advance(&c->path, &soon, c->hold);
    robo__path_posture(&c->path, &c->position, q);
    robo__path_posture(&c->path, &soon, next);
    for (unsigned k = 0; k < d->dofs; k++)
        if (robo__dof_set_has(&c->dofs, k) && next[k] != q[k])
            most = fmin(most, RESERVE * robo__profile_acceleration(&d->dof[k]) * c->hold /
                                  fabs(next[k] - q[k]));
    c->share += copysign(fmin(most * seconds, fabs(missing)), missing);
}

/* Sends the speeds by which the dofs get from the posture q, where they should be now, to the next one, where they should be
 * when the next speeds are sent. */
static void keep_to(struct robo__cartesian *c, const double *q, const double *next,
                    const struct robo_state *state, robo_time now)
{
    const struct robo_description *d = c->port->description;
    for (unsigned k = 0; k < d->dofs; k++) {
        if (!robo__dof_set_has(&c->dofs, k))
            continue;
        const struct robo_dof *dof = &d->dof[k];
        double v = (next[k] - q[k]) / c->hold;
        if (v != 0 ||
            c->port->override > 0) /* a motion that an override of 0 holds is corrected later */
            v += take_back(dof, q[k] - state->position[k], c->hold);
        v = anticipate(dof, c->rate[k], v, c->hold);
        c->rate[k] = fmin(fmax(v, -robo__profile_speed(dof)), robo__profile_speed(dof));
    }
    robo__send_speeds(c->bus, &c->dofs, c->rate, state->position, now);
}

static void keep_to_path(struct robo__cartesian *c, const struct robo_state *state, robo_time now)
{
    struct robo__path_position soon = c->position;
    double q[ROBO_MAX_DOFS], next[ROBO_MAX_DOFS];
    robo__path_advance(&c->path, &soon, c->share * c->hold);
    robo__path_posture(&c->path, &c->position, q);
    robo__path_posture(&c->path, &soon, next);
    keep_to(c, q, next, state, now);
}

static void finish(struct robo__cartesian *c, const struct robo_pose *pose, robo_time now)
{
    robo_ticket ticket = c->ticket;
    double off[6], position, rotation;
    robo__pose_difference(pose, &c->goal, off);
    position = robo__length(off);
    rotation = c->radian > 0 ? robo__length(off + 3) : 0;
    robo__send_stop(c->bus, &c->dofs, now);
    c->servo = 0;
    /* a path that leads to the goal was clipped by no limit: a weight or a contact holds it off */
    const bool whole = !c->clipped && c->path.position_error <= NEAR &&
                       (c->radian <= 0 || c->path.rotation_error <= NEAR);
    if (position > NEAR || rotation > NEAR)
        c->port->ended(c->port, ticket, ROBO_MODIFIED, whole ? ROBO_WHY_NONE : ROBO_WHY_LIMIT,
                       position, rotation);
    else if (c->clipped)
        c->port->ended(c->port, ticket, ROBO_MODIFIED, ROBO_WHY_LIMIT, 0, 0);
    else
        c->port->ended(c->port, ticket, ROBO_SUCCESS, ROBO_WHY_NONE, 0, 0);
}

/* Whether the dofs have come to rest at the end of the path, or get no closer. */
static bool has_ended(struct robo__cartesian *c, const struct robo_state *state, robo_time now)
{
    struct robo_pose pose;
    robo_frame_pose(c->port->model, state->position, c->frame, &pose);
    double left = robo__pose_distance(&pose, &c->path.end, c->radian > 0 ? RADIAN : 0);
    bool still = stands(c, state), held = c->port->override == 0;
    if (held) /* it gets no closer, and need not */
        c->since = now;
    if (held || !still || left < 0.98 * c->best) {
        /* a point that it passes at speed does not count as reached */
        c->best = still ? left : c->best;
        c->improved = now;
    }
    bool over = (still && left < CLOSE) || now - c->improved > PATIENCE;
    if (over || now - c->since > LONGEST_END)
        finish(c, &pose, now);
    return c->servo == 0;
}

/* Follows the goal. False: it is reached, or gets no closer. */
static bool follow(struct robo__cartesian *c, const struct robo_state *state, robo_time now)
{
    double next[ROBO_MAX_DOFS];
    if (robo__follow_advance(&c->follow, passed(c, now), c->port->override))
        return false;
    for (unsigned k = 0; k < state->dofs; k++)
        next[k] = c->follow.posture[k] + c->hold * c->follow.speed[k];
    keep_to(c, c->follow.posture, next, state, now);
    return true;
}

static void tick_pose(struct robo__cartesian *c, const struct robo_state *state, robo_time now)
{
    if (c->on_bus)
        robo_jacobian(c->port->model, state->position, c->frame, NULL, c->jacobian);
    if (c->stage == ROBO__FRAME_FOLLOWS) {
        if (follow(c, state, now))
            return;
        robo__send_stop(c->bus, &c->dofs, now);
        c->share = c->port->override;
        begin_stage(c, ROBO__FRAME_BRAKES, now);
    }
    if (c->stage == ROBO__FRAME_BRAKES && (stands(c, state) || now - c->since > BRAKING)) {
        robo__path_begin(&c->path, c->port->model, c->port->description, c->frame, &c->dofs,
                         c->radian, state->position, &c->goal, c->on_bus ? c->hold : 0, c->bounds,
                         c->straight);
        begin_stage(c, ROBO__FRAME_PLANS, now);
    }
    if (c->stage == ROBO__FRAME_PLANS && robo__path_plan(&c->path)) {
        c->position = (struct robo__path_position){ 0 };
        c->last = now;
        memcpy(c->rate, state->speed, state->dofs * sizeof *c->rate);
        begin_stage(c, ROBO__FRAME_GOES, now);
    }
    if (c->stage == ROBO__FRAME_GOES) {
        const double seconds = passed(c, now);
        follow_override(c, seconds);
        if (!robo__path_advance(&c->path, &c->position, c->share * seconds)) {
            c->best = HUGE_VAL;
            c->improved = now;
            begin_stage(c, ROBO__FRAME_ENDS, now);
        }
    }
    if (c->stage < ROBO__FRAME_GOES || (c->stage == ROBO__FRAME_ENDS && has_ended(c, state, now)))
        return;
    keep_to_path(c, state, now);
}

/* ---- speeds and forces ---- */

/* Returns the share of the velocity that the body can give. */
static double tick_speed(struct robo__cartesian *c, const struct robo_state *state, robo_time now)
{
    const struct robo_description *d = c->port->description;
    double q[ROBO_MAX_DOFS];
    struct robo__twist twist = { .model = c->port->model,
                                 .description = d,
                                 .frame = c->frame,
                                 .dofs = &c->dofs,
                                 .radian = RADIAN,
                                 .own_axes = c->own_axes,
                                 .hold = c->hold };
    memcpy(q, state->position, state->dofs * sizeof *q);
    for (int i = 0; i < 6; i++)
        twist.velocity[i] = c->port->override * c->twist[i];
    const double seconds = passed(c, now);
    for (unsigned i = 0; i < d->joints; i++) {
        const struct robo_joint *j = &d->joint[i];
        for (unsigned k = j->first; k < (unsigned)j->first + j->dofs; k++) {
            if (!robo__dof_set_has(&c->dofs, k) || j->servo & ROBO_SERVO_SPEED)
                continue;
            q[k] = c->reference[k] += c->rate[k] * seconds;
        }
    }
    double share = robo__twist_rates(&twist, q, c->rate, c->on_bus ? c->jacobian : NULL);
    robo__send_speeds(c->bus, &c->dofs, c->rate, c->reference, now);
    return share;
}

static void tick_force(struct robo__cartesian *c, const struct robo_state *state, robo_time now)
{
    const unsigned n = c->port->description->dofs;
    if (c->port->override == 0) { /* a force is no speed: it is whole, or nothing */
        if (c->share > 0)
            robo__send_stop(c->bus, &c->dofs, now);
        c->share = 0;
        return;
    }
    c->share = 1;
    robo_jacobian(c->port->model, state->position, c->frame, NULL, c->jacobian);
    double force = robo__length(c->twist), torque = robo__length(c->twist + 3);
    for (unsigned k = 0; k < n; k++) {
        double lever[6], pull = 0;
        for (unsigned i = 0; i < 6; i++) {
            lever[i] = c->jacobian[i * n + k];
            pull += lever[i] * c->twist[i];
        }
        /* at a dof's greatest speed nothing more than the wrench could do at most, nor so much that the dof would turn
           round before the next tick: so it comes to rest where the wrench leads it */
        double most = robo__length(lever) * force + robo__length(lever + 3) * torque;
        double damping = fmin(most / robo__profile_speed(&c->port->description->dof[k]),
                              c->port->model->inertia[k] / (2 * c->hold));
        c->rate[k] = pull - damping * state->speed[k];
    }
    robo__send_forces(c->bus, &c->dofs, c->rate, now);
}

/* Whether all readings of the dofs are numbers; if not, the dofs are stopped and the command is answered. */
static bool are_numbers(struct robo__cartesian *c, const struct robo_state *state, robo_time now)
{
    bool good = true;
    for (unsigned k = 0; k < c->port->description->dofs; k++)
        if (robo__dof_set_has(&c->dofs, k))
            good &= isfinite(state->position[k]) && isfinite(state->speed[k]);
    if (!good) {
        robo__send_rest(c->bus, &c->dofs, c->reference, now);
        c->servo = 0;
        c->port->ended(c->port, c->ticket, ROBO_ERROR, ROBO_WHY_DEVICE, 0, 0);
    }
    return good;
}

static void tick(struct robo__cartesian *c, robo_time now)
{
    struct robo_state state;
    c->next = c->on_bus ? ROBO_NEVER : now + TICK;
    if (c->refused) {
        robo__send_stop(c->bus, &c->dofs, now);
        c->servo = 0;
        c->port->ended(c->port, c->ticket, c->refused, c->why, 0, 0);
        return;
    }
    c->port->read(c->port, now, &state);
    if (!are_numbers(c, &state, now))
        return;
    if (c->servo == ROBO_SERVO_SETPOINT)
        tick_pose(c, &state, now);
    else if (c->servo == ROBO_SERVO_SPEED)
        tick_speed(c, &state, now);
    else
        tick_force(c, &state, now);
}

/* ---- commands ---- */

/* Clips a vector to a length; false when it was longer. */
static bool clip(double v[3], double most)
{
    double length = robo__length(v);
    if (most <= 0 || length <= most * (1 + 1e-12))
        return true;
    for (int i = 0; i < 3; i++)
        v[i] *= most / length;
    return false;
}

/* The command to the same frame that a command takes over from; servo 0: there is none. */
struct before {
    uint8_t servo;
    bool followed; /* a pose, with the same weight of a radian */
    robo_time asked, last;
};

static struct before look_back(const struct robo__cartesian *c, unsigned number, double radian,
                               robo_time now)
{
    if (c->yielded != now || c->frame != number)
        return (struct before){ 0 };
    return (struct before){
        .servo = c->had,
        .followed = c->had == ROBO_SERVO_SETPOINT && c->stage == ROBO__FRAME_FOLLOWS &&
                    c->radian == radian && c->follow.description == c->port->description,
        .asked = c->asked,
        .last = c->last,
    };
}

/* Begins a motion to a pose. When it takes over from a command to the same frame, the frame follows it, as the poses of a stream;
 * otherwise the dofs brake first. */
static void begin_pose(struct robo__cartesian *c, const struct before *before,
                       const struct robo_state *state, robo_time now)
{
    const struct robo_frame *f = &c->port->description->frame[c->frame];
    const double since = (double)(now - before->asked) * 1e-9,
                 bound = c->bounds.speed > 0 ? c->bounds.speed : HUGE_VAL,
                 pace = fmin(bound, robo__path_speed(f));
    if (before->servo == 0 || c->straight) {
        robo__send_stop(c->bus, &c->dofs, now); /* ends their earlier commands */
        begin_stage(c, ROBO__FRAME_BRAKES, now);
        return;
    }
    if (before->followed)
        c->last = before->last;
    else
        robo__follow_begin(&c->follow, c->port->model, c->port->description, c->frame, &c->dofs,
                           c->radian, c->hold, state->position, state->speed);
    robo__follow_aim(&c->follow, &c->goal,
                     before->servo == ROBO_SERVO_SETPOINT && since < STREAM ? since : -1, pace,
                     robo__path_turn(f) * pace / robo__path_speed(f));
    begin_stage(c, ROBO__FRAME_FOLLOWS, now);
}

/* Reads a place of the root link in the world; height, roll and pitch stay as they are. */
static void read_floor_pose(struct robo__cartesian *c, const struct robo_go_to *goal,
                            const struct robo_pose *root)
{
    double attitude[3];
    robo_rotation_to_attitude(root->rotation, attitude);
    attitude[2] = goal->theta;
    robo__to_reference(c->port->description, (double[]){ goal->x, goal->y, 0 }, attitude, &c->goal);
    c->goal.position[2] = root->position[2];
}

/* Reads the frame's goal from the command. */
static enum robo_reason read_command(struct robo__cartesian *c,
                                     const struct robo_command_kind *kind,
                                     const struct robo_cmd *cmd, const struct robo_pose *root)
{
    const union robo_cmd_body *b = &cmd->body;
    const struct robo_frame *f = &c->port->description->frame[c->frame];
    bool whole = true;
    if (kind->goal && kind->moves == ROBO_MOVES_ROOT) {
        read_floor_pose(c, &b->go_to, root);
    } else if (kind->goal) {
        memcpy(c->goal.position, b->frame.linear, sizeof c->goal.position);
        robo_attitude_to_rotation(b->frame.angular, c->goal.rotation);
    } else if (kind->moves == ROBO_MOVES_ROOT) {
        c->own_axes = true;
        memcpy(c->twist, (double[]){ b->set_speed.x, b->set_speed.y, 0, 0, 0, b->set_speed.theta },
               sizeof c->twist);
    } else {
        memcpy(c->twist, b->frame.linear, sizeof b->frame.linear);
        memcpy(c->twist + 3, b->frame.angular, sizeof b->frame.angular);
    }
    if (c->servo == ROBO_SERVO_SPEED) {
        whole = clip(c->twist, f->speed);
        whole &= clip(c->twist + 3, f->turn);
    }
    return whole ? ROBO_WHY_NONE : ROBO_WHY_LIMIT;
}

/* The bits of a pose. */
enum { FREE = 1, STRAIGHT = 2 };

static bool has_bit(const struct robo_command_kind *kind, const struct robo_cmd *cmd, unsigned bit)
{
    return kind->moves == ROBO_MOVES_FRAME && kind->goal && cmd->body.frame.free & bit;
}

/* How many m a radian counts; 0: any attitude will do. */
static double radian_of(const struct robo_command_kind *kind, const struct robo_cmd *cmd,
                        const struct robo__dof_set *dofs)
{
    unsigned count = 0;
    for (unsigned i = 0; i < dofs->words; i++)
        count += (unsigned)__builtin_popcountll(dofs->word[i]);
    return has_bit(kind, cmd, FREE) ? 0 : count >= 3 && count < 6 ? LITTLE_RADIAN : RADIAN;
}

static bool is_zero(const double v[6])
{
    for (int i = 0; i < 6; i++)
        if (v[i] != 0)
            return false;
    return true;
}

void robo__frames_refused(struct robo__frames *frames, unsigned device, enum robo_signal signal,
                          enum robo_reason reason)
{
    for (int i = 0; i < ROBO__CARTESIANS; i++) {
        struct robo__cartesian *c = &frames->frame[i];
        const struct robo_description *d = c->servo ? c->port->description : NULL;
        for (unsigned k = 0; d && !c->refused && k < d->joints; k++) {
            if (d->joint[k].device != device || !robo__dof_set_mask(&c->dofs, &d->joint[k]))
                continue;
            c->refused = (uint8_t)signal;
            c->why = (uint8_t)reason;
        }
    }
}

unsigned robo__frames_room(const struct robo__frames *frames, const struct robo__dof_set *dofs)
{
    unsigned room = 0;
    for (int i = 0; i < ROBO__CARTESIANS; i++)
        room += frames->frame[i].servo == 0 || robo__dof_set_meet(&frames->frame[i].dofs, dofs);
    return room;
}

/* A free one, if possible that in which the same frame has just moved. */
static struct robo__cartesian *find_room(struct robo__frames *frames, unsigned number,
                                         robo_time now)
{
    struct robo__cartesian *room = NULL;
    for (int i = 0; i < ROBO__CARTESIANS; i++) {
        struct robo__cartesian *c = &frames->frame[i];
        if (c->servo == 0 && (!room || (c->yielded == now && c->frame == number)))
            room = c;
    }
    return room;
}

enum robo_reason robo__frames_begin(struct robo__frames *frames, const struct robo_cmd *cmd,
                                    const struct robo__dof_set *dofs, robo_ticket ticket,
                                    robo_time now)
{
    const struct robo_command_kind *kind = robo__command_of(cmd->op);
    const unsigned number = kind->moves == ROBO_MOVES_FRAME ? cmd->body.frame.frame : 0;
    const double radian = radian_of(kind, cmd, dofs);
    struct robo__cartesian *c = find_room(frames, number, now);
    if (!c)
        return ROBO_WHY_AXIS;
    const struct before before = look_back(c, number, radian, now);
    memset(c, 0, offsetof(struct robo__cartesian, jacobian));
    c->port = frames->stage.port;
    c->bus = frames->bus;
    c->servo = kind->servo;
    c->frame = (uint16_t)number;
    robo__dof_set_copy(&c->dofs, dofs);
    c->ticket = ticket;
    c->next = c->last = c->since = c->asked = now;
    c->on_bus = robo__bus_has(c->bus, dofs);
    c->hold = c->on_bus ? robo__bus_hold(c->bus) : TICK_SECONDS;
    c->radian = radian;
    c->straight = has_bit(kind, cmd, STRAIGHT);
    c->bounds = robo__command_bounds(kind, cmd);
    c->clipped = c->bounds.speed > robo__path_speed(&c->port->description->frame[c->frame]);
    struct robo_state state;
    struct robo_pose pose;
    c->port->read(c->port, now, &state);
    memcpy(c->reference, state.position, state.dofs * sizeof *c->reference);
    memcpy(c->rate, state.speed, state.dofs * sizeof *c->rate);
    c->share = stands(c, &state) ? c->port->override : 1;
    robo_frame_pose(c->port->model, state.position, c->frame, &pose);
    enum robo_reason why = read_command(c, kind, cmd, &pose);
    if (c->servo != ROBO_SERVO_SETPOINT && is_zero(c->twist)) {
        if (c->servo == ROBO_SERVO_FORCE)
            robo__send_forces(c->bus, dofs, none, now);
        else
            robo__send_stop(c->bus, dofs, now);
        c->servo = 0;
        return why;
    }
    if (c->on_bus)
        robo__bus_wake(c->bus, now);
    if (!are_numbers(c, &state, now))
        return why;
    if (c->servo == ROBO_SERVO_SETPOINT)
        begin_pose(c, &before, &state, now);
    if (c->servo == ROBO_SERVO_SPEED) {
        c->next = c->on_bus ? ROBO_NEVER : now + TICK;
        /* the body cannot reach that speed; a twentieth is lost to damping near its limit */
        if (tick_speed(c, &state, now) < 0.95)
            why = ROBO_WHY_LIMIT;
    } else if (!c->on_bus) {
        tick(c, now);
    }
    return why;
}

/* ---- the stage ---- */

static struct robo__frames *frames_of(struct robo__stage *stage)
{
    return robo__container_of(stage, struct robo__frames, stage);
}

static void yield(struct robo__stage *stage, const struct robo__dof_set *dofs, robo_time now)
{
    struct robo__frames *frames = frames_of(stage);
    for (int i = 0; i < ROBO__CARTESIANS; i++) {
        struct robo__cartesian *c = &frames->frame[i];
        if (c->servo == 0 || (dofs && !robo__dof_set_meet(&c->dofs, dofs)))
            continue;
        if (dofs) {
            robo__dof_set_subtract(&c->dofs, dofs);
            robo__send_stop(c->bus, &c->dofs, now);
            c->had = c->servo;
            c->yielded = now;
        }
        c->servo = 0;
    }
}

static void forget(struct robo__stage *stage, unsigned devices)
{
    struct robo__frames *frames = frames_of(stage);
    const struct robo_description *d = stage->port->description;
    for (int i = 0; i < ROBO__CARTESIANS; i++) {
        struct robo__cartesian *c = &frames->frame[i];
        for (unsigned k = 0; c->servo && k < d->joints; k++) {
            const struct robo_joint *j = &d->joint[k];
            if (devices >> j->device & 1 && robo__dof_set_mask(&c->dofs, j))
                c->servo = 0;
        }
    }
}

static robo_time due_at(const struct robo__stage *stage)
{
    const struct robo__frames *frames = robo__container_of(stage, const struct robo__frames, stage);
    robo_time due = ROBO_NEVER;
    for (int i = 0; i < ROBO__CARTESIANS; i++)
        if (frames->frame[i].servo && frames->frame[i].next < due)
            due = frames->frame[i].next;
    return due;
}

static void run(struct robo__stage *stage, robo_time now)
{
    struct robo__frames *frames = frames_of(stage);
    for (int i = 0; i < ROBO__CARTESIANS; i++)
        if (frames->frame[i].servo && frames->frame[i].next <= now)
            tick(&frames->frame[i], now);
}

void robo__frames_init(struct robo__frames *frames, struct robo__port *port, struct robo__bus *bus,
                       struct robo__cartesian *room)
{
    static const struct robo__stage_kind kind = {
        .due = due_at, .run = run, .yield = yield, .forget = forget
    };
    frames->stage = (struct robo__stage){ &kind, port };
    frames->bus = bus;
    frames->frame = room;
}

bool robo__frames_slot(struct robo__frames *frames, robo_time now)
{
    bool any = false;
    for (int i = 0; i < ROBO__CARTESIANS; i++) {
        struct robo__cartesian *c = &frames->frame[i];
        if (c->servo == 0 || !c->on_bus)
            continue;
        any = true;
        tick(c, now);
    }
    return any;
}
