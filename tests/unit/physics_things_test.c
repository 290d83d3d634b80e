/* What stands and lies in a world of physics: it pushes, slides, falls and stops who drives into it. A robot is there too, far away,
 * since a world without one has no physics. */
#include "physics_body.h"

static const double UPRIGHT[1][3] = { { 0, 0, 1 } };

static void open_far_away(void)
{
    body = make_arm(1, UPRIGHT);
    body.link[0].position[0] = 50;
    open_it();
}

static void furnish(const struct robo_thing *thing, size_t things, double gravity)
{
    const struct robo_scenery room = {
        .size = sizeof room, .thing = thing, .things = things, .gravity = gravity
    };
    assert_int_equal(robo_furnish(world, &room), 0);
}

/* Position and speed of something that moves: their addresses stay until the world is furnished anew. */
static void find(const char *name, double **position, double **speed)
{
    struct robo__simulation *s = robo__simulation_of(world);
    struct robo__mechanics *now = robo__simulation_lock(s);
    const int joint = robo__simulation_find(now, mjOBJ_JOINT, "thing", name);
    assert_true(joint >= 0);
    *position = now->data->qpos + now->model->jnt_qposadr[joint];
    *speed = now->data->qvel + now->model->jnt_dofadr[joint];
    robo__simulation_unlock(s);
}

FIXTURE(NULL, close_it);

TEST(balls_keep_their_momentum)
{
    static const struct robo_thing BALLS[] = {
        { .name = "a",
          .shape = ROBO_SHAPE_SPHERE,
          .size = { 0.1 },
          .position = { 0, 0, 1 },
          .mass = 1 },
        { .name = "b",
          .shape = ROBO_SHAPE_SPHERE,
          .size = { 0.1 },
          .position = { 1, 0.05, 1 },
          .mass = 2 },
    };
    double *at[2], *v[2];
    open_far_away();
    furnish(BALLS, 2, -1); /* no weight */
    find("a", &at[0], &v[0]);
    find("b", &at[1], &v[1]);
    v[0][0] = 2;
    v[1][0] = -0.5;
    run_for(1);
    assert_true(fabs(v[0][0] - 2) > 0.5); /* they have met, off their middles */
    assert_true(fabs(v[0][1]) > 0.05);
    for (int i = 0; i < 3; i++)
        assert_float_equal(1 * v[0][i] + 2 * v[1][i], i == 0 ? 1 * 2 - 2 * 0.5 : 0, 1e-9);
}

/* A box on a ramp of that angle: how far it has slid after a second, when it lay still at first. */
static double slide_at(double angle)
{
    struct robo_thing things[] = {
        { .name = "ramp",
          .shape = ROBO_SHAPE_BOX,
          .size = { 8, 2, 0.2 },
          .position = { 0, 0, 4 },
          .attitude = { 0, angle, 0 },
          .friction = 0.5 },
        { .name = "box",
          .shape = ROBO_SHAPE_BOX,
          .size = { 0.3, 0.3, 0.1 },
          .attitude = { 0, angle, 0 },
          .mass = 1,
          .friction = 0.5 },
    };
    const double n[3] = { sin(angle), 0, cos(angle) };
    double *at, *v, from[3];
    for (int i = 0; i < 3; i++)
        things[1].position[i] = things[0].position[i] + 0.15 * n[i];
    open_far_away();
    furnish(things, 2, 0);
    find("box", &at, &v);
    memcpy(from, at, sizeof from);
    run_for(1);
    const double way = hypot(at[0] - from[0], at[2] - from[2]);
    close_world();
    return way;
}

/* tan(26.57 degrees) is 0.5. */
TEST(a_box_slides_beyond_the_angle_of_friction, NULL)
{
    const double steep = 32 * M_PI / 180;
    assert_true(slide_at(24 * M_PI / 180) < 0.03); /* contacts creep a little */
    const double way = G * (sin(steep) - 0.5 * cos(steep)) / 2;
    assert_float_equal(slide_at(steep), way, 0.1 * way);
}

TEST(what_moves_stays_where_it_is_when_robots_come)
{
    static const struct robo_thing BALL = {
        .shape = ROBO_SHAPE_SPHERE, .size = { 0.1 }, .position = { 0, 0, 5 }, .mass = 1
    };
    struct robo_description more = make_arm(1, UPRIGHT);
    double *at, *v;
    robo_robot *other;
    open_far_away();
    furnish(&BALL, 1, 0);
    run_for(0.5);
    find("#0", &at, &v);
    const double height = at[2], speed = v[2];
    assert_float_equal(speed, -G * 0.5, 0.02);
    strcpy(more.name, "more");
    more.link[0].position[0] = 60;
    assert_int_equal(robo_add(world, &more, &other), 0);
    find("#0", &at, &v);
    assert_true(at[2] == height && v[2] == speed);
    /* a room that is said anew is as it is said */
    furnish(&BALL, 1, 0);
    find("#0", &at, &v);
    assert_true(at[2] == 5 && v[2] == 0);
    robo_release(other);
}

TEST(a_wall_ends_the_way_of_a_base)
{
    static const struct robo_thing WALL = { .shape = ROBO_SHAPE_BOX,
                                            .size = { 0.1, 4, 1 },
                                            .position = { 1, 0, 0.5 } };
    make_base(&body);
    add_wheel(&body, 0, 0.2, 0);
    add_wheel(&body, 0, -0.2, 0);
    add_caster(&body);
    open_it();
    assert_int_equal(robo_surround(world, &WALL, 1), 0);
    const uint32_t id = give(
        (struct robo_cmd){ .op = ROBO_GO_TO, .start = ROBO_AT_ONCE, .body.go_to = { .x = 3 } });
    run_for(30);
    EXPECT(id, ERROR, BLOCKED);
    /* its front, 0.15 m ahead of its frame, or its wheels, 0.1 m, is at the wall */
    assert_float_equal(seen().pose[0], 0.95 - 0.15, 0.03);
}
