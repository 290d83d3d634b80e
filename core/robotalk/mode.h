/* May change without notice between versions. */
/* Command modes of a C host: when the commands of a session are run. */
#pragma once

#include <stddef.h>

#include "robotalk/base.h"

ROBO_API_BEGIN

/* ---- command modes ----
 *
 * A mode decides when the commands of a session are run (spec/modes.md): how much later than they say, and whether they
 * are held until more of them are received. Its decision is data, which holds for all later packages without another
 * call. Sessions with robots of this process, of servers and of clients of "local:", are opened in the modes of their
 * loop. "direct" is built in; the other modes of the program robotalk are scripts of its own. */

enum { ROBO_MAX_MODE_NAME = 31 }; /* most bytes */

/* The options of a session that a client opens: as in struct robo_session_options, 0 for those that it leaves open.
 * Borrowed for the call. */
struct robo_mode_request {
    const char *name, *options; /* never NULL */
    robo_time delay, duration, deadman, gap, expiry;
    robo_time jitter; /* longest time to the server that the client has measured; 0: not known */
};

/* The received part of a sequence, on the clock of this world. A frame is the commands with one start. Borrowed for the
 * call. */
struct robo_mode_seen {
    robo_time now;
    uint64_t frames, packages;
    robo_time first_start, last_start, first_arrival, last_arrival;
    robo_time next_start;    /* of the first frame that was not run */
    robo_time least, worst;  /* arrival less start: the least and the greatest */
    robo_time lateness, lag; /* of the newest package: arrival less start, sending less start */
    double gap_mean, gap_deviation; /* s, between arrivals of packages */
    /* s, of the connection: the service time, by which a package delays those behind it; how much longer its transit is */
    double service, base;
    uint32_t known;     /* packages of the connection of which that is known */
    uint32_t pauses;    /* how often it has held again since a frame was missing */
    int finished;       /* 1: the client has announced that no frame follows */
    const void *inside; /* the library's */
};

/* A decision. `open` finds in it the defaults, nothing but an expiry of -1; `decide` finds the decision so far. */
struct robo_mode_decision {
    int hold;        /* 1: keep the received commands, and call `decide` again */
    robo_time shift; /* when not holding: is added to every start */
    robo_time again; /* when holding: latest instant of the next call; 0: with the next package */
    /* properties that `decide` cannot change */
    int blocking; /* 1: the client's calls wait for their answers */
    int buffered; /* 1: commands are a sequence, sent ahead; queued ones count as a sign of life */
    /* 1: when a frame is late or missing, the robot brakes, the session holds again, and `decide` is called */
    int refills;
    robo_time expiry; /* lateness beyond which a command is refused; negative: none */
};

/* A mode of a C host. Its functions are called on the loop's thread, which also reads panics: they may take a few
 * milliseconds at most, and call no function of this library but robo_mode_need. Those that return int return 0 or an
 * enum robo_error, ROBO_EMODE as a rule, with a message for the client in why. */
struct robo_mode {
    size_t size;      /* sizeof(struct robo_mode) */
    const char *name; /* copied */
    void *owner;
    /* A session opens: the first decision, and *own for the session. NULL: commands are run when they say. */
    int (*open)(void *owner, const struct robo_mode_request *request,
                struct robo_mode_decision *decision, void **own, char why[128]);
    /* While it holds: after each package, and at `again`. After an error held commands are answered ERROR, mode. NULL:
     * for modes that never hold. */
    int (*decide)(void *owner, void *own, const struct robo_mode_seen *seen,
                  struct robo_mode_decision *decision, char why[128]);
    /* The session has closed, or was refused. May be NULL. */
    void (*close)(void *owner, void *own);
    /* The mode was replaced or its loop has ended, and no session has it any more. May be NULL. */
    void (*release)(void *owner);
};

/* Adds a mode for the sessions of the loop. For sessions that open later a mode of the same name is replaced. A loop that
 * was started pauses meanwhile. ROBO_EINVAL: no size, or no name of at most ROBO_MAX_MODE_NAME bytes; ROBO_ENOMEM. */
int robo_loop_add_mode(robo_loop *loop, const struct robo_mode *mode);

/* The shift, in seconds, with which `rest` frames to come, `gap` seconds apart, are all in time with that probability, as
 * far as the timing of the connection shows. Takes about a millisecond. From inside `decide`. */
double robo_mode_need(const struct robo_mode_seen *seen, double certainty, double rest, double gap);

ROBO_API_END
