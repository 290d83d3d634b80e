/* Feetech STS, protocol 0: FF FF ID LEN INST P1..PN CHK, answered by FF FF ID LEN ERR P.. CHK. */
#include <math.h>
#include <string.h>

#include "inside.h"

enum { PING = 1, READ, WRITE, REG_WRITE, ACTION, REBOOT = 8, SYNC_READ = 0x82, SYNC_WRITE };
enum { ID = 5, BAUD, DELAY, LEVEL, LEAST = 9, GREATEST = 11, HEAT = 13, VOLTS_MOST, VOLTS_LEAST };
enum { TORQUE_MOST = 16, PHASE = 18, UNLOAD, CURRENT_MOST = 28, OFFSET = 31, MODE = 33 };
enum { HOLDING = 34, PROTECTION, OVERLOAD, TORQUE = 40, ACCELERATION, GOAL, TIME = 44, SPEED = 46 };
enum { TORQUE_LIMIT = 48, LOCK = 55, POSITION, VELOCITY = 58, LOAD = 60, VOLTS = 62, DEGREES };
enum { STATUS = 65, MOVING, TARGET, AMPERES = 69, TARGET_TOO = 71 };
enum { VOLTAGE_BIT = 1, HEAT_BIT = 4, CURRENT_BIT = 8, OVERLOAD_BIT = 32 };
enum { SLOW_UNIT = 4, ZERO_IS_FASTEST = 8, MANY_TURNS = 16 }; /* bits of the phase */
enum { MIDDLE_NOW = 128, TICKS = ROBO__SBUS_TICKS };

static int read_signed(const uint8_t *at, unsigned bit)
{
    int raw = (int)robo__sbus_get(at, 2), size = raw & ((1 << bit) - 1);
    return raw >> bit & 1 ? -size : size;
}

static void write_signed(uint8_t *at, unsigned bit, double x)
{
    int most = (1 << bit) - 1;
    int n = (int)fmin(fabs(nearbyint(x)), most);
    robo__sbus_put(at, 2, (uint32_t)(x < 0 && n > 0 ? n | 1 << bit : n));
}

/* ---- registers and the motor ---- */

/* The zero of the readings, in ticks of the shaft. */
static double zero_of(const struct robo__sbus_servo *s)
{
    return s->turns + read_signed(s->memory + OFFSET, 11);
}

/* What the shaft's angle reads as, within a turn. */
static double within_turn(double x)
{
    return x - floor(x / TICKS) * TICKS;
}

static void apply(struct robo__sbus_servo *s)
{
    const uint8_t *r = s->memory;
    struct robo__sbus_order *o = &s->motor.order;
    double unit = r[PHASE] & SLOW_UNIT ? 1 : 50;
    double speed = read_signed(r + SPEED, 15) * unit;
    o->acceleration = r[ACCELERATION] * 100.0;
    o->limit = robo__sbus_get(r + TORQUE_LIMIT, 2) / 1000.0;
    if (s->is_shut)
        o->limit = fmin(o->limit, r[HOLDING] / 100.0);
    o->how = r[TORQUE] == 1 ? ROBO__SBUS_SPEED : ROBO__SBUS_FREE;
    o->speed = speed;
    if (r[MODE] == 2)
        o->speed = read_signed(r + TIME, 10) / 1000.0 * s->model->top;
    else if (r[MODE] == 3)
        o->speed = 0;
    if (r[MODE] != 0 || r[TORQUE] != 1)
        return;
    o->how = ROBO__SBUS_POSITION;
    o->speed = speed != 0 ? fabs(speed) : r[PHASE] & ZERO_IS_FASTEST ? s->model->top : 0;
    double goal = read_signed(r + GOAL, 15), reading = s->motor.angle - zero_of(s);
    uint32_t least = robo__sbus_get(r + LEAST, 2), most = robo__sbus_get(r + GREATEST, 2);
    if (least || most) { /* within the turn where it is, by the way that does not leave it */
        goal = fmin(fmax(goal, least), most);
        reading = within_turn(reading);
    }
    o->goal = s->motor.angle + goal - reading;
}

static void refresh(struct robo__sbus_servo *s)
{
    uint8_t *r = s->memory;
    const struct robo__sbus_motor *m = &s->motor;
    double reading = nearbyint(m->angle - zero_of(s));
    write_signed(r + POSITION, 15, r[PHASE] & MANY_TURNS ? reading : within_turn(reading));
    write_signed(r + VELOCITY, 15, m->speed / (r[PHASE] & SLOW_UNIT ? 1 : 50));
    write_signed(r + LOAD, 10, m->duty * 1000);
    r[VOLTS] = (uint8_t)nearbyint(m->voltage * 10);
    r[DEGREES] = (uint8_t)nearbyint(m->temperature);
    r[STATUS] = s->status;
    r[MOVING] = m->speed != 0 ||
                (m->order.how == ROBO__SBUS_POSITION && fabs(m->order.goal - m->angle) >= 1);
    memcpy(r + TARGET, r + GOAL, 2);
    memcpy(r + TARGET_TOO, r + GOAL, 2);
    write_signed(r + AMPERES, 15, m->torque * s->model->stall / s->model->ampere);
}

static void start(struct robo__sbus_servo *s)
{
    memcpy(s->memory + TORQUE_LIMIT, s->kept + TORQUE_MOST, 2);
    memcpy(s->memory + GOAL, s->memory + POSITION, 2);
    apply(s);
}

/* Makes the place where it stands 2048, and keeps that. */
static void make_middle(struct robo__sbus_servo *s)
{
    double actual = within_turn(nearbyint(s->motor.angle - s->turns));
    write_signed(s->memory + OFFSET, 11, actual - TICKS / 2);
    memcpy(s->kept + OFFSET, s->memory + OFFSET, 2);
    robo__sbus_put(s->memory + GOAL, 2, TICKS / 2);
    apply(s);
}

static void watch(struct robo__sbus_servo *s, robo_time now)
{
    (void)now;
    uint8_t *r = s->memory;
    const struct robo__sbus_motor *m = &s->motor;
    double strain = fabs(m->torque), current = strain * s->model->stall / s->model->ampere;
    double time = r[PROTECTION] * 0.01;
    s->strained = strain * 100 >= r[OVERLOAD] && strain > 0 ? s->strained + ROBO__SBUS_STEP : 0;
    if (r[TORQUE] == 1)
        s->drained =
            current > robo__sbus_get(r + CURRENT_MOST, 2) ? s->drained + ROBO__SBUS_STEP : 0;
    uint8_t was = s->status;
    s->is_shut |= s->strained > time;
    bool is_drained = s->drained > time, is_hot = m->temperature >= r[HEAT];
    bool is_weak = m->voltage * 10 > r[VOLTS_MOST] || m->voltage * 10 < r[VOLTS_LEAST];
    s->status = (uint8_t)(is_weak * VOLTAGE_BIT | is_hot * HEAT_BIT | is_drained * CURRENT_BIT |
                          s->is_shut * OVERLOAD_BIT);
    if (s->status & r[UNLOAD] & ~OVERLOAD_BIT && r[TORQUE] == 1)
        r[TORQUE] = 0;
    else if (s->status == was)
        return;
    apply(s);
}

/* Writes n bytes from an address on; rows that are read only, unknown or out of range stay. */
static void store(struct robo__sbus_servo *s, unsigned address, const uint8_t *bytes, unsigned n)
{
    bool keeps = s->memory[LOCK] == 0;
    for (unsigned i = 0; i < n;) {
        const struct robo__sbus_row *row = robo__sbus_row_of(s->model, address + i);
        if (!row) {
            i++;
            continue;
        }
        uint8_t value[4];
        memcpy(value, s->memory + row->at, row->size);
        for (unsigned k = address + i - row->at; k < row->size && i < n; k++)
            value[k] = bytes[i++];
        uint32_t raw = robo__sbus_get(value, row->size);
        int32_t size = (int32_t)(row->sign ? raw & ((1u << row->sign) - 1) : raw);
        if (row->kind == ROBO__SBUS_READ || size < row->least || size > row->most ||
            (row->at == TORQUE && raw > 2 && raw != MIDDLE_NOW))
            continue;
        if (row->at == TORQUE && raw == MIDDLE_NOW) {
            make_middle(s);
            continue;
        }
        memcpy(s->memory + row->at, value, row->size);
        if (row->kind == ROBO__SBUS_KEPT && keeps)
            memcpy(s->kept + row->at, value, row->size);
    }
    apply(s);
}

/* ---- packets ---- */

static void answer(struct robo__sbus_servo *s, unsigned id, robo_time *at, const uint8_t *bytes,
                   size_t n)
{
    uint8_t p[6 + ROBO__SBUS_MEMORY] = { 0xFF, 0xFF, (uint8_t)id, (uint8_t)(n + 2), s->status };
    memcpy(p + 5, bytes, n);
    uint8_t sum = 0;
    for (size_t i = 2; i < n + 5; i++)
        sum = (uint8_t)(sum + p[i]);
    p[n + 5] = (uint8_t)~sum;
    robo__sbus_answer(s, at, p, n + 6, 1);
}

/* An instruction for one servo. True: it is answered, with the *size bytes from *from on. */
static bool carry_out(struct robo__sbus_servo *s, unsigned inst, const uint8_t *p, unsigned n,
                      robo_time now, const uint8_t **from, unsigned *size)
{
    *size = 0;
    bool answers = s->memory[LEVEL] == 1;
    switch (inst) {
    case PING: return n == 0;
    case READ:
        if (n != 2 || p[1] == 0 || p[1] > 253 || p[0] + p[1] > ROBO__SBUS_MEMORY)
            return false;
        s->model->protocol->refresh(s);
        *from = s->memory + p[0];
        *size = p[1];
        return true;
    case WRITE:
    case REG_WRITE:
        if (n < 2 || p[0] + n - 1 > ROBO__SBUS_MEMORY)
            return false;
        if (inst == WRITE) {
            store(s, p[0], p + 1, n - 1);
            return answers;
        }
        s->registered_at = p[0];
        s->registered = n - 1;
        memcpy(s->registered_bytes, p + 1, n - 1);
        return answers;
    case ACTION:
        store(s, s->registered_at, s->registered_bytes, s->registered);
        s->registered = 0;
        return answers;
    case REBOOT: robo__sbus_restart(s, now); return false;
    default: return false;
    }
}

/* Several servos in turn: all that have that id answer n bytes from their registers at one time. */
static void answer_turn(struct robo__servo_bus *bus, unsigned id, unsigned from, unsigned n,
                        robo_time end, robo_time *at)
{
    robo_time slot = *at;
    struct robo__sbus_servo *s;
    for (unsigned k = 0; (s = robo__sbus_next(bus, id, end, &k));) {
        *at = slot;
        refresh(s);
        answer(s, id, at, s->memory + from, n);
    }
}

static void sync_read(struct robo__servo_bus *bus, const uint8_t *p, unsigned n, robo_time end)
{
    if (n < 3 || p[1] == 0 || p[1] > 253 || p[0] + p[1] > ROBO__SBUS_MEMORY)
        return;
    robo_time at = end;
    for (unsigned i = 2; i < n; i++) {
        robo_time slot = at;
        answer_turn(bus, p[i], p[0], p[1], end, &at);
        if (at == slot)
            robo__sbus_pass(bus, &at, p[1] + 6u);
    }
}

static void sync_write(struct robo__servo_bus *bus, const uint8_t *p, unsigned n, robo_time end)
{
    unsigned size = n > 2 ? p[1] : 0;
    struct robo__sbus_servo *s;
    if (size == 0 || (n - 2) % (size + 1) != 0 || p[0] + size > ROBO__SBUS_MEMORY)
        return;
    for (unsigned i = 2; i < n; i += size + 1)
        for (unsigned k = 0; (s = robo__sbus_next(bus, p[i], end, &k));)
            store(s, p[0], p + i + 1, size);
}

static void dispatch(struct robo__servo_bus *bus, unsigned id, unsigned inst, const uint8_t *p,
                     unsigned n, robo_time end)
{
    bool all = id == ROBO__SERVO_BUS_ALL;
    robo_time at = end;
    struct robo__sbus_servo *s;
    robo__sbus_settle(bus, end);
    if (inst == SYNC_READ && all)
        sync_read(bus, p, n, end);
    else if (inst == SYNC_WRITE && all)
        sync_write(bus, p, n, end);
    else if (all && inst == PING && n == 0)
        for (unsigned one = 0; one < ROBO__SERVO_BUS_ALL; one++) /* in the order of their ids */
            answer_turn(bus, one, 0, 0, end, &at);
    else
        for (unsigned k = 0; (s = robo__sbus_next(bus, all ? ROBO__SBUS_ANY : id, end, &k));) {
            const uint8_t *from = s->memory;
            unsigned size;
            at = end;
            if (carry_out(s, inst, p, n, end, &from, &size) && !all)
                answer(s, id, &at, from, size);
        }
}

static size_t parse(struct robo__servo_bus *bus, const uint8_t *b, size_t n, robo_time end)
{
    if (b[0] != 0xFF || (n > 1 && b[1] != 0xFF) || (n > 2 && b[2] == 0xFF) || (n > 3 && b[3] < 2))
        return 1;
    if (n < 4 || n < b[3] + 4u)
        return 0;
    size_t size = b[3] + 4u;
    uint8_t sum = 0;
    for (size_t i = 2; i < size; i++)
        sum = (uint8_t)(sum + b[i]);
    if (sum == 0xFF)
        dispatch(bus, b[2], b[4], b + 5, b[3] - 2u, end);
    return size;
}

/* clang-format off */
const struct robo__sbus_protocol robo__sbus_feetech = { /* baud rates from 76800 on: by the vendor's library */
    254, { 1000000, 500000, 250000, 128000, 115200, 76800, 57600, 38400 }, ID, BAUD, DELAY, HEAT, VOLTS_LEAST, 1, 800000000,
    parse, start, watch, refresh
};
