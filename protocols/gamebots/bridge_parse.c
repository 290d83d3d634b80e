/* Parses the lines of a client into wishes for a robot, for a script in a bridge: the same messages as a connection carries out,
 * on the script's thread, without a connection and without a session. State that lasts from line to line, such as the angles of
 * steering, is kept here. */
#include <stdlib.h>
#include <string.h>

#include "base/readers.h"
#include "bridge.h"
#include "robot/client.h"

void robo__bridge_lose_mind(struct robo_bridge *b)
{
    if (b->mind)
        robo__gb_let_go(b->mind, 0);
    free(b->mind);
    b->mind = NULL;
}

/* For the client that is there, whose robot is as it is now. NULL: there is none, or no memory. */
static struct robo__gb_connection *mind_of(struct robo_bridge *b)
{
    if (b->mind && b->minds != b->user)
        robo__bridge_lose_mind(b);
    if (b->user && !b->mind) {
        struct robo__gb_connection *c = calloc(1, sizeof *c);
        if (!c)
            return NULL;
        b->mind = c;
        b->minds = b->user;
        robo__bridges_lock();
        c->dialect = b->about.dialect;
        c->strict = b->about.strict;
        c->class_row = b->about.class_row;
        memcpy(c->called, b->about.name, sizeof c->called);
        robo__bridges_unlock();
        c->robot = robo_find(b->world, b->robot);
    }
    struct robo__gb_connection *c = b->mind;
    if (!c || !c->robot)
        return NULL;
    robo__reading_begin(); /* on the script's thread */
    if ((!c->vehicle || c->revision != robo__robot_revision(c->robot)) && !robo__gb_renew(c))
        robo__bridge_lose_mind(b);
    else if (b->recalls != b->seen)
        robo__gb_forget(c); /* missing values do not come from an earlier line */
    robo__reading_end();
    b->recalls = b->seen;
    return b->mind;
}

static bool carries_camera(const struct robo__gb_vehicle *v, unsigned dof)
{
    const struct robo__gb_package *p =
        robo__gb_camera_package(v, (struct robo__gb_text){ NULL, 0 });
    for (unsigned i = 0; p && i < p->count; i++)
        if (v->link[p->first + i].dof == dof)
            return true;
    return false;
}

/* Takes the wishes. */
static void take_wish(struct robo__gb_connection *c, struct robo_bridge_wish *wish)
{
    wish->base = c->wish.base;
    memcpy(wish->velocity, c->wish.velocity, sizeof wish->velocity);
    for (unsigned i = 0; c->wish.dofs && i < c->vehicle->description->dofs; i++) {
        struct robo__gb_dof_wish *one = &c->wish.dof[i];
        if (one->servo && wish->dofs < ROBO_BRIDGE_DOFS)
            wish->dof[wish->dofs++] =
                (struct robo_bridge_dof){ .dof = (uint16_t)i,
                                          .servo = one->servo,
                                          .camera = carries_camera(c->vehicle, i),
                                          .value = one->value };
        one->servo = 0;
    }
    c->wish.base = c->wish.dofs = false;
}

/* The connection shows its client where the wheels are steered. */
static void show(struct robo_bridge *b, const struct robo__gb_connection *c)
{
    robo__bridges_lock();
    b->steering[0] = c->steering[1];
    b->steering[1] = c->steering[2];
    b->light = c->light;
    robo__bridges_unlock();
}

int robo_bridge_mean(robo_bridge *b, const char *bytes, size_t n, struct robo_bridge_wish *wish,
                     char *said, size_t room, size_t *said_size)
{
    struct robo__gb_line line;
    struct robo__gb_out out = robo__gb_out(said, room);
    *said_size = 0;
    *wish = (struct robo_bridge_wish){ .stops = false };
    struct robo__gb_connection *c = mind_of(b);
    if (!c || !robo__gb_parse((struct robo__gb_text){ bytes, n }, &line))
        return 0;
    if (robo__gb_is(line.type, "PAUSE")) {
        robo__gb_forget(c);
        wish->stops = true;
        return 1;
    }
    if (!robo__gb_mover(&line))
        return 0;
    c->aside = &out;
    robo__gb_command(c, &line, robo_now(b->world));
    c->aside = NULL;
    take_wish(c, wish);
    show(b, c);
    *said_size = out.n;
    return 1;
}

int robo_bridge_parse(const char *bytes, size_t n, struct robo_bridge_group *type,
                      struct robo_bridge_group group[ROBO_BRIDGE_GROUPS])
{
    struct robo__gb_line line;
    if (!robo__gb_parse((struct robo__gb_text){ bytes, n }, &line))
        return ROBO_EBODY;
    *type = (struct robo_bridge_group){ .name = line.type.at, .name_size = line.type.n };
    for (unsigned i = 0; i < line.groups; i++)
        group[i] = (struct robo_bridge_group){ line.group[i].name.at, line.group[i].value.at,
                                               line.group[i].name.n, line.group[i].value.n };
    return (int)line.groups;
}
