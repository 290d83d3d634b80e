/* The port of a claimed device: its descriptor, its waiting bytes, and its halt bytes. Guarded by the robot's mutex as
 * long as a device has it. */
#pragma once

#include "outbox.h"
#include "robotalk.h"
#include "robotalk/claim.h"
#include "robotalk/emergency.h"

struct robo__claimed_port {
    struct robo__outbox out;
    /* in the table of bytes that halt devices when the program dies */
    struct robo_emergency emergency;
    uint8_t halt[ROBO_MAX_HALT_BYTES]; /* and behind that the further bytes for a panic */
    size_t alarm;                      /* bytes of that */
};

/* Of a duplicate of that descriptor; an enum robo_error as robo_claim_port. */
int robo__claimed_port_open(int fd, const void *halt, size_t count,
                            struct robo__claimed_port **port);

/* The bytes that are written in a panic behind those that halt the device. ROBO_EINVAL: both
 * together are too long. */
int robo__claimed_port_alarm(struct robo__claimed_port *port, const void *bytes, size_t count);

/* Drops waiting bytes, and writes the halt's. alarm: in a panic; true: there were bytes for that. */
bool robo__claimed_port_halt(struct robo__claimed_port *port, bool alarm);

/* Without the mutex: no device has it any more. Waiting bytes have a second to be sent, since they may be a halt.
 * NULL: does nothing. */
void robo__claimed_port_close(struct robo__claimed_port *port);
