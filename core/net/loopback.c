/* An in-memory transport. */
#include "loopback.h"

#include <stdlib.h>
#include <string.h>

#include "base/time.h"

enum { TRIES = 6 }; /* of a chunk, which is lost no more after them */
static const robo_time AGAIN = 200 * 1000000;

struct robo__chunk {
    struct robo__chunk *next;
    robo_time due;
    size_t size;
    uint8_t bytes[];
};

static void arrive(struct robo__direction *d, const uint8_t *bytes, size_t n, robo_time now)
{
    struct robo__loopback *loopback = d->loopback;
    if (loopback->dead)
        return;
    if (!d->up)
        loopback->deliver(loopback, bytes, n, now);
    else if (!loopback->closed)
        robo__conn_receive(&loopback->conn, bytes, n, now);
}

static void pump(struct robo__loopback *loopback);

/* Around all calls of the client, which may close the loopback, and of the server, which reads robots as on a loop. */
static void enter(struct robo__loopback *loopback)
{
    loopback->busy++;
}

static void leave(struct robo__loopback *loopback)
{
    if (--loopback->busy == 0 && loopback->dead) {
        robo__conn_free(&loopback->conn);
        free(loopback);
    }
}

static void on_due(struct robo__timer *timer, robo_time now)
{
    struct robo__direction *d = robo__container_of(timer, struct robo__direction, timer);
    struct robo__loopback *loopback = d->loopback;
    enter(loopback);
    while (d->first && d->first->due <= now) {
        struct robo__chunk *chunk = d->first;
        d->first = chunk->next;
        d->underway -= chunk->size;
        if (!loopback->cut)
            arrive(d, chunk->bytes, chunk->size, now);
        free(chunk);
    }
    if (d->first)
        robo__timer_start(loopback->conn.host->timers, &d->timer, d->first->due);
    pump(loopback);
    leave(loopback);
}

static void enqueue(struct robo__direction *d, const uint8_t *bytes, size_t n, robo_time due)
{
    struct robo__chunk *chunk = malloc(sizeof *chunk + n);
    if (!chunk)
        return; /* as a network does when its buffers are full */
    chunk->due = due;
    chunk->size = n;
    memcpy(chunk->bytes, bytes, n);
    struct robo__chunk **p = &d->first;
    while (*p && (*p)->due <= due)
        p = &(*p)->next;
    chunk->next = *p;
    *p = chunk;
    d->underway += n;
    robo__timer_start(d->loopback->conn.host->timers, &d->timer, d->first->due);
}

static bool by_chance(struct robo__loopback *loopback, double probability)
{
    return probability > 0 && robo__random_uniform(&loopback->random) < probability;
}

static void carry_piece(struct robo__direction *d, const uint8_t *bytes, size_t n)
{
    struct robo__loopback *loopback = d->loopback;
    const struct robo_channel *c = &loopback->channel;
    robo_time now = robo_now(loopback->conn.host->world);
    if (n == 0 || loopback->cut || loopback->dead)
        return;
    if (c->latency == 0 && c->jitter == 0 && c->rate <= 0 && c->loss <= 0 && c->duplicate <= 0 &&
        c->reorder <= 0) {
        arrive(d, bytes, n, now);
        return;
    }
    robo_time due = now;
    if (c->rate > 0) {
        if (d->busy_until > now)
            due = d->busy_until;
        due += (robo_time)((double)n / c->rate * 1e9);
        d->busy_until = due;
    }
    due += c->latency + (robo_time)((double)c->jitter * robo__random_uniform(&loopback->random));
    robo_time again = c->again ? c->again : AGAIN;
    for (int tries = 0; tries < TRIES && by_chance(loopback, c->loss); tries++, again *= 2)
        due += again;
    /* a stream keeps its order, whatever happens to its parts */
    if (!by_chance(loopback, c->reorder) && due < d->last_due)
        due = d->last_due;
    if (due > d->last_due)
        d->last_due = due;
    enqueue(d, bytes, n, due);
    if (by_chance(loopback, c->duplicate))
        enqueue(d, bytes, n, due + c->jitter);
}

static void carry(struct robo__direction *d, const uint8_t *bytes, size_t n)
{
    struct robo__loopback *loopback = d->loopback;
    if (n < 2 || !by_chance(loopback, loopback->channel.split)) {
        carry_piece(d, bytes, n);
        return;
    }
    size_t first = 1 + robo__random_u64(&loopback->random) % (n - 1);
    carry_piece(d, bytes, first);
    carry_piece(d, bytes + first, n - first);
}

/* The server's output onto the wire, and its hanging up. */
static void pump(struct robo__loopback *loopback)
{
    const uint8_t *bytes;
    uint8_t *out;
    size_t n;
    /* bytes that an ideal loopback delivers may be answered at once, and that comes back here: order
       is kept by finishing the first delivery first */
    if (loopback->pumping)
        return;
    loopback->pumping = true;
    do {
        while ((out = robo__conn_take_output(&loopback->conn, &bytes, &n)) != NULL) {
            carry(&loopback->down, bytes, n);
            robo__conn_return_output(&loopback->conn, out);
        }
    } while (robo__conn_resume(&loopback->conn, robo_now(loopback->conn.host->world)) ||
             loopback->conn.out_count > 0);
    loopback->pumping = false;
    if (loopback->conn.closing && !loopback->closed && !loopback->dead && !loopback->down.first) {
        loopback->closed = true;
        loopback->lost(loopback);
    }
}

static size_t underway(const struct robo__conn *conn)
{
    return robo__container_of(conn, const struct robo__loopback, conn)->down.underway;
}

static void on_kick(struct robo__conn *conn)
{
    struct robo__loopback *loopback = robo__container_of(conn, struct robo__loopback, conn);
    enter(loopback);
    pump(loopback);
    leave(loopback);
}

int robo__loopback_open(struct robo__host *host, const struct robo__url *url,
                        const struct robo_channel *channel, struct robo__loopback **out)
{
    struct robo__loopback *loopback = calloc(1, sizeof *loopback);
    if (!loopback)
        return ROBO_ENOMEM;
    if (channel)
        loopback->channel = *channel;
    loopback->up =
        (struct robo__direction){ .loopback = loopback, .up = true, .timer.fire = on_due };
    loopback->down = (struct robo__direction){ .loopback = loopback, .timer.fire = on_due };
    robo__random_seed(&loopback->random, robo__random_u64(&host->random));
    int error = robo__conn_init(&loopback->conn, host, url, on_kick);
    if (error < 0) {
        free(loopback);
        return error;
    }
    loopback->conn.underway = underway;
    loopback->conn.stall_least = loopback->channel.stall_least;
    loopback->conn.stall_most = loopback->channel.stall_most;
    *out = loopback;
    return 0;
}

void robo__loopback_send(struct robo__loopback *loopback, const uint8_t *bytes, size_t n)
{
    if (loopback->closed)
        return;
    enter(loopback);
    if (loopback->sent)
        loopback->sent(loopback, bytes, n);
    carry(&loopback->up, bytes, n);
    pump(loopback);
    leave(loopback);
}

static void drop(struct robo__direction *d)
{
    robo__timer_stop(d->loopback->conn.host->timers, &d->timer);
    while (d->first) {
        struct robo__chunk *chunk = d->first;
        d->first = chunk->next;
        free(chunk);
    }
}

void robo__loopback_close(struct robo__loopback *loopback)
{
    drop(&loopback->up);
    drop(&loopback->down);
    loopback->dead = true;
    enter(loopback);
    leave(loopback);
}
