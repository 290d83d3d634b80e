/* Models of servos. */
#include "models.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dynamixel.h"
#include "feetech.h"

#define PI     3.14159265358979323846
#define TICK   (2 * PI / 4096)
#define POT    (PI / 180 * 300 / 1024) /* a potentiometer of 300 degrees */
#define RPM    (2 * PI / 60)
#define KELVIN 1 /* a degree */

/* ---- the rows ---- */

/* What all servos of Feetech have. */
#define FEETECH_ROWS                                                                               \
    [ROBO__SERVOS_MODEL] = { 3, 2, 0, 1 }, [ROBO__SERVOS_DELAY] = { 7, 1, 0, 2e-6 },               \
    [ROBO__SERVOS_LEAST] = { 9, 2, 0, 1 }, [ROBO__SERVOS_GREATEST] = { 11, 2, 0, 1 },              \
    [ROBO__SERVOS_ID] = { 5, 1, 0, 1 }, [ROBO__SERVOS_BAUD] = { 6, 1, 0, 1 },                      \
    [ROBO__SERVOS_TORQUE] = { 40, 1, 0, 1 }, [ROBO__SERVOS_LOAD] = { 60, 2, 10, 1e-3 },            \
    [ROBO__SERVOS_VOLTAGE] = { 62, 1, 0, 0.1 }, [ROBO__SERVOS_TEMPERATURE] = { 63, 1, 0, KELVIN }, \
    [ROBO__SERVOS_ALARMS] = { 65, 1, 0, 1 }
#define FEETECH_BLOCKS                                                                               \
    .packets = &robo__feetech_packets,                                                               \
    .rate = { { 38400, 7 }, { 57600, 6 }, { 115200, 4 }, { 500000, 1 }, { 1000000, 0 } },            \
    .alarm = { "voltage", "an encoder fault", "overheating", "too much current", NULL, "overload" }, \
    .grave = 1u << 1 | 1u << 2 | 1u << 3 | 1u << 5

static const struct robo__servos_family STS = {
    FEETECH_BLOCKS,
    .place = { FEETECH_ROWS, [ROBO__SERVOS_PHASE] = { 18, 1, 0, 1 },
               [ROBO__SERVOS_MODE] = { 33, 1, 0, 1 }, [ROBO__SERVOS_OFFSET] = { 31, 2, 11, 1 },
               [ROBO__SERVOS_LOCK] = { 55, 1, 0, 1 },
               [ROBO__SERVOS_ACCELERATION] = { 41, 1, 0, 100 * TICK },
               [ROBO__SERVOS_GOAL_POSITION] = { 42, 2, 15, TICK },
               [ROBO__SERVOS_GOAL_SPEED] = { 46, 2, 15, TICK },
               [ROBO__SERVOS_SPEED_LIMIT] = { 46, 2, 15, TICK },
               [ROBO__SERVOS_TORQUE_LIMIT] = { 48, 2, 0, 1e-3 },
               [ROBO__SERVOS_POSITION] = { 56, 2, 15, TICK },
               [ROBO__SERVOS_SPEED] = { 58, 2, 15, TICK },
               [ROBO__SERVOS_CURRENT] = { 69, 2, 15, 1 } },
    .sync_read = true,
    .mode = { [ROBO__SERVOS_BY_POSITION] = 1u << 0, [ROBO__SERVOS_BY_SPEED] = 1u << 1 },
    .profile = { 41, 7 },
    .fast = { 56, 6 },
    .slow = { { 62, 9 }, { 40, 1 } },
};

static const struct robo__servos_family SCS = {
    FEETECH_BLOCKS,
    .place = { FEETECH_ROWS, [ROBO__SERVOS_LOCK] = { 48, 1, 0, 1 },
               [ROBO__SERVOS_GOAL_POSITION] = { 42, 2, 0, POT },
               [ROBO__SERVOS_SPEED_LIMIT] = { 46, 2, 0, POT },
               [ROBO__SERVOS_POSITION] = { 56, 2, 0, POT },
               [ROBO__SERVOS_SPEED] = { 58, 2, 15, POT } },
    .big_endian = true,
    .mode = { [ROBO__SERVOS_BY_POSITION] = 1 },
    .profile = { 42, 6 },
    .fast = { 56, 6 },
    .slow = { { 62, 4 }, { 40, 1 } },
};

/* What all servos of the X series have. */
#define X_SERIES                                                                                   \
    [ROBO__SERVOS_MODEL] = { 0, 2, 0, 1 }, [ROBO__SERVOS_DELAY] = { 9, 1, 0, 2e-6 },               \
    [ROBO__SERVOS_ID] = { 7, 1, 0, 1 }, [ROBO__SERVOS_BAUD] = { 8, 1, 0, 1 },                      \
    [ROBO__SERVOS_OFFSET] = { 20, 4, ROBO__SERVOS_TWOS, 1 },                                       \
    [ROBO__SERVOS_DRIVE] = { 10, 1, 0, 1 }, [ROBO__SERVOS_MODE] = { 11, 1, 0, 1 },                 \
    [ROBO__SERVOS_FASTEST] = { 44, 4, 0, 0.229 * RPM }, [ROBO__SERVOS_GREATEST] = { 48, 4, 0, 1 }, \
    [ROBO__SERVOS_LEAST] = { 52, 4, 0, 1 }, [ROBO__SERVOS_SHUTDOWN] = { 63, 1, 0, 1 },             \
    [ROBO__SERVOS_TORQUE] = { 64, 1, 0, 1 }, [ROBO__SERVOS_ALARMS] = { 70, 1, 0, 1 },              \
    [ROBO__SERVOS_WATCHDOG] = { 98, 1, 0, 0.02 },                                                  \
    [ROBO__SERVOS_GOAL_SPEED] = { 104, 4, ROBO__SERVOS_TWOS, 0.229 * RPM },                        \
    [ROBO__SERVOS_ACCELERATION] = { 108, 4, 0, 214.577 * RPM / 60 },                               \
    [ROBO__SERVOS_SPEED_LIMIT] = { 112, 4, 0, 0.229 * RPM },                                       \
    [ROBO__SERVOS_GOAL_POSITION] = { 116, 4, ROBO__SERVOS_TWOS, TICK },                            \
    [ROBO__SERVOS_SPEED] = { 128, 4, ROBO__SERVOS_TWOS, 0.229 * RPM },                             \
    [ROBO__SERVOS_POSITION] = { 132, 4, ROBO__SERVOS_TWOS, TICK },                                 \
    [ROBO__SERVOS_VOLTAGE] = { 144, 2, 0, 0.1 },                                                   \
    [ROBO__SERVOS_TEMPERATURE] = { 146, 1, 0, KELVIN }
#define X_BLOCKS                                                                    \
    .packets = &robo__dynamixel_packets, .sync_read = true, .profile = { 108, 12 }, \
    .fast = { 126, 10 }, .slow = { { 144, 3 }, { 64, 7 }, { 98, 1 } },              \
    .rate = { { 9600, 0 },    { 57600, 1 },   { 115200, 2 }, { 1000000, 3 },        \
              { 2000000, 4 }, { 3000000, 5 }, { 4000000, 6 } },                     \
    .latched = true, .alarm = { "voltage",                                          \
                                NULL,                                               \
                                "overheating",                                      \
                                "an encoder fault",                                 \
                                "an electrical shock",                              \
                                "overload" },                                       \
    .grave = 1u << 2 | 1u << 3 | 1u << 4 | 1u << 5
/* position, extended position, position by current */
#define X_POSITION (1u << 3 | 1u << 4 | 1u << 5)

static const struct robo__servos_family XL = {
    X_BLOCKS,
    .place = { X_SERIES, [ROBO__SERVOS_TORQUE_LIMIT] = { 100, 2, ROBO__SERVOS_TWOS, 1.0 / 885 },
               [ROBO__SERVOS_LOAD] = { 126, 2, ROBO__SERVOS_TWOS, 1e-3 } },
    .mode = { [ROBO__SERVOS_BY_POSITION] = X_POSITION, [ROBO__SERVOS_BY_SPEED] = 1u << 1 },
};

static const struct robo__servos_family XM = {
    X_BLOCKS,
    .place = { X_SERIES, [ROBO__SERVOS_TORQUE_LIMIT] = { 100, 2, ROBO__SERVOS_TWOS, 1.0 / 885 },
               [ROBO__SERVOS_GOAL_CURRENT] = { 102, 2, ROBO__SERVOS_TWOS, 1 },
               [ROBO__SERVOS_CURRENT] = { 126, 2, ROBO__SERVOS_TWOS, 1 } },
    .mode = { [ROBO__SERVOS_BY_POSITION] = X_POSITION,
              [ROBO__SERVOS_BY_SPEED] = 1u << 1,
              [ROBO__SERVOS_BY_CURRENT] = 1u << 0 },
};

static const struct robo__servos_family AX = {
    .packets = &robo__feetech_packets,
    .rate = { { 9600, 207 },
              { 19200, 103 },
              { 57600, 34 },
              { 115200, 16 },
              { 500000, 3 },
              { 1000000, 1 } },
    .place = { [ROBO__SERVOS_MODEL] = { 0, 2, 0, 1 },
               [ROBO__SERVOS_DELAY] = { 5, 1, 0, 2e-6 },
               [ROBO__SERVOS_LEAST] = { 6, 2, 0, 1 },
               [ROBO__SERVOS_GREATEST] = { 8, 2, 0, 1 },
               [ROBO__SERVOS_ID] = { 3, 1, 0, 1 },
               [ROBO__SERVOS_BAUD] = { 4, 1, 0, 1 },
               [ROBO__SERVOS_TORQUE] = { 24, 1, 0, 1 },
               [ROBO__SERVOS_GOAL_POSITION] = { 30, 2, 0, POT },
               [ROBO__SERVOS_SPEED_LIMIT] = { 32, 2, 10, 0.111 * RPM },
               [ROBO__SERVOS_GOAL_SPEED] = { 32, 2, 10, 0.111 * RPM },
               [ROBO__SERVOS_TORQUE_LIMIT] = { 34, 2, 0, 1.0 / 1023 },
               [ROBO__SERVOS_POSITION] = { 36, 2, 0, POT },
               [ROBO__SERVOS_SPEED] = { 38, 2, 10, 0.111 * RPM },
               [ROBO__SERVOS_LOAD] = { 40, 2, 10, 1e-3 },
               [ROBO__SERVOS_VOLTAGE] = { 42, 1, 0, 0.1 },
               [ROBO__SERVOS_TEMPERATURE] = { 43, 1, 0, KELVIN } },
    .mode = { [ROBO__SERVOS_BY_POSITION] = 1, [ROBO__SERVOS_BY_SPEED] = 1 },
    .profile = { 30, 4 },
    .fast = { 36, 6 },
    .slow = { { 42, 2 }, { 24, 1 } },
    .alarm = { "voltage", NULL, "overheating", NULL, NULL, "overload" },
    .grave = 1u << 2 | 1u << 5,
};

/* The torque of a current is the stall torque over the stall current: of XM430-W350 at 12 V, of both XL330 at 5 V, by emanual.robotis.com. */
static const struct robo__servos_model MODELS[] = {
    { "sts3215", &STS, 777, -32767, 32767, 2048, 6.5e-3, 0 },
    { "sts3250", &STS, 2825, -32767, 32767, 2048, 6.5e-3, 0 },
    { "sm8512bl", &STS, 11272, -32767, 32767, 2048, 6.5e-3, 0 },
    { "scs0009", &SCS, 1284, 0, 1023, 512, 0, 0 },
    { "xl430", &XL, 1060, -1048575, 1048575, 2048, 0, 0 },
    { "xm430", &XM, 1020, -1048575, 1048575, 2048, 2.69e-3, 4.1 / 2.3 },
    { "xl330", &XM, 1200, -1048575, 1048575, 2048, 1e-3, 0.52 / 1.47 },
    { "xl330_m077", &XM, 1190, -1048575, 1048575, 2048, 1e-3, 0.215 / 1.47 },
    { "ax12", &AX, 12, 0, 1023, 512, 0, 0 },
};
enum { COUNT = sizeof MODELS / sizeof MODELS[0] };

/* A register's name, and how it relates to the dof. */
static const struct {
    const char *name; /* NULL: tools and sensors do not read it */
    bool from_zero;   /* 0 is where the dof is at 0 */
    bool scaled;      /* with the dof's way */
    bool turned;      /* the other way when the dof turns against the servo */
    bool limit;       /* without a direction; 0 is none */
    double plus;
} HOW[ROBO__SERVOS_REGISTERS] = {
    [ROBO__SERVOS_LEAST] = { .name = "least" },
    [ROBO__SERVOS_GREATEST] = { .name = "greatest" },
    [ROBO__SERVOS_FASTEST] = { NULL, false, true, false, true, 0 },
    [ROBO__SERVOS_MODE] = { .name = "mode" },
    [ROBO__SERVOS_ID] = { .name = "id" },
    [ROBO__SERVOS_BAUD] = { .name = "baud" },
    [ROBO__SERVOS_OFFSET] = { .name = "offset" },
    [ROBO__SERVOS_LOCK] = { .name = "lock" },
    [ROBO__SERVOS_TORQUE] = { .name = "torque" },
    [ROBO__SERVOS_ACCELERATION] = { NULL, false, true, false, true, 0 },
    [ROBO__SERVOS_SPEED_LIMIT] = { NULL, false, true, false, true, 0 },
    [ROBO__SERVOS_TORQUE_LIMIT] = { NULL, false, false, false, true, 0 },
    [ROBO__SERVOS_WATCHDOG] = { NULL, false, false, false, true, 0 },
    [ROBO__SERVOS_GOAL_POSITION] = { "goal_position", true, true, true, false, 0 },
    [ROBO__SERVOS_GOAL_SPEED] = { NULL, false, true, true, false, 0 },
    [ROBO__SERVOS_GOAL_CURRENT] = { NULL, false, false, true, false, 0 },
    [ROBO__SERVOS_POSITION] = { "position", true, true, true, false, 0 },
    [ROBO__SERVOS_SPEED] = { "speed", false, true, true, false, 0 },
    [ROBO__SERVOS_LOAD] = { "load", false, false, true, false, 0 },
    [ROBO__SERVOS_CURRENT] = { "current", false, false, true, false, 0 },
    [ROBO__SERVOS_VOLTAGE] = { .name = "voltage" },
    [ROBO__SERVOS_TEMPERATURE] = { "temperature", false, false, false, false, 273.15 },
    [ROBO__SERVOS_ALARMS] = { .name = "alarms" },
};

/* ---- models ---- */

const struct robo__servos_model *robo__servos_model(const char *name)
{
    for (size_t i = 0; i < COUNT; i++)
        if (strcmp(MODELS[i].name, name) == 0)
            return &MODELS[i];
    return NULL;
}

const struct robo__servos_model *robo__servos_row(unsigned row)
{
    return row < COUNT ? &MODELS[row] : NULL;
}

size_t robo__servos_model_names(char *out, size_t room)
{
    size_t used = 0;
    for (size_t i = 0; i < COUNT && used < room; i++)
        used += (size_t)snprintf(out + used, room - used, "%s%s", i ? ", " : "", MODELS[i].name);
    return used;
}

enum robo__servos_register robo__servos_register(const char *name)
{
    unsigned r = 0;
    while (r < ROBO__SERVOS_REGISTERS && !(HOW[r].name && strcmp(HOW[r].name, name) == 0))
        r++;
    return r;
}

bool robo__servos_has(const struct robo__servos_model *m, enum robo__servos_register r)
{
    return r < ROBO__SERVOS_REGISTERS && m->family->place[r].size > 0;
}

int robo__servos_mode_of(const struct robo__servos_model *m, int64_t number, int64_t least,
                         int64_t most)
{
    const struct robo__servos_family *f = m->family;
    if (!robo__servos_has(m, ROBO__SERVOS_MODE))
        return least == 0 && most == 0 ? ROBO__SERVOS_BY_SPEED : ROBO__SERVOS_BY_POSITION;
    for (int i = 0; i < ROBO__SERVOS_MODES; i++)
        if (number >= 0 && number < 32 && f->mode[i] >> number & 1)
            return i;
    return -1;
}

/* ---- numbers ---- */

/* The byte of a register that has the bits from 8 * i on. */
static size_t byte_of(const struct robo__servos_model *m, const struct robo__servos_place *p,
                      size_t i)
{
    return m->family->big_endian ? p->size - 1u - i : i;
}

int64_t robo__servos_raw(const struct robo__servos_model *m, enum robo__servos_register r,
                         const uint8_t *bytes)
{
    const struct robo__servos_place *p = &m->family->place[r];
    int64_t raw = 0;
    for (size_t i = 0; i < p->size; i++)
        raw |= (int64_t)bytes[byte_of(m, p, i)] << 8 * i;
    if (p->sign == ROBO__SERVOS_TWOS)
        return raw >> (8 * p->size - 1) & 1 ? raw - ((int64_t)1 << 8 * p->size) : raw;
    if (p->sign == 0)
        return raw;
    const int64_t size = raw & (((int64_t)1 << p->sign) - 1);
    return raw >> p->sign & 1 ? -size : size;
}

void robo__servos_put(const struct robo__servos_model *m, enum robo__servos_register r, int64_t raw,
                      uint8_t *bytes)
{
    const struct robo__servos_place *p = &m->family->place[r];
    const unsigned bits = p->sign == ROBO__SERVOS_TWOS ? 8u * p->size - 1
                          : p->sign                    ? p->sign
                                                       : 8u * p->size;
    const int64_t most = ((int64_t)1 << bits) - 1, least = p->sign ? -most : 0;
    raw = raw > most ? most : raw < least ? least : raw;
    if (p->sign && p->sign != ROBO__SERVOS_TWOS && raw < 0)
        raw = -raw | (int64_t)1 << p->sign;
    for (size_t i = 0; i < p->size; i++)
        bytes[byte_of(m, p, i)] = (uint8_t)(raw >> 8 * i);
}

/* ---- values ---- */

/* The value of one count in the register, in units of the dof. */
static double unit_of(const struct robo__servos_servo *s, enum robo__servos_register r)
{
    const bool speed =
        r == ROBO__SERVOS_SPEED || r == ROBO__SERVOS_GOAL_SPEED || r == ROBO__SERVOS_SPEED_LIMIT;
    const bool current = r == ROBO__SERVOS_CURRENT || r == ROBO__SERVOS_GOAL_CURRENT;
    double unit = speed && s->speed > 0 ? s->speed : s->model->family->place[r].unit;
    if (current)
        unit *= s->model->current;
    if (HOW[r].scaled)
        unit *= fabs(s->scale);
    return HOW[r].turned && s->scale < 0 ? -unit : unit;
}

double robo__servos_value(const struct robo__servos_servo *s, enum robo__servos_register r,
                          const uint8_t *bytes)
{
    const double raw = (double)robo__servos_raw(s->model, r, bytes);
    return (raw - (HOW[r].from_zero ? s->zero : 0)) * unit_of(s, r) + HOW[r].plus;
}

void robo__servos_set(const struct robo__servos_servo *s, enum robo__servos_register r,
                      double value, uint8_t *bytes)
{
    double raw = (value - HOW[r].plus) / unit_of(s, r) + (HOW[r].from_zero ? s->zero : 0);
    raw = isnan(raw) ? 0 : fmin(fmax(raw, -1e12), 1e12);
    if (HOW[r].from_zero)
        raw = fmin(fmax(raw, s->model->least), s->model->most);
    int64_t whole = llrint(raw);
    if (HOW[r].limit && whole == 0 && value > 0)
        whole = 1;
    if (r == ROBO__SERVOS_ACCELERATION && s->model->family->place[r].size == 1 && whole > 254)
        whole = 254; /* the greatest of Feetech */
    robo__servos_put(s->model, r, whole, bytes);
}

enum robo__servos_register robo__servos_goal(const struct robo__servos_servo *s)
{
    static const enum robo__servos_register goal[ROBO__SERVOS_MODES] = {
        ROBO__SERVOS_GOAL_POSITION, ROBO__SERVOS_GOAL_SPEED, ROBO__SERVOS_GOAL_CURRENT
    };
    return goal[s->mode];
}

struct robo__servos_block robo__servos_goal_block(const struct robo__servos_servo *s)
{
    const struct robo__servos_place *p = &s->model->family->place[robo__servos_goal(s)];
    if (s->own_profile && s->mode == ROBO__SERVOS_BY_POSITION)
        return s->model->family->profile;
    return (struct robo__servos_block){ p->address, p->size };
}

double robo__servos_current(const struct robo__servos_servo *s, double force)
{
    return s->constant > 0 ? force * fabs(s->scale) / s->constant : NAN;
}

double robo__servos_force(const struct robo__servos_servo *s, double current)
{
    return s->constant > 0 ? current * s->constant / fabs(s->scale) : NAN;
}

/* ---- blocks ---- */

/* Whether a register lies in a block. */
static bool is_inside(const struct robo__servos_place *p, struct robo__servos_block block)
{
    return p->size > 0 && p->address >= block.address &&
           p->address + p->size <= block.address + block.size;
}

uint32_t robo__servos_values(const struct robo__servos_servo *s, struct robo__servos_block block,
                             const uint8_t *bytes, double value[ROBO__SERVOS_REGISTERS])
{
    uint32_t which = 0;
    for (int r = 0; r < ROBO__SERVOS_REGISTERS; r++) {
        const struct robo__servos_place *p = &s->model->family->place[r];
        if (!is_inside(p, block))
            continue;
        value[r] = robo__servos_value(s, (enum robo__servos_register)r,
                                      bytes + p->address - block.address);
        which |= 1u << r;
    }
    return which;
}

void robo__servos_fill(const struct robo__servos_servo *s, struct robo__servos_block block,
                       uint32_t which, const double value[ROBO__SERVOS_REGISTERS], uint8_t *bytes)
{
    memset(bytes, 0, block.size);
    for (int r = 0; r < ROBO__SERVOS_REGISTERS; r++) {
        const struct robo__servos_place *p = &s->model->family->place[r];
        if (which >> r & 1 && is_inside(p, block))
            robo__servos_set(s, (enum robo__servos_register)r, value[r],
                             bytes + p->address - block.address);
    }
}
