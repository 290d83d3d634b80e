/* Snappy: each kind of element, and streams that are cut off or lie; any bytes: tests/fuzz/snappy_fuzz.c. */
#include <string.h>

#include "../test.h"
#include "store/snappy.h"

static const char *decompress(const char *in, size_t n, char *out, size_t size)
{
    return robo__snappy_fits(size, in, n) ? robo__snappy_decompress(out, size, in, n) : "unfit";
}

TEST(elements)
{
    /* "abcd", 4 bytes from 4 back, 6 from 1 back, 3 from 14 back, and a literal with a byte for its length */
    static const char in[] = "\x14\x0c"
                             "abcd\x01\x04\x16\x01\x00\x0b\x0e\x00\x00\x00\xf0\x02"
                             "xyz",
                      is[] = "abcdabcdddddddabcxyz";
    char out[20];
    assert_null(decompress(in, sizeof in - 1, out, sizeof out));
    assert_memory_equal(out, is, sizeof out);
    for (size_t n = 0; n < sizeof in - 1; n++)
        assert_non_null(decompress(in, n, out, sizeof out));
    assert_non_null(decompress(in, sizeof in - 1, out, sizeof out - 1));
    assert_null(decompress("", 1, out, 0));
}

TEST(lies)
{
    char out[16];
    assert_non_null(decompress("\x04\x01\x01", 3, out, 4));      /* a copy of nothing */
    assert_non_null(decompress("\x05\x00z\x01\x02", 5, out, 5)); /* from before the first byte */
    assert_non_null(decompress("\x02\x0czzzz", 6, out, 2));      /* more than it says */
    assert_non_null(decompress("\xff\xff\xff\xff\x0f\x00z", 7, out, 16)); /* far less */
    assert_non_null(decompress("\x80\x80\x80\x80\x80\x00z", 7, out, 0));  /* no size */
    assert_non_null(
        decompress("\x04\xfc\xff\xff\xff\xffzzzz", 10, out, 4)); /* a literal of 4 GiB */
}
