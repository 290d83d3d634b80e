/* Values of the wire, of every kind: there and back, at their edges, beyond their ranges, and counted. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "../test.h"
#include "robotalk/wire.h"

static uint64_t random_state = 0x9e3779b97f4a7c15;

static uint64_t random64(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * 0x2545f4914f6cdd1d;
}

struct one {
    uint8_t pad; /* the field is not at offset 0 */
    union {
        double real;
        robo_time time;
        int64_t i64;
        uint64_t u64;
        uint32_t u32;
        uint16_t u16;
        uint8_t u8;
        char text[8];
    } v;
};

static struct robo_field one_field = { .name = "one",
                                       .offset = offsetof(struct one, v),
                                       .counter = ROBO_FIELD_FIXED,
                                       .count = 1,
                                       .max = 1,
                                       .per = 1 };
static const struct robo_message one_message = { .name = "one",
                                                 .size = sizeof(struct one),
                                                 .fixed = sizeof(struct one),
                                                 .least = 1,
                                                 .nfields = 1,
                                                 .fields = &one_field };

/* The status of writing; when it goes, it is also read back. */
static ptrdiff_t there_and_back(enum robo_field_kind kind, double scale, const struct one *in,
                                struct one *back)
{
    uint8_t bytes[16];
    const char *where = NULL;
    one_field.kind = (uint8_t)kind;
    one_field.per = 1 / scale;
    ptrdiff_t n = robo_message_encode(&one_message, in, bytes + 1, sizeof bytes - 1, &where);
    if (n < 0) {
        assert_string_equal(where, "one");
        return n;
    }
    assert_int_equal(robo_message_decode(&one_message, bytes + 1, (size_t)n, back, NULL), n);
    uint8_t again[16];
    assert_int_equal(robo_message_encode(&one_message, back, again, sizeof again, NULL), n);
    assert_memory_equal(again, bytes + 1, (size_t)n);
    return n;
}

TEST(random_quantities)
{
    const double most = 0x1p51 / 1e6;
    for (int i = 0; i < 1000000; i++) {
        /* every magnitude is as likely as every other, from denormal to what is refused */
        double x = ldexp((double)(random64() >> 11) * 0x1p-53, (int)(random64() % 60) - 24);
        if (random64() & 1)
            x = -x;
        struct one in = { .v.real = x }, back;
        ptrdiff_t n = there_and_back(ROBO_FIELD_REAL64, 1e-6, &in, &back);
        if (fabs(x) <= most) {
            assert_int_equal(n, 8);
            assert_true(fabs(back.v.real - x) <= 0.5e-6 + fabs(x) * DBL_EPSILON);
        } else {
            assert_int_equal(n, ROBO_ERANGE);
        }
        n = there_and_back(ROBO_FIELD_REAL32, 1e-6, &in, &back);
        if (n == 4)
            assert_true(fabs(back.v.real - x) <= 0.5e-6 + fabs(x) * DBL_EPSILON);
        else
            assert_true(n == ROBO_ERANGE && fabs(x) > 2147.483647);
    }
}

/* Every count that is read is written again, up to the very last. */
TEST(random_counts)
{
    one_field.kind = ROBO_FIELD_REAL64;
    one_field.per = 1e6;
    for (int i = 0; i < 1000000; i++) {
        int64_t count = i < 1000 ? ((int64_t)1 << 51) - i : (int64_t)(random64() >> 13);
        if (i >= 1000)
            count >>= random64() % 3 == 0 ? random64() % 51 : 0;
        if (random64() & 1)
            count = -count;
        uint8_t bytes[8], again[8];
        for (int b = 0; b < 8; b++)
            bytes[b] = (uint8_t)((uint64_t)count >> (56 - 8 * b));
        struct one back;
        assert_int_equal(robo_message_decode(&one_message, bytes, 8, &back, NULL), 8);
        assert_int_equal(robo_message_encode(&one_message, &back, again, 8, NULL), 8);
        assert_memory_equal(bytes, again, 8);
    }
}

TEST(edges_of_quantities)
{
    static const struct {
        double x;
        enum robo_field_kind kind;
        int good;
        double back;
    } cases[] = {
        { 0.0, ROBO_FIELD_REAL64, 1, 0 },
        { -0.0, ROBO_FIELD_REAL64, 1, 0 },
        { 0.3, ROBO_FIELD_REAL64, 1, 0.3 },
        { 1e-6, ROBO_FIELD_REAL64, 1, 1e-6 },
        { 0.4e-6, ROBO_FIELD_REAL64, 1, 0 },
        { 0.6e-6, ROBO_FIELD_REAL64, 1, 1e-6 },
        { -0.6e-6, ROBO_FIELD_REAL64, 1, -1e-6 },
        { DBL_TRUE_MIN, ROBO_FIELD_REAL64, 1, 0 },
        { 2251799813.685248, ROBO_FIELD_REAL64, 1, 2251799813.685248 },
        { -2251799813.685248, ROBO_FIELD_REAL64, 1, -2251799813.685248 },
        { 2251799813.68525, ROBO_FIELD_REAL64, 0, 0 },
        { -2251799813.68525, ROBO_FIELD_REAL64, 0, 0 },
        { 9223372036854.775807, ROBO_FIELD_REAL64, 0, 0 },
        { 9223372036854775807.0, ROBO_FIELD_REAL64, 0, 0 },
        { -9223372036854775808.0, ROBO_FIELD_REAL64, 0, 0 },
        { DBL_MAX, ROBO_FIELD_REAL64, 0, 0 },
        { -DBL_MAX, ROBO_FIELD_REAL64, 0, 0 },
        { INFINITY, ROBO_FIELD_REAL64, 0, 0 },
        { -INFINITY, ROBO_FIELD_REAL64, 0, 0 },
        { NAN, ROBO_FIELD_REAL64, 0, 0 },
        { 2147.483647, ROBO_FIELD_REAL32, 1, 2147.483647 },
        { 2147.4836474, ROBO_FIELD_REAL32, 1, 2147.483647 },
        { 2147.483648, ROBO_FIELD_REAL32, 0, 0 },
        { 2147.4836476, ROBO_FIELD_REAL32, 0, 0 },
        { -2147.483648, ROBO_FIELD_REAL32, 1, -2147.483648 },
        { -2147.4836484, ROBO_FIELD_REAL32, 1, -2147.483648 },
        { -2147.483649, ROBO_FIELD_REAL32, 0, 0 },
        { -2147.4836486, ROBO_FIELD_REAL32, 0, 0 },
        { DBL_MAX, ROBO_FIELD_REAL32, 0, 0 },
        { -INFINITY, ROBO_FIELD_REAL32, 0, 0 },
        { NAN, ROBO_FIELD_REAL32, 0, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct one in = { .v.real = cases[i].x }, back;
        ptrdiff_t n = there_and_back(cases[i].kind, 1e-6, &in, &back);
        if (n != (cases[i].good ? (cases[i].kind == ROBO_FIELD_REAL64 ? 8 : 4) : ROBO_ERANGE))
            fail_msg("case %zu, %.17g: %td", i, cases[i].x, n);
        if (n > 0)
            assert_true(back.v.real == cases[i].back);
    }
    /* rounding, seen with a scale of one: what is just under a half does not become one */
    static const double halves[][2] = { { 0.49999999999999994, 0 },
                                        { 0.5, 1 },
                                        { 1.5, 2 },
                                        { 2.5, 3 },
                                        { 2.4999999999999996, 2 },
                                        { 2251799813685247.5, 2251799813685248 } };
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            struct one in = { .v.real = sign * halves[i][0] }, back;
            assert_int_equal(there_and_back(ROBO_FIELD_REAL64, 1, &in, &back), 8);
            assert_true(back.v.real == sign * halves[i][1]);
        }
}

TEST(times)
{
    const robo_time last = ROBO__MOST_US * 1000;
    static const robo_time cases[][2] = { { 0, 0 },
                                          { 1, 0 },
                                          { 499, 0 },
                                          { 500, 1000 },
                                          { 999, 1000 },
                                          { 1499, 1000 },
                                          { 1500, 2000 },
                                          { -1, 0 },
                                          { -499, 0 },
                                          { -500, -1000 },
                                          { -1499, -1000 },
                                          { -1500, -2000 },
                                          { 86400000000499, 86400000000000 },
                                          { -1000, -1000 } };
    struct one in = { 0 }, back;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        in.v.time = cases[i][0];
        assert_int_equal(there_and_back(ROBO_FIELD_TIME, 1, &in, &back), 8);
        assert_int_equal(back.v.time, cases[i][1]);
    }
    for (robo_time over = 0; over < 2000; over++)
        for (int sign = -1; sign <= 1; sign += 2) {
            in.v.time = sign * (last + over);
            assert_int_equal(there_and_back(ROBO_FIELD_TIME, 1, &in, &back),
                             over < 500 ? 8 : ROBO_ERANGE);
            if (over < 500)
                assert_int_equal(back.v.time, sign * last);
        }
    /* an instant that there is not, where the field says so */
    in.v.time = ROBO_NO_TIME;
    assert_int_equal(there_and_back(ROBO_FIELD_TIME, 1, &in, &back), ROBO_ERANGE);
    one_field.none = 1;
    assert_int_equal(there_and_back(ROBO_FIELD_TIME, 1, &in, &back), 8);
    assert_int_equal(back.v.time, ROBO_NO_TIME);
    in.v.time = INT64_MIN + 1;
    assert_int_equal(there_and_back(ROBO_FIELD_TIME, 1, &in, &back), ROBO_ERANGE);
    one_field.none = 0;

    static const uint8_t ends[][8] = { { 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
                                       { 0x80 } };
    for (int i = 0; i < 2; i++) {
        const char *where = NULL;
        assert_int_equal(robo_message_decode(&one_message, ends[i], 8, &back, &where), ROBO_ERANGE);
        assert_string_equal(where, "one");
    }
}

/* lo and hi hold both ways, for every integer, to the ends of its type. */
TEST(ranges)
{
    static const struct {
        enum robo_field_kind kind;
        int64_t lo, hi;
        uint64_t value; /* as the bits of the type */
        int good;
    } cases[] = {
        { ROBO_FIELD_U8, 1, 7, 0, 0 },
        { ROBO_FIELD_U8, 1, 7, 1, 1 },
        { ROBO_FIELD_U8, 1, 7, 7, 1 },
        { ROBO_FIELD_U8, 1, 7, 8, 0 },
        { ROBO_FIELD_U8, 0, 0, 255, 1 },
        { ROBO_FIELD_U16, 0, 999, 999, 1 },
        { ROBO_FIELD_U16, 0, 999, 1000, 0 },
        { ROBO_FIELD_U32, 5, 0xffffffff, 4, 0 },
        { ROBO_FIELD_U32, 5, 0xffffffff, 0xffffffff, 1 },
        { ROBO_FIELD_U32, 0, 5, 0x80000000, 0 },
        { ROBO_FIELD_I64, -2, 2, 3, 0 },
        { ROBO_FIELD_I64, -2, 2, (uint64_t)-2, 1 },
        { ROBO_FIELD_I64, -2, 2, (uint64_t)-3, 0 },
        { ROBO_FIELD_I64, INT64_MIN, -1, (uint64_t)1 << 63, 1 },
        { ROBO_FIELD_I64, INT64_MIN, -1, 0, 0 },
        { ROBO_FIELD_I64, 0, 0, (uint64_t)1 << 63, 1 },
        { ROBO_FIELD_U64, 1, INT64_MAX, INT64_MAX, 1 },
        { ROBO_FIELD_U64, 1, INT64_MAX, (uint64_t)1 << 63, 0 },
        { ROBO_FIELD_U64, -5, 5, UINT64_MAX, 0 },
        { ROBO_FIELD_U64, 0, 0, UINT64_MAX, 1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct one in = { 0 }, back;
        switch (cases[i].kind) {
        case ROBO_FIELD_U8: in.v.u8 = (uint8_t)cases[i].value; break;
        case ROBO_FIELD_U16: in.v.u16 = (uint16_t)cases[i].value; break;
        case ROBO_FIELD_U32: in.v.u32 = (uint32_t)cases[i].value; break;
        default: in.v.u64 = cases[i].value; break;
        }
        one_field.lo = one_field.hi = 0;
        ptrdiff_t size = there_and_back(cases[i].kind, 1, &in, &back);
        assert_true(size > 0);
        assert_memory_equal(&in.v, &back.v, sizeof in.v);
        uint8_t bytes[8];
        assert_int_equal(robo_message_encode(&one_message, &in, bytes, 8, NULL), size);

        one_field.lo = cases[i].lo;
        one_field.hi = cases[i].hi;
        if (robo_message_encode(&one_message, &in, bytes, 8, NULL) !=
            (cases[i].good ? size : ROBO_ERANGE))
            fail_msg("case %zu, writing", i);
        if (robo_message_decode(&one_message, bytes, 8, &back, NULL) !=
            (cases[i].good ? size : ROBO_ERANGE))
            fail_msg("case %zu, reading", i);
    }
    one_field.lo = one_field.hi = 0;
}

TEST(texts)
{
    struct one in = { 0 }, back;
    one_field.kind = ROBO_FIELD_TEXT;
    one_field.max = 7;
    uint8_t bytes[16];
    const char *where = NULL;

    memcpy(in.v.text, "seven..", 8);
    assert_int_equal(robo_message_encode(&one_message, &in, bytes, 9, &where), 9);
    memset(&back, 0xff, sizeof back);
    assert_int_equal(robo_message_decode(&one_message, bytes, 9, &back, &where), 9);
    assert_string_equal(back.v.text, "seven..");
    /* no NUL within the array: nothing behind it is looked at */
    in.v.text[7] = '!';
    assert_int_equal(robo_message_encode(&one_message, &in, bytes, 16, &where), ROBO_ERANGE);
    assert_string_equal(where, "one");

    /* what follows a text in its array is zero, whatever was there */
    memcpy(in.v.text, "a\0junk!", 8);
    assert_int_equal(robo_message_encode(&one_message, &in, bytes, 16, &where), 3);
    memset(&back, 0xff, sizeof back);
    assert_int_equal(robo_message_decode(&one_message, bytes, 3, &back, &where), 3);
    assert_memory_equal(back.v.text, "a\0\0\0\0\0\0", 8);

    /* too long is known before it has come */
    assert_int_equal(robo_message_decode(&one_message, (const uint8_t[]){ 0, 8 }, 2, &back, &where),
                     ROBO_EBODY);
    assert_int_equal(robo_message_decode(&one_message, (const uint8_t[]){ 0, 7 }, 2, &back, &where),
                     0);
    assert_int_equal(
        robo_message_decode(&one_message, (const uint8_t[]){ 0, 2, 'a', 0 }, 4, &back, &where),
        ROBO_EBODY);
    one_field.max = 1;
}

TEST(counts)
{
    static struct robo_state s, back;
    static uint8_t bytes[16400];
    const char *where = NULL;
    s.dofs = 512;
    for (int i = 0; i < 512; i++)
        s.position[i] = s.speed[i] = i + 1;
    assert_int_equal(robo_message_encode(&robo_state_message, &s, bytes, sizeof bytes, &where),
                     124 + 512 * 16);
    s.dofs = 513;
    assert_int_equal(robo_message_encode(&robo_state_message, &s, bytes, sizeof bytes, &where),
                     ROBO_ERANGE);
    assert_string_equal(where, "position");

    /* beyond the count nothing is written, not even looked at, and nothing is read there */
    s.dofs = 1;
    s.position[1] = NAN;
    assert_int_equal(robo_message_encode(&robo_state_message, &s, bytes, sizeof bytes, &where),
                     124 + 16);
    memset(&back, 0xff, sizeof back);
    assert_int_equal(robo_message_decode(&robo_state_message, bytes, sizeof bytes, &back, &where),
                     124 + 16);
    const size_t head = offsetof(struct robo_state, position) + sizeof s.position[0];
    assert_memory_equal(&back, &s, head);
    assert_true(back.speed[0] == s.speed[0]);
    for (size_t i = 0; i < sizeof back.position - sizeof back.position[0]; i++)
        assert_int_equal(((const uint8_t *)&back.position[1])[i], 0xff);
}
