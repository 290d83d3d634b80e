/* Numbers from text. */
#include "numbers.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 19, LONGEST = 500, EXACT = 22 }; /* KEPT: digits that a uint64_t holds */

struct decimal {
    const uint8_t *digits, *digits_end; /* with the point */
    uint64_t first;                     /* KEPT digits of it, from the first that is not 0 */
    int exponent;                       /* of those, to ten */
    int exponent_written;
    bool negative, cut; /* cut: there are more digits */
};

/* Powers of ten that a double holds exactly. */
static const double powers[EXACT + 1] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                          1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                          1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

static inline const uint8_t *read_digits(const uint8_t *p, const uint8_t *end, struct decimal *d,
                                         int *kept, int *dropped)
{
    for (; p < end; p++) {
        const unsigned digit = *p - (unsigned)'0';
        if (digit > 9)
            break;
        if (*kept < KEPT) {
            d->first = 10 * d->first + digit;
            *kept += d->first != 0;
        } else {
            ++*dropped;
            d->cut = true;
        }
    }
    return p;
}

static const uint8_t *read_exponent(const uint8_t *p, const uint8_t *end, int *exponent)
{
    const uint8_t *q = p + 1;
    const bool negative = q < end && *q == '-';
    if (q < end && (*q == '-' || *q == '+'))
        q++;
    if (q == end || *q < '0' || *q > '9')
        return p;
    for (; q < end && *q >= '0' && *q <= '9'; q++)
        if (*exponent < 100000)
            *exponent = 10 * *exponent + (*q - '0');
    if (negative)
        *exponent = -*exponent;
    return q;
}

/* Bytes that belong to a word: when such a byte follows a number without a blank, the number is not valid. */
static const bool in_word[256] = {
    ['!'] = true,         ['$' ... '&'] = true, ['(' ... '+'] = true, ['-' ... 'Z'] = true,
    ['^' ... 'z'] = true, ['|'] = true,         ['~'] = true,         [0x80 ... 0xff] = true,
};

static inline bool may_follow(const uint8_t *p, const uint8_t *end)
{
    return p == end || !in_word[*p];
}

/* Where it ends; NULL: it is no number. */
static inline const uint8_t *read_decimal(const uint8_t *p, const uint8_t *end, struct decimal *d)
{
    int kept = 0, dropped = 0, fraction = 0;
    *d = (struct decimal){ .negative = p < end && *p == '-' };
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    d->digits = p;
    p = read_digits(p, end, d, &kept, &dropped);
    bool any = p > d->digits;
    if (p < end && *p == '.') {
        const uint8_t *point = p++;
        const int dropped_before = dropped;
        p = read_digits(p, end, d, &kept, &dropped);
        any = any || p > point + 1;
        fraction = (int)(p - point - 1) - (dropped - dropped_before);
        dropped = dropped_before;
    }
    d->digits_end = p;
    if (!any)
        return NULL;
    if (p < end && (*p == 'e' || *p == 'E'))
        p = read_exponent(p, end, &d->exponent_written);
    d->exponent = d->exponent_written + dropped - fraction;
    return may_follow(p, end) ? p : NULL;
}

/* As a text without a decimal point, which the locale would decide about. */
static bool to_text(const struct decimal *d, char text[LONGEST + 32])
{
    size_t n = 0;
    int behind = 0;
    bool point = false;
    if (d->digits_end - d->digits > LONGEST)
        return false;
    for (const uint8_t *p = d->digits; p < d->digits_end; p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        text[n++] = (char)*p;
        behind += point;
    }
    snprintf(text + n, 16, "e%d", d->exponent_written - behind);
    return true;
}

/* An approximation with an error of less than two units of the last place. */
static inline double approximate(const struct decimal *d)
{
    const double x = (double)d->first;
    return d->exponent < 0 ? x / powers[-d->exponent] : x * powers[d->exponent];
}

enum robo__number robo__number_float(const uint8_t **at, const uint8_t *end, float *x)
{
    struct decimal d;
    const uint8_t *p = read_decimal(*at, end, &d);
    if (!p)
        return ROBO__NUMBER_NONE;
    if (d.first == 0 && !d.cut) {
        *x = d.negative ? -0.0F : 0.0F;
        *at = p;
        return ROBO__NUMBER_OK;
    }
    float value = 0;
    bool known = false;
    if (d.exponent >= -EXACT && d.exponent <= EXACT) {
        /* rounding a second time is the same as rounding once, unless the first led to the middle between two floats */
        enum { BELOW = 1 << 29, MIDDLE = BELOW / 2, NEAR = 4 };
        const double near = approximate(&d);
        uint64_t bits;
        memcpy(&bits, &near, sizeof bits);
        const int low = (int)(bits & (BELOW - 1));
        known = near >= (double)FLT_MIN && near < (double)FLT_MAX &&
                (low < MIDDLE - NEAR || low > MIDDLE + NEAR);
        value = (float)near;
    }
    if (!known) {
        char text[LONGEST + 32];
        if (!to_text(&d, text))
            return ROBO__NUMBER_LARGE;
        value = strtof(text, NULL);
    }
    if (!isfinite(value))
        return ROBO__NUMBER_LARGE;
    *x = d.negative ? -value : value;
    *at = p;
    return ROBO__NUMBER_OK;
}

enum robo__number robo__number_double(const uint8_t **at, const uint8_t *end, double *x)
{
    struct decimal d;
    const uint8_t *p = read_decimal(*at, end, &d);
    if (!p)
        return ROBO__NUMBER_NONE;
    double value;
    if (!d.cut && d.first <= 1ULL << 53 && d.exponent >= -EXACT && d.exponent <= EXACT) {
        value = approximate(&d); /* both are exact: this rounds once */
    } else {
        char text[LONGEST + 32];
        if (!to_text(&d, text))
            return ROBO__NUMBER_LARGE;
        value = strtod(text, NULL);
    }
    if (!isfinite(value))
        return ROBO__NUMBER_LARGE;
    *x = d.negative ? -value : value;
    *at = p;
    return ROBO__NUMBER_OK;
}

bool robo__number_is(const char *text, size_t n, double *x)
{
    const uint8_t *at = (const uint8_t *)text, *end = at + n;
    double value;
    if (robo__number_double(&at, end, &value) != ROBO__NUMBER_OK || at != end)
        return false;
    *x = value;
    return true;
}

static int hexadecimal(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

enum robo__number robo__number_integer(const uint8_t **at, const uint8_t *end, int32_t *x)
{
    const uint8_t *p = *at;
    const bool negative = p < end && *p == '-';
    int64_t value = 0;
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    const uint8_t *first = p;
    const bool hex = end - p > 2 && *p == '0' && (p[1] | 0x20) == 'x';
    if (hex) {
        first = p += 2;
        for (; p < end && hexadecimal(*p) >= 0; p++)
            if (value <= UINT32_MAX)
                value = 16 * value + hexadecimal(*p);
    } else {
        for (; p < end && *p >= '0' && *p <= '9'; p++)
            if (value <= UINT32_MAX)
                value = 10 * value + (*p - '0');
    }
    if (p == first || !may_follow(p, end))
        return ROBO__NUMBER_NONE;
    if (negative)
        value = -value;
    if (value < INT32_MIN || value > (hex ? UINT32_MAX : INT32_MAX))
        return ROBO__NUMBER_LARGE;
    *x = (int32_t)(uint32_t)value;
    *at = p;
    return ROBO__NUMBER_OK;
}
