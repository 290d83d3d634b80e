/* A device whose driver polls for its jobs, as a script does (spec/drivers.md, sections 5 and 7). The robot adds commands to a
 * table of jobs, from any thread. The claim takes them out, works on them, and reports results. All bytes that it writes to the
 * device pass this file, which drops those of a command that has ended and of a halted robot. A halt never waits: its bytes
 * were handed over with the port. */
#pragma once

#include <stdatomic.h>

#include "body/dof_set.h"
#include "port.h"
#include "robotalk.h"

enum { ROBO__JOBS = 64 /* at least: three for each dof */ };

/* A command that waits, or is worked on. */
struct robo__claimed_job {
    enum {
        ROBO__JOB_NONE,
        ROBO__JOB_WAITS,
        ROBO__JOB_RUNS,
        ROBO__JOB_OVER
    } phase;             /* OVER: ended, and the claim was not notified yet */
    uint32_t generation; /* of this slot of the table */
    uint64_t turn;       /* order of arrival */
    struct robo_cmd cmd;
    robo_ticket ticket;
    robo_time at;              /* instant of arrival */
    bool begun;                /* it is worked on */
    bool answered;             /* by this device */
    struct robo__dof_set dofs; /* its dofs: of the robot's state, and the base */
    bool base;
};

struct robo__claimed;

/* The claim of a device; counted. It holds the device. */
struct robo_claim {
    _Atomic uint32_t holders;
    struct robo__claimed *device;
    void (*wake)(void *owner); /* called with the robot's mutex held; may be NULL */
    void *owner;
};

/* Counted: the device holds it as long as it is open, and so does its claim. It holds the robot and its device. */
struct robo__claimed {
    _Atomic uint32_t holders;
    robo_robot *robot;
    robo_device *device;
    /* under devices_lock: the list of open devices */
    struct robo__claimed *next;
    bool taken; /* it is claimed */
    /* under the robot's mutex */
    bool gone;         /* the device is closed */
    robo_claim *claim; /* NULL: unclaimed */
    struct robo__claimed_job *job;
    unsigned jobs;
    uint64_t turns;
    /* count of halts, and the last one that was handled */
    uint32_t halts, heard;
    bool reset;                        /* a panic was reset: reported when nothing is halted */
    enum robo_halt_cause why;          /* of the last */
    bool closing;                      /* it takes no more commands, as long as this claim lasts */
    bool last;                         /* halted for a robot that is reloaded: it is closed next */
    uint32_t panics_told;              /* panics of the robot that this device has reported */
    uint32_t panics_over;              /* of the others, those before the last reset */
    uint32_t alarms;                   /* panics for which its port's alarm was written */
    struct robo__claimed_port *port;   /* NULL: none */
    uint8_t sign[ROBO_MAX_SIGN_BYTES]; /* the frame that may be written in a panic, too */
    uint8_t sign_bytes;
    /* as reported; in the order of its dofs */
    unsigned dofs;
    double *position, *speed, *force; /* force: NAN as long as there was no report of it */
    double pose[3], twist[3];         /* of the base: x, y, theta; as reported */
};

extern const robo_driver robo__claimed_driver;

/* An open, unclaimed device of that world and driver, held for the caller; or NULL. */
struct robo__claimed *robo__claimed_find(const robo_world *world, const char *driver);
/* It may be claimed again; the caller holds it no more. */
void robo__claimed_give_back(struct robo__claimed *d);

/* ---- with the robot's mutex held ---- */

/* The number of a job, as the claim sees it; the job with a number, or NULL when it has ended or never existed. */
int64_t robo__claimed_job_number(const struct robo__claimed *d,
                                 const struct robo__claimed_job *job);
struct robo__claimed_job *robo__claimed_job_of(struct robo__claimed *d, int64_t number);
/* The oldest in that phase, or NULL. */
struct robo__claimed_job *robo__claimed_job_first(struct robo__claimed *d, int phase);
bool robo__claimed_job_lives(const struct robo__claimed_job *job); /* it has not ended */
/* Notes the axes of a command. */
void robo__claimed_aim(const struct robo__claimed *d, struct robo__claimed_job *job);
/* Answers a command, once. */
void robo__claimed_job_answer(struct robo__claimed *d, struct robo__claimed_job *job,
                              enum robo_signal signal, enum robo_reason reason);

/* Ends all commands; the core has answered them. */
void robo__claimed_end_all(struct robo__claimed *d);
/* Ends the commands on the axes of a later one, except stops. */
void robo__claimed_overtake(struct robo__claimed *d, const struct robo__claimed_job *later);
/* Wakes the claim: it polls for its next job. */
void robo__claimed_wake(struct robo__claimed *d);

/* Whether only the halt's bytes may reach the device: from a halt until the robot's reset, and at least until it
 * was handled. */
bool robo__claimed_is_silent(const struct robo__claimed *d);

/* The next command that shall begin, or NULL. A command that follows a stop waits until the stop has begun. */
struct robo__claimed_job *robo__claimed_take(struct robo__claimed *d);

/* That command begins. It takes axes over from a stop that still brakes. false: the command has ended. A command that
 * fell due longer ago than its session's expiry is answered and not begun. */
bool robo__claimed_begin(struct robo__claimed *d, int64_t number);

/* Writes the halt's bytes, after at most the rest of one frame, and ends all commands. */
void robo__claimed_halt(struct robo__claimed *d, enum robo_halt_cause why);

/* Panics of the robot that the device has not reported: how many, and whether one of them is not reset yet. */
uint32_t robo__claimed_given(const struct robo__claimed *d);
bool robo__claimed_given_now(const struct robo__claimed *d);

/* Why it was halted last, as far as is known by now. */
enum robo_halt_cause robo__claimed_why(const struct robo__claimed *d);

/* Gives it another port, or none (NULL), and returns the one before. A device that is silent is halted by it. */
struct robo__claimed_port *robo__claimed_port_swap(struct robo__claimed *d,
                                                   struct robo__claimed_port *port);

/* The claim ends: the device is halted, and its commands are answered. */
void robo__claimed_leave(struct robo__claimed *d);

/* The device is lost: its commands are answered ERROR with that reason. */
void robo__claimed_fault(struct robo__claimed *d, enum robo_reason reason);

/* Writes one frame. number: its command; minus the count of a halt; 0: the device's own. Returns n, or 0 when there is
 * no room; ROBO_EPANIC while the device is silenced; ROBO_ENONE when the command has ended or not begun; ROBO_EDEVICE. */
int robo__claimed_write(struct robo__claimed *d, int64_t number, const void *bytes, size_t n);
