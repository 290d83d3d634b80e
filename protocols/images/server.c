/* The image server that keeps pictures: a sender, the picture that comes from it, and those of its pictures that the keeper has, on
 * the server's thread. The pieces of a picture are put together here; the keeper's job checks whether it is one. A sender of
 * whose pictures the keeper has AHEAD is not read from until one of them is answered, so a disk that is slow makes senders slow. */
#include "protocols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/time.h"
#include "net/picture_writer.h"
#include "net/socket.h"
#include "rewind_http.h"
#include "wire.h"

/* FIRST: bytes of room for a picture at first; it grows as the bytes come, whatever its head says. AHEAD: pictures that the keeper has. */
enum { FIRST = 1 << 15, AHEAD = 2 };
static const robo_time SECOND = 1000000000, UNSENT = 30000000000;

struct visit {
    struct robo__conn *conn; /* NULL: it is over, and freed with its last delivery */
    robo_images *keeper;     /* held */
    struct robo__images_place place;
    /* for a client that reads stored pictures; NULL: it is a sender */
    struct robo__images_web *web;
    struct robo__images_reader reader;
    char source[ROBO__STORE_SOURCE + 1];
    bool answers, complained;
    unsigned ahead;            /* deliveries that the keeper has */
    struct arrival *coming;    /* the picture that comes; NULL: none */
    size_t have, room;         /* bytes of it; for which there is room */
    size_t charged;            /* bytes of the world's budget, of all of its pictures */
    struct robo__timer unsent; /* while a picture comes */
    uint64_t seen;             /* of the reader, when that was examined last */
    robo_time sent_at;         /* when the sender last sent some */
};

struct arrival {
    struct robo__delivery d; /* first */
    struct visit *visit;
    size_t charged;
};

struct connection {
    struct visit *visit;
};

static void free_if_over(struct visit *v)
{
    if (v->conn || v->ahead > 0)
        return;
    robo__picture_writer_release(v->keeper);
    free(v);
}

static void free_delivery(struct arrival *h)
{
    robo__budget_give(robo__world_memory(h->d.host->world), h->charged);
    h->visit->charged -= h->charged;
    free(h->d.bytes);
    free(h);
}

static void refuse(struct visit *v)
{
    v->conn->refused = v->reader.why;
    v->conn->closing = true;
}

/* ---- answers ---- */

static void answer(struct visit *v, const char *text)
{
    uint8_t *out = v->answers ? robo__conn_reserve(v->conn, 2) : NULL;
    if (!out)
        return;
    memcpy(out, text, 2);
    robo__conn_commit(v->conn, 2);
}

/* The log already has the store's own message about a refusal. */
static void complain(struct visit *v, const struct robo__delivery *d)
{
    if (v->complained)
        return;
    v->complained = true;
    if (d->error == ROBO_EBODY)
        robo__world_log(v->conn->host->world, ROBO_LOG_WARNING,
                        "images: %s: a picture is no JPEG: byte %zu: %s", d->source, d->at,
                        d->fault);
    else
        robo__world_log(v->conn->host->world, ROBO_LOG_WARNING,
                        "images: %s: a picture is refused: %s", d->source,
                        d->error == ROBO_ESIZE ? "it is larger than the folder may become"
                                               : robo_strerror(d->error));
}

/* The keeper has done with a picture. */
static void on_kept(struct robo__wakeup *wakeup, robo_time now)
{
    struct arrival *h = (struct arrival *)robo__container_of(wakeup, struct robo__delivery, wakeup);
    struct visit *v = h->visit;
    (void)now;
    v->ahead--;
    if (v->conn) {
        answer(v, h->d.error == 0 ? "OK" : "NO");
        if (h->d.error != 0 && h->d.error != ROBO_ESYSTEM)
            complain(v, &h->d);
        v->conn->holds = v->ahead >= AHEAD;
    }
    free_delivery(h);
    if (v->conn)
        robo__conn_kick(v->conn); /* this may free it */
    else
        free_if_over(v);
}

/* ---- a picture comes ---- */

/* us of the epoch; in a virtual world of its own. */
static int64_t epoch(const robo_world *world, robo_time now)
{
    struct timespec real;
    if (robo_is_virtual(world))
        return now / 1000;
    clock_gettime(CLOCK_REALTIME, &real);
    return (int64_t)real.tv_sec * 1000000 + real.tv_nsec / 1000;
}

/* Room for so many bytes of the picture. There is no memory: it is refused when it is whole, and its bytes are skipped. */
static bool make_room(struct visit *v, size_t wanted)
{
    struct arrival *h = v->coming;
    struct robo__budget *budget = robo__world_memory(v->conn->host->world);
    if (h->d.error != 0)
        return false;
    if (wanted <= v->room)
        return true;
    size_t room = v->room ? 2 * v->room : FIRST;
    room = room < v->reader.size ? room : v->reader.size;
    room = room > wanted ? room : wanted;
    uint8_t *bytes = NULL;
    if (robo__budget_take(budget, v->charged, room - v->room)) {
        bytes = realloc(h->d.bytes, room);
        if (!bytes)
            robo__budget_give(budget, room - v->room);
    }
    if (!bytes) {
        h->d.error = ROBO_ENOMEM;
        return false;
    }
    h->charged += room - v->room;
    v->charged += room - v->room;
    v->room = room;
    h->d.bytes = bytes;
    return true;
}

/* Ends a sender that has begun a picture and sends no more of it. */
static void on_unsent(struct robo__timer *timer, robo_time now)
{
    struct visit *v = robo__container_of(timer, struct visit, unsent);
    struct robo__conn *conn = v->conn;
    if (!v->coming)
        return;
    if (v->seen != v->reader.place || conn->holds)
        v->sent_at = now;
    v->seen = v->reader.place;
    if (now - v->sent_at < UNSENT) {
        robo__timer_start(conn->host->timers, timer, now + SECOND);
        return;
    }
    snprintf(v->reader.why, sizeof v->reader.why, "it does not send the rest of its picture");
    refuse(v);
    robo__conn_kick(conn); /* this may free it */
}

static bool begin(struct visit *v, robo_time now)
{
    struct arrival *h = calloc(1, sizeof *h);
    if (!h)
        return false;
    h->visit = v;
    h->d.host = v->conn->host;
    h->d.wakeup.run = on_kept;
    v->coming = h;
    v->have = v->room = 0;
    v->sent_at = now;
    v->seen = v->reader.place;
    if (v->unsent.place == ROBO__TIMER_IDLE)
        robo__timer_start(v->conn->host->timers, &v->unsent, now + SECOND);
    return true;
}

static void take(struct visit *v, const uint8_t *bytes, size_t n)
{
    if (make_room(v, v->have + n))
        memcpy(v->coming->d.bytes + v->have, bytes, n);
    v->have += n;
}

static void hand_over(struct visit *v, robo_time now)
{
    struct arrival *h = v->coming;
    h->d.size = v->have;
    h->d.time = epoch(v->conn->host->world, now);
    memcpy(h->d.source, v->source, sizeof h->d.source);
    v->coming = NULL;
    v->conn->holds = ++v->ahead >= AHEAD;
    robo__picture_writer_put(v->keeper, &h->d);
}

/* Handles one event of the received bytes; false: they are used up, or the connection closes, so that they have no further one. */
static bool work(struct visit *v, enum robo__images_event event, const uint8_t *end, robo_time now)
{
    switch (event) {
    case ROBO__IMAGES_HELLO:
        v->answers = true;
        answer(v, "OK");
        return true;
    case ROBO__IMAGES_NAMED: memcpy(v->source, v->reader.name, sizeof v->source); return true;
    case ROBO__IMAGES_BEGIN: v->conn->closing |= !begin(v, now); return true;
    case ROBO__IMAGES_BYTES: take(v, end - v->reader.bytes, v->reader.bytes); return true;
    case ROBO__IMAGES_END: hand_over(v, now); return true;
    case ROBO__IMAGES_BAD: refuse(v); return false;
    case ROBO__IMAGES_MORE: break;
    }
    return false;
}

/* ---- its life ---- */

/* A sender without a name is called as its machine. */
static void name_source(struct visit *v)
{
    char peer[64] = "";
    if (v->conn->stream > 0)
        robo__socket_peer(v->conn->stream - 1, peer);
    char *port = strrchr(peer, ':');
    if (port)
        *port = 0;
    snprintf(v->source, sizeof v->source, "%s", peer[0] ? peer : "unknown");
}

static bool may_send(struct visit *v)
{
    if (v->source[0])
        return true;
    if (v->conn->access && v->conn->role < ROBO_ROLE_DRIVE) {
        snprintf(v->reader.why, sizeof v->reader.why, "it may not drive, and so sends no pictures");
        refuse(v);
        return false;
    }
    name_source(v);
    return true;
}

static size_t feed(void *state, const uint8_t *in, size_t n, bool one, robo_time now)
{
    struct visit *v = ((struct connection *)state)->visit;
    size_t done = 0, used;
    /* a sender's first byte is O, or a type; those of GET and HEAD are neither */
    if (!v->source[0] && !v->web && n > 0 && (in[0] == 'G' || in[0] == 'H')) {
        v->web = robo__images_web_open(v->conn, v->keeper, &v->place, now);
        v->conn->closing |= !v->web;
    }
    if (v->web)
        return robo__images_web_feed(v->web, in, n, now);
    if (v->conn->closing || !may_send(v))
        return 0;
    while (!v->conn->closing && v->ahead < AHEAD) {
        const enum robo__images_event event =
            robo__images_next(&v->reader, in + done, n - done, &used);
        done += used;
        if (!work(v, event, in + done, now) || (one && event == ROBO__IMAGES_END))
            break;
    }
    return done;
}

static int open_connection(void *state, struct robo__conn *conn, const struct robo__url *url)
{
    robo_images *keeper = robo__host_images(conn->host);
    struct visit *v = keeper ? calloc(1, sizeof *v) : NULL;
    if (!keeper)
        robo__world_log(conn->host->world, ROBO_LOG_WARNING,
                        "images: nobody keeps pictures here: robotalk images DIR does");
    if (!v)
        return keeper ? ROBO_ENOMEM : ROBO_ENONE;
    ((struct connection *)state)->visit = v;
    v->conn = conn;
    v->keeper = robo__picture_writer_hold(keeper);
    if (url->medium == ROBO__TCP || url->medium == ROBO__TLS)
        snprintf(v->place.name, sizeof v->place.name, "%s", url->host);
    v->place.any = url->medium != ROBO__TCP;
    v->place.secure = url->medium == ROBO__TLS;
    v->unsent.fire = on_unsent;
    return 0;
}

static void resume(void *state, robo_time now)
{
    struct visit *v = ((struct connection *)state)->visit;
    (void)now;
    if (v->web)
        robo__images_web_resume(v->web);
}

static void close_connection(void *state)
{
    struct visit *v = ((struct connection *)state)->visit;
    robo__images_web_close(v->web);
    robo__timer_stop(v->conn->host->timers, &v->unsent);
    if (v->coming)
        free_delivery(v->coming);
    v->coming = NULL;
    v->conn = NULL;
    free_if_over(v);
}

const struct robo__protocol robo__images = { .name = "images",
                                             .port = 5004,
                                             .size = sizeof(struct connection),
                                             .names_part = true,
                                             .watches = true,
                                             .speaks_http = true,
                                             .open = open_connection,
                                             .feed = feed,
                                             .resume = resume,
                                             .close = close_connection };
