/* What all parts of a Player server's client use: its devices, and what is written to it. */
#include "guest.h"

#include <stdlib.h>
#include <string.h>

#include "robot/robot.h"

enum { SHORT = 256 }; /* bytes of a body that are written without counting them first */

/* ---- robots and devices ---- */

static void add_robot(struct robo__player_guest *g, robo_robot *robot)
{
    robo_robot **more = realloc(g->robot, (g->robots + 1) * sizeof *more);
    if (!more) {
        robo_release(robot);
        return;
    }
    g->robot = more;
    more[g->robots++] = robot;
}

void robo__player_list_robots(struct robo__player_guest *g)
{
    robo_world *world = g->conn->host->world;
    uint64_t cursor = 0;
    robo_robot *robot;
    if (g->listed)
        return;
    g->listed = true;
    if (g->only[0]) {
        robot = robo_find(world, g->only);
        if (robot)
            add_robot(g, robot);
        return;
    }
    while ((robot = robo_next_robot(world, &cursor)) != NULL)
        add_robot(g, robot);
}

static bool find(struct robo__player_guest *g, unsigned interf, unsigned index,
                 struct robo__player_target *t)
{
    unsigned number = index;
    robo__player_list_robots(g);
    *t = (struct robo__player_target){ .interf = (uint16_t)interf, .index = (uint16_t)index };
    for (unsigned i = 0; i < g->robots; i++) {
        const struct robo_description *d = robo_robot_description(g->robot[i]);
        const unsigned n = robo__player_parts(d, interf);
        if (number < n) {
            t->robot = g->robot[i];
            t->number = number;
            return robo__player_part(d, interf, number, &t->part);
        }
        number -= n;
    }
    return false;
}

bool robo__player_find(struct robo__player_guest *g, unsigned interf, unsigned index,
                       struct robo__player_target *t)
{
    /* as a rule it is the one of the message before */
    if (g->found_by && g->found.interf == interf && g->found.index == index &&
        g->found_by == robo_robot_description(g->found.robot)) {
        *t = g->found;
        return true;
    }
    if (!find(g, interf, index, t))
        return false;
    /* of others it depends on the robots before them */
    if (t->robot == g->robot[0]) {
        g->found = *t;
        g->found_by = robo_robot_description(t->robot);
    }
    return true;
}

struct robo__player_subscription *robo__player_subscribed(const struct robo__player_guest *g,
                                                          unsigned interf, unsigned index)
{
    for (struct robo__player_subscription *s = g->subscription; s; s = s->next)
        if (s->interf == interf && s->index == index)
            return s;
    return NULL;
}

struct robo__player_drive *robo__player_driver(struct robo__player_guest *g, robo_robot *robot)
{
    struct robo__player_drive *drive = g->drive;
    while (drive && drive->robot != robot)
        drive = drive->next;
    if (drive)
        return drive;
    if (g->number == 0)
        g->number = atomic_fetch_add(&g->conn->host->world->connections, 1) + 1;
    drive = robo__player_drive_open(g->conn->host, robot, g->number, g->deadman);
    if (drive) {
        drive->next = g->drive;
        g->drive = drive;
    }
    return drive;
}

/* ---- what goes out ---- */

bool robo__player_write(struct robo__player_guest *g, const struct robo__player_header *header,
                        const uint8_t *body)
{
    uint8_t *out = robo__conn_reserve(g->conn, ROBO__PLAYER_HEADER + header->size);
    if (!out)
        return false;
    robo__player_put_header(header, out);
    if (header->size > 0)
        memcpy(out + ROBO__PLAYER_HEADER, body, header->size);
    robo__conn_commit(g->conn, ROBO__PLAYER_HEADER + header->size);
    return true;
}

static bool is_busy(const struct robo__player_guest *g)
{
    size_t waiting;
    robo__conn_output(g->conn, &waiting);
    return waiting > ROBO__CONN_BUSY;
}

static void write_synch(struct robo__player_guest *g, uint32_t dropped)
{
    uint8_t body[4];
    struct robo__player_header header = { .interf = ROBO__PLAYER_PLAYER,
                                          .type = ROBO__PLAYER_SYNCH,
                                          .subtype = dropped ? 2 : 1,
                                          .size = dropped ? sizeof body : 0 };
    struct robo__xdr_out out = { .bytes = body, .size = sizeof body };
    robo__xdr_put_u32(&out, dropped);
    robo__player_write(g, &header, body);
}

void robo__player_flush(struct robo__player_guest *g)
{
    const struct robo__player_message *m;
    uint32_t dropped;
    while ((m = robo__player_queue_next(&g->queue)) != NULL) {
        if (is_busy(g)) {
            g->conn->owes = true;
            return;
        }
        if (!robo__player_write(g, &m->header, m->body))
            return;
        robo__player_queue_sent(&g->queue);
    }
    if (robo__player_queue_synch(&g->queue, &dropped))
        write_synch(g, dropped);
}

struct robo__player_header robo__player_header_of(struct robo__player_guest *g, uint16_t interf,
                                                  uint16_t index, unsigned type, unsigned subtype,
                                                  robo_time time)
{
    return (struct robo__player_header){ .host = ROBO__PLAYER_LOCALHOST,
                                         .robot = g->port,
                                         .interf = interf,
                                         .index = index,
                                         .type = (uint8_t)type,
                                         .subtype = (uint8_t)subtype,
                                         .timestamp = g->epoch + (double)time / 1e9 };
}

bool robo__player_write_at_once(struct robo__player_guest *g, struct robo__player_header *header,
                                const char *layout, const struct robo__player_body *body)
{
    if (g->queue.first || is_busy(g) ||
        (header->type == ROBO__PLAYER_DATA && (g->queue.pull || g->queue.rules > 0)))
        return false;
    /* most bodies are short: what is longer is written once more, into room that is large enough */
    size_t n = SHORT, room;
    uint8_t *out;
    do {
        room = n;
        out = robo__conn_reserve(g->conn, ROBO__PLAYER_HEADER + room);
        if (!out)
            return true;
        n = robo__player_encode(layout, body, out + ROBO__PLAYER_HEADER, room);
    } while (n > room);
    header->size = (uint32_t)n;
    robo__player_put_header(header, out);
    robo__conn_commit(g->conn, ROBO__PLAYER_HEADER + n);
    return true;
}

void robo__player_say(struct robo__player_guest *g, uint16_t interf, uint16_t index, unsigned type,
                      unsigned subtype, robo_time time, const char *layout,
                      const struct robo__player_body *body)
{
    struct robo__player_header header =
        robo__player_header_of(g, interf, index, type, subtype, time);
    if (robo__player_write_at_once(g, &header, layout, body))
        return;
    robo__player_queue_put(&g->queue, &header, layout, body);
    robo__player_flush(g);
}
