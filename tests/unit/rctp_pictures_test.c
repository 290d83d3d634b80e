/* Pictures of a camera by HTTP: one, streams at the rate and size that the client asks for, and clients that do not read. */
#include "http_client.h"

#include "../base_robot.h"
#include "../eye_driver.h"
#include "robotalk/device.h"

enum { WIDTH = 160, HEIGHT = 120 };

/* ---- a camera whose pictures are all of one colour: their number ---- */

static struct {
    robo_device *device;
    int taken, fails;
} eye;

static int open_eye(void *state, robo_device *device, robo_time now)
{
    eye.device = device;
    return robo__idle_open(state, device, now);
}

static int picture(void *state, robo_device *device, unsigned camera, int wanted)
{
    if (!wanted)
        return 0;
    if (eye.fails)
        return ROBO_EDEVICE;
    struct robo_picture *p = robo_picture_open(device, camera, WIDTH * HEIGHT);
    if (!p)
        return ROBO_EFULL;
    p->format = ROBO_GRAY;
    p->size = WIDTH * HEIGHT;
    memset(p->bytes, ++eye.taken, p->size);
    return robo_pictured(p, ROBO_NO_TIME);
}

static int open_seer(void **state)
{
    struct robo_camera camera[] = {
        { .name = "eye", .width = WIDTH, .height = HEIGHT, .rate = 20 }
    };
    struct robo_description d = base_robot("seer", "eye");
    const struct robo_options options = virtual_options(1);
    d.cameras = 1;
    d.camera = camera;
    memset(&eye, 0, sizeof eye);
    world = robo_open(&options);
    assert_non_null(world);
    const robo_driver driver = eye_driver("eye", open_eye, picture);
    assert_int_equal(robo_add_driver(world, &driver), 0);
    assert_int_equal(robo_add(world, &d, NULL), 0);
    robo__host_init(&host, world, NULL);
    return 0;
}

/* ---- what comes back ---- */

/* The next whole picture from *at on: its size, or 0; *at is behind it. */
static size_t next_picture(const struct client *c, const char **at, const char **bytes)
{
    const char *end = c->got + c->count, *length = NULL, *from = *at;
    for (; from < end && !length; from++)
        if ((size_t)(end - from) > 16 && memcmp(from, "Content-Length: ", 16) == 0)
            length = from + 16;
    if (!length)
        return 0;
    const size_t n = strtoul(length, NULL, 10);
    const char *body = strstr(length, "\r\n\r\n");
    if (!body || (size_t)(end - body) < 4 + n)
        return 0;
    *bytes = body + 4;
    *at = body + 4 + n;
    return n;
}

static unsigned count_pictures(const struct client *c, unsigned width)
{
    const char *at = c->got, *bytes;
    unsigned count = 0, x = 0, y = 0;
    size_t n;
    while ((n = next_picture(c, &at, &bytes)) > 0) {
        assert_int_equal(robo_jpeg_size((const uint8_t *)bytes, n, &x, &y), 0);
        assert_int_equal(x, width);
        count++;
    }
    return count;
}

static const char LOOK[] = "GET /seer/camera/eye HTTP/1.1\r\nHost: localhost\r\n\r\n";

FIXTURE(open_seer, close_host);

TEST(one_picture_is_a_file)
{
    struct client *c = come();
    ask(c, "GET /seer/camera/eye.jpg HTTP/1.1\r\nHost: localhost\r\n\r\n"
           "GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n");
    run_for(0.5);
    settle(c);
    assert_memory_equal(c->got, "HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\n", 42);
    const char *at = c->got, *bytes;
    assert_true(next_picture(c, &at, &bytes) > 0);
    /* the connection stays, and what was asked behind it has its answer */
    assert_memory_equal(at, "HTTP/1.1 404 ", 13);
    assert_int_equal(eye.taken, 1);
    assert_false(c->conn.closing);
    ask(c, "GET /seer/camera/eye.jpg?width=80&quality=30 HTTP/1.0\r\n\r\n");
    run_for(0.5);
    assert_int_equal(count_pictures(c, 80), 1);
    assert_true(c->conn.closing);
    go_away(c);
}

TEST(a_stream_has_each_picture_once)
{
    struct client *c = come();
    ask(c, LOOK);
    run_for(2.01);
    static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; ";
    assert_memory_equal(c->got, head, sizeof head - 1);
    const unsigned count = count_pictures(c, WIDTH);
    assert_in_range(count, 38, 42); /* 20 a second */
    assert_int_equal(count, eye.taken);
    const int before = eye.taken;
    go_away(c);
    run_for(1);
    assert_in_range(eye.taken, before, before + 1); /* nobody looks */
}

TEST(a_client_says_how_fast_and_how_large)
{
    struct client *c = come();
    ask(c, "GET /seer/camera/eye?rate=5&width=40&height=100&quality=10 RCTP/1.0\r\n\r\n");
    run_for(2.01);
    assert_in_range(count_pictures(c, 40), 10, 12);
    go_away(c);
    static const char *const bad[] = { "rate=0",    "rate=1001",   "rate=-1",    "rate=x",
                                       "width=0",   "width=70000", "height=1e9", "quality=101",
                                       "quality=0", "colour=red",  "rate",       "rate=%00" };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[100];
        c = come();
        snprintf(text, sizeof text, "GET /seer/camera/eye?%s HTTP/1.0\r\n\r\n", bad[i]);
        expect(c, text, "HTTP/1.1 400 ");
        go_away(c);
    }
}

TEST(what_is_not_there_is_said)
{
    struct client *c = come();
    expect(c, "GET /seer/camera/nose HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 404 ");
    expect(c, "GET /nobody/camera/eye HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 404 ");
    expect(c, "GET //camera/eye HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 404 ");
    expect(c, "HEAD /seer/camera/eye HTTP/1.1\r\nHost: localhost\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace\r\n");
    assert_int_equal(eye.taken, 0);
    assert_false(c->conn.closing);
    eye.fails = 1;
    ask(c, "GET /seer/camera/eye.jpg HTTP/1.1\r\nHost: localhost\r\n\r\n");
    run_for(11);
    assert_memory_equal(c->got, "HTTP/1.1 503 ", 13);
    assert_true(c->conn.closing);
    go_away(c);
}

TEST(a_camera_that_fails_for_a_while_goes_on)
{
    struct client *c = come();
    ask(c, LOOK);
    run_for(0.5);
    assert_true(count_pictures(c, WIDTH) > 5);
    eye.fails = 1;
    run_for(5);
    eye.fails = 0;
    c->count = 0;
    run_for(1);
    assert_false(c->conn.closing);
    assert_true(count_pictures(c, WIDTH) > 10);
    go_away(c);
}

TEST(who_does_not_read_holds_one_picture)
{
    struct client *c = come();
    c->reads = false;
    ask(c, "GET /seer/camera/eye?rate=1000&quality=100 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    run_for(20);
    /* what waits for the client is little more than what makes it busy, and the camera rests */
    assert_true(c->conn.out_count < ROBO__CONN_BUSY + (1 << 15));
    const int taken = eye.taken;
    run_for(5);
    assert_in_range(eye.taken, taken, taken + 1);
    /* a JPEG of one colour is small, but the buffer that it was encoded into is charged as a whole */
    assert_true(atomic_load(&world->pictures.used) >= WIDTH * HEIGHT / 4);
    /* it reads again, and gets the newest */
    c->reads = true;
    settle(c);
    c->count = 0;
    run_for(0.5);
    assert_true(count_pictures(c, WIDTH) > 5);
    /* for good */
    c->reads = false;
    run_for(100);
    assert_true(c->conn.closing);
    go_away(c);
}

TEST(a_negotiation_ends_also_while_pictures_go_out)
{
    struct client *c = come();
    expect(c, "ASSIGN notices RCTP/1.0\r\n\r\n", "RCTP/1.0 201 OK\r\n");
    ask(c, "GET /seer/camera/eye?rate=1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    for (int i = 0; i < 59; i++) {
        c->count = 0;
        run_for(1);
        assert_false(c->conn.closing);
    }
    c->count = 0;
    run_for(1.1);
    assert_true(c->conn.closing);
    go_away(c);
}
