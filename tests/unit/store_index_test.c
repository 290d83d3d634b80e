/* Lines of the index of a folder of pictures. The golden line and the sum of "123456789" stand in spec/images.md; that sum is the check
 * value of CRC-32 as IEEE 802.3 has it. */
#include <string.h>

#include "../test.h"
#include "base/gzip.h"
#include "store/index.h"

static const struct robo_image_entry twelve = {
    .number = 12, .time = 1700000000123456, .size = 9081, .source = "pioneer2/camera"
};

TEST(the_sum_is_that_of_ieee_802_3)
{
    assert_int_equal(robo__crc32(0, "123456789", 9), 0xcbf43926);
}

TEST(a_line_is_the_golden_one)
{
    static const char golden[] =
        "000000000012 1700000000123456 00009081 pioneer2/camera                                  "
        "                               834ec2e8\n";
    char line[ROBO__STORE_LINE];
    robo__store_write_line(&twelve, line);
    assert_int_equal(sizeof golden - 1, sizeof line);
    assert_memory_equal(line, golden, sizeof line);
}

TEST(a_line_comes_back)
{
    char text[ROBO__STORE_LINE];
    struct robo_image_entry line = { .number = ROBO__STORE_NUMBERS - 1,
                                     .time = ROBO__STORE_TIMES - 1,
                                     .size = 1 << 24 },
                            read;
    memset(line.source, '~', ROBO__STORE_SOURCE);
    robo__store_write_line(&line, text);
    assert_true(robo__store_read_line(text, &read));
    assert_memory_equal(&read, &line, sizeof line);
}

TEST(a_line_with_any_byte_changed_is_none)
{
    char text[ROBO__STORE_LINE];
    struct robo_image_entry line;
    robo__store_write_line(&twelve, text);
    for (size_t i = 0; i < sizeof text; i++) {
        for (int bit = 0; bit < 8; bit++) {
            text[i] ^= (char)(1 << bit);
            assert_false(robo__store_read_line(text, &line));
            text[i] ^= (char)(1 << bit);
        }
    }
    assert_true(robo__store_read_line(text, &line));
}

TEST(a_source_is_visible_ascii)
{
    char name[ROBO__STORE_SOURCE + 1];
    memset(name, 'x', sizeof name);
    assert_true(robo__store_is_source("a/b", 3));
    assert_true(robo__store_is_source(name, ROBO__STORE_SOURCE));
    assert_false(robo__store_is_source(name, ROBO__STORE_SOURCE + 1));
    assert_false(robo__store_is_source("", 0));
    assert_false(robo__store_is_source("a b", 3));
    assert_false(robo__store_is_source("a\n", 2));
    assert_false(robo__store_is_source("\xc3\xa4", 2));
}

TEST(names_of_files_are_numbers_of_twelve_digits)
{
    char name[ROBO__STORE_NAME];
    uint64_t number;
    robo__store_name(12, ".jpg", name);
    assert_string_equal(name, "000000000012.jpg");
    assert_true(robo__store_number(name, ".jpg", &number));
    assert_int_equal(number, 12);
    assert_false(robo__store_number(name, ".part", &number));
    assert_false(robo__store_number("00000000012.jpg", ".jpg", &number));
    assert_false(robo__store_number("00000000001x.jpg", ".jpg", &number));
    assert_false(robo__store_number("holiday.jpg", ".jpg", &number));
}
