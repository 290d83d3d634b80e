/* The timeline of a robot: when each command begins. Commands whose start is final begin at once, wait in the command queue, or are
 * refused; what waits begins when it falls due, unless a stop, a lost lease or a silent client has ended it. The clock of sequences
 * slows down with the override. The robot's mutex guards all of it, and is held by default. */
#pragma once

#include "alarm.h"
#include "base/queue.h"
#include "pausing.h"
#include "robot/axes/axes.h"
#include "robotalk/host.h"

enum {
    ROBO__SESSIONS =
        512, /* of a client, of a robot; and as many that have commands waiting find their places */
    /* Commands that wait beyond those that each session has places for; shared out by schedule.c */
    ROBO__QUEUE_COMMON = 131072,
    ROBO__QUEUE =
        ROBO__SESSIONS * (ROBO__SESSION_GRANTED + ROBO__SESSION_URGENT) + ROBO__QUEUE_COMMON
};

struct robo__timeline {
    struct robo__axes *axes;
    struct robo__clients *clients;
    struct robo__movers *movers;
    const _Atomic(struct robo__alarm) *alarm; /* of the robot */
    struct robo__queue queue; /* of struct robo_cmd, by the instants at which they are to begin */
    struct {
        enum robo_signal signal;
        enum robo_reason reason;
        robo_time at;
    } cut;             /* of what is cut off the queue, and not answered yet */
    uint32_t in_a_row; /* commands that the session which is at it has begun at once */
    robo_time stop_at; /* no stop that waits has an earlier date; ROBO_NEVER: none waits */
    /* the override was another than 1, perhaps; by how much the clock of sequences is behind, and until when that is counted */
    _Atomic bool overridden;
    robo_time lag, override_since;
};

struct robo__step_event;
void robo__timeline_step(struct robo__timeline *timeline, struct robo__step_event *event,
                         robo_time now);

/* The end of all that a mover has waiting, and then of all that it moves; NULL: of what anybody has, once the devices have halted. What
 * a panic has ended is answered a few at a time. */
void robo__timeline_end(struct robo__timeline *timeline, struct robo__mover *mover,
                        enum robo_signal signal, enum robo_reason reason, robo_time now);

/* ---- schedule.c ---- */

/* A command whose start is final: begins, waits, or is refused. stamp: of its package, which shows its age, or ROBO_NO_TIME. */
void robo__schedule(struct robo__timeline *timeline, struct robo__mover *mover,
                    const struct robo_cmd *cmd, struct robo__known known, robo_time stamp,
                    robo_time now);

/* The signal by which a command is refused now, made with that knowledge of panics and stops; 0: it is not. cmd NULL: any. moves: it moves
 * something, so that a latch refuses it. */
enum robo_signal robo__timeline_refuses(const struct robo__timeline *timeline,
                                        struct robo__mover *mover, struct robo__known known,
                                        const struct robo_cmd *cmd, bool moves, robo_time now,
                                        enum robo_reason *why);

/* The first command that waits begins, or is refused when it should have begun too long ago. */
void robo__timeline_begin_first(struct robo__timeline *timeline, robo_time now);

/* A stop whose date is over ends commands that should have begun before it and have not. */
void robo__timeline_late_stop(struct robo__timeline *timeline, robo_time now);

/* ---- waiting.c: how what waits ends ---- */

/* Answers all that a mover has queued; how many. */
uint32_t robo__waiting_flush(struct robo__timeline *timeline, struct robo__mover *mover,
                             enum robo_signal signal, enum robo_reason reason, robo_time now);

/* Ends all that is queued, without a look at it: it never begins, and robo__waiting_answer_cut answers it, a few at a time. */
void robo__waiting_cut(struct robo__timeline *timeline, enum robo_signal signal,
                       enum robo_reason reason, robo_time now);
/* At most that many. */
void robo__waiting_answer_cut(struct robo__timeline *timeline, uint32_t most);

/* Takes back the queued command of that id: whether there is one. */
bool robo__waiting_cancel(struct robo__timeline *timeline, struct robo__mover *mover, uint32_t id,
                          robo_time now);

/* Renumbers what is queued by a new revision; commands whose joint, dof or frame is gone are answered. */
void robo__waiting_renew(struct robo__timeline *timeline, robo_time now,
                         struct robo_reload_report *report);

/* ---- deadman.c ---- */

/* When a silent client must be looked for next, or ROBO_NEVER; and stops what silent ones move. */
robo_time robo__deadman_due(const struct robo__timeline *timeline);
void robo__deadman_run(struct robo__timeline *timeline, robo_time now);
/* A command of direct mode falls due. If its client has been silent for the deadman time it is answered, and the session is stopped as
 * by the deadman: true. */
bool robo__deadman_refuse(struct robo__timeline *timeline, struct robo__mover *mover,
                          const struct robo_cmd *due, robo_time now);

/* ---- clock.c ---- */

/* By how much the clock of sequences is behind now. */
robo_time robo__timeline_lag(const struct robo__timeline *timeline, robo_time now);
/* The start of a command of a sequence that would begin at `start` at full speed, and the reverse. */
robo_time robo__timeline_start(const struct robo__timeline *timeline, robo_time start,
                               robo_time now);
robo_time robo__timeline_full(const struct robo__timeline *timeline, robo_time start,
                              robo_time now);
/* The override is another share from now on: sequences that wait take the starts which that gives. */
void robo__timeline_override(struct robo__timeline *timeline, double share, robo_time now);
