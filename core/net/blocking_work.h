/* Work that may block, such as opening devices, for a loop that must not wait. A worker (base/workers.h) does the work and then
 * posts a wake-up to the loop. struct robo__work is a member of its owner, which must not be freed before the wake-up has
 * run. The loop may be closed meanwhile: then the wake-up runs when the worker releases the loop. */
#pragma once

#include "base/wakeup.h"
#include "base/workers.h"

struct robo__work {
    struct robo__workers_job job; /* with a name */
    struct robo__wakeup wakeup;   /* its run is called on the loop's thread when the work is done */
    robo_loop *loop;              /* held by the worker; NULL: it was never begun */
    void (*run)(struct robo__work *work); /* on the worker */
};

/* ROBO_ESYSTEM: there is no thread, and the work is not done. */
int robo__work_begin(struct robo__work *work, robo_loop *loop);
