/* One robot as one client of a Player server commands it. */
#include "drive.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/time.h"
#include "robot/client.h"

static const robo_time FOLLOW =
    50 * 1000000; /* between two checks of the waiting command, and of the heading */
/* rad/s for a radian of error, where the base's acceleration allows it; ABOUT: rad, so far from a heading it is there */
static const double GAIN = 3, ABOUT = 1e-3;

static void on_result(struct robo__seat *seat, const struct robo_result *result);
static void on_silence(struct robo__seat *seat, robo_time now);
static void on_follow(struct robo__timer *timer, robo_time now);

static const struct robo__seat_kind clients = {
    .client = "Player client", .wordless = true, .result = on_result, .silent = on_silence
};

struct robo__player_drive *robo__player_drive_open(struct robo__conn *conn, robo_robot *robot,
                                                   uint32_t number, robo_time deadman)
{
    struct robo__player_drive *drive = calloc(1, sizeof *drive);
    if (!drive)
        return NULL;
    robo__seat_init(&drive->seat, &clients, conn, deadman);
    drive->seat.number = number;
    drive->robot = robo_hold(robot);
    drive->follow.fire = on_follow;
    return drive;
}

static struct robo__timers *timers_of(const struct robo__player_drive *drive)
{
    return drive->seat.conn->host->timers;
}

/* The waiting command, and the heading that is kept, are forgotten. */
static void follow_no_more(struct robo__player_drive *drive)
{
    robo__timer_stop(timers_of(drive), &drive->follow);
    drive->later.op = 0;
    drive->steers = false;
}

void robo__player_drive_close(struct robo__player_drive *drive)
{
    follow_no_more(drive);
    robo__seat_close(&drive->seat);
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
    robo__world_log(drive->seat.conn->host->world, level, "player: client %u: %s: %s",
                    (unsigned)drive->seat.number, robo_robot_name(drive->robot), text);
}

static void on_result(struct robo__seat *seat, const struct robo_result *r)
{
    struct robo__player_drive *drive = robo__container_of(seat, struct robo__player_drive, seat);
    const bool refused = r->signal != ROBO_SUCCESS && r->signal != ROBO_MODIFIED &&
                         r->signal != ROBO_INTERRUPTED,
               own = r->id == drive->given;
    drive->good &= !refused || !own;
    if (drive->may_wait && own && r->signal == ROBO_BUSY &&
        (r->reason == ROBO_WHY_BRAKING || r->reason == ROBO_WHY_AXIS)) {
        drive->waits = true;
        return;
    }
    drive->refused += refused;
    if (refused)
        tell(drive, ROBO_LOG_WARNING, robo_signal_name(r->signal), robo__reason_doc(r->reason));
}

/* ---- commands ---- */

static bool open_session(struct robo__player_drive *drive, robo_time now)
{
    const int error = robo__seat_open(&drive->seat, drive->robot, NULL, now);
    if (error < 0) {
        drive->refused++;
        tell(drive, ROBO_LOG_WARNING, "no session", robo_strerror(error));
    }
    return error == 0;
}

/* How a command is given. */
enum giving {
    AT_ONCE,
    BEGINS, /* the client's newest to the base, which may wait while that brakes: its knowledge of panics and stops is noted */
    CONTINUES /* goes on with that one, and knows no more */
};

/* False: it was refused, which was logged. */
static bool give(struct robo__player_drive *drive, struct robo_cmd cmd, enum giving how,
                 robo_time now)
{
    struct robo__seat *seat = &drive->seat;
    if (!seat->session && !open_session(drive, now))
        return false;
    if (how == BEGINS) /* a stop, a fault or a reload between this and the command ends it */
        robo__seat_look(seat, now);
    if (how != AT_ONCE)
        cmd.revision = (uint8_t)robo__robot_revision(drive->robot);
    cmd.id = drive->given = ++seat->commands;
    cmd.start = ROBO_AT_ONCE;
    drive->good = true;
    drive->may_wait = how != AT_ONCE;
    drive->waits = false;
    const size_t admitted = how == CONTINUES ? robo__seat_command_as_seen(seat, &cmd, 1, now)
                                             : robo__seat_command(seat, &cmd, 1, now);
    drive->may_wait = false;
    if (!admitted && !robo__seat_is_open(seat)) {
        follow_no_more(drive);
        open_session(drive, now); /* says why there is none */
        return false;
    }
    if (!admitted) {
        drive->refused++;
        tell(drive, ROBO_LOG_WARNING, "the robot has no room for more commands", "");
    }
    if (drive->good && admitted)
        drive->told[0] = 0; /* the next refusal is news */
    return drive->good && admitted;
}

bool robo__player_drive_give(struct robo__player_drive *drive, struct robo_cmd cmd, robo_time now)
{
    robo__seat_heard(&drive->seat, now);
    return give(drive, cmd, AT_ONCE, now);
}

/* ---- what takes longer than one command ---- */

/* False: it was refused, and does not wait either. */
static bool give_base(struct robo__player_drive *drive, struct robo_cmd cmd, enum giving how,
                      robo_time now)
{
    const bool good = give(drive, cmd, how, now);
    drive->later.op = 0;
    if (drive->waits)
        drive->later = cmd;
    else if (!good && how == BEGINS)
        drive->steers = false;
    if (drive->later.op != 0 || drive->steers)
        robo__timer_start(timers_of(drive), &drive->follow, now + FOLLOW);
    else
        robo__timer_stop(timers_of(drive), &drive->follow);
    return good || drive->waits;
}

/* As fast as the base can still stop there. */
static double turn_to(const struct robo__player_drive *drive, double heading)
{
    const struct robo_description *d = robo__robot_description(drive->robot);
    const double most = d->base_speed[2], a = d->base_acceleration[2];
    struct robo_state state;
    robo_read(drive->robot, &state, sizeof state);
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

/* Drives at the speed and turns to the heading that are kept. */
static bool steer(struct robo__player_drive *drive, enum giving how, robo_time now)
{
    const struct robo_cmd cmd = {
        .op = ROBO_SET_SPEED, .body.set_speed = { drive->speed, 0, turn_to(drive, drive->heading) }
    };
    const bool good = give_base(drive, cmd, how, now);
    drive->moved =
        drive->later.op == 0 && (cmd.body.set_speed.x != 0 || cmd.body.set_speed.theta != 0);
    return good;
}

void robo__player_drive_base(struct robo__player_drive *drive, struct robo_cmd cmd, robo_time now)
{
    follow_no_more(drive);
    robo__seat_heard(&drive->seat, now);
    give_base(drive, cmd, BEGINS, now);
}

void robo__player_drive_steer(struct robo__player_drive *drive, double speed, double heading,
                              robo_time now)
{
    follow_no_more(drive);
    robo__seat_heard(&drive->seat, now);
    drive->steers = true;
    drive->speed = speed;
    drive->heading = heading;
    steer(drive, BEGINS, now);
}

/* The stopped or lost part may have been another one: the turn of the base is not watched any more, so the base stops. */
static void end_follow(struct robo__player_drive *drive, robo_time now)
{
    const struct robo_cmd stop = { .op = ROBO_STOP, .body.stop = { .scope = 1, .base = 1 } };
    const bool moves = drive->steers && robo__seat_moves(&drive->seat);
    if (drive->later.op != 0) {
        drive->refused++;
        tell(drive, ROBO_LOG_WARNING, "what waited for the base is dropped",
             "a stop, a loss, another description or silence");
    }
    follow_no_more(drive);
    if (moves)
        give(drive, stop, AT_ONCE, now);
}

static void on_follow(struct robo__timer *timer, robo_time now)
{
    struct robo__player_drive *drive = robo__container_of(timer, struct robo__player_drive, follow);
    struct robo__seat *seat = &drive->seat;
    const bool silent = seat->deadman > 0 && now - seat->heard >= seat->deadman;
    if (silent || !seat->session || (robo__seat_look(seat, now).changed & ROBO__SEAT_ENDS))
        end_follow(drive, now);
    else if (drive->steers && drive->moved && !robo__seat_moves(seat))
        follow_no_more(drive); /* the base alone was stopped */
    else if (drive->steers && !steer(drive, CONTINUES, now))
        end_follow(drive, now); /* it turns at the speed of before */
    else if (!drive->steers && drive->later.op != 0)
        give_base(drive, drive->later, CONTINUES, now);
}

static void on_silence(struct robo__seat *seat, robo_time now)
{
    struct robo__player_drive *drive = robo__container_of(seat, struct robo__player_drive, seat);
    const struct robo_cmd stop = { .op = ROBO_STOP,
                                   .revision = (uint8_t)robo__robot_revision(drive->robot),
                                   .body.stop.scope = 1 };
    follow_no_more(drive);
    robo__player_drive_give(drive, stop, now);
    tell(drive, ROBO_LOG_WARNING, "nothing has come for the deadman time", "it was stopped");
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
