/* A seat: one client of a protocol that is not RoboTalk, and one robot that it drives. Every such protocol needs a session, leases, a
 * deadman, and news of panics, stops and losses: these are the seat's. The bytes, and the words for all of it, are the protocol's.
 *
 * There are two deadman times. The session has the robot's, which stops the robot when the host's thread hangs. As long as the client's
 * silence is within the protocol's own deadman time, the seat sends the heartbeats for it.
 *
 * All else is asked of its session: the stop that holds it, other clients' leases, the robot's deadman time. On its host's thread. */
#pragma once

#include "conn.h"
#include "robot/client.h"

struct robo__seat;

/* The clients of a protocol. */
struct robo__seat_kind {
    const char *client; /* how others read of one that has no name, as "GTI client" */
    bool
        wordless; /* they have no word for resume: rest or silence ends a stop's latch (robot/axes/holder.h) */
    bool
        shares_leases; /* they share the leases of the program that serves the robot; each has a latch of its own */
    bool
        beats; /* the protocol calls robo__seat_beat with what it receives, and renews its lease by itself: the seat has no pulse */
    /* A result; of a command that this thread has just given, before robo__seat_command returns. */
    void (*result)(struct robo__seat *seat, const struct robo_result *result);
    /* Nothing has come from the client for its deadman time, and something moves: the protocol stops that. */
    void (*silent)(struct robo__seat *seat, robo_time now);
    /* Its clients can keep the whole robot's lease, whether they move it or not: at each pulse the protocol looks for news, and returns
     * whether this client still has the lease, which is renewed then. NULL: leases come with commands, and lapse. */
    bool (*keeps)(struct robo__seat *seat, robo_time now);
    /* Any thread, with the robot's mutex held: there are results or news. NULL: the protocol looks by itself. */
    void (*wake)(struct robo__seat *seat);
};

/* Changes since the last look, in struct robo__seat_news. */
enum {
    ROBO__SEAT_STOPPED = 1 << 0,  /* another client has stopped the robot */
    ROBO__SEAT_STOPS = 1 << 1,    /* a stop of any motion has begun, by whomever */
    ROBO__SEAT_FAULT = 1 << 2,    /* a device was lost */
    ROBO__SEAT_BASE = 1 << 3,     /* one of these was of the base */
    ROBO__SEAT_SILENT = 1 << 4,   /* the robot's deadman has stopped it */
    ROBO__SEAT_REVISED = 1 << 5,  /* the robot has another description */
    ROBO__SEAT_PANICKED = 1 << 6, /* another panic has begun, and may be over */
    ROBO__SEAT_RESET = 1 << 7,    /* the robot was in a panic, and is not any more */
    ROBO__SEAT_LOST = 1 << 8,     /* another client has taken leases of this one */
    ROBO__SEAT_LEASES = 1 << 9,   /* leases of others have changed */
    ROBO__SEAT_GONE = 1 << 10,    /* the robot was removed: nothing more will come */
    /* each of these ends what the client has repeated or has waiting */
    ROBO__SEAT_ENDS = ROBO__SEAT_STOPPED | ROBO__SEAT_STOPS | ROBO__SEAT_FAULT | ROBO__SEAT_SILENT |
                      ROBO__SEAT_REVISED | ROBO__SEAT_PANICKED | ROBO__SEAT_GONE
};

struct robo__seat_news {
    unsigned changed;
    robo_time silence; /* of ROBO__SEAT_SILENT */
    bool was_in_panic; /* as the client knew */
    uint32_t asks;     /* questions of others for leases, so far */
};

struct robo__seat {
    const struct robo__seat_kind *kind;
    struct robo__conn *conn;
    uint32_t number;   /* of the client; 0: none yet. A client with several seats has one number */
    robo_time deadman; /* of the protocol; 0: none */
    robo_time heard;   /* when the client was, last */
    struct robo__session *session; /* NULL: nobody sits here */
    robo_robot *robot;             /* the session's */
    struct robo__timer pulse;      /* as long as something moves, or the kind `keeps` */
    uint32_t commands;             /* so far, for the protocol to number them */
    /* the robot at the newest look, which is what the client knows */
    uint32_t epoch, stops, begun_stops, faults, base_ends, leases, losses, revision;
    bool panic;
};

/* Nobody sits here yet. deadman: of the protocol; 0: none. */
void robo__seat_init(struct robo__seat *seat, const struct robo__seat_kind *kind,
                     struct robo__conn *conn, robo_time deadman);

/* Opens the session, in the place of the one that there may be. name: the client's own; NULL: the kind's. 0, or as
 * robo__session_open. */
int robo__seat_open(struct robo__seat *seat, robo_robot *robot, const char *name, robo_time now);
/* What it moves stops; its leases are free. Nobody sits there: does nothing. */
void robo__seat_close(struct robo__seat *seat);

/* Whether there is a session, with a robot that was not removed. */
bool robo__seat_is_open(const struct robo__seat *seat);

/* All functions from here on, but robo__seat_heard and robo__seat_moves, need a session.
 *
 * Commands of clients whose protocol sends no news of stops and panics, or sends it before each answer: they are made with all that is known now. How many were
 * admitted; the others, which are last then, have no result. */
size_t robo__seat_command(struct robo__seat *seat, struct robo_cmd *cmds, size_t n, robo_time now);
/* The same for commands that are given again, or that the client made earlier: with what was known at the newest look. */
size_t robo__seat_command_as_seen(struct robo__seat *seat, struct robo_cmd *cmds, size_t n,
                                  robo_time now);

/* The same with knowledge that the protocol itself keeps, and without taking results. */
size_t robo__seat_command_knowing(struct robo__seat *seat, struct robo_cmd *cmds, size_t n,
                                  uint32_t epoch, uint32_t stops, robo_time now);

/* Takes the results that there are. */
void robo__seat_results(struct robo__seat *seat);

/* Bytes were received from the client. */
void robo__seat_heard(struct robo__seat *seat, robo_time now);
/* A heartbeat for the session. */
void robo__seat_beat(struct robo__seat *seat, robo_time now);
bool robo__seat_moves(const struct robo__seat *seat);

/* The lease of the whole robot, from now on or still; false: another client has some of it. */
bool robo__seat_take(struct robo__seat *seat, robo_time now);
void robo__seat_give_back(struct robo__seat *seat, robo_time now);

/* Whether others have taken leases of the client since the last look, or the last call: each loss is seen once. */
bool robo__seat_see_loss(struct robo__seat *seat, robo_time now);

/* Looks for news. */
struct robo__seat_news robo__seat_look(struct robo__seat *seat, robo_time now);

/* Ends the panic that the newest look has seen: 0; ROBO_EPANIC: there has been another since. */
int robo__seat_reset(struct robo__seat *seat);
