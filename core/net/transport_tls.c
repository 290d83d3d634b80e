/* The transport of TLS sockets. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/time.h"
#include "listener.h"
#include "socket.h"

/* MEMORY: bytes that OpenSSL has for a connection, at most about. SHAKING: ns that the handshakes of a server may take before
 * the others have their turn; the last may take a millisecond more, since a signature does not stop half way. */
enum { MEMORY = 1 << 16, LEFT = 8, SHAKING = 500000 };
static const robo_time HANDSHAKE = 30000000000; /* ns that one may take */

struct robo__secured {
    struct robo__endpoint *end;
    struct robo__tls *tls;
    struct robo__tls_keys *keys;      /* a server's */
    struct robo__timer patience;      /* with the handshake */
    struct robo__secured *next, **at; /* of those that wait for their turn; at NULL: it does not */
    bool reads, writes;               /* the owner's interest */
    bool *gone;                       /* NULL, or of a call under way that must know */
};

static struct robo__host *host_of(const struct robo__endpoint *end)
{
    return &end->in.loop->host;
}

static robo_world *world_of(const struct robo__endpoint *end)
{
    return end->in.loop->host.world;
}

static struct robo__timers *timers_of(const struct robo__endpoint *end)
{
    return end->in.loop->host.timers;
}

/* A connection that has no client yet is identified by its address alone. */
static void tell(const struct robo__endpoint *end, const char *why)
{
    robo__complain(host_of(end), end->secured->tls->fd, why);
}

static void watch_if(struct robo__watch *watch, bool wanted)
{
    if (wanted)
        robo__watch_start(watch);
    else
        robo__watch_stop(watch);
}

/* During the handshake it reads whatever the owner wants; work that needs room in the socket waits for it. */
static void watch(struct robo__endpoint *end)
{
    const struct robo__secured *s = end->secured;
    const bool up = s->tls->up, stuck = s->tls->stuck;
    watch_if(&end->in, (s->reads || !up) && !stuck && !s->at);
    watch_if(&end->out, ((s->writes && up) || stuck) && !s->at);
}

/* Nothing more comes. */
static void lose(struct robo__endpoint *end, ptrdiff_t result)
{
    static const uint8_t alert[] = { 0x15, 3, 3, 0, 2, 2, 70 }; /* fatal: the protocol's version */
    const struct robo__tls *tls = end->secured->tls;
    const int error = tls->error ? tls->error : tls->ended ? ECONNRESET : EPROTO;
    if (end->secured->keys && result == ROBO__TLS_LOST && !(tls->up && (tls->error || tls->ended)))
        tell(end, tls->why);
    /* OpenSSL sends nothing to a peer with another protocol */
    if (end->secured->keys && tls->foreign)
        send(tls->fd, alert, sizeof alert, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (result == ROBO__TLS_CLOSED)
        end->lost(end, 0, NULL);
    else
        end->lost(end, error, tls->why);
}

/* Delivers all received bytes, in pieces of a turn. A record is processed whole, since OpenSSL does not report that
 * half of one waits. */
static void receive(struct robo__endpoint *end, int flags)
{
    struct robo__secured *s = end->secured;
    uint8_t chunk[ROBO__TURN_MOST];
    bool gone = false, *outer = s->gone, shakes = !s->tls->up;
    ptrdiff_t got = 1;
    s->tls->turn = end->turn;
    s->tls->flags = flags;
    s->gone = &gone;
    while (got > 0) {
        size_t n = 0;
        while (n < end->turn && (got = robo__tls_read(s->tls, chunk + n, end->turn - n)) > 0)
            n += (size_t)got;
        if (shakes && s->tls->up)
            robo__timer_stop(timers_of(end), &s->patience);
        shakes = false;
        if (n > 0)
            end->received(end, chunk, n, robo_now(world_of(end)));
        if (gone) {
            if (outer)
                *outer = true;
            return;
        }
    }
    s->gone = outer;
    if (got < 0)
        lose(end, got);
    else
        watch(end);
}

/* ---- handshakes take turns: they cost a thousand times what a command does, and those of whoever likes ---- */

static void wait_for_turn(struct robo__secured *s)
{
    struct robo__tls_keys *keys = s->keys;
    if (s->at)
        return;
    if (!keys->first) {
        keys->last = &keys->first;
        robo__timer_start(timers_of(s->end), &keys->turn, robo_now(world_of(s->end)));
    }
    s->next = NULL;
    s->at = keys->last;
    *keys->last = s;
    keys->last = &s->next;
    watch(s->end);
}

static void wait_no_more(struct robo__secured *s)
{
    struct robo__tls_keys *keys = s->keys;
    if (!s->at)
        return;
    *s->at = s->next;
    if (s->next)
        s->next->at = s->at;
    else
        keys->last = s->at;
    s->at = NULL;
    if (!keys->first)
        robo__timer_stop(timers_of(s->end), &keys->turn);
}

static void on_turn(struct robo__timer *timer, robo_time now)
{
    struct robo__tls_keys *keys = robo__container_of(timer, struct robo__tls_keys, turn);
    struct robo__host *host = &keys->first->end->in.loop->host;
    const robo_time until = now + SHAKING;
    do {
        struct robo__secured *s = keys->first;
        wait_no_more(s);
        receive(s->end, MSG_DONTWAIT);
        now = robo_now(host->world);
    } while (keys->first && now < until);
    if (keys->first)
        robo__timer_start(host->timers, timer, now);
}

/* The socket may be readable or writable. */
static void go_on(struct robo__endpoint *end, int flags)
{
    struct robo__secured *s = end->secured;
    if (s->keys && !s->tls->up)
        wait_for_turn(s);
    else
        receive(end, flags);
}

static void on_readable(struct robo__watch *in)
{
    go_on(robo__container_of(in, struct robo__endpoint, in), MSG_DONTWAIT);
}

static void on_writable(struct robo__watch *out)
{
    struct robo__endpoint *end = robo__container_of(out, struct robo__endpoint, out);
    if (end->secured->tls->stuck)
        go_on(end, MSG_DONTWAIT);
    else
        end->writable(end);
}

/* ---- the row ---- */

static void on_impatient(struct robo__timer *timer, robo_time now)
{
    struct robo__secured *s = robo__container_of(timer, struct robo__secured, patience);
    (void)now;
    s->end->lost(s->end, ETIMEDOUT, NULL); /* closing notifies */
}

static bool read_tls(struct robo__endpoint *end, robo_time wait)
{
    if (wait >= ROBO__NAP) {
        go_on(end, 0);
        return true;
    }
    struct pollfd p = { .fd = end->in.fd, .events = POLLIN };
    struct timespec t = robo__timespec(wait);
    if (wait <= 0 || ppoll(&p, 1, &t, NULL) > 0)
        go_on(end, MSG_DONTWAIT);
    return true;
}

static ptrdiff_t write_tls(struct robo__endpoint *end, const uint8_t *bytes, size_t n)
{
    struct robo__tls *tls = end->secured->tls;
    ptrdiff_t written = robo__tls_write(tls, bytes, n);
    return written >= 0 ? written : tls->error ? -tls->error : -EPROTO;
}

static void want(struct robo__endpoint *end, bool read, bool write)
{
    end->secured->reads = read;
    end->secured->writes = write;
    watch(end);
}

static bool key_of(const struct robo__endpoint *end, uint8_t key[ROBO__HASH])
{
    return robo__tls_key(end->secured->tls, key);
}

static void close_tls(struct robo__endpoint *end)
{
    struct robo__secured *s = end->secured;
    if (s->keys && !s->tls->up && !s->tls->broken)
        tell(end, "it has not finished its handshake");
    if (s->gone)
        *s->gone = true;
    wait_no_more(s);
    robo__watch_stop(&end->in);
    robo__watch_stop(&end->out);
    robo__timer_stop(timers_of(end), &s->patience);
    robo__budget_give(robo__world_memory(world_of(end)), MEMORY);
    if (end->share)
        end->share->buffers -= MEMORY;
    robo__tls_close(s->tls);
    robo__tls_keys_close(s->keys);
    free(s);
    end->secured = NULL;
}

static int connect_tls(const struct robo__url *url, robo_time timeout,
                       struct robo__contact *contact, char why[256])
{
    return robo__tls_connect(url, timeout, &contact->tls, why);
}

static int listen_tls(struct robo__listener *listener, char why[256])
{
    int error = robo__tls_keys_open(&listener->url, &listener->access, &listener->keys, why);
    if (error == 0)
        error = robo__listen_sockets(listener, why);
    if (error < 0)
        robo__tls_keys_close(listener->keys);
    else
        listener->keys->turn.fire = on_turn;
    return error;
}

static int renew_tls(struct robo__listener *listener, char why[256])
{
    return robo__tls_keys_renew(listener->keys, &listener->url, &listener->access, why);
}

static void unlisten_tls(struct robo__listener *listener)
{
    robo__unlisten_sockets(listener);
    robo__tls_keys_close(listener->keys);
}

static int attach(struct robo__endpoint *end, robo_loop *loop, struct robo__contact *contact,
                  struct robo__listener *listener)
{
    struct robo__tls *tls = listener ? robo__tls_accept(listener->keys, contact->fd) : contact->tls;
    struct robo__secured *s = tls ? calloc(1, sizeof *s) : NULL;
    struct robo__budget *memory = robo__world_memory(loop->host.world);
    const size_t leave = end->share ? end->share->buffers + memory->total / LEFT : 0;
    if (!s || !robo__budget_take(memory, leave, MEMORY)) {
        free(s);
        if (tls)
            robo__tls_close(tls);
        return ROBO_ENOMEM;
    }
    *s = (struct robo__secured){ .end = end, .tls = tls, .keys = listener ? listener->keys : NULL };
    if (s->keys)
        s->keys->users++;
    s->patience.fire = on_impatient;
    if (end->share)
        end->share->buffers += MEMORY;
    end->transport = &robo__secured_sockets;
    end->secured = s;
    robo__watch_init(&end->in, loop, tls->fd, ROBO__READABLE, on_readable);
    robo__watch_init(&end->out, loop, tls->fd, ROBO__WRITABLE, on_writable);
    if (listener)
        robo__timer_start(loop->host.timers, &s->patience, robo_now(loop->host.world) + HANDSHAKE);
    return 0;
}

static void drop(struct robo__contact *contact)
{
    if (contact->tls)
        robo__tls_close(contact->tls);
    else
        close(contact->fd);
}

const struct robo__transport robo__secured_sockets = { .name = "tls",
                                                       .connect = connect_tls,
                                                       .listen = listen_tls,
                                                       .unlisten = unlisten_tls,
                                                       .renew = renew_tls,
                                                       .attach = attach,
                                                       .drop = drop,
                                                       .read = read_tls,
                                                       .write = write_tls,
                                                       .want = want,
                                                       .key = key_of,
                                                       .close = close_tls };
