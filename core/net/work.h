/* Work that may block, such as opening devices, for a loop that must not wait for it: a thread of its own does it, and the
 * loop's thread is told when it is done. A member of its owner, which must stay until then. The loop may be closed
 * meanwhile: then it is told when the thread is done and lets go of the loop. */
#ifndef ROBO_WORK_H
#define ROBO_WORK_H

#include "host.h"

struct robo__work {
    struct robo__wakeup wakeup; /* its run is called on the loop's thread when the work is done */
    robo_loop *loop;            /* held by the thread; NULL: it was never begun */
    void (*run)(struct robo__work *work); /* on the thread */
};

/* Of a host in real time. ROBO_ESYSTEM: there is no thread, and nothing will be done. */
int robo__work_begin(struct robo__work *work, struct robo__host *host);

#endif
