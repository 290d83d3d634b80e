/* MuJoCo as the physics has it: loaded when it is first used, and never the end of the program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "physics/engine.h"
#include "robotalk.h"

static const char *const BALL = "<mujoco><worldbody><body pos='0 0 1'><freejoint/>"
                                "<geom type='sphere' size='.1'/></body></worldbody></mujoco>";

static mjModel *load(const struct robo__engine *e, const char *text, char *why, int room)
{
    static mjVFS files;
    e->mj_defaultVFS(&files);
    assert_int_equal(e->mj_makeEmptyFileVFS(&files, "m.xml", (int)strlen(text)), 0);
    memcpy(files.filedata[e->mj_findFileVFS(&files, "m.xml")], text, strlen(text));
    mjModel *model = e->mj_loadXML("m.xml", &files, why, room);
    e->mj_deleteVFS(&files);
    return model;
}

static void a_ball_falls_as_galileo_says(void **state)
{
    (void)state;
    char why[256] = "";
    const struct robo__engine *e = robo__engine(why);
    assert_non_null(e);
    mjModel *m = load(e, BALL, why, sizeof why);
    assert_non_null(m);
    mjData *d = e->mj_makeData(m);
    assert_non_null(d);
    for (int i = 0; i < 100; i++)
        e->mj_step(m, d);
    const double t = 100 * m->opt.timestep, g = -m->opt.gravity[2];
    /* its speed is exact; its way is that of the speeds at the ends of the steps (semi-implicit Euler) */
    assert_float_equal(d->qvel[2], -g * t, 1e-9);
    assert_float_equal(d->qpos[2], 1 - g * t * (t + m->opt.timestep) / 2, 1e-9);
    e->mj_deleteData(d);
    e->mj_deleteModel(m);
}

static const char *const CUBE_ON_TABLE =
    "<mujoco><compiler angle='radian'/><default><geom solref='.005 1' solimp='.95 .99 .001'/></default><worldbody>"
    "<body pos='.55 -.15 .775' euler='0 0 .4'><freejoint/><geom type='box' size='.025 .025 .025' mass='.08'/></body>"
    "<body><geom type='box' size='.8 .6 .025' pos='.3 0 .725'/></body></worldbody></mujoco>";

static void a_cube_that_lies_on_a_table_stays_there(void **state)
{
    (void)state;
    char why[256] = "";
    const struct robo__engine *e = robo__engine(why);
    assert_non_null(e);
    mjModel *m = load(e, CUBE_ON_TABLE, why, sizeof why);
    assert_non_null(m);
    mjData *d = e->mj_makeData(m);
    assert_non_null(d);
    for (int i = 0; i < 5000; i++) {
        e->mj_step(m, d);
        for (int k = 0; k < d->ncon; k++) /* 0.0354 m: from the cube's middle to its edges */
            assert_true(hypot(d->contact[k].pos[0] - d->qpos[0],
                              d->contact[k].pos[1] - d->qpos[1]) < 0.036);
    }
    assert_float_equal(d->qpos[0], 0.55, 1e-4);
    assert_float_equal(d->qpos[1], -0.15, 1e-4);
    assert_float_equal(d->qpos[2], 0.775, 1e-4);
    e->mj_deleteData(d);
    e->mj_deleteModel(m);
}

/* A cube, 0.2 mm deep in a pad on its left and in another one on its right, and turned by next to nothing. */
static const char *const CUBE_BETWEEN_PADS =
    "<mujoco><compiler angle='radian'/><worldbody><geom type='box' size='.01 .005 .02' pos='0 .0298 0'/>"
    "<body><freejoint/><geom type='box' size='.025 .025 .025'/></body>"
    "<body><geom type='box' size='.01 .005 .02' pos='0 -.0298 0'/></body></worldbody></mujoco>";

static void faces_that_press_on_one_another_are_as_deep_as_they_overlap(void **state)
{
    (void)state;
    char why[256] = "";
    const struct robo__engine *e = robo__engine(why);
    assert_non_null(e);
    mjModel *m = load(e, CUBE_BETWEEN_PADS, why, sizeof why);
    assert_non_null(m);
    mjData *d = e->mj_makeData(m);
    assert_non_null(d);
    for (int i = 0; i < 27; i++) {
        d->qpos[4] = (i % 3 - 1) * 1e-7;
        d->qpos[5] = (i / 3 % 3 - 1) * 1e-7;
        d->qpos[6] = (i / 9 - 1) * 1e-7;
        e->mj_forward(m, d);
        assert_int_equal(d->ncon, 8);
        for (int k = 0; k < d->ncon; k++)
            assert_float_equal(d->contact[k].dist, -2e-4, 1e-7);
    }
    e->mj_deleteData(d);
    e->mj_deleteModel(m);
}

static void a_bad_model_is_refused_in_words(void **state)
{
    (void)state;
    char why[256] = "";
    const struct robo__engine *e = robo__engine(why);
    assert_non_null(e);
    assert_null(load(e, "<mujoco><worldbody><boddy/></worldbody></mujoco>", why, sizeof why));
    assert_non_null(strstr(why, "boddy"));
}

struct ray {
    const struct robo__engine *e;
    mjModel *m;
    mjData *d;
};

static void cast_nowhere(void *context)
{
    struct ray *ray = context;
    const double from[3] = { 0, 0, 0 }, nowhere[3] = { 0, 0, 0 };
    int met;
    ray->e->mj_ray(ray->m, ray->d, from, nowhere, NULL, 1, -1, &met);
}

static void what_ends_other_programs_is_an_error_here(void **state)
{
    (void)state;
    char why[256] = "";
    const struct robo__engine *e = robo__engine(why);
    assert_non_null(e);
    struct ray ray = { .e = e, .m = load(e, BALL, why, sizeof why) };
    assert_non_null(ray.m);
    ray.d = e->mj_makeData(ray.m);
    assert_int_equal(robo__engine_try(cast_nowhere, &ray, why), ROBO_EDEVICE);
    assert_non_null(strstr(why, "MuJoCo"));
    e->mj_deleteData(ray.d);
    e->mj_deleteModel(ray.m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_falls_as_galileo_says),
        cmocka_unit_test(a_cube_that_lies_on_a_table_stays_there),
        cmocka_unit_test(faces_that_press_on_one_another_are_as_deep_as_they_overlap),
        cmocka_unit_test(a_bad_model_is_refused_in_words),
        cmocka_unit_test(what_ends_other_programs_is_an_error_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
