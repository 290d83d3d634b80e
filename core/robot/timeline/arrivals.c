/* The arrivals of a sequence: its clock and its statistics. */
#include "arrivals.h"

#include <math.h>
#include <stdlib.h>

#include "delay_estimate.h"

/* How much older than its package the first start of a sequence on the robot's clock may be. */
static const robo_time OLD = 10LL * 1000000000;
/* How much earlier than its frame's start a stamp is at most, as a rule: after minutes without a look at the clock. */
static const robo_time PACED = 50 * 1000000;

static double seconds(robo_time t)
{
    return (double)t * 1e-9;
}

static bool is_known(robo_time stamp, robo_time now)
{
    robo_time since = stamp == ROBO_NO_TIME ? ROBO_NEVER : robo__time_since(stamp, now);
    return since <= ROBO__HORIZON && since >= -ROBO__HORIZON;
}

bool robo__clock_is_own(robo_time start, robo_time stamp)
{
    robo_time after;
    return start == 0 || __builtin_sub_overflow(start, stamp, &after) || after < -OLD ||
           after > ROBO__HORIZON;
}

/* The first start of a sequence decides: it is of the robot's clock, whose sender is one that knows it by the stamp of
 * its package, or of a clock of its own, and then the sequence begins when it arrives. */
static void begin(struct robo__clock *c, robo_time start, robo_time stamp, robo_time now)
{
    c->begun = true;
    c->origin = start;
    c->own = !is_known(stamp, now) || robo__clock_is_own(start, stamp);
    c->began = c->own ? now : start;
}

bool robo__clock_bring(struct robo__clock *c, robo_time *start, robo_time stamp, robo_time now)
{
    robo_time after;
    if (*start == ROBO_AT_ONCE) {
        *start = is_known(stamp, now) ? stamp : now;
        return true;
    }
    if (c->counts && !c->begun)
        begin(c, *start, stamp, now);
    if (!c->counts)
        return llabs(robo__time_since(*start, now)) <= ROBO__MOST_TIME;
    if (__builtin_sub_overflow(*start, c->origin, &after) || after < -ROBO__HORIZON ||
        after > now - c->began + ROBO__HORIZON)
        return false;
    *start = c->began + after;
    return true;
}

/* When a package was sent. Its stamp is the earliest that is possible, and the more so the longer its sender has not looked
 * at the clock; a start just after it is that of a frame which was sent when it should be. */
static robo_time sent_at(robo_time start, robo_time stamp, robo_time now)
{
    bool known = is_known(stamp, now),
         paced = known && start >= stamp && start - stamp < PACED && start <= now;
    return known && !paced ? stamp : start;
}

static void count_package(struct robo__arrivals *a, const struct robo_cmd *cmds, size_t n,
                          robo_time stamp, robo_time now)
{
    robo_time first = cmds[0].start;
    for (size_t i = 1; i < n; i++)
        if (cmds[i].start < first)
            first = cmds[i].start;
    robo_time sent = sent_at(first, stamp, now);
    if (a->packages > 0) {
        double gap = seconds(now - a->last_arrival), before = gap - a->gap_mean;
        a->gap_mean += before / (double)a->packages;
        a->gap_m2 += before * (gap - a->gap_mean);
        a->send_gap[(a->packages - 1) % ROBO__SEND_GAPS] = (float)seconds(sent - a->last_sent);
    } else {
        a->first_arrival = now;
    }
    if (a->traffic)
        robo__traffic_note(a->traffic, sent, now);
    a->packages++;
    a->last_arrival = now;
    a->last_sent = sent;
    a->newest_start = first;
}

static void count_frame(struct robo__arrivals *a, robo_time start, robo_time now)
{
    robo_time late = now - start;
    if (a->frames == 0) {
        a->first_start = a->last_start = start;
        a->least = a->worst = late;
        a->frames = 1;
        return;
    }
    if (start != a->last_start)
        a->frames++;
    if (start - a->last_start > a->longest_gap)
        a->longest_gap = start - a->last_start;
    if (start > a->last_start)
        a->last_start = start;
    if (start < a->first_start)
        a->first_start = start;
    if (late < a->least)
        a->least = late;
    if (late > a->worst)
        a->worst = late;
}

void robo__arrivals_count(struct robo__arrivals *a, const struct robo_cmd *cmds, size_t n,
                          robo_time stamp, robo_time now)
{
    count_package(a, cmds, n, stamp, now);
    for (size_t i = 0; i < n; i++)
        count_frame(a, cmds[i].start, now);
}

static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Between the sending of two packages, as a rule: one pause of the sender's says nothing. */
static double send_gap(const struct robo__arrivals *a, double otherwise)
{
    float gap[ROBO__SEND_GAPS] = { 0 };
    size_t n = a->packages > ROBO__SEND_GAPS ? ROBO__SEND_GAPS
               : a->packages > 0             ? (size_t)a->packages - 1
                                             : 0;
    for (size_t i = 0; i < n; i++)
        gap[i] = a->send_gap[i];
    qsort(gap, n, sizeof gap[0], by_size);
    return n > 0 ? (double)gap[n / 2] : otherwise;
}

uint32_t robo__arrivals_known(const struct robo__arrivals *a)
{
    if (!a->traffic)
        return 0;
    uint32_t all = a->traffic->count, own = a->packages < all ? (uint32_t)a->packages : all;
    /* earlier knowledge is believed as long as this sequence's own packages are like it */
    return a->pauses == 0 && robo__traffic_differs(a->traffic, own) ? own : all;
}

struct robo__pace robo__arrivals_pace(const struct robo__arrivals *a)
{
    return a->traffic ? robo__traffic_pace(a->traffic, robo__arrivals_known(a))
                      : (struct robo__pace){ 0 };
}

double robo__arrivals_need(const struct robo__arrivals *a, double certainty, double rest,
                           double gap, robo_time now)
{
    if (!a->traffic || a->packages == 0)
        return 0;
    double packed = (double)a->frames / (double)a->packages;
    struct robo__outlook o = { .lateness = seconds(a->last_arrival - a->newest_start),
                               .way = seconds(a->last_arrival - a->last_sent),
                               .start_gap = gap * packed,
                               .rest = ceil(rest / packed),
                               .known = robo__arrivals_known(a),
                               .accident = a->pauses > 0 };
    o.send_gap = send_gap(a, o.start_gap);
    o.overdue = seconds(now - a->last_sent) - o.send_gap;
    return robo__traffic_need(a->traffic, &o, certainty, a->packages);
}
