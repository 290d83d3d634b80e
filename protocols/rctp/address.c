/* The options of a server's address. */
#include "address.h"

#include <math.h>

/* s, ten times as late as a command may be carried out: a link that has lost packets may deliver them so much later */
static const double LEAST_HALF = 10;

enum { STAMP, UNIT, MASK, LOCK, EVENT, LEAST, MOST, WORLD, ORIGIN, WWW };
const struct robo_scheme_option robo__rctp_options[] = {
    [STAMP] = { "stamp", ROBO_SCHEME_NUMBER, 0, 8, 0,
                "bytes of commands' time stamps: 0, 2, 4, 6 or 8" },
    [UNIT] = { "unit", ROBO_SCHEME_NUMBER, 1e-6, 60, 0.01, "s; unit of time stamps" },
    [MASK] = { "mask", ROBO_SCHEME_FLAG, 0, 1, 0, "commands tell which parameters they have" },
    [LOCK] = { "lock", ROBO_SCHEME_FLAG, 0, 1, 0,
               "each command waits for the answer to the one before" },
    [EVENT] = { "event", ROBO_SCHEME_FLAG, 0, 1, 0,
                "commands come when something changes, not at an interval" },
    [LEAST] = { "least", ROBO_SCHEME_NUMBER, -1, 3600000, -1,
                "ms; least time between two commands; -1: none" },
    [MOST] = { "most", ROBO_SCHEME_NUMBER, -1, 3600000, -1,
               "ms; a client that is silent for longer is gone; -1: never" },
    [WORLD] = { "world", ROBO_SCHEME_FLAG, 0, 1, 0,
                "robots' files show what stands around them, /world.wrl, too" },
    [ORIGIN] = { "origin", ROBO_SCHEME_TEXT, 0, 0, 0,
                 "https://host[:port] of pages elsewhere that may do what ours may; several times for several" },
    [WWW] = { "www", ROBO_SCHEME_TEXT, 0, 0, 0,
              "a folder whose files are served, and nothing else, with %20 for a blank; robotalk serve --www DIR does it" },
    { NULL, ROBO_SCHEME_FLAG, 0, 0, 0, NULL },
};

bool robo__rctp_shows_world(const double *option)
{
    return option[WORLD] != 0;
}

struct robo__rcml_group robo__rctp_group_of(const double *option)
{
    struct robo__rcml_group group = robo__rcml_group_default;
    group.stamp_size = (uint8_t)option[STAMP];
    group.unit = (robo_time)(option[UNIT] * 1e9 + 0.5);
    group.mask = option[MASK] != 0;
    group.lock = option[LOCK] != 0;
    group.event_driven = option[EVENT] != 0;
    if (option[LEAST] >= 0 || option[MOST] >= 0) {
        group.interval[0] = (int32_t)option[LEAST];
        group.interval[1] = (int32_t)option[MOST];
    }
    return group;
}

/* So far from now a stamp may be, s: a later one is taken for a command of the future. */
static double half_range(const struct robo__rcml_group *group)
{
    return ldexp((double)group->unit / 1e9, 8 * group->stamp_size - 1);
}

const char *robo__rctp_wrong_options(const double *option)
{
    const struct robo__rcml_group group = robo__rctp_group_of(option);
    if (option[STAMP] != group.stamp_size || group.stamp_size % 2)
        return "expected stamp=0, 2, 4, 6 or 8";
    if (group.stamp_size > 0 && half_range(&group) <= LEAST_HALF)
        return "time stamps would wrap within 20 s: expected a greater unit, or a greater stamp";
    if ((option[LEAST] >= 0) != (option[MOST] >= 0))
        return "least and most stand together: expected both, in ms";
    if (option[LEAST] > option[MOST])
        return "expected most to be no less than least";
    return robo__rcml_group_valid(&group) ? NULL : "these options do not go together";
}
