/* A half-duplex bus of serial servos, simulated: Feetech STS, or Dynamixel with protocol 2.0 (spec/servos.md). It is the other end
 * of a serial port, for tests and for people without hardware.
 *
 * The bus is a pure state machine: bytes go in at an instant, and come out with the instants at which they have crossed the wire.
 * It reads no clock. Instants of one bus never decrease; an earlier one is taken as the latest so far. One thread uses a bus at a
 * time. Its owner opens and closes it; after that no function allocates. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/time.h"

struct robo__servo_bus;

enum {
    ROBO__SERVO_BUS_ALL = 254, /* the id of all servos */
    ROBO__SERVO_BUS_MOST = 64, /* servos on a bus */
    ROBO__SERVO_BUS_WHY = 200  /* room for the reason why a text is refused */
};

/* ---- the bus ---- */

struct robo__servo_bus_options {
    uint32_t baud;    /* of the port, and of each servo that is added; 0: 1,000,000 */
    int return_delay; /* 2 us each, 0 to 254; -1: the factory's 250 */
};

/* NULL: no memory, or a value that is out of range. */
struct robo__servo_bus *robo__servo_bus_open(const struct robo__servo_bus_options *options,
                                             robo_time now);
void robo__servo_bus_close(struct robo__servo_bus *bus); /* NULL does nothing */

/* Adds servos with the factory values of their model, sts3215, xl430, xl330 or xm430: "sts3215:1-6", "xl430:11,13". The first one
 * decides the protocol of the bus. On an error, whose reason is in why, the servos before the wrong one are on the bus. ROBO_EINVAL:
 * a malformed text, or not the protocol of the bus, or a model without its baud rate; ROBO_ENONE: no such model; ROBO_ERANGE: no
 * such id in its protocol; ROBO_EEXISTS; ROBO_EFULL. */
int robo__servo_bus_add(struct robo__servo_bus *bus, const char *text,
                        char why[ROBO__SERVO_BUS_WHY]);

/* ---- the wire ---- */

/* The port sends bytes, the first one from `now` on, or when those before it have been sent. Returns how many were accepted; fewer
 * than n: 16384 are on their way. */
size_t robo__servo_bus_receive(struct robo__servo_bus *bus, robo_time now, const uint8_t *bytes,
                               size_t n);
/* The bytes that have come to the port until `now`, at most `size`; ends: the instant of each, or NULL. */
size_t robo__servo_bus_send(struct robo__servo_bus *bus, robo_time now, uint8_t *bytes,
                            robo_time *ends, size_t size);
/* The instant at which the next bytes without a gap will have come, or at which those on their way to the servos have arrived:
 * look then with robo__servo_bus_send. ROBO_NEVER: none. */
robo_time robo__servo_bus_due(const struct robo__servo_bus *bus);
/* The baud rate of the port. Servos with another one receive nothing. */
void robo__servo_bus_set_baud(struct robo__servo_bus *bus, robo_time now, uint32_t baud);

/* ---- registers; ROBO_ENONE: no such servo ---- */

/* A register's 1, 2 or 4 bytes, as they are in the servo. ROBO_EINVAL: no such address. */
int robo__servo_bus_register(struct robo__servo_bus *bus, unsigned id, robo_time now,
                             unsigned address, unsigned size, uint32_t *value);
/* Sets one, also for restarts to come: as a program that was there earlier has left it. */
int robo__servo_bus_set_register(struct robo__servo_bus *bus, unsigned id, robo_time now,
                                 unsigned address, unsigned size, uint32_t value);
