/* Room for what touches: there is enough of it, and memory goes for what is used. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../test.h"
#include "physics/touches.h"
#include "robotalk.h"

static const struct robo__engine *engine;

/* So many of these shapes, which touch in layers of a hundred, above a floor. */
static mjModel *heap_of(int count, const char *shape, double apart)
{
    static char text[200000];
    static mjVFS files;
    char why[256] = "";
    int n = snprintf(text, sizeof text,
                     "<mujoco><size nconmax=\"1\" njmax=\"1\"/><worldbody>"
                     "<geom type=\"plane\" size=\"0 0 1\"/>");
    for (int i = 0; i < count; i++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "<body pos=\"%g %g %g\"><freejoint/><geom %s/></body>", apart * (i % 10),
                      apart * (i / 10 % 10), 0.1 + apart * (i / 100), shape);
    snprintf(text + n, sizeof text - (size_t)n, "</worldbody></mujoco>");
    engine = robo__engine(why);
    assert_non_null(engine);
    engine->mj_defaultVFS(&files);
    assert_int_equal(engine->mj_makeEmptyFileVFS(&files, "m.xml", (int)strlen(text)), 0);
    memcpy(files.filedata[engine->mj_findFileVFS(&files, "m.xml")], text, strlen(text));
    mjModel *model = engine->mj_loadXML("m.xml", &files, why, sizeof why);
    engine->mj_deleteVFS(&files);
    assert_non_null(model);
    return model;
}

static const char *const BALL = "type=\"sphere\" size=\".1\" condim=\"6\" friction=\"1 .01 .001\"",
                         *const BOX = "type=\"box\" size=\".1 .1 .1\"";

/* Bytes of memory that this process has now. */
static double resident(void)
{
    long pages = 0, all;
    FILE *f = fopen("/proc/self/statm", "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%ld %ld", &all, &pages), 2);
    fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

TEST(memory_goes_for_what_touches)
{
    mjModel *m = heap_of(300, BALL, 0.21);
    const double before = resident();
    mjData *d = robo__touches_data(engine, m);
    assert_non_null(d);
    assert_true(m->njmax > 20000); /* by their square that were 5 GB */
    assert_true(resident() - before < 16e6);
    engine->mj_resetData(m, d);
    assert_true(resident() - before < 16e6);
    robo__touches_delete(engine, d);
    engine->mj_deleteModel(m);
}

TEST(twice_as_much_has_twice_the_room)
{
    int room[2];
    for (int i = 0; i < 2; i++) {
        mjModel *m = heap_of(200 + 200 * i, BOX, 0.21);
        mjData *d = robo__touches_data(engine, m);
        assert_non_null(d);
        room[i] = m->nconmax;
        assert_true(m->njmax >= 4 * m->nconmax);
        robo__touches_delete(engine, d);
        engine->mj_deleteModel(m);
    }
    assert_true(room[0] > 2000 && room[1] > 1.9 * room[0] && room[1] <= 2 * room[0]);
}

/* On the floor and on each other; apart: of their middles. */
static void crowd(const char *shape, int count, double apart, int contacts)
{
    mjModel *m = heap_of(count, shape, apart);
    mjData *d = robo__touches_data(engine, m);
    assert_non_null(d);
    for (int i = 0; i < 25; i++)
        engine->mj_step(m, d);
    assert_int_equal(d->warning[mjWARN_CONTACTFULL].number, 0);
    assert_int_equal(d->warning[mjWARN_CNSTRFULL].number, 0);
    assert_true(d->maxuse_con >= contacts);
    assert_true(d->maxuse_stack < d->nstack / 2);
    for (int i = 0; i < count; i++) /* on the floor, which gives a little */
        assert_true(d->qpos[7 * i + 2] > 0.09);
    robo__touches_delete(engine, d);
    engine->mj_deleteModel(m);
}

TEST(two_hundred_balls_stay_on_the_floor)
{
    crowd(BALL, 200, 0.2001, 200);
}

TEST(so_do_boxes)
{
    crowd(BOX, 20, 0.199, 80);
}

TEST(a_step_is_the_same_to_the_bit)
{
    for (int count = 5; count <= 20; count += 15) { /* dense matrices, and sparse ones */
        mjModel *m = heap_of(count, BOX, 0.199), *same = heap_of(count, BOX, 0.199);
        mjData *d = robo__touches_data(engine, m);
        same->nconmax = 500;
        same->njmax = 2000;
        same->nstack = 3000000;
        mjData *plain = engine->mj_makeData(same);
        assert_non_null(d);
        assert_non_null(plain);
        for (int i = 0; i < 25; i++) {
            engine->mj_step(m, d);
            engine->mj_step(same, plain);
            assert_memory_equal(d->qpos, plain->qpos, (size_t)m->nq * sizeof(mjtNum));
            assert_memory_equal(d->qvel, plain->qvel, (size_t)m->nv * sizeof(mjtNum));
        }
        assert_true(d->maxuse_con > 4);
        engine->mj_deleteData(plain);
        engine->mj_deleteModel(same);
        robo__touches_delete(engine, d);
        engine->mj_deleteModel(m);
    }
}
