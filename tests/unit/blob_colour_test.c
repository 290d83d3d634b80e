/* Which pixels are of a colour, by hue, saturation and value. */
#include <math.h>

#include "../test.h"
#include "robotalk.h"
#include "robotalk/picture.h"

/* Whether a pixel is of a colour. */
static int matches(const struct robo_colour *colour, int r, int g, int b)
{
    uint8_t rgb[3] = { (uint8_t)r, (uint8_t)g, (uint8_t)b };
    const struct robo_picture p = {
        .width = 1, .height = 1, .format = ROBO_RGB, .size = 3, .bytes = rgb
    };
    struct robo_blob blob;
    return robo_picture_blob(&p, colour, 1, &blob);
}

TEST(hue_is_the_angle_in_the_hexagon_of_colours)
{
    /* the corners of the hexagon, and middles of its sides: half of one more primary is half a sixth of the circle */
    static const int corner[12][4] = {
        { 255, 0, 0, 0 },   { 200, 100, 0, 30 },  { 255, 255, 0, 60 }, { 100, 200, 0, 90 },
        { 0, 255, 0, 120 }, { 0, 200, 100, 150 }, { 0, 90, 90, 180 },  { 0, 100, 200, 210 },
        { 0, 0, 255, 240 }, { 100, 0, 200, 270 }, { 80, 0, 80, 300 },  { 200, 0, 100, 330 },
    };
    for (int k = 0; k < 12; k++)
        for (int turn = -360; turn <= 360; turn += 360) {
            const double hue = corner[k][3] + turn;
            const struct robo_colour exact = { { hue, hue }, { 1, 1 }, { 0, 1 } };
            const int *c = corner[k];
            assert_int_equal(matches(&exact, c[0], c[1], c[2]), 1);
            const struct robo_colour other = { { hue + 0.5, hue + 29 }, { 1, 1 }, { 0, 1 } };
            assert_int_equal(matches(&other, c[0], c[1], c[2]), 0);
        }
    const struct robo_colour red = { { -10, 10 }, { 0.5, 1 }, { 0.2, 1 } };
    assert_int_equal(matches(&red, 255, 40, 0), 1);    /* 9.4 degrees */
    assert_int_equal(matches(&red, 255, 0, 40), 1);    /* -9.4 */
    assert_int_equal(matches(&red, 255, 50, 0), 0);    /* 11.8 */
    assert_int_equal(matches(&red, 255, 200, 200), 0); /* saturation 0.22 */
    assert_int_equal(matches(&red, 40, 0, 0), 0);      /* value 0.16 */
}

TEST(gray_has_no_hue_and_is_found_only_where_any_will_do)
{
    const struct robo_colour some = { { 0, 359 }, { 0, 1 }, { 0, 1 } };
    const struct robo_colour any = { { 0, 360 }, { 0, 1 }, { 0, 1 } };
    assert_int_equal(matches(&some, 90, 90, 90), 0);
    assert_int_equal(matches(&some, 90, 90, 91), 1);
    assert_int_equal(matches(&any, 90, 90, 90), 1);
    assert_int_equal(matches(&any, 0, 0, 0), 1);
    uint8_t gray[12] = { 0, 0, 0, 0, 0, 200, 210, 0, 0, 127, 0, 128 };
    const struct robo_picture p = {
        .width = 4, .height = 3, .format = ROBO_GRAY, .size = 12, .bytes = gray
    };
    const struct robo_colour light = { { 0, 360 }, { 0, 1 }, { 0.5, 1 } };
    struct robo_blob blob;
    assert_int_equal(robo_picture_blob(&p, &light, 1, &blob), 1);
    assert_int_equal(blob.regions, 2);
    assert_int_equal(blob.area, 2);
    assert_true(blob.x == 1.5 && blob.y == 1);
}

TEST(what_has_no_pixels_or_no_sense_is_refused)
{
    static uint8_t pixels[48];
    struct robo_picture p = {
        .width = 4, .height = 4, .format = ROBO_RGB, .size = 48, .bytes = pixels
    };
    struct robo_blob blob;
    const struct robo_colour any = { { 0, 360 }, { 0, 1 }, { 0, 1 } };
    assert_int_equal(robo_picture_blob(&p, &any, 1, &blob), 1);
    static const struct robo_colour bad[] = {
        { { 10, 5 }, { 0, 1 }, { 0, 1 } },    { { 0, 361 }, { 0, 1 }, { 0, 1 } },
        { { 0, 721 }, { 0, 1 }, { 0, 1 } },   { { 0, NAN }, { 0, 1 }, { 0, 1 } },
        { { 0, 10 }, { -0.1, 1 }, { 0, 1 } }, { { 0, 10 }, { 0, 1 }, { 0, 1.1 } },
        { { -361, 0 }, { 0, 1 }, { 0, 1 } },
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(robo_picture_blob(&p, &bad[i], 1, &blob), ROBO_EINVAL);
    p.size--;
    assert_int_equal(robo_picture_blob(&p, &any, 1, &blob), ROBO_EINVAL);
    p.format = ROBO_JPEG;
    assert_int_equal(robo_picture_blob(&p, &any, 1, &blob), ROBO_EINVAL);
    p.format = ROBO_YUYV;
    p.size = 32;
    assert_int_equal(robo_picture_blob(&p, &any, 1, &blob), ROBO_EINVAL);
    p.format = ROBO_RGB;
    p.width = 0;
    p.size = 0;
    assert_int_equal(robo_picture_blob(&p, &any, 1, &blob), ROBO_EINVAL);
}
