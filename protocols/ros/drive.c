/* Robots that a client of ROS drives. */
#include "drive.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/time.h"
#include "robot/client.h"

static const robo_time LET_GO = 500000000, /* without a velocity: the operator has let go */
    LATE = 1500000000;                     /* age of a velocity that begins a motion, at most */

struct robo__ros_drive {
    struct robo__ros_drive *next;
    struct robo__ros_pilot *pilot;
    struct robo__seat seat;
    robo_robot *robot; /* held */
    uint32_t stop;     /* number of the stop that holds the client; 0: none */
    /* the ping whose pong shows that the client has read the newest status (web/websocket.h) */
    robo_time asked;
    robo_time came,
        moved;    /* instants of its newest velocity, and of the newest that was not zero */
    bool refused; /* the command that is being given */
    bool rests; /* its velocities are refused until it has let go: after its own stop, or a reset */
    char told[160]; /* the newest, which is not repeated */
};

static void tell(struct robo__ros_drive *drive, const char *level, const char *what,
                 const char *why)
{
    char text[sizeof drive->told];
    snprintf(text, sizeof text, "%s: %s%s%s", robo_robot_name(drive->robot), what, *why ? ": " : "",
             why);
    if (strcmp(text, drive->told) == 0)
        return;
    strcpy(drive->told, text);
    drive->pilot->tell(drive->pilot, level, text);
}

#define STALE "it was sent before the client has read the newest of the robot"

static void on_result(struct robo__seat *seat, const struct robo_result *r)
{
    struct robo__ros_drive *drive = robo__container_of(seat, struct robo__ros_drive, seat);
    const bool good = r->signal == ROBO_SUCCESS || r->signal == ROBO_MODIFIED;
    drive->refused |= !good;
    if (!good || r->reason == ROBO_WHY_LIMIT)
        tell(drive, good ? "warning" : "error", robo_signal_name(r->signal),
             robo__reason_doc(r->reason));
    else if (r->reason != ROBO_WHY_SUPERSEDED)
        drive->told[0] = 0; /* the next refusal is news */
}

static void tell_of_panic(struct robo__ros_drive *drive)
{
    tell(drive, "error", "it is in panic",
         drive->pilot->wordless ? "" : "the service reset ends that");
}

/* The ping of which the client knows what it has got before it. */
static robo_time ask(const struct robo__ros_pilot *pilot, robo_time now)
{
    return pilot->door ? robo__websocket_ask(pilot->door->web, now) : 0;
}

static bool has_read(const struct robo__ros_drive *drive)
{
    return !drive->pilot->door || robo__websocket_has_read(drive->pilot->door->web, drive->asked);
}

static robo_time age(const struct robo__ros_pilot *pilot, robo_time now)
{
    return pilot->door ? robo__websocket_age(pilot->door->web, now) : 0;
}

/* At each pulse: reports to the client what other clients have done, with a ping: what it commands after its pong is made with that
 * knowledge. No lease is kept. */
static bool look(struct robo__seat *seat, robo_time now)
{
    struct robo__ros_drive *drive = robo__container_of(seat, struct robo__ros_drive, seat);
    struct robo_notice_latched latch;
    if (!seat->session)
        return false;
    const unsigned changed = robo__seat_look(seat, now).changed;
    robo__seat_results(seat);
    robo__session_latch(seat->session, &latch);
    drive->stop = latch.holds ? latch.stop : 0;
    if (changed & ROBO__SEAT_PANICKED)
        tell_of_panic(drive);
    if (changed & ROBO__SEAT_RESET) {
        drive->rests = true;
        tell(drive, "info", "the panic is over", "");
    }
    if ((changed & ROBO__SEAT_STOPPED) && latch.holds)
        tell(drive, "error", "a stop by another client holds this one",
             drive->pilot->wordless ? "a velocity of zero ends that, or 5 s without one"
                                    : "the service resume ends that");
    if (changed & ROBO__SEAT_LOST)
        tell(drive, "error", "another client drives it", "");
    if (changed & ROBO__SEAT_GONE) { /* nothing is commanded there any more */
        tell(drive, "error", "it was removed", "");
        robo__seat_close(seat);
        drive->stop = 0;
    } else if (changed) {
        drive->asked = ask(drive->pilot, now);
    } else {
        age(drive->pilot, now); /* known for the next velocity */
    }
    return false;
}

static void command(struct robo__ros_drive *drive, struct robo_cmd cmd, robo_time now)
{
    cmd.id = ++drive->seat.commands;
    cmd.start = ROBO_AT_ONCE;
    cmd.revision = (uint8_t)robo__robot_revision(drive->robot);
    drive->refused = false;
    if (robo__seat_command_as_seen(&drive->seat, &cmd, 1, now) > 0)
        return;
    drive->refused = true;
    tell(drive, "error", robo_signal_name(ROBO_BUSY), robo__reason_doc(ROBO_WHY_FULL));
}

static void on_silence(struct robo__seat *seat, robo_time now)
{
    struct robo__ros_drive *drive = robo__container_of(seat, struct robo__ros_drive, seat);
    command(drive, (struct robo_cmd){ .op = ROBO_STOP, .body.stop.scope = 1 }, now);
    tell(drive, "warning", "no velocity has come for the deadman time", "it stops");
}

/* Takes it off the list. */
static void close_drive(struct robo__ros_drive **at)
{
    struct robo__ros_drive *drive = *at;
    *at = drive->next;
    robo__seat_close(&drive->seat);
    robo_release(drive->robot);
    robo__budget_give(robo__world_memory(drive->pilot->conn->host->world), sizeof *drive);
    free(drive);
}

/* The client's seat on that robot, with a session; NULL: there is no room for one. */
static struct robo__ros_drive *drive_of(struct robo__ros_pilot *pilot, robo_robot *robot,
                                        robo_time now)
{
    static const struct robo__seat_kind kinds[] = {
        { .result = on_result, .silent = on_silence, .keeps = look },
        { .wordless = true, .result = on_result, .silent = on_silence, .keeps = look }
    };
    struct robo__budget *budget = robo__world_memory(pilot->conn->host->world);
    struct robo__ros_drive **at = &pilot->first;
    while (*at && (*at)->robot != robot)
        if ((*at)->seat.session)
            at = &(*at)->next;
        else
            close_drive(at); /* its robot was removed */
    struct robo__ros_drive *drive = *at;
    if (!drive) {
        drive = robo__budget_take(budget, pilot->conn->memory, sizeof *drive)
                    ? calloc(1, sizeof *drive)
                    : NULL;
        if (!drive)
            return NULL;
        if (pilot->number == 0)
            pilot->number = robo__world_number(pilot->conn->host->world);
        robo__seat_init(&drive->seat, &kinds[pilot->wordless], pilot->conn, pilot->deadman);
        drive->seat.number = pilot->number;
        drive->pilot = pilot;
        drive->robot = robo_hold(robot);
        drive->next = pilot->first;
        pilot->first = drive;
    }
    if (robo__seat_is_open(&drive->seat))
        return drive;
    if (robo__seat_open(&drive->seat, robot, pilot->client, now) < 0)
        return NULL;
    if (drive->seat.panic) { /* what comes now may be from before it */
        tell_of_panic(drive);
        drive->asked = ask(pilot, now);
    }
    return drive;
}

void robo__ros_leave(struct robo__ros_pilot *pilot)
{
    while (pilot->first)
        close_drive(&pilot->first);
}

/* A member that is a number, or is missing, which is 0. */
static bool number_of(struct robo__json_value msg, const char *path, double *x)
{
    const struct robo__json_value value = robo__json_get(msg, path);
    *x = 0;
    return !value.at || robo__json_is_number(value, x);
}

/* An object, or missing. */
static bool is_vector(struct robo__json_value msg, const char *path)
{
    const struct robo__json_value value = robo__json_get(msg, path);
    return !value.at || *value.at == '{';
}

/* Whether it may have been held up by a bad link, for so long that its operator may have let go. */
static bool is_late(const struct robo__ros_drive *drive, robo_time now)
{
    const robo_time pause = drive->pilot->deadman;
    return pause > 0 && now - drive->moved >= pause && age(drive->pilot, now) > LATE;
}

bool robo__ros_means(struct robo__ros_pilot *pilot, const robo_robot *robot, const char *name,
                     bool anew)
{
    const char *is = robo_robot_name(robot);
    if (strchr(name + (*name == '/'), '/'))
        return true;
    if (anew || !pilot->meant[0])
        snprintf(pilot->meant, sizeof pilot->meant, "%s", is);
    return strcmp(pilot->meant, is) == 0;
}

void robo__ros_publish(struct robo__ros_pilot *pilot, robo_robot *robot,
                       struct robo__json_value msg, robo_time now)
{
    const struct robo__json_value stamped = robo__json_get(msg, "twist");
    const struct robo__json_value twist = stamped.at ? stamped : msg;
    double linear[3] = { 0 }, angular[3] = { 0 };
    if (!twist.at || *twist.at != '{' || !is_vector(twist, "linear") ||
        !is_vector(twist, "angular") || !number_of(twist, "linear.x", &linear[0]) ||
        !number_of(twist, "linear.y", &linear[1]) || !number_of(twist, "angular.z", &angular[2]))
        linear[0] = NAN;
    robo__ros_velocity(pilot, robot, linear, angular, now);
}

void robo__ros_velocity(struct robo__ros_pilot *pilot, robo_robot *robot, const double linear[3],
                        const double angular[3], robo_time now)
{
    const struct robo_set_speed speed = { .x = linear[0], .y = linear[1], .theta = angular[2] };
    if (!isfinite(speed.x) || !isfinite(speed.y) || !isfinite(speed.theta)) {
        pilot->tell(pilot, "error", "cmd_vel: expected the numbers linear.x, linear.y, angular.z");
        return;
    }
    if (robo__conn_role(pilot->conn) < ROBO_ROLE_DRIVE) {
        pilot->tell(pilot, "error", "cmd_vel: this client may not drive");
        return;
    }
    struct robo__ros_drive *drive = drive_of(pilot, robot, now);
    if (!drive) {
        pilot->tell(pilot, "error", "cmd_vel: the robot has no room for another client");
        return;
    }
    const bool moves = speed.x != 0 || speed.y != 0 || speed.theta != 0,
               let_go = !moves || now - drive->came >= LET_GO;
    drive->came = now;
    if (drive->seat.panic) /* is it over? */
        look(&drive->seat, now);
    if (!drive->seat.session || !has_read(drive)) {
        tell(drive, "error", "stale", STALE);
        return;
    }
    drive->rests &= !let_go;
    if (drive->rests && !drive->seat.panic) {
        tell(drive, "error", "it rests after a stop or a panic",
             "a velocity of zero ends that, or 0.5 s without one");
        return;
    }
    if (moves && is_late(drive, now)) {
        tell(drive, "error", "late",
             "after a pause, it may be older than 1.5 s: the client may send it again");
        return;
    }
    if (moves)
        drive->moved = now;
    robo__seat_heard(&drive->seat, now);
    command(drive, (struct robo_cmd){ .op = ROBO_SET_SPEED, .body.set_speed = speed }, now);
}

/* ---- services ---- */

const char *const robo__ros_services[] = { "stop", "reset", "resume", "panic", NULL };

static const char *resume(struct robo__ros_drive *drive, robo_time now)
{
    const struct robo_request_resume what = { .stop = drive->stop };
    const uint8_t role = robo__conn_role(drive->seat.conn);
    if (drive->stop == 0)
        return NULL;
    return role < ROBO_ROLE_DRIVE ? "this client may not drive"
           : robo__session_request(drive->seat.session, ROBO_Q_RESUME, &what, role, NULL, now) < 0
               ? "there was another stop meanwhile"
               : NULL;
}

static const char *reset(struct robo__ros_drive *drive)
{
    return robo__conn_role(drive->seat.conn) < ROBO_ROLE_OPERATE ? "this client may not"
           : robo__seat_reset(&drive->seat) < 0 ? "there was another panic meanwhile"
                                                : NULL;
}

bool robo__ros_serve(struct robo__ros_pilot *pilot, robo_robot *robot, const char *service,
                     const char **text, robo_time now)
{
    struct robo__ros_drive *drive = drive_of(pilot, robot, now);
    const char *why = NULL;
    *text = "done";
    if (strcmp(service, "panic") == 0 || (!drive && strcmp(service, "stop") == 0)) {
        robo__panic_by(robot, pilot->client); /* a stop without memory for it, too */
        if (drive)
            look(&drive->seat, now);
        return true;
    }
    if (!drive) {
        *text = "the robot has no room for another client";
        return false;
    }
    if (strcmp(service, "stop") == 0) {
        command(drive, (struct robo_cmd){ .op = ROBO_STOP }, now);
        why = drive->refused ? "it is in panic" : NULL;
        drive->rests = true;
    } else {
        look(&drive->seat,
             now); /* the newest is news to the client, and what it asks for is older */
        why = !has_read(drive)                ? "stale: " STALE
              : strcmp(service, "reset") == 0 ? reset(drive)
                                              : resume(drive, now);
    }
    look(&drive->seat, now);
    if (why)
        *text = why;
    return !why;
}
