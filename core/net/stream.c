/* A client's end of a connection. */
#include "stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blocking_work.h"
#include "loop_memory.h"
#include "base/time.h"

enum { FIRST_OUT = 4096 };

/* A connect, on a worker: resolving a name may take longer than the owner waits. It is freed when the mailbox is drained,
 * at the latest with the loop. */
struct robo__connecting {
    struct robo__work work;
    /* NULL: the stream no longer waits; used on the loop's thread only */
    struct robo__stream *stream;
    struct robo__url url;
    robo_time timeout;
    const struct robo__transport *transport;
    struct robo__contact contact;
    int result; /* 0, or the error */
    char why[256];
};

static void forget(struct robo__stream *s)
{
    robo__endpoint_close(&s->end);
    free(s->in);
    free(s->out);
    s->in = s->out = NULL;
    s->in_count = s->in_size = s->out_first = s->out_count = s->out_size = 0;
    s->up = s->sending = s->heard = false;
}

void robo__stream_close(struct robo__stream *s)
{
    if (s->connecting)
        s->connecting->stream = NULL;
    s->connecting = NULL;
    forget(s);
}

static void lose(struct robo__stream *s, int error, const char *why, robo_time now)
{
    forget(s);
    s->lost(s, error, why, now);
}

/* Whether these bytes are the alert that a TLS server sends for another protocol. */
static bool is_tls(const uint8_t *bytes, size_t n)
{
    return n >= 7 && bytes[0] == 0x15 && bytes[1] == 3 && bytes[2] <= 4 && bytes[3] == 0;
}

/* Passes received bytes to the owner, and keeps the rest. */
static void take(struct robo__stream *s, const uint8_t *bytes, size_t n, robo_time now)
{
    size_t done = 0;
    if (!s->heard && is_tls(bytes, n)) {
        lose(s, ROBO_ELINK, "the server speaks TLS: connect to an address with +tls", now);
        return;
    }
    s->heard = true;
    if (s->in_count == 0)
        done = s->received(s, bytes, n, now);
    if (!s->up || done == n)
        return;
    if (s->in_count + n - done > s->in_size) {
        size_t size = s->in_count + n - done;
        uint8_t *in = realloc(s->in, size);
        if (!in) {
            lose(s, ROBO_ENOMEM, robo_strerror(ROBO_ENOMEM), now);
            return;
        }
        s->in = in;
        s->in_size = size;
    }
    bool waiting = s->in_count > 0;
    memcpy(s->in + s->in_count, bytes + done, n - done);
    s->in_count += n - done;
    if (!waiting)
        return;
    done = s->received(s, s->in, s->in_count, now);
    if (!s->up)
        return;
    s->in_count -= done;
    memmove(s->in, s->in + done, s->in_count);
}

static void on_received(struct robo__endpoint *end, const uint8_t *bytes, size_t n, robo_time now)
{
    take(robo__container_of(end, struct robo__stream, end), bytes, n, now);
}

static void on_writable(struct robo__endpoint *end)
{
    struct robo__stream *s = robo__container_of(end, struct robo__stream, end);
    const robo_time now = robo_now(s->host->world);
    robo__stream_flush(s, now);
    if (s->up && s->out_count == 0 && s->drained)
        s->drained(s, now);
}

static void on_lost(struct robo__endpoint *end, int error, const char *why)
{
    struct robo__stream *s = robo__container_of(end, struct robo__stream, end);
    char text[256]; /* why ends with the endpoint */
    snprintf(text, sizeof text, "%s",
             why     ? why
             : error ? strerror(error)
                     : "the server has closed the connection");
    lose(s, ROBO_ELINK, text, robo_now(s->host->world));
}

void robo__stream_init(struct robo__stream *stream, struct robo__host *host, robo_loop *loop)
{
    memset(stream, 0, sizeof *stream);
    stream->host = host;
    stream->loop = loop;
    stream->end = (struct robo__endpoint){
        .turn = ROBO__TURN_MOST, .received = on_received, .writable = on_writable, .lost = on_lost
    };
}

void robo__stream_keep_back(struct robo__stream *s, int bytes)
{
    if (s->up && s->end.in.fd > 0)
        robo__socket_keep_back(s->end.in.fd, bytes);
}

bool robo__stream_wait(struct robo__stream *s, robo_time wait)
{
    return s->up && s->out_count == 0 && s->end.transport->read(&s->end, wait);
}

/* ---- connecting ---- */

/* The endpoint is connected. */
static void begin(struct robo__stream *s, robo_time now)
{
    s->end.transport->want(&s->end, true, false);
    s->up = true;
    s->opened(s, now);
}

static void connect_now(struct robo__work *work)
{
    struct robo__connecting *c = robo__container_of(work, struct robo__connecting, work);
    c->result = c->transport->connect(&c->url, c->timeout, &c->contact, c->why);
}

static void on_connected(struct robo__wakeup *wakeup, robo_time now)
{
    struct robo__connecting *c = robo__container_of(wakeup, struct robo__connecting, work.wakeup);
    struct robo__stream *s = c->stream;
    if (!s) {
        if (c->result == 0)
            c->transport->drop(&c->contact);
    } else {
        int error = c->result;
        if (error == 0 && c->why[0])
            robo__world_log(s->host->world, ROBO_LOG_INFO, "%s", c->why);
        if (error == 0)
            error = c->transport->attach(&s->end, s->loop, &c->contact, NULL);
        s->connecting = NULL;
        if (error < 0)
            s->lost(s, error, c->result < 0 ? c->why : robo_strerror(error), now);
        else
            begin(s, now);
    }
    free(c);
}

static int start_connecting(struct robo__stream *s, const struct robo__url *url, robo_time timeout)
{
    struct robo__connecting *c = robo__loop_memory_left() ? calloc(1, sizeof *c) : NULL;
    if (!c)
        return ROBO_ENOMEM;
    *c = (struct robo__connecting){ .work = { .job = { .name = "connect", .patient = true },
                                              .wakeup.run = on_connected,
                                              .run = connect_now },
                                    .stream = s,
                                    .url = *url,
                                    .timeout = timeout,
                                    .transport = robo__transport_of(url->medium) };
    const int error = robo__work_begin(&c->work, s->loop);
    if (error < 0)
        free(c);
    else
        s->connecting = c;
    return error;
}

int robo__stream_open(struct robo__stream *s, const struct robo__url *url, robo_time timeout,
                      const struct robo_channel *channel)
{
    robo__stream_close(s);
    if (s->loop && url->medium != ROBO__LOCAL)
        return start_connecting(s, url, timeout);
    struct robo__loopback *loopback;
    int error = robo__loopback_open(s->host, url, channel, &loopback);
    if (error < 0)
        return error;
    robo__endpoint_loopback(&s->end, loopback);
    begin(s, robo_now(s->host->world));
    return 0;
}

/* ---- output ---- */

uint8_t *robo__stream_reserve(struct robo__stream *s, size_t n)
{
    if (!s->up || s->out_count + n > ROBO__CONN_MOST)
        return NULL;
    size_t end = s->out_first + s->out_count;
    if (end + n <= s->out_size)
        return s->out + end;
    if (s->out_first > 0)
        memmove(s->out, s->out + s->out_first, s->out_count);
    s->out_first = 0;
    if (s->out_count + n > s->out_size) {
        size_t size = s->out_size ? s->out_size : FIRST_OUT;
        while (size < s->out_count + n)
            size *= 2;
        uint8_t *out = realloc(s->out, size);
        if (!out)
            return NULL;
        s->out = out;
        s->out_size = size;
    }
    return s->out + s->out_count;
}

void robo__stream_commit(struct robo__stream *s, size_t n)
{
    s->out_count += n;
}

/* Writes committed bytes to the transport, once; returns its result. */
static ptrdiff_t send_some(struct robo__stream *s)
{
    /* the bytes stay where they are meanwhile: an in-memory loopback answers at once, and the owner may add more */
    uint8_t *out = s->out;
    size_t first = s->out_first, count = s->out_count, size = s->out_size;
    s->out = NULL;
    s->out_first = s->out_count = s->out_size = 0;
    ptrdiff_t n = s->end.transport->write(&s->end, out + first, count);
    if (!s->up || s->out || n < 0) {
        free(out);
        return n;
    }
    s->out = out;
    s->out_size = size;
    s->out_count = count - (size_t)n;
    s->out_first = s->out_count > 0 ? first + (size_t)n : 0;
    return n;
}

/* All that is committed, as far as it goes; negative: the link is lost. */
static ptrdiff_t send_all(struct robo__stream *s)
{
    if (!s->up || s->out_count == 0 || s->sending)
        return 0;
    ptrdiff_t n = 1;
    s->sending = true;
    while (s->up && s->out_count > 0 && n > 0)
        n = send_some(s);
    s->sending = false;
    if (n >= 0 && s->up)
        s->end.transport->want(&s->end, true, s->out_count > 0);
    return n;
}

void robo__stream_flush(struct robo__stream *s, robo_time now)
{
    const ptrdiff_t n = send_all(s);
    if (n < 0)
        lose(s, ROBO_ELINK, strerror((int)-n), now);
}

void robo__stream_push(struct robo__stream *s)
{
    (void)send_all(s);
}
