/* A bell: any thread rings it for something, the thread that owns it answers. Ringing does not lock,
 * allocate or block, so a robot's monitor may ring under its mutex. */
#ifndef ROBO_WAKEUP_H
#define ROBO_WAKEUP_H

#include <stdatomic.h>
#include <stdbool.h>

#include "robotalk.h"

/* A member of whatever wants attention. Rung again before it is answered, it is answered once. */
struct robo__wakeup {
    struct robo__wakeup *next;
    atomic_bool posted;
    /* on the owner's thread */
    void (*run)(struct robo__wakeup *wakeup, robo_time now);
};

struct robo__mailbox {
    struct robo__wakeup *_Atomic first; /* newest first */
    /* any thread: makes the owner call robo__wakeup_drain soon; called when the list was empty */
    void (*notify)(struct robo__mailbox *mailbox);
};

void robo__wakeup_post(struct robo__mailbox *mailbox, struct robo__wakeup *wakeup);

/* Answers all that has been rung, oldest first. Returns whether there was any. */
bool robo__wakeup_drain(struct robo__mailbox *mailbox, robo_time now);

#endif
