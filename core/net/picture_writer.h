/* A keeper: it puts pictures into a folder (store.h), as a job of workers (base/workers.h), so that no connection waits for the
 * disk. Connections hand over deliveries on their own threads, and are notified of each on the same thread, in the same order. The queue has no bound of its own:
 * the sender is charged for the bytes (base/budget.h) and has few under way at once. Programs know it as robo_images
 * (robotalk/images.h). In a virtual world there is no job: a delivery is stored at once, and the notice follows in the next turn. */
#pragma once

#include "host.h"
#include "robotalk/images.h"
#include "store/rewind.h"

/* A picture that is to be stored. It belongs to its maker until robo__picture_writer_put, and again from the wake-up on. */
struct robo__delivery {
    struct robo__wakeup wakeup;
    struct robo__delivery *next;
    struct robo__host *host; /* on whose thread the notice is delivered */
    uint8_t *bytes;
    size_t size;
    int64_t time; /* us of the epoch */
    char source[ROBO__STORE_SOURCE + 1];
    /* Unless it is 0 already: the outcome. ROBO_EBODY: it is no JPEG, for the reason `fault`, of its byte `at`. */
    int error;
    const char *fault;
    size_t at;
};

/* A query for stored pictures. It belongs to its maker except from robo__picture_writer_look to the wake-up; then the answer is its
 * maker's, too. */
struct robo__glance {
    struct robo__wakeup wakeup;
    struct robo__glance *next;
    struct robo__host *host;
    struct robo__store_question question;
    struct robo__store_answer answer;
};

/* Connections of the host keep pictures there from now on; ROBO_ENOMEM. On its thread, or while it has none. */
int robo__host_use_images(struct robo__host *host, robo_images *images);
/* That; NULL: there is none. */
robo_images *robo__host_images(struct robo__host *host);

robo_images *robo__picture_writer_hold(robo_images *keeper);
void robo__picture_writer_release(robo_images *keeper); /* NULL: does nothing */

/* Any thread. The wake-up is posted when it was kept or refused. */
void robo__picture_writer_put(robo_images *keeper, struct robo__delivery *delivery);

/* Any thread. The wake-up is posted when the answer is there. Pictures that are to be stored
 * come first, some at a time. */
void robo__picture_writer_look(robo_images *keeper, struct robo__glance *glance);
