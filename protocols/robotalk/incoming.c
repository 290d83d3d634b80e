/* The RoboTalk protocol, client side: received packages, and the client's own answers when the server will not answer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "album.h"
#include "client_internal.h"
#include "base/time.h"

/* LATE, FAR: ns, of an answer and of a round trip; UNHEARD: bytes, fewer than the least that a server lets wait (window.c) */
static const robo_time LATE = 50 * 1000000, FAR = 2 * 1000000;
enum { UNHEARD = 512 };

void robo__client_end_answers(robo_client *c, uint32_t session, int error, enum robo_signal signal,
                              enum robo_reason why, robo_time now)
{
    size_t left = 0;
    for (size_t i = 0; i < c->cache.size; i++) {
        struct robo__cached_answer *a = &c->cache.slot[i];
        /* a broadcast goes on being answered */
        bool done = a->done && (!robo__goes_on(a->op) || a->error < 0),
             open = a->id != 0 && !a->own && !done;
        if (!open || (session != 0 && a->session != session))
            continue;
        a->error = error;
        a->result = (struct robo_result){ .id = a->id,
                                          .op = a->op,
                                          .signal = (uint8_t)signal,
                                          .reason = (uint8_t)why,
                                          .scheduled = ROBO_NO_TIME,
                                          .executed = ROBO_NO_TIME,
                                          .finished = now };
        a->untold = true;
        left++;
        robo__cache_done(&c->cache, a);
    }
    /* a notice may throw out old answers, and so move others behind those that were examined */
    while (left > 0) {
        for (size_t i = 0; i < c->cache.size; i++) {
            struct robo__cached_answer *a = &c->cache.slot[i];
            if (a->id == 0 || !a->untold)
                continue;
            a->untold = false;
            left--;
            robo__client_event(c, a->query ? ROBO_EVENT_REPLY : ROBO_EVENT_RESULT, a->op,
                               a->session, a->id);
        }
    }
}

/* The server has closed a session, after it has answered its commands; commands without an answer get the client's own. */
static void end_session(robo_client *c, uint32_t session, robo_time now)
{
    if (session != 0)
        robo__client_end_answers(c, session, ROBO_ECLOSED, ROBO_INTERRUPTED, ROBO_WHY_CLOSED, now);
}

static struct robo__client_session *by_wire(robo_client *c, uint32_t wire)
{
    for (size_t i = 0; i < ROBO__CLIENT_SESSIONS; i++)
        if (c->session[i].open && c->session[i].wire == wire)
            return &c->session[i];
    return NULL;
}

/* The session whose open query has that id. */
static struct robo__client_session *by_opening(robo_client *c, uint32_t id)
{
    for (size_t i = 0; i < ROBO__CLIENT_SESSIONS; i++)
        if (c->session[i].used && c->session[i].opening == id)
            return &c->session[i];
    return NULL;
}

/* The instants of a result onto our clock: all by the same offset, so that the intervals between them stay. */
static void take_home(const robo_client *c, struct robo_result *r)
{
    robo_time there = r->executed != ROBO_NO_TIME ? r->executed : r->finished;
    robo_time here = robo__sync_from_server(&c->sync, there, &r->uncertainty);
    robo_time *times[] = { &r->scheduled, &r->executed, &r->finished };
    for (size_t i = 0; i < 3; i++)
        if (*times[i] != ROBO_NO_TIME)
            *times[i] += here - there;
}

/* The results of the parts of a frame; without memory they are unknown. */
static void keep_parts(struct robo__cached_answer *a, const struct robo_entry *entry,
                       const uint8_t *body)
{
    ptrdiff_t count = robo_parts_decode(entry, body, NULL, 0);
    if (count <= 0 || !(a->body = calloc((size_t)count, sizeof(struct robo_part))))
        return;
    a->size = (size_t)count * sizeof(struct robo_part);
    robo_parts_decode(entry, body, a->body, (size_t)count);
}

/* A place for a result without a request: its session is notified of errors only. */
static struct robo__cached_answer *place_error(robo_client *c, const struct robo__client_session *s,
                                               const struct robo_entry *entry)
{
    struct robo__cached_answer *a =
        robo__client_room(c, 1) ? robo__cache_expect(&c->cache, entry->id) : NULL;
    if (a) {
        a->op = entry->op;
        a->session = s->number;
    }
    return a;
}

static void on_signal(robo_client *c, uint32_t wire, const struct robo_entry *entry,
                      const uint8_t *body)
{
    struct robo_result result;
    struct robo__cached_answer *a = robo__cache_find(&c->cache, entry->id);
    const struct robo__client_session *s = a ? NULL : by_wire(c, wire);
    if (s && s->errors && entry->id != 0)
        a = place_error(c, s, entry);
    if (!a || a->done || a->query)
        return;                                       /* without an owner, or a duplicate */
    if (robo_result_decode(entry, body, &result) < 0) /* no other result will come */
        result = (struct robo_result){ .id = a->id,
                                       .op = a->op,
                                       .signal = ROBO_ERROR,
                                       .reason = ROBO_WHY_MALFORMED,
                                       .scheduled = ROBO_NO_TIME,
                                       .executed = ROBO_NO_TIME,
                                       .finished = robo_now(c->world) };
    else
        take_home(c, &result);
    if (result.reason == ROBO_WHY_LEASE && (s = robo__client_session_find(c, a->session)))
        result.holder = s->holder;
    if (result.reason == ROBO_WHY_STOPPED && (s = robo__client_session_find(c, a->session)))
        result.holder = s->latch.by;
    a->result = result;
    keep_parts(a, entry, body);
    robo__cache_done(&c->cache, a);
    robo__client_event(c, ROBO_EVENT_RESULT, a->op, a->session, a->id);
}

static void on_opened_session(robo_client *c, uint32_t id, const struct robo_reply_open *a)
{
    struct robo__client_session *s = by_opening(c, id);
    if (!s) { /* ended by its owner before it was open */
        robo__client_close_wire(c, a->session);
        return;
    }
    s->opening = 0;
    s->open = true;
    s->wire = a->session;
    s->epoch = a->epoch;
    s->stops = a->stops;
    s->panic = a->panic != 0;
    s->blocking = a->blocking != 0;
    s->sequence = a->buffered != 0;
    s->holds = a->holds != 0;
    s->errors = a->errors != 0;
    s->deadman = a->deadman;
    s->following = false; /* by the clock of the server that it had before */
    s->latch = (struct robo_notice_latched){ 0 }; /* a notice follows, if it is latched */
    s->told = 0;                                  /* and those that differ from a new robot's */
    /* its deadman may be shorter than the beat so far */
    robo__pulse_arm(c, robo_now(c->world));
    if (s->sequence)
        c->last_frame = robo_now(c->world); /* its first frame shall find the link free */
}

/* The instants of an answer onto our clock. */
static void convert_times(robo_client *c, uint16_t op, void *body)
{
    if (op == ROBO_Q_STATE || op == ROBO_Q_BROADCAST) {
        struct robo_state *state = body;
        state->time = robo__client_from_server(c, state->time);
    } else if (op == ROBO_Q_SENSE || op == ROBO_Q_WATCH || op == ROBO_Q_RECORD) {
        struct robo_reply_sense *a = body;
        for (unsigned i = 0; i < a->readings; i++)
            a->time[i] = robo__client_from_server(c, a->time[i]);
    } else if (op == ROBO_Q_LATCH) {
        struct robo_reply_latch *latch = body;
        latch->since = robo__client_from_server(c, latch->since);
    } else if (op == ROBO_Q_PAUSES) {
        struct robo_reply_pauses *pauses = body;
        for (unsigned i = 0; i < pauses->kept; i++)
            pauses->due[i] = robo__client_from_server(c, pauses->due[i]);
    }
}

const struct robo_message *robo__client_reply(const struct robo_operation *query, uint8_t more)
{
    return query->reply == &robo_reply_state_message && more == 0 ? &robo_state_message
                                                                  : query->reply;
}

/* For an answer: rows with a count in another member are not cleared, for they are most of it, and only received ones are read. */
static void *new_body(const struct robo_message *reply)
{
    void *body = malloc(reply->size ? reply->size : 1);
    return body ? memset(body, 0, reply->fixed) : NULL;
}

/* A piece of a picture. A piece that does not fit ends its query: no other will come. */
static void on_piece(robo_client *c, struct robo__cached_answer *a, const struct robo_entry *entry,
                     const uint8_t *body)
{
    struct robo_reply_picture piece;
    int state = robo_message_decode_body(robo_operation_find(robo__queries, a->op)->reply, body,
                                         entry->size, &piece, NULL);
    if (state < 0)
        return;
    state = robo__album_add(a->album, &piece);
    const uint64_t bytes = robo__album_tell(a->album);
    const uint32_t id = a->id, session = a->session;
    const uint16_t op = a->op;
    if (state != 0) {
        a->error = state < 0 ? state : 0;
        a->body = robo__album_newest(a->album);
        a->size = a->body ? sizeof(struct robo_picture) : 0;
        if (state > 0)
            ((struct robo_picture *)a->body)->time = robo__client_from_server(c, piece.time);
        robo__cache_done(&c->cache, a);
    }
    /* from here on the answer may have another place */
    const struct robo_request_pieces told = { .query = id, .bytes = bytes };
    if (bytes > 0)
        robo__client_tell(c, session, ROBO_Q_PIECES, &told);
    if (state != 0)
        robo__client_event(c, ROBO_EVENT_REPLY, op, session, id);
}

/* An answer of a broadcast or a watch. Where the server is far, or once answers are late, it is notified how far they have arrived: at
 * most the unacknowledged part waits on the path. made: when the answer was, on the server's clock. */
static void count_answer(robo_client *c, struct robo__cached_answer *a, size_t size, robo_time made,
                         robo_time now)
{
    a->bytes += size;
    if (a->heard == 0 && c->least_trip < FAR && now - robo__client_from_server(c, made) < LATE)
        return;
    if (a->heard > 0 && a->bytes - a->heard < UNHEARD)
        return;
    a->heard = a->bytes;
    const struct robo_request_pieces told = { .query = a->id, .bytes = a->bytes };
    robo__client_tell(c, a->session, ROBO_Q_PIECES, &told);
}

static void on_reply(robo_client *c, const struct robo_entry *entry, const uint8_t *body,
                     robo_time made, robo_time now)
{
    struct robo__cached_answer *a = robo__cache_find(&c->cache, entry->id);
    const struct robo_operation *op = robo_operation_find(robo__queries, entry->op);
    if (!a || !a->query || !op || a->op != entry->op || (a->done && !robo__goes_on(entry->op)))
        return;
    if (a->album) {
        on_piece(c, a, entry, body);
        return;
    }
    /* events that the client itself acts on need no memory; a caller that waits for an answer that finds
     * none gets an error */
    union {
        struct robo_reply_hello hello;
        struct robo_reply_sync sync;
        struct robo_reply_open open;
    } acted = { 0 };
    uint32_t session = a->session;
    bool own = a->own;
    const struct robo_message *reply = robo__client_reply(op, a->more);
    if (!own && !a->body)
        a->body = new_body(reply);
    void *answer = a->body ? a->body : own || entry->op == ROBO_Q_OPEN ? &acted : NULL;
    int error = answer ? robo_message_decode_body(reply, body, entry->size, answer, NULL) : 0;
    if (error < 0)
        return;
    a->error = own || a->body ? 0 : ROBO_ENOMEM;
    a->size = reply->size;
    if (answer)
        convert_times(c, entry->op, answer);
    robo__cache_done(&c->cache, a);
    if (own)
        robo__cache_remove(&c->cache, a);
    if (entry->op == ROBO_Q_SYNC && own)
        robo__pulse_synced(c, entry->id, answer, now);
    else if (entry->op == ROBO_Q_HELLO && entry->id == c->hello)
        robo__client_greeted(c, answer, now);
    else if (entry->op == ROBO_Q_OPEN)
        on_opened_session(c, entry->id, answer);
    else if (entry->op == ROBO_Q_CLOSE)
        end_session(c, session, now);
    if (!own || entry->op == ROBO_Q_OPEN)
        robo__client_event(c, ROBO_EVENT_REPLY, entry->op, session, entry->id);
    if (!own && robo__goes_on(entry->op) && (a = robo__cache_find(&c->cache, entry->id)))
        count_answer(c, a, entry->size, made, now);
}

/* A session that the server does not open again after a lost link is over. */
static void on_refused(robo_client *c, uint32_t id)
{
    struct robo__client_session *s = by_opening(c, id);
    if (!s)
        return;
    s->used = false;
    robo__client_event(c, ROBO_EVENT_NOTICE, ROBO_N_REMOVED, s->number, 0);
}

static void on_fault(robo_client *c, const struct robo_notice_fault *fault, uint32_t session)
{
    int error = fault->code ? -(int)fault->code : ROBO_EBODY;
    const bool out = fault->query == 0 && error == ROBO_ETOKEN,
               overrun = session == 0 && error == ROBO_ELIMIT && fault->offset == 0;
    if (overrun || (out && c->state == ROBO__UP)) {
        /* dropped; it connects again, and the server then says whether that is for good */
        char why[sizeof c->why];
        snprintf(why, sizeof why, "%s: %.100s", robo_strerror(error), fault->text);
        robo__client_drop(c, ROBO_ELINK, why, robo_now(c->world));
        return;
    }
    robo__client_explain(c, fault->text);
    struct robo__cached_answer *a = robo__cache_find(&c->cache, fault->query);
    /* a view that has begun may end */
    if (!a || (a->done && !(a->album && robo__goes_on(a->op)))) {
        robo__client_event(c, ROBO_EVENT_NOTICE, ROBO_N_FAULT, session, fault->code);
        return;
    }
    uint16_t op = a->op;
    uint32_t of = a->session;
    if (a->own) {
        robo__cache_remove(&c->cache, a);
        bool greets = fault->query == c->hello && c->state == ROBO__GREETING;
        if (greets || (op == ROBO_Q_OPEN && error == ROBO_ENOMEM)) /* later there may be some */
            robo__client_drop(c, error, c->why, robo_now(c->world));
        else if (op == ROBO_Q_OPEN)
            on_refused(c, fault->query);
    } else if (a->query) { /* the signal of a command follows */
        a->error = error;
        robo__cache_done(&c->cache, a);
        robo__client_event(c, ROBO_EVENT_REPLY, op, of, a->id);
    }
    if (op == ROBO_Q_CLOSE) /* the server knows no such session any more */
        end_session(c, of, robo_now(c->world));
}

/* The value of a notice's event: its first field as on the wire; of a text 1 if it is not empty; of a time 0. */
static uint32_t value_of(const struct robo_message *message, const void *msg)
{
    const struct robo_field *f = message->fields;
    if (message->nfields == 0)
        return 0;
    const char *at = (const char *)msg + f->offset;
    switch (f->kind) {
    case ROBO_FIELD_U8: return *(const uint8_t *)at;
    case ROBO_FIELD_U16: return *(const uint16_t *)(const void *)at;
    case ROBO_FIELD_U32: return *(const uint32_t *)(const void *)at;
    case ROBO_FIELD_REAL32: return (uint32_t)llround(*(const double *)(const void *)at * f->per);
    case ROBO_FIELD_TEXT: return at[0] != '\0';
    default: return 0;
    }
}

static void on_notice(robo_client *c, uint32_t wire, const struct robo_entry *entry,
                      const uint8_t *body)
{
    union robo_notice_body msg = { 0 };
    const struct robo_operation *op = robo_operation_find(robo__notices, entry->op);
    if (!op || robo_message_decode_body(op->request, body, entry->size, &msg, NULL) < 0)
        return;
    struct robo__client_session *s = by_wire(c, wire);
    uint32_t session = s ? s->number : 0, id = value_of(op->request, &msg);
    if (s && op->retained) {
        s->retained[op->retained - 1] = msg.retained;
        s->told |= 1u << (op->retained - 1);
    } else if (s && (entry->op == ROBO_N_PANICKED || entry->op == ROBO_N_RESET)) {
        if ((int32_t)(id - s->epoch) < 0)
            return; /* overtaken by a later one */
        s->epoch = id;
        s->panic = entry->op == ROBO_N_PANICKED;
        memcpy(s->panic_name, s->panic ? msg.panicked.name : msg.reset.name, sizeof s->panic_name);
    } else if (s && entry->op == ROBO_N_STOPPED) {
        if ((int32_t)(id - s->stops) < 0)
            return; /* overtaken by a later one */
        const bool stopped =
            id - s->stops != s->lost; /* else it is the count alone, of lost leases */
        s->lost = 0;
        s->stops = id;
        if (!stopped)
            return;
    } else if (s && entry->op == ROBO_N_LATCHED) {
        const bool heard = msg.latched.holds || s->latch.holds; /* else it is of its own stop */
        msg.latched.since = robo__client_from_server(c, msg.latched.since);
        s->latch = msg.latched;
        id = msg.latched.holds ? msg.latched.stop : 0;
        if (!heard)
            return;
    } else if (s && entry->op == ROBO_N_HELD) {
        s->holder = msg.held.holder;
        memcpy(s->holder_name, msg.held.name, sizeof s->holder_name);
    } else if (s && entry->op == ROBO_N_ASKED) {
        msg.asked.due = robo__client_from_server(c, msg.asked.due);
        robo__client_keep_asked(c, session, &msg.asked);
    } else if (s && entry->op == ROBO_N_LOST) {
        s->lost += msg.lost.count;
        s->holder = msg.lost.holder;
        memcpy(s->holder_name, msg.lost.name, sizeof s->holder_name);
    } else if (s && entry->op == ROBO_N_REMOVED) {
        s->used = s->open = false;
        end_session(c, session, robo_now(c->world));
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
    while (c->stream.up && robo_next_entry(payload, header->size, &at, &entry, &body) == 1) {
        if (header->type == ROBO_TYPE_SIGNAL)
            on_signal(c, header->session, &entry, body);
        else if (header->type == ROBO_TYPE_REPLY)
            on_reply(c, &entry, body, header->stamp, now);
        else if (header->type == ROBO_TYPE_NOTICE)
            on_notice(c, header->session, &entry, body);
    }
}

size_t robo__client_received(struct robo__stream *stream, const uint8_t *bytes, size_t n,
                             robo_time now)
{
    robo_client *c = robo__container_of(stream, robo_client, stream);
    size_t used = 0;
    c->working = true;
    c->last_heard = now;
    c->lost = 0;
    while (n - used >= ROBO_HEADER_SIZE && stream->up) {
        struct robo_header header;
        int error = robo_header_decode(bytes + used, &header);
        /* a server of another version says so in its own */
        if (error == ROBO_EVERSION && c->state == ROBO__GREETING &&
            header.type == ROBO_TYPE_NOTICE && header.size <= ROBO_MAX_PAYLOAD)
            error = 0;
        if (error < 0) {
            c->working = false;
            robo__client_drop(c, error, robo_strerror(error), now);
            return 0;
        }
        if (n - used < ROBO_HEADER_SIZE + (size_t)header.size)
            break;
        work_package(c, &header, bytes + used + ROBO_HEADER_SIZE, now);
        used += ROBO_HEADER_SIZE + (size_t)header.size;
    }
    c->working = false;
    robo__client_notify(c);
    robo__stream_flush(stream, now);
    return used;
}
