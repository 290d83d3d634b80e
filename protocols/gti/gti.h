/* The Golog-Tekkotsu interface on the wire (paper 002): a command is a header { int type; int len } and then its body, in
 * two stages; some commands are replied to. Numbers of types, bodies and replies are ours where the paper leaves them out:
 * spec/gti.md. Pure: bytes to requests and back; no sockets, no allocation. */
#ifndef ROBO_GTI_H
#define ROBO_GTI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The layout of C structures on the wire: that of the machine that the robot's server was compiled for. */
struct robo__gti_format {
    bool big_endian; /* an AIBO's MIPS is little-endian */
    bool packed;     /* without the gaps that align doubles to 8 bytes */
    bool short_walk; /* a walk until changed is sent without the time; both lengths are read */
};

enum robo__gti_type {
    ROBO__GTI_QUERY_SENSORS,
    ROBO__GTI_QUERY_BALL,
    ROBO__GTI_SEARCH_BALL,
    ROBO__GTI_MOVE_JOINTS,
    ROBO__GTI_MOTION,
    ROBO__GTI_WALK,
    ROBO__GTI_WALK_FOR,
    ROBO__GTI_TYPES
};

enum {
    ROBO__GTI_HEADER = 8,
    ROBO__GTI_MOST = 64,      /* sensors asked for, joints moved */
    ROBO__GTI_NAME = 255,     /* characters of a motion's file */
    ROBO__GTI_BODY = 2048,    /* buffer for the longest valid body */
    ROBO__GTI_DRAINED = 65536 /* an invalid body is skipped up to this length */
};

struct robo__gti_joint {
    int32_t joint;
    double angle, speed; /* degrees, percent */
};

struct robo__gti_request {
    enum robo__gti_type type;
    int32_t count; /* of sensors or joints */
    /* their places in the list of joints, sensors and buttons; as they came, also those that do not exist */
    int32_t sensor[ROBO__GTI_MOST];
    int32_t color;
    struct robo__gti_joint joint[ROBO__GTI_MOST];
    char file[ROBO__GTI_NAME + 1];
    double dx, dy, da, seconds; /* mm/s, rad/s, s */
};

/* ---- the server's side ---- */

enum robo__gti_event {
    ROBO__GTI_MORE,    /* all bytes are used up */
    ROBO__GTI_REQUEST, /* a request is complete */
    /* the bytes are invalid; a body of up to DRAINED bytes was skipped first. The connection ends */
    ROBO__GTI_CLOSE
};

/* The server's state as the paper has it: receiving a header, or the body of a command; draining one that is none. */
struct robo__gti {
    struct robo__gti_format format;
    enum {
        ROBO__GTI_RECEIVING_HEADER,
        ROBO__GTI_RECEIVING_BODY,
        ROBO__GTI_DRAINING,
        ROBO__GTI_CLOSED
    } state;
    int32_t type;
    uint32_t length, got;
    uint8_t bytes[ROBO__GTI_BODY];
    const char *why; /* it is closed */
    uint32_t errors;
};

/* Takes bytes from *in up to the end of one command. */
enum robo__gti_event robo__gti_feed(struct robo__gti *gti, const uint8_t **in, size_t *size,
                                    struct robo__gti_request *request);

/* Replies: their length, written to out, which has room for robo__gti_reply_size bytes. */
size_t robo__gti_reply_sensors(struct robo__gti_format format, const double *values, int32_t count,
                               uint8_t *out);
size_t robo__gti_reply_ball(struct robo__gti_format format, bool visible, double x, double y,
                            double area, uint8_t *out);
size_t robo__gti_reply_found(struct robo__gti_format format, bool found, uint8_t *out);

/* ---- the client's side ---- */

/* Header and body of a command; 0: it is invalid, or a number in it is not finite. */
size_t robo__gti_encode(struct robo__gti_format format, const struct robo__gti_request *request,
                        uint8_t out[ROBO__GTI_HEADER + ROBO__GTI_BODY]);

/* Bytes of the reply to a command; 0: it has none. */
size_t robo__gti_reply_size(struct robo__gti_format format,
                            const struct robo__gti_request *request);

struct robo__gti_reply {
    double value[ROBO__GTI_MOST]; /* of sensors */
    bool visible, found;
    double x, y, area;
};

/* Reads the reply, of that size, to a command. False: a number in it is not finite. */
bool robo__gti_read_reply(struct robo__gti_format format, const struct robo__gti_request *request,
                          const uint8_t *bytes, struct robo__gti_reply *reply);

#endif
