/* A session: one client's life with one robot, in one command mode. It holds the playback queue and the
 * return queue; its commands in the robot's command queue hang on `queued` (RoboTalk IV.A: each client has
 * its own set of command, playback and return queues).
 *
 * Two threads meet here. The owner (who opened it) calls the functions below. The robot's monitor answers
 * into the return queue; what it touches is guarded by the robot's mutex and marked (m). */
#ifndef ROBO_SESSION_H
#define ROBO_SESSION_H

#include <stdatomic.h>

#include "mode.h"
#include "queue.h"

enum { ROBO__SESSION_MOST = 65536 }; /* commands unanswered at once */

struct robo__held {
    struct robo_cmd cmd;
    uint32_t epoch; /* of its package: what was held through a panic never runs */
};

struct robo__session {
    robo_robot *robot;               /* held */
    struct robo__session *next;      /* (m) of the robot's list */
    struct robo__queue_owner queued; /* (m) */
    bool gone;                       /* (m) the robot was removed; answers are over */

    /* the return queue (m): a ring that the owner enlarges before it admits more */
    struct robo_result *ring;
    uint32_t ring_size, ring_first, ring_count;
    uint32_t unanswered; /* (m) admitted and not yet taken by the owner; never above ring_size */

    /* (m) called when the return queue stops being empty and the owner is not about to look by itself */
    void (*wake)(struct robo__session *session);
    void *owner;
    bool attended; /* (m) the owner looks after its call returns */

    _Atomic robo_time word; /* when the client was last heard */
    robo_time deadman;      /* 0: none */
    robo_time silence;      /* (m) not 0: the deadman has stopped the robot; the owner takes it */
    bool buffered;          /* what is queued counts as word */

    /* what became of its commands (m) */
    uint64_t executed, underruns, refused;
    robo_time worst, first_delay;
    robo_time shift; /* the mode's, once decided */
    bool begun;
    uint32_t running;                  /* motions under way */
    uint32_t lasting;                  /* axes that go on at a speed until told otherwise */
    struct robo__session *next_moving; /* of the robot's list, while either is not 0 */

    /* the mode; owner only */
    struct robo__modes *modes;
    void *mode;
    struct robo__decision decision;
    struct robo__arrivals arrivals;
    struct robo__held *held; /* the playback queue, in order of arrival */
    size_t held_count, held_size;
};

/* Opens a session. ROBO_EMODE with the mode's own words in text; ROBO_ENONE: the robot was removed. The owner's `wake` may be NULL. */
int robo__session_open(robo_robot *robot, struct robo__modes *modes,
                       const struct robo__mode_request *request,
                       void (*wake)(struct robo__session *), void *owner, robo_time now,
                       struct robo__session **session, char text[128]);

/* Drops what is queued and held, stops what the session moves, frees it. */
void robo__session_close(struct robo__session *session);

/* A package of commands. Returns how many of the n were admitted; the rest find no room in the queues and
 * have no answer coming: the caller refuses them. Stale or expired ones are answered in the return queue. */
size_t robo__session_commands(struct robo__session *session, const struct robo_cmd *cmds, size_t n,
                              uint32_t epoch, robo_time stamp, robo_time now);

/* Takes up to n answers off the return queue, oldest first. */
size_t robo__session_results(struct robo__session *session, struct robo_result *out, size_t n);

/* A holding mode is asked again; call at decision.again at the latest. */
void robo__session_decide(struct robo__session *session, robo_time now);

/* No frame follows: the mode is asked now. */
void robo__session_finish(struct robo__session *session, robo_time now);

/* Takes back commands that have not begun: the one with that id, or all with id 0. Each is answered
 * INTERRUPTED, cancelled. Returns how many. */
uint32_t robo__session_cancel(struct robo__session *session, uint32_t id, robo_time now);

/* The client was heard. */
void robo__session_word(struct robo__session *session, robo_time now);

/* The silence that made the deadman stop the robot, once; 0: none. */
robo_time robo__session_silence(struct robo__session *session);

/* The robot went into panic: what is held is answered PANIC. The monitor has emptied the command queue; the
 * playback queue is the owner's. */
void robo__session_panicked(struct robo__session *session, robo_time now);

/* Whether the robot was removed: nothing more will come. */
bool robo__session_gone(struct robo__session *session);

void robo__session_status(struct robo__session *session, struct robo_answer_status *status);

/* ---- for the monitor; the robot's mutex is held ---- */

void robo__session_answer(struct robo__session *session, const struct robo_result *result);

#endif
