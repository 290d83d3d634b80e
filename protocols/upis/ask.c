/* Requests of clients of USARSim's image server. */
#include "ask.h"

static uint32_t read_number(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static bool take(struct robo__upis_reader *r, uint8_t byte, struct robo__upis_ask *ask)
{
    if (r->left > 0) {
        r->numbers[sizeof r->numbers - r->left] = byte;
        if (--r->left > 0)
            return false;
        *ask =
            (struct robo__upis_ask){ .area = { read_number(r->numbers), read_number(r->numbers + 4),
                                               read_number(r->numbers + 8),
                                               read_number(r->numbers + 12) } };
        return true;
    }
    const bool ok = r->o && byte == 'K';
    r->o = byte == 'O';
    if (byte == 'U')
        r->left = sizeof r->numbers;
    if (ok)
        *ask = (struct robo__upis_ask){ .whole = true };
    return ok;
}

bool robo__upis_next(struct robo__upis_reader *reader, const uint8_t *in, size_t n, size_t *used,
                     struct robo__upis_ask *ask)
{
    for (*used = 0; *used < n;)
        if (take(reader, in[(*used)++], ask))
            return true;
    return false;
}

/* How much of `length` from `at` on is below `end`. */
static uint32_t within(uint32_t at, uint32_t length, unsigned end)
{
    if (at >= end)
        return 0;
    return length < end - at ? length : end - at;
}

struct robo__upis_area robo__upis_clip(struct robo__upis_area a, unsigned width, unsigned height)
{
    const uint32_t w = within(a.x, a.width, width), h = within(a.y, a.height, height);
    if (w == 0 || h == 0)
        return (struct robo__upis_area){ 0 };
    return (struct robo__upis_area){ a.x, a.y, w, h };
}
