/* A robot's monitor writes into journals. */
#include "journal.h"

#include <stdio.h>
#include <string.h>

#include "event.h"
#include "robot.h"
#include "sessions/session.h"
#include "world/inside.h"

static void put(const robo_robot *robot, enum robo__journal_kind kind, unsigned op,
                const struct robo__mover *mover, robo_time now, const void *body, size_t size)
{
    robo__journal_put(robo__journals_of(&robot->movers),
                      (struct robo__journal_entry){ .kind = (uint16_t)kind,
                                                    .op = (uint16_t)op,
                                                    .session = mover ? mover->number : 0,
                                                    .time = now },
                      &(struct robo__journal_part){ body, size }, 1);
}

static void notice(const robo_robot *robot, enum robo_notice op, robo_time now, const void *body,
                   size_t size)
{
    put(robot, ROBO__JOURNAL_NOTICE, op, NULL, now, body, size);
}

static void session(const struct robo__mover *m, robo_time now)
{
    struct robo__journal_session body = { .client = m->sender->client.number };
    memcpy(body.name, m->sender->name, sizeof body.name);
    put(m->robot, ROBO__JOURNAL_SESSION, 0, m, now, &body, sizeof body);
}

void robo__journal_opened(const struct robo__session *s,
                          const struct robo__session_request *request)
{
    const robo_time now = robo__robot_now(s->mover.robot);
    struct robo_request_open open = { .delay = request->delay,
                                      .duration = request->duration,
                                      .deadman = request->deadman,
                                      .gap = request->gap,
                                      .expiry = request->expiry,
                                      .jitter = request->jitter,
                                      .errors = request->errors_only,
                                      .newest = request->newest };
    snprintf(open.robot, sizeof open.robot, "%s", robo_robot_name(s->mover.robot));
    snprintf(open.mode, sizeof open.mode, "%s",
             request->name && request->name[0] ? request->name : "direct");
    snprintf(open.options, sizeof open.options, "%s", request->options ? request->options : "");
    session(&s->mover, now);
    put(s->mover.robot, ROBO__JOURNAL_REQUEST, ROBO_Q_OPEN, &s->mover, now, &open, sizeof open);
}

/* ---- packages ---- */

void robo__journal_arrived(struct robo__session *s, robo_time stamp, robo_time now)
{
    pthread_mutex_lock(&s->mover.robot->mutex);
    put(s->mover.robot, ROBO__JOURNAL_ARRIVAL, 0, &s->mover, now, &stamp, sizeof stamp);
    pthread_mutex_unlock(&s->mover.robot->mutex);
}

void robo__journal_commands(struct robo__session *s, enum robo__journal_kind kind,
                            const struct robo_cmd *cmds, size_t n, const struct robo__known *known,
                            robo_time stamp, robo_time now)
{
    robo_robot *robot = s->mover.robot;
    pthread_mutex_lock(&robot->mutex);
    const struct robo__known newest = { (uint16_t)robo__robot_alarm(robot).epoch,
                                        (uint16_t)robo__mover_stop_count(&s->mover) };
    known = known ? known : &newest;
    for (size_t i = 0; i < n; i++) {
        struct robo__journal_command body = {
            .stamp = stamp, .epoch = known->epoch, .stops = known->stops, .cmd = cmds[i]
        };
        if (cmds[i].op == ROBO_MOVE)
            body.frame = *cmds[i].body.move;
        const struct robo__journal_part part[] = {
            { &body, sizeof body },
            { body.frame.dof, body.frame.dofs * sizeof *body.frame.dof },
            { body.frame.frame, body.frame.frames * sizeof *body.frame.frame }
        };
        robo__journal_put(
            robo__journals_of(&robot->movers),
            (struct robo__journal_entry){
                .kind = (uint16_t)kind, .op = cmds[i].op, .session = s->mover.number, .time = now },
            part, 3);
    }
    pthread_mutex_unlock(&robot->mutex);
}

/* ---- events ---- */

static void panicked(const robo_robot *robot, uint32_t epoch, robo_time now)
{
    const struct robo_notice_panicked body = { epoch };
    notice(robot, ROBO_N_PANICKED, now, &body, sizeof body);
}

static void request(const struct robo__step_event *e, enum robo_query op, robo_time now,
                    const void *body, size_t size)
{
    put(e->mover->robot, ROBO__JOURNAL_REQUEST, op, e->mover, now, body, size);
}

void robo__journal_event(robo_robot *robot, const struct robo__step_event *e, robo_time now)
{
    const struct robo__alarm alarm = robo__robot_alarm(robot);
    switch (e->kind) {
    case ROBO__ON_PANIC: panicked(robot, alarm.epoch + 1, now); break;
    case ROBO__ON_RESET:
        if (alarm.panic)
            notice(robot, ROBO_N_RESET, now, &(struct robo_notice_reset){ alarm.epoch },
                   sizeof(struct robo_notice_reset));
        break;
    case ROBO__ON_REMOVE: notice(robot, ROBO_N_REMOVED, now, NULL, 0); break;
    case ROBO__ON_LEAVE: request(e, ROBO_Q_CLOSE, now, NULL, 0); break;
    case ROBO__ON_TAKE:
        request(e, ROBO_Q_TAKE, now, e->as.take.what, sizeof *e->as.take.what);
        break;
    case ROBO__ON_RELEASE:
        request(e, ROBO_Q_RELEASE, now, e->as.release, sizeof *e->as.release);
        break;
    case ROBO__ON_ANSWER:
        request(e, ROBO_Q_GIVE, now,
                &(struct robo_request_give){ e->as.answer.asker, e->as.answer.gives },
                sizeof(struct robo_request_give));
        break;
    case ROBO__ON_CANCEL:
        request(e, ROBO_Q_CANCEL, now, &(struct robo_request_cancel){ e->as.id },
                sizeof(struct robo_request_cancel));
        break;
    case ROBO__ON_RESUME:
        request(e, ROBO_Q_RESUME, now, e->as.resume.what, sizeof *e->as.resume.what);
        break;
    default: break;
    }
}

static void holders(const robo_robot *robot, robo_time now)
{
    for (const struct robo__holder *h = robot->clients.first; h; h = h->next) {
        struct robo_reply_holder body = { .holder = h->client.number, .base = h->base };
        memcpy(body.name, h->name, sizeof body.name);
        for (unsigned i = 0; i < robot->description->dofs; i++) {
            if (!robo__dof_set_has(&h->dofs, i))
                continue;
            body.mask[i / 8] |= (uint8_t)(1u << i % 8);
            body.bytes = (uint8_t)(i / 8 + 1);
        }
        if (body.base || body.bytes > 0)
            put(robot, ROBO__JOURNAL_HOLDER, ROBO_Q_HOLDER, NULL, now, &body, sizeof body);
    }
}

void robo__journal_changes(robo_robot *robot, const struct robo__step_event *e, robo_time now)
{
    struct robo__recorded *noted = &robot->movers.recorded;
    const struct robo__latch *stop = &robot->clients.newest_stop;
    if (stop->number != noted->stop) {
        struct robo_notice_latched body = {
            .stop = stop->number, .holds = 1, .by = stop->by, .since = stop->since
        };
        memcpy(body.name, stop->name, sizeof body.name);
        notice(robot, ROBO_N_LATCHED, now, &body, sizeof body);
        noted->stop = stop->number;
    }
    if (robot->movers.leases != noted->leases) {
        const struct robo_notice_leases body = { robot->movers.leases };
        notice(robot, ROBO_N_LEASES, now, &body, sizeof body);
        holders(robot, now);
        noted->leases = robot->movers.leases;
    }
    if (e->kind == ROBO__ON_ATTACH) {
        const struct robo_notice_changed body = { robot->revisions->revision };
        notice(robot, ROBO_N_CHANGED, now, &body, sizeof body);
    }
}

void robo__journal_retained(robo_robot *robot, enum robo_retained kind)
{
    put(robot, ROBO__JOURNAL_RETAINED, kind, NULL, robo__robot_now(robot),
        robo__retained(&robot->retained, kind), sizeof(union robo_retained_body));
}

/* ---- coming and going ---- */

void robo__journal_enter(robo_robot *robot, struct robo__journal *journal)
{
    struct robo__movers *all = &robot->movers;
    pthread_mutex_lock(&robot->mutex);
    struct robo__journal *others = robo__journals_of(all);
    const robo_time now = robo__robot_now(robot);
    atomic_store(&journal->next, NULL);
    atomic_store(&all->journals, journal); /* what there is already, it gets alone */
    for (const struct robo__mover *m = all->first; m; m = m->next)
        session(m, now);
    if (robo__robot_alarm(robot).panic)
        panicked(robot, robo__robot_alarm(robot).epoch, now);
    holders(robot, now);
    for (unsigned i = 0; i < ROBO_RETAINED_KINDS; i++)
        if (robot->retained.of[i].differs)
            robo__journal_retained(robot, (enum robo_retained)i);
    if (!others) /* they may have to be told of the newest changes yet */
        all->recorded = (struct robo__recorded){ .leases = all->leases,
                                                 .stop = robot->clients.newest_stop.number };
    atomic_store(&journal->next, others);
    pthread_mutex_unlock(&robot->mutex);
}

void robo__journal_leave(robo_robot *robot, struct robo__journal *journal)
{
    pthread_mutex_lock(&robot->mutex);
    struct robo__journal *_Atomic *at = &robot->movers.journals;
    while (atomic_load(at) && atomic_load(at) != journal)
        at = &atomic_load(at)->next;
    if (atomic_load(at))
        atomic_store(at, atomic_load(&journal->next));
    pthread_mutex_unlock(&robot->mutex);
}
