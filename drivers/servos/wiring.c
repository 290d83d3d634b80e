/* How a device of servos is wired, by its options: its port, and the servo of each dof. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../options.h"
#include "base/numbers.h"
#include "device.h"
#include "robotalk/serial.h"

#define MEMBER(name) offsetof(struct robo__servos_wiring, name)

static const struct robo__option_row ROWS[] = {
    { "port", ROBO_OPTION_TEXT, MEMBER(port), .needed = "the path of a serial port" },
    { "baud", ROBO_OPTION_INTEGER, MEMBER(baud), 1000000, 1, 1e7, NULL },
    { "rate", ROBO_OPTION_INTEGER, MEMBER(rate), 0, 0, 1000, NULL },
    { "delay", ROBO_OPTION_REAL, MEMBER(delay), 0.0005, 0, 0.1, NULL },
    { "latency", ROBO_OPTION_REAL, MEMBER(latency), 0.001, 0, 0.1, NULL },
    { "timeout", ROBO_OPTION_REAL, MEMBER(timeout), 0.2, 0.01, 1e6, NULL },
    { "watchdog", ROBO_OPTION_REAL, MEMBER(watchdog), 0.5, 0, 2.54, NULL },
    { "tolerance", ROBO_OPTION_REAL, MEMBER(tolerance), 0.03, 1e-6, 1e3, NULL },
    { "torque", ROBO_OPTION_FLAG, MEMBER(torque), 1, 0, 0, NULL },
    { "profile", ROBO_OPTION_TEXT, MEMBER(profile), 0, 0, 0, NULL },
};
static const struct robo__option_table OPTIONS = { ROWS, sizeof ROWS / sizeof ROWS[0],
                                                   robo__option_names_dof };

/* Cycles a second, if the line carries them. */
static const unsigned RATE = 100;
/* Bytes of its name in a message. */
#define NAME "%.31s"

__attribute__((format(printf, 2, 3))) static bool wrong(char why[128], const char *form, ...)
{
    va_list args;
    va_start(args, form);
    vsnprintf(why, 128, form, args);
    va_end(args);
    return false;
}

/* ---- the text of a servo ---- */

/* The numbers of a servo's text. */
struct words {
    double id, zero, sign, scale, torque, constant;
};
static const struct {
    const char *name;
    size_t offset;
    double least, most;
    const char *expected;
} WORDS[] = {
    { "id", offsetof(struct words, id), 0, 252, "0 to 252" },
    { "zero", offsetof(struct words, zero), -1e6, 1e6, "ticks" },
    { "sign", offsetof(struct words, sign), -1, 1, "1 or -1" },
    { "scale", offsetof(struct words, scale), 1e-6, 1e6, "more than 0" },
    { "torque", offsetof(struct words, torque), 0.001, 1, "a share, 0.001 to 1" },
    { "constant", offsetof(struct words, constant), 1e-9, 1e9, "N*m for each A" },
};
static const char *const MODES[ROBO__SERVOS_MODES] = { "position", "velocity", "current" };
/* The mode for what a joint takes: its first bit of set-points, speeds, forces. */
static const uint8_t SERVO_OF_MODE[ROBO__SERVOS_MODES] = { ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED,
                                                           ROBO_SERVO_SPEED, ROBO_SERVO_FORCE };

/* One word, KEY=VALUE. */
static bool read_word(const char *word, struct words *out, int *mode, char why[128])
{
    const char *value = strchr(word, '=');
    const size_t length = value ? (size_t)(value - word) : 0;
    for (size_t i = 0; value && i < sizeof WORDS / sizeof WORDS[0]; i++) {
        double x;
        if (strlen(WORDS[i].name) != length || strncmp(word, WORDS[i].name, length) != 0)
            continue;
        if (!robo__number_is(value + 1, strlen(value + 1), &x) || x < WORDS[i].least ||
            x > WORDS[i].most)
            return wrong(why, "expected %s=%s, got %.20s", WORDS[i].name, WORDS[i].expected, word);
        memcpy((char *)out + WORDS[i].offset, &x, sizeof x);
        return true;
    }
    for (int i = 0; value && i < ROBO__SERVOS_MODES; i++)
        if (length == 4 && strncmp(word, "mode", 4) == 0 && strcmp(value + 1, MODES[i]) == 0) {
            *mode = i;
            return true;
        }
    return wrong(why, "expected id=, zero=, sign=, scale=, mode=, torque= or constant=, got %.20s",
                 word);
}

/* "MODEL id=N …"; mode: that of the joint, unless the text has one. */
static bool read_servo(const char *text, int mode, struct robo__servos_servo *s, char why[128])
{
    char copy[256], names[128], *rest = copy, *word;
    struct words w = { .id = -1, .zero = NAN, .sign = 1, .scale = 1 };
    if (strlen(text) >= sizeof copy)
        return wrong(why, "this is too long");
    memcpy(copy, text, strlen(text) + 1);
    word = strtok_r(rest, " ", &rest);
    s->model = word ? robo__servos_model(word) : NULL;
    robo__servos_model_names(names, sizeof names);
    if (!s->model)
        return wrong(why, "expected a model first, one of %s", names);
    while ((word = strtok_r(rest, " ", &rest)) != NULL)
        if (!read_word(word, &w, &mode, why))
            return false;
    if (w.id < 0 || w.id != floor(w.id))
        return wrong(why, "expected id=N, the number of the servo");
    if (w.sign != 1 && w.sign != -1)
        return wrong(why, "expected sign=1 or sign=-1");
    if (s->model->family->mode[mode] == 0)
        return wrong(why, "%s has no mode %s", s->model->name, MODES[mode]);
    s->id = (uint8_t)w.id;
    s->mode = (uint8_t)mode;
    s->zero = isnan(w.zero) ? s->model->middle : w.zero;
    s->scale = w.sign * w.scale;
    s->torque = w.torque;
    s->constant = w.constant > 0 ? w.constant : s->model->constant;
    if (mode == ROBO__SERVOS_BY_CURRENT && s->constant == 0)
        return wrong(why, "expected constant=, N*m for each A of this servo");
    return true;
}

/* ---- dofs ---- */

static int mode_of(const struct robo_joint *j)
{
    return j->servo & ROBO_SERVO_SETPOINT ? ROBO__SERVOS_BY_POSITION
           : j->servo & ROBO_SERVO_SPEED  ? ROBO__SERVOS_BY_SPEED
                                          : ROBO__SERVOS_BY_CURRENT;
}

/* Whether the servo reaches the limits of its dof, except for rounding. */
static bool reaches(const struct robo__servos_servo *s, const struct robo_dof *dof, char why[128])
{
    const double limit[2] = { dof->low, dof->high },
                 near = 2 * fabs(s->scale) * s->model->family->place[ROBO__SERVOS_POSITION].unit;
    for (int i = 0; i < 2 && s->mode == ROBO__SERVOS_BY_POSITION && dof->low <= dof->high; i++) {
        uint8_t bytes[4];
        robo__servos_set(s, ROBO__SERVOS_GOAL_POSITION, limit[i], bytes);
        const double got = robo__servos_value(s, ROBO__SERVOS_GOAL_POSITION, bytes);
        if (fabs(got - limit[i]) > near)
            return wrong(why, "the servo reaches %.4g, the limit is %.4g", got, limit[i]);
    }
    return true;
}

/* Whether it fits those before it. */
static bool is_new(const struct robo__servos *d, const char *option,
                   const struct robo__servos_servo *s, char why[128])
{
    for (size_t i = 0; i < d->count; i++)
        if (d->joint[i].servo.id == s->id)
            return wrong(why, NAME ": id %u is that of " NAME ", too", option, s->id,
                         d->joint[i].name);
    return d->count == 0 || s->model->family->packets == d->joint[0].servo.model->family->packets ||
           wrong(why, NAME ": %s has other packets than the servos before it", option,
                 s->model->name);
}

/* Adds the servo of a dof, or of a wheel, by its option. It counts when the caller has read the rest. */
static struct robo__servos_joint *read_joint(struct robo__servos *d, const struct robo_option *text,
                                             int mode, const struct robo_dof *dof, char why[128])
{
    struct robo__servos_joint *to = &d->joint[d->count];
    char reason[128];
    bool good = false;
    if (d->count == ROBO__SERVOS_MOST) {
        wrong(why, "a port has at most %d servos; a body of more has several ports",
              ROBO__SERVOS_MOST);
        return NULL;
    }
    if (!read_servo(text->value.text, mode, &to->servo, reason) ||
        !reaches(&to->servo, dof, reason))
        wrong(why, NAME ": %s", text->name, reason);
    else
        good = is_new(d, text->name, &to->servo, why);
    to->dof = dof;
    return good ? to : NULL;
}

static bool read_dof(struct robo__servos *d, const struct robo_description *is, unsigned joint,
                     unsigned number, char why[128])
{
    const struct robo_joint *j = &is->joint[joint];
    const struct robo_dof *dof = &is->dof[j->first + number];
    const struct robo_option *text = robo__option_of_dof(is, j->device, j, number);
    if (!text || text->type != ROBO_OPTION_TEXT)
        return wrong(why, "expected " NAME "%s" NAME " = \"MODEL id=N …\": the servo of this dof",
                     j->name, j->dofs == 1 ? "" : ".", j->dofs == 1 ? "" : dof->name);
    struct robo__servos_joint *to = read_joint(d, text, mode_of(j), dof, why);
    if (!to)
        return false;
    const uint8_t mode = to->servo.mode;
    if (d->ordered && (mode == ROBO__SERVOS_BY_SPEED || (j->servo & ROBO_SERVO_SPEED)))
        return wrong(why,
                     NAME ": on a bus a servo takes set-points alone: servo = { \"setpoint\" }",
                     text->name);
    if (j->servo & ~SERVO_OF_MODE[mode])
        return wrong(why, NAME ": in mode %s the joint takes no other commands than its own",
                     text->name, MODES[mode]);
    to->servo.own_profile = strcmp(d->wiring.profile, "servo") == 0;
    to->name = j->name;
    to->index = j->first + number;
    to->most = robo__profile_speed(dof);
    to->retreat = dof->retreat;
    to->retreats = dof->retreats;
    d->count++;
    return true;
}

/* ---- the base ---- */

/* Whether the turns of its wheels decide how it moves along its axes; and the greatest speed of a wheel, rad/s, that its own
 * along one of them needs. */
static bool read_speeds(const struct robo__servos_base *b, const struct robo_description *is,
                        double *most, char why[128])
{
    static const char *const AXES[3] = { "x", "y", "theta" };
    *most = 0;
    for (int k = 0; k < 3; k++) {
        double v[3] = { k == 0, k == 1, k == 2 }, turn[ROBO__MOST_WHEELS];
        if (k == 1 && !b->holonomic)
            continue;
        robo__wheels_turn(&b->wheels, v, turn);
        robo__wheels_move(&b->wheels, turn, v);
        if (!(fabs(v[k] - 1) < 1e-3))
            return wrong(why, "base: its %u wheels do not decide its %s", b->wheels.count, AXES[k]);
        if (!(is->base_speed[k] > 0))
            return wrong(why, "base: expected speed = { %s = … }, the greatest", AXES[k]);
        for (unsigned i = 0; i < b->wheels.count; i++)
            *most = fmax(*most, fabs(turn[i]) * is->base_speed[k]);
    }
    return true;
}

static bool read_wheel(struct robo__servos *d, const struct robo_binding *binding, unsigned wheel,
                       unsigned number, double most, char why[128])
{
    static const struct robo_dof WHEEL = { .low = 1, .high = 0 };
    char name[16];
    snprintf(name, sizeof name, "wheel%u", number);
    const struct robo_option *text = robo__option(binding, name);
    if (!text || text->type != ROBO_OPTION_TEXT)
        return wrong(why, "expected %s = \"MODEL id=N …\": the servo of this wheel", name);
    struct robo__servos_joint *to = read_joint(d, text, ROBO__SERVOS_BY_SPEED, &WHEEL, why);
    if (!to)
        return false;
    const struct robo__servos_model *m = to->servo.model;
    if (to->servo.mode != ROBO__SERVOS_BY_SPEED)
        return wrong(why, "%s: expected mode=velocity", name);
    if ((m->most - m->least) * m->family->place[ROBO__SERVOS_POSITION].unit < 2 * M_PI)
        return wrong(why, "%s: %s does not measure its angle all around, as odometry needs", name,
                     m->name);
    to->name = text->name;
    to->wheel = true;
    to->index = wheel;
    to->most = most;
    d->count++;
    return true;
}

static bool read_base(struct robo__servos *d, const struct robo_description *is, unsigned device,
                      char why[128])
{
    struct robo__servos_base *b = &d->base;
    unsigned number = 0;
    double most;
    b->present = is->device[device].base;
    b->holonomic = is->holonomic;
    if (!b->present)
        return true;
    robo__wheels_read(is, &b->wheels);
    if (!read_speeds(b, is, &most, why))
        return false;
    for (unsigned i = 0; i < b->wheels.count; i++)
        if (b->wheels.wheel[i].roll != ROBO_ROLL_CASTER &&
            !read_wheel(d, &is->device[device], i, ++number, most, why))
            return false;
    return true;
}

/* ---- the device ---- */

static bool read_profile(struct robo__servos_wiring *w, char why[128])
{
    if (!w->profile)
        w->profile = "core";
    return strcmp(w->profile, "core") == 0 || strcmp(w->profile, "servo") == 0 ||
           wrong(why, "profile: expected \"core\" or \"servo\", got \"%.40s\"", w->profile);
}

/* Cycles a second that take half of the time of a line that has messages, too. */
static unsigned reads_beside_messages(const struct robo__servos *d)
{
    const double most = 0.5 / robo__servos_cycle_time(&d->cycle, &d->line);
    return most < 1 ? 1 : (unsigned)most;
}

/* How often the bus is read: as often as is wanted, if it carries that. */
static bool read_rate(struct robo__servos *d, double bus_rate, char why[128])
{
    struct robo__servos_servo servo[ROBO__SERVOS_MOST];
    for (size_t i = 0; i < d->count; i++)
        servo[i] = d->joint[i].servo;
    robo__servos_cycle_make(&d->cycle, servo, d->count);
    d->line =
        (struct robo__servos_line){ (double)d->wiring.baud, d->wiring.delay, d->wiring.latency };
    const unsigned most =
        d->ordered ? reads_beside_messages(d) : robo__servos_cycle_most(&d->cycle, &d->line);
    const double messages = 1 / robo__servos_message_time(&d->cycle, &d->line);
    if (d->ordered && bus_rate > messages)
        return wrong(why, "bus.rate: the line carries %u messages a second, got %g",
                     (unsigned)messages, bus_rate);
    if (d->wiring.rate > most)
        return wrong(why, "rate: the bus carries %u cycles a second with these %zu servos, got %d",
                     most, d->count, (int)d->wiring.rate);
    if (d->wiring.rate == 0)
        d->wiring.rate = most < RATE ? most : RATE;
    d->period = 1000000000 / d->wiring.rate;
    d->timeout = (robo_time)(d->wiring.timeout * 1e9);
    if (d->timeout < 3 * d->period)
        d->timeout = 3 * d->period;
    return true;
}

static bool has_rate(const struct robo__servos_model *m, int64_t baud, char why[128])
{
    char list[80] = "";
    size_t used = 0;
    for (int i = 0; i < ROBO_SERVO_RATES && m->family->rate[i].baud > 0; i++) {
        const uint32_t rate = m->family->rate[i].baud;
        if (rate == baud)
            return true;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%u", i ? ", " : "", rate);
    }
    return wrong(why, "baud: %s has no %d, expected one of %s", m->name, (int)baud, list);
}

/* Whether no device before it has its port. */
static bool has_its_port(const struct robo_description *is, unsigned device, const char *port,
                         char why[128])
{
    for (unsigned i = 0; i < device && strcmp(port, "simulated") != 0; i++) {
        const struct robo_option *other = robo__option(&is->device[i], "port");
        if (other && other->type == ROBO_OPTION_TEXT && strcmp(other->value.text, port) == 0)
            return wrong(why, "port: another entry has %.40s, too; one takes all servos of a port",
                         port);
    }
    return true;
}

static bool wire(struct robo__servos *d, const struct robo_description *is, unsigned device,
                 char why[128])
{
    d->count = 0;
    d->ordered = is->bus_order && !is->device[device].base;
    if (d->ordered &&
        (is->bus_order == ROBO_ORDER_SYNCHRONISED || is->bus_order == ROBO_ORDER_PREDICTIVE))
        return wrong(why,
                     "bus.order: servos keep no message for later: not synchronised or predictive");
    if (robo__options_read(&OPTIONS, is, device, &d->wiring, why) < 0 ||
        !read_profile(&d->wiring, why) || !has_its_port(is, device, d->wiring.port, why))
        return false;
    for (unsigned i = 0; i < is->joints; i++)
        for (unsigned k = 0; k < is->joint[i].dofs; k++)
            if (is->joint[i].device == device && !is->dof[is->joint[i].first + k].mimics &&
                !read_dof(d, is, i, k, why))
                return false;
    if (!read_base(d, is, device, why))
        return false;
    if (d->count == 0)
        return wrong(why, "has no joints and no base");
    for (size_t i = 0; i < d->count; i++)
        if (!has_rate(d->joint[i].servo.model, d->wiring.baud, why))
            return false;
    d->panic = is->panic;
    return read_rate(d, is->bus_rate, why);
}

int robo__servos_wire(struct robo__servos *d, const struct robo_description *description,
                      unsigned device, char why[128])
{
    return wire(d, description, device, why) ? 0 : ROBO_EINVAL;
}
