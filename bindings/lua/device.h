/* A device whose driver is a script (spec/drivers.md, section 5). Its robot gives it commands, from any thread, which wait
 * in a table of jobs; the runtime that has claimed it takes them out, works on them as tasks, and reports. Whatever the
 * script writes to the device's port passes here: of a command that is over, or of a robot that was halted, nothing gets
 * through. A halt needs no script: the bytes were handed over at open. */
#ifndef ROBO_LUA_DEVICE_H
#define ROBO_LUA_DEVICE_H

#include "robot/emergency.h"
#include "outbox.h"
#include "runtime.h"

enum { JOBS = 64, HALT_BYTES = 64 };

/* A command that the script is to carry out. */
struct job {
    enum {
        JOB_NONE,
        JOB_WAITS,
        JOB_RUNS,
        JOB_OVER
    } phase;             /* OVER: the script does not know it yet */
    uint32_t generation; /* of this place in the table */
    uint64_t turn;       /* in which order they came */
    struct robo_cmd cmd;
    robo_ticket ticket;
    robo_time at;  /* when it came */
    bool begun;    /* its task runs */
    bool answered; /* by this device */
    uint64_t dofs; /* what it moves: dofs of the robot's state, and the base */
    bool base;
};

/* How a device wakes its script. It outlives a device that is closed between post and drain. */
struct waker {
    struct robo__wakeup wakeup;
    struct runtime *rt;
    struct waker *next; /* of the runtime's */
    lua_Integer handle;
    bool over; /* its device is closed */
};

struct lua_device {
    robo_device *device;
    struct lua_device *next; /* of the open ones, under their lock */
    /* under the robot's mutex */
    struct waker *waker; /* NULL: no script has claimed it yet */
    struct job job[JOBS];
    uint64_t turns;
    /* how often it was halted, and which of that the script has dealt with */
    uint32_t halts, heard;
    const char *why; /* of the last */
    bool closing;    /* it takes no commands any more */
    struct robo__outbox out;
    uint8_t halt[HALT_BYTES];
    struct robo__emergency emergency; /* fd of it and of out: a duplicate of the port's, -1: none */
    /* as reported; in the order of its dofs */
    double position[ROBO_MAX_DOFS], speed[ROBO_MAX_DOFS];
    double pose[3], twist[3]; /* of the base: x, y, theta; as reported */
};

extern const robo_driver lua_driver;

/* The open device that this runtime has claimed under that handle, or NULL. */
struct lua_device *device_of(const struct runtime *rt, lua_Integer handle);
/* A device of the runtime's world that nobody has claimed, or NULL. */
struct lua_device *device_unclaimed(const struct runtime *rt);
/* From now on it wakes that runtime, with that handle. false: out of memory. */
bool device_claim(struct lua_device *d, struct runtime *rt, lua_Integer handle);

/* ---- with the robot's mutex held ---- */

/* The number by which the script knows a job; the job of a number, or NULL when it is over or never was. */
lua_Integer job_number(const struct lua_device *d, const struct job *job);
struct job *job_of(struct lua_device *d, lua_Integer number);
/* The oldest in that phase, or NULL. */
struct job *job_first(struct lua_device *d, int phase);
/* Answers a command, once. */
void job_answer(struct lua_device *d, struct job *job, enum robo_signal signal,
                enum robo_reason reason);

/* Whether nothing may reach the device but what its halt writes: from a halt until the robot's reset, at least until the
 * script has dealt with it. */
bool device_is_silent(const struct lua_device *d);

/* The next command for the script, whose task is to begin, or NULL. No later command hides a stop: it waits until the
 * stop's task has begun. */
struct job *device_take(struct lua_device *d);

/* The task of that command runs. From a stop that still brakes it takes over, axis by axis. false: the command is over;
 * it is, too, when it fell due longer ago than its session's expiry: then it is answered, and changes nothing. */
bool device_begin(struct lua_device *d, lua_Integer number);

/* Writes the halt's bytes, after at most the rest of one frame, and ends all commands. why: a static text, for the
 * script. */
void device_halt(struct lua_device *d, const char *why);

/* The device is lost: its commands are answered ERROR with that reason, and are over. */
void device_fault(struct lua_device *d, enum robo_reason reason);

/* Writes one frame. number: the command that it is of, or the halt, which is minus its count; 0: the script's own. n,
 * or 0 when there is no room; ROBO_EPANIC when the device is silent; ROBO_ENONE when the command is over; ROBO_EDEVICE. */
int device_write(struct lua_device *d, lua_Integer number, const void *bytes, size_t n);

/* ---- */

/* port:write of a port that belongs to a device: pushes its results. */
int device_port_write(lua_State *L, lua_Integer handle, const char *bytes, size_t n);

#endif
