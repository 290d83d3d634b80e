/* A client's end of a connection. */
#include "socket_stream.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "loop_memory.h"
#include "base/time.h"

enum { CHUNK = 65536, FIRST_OUT = 4096 };

/* A sleep inside recv is one system call where poll and recv would be two; it ends after this long at the
 * latest, so that timers are seen to. */
static const robo_time NAP = 20 * 1000000;

/* A connect on a thread of its own, which holds the loop: a look-up of a name may take longer than anybody waits. It is
 * freed when the bell is answered, at the latest with the loop. */
struct robo__connecting {
    struct robo__call call;
    struct robo__loop *loop;
    struct robo__stream *stream; /* NULL: nobody waits any more; the loop's thread only */
    struct robo__url url;
    robo_time timeout;
    int result;
    char why[256];
};

void robo__stream_init(struct robo__stream *stream, struct robo__host *host,
                       struct robo__loop *loop)
{
    memset(stream, 0, sizeof *stream);
    stream->host = host;
    stream->loop = loop;
    stream->fd = -1;
}

static void forget(struct robo__stream *s)
{
    if (s->fd >= 0) {
        robo__watch_stop(&s->in_watch);
        robo__watch_stop(&s->out_watch);
        close(s->fd);
        s->fd = -1;
    }
    if (s->link)
        robo__link_close(s->link);
    s->link = NULL;
    free(s->in);
    free(s->out);
    s->in = s->out = NULL;
    s->in_count = s->in_size = s->out_first = s->out_count = s->out_size = 0;
    s->up = s->sending = false;
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

/* Bytes have come: shown to the owner, the rest kept. */
static void take(struct robo__stream *s, const uint8_t *bytes, size_t n, robo_time now)
{
    size_t done = 0;
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

/* ---- sockets ---- */

static void send_socket(struct robo__stream *s, robo_time now)
{
    while (s->out_count > 0) {
        ssize_t n = send(s->fd, s->out + s->out_first, s->out_count, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK) {
            lose(s, ROBO_ELINK, strerror(errno), now);
            return;
        }
        if (n < 0)
            break;
        s->out_first += (size_t)n;
        s->out_count -= (size_t)n;
    }
    if (s->out_count == 0)
        s->out_first = 0;
    if (s->out_count > 0)
        robo__watch_start(&s->out_watch);
    else
        robo__watch_stop(&s->out_watch);
}

static void receive_socket(struct robo__stream *s, int flags)
{
    uint8_t chunk[CHUNK];
    ssize_t n = recv(s->fd, chunk, sizeof chunk, flags);
    int error = errno;
    robo_time now = robo_now(s->host->world);
    if (n > 0)
        take(s, chunk, (size_t)n, now);
    else if (n == 0)
        lose(s, ROBO_ELINK, "the server has closed the connection", now);
    else if (error != EAGAIN && error != EWOULDBLOCK && error != EINTR)
        lose(s, ROBO_ELINK, strerror(error), now);
}

static void on_readable(struct robo__watch *watch)
{
    receive_socket(robo__container_of(watch, struct robo__stream, in_watch), MSG_DONTWAIT);
}

static void on_writable(struct robo__watch *watch)
{
    struct robo__stream *s = robo__container_of(watch, struct robo__stream, out_watch);
    send_socket(s, robo_now(s->host->world));
}

bool robo__stream_wait(struct robo__stream *s, robo_time wait)
{
    if (s->fd < 0 || !s->up || s->out_count > 0)
        return false;
    if (wait >= NAP) {
        receive_socket(s, 0); /* sleeps a NAP at most, by SO_RCVTIMEO */
        return true;
    }
    struct pollfd p = { .fd = s->fd, .events = POLLIN };
    struct timespec t = robo__timespec(wait);
    if (ppoll(&p, 1, &t, NULL) > 0)
        receive_socket(s, MSG_DONTWAIT);
    return true;
}

static void *connect_thread(void *arg)
{
    struct robo__connecting *c = arg;
    struct robo__loop *loop = c->loop;
    c->result = robo__socket_connect(&c->url, c->timeout, c->why);
    robo__bell_ring(&loop->host.bell, &c->call); /* c may be gone after this */
    robo__loop_release(loop);
    return NULL;
}

static void on_connected(struct robo__call *call, robo_time now)
{
    struct robo__connecting *c = robo__container_of(call, struct robo__connecting, call);
    struct robo__stream *s = c->stream;
    if (!s) {
        if (c->result >= 0)
            close(c->result);
    } else if (c->result < 0) {
        s->connecting = NULL;
        s->lost(s, c->result, c->why, now);
    } else {
        s->connecting = NULL;
        s->fd = c->result;
        struct timeval nap = { .tv_usec = NAP / 1000 };
        setsockopt(s->fd, SOL_SOCKET, SO_RCVTIMEO, &nap, sizeof nap);
        robo__watch_init(&s->in_watch, s->loop, s->fd, ROBO__READABLE, on_readable);
        robo__watch_init(&s->out_watch, s->loop, s->fd, ROBO__WRITABLE, on_writable);
        robo__watch_start(&s->in_watch);
        s->up = true;
        s->opened(s, now);
    }
    free(c);
}

static int start_connecting(struct robo__stream *s, const struct robo__url *url, robo_time timeout)
{
    struct robo__connecting *c = robo__loop_memory_left() ? calloc(1, sizeof *c) : NULL;
    if (!c)
        return ROBO_ENOMEM;
    c->loop = s->loop;
    c->stream = s;
    c->call.answer = on_connected;
    c->url = *url;
    c->timeout = timeout;
    pthread_t thread;
    robo__loop_hold(s->loop);
    if (pthread_create(&thread, NULL, connect_thread, c) != 0) {
        robo__loop_release(s->loop);
        free(c);
        return ROBO_ESYSTEM;
    }
    pthread_detach(thread);
    s->connecting = c;
    return 0;
}

/* ---- in-memory links ---- */

static void on_deliver(struct robo__link *link, const uint8_t *bytes, size_t n, robo_time now)
{
    take(link->owner, bytes, n, now);
}

static void on_link_lost(struct robo__link *link)
{
    struct robo__stream *s = link->owner;
    s->up = false;
    s->lost(s, ROBO_ELINK, "the server has closed the connection", robo_now(s->host->world));
}

int robo__stream_open(struct robo__stream *s, const struct robo__url *url, robo_time timeout,
                      const struct robo__protocol *protocol, const struct robo__channel *channel)
{
    robo__stream_close(s);
    if (s->loop && url->medium != ROBO__LOCAL)
        return start_connecting(s, url, timeout);
    int error = robo__link_open(s->host, protocol, channel, &s->link);
    if (error < 0)
        return error;
    s->link->deliver = on_deliver;
    s->link->lost = on_link_lost;
    s->link->owner = s;
    s->up = true;
    s->opened(s, robo_now(s->host->world));
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

void robo__stream_flush(struct robo__stream *s, robo_time now)
{
    if (!s->up || s->out_count == 0)
        return;
    if (!s->link) {
        send_socket(s, now);
        return;
    }
    /* an ideal link answers before send returns, and the answer may make the owner send again */
    if (s->sending)
        return;
    s->sending = true;
    while (s->up && s->out_count > 0) {
        uint8_t *out = s->out;
        size_t first = s->out_first, n = s->out_count;
        s->out = NULL;
        s->out_first = s->out_count = s->out_size = 0;
        robo__link_send(s->link, out + first, n);
        free(out);
    }
    s->sending = false;
}
