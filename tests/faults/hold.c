/* Judges who has the leases of robots, where users drive apart. What the core says of that is looked at after each package,
 * before each begin and now and then, and each change is held against what users have asked for and given. */
#include <math.h>
#include <string.h>

#include "robot/robot.h"
#include "robotalk/server_session.h"
#include "run.h"

/* Speed of an axis at rest, m/s or rad/s: a stop ends with what rounding leaves. */
static const double REST = 1e-6;

static const struct robo__party NOBODY = { 0, UINT32_MAX };

static unsigned core_axis(unsigned axis)
{
    return axis == ROBO__RUN_BASE ? ROBO__BASE_AXIS : axis;
}

/* The axes of a robot that are judged, in order; ROBO__RUN_AXES: there is no other. */
static unsigned axis_from(const robo_robot *robot, unsigned axis)
{
    return axis < robot->description->dofs || axis > ROBO__RUN_BASE ? axis : ROBO__RUN_BASE;
}

#define EACH_AXIS(robot, i)           \
    unsigned i = axis_from(robot, 0); \
    i < ROBO__RUN_AXES;               \
    i = axis_from(robot, i + 1)

static bool has(const struct robo__resources *resources, unsigned axis)
{
    return axis == ROBO__RUN_BASE ? resources->base : robo__dof_set_has(&resources->dofs, axis);
}

bool robo__hold_is(const struct robo__run *run, unsigned user, struct robo__party party)
{
    for (unsigned i = 0; i < run->visits; i++)
        if (run->visit[i].user == user && robo__party_is(run->visit[i].party, party))
            return true;
    return false;
}

static const struct robo__holder *holder_of(const robo_robot *robot, struct robo__party party)
{
    const struct robo__holder *h = robot->clients.first;
    while (h && !(h->sessions > 0 && robo__party_is(h->client, party)))
        h = h->next;
    return h;
}

/* ---- how leases change hands ---- */

/* Whether that user has got it from its holder, by a gift or by asking in vain. */
static bool has_got(const struct robo__tenure *t, unsigned user, robo_time lease, robo_time now)
{
    const robo_time since = t->asked[user] > t->since ? t->asked[user] : t->since;
    return t->heirs >> user & 1 || (t->asked[user] && now - since >= lease);
}

/* Whether a client may have a lease that another has had; also from a latched client between, which keeps nobody out. */
static bool may_have(const struct robo__run *run, const robo_robot *robot,
                     const struct robo__tenure *t, struct robo__party party, robo_time now)
{
    const robo_time lease = robo__lease_time(&robot->clients);
    const struct robo__holder *holder = holder_of(robot, t->holder);
    if (t->released || !holder || holder->latch.number != 0 || now - t->used >= lease)
        return true;
    for (unsigned i = 0; i < run->users; i++) {
        if (!has_got(t, i, lease, now))
            continue;
        bool may = robo__hold_is(run, i, party);
        for (const struct robo__holder *h = robot->clients.first; h; h = h->next)
            may |= h->latch.number != 0 && robo__hold_is(run, i, h->client);
        if (may)
            return true;
    }
    return false;
}

/* Sessions of a client that has lost an axis do not know it yet. */
static void lost(struct robo__run *run, unsigned robot, unsigned axis, struct robo__party party)
{
    for (unsigned i = 0; i < run->visits; i++) {
        struct robo__visit *v = &run->visit[i];
        if (v->robot == robot && !v->closed && robo__party_is(v->party, party))
            v->unaware[axis] = v->counted + 1;
    }
}

static void changed(struct robo__run *run, unsigned robot, unsigned axis, struct robo__party to,
                    robo_time now)
{
    const robo_robot *body = run->robot[robot].robot;
    struct robo__tenure *t = &run->robot[robot].axis[axis];
    const struct robo__holder *before = holder_of(body, t->holder);
    const bool to_other = !robo__party_is(to, NOBODY);
    if (before && to_other && !may_have(run, body, t, to, now))
        robo__run_find(run, ROBO__GRABBED, "robot %u: axis %u is another's %.6f s after its use",
                       robot, axis, robo__seconds(now - t->used));
    if (before && !to_other && !t->released && before->losses == t->losses)
        robo__run_find(run, ROBO__GRABBED, "robot %u: axis %u is nobody's", robot, axis);
    if (before && to_other && !t->released && before->losses == t->losses)
        robo__run_find(run, ROBO__LOSS_UNTOLD, "robot %u: the loss of axis %u is not counted",
                       robot, axis);
    if (before && to_other && !t->released)
        lost(run, robot, axis, t->holder);
    ROBO__NOTE(run, "robot %u: axis %u is of client %u, %u", robot, axis, (unsigned)to.key,
               to.number);
    t->holder = to;
    t->since = t->used = run->robot[robot].looked; /* at that moment or later */
    t->seen = now;
    t->released = false;
    t->heirs = 0;
}

/* Whether something moves there by a command of who has its lease. */
static bool is_used(const robo_robot *robot, unsigned axis)
{
    const struct robo__holder *holder = robot->axes.row[axis].lease.holder;
    const uint16_t ticket = robot->axes.row[axis].ticket;
    const struct robo__mover *by = ticket ? robot->axes.ticket[ticket - 1].mover : NULL,
                             *lasts = robot->axes.row[axis].lasting.now.mover;
    return (by && by->holder == holder) || (lasts && lasts->holder == holder);
}

bool robo__hold_elsewhere(struct robo__run *run, const struct robo__visit *v, robo_time now)
{
    const struct robo__run_robot *r = &run->robot[v->robot];
    for (EACH_AXIS(r->robot, i)) {
        const struct robo__tenure *t = &r->axis[i];
        const struct robo__holder *h = holder_of(r->robot, t->holder);
        if (run->apart && h && h->latch.number == 0 && !robo__party_is(t->holder, v->party) &&
            now - t->used < robo__lease_time(&r->robot->clients))
            return true;
    }
    return false;
}

void robo__hold_met(struct robo__run *run, const struct robo__visit *v)
{
    const struct robo__run_user *u = &run->user[v->user];
    for (const struct robo__visit *w = run->visit; w < v; w++) {
        const bool same = w->user == v->user &&
                          (u->keyed ? !run->reruns || w->run == v->run : w->line == v->line);
        if (w->known && v->known && same != robo__party_is(w->party, v->party))
            robo__run_find(run, ROBO__MISTAKEN, "visits %u and %u are of %s client",
                           robo__visit_number(run, w), robo__visit_number(run, v),
                           same ? "one, not of the same" : "others, and of the same");
    }
}

/* Counts what sessions have been through so far. */
static void count(struct robo__run *run, unsigned robot)
{
    for (unsigned i = 0; i < run->visits; i++) {
        struct robo__visit *v = &run->visit[i];
        const struct robo__server_session *ss =
            v->robot == robot && !v->closed ? robo__tap_session(&run->line[v->line], v->wire)
                                            : NULL;
        if (!ss)
            continue;
        v->counted = robo__mover_stop_count(&ss->session->mover);
        v->losses = ss->session->mover.holder->losses;
    }
}

/* Losses are of dofs by their names: those of one that is gone are no losses of the one that has its number now. */
static void renumber_losses(struct robo__run *run, unsigned robot, const struct robo__revision *of)
{
    const struct robo__revision *old = of->older;
    if (!old)
        return;
    if (old != run->robot[robot].revision)
        renumber_losses(run, robot, old);
    for (unsigned i = 0; i < run->visits; i++) {
        uint32_t unaware[ROBO__RUN_BASE] = { 0 };
        if (run->visit[i].robot != robot)
            continue;
        for (unsigned k = 0; k < old->body->description.dofs && k < ROBO__RUN_BASE; k++)
            if (old->dof[k] < ROBO__RUN_BASE)
                unaware[old->dof[k]] = run->visit[i].unaware[k];
        memcpy(run->visit[i].unaware, unaware, sizeof unaware);
    }
}

/* The axes of another body are other ones; since when they are held is not known. */
static void begin_anew(struct robo__run *run, unsigned robot)
{
    struct robo__run_robot *r = &run->robot[robot];
    if (r->revision)
        renumber_losses(run, robot, r->robot->revisions);
    r->revision = r->robot->revisions;
    r->looked = -ROBO__HORIZON;
    for (unsigned i = 0; i < ROBO__RUN_AXES; i++)
        r->axis[i] = (struct robo__tenure){ .holder = NOBODY, .mover = NOBODY };
}

void robo__hold_look(struct robo__run *run, unsigned robot, robo_time now)
{
    struct robo__run_robot *r = &run->robot[robot];
    if (!run->apart || !r->robot)
        return;
    if (r->revision != r->robot->revisions)
        begin_anew(run, robot);
    for (EACH_AXIS(r->robot, i)) {
        struct robo__tenure *t = &r->axis[i];
        const struct robo__holder *holder = r->robot->axes.row[core_axis(i)].lease.holder;
        const struct robo__party party = holder ? holder->client : NOBODY;
        if (!robo__party_is(party, t->holder))
            changed(run, robot, i, party, now);
        if (holder)
            t->losses = holder->losses;
        if (holder && is_used(r->robot, core_axis(i)))
            t->used = now;
    }
    r->looked = now;
    count(run, robot);
}

/* ---- what is asked for ---- */

/* The axes that a client names. */
static struct robo__resources named(const robo_robot *robot, uint8_t base, uint8_t bytes,
                                    const uint8_t *mask)
{
    struct robo__resources axes;
    struct robo_stop what = { .base = base, .bytes = bytes };
    memcpy(what.mask, mask, sizeof what.mask);
    robo__resources_nothing(&axes, robot->description->dofs);
    if (!robo__resources_axes(robot->description, robot->port.model, &what, &axes))
        robo__resources_nothing(&axes, robot->description->dofs);
    return axes;
}

static void takes(struct robo__run *run, const struct robo__visit *v,
                  const struct robo_request_take *what, robo_time now)
{
    struct robo__run_robot *r = &run->robot[v->robot];
    const struct robo__resources axes = named(r->robot, what->base, what->bytes, what->mask);
    for (EACH_AXIS(r->robot, i)) {
        struct robo__tenure *t = &r->axis[i];
        if (robo__party_is(t->holder, v->party))
            t->seen = now; /* however old it is */
        if (!has(&axes, i))
            continue;
        const enum robo_role role = run->user[v->user].role;
        if (what->force && run->force && role >= ROBO_ROLE_OPERATE)
            t->heirs |= (uint8_t)(1u << v->user);
        else if (!what->force && role >= ROBO_ROLE_DRIVE && t->asked[v->user] == 0)
            t->asked[v->user] = now;
    }
}

static void releases(struct robo__run *run, const struct robo__visit *v,
                     const struct robo_request_release *what)
{
    struct robo__run_robot *r = &run->robot[v->robot];
    const struct robo__resources axes = named(r->robot, what->base, what->bytes, what->mask);
    for (EACH_AXIS(r->robot, i)) {
        struct robo__tenure *t = &r->axis[i];
        if (!has(&axes, i))
            continue;
        t->released |= !what->asked && robo__party_is(t->holder, v->party);
    }
}

/* Whether a user asks by another client, too: a refusal is for one of them. */
static bool asks_besides(const struct robo__run *run, const robo_robot *robot, unsigned user,
                         const struct robo__holder *refused)
{
    const struct robo__holder *h = robot->clients.first;
    while (h && (h == refused || !h->ask.on || !robo__hold_is(run, user, h->client)))
        h = h->next;
    return h;
}

static void gives(struct robo__run *run, const struct robo__visit *v,
                  const struct robo_request_give *what, robo_time now)
{
    struct robo__run_robot *r = &run->robot[v->robot];
    const struct robo__holder *to = r->robot->clients.first;
    while (to && to->client.number != what->holder)
        to = to->next;
    for (unsigned user = 0; to && user < run->users; user++) {
        if (!robo__hold_is(run, user, to->client))
            continue;
        for (EACH_AXIS(r->robot, i)) {
            struct robo__tenure *t = &r->axis[i];
            if (what->give && t->asked[user])
                t->heirs |= (uint8_t)(1u << user);
            /* at the same instant its silence may have been a yes */
            else if (robo__party_is(t->holder, v->party) &&
                     !asks_besides(run, r->robot, user, to) &&
                     now - t->asked[user] < robo__lease_time(&r->robot->clients))
                t->asked[user] = 0;
        }
    }
}

void robo__hold_asked(struct robo__run *run, const struct robo__visit *v,
                      const struct robo_entry *entry, const uint8_t *body, robo_time now)
{
    union {
        struct robo_request_take take;
        struct robo_request_release release;
        struct robo_request_give give;
    } what = { 0 };
    const struct robo_operation *op = robo_operation_find(robo__queries, entry->op);
    const bool lease =
        entry->op == ROBO_Q_TAKE || entry->op == ROBO_Q_RELEASE || entry->op == ROBO_Q_GIVE;
    if (!run->apart || !lease || !robo__ledger_is_open(run, v) ||
        robo_message_decode_body(op->request, body, entry->size, &what, NULL) < 0)
        return;
    if (entry->op == ROBO_Q_TAKE)
        takes(run, v, &what.take, now);
    else if (entry->op == ROBO_Q_RELEASE)
        releases(run, v, &what.release);
    else
        gives(run, v, &what.give, now);
}

/* ---- what moves ---- */

static double speed_of(const struct robo_state *s, unsigned axis)
{
    if (axis == ROBO__RUN_BASE)
        return fmax(fmax(fabs(s->twist[0]), fabs(s->twist[1])), fabs(s->spin[2]));
    return axis < s->dofs ? fabs(s->speed[axis]) : 0;
}

void robo__hold_begins(struct robo__run *run, const struct robo__errand *e,
                       const struct robo__resources *axes, const struct robo_state *state,
                       robo_time now)
{
    const struct robo__visit *v = &run->visit[e->visit];
    struct robo__run_robot *r = &run->robot[v->robot];
    if (!run->apart || !r->robot || e->op == ROBO_STOP)
        return;
    robo__hold_look(run, v->robot, now);
    for (EACH_AXIS(r->robot, i)) {
        struct robo__tenure *t = &r->axis[i];
        if (!has(axes, i))
            continue;
        if (!robo__party_is(t->holder, v->party))
            robo__run_find(run, ROBO__USURPED, "%s %u moves axis %u of robot %u, which is %s",
                           robo_op_name(e->op), e->id, i, v->robot,
                           robo__party_is(t->holder, NOBODY) ? "nobody's" : "another's");
        if (e->stops < v->unaware[i])
            robo__run_find(
                run, ROBO__LOSS_SURVIVED,
                "%s %u moves axis %u; its sender had been told of %u stops and losses, not "
                "of number %u",
                robo_op_name(e->op), e->id, i, e->stops, v->unaware[i]);
        const bool others =
            !robo__party_is(t->mover, NOBODY) && !robo__party_is(t->mover, v->party);
        if (others && state && speed_of(state, i) > REST)
            robo__run_find(
                run, ROBO__UNRESTED,
                "%s %u begins to move axis %u, which another has moved, at a speed of %.9g",
                robo_op_name(e->op), e->id, i, speed_of(state, i));
        t->mover = v->party;
        t->used = now;
    }
}

void robo__hold_moves(struct robo__run *run, unsigned robot, const struct robo__resources *axes)
{
    struct robo__run_robot *r = &run->robot[robot];
    if (!run->apart || !r->robot)
        return;
    for (EACH_AXIS(r->robot, i)) {
        const unsigned axis = core_axis(i);
        const uint16_t ticket = r->robot->axes.row[axis].ticket;
        const struct robo__mover *by = ticket ? r->robot->axes.ticket[ticket - 1].mover
                                              : r->robot->axes.row[axis].lasting.now.mover;
        if (has(axes, i))
            r->axis[i].mover = by ? by->holder->client : NOBODY;
    }
}

/* ---- how long ---- */

/* When that client of a robot has given a sign of life for the last time, or might have, or was given a lease. */
static robo_time last_sign(const struct robo__run *run, unsigned robot, struct robo__party party)
{
    robo_time latest = run->woke;
    bool any = false;
    for (unsigned i = 0; i < ROBO__RUN_AXES; i++) {
        const struct robo__tenure *t = &run->robot[robot].axis[i];
        if (robo__party_is(t->holder, party) && t->seen > latest)
            latest = t->seen;
    }
    for (unsigned i = 0; i < run->visits; i++) {
        const struct robo__visit *v = &run->visit[i];
        if (v->robot != robot || !robo__party_is(v->party, party))
            continue;
        /* what begins renews leases, as a stop does that comes late, which is no sign of life */
        const robo_time silent = robo__look_silent(v), till = silent > v->begun ? silent : v->begun;
        latest = till > latest ? till : latest;
        any = true;
    }
    return any ? latest : ROBO__MOST_TIME; /* it does not know yet that it has a session */
}

void robo__hold_check(struct robo__run *run, unsigned robot, robo_time now)
{
    const struct robo__run_robot *r = &run->robot[robot];
    struct robo__leased one;
    if (!run->apart || !r->robot || !r->robot->movers.first)
        return;
    robo__hold_look(run, robot, now);
    const robo_time lease = robo__lease_time(&r->robot->clients) + (robo_time)(r->brake * 1e9);
    for (const struct robo__holder *h = r->robot->clients.first; h; h = h->next) {
        if (!robo__lease_look(&r->robot->axes, h, now, &one))
            continue;
        const robo_time sign = last_sign(run, robot, h->client);
        if (sign < ROBO__MOST_TIME && now - sign > lease)
            robo__run_find(run, ROBO__HELD_ON,
                           "robot %u: client %u has leases %.3f s after its last sign of life",
                           robot, one.last.holder, robo__seconds(now - sign));
    }
}

void robo__hold_left(struct robo__run *run, unsigned robot)
{
    const robo_robot *body = run->robot[robot].robot;
    unsigned held = 0;
    for (ROBO__EACH_AXIS(&body->axes, i))
        held += body->axes.row[i].lease.holder != NULL;
    bool there = false;
    for (const struct robo__holder *h = body->clients.first; h; h = h->next)
        there |= h->sessions > 0;
    if (there || held)
        robo__run_find(run, ROBO__HELD_ON,
                       "robot %u: %u axes have holders, and nobody is connected", robot, held);
}

/* ---- what is told ---- */

void robo__hold_stopped(struct robo__run *run, struct robo__visit *v)
{
    const struct robo__server_session *ss =
        v->closed ? NULL : robo__tap_session(&run->line[v->line], v->wire);
    const uint32_t swept =
        ss ? ss->session->mover.robot->movers.stops - ss->session->mover.own_stops : 0;
    if (!ss || swept == v->swept)
        return;
    v->swept = swept;
    v->newest_stop = robo__mover_stop_count(&ss->session->mover);
}

void robo__hold_told(struct robo__run *run, struct robo__visit *v)
{
    const struct robo__server_session *ss =
        v->closed ? NULL : robo__tap_session(&run->line[v->line], v->wire);
    if (ss)
        v->losses_told = ss->losses;
}
