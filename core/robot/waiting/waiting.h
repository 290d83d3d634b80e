/* Commands that wait: in the robot's queue for their start, or held by the owner of their mover, whose mode has not decided yet. Here they
 * end before they begin: by a stop, a panic, a lost lease, a client that is silent or takes them back. When they begin is the timeline's.
 * The robot's mutex guards all of it, and is held. */
#pragma once

#include "base/queue.h"
#include "motion/stage.h"
#include "robot/movers/mover.h"
#include "robotalk/host.h"

enum {
    ROBO__SESSIONS =
        512, /* of a client, of a robot; and as many that have commands waiting find their places */
    /* Commands that wait beyond those that each session has places for; shared out by timeline/schedule.c */
    ROBO__QUEUE_COMMON = 131072,
    ROBO__QUEUE =
        ROBO__SESSIONS * (ROBO__SESSION_GRANTED + ROBO__SESSION_URGENT) + ROBO__QUEUE_COMMON
};

struct robo__waiting {
    struct robo__queue queue; /* of struct robo_cmd, by the instants at which they are to begin */
    struct {
        enum robo_signal signal;
        enum robo_reason reason;
        robo_time at;
    } cut; /* of what is cut off the queue, and not answered yet */
    /* set by the robot */
    const struct robo__port *port;
    struct robo__movers *movers;
};

int robo__waiting_open(struct robo__waiting *waiting); /* ROBO_ENOMEM */
void robo__waiting_close(struct robo__waiting *waiting);

/* Answers all that a mover has queued; how many. */
uint32_t robo__waiting_flush(struct robo__waiting *waiting, struct robo__mover *mover,
                             enum robo_signal signal, enum robo_reason reason, robo_time now);

/* Ends all that is queued, without a look at it: it never begins, and robo__waiting_answer_cut answers it, a few at a time. */
void robo__waiting_cut(struct robo__waiting *waiting, enum robo_signal signal,
                       enum robo_reason reason, robo_time now);
/* At most that many. */
void robo__waiting_answer_cut(struct robo__waiting *waiting, uint32_t most);

/* Takes back the queued command of that id: whether there is one. */
bool robo__waiting_cancel(struct robo__waiting *waiting, struct robo__mover *mover, uint32_t id,
                          robo_time now);

/* Renumbers what is queued by a new revision; commands whose joint, dof or frame is gone are answered. */
void robo__waiting_renew(struct robo__waiting *waiting, robo_time now,
                         struct robo_reload_report *report);
