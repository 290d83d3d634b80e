/* The goals that are written to servos in each cycle, and the bytes that stop them. */
#include <math.h>
#include <string.h>

#include "device.h"

/* A set-point that is further than this from its dof does not remain in a halt: something blocks the dof. rad or m; and s, for the lag
 * of a dof that moves. */
static const double BLOCKED = 0.1, LAG = 0.1;
static const robo_time SETTLING = 300 * 1000000; /* until dofs that were halted rest */

void robo__servos_goal_bytes(const struct robo__servos_joint *j, robo_time now, uint8_t *out)
{
    const struct robo__servos_servo *s = &j->servo;
    const struct robo__profile *p = &j->profile;
    double value[ROBO__SERVOS_REGISTERS] = { 0 }, position, speed;
    /* a set-point that stands is left to the servo; speeds, stops and moving set-points go point by point */
    const bool own =
        s->own_profile && p->goal == ROBO__PROFILE_MOVES && p->velocity == 0 && isfinite(p->target);
    const double most =
        p->bounds.speed > 0 && p->bounds.speed < j->most ? p->bounds.speed : j->most;
    robo__profile_read(p, now, &position, &speed);
    value[ROBO__SERVOS_GOAL_POSITION] = own ? p->target : position;
    value[ROBO__SERVOS_GOAL_SPEED] = j->wheel ? j->roll : speed;
    value[ROBO__SERVOS_GOAL_CURRENT] = robo__servos_current(s, j->force);
    value[ROBO__SERVOS_SPEED_LIMIT] = own ? most * (p->scaled && p->override > 0 ? p->override : 1)
                                          : fmin(ROBO__SERVOS_ABOVE * j->most, j->fastest);
    value[ROBO__SERVOS_ACCELERATION] = own ? p->acceleration : 0;
    robo__servos_fill(
        s, robo__servos_goal_block(s),
        1u << robo__servos_goal(s) |
            (s->own_profile ? 1u << ROBO__SERVOS_SPEED_LIMIT | 1u << ROBO__SERVOS_ACCELERATION : 0),
        value, out);
}

/* A dof that rests away from its set-point is blocked: it would move when the obstacle goes. */
static void hold_where_blocked(struct robo__servos_joint *j, double lag, robo_time now)
{
    struct robo__profile *p = &j->profile;
    const double is = j->value[ROBO__SERVOS_POSITION];
    if (j->servo.mode == ROBO__SERVOS_BY_POSITION && p->goal == ROBO__PROFILE_RESTS &&
        fabs(is - p->position) > BLOCKED + lag)
        robo__profile_restart(p, is, now);
}

size_t robo__servos_goals(struct robo__servos *d, const struct robo__servos_joint *one,
                          robo_time now, uint8_t *out)
{
    size_t bytes = 0;
    if (d->halted && d->rested && now >= d->rested) {
        d->rested = 0; /* once: an arm that sags would sag more each time */
        for (size_t i = 0; i < d->count; i++)
            hold_where_blocked(&d->joint[i], 0, now);
    }
    robo__servos_base_roll(d, now);
    for (size_t i = 0; i < d->cycle.goals; i++) {
        const struct robo__servos_group *g = &d->cycle.goal[i];
        uint8_t id[ROBO__SERVOS_MOST], data[ROBO__SERVOS_PARAMS];
        size_t n = 0;
        for (size_t k = 0; k < g->count; k++) {
            const struct robo__servos_joint *j = &d->joint[g->servo[k]];
            uint8_t *goal = data + n * g->block.size;
            /* a servo with an alarm may still have torque; a wheel that does not answer may turn all the same */
            const bool halts =
                d->wiring.torque && (j->servo.mode == ROBO__SERVOS_BY_POSITION
                                         ? d->halted && j->stage == ROBO__SERVOS_KNOWN
                                         : d->halted || d->opened);
            if ((j->stage != ROBO__SERVOS_LIVE && !halts) || (one && j != one))
                continue;
            if (j->stage == ROBO__SERVOS_LIVE || d->halted)
                robo__servos_goal_bytes(j, now, goal);
            else
                memset(goal, 0, g->block.size);
            id[n++] = j->servo.id;
        }
        if (n > 0 && bytes + ROBO__SERVOS_FRAME <= ROBO__SERVOS_GOALS)
            bytes += robo__servos_sync_write(d->cycle.packets, g->block.address, g->block.size, id,
                                             data, n, out + bytes);
    }
    return bytes;
}

/* Writes 0 to that register of all servos in these modes (bits); r[m]: that of mode m. */
static size_t zeros(const struct robo__servos *d, unsigned modes,
                    const enum robo__servos_register r[ROBO__SERVOS_MODES], uint8_t *out)
{
    static const uint8_t zero[4 * ROBO__SERVOS_MOST];
    uint32_t done = 0;
    size_t bytes = 0;
    for (size_t i = 0; i < d->count; i++) {
        const struct robo__servos_servo *s = &d->joint[i].servo;
        const struct robo__servos_place *p = &s->model->family->place[r[s->mode]];
        uint8_t id[ROBO__SERVOS_MOST];
        size_t n = 0;
        for (size_t k = i; k < d->count; k++) {
            const struct robo__servos_servo *o = &d->joint[k].servo;
            const struct robo__servos_place *q = &o->model->family->place[r[o->mode]];
            if (done >> k & 1 || !(modes >> o->mode & 1) || q->address != p->address ||
                q->size != p->size)
                continue;
            done |= 1u << k;
            id[n++] = o->id;
        }
        if (n > 0 && bytes + ROBO__SERVOS_FRAME <= sizeof d->still)
            bytes += robo__servos_sync_write(d->cycle.packets, p->address, p->size, id, zero, n,
                                             out + bytes);
    }
    return bytes;
}

size_t robo__servos_limp(const struct robo__servos *d, uint8_t *out)
{
    static const enum robo__servos_register torque[ROBO__SERVOS_MODES] = { ROBO__SERVOS_TORQUE,
                                                                           ROBO__SERVOS_TORQUE,
                                                                           ROBO__SERVOS_TORQUE };
    return zeros(d, (1u << ROBO__SERVOS_MODES) - 1, torque, out);
}

size_t robo__servos_halt_wheels(const struct robo__servos *d, uint8_t *out)
{
    static const enum robo__servos_register goal[ROBO__SERVOS_MODES] = {
        ROBO__SERVOS_GOAL_POSITION, ROBO__SERVOS_GOAL_SPEED, ROBO__SERVOS_GOAL_CURRENT
    };
    return zeros(d, 1u << ROBO__SERVOS_BY_SPEED | 1u << ROBO__SERVOS_BY_CURRENT, goal, out);
}

void robo__servos_make_still(struct robo__servos *d)
{
    d->stills = !d->wiring.torque       ? 0
                : d->panic == ROBO_LIMP ? robo__servos_limp(d, d->still)
                                        : robo__servos_halt_wheels(d, d->still);
}

static void stop(const struct robo__servos *d, struct robo__servos_joint *j, robo_time now)
{
    struct robo__profile *p = &j->profile;
    const bool by_position = j->servo.mode == ROBO__SERVOS_BY_POSITION;
    robo__profile_cut(p, now);
    const double lag = LAG * fabs(p->speed);
    j->force = 0;
    if (d->panic == ROBO_LIMP && j->stage == ROBO__SERVOS_LIVE)
        j->stage = ROBO__SERVOS_KNOWN;
    if (d->panic == ROBO_RETREAT && j->retreats && by_position)
        robo__profile_move(p, j->retreat, (struct robo__bounds){ 0, 0 });
    else if (d->panic == ROBO_HOLD || d->panic == ROBO_LIMP || p->speed == 0)
        robo__profile_halt(p);
    else
        robo__profile_stop(p);
    hold_where_blocked(j, lag, now);
}

void robo__servos_stop(struct robo__servos *d, robo_time now)
{
    d->rested = now + SETTLING;
    robo__servos_base_halt(d, d->panic == ROBO_BRAKE || d->panic == ROBO_RETREAT, now);
    for (size_t i = 0; i < d->count; i++)
        stop(d, &d->joint[i], now);
}
