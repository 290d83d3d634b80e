/* Sessions that are driven by a recording. */
#include "robotalk/replay.h"

#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "base/timer.h"
#include "motion/move.h"
#include "robot/client.h"
#include "robot/facts.h"
#include "robot/world/world.h"
#include "robotalk/host.h"

enum { DECISIONS = 64, RESULTS = 64 };

struct robo_replay {
    struct robo__modes modes;
    struct robo__session *session;
    robo_robot *robot; /* held */
    robo_world *world; /* the robot's, held */
    struct robo__timer again, soon;
    struct {
        int error;
        struct robo_mode_decision decision;
    } next[DECISIONS]; /* a ring, of which `asked` were taken */
    unsigned asked, made;
    uint32_t epoch; /* panics that its owner knows of */
};

/* ---- its mode ---- */

static int next_decision(robo_replay *r, struct robo_mode_decision *decision)
{
    decision->again = 0;
    if (r->asked == r->made)
        return 0; /* it was not asked then: the recording has another instant */
    *decision = r->next[r->asked % DECISIONS].decision;
    return r->next[r->asked++ % DECISIONS].error;
}

static int on_open(struct robo__modes *modes, const struct robo__session_request *request,
                   struct robo_mode_decision *decision, void **mode, char why[128])
{
    (void)request, (void)why;
    *mode = NULL;
    return next_decision(robo__container_of(modes, robo_replay, modes), decision);
}

static int on_arrived(struct robo__modes *modes, void *mode, const struct robo__arrivals *arrivals,
                      robo_time now, struct robo_mode_decision *decision, char why[128])
{
    (void)mode, (void)arrivals, (void)now, (void)why;
    return next_decision(robo__container_of(modes, robo_replay, modes), decision);
}

static int keep_decision(robo_replay *r, int error, const struct robo_mode_decision *decision)
{
    if (r->made - r->asked == DECISIONS)
        return ROBO_EFULL;
    r->next[r->made % DECISIONS].error = error;
    r->next[r->made++ % DECISIONS].decision = *decision;
    return 0;
}

/* ---- what an owner does ---- */

/* After each call: held commands that are to go, results, the next instant. */
static void attend(robo_replay *r)
{
    const robo_time now = robo_now(r->world);
    struct robo__timers *timers = robo__world_timers(r->world);
    const uint32_t epoch = robo__robot_alarm(r->robot).epoch;
    struct robo_result results[RESULTS];
    robo__session_news(r->session, now);
    if (epoch != r->epoch)
        robo__session_panicked(r->session, now);
    r->epoch = epoch;
    while (robo__session_results(r->session, results, RESULTS) == RESULTS)
        continue;
    const robo_time next = robo__session_next(r->session);
    if (next == ROBO_NEVER)
        robo__timer_stop(timers, &r->again);
    else
        robo__timer_start(timers, &r->again, next);
}

static void on_again(struct robo__timer *timer, robo_time now)
{
    robo_replay *r = robo__container_of(timer, robo_replay, again);
    robo__session_decide(r->session, now);
    attend(r);
}

/* This instant is over: a decision that nothing has asked for was made by time. */
static void on_soon(struct robo__timer *timer, robo_time now)
{
    robo_replay *r = robo__container_of(timer, robo_replay, soon);
    if (r->asked < r->made)
        robo__session_decide(r->session, now);
    attend(r);
}

static void wake(void *owner)
{
    robo_replay *r = owner;
    robo__timer_start(robo__world_timers(r->world), &r->soon, robo_now(r->world));
}

int robo_replay_decide(robo_replay *r, int error, const struct robo_mode_decision *decision)
{
    wake(r);
    return keep_decision(r, error, decision);
}

/* ---- its life ---- */

static void free_replay(robo_replay *r)
{
    robo_release(r->robot);
    robo__world_release(r->world);
    free(r);
}

robo_replay *robo_replay_open(robo_robot *robot, const struct robo_replay_client *client,
                              const struct robo_request_open *request,
                              const struct robo_mode_decision *first, int *error, char why[128])
{
    robo_world *world = robo__robot_world(robot);
    const struct robo__identity holder = { .number = client->holder,
                                           .name = client->name,
                                           .local = client->local != 0,
                                           .wordless = client->wordless != 0 };
    struct robo__identity sender = holder;
    sender.number = client->number;
    const struct robo__session_request r = { .name = "recorded",
                                             .options = "",
                                             .duration = request->duration,
                                             .deadman = request->deadman,
                                             .gap = request->gap,
                                             .expiry = request->expiry,
                                             .newest = request->newest,
                                             .errors_only = request->errors,
                                             .who = client->holder ? &holder : NULL,
                                             .sender = client->number != client->holder ? &sender
                                                                                        : NULL };
    robo_replay *replay = robo_is_virtual(world) ? calloc(1, sizeof *replay) : NULL;
    *error = robo_is_virtual(world) ? ROBO_ENOMEM : ROBO_EINVAL;
    why[0] = 0;
    if (!replay)
        return NULL;
    replay->modes = (struct robo__modes){ .open = on_open, .arrived = on_arrived };
    replay->world = robo__world_hold(world);
    replay->robot = robo_hold(robot);
    replay->again.fire = on_again;
    replay->soon.fire = on_soon;
    replay->epoch = robo__robot_alarm(robot).epoch;
    keep_decision(replay, 0, first);
    *error = robo__session_open(robot, &replay->modes, &r, wake, replay, robo_now(world),
                                &replay->session, why);
    if (*error == 0)
        return replay;
    free_replay(replay);
    return NULL;
}

void robo_replay_close(robo_replay *r)
{
    if (!r)
        return;
    robo__timer_stop(robo__world_timers(r->world), &r->again);
    robo__session_close(r->session);
    robo__timer_stop(robo__world_timers(r->world), &r->soon);
    free_replay(r);
}

/* ---- what came ---- */

void robo_replay_heard(robo_replay *r, robo_time stamp)
{
    robo__session_heard(r->session, 0, stamp, robo_now(r->world));
}

/* A frame's body becomes the session's. */
static int take_frame(robo_replay *r, struct robo_cmd *cmd)
{
    const struct robo_move *from = cmd->body.move;
    struct robo__session_move *move = robo__session_make_move(r->session, from->dofs, from->frames);
    if (!move)
        return ROBO_ENOMEM;
    move->set.parts = from->parts;
    memcpy(move->set.base, from->base, sizeof from->base);
    if (from->dofs > 0)
        memcpy(move->set.dof, from->dof, from->dofs * sizeof *from->dof);
    if (from->frames > 0)
        memcpy(move->set.frame, from->frame, from->frames * sizeof *from->frame);
    cmd->body.move = &move->set;
    return 0;
}

int robo_replay_commands(robo_replay *r, struct robo_cmd *cmds, size_t n, uint16_t epoch,
                         uint16_t stops, robo_time stamp)
{
    size_t taken = 0, admitted = 0;
    int error = 0;
    while (taken < n && error == 0) {
        error = cmds[taken].op == ROBO_MOVE ? take_frame(r, &cmds[taken]) : 0;
        taken += error == 0;
    }
    if (error == 0)
        admitted = robo__session_commands(r->session, cmds, n, (struct robo__known){ epoch, stops },
                                          stamp, robo_now(r->world));
    for (size_t i = admitted; i < taken; i++)
        robo__move_free(robo__move_of(&cmds[i]));
    attend(r);
    return error;
}

int robo_replay_request(robo_replay *r, enum robo_query op, const void *request)
{
    const robo_time now = robo_now(r->world);
    const struct robo_request_cancel *cancel = request;
    const struct robo_request_override *override = request;
    struct robo_reply_take reply;
    switch (op) {
    case ROBO_Q_CLOSE: robo__session_end(r->session, now); break;
    case ROBO_Q_FINISH: robo__session_finish(r->session, now); break;
    case ROBO_Q_CANCEL: robo__session_cancel(r->session, cancel->command, now); break;
    case ROBO_Q_OVERRIDE: robo__override_set(r->robot, override->share); break;
    default:
        if (robo__session_request(r->session, op, request, ROBO_ROLE_OPERATE, &reply, now) ==
            ROBO_EOP)
            return ROBO_EOP;
    }
    attend(r);
    return 0;
}
