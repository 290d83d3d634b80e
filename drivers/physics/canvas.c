/* Drawing a model of MuJoCo. */
#include "canvas.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "opengl.h"
#include "robotalk.h"

/* Nothing nearer or farther than that is drawn, m. The nearer NEAR is, the coarser are depths: those of 24 bits are exact
 * to z^2 / (NEAR * 2^24), 0.3 mm at 10 m. */
static const double NEAR = 0.02, LEAST_FAR = 100, MOST_FAR = 10000;
enum {
    SHADOW = 2048,     /* pixels of the map of shadows */
    MOST_LIGHTS = 8,   /* that OpenGL has */
    DECORATION = 1000, /* things of a scene that are no geoms: tendons have many */
    FONT = mjFONTSCALE_50
};

/* Lamps light up to 80 degrees from their direction (lights.c), and shadows of that part of it are drawn: 70 degrees are 6 m
 * around a lamp 2.2 m high. A wider angle makes shadows coarser. */
static const float SHADOWED = 70 / 80.0F;

/* MuJoCo's work while it may fail (robo__engine_try). */
struct job {
    struct robo__canvas *canvas;
    const struct robo__shot *shot;
    const mjModel *model;
    mjModel *copy;
    mjData *data;
    struct robo__eye eye;
};

/* ---- the model ---- */

static void copy_model(void *arg)
{
    struct job *j = arg;
    j->copy = j->canvas->engine->mj_copyModel(NULL, j->model);
}

static void make_context(void *arg)
{
    struct job *j = arg;
    struct robo__canvas *c = j->canvas;
    const struct robo__engine *e = c->engine;
    mjModel *m = j->copy;
    m->vis.global.offwidth = (int)c->width;
    m->vis.global.offheight = (int)c->height;
    m->vis.quality.offsamples = 0; /* several to a pixel take three times as long */
    m->vis.quality.shadowsize = SHADOW;
    m->vis.map.shadowscale = SHADOWED;
    e->mjr_makeContext(m, &c->context, FONT);
    e->mjr_setBuffer(mjFB_OFFSCREEN, &c->context);
    e->mjv_makeScene(m, &c->scene, m->ngeom + m->nsite + DECORATION);
}

/* Frees the uploaded data of a model. */
static void forget(struct robo__canvas *c)
{
    if (c->uploaded) {
        c->engine->mjv_freeScene(&c->scene);
        c->engine->mjr_freeContext(&c->context);
    }
    c->uploaded = false;
}

void robo__canvas_clear(struct robo__canvas *c)
{
    if (!c->gl)
        return;
    robo__opengl_use(c->gl);
    forget(c);
    robo__opengl_close(c->gl);
    *c = (struct robo__canvas){ .engine = c->engine };
}

/* Uploads the copy, and frees it. */
static int upload(struct robo__canvas *c, struct job *j, uint64_t generation, char why[256])
{
    const struct robo__shot *s = j->shot;
    forget(c);
    if (!c->gl) {
        c->gl = robo__opengl_open(why);
        if (!c->gl) {
            c->engine->mj_deleteModel(j->copy);
            return ROBO_ESYSTEM;
        }
    }
    if (c->width < s->width)
        c->width = s->width;
    if (c->height < s->height)
        c->height = s->height;
    c->engine->mjr_defaultContext(&c->context);
    c->engine->mjv_defaultScene(&c->scene);
    const int error = robo__engine_try(make_context, j, why);
    c->engine->mj_deleteModel(j->copy);
    j->copy = NULL;
    c->uploaded = error == 0;
    c->generation = generation;
    if (error < 0)
        robo__canvas_clear(c);
    return error;
}

/* ---- the scene ---- */

static void update_scene(void *arg)
{
    struct job *j = arg;
    const struct robo__engine *e = j->canvas->engine;
    mjvOption option;
    mjvCamera camera;
    e->mjv_defaultOption(&option);
    e->mjv_defaultCamera(&camera);
    memset(option.sitegroup, 0, sizeof option.sitegroup);
    option.flags[mjVIS_RANGEFINDER] = 0;
    e->mjv_updateScene(j->model, j->data, &option, NULL, &camera, mjCAT_STATIC | mjCAT_DYNAMIC,
                       &j->canvas->scene);
}

/* A model without lights is seen by one at the camera, of which MuJoCo's own leaves most of it dark. */
static void light_from_camera(mjvScene *scene)
{
    for (int i = 0; i < scene->nlight; i++)
        for (unsigned k = 0; scene->lights[i].headlight && k < 3; k++) {
            scene->lights[i].ambient[k] = 0.4f;
            scene->lights[i].diffuse[k] = 0.6f;
            scene->lights[i].specular[k] = 0.2f;
        }
}

/* The distance of a lamp from a camera; lamps that shine everywhere are near. */
static double distance_of(const mjvLight *l, const struct robo__eye *eye)
{
    double sum = 0;
    for (unsigned k = 0; !l->headlight && !l->directional && k < 3; k++)
        sum += (l->pos[k] - eye->position[k]) * (l->pos[k] - eye->position[k]);
    return sum;
}

/* Leaves out the farthest lamps beyond so many. */
static void leave_out_lamps(mjvScene *scene, const struct robo__eye *eye, int most)
{
    while (scene->nlight > most) {
        int farthest = scene->nlight - 1;
        for (int i = farthest; i-- > 0;)
            if (distance_of(&scene->lights[i], eye) > distance_of(&scene->lights[farthest], eye))
                farthest = i;
        memmove(&scene->lights[farthest], &scene->lights[farthest + 1],
                (size_t)(--scene->nlight - farthest) * sizeof scene->lights[0]);
    }
}

static void light_up(mjvScene *scene, const mjModel *m, const struct robo__eye *eye)
{
    if (m->nlight == 0)
        light_from_camera(scene);
    else
        leave_out_lamps(scene, eye, MOST_LIGHTS);
}

/* The scene has a camera for each eye, and MuJoCo takes the mean. */
static void place_cameras(mjvScene *scene, const mjModel *m, const struct robo__eye *eye,
                          const struct robo__shot *shot)
{
    const double far = m->vis.map.zfar * m->stat.extent;
    const double half = NEAR * tan(eye->fov / 2) * shot->height / shot->width;
    for (unsigned i = 0; i < 2; i++) {
        mjvGLCamera *camera = &scene->camera[i];
        for (unsigned k = 0; k < 3; k++) {
            camera->pos[k] = (float)eye->position[k];
            camera->forward[k] = (float)eye->axes[3 * k];
            camera->up[k] = (float)eye->axes[3 * k + 2];
        }
        camera->frustum_center = 0;
        camera->frustum_top = (float)half;
        camera->frustum_bottom = (float)-half;
        camera->frustum_near = (float)NEAR;
        camera->frustum_far = (float)fmin(fmax(far, LEAST_FAR), MOST_FAR); /* not of NaN */
    }
    scene->flags[mjRND_SHADOW] = shot->fine;
    scene->flags[mjRND_REFLECTION] = shot->fine;
    scene->flags[mjRND_SKYBOX] = shot->what == ROBO__SEEN_COLOUR;
    scene->flags[mjRND_SEGMENT] = shot->what == ROBO__SEEN_OBJECTS;
    scene->flags[mjRND_IDCOLOR] = shot->what == ROBO__SEEN_OBJECTS;
}

static bool is_right(const struct robo__eye *eye)
{
    bool finite = true;
    for (unsigned i = 0; i < 3; i++)
        finite &= isfinite(eye->position[i]);
    for (unsigned i = 0; i < 9; i++)
        finite &= isfinite(eye->axes[i]);
    return finite && eye->fov > 0 && eye->fov < M_PI;
}

/* Looks at the present model; and copies it, if it differs from the uploaded one. */
static int look(struct robo__canvas *c, const struct robo__stage *stage, struct job *j,
                uint64_t *generation, char why[256])
{
    const struct robo__shot *s = j->shot;
    j->model = stage->begin(stage->context, &j->data, generation);
    if (!j->model) {
        snprintf(why, 256, "there is no model to be drawn");
        return ROBO_ENONE;
    }
    int error;
    if (c->uploaded && c->generation == *generation && s->width <= c->width &&
        s->height <= c->height) {
        error = robo__engine_try(update_scene, j, why);
        if (error == 0) {
            s->aim(s->context, j->model, j->data, &j->eye);
            place_cameras(&c->scene, j->model, &j->eye, s);
            light_up(&c->scene, j->model, &j->eye);
        }
    } else {
        error = robo__engine_try(copy_model, j, why);
        if (error == 0 && !j->copy) {
            snprintf(why, 256, "no memory");
            error = ROBO_ENOMEM;
        }
    }
    stage->end(stage->context);
    return error;
}

/* ---- pixels ---- */

static void draw(void *arg)
{
    struct job *j = arg;
    struct robo__canvas *c = j->canvas;
    const struct robo__shot *s = j->shot;
    const mjrRect all = { 0, 0, (int)s->width, (int)s->height };
    for (int i = 0; i < 8 && c->engine->mjr_getError() != 0; i++) /* of before */
        ;
    c->engine->mjr_render(all, &c->scene, &c->context);
    c->engine->mjr_readPixels(s->what == ROBO__SEEN_DEPTH ? NULL : s->pixels,
                              s->what == ROBO__SEEN_DEPTH ? s->pixels : NULL, all, &c->context);
}

/* Rows came from the bottom. */
static void turn_rows(uint8_t *bytes, size_t stride, unsigned height)
{
    uint8_t kept[256];
    for (unsigned y = 0; y < height / 2; y++) {
        uint8_t *a = bytes + y * stride, *b = bytes + (height - 1 - y) * stride;
        for (size_t done = 0; done < stride; done += sizeof kept) {
            const size_t n = stride - done < sizeof kept ? stride - done : sizeof kept;
            memcpy(kept, a + done, n);
            memcpy(a + done, b + done, n);
            memcpy(b + done, kept, n);
        }
    }
}

/* Converts OpenGL's depths, 0 to 1, to m. */
static void measure(float *depth, size_t count, const mjvGLCamera *camera)
{
    const double near = camera->frustum_near, far = camera->frustum_far;
    for (size_t i = 0; i < count; i++)
        depth[i] = depth[i] < 1 ? (float)(near / (1 - depth[i] * (1 - near / far))) : INFINITY;
}

/* From colours, which are numbers of the scene, to those of geoms. The last pixel first: they take more room. */
static void name_objects(void *pixels, size_t count, const mjvScene *scene)
{
    const uint8_t *rgb = pixels;
    int32_t *out = pixels;
    for (size_t i = count; i-- > 0;) {
        const uint8_t *p = rgb + 3 * i;
        const int32_t number = (p[0] | p[1] << 8 | p[2] << 16) - 1;
        const mjvGeom *g = number >= 0 && number < scene->ngeom ? &scene->geoms[number] : NULL;
        out[i] = g && g->objtype == mjOBJ_GEOM ? g->objid : -1;
    }
}

static void finish(const struct robo__canvas *c, const struct robo__shot *s)
{
    const size_t count = (size_t)s->width * s->height;
    const size_t each = s->what == ROBO__SEEN_COLOUR ? 3 : 4;
    if (s->what == ROBO__SEEN_DEPTH)
        measure(s->pixels, count, &c->scene.camera[0]);
    else if (s->what == ROBO__SEEN_OBJECTS)
        name_objects(s->pixels, count, &c->scene);
    turn_rows(s->pixels, each * s->width, s->height);
}

/* ---- all together ---- */

/* Once. */
static int try_to_draw(struct robo__canvas *c, const struct robo__stage *stage,
                       const struct robo__shot *s, char why[256])
{
    struct job j = { .canvas = c, .shot = s };
    uint64_t generation;
    for (bool ready = false; !ready;) { /* the model may change while it is uploaded */
        int error = look(c, stage, &j, &generation, why);
        ready = !j.copy;
        if (error == 0 && !ready)
            error = upload(c, &j, generation, why);
        if (error < 0)
            return error;
    }
    if (!is_right(&j.eye)) {
        snprintf(why, 256, "a camera at no place, or with a field of view of %g rad", j.eye.fov);
        return ROBO_EINVAL;
    }
    const int error = robo__engine_try(draw, &j, why);
    const int of_gl = error == 0 ? c->engine->mjr_getError() : 0;
    if (of_gl != 0)
        snprintf(why, 256, "OpenGL: error 0x%04x", (unsigned)of_gl);
    if (error == 0 && of_gl == 0)
        return 0;
    robo__canvas_clear(c);
    return ROBO_EDEVICE;
}

int robo__canvas_draw(struct robo__canvas *c, const struct robo__stage *stage,
                      const struct robo__shot *s, char why[256])
{
    if (s->width < 1 || s->width > ROBO__MOST_SIDE || s->height < 1 ||
        s->height > ROBO__MOST_SIDE) {
        snprintf(why, 256, "a picture of %u x %u pixels: want 1 to %d each", s->width, s->height,
                 ROBO__MOST_SIDE);
        return ROBO_EINVAL;
    }
    if (!c->engine && !(c->engine = robo__engine(why)))
        return ROBO_ESYSTEM;
    if (c->gl)
        robo__opengl_use(c->gl);
    int error = try_to_draw(c, stage, s, why);
    if (error == ROBO_EDEVICE)
        error = try_to_draw(c, stage, s, why);
    if (error == 0)
        finish(c, s);
    return error;
}
