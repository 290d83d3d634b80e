/* The base of a robot under one connection of the Golog-Tekkotsu interface.
 *
 * There are two deadman times. The session has the robot's, which stops the robot when this thread hangs. As long as
 * the client's silence is within the interface's deadman time, this thread sends heartbeats for it. */
#include "walk.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "base/time.h"
#include "net/complaint.h"
#include "robot/robot.h"

/* PULSES: in one time of the robot's deadman */
enum { PULSES = 3, RESULTS = 16 };
static const robo_time SECOND = 1000000000;

static void on_over(struct robo__timer *timer, robo_time now);
static void on_pulse(struct robo__timer *timer, robo_time now);

void robo__gti_walk_open(struct robo__gti_walk *walk, struct robo__host *host, const char *robot,
                         robo_time deadman)
{
    *walk = (struct robo__gti_walk){ .host = host, .deadman = deadman };
    snprintf(walk->robot, sizeof walk->robot, "%s", robot);
    walk->over.fire = on_over;
    walk->pulse.fire = on_pulse;
}

static robo_robot *find(const struct robo__gti_walk *walk)
{
    uint64_t cursor = 0;
    return walk->robot[0] ? robo_find(walk->host->world, walk->robot)
                          : robo_next_robot(walk->host->world, &cursor);
}

static bool open_session(struct robo__gti_walk *walk, robo_time now)
{
    if (walk->number == 0)
        walk->number = atomic_fetch_add(&walk->host->world->connections, 1) + 1;
    const struct robo__identity client = { .number = walk->number,
                                           .name = "GTI client",
                                           .wordless = true };
    const struct robo__session_request direct = { .sender = &client };
    char text[128] = "";
    robo_robot *robot = find(walk);
    int error =
        robot ? robo__session_open(robot, NULL, &direct, NULL, NULL, now, &walk->session, text)
              : ROBO_ENONE;
    robo_release(robot);
    if (error < 0)
        robo__world_log(walk->host->world, ROBO_LOG_WARNING, "gti: walk: %s%s%s",
                        robo_strerror(error), walk->robot[0] ? ": " : "", walk->robot);
    return error == 0;
}

static void close_session(struct robo__gti_walk *walk)
{
    robo__timer_stop(walk->host->timers, &walk->over);
    robo__timer_stop(walk->host->timers, &walk->pulse);
    if (walk->session)
        robo__session_close(walk->session);
    walk->session = NULL;
}

/* A refusal for the log; without a latch `why` is its reason. The interface has no answer that would make a client pause: its refusals
 * have a line a second at most. */
static void complain(struct robo__gti_walk *walk, const char *what, const char *signal,
                     const char *why)
{
    char text[224];
    struct robo_notice_latched latch = { 0 };
    if (walk->session)
        robo__latch_look(&walk->session->mover, &latch);
    if (latch.holds && strcmp(signal, "INTERRUPTED") == 0)
        snprintf(text, sizeof text, "gti: %s: %s: stopped by %s %u", what, signal, latch.name,
                 (unsigned)latch.by);
    else
        snprintf(text, sizeof text, "gti: %s: %s%s%s", what, signal, *why ? ": " : "", why);
    robo__complain_of(walk->host, ROBO__OVERRULED, text);
}

/* Logs the results of commands: refusals, and once a partial success. */
static void tell(struct robo__gti_walk *walk, const struct robo_result *r)
{
    char text[sizeof walk->told];
    const char *why = robo__reason_doc(r->reason);
    walk->held = r->signal == ROBO_BUSY && r->reason == ROBO_WHY_LEASE;
    if (walk->held && walk->stands)
        return;
    if (r->signal == ROBO_SUCCESS || (r->signal == ROBO_NA && walk->stands) ||
        (r->signal == ROBO_MODIFIED && r->reason == ROBO_WHY_SUPERSEDED))
        return;
    char word[16] = "";
    const char *name = robo_signal_name(r->signal);
    for (size_t i = 0; i + 1 < sizeof word && name[i]; i++)
        word[i] = (char)toupper((unsigned char)name[i]); /* as scripts write it */
    if (r->signal != ROBO_MODIFIED) {
        complain(walk, "walk", word, why);
        return;
    }
    snprintf(text, sizeof text, "gti: walk: %s%s%s", word, *why ? ": " : "", why);
    if (strcmp(text, walk->told) != 0)
        robo__world_log(walk->host->world, ROBO_LOG_INFO, "%s", text);
    strcpy(walk->told, text);
}

static void take_results(struct robo__gti_walk *walk)
{
    struct robo_result results[RESULTS];
    size_t n = RESULTS;
    while (n == RESULTS) {
        n = robo__session_results(walk->session, results, RESULTS);
        for (size_t i = 0; i < n; i++)
            tell(walk, &results[i]);
    }
}

static void give(struct robo__gti_walk *walk, struct robo_cmd cmd, robo_time now)
{
    struct robo__session *s = walk->session;
    cmd.start = ROBO_AT_ONCE;
    cmd.id = ++walk->commands;
    cmd.revision =
        (uint8_t)s->mover.robot->revisions
            ->revision; /* else a stop of the base is one of everything, which latches others */
    /* the interface has no notice of stops and panics: its commands are always current */
    struct robo__known known = { .stops = (uint16_t)robo__session_news(s, now).stops,
                                 .epoch = (uint16_t)robo__robot_alarm(s->mover.robot).epoch };
    robo__session_heard(s, ROBO_NO_TIME, now);
    if (robo__session_commands(s, &cmd, 1, known, ROBO_NO_TIME, now) == 0)
        robo__world_log(walk->host->world, ROBO_LOG_WARNING,
                        "gti: walk: the robot has no room for it");
    take_results(walk);
}

static void command(struct robo__gti_walk *walk, const double velocity[3], robo_time now)
{
    walk->stands = velocity[0] == 0 && velocity[1] == 0 && velocity[2] == 0;
    give(walk,
         (struct robo_cmd){ .op = ROBO_SET_SPEED,
                            .body.set_speed = { velocity[0], velocity[1], velocity[2] } },
         now);
}

/* The next check while it walks. */
static void arm(struct robo__gti_walk *walk, robo_time now)
{
    robo_time wait =
        walk->session->mover.deadman > 0 ? walk->session->mover.deadman / PULSES : SECOND;
    if (walk->deadman > 0 && walk->heard + walk->deadman - now < wait)
        wait = walk->heard + walk->deadman - now;
    robo__timer_start(walk->host->timers, &walk->pulse, now + wait);
}

static void stand(struct robo__gti_walk *walk, robo_time now)
{
    static const double still[3];
    robo__timer_stop(walk->host->timers, &walk->over);
    robo__timer_stop(walk->host->timers, &walk->pulse);
    command(walk, still, now);
}

static void on_pulse(struct robo__timer *timer, robo_time now)
{
    struct robo__gti_walk *walk = robo__container_of(timer, struct robo__gti_walk, pulse);
    take_results(walk);
    if (robo__session_gone(walk->session)) {
        close_session(walk);
    } else if (!robo__session_moves(walk->session)) {
        return; /* another client's command has ended it */
    } else if (walk->deadman > 0 && now - walk->heard >= walk->deadman) {
        robo__world_log(
            walk->host->world, ROBO_LOG_WARNING,
            "gti: nothing has come from a client for %g s while the dog walks: it stands",
            (double)walk->deadman / 1e9);
        stand(walk, now);
    } else {
        robo__session_heard(walk->session, ROBO_NO_TIME, now);
        arm(walk, now);
    }
}

/* The time of the walk has passed. The present walk may be another client's. */
static void on_over(struct robo__timer *timer, robo_time now)
{
    struct robo__gti_walk *walk = robo__container_of(timer, struct robo__gti_walk, over);
    if (robo__session_moves(walk->session))
        stand(walk, now);
}

/* Whether there is a session with the robot that there is now. */
static bool is_open(struct robo__gti_walk *walk, robo_time now)
{
    if (walk->session && robo__session_gone(walk->session))
        close_session(walk);
    return walk->session || open_session(walk, now);
}

/* The script answers for a robot that is not there. */
static bool is_there(const struct robo__gti_walk *walk)
{
    robo_robot *robot = find(walk);
    robo_release(robot);
    return robot != NULL;
}

bool robo__gti_walk_lets(struct robo__gti_walk *walk, const char *what, uint32_t *stop,
                         robo_time now)
{
    *stop = 0;
    if (!is_open(walk, now))
        return !is_there(walk);
    if (!robo__latch_refuses(&walk->session->mover, now, stop))
        return true;
    complain(walk, what, "INTERRUPTED", "");
    return false;
}

void robo__gti_walk_set(struct robo__gti_walk *walk, const double velocity[3], double seconds,
                        robo_time now)
{
    if (!is_open(walk, now))
        return;
    robo__timer_stop(walk->host->timers, &walk->over);
    robo__timer_stop(walk->host->timers, &walk->pulse);
    command(walk, velocity, now);
    if (walk->stands)
        return;
    walk->heard = now;
    arm(walk, now);
    if (seconds < INFINITY)
        robo__timer_start(walk->host->timers, &walk->over, now + (robo_time)(seconds * 1e9));
}

void robo__gti_walk_stop(struct robo__gti_walk *walk, robo_time now)
{
    static const double still[3];
    robo__gti_walk_set(walk, still, 0, now);
    if (walk->session && walk->held)
        give(walk, (struct robo_cmd){ .op = ROBO_STOP, .body.stop.base = 1 }, now);
    walk->held = false;
}

void robo__gti_walk_heard(struct robo__gti_walk *walk, robo_time now)
{
    walk->heard = now;
}

void robo__gti_walk_close(struct robo__gti_walk *walk)
{
    close_session(walk);
}
