/* Wake-ups: any thread posts one to the mailbox of another thread, which drains it. Posting does not lock, allocate or block,
 * so a robot may post under its mutex. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "robotalk.h"

/* A member of its owner. Posted again before it is drained, it runs once. */
struct robo__wakeup {
    struct robo__wakeup *next;
    atomic_bool posted;
    /* on the thread that drains */
    void (*run)(struct robo__wakeup *wakeup, robo_time now);
};

struct robo__mailbox {
    struct robo__wakeup *_Atomic first; /* newest first */
    struct robo__wakeup *left;          /* by robo__wakeup_drain_some, oldest first */
    /* any thread: makes the mailbox's thread call robo__wakeup_drain soon; called when the list was empty */
    void (*notify)(struct robo__mailbox *mailbox);
};

void robo__wakeup_post(struct robo__mailbox *mailbox, struct robo__wakeup *wakeup);

/* Runs all that were posted, oldest first. Returns whether there was any. */
bool robo__wakeup_drain(struct robo__mailbox *mailbox, robo_time now);
/* Runs so many of them. Returns whether there are more. For a mailbox that always the same thread drains. */
bool robo__wakeup_drain_some(struct robo__mailbox *mailbox, robo_time now, int most);
