/* The RoboTalk protocol, client side: clock synchronisation and heartbeats, which are mostly the same packages. */
#include "client_internal.h"
#include "base/time.h"

static const robo_time GREETING_TIMEOUT = 30LL * 1000000000;
/* Heartbeats: three within the shortest deadman time, or within the usual one of 0.5 s; but a server cannot demand more
 * than a hundred a second by granting a shorter one. */
static const robo_time LIFE = 150 * 1000000, LEAST_LIFE = 10 * 1000000;
/* Period of clock exchanges while connected. */
static const robo_time EXCHANGE = 2LL * 1000000000;
/* After how long an exchange without an answer counts as lost: twice the last trip, and twice as long again while
 * nothing at all is received, within these bounds. On a link that is slower than the heartbeats they would make
 * it ever slower. */
static const robo_time LOST = 1000000000, LONG_LOST = 32LL * 1000000000;
/* After so many lost exchanges in a row, eight minutes, the server counts as dead, even if its machine keeps the
 * connection. */
enum { MOST_LOST = 20 };
/* After connecting: enough for one good round trip on an uneven link. */
enum { FIRST_PROBES = 8 };
static const robo_time FIRST_PROBE_SPAN = 1000000000;

robo_time robo__client_from_server(const robo_client *c, robo_time time)
{
    robo_time off;
    return robo__sync_from_server(&c->sync, robo__time_cut(time), &off);
}

/* Notes that the next query is an exchange of readings, which begins now: hello or sync. The oldest of too many that were
 * never answered is given up. */
static const struct robo__exchange *begin_exchange(robo_client *c)
{
    struct robo__exchange *e = &c->exchange[c->exchange_next++ % ROBO__CLIENT_EXCHANGES];
    struct robo__cached_answer *old = robo__cache_find(&c->cache, e->id);
    if (old)
        robo__cache_remove(&c->cache, old);
    *e = (struct robo__exchange){ .id = robo__client_next_id(c), .sent = robo_now(c->world) };
    return e;
}

static void exchange(robo_client *c)
{
    /* noted first: an ideal loopback answers before robo__client_request returns */
    const struct robo__exchange *e = begin_exchange(c);
    c->last_exchange = e->sent;
    c->probing = e->id;
    robo__client_request(c, ROBO_Q_SYNC, &(struct robo_request_sync){ .sent = e->sent });
}

static robo_time patience_for(robo_time span)
{
    return span < LOST ? LOST : span > LONG_LOST ? LONG_LOST : span;
}

static bool is_exchange_under_way(const robo_client *c)
{
    const struct robo__cached_answer *a = robo__cache_find(&c->cache, c->probing);
    return a && !a->done;
}

/* Ends an exchange: its round trip, or a negative number when its readings are impossible. */
static robo_time end_exchange(robo_client *c, uint32_t id, robo_time received, robo_time replied,
                              robo_time now)
{
    struct robo__exchange *e = c->exchange, *end = e + ROBO__CLIENT_EXCHANGES;
    while (e < end && e->id != id)
        e++;
    if (e == end)
        return ROBO_ENONE;
    e->id = 0;
    /* the wire rounds to microseconds; so do we, else a trip within one instant looks negative, and the
       clock of this very process a little off */
    robo_time sent = (e->sent + 500) / 1000 * 1000, back = (now + 500) / 1000 * 1000;
    robo_time there = robo__time_cut(replied) - robo__time_cut(received);
    if (back - sent < there && back - sent >= there - 2000)
        back = sent + there;
    int error = robo__sync_add(&c->sync, sent, received, replied, back);
    return error < 0 ? error : back - sent - there;
}

uint32_t robo__pulse_greet(robo_client *c, robo_time now)
{
    c->lost = 0;
    c->last_train = 0;
    robo__sync_init(&c->sync); /* it may be another server with another clock */
    robo__timer_start(c->host->timers, &c->life, now + GREETING_TIMEOUT);
    return begin_exchange(c)->id;
}

void robo__pulse_greeted(robo_client *c, robo_time server_now, robo_time now)
{
    end_exchange(c, c->hello, server_now, server_now, now);
    c->patience = LOST;
    robo_client_probe(c, FIRST_PROBES, FIRST_PROBE_SPAN);
    robo__pulse_arm(c, now);
}

void robo_client_probe(robo_client *c, uint32_t count, robo_time span)
{
    ROBO__LOCKED(c);
    c->probes_left = count;
    c->probe_until = robo_now(c->world) + robo__time_cut(span);
    if (c->state != ROBO__UP || count == 0)
        return;
    /* trips are measured again, and alone on the link: an exchange under way goes first and does not count */
    c->exchanges = 0;
    c->crowded = is_exchange_under_way(c);
    if (!c->crowded)
        exchange(c);
}

void robo_client_train(robo_client *c, uint32_t count)
{
    ROBO__LOCKED(c);
    if (c->state != ROBO__UP || count == 0)
        return;
    for (uint32_t i = 1; i < count; i++)
        robo__client_header(c, 0, 0, 0);
    c->probes_left = 1;
    c->probe_until = robo_now(c->world);
    c->crowded = true; /* its trip is that of the whole train */
    exchange(c);
}

void robo__pulse_synced(robo_client *c, uint32_t id, const struct robo_reply_sync *a, robo_time now)
{
    robo_time trip = end_exchange(c, id, a->received, a->replied, now);
    if (trip < 0)
        return;
    c->patience = patience_for(2 * trip);
    if (!c->crowded) {
        if (c->exchanges++ == 0)
            c->greatest_trip = c->least_trip = trip;
        if (trip > c->greatest_trip)
            c->greatest_trip = trip;
        if (trip < c->least_trip)
            c->least_trip = trip;
    }
    if (id != c->probing)
        return;
    c->crowded = false;
    if (c->probes_left == 0)
        return;
    if (--c->probes_left > 0 && now < c->probe_until)
        exchange(c);
    else
        c->probes_left = 0;
    if (c->probes_left == 0)
        robo__client_event(c, ROBO_EVENT_REPLY, ROBO_Q_SYNC, 0, id);
}

/* Period of heartbeats: a third of the shortest deadman time. *any: whether a session needs them at all. */
static robo_time life_span(const robo_client *c, bool *any)
{
    robo_time every = LIFE;
    *any = false;
    for (size_t i = 0; i < ROBO__CLIENT_SESSIONS; i++) {
        const struct robo__client_session *s = &c->session[i];
        if (!s->open || s->deadman <= 0)
            continue;
        *any |= s->commanded; /* a session that has moved nothing needs none */
        if (s->deadman / 3 < every)
            every = s->deadman / 3;
    }
    return every > LEAST_LIFE ? every : LEAST_LIFE;
}

void robo__pulse_arm(robo_client *c, robo_time now)
{
    bool any;
    robo__timer_start(c->host->timers, &c->life, now + life_span(c, &any));
}

/* Silence would stop the robots (deadman): sends a heartbeat when nothing else was sent, and follows the drift of the
 * clock now and then. More would only fill a slow link. */
void robo__pulse_tick(struct robo__timer *timer, robo_time now)
{
    robo_client *c = robo__container_of(timer, robo_client, life);
    if (c->state == ROBO__GREETING || c->lost == MOST_LOST) {
        robo__client_drop(c, ROBO_ELINK, "the server does not answer", now);
        return;
    }
    bool any;
    robo_time every = life_span(c, &any);
    robo__timer_start(c->host->timers, &c->life, now + every);
    /* one exchange at a time: on a link that is slower than the period they would pile up before the commands; and none
       within a sequence, where a frame would have to wait for it and no clock is needed */
    bool under_way = is_exchange_under_way(c),
         waiting = under_way && now - c->last_exchange < c->patience,
         silent = now - c->last_sent >= every,
         old = now - c->last_exchange >= EXCHANGE && now - c->last_frame >= EXCHANGE / 2;
    if (!waiting && (silent || old || c->sync.contradictions > 0)) {
        if (under_way && c->last_heard <= c->last_exchange) {
            c->patience = patience_for(2 * c->patience);
            c->lost++;
        }
        exchange(c);
    } else if (any && silent && now - c->last_exchange < c->least_trip) {
        /* a long transit is no silence: bare headers are sent for as long as the shortest trip takes; beyond that the
           link is slow, and they would make it slower */
        robo__client_header(c, 0, 0, 0);
    }
}
