/* One robot as one client of a Player server commands it: a session that is opened with the first command and ends with the
 * client, whose end stops its motions. A command of Player has no reply, so a refusal is logged, each kind once. Motions go on as
 * long as the connection lasts, since Player's clients expect that, unless the address sets a deadman time; the session's own
 * deadman is fed by this thread, and stops the robot when the thread hangs. On the connection's thread. */
#pragma once

#include "net/seat.h"

struct robo__player_drive {
    struct robo__player_drive *next; /* of its client's list */
    struct robo__seat seat;
    robo_robot *robot; /* held */
    uint32_t refused;
    /* the command that is being given: its id; whether it was carried out; it may wait for axes that still brake for another client,
     * and it does */
    uint32_t given;
    bool good, may_wait, waits;
    struct robo__timer follow; /* while a command waits or a heading is kept */
    struct robo_cmd later;     /* to a base that still braked for another client; op 0: none */
    bool steers, moved;        /* moved: its last command was a speed */
    double speed, heading;     /* that are kept then, m/s and rad in the world */
    bool off;                  /* its motors are, for this client */
    bool steps;                /* its head is moved by speeds */
    double origin[3];          /* of this client's odometry: x, y, heading in the world */
    char told[96];             /* the newest refusal */
};

/* NULL: no memory. */
struct robo__player_drive *robo__player_drive_open(struct robo__conn *conn, robo_robot *robot,
                                                   uint32_t number, robo_time deadman);
/* Its motions stop. */
void robo__player_drive_close(struct robo__player_drive *drive);

/* Begins a command at once; its revision says whose numbers it has. false: it was refused, which was logged. */
bool robo__player_drive_give(struct robo__player_drive *drive, struct robo_cmd cmd, robo_time now);

/* The newest command to the base, at once, which takes the place of all before it. A command that finds the base braking for another
 * client is given again until that is over, unless a panic or a stop comes before: Player's base would take it. */
void robo__player_drive_base(struct robo__player_drive *drive, struct robo_cmd cmd, robo_time now);
/* Drives on at that speed, m/s, and turns to that heading in the world, rad, which it then keeps;
 * otherwise as robo__player_drive_base. */
void robo__player_drive_steer(struct robo__player_drive *drive, double speed, double heading,
                              robo_time now);

/* From the world to this client's odometry and back: x, y, heading. */
void robo__player_drive_odometry(const struct robo__player_drive *drive, const double world[3],
                                 double out[3]);
void robo__player_drive_world(const struct robo__player_drive *drive, const double odometry[3],
                              double out[3]);
/* From now on this place in the world is that of the odometry. */
void robo__player_drive_set(struct robo__player_drive *drive, const double world[3],
                            const double odometry[3]);
