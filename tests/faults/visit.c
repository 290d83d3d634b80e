/* Sessions of clients. */
#include <string.h>

#include "robot/robot.h"
#include "robotalk/client_internal.h"
#include "robotalk/server_session.h"
#include "run.h"
#include "base/time.h"
#include "robotalk/session.h"

static const robo_time SECOND = 1000000000;
static const robo_time LIE = ROBO__MOST_TIME - ROBO__HORIZON; /* no instant is further away */

static const char *const MODES[] = { "direct", "delay", "playback", "broadcast" };
static const char *const NAMES[] = { "r0", "r1", "r2" };

unsigned robo__visit_number(const struct robo__run *run, const struct robo__visit *visit)
{
    return (unsigned)(visit - run->visit);
}

void robo__visit_ask(struct robo__run_user *u)
{
    struct robo__random *r = &u->random;
    static const double likely[] = { 5, 2, 2, 1 };
    const char *mode = MODES[robo__weighted(r, likely, 4)];
    struct robo_session_options o = { .size = sizeof o, .mode = mode };
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
    robo_id id;
    int64_t number = robo_session_begin(u->client, &o, &id).value;
    ROBO__NOTE(u->run, "user %u: opens session %d with %s in %s mode", u->number, (int)number,
               o.robot, o.mode);
}

void robo__visit_begin(struct robo__run_user *u, uint32_t id, const struct robo_reply_open *a)
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
                               .run = u->clients,
                               .number = s->number,
                               .wire = a->session,
                               .expiry = a->expiry,
                               .deadman = a->deadman,
                               .gap = a->gap,
                               .epoch = a->epoch,
                               .stops = a->stops,
                               .stopped = robo__tap_stops(&run->line[u->line], a->session),
                               .heard = robo_now(run->world) };
    v->newest_stop = v->counted = v->knows = a->stops;
    const struct robo__server_session *ss = robo__tap_session(&run->line[u->line], a->session);
    if (run->apart && ss) {
        v->party = ss->session->mover.holder->client;
        v->known = true;
        robo__hold_met(run, v);
        v->losses = v->losses_told = ss->losses;
        v->swept = ss->session->mover.robot->movers.stops - ss->session->mover.own_stops;
    } else if (run->apart) { /* it has closed already */
        v->party = (struct robo__party){ 0, UINT32_MAX - 1 };
    }
    unsigned at = id % ROBO__RUN_OPENINGS;
    v->life = u->opening[at].id == id ? u->opening[at].life[v->robot] : run->robot[v->robot].life;
    v->closed = v->life != run->robot[v->robot].life || !run->robot[v->robot].robot;
    v->closed_at = robo_now(run->world);
    robo__judge_opened(run, v);
    v->plays = strcmp(s->request.mode, "playback") == 0;
    v->buffered = v->plays || strcmp(s->request.mode, "delay") == 0;
    if (v->buffered) {
        struct robo__random *r = &u->random;
        v->playing = true;
        v->pure = v->plays && robo__chance(r, 0.5);
        v->spacing = (robo_time)(robo__spread(r, 0.01, 0.3) * 1e9);
        v->frames = s->request.duration > 0 ? (uint32_t)(s->request.duration / v->spacing) + 1
                                            : 1 + robo__pick(r, 60);
        v->origin = robo_now(run->world) + robo__about(r, SECOND / 5);
        if (v->plays) { /* whatever clock */
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

struct robo__visit *robo__visit_any(struct robo__run_user *u)
{
    struct robo__run *run = u->run;
    struct robo__visit *found = NULL;
    unsigned n = 0;
    for (unsigned i = 0; i < run->visits; i++) {
        struct robo__visit *v = &run->visit[i];
        if (v->user != u->number || v->line != u->line)
            continue;
        const struct robo__client_session *s = robo__client_session_find(u->client, v->number);
        if (s && s->open && s->wire == v->wire && robo__pick(&u->random, ++n) == 0)
            found = v;
    }
    return found;
}
