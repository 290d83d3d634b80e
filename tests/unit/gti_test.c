/* The Golog-Tekkotsu interface on the wire: golden bytes by hand from spec/gti.md, every prefix, bodies that are none, and
 * a random walk of encode, feed and compare in all formats. */
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../test.h"
#include "../hex.h"
#include "robotalk/gti.h"
#include "base/random.h"

static const struct robo_gti_format little,
    packed = { .packed = true }, big = { .big_endian = true },
    big_packed = { .big_endian = true, .packed = true }, short_walk = { .short_walk = true };

/* A command and its bytes, both ways; each of its prefixes is nothing yet. */
static void expect_bytes(struct robo_gti_format f, const struct robo_gti_request *r,
                         const char *hex)
{
    uint8_t expected[4096], out[ROBO_GTI_HEADER + ROBO_GTI_BODY];
    size_t n = bytes_of(hex, expected);
    assert_int_equal(robo_gti_encode(f, r, out), n);
    assert_memory_equal(out, expected, n);
    for (size_t cut = 0; cut <= n; cut++) {
        struct robo_gti_parser g = { .format = f };
        struct robo_gti_request again;
        const uint8_t *at = expected;
        size_t left = cut;
        enum robo_gti_event e = robo_gti_feed(&g, &at, &left, &again);
        assert_int_equal(left, 0);
        assert_int_equal(e, cut < n ? ROBO_GTI_MORE : ROBO_GTI_REQUEST);
        if (cut < n) { /* and the rest afterwards */
            left = n - cut;
            assert_int_equal(robo_gti_feed(&g, &at, &left, &again), ROBO_GTI_REQUEST);
        }
        assert_memory_equal(&again, r, sizeof again);
        assert_int_equal(g.state, ROBO_GTI_RECEIVING_HEADER);
    }
}

TEST(golden_bytes)
{
    struct robo_gti_request r = { .type = ROBO_GTI_QUERY_SENSORS,
                                  .count = 3,
                                  .sensor = { 12, 13, 14 } };
    expect_bytes(little, &r, "00000000 10000000 03000000 0C000000 0D000000 0E000000");
    expect_bytes(big, &r, "00000000 00000010 00000003 0000000C 0000000D 0000000E");
    r = (struct robo_gti_request){ .type = ROBO_GTI_QUERY_SENSORS };
    expect_bytes(packed, &r, "00000000 04000000 00000000");
    r = (struct robo_gti_request){ .type = ROBO_GTI_QUERY_BALL, .color = 1 };
    expect_bytes(little, &r, "01000000 04000000 01000000");
    r = (struct robo_gti_request){ .type = ROBO_GTI_SEARCH_BALL, .color = 3 };
    expect_bytes(big_packed, &r, "00000002 00000004 00000003");
    /* NECK:pan to 30 degrees at 50 percent: 30 is 0x403E000000000000, 50 is 0x4049000000000000 */
    r = (struct robo_gti_request){ .type = ROBO_GTI_MOVE_JOINTS,
                                   .count = 1,
                                   .joint = { { 13, 30, 50 } } };
    expect_bytes(
        little, &r,
        "03000000 20000000 01000000 00000000 0D000000 00000000 0000000000003E40 0000000000004940");
    expect_bytes(packed, &r,
                 "03000000 18000000 01000000 0D000000 0000000000003E40 0000000000004940");
    expect_bytes(
        big, &r,
        "00000003 00000020 00000001 00000000 0000000D 00000000 403E000000000000 4049000000000000");
    r = (struct robo_gti_request){ .type = ROBO_GTI_MOTION, .file = "nod.mot" };
    expect_bytes(little, &r, "04000000 07000000 6E6F642E6D6F74");
    /* 100 mm/s, -50 mm/s, 0.5 rad/s, 2 s */
    r = (struct robo_gti_request){ .type = ROBO_GTI_WALK, .dx = 100, .dy = -50, .da = 0.5 };
    expect_bytes(little, &r,
                 "05000000 20000000 0000000000005940 00000000000049C0 000000000000E03F "
                 "0000000000000000");
    expect_bytes(short_walk, &r,
                 "05000000 18000000 0000000000005940 00000000000049C0 000000000000E03F");
    r.type = ROBO_GTI_WALK_FOR;
    r.seconds = 2;
    expect_bytes(
        big, &r,
        "00000006 00000020 4059000000000000 C049000000000000 3FE0000000000000 4000000000000000");
}

/* Both walks have a WalkParam: the time of one that goes on until changed says nothing, whatever lies there. */
TEST(a_walk_has_no_time)
{
    static const char *const times[] = { "0000000000000040", "000000000000F07F",
                                         "FFFFFFFFFFFFFFFF" };
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        char text[128];
        uint8_t bytes[64];
        struct robo_gti_parser g = { .format = little };
        struct robo_gti_request r;
        snprintf(text, sizeof text, "05000000 20000000 0000000000005940 %016d %016d %s", 0, 0,
                 times[i]);
        size_t n = bytes_of(text, bytes);
        const uint8_t *at = bytes;
        assert_int_equal(robo_gti_feed(&g, &at, &n, &r), ROBO_GTI_REQUEST);
        assert_true(r.type == ROBO_GTI_WALK && r.dx == 100 && r.seconds == 0);
    }
}

/* A place or a joint that does not exist, negative or not, ends no connection: whoever carries the command out tells. */
TEST(places_that_do_not_exist)
{
    struct robo_gti_request r = { .type = ROBO_GTI_QUERY_SENSORS,
                                  .count = 3,
                                  .sensor = { -1, 39, INT32_MAX } };
    expect_bytes(little, &r, "00000000 10000000 03000000 FFFFFFFF 27000000 FFFFFF7F");
    r = (struct robo_gti_request){ .type = ROBO_GTI_MOVE_JOINTS,
                                   .count = 1,
                                   .joint = { { -1, 30, 50 } } };
    expect_bytes(packed, &r,
                 "03000000 18000000 01000000 FFFFFFFF 0000000000003E40 0000000000004940");
}

static void expect_reply(const uint8_t *out, size_t n, const char *hex)
{
    uint8_t expected[256];
    assert_int_equal(bytes_of(hex, expected), n);
    assert_memory_equal(out, expected, n);
}

TEST(replies)
{
    uint8_t out[ROBO_GTI_MOST * 8];
    struct robo_gti_reply reply;
    struct robo_gti_request r = { .type = ROBO_GTI_QUERY_SENSORS, .count = 2 };
    const double values[2] = { 30, -0.5 };
    expect_reply(out, robo_gti_reply_sensors(little, values, 2, out),
                 "0000000000003E40 000000000000E0BF");
    assert_int_equal(robo_gti_reply_size(little, &r), 16);
    assert_true(robo_gti_read_reply(little, &r, out, &reply));
    assert_true(reply.value[0] == 30 && reply.value[1] == -0.5);
    r.type = ROBO_GTI_QUERY_BALL;
    expect_reply(out, robo_gti_reply_ball(little, true, 0.5, -1, 2, out),
                 "01000000 00000000 000000000000E03F 000000000000F0BF 0000000000000040");
    assert_int_equal(robo_gti_reply_size(little, &r), 32);
    assert_true(robo_gti_read_reply(little, &r, out, &reply));
    assert_true(reply.visible && reply.x == 0.5 && reply.y == -1 && reply.area == 2);
    expect_reply(out, robo_gti_reply_ball(big_packed, false, 0, 0, 0, out),
                 "00000000 0000000000000000 0000000000000000 0000000000000000");
    assert_int_equal(robo_gti_reply_size(big_packed, &r), 28);
    r.type = ROBO_GTI_SEARCH_BALL;
    expect_reply(out, robo_gti_reply_found(big, true, out), "00000001");
    assert_true(robo_gti_read_reply(big, &r, out, &reply) && reply.found);
    r.type = ROBO_GTI_WALK;
    assert_int_equal(robo_gti_reply_size(little, &r), 0);
    /* a number that is none */
    r = (struct robo_gti_request){ .type = ROBO_GTI_QUERY_SENSORS, .count = 1 };
    bytes_of("000000000000F07F", out);
    assert_false(robo_gti_read_reply(little, &r, out, &reply));
}

static void expect_closed(const char *hex, const char *why)
{
    uint8_t bytes[4096];
    size_t n = bytes_of(hex, bytes), left = n;
    const uint8_t *at = bytes;
    struct robo_gti_parser g = { .format = little };
    struct robo_gti_request r;
    assert_int_equal(robo_gti_feed(&g, &at, &left, &r), ROBO_GTI_CLOSE);
    if (!strstr(g.why, why))
        fail_msg("%s, and not %s", g.why, why);
    assert_int_equal(g.errors, 1);
    /* and it stays closed */
    left = n;
    at = bytes;
    assert_int_equal(robo_gti_feed(&g, &at, &left, &r), ROBO_GTI_CLOSE);
    assert_int_equal(left, 0);
}

TEST(what_is_none)
{
    expect_closed("00000000 00000080", "longer than any"); /* 2 GB */
    expect_closed("05000000 FFFFFFFF", "longer than any");
    expect_closed("07000000 01000000 00", "type is none");
    expect_closed("FFFFFFFF 00000000", "type is none");
    expect_closed("01000000 05000000 0000000000", "length is not that of its type");
    expect_closed("05000000 00000000", "length is not that of its type");
    expect_closed("00000000 08000000 02000000 00000000", "number of sensors");
    expect_closed("00000000 04000000 FFFFFFFF", "number of sensors");
    expect_closed("01000000 04000000 04000000", "color is none of four");
    expect_closed("03000000 08000000 01000000 00000000", "number of joints");
    expect_closed("04000000 03000000 610062", "NUL within");
    expect_closed("04000000 01000000 00", "empty");
    expect_closed("05000000 18000000 000000000000F07F 0000000000000000 0000000000000000",
                  "no number");
    expect_closed("05000000 1C000000 0000000000000000 0000000000000000 0000000000000000 00000000",
                  "length is not that of its type");
    expect_closed("06000000 18000000 0000000000000000 0000000000000000 0000000000000000",
                  "length is not that of its type");
    expect_closed("06000000 20000000 0000000000000000 0000000000000000 0000000000000000 "
                  "000000000000F07F",
                  "no number");
    /* a body that is none is read over before the end, and no more than that */
    struct robo_gti_parser g = { .format = little };
    struct robo_gti_request r;
    uint8_t zeros[1000] = { 0 }, head[8];
    bytes_of("09000000 00000100", head); /* 65536 */
    const uint8_t *at = head;
    size_t left = 8;
    assert_int_equal(robo_gti_feed(&g, &at, &left, &r), ROBO_GTI_MORE);
    for (int i = 0; i < 65; i++) {
        at = zeros;
        left = 1000;
        assert_int_equal(robo_gti_feed(&g, &at, &left, &r), ROBO_GTI_MORE);
    }
    at = zeros;
    left = 1000;
    assert_int_equal(robo_gti_feed(&g, &at, &left, &r), ROBO_GTI_CLOSE);
    assert_int_equal(left, 1000 - 536);
    /* what cannot be encoded */
    uint8_t out[ROBO_GTI_HEADER + ROBO_GTI_BODY];
    assert_int_equal(
        robo_gti_encode(little, &(struct robo_gti_request){ .type = ROBO_GTI_MOTION }, out), 0);
    assert_int_equal(robo_gti_encode(little, &(struct robo_gti_request){ .count = 65 }, out), 0);
    const struct robo_gti_request wrong[] = {
        { .type = ROBO_GTI_WALK, .dx = NAN },
        { .type = ROBO_GTI_WALK, .da = -HUGE_VAL },
        { .type = ROBO_GTI_WALK_FOR, .seconds = NAN },
        { .type = ROBO_GTI_MOVE_JOINTS, .count = 1, .joint = { { 13, NAN, 0 } } },
        { .type = ROBO_GTI_MOVE_JOINTS, .count = 1, .joint = { { 13, 0, HUGE_VAL } } },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(robo_gti_encode(little, &wrong[i], out), 0);
}

/* Of the members of a request those of its type are used; these are looked at before. */
TEST(members_of_other_types)
{
    uint8_t out[ROBO_GTI_HEADER + ROBO_GTI_BODY];
    struct robo_gti_request r = {
        .type = ROBO_GTI_WALK, .count = 1000, .color = 99, .dx = 1, .seconds = NAN
    };
    r.joint[0].angle = NAN;
    assert_int_equal(robo_gti_encode(little, &r, out), 40);
    r.type = ROBO_GTI_QUERY_BALL;
    assert_int_equal(robo_gti_encode(little, &r, out), 0); /* a server would close */
    r.color = 3;
    assert_int_equal(robo_gti_encode(little, &r, out), 12);
    r.type = ROBO_GTI_MOTION;
    r.dx = r.dy = r.da = r.seconds = 1. / 3; /* no byte of them ends a text */
    memset(r.file, 'a', sizeof r.file);
    assert_int_equal(robo_gti_encode(little, &r, out), 0);
    r.file[ROBO_GTI_NAME] = 0;
    assert_int_equal(robo_gti_encode(little, &r, out), 8 + ROBO_GTI_NAME);
    r.type = ROBO_GTI_QUERY_SENSORS;
    r.count = 1;
    assert_int_equal(robo_gti_encode(little, &r, out), 16);
}

TEST(any)
{
    struct robo__random random;
    robo__random_seed(&random, 1);
    static const struct robo_gti_format *const formats[] = { &little, &packed, &big, &big_packed,
                                                             &short_walk };
    for (int i = 0; i < 20000; i++) {
        struct robo_gti_format f = *formats[i % 5];
        struct robo_gti_request r = { .type = (enum robo_gti_type)(robo__random_u64(&random) %
                                                                   ROBO_GTI_TYPES) };
        uint8_t bytes[ROBO_GTI_HEADER + ROBO_GTI_BODY];
        if (r.type == ROBO_GTI_QUERY_SENSORS || r.type == ROBO_GTI_MOVE_JOINTS)
            r.count = (int32_t)(robo__random_u64(&random) % 65);
        for (int k = 0; k < r.count; k++) {
            if (r.type == ROBO_GTI_QUERY_SENSORS)
                r.sensor[k] = (int32_t)(robo__random_u64(&random) >> 32);
            else
                r.joint[k] = (struct robo_gti_joint){ (int32_t)(robo__random_u64(&random) >> 32),
                                                      robo__random_normal(&random), 50 };
        }
        if (r.type == ROBO_GTI_QUERY_BALL || r.type == ROBO_GTI_SEARCH_BALL)
            r.color = (int32_t)(robo__random_u64(&random) % 4);
        if (r.type == ROBO_GTI_MOTION)
            snprintf(r.file, sizeof r.file, "%0*d", 1 + (int)(robo__random_u64(&random) % 255), 7);
        if (r.type >= ROBO_GTI_WALK)
            r.dx = robo__random_normal(&random);
        size_t n = robo_gti_encode(f, &r, bytes), left = n;
        assert_true(n > ROBO_GTI_HEADER);
        const uint8_t *at = bytes;
        struct robo_gti_parser g = { .format = f };
        struct robo_gti_request again;
        assert_int_equal(robo_gti_feed(&g, &at, &left, &again), ROBO_GTI_REQUEST);
        assert_memory_equal(&again, &r, sizeof r);
        /* a bit that falls over: another command, or none, and no more */
        bytes[robo__random_u64(&random) % n] ^= (uint8_t)(1 << robo__random_u64(&random) % 8);
        g = (struct robo_gti_parser){ .format = f };
        at = bytes;
        left = n;
        while (left > 0 && robo_gti_feed(&g, &at, &left, &again) == ROBO_GTI_REQUEST)
            ;
    }
}
