/* Dynamixel protocol 2.0: FF FF FD 00 ID LEN LEN INST P.. CRC CRC; status packets have instruction 55 and an error first. */
#include <math.h>
#include <string.h>

#include "inside.h"

enum {
    PING = 1,
    READ,
    WRITE,
    REG_WRITE,
    ACTION,
    REBOOT = 8,
    STATUS = 0x55,
    SYNC_READ = 0x82,
    SYNC_WRITE
};
enum { DAMAGED = 256 }; /* instead of the instruction of a packet with a wrong CRC */
enum { RESULT_FAIL = 1, INSTRUCTION, WRONG_CRC, RANGE, LENGTH, LIMIT, ACCESS, ALERT = 128 };
enum { FIRMWARE = 6, ID, BAUD, DELAY, DRIVE, MODE, OFFSET = 20, HEAT = 31, VOLTS_MOST };
enum { VOLTS_LEAST = 34, PWM_LIMIT = 36, CURRENT_LIMIT = 38, VELOCITY_LIMIT = 44, GREATEST = 48 };
enum { LEAST = 52, SHUTDOWN = 63, TORQUE, LEVEL = 68, HARDWARE = 70, WATCHDOG = 98 };
enum { GOAL_PWM = 100, GOAL_CURRENT = 102, GOAL_VELOCITY = 104, ACCELERATION = 108, PROFILE = 112 };
enum { GOAL = 116, MOVING = 122, MOVING_STATUS, PWM, LOAD = 126, VELOCITY = 128, POSITION = 132 };
enum { VOLTS = 144, DEGREES = 146 };
enum { CURRENT_MODE, VELOCITY_MODE, POSITION_MODE = 3, EXTENDED, CURRENT_POSITION, PWM_MODE = 16 };
enum { REVERSE = 1, BY_TIME = 4, TORQUE_BY_GOAL = 8 };       /* bits of the drive mode */
enum { VOLTAGE_BIT = 1, HEAT_BIT = 4, OVERLOAD_BIT = 32 };   /* of the hardware error */
enum { TICKS = ROBO__SBUS_TICKS, HEAD = 8, FULL_PWM = 885 }; /* HEAD: bytes up to the instruction */
static const double VELOCITY_UNIT = 0.229 / 60 * TICKS;      /* ticks/s */
static const double ACCELERATION_UNIT = 214.577 / 3600 * TICKS; /* ticks/s2 */
static const double STRAIN = 0.8, STRAINED = 2;                 /* of the torque, s: overload */
static const robo_time WATCH_UNIT = 20 * 1000000;

static uint16_t crc_of(const uint8_t *bytes, size_t n)
{
    uint16_t crc = 0;
    for (size_t i = 0; i < n; i++) {
        crc = (uint16_t)(crc ^ bytes[i] << 8);
        for (int bit = 0; bit < 8; bit++)
            crc = (uint16_t)(crc & 0x8000 ? crc << 1 ^ 0x8005 : crc << 1);
    }
    return crc;
}

/* ---- registers and the motor ---- */

static int32_t read_signed(const struct robo__sbus_servo *s, unsigned at, unsigned size)
{
    uint32_t raw = robo__sbus_get(s->memory + at, size);
    return size == 2 ? (int16_t)raw : (int32_t)raw;
}

static void write_signed(struct robo__sbus_servo *s, unsigned at, unsigned size, double x)
{
    robo__sbus_put(s->memory + at, size, (uint32_t)(int32_t)nearbyint(x));
}

static double way(const struct robo__sbus_servo *s)
{
    return s->memory[DRIVE] & REVERSE ? -1 : 1;
}

static double reading_of(const struct robo__sbus_servo *s)
{
    return way(s) * (s->motor.angle - s->turns) + read_signed(s, OFFSET, 4);
}

static double of_stall(const struct robo__sbus_servo *s, unsigned at)
{
    return read_signed(s, at, 2) * s->model->ampere / s->model->stall;
}

static void apply(struct robo__sbus_servo *s)
{
    struct robo__sbus_order *o = &s->motor.order;
    unsigned mode = s->memory[MODE];
    double most = fmin(robo__sbus_get(s->memory + PWM_LIMIT, 2), FULL_PWM);
    double pwm = fmin(fmax(read_signed(s, GOAL_PWM, 2), -most), most);
    *o = (struct robo__sbus_order){ .how = ROBO__SBUS_FREE };
    if (s->memory[TORQUE] == 0)
        return;
    o->how = ROBO__SBUS_SPEED;
    o->limit = (mode == PWM_MODE ? most : fabs(pwm)) / FULL_PWM;
    if (s->has_tripped || s->is_held)
        return; /* it stands, by the greatest acceleration */
    if (mode == POSITION_MODE || mode == EXTENDED || mode == CURRENT_POSITION) {
        o->how = ROBO__SBUS_POSITION;
        o->speed = s->speed;
        o->acceleration = s->acceleration;
        o->goal = s->turns + way(s) * (read_signed(s, GOAL, 4) - read_signed(s, OFFSET, 4));
        if (mode == CURRENT_POSITION)
            o->limit = fmin(o->limit, fabs(of_stall(s, GOAL_CURRENT)));
    } else if (mode == VELOCITY_MODE) {
        o->speed = way(s) * read_signed(s, GOAL_VELOCITY, 4) * VELOCITY_UNIT;
        o->acceleration = robo__sbus_get(s->memory + ACCELERATION, 4) * ACCELERATION_UNIT;
    } else {
        double share = mode == CURRENT_MODE ? of_stall(s, GOAL_CURRENT) : pwm / FULL_PWM;
        o->speed = way(s) * share * s->model->top;
        o->limit = fmin(o->limit, fabs(share));
    }
}

/* The profile of a new goal, by speed and acceleration or by times. */
static void plan(struct robo__sbus_servo *s)
{
    double velocity = robo__sbus_get(s->memory + PROFILE, 4);
    double acceleration = robo__sbus_get(s->memory + ACCELERATION, 4);
    s->speed = velocity > 0 ? velocity * VELOCITY_UNIT : s->model->top;
    s->acceleration = acceleration * ACCELERATION_UNIT;
    if (!(s->memory[DRIVE] & BY_TIME))
        return;
    double whole = velocity * 1e-3, part = fmin(acceleration * 1e-3, whole / 2);
    double far = fabs(read_signed(s, GOAL, 4) - reading_of(s));
    s->speed = whole > 0 ? fmax(far / (whole - part), 1) : s->model->top;
    s->acceleration = part > 0 ? s->speed / part : 0;
}

static void refresh(struct robo__sbus_servo *s)
{
    const struct robo__sbus_motor *m = &s->motor;
    bool to_goal = m->order.how == ROBO__SBUS_POSITION;
    bool is_there = to_goal && fabs(m->order.goal - m->angle) < 10;
    s->memory[HARDWARE] = s->status;
    s->memory[MOVING] = m->speed != 0;
    s->memory[MOVING_STATUS] = (uint8_t)((is_there ? 1 : 0) | (to_goal && m->speed != 0 ? 2 : 0));
    write_signed(s, PWM, 2, way(s) * m->duty * FULL_PWM);
    double full = s->model->ampere > 0 ? s->model->stall / s->model->ampere : 1000;
    write_signed(s, LOAD, 2, way(s) * m->torque * full);
    write_signed(s, VELOCITY, 4, way(s) * m->speed / VELOCITY_UNIT);
    write_signed(s, POSITION, 4, fmin(fmax(reading_of(s), INT32_MIN), INT32_MAX));
    robo__sbus_put(s->memory + VOLTS, 2, (uint32_t)nearbyint(m->voltage * 10));
    s->memory[DEGREES] = (uint8_t)nearbyint(m->temperature);
}

static void start(struct robo__sbus_servo *s)
{
    memcpy(s->memory + GOAL_PWM, s->memory + PWM_LIMIT, 2);
    if (s->model->ampere > 0)
        memcpy(s->memory + GOAL_CURRENT, s->memory + CURRENT_LIMIT, 2);
    memcpy(s->memory + GOAL, s->memory + POSITION, 4);
    plan(s);
    apply(s);
}

static void watch(struct robo__sbus_servo *s, robo_time now)
{
    const struct robo__sbus_motor *m = &s->motor;
    const uint8_t *r = s->memory;
    s->strained = fabs(m->torque) >= STRAIN ? s->strained + ROBO__SBUS_STEP : 0;
    if (m->voltage * 10 > robo__sbus_get(r + VOLTS_MOST, 2) ||
        m->voltage * 10 < robo__sbus_get(r + VOLTS_LEAST, 2))
        s->status |= VOLTAGE_BIT;
    if (m->temperature >= r[HEAT])
        s->status |= HEAT_BIT;
    if (s->strained > STRAINED)
        s->status |= OVERLOAD_BIT;
    if (s->status & r[SHUTDOWN] && !s->is_shut) {
        s->is_shut = true;
        s->memory[TORQUE] = 0;
        apply(s);
    }
    if (!s->has_tripped && r[TORQUE] && r[WATCHDOG] && now - s->fed > r[WATCHDOG] * WATCH_UNIT) {
        s->has_tripped = true;
        s->memory[WATCHDOG] = 255; /* -1 */
        apply(s);
    }
}

static bool is_goal(unsigned at)
{
    return at == GOAL_PWM || at == GOAL_CURRENT || at == GOAL_VELOCITY || at == GOAL;
}

/* The error of writing one row; 0: none. */
static unsigned judge(const struct robo__sbus_servo *s, const struct robo__sbus_row *row,
                      uint32_t raw)
{
    int32_t x = row->size == 2 ? (int16_t)raw : (int32_t)raw;
    bool fits = x >= row->least && x <= row->most;
    if (row->at == MODE) /* bits: 1, 3, 4 and 16; with current also 0 and 5 */
        fits = fits && (s->model->ampere > 0 ? 0x1003B : 0x1001A) >> x & 1;
    bool is_locked = s->has_tripped && (is_goal(row->at) || (row->at == WATCHDOG && x != 0));
    if (row->kind == ROBO__SBUS_READ || (row->kind == ROBO__SBUS_KEPT && s->memory[TORQUE]))
        return ACCESS;
    if (!fits || is_locked)
        return RANGE;
    if (row->at == TORQUE && x && s->is_shut)
        return RESULT_FAIL;
    int32_t most = row->at == GOAL_PWM        ? read_signed(s, PWM_LIMIT, 2)
                   : row->at == GOAL_CURRENT  ? read_signed(s, CURRENT_LIMIT, 2)
                   : row->at == GOAL_VELOCITY ? read_signed(s, VELOCITY_LIMIT, 4)
                                              : INT32_MAX;
    int32_t least = -most;
    if (row->at == GOAL && s->memory[MODE] == POSITION_MODE) {
        least = read_signed(s, LEAST, 4);
        most = read_signed(s, GREATEST, 4);
    }
    return x < least || x > most ? LIMIT : 0;
}

static void take_row(struct robo__sbus_servo *s, const struct robo__sbus_row *row,
                     const uint8_t *value)
{
    const unsigned at = row->at;
    memcpy(s->memory + at, value, row->size);
    if (row->kind == ROBO__SBUS_KEPT)
        memcpy(s->kept + at, value, row->size);
    if (at == WATCHDOG) { /* after a trip it stands until the next goal */
        s->is_held |= s->has_tripped;
        s->has_tripped = false;
    }
    if (is_goal(at)) {
        s->is_held = false;
        if (s->memory[DRIVE] & TORQUE_BY_GOAL && !s->is_shut)
            s->memory[TORQUE] = 1;
    }
    if (at == GOAL)
        plan(s);
}

/* Writes all n bytes, or none and returns the error. */
static unsigned store(struct robo__sbus_servo *s, unsigned address, const uint8_t *bytes,
                      unsigned n)
{
    const struct robo__sbus_row *row;
    if (n == 0 || address + n > ROBO__SBUS_MEMORY)
        return n == 0 ? LENGTH : ACCESS;
    for (int pass = 0; pass < 2; pass++) /* first all are judged */
        for (unsigned i = 0; i < n; i += row->size) {
            row = robo__sbus_row_of(s->model, address + i);
            if (!row)
                return ACCESS;
            if (address + i != row->at || i + row->size > n)
                return LENGTH;
            unsigned error = judge(s, row, robo__sbus_get(bytes + i, row->size));
            if (error && pass == 0)
                return error;
            if (!error && pass == 1)
                take_row(s, row, bytes + i);
        }
    apply(s);
    return 0;
}

static bool load(struct robo__sbus_servo *s, unsigned address, unsigned n, uint8_t *to)
{
    if (n == 0 || address + n > ROBO__SBUS_MEMORY)
        return false;
    refresh(s);
    memcpy(to, s->memory + address, n);
    return true;
}

/* ---- packets ---- */

static void answer(struct robo__sbus_servo *s, unsigned id, robo_time *at, unsigned error,
                   const uint8_t *bytes, size_t n)
{
    uint8_t p[HEAD + 2 * ROBO__SBUS_MEMORY] = { 0xFF, 0xFF, 0xFD, 0, (uint8_t)id };
    size_t size = HEAD - 1;
    p[size++] = STATUS;
    p[size++] = (uint8_t)(error | (s->status ? ALERT : 0));
    for (size_t i = 0; i < n; i++) {
        p[size++] = bytes[i];
        if (p[size - 1] == 0xFD && p[size - 2] == 0xFF && p[size - 3] == 0xFF)
            p[size++] = 0xFD;
    }
    robo__sbus_put(p + 5, 2, (uint32_t)(size + 2 - 7));
    robo__sbus_put(p + size, 2, crc_of(p, size));
    robo__sbus_answer(s, at, p, size + 2, 2);
}

/* An instruction for one servo. Returns its error; *size bytes of data are in `data`; *least: the status return level from
 * which on it is answered. */
static unsigned carry_out(struct robo__sbus_servo *s, unsigned inst, const uint8_t *p, unsigned n,
                          uint8_t *data, unsigned *size, unsigned *least)
{
    *size = 0;
    *least = inst == PING ? 0 : inst == READ ? 1 : 2;
    unsigned address = n >= 2 ? robo__sbus_get(p, 2) : 0;
    switch (inst) {
    case PING:
        memcpy(data, s->memory, 2);
        data[2] = s->memory[FIRMWARE];
        *size = 3;
        return n == 0 ? 0 : LENGTH;
    case READ: {
        unsigned want = n == 4 ? robo__sbus_get(p + 2, 2) : 0;
        if (!load(s, address, want, data))
            return LENGTH;
        *size = want;
        return 0;
    }
    case WRITE: return n < 3 ? LENGTH : store(s, address, p + 2, n - 2);
    case REG_WRITE:
        if (n < 3 || address + n - 2 > ROBO__SBUS_MEMORY)
            return LENGTH;
        s->registered_at = address;
        s->registered = n - 2;
        memcpy(s->registered_bytes, p + 2, n - 2);
        return 0;
    case ACTION: {
        unsigned bytes = s->registered;
        s->registered = 0;
        return bytes ? store(s, s->registered_at, s->registered_bytes, bytes) : RESULT_FAIL;
    }
    case REBOOT: return n == 0 ? 0 : LENGTH;
    case DAMAGED: return WRONG_CRC;
    default: return INSTRUCTION;
    }
}

/* A servo's turn in the answers to a reading of several; all that have that id answer at one time. */
static void answer_read(struct robo__servo_bus *bus, unsigned id, unsigned address, unsigned n,
                        robo_time end, robo_time *at)
{
    uint8_t data[ROBO__SBUS_MEMORY];
    robo_time slot = *at;
    struct robo__sbus_servo *s;
    for (unsigned k = 0; (s = robo__sbus_next(bus, id, end, &k));)
        if (s->memory[LEVEL] > 0) {
            bool has = load(s, address, n, data);
            *at = slot;
            answer(s, id, at, has ? 0 : LENGTH, data, has ? n : 0);
        }
    if (*at == slot && n <= ROBO__SBUS_MEMORY)
        robo__sbus_pass(bus, at, n + 11);
}

/* Each servo's part is its id, and of SYNC_WRITE its data. */
static void dispatch_group(struct robo__servo_bus *bus, unsigned inst, const uint8_t *p, unsigned n,
                           robo_time end)
{
    const uint8_t *last = p + n;
    robo_time at = end;
    struct robo__sbus_servo *s;
    if (n < 4)
        return;
    const unsigned address = robo__sbus_get(p, 2), size = robo__sbus_get(p + 2, 2);
    for (p += 4; p < last;) {
        const unsigned id = *p++;
        if (inst == SYNC_READ) {
            answer_read(bus, id, address, size, end, &at);
            continue;
        }
        if (last - p < size)
            return;
        for (unsigned k = 0; (s = robo__sbus_next(bus, id, end, &k));)
            store(s, address, p, size);
        p += size;
    }
}

static void dispatch(struct robo__servo_bus *bus, unsigned id, unsigned inst, const uint8_t *p,
                     unsigned n, robo_time end)
{
    uint8_t data[ROBO__SBUS_MEMORY];
    bool all = id == ROBO__SERVO_BUS_ALL;
    robo_time at = end;
    struct robo__sbus_servo *s;
    robo__sbus_settle(bus, end);
    for (unsigned k = 0; inst != DAMAGED && (s = robo__sbus_next(bus, ROBO__SBUS_ANY, end, &k));)
        s->fed = end;
    if (all && inst >= SYNC_READ) {
        if (inst <= SYNC_WRITE)
            dispatch_group(bus, inst, p, n, end);
        return;
    }
    if (inst == STATUS || (all && inst == READ))
        return;
    /* of all servos, those that answer do so in the order of their ids */
    for (unsigned one = all ? 0 : id; one <= (all ? 252 : id); one++) {
        robo_time slot = at;
        for (unsigned k = 0; (s = robo__sbus_next(bus, one, end, &k));) {
            unsigned size, least, error = carry_out(s, inst, p, n, data, &size, &least);
            if ((!all || inst == PING) && s->memory[LEVEL] >= least) {
                at = slot;
                answer(s, one, &at, error, data, error ? 0 : size);
            }
            if (inst == REBOOT && !error)
                robo__sbus_restart(s, end);
        }
    }
}

static size_t parse(struct robo__servo_bus *bus, const uint8_t *b, size_t n, robo_time end)
{
    static const uint8_t head[] = { 0xFF, 0xFF, 0xFD, 0 };
    size_t known = n < sizeof head ? n : sizeof head;
    if (memcmp(b, head, known) != 0 || (n > 4 && b[4] == 0xFF))
        return 1;
    if (n < 7)
        return 0;
    size_t length = robo__sbus_get(b + 5, 2), size = 7 + length;
    if (length < 3 || size > ROBO__SBUS_PACKET)
        return 1;
    if (n < size)
        return 0;
    if (crc_of(b, size - 2) != robo__sbus_get(b + size - 2, 2)) {
        dispatch(bus, b[4], DAMAGED, NULL, 0, end);
        return size;
    }
    uint8_t plain[ROBO__SBUS_PACKET];
    unsigned used = 0;
    for (size_t i = 7; i < size - 2; i++) {
        plain[used++] = b[i];
        if (used >= 3 && b[i] == 0xFD && b[i - 1] == 0xFF && b[i - 2] == 0xFF && i + 1 < size - 2 &&
            b[i + 1] == 0xFD)
            i++;
    }
    dispatch(bus, b[4], plain[0], plain + 1, used - 1, end);
    return size;
}

/* clang-format off */
const struct robo__sbus_protocol robo__sbus_dynamixel = {
    253, { 9600, 57600, 115200, 1000000, 2000000, 3000000, 4000000, 4500000 }, ID, BAUD, DELAY, HEAT, VOLTS_LEAST, 2, 500000000,
    parse, start, watch, refresh
};
