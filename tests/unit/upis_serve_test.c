/* USARSim's image server: its clients, in virtual time. The bytes are those of spec/images.md, written out by hand. */
#include "http_client.h"

#include "upis/frame.h"
#include "../base_robot.h"
#include "../eye_driver.h"
#include "robotalk/device.h"

/* SMALL is a camera whose rows are no multiple of 4 bytes, LARGE one whose pictures are more than a connection takes at once. */
enum { SMALL, LARGE, SMALL_X = 5, SMALL_Y = 3, LARGE_X = 160, LARGE_Y = 120 };
enum { LARGE_SIZE = ROBO__UPIS_RAW_HEAD + LARGE_X * 3 * LARGE_Y };

static struct {
    int taken, fails;
} eye;

/* Red tells the column, green the row, blue how many have been taken. */
static int picture(void *state, robo_device *device, unsigned camera, int wanted)
{
    const unsigned x = camera == SMALL ? SMALL_X : LARGE_X, y = camera == SMALL ? SMALL_Y : LARGE_Y;
    if (!wanted)
        return 0;
    if (eye.fails)
        return ROBO_EDEVICE;
    struct robo_picture *p = robo_picture_open(device, camera, x * y * 3);
    if (!p)
        return ROBO_EFULL;
    p->format = ROBO_RGB;
    p->size = x * y * 3;
    eye.taken++;
    for (unsigned i = 0; i < x * y; i++) {
        p->bytes[3 * i] = (uint8_t)(i % x);
        p->bytes[3 * i + 1] = (uint8_t)(i / x);
        p->bytes[3 * i + 2] = (uint8_t)eye.taken;
    }
    return robo_pictured(p, ROBO_NO_TIME);
}

static char last_log[256];

static void on_log(void *owner, enum robo_log_level level, const char *line)
{
    snprintf(last_log, sizeof last_log, "%s", line);
}

static int open_seer(void **state)
{
    struct robo_camera camera[] = {
        { .name = "small", .width = SMALL_X, .height = SMALL_Y, .rate = 20 },
        { .name = "large", .width = LARGE_X, .height = LARGE_Y, .rate = 20 },
    };
    struct robo_description d = base_robot("seer", "eye");
    const struct robo_options options = virtual_options(1);
    d.cameras = 2;
    d.camera = camera;
    memset(&eye, 0, sizeof eye);
    last_log[0] = 0;
    world = robo_open(&options);
    assert_non_null(world);
    world->log = on_log;
    const robo_driver driver = eye_driver("eye", NULL, picture);
    assert_int_equal(robo_add_driver(world, &driver), 0);
    assert_int_equal(robo_add(world, &d, NULL), 0);
    robo__host_init(&host, world, NULL);
    return 0;
}

static int close_seer(void **state)
{
    run_for(0.1);
    assert_int_equal(atomic_load(&world->pictures.used), 0);
    return close_host(state);
}

static void tell(struct client *c, const void *bytes, size_t n)
{
    c->count = 0;
    robo__conn_receive(&c->conn, bytes, n, robo_now(world));
    settle(c);
    run_for(0.2);
    settle(c);
}

#define TELL(c, text) tell(c, text, sizeof(text) - 1)

static size_t number_at(const char *bytes)
{
    const uint8_t *b = (const uint8_t *)bytes;
    return (size_t)b[0] << 24 | (size_t)b[1] << 16 | (size_t)b[2] << 8 | b[3];
}

/* How many whole pictures have come, and nothing behind them. */
static int pictures(const struct client *c)
{
    int n = 0;
    size_t at = 0;
    for (; c->count - at >= ROBO__UPIS_HEAD; n++) {
        at += ROBO__UPIS_HEAD + number_at(c->got + at + 1);
        assert_true(at <= c->count);
    }
    assert_int_equal(at, c->count);
    return n;
}

FIXTURE(open_seer, close_seer);

TEST(half_a_request_is_none)
{
    struct client *c = come_at("upis+local:");
    TELL(c, "O");
    assert_int_equal(eye.taken, 0);
    TELL(c, "K");
    assert_int_equal(pictures(c), 1);
    TELL(c, "U\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0");
    assert_int_equal(pictures(c), 0);
    TELL(c, "\1");
    assert_int_equal(pictures(c), 1);
    go_away(c);
}

/* ---- bytes ---- */

TEST(pixels_are_rows_of_blue_green_red)
{
    static const uint8_t golden[] = {
        0, 0, 0, 0, 52, 0, 5, 0, 3,                      /* type, size, width, height */
        1, 0, 0, 1, 0,  1, 1, 0, 2, 1, 0, 3, 1, 0, 4, 0, /* */
        1, 1, 0, 1, 1,  1, 1, 1, 2, 1, 1, 3, 1, 1, 4, 0, /* */
        1, 2, 0, 1, 2,  1, 1, 2, 2, 1, 2, 3, 1, 2, 4, 0, /* */
    };
    struct client *c = come_at("upis+local:?type=0");
    TELL(c, "OK");
    assert_int_equal(c->count, sizeof golden);
    assert_memory_equal(c->got, golden, sizeof golden);
    go_away(c);
}

TEST(a_rectangle_is_pixels_whatever_the_type)
{
    static const uint8_t golden[] = { 0, 0, 0, 0, 20, 0, 2, 0, 2, 1, 1, 3, 1,
                                      1, 4, 0, 0, 1,  2, 3, 1, 2, 4, 0, 0 };
    struct client *c = come_at("upis+local:?type=3");
    /* from the fourth column and second row on, more than there is */
    TELL(c, "U\0\0\0\3\0\0\0\1\xff\xff\xff\xff\0\0\0\x9");
    assert_int_equal(c->count, sizeof golden);
    assert_memory_equal(c->got, golden, sizeof golden);
    go_away(c);
}

TEST(a_rectangle_beside_the_picture_is_empty)
{
    static const uint8_t golden[] = { 0, 0, 0, 0, 4, 0, 0, 0, 0 };
    struct client *c = come_at("upis+local:");
    TELL(c, "U\0\0\0\5\0\0\0\0\0\0\0\1\0\0\0\1");
    assert_int_equal(c->count, sizeof golden);
    assert_memory_equal(c->got, golden, sizeof golden);
    TELL(c, "U\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0");
    assert_int_equal(c->count, sizeof golden);
    assert_memory_equal(c->got, golden, sizeof golden);
    go_away(c);
}

TEST(a_jpeg_is_whole_and_of_its_types_quality)
{
    size_t size[6];
    for (int type = 1; type <= 5; type++) {
        char address[64];
        unsigned x, y;
        snprintf(address, sizeof address, "upis+local:seer/large?type=%d", type);
        struct client *c = come_at(address);
        TELL(c, "OK\r\n");
        assert_int_equal(pictures(c), 1);
        assert_int_equal(c->got[0], type);
        size[type] = number_at(c->got + 1);
        assert_int_equal(robo_jpeg_size((const uint8_t *)c->got + 5, size[type], &x, &y), 0);
        assert_int_equal(x, LARGE_X);
        assert_int_equal(y, LARGE_Y);
        go_away(c);
        assert_true(type == 1 || size[type] < size[type - 1]);
    }
}

TEST(an_address_tells_how_large_pictures_are_at_most)
{
    struct client *c = come_at("upis+local:seer/large?type=0&width=40");
    TELL(c, "OK");
    assert_int_equal(c->count, ROBO__UPIS_RAW_HEAD + 40 * 3 * 30);
    go_away(c);
}

/* ---- request and answer ---- */

TEST(nothing_comes_unasked)
{
    struct client *c = come_at("upis+local:");
    run_for(1);
    assert_int_equal(c->count, 0);
    assert_int_equal(eye.taken, 0);
    TELL(c, "OK");
    run_for(1);
    assert_int_equal(pictures(c), 1);
    go_away(c);
}

TEST(of_the_older_server_the_first_picture_does)
{
    struct client *c = come_at("upis+local:?legacy");
    run_for(1);
    assert_int_equal(pictures(c), 1);
    TELL(c, "OK");
    run_for(1);
    assert_int_equal(pictures(c), 1);
    go_away(c);
}

TEST(nothing_comes_unasked_before_authentication)
{
    struct robo__access access = { .listed = true };
    struct client *c = come_at("upis+local:?legacy");
    c->conn.access = &access;
    run_for(1);
    assert_int_equal(c->count, 0);
    assert_int_equal(eye.taken, 0);
    TELL(c, "\n"); /* the server hands on the bytes of those alone who are let in */
    assert_int_equal(pictures(c), 1);
    go_away(c);
}

TEST(a_picture_is_newer_than_the_one_before)
{
    struct client *c = come_at("upis+local:?type=0");
    for (int i = 1; i <= 5; i++) {
        TELL(c, "OK");
        assert_int_equal(pictures(c), 1);
        assert_int_equal(c->got[ROBO__UPIS_RAW_HEAD], eye.taken); /* and the newest */
    }
    /* also when requests do not wait for answers */
    const int before = eye.taken;
    const size_t size = ROBO__UPIS_RAW_HEAD + 16 * SMALL_Y;
    TELL(c, "OKOKOK");
    assert_int_equal(pictures(c), 3);
    for (size_t i = 0, last = (size_t)before; i < 3; i++) {
        assert_true((size_t)c->got[i * size + ROBO__UPIS_RAW_HEAD] > last);
        last = (size_t)c->got[i * size + ROBO__UPIS_RAW_HEAD];
    }
    go_away(c);
}

TEST(a_flood_of_requests_has_sixteen_answers)
{
    static char flood[1 << 20];
    for (size_t i = 0; i < sizeof flood; i++)
        flood[i] = "OK"[i % 2];
    struct client *c = come_at("upis+local:");
    tell(c, flood, sizeof flood);
    assert_null(c->conn.in);
    run_for(5);
    assert_int_equal(pictures(c), 16);
    TELL(c, "OK");
    assert_int_equal(pictures(c), 1);
    go_away(c);
}

/* ---- cameras ---- */

TEST(an_address_names_a_camera)
{
    struct client *c = come_at("upis+local:seer/large?type=0");
    TELL(c, "OK");
    assert_int_equal(c->count, LARGE_SIZE);
    go_away(c);
    c = come_at("upis+local:seer?type=0"); /* the first */
    TELL(c, "OK");
    assert_int_equal(c->count, ROBO__UPIS_RAW_HEAD + 16 * SMALL_Y);
    go_away(c);
}

TEST(one_that_is_not_there_closes_and_the_log_says_so)
{
    struct client *c = come_at("upis+local:seer/nose");
    TELL(c, "OK");
    assert_true(c->conn.closing);
    assert_string_equal(last_log, "upis: the robot has no such camera: the connection is closed");
    go_away(c);
    c = come_at("upis+local:nobody");
    TELL(c, "OK");
    assert_true(c->conn.closing);
    assert_string_equal(last_log, "upis: there is no such robot: the connection is closed");
    go_away(c);
}

TEST(a_camera_that_fails_answers_when_it_works_again)
{
    struct client *c = come_at("upis+local:");
    eye.fails = 1;
    TELL(c, "OK");
    run_for(10);
    assert_int_equal(c->count, 0);
    assert_false(c->conn.closing);
    eye.fails = 0;
    run_for(2);
    assert_int_equal(pictures(c), 1);
    go_away(c);
}

TEST(a_robot_that_goes_closes_its_clients)
{
    struct client *c = come_at("upis+local:");
    TELL(c, "OK");
    robo_robot *seer = robo_find(world, "seer");
    robo_remove(seer);
    robo_release(seer);
    TELL(c, "OK");
    run_for(1);
    assert_true(c->conn.closing);
    go_away(c);
}

/* ---- clients that do not read ---- */

TEST(who_does_not_read_holds_one_picture_and_nobody_up)
{
    struct client *slow = come_at("upis+local:seer/large?type=0"),
                  *quick = come_at("upis+local:seer/large?type=0");
    slow->reads = false;
    TELL(slow, "OKOK");
    assert_true(slow->conn.out_count > 0);
    assert_true(slow->conn.out_count < ROBO__CONN_BUSY + (1 << 15));
    const size_t held = slow->conn.out_count;
    for (int i = 0; i < 20; i++) {
        TELL(quick, "OK");
        assert_int_equal(pictures(quick), 1);
    }
    assert_int_equal(slow->conn.out_count, held);
    /* it reads: the rest of that picture, and then the newest */
    slow->reads = true;
    settle(slow);
    run_for(0.2);
    assert_int_equal(pictures(slow), 2);
    assert_int_equal((uint8_t)slow->got[ROBO__UPIS_RAW_HEAD], 1);
    assert_in_range((uint8_t)slow->got[LARGE_SIZE + ROBO__UPIS_RAW_HEAD], 20, 30);
    go_away(slow);
    go_away(quick);
}

TEST(who_never_reads_is_closed)
{
    struct client *c = come_at("upis+local:seer/large?type=0");
    c->reads = false;
    TELL(c, "OK");
    run_for(28);
    assert_false(c->conn.closing);
    run_for(5);
    assert_true(c->conn.closing);
    assert_int_equal(c->conn.out_count, 0);
    go_away(c);
}

TEST(a_client_may_go_at_any_time)
{
    struct client *c = come_at("upis+local:seer/large?type=0");
    robo__conn_receive(&c->conn, (const uint8_t *)"OK", 2, robo_now(world));
    go_away(c); /* while the camera works for it */
    c = come_at("upis+local:seer/large?type=0");
    c->reads = false;
    TELL(c, "OK");
    go_away(c); /* in the middle of a picture */
    go_away(come_at("upis+local:?legacy"));
}
