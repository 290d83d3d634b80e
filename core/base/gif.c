/* GIF, version 89a: what is not as in the picture before is written, in a palette of its own. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "palette.h"
#include "robotalk_film.h"

enum {
    SIDE = 4096,     /* pixels */
    CODES = 4096,    /* of LZW */
    TABLE = 1 << 14, /* of hashes */
    UNCHANGED = 255, /* the number of the colour that lets through what was there */
    BITS = 8         /* of a pixel's number */
};

struct robo_gif {
    unsigned width, height;
    bool begun;
    double rest;     /* s that are not yet shown */
    uint8_t *before; /* the picture that is shown, as it came */
    uint8_t *marked; /* which pixels have changed */
    struct robo__palette palette;
    /* what is written; it grows */
    uint8_t *bytes;
    size_t length, room;
    bool failed;
    /* LZW: strings by their hash, 0 where there is none: the code before, the pixel, the code */
    uint32_t table[TABLE];
    uint32_t bits;
    unsigned held;  /* of them */
    size_t counter; /* where the length of the block stands */
};

/* ---- bytes ---- */

static void put(robo_gif *g, unsigned byte)
{
    if (g->length == g->room) {
        const size_t room = g->room ? 2 * g->room : 1 << 14;
        uint8_t *larger = g->failed ? NULL : realloc(g->bytes, room);
        g->failed |= !larger;
        if (!larger)
            return;
        g->bytes = larger;
        g->room = room;
    }
    g->bytes[g->length++] = (uint8_t)byte;
}

static void put_number(robo_gif *g, unsigned x)
{
    put(g, x & 255);
    put(g, x >> 8);
}

static void put_text(robo_gif *g, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        put(g, (uint8_t)text[i]);
}

static ptrdiff_t give(robo_gif *g, const uint8_t **bytes)
{
    *bytes = g->bytes;
    return g->failed ? ROBO_ENOMEM : (ptrdiff_t)g->length;
}

/* ---- LZW ---- */

/* Into blocks of at most 255 bytes, each behind its length. */
static void put_data(robo_gif *g, unsigned byte)
{
    if (g->bytes && !g->failed && g->bytes[g->counter] == 255) {
        g->counter = g->length;
        put(g, 0);
    }
    put(g, byte);
    if (!g->failed)
        g->bytes[g->counter]++;
}

static void put_code(robo_gif *g, unsigned code, unsigned bits)
{
    g->bits |= (uint32_t)code << g->held;
    g->held += bits;
    while (g->held >= 8) {
        put_data(g, g->bits & 255);
        g->bits >>= 8;
        g->held -= 8;
    }
}

/* The place of the string that is another and a pixel behind it: what has it, or is free. */
static uint32_t *place_of(robo_gif *g, unsigned prefix, unsigned pixel)
{
    const uint32_t key = (uint32_t)prefix << 8 | pixel;
    uint32_t at = key * 2654435761u >> 18;
    while (g->table[at] && g->table[at] >> 12 != key)
        at = (at + 1) % TABLE;
    return &g->table[at];
}

static void compress(robo_gif *g, const uint8_t *rgb, const unsigned box[4])
{
    enum { CLEAR = 1 << BITS, END, FIRST };
    unsigned next = FIRST, bits = BITS + 1, prefix = 0;
    bool begun = false;
    put(g, BITS);
    g->counter = g->length;
    put(g, 0);
    g->bits = g->held = 0;
    memset(g->table, 0, sizeof g->table);
    put_code(g, CLEAR, bits);
    for (unsigned y = box[1]; y < box[3]; y++)
        for (unsigned x = box[0]; x < box[2]; x++) {
            const size_t i = (size_t)y * g->width + x;
            const unsigned pixel =
                g->marked[i] ? g->palette.nearest[robo__palette_bin(rgb + 3 * i)] : UNCHANGED;
            if (!begun) {
                prefix = pixel;
                begun = true;
                continue;
            }
            uint32_t *place = place_of(g, prefix, pixel);
            if (*place) {
                prefix = *place & (CODES - 1);
                continue;
            }
            put_code(g, prefix, bits);
            if (next < CODES) {
                *place = ((uint32_t)prefix << 8 | pixel) << 12 | next;
                bits += next == 1u << bits;
                next++;
            } else {
                put_code(g, CLEAR, bits);
                memset(g->table, 0, sizeof g->table);
                next = FIRST;
                bits = BITS + 1;
            }
            prefix = pixel;
        }
    put_code(g, prefix, bits);
    bits += next == 1u << bits && next < CODES;
    put_code(g, END, bits);
    if (g->held > 0)
        put_data(g, g->bits & 255);
    put(g, 0); /* no more blocks */
}

/* ---- pictures ---- */

robo_gif *robo_gif_open(unsigned width, unsigned height)
{
    if (width < 1 || width > SIDE || height < 1 || height > SIDE)
        return NULL;
    robo_gif *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->width = width;
    g->height = height;
    g->before = malloc((size_t)3 * width * height);
    g->marked = malloc((size_t)width * height);
    if (g->before && g->marked)
        return g;
    robo_gif_close(g);
    return NULL;
}

/* Marks what has changed; the box around it: left, top, right, bottom. A GIF wants one pixel at least. */
static void compare(robo_gif *g, const uint8_t *rgb, unsigned box[4])
{
    box[0] = g->width, box[1] = g->height, box[2] = box[3] = 0;
    for (unsigned y = 0; y < g->height; y++)
        for (unsigned x = 0; x < g->width; x++) {
            const size_t i = (size_t)y * g->width + x;
            g->marked[i] = !g->begun || memcmp(rgb + 3 * i, g->before + 3 * i, 3) != 0;
            if (!g->marked[i])
                continue;
            box[0] = x < box[0] ? x : box[0];
            box[1] = y < box[1] ? y : box[1];
            box[2] = x >= box[2] ? x + 1 : box[2];
            box[3] = y + 1;
        }
    if (box[2] == 0)
        box[0] = box[1] = 0, box[2] = box[3] = 1;
}

static void put_head(robo_gif *g)
{
    put_text(g, "GIF89a", 6);
    put_number(g, g->width);
    put_number(g, g->height);
    put_text(g, "\x70\0\0", 3);                               /* no palette for all */
    put_text(g, "\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0", 19); /* again and again */
}

ptrdiff_t robo_gif_add(robo_gif *g, const uint8_t *rgb, double seconds, const uint8_t **bytes)
{
    unsigned box[4];
    if (!(seconds >= 0 && seconds <= 600))
        return ROBO_EINVAL;
    g->length = 0;
    if (!g->begun)
        put_head(g);
    compare(g, rgb, box);
    robo__palette_make(&g->palette, rgb, g->marked, (size_t)g->width * g->height);
    g->rest += seconds;
    const double hundredths = floor(g->rest * 100 + 0.5);
    g->rest -= hundredths / 100;
    /* it stays when the next one comes, and has a colour that lets through */
    put_text(g, "\x21\xf9\x04\x05", 4);
    put_number(g, (unsigned)hundredths);
    put(g, UNCHANGED);
    put(g, 0);
    put(g, 0x2c);
    put_number(g, box[0]);
    put_number(g, box[1]);
    put_number(g, box[2] - box[0]);
    put_number(g, box[3] - box[1]);
    put(g, 0x80 | (BITS - 1)); /* a palette of 256 */
    for (unsigned i = 0; i < 3 * 256; i++)
        put(g, i < 3 * g->palette.colours ? g->palette.rgb[i] : 0);
    compress(g, rgb, box);
    if (!g->failed) {
        memcpy(g->before, rgb, (size_t)3 * g->width * g->height);
        g->begun = true;
    }
    return give(g, bytes);
}

ptrdiff_t robo_gif_end(robo_gif *g, const uint8_t **bytes)
{
    g->length = 0;
    if (!g->begun)
        put_head(g);
    put(g, 0x3b);
    return give(g, bytes);
}

void robo_gif_close(robo_gif *g)
{
    if (!g)
        return;
    free(g->before);
    free(g->marked);
    free(g->bytes);
    free(g);
}
