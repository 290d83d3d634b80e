/* Pictures in counted buffers, and how drivers give them. */
#include <stdlib.h>

#include "base/readers.h"
#include "picture/pixels.h"
#include "camera_slot.h"
#include "robotalk/device.h"

/* SPARES: buffers that are kept for the next pictures; OPEN: pictures that a driver may fill at once */
enum { SPARES = 4, OPEN = 8 };

/* ---- counted buffers; the lock is held ---- */

void robo__counted_free(struct robo__counted *h)
{
    while (h) {
        struct robo__counted *next = h->next;
        struct robo__camera_slot *camera = h->camera;
        free(h->picture.bytes);
        free(h);
        robo__camera_release(camera);
        h = next;
    }
}

static void throw_away(struct robo__camera_slot *c, struct robo__counted *h)
{
    h->next = c->garbage;
    c->garbage = h;
}

void robo__camera_drop_spares(struct robo__camera_slot *c)
{
    while (c->spare) {
        struct robo__counted *h = c->spare;
        c->spare = h->next;
        throw_away(c, h);
    }
    c->spares = 0;
}

/* Releases the lock, and frees discarded buffers: large ones go back to the system, which takes a while. */
void robo__camera_unlock(struct robo__camera_slot *c)
{
    struct robo__counted *garbage = c->garbage;
    c->garbage = NULL;
    pthread_mutex_unlock(&c->lock);
    robo__counted_free(garbage);
}

static struct robo__counted *spare_of(struct robo__camera_slot *c, size_t room)
{
    for (struct robo__counted **p = &c->spare; *p; p = &(*p)->next) {
        struct robo__counted *h = *p;
        if (h->room < room || h->room / 2 > room) /* a small picture keeps no large buffer */
            continue;
        *p = h->next;
        c->spares--;
        return h;
    }
    return NULL;
}

void robo__counted_release(struct robo__counted *h)
{
    struct robo__camera_slot *c = h->camera;
    if (--h->holders > 0)
        return;
    c->open -= h->open;
    if (!c->device) {
        throw_away(c, h);
        return;
    }
    if (c->spares == SPARES) { /* the oldest goes, since sizes may have changed */
        struct robo__counted **p = &c->spare;
        while ((*p)->next)
            p = &(*p)->next;
        throw_away(c, *p);
        *p = NULL;
        c->spares--;
    }
    h->next = c->spare;
    c->spare = h;
    c->spares++;
}

struct robo__counted *robo__counted_hold(struct robo__counted *h)
{
    h->holders++;
    return h;
}

/* Keeps so many of the conversions, the newest. */
void robo__camera_keep_made(struct robo__camera_slot *c, unsigned most)
{
    struct robo__counted **p = &c->made;
    while (*p && most-- > 0)
        p = &(*p)->next;
    while (*p) {
        struct robo__counted *h = *p;
        *p = h->next;
        robo__counted_release(h);
    }
}

void robo__camera_forget_newest(struct robo__camera_slot *c)
{
    robo__camera_keep_made(c, 0);
    if (c->newest)
        robo__counted_release(c->newest);
    c->newest = NULL;
}

void robo__picture_release(struct robo_picture *picture)
{
    struct robo__counted *h = (struct robo__counted *)(void *)picture;
    if (!h)
        return;
    struct robo__camera_slot *c = h->camera;
    pthread_mutex_lock(&c->lock);
    robo__counted_release(h);
    robo__camera_unlock(c);
}

size_t robo__picture_room(const struct robo_picture *picture)
{
    return ((const struct robo__counted *)(const void *)picture)->room;
}

/* A buffer with one holder; without the lock. NULL: no memory. */
struct robo__counted *robo__counted_new(struct robo__camera_slot *c, size_t room)
{
    pthread_mutex_lock(&c->lock);
    struct robo__counted *h = spare_of(c, room);
    robo__camera_unlock(c);
    uint8_t *bytes = h ? h->picture.bytes : malloc(room ? room : 1);
    if (!h && bytes) {
        h = malloc(sizeof *h);
        if (h)
            robo__camera_hold(c);
        else
            free(bytes);
    } else if (h) {
        room = h->room;
    }
    if (h && bytes)
        *h = (struct robo__counted){
            .camera = c, .holders = 1, .room = room, .divisor = 1, .picture.bytes = bytes
        };
    return bytes ? h : NULL;
}

/* ---- from drivers ---- */

/* Held; NULL: it is not there. */
static struct robo__camera_slot *camera_of(const robo_device *device, unsigned number)
{
    robo__reading_begin();
    struct robo__cameras *all = device->of->senses->cameras;
    struct robo__camera_slot *c = all && all->body == device->body && number < all->count
                                      ? robo__camera_hold(&all->camera[number])
                                      : NULL;
    robo__reading_end();
    return c;
}

struct robo_picture *robo_picture_open(robo_device *device, unsigned camera, size_t room)
{
    struct robo__camera_slot *c = room > ROBO_MAX_PICTURE ? NULL : camera_of(device, camera);
    if (!c)
        return NULL;
    pthread_mutex_lock(&c->lock);
    const bool may = c->device == device && c->open < OPEN;
    c->open += may;
    robo__camera_unlock(c);
    struct robo__counted *h = may ? robo__counted_new(c, room) : NULL;
    pthread_mutex_lock(&c->lock);
    if (may && !h)
        c->open--;
    const uint64_t number = c->last + 1;
    robo__camera_unlock(c);
    robo__camera_release(c);
    if (!h)
        return NULL;
    const struct robo_camera *d = &device->body->description.camera[camera];
    h->open = true;
    h->picture.number = number;
    h->picture.width = d->width;
    h->picture.height = d->height;
    return &h->picture;
}

void robo_picture_close(struct robo_picture *picture)
{
    robo__picture_release(picture);
}

int robo_picture_wanted(robo_device *device, unsigned camera)
{
    struct robo__camera_slot *c = camera_of(device, camera);
    if (!c)
        return 0;
    pthread_mutex_lock(&c->lock);
    const bool wanted = c->looks || (c->device && robo_now(device->of->senses->world) <
                                                      c->looked + ROBO__CAMERA_REST);
    robo__camera_unlock(c);
    robo__camera_release(c);
    return wanted;
}

void robo_picture_none(robo_device *device, unsigned camera, int error)
{
    const unsigned bit = camera < ROBO_MAX_CAMERAS ? 1u << camera : 0;
    if (error < 0) /* before it looks for the camera, which looks for this once it is there */
        atomic_fetch_and(&device->comes, ~bit);
    else
        atomic_fetch_or(&device->comes, bit);
    struct robo__camera_slot *c = camera_of(device, camera);
    if (!c)
        return;
    pthread_mutex_lock(&c->lock);
    if (c->device == device) {
        robo__camera_forget_newest(c);
        c->comes = error >= 0;
        c->failed = error < 0;
        if (c->looks)
            (void)robo__camera_wake(c);
    }
    robo__camera_unlock(c);
    robo__camera_release(c);
}

/* Whether its bytes are those of its pixels. */
static bool is_whole(const struct robo__counted *h)
{
    const struct robo_picture *p = &h->picture;
    if (p->size == 0 || p->size > h->room || p->width == 0 || p->height == 0)
        return false;
    return p->format == ROBO_JPEG || p->size == robo__pixels_size(p->format, p->width, p->height);
}

int robo_pictured(struct robo_picture *picture, robo_time time)
{
    struct robo__counted *h = (struct robo__counted *)(void *)picture;
    struct robo__camera_slot *c = h->camera;
    int error = is_whole(h) ? 0 : ROBO_EINVAL;
    pthread_mutex_lock(&c->lock);
    if (error == 0 && !c->device)
        error = ROBO_ENONE;
    if (error == 0) {
        const robo_time now = robo_now(c->device->of->senses->world);
        picture->time = time == ROBO_NO_TIME || time > now ? now : time;
        picture->number = ++c->last;
        struct robo__counted *before = c->newest;
        c->newest = h;
        c->open--;
        h->open = false;
        h = before;
        c->failed = false;
        if (c->looks)
            (void)robo__camera_wake(c);
    }
    if (h)
        robo__counted_release(h);
    robo__camera_unlock(c);
    return error;
}
