/* A client takes a picture into its own memory. */
#include "served.h"

#include "camera/test_card.h"
#include "robotalk/session.h"

TEST(into_memory_of_the_caller, NULL)
{
    static struct robo_camera camera = { .name = "eye", .width = 64, .height = 48, .rate = 30 };
    struct robo_description d = base_robot("seer", "pattern");
    const struct robo_session_options options = { .size = sizeof options, .robot = "seer" };
    const struct robo_request_picture look = { .format = ROBO_RGB, .quality = 80, .window = 65536 };
    static uint8_t bytes[64 * 48 * 3 + 1];
    struct robo_picture picture = { .bytes = bytes };
    char why[256];
    int error;
    d.device[0].base = 0;
    d.cameras = 1;
    d.camera = &camera;
    begin_without();
    assert_int_equal(robo_add_driver(on.world, &robo_pattern_driver), 0);
    assert_int_equal(robo_add(on.world, &d, NULL), 0);
    listen_at("robotalk://127.0.0.1:0");
    robo_client *c = robo_connect(on.world, on.text, patience(), &error, why);
    assert_non_null(c);
    const int64_t session = robo_session(c, &options, patience());
    assert_true(session > 0);
    const int64_t id = robo_request(c, (uint32_t)session, ROBO_Q_PICTURE, &look);
    assert_int_equal(robo_wait(c, (uint32_t)id, patience()), 0);
    memset(bytes, 7, sizeof bytes);
    assert_int_equal(robo_take_picture(c, (uint32_t)id, &picture, 100), ROBO_EFULL);
    assert_int_equal(picture.size, sizeof bytes - 1);
    assert_int_equal(bytes[99], 7);
    assert_int_equal(robo_take_picture(c, (uint32_t)id, &picture, sizeof bytes - 1), 1);
    assert_ptr_equal(picture.bytes, bytes);
    assert_int_equal(picture.width, 64);
    assert_int_equal(picture.height, 48);
    assert_int_equal(bytes[sizeof bytes - 1], 7);
    assert_int_equal(robo_take_picture(c, (uint32_t)id, &picture, sizeof bytes), ROBO_ENONE);
    const int64_t status = robo_request(c, (uint32_t)session, ROBO_Q_STATUS, NULL);
    assert_int_equal(robo_wait(c, (uint32_t)status, patience()), 0);
    assert_true(robo_take_picture(c, (uint32_t)status, &picture, sizeof bytes) < 0);
    robo_disconnect(c);
    end();
}
