/* May change without notice between versions. */
/* The live session of RCTP on the wire (paper 001, spec/rctp.md): for programs that are a client of it, by any connection of
 * bytes (robo_dial), and for those that read the bytes of either side. A server of it is `rctp://` (robo_serve).
 *
 * Before it, client and server agree in text on objects and their numbers (ASSIGN, GO). Then both send frames; a frame holds
 * messages, each about one object: values of a control object, a text, bytes, or the status of a command. How many bytes
 * a message has follows from its object's layout, which both sides know from the robot's RCML file.
 *
 * Pure functions: bytes to messages and back; no socket, no allocation, any thread. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "robotalk/spec.h"

ROBO_API_BEGIN

enum robo_rctp_kind { /* of an object; 0: no object has that number */
                      ROBO_RCTP_CONTROL = 1,
                      ROBO_RCTP_TEXT = 2, /* UTF-8 without the character NUL */
                      ROBO_RCTP_BINARY = 3
};

enum robo_rctp_type { /* of a parameter, with the numbers of value_type in an RCML file */
                      ROBO_RCTP_FLOAT = 0,   /* IEEE 754, 4 bytes */
                      ROBO_RCTP_INTEGER = 1, /* two's complement, 4 bytes */
                      ROBO_RCTP_BOOL =
                          2 /* 1 byte; written as 0 or 1, and true unless 0 when read */
};

enum {
    ROBO_RCTP_IDS = 256,    /* numbers of objects: 1 to 254 can be assigned */
    ROBO_RCTP_ALIVE = 0,    /* as an object's number: a keep-alive message, of this byte alone */
    ROBO_RCTP_STATUS = 255, /* no object: the status of a command, or of the session */
    ROBO_RCTP_PARAMETERS = 2048, /* of one object at most */
    ROBO_RCTP_FRAME = 65535,     /* bytes of the messages of one frame at most */
    ROBO_RCTP_HEAD = 2,          /* bytes before them on TCP: their number */
    ROBO_RCTP_DATAGRAM = 6       /* bytes before them on UDP: token, sequence number */
};

/* The properties of an object that decide how its messages are laid out. */
struct robo_rctp_layout {
    uint8_t kind;        /* enum robo_rctp_kind */
    uint8_t stamp_size;  /* bytes of a time stamp: 0, 2, 4, 6 or 8 */
    uint8_t masked;      /* control: 1: messages say which parameters they have */
    uint16_t parameters; /* control: how many there are */
    const uint8_t *type; /* control: enum robo_rctp_type of each; NULL: all are ROBO_RCTP_FLOAT */
};

/* A message. Of its members those of its object's kind are used; those of a status with ROBO_RCTP_STATUS. */
struct robo_rctp_message {
    uint8_t id;     /* of the object */
    uint64_t stamp; /* in units of the object's time_unit, modulo 2 to the number of its bits */
    const char *
        why; /* read: what was expected, where it is complete but wrong; static. NULL: it is right */
    uint32_t at;                        /* read: the byte of the message where it is wrong */
    uint16_t count;                     /* control: how many values are sent */
    uint8_t sent[ROBO_RCTP_PARAMETERS]; /* control: 1: this parameter is sent */
    double value[ROBO_RCTP_PARAMETERS]; /* control: of those that are sent; others are ignored */
    const uint8_t *bytes;               /* text, binary, status: read: within the decoded bytes */
    uint32_t length;                    /* in bytes, of the text or bytes */
    uint8_t more;    /* text, binary: 1: the next message of this object continues it */
    uint8_t subject; /* status: the object that it is about; 0: the session */
    uint16_t code;   /* status */
};

/* ---- messages ---- */

/* Reads one message from the first of n bytes. How many bytes it has; 0: there are fewer than it has; ROBO_ENONE: no
 * object has that number, so the messages behind it cannot be separated; ROBO_ESIZE: nor can they, for its mask names
 * a parameter that it has not (id, stamp, why and at are set); ROBO_EINVAL: its layout has a stamp of more than 8
 * bytes, or more than ROBO_RCTP_PARAMETERS parameters. layout: of all ROBO_RCTP_IDS numbers; those of ROBO_RCTP_ALIVE
 * and ROBO_RCTP_STATUS are ignored. */
ptrdiff_t robo_rctp_decode(const struct robo_rctp_layout *layout, const uint8_t *in, size_t n,
                           struct robo_rctp_message *message);

/* Writes one message: how many bytes; ROBO_EFULL: there is no room; ROBO_ENONE: no object has that number; ROBO_ERANGE: a
 * value that its type cannot hold, a text that is too long; ROBO_EINVAL: a parameter is missing, and there is no mask, or its layout
 * is such as above. */
ptrdiff_t robo_rctp_encode(const struct robo_rctp_layout *layout,
                           const struct robo_rctp_message *message, uint8_t *out, size_t room);

/* Bytes of a message with those parameters, or with all when `sent` is NULL. */
size_t robo_rctp_size(const struct robo_rctp_layout *layout, const uint8_t *sent);

/* ---- frames and datagrams ---- */

/* The frame at the begin of n bytes that were received by TCP: returns the bytes of its messages, which follow
 * ROBO_RCTP_HEAD bytes. 0: it is not complete; ROBO_ESIZE: a frame of nothing. */
ptrdiff_t robo_rctp_frame(const uint8_t *in, size_t n);
/* Writes the head of a frame whose messages have so many bytes, 1 to ROBO_RCTP_FRAME. */
void robo_rctp_head(uint8_t head[ROBO_RCTP_HEAD], size_t length);

/* The head of a datagram: the token that GO was answered with, and a number that goes up by 1 from datagram to datagram. */
struct robo_rctp_datagram {
    uint32_t token;
    uint16_t sequence;
};
/* ROBO_ESIZE: it has no message. */
int robo_rctp_datagram_read(const uint8_t *in, size_t n, struct robo_rctp_datagram *datagram);
void robo_rctp_datagram_write(uint8_t out[ROBO_RCTP_DATAGRAM],
                              const struct robo_rctp_datagram *datagram);
/* Whether a datagram is newer than the newest one so far. */
int robo_rctp_newer(uint16_t sequence, uint16_t newest);

ROBO_API_END
