/* May change without notice between versions. */
/* A port of serial servos for tools that set servos up, without a robot: which servos answer, and their registers by name. Every function waits for
 * its answer, for at most the time that it names. One thread uses a port; no other program can open it meanwhile. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "robotalk/base.h"

ROBO_API_BEGIN

typedef struct robo_servo_port robo_servo_port;

enum robo_servo_packets { ROBO_SERVO_FEETECH, ROBO_SERVO_DYNAMIXEL };
enum { ROBO_SERVO_ALL = 254, ROBO_SERVO_IDS = 253 }; /* the greatest id of a servo */

/* A rate that a model and ports have, baud, and its number in the register baud. */
struct robo_servo_rate {
    uint32_t baud;
    uint8_t number;
};
enum { ROBO_SERVO_RATES = 8 };

/* A model: a row of section 2 of spec/servos.md. The texts are constants. */
struct robo_servo_model {
    const char *name;
    enum robo_servo_packets packets;
    int middle;  /* of its positions, ticks */
    double tick; /* rad of the shaft */
    int mode
        [3]; /* number of its modes position, velocity and current; -1: it has none of that kind */
    const char *alarm[8];               /* by bits; NULL: not used */
    const struct robo_servo_rate *rate; /* rising; those behind the last have 0 baud */
    bool locks; /* its EEPROM keeps what is written while its register lock is 0 */
};
/* The rows, from 0 on: false behind the last. */
bool robo_servo_model(unsigned row, struct robo_servo_model *out);

/* NULL: *error is ROBO_EDEVICE, errno says why, ROBO_EINVAL, no such baud rate, or ROBO_ENOMEM. */
robo_servo_port *robo_servo_port_open(const char *path, long baud, int *error);
/* A simulated bus in its place, with servos such as "sts3215:1-6". Its clock is the system's, and goes on while answers are awaited. NULL: also
 * ROBO_EINVAL, ROBO_ENONE or ROBO_ERANGE, and why. */
robo_servo_port *robo_servo_port_simulate(const char *servos, int *error, char why[256]);
/* ROBO_EDEVICE or ROBO_EINVAL: it keeps the rate that it has. */
int robo_servo_port_set_baud(robo_servo_port *port, long baud);
void robo_servo_port_close(robo_servo_port *port); /* NULL: does nothing */

/* These return ROBO_ETIMEOUT, no answer; ROBO_EBODY, bytes that are no answer, or several answers; ROBO_ELINK, the port is gone. */

/* Pings a servo, id 0 to ROBO_SERVO_IDS, or all, and waits so many seconds: the number of ids that answered. Of one servo it ends with
 * the answer. */
int robo_servo_ping(robo_servo_port *port, enum robo_servo_packets packets, uint8_t id, double wait,
                    uint8_t ids[ROBO_SERVO_IDS + 1]);
/* The model that answers to an id, by up to three readings: its row; ROBO_ENONE: none of the table, *number is what it has in the register of its
 * model. */
int robo_servo_identify(robo_servo_port *port, enum robo_servo_packets packets, uint8_t id,
                        int64_t *number);
/* A register by its name, as its table has it: ticks, counts, with the sign; tries three times, 0.3 s at most at 9600 baud. Names are id,
 * baud, offset, lock, least, greatest, mode, torque, goal_position, position, speed, load, current, voltage (0.1 V), temperature (degrees
 * Celsius) and alarms (bits). ROBO_EINVAL: no such row, or the model has no such register. */
int robo_servo_read(robo_servo_port *port, unsigned row, uint8_t id, const char *name,
                    int64_t *value);
/* Writes one. No answer is no error, since servos may be set not to answer: read it again. ROBO_ERANGE: the servo refuses the value. */
int robo_servo_write(robo_servo_port *port, unsigned row, uint8_t id, const char *name,
                     int64_t value);

ROBO_API_END
