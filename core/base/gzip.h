/* Bytes that gzip has compressed, and bytes to be compressed, by zlib, which is loaded when it is first used: a program that meets none
 * neither links nor loads it. Any thread. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Decompresses into *out, memory from malloc, with *length bytes, at most `most`. ROBO_ENOMEM; ROBO_EBODY: the data is damaged or
 * ends too early, with the byte in why, or it would be longer than that; ROBO_ESYSTEM: zlib is not there; each with a message in
 * why. */
int robo__gunzip(const uint8_t *bytes, size_t size, size_t most, uint8_t **out, size_t *length,
                 char why[256]);

/* The bytes compressed as zlib has it (RFC 1950, as in PNG), in *out, memory from malloc, with *length bytes. ROBO_ENOMEM; ROBO_ERANGE:
 * there are too many; ROBO_ESYSTEM: zlib is not there. */
int robo__deflate(const uint8_t *bytes, size_t size, uint8_t **out, size_t *length);

/* Whether zlib is there; ROBO_ESYSTEM with a message in why, unless that is NULL. */
int robo__zlib_load(char why[256]);

/* The CRC-32 of IEEE 802.3, of these bytes behind others whose CRC-32 it is; 0: of these alone. By zlib, where that is there and they are
 * many. */
uint32_t robo__crc32(uint32_t crc, const void *bytes, size_t n);
