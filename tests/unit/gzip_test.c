/* gzip: what was compressed is read, within a bound; damage is told. The bytes are those of `printf hello | gzip -n9`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "base/gzip.h"
#include "robotalk.h"

static const uint8_t hello[] = { 0x1f, 0x8b, 8, 0, 0,    0,    0,    0,    2, 3, 0xcb, 0x48, 0xcd,
                                 0xc9, 0xc9, 7, 0, 0x86, 0xa6, 0x10, 0x36, 5, 0, 0,    0 };

static int gunzip(const uint8_t *bytes, size_t size, size_t most, char text[64], char why[256])
{
    uint8_t *out;
    size_t length;
    why[0] = 0;
    const int error = robo__gunzip(bytes, size, most, &out, &length, why);
    if (error == 0) {
        assert_true(length < 64);
        memcpy(text, out, length);
        text[length] = 0;
    } else {
        assert_null(out);
    }
    free(out);
    return error;
}

TEST(what_was_compressed_is_read)
{
    char text[64], why[256];
    assert_int_equal(gunzip(hello, sizeof hello, 100, text, why), 0);
    assert_string_equal(text, "hello");
}

TEST(members_behind_one_another_are_one_text)
{
    uint8_t both[2 * sizeof hello];
    char text[64], why[256];
    memcpy(both, hello, sizeof hello);
    memcpy(both + sizeof hello, hello, sizeof hello);
    assert_int_equal(gunzip(both, sizeof both, 100, text, why), 0);
    assert_string_equal(text, "hellohello");
}

TEST(more_than_the_bound_is_refused)
{
    char text[64], why[256];
    assert_int_equal(gunzip(hello, sizeof hello, 4, text, why), ROBO_EBODY);
    assert_string_equal(why, "what gzip has compressed is too long");
}

TEST(an_early_end_is_told)
{
    char text[64], why[256], expected[256];
    for (size_t n = 2; n < sizeof hello; n++) {
        assert_int_equal(gunzip(hello, n, 100, text, why), ROBO_EBODY);
        snprintf(expected, sizeof expected,
                 "what gzip has compressed ends too early, at byte %zu of %zu", n, n);
        assert_string_equal(why, expected);
    }
}

TEST(damage_is_told)
{
    uint8_t bytes[sizeof hello];
    char text[64], why[256];
    memcpy(bytes, hello, sizeof hello);
    bytes[sizeof hello - 8] ^= 1; /* of the checksum */
    assert_int_equal(gunzip(bytes, sizeof bytes, 100, text, why), ROBO_EBODY);
    assert_string_equal(
        why, "what gzip has compressed is damaged, at byte 21 of 25"); /* behind the checksum */
}
