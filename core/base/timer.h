/* Timers: one order of (due, arrival) for every sleep and deadline of a thread. Timers are members of their owners,
 * which stop them before they are freed. Nothing here allocates, so no timer is ever lost: they are the nodes of a
 * pairing heap (Fredman, Sedgewick, Sleator and Tarjan, Algorithmica 1, 1986). */
#pragma once

#include <stdbool.h>

#include "time.h"

enum robo__timer_place { ROBO__TIMER_IDLE, ROBO__TIMER_ARMED, ROBO__TIMER_FIRING };

struct robo__timer {
    robo_time due;
    uint64_t arrival;
    enum robo__timer_place place;
    struct robo__timer *child; /* the first of those that follow after it */
    struct robo__timer *next;  /* its next sibling; firing: the next to fire */
    /* the sibling before it, or its parent when it is the first; NULL: the root */
    struct robo__timer *back;
    void (*fire)(struct robo__timer *timer, robo_time now);
};

struct robo__timers {
    struct robo__timer *root;
    uint32_t count; /* armed */
    uint64_t arrivals;
    struct robo__timer *firing; /* taken off and not yet fired */
    /* NULL, or called when a timer was armed for an instant before all others */
    void (*earlier)(struct robo__timers *timers);
};

void robo__timers_init(struct robo__timers *timers);
void robo__timers_free(struct robo__timers *timers); /* stops all */

/* Arms, also a timer that is armed already. */
void robo__timer_start(struct robo__timers *timers, struct robo__timer *timer, robo_time due);
void robo__timer_stop(struct robo__timers *timers, struct robo__timer *timer);

/* Whether it is armed for that time. */
bool robo__timer_is_for(const struct robo__timer *timer, robo_time due);

robo_time robo__timers_next(const struct robo__timers *timers); /* ROBO_NEVER: none */

/* Takes off the first, if it is due, and does not fire it; NULL: none is. */
struct robo__timer *robo__timers_take(struct robo__timers *timers, robo_time now);

/* Fires all that is due, in order of (due, arrival). All are taken off the heap before any is fired, so a timer that
 * arms itself again for the same instant cannot starve the others: it fires in the next run. */
void robo__timers_run(struct robo__timers *timers, robo_time now);

/* Fires the first alone, if it is due and was armed when there had been fewer arrivals than that; false: it is not. */
bool robo__timers_run_first(struct robo__timers *timers, robo_time now, uint64_t arrivals);
