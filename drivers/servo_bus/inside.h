/* The parts of the simulated bus among themselves. A servo is its memory of registers, as its model's table describes them, and a
 * motor; the functions of its protocol keep the two in step. */
#pragma once

#include "servo_bus.h"

enum {
    ROBO__SBUS_MEMORY = 256,  /* addresses of a servo */
    ROBO__SBUS_PACKET = 1100, /* the longest packet that is understood */
    ROBO__SBUS_ANY = 256,     /* instead of an id */
    ROBO__SBUS_TICKS = 4096,  /* of a turn, for all these models */
    ROBO__SBUS_ROOM = 16384   /* bytes on their way */
};

static const double ROBO__SBUS_STEP = 0.001; /* s, of the motors */

/* ---- models ---- */

/* A row of a table of registers. Values are little endian. */
struct robo__sbus_row {
    uint8_t at, size;
    enum { ROBO__SBUS_RAM, ROBO__SBUS_KEPT, ROBO__SBUS_READ } kind;
    const char *name;
    int32_t preset, least, most; /* of numbers with a sign bit: of the bits without it */
    uint8_t sign;                /* Feetech: the bit of the sign; 0: none */
};

struct robo__sbus_model {
    const char *name, *title;
    const struct robo__sbus_protocol *protocol;
    const struct robo__sbus_row *rows;
    size_t count;
    unsigned bauds;      /* how many indices of the protocol's list it knows */
    double top, voltage; /* speed without load, ticks/s; of the supply, V */
    double stall,
        ampere; /* A of the stalled motor, and a unit of its registers of current; 0: none */
};

const struct robo__sbus_model *robo__sbus_model_find(const char *name);
/* The row that an address belongs to, or NULL. */
const struct robo__sbus_row *robo__sbus_row_of(const struct robo__sbus_model *model,
                                               unsigned address);

/* The motion that the registers ask of the motor: units are ticks, ticks/s and ticks/s2. */
struct robo__sbus_order {
    enum { ROBO__SBUS_FREE, ROBO__SBUS_POSITION, ROBO__SBUS_SPEED } how;
    double goal, speed, acceleration;
    double limit; /* of the duty, 0 to 1 */
};

struct robo__sbus_motor {
    struct robo__sbus_order order;
    double angle, speed; /* of the shaft; turns are counted */
    double duty, torque; /* of the greatest, -1 to 1; torque is what the speed does not need */
    double temperature, voltage;
    double burden, least, most; /* from outside: torque, mechanical stops */
};

struct robo__sbus_servo {
    const struct robo__sbus_model *model;
    struct robo__servo_bus *bus;
    uint8_t memory[ROBO__SBUS_MEMORY],
        kept[ROBO__SBUS_MEMORY]; /* kept: what a restart brings back */
    robo_time starts;            /* when it runs after that */
    struct robo__sbus_motor motor;
    unsigned registered_at, registered; /* a registered write, until its action */
    uint8_t registered_bytes[ROBO__SBUS_MEMORY];
    double strained, drained;   /* seconds of overload and of overcurrent */
    uint8_t status;             /* bits as Feetech's 65 or Dynamixel's 70 */
    bool is_shut;               /* no torque, or little of it, until a restart */
    double turns;               /* ticks that are not part of the reading */
    robo_time fed;              /* Dynamixel: when the bus last carried an instruction */
    bool has_tripped, is_held;  /* Dynamixel: by the watchdog; until the next goal */
    double speed, acceleration; /* Dynamixel: of the profile of the newest goal */
};

struct robo__sbus_protocol {
    unsigned ids;      /* the first number that is no id */
    uint32_t bauds[8]; /* by their index */
    unsigned id_at, baud_at, delay_at, heat_at, volts_at, volts_size; /* the least voltage */
    robo_time boot; /* from a restart until it runs */
    /* Takes a packet from the beginning of these bytes. Returns how many it has used up; 0: it is not complete. */
    size_t (*parse)(struct robo__servo_bus *bus, const uint8_t *bytes, size_t n, robo_time end);
    void (*start)(struct robo__sbus_servo *servo);                /* registers of a restart */
    void (*watch)(struct robo__sbus_servo *servo, robo_time now); /* protection, after each step */
    void (*refresh)(struct robo__sbus_servo *servo);              /* the motor to registers */
};

extern const struct robo__sbus_protocol robo__sbus_feetech, robo__sbus_dynamixel;

static inline uint32_t robo__sbus_get(const uint8_t *at, unsigned size)
{
    uint32_t x = 0;
    for (unsigned i = size; i-- > 0;)
        x = x << 8 | at[i];
    return x;
}

static inline void robo__sbus_put(uint8_t *at, unsigned size, uint32_t x)
{
    for (unsigned i = 0; i < size; i++, x >>= 8)
        at[i] = (uint8_t)x;
}

/* Power comes back at `now`: registers have the values of a restart, and the servo runs when it has started. */
void robo__sbus_restart(struct robo__sbus_servo *servo, robo_time now);
void robo__sbus_one_step(struct robo__sbus_servo *servo, robo_time now);

/* ---- the wire, by servo_bus.c ---- */

/* Bytes on their way in one direction, in the order of their instants. */
struct robo__sbus_wire {
    struct robo__sbus_byte {
        robo_time begin, end;
        uint8_t value;
    } bytes[ROBO__SBUS_ROOM];
    size_t first, count;
};

/* Hooks for tests (tests/servo_bus/faults.c). */
struct robo__sbus_faults {
    /* Before each step of the motors. */
    void (*step)(struct robo__servo_bus *bus, robo_time now);
    /* To a status packet of n bytes, whose checksum begins at `sum`: it begins at *begin, and the line is free at *at. False: it
     * is not sent. */
    bool (*answer)(struct robo__sbus_servo *servo, uint8_t *packet, size_t sum, robo_time *begin,
                   robo_time *at);
};

struct robo__servo_bus {
    struct robo__sbus_servo servos[ROBO__SERVO_BUS_MOST];
    unsigned count;
    const struct robo__sbus_protocol *protocol; /* NULL: no servo yet */
    struct robo__servo_bus_options options;
    robo_time opened, now, stepped; /* now: the latest instant that was named */
    uint32_t baud;                  /* of the port */
    robo_time byte;                 /* how long one takes */
    robo_time delay;                /* the newest return delay */
    struct robo__sbus_wire in, out; /* from the port and to it */
    robo_time in_end;               /* of the last byte that the port has sent */
    robo_time heard;                /* of the last one that has arrived */
    uint8_t packet[ROBO__SBUS_PACKET];
    size_t packet_size;
    struct robo__sbus_faults *faults; /* NULL: none; freed with the bus */
};

/* The servo with that id, or NULL. */
struct robo__sbus_servo *robo__sbus_find(struct robo__servo_bus *bus, unsigned id);
/* A servo sends a byte then; one that meets another is spoiled by it. */
void robo__sbus_put_byte(struct robo__servo_bus *bus, robo_time begin, uint8_t value);
/* Brings all servos to that instant. */
void robo__sbus_settle(struct robo__servo_bus *bus, robo_time now);
/* The next servo from *at on that receives from the port and has that id, or NULL; *at goes behind it. */
struct robo__sbus_servo *robo__sbus_next(struct robo__servo_bus *bus, unsigned id, robo_time now,
                                         unsigned *at);
/* A status packet, whose servo answers its return delay after *at; *at becomes its end, also if a fault swallows it.
 * checksum: how many bytes at its end. */
void robo__sbus_answer(struct robo__sbus_servo *servo, robo_time *at, uint8_t *packet, size_t n,
                       size_t checksum);
/* The time passes in which a servo that does not receive it would have answered n bytes. */
void robo__sbus_pass(struct robo__servo_bus *bus, robo_time *at, size_t n);
