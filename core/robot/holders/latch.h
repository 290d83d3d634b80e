/* Latches: stops that hold. An undated stop of everything latches every other client that has sent the robot a command that moves
 * something. A latched client moves nothing, in no session and after no reconnection, until somebody resumes it with the number of that
 * stop. Its stops, speeds of zero, panics and queries act.
 *
 * A protocol whose clients share the leases of the program that serves them (GTI) has a latch for each of them: their sessions have a
 * sender besides the holder. It is on the robot's list of clients, too, and has no leases.
 *
 * The latch is a part of the holder (lease.h), which the robot keeps for the lease time after its last session; of a client in this
 * process (a hosted script, say) until it is resumed. Clients whose keys have the same upper 32 bits are runs of one hosted script: a latch
 * is of all of them. Another program has another key, also when it runs the same file. The robot's mutex guards all of it. */
#ifndef ROBO_LATCH_H
#define ROBO_LATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "robotalk/command.h"

struct robo__axes;
struct robo__mover;
struct robo__holder;
struct robo_request_resume;
struct robo_reply_latch;
struct robo_notice_latched;

enum {
    ROBO__LATCH_NAME = 64,
    ROBO__HOLDERS_AWAY =
        256 /* holders without a session that a robot keeps at most, of the latched and of the others; then the oldest go. Besides one
               for each latched script of this process */
};

/* A stop of everything. */
struct robo__latch {
    uint32_t number; /* from 1; 0: there is none */
    uint32_t by;     /* number of the client */
    char name[ROBO__LATCH_NAME];
    robo_time since;
    bool shared; /* of a holder: another client's stop has latched it, too, before it was resumed */
};

/* The session's client stops everything: all others that have moved something are latched. The mutex is held. */
void robo__latch_others(struct robo__mover *by, robo_time now);

/* Whether a command of the session that moves something is refused, since its client is latched, or since the sequence of the session
 * ended by a stop. A client whose protocol has no word for `resume` is released here, by its rest or its silence until then. The mutex is
 * held. */
bool robo__latch_holds(struct robo__mover *mover, robo_time now);

/* Whether that holder keeps nobody out: it is latched, or all of its senders that have moved something are. The mutex is held. */
bool robo__latch_frees(const struct robo__axes *a, const struct robo__holder *holder);

/* Whether a motion of the client that goes through another session is refused (robo__latch_holds); else *stop is the number of the
 * newest stop. The mutex is held. */
bool robo__latch_refuses(struct robo__mover *session, robo_time now, uint32_t *stop);

/* The session has sent something that moves (`moves`), or a stop or a speed of zero. The mutex is held. */
void robo__latch_note(struct robo__mover *mover, bool moves);

/* Holders without a session that are kept no longer are latched no longer. The mutex is held. */
void robo__latch_expire(struct robo__axes *a, robo_time now);

/* A holder that is made is latched as other runs of its program are. The mutex is held. */
void robo__latch_join(struct robo__axes *a, struct robo__holder *fresh);

/* Takes the holders off the robot's list that have no session and are kept no longer, for the caller to free. The mutex is held. */
struct robo__holder *robo__latch_sift(struct robo__axes *a, robo_time now);

enum { ROBO__RESUMED_NAMES = 256 };

/* Carries the query out, for a client of that role (enum robo_role). 0; ROBO_ESTOPPED; ROBO_EROLE; ROBO_ENONE: no such client is
 * latched. *any: whether somebody was latched; for the log, whose latches end: "" where it is the client's own. */
int robo__latch_release(struct robo__mover *mover, const struct robo_request_resume *what,
                        uint8_t role, bool *any, char resumed[ROBO__RESUMED_NAMES]);

/* The latched clients of the session's robot, by their place, the runs of a hosted script once; false: there are no more. The mutex is held. */
bool robo__latch_list(const struct robo__mover *mover, unsigned index,
                      struct robo_reply_latch *out);

/* The stop to report to the session's client: its latch, or the newest stop if that was its own. The mutex is
 * held. */
void robo__latch_look(const struct robo__mover *mover, struct robo_notice_latched *out);

#endif
