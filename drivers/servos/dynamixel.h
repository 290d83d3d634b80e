/* The packets of Dynamixel protocol 2.0: FF FF FD 00 id, a length of two bytes, an instruction or 55 and the alarms, the parameters, and a CRC-16.
 * An FD is stuffed behind each FF FF FD that follows the length; length and CRC are those of the stuffed bytes. */
#pragma once

#include "packet.h"

extern const struct robo__servos_packets robo__dynamixel_packets;

/* CRC-16 of polynomial 8005, not reflected, from 0. */
uint16_t robo__dynamixel_crc(const uint8_t *bytes, size_t n);
