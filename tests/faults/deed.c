/* The actions of clients. */
#include "robot/robot.h"
#include "robotalk/client_internal.h"
#include "run.h"
#include "base/time.h"

static const robo_time MS = 1000000, SECOND = 1000000000;
static const robo_time LIE = ROBO__MOST_TIME - ROBO__HORIZON; /* no instant is further away */

enum { IDS = ROBO__RUN_IDS - 256, PACKAGE_MOST = 12 };

/* ---- commands ---- */

/* Whether it may send that many more commands. */
static bool may_send(const struct robo__run_user *u, unsigned n)
{
    const struct robo__run *run = u->run;
    return !u->leaving && run->errands + n <= ROBO__RUN_ERRANDS && run->visits < ROBO__RUN_VISITS &&
           run->lines < ROBO__RUN_LINES && u->client->last_id - u->first_id < IDS;
}

static void send(struct robo__run_user *u, struct robo__visit *v, struct robo_cmd *cmd, unsigned n,
                 bool frame)
{
    struct robo__run *run = u->run;
    uint32_t id = robo__client_next_id(u->client);
    uint16_t visit = (uint16_t)(v - run->visit);
    for (unsigned i = 0; i < n; i++) {
        ROBO__NOTE(run, "user %u: sends %s %u in visit %u, start %.6f s", u->number,
                   robo_op_name(cmd[i].op), id, visit, (double)cmd[i].start * 1e-9);
        robo__ledger_sends(run, visit, &cmd[i], id, frame);
        id = id == UINT32_MAX ? 1 : id + 1;
    }
    unsigned before = run->errands;
    int64_t first = robo_send(u->client, (robo_session_id){ v->number }, cmd, n).value;
    if (first >= 0) {
        run->report->commands += n;
        return;
    }
    ROBO__NOTE(run, "user %u: not sent: %s", u->number, robo_strerror((int)first));
    if (run->errands == before)
        robo__ledger_forgets(run, n);
}

static const struct robo_description *body_of(const struct robo__run *run,
                                              const struct robo__visit *v)
{
    const robo_robot *robot = run->robot[v->robot].robot;
    return robot ? described(robot) : &run->plan->body[run->robot[v->robot].body];
}

static void draw(struct robo__run_user *u, const struct robo__visit *v, struct robo_cmd *cmd)
{
    robo__draw_command(u->run, &u->random, body_of(u->run, v), cmd);
    const robo_robot *robot = u->run->robot[v->robot].robot;
    cmd->revision =
        robot && !robo__chance(&u->random, u->run->wild) ? (uint8_t)robot->revisions->revision : 0;
}

/* The start of a single command. */
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
        return ROBO_AT_ONCE;
    if (kind < 0.8)
        return now - robo__about(r, 500 * MS);
    return now + robo__about(r, 400 * MS);
}

static void act_command(struct robo__run_user *u)
{
    struct robo__visit *v = robo__visit_any(u);
    struct robo_cmd cmd[PACKAGE_MOST];
    unsigned n = robo__chance(&u->random, 0.85) ? 1 : 1 + robo__pick(&u->random, PACKAGE_MOST);
    if (!v || v->pure || !may_send(u, n))
        return;
    for (unsigned i = 0; i < n; i++) {
        draw(u, v, &cmd[i]);
        cmd[i].start = draw_start(u);
    }
    send(u, v, cmd, n, false);
}

static void act_stop(struct robo__run_user *u)
{
    struct robo__visit *v = robo__visit_any(u);
    if (!v || !may_send(u, 1))
        return;
    struct robo_cmd cmd = { .op = ROBO_STOP, .start = ROBO_AT_ONCE };
    cmd.start = v->pure || robo__chance(&u->random, 0.7) ? ROBO_AT_ONCE : draw_start(u);
    const robo_robot *robot = u->run->robot[v->robot].robot;
    cmd.revision = robot ? (uint8_t)robot->revisions->revision : 0;
    send(u, v, &cmd, 1, false);
}

/* The next frames of a sequence. */
static void act_frames(struct robo__run_user *u)
{
    struct robo__visit *v = robo__visit_any(u);
    unsigned frames = 1 + robo__pick(&u->random, 6);
    for (unsigned i = 0; v && v->playing && i < frames; i++) {
        struct robo_cmd cmd[3];
        unsigned n = 1 + robo__pick(&u->random, 3);
        if (!may_send(u, n))
            return;
        if (v->frame == v->frames) {
            v->playing = false;
            ROBO__NOTE(u->run, "user %u: no frame follows in visit %u", u->number,
                       robo__visit_number(u->run, v));
            robo_request(u->client, (robo_session_id){ v->number }, ROBO_Q_FINISH, NULL);
            return;
        }
        for (unsigned k = 0; k < n; k++) {
            draw(u, v, &cmd[k]);
            cmd[k].start = v->origin + (robo_time)v->frame * v->spacing;
        }
        v->frame++;
        send(u, v, cmd, n, true);
    }
}

void robo__deed_open(struct robo__run_user *u)
{
    if (may_send(u, 0) && u->client->state == ROBO__UP)
        robo__visit_ask(u);
}

static void act_end(struct robo__run_user *u)
{
    struct robo__visit *v = robo__visit_any(u);
    if (!v)
        return;
    ROBO__NOTE(u->run, "user %u: closes visit %u", u->number, robo__visit_number(u->run, v));
    robo_session_end(u->client, (robo_session_id){ v->number });
}

static void act_cancel(struct robo__run_user *u)
{
    struct robo__visit *v = robo__visit_any(u);
    if (!v)
        return;
    struct robo_request_cancel ask = { 0 };
    if (robo__chance(&u->random, 0.5) && u->client->last_id)
        ask.command = u->client->last_id - robo__pick(&u->random, 5);
    ROBO__NOTE(u->run, "user %u: cancels %u in visit %u", u->number, ask.command,
               robo__visit_number(u->run, v));
    robo_request(u->client, (robo_session_id){ v->number }, ROBO_Q_CANCEL, &ask);
}

static void act_finish(struct robo__run_user *u)
{
    struct robo__visit *v = robo__visit_any(u);
    if (v)
        robo_request(u->client, (robo_session_id){ v->number }, ROBO_Q_FINISH, NULL);
}

static void act_ask(struct robo__run_user *u)
{
    static const enum robo_query queries[] = { ROBO_Q_STATE, ROBO_Q_STATUS, ROBO_Q_DESCRIBE,
                                               ROBO_Q_BROADCAST, ROBO_Q_JOINT };
    struct robo__visit *v = robo__visit_any(u);
    union {
        struct robo_request_broadcast broadcast;
        struct robo_request_joint joint;
    } ask = { 0 };
    if (!v)
        return;
    enum robo_query query = queries[robo__pick(&u->random, sizeof queries / sizeof queries[0])];
    if (query == ROBO_Q_BROADCAST)
        ask.broadcast.period = (robo_time)(robo__spread(&u->random, 0.02, 1) * 1e9);
    robo_request(u->client, (robo_session_id){ v->number }, query, &ask);
}

static void act_panic(struct robo__run_user *u)
{
    struct robo__visit *v = robo__chance(&u->random, 0.9) ? robo__visit_any(u) : NULL;
    if (!u->client->stream.up)
        return;
    ROBO__NOTE(u->run, "user %u: panic in visit %d", u->number, v ? (int)(v - u->run->visit) : -1);
    robo_client_panic(u->client, (robo_session_id){ v ? v->number : 0 });
}

static void act_reset(struct robo__run_user *u)
{
    struct robo__visit *v = robo__chance(&u->random, 0.97) ? robo__visit_any(u) : NULL;
    if (!u->client->stream.up)
        return;
    ROBO__NOTE(u->run, "user %u: reset in visit %d", u->number, v ? (int)(v - u->run->visit) : -1);
    robo_client_reset(u->client, (robo_session_id){ v ? v->number : 0 });
}

static void swallow(struct robo__loopback *loopback, const uint8_t *bytes, size_t n, robo_time now)
{
    (void)loopback, (void)bytes, (void)n, (void)now;
}

static void forget(struct robo__loopback *loopback)
{
    (void)loopback;
}

/* The link is lost on the client's side. In half of the cases the server does not notice: it keeps a connection on
 * which nothing arrives any more. */
static void act_lose(struct robo__run_user *u)
{
    struct robo__stream *s = &u->client->stream;
    if (!s->up || !s->end.loopback || s->end.loopback->busy)
        return;
    struct robo__line *line = robo__tap_line(u->run, s->end.loopback);
    bool ghost = line && robo__chance(&u->random, 0.5);
    ROBO__NOTE(u->run, "user %u: the link is lost%s", u->number,
               ghost ? ", unknown to the server" : "");
    if (ghost) {
        line->ghost = true;
        s->end.loopback->cut = true;
        s->end.loopback->deliver = swallow;
        s->end.loopback->lost = forget;
        s->end.loopback->sent = NULL;
        s->end.loopback = NULL;
        s->end.transport = NULL;
    }
    uint32_t before = u->losses;
    robo__stream_close(s);
    s->lost(s, ROBO_ELINK, "the link was dropped", robo_now(u->run->world));
    robo__answer_lost(u->run, u, u->losses - before);
}

/* From now on bytes vanish without notice, until the link is lost. */
static void act_cut(struct robo__run_user *u)
{
    struct robo__stream *s = &u->client->stream;
    if (!s->up || !s->end.loopback)
        return;
    if (s->end.loopback->cut) {
        act_lose(u);
        return;
    }
    ROBO__NOTE(u->run, "user %u: the link is cut", u->number);
    s->end.loopback->cut = true;
}

/* Sends a panic header with only a magic and the flag; what follows such a header is undefined. */
static void act_shout(struct robo__run_user *u)
{
    struct robo__loopback *loopback = u->client->stream.up ? u->client->stream.end.loopback : NULL;
    struct robo__visit *v = robo__chance(&u->random, 0.5) ? robo__visit_any(u) : NULL;
    uint8_t header[ROBO_HEADER_SIZE];
    if (!loopback)
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
    robo__loopback_send(loopback, header, sizeof header);
}

/* Sets the client's clock, or makes it wrong from now on. */
static void act_clock(struct robo__run_user *u)
{
    struct robo__line *line = robo__tap_line(u->run, u->client->stream.end.loopback);
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

bool robo__deed_slows(struct robo__run_user *u)
{
    struct robo__random *r = &u->random;
    if (u->run->slow <= 0 || !robo__chance(r, u->run->slow))
        return false;
    const struct robo__visit *v = robo__visit_any(u);
    const double share[] = { 0, 1, robo__spread(r, 0.01, 1) };
    const struct robo_request_override ask = { share[robo__pick(r, 3)] };
    if (!v)
        return false;
    ROBO__NOTE(u->run, "user %u: sets the override %.6f in visit %u", u->number, ask.share,
               robo__visit_number(u->run, v));
    robo_request(u->client, (robo_session_id){ v->number }, ROBO_Q_OVERRIDE, &ask);
    return true;
}

/* Another client resumes those that are latched, who may if the stop was its own, or if it operates. */
static bool helps(struct robo__run_user *u)
{
    struct robo__random *r = &u->aside;
    struct robo__run *run = u->run;
    const struct robo__visit *v = robo__chance(r, run->helps) ? robo__visit_any(u) : NULL;
    const struct robo__latched *latch =
        v ? &run->robot[v->robot].latch[robo__pick(r, run->users)] : NULL;
    if (!latch || !latch->stop)
        return false;
    const struct robo_request_resume ask = { .stop = latch->stop,
                                             .scope = (uint8_t)(1 + robo__pick(r, 2)),
                                             .client = latch->party.number };
    ROBO__NOTE(run, "user %u: resumes for others after stop %u, scope %u", u->number, ask.stop,
               ask.scope);
    robo_request(u->client, (robo_session_id){ v->number }, ROBO_Q_RESUME, &ask);
    return true;
}

bool robo__deed_resumes(struct robo__run_user *u)
{
    struct robo__random *r = &u->random;
    for (unsigned i = 0; i < u->run->robots; i++) {
        const uint32_t stop = u->run->robot[i].latch[u->number].stop;
        const struct robo__visit *v =
            stop && robo__chance(r, u->run->resumes) ? robo__visit_any(u) : NULL;
        if (!v || v->robot != i)
            continue;
        const struct robo_request_resume ask = { .stop = stop - robo__chance(r, 0.2),
                                                 .scope = robo__chance(r, 0.2) };
        ROBO__NOTE(u->run, "user %u: resumes after stop %u in visit %u, scope %u", u->number,
                   ask.stop, robo__visit_number(u->run, v), ask.scope);
        robo_request(u->client, (robo_session_id){ v->number }, ROBO_Q_RESUME, &ask);
        return true;
    }
    return helps(u);
}

static void act_die(struct robo__run_user *u)
{
    robo__user_die(u);
}

static const struct {
    double weight;
    void (*act)(struct robo__run_user *);
} DEEDS[ROBO__RUN_DEEDS] = {
    { 50, act_command }, { 40, act_frames }, { 4, robo__deed_open }, { 1.5, act_end },
    { 2, act_cancel },   { 1, act_finish },  { 4, act_ask },         { 5, act_stop },
    { 1.5, act_panic },  { 3, act_reset },   { 0.7, act_lose },      { 0.7, act_cut },
    { 0.5, act_die },    { 0.5, act_clock }, { 0.2, act_shout },
};

void robo__deed_do(struct robo__run_user *u)
{
    double weight[ROBO__RUN_DEEDS];
    for (size_t i = 0; i < ROBO__RUN_DEEDS; i++)
        weight[i] = DEEDS[i].weight * u->run->spice[i];
    DEEDS[robo__weighted(&u->random, weight, ROBO__RUN_DEEDS)].act(u);
}
