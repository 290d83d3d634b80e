/* The ledger of sent commands and their sessions. */
#include <math.h>
#include <stdlib.h>

#include "robotalk/client.h"
#include "run.h"
#include "base/time.h"

/* ---- commands ---- */

/* The slot of an id in the table, or the one where it would be. */
static uint16_t *place_of(struct robo__run *run, uint32_t id)
{
    uint32_t at = id * 2654435761u >> 18;
    while (run->place[at] && run->errand[run->place[at] - 1].id != id)
        at = (at + 1) % ROBO__RUN_PLACES;
    return &run->place[at];
}

struct robo__errand *robo__ledger_errand(struct robo__run *run, uint32_t id)
{
    uint16_t place = *place_of(run, id);
    return place ? &run->errand[place - 1] : NULL;
}

/* Rounded as on the wire, to millionths. */
static bool all_zero(const double *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (fabs(v[i]) >= 0.5e-6)
            return false;
    return true;
}

static bool is_move_rest(const struct robo_move *m)
{
    bool rest = m->parts & ROBO_MOVE_PLACE ? false : all_zero(m->base, 3);
    for (unsigned i = 0; i < m->dofs; i++)
        rest &= m->dof[i].servo == ROBO_SERVO_SPEED && all_zero(&m->dof[i].value, 1);
    for (unsigned i = 0; i < m->frames; i++)
        rest &= m->frame[i].servo == ROBO_SERVO_SPEED && all_zero(m->frame[i].value, 6);
    return rest && (m->parts & ROBO_MOVE_SPEED || m->dofs + m->frames > 0);
}

static bool is_rest(const struct robo_cmd *cmd)
{
    const union robo_cmd_body *b = &cmd->body;
    double joint[ROBO_JOINT_DOFS] = { 0 };
    switch (cmd->op) {
    case ROBO_STOP: return true;
    case ROBO_MOVE: return is_move_rest(b->move);
    case ROBO_SET_SPEED:
        return all_zero((double[]){ b->set_speed.x, b->set_speed.y, b->set_speed.theta }, 3);
    case ROBO_SET_JOINT_SPEED:
        for (unsigned i = 0; i < ROBO_JOINT_DOFS; i++)
            if (b->servo.mask >> i & 1)
                joint[i] = b->servo.value[i];
        return all_zero(joint, ROBO_JOINT_DOFS);
    case ROBO_SET_FRAME_SPEED: return all_zero(b->frame.linear, 3) && all_zero(b->frame.angular, 3);
    default: return false;
    }
}

/* How many stops and losses a session's library has been told of. */
static uint32_t knowledge(const struct robo__run *run, const struct robo__visit *v)
{
    const struct robo__client_session *s =
        run->user[v->user].client ? robo__client_session_find(run->user[v->user].client, v->number)
                                  : NULL;
    return s && s->open && s->wire == v->wire ? s->stops : v->stops;
}

void robo__ledger_sends(struct robo__run *run, uint16_t visit, const struct robo_cmd *cmd,
                        uint32_t id, bool frame)
{
    struct robo__visit *v = &run->visit[visit];
    robo_time offset, slack = 0;
    bool known = robo_clock_offset(run->user[v->user].client, &offset, &slack) == 0;
    if (known && !run->line[v->line].lying && llabs(offset) > slack + ROBO__ROUNDING)
        robo__run_find(run, ROBO__CLOCK_WRONG, "user %u has it off by %.6f s, within %.6f s",
                       v->user, robo__seconds(offset), robo__seconds(slack));
    *place_of(run, id) = (uint16_t)(run->errands + 1);
    run->errand[run->errands++] =
        (struct robo__errand){ .id = id,
                               .op = cmd->op,
                               .visit = visit,
                               .rest = is_rest(cmd),
                               .at_once = cmd->start == ROBO_AT_ONCE,
                               .frame = frame,
                               .unclear = run->line[v->line].lying,
                               .epoch = v->epoch,
                               .stops = run->apart ? knowledge(run, v) : v->stops,
                               .sent_turn = ++run->turn,
                               .sent = robo_now(run->world),
                               .start = cmd->start,
                               .slack = slack };
}

void robo__ledger_forgets(struct robo__run *run, unsigned count)
{
    while (count-- > 0) /* only the newest may be removed: nothing was added after it */
        *place_of(run, run->errand[--run->errands].id) = 0;
}

/* ---- sessions ---- */

struct robo__visit *robo__ledger_visit(struct robo__run *run, uint16_t line, uint32_t wire)
{
    for (unsigned i = run->visits; i-- > 0;)
        if (run->visit[i].line == line && run->visit[i].wire == wire)
            return &run->visit[i];
    return NULL;
}

bool robo__ledger_is_open(const struct robo__run *run, const struct robo__visit *v)
{
    return v && !v->closed && run->robot[v->robot].robot && run->robot[v->robot].life == v->life;
}

void robo__ledger_close(struct robo__visit *v, robo_time now)
{
    if (!v->closed)
        v->closed_at = now;
    v->closed = true;
}

void robo__ledger_line_gone(struct robo__run *run, uint16_t line, robo_time now)
{
    for (unsigned i = 0; i < run->visits; i++)
        if (run->visit[i].line == line)
            robo__ledger_close(&run->visit[i], now);
}

void robo__ledger_robot_gone(struct robo__run *run, unsigned robot, robo_time now)
{
    for (unsigned i = 0; i < run->visits; i++)
        if (run->visit[i].robot == robot)
            robo__ledger_close(&run->visit[i], now);
}

/* On a link that reorders, notices may come before the session's own number has. */
static bool listens(const struct robo__run *run, const struct robo__visit *v)
{
    const struct robo__line *line = &run->line[v->line];
    return robo__ledger_is_open(run, v) && line->loopback && !line->loopback->closed &&
           !line->loopback->cut && !line->ghost && run->user[v->user].channel.reorder == 0;
}

bool robo__ledger_untold(struct robo__run *run, bool find)
{
    for (unsigned i = 0; i < run->robots; i++)
        robo__hold_look(run, i, robo_now(run->world));
    for (unsigned i = 0; i < run->visits; i++) {
        const struct robo__visit *v = &run->visit[i];
        const struct robo__run_robot *r = &run->robot[v->robot];
        if (!listens(run, v))
            continue;
        if (run->apart && v->losses > v->losses_told) {
            if (find)
                robo__run_find(run, ROBO__LOSS_UNTOLD, "visit %u was told of %u losses of %u", i,
                               v->losses_told, v->losses);
            return true;
        }
        const uint32_t told = run->apart ? knowledge(run, v) : v->stops,
                       all = run->apart ? v->counted : v->stopped;
        if (v->epoch == r->epoch && (told == all || r->bus))
            continue;
        if (find)
            robo__run_find(run, ROBO__NOT_TOLD,
                           "visit %u was told of epoch %u and %u stops of %u and %u", i, v->epoch,
                           told, r->epoch, all);
        return true;
    }
    return false;
}

bool robo__ledger_unplayed(struct robo__run *run, bool find)
{
    for (unsigned i = 0; i < run->errands; i++) {
        const struct robo__errand *e = &run->errand[i];
        const struct robo__visit *v = &run->visit[e->visit];
        if (!e->frame || !e->arrived_turn || e->begun || e->signals || e->unclear || !v->pure ||
            !v->finished || !listens(run, v) || run->robot[v->robot].bus)
            continue;
        if (find)
            robo__run_find(run, ROBO__NOT_PLAYED, "%s %u of visit %u has not begun",
                           robo_op_name(e->op), e->id, e->visit);
        return true;
    }
    return false;
}

bool robo__ledger_unanswered(struct robo__run *run, bool find)
{
    for (unsigned i = 0; i < run->errands; i++) {
        const struct robo__errand *e = &run->errand[i];
        if (e->answers || e->deserted)
            continue;
        if (find)
            robo__run_find(run, ROBO__NO_ANSWER, "%s %u of user %u got none", robo_op_name(e->op),
                           e->id, run->visit[e->visit].user);
        return true;
    }
    for (unsigned i = 0; i < run->users; i++) {
        uint32_t query = robo__user_asks(&run->user[i]);
        if (query && find)
            robo__run_find(run, ROBO__NO_ANSWER, "query %u of user %u got none", query, i);
        if (query)
            return true;
    }
    return false;
}
