/* A device whose driver is a script (spec/drivers.md, section 5). The robot adds commands to a table of jobs, from any
 * thread; the runtime that has claimed the device takes them out, runs them as tasks, and reports results. All that the
 * script writes to the device's port passes this file, which drops bytes of a command that has ended and of a halted
 * robot. A halt needs no script: its bytes were handed over at open. */
#ifndef ROBO_LUA_DEVICE_H
#define ROBO_LUA_DEVICE_H

#include "body/dof_set.h"
#include "outbox.h"
#include "runtime.h"

enum { JOBS = 64 /* at least: three for each dof */, HALT_BYTES = 64 };

/* A command for the script. */
struct job {
    enum {
        JOB_NONE,
        JOB_WAITS,
        JOB_RUNS,
        JOB_OVER
    } phase;             /* OVER: ended, and the script does not know it yet */
    uint32_t generation; /* of this slot of the table */
    uint64_t turn;       /* order of arrival */
    struct robo_cmd cmd;
    robo_ticket ticket;
    robo_time at;              /* instant of arrival */
    bool begun;                /* its task runs */
    bool answered;             /* by this device */
    struct robo__dof_set dofs; /* what it moves: dofs of the robot's state, and the base */
    bool base;
};

struct lua_device {
    robo_device *device;
    struct lua_device *next; /* list of open devices, under devices_lock */
    /* under the robot's mutex */
    robo_async *script; /* wakes it; NULL: none has claimed the device yet */
    struct runtime *rt; /* the script's, as is the handle */
    lua_Integer handle;
    struct job *job;
    unsigned jobs;
    uint64_t turns;
    /* count of halts, and the last one that the script has handled */
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

/* The open device that this runtime has claimed under that handle, or NULL. */
struct lua_device *device_of(const struct runtime *rt, lua_Integer handle);
/* An unclaimed device of the runtime's world, or NULL. */
struct lua_device *device_unclaimed(const struct runtime *rt);
/* From now on it wakes that runtime, with that handle. false: out of memory. */
bool device_claim(struct lua_device *d, struct runtime *rt, lua_Integer handle);

/* ---- with the robot's mutex held ---- */

/* The script's number of a job; the job with a number, or NULL when it has ended or never existed. */
lua_Integer job_number(const struct lua_device *d, const struct job *job);
struct job *job_of(struct lua_device *d, lua_Integer number);
/* The oldest in that phase, or NULL. */
struct job *job_first(struct lua_device *d, int phase);
/* Answers a command, once. */
void job_answer(struct lua_device *d, struct job *job, enum robo_signal signal,
                enum robo_reason reason);

/* Whether only the halt's bytes may reach the device: from a halt until the robot's reset, and at least until the
 * script has handled it. */
bool device_is_silent(const struct lua_device *d);

/* The next command whose task shall begin, or NULL. A command that follows a stop waits until the stop's task has
 * begun. */
struct job *device_take(struct lua_device *d);

/* The task of that command begins. It takes axes over from a stop that still brakes. false: the command has ended. A
 * command that fell due longer ago than its session's expiry is answered and not begun. */
bool device_begin(struct lua_device *d, lua_Integer number);

/* Writes the halt's bytes, after at most the rest of one frame, and ends all commands. why: static text for the script.
 */
void device_halt(struct lua_device *d, const char *why);

/* The device is lost: its commands are answered ERROR with that reason. */
void device_fault(struct lua_device *d, enum robo_reason reason);

/* Writes one frame. number: its command; minus the count of a halt; 0: the script's own. Returns n, or 0 when there is
 * no room; ROBO_EPANIC while the device is silenced; ROBO_ENONE when the command has ended; ROBO_EDEVICE. */
int device_write(struct lua_device *d, lua_Integer number, const void *bytes, size_t n);

/* ---- */

/* port:write of a port that belongs to a device: pushes its results. */
int device_port_write(lua_State *L, lua_Integer handle, const char *bytes, size_t n);

#endif
