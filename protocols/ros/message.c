/* Messages of ROS 2, written and read. */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>

static const robo_time SECOND = 1000000000;

const struct robo__ros_message *robo__ros_message(const char *name)
{
    const struct robo__ros_message *m = robo__ros_messages;
    while (m->name && strcmp(m->name, name) != 0)
        m++;
    return m->name ? m : NULL;
}

/* ---- the walk ---- */

static const struct robo__ros_field *field_of(const struct robo__ros_walk *w)
{
    return &w->level[w->depth].message->field[w->level[w->depth].field];
}

static bool is_octets(const struct robo__ros_field *f)
{
    return f->count != 1 && f->type == ROBO__ROS_UINT8;
}

enum robo__ros_next robo__ros_next(const struct robo__ros_walk *w)
{
    return w->depth < 0                           ? ROBO__ROS_END
           : w->counts                            ? ROBO__ROS_COUNT
           : is_octets(field_of(w))               ? ROBO__ROS_OCTETS
           : field_of(w)->type < ROBO__ROS_STRING ? ROBO__ROS_NUMBER
                                                  : ROBO__ROS_TEXT;
}

static void put(const struct robo__ros_walk *w, const char *text)
{
    if (w->json)
        robo__json_put(w->json, text);
}

/* What begins, or has just ended. */
enum step { FIELD, ELEMENT, ELEMENT_ENDS };

/* Goes on to the next number, text, octets or count. */
static void go_on(struct robo__ros_walk *w, enum step step)
{
    for (;;) {
        uint32_t *field = &w->level[w->depth].field, *left = &w->level[w->depth].left;
        const struct robo__ros_message *m = w->level[w->depth].message;
        const struct robo__ros_field *f = &m->field[*field];
        if (step == FIELD) {
            if (*field == m->fields) {
                put(w, "}");
                if (w->depth-- == 0)
                    return;
                step = ELEMENT_ENDS;
                continue;
            }
            put(w, *field > 0 ? ",\"" : "\"");
            put(w, w->old ? f->old : f->name);
            put(w, "\":");
            w->level[w->depth].count = *left = f->count;
            w->counts = f->count == 0 && !is_octets(f);
            if (w->counts || is_octets(f))
                return;
            if (f->count != 1)
                put(w, "[");
        } else if (step == ELEMENT_ENDS) {
            if (*left <= 1) {
                if (f->count != 1 && !is_octets(f))
                    put(w, "]");
                ++*field;
                step = FIELD;
                continue;
            }
            --*left;
            put(w, ",");
        }
        if (!f->of)
            return;
        w->level[++w->depth].message = f->of;
        w->level[w->depth].field = 0;
        put(w, "{");
        put(w, w->old ? f->of->old : "");
        step = FIELD;
    }
}

static void set_out(struct robo__ros_walk *w, const struct robo__ros_message *m)
{
    w->depth = 0;
    w->level[0].message = m;
    put(w, "{");
    put(w, w->old ? m->old : "");
    go_on(w, FIELD);
}

static void pass_count(struct robo__ros_walk *w, uint32_t n)
{
    w->counts = false;
    w->level[w->depth].count = w->level[w->depth].left = n;
    put(w, "[");
    go_on(w, n > 0 ? ELEMENT : ELEMENT_ENDS);
}

/* ---- writing ---- */

void robo__ros_begin(struct robo__ros_out *out, struct robo__json *bytes, enum robo__ros_form form,
                     const struct robo__ros_message *message)
{
    static const char header[] = { 0, 1, 0, 0 };
    *out = (struct robo__ros_out){ .bytes = bytes, .form = form };
    out->walk.json = form >= ROBO__ROS_CDR ? NULL : bytes;
    out->walk.old = form == ROBO__ROS_JSON_OLD;
    if (form >= ROBO__ROS_CDR)
        robo__json_bytes(bytes, header, sizeof header);
    out->begin = bytes->used;
    set_out(&out->walk, message);
}

/* A number of CDR, at a multiple of its size. */
static void put_bits(struct robo__ros_out *out, uint64_t bits, size_t size)
{
    char byte[16] = "";
    const size_t gap = (out->begin - out->bytes->used) & (size - 1);
    for (size_t i = 0; i < size; i++)
        byte[gap + i] = (char)(bits >> 8 * i);
    robo__json_bytes(out->bytes, byte, gap + size);
}

static const uint8_t sizes[] = { 1, 1, 1, 2, 2, 4, 4, 4, 8 };

static bool is_signed(enum robo__ros_type type)
{
    return type == ROBO__ROS_INT8 || type == ROBO__ROS_INT16 || type == ROBO__ROS_INT32;
}

static uint64_t bits_of(enum robo__ros_type type, double x)
{
    uint64_t bits = 0;
    const float narrow = (float)x;
    if (type == ROBO__ROS_FLOAT64) {
        memcpy(&bits, &x, sizeof x);
    } else if (type == ROBO__ROS_FLOAT32) {
        uint32_t half;
        memcpy(&half, &narrow, sizeof half);
        bits = half;
    } else if (x == x) {
        const int width = 8 * sizes[type] - is_signed(type);
        const double high = type == ROBO__ROS_BOOL ? 1 : (double)((INT64_C(1) << width) - 1),
                     low = is_signed(type) ? -1 - high : 0;
        bits = (uint64_t)(int64_t)(x > high ? high : x < low ? low : x);
    }
    return bits;
}

static bool is_next(struct robo__ros_out *out, enum robo__ros_next next)
{
    out->wrong |= robo__ros_next(&out->walk) != next;
    return !out->wrong;
}

void robo__ros_put_call(struct robo__ros_out *out, const uint64_t call[2])
{
    put_bits(out, call[0], sizeof call[0]);
    put_bits(out, call[1], sizeof call[1]);
}

void robo__ros_put_number(struct robo__ros_out *out, double x)
{
    if (!is_next(out, ROBO__ROS_NUMBER))
        return;
    const enum robo__ros_type type = field_of(&out->walk)->type;
    if (out->form >= ROBO__ROS_CDR)
        put_bits(out, bits_of(type, x), sizes[type]);
    else if (type == ROBO__ROS_BOOL)
        robo__json_put(out->bytes, x != 0 ? "true" : "false");
    else
        robo__json_double(out->bytes, x);
    go_on(&out->walk, ELEMENT_ENDS);
}

void robo__ros_put_numbers(struct robo__ros_out *out, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        robo__ros_put_number(out, x ? x[i] : 0);
}

void robo__ros_put_count(struct robo__ros_out *out, uint32_t n)
{
    if (!is_next(out, ROBO__ROS_COUNT))
        return;
    if (out->form >= ROBO__ROS_CDR)
        put_bits(out, n, sizeof n);
    pass_count(&out->walk, n);
}

void robo__ros_put_list(struct robo__ros_out *out, const double *x, uint32_t n)
{
    robo__ros_put_count(out, n);
    robo__ros_put_numbers(out, x, n);
}

void robo__ros_put_time(struct robo__ros_out *out, robo_time time)
{
    const robo_time rest = time % SECOND + (time % SECOND < 0 ? SECOND : 0);
    robo__ros_put_number(out, (double)((time - rest) / SECOND));
    robo__ros_put_number(out, (double)rest);
}

void robo__ros_put_text(struct robo__ros_out *out, const char *form, ...)
{
    char text[256];
    va_list args;
    va_start(args, form);
    vsnprintf(text, sizeof text, form, args);
    va_end(args);
    robo__ros_put_bytes(out, text, strlen(text));
}

void robo__ros_put_escaped(struct robo__json *json, const char *text, size_t n, bool twice)
{
    const char *const line = twice ? "\\\\n" : "\\n", *const quote = twice ? "\\\\\\\"" : "\\\"",
                      *const slash = twice ? "\\\\\\\\" : "\\\\";
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)text[i] >= ' ' && text[i] != '"' && text[i] != '\\')
            robo__json_bytes(json, &text[i], 1);
        else if ((unsigned char)text[i] >= ' ' || text[i] == '\n')
            robo__json_put(json, text[i] == '\n' ? line : text[i] == '"' ? quote : slash);
}

void robo__ros_put_bytes(struct robo__ros_out *out, const void *bytes, size_t n)
{
    const bool text = robo__ros_next(&out->walk) == ROBO__ROS_TEXT;
    if (!is_next(out, text ? ROBO__ROS_TEXT : ROBO__ROS_OCTETS))
        return;
    const uint32_t count = field_of(&out->walk)->count;
    if (out->form >= ROBO__ROS_CDR) {
        if (text || count == 0)
            put_bits(out, n + text, 4);
        robo__json_bytes(out->bytes, bytes, n);
        robo__json_bytes(out->bytes, "", text);
    } else if (text) {
        robo__json_put(out->bytes, "\"");
        robo__ros_put_escaped(out->bytes, bytes, n, false);
        robo__json_put(out->bytes, "\"");
    } else {
        robo__json_base64(out->bytes, bytes, n);
    }
    out->wrong |= !text && count > 0 && count != n;
    if (!text)
        out->walk.level[out->walk.depth].left = 0;
    go_on(&out->walk, ELEMENT_ENDS);
}

bool robo__ros_end(struct robo__ros_out *out)
{
    return is_next(out, ROBO__ROS_END) && !out->bytes->failed;
}

/* ---- reading ---- */

bool robo__ros_open(struct robo__ros_in *in, const void *bytes, size_t n,
                    const struct robo__ros_message *message)
{
    *in = (struct robo__ros_in){ .bytes = bytes, .size = n };
    set_out(&in->walk, message);
    if (n < 4 || in->bytes[0] != 0 || in->bytes[1] > 1)
        in->error = "a header of CDR, 00 00 or 00 01, and two bytes";
    else
        in->at = 4;
    in->big = !in->error && in->bytes[1] == 0;
    return !in->error;
}

static bool fails(struct robo__ros_in *in, bool does, const char *expected)
{
    if (!in->error && does)
        in->error = expected;
    return in->error != NULL;
}

/* Whether that is next, as the caller says. */
static bool comes(struct robo__ros_in *in, enum robo__ros_next next)
{
    return !fails(in, robo__ros_next(&in->walk) != next, "another kind of value");
}

/* NULL: they are not there. */
static const uint8_t *take(struct robo__ros_in *in, size_t n)
{
    if (fails(in, n > in->size - in->at, "more bytes"))
        return NULL;
    in->at += n;
    return in->bytes + in->at - n;
}

static uint64_t take_bits(struct robo__ros_in *in, size_t size)
{
    uint64_t bits = 0;
    const uint8_t *byte = take(in, (4 - in->at) & (size - 1)) ? take(in, size) : NULL;
    for (size_t i = 0; byte && i < size; i++)
        bits |= (uint64_t)byte[i] << 8 * (in->big ? size - 1 - i : i);
    return bits;
}

void robo__ros_get_call(struct robo__ros_in *in, uint64_t call[2])
{
    call[0] = take_bits(in, sizeof call[0]);
    call[1] = take_bits(in, sizeof call[1]);
}

static double number_of(enum robo__ros_type type, uint64_t bits)
{
    double x;
    float narrow;
    const uint32_t half = (uint32_t)bits;
    const int spare = type < ROBO__ROS_FLOAT32 ? 64 - 8 * sizes[type] : 0;
    switch (type) {
    case ROBO__ROS_FLOAT64: memcpy(&x, &bits, sizeof x); return x;
    case ROBO__ROS_FLOAT32: memcpy(&narrow, &half, sizeof narrow); return narrow;
    default: return is_signed(type) ? (double)((int64_t)(bits << spare) >> spare) : (double)bits;
    }
}

double robo__ros_get_number(struct robo__ros_in *in)
{
    if (!comes(in, ROBO__ROS_NUMBER))
        return 0;
    const enum robo__ros_type type = field_of(&in->walk)->type;
    const double x = number_of(type, take_bits(in, sizes[type]));
    if (fails(in, type == ROBO__ROS_BOOL && x > 1, "0 or 1"))
        return 0;
    go_on(&in->walk, ELEMENT_ENDS);
    return x;
}

void robo__ros_get_numbers(struct robo__ros_in *in, double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = robo__ros_get_number(in);
}

uint32_t robo__ros_get_count(struct robo__ros_in *in)
{
    if (!comes(in, ROBO__ROS_COUNT))
        return 0;
    const struct robo__ros_field *f = field_of(&in->walk);
    const uint32_t n = (uint32_t)take_bits(in, sizeof n), least = f->of ? f->of->least
                                                                  : f->type == ROBO__ROS_STRING
                                                                      ? 4
                                                                      : sizes[f->type];
    if (fails(in, n > (in->size - in->at) / least, "a count of no more elements than follow"))
        return 0;
    pass_count(&in->walk, n);
    return n;
}

robo_time robo__ros_get_time(struct robo__ros_in *in)
{
    const double seconds = robo__ros_get_number(in), rest = robo__ros_get_number(in);
    return (robo_time)seconds * SECOND + (robo_time)rest;
}

const char *robo__ros_get_text(struct robo__ros_in *in)
{
    if (!comes(in, ROBO__ROS_TEXT))
        return "";
    const uint32_t n = (uint32_t)take_bits(in, sizeof n);
    const char *text = n > 0 ? (const char *)take(in, n) : "";
    if (fails(in, n > 0 && text && memchr(text, 0, n) != text + n - 1,
              "a text with one NUL, at its end"))
        return "";
    go_on(&in->walk, ELEMENT_ENDS);
    return text;
}

const uint8_t *robo__ros_get_octets(struct robo__ros_in *in, uint32_t *n)
{
    *n = 0;
    if (!comes(in, ROBO__ROS_OCTETS))
        return NULL;
    const uint32_t fixed = field_of(&in->walk)->count,
                   count = fixed > 0 ? fixed : (uint32_t)take_bits(in, sizeof count);
    const uint8_t *octets = take(in, count);
    if (!octets)
        return NULL;
    *n = count;
    in->walk.level[in->walk.depth].left = 0;
    go_on(&in->walk, ELEMENT_ENDS);
    return octets;
}

static void skip_one(struct robo__ros_in *in)
{
    uint32_t n;
    switch (robo__ros_next(&in->walk)) {
    case ROBO__ROS_NUMBER: robo__ros_get_number(in); break;
    case ROBO__ROS_TEXT: robo__ros_get_text(in); break;
    case ROBO__ROS_OCTETS: robo__ros_get_octets(in, &n); break;
    case ROBO__ROS_COUNT: robo__ros_get_count(in); break;
    case ROBO__ROS_END: break;
    }
}

void robo__ros_skip(struct robo__ros_in *in, const char *field)
{
    const struct robo__ros_walk *w = &in->walk;
    const struct robo__ros_walk before = *w;
    int at = 0;
    while (at <= w->depth &&
           strcmp(w->level[at].message->field[w->level[at].field].name, field) != 0)
        at++;
    if (fails(in, at > w->depth, "another member"))
        return;
    while (!in->error && w->depth >= at && w->level[at].field == before.level[at].field &&
           (at == 0 || (w->level[at - 1].field == before.level[at - 1].field &&
                        w->level[at - 1].left == before.level[at - 1].left)))
        skip_one(in);
}

bool robo__ros_close(struct robo__ros_in *in)
{
    while (!in->error && in->walk.depth >= 0)
        skip_one(in);
    return !fails(in, in->size - in->at > 3, "the end of the message");
}

void robo__ros_why(const struct robo__ros_in *in, char *text, size_t size)
{
    size_t n = 0;
    for (int i = 0; i <= in->walk.depth && n < size; i++) {
        const struct robo__ros_field *f =
            &in->walk.level[i].message->field[in->walk.level[i].field];
        n += (size_t)snprintf(text + n, size - n, "%s%s", i ? "." : "", f->name);
        if (f->count != 1 && in->walk.level[i].count > 0 && n < size)
            n += (size_t)snprintf(text + n, size - n, "[%u]",
                                  in->walk.level[i].count - in->walk.level[i].left);
    }
    if (n < size)
        snprintf(text + n, size - n, "%sbyte %zu: expected %s", n ? ", " : "", in->at, in->error);
}
