/* The Golog-Tekkotsu interface on the wire. */
#include "robotalk/gti.h"

#include <math.h>
#include <string.h>

/* ---- numbers ---- */

static void put(struct robo_gti_format f, uint64_t x, unsigned bytes, uint8_t *out)
{
    for (unsigned i = 0; i < bytes; i++)
        out[f.big_endian ? bytes - 1 - i : i] = (uint8_t)(x >> 8 * i);
}

static uint64_t get(struct robo_gti_format f, const uint8_t *in, unsigned bytes)
{
    uint64_t x = 0;
    for (unsigned i = 0; i < bytes; i++)
        x |= (uint64_t)in[f.big_endian ? bytes - 1 - i : i] << 8 * i;
    return x;
}

static void put_int(struct robo_gti_format f, int32_t x, uint8_t *out)
{
    put(f, (uint32_t)x, 4, out);
}

static int32_t get_int(struct robo_gti_format f, const uint8_t *in)
{
    uint32_t raw = (uint32_t)get(f, in, 4);
    int32_t x;
    memcpy(&x, &raw, sizeof x);
    return x;
}

static void put_double(struct robo_gti_format f, double x, uint8_t *out)
{
    uint64_t raw;
    memcpy(&raw, &x, sizeof raw);
    put(f, raw, 8, out);
}

/* False: it is not finite. */
static bool get_double(struct robo_gti_format f, const uint8_t *in, double *x)
{
    uint64_t raw = get(f, in, 8);
    memcpy(x, &raw, sizeof *x);
    return isfinite(*x);
}

/* An int before doubles takes 8 bytes unless structures are packed. */
static unsigned int_size(struct robo_gti_format f)
{
    return f.packed ? 4 : 8;
}

static unsigned joint_size(struct robo_gti_format f)
{
    return int_size(f) + 16;
}

/* ---- bodies ---- */

/* WalkParam: dx, dy, da, time; or without the time */
enum { WALK = 32, SHORT_WALK = 24 };

/* Whether a body of that type can have that length. */
static bool fits(struct robo_gti_format f, int32_t type, uint32_t length)
{
    switch (type) {
    case ROBO_GTI_QUERY_SENSORS: return length >= 4 && length <= 4 + 4 * ROBO_GTI_MOST;
    case ROBO_GTI_QUERY_BALL:
    case ROBO_GTI_SEARCH_BALL: return length == 4;
    case ROBO_GTI_MOVE_JOINTS:
        return length >= int_size(f) && length <= int_size(f) + ROBO_GTI_MOST * joint_size(f);
    case ROBO_GTI_MOTION: return length >= 1 && length <= ROBO_GTI_NAME;
    case ROBO_GTI_WALK: return length == SHORT_WALK || length == WALK;
    case ROBO_GTI_WALK_FOR: return length == WALK;
    default: return false;
    }
}

static bool is_color(int32_t color)
{
    return color >= 0 && color < 4;
}

static const char *read_sensors(struct robo_gti_format f, const uint8_t *in, uint32_t length,
                                struct robo_gti_request *r)
{
    r->count = get_int(f, in);
    if (r->count < 0 || r->count > ROBO_GTI_MOST || length != 4 + 4 * (uint32_t)r->count)
        return "the number of sensors is not that of the body's length";
    for (int32_t i = 0; i < r->count; i++)
        r->sensor[i] = get_int(f, in + 4 + 4 * i);
    return NULL;
}

static const char *read_joints(struct robo_gti_format f, const uint8_t *in, uint32_t length,
                               struct robo_gti_request *r)
{
    r->count = get_int(f, in);
    if (r->count < 0 || r->count > ROBO_GTI_MOST ||
        length != int_size(f) + (uint32_t)r->count * joint_size(f))
        return "the number of joints is not that of the body's length";
    for (int32_t i = 0; i < r->count; i++) {
        const uint8_t *at = in + int_size(f) + (uint32_t)i * joint_size(f);
        r->joint[i].joint = get_int(f, at);
        if (!get_double(f, at + int_size(f), &r->joint[i].angle) ||
            !get_double(f, at + int_size(f) + 8, &r->joint[i].speed))
            return "an angle or a speed is no number";
    }
    return NULL;
}

static const char *read_motion(const uint8_t *in, uint32_t length, struct robo_gti_request *r)
{
    memcpy(r->file, in, length);
    r->file[length] = 0;
    /* a NUL may end it, none may stand within */
    if (r->file[0] == 0 || strlen(r->file) + 1 < length)
        return "a motion's name is empty, or has a NUL within";
    return NULL;
}

/* Checks a whole body: NULL, or an error text. */
static const char *read_body(struct robo_gti_format f, const uint8_t *in, uint32_t length,
                             struct robo_gti_request *r)
{
    switch (r->type) {
    case ROBO_GTI_QUERY_SENSORS: return read_sensors(f, in, length, r);
    case ROBO_GTI_QUERY_BALL:
    case ROBO_GTI_SEARCH_BALL:
        r->color = get_int(f, in);
        return is_color(r->color) ? NULL : "a color is none of four";
    case ROBO_GTI_MOVE_JOINTS: return read_joints(f, in, length, r);
    case ROBO_GTI_MOTION: return read_motion(in, length, r);
    default:
        if (!get_double(f, in, &r->dx) || !get_double(f, in + 8, &r->dy) ||
            !get_double(f, in + 16, &r->da) ||
            (r->type == ROBO_GTI_WALK_FOR && !get_double(f, in + 24, &r->seconds)))
            return "a speed or a time is no number";
        return NULL;
    }
}

/* ---- the server's side ---- */

static enum robo_gti_event close_with(struct robo_gti_parser *g, const char *why)
{
    g->state = ROBO_GTI_CLOSED;
    g->why = why;
    g->errors++;
    return ROBO_GTI_CLOSE;
}

/* A header is complete: chooses the next state. */
static void begin_body(struct robo_gti_parser *g)
{
    g->type = get_int(g->format, g->bytes);
    g->length = (uint32_t)get(g->format, g->bytes + 4, 4);
    g->got = 0;
    g->state = fits(g->format, g->type, g->length) ? ROBO_GTI_RECEIVING_BODY : ROBO_GTI_DRAINING;
}

/* Takes as many bytes as are there and wanted. */
static uint32_t take(struct robo_gti_parser *g, uint32_t wanted, const uint8_t **in, size_t *size,
                     bool keep)
{
    uint32_t n = wanted - g->got;
    if (n > *size)
        n = (uint32_t)*size;
    if (keep)
        memcpy(g->bytes + g->got, *in, n);
    g->got += n;
    *in += n;
    *size -= n;
    return g->got;
}

enum robo_gti_event robo_gti_feed(struct robo_gti_parser *g, const uint8_t **in, size_t *size,
                                  struct robo_gti_request *request)
{
    while (g->state != ROBO_GTI_CLOSED) {
        switch (g->state) {
        case ROBO_GTI_RECEIVING_HEADER:
            if (take(g, ROBO_GTI_HEADER, in, size, true) < ROBO_GTI_HEADER)
                return ROBO_GTI_MORE;
            begin_body(g);
            if (g->state == ROBO_GTI_DRAINING && g->length > ROBO_GTI_DRAINED)
                return close_with(g, "a body is announced that is longer than any");
            break;
        case ROBO_GTI_DRAINING:
            if (take(g, g->length, in, size, false) < g->length)
                return ROBO_GTI_MORE;
            return close_with(g, g->type < 0 || g->type >= ROBO_GTI_TYPES
                                     ? "a command's type is none"
                                     : "a body's length is not that of its type");
        default: {
            if (take(g, g->length, in, size, true) < g->length)
                return ROBO_GTI_MORE;
            memset(request, 0, sizeof *request);
            request->type = (enum robo_gti_type)g->type;
            const char *why = read_body(g->format, g->bytes, g->length, request);
            if (why)
                return close_with(g, why);
            g->state = ROBO_GTI_RECEIVING_HEADER;
            g->got = 0;
            return ROBO_GTI_REQUEST;
        }
        }
    }
    *size = 0;
    return ROBO_GTI_CLOSE;
}

size_t robo_gti_reply_sensors(struct robo_gti_format f, const double *values, int32_t count,
                              uint8_t *out)
{
    for (int32_t i = 0; i < count; i++)
        put_double(f, values[i], out + 8 * i);
    return 8 * (size_t)count;
}

size_t robo_gti_reply_ball(struct robo_gti_format f, bool visible, double x, double y, double area,
                           uint8_t *out)
{
    unsigned head = int_size(f);
    memset(out, 0, head);
    put_int(f, visible, out);
    put_double(f, x, out + head);
    put_double(f, y, out + head + 8);
    put_double(f, area, out + head + 16);
    return head + 24;
}

size_t robo_gti_reply_found(struct robo_gti_format f, bool found, uint8_t *out)
{
    put_int(f, found, out);
    return 4;
}

/* ---- the client's side ---- */

static bool is_count(int32_t count)
{
    return count >= 0 && count <= ROBO_GTI_MOST;
}

/* Whether the members of its type are valid; the others are ignored. */
static bool is_valid(const struct robo_gti_request *r)
{
    bool valid = true;
    switch (r->type) {
    case ROBO_GTI_QUERY_SENSORS: return is_count(r->count);
    case ROBO_GTI_QUERY_BALL:
    case ROBO_GTI_SEARCH_BALL: return is_color(r->color);
    case ROBO_GTI_MOVE_JOINTS:
        valid = is_count(r->count);
        for (int32_t i = 0; valid && i < r->count; i++)
            valid = isfinite(r->joint[i].angle) && isfinite(r->joint[i].speed);
        return valid;
    case ROBO_GTI_MOTION: return r->file[0] != 0 && memchr(r->file, 0, sizeof r->file);
    case ROBO_GTI_WALK:
    case ROBO_GTI_WALK_FOR:
        return isfinite(r->dx) && isfinite(r->dy) && isfinite(r->da) &&
               (r->type == ROBO_GTI_WALK || isfinite(r->seconds));
    default: return false;
    }
}

size_t robo_gti_encode(struct robo_gti_format f, const struct robo_gti_request *r,
                       uint8_t out[ROBO_GTI_HEADER + ROBO_GTI_BODY])
{
    uint8_t *body = out + ROBO_GTI_HEADER;
    size_t n = 0;
    if (!is_valid(r))
        return 0;
    switch (r->type) {
    case ROBO_GTI_QUERY_SENSORS:
        put_int(f, r->count, body);
        for (int32_t i = 0; i < r->count; i++)
            put_int(f, r->sensor[i], body + 4 + 4 * i);
        n = 4 + 4 * (size_t)r->count;
        break;
    case ROBO_GTI_QUERY_BALL:
    case ROBO_GTI_SEARCH_BALL:
        put_int(f, r->color, body);
        n = 4;
        break;
    case ROBO_GTI_MOVE_JOINTS:
        memset(body, 0, ROBO_GTI_BODY);
        put_int(f, r->count, body);
        n = int_size(f);
        for (int32_t i = 0; i < r->count; i++, n += joint_size(f)) {
            put_int(f, r->joint[i].joint, body + n);
            put_double(f, r->joint[i].angle, body + n + int_size(f));
            put_double(f, r->joint[i].speed, body + n + int_size(f) + 8);
        }
        break;
    case ROBO_GTI_MOTION:
        n = strlen(r->file);
        memcpy(body, r->file, n);
        break;
    case ROBO_GTI_WALK:
    case ROBO_GTI_WALK_FOR:
        put_double(f, r->dx, body);
        put_double(f, r->dy, body + 8);
        put_double(f, r->da, body + 16);
        put_double(f, r->type == ROBO_GTI_WALK ? 0 : r->seconds, body + 24);
        n = r->type == ROBO_GTI_WALK && f.short_walk ? SHORT_WALK : WALK;
        break;
    default: return 0;
    }
    put_int(f, (int32_t)r->type, out);
    put_int(f, (int32_t)n, out + 4);
    return ROBO_GTI_HEADER + n;
}

size_t robo_gti_reply_size(struct robo_gti_format f, const struct robo_gti_request *r)
{
    switch (r->type) {
    case ROBO_GTI_QUERY_SENSORS: return 8 * (size_t)r->count;
    case ROBO_GTI_QUERY_BALL: return int_size(f) + 24;
    case ROBO_GTI_SEARCH_BALL: return 4;
    default: return 0;
    }
}

bool robo_gti_read_reply(struct robo_gti_format f, const struct robo_gti_request *r,
                         const uint8_t *in, struct robo_gti_reply *reply)
{
    bool good = true;
    memset(reply, 0, sizeof *reply);
    switch (r->type) {
    case ROBO_GTI_QUERY_SENSORS:
        for (int32_t i = 0; i < r->count; i++)
            good &= get_double(f, in + 8 * i, &reply->value[i]);
        return good;
    case ROBO_GTI_QUERY_BALL:
        reply->visible = get_int(f, in) != 0;
        in += int_size(f);
        good &= get_double(f, in, &reply->x);
        good &= get_double(f, in + 8, &reply->y);
        good &= get_double(f, in + 16, &reply->area);
        return good || !reply->visible; /* the numbers of an invisible ball are not used */
    case ROBO_GTI_SEARCH_BALL: reply->found = get_int(f, in) != 0; return true;
    default: return true;
    }
}
