/* CAN over a serial line. */
#include "slcan.h"

enum { CR = 13, BEL = 7 };

static char digit(uint32_t x)
{
    return "0123456789ABCDEF"[x & 15];
}

size_t robo__slcan_encode(const struct robo__can_frame *frame, char out[ROBO__SLCAN_LINE])
{
    size_t n = 0;
    out[n++] = frame->extended ? 'T' : 't';
    for (int i = frame->extended ? 7 : 2; i >= 0; i--)
        out[n++] = digit(frame->id >> 4 * i);
    out[n++] = digit(frame->size);
    for (unsigned i = 0; i < frame->size; i++) {
        out[n++] = digit((uint32_t)frame->data[i] >> 4);
        out[n++] = digit(frame->data[i]);
    }
    out[n++] = CR;
    return n;
}

/* Hexadecimal digits to a number; false: a character is no digit. */
static bool number(const char *text, size_t digits, uint32_t *out)
{
    *out = 0;
    for (size_t i = 0; i < digits; i++) {
        char c = text[i];
        uint32_t x = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                     : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                     : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                                            : 16;
        if (x > 15)
            return false;
        *out = *out << 4 | x;
    }
    return true;
}

/* t and T; four digits of time may follow the data. */
static bool read_frame(const char *line, size_t length, struct robo__can_frame *frame)
{
    bool extended = line[0] == 'T';
    size_t digits = extended ? 8 : 3, head = 1 + digits + 1;
    uint32_t id, size, byte;
    if (length < head || !number(line + 1, digits, &id) || !number(line + 1 + digits, 1, &size) ||
        size > 8 || id > (extended ? 0x1FFFFFFFu : 0x7FFu))
        return false;
    size_t rest = length - head;
    if (rest != 2 * size && rest != 2 * size + 4)
        return false;
    *frame = (struct robo__can_frame){ .id = id, .extended = extended, .size = (uint8_t)size };
    for (uint32_t i = 0; i < size; i++) {
        if (!number(line + head + (size_t)2 * i, 2, &byte))
            return false;
        frame->data[i] = (uint8_t)byte;
    }
    return rest == 2 * size || number(line + head + (size_t)2 * size, 4, &byte);
}

static enum robo__slcan_event read_line(const char *line, size_t length,
                                        struct robo__can_frame *frame, uint8_t *flags)
{
    uint32_t x;
    if (length == 0)
        return ROBO__SLCAN_DONE;
    switch (line[0]) {
    case 't':
    case 'T': return read_frame(line, length, frame) ? ROBO__SLCAN_FRAME : ROBO__SLCAN_GARBAGE;
    case 'r': /* remote frames are requests to other nodes */
    case 'R': return ROBO__SLCAN_OTHER;
    case 'z':
    case 'Z': return length == 1 ? ROBO__SLCAN_DONE : ROBO__SLCAN_GARBAGE;
    case 'F':
        if (length != 3 || !number(line + 1, 2, &x))
            return ROBO__SLCAN_GARBAGE;
        *flags = (uint8_t)x;
        return ROBO__SLCAN_STATUS;
    case 'V':
    case 'v':
    case 'N': return ROBO__SLCAN_OTHER;
    default: return ROBO__SLCAN_GARBAGE;
    }
}

enum robo__slcan_event robo__slcan_feed(struct robo__slcan *s, const uint8_t **in, size_t *size,
                                        struct robo__can_frame *frame, uint8_t *flags)
{
    while (*size > 0) {
        uint8_t c = *(*in)++;
        --*size;
        if (c == BEL) { /* ends a line of its own, whatever came before it */
            s->length = 0;
            s->skips = false;
            return ROBO__SLCAN_REFUSED;
        }
        if (c == CR) {
            size_t length = s->length;
            bool skipped = s->skips;
            s->length = 0;
            s->skips = false;
            return skipped ? ROBO__SLCAN_GARBAGE : read_line(s->line, length, frame, flags);
        }
        if (s->length < sizeof s->line)
            s->line[s->length++] = (char)c;
        else
            s->skips = true;
    }
    return ROBO__SLCAN_MORE;
}
