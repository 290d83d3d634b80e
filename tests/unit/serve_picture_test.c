/* The server's side of pictures: what clients make it keep is charged to them, and those that do not read get no more. */
#include "session_peer.h"
#include "../idle_driver.h"
#include "robotalk/device.h"

enum { WIDTH = 4000, HEIGHT = 3000, SIZE = 3 * WIDTH * HEIGHT };

static robo_device *eye;

static int open_eye(void *state, robo_device *device, robo_time now)
{
    eye = device;
    return 0;
}

static int enter_eye(void **state)
{
    static struct robo_description d;
    const robo_driver driver = { .size = sizeof driver,
                                 .name = "eye",
                                 .open = open_eye,
                                 .start = idle_start,
                                 .read = idle_read,
                                 .halt = idle_halt,
                                 .close = idle_close };
    const struct robo_request_open how = { .robot = "eye" };
    enter(state);
    begin_description(
        &d, 2, (struct robo_description){ .devices = 1, .links = 1, .joints = 1, .cameras = 1 });
    strcpy(d.name, "eye");
    strcpy(d.device[0].driver, "eye");
    d.device[0].base = 1;
    d.commands = 7;
    d.camera[0] =
        (struct robo_camera){ .name = "eye", .width = WIDTH, .height = HEIGHT, .rate = 1000 };
    assert_int_equal(robo_add_driver(world, &driver), 0);
    assert_int_equal(robo_add(world, &d, NULL), 0);
    peer_enter(p, &how);
    return 0;
}

static void show_of(uint16_t width, uint16_t height)
{
    const size_t size = (size_t)3 * width * height;
    struct robo_picture *picture = robo_picture_open(eye, 0, size);
    assert_non_null(picture);
    picture->width = width;
    picture->height = height;
    picture->format = ROBO_RGB;
    picture->size = size;
    memset(picture->bytes, 1, size);
    assert_int_equal(robo_pictured(picture, ROBO_NO_TIME), 0);
}

/* A picture of 12 million pixels. */
static void show(void)
{
    show_of(WIDTH, HEIGHT);
}

static struct robo_request_view view_of(enum robo_picture_format format)
{
    return (struct robo_request_view){
        .format = (uint8_t)format, .quality = 80, .window = 16384, .period = 1000000
    };
}

static size_t used(void)
{
    return atomic_load(&world->pictures.used);
}

FIXTURE(enter_eye, leave);

/* A JPEG of one colour is small, but what it was encoded into is not. */
TEST(buffers_are_charged_as_wholes)
{
    const struct robo_request_view want = view_of(ROBO_JPEG);
    show();
    const size_t before = used();
    const uint32_t id = peer_request(p, ROBO_Q_VIEW, &want);
    run_for(0.001);
    assert_true(used() - before >= WIDTH * HEIGHT / 4);
    peer_request(p, ROBO_Q_BROADCAST_CANCEL, &(struct robo_request_broadcast_cancel){ id });
    run_for(0.001);
    assert_true(used() - before < 1 << 17);
    still_alive();
}

/* Without the rule of shares three views of 36 MB would fit into the budget. */
TEST(one_client_gets_no_more_than_its_share)
{
    const struct robo_request_view want = view_of(ROBO_RGB);
    const struct robo_request_open how = { .robot = "eye" };
    show();
    const size_t before = used();
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 4; i++)
            peer_request(p, ROBO_Q_VIEW, &want);
        run_for(0.001);
        peer_enter(p, &how);
    }
    assert_int_equal((used() - before) / SIZE, 2);
    struct peer *other = peer_open();
    other->lease = 2;
    peer_enter(other, &how);
    peer_request(other, ROBO_Q_VIEW, &want);
    run_for(0.001);
    assert_int_equal((used() - before) / SIZE, 3);
    peer_close(other);
    still_alive();
}

/* A client gets no more by many connections: of one origin they have one share of pictures. */
TEST(connections_of_one_origin_get_one_share)
{
    const struct robo_request_view want = view_of(ROBO_RGB);
    const struct robo_request_open how = { .robot = "eye" };
    struct robo__share share = { .clients = 4 };
    struct peer *of_one[4];
    show();
    for (uint32_t i = 0; i < 4; i++) {
        of_one[i] = peer_open();
        of_one[i]->conn.share = &share;
        of_one[i]->lease = 2 + i;
        peer_enter(of_one[i], &how);
        peer_request(of_one[i], ROBO_Q_VIEW, &want);
        run_for(0.001);
    }
    assert_int_equal(used() / SIZE, 2);
    assert_int_equal(share.pictures, used());
    peer_request(p, ROBO_Q_VIEW, &want);
    run_for(0.001);
    assert_int_equal(used() / SIZE, 3);
    for (uint32_t i = 0; i < 4; i++)
        peer_close(of_one[i]);
    assert_int_equal(share.pictures, 0);
    still_alive();
}

/* Clients that take no piece have all the memory for pictures. It is none of that of sessions, and they have it for 5 s. */
TEST(who_takes_no_pictures_shuts_out_nobody)
{
    const struct robo_request_view want = view_of(ROBO_RGB);
    const struct robo_request_open how = { .robot = "eye" };
    struct peer *other[4], *mine = p;
    show();
    const size_t kept = atomic_load(&world->memory.used);
    for (uint32_t i = 0; i < 4; i++) {
        other[i] = peer_open();
        other[i]->lease = 2 + i;
        peer_enter(other[i], &how);
        peer_request(other[i], ROBO_Q_VIEW, &want);
        run_for(0.001);
    }
    assert_true(used() > world->pictures.total / 2);
    assert_true(atomic_load(&world->memory.used) - kept < 1 << 20);
    run_for(4.9);
    assert_true(used() > world->pictures.total / 2);
    run_for(0.2);
    assert_int_equal(used(), 0);
    peer_listen(other[0]);
    p = other[0];
    assert_int_equal(told_notices(p, ROBO_N_FAULT), 1);
    still_alive();
    p = mine;
    for (uint32_t i = 0; i < 4; i++)
        peer_close(other[i]);
}

/* Takes all that may come now, as a transport does. */
static void take_pieces(void)
{
    for (int i = 0; i < 4; i++) {
        run_for(0.001);
        peer_listen(p);
        robo__conn_resume(&p->conn, robo_now(world));
    }
}

/* What the client has got is told to the server, and what comes is heard. */
static uint64_t hear(uint32_t id, uint64_t bytes)
{
    peer_request(p, ROBO_Q_PIECES, &(struct robo_request_pieces){ .query = id, .bytes = bytes });
    take_pieces();
    return p->piece.number;
}

/* Of pictures of 30,000 bytes one fits into the window. When the first has gone quickly, the third is asked for while the second
 * goes out; it follows, unless that took long: then the newest does. */
static void follow(double wait, uint64_t follows)
{
    struct robo_request_view want = view_of(ROBO_RGB);
    want.window = 40000;
    show_of(100, 100);
    const uint32_t id = peer_request(p, ROBO_Q_VIEW, &want);
    take_pieces();
    assert_int_equal(p->piece.number, 1);
    assert_int_equal(p->piece.offset + p->piece.count, 30000);
    show_of(100, 100);
    run_for(0.002);
    show_of(100, 100);
    run_for(wait);
    show_of(100, 100);
    assert_int_equal(hear(id, 30000), 2);
    assert_int_equal(hear(id, 60000), follows);
}

TEST(the_next_is_made_while_one_goes_out)
{
    follow(0.002, 3);
}

TEST(a_slow_client_gets_the_newest)
{
    follow(0.1, 4);
}

TEST(a_session_has_four_views)
{
    const struct robo_request_view want = view_of(ROBO_JPEG);
    for (int i = 0; i < 4; i++) {
        peer_request(p, ROBO_Q_VIEW, &want);
        assert_int_equal(p->received_count, 0);
    }
    peer_request(p, ROBO_Q_VIEW, &want);
    expect_fault(p, ROBO_ELIMIT, true);
}
