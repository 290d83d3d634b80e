/* The Golog-Tekkotsu interface, server side: commands in, replies out, on the server's thread.
 *
 * This file commands the base itself, through a session of the connection. It asks the script for everything else
 * (net/inbox.h): sensors, balls, searches, joints and motions. A command without a reply goes to the script at once;
 * commands with one wait in a queue, and the script works on the first. No stop waits for a script: a walk of speed 0, a
 * client's silence, its end, and a command that needs the legs stop the walk from here. */
#include "server.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "net/inbox.h"
#include "walk.h"

enum {
    WAITING = 64, /* commands that wait for their replies */
    LEGS = 12,    /* joints 0 to LEGS - 1 are those of the legs */
    JOINTS = 18
};
static const robo_time SECOND = 1000000000, UNREAD = 30000000000;

enum { BIG, PACKED, RADIANS, SHORT_WALK, DEADMAN };
static const struct robo_scheme_option options[] = {
    [BIG] = { "big", ROBO_SCHEME_FLAG, 0, 1, 0, "numbers begin with their greatest byte" },
    [PACKED] = { "packed", ROBO_SCHEME_FLAG, 0, 1, 0, "structures have no gaps before doubles" },
    [RADIANS] = { "radians", ROBO_SCHEME_FLAG, 0, 1, 0, "querySensors tells joints in radians" },
    [SHORT_WALK] = { "short_walk", ROBO_SCHEME_FLAG, 0, 1, 0,
                     "a client sends walks until changed without their time" },
    [DEADMAN] = { "deadman", ROBO_SCHEME_NUMBER, 0, 86400, 30,
                  "s; a dog that walks for a client of whom nothing is heard for so long stands; 0: never" },
    { NULL, ROBO_SCHEME_FLAG, 0, 0, 0, NULL },
};

struct robo_gti_format robo__gti_format_of(const struct robo__url *url)
{
    return (struct robo_gti_format){ url->option[BIG] != 0, url->option[PACKED] != 0,
                                     url->option[SHORT_WALK] != 0 };
}

/* A command that waits for its reply. */
struct waiting {
    struct waiting *next;
    enum robo_gti_type type;
    int32_t count;
    double value[]; /* places of sensors, or a color */
};

struct client {
    struct robo__conn *conn;
    struct robo__asker asker;
    struct robo__gti_walk walk;
    bool radians;
    struct robo_gti_parser parser,
        ahead; /* ahead: parses bytes that are not worked on yet, for a stop */
    size_t looked;
    size_t
        overtaken; /* commands that end before so many bytes not worked on yet precede a stop that has acted, or a panic */
    struct waiting *first, **last;
    int waits;
    size_t memory;     /* bytes that the waiting commands take of the world's budget */
    bool asked;        /* the script has been asked for the first */
    bool ending;       /* no more input is read; the connection closes when the replies are sent */
    uint64_t commands; /* commands so far: the number of the newest */
    uint64_t walked;   /* number of the newest command to the base */
    uint32_t stop;     /* number of the newest stop that the script knows of by this client */
    struct robo__timer unread;
    size_t left;       /* bytes that the client had not read at the last check */
    robo_time read_at; /* when the client last read some */
};

/* ---- ends ---- */

static size_t size_of(int32_t count)
{
    return sizeof(struct waiting) + (size_t)count * sizeof(double);
}

/* Removes the first of the waiting commands. */
static void drop_first(struct client *g)
{
    struct waiting *w = g->first;
    robo__budget_give(robo__world_memory(g->conn->host->world), size_of(w->count));
    g->memory -= size_of(w->count);
    g->first = w->next;
    if (!g->first)
        g->last = &g->first;
    g->waits--;
    g->asked = false;
    free(w);
}

static void close_with(struct client *g, const char *why)
{
    robo__world_log(g->conn->host->world, ROBO_LOG_WARNING, "gti: %s: the connection is closed",
                    why);
    g->conn->closing = true;
}

/* Malformed input. Earlier commands still get their replies, but the server does not wait for a search. */
static void end_with(struct client *g, const char *why)
{
    close_with(g, why);
    g->ending = true;
    g->conn->closing = !g->first || g->first->type == ROBO_GTI_SEARCH_BALL;
}

/* ---- replies ---- */

/* Checks, while the client has unread replies, whether it has read any of them in time. */
static void on_unread(struct robo__timer *timer, robo_time now)
{
    struct client *g = robo__container_of(timer, struct client, unread);
    size_t left;
    robo__conn_output(g->conn, &left);
    if (left == 0)
        return;
    if (left != g->left)
        g->read_at = now;
    g->left = left;
    if (now - g->read_at < UNREAD) {
        robo__timer_start(g->conn->host->timers, timer, now + SECOND);
        return;
    }
    close_with(g, "the client takes no reply");
    robo__conn_kick(g->conn);
}

static void watch_reading(struct client *g, robo_time now)
{
    if (g->unread.place != ROBO__TIMER_IDLE)
        return;
    robo__conn_output(g->conn, &g->left);
    g->read_at = now;
    robo__timer_start(g->conn->host->timers, &g->unread, now + SECOND);
}

/* A value of an answer; an unknown one is 0. */
static double value_of(const struct robo__question *answer, size_t i)
{
    return answer && i < answer->answers && isfinite(answer->answer[i]) ? answer->answer[i] : 0;
}

static size_t encode_sensors(const struct client *g, const struct waiting *w,
                             const struct robo__question *answer, uint8_t *out)
{
    double values[ROBO_GTI_MOST];
    for (int32_t i = 0; i < w->count; i++) {
        values[i] = value_of(answer, (size_t)i);
        if (g->radians && w->value[i] >= 0 && w->value[i] < JOINTS)
            values[i] *= 0.017453292519943295;
    }
    return robo_gti_reply_sensors(g->parser.format, values, w->count, out);
}

/* Replies to the first waiting command. answer NULL: the script had none. */
static void reply(struct client *g, const struct robo__question *answer, robo_time now)
{
    struct waiting *w = g->first;
    const struct robo_gti_format format = g->parser.format;
    uint8_t *out = robo__conn_reserve(g->conn, ROBO_GTI_MOST * sizeof(double));
    size_t n = 0;
    if (out && w->type == ROBO_GTI_QUERY_SENSORS)
        n = encode_sensors(g, w, answer, out);
    else if (out && w->type == ROBO_GTI_QUERY_BALL)
        n = robo_gti_reply_ball(format, value_of(answer, 0) != 0, value_of(answer, 1),
                                value_of(answer, 2), value_of(answer, 3), out);
    else if (out)
        n = robo_gti_reply_found(format, value_of(answer, 0) != 0, out);
    robo__conn_commit(g->conn, n);
    watch_reading(g, now);
    drop_first(g);
}

static const char *const actions[] = { "query_sensors", "query_ball", "search_ball", "move_joints",
                                       "motion",        "walk",       "walk" };

/* Whether the script may move something for the client, which a stop by another client may hold. The script gets the newest stop
 * that does not hold it: it moves for all clients by a connection of its own, which that stop has latched. */
static bool may_move(struct client *g, enum robo_gti_type type, robo_time now)
{
    uint32_t stop;
    if (!robo__gti_walk_lets(&g->walk, actions[type], &stop, now))
        return false;
    const double number = stop;
    if (stop != g->stop && robo__ask(&g->asker, "resume", NULL, &number, 1, g->commands) == 0)
        g->stop = stop;
    return true;
}

/* Asks the script to carry out the first waiting command. */
static void ask_first(struct client *g, robo_time now)
{
    while (g->first && !g->asked) {
        const struct waiting *w = g->first;
        g->asked = (w->type != ROBO_GTI_SEARCH_BALL || may_move(g, w->type, now)) &&
                   robo__ask(&g->asker, actions[w->type], NULL, w->value, (size_t)w->count, 0) == 0;
        if (!g->asked)
            reply(g, NULL, now);
    }
    if (g->ending && !g->first)
        g->conn->closing = true;
}

static void wait_for_reply(struct client *g, const struct robo_gti_request *r, robo_time now)
{
    bool sensors = r->type == ROBO_GTI_QUERY_SENSORS;
    int32_t count = sensors ? r->count : 1;
    if (g->waits == WAITING) {
        close_with(g, "more than 64 commands wait for their replies");
        return;
    }
    struct robo__budget *budget = robo__world_memory(g->conn->host->world);
    size_t size = size_of(count);
    bool paid = robo__budget_take(budget, g->memory, size);
    struct waiting *w = paid ? malloc(size) : NULL;
    if (!w) {
        robo__budget_give(budget, paid ? size : 0);
        close_with(g, "not enough memory");
        return;
    }
    g->memory += size;
    *w = (struct waiting){ .type = r->type, .count = count };
    for (int32_t i = 0; i < count; i++)
        w->value[i] = sensors ? r->sensor[i] : r->color;
    *g->last = w;
    g->last = &w->next;
    g->waits++;
    ask_first(g, now);
}

/* ---- commands ---- */

/* Hands a command without a reply to the script. */
static void hand_over(struct client *g, enum robo_gti_type type, const char *text,
                      const double *values, size_t count)
{
    int error = robo__ask(&g->asker, actions[type], text, values, count, g->commands);
    if (error < 0 && error != ROBO_ENONE)
        robo__world_log(g->conn->host->world, ROBO_LOG_WARNING, "gti: %s: %s", actions[type],
                        robo_strerror(error));
}

/* A command needs the legs: stops the walk, whichever client began it. */
static void stop_walk(struct client *g, robo_time now)
{
    robo__gti_walk_set(&g->walk, (double[3]){ 0 }, 0, now);
}

static void move_joints(struct client *g, const struct robo_gti_request *r, robo_time now)
{
    double values[3 * ROBO_GTI_MOST];
    bool legs = false;
    for (int32_t i = 0; i < r->count; i++) {
        const struct robo_gti_joint *joint = &r->joint[i];
        if (joint->joint < 0 || joint->joint >= JOINTS) {
            robo__world_log(g->conn->host->world, ROBO_LOG_WARNING,
                            "gti: there is no joint %d: none is moved", (int)joint->joint);
            return;
        }
        legs |= joint->joint < LEGS;
        memcpy(&values[3 * i], (double[]){ joint->joint, joint->angle, joint->speed },
               3 * sizeof values[0]);
    }
    if (!may_move(g, r->type, now))
        return;
    if (legs)
        stop_walk(g, now);
    hand_over(g, r->type, NULL, values, 3 * (size_t)r->count);
}

static void play(struct client *g, const struct robo_gti_request *r, robo_time now)
{
    /* only files in the folder of motions */
    if (strpbrk(r->file, "/\\") || r->file[0] == '.')
        robo__world_log(g->conn->host->world, ROBO_LOG_WARNING,
                        "gti: motion: want the name of a file, got \"%s\"", r->file);
    else if (may_move(g, r->type, now))
        hand_over(g, r->type, r->file, NULL, 0);
}

static bool is_stop(const struct robo_gti_request *r)
{
    return r->type == ROBO_GTI_WALK && r->dx == 0 && r->dy == 0 && r->da == 0;
}

static void walk(struct client *g, const struct robo_gti_request *r, robo_time now)
{
    const double speed[3] = { r->dx / 1000, r->dy / 1000, r->da };
    double seconds = r->type == ROBO_GTI_WALK_FOR ? fmin(fmax(r->seconds, 0), 3600) : INFINITY;
    /* the script's motions release the legs, so it is asked before the dog walks */
    hand_over(g, r->type, NULL, speed, 3);
    g->walked = g->commands;
    if (is_stop(r))
        robo__gti_walk_stop(&g->walk, now);
    else
        robo__gti_walk_set(&g->walk, speed, seconds, now);
}

/* overtaken: a stop or a panic that came behind it has acted, so that it walks no more. */
static void carry_out(struct client *g, const struct robo_gti_request *r, bool overtaken,
                      robo_time now)
{
    g->commands++;
    switch (r->type) {
    case ROBO_GTI_MOVE_JOINTS: move_joints(g, r, now); break;
    case ROBO_GTI_MOTION: play(g, r, now); break;
    case ROBO_GTI_WALK:
    case ROBO_GTI_WALK_FOR:
        if (!overtaken)
            walk(g, r, now);
        break;
    default: wait_for_reply(g, r, now); break;
    }
}

/* Whether the next command must wait until the script or the client has caught up. Behind a search the queue may become
 * full instead, which ends the connection. */
static bool is_full(const struct client *g)
{
    return robo__conn_full(g->conn) || g->asker.open + 3 > ROBO__QUESTIONS ||
           (g->waits == WAITING && g->first->type != ROBO_GTI_SEARCH_BALL);
}

/* Looks for a stop among commands that wait; a stop acts at once. */
static void look_ahead(struct client *g, const uint8_t *in, size_t n, robo_time now)
{
    struct robo_gti_request request;
    if (n <= g->looked)
        return;
    if (g->looked == 0)
        g->ahead = g->parser;
    const uint8_t *at = in + g->looked;
    size_t left = n - g->looked;
    if (g->looked == 0) /* nothing has waited until now */
        robo__gti_walk_take_end(&g->walk, now);
    g->looked = n;
    while (left > 0 && robo_gti_feed(&g->ahead, &at, &left, &request) == ROBO_GTI_REQUEST) {
        if (!is_stop(&request))
            continue;
        robo__gti_walk_stop(&g->walk, now);
        g->overtaken = n - left;
    }
}

static size_t feed(void *state, const uint8_t *in, size_t n, bool one, robo_time now)
{
    struct client *g = state;
    struct robo_gti_request request;
    const uint8_t *at = in;
    size_t left = n;
    if (g->ending)
        return n;
    robo__seat_heard(&g->walk.seat, now);
    if (g->looked > 0 && robo__gti_walk_take_end(&g->walk, now))
        g->overtaken = g->looked + 1;
    while (left > 0 && !g->conn->closing && !is_full(g)) {
        enum robo_gti_event event = robo_gti_feed(&g->parser, &at, &left, &request);
        if (event == ROBO_GTI_CLOSE) {
            end_with(g, g->parser.why);
            return n;
        }
        if (event == ROBO_GTI_REQUEST)
            carry_out(g, &request, n - left < g->overtaken, now);
        if (event == ROBO_GTI_REQUEST && one)
            break;
    }
    size_t used = n - left;
    g->looked -= g->looked < used ? g->looked : used;
    g->overtaken -= g->overtaken < used ? g->overtaken : used;
    look_ahead(g, at, left, now);
    return used;
}

static void on_answer(struct robo__asker *asker, const struct robo__question *answer, robo_time now)
{
    struct client *g = robo__container_of(asker, struct client, asker);
    if (answer->tag == 0) {
        reply(g, answer->answered ? answer : NULL, now);
        ask_first(g, now);
    } else if (value_of(answer, 0) != 0 && answer->tag > g->walked) {
        stop_walk(g, now); /* that command needs the legs, and there is no newer walk */
    }
    robo__conn_kick(g->conn); /* this may free the connection */
}

/* ---- life ---- */

static int open_connection(void *state, struct robo__conn *conn, const struct robo__url *url)
{
    struct client *g = state;
    g->conn = conn;
    g->last = &g->first;
    g->parser.format = robo__gti_format_of(url);
    g->radians = url->option[RADIANS] != 0;
    g->unread.fire = on_unread;
    robo__gti_walk_open(&g->walk, conn, url->robot, (robo_time)(url->option[DEADMAN] * 1e9));
    robo__asker_open(&g->asker, conn->host, robo__gti.name, g->walk.robot, on_answer);
    return 0;
}

static void close_connection(void *state)
{
    struct client *g = state;
    robo__timer_stop(g->conn->host->timers, &g->unread);
    robo__gti_walk_close(&g->walk);
    robo__asker_close(&g->asker);
    while (g->first)
        drop_first(g);
}

const struct robo__protocol robo__gti = { .name = "gti",
                                          .port = 10700,
                                          .size = sizeof(struct client),
                                          .options = options,
                                          .open = open_connection,
                                          .feed = feed,
                                          .close = close_connection };
