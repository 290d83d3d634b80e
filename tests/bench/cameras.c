/* Pictures of a camera in a physics world, as JPEG, to somebody who wants one after the other: how many a second, beside a plain program
 * that draws the same model by MuJoCo and compresses the pictures by libjpeg-turbo. The world's physics goes on during both. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "physics/engine.h"
#include "physics/opengl.h"
#include "physics/simulation.h"
#include "robot/client.h"
#include "robot/senses/camera.h"
#include "robotalk/description.h"

enum { WIDTH = 320, HEIGHT = 240, QUALITY = 80, BLOCKS = 9, BOXES = 24 };
static const robo_time BLOCK = 400000000;

/* ---- a robot that looks at boxes of its own ---- */

static bool add_robot(robo_world *world, robo_robot **robot)
{
    static struct robo_link link = { .name = "base", .mass = 1, .inertia = { 1, 1, 1, 0, 0, 0 } };
    static struct robo_joint joint = { .name = "root", .parent = ROBO_WORLD };
    static struct robo_shape shape[BOXES];
    static struct robo_camera camera = { .name = "eye",
                                         .position = { 0, 0, 1 },
                                         .width = WIDTH,
                                         .height = HEIGHT,
                                         .fov = 1,
                                         .rate = 1000 };
    for (unsigned i = 0; i < BOXES; i++)
        shape[i] = (struct robo_shape){ .kind = ROBO_SHAPE_BOX,
                                        .size = { 0.2, 0.2, 0.1 + 0.05 * i },
                                        .position = { 2 + i % 4, 0.4 * (i % 6) - 1, 0.3 },
                                        .colour = 0x404040ff | (i * 2654435761u & 0xffffff00) };
    struct robo_description d = { .name = "eye",
                                  .links = 1,
                                  .joints = 1,
                                  .devices = 1,
                                  .cameras = 1,
                                  .shapes = BOXES,
                                  .link = &link,
                                  .joint = &joint,
                                  .camera = &camera,
                                  .shape = shape };
    strcpy(d.device[0].driver, "physics");
    return robo_add(world, &d, robot) == 0;
}

/* ---- ours ---- */

struct watcher {
    pthread_mutex_t lock;
    pthread_cond_t posted;
    bool is_posted;
    struct robo__mailbox mailbox;
    struct robo__look look;
    struct robo__camera_slot *camera;
    uint64_t last;
};

static void on_post(struct robo__mailbox *mailbox)
{
    struct watcher *w = robo__container_of(mailbox, struct watcher, mailbox);
    pthread_mutex_lock(&w->lock);
    w->is_posted = true;
    pthread_cond_signal(&w->posted);
    pthread_mutex_unlock(&w->lock);
}

static void on_answer(struct robo__wakeup *wakeup, robo_time now)
{
    (void)wakeup, (void)now;
}

/* The next picture: whether it came. */
static bool take(struct watcher *w)
{
    w->is_posted = false;
    w->look.after = w->last;
    robo__camera_look(w->camera, &w->look);
    pthread_mutex_lock(&w->lock);
    while (!w->is_posted)
        pthread_cond_wait(&w->posted, &w->lock);
    pthread_mutex_unlock(&w->lock);
    robo__wakeup_drain(&w->mailbox, 0);
    const bool came = w->look.picture != NULL;
    w->last = came ? w->look.picture->number : w->last;
    robo__camera_leave(w->camera, &w->look);
    return came;
}

static double measure(struct watcher *w)
{
    uint64_t n = 0;
    for (int i = 0; i < 10; i++)
        take(w); /* warm */
    const robo_time begin = now_ns();
    robo_time now = begin;
    for (; now < begin + BLOCK; now = now_ns())
        n += take(w);
    return (double)n * 1e9 / (double)(now - begin);
}

/* ---- a plain program ---- */

struct plain {
    const struct robo__engine *e;
    struct robo__opengl *gl;
    mjModel *model;
    mjData *data;
    mjvScene scene;
    mjvOption option;
    mjvCamera camera;
    mjrContext context;
    struct limit_jpeg *jpeg;
};

static bool open_plain(struct plain *p, robo_world *world, char why[256])
{
    static mjVFS files;
    p->e = robo__engine(why);
    if (robo__simulation_write(robo__simulation_of(world), &files) == 0)
        p->model = p->e->mj_loadXML(ROBO__MODEL_FILE, &files, why, 256);
    p->e->mj_deleteVFS(&files);
    p->gl = p->model ? robo__opengl_open(why) : NULL;
    if (!p->gl)
        return false;
    p->data = p->e->mj_makeData(p->model);
    p->e->mj_forward(p->model, p->data);
    p->model->vis.global.offwidth = WIDTH;
    p->model->vis.global.offheight = HEIGHT;
    p->model->vis.quality.offsamples = 0;
    p->model->vis.quality.shadowsize = 0;
    p->e->mjv_defaultOption(&p->option);
    p->e->mjv_defaultCamera(&p->camera);
    p->camera.type = mjCAMERA_FIXED;
    p->camera.fixedcamid = p->e->mj_name2id(p->model, mjOBJ_CAMERA, "eye/eye");
    p->e->mjv_defaultScene(&p->scene);
    p->e->mjv_makeScene(p->model, &p->scene, 1000);
    p->e->mjr_defaultContext(&p->context);
    p->e->mjr_makeContext(p->model, &p->context, mjFONTSCALE_50);
    p->e->mjr_setBuffer(mjFB_OFFSCREEN, &p->context);
    p->scene.flags[mjRND_SHADOW] = p->scene.flags[mjRND_REFLECTION] = 0;
    p->jpeg = limit_jpeg_open(WIDTH, HEIGHT, QUALITY);
    return true;
}

static double measure_plain(struct plain *p)
{
    static unsigned char drawn[3 * WIDTH * HEIGHT], upright[sizeof drawn];
    const mjrRect all = { 0, 0, WIDTH, HEIGHT };
    const robo_time begin = now_ns();
    robo_time now = begin;
    uint64_t n = 0;
    for (; now < begin + BLOCK; now = now_ns()) {
        p->e->mjv_updateScene(p->model, p->data, &p->option, NULL, &p->camera, mjCAT_ALL,
                              &p->scene);
        p->e->mjr_render(all, &p->scene, &p->context);
        p->e->mjr_readPixels(drawn, NULL, all, &p->context);
        for (int y = 0; y < HEIGHT; y++) /* OpenGL has the lowest row first */
            memcpy(upright + (size_t)y * 3 * WIDTH, drawn + (size_t)(HEIGHT - 1 - y) * 3 * WIDTH,
                   3 * WIDTH);
        limit_jpeg_encode(p->jpeg, upright);
        n++;
    }
    return (double)n * 1e9 / (double)(now - begin);
}

static void close_plain(struct plain *p)
{
    if (p->gl) {
        limit_jpeg_close(p->jpeg);
        p->e->mjr_freeContext(&p->context);
        p->e->mjv_freeScene(&p->scene);
        p->e->mj_deleteData(p->data);
    }
    robo__opengl_close(p->gl);
    if (p->model)
        p->e->mj_deleteModel(p->model);
}

void bench_cameras(reporter *report)
{
    struct watcher w = { .lock = PTHREAD_MUTEX_INITIALIZER,
                         .posted = PTHREAD_COND_INITIALIZER,
                         .mailbox.notify = on_post,
                         .look = { .wakeup.run = on_answer,
                                   .form = { .format = ROBO_JPEG, .quality = QUALITY } } };
    struct plain plain = { .e = NULL };
    struct trial t = { 0 };
    char why[256] = "no robot";
    robo_robot *robot = NULL;
    robo_world *world = robo_open(NULL);
    w.look.mailbox = &w.mailbox;
    bool good = world && robo_add_drivers(world) == 0 && add_robot(world, &robot) &&
                open_plain(&plain, world, why);
    w.camera = good ? robo__camera_find(robo__robot_senses(robot), 0) : NULL;
    if (good && !take(&w))
        snprintf(why, sizeof why, "the camera gives no picture"), good = false;
    for (int i = 0; i < BLOCKS && good; i++) {
        samples_add(&t.ours, measure(&w));
        samples_add(&t.limit, measure_plain(&plain));
        trial_block(&t);
    }
    struct row row = { .name = "cameras",
                       .what = "a physics camera to JPEG; MuJoCo and libjpeg-turbo",
                       .unit = "/s",
                       .goal = 0.99,
                       .of = "p50",
                       .more_is_better = true };
    if (good)
        trial_report(&t, &row, report);
    else
        fprintf(stderr, "robotalk-bench: cameras: %s\n", why);
    trial_free(&t);
    close_plain(&plain);
    robo_release(robot);
    if (world)
        robo_close(world);
}
