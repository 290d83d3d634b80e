/* A bell: any thread rings it for something, the thread that owns it answers. Ringing does not lock,
 * allocate or block, so a robot's monitor may ring under its mutex. */
#ifndef ROBO_BELL_H
#define ROBO_BELL_H

#include <stdatomic.h>
#include <stdbool.h>

#include "robotalk.h"

/* A member of whatever wants attention. Rung again before it is answered, it is answered once. */
struct robo__call {
    struct robo__call *next;
    atomic_bool rung;
    /* on the owner's thread */
    void (*answer)(struct robo__call *call, robo_time now);
};

struct robo__bell {
    struct robo__call *_Atomic first; /* newest first */
    /* any thread: makes the owner call robo__bell_answer soon; called when the list was empty */
    void (*notify)(struct robo__bell *bell);
};

void robo__bell_ring(struct robo__bell *bell, struct robo__call *call);

/* Answers all that has been rung, oldest first. Returns whether there was any. */
bool robo__bell_answer(struct robo__bell *bell, robo_time now);

#endif
