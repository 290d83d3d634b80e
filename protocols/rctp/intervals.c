#include "intervals.h"

static const robo_time MS = 1000000;

static bool is_ruled(const struct robo__rcml_group *rules)
{
    return rules->interval[0] >= 0 && rules->interval[1] >= 0;
}

void robo__rctp_intervals_begin(struct robo__rctp_intervals *intervals,
                                const struct robo__rcml_group *rules, robo_time now)
{
    *intervals = (struct robo__rctp_intervals){
        .rules = *rules, .begun = now, .accepted = now, .heard = now
    };
}

void robo__rctp_intervals_heard(struct robo__rctp_intervals *intervals, robo_time now)
{
    intervals->heard = now;
}

enum robo__rctp_verdict robo__rctp_intervals_accept(struct robo__rctp_intervals *intervals,
                                                    robo_time now)
{
    intervals->heard = now;
    if (intervals->waits)
        return ROBO__RCTP_LOCKED;
    if (intervals->any && is_ruled(&intervals->rules) &&
        now - intervals->accepted < intervals->rules.interval[0] * MS)
        return ROBO__RCTP_EARLY;
    intervals->accepted = now;
    intervals->any = true;
    intervals->waits = intervals->rules.lock;
    return ROBO__RCTP_ACCEPTED;
}

bool robo__rctp_intervals_permit(struct robo__rctp_intervals *intervals)
{
    const bool told = intervals->waits;
    intervals->waits = false;
    return told;
}

robo_time robo__rctp_intervals_due(const struct robo__rctp_intervals *intervals)
{
    const struct robo__rcml_group *rules = &intervals->rules;
    if (!is_ruled(rules) || rules->interval[1] == 0)
        return ROBO_NEVER;
    /* a client that may not send a command shows its life by keep-alives, and so does a client
     * that sends only changes */
    const bool alive = rules->event_driven || intervals->waits;
    return (alive ? intervals->heard : intervals->accepted) + rules->interval[1] * MS + rules->unit;
}

/* How many whole units lie between the session's begin and an instant. */
static int64_t units_at(const struct robo__rctp_intervals *intervals, robo_time instant)
{
    const robo_time since = instant - intervals->begun, unit = intervals->rules.unit;
    return since / unit - (since % unit < 0);
}

uint64_t robo__rctp_intervals_stamp(const struct robo__rctp_intervals *intervals, robo_time instant)
{
    const unsigned size = intervals->rules.stamp_size;
    const uint64_t units = (uint64_t)units_at(intervals, instant);
    return size < 8 ? units & ((UINT64_C(1) << 8 * size) - 1) : units;
}

/* A difference of stamps of so many bytes as a number with a sign (RFC 1982). */
static int64_t signed_of(uint64_t difference, unsigned size)
{
    const unsigned unused = 64 - 8 * size;
    return (int64_t)(difference << unused) >> unused;
}

bool robo__rctp_intervals_date(const struct robo__rctp_intervals *intervals, uint64_t stamp,
                               robo_time now, robo_time *start)
{
    const unsigned size = intervals->rules.stamp_size;
    if (size == 0) {
        *start = ROBO_AT_ONCE;
        return true;
    }
    const robo_time unit = intervals->rules.unit;
    const int64_t units = units_at(intervals, now), away = signed_of(stamp - (uint64_t)units, size),
                  most = ROBO__HORIZON / unit;
    if (away > most || away < -most)
        return false;
    *start = intervals->begun + (units + away) * unit;
    return true;
}
