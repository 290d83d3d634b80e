/* The server's side of pictures: what clients make it keep is charged to them, and those that do not read get no more. */
#include "session_peer.h"
#include "../idle_driver.h"

enum { WIDTH = 4000, HEIGHT = 3000, SIZE = 3 * WIDTH * HEIGHT };

static robo_device *eye;

static int open_eye(void *state, robo_device *device, robo_time now)
{
    (void)state, (void)now;
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
    d.camera[0] = (struct robo_camera){ .name = "eye", .width = WIDTH, .height = HEIGHT };
    assert_int_equal(robo_add_driver(world, &driver), 0);
    assert_int_equal(robo_add(world, &d, NULL), 0);
    peer_enter(p, &how);
    return 0;
}

/* A picture of 12 million pixels. */
static void show(void)
{
    struct robo_picture *picture = robo_picture_open(eye, 0, SIZE);
    assert_non_null(picture);
    picture->format = ROBO_RGB;
    picture->size = SIZE;
    memset(picture->bytes, 1, SIZE);
    assert_int_equal(robo_pictured(picture, ROBO_NO_TIME), 0);
}

static struct robo_request_view view_of(enum robo_picture_format format)
{
    return (struct robo_request_view){
        .format = (uint8_t)format, .quality = 80, .window = 16384, .period = 1000000
    };
}

static size_t used(void)
{
    return atomic_load(&world->memory.used);
}

/* A JPEG of one colour is small, but what it was encoded into is not. */
static void test_buffers_are_charged_as_wholes(void **state)
{
    (void)state;
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

/* Without the rule of shares seven views of 36 MB would fit into the budget. */
static void test_one_client_gets_no_more_than_its_share(void **state)
{
    (void)state;
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
    assert_int_equal((used() - before) / SIZE, 4);
    struct peer *other = peer_open();
    other->lease = 2;
    peer_enter(other, &how);
    peer_request(other, ROBO_Q_VIEW, &want);
    run_for(0.001);
    assert_int_equal((used() - before) / SIZE, 5);
    peer_close(other);
    still_alive();
}

static void test_a_session_has_four_views(void **state)
{
    (void)state;
    const struct robo_request_view want = view_of(ROBO_JPEG);
    for (int i = 0; i < 4; i++) {
        peer_request(p, ROBO_Q_VIEW, &want);
        assert_int_equal(p->received_count, 0);
    }
    peer_request(p, ROBO_Q_VIEW, &want);
    expect_fault(p, ROBO_ELIMIT, true);
}

#define EYE(name) cmocka_unit_test_setup_teardown(name, enter_eye, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        EYE(test_buffers_are_charged_as_wholes),
        EYE(test_one_client_gets_no_more_than_its_share),
        EYE(test_a_session_has_four_views),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
