/* Regions of a colour in pictures that are drawn here, against geometry and a plain flood fill. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "picture/jpeg.h"
#include "../memory.h"

enum { SIDE = 256 }; /* no picture here is wider or higher */

static uint8_t pixels[3 * SIDE * SIDE];
static const uint8_t PINK[3] = { 230, 40, 130 }, CARPET[3] = { 40, 120, 60 };
/* of PINK, whose hue is 60 * (6 + (40 - 130) / 190), generously */
static const struct robo_colour is_pink = { { 300, 360 }, { 0.3, 1 }, { 0.3, 1 } };

static struct robo_picture blank(unsigned width, unsigned height)
{
    for (size_t i = 0; i < (size_t)width * height; i++)
        memcpy(pixels + 3 * i, CARPET, 3);
    return (struct robo_picture){ .width = (uint16_t)width,
                                  .height = (uint16_t)height,
                                  .format = ROBO_RGB,
                                  .size = 3 * (size_t)width * height,
                                  .bytes = pixels };
}

static void set(const struct robo_picture *p, unsigned x, unsigned y)
{
    memcpy(p->bytes + 3 * ((size_t)y * p->width + x), PINK, 3);
}

static bool is_set(const struct robo_picture *p, unsigned x, unsigned y)
{
    return memcmp(p->bytes + 3 * ((size_t)y * p->width + x), PINK, 3) == 0;
}

/* All pixels whose middles lie within a ring; inner < 0: a disc. */
static uint64_t draw_ring(const struct robo_picture *p, double x, double y, double outer,
                          double inner)
{
    uint64_t n = 0;
    for (unsigned j = 0; j < p->height; j++)
        for (unsigned i = 0; i < p->width; i++) {
            const double far = hypot(i - x, j - y);
            if (far > outer || far <= inner)
                continue;
            set(p, i, j);
            n++;
        }
    return n;
}

static void draw_disc(const struct robo_picture *p, double x, double y, double r)
{
    draw_ring(p, x, y, r, -1);
}

static struct robo_blob find(const struct robo_picture *p, uint64_t least)
{
    struct robo_blob blob = { .area = 0 };
    const int found = robo_picture_blob(p, &is_pink, least, &blob);
    assert_true(found == 0 || found == 1);
    assert_int_equal(found, blob.regions > 0);
    return blob;
}

/* Pixels that a disc's area may be off: by Gauss no more than this of pi r^2 for a circle about a pixel's middle; about another
 * place it has no more edge. */
static double edge(double r)
{
    return 2 * sqrt(2) * M_PI * r;
}

TEST(a_disc_has_its_area_and_lies_where_it_was_drawn)
{
    for (double r = 1; r <= 100; r += 3.7) {
        for (int k = 0; k < 4; k++) {
            const double x = 128 + 0.25 * k, y = 127 - 0.25 * k;
            const struct robo_picture p = blank(SIDE, SIDE);
            draw_disc(&p, x, y, r);
            const struct robo_blob blob = find(&p, 1);
            assert_int_equal(blob.regions, 1);
            assert_true(fabs((double)blob.area - M_PI * r * r) <= edge(r));
            /* it is symmetric about middles of pixels and about their edges */
            const double off = k % 2 == 0 ? 1e-9 : 0.5;
            assert_true(fabs(blob.x - x) <= off);
            assert_true(fabs(blob.y - y) <= off);
            assert_true(fabs(blob.left + blob.width / 2.0 - 0.5 - x) <= 0.5);
            assert_true(fabs(blob.top + blob.height / 2.0 - 0.5 - y) <= 0.5);
            /* a chord of length c has c - 1 to c + 1 middles of pixels, and the longest is hardly less than 2 r */
            assert_true(fabs(blob.width - 2 * r) <= 1.3);
            assert_true(fabs(blob.height - 2 * r) <= 1.3);
        }
    }
}

TEST(of_two_discs_it_is_the_larger)
{
    for (int larger = 0; larger < 2; larger++) {
        const struct robo_picture p = blank(SIDE, SIDE);
        draw_disc(&p, 60, 50, larger == 0 ? 20 : 19);
        draw_disc(&p, 160, 170, larger == 1 ? 20 : 19);
        const struct robo_blob blob = find(&p, 1);
        assert_int_equal(blob.regions, 2);
        assert_true(fabs(blob.x - (larger ? 160 : 60)) < 1e-9);
        assert_true(fabs(blob.y - (larger ? 170 : 50)) < 1e-9);
    }
}

TEST(of_two_equal_ones_it_is_the_one_that_begins_first)
{
    struct robo_picture p = blank(9, 9);
    set(&p, 6, 2); /* ends first */
    set(&p, 7, 2);
    set(&p, 1, 1); /* begins first */
    set(&p, 1, 2);
    assert_int_equal(find(&p, 1).left, 1);
    assert_int_equal(find(&p, 1).area, 2);
}

TEST(a_ring_is_one_region)
{
    const struct robo_picture p = blank(SIDE, SIDE);
    const uint64_t drawn = draw_ring(&p, 100, 120, 80, 78);
    const struct robo_blob blob = find(&p, 1);
    assert_int_equal(blob.regions, 1);
    assert_int_equal(blob.area, drawn);
    assert_true(fabs(blob.x - 100) < 1e-9);
    assert_true(fabs(blob.y - 120) < 1e-9);
}

/* A line of one pixel's width from the left top inwards, with gaps of one pixel. */
static uint64_t draw_spiral(const struct robo_picture *p)
{
    static const int step[4][2] = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 } };
    int x = 0, y = 0, low_x = 0, low_y = 2, high_x = p->width - 1, high_y = p->height - 1;
    uint64_t n = 1;
    set(p, 0, 0);
    for (int d = 0; low_x <= high_x && low_y <= high_y; d = (d + 1) % 4) {
        const int end = d == 0 ? high_x : d == 1 ? high_y : d == 2 ? low_x : low_y;
        while ((d % 2 == 0 ? x : y) != end) {
            x += step[d][0];
            y += step[d][1];
            set(p, (unsigned)x, (unsigned)y);
            n++;
        }
        *(d == 0 ? &high_x : d == 1 ? &high_y : d == 2 ? &low_x : &low_y) += d < 2 ? -2 : 2;
    }
    return n;
}

TEST(a_spiral_is_one_region)
{
    for (unsigned width = 7; width <= SIDE; width += 24) {
        const struct robo_picture p = blank(width, width - 2);
        const uint64_t drawn = draw_spiral(&p);
        assert_true(drawn > width * (uint64_t)(width - 2) * 2 / 5); /* it does fill the picture */
        const struct robo_blob blob = find(&p, 1);
        assert_int_equal(blob.regions, 1);
        assert_int_equal(blob.area, drawn);
        assert_int_equal(blob.width, width);
        assert_int_equal(blob.height, width - 2);
    }
}

TEST(combs_are_one_region_wherever_their_teeth_meet)
{
    for (unsigned back = 0; back < SIDE; back += SIDE - 1) {
        const struct robo_picture p = blank(SIDE, SIDE);
        for (unsigned y = 0; y < SIDE; y++)
            for (unsigned x = 0; x < SIDE; x++)
                if (x % 2 == 0 || y == back)
                    set(&p, x, y);
        const struct robo_blob blob = find(&p, 1);
        assert_int_equal(blob.regions, 1);
        assert_int_equal(blob.area, SIDE * SIDE / 2 + SIDE / 2);
    }
}

TEST(a_chessboard_is_single_pixels_and_takes_one_allocation_of_its_width)
{
    const struct robo_picture p = blank(SIDE - 1, SIDE - 1); /* with it an end at every second */
    for (unsigned y = 0; y < p.height; y++)
        for (unsigned x = y % 2; x < p.width; x += 2)
            set(&p, x, y);
    struct robo_blob blob;
    memory_fail_at(2);
    assert_int_equal(robo_picture_blob(&p, &is_pink, 1, &blob), 1);
    assert_false(memory_failed());
    memory_fail_at(0);
    assert_int_equal(blob.regions, ((SIDE - 1) * (SIDE - 1) + 1) / 2);
    assert_int_equal(blob.area, 1);
    assert_int_equal(blob.left, 0);
    assert_int_equal(blob.top, 0);
    memset(&blob, 7, sizeof blob);
    assert_int_equal(robo_picture_blob(&p, &is_pink, 2, &blob), 0); /* none is so large */
    assert_int_equal(blob.area, UINT64_C(0x0707070707070707));
}

TEST(without_memory_it_says_so)
{
    const struct robo_picture p = blank(4, 4);
    struct robo_blob blob;
    memory_fail_at(1);
    assert_int_equal(robo_picture_blob(&p, &is_pink, 1, &blob), ROBO_ENOMEM);
    memory_fail_at(0);
}

/* ---- against a flood fill ---- */

static unsigned stack[SIDE * SIDE];

/* Takes the region of a pixel out of the picture. */
static struct robo_blob flood(const struct robo_picture *p, unsigned x, unsigned y)
{
    unsigned n = 0, right = x, bottom = y;
    struct robo_blob b = { .left = x, .top = y };
    memcpy(p->bytes + 3 * (y * p->width + x), CARPET, 3);
    stack[n++] = y * p->width + x;
    while (n > 0) {
        const unsigned at = stack[--n], i = at % p->width, j = at / p->width;
        b.area++;
        b.x += i;
        b.y += j;
        b.left = i < b.left ? i : b.left;
        right = i > right ? i : right;
        bottom = j > bottom ? j : bottom;
        const unsigned beside[4][2] = { { i - 1, j }, { i + 1, j }, { i, j - 1 }, { i, j + 1 } };
        for (int k = 0; k < 4; k++)
            if (beside[k][0] < p->width && beside[k][1] < p->height &&
                is_set(p, beside[k][0], beside[k][1])) {
                stack[n] = beside[k][1] * p->width + beside[k][0];
                memcpy(p->bytes + 3 * stack[n++], CARPET, 3);
            }
    }
    b.x /= (double)b.area;
    b.y /= (double)b.area;
    b.width = right - b.left + 1;
    b.height = bottom - b.top + 1;
    return b;
}

static struct robo_blob largest(const struct robo_picture *p, uint64_t least)
{
    struct robo_blob best = { .area = 0 };
    uint64_t regions = 0;
    for (unsigned y = 0; y < p->height; y++)
        for (unsigned x = 0; x < p->width; x++) {
            if (!is_set(p, x, y))
                continue;
            const struct robo_blob b = flood(p, x, y);
            regions += b.area >= least;
            if (b.area >= least && b.area > best.area)
                best = b;
        }
    best.regions = regions;
    return best;
}

static uint32_t next_random(uint32_t *seed)
{
    return (*seed = *seed * 1664525 + 1013904223) >> 8;
}

TEST(random_pictures_are_as_a_flood_fill_finds_them)
{
    uint32_t seed = 16;
    for (int k = 0; k < 3000; k++) {
        const unsigned width = 1 + next_random(&seed) % 40, height = 1 + next_random(&seed) % 40;
        const unsigned percent = next_random(&seed) % 101, least = next_random(&seed) % 6;
        const struct robo_picture p = blank(width, height);
        for (unsigned y = 0; y < height; y++)
            for (unsigned x = 0; x < width; x++)
                if (next_random(&seed) % 100 < percent)
                    set(&p, x, y);
        const struct robo_blob got = find(&p, least), want = largest(&p, least);
        assert_int_equal(got.regions, want.regions);
        assert_int_equal(got.area, want.area);
        assert_int_equal(got.left, want.left);
        assert_int_equal(got.top, want.top);
        assert_int_equal(got.width, want.width);
        assert_int_equal(got.height, want.height);
        assert_true(fabs(got.x - want.x) < 1e-9);
        assert_true(fabs(got.y - want.y) < 1e-9);
    }
}

/* ---- pictures of cameras ---- */

TEST(noise_about_a_disc_does_not_move_it)
{
    uint32_t seed = 4;
    const double r = 30;
    const struct robo_picture p = blank(SIDE, SIDE);
    draw_disc(&p, 90, 140, r);
    uint64_t grains = 0;
    for (unsigned k = 0; k < 2000; k++) { /* 3 % of the pixels */
        const unsigned x = next_random(&seed) % SIDE, y = next_random(&seed) % SIDE;
        if (hypot(x - 90.0, y - 140.0) > r + 2)
            set(&p, x, y);
        else /* and holes within it */
            memcpy(pixels + 3 * (y * SIDE + x), CARPET, 3);
        grains++;
    }
    const struct robo_blob blob = find(&p, 1);
    assert_true(blob.regions > grains / 2);
    assert_int_equal(find(&p, 100).regions, 1);
    assert_true(fabs((double)blob.area - 0.97 * M_PI * r * r) <= edge(r));
    assert_true(fabs(blob.x - 90) < 0.5);
    assert_true(fabs(blob.y - 140) < 0.5);
}

TEST(a_jpeg_moves_a_disc_by_less_than_half_a_pixel)
{
    static const int quality[3] = { 50, 80, 95 };
    for (int k = 0; k < 3; k++)
        for (double r = 4; r < 40; r += 5) {
            const struct robo_picture p = blank(SIDE, SIDE);
            draw_disc(&p, 91, 140, r);
            uint8_t *jpeg = NULL;
            size_t room = 0;
            const ptrdiff_t n = robo__jpeg_encode(&p, 1, quality[k], &jpeg, &room);
            assert_true(n > 0);
            assert_int_equal(robo_jpeg_decode(jpeg, (size_t)n, ROBO_RGB, pixels, sizeof pixels), 0);
            free(jpeg);
            const struct robo_blob blob = find(&p, 10);
            assert_int_equal(blob.regions, 1);
            assert_true(fabs(blob.x - 91) < 0.5);
            assert_true(fabs(blob.y - 140) < 0.5);
            assert_true(fabs((double)blob.area - M_PI * r * r) <= edge(r));
        }
}
