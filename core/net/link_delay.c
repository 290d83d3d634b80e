#include "link_delay.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"

enum { FOLLOWERS = 3 }; /* segments behind a lost one by which TCP notices it */
static const robo_time MOST = 10000000000;

struct robo__segment {
    struct robo__segment *next;
    robo_time due;      /* when it arrives */
    bool lost;          /* and is on its way once more */
    unsigned followers; /* of a lost one: how many have gone since */
    size_t n, passed;
    uint8_t bytes[];
};

static bool is_span(robo_time t)
{
    return t >= 0 && t <= MOST;
}

int robo__lag_check(const struct robo_test_lag *o)
{
    const bool good = is_span(o->delay) && is_span(o->jitter) && is_span(o->again) &&
                      o->loss >= 0 && o->loss <= 0.9 && o->rate >= 0 && o->rate <= 1e12;
    return good ? 0 : ROBO_EINVAL;
}

void robo__lag_init(struct robo__lag *lag, const struct robo_test_lag *options, uint64_t number)
{
    struct robo__random random;
    *lag = (struct robo__lag){ .options = options };
    robo__random_seed(&random, options->seed);
    lag->random = robo__random_fork(&random, number);
}

void robo__lag_free(struct robo__lag *lag)
{
    while (lag->first) {
        struct robo__segment *next = lag->first->next;
        free(lag->first);
        lag->first = next;
    }
    lag->last = NULL;
    lag->waiting = 0;
}

static robo_time on_the_way(struct robo__lag *lag)
{
    const struct robo_test_lag *o = lag->options;
    return o->delay + (robo_time)((double)o->jitter * robo__random_uniform(&lag->random));
}

/* Tells the lost ones that one more has gone. With the third its receiver has asked three times for the lost one: the third asks when
 * it arrives, and what is sent again needs as long as it does. */
static void follow(struct robo__lag *lag, robo_time now)
{
    const robo_time soon = now + 3 * lag->options->delay;
    for (struct robo__segment *s = lag->first; s; s = s->next)
        if (s->lost && ++s->followers == FOLLOWERS && soon < s->due)
            s->due = soon;
}

int robo__lag_put(struct robo__lag *lag, const uint8_t *bytes, size_t n, robo_time now)
{
    const struct robo_test_lag *o = lag->options;
    struct robo__segment *s = malloc(sizeof *s + n);
    if (!s)
        return ROBO_ENOMEM;
    *s = (struct robo__segment){ .n = n };
    memcpy(s->bytes, bytes, n);
    if (lag->free_at < now)
        lag->free_at = now;
    lag->free_at += o->rate > 0 ? (robo_time)((double)n / o->rate * 1e9) : 0;
    s->due = lag->free_at + on_the_way(lag);
    robo_time again = o->again;
    while (robo__random_uniform(&lag->random) < o->loss) {
        s->lost = true;
        s->due += again;
        again = again < MOST ? 2 * again : again;
        lag->lost++;
    }
    if (o->loss > 0)
        follow(lag, now);
    *(lag->first ? &lag->last->next : &lag->first) = s;
    lag->last = s;
    lag->segments++;
    lag->waiting += n;
    return 0;
}

size_t robo__lag_arrived(const struct robo__lag *lag, robo_time now, const uint8_t **bytes)
{
    const struct robo__segment *s = lag->first;
    if (!s || s->due > now)
        return 0;
    *bytes = s->bytes + s->passed;
    return s->n - s->passed;
}

void robo__lag_drop(struct robo__lag *lag, size_t n)
{
    struct robo__segment *s = lag->first;
    s->passed += n;
    lag->waiting -= n;
    if (s->passed < s->n)
        return;
    lag->first = s->next;
    free(s);
}

robo_time robo__lag_due(const struct robo__lag *lag)
{
    return lag->first ? lag->first->due : ROBO_NEVER;
}
