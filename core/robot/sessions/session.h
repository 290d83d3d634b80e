/* A session: one client's life with one robot, in one command mode. It holds the playback queue and the return queue;
 * its commands in the robot's command queue hang on `queued` (RoboTalk IV.A: each client has its own set of command,
 * playback and return queues).
 *
 * Two threads meet here. The owner (the thread that opened it) calls the functions below. The robot's monitor answers
 * into the return queue; members that it touches are guarded by the robot's mutex and marked (m) in mover.h. */
#ifndef ROBO_SESSION_H
#define ROBO_SESSION_H

#include "arrivals.h"
#include "robot/axes/mover.h"
#include "robot/axes/pausing.h"

struct robo__held {
    struct robo_cmd cmd;
    struct robo__known known; /* of its package */
};

/* A sequence that holds again since a frame did not arrive in time. */
struct robo__pause {
    bool on, braked;
    robo_time due;   /* when that frame should have begun */
    robo_time shift; /* of the sequence until then */
    bool moved;      /* something lasted, and was at `place` then */
    struct robo__pausing_pose pose;
};

/* The outcome of such a pause. */
struct robo__resumed {
    robo_time due, later; /* by so much its shift has grown */
    struct robo__pausing_distance distance;
};

enum { ROBO__RESUMED = 32 };

struct robo__session {
    struct robo__mover mover;
    struct robo__moves told;              /* those whose results were taken last */
    struct robo__session_move *told_next; /* the next of these that the owner looks at */

    /* the mode */
    struct robo__modes *modes;
    void *mode;
    struct robo__decision decision;
    struct robo__arrivals arrivals;
    size_t memory;             /* bytes of the world's budget that it has, */
    size_t opening;            /* of these since it opened */
    struct robo__share *share; /* of where its client comes from; NULL: it has none */
    size_t frames, granted;    /* bytes of its frames; and those of as many as it is granted */
    struct robo__session_move *spare; /* memory for the next frame, counted as that of one */
    struct robo__held *held;          /* the playback queue, in order of arrival */
    size_t held_count, held_size;
    robo_time duration, frame_gap; /* as stated; 0: not */
    struct robo__clock clock;
    robo_time lag; /* of the clock of sequences, as the shift knows it */
    bool looked;   /* no frame is expected after the newest one, until another comes */
    struct robo__pause pause;
    struct robo__resumed resumed[ROBO__RESUMED]; /* the newest, a ring */
    uint32_t paused, resumes; /* how often it has braked since a frame was missing, and gone on */
    robo_time added;          /* by all pauses */
};

/* Opens a session. ROBO_EMODE with the mode's own words in text; ROBO_ENONE: the robot was removed. The owner's `wake`
 * may be NULL. */
int robo__session_open(robo_robot *robot, struct robo__modes *modes,
                       const struct robo__session_request *request,
                       void (*wake)(struct robo__mover *), void *owner, robo_time now,
                       struct robo__session **session, char text[128]);

/* Answers all that the session has queued, held and under way INTERRUPTED, closed, and stops what it moves. The answers
 * wait in the return queue; robo__session_close is next. */
void robo__session_end(struct robo__session *session, robo_time now);

/* Ends the session, drops answers that were not taken, frees it. */
void robo__session_close(struct robo__session *session);

/* A package of commands. Returns how many of the n were admitted; the others, which it moves to the end of cmds, find
 * no room in the queues and have no answer coming: the caller refuses them. All else is answered in the return queue.
 * The frames of those that are admitted are the session's from here on.
 *
 * A stop is refused for nothing but a latched panic (PANIC). With ROBO_AT_ONCE, or a start beyond the horizon, it acts at
 * once in every mode and sweeps what any session has running, queued or held; with a date it acts at its instant and
 * leaves later frames alone. A speed of zero is never refused for its age or for want of room; it sweeps nothing. */
size_t robo__session_commands(struct robo__session *session, struct robo_cmd *cmds, size_t n,
                              struct robo__known known, robo_time stamp, robo_time now);

/* The same in direct mode, without frames, of a sender whose protocol does not report stops and panics: its commands
 * are made with all that is known now, which is stored in *known. Then takes answers, up to *answers, and stores how
 * many these were; those of frames are not marked as such. */
size_t robo__session_commands_now(struct robo__session *session, struct robo_cmd *cmds, size_t n,
                                  struct robo__known *known, struct robo_result *out,
                                  size_t *answers, robo_time now);

/* Room for a frame (robo__move_make), of which the session keeps some from frame to frame; NULL: no memory. */
struct robo__session_move *robo__session_make_move(struct robo__session *session, unsigned dofs,
                                                   unsigned frames);

/* Takes the memory of a frame out of the budget, false: there is none left; and gives it back. On the owner's thread. */
bool robo__session_take_frame(struct robo__session *session, struct robo__session_move *move);
void robo__session_give_frame(struct robo__session *session, const struct robo__session_move *move);

/* Takes up to n answers off the return queue, oldest first. What was taken before is forgotten. */
size_t robo__session_results(struct robo__session *session, struct robo_result *out, size_t n);

/* The frame of the next result of one (ROBO_MOVE) among those that were taken last; NULL: there is none. It stays until
 * results are taken again. */
const struct robo__session_move *robo__session_next_move(struct robo__session *session);

/* When robo__session_decide wants to be called, or ROBO_NEVER. */
robo_time robo__session_next(const struct robo__session *session);

/* A holding mode is asked again; or the next frame of a sequence is missing, and the robot brakes. */
void robo__session_decide(struct robo__session *session, robo_time now);

/* Whether the client has said that no frame follows, only errors have been reported to it since then, and now all its
 * commands have their results, *succeeded of them SUCCESS. Reported once. */
bool robo__session_settled(struct robo__session *session, uint64_t *succeeded);

/* No frame follows: the mode is asked now. */
void robo__session_finish(struct robo__session *session, robo_time now);

/* Takes back the command with that id, which brakes if it is under way; or all that have not begun, with id 0. Each is
 * answered INTERRUPTED, cancelled. Returns how many. */
uint32_t robo__session_cancel(struct robo__session *session, uint32_t id, robo_time now);

/* Commands that it has queued or held. */
size_t robo__session_waiting(struct robo__session *session);

/* That many of its commands were refused without having been admitted. */
void robo__session_refused(struct robo__session *session, size_t n);

/* A package of that stamp was received from the client. In direct mode an old package is no sign of life. */
void robo__session_heard(struct robo__session *session, robo_time stamp, robo_time now);

/* The news of a session, besides answers. */
struct robo__news {
    robo_time silence; /* that made the deadman stop the robot; reported once; 0: none */
    /* how often other sessions have stopped the robot, with all stops from before it opened */
    uint32_t stops;
    /* how many stops of anybody's motions have begun, by whomever, of all or parts, dated or not: commands that the
     * owner repeats end with them, as commands waiting in queues do */
    uint32_t begun_stops;
    uint32_t faults;    /* how often a device of the robot was lost: its motions ended then */
    uint32_t base_ends; /* how many of these stops and losses were of the base */
    uint32_t leases;    /* how often those of other clients have changed */
    struct robo__loss loss;
    uint32_t asks;               /* questions to holders of leases, of whomever, so far */
    struct robo__outcome answer; /* to those of its client */
    double override;             /* of the robot */
    bool lies;                   /* the robot has fallen over */
    uint32_t falls;              /* how often so far */
    uint32_t obstacles;          /* how often the obstacle in its base's way has changed */
    bool gone;                   /* the robot was removed: nothing more will come */
};

/* Takes the news. Held commands are answered when the client was silent, and so are those held since before the last
 * stop. */
struct robo__news robo__session_news(struct robo__session *session, robo_time now);

/* The name of the thing in the way of the robot's base, "": none; returns how often that has changed. */
uint32_t robo__session_obstacle(struct robo__session *session, char name[64]);

/* The robot went into panic: held commands are answered PANIC. The monitor has emptied the command queue; the playback
 * queue is the owner's. */
void robo__session_panicked(struct robo__session *session, robo_time now);

/* Whether something moves on by its command: at a speed that lasts, or on the way to a goal. */
bool robo__session_moves(struct robo__session *session);

/* Whether the robot was removed: nothing more will come. */
bool robo__session_gone(struct robo__session *session);

/* Its pauses that are over. */
void robo__session_pauses(const struct robo__session *session, struct robo_reply_pauses *pauses);

void robo__session_status(struct robo__session *session, struct robo_reply_status *status);

/* Takes up to n answers off the return queue, oldest first. */
size_t robo__session_take_results(struct robo__session *session, struct robo_result *out, size_t n);

#endif
