/* Cameras of a simulation. */
#include "cameras.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/linear.h"
#include "picture/pixels.h"
#include "body/lens.h"
#include "renderer.h"
#include "simulation.h"
#include "robotalk/device.h"
#include "robotalk/host.h"

static const double FOV = 1;                     /* rad, of a camera whose descriptor says none */
static const robo_time PATIENCE = 100 * 1000000; /* of a driver's `picture` */
enum { WIDTH = 320, HEIGHT = 240 };

struct robo__sight {
    struct robo__simulation *simulation;
    const struct robo__mechanics *now; /* from begin to end, which are on the renderer's thread */
    struct robo__renderer *renderer;
};

/* ---- the simulation as a stage ---- */

static const mjModel *begin(void *context, mjData **data, uint64_t *generation)
{
    struct robo__sight *s = context;
    s->now = robo__simulation_lock(s->simulation);
    if (!s->now->model) {
        robo__simulation_unlock(s->simulation);
        return NULL;
    }
    *data = s->now->data;
    *generation = s->now->build;
    return s->now->model;
}

static void end(void *context)
{
    struct robo__sight *s = context;
    robo__simulation_unlock(s->simulation);
}

struct robo__sight *robo__sight_open(struct robo__simulation *simulation)
{
    struct robo__sight *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->simulation = simulation;
    s->renderer =
        robo__renderer_open(&(struct robo__stage){ .begin = begin, .end = end, .context = s });
    if (s->renderer)
        return s;
    free(s);
    return NULL;
}

void robo__sight_close(struct robo__sight *s)
{
    if (!s)
        return;
    robo__renderer_close(s->renderer);
    free(s);
}

/* ---- a robot's camera ---- */

struct carried {
    struct robo__sight *sight;
    const struct robo_description *body;
    unsigned camera;
    robo_time time;
};

/* Converts MuJoCo's axes right, up and back to ahead, left and up. */
static void turn_axes(const mjtNum m[9], double axes[9])
{
    for (int row = 0; row < 3; row++) {
        axes[3 * row] = -m[3 * row + 2];
        axes[3 * row + 1] = -m[3 * row];
        axes[3 * row + 2] = m[3 * row + 1];
    }
}

/* The field of view that its lens has now; 0: it does not zoom there. */
static double zoomed(const struct carried *c)
{
    const struct robo__mechanics *now = c->sight->now;
    const int dof = robo__zoom_of(c->body, c->camera);
    for (unsigned i = 0; dof >= 0 && i < c->body->joints; i++) {
        const struct robo_joint *j = &c->body->joint[i];
        char part[70];
        if ((unsigned)dof < j->first || (unsigned)dof >= (unsigned)j->first + j->dofs)
            continue;
        snprintf(part, sizeof part, "%s.%s", j->name, c->body->dof[dof].name);
        const int joint = robo__simulation_find(now, mjOBJ_JOINT, c->body->name, part);
        if (joint >= 0)
            return fmin(
                fmax(now->data->qpos[now->model->jnt_qposadr[joint]], c->body->dof[dof].low),
                c->body->dof[dof].high);
    }
    return 0;
}

static void aim_carried(void *context, const mjModel *model, const mjData *data,
                        struct robo__eye *eye)
{
    struct carried *c = context;
    const struct robo_camera *camera = &c->body->camera[c->camera];
    const int id = robo__simulation_find(c->sight->now, mjOBJ_CAMERA, c->body->name, camera->name);
    (void)model;
    c->time = c->sight->now->time;
    const double zoom = zoomed(c);
    eye->fov = zoom > 0 ? zoom : camera->fov > 0 ? camera->fov : FOV;
    eye->position[0] = NAN; /* the robot is being opened or closed */
    if (id < 0)
        return;
    memcpy(eye->position, data->cam_xpos + 3 * id, sizeof eye->position);
    turn_axes(data->cam_xmat + 9 * id, eye->axes);
}

static enum robo__seen shown(const struct robo__seeing *s)
{
    return !s->show || strcmp(s->show, "colour") == 0 ? ROBO__SEEN_COLOUR
           : strcmp(s->show, "depth") == 0            ? ROBO__SEEN_DEPTH
                                                      : ROBO__SEEN_OBJECTS;
}

int robo__seeing_check(const struct robo__seeing *s, char why[128])
{
    if (shown(s) != ROBO__SEEN_OBJECTS || strcmp(s->show, "objects") == 0)
        return 0;
    snprintf(why, 128, "show: expected colour, depth or objects");
    return ROBO_EINVAL;
}

/* Into gray, one byte a pixel; in place. */
static void shade(void *pixels, size_t count, enum robo__seen what, double range)
{
    const float *depth = pixels;
    const int32_t *object = pixels;
    uint8_t *out = pixels;
    for (size_t i = 0; i < count; i++)
        out[i] = what == ROBO__SEEN_DEPTH ? (uint8_t)lround(255 * fmin(depth[i] / range, 1))
                 : object[i] < 0          ? 0
                                          : (uint8_t)(object[i] % 255 + 1);
}

static int draw_carried(struct robo__sight *s, const struct robo__seeing *seeing, struct carried *c,
                        struct robo_picture *p, char why[256])
{
    const enum robo__seen what = shown(seeing);
    const size_t count = (size_t)p->width * p->height;
    void *room = what == ROBO__SEEN_COLOUR ? p->bytes : malloc(4 * count);
    const struct robo__shot shot = { .aim = aim_carried,
                                     .context = c,
                                     .what = what,
                                     .width = p->width,
                                     .height = p->height,
                                     .pixels = room };
    if (!room) {
        snprintf(why, 256, "no memory");
        return ROBO_ENOMEM;
    }
    const int error = robo__renderer_draw(s->renderer, &shot, why);
    if (what != ROBO__SEEN_COLOUR) {
        if (error == 0) {
            shade(room, count, what, seeing->range);
            memcpy(p->bytes, room, count);
        }
        free(room);
    }
    return error;
}

int robo__sight_picture(struct robo__sight *s, struct robo__seeing *seeing, robo_device *device,
                        unsigned camera)
{
    struct carried c = { .sight = s, .body = robo_device_description(device), .camera = camera };
    const struct robo_camera *d = &c.body->camera[camera];
    const unsigned width = d->width ? d->width : WIDTH, height = d->height ? d->height : HEIGHT;
    const bool gray = shown(seeing) != ROBO__SEEN_COLOUR;
    const size_t size = (size_t)width * height * (gray ? 1 : 3);
    char why[256] = "";
    /* whoever closes the device waits for its pictures, and not for OpenGL */
    if (!robo_is_virtual(robo_device_world(device)) &&
        !robo__renderer_warm(s->renderer, width, height, PATIENCE))
        return 1;
    struct robo_picture *p = robo_picture_open(device, camera, size);
    if (!p)
        return ROBO_ENOMEM;
    p->width = (uint16_t)width;
    p->height = (uint16_t)height;
    p->format = gray ? ROBO_GRAY : ROBO_RGB;
    p->size = size;
    robo__simulation_follow(s->simulation);
    const int error = draw_carried(s, seeing, &c, p, why);
    if (error == 0) {
        seeing->said[0] = 0;
        return robo_pictured(p, c.time);
    }
    robo_picture_close(p);
    if (strcmp(seeing->said, why) != 0)
        robo_device_log(device, ROBO_LOG_WARNING, "camera %s: %.200s", d->name, why);
    memcpy(seeing->said, why, sizeof why);
    return error;
}

/* ---- from anywhere ---- */

struct placed {
    struct robo__sight *sight;
    const struct robo_viewpoint *view;
    robo_time time;
};

/* It looks ahead to its aim, and its left is level; straight up or down, along y. */
static void aim_placed(void *context, const mjModel *model, const mjData *data,
                       struct robo__eye *eye)
{
    struct placed *p = context;
    double ahead[3], left[3], up[3];
    (void)model, (void)data;
    p->time = p->sight->now->time;
    eye->fov = p->view->fov;
    for (int i = 0; i < 3; i++) {
        eye->position[i] = p->view->from[i];
        ahead[i] = p->view->to[i] - p->view->from[i];
    }
    const double far = robo__length(ahead), level = hypot(ahead[0], ahead[1]);
    left[0] = level > 1e-9 * far ? -ahead[1] / level : 0;
    left[1] = level > 1e-9 * far ? ahead[0] / level : 1;
    left[2] = 0;
    for (int i = 0; i < 3; i++)
        ahead[i] /= far;
    for (int i = 0; i < 3; i++)
        up[i] = ahead[(i + 1) % 3] * left[(i + 2) % 3] - ahead[(i + 2) % 3] * left[(i + 1) % 3];
    for (int i = 0; i < 3; i++) {
        eye->axes[3 * i] = ahead[i];
        eye->axes[3 * i + 1] = left[i];
        eye->axes[3 * i + 2] = up[i];
    }
}

/* Twice as large, and made smaller: borders are smooth. */
static int draw_smooth(struct robo__sight *s, struct robo__shot *shot, char why[256])
{
    uint8_t *out = shot->pixels;
    shot->width *= 2;
    shot->height *= 2;
    struct robo_picture large = { .width = (uint16_t)shot->width,
                                  .height = (uint16_t)shot->height,
                                  .format = ROBO_RGB,
                                  .bytes = malloc((size_t)3 * shot->width * shot->height) };
    if (!large.bytes) {
        snprintf(why, 256, "no memory");
        return ROBO_ENOMEM;
    }
    shot->pixels = large.bytes;
    const int error = robo__renderer_draw(s->renderer, shot, why);
    if (error == 0)
        robo__pixels_convert(&large, 2, ROBO_RGB, out);
    free(large.bytes);
    return error;
}

int robo__sight_view(struct robo__sight *s, const struct robo_viewpoint *view, void *pixels,
                     robo_time *time, char why[256])
{
    struct placed placed = { .sight = s, .view = view };
    struct robo__shot shot = { .aim = aim_placed,
                               .context = &placed,
                               .what = (enum robo__seen)view->seen,
                               .fine = view->fine,
                               .width = view->width,
                               .height = view->height,
                               .pixels = pixels };
    const bool smooth = view->fine && shot.what == ROBO__SEEN_COLOUR &&
                        2 * shot.width <= ROBO__MOST_SIDE && 2 * shot.height <= ROBO__MOST_SIDE;
    robo__simulation_follow(s->simulation);
    int error = smooth ? draw_smooth(s, &shot, why) : robo__renderer_draw(s->renderer, &shot, why);
    if (error == ROBO_ENONE) {
        snprintf(why, 256, "no robot of this world has physics now");
        error = ROBO_EDEVICE;
    }
    if (error == 0)
        *time = placed.time;
    return error;
}

int robo__sight_object(struct robo__sight *s, int32_t number, char name[128])
{
    const struct robo__mechanics *now = robo__simulation_lock(s->simulation);
    const mjModel *m = now->model;
    int error = ROBO_ENONE;
    if (m && number >= 0 && number < m->ngeom) {
        const char *own = now->engine->mj_id2name(m, mjOBJ_GEOM, number),
                   *body = m->geom_bodyid[number] > 0
                               ? now->engine->mj_id2name(m, mjOBJ_BODY, m->geom_bodyid[number])
                               : NULL;
        snprintf(name, 128, "%s", body ? body : own ? own : "");
        error = 0;
    }
    robo__simulation_unlock(s->simulation);
    return error;
}
