/* What sensors of a physics world meet: its bodies, where they are now. */
#include "physics_body.h"

#include "../base_robot.h"
#include "robot/reports.h"

/* A thing that stands fast. */
static struct robo_thing box(double x, double y, double z, double heading)
{
    return (struct robo_thing){ .shape = ROBO_SHAPE_BOX,
                                .size = { 1, 1, 1 },
                                .position = { x, y, z },
                                .attitude = { 0, 0, heading } };
}

/* A ball of 0.1 m on the floor, 2 m ahead. */
static struct robo_thing ball(void)
{
    return (struct robo_thing){ .name = "ball",
                                .shape = ROBO_SHAPE_SPHERE,
                                .size = { 0.1 },
                                .position = { 2, 0, 0.1 },
                                .mass = 1 };
}

/* A box of 0.4 m and 10 kg that slides over the floor as it is told, at 0, 0. */
static void make_slider(void)
{
    begin_description(&body, 3,
                      (struct robo_description){ .name = "slider",
                                                 .links = 1,
                                                 .joints = 1,
                                                 .shapes = 1,
                                                 .devices = 1,
                                                 .holonomic = 1,
                                                 .base_speed = { 1, 1, 2 },
                                                 .base_acceleration = { 1, 1, 4 },
                                                 .commands = UINT64_MAX });
    strcpy(body.device[0].driver, "physics");
    body.device[0].base = 1;
    body.joint[0] = (struct robo_joint){ .name = "root", .parent = ROBO_WORLD };
    body.link[0] = (struct robo_link){
        .name = "body", .mass = 10, .com = { 0, 0, 0.25 }, .inertia = { 0.3, 0.3, 0.3, 0, 0, 0 }
    };
    body.shape[0] = (struct robo_shape){ .kind = ROBO_SHAPE_BOX,
                                         .size = { 0.4, 0.4, 0.4 },
                                         .position = { 0, 0, 0.25 } };
}

static void add_sensor(const char *kind, double z, uint16_t count, double high)
{
    struct robo_sensor *s = &body.sensor[body.sensors++];
    *s = (struct robo_sensor){ .position = { 0, 0, z }, .count = count, .low = 0, .high = high };
    snprintf(s->name, sizeof s->name, "%s", kind);
    snprintf(s->kind, sizeof s->kind, "%s", kind);
}

static void open_slider(const struct robo_thing *thing, size_t count)
{
    open_sensing(&VIRTUAL);
    assert_int_equal(robo_surround(world, thing, count), 0);
}

/* What the robot meets up to 10 m along a ray from 0, 0 at that height: turned to the left, then downwards. */
static double look(double z, double left, double down)
{
    const struct robo__surroundings *s = robo__surroundings_of(world);
    const struct robo__ray ray = {
        .from = { 0, 0, z }, .along = { cos(down) * cos(left), cos(down) * sin(left), -sin(down) }
    };
    double range = 10;
    s->kind->rays(s, robot, &ray, 1, &range);
    return range;
}

static unsigned sense(unsigned sensor, double value[ROBO_MAX_READING])
{
    struct robo_reading reading;
    assert_int_equal(
        robo_sense(robot, sensor, 0, &reading, sizeof reading, value, ROBO_MAX_READING), 1);
    return reading.count;
}

static double *speeds_of_ball(struct robo__mechanics *now)
{
    const int joint = now->engine->mj_name2id(now->model, mjOBJ_JOINT, "thing/ball");
    assert_true(joint >= 0);
    return now->data->qvel + now->model->jnt_dofadr[joint];
}

static struct robo_cmd speed(double x, double y, double theta)
{
    return (struct robo_cmd){ .op = ROBO_SET_SPEED,
                              .start = ROBO_AT_ONCE,
                              .body.set_speed = { .x = x, .y = y, .theta = theta } };
}

FIXTURE(NULL, close_it);

TEST(a_ray_is_as_long_as_the_way_to_what_it_meets)
{
    make_slider();
    const struct robo_thing things[] = { box(5, 0, 0.5, 0), box(-5, 0, 0.5, M_PI / 4) };
    open_slider(things, 2);
    assert_float_equal(look(0.25, 0, 0), 4.5, 1e-9); /* the robot itself is not in the way */
    assert_float_equal(look(0.25, 0.1, 0), 4.5 / cos(0.1), 1e-9);
    assert_float_equal(look(0.25, 0.12, 0), 10, 1e-9); /* 4.5 m tan 0.12 is more than half a box */
    assert_float_equal(look(0.25, M_PI, 0), 5 - sqrt(0.5), 1e-9);
    assert_float_equal(look(0.25, M_PI / 2, 0.1), 0.25 / sin(0.1), 1e-9); /* the floor */
}

TEST(what_is_painted_is_not_met)
{
    make_slider();
    struct robo_thing thing = box(5, 0, 0.5, 0);
    thing.painted = 1;
    open_slider(&thing, 1);
    assert_float_equal(look(0.25, 0, 0), 10, 1e-9);
}

TEST(who_is_inside_of_something_meets_it_at_once)
{
    make_slider();
    const struct robo_thing thing = box(0, 0, 3, 0);
    open_slider(&thing, 1);
    assert_float_equal(look(3, 1, 0), 0, 1e-12);
    assert_float_equal(look(2, 0, -M_PI / 2), 0.5, 1e-9);
}

TEST(a_scan_is_of_one_instant_and_misses_nothing)
{
    double value[ROBO_MAX_READING];
    make_slider();
    add_sensor("laser", 0.25, 181, 8);
    body.sensor[0].fov = M_PI;
    const struct robo_thing thing = box(5, 0, 0.5, 0);
    open_slider(&thing, 1);
    assert_int_equal(sense(0, value), 181);
    for (int i = 0; i < 181;
         i++) { /* a degree from one to the next; 0.5 / 4.5 is the tangent of 6.3 */
        const double expected = abs(i - 90) <= 6 ? 4.5 / cos((i - 90) * M_PI / 180) : 8;
        assert_float_equal(value[i], expected, 1e-9);
    }
}

TEST(a_ball_that_rolls_is_seen_nearer)
{
    make_slider();
    const struct robo_thing thing = ball();
    open_slider(&thing, 1);
    assert_float_equal(look(0.1, 0, 0), 1.9, 1e-3);
    struct robo__simulation *s = robo__simulation_of(world);
    double *v = speeds_of_ball(robo__simulation_lock(s));
    v[0] = -1;      /* m/s */
    v[4] = -1 / .1; /* as it rolls, rad/s */
    robo__simulation_unlock(s);
    run_for(1);
    /* what stops it from rolling is 0.01 of its weight, which 7/5 of its mass bear: 0.07 m/s2 */
    assert_float_equal(look(0.1, 0, 0), 1.9 - 1 + 0.5 * 0.01 * G * 5 / 7, 0.01);
}

TEST(what_is_pushed_away_is_seen_where_it_is)
{
    make_slider();
    const struct robo_thing thing = { .shape = ROBO_SHAPE_BOX,
                                      .size = { 0.4, 0.4, 0.4 },
                                      .position = { 1, 0, 0.2 },
                                      .mass = 1,
                                      .friction = 0.5 };
    open_slider(&thing, 1);
    assert_float_equal(look(0.25, 0, 0), 0.8, 1e-3);
    give(speed(0.5, 0, 0));
    run_for(3); /* its front is at 0.6 m after 0.8 m / (0.5 m/s) */
    const double front = seen().pose[0] + 0.2;
    assert_true(front > 1);
    assert_float_equal(look(0.25, 0, 0), front, 0.01);
}

TEST(what_stands_around_anew_is_met)
{
    make_slider();
    const struct robo_thing far = box(5, 0, 0.5, 0), near = box(3, 0, 0.5, 0);
    open_slider(&far, 1);
    assert_float_equal(look(0.25, 0, 0), 4.5, 1e-9);
    assert_int_equal(robo_surround(world, &near, 1), 0);
    assert_float_equal(look(0.25, 0, 0), 2.5, 1e-9);
    assert_int_equal(robo_surround(world, NULL, 0), 0);
    assert_float_equal(look(0.25, 0, 0), 10, 1e-9);
}

/* Others of the same world: one with weight, as its shapes are, and one without, as a cylinder of 0.2 m. */
TEST(robots_see_each_other)
{
    struct robo_description other, cheap = base_robot("cheap", "sim");
    struct robo_link root = { .name = "root", .position = { -3, 0, 0 } };
    robo_robot *heavy = NULL, *light = NULL;
    make_slider();
    open_slider(NULL, 0);
    memset(&other, 0, sizeof other);
    copy_description(&other, &body);
    strcpy(other.name, "other");
    other.link[0].position[0] = 2;
    cheap.links = 1;
    cheap.link = &root;
    assert_int_equal(robo_add(world, &other, &heavy), 0);
    assert_int_equal(robo_add(world, &cheap, &light), 0);
    assert_float_equal(look(0.25, 0, 0), 1.8, 1e-9);
    assert_float_equal(look(0.25, M_PI, 0), 2.8, 1e-9);
    robo_robot *first = robot;
    robot = light; /* it sees those with weight, and not itself */
    const struct robo__surroundings *s = robo__surroundings_of(world);
    const struct robo__ray ray = { .from = { -3, 0, 0.25 }, .along = { 1, 0, 0 } };
    double range = 10;
    s->kind->rays(s, light, &ray, 1, &range);
    assert_float_equal(range, 2.8, 1e-9);
    robot = first;
    robo_release(heavy);
    robo_release(light);
}

TEST(a_bumper_feels_what_it_touches_on_that_side)
{
    double value[ROBO_MAX_READING];
    make_slider();
    add_sensor("bumper", 0, 4,
               1); /* behind on the right, ahead on the right, and so round to the left */
    body.sensor[0].attitude[2] = M_PI / 4;
    const struct robo_thing wall = box(0, 1, 0.5, 0);
    open_slider(&wall, 1);
    assert_int_equal(sense(0, value), 4);
    for (int i = 0; i < 4; i++)
        assert_float_equal(value[i], 0, 0);
    give(speed(0, 0.3, 0));
    run_for(3);
    assert_float_equal(seen().pose[1], 0.3, 0.01); /* 0.5 m to the wall, half of which it is wide */
    sense(0, value);
    /* parts of a quarter each, from behind the sensor, which looks 45 degrees to the left of the robot: the left is in the third */
    assert_float_equal(value[0], 0, 0);
    assert_float_equal(value[1], 0, 0);
    assert_float_equal(value[2], 1, 0);
    assert_float_equal(value[3], 0, 0);
    give(speed(0, -0.3, 0));
    run_for(1);
    sense(0, value);
    assert_float_equal(value[2], 0, 0);
}

/* A beam across a gap of 0.6 m, ahead of the robot, and a ball that comes into it. */
TEST(a_beam_is_broken_by_what_rolls_into_it)
{
    double value[ROBO_MAX_READING];
    make_slider();
    add_sensor("beam", 0.1, 1, 0.6);
    body.sensor[0].position[0] = 1;
    body.sensor[0].position[1] = 0.3;
    body.sensor[0].attitude[2] = -M_PI / 2;
    const struct robo_thing thing = ball();
    open_slider(&thing, 1);
    sense(0, value);
    assert_float_equal(value[0], 0, 0);
    struct robo__simulation *s = robo__simulation_of(world);
    double *v = speeds_of_ball(robo__simulation_lock(s));
    v[0] = -1;
    v[4] = -1 / .1;
    robo__simulation_unlock(s);
    run_for(1); /* it is at 1.03 m then, see above */
    sense(0, value);
    assert_float_equal(value[0], 1, 0);
    run_for(1);
    sense(0, value);
    assert_float_equal(value[0], 0, 0);
}

/* A robot without weight, as a cylinder of 0.2 m. */
TEST(a_base_without_weight_stops_before_one_that_has_some)
{
    struct robo_description cheap = base_robot("cheap", "sim");
    struct robo_link root = { .name = "root", .position = { -2, 0, 0 } };
    robo_robot *light = NULL;
    struct robo_state there;
    make_slider();
    open_slider(NULL, 0);
    cheap.links = 1;
    cheap.link = &root;
    for (int i = 0; i < 3; i++)
        cheap.base_speed[i] = cheap.base_acceleration[i] = 1;
    assert_int_equal(robo_add(world, &cheap, &light), 0);
    robo_robot *first = robot;
    static const struct robo__session_request direct;
    char why[128];
    robo__session_close(session);
    robot = light;
    assert_int_equal(
        robo__session_open(light, NULL, &direct, NULL, NULL, robo_now(world), &session, why), 0);
    give((struct robo_cmd){
        .op = ROBO_GO_TO, .start = ROBO_AT_ONCE, .body.go_to = { .x = 3, .theta = 0 } });
    run_for(8);
    robo_read(light, &there, sizeof there);
    /* the box of 0.4 m is taken for the cylinder around it */
    assert_float_equal(there.pose[0], -0.2 - 0.2 * sqrt(2), 0.02);
    robot = first;
    robo_release(light);
}

TEST(nobody_is_in_the_physics_any_more)
{
    const struct robo_description cheap = base_robot("cheap", "sim");
    robo_robot *light = NULL;
    make_slider();
    const struct robo_thing thing = box(5, 0, 0.5, 0);
    open_slider(&thing, 1);
    assert_int_equal(robo_add(world, &cheap, &light), 0);
    robo_remove(robot);
    robo_robot *first = robot;
    robot = light;
    assert_float_equal(look(0.25, 0, 0), 4.5, 1e-9); /* the simple world still is */
    robot = first;
    robo_release(light);
}
