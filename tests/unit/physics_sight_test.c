/* What cameras see of the physics: those that robots carry, and views of the world. As in physics_renderer_test.c, what is expected is
 * the pinhole model's. */
#include "physics_robot.h"

#include "need_opengl.h"
#include "../looks.h"

enum { WIDTH = 160, HEIGHT = 120 };
static const double FOV = 1, RADIUS = 0.15;

/* A camera 1 m above the floor that pans and zooms, and a red ball 2 m ahead of it that slides to the left and to the right. The ball
 * is the same robot's. */
static struct robo_description make_seer(void)
{
    struct robo_description d = { .links = 0 };
    begin_description(&d, 3,
                      (struct robo_description){ .name = "seer",
                                                 .links = 3,
                                                 .joints = 3,
                                                 .dofs = 3,
                                                 .devices = 1,
                                                 .cameras = 1,
                                                 .shapes = 1,
                                                 .panic = ROBO_HOLD,
                                                 .commands = UINT64_MAX });
    strcpy(d.device[0].driver, "physics");
    static const char *const LINKS[] = { "base", "head", "ball" }, *const DOFS[] = { "pan", "zoom",
                                                                                     "way" };
    for (uint16_t i = 0; i < 3; i++) {
        d.link[i] = (struct robo_link){ .mass = 1, .inertia = { 0.01, 0.01, 0.01, 0, 0, 0 } };
        strcpy(d.link[i].name, LINKS[i]);
        snprintf(d.joint[i].name, sizeof d.joint[i].name, "joint%u", i);
        d.joint[i].parent = i ? 0 : ROBO_WORLD;
        d.joint[i].child = i;
        d.joint[i].servo = i ? ROBO_SERVO_SETPOINT : 0;
        d.dof[i] = (struct robo_dof){ .low = -2, .high = 2, .speed = 10, .acceleration = 100 };
        strcpy(d.dof[i].name, DOFS[i]);
    }
    d.link[0].position[2] = 1;
    d.joint[1].first = 0;
    d.joint[1].dofs = 2;
    d.joint[2].first = 2;
    d.joint[2].dofs = 1;
    d.joint[2].inboard[0] = 2;
    d.dof[0].axis[2] = d.dof[1].axis[2] = d.dof[2].axis[1] = 1;
    d.dof[1].low = 0.2;
    d.dof[1].high = d.dof[1].home = FOV;
    d.dof[2].kind = ROBO_PRISMATIC;
    d.camera[0] = (struct robo_camera){
        .name = "eye", .link = 1, .width = WIDTH, .height = HEIGHT, .fov = 0.1, .rate = 25
    };
    d.shape[0] = (struct robo_shape){
        .link = 2, .kind = ROBO_SHAPE_SPHERE, .size = { RADIUS }, .colour = 0xff0000ff
    };
    return d;
}

static struct robo_description body;

static int close_it(void **state)
{
    if (world)
        close_world();
    world = NULL;
    return 0;
}

static void open_it(void)
{
    need_opengl();
    open_world_with(&VIRTUAL, NULL, &body);
}

static uint8_t pixels[3 * WIDTH * HEIGHT];
static robo_time taken;

/* Into `pixels`: what the robot's camera sees now; or the error. */
static int look(uint8_t format)
{
    struct onlooker o;
    look_at(&o, robot, (struct robo__form){ .format = format });
    const struct robo_picture *picture = o.look.picture;
    if (picture) {
        assert_int_equal(picture->width, WIDTH);
        assert_int_equal(picture->height, HEIGHT);
        assert_int_equal(picture->format, format);
        memcpy(pixels, picture->bytes, picture->size);
        taken = picture->time;
    }
    return look_away(&o);
}

static bool is_red(const uint8_t *p)
{
    return p[0] > 30 && p[0] > 2 * p[1] && p[0] > 2 * p[2];
}

/* Where the middle of all that is red is, and how much that is. */
static void find_red(const uint8_t *rgb, double *u, double *v, unsigned *count)
{
    *u = *v = *count = 0;
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
        if (is_red(rgb + 3 * i)) {
            *u += i % WIDTH + 0.5;
            *v += i / WIDTH + 0.5;
            ++*count;
        }
    if (*count) {
        *u /= *count;
        *v /= *count;
    }
}

/* The ball, that far ahead, to the left and above of a camera with that field of view. */
static void expect_ball(const uint8_t *rgb, double ahead, double left, double up, double fov)
{
    const double f = WIDTH / 2.0 / tan(fov / 2);
    double u, v;
    unsigned count;
    find_red(rgb, &u, &v, &count);
    assert_float_equal(u, WIDTH / 2.0 - f * left / ahead, 1);
    assert_float_equal(v, HEIGHT / 2.0 - f * up / ahead, 1);
    /* its outline is that of the cone that touches it: an ellipse a little larger than a circle through its middle */
    const double way = hypot(hypot(ahead, left), up), half = asin(RADIUS / way),
                 turn = acos(ahead / way);
    const double major = f * (tan(turn + half) - tan(turn - half)) / 2,
                 minor = sin(half) * f / sqrt(cos(turn + half) * cos(turn - half));
    assert_float_equal(count, M_PI * major * minor, 0.06 * M_PI * major * minor);
}

FIXTURE(NULL, close_it);

TEST(a_robot_sees_by_its_camera)
{
    body = make_seer();
    open_it();
    run_for(0.1);
    assert_int_equal(look(ROBO_RGB), 0);
    expect_ball(pixels, 2, 0, 0, FOV);
    assert_true(taken > robo_now(world) - 2000000 && taken <= robo_now(world)); /* a step at most */
}

TEST(what_moves_in_the_physics_moves_in_the_picture)
{
    body = make_seer();
    open_it();
    give(go(2, 0.5));
    run_for(2);
    assert_int_equal(look(ROBO_RGB), 0);
    expect_ball(pixels, 2, seen().position[2], 0, FOV);
    assert_float_equal(seen().position[2], 0.5, 0.01);
}

TEST(the_camera_pans_with_its_link)
{
    body = make_seer();
    open_it();
    give(go(1, 0.3));
    run_for(2);
    const double pan = seen().position[0];
    assert_float_equal(pan, 0.3, 0.01);
    assert_int_equal(look(ROBO_RGB), 0);
    expect_ball(pixels, 2 * cos(pan), -2 * sin(pan), 0, FOV);
}

TEST(a_lens_zooms_and_turns_nothing)
{
    body = make_seer();
    open_it();
    give((struct robo_cmd){ .op = ROBO_SET_JOINT,
                            .start = ROBO_AT_ONCE,
                            .body.servo = { .joint = 1, .mask = 3, .value = { -0.1, 0.5 } } });
    run_for(2);
    const double pan = seen().position[0];
    assert_float_equal(seen().position[1], 0.5, 0.01);
    assert_int_equal(look(ROBO_RGB), 0);
    expect_ball(pixels, 2 * cos(pan), -2 * sin(pan), 0, seen().position[1]);
}

static void set_text(struct robo_description *d, struct robo_option *option, const char *text)
{
    *option = (struct robo_option){ .name = "show", .type = ROBO_OPTION_TEXT, .value.text = text };
    d->device[0].option = option;
    d->device[0].options = 1;
}

TEST(depth_is_gray)
{
    struct robo_option option[2];
    body = make_seer();
    set_text(&body, &option[0], "depth");
    option[1] =
        (struct robo_option){ .name = "range", .type = ROBO_OPTION_REAL, .value.real = 2.55 };
    body.device[0].options = 2;
    open_it();
    run_for(0.1);
    assert_int_equal(look(ROBO_GRAY), 0);
    /* a step is a centimetre */
    assert_in_range(pixels[HEIGHT / 2 * WIDTH + WIDTH / 2], 184, 186);
    assert_int_equal(pixels[10 * WIDTH + 10], 255); /* nothing is there */
    /* the floor through the middle of the last row */
    const double f = WIDTH / 2.0 / tan(FOV / 2), floor = f / (HEIGHT / 2 - 0.5);
    assert_in_range(pixels[(HEIGHT - 1) * WIDTH + 5], 100 * floor - 2 < 253 ? 100 * floor - 2 : 253,
                    255);
}

TEST(objects_are_gray_by_their_numbers)
{
    struct robo_option option;
    char name[128];
    body = make_seer();
    set_text(&body, &option, "objects");
    open_it();
    run_for(0.1);
    assert_int_equal(look(ROBO_GRAY), 0);
    const int ball = pixels[HEIGHT / 2 * WIDTH + WIDTH / 2] - 1,
              floor = pixels[(HEIGHT - 1) * WIDTH + 5] - 1;
    assert_int_equal(robo_world_object(world, ball, name), 0);
    assert_string_equal(name, "seer/ball");
    assert_int_equal(robo_world_object(world, floor, name), 0);
    assert_string_equal(name, "floor");
    assert_int_equal(pixels[10 * WIDTH + 10], 0);
    assert_int_equal(robo_world_object(world, -1, name), ROBO_ENONE);
    assert_int_equal(robo_world_object(world, 1000, name), ROBO_ENONE);
}

TEST(what_a_device_cannot_show_is_refused)
{
    struct robo_option option;
    char why[128] = "";
    body = make_seer();
    set_text(&body, &option, "colours");
    const robo_driver *driver = NULL;
    world = robo_open(&VIRTUAL);
    assert_non_null(world);
    assert_int_equal(robo_add_drivers(world), 0);
    driver = robo_find_driver(world, "physics");
    assert_int_equal(driver->check(&body, 0, why), ROBO_EINVAL);
    robo_close(world);
    world = NULL;
    assert_string_equal(why, "show: expected colour, depth or objects");
}

/* ---- views ---- */

static struct robo_viewpoint from(double x, double y, double z)
{
    return (struct robo_viewpoint){ .size = sizeof(struct robo_viewpoint),
                                    .from = { x, y, z },
                                    .to = { 2, 0, 1 },
                                    .fov = 0.8,
                                    .width = WIDTH,
                                    .height = HEIGHT };
}

TEST(the_world_is_seen_from_anywhere)
{
    char why[256] = "";
    robo_time time;
    static const double places[][3] = {
        { -1, 0.1, 1.2 }, { 2, 3, 2 }, { 4, -2, 0.3 }, { 2, 0, 4 }
    };
    body = make_seer();
    open_it();
    run_for(0.1);
    for (int i = 0; i < 4; i++) {
        struct robo_viewpoint view = from(places[i][0], places[i][1], places[i][2]);
        view.fine = i % 2;
        assert_int_equal(robo_world_look(world, &view, pixels, sizeof pixels, &time, why), 0);
        const double d[3] = { view.to[0] - view.from[0], view.to[1] - view.from[1],
                              view.to[2] - view.from[2] };
        expect_ball(pixels, hypot(hypot(d[0], d[1]), d[2]), 0, 0, 0.8); /* in the middle */
        assert_true(time <= robo_now(world));
    }
    /* z is up: what is 0.5 m below the middle of the picture is seen there, and what is to the right of its way is on the right */
    struct robo_viewpoint view = from(-1, 0, 1);
    view.to[0] = 5;
    view.to[2] = 1;
    view.from[2] = 1.5;
    view.to[2] = 1.5;
    view.from[1] = view.to[1] = 0.3;
    assert_int_equal(robo_world_look(world, &view, pixels, sizeof pixels, &time, why), 0);
    expect_ball(pixels, 3, -0.3, -0.5, 0.8);
}

TEST(depth_of_a_view_is_in_metres)
{
    static float depth[WIDTH * HEIGHT];
    char why[256] = "";
    robo_time time;
    body = make_seer();
    open_it();
    run_for(0.1);
    struct robo_viewpoint view = from(-1, 0, 1);
    view.seen = ROBO_SEEN_DEPTH;
    assert_int_equal(robo_world_look(world, &view, depth, sizeof depth, &time, why), 0);
    assert_float_equal(depth[HEIGHT / 2 * WIDTH + WIDTH / 2], 3 - RADIUS, 0.005);
}

TEST(views_that_cannot_be_are_refused)
{
    char why[256] = "";
    robo_time time;
    body = make_seer();
    open_it();
    struct robo_viewpoint view = from(0, 0, 2);
    assert_int_equal(robo_world_look(world, &view, pixels, sizeof pixels - 1, &time, why),
                     ROBO_EINVAL);
    assert_string_equal(why, "a view: its pixels need more room");
    memcpy(view.to, view.from, sizeof view.to);
    assert_int_equal(robo_world_look(world, &view, pixels, sizeof pixels, &time, why), ROBO_EINVAL);
    view = from(0, NAN, 2);
    assert_int_equal(robo_world_look(world, &view, pixels, sizeof pixels, &time, why), ROBO_EINVAL);
    view = from(0, 0, 2);
    view.fov = 4;
    assert_int_equal(robo_world_look(world, &view, pixels, sizeof pixels, &time, why), ROBO_EINVAL);
    view = from(0, 0, 2);
    view.seen = 3;
    assert_int_equal(robo_world_look(world, &view, pixels, sizeof pixels, &time, why), ROBO_EINVAL);
    view = from(0, 0, 2);
    view.height = ROBO_MAX_VIEW + 1;
    assert_int_equal(robo_world_look(world, &view, pixels, sizeof pixels, &time, why), ROBO_EINVAL);
    view.size = 4;
    assert_int_equal(robo_world_look(world, &view, pixels, sizeof pixels, &time, why), ROBO_EINVAL);
}

TEST(without_physics_there_is_nothing_to_see)
{
    char why[256] = "", name[128];
    robo_time time;
    const struct robo_viewpoint view = from(0, 0, 2);
    world = robo_open(&VIRTUAL);
    assert_non_null(world);
    assert_int_equal(robo_world_look(world, &view, pixels, sizeof pixels, &time, why),
                     ROBO_EDEVICE);
    assert_int_equal(robo_surround(world, NULL, 0), 0);
    assert_int_equal(robo_world_look(world, &view, pixels, sizeof pixels, &time, why),
                     ROBO_EDEVICE);
    assert_string_equal(why,
                        "no robot of this world has physics, and without there is nothing to see");
    assert_int_equal(robo_world_object(world, 0, name), ROBO_ENONE);
    robo_close(world);
    world = NULL;
}

TEST(a_robot_that_has_gone_leaves_nothing_to_see)
{
    char why[256] = "";
    robo_time time;
    body = make_seer();
    open_it();
    run_for(0.1);
    const struct robo_viewpoint view = from(-1, 0, 1);
    assert_int_equal(robo_surround(world, NULL, 0), 0); /* it is still seen then */
    assert_int_equal(robo_world_look(world, &view, pixels, sizeof pixels, &time, why), 0);
    robo__session_close(session);
    robo_remove(robot);
    robo_release(robot);
    assert_int_equal(robo_world_look(world, &view, pixels, sizeof pixels, &time, why),
                     ROBO_EDEVICE);
    assert_string_equal(why, "no robot of this world has physics now");
    robo_close(world);
    world = NULL;
}
