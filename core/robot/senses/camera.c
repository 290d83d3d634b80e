/* Cameras: taking pictures, and answering looks. */
#include "camera_slot.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/readers.h"
#include "body/body.h"
#include "robotalk/description.h"

/* FORMS: conversions that are kept of a picture */
enum { FORMS = 8, RATE = 10, MOST_RATE = 1000 };
static const robo_time AGAIN = 500 * 1000000, /* until a device that has failed is asked again */
    SOON = 20 * 1000000; /* after an answer: a client that looks by then wants each picture */

static robo_time now_of(const struct robo__camera_slot *c)
{
    return robo_now(c->device->of->senses->world);
}

static bool is_virtual(const struct robo__camera_slot *c)
{
    return c->device->of->senses->timers != NULL;
}

/* ---- answers to looks ---- */

/* The answer to a look; the lock is held. */
static void answer(struct robo__camera_slot *c, struct robo__look *look,
                   struct robo__counted *picture, int error)
{
    struct robo__look **p = &c->looks;
    while (*p != look)
        p = &(*p)->next;
    *p = look->next;
    look->waits = false;
    if (c->device)
        c->looked = now_of(c);
    look->picture = picture ? &robo__counted_hold(picture)->picture : NULL;
    look->error = error;
    robo__wakeup_post(look->mailbox, &look->wakeup);
}

/* Whether the camera's driver is asked for pictures. */
static bool pulls(const struct robo__camera_slot *c)
{
    return c->device && c->device->driver->picture;
}

/* A look that this picture answers, or NULL; without one, those that want any have their error when the device gives none. */
static struct robo__look *find_look(const struct robo__camera_slot *c,
                                    const struct robo__counted *picture)
{
    for (struct robo__look *l = c->looks; l; l = l->next)
        if (picture ? l->after < picture->picture.number
                    : (c->failed || (!pulls(c) && !c->comes)) && l->after == 0)
            return l;
    return NULL;
}

/* Gives one form of a picture to all looks that want it. The lock is held at begin and end, and released meanwhile. */
static void give(struct robo__camera_slot *c, struct robo__counted *picture, struct robo__form form)
{
    struct robo__counted *made = robo__camera_find_made(c, picture, &form);
    int error = 0;
    if (!made) {
        robo__camera_unlock(c);
        error = robo__counted_make(c, picture, &form,
                                   robo__counted_divisor(&picture->picture, &form), &made);
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
            robo__counted_divisor(&picture->picture, &l->form) ==
                robo__counted_divisor(&picture->picture, &form) &&
            (form.format != ROBO_JPEG || l->form.quality == form.quality)) {
            if (made)
                made->followed |= l->soon;
            answer(c, l, made, error);
        }
    }
    robo__camera_keep_made(c, FORMS);
}

/* Answers the looks that can be answered; the lock is held, and released meanwhile. */
static void serve(struct robo__camera_slot *c)
{
    struct robo__counted *picture = c->newest ? robo__counted_hold(c->newest) : NULL;
    struct robo__look *look;
    if (picture && c->made && c->made->picture.number != picture->picture.number)
        robo__camera_keep_made(c, 0);
    while (!c->ending && (look = find_look(c, picture)) != NULL) {
        if (picture)
            give(c, picture, look->form);
        else
            answer(c, look, NULL, ROBO_EDEVICE);
    }
    if (picture)
        robo__counted_release(picture);
}

/* ---- taking pictures ---- */

static bool is_followed(const struct robo__camera_slot *c)
{
    bool followed = c->newest && c->newest->followed;
    for (const struct robo__counted *h = c->made; h; h = h->next)
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

/* Calls the driver; the lock is held, and released meanwhile. The driver's earlier picture is not shown any more once
 * the device has failed, or rests. */
static void take(struct robo__camera_slot *c, bool wanted)
{
    robo_device *device = c->device;
    c->awake = wanted;
    if (wanted)
        c->tried = now_of(c);
    robo__camera_unlock(c);
    pthread_mutex_lock(&device->pictures); /* a driver may have several cameras of one device */
    int error = device->driver->picture(device->state, device, c->number, wanted);
    pthread_mutex_unlock(&device->pictures);
    pthread_mutex_lock(&c->lock);
    if (wanted)
        c->failed = error < 0;
    if (wanted && error > 0)
        c->tried = ROBO_NO_TIME;
    if (!wanted || c->failed)
        robo__camera_forget_newest(c);
}

/* When it may rest, if nobody looks until then: the next picture is due then, so that one comes at once when somebody looks. */
static robo_time rest_due(const struct robo__camera_slot *c)
{
    return c->looked + (c->period > ROBO__CAMERA_REST ? c->period : ROBO__CAMERA_REST);
}

/* Nobody has looked for long: buffers go back to the system. The lock is held, and released meanwhile. */
static void rest(struct robo__camera_slot *c)
{
    robo__camera_keep_made(c, 0);
    if (c->awake)
        take(c, false);
    robo__camera_drop_spares(c);
}

/* Takes the next picture, and makes the forms of it that followers of this one will want, before they look: otherwise
 * the camera would be idle while the followers receive this one. Once only: the followers have to look for the next
 * picture, soon. The lock is held, and released meanwhile. */
static void work_ahead(struct robo__camera_slot *c)
{
    struct robo__form form[FORMS];
    unsigned forms = 0;
    const uint64_t last = c->last;
    c->newest->followed = false;
    for (struct robo__counted *h = c->made; h; h = h->next) {
        if (h->followed && forms < FORMS)
            form[forms++] = h->form;
        h->followed = false;
    }
    take(c, true);
    struct robo__counted *picture =
        c->newest && c->last != last ? robo__counted_hold(c->newest) : NULL;
    if (!picture)
        return;
    robo__camera_keep_made(c, 0);
    for (unsigned i = 0; i < forms && !c->ending; i++)
        give(c, picture, form[i]);
    robo__counted_release(picture);
}

/* One round of work; the lock is held. Returns until when there is nothing more to do. */
static robo_time work(struct robo__camera_slot *c)
{
    const robo_time now = now_of(c);
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

static robo_time run(struct robo__workers_job *job)
{
    struct robo__camera_slot *c = robo__container_of(job, struct robo__camera_slot, job);
    robo_time until = ROBO_NEVER;
    pthread_mutex_lock(&c->lock);
    if (!c->ending) {
        const uint64_t last = c->last;
        until = work(c);
        if (c->looks && c->newest && c->last != last)
            until = 0;
    }
    robo__camera_unlock(c);
    return until;
}

int robo__camera_wake(struct robo__camera_slot *c)
{
    return c->ending || is_virtual(c) ? 0 : robo__workers_run(&c->job, 0);
}

/* ---- looking ---- */

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
    const robo_time now = now_of(c), due = next_due(c);
    return pulls(c) && due > now ? due : now + c->period;
}

/* In a virtual world: the device would have rested meanwhile. The lock is held. */
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
    robo__camera_unlock(c);
    return again;
}

robo_time robo__camera_look(struct robo__camera_slot *c, struct robo__look *look)
{
    robo_time again = ROBO_NEVER;
    pthread_mutex_lock(&c->lock);
    const robo_time now = c->device ? now_of(c) : 0;
    look->waits = true;
    look->soon = look->after != 0 && look->after + 1 >= c->last && now < c->looked + SOON;
    look->next = c->looks;
    c->looks = look;
    if (!c->device) {
        answer(c, look, NULL, ROBO_ENONE);
    } else if (is_virtual(c)) {
        if (c->awake && !c->busy && now >= rest_due(c))
            rest_here(c);
        c->looked = now;
        again = work_here(c, look);
    } else {
        c->looked = now;
        const int error = robo__camera_wake(c);
        if (error < 0)
            answer(c, look, NULL, error);
    }
    robo__camera_unlock(c);
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
        robo__counted_release((struct robo__counted *)(void *)look->picture);
    look->picture = NULL;
    robo__camera_unlock(c);
}

bool robo__camera_is_there(struct robo__camera_slot *c)
{
    pthread_mutex_lock(&c->lock);
    const bool there = c->device != NULL;
    robo__camera_unlock(c);
    return there;
}

uint64_t robo__camera_encoded(struct robo__camera_slot *c)
{
    pthread_mutex_lock(&c->lock);
    const uint64_t encoded = c->encoded;
    robo__camera_unlock(c);
    return encoded;
}

struct robo__camera_slot *robo__camera_find(const struct robo__senses *senses, unsigned number)
{
    struct robo__cameras *all = senses->cameras;
    return all && number < all->count ? &all->camera[number] : NULL;
}

struct robo__camera_slot *robo__camera_hold(struct robo__camera_slot *camera)
{
    atomic_fetch_add(&camera->all->holders, 1);
    return camera;
}

void robo__camera_release(struct robo__camera_slot *camera)
{
    atomic_fetch_sub(&camera->all->holders, 1);
}

/* ---- coming and going ---- */

static void free_camera(struct robo__camera_slot *c)
{
    robo__camera_forget_newest(c);
    robo__camera_drop_spares(c);
    robo__counted_free(c->garbage);
    pthread_mutex_destroy(&c->lock);
}

static void free_all(struct robo__cameras *all)
{
    for (unsigned i = 0; i < all->count; i++)
        free_camera(&all->camera[i]);
    robo_body_release(all->body);
    free(all);
}

/* Frees those of closed ones that nobody looks at any more. */
static void free_left(struct robo__cameras **older)
{
    while (*older) {
        struct robo__cameras *all = *older;
        if (!robo__readers_have_left(all->turn) || atomic_load(&all->holders) > 0) {
            older = &all->older;
            continue;
        }
        *older = all->older;
        free_all(all);
    }
}

static void init(struct robo__cameras *all, const struct robo_camera *d, unsigned number,
                 robo_device *const device[ROBO_MAX_DEVICES])
{
    struct robo__camera_slot *c = &all->camera[number];
    c->all = all;
    pthread_mutex_init(&c->lock, NULL);
    c->job = (struct robo__workers_job){ .name = "camera", .run = run };
    c->number = number;
    c->period = (robo_time)(1e9 / fmin(d->rate > 0 ? d->rate : RATE, MOST_RATE));
    c->tried = ROBO_NO_TIME;
    c->looked = INT64_MIN / 2;
    c->device = d->device < ROBO_MAX_DEVICES ? device[d->device] : NULL;
}

/* Notes the picture that its driver announced before the camera was there: drivers open before their cameras do. */
static void keep_promise(struct robo__camera_slot *c)
{
    pthread_mutex_lock(&c->lock);
    c->comes |= c->device && atomic_load(&c->device->comes) >> c->number & 1;
    robo__camera_unlock(c);
}

int robo__cameras_attach(struct robo__senses *senses, robo_body *body,
                         robo_device *const device[ROBO_MAX_DEVICES])
{
    const unsigned count = body->description.cameras;
    if (count == 0 && !senses->cameras)
        return 0;
    struct robo__cameras *all = calloc(1, sizeof *all + count * sizeof all->camera[0]);
    if (!all)
        return ROBO_ENOMEM;
    all->count = count;
    all->body = robo_body_hold(body);
    for (unsigned i = 0; i < count; i++)
        init(all, &body->description.camera[i], i, device);
    all->older = senses->cameras;
    senses->cameras = all;
    if (all->older)
        all->older->turn = robo__readers_turn();
    free_left(&all->older);
    for (unsigned i = 0; i < count; i++)
        keep_promise(&all->camera[i]);
    return 0;
}

/* Nobody gives pictures any more; buffers are kept only while somebody has them. */
static void detach(struct robo__camera_slot *c)
{
    pthread_mutex_lock(&c->lock);
    c->ending = true;
    robo__camera_unlock(c);
    robo__workers_end(&c->job);
    pthread_mutex_lock(&c->lock);
    c->ending = c->awake = false;
    c->device = NULL;
    while (c->looks)
        answer(c, c->looks, NULL, ROBO_ENONE);
    robo__camera_forget_newest(c);
    robo__camera_drop_spares(c);
    robo__camera_unlock(c);
}

void robo__cameras_detach(struct robo__senses *senses)
{
    struct robo__cameras *all = senses->cameras;
    for (unsigned i = 0; all && i < all->count; i++)
        detach(&all->camera[i]);
}

void robo__cameras_free(struct robo__senses *senses)
{
    for (struct robo__cameras *all = senses->cameras, *older; all; all = older) {
        older = all->older;
        free_all(all);
    }
}
