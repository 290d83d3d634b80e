/* The RoboTalk protocol, client side: the life of a connection, and what comes in on it. */
#include "client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client_internal.h"
#include "serve.h"
#include "status.h"
#include "time.h"

enum { FIRST_EVENTS = 64, SPARE_EVENTS = 8 };

static const robo_time CONNECT_TIMEOUT = 5LL * 1000000000, FIRST_RETRY = 100 * 1000000,
                       LAST_RETRY = 2LL * 1000000000;

static robo_time now_of(const robo_client *c)
{
    return robo_now(c->world);
}

static void notify(robo_client *c)
{
    if (c->options.notify)
        c->options.notify(c);
}

bool robo__client_room(robo_client *c, size_t n)
{
    size_t want = c->event_count + c->cache.pending + n + SPARE_EVENTS;
    size_t size = c->event_size ? c->event_size : FIRST_EVENTS;
    while (size < want && size < ROBO__CLIENT_EVENTS)
        size *= 2;
    if (size == c->event_size)
        return true;
    struct robo_event *event = malloc(size * sizeof *event);
    if (!event)
        return false;
    for (size_t i = 0; i < c->event_count; i++)
        event[i] = c->event[(c->event_first + i) % c->event_size];
    free(c->event);
    c->event = event;
    c->event_size = size;
    c->event_first = 0;
    return true;
}

void robo__client_event(robo_client *c, int kind, uint16_t op, uint32_t session, uint32_t id)
{
    /* what was asked for has its room since then; without memory a notice or a broadcast is lost */
    bool unasked = kind == ROBO_EVENT_NOTICE || op == ROBO_Q_BROADCAST;
    if (unasked && !robo__client_room(c, 1))
        return;
    if (c->event_count == c->event_size) {
        /* nobody takes them: the oldest goes, and its answer with it */
        struct robo__answer *old = robo__cache_find(&c->cache, c->event[c->event_first].id);
        if (old && old->done && old->op != ROBO_Q_BROADCAST) /* which goes on */
            robo__cache_remove(&c->cache, old);
        c->event_first = (c->event_first + 1) % c->event_size;
        c->event_count--;
    }
    c->event[(c->event_first + c->event_count++) % c->event_size] =
        (struct robo_event){ .kind = kind, .op = op, .session = session, .id = id };
}

/* What a server says may end on a terminal: no control characters. */
static void keep_words(robo_client *c, const char *text)
{
    size_t i = 0;
    for (; i < sizeof c->why - 1 && text[i]; i++)
        c->why[i] = (unsigned char)text[i] < ' ' || text[i] == 127 ? '?' : text[i];
    c->why[i] = 0;
}

/* ---- answers that will not come ---- */

/* Answers in the client's own words what the server will not answer any more, each once: all of a session, or with 0 all
 * there is. */
static void end_answers(robo_client *c, uint32_t session, int error, enum robo_signal signal,
                        enum robo_reason why, robo_time now)
{
    size_t left = 0;
    for (size_t i = 0; i < c->cache.size; i++) {
        struct robo__answer *a = &c->cache.slot[i];
        /* a broadcast goes on being answered */
        bool done = a->done && (a->op != ROBO_Q_BROADCAST || a->error < 0),
             open = a->id != 0 && !a->own && !done;
        if (!open || (session != 0 && a->session != session))
            continue;
        a->error = error;
        a->result = (struct robo_result){ .id = a->id,
                                          .op = a->op,
                                          .signal = (uint8_t)signal,
                                          .reason = (uint8_t)why,
                                          .finished = now };
        a->untold = true;
        left++;
        robo__cache_done(&c->cache, a);
    }
    /* telling may throw out old answers, and so move others behind those that were looked at */
    while (left > 0) {
        for (size_t i = 0; i < c->cache.size; i++) {
            struct robo__answer *a = &c->cache.slot[i];
            if (a->id == 0 || !a->untold)
                continue;
            a->untold = false;
            left--;
            robo__client_event(c, a->query ? ROBO_EVENT_REPLY : ROBO_EVENT_RESULT, a->op,
                               a->session, a->id);
        }
    }
}

/* The server has closed a session, after it has answered what that ended; one that has not is answered for. */
static void end_session(robo_client *c, uint32_t session, robo_time now)
{
    if (session != 0)
        end_answers(c, session, ROBO_ECLOSED, ROBO_INTERRUPTED, ROBO_WHY_CLOSED, now);
}

static void drop_own_answers(robo_client *c)
{
    /* taking one out may move another into its place */
    for (size_t i = 0; i < c->cache.size;) {
        if (c->cache.slot[i].id != 0 && c->cache.slot[i].own)
            robo__cache_remove(&c->cache, &c->cache.slot[i]);
        else
            i++;
    }
}

/* ---- up and down ---- */

static void retry_later(robo_client *c, robo_time now)
{
    c->state = ROBO__DOWN;
    if (!c->options.reconnect)
        return;
    /* a server that greets and hangs up is not asked again at once for ever */
    if (c->up_since != 0 && now - c->up_since > LAST_RETRY)
        c->retry_after = 0;
    c->up_since = 0;
    c->retry_after = c->retry_after ? 2 * c->retry_after : FIRST_RETRY;
    if (c->retry_after > LAST_RETRY)
        c->retry_after = LAST_RETRY;
    robo__timer_start(c->host->timers, &c->retry, now + c->retry_after);
}

static void go_down(robo_client *c, int error, const char *why, robo_time now)
{
    bool was_down = c->state == ROBO__DOWN;
    c->error = error;
    keep_words(c, why);
    robo__timer_stop(c->host->timers, &c->life);
    c->probes_left = 0;
    for (size_t i = 0; i < ROBO__CLIENT_SESSIONS; i++)
        c->session[i].open = false;
    end_answers(c, 0, error, ROBO_ERROR, ROBO_WHY_LINK, now);
    drop_own_answers(c);
    if (!was_down || !c->options.reconnect)
        robo__client_event(c, ROBO_EVENT_LINK, (uint16_t)-error, 0, 0);
    retry_later(c, now);
    notify(c);
}

void robo__client_drop(robo_client *c, int error, const char *why, robo_time now)
{
    robo__stream_close(&c->stream);
    go_down(c, error, why, now);
}

static void on_lost(struct robo__stream *stream, int error, const char *why, robo_time now)
{
    go_down(robo__container_of(stream, robo_client, stream), error, why, now);
}

static void on_opened(struct robo__stream *stream, robo_time now)
{
    robo_client *c = robo__container_of(stream, robo_client, stream);
    c->state = ROBO__GREETING;
    struct robo_ask_hello ask = { .lowest = ROBO_VERSION, .highest = ROBO_VERSION };
    snprintf(ask.name, sizeof ask.name, "robotalk");
    c->hello = robo__pulse_greet(c, now);
    int64_t id = robo__client_ask(c, ROBO_Q_HELLO, &ask);
    if (id < 0) {
        robo__stream_close(stream);
        go_down(c, (int)id, robo_strerror((int)id), now);
    }
}

static void on_hello(robo_client *c, const struct robo_answer_hello *a, robo_time now)
{
    if (a->version != ROBO_VERSION) { /* none that it was offered */
        robo__client_drop(c, ROBO_EVERSION, robo_strerror(ROBO_EVERSION), now);
        return;
    }
    c->state = ROBO__UP;
    c->error = 0;
    c->up_since = now;
    robo__pulse_greeted(c, a->now, now);
    for (size_t i = 0; i < ROBO__CLIENT_SESSIONS; i++) {
        int error = c->session[i].used ? robo__client_open_session(c, &c->session[i], true) : 0;
        if (error < 0 && c->stream.up) /* no memory for it: all of it once more, later */
            robo__client_drop(c, error, robo_strerror(error), now);
        if (!c->stream.up)
            return;
    }
    robo__client_event(c, ROBO_EVENT_LINK, 0, 0, 0);
}

static void connect_now(robo_client *c)
{
    c->state = ROBO__CONNECTING;
    int error = robo__stream_open(&c->stream, &c->url, CONNECT_TIMEOUT,
                                  c->options.protocol ? c->options.protocol : &robo__robotalk,
                                  c->options.channel ? &c->channel : NULL);
    if (error < 0)
        go_down(c, error, robo_strerror(error), now_of(c));
}

static void on_retry(struct robo__timer *timer, robo_time now)
{
    (void)now;
    connect_now(robo__container_of(timer, robo_client, retry));
}

/* ---- packages in ---- */

static struct robo__client_session *by_wire(robo_client *c, uint32_t wire)
{
    for (size_t i = 0; i < ROBO__CLIENT_SESSIONS; i++)
        if (c->session[i].open && c->session[i].wire == wire)
            return &c->session[i];
    return NULL;
}

/* The instants of a result onto our clock: all by the same, so that what lies between them stays. */
static void take_home(const robo_client *c, struct robo_result *r)
{
    robo_time there = robo__time_cut(r->executed ? r->executed : r->finished);
    robo_time here = robo__sync_from_server(&c->sync, there, &r->uncertainty);
    robo_time *times[] = { &r->scheduled, &r->executed, &r->finished };
    for (size_t i = 0; i < 3; i++)
        if (*times[i] != 0)
            *times[i] = robo__time_cut(*times[i]) + (here - there);
}

static void on_signal(robo_client *c, const struct robo_entry *entry, const uint8_t *body)
{
    struct robo_result result;
    struct robo__answer *a = robo__cache_find(&c->cache, entry->id);
    if (!a || a->done || a->query)
        return;                                        /* for nobody, or twice */
    if (robo__result_decode(entry, body, &result) < 0) /* no other word will come */
        result = (struct robo_result){ .id = a->id,
                                       .op = a->op,
                                       .signal = ROBO_ERROR,
                                       .reason = ROBO_WHY_MALFORMED,
                                       .finished = now_of(c) };
    else
        take_home(c, &result);
    a->result = result;
    robo__cache_done(&c->cache, a);
    robo__client_event(c, ROBO_EVENT_RESULT, a->op, a->session, a->id);
}

static void on_opened_session(robo_client *c, uint32_t id, const struct robo_answer_open *a)
{
    for (size_t i = 0; i < ROBO__CLIENT_SESSIONS; i++) {
        struct robo__client_session *s = &c->session[i];
        if (!s->used || s->opening != id)
            continue;
        s->opening = 0;
        s->open = true;
        s->wire = a->session;
        s->epoch = a->epoch;
        s->stops = a->stops;
        s->panic = a->panic != 0;
        s->blocking = a->blocking != 0;
        s->holds = a->holds != 0;
        s->deadman = a->deadman;
        robo__pulse_arm(c, now_of(c)); /* its deadman may be shorter than the beat so far */
        if (!s->blocking)
            c->last_frame = now_of(c); /* its first frame shall find the link free */
        return;
    }
    robo__client_close_wire(c, a->session); /* ended by its owner before it was open */
}

/* The instants of an answer onto our clock. */
static void convert_times(robo_client *c, uint16_t op, void *body)
{
    if (op == ROBO_Q_STATE || op == ROBO_Q_BROADCAST) {
        struct robo_state *state = body;
        state->time = robo__client_from_server(c, state->time);
    } else if (op == ROBO_Q_PAUSES) {
        struct robo_answer_pauses *pauses = body;
        for (unsigned i = 0; i < pauses->kept; i++)
            pauses->due[i] = robo__client_from_server(c, pauses->due[i]);
    }
}

static void on_reply(robo_client *c, const struct robo_entry *entry, const uint8_t *body,
                     robo_time now)
{
    struct robo__answer *a = robo__cache_find(&c->cache, entry->id);
    const struct robo__op *op = robo__op_find(robo__queries, entry->op);
    if (!a || !a->query || !op || a->op != entry->op || (a->done && entry->op != ROBO_Q_BROADCAST))
        return;
    /* what the client itself acts on needs no memory; who waits for an answer that finds none is told so */
    union {
        struct robo_answer_hello hello;
        struct robo_answer_sync sync;
        struct robo_answer_open open;
    } acted = { 0 };
    uint32_t session = a->session;
    bool own = a->own;
    if (!own && !a->body)
        a->body = calloc(1, op->answer->size ? op->answer->size : 1);
    void *answer = a->body ? a->body : own || entry->op == ROBO_Q_OPEN ? &acted : NULL;
    int error = answer ? robo__decode_whole(op->answer, body, entry->size, answer, NULL) : 0;
    if (error < 0)
        return;
    a->error = own || a->body ? 0 : ROBO_ENOMEM;
    a->size = op->answer->size;
    if (answer)
        convert_times(c, entry->op, answer);
    robo__cache_done(&c->cache, a);
    if (own)
        robo__cache_remove(&c->cache, a);
    if (entry->op == ROBO_Q_SYNC && own)
        robo__pulse_synced(c, entry->id, answer, now);
    else if (entry->op == ROBO_Q_HELLO && entry->id == c->hello)
        on_hello(c, answer, now);
    else if (entry->op == ROBO_Q_OPEN)
        on_opened_session(c, entry->id, answer);
    else if (entry->op == ROBO_Q_CLOSE)
        end_session(c, session, now);
    if (!own || entry->op == ROBO_Q_OPEN)
        robo__client_event(c, ROBO_EVENT_REPLY, entry->op, session, entry->id);
}

/* A session that the server does not open again after a lost link is over. */
static void on_refused(robo_client *c, uint32_t id)
{
    for (size_t i = 0; i < ROBO__CLIENT_SESSIONS; i++) {
        struct robo__client_session *s = &c->session[i];
        if (!s->used || s->opening != id)
            continue;
        s->used = false;
        robo__client_event(c, ROBO_EVENT_NOTICE, ROBO_N_REMOVED, s->number, 0);
    }
}

static void on_fault(robo_client *c, const struct robo_notice_fault *fault, uint32_t session)
{
    int error = fault->code ? -(int)fault->code : ROBO_EBODY;
    keep_words(c, fault->text);
    struct robo__answer *a = robo__cache_find(&c->cache, fault->query);
    if (!a || a->done) {
        robo__client_event(c, ROBO_EVENT_NOTICE, ROBO_N_FAULT, session, fault->code);
        return;
    }
    uint16_t op = a->op;
    uint32_t of = a->session;
    if (a->own) {
        robo__cache_remove(&c->cache, a);
        bool greets = fault->query == c->hello && c->state == ROBO__GREETING;
        if (greets || (op == ROBO_Q_OPEN && error == ROBO_ENOMEM)) /* later there may be some */
            robo__client_drop(c, error, c->why, now_of(c));
        else if (op == ROBO_Q_OPEN)
            on_refused(c, fault->query);
    } else if (a->query) { /* the signal of a command follows */
        a->error = error;
        robo__cache_done(&c->cache, a);
        robo__client_event(c, ROBO_EVENT_REPLY, op, of, a->id);
    }
    if (op == ROBO_Q_CLOSE) /* the server knows no such session any more */
        end_session(c, of, now_of(c));
}

static void on_notice(robo_client *c, uint32_t wire, const struct robo_entry *entry,
                      const uint8_t *body)
{
    union {
        struct robo_notice_fault fault;
        struct robo_notice_panicked panicked;
        struct robo_notice_deadman deadman;
        struct robo_notice_changed changed;
        struct robo_notice_stopped stopped;
        struct robo_notice_paused paused;
        struct robo_notice_resumed resumed;
    } msg = { 0 };
    const struct robo__op *op = robo__op_find(robo__notices, entry->op);
    if (!op || robo__decode_whole(op->ask, body, entry->size, &msg, NULL) < 0)
        return;
    struct robo__client_session *s = by_wire(c, wire);
    uint32_t session = s ? s->number : 0, id = 0;
    if (s && (entry->op == ROBO_N_PANICKED || entry->op == ROBO_N_RESET)) {
        id = msg.panicked.epoch;
        if ((int32_t)(id - s->epoch) < 0)
            return; /* overtaken by a later one */
        s->epoch = id;
        s->panic = entry->op == ROBO_N_PANICKED;
    } else if (s && entry->op == ROBO_N_STOPPED) {
        id = msg.stopped.stops;
        if ((int32_t)(id - s->stops) < 0)
            return; /* overtaken by a later one */
        s->stops = id;
    } else if (entry->op == ROBO_N_CHANGED) {
        id = msg.changed.generation;
    } else if (entry->op == ROBO_N_PAUSED || entry->op == ROBO_N_RESUMED) {
        id = msg.paused.count; /* both begin with it */
    } else if (s && entry->op == ROBO_N_REMOVED) {
        s->used = s->open = false;
        end_session(c, session, now_of(c));
    } else if (entry->op == ROBO_N_FAULT) {
        on_fault(c, &msg.fault, session);
        return;
    }
    robo__client_event(c, ROBO_EVENT_NOTICE, entry->op, session, id);
}

static void work_package(robo_client *c, const struct robo_header *header, const uint8_t *payload,
                         robo_time now)
{
    size_t at = 0;
    struct robo_entry entry;
    const uint8_t *body;
    while (c->stream.up && robo__next_entry(payload, header->size, &at, &entry, &body) == 1) {
        if (header->type == ROBO_TYPE_SIGNAL)
            on_signal(c, &entry, body);
        else if (header->type == ROBO_TYPE_REPLY)
            on_reply(c, &entry, body, now);
        else if (header->type == ROBO_TYPE_NOTICE)
            on_notice(c, header->session, &entry, body);
    }
}

static size_t on_received(struct robo__stream *stream, const uint8_t *bytes, size_t n,
                          robo_time now)
{
    robo_client *c = robo__container_of(stream, robo_client, stream);
    size_t used = 0;
    c->working = true;
    c->last_heard = now;
    c->lost = 0;
    while (n - used >= ROBO__HEADER_SIZE && stream->up) {
        struct robo_header header;
        int error = robo__header_decode(bytes + used, &header);
        if (error < 0) {
            c->working = false;
            robo__client_drop(c, error, robo_strerror(error), now);
            return 0;
        }
        if (n - used < ROBO__HEADER_SIZE + (size_t)header.size)
            break;
        work_package(c, &header, bytes + used + ROBO__HEADER_SIZE, now);
        used += ROBO__HEADER_SIZE + (size_t)header.size;
    }
    c->working = false;
    notify(c);
    robo__stream_flush(stream, now);
    return used;
}

/* ---- life ---- */

robo_client *robo__client_open(robo *world, const char *url,
                               const struct robo__client_options *options, int *error,
                               char why[256])
{
    struct robo__url parsed;
    *error = robo__url_parse(url, &parsed, why);
    if (*error < 0)
        return NULL;
    robo_client *c = calloc(1, sizeof *c);
    if (!c || !robo__client_room(c, 0)) {
        free(c);
        *error = ROBO_ENOMEM;
        return NULL;
    }
    c->world = world;
    c->options = *options;
    if (options->channel)
        c->channel = *options->channel;
    c->host = options->host;
    c->url = parsed;
    c->retry.fire = on_retry;
    c->life.fire = robo__pulse_beat;
    robo__sync_init(&c->sync);
    robo__stream_init(&c->stream, options->host, options->loop);
    c->stream.opened = on_opened;
    c->stream.received = on_received;
    c->stream.lost = on_lost;
    connect_now(c);
    return c;
}

robo_client *robo_connect(robo *world, const char *url, robo_time timeout, int *error,
                          char text[256])
{
    char ignored[256];
    int unused;
    if (!error)
        error = &unused;
    if (!text)
        text = ignored;
    struct robo__client_options options = { 0 };
    struct robo__host *host = NULL;
    if (world->is_virtual) {
        options.host = host = calloc(1, sizeof *host);
        if (host)
            robo__host_init(host, world, NULL);
    } else {
        options.loop = robo__loop_open(world);
        options.host = options.loop ? &options.loop->host : NULL;
    }
    if (!options.host) {
        *error = ROBO_ESYSTEM;
        return NULL;
    }
    robo_client *c = robo__client_open(world, url, &options, error, text);
    if (c) {
        c->own_loop = options.loop;
        c->own_host = host;
        robo_time until = now_of(c) + robo__time_cut(timeout);
        while ((c->state == ROBO__CONNECTING || c->state == ROBO__GREETING || c->probes_left > 0) &&
               now_of(c) < until)
            robo_poll(c, until - now_of(c));
        if (c->state == ROBO__UP) {
            *error = 0;
            return c;
        }
        *error = c->error ? c->error : ROBO_ETIMEOUT;
        snprintf(text, 256, "%s", c->error ? c->why : robo_strerror(ROBO_ETIMEOUT));
        robo_disconnect(c);
        return NULL;
    }
    if (options.loop)
        robo__loop_close(options.loop);
    if (host) {
        robo__host_free(host);
        free(host);
    }
    return NULL;
}

void robo_disconnect(robo_client *c)
{
    if (!c)
        return;
    robo__stream_close(&c->stream);
    robo__timer_stop(c->host->timers, &c->life);
    robo__timer_stop(c->host->timers, &c->retry);
    robo__cache_free(&c->cache);
    free(c->event);
    if (c->own_loop)
        robo__loop_close(c->own_loop);
    if (c->own_host) {
        robo__host_free(c->own_host);
        free(c->own_host);
    }
    free(c);
}
