/* The output of a Gamebots connection: lines, as long as its client reads them. */
#include <stdio.h>
#include <string.h>

#include "connection.h"

bool robo__gb_leaves_unread(const struct robo__gb_connection *c, size_t above)
{
    size_t waiting;
    if (c->aside)
        return false;
    robo__conn_output(c->conn, &waiting);
    return waiting > above;
}

void robo__gb_say(struct robo__gb_connection *c, const struct robo__gb_out *out)
{
    if (out->n == 0 || robo__gb_leaves_unread(c, ROBO__CONN_OUT))
        return;
    if (c->aside) {
        robo__gb_append(c->aside, out->at, out->n);
        return;
    }
    uint8_t *room = robo__conn_reserve(c->conn, out->n);
    if (!room)
        return;
    memcpy(room, out->at, out->n);
    robo__conn_commit(c->conn, out->n);
}

void robo__gb_say_result(struct robo__gb_connection *c, const char *type, const char *name,
                         bool good, const char *why)
{
    char room[1024];
    struct robo__gb_out out = robo__gb_out(room, sizeof room);
    robo__gb_result(&out, type, name, good, why);
    robo__gb_say(c, &out);
}

void robo__gb_say_control(struct robo__gb_connection *c, const char *why)
{
    if (why)
        c->commands_told = c->seat.commands;
    robo__gb_say_result(c, c->side ? "Bridge" : "Control", c->vehicle->name, !why, why);
}

void robo__gb_say_wrong(struct robo__gb_connection *c, struct robo__gb_text type, const char *group,
                        const char *why)
{
    char name[ROBO__GB_NAME], reason[256];
    snprintf(reason, sizeof reason, "%s: %s", group, why);
    robo__gb_say_result(c, robo__gb_copy(type, name, sizeof name),
                        c->vehicle ? c->vehicle->name : "", false, reason);
}
