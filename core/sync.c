/* Clock synchronisation. */
#include "sync.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "robotalk.h"

/* One best exchange is kept of each span of this length: long enough to hold good ones, short enough that
 * eight of them follow a drift within seconds. */
static const robo_time WINDOW = 2LL * 1000000000;
/* Quartz is within 100 ppm as a rule; what a line of few points says beyond 500 is noise. */
static const double MOST_DRIFT = 500e-6;
/* How much two clocks drift apart at most, for what is said to be certain. */
static const double CLOCK_DRIFT = 200e-6;

void robo__sync_init(struct robo__sync *sync)
{
    memset(sync, 0, sizeof *sync);
}

bool robo__sync_ready(const struct robo__sync *sync)
{
    return sync->points > 0;
}

static robo_time distance(robo_time a, robo_time b)
{
    return a > b ? a - b : b - a;
}

robo_time robo__sync_offset(const struct robo__sync *s, robo_time now)
{
    return s->base_offset + (robo_time)(s->drift * (double)(now - s->base_at));
}

/* The offset was within half a trip of each point's when that was taken, and has drifted at most so much since:
 * what the estimate may be off by is the least that any point allows. */
robo_time robo__sync_uncertainty(const struct robo__sync *s, robo_time now)
{
    robo_time estimate = robo__sync_offset(s, now), least = 0;
    for (uint32_t i = 0; i < s->points; i++) {
        const struct robo__sync_point *p = &s->point[i];
        robo_time off = distance(estimate, p->offset) + p->trip / 2 +
                        (robo_time)(CLOCK_DRIFT * (double)distance(now, p->at));
        if (i == 0 || off < least)
            least = off;
    }
    return least;
}

double robo__sync_drift(const struct robo__sync *s)
{
    return s->drift * 1e6;
}

/* The line through the points, each weighted by how sure it is; drift only once they span two windows. */
static void fit(struct robo__sync *s)
{
    const struct robo__sync_point *p = s->point, *last = &p[s->points - 1], *best = last;
    for (uint32_t i = 0; i < s->points; i++)
        if (p[i].trip < best->trip)
            best = &p[i];
    s->drift = 0;
    s->base_at = best->at;
    s->base_offset = best->offset;
    if (s->points < 3 || last->at - p[0].at < 2 * WINDOW)
        return;

    double w = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (uint32_t i = 0; i < s->points; i++) {
        double trip = (double)(p[i].trip - best->trip + 100000) * 1e-9,
               weight = 1e-8 / (trip * trip);
        double dx = (double)(p[i].at - last->at) * 1e-9,
               dy = (double)(p[i].offset - last->offset) * 1e-9;
        w += weight;
        x += weight * dx;
        y += weight * dy;
        xx += weight * dx * dx;
        xy += weight * dx * dy;
    }
    double spread = w * xx - x * x;
    if (spread <= 0)
        return;
    double slope = (w * xy - x * y) / spread;
    /* a way that took longer than the shortest one may have done so on either side: two exchanges tell the slope to
       within that, over the time between them. Less than that is the network's doing as likely as a clock's */
    double doubt = 1;
    for (uint32_t i = 0; i < s->points; i++) {
        double span = (double)distance(p[i].at, best->at),
               possible = (double)(p[i].trip - best->trip) / 2;
        if (span > 0 && possible / span < doubt)
            doubt = possible / span;
    }
    if (fabs(slope) <= doubt)
        return;
    slope = slope > MOST_DRIFT ? MOST_DRIFT : slope < -MOST_DRIFT ? -MOST_DRIFT : slope;
    s->drift = slope;
    s->base_at = last->at;
    s->base_offset = last->offset + (robo_time)((y - slope * x) / w * 1e9);
}

static void add_point(struct robo__sync *s, struct robo__sync_point p)
{
    bool same_window = s->points > 0 && p.at - s->window_start < WINDOW;
    if (!same_window) {
        if (s->points == ROBO__SYNC_WINDOWS)
            memmove(s->point, s->point + 1, --s->points * sizeof s->point[0]);
        s->window_start = p.at;
        s->point[s->points++] = p;
    } else if (p.trip <= s->point[s->points - 1].trip) {
        s->point[s->points - 1] = p;
    } else {
        return;
    }
    fit(s);
}

/* Whether two exchanges may both be right: their intervals touch. */
static bool agree(const struct robo__sync_point *a, const struct robo__sync_point *b)
{
    robo_time slack = (robo_time)(MOST_DRIFT * (double)distance(a->at, b->at)) + 1000;
    return distance(a->offset, b->offset) <= a->trip / 2 + b->trip / 2 + slack;
}

int robo__sync_add(struct robo__sync *s, robo_time t0, robo_time t1, robo_time t2, robo_time t3)
{
    t1 = robo__time_cut(t1);
    t2 = robo__time_cut(t2);
    if (t3 < t0 || t2 < t1 || t3 - t0 < t2 - t1)
        return ROBO_EINVAL;
    struct robo__sync_point p = { .at = t0 + (t3 - t0) / 2, .trip = (t3 - t0) - (t2 - t1) };
    p.offset = ((t1 - t0) + (t2 - t3)) / 2;
    s->trip[s->trips++ % ROBO__SYNC_TRIPS] = p.trip;

    if (s->points > 0) {
        struct robo__sync_point expected = { .at = p.at, .offset = robo__sync_offset(s, p.at) };
        expected.trip = 2 * robo__sync_uncertainty(s, p.at);
        if (!agree(&p, &expected)) {
            /* one may be a freak; three in a row that agree mean that a clock was set */
            if (s->doubts > 0 && !agree(&p, &s->doubt[s->doubts - 1]))
                s->doubts = 0;
            s->doubt[s->doubts++] = p;
            if (s->doubts < 3)
                return 0;
            struct robo__sync_point doubt[3];
            memcpy(doubt, s->doubt, sizeof doubt);
            s->points = s->doubts = 0;
            for (int i = 0; i < 3; i++)
                add_point(s, doubt[i]);
            return ROBO__SYNC_STEP;
        }
    }
    s->doubts = 0;
    add_point(s, p);
    return 0;
}

static int by_size(const void *a, const void *b)
{
    robo_time x = *(const robo_time *)a, y = *(const robo_time *)b;
    return (x > y) - (x < y);
}

static uint32_t sorted_trips(const struct robo__sync *s, robo_time out[ROBO__SYNC_TRIPS])
{
    uint32_t n = s->trips < ROBO__SYNC_TRIPS ? s->trips : ROBO__SYNC_TRIPS;
    memcpy(out, s->trip, n * sizeof out[0]);
    qsort(out, n, sizeof out[0], by_size);
    return n;
}

robo_time robo__sync_least_trip(const struct robo__sync *s)
{
    robo_time trips[ROBO__SYNC_TRIPS];
    return sorted_trips(s, trips) ? trips[0] : 0;
}

robo_time robo__sync_median_trip(const struct robo__sync *s)
{
    robo_time trips[ROBO__SYNC_TRIPS];
    uint32_t n = sorted_trips(s, trips);
    return n ? trips[n / 2] : 0;
}
