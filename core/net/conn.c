/* A connection as a server sees it. */
#include "conn.h"

#include <stdlib.h>
#include <string.h>

#include "base/readers.h"
#include "base/time.h"

/* RESUME: bytes processed in one turn after a wait; two of the largest packages. FREE: bytes of buffers that are not charged to the
 * budget. KEPT: the largest buffer that is kept while it is empty, so that a client that sends steadily causes no allocations;
 * LULL, OUT_LULL: how often in a row input, or output, may leave it unused before it is freed. Answers that pile up occasionally,
 * as on a busy machine, cause at most four allocations in so many packages, since a buffer grows to KEPT in four steps. */
enum {
    FIRST_OUT = 512,
    KEPT = 1 << 12,
    LULL = 16,
    OUT_LULL = 250,
    RESUME = 1 << 17,
    FREE = 1 << 14,
    LEFT = 8, /* such a part of the memory is for sessions that open */
    TRAFFIC = ROBO__PASSAGES * sizeof(struct robo__passage)
};

static const char NO_MEMORY[] = "there is no memory for what it sends or does not read";

static void on_stall_over(struct robo__timer *timer, robo_time now);

static void on_patience_over(struct robo__timer *timer, robo_time now)
{
    struct robo__conn *conn = robo__container_of(timer, struct robo__conn, patience);
    (void)now;
    robo__conn_drop(conn);
    robo__conn_kick(conn);
}

static void on_no_greeting(struct robo__timer *timer, robo_time now)
{
    struct robo__conn *conn = robo__container_of(timer, struct robo__conn, greeting);
    (void)now;
    conn->closing = true;
    if (conn->access && conn->access->listed)
        conn->refused = "it has not said who it is";
    robo__conn_kick(conn);
}

/* Charges buffers of these sizes to the budget, except FREE bytes; false: the budget is used up. */
static bool account(struct robo__conn *conn, size_t in_size, size_t out_size)
{
    struct robo__budget *budget = robo__world_memory(conn->host->world);
    size_t kept = conn->traffic.passage ? TRAFFIC : 0, all = in_size + out_size + kept,
           want = all > FREE ? all - FREE : 0;
    const size_t have = robo__share_have(conn->share, conn->memory, conn->share->buffers);
    if (want > conn->memory &&
        !robo__budget_take(budget, have + budget->total / LEFT, want - conn->memory))
        return false;
    if (want < conn->memory)
        robo__budget_give(budget, conn->memory - want);
    conn->share->buffers += want - conn->memory;
    conn->memory = want;
    conn->in_size = in_size;
    conn->out_size = out_size;
    return true;
}

int robo__conn_init(struct robo__conn *conn, struct robo__host *host, const struct robo__url *url,
                    void (*kick)(struct robo__conn *))
{
    const struct robo__protocol *protocol = url->protocol;
    *conn = (struct robo__conn){ .host = host,
                                 .protocol = protocol,
                                 .kick = kick,
                                 .share = &conn->alone,
                                 .alone = { .clients = 1 } };
    conn->stall.fire = on_stall_over;
    conn->greeting.fire = on_no_greeting;
    conn->patience.fire = on_patience_over;
    conn->greeted = protocol->greeting.within == 0;
    conn->state = calloc(1, protocol->size);
    if (!conn->state)
        return ROBO_ENOMEM;
    robo__reading_begin();
    int error = protocol->open(conn->state, conn, url);
    robo__reading_end();
    if (error < 0) {
        free(conn->state);
        conn->state = NULL;
    }
    if (error == 0 && !conn->greeted)
        robo__timer_start(host->timers, &conn->greeting,
                          robo_now(host->world) + protocol->greeting.within);
    return error;
}

static void wait_no_more(struct robo__conn *conn)
{
    if (conn->access)
        robo__access_wait_no_more(conn->access, &conn->pending);
}

void robo__conn_greeted(struct robo__conn *conn)
{
    conn->greeted = true;
    wait_no_more(conn);
    robo__timer_stop(conn->host->timers, &conn->greeting);
}

uint8_t robo__conn_role(const struct robo__conn *conn)
{
    const uint8_t most = conn->credentials.most ? conn->credentials.most : ROBO_ROLE_OPERATE,
                  role = conn->access ? robo__access_role(conn->access, &conn->credentials) : most;
    return role < most ? role : most;
}

void robo__conn_enter(struct robo__conn *conn, struct robo__access *access, bool waits)
{
    conn->access = access;
    if (waits)
        robo__access_wait(access, &conn->pending);
}

bool robo__conn_may_stay(const struct robo__conn *conn)
{
    return robo__conn_role(conn) >= conn->role;
}

uint8_t robo__conn_admit(struct robo__conn *conn, const char *token)
{
    /* without a list there is nothing to check */
    const bool asks = conn->access && conn->access->listed;
    bool known = !asks || !token[0] || robo__credentials_token(&conn->credentials, token);
    uint8_t role = known ? robo__conn_role(conn) : 0;
    if (role == 0)
        conn->refused = token[0] ? "its token is not listed" : "it has told no token";
    conn->role = role;
    return role;
}

void robo__conn_free(struct robo__conn *conn)
{
    robo__timer_stop(conn->host->timers, &conn->stall);
    robo__timer_stop(conn->host->timers, &conn->greeting);
    robo__timer_stop(conn->host->timers, &conn->patience);
    wait_no_more(conn);
    if (conn->state)
        conn->protocol->close(conn->state);
    free(conn->state);
    free(conn->in);
    free(conn->out);
    robo__traffic_free(&conn->traffic);
    account(conn, 0, 0);
    conn->state = conn->in = conn->out = NULL;
}

void robo__conn_drop(struct robo__conn *conn)
{
    conn->closing = true;
    conn->out_first = conn->out_count = 0;
}

/* Nothing more is executed but panics and stops. The protocol is informed when none of its functions is under way. */
static void overrun(struct robo__conn *conn, const char *why)
{
    if (conn->overrun || conn->closing)
        return;
    conn->overrun = true;
    conn->refused = why;
    if (conn->protocol->overrun)
        robo__timer_start(conn->host->timers, &conn->patience,
                          robo_now(conn->host->world) + ROBO__OVERRUN);
    else
        robo__conn_drop(conn);
}

static size_t work(struct robo__conn *conn, size_t n, robo_time now);

/* Where there is no memory for the notice, the connection ends with the panics and stops that were received. */
static void tell_overrun(struct robo__conn *conn)
{
    if (!conn->overrun || conn->told_overrun || conn->closing)
        return;
    const uint64_t place = robo__conn_place(conn);
    const robo_time now = robo_now(conn->host->world);
    conn->told_overrun = true;
    conn->halfway = conn->in_count > 0;
    conn->protocol->overrun(conn->state, conn->in, conn->in_count, now);
    if (robo__conn_place(conn) != place)
        return;
    while (work(conn, conn->in_count, now) > 0)
        ;
    conn->closing = true;
}

/* Keeps bytes until they can be processed; false: there is no memory. */
static bool keep(struct robo__conn *conn, const uint8_t *bytes, size_t n)
{
    if (conn->in_count + n > conn->in_size) {
        const size_t size = conn->in_count + n, before = conn->in_size;
        if (!account(conn, size, conn->out_size))
            return false;
        uint8_t *in = realloc(conn->in, size);
        if (!in) {
            account(conn, before, conn->out_size);
            return false;
        }
        conn->in = in;
    }
    memcpy(conn->in + conn->in_count, bytes, n);
    conn->in_count += n;
    conn->in_lull = 0;
    return true;
}

static void shrink_in(struct robo__conn *conn)
{
    free(conn->in);
    conn->in = NULL;
    account(conn, 0, conn->out_size);
}

static void shrink_out(struct robo__conn *conn)
{
    free(conn->out);
    conn->out = NULL;
    account(conn, conn->in_size, 0);
}

static void used(struct robo__conn *conn, size_t n)
{
    conn->in_count -= n;
    if (conn->in_count > 0 && n > 0)
        memmove(conn->in, conn->in + n, conn->in_count);
    else if (conn->in_count == 0 && conn->in_size > KEPT)
        shrink_in(conn);
}

/* Processes the first n of the waiting bytes; returns how many it processed. A connection that is overrun goes on until all received
 * bytes are examined. */
static size_t work(struct robo__conn *conn, size_t n, robo_time now)
{
    const size_t done = conn->protocol->feed(conn->state, conn->in, n, false, now);
    used(conn, done);
    if (conn->overrun)
        conn->halfway = done > 0 && conn->in_count > 0;
    return done;
}

static void start_stall(struct robo__conn *conn, robo_time now)
{
    double span = (double)(conn->stall_most - conn->stall_least);
    robo_time wait =
        conn->stall_least + (robo_time)(span * robo__random_uniform(&conn->host->random));
    conn->stalled = true;
    robo__timer_start(conn->host->timers, &conn->stall, now + wait);
}

static void on_stall_over(struct robo__timer *timer, robo_time now)
{
    struct robo__conn *conn = robo__container_of(timer, struct robo__conn, stall);
    conn->stalled = false;
    size_t done = conn->protocol->feed(conn->state, conn->in, conn->in_count, true, now);
    used(conn, done);
    if (done > 0 && conn->in_count > 0 && !conn->closing)
        start_stall(conn, now);
    robo__conn_kick(conn);
}

static void lack_memory(struct robo__conn *conn)
{
    conn->refused = NO_MEMORY;
    conn->closing = true;
}

static void receive(struct robo__conn *conn, const uint8_t *bytes, size_t n, robo_time now)
{
    if (conn->stall_most > 0 || conn->stalled) {
        if (!keep(conn, bytes, n))
            lack_memory(conn);
        else if (!conn->stalled)
            start_stall(conn, now);
        return;
    }
    if (conn->in_count == 0) {
        /* the usual case: whole packages, processed without a copy */
        size_t done = conn->protocol->feed(conn->state, bytes, n, false, now);
        if (done == n && conn->in && ++conn->in_lull > LULL)
            shrink_in(conn);
        if (done < n && !conn->closing && !keep(conn, bytes + done, n - done))
            lack_memory(conn);
        return;
    }
    bool kept = keep(conn, bytes, n);
    if (!kept) {
        /* waiting bytes make room */
        overrun(conn, NO_MEMORY);
        tell_overrun(conn);
        while (!conn->closing && work(conn, conn->in_count, now) > 0)
            ;
        kept = !conn->closing && keep(conn, bytes, n);
    }
    if (kept)
        work(conn, conn->in_count, now);
    else
        lack_memory(conn);
    if (conn->in_count > ROBO__CONN_IN && robo__conn_full(conn))
        overrun(conn, "it reads no answers and goes on sending");
}

void robo__conn_receive(struct robo__conn *conn, const uint8_t *bytes, size_t n, robo_time now)
{
    if (conn->closing)
        return;
    robo__reading_begin();        /* the caller may be a client's thread */
    receive(conn, bytes, n, now); /* and a panic in it acts */
    tell_overrun(conn);
    robo__reading_end();
    if (!conn->greeted && (conn->ungreeted += n) > conn->protocol->greeting.bytes)
        conn->closing = true;
}

void robo__conn_keep_traffic(struct robo__conn *conn)
{
    if (robo__traffic_keep(&conn->traffic) && !account(conn, conn->in_size, conn->out_size))
        robo__traffic_free(&conn->traffic);
}

bool robo__conn_full(const struct robo__conn *conn)
{
    return conn->out_count >= ROBO__CONN_OUT;
}

/* Whether received packages wait to be processed. */
static bool has_packages(const struct robo__conn *conn)
{
    return conn->in_count > 0 && conn->stall_most == 0 && !conn->stalled && !conn->closing &&
           !conn->holds && (conn->halfway || conn->overrun || !robo__conn_full(conn));
}

bool robo__conn_waits(const struct robo__conn *conn)
{
    return has_packages(conn) || (conn->owes && !conn->closing && !robo__conn_full(conn));
}

bool robo__conn_resume(struct robo__conn *conn, robo_time now)
{
    robo__reading_begin();
    if (conn->owes && !conn->closing && !robo__conn_full(conn)) {
        conn->owes = false;
        conn->protocol->resume(conn->state, now);
    }
    bool more = conn->owes && !conn->closing;
    size_t done = 0;
    if (has_packages(conn))
        done = work(conn, conn->in_count < RESUME ? conn->in_count : RESUME, now);
    tell_overrun(conn);
    robo__reading_end();
    return more || (done > 0 && conn->in_count > 0 && !conn->closing);
}

bool robo__conn_hungry(const struct robo__conn *conn)
{
    /* a client that does not read and sends more is overrun; packages of others are processed first */
    return !conn->closing && !conn->holds && !conn->halfway &&
           (conn->in_count < ROBO__CONN_IN || (conn->stall_most == 0 && robo__conn_full(conn)));
}

uint8_t *robo__conn_reserve(struct robo__conn *conn, size_t n)
{
    size_t end = conn->out_first + conn->out_count;
    if (conn->closing)
        return NULL;
    if (2 * (conn->out_count + n) > conn->out_size)
        conn->out_lull = 0;
    if (end + n <= conn->out_size)
        return conn->out + end;
    if (conn->out_count + n > ROBO__CONN_MOST - (conn->told_overrun ? 0 : ROBO__CONN_LAST)) {
        overrun(conn, "it reads no answers");
        return NULL;
    }
    if (conn->out_first > 0) {
        memmove(conn->out, conn->out + conn->out_first, conn->out_count);
        conn->out_first = 0;
        if (conn->out_count + n <= conn->out_size)
            return conn->out + conn->out_count;
    }
    size_t size = conn->out_size ? conn->out_size : FIRST_OUT;
    while (size < conn->out_count + n)
        size *= 2;
    const size_t before = conn->out_size;
    uint8_t *out = account(conn, conn->in_size, size) ? realloc(conn->out, size) : NULL;
    if (!out) {
        account(conn, conn->in_size, before);
        overrun(conn, NO_MEMORY);
        return NULL;
    }
    conn->out = out;
    return out + conn->out_count;
}

void robo__conn_commit(struct robo__conn *conn, size_t n)
{
    conn->out_count += n;
}

uint64_t robo__conn_place(const struct robo__conn *conn)
{
    return conn->written + conn->out_count;
}

bool robo__conn_has_come(const struct robo__conn *conn, uint64_t place)
{
    return conn->written >= place &&
           (!conn->underway || conn->written - place >= conn->underway(conn));
}

bool robo__conn_is_busy(struct robo__conn *conn, robo_time now)
{
    const uint64_t place = robo__conn_place(conn),
                   left = conn->out_count + (conn->underway ? conn->underway(conn) : 0);
    return robo__window_is_full(&conn->window, place, place > left ? place - left : 0, now);
}

void robo__conn_kick(struct robo__conn *conn)
{
    tell_overrun(conn);
    if (conn->kick)
        conn->kick(conn);
}

const uint8_t *robo__conn_output(const struct robo__conn *conn, size_t *n)
{
    *n = conn->out_count;
    return conn->out ? conn->out + conn->out_first : NULL;
}

/* Frees a large buffer after a burst; a small one is kept. */
static void all_written(struct robo__conn *conn)
{
    if (conn->out_size > KEPT || (conn->out_size > FIRST_OUT && ++conn->out_lull > OUT_LULL))
        shrink_out(conn);
}

void robo__conn_written(struct robo__conn *conn, size_t n)
{
    conn->written += n;
    conn->out_first += n;
    conn->out_count -= n;
    if (conn->out_count > 0)
        return;
    conn->out_first = 0;
    all_written(conn);
}

uint8_t *robo__conn_take_output(struct robo__conn *conn, const uint8_t **bytes, size_t *n)
{
    if (conn->out_count == 0)
        return NULL;
    uint8_t *out = conn->out;
    *bytes = out + conn->out_first;
    *n = conn->out_count;
    conn->written += *n;
    conn->taken_size = conn->out_size;
    conn->out = NULL;
    conn->out_first = conn->out_count = 0;
    account(conn, conn->in_size, 0);
    return out;
}

void robo__conn_return_output(struct robo__conn *conn, uint8_t *out)
{
    if (conn->out || !account(conn, conn->in_size, conn->taken_size)) {
        free(out);
        return;
    }
    conn->out = out;
    all_written(conn);
}
