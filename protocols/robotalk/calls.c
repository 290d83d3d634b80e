/* The RoboTalk protocol, client side: sent packages, and the waiting for answers. */
#include <stdlib.h>
#include <string.h>

#include "robot/timeline/arrivals.h"
#include "album.h"
#include "client_internal.h"
#include "configuration.h"
#include "base/sized.h"
#include "base/time.h"
#include "robotalk/session.h"

enum { ENTRY_MOST = 192, STOP_MOST = 1024, QUERY_MOST = 1024, TRAINS = 4, TRAIN = 10 };
/* How long a measurement of the link holds. */
static const robo_time KNOWN = 60LL * 1000000000;
static const robo_time FAR = 50 * 1000000;

uint32_t robo__client_next_id(const robo_client *c)
{
    return c->last_id == UINT32_MAX ? 1 : c->last_id + 1;
}

static uint32_t next_id(robo_client *c)
{
    return c->last_id = robo__client_next_id(c);
}

static void flush(robo_client *c)
{
    if (!c->working)
        robo__stream_flush(&c->stream, robo_now(c->world));
}

struct robo__client_session *robo__client_session_find(robo_client *c, uint32_t number)
{
    for (size_t i = 0; i < ROBO__CLIENT_SESSIONS; i++)
        if (c->session[i].used && c->session[i].number == number)
            return &c->session[i];
    return NULL;
}

/* Frees the place of a session and returns its contents: an ideal loopback answers before the query that closes it is
 * sent. */
static struct robo__client_session take_out(struct robo__client_session *s)
{
    struct robo__client_session was = *s;
    s->used = s->open = false;
    return was;
}

static uint32_t next_package(robo_client *c)
{
    c->last_package = c->last_package == UINT32_MAX ? 1 : c->last_package + 1;
    return c->last_package;
}

static struct robo_header header_of(robo_client *c, enum robo_type type,
                                    const struct robo__client_session *s)
{
    robo_time now = c->last_sent = robo_now(c->world);
    struct robo_header header = { .type = (uint8_t)type,
                                  .id = next_package(c),
                                  .stamp = ROBO_NO_TIME };
    /* rounded down: never later than it was sent; only hello goes without, whose answer is the first exchange */
    if (robo__sync_ready(&c->sync))
        header.stamp = robo__sync_earliest(&c->sync, now) - 500;
    if (s) {
        header.session = s->wire;
        header.epoch = (uint16_t)s->epoch;
        header.stops = (uint16_t)s->stops;
    }
    return header;
}

int robo__client_header(robo_client *c, uint32_t wire, uint8_t flags, uint32_t epoch)
{
    struct robo_package p;
    uint8_t *out = robo__stream_reserve(&c->stream, ROBO_HEADER_SIZE);
    if (!out)
        return c->stream.up ? ROBO_EFULL : robo__client_offline(c);
    robo_package_begin(&p, out, ROBO_HEADER_SIZE);
    struct robo_header header = header_of(c, ROBO_TYPE_NONE, NULL);
    header.session = wire;
    header.flags = flags;
    header.epoch = (uint16_t)epoch;
    robo__stream_commit(&c->stream, (size_t)robo_package_end(&p, &header));
    flush(c);
    return 0;
}

static int send_flag(robo_client *c, robo_session_id session, enum robo_flag flag)
{
    const struct robo__client_session *s = robo__client_session_of(c, session);
    if (session.value != 0 && !s)
        return robo__none_of(session.value);
    if (s && !s->open)
        return robo__client_offline(c);
    return robo__client_header(c, s ? s->wire : 0, (uint8_t)flag, s ? s->epoch : 0);
}

int robo_client_panic(robo_client *c, robo_session_id session)
{
    ROBO__LOCKED(c);
    return send_flag(c, session, ROBO_FLAG_PANIC);
}

int robo_client_reset(robo_client *c, robo_session_id session)
{
    ROBO__LOCKED(c);
    return send_flag(c, session, ROBO_FLAG_RESET);
}

/* The optional parts of a state query. */
static uint8_t more_of(enum robo_query query, const void *body)
{
    return !body                       ? 0
           : query == ROBO_Q_STATE     ? ((const struct robo_request_state *)body)->more
           : query == ROBO_Q_BROADCAST ? ((const struct robo_request_broadcast *)body)->more
                                       : 0;
}

/* For a query that is answered by pictures; false: no memory. */
static bool make_album(struct robo__cached_answer *a, const void *body)
{
    struct robo_request_picture look;
    if (a->op != ROBO_Q_PICTURE && a->op != ROBO_Q_VIEW)
        return true;
    memcpy(&look, body, sizeof look); /* that of a view has the same fields */
    a->album = robo__album_open(&look);
    return a->album != NULL;
}

static int64_t request(robo_client *c, const struct robo__client_session *s, enum robo_query query,
                       const void *body, bool own)
{
    const struct robo_operation *op = robo_operation_find(robo__queries, (uint16_t)query);
    if (!op)
        return ROBO_EOP;
    if (!body && op->request->least > 0)
        return ROBO_EINVAL;
    struct robo_package p;
    const size_t size = op->request->size + 64; /* with both heads */
    const size_t most = size > QUERY_MOST ? size : QUERY_MOST;
    uint8_t *out = robo__stream_reserve(&c->stream, most);
    if (!out)
        return c->stream.up ? ROBO_EFULL : robo__client_offline(c);
    if (!robo__client_room(c, 1))
        return ROBO_ENOMEM;
    uint32_t id = next_id(c);
    robo_package_begin(&p, out, most);
    int error = robo_package_add(&p, (uint16_t)query, id, NULL, NULL, op->request, body);
    if (error < 0)
        return error;
    struct robo__cached_answer *a = robo__cache_expect(&c->cache, id);
    if (!a)
        return ROBO_EFULL;
    a->query = true;
    a->own = own;
    a->op = (uint16_t)query;
    a->session = s ? s->number : 0;
    a->more = more_of(query, body);
    if (!make_album(a, body)) {
        robo__cache_remove(&c->cache, a);
        return ROBO_ENOMEM;
    }
    struct robo_header header = header_of(c, ROBO_TYPE_QUERY, s);
    robo__stream_commit(&c->stream, (size_t)robo_package_end(&p, &header));
    flush(c);
    return id;
}

robo_id robo_request(robo_client *c, robo_session_id session, enum robo_query query,
                     const void *body)
{
    ROBO__LOCKED(c);
    struct robo__client_session *s = robo__client_session_of(c, session);
    if (session.value != 0 && !s)
        return (robo_id){ robo__none_of(session.value) };
    if (s && !s->open)
        return (robo_id){ robo__client_offline(c) };
    struct robo__client_session ended, *place = s;
    if (s && query == ROBO_Q_CLOSE) {
        ended = take_out(s);
        s = &ended;
    }
    int64_t id = request(c, s, query, body, false);
    if (id < 0 && s == &ended)
        *place = ended; /* it was not sent: the session is open still */
    if (id > 0 && query == ROBO_Q_BROADCAST_CANCEL) {
        const struct robo_request_broadcast_cancel *cancel = body;
        struct robo__cached_answer *beats = robo__cache_find(&c->cache, cancel->broadcast);
        if (beats && robo__goes_on(beats->op))
            robo__cache_remove(&c->cache, beats);
    }
    return (robo_id){ id };
}

/* The pieces of a block; the answers of all but the last are discarded. */
static int64_t send_block(robo_client *c, const struct robo__client_session *s,
                          const uint8_t *block, size_t size, struct robo_request_reload *piece)
{
    int64_t id = 0;
    piece->size = (uint32_t)size;
    for (size_t at = 0; at < size && id >= 0; at += piece->count) {
        const size_t left = size - at, most = sizeof piece->bytes;
        piece->offset = (uint32_t)at;
        piece->count = (uint16_t)(left < most ? left : most);
        memcpy(piece->bytes, block + at, piece->count);
        id = request(c, s, ROBO_Q_RELOAD, piece, left > most);
    }
    return id;
}

robo_id robo_client_reload(robo_client *c, robo_session_id session, const robo_body *body)
{
    ROBO__LOCKED(c);
    const struct robo__client_session *s = robo__client_session_of(c, session);
    if (!s)
        return (robo_id){ robo__none_of(session.value) };
    if (!s->open)
        return (robo_id){ robo__client_offline(c) };
    const struct robo_description *d = robo_body_description(body);
    const size_t room = robo__configuration_size(d);
    struct robo_request_reload *piece = malloc(sizeof *piece);
    uint8_t *block = malloc(room);
    int64_t id = ROBO_ENOMEM;
    if (piece && block) {
        ptrdiff_t size = robo__configuration_encode(d, block, room, NULL);
        id = size < 0 ? size : send_block(c, s, block, (size_t)size, piece);
    }
    free(block);
    free(piece);
    return (robo_id){ id };
}

int64_t robo__client_request(robo_client *c, enum robo_query query, const void *body)
{
    return request(c, NULL, query, body, true);
}

int64_t robo__client_tell(robo_client *c, uint32_t session, enum robo_query query, const void *body)
{
    const struct robo__client_session *s = robo__client_session_find(c, session);
    return s && s->open ? request(c, s, query, body, true) : robo__client_offline(c);
}

void robo__client_close_wire(robo_client *c, uint32_t wire)
{
    const struct robo__client_session s = { .wire = wire };
    request(c, &s, ROBO_Q_CLOSE, NULL, true);
}

int robo__client_open_session(robo_client *c, struct robo__client_session *s, bool again)
{
    /* the longest that the way to the server can have taken, the way back having taken its least */
    s->request.jitter = c->exchanges > 1 ? c->greatest_trip - c->least_trip / 2 : 0;
    s->opening = robo__client_next_id(c);
    const struct robo__client_session unopened = { .number = s->number };
    int64_t id = request(c, &unopened, ROBO_Q_OPEN, &s->request, again);
    if (id < 0)
        s->opening = 0; /* that id is the next query's */
    return id < 0 ? (int)id : 0;
}

static int copy_text(char *to, size_t size, const char *from)
{
    if (from && strlen(from) >= size)
        return ROBO_ERANGE;
    if (from)
        strcpy(to, from);
    return 0;
}

static int64_t begin_session(robo_client *c, const struct robo_session_options *options,
                             uint32_t *id)
{
    struct robo_session_options taken;
    const struct robo_session_options *o = &taken;
    if (robo__sized_take(&taken, sizeof taken, options) < 0)
        return ROBO_EINVAL;
    struct robo__client_session *s = NULL;
    for (size_t i = 0; i < ROBO__CLIENT_SESSIONS && !s; i++)
        if (!c->session[i].used)
            s = &c->session[i];
    if (!s)
        return ROBO_ELIMIT;
    *s = (struct robo__client_session){ .number = ++c->last_session };
    const char *robot = o->robot ? o->robot : c->url.robot;
    if (copy_text(s->request.robot, sizeof s->request.robot, robot) < 0 ||
        copy_text(s->request.mode, sizeof s->request.mode, o->mode ? o->mode : "direct") < 0 ||
        copy_text(s->request.options, sizeof s->request.options, o->options) < 0)
        return ROBO_ERANGE;
    s->request.delay = o->delay;
    s->request.duration = o->duration;
    s->request.deadman = o->deadman;
    s->request.gap = o->gap;
    s->request.expiry = o->expiry;
    s->request.errors = o->errors_only != 0;
    s->request.newest = o->newest != 0;
    s->used = true;
    *id = robo__client_next_id(c);
    int error = robo__client_open_session(c, s, false);
    if (error < 0) {
        s->used = false;
        return error;
    }
    return s->number;
}

robo_session_id robo_session_begin(robo_client *c, const struct robo_session_options *options,
                                   robo_id *id)
{
    ROBO__LOCKED(c);
    uint32_t query;
    const int64_t number = begin_session(c, options, &query);
    if (number > 0)
        id->value = query;
    return (robo_session_id){ number };
}

void robo_session_end(robo_client *c, robo_session_id number)
{
    ROBO__LOCKED(c);
    struct robo__client_session *s = robo__client_session_of(c, number);
    if (!s)
        return;
    struct robo__client_session was = take_out(s);
    int64_t error = was.open ? request(c, &was, ROBO_Q_CLOSE, NULL, true) : 0;
    /* its motions would go on under our signs of life; the end of the link ends it too */
    if (error < 0 && c->stream.up)
        robo__client_drop(c, (int)error, robo_strerror((int)error), robo_now(c->world));
}

/* Some trains before the first frame of a sequence, so that its mode knows the link; not again within a minute. */
static void measure(robo_client *c, robo_time until)
{
    if (c->last_train != 0 && robo_now(c->world) - c->last_train < KNOWN)
        return;
    for (unsigned i = 0; i < TRAINS && robo_now(c->world) < until; i++) {
        robo_client_train(c, TRAIN);
        while (c->probes_left > 0 && robo_now(c->world) < until)
            if (robo__client_turn(c, until - robo_now(c->world)) < 0)
                return;
    }
    if (c->state == ROBO__UP)
        c->last_train = robo_now(c->world);
}

robo_session_id robo_session(robo_client *c, const struct robo_session_options *options,
                             robo_time timeout)
{
    ROBO__LOCKED(c);
    robo_time until = robo_now(c->world) + robo__time_cut(timeout);
    robo_id id;
    const robo_session_id session = robo_session_begin(c, options, &id);
    if (session.value < 0)
        return session;
    struct robo_reply_open answer;
    int error = robo_wait(c, id, timeout);
    if (error >= 0)
        error = robo_take_reply(c, id, &answer, sizeof answer);
    if (error < 0) {
        robo_session_end(c, session);
        return (robo_session_id){ error };
    }
    if (answer.holds)
        measure(c, until);
    return session;
}

/* The offset that converts the starts of a session into the server's time: in direct and broadcast mode the newest
 * estimate. Commands of another mode are a sequence: the times between frames are all that counts, and each new
 * estimate, wrong by up to half a round trip, would move the next frame against the last. So a sequence keeps the
 * offset it began with. A sequence of hours follows a better estimate as far as it is beyond doubt: at 10 ppm, which
 * is invisible, or 200 ppm, more than two clocks drift apart, once it is off by more than 50 ms. A sequence for a
 * mode that holds may be of any clock, from 0, in Unix time: then its starts travel as they are, for the server
 * counts them from the first. */
static robo_time session_offset(robo_client *c, struct robo__client_session *s, robo_time start)
{
    robo_time now = robo_now(c->world), uncertainty;
    robo_time estimate = robo__sync_offset(&c->sync, now, &uncertainty);
    if (!s->sequence)
        return estimate;
    if (!s->following) {
        s->following = true;
        s->followed_at = now;
        s->offset = estimate;
        s->own_clock = s->holds && robo__clock_is_own(start, now);
    }
    c->last_frame = now;
    if (s->own_clock)
        return 0;
    robo_time off = estimate - s->offset;
    robo_time beyond = off > uncertainty    ? off - uncertainty
                       : off < -uncertainty ? off + uncertainty
                                            : 0;
    robo_time most = (now - s->followed_at) / (beyond > FAR || beyond < -FAR ? 5000 : 100000);
    s->offset += beyond > most ? most : beyond < -most ? -most : beyond;
    s->followed_at = now;
    return s->offset;
}

/* A start by the server's clock. In direct and broadcast mode a start that is over when it is sent is over when it
 * arrives, however wrong the estimate is: its command does not wait. A start that is too far away for that is sent as it
 * is: the server refuses it. */
static robo_time there(const robo_client *c, const struct robo__client_session *s, robo_time start,
                       robo_time offset)
{
    robo_time now = robo_now(c->world), sum;
    if (!s->sequence && start <= now && robo__sync_ready(&c->sync))
        offset = robo__sync_earliest(&c->sync, now) - now;
    return __builtin_add_overflow(start, offset, &sum) ? start : sum;
}

void robo_client_dismiss(robo_client *c)
{
    ROBO__LOCKED(c);
    c->dismissed = true;
    for (size_t i = 0; i < ROBO__CLIENT_SESSIONS && !c->stream.end.loopback; i++) {
        const struct robo__client_session *s = &c->session[i];
        uint8_t *out = s->open && s->commanded ? robo__stream_reserve(&c->stream, STOP_MOST) : NULL;
        if (!out)
            continue;
        struct robo_package p;
        robo_package_begin(&p, out, STOP_MOST);
        const struct robo_cmd stop = {
            .op = ROBO_STOP, .id = next_id(c), .start = ROBO_AT_ONCE, .body.stop.scope = 1
        };
        robo_package_add_command(&p, &stop); /* its result is discarded */
        struct robo_header header = header_of(c, ROBO_TYPE_COMMAND, s);
        robo__stream_commit(&c->stream, (size_t)robo_package_end(&p, &header));
    }
    robo__stream_push(&c->stream);
}

void robo_client_readmit(robo_client *c)
{
    ROBO__LOCKED(c);
    c->dismissed = false;
}

/* Whether it may not be sent: the client is dismissed. */
static bool is_refused(const robo_client *c, const struct robo_cmd *cmd)
{
    return c->dismissed && cmd->op != ROBO_STOP;
}

static void refuse(robo_client *c, struct robo__cached_answer *a)
{
    a->result = (struct robo_result){ .id = a->id,
                                      .op = a->op,
                                      .signal = ROBO_INTERRUPTED,
                                      .reason = ROBO_WHY_CLOSED,
                                      .scheduled = ROBO_NO_TIME,
                                      .executed = ROBO_NO_TIME,
                                      .finished = robo_now(c->world) };
    robo__cache_done(&c->cache, a);
    robo__client_event(c, ROBO_EVENT_RESULT, a->op, a->session, a->id);
}

/* Answers commands that are not sent. */
static void refuse_all(robo_client *c, const struct robo_cmd *cmds, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_refused(c, &cmds[i]))
            refuse(c, robo__cache_find(&c->cache, cmds[i].id));
    robo__client_notify(c);
}

static int64_t send_commands(robo_client *c, robo_session_id session, struct robo_cmd *cmds,
                             size_t count)
{
    struct robo__client_session *s = robo__client_session_of(c, session);
    if (!s)
        return robo__none_of(session.value);
    if (!s->open)
        return robo__client_offline(c);
    if (count == 0)
        return ROBO_EINVAL;
    bool answers = !s->errors || c->dismissed; /* each command has one */
    bool stops = true;
    size_t room = ROBO_HEADER_SIZE;
    for (size_t i = 0; i < count; i++) {
        stops = stops && cmds[i].op == ROBO_STOP;
        const bool moves = cmds[i].op == ROBO_MOVE;
        if (moves && !robo__move_is_whole(cmds[i].body.move))
            return ROBO_EINVAL;
        room += ENTRY_MOST + (moves ? robo__move_most(cmds[i].body.move) : 0);
    }
    if (answers && c->cache.count + count > ROBO__CACHE_MOST) {
        if (!stops)
            return ROBO_EFULL;
        answers = false; /* a stop is never refused: nobody gets its result */
    }
    if (count * ENTRY_MOST > ROBO_MAX_PAYLOAD)
        return ROBO_EFULL;
    if (room > ROBO_HEADER_SIZE + ROBO_MAX_PAYLOAD)
        room = ROBO_HEADER_SIZE + ROBO_MAX_PAYLOAD;
    struct robo_package p;
    uint8_t *out = robo__stream_reserve(&c->stream, room);
    if (!out)
        return c->stream.up ? ROBO_EFULL : robo__client_offline(c);
    if (answers && !robo__client_room(c, count))
        return ROBO_ENOMEM;
    robo_package_begin(&p, out, room);
    uint32_t before = c->last_id, first = 0;
    size_t dated = 0; /* the first that has a start: commands to begin at once are on no clock */
    while (dated < count && cmds[dated].start == ROBO_AT_ONCE)
        dated++;
    robo_time offset = dated < count ? session_offset(c, s, cmds[dated].start) : 0;
    for (size_t i = 0; i < count; i++) {
        cmds[i].id = next_id(c);
        if (i == 0)
            first = cmds[i].id;
        robo_time start = cmds[i].start;
        if (start != ROBO_AT_ONCE)
            cmds[i].start = there(c, s, start, offset);
        int error = is_refused(c, &cmds[i]) ? 0 : robo_package_add_command(&p, &cmds[i]);
        cmds[i].start = start;
        if (error < 0) {
            c->last_id = before;
            return error;
        }
    }
    for (size_t i = 0; i < count && answers; i++) {
        struct robo__cached_answer *a = robo__cache_expect(&c->cache, cmds[i].id);
        if (!a) {
            while (i-- > 0)
                robo__cache_remove(&c->cache, robo__cache_find(&c->cache, cmds[i].id));
            return ROBO_ENOMEM;
        }
        a->op = cmds[i].op;
        a->session = s->number;
    }
    if (c->dismissed)
        refuse_all(c, cmds, count);
    if (p.count == 0)
        return first;
    s->commanded = true;
    struct robo_header header = header_of(c, ROBO_TYPE_COMMAND, s);
    header.revision = cmds[0].revision;
    robo__stream_commit(&c->stream, (size_t)robo_package_end(&p, &header));
    flush(c);
    return first;
}

robo_id robo_send(robo_client *c, robo_session_id session, struct robo_cmd *cmds, size_t count)
{
    ROBO__LOCKED(c);
    return (robo_id){ send_commands(c, session, cmds, count) };
}

int robo_parts(robo_client *c, robo_id id, struct robo_part *parts, size_t room)
{
    ROBO__LOCKED(c);
    const struct robo__cached_answer *a = robo__client_answer_of(c, id);
    if (!a || a->query)
        return robo__none_of(id.value);
    const size_t count = a->body ? a->size / sizeof *parts : 0;
    if (room > 0 && count > 0)
        memcpy(parts, a->body, (count < room ? count : room) * sizeof *parts);
    return (int)count;
}

int robo_take(robo_client *c, robo_id id, struct robo_result *result, size_t size)
{
    ROBO__LOCKED(c);
    struct robo__cached_answer *a = robo__client_answer_of(c, id);
    if (!a || a->query)
        return robo__none_of(id.value);
    if (!a->done)
        return 0;
    robo__sized_copy(result, size, &a->result, sizeof a->result);
    robo__cache_remove(&c->cache, a);
    return 1;
}

int robo_take_reply(robo_client *c, robo_id id, void *answer, size_t size)
{
    ROBO__LOCKED(c);
    struct robo__cached_answer *a = robo__client_answer_of(c, id);
    if (!a || !a->query)
        return robo__none_of(id.value);
    if (!a->done)
        return 0;
    int error = a->error;
    if (error == 0 && a->size > size)
        return ROBO_EINVAL;
    if (error == 0 && a->album)
        memcpy(answer, a->body, a->size);
    else if (error == 0 && a->size > 0)
        robo__message_copy(robo__client_reply(robo_operation_find(robo__queries, a->op), a->more),
                           answer, a->body);
    /* a broadcast goes on under its id */
    if (!robo__goes_on(a->op) || error)
        robo__cache_remove(&c->cache, a);
    return error < 0 ? error : 1;
}

int robo_take_picture(robo_client *c, robo_id id, struct robo_picture *picture, size_t room)
{
    ROBO__LOCKED(c);
    struct robo__cached_answer *a = robo__client_answer_of(c, id);
    if (!a || !a->query)
        return robo__none_of(id.value);
    if (!a->done)
        return 0;
    if (a->error == 0 && !a->album)
        return ROBO_EINVAL;
    const int error = a->error;
    if (error == 0) {
        uint8_t *bytes = picture->bytes;
        memcpy(picture, a->body, sizeof *picture);
        if (picture->size <= room)
            memcpy(bytes, picture->bytes, picture->size);
        const bool fits = picture->size <= room;
        picture->bytes = bytes;
        if (!fits)
            return ROBO_EFULL;
    }
    if (!robo__goes_on(a->op) || error)
        robo__cache_remove(&c->cache, a);
    return error < 0 ? error : 1;
}

int robo_next_event(robo_client *c, struct robo_event *event, size_t size)
{
    ROBO__LOCKED(c);
    if (c->event_count == 0)
        return 0;
    robo__sized_copy(event, size, &c->event[c->event_first], sizeof *event);
    c->event_first = (c->event_first + 1) % c->event_size;
    c->event_count--;
    return 1;
}

int robo__client_turn(robo_client *c, robo_time wait)
{
    wait = robo__time_cut(wait);
    if (c->loop && robo__loop_is_served(c->loop)) {
        robo__loop_await(c->loop, wait);
        return (int)c->event_count;
    }
    robo_time next = robo__timers_next(c->host->timers), now = robo_now(c->world);
    /* alone on its loop, a client may sleep in the read itself, but not through its own timers */
    bool alone = c->owns_loop && c->loop->ev && c->loop->fd < 0 && next > now && wait > 0;
    if (alone && robo__stream_wait(&c->stream, next - now < wait ? next - now : wait))
        return (int)c->event_count;
    int error = ROBO_EINVAL; /* the loop of another owner receives */
    if (robo_is_virtual(c->world))
        error = robo__world_turn(c->world, wait);
    else if (c->loop)
        error = robo_loop_dispatch(c->loop, next > now ? wait : 0);
    return error < 0 ? error : (int)c->event_count;
}

int robo_poll(robo_client *c, robo_time wait)
{
    ROBO__LOCKED(c);
    const bool have = c->event_count > 0 && c->loop && robo__loop_is_served(c->loop);
    return robo__client_turn(c, have ? 0 : wait);
}

int robo_wait(robo_client *c, robo_id id, robo_time timeout)
{
    ROBO__LOCKED(c);
    robo_time until = ROBO_NEVER;
    for (;;) {
        const struct robo__cached_answer *a = robo__client_answer_of(c, id);
        if (!a)
            return robo__none_of(id.value);
        if (a->done)
            return 0;
        robo_time now = robo_now(c->world);
        if (until == ROBO_NEVER)
            until = now + robo__time_cut(timeout);
        if (now >= until)
            return ROBO_ETIMEOUT;
        int error = robo__client_turn(c, until - now);
        if (error < 0)
            return error;
    }
}
