/* Models of servos, as rows: which registers they have, how large, with which units, signs and modes. A servo is a model with an id, and with the place
 * where its dof is at 0. Nothing here talks to a bus; for any thread. */
#pragma once

#include <stdbool.h>

#include "packet.h"
#include "robotalk/servos.h"

enum robo__servos_register {
    /* EEPROM, which is read only */
    ROBO__SERVOS_MODEL,
    ROBO__SERVOS_DELAY, /* s before an answer */
    ROBO__SERVOS_LEAST, /* limits of the position, ticks; both 0: the servo turns without end */
    ROBO__SERVOS_GREATEST,
    ROBO__SERVOS_PHASE,   /* Feetech: bit 2 is the unit of speeds */
    ROBO__SERVOS_DRIVE,   /* Dynamixel X: bit 2, times instead of speeds in its own profile */
    ROBO__SERVOS_FASTEST, /* greatest speed that it takes */
    ROBO__SERVOS_MODE,
    ROBO__SERVOS_SHUTDOWN, /* bits of the alarms after which the servo has no torque until a restart */
    ROBO__SERVOS_ID,       /* this and the next two are for tools */
    ROBO__SERVOS_BAUD,
    ROBO__SERVOS_OFFSET, /* between the encoder and the position, ticks */
    /* RAM */
    ROBO__SERVOS_LOCK,         /* of the EEPROM, for tools; 0: it keeps what is written */
    ROBO__SERVOS_TORQUE,       /* 1: on */
    ROBO__SERVOS_ACCELERATION, /* of the servo's own profile; 0: the greatest */
    ROBO__SERVOS_SPEED_LIMIT,  /* of the same; 0: the greatest */
    ROBO__SERVOS_TORQUE_LIMIT, /* share */
    ROBO__SERVOS_WATCHDOG,     /* s */
    ROBO__SERVOS_GOAL_POSITION,
    ROBO__SERVOS_GOAL_SPEED,
    ROBO__SERVOS_GOAL_CURRENT, /* A */
    /* readings */
    ROBO__SERVOS_POSITION,
    ROBO__SERVOS_SPEED,
    ROBO__SERVOS_LOAD,    /* share of the greatest */
    ROBO__SERVOS_CURRENT, /* A */
    ROBO__SERVOS_VOLTAGE,
    ROBO__SERVOS_TEMPERATURE, /* K */
    ROBO__SERVOS_ALARMS, /* bits, as those of answers or as those of the family's hardware errors */
    ROBO__SERVOS_REGISTERS
};

enum robo__servos_mode {
    ROBO__SERVOS_BY_POSITION,
    ROBO__SERVOS_BY_SPEED,
    ROBO__SERVOS_BY_CURRENT,
    ROBO__SERVOS_MODES
};

/* A part of the registers that is read or written at once. */
struct robo__servos_block {
    uint16_t address;
    uint8_t size; /* 0: none */
};

struct robo__servos_place {
    uint16_t address;
    uint8_t size;
    /* 0: no sign; ROBO__SERVOS_TWOS: two's complement; else the bit of the sign, above those of the magnitude */
    uint8_t sign;
    double unit; /* of one, SI */
};
enum { ROBO__SERVOS_TWOS = 0xFF, ROBO__SERVOS_SLOW = 4 };

/* The properties that all models of a family share. */
struct robo__servos_family {
    const struct robo__servos_packets *packets;
    struct robo__servos_place place[ROBO__SERVOS_REGISTERS];
    /* rates that ports have, too, and their numbers in the register of the rate; those behind the last have 0 baud */
    struct robo_servo_rate rate[ROBO_SERVO_RATES];
    bool big_endian, sync_read;
    /* bits: numbers in the register of the mode that are this mode; 0: it has no such mode. Without that register the limits of the
     * position decide: a wheel has none */
    uint32_t mode[ROBO__SERVOS_MODES];
    struct robo__servos_block profile; /* goal, speed and acceleration of the servo's own profile */
    struct robo__servos_block fast;    /* what is read in each cycle */
    /* what is read of one servo a cycle, in turn; those behind the last have size 0 */
    struct robo__servos_block slow[ROBO__SERVOS_SLOW];
    const char *alarm
        [8]; /* by bits of an answer's error, or of the register of alarms if `latched`; NULL: not used */
    uint8_t grave; /* bits of those after which the servo does not carry out its goals */
    bool latched;  /* an answer's error bit 7 says that the register of alarms is not 0 */
};

struct robo__servos_model {
    const char *name;
    const struct robo__servos_family *family;
    uint16_t number;
    int least, most; /* ticks that a goal may have */
    int middle;
    double current;  /* A for one in registers of currents; 0: it has none */
    double constant; /* N*m for each A at the shaft; 0: not known */
};

/* One servo, and the dof that it moves. */
struct robo__servos_servo {
    const struct robo__servos_model *model;
    uint8_t id;
    uint8_t mode; /* enum robo__servos_mode */
    double zero;  /* ticks at which the dof is at 0 */
    double scale; /* what the dof moves when the shaft turns by 1 rad; less than 0: the other way */
    double constant;
    double torque; /* share of its greatest; 0: as the servo has it */
    double speed;  /* unit of speeds, rad/s; 0: that of its family */
    bool
        own_profile; /* goals have a speed and an acceleration, by which the servo makes its own motion */
};

/* A model by its name, or NULL. */
const struct robo__servos_model *robo__servos_model(const char *name);
/* The rows, from 0 on; NULL behind the last. */
const struct robo__servos_model *robo__servos_row(unsigned row);
/* Their names, separated by ", ". */
size_t robo__servos_model_names(char *out, size_t room);

/* A register's bytes as a number, and back; a number beyond its range is cut to that. */
int64_t robo__servos_raw(const struct robo__servos_model *m, enum robo__servos_register r,
                         const uint8_t *bytes);
void robo__servos_put(const struct robo__servos_model *m, enum robo__servos_register r, int64_t raw,
                      uint8_t *bytes);
/* The register of that name; ROBO__SERVOS_REGISTERS: there is none. */
enum robo__servos_register robo__servos_register(const char *name);
/* Whether the model has that register. */
bool robo__servos_has(const struct robo__servos_model *m, enum robo__servos_register r);

/* The same in SI units of the dof: positions from its 0, speeds and accelerations along it. NAN is written as 0. A limit
 * that is not 0 does not become 0, which would mean none. */
double robo__servos_value(const struct robo__servos_servo *s, enum robo__servos_register r,
                          const uint8_t *bytes);
void robo__servos_set(const struct robo__servos_servo *s, enum robo__servos_register r,
                      double value, uint8_t *bytes);

/* The register that takes goals in its mode, and what is written for a goal. */
enum robo__servos_register robo__servos_goal(const struct robo__servos_servo *s);
struct robo__servos_block robo__servos_goal_block(const struct robo__servos_servo *s);
/* The current for a force or torque of the dof, and back; NAN: the model's constant is not known. */
double robo__servos_current(const struct robo__servos_servo *s, double force);
double robo__servos_force(const struct robo__servos_servo *s, double current);

/* The registers of a block that was read: value[r] of each that lies in it whole. Returns their bits. */
uint32_t robo__servos_values(const struct robo__servos_servo *s, struct robo__servos_block block,
                             const uint8_t *bytes, double value[ROBO__SERVOS_REGISTERS]);
/* Writes value[r] into a block, for the registers of these bits; the rest of it is 0. */
void robo__servos_fill(const struct robo__servos_servo *s, struct robo__servos_block block,
                       uint32_t which, const double value[ROBO__SERVOS_REGISTERS], uint8_t *bytes);

/* The mode that the servo is in, by its number, or by its limits: enum robo__servos_mode, or -1: another one. */
int robo__servos_mode_of(const struct robo__servos_model *m, int64_t number, int64_t least,
                         int64_t most);
