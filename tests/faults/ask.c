/* What users do about leases, where they drive apart: they take, give, give back, and ask for no more. */
#include "robot/robot.h"
#include "robotalk/client.h"
#include "run.h"

/* Axes by chance: all, the base, some dofs. */
static void draw_axes(struct robo__run_user *u, const struct robo_description *d, uint8_t *base,
                      uint8_t *bytes, uint8_t *mask)
{
    struct robo__random *r = &u->random;
    if (robo__chance(r, 0.4))
        return;
    *base = robo__chance(r, 0.5);
    if (*base && robo__chance(r, 0.7))
        return;
    *bytes = (uint8_t)((d->dofs + 7) / 8);
    for (unsigned i = 0; i < d->dofs; i++)
        if (robo__chance(r, 0.5))
            mask[i / 8] |= (uint8_t)(1u << i % 8);
}

static void take(struct robo__run_user *u, const struct robo__visit *v,
                 const struct robo_description *d, uint8_t revision)
{
    struct robo_request_take ask = { .revision = revision };
    draw_axes(u, d, &ask.base, &ask.bytes, ask.mask);
    ask.force = robo__chance(&u->random, 0.3);
    ROBO__NOTE(u->run, "user %u: takes leases in visit %u%s", u->number,
               robo__visit_number(u->run, v), ask.force ? " by force" : "");
    robo_request(u->client, (robo_session_id){ v->number }, ROBO_Q_TAKE, &ask);
}

static void give_back(struct robo__run_user *u, const struct robo__visit *v,
                      const struct robo_description *d, uint8_t revision)
{
    struct robo_request_release ask = { .revision = revision };
    draw_axes(u, d, &ask.base, &ask.bytes, ask.mask);
    ask.asked = robo__chance(&u->random, 0.2);
    ROBO__NOTE(u->run, "user %u: gives back %s in visit %u", u->number,
               ask.asked ? "what it asks for" : "leases", robo__visit_number(u->run, v));
    robo_request(u->client, (robo_session_id){ v->number }, ROBO_Q_RELEASE, &ask);
}

/* Unless that session is over. */
static void answer(struct robo__run_user *u)
{
    const struct robo__visit *v = u->answer.visit;
    const struct robo_request_give ask = { .holder = u->answer.holder, .give = u->answer.give };
    const struct robo__client_session *s = robo__client_session_find(u->client, v->number);
    u->answer.visit = NULL;
    if (!s || !s->open || s->wire != v->wire || v->line != u->line)
        return;
    ROBO__NOTE(u->run, "user %u: %s client %u in visit %u", u->number,
               ask.give ? "gives leases to" : "refuses", ask.holder, robo__visit_number(u->run, v));
    robo_request(u->client, (robo_session_id){ v->number }, ROBO_Q_GIVE, &ask);
}

bool robo__ask_something(struct robo__run_user *u)
{
    struct robo__run *run = u->run;
    if (!run->apart)
        return false;
    if (u->answer.visit) {
        answer(u);
        return true;
    }
    if (!robo__chance(&u->random, run->greed))
        return false;
    const struct robo__visit *v = robo__visit_any(u);
    const robo_robot *robot = v ? run->robot[v->robot].robot : NULL;
    if (!robot)
        return false;
    const uint8_t revision = (uint8_t)robot->revisions->revision;
    if (robo__chance(&u->random, 0.7))
        take(u, v, described(robot), revision);
    else
        give_back(u, v, described(robot), revision);
    return true;
}

void robo__ask_hears(struct robo__run_user *u, const struct robo__visit *v, uint32_t holder)
{
    if (!u->run->apart || !robo__chance(&u->random, 0.6)) /* its silence is a yes */
        return;
    u->answer.visit = v;
    u->answer.holder = holder;
    u->answer.give = robo__chance(&u->random, 0.6);
}
