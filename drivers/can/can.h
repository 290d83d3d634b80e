/* Joint-local controllers on a CAN bus: over a SocketCAN interface or over a serial adapter that speaks slcan. Each dof
 * has a frame layout of its own (layout.h). The core's bus decides what is sent when; this driver sends it, hears what
 * comes back, and tells when a drive, an adapter or the bus is lost. For real devices: its thread looks at the real clock. */
#ifndef ROBO_CAN_H
#define ROBO_CAN_H

#include "robotalk.h"

extern const robo_driver robo_can_driver;

#endif
