/* What a world is furnished with: what is refused of it, what is kept, and what the simple simulation makes of it. */
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "../test.h"
#include "../base_robot.h"
#include "robot/world/scenery.h"
#include "robot/reports.h"
#include "robotalk.h"
#include "robotalk/description.h"

static robo_world *world;

static const struct robo_thing BOX = { .shape = ROBO_SHAPE_BOX, .size = { 1, 1, 1 } };
static const struct robo_light LAMP = { .position = { 0, 0, 2 }, .direction = { 0, 0, -1 } };

static int begin(void **state)
{
    world = robo_open(
        &(struct robo_options){ .size = sizeof(struct robo_options), .virtual_clock = 1 });
    assert_non_null(world);
    assert_int_equal(robo_add_drivers(world), 0);
    return 0;
}

static int end(void **state)
{
    robo_close(world);
    return 0;
}

static int furnish(struct robo_scenery room)
{
    room.size = sizeof room;
    return robo_furnish(world, &room);
}

static int surround(struct robo_thing thing)
{
    return robo_surround(world, &thing, 1);
}

FIXTURE(begin, end);

TEST(what_cannot_be_is_refused_and_nothing_changes)
{
    struct robo_thing t = BOX;
    assert_int_equal(surround(t), 0);
    char name[65];
    memset(name, 'a', 64);
    name[64] = 0;
#define REFUSED(part, value)                          \
    do {                                              \
        struct robo_thing bad = BOX;                  \
        bad.part = value;                             \
        assert_int_equal(surround(bad), ROBO_EINVAL); \
    } while (0)
    REFUSED(shape, ROBO_SHAPE_MESH); /* without one */
    REFUSED(shape, ROBO_SHAPE_KINDS);
    REFUSED(size[1], 0);
    REFUSED(size[2], NAN);
    REFUSED(size[2], 9e-6);
    REFUSED(size[0], 1.1e6);
    REFUSED(position[0], 1e7);
    REFUSED(position[2], NAN);
    REFUSED(attitude[1], INFINITY);
    REFUSED(mass, -1);
    REFUSED(mass, NAN);
    REFUSED(mass, 1e7);
    REFUSED(friction, 11);
    REFUSED(part_of, 1); /* of itself */
    REFUSED(name, name);
    struct robo_thing parts[3] = { BOX, BOX, BOX };
    parts[1].part_of = 1;
    assert_int_equal(robo_surround(world, parts, 3), 0);
    parts[2].part_of = 2; /* a part of a part */
    assert_int_equal(robo_surround(world, parts, 3), ROBO_EINVAL);
    struct robo_light dark = LAMP;
    dark.direction[2] = 0;
    assert_int_equal(furnish((struct robo_scenery){ .light = &dark, .lights = 1 }), ROBO_EINVAL);
    assert_int_equal(furnish((struct robo_scenery){ .gravity = NAN }), ROBO_EINVAL);
    assert_int_equal(furnish((struct robo_scenery){ .step = 0.1 }), ROBO_EINVAL);
    assert_int_equal(furnish((struct robo_scenery){ .floor_texture = 3 }), ROBO_EINVAL);
    assert_int_equal(furnish((struct robo_scenery){ .floor_friction = -1 }), ROBO_EINVAL);
    assert_int_equal(furnish((struct robo_scenery){ .things = 4097, .thing = &t }), ROBO_ELIMIT);
    assert_int_equal(furnish((struct robo_scenery){ .lights = 17, .light = &LAMP }), ROBO_ELIMIT);
    assert_int_equal(furnish((struct robo_scenery){ .things = 1 }), ROBO_EINVAL);
    assert_int_equal(robo_furnish(world, NULL), ROBO_EINVAL);
    assert_int_equal(robo_furnish(world, &(struct robo_scenery){ 0 }), ROBO_EINVAL);
    assert_int_equal(robo__scenery_of(world)->things, 3); /* the last that was good */
}

TEST(why_it_is_refused_is_said)
{
    char why[256] = "nothing";
    struct robo_thing things[3] = { BOX, BOX, BOX };
    things[1].name = "#1"; /* as things without a name are called */
    assert_int_equal(
        furnish((struct robo_scenery){ .thing = things, .things = 3, .gravity = 1, .why = why }),
        ROBO_EINVAL);
    assert_string_equal(why, "thing #1: expected one that can be");
    assert_int_equal(furnish((struct robo_scenery){ .step = 1, .why = why }), ROBO_EINVAL);
    assert_string_equal(why, "floor, gravity or step: expected what can be");
    assert_int_equal(furnish((struct robo_scenery){ .lights = 17, .light = &LAMP, .why = why }),
                     ROBO_ELIMIT);
    assert_string_equal(why, "expected at most 4096 things and 16 lights");
    things[1].name = NULL;
    assert_int_equal(furnish((struct robo_scenery){ .thing = things, .things = 3, .why = why }), 0);
    assert_string_equal(why, "expected at most 4096 things and 16 lights"); /* untouched */
    assert_null(robo__scenery_of(world)->why);
}

/* ---- two that are refused at the same time ---- */

/* What refuses all that is put behind it, and sees whether it is asked by two at once. */
static struct strict {
    struct robo__surroundings surroundings;
    atomic_int asked, most;
} strict;

static int refuse(struct robo__surroundings *s, char why[256])
{
    const int asked = atomic_fetch_add(&strict.asked, 1) + 1;
    if (asked > atomic_load(&strict.most))
        atomic_store(&strict.most, asked);
    for (int i = 0; i < 100; i++)
        sched_yield();
    atomic_fetch_sub(&strict.asked, 1);
    snprintf(why, 256, "it is full");
    return ROBO_EDEVICE;
}

static void keep(struct robo__surroundings *s)
{
}

static void *furnish_often(void *result)
{
    char why[256];
    const struct robo_scenery room = {
        .size = sizeof room, .thing = &BOX, .things = 1, .gravity = 2, .why = why
    };
    int *good = result;
    for (int i = 0; i < 50; i++) {
        why[0] = 0;
        *good += robo_furnish(world, &room) == ROBO_EDEVICE && strcmp(why, "it is full") == 0;
    }
    return NULL;
}

TEST(what_is_refused_by_two_leaves_what_stood_there)
{
    static const struct robo__surroundings_kind kind = { .renew = refuse, .free = keep };
    pthread_t thread[2];
    int good[2] = { 0 };
    char why[256];
    assert_int_equal(furnish((struct robo_scenery){ .gravity = 1 }), 0);
    const struct robo_scenery *before = robo__scenery_of(world);
    const struct robo__surroundings *scene = robo__surroundings_of(world);
    strict = (struct strict){ .surroundings = { .kind = &kind } };
    assert_int_equal(robo__surround(world, &strict.surroundings, why), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, furnish_often, &good[i]), 0);
    for (int i = 0; i < 2; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(good[i], 50);
    }
    assert_int_equal(atomic_load(&strict.most), 1);
    assert_ptr_equal(robo__scenery_of(world), before);
    assert_ptr_equal(atomic_load(&strict.surroundings.older), scene);
}

TEST(what_was_given_is_kept_as_a_copy)
{
    assert_null(robo__scenery_of(world));
    char name[] = "crate";
    struct robo_thing things[2] = { BOX, { .shape = ROBO_SHAPE_SPHERE, .size = { 0.1 } } };
    struct robo_light light = LAMP;
    things[0].name = name;
    things[1].mass = 0.25;
    assert_int_equal(furnish((struct robo_scenery){ .thing = things,
                                                    .things = 2,
                                                    .light = &light,
                                                    .lights = 1,
                                                    .gravity = 1.62,
                                                    .step = 0.001 }),
                     0);
    const struct robo_scenery *before = robo__scenery_of(world);
    const struct robo_thing *first = before->thing;
    memset(name, '?', sizeof name - 1);
    memset(things, 0, sizeof things);
    memset(&light, 0, sizeof light);
    assert_int_equal(furnish((struct robo_scenery){ .gravity = -1 }), 0);
    assert_int_equal(before->things, 2);
    assert_string_equal(first[0].name, "crate"); /* also when the world was furnished anew */
    assert_null(first[1].name);
    assert_true(first[1].mass == 0.25);
    assert_int_equal(robo__scenery_of(world)->things, 0);
    assert_true(robo__scenery_of(world)->gravity == -1);
}

static robo_robot *seer(void)
{
    robo_robot *robot = robo_find(world, "seer");
    const struct robo_description d = base_robot("seer", "sim");
    if (!robot)
        assert_int_equal(robo_add(world, &d, &robot), 0);
    return robot;
}

/* How far a ray gets. */
static double range(double x, double y, double z, double dx, double dy, double dz)
{
    const struct robo__ray ray = { { x, y, z }, { dx, dy, dz } };
    const struct robo__surroundings *s = robo__surroundings_of(world);
    double way = 100;
    robo_robot *robot = seer();
    s->kind->rays(s, robot, &ray, 1, &way);
    robo_release(robot);
    return way;
}

static double depth(double x, double y)
{
    const struct robo__trunk trunk = { x, y, 0.2, 0, 0.3 };
    const struct robo__surroundings *s = robo__surroundings_of(world);
    robo_robot *robot = seer();
    const double in = s->kind->depth(s, robot, &trunk, robo_now(world), NULL);
    robo_release(robot);
    return in;
}

/* A plate that rises along x by 30 degrees: its upper face goes through x = 0 at z = 0.5. */
TEST(a_plate_that_leans_is_seen_as_it_is)
{
    const double tilt = -M_PI / 6, thick = 0.1;
    struct robo_thing plate = { .shape = ROBO_SHAPE_BOX,
                                .size = { 4, 1, thick },
                                .attitude = { 0, tilt, 0 } };
    plate.position[2] = 0.5 - thick / 2 / cos(tilt); /* straight below its face */
    assert_int_equal(surround(plate), 0);
    assert_float_equal(range(0, 0, 3, 0, 0, -1), 2.5, 1e-9);
    /* along x: the face is z = 0.5 + x tan 30 degrees */
    assert_float_equal(range(-3, 0, 0.25, 1, 0, 0), 3 - 0.25 / tan(M_PI / 6), 1e-9);
    /* beside it: by its upright box, which ends at y = 0.5 */
    assert_float_equal(range(0, 3, 0.5 - thick / 2 / cos(tilt), 0, -1, 0), 2.5, 1e-9);
    assert_float_equal(range(0, 0.6, 3, 0, 0, -1), 3, 1e-9); /* the floor */
}

TEST(what_leans_is_in_the_way_as_the_upright_box_around_it)
{
    struct robo_thing plate = { .shape = ROBO_SHAPE_BOX,
                                .size = { 4, 1, 0.1 },
                                .position = { 0, 0, 1 },
                                .attitude = { 0, -M_PI / 6, 0 } };
    assert_int_equal(surround(plate), 0);
    const double reach = 2 * cos(M_PI / 6) + 0.05 * sin(M_PI / 6);
    assert_float_equal(depth(-2.5, 0), 0.2 - (2.5 - reach), 1e-9);
    assert_float_equal(depth(0, 1), 0.2 - 0.5, 1e-9);
    /* the same turned about z: a cylinder that lies along y */
    struct robo_thing roll = { .shape = ROBO_SHAPE_CYLINDER,
                               .size = { 0.3, 2 },
                               .position = { 0, 0, 0.3 },
                               .attitude = { M_PI / 2, 0, 0 } };
    assert_int_equal(surround(roll), 0);
    assert_float_equal(depth(0, 1.5), 0.2 - 0.5, 1e-9);
    assert_float_equal(depth(1, 0), 0.2 - 0.7, 1e-9);
    roll.attitude[2] = M_PI / 2; /* along -x then */
    assert_int_equal(surround(roll), 0);
    assert_float_equal(depth(1.5, 0), 0.2 - 0.5, 1e-9);
    assert_float_equal(range(0, 0, 3, 0, 0, -1), 2.4, 1e-9);
}

TEST(a_mesh_is_the_box_around_it_and_the_world_holds_it)
{
    static const char text[] = "v 0 0 0\nv 2 0 0\nv 0 1 0\nv 0 0 3\n"
                               "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    char why[256];
    int error;
    struct robo_thing thing = { .shape = ROBO_SHAPE_MESH,
                                .size = { 0.5, 1, 1 },
                                .position = { 4, 0, 0 },
                                .attitude = { 0, 0, M_PI / 2 },
                                .mesh = robo_mesh_read(text, sizeof text - 1, &error, why) };
    assert_non_null(thing.mesh);
    assert_int_equal(surround(thing), 0);
    robo_mesh_release(thing.mesh);
    /* a box from x = 3 to 4, y = 0 to 1 */
    assert_float_equal(range(0, 0.5, 1, 1, 0, 0), 3, 1e-9);
    assert_float_equal(range(3.5, 5, 1, 0, -1, 0), 4, 1e-9);
    assert_float_equal(depth(2.5, 0.5), 0.2 - 0.5, 1e-9);
    assert_int_equal(robo_surround(world, NULL, 0), 0);
}

TEST(what_is_painted_is_in_nobodys_way)
{
    struct robo_thing line = BOX;
    line.painted = 1;
    assert_int_equal(surround(line), 0);
    assert_float_equal(range(-3, 0, 0.25, 1, 0, 0), 100, 1e-9);
    assert_true(depth(0, 0) < -1e9);
}

/* Numbers are those of core/robot/world/scenery.c. */
TEST(a_sky_goes_from_its_top_to_the_horizon)
{
    struct robo_scenery room = { .size = sizeof room, .sky = { 0x204060ff, 0xe0c0a0ff } };
    assert_int_equal(robo__scenery_sky(&room, 1), 0x204060);
    assert_int_equal(robo__scenery_sky(&room, 0), 0xe0c0a0);
    assert_int_equal(robo__scenery_sky(&room, -1), 0xe0c0a0);
    assert_int_equal(robo__scenery_sky(&room, 0.5), 0x506070); /* three quarters of the way */
    room.sky[0] = 0;
    assert_int_equal(robo__scenery_sky(&room, 1),
                     0xe0c0a0); /* one colour is said, and is all of it */
    room.sky[0] = 0x204060ff, room.sky[1] = 0;
    assert_int_equal(robo__scenery_sky(&room, 0), 0x204060);
    room.sky[0] = 0;
    assert_int_equal(robo__scenery_sky(&room, 1), robo__scenery_sky(NULL, 1));
    assert_int_not_equal(robo__scenery_sky(NULL, 1), robo__scenery_sky(NULL, 0));
}
