/* What passes over links. The server's end of each link speaks RoboTalk behind a tap, which shows the judge every
 * package before the server works on it; the client's end has one too. Between them a client's clock can be made
 * wrong: the link adds to what it says of instants and takes off what it is told, which is the same. */
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "robotalk/server_session.h"
#include "robotalk/server.h"
#include "robot/sessions/session.h"
#include "base/time.h"

enum { STAMP_AT = 24 /* the header's last field */ };

/* ---- lines ---- */

static struct robo__conn *conn_of(void *state)
{
    return ((struct robo__serve *)state)->conn;
}

static struct robo__run *run_of(const struct robo__conn *conn)
{
    return robo__container_of(conn->protocol, struct robo__run, tap);
}

struct robo__line *robo__tap_line(struct robo__run *run, const struct robo__loopback *loopback)
{
    for (unsigned i = run->lines; i-- > 0;)
        if (run->line[i].loopback == loopback)
            return &run->line[i];
    return NULL;
}

static void on_deliver(struct robo__loopback *loopback, const uint8_t *bytes, size_t n,
                       robo_time now);
static void keep(struct robo__line *line, const uint8_t *bytes, size_t n);

/* The line of a link that has just been opened: its client is known by now. */
static struct robo__line *meet(struct robo__loopback *loopback)
{
    robo_client *client =
        robo__container_of((struct robo__endpoint *)loopback->owner, robo_client, stream.end);
    struct robo__run_user *u = client->options.owner;
    struct robo__run *run = u->run;
    struct robo__line *line = robo__tap_line(run, loopback);
    if (line)
        return line;
    if (run->lines == ROBO__RUN_LINES)
        return NULL; /* its user sends nothing more; see user.c */
    bool lying = run->lines && run->line[u->line].user == u->number && run->line[u->line].lying;
    robo_time skew = lying ? run->line[u->line].skew : 0;
    u->line = (uint16_t)run->lines;
    line = &run->line[run->lines++];
    *line = (struct robo__line){ .loopback = loopback,
                                 .user = u->number,
                                 .lying = lying,
                                 .skew = skew,
                                 .deliver = loopback->deliver };
    loopback->deliver = on_deliver;
    run->report->links++;
    ROBO__NOTE(run, "user %u: link %u", u->number, u->line);
    return line;
}

const struct robo__server_session *robo__tap_session(const struct robo__line *line, uint32_t wire)
{
    void *state = line->loopback ? line->loopback->conn.state : NULL;
    return state ? robo__server_session_find(state, wire) : NULL;
}

bool robo__tap_knows(const struct robo__line *line, uint32_t wire)
{
    return robo__tap_session(line, wire) != NULL;
}

uint32_t robo__tap_stops(const struct robo__line *line, uint32_t wire)
{
    const struct robo__server_session *ss = robo__tap_session(line, wire);
    return ss ? robo__mover_stop_count(&ss->session->mover) : 0;
}

/* ---- up ---- */

static void add_to_i64(uint8_t at[8], robo_time skew)
{
    uint64_t us = 0;
    for (int i = 0; i < 8; i++)
        us = us << 8 | at[i];
    if (us == 0)
        return; /* unknown, or at once */
    us += (uint64_t)(skew / 1000);
    for (int i = 8; i-- > 0; us >>= 8)
        at[i] = (uint8_t)us;
}

/* A package as a client with a wrong clock would have made it. */
static void skew_up(uint8_t *package, const struct robo_header *header, robo_time skew)
{
    struct robo_entry entry;
    const uint8_t *body;
    size_t at = 0;
    add_to_i64(package + STAMP_AT, skew);
    uint8_t *payload = package + ROBO_HEADER_SIZE;
    while (header->type == ROBO_TYPE_COMMAND &&
           robo_next_entry(payload, header->size, &at, &entry, &body) == 1)
        if (entry.size >= 8)
            add_to_i64(payload + (body - payload), skew);
}

const struct robo__package_sent *robo__tap_package(const struct robo__run *run, uint16_t line,
                                                   uint32_t id)
{
    uint32_t number = run->line[line].before + id;
    const struct robo__package_sent *sent =
        &run->user[run->line[line].user].package[number % ROBO__RUN_PACKAGES];
    return sent->number == number ? sent : NULL;
}

/* The ids of the packages in what a client has just sent, with the time. */
static void on_sent(struct robo__loopback *loopback, const uint8_t *bytes, size_t n)
{
    struct robo__line *line = meet(loopback);
    struct robo__run *run = run_of(&loopback->conn);
    if (!line)
        return;
    struct robo__run_user *u = &run->user[line->user];
    struct robo_header header;
    for (size_t used = 0; n - used >= ROBO_HEADER_SIZE; used += ROBO_HEADER_SIZE + header.size) {
        if (robo_header_decode(bytes + used, &header) < 0)
            return;
        if (line->before == 0)
            line->before = ++u->packages - header.id;
        u->packages = line->before + header.id;
        u->package[u->packages % ROBO__RUN_PACKAGES] = (struct robo__package_sent){
            .number = u->packages, .at = robo_now(run->world), .skew = line->skew
        };
    }
}

static int open_tap(void *state, struct robo__conn *conn, const struct robo__url *url)
{
    struct robo__loopback *loopback = robo__container_of(conn, struct robo__loopback, conn);
    loopback->sent = on_sent;
    int error = robo__robotalk.open(state, conn, url);
    ((struct robo__serve *)state)->takeover |= run_of(conn)->force;
    return error;
}

/* A whole package goes to the server; how many of its bytes it is done with. */
static size_t feed_package(struct robo__run *run, struct robo__line *line, void *state,
                           const uint8_t *package, const struct robo_header *header, robo_time now)
{
    const size_t size = ROBO_HEADER_SIZE + header->size;
    const uint16_t number = (uint16_t)(line - run->line);
    const uint8_t *payload = package + ROBO_HEADER_SIZE;
    const struct robo__package_sent *sent = robo__tap_package(run, number, header->id);
    const robo_time skew = sent ? sent->skew : line->skew;
    size_t done;
    robo__judge_package(run, number, header, payload, now);
    if (skew) {
        /* what it sends from inside comes here again, with another package */
        uint8_t copy[size];
        memcpy(copy, package, size);
        skew_up(copy, header, skew);
        done = robo__robotalk.feed(state, copy, size, true, now);
    } else {
        done = robo__robotalk.feed(state, package, size, true, now);
    }
    if (done == size)
        robo__judge_worked(run, number, header, payload, now);
    line->seen = false;
    return done;
}

/* One package at a time, so that the judge knows what came of each; flags as soon as the header is in. */
static size_t feed(void *state, const uint8_t *in, size_t n, bool one, robo_time now)
{
    struct robo__conn *conn = conn_of(state);
    struct robo__run *run = run_of(conn);
    struct robo__line *line =
        robo__tap_line(run, robo__container_of(conn, struct robo__loopback, conn));
    size_t used = 0, done;
    while (line && n - used >= ROBO_HEADER_SIZE && !conn->closing) {
        struct robo_header header;
        int error = robo_header_decode(in + used, &header);
        error = error == ROBO_ERANGE ? 0 : error; /* a stamp beyond all clocks */
        bool whole = error == 0 && n - used >= ROBO_HEADER_SIZE + header.size,
             flags = header.flags && !line->seen;
        if (flags)
            robo__judge_flags(run, (uint16_t)(line - run->line), &header, error, now);
        line->seen = true;
        done = whole ? feed_package(run, line, state, in + used, &header, now)
                     : robo__robotalk.feed(state, in + used, n - used, one, now);
        used += done;
        if (flags)
            robo__judge_flagged(run);
        if (!whole || one || done != ROBO_HEADER_SIZE + header.size)
            return used;
    }
    return n > used ? used + robo__robotalk.feed(state, in + used, n - used, one, now) : used;
}

static void close_tap(void *state)
{
    struct robo__conn *conn = conn_of(state);
    struct robo__run *run = run_of(conn);
    struct robo__line *line =
        robo__tap_line(run, robo__container_of(conn, struct robo__loopback, conn));
    if (line) {
        line->loopback = NULL;
        keep(line, NULL, 0);
        for (unsigned i = 0; i < run->robots; i++)
            robo__hold_look(run, i, robo_now(run->world));
        robo__ledger_line_gone(run, (uint16_t)(line - run->line), robo_now(run->world));
        ROBO__NOTE(run, "user %u: the server has closed link %u", line->user,
                   (unsigned)(line - run->line));
    }
    robo__robotalk.close(state);
}

void robo__tap_init(struct robo__run *run)
{
    run->tap = robo__robotalk;
    run->tap.open = open_tap;
    run->tap.feed = feed;
    run->tap.close = close_tap;
}

/* ---- down ---- */

/* Shows the judge the answers, by the server's clock. */
static void read_signals(struct robo__run *run, uint16_t line, const struct robo_header *header,
                         const uint8_t *payload)
{
    struct robo_entry entry;
    struct robo_result result;
    const uint8_t *body;
    size_t at = 0;
    while (robo_next_entry(payload, header->size, &at, &entry, &body) == 1)
        if (robo_result_decode(&entry, body, &result) == 0)
            robo__answer_on_wire(run, line, &result);
}

/* An exchange of clocks, as a client sees it whose clock is wrong: both of the server's readings. */
static void skew_down(uint8_t *payload, const struct robo_header *header, robo_time skew)
{
    struct robo_entry entry;
    const uint8_t *body;
    size_t at = 0;
    while (header->type == ROBO_TYPE_REPLY &&
           robo_next_entry(payload, header->size, &at, &entry, &body) == 1) {
        if (entry.op != ROBO_Q_SYNC || entry.size < 24)
            continue;
        add_to_i64(payload + (body - payload) + 8, -skew);
        add_to_i64(payload + (body - payload) + 16, -skew);
    }
}

/* What is whole of the bytes: shown to the judge, and in a copy as a client with a wrong clock sees it, if there is one.
 * How many they are. */
static size_t read_packages(struct robo__run *run, const struct robo__line *line,
                            const uint8_t *bytes, size_t n, uint8_t *copy)
{
    struct robo_header header;
    size_t used = 0;
    while (n - used >= ROBO_HEADER_SIZE && robo_header_decode(bytes + used, &header) == 0 &&
           n - used >= ROBO_HEADER_SIZE + header.size) {
        if (header.type == ROBO_TYPE_SIGNAL)
            read_signals(run, (uint16_t)(line - run->line), &header,
                         bytes + used + ROBO_HEADER_SIZE);
        if (copy)
            skew_down(copy + used + ROBO_HEADER_SIZE, &header, line->skew);
        used += ROBO_HEADER_SIZE + header.size;
    }
    return used;
}

/* Keeps the begin of a package for when the rest has come. */
static void keep(struct robo__line *line, const uint8_t *bytes, size_t n)
{
    uint8_t *rest = n ? malloc(n) : NULL;
    if (rest)
        memcpy(rest, bytes, n);
    free(line->rest);
    line->rest = rest;
    line->rest_count = rest ? n : 0;
}

static void on_deliver(struct robo__loopback *loopback, const uint8_t *bytes, size_t n,
                       robo_time now)
{
    struct robo__run *run = run_of(&loopback->conn);
    struct robo__line *line = robo__tap_line(run, loopback);
    if (line->rest_count == 0 && !line->skew) {
        size_t used = read_packages(run, line, bytes, n, NULL);
        keep(line, bytes + used, n - used);
        line->rest_told = n - used;
        line->deliver(loopback, bytes, n, now);
        return;
    }
    const size_t told = line->rest_told, all = line->rest_count + n;
    uint8_t *both = malloc(all), *copy = malloc(all);
    if (both && copy) {
        memcpy(both, line->rest ? line->rest : bytes, line->rest_count);
        memcpy(both + line->rest_count, bytes, n);
        memcpy(copy, both, all);
        size_t used = read_packages(run, line, both, all, line->skew ? copy : NULL);
        keep(line, both + used, all - used);
        /* what a lying clock is told comes in whole packages, but for one that had begun before it lied */
        line->rest_told = !line->skew ? all - used : used > 0 ? 0 : told;
        if (!line->skew)
            line->deliver(loopback, bytes, n, now);
        else if (used > 0)
            line->deliver(loopback, copy + told, used - told, now);
    }
    free(both);
    free(copy);
}
