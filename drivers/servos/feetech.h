/* The packets of Feetech servos (STS, SMS, SCS), and of Dynamixel protocol 1.0, which has the same frame: FF FF id length, then an instruction
 * or the alarms, the parameters, and the inverted sum of all that as checksum. The byte order of registers is the models'. */
#pragma once

#include "packet.h"

extern const struct robo__servos_packets robo__feetech_packets;
