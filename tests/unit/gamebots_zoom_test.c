/* A camera that zooms, for a client of Gamebots: SET and CAMERA set its field of view, GETCONF tells it. */
#include "fixture_gamebots.h"

#include "../zoom_robot.h"

static struct client client;

static int begin(void **state)
{
    open_world(state);
    add_zoom_robot(world);
    join(&client, "gamebots+local:");
    say(&client, "INIT {ClassName zoomer} {Name Z}");
    return 0;
}

static int end(void **state)
{
    leave(&client);
    return close_world(state);
}

static void expect(const char *words)
{
    if (!strstr(client.got, words))
        fail_msg("not told: %s\n%s", words, client.got);
    client.count = client.read = 0;
    client.got[0] = 0;
}

static double zoom(void)
{
    robo_robot *robot = robo_find(world, "zoomer");
    const double x = look_at(robot).position[1];
    robo_release(robot);
    return x;
}

TEST(its_field_of_view_is_set_and_told, begin, end)
{
    say(&client, "SET {Type Camera} {Name eye} {Opcode Zoom} {Params 0.4}");
    expect("RES {Type Camera} {Name eye} {Status OK}\r\n");
    pass(2);
    assert_float_equal(zoom(), 0.4, 1e-9);
    say(&client, "GETCONF {Type Camera}");
    expect(
        "CONF {Type Camera} {Name eye} {CameraDefFov 0.8500} {CameraMinFov 0.0750} {CameraMaxFov "
        "0.8500} {CameraFov 0.4000}\r\n");
    say(&client, "SET {Type Camera} {Opcode FOV} {0.01}"); /* cut to its limits */
    expect("{Status OK}\r\n");
    pass(2);
    assert_float_equal(zoom(), 0.075, 1e-9);
    say(&client, "CAMERA {Zoom 0}"); /* its own */
    expect("RES {Type Camera} {Name Z} {Status OK}\r\n");
    pass(2);
    assert_float_equal(zoom(), 0.85, 1e-9);
}
