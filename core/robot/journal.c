/* A robot's monitor writes into journals. */
#include "journal.h"

#include <stdio.h>
#include <string.h>

#include "base/command.h"
#include "event.h"
#include "robot.h"
#include "sessions/session.h"

static void put(const robo_robot *robot, enum robo__journal_kind kind, unsigned op, robo_time now,
                const void *body, size_t size)
{
    robo__journal_put(
        robo__journals_of(&robot->movers),
        (struct robo__journal_entry){ .kind = (uint16_t)kind, .op = (uint16_t)op, .time = now },
        &(struct robo__journal_part){ body, size }, 1);
}

static void put_of(const struct robo__mover *mover, enum robo__journal_kind kind, unsigned op,
                   robo_time now, const void *body, size_t size)
{
    robo__mover_record(mover, kind, op, now, &(struct robo__journal_part){ body, size }, 1);
}

static void notice(const robo_robot *robot, enum robo_notice op, robo_time now, const void *body,
                   size_t size)
{
    put(robot, ROBO__JOURNAL_NOTICE, op, now, body, size);
}

static void session(const struct robo__mover *m, bool over, robo_time now)
{
    struct robo__journal_session body = { .over = over,
                                          .client = m->sender->client.number,
                                          .holder = m->holder->client.number,
                                          .local = m->sender->local,
                                          .wordless = m->sender->wordless };
    memcpy(body.name, m->sender->name, sizeof body.name);
    put_of(m, ROBO__JOURNAL_SESSION, 0, now, &body, sizeof body);
}

static void decision(const struct robo__mover *m, const struct robo_mode_decision *d, int error,
                     robo_time now)
{
    const struct robo__journal_mode body = { .hold = d->hold != 0,
                                             .blocking = d->blocking != 0,
                                             .buffered = d->buffered != 0,
                                             .refills = d->refills != 0,
                                             .error = (uint16_t)-error,
                                             .shift = d->shift,
                                             .again = d->again,
                                             .expiry = d->expiry };
    put_of(m, ROBO__JOURNAL_MODE, 0, now, &body, sizeof body);
}

/* Of one that was open before: what does not change meanwhile. Its mode is direct, or not known. */
static void opened_before(const struct robo__mover *m, robo_time now)
{
    struct robo_request_open open = { .deadman = m->deadman,
                                      .gap = m->gap,
                                      .expiry = m->expiry,
                                      .errors = m->errors_only,
                                      .newest = m->newest };
    snprintf(open.robot, sizeof open.robot, "%s", robo_robot_name(m->robot));
    snprintf(open.mode, sizeof open.mode, "%s", m->buffered ? "" : "direct");
    session(m, false, now);
    put_of(m, ROBO__JOURNAL_REQUEST, ROBO_Q_OPEN, now, &open, sizeof open);
    decision(m,
             &(struct robo_mode_decision){
                 .blocking = !m->errors_only, .buffered = m->buffered, .expiry = m->expiry },
             0, now);
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
    session(&s->mover, false, now);
    put_of(&s->mover, ROBO__JOURNAL_REQUEST, ROBO_Q_OPEN, now, &open, sizeof open);
    decision(&s->mover, &s->decision, s->mode_error, now);
}

void robo__journal_decided(const struct robo__session *s, robo_time now)
{
    if (!robo__journals_of(&s->mover.robot->movers))
        return;
    pthread_mutex_lock(&s->mover.robot->mutex);
    decision(&s->mover, &s->decision, s->mode_error, now);
    pthread_mutex_unlock(&s->mover.robot->mutex);
}

/* ---- packages ---- */

void robo__journal_note(struct robo__session *s, enum robo__journal_kind kind, unsigned op,
                        robo_time now, const void *body, size_t size)
{
    if (!robo__journals_of(&s->mover.robot->movers))
        return;
    pthread_mutex_lock(&s->mover.robot->mutex);
    put_of(&s->mover, kind, op, now, body, size);
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
    struct robo_notice_panicked body = { .epoch = epoch };
    memcpy(body.name, robot->panic_name, sizeof body.name);
    notice(robot, ROBO_N_PANICKED, now, &body, sizeof body);
}

static void was_reset(const robo_robot *robot, uint32_t epoch, robo_time now)
{
    struct robo_notice_reset body = { .epoch = epoch };
    memcpy(body.name, robot->panic_name, sizeof body.name);
    notice(robot, ROBO_N_RESET, now, &body, sizeof body);
}

static void holders(const robo_robot *robot, robo_time now)
{
    struct robo__leased leased;
    for (const struct robo__holder *h = robot->clients.first; h; h = h->next)
        if (robo__lease_look(&robot->axes, h, now, &leased))
            put(robot, ROBO__JOURNAL_HOLDER, ROBO_Q_HOLDER, now, &leased.last, sizeof leased.last);
}

static void count_leases(const robo_robot *robot, robo_time now, struct robo__recorded *all)
{
    struct robo__leased leased;
    all->lasting = all->over = 0;
    all->ends = ROBO_NEVER;
    for (const struct robo__holder *h = robot->clients.first; h; h = h->next) {
        robo__lease_look(&robot->axes, h, now, &leased);
        all->lasting += leased.lasting;
        all->over += leased.over;
        all->ends = leased.ends < all->ends ? leased.ends : all->ends;
    }
}

/* Leases that have changed, or ended without an event, or last again. */
static void leases(robo_robot *robot, robo_time now)
{
    struct robo__recorded *noted = &robot->movers.recorded;
    const struct robo_notice_leases body = { robot->movers.leases };
    const unsigned before = noted->lasting;
    count_leases(robot, now, noted);
    if (body.changes == noted->leases && noted->lasting == before)
        return;
    noted->leases = body.changes;
    notice(robot, ROBO_N_LEASES, now, &body, sizeof body);
    holders(robot, now);
}

static void ended_leases(robo_robot *robot, robo_time now)
{
    while (robot->movers.recorded.ends <= now)
        leases(robot, robot->movers.recorded.ends);
}

static void request(const struct robo__step_event *e, robo_time now)
{
    const enum robo_query op = e->as.request->op;
    put_of(e->mover, ROBO__JOURNAL_REQUEST, op, now, e->as.request->what, robo__request_size(op));
}

void robo__journal_event(robo_robot *robot, const struct robo__step_event *e, robo_time now)
{
    const struct robo__alarm alarm = robo__robot_alarm(robot);
    ended_leases(robot, now);
    switch (e->kind) {
    case ROBO__ON_PANIC: panicked(robot, alarm.epoch + 1, now); break;
    case ROBO__ON_RESET:
        if (alarm.panic)
            was_reset(robot, alarm.epoch, now);
        break;
    case ROBO__ON_REMOVE: notice(robot, ROBO_N_REMOVED, now, NULL, 0); break;
    case ROBO__ON_END:
        put_of(e->mover, ROBO__JOURNAL_REQUEST, ROBO_Q_CLOSE, now, NULL, 0);
        break;             /* its client has asked for it */
    case ROBO__ON_DISMISS: /* for what moves as if it had */
        for (const struct robo__mover *m = robot->movers.first; m; m = m->next)
            if (m->holder == e->as.client)
                put_of(m, ROBO__JOURNAL_REQUEST, ROBO_Q_CLOSE, now, NULL, 0);
        break;
    case ROBO__ON_LEAVE: session(e->mover, true, now); break;
    case ROBO__ON_REQUEST: /* an override is a retained notice; a resume that is refused changes nothing */
        if (e->as.request->op != ROBO_Q_OVERRIDE && e->as.request->op != ROBO_Q_RESUME)
            request(e, now);
        break;
    case ROBO__ON_CANCEL:
        put_of(e->mover, ROBO__JOURNAL_REQUEST, ROBO_Q_CANCEL, now,
               &(struct robo_request_cancel){ e->as.id }, sizeof(struct robo_request_cancel));
        break;
    default: break;
    }
}

void robo__journal_changes(robo_robot *robot, const struct robo__step_event *e, robo_time now)
{
    if (e->kind == ROBO__ON_REQUEST && e->as.request->op == ROBO_Q_RESUME && e->result == 0)
        request(e, now);
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
    if (robot->movers.leases != noted->leases || (noted->over > 0 && e->kind == ROBO__ON_COMMAND))
        leases(robot, now);
    if (e->kind == ROBO__ON_ATTACH) {
        const struct robo_notice_changed body = { robot->revisions->revision };
        notice(robot, ROBO_N_CHANGED, now, &body, sizeof body);
    }
}

void robo__journal_retained(robo_robot *robot, enum robo_retained kind)
{
    put(robot, ROBO__JOURNAL_RETAINED, kind, robo__robot_now(robot),
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
        opened_before(m, now);
    if (robo__robot_alarm(robot).panic)
        panicked(robot, robo__robot_alarm(robot).epoch, now);
    holders(robot, now);
    for (unsigned i = 0; i < ROBO_RETAINED_KINDS; i++)
        if (robot->retained.of[i].differs)
            robo__journal_retained(robot, (enum robo_retained)i);
    if (!others) { /* other journals may still lack the newest changes */
        all->recorded = (struct robo__recorded){ .leases = all->leases,
                                                 .stop = robot->clients.newest_stop.number };
        count_leases(robot, now, &all->recorded);
    }
    atomic_store(&journal->next, others);
    pthread_mutex_unlock(&robot->mutex);
}

void robo__journal_leave(robo_robot *robot, struct robo__journal *journal)
{
    pthread_mutex_lock(&robot->mutex);
    ended_leases(robot, robo__robot_now(robot));
    struct robo__journal *_Atomic *at = &robot->movers.journals;
    while (atomic_load(at) && atomic_load(at) != journal)
        at = &atomic_load(at)->next;
    if (atomic_load(at))
        atomic_store(at, atomic_load(&journal->next));
    pthread_mutex_unlock(&robot->mutex);
}

bool robo__journal_is_over(robo_robot *robot)
{
    pthread_mutex_lock(&robot->mutex);
    const bool over = !robot->movers.first;
    pthread_mutex_unlock(&robot->mutex);
    return over;
}
