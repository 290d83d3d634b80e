/* The steps in which a servo comes up: it is the described one, its goal becomes its position, then it gets torque. */
#include <math.h>
#include <stdio.h>

#include "device.h"

enum { TRIES = 3, NEAR = 2 }; /* NEAR: ticks, for rounding */
/* Dynamixel: a bit of the drive mode, and a mode without limits; Feetech: a bit of the phase. */
enum { TIME_BASED = 1 << 2, EXTENDED = 4, FINE_SPEEDS = 1 << 2 };
static const robo_time REBOOTING = 700 * 1000000;

/* ---- questions and orders ---- */

bool robo__servos_ask(struct robo__servos *d, struct robo__servos_joint *j,
                      struct robo__servos_block block, struct robo__servos_status *out)
{
    uint8_t frame[ROBO__SERVOS_FRAME];
    const size_t n =
        robo__servos_read(d->cycle.packets, j->servo.id, block.address, block.size, frame);
    for (int i = 0; i < TRIES && !d->gone && !atomic_load(&d->closing); i++) {
        if (i > 0 && d->up)
            robo__servos_write_goals(d); /* the others do not wait for this one */
        const robo_time until = robo__servos_until(d, 1, block.size);
        if (!robo__servos_begin(d, frame, n))
            d->port.kind->wait(&d->port, until);
        while (robo__servos_await(d, until, out))
            if (out->id == j->servo.id && out->count == block.size) {
                j->heard = robo__servos_now(d);
                j->misses = 0;
                return true;
            }
    }
    return false;
}

static bool read_register(struct robo__servos *d, struct robo__servos_joint *j,
                          enum robo__servos_register r, int64_t *raw)
{
    const struct robo__servos_place *p = &j->servo.model->family->place[r];
    struct robo__servos_status status;
    if (!robo__servos_ask(d, j, (struct robo__servos_block){ p->address, p->size }, &status))
        return false;
    *raw = robo__servos_raw(j->servo.model, r, status.data);
    return true;
}

/* Sends an instruction to one servo, unless the robot is halted, and waits for its answer; some do not answer to orders. */
static bool order(struct robo__servos *d, const struct robo__servos_joint *j, const uint8_t *frame,
                  size_t n)
{
    struct robo__servos_status status;
    const robo_time until = robo__servos_until(d, 1, 0);
    pthread_mutex_lock(&d->lock);
    const bool said = !d->halted && robo__servos_say(d, frame, n);
    pthread_mutex_unlock(&d->lock);
    while (said && robo__servos_await(d, until, &status) && status.id != j->servo.id) {
    }
    return said;
}

/* Writes a block of RAM. */
static bool write_block(struct robo__servos *d, const struct robo__servos_joint *j,
                        struct robo__servos_block block, const uint8_t *bytes)
{
    uint8_t frame[ROBO__SERVOS_FRAME];
    return order(
        d, j, frame,
        robo__servos_write(d->cycle.packets, j->servo.id, block.address, bytes, block.size, frame));
}

/* Writes a register of RAM, if the model has it. */
static bool write_register(struct robo__servos *d, const struct robo__servos_joint *j,
                           enum robo__servos_register r, double value)
{
    const struct robo__servos_place *p = &j->servo.model->family->place[r];
    uint8_t bytes[4];
    if (p->size == 0)
        return true;
    robo__servos_set(&j->servo, r, value, bytes);
    return write_block(d, j, (struct robo__servos_block){ p->address, p->size }, bytes);
}

/* The same, and reads it back: an order that a servo refuses is no fault of the line. */
static bool write_and_check(struct robo__servos *d, struct robo__servos_joint *j,
                            enum robo__servos_register r, double value, const char *name,
                            char why[96])
{
    uint8_t bytes[4];
    int64_t raw;
    if (!robo__servos_has(j->servo.model, r))
        return true;
    if (!write_register(d, j, r, value) || !read_register(d, j, r, &raw))
        return false;
    robo__servos_set(&j->servo, r, value, bytes);
    if (raw == robo__servos_raw(j->servo.model, r, bytes))
        return true;
    snprintf(why, 96, "does not accept its %s: it has %d", name, (int)raw);
    return false;
}

/* ---- which servo it is ---- */

/* Reads registers that the model has; others stay as they are. */
static bool read_those(struct robo__servos *d, struct robo__servos_joint *j, size_t n,
                       const enum robo__servos_register *r, int64_t *raw)
{
    for (size_t i = 0; i < n; i++)
        if (robo__servos_has(j->servo.model, r[i]) && !read_register(d, j, r[i], &raw[i]))
            return false;
    return true;
}

/* Whether the servo's own limits allow what the description does. Between least and most, ticks; fastest: raw, 0: no limit. */
static bool allows(struct robo__servos_joint *j, int64_t least, int64_t most, int64_t fastest,
                   char why[96])
{
    const struct robo__servos_servo *s = &j->servo;
    const struct robo_dof *dof = j->dof;
    const double limit[2] = { dof->low, dof->high };
    uint8_t bytes[4];
    robo__servos_put(s->model, ROBO__SERVOS_FASTEST, fastest, bytes);
    j->fastest = fastest ? robo__servos_value(s, ROBO__SERVOS_FASTEST, bytes) : HUGE_VAL;
    if (j->most > j->fastest) {
        snprintf(why, 96,
                 j->wheel ? "accepts %.4g rad/s, its wheel needs %.4g at the speed of the base"
                          : "accepts speeds to %.4g, its joint has %.4g",
                 j->fastest, j->most);
        return false;
    }
    for (int i = 0; i < 2 && least < most && dof->low <= dof->high; i++) {
        robo__servos_set(s, ROBO__SERVOS_GOAL_POSITION, limit[i], bytes);
        const int64_t goal = robo__servos_raw(s->model, ROBO__SERVOS_GOAL_POSITION, bytes);
        if (goal >= least - NEAR && goal <= most + NEAR)
            continue;
        snprintf(why, 96, "accepts goals from %d to %d, its joint's limit %.4g is at %d",
                 (int)least, (int)most, limit[i], (int)goal);
        return false;
    }
    return true;
}

/* Warns of a servo that answers later than the descriptor says. */
static void check_delay(struct robo__servos *d, const struct robo__servos_joint *j, int64_t raw)
{
    const double delay = (double)raw * j->servo.model->family->place[ROBO__SERVOS_DELAY].unit;
    struct robo__servos_line line = d->line;
    line.delay = delay;
    if (delay > d->line.delay + 1e-9)
        robo_device_log(d->device, ROBO_LOG_WARNING,
                        "%s: servo %u answers after %g s, delay says %g; with that the bus carries "
                        "%u cycles a second",
                        j->name, j->servo.id, delay, d->line.delay,
                        robo__servos_cycle_most(&d->cycle, &line));
}

/* Whether it is; then its unit of speeds is known. */
static bool is_described(struct robo__servos *d, struct robo__servos_joint *j, char why[96])
{
    enum { NUMBER, MODE, LEAST, MOST, FASTEST, DRIVE, DELAY, PHASE, COUNT };
    static const enum robo__servos_register read[COUNT] = {
        ROBO__SERVOS_MODEL,   ROBO__SERVOS_MODE,  ROBO__SERVOS_LEAST, ROBO__SERVOS_GREATEST,
        ROBO__SERVOS_FASTEST, ROBO__SERVOS_DRIVE, ROBO__SERVOS_DELAY, ROBO__SERVOS_PHASE
    };
    const struct robo__servos_model *m = j->servo.model;
    int64_t raw[COUNT] = { [PHASE] = FINE_SPEEDS };
    if (!read_those(d, j, 1, read, raw))
        return false;
    if (raw[NUMBER] != m->number) {
        snprintf(why, 96, "is of model %d, expected %u (%s)", (int)raw[NUMBER], m->number, m->name);
        return false;
    }
    if (!read_those(d, j, COUNT - MODE, read + MODE, raw + MODE))
        return false;
    if (raw[DRIVE] & TIME_BASED) {
        snprintf(why, 96, "has profiles by time (bit 2 of its drive mode)");
        return false;
    }
    if (robo__servos_mode_of(m, raw[MODE], raw[LEAST], raw[MOST]) != j->servo.mode) {
        static const char *const names[ROBO__SERVOS_MODES] = { "position", "velocity", "current" };
        snprintf(why, 96, "is not in mode %s: robotalk servos PORT set-mode %u %s",
                 names[j->servo.mode], j->servo.id, names[j->servo.mode]);
        return false;
    }
    const bool bounded = j->servo.mode == ROBO__SERVOS_BY_POSITION && raw[MODE] != EXTENDED;
    if (!allows(j, bounded ? raw[LEAST] : 0, bounded ? raw[MOST] : 0, raw[FASTEST], why))
        return false;
    check_delay(d, j, raw[DELAY]);
    pthread_mutex_lock(&d->lock);
    j->servo.speed = raw[PHASE] & FINE_SPEEDS ? 0 : 50 * m->family->place[ROBO__SERVOS_SPEED].unit;
    pthread_mutex_unlock(&d->lock);
    return true;
}

/* Reads where it is. */
static bool read_position(struct robo__servos *d, struct robo__servos_joint *j)
{
    const struct robo__servos_block fast = j->servo.model->family->fast;
    struct robo__servos_status status;
    if (!robo__servos_ask(d, j, fast, &status))
        return false;
    robo__servos_take(d, j, fast, &status);
    return true;
}

/* ---- torque ---- */

/* A servo that has shut down has no torque until it is restarted: that happens once after each reset. */
static enum robo__servos_bring_up revive(struct robo__servos *d, struct robo__servos_joint *j,
                                         char why[96])
{
    const struct robo__servos_family *f = j->servo.model->family;
    uint8_t frame[ROBO__SERVOS_FRAME];
    int64_t alarms = 0, shutdown = 0;
    if (!f->latched)
        return ROBO__SERVOS_UP;
    if (!read_register(d, j, ROBO__SERVOS_ALARMS, &alarms) ||
        !read_register(d, j, ROBO__SERVOS_SHUTDOWN, &shutdown))
        return ROBO__SERVOS_REFUSED;
    if ((alarms & (f->grave | shutdown)) == 0)
        return ROBO__SERVOS_UP;
    pthread_mutex_lock(&d->lock);
    const bool again = j->restarted;
    j->restarted = true;
    pthread_mutex_unlock(&d->lock);
    if (again) {
        snprintf(why, 96, "still has its alarm (0x%02x) after a restart", (unsigned)alarms);
        return ROBO__SERVOS_REFUSED;
    }
    if (!order(d, j, frame,
               d->cycle.packets->encode(j->servo.id, ROBO__SERVOS_REBOOT, NULL, 0, frame)))
        return ROBO__SERVOS_REFUSED;
    pthread_mutex_lock(&d->lock);
    j->stage = ROBO__SERVOS_ABSENT;
    j->restarts = true;
    pthread_mutex_unlock(&d->lock);
    j->again = robo__servos_now(d) + REBOOTING;
    return ROBO__SERVOS_LATER;
}

/* The goal becomes the position, and the limits those of the dof. */
static bool write_goal(struct robo__servos *d, struct robo__servos_joint *j, char why[96])
{
    const struct robo__servos_servo *s = &j->servo;
    const struct robo__servos_block block = s->model->family->profile;
    const enum robo__servos_register r = robo__servos_goal(s);
    double value[ROBO__SERVOS_REGISTERS] = { 0 };
    uint8_t bytes[32], goal[4];
    int64_t raw;
    if (!read_position(d, j)) /* as it is now: without torque it may have sunk */
        return false;
    if (s->torque > 0 &&
        !write_and_check(d, j, ROBO__SERVOS_TORQUE_LIMIT, s->torque, "limit of the torque", why))
        return false;
    value[ROBO__SERVOS_GOAL_POSITION] = j->value[ROBO__SERVOS_POSITION];
    value[ROBO__SERVOS_SPEED_LIMIT] =
        fmin(j->most * (s->own_profile ? 1 : ROBO__SERVOS_ABOVE), j->fastest);
    value[ROBO__SERVOS_ACCELERATION] = s->own_profile ? j->profile.acceleration : 0;
    robo__servos_fill(s, block,
                      1u << ROBO__SERVOS_GOAL_POSITION | 1u << ROBO__SERVOS_SPEED_LIMIT |
                          1u << ROBO__SERVOS_ACCELERATION,
                      value, bytes);
    if (s->mode == ROBO__SERVOS_BY_POSITION
            ? !write_block(d, j, block, bytes)
            : !write_register(d, j, ROBO__SERVOS_ACCELERATION, 0) || !write_register(d, j, r, 0))
        return false;
    if (!read_register(d, j, r, &raw))
        return false;
    robo__servos_set(s, r, value[r], goal);
    if (raw != robo__servos_raw(s->model, r, goal)) {
        snprintf(why, 96, "does not take its position as goal: it has %d", (int)raw);
        return false;
    }
    return true;
}

static bool switch_on(struct robo__servos *d, struct robo__servos_joint *j, char why[96])
{
    if (!write_register(d, j, ROBO__SERVOS_WATCHDOG, 0) || !write_goal(d, j, why) ||
        !write_and_check(d, j, ROBO__SERVOS_TORQUE, 1, "torque", why))
        return false;
    if (d->wiring.watchdog > 0 &&
        !write_and_check(d, j, ROBO__SERVOS_WATCHDOG, d->wiring.watchdog, "watchdog", why))
        return false;
    pthread_mutex_lock(&d->lock);
    if (!d->halted) {
        robo__profile_restart(&j->profile, j->value[ROBO__SERVOS_POSITION], robo__servos_now(d));
        j->over = 0;
        j->stage = ROBO__SERVOS_LIVE;
        j->restarted = false;
    }
    pthread_mutex_unlock(&d->lock);
    return true;
}

static bool may_switch_on(struct robo__servos *d)
{
    pthread_mutex_lock(&d->lock);
    const bool may = d->wiring.torque && !d->halted;
    pthread_mutex_unlock(&d->lock);
    return may && !robo_device_in_panic(d->device);
}

enum robo__servos_bring_up robo__servos_bring_up(struct robo__servos *d,
                                                 struct robo__servos_joint *j, uint8_t stage,
                                                 char why[96])
{
    why[0] = 0;
    if (stage == ROBO__SERVOS_ABSENT) {
        if (!is_described(d, j, why) || !read_position(d, j))
            return ROBO__SERVOS_REFUSED;
        pthread_mutex_lock(&d->lock);
        j->stage = ROBO__SERVOS_KNOWN;
        if (!j->restarts)
            robo__profile_halt(&j->profile);
        robo__profile_restart(&j->profile, j->value[ROBO__SERVOS_POSITION], robo__servos_now(d));
        pthread_mutex_unlock(&d->lock);
        j->alarmed = j->alarms = 0;
    }
    if (!may_switch_on(d))
        return ROBO__SERVOS_UP;
    const enum robo__servos_bring_up revived = revive(d, j, why);
    if (revived == ROBO__SERVOS_LATER || (revived == ROBO__SERVOS_UP && switch_on(d, j, why)))
        return revived;
    /* a halt that comes meanwhile ends the steps, which is no fault */
    return may_switch_on(d) ? ROBO__SERVOS_REFUSED : ROBO__SERVOS_UP;
}
