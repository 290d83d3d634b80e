/* One heap of (due, arrival) for every sleep and deadline of a thread. Timers are members of their owners,
 * who stop them before they go. */
#ifndef ROBO_TIMER_H
#define ROBO_TIMER_H

#include "time.h"

struct robo__timer {
    robo_time due;
    uint64_t arrival;
    uint32_t
        index; /* place in the heap plus 1; 0: not armed; UINT32_MAX: taken off, about to fire */
    struct robo__timer *next_due; /* of those about to fire */
    void (*fire)(struct robo__timer *timer, robo_time now);
};

struct robo__timers {
    struct robo__timer **heap;
    uint32_t count, size;
    uint64_t arrivals;
    struct robo__timer *firing; /* taken off and not yet fired */
};

void robo__timers_init(struct robo__timers *timers);
void robo__timers_free(struct robo__timers *timers); /* stops all */

/* Arms, or arms anew. 0 or ROBO_ENOMEM. */
int robo__timer_start(struct robo__timers *timers, struct robo__timer *timer, robo_time due);
void robo__timer_stop(struct robo__timers *timers, struct robo__timer *timer);

robo_time robo__timers_next(const struct robo__timers *timers); /* ROBO_NEVER: none */

/* Fires all that is due, in order of (due, arrival). All are taken off the heap before any is fired, so one
 * that arms itself again for now cannot keep the others out: it fires in the next run. */
void robo__timers_run(struct robo__timers *timers, robo_time now);

#endif
