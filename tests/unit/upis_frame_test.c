/* Requests of clients of USARSim's image server, and frames for them, without a connection. The bytes are those of spec/images.md,
 * written out by hand. */
#include <string.h>

#include "../test.h"
#include "upis/frame.h"

TEST(requests_are_read_however_they_are_cut)
{
    static const char talk[] = "OK\r\nnoise OOK O K"
                               "U\0\0\0\1\0\0\0\2\0\1\0\0OKOK"
                               "OK";
    enum { N = sizeof talk - 1 };
    for (size_t cut = 1; cut <= N; cut++) {
        struct robo__upis_reader reader = { 0 };
        struct robo__upis_ask asks[8] = { 0 };
        int count = 0;
        for (size_t at = 0; at < N; at += cut) {
            const size_t n = cut < N - at ? cut : N - at;
            for (size_t done = 0, used; done < n; done += used)
                count += robo__upis_next(&reader, (const uint8_t *)talk + at + done, n - done,
                                         &used, &asks[count]);
        }
        assert_int_equal(count, 4);
        assert_true(asks[0].whole && asks[1].whole && !asks[2].whole && asks[3].whole);
        assert_int_equal(asks[2].area.x, 1);
        assert_int_equal(asks[2].area.y, 2);
        assert_int_equal(asks[2].area.width, 65536);
        assert_int_equal(asks[2].area.height, 0x4f4b4f4b);
    }
}

TEST(a_rectangle_is_cut_off_at_the_edges)
{
    static const struct {
        struct robo__upis_area asked, got;
    } table[] = {
        { { 0, 0, 5, 3 }, { 0, 0, 5, 3 } },
        { { 3, 1, 2, 2 }, { 3, 1, 2, 2 } },
        { { 3, 1, UINT32_MAX, UINT32_MAX }, { 3, 1, 2, 2 } },
        { { 4, 2, 1, 9 }, { 4, 2, 1, 1 } },
        { { 5, 0, 1, 1 }, { 0, 0, 0, 0 } },
        { { 0, 3, 1, 1 }, { 0, 0, 0, 0 } },
        { { UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX }, { 0, 0, 0, 0 } },
        { { 0, 0, 1, 0 }, { 0, 0, 0, 0 } },
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const struct robo__upis_area got = robo__upis_clip(table[i].asked, 5, 3);
        assert_memory_equal(&got, &table[i].got, sizeof got);
    }
}

TEST(heads_are_bytes_from_the_greatest_on)
{
    static const uint8_t jpeg[] = { 2, 0x01, 0x02, 0x03, 0x04 };
    static const uint8_t raw[] = { 0, 0x00, 0x0e, 0x10, 0x04, 0x02, 0x80, 0x01, 0xe0 };
    uint8_t out[ROBO__UPIS_RAW_HEAD];
    robo__upis_head(2, 0x01020304, out);
    assert_memory_equal(out, jpeg, sizeof jpeg);
    const struct robo__upis_area area = { 0, 0, 640, 480 }; /* 4 + 640 * 480 * 3 */
    robo__upis_raw_head(&area, out);
    assert_memory_equal(out, raw, sizeof raw);
}

TEST(a_row_is_turned_round_and_filled_up)
{
    static const uint8_t rgb[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
    static const uint8_t row[] = { 12, 11, 10, 0 };
    const struct robo__upis_area area = { 1, 1, 1, 1 };
    uint8_t out[4];
    memset(out, 0xff, sizeof out);
    assert_int_equal(robo__upis_row_size(&area), sizeof out);
    robo__upis_row(rgb, 2, &area, 0, out);
    assert_memory_equal(out, row, sizeof row);
}
