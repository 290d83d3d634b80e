/* A WebSocket, and the connection within. */
#include "websocket.h"

#include <stdlib.h>
#include <string.h>
#include <wslay/wslay.h>

#include "base/time.h"
#include "http/reply.h"
#include "net/secret.h"
#include "recording/json.h"
#include "robot/world/world.h"

/* PIECE: bytes of a message, at most. MESSAGE: of one that is received. MEMORY: that libwslay has for a connection, at most about. LEFT:
 * such a part of the memory is for sessions that open. */
enum { PIECE = 1 << 14, MESSAGE = 1 << 20, MEMORY = 10 << 10, LEFT = 8, VERSION = 13 };
/* of a close frame */
enum { NORMAL = 1000, GOING_AWAY = 1001, NO_TEXT = 1003, POLICY = 1008, TRY_LATER = 1013 };
/* EACH: WebSockets of an origin, at most; MOST: of a host. RATE: frames a second from one, after as many at once. IDLE: a client that has
 * been silent for so long is pinged, and is gone when it does not answer for as long again. */
enum { EACH = 128, MOST = 512, RATE = 10000 };
static const robo_time SECOND = 1000000000, IDLE = 20000000000, AGAIN = 500000000;
static const char CROWDED[] =
    "there are 128 WebSockets from its machine, or 512 in all: it may come when others have gone",
                  FAST[] = "it sends more than 10,000 frames a second",
                  GONE[] = "it does not answer a ping";

struct robo__websocket {
    struct robo__conn inner;
    struct robo__conn *outer;
    const struct robo__websocket_reader *reader; /* of messages; NULL: `inner` reads */
    void *owner;                                 /* the reader's */
    size_t memory;                               /* bytes of the world's budget */
    wslay_event_context_ptr frames;
    const uint8_t *in; /* that are being received, */
    size_t n;          /* so many */
    robo_time now;
    uint8_t opcode; /* of the frame that comes in */
    bool busy;      /* it is within one of its functions */
    bool crowded;   /* there are too many */
    robo_time asked,
        answered; /* instants of the newest ping, and of the newest ping that has its pong */
    robo_time heard,
        due; /* due: instant at which a client at the permitted rate would have sent the frames so far */
    struct robo__timer watch;
};

/* ---- the handshake ---- */

bool robo__websocket_is_asked(const struct robo__http_request *request)
{
    struct robo__http_text upgrade, connection;
    return robo__http_find(request, "Upgrade", &upgrade) &&
           robo__http_lists(upgrade, "websocket") &&
           robo__http_find(request, "Connection", &connection) &&
           robo__http_lists(connection, "upgrade");
}

/* 16 bytes in base64. */
static bool is_key(struct robo__http_text key)
{
    if (key.n != 24 || memcmp(key.at + 22, "==", 2) != 0)
        return false;
    for (size_t i = 0; i < 22; i++) {
        const char c = key.at[i];
        if (!((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
              c == '+' || c == '/'))
            return false;
    }
    return true;
}

int robo__websocket_accept(const struct robo__http_request *request, char accept[29],
                           const char **why)
{
    static const char GUID[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    struct robo__http_text version, key;
    char text[24 + sizeof GUID];
    uint8_t hash[ROBO__SHA1];
    struct robo__json json = { NULL };
    if (!robo__http_is(request->method, "GET") || request->minor < 1 || request->length > 0 ||
        request->chunked) {
        *why = "a WebSocket begins by GET in HTTP/1.1, without a body";
        return 400;
    }
    if (!robo__http_find(request, "Sec-WebSocket-Version", &version) ||
        !robo__http_is(version, "13")) {
        *why = "WebSockets here are of version 13";
        return 426;
    }
    if (!robo__http_find(request, "Sec-WebSocket-Key", &key) || !is_key(key)) {
        *why = "Sec-WebSocket-Key: expected 16 bytes in base64";
        return 400;
    }
    memcpy(text, key.at, key.n);
    memcpy(text + key.n, GUID, sizeof GUID);
    if (robo__secret_sha1(text, strlen(text), hash))
        robo__json_base64(&json, hash, sizeof hash);
    if (json.at && !json.failed)
        memcpy(accept, json.at + 1, 28); /* without its quotes */
    accept[28] = 0;
    const bool made = json.at && !json.failed;
    robo__json_free(&json);
    *why = "WebSockets need OpenSSL 3, the package libssl3";
    return made ? 0 : 503;
}

void robo__websocket_reply(struct robo__conn *outer, const char accept[29], const char *subprotocol)
{
    enum { REPLY = 512 };
    struct robo__http_reply reply;
    uint8_t *out = robo__conn_reserve(outer, REPLY);
    if (!out)
        return;
    robo__http_reply_begin(&reply, out, REPLY, "HTTP/1.1", 101, "Switching Protocols");
    robo__http_reply_header(&reply, "Upgrade", "websocket");
    robo__http_reply_header(&reply, "Connection", "Upgrade");
    robo__http_reply_header(&reply, "Sec-WebSocket-Accept", "%s", accept);
    if (subprotocol)
        robo__http_reply_header(&reply, "Sec-WebSocket-Protocol", "%s", subprotocol);
    robo__conn_commit(outer, robo__http_reply_end(&reply));
}

/* ---- frames out ---- */

static void finish(struct robo__websocket *w, unsigned code, const char *reason)
{
    enum { REASON = 123 };
    const size_t n = strlen(reason);
    wslay_event_queue_close(w->frames, (uint16_t)code, (const uint8_t *)reason,
                            n < REASON ? n : REASON);
    wslay_event_send(w->frames);
    w->outer->closing = true;
}

static void refuse(struct robo__websocket *w, unsigned code, const char *why)
{
    w->outer->refused = why;
    if (!w->outer->closing)
        finish(w, code, why);
}

static ssize_t write_out(wslay_event_context_ptr frames, const uint8_t *bytes, size_t n, int flags,
                         void *owner)
{
    struct robo__websocket *w = owner;
    uint8_t *out = robo__conn_reserve(w->outer, n);
    (void)flags;
    if (!out) {
        wslay_event_set_error(frames, WSLAY_ERR_CALLBACK_FAILURE);
        return -1;
    }
    memcpy(out, bytes, n);
    robo__conn_commit(w->outer, n);
    return (ssize_t)n;
}

void robo__websocket_send(struct robo__websocket *w, bool text, const void *bytes, size_t n)
{
    const struct wslay_event_msg message = { text ? WSLAY_TEXT_FRAME : WSLAY_BINARY_FRAME, bytes,
                                             n };
    if (w->outer->closing || wslay_event_get_close_sent(w->frames))
        return;
    if (wslay_event_queue_msg(w->frames, &message) != 0 || wslay_event_send(w->frames) != 0)
        robo__conn_drop(w->outer);
}

robo_time robo__websocket_ask(struct robo__websocket *w, robo_time now)
{
    const robo_time question = w->asked = now > w->asked ? now : w->asked + 1;
    const struct wslay_event_msg ping = { WSLAY_PING, (const uint8_t *)&question, sizeof question };
    if (!w->outer->closing && wslay_event_queue_msg(w->frames, &ping) == 0)
        wslay_event_send(w->frames);
    return question;
}

bool robo__websocket_has_read(const struct robo__websocket *w, robo_time question)
{
    return w->answered >= question;
}

robo_time robo__websocket_age(struct robo__websocket *w, robo_time now)
{
    if (now - w->asked >= AGAIN)
        robo__websocket_ask(w, now);
    return now - w->answered;
}

/* Puts what the connection within has written into frames, as long as the client reads. more: that may have more to go on with. */
static void pump(struct robo__websocket *w, bool more)
{
    struct robo__conn *inner = &w->inner, *outer = w->outer;
    size_t n, waiting = 0;
    const uint8_t *out;
    if (w->reader)
        return;
    while (!outer->closing && (out = robo__conn_output(inner, &n)) != NULL && n > 0) {
        robo__conn_output(outer, &waiting);
        if (waiting > ROBO__CONN_BUSY)
            break;
        n = n < PIECE ? n : PIECE;
        const struct wslay_event_msg message = { WSLAY_BINARY_FRAME, out, n };
        if (wslay_event_queue_msg(w->frames, &message) != 0 || wslay_event_send(w->frames) != 0) {
            robo__conn_drop(outer);
            return;
        }
        robo__conn_written(inner, n);
    }
    robo__conn_output(inner, &n);
    if (inner->refused)
        outer->refused = inner->refused;
    if (inner->closing && n == 0 && !outer->closing) {
        finish(w, inner->refused ? POLICY : NORMAL, inner->refused ? inner->refused : "");
        if (inner->overrun) /* it does not read that either */
            robo__conn_drop(outer);
    }
    outer->holds = !robo__conn_hungry(inner);
    outer->halfway = inner->halfway;
    outer->owes = n > 0 || more;
}

static size_t underway(const struct robo__conn *inner)
{
    const struct robo__conn *outer =
        robo__container_of(inner, const struct robo__websocket, inner)->outer;
    size_t waiting;
    robo__conn_output(outer, &waiting);
    return waiting + (outer->underway ? outer->underway(outer) : 0);
}

static void on_kick(struct robo__conn *inner)
{
    struct robo__websocket *w = robo__container_of(inner, struct robo__websocket, inner);
    if (w->busy)
        return;
    pump(w, robo__conn_waits(inner));
    robo__conn_kick(w->outer); /* this may free both */
}

/* ---- frames in ---- */

static ssize_t read_in(wslay_event_context_ptr frames, uint8_t *out, size_t room, int flags,
                       void *owner)
{
    struct robo__websocket *w = owner;
    const size_t n = w->n < room ? w->n : room;
    (void)flags;
    if (n == 0) {
        wslay_event_set_error(frames, WSLAY_ERR_WOULDBLOCK);
        return -1;
    }
    memcpy(out, w->in, n);
    w->in += n;
    w->n -= n;
    return (ssize_t)n;
}

static void on_frame(wslay_event_context_ptr frames,
                     const struct wslay_event_on_frame_recv_start_arg *frame, void *owner)
{
    struct robo__websocket *w = owner;
    w->opcode = frame->opcode;
    w->due = (w->due > w->now ? w->due : w->now) + SECOND / RATE;
    if (w->due - w->now > SECOND)
        refuse(w, POLICY, FAST);
    else if (frame->opcode == WSLAY_TEXT_FRAME && !w->reader && !wslay_event_get_close_sent(frames))
        finish(w, NO_TEXT, "messages are binary: packages of RoboTalk");
}

static void on_chunk(wslay_event_context_ptr frames,
                     const struct wslay_event_on_frame_recv_chunk_arg *chunk, void *owner)
{
    struct robo__websocket *w = owner;
    (void)frames;
    if (!wslay_is_ctrl_frame(w->opcode) && !w->reader && !w->outer->closing &&
        chunk->data_length > 0)
        robo__conn_receive(&w->inner, chunk->data, chunk->data_length, w->now);
}

/* Credentials of the greeting within count for the whole connection: lists that are read again are compared with the outer
 * one. */
static void greet(struct robo__websocket *w)
{
    if (!w->inner.greeted)
        return;
    w->outer->credentials = w->inner.credentials;
    w->outer->role = w->inner.role;
}

static void on_message(wslay_event_context_ptr frames,
                       const struct wslay_event_on_msg_recv_arg *message, void *owner)
{
    struct robo__websocket *w = owner;
    robo_time answer;
    (void)frames;
    if (message->opcode == WSLAY_PONG && message->msg_length == sizeof answer) {
        memcpy(&answer, message->msg, sizeof answer);
        if (answer > w->answered && answer <= w->asked) /* it was asked */
            w->answered = answer;
    }
    if (w->reader && !wslay_is_ctrl_frame(message->opcode) && !w->outer->closing)
        w->reader->message(w->owner, message->opcode == WSLAY_TEXT_FRAME,
                           message->msg ? message->msg : (const uint8_t *)"", message->msg_length,
                           w->now);
}

void robo__websocket_receive(struct robo__websocket *w, const uint8_t *in, size_t n, robo_time now)
{
    if (w->crowded)
        return;
    w->heard = now;
    w->busy = true;
    w->in = in;
    w->n = n;
    w->now = now;
    const int error = wslay_event_recv(w->frames);
    w->n = 0;
    greet(w);
    if (error != 0)
        robo__conn_drop(w->outer);
    else if (wslay_event_want_write(w->frames) && wslay_event_send(w->frames) != 0)
        robo__conn_drop(w->outer);
    pump(w, robo__conn_waits(&w->inner));
    /* after a close frame: the client's, or the answer to a broken rule */
    if (!wslay_event_want_read(w->frames))
        w->outer->closing = true;
    w->busy = false;
}

void robo__websocket_resume(struct robo__websocket *w, robo_time now)
{
    w->busy = true;
    pump(w, false); /* what is unread makes it wait */
    pump(w, robo__conn_waits(&w->inner) && robo__conn_resume(&w->inner, now));
    w->busy = false;
}

/* ---- its life ---- */

static unsigned *count_of(struct robo__host *host)
{
    static const char key;
    return robo__host_part(host, &key, sizeof(unsigned));
}

static void on_watch(struct robo__timer *timer, robo_time now)
{
    static const struct wslay_event_msg ping = { WSLAY_PING, NULL, 0 };
    struct robo__websocket *w = robo__container_of(timer, struct robo__websocket, watch);
    const robo_time silent = now - w->heard;
    if (w->crowded) {
        refuse(w, TRY_LATER, CROWDED);
    } else if (silent >= 2 * IDLE) {
        w->outer->refused = GONE;
        robo__conn_drop(w->outer);
    } else {
        robo__timer_start(w->outer->host->timers, timer,
                          w->heard + (silent < IDLE ? IDLE : 2 * IDLE));
        if (silent >= IDLE && wslay_event_queue_msg(w->frames, &ping) == 0)
            wslay_event_send(w->frames);
    }
    robo__conn_kick(w->outer); /* this may free both */
}

/* most: bytes of a message; memory: of the budget. NULL: no memory. */
static struct robo__websocket *open_frames(struct robo__conn *outer, size_t most, size_t memory)
{
    static const struct wslay_event_callbacks callbacks = { .recv_callback = read_in,
                                                            .send_callback = write_out,
                                                            .on_frame_recv_start_callback =
                                                                on_frame,
                                                            .on_frame_recv_chunk_callback =
                                                                on_chunk,
                                                            .on_msg_recv_callback = on_message };
    struct robo__budget *budget = robo__world_memory(outer->host->world);
    unsigned *count = count_of(outer->host);
    struct robo__websocket *w = count ? calloc(1, sizeof *w) : NULL;
    if (!w || !robo__budget_take(budget, outer->share->buffers + budget->total / LEFT, memory)) {
        free(w);
        return NULL;
    }
    w->outer = outer;
    w->memory = memory;
    if (wslay_event_context_server_init(&w->frames, &callbacks, w) != 0) {
        robo__budget_give(budget, memory);
        free(w);
        return NULL;
    }
    wslay_event_config_set_max_recv_msg_length(w->frames, most);
    outer->share->buffers += memory;
    w->heard = w->asked = w->answered = robo_now(outer->host->world);
    w->watch.fire = on_watch;
    w->crowded = ++*count > MOST;
    w->crowded |= ++outer->share->sockets > EACH;
    robo__timer_start(outer->host->timers, &w->watch, w->heard + (w->crowded ? 0 : IDLE));
    return w;
}

static void close_frames(struct robo__websocket *w)
{
    robo__timer_stop(w->outer->host->timers, &w->watch);
    --*count_of(w->outer->host);
    w->outer->share->sockets--;
    wslay_event_context_free(w->frames);
    w->outer->share->buffers -= w->memory;
    robo__budget_give(robo__world_memory(w->outer->host->world), w->memory);
    free(w);
}

struct robo__websocket *robo__websocket_open(struct robo__conn *outer,
                                             const struct robo__protocol *protocol)
{
    const struct robo__url url = robo__url_local(protocol);
    struct robo__websocket *w = open_frames(outer, MESSAGE, MEMORY);
    if (w && robo__conn_init(&w->inner, outer->host, &url, on_kick) < 0) {
        close_frames(w);
        return NULL;
    }
    if (!w)
        return NULL;
    wslay_event_config_set_no_buffering(w->frames, 1);
    w->inner.share = outer->share;
    w->inner.access = outer->access;
    w->inner.credentials = outer->credentials;
    w->inner.underway = underway;
    return w;
}

struct robo__websocket *robo__websocket_open_messages(struct robo__conn *outer,
                                                      const struct robo__websocket_reader *reader,
                                                      void *owner)
{
    struct robo__websocket *w = open_frames(outer, reader->most, MEMORY + reader->most);
    if (w) {
        w->reader = reader;
        w->owner = owner;
    }
    return w;
}

void robo__websocket_close(struct robo__websocket *w)
{
    if (!w)
        return;
    w->busy = true;
    if (!w->reader)
        robo__conn_free(&w->inner);
    close_frames(w);
}

static void end(struct robo__websocket *w, void (*words)(void *state, robo_time now), unsigned code,
                const char *reason, robo_time now)
{
    w->busy = true;
    if (words)
        words(w->inner.state, now);
    pump(w, false);
    finish(w, code, reason);
    w->busy = false;
}

void robo__websocket_shut_down(struct robo__websocket *w, robo_time now)
{
    end(w, w->reader ? NULL : w->inner.protocol->shutdown, GOING_AWAY, "the server closes", now);
}

void robo__websocket_dismiss(struct robo__websocket *w, robo_time now)
{
    end(w, w->reader ? NULL : w->inner.protocol->dismiss, POLICY, "it is not listed any more", now);
}
