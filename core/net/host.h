/* A host: the thread that connections live on. It owns their timers and the mailbox that robots post to for
 * them. A loop (loop.h) is a host over libev; in a virtual world the world's one thread is. */
#pragma once

#include "base/budget.h"
#include "base/random.h"
#include "base/wakeup.h"
#include "robot/timeline/modes.h"
#include "base/timer.h"
#include "complaint.h"
#include "files.h"
#include "text_cache.h"
#include "robot/world/world.h"

struct robo__lists;
struct robo__host_part;

struct robo__host {
    robo_world *world;
    robo_loop *loop;             /* that it is; NULL: a test's */
    struct robo__timers *timers; /* the world's, or `own` */
    struct robo__timers own;
    struct robo__mailbox mailbox;
    struct robo__timer mailbox_timer; /* virtual worlds: drains the mailbox */
    struct robo__modes *modes;        /* NULL: direct mode only */
    struct robo__mode_list own_modes; /* of robo_loop_add_mode; `modes` once there is one */
    struct robo__files files;         /* of robo_loop_add_file */
    struct robo__text_cache texts;    /* texts that its servers have made for clients */
    struct robo__inbox *inbox;        /* for questions to the program (inbox.h); NULL: no answers */
    struct robo__complaint complaint[ROBO__COMPLAINT_KINDS];
    uint64_t refused;              /* clients so far that were, or were dropped */
    struct robo__lists *lists;     /* of its servers */
    struct robo__host_part *parts; /* of robo__host_part */
    struct robo__random random;    /* for random events here, such as injected stalls */
};

/* The access lists of a server, which can be read again. */
struct robo__lists {
    struct robo__lists *next;
    /* Adds to *ended the number of connections that are closed, since their clients are not listed any more. ROBO_E… with a
     * message in why. */
    int (*read)(struct robo__lists *lists, unsigned *ended, char why[256]);
};

/* Reads those of all servers of this host: how many; or ROBO_E… of the first that could not be read; others were. */
int robo__host_read_lists(struct robo__host *host, unsigned *ended, char why[256]);

/* The data of a protocol for all of its connections of this host: `size` bytes, zeros at first, freed with the host. key: the
 * address of something of the protocol's. NULL: no memory. */
void *robo__host_part(struct robo__host *host, const void *key, size_t size);

/* notify: NULL in a virtual world. */
void robo__host_init(struct robo__host *host, robo_world *world,
                     void (*notify)(struct robo__mailbox *));
void robo__host_free(struct robo__host *host);
