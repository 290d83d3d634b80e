/* Faults of a simulated bus of servos, and what is done to its shafts. */
#include "faults.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "robotalk.h"
#include "servo_bus/inside.h"

enum kind { SILENT, CHECKSUM, NOISE, OVERLOAD, HEAT, VOLTAGE, RESTART, CABLE, TWIN, KINDS };
enum { MOST = ROBO__SERVO_BUS_MOST, ALL = ROBO__SERVO_BUS_ALL };
static const char *const NAMES[KINDS] = { "silent",  "checksum", "noise", "overload", "heat",
                                          "voltage", "restart",  "cable", "twin" };
/* How long each lasts, s; 0: a status packet, or no time. */
static const double USUAL[KINDS] = { 0, 0, 0, 3, 60, 1, 0, 1, 0 };
static const double TICK = 2 * M_PI / ROBO__SBUS_TICKS; /* rad */

struct fault {
    enum kind kind;
    unsigned id;
    robo_time at, lasts; /* at: since the bus was opened */
};

struct faults {
    struct robo__sbus_faults calls; /* the bus frees all by it */
    struct robo__random random;
    double per_minute;
    struct fault pending[MOST];
    unsigned count;
    struct {
        robo_time until[KINDS];
        bool once[KINDS]; /* the next status packet */
        bool is_twin, is_twinned;
        double torque; /* on the shaft */
    } of[MOST];        /* servos */
};

/* ---- faults begin ---- */

/* Another servo like this one, which begins with its values. */
static void make_twin(struct faults *f, struct robo__sbus_servo *s, robo_time now, robo_time lasts)
{
    struct robo__servo_bus *bus = s->bus;
    const size_t i = (size_t)(s - bus->servos), k = bus->count;
    if (f->of[i].is_twin || f->of[i].is_twinned || k == MOST)
        return;
    bus->servos[bus->count++] = *s;
    f->of[i].is_twinned = f->of[k].is_twin = true;
    f->of[k].until[TWIN] = lasts > 0 ? robo__time_cut(now + lasts) : ROBO_NEVER;
    bus->servos[k].motor.angle += ROBO__SBUS_TICKS / 4.0;
    robo__sbus_restart(&bus->servos[k], now - s->model->protocol->boot);
}

static void begin(struct faults *f, struct robo__sbus_servo *s, enum kind kind, robo_time lasts,
                  robo_time now)
{
    const size_t i = (size_t)(s - s->bus->servos);
    const robo_time end = robo__time_cut(now + lasts), on = s->starts - s->model->protocol->boot;
    if (kind == TWIN)
        make_twin(f, s, now, lasts);
    else if (kind == RESTART || kind == CABLE) /* without a cable it has no power */
        robo__sbus_restart(s, on > end ? on : end);
    else if (lasts > 0)
        f->of[i].until[kind] = end;
    else
        f->of[i].once[kind] = true;
}

/* Returns its end. */
static robo_time send_noise(struct faults *f, struct robo__servo_bus *bus, robo_time at)
{
    for (unsigned n = 1 + (unsigned)(robo__random_u64(&f->random) % 6); n-- > 0; at += bus->byte)
        robo__sbus_put_byte(bus, at, (uint8_t)robo__random_u64(&f->random));
    return at;
}

static void begin_due(struct faults *f, struct robo__servo_bus *bus, robo_time now)
{
    if (robo__random_uniform(&f->random) < f->per_minute / 60000 && bus->count) {
        /* any but a twin, which would never leave */
        const enum kind kind = robo__random_u64(&f->random) % TWIN;
        begin(f, &bus->servos[robo__random_u64(&f->random) % bus->count], kind,
              (robo_time)(USUAL[kind] * 1e9), now);
    }
    for (unsigned i = f->count; i-- > 0;) {
        const struct fault due = f->pending[i];
        if (bus->opened + due.at > now)
            continue;
        f->pending[i] = f->pending[--f->count];
        const bool of_line = due.kind == NOISE && due.id == ALL && due.lasts == 0;
        if (of_line)
            send_noise(f, bus, now);
        for (unsigned k = 0, n = of_line ? 0 : bus->count; k < n; k++)
            if (due.id == ALL || bus->servos[k].memory[bus->protocol->id_at] == due.id)
                begin(f, &bus->servos[k], due.kind, due.lasts, now);
    }
}

/* ---- and go on ---- */

static void step(struct robo__servo_bus *bus, robo_time now)
{
    struct faults *f = (struct faults *)bus->faults;
    begin_due(f, bus, now);
    for (unsigned i = 0; i < bus->count; i++) {
        struct robo__sbus_servo *s = &bus->servos[i];
        struct robo__sbus_motor *m = &s->motor;
        const robo_time *until = f->of[i].until;
        const struct robo__sbus_order *o = &m->order;
        const bool up = o->how == ROBO__SBUS_POSITION ? o->goal > m->angle : o->speed > 0;
        const struct robo__sbus_protocol *p = s->model->protocol;
        const double least = robo__sbus_get(s->memory + p->volts_at, p->volts_size) / 10.0;
        if (f->of[i].is_twin && now >= until[TWIN])
            s->starts = ROBO_NEVER; /* it is gone */
        m->burden = now >= until[OVERLOAD] ? f->of[i].torque : up ? -1.5 : 1.5;
        m->voltage = now >= until[VOLTAGE] ? s->model->voltage : fmax(least - 0.5, 0.1);
        if (now < until[HEAT])
            m->temperature = fmax(m->temperature, s->memory[p->heat_at] + 5);
    }
}

/* Whether this status packet has the fault; one that is due once is over then. */
static bool take(struct faults *f, size_t servo, enum kind kind, robo_time now)
{
    const bool has = now < f->of[servo].until[kind] || f->of[servo].once[kind];
    f->of[servo].once[kind] = false;
    return has;
}

static bool answer(struct robo__sbus_servo *s, uint8_t *packet, size_t sum, robo_time *begins,
                   robo_time *at)
{
    struct robo__servo_bus *bus = s->bus;
    struct faults *f = (struct faults *)bus->faults;
    const size_t i = (size_t)(s - bus->servos);
    if (take(f, i, SILENT, *begins))
        return false;
    if (f->of[i].is_twin || f->of[i].is_twinned) /* their clocks differ */
        *begins += (robo_time)(robo__random_uniform(&f->random) * (double)bus->byte);
    if (take(f, i, NOISE, *begins)) { /* its answer comes later */
        const robo_time noise = send_noise(f, bus, *begins) - *begins;
        *begins += noise;
        *at += noise;
    }
    if (take(f, i, CHECKSUM, *begins))
        packet[sum] ^= (uint8_t)(1u << robo__random_u64(&f->random) % 8);
    return true;
}

static struct faults *faults_of(struct robo__servo_bus *bus)
{
    struct faults *f = (struct faults *)bus->faults;
    if (f)
        return f;
    f = calloc(1, sizeof *f);
    if (!f)
        abort();
    f->calls = (struct robo__sbus_faults){ step, answer };
    robo__random_seed(&f->random, 0);
    bus->faults = &f->calls;
    return f;
}

void robo__servo_bus_add_random_faults(struct robo__servo_bus *bus, uint64_t seed,
                                       double per_minute)
{
    struct faults *f = faults_of(bus);
    robo__random_seed(&f->random, seed);
    f->per_minute = per_minute;
}

int robo__servo_bus_add_fault(struct robo__servo_bus *bus, const char *text,
                              char why[ROBO__SERVO_BUS_WHY])
{
    struct faults *f = faults_of(bus);
    struct fault fault = { .kind = 0 };
    char word[16];
    double at, lasts = 0;
    int used = 0, status = 0;
    const int n =
        sscanf(text, "%15[^:]:%3u@%lf%n+%lf%n", word, &fault.id, &at, &used, &lasts, &used);
    while (n >= 3 && fault.kind < KINDS && strcmp(word, NAMES[fault.kind]) != 0)
        fault.kind++;
    if (n < 3 || fault.kind == KINDS || text[used] || !(at >= 0 && at <= 3600) ||
        !(lasts >= 0 && lasts <= 3600))
        status = ROBO_EINVAL;
    else if (f->count == MOST)
        status = ROBO_EFULL;
    else if (fault.id != ALL && !robo__sbus_find(bus, fault.id))
        status = ROBO_ENONE;
    snprintf(why, ROBO__SERVO_BUS_WHY, "%s: %.40s",
             status == ROBO_EINVAL
                 ? "want KIND:ID@SECONDS or KIND:ID@SECONDS+SECONDS, of silent, checksum, "
                   "noise, overload, heat, voltage, restart, cable, twin"
                 : robo_strerror(status),
             text);
    if (status < 0)
        return status;
    fault.at = (robo_time)(at * 1e9);
    fault.lasts = (robo_time)((lasts > 0 ? lasts : USUAL[fault.kind]) * 1e9);
    f->pending[f->count++] = fault;
    return 0;
}

/* ---- shafts ---- */

int robo__servo_bus_view(struct robo__servo_bus *bus, unsigned id, robo_time now,
                         struct robo__servo_bus_view *view)
{
    robo__servo_bus_send(bus, now, NULL, NULL, 0); /* it comes to that instant */
    const struct robo__sbus_servo *s = robo__sbus_find(bus, id);
    if (!s)
        return ROBO_ENONE;
    const struct robo__sbus_motor *m = &s->motor;
    const bool runs = bus->now >= s->starts;
    *view = (struct robo__servo_bus_view){ m->angle * TICK,
                                           m->speed * TICK,
                                           m->duty,
                                           m->temperature,
                                           m->voltage,
                                           runs,
                                           runs && m->order.how != ROBO__SBUS_FREE };
    return 0;
}

int robo__servo_bus_touch(struct robo__servo_bus *bus, unsigned id, robo_time now,
                          const struct robo__servo_bus_touch *touch)
{
    robo__servo_bus_send(bus, now, NULL, NULL, 0);
    struct robo__sbus_servo *s = robo__sbus_find(bus, id);
    if (!s)
        return ROBO_ENONE;
    faults_of(bus)->of[s - bus->servos].torque = touch->torque;
    s->motor.least = touch->is_stopped ? touch->least / TICK : -HUGE_VAL;
    s->motor.most = touch->is_stopped ? touch->most / TICK : HUGE_VAL;
    if (touch->is_turned)
        s->motor.angle = touch->angle / TICK;
    return 0;
}
