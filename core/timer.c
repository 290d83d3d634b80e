/* One heap of timers. */
#include "timer.h"

#include <stdbool.h>
#include <stdlib.h>

#include "robotalk.h"

static bool before(const struct robo__timer *a, const struct robo__timer *b)
{
    return a->due != b->due ? a->due < b->due : a->arrival < b->arrival;
}

static void put(struct robo__timers *t, uint32_t i, struct robo__timer *timer)
{
    t->heap[i] = timer;
    timer->index = i + 1;
}

static void up(struct robo__timers *t, uint32_t i, struct robo__timer *timer)
{
    for (uint32_t parent; i > 0 && before(timer, t->heap[parent = (i - 1) / 2]); i = parent)
        put(t, i, t->heap[parent]);
    put(t, i, timer);
}

static void down(struct robo__timers *t, uint32_t i, struct robo__timer *timer)
{
    for (uint32_t child; (child = 2 * i + 1) < t->count; i = child) {
        if (child + 1 < t->count && before(t->heap[child + 1], t->heap[child]))
            child++;
        if (!before(t->heap[child], timer))
            break;
        put(t, i, t->heap[child]);
    }
    put(t, i, timer);
}

void robo__timers_init(struct robo__timers *timers)
{
    *timers = (struct robo__timers){ 0 };
}

void robo__timers_free(struct robo__timers *timers)
{
    for (uint32_t i = 0; i < timers->count; i++)
        timers->heap[i]->index = 0;
    free(timers->heap);
    *timers = (struct robo__timers){ 0 };
}

void robo__timer_stop(struct robo__timers *t, struct robo__timer *timer)
{
    if (timer->index == UINT32_MAX) {
        for (struct robo__timer **p = &t->firing; *p; p = &(*p)->next_due) {
            if (*p == timer) {
                *p = timer->next_due;
                break;
            }
        }
    } else if (timer->index != 0) {
        uint32_t i = timer->index - 1;
        struct robo__timer *last = t->heap[--t->count];
        if (last != timer) {
            if (i > 0 && before(last, t->heap[(i - 1) / 2]))
                up(t, i, last);
            else
                down(t, i, last);
        }
    }
    timer->index = 0;
}

int robo__timer_start(struct robo__timers *t, struct robo__timer *timer, robo_time due)
{
    robo__timer_stop(t, timer);
    if (t->count == t->size) {
        uint32_t size = t->size ? 2 * t->size : 32;
        struct robo__timer **heap = realloc(t->heap, size * sizeof(*heap));
        if (!heap)
            return ROBO_ENOMEM;
        t->heap = heap;
        t->size = size;
    }
    timer->due = due;
    timer->arrival = t->arrivals++;
    up(t, t->count++, timer);
    return 0;
}

robo_time robo__timers_next(const struct robo__timers *t)
{
    return t->count > 0 ? t->heap[0]->due : ROBO_NEVER;
}

void robo__timers_run(struct robo__timers *t, robo_time now)
{
    struct robo__timer **end = &t->firing;
    while (*end)
        end = &(*end)->next_due; /* a run inside of a run goes on with what is left */
    while (t->count > 0 && t->heap[0]->due <= now) {
        struct robo__timer *timer = t->heap[0];
        robo__timer_stop(t, timer);
        timer->index = UINT32_MAX;
        timer->next_due = NULL;
        *end = timer;
        end = &timer->next_due;
    }
    while (t->firing) {
        struct robo__timer *timer = t->firing;
        t->firing = timer->next_due;
        timer->index = 0;
        timer->fire(timer, now);
    }
}
