/* Instants as people write them. The forms, and those that are none, are the ones of tests/lua/image_folder_test.lua; their numbers are what
 * `date -u -d TEXT +%s` says. */

#include "../test.h"
#include "images/instant.h"

TEST(they_are_read_as_people_write_them)
{
    static const struct {
        const char *text;
        int64_t us;
    } good[] = {
        { "1970-01-01", 0 },
        { "2000-02-29", INT64_C(951782400000000) },
        { "2023-11-14T22:13:20Z", INT64_C(1700000000000000) },
        { "2023-11-14T22:13:20.5Z", INT64_C(1700000000500000) },
        { "2023-11-14 22:13:20.000001", INT64_C(1700000000000001) },
        { "2023-11-14T22:13:20.0000019", INT64_C(1700000000000001) },
        { "2023-11-14T23:13:20+01:00", INT64_C(1700000000000000) },
        { "2023-11-14T16:43:20-0530", INT64_C(1700000000000000) },
        { "2023-11-14T22:13", INT64_C(1699999980000000) },
        { "2023-11-14T23:13+01:00", INT64_C(1699999980000000) },
        { "1700000000.25", INT64_C(1700000000250000) },
        { "0", 0 },
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        int64_t us = -1;
        if (!robo__instant_read(good[i].text, &us) || us != good[i].us)
            fail_msg("%s", good[i].text);
    }
}

TEST(what_is_written_wrong_is_none)
{
    static const char *const wrong[] = {
        "",
        "now",
        "2023-11",
        "2023-13-01",
        "2023-02-29",
        "2023-11-31",
        "2023-11-00",
        "2023-11-14T",
        "2023-11-14T22",
        "2023-11-14T24:00",
        "2023-11-14T22:60",
        "2023-11-14T22:13:2",
        "2023-11-14T22:13.5",
        "2023-11-14T22:13:20.",
        "2023-11-14T22:13:61",
        "2023-11-14T22:13:20X",
        "2023-11-14T22:13:20ZZ",
        "2023-11-14T22:13:20+1",
        "2023-11-14T22:13:20+25:00",
        "2023-11-14+01:00",
        "1970-01-01T00:30+01:00",
        "1969-12-31",
        "-5",
        "1e10",
        "10000000000",
        "5.",
        "nan",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        int64_t us;
        if (robo__instant_read(wrong[i], &us))
            fail_msg("%s", wrong[i]);
    }
}
