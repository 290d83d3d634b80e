/* Clients, as an adversary would have them. What each does and when follows from its own stream of chance alone, as far
 * as that is possible, so that a change elsewhere does not change its life. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "robot.h"
#include "robotalk/client_internal.h"
#include "run.h"
#include "time.h"

static const robo_time MS = 1000000, SECOND = 1000000000;
static const robo_time LIE = (robo_time)1 << 62;

enum { IDS = 8192 /* of one client */, PACKAGE_MOST = 12 };

static struct robo__run_user *user_of(struct robo__timer *timer)
{
    return robo__container_of(timer, struct robo__run_user, act);
}

/* ---- sessions ---- */

static const char *const MODES[] = { "direct", "delay", "playback", "broadcast" };
static const char *const NAMES[] = { "r0", "r1", "r2" };

/* What each session asked for, by the number that its client gives it: for when it opens, perhaps again. */
static struct robo__client_session *asked_of(const struct robo__run_user *u, uint32_t number)
{
    return robo__client_session_find(u->client, number);
}

static void open_session(struct robo__run_user *u)
{
    struct robo__random *r = &u->random;
    static const double likely[] = { 5, 2, 2, 1 };
    const char *mode = MODES[robo__weighted(r, likely, 4)];
    struct robo_session_options o = { .mode = mode };
    unsigned robot = robo__pick(r, u->run->robots);
    o.robot = robo__chance(r, 0.02) ? "nobody" : NAMES[robot];
    if (robo__chance(r, 0.01))
        o.mode = "telepathy";
    if (strcmp(mode, "delay") == 0)
        o.delay = robo__chance(r, 0.1) ? 0 : (robo_time)(robo__random_uniform(r) * 1.2e9);
    if (robo__chance(r, 0.4))
        o.deadman = (robo_time)(robo__spread(r, 0.03, 2) * 1e9);
    if (robo__chance(r, u->run->wild))
        o.deadman = (robo_time)8e18;
    if (robo__chance(r, 0.4))
        o.gap = (robo_time)(robo__spread(r, 0.05, 6) * 1e9);
    if (robo__chance(r, 0.3))
        o.expiry = robo__chance(r, 0.4) ? -1000 : (robo_time)(robo__spread(r, 0.05, 3) * 1e9);
    if (strcmp(mode, "playback") == 0 && robo__chance(r, 0.8))
        o.duration = (robo_time)(robo__spread(r, 0.2, 5) * 1e9);
    uint32_t id;
    int64_t number = robo__client_session_begin(u->client, &o, &id);
    ROBO__NOTE(u->run, "user %u: opens session %d with %s in %s mode", u->number, (int)number,
               o.robot, o.mode);
}

/* The server has opened a session. */
static void note_open(struct robo__run_user *u, uint32_t id, const struct robo_answer_open *a)
{
    struct robo__run *run = u->run;
    const struct robo__client_session *s = NULL;
    for (size_t i = 0; i < ROBO__CLIENT_SESSIONS && !s; i++)
        if (u->client->session[i].open && u->client->session[i].wire == a->session)
            s = &u->client->session[i];
    if (!s || run->visits == ROBO__RUN_VISITS)
        return;
    struct robo__visit *v = &run->visit[run->visits++];
    *v = (struct robo__visit){ .user = u->number,
                               .robot = (uint8_t)(a->robot[1] - '0'),
                               .line = u->line,
                               .number = s->number,
                               .wire = a->session,
                               .expiry = a->expiry,
                               .deadman = a->deadman,
                               .gap = a->gap,
                               .epoch = a->epoch,
                               .stops = a->stops,
                               .stopped = robo__tap_stops(&run->line[u->line], a->session),
                               .heard = robo_now(run->world) };
    unsigned at = id % ROBO__RUN_OPENINGS;
    v->life = u->opening[at].id == id ? u->opening[at].life[v->robot] : run->robot[v->robot].life;
    v->closed = v->life != run->robot[v->robot].life || !run->robot[v->robot].robot;
    v->closed_at = robo_now(run->world);
    v->buffered = strcmp(s->ask.mode, "delay") == 0 || strcmp(s->ask.mode, "playback") == 0;
    if (v->buffered) {
        struct robo__random *r = &u->random;
        v->playing = true;
        v->spacing = (robo_time)(robo__spread(r, 0.01, 0.3) * 1e9);
        v->frames = s->ask.duration > 0 ? (uint32_t)(s->ask.duration / v->spacing) + 1
                                        : 1 + robo__pick(r, 60);
        v->origin = robo_now(run->world) + robo__about(r, 200 * MS);
        if (strcmp(s->ask.mode, "playback") == 0) { /* whatever clock */
            double kind = robo__random_uniform(r);
            if (kind < 0.2)
                v->origin = 0;
            else if (kind < 0.3)
                v->origin = (robo_time)1732000000 * SECOND;
            else if (kind < 0.3 + run->wild)
                v->origin = robo__chance(r, 0.5) ? LIE : -LIE;
        }
    }
    ROBO__NOTE(
        run,
        "user %u: session %u is open, visit %u with robot %u: epoch %u, deadman %.3f s, expiry %.3f s",
        u->number, s->number, run->visits - 1, v->robot, a->epoch, (double)a->deadman * 1e-9,
        (double)a->expiry * 1e-9);
}

/* The visit of one of the sessions that are open now; NULL: there is none. */
static struct robo__visit *any_visit(struct robo__run_user *u)
{
    struct robo__run *run = u->run;
    struct robo__visit *found = NULL;
    unsigned n = 0;
    for (unsigned i = 0; i < run->visits; i++) {
        struct robo__visit *v = &run->visit[i];
        if (v->user != u->number || v->line != u->line)
            continue;
        const struct robo__client_session *s = asked_of(u, v->number);
        if (s && s->open && s->wire == v->wire && robo__pick(&u->random, ++n) == 0)
            found = v;
    }
    return found;
}

/* ---- commands ---- */

/* Whether it may send as many commands more. */
static bool may_send(const struct robo__run_user *u, unsigned n)
{
    const struct robo__run *run = u->run;
    return !u->leaving && run->errands + n <= ROBO__RUN_ERRANDS && run->visits < ROBO__RUN_VISITS &&
           run->lines < ROBO__RUN_LINES && u->client->last_id - u->first_id < IDS - 256;
}

static void send(struct robo__run_user *u, struct robo__visit *v, struct robo_cmd *cmd, unsigned n)
{
    struct robo__run *run = u->run;
    uint32_t id = robo__client_next_id(u->client);
    uint16_t visit = (uint16_t)(v - run->visit);
    for (unsigned i = 0; i < n; i++) {
        ROBO__NOTE(run, "user %u: sends %s %u in visit %u, start %.6f s", u->number,
                   robo_op_name(cmd[i].op), id, visit, (double)cmd[i].start * 1e-9);
        robo__judge_sends(run, visit, &cmd[i], id);
        id = id == UINT32_MAX ? 1 : id + 1;
    }
    unsigned before = run->errands;
    int64_t first = robo_send(u->client, v->number, cmd, n);
    if (first >= 0) {
        run->report->commands += n;
        return;
    }
    ROBO__NOTE(run, "user %u: not sent: %s", u->number, robo_strerror((int)first));
    if (run->errands == before)
        robo__judge_forgets(run, n);
}

static const struct robo_description *body_of(const struct robo__run *run,
                                              const struct robo__visit *v)
{
    const robo_robot *robot = run->robot[v->robot].robot;
    return robot ? robo_robot_description(robot) : &run->plan->body[run->robot[v->robot].body];
}

static void draw(struct robo__run_user *u, const struct robo__visit *v, struct robo_cmd *cmd)
{
    robo__draw_command(&u->random, body_of(u->run, v), u->run->wild, cmd);
    const robo_robot *robot = u->run->robot[v->robot].robot;
    cmd->generation =
        robot && !robo__chance(&u->random, u->run->wild) ? (uint8_t)robot->generation : 0;
}

/* An instant for a command that is sent by itself. */
static robo_time draw_start(struct robo__run_user *u)
{
    struct robo__random *r = &u->random;
    robo_time now = robo_now(u->run->world);
    double kind = robo__random_uniform(r);
    if (kind < u->run->wild)
        return robo__chance(r, 0.3) ? -LIE : LIE - (robo_time)robo__pick(r, 1000) * SECOND;
    if (kind < u->run->wild + 0.02)
        return now + 3000 * SECOND + robo__about(r, 1000 * SECOND);
    if (kind < 0.75)
        return 0;
    if (kind < 0.8)
        return now - robo__about(r, 500 * MS);
    return now + robo__about(r, 400 * MS);
}

static void act_command(struct robo__run_user *u)
{
    struct robo__visit *v = any_visit(u);
    struct robo_cmd cmd[PACKAGE_MOST];
    unsigned n = robo__chance(&u->random, 0.85) ? 1 : 1 + robo__pick(&u->random, PACKAGE_MOST);
    if (!v || !may_send(u, n))
        return;
    for (unsigned i = 0; i < n; i++) {
        draw(u, v, &cmd[i]);
        cmd[i].start = draw_start(u);
    }
    send(u, v, cmd, n);
}

static void act_stop(struct robo__run_user *u)
{
    struct robo__visit *v = any_visit(u);
    if (!v || !may_send(u, 1))
        return;
    struct robo_cmd cmd = { .op = ROBO_STOP };
    cmd.start = robo__chance(&u->random, 0.7) ? 0 : draw_start(u);
    const robo_robot *robot = u->run->robot[v->robot].robot;
    cmd.generation = robot ? (uint8_t)robot->generation : 0;
    send(u, v, &cmd, 1);
}

/* The next frames of a sequence. */
static void act_frames(struct robo__run_user *u)
{
    struct robo__visit *v = any_visit(u);
    unsigned frames = 1 + robo__pick(&u->random, 6);
    for (unsigned i = 0; v && v->playing && i < frames; i++) {
        struct robo_cmd cmd[3];
        unsigned n = 1 + robo__pick(&u->random, 3);
        if (!may_send(u, n))
            return;
        if (v->frame == v->frames) {
            v->playing = false;
            ROBO__NOTE(u->run, "user %u: no frame follows in visit %u", u->number,
                       (unsigned)(v - u->run->visit));
            robo_ask(u->client, v->number, ROBO_Q_FINISH, NULL);
            return;
        }
        for (unsigned k = 0; k < n; k++) {
            draw(u, v, &cmd[k]);
            cmd[k].start = v->origin + (robo_time)v->frame * v->spacing;
        }
        v->frame++;
        send(u, v, cmd, n);
    }
}

/* ---- what else a client does ---- */

static void act_open(struct robo__run_user *u)
{
    if (may_send(u, 0) && u->client->state == ROBO__UP)
        open_session(u);
}

static void act_end(struct robo__run_user *u)
{
    struct robo__visit *v = any_visit(u);
    if (!v)
        return;
    ROBO__NOTE(u->run, "user %u: closes visit %u", u->number, (unsigned)(v - u->run->visit));
    robo__client_session_end(u->client, v->number);
}

static void act_cancel(struct robo__run_user *u)
{
    struct robo__visit *v = any_visit(u);
    if (!v)
        return;
    struct robo_ask_cancel ask = { 0 };
    if (robo__chance(&u->random, 0.5) && u->client->last_id)
        ask.command = u->client->last_id - robo__pick(&u->random, 5);
    ROBO__NOTE(u->run, "user %u: cancels %u in visit %u", u->number, ask.command,
               (unsigned)(v - u->run->visit));
    robo_ask(u->client, v->number, ROBO_Q_CANCEL, &ask);
}

static void act_finish(struct robo__run_user *u)
{
    struct robo__visit *v = any_visit(u);
    if (v)
        robo_ask(u->client, v->number, ROBO_Q_FINISH, NULL);
}

static void act_ask(struct robo__run_user *u)
{
    static const enum robo_query queries[] = { ROBO_Q_STATE, ROBO_Q_STATUS, ROBO_Q_DESCRIBE,
                                               ROBO_Q_BROADCAST, ROBO_Q_JOINT };
    struct robo__visit *v = any_visit(u);
    union {
        struct robo_ask_broadcast broadcast;
        struct robo_ask_joint joint;
    } ask = { 0 };
    if (!v)
        return;
    enum robo_query query = queries[robo__pick(&u->random, sizeof queries / sizeof queries[0])];
    if (query == ROBO_Q_BROADCAST)
        ask.broadcast.period = (robo_time)(robo__spread(&u->random, 0.02, 1) * 1e9);
    robo_ask(u->client, v->number, query, &ask);
}

static void act_panic(struct robo__run_user *u)
{
    struct robo__visit *v = robo__chance(&u->random, 0.9) ? any_visit(u) : NULL;
    if (!u->client->stream.up)
        return;
    ROBO__NOTE(u->run, "user %u: panic in visit %d", u->number, v ? (int)(v - u->run->visit) : -1);
    robo_client_flag(u->client, v ? v->number : 0, ROBO_FLAG_PANIC);
}

static void act_reset(struct robo__run_user *u)
{
    struct robo__visit *v = robo__chance(&u->random, 0.97) ? any_visit(u) : NULL;
    if (!u->client->stream.up)
        return;
    ROBO__NOTE(u->run, "user %u: reset in visit %d", u->number, v ? (int)(v - u->run->visit) : -1);
    robo_client_flag(u->client, v ? v->number : 0, ROBO_FLAG_RESET);
}

static void swallow(struct robo__link *link, const uint8_t *bytes, size_t n, robo_time now)
{
    (void)link, (void)bytes, (void)n, (void)now;
}

static void forget(struct robo__link *link)
{
    (void)link;
}

/* The link is lost on the client's side. Half of the times the server does not know: it still has a connection, of which
 * nothing comes any more. */
static void act_lose(struct robo__run_user *u)
{
    struct robo__stream *s = &u->client->stream;
    if (!s->up || !s->link || s->link->busy)
        return;
    struct robo__line *line = robo__tap_line(u->run, s->link);
    bool ghost = line && robo__chance(&u->random, 0.5);
    ROBO__NOTE(u->run, "user %u: the link is lost%s", u->number,
               ghost ? ", unknown to the server" : "");
    if (ghost) {
        line->ghost = true;
        s->link->cut = true;
        s->link->deliver = swallow;
        s->link->lost = forget;
        s->link->sent = NULL;
        s->link = NULL;
    }
    robo__stream_close(s);
    s->lost(s, ROBO_ELINK, "the link was dropped", robo_now(u->run->world));
}

/* Bytes vanish from now on and nobody is told; that ends with a loss of the link. */
static void act_cut(struct robo__run_user *u)
{
    struct robo__stream *s = &u->client->stream;
    if (!s->up || !s->link)
        return;
    if (s->link->cut) {
        act_lose(u);
        return;
    }
    ROBO__NOTE(u->run, "user %u: the link is cut", u->number);
    s->link->cut = true;
}

/* Shouts a panic that is nothing but its magic and its flag; nobody knows what comes after such a header. */
static void act_shout(struct robo__run_user *u)
{
    struct robo__link *link = u->client->stream.up ? u->client->stream.link : NULL;
    struct robo__visit *v = robo__chance(&u->random, 0.5) ? any_visit(u) : NULL;
    uint8_t header[ROBO__HEADER_SIZE];
    if (!link)
        return;
    for (size_t i = 0; i < sizeof header; i++)
        header[i] = (uint8_t)robo__pick(&u->random, 256);
    header[0] = ROBO_MAGIC >> 8;
    header[1] = ROBO_MAGIC & 0xff;
    header[3] |= ROBO_FLAG_PANIC;
    if (v) {
        header[16] = header[17] = header[18] = 0; /* the session, which is a small number */
        header[19] = (uint8_t)v->wire;
    }
    ROBO__NOTE(u->run, "user %u: shouts a panic in visit %d", u->number,
               v ? (int)(v - u->run->visit) : -1);
    robo__link_send(link, header, sizeof header);
}

/* Its clock is set, or lies from now on. */
static void act_clock(struct robo__run_user *u)
{
    struct robo__line *line = robo__tap_line(u->run, u->client->stream.link);
    if (!line)
        return;
    line->lying = true;
    if (robo__chance(&u->random, 0.2))
        line->skew = robo__chance(&u->random, 0.5) ? LIE : -LIE;
    else
        line->skew += (robo_time)(robo__random_range(&u->random, -1, 1) *
                                  robo__spread(&u->random, 0.01, 100) * 1e9);
    ROBO__NOTE(u->run, "user %u: the clock is off by %.6f s", u->number, (double)line->skew * 1e-9);
}

static void connect(struct robo__run_user *u);

void robo__user_die(struct robo__run_user *u)
{
    struct robo__run *run = u->run;
    if (!u->client)
        return;
    ROBO__NOTE(run, "user %u: dies", u->number);
    robo_disconnect(u->client);
    u->client = NULL;
    for (unsigned i = 0; i < run->errands; i++)
        if (run->visit[run->errand[i].visit].user == u->number)
            run->errand[i].deserted = true;
}

/* ---- what comes ---- */

static void hear_notice(struct robo__run_user *u, const struct robo_event *e)
{
    struct robo__run *run = u->run;
    ROBO__NOTE(run, "user %u: notice %s of session %u, %u", u->number,
               robo__op_find(robo__notices, e->op)->name, e->session, e->id);
    for (unsigned i = run->visits; i-- > 0;) {
        struct robo__visit *v = &run->visit[i];
        if (v->user != u->number || v->number != e->session || v->line != u->line)
            continue;
        bool panic = e->op == ROBO_N_PANICKED || e->op == ROBO_N_RESET;
        if (panic && e->id > v->epoch) /* a link that reorders may tell of the reset first */
            v->epoch = e->id;
        else if (e->op == ROBO_N_STOPPED && e->id > v->stops)
            v->stops = e->id;
        return;
    }
}

static void hear_reply(struct robo__run_user *u, const struct robo_event *e)
{
    union {
        struct robo_answer_open open;
        struct robo_state state;
        struct robo_answer_status status;
        struct robo_answer_describe describe;
        struct robo_answer_cancel cancel;
        struct robo_joint joint;
    } a;
    memset(&a, 0, sizeof a);
    int got = robo_take_answer(u->client, e->id, &a, sizeof a);
    if (got == 1 && e->op == ROBO_Q_OPEN)
        note_open(u, e->id, &a.open);
    else if (got < 0)
        ROBO__NOTE(u->run, "user %u: query %s: %s", u->number,
                   robo__op_find(robo__queries, e->op)->name, robo_strerror(got));
}

void robo__user_listen(struct robo__run_user *u)
{
    struct robo_event e;
    struct robo_result result;
    while (u->client && robo_next_event(u->client, &e)) {
        switch (e.kind) {
        case ROBO_EVENT_RESULT:
            if (robo_take(u->client, e.id, &result) == 1)
                robo__judge_answer(u->run, u, &result);
            else
                robo__run_find(u->run, ROBO__TWO_ANSWERS, "command %u was answered again", e.id);
            break;
        case ROBO_EVENT_REPLY: hear_reply(u, &e); break;
        case ROBO_EVENT_NOTICE: hear_notice(u, &e); break;
        default: ROBO__NOTE(u->run, "user %u: link %s", u->number, e.op ? "down" : "up"); break;
        }
    }
}

/* ---- life ---- */

/* Mostly ideal or fair, now and then bad in every way at once. */
static void draw_channel(struct robo__random *r, struct robo__channel *c)
{
    *c = (struct robo__channel){ 0 };
    if (robo__chance(r, 0.3))
        return;
    c->latency = (robo_time)(robo__spread(r, 0.0001, 0.4) * 1e9);
    if (robo__chance(r, 0.6))
        c->jitter = (robo_time)(robo__spread(r, 0.0001, 0.5) * 1e9);
    if (robo__chance(r, 0.3))
        c->loss = robo__random_range(r, 0, 0.3);
    if (robo__chance(r, 0.2))
        c->again = (robo_time)(robo__spread(r, 0.05, 3) * 1e9);
    if (robo__chance(r, 0.15))
        c->duplicate = robo__random_range(r, 0, 0.5);
    if (robo__chance(r, 0.15))
        c->reorder = robo__random_range(r, 0, 0.5);
    if (c->duplicate == 0 && c->reorder == 0 && robo__chance(r, 0.3))
        c->split = robo__random_range(r, 0, 0.5);
    if (robo__chance(r, 0.15))
        c->rate = robo__spread(r, 2000, 1e6);
    if (robo__chance(r, 0.2)) {
        c->stall_most = (robo_time)(robo__spread(r, 0.001, 1) * 1e9);
        c->stall_least = robo__chance(r, 0.5) ? 0 : c->stall_most / 2;
    }
}

static void on_notify(robo_client *client)
{
    robo__user_listen(client->options.owner);
}

static void connect(struct robo__run_user *u)
{
    struct robo__run *run = u->run;
    struct robo__client_options options = { .host = &run->host,
                                            .channel = &u->channel,
                                            .protocol = &run->tap,
                                            .reconnect = robo__chance(&u->random, 0.8),
                                            .notify = on_notify,
                                            .owner = u };
    char why[256];
    int error;
    memset(u->opening, 0, sizeof u->opening);
    u->clients++;
    u->client = robo__client_open(run->world, "local:", &options, &error, why);
    if (!u->client)
        return;
    /* ids that no other client has; now and then they wrap */
    unsigned place = (u->clients - 1) * ROBO__RUN_USERS + u->number;
    u->first_id = place == 0 && robo__chance(&u->random, 0.02) ? UINT32_MAX - 40 : place * IDS;
    u->client->last_id = u->first_id + 64;
    ROBO__NOTE(run, "user %u: client %u", u->number, u->clients);
}

static void act_die(struct robo__run_user *u)
{
    robo__user_die(u);
}

/* In the order of struct robo__run's spice. */
static const struct {
    double weight;
    void (*act)(struct robo__run_user *);
} ACTIONS[] = {
    { 50, act_command }, { 40, act_frames }, { 4, act_open },    { 1.5, act_end },
    { 2, act_cancel },   { 1, act_finish },  { 4, act_ask },     { 5, act_stop },
    { 1.5, act_panic },  { 3, act_reset },   { 0.7, act_lose },  { 0.7, act_cut },
    { 0.5, act_die },    { 0.5, act_clock }, { 0.2, act_shout },
};
_Static_assert(sizeof ACTIONS / sizeof ACTIONS[0] <=
                   sizeof((struct robo__run *)0)->spice / sizeof(double),
               "each has its spice");

static void on_act(struct robo__timer *timer, robo_time now)
{
    struct robo__run_user *u = user_of(timer);
    struct robo__run *run = u->run;
    if (run->over)
        return;
    robo__timer_start(&run->world->timers, timer, now + robo__about(&u->random, u->pace));
    if (u->leaving)
        return;
    if (!u->client) {
        if (u->clients < 16 && run->lines < ROBO__RUN_LINES - 8)
            connect(u);
        return;
    }
    bool any = false;
    for (size_t i = 0; i < ROBO__CLIENT_SESSIONS; i++)
        any |= u->client->session[i].used;
    if (!any) {
        act_open(u);
        return;
    }
    enum { N = sizeof ACTIONS / sizeof ACTIONS[0] };
    double weight[N];
    for (size_t i = 0; i < N; i++)
        weight[i] = ACTIONS[i].weight * run->spice[i];
    ACTIONS[robo__weighted(&u->random, weight, N)].act(u);
}

void robo__user_init(struct robo__run *run, unsigned number)
{
    struct robo__run_user *u = &run->user[number];
    u->run = run;
    u->number = (uint8_t)number;
    u->client = NULL;
    u->leaving = false;
    u->clients = 0;
    u->line = 0;
    u->packages = 0;
    memset(u->package, 0, sizeof u->package);
    u->random = robo__random_fork(&run->random, 100 + number);
    u->pace = (robo_time)(robo__spread(&u->random, 0.01, 0.2) * 1e9);
    draw_channel(&u->random, &u->channel);
    const struct robo__channel *c = &u->channel;
    ROBO__NOTE(
        run,
        "user %u: acts every %.3f s; latency %.4f s, jitter %.4f s, %.0f B/s, loss %.2f comes again after "
        "%.3f s, duplicate %.2f, reorder %.2f, split %.2f, stall %.3f to %.3f s",
        number, (double)u->pace * 1e-9, (double)c->latency * 1e-9, (double)c->jitter * 1e-9,
        c->rate, c->loss, (double)c->again * 1e-9, c->duplicate, c->reorder, c->split,
        (double)c->stall_least * 1e-9, (double)c->stall_most * 1e-9);
    u->act = (struct robo__timer){ .fire = on_act };
    robo__timer_start(&run->world->timers, &u->act,
                      robo_now(run->world) + robo__about(&u->random, 100 * MS));
}

void robo__user_leave(struct robo__run_user *u)
{
    u->leaving = true;
    if (!u->client)
        return;
    for (size_t i = 0; i < ROBO__CLIENT_SESSIONS; i++)
        if (u->client->session[i].used)
            robo__client_session_end(u->client, u->client->session[i].number);
}
