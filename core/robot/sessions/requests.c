/* Requests of a session's client that are no commands: about the session, its leases and its latch. On the owner's thread. */
#include "robot/client.h"

#include <string.h>

#include "playback.h"
#include "robot/robot.h"
#include "robot/step.h"
#include "robot/world/world.h"

/* ---- the session itself: members that never change, or that the owner alone writes ---- */

robo_robot *robo__session_robot(const struct robo__session *s)
{
    return s->mover.robot;
}

uint32_t robo__session_client(const struct robo__session *s)
{
    return s->mover.holder->client.number;
}

robo_time robo__session_deadman(const struct robo__session *s)
{
    return s->mover.deadman;
}

const struct robo_mode_decision *robo__session_decision(const struct robo__session *s)
{
    return &s->decision;
}

int robo__session_mode_error(const struct robo__session *s, const char **why)
{
    *why = s->mode_why;
    return s->mode_error;
}

void robo__session_describe(const struct robo__session *s, struct robo_reply_open *reply)
{
    reply->blocking = s->decision.blocking != 0;
    reply->holds = s->decision.hold != 0;
    reply->buffered = s->mover.buffered;
    reply->errors = s->mover.errors_only;
    reply->deadman = s->mover.deadman;
    reply->gap = s->mover.gap;
    reply->expiry = s->mover.expiry < 0 ? -1000 : s->mover.expiry;
}

bool robo__session_paused(const struct robo__session *s, uint32_t count,
                          struct robo_notice_paused *out)
{
    if (s->paused == count)
        return false;
    *out = (struct robo_notice_paused){ .count = s->paused, .due = s->pause.due };
    return true;
}

bool robo__session_resumed(const struct robo__session *s, uint32_t count,
                           struct robo_notice_resumed *out)
{
    const struct robo__resumed *r = &s->resumed[(s->resumes - 1) % ROBO__RESUMED];
    if (s->resumes == count)
        return false;
    *out = (struct robo_notice_resumed){ .count = s->resumes,
                                         .due = r->due,
                                         .later = r->later,
                                         .path = r->distance.path,
                                         .turn = r->distance.turn,
                                         .dof = r->distance.dof };
    return true;
}

/* ---- with the robot's mutex ---- */

static struct robo__mover *lock(struct robo__session *s)
{
    pthread_mutex_lock(&s->mover.robot->mutex);
    return &s->mover;
}

static void unlock(struct robo__session *s)
{
    pthread_mutex_unlock(&s->mover.robot->mutex);
}

uint32_t robo__session_stops(struct robo__session *s)
{
    const uint32_t stops = robo__mover_stop_count(lock(s));
    unlock(s);
    return stops;
}

int robo__session_request(struct robo__session *s, enum robo_query op, const void *what,
                          uint8_t role, void *reply, robo_time now)
{
    char log[ROBO__REQUEST_LOG] = "";
    robo_robot *robot = s->mover.robot;
    const struct robo__holder *by = s->mover.sender;
    struct robo__step_event request = { ROBO__ON_REQUEST, &s->mover,
                                        .as.request =
                                            &(struct robo__request){ op, what, role, reply, log } };
    robo__mover_enter(&s->mover, now);
    robo__step(robot, &request, now);
    request.kind = ROBO__ON_TAKEN;
    if (op == ROBO_Q_TAKE) /* axes at rest have ended their stop by now */
        robo__step(robot, &request, now);
    robo__mover_leave(&s->mover);
    if (log[0])
        robo__world_log(robot->member.world, ROBO_LOG_INFO, "robot %s: %s %u %s",
                        robo_robot_name(robot), by->name, (unsigned)by->client.number, log);
    return request.result;
}

/* ---- leases ---- */

bool robo__session_asked(struct robo__session *s, uint32_t *serial, struct robo_notice_asked *out)
{
    const bool any = robo__ask_oldest(&s->mover.robot->axes, lock(s), serial, out);
    unlock(s);
    return any;
}

bool robo__session_is_shared(struct robo__session *s, robo_time now)
{
    struct robo_reply_holder other;
    return robo__session_longest_holder(s, now, &other);
}

static bool find_holder(const robo_robot *robot, const struct robo__holder *own, unsigned index,
                        robo_time now, struct robo_reply_holder *out)
{
    struct robo__leased leased;
    bool there = false;
    for (const struct robo__holder *h = robot->clients.first; h && !there; h = h->next) {
        there = robo__lease_look(&robot->axes, h, now, &leased) && index-- == 0;
        *out = leased.last;
        out->own = h == own;
    }
    return there;
}

bool robo__session_holder(struct robo__session *s, unsigned index, robo_time now,
                          struct robo_reply_holder *out)
{
    const struct robo__mover *m = lock(s);
    const bool there = find_holder(m->robot, m->holder, index, now, out);
    unlock(s);
    return there;
}

bool robo__robot_holder(robo_robot *robot, unsigned index, robo_time now,
                        struct robo_reply_holder *out)
{
    pthread_mutex_lock(&robot->mutex);
    const bool there = find_holder(robot, NULL, index, now, out);
    pthread_mutex_unlock(&robot->mutex);
    return there;
}

bool robo__mover_longest_other(const struct robo__mover *m, robo_time now,
                               struct robo_reply_holder *out)
{
    struct robo__leased one;
    bool there = false;
    for (const struct robo__holder *h = m->robot->clients.first; h; h = h->next) {
        if (h == m->holder || !robo__holder_has_any(h) ||
            !robo__lease_look(&m->robot->axes, h, now, &one) || !one.keeps ||
            (there && one.last.left <= out->left))
            continue;
        *out = one.last;
        there = true;
    }
    return there;
}

bool robo__session_longest_holder(struct robo__session *s, robo_time now,
                                  struct robo_reply_holder *out)
{
    const bool there = robo__mover_longest_other(lock(s), now, out);
    unlock(s);
    return there;
}

size_t robo__session_holders_work(struct robo__session *s)
{
    const robo_robot *robot = lock(s)->robot;
    const size_t sessions = robot->movers.count, axes = robot->description->dofs + 1u;
    unlock(s);
    /* each axis has one holder, and each holder a session */
    return (sessions < axes ? sessions : axes) * (sessions + axes) + sessions;
}

void robo__session_name_of(struct robo__session *s, uint32_t number, char name[ROBO__HOLDER_NAME])
{
    memset(name, 0, ROBO__HOLDER_NAME);
    for (const struct robo__holder *h = lock(s)->robot->clients.first; h; h = h->next)
        if (h->client.number == number)
            memcpy(name, h->name, ROBO__HOLDER_NAME);
    unlock(s);
}

robo_time robo__session_lease_time(const struct robo__session *s)
{
    return robo__lease_time(&s->mover.robot->clients);
}

/* ---- latches ---- */

void robo__session_latch(struct robo__session *s, struct robo_notice_latched *out)
{
    const struct robo__holder *h = lock(s)->sender;
    const struct robo__latch *stop = &s->mover.robot->clients.newest_stop;
    const bool holds = h->latch.number != 0,
               own = stop->by == h->client.number && stop->number != 0;
    if (holds || !own)
        stop = &h->latch;
    *out = (struct robo_notice_latched){
        .stop = stop->number, .holds = holds, .by = stop->by, .since = stop->since
    };
    memcpy(out->name, stop->name, sizeof out->name);
    unlock(s);
}

bool robo__session_latched(struct robo__session *s, unsigned index, struct robo_reply_latch *out)
{
    const bool any = robo__latch_list(&s->mover.robot->clients, lock(s), index, out);
    unlock(s);
    return any;
}

bool robo__session_refuses_motion(struct robo__session *s, uint32_t *stop, robo_time now)
{
    struct robo__mover *m = lock(s);
    robo__latch_note(&m->robot->clients, m, true);
    const enum robo_reason why = robo__client_refuses(
        &m->robot->axes, m, (uint16_t)robo__mover_stop_count(m), NULL, true, now);
    *stop = m->robot->clients.newest_stop.number;
    unlock(s);
    return why != ROBO_WHY_NONE;
}
