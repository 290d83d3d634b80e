/* The monitor of a robot: one mutex, one command queue, its devices, one published snapshot. Whoever holds
 * the mutex may run what is due, so that a command with start 0 runs in its caller's thread; the world's timekeeper
 * runs the rest (in a virtual world: its timers). Under the mutex: no Lua, no allocation, no
 * blocking call. */
#ifndef ROBO_ROBOT_H
#define ROBO_ROBOT_H

#include <pthread.h>

#include "motion/bus.h"
#include "motion/cartesian.h"
#include "axes.h"
#include "device.h"
#include "effects.h"
#include "move.h"
#include "need.h"
#include "camera.h"
#include "readings.h"
#include "session.h"
#include "surroundings.h"
#include "base/readers.h"
#include "base/snapshot.h"
#include "base/timer.h"
#include "body/revision.h"

enum {
    ROBO__STAGES = 2, /* control frames and the bus */
    ROBO__SESSIONS =
        512, /* of a client, of a robot; and as many that have commands waiting find their places */
    /* Commands that wait beyond those that each session has places for; shared out by schedule.c */
    ROBO__QUEUE_COMMON = 131072,
    ROBO__QUEUE =
        ROBO__SESSIONS * (ROBO__SESSION_GRANTED + ROBO__SESSION_URGENT) + ROBO__QUEUE_COMMON,
    /* so much is begun in a row; then others get the mutex, with a stop or a panic perhaps */
    ROBO__TURN = 64
};

/* Of a command that begins: whose it is, when it should have, and the frame that it is a part of, or NULL. */
struct robo__starting {
    struct robo__mover *mover;
    robo_time scheduled;
    struct robo__session_move *move;
    unsigned part;
};

/* The latest panic, in one atomic value that is always right. */
struct robo__alarm {
    uint32_t epoch; /* how many panics there were */
    uint32_t panic; /* 1: the latest is not reset yet */
};

/* The memory of the stages and frames for the most dofs that there can be: reserved, and touched as far as the body has
 * dofs. */
struct robo__robot_room {
    struct robo__cartesian frame[ROBO__CARTESIANS];
    struct robo__bus_room bus;
    /* of the parts of a frame that begins, each of which has an axis, and of one that finds none */
    struct robo__need need[ROBO__AXES + 1];
    struct robo__effect effect[ROBO__EFFECTS];
};

/* Counted: the world, each session, each look-up and whoever removes it hold a reference. The last robo_release frees
 * its memory, outside of all locks. Its devices are closed and the timekeeper has left it when robo_remove returns. */
struct robo_robot {
    _Atomic uint32_t holders;
    robo_world *world;
    /* of the world's list, under its lock */
    robo_robot *next;
    uint64_t number;                   /* in the order they were added, from 1 */
    bool there;                        /* can be found: open, and not being removed */
    _Atomic(struct robo__alarm) alarm; /* written with the mutex held */
    char name[64];                     /* of all its descriptions; never changes */
    /* The newest revision first, and its description. Written with the mutex held; others read them in a section (base/readers.h). */
    struct robo__revision *_Atomic revisions;
    const struct robo_description *_Atomic description;
    struct robo__footprint
        *footprint; /* where others see it stand, while it is on the world's list */
    struct robo__sampling sampling;
    struct robo__cameras *_Atomic cameras; /* the newest first; NULL: it has never had any */

    struct robo__timer timer; /* of the timekeeper, under its lock, or of a virtual world */
    /* guarded in the same way: a thread has it, sleeps until timer.due or is at it; it has waited for its mutex */
    bool served, put_off;

    pthread_mutex_t mutex;  /* guards all below */
    pthread_cond_t changed; /* the end of a reload */
    /* the override was another than 1, perhaps; by how much the clock of sequences is behind, and until when that is counted */
    _Atomic bool overridden;
    robo_time lag, override_since;
    bool removed;   /* halted for good, without devices once its reload has ended */
    robo_time told; /* the instant that the timekeeper knows; 0: it does not know the robot */

    struct robo__queue queue; /* of struct robo_cmd, by the instants at which they are to begin */
    uint32_t in_a_row;        /* commands that the session which is at it has begun at once */
    robo_time stop_at;        /* no stop that waits has an earlier date; ROBO_NEVER: none waits */
    struct robo__movers movers;
    struct robo__axes axes;
    /* NULL beyond those of the description, and while they are away */
    robo_device *device[ROBO_MAX_DEVICES];
    struct robo__effects effects;            /* of the step under way */
    struct robo__port port;                  /* the robot as its stages see it */
    struct robo__stage *stage[ROBO__STAGES]; /* these: */
    struct robo__frames frames;
    struct robo__robot_room *room; /* reserved */
    struct robo__bus bus;
    double heading; /* of a root that dofs move, as last reported: it does not wrap */
    bool reloading; /* by one thread at a time */
    struct robo__revision *
        left; /* revisions that are kept no longer, the newest first: readers may still look at them */
    bool lies;          /* it has fallen over */
    uint32_t falls;     /* so far */
    char obstacle[64];  /* what keeps the base from moving as commanded; "": nothing */
    uint32_t obstacles; /* how often that has changed */
    bool panicking;     /* a panic halts the devices just now */
    const robo_device
        *told_by; /* the device that has reported that panic; NULL: it was given here */
    /* its devices are not open: nothing begins, and the last snapshot is the state */
    bool detached;
    robo_time published;
    robo_time latest; /* the newest time that its devices were called with */
};

/* The axes of a robot in order: its dofs, and the base. ROBO__AXES: there is no other. */
static inline unsigned robo__axis_from(const robo_robot *robot, unsigned axis)
{
    return axis < robot->description->dofs || axis > ROBO__BASE_AXIS ? axis : ROBO__BASE_AXIS;
}
#define ROBO__EACH_AXIS(robot, i)           \
    unsigned i = robo__axis_from(robot, 0); \
    i < ROBO__AXES;                         \
    i = robo__axis_from(robot, i + 1)

/* That session does not move the axis from now on, or until told again: if its client has the lease, the time of that begins. */
static inline void robo__lease_rest(robo_robot *robot, unsigned axis,
                                    const struct robo__mover *mover)
{
    struct robo__lease *lease = &robot->axes.row[axis].lease;
    if (mover && mover->holder == lease->holder && robot->latest > lease->used)
        lease->used = robot->latest;
}

/* ---- motion.c: commands to drivers and back; the mutex is held ---- */

/* Begins a command, or answers it at once. */
void robo__motion_begin(robo_robot *robot, struct robo__mover *mover, const struct robo_cmd *cmd,
                        robo_time scheduled, robo_time now);

/* Why its axes are neither free nor may be taken from their holders: ROBO_WHY_AXIS, or ROBO_WHY_BRAKING for an axis
 * that brakes and was moved by another client; ROBO_WHY_NONE: they may be taken. */
enum robo_reason robo__motion_obstacle(const robo_robot *robot, const struct robo__need *need,
                                       const struct robo__mover *mover);

/* A device whose motions cannot be scaled by the override. */
bool robo__motion_is_rigid(const robo_robot *robot, unsigned device);
/* Whether a command may begin: the devices that it needs can be scaled, or it is a rest. */
bool robo__motion_allows(const robo_robot *robot, const struct robo_cmd *cmd,
                         const struct robo__need *need);
/* Whether the devices that a motion of a control frame needs take the speeds by which it is moved. */
bool robo__motion_moves_frames(const robo_robot *robot, const struct robo__need *need);

/* Begins a command that may take its axes, and takes them; false: there is no ticket. */
bool robo__motion_start(robo_robot *robot, const struct robo_cmd *cmd,
                        const struct robo__need *need, const struct robo__starting *starting,
                        robo_time now);

/* Notes that a command of the session has begun: for its client, and its deadman. */
void robo__motion_count_begun(struct robo__mover *mover, robo_time scheduled, robo_time now);

/* A ticket for a stop of nobody's: of these axes, which `client` has moved and brakes; others begin nothing there before its end.
 * Its number; 0: there is none left. */
robo_ticket robo__motion_leave(robo_robot *robot, struct robo__party client,
                               const struct robo__need *need, unsigned devices);

/* A stop of these axes of nobody's: motions there end INTERRUPTED, lease, and nothing begins before the stop has
 * ended. */
void robo__motion_guard(robo_robot *robot, const struct robo_cmd *stop,
                        const struct robo__need *need, robo_time now);

/* The motion of a session with that id, which is under way, brakes within its limits and is answered INTERRUPTED,
 * cancelled: how many there were, 1 or 0. */
uint32_t robo__motion_cancel(robo_robot *robot, struct robo__mover *mover, uint32_t id,
                             robo_time now);

/* Another command takes these dofs of what the stages move. */
void robo__motion_yield(robo_robot *robot, const struct robo__dof_set *dofs, robo_time now);

/* ---- ending.c: motions that end without a command; the mutex is held ---- */

/* The client whose motion moves an axis, or brakes there; ROBO__NOBODY: none that others would have to wait for. */
struct robo__party robo__motion_mover(const robo_robot *robot, unsigned axis);

/* Stops the devices that a session moves, without a command. Its motions are answered INTERRUPTED with that
 * reason; what others have under way on the same devices is stopped too. */
void robo__motion_stop(robo_robot *robot, struct robo__mover *mover, enum robo_reason reason,
                       robo_time now);

/* The device is lost: the commands that it runs are answered ERROR with that reason. */
void robo__motion_fault(robo_robot *robot, unsigned device, enum robo_reason reason);

/* Ends every motion of anybody with that signal. The caller sees to the devices. */
void robo__motion_end(robo_robot *robot, enum robo_signal signal, enum robo_reason reason);

/* ---- ticket.c: tickets of motions, and lasting speeds and forces; the mutex is held ---- */

/* A ticket that is free, now taken; NULL: none is. */
struct robo__ticket *robo__ticket_take(robo_robot *robot);

static inline robo_ticket robo__ticket_number(const robo_robot *robot, const struct robo__ticket *t)
{
    return t->generation * ROBO__MOST_TICKETS + (robo_ticket)(t - robot->axes.ticket);
}

/* After what a session moves has changed: whether it is on the robot's list of moving sessions. */
void robo__motion_count_moving(robo_robot *robot, struct robo__mover *mover);

/* How bad a signal is: of several parts' signals the worst is the command's. */
int robo__motion_badness(uint8_t signal);

/* From now on the session, or nobody, has set a speed or force of that axis that lasts. */
void robo__motion_set_lasting(robo_robot *robot, unsigned axis, struct robo__mover *mover,
                              uint8_t devices);

/* The same, by the command of a ticket, which may be refused. */
void robo__lasting_note(robo_robot *robot, unsigned axis, struct robo__mover *mover,
                        struct robo__ticket *t);

/* Ends the lasting speeds and forces on those devices. */
void robo__lasting_end(robo_robot *robot, unsigned devices);

/* Gives axes back to the sessions whose speeds lasted there before a command that was refused or not carried out. */
void robo__lasting_put_back(robo_robot *robot, const struct robo__ticket *t);

/* Forgets a session that has closed or is silent as the one whose speed lasted before. */
void robo__lasting_pass_on(robo_robot *robot, const struct robo__mover *mover);

/* Whether that command fell due longer ago than its session's expiry. A stale ticket is of no session, nor is 0. */
bool robo__motion_expired(robo_robot *robot, robo_ticket ticket, robo_time now);

/* The end of a command that a stage carries out, so many m and rad from its goal. A stale ticket does nothing. */
void robo__motion_ended(robo_robot *robot, robo_ticket ticket, enum robo_signal signal,
                        enum robo_reason reason, double position, double rotation);

/* Ends one motion. The caller sees to the devices. */
void robo__motion_end_one(robo_robot *robot, struct robo__ticket *ticket, enum robo_signal signal,
                          enum robo_reason reason);

/* ---- brake.c: stops of some axes; the mutex is held ---- */

/* Adds to the axes of a stop what cannot go on without them: motions end as a whole, and devices whose drivers stop no
 * parts stop as a whole. */
void robo__brake_widen(const robo_robot *robot, struct robo__need *need);
/* Whether a motion ends by a stop of these axes, which were widened. */
bool robo__brake_reaches(const robo_robot *robot, const struct robo__ticket *ticket,
                         const struct robo__need *need);
/* Whether a stop is for some axes alone, which it adds to *need. */
bool robo__brake_names(const robo_robot *robot, const struct robo_cmd *stop,
                       struct robo__need *need);
/* A stop of a session's own motion as one that names its axes: those that it moves now, and no others than it names. */
struct robo_cmd robo__brake_own(const robo_robot *robot, const struct robo__mover *mover,
                                const struct robo_cmd *stop);
/* Whether a command, of whatever revision, moves one of these axes. */
bool robo__brake_meets(const robo_robot *robot, const struct robo_cmd *cmd,
                       const struct robo__need *need);
/* Gives the devices of these axes a stop of them. */
void robo__brake_start(robo_robot *robot, const struct robo_cmd *cmd, const struct robo__need *need,
                       robo_ticket ticket, robo_time now);

/* Stops the motions on these axes, since their lease goes to another client: INTERRUPTED, lease. Nothing begins there
 * before they rest. */
void robo__brake_away(robo_robot *robot, const struct robo__need *axes, robo_time now);

/* The same for one motion under way, with another reason. */
void robo__motion_cancel_one(robo_robot *robot, struct robo__ticket *ticket,
                             enum robo_reason reason, robo_time now);
/* The lasting speed or force of an axis ends, and the axis brakes. */
void robo__brake_lasting(robo_robot *robot, unsigned axis, robo_time now);

/* ---- move.c: frames; the mutex is held ---- */

/* Begins a frame that is of the newest revision, or answers it at once. */
void robo__move_begin(robo_robot *robot, struct robo__mover *mover, const struct robo_cmd *cmd,
                      robo_time scheduled, robo_time now);

/* Adds the axes that a frame of the newest revision moves. */
void robo__move_axes(const robo_robot *robot, const struct robo_cmd *cmd, struct robo__need *axes);

/* The axes of such a frame, computed once and kept with it. */
const struct robo__need *robo__move_need(const robo_robot *robot, const struct robo_cmd *cmd);

/* Whether a frame that waits moves one of these axes; so does, for all that is known, one of an older revision. */
bool robo__move_meets(const robo_robot *robot, const struct robo_cmd *cmd,
                      const struct robo__need *need);

/* A part of it is over, as its ticket says; with the last one it is answered. */
void robo__move_part_over(const struct robo__ticket *ticket, robo_time now);

/* ---- override.c ---- */

/* The share of their speeds that motions have from now on: 0, or 0.001 to 1. ROBO_ERANGE. Takes the mutex itself. */
int robo__override_set(robo_robot *robot, double share);
/* That share now. Takes the mutex itself. */
double robo__override_share(robo_robot *robot);
/* The cost of setting another share now, in queued commands that are looked at. Takes the mutex itself. */
size_t robo__override_work(robo_robot *robot);
/* Devices and stages that have just begun receive the share; the mutex is held. */
void robo__override_again(robo_robot *robot, robo_time now);
/* By how much the clock of sequences is behind now; the mutex is held. */
robo_time robo__override_lag(const robo_robot *robot, robo_time now);
/* The start of a command of a sequence that would begin at `start` at full speed, and the reverse; the mutex is
 * held. */
robo_time robo__override_start(const robo_robot *robot, robo_time start, robo_time now);
robo_time robo__override_full(const robo_robot *robot, robo_time start, robo_time now);
/* ---- panic.c ---- */

/* A panic of all robots: the last is halted before the clients of the first are notified. */
void robo__panic_all(robo_world *world);

/* A panic reported by a device that is a robot itself: as robo_panic, and `by` is that device while it halts. The
 * panic's number. */
uint32_t robo__panic_told(robo_robot *robot, const robo_device *by);

/* A client's reset: 0, or ROBO_EPANIC when there has been another panic since the newest one that was reported to it;
 * that other panic goes on. */
int robo__reset_known(robo_robot *robot, struct robo__known known);

/* When the deadman of this robot must look next, or ROBO_NEVER; the mutex is held. */
robo_time robo__deadman_due(const robo_robot *robot);
/* Stops the motions of silent sessions; the mutex is held. */
void robo__deadman_run(robo_robot *robot, robo_time now);
/* Whether a command of direct mode falls due when its client has been silent for the deadman time: it is answered, and the session is
 * stopped as by the deadman. */
bool robo__deadman_refuses(struct robo__mover *mover, const struct robo_cmd *due, robo_time now);

/* ---- port.c: its stages ---- */

int robo__robot_open_port(robo_robot *robot); /* ROBO_ENOMEM */
void robo__robot_close_port(robo_robot *robot);
/* The newest revision of its description: what it is from now on; the mutex is held, or nobody else has the robot. */
void robo__robot_become(robo_robot *robot, struct robo__revision *revision);
/* Its devices are open again: its stages begin with everything at rest where it is. The mutex as above. */
void robo__robot_begin_stages(robo_robot *robot, robo_time now);

/* ---- turn.c ---- */

/* Runs what is due, ROBO__TURN at most and not for long; returns when the next falls due, which may be over. The mutex
 * is held. */
robo_time robo__robot_run_due(robo_robot *robot, robo_time now);

/* ---- robot.c ---- */

struct robo__alarm robo__robot_alarm(const robo_robot *robot); /* any thread, no lock */

robo_time robo__robot_now(const robo_robot *robot);

/* For its devices time never runs backwards: `now`, or the time of their last call when that is later, as it is for a
 * package that was read before the timekeeper ran. The mutex is held. */
static inline robo_time robo__robot_forward(robo_robot *robot, robo_time now)
{
    if (now > robot->latest)
        robot->latest = now;
    return robot->latest;
}

/* The state at now; the mutex is held. */
void robo__robot_read(robo_robot *robot, robo_time now, struct robo_state *state);
/* Within a step, whose effects are not carried out yet: a driver would report ends of motions. */
void robo__robot_look(robo_robot *robot, robo_time now, struct robo_state *state);
/* The devices that were opened for its newest description are there; in a panic they are halted. The mutex is held. */
void robo__robot_attach(robo_robot *robot, robo_device *device[ROBO_MAX_DEVICES], robo_time now);
/* Publishes the state that robo_read returns from now on to callers that do not get the mutex. The mutex is held. */
void robo__robot_publish(robo_robot *robot, robo_time now);

/* What the bus has sent; ROBO_ENONE: there is none. Takes the mutex itself. */
int robo__robot_bus(robo_robot *robot, struct robo_reply_bus *out);

/* The mutex, and on unlocking: the timekeeper is notified if something falls due earlier than it knows. */
void robo__robot_lock(robo_robot *robot);
void robo__robot_unlock(robo_robot *robot);

/* When something falls due next, or ROBO_NEVER. The mutex is held. */
robo_time robo__robot_next_due(const robo_robot *robot);

/* Takes all that a session has queued off the command queue, answering each; returns how many. */
uint32_t robo__robot_flush(robo_robot *robot, struct robo__mover *mover, enum robo_signal signal,
                           enum robo_reason reason, robo_time now);

#endif
