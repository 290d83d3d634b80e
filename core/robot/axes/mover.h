/* A mover: a session as the monitor sees it. It belongs to its session (session.h); the robot's mutex guards members
 * that are marked (m) or changes after it has opened. Results go into its return queue, and its owner is woken for
 * them. */
#pragma once

#include <stdatomic.h>

#include "base/journal.h"
#include "base/queue.h"
#include "base/time.h"
#include "motion/move.h"
#include "motion/stage.h"
#include "identity.h"
#include "robotalk.h"

enum {
    ROBO__SESSION_MOST = 8192,   /* commands unanswered at once: more than a minute of frames */
    ROBO__SESSION_GRANTED = 256, /* of these have room whatever other sessions have */
    /* and these beside them, for stops and speeds of zero; as many again for stops at once */
    ROBO__SESSION_URGENT = 64,
    ROBO__SESSION_KEPT =
        2 * ROBO__SESSION_URGENT, /* room for their answers, whatever else is unanswered */
    /* ns, how far ahead of the robot's clock a package may have been made: a stamp is never later than the truth, but rounded */
    ROBO__STAMP_AHEAD = 1000000
};

/* Frames in a row. */
struct robo__moves {
    struct robo__session_move *first, *last;
};

static inline void robo__moves_add(struct robo__moves *list, struct robo__session_move *move)
{
    move->next = NULL;
    if (list->last)
        list->last->next = move;
    else
        list->first = move;
    list->last = move;
}

static inline struct robo__session_move *robo__moves_take(struct robo__moves *list)
{
    struct robo__session_move *move = list->first;
    list->first = move->next;
    if (!list->first)
        list->last = NULL;
    return move;
}

/* A command whose start the mode has not decided. */
struct robo__held {
    struct robo_cmd cmd;
    struct robo__known known; /* of its package */
};

struct robo__holder;

/* Those of a robot. */
struct robo__movers {
    /* set by the robot: where their commands wait (timeline/timeline.h) */
    struct robo__queue *queue;
    const struct robo__port *port;
    struct robo__mover *first;
    uint32_t count;
    struct robo__mover *moving; /* those that move something, of which the deadman wants word */
    uint32_t stops;             /* of everything, so far: these swept what waited */
    /* with answers that wait for others to go with, and since when the first does */
    struct robo__mover *untold;
    robo_time untold_since;
    /* all others are woken for its stops, and none has looked since */
    const struct robo__mover *told_of;
    struct robo__mover *waking, *last_waking; /* their owners are woken after the step */
    uint32_t opened;                          /* sessions so far */
    uint32_t leases;                          /* how often any have changed */
    struct robo__journal
        *_Atomic journals; /* of those who record the robot, under its mutex; NULL: nobody does */
    struct robo__tally tally; /* of all results so far */
    uint32_t silences;        /* stops by the deadman so far */
    uint64_t underruns;       /* commands so far that came after they should have begun */
    struct robo__recorded {
        uint32_t leases, stop;
        unsigned lasting, over; /* as in struct robo__leased, of all clients */
        robo_time ends;
    } recorded; /* the newest that journals have */
};

static inline struct robo__journal *robo__journals_of(const struct robo__movers *all)
{
    return atomic_load_explicit(&all->journals, memory_order_acquire);
}

struct robo__mover {
    robo_robot *robot;           /* held */
    struct robo__movers *all;    /* of the robot */
    uint32_t number;             /* among its sessions, from 1 */
    struct robo__mover *next;    /* (m) of these */
    struct robo__holder *holder; /* (m) its client's leases (axes.h) */
    uint32_t leases;             /* (m) how often those of other clients have changed */
    /* (m) the last times that its client lost leases, without a stop by others between; and those stops so far, then */
    uint32_t losses, stops_then;
    struct robo__queue_owner queued; /* (m) */
    /* the playback queue, in order of arrival: the owner's, which changes the count with the mutex */
    struct robo__held *held;
    size_t held_count;
    uint32_t fair; /* (m) how many these were when the last found room in its share, or are since */
    bool gone;     /* (m) the robot was removed; answers are over */
    bool buffered; /* queued commands count as heartbeats */
    bool newest;   /* a command replaces those that wait for its axes */

    /* the return queue (m): a ring that the owner enlarges before it admits more */
    struct robo_result *ring;
    uint32_t ring_size, ring_first, ring_count;
    uint32_t unanswered; /* (m) admitted and not yet taken by the owner; never above ring_size */
    struct robo__moves answered; /* (m) frames whose results are in the ring, in the same order */
    struct robo__moves unsaid;   /* (m) frames without a result: the owner wants errors only */

    /* (m) called when the return queue stops being empty and the owner is not about to look by itself */
    void (*wake)(void *owner);
    void *owner;
    struct robo__mover *next_waking; /* (m) */
    bool attended;                   /* (m) the owner looks for results after its call returns */
    bool news;                       /* (m) and there are news: it is woken for them then */
    bool errors_only;                /* results that are SUCCESS are counted and not kept */
    bool settling; /* (m) and the owner wants to know when there are none to come */
    bool gathers; /* nobody waits for its answers: they may go with those of the next millisecond */
    bool untold;  /* (m) on the robot's list of those that have such answers */
    bool waking;  /* (m) it will be, after the step */
    uint64_t succeeded;              /* (m) that were not kept */
    struct robo__mover *next_untold; /* (m) */

    /* set when it opens */
    robo_time deadman; /* 0: none */
    robo_time gap;     /* buffered: longest time between two frames that is no silence */
    robo_time expiry;  /* lateness beyond which a command is refused; negative: none */

    /* the client's last sign of life, or the last begin of a queued command of a buffered session */
    _Atomic robo_time last_heard;
    robo_time watched;  /* (m) while it moves: when its silence is judged next */
    robo_time silence;  /* (m) not 0: the deadman has stopped the robot; the owner takes it */
    uint32_t own_stops; /* (m) of the robot's, those by this session */
    uint32_t searched;  /* commands that the stops of its newest package have looked through */
    struct robo__holder *
        sender; /* (m) whose commands it has, for latches (holder.h): its holder, or a client of that */

    /* the outcome of its commands (m) */
    uint64_t executed, underruns, refused;
    robo_time worst, first_delay;
    robo_time shift;  /* the mode's, once decided */
    uint32_t running; /* motions under way */
    uint32_t braking; /* those of them that are stops: they need no heartbeat */
    uint32_t lasting; /* axes that go on at a speed until commanded otherwise */
    bool moving;      /* on the robot's list of those that move something */
    bool cut;         /* (m) buffered: a stop that latched its client has ended its sequence */
    bool begun;
    struct robo__mover *next_moving; /* of that list */
};

/* Whether a start was longer ago than the session's commands may be late. */
static inline bool robo__mover_expired(const struct robo__mover *mover, robo_time start,
                                       robo_time now)
{
    return mover->expiry >= 0 && robo__time_since(start, now) > mover->expiry;
}

/* ---- mover.c ---- */

/* A session has opened, or leaves: it is on no list any more. */
void robo__movers_add(struct robo__movers *all, struct robo__mover *mover);
void robo__movers_remove(struct robo__movers *all, struct robo__mover *mover);

/* After what it moves has changed: whether it is on the list of those that move something, whose silence is watched. One that only brakes
 * needs no heartbeat: its deadman would only stop it. */
void robo__mover_count_moving(struct robo__mover *mover);

/* Journals, if there are any, get a record that is the mover's. */
static inline void robo__mover_record(const struct robo__mover *mover, enum robo__journal_kind kind,
                                      unsigned op, robo_time now,
                                      const struct robo__journal_part *part, unsigned n)
{
    robo__journal_put(
        robo__journals_of(mover->all),
        (struct robo__journal_entry){
            .kind = (uint16_t)kind, .op = (uint16_t)op, .session = mover->number, .time = now },
        part, n);
}

/* A result comes into its return queue. One that nobody waits for may wait until nothing more is due within a millisecond of the
 * first such, of any mover. */
void robo__mover_answer(struct robo__mover *mover, const struct robo_result *result);

/* Before the answer of a frame: it is kept until its owner has taken that. */
void robo__mover_keep(struct robo__mover *mover, struct robo__session_move *move);

/* The instant until which a client with waiting commands counts as alive: now at the latest. */
robo_time robo__mover_heard_until(const struct robo__mover *mover, robo_time now);

/* Refuses a command since another client holds one of its axes: BUSY, lease. */
void robo__mover_refuse_held(struct robo__mover *mover, const struct robo_cmd *cmd,
                             robo_time scheduled, const struct robo__holder *by, robo_time now);

/* A held sequence has what is left of it behind that instant: so a start after half of it is of a command that waits for the end of
 * an override of 0. */
static const robo_time ROBO__HELD = (robo_time)1 << 60;

static inline bool robo__start_is_held(robo_time start, robo_time now)
{
    return start > now + ROBO__HELD / 2;
}
