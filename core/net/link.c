/* An in-memory transport. */
#include "link.h"

#include <stdlib.h>
#include <string.h>

#include "base/time.h"

static const robo_time AGAIN = 200 * 1000000;

struct robo__chunk {
    struct robo__chunk *next;
    robo_time due;
    size_t size;
    uint8_t bytes[];
};

static void arrive(struct robo__direction *d, const uint8_t *bytes, size_t n, robo_time now)
{
    struct robo__link *link = d->link;
    if (link->dead)
        return;
    if (!d->up)
        link->deliver(link, bytes, n, now);
    else if (!link->closed)
        robo__conn_receive(&link->conn, bytes, n, now);
}

static void pump(struct robo__link *link);

/* Around everything that may call the client, who may then close the link. */
static void enter(struct robo__link *link)
{
    link->busy++;
}

static void leave(struct robo__link *link)
{
    if (--link->busy == 0 && link->dead) {
        robo__conn_free(&link->conn);
        free(link);
    }
}

static void on_due(struct robo__timer *timer, robo_time now)
{
    struct robo__direction *d = robo__container_of(timer, struct robo__direction, timer);
    struct robo__link *link = d->link;
    enter(link);
    while (d->first && d->first->due <= now) {
        struct robo__chunk *chunk = d->first;
        d->first = chunk->next;
        if (!link->cut)
            arrive(d, chunk->bytes, chunk->size, now);
        free(chunk);
    }
    if (d->first)
        robo__timer_start(link->conn.host->timers, &d->timer, d->first->due);
    pump(link);
    leave(link);
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
    robo__timer_start(d->link->conn.host->timers, &d->timer, d->first->due);
}

static bool by_chance(struct robo__link *link, double probability)
{
    return probability > 0 && robo__random_uniform(&link->random) < probability;
}

static void carry_piece(struct robo__direction *d, const uint8_t *bytes, size_t n)
{
    struct robo__link *link = d->link;
    const struct robo__channel *c = &link->channel;
    robo_time now = robo_now(link->conn.host->world);
    if (n == 0 || link->cut || link->dead)
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
    due += c->latency + (robo_time)((double)c->jitter * robo__random_uniform(&link->random));
    if (by_chance(link, c->loss))
        due += c->again ? c->again : AGAIN;
    /* a stream keeps its order, whatever happens to its parts */
    if (!by_chance(link, c->reorder) && due < d->last_due)
        due = d->last_due;
    if (due > d->last_due)
        d->last_due = due;
    enqueue(d, bytes, n, due);
    if (by_chance(link, c->duplicate))
        enqueue(d, bytes, n, due + c->jitter);
}

static void carry(struct robo__direction *d, const uint8_t *bytes, size_t n)
{
    struct robo__link *link = d->link;
    if (n < 2 || !by_chance(link, link->channel.split)) {
        carry_piece(d, bytes, n);
        return;
    }
    size_t first = 1 + robo__random_u64(&link->random) % (n - 1);
    carry_piece(d, bytes, first);
    carry_piece(d, bytes + first, n - first);
}

/* The server's output onto the wire, and its hanging up. */
static void pump(struct robo__link *link)
{
    const uint8_t *bytes;
    uint8_t *out;
    size_t n;
    /* what an ideal link delivers may be answered at once, and that comes back here: order is kept by
       finishing what was begun first */
    if (link->pumping)
        return;
    link->pumping = true;
    do {
        while ((out = robo__conn_take_output(&link->conn, &bytes, &n)) != NULL) {
            carry(&link->down, bytes, n);
            robo__conn_return_output(&link->conn, out);
        }
    } while (robo__conn_resume(&link->conn, robo_now(link->conn.host->world)) ||
             link->conn.out_count > 0);
    link->pumping = false;
    if (link->conn.closing && !link->closed && !link->dead && !link->down.first) {
        link->closed = true;
        link->lost(link);
    }
}

static void on_kick(struct robo__conn *conn)
{
    struct robo__link *link = robo__container_of(conn, struct robo__link, conn);
    enter(link);
    pump(link);
    leave(link);
}

int robo__link_open(struct robo__host *host, const struct robo__protocol *protocol,
                    const struct robo__channel *channel, struct robo__link **out)
{
    struct robo__link *link = calloc(1, sizeof *link);
    if (!link)
        return ROBO_ENOMEM;
    if (channel)
        link->channel = *channel;
    link->up = (struct robo__direction){ .link = link, .up = true, .timer.fire = on_due };
    link->down = (struct robo__direction){ .link = link, .timer.fire = on_due };
    robo__random_seed(&link->random, robo__random_u64(&host->random));
    int error = robo__conn_init(&link->conn, host, protocol, on_kick);
    if (error < 0) {
        free(link);
        return error;
    }
    link->conn.stall_least = link->channel.stall_least;
    link->conn.stall_most = link->channel.stall_most;
    *out = link;
    return 0;
}

void robo__link_send(struct robo__link *link, const uint8_t *bytes, size_t n)
{
    if (link->closed)
        return;
    enter(link);
    if (link->sent)
        link->sent(link, bytes, n);
    carry(&link->up, bytes, n);
    pump(link);
    leave(link);
}

static void drop(struct robo__direction *d)
{
    robo__timer_stop(d->link->conn.host->timers, &d->timer);
    while (d->first) {
        struct robo__chunk *chunk = d->first;
        d->first = chunk->next;
        free(chunk);
    }
}

void robo__link_close(struct robo__link *link)
{
    drop(&link->up);
    drop(&link->down);
    link->dead = true;
    enter(link);
    leave(link);
}
