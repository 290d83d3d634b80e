/* The members of a camera, for the files that work on it: camera.c takes pictures and answers looks, picture.c counts
 * buffers, picture_form.c converts a picture to the wanted form. The lock of a camera guards all of it except members
 * that never change. */
#pragma once

#include <pthread.h>

#include "base/workers.h"
#include "senses.h"

static const robo_time ROBO__CAMERA_REST =
    2 * INT64_C(1000000000); /* without a look, at least, until it may rest */

/* A picture and the number of its holders: one that was taken, or a conversion of one. */
struct robo__counted {
    struct robo_picture picture; /* first */
    struct robo__camera_slot *camera;
    uint32_t holders; /* guarded by the camera's lock */
    bool open;        /* it is its driver's still */
    size_t room;
    bool followed; /* somebody who had the picture before has got it, soon */
    /* of a conversion: of the picture with this number, so many times smaller */
    struct robo__form form;
    unsigned divisor;
    struct robo__counted *next; /* of spares, or of conversions */
};

struct robo__camera_slot {
    struct robo__cameras *all;
    pthread_mutex_t lock; /* guards all below except what never changes */
    struct robo__workers_job job;
    unsigned number;         /* in the description; never changes */
    robo_time period;        /* never changes */
    robo_device *device;     /* NULL: closed */
    bool ending;             /* its job */
    bool busy;               /* somebody takes or encodes, in a virtual world */
    bool awake;              /* the device takes pictures, and does not rest */
    bool failed;             /* the last one */
    bool comes;              /* without `picture`: a picture will come, once somebody looks */
    robo_time tried, looked; /* the last picture, or attempt; the last look, or answer to one */
    struct robo__look *looks;
    struct robo__counted *newest, *made, *spare, *garbage;
    unsigned spares, open;
    uint64_t last, encoded;
};

/* All cameras of a body. Closed ones are freed when no picture of theirs is out, nobody holds one, and no section is
 * left that found one. */
struct robo__cameras {
    _Atomic uint32_t holders; /* those who hold one of them, and buffers */
    struct robo__cameras *older;
    uint64_t turn;   /* of the readers (base/readers.h), in which newer ones took its place */
    robo_body *body; /* held */
    unsigned count;
    struct robo__camera_slot camera[];
};

/* Its job does what there is to do, while its device is open. With the lock; in a virtual world it does nothing. 0, or
 * ROBO_ESYSTEM: there is no thread. */
int robo__camera_wake(struct robo__camera_slot *camera);

/* ---- picture.c: counted buffers; with the lock by default ---- */

/* Gives their memory back; without the lock. The camera may be gone afterwards. */
void robo__counted_free(struct robo__counted *list);
struct robo__counted *robo__counted_hold(struct robo__counted *held);
void robo__counted_release(struct robo__counted *held);
/* One with one holder; without the lock. NULL: no memory. */
struct robo__counted *robo__counted_new(struct robo__camera_slot *camera, size_t room);

/* Releases the lock, and frees discarded buffers: large ones go back to the system, which takes a while. */
void robo__camera_unlock(struct robo__camera_slot *camera);
void robo__camera_drop_spares(struct robo__camera_slot *camera);
/* Keeps so many of the conversions, the newest. */
void robo__camera_keep_made(struct robo__camera_slot *camera, unsigned most);
void robo__camera_forget_newest(struct robo__camera_slot *camera); /* and the conversions of it */

/* ---- picture_form.c ---- */

/* How many times smaller a picture is to be. */
unsigned robo__counted_divisor(const struct robo_picture *picture, const struct robo__form *form);
/* An existing buffer with that picture in that form, or NULL; with the lock. */
struct robo__counted *robo__camera_find_made(const struct robo__camera_slot *camera,
                                             struct robo__counted *of,
                                             const struct robo__form *form);
/* Makes it of a picture that is held: 0, or an error. Without the lock. */
int robo__counted_make(struct robo__camera_slot *camera, struct robo__counted *from,
                       const struct robo__form *form, unsigned divisor, struct robo__counted **out);
