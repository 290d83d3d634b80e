/* A base whose wheels are servos: speeds of the wheels from those of the base, and its pose from what they have turned. */
#include <math.h>

#include "base/command.h"
#include "device.h"
#include "robotalk/device.h"

static const double NEAR = 0.02, ALIKE = 0.03; /* m and rad within which a goal is reached */
static const robo_time LOOK = 10 * 1000000;    /* between two looks whether it is there */
static const robo_time PATIENCE = 1000000000;  /* a base that is not there by then gets no closer */

void robo__servos_base_init(struct robo__servos *d, robo_time now)
{
    struct robo__servos_base *b = &d->base;
    const struct robo_state *before = robo_device_before(d->device);
    robo__sim_base_init(&b->wish, robo_device_description(d->device), now);
    if (before)
        robo__sim_base_resume(&b->wish, before);
    b->looked = now;
    b->pose[0] = b->wish.x;
    b->pose[1] = b->wish.y;
    b->pose[2] = b->wish.theta;
    b->known = false;
}

/* ---- its motion ---- */

/* Without one of its wheels it would go elsewhere. */
static bool is_ready(const struct robo__servos *d)
{
    bool ready = true;
    for (size_t i = d->dofs.count; i < d->count; i++)
        ready &= d->joint[i].stage == ROBO__SERVOS_LIVE;
    return ready;
}

static bool stands(const struct robo__servos_base *b)
{
    return b->wish.v[0] == 0 && b->wish.v[1] == 0 && b->wish.v[2] == 0;
}

/* Goes on to now, or waits for its wheels, at rest. Whether it goes on. */
static bool come_to(struct robo__servos *d, robo_time now)
{
    struct robo__servos_base *b = &d->base;
    const robo_time since = b->looked > b->wish.since ? b->looked : b->wish.since;
    const bool goes = d->halted || is_ready(d);
    if (!goes && !stands(b))
        robo__sim_base_halt(&b->wish);
    if (!goes && now > since)
        robo__sim_base_wait(&b->wish, now - since);
    if (goes)
        robo__sim_base_cut(&b->wish, now);
    if (now > b->looked)
        b->looked = now;
    return goes;
}

/* Its steered point, as a pose: the axle of wheels that roll one way. */
static void steer(const struct robo__servos_base *b, const double pose[3], double out[3])
{
    const double axle = b->holonomic ? 0 : b->wheels.axle;
    out[0] = pose[0] + axle * cos(pose[2]);
    out[1] = pose[1] + axle * sin(pose[2]);
    out[2] = pose[2];
}

/* The share of a velocity with which no wheel exceeds its greatest speed; and how fast they turn without. */
static double scale(const struct robo__servos *d, const double v[3], double *turn)
{
    double share = 1;
    robo__wheels_turn(&d->base.wheels, v, turn);
    for (size_t i = d->dofs.count; i < d->count; i++)
        share = fmin(share, d->joint[i].most / fabs(turn[d->joint[i].index]));
    return share;
}

void robo__servos_base_roll(struct robo__servos *d, robo_time now)
{
    struct robo__servos_base *b = &d->base;
    double place[3], chased[3], turn[ROBO__MOST_WHEELS];
    const bool goes = come_to(d, now);
    steer(b, b->pose, place);
    robo__sim_base_chase(&b->wish, b->holonomic, place, chased);
    const double share = scale(d, b->chases ? chased : b->wish.v, turn);
    for (size_t i = d->dofs.count; i < d->count; i++)
        d->joint[i].roll = goes ? share * turn[d->joint[i].index] : 0;
}

/* ---- odometry ---- */

void robo__servos_base_reckon(struct robo__servos *d)
{
    struct robo__servos_base *b = &d->base;
    double step[ROBO__MOST_WHEELS] = { 0 }, moved[3];
    bool fresh = true;
    for (size_t i = d->dofs.count; i < d->count; i++) {
        fresh &= d->joint[i].fresh;
        b->known &= d->joint[i].stage != ROBO__SERVOS_ABSENT; /* it turns on, unknown how often */
    }
    for (size_t i = d->dofs.count; i < d->count && fresh; i++) {
        struct robo__servos_joint *j = &d->joint[i];
        const double at = j->value[ROBO__SERVOS_POSITION];
        /* within a turn of the shaft, since some count their turns and others do not */
        step[j->index] = remainder(at - j->rolled, 2 * M_PI * fabs(j->servo.scale));
        j->rolled = at;
        j->fresh = false;
    }
    if (!fresh)
        return;
    robo__wheels_move(&b->wheels, step, moved);
    if (b->known)
        robo__wheels_reckon(b->pose, moved);
    b->known = true;
}

void robo__servos_base_read(const struct robo__servos *d, struct robo_state *out)
{
    const struct robo__servos_base *b = &d->base;
    const struct robo_description *is = robo_device_description(d->device);
    double turn[ROBO__MOST_WHEELS] = { 0 }, v[3];
    if (!b->present)
        return;
    for (size_t i = d->dofs.count; i < d->count; i++) {
        const struct robo__servos_joint *j = &d->joint[i];
        if (j->stage != ROBO__SERVOS_ABSENT && isfinite(j->value[ROBO__SERVOS_SPEED]))
            turn[j->index] = j->value[ROBO__SERVOS_SPEED];
    }
    robo__wheels_move(&b->wheels, turn, v);
    out->pose[0] = b->pose[0];
    out->pose[1] = b->pose[1];
    out->pose[2] = is->links > 0 ? is->link[0].position[2] : 0; /* it stays at its height */
    out->attitude[2] = b->pose[2];
    out->twist[0] = v[0];
    out->twist[1] = v[1];
    out->spin[2] = v[2];
    if (!stands(b))
        out->moving = 1;
}

/* ---- commands ---- */

static void set_speed(struct robo__servos *d, const struct robo_set_speed *wanted,
                      robo_ticket ticket)
{
    struct robo__servos_base *b = &d->base;
    double v[3] = { wanted->x, wanted->y, wanted->theta }, turn[ROBO__MOST_WHEELS], share = 1;
    enum robo_reason why = ROBO_WHY_NONE;
    if (!b->holonomic && v[1] != 0) {
        v[1] = 0;
        why = ROBO_WHY_HOLONOMIC;
    }
    for (int i = 0; i < 3; i++)
        if (fabs(v[i]) > b->wish.limit[i])
            share = fmin(share, b->wish.limit[i] / fabs(v[i]));
    share = fmin(share, scale(d, v, turn));
    /* as a whole, so that it goes where it should */
    for (int i = 0; i < 3; i++)
        v[i] *= share;
    if (share < 1 - 1e-9 && !why)
        why = ROBO_WHY_LIMIT;
    robo__sim_base_set_speed(&b->wish, v);
    robo_done(d->device, ticket, why ? ROBO_MODIFIED : ROBO_SUCCESS, why);
}

/* Its motion begins where it is. */
static void go_to(struct robo__servos_base *b, const struct robo_go_to *wanted)
{
    double at[3];
    struct robo_go_to goal = *wanted;
    steer(b, b->pose, at);
    b->wish.x = at[0];
    b->wish.y = at[1];
    b->wish.theta = at[2];
    steer(b, (double[3]){ wanted->x, wanted->y, wanted->theta }, b->goal);
    goal.x = b->goal[0];
    goal.y = b->goal[1];
    b->clipped = !robo__sim_base_go_to(&b->wish, &goal);
    b->chases = true;
}

void robo__servos_base_start(struct robo__servos *d, const struct robo_cmd *cmd, robo_ticket ticket,
                             robo_time now)
{
    struct robo__servos_base *b = &d->base;
    come_to(d, now);
    b->ticket = 0;
    b->over = 0;
    b->clipped = b->chases = false;
    if (cmd->op == ROBO_SET_SPEED) {
        set_speed(d, &cmd->body.set_speed, ticket);
        return;
    }
    b->ticket = ticket;
    if (cmd->op == ROBO_GO_TO)
        go_to(b, &cmd->body.go_to);
    else
        robo__sim_base_stop(&b->wish);
}

static robo_time finish(struct robo__servos *d, bool modified)
{
    const robo_ticket ticket = d->base.ticket;
    d->base.ticket = 0;
    d->base.chases = false;
    if (!robo__dofs_wait(&d->dofs, (unsigned)robo_device_index(d->device), ticket))
        robo_done(d->device, ticket, modified ? ROBO_MODIFIED : ROBO_SUCCESS,
                  modified ? ROBO_WHY_LIMIT : ROBO_WHY_NONE);
    return ROBO_NEVER;
}

static bool is_there(const struct robo__servos_base *b)
{
    double at[3];
    steer(b, b->pose, at);
    return hypot(b->goal[0] - at[0], b->goal[1] - at[1]) <= NEAR &&
           fabs(remainder(b->goal[2] - at[2], 2 * M_PI)) <= ALIKE;
}

robo_time robo__servos_base_advance(struct robo__servos *d, robo_time now)
{
    struct robo__servos_base *b = &d->base;
    if (!b->ticket)
        return ROBO_NEVER;
    const bool goes = come_to(d, now);
    if (!goes && b->wish.braking) { /* it stands already */
        robo__sim_base_halt(&b->wish);
        return finish(d, false);
    }
    if (!goes)
        return now + LOOK;
    if (b->wish.stage != ROBO__SIM_FREE)
        return robo__sim_base_end(&b->wish);
    if (!b->chases || is_there(b))
        return finish(d, b->clipped);
    if (b->over == 0)
        b->over = now;
    return now - b->over < PATIENCE ? now + LOOK : finish(d, true);
}

void robo__servos_base_halt(struct robo__servos *d, bool brakes, robo_time now)
{
    struct robo__servos_base *b = &d->base;
    if (stands(b) && !is_ready(d)) /* what waits for a wheel does not begin by the halt */
        robo__sim_base_halt(&b->wish);
    come_to(d, now);
    b->ticket = 0;
    b->chases = false;
    (brakes ? robo__sim_base_stop : robo__sim_base_halt)(&b->wish);
}

void robo__servos_base_override(struct robo__servos *d, double share, robo_time now)
{
    come_to(d, now);
    robo__sim_base_override(&d->base.wish, share);
}
