/* One robot as one client of a Player server commands it. */
#include "drive.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/time.h"
#include "robot/robot.h"

/* PULSES: heartbeats in one time of the robot's deadman */
enum { PULSES = 3, RESULTS = 16 };
static const robo_time SECOND = 1000000000;
static const robo_time FOLLOW =
    50 * 1000000; /* between two checks of the waiting command, and of the heading */
/* rad/s for a radian of error, where the base's acceleration allows it; ABOUT: rad, so far from a heading it is there */
static const double GAIN = 3, ABOUT = 1e-3;

static void on_pulse(struct robo__timer *timer, robo_time now);
static void on_follow(struct robo__timer *timer, robo_time now);

struct robo__player_drive *robo__player_drive_open(struct robo__host *host, robo_robot *robot,
                                                   uint32_t number, robo_time deadman)
{
    struct robo__player_drive *drive = calloc(1, sizeof *drive);
    if (!drive)
        return NULL;
    drive->host = host;
    drive->robot = robo_hold(robot);
    drive->number = number;
    drive->deadman = deadman;
    drive->pulse.fire = on_pulse;
    drive->follow.fire = on_follow;
    return drive;
}

/* The waiting command, and the heading that is kept, are forgotten. */
static void follow_no_more(struct robo__player_drive *drive)
{
    robo__timer_stop(drive->host->timers, &drive->follow);
    drive->later.op = 0;
    drive->steers = false;
}

static void close_session(struct robo__player_drive *drive)
{
    follow_no_more(drive);
    robo__timer_stop(drive->host->timers, &drive->pulse);
    if (drive->session)
        robo__session_close(drive->session);
    drive->session = NULL;
}

void robo__player_drive_close(struct robo__player_drive *drive)
{
    close_session(drive);
    robo_release(drive->robot);
    free(drive);
}

/* ---- what is said about refusals ---- */

static void tell(struct robo__player_drive *drive, enum robo_log_level level, const char *what,
                 const char *why)
{
    char text[sizeof drive->told];
    snprintf(text, sizeof text, "%s%s%s", what, *why ? ": " : "", why);
    if (strcmp(text, drive->told) == 0)
        return;
    strcpy(drive->told, text);
    robo__world_log(drive->host->world, level, "player: client %u: %s: %s", (unsigned)drive->number,
                    robo_robot_name(drive->robot), text);
}

/* False: the command with that id was refused. *brakes: its axes still brake for another client, if the caller wants to wait for
 * that; NULL: it does not. */
static bool look_at(struct robo__player_drive *drive, const struct robo_result *results, size_t n,
                    uint32_t id, bool *brakes)
{
    bool good = true;
    for (size_t i = 0; i < n; i++) {
        const struct robo_result *r = &results[i];
        const bool refused = r->signal != ROBO_SUCCESS && r->signal != ROBO_MODIFIED &&
                             r->signal != ROBO_INTERRUPTED;
        good &= !refused || r->id != id;
        if (brakes && r->id == id && r->signal == ROBO_BUSY &&
            (r->reason == ROBO_WHY_BRAKING || r->reason == ROBO_WHY_AXIS)) {
            *brakes = true;
            continue;
        }
        drive->refused += refused;
        if (refused)
            tell(drive, ROBO_LOG_WARNING, robo_signal_name(r->signal), robo__reason_doc(r->reason));
    }
    return good;
}

/* Takes the available results; false: the command with that id was refused. */
static bool take_results(struct robo__player_drive *drive, uint32_t id, bool *brakes)
{
    struct robo_result results[RESULTS];
    bool good = true;
    for (size_t n = RESULTS; n == RESULTS;) {
        n = robo__session_results(drive->session, results, RESULTS);
        good &= look_at(drive, results, n, id, brakes);
    }
    return good;
}

/* ---- commands ---- */

static bool open_session(struct robo__player_drive *drive, robo_time now)
{
    char text[128] = "";
    const struct robo__identity who = { .number = drive->number,
                                        .name = "Player client",
                                        .wordless = true };
    const struct robo__session_request direct = { .who = &who };
    const int error =
        robo__session_open(drive->robot, NULL, &direct, NULL, NULL, now, &drive->session, text);
    if (error < 0) {
        drive->refused++;
        tell(drive, ROBO_LOG_WARNING, "no session", robo_strerror(error));
    }
    return error == 0;
}

/* The next heartbeat while something moves. */
static void arm(struct robo__player_drive *drive, robo_time now)
{
    robo_time wait =
        drive->session->mover.deadman > 0 ? drive->session->mover.deadman / PULSES : SECOND;
    if (drive->deadman > 0 && drive->heard + drive->deadman - now < wait)
        wait = drive->heard + drive->deadman - now;
    robo__timer_start(drive->host->timers, &drive->pulse, now + wait);
}

/* brakes: as of look_at. begins: it is the client's newest to the base, whose knowledge of panics and stops is noted; a command
 * that continues it knows no more than that. */
static bool give(struct robo__player_drive *drive, struct robo_cmd cmd, bool *brakes, bool begins,
                 robo_time now)
{
    if (!drive->session && !open_session(drive, now))
        return false;
    cmd.start = ROBO_AT_ONCE;
    cmd.id = ++drive->commands;
    if (begins) { /* a stop, a fault or a reload between this and the command ends it */
        const struct robo__news news = robo__session_news(drive->session, now);
        drive->begun_stops = news.begun_stops, drive->faults = news.faults;
        drive->revision = drive->robot->revisions->revision;
    }
    if (brakes)
        cmd.revision = (uint8_t)(begins ? drive->revision : drive->robot->revisions->revision);
    struct robo_result results[RESULTS];
    size_t n = RESULTS, admitted;
    if (brakes && !begins) {
        const struct robo__known known = { .stops = drive->stops, .epoch = drive->epoch };
        robo__session_heard(drive->session, ROBO_NO_TIME, now);
        admitted = robo__session_commands(drive->session, &cmd, 1, known, ROBO_NO_TIME, now);
        n = robo__session_results(drive->session, results, RESULTS);
    } else {
        struct robo__known known;
        admitted = robo__session_commands_now(drive->session, &cmd, 1, &known, results, &n, now);
        if (begins)
            drive->stops = known.stops, drive->epoch = known.epoch;
    }
    if (!admitted && robo__session_gone(drive->session)) {
        close_session(drive);
        open_session(drive, now); /* says why there is none */
        return false;
    }
    if (!admitted) {
        drive->refused++;
        tell(drive, ROBO_LOG_WARNING, "the robot has no room for more commands", "");
    }
    bool good = look_at(drive, results, n, cmd.id, brakes) && admitted;
    if (n == RESULTS)
        good &= take_results(drive, cmd.id, brakes);
    if (good)
        drive->told[0] = 0; /* the next refusal is news */
    /* a pulse that is due is soon enough, and arms the next: a client that commands steadily sets no timer */
    if (drive->pulse.place != ROBO__TIMER_ARMED && robo__session_moves(drive->session))
        arm(drive, now);
    return good;
}

bool robo__player_drive_give(struct robo__player_drive *drive, struct robo_cmd cmd, robo_time now)
{
    drive->heard = now;
    return give(drive, cmd, NULL, false, now);
}

/* ---- what takes longer than one command ---- */

/* False: it was refused, and does not wait either. */
static bool give_base(struct robo__player_drive *drive, struct robo_cmd cmd, bool begins,
                      robo_time now)
{
    bool brakes = false;
    const bool good = give(drive, cmd, &brakes, begins, now);
    drive->later.op = 0;
    if (brakes)
        drive->later = cmd;
    else if (!good && begins)
        drive->steers = false;
    if (drive->later.op != 0 || drive->steers)
        robo__timer_start(drive->host->timers, &drive->follow, now + FOLLOW);
    else
        robo__timer_stop(drive->host->timers, &drive->follow);
    return good || brakes;
}

/* As fast as the base can still stop there. */
static double turn_to(const struct robo__player_drive *drive, double heading)
{
    const struct robo_description *d = robo__robot_description(drive->robot);
    const double most = d->base_speed[2], a = d->base_acceleration[2];
    struct robo_state state;
    robo_read(drive->robot, &state);
    const double error = remainder(heading - state.attitude[2], 2 * M_PI), way = fabs(error);
    double speed = GAIN * way;
    if (way < ABOUT)
        return 0;
    if (a > 0)
        speed = fmin(speed, sqrt(a * way));
    if (most > 0)
        speed = fmin(speed, most);
    return copysign(speed, error);
}

/* Drives at the speed and turns to the heading that are kept; begins: as of give. */
static bool steer(struct robo__player_drive *drive, bool begins, robo_time now)
{
    const struct robo_cmd cmd = {
        .op = ROBO_SET_SPEED, .body.set_speed = { drive->speed, 0, turn_to(drive, drive->heading) }
    };
    const bool good = give_base(drive, cmd, begins, now);
    drive->moved =
        drive->later.op == 0 && (cmd.body.set_speed.x != 0 || cmd.body.set_speed.theta != 0);
    return good;
}

void robo__player_drive_base(struct robo__player_drive *drive, struct robo_cmd cmd, robo_time now)
{
    follow_no_more(drive);
    drive->heard = now;
    give_base(drive, cmd, true, now);
}

void robo__player_drive_steer(struct robo__player_drive *drive, double speed, double heading,
                              robo_time now)
{
    follow_no_more(drive);
    drive->heard = now;
    drive->steers = true;
    drive->speed = speed;
    drive->heading = heading;
    steer(drive, true, now);
}

/* Whether the client's newest command to the base is over: by a panic, a stop, a device that is lost, another description, or the deadman. */
static bool is_over(const struct robo__player_drive *drive, robo_time now)
{
    if (!drive->session || (uint16_t)robo__robot_alarm(drive->robot).epoch != drive->epoch)
        return true;
    const struct robo__news news = robo__session_news(drive->session, now);
    return (uint16_t)news.stops != drive->stops || news.begun_stops != drive->begun_stops ||
           news.faults != drive->faults || news.silence > 0 ||
           drive->robot->revisions->revision != drive->revision;
}

/* The stopped or lost part may have been another one: the turn of the base is not watched any more, so the base stops. */
static void end_follow(struct robo__player_drive *drive, robo_time now)
{
    const struct robo_cmd stop = { .op = ROBO_STOP, .body.stop = { .scope = 1, .base = 1 } };
    const bool moves = drive->steers && drive->session && robo__session_moves(drive->session);
    if (drive->later.op != 0) {
        drive->refused++;
        tell(drive, ROBO_LOG_WARNING, "what waited for the base is dropped",
             "a stop, a loss, another description or silence");
    }
    follow_no_more(drive);
    if (moves)
        give(drive, stop, NULL, false, now);
}

static void on_follow(struct robo__timer *timer, robo_time now)
{
    struct robo__player_drive *drive = robo__container_of(timer, struct robo__player_drive, follow);
    const bool silent = drive->deadman > 0 && now - drive->heard >= drive->deadman;
    if (silent || is_over(drive, now))
        end_follow(drive, now);
    else if (drive->steers && drive->moved && !robo__session_moves(drive->session))
        follow_no_more(drive); /* the base alone was stopped */
    else if (drive->steers && !steer(drive, false, now))
        end_follow(drive, now); /* it turns at the speed of before */
    else if (!drive->steers && drive->later.op != 0)
        give_base(drive, drive->later, false, now);
}

void robo__player_drive_heard(struct robo__player_drive *drive, robo_time now)
{
    drive->heard = now;
}

static void on_pulse(struct robo__timer *timer, robo_time now)
{
    struct robo__player_drive *drive = robo__container_of(timer, struct robo__player_drive, pulse);
    take_results(drive, 0, NULL);
    if (robo__session_gone(drive->session)) {
        close_session(drive);
    } else if (!robo__session_moves(drive->session)) {
        return; /* it has arrived, or another's command has ended it */
    } else if (drive->deadman > 0 && now - drive->heard >= drive->deadman) {
        const struct robo_cmd stop = { .op = ROBO_STOP,
                                       .revision = (uint8_t)drive->robot->revisions->revision,
                                       .body.stop.scope = 1 };
        follow_no_more(drive);
        robo__player_drive_give(drive, stop, now);
        robo__timer_stop(drive->host->timers, &drive->pulse);
        tell(drive, ROBO_LOG_WARNING, "nothing has come for the deadman time", "it was stopped");
    } else {
        robo__session_heard(drive->session, ROBO_NO_TIME, now);
        arm(drive, now);
    }
}

/* ---- odometry ---- */

void robo__player_drive_odometry(const struct robo__player_drive *drive, const double world[3],
                                 double out[3])
{
    const double *o = drive->origin, c = cos(o[2]), s = sin(o[2]), x = world[0] - o[0],
                 y = world[1] - o[1];
    out[2] = world[2] - o[2];
    out[0] = c * x + s * y;
    out[1] = c * y - s * x;
}

void robo__player_drive_world(const struct robo__player_drive *drive, const double odometry[3],
                              double out[3])
{
    const double *o = drive->origin, c = cos(o[2]), s = sin(o[2]), x = odometry[0], y = odometry[1];
    out[0] = o[0] + c * x - s * y;
    out[1] = o[1] + s * x + c * y;
    out[2] = o[2] + odometry[2];
}

void robo__player_drive_set(struct robo__player_drive *drive, const double world[3],
                            const double odometry[3])
{
    const double theta = world[2] - odometry[2], c = cos(theta), s = sin(theta);
    drive->origin[0] = world[0] - c * odometry[0] + s * odometry[1];
    drive->origin[1] = world[1] - s * odometry[0] - c * odometry[1];
    drive->origin[2] = theta;
}
