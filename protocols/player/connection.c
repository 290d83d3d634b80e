/* The common part of a Player server's client: its devices, and its output. */
#include "connection.h"

#include <stdlib.h>
#include <string.h>

#include "robot/client.h"
#include "robotalk/description.h"

enum { SHORT = 256 }; /* bytes of a body that are written without counting them first */

/* ---- robots and devices ---- */

static void add_robot(struct robo__player_connection *c, robo_robot *robot)
{
    struct robo__budget *budget = robo__world_memory(c->conn->host->world);
    const bool may = robo__budget_take(budget, c->robots * sizeof robot, sizeof robot);
    robo_robot **more = may ? realloc(c->robot, (c->robots + 1) * sizeof *more) : NULL;
    if (!more) {
        if (may)
            robo__budget_give(budget, sizeof robot);
        robo_release(robot);
        return;
    }
    c->robot = more;
    more[c->robots++] = robot;
}

void robo__player_list_robots(struct robo__player_connection *c)
{
    robo_world *world = c->conn->host->world;
    uint64_t cursor = 0;
    robo_robot *robot;
    if (c->listed)
        return;
    c->listed = true;
    if (c->only[0]) {
        robot = robo_find(world, c->only);
        if (robot)
            add_robot(c, robot);
        return;
    }
    while ((robot = robo_next_robot(world, &cursor)) != NULL)
        add_robot(c, robot);
}

static bool find(struct robo__player_connection *c, unsigned interf, unsigned index,
                 struct robo__player_target *t)
{
    unsigned number = index;
    robo__player_list_robots(c);
    *t = (struct robo__player_target){ .interf = (uint16_t)interf, .index = (uint16_t)index };
    for (unsigned i = 0; i < c->robots; i++) {
        uint32_t revision;
        robo_body *body = robo__robot_newest(c->robot[i], &revision);
        const struct robo_description *d = robo_body_description(body);
        const unsigned n = robo__player_parts(d, interf);
        if (number < n) {
            t->robot = c->robot[i];
            t->body = body;
            t->revision = (uint8_t)revision;
            t->number = number;
            return robo__player_part(d, interf, number, &t->part);
        }
        number -= n;
    }
    return false;
}

bool robo__player_find(struct robo__player_connection *c, unsigned interf, unsigned index,
                       struct robo__player_target *t)
{
    /* as a rule it is the one of the message before */
    if (c->found_by && c->found.interf == interf && c->found.index == index &&
        c->found_by == robo__robot_body(c->found.robot)) {
        *t = c->found;
        return true;
    }
    if (!find(c, interf, index, t))
        return false;
    /* of others it depends on the robots before them */
    if (t->robot == c->robot[0]) {
        c->found = *t;
        robo_body_release(c->found_by);
        c->found_by = robo_body_hold(t->body);
    }
    return true;
}

struct robo__player_subscription *robo__player_subscribed(const struct robo__player_connection *c,
                                                          unsigned interf, unsigned index)
{
    for (struct robo__player_subscription *s = c->subscription; s; s = s->next)
        if (s->interf == interf && s->index == index)
            return s;
    return NULL;
}

struct robo__player_drive *robo__player_driver(struct robo__player_connection *c, robo_robot *robot)
{
    struct robo__player_drive *drive = c->drive;
    while (drive && drive->robot != robot)
        drive = drive->next;
    if (drive)
        return drive;
    if (c->number == 0)
        c->number = robo__world_number(c->conn->host->world);
    struct robo__budget *budget = robo__world_memory(c->conn->host->world);
    if (!robo__budget_take(budget, c->conn->memory, sizeof *drive))
        return NULL;
    drive = robo__player_drive_open(c->conn, robot, c->number, c->deadman);
    if (!drive) {
        robo__budget_give(budget, sizeof *drive);
    } else {
        drive->next = c->drive;
        c->drive = drive;
    }
    return drive;
}

/* ---- output ---- */

bool robo__player_write(struct robo__player_connection *c, const struct robo__player_header *header,
                        const uint8_t *body)
{
    uint8_t *out = robo__conn_reserve(c->conn, ROBO__PLAYER_HEADER + header->size);
    if (!out)
        return false;
    robo__player_put_header(header, out);
    if (header->size > 0)
        memcpy(out + ROBO__PLAYER_HEADER, body, header->size);
    robo__conn_commit(c->conn, ROBO__PLAYER_HEADER + header->size);
    return true;
}

static bool is_busy(const struct robo__player_connection *c)
{
    size_t waiting;
    robo__conn_output(c->conn, &waiting);
    return waiting > ROBO__CONN_BUSY;
}

static void write_synch(struct robo__player_connection *c, uint32_t dropped)
{
    uint8_t body[4];
    struct robo__player_header header =
        robo__player_header_of(c, ROBO__PLAYER_PLAYER, 0, ROBO__PLAYER_SYNCH, dropped ? 2 : 1,
                               robo_now(c->conn->host->world));
    header.size = dropped ? sizeof body : 0;
    struct robo__xdr_out out = { .bytes = body, .size = sizeof body };
    robo__xdr_put_u32(&out, dropped);
    robo__player_write(c, &header, body);
}

void robo__player_flush(struct robo__player_connection *c)
{
    const struct robo__player_message *m;
    uint32_t dropped;
    while ((m = robo__player_queue_next(&c->queue)) != NULL) {
        if (is_busy(c)) {
            c->conn->owes = true;
            return;
        }
        if (!robo__player_write(c, &m->header, m->body))
            return;
        robo__player_queue_sent(&c->queue);
    }
    if (robo__player_queue_synch(&c->queue, &dropped))
        write_synch(c, dropped);
}

struct robo__player_header robo__player_header_of(struct robo__player_connection *c,
                                                  uint16_t interf, uint16_t index, unsigned type,
                                                  unsigned subtype, robo_time time)
{
    return (struct robo__player_header){ .host = ROBO__PLAYER_LOCALHOST,
                                         .robot = c->port,
                                         .interf = interf,
                                         .index = index,
                                         .type = (uint8_t)type,
                                         .subtype = (uint8_t)subtype,
                                         .timestamp = c->epoch + (double)time / 1e9 };
}

bool robo__player_write_at_once(struct robo__player_connection *c,
                                struct robo__player_header *header, const char *layout,
                                const struct robo__player_body *body)
{
    if (c->queue.first || is_busy(c) ||
        (header->type == ROBO__PLAYER_DATA && (c->queue.pull || c->queue.rules > 0)))
        return false;
    /* most bodies are short: a longer one is written once more, into room that is large enough */
    size_t n = SHORT, room;
    uint8_t *out;
    do {
        room = n;
        out = robo__conn_reserve(c->conn, ROBO__PLAYER_HEADER + room);
        if (!out)
            return true;
        n = robo__player_encode(layout, body, out + ROBO__PLAYER_HEADER, room);
    } while (n > room);
    header->size = (uint32_t)n;
    robo__player_put_header(header, out);
    robo__conn_commit(c->conn, ROBO__PLAYER_HEADER + n);
    return true;
}

void robo__player_say(struct robo__player_connection *c, uint16_t interf, uint16_t index,
                      unsigned type, unsigned subtype, robo_time time, const char *layout,
                      const struct robo__player_body *body)
{
    struct robo__player_header header =
        robo__player_header_of(c, interf, index, type, subtype, time);
    if (robo__player_write_at_once(c, &header, layout, body))
        return;
    robo__player_queue_put(&c->queue, &header, layout, body);
    robo__player_flush(c);
}
