/* GIF, read again by what its specification says (GIF89a). */
#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "../memory.h"
#include "robotalk/film.h"

enum { MOST = 1 << 22 };

static struct {
    uint8_t bytes[MOST];
    size_t length;
} file;

static void append(ptrdiff_t n, const uint8_t *bytes)
{
    assert_true(n >= 0 && file.length + (size_t)n <= MOST);
    memcpy(file.bytes + file.length, bytes, (size_t)n);
    file.length += (size_t)n;
}

/* ---- a reader of GIF ---- */

static struct {
    const uint8_t *at;
    unsigned width, height, hundredths, pixels; /* of the last picture: how many were written */
    uint8_t rgb[3 * 640 * 480];
} film;

static unsigned number(void)
{
    film.at += 2;
    return film.at[-2] | film.at[-1] << 8;
}

static void read_head(void)
{
    static const uint8_t loop[] = "\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0";
    film.at = file.bytes;
    assert_memory_equal(film.at, "GIF89a", 6);
    film.at += 6;
    film.width = number();
    film.height = number();
    assert_int_equal(film.at[0] & 0x80, 0);
    film.at += 3;
    assert_memory_equal(film.at, loop, sizeof loop);
    film.at += sizeof loop;
}

/* The data of blocks, one behind the other. */
static size_t join(uint8_t *out)
{
    size_t n = 0;
    while (*film.at) {
        memcpy(out + n, film.at + 1, *film.at);
        n += *film.at;
        film.at += 1 + *film.at;
    }
    film.at++;
    return n;
}

/* LZW of GIF; how many pixels. */
static size_t expand(unsigned least, const uint8_t *in, size_t n, uint8_t *out, size_t most)
{
    static struct {
        uint16_t before;
        uint8_t last, first;
        uint16_t length;
    } code[4096];
    const unsigned clear = 1u << least, end = clear + 1;
    unsigned bits = least + 1, next = end + 1, held = 0, at = 0;
    int before = -1;
    uint32_t room = 0;
    size_t count = 0;
    for (unsigned i = 0; i < clear; i++) {
        code[i].last = code[i].first = (uint8_t)i;
        code[i].length = 1;
    }
    for (;;) {
        while (held < bits) {
            assert_true(at < n);
            room |= (uint32_t)in[at++] << held;
            held += 8;
        }
        const unsigned c = room & ((1u << bits) - 1);
        room >>= bits;
        held -= bits;
        if (c == end)
            break;
        if (c == clear) {
            bits = least + 1;
            next = end + 1;
            before = -1;
            continue;
        }
        assert_true(c < next || (c == next && before >= 0));
        if (before >= 0 && next < 4096) {
            code[next].before = (uint16_t)before;
            code[next].first = code[before].first;
            code[next].last = c == next ? code[before].first : code[c].first;
            code[next].length = (uint16_t)(code[before].length + 1);
            next++;
            if (next == 1u << bits && bits < 12)
                bits++;
        }
        assert_true(count + code[c].length <= most);
        unsigned walk = c;
        for (unsigned i = code[c].length; i-- > 0; walk = code[walk].before)
            out[count + i] = code[walk].last;
        count += code[c].length;
        before = (int)c;
    }
    assert_int_equal(at, n);
    return count;
}

/* The next picture, into film.rgb; false: that were all. */
static bool next_picture(void)
{
    static uint8_t data[MOST], pixels[640 * 480];
    if (*film.at == 0x3b) {
        assert_ptr_equal(film.at + 1, file.bytes + file.length);
        return false;
    }
    assert_memory_equal(film.at, "\x21\xf9\x04\x05", 4); /* it stays; a colour lets through */
    film.at += 4;
    film.hundredths = number();
    const unsigned through = *film.at++;
    assert_int_equal(*film.at++, 0);
    assert_int_equal(*film.at++, 0x2c);
    const unsigned left = number(), top = number(), width = number(), height = number();
    assert_true(width >= 1 && height >= 1);
    assert_true(left + width <= film.width && top + height <= film.height);
    assert_int_equal(*film.at & 0xe0, 0x80);
    const unsigned colours = 2u << (*film.at++ & 7);
    const uint8_t *palette = film.at;
    film.at += 3 * colours;
    const unsigned least = *film.at++;
    const size_t n = join(data);
    assert_int_equal(expand(least, data, n, pixels, sizeof pixels), width * height);
    film.pixels = 0;
    for (unsigned i = 0; i < width * height; i++) {
        uint8_t *out = film.rgb + 3 * ((top + i / width) * film.width + left + i % width);
        if (pixels[i] == through)
            continue;
        memcpy(out, palette + 3 * pixels[i], 3);
        film.pixels++;
    }
    return true;
}

/* ---- pictures ---- */

static uint8_t rgb[3 * 640 * 480];

static uint32_t chance(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 16;
}

static void begin(robo_gif **gif, unsigned width, unsigned height)
{
    file.length = 0;
    memset(rgb, 0, sizeof rgb);
    char why[256];
    int error;
    *gif = robo_gif_open(width, height, &error, why);
    assert_non_null(*gif);
    assert_int_equal(error, 0);
}

static void add(robo_gif *gif, double seconds)
{
    const uint8_t *bytes;
    const ptrdiff_t n = robo_gif_add(gif, rgb, seconds, &bytes);
    append(n, bytes);
}

static void end(robo_gif *gif)
{
    const uint8_t *bytes;
    const ptrdiff_t n = robo_gif_end(gif, &bytes);
    append(n, bytes);
    robo_gif_close(gif);
}

TEST(few_colours_come_back_as_they_were)
{
    robo_gif *gif;
    uint32_t seed = 1;
    begin(&gif, 37, 23);
    for (unsigned i = 0; i < 37 * 23; i++) { /* 200 colours, each in a bin of its own */
        const unsigned c = chance(&seed) % 200;
        rgb[3 * i] = (uint8_t)(c % 6 * 40), rgb[3 * i + 1] = (uint8_t)(c / 6 % 6 * 40),
                rgb[3 * i + 2] = (uint8_t)(c / 36 * 40);
    }
    add(gif, 0.1);
    end(gif);
    read_head();
    assert_int_equal(film.width, 37);
    assert_int_equal(film.height, 23);
    assert_true(next_picture());
    assert_int_equal(film.hundredths, 10);
    assert_memory_equal(film.rgb, rgb, 3 * 37 * 23);
    assert_false(next_picture());
}

TEST(what_has_not_changed_is_not_written)
{
    robo_gif *gif;
    begin(&gif, 100, 50);
    for (unsigned i = 0; i < 3 * 100 * 50; i++)
        rgb[i] = (uint8_t)(i / 300 * 8); /* a bin each */
    add(gif, 0.1);
    for (unsigned x = 20; x < 30; x++)
        memset(rgb + 3 * (7 * 100 + x), 200, 3);
    add(gif, 0.1);
    add(gif, 0.1); /* nothing at all */
    end(gif);
    read_head();
    assert_true(next_picture());
    assert_int_equal(film.pixels, 100 * 50);
    assert_true(next_picture());
    assert_int_equal(film.pixels, 10);
    assert_memory_equal(film.rgb, rgb, 3 * 100 * 50);
    assert_true(next_picture());
    assert_int_equal(film.pixels, 0);
    assert_memory_equal(film.rgb, rgb, 3 * 100 * 50);
    assert_false(next_picture());
}

TEST(many_colours_come_back_nearly)
{
    robo_gif *gif;
    begin(&gif, 640, 480);
    for (unsigned i = 0; i < 640 * 480; i++) { /* shades of 2 colours, as of lit walls */
        rgb[3 * i] = (uint8_t)(i % 640 * 255 / 640);
        rgb[3 * i + 1] = (uint8_t)(i / 640 * 255 / 480);
        rgb[3 * i + 2] = 90;
    }
    add(gif, 0.04);
    end(gif);
    read_head();
    assert_true(next_picture());
    double sum = 0;
    for (unsigned i = 0; i < 3 * 640 * 480; i++)
        sum += (film.rgb[i] - rgb[i]) * (film.rgb[i] - rgb[i]);
    /* 255 colours for a plane of 256 x 256: squares of 16, whose points are 16 / sqrt(12) off by the mean */
    assert_true(sum / (2 * 640 * 480) < 5.5 * 5.5);
}

/* Codes of all lengths, and more strings than the table has. */
TEST(noise_comes_back)
{
    robo_gif *gif;
    uint32_t seed = 7;
    begin(&gif, 320, 240);
    for (unsigned i = 0; i < 320 * 240; i++)
        memset(rgb + 3 * i, (int)(chance(&seed) % 32 * 8), 3);
    add(gif, 0.1);
    for (unsigned i = 0; i < 320 * 240; i++)
        memset(rgb + 3 * i, (int)(chance(&seed) % 2 * 255), 3);
    add(gif, 0.1);
    end(gif);
    read_head();
    assert_true(next_picture());
    assert_true(next_picture());
    assert_memory_equal(film.rgb, rgb, 3 * 320 * 240);
    assert_false(next_picture());
}

TEST(time_is_not_lost_in_hundredths)
{
    robo_gif *gif;
    unsigned sum = 0;
    begin(&gif, 1, 1);
    for (int i = 0; i < 30; i++) {
        rgb[0] = (uint8_t)(i * 8);
        add(gif, 1 / 30.);
    }
    end(gif);
    read_head();
    while (next_picture()) {
        assert_in_range(film.hundredths, 3, 4);
        sum += film.hundredths;
    }
    assert_int_equal(sum, 100);
}

TEST(what_is_no_film_is_refused)
{
    const uint8_t *bytes;
    char why[256];
    int error;
    assert_null(robo_gif_open(0, 1, &error, why));
    assert_int_equal(error, ROBO_EINVAL);
    assert_null(robo_gif_open(1, 4097, &error, why));
    assert_string_equal(why, "expected 1 to 4096 pixels each way");
    robo_gif *gif;
    begin(&gif, 1, 1);
    assert_int_equal(robo_gif_add(gif, rgb, -1, &bytes), ROBO_EINVAL);
    assert_int_equal(robo_gif_add(gif, rgb, 1e9, &bytes), ROBO_EINVAL);
    add(gif, 1);
    assert_true(robo_gif_end(gif, &bytes) > 0);
    assert_int_equal(robo_gif_add(gif, rgb, 1, &bytes), ROBO_EINVAL);
    robo_gif_close(gif);
    robo_gif_close(NULL);
}

TEST(without_memory_it_says_so)
{
    const uint8_t *bytes;
    char why[256];
    int error;
    for (int n = 1; n <= 3;
         n++) { /* the film, and two pictures; giflib has an allocator of its own */
        memory_fail_at(n);
        assert_null(robo_gif_open(1, 1, &error, why));
        assert_int_equal(error, ROBO_ENOMEM);
        assert_string_equal(why, "out of memory");
    }
    robo_gif *gif;
    begin(&gif, 1, 1);
    memory_fail_at(1);
    assert_int_equal(robo_gif_add(gif, rgb, 1, &bytes), ROBO_ENOMEM);
    memory_fail_at(0);
    assert_int_equal(robo_gif_add(gif, rgb, 1, &bytes), ROBO_ENOMEM); /* a part is missing */
    robo_gif_close(gif);
}
