/* Numbers from text: which are numbers, and that they are what strtof and strtod read, to the last bit. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "base/numbers.h"
#include "rcml/lexer.h"

static enum robo__number read_float(const char *text, float *x, size_t *used)
{
    const uint8_t *at = (const uint8_t *)text;
    const enum robo__number result = robo__number_float(&at, at + strlen(text), x);
    *used = (size_t)(at - (const uint8_t *)text);
    return result;
}

static void check_float(const char *text)
{
    float x, expected = strtof(text, NULL);
    size_t used;
    assert_int_equal(read_float(text, &x, &used), ROBO__NUMBER_OK);
    assert_int_equal(used, strlen(text));
    if (memcmp(&x, &expected, sizeof x) != 0)
        fail_msg("%s: %.9g, expected %.9g", text, (double)x, (double)expected);
}

static void check_double(const char *text)
{
    const uint8_t *at = (const uint8_t *)text;
    double x, expected = strtod(text, NULL);
    assert_int_equal(robo__number_double(&at, at + strlen(text), &x), ROBO__NUMBER_OK);
    if (memcmp(&x, &expected, sizeof x) != 0)
        fail_msg("%s: %.17g, expected %.17g", text, x, expected);
}

TEST(these_are_numbers)
{
    static const char *const texts[] = {
        "0",
        "-0",
        "+1",
        "1.",
        ".5",
        "-.5e3",
        "1E+10",
        "1e-10",
        "0.1",
        "3.4e38",
        "1.17549e-38",
        "1e-45",
        "0.0000001",
        "1e22",
        "1e23",
        "12345678901234567890123",
        "007",
        "1.50000000000000000000000000001",
        "16777217",
        "16777219.000000000000000001",
        "0.00000000000000000000000000000000000000000000000012345e20",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        check_float(texts[i]);
        check_double(texts[i]);
    }
}

TEST(these_are_none)
{
    static const char *const texts[] = { "",   ".",   "-",   "+.",   "e5",   "1e",  "1.0.0",
                                         "1x", "1-2", "nan", "-nan", "0x10", "inf", "10ms" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        float x;
        size_t used;
        assert_int_equal(read_float(texts[i], &x, &used), ROBO__NUMBER_NONE);
        assert_int_equal(used, 0);
    }
}

TEST(a_number_ends_where_a_mark_or_a_blank_is)
{
    static const char *const texts[] = {
        "1.5 2", "1.5,2", "1.5]", "1.5}", "1.5#", "1.5\"", "1.5["
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        float x;
        size_t used;
        assert_int_equal(read_float(texts[i], &x, &used), ROBO__NUMBER_OK);
        assert_int_equal(used, 3);
        assert_true(x == 1.5F);
    }
}

TEST(what_a_float_cannot_hold_is_refused)
{
    float x;
    size_t used;
    assert_int_equal(read_float("1e39", &x, &used), ROBO__NUMBER_LARGE);
    assert_int_equal(read_float("-3.5e38", &x, &used), ROBO__NUMBER_LARGE);
    assert_int_equal(read_float("1e99999999999", &x, &used), ROBO__NUMBER_LARGE);
    check_float("1e-99999999999");
}

/* A zero behind the digits that are kept changes nothing; many of them cannot be read exactly, and are not. */
TEST(very_long_numbers_are_read_or_refused)
{
    char text[900];
    float x;
    size_t used;
    for (int zeros = 1; zeros < 700; zeros++) {
        snprintf(text, sizeof text, "1.%0*d", zeros, 0);
        const enum robo__number result = read_float(text, &x, &used);
        assert_true(result == ROBO__NUMBER_OK ? x == 1 : result == ROBO__NUMBER_LARGE);
        snprintf(text, sizeof text, "0.%0*d", zeros, 1);
        if (read_float(text, &x, &used) == ROBO__NUMBER_OK)
            check_float(text);
    }
}

/* Numbers of all sizes and lengths, and those in the middle between two floats, where rounding twice would go wrong. */
TEST(random_numbers_are_what_the_library_reads)
{
    uint64_t seed = 88172645463325252U;
    for (int i = 0; i < 60000; i++) {
        char text[100];
        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
        const uint32_t low = (uint32_t)seed;
        float f;
        memcpy(&f, &low, sizeof f);
        if (!isfinite(f))
            continue;
        uint64_t bits;
        double middle = (double)f;
        memcpy(&bits, &middle, sizeof bits);
        bits |= 1 << 28;
        memcpy(&middle, &bits, sizeof bits);
        switch (i % 5) {
        case 0: snprintf(text, sizeof text, "%.9g", (double)f); break;
        case 1: snprintf(text, sizeof text, "%.17g", middle); break;
        case 2: snprintf(text, sizeof text, "%.25e", middle); break;
        case 3:
            snprintf(text, sizeof text, "%.*f", (int)(seed >> 40 & 15), (double)(int32_t)low / 1e5);
            break;
        default:
            snprintf(text, sizeof text, "%" PRIu64 ".%ue%d", seed, low,
                     (int)(seed >> 50) % 20 - 10);
        }
        if (fabs(strtod(text, NULL)) < 3.4e38)
            check_float(text);
        check_double(text);
    }
}

TEST(integers_are_decimal_or_hexadecimal)
{
    static const struct {
        const char *text;
        enum robo__number result;
        int32_t value;
    } cases[] = {
        { "0", ROBO__NUMBER_OK, 0 },
        { "-2147483648", ROBO__NUMBER_OK, INT32_MIN },
        { "2147483647", ROBO__NUMBER_OK, INT32_MAX },
        { "+7", ROBO__NUMBER_OK, 7 },
        { "0xff", ROBO__NUMBER_OK, 255 },
        { "0XFFFFFFFF", ROBO__NUMBER_OK, -1 },
        { "-0x10", ROBO__NUMBER_OK, -16 },
        { "2147483648", ROBO__NUMBER_LARGE, 0 },
        { "0x100000000", ROBO__NUMBER_LARGE, 0 },
        { "99999999999999999999999999", ROBO__NUMBER_LARGE, 0 },
        { "1.0", ROBO__NUMBER_NONE, 0 },
        { "0x", ROBO__NUMBER_NONE, 0 },
        { "0xg", ROBO__NUMBER_NONE, 0 },
        { "-", ROBO__NUMBER_NONE, 0 },
        { "1e3", ROBO__NUMBER_NONE, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint8_t *at = (const uint8_t *)cases[i].text;
        int32_t x = 0;
        assert_int_equal(robo__number_integer(&at, at + strlen(cases[i].text), &x),
                         cases[i].result);
        assert_int_equal(x, cases[i].value);
    }
}

/* The two tables that say so: that of numbers, and that of names of VRML97. */
TEST(what_goes_on_a_word_ends_no_number)
{
    for (int c = 0; c < 256; c++) {
        const uint8_t text[] = { '1', (uint8_t)c };
        const uint8_t *at = text;
        double x;
        if (c == '.' || (c >= '0' && c <= '9'))
            continue;
        const bool ends = !(robo__lex_class[c] & ROBO__LEX_IN_NUMBER);
        assert_int_equal(robo__number_double(&at, text + 2, &x),
                         ends ? ROBO__NUMBER_OK : ROBO__NUMBER_NONE);
        assert_int_equal(at - text, ends ? 1 : 0);
    }
}
