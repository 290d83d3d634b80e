/* The bytes of RCTP's live session: those of paper 001 and of spec/rctp.md by hand, every prefix, flipped bits, and a random
 * walk of encode, decode and compare in all layouts. */
#include <stdint.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "../hex.h"
#include "robotalk/rctp.h"
#include "base/random.h"

/* The paper's arm of 13 dofs; three parameters of three types; 14 parameters; 8; a text; bytes; the arm with dated commands. */
static const uint8_t types[3] = { ROBO_RCTP_FLOAT, ROBO_RCTP_INTEGER, ROBO_RCTP_BOOL };
static const struct robo_rctp_layout layout[ROBO_RCTP_IDS] = {
    [1] = { .kind = ROBO_RCTP_CONTROL, .masked = 1, .parameters = 13 },
    [2] = { .kind = ROBO_RCTP_CONTROL, .parameters = 3, .type = types },
    [3] = { .kind = ROBO_RCTP_CONTROL, .masked = 1, .parameters = 14 },
    [4] = { .kind = ROBO_RCTP_CONTROL, .masked = 1, .parameters = 8 },
    [5] = { .kind = ROBO_RCTP_TEXT, .stamp_size = 2 },
    [6] = { .kind = ROBO_RCTP_BINARY },
    [7] = { .kind = ROBO_RCTP_CONTROL, .masked = 1, .parameters = 13, .stamp_size = 4 },
    [8] = { .kind = ROBO_RCTP_CONTROL,
            .masked = 1,
            .parameters = 3,
            .type = types,
            .stamp_size = 8 },
    [254] = { .kind = ROBO_RCTP_CONTROL, .stamp_size = 6 }, /* of no parameter */
};

/* Some parameters of a control object: NAN ends the list of pairs of place, from 1, and value. */
static struct robo_rctp_message *control(uint8_t id, uint64_t stamp, const double *pairs)
{
    static struct robo_rctp_message m;
    memset(&m, 0, sizeof m);
    m.id = id;
    m.stamp = stamp;
    for (; !isnan(pairs[0]); pairs += 2, m.count++) {
        m.sent[(int)pairs[0] - 1] = 1;
        m.value[(int)pairs[0] - 1] = pairs[1];
    }
    return &m;
}
#define CONTROL(id, stamp, ...) control(id, stamp, (double[]){ __VA_ARGS__, NAN })

static void expect_same(const struct robo_rctp_message *a, const struct robo_rctp_message *b)
{
    assert_int_equal(a->id, b->id);
    assert_int_equal(a->stamp, b->stamp);
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->more, b->more);
    assert_int_equal(a->subject, b->subject);
    assert_int_equal(a->code, b->code);
    assert_int_equal(a->length, b->length);
    if (a->length > 0)
        assert_memory_equal(a->bytes, b->bytes, a->length);
    for (size_t i = 0; layout[a->id].kind == ROBO_RCTP_CONTROL && i < layout[a->id].parameters;
         i++) {
        assert_int_equal(a->sent[i], b->sent[i]);
        if (a->sent[i])
            assert_true(a->value[i] == b->value[i]);
    }
}

/* A message and its bytes, both ways; each of its prefixes is not complete. */
static void expect_bytes(const struct robo_rctp_message *m, const char *hex)
{
    static struct robo_rctp_message again;
    uint8_t expected[256], out[256];
    size_t n = bytes_of(hex, expected);
    assert_int_equal(robo_rctp_encode(layout, m, out, sizeof out), n);
    assert_memory_equal(out, expected, n);
    for (size_t cut = 0; cut < n; cut++) {
        uint8_t *piece = malloc(cut ? cut : 1); /* so that a sanitizer sees who reads on */
        assert_non_null(piece);
        memcpy(piece, expected, cut);
        assert_int_equal(robo_rctp_decode(layout, piece, cut, &again), 0);
        free(piece);
        assert_int_equal(robo_rctp_encode(layout, m, out, cut), ROBO_EFULL);
    }
    assert_int_equal(robo_rctp_decode(layout, expected, n, &again), n);
    assert_null(again.why);
    expect_same(m, &again);
}

TEST(papers_arm_of_13_dofs_moves_its_2nd_and_7th)
{
    /* paper 001, 4.3.3: the mask is 0x0042 */
    expect_bytes(CONTROL(1, 0, 2, 0.5, 7, -1.0), "01 0042 3F000000 BF800000");
    /* 1.23 s after the session's start, in units of 10 ms */
    expect_bytes(CONTROL(7, 123, 2, 0.5, 7, -1.0), "07 0000007B 0042 3F000000 BF800000");
}

TEST(without_a_mask_all_are_there)
{
    expect_bytes(CONTROL(2, 0, 1, 1.0, 2, -2, 3, 1), "02 3F800000 FFFFFFFE 01");
    uint8_t out[64];
    assert_int_equal(robo_rctp_encode(layout, CONTROL(2, 0, 1, 1.0, 3, 1), out, sizeof out),
                     ROBO_EINVAL);
}

TEST(mask_has_whole_bytes)
{
    /* paper 001, 4.3.3: 14 parameters have 2 bytes */
    expect_bytes(CONTROL(3, 0, 14, 0), "03 2000 00000000");
    expect_bytes(CONTROL(4, 0, 1, 0, 8, 0), "04 81 00000000 00000000");
    assert_int_equal(robo_rctp_size(&layout[3], NULL), 1 + 2 + 14 * 4);
    /* a mask of nothing is right */
    expect_bytes(control(4, 0, (double[]){ NAN }), "04 00");
}

TEST(stamps_have_0_to_8_bytes)
{
    expect_bytes(CONTROL(8, 0x0102030405060708, 2, 7), "08 0102030405060708 02 00000007");
    expect_bytes(control(254, 0x010203040506, (double[]){ NAN }), "FE 010203040506");
    /* what does not fit is cut: stamps wrap */
    uint8_t out[64], expected[64];
    assert_int_equal(robo_rctp_encode(layout, CONTROL(7, 0x1000000007u, 1, 0), out, sizeof out),
                     bytes_of("07 00000007 0001 00000000", expected));
    assert_memory_equal(out, expected, 11);
}

TEST(texts_have_their_length)
{
    struct robo_rctp_message m = {
        .id = 5, .stamp = 256, .bytes = (const uint8_t *)"hi", .length = 2
    };
    expect_bytes(&m, "05 0100 00000002 6869");
    m.more = 1;
    expect_bytes(&m, "05 0100 80000002 6869");
    m = (struct robo_rctp_message){ .id = 6, .bytes = (const uint8_t *)"\0\xff", .length = 2 };
    expect_bytes(&m, "06 00000002 00FF");
    m = (struct robo_rctp_message){ .id = 6 };
    expect_bytes(&m, "06 00000000");
}

TEST(status_tells_of_which_command)
{
    struct robo_rctp_message m = {
        .id = ROBO_RCTP_STATUS, .subject = 7, .code = 206, .stamp = 123
    };
    expect_bytes(&m, "FF 07 00CE 0000007B 0000");
    m = (struct robo_rctp_message){
        .id = ROBO_RCTP_STATUS, .code = 503, .bytes = (const uint8_t *)"panic", .length = 5
    };
    expect_bytes(&m, "FF 00 01F7 0005 70616E6963");
    m = (struct robo_rctp_message){ .id = ROBO_RCTP_STATUS, .subject = 99, .code = 404 };
    expect_bytes(&m, "FF 63 0194 0000"); /* an object that is not assigned has no stamp */
}

TEST(keep_alive_is_one_byte)
{
    static const struct robo_rctp_message m;
    expect_bytes(&m, "00");
}

TEST(frames_have_their_length)
{
    static struct robo_rctp_message m;
    uint8_t in[64], head[2];
    size_t n = bytes_of("000B 01 0042 3F000000 BF800000", in);
    for (size_t cut = 0; cut < n; cut++)
        assert_int_equal(robo_rctp_frame(in, cut), 0);
    assert_int_equal(robo_rctp_frame(in, n), 11);
    robo_rctp_head(head, 11);
    assert_memory_equal(head, in, 2);
    /* two objects in one frame follow one another */
    n = bytes_of("0015 01 0042 3F000000 BF800000 02 3F800000 FFFFFFFE 01", in);
    assert_int_equal(robo_rctp_frame(in, n), 21);
    assert_int_equal(robo_rctp_decode(layout, in + 2, 21, &m), 11);
    assert_int_equal(robo_rctp_decode(layout, in + 13, 10, &m), 10);
    assert_true(m.value[1] == -2);
    n = bytes_of("0001 00", in);
    assert_int_equal(robo_rctp_frame(in, n), 1);
    n = bytes_of("0000 01", in);
    assert_int_equal(robo_rctp_frame(in, n), ROBO_ESIZE);
}

static void expect_wrong(const char *hex, const char *why, size_t at)
{
    static struct robo_rctp_message m;
    uint8_t in[64];
    size_t n = bytes_of(hex, in);
    assert_int_equal(robo_rctp_decode(layout, in, n, &m), n); /* the next can be read */
    assert_non_null(m.why);
    assert_string_equal(m.why, why);
    assert_int_equal(m.at, at);
}

TEST(wrong_messages_say_where_and_what_was_expected)
{
    static struct robo_rctp_message m;
    expect_wrong("01 0003 00000000 7FC00000", "value: expected a finite number", 7);
    expect_wrong("01 0001 FF800000", "value: expected a finite number", 3);
    expect_wrong("05 0000 00000003 610062", "text: expected no character NUL", 8);
    assert_int_equal(robo_rctp_decode(layout, (const uint8_t *)"\x09", 1, &m), ROBO_ENONE);
    /* a length beyond all that can come is no number to be added to others */
    assert_int_equal(robo_rctp_decode(layout, (const uint8_t *)"\x06\xff\xff\xff\xff", 5, &m), 0);
    assert_true(m.more && m.length == 0x7fffffff);
}

TEST(a_mask_of_more_parameters_has_no_known_size)
{
    static struct robo_rctp_message m;
    static const char *const wrong[] = { "01 2000 00000000", "03 4001 00000000 00000000", "03 4001",
                                         "07 0000007B 8000" };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        uint8_t in[64];
        const size_t n = bytes_of(wrong[i], in);
        assert_int_equal(robo_rctp_decode(layout, in, n, &m), ROBO_ESIZE);
        assert_string_equal(m.why, "mask: expected 0 in the bits above the last parameter");
        assert_int_equal(m.at, in[0] == 7 ? 5 : 1);
        assert_int_equal(m.stamp, in[0] == 7 ? 0x7b : 0);
    }
}

TEST(bools_are_true_unless_0)
{
    static struct robo_rctp_message m;
    uint8_t in[64];
    size_t n = bytes_of("02 00000000 00000000 80", in);
    assert_int_equal(robo_rctp_decode(layout, in, n, &m), n);
    assert_true(m.value[2] == 1);
}

TEST(values_that_no_type_can_hold_are_not_written)
{
    uint8_t out[64];
    const double wrong[][3] = { { NAN, 0, 0 }, { INFINITY, 0, 0 },     { 1e39, 0, 0 },
                                { 0, 0.5, 0 }, { 0, 2147483648.0, 0 }, { 0, 0, 2 } };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct robo_rctp_message m = { .id = 2, .sent = { 1, 1, 1 } };
        memcpy(m.value, wrong[i], sizeof wrong[i]);
        assert_int_equal(robo_rctp_encode(layout, &m, out, sizeof out), ROBO_ERANGE);
    }
    struct robo_rctp_message m = { .id = ROBO_RCTP_STATUS, .length = 65536 };
    assert_int_equal(robo_rctp_encode(layout, &m, out, sizeof out), ROBO_ERANGE);
    m = (struct robo_rctp_message){ .id = 6, .length = 0x80000000u };
    assert_int_equal(robo_rctp_encode(layout, &m, out, sizeof out), ROBO_ERANGE);
    m.id = 9;
    assert_int_equal(robo_rctp_encode(layout, &m, out, sizeof out), ROBO_ENONE);
}

TEST(datagrams_have_token_and_number)
{
    struct robo_rctp_datagram d = { .token = 0xA1B2C3D4, .sequence = 0x0102 }, again;
    uint8_t out[16], expected[16];
    size_t n = bytes_of("A1B2C3D4 0102 00", expected);
    robo_rctp_datagram_write(out, &d);
    out[6] = 0;
    assert_memory_equal(out, expected, n);
    assert_int_equal(robo_rctp_datagram_read(out, n, &again), 0);
    assert_int_equal(again.token, d.token);
    assert_int_equal(again.sequence, d.sequence);
    assert_int_equal(robo_rctp_datagram_read(out, 6, &again), ROBO_ESIZE);
    /* numbers wrap (RFC 1982) */
    assert_true(robo_rctp_newer(1, 0));
    assert_true(robo_rctp_newer(0, 65535));
    assert_false(robo_rctp_newer(7, 7));
    assert_false(robo_rctp_newer(65535, 0));
    assert_true(robo_rctp_newer(0x7fff, 0));
    assert_false(robo_rctp_newer(0x8000, 0));
}

/* What is read from any bytes is written and read again; nothing is read beyond them. */
static void expect_stable(const uint8_t *in, size_t n)
{
    static struct robo_rctp_message m, again;
    uint8_t *copy = malloc(n ? n : 1), out[512];
    assert_non_null(copy);
    memcpy(copy, in, n);
    ptrdiff_t used = robo_rctp_decode(layout, copy, n, &m);
    assert_true(used <= (ptrdiff_t)n);
    if (used > 0 && !m.why) {
        ptrdiff_t written = robo_rctp_encode(layout, &m, out, sizeof out);
        assert_int_equal(written, used);
        assert_int_equal(robo_rctp_decode(layout, out, (size_t)written, &again), written);
        expect_same(&m, &again);
    }
    free(copy);
}

TEST(flipped_bits_and_any_bytes)
{
    static const char *const seeds[] = { "01 0042 3F000000 BF800000", "02 3F800000 FFFFFFFE 01",
                                         "05 0100 00000002 6869", "FF 07 00CE 0000007B 0000",
                                         "08 0102030405060708 02 00000007" };
    uint8_t in[64];
    for (size_t s = 0; s < sizeof seeds / sizeof seeds[0]; s++) {
        size_t n = bytes_of(seeds[s], in);
        for (size_t bit = 0; bit < 8 * n; bit++) {
            in[bit / 8] ^= (uint8_t)(1u << bit % 8);
            expect_stable(in, n);
            in[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
    }
    struct robo__random random;
    robo__random_seed(&random, 14);
    for (int i = 0; i < 20000; i++) {
        size_t n = robo__random_u64(&random) % sizeof in;
        for (size_t k = 0; k < n; k++)
            in[k] = (uint8_t)robo__random_u64(&random);
        if (n > 0 && i % 2)
            in[0] %= 9;
        expect_stable(in, n);
    }
}

TEST(layouts_that_no_message_can_have_are_refused)
{
    static struct robo_rctp_layout odd[ROBO_RCTP_IDS] = {
        [1] = { .kind = ROBO_RCTP_CONTROL, .parameters = ROBO_RCTP_PARAMETERS + 1 },
        [2] = { .kind = ROBO_RCTP_TEXT, .stamp_size = 9 },
        [3] = { .kind = ROBO_RCTP_CONTROL, .parameters = ROBO_RCTP_PARAMETERS, .stamp_size = 8 },
    };
    static struct robo_rctp_message m;
    static uint8_t bytes[9 + 4 * (ROBO_RCTP_PARAMETERS + 1)];
    for (uint8_t id = 1; id <= 3; id++) {
        const ptrdiff_t fits = id < 3 ? ROBO_EINVAL : 9 + 4 * ROBO_RCTP_PARAMETERS;
        memset(&m, 0, sizeof m);
        memset(m.sent, 1, sizeof m.sent);
        m.id = id;
        assert_int_equal(robo_rctp_encode(odd, &m, bytes, sizeof bytes), fits);
        bytes[0] = id;
        assert_int_equal(robo_rctp_decode(odd, bytes, sizeof bytes, &m), fits);
        m = (struct robo_rctp_message){ .id = ROBO_RCTP_STATUS, .subject = id, .code = 200 };
        assert_int_equal(robo_rctp_encode(odd, &m, bytes, sizeof bytes), id < 3 ? ROBO_EINVAL : 14);
        memcpy(bytes, "\xff\0\0\0", 4);
        bytes[1] = id;
        assert_int_equal(robo_rctp_decode(odd, bytes, 14, &m), id < 3 ? ROBO_EINVAL : 14);
    }
}
