/* Joint-local controllers on a CAN bus: over a SocketCAN interface or over a serial adapter with the slcan protocol. Each
 * dof has a frame layout of its own (layout.h). The core's bus decides when each message is sent. This driver sends it,
 * receives the replies, and reports when a drive, an adapter or the bus is lost. For real devices: its thread uses the
 * real clock. */
#ifndef ROBO_CAN_H
#define ROBO_CAN_H

#include "robotalk.h"

extern const robo_driver robo_can_driver;

#endif
