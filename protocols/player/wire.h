/* The messages of Player 3 as data (spec/player.md): the header, and a table with the layout of every body that is used here, by
 * which bodies are read and written. Pure functions without memory of their own; a decoded array points into the bytes that were
 * read.
 *
 * A layout is a text, one letter an item, with how often it comes in front: b a byte, u and i 32 bits without and with sign, f and d
 * floats of 32 and 64 bits, x bytes behind two counts, [...] an array of such items behind two counts. So "6db" is two plane poses
 * and a byte. */
#pragma once

#include "xdr.h"

enum {
    ROBO__PLAYER_BANNER = 32, /* bytes that a server sends first: a text, padded with zeros */
    ROBO__PLAYER_HEADER = 40, /* bytes of a header */
    ROBO__PLAYER_VALUES = 20, /* numbers of a body outside of its arrays */
    ROBO__PLAYER_ARRAYS = 3,
    ROBO__PLAYER_NAME = 64, /* bytes of a driver's name, its NUL counted */
    /* bytes of a body beyond which Player itself ends a connection: 32 MiB */
    ROBO__PLAYER_MOST = 1 << 25
};

enum robo__player_interface {
    ROBO__PLAYER_PLAYER = 1,
    ROBO__PLAYER_POWER = 2,
    ROBO__PLAYER_GRIPPER = 3,
    ROBO__PLAYER_POSITION2D = 4,
    ROBO__PLAYER_SONAR = 5,
    ROBO__PLAYER_LASER = 6,
    ROBO__PLAYER_PTZ = 8,
    ROBO__PLAYER_BUMPER = 14,
    ROBO__PLAYER_IR = 22,
    ROBO__PLAYER_CAMERA = 40,
    ROBO__PLAYER_RANGER = 62
};

enum robo__player_type {
    ROBO__PLAYER_DATA = 1,
    ROBO__PLAYER_CMD = 2,
    ROBO__PLAYER_REQ = 3,
    ROBO__PLAYER_ACK = 4,
    ROBO__PLAYER_SYNCH = 5,
    ROBO__PLAYER_NACK = 6
};

struct robo__player_header {
    uint32_t host, robot; /* a client's are ignored; a server's address and port */
    uint16_t interf, index;
    uint8_t type, subtype;
    double timestamp; /* seconds of the epoch; of data: when they held */
    uint32_t seq, size;
};

/* false: a field is beyond its range, and *why says what was expected; the boundaries of later messages are lost. */
bool robo__player_get_header(const uint8_t in[ROBO__PLAYER_HEADER],
                             struct robo__player_header *header, const char **why);
void robo__player_put_header(const struct robo__player_header *header,
                             uint8_t out[ROBO__PLAYER_HEADER]);

/* A message that is known. */
struct robo__player_kind {
    uint16_t interf; /* 0: any, of requests that every device takes */
    uint8_t type, subtype;
    const char *name;
    const char *body;  /* layout of its body */
    const char *reply; /* layout of an ACK's; NULL: it has no reply */
};

/* NULL: this house does not know it. */
const struct robo__player_kind *robo__player_kind_of(unsigned interf, unsigned type,
                                                     unsigned subtype);
extern const struct robo__player_kind robo__player_kinds[]; /* ended by one without a name */

/* The name of an interface, as Player writes it; NULL: not one of these. And back: 0: no such one. */
const char *robo__player_interface_name(unsigned interf);
unsigned robo__player_interface_of(const char *name);

/* An array of a body. To be written: either `raw`, which are its bytes on the wire, or numbers, all fields of the first item, then
 * of the second. Read: `raw`, in the bytes that were read. */
struct robo__player_array {
    uint32_t count; /* of its items */
    const uint8_t *raw;
    const double *number;
    const char *of; /* read: the layout of an item, up to its bracket; NULL: bytes */
};

struct robo__player_body {
    unsigned values, arrays; /* read: how many there were */
    double value[ROBO__PLAYER_VALUES];
    struct robo__player_array array[ROBO__PLAYER_ARRAYS];
};

/* The place where a body differs from its layout, and what was expected there. */
struct robo__player_mistake {
    size_t at;
    const char *why;
};

/* Reads a whole body, which has just these n bytes; false: it is malformed, and *mistake says where. */
bool robo__player_decode(const char *layout, const uint8_t *in, size_t n,
                         struct robo__player_body *body, struct robo__player_mistake *mistake);

/* Writes one: how many bytes that takes, which are not written where there are fewer. out NULL: only counts. */
size_t robo__player_encode(const char *layout, const struct robo__player_body *body, uint8_t *out,
                           size_t size);

/* A field of an item of an array that was read: 0 for a missing one. Of bytes the field is 0. */
double robo__player_item(const struct robo__player_array *array, uint32_t item, unsigned field);

/* Copies bytes of an array that was read as a text with its NUL, cut off where it is longer. */
void robo__player_text(const struct robo__player_array *array, char *text, size_t size);
