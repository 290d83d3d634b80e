/* A session: one client's life with one robot, in one command mode. It holds the playback queue and the return queue;
 * its commands in the robot's command queue hang on `queued` (RoboTalk IV.A: each client has its own set of command,
 * playback and return queues).
 *
 * Two threads meet here. The owner (the thread that opened it) calls the functions of client.h. The robot's monitor answers
 * into the return queue; members that it touches are guarded by the robot's mutex and marked (m) in mover.h. */
#pragma once

#include "robot/client.h"
#include "robot/timeline/arrivals.h"
#include "robot/timeline/timeline.h"

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
    struct robo_mode_decision decision;
    int mode_error; /* its mode has failed: in words */
    char mode_why[128];
    struct robo__arrivals arrivals;
    size_t memory;             /* bytes of the world's budget that it has, */
    size_t opening;            /* of these since it opened */
    struct robo__share *share; /* of where its client comes from; NULL: it has none */
    size_t frames, granted;    /* bytes of its frames; and those of as many as it is granted */
    struct robo__session_move *spare; /* memory for the next frame, counted as that of one */
    size_t held_size;                 /* places of the playback queue */
    robo_time duration, frame_gap;    /* as stated; 0: not */
    struct robo__clock clock;
    robo_time lag; /* of the clock of sequences, as the shift knows it */
    bool looked;   /* no frame is expected after the newest one, until another comes */
    struct robo__pause pause;
    struct robo__resumed resumed[ROBO__RESUMED]; /* the newest, a ring */
    uint32_t paused, resumes; /* how often it has braked since a frame was missing, and gone on */
    robo_time added;          /* by all pauses */
};

/* Of the other clients that keep it from axes the one whose leases last longest; false: there is none. */
bool robo__mover_longest_other(const struct robo__mover *mover, robo_time now,
                               struct robo_reply_holder *out);

/* Takes up to n answers off the return queue, oldest first. */
size_t robo__session_take_results(struct robo__session *session, struct robo_result *out, size_t n);

/* Takes the memory of a frame out of the budget, false: there is none left; and gives it back. */
bool robo__session_take_frame(struct robo__session *session, struct robo__session_move *move);
void robo__session_give_frame(struct robo__session *session, const struct robo__session_move *move);
