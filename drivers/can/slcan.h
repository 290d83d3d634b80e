/* CAN over a serial line, in the ASCII protocol of LAWICEL's adapters (CAN232 manual, version 1.4): each command and each
 * frame is a line that ends with CR; BEL says that the last command failed. Pure: bytes to events and back. */
#pragma once

#include <stddef.h>

#include "frame.h"

enum {
    ROBO__SLCAN_LINE = 32
}; /* the longest line, T, 8 digits of identifier, size, 16 of data, 4 of time, CR */

enum robo__slcan_event {
    ROBO__SLCAN_MORE,    /* all bytes are used up */
    ROBO__SLCAN_FRAME,   /* a frame was received */
    ROBO__SLCAN_DONE,    /* the adapter has taken a command or a frame */
    ROBO__SLCAN_REFUSED, /* it has not */
    ROBO__SLCAN_STATUS,  /* its flags, asked for with F */
    ROBO__SLCAN_OTHER,   /* a line of another kind: version, serial number */
    ROBO__SLCAN_GARBAGE  /* a malformed line */
};

struct robo__slcan {
    char line[ROBO__SLCAN_LINE];
    size_t length;
    bool skips; /* skips to the end of a line that is too long */
};

/* The line of a frame; returns its length. */
size_t robo__slcan_encode(const struct robo__can_frame *frame, char out[ROBO__SLCAN_LINE]);

/* Takes bytes from *in up to the end of one line. frame is set with FRAME, flags with STATUS. */
enum robo__slcan_event robo__slcan_feed(struct robo__slcan *slcan, const uint8_t **in, size_t *size,
                                        struct robo__can_frame *frame, uint8_t *flags);
