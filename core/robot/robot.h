/* The monitor of a robot: one mutex, one command queue, its devices, one published snapshot. Whoever holds
 * the mutex may run what is due, so that a command with start 0 runs in its caller's thread; the world's timekeeper
 * runs the rest (in a virtual world: its timers). Under the mutex: no Lua, no allocation, no
 * blocking call. */
#pragma once

#include <pthread.h>

#include "motion/bus.h"
#include "motion/cartesian.h"
#include "robot/devices/device.h"
#include "goals.h"
#include "reports.h"
#include "retained.h"
#include "robot/timeline/timeline.h"
#include "robot/senses/senses.h"
#include "robot/client.h"
#include "robot/sessions/session.h"
#include "robot/world/inside.h"
#include "base/readers.h"
#include "base/snapshot.h"
#include "base/timer.h"
#include "body/revision.h"

/* The memory of the stages and frames for the most dofs that there can be: reserved, and touched as far as the body has
 * dofs. */
struct robo__robot_room {
    struct robo__cartesian frame[ROBO__CARTESIANS];
    struct robo__bus_room bus;
    /* of the parts of a frame that begins, each of which has an axis, and of one that finds none */
    struct robo__resources resources[ROBO__AXES + 1];
    struct robo__effect effect[ROBO__EFFECTS];
    struct robo__goals goals;
};

/* Counted: the world, each session, each look-up and whoever removes it hold a reference. The last robo_release frees
 * its memory, outside of all locks. Its devices are closed and the timekeeper has left it when robo_remove returns. */
struct robo_robot {
    struct robo__member member;        /* of its world */
    _Atomic(struct robo__alarm) alarm; /* written with the mutex held */
    /* The newest revision first, and its description. Written with the mutex held; others read them in a section (base/readers.h). */
    struct robo__revision *_Atomic revisions;
    const struct robo_description *_Atomic description;
    struct robo__senses senses;

    /* guards all below; taken by robo__robot_lock where effects may follow, directly where data are only read */
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* the end of a reload */
    bool removed;           /* halted for good, without devices once its reload has ended */

    struct robo__movers movers;
    struct robo__clients clients;
    struct robo__axes axes;
    struct robo__timeline timeline;
    struct robo__devices devices;
    struct robo__effects effects; /* of the step under way */
    bool stepping;                /* an event is being handled (step.h) */
    struct robo__port port;       /* the robot as its stages and motions see it */
    struct robo__frames frames;
    struct robo__robot_room *room; /* reserved */
    struct robo__bus bus;
    double heading; /* of a root that dofs move, as last reported: it does not wrap */
    bool reloading; /* by one thread at a time */
    struct robo__revision *
        left; /* revisions that are kept no longer, the newest first: readers may still look at them */
    struct robo__retained retained;
    bool panicking; /* a panic halts the devices just now */
    /* of the client that sent the newest panic, or reset it; "": none did */
    char panic_name[ROBO__HOLDER_NAME];
    const robo_device
        *told_by; /* the device that has reported that panic; NULL: it was given here */
    robo_time published;
};

/* ---- override.c ---- */

struct robo__step_event;
/* The event (step.h). */
int robo__override_change(robo_robot *robot, struct robo__step_event *event, robo_time now);
/* Devices and stages that have just begun receive the share; the mutex is held. */
void robo__override_again(robo_robot *robot, struct robo__step_event *event, robo_time now);

/* ---- panic.c ---- */

/* Events (step.h): the devices halt; they have halted, and after motions and waiting commands have ended PANIC the alarm is raised; it
 * is reset. */
void robo__panic_halt(robo_robot *robot, robo_time now);
void robo__panic_halted(robo_robot *robot);
void robo__panic_raise(robo_robot *robot, robo_time now);
void robo__panic_reset(robo_robot *robot, robo_time now);

/* ---- port.c: its stages ---- */

int robo__robot_open_port(robo_robot *robot); /* ROBO_ENOMEM */
void robo__robot_close_port(robo_robot *robot);
/* The newest revision of its description: what it is from now on; the mutex is held, or nobody else has the robot. */
void robo__robot_become(robo_robot *robot, struct robo__revision *revision);
/* Its devices are open again: its stages begin with everything at rest where it is. The mutex as above. */
void robo__robot_begin_stages(robo_robot *robot, robo_time now);

/* ---- effects.c; the mutex is held ---- */

/* Carries out the list, to which a driver's report may add. */
void robo__effects_act(struct robo__effects *effects);
/* The same; then devices that have begun something are advanced, at the robot's latest instant, and owners of sessions are woken. */
void robo__effects_carry_out(robo_robot *robot);

/* ---- dismissal.c ---- */

/* Before a session that is on the robot's list is used: its client may be dismissed already. Takes the mutex itself. */
void robo__dismissal_join(struct robo__mover *mover);

/* ---- turn.c ---- */

/* Runs what is due, ROBO__TURN at most and not for long; returns when the next falls due, which may be over. The mutex
 * is held. */
robo_time robo__robot_run_due(robo_robot *robot, robo_time now);
/* Answers commands that a stop or a panic has ended, ROBO__TURN at a time and not for long: when to go on, which leaves others as
 * much time; ROBO_NEVER: all are answered. */
robo_time robo__robot_answer_cut(robo_robot *robot);
/* Events (step.h). */
void robo__turn_due(robo_robot *robot, struct robo__step_event *event, robo_time now);
void robo__turn_late(robo_robot *robot, robo_time now);

/* ---- robot.c ---- */

/* The state at now; the mutex is held. */
void robo__robot_read(robo_robot *robot, robo_time now, struct robo_state *state);
/* Within a step, whose effects are not carried out yet: a driver would report ends of motions. */
void robo__robot_look(robo_robot *robot, robo_time now, struct robo_state *state);
/* The devices of a body, with its senses, without the mutex: as robo__devices_open and robo__devices_close. */
int robo__robot_open_devices(robo_robot *robot, robo_body *body, const struct robo_state *before,
                             robo_device *device[ROBO_MAX_DEVICES]);
void robo__robot_close_devices(robo_robot *robot, robo_device *device[ROBO_MAX_DEVICES]);
/* Halts the devices and detaches them: the caller closes them. The mutex is held. */
void robo__robot_detach(robo_robot *robot, robo_time now);
/* The devices that were opened for its newest description are there; in a panic they are halted. The mutex is held. */
void robo__robot_attach(robo_robot *robot, struct robo__step_event *event, robo_time now);
/* Publishes the state that robo_read returns from now on to callers that do not get the mutex. The mutex is held. */
void robo__robot_publish(robo_robot *robot, robo_time now);

/* When something falls due next, or ROBO_NEVER. The mutex is held. */
robo_time robo__robot_next_due(const robo_robot *robot);
