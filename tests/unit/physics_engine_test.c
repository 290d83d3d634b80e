/* MuJoCo as the physics has it: loaded when it is first used, and never the end of the program. */
#include <math.h>
#include <string.h>

#include "../test.h"
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

/* What a text describes, as it begins. */
struct scene {
    const struct robo__engine *e;
    mjModel *m;
    mjData *d;
};

static struct scene open_scene(const char *text)
{
    char why[256] = "";
    struct scene s = { .e = robo__engine(why) };
    assert_non_null(s.e);
    s.m = load(s.e, text, why, sizeof why);
    assert_non_null(s.m);
    s.d = s.e->mj_makeData(s.m);
    assert_non_null(s.d);
    return s;
}

static void close_scene(const struct scene *s)
{
    s->e->mj_deleteData(s->d);
    s->e->mj_deleteModel(s->m);
}

TEST(a_ball_falls_as_galileo_says)
{
    const struct scene s = open_scene(BALL);
    for (int i = 0; i < 100; i++)
        s.e->mj_step(s.m, s.d);
    const double t = 100 * s.m->opt.timestep, g = -s.m->opt.gravity[2];
    /* its speed is exact; its way is that of the speeds at the ends of the steps (semi-implicit Euler) */
    assert_float_equal(s.d->qvel[2], -g * t, 1e-9);
    assert_float_equal(s.d->qpos[2], 1 - g * t * (t + s.m->opt.timestep) / 2, 1e-9);
    close_scene(&s);
}

static const char *const CUBE_ON_TABLE =
    "<mujoco><compiler angle='radian'/><default><geom solref='.005 1' solimp='.95 .99 .001'/></default><worldbody>"
    "<body pos='.55 -.15 .775' euler='0 0 .4'><freejoint/><geom type='box' size='.025 .025 .025' mass='.08'/></body>"
    "<body><geom type='box' size='.8 .6 .025' pos='.3 0 .725'/></body></worldbody></mujoco>";

TEST(a_cube_that_lies_on_a_table_stays_there)
{
    const struct scene s = open_scene(CUBE_ON_TABLE);
    for (int i = 0; i < 5000; i++) {
        s.e->mj_step(s.m, s.d);
        for (int k = 0; k < s.d->ncon; k++) /* 0.0354 m: from the cube's middle to its edges */
            assert_true(hypot(s.d->contact[k].pos[0] - s.d->qpos[0],
                              s.d->contact[k].pos[1] - s.d->qpos[1]) < 0.036);
    }
    assert_float_equal(s.d->qpos[0], 0.55, 1e-4);
    assert_float_equal(s.d->qpos[1], -0.15, 1e-4);
    assert_float_equal(s.d->qpos[2], 0.775, 1e-4);
    close_scene(&s);
}

/* A cube, 0.2 mm deep in a pad on its left and in another one on its right, and turned by next to nothing. */
static const char *const CUBE_BETWEEN_PADS =
    "<mujoco><compiler angle='radian'/><worldbody><geom type='box' size='.01 .005 .02' pos='0 .0298 0'/>"
    "<body><freejoint/><geom type='box' size='.025 .025 .025'/></body>"
    "<body><geom type='box' size='.01 .005 .02' pos='0 -.0298 0'/></body></worldbody></mujoco>";

TEST(faces_that_press_on_one_another_are_as_deep_as_they_overlap)
{
    const struct scene s = open_scene(CUBE_BETWEEN_PADS);
    for (int i = 0; i < 27; i++) {
        s.d->qpos[4] = (i % 3 - 1) * 1e-7;
        s.d->qpos[5] = (i / 3 % 3 - 1) * 1e-7;
        s.d->qpos[6] = (i / 9 - 1) * 1e-7;
        s.e->mj_forward(s.m, s.d);
        assert_int_equal(s.d->ncon, 8);
        for (int k = 0; k < s.d->ncon; k++)
            assert_float_equal(s.d->contact[k].dist, -2e-4, 1e-7);
    }
    close_scene(&s);
}

TEST(a_bad_model_is_refused_in_words)
{
    char why[256] = "";
    const struct robo__engine *e = robo__engine(why);
    assert_non_null(e);
    assert_null(load(e, "<mujoco><worldbody><boddy/></worldbody></mujoco>", why, sizeof why));
    assert_non_null(strstr(why, "boddy"));
}

static void cast_nowhere(void *context)
{
    const struct scene *s = context;
    const double from[3] = { 0, 0, 0 }, nowhere[3] = { 0, 0, 0 };
    int met;
    s->e->mj_ray(s->m, s->d, from, nowhere, NULL, 1, -1, &met);
}

TEST(what_ends_other_programs_is_an_error_here)
{
    char why[256] = "";
    struct scene s = open_scene(BALL);
    assert_int_equal(robo__engine_try(cast_nowhere, &s, why), ROBO_EDEVICE);
    assert_non_null(strstr(why, "MuJoCo"));
    close_scene(&s);
}

TEST(what_mujoco_does_not_take_is_told_by_its_name)
{
    const struct robo__engine *e = robo__engine((char[256]){ 0 });
    static const char *const wrong[][2] = {
        { "<mujoco><worldbody><body name='rover/hull'><freejoint/><inertial mass='1' pos='0 0 0' "
          "fullinertia='-1 -1 -1 0 0 0'/></body></worldbody></mujoco>",
          "the physics cannot be built: hull of rover: error 'inertia must have positive "
          "eigenvalues' in inertia alternative" },
        { "<mujoco><worldbody><body name='crate'><freejoint/></body></worldbody></mujoco>",
          "the physics cannot be built: crate: mass and inertia of moving bodies must be larger "
          "than mjMINVAL" },
        { "<mujoco><world/></mujoco>",
          "the physics cannot be built: Schema violation: unrecognized element" },
    };
    assert_non_null(e);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char said[256] = "", why[256];
        assert_null(load(e, wrong[i][0], said, sizeof said));
        robo__engine_complain(said, why);
        assert_string_equal(why, wrong[i][1]);
    }
}
