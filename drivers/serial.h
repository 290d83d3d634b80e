/* Serial ports of devices. */
#pragma once

#include <stdbool.h>

/* Whether ports can have that number of bits a second. */
bool robo__serial_has_baud(long baud);

/* Opens a port, raw, of 8 bits without parity, that does not block, and discards what was received: its descriptor; -1: errno
 * says why, EINVAL: no such baud; EBUSY: another program, or another device, has opened it so. The lock ends with the descriptor. */
int robo__serial_open(const char *path, long baud);
