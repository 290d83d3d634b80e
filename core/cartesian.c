/* Control frames in Cartesian space. */
#include "cartesian.h"

#include <math.h>
#include <string.h>

#include "linear.h"
#include "model.h"
#include "robot.h"
#include "time.h"

static const robo_time BEAT = 4 * 1000000;
static const double BEAT_SECONDS = 0.004;
static const double SPEED = 0.25, TURN = 0.8; /* of a frame that says nothing: m/s, rad/s */
static const double GAIN = 10;                /* 1/s, by which errors are taken back */
static const double DAMPING = 0.01;           /* m: below such a singular value it gives way */
static const double RADIAN = 0.3;             /* m that a radian counts */
static const double LEAD = 0.1;               /* s that a set-point is ahead of the way */
static const double CLOSE = 1e-5;             /* m, or RADIAN times rad: arrived */
static const robo_time PATIENCE =
    500 * 1000000; /* without coming closer: this is as far as it gets */

uint64_t robo__cartesian_dofs(const struct robo_description *d, unsigned frame)
{
    uint64_t dofs = 0;
    unsigned link = frame < d->frames ? d->frame[frame].link : ROBO_WORLD;
    for (unsigned steps = 0; link != ROBO_WORLD && steps <= d->links; steps++) {
        unsigned parent = ROBO_WORLD;
        for (unsigned i = 0; i < d->joints; i++) {
            const struct robo_joint *j = &d->joint[i];
            if (j->child != link)
                continue;
            parent = j->parent;
            for (unsigned k = j->first; k < (unsigned)j->first + j->dofs; k++)
                if (!d->dof[k].mimics)
                    dofs |= (uint64_t)1 << k;
        }
        link = parent;
    }
    return dofs;
}

bool robo__cartesian_root(const struct robo_description *d)
{
    for (unsigned i = 0; i < d->devices; i++)
        if (d->device[i].base)
            return false;
    return d->joints > 0 && d->joint[0].dofs > 0;
}

/* ---- to the joints ---- */

/* One servo command to each joint that has some of the dofs; value: of all dofs. */
static void command(robo_robot *robot, const struct robo__cartesian *c, uint64_t dofs,
                    const double *rate, bool force, robo_time now)
{
    const struct robo_description *d = robot->description;
    for (unsigned i = 0; i < d->joints; i++) {
        const struct robo_joint *j = &d->joint[i];
        struct robo_cmd cmd = { .op = ROBO_SET_JOINT_FORCE };
        /* the three servo commands begin with the same joint, mask and value */
        struct robo_set_joint *body = &cmd.body.set_joint;
        bool speed = j->servo & ROBO_SERVO_SPEED;
        if (!force)
            cmd.op = speed ? ROBO_SET_JOINT_SPEED : ROBO_SET_JOINT;
        body->joint = (uint8_t)i;
        for (unsigned k = 0; k < j->dofs; k++) {
            unsigned n = j->first + k;
            if (!(dofs >> n & 1))
                continue;
            body->mask |= (uint8_t)(1u << k);
            body->value[k] = rate[n];
            if (!force && !speed) {
                const struct robo_dof *dof = &d->dof[n];
                double x = c->reference[n] + rate[n] * LEAD;
                body->value[k] = dof->low <= dof->high ? fmin(fmax(x, dof->low), dof->high) : x;
                body->speed = fmax(body->speed, fmax(fabs(rate[n]), 1e-3));
            }
        }
        if (body->mask)
            /* nobody waits: ticket 0 is stale */
            robo__device_start(robot->device[j->device], &cmd, 0, now);
    }
}

static void halt(robo_robot *robot, struct robo__cartesian *c, uint64_t dofs, robo_time now)
{
    static const double none[ROBO_MAX_DOFS];
    command(robot, c, dofs, none, c->op == ROBO_SET_FRAME_FORCE, now);
}

/* ---- beats ---- */

struct beat {
    struct robo_pose pose;
    double jacobian[6 * ROBO_MAX_DOFS];
    double q[ROBO_MAX_DOFS]; /* where dofs are, or are meant to be */
    double rate[ROBO_MAX_DOFS];
};

static void look(robo_robot *robot, struct robo__cartesian *c, struct beat *b, robo_time now)
{
    const struct robo_description *d = robot->description;
    struct robo_state state;
    robo__robot_read(robot, now, &state);
    memcpy(b->q, state.position, sizeof b->q);
    for (unsigned i = 0; i < d->joints; i++) {
        const struct robo_joint *j = &d->joint[i];
        for (unsigned k = j->first; k < (unsigned)j->first + j->dofs; k++)
            if (c->dofs >> k & 1 && !(j->servo & ROBO_SERVO_SPEED))
                b->q[k] = c->reference[k];
    }
    robo_jacobian(robot->model, b->q, c->frame, &b->pose, b->jacobian);
    if (c->on_bus)
        memcpy(c->jacobian, b->jacobian, 6 * d->dofs * sizeof(double));
}

static double size_of(const struct robo__cartesian *c, const double twist[6])
{
    double sum = 0;
    for (int i = 0; i < 6; i++)
        sum += twist[i] * twist[i] * (i < 3 ? 1 : c->radian * c->radian);
    return sqrt(sum);
}

/* How much of the wanted twist these speeds give, along it. */
static double share_of(const struct beat *b, unsigned n, const bool *use, const double wanted[6])
{
    double along = 0, whole = 0;
    for (unsigned i = 0; i < 6; i++) {
        double given = 0;
        for (unsigned k = 0; k < n; k++)
            given += use[k] ? b->jacobian[i * n + k] * b->rate[k] : 0;
        along += given * wanted[i];
        whole += wanted[i] * wanted[i];
    }
    return whole > 0 ? along / whole : 1;
}

/* Speeds of the dofs for that twist of the frame, such that none leaves its limits within the beat; all are slowed
 * down until none is too fast. Returns what is left of the speed, 0 to 1. */
static double resolve(const robo_robot *robot, struct robo__cartesian *c, struct beat *b,
                      const double twist[6], double dt)
{
    const struct robo_description *d = robot->description;
    const unsigned n = d->dofs;
    bool use[ROBO_MAX_DOFS] = { false };
    double weighted[6], least[ROBO_MAX_DOFS] = { 0 }, most[ROBO_MAX_DOFS] = { 0 }, slower = 1;
    for (unsigned i = 0; i < 6; i++) {
        double weight = i < 3 ? 1 : c->radian;
        weighted[i] = twist[i] * weight;
        for (unsigned k = 0; i >= 3 && k < n; k++)
            b->jacobian[i * n + k] *= weight;
    }
    for (unsigned k = 0; k < n; k++) {
        const struct robo_dof *dof = &d->dof[k];
        bool limited = dof->low <= dof->high;
        use[k] = c->dofs >> k & 1;
        least[k] = !use[k] ? 0 : limited ? fmin(0, (dof->low - b->q[k]) / dt) : -HUGE_VAL;
        most[k] = !use[k] ? 0 : limited ? fmax(0, (dof->high - b->q[k]) / dt) : HUGE_VAL;
    }
    robo__bounded_solve(b->jacobian, n, weighted, DAMPING, least, most, b->rate);
    for (unsigned k = 0; k < n; k++)
        if (d->dof[k].speed > 0 && fabs(b->rate[k]) * slower > d->dof[k].speed)
            slower = d->dof[k].speed / fabs(b->rate[k]);
    for (unsigned k = 0; k < n; k++)
        b->rate[k] *= slower;
    c->share = share_of(b, n, use, weighted);
    return slower;
}

/* Where the way is at its phase, 10 t^3 - 15 t^4 + 6 t^5, at rest at both ends; and how fast in the middle of the next
 * dt, which is what a speed that is held so long should be. */
static void along(const struct robo__cartesian *c, double dt, struct robo_pose *pose,
                  double twist[6])
{
    double t = fmin(c->phase / c->length, 1), m = fmin((c->phase + dt / 2) / c->length, 1);
    double s = t * t * t * (10 + t * (6 * t - 15));
    double v = 30 * m * m * (1 - m) * (1 - m) / c->length;
    double turn[9];
    for (int i = 0; i < 3; i++) {
        double way = c->goal.position[i] - c->from.position[i];
        pose->position[i] = c->from.position[i] + s * way;
        twist[i] = v * way;
        twist[3 + i] = v * c->angle * c->axis[i];
    }
    robo__rotation_about(c->axis, s * c->angle, turn);
    robo__rotate(turn, c->from.rotation, pose->rotation);
}

static void finish(robo_robot *robot, struct robo__cartesian *c, enum robo_signal signal,
                   enum robo_reason reason, robo_time now)
{
    robo_ticket ticket = c->ticket;
    halt(robot, c, c->dofs, now);
    c->op = 0;
    robo__motion_done(robot, ticket, signal, reason);
}

/* How far the joints themselves are from the goal: set-points may be there before they are. */
static double remaining(robo_robot *robot, const struct robo__cartesian *c, robo_time now)
{
    struct robo_state state;
    struct robo_pose pose;
    double error[6];
    robo__robot_read(robot, now, &state);
    robo_frame_pose(robot->model, state.position, c->frame, &pose);
    robo__pose_difference(&pose, &c->goal, error);
    return size_of(c, error);
}

static void beat_pose(robo_robot *robot, struct robo__cartesian *c, struct beat *b, double dt,
                      robo_time now)
{
    struct robo_pose wanted;
    double twist[6], error[6];
    if (c->phase >= c->length) {
        double left = remaining(robot, c, now);
        if (left < CLOSE) {
            finish(robot, c, ROBO_SUCCESS, ROBO_WHY_NONE, now);
            return;
        }
        if (left < 0.98 * c->best) {
            c->best = left;
            c->improved = now;
        } else if (now - c->improved > PATIENCE) {
            finish(robot, c, ROBO_MODIFIED, ROBO_WHY_LIMIT, now);
            return;
        }
    }
    /* errors fall as with GAIN, though a speed is held for dt */
    double gain = (1 - exp(-GAIN * dt)) / dt;
    along(c, dt, &wanted, twist);
    robo__pose_difference(&b->pose, &wanted, error);
    for (int i = 0; i < 6; i++)
        twist[i] += gain * error[i];
    double slower = resolve(robot, c, b, twist, dt);
    if (c->phase < c->length) {
        c->phase += slower * dt;
        c->improved = now;
    }
    for (unsigned k = 0; k < robot->description->dofs; k++)
        c->reference[k] = b->q[k] + b->rate[k] * dt;
    command(robot, c, c->dofs, b->rate, false, now);
}

static void beat(robo_robot *robot, struct robo__cartesian *c, double dt, robo_time now)
{
    struct beat b;
    double twist[6];
    c->next = c->on_bus ? ROBO_NEVER : now + BEAT;
    look(robot, c, &b, now);
    if (c->op == ROBO_SET_FRAME) {
        beat_pose(robot, c, &b, dt, now);
        return;
    }
    memcpy(twist, c->twist, sizeof twist);
    if (c->own_axes) {
        robo__turn(b.pose.rotation, c->twist, twist);
        robo__turn(b.pose.rotation, c->twist + 3, twist + 3);
    }
    if (c->op == ROBO_SET_FRAME_SPEED) {
        resolve(robot, c, &b, twist, dt);
        for (unsigned k = 0; k < robot->description->dofs; k++)
            c->reference[k] = b.q[k] + b.rate[k] * dt;
        command(robot, c, c->dofs, b.rate, false, now);
        return;
    }
    const unsigned n = robot->description->dofs;
    for (unsigned k = 0; k < n; k++) {
        b.rate[k] = 0;
        for (unsigned i = 0; i < 6; i++)
            b.rate[k] += b.jacobian[i * n + k] * twist[i];
    }
    command(robot, c, c->dofs, b.rate, true, now);
}

/* ---- commands ---- */

/* Clips a vector to a length; false when it was longer. */
static bool clip(double v[3], double most)
{
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (most <= 0 || length <= most * (1 + 1e-12))
        return true;
    for (int i = 0; i < 3; i++)
        v[i] *= most / length;
    return false;
}

static void plan_way(const robo_robot *robot, struct robo__cartesian *c,
                     const struct robo_pose *now)
{
    const struct robo_frame *f = &robot->description->frame[c->frame];
    double way[6], speed = f->speed > 0 ? f->speed : SPEED, turn = f->turn > 0 ? f->turn : TURN;
    c->from = *now;
    robo__pose_difference(&c->from, &c->goal, way);
    double far = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
    c->angle = c->radian > 0 ? sqrt(way[3] * way[3] + way[4] * way[4] + way[5] * way[5]) : 0;
    for (int i = 0; i < 3; i++)
        c->axis[i] = c->angle > 1e-12 ? way[3 + i] / c->angle : i == 2;
    /* the way's greatest speed is 1.875 times its mean */
    c->length = fmax(0.05, 1.875 * fmax(far / speed, c->angle / turn));
    c->phase = 0;
    c->best = HUGE_VAL;
}

/* What the command asks of which frame. */
static enum robo_reason read_command(const robo_robot *robot, const struct robo_cmd *cmd,
                                     const struct robo_pose *root, struct robo__cartesian *c)
{
    const union robo_body *b = &cmd->body;
    const struct robo_frame *f = &robot->description->frame[c->frame];
    double attitude[3];
    bool whole = true;
    switch (cmd->op) {
    case ROBO_SET_FRAME:
        memcpy(c->goal.position, b->set_frame.position, sizeof c->goal.position);
        robo_attitude_to_rotation(b->set_frame.attitude, c->goal.rotation);
        break;
    case ROBO_GO_TO:
        /* in the world; height, roll and pitch stay as they are */
        c->op = ROBO_SET_FRAME;
        robo_rotation_to_attitude(root->rotation, attitude);
        attitude[2] = b->go_to.theta;
        robo__robot_to_reference(robot, (double[]){ b->go_to.x, b->go_to.y, 0 }, attitude,
                                 &c->goal);
        c->goal.position[2] = root->position[2];
        break;
    case ROBO_SET_SPEED:
        c->op = ROBO_SET_FRAME_SPEED;
        c->own_axes = true;
        memcpy(c->twist, (double[]){ b->set_speed.x, b->set_speed.y, 0, 0, 0, b->set_speed.theta },
               sizeof c->twist);
        break;
    case ROBO_SET_FRAME_SPEED:
        memcpy(c->twist, b->set_frame_speed.linear, 3 * sizeof(double));
        memcpy(c->twist + 3, b->set_frame_speed.angular, 3 * sizeof(double));
        break;
    default:
        memcpy(c->twist, b->set_frame_force.force, 3 * sizeof(double));
        memcpy(c->twist + 3, b->set_frame_force.torque, 3 * sizeof(double));
        break;
    }
    if (c->op == ROBO_SET_FRAME_SPEED) {
        whole = clip(c->twist, f->speed);
        whole &= clip(c->twist + 3, f->turn);
    }
    return whole ? ROBO_WHY_NONE : ROBO_WHY_LIMIT;
}

static unsigned frame_of(const struct robo_cmd *cmd)
{
    /* the three commands to frames begin with the same number */
    return cmd->op == ROBO_GO_TO || cmd->op == ROBO_SET_SPEED ? 0 : cmd->body.set_frame.frame;
}

enum robo_reason robo__cartesian_begin(robo_robot *robot, const struct robo_cmd *cmd, uint64_t dofs,
                                       robo_ticket ticket, robo_time now)
{
    struct robo__cartesian *c = NULL;
    for (int i = 0; i < ROBO__CARTESIANS && !c; i++)
        if (robot->cartesian[i].op == 0)
            c = &robot->cartesian[i];
    if (!c)
        return ROBO_WHY_AXIS;
    *c = (struct robo__cartesian){ .op = cmd->op,
                                   .frame = (uint8_t)frame_of(cmd),
                                   .dofs = dofs,
                                   .ticket = ticket,
                                   .next = now,
                                   .on_bus = robo__bus_has(robot, dofs),
                                   .radian = cmd->op == ROBO_SET_FRAME && cmd->body.set_frame.free
                                                 ? 0
                                                 : RADIAN };
    struct robo_state state;
    struct robo_pose pose;
    robo__robot_read(robot, now, &state);
    memcpy(c->reference, state.position, sizeof c->reference);
    robo_frame_pose(robot->model, state.position, c->frame, &pose);
    enum robo_reason why = read_command(robot, cmd, &pose, c);
    if (c->op == ROBO_SET_FRAME) {
        plan_way(robot, c, &pose);
    } else if (size_of(c, c->twist) == 0) {
        halt(robot, c, dofs, now);
        c->op = 0;
        return why;
    }
    if (c->on_bus)
        robo__bus_wake(robot, now);
    if (!c->on_bus || c->op == ROBO_SET_FRAME_SPEED)
        beat(robot, c, c->on_bus ? robot->bus.period : BEAT_SECONDS, now);
    /* what the body cannot give; a twentieth is lost to damping near what it can */
    bool less = c->op == ROBO_SET_FRAME_SPEED && c->share < 0.95;
    return less ? ROBO_WHY_LIMIT : why;
}

void robo__cartesian_yield(robo_robot *robot, uint64_t dofs, robo_time now)
{
    for (int i = 0; i < ROBO__CARTESIANS; i++) {
        struct robo__cartesian *c = &robot->cartesian[i];
        if (c->op == 0 || !(c->dofs & dofs))
            continue;
        if (dofs != UINT64_MAX)
            halt(robot, c, c->dofs & ~dofs, now);
        c->op = 0;
    }
}

void robo__cartesian_forget(robo_robot *robot, unsigned devices)
{
    const struct robo_description *d = robot->description;
    for (int i = 0; i < ROBO__CARTESIANS; i++) {
        struct robo__cartesian *c = &robot->cartesian[i];
        for (unsigned k = 0; c->op && k < d->joints; k++) {
            const struct robo_joint *j = &d->joint[k];
            uint64_t own = (((uint64_t)1 << j->dofs) - 1) << j->first;
            if (j->dofs && devices >> j->device & 1 && c->dofs & own)
                c->op = 0;
        }
    }
}

robo_time robo__cartesian_due(const robo_robot *robot)
{
    robo_time due = ROBO_NEVER;
    for (int i = 0; i < ROBO__CARTESIANS; i++)
        if (robot->cartesian[i].op && robot->cartesian[i].next < due)
            due = robot->cartesian[i].next;
    return due;
}

void robo__cartesian_run(robo_robot *robot, robo_time now)
{
    for (int i = 0; i < ROBO__CARTESIANS; i++)
        if (robot->cartesian[i].op && robot->cartesian[i].next <= now)
            beat(robot, &robot->cartesian[i], BEAT_SECONDS, now);
}

bool robo__cartesian_slot(robo_robot *robot, robo_time now, double period)
{
    bool any = false;
    for (int i = 0; i < ROBO__CARTESIANS; i++) {
        struct robo__cartesian *c = &robot->cartesian[i];
        if (c->op == 0 || !c->on_bus)
            continue;
        any = true;
        beat(robot, c, period, now);
    }
    return any;
}
