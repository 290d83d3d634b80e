/* Shared by session.c, answers.c and playback.c: a session's owner admits packages, and those of a mode that shifts commands go
 * through the playback queue. All of it on the owner's thread. */
#pragma once

#include "session.h"

/* Which held commands. */
struct robo__going {
    uint32_t id; /* 0: all */
    bool
        swept; /* only those from before the last stop by others, or before the loss of their lease */
};

/* ---- playback.c ---- */

/* Commands of a mode that shifts them: each needs a time of its own, so start 0 is the package's. */
void robo__session_buffer(struct robo__session *session, struct robo_cmd *cmds, size_t n,
                          struct robo__known known, robo_time stamp, robo_time now);

/* Answers held commands: how many. */
uint32_t robo__session_drop(struct robo__session *session, struct robo__going going,
                            enum robo_signal signal, enum robo_reason why, robo_time now);

/* ---- answers.c ---- */

/* Before and after work on the robot: its mutex, and all that is due runs first. */
void robo__mover_enter(struct robo__mover *mover, robo_time now);
void robo__mover_leave(struct robo__mover *mover);
/* Between the two: runs, queues or refuses a command whose start is final. stamp: of its package, which shows its age, or
 * ROBO_NO_TIME. */
void robo__mover_schedule(struct robo__mover *mover, const struct robo_cmd *cmd,
                          struct robo__known known, robo_time stamp, robo_time now);
/* Enters, performs an event of the mover, and leaves. */
struct robo__step_event;
void robo__mover_perform(struct robo__step_event *event, robo_time now);

/* All that is kept of answers and frames, when the session ends. */
void robo__session_free_answers(struct robo__session *session);

/* ---- session.c ---- */

/* The same as robo__session_heard, but nothing is journalled: journals have the package by its commands. */
void robo__session_alive(struct robo__session *session, robo_time stamp, robo_time now);
/* Its queues grow, or not, by that many bytes of what the world keeps for clients. */
bool robo__session_take_memory(struct robo__session *session, size_t bytes, bool granted);
void robo__session_give_memory(struct robo__session *session, size_t bytes);
