/* The test card. */
#include "test_card.h"

#include <string.h>

#include "idle.h"
#include "robotalk/device.h"

/* Bars above, the clock across them, below them the squares: ROWS rows of COLUMNS, which carry from left to right and from top to
 * bottom the number in 32 bits, the time in ns in 64, and the sum of these 12 bytes in 8, the highest bit of each first. White is 1. */
enum { ROWS = 4, COLUMNS = 26, BITS = ROWS * COLUMNS, BYTES = BITS / 8, CLOCK = 12 };
enum { DIGIT_WIDTH = 6, DIGIT_HEIGHT = 9 }; /* with the gaps around them */

static const uint8_t BARS[8][3] = { { 235, 235, 235 }, { 235, 235, 16 }, { 16, 235, 235 },
                                    { 16, 235, 16 },   { 235, 16, 235 }, { 235, 16, 16 },
                                    { 16, 16, 235 },   { 16, 16, 16 } };

/* 5 x 7 points, a row a byte: 0 to 9, colon, point. */
static const uint8_t DIGITS[12][7] = {
    { 14, 17, 19, 21, 25, 17, 14 }, { 4, 12, 4, 4, 4, 4, 14 },   { 14, 17, 1, 2, 4, 8, 31 },
    { 31, 2, 4, 2, 1, 17, 14 },     { 2, 6, 10, 18, 31, 2, 2 },  { 31, 16, 30, 1, 1, 17, 14 },
    { 6, 8, 16, 30, 17, 17, 14 },   { 31, 1, 2, 4, 8, 8, 8 },    { 14, 17, 17, 14, 17, 17, 14 },
    { 14, 17, 17, 15, 1, 2, 12 },   { 0, 12, 12, 0, 12, 12, 0 }, { 0, 0, 0, 0, 0, 12, 12 },
};

static void put_bytes(const struct robo_picture *p, uint8_t bytes[BYTES])
{
    uint8_t sum = 0;
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(p->number >> (24 - 8 * i));
    for (int i = 0; i < 8; i++)
        bytes[4 + i] = (uint8_t)((uint64_t)p->time >> (56 - 8 * i));
    for (int i = 0; i < BYTES - 1; i++)
        sum = (uint8_t)(sum + bytes[i]);
    bytes[BYTES - 1] = (uint8_t)~sum;
}

/* The first line of the squares. */
static unsigned top_of(unsigned height)
{
    return height - height / 4;
}

static void fill(struct robo_picture *p, unsigned left, unsigned right, unsigned top,
                 unsigned bottom, const uint8_t colour[3])
{
    for (unsigned y = top; y < bottom && y < p->height; y++)
        for (unsigned x = left; x < right && x < p->width; x++)
            memcpy(p->bytes + 3 * ((size_t)y * p->width + x), colour, 3);
}

/* Line `from` once more, down to `bottom`. */
static void repeat(struct robo_picture *p, unsigned from, unsigned bottom)
{
    const size_t stride = 3 * (size_t)p->width;
    for (unsigned y = from + 1; y < bottom; y++)
        memcpy(p->bytes + y * stride, p->bytes + from * stride, stride);
}

static void draw_bars(struct robo_picture *p)
{
    for (unsigned i = 0; i < 8; i++)
        fill(p, i * p->width / 8, (i + 1) * p->width / 8, 0, 1, BARS[i]);
    repeat(p, 0, top_of(p->height));
}

static void draw_squares(struct robo_picture *p)
{
    static const uint8_t shade[2][3] = { { 0, 0, 0 }, { 255, 255, 255 } };
    const unsigned top = top_of(p->height), high = p->height - top;
    uint8_t bytes[BYTES];
    put_bytes(p, bytes);
    for (unsigned row = 0; row < ROWS; row++) {
        const unsigned y = top + row * high / ROWS, bottom = top + (row + 1) * high / ROWS;
        for (unsigned i = 0; i < COLUMNS && y < bottom; i++) {
            const unsigned bit = row * COLUMNS + i;
            fill(p, i * p->width / COLUMNS, (i + 1) * p->width / COLUMNS, y, y + 1,
                 shade[bytes[bit / 8] >> (7 - bit % 8) & 1]);
        }
        if (y < bottom)
            repeat(p, y, bottom);
    }
}

/* hh:mm:ss.mmm of the clock that commands are on. */
static void draw_clock(struct robo_picture *p)
{
    static const uint8_t black[3] = { 0, 0, 0 }, white[3] = { 255, 255, 255 };
    const uint64_t ms = p->time < 0 ? 0 : (uint64_t)p->time / 1000000;
    const unsigned two[3] = { (unsigned)(ms / 3600000 % 100), (unsigned)(ms / 60000 % 60),
                              (unsigned)(ms / 1000 % 60) };
    uint8_t glyph[CLOCK];
    for (unsigned i = 0; i < 3; i++) {
        glyph[3 * i] = (uint8_t)(two[i] / 10);
        glyph[3 * i + 1] = (uint8_t)(two[i] % 10);
        glyph[3 * i + 2] = i < 2 ? 10 : 11;
    }
    glyph[9] = (uint8_t)(ms / 100 % 10);
    glyph[10] = (uint8_t)(ms / 10 % 10);
    glyph[11] = (uint8_t)(ms % 10);
    const unsigned point = p->width / (DIGIT_WIDTH * (CLOCK + 2)),
                   left = (p->width - point * DIGIT_WIDTH * CLOCK) / 2, top = p->height / 4;
    fill(p, left, left + point * DIGIT_WIDTH * CLOCK, top, top + point * DIGIT_HEIGHT, black);
    for (unsigned i = 0; i < CLOCK; i++)
        for (unsigned y = 0; y < 7; y++)
            for (unsigned x = 0; x < 5; x++)
                if (DIGITS[glyph[i]][y] >> (4 - x) & 1)
                    fill(p, left + (i * DIGIT_WIDTH + x) * point,
                         left + (i * DIGIT_WIDTH + x + 1) * point, top + (y + 1) * point,
                         top + (y + 2) * point, white);
}

void robo__card_draw(struct robo_picture *p)
{
    draw_bars(p);
    draw_clock(p);
    draw_squares(p);
}

int robo__card_picture(void *state, robo_device *device, unsigned camera, int wanted)
{
    const struct robo_camera *d = &robo_device_description(device)->camera[camera];
    const unsigned width = d->width ? d->width : 320, height = d->height ? d->height : 240;
    (void)state;
    if (!wanted)
        return 0;
    const size_t size = 3 * (size_t)width * height;
    struct robo_picture *p = robo_picture_open(device, camera, size);
    if (!p)
        return ROBO_ENOMEM;
    p->width = (uint16_t)width;
    p->height = (uint16_t)height;
    p->format = ROBO_RGB;
    p->size = size;
    p->time = robo_now(robo_device_world(device));
    robo__card_draw(p);
    return robo_pictured(p, p->time);
}

/* ---- read again ---- */

static unsigned brightness(const struct robo_picture *p, unsigned x, unsigned y)
{
    const size_t at = (size_t)y * p->width + x;
    return p->format == ROBO_GRAY ? p->bytes[at] : p->bytes[3 * at + 1];
}

int robo_test_card(const struct robo_picture *p, uint64_t *number, robo_time *time)
{
    uint8_t bytes[BYTES] = { 0 }, sum = 0;
    uint64_t t = 0;
    const unsigned top = top_of(p->height), high = p->height - top;
    if ((p->format != ROBO_RGB && p->format != ROBO_GRAY) || p->width < COLUMNS || high < ROWS)
        return ROBO_EINVAL;
    for (unsigned bit = 0; bit < BITS; bit++) {
        const unsigned x = (2 * (bit % COLUMNS) + 1) * p->width / (2 * COLUMNS),
                       y = top + (2 * (bit / COLUMNS) + 1) * high / (2 * ROWS);
        bytes[bit / 8] |= (uint8_t)((brightness(p, x, y) > 127) << (7 - bit % 8));
    }
    for (int i = 0; i < BYTES - 1; i++)
        sum = (uint8_t)(sum + bytes[i]);
    if ((uint8_t)(bytes[BYTES - 1] + sum) != 255)
        return ROBO_ENONE;
    *number =
        (uint64_t)bytes[0] << 24 | (uint64_t)bytes[1] << 16 | (uint64_t)bytes[2] << 8 | bytes[3];
    for (int i = 0; i < 8; i++)
        t = t << 8 | bytes[4 + i];
    *time = (robo_time)t;
    return 0;
}

/* ---- a camera that sees nothing else ---- */

const robo_driver robo_pattern_driver = { .size = sizeof(robo_driver),
                                          .name = "pattern",
                                          .state_size = sizeof(struct robo__idle),
                                          .open = robo__idle_open,
                                          .start = robo__idle_start,
                                          .read = robo__idle_read,
                                          .halt = robo__idle_halt,
                                          .close = robo__idle_close,
                                          .check = robo__idle_check,
                                          .picture = robo__card_picture };
