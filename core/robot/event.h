/* Events of a robot's monitor. A step hands each to the parts that it concerns (step.c); each part has a table of what its events do
 * (timeline/timeline.c, axes/events.c). */
#pragma once

#include "robot/axes/identity.h"
#include "robotalk.h"

struct robo__mover;
struct robo__holder;

enum robo__step_kind {
    ROBO__ON_COMMAND, /* of a mover: begins, waits, or is refused */
    ROBO__ON_STOP, /* of everything, by a mover: what waits ends, and other clients are latched */
    ROBO__ON_DUE, /* the earliest that is due by `due` begins: a device, a stage, a command, a deadman, a hand-over */
    ROBO__ON_LATE, /* a turn ends in the middle of a row of commands: what should have been done before `now` */
    ROBO__ON_DONE,     /* a device's report on a ticket */
    ROBO__ON_ENDED,    /* a stage's, or that of an effect */
    ROBO__ON_FAULT,    /* a device is lost, with a reason */
    ROBO__ON_UNSENT,   /* a bus message for a dof was lost */
    ROBO__ON_BLOCKED,  /* an obstacle keeps the base from moving, or none does any more */
    ROBO__ON_FALLEN,   /* the robot has fallen over, or stands again */
    ROBO__ON_PANIC,    /* devices halt */
    ROBO__ON_PANICKED, /* and then motions and waiting commands end */
    ROBO__ON_CUT,      /* some of the commands that a stop or a panic has ended are answered */
    ROBO__ON_RESET,
    ROBO__ON_END,     /* all that a mover moves and has queued, with a reason */
    ROBO__ON_LEAVE,   /* the same, and the mover leaves the robot */
    ROBO__ON_CANCEL,  /* the command `id` of a mover, or all that wait: `id` 0 */
    ROBO__ON_PAUSE,   /* a mover's sequence waits for a frame: what lasts brakes */
    ROBO__ON_REQUEST, /* a query that the monitor carries out */
    ROBO__ON_TAKEN,   /* the effects of a take are over: do its axes brake? */
    ROBO__ON_DISMISS, /* a client of this process is to command nothing any more */
    ROBO__ON_DETACH,  /* a reload begins */
    ROBO__ON_RENEW,   /* the robot has a new revision */
    ROBO__ON_ATTACH,  /* devices are open, again or for the first time */
    ROBO__ON_REMOVE
};

/* A query that the monitor carries out. */
struct robo__request {
    enum robo_query op;
    const void *what; /* its struct robo_request_… */
    uint8_t role;     /* of the client: enum robo_role */
    void *reply;      /* its struct robo_reply_… */
    char *log;        /* ROBO__REQUEST_LOG bytes: what the client does, for the log; "": nothing */
};

struct robo__step_event {
    enum robo__step_kind kind;
    struct robo__mover *mover; /* whose it is; NULL: nobody's */
    union {
        struct {
            const struct robo_cmd *cmd;
            struct robo__known known; /* of its package */
            robo_time stamp;          /* of its package, which shows its age, or ROBO_NO_TIME */
        } command;
        robo_time due;
        struct {
            unsigned device;
            robo_ticket ticket;
            enum robo_signal signal;
            enum robo_reason reason;
            double position, rotation; /* of a goal of a stage: so many m and rad from it */
        } report;
        struct {
            unsigned joint, dof;
        } unsent;
        const char *obstacle;    /* its name; "": none */
        bool lies;               /* it has fallen */
        enum robo_reason reason; /* of an end */
        uint32_t id;
        const struct robo__request *request;
        struct robo__holder *client; /* that is dismissed */
        robo_device **devices;       /* ROBO_MAX_DEVICES of them */
        struct {
            const struct robo__revision *old;
            struct robo_reload_report *report;
        } renew;
        struct robo__holder *gone; /* that the caller of a leave frees, after the mutex */
    } as;
    int result; /* of a cancel: how many; of a request: 0 or an error */
};
