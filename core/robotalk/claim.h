/* May change without notice between versions. */
/* Devices whose driver is a part of the program, which polls for its jobs. */
#pragma once

#include <stddef.h>

#include "robotalk/driver.h"

ROBO_API_BEGIN

/* ---- a driver that polls ----
 *
 * A driver may be a part of the program that the library does not call: a script, or a thread with a loop of its own, in any
 * language. The commands for its device wait in a table until it takes them out, and it is notified when one of them is over. A
 * halt never waits: the bytes that stop the device were handed over before.
 *
 *   robo_add_driver     registers it: a copy of *robo_claim_driver(), with a name of its own
 *   robo_add, …         open devices of it, which wait to be claimed; until then commands are answered ERROR, device
 *   robo_claim_open     claims one of them; robo_claim_port sets its port and its halt bytes
 *   robo_claim_next     returns the next job: once after robo_claim_open, and after each wake-up, until it returns 0
 *   robo_claim_release  lets it go
 *
 * Any thread may call these functions, of a virtual world its own, but none may with a robot's mutex held. They wait only for
 * that mutex, except robo_claim_port. When the robot is removed or reloaded, its devices are closed: from then on they return
 * ROBO_ECLOSED, and the claim is only there to be released. More in spec/drivers.md, section 7. */

/* The table of such a driver. The copy gets a `name`, and may set `check`, `parts`, `bounds` and `velocities`, and have an `open` of
 * its own, which calls this one's; when that has returned 0, a device is there to be claimed. The rest stays as it is. */
const robo_driver *robo_claim_driver(void);

/* Claims an open, unclaimed device of that driver. wake(owner) is called when robo_claim_next has a job, from any thread,
 * also from inside of these functions, and with the robot's mutex held: it may post a semaphore, write to an eventfd, or
 * call robo_async_post or robo_loop_wake, and may not wait. It is not called any more when robo_claim_release has
 * returned. wake may be NULL: then the program calls robo_claim_next when it likes. NULL on failure, with *error set,
 * which may be NULL: ROBO_ENONE: no device waits; ROBO_ENOMEM. */
robo_claim *robo_claim_open(robo_world *world, const char *driver, void (*wake)(void *owner),
                            void *owner, int *error);
robo_claim *robo_claim_hold(robo_claim *claim); /* one more reference to the same */

/* The last release lets the device go: it is halted, its commands are answered ERROR, device, and another program may
 * claim it, whose first job is that halt. NULL: does nothing. */
void robo_claim_release(robo_claim *claim);

/* For robo_device_…: which robot, which joints, which options. As long as the claim; robo_device_log, until the device is closed. */
const robo_device *robo_claim_device(const robo_claim *claim);
unsigned robo_claim_dofs(const robo_claim *claim); /* how many dofs it has */
/* 1: commands begin; 0: it was halted, and only bytes of the halt reach the device. */
int robo_claim_state(const robo_claim *claim);

enum robo_job_kind {
    ROBO_JOB_START = 1, /* a command is to begin */
    ROBO_JOB_OVER = 2,  /* a command that was taken is over, answered or not: its work ends */
    ROBO_JOB_HALT = 3,  /* a halt, and all commands are over; robo_claim_heard confirms it */
    ROBO_JOB_RESET = 4  /* the panic was reset, and its halt was seen to; before any command */
};
enum robo_halt_cause {
    ROBO_HALT_PANIC = 1,
    ROBO_HALT_STOP = 2,  /* by a stop that did not begin within 0.5 s; it was answered */
    ROBO_HALT_CLOSE = 3, /* the robot is removed or reloaded, or robo_claim_halt was called */
    ROBO_HALT_LEFT = 4   /* by whoever had it before, and has let it go */
};
struct robo_job {
    int kind;
    int64_t
        number; /* above 0: of the command; below: of the halt; 0: of a reset. No other has it */
    int why;    /* of a halt: enum robo_halt_cause */
    struct robo_cmd cmd; /* of ROBO_JOB_START: checked, but not clipped to limits */
    int base;            /* 1: it moves the base */
    /* its dofs: bit n % 64 of word n / 64, dof n of the robot */
    uint64_t dof[ROBO_MAX_DOFS / 64];
};
/* Takes the next job: 1; 0: none now. */
int robo_claim_next(robo_claim *claim, struct robo_job *job);

/* The command begins: 1. Commands behind a stop wait for that. 0: it is over, or came too late, which was answered. */
int robo_claim_begin(robo_claim *claim, int64_t number);
/* Answers it, once; it goes on to be worked on. ROBO_ENONE: it is over, or was answered; ROBO_EINVAL: no such signal or reason. */
int robo_claim_done(robo_claim *claim, int64_t number, enum robo_signal signal,
                    enum robo_reason reason);
/* The claim's work on that command ended. A command without an answer is answered ERROR, device.
 * ROBO_ENONE: it is over. */
int robo_claim_end(robo_claim *claim, int64_t number);

/* That halt was seen to: after it, and the reset of a panic, commands begin again. ROBO_ENONE: there is a later one. */
int robo_claim_heard(robo_claim *claim, int64_t number);
/* Halts the device and lets no command begin as long as the claim lasts: called before the program removes or reloads the robot. Returns
 * the number of the halt, for last bytes; called again, the same one. New commands are answered ERROR, device. Commands in progress are
 * over, but this call does not answer them: removal and reload do, as they answer all others; so do a stop, a panic, robo_claim_fault
 * and the last robo_claim_release. A program that does none of these leaves its clients waiting. */
int64_t robo_claim_halt(robo_claim *claim);
/* The device is lost: its commands are answered ERROR with that reason, ROBO_WHY_DEVICE or ROBO_WHY_LINK; else ROBO_EINVAL. */
int robo_claim_fault(robo_claim *claim, enum robo_reason reason);

/* Numbers in a row: the first `count` of them. */
struct robo_numbers {
    const double *value;
    size_t count;
};
/* A reading of a sensor of the device, as robo_sensed. Never waits. */
int robo_claim_sensed(robo_claim *claim, unsigned sensor, robo_time time, const double *value,
                      size_t count);
/* The same for pictures of its cameras: as robo_picture_open, robo_picture_wanted and robo_picture_none. */
struct robo_picture *robo_claim_picture_open(robo_claim *claim, unsigned camera, size_t room);
int robo_claim_picture_wanted(robo_claim *claim, unsigned camera);
void robo_claim_picture_none(robo_claim *claim, unsigned camera, int error);
/* The state of the device. Missing parts stay as they were. */
struct robo_report {
    size_t size; /* sizeof(struct robo_report) */
    /* of its dofs, in their order; a force may be NAN: unknown */
    struct robo_numbers position, speed, force;
    /* of the base: x, y, theta */
    struct robo_numbers pose, twist;
};
/* ROBO_ERANGE: a number that is not finite or above 1e9, or more of them than there are; ROBO_EINVAL: no size. */
int robo_claim_report(robo_claim *claim, const struct robo_report *report);

enum {
    ROBO_MAX_HALT_BYTES = 64,   /* that halt a device */
    ROBO_MAX_SIGN_BYTES = 32,   /* that show that its program is there */
    ROBO_MAX_FRAME_BYTES = 4032 /* that are written at once */
};
/* Sets the port of the device: a descriptor that does not block, of which a duplicate is kept until the device is closed; and
 * the bytes that are written to it on each halt, and when the program dies of a fault. ROBO_EINVAL: it blocks, or there are too
 * many bytes; ROBO_EDEVICE; ROBO_ELIMIT; ROBO_ENOMEM. After an error the port before is still there; else it is given up, and
 * waiting bytes of a halt there have a second to be sent, for which this call waits. */
int robo_claim_port(robo_claim *claim, int fd, const void *halt, size_t count);
/* The bytes that are written to that port behind the device's halt bytes when the robot is in panic, and not at other halts: for a
 * device that is itself a robot with panics. A new port has none. ROBO_EINVAL: with the halt's bytes more than
 * ROBO_MAX_HALT_BYTES; ROBO_EDEVICE: no port. */
int robo_claim_alarm(robo_claim *claim, const void *bytes, size_t count);
/* Panics of its robot, for such a device. */
struct robo_panics {
    uint32_t count;   /* how many there were */
    uint32_t given;   /* of these, those that were given here: not reported by robo_claim_panic */
    uint32_t written; /* times that robo_claim_alarm's bytes were written */
    int now;          /* 1: the last is not reset yet */
    int given_now;    /* 1: one that was given here is not reset yet */
};
int robo_claim_panics(const robo_claim *claim, struct robo_panics *panics);
/* The device is in panic: so is its robot, as by robo_panic, except that the device itself is not notified. *number: of this panic. */
int robo_claim_panic(robo_claim *claim, uint32_t *number);
/* Ends that panic. ROBO_EPANIC: there was another one since, or one that was given here, which goes on. */
int robo_claim_reset(robo_claim *claim, uint32_t number);
/* A keep-alive frame of up to ROBO_MAX_SIGN_BYTES that moves nothing. The other end of the port may need it also while the
 * robot is in panic; then robo_claim_write accepts that frame alone, with number 0. count 0: there is none. ROBO_ERANGE. */
int robo_claim_sign(robo_claim *claim, const void *bytes, size_t count);
/* From now on it takes stops of some of its axes, and goals with a greatest speed or acceleration, as a robo_driver with `parts` and
 * `bounds` does; before, as the table of its driver says. frames: whether its joints take the speeds by which control frames are
 * moved (before: they do); motions of frames that need them are NA, servo, otherwise. */
int robo_claim_takes(robo_claim *claim, int parts, int bounds, int frames);
/* Writes one frame to it, whole or not at all. number: of the command or halt for which it is; 0: neither. How many bytes; 0:
 * no room now. ROBO_EPANIC: halted, and that is not its number; ROBO_ENONE: the command is over, or has not begun; ROBO_EDEVICE: no
 * port, or it is lost; ROBO_ERANGE: too many. */
int robo_claim_write(robo_claim *claim, int64_t number, const void *bytes, size_t count);

ROBO_API_END
