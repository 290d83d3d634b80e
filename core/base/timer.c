/* A pairing heap of timers. */
#include "timer.h"

#include <stddef.h>

static bool before(const struct robo__timer *a, const struct robo__timer *b)
{
    return a->due != b->due ? a->due < b->due : a->arrival < b->arrival;
}

/* Two heaps become one: the later root is the earlier one's first child. Either may be empty. */
static struct robo__timer *meld(struct robo__timer *a, struct robo__timer *b)
{
    if (!a || !b)
        return a ? a : b;
    if (before(b, a)) {
        struct robo__timer *swap = a;
        a = b;
        b = swap;
    }
    b->back = a;
    b->next = a->child;
    if (b->next)
        b->next->back = b;
    a->child = b;
    return a;
}

/* The siblings from `first` on become one heap: in pairs from the first to the last, then all from the last to the
 * first. */
static struct robo__timer *meld_siblings(struct robo__timer *first)
{
    struct robo__timer *pairs = NULL, *whole = NULL;
    while (first) {
        struct robo__timer *a = first, *b = a->next;
        first = b ? b->next : NULL;
        a->next = a->back = NULL;
        if (b)
            b->next = b->back = NULL;
        a = meld(a, b);
        a->next = pairs;
        pairs = a;
    }
    while (pairs) {
        struct robo__timer *rest = pairs->next;
        pairs->next = NULL;
        whole = meld(whole, pairs);
        pairs = rest;
    }
    return whole;
}

static void take_off(struct robo__timers *t, struct robo__timer *timer)
{
    struct robo__timer *below = meld_siblings(timer->child);
    t->count--;
    if (timer == t->root) {
        t->root = below;
    } else {
        if (timer->back->child == timer)
            timer->back->child = timer->next;
        else
            timer->back->next = timer->next;
        if (timer->next)
            timer->next->back = timer->back;
        t->root = meld(t->root, below);
    }
    timer->child = timer->next = timer->back = NULL;
}

void robo__timers_init(struct robo__timers *timers)
{
    *timers = (struct robo__timers){ 0 };
}

void robo__timers_free(struct robo__timers *timers)
{
    while (timers->root)
        robo__timer_stop(timers, timers->root);
    while (timers->firing)
        robo__timer_stop(timers, timers->firing);
}

void robo__timer_stop(struct robo__timers *t, struct robo__timer *timer)
{
    if (timer->place == ROBO__TIMER_ARMED) {
        take_off(t, timer);
    } else if (timer->place == ROBO__TIMER_FIRING) {
        struct robo__timer **p = &t->firing;
        while (*p != timer)
            p = &(*p)->next;
        *p = timer->next;
        timer->next = NULL;
    }
    timer->place = ROBO__TIMER_IDLE;
}

void robo__timer_start(struct robo__timers *t, struct robo__timer *timer, robo_time due)
{
    robo__timer_stop(t, timer);
    timer->due = due;
    timer->arrival = t->arrivals++;
    timer->place = ROBO__TIMER_ARMED;
    t->root = meld(t->root, timer);
    t->count++;
    if (t->root == timer && t->earlier)
        t->earlier(t);
}

bool robo__timer_is_for(const struct robo__timer *timer, robo_time due)
{
    return timer->place == ROBO__TIMER_ARMED && timer->due == due;
}

robo_time robo__timers_next(const struct robo__timers *t)
{
    return t->root ? t->root->due : ROBO_NEVER;
}

struct robo__timer *robo__timers_take(struct robo__timers *t, robo_time now)
{
    struct robo__timer *timer = t->root;
    if (!timer || timer->due > now)
        return NULL;
    robo__timer_stop(t, timer);
    return timer;
}

void robo__timers_run(struct robo__timers *t, robo_time now)
{
    struct robo__timer **end = &t->firing;
    while (*end)
        end = &(*end)->next; /* a nested run goes on with the rest */
    while (t->root && t->root->due <= now) {
        struct robo__timer *timer = t->root;
        take_off(t, timer);
        timer->place = ROBO__TIMER_FIRING;
        *end = timer;
        end = &timer->next;
    }
    while (t->firing) {
        struct robo__timer *timer = t->firing;
        robo__timer_stop(t, timer);
        timer->fire(timer, now);
    }
}

bool robo__timers_run_first(struct robo__timers *t, robo_time now, uint64_t arrivals)
{
    struct robo__timer *timer = t->root;
    if (!timer || timer->arrival >= arrivals || !robo__timers_take(t, now))
        return false;
    timer->fire(timer, now);
    return true;
}
