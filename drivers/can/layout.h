/* The layout of one dof's numbers in CAN frames, read from an option of the driver (spec/drivers.md, "can"):
 *
 *     velocity node=1 scale=10000                       CiA 402, profile velocity
 *     position node=2 scale=10000 cyclic                CiA 402, cyclic synchronous position
 *     generic set=0x201:i32@0*1000 position=0x181:i32@0*1000 speed=0x181:i16@4*100 halt=0x201:0000000000000000
 *
 * CiA 402 uses the identifiers and mappings that CiA 301 and 402-2 have by default. */
#pragma once

#include <stddef.h>

#include "frame.h"

enum robo__can_kind { ROBO__CAN_VELOCITY, ROBO__CAN_POSITION, ROBO__CAN_GENERIC };

/* A number in a frame: raw = scale * value. */
struct robo__can_field {
    bool there, big_endian;
    char type;                    /* i, u or f */
    uint8_t bytes;                /* 1, 2, 4 or 8 */
    uint8_t offset;               /* of its first byte */
    struct robo__can_frame frame; /* its identifier, size, and the bytes around it */
    double scale;
};

struct robo__can_layout {
    enum robo__can_kind kind;
    /* CiA 402 */
    uint8_t node; /* 1 to 127 */
    bool cyclic;  /* the cyclic synchronous modes */
    /* the drive's increments per radian or metre, and per that a second */
    double scale, speed_scale;
    double zero; /* position of the drive at the dof's zero, rad or m */
    /* generic */
    struct robo__can_field set, position, speed;
    struct robo__can_frame halt;
    bool halts;
};

/* Reads an option's text. False: it is malformed, and why says what was expected. */
bool robo__can_layout_read(const char *text, struct robo__can_layout *layout, char why[128]);

/* The frames that send a value, a speed or a position; returns their number, one or two. */
unsigned robo__can_layout_set(const struct robo__can_layout *layout, double value,
                              struct robo__can_frame frame[2]);

/* The contents of a received frame. */
enum {
    ROBO__CAN_SAYS_POSITION = 1,
    ROBO__CAN_SAYS_SPEED = 2,
    ROBO__CAN_SAYS_STATUS = 4,
    ROBO__CAN_SAYS_EMERGENCY = 8,
    ROBO__CAN_SAYS_LIFE = 16
};
struct robo__can_news {
    unsigned says; /* bits */
    double position, speed;
    uint16_t status, emergency;
};
void robo__can_layout_hear(const struct robo__can_layout *layout,
                           const struct robo__can_frame *frame, struct robo__can_news *news);

/* ---- CiA 402: the drive's state machine ---- */

enum {
    ROBO__CIA402_ENABLE = 0x0F,
    ROBO__CIA402_LIMP = 0x00,
    ROBO__CIA402_RESET = 0x80,
    ROBO__CIA402_HALT = 0x10F /* in a profile mode: stops by its own ramp, and stays in operation */
};

bool robo__cia402_is_enabled(uint16_t status);
bool robo__cia402_is_fault(uint16_t status);
/* The controlword that leads from this status towards operation. */
uint16_t robo__cia402_next(uint16_t status);

/* RPDO1: the controlword alone. */
void robo__cia402_control(const struct robo__can_layout *layout, uint16_t control,
                          struct robo__can_frame *frame);
/* The nth frame of the preparation of a drive (mode of operation, transmission types; stored: set-points wait for
 * SYNC); false after the last. */
bool robo__cia402_prepare(const struct robo__can_layout *layout, unsigned n, bool stored,
                          struct robo__can_frame *frame);
