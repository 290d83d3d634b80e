#include "intervals.h"

static const robo_time MS = 1000000;

static bool is_ruled(const struct robo__rcml_group *rules)
{
    return rules->interval[0] >= 0 && rules->interval[1] >= 0;
}

void robo__rctp_pace_begin(struct robo__rctp_pace *pace, const struct robo__rcml_group *rules,
                           robo_time now)
{
    *pace =
        (struct robo__rctp_pace){ .rules = *rules, .begun = now, .accepted = now, .heard = now };
}

void robo__rctp_pace_heard(struct robo__rctp_pace *pace, robo_time now)
{
    pace->heard = now;
}

enum robo__rctp_pace_verdict robo__rctp_pace_frame(struct robo__rctp_pace *pace, robo_time now)
{
    pace->heard = now;
    if (pace->waits)
        return ROBO__RCTP_LOCKED;
    if (pace->any && is_ruled(&pace->rules) && now - pace->accepted < pace->rules.interval[0] * MS)
        return ROBO__RCTP_EARLY;
    pace->accepted = now;
    pace->any = true;
    pace->waits = pace->rules.lock;
    return ROBO__RCTP_ACCEPTED;
}

bool robo__rctp_pace_permit(struct robo__rctp_pace *pace)
{
    const bool told = pace->waits;
    pace->waits = false;
    return told;
}

robo_time robo__rctp_pace_due(const struct robo__rctp_pace *pace)
{
    const struct robo__rcml_group *rules = &pace->rules;
    if (!is_ruled(rules) || rules->interval[1] == 0)
        return ROBO_NEVER;
    /* who may not send a command is heard by keep-alives, and so is who sends only what changes */
    const bool alive = rules->event_driven || pace->waits;
    return (alive ? pace->heard : pace->accepted) + rules->interval[1] * MS + rules->unit;
}

/* How many whole units lie between the session's begin and an instant. */
static int64_t units_at(const struct robo__rctp_pace *pace, robo_time instant)
{
    const robo_time since = instant - pace->begun, unit = pace->rules.unit;
    return since / unit - (since % unit < 0);
}

uint64_t robo__rctp_pace_stamp(const struct robo__rctp_pace *pace, robo_time instant)
{
    const unsigned size = pace->rules.stamp_size;
    const uint64_t units = (uint64_t)units_at(pace, instant);
    return size < 8 ? units & ((UINT64_C(1) << 8 * size) - 1) : units;
}

/* A difference of stamps of so many bytes as a number with a sign (RFC 1982). */
static int64_t signed_of(uint64_t difference, unsigned size)
{
    const unsigned unused = 64 - 8 * size;
    return (int64_t)(difference << unused) >> unused;
}

bool robo__rctp_pace_date(const struct robo__rctp_pace *pace, uint64_t stamp, robo_time now,
                          robo_time *start)
{
    const unsigned size = pace->rules.stamp_size;
    if (size == 0) {
        *start = ROBO_AT_ONCE;
        return true;
    }
    const robo_time unit = pace->rules.unit;
    const int64_t units = units_at(pace, now), away = signed_of(stamp - (uint64_t)units, size),
                  most = ROBO__HORIZON / unit;
    if (away > most || away < -most)
        return false;
    *start = pace->begun + (units + away) * unit;
    return true;
}
