/* Messages of ROS 2 by the tables of spec/ros.lua: one writer, of JSON or CDR, and one reader of CDR. Both walk over the numbers, texts and
 * counts of a message in the order of its table; members that are messages themselves are entered and left without a call.
 *
 *     robo__ros_begin(&out, &bytes, ROBO__ROS_CDR, robo__ros_message("std_msgs/msg/Header"));
 *     robo__ros_put_time(&out, time);
 *     robo__ros_put_text(&out, "%s/%s", robot, link);
 *     good = robo__ros_end(&out);
 *
 *     robo__ros_open(&in, bytes, n, robo__ros_message("geometry_msgs/msg/TwistStamped"));
 *     robo__ros_skip(&in, "header");
 *     robo__ros_get_numbers(&in, linear, 3);
 *     robo__ros_get_numbers(&in, angular, 3);
 *     good = robo__ros_close(&in);
 *
 * Writer and reader are values of the caller's stack; only the writer's bytes are allocated. */
#pragma once

#include "recording/json.h"

enum { ROBO__ROS_DEEP = 8 /* messages within each other */ };

enum robo__ros_type {
    ROBO__ROS_BOOL,
    ROBO__ROS_INT8,
    ROBO__ROS_UINT8,
    ROBO__ROS_INT16,
    ROBO__ROS_UINT16,
    ROBO__ROS_INT32,
    ROBO__ROS_UINT32,
    ROBO__ROS_FLOAT32,
    ROBO__ROS_FLOAT64,
    ROBO__ROS_STRING,
    ROBO__ROS_MESSAGE
};

struct robo__ros_field {
    const char *name, *old; /* old: in ROS 1 */
    enum robo__ros_type type;
    uint32_t count; /* 0: a sequence */
    const struct robo__ros_message *of;
};

struct robo__ros_message {
    const char *name, *dds, *old; /* old: what JSON has before its fields in ROS 1 */
    uint32_t fields;
    const struct robo__ros_field *field;
    uint32_t least; /* bytes of CDR, at least */
};

extern const struct robo__ros_message robo__ros_messages[]; /* ended by one without a name */
/* By its name, as "nav_msgs/msg/Odometry"; NULL: there is none. */
const struct robo__ros_message *robo__ros_message(const char *name);

/* What is next. Arrays and sequences of uint8 are octets, which come at once. */
enum robo__ros_next {
    ROBO__ROS_NUMBER,
    ROBO__ROS_TEXT,
    ROBO__ROS_OCTETS,
    ROBO__ROS_COUNT, /* of a sequence, before its elements */
    ROBO__ROS_END
};

struct robo__ros_walk {
    struct {
        const struct robo__ros_message *message;
        uint32_t field, count, left; /* left: elements of the field, with the one that is next */
    } level[ROBO__ROS_DEEP];
    int depth;               /* -1: the message is whole */
    bool counts;             /* a count is next */
    struct robo__json *json; /* NULL: no JSON is written */
    bool old;
};

enum robo__ros_next robo__ros_next(const struct robo__ros_walk *walk);

/* ---- writing ---- */

enum robo__ros_form {
    ROBO__ROS_JSON,
    ROBO__ROS_JSON_OLD, /* as in ROS 1 */
    ROBO__ROS_CDR,
    ROBO__ROS_CDR_HUMBLE /* topics have the messages of Humble */
};

struct robo__ros_out {
    struct robo__ros_walk walk;
    struct robo__json *bytes;
    enum robo__ros_form form;
    size_t begin; /* of CDR, behind its header */
    bool wrong;   /* something else was next */
};

/* Goes on at the end of bytes. */
void robo__ros_begin(struct robo__ros_out *out, struct robo__json *bytes, enum robo__ros_form form,
                     const struct robo__ros_message *message);
/* In CDR, right after the beginning: what a request has before its message in the dialect of rmw_cyclonedds, and its response, too. */
void robo__ros_put_call(struct robo__ros_out *out, const uint64_t call[2]);
/* A value that does not fit into an integer becomes the nearest that does. */
void robo__ros_put_number(struct robo__ros_out *out, double x);
void robo__ros_put_numbers(struct robo__ros_out *out, const double *x, size_t n); /* NULL: zeros */
void robo__ros_put_count(struct robo__ros_out *out, uint32_t n);
void robo__ros_put_list(struct robo__ros_out *out, const double *x,
                        uint32_t n);                                /* with its count */
void robo__ros_put_time(struct robo__ros_out *out, robo_time time); /* Time or Duration */
/* A text of at most 255 bytes; longer ones are cut. */
void robo__ros_put_text(struct robo__ros_out *out, const char *form, ...)
    __attribute__((format(printf, 2, 3)));
void robo__ros_put_bytes(struct robo__ros_out *out, const void *bytes,
                         size_t n); /* octets; a text */
/* Whether the message is whole. */
bool robo__ros_end(struct robo__ros_out *out);

/* A text of JSON without its quotation marks, of which control characters but newlines are left out; twice: as a text within one. */
void robo__ros_put_escaped(struct robo__json *json, const char *text, size_t n, bool twice);

/* ---- reading ---- */

/* Once something is wrong, all functions return 0, "" or no octets until the end, so that it is enough to look there. */
struct robo__ros_in {
    struct robo__ros_walk walk;
    const uint8_t *bytes; /* the caller's, until the last look at a text or octets */
    size_t size, at;
    bool big;          /* big-endian */
    const char *error; /* what was expected; NULL: nothing is wrong */
};

bool robo__ros_open(struct robo__ros_in *in, const void *bytes, size_t n,
                    const struct robo__ros_message *message);
void robo__ros_get_call(struct robo__ros_in *in, uint64_t call[2]);
double robo__ros_get_number(struct robo__ros_in *in);
void robo__ros_get_numbers(struct robo__ros_in *in, double *x, size_t n);
/* Elements of which each has a byte at least: no more than there are bytes. */
uint32_t robo__ros_get_count(struct robo__ros_in *in);
robo_time robo__ros_get_time(struct robo__ros_in *in);
const char *robo__ros_get_text(struct robo__ros_in *in); /* within the bytes; has no NUL in it */
const uint8_t *robo__ros_get_octets(struct robo__ros_in *in, uint32_t *n);
/* Passes over the rest of that member. */
void robo__ros_skip(struct robo__ros_in *in, const char *field);
/* Passes over the rest: whether it all was as the table says. */
bool robo__ros_close(struct robo__ros_in *in);
/* For people: "points[3].positions[1], byte 123: expected …". */
void robo__ros_why(const struct robo__ros_in *in, char *text, size_t size);
