/* Player 3's protocol, server side: a client's life, its messages, its devices. */
#include "protocols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/time.h"
#include "connection.h"
#include "robot/client.h"

enum { RATE, DEADMAN, AXLES };

static const struct robo_scheme_option options[] = {
    [RATE] = { "rate", ROBO_SCHEME_NUMBER, 0.1, 1000, 10,
               "1/s; how often a client hears of a device, unless it sets its property rate" },
    [DEADMAN] = { "deadman", ROBO_SCHEME_NUMBER, 0, 86400, 0,
                  "s; what a client moves stops when nothing has come from it for so long; 0: as long as it is connected nothing does" },
    [AXLES] = { "axles", ROBO_SCHEME_NUMBER, 0.01, 100, 0.5,
                "m; distance of the axles of the car that the command car is for" },
    { NULL, ROBO_SCHEME_FLAG, 0, 0, 0, NULL },
};

/* requests of the interface player */
enum { DEVLIST = 1, DRIVERINFO = 2, DEV = 3, DATA = 4, DATAMODE = 5, ADD_REPLACE_RULE = 10 };
enum { OPEN = 1, CLOSE = 2, FAILED = 3 }; /* access */
enum { PUSH = 1, PULL = 2 };              /* data modes */

/* The reply to a request: an ACK with a body, or a NACK, which has one only as described here. */
static void answer_with(struct robo__player_connection *c, const struct robo__player_header *asked,
                        unsigned type, const char *layout, const struct robo__player_body *body,
                        robo_time now)
{
    struct robo__player_header header =
        robo__player_header_of(c, asked->interf, asked->index, type, asked->subtype, now);
    header.seq = asked->seq;
    if (robo__player_write_at_once(c, &header, layout, body))
        return;
    if (robo__player_queue_put(&c->queue, &header, layout, body)) {
        robo__player_flush(c);
    } else { /* its client would wait for that reply */
        c->conn->refused = "it reads no replies";
        robo__conn_drop(c->conn);
    }
}

static void refuse(struct robo__player_connection *c, const struct robo__player_header *asked,
                   robo_time now)
{
    static const struct robo__player_body empty;
    answer_with(c, asked, ROBO__PLAYER_NACK, "", &empty, now);
}

/* ---- data ---- */

static void arm(struct robo__player_connection *c, robo_time now)
{
    const robo_time last = c->tick.due, next = last + c->period > now ? last + c->period : now;
    robo__timer_start(c->conn->host->timers, &c->tick, next);
}

static void on_tick(struct robo__timer *timer, robo_time now)
{
    struct robo__player_connection *c =
        robo__container_of(timer, struct robo__player_connection, tick);
    struct robo__conn *conn = c->conn;
    arm(c, now);
    for (struct robo__player_subscription *s = c->subscription; s; s = s->next)
        robo__player_tell(c, s, now);
    robo__conn_kick(conn); /* this may free the connection */
}

/* ---- subscriptions ---- */

static void unsubscribe(struct robo__player_connection *c, struct robo__player_subscription *s)
{
    struct robo__player_subscription **at = &c->subscription;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    robo__player_view_close(s->view);
    robo__budget_give(robo__world_memory(c->conn->host->world), sizeof *s);
    free(s);
    if (!c->subscription)
        robo__timer_stop(c->conn->host->timers, &c->tick);
}

static bool subscribe(struct robo__player_connection *c, const struct robo__player_target *t,
                      robo_time now)
{
    struct robo__budget *budget = robo__world_memory(c->conn->host->world);
    struct robo__player_subscription *s = robo__player_subscribed(c, t->interf, t->index);
    if (s)
        return true;
    s = robo__budget_take(budget, 0, sizeof *s) ? calloc(1, sizeof *s) : NULL;
    if (!s)
        return false;
    s->interf = t->interf;
    s->index = t->index;
    s->robot = t->robot;
    s->number = t->number;
    if (!c->subscription) {
        c->tick.due = now;
        robo__timer_start(c->conn->host->timers, &c->tick, now);
    }
    s->next = c->subscription;
    c->subscription = s;
    if (t->interf == ROBO__PLAYER_CAMERA && !robo__player_view_open(c, s, now)) {
        unsubscribe(c, s);
        return false;
    }
    return true;
}

/* ---- the interface player ---- */

/* The driver has the robot's name, since people look for that in a list. */
static void name_driver(struct robo__player_body *body, const robo_robot *robot)
{
    const char *name = robo_robot_name(robot);
    body->array[0] = (struct robo__player_array){ .count = (uint32_t)strlen(name) + 1,
                                                  .raw = (const uint8_t *)name };
}

static void list_devices(struct robo__player_connection *c,
                         const struct robo__player_header *header, robo_time now)
{
    struct robo__player_answer answer; /* large: only used members are set */
    enum { FIELDS = 4, MOST = ROBO__PLAYER_NUMBERS / FIELDS };
    uint32_t count = 0;
    robo__player_list_robots(c);
    for (const uint16_t *interf = robo__player_offered; *interf; interf++) {
        unsigned n = 0;
        for (unsigned i = 0; i < c->robots; i++)
            n += robo__player_parts(robo__robot_description(c->robot[i]), *interf);
        for (unsigned i = 0; i < n && count < MOST; i++)
            memcpy(answer.number + FIELDS * count++,
                   (double[]){ ROBO__PLAYER_LOCALHOST, c->port, *interf, i },
                   FIELDS * sizeof(double));
    }
    answer.body = (struct robo__player_body){ .values = 0 };
    answer.body.array[0] = (struct robo__player_array){ .count = count, .number = answer.number };
    answer_with(c, header, ROBO__PLAYER_ACK, "[4u]", &answer.body, now);
}

/* Both requests name a device by the third and fourth number. */
static bool find_named(struct robo__player_connection *c, const struct robo__player_body *body,
                       struct robo__player_target *t)
{
    return body->value[2] <= UINT16_MAX && body->value[3] <= UINT16_MAX &&
           robo__player_find(c, (unsigned)body->value[2], (unsigned)body->value[3], t);
}

static void tell_driver(struct robo__player_connection *c, const struct robo__player_header *header,
                        struct robo__player_body *body, robo_time now)
{
    struct robo__player_target t;
    if (!find_named(c, body, &t)) {
        refuse(c, header, now);
        return;
    }
    name_driver(body, t.robot);
    answer_with(c, header, ROBO__PLAYER_ACK, "4ux", body, now);
}

static void change_access(struct robo__player_connection *c,
                          const struct robo__player_header *header, struct robo__player_body *body,
                          robo_time now)
{
    struct robo__player_target t;
    struct robo__player_subscription *s = NULL;
    const bool known = find_named(c, body, &t);
    if (known)
        s = robo__player_subscribed(c, t.interf, t.index);
    if (known && body->value[4] == CLOSE && s) {
        unsubscribe(c, s);
    } else if (known && body->value[4] == OPEN) {
        name_driver(body, t.robot);
        if (!subscribe(c, &t, now))
            body->value[4] = FAILED;
    } else {
        body->value[4] = FAILED;
        answer_with(c, header, ROBO__PLAYER_NACK, "4ubx", body, now);
        return;
    }
    answer_with(c, header, ROBO__PLAYER_ACK, "4ubx", body, now);
}

static void acknowledge(struct robo__player_connection *c, const struct robo__player_header *header,
                        robo_time now)
{
    static const struct robo__player_body empty;
    answer_with(c, header, ROBO__PLAYER_ACK, "", &empty, now);
}

/* The ACK goes before all that waits. */
static void send_batch(struct robo__player_connection *c, const struct robo__player_header *asked,
                       robo_time now)
{
    struct robo__player_header header = robo__player_header_of(
        c, asked->interf, asked->index, ROBO__PLAYER_ACK, asked->subtype, now);
    header.seq = asked->seq;
    if (!robo__player_write(c, &header, NULL))
        return;
    robo__player_queue_ask(&c->queue);
    robo__player_flush(c);
}

static void request_player(struct robo__player_connection *c,
                           const struct robo__player_header *header, struct robo__player_body *body,
                           robo_time now)
{
    switch (header->subtype) {
    case DEVLIST: list_devices(c, header, now); break;
    case DRIVERINFO: tell_driver(c, header, body, now); break;
    case DEV: change_access(c, header, body, now); break;
    case DATA: send_batch(c, header, now); break;
    case DATAMODE:
        if (body->value[0] != PUSH && body->value[0] != PULL) {
            refuse(c, header, now);
            break;
        }
        robo__player_queue_mode(&c->queue, body->value[0] == PULL);
        acknowledge(c, header, now);
        break;
    case ADD_REPLACE_RULE:
        if (robo__player_queue_rule(&c->queue, body->value))
            acknowledge(c, header, now);
        else
            refuse(c, header, now);
        break;
    default: refuse(c, header, now); break;
    }
}

/* ---- messages ---- */

static void request(struct robo__player_connection *c, const struct robo__player_header *header,
                    const struct robo__player_kind *kind, struct robo__player_body *body,
                    robo_time now)
{
    struct robo__player_answer answer;
    struct robo__player_target t = { .interf = ROBO__PLAYER_PLAYER };
    const bool own = header->interf == ROBO__PLAYER_PLAYER;
    if (own && header->subtype < ROBO__PLAYER_UNIVERSAL) {
        request_player(c, header, body, now);
        return;
    }
    if ((own || robo__player_find(c, header->interf, header->index, &t)) &&
        robo__player_request(c, &t, header, body, &answer, now))
        answer_with(c, header, ROBO__PLAYER_ACK, kind->reply, &answer.body, now);
    else
        refuse(c, header, now);
}

static void complain(struct robo__player_connection *c, const struct robo__player_header *h,
                     const char *why, size_t at)
{
    const char *name = robo__player_interface_name(h->interf);
    if (c->complained)
        return;
    c->complained = true; /* counters count the others */
    robo__world_log(c->conn->host->world, ROBO_LOG_WARNING,
                    "player: a message is dropped: %s:%u, type %u, subtype %u: byte %zu: %s",
                    name ? name : "interface", (unsigned)h->index, (unsigned)h->type,
                    (unsigned)h->subtype, at, why);
}

/* A request that cannot be read is answered, unlike in Player's own server, so that no client waits without an answer. */
static void drop(struct robo__player_connection *c, const struct robo__player_header *header,
                 const char *why, size_t at, robo_time now)
{
    complain(c, header, why, at);
    if (header->type == ROBO__PLAYER_REQ)
        refuse(c, header, now);
}

static void carry_out(struct robo__player_connection *c, const struct robo__player_header *header,
                      const uint8_t *bytes, robo_time now)
{
    const struct robo__player_kind *kind =
        robo__player_kind_of(header->interf, header->type, header->subtype);
    struct robo__player_body body;
    struct robo__player_mistake mistake;
    struct robo__player_target t;
    if (!kind || (header->type != ROBO__PLAYER_REQ && header->type != ROBO__PLAYER_CMD)) {
        c->unknown++;
        drop(c, header, "expected a request or command that is known", 0, now);
    } else if (!robo__player_decode(kind->body, bytes, header->size, &body, &mistake)) {
        c->malformed++;
        drop(c, header, mistake.why, ROBO__PLAYER_HEADER + mistake.at, now);
    } else if (header->type == ROBO__PLAYER_REQ) {
        request(c, header, kind, &body, now);
    } else if (!robo__player_can(header->interf, header->type, header->subtype) ||
               !robo__player_find(c, header->interf, header->index, &t)) {
        c->unknown++;
        drop(c, header, "expected a device and a command that there are", 0, now);
    } else {
        robo__player_command(c, &t, header, &body, now);
    }
}

/* Nothing waits for the client to read: a stop acts at once, whatever it leaves unread. */
static size_t feed(void *state, const uint8_t *in, size_t n, bool one, robo_time now)
{
    struct robo__player_connection *c = state;
    struct robo__player_header header;
    const char *why;
    size_t at = 0;
    for (struct robo__player_drive *d = c->drive; d; d = d->next)
        robo__seat_heard(&d->seat, now);
    while (at < n && !c->conn->closing) {
        if (c->skip > 0) {
            const size_t part = c->skip < n - at ? c->skip : n - at;
            c->skip -= part;
            at += part;
            continue;
        }
        if (n - at < ROBO__PLAYER_HEADER)
            break;
        if (!robo__player_get_header(in + at, &header, &why)) {
            robo__world_log(c->conn->host->world, ROBO_LOG_WARNING,
                            "player: a header: %s: the connection is closed", why);
            c->conn->closing = true;
            return n;
        }
        if (header.size > ROBO__PLAYER_REQUEST) {
            c->oversized++;
            c->skip = header.size;
            at += ROBO__PLAYER_HEADER;
            drop(c, &header, "expected a body of at most 65536 bytes", 36, now);
            continue;
        }
        if (n - at - ROBO__PLAYER_HEADER < header.size)
            break;
        carry_out(c, &header, in + at + ROBO__PLAYER_HEADER, now);
        at += ROBO__PLAYER_HEADER + header.size;
        if (one)
            break;
    }
    return c->conn->closing ? n : at;
}

static void resume(void *state, robo_time now)
{
    (void)now;
    robo__player_flush(state);
}

/* ---- life ---- */

static void on_banner(struct robo__timer *timer, robo_time now)
{
    struct robo__player_connection *c =
        robo__container_of(timer, struct robo__player_connection, banner);
    (void)now;
    robo__conn_kick(c->conn);
}

/* Seconds from the world's clock to that of headers; a virtual world's is its own. */
static double epoch_of(const robo_world *world)
{
    struct timespec real;
    if (robo_is_virtual(world))
        return 0;
    clock_gettime(CLOCK_REALTIME, &real);
    return (double)real.tv_sec + (double)real.tv_nsec / 1e9 - (double)robo_now(world) / 1e9;
}

static int open_connection(void *state, struct robo__conn *conn, const struct robo__url *url)
{
    static const char banner[ROBO__PLAYER_BANNER] = "Player v.3.1.1-robotalk";
    struct robo__player_connection *c = state;
    uint8_t *out = robo__conn_reserve(conn, sizeof banner);
    if (!out)
        return ROBO_ENOMEM;
    memcpy(out, banner, sizeof banner);
    robo__conn_commit(conn, sizeof banner);
    c->conn = conn;
    c->port = url->port;
    c->period = (robo_time)(1e9 / url->option[RATE]);
    c->deadman = (robo_time)(url->option[DEADMAN] * 1e9);
    c->axles = url->option[AXLES];
    c->epoch = epoch_of(conn->host->world);
    snprintf(c->only, sizeof c->only, "%s", url->robot);
    c->tick.fire = on_tick;
    c->banner.fire = on_banner;
    robo__player_queue_open(&c->queue, robo__world_memory(conn->host->world));
    /* the client waits for it, and has sent nothing that would trigger it */
    robo__timer_start(conn->host->timers, &c->banner, robo_now(conn->host->world));
    return 0;
}

static void tell_losses(const struct robo__player_connection *c)
{
    if (c->queue.dropped_all + c->unknown + c->malformed + c->oversized > 0)
        robo__world_log(
            c->conn->host->world, ROBO_LOG_INFO,
            "player: a client has gone: dropped %llu of its data, %u messages that are not known, %u malformed, %u too long",
            (unsigned long long)c->queue.dropped_all, (unsigned)c->unknown, (unsigned)c->malformed,
            (unsigned)c->oversized);
}

static void close_connection(void *state)
{
    struct robo__player_connection *c = state;
    struct robo__budget *budget = robo__world_memory(c->conn->host->world);
    tell_losses(c);
    while (c->drive) {
        struct robo__player_drive *next = c->drive->next;
        robo__player_drive_close(c->drive);
        robo__budget_give(budget, sizeof *next);
        c->drive = next;
    }
    while (c->subscription)
        unsubscribe(c, c->subscription);
    robo__timer_stop(c->conn->host->timers, &c->tick);
    robo__timer_stop(c->conn->host->timers, &c->banner);
    robo__player_queue_close(&c->queue);
    for (unsigned i = 0; i < c->robots; i++)
        robo_release(c->robot[i]);
    robo__budget_give(budget, c->robots * sizeof *c->robot);
    free(c->robot);
    robo_body_release(c->found_by);
}

const struct robo__protocol robo__player = { .name = "player",
                                             .port = 6665,
                                             .size = sizeof(struct robo__player_connection),
                                             .options = options,
                                             .open = open_connection,
                                             .feed = feed,
                                             .resume = resume,
                                             .close = close_connection };
