/* The base of a device of `physics`, by wheels or legs: its commands, and when they are over. */
#include <math.h>
#include <stdio.h>

#include "device.h"
#include "robot/reports.h"

static void finish_base(struct robo__physics *p, enum robo_signal signal, enum robo_reason reason)
{
    const robo_ticket ticket = p->base_ticket;
    p->base_ticket = 0;
    if (ticket && !robo__dofs_wait(&p->dofs, (unsigned)robo_device_index(p->device), ticket))
        robo_done(p->device, ticket, signal, reason);
}

static void set_speed(struct robo__physics *p, const struct robo_set_speed *wanted,
                      robo_ticket ticket, robo_time now)
{
    double v[3] = { wanted->x, wanted->y, wanted->theta };
    enum robo_reason why = ROBO_WHY_NONE;
    if (p->stride.present && robo__vehicle_share(&p->vehicle, v) > 1) {
        /* the shares of the legs' work for each axis add up */
        const double share = robo__vehicle_share(&p->vehicle, v);
        for (int i = 0; i < 3; i++)
            v[i] /= share;
        why = ROBO_WHY_LIMIT;
    }
    for (int i = 0; i < 3; i++) {
        const double most = p->vehicle.wish.limit[i], clipped = fmin(fmax(v[i], -most), most);
        if (clipped != v[i])
            why = i == 1 && !p->vehicle.holonomic ? ROBO_WHY_HOLONOMIC : why ? why : ROBO_WHY_LIMIT;
        v[i] = clipped;
    }
    const bool rests = v[0] == 0 && v[1] == 0 && v[2] == 0;
    pthread_mutex_lock(&p->lock);
    robo__vehicle_set_speed(&p->vehicle, v, now);
    p->progress.blocked &= !rests;
    pthread_mutex_unlock(&p->lock);
    if (rests)
        robo__device_blocked(p->device, "");
    robo_done(p->device, ticket, why ? ROBO_MODIFIED : ROBO_SUCCESS, why);
}

void robo__physics_walk(struct robo__physics *p, const struct robo_step *step)
{
    robo__dofs_interrupt(&p->dofs, ROBO_WHY_AXIS);
    p->halted = false;
    pthread_mutex_lock(&p->lock);
    p->stride.walks = true;
    p->stride.step = step ? *step : (struct robo_step){ .leg = 0 };
    pthread_mutex_unlock(&p->lock);
}

/* Of legs that stand. */
void robo__physics_step(struct robo__physics *p, struct robo_step step, robo_ticket ticket,
                        robo_time now)
{
    const int reach = robo__stride_step(&p->stride, &step);
    if (reach == 0) {
        robo_done(p->device, ticket, ROBO_NA, ROBO_WHY_UNSUPPORTED);
        return;
    }
    pthread_mutex_lock(&p->lock);
    robo__vehicle_stop(&p->vehicle, now);
    pthread_mutex_unlock(&p->lock);
    robo__physics_walk(p, &step);
    p->base_clipped = reach == 2;
    p->base_ticket = ticket;
}

void robo__physics_go(struct robo__physics *p, const struct robo_cmd *cmd, robo_ticket ticket,
                      robo_time now)
{
    p->base_ticket = 0;
    if (p->stride.present)
        robo__physics_walk(p, NULL);
    if (cmd->op == ROBO_SET_SPEED) {
        set_speed(p, &cmd->body.set_speed, ticket, now);
        return;
    }
    p->base_clipped = false;
    robo__device_blocked(p->device, "");
    pthread_mutex_lock(&p->lock);
    p->progress.blocked = false;
    p->progress.name[0] = '\0';
    if (cmd->op == ROBO_GO_TO)
        p->base_clipped = !robo__vehicle_go_to(&p->vehicle, &cmd->body.go_to, now);
    else
        robo__vehicle_stop(&p->vehicle, now);
    pthread_mutex_unlock(&p->lock);
    p->base_ticket = ticket;
}

/* ---- outcomes ---- */

robo_time robo__physics_after_step(const struct robo__physics *p, robo_time now)
{
    const robo_time next = p->stepped + p->period;
    return next > now ? next : now + p->period;
}

/* Reports the base's position to the others. */
static robo_time tell(struct robo__physics *p, robo_time now)
{
    struct robo__trunk trunk = p->trunk;
    if (now < p->told + ROBO__PHYSICS_TELL)
        return p->told + ROBO__PHYSICS_TELL;
    pthread_mutex_lock(&p->lock);
    const struct robo__vehicle *v = &p->vehicle;
    const double c = cos(v->attitude[2]), s = sin(v->attitude[2]);
    trunk.x = v->position[0] + c * p->trunk.x - s * p->trunk.y;
    trunk.y = v->position[1] + s * p->trunk.x + c * p->trunk.y;
    const double vx = c * v->twist[0] - s * v->twist[1], vy = s * v->twist[0] + c * v->twist[1];
    pthread_mutex_unlock(&p->lock);
    robo__device_stands(p->device, &trunk, vx, vy, now);
    p->told = now;
    return now + ROBO__PHYSICS_TELL;
}

/* A base with less than that share of the commanded motion, for so long, is blocked, and checks for obstacles before. */
static const double SHARE = 0.05, LEAST_WAY = 1e-3, LEAST_TURN = 0.01; /* m, rad */
static const robo_time PATIENCE = 500 * 1000000, LOOK = 300 * 1000000;

static void name_obstacle(const struct robo__progress *g, char name[64])
{
    snprintf(name, 64, "%s", g->name[0] ? g->name : "something");
}

/* Legs sway while they mark time: their base is blocked when a goal is given up, and not before. */
static void watch_progress(struct robo__physics *p, robo_time now)
{
    struct robo__progress *g = &p->progress;
    char name[64];
    pthread_mutex_lock(&p->lock);
    const struct robo__vehicle *v = &p->vehicle;
    struct robo__sim_base wish = v->wish;
    robo__sim_base_cut(&wish, now);
    const double c = cos(v->attitude[2]), s = sin(v->attitude[2]),
                 speed = hypot(wish.v[0], wish.v[1]), asked = wish.path - g->path;
    const bool drives = asked > LEAST_WAY && speed > 0;
    if (speed > 0) {
        g->along[0] = (c * wish.v[0] - s * wish.v[1]) / speed;
        g->along[1] = (s * wish.v[0] + c * wish.v[1]) / speed;
    }
    const double came = drives ? fabs((v->position[0] - g->x) * g->along[0] +
                                      (v->position[1] - g->y) * g->along[1])
                               : fabs(remainder(v->attitude[2] - g->theta, 2 * M_PI)),
                 wanted = drives ? asked : wish.turned - g->turned;
    const bool rests = speed == 0 && wish.v[2] == 0, was = g->blocked,
               moves = !rests && came >= SHARE * wanted, over = now - g->since >= PATIENCE;
    if (moves)
        g->blocked = false;
    else if (over && !rests && wanted > (drives ? LEAST_WAY : LEAST_TURN))
        g->blocked = true;
    g->looks = !rests && (v->walks || (!moves && now - g->since >= LOOK));
    if (rests || moves || over) {
        g->since = now;
        g->x = v->position[0];
        g->y = v->position[1];
        g->theta = v->attitude[2];
        g->path = wish.path;
        g->turned = wish.turned;
    }
    const bool blocked = g->blocked;
    name_obstacle(g, name);
    pthread_mutex_unlock(&p->lock);
    if (blocked != was)
        robo__device_blocked(p->device, blocked ? name : "");
}

/* A robot that has fallen stops walking; its legs stay as they are. */
static void look_for_falls(struct robo__physics *p, robo_time now)
{
    pthread_mutex_lock(&p->lock);
    const bool lies = p->stride.lies;
    if (lies && p->stride.walks) {
        p->stride.walks = false;
        p->stride.anew = true;
        p->stride.step.leg = 0;
        robo__vehicle_halt(&p->vehicle, ROBO_HOLD, now);
        for (unsigned i = 0; i < p->dofs.count; i++)
            robo__servo_rest(&p->servo[i], now);
    }
    pthread_mutex_unlock(&p->lock);
    robo__device_lies(p->device, lies);
    if (lies)
        finish_base(p, ROBO_ERROR, ROBO_WHY_FALLEN);
}

robo_time robo__physics_advance_base(struct robo__physics *p, robo_time now)
{
    robo_time next = tell(p, now), when;
    if (p->told == now)
        watch_progress(p, now);
    if (p->stride.present)
        look_for_falls(p, now);
    if (!p->base_ticket)
        return next;
    pthread_mutex_lock(&p->lock);
    if (robo__stride_tips(&p->stride)) {
        pthread_mutex_unlock(&p->lock);
        return next;
    }
    const enum robo__vehicle_stage stage = robo__vehicle_advance(&p->vehicle, now, &when);
    char ahead[64];
    name_obstacle(&p->progress, ahead);
    const bool walks = p->stride.walks; /* the feet go where they belong first */
    if (when <= now)
        when = robo__physics_after_step(p, now);
    pthread_mutex_unlock(&p->lock);
    if (stage == ROBO__VEHICLE_ARRIVED && walks)
        return when < next ? when : next;
    if (stage == ROBO__VEHICLE_BLOCKED) {
        robo__device_blocked(p->device, ahead);
        finish_base(p, ROBO_ERROR, ROBO_WHY_BLOCKED);
    } else if (stage == ROBO__VEHICLE_ARRIVED)
        finish_base(p, p->base_clipped ? ROBO_MODIFIED : ROBO_SUCCESS,
                    p->base_clipped ? ROBO_WHY_LIMIT : ROBO_WHY_NONE);
    else if (when < next)
        next = when;
    return next;
}
