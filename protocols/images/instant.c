/* Instants as people write them. */
#include "instant.h"

#include <time.h>

/* Whether the text begins in that form, in which d is a digit and all else itself; moves on behind it. */
static bool skip(const char **at, const char *form)
{
    const char *text = *at;
    for (; *form; text++, form++)
        if (*form == 'd' ? *text < '0' || *text > '9' : *text != *form)
            return false;
    *at = text;
    return true;
}

/* The number of two or four digits before that place. */
static int number(const char *end, int digits)
{
    int value = 0;
    for (int i = -digits; i < 0; i++)
        value = 10 * value + (end[i] - '0');
    return value;
}

/* us of a fraction as ".5", if there is one. */
static int64_t skip_fraction(const char **at)
{
    int64_t us = 0, unit = 100000;
    const char *digit = *at;
    if (!skip(&digit, ".d"))
        return 0;
    for (++*at; skip(at, "d"); unit /= 10)
        us += number(*at, 1) * unit;
    return us;
}

/* s of a day; false: there is no such day. */
static bool skip_day(const char **at, int64_t *seconds)
{
    if (!skip(at, "dddd-dd-dd"))
        return false;
    struct tm day = { .tm_year = number(*at - 6, 4) - 1900,
                      .tm_mon = number(*at - 3, 2) - 1,
                      .tm_mday = number(*at, 2) };
    const struct tm said = day;
    *seconds = (int64_t)timegm(&day);
    return day.tm_mon == said.tm_mon && day.tm_mday == said.tm_mday;
}

/* us of a clock behind a day, minus its zone's offset from UTC; false: it is none. */
static bool skip_clock(const char **at, int64_t *us)
{
    if (!skip(at, "Tdd:dd") && !skip(at, " dd:dd"))
        return false;
    const int hour = number(*at - 3, 2), minute = number(*at, 2);
    const int second = skip(at, ":dd") ? number(*at, 2) : -1;
    if (hour > 23 || minute > 59 || second > 60)
        return false;
    *us = (int64_t)(hour * 60 + minute) * 60000000;
    if (second >= 0)
        *us += second * INT64_C(1000000) + skip_fraction(at);
    const int way = **at == '-' ? -1 : 1;
    if (skip(at, "Z") || !**at)
        return true;
    if (**at != '+' && **at != '-')
        return false;
    ++*at;
    if (!skip(at, "dd:dd") && !skip(at, "dddd"))
        return false;
    const int zone = number((*at)[-3] == ':' ? *at - 3 : *at - 2, 2) * 60 + number(*at, 2);
    *us -= way * zone * INT64_C(60000000);
    return zone <= 24 * 60;
}

bool robo__instant_read(const char *text, int64_t *time)
{
    const char *at = text;
    int64_t seconds = 0, us = 0;
    if (skip_day(&at, &seconds)) {
        const bool good = !*at || skip_clock(&at, &us);
        *time = seconds * 1000000 + us;
        return good && !*at && *time >= 0;
    }
    seconds = 0;
    for (at = text; at - text < 10 && skip(&at, "d");)
        seconds = 10 * seconds + number(at, 1);
    const bool some = at > text;
    *time = seconds * 1000000 + skip_fraction(&at);
    return some && !*at;
}
