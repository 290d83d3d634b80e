/* Packets of servo buses: golden vectors of the published protocols, noise, damage. */
#include "../hex.h"
#include "../test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "servos/dynamixel.h"
#include "servos/feetech.h"

static void expect(const uint8_t *out, size_t n, const char *hex)
{
    uint8_t wanted[ROBO__SERVOS_FRAME];
    assert_int_equal(n, bytes_of(hex, wanted));
    assert_memory_equal(out, wanted, n);
}

/* Hears these bytes, `step` at a time: the number of answers; the last one is in status. */
static unsigned answers_in(const struct robo__servos_packets *p, struct robo__servos_input *input,
                           const char *hex, size_t step, struct robo__servos_status *status)
{
    uint8_t bytes[1024];
    unsigned answers = 0;
    const size_t n = bytes_of(hex, bytes);
    for (size_t i = 0; i < n; i += step) {
        const uint8_t *at = bytes + i;
        size_t left = i + step < n ? step : n - i;
        while (robo__servos_next_answer(p, input, &at, &left, status))
            answers++;
    }
    return answers;
}

TEST(feetech_instructions_are_those_of_the_published_tables)
{
    const struct robo__servos_packets *p = &robo__feetech_packets;
    uint8_t out[ROBO__SERVOS_FRAME], id[6] = { 1, 2, 3, 4, 5, 6 }, middle[12];
    expect(out, p->encode(1, ROBO__SERVOS_PING, NULL, 0, out), "FF FF 01 02 01 FB");
    expect(out, robo__servos_read(p, 1, 56, 2, out), "FF FF 01 04 02 38 02 BE");
    expect(out, robo__servos_write(p, 1, 42, (uint8_t[]){ 0, 8, 0, 0, 0xE8, 3 }, 6, out),
           "FF FF 01 09 03 2A 00 08 00 00 E8 03 D5");
    expect(out, robo__servos_sync_read(p, 56, 2, id, 6, out),
           "FF FF FE 0A 82 38 02 01 02 03 04 05 06 26");
    for (unsigned i = 0; i < 6; i++)
        memcpy(middle + 2 * i, (uint8_t[]){ 0, 8 }, 2);
    expect(out, robo__servos_sync_write(p, 42, 2, id, middle, 6, out),
           "FF FF FE 16 83 2A 02 01 00 08 02 00 08 03 00 08 04 00 08 05 00 08 06 00 08 F7");
}

TEST(dynamixel_instructions_are_those_of_the_published_tables)
{
    const struct robo__servos_packets *p = &robo__dynamixel_packets;
    uint8_t out[ROBO__SERVOS_FRAME];
    assert_int_equal(robo__dynamixel_crc((const uint8_t *)"123456789", 9), 0xFEE8);
    expect(out, p->encode(1, ROBO__SERVOS_PING, NULL, 0, out), "FF FF FD 00 01 03 00 01 19 4E");
    expect(out, robo__servos_read(p, 1, 132, 4, out), "FF FF FD 00 01 07 00 02 84 00 04 00 1D 15");
}

/* "robotalk experiment ordering servos" counts the bytes of these packets. */
TEST(the_experiment_knows_the_lengths_of_packets)
{
    FILE *f = fopen("scripts/experiments/ordering.lua", "r");
    const struct robo__servos_packets *const packets[] = { &robo__feetech_packets,
                                                           &robo__dynamixel_packets };
    const size_t size[] = { 2, 4 }; /* of a goal */
    uint8_t out[ROBO__SERVOS_FRAME], id[20] = { 1 }, goal[20 * 4] = { 0 };
    char line[256];
    unsigned write, answer, sync, each, found = 0;
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, " { name = %*s write = %u, answer = %u, sync = %u, each = %u", &write,
                   &answer, &sync, &each) != 4)
            continue;
        assert_true(found < 2);
        const struct robo__servos_packets *p = packets[found];
        assert_int_equal(robo__servos_write(p, 1, 42, goal, size[found], out), write);
        assert_int_equal(p->answer, answer);
        for (unsigned n = 1; n <= 20; n++)
            assert_int_equal(robo__servos_sync_write(p, 42, size[found], id, goal, n, out),
                             sync + n * each);
        found++;
    }
    fclose(f);
    assert_int_equal(found, 2);
}

TEST(an_order_that_is_too_long_for_a_packet_is_none)
{
    uint8_t out[ROBO__SERVOS_FRAME], id[64] = { 0 }, data[512] = { 0 };
    const struct robo__servos_packets *p = &robo__feetech_packets;
    assert_int_equal(robo__servos_sync_write(p, 42, 6, id, data, 36, out), 0);
    assert_true(robo__servos_sync_write(p, 42, 6, id, data, ROBO__SERVOS_MOST, out) > 0);
    assert_int_equal(robo__servos_write(p, 1, 42, data, 250, out), 0);
}

TEST(feetech_answers_are_found_in_any_pieces)
{
    struct robo__servos_status s;
    for (size_t step = 1; step < 9; step++) {
        struct robo__servos_input input = { .count = 0 };
        assert_int_equal(answers_in(&robo__feetech_packets, &input,
                                    "FF FF 01 02 00 FC FF FF 01 04 00 18 05 DD", step, &s),
                         2);
        assert_int_equal(s.id, 1);
        assert_int_equal(s.error, 0);
        assert_int_equal(s.count, 2);
        assert_int_equal(s.data[0] | s.data[1] << 8, 1304);
    }
}

TEST(an_answer_behind_noise_and_damage_is_found)
{
    struct robo__servos_status s;
    struct robo__servos_input input = { .count = 0 };
    /* a stray FF, an answer with a wrong checksum, one that is cut off, a broadcast */
    assert_int_equal(
        answers_in(&robo__feetech_packets, &input,
                   "FF 00 FF FF FF 01 02 00 FC FF FF 02 04 00 18 05 00 FF FF 03 FF FF 03 02 "
                   "20 DA FF FF FE 02 05 FA FF FF 05 02 00 F8",
                   3, &s),
        3);
    assert_int_equal(s.id, 5);
    assert_int_equal(input.count, 0);
}

/* An answer as a servo encodes it. */
static size_t answer(uint8_t id, uint8_t error, const uint8_t *data, size_t n, uint8_t *out)
{
    uint8_t param[ROBO__SERVOS_DATA + 1] = { error };
    memcpy(param + 1, data, n);
    return robo__dynamixel_packets.encode(id, 0x55, param, n + 1, out);
}

TEST(headers_within_a_dynamixel_packet_are_stuffed)
{
    static const uint8_t data[] = { 0xFF, 0xFF, 0xFD, 0xFF, 0xFF, 0xFD, 0xFD, 0xFF, 0xFF };
    struct robo__servos_status s;
    struct robo__servos_input input = { .count = 0 };
    uint8_t out[ROBO__SERVOS_FRAME];
    size_t n = answer(7, 0x80, data, sizeof data, out);
    const uint8_t *at = out;
    assert_int_equal(n, robo__dynamixel_packets.answer + sizeof data + 2);
    assert_int_equal(robo__servos_next_answer(&robo__dynamixel_packets, &input, &at, &n, &s), 1);
    assert_int_equal(s.id, 7);
    assert_int_equal(s.error, 0x80);
    assert_int_equal(s.count, sizeof data);
    assert_memory_equal(s.data, data, sizeof data);
}

TEST(each_flipped_bit_of_an_answer_is_noticed)
{
    static const uint8_t data[] = { 0xA6, 0x00, 0x00, 0x00 };
    uint8_t good[ROBO__SERVOS_FRAME];
    const size_t n = answer(1, 0, data, sizeof data, good);
    for (size_t bit = 0; bit < 8 * n; bit++) {
        struct robo__servos_status s;
        struct robo__servos_input input = { .count = 0 };
        uint8_t bytes[ROBO__SERVOS_FRAME];
        const uint8_t *at = bytes;
        size_t left = n;
        memcpy(bytes, good, n);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_equal(robo__servos_next_answer(&robo__dynamixel_packets, &input, &at, &left, &s),
                         0);
    }
}

/* An adapter may echo what is sent. */
TEST(an_instruction_is_no_answer)
{
    struct robo__servos_status s;
    struct robo__servos_input input = { .count = 0 };
    assert_int_equal(answers_in(&robo__dynamixel_packets, &input,
                                "FF FF FD 00 01 07 00 02 84 00 04 00 1D 15 "
                                "FF FF FD 00 01 07 00 55 00 06 04 26 65 5D",
                                1, &s),
                     1);
    assert_int_equal(s.count, 3);
}
