/* Clock synchronisation. */
#include "clock_sync.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "robotalk.h"

/* One best exchange is kept of each span of this length: long enough to hold good ones, short enough that
 * eight of them follow a drift within seconds. */
static const robo_time WINDOW = 2LL * 1000000000;
/* Quartz is usually within 100 ppm; a slope beyond 500 from a few points is noise. */
static const double MOST_DRIFT = 500e-6;
/* Greatest drift between two clocks that the bounds assume. */
static const double CLOCK_DRIFT = 200e-6;
/* Each reading is rounded to the wire's microsecond: the halves of two of them, and divisions of our own. */
static const robo_time ROUNDING = 1010;

void robo__sync_init(struct robo__sync *sync)
{
    memset(sync, 0, sizeof *sync);
}

bool robo__sync_ready(const struct robo__sync *sync)
{
    return sync->windows > 0;
}

/* ---- intervals ---- */

static inline robo_time distance(robo_time a, robo_time b)
{
    return a > b ? a - b : b - a;
}

static inline robo_time drifted(robo_time span, double rate)
{
    return (robo_time)(rate * (double)span) + 1;
}

/* An interval at another time, widened by any drift up to that rate. */
static inline struct robo__sync_interval widened(const struct robo__sync_interval *i, robo_time at,
                                                 double rate)
{
    robo_time wide = drifted(distance(at, i->at), rate);
    return (struct robo__sync_interval){ at, i->low - wide, i->high + wide };
}

static bool touch(const struct robo__sync_interval *a, const struct robo__sync_interval *b)
{
    return a->low <= b->high && b->low <= a->high;
}

static void intersect(struct robo__sync_interval *i, const struct robo__sync_interval *other)
{
    struct robo__sync_interval o = widened(other, i->at, CLOCK_DRIFT);
    i->low = o.low > i->low ? o.low : i->low;
    i->high = o.high < i->high ? o.high : i->high;
}

/* All possible offsets at the time of `known`: while exchanges contradict the known interval, both may be right. */
static inline struct robo__sync_interval possible(const struct robo__sync *s,
                                                  struct robo__sync_interval known)
{
    for (uint32_t i = 0; i < s->contradictions; i++) {
        struct robo__sync_interval one = widened(&s->contradiction[i].is, known.at, CLOCK_DRIFT);
        known.low = one.low < known.low ? one.low : known.low;
        known.high = one.high > known.high ? one.high : known.high;
    }
    return known;
}

/* ---- the estimate ---- */

static inline robo_time within(robo_time x, const struct robo__sync_interval *i)
{
    return x < i->low ? i->low : x > i->high ? i->high : x;
}

/* The estimate at the time of `known`, and its uncertainty. */
static inline robo_time estimate(const struct robo__sync *s, struct robo__sync_interval known,
                                 robo_time line, robo_time *uncertainty)
{
    robo_time offset = within(line, &known);
    known = possible(s, known);
    *uncertainty =
        offset - known.low > known.high - offset ? offset - known.low : known.high - offset;
    return offset;
}

robo_time robo__sync_offset(const struct robo__sync *s, robo_time now, robo_time *uncertainty)
{
    robo_time line = s->base_offset + (robo_time)(s->drift * (double)(now - s->base_at));
    return estimate(s, widened(&s->known, now, CLOCK_DRIFT), line, uncertainty);
}

robo_time robo__sync_from_server(const struct robo__sync *s, robo_time server,
                                 robo_time *uncertainty)
{
    /* the line is a function of the client's time, which is the unknown here */
    robo_time since = server - s->base_offset - s->base_at;
    robo_time client = s->base_at + since - (robo_time)(s->drift / (1 + s->drift) * (double)since);
    return server -
           estimate(s, widened(&s->known, client, CLOCK_DRIFT), server - client, uncertainty);
}

robo_time robo__sync_earliest(const struct robo__sync *s, robo_time now)
{
    return now + possible(s, widened(&s->known, now, CLOCK_DRIFT)).low;
}

double robo__sync_drift(const struct robo__sync *s)
{
    return s->drift * 1e6;
}

/* ---- learning ---- */

/* The line through the windows' points, each weighted by its certainty; with a drift only when they span two windows.
 */
static void fit(struct robo__sync *s)
{
    const struct robo__sync_window *w = s->window, *last = &w[s->windows - 1], *best = last;
    for (uint32_t i = 0; i < s->windows; i++)
        if (w[i].best.trip < best->best.trip)
            best = &w[i];
    s->drift = 0;
    s->base_at = best->best.is.at;
    s->base_offset = best->best.offset;
    if (s->windows < 3 || last->best.is.at - w[0].best.is.at < 2 * WINDOW)
        return;

    double sum = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (uint32_t i = 0; i < s->windows; i++) {
        double trip = (double)(w[i].best.trip - best->best.trip + 100000) * 1e-9,
               weight = 1e-8 / (trip * trip);
        double dx = (double)(w[i].best.is.at - last->best.is.at) * 1e-9,
               dy = (double)(w[i].best.offset - last->best.offset) * 1e-9;
        sum += weight;
        x += weight * dx;
        y += weight * dy;
        xx += weight * dx * dx;
        xy += weight * dx * dy;
    }
    double spread = sum * xx - x * x;
    if (spread <= 0)
        return;
    double slope = (sum * xy - x * y) / spread;
    /* a trip that took longer than the shortest may have done so in either direction: two exchanges give the slope with
       that uncertainty over the time between them. A smaller slope may as well come from the network */
    double uncertainty = 1;
    for (uint32_t i = 0; i < s->windows; i++) {
        double span = (double)distance(w[i].best.is.at, best->best.is.at),
               excess = (double)(w[i].best.trip - best->best.trip) / 2;
        if (span > 0 && excess / span < uncertainty)
            uncertainty = excess / span;
    }
    if (fabs(slope) <= uncertainty)
        return;
    slope = slope > MOST_DRIFT ? MOST_DRIFT : slope < -MOST_DRIFT ? -MOST_DRIFT : slope;
    s->drift = slope;
    s->base_at = last->best.is.at;
    s->base_offset = last->best.offset + (robo_time)((y - slope * x) / sum * 1e9);
}

static void believe(struct robo__sync *s, struct robo__sync_point p)
{
    /* intervals of clocks with a larger drift have nothing in common with earlier ones: then only the newest counts */
    struct robo__sync_interval before = widened(&s->known, p.is.at, CLOCK_DRIFT);
    if (s->windows > 0 && !touch(&p.is, &before))
        for (uint32_t i = 0; i < s->windows; i++)
            s->window[i].known = p.is;

    struct robo__sync_window *last = s->windows > 0 ? &s->window[s->windows - 1] : NULL;
    if (!last || p.is.at - last->begin >= WINDOW) {
        if (s->windows == ROBO__SYNC_WINDOWS)
            memmove(s->window, s->window + 1, --s->windows * sizeof s->window[0]);
        last = &s->window[s->windows++];
        *last = (struct robo__sync_window){ .begin = p.is.at, .best = p, .known = p.is };
    } else {
        struct robo__sync_interval all = p.is;
        intersect(&all, &last->known);
        last->known = all;
        if (p.trip <= last->best.trip)
            last->best = p;
    }
    s->known = p.is;
    for (uint32_t i = 0; i < s->windows; i++)
        intersect(&s->known, &s->window[i].known);
    fit(s);
}

int robo__sync_add(struct robo__sync *s, robo_time t0, robo_time t1, robo_time t2, robo_time t3)
{
    t1 = robo__time_cut(t1);
    t2 = robo__time_cut(t2);
    if (t3 < t0 || t2 < t1 || t3 - t0 < t2 - t1)
        return ROBO_EINVAL;
    struct robo__sync_point p = { .offset = ((t1 - t0) + (t2 - t3)) / 2,
                                  .trip = (t3 - t0) - (t2 - t1) };
    /* the readings themselves are apart by the drift of half an exchange at most */
    robo_time half = (t3 - t0) / 2, off = p.trip / 2 + drifted(half, CLOCK_DRIFT) + ROUNDING;
    p.is = (struct robo__sync_interval){ t0 + half, p.offset - off, p.offset + off };
    s->trip[s->trips++ % ROBO__SYNC_TRIPS] = p.trip;

    struct robo__sync_interval before = widened(&s->known, p.is.at, MOST_DRIFT);
    if (s->windows == 0 || touch(&p.is, &before)) {
        s->contradictions = 0;
        believe(s, p);
        return 0;
    }
    /* one may be an outlier; three in a row that agree mean that a clock was set */
    if (s->contradictions > 0) {
        before = widened(&s->contradiction[s->contradictions - 1].is, p.is.at, MOST_DRIFT);
        if (!touch(&p.is, &before))
            s->contradictions = 0;
    }
    s->contradiction[s->contradictions++] = p;
    if (s->contradictions < 3)
        return 0;
    s->windows = s->contradictions = 0;
    for (int i = 0; i < 3; i++)
        believe(s, s->contradiction[i]);
    return ROBO__SYNC_STEP;
}

/* ---- trips ---- */

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
