/* Whether bytes are one whole JPEG. The markers are those of ITU T.81, annex B, written out by hand. */
#include <string.h>

#include "../test.h"
#include "picture/jpeg_scan.h"
#include "jpegs.h"

static void finds(const uint8_t *bytes, size_t n, size_t at, const char *what)
{
    size_t place;
    const char *fault = robo__jpeg_fault(bytes, n, &place);
    assert_non_null(fault);
    assert_string_equal(fault, what);
    assert_int_equal(place, at);
}

TEST(a_whole_one_has_no_fault)
{
    uint8_t jpeg[100];
    size_t at;
    make_jpeg(jpeg, JPEG_LEAST, 7);
    assert_null(robo__jpeg_fault(jpeg, JPEG_LEAST, &at));
    make_jpeg(jpeg, sizeof jpeg, 7);
    assert_null(robo__jpeg_fault(jpeg, sizeof jpeg, &at));
}

TEST(one_that_is_cut_off_anywhere_has_a_fault)
{
    uint8_t jpeg[100];
    size_t at;
    make_jpeg(jpeg, sizeof jpeg, 7);
    for (size_t n = 0; n < sizeof jpeg; n++) {
        assert_non_null(robo__jpeg_fault(jpeg, n, &at));
        assert_true(at <= n);
    }
}

TEST(data_may_have_stuffed_bytes_and_restarts)
{
    static const uint8_t data[] = { 0xff, 0, 0xff, 0xd0, 1, 0xff, 0xd7, 0xff, 0xff, 0, 2 };
    uint8_t jpeg[JPEG_LEAST + sizeof data];
    size_t at;
    make_jpeg(jpeg, sizeof jpeg, 7);
    memcpy(jpeg + JPEG_LEAST - 2, data, sizeof data);
    assert_null(robo__jpeg_fault(jpeg, sizeof jpeg, &at));
}

TEST(a_second_scan_goes_on_behind_the_first)
{
    static const uint8_t scan[] = { 0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 9, 9 };
    uint8_t jpeg[JPEG_LEAST + sizeof scan];
    size_t at;
    make_jpeg(jpeg, sizeof jpeg, 7);
    memcpy(jpeg + JPEG_LEAST - 2, scan, sizeof scan);
    assert_null(robo__jpeg_fault(jpeg, sizeof jpeg, &at));
    jpeg[JPEG_LEAST + 1] = 1; /* 0x108 bytes */
    jpeg[JPEG_LEAST] = 1;
    finds(jpeg, sizeof jpeg, JPEG_LEAST, "expected a segment that ends within the image");
}

TEST(a_fault_is_told_with_its_place)
{
    static const uint8_t other[] = { 'G', 'I', 'F', '8' }, empty[] = { 0xff, 0xd8, 0xff, 0xd9 },
                         early[] = { 0xff, 0xd8, 0xff, 0xda, 0, 2, 0xff, 0xd9 },
                         twice[] = { 0xff, 0xd8, 0xff, 0xff, 0xd8 },
                         ends[] = { 0xff, 0xd8, 0xff, 0xff }, gap[] = { 0xff, 0xd8, 1 };
    uint8_t jpeg[40];
    finds(other, sizeof other, 0, "expected the beginning of a JPEG, ff d8");
    finds(empty, sizeof empty, 4, "expected a scan before the end of the image");
    finds(early, sizeof early, 6, "expected a frame header before the first scan");
    finds(twice, sizeof twice, 4, "expected a marker's number");
    finds(ends, sizeof ends, 4, "expected a marker's number");
    finds(gap, sizeof gap, 2, "expected a marker, ff");
    make_jpeg(jpeg, 39, 7);
    jpeg[39] = 0;
    finds(jpeg, 40, 39, "expected nothing behind the end of the image, ff d9");
}
