/* The base of a robot under one connection of the Golog-Tekkotsu interface. */
#include "walk.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "base/time.h"
#include "robot/client.h"

static void on_over(struct robo__timer *timer, robo_time now);
static void on_result(struct robo__seat *seat, const struct robo_result *result);
static void on_silence(struct robo__seat *seat, robo_time now);

static const struct robo__seat_kind clients = { .client = "GTI client",
                                                .wordless = true,
                                                .shares_leases = true,
                                                .result = on_result,
                                                .silent = on_silence };

void robo__gti_walk_open(struct robo__gti_walk *walk, struct robo__conn *conn, const char *robot,
                         robo_time deadman)
{
    *walk = (struct robo__gti_walk){ .over.fire = on_over };
    robo__seat_init(&walk->seat, &clients, conn, deadman);
    snprintf(walk->robot, sizeof walk->robot, "%s", robot);
}

static robo_world *world_of(const struct robo__gti_walk *walk)
{
    return walk->seat.conn->host->world;
}

static robo_robot *find(const struct robo__gti_walk *walk)
{
    uint64_t cursor = 0;
    return walk->robot[0] ? robo_find(world_of(walk), walk->robot)
                          : robo_next_robot(world_of(walk), &cursor);
}

/* Whether there is a session with the robot that there is now. */
static bool is_open(struct robo__gti_walk *walk, robo_time now)
{
    if (robo__seat_is_open(&walk->seat))
        return true;
    robo__timer_stop(walk->seat.conn->host->timers, &walk->over);
    robo_robot *robot = find(walk);
    const int error = robot ? robo__seat_open(&walk->seat, robot, NULL, now) : ROBO_ENONE;
    robo_release(robot);
    if (error < 0)
        robo__world_log(world_of(walk), ROBO_LOG_WARNING, "gti: walk: %s%s%s", robo_strerror(error),
                        walk->robot[0] ? ": " : "", walk->robot);
    return error == 0;
}

/* A refusal for the log; without a latch `why` is its reason. The interface has no answer that would make a client pause: its refusals
 * have a line a second at most. */
static void complain(struct robo__gti_walk *walk, const char *what, const char *signal,
                     const char *why)
{
    char text[224];
    struct robo_notice_latched latch;
    robo__session_latch(walk->seat.session, &latch);
    if (latch.holds && strcmp(signal, "INTERRUPTED") == 0)
        snprintf(text, sizeof text, "gti: %s: %s: stopped by %s %u", what, signal, latch.name,
                 (unsigned)latch.by);
    else
        snprintf(text, sizeof text, "gti: %s: %s%s%s", what, signal, *why ? ": " : "", why);
    robo__complain_of(walk->seat.conn->host, ROBO__OVERRULED, text);
}

/* Logs the results of commands: refusals, and once a partial success. */
static void on_result(struct robo__seat *seat, const struct robo_result *r)
{
    struct robo__gti_walk *walk = robo__container_of(seat, struct robo__gti_walk, seat);
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
        robo__world_log(world_of(walk), ROBO_LOG_INFO, "%s", text);
    strcpy(walk->told, text);
}

static void give(struct robo__gti_walk *walk, struct robo_cmd cmd, robo_time now)
{
    cmd.id = ++walk->seat.commands;
    cmd.start = ROBO_AT_ONCE;
    /* else a stop of the base is one of everything, which latches others */
    cmd.revision = (uint8_t)robo__robot_revision(walk->seat.robot);
    if (robo__seat_command(&walk->seat, &cmd, 1, now) == 0)
        robo__world_log(world_of(walk), ROBO_LOG_WARNING,
                        "gti: walk: the robot has no room for it");
}

static void command(struct robo__gti_walk *walk, const double velocity[3], robo_time now)
{
    walk->stands = velocity[0] == 0 && velocity[1] == 0 && velocity[2] == 0;
    robo__timer_stop(walk->seat.conn->host->timers, &walk->over);
    give(walk,
         (struct robo_cmd){ .op = ROBO_SET_SPEED,
                            .body.set_speed = { velocity[0], velocity[1], velocity[2] } },
         now);
}

static void stand(struct robo__gti_walk *walk, robo_time now)
{
    static const double still[3];
    command(walk, still, now);
}

static void on_silence(struct robo__seat *seat, robo_time now)
{
    struct robo__gti_walk *walk = robo__container_of(seat, struct robo__gti_walk, seat);
    robo__world_log(world_of(walk), ROBO_LOG_WARNING,
                    "gti: nothing has come from a client for %g s while the dog walks: it stands",
                    (double)seat->deadman / 1e9);
    stand(walk, now);
}

/* The time of the walk has passed. The present walk may be another client's. */
static void on_over(struct robo__timer *timer, robo_time now)
{
    struct robo__gti_walk *walk = robo__container_of(timer, struct robo__gti_walk, over);
    if (robo__seat_moves(&walk->seat))
        stand(walk, now);
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
    if (!robo__session_refuses_motion(walk->seat.session, stop, now))
        return true;
    complain(walk, what, "INTERRUPTED", "");
    return false;
}

void robo__gti_walk_set(struct robo__gti_walk *walk, const double velocity[3], double seconds,
                        robo_time now)
{
    if (!is_open(walk, now))
        return;
    robo__seat_heard(&walk->seat, now);
    command(walk, velocity, now);
    if (!walk->stands && seconds < INFINITY)
        robo__timer_start(walk->seat.conn->host->timers, &walk->over,
                          now + (robo_time)(seconds * 1e9));
}

void robo__gti_walk_stop(struct robo__gti_walk *walk, robo_time now)
{
    static const double still[3];
    robo__gti_walk_set(walk, still, 0, now);
    if (walk->seat.session && walk->held)
        give(walk, (struct robo_cmd){ .op = ROBO_STOP, .body.stop.base = 1 }, now);
    walk->held = false;
}

bool robo__gti_walk_take_end(struct robo__gti_walk *walk, robo_time now)
{
    return robo__seat_is_open(&walk->seat) &&
           (robo__seat_look(&walk->seat, now).changed & (ROBO__SEAT_STOPPED | ROBO__SEAT_PANICKED));
}

void robo__gti_walk_close(struct robo__gti_walk *walk)
{
    robo__timer_stop(walk->seat.conn->host->timers, &walk->over);
    robo__seat_close(&walk->seat);
}
