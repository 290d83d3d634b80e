/* Clients, as an adversary would have them. What each does and when follows from its own stream of chance alone, as far
 * as that is possible, so that a change elsewhere does not change its life. */
#include <string.h>

#include "robotalk/client.h"
#include "run.h"
#include "base/time.h"
#include "robot/world/inside.h"

static const robo_time MS = 1000000;

static struct robo__run_user *user_of(struct robo__timer *timer)
{
    return robo__container_of(timer, struct robo__run_user, act);
}

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
    const uint32_t value = (uint32_t)e->id.value;
    ROBO__NOTE(run, "user %u: notice %s of session %u, %u", u->number,
               robo_operation_find(robo__notices, e->op)->name, (uint32_t)e->session.value, value);
    for (unsigned i = run->visits; i-- > 0;) {
        struct robo__visit *v = &run->visit[i];
        if (v->user != u->number || v->number != e->session.value || v->line != u->line)
            continue;
        if (e->op == ROBO_N_LOST)
            robo__hold_told(run, v);
        if (e->op == ROBO_N_ASKED)
            robo__ask_hears(u, v, value);
        robo__answer_notice(run, (uint16_t)i, e->op, value);
        return;
    }
}

static void hear_reply(struct robo__run_user *u, const struct robo_event *e)
{
    union {
        struct robo_reply_open open;
        struct robo_state state;
        struct robo_reply_status status;
        struct robo_reply_describe describe;
        struct robo_reply_cancel cancel;
        struct robo_joint joint;
        struct robo_reply_take take;
    } a;
    memset(&a, 0, sizeof a);
    int got = robo_take_reply(u->client, e->id, &a, sizeof a);
    if (got == 1 && e->op == ROBO_Q_OPEN)
        robo__visit_begin(u, (uint32_t)e->id.value, &a.open);
    else if (got < 0)
        ROBO__NOTE(u->run, "user %u: query %s: %s", u->number,
                   robo_operation_find(robo__queries, e->op)->name, robo_strerror(got));
}

static void listen(struct robo__run_user *u)
{
    struct robo_event e;
    struct robo_result result;
    while (u->client && robo_next_event(u->client, &e, sizeof e)) {
        switch (e.kind) {
        case ROBO_EVENT_RESULT:
            if (robo_take(u->client, e.id, &result, sizeof result) == 1)
                robo__answer_to_client(u->run, u, &result);
            else
                robo__run_find(u->run, ROBO__TWO_ANSWERS, "command %u was answered again",
                               (uint32_t)e.id.value);
            break;
        case ROBO_EVENT_REPLY: hear_reply(u, &e); break;
        case ROBO_EVENT_NOTICE: hear_notice(u, &e); break;
        default:
            ROBO__NOTE(u->run, "user %u: link %s", u->number, e.op ? "down" : "up");
            u->losses += e.op != 0;
            break;
        }
    }
}

/* ---- life ---- */

/* Mostly ideal or fair, now and then bad in every way at once. */
static void draw_channel(struct robo__random *r, struct robo_channel *c)
{
    *c = (struct robo_channel){ 0 };
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

static void on_notify(void *owner, robo_client *client)
{
    (void)client;
    listen(owner);
}

/* Of its present client; 0: its connections are clients of their own. Keys whose upper halves differ are of different programs. */
static uint64_t key_of(const struct robo__run_user *u)
{
    if (!u->run->apart || !u->keyed)
        return 0;
    return u->run->reruns ? (uint64_t)(1 + u->number) << 32 | u->clients : 1u + u->number;
}

static void connect(struct robo__run_user *u)
{
    struct robo__run *run = u->run;
    struct robo__client_setup options = { .host = &run->host,
                                          .channel = &u->channel,
                                          .protocol = &run->tap,
                                          .reconnect = robo__chance(&u->random, 0.8),
                                          .role = u->role,
                                          .apart = run->apart && !u->keyed,
                                          .key = key_of(u),
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
    u->first_id =
        place == 0 && robo__chance(&u->random, 0.02) ? UINT32_MAX - 40 : place * ROBO__RUN_IDS;
    u->client->last_id = u->first_id + 64;
    ROBO__NOTE(run, "user %u: client %u", u->number, u->clients);
}

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
    if (any && !robo__ask_something(u) && !robo__deed_slows(u) && !robo__deed_resumes(u))
        robo__deed_do(u);
    else if (any)
        return;
    else
        robo__deed_open(u);
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
    u->packages = u->losses = 0;
    memset(u->package, 0, sizeof u->package);
    u->random = robo__random_fork(&run->random, 100 + number);
    struct robo__random apart = robo__random_fork(&u->random, 1);
    u->keyed = robo__chance(&apart, 0.5);
    u->role = run->ranks ? ROBO_ROLE_WATCH + robo__pick(&apart, 3) : ROBO_ROLE_OPERATE;
    u->aside = robo__random_fork(&u->random, 2);
    u->answer.visit = NULL;
    u->pace = (robo_time)(robo__spread(&u->random, 0.01, 0.2) * 1e9);
    draw_channel(&u->random, &u->channel);
    const struct robo_channel *c = &u->channel;
    ROBO__NOTE(
        run,
        "user %u: role %u, acts every %.3f s; latency %.4f s, jitter %.4f s, %.0f B/s, loss %.2f comes again after "
        "%.3f s, duplicate %.2f, reorder %.2f, split %.2f, stall %.3f to %.3f s",
        number, u->role, (double)u->pace * 1e-9, (double)c->latency * 1e-9,
        (double)c->jitter * 1e-9, c->rate, c->loss, (double)c->again * 1e-9, c->duplicate,
        c->reorder, c->split, (double)c->stall_least * 1e-9, (double)c->stall_most * 1e-9);
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
            robo_session_end(u->client, (robo_session_id){ u->client->session[i].number });
}

uint32_t robo__user_asks(const struct robo__run_user *u)
{
    for (size_t i = 0; u->client && i < u->client->cache.size; i++) {
        const struct robo__cached_answer *a = &u->client->cache.slot[i];
        if (a->id != 0 && a->query && !a->own && !a->done)
            return a->id;
    }
    return 0;
}
