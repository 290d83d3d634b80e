/* Player's wire: sizes of every body, golden bytes by hand from spec/player.md, every prefix, counts that lie, and a random walk of
 * encode, decode and compare over the whole table. */
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "../hex.h"
#include "base/random.h"
#include "player/wire.h"

static const struct robo__player_kind *kind(unsigned interf, unsigned type, unsigned subtype)
{
    const struct robo__player_kind *k = robo__player_kind_of(interf, type, subtype);
    assert_non_null(k);
    return k;
}

/* ---- the header ---- */

TEST(a_header_has_40_bytes_at_the_offsets_of_the_specification)
{
    /* 127.0.0.1 reads 0x0100007f, port 6665; position2d:1, a request; 1.5 s; 7; 28 bytes */
    static const char hex[] = "0100007f 00001a09 00000004 00000001 00000003 00000002"
                              "3ff8000000000000 00000007 0000001c";
    const struct robo__player_header header = { .host = 0x0100007f,
                                                .robot = 6665,
                                                .interf = ROBO__PLAYER_POSITION2D,
                                                .index = 1,
                                                .type = ROBO__PLAYER_REQ,
                                                .subtype = 2,
                                                .timestamp = 1.5,
                                                .seq = 7,
                                                .size = 28 };
    uint8_t golden[64], out[ROBO__PLAYER_HEADER];
    const char *why;
    struct robo__player_header again;
    assert_int_equal(bytes_of(hex, golden), ROBO__PLAYER_HEADER);
    robo__player_put_header(&header, out);
    assert_memory_equal(out, golden, sizeof out);
    assert_true(robo__player_get_header(golden, &again, &why));
    assert_null(why);
    assert_int_equal(again.host, header.host);
    assert_int_equal(again.robot, header.robot);
    assert_int_equal(again.interf, header.interf);
    assert_int_equal(again.index, header.index);
    assert_int_equal(again.type, header.type);
    assert_int_equal(again.subtype, header.subtype);
    assert_true(again.timestamp == 1.5);
    assert_int_equal(again.seq, 7);
    assert_int_equal(again.size, 28);
}

static void expect_no_header(size_t offset, uint32_t value, const char *expected)
{
    uint8_t bytes[ROBO__PLAYER_HEADER];
    struct robo__player_header header = { .interf = 4, .type = 2, .subtype = 1 };
    const char *why = NULL;
    robo__player_put_header(&header, bytes);
    for (unsigned i = 0; i < 4; i++)
        bytes[offset + i] = (uint8_t)(value >> (24 - 8 * i));
    assert_false(robo__player_get_header(bytes, &header, &why));
    assert_string_equal(why, expected);
}

TEST(a_header_that_cannot_be_is_refused_with_its_place)
{
    expect_no_header(8, 65536, "byte 8: expected an interface of 16 bits");
    expect_no_header(12, 65536, "byte 12: expected an index of 16 bits");
    expect_no_header(16, 0, "byte 16: expected a type from 1 to 6");
    expect_no_header(16, 7, "byte 16: expected a type from 1 to 6");
    expect_no_header(20, 256, "byte 20: expected a subtype of 8 bits");
    expect_no_header(36, (32u << 20) + 1, "byte 36: expected a body of at most 32 MiB");
}

/* ---- bodies ---- */

static void expect_size(unsigned interf, unsigned type, unsigned subtype, size_t body, size_t reply)
{
    static const struct robo__player_body empty;
    const struct robo__player_kind *k = kind(interf, type, subtype);
    assert_int_equal(robo__player_encode(k->body, &empty, NULL, 0), body);
    if (k->reply)
        assert_int_equal(robo__player_encode(k->reply, &empty, NULL, 0), reply);
}

TEST(bodies_have_the_sizes_of_the_specification)
{
    enum { DATA = ROBO__PLAYER_DATA, CMD = ROBO__PLAYER_CMD, REQ = ROBO__PLAYER_REQ };
    expect_size(ROBO__PLAYER_PLAYER, REQ, 1, 0, 8);
    expect_size(ROBO__PLAYER_PLAYER, REQ, 2, 24, 24);
    expect_size(ROBO__PLAYER_PLAYER, REQ, 3, 28, 28);
    expect_size(ROBO__PLAYER_PLAYER, REQ, 4, 0, 0);
    expect_size(ROBO__PLAYER_PLAYER, REQ, 5, 4, 0);
    expect_size(ROBO__PLAYER_PLAYER, REQ, 10, 20, 0);
    expect_size(ROBO__PLAYER_PLAYER, ROBO__PLAYER_SYNCH, 1, 0, 0);
    expect_size(ROBO__PLAYER_PLAYER, ROBO__PLAYER_SYNCH, 2, 4, 0);
    expect_size(ROBO__PLAYER_POSITION2D, DATA, 1, 52, 0);
    expect_size(ROBO__PLAYER_POSITION2D, DATA, 2, 72, 0);
    expect_size(ROBO__PLAYER_POSITION2D, CMD, 1, 28, 0);
    expect_size(ROBO__PLAYER_POSITION2D, CMD, 2, 52, 0);
    expect_size(ROBO__PLAYER_POSITION2D, CMD, 3, 16, 0);
    expect_size(ROBO__PLAYER_POSITION2D, CMD, 4, 16, 0);
    expect_size(ROBO__PLAYER_POSITION2D, REQ, 1, 0, 72);
    expect_size(ROBO__PLAYER_POSITION2D, REQ, 2, 4, 0);
    expect_size(ROBO__PLAYER_POSITION2D, REQ, 3, 4, 0);
    expect_size(ROBO__PLAYER_POSITION2D, REQ, 4, 4, 0);
    expect_size(ROBO__PLAYER_POSITION2D, REQ, 5, 24, 0);
    expect_size(ROBO__PLAYER_POSITION2D, REQ, 6, 0, 0);
    expect_size(ROBO__PLAYER_POSITION2D, REQ, 7, 12, 0);
    expect_size(ROBO__PLAYER_POSITION2D, REQ, 8, 12, 0);
    expect_size(ROBO__PLAYER_POSITION2D, REQ, 9, 8, 0);
    expect_size(ROBO__PLAYER_PTZ, DATA, 1, 24, 0);
    expect_size(ROBO__PLAYER_PTZ, DATA, 2, 72, 0);
    expect_size(ROBO__PLAYER_PTZ, CMD, 1, 20, 0);
    expect_size(ROBO__PLAYER_PTZ, REQ, 1, 8, 8);
    expect_size(ROBO__PLAYER_PTZ, REQ, 4, 0, 72);
    expect_size(ROBO__PLAYER_PTZ, REQ, 5, 0, 4);
    expect_size(ROBO__PLAYER_CAMERA, DATA, 1, 32, 0);
    expect_size(ROBO__PLAYER_CAMERA, REQ, 2, 12, 12);
    expect_size(ROBO__PLAYER_POWER, DATA, 1, 24, 0);
    expect_size(ROBO__PLAYER_GRIPPER, DATA, 1, 12, 0);
    expect_size(ROBO__PLAYER_GRIPPER, REQ, 1, 0, 104);
    expect_size(ROBO__PLAYER_LASER, DATA, 1, 36, 0);
    expect_size(ROBO__PLAYER_LASER, DATA, 2, 60, 0);
    expect_size(ROBO__PLAYER_LASER, REQ, 3, 0, 28);
    expect_size(ROBO__PLAYER_RANGER, REQ, 1, 0, 88);
    expect_size(ROBO__PLAYER_RANGER, REQ, 5, 0, 56);
    expect_size(ROBO__PLAYER_SONAR, REQ, 255, 8, 0); /* of any interface */
    expect_size(ROBO__PLAYER_SONAR, REQ, 252, 16, 16);
}

/* Writes a body and reads it again; and each of its prefixes is refused. */
static void expect_body(const char *layout, const struct robo__player_body *body, const char *hex,
                        struct robo__player_body *again)
{
    static uint8_t golden[1024]; /* what is read lies there */
    uint8_t out[1024];
    struct robo__player_mistake mistake;
    const size_t n = bytes_of(hex, golden);
    assert_int_equal(robo__player_encode(layout, body, out, sizeof out), n);
    assert_memory_equal(out, golden, n);
    for (size_t cut = 0; cut < n; cut++) {
        assert_false(robo__player_decode(layout, golden, cut, again, &mistake));
        assert_non_null(mistake.why);
        assert_true(mistake.at <= cut);
    }
    assert_false(robo__player_decode(layout, golden, n + 4, again, &mistake));
    assert_string_equal(mistake.why, "expected the body's end");
    assert_int_equal(mistake.at, n);
    assert_true(robo__player_decode(layout, golden, n, again, &mistake));
}

TEST(golden_bytes_of_a_velocity_command)
{
    struct robo__player_body again;
    /* 0.5 m/s ahead, 0 to the left, -1 rad/s, motors on */
    expect_body(kind(ROBO__PLAYER_POSITION2D, ROBO__PLAYER_CMD, 1)->body,
                &(struct robo__player_body){ .value = { 0.5, 0, -1, 1 } },
                "3fe0000000000000 0000000000000000 bff0000000000000 00000001", &again);
    assert_int_equal(again.values, 4);
    assert_true(again.value[0] == 0.5 && again.value[2] == -1 && again.value[3] == 1);
}

TEST(golden_bytes_of_a_subscription)
{
    struct robo__player_body again;
    char name[ROBO__PLAYER_NAME];
    /* position2d:0, open, no name; and the reply, whose name's count includes its NUL */
    expect_body("4ubx", &(struct robo__player_body){ .value = { 0, 0, 4, 0, 1 } },
                "00000000 00000000 00000004 00000000 00000001 00000000 00000000", &again);
    expect_body(
        "4ubx",
        &(struct robo__player_body){ .value = { 0x0100007f, 6665, 4, 0, 1 },
                                     .array = { { .count = 5, .raw = (const uint8_t *)"p2os" } } },
        "0100007f 00001a09 00000004 00000000 00000001 00000005 00000005 70326f73 00000000", &again);
    robo__player_text(&again.array[0], name, sizeof name);
    assert_string_equal(name, "p2os");
}

TEST(golden_bytes_of_arrays_with_two_counts)
{
    struct robo__player_body again;
    /* a device list of position2d:0 and ptz:0 */
    static const double devices[] = { 0x0100007f, 6665, 4, 0, 0x0100007f, 6665, 8, 0 };
    expect_body("[4u]",
                &(struct robo__player_body){ .array = { { .count = 2, .number = devices } } },
                "00000002 00000002 0100007f 00001a09 00000004 00000000"
                "0100007f 00001a09 00000008 00000000",
                &again);
    assert_int_equal(again.array[0].count, 2);
    assert_true(robo__player_item(&again.array[0], 1, 2) == 8);
    assert_true(robo__player_item(&again.array[0], 1, 4) == 0); /* no such field */
    assert_true(robo__player_item(&again.array[0], 2, 0) == 0); /* nor such an item */
    /* sonar ranges of 1 m and 2.5 m; pressed bumpers, padded to a multiple of 4 */
    static const double ranges[] = { 1, 2.5 };
    expect_body(kind(ROBO__PLAYER_SONAR, ROBO__PLAYER_DATA, 1)->body,
                &(struct robo__player_body){ .array = { { .count = 2, .number = ranges } } },
                "00000002 00000002 3f800000 40200000", &again);
    expect_body(kind(ROBO__PLAYER_BUMPER, ROBO__PLAYER_DATA, 1)->body,
                &(struct robo__player_body){
                    .array = { { .count = 5, .raw = (const uint8_t *)"\1\0\0\0\1" } } },
                "00000005 00000005 01000000 01000000", &again);
    assert_true(robo__player_item(&again.array[0], 4, 0) == 1);
    /* a bumper's place has fields of two sizes: a pose, its length, its radius */
    static const double place[] = { 1, 0, 0, 0, 0, 2, 0.5, 0.25 };
    expect_body(kind(ROBO__PLAYER_BUMPER, ROBO__PLAYER_DATA, 2)->body,
                &(struct robo__player_body){ .array = { { .count = 1, .number = place } } },
                "00000001 00000001 3ff0000000000000 0000000000000000 0000000000000000"
                "0000000000000000 0000000000000000 4000000000000000 3f000000 3e800000",
                &again);
    assert_true(robo__player_item(&again.array[0], 0, 7) == 0.25);
}

TEST(golden_bytes_of_other_bodies)
{
    struct robo__player_body again;
    /* a rule for all data: the newest of each */
    expect_body(kind(ROBO__PLAYER_PLAYER, ROBO__PLAYER_REQ, 10)->body,
                &(struct robo__player_body){ .value = { -1, -1, 1, -1, 1 } },
                "ffffffff ffffffff 00000001 ffffffff 00000001", &again);
    assert_true(again.value[0] == -1 && again.value[2] == 1);
    expect_body(kind(ROBO__PLAYER_PTZ, ROBO__PLAYER_CMD, 1)->body,
                &(struct robo__player_body){ .value = { 0.5, -0.25, 1, 0, 0 } },
                "3f000000 be800000 3f800000 00000000 00000000", &again);
    /* a JPEG of 5 bytes, 2 x 1 pixels of RGB888, fdiv 1 */
    expect_body(kind(ROBO__PLAYER_CAMERA, ROBO__PLAYER_DATA, 1)->body,
                &(struct robo__player_body){
                    .value = { 2, 1, 24, 5, 1, 1 },
                    .array = { { .count = 5, .raw = (const uint8_t *)"\xff\xd8\x01\xff\xd9" } } },
                "00000002 00000001 00000018 00000005 00000001 00000001 00000005 00000005"
                "ffd801ff d9000000",
                &again);
    /* a ranger 1 m up, of one part at its place, whose size is not known */
    static const double part[] = { 0, 0, 1, 0, 0, 0 }, size[] = { 0, 0, 0 };
    expect_body(
        kind(ROBO__PLAYER_RANGER, ROBO__PLAYER_REQ, 1)->reply,
        &(struct robo__player_body){
            .value = { 0, 0, 1 },
            .array = { { .count = 1, .number = part }, { .count = 1, .number = size } } },
        "0000000000000000 0000000000000000 3ff0000000000000 0000000000000000 0000000000000000"
        "0000000000000000 0000000000000000 0000000000000000 0000000000000000 00000001 00000001"
        "0000000000000000 0000000000000000 3ff0000000000000 0000000000000000 0000000000000000"
        "0000000000000000 00000001 00000001 0000000000000000 0000000000000000 0000000000000000",
        &again);
    expect_body(kind(ROBO__PLAYER_POWER, ROBO__PLAYER_DATA, 1)->body,
                &(struct robo__player_body){ .value = { 9, 12, 50, 0, 0, -1 } },
                "00000009 41400000 42480000 00000000 00000000 ffffffff", &again);
    assert_true(again.value[5] == -1);
}

static void expect_mistake(const char *layout, const char *hex, size_t at, const char *why)
{
    uint8_t bytes[256];
    struct robo__player_body body;
    struct robo__player_mistake mistake;
    const size_t n = bytes_of(hex, bytes);
    assert_false(robo__player_decode(layout, bytes, n, &body, &mistake));
    assert_string_equal(mistake.why, why);
    assert_int_equal(mistake.at, at);
}

TEST(counts_that_lie_are_refused_where_they_stand)
{
    expect_mistake("[f]", "00000002 00000001 3f800000 3f800000", 0,
                   "expected two counts that agree");
    expect_mistake("u[f]", "00000000 00000002 00000002 3f800000", 4, "expected a smaller count");
    expect_mistake("x", "ffffffff ffffffff 00000000", 0, "expected a smaller count");
    /* 5 bytes are there, but not their padding */
    expect_mistake("x", "00000005 00000005 0000000000", 8,
                   "expected as many bytes as its count says");
    expect_mistake("d", "00000000", 0, "expected 8 more bytes");
    expect_mistake("2u", "00000000", 4, "expected 4 more bytes");
}

TEST(what_no_field_can_hold_is_the_nearest_that_it_can)
{
    uint8_t out[16];
    struct robo__player_body again;
    struct robo__player_mistake mistake;
    const struct robo__player_body body = { .value = { 300, -5, 1e12, NAN } };
    assert_int_equal(robo__player_encode("buiu", &body, out, sizeof out), 16);
    assert_true(robo__player_decode("buiu", out, 16, &again, &mistake));
    assert_true(again.value[0] == 255 && again.value[1] == 0);
    assert_true(again.value[2] == INT32_MAX && again.value[3] == 0);
}

TEST(nothing_is_written_beyond_the_room)
{
    uint8_t out[16];
    memset(out, 0xaa, sizeof out);
    static const struct robo__player_body body = {
        .array = { { .count = 5, .raw = (const uint8_t *)"abcde" } }
    };
    assert_int_equal(robo__player_encode("x", &body, out, 12), 16);
    assert_int_equal(out[7], 5);
    for (size_t i = 8; i < sizeof out; i++)
        assert_int_equal(out[i], 0xaa);
}

/* ---- at random ---- */

/* Bytes of 1.0 are finite in every place, so that what is read and written again is the same. */
TEST(every_message_of_the_table_survives_the_way_there_and_back)
{
    struct robo__random random;
    uint8_t raw[512], out[512];
    robo__random_seed(&random, 15);
    for (unsigned round = 0; round < 200; round++) {
        for (const struct robo__player_kind *k = robo__player_kinds; k->name; k++) {
            struct robo__player_body body = { .values = 0 }, again;
            struct robo__player_mistake mistake;
            for (size_t i = 0; i < sizeof raw; i++)
                raw[i] = (uint8_t)(robo__random_uniform(&random) * 120);
            for (unsigned i = 0; i < ROBO__PLAYER_VALUES; i++)
                body.value[i] = (double)(unsigned)(robo__random_uniform(&random) * 200);
            for (unsigned i = 0; i < ROBO__PLAYER_ARRAYS; i++)
                body.array[i] = (struct robo__player_array){
                    .count = (uint32_t)(robo__random_uniform(&random) * 3), .raw = raw
                };
            const size_t n = robo__player_encode(k->body, &body, out, sizeof out);
            assert_true(n <= sizeof out && n % 4 == 0);
            assert_true(robo__player_decode(k->body, out, n, &again, &mistake));
            for (unsigned i = 0; i < again.values; i++)
                assert_true(again.value[i] == body.value[i]);
            for (unsigned i = 0; i < again.arrays; i++)
                assert_int_equal(again.array[i].count, body.array[i].count);
            uint8_t copy[512];
            assert_int_equal(robo__player_encode(k->body, &again, copy, sizeof copy), n);
            assert_memory_equal(copy, out, n);
        }
    }
}

TEST(interfaces_have_the_names_that_player_gives_them)
{
    assert_string_equal(robo__player_interface_name(4), "position2d");
    assert_int_equal(robo__player_interface_of("ranger"), 62);
    assert_null(robo__player_interface_name(7));
    assert_int_equal(robo__player_interface_of("blobfinder"), 0);
    assert_null(robo__player_kind_of(4, ROBO__PLAYER_CMD, 9));
}
