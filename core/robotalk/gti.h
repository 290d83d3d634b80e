/* May change without notice between versions. */
/* The Golog-Tekkotsu interface on the wire (paper 002, spec/gti.md): for programs that are a client of it, by any connection of
 * bytes (robo_dial), and for those that read what clients send. A server of it is `gti://` (robo_serve), which passes questions
 * on to the program (robo_questions). A command is a header { int type; int len } and then its body, in two stages; some
 * commands are replied to.
 *
 * Pure functions: bytes to requests and back; no socket, no allocation, any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "robotalk/api.h"

ROBO_API_BEGIN

/* The layout of C structures on the wire: that of the machine that the robot's server was compiled for. Options of its address
 * (robo_socket_option) say it, too: big, packed, short_walk. */
struct robo_gti_format {
    bool big_endian; /* an AIBO's MIPS is little-endian */
    bool packed;     /* without the gaps that align doubles to 8 bytes */
    bool short_walk; /* a walk until changed is sent without the time; both lengths are read */
};

enum robo_gti_type {
    ROBO_GTI_QUERY_SENSORS,
    ROBO_GTI_QUERY_BALL,
    ROBO_GTI_SEARCH_BALL,
    ROBO_GTI_MOVE_JOINTS,
    ROBO_GTI_MOTION,
    ROBO_GTI_WALK,
    ROBO_GTI_WALK_FOR,
    ROBO_GTI_TYPES /* how many there are */
};

enum {
    ROBO_GTI_HEADER = 8,     /* bytes */
    ROBO_GTI_MOST = 64,      /* sensors asked for, joints moved */
    ROBO_GTI_NAME = 255,     /* characters of a motion's file */
    ROBO_GTI_BODY = 2048,    /* buffer for the longest valid body */
    ROBO_GTI_DRAINED = 65536 /* an invalid body is skipped up to this length */
};

struct robo_gti_joint {
    int32_t joint;       /* its place in Tekkotsu's list */
    double angle, speed; /* degrees, percent */
};

/* A command; of its members those of its type are used. */
struct robo_gti_request {
    enum robo_gti_type type;
    int32_t count; /* of sensors or joints */
    /* their places in the list of joints, sensors and buttons; as received, also those that do not exist */
    int32_t sensor[ROBO_GTI_MOST];
    int32_t color;
    struct robo_gti_joint joint[ROBO_GTI_MOST];
    char file[ROBO_GTI_NAME + 1];
    double dx, dy, da, seconds; /* mm/s, rad/s, s */
};

/* ---- the server's side ---- */

enum robo_gti_event {
    ROBO_GTI_MORE,    /* all bytes are used up */
    ROBO_GTI_REQUEST, /* a request is complete */
    /* the bytes are invalid; a body of up to ROBO_GTI_DRAINED bytes was skipped first. The connection ends */
    ROBO_GTI_CLOSE
};

/* The state of a server's reader, as the paper has it: receiving a header, or the body of a command; draining an invalid
 * command. A parser of zeros, with its format set, is at the beginning of a connection. */
struct robo_gti_parser {
    struct robo_gti_format format;
    enum {
        ROBO_GTI_RECEIVING_HEADER,
        ROBO_GTI_RECEIVING_BODY,
        ROBO_GTI_DRAINING,
        ROBO_GTI_CLOSED
    } state;
    int32_t type;
    uint32_t length, got;
    uint8_t bytes[ROBO_GTI_BODY];
    const char *why; /* it is closed; static */
    uint32_t errors;
};

/* Takes bytes from *in, of which there are *size, up to the end of one command; both then describe the rest. */
enum robo_gti_event robo_gti_feed(struct robo_gti_parser *parser, const uint8_t **in, size_t *size,
                                  struct robo_gti_request *request);

/* Replies: their length, written to out, which has room for robo_gti_reply_size bytes. */
size_t robo_gti_reply_sensors(struct robo_gti_format format, const double *values, int32_t count,
                              uint8_t *out);
size_t robo_gti_reply_ball(struct robo_gti_format format, bool visible, double x, double y,
                           double area, uint8_t *out);
size_t robo_gti_reply_found(struct robo_gti_format format, bool found, uint8_t *out);

/* ---- the client's side ---- */

/* Header and body of a command: how many bytes; 0: it is invalid, or a number in it is not finite. */
size_t robo_gti_encode(struct robo_gti_format format, const struct robo_gti_request *request,
                       uint8_t out[ROBO_GTI_HEADER + ROBO_GTI_BODY]);

/* Bytes of the reply to a command, at most 8 * ROBO_GTI_MOST; 0: it has none. */
size_t robo_gti_reply_size(struct robo_gti_format format, const struct robo_gti_request *request);

struct robo_gti_reply {
    double value[ROBO_GTI_MOST]; /* of sensors, in the order asked for */
    bool visible, found;         /* of a ball */
    double x, y, area;
};

/* Reads the reply, of that size, to a command. False: a number in it is not finite. */
bool robo_gti_read_reply(struct robo_gti_format format, const struct robo_gti_request *request,
                         const uint8_t *bytes, struct robo_gti_reply *reply);

ROBO_API_END
