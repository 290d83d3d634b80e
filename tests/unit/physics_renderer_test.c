/* Pictures of a physics world. What is expected is the pinhole model's: a point that is x ahead and y to the left of a camera is seen
 * f * y / x left of the picture's middle, where f is half the width over the tangent of half the field of view, in pixels. */
#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "../memory.h"
#include "need_opengl.h"
#include "physics/renderer.h"
#include "robotalk.h"

static const double FOV = 60 * M_PI / 180;
enum { WIDTH = 320, HEIGHT = 240 };
static const double BALL[3] = { 2, 0.3, 0.6 }, RADIUS = 0.2, EYE = 0.5, WALL = 3.9;

/* A red ball before a blue wall on a gray floor; the other ball is green. Light comes from the camera alone. */
static const char *const MODEL =
    "<mujoco><worldbody>"
    "<geom name='floor' type='plane' size='20 20 .1' rgba='.5 .5 .5 1'/>"
    "<body name='ball' pos='2 .3 .6'><freejoint/>"
    "<geom name='ball' type='sphere' size='.2' rgba='%s 1'/></body>"
    "<geom name='wall' type='box' size='.1 3 1' pos='4 0 1' rgba='0 0 1 1'/>"
    "</worldbody></mujoco>";

static struct {
    const struct robo__engine *engine;
    mjModel *model[2];
    mjData *data[2];
    unsigned shown; /* which of the two; 2: none */
    struct robo__stage stage;
    struct robo__eye eye;
    unsigned begins, ends;
    pthread_mutex_t held; /* the stage begins without it */
} world = { .held = PTHREAD_MUTEX_INITIALIZER };

static mjModel *load(const char *colour)
{
    static mjVFS files;
    char text[1000], why[256];
    const struct robo__engine *e = world.engine;
    const int n = snprintf(text, sizeof text, MODEL, colour);
    e->mj_defaultVFS(&files);
    assert_int_equal(e->mj_makeEmptyFileVFS(&files, "m.xml", n), 0);
    memcpy(files.filedata[0], text, (size_t)n);
    mjModel *model = e->mj_loadXML("m.xml", &files, why, sizeof why);
    e->mj_deleteVFS(&files);
    if (!model)
        fail_msg("%s", why);
    return model;
}

static const mjModel *begin(void *context, mjData **data, uint64_t *generation)
{
    pthread_mutex_lock(&world.held);
    pthread_mutex_unlock(&world.held);
    world.begins += world.shown < 2;
    if (world.shown == 2)
        return NULL;
    *data = world.data[world.shown];
    *generation = 7 + world.shown;
    return world.model[world.shown];
}

static void end(void *context)
{
    world.ends++;
}

static void aim(void *context, const mjModel *model, const mjData *data, struct robo__eye *eye)
{
    *eye = world.eye;
}

static int set_up(void **state)
{
    char why[256] = "";
    world.engine = robo__engine(why);
    if (!world.engine)
        fail_msg("%s", why);
    world.stage = (struct robo__stage){ .begin = begin, .end = end };
    for (int i = 0; i < 2; i++) {
        world.model[i] = load(i ? "0 1 0" : "1 0 0");
        world.data[i] = world.engine->mj_makeData(world.model[i]);
        world.engine->mj_forward(world.model[i], world.data[i]);
    }
    return 0;
}

static int tear_down(void **state)
{
    for (int i = 0; i < 2 && world.data[i]; i++) {
        world.engine->mj_deleteData(world.data[i]);
        world.engine->mj_deleteModel(world.model[i]);
    }
    return 0;
}

/* Before each: the red ball, by a camera over the origin that looks ahead. */
static int look_ahead(void **state)
{
    world.shown = 0;
    world.eye = (struct robo__eye){ .position = { 0, 0, EYE },
                                    .axes = { 1, 0, 0, 0, 1, 0, 0, 0, 1 },
                                    .fov = FOV };
    return 0;
}

static struct robo__renderer *open_renderer(void)
{
    need_opengl();
    struct robo__renderer *r = robo__renderer_open(&world.stage);
    assert_non_null(r);
    return r;
}

/* Turns its camera to the left by that angle, rad. */
static void pan(double angle)
{
    const double s = sin(angle), c = cos(angle), axes[9] = { c, -s, 0, s, c, 0, 0, 0, 1 };
    memcpy(world.eye.axes, axes, sizeof axes);
}

static struct robo__shot shot_of(enum robo__seen what, unsigned width, unsigned height,
                                 void *pixels)
{
    return (struct robo__shot){
        .aim = aim, .what = what, .width = width, .height = height, .pixels = pixels
    };
}

static void draw(struct robo__renderer *r, enum robo__seen what, unsigned width, unsigned height,
                 void *pixels)
{
    char why[256] = "";
    const struct robo__shot shot = shot_of(what, width, height, pixels);
    if (robo__renderer_draw(r, &shot, why) < 0)
        fail_msg("%s", why);
}

static bool is_mostly(const uint8_t *pixel, int component)
{
    const int a = pixel[component], b = pixel[(component + 1) % 3], c = pixel[(component + 2) % 3];
    return a > 15 && a > 2 * b && a > 2 * c; /* a border is dark */
}

/* Where the pixels of a colour begin and end in the row and the column of the ball's middle. */
static void find_ball(const uint8_t *rgb, unsigned width, unsigned height, unsigned u, unsigned v,
                      int component, double edge[4])
{
    unsigned left = u, right = u, top = v, bottom = v;
    assert_true(is_mostly(rgb + 3 * (v * width + u), component));
    while (left > 0 && is_mostly(rgb + 3 * (v * width + left - 1), component))
        left--;
    while (right + 1 < width && is_mostly(rgb + 3 * (v * width + right + 1), component))
        right++;
    while (top > 0 && is_mostly(rgb + 3 * ((top - 1) * width + u), component))
        top--;
    while (bottom + 1 < height && is_mostly(rgb + 3 * ((bottom + 1) * width + u), component))
        bottom++;
    edge[0] = left, edge[1] = right + 1, edge[2] = top, edge[3] = bottom + 1;
}

/* Where the two borders of a ball are seen in a plane with the camera: that far ahead and aside, with that radius there. */
static void borders(double ahead, double aside, double radius, double f, double middle,
                    double edge[2])
{
    const double angle = atan2(aside, ahead), half = asin(radius / hypot(ahead, aside));
    edge[0] = middle - f * tan(angle + half);
    edge[1] = middle - f * tan(angle - half);
}

static void expect_ball(const uint8_t *rgb, unsigned width, unsigned height, int component,
                        double ahead, double left, double up, double fov)
{
    const double f = width / 2.0 / tan(fov / 2);
    const double u = width / 2.0 - f * left / ahead, v = height / 2.0 - f * up / ahead;
    double seen[4], want[4];
    find_ball(rgb, width, height, (unsigned)u, (unsigned)v, component, seen);
    /* the row through its middle is a plane that cuts the ball through its middle */
    borders(hypot(ahead, up), left, RADIUS, f / cos(atan2(up, ahead)), width / 2.0, want);
    borders(hypot(ahead, left), up, RADIUS, f / cos(atan2(left, ahead)), height / 2.0, want + 2);
    for (int i = 0; i < 4; i++)
        if (fabs(seen[i] - want[i]) > 1)
            fail_msg("border %d is at %.1f, and theory says %.2f", i, seen[i], want[i]);
}

FIXTURE(look_ahead, NULL);
ONCE(set_up, tear_down);

/* ---- the first picture: with it, OpenGL starts its threads ---- */

static int policy_that_drew;
static bool signals_that_drew;

static void aim_and_tell(void *context, const mjModel *model, const mjData *data,
                         struct robo__eye *eye)
{
    sigset_t blocked;
    policy_that_drew = sched_getscheduler(0);
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    signals_that_drew = !sigismember(&blocked, SIGTERM);
    aim(context, model, data, eye);
}

/* How many threads of the process have real-time priority. */
static int urgent_threads(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/task");
    assert_non_null(folder);
    for (const struct dirent *e; (e = readdir(folder)) != NULL;) {
        const int policy = e->d_name[0] == '.' ? SCHED_OTHER : sched_getscheduler(atoi(e->d_name));
        count += policy == SCHED_FIFO || policy == SCHED_RR;
    }
    closedir(folder);
    return count;
}

static void *do_nothing(void *arg)
{
    return arg;
}

TEST(whoever_wants_a_picture_no_thread_that_draws_is_urgent)
{
    uint8_t rgb[3 * 16 * 16];
    char why[256] = "";
    const struct sched_param urgent = { .sched_priority = 1 }, usual = { .sched_priority = 0 };
    pthread_t first; /* sanitizers start threads of their own with it */
    assert_int_equal(pthread_create(&first, NULL, do_nothing, NULL), 0);
    pthread_join(first, NULL);
    const int may = pthread_setschedparam(pthread_self(), SCHED_FIFO, &urgent) == 0;
    struct robo__renderer *r = robo__renderer_open(&world.stage);
    assert_non_null(r);
    struct robo__shot shot = shot_of(ROBO__SEEN_COLOUR, 16, 16, rgb);
    shot.aim = aim_and_tell;
    const int result = robo__renderer_draw(r, &shot, why);
    const int count = urgent_threads();
    pthread_setschedparam(pthread_self(), SCHED_OTHER, &usual);
    robo__renderer_close(r);
    if (result == ROBO_ESYSTEM)
        need_opengl();
    assert_int_equal(result, 0);
    assert_int_equal(count, may); /* its own, where that is permitted */
    assert_int_equal(policy_that_drew, SCHED_BATCH);
    assert_false(signals_that_drew);
}

/* ---- what is seen ---- */

TEST(a_ball_is_where_the_pinhole_model_says)
{
    static uint8_t rgb[3 * WIDTH * HEIGHT];
    struct robo__renderer *r = open_renderer();
    draw(r, ROBO__SEEN_COLOUR, WIDTH, HEIGHT, rgb);
    expect_ball(rgb, WIDTH, HEIGHT, 0, BALL[0], BALL[1], BALL[2] - EYE, FOV);
    const uint8_t *wall = rgb + 3 * (HEIGHT / 2 * WIDTH + WIDTH - 20);
    assert_true(is_mostly(wall, 2) && wall[2] > 180); /* it is light there */
    const uint8_t *floor = rgb + 3 * ((HEIGHT - 5) * WIDTH + WIDTH / 2);
    assert_true(floor[0] > 40 && floor[0] == floor[1] && floor[1] == floor[2]);
    robo__renderer_close(r);
}

TEST(it_is_so_after_a_pan_and_a_zoom)
{
    static uint8_t rgb[3 * WIDTH * HEIGHT];
    struct robo__renderer *r = open_renderer();
    const double angle = 0.3, up = BALL[2] - EYE;
    const double ahead = BALL[0] * cos(angle) + BALL[1] * sin(angle),
                 left = -BALL[0] * sin(angle) + BALL[1] * cos(angle);
    pan(angle);
    draw(r, ROBO__SEEN_COLOUR, WIDTH, HEIGHT, rgb);
    expect_ball(rgb, WIDTH, HEIGHT, 0, ahead, left, up, FOV);
    world.eye.fov = 0.5;
    draw(r, ROBO__SEEN_COLOUR, WIDTH, HEIGHT, rgb);
    expect_ball(rgb, WIDTH, HEIGHT, 0, ahead, left, up, 0.5);
    /* tilted down so far that the ball is above the middle, from nearer */
    const double tilt = 0.2, s = sin(tilt), c = cos(tilt);
    const double axes[9] = { c, 0, s, 0, 1, 0, -s, 0, c };
    memcpy(world.eye.axes, axes, sizeof axes);
    world.eye.position[0] = 0.5;
    world.eye.fov = 1.2;
    draw(r, ROBO__SEEN_COLOUR, WIDTH, HEIGHT, rgb);
    const double x = BALL[0] - 0.5;
    expect_ball(rgb, WIDTH, HEIGHT, 0, c * x - s * up, BALL[1], s * x + c * up, 1.2);
    robo__renderer_close(r);
}

TEST(depths_are_metres_ahead)
{
    static float depth[WIDTH * HEIGHT];
    struct robo__renderer *r = open_renderer();
    draw(r, ROBO__SEEN_DEPTH, WIDTH, HEIGHT, depth);
    const double f = WIDTH / 2.0 / tan(FOV / 2);
    /* the wall is a plane across the view: one depth all over */
    assert_float_equal(depth[HEIGHT / 2 * WIDTH + 10], WALL, 0.002);
    assert_float_equal(depth[60 * WIDTH + WIDTH - 10], WALL, 0.002);
    /* the floor, through the middle of the pixel */
    for (unsigned v = HEIGHT - 40; v < HEIGHT; v += 13)
        assert_float_equal(depth[v * WIDTH + 100], EYE * f / (v + 0.5 - HEIGHT / 2), 0.002);
    /* the ball, where a ray through its middle meets it: that much nearer than its middle */
    const double up = BALL[2] - EYE, way = sqrt(BALL[0] * BALL[0] + BALL[1] * BALL[1] + up * up);
    const unsigned u = WIDTH / 2 - f * BALL[1] / BALL[0], v = HEIGHT / 2 - f * up / BALL[0];
    assert_float_equal(depth[v * WIDTH + u], BALL[0] * (1 - RADIUS / way), 0.01);
    assert_true(isinf(depth[2 * WIDTH + 10])); /* above the wall */
    robo__renderer_close(r);
}

TEST(objects_are_known_by_their_numbers)
{
    static int32_t object[WIDTH * HEIGHT];
    struct robo__renderer *r = open_renderer();
    draw(r, ROBO__SEEN_OBJECTS, WIDTH, HEIGHT, object);
    const double f = WIDTH / 2.0 / tan(FOV / 2);
    const unsigned u = WIDTH / 2 - f * BALL[1] / BALL[0],
                   v = HEIGHT / 2 - f * (BALL[2] - EYE) / BALL[0];
    const int floor = world.engine->mj_name2id(world.model[0], mjOBJ_GEOM, "floor"),
              ball = world.engine->mj_name2id(world.model[0], mjOBJ_GEOM, "ball"),
              wall = world.engine->mj_name2id(world.model[0], mjOBJ_GEOM, "wall");
    assert_int_equal(object[v * WIDTH + u], ball);
    assert_int_equal(object[HEIGHT / 2 * WIDTH + WIDTH - 10], wall);
    assert_int_equal(object[(HEIGHT - 5) * WIDTH + 10], floor);
    assert_int_equal(object[2 * WIDTH + 10], -1);
    /* nothing between them: no pixel is a mixture */
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
        assert_in_range(object[i] + 1, 0, 3);
    robo__renderer_close(r);
}

TEST(pictures_of_several_sizes_come_one_after_the_other)
{
    static uint8_t first[3 * WIDTH * HEIGHT], again[3 * WIDTH * HEIGHT], large[12 * WIDTH * HEIGHT];
    struct robo__renderer *r = open_renderer();
    draw(r, ROBO__SEEN_COLOUR, WIDTH, HEIGHT, first);
    draw(r, ROBO__SEEN_COLOUR, 2 * WIDTH, 2 * HEIGHT, large);
    expect_ball(large, 2 * WIDTH, 2 * HEIGHT, 0, BALL[0], BALL[1], BALL[2] - EYE, FOV);
    draw(r, ROBO__SEEN_COLOUR, 100, 300, large); /* upright, and rows of no round length */
    expect_ball(large, 100, 300, 0, BALL[0], BALL[1], BALL[2] - EYE, FOV);
    draw(r, ROBO__SEEN_COLOUR, 33, 7, large);
    draw(r, ROBO__SEEN_COLOUR, WIDTH, HEIGHT, again);
    assert_memory_equal(first, again, sizeof first);
    robo__renderer_rest(r);
    memset(again, 0, sizeof again);
    draw(r, ROBO__SEEN_COLOUR, WIDTH, HEIGHT, again);
    assert_memory_equal(first, again, sizeof first);
    robo__renderer_close(r);
}

TEST(what_moves_is_seen_where_it_is_now)
{
    static uint8_t rgb[3 * WIDTH * HEIGHT];
    struct robo__renderer *r = open_renderer();
    mjData *d = world.data[0];
    for (int i = 0; i < 3; i++) {
        d->qpos[1] = BALL[1] - 0.25 * i;
        world.engine->mj_forward(world.model[0], d);
        draw(r, ROBO__SEEN_COLOUR, WIDTH, HEIGHT, rgb);
        expect_ball(rgb, WIDTH, HEIGHT, 0, BALL[0], d->qpos[1], BALL[2] - EYE, FOV);
    }
    d->qpos[1] = BALL[1];
    world.engine->mj_forward(world.model[0], d);
    robo__renderer_close(r);
}

TEST(another_model_is_drawn_from_the_next_picture_on)
{
    static uint8_t rgb[3 * WIDTH * HEIGHT];
    struct robo__renderer *r = open_renderer();
    for (unsigned i = 0; i < 4; i++) {
        world.shown = i % 2;
        draw(r, ROBO__SEEN_COLOUR, WIDTH, HEIGHT, rgb);
        expect_ball(rgb, WIDTH, HEIGHT, i % 2, BALL[0], BALL[1], BALL[2] - EYE, FOV);
    }
    robo__renderer_close(r);
}

TEST(one_thread_draws_for_several_worlds)
{
    static uint8_t rgb[2][3 * WIDTH * HEIGHT];
    struct robo__renderer *r[] = { open_renderer(), open_renderer() };
    for (unsigned i = 0; i < 4; i++)
        draw(r[i % 2], ROBO__SEEN_COLOUR, WIDTH, HEIGHT, rgb[i % 2]);
    assert_memory_equal(rgb[0], rgb[1], sizeof rgb[0]);
    robo__renderer_close(r[0]);
    memset(rgb[1], 0, sizeof rgb[1]);
    draw(r[1], ROBO__SEEN_COLOUR, WIDTH, HEIGHT, rgb[1]);
    assert_memory_equal(rgb[0], rgb[1], sizeof rgb[0]);
    robo__renderer_close(r[1]);
}

TEST(what_the_first_picture_needs_is_not_waited_for)
{
    static uint8_t rgb[3 * WIDTH * HEIGHT];
    struct robo__renderer *r = open_renderer();
    pthread_mutex_lock(&world.held);
    assert_false(robo__renderer_warm(r, WIDTH, HEIGHT, 0));
    assert_false(robo__renderer_warm(r, WIDTH, HEIGHT, 1000));
    pthread_mutex_unlock(&world.held);
    while (!robo__renderer_warm(r, WIDTH, HEIGHT, INT64_C(1000000000)))
        continue;
    world.shown = 2; /* and is there from now on */
    assert_true(robo__renderer_warm(r, WIDTH, HEIGHT, 0));
    world.shown = 0;
    draw(r, ROBO__SEEN_COLOUR, WIDTH, HEIGHT, rgb);
    robo__renderer_rest(r);
    world.shown = 2; /* where nothing is to be seen, nothing is waited for either */
    while (!robo__renderer_warm(r, WIDTH, HEIGHT, INT64_C(1000000000)))
        continue;
    robo__renderer_close(r);
}

TEST(what_cannot_be_drawn_is_said)
{
    uint8_t rgb[3];
    char why[256] = "";
    struct robo__renderer *r = open_renderer();
    struct robo__shot shot = shot_of(ROBO__SEEN_COLOUR, 0, 1, rgb);
    assert_int_equal(robo__renderer_draw(r, &shot, why), ROBO_EINVAL);
    shot.width = ROBO__MOST_SIDE + 1;
    assert_int_equal(robo__renderer_draw(r, &shot, why), ROBO_EINVAL);
    assert_string_equal(why, "a picture of 4097 x 1 pixels: want 1 to 4096 each");
    shot.width = 1;
    static const double bad[] = { 0, -1, M_PI, NAN };
    for (int i = 0; i < 4; i++) {
        world.eye.fov = bad[i];
        assert_int_equal(robo__renderer_draw(r, &shot, why), ROBO_EINVAL);
    }
    world.eye.fov = FOV;
    world.eye.position[2] = NAN;
    assert_int_equal(robo__renderer_draw(r, &shot, why), ROBO_EINVAL);
    world.eye.position[2] = EYE;
    world.shown = 2;
    assert_int_equal(robo__renderer_draw(r, &shot, why), ROBO_ENONE);
    assert_string_equal(why, "there is no model to be drawn");
    world.shown = 0;
    assert_int_equal(robo__renderer_draw(r, &shot, why), 0);
    assert_int_equal(world.begins, world.ends);
    robo__renderer_close(r);
}

/* ---- OpenGL that fails ---- */

static int failures, contexts;

static int error_of_gl(void)
{
    return failures > 0 ? (failures--, 0x0507) /* GL_CONTEXT_LOST */ : 0;
}

static void count_contexts(const mjModel *model, mjrContext *context, int font)
{
    contexts++;
    world.engine->mjr_makeContext(model, context, font);
}

TEST(a_lost_context_is_made_anew)
{
    static uint8_t first[3 * WIDTH * HEIGHT], again[3 * WIDTH * HEIGHT];
    char why[256] = "";
    struct robo__engine engine = *world.engine;
    engine.mjr_getError = error_of_gl;
    engine.mjr_makeContext = count_contexts;
    struct robo__canvas canvas = { .engine = &engine };
    const struct robo__shot one = shot_of(ROBO__SEEN_COLOUR, WIDTH, HEIGHT, first),
                            two = shot_of(ROBO__SEEN_COLOUR, WIDTH, HEIGHT, again);
    need_opengl();
    contexts = failures = 0;
    assert_int_equal(robo__canvas_draw(&canvas, &world.stage, &one, why), 0);
    assert_int_equal(contexts, 1);
    failures = 9; /* eight are taken for those of others before it draws */
    assert_int_equal(robo__canvas_draw(&canvas, &world.stage, &two, why), 0);
    assert_int_equal(contexts, 2);
    assert_memory_equal(first, again, sizeof first);
    failures = 18;
    assert_int_equal(robo__canvas_draw(&canvas, &world.stage, &two, why), ROBO_EDEVICE);
    assert_string_equal(why, "OpenGL: error 0x0507");
    assert_int_equal(robo__canvas_draw(&canvas, &world.stage, &two, why), 0);
    assert_memory_equal(first, again, sizeof first);
    robo__canvas_clear(&canvas);
}

/* ---- threads ---- */

struct worker {
    struct robo__renderer *renderer;
    unsigned width;
    int result;
    uint8_t rgb[3 * 64 * 64];
};

static void *draw_some(void *arg)
{
    struct worker *w = arg;
    char why[256];
    const struct robo__shot shot = shot_of(ROBO__SEEN_COLOUR, w->width, 48, w->rgb);
    for (int i = 0; i < 5 && w->result == 0; i++)
        w->result = robo__renderer_draw(w->renderer, &shot, why);
    return NULL;
}

TEST(threads_take_turns)
{
    static struct worker worker[4];
    pthread_t thread[4];
    struct robo__renderer *r = open_renderer();
    for (unsigned i = 0; i < 4; i++) {
        worker[i] = (struct worker){ .renderer = r, .width = 64 - i / 2 };
        assert_int_equal(pthread_create(&thread[i], NULL, draw_some, &worker[i]), 0);
    }
    for (unsigned i = 0; i < 4; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(worker[i].result, 0);
    }
    assert_memory_equal(worker[0].rgb, worker[1].rgb, 3 * 64 * 48);
    assert_memory_equal(worker[2].rgb, worker[3].rgb, 3 * 63 * 48);
    robo__renderer_close(r);
}

/* Kept by the process, KiB. */
static long resident(void)
{
    long pages[2] = { 0 };
    FILE *f = fopen("/proc/self/statm", "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%ld %ld", &pages[0], &pages[1]), 2);
    fclose(f);
    return pages[1] * 4;
}

TEST(what_opens_and_closes_leaves_nothing)
{
    uint8_t rgb[3 * 16 * 16];
    long before = 0;
    int times = getenv("ROBOTALK_FAIL") ? 2 : 200; /* memory that is not there is met at once */
#ifdef __SANITIZE_THREAD__
    times = 20; /* what leaks is seen without it, ten times faster */
#endif
    for (int i = 0; i < times; i++) {
        if (i == times / 10)
            before = resident();
        struct robo__renderer *r = open_renderer();
        draw(r, ROBO__SEEN_COLOUR, 16, 16, rgb);
        robo__renderer_close(r);
    }
    print_message("%ld KiB before, %ld after\n", before, resident());
    assert_true(resident() - before < 20000); /* 100 KiB each would be as much */
    robo__renderer_close(NULL);
}
