/* Links whose shapes are meshes: what touches them touches the convex hull of their triangles. */
#include "physics_robot.h"
#include "../described.h"

static const double UPRIGHT[1][3] = { { 0, 0, 1 } };

/* Four legs of 1 m that meet above: as a hull it is a pyramid, between whose legs nothing fits. */
static const char TRESTLE[] = "v 1 1 0\nv -1 1 0\nv -1 -1 0\nv 1 -1 0\nv 0 0 1\n"
                              "v .9 1 0\nv -.9 1 0\nv -.9 -1 0\nv .9 -1 0\nv 0 0 .9\n"
                              "f 1 5 6\nf 6 5 10\nf 5 1 10\nf 10 1 6\n"
                              "f 2 7 5\nf 7 10 5\nf 5 10 2\nf 10 7 2\n"
                              "f 3 5 8\nf 8 5 10\nf 5 3 10\nf 10 3 8\n"
                              "f 4 9 5\nf 9 10 5\nf 5 10 4\nf 10 9 4\n";

static struct robo_description shaped;
static robo_mesh *mesh;

/* An arm whose first link, which stands fast at 0, 0, 1, is so many times that mesh, half as large and upright, seen alone or solid;
 * boxed: and a solid box. */
static void open_boxed(unsigned times, bool solid, bool known, bool boxed)
{
    char why[256];
    int error;
    robo_body *body;
    mesh = robo_mesh_read(TRESTLE, sizeof TRESTLE - 1, &error, why);
    assert_non_null(mesh);
    shaped = make_arm(1, UPRIGHT);
    shaped.link[0].position[2] = 1;
    shaped.shapes = (uint16_t)times;
    for (unsigned i = 0; i < times; i++)
        shaped.shape[i] = (struct robo_shape){ .kind = ROBO_SHAPE_MESH,
                                               .solid = solid,
                                               .file = "trestle.obj",
                                               .size = { 0.5, 0.5, 0.5 } };
    if (boxed)
        shaped.shape[shaped.shapes++] =
            (struct robo_shape){ .kind = ROBO_SHAPE_BOX, .solid = 1, .size = { 1, 1, 1 } };
    assert_int_equal(robo_body_make(&shaped, &body, NULL), 0);
    for (unsigned i = 0; known && i < times; i++)
        assert_int_equal(robo_body_set_mesh(body, i, mesh), 0);
    robo_mesh_release(mesh);
    world = robo_open(&VIRTUAL);
    assert_non_null(world);
    assert_int_equal(robo_add_drivers(world), 0);
    error = robo_add_body(world, body, &robot);
    robo_body_release(body);
    assert_int_equal(error, 0);
}

static void open_trestle(unsigned times, bool solid, bool known)
{
    open_boxed(times, solid, known, false);
}

static int close_it(void **state)
{
    robo_release(robot);
    robo_close(world);
    robot = NULL;
    world = NULL;
    return 0;
}

static struct robo__mechanics *look_at_model(void)
{
    struct robo__mechanics *now = robo__simulation_lock(robo__simulation_of(world));
    robo__simulation_unlock(robo__simulation_of(world));
    return now;
}

/* Where a box lies that fell onto the middle of the trestle, above its floor. */
static double fallen(void)
{
    static const struct robo_thing BOX = { .name = "box",
                                           .shape = ROBO_SHAPE_BOX,
                                           .size = { 0.2, 0.2, 0.2 },
                                           .position = { 0, 0, 2 },
                                           .mass = 1 };
    assert_int_equal(robo_surround(world, &BOX, 1), 0);
    run_for(1);
    const struct robo__mechanics *now = look_at_model();
    const int joint = robo__simulation_find(now, mjOBJ_JOINT, "thing", "box");
    return now->data->qpos[now->model->jnt_qposadr[joint] + 2];
}

FIXTURE(NULL, close_it);

/* A box of 0.2 m stands on its peak at 1.5 m, or on the floor. */
TEST(a_link_is_touched_where_its_mesh_is)
{
    open_trestle(1, true, true);
    assert_float_equal(fallen(), 1.6, 0.005);
}

TEST(without_a_solid_shape_what_is_seen_touches)
{
    open_trestle(1, false, true);
    assert_float_equal(fallen(), 1.6, 0.005);
}

TEST(a_mesh_of_which_there_is_but_a_name_touches_nothing)
{
    open_trestle(1, true, false);
    assert_float_equal(fallen(), 0.1, 0.005);
}

/* A box for collisions is seen, in group 0, where the mesh of its link is but a name. */
TEST(solid_shapes_are_seen_where_a_look_is_lost, NULL)
{
    for (int known = 0; known < 2; known++) {
        unsigned boxes = 0;
        open_boxed(1, false, known, true);
        const mjModel *m = look_at_model()->model;
        for (int i = 0; i < m->ngeom; i++) {
            if (m->geom_type[i] != mjGEOM_BOX)
                continue;
            assert_int_equal(m->geom_group[i], known ? 3 : 0);
            boxes++;
        }
        assert_int_equal(boxes, 1);
        close_it(state);
    }
}

TEST(shapes_of_one_mesh_share_its_file)
{
    open_trestle(2, true, true);
    const mjModel *m = look_at_model()->model;
    assert_int_equal(m->nmesh, 2);
    assert_int_equal(m->mesh_vertnum[0], 10);
    assert_float_equal(fallen(), 1.6, 0.005);
}

TEST(a_body_takes_triangles_for_its_meshes_alone)
{
    open_trestle(1, true, true);
    robo_body *body = described_body(robot);
    assert_int_equal(robo_body_set_mesh(body, 1, mesh), ROBO_EINVAL);
    assert_ptr_equal(robo_body_mesh(body, 0), mesh);
    assert_null(robo_body_mesh(body, 1));
    shaped.shape[0].kind = ROBO_SHAPE_BOX;
    robo_body *other;
    assert_int_equal(robo_body_make(&shaped, &other, NULL), 0);
    assert_int_equal(robo_body_set_mesh(other, 0, mesh), ROBO_EINVAL);
    robo_body_release(other);
}

static int need_engine(void **state)
{
    char why[256];
    if (!robo__engine(why)) {
        puts(why);
        exit(EXIT_SUCCESS);
    }
    return 0;
}

ONCE(need_engine, NULL);
