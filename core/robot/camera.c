/* Cameras. */
#include "camera.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/jpeg.h"
#include "base/pixels.h"
#include "base/time.h"
#include "body/body.h"
#include "device.h"
#include "robot.h"
#include "world.h"

/* SPARES: buffers that are kept for the next pictures; FORMS: what is kept of one that was made of it; OPEN: pictures that a driver
 * may fill at once */
enum { SPARES = 4, FORMS = 8, OPEN = 8, RATE = 10, MOST_RATE = 1000 };
static const robo_time AGAIN = 500 * 1000000, /* until a device that has failed is asked again */
    REST = 2 * INT64_C(1000000000),           /* without a look, at least, until it may rest */
    SOON = 20 * 1000000; /* after an answer: who looks then wants each picture */

/* A picture and who holds it: one that was taken, or what was made of one. */
struct held {
    struct robo_picture picture; /* first */
    struct robo__camera_slot *camera;
    uint32_t holders; /* guarded by the camera's lock */
    bool open;        /* it is its driver's still */
    size_t room;
    bool followed; /* somebody who had the picture before has got it, soon */
    /* of what was made: of the picture with this number, so many times smaller */
    struct robo__form form;
    unsigned divisor;
    struct held *next; /* of spares, or of what was made */
};

struct robo__camera_slot {
    pthread_mutex_t lock; /* guards all below but what never changes */
    pthread_cond_t changed;
    unsigned number;      /* in the description; never changes */
    robo_time period;     /* never changes */
    robo_device *device;  /* NULL: closed */
    bool running, ending; /* its thread */
    bool busy;            /* somebody takes or encodes, in a virtual world */
    bool awake;           /* the device takes pictures, and does not rest */
    bool failed;          /* the last one */
    pthread_t thread;
    robo_time tried, looked; /* the last picture, or attempt; the last look, or answer to one */
    struct robo__look *looks;
    struct held *newest, *made, *spare, *garbage;
    unsigned spares, open;
    uint64_t last, encoded;
};

struct robo__cameras {
    struct robo__cameras *older;
    const robo_body *body; /* for comparison only */
    unsigned count;
    struct robo__camera_slot camera[];
};

static robo_world *world_of(const struct robo__camera_slot *c)
{
    return c->device->robot->world;
}

/* ---- counted buffers; the lock is held ---- */

static void free_all(struct held *h)
{
    while (h) {
        struct held *next = h->next;
        free(h->picture.bytes);
        free(h);
        h = next;
    }
}

static void throw_away(struct robo__camera_slot *c, struct held *h)
{
    h->next = c->garbage;
    c->garbage = h;
}

static void throw_spares_away(struct robo__camera_slot *c)
{
    while (c->spare) {
        struct held *h = c->spare;
        c->spare = h->next;
        throw_away(c, h);
    }
    c->spares = 0;
}

/* Ends with the lock, and frees what was thrown away: large buffers go back to the system, which takes a while. */
static void unlock(struct robo__camera_slot *c)
{
    struct held *garbage = c->garbage;
    c->garbage = NULL;
    pthread_mutex_unlock(&c->lock);
    free_all(garbage);
}

static struct held *spare_of(struct robo__camera_slot *c, size_t room)
{
    for (struct held **p = &c->spare; *p; p = &(*p)->next) {
        struct held *h = *p;
        if (h->room < room || h->room / 2 > room) /* a small picture keeps no large buffer */
            continue;
        *p = h->next;
        c->spares--;
        return h;
    }
    return NULL;
}

static void let_go(struct held *h)
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
        struct held **p = &c->spare;
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

static struct held *hold(struct held *h)
{
    h->holders++;
    return h;
}

/* Keeps so many of what was made, the newest. */
static void keep_made(struct robo__camera_slot *c, unsigned most)
{
    struct held **p = &c->made;
    while (*p && most-- > 0)
        p = &(*p)->next;
    while (*p) {
        struct held *h = *p;
        *p = h->next;
        let_go(h);
    }
}

static void forget_newest(struct robo__camera_slot *c)
{
    keep_made(c, 0);
    if (c->newest)
        let_go(c->newest);
    c->newest = NULL;
}

void robo__picture_release(struct robo_picture *picture)
{
    struct held *h = (struct held *)(void *)picture;
    if (!h)
        return;
    struct robo__camera_slot *c = h->camera;
    pthread_mutex_lock(&c->lock);
    let_go(h);
    unlock(c);
}

size_t robo__picture_room(const struct robo_picture *picture)
{
    return ((const struct held *)(const void *)picture)->room;
}

/* A buffer with one holder; without the lock. NULL: no memory. */
static struct held *new_buffer(struct robo__camera_slot *c, size_t room)
{
    pthread_mutex_lock(&c->lock);
    struct held *h = spare_of(c, room);
    unlock(c);
    uint8_t *bytes = h ? h->picture.bytes : malloc(room ? room : 1);
    if (!h && bytes) {
        h = malloc(sizeof *h);
        if (!h)
            free(bytes);
    } else if (h) {
        room = h->room;
    }
    if (h && bytes)
        *h = (struct held){
            .camera = c, .holders = 1, .room = room, .divisor = 1, .picture.bytes = bytes
        };
    return bytes ? h : NULL;
}

/* ---- from drivers ---- */

static struct robo__camera_slot *camera_of(const robo_device *device, unsigned number)
{
    struct robo__cameras *all = device->robot->cameras;
    return all && all->body == device->body && number < all->count ? &all->camera[number] : NULL;
}

struct robo_picture *robo_picture_open(robo_device *device, unsigned camera, size_t room)
{
    struct robo__camera_slot *c = camera_of(device, camera);
    if (!c || room > ROBO_MAX_PICTURE)
        return NULL;
    pthread_mutex_lock(&c->lock);
    const bool may = c->device == device && c->open < OPEN;
    c->open += may;
    unlock(c);
    struct held *h = may ? new_buffer(c, room) : NULL;
    pthread_mutex_lock(&c->lock);
    if (may && !h)
        c->open--;
    const uint64_t number = c->last + 1;
    unlock(c);
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
    const bool wanted =
        c->looks || (c->device && robo__robot_now(device->robot) < c->looked + REST);
    unlock(c);
    return wanted;
}

/* Whether its bytes are those of its pixels. */
static bool is_whole(const struct held *h)
{
    const struct robo_picture *p = &h->picture;
    if (p->size == 0 || p->size > h->room || p->width == 0 || p->height == 0)
        return false;
    return p->format == ROBO_JPEG || p->size == robo__pixels_size(p->format, p->width, p->height);
}

int robo_pictured(struct robo_picture *picture, robo_time time)
{
    struct held *h = (struct held *)(void *)picture;
    struct robo__camera_slot *c = h->camera;
    int error = is_whole(h) ? 0 : ROBO_EINVAL;
    pthread_mutex_lock(&c->lock);
    if (error == 0 && !c->device)
        error = ROBO_ENONE;
    if (error == 0) {
        const robo_time now = robo__robot_now(c->device->robot);
        picture->time = time == ROBO_NO_TIME || time > now ? now : time;
        picture->number = ++c->last;
        struct held *before = c->newest;
        c->newest = h;
        c->open--;
        h->open = false;
        h = before;
        c->failed = false;
        if (c->looks)
            pthread_cond_signal(&c->changed);
    }
    if (h)
        let_go(h);
    unlock(c);
    return error;
}

/* ---- to those who look ---- */

/* The answer to a look; the lock is held. */
static void answer(struct robo__camera_slot *c, struct robo__look *look, struct held *picture,
                   int error)
{
    struct robo__look **p = &c->looks;
    while (*p != look)
        p = &(*p)->next;
    *p = look->next;
    look->waits = false;
    if (c->device)
        c->looked = robo__robot_now(c->device->robot);
    look->picture = picture ? &hold(picture)->picture : NULL;
    look->error = error;
    robo__wakeup_post(look->mailbox, &look->wakeup);
}

/* A picture with pixels, of a JPEG: RGB, or gray. Without the lock. */
static int decode(struct robo__camera_slot *c, const struct robo_picture *p,
                  enum robo_picture_format format, struct held **out)
{
    unsigned width, height;
    int error = robo_jpeg_size(p->bytes, p->size, &width, &height);
    if (error < 0)
        return error;
    if (width > UINT16_MAX || height > UINT16_MAX)
        return ROBO_EBODY;
    const size_t size = robo__pixels_size(format, width, height);
    if (size == 0 || width != p->width || height != p->height)
        return ROBO_EBODY;
    struct held *h = new_buffer(c, size);
    if (!h)
        return ROBO_ENOMEM;
    h->picture.width = (uint16_t)width;
    h->picture.height = (uint16_t)height;
    h->picture.format = (uint8_t)format;
    h->picture.size = size;
    error = robo_jpeg_decode(p->bytes, p->size, format, h->picture.bytes, size);
    if (error == 0)
        *out = h;
    else
        robo__picture_release(&h->picture);
    return error;
}

/* What is wanted of a picture that has pixels. Without the lock. */
static int make_of_pixels(struct robo__camera_slot *c, const struct robo_picture *p,
                          const struct robo__form *form, unsigned divisor, struct held **out)
{
    const unsigned width = p->width / divisor, height = p->height / divisor;
    const bool jpeg = form->format == ROBO_JPEG;
    size_t size =
        jpeg ? (size_t)width * height / 4 + 4096 : robo__pixels_size(form->format, width, height);
    if (size == 0) /* gray ones may be larger than what is sent in colors */
        return ROBO_ERANGE;
    struct held *h = new_buffer(c, size);
    if (!h)
        return ROBO_ENOMEM;
    if (jpeg) {
        const ptrdiff_t used =
            robo__jpeg_encode(p, divisor, form->quality, &h->picture.bytes, &h->room);
        if (used < 0) {
            robo__picture_release(&h->picture);
            return (int)used;
        }
        size = (size_t)used;
    } else {
        robo__pixels_convert(p, divisor, form->format, h->picture.bytes);
    }
    h->picture.width = (uint16_t)width;
    h->picture.height = (uint16_t)height;
    h->picture.format = form->format;
    h->picture.size = size;
    *out = h;
    return 0;
}

/* Without the lock; the picture is held. */
static int make(struct robo__camera_slot *c, struct held *from, const struct robo__form *form,
                unsigned divisor, struct held **out)
{
    struct held *pixels = NULL;
    int error = 0;
    if (from->picture.format == ROBO_JPEG)
        error =
            decode(c, &from->picture, form->format == ROBO_GRAY ? ROBO_GRAY : ROBO_RGB, &pixels);
    if (error == 0)
        error = make_of_pixels(c, pixels ? &pixels->picture : &from->picture, form, divisor, out);
    if (pixels)
        robo__picture_release(&pixels->picture);
    if (error < 0)
        return error;
    (*out)->picture.number = from->picture.number;
    (*out)->picture.time = from->picture.time;
    (*out)->divisor = divisor;
    (*out)->form = *form;
    return 0;
}

static unsigned divisor_of(const struct robo_picture *p, const struct robo__form *form)
{
    return robo__pixels_divisor(p->width, p->height, form->width, form->height);
}

/* Whether that is what is wanted of the picture: what a camera gives as JPEG is not encoded anew for its quality. */
static bool is_made(const struct held *h, const struct held *of, const struct robo__form *form)
{
    return h->picture.number == of->picture.number && h->picture.format == form->format &&
           h->divisor == divisor_of(&of->picture, form) &&
           (form->format != ROBO_JPEG || h == of || h->form.quality == form->quality);
}

/* What there is already of that picture in that form, or NULL; the lock is held. */
static struct held *find_made(const struct robo__camera_slot *c, struct held *of,
                              const struct robo__form *form)
{
    if (is_made(of, of, form))
        return of;
    for (struct held *h = c->made; h; h = h->next)
        if (is_made(h, of, form))
            return h;
    return NULL;
}

/* Whether its driver is asked for pictures. */
static bool pulls(const struct robo__camera_slot *c)
{
    return c->device && c->device->driver->picture;
}

/* A look that this picture answers, or NULL; without one, those that want any have their error when the device gives none. */
static struct robo__look *find_look(const struct robo__camera_slot *c, const struct held *picture)
{
    for (struct robo__look *l = c->looks; l; l = l->next)
        if (picture ? l->after < picture->picture.number
                    : (c->failed || !pulls(c)) && l->after == 0)
            return l;
    return NULL;
}

/* Gives one form of a picture to all who want it. Begins and ends with the lock, and gives it back meanwhile. */
static void give(struct robo__camera_slot *c, struct held *picture, struct robo__form form)
{
    struct held *made = find_made(c, picture, &form);
    int error = 0;
    if (!made) {
        unlock(c);
        error = make(c, picture, &form, divisor_of(&picture->picture, &form), &made);
        pthread_mutex_lock(&c->lock);
        c->encoded++;
        if (made) { /* in the list it has its one holder */
            made->next = c->made;
            c->made = made;
        }
    }
    for (struct robo__look *l = c->looks, *next; l; l = next) {
        next = l->next;
        if (l->after < picture->picture.number && l->form.format == form.format &&
            divisor_of(&picture->picture, &l->form) == divisor_of(&picture->picture, &form) &&
            (form.format != ROBO_JPEG || l->form.quality == form.quality)) {
            if (made)
                made->followed |= l->soon;
            answer(c, l, made, error);
        }
    }
    keep_made(c, FORMS);
}

/* Answers who can be answered; the lock is held, and given back meanwhile. */
static void serve(struct robo__camera_slot *c)
{
    struct held *picture = c->newest ? hold(c->newest) : NULL;
    struct robo__look *look;
    if (picture && c->made && c->made->picture.number != picture->picture.number)
        keep_made(c, 0);
    while (!c->ending && (look = find_look(c, picture)) != NULL) {
        if (picture)
            give(c, picture, look->form);
        else
            answer(c, look, NULL, ROBO_EDEVICE);
    }
    if (picture)
        let_go(picture);
}

/* ---- taking pictures ---- */

static bool is_followed(const struct robo__camera_slot *c)
{
    bool followed = c->newest && c->newest->followed;
    for (const struct held *h = c->made; h; h = h->next)
        followed |= h->followed;
    return followed;
}

/* When the next picture may be taken. */
static robo_time next_due(const struct robo__camera_slot *c)
{
    if (c->tried == ROBO_NO_TIME)
        return ROBO_NO_TIME;
    return c->tried + (c->failed ? AGAIN : c->period);
}

/* Calls the driver; the lock is held, and given back meanwhile. What it gave before is not shown any more once it has failed, or
 * rests. */
static void take(struct robo__camera_slot *c, bool wanted)
{
    robo_device *device = c->device;
    c->awake = wanted;
    if (wanted)
        c->tried = robo__robot_now(device->robot);
    unlock(c);
    pthread_mutex_lock(&device->pictures); /* a driver may have several cameras of one device */
    int error = device->driver->picture(device->state, device, c->number, wanted);
    pthread_mutex_unlock(&device->pictures);
    pthread_mutex_lock(&c->lock);
    if (wanted)
        c->failed = error < 0;
    if (!wanted || c->failed)
        forget_newest(c);
}

/* When it may rest, if nobody looks until then: the next picture is due then, so that one comes at once when somebody looks. */
static robo_time rest_due(const struct robo__camera_slot *c)
{
    return c->looked + (c->period > REST ? c->period : REST);
}

/* Nobody has looked for long: buffers go back to the system. The lock is held, and given back meanwhile. */
static void rest(struct robo__camera_slot *c)
{
    keep_made(c, 0);
    if (c->awake)
        take(c, false);
    throw_spares_away(c);
}

/* Takes the next picture, and makes of it what those will want who follow this one, before they look: else it would stand idle while
 * they are told of this one. Once: they have to look for it, soon. The lock is held, and given back meanwhile. */
static void work_ahead(struct robo__camera_slot *c)
{
    struct robo__form form[FORMS];
    unsigned forms = 0;
    const uint64_t last = c->last;
    c->newest->followed = false;
    for (struct held *h = c->made; h; h = h->next) {
        if (h->followed && forms < FORMS)
            form[forms++] = h->form;
        h->followed = false;
    }
    take(c, true);
    struct held *picture = c->newest && c->last != last ? hold(c->newest) : NULL;
    if (!picture)
        return;
    keep_made(c, 0);
    for (unsigned i = 0; i < forms && !c->ending; i++)
        give(c, picture, form[i]);
    let_go(picture);
}

/* Waits until that instant, or until something has changed; the lock is held. */
static void wait_until(struct robo__camera_slot *c, robo_time until)
{
    if (until == ROBO_NEVER) {
        pthread_cond_wait(&c->changed, &c->lock);
        return;
    }
    const struct timespec at = { .tv_sec = until / 1000000000, .tv_nsec = until % 1000000000 };
    pthread_cond_clockwait(&c->changed, &c->lock, CLOCK_MONOTONIC, &at);
}

/* One round of work; the lock is held. Until when there is nothing to do. */
static robo_time work(struct robo__camera_slot *c)
{
    const robo_time now = robo__robot_now(c->device->robot);
    if (!c->looks && pulls(c) && is_followed(c)) {
        if (now >= next_due(c))
            work_ahead(c);
        return c->looks ? now : next_due(c);
    }
    if (!c->looks) {
        if (!c->awake && !c->made && !c->spare)
            return ROBO_NEVER;
        if (now >= rest_due(c))
            rest(c);
        return c->looks ? now : rest_due(c);
    }
    if (pulls(c) && now >= next_due(c))
        take(c, true);
    serve(c);
    return c->looks && pulls(c) ? next_due(c) : c->looks ? ROBO_NEVER : now;
}

static void *camera_thread(void *arg)
{
    struct robo__camera_slot *c = arg;
    pthread_mutex_lock(&c->lock);
    while (!c->ending) {
        const uint64_t last = c->last;
        const robo_time until = work(c);
        const bool more = c->looks && c->newest && c->last != last;
        if (c->garbage) { /* before it waits */
            unlock(c);
            pthread_mutex_lock(&c->lock);
        } else if (!c->ending && !more && until > robo__robot_now(c->device->robot)) {
            wait_until(c, until);
        }
    }
    unlock(c);
    return NULL;
}

/* ---- looking ---- */

static void start_thread(struct robo__camera_slot *c)
{
    c->ending = false;
    c->running = pthread_create(&c->thread, NULL, camera_thread, c) == 0;
}

/* In a virtual world: the work is done here. The lock is held. */
static robo_time work_here(struct robo__camera_slot *c, const struct robo__look *look)
{
    if (c->busy)
        return ROBO_NEVER; /* a driver looks while it takes a picture */
    c->busy = true;
    work(c);
    c->busy = false;
    if (!look->waits)
        return ROBO_NEVER;
    const robo_time now = robo__robot_now(c->device->robot), due = next_due(c);
    return pulls(c) && due > now ? due : now + c->period;
}

/* Likewise: it would have rested meanwhile. */
static void rest_here(struct robo__camera_slot *c)
{
    c->busy = true;
    rest(c);
    c->busy = false;
}

robo_time robo__camera_try(struct robo__camera_slot *c, struct robo__look *look)
{
    robo_time again = ROBO_NEVER;
    pthread_mutex_lock(&c->lock);
    if (look->waits && c->device)
        again = work_here(c, look);
    unlock(c);
    return again;
}

robo_time robo__camera_look(struct robo__camera_slot *c, struct robo__look *look)
{
    robo_time again = ROBO_NEVER;
    pthread_mutex_lock(&c->lock);
    const robo_time now = c->device ? robo__robot_now(c->device->robot) : 0;
    look->waits = true;
    look->soon = look->after != 0 && look->after + 1 >= c->last && now < c->looked + SOON;
    look->next = c->looks;
    c->looks = look;
    if (!c->device) {
        answer(c, look, NULL, ROBO_ENONE);
    } else if (world_of(c)->is_virtual) {
        if (c->awake && !c->busy && now >= rest_due(c))
            rest_here(c);
        c->looked = now;
        again = work_here(c, look);
    } else {
        c->looked = now;
        if (!c->running)
            start_thread(c);
        if (c->running)
            pthread_cond_signal(&c->changed);
        else
            answer(c, look, NULL, ROBO_ESYSTEM);
    }
    unlock(c);
    return again;
}

void robo__camera_leave(struct robo__camera_slot *c, struct robo__look *look)
{
    pthread_mutex_lock(&c->lock);
    if (look->waits) {
        struct robo__look **p = &c->looks;
        while (*p != look)
            p = &(*p)->next;
        *p = look->next;
    }
    look->waits = false;
    if (look->picture)
        let_go((struct held *)(void *)look->picture);
    look->picture = NULL;
    unlock(c);
}

bool robo__camera_is_there(struct robo__camera_slot *c)
{
    pthread_mutex_lock(&c->lock);
    const bool there = c->device != NULL;
    unlock(c);
    return there;
}

uint64_t robo__camera_encoded(struct robo__camera_slot *c)
{
    pthread_mutex_lock(&c->lock);
    const uint64_t encoded = c->encoded;
    unlock(c);
    return encoded;
}

struct robo__camera_slot *robo__camera_find(const robo_robot *robot, unsigned number)
{
    struct robo__cameras *all = robot->cameras;
    return all && number < all->count ? &all->camera[number] : NULL;
}

/* ---- coming and going ---- */

static void init(struct robo__camera_slot *c, const struct robo_camera *d, unsigned number,
                 robo_device *const device[ROBO_MAX_DEVICES])
{
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    c->number = number;
    c->period = (robo_time)(1e9 / fmin(d->rate > 0 ? d->rate : RATE, MOST_RATE));
    c->tried = ROBO_NO_TIME;
    c->looked = INT64_MIN / 2;
    c->device = d->device < ROBO_MAX_DEVICES ? device[d->device] : NULL;
}

int robo__cameras_attach(robo_robot *robot, const robo_body *body,
                         robo_device *const device[ROBO_MAX_DEVICES])
{
    const unsigned count = body->description.cameras;
    if (count == 0 && !robot->cameras)
        return 0;
    struct robo__cameras *all = calloc(1, sizeof *all + count * sizeof all->camera[0]);
    if (!all)
        return ROBO_ENOMEM;
    all->count = count;
    all->body = body;
    for (unsigned i = 0; i < count; i++)
        init(&all->camera[i], &body->description.camera[i], i, device);
    all->older = robot->cameras;
    robot->cameras = all;
    return 0;
}

/* Nobody gives pictures any more; buffers are kept only while somebody has them. */
static void detach(struct robo__camera_slot *c)
{
    pthread_mutex_lock(&c->lock);
    const bool running = c->running;
    c->ending = true;
    pthread_cond_signal(&c->changed);
    unlock(c);
    if (running)
        pthread_join(c->thread, NULL);
    pthread_mutex_lock(&c->lock);
    c->running = c->ending = c->awake = false;
    c->device = NULL;
    while (c->looks)
        answer(c, c->looks, NULL, ROBO_ENONE);
    forget_newest(c);
    throw_spares_away(c);
    unlock(c);
}

void robo__cameras_detach(robo_robot *robot)
{
    struct robo__cameras *all = robot->cameras;
    for (unsigned i = 0; all && i < all->count; i++)
        detach(&all->camera[i]);
}

static void free_camera(struct robo__camera_slot *c)
{
    forget_newest(c);
    throw_spares_away(c);
    free_all(c->garbage);
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
}

void robo__cameras_free(robo_robot *robot)
{
    for (struct robo__cameras *all = robot->cameras, *older; all; all = older) {
        older = all->older;
        for (unsigned i = 0; i < all->count; i++)
            free_camera(&all->camera[i]);
        free(all);
    }
}
