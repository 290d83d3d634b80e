/* Lines of the index of a folder of pictures. */
#include "index.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Where the parts of a line begin, and how many digits they have. */
enum {
    NUMBER = 0,
    NUMBER_DIGITS = 12,
    TIME = 13,
    TIME_DIGITS = 16,
    SIZE = 30,
    SIZE_DIGITS = 8,
    SOURCE = 39,
    SUM = 119,
    SUM_DIGITS = 8
};

/* That of IEEE 802.3, four bits at a time: a folder has lines by the million. The table has the result for each four. */
uint32_t robo__crc32(const void *bytes, size_t n)
{
    static const uint32_t table[16] = { 0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
                                        0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                        0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                        0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c };
    uint32_t crc = UINT32_MAX;
    for (const uint8_t *b = bytes; n > 0; n--, b++) {
        crc ^= *b;
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}

bool robo__store_is_source(const char *text, size_t n)
{
    if (n < 1 || n > ROBO__STORE_SOURCE)
        return false;
    for (size_t i = 0; i < n; i++)
        if (text[i] <= ' ' || text[i] > '~')
            return false;
    return true;
}

void robo__store_write_line(const struct robo_image_entry *line, char *out)
{
    char text[256];
    snprintf(text, sizeof text, "%0*" PRIu64 " %0*" PRId64 " %0*" PRIu32 " %-*s ", NUMBER_DIGITS,
             line->number, TIME_DIGITS, line->time, SIZE_DIGITS, line->size, ROBO__STORE_SOURCE,
             line->source);
    snprintf(text + SUM, sizeof text - SUM, "%08" PRIx32 "\n", robo__crc32(text, SUM));
    memcpy(out, text, ROBO__STORE_LINE);
}

/* A number of exactly so many digits; UINT64_MAX: it is none. */
static uint64_t digits(const char *text, int n)
{
    uint64_t value = 0;
    for (int i = 0; i < n; i++) {
        if (text[i] < '0' || text[i] > '9')
            return UINT64_MAX;
        value = 10 * value + (uint64_t)(text[i] - '0');
    }
    return value;
}

bool robo__store_read_line(const char *in, struct robo_image_entry *line)
{
    struct robo_image_entry read;
    char again[ROBO__STORE_LINE];
    const uint64_t number = digits(in + NUMBER, NUMBER_DIGITS),
                   time = digits(in + TIME, TIME_DIGITS), size = digits(in + SIZE, SIZE_DIGITS);
    if (number == UINT64_MAX || time == UINT64_MAX || size == UINT64_MAX)
        return false;
    size_t n = 0;
    while (n < ROBO__STORE_SOURCE && in[SOURCE + n] != ' ')
        n++;
    if (!robo__store_is_source(in + SOURCE, n))
        return false;
    memset(&read, 0, sizeof read);
    read.number = number;
    read.time = (int64_t)time;
    read.size = (uint32_t)size;
    memcpy(read.source, in + SOURCE, n);
    robo__store_write_line(&read, again); /* whatever else is other than written, and the sum */
    if (memcmp(in, again, sizeof again) != 0)
        return false;
    *line = read;
    return true;
}

bool robo__store_may_be(const char *line, uint64_t number, int64_t until, const char *source)
{
    const size_t n = source ? strlen(source) : 0;
    if (number > 0 && digits(line + NUMBER, NUMBER_DIGITS) != number)
        return false;
    if (until < ROBO__STORE_TIMES &&
        (until < 0 || digits(line + TIME, TIME_DIGITS) > (uint64_t)until))
        return false;
    return !source || (n <= ROBO__STORE_SOURCE && memcmp(line + SOURCE, source, n) == 0 &&
                       line[SOURCE + n] == ' ');
}

void robo__store_name(uint64_t number, const char *ending, char out[ROBO__STORE_NAME])
{
    snprintf(out, ROBO__STORE_NAME, "%0*" PRIu64 "%s", NUMBER_DIGITS, number % ROBO__STORE_NUMBERS,
             ending);
}

bool robo__store_number(const char *name, const char *ending, uint64_t *number)
{
    if (strlen(name) != NUMBER_DIGITS + strlen(ending) || strcmp(name + NUMBER_DIGITS, ending) != 0)
        return false;
    const uint64_t n = digits(name, NUMBER_DIGITS);
    if (n == UINT64_MAX)
        return false;
    *number = n;
    return true;
}
