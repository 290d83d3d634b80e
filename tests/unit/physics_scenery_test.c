/* What a world is furnished with, as MuJoCo has it: held to what mechanics says of it. */
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "body/shape.h"
#include "physics/lights.h"
#include "physics/scenery.h"
#include "robotalk.h"

static const double STEP = 0.002; /* s */

static const struct robo__engine *e;
static mjVFS *files;
static mjModel *m;
static mjData *d;
static char why[512];

static int begin(void **state)
{
    e = robo__engine(why);
    assert_non_null(e);
    files = malloc(sizeof *files);
    assert_non_null(files);
    e->mj_defaultVFS(files);
    return 0;
}

static void let_go(void)
{
    if (d)
        e->mj_deleteData(d);
    if (m)
        e->mj_deleteModel(m);
    e->mj_deleteVFS(files);
    d = NULL;
    m = NULL;
}

static int end(void **state)
{
    let_go();
    free(files);
    return 0;
}

/* Loads a room; false: MuJoCo has refused it, and why. */
static bool is_loaded(const struct robo_scenery *room)
{
    struct robo__draft text = { 0 };
    let_go();
    robo__draft_add(&text,
                    "<mujoco><compiler angle=\"radian\" autolimits=\"true\"/>"
                    "<option timestep=\"%g\" gravity=\"0 0 %.17g\" integrator=\"implicit\"/>",
                    STEP, -robo__scenery_gravity(room));
    robo__scenery_add(&text, room);
    robo__draft_add(&text, "</mujoco>");
    assert_false(text.failed);
    assert_int_equal(robo__scenery_add_files(e, room, files), 0);
    assert_int_equal(e->mj_makeEmptyFileVFS(files, "m.xml", (int)text.length), 0);
    memcpy(files->filedata[e->mj_findFileVFS(files, "m.xml")], text.bytes, text.length);
    m = e->mj_loadXML("m.xml", files, why, sizeof why);
    d = m ? e->mj_makeData(m) : NULL;
    robo__draft_free(&text);
    return d != NULL;
}

static void load(const struct robo_thing *things, size_t count)
{
    const struct robo_scenery room = { .size = sizeof room, .things = count, .thing = things };
    if (!is_loaded(&room))
        fail_msg("%s", why);
}

static void run(double seconds)
{
    for (int i = 0; i < seconds / STEP; i++)
        e->mj_step(m, d);
}

static const double *position_of(const char *name)
{
    const int body = e->mj_name2id(m, mjOBJ_BODY, name);
    assert_true(body > 0);
    e->mj_forward(m, d);
    return d->xpos + 3 * body;
}

/* A plate that rises along x by that angle; its upper face goes through 0, 0, 5. */
static struct robo_thing slope(double angle, double friction)
{
    const double thick = 0.1;
    return (
        struct robo_thing){ .shape = ROBO_SHAPE_BOX,
                            .size = { 20, 2, thick },
                            .position = { thick / 2 * sin(angle), 0, 5 - thick / 2 * cos(angle) },
                            .attitude = { 0, -angle, 0 },
                            .friction = friction };
}

/* Where something is whose middle is that high above the face, in its middle. */
static void put_on(struct robo_thing *thing, double angle, double high)
{
    thing->position[0] = -high * sin(angle);
    thing->position[1] = 0;
    thing->position[2] = 5 + high * cos(angle);
}

/* How far it has slid or rolled down. */
static double way_down(const char *name, double angle, double high)
{
    const double *p = position_of(name);
    return -((p[0] + high * sin(angle)) * cos(angle) + (p[2] - 5 - high * cos(angle)) * sin(angle));
}

FIXTURE(begin, end);

/* A ball that rolls without sliding: a = 5/7 g (sin - c cos), with the coefficient c of rolling, a hundredth. */
TEST(a_ball_rolls_down_a_ramp_as_mechanics_says)
{
    const double angle = 0.2, g = 9.80665, a = 5 / 7. * g * (sin(angle) - 0.01 * cos(angle));
    struct robo_thing things[2] = {
        slope(angle, 1), { .name = "ball", .shape = ROBO_SHAPE_SPHERE, .size = { 0.1 }, .mass = 2 }
    };
    put_on(&things[1], angle, 0.1);
    load(things, 2);
    run(0.2); /* it settles, and is on its way */
    const double before = way_down("thing/ball", angle, 0.1);
    const double speed = -(d->qvel[0] * cos(angle) + d->qvel[2] * sin(angle));
    run(1);
    const double want = speed + a / 2, got = way_down("thing/ball", angle, 0.1) - before;
    assert_float_equal(got, want, 0.01 * want);
}

/* One that lies across rolls with its moment about its axis. */
TEST(a_capsule_rolls_down_a_ramp_as_mechanics_says)
{
    const double angle = 0.2, g = 9.80665, r = 0.1;
    struct robo_thing things[2] = { slope(angle, 1),
                                    { .name = "pill",
                                      .shape = ROBO_SHAPE_CAPSULE,
                                      .size = { r, 0.3 },
                                      .attitude = { M_PI / 2, 0, 0 },
                                      .mass = 2 } };
    double moment[3];
    robo__shape_moments(ROBO_SHAPE_CAPSULE, things[1].size, 2, moment);
    const double a = g * (sin(angle) - 0.01 * cos(angle)) / (1 + moment[2] / (2 * r * r));
    put_on(&things[1], angle, r);
    load(things, 2);
    run(0.2);
    const double before = way_down("thing/pill", angle, r);
    const double speed = -(d->qvel[0] * cos(angle) + d->qvel[2] * sin(angle));
    run(1);
    const double want = speed + a / 2, got = way_down("thing/pill", angle, r) - before;
    assert_float_equal(got, want, 0.01 * want);
}

/* It is let fall upright, a little aslant, and falls over. */
TEST(a_capsule_comes_to_rest_on_its_side)
{
    const struct robo_thing pill = { .name = "pill",
                                     .shape = ROBO_SHAPE_CAPSULE,
                                     .size = { 0.05, 0.2 },
                                     .position = { 0, 0, 0.2 },
                                     .attitude = { 0.1, 0, 0 },
                                     .mass = 0.3 };
    load(&pill, 1);
    run(20);
    assert_float_equal(position_of("thing/pill")[2], 0.05, 1e-3);
    assert_float_equal(d->xmat[9 + 8], 0, 0.01); /* its axis is level */
    for (int i = 0; i < 6; i++)
        assert_float_equal(d->qvel[i], 0, 0.01);
}

static int by_value(const void *one, const void *other)
{
    const double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

/* The volume and the moments that MuJoCo has of a geom are those of our formulas. */
TEST(moments_are_those_of_the_engine)
{
    for (unsigned shape = 0; shape < ROBO_SHAPE_KINDS; shape++) {
        const struct robo_thing thing = { .name = "thing",
                                          .shape = (uint8_t)shape,
                                          .size = { 0.3, 0.7, 1.1 },
                                          .position = { 0, 0, 2 },
                                          .mass = 3 };
        double moment[3];
        if (shape == ROBO_SHAPE_MESH)
            continue;
        load(&thing, 1);
        robo__shape_moments(shape, thing.size, 3, moment);
        qsort(moment, 3, sizeof moment[0], by_value);
        qsort(m->body_inertia + 3, 3, sizeof moment[0], by_value);
        for (int i = 0; i < 3; i++)
            assert_float_equal(m->body_inertia[3 + i], moment[i], 1e-9);
    }
}

/* How far a box slides in the second second. */
static double slide(double angle, double friction)
{
    struct robo_thing things[2] = { slope(angle, friction),
                                    { .name = "box",
                                      .shape = ROBO_SHAPE_BOX,
                                      .size = { 0.4, 0.3, 0.1 },
                                      .attitude = { 0, -angle, 0 },
                                      .mass = 3,
                                      .friction = friction } };
    put_on(&things[1], angle, 0.05);
    load(things, 2);
    run(1);
    const double before = way_down("thing/box", angle, 0.05);
    run(1);
    return way_down("thing/box", angle, 0.05) - before;
}

/* From rest it goes a t^2 / 2 with a = g (sin - mu cos): three halves of a in the second second. */
TEST(a_box_slides_from_the_friction_angle_on)
{
    const double friction = 0.5, angle = atan(friction), g = 9.80665;
    assert_float_equal(slide(angle - 0.02, friction), 0, 2e-3); /* soft contacts creep */
    for (double beyond = 0.02; beyond < 0.5; beyond *= 3) {
        const double a = g * (sin(angle + beyond) - friction * cos(angle + beyond));
        assert_float_equal(slide(angle + beyond, friction), 1.5 * a, 0.01 * 1.5 * a);
    }
}

TEST(a_stack_stands)
{
    struct robo_thing boxes[6];
    char names[6][8];
    for (int i = 0; i < 6; i++) {
        snprintf(names[i], sizeof names[i], "box%d", i);
        boxes[i] = (struct robo_thing){ .name = names[i],
                                        .shape = ROBO_SHAPE_BOX,
                                        .size = { 0.05, 0.05, 0.05 },
                                        .position = { 0.005 * (i % 2), 0, 0.025 + 0.05 * i },
                                        .mass = 0.08 };
    }
    load(boxes, 6);
    run(5);
    for (int i = 0; i < 6; i++) {
        char name[16];
        snprintf(name, sizeof name, "thing/box%d", i);
        const double *p = position_of(name);
        assert_float_equal(p[0], boxes[i].position[0], 2e-3);
        assert_float_equal(p[1], 0, 2e-3);
        assert_float_equal(p[2], boxes[i].position[2], 2e-3);
    }
}

/* A post and a plate on it are one body, which falls over as one: their masses add up. */
TEST(parts_are_one_body)
{
    const struct robo_thing things[3] = {
        { .name = "post",
          .shape = ROBO_SHAPE_CYLINDER,
          .size = { 0.05, 1 },
          .position = { 1, 0, 0.5 },
          .mass = 2 },
        { .shape = ROBO_SHAPE_BOX, .size = { 1, 1, 1 }, .position = { 0, 9, 0.5 } },
        { .shape = ROBO_SHAPE_BOX,
          .size = { 0.4, 0.4, 0.02 },
          .position = { 1.1, 0, 1.01 },
          .attitude = { 0, 0, 0.3 },
          .mass = 1,
          .part_of = 1 },
    };
    load(things, 3);
    assert_int_equal(m->nbody, 2);
    assert_int_equal(m->nv, 6);
    assert_float_equal(m->body_mass[1], 3, 1e-9);
    e->mj_forward(m, d);
    const int plate = e->mj_name2id(m, mjOBJ_GEOM, "thing/#2");
    assert_true(plate >= 0);
    for (int i = 0; i < 3; i++)
        assert_float_equal(d->geom_xpos[3 * plate + i], things[2].position[i], 1e-9);
    assert_float_equal(d->geom_xmat[9 * plate + 3], sin(0.3), 1e-9);
    assert_float_equal(d->xipos[3], 1 + 0.1 / 3, 1e-9); /* the centre of mass of both */
}

/* As published models have it: a shape that is seen, with a mass or without, around one that is touched. */
TEST(parts_that_are_painted_weigh_what_they_say)
{
    struct robo_thing things[3] = {
        { .name = "mug",
          .shape = ROBO_SHAPE_BOX,
          .size = { 0.1, 0.1, 0.1 },
          .position = { 0, 0, 1 },
          .mass = 2 },
        { .shape = ROBO_SHAPE_SPHERE,
          .size = { 0.2 },
          .position = { 0, 0, 1 },
          .painted = 1,
          .part_of = 1 },
        { .shape = ROBO_SHAPE_BOX,
          .size = { 0.3, 0.02, 0.02 },
          .position = { 0, 0, 1.04 },
          .part_of = 1 },
    };
    load(things, 3);
    assert_float_equal(m->body_mass[1], 2, 1e-12);
    run(3);
    assert_float_equal(position_of("thing/mug")[2], 0.05, 1e-3); /* it stands on what is touched */
    end(NULL);
    begin(NULL);
    things[1].mass = 0.5;
    load(things, 3);
    assert_float_equal(m->body_mass[1], 2.5, 1e-12);
}

TEST(what_is_painted_touches_nothing)
{
    const struct robo_thing things[2] = {
        { .shape = ROBO_SHAPE_BOX, .size = { 4, 4, 0.001 }, .position = { 0, 0, 1 }, .painted = 1 },
        { .name = "ball",
          .shape = ROBO_SHAPE_SPHERE,
          .size = { 0.1 },
          .position = { 0, 0, 2 },
          .mass = 1 },
    };
    load(things, 2);
    run(3);
    assert_float_equal(position_of("thing/ball")[2], 0.1, 1e-3); /* on the floor */
    const double from[3] = { 0.5, 0, 2 }, down[3] = { 0, 0, -1 };
    mjtByte groups[mjNGROUP] = { 1, 1, 1, 1, 1, 1 };
    int met;
    assert_float_equal(e->mj_ray(m, d, from, down, groups, 1, -1, &met), 1, 1e-3);
    groups[ROBO__ROOM_PAINT] = 0;
    assert_float_equal(e->mj_ray(m, d, from, down, groups, 1, -1, &met), 2, 1e-9);
}

static robo_mesh *mesh_of(const char *text)
{
    int error;
    robo_mesh *mesh = robo_mesh_read(text, strlen(text), &error, why);
    if (!mesh)
        fail_msg("%s", why);
    return mesh;
}

/* A pyramid whose faces go the wrong way round, and an open one, are bodies too: what touches touches the hull. */
TEST(meshes_are_bodies)
{
    robo_mesh *pyramid = mesh_of("v -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nv 0 0 1\n"
                                 "f 4 3 2 1\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n");
    robo_mesh *inside_out = mesh_of("v -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nv 0 0 1\n"
                                    "f 1 2 3 4\nf 2 1 5\nf 2 3 5\nf 4 3 5\nf 4 1 5\n");
    robo_mesh *open = mesh_of("v -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nv 0 0 1\n"
                              "f 1 2 5\nf 2 3 5\nf 3 4 5\n");
    struct robo_thing things[5] = {
        { .shape = ROBO_SHAPE_MESH, .size = { 1, 1, 1 }, .mesh = pyramid },
        { .shape = ROBO_SHAPE_MESH,
          .size = { 1, 1, 2 },
          .position = { 4, 0, 0 },
          .mesh = inside_out },
        { .shape = ROBO_SHAPE_MESH, .size = { 1, 1, 1 }, .position = { 8, 0, 0 }, .mesh = open },
        { .name = "top",
          .shape = ROBO_SHAPE_MESH,
          .size = { 0.1, 0.1, 0.1 },
          .position = { 2, 2, 0.05 },
          .attitude = { 0, 0, 1 },
          .mesh = pyramid,
          .mass = 0.5 },
        { .name = "again",
          .shape = ROBO_SHAPE_MESH,
          .size = { 0.1, 0.1, 0.1 },
          .position = { 2, 4, 0.05 },
          .mesh = inside_out,
          .mass = 0.5 },
    };
    load(things, 5);
    const double high[3] = { 1, 2, 1 };
    e->mj_forward(m, d);
    for (int i = 0; i < 3;
         i++) { /* rays meet the faces themselves, which may be open: beside the middle */
        const double from[3] = { 4 * i, -0.25, 3 }, down[3] = { 0, 0, -1 };
        int met;
        assert_float_equal(e->mj_ray(m, d, from, down, NULL, 1, -1, &met), 3 - 0.75 * high[i],
                           1e-6);
    }
    run(2);
    /* they have come to rest on their bases: the centre of mass of a pyramid is a quarter of the way up */
    e->mj_forward(m, d);
    for (int body = 1; body <= 2; body++)
        assert_float_equal(d->xipos[3 * body + 2], 0.025, 2e-3);
    robo_mesh_release(pyramid);
    robo_mesh_release(inside_out);
    robo_mesh_release(open);
}

TEST(a_room_may_have_little_gravity_or_none)
{
    const struct robo_thing ball = {
        .shape = ROBO_SHAPE_SPHERE, .size = { 0.1 }, .position = { 0, 0, 5 }, .mass = 1
    };
    struct robo_scenery room = {
        .size = sizeof room, .things = 1, .thing = &ball, .gravity = 1.62
    };
    assert_true(is_loaded(&room));
    run(1);
    assert_float_equal(d->qvel[2], -1.62, 1e-9);
    room.gravity = -1;
    assert_true(is_loaded(&room));
    run(1);
    assert_float_equal(d->qpos[2], 5, 1e-9);
    assert_true(robo__scenery_gravity(NULL) == 9.80665);
}

TEST(floors_lights_and_names_are_what_the_room_says)
{
    const struct robo_thing thing = { .name = "a <b> & \"c\"",
                                      .shape = ROBO_SHAPE_BOX,
                                      .size = { 1, 1, 1 },
                                      .position = { 0, 0, 0.5 },
                                      .colour = 0xff800080 };
    const struct robo_light lights[2] = {
        { .position = { 1, 2, 3 }, .direction = { 0, 0, -2 }, .colour = 0xff0000ff },
        { .direction = { 1, 0, -1 }, .sun = 1 },
    };
    struct robo_scenery room = { .size = sizeof room,
                                 .things = 1,
                                 .thing = &thing,
                                 .lights = 2,
                                 .light = lights,
                                 .floor_friction = 0.3 };
    for (uint32_t texture = ROBO_FLOOR_PLAIN; texture <= ROBO_FLOOR_STRIPES; texture++) {
        room.floor_texture = texture;
        if (!is_loaded(&room))
            fail_msg("%s", why);
        assert_int_equal(m->nlight, 2);
        assert_int_equal(m->light_directional[1], 1);
        assert_true(m->light_cutoff[0] >= 60);            /* the lamp fills a room */
        assert_float_equal(m->light_diffuse[1], 0, 1e-6); /* of the red one */
        assert_int_equal(m->nmat, texture == ROBO_FLOOR_PLAIN ? 0 : 1);
        const int floor = e->mj_name2id(m, mjOBJ_GEOM, "floor");
        assert_true(floor >= 0);
        assert_float_equal(m->geom_friction[3 * floor], 0.3, 1e-12);
        const int box = e->mj_name2id(m, mjOBJ_GEOM, "thing/a <b> & \"c\"");
        assert_true(box >= 0);
        assert_float_equal(m->geom_rgba[4 * box + 3], 128 / 255., 1e-3);
    }
    let_go();
    struct robo__draft text = { 0 };
    robo__scenery_add(&text, NULL); /* no room was said */
    assert_non_null(text.bytes);
    assert_non_null(strstr(text.bytes, "floor"));
    robo__draft_free(&text);
}

/* 2 m below a lamp that fades by 3 % of a square metre's light for each of its distance, the floor has 1 / 1.12 of it; all lamps together
 * light it with 0.38 (drivers/physics/lights.c). */
TEST(lamps_together_light_the_floor_no_more_than_a_camera_takes)
{
    struct robo_light lights[16];
    for (int i = 0; i < 16; i++)
        lights[i] = (struct robo_light){ .position = { 0, 0, 2 }, .direction = { 0, 0, -1 } };
    struct robo_scenery room = { .size = sizeof room, .lights = 1, .light = lights };
    assert_float_equal(robo__lights_exposure(&room), 0.38 * 1.12, 1e-12);
    room.lights = 16;
    assert_float_equal(robo__lights_exposure(&room), 0.38 * 1.12 / 16, 1e-12);
    room.lights = 1;
    lights[0].colour = 0x400000ff; /* a quarter of it or so is as dark as it was said to be */
    assert_true(robo__lights_exposure(&room) == 1);
    lights[0] = (struct robo_light){ .direction = { 0, 3, -4 }, .sun = 1 };
    assert_float_equal(robo__lights_exposure(&room), 0.38 / 0.8, 1e-12);
    lights[0].direction[2] = 4; /* upwards: it lights no floor */
    assert_true(robo__lights_exposure(&room) == 1);
    lights[0] = (struct robo_light){ .position = { 0, 0, 2 }, .direction = { 1, 0, 0 } };
    assert_true(robo__lights_exposure(&room) == 1); /* what is below it is beside its cone */
}
