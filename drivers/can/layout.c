/* The layout of one dof's numbers in CAN frames. */
#include "layout.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"

/* Default identifiers of CiA 301, without the node: and the contents that CiA 402-2 maps to these PDOs. */
enum {
    EMERGENCY = 0x080,
    TPDO1 = 0x180, /* statusword */
    RPDO1 = 0x200, /* controlword */
    TPDO3 = 0x380, /* statusword, position actual value */
    RPDO3 = 0x400, /* controlword, target position */
    TPDO4 = 0x480, /* statusword, velocity actual value */
    RPDO4 = 0x500, /* controlword, target velocity */
    SDO = 0x600,
    LIFE = 0x700
};
enum { FEEDBACK = 10 }; /* ms between two positions from a drive */

static bool wrong(char why[128], const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why, 128, format, args);
    va_end(args);
    return false;
}

/* ---- reading ---- */

static bool read_number(const char *text, double least, double most, double *out)
{
    return robo__number_is(text, strlen(text), out) && *out >= least && *out <= most;
}

/* An identifier up to a colon, which is passed. */
static const char *read_id(const char *text, struct robo__can_frame *frame)
{
    char *end;
    unsigned long id = strtoul(text, &end, 0);
    if (end == text || *end != ':' || id > 0x1FFFFFFF || text[0] == '-' || text[0] == '+')
        return NULL;
    *frame = (struct robo__can_frame){ .id = (uint32_t)id, .extended = id > 0x7FF, .size = 8 };
    return end + 1;
}

/* ID:TYPE@OFFSET*SCALE, as 0x181:i32be@0*1000 */
static bool read_field(const char *text, struct robo__can_field *field)
{
    char type;
    unsigned bits, offset;
    int used = 0;
    double scale = 1;
    text = read_id(text, &field->frame);
    if (!text || sscanf(text, "%c%2u%n", &type, &bits, &used) != 2 || !strchr("iuf", type))
        return false;
    text += used;
    field->big_endian = strncmp(text, "be", 2) == 0;
    text += field->big_endian ? 2 : 0;
    used = 0;
    if (sscanf(text, "@%1u%n", &offset, &used) != 1)
        return false;
    text += used;
    if (*text == '*' && !read_number(text + 1, -1e12, 1e12, &scale))
        return false;
    if ((*text != '*' && *text != 0) || scale == 0)
        return false;
    bool known = type == 'f' ? bits == 32 || bits == 64 : bits == 8 || bits == 16 || bits == 32;
    if (!known || offset + bits / 8 > 8)
        return false;
    field->there = true;
    field->type = type;
    field->bytes = (uint8_t)(bits / 8);
    field->offset = (uint8_t)offset;
    field->scale = scale;
    return true;
}

/* ID:HEX, up to 8 bytes. */
static bool read_frame(const char *text, struct robo__can_frame *frame)
{
    text = read_id(text, frame);
    if (!text || strlen(text) > 16 || strlen(text) % 2 ||
        strspn(text, "0123456789abcdefABCDEF") != strlen(text))
        return false;
    frame->size = (uint8_t)(strlen(text) / 2);
    for (unsigned i = 0; i < frame->size; i++) {
        char two[3] = { text[2 * i], text[2 * i + 1], 0 };
        frame->data[i] = (uint8_t)strtoul(two, NULL, 16);
    }
    return true;
}

/* One word of a layout of CiA 402. */
static bool read_drive_word(struct robo__can_layout *l, const char *name, const char *value,
                            char why[128])
{
    double x;
    if (strcmp(name, "cyclic") == 0 && !value) {
        l->cyclic = true;
    } else if (strcmp(name, "node") == 0 && value && read_number(value, 1, 127, &x) &&
               x == floor(x)) {
        l->node = (uint8_t)x;
    } else if (strcmp(name, "scale") == 0 && value && read_number(value, -1e9, 1e9, &x) && x != 0) {
        l->scale = x;
        l->speed_scale = l->speed_scale != 0 ? l->speed_scale : x;
    } else if (strcmp(name, "speed_scale") == 0 && value && read_number(value, -1e9, 1e9, &x) &&
               x != 0) {
        l->speed_scale = x;
    } else if (strcmp(name, "zero") == 0 && value && read_number(value, -1e6, 1e6, &x)) {
        l->zero = x;
    } else {
        return wrong(why,
                     "expected node=1…127, scale=, speed_scale=, zero= or cyclic, got %.20s%s%.20s",
                     name, value ? "=" : "", value ? value : "");
    }
    return true;
}

static bool read_generic_word(struct robo__can_layout *l, const char *name, const char *value,
                              char why[128])
{
    struct robo__can_field *field = strcmp(name, "set") == 0        ? &l->set
                                    : strcmp(name, "position") == 0 ? &l->position
                                    : strcmp(name, "speed") == 0    ? &l->speed
                                                                    : NULL;
    if (field)
        return (value && read_field(value, field)) ||
               wrong(why, "%s: expected ID:TYPE@OFFSET*SCALE as 0x181:i32@0*1000, got %.40s", name,
                     value ? value : "nothing");
    if (strcmp(name, "halt") == 0) {
        l->halts = value && read_frame(value, &l->halt);
        return l->halts || wrong(why, "halt: expected ID:BYTES as 0x201:00FF, got %.40s",
                                 value ? value : "nothing");
    }
    return wrong(why, "expected set=, position=, speed= or halt=, got %.20s", name);
}

bool robo__can_layout_read(const char *text, struct robo__can_layout *l, char why[128])
{
    static const char *const kinds[] = { "velocity", "position", "generic" };
    char copy[256], *rest = copy;
    if (strlen(text) >= sizeof copy)
        return wrong(why, "expected at most %zu characters", sizeof copy - 1);
    strcpy(copy, text);
    char *word = strtok_r(rest, " ", &rest);
    int kind = -1;
    for (int i = 0; word && i < 3; i++)
        kind = strcmp(word, kinds[i]) == 0 ? i : kind;
    if (kind < 0)
        return wrong(why, "expected velocity, position or generic first, got %.40s",
                     word ? word : "nothing");
    *l = (struct robo__can_layout){ .kind = (enum robo__can_kind)kind };
    while ((word = strtok_r(rest, " ", &rest))) {
        char *value = strchr(word, '=');
        if (value)
            *value++ = 0;
        if (kind == ROBO__CAN_GENERIC ? !read_generic_word(l, word, value, why)
                                      : !read_drive_word(l, word, value, why))
            return false;
    }
    if (kind == ROBO__CAN_GENERIC)
        return l->set.there || wrong(why, "expected set=ID:TYPE@OFFSET*SCALE");
    if (!l->node)
        return wrong(why, "expected node=1…127");
    return l->scale != 0 || wrong(why, "expected scale=: increments a radian or a metre");
}

/* ---- fields ---- */

static void put(uint8_t *at, bool big_endian, unsigned bytes, uint64_t raw)
{
    for (unsigned i = 0; i < bytes; i++)
        at[big_endian ? bytes - 1 - i : i] = (uint8_t)(raw >> 8 * i);
}

static uint64_t get(const uint8_t *at, bool big_endian, unsigned bytes)
{
    uint64_t raw = 0;
    for (unsigned i = 0; i < bytes; i++)
        raw |= (uint64_t)at[big_endian ? bytes - 1 - i : i] << 8 * i;
    return raw;
}

/* The nearest integer of that type: a value out of its range becomes its limit, it never wraps. */
static uint64_t whole(double x, bool is_signed, unsigned bytes)
{
    double top = ldexp(1, (int)(8 * bytes - (is_signed ? 1 : 0)));
    x = fmin(fmax(rint(x), is_signed ? -top : 0), top - 1);
    return (uint64_t)(int64_t)x;
}

static void put_field(const struct robo__can_field *f, double value, uint8_t *data)
{
    double x = f->scale * value;
    uint64_t raw = 0;
    if (f->type == 'f' && f->bytes == 4) {
        float single = (float)x;
        uint32_t bits;
        memcpy(&bits, &single, sizeof bits);
        raw = bits;
    } else if (f->type == 'f') {
        memcpy(&raw, &x, sizeof raw);
    } else {
        raw = whole(x, f->type == 'i', f->bytes);
    }
    put(data + f->offset, f->big_endian, f->bytes, raw);
}

static double get_field(const struct robo__can_field *f, const uint8_t *data)
{
    uint64_t raw = get(data + f->offset, f->big_endian, f->bytes);
    double x;
    if (f->type == 'f' && f->bytes == 4) {
        uint32_t bits = (uint32_t)raw;
        float single;
        memcpy(&single, &bits, sizeof single);
        x = single;
    } else if (f->type == 'f') {
        memcpy(&x, &raw, sizeof x);
    } else {
        uint64_t sign = (uint64_t)1 << (8 * f->bytes - 1);
        x = f->type == 'i' ? (double)(int64_t)((raw ^ sign) - sign) : (double)raw;
    }
    return x / f->scale;
}

/* ---- frames ---- */

static struct robo__can_frame to_node(uint32_t base, const struct robo__can_layout *l, uint8_t size)
{
    return (struct robo__can_frame){ .id = base + l->node, .size = size };
}

unsigned robo__can_layout_set(const struct robo__can_layout *l, double value,
                              struct robo__can_frame frame[2])
{
    unsigned n = 0;
    if (l->kind == ROBO__CAN_GENERIC) {
        frame[n] = l->set.frame;
        put_field(&l->set, value, frame[n].data);
        return 1;
    }
    bool place = l->kind == ROBO__CAN_POSITION, profile = place && !l->cyclic;
    double raw = place ? (value + l->zero) * l->scale : value * l->speed_scale;
    /* a profile mode takes a set-point at the rising edge of bit 4, so the bit is cleared first; bit 5: it replaces the present one */
    if (profile)
        robo__cia402_control(l, ROBO__CIA402_ENABLE, &frame[n++]);
    frame[n] = to_node(place ? RPDO3 : RPDO4, l, 6);
    put(frame[n].data, false, 2, ROBO__CIA402_ENABLE | (profile ? 0x30 : 0));
    put(frame[n].data + 2, false, 4, whole(raw, true, 4));
    return n + 1;
}

static bool is_for(const struct robo__can_frame *frame, const struct robo__can_field *field)
{
    return field->there && frame->id == field->frame.id &&
           frame->extended == field->frame.extended && frame->size >= field->offset + field->bytes;
}

void robo__can_layout_hear(const struct robo__can_layout *l, const struct robo__can_frame *f,
                           struct robo__can_news *news)
{
    *news = (struct robo__can_news){ 0 };
    if (l->kind == ROBO__CAN_GENERIC) {
        if (is_for(f, &l->position)) {
            news->position = get_field(&l->position, f->data);
            news->says |= isfinite(news->position) ? ROBO__CAN_SAYS_POSITION : 0;
        }
        if (is_for(f, &l->speed)) {
            news->speed = get_field(&l->speed, f->data);
            news->says |= isfinite(news->speed) ? ROBO__CAN_SAYS_SPEED : 0;
        }
        return;
    }
    if (f->extended || f->id % 128 != l->node)
        return;
    uint32_t base = f->id - l->node;
    double raw = f->size >= 6 ? (double)(int32_t)get(f->data + 2, false, 4) : 0;
    if ((base == TPDO1 && f->size >= 2) || ((base == TPDO3 || base == TPDO4) && f->size >= 6)) {
        news->says = ROBO__CAN_SAYS_STATUS;
        news->status = (uint16_t)get(f->data, false, 2);
    }
    if (base == TPDO3 && f->size >= 6) {
        news->says |= ROBO__CAN_SAYS_POSITION;
        news->position = raw / l->scale - l->zero;
    } else if (base == TPDO4 && f->size >= 6) {
        news->says |= ROBO__CAN_SAYS_SPEED;
        news->speed = raw / l->speed_scale;
    } else if (base == EMERGENCY && f->size == 8) {
        news->emergency = (uint16_t)get(f->data, false, 2);
        news->says |= news->emergency ? ROBO__CAN_SAYS_EMERGENCY : 0; /* 0: the error is over */
    } else if (base == LIFE && f->size == 1) {
        news->says |= ROBO__CAN_SAYS_LIFE;
    }
}

/* ---- CiA 402 ---- */

bool robo__cia402_is_enabled(uint16_t status)
{
    return (status & 0x6F) == 0x27;
}

bool robo__cia402_is_fault(uint16_t status)
{
    return (status & 0x08) != 0;
}

uint16_t robo__cia402_next(uint16_t status)
{
    if (robo__cia402_is_fault(status))
        return ROBO__CIA402_RESET;
    if ((status & 0x6F) == 0x21) /* ready to switch on */
        return 0x07;
    if ((status & 0x6F) == 0x23 || (status & 0x6F) == 0x27) /* switched on, enabled */
        return ROBO__CIA402_ENABLE;
    if ((status & 0x6F) == 0x07) /* quick stop is active: begin again */
        return ROBO__CIA402_LIMP;
    return 0x06; /* shutdown, which leads to ready to switch on */
}

void robo__cia402_control(const struct robo__can_layout *l, uint16_t control,
                          struct robo__can_frame *frame)
{
    *frame = to_node(RPDO1, l, 2);
    put(frame->data, false, 2, control);
}

/* An expedited download of one or two bytes (CiA 301). */
static void write_object(const struct robo__can_layout *l, uint16_t index, uint8_t sub,
                         unsigned bytes, uint16_t value, struct robo__can_frame *frame)
{
    *frame = to_node(SDO, l, 8);
    frame->data[0] = bytes == 1 ? 0x2F : 0x2B;
    put(frame->data + 1, false, 2, index);
    frame->data[3] = sub;
    put(frame->data + 4, false, 2, value);
}

bool robo__cia402_prepare(const struct robo__can_layout *l, unsigned n, bool stored,
                          struct robo__can_frame *frame)
{
    bool place = l->kind == ROBO__CAN_POSITION;
    switch (n) {
    case 0: /* modes of operation: profile velocity 3 and position 1, cyclic synchronous 9 and 8 */
        write_object(l, 0x6060, 0, 1, l->cyclic ? (place ? 8 : 9) : (place ? 1 : 3), frame);
        return true;
    case 1: /* transmission type of RPDO3 or 4: 255 at once, 1 at the next SYNC */
        write_object(l, place ? 0x1402 : 0x1403, 2, 1, stored ? 1 : 255, frame);
        return true;
    case 2: /* TPDO3 carries the drive's position: sent by an event timer of FEEDBACK ms */
        write_object(l, 0x1802, 2, 1, 255, frame);
        return true;
    case 3: write_object(l, 0x1802, 5, 2, FEEDBACK, frame); return true;
    case 4: /* network management: start this node */
        *frame = (struct robo__can_frame){ .id = 0, .size = 2, .data = { 1, l->node } };
        return true;
    default: return false;
    }
}
