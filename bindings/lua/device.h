/* A device whose driver asks what there is to do, as a script does (spec/drivers.md, section 5). The robot adds commands to
 * a table of jobs, from any thread; who has claimed the device takes them out, works on them, and reports results. All that
 * he writes to the device passes this file, which drops bytes of a command that has ended and of a halted robot. A halt
 * needs nobody: its bytes were handed over at open. */
#ifndef ROBO_LUA_DEVICE_H
#define ROBO_LUA_DEVICE_H

#include <stdatomic.h>

#include "body/dof_set.h"
#include "outbox.h"
#include "robotalk.h"

enum { JOBS = 64 /* at least: three for each dof */, HALT_BYTES = 64 };

/* A command that waits, or is worked on. */
struct job {
    enum {
        JOB_NONE,
        JOB_WAITS,
        JOB_RUNS,
        JOB_OVER
    } phase;             /* OVER: ended, and who works on it does not know it yet */
    uint32_t generation; /* of this slot of the table */
    uint64_t turn;       /* order of arrival */
    struct robo_cmd cmd;
    robo_ticket ticket;
    robo_time at;              /* instant of arrival */
    bool begun;                /* it is worked on */
    bool answered;             /* by this device */
    struct robo__dof_set dofs; /* what it moves: dofs of the robot's state, and the base */
    bool base;
};

/* Counted: the device holds it as long as it is open, and so does who has claimed it. It holds the robot. */
struct lua_device {
    _Atomic uint32_t holders;
    robo_robot *robot;
    robo_device *device; /* it stays as long as the robot */
    /* under devices_lock: the list of open devices */
    struct lua_device *next;
    bool claimed;
    atomic_bool gone; /* the device is closed */
    /* under the robot's mutex */
    void (*wake)(void *owner); /* called with the mutex held; NULL: nobody has claimed it */
    void *owner;
    struct job *job;
    unsigned jobs;
    uint64_t turns;
    /* count of halts, and the last one that was handled */
    uint32_t halts, heard;
    const char *why; /* of the last */
    bool closing;    /* it takes no more commands */
    struct robo__outbox out;
    uint8_t halt[HALT_BYTES];
    struct robo_emergency emergency; /* fd of it and of out: a duplicate of the port's, -1: none */
    /* as reported; in the order of its dofs */
    unsigned dofs;
    double *position, *speed, *force; /* force: NAN as long as there was no report of it */
    double pose[3], twist[3];         /* of the base: x, y, theta; as reported */
};

extern const robo_driver lua_driver;

/* An open device of the world that nobody had claimed, held for the caller; or NULL. */
struct lua_device *device_claim(const robo_world *world, void (*wake)(void *owner), void *owner);
/* It does not wake the one who has claimed it any more. */
void device_release(struct lua_device *d);

/* ---- with the robot's mutex held ---- */

/* The number of a job, for who works on it; the job with a number, or NULL when it has ended or never existed. */
int64_t job_number(const struct lua_device *d, const struct job *job);
struct job *job_of(struct lua_device *d, int64_t number);
/* The oldest in that phase, or NULL. */
struct job *job_first(struct lua_device *d, int phase);
/* Answers a command, once. */
void job_answer(struct lua_device *d, struct job *job, enum robo_signal signal,
                enum robo_reason reason);

/* Whether only the halt's bytes may reach the device: from a halt until the robot's reset, and at least until it
 * was handled. */
bool device_is_silent(const struct lua_device *d);

/* The next command that shall begin, or NULL. A command that follows a stop waits until the stop has begun. */
struct job *device_take(struct lua_device *d);

/* That command begins. It takes axes over from a stop that still brakes. false: the command has ended. A command that
 * fell due longer ago than its session's expiry is answered and not begun. */
bool device_begin(struct lua_device *d, int64_t number);

/* Writes the halt's bytes, after at most the rest of one frame, and ends all commands. why: static text. */
void device_halt(struct lua_device *d, const char *why);

/* The device is lost: its commands are answered ERROR with that reason. */
void device_fault(struct lua_device *d, enum robo_reason reason);

/* Writes one frame. number: its command; minus the count of a halt; 0: the device's own. Returns n, or 0 when there is
 * no room; ROBO_EPANIC while the device is silenced; ROBO_ENONE when the command has ended; ROBO_EDEVICE. */
int device_write(struct lua_device *d, int64_t number, const void *bytes, size_t n);

#endif
