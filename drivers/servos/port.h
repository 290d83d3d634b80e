/* The port of a bus of servos, as a row of functions: a serial port, in real time, or a simulated bus, whose clock goes on while its user waits. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "packet.h"
#include "robotalk.h"
#include "robotalk/emergency.h"

struct robo__servos_port;
struct robo__servo_bus;

struct robo__servos_port_kind {
    /* 0, or ROBO_EDEVICE with errno, or another error. */
    int (*open)(struct robo__servos_port *p);
    void (*close)(struct robo__servos_port *p);
    /* Writes what the port takes at once, and returns how many bytes that are; -1: the port is gone. */
    ssize_t (*write)(struct robo__servos_port *p, const uint8_t *bytes, size_t n);
    /* Waits for bytes until that instant, or until `closing`, and returns how many have come; -1: the port is gone. */
    ssize_t (*read)(struct robo__servos_port *p, robo_time until, uint8_t *bytes, size_t room);
    /* Drops the bytes that have come. */
    void (*forget)(struct robo__servos_port *p);
    void (*wait)(struct robo__servos_port *p, robo_time until);
    /* Waits until all bytes have been sent, a second at most. */
    void (*drain)(struct robo__servos_port *p);
    robo_time (*now)(const struct robo__servos_port *p);
};

struct robo__servos_port {
    const struct robo__servos_port_kind *kind;

    /* serial: */
    const char *path;
    long baud;
    int fd;
    struct robo_emergency emergency; /* its bytes are written by a program that dies */
    const atomic_bool *closing;      /* ends waits, by way of `wake`, an eventfd */
    int wake;

    /* simulated; guarded by the robot's mutex: */
    struct robo__servo_bus *bus;
    robo_time clock, ahead; /* the bus's own clock is ahead of this one */
    bool unplugged;
};

/* Waits for the next answer until then: 1; 0: there was none; -1: the port is gone. */
int robo__servos_next(struct robo__servos_port *p, const struct robo__servos_packets *packets,
                      struct robo__servos_input *input, robo_time until,
                      struct robo__servos_status *out);

extern const struct robo__servos_port_kind robo__servos_serial, robo__servos_simulated;
