/* Samples of DDS that this room reads and writes itself: robotalk/msg/Bytes, and the beginning of robotalk/msg/Robot (spec/dds.md). Little-endian CDR. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "robotalk/dds.h"

enum {
    ROBO__DDS_PIECE = 1 << 15, /* bytes of a stream in a sample, at most */
    ROBO__DDS_HEAD = ROBO_DDS_HEADER + ROBO_DDS_KEY + 12 /* of a sample before them */
};

enum { ROBO__DDS_DATA, ROBO__DDS_OPEN }; /* kinds */

struct robo__dds_bytes {
    uint32_t processed, kind;
    const uint8_t *bytes; /* in the sample */
    size_t n;
};

/* false: it is none. */
bool robo__dds_bytes_read(const uint8_t *sample, size_t size, struct robo__dds_bytes *out);
/* How many octets of out it is: ROBO__DDS_HEAD and its bytes. */
size_t robo__dds_bytes_write(uint8_t out[ROBO__DDS_HEAD + ROBO__DDS_PIECE],
                             const uint8_t channel[ROBO_DDS_KEY], const struct robo__dds_bytes *in);

/* The name of a robot, and its server's number; NULL: it is none. */
const char *robo__dds_robot_read(const uint8_t *sample, size_t size, const uint8_t **server);
