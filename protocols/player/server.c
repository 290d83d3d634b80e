/* Player 3's protocol, server side: a client's life, its messages, its devices. */
#include "server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/time.h"
#include "guest.h"
#include "robot/robot.h"

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
enum {
    DEVLIST = 1,
    DRIVERINFO = 2,
    DEV = 3,
    DATA = 4,
    DATAMODE = 5,
    ADD_REPLACE_RULE = 10,
    UNIVERSAL = 247 /* this and those above are for every device */
};
enum { OPEN = 1, CLOSE = 2, FAILED = 3 }; /* access */
enum { PUSH = 1, PULL = 2 };              /* data modes */

/* The reply to a request: an ACK with a body, or a NACK, which has one only as told here. */
static void answer_with(struct robo__player_guest *g, const struct robo__player_header *asked,
                        unsigned type, const char *layout, const struct robo__player_body *body,
                        robo_time now)
{
    struct robo__player_header header =
        robo__player_header_of(g, asked->interf, asked->index, type, asked->subtype, now);
    header.seq = asked->seq;
    if (robo__player_write_at_once(g, &header, layout, body))
        return;
    if (!robo__player_queue_put(&g->queue, &header, layout, body))
        robo__conn_drop(g->conn); /* no memory for a reply, for which its client would wait */
    else
        robo__player_flush(g);
}

static void refuse(struct robo__player_guest *g, const struct robo__player_header *asked,
                   robo_time now)
{
    static const struct robo__player_body empty;
    answer_with(g, asked, ROBO__PLAYER_NACK, "", &empty, now);
}

/* ---- data ---- */

static void arm(struct robo__player_guest *g, robo_time now)
{
    const robo_time last = g->tick.due, next = last + g->period > now ? last + g->period : now;
    robo__timer_start(g->conn->host->timers, &g->tick, next);
}

static void on_tick(struct robo__timer *timer, robo_time now)
{
    struct robo__player_guest *g = robo__container_of(timer, struct robo__player_guest, tick);
    struct robo__conn *conn = g->conn;
    arm(g, now);
    for (struct robo__player_subscription *s = g->subscription; s; s = s->next)
        robo__player_tell(g, s, now);
    robo__conn_kick(conn); /* this may free the guest */
}

/* ---- subscriptions ---- */

static void unsubscribe(struct robo__player_guest *g, struct robo__player_subscription *s)
{
    struct robo__player_subscription **at = &g->subscription;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    robo__player_view_close(s->view);
    robo__budget_give(&g->conn->host->world->memory, sizeof *s);
    free(s);
    if (!g->subscription)
        robo__timer_stop(g->conn->host->timers, &g->tick);
}

static bool subscribe(struct robo__player_guest *g, const struct robo__player_target *t,
                      robo_time now)
{
    struct robo__budget *budget = &g->conn->host->world->memory;
    struct robo__player_subscription *s = robo__player_subscribed(g, t->interf, t->index);
    if (s)
        return true;
    s = robo__budget_take(budget, 0, sizeof *s) ? calloc(1, sizeof *s) : NULL;
    if (!s)
        return false;
    s->interf = t->interf;
    s->index = t->index;
    s->robot = t->robot;
    s->number = t->number;
    if (!g->subscription) {
        g->tick.due = now;
        robo__timer_start(g->conn->host->timers, &g->tick, now);
    }
    s->next = g->subscription;
    g->subscription = s;
    if (t->interf == ROBO__PLAYER_CAMERA && !robo__player_view_open(g, s, now)) {
        unsubscribe(g, s);
        return false;
    }
    return true;
}

/* ---- the interface player ---- */

/* The robot's name is that of the driver, since that is what people look for in a list. */
static void name_driver(struct robo__player_body *body, const robo_robot *robot)
{
    const char *name = robo_robot_description(robot)->name;
    body->array[0] = (struct robo__player_array){ .count = (uint32_t)strlen(name) + 1,
                                                  .raw = (const uint8_t *)name };
}

static void list_devices(struct robo__player_guest *g, const struct robo__player_header *header,
                         robo_time now)
{
    struct robo__player_answer answer; /* large: only what is used is set */
    enum { FIELDS = 4, MOST = ROBO__PLAYER_NUMBERS / FIELDS };
    uint32_t count = 0;
    robo__player_list_robots(g);
    for (const uint16_t *interf = robo__player_offered; *interf; interf++) {
        unsigned n = 0;
        for (unsigned i = 0; i < g->robots; i++)
            n += robo__player_parts(robo_robot_description(g->robot[i]), *interf);
        for (unsigned i = 0; i < n && count < MOST; i++)
            memcpy(answer.number + FIELDS * count++,
                   (double[]){ ROBO__PLAYER_LOCALHOST, g->port, *interf, i },
                   FIELDS * sizeof(double));
    }
    answer.body = (struct robo__player_body){ .values = 0 };
    answer.body.array[0] = (struct robo__player_array){ .count = count, .number = answer.number };
    answer_with(g, header, ROBO__PLAYER_ACK, "[4u]", &answer.body, now);
}

/* Both requests name a device by the third and fourth number. */
static bool find_named(struct robo__player_guest *g, const struct robo__player_body *body,
                       struct robo__player_target *t)
{
    return body->value[2] <= UINT16_MAX && body->value[3] <= UINT16_MAX &&
           robo__player_find(g, (unsigned)body->value[2], (unsigned)body->value[3], t);
}

static void tell_driver(struct robo__player_guest *g, const struct robo__player_header *header,
                        struct robo__player_body *body, robo_time now)
{
    struct robo__player_target t;
    if (!find_named(g, body, &t)) {
        refuse(g, header, now);
        return;
    }
    name_driver(body, t.robot);
    answer_with(g, header, ROBO__PLAYER_ACK, "4ux", body, now);
}

static void change_access(struct robo__player_guest *g, const struct robo__player_header *header,
                          struct robo__player_body *body, robo_time now)
{
    struct robo__player_target t;
    struct robo__player_subscription *s = NULL;
    const bool known = find_named(g, body, &t);
    if (known)
        s = robo__player_subscribed(g, t.interf, t.index);
    if (known && body->value[4] == CLOSE && s) {
        unsubscribe(g, s);
    } else if (known && body->value[4] == OPEN) {
        name_driver(body, t.robot);
        if (!subscribe(g, &t, now))
            body->value[4] = FAILED;
    } else {
        body->value[4] = FAILED;
        answer_with(g, header, ROBO__PLAYER_NACK, "4ubx", body, now);
        return;
    }
    answer_with(g, header, ROBO__PLAYER_ACK, "4ubx", body, now);
}

static void acknowledge(struct robo__player_guest *g, const struct robo__player_header *header,
                        robo_time now)
{
    static const struct robo__player_body empty;
    answer_with(g, header, ROBO__PLAYER_ACK, "", &empty, now);
}

/* The ACK goes before all that waits. */
static void send_batch(struct robo__player_guest *g, const struct robo__player_header *asked,
                       robo_time now)
{
    struct robo__player_header header = robo__player_header_of(
        g, asked->interf, asked->index, ROBO__PLAYER_ACK, asked->subtype, now);
    header.seq = asked->seq;
    if (!robo__player_write(g, &header, NULL))
        return;
    robo__player_queue_ask(&g->queue);
    robo__player_flush(g);
}

static void request_player(struct robo__player_guest *g, const struct robo__player_header *header,
                           struct robo__player_body *body, robo_time now)
{
    switch (header->subtype) {
    case DEVLIST: list_devices(g, header, now); break;
    case DRIVERINFO: tell_driver(g, header, body, now); break;
    case DEV: change_access(g, header, body, now); break;
    case DATA: send_batch(g, header, now); break;
    case DATAMODE:
        if (body->value[0] != PUSH && body->value[0] != PULL) {
            refuse(g, header, now);
            break;
        }
        robo__player_queue_mode(&g->queue, body->value[0] == PULL);
        acknowledge(g, header, now);
        break;
    case ADD_REPLACE_RULE:
        if (robo__player_queue_rule(&g->queue, body->value))
            acknowledge(g, header, now);
        else
            refuse(g, header, now);
        break;
    default: refuse(g, header, now); break;
    }
}

/* ---- messages ---- */

static void request(struct robo__player_guest *g, const struct robo__player_header *header,
                    const struct robo__player_kind *kind, struct robo__player_body *body,
                    robo_time now)
{
    struct robo__player_answer answer;
    struct robo__player_target t = { .interf = ROBO__PLAYER_PLAYER };
    const bool own = header->interf == ROBO__PLAYER_PLAYER;
    if (own && header->subtype < UNIVERSAL) {
        request_player(g, header, body, now);
        return;
    }
    if ((own || robo__player_find(g, header->interf, header->index, &t)) &&
        robo__player_request(g, &t, header, body, &answer, now))
        answer_with(g, header, ROBO__PLAYER_ACK, kind->reply, &answer.body, now);
    else
        refuse(g, header, now);
}

static void complain(struct robo__player_guest *g, const struct robo__player_header *h,
                     const char *why, size_t at)
{
    const char *name = robo__player_interface_name(h->interf);
    if (g->complained)
        return;
    g->complained = true; /* of the others the counters tell */
    robo__world_log(g->conn->host->world, ROBO_LOG_WARNING,
                    "player: a message is dropped: %s:%u, type %u, subtype %u: byte %zu: %s",
                    name ? name : "interface", (unsigned)h->index, (unsigned)h->type,
                    (unsigned)h->subtype, at, why);
}

/* A request that cannot be read is answered, unlike Player's own server does it, so that nobody waits in vain. */
static void drop(struct robo__player_guest *g, const struct robo__player_header *header,
                 const char *why, size_t at, robo_time now)
{
    complain(g, header, why, at);
    if (header->type == ROBO__PLAYER_REQ)
        refuse(g, header, now);
}

static void carry_out(struct robo__player_guest *g, const struct robo__player_header *header,
                      const uint8_t *bytes, robo_time now)
{
    const struct robo__player_kind *kind =
        robo__player_kind_of(header->interf, header->type, header->subtype);
    struct robo__player_body body;
    struct robo__player_mistake mistake;
    struct robo__player_target t;
    if (!kind || (header->type != ROBO__PLAYER_REQ && header->type != ROBO__PLAYER_CMD)) {
        g->unknown++;
        drop(g, header, "expected a request or command that is known", 0, now);
    } else if (!robo__player_decode(kind->body, bytes, header->size, &body, &mistake)) {
        g->malformed++;
        drop(g, header, mistake.why, ROBO__PLAYER_HEADER + mistake.at, now);
    } else if (header->type == ROBO__PLAYER_REQ) {
        request(g, header, kind, &body, now);
    } else if (!robo__player_can(header->interf, header->type, header->subtype) ||
               !robo__player_find(g, header->interf, header->index, &t)) {
        g->unknown++;
        drop(g, header, "expected a device and a command that there are", 0, now);
    } else {
        robo__player_command(g, &t, header, &body, now);
    }
}

/* Whether no more is read before the client has taken some of its replies. */
static bool is_full(const struct robo__player_guest *g)
{
    return robo__conn_full(g->conn) || g->queue.replies >= ROBO__PLAYER_REPLIES;
}

static size_t feed(void *state, const uint8_t *in, size_t n, bool one, robo_time now)
{
    struct robo__player_guest *g = state;
    struct robo__player_header header;
    const char *why;
    size_t at = 0;
    for (struct robo__player_drive *d = g->drive; d; d = d->next)
        robo__player_drive_heard(d, now);
    while (at < n && !g->conn->closing && !is_full(g)) {
        if (g->skip > 0) {
            const size_t part = g->skip < n - at ? g->skip : n - at;
            g->skip -= part;
            at += part;
            continue;
        }
        if (n - at < ROBO__PLAYER_HEADER)
            break;
        if (!robo__player_get_header(in + at, &header, &why)) {
            robo__world_log(g->conn->host->world, ROBO_LOG_WARNING,
                            "player: a header: %s: the connection is closed", why);
            g->conn->closing = true;
            return n;
        }
        if (header.size > ROBO__PLAYER_REQUEST) {
            g->oversized++;
            g->skip = header.size;
            at += ROBO__PLAYER_HEADER;
            drop(g, &header, "expected a body of at most 65536 bytes", 36, now);
            continue;
        }
        if (n - at - ROBO__PLAYER_HEADER < header.size)
            break;
        carry_out(g, &header, in + at + ROBO__PLAYER_HEADER, now);
        at += ROBO__PLAYER_HEADER + header.size;
        if (one)
            break;
    }
    return g->conn->closing ? n : at;
}

static void resume(void *state, robo_time now)
{
    (void)now;
    robo__player_flush(state);
}

/* ---- life ---- */

static void on_banner(struct robo__timer *timer, robo_time now)
{
    struct robo__player_guest *g = robo__container_of(timer, struct robo__player_guest, banner);
    (void)now;
    robo__conn_kick(g->conn);
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

static int open_guest(void *state, struct robo__conn *conn, const struct robo__url *url)
{
    static const char banner[ROBO__PLAYER_BANNER] = "Player v.3.1.1-robotalk";
    struct robo__player_guest *g = state;
    uint8_t *out = robo__conn_reserve(conn, sizeof banner);
    if (!out)
        return ROBO_ENOMEM;
    memcpy(out, banner, sizeof banner);
    robo__conn_commit(conn, sizeof banner);
    g->conn = conn;
    g->port = url->port;
    g->period = (robo_time)(1e9 / url->option[RATE]);
    g->deadman = (robo_time)(url->option[DEADMAN] * 1e9);
    g->axles = url->option[AXLES];
    g->epoch = epoch_of(conn->host->world);
    snprintf(g->only, sizeof g->only, "%s", url->robot);
    g->tick.fire = on_tick;
    g->banner.fire = on_banner;
    robo__player_queue_open(&g->queue, &conn->host->world->memory);
    /* the client waits for it, and nothing has come from it that would have it written */
    robo__timer_start(conn->host->timers, &g->banner, robo_now(conn->host->world));
    return 0;
}

static void tell_losses(const struct robo__player_guest *g)
{
    if (g->queue.dropped_all + g->unknown + g->malformed + g->oversized > 0)
        robo__world_log(
            g->conn->host->world, ROBO_LOG_INFO,
            "player: a client has gone: dropped %llu of its data, %u messages that are not known, %u malformed, %u too long",
            (unsigned long long)g->queue.dropped_all, (unsigned)g->unknown, (unsigned)g->malformed,
            (unsigned)g->oversized);
}

static void close_guest(void *state)
{
    struct robo__player_guest *g = state;
    tell_losses(g);
    while (g->drive) {
        struct robo__player_drive *next = g->drive->next;
        robo__player_drive_close(g->drive);
        g->drive = next;
    }
    while (g->subscription)
        unsubscribe(g, g->subscription);
    robo__timer_stop(g->conn->host->timers, &g->tick);
    robo__timer_stop(g->conn->host->timers, &g->banner);
    robo__player_queue_close(&g->queue);
    for (unsigned i = 0; i < g->robots; i++)
        robo_release(g->robot[i]);
    free(g->robot);
}

const struct robo__protocol robo__player = { .name = "player",
                                             .port = 6665,
                                             .size = sizeof(struct robo__player_guest),
                                             .options = options,
                                             .open = open_guest,
                                             .feed = feed,
                                             .resume = resume,
                                             .close = close_guest };
