/* The connection's side of a bridge: its client's lines go to the script, and the script's wishes are carried out by the
 * connection's session. On the connection's thread. Events that make old commands invalid (robo__gb_forget) begin an epoch. */
#include "bridge_side.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "bridge.h"
#include "robot/client.h"

static const robo_time SILENCE = 500000000; /* of a script whose robot has no deadman time */

/* Its wake-up may be under way when the connection goes: then it frees this. */
struct robo__gb_bridge_side {
    struct robo__wakeup wakeup;
    struct robo__gb_connection *c; /* NULL: it is closed */
    struct robo_bridge *bridge;
    robo_time since; /* when the client, or the script, appeared */
    bool told;       /* that there is no script, or a silent one */
    uint32_t script; /* of the bridge's, which was there at the last look */
    bool panic;
    uint64_t dropped;
    struct robo__gb_texts words;
    struct robo__budget *budget; /* of the world, which has SIDE bytes of it */
};
enum { SIDE = sizeof(struct robo__gb_bridge_side) + ROBO_BRIDGE_WORDS };

static void free_side(struct robo__gb_bridge_side *side)
{
    robo__budget_give(side->budget, SIDE);
    free(side->words.at);
    free(side);
}

static void log_line(struct robo__gb_connection *c, const char *why)
{
    robo__world_log(c->conn->host->world, ROBO_LOG_WARNING, "gamebots: %s: %s", c->vehicle->name,
                    why);
}

/* ---- what the script has left ---- */

static void wish(struct robo__gb_connection *c, const struct robo_bridge_wish *wished,
                 robo_time now)
{
    if (wished->stops)
        robo__gb_halt(c, now);
    if (wished->base)
        robo__gb_wish_base(c, wished->velocity);
    for (unsigned i = 0; i < wished->dofs; i++) {
        if (wished->dof[i].dof >= c->vehicle->description->dofs)
            continue;
        c->wish.dofs = true;
        c->wish.dof[wished->dof[i].dof] =
            (struct robo__gb_dof_wish){ .value = wished->dof[i].value,
                                        .servo = wished->dof[i].servo };
    }
    robo__gb_hand_over(c, now);
}

static void say_words(struct robo__gb_connection *c, const struct robo__gb_texts *words,
                      robo_time now)
{
    enum robo__gb_text_kind kind;
    struct robo__gb_line line;
    size_t at = 0;
    for (struct robo__gb_text t;
         !c->conn->closing && (t = robo__gb_next_text(words, &at, &kind)).at;) {
        struct robo__gb_out out = robo__gb_out((char *)(uintptr_t)t.at, t.n);
        out.n = t.n;
        if (kind == ROBO__GB_SAID)
            robo__gb_say(c, &out);
        else if (robo__gb_parse(t, &line) && !robo__gb_mover(&line))
            robo__gb_command(c, &line, now);
    }
}

static void take(struct robo__gb_connection *c, robo_time now)
{
    struct robo__gb_bridge_side *side = c->side;
    struct robo_bridge *b = side->bridge;
    struct robo_bridge_wish wished = { .stops = false };
    char why[sizeof b->why];
    robo__bridges_lock();
    if (b->connection != &side->wakeup) { /* another one's by now */
        robo__bridges_unlock();
        return;
    }
    const struct robo__gb_texts words = b->words;
    const bool wishes = b->wishes, fails = b->fails, quits = b->quits;
    side->words.n = 0;
    b->words = side->words;
    side->words = words;
    b->wishes = b->fails = b->quits = false;
    c->steering[1] = b->steering[0];
    c->steering[2] = b->steering[1];
    c->light = b->light;
    if (wishes)
        wished = b->wish;
    memcpy(why, b->why, sizeof why);
    robo__bridges_unlock();
    say_words(c, &side->words, now);
    if (fails || quits)
        robo__gb_halt(c, now);
    if (fails && why[0])
        robo__gb_say_control(c, why);
    if (quits)
        c->conn->closing = true;
    else if (wishes && !fails)
        wish(c, &wished, now);
}

/* ---- the script is there, or not ---- */

static robo_time patience(const struct robo__gb_connection *c)
{
    const robo_time robots = robo__session_deadman(c->seat.session);
    return robots > 0 ? robots : SILENCE;
}

void robo__gb_watch_bridge(struct robo__gb_connection *c, robo_time now)
{
    struct robo__gb_bridge_side *side = c->side;
    if (!side)
        return;
    robo__bridges_lock();
    const bool scripted = side->bridge->scripted;
    const uint32_t script = side->bridge->scripts;
    const robo_time looked = side->bridge->looked;
    const uint64_t dropped = side->bridge->dropped;
    robo__bridges_unlock();
    const bool silent =
        !scripted || now - (looked > side->since ? looked : side->since) > patience(c);
    if (dropped != side->dropped && !silent)
        robo__gb_say_control(c, "too many lines came at once: the oldest were dropped");
    side->dropped = dropped;
    const bool another = script != side->script && !side->told;
    side->script = script;
    if (silent == side->told && !another)
        return;
    side->told = silent;
    if (!silent && !another) {
        robo__gb_say_control(c, NULL);
        return;
    }
    const char *why = !scripted ? "no script runs: the robot stops"
                      : silent  ? "its script does not answer: the robot stops"
                                : "its script has begun anew: the robot stops";
    log_line(c, why);
    robo__gb_fail_bridge(c, why, now);
}

static void on_wakeup(struct robo__wakeup *wakeup, robo_time now)
{
    struct robo__gb_bridge_side *side =
        robo__container_of(wakeup, struct robo__gb_bridge_side, wakeup);
    struct robo__gb_connection *c = side->c;
    if (!c) {
        free_side(side);
        return;
    }
    struct robo__conn *conn = c->conn;
    /* first the robot's news: they may end the wishes */
    if (robo__gb_hear(c, now)) {
        take(c, now);
        robo__gb_watch_bridge(c, now);
    }
    robo__conn_kick(conn); /* this may free the connection */
}

/* ---- the client's side ---- */

void robo__gb_end_epoch(struct robo__gb_connection *c)
{
    struct robo__gb_bridge_side *side = c->side;
    if (!side)
        return;
    robo__bridges_lock();
    if (side->bridge->connection == &side->wakeup)
        robo__bridge_turn(side->bridge);
    robo__bridges_unlock();
}

void robo__gb_fail_bridge(struct robo__gb_connection *c, const char *why, robo_time now)
{
    robo__gb_stop(c, now);
    if (why)
        robo__gb_say_control(c, why);
}

void robo__gb_hear_for_bridge(struct robo__gb_connection *c, bool panic)
{
    struct robo__gb_bridge_side *side = c->side;
    if (!side || panic == side->panic)
        return;
    side->panic = panic;
    robo__bridges_lock();
    side->bridge->panic = panic;
    robo__bridges_unlock();
    robo__gb_forget(c);
}

void robo__gb_pass_on(struct robo__gb_connection *c, struct robo__gb_text bytes,
                      const struct robo__gb_line *line, robo_time now)
{
    struct robo_bridge *b = c->side->bridge;
    if (robo__gb_is(line->type, "PAUSE")) /* a stop waits for no script, which is notified of it */
        robo__gb_stop(c, now);
    robo__bridges_lock();
    /* for a script that is silent nothing waits: it would move the robot late */
    if (b->scripted && !c->side->told && c->controls && b->connection == &c->side->wakeup)
        robo__bridge_push(b, bytes);
    robo__bridges_unlock();
}

/* With room for lines. NULL: no memory. */
static struct robo__gb_bridge_side *make_side(struct robo__budget *budget, size_t have)
{
    if (!robo__budget_take(budget, have, SIDE))
        return NULL;
    struct robo__gb_bridge_side *side = calloc(1, sizeof *side);
    char *words = side ? malloc(ROBO_BRIDGE_WORDS) : NULL;
    if (!words) {
        free(side);
        robo__budget_give(budget, SIDE);
        return NULL;
    }
    side->budget = budget;
    side->words = (struct robo__gb_texts){ .at = words, .size = ROBO_BRIDGE_WORDS };
    return side;
}

bool robo__gb_join_bridge(struct robo__gb_connection *c, robo_time now)
{
    robo_world *world = c->conn->host->world;
    struct robo__gb_bridge_side *side = make_side(robo__world_memory(world), c->conn->memory);
    struct robo_bridge *b = side ? robo__bridge_hold(world, c->vehicle->description->name) : NULL;
    if (!b) {
        if (side)
            free_side(side);
        return false;
    }
    side->wakeup.run = on_wakeup;
    side->c = c;
    side->bridge = b;
    side->since = now;
    side->panic = robo__robot_alarm(c->robot).panic != 0;
    c->side = side;
    robo__bridges_lock();
    b->connection = &side->wakeup;
    b->mailbox = &c->conn->host->mailbox;
    b->users++;
    b->about = (struct robo__gb_about){ c->dialect, c->strict, c->class_row, "" };
    snprintf(b->about.name, sizeof b->about.name, "%s", c->vehicle->name);
    b->panic = side->panic;
    b->words.n = 0;
    b->fails = b->quits = b->light = false;
    side->dropped = b->dropped;
    side->script = b->scripts;
    robo__bridge_turn(b);
    robo__bridges_unlock();
    robo__gb_watch_bridge(c, now);
    return true;
}

void robo__gb_leave_bridge(struct robo__gb_connection *c)
{
    struct robo__gb_bridge_side *side = c->side;
    if (!side)
        return;
    struct robo_bridge *b = side->bridge;
    c->side = NULL;
    robo__bridges_lock();
    if (b->connection == &side->wakeup) {
        b->connection = NULL;
        robo__bridge_turn(b);
    }
    robo__bridges_unlock();
    robo__bridge_release(b);
    side->c = NULL;
    if (!atomic_load(&side->wakeup.posted))
        free_side(side);
}
