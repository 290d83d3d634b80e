/* May change without notice between versions. */
/* Serial ports of devices: raw, 8 bits without parity. */
#pragma once

#include <stdbool.h>

#include "robotalk/base.h"

ROBO_API_BEGIN

/* Whether ports can have that number of bits a second. */
bool robo_serial_has_baud(long baud);

/* Opens a port that does not block, and discards what was received: its descriptor; -1: errno says why, EINVAL: no such baud; EBUSY:
 * another program, or another device, has opened it so. The lock ends with the descriptor. */
int robo_serial_open(const char *path, long baud);
/* Makes an open port raw, with that baud: 0; -1: as above. */
int robo_serial_set(int fd, long baud);

ROBO_API_END
