/* A server: the connections that are accepted at an address, and their protocol. */
#include "server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "dds.h"
#include "detect_tls_http.h"
#include "listener.h"
#include "loop_memory.h"
#include "origin.h"
#include "trim.h"
#include "base/time.h"

/* The client that was served least recently is served first. A client that may have sent more than it may in its turn, or
 * that asks for another turn before others have had theirs, is put off into a queue, of which a piece is served in each
 * turn of the loop. The queue is a heap of timers, which are due when their clients were served last. So new clients, and
 * clients that seldom send, do not wait for those that flood: a panic waits for a piece.
 *
 * TURN: bytes taken from one socket at once; 2 KiB are some 28 commands, 8 us of work. SHORT: when more than MANY are
 * queued. ROUND: ns after which clients that are ready, or have unprocessed input, are put off, too. */
enum { TURN = 2048, SHORT = 512, MANY = 64, ROUND = 200000, MOST = 20000 };

struct robo_server {
    robo_loop *loop;
    struct robo__listener listener;
    struct robo__lists lists;
    struct robo__timer review; /* checks whether clients are still listed */
    struct robo__trim trim;    /* of the memory of clients that disconnected */
    struct robo_serve_options options;
    struct client *first;
    _Atomic size_t count;          /* read by other threads too */
    uint64_t came, received, sent; /* so far: clients, and bytes */

    struct robo__timers line;     /* the queue of clients that were put off */
    struct robo__backlog backlog; /* on while there are some */
    struct client *served;        /* by it; NULL: none, or gone */
    uint64_t turn; /* the loop's, in which clients were read from since; 0: none yet */
    robo_time since, latest;
    struct client *drained; /* those in that turn that had no more to say, as far as was seen */
};

struct client {
    struct robo__conn conn;
    robo_server *server;
    struct client *next, *previous;
    struct robo__endpoint end;
    struct robo__share *origin;
    bool heard;               /* bytes were received from it */
    bool mute;                /* it reads no more: nothing is written */
    bool complained;          /* the log has why it is refused */
    bool ended;               /* the input ended: it closes when the received bytes are processed */
    robo_time had;            /* when it was served last */
    struct robo__timer place; /* in the line */
    struct client *drained, **drained_at; /* drained_at NULL: it is none of those */
};

static bool in_line(const struct client *c)
{
    return c->place.place != ROBO__TIMER_IDLE;
}

static void put_off(struct client *c)
{
    if (in_line(c))
        return;
    robo__timer_start(&c->server->line, &c->place, c->had);
    robo__backlog_start(&c->server->backlog);
}

static void leave_line(struct client *c)
{
    robo__timer_stop(&c->server->line, &c->place);
    if (c->server->line.count == 0)
        robo__backlog_stop(&c->server->backlog);
}

static void is_drained(struct client *c)
{
    robo_server *server = c->server;
    if (c->drained_at)
        return;
    c->drained = server->drained;
    c->drained_at = &server->drained;
    if (c->drained)
        c->drained->drained_at = &c->drained;
    server->drained = c;
}

static void is_drained_no_more(struct client *c)
{
    if (!c->drained_at)
        return;
    *c->drained_at = c->drained;
    if (c->drained)
        c->drained->drained_at = c->drained_at;
    c->drained_at = NULL;
}

static void complain(struct client *c)
{
    if (c->conn.refused && !c->complained)
        robo__complain(&c->server->loop->host, c->end.in.fd, c->conn.refused);
    c->complained = c->conn.refused != NULL;
}

static void close_client(struct client *c)
{
    robo_server *server = c->server;
    leave_line(c);
    is_drained_no_more(c);
    if (server->served == c)
        server->served = NULL;
    if (c->conn.closing && c->conn.role == 0 && c->conn.access->listed && !c->conn.refused)
        c->conn.refused = "what it says is no greeting";
    complain(c);
    robo__conn_free(&c->conn);
    robo__endpoint_close(&c->end);
    robo__origin_leave(&server->loop->host, c->origin);
    if (c->next)
        c->next->previous = c->previous;
    if (c->previous)
        c->previous->next = c->next;
    else
        server->first = c->next;
    server->count--;
    free(c);
    robo__trim_note(&server->trim, &server->loop->host, server->count);
}

/* Whether a write has failed because the other end has closed. Its earlier bytes, such as a final panic, are in the socket,
 * and are read up to its end. */
static bool has_gone(const struct client *c, ptrdiff_t written)
{
    return (written == -EPIPE || written == -ECONNRESET) && c->end.transport == &robo__sockets &&
           (robo__conn_hungry(&c->conn) || c->conn.halfway);
}

/* Writes as much as the transport takes; false when the connection is lost. */
static bool write_out(struct client *c)
{
    size_t n;
    const uint8_t *out = robo__conn_output(&c->conn, &n);
    while (n > 0) {
        ptrdiff_t written = c->mute ? (ptrdiff_t)n : c->end.transport->write(&c->end, out, n);
        if (!c->mute && has_gone(c, written)) {
            c->mute = true;
            continue;
        }
        if (written <= 0)
            return written == 0;
        c->server->sent += c->mute ? 0 : (uint64_t)written;
        robo__conn_written(&c->conn, (size_t)written);
        out = robo__conn_output(&c->conn, &n);
    }
    return true;
}

/* Bytes that are not acknowledged, or, by a UNIX socket, not read; by TLS the encrypted length counts,
 * which is more. */
static size_t underway(const struct robo__conn *conn)
{
    const struct client *c = robo__container_of(conn, const struct client, conn);
    int n = 0;
    return !c->mute && ioctl(c->end.in.fd, TIOCOUTQ, &n) == 0 && n > 0 ? (size_t)n : 0;
}

/* It is served at that instant. */
static void has_turn(struct client *c, robo_time now)
{
    robo_server *server = c->server;
    c->had = server->latest = now;
    if (server->since == 0)
        server->since = now;
}

/* Counts clients served in this turn of the loop from its begin on. */
static void enter_turn(robo_server *server)
{
    if (server->turn == server->loop->turn)
        return;
    server->turn = server->loop->turn;
    server->since = server->latest = 0;
    while (server->drained)
        is_drained_no_more(server->drained);
}

/* Whether no client in the queue was served before it, and the round is not over. */
static bool may_have_turn(const struct client *c)
{
    const robo_server *server = c->server;
    return c->had <= robo__timers_next(&server->line) && server->latest - server->since < ROUND;
}

/* Handles a piece of the work that waited for the client to read, or for the others, when it is its turn or the queue's; true
 * when there is more. The work of others before in this turn of the loop counts up to now. */
static bool go_on(struct client *c, bool by_line)
{
    robo_server *server = c->server;
    if (!robo__conn_waits(&c->conn) || in_line(c))
        return false;
    const robo_time now = robo_now(server->loop->host.world);
    enter_turn(server);
    if (server->since != 0)
        server->latest = now;
    if (!by_line && !may_have_turn(c)) {
        put_off(c);
        return false;
    }
    has_turn(c, now);
    return robo__conn_resume(&c->conn, now);
}

/* Called after each event: writes, and sets which events are awaited next. It may free the client. */
static void settle_by(struct client *c, bool by_line)
{
    size_t left;
    bool alive = write_out(c);
    const bool more = alive && go_on(c, by_line);
    alive = alive && write_out(c) && !(c->ended && !c->conn.halfway);
    robo__conn_output(&c->conn, &left);
    complain(c);
    if (!alive || (c->conn.closing && left == 0)) {
        close_client(c);
        return;
    }
    if (more && (left == 0 || c->conn.halfway)) /* else it goes on when the client has read */
        put_off(c);
    const bool reads = robo__conn_hungry(&c->conn) && !in_line(c) && !c->ended;
    c->end.transport->want(&c->end, reads, left > 0);
}

static void settle(struct client *c)
{
    settle_by(c, false);
}

/* Whether it is its turn, now that it is ready. */
static bool may_read(struct robo__endpoint *end)
{
    struct client *c = robo__container_of(end, struct client, end);
    enter_turn(c->server);
    if (may_have_turn(c))
        return true;
    put_off(c);
    c->end.transport->want(end, false, c->end.out.on);
    return false;
}

/* Serves the queue for a while. */
static void serve_line(struct robo__backlog *backlog)
{
    robo_server *server = robo__container_of(backlog, robo_server, backlog);
    robo_world *world = server->loop->host.world;
    const robo_time until = robo_now(world) + ROBO__PIECE;
    do {
        struct client *c = server->served =
            robo__container_of(server->line.root, struct client, place);
        leave_line(c);
        c->end.turn = server->line.count > MANY ? SHORT : TURN;
        if (robo__conn_hungry(&c->conn) && !c->ended)
            c->end.transport->read(&c->end, 0);
        c = server->served;
        server->served = NULL;
        if (c && !in_line(c))
            settle_by(c, true); /* no input: it waits until it is ready, or goes on */
    } while (server->line.root && robo_now(world) < until);
}

/* For a client whose protocol cannot express lower roles. */
static uint8_t least_role(const struct robo__conn *conn)
{
    return conn->protocol->watches ? ROBO_ROLE_WATCH : ROBO_ROLE_DRIVE;
}

/* The first bytes of a client: whether it may go on. */
static bool enter(struct client *c, const uint8_t *bytes, size_t n)
{
    struct robo__conn *conn = &c->conn;
    const struct robo__transport *transport = c->end.transport;
    conn->credentials.has_key = transport->key && transport->key(&c->end, conn->credentials.key);
    if (robo__is_tls(bytes, n))
        conn->refused = "it speaks TLS, and this address does not";
    else if (robo__is_http(bytes, n) && !conn->protocol->speaks_http)
        conn->refused = "it speaks HTTP, and this address does not";
    else if (!conn->protocol->tells_token &&
             (conn->role = robo__conn_role(conn)) < least_role(conn))
        conn->refused = conn->protocol->watches
                            ? "it may not watch"
                            : "it may not drive, and its protocol is for nothing else";
    else if (conn->greeted)
        robo__conn_greeted(conn); /* bytes are enough */
    return !conn->refused;
}

static void on_received(struct robo__endpoint *end, const uint8_t *bytes, size_t n, robo_time now)
{
    struct client *c = robo__container_of(end, struct client, end);
    robo_server *server = c->server;
    if (!c->heard && !enter(c, bytes, n)) {
        close_client(c);
        return;
    }
    c->heard = true;
    server->received += n;
    enter_turn(server);
    has_turn(c, now);
    if (c->end.transport == &robo__sockets && n < c->end.turn)
        is_drained(c);
    if (c->end.transport == &robo__sockets && (n == c->end.turn || server->served == c))
        put_off(c); /* there may be more */
    robo__conn_receive(&c->conn, bytes, n, now);
    settle(c);
}

static void on_writable(struct robo__endpoint *end)
{
    settle(robo__container_of(end, struct client, end));
}

static void on_lost(struct robo__endpoint *end, int error, const char *why)
{
    struct client *c = robo__container_of(end, struct client, end);
    (void)error, (void)why;
    if (!c->conn.halfway || c->conn.closing) {
        close_client(c);
        return;
    }
    /* by TLS the end is found together with the last bytes */
    c->mute = c->ended = true;
    end->transport->want(end, false, false);
    put_off(c);
}

static void on_kick(struct robo__conn *conn)
{
    settle(robo__container_of(conn, struct client, conn));
}

static bool may_come(struct robo__listener *listener)
{
    const robo_server *server = robo__container_of(listener, robo_server, listener);
    return server->count < server->options.most && robo__loop_memory_left();
}

/* When too many unauthenticated clients wait, one of those that have waited longest is
 * disconnected. */
static void make_room(robo_server *server, const struct client *newest)
{
    struct robo__unauthenticated *oldest =
        robo__access_crowded(&server->listener.access, &newest->conn.pending);
    if (!oldest)
        return;
    struct client *c = robo__container_of(oldest, struct client, conn.pending);
    if (!c->end.secured || c->heard) /* else its handshake is complained of */
        c->conn.refused = "many others wait to be let in";
    close_client(c);
}

/* The server has read its lists again: it disconnects clients that are not listed any more, and
 * their robots stop. */
static void on_review(struct robo__timer *timer, robo_time now)
{
    robo_server *server = robo__container_of(timer, robo_server, review);
    for (struct client *c = server->first, *next; c; c = next) {
        next = c->next;
        if (robo__conn_may_stay(&c->conn))
            continue;
        c->conn.refused = "it is not listed any more";
        if (c->conn.protocol->dismiss)
            c->conn.protocol->dismiss(c->conn.state, now);
        write_out(c);
        close_client(c);
    }
}

static int read_lists(struct robo__lists *lists, unsigned *ended, char why[256])
{
    robo_server *server = robo__container_of(lists, robo_server, lists);
    struct robo__host *host = &server->loop->host;
    int error = robo__listener_read(&server->listener, why);
    if (error < 0)
        return error;
    for (const struct client *c = server->first; c; c = c->next)
        *ended += !robo__conn_may_stay(&c->conn);
    /* not now: the client that asked for it may be among them */
    robo__timer_start(host->timers, &server->review, robo_now(host->world));
    return 0;
}

int robo_server_reload(robo_server *server, char why[256])
{
    char words[256] = "";
    unsigned ended = 0;
    bool started = robo__loop_pause(server->loop);
    int error = read_lists(&server->lists, &ended, words);
    robo__loop_resume(server->loop, started);
    if (error < 0 && why)
        memcpy(why, words, sizeof words);
    return error < 0 ? error : (int)ended;
}

/* A client that connects again at once finds its old connection closed: by the time it is accepted, the end of the old one
 * is behind its last bytes, which were read in this turn. */
static void look_for_ends(robo_server *server)
{
    enter_turn(server);
    struct client *list = server->drained;
    if (list)
        list->drained_at = &list;
    server->drained = NULL;
    while (list) {
        struct client *c = list;
        is_drained_no_more(c);
        if (robo__conn_hungry(&c->conn))
            c->end.transport->read(&c->end, 0);
    }
}

static void on_arrived(struct robo__listener *listener, struct robo__contact *contact)
{
    robo_server *server = robo__container_of(listener, robo_server, listener);
    struct robo__host *host = &server->loop->host;
    uint8_t from[ROBO__ORIGIN], most = 0;
    if (contact->channel)
        most = robo__dds_origin(contact->channel, from);
    else
        robo__socket_origin(contact->fd, from);
    struct client *c = calloc(1, sizeof *c);
    struct robo__share *origin = c ? robo__origin_join(host, from) : NULL;
    if (!origin || robo__conn_init(&c->conn, host, &listener->url, on_kick) < 0) {
        robo__origin_leave(host, origin);
        free(c);
        listener->transport->drop(contact);
        return;
    }
    c->server = server;
    c->conn.credentials.most = most;
    c->origin = c->conn.share = origin;
    c->conn.underway = underway;
    c->conn.stream = listener->url.medium == ROBO__TCP ? contact->fd + 1 : 0;
    memcpy(c->conn.pending.origin, from, sizeof from);
    robo__conn_enter(&c->conn, &listener->access, listener->access.listed || listener->keys);
    c->conn.stall_least = server->options.stall_least;
    c->conn.stall_most = server->options.stall_most;
    c->next = server->first;
    if (c->next)
        c->next->previous = c;
    server->first = c;
    server->count++;
    server->came++;
    robo__trim_note(&server->trim, host, server->count);
    c->end = (struct robo__endpoint){ .turn = TURN,
                                      .share = origin,
                                      .may_read = may_read,
                                      .received = on_received,
                                      .writable = on_writable,
                                      .lost = on_lost };
    if (listener->transport->attach(&c->end, server->loop, contact, listener) < 0) {
        close_client(c);
        return;
    }
    make_room(server, c);
    c->end.transport->want(&c->end, true, false);
    look_for_ends(server);
    /* its first bytes may be a panic: they are read in this turn */
    c->end.transport->read(&c->end, 0);
}

int robo__server_open(robo_loop *loop, struct robo__url *url,
                      const struct robo_serve_options *options, robo_server **out, char why[256])
{
    robo_server *server = calloc(1, sizeof *server);
    if (!server)
        return ROBO_ENOMEM;
    server->listener =
        (struct robo__listener){ .url = *url, .may_come = may_come, .arrived = on_arrived };
    int error = robo__listener_open(&server->listener, loop, why);
    if (error == 0 && url->protocol->serve &&
        (error = url->protocol->serve(&server->listener, why)) < 0)
        robo__listener_close(&server->listener);
    if (error < 0) {
        free(server);
        return error;
    }
    server->loop = loop;
    server->review.fire = on_review;
    robo__trim_init(&server->trim);
    server->lists = (struct robo__lists){ .next = loop->host.lists, .read = read_lists };
    loop->host.lists = &server->lists;
    robo__backlog_init(&server->backlog, loop, serve_line);
    robo__loop_use(loop);
    if (options)
        server->options = *options;
    if (server->options.most == 0)
        server->options.most = MOST;
    *url = server->listener.url;
    *out = server;
    return 0;
}

size_t robo_server_connections(const robo_server *server)
{
    return server->count;
}

void robo__servers_each(const struct robo__host *host,
                        void (*each)(void *owner, const struct robo__url *url,
                                     const struct robo__server_figures *figures),
                        void *owner)
{
    for (struct robo__lists *l = host->lists; l; l = l->next) {
        const robo_server *s = robo__container_of(l, robo_server, lists);
        each(owner, &s->listener.url,
             &(struct robo__server_figures){ s->count, s->came, s->received, s->sent });
    }
}

const struct robo__url *robo__server_address(const robo_server *server)
{
    return &server->listener.url;
}

void robo_unserve(robo_server *server)
{
    if (!server)
        return;
    robo_loop *loop = server->loop;
    bool started = robo__loop_pause(loop);
    struct robo__lists **at = &loop->host.lists;
    while (*at != &server->lists)
        at = &(*at)->next;
    *at = server->lists.next;
    robo__timer_stop(loop->host.timers, &server->review);
    if (server->listener.url.protocol->unserve)
        server->listener.url.protocol->unserve(&server->listener);
    robo__listener_close(&server->listener);
    robo_time now = robo_now(loop->host.world);
    while (server->first) {
        struct client *c = server->first;
        if (c->conn.protocol->shutdown)
            c->conn.protocol->shutdown(c->conn.state, now);
        write_out(c);
        close_client(c);
    }
    robo__timer_stop(loop->host.timers, &server->trim.timer);
    free(server);
    robo__loop_resume(loop, started);
    robo__loop_leave(loop);
}
