/* Workers: threads that a whole process shares for work that takes long or blocks. There are two once a job has run. A connect
 * may block for a minute, and a disk or a camera, too; so that no other job waits for it, another worker is started when all
 * are busy: there are as many more as jobs block at one time. Workers have neither real-time priority nor signals (thread.h).
 * In a virtual world nothing is a job: its only thread does everything. */
#pragma once

#include "timer.h"

/* A member of its owner. One worker runs it at a time. */
struct robo__workers_job {
    const char *name; /* its worker has this name meanwhile */
    bool
        patient; /* it may block for a minute, as a connect: so many of these run at one time that workers are left for others */
    bool brief;  /* it never blocks for long: others wait for it, and no worker is woken for them */
    /* Returns the instant of the next run; ROBO_NEVER: none, and the job may be gone already */
    robo_time (*run)(struct robo__workers_job *job);
    struct robo__timer timer; /* of the workers */
};

/* Runs it at an instant of the monotonic clock, or at an earlier one that was said before; 0: at once. A run that has begun is
 * followed by another. Any thread, with any lock. ROBO_ESYSTEM: the process has no worker and cannot start one. Once a job
 * has begun, this does not fail any more. */
int robo__workers_run(struct robo__workers_job *job, robo_time due);

/* It does not run any more: a run that was to come is dropped, one that has begun is waited for. Not by the job itself; no
 * thread runs it again meanwhile. */
void robo__workers_end(struct robo__workers_job *job);
