/* A device of the driver "servos": one port and its servos. servos.c has the functions that the robot calls; engine.c the cycle and what it does about
 * faults; thread.c calls the engine; line.c has the frames of the port; bring_up.c the steps in which a servo is brought up; goals.c what is written to servos; base.c a base on wheels;
 * sensors.c hands readings on; wiring.c reads the options.
 *
 * The engine of a serial port runs in a thread of its own, in real time. That of a simulated bus runs inside of advance, in the robot's time, with the
 * robot's mutex. The robot calls with its mutex, and takes the lock of the device for goals and readings. The engine takes that lock for the same, and
 * never while it waits for an answer; it reports faults without it, since that takes the robot's mutex. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "cycle.h"
#include "port.h"
#include "motion/dof_tickets.h"
#include "motion/profile.h"
#include "robotalk.h"
#include "robotalk/records.h"
#include "../sim/base.h"
#include "../wheels.h"

enum robo__servos_stage {
    ROBO__SERVOS_ABSENT, /* it does not answer, or is another one than described */
    ROBO__SERVOS_KNOWN, /* its position is known; it has no torque, or none that this driver gave it */
    ROBO__SERVOS_LIVE /* it has torque, and gets goals */
};

/* A servo of a device, and its dof, or a wheel of its base. The servo and the dof's numbers stay as they are. */
struct robo__servos_joint {
    struct robo__servos_servo servo;
    const char *name; /* of the dof's joint; of a wheel */
    bool wheel;       /* of the base: it has no dof of the robot */
    unsigned index;   /* of the dof, by the robot's numbers; of a wheel, by the base's */
    const struct robo_dof *dof;
    double retreat, most; /* most: greatest speed of the dof */
    bool retreats;
    double fastest; /* that the servo accepts */

    /* guarded by the device's lock */
    uint8_t stage; /* written by the thread, and by halts, which let it sink to KNOWN */
    struct robo__profile profile;
    double force;   /* the goal of a servo in current mode */
    double roll;    /* the goal of a wheel, rad/s */
    robo_time told; /* the instant of the last message */
    double rolled;  /* the position of a wheel at the last pose of the base */
    bool fresh;     /* the position of a wheel has come since the pose was computed */
    robo_time over; /* since when the motion should have ended; 0: not yet */
    bool restarted; /* by this driver, since the reset, or since it was live */
    bool restarts;  /* that is just happening: commands wait */
    double value[ROBO__SERVOS_REGISTERS]; /* its newest readings, NAN: none yet */

    /* the engine's */
    robo_time heard;  /* its last valid answer */
    robo_time again;  /* when to bring it up again, after that has failed */
    unsigned misses;  /* questions in a row without an answer */
    unsigned alarmed; /* answers in a row with a grave alarm */
    uint8_t alarms;   /* those that the log has */
    unsigned slow;    /* of its blocks that change slowly: which is read next */
    char said[96];    /* the last complaint, so that it is logged once */
};

/* A sensor of the description that a servo's readings are for. */
struct robo__servos_sensor {
    uint16_t sensor;
    uint8_t first, count; /* servos of the joint that moves its link */
    uint8_t values;
    int8_t
        source[ROBO__SERVOS_REGISTERS]; /* register of each value; -1: not known; -2: the force */
    bool each;                          /* one value for each servo, all from source[0] */
    robo_time period, last;
};
enum { ROBO__SERVOS_SENSORS = 64 };

/* The base of a device: wheels that are driven (../wheels.h), a motion of the kinematic simulator (../sim/base.h) whose
 * speeds they get, and its pose by their turns. Guarded by the device's lock, except what wire writes. */
struct robo__servos_base {
    bool present, holonomic;
    struct robo__wheels wheels;
    struct robo__sim_base wish;
    robo_time looked; /* until when it has moved, or waited for a wheel */
    double pose[3];   /* x, y, theta, by `rolled` of the wheels */
    bool known;       /* `rolled` is */
    robo_ticket ticket;
    bool clipped, chases; /* chases: a go_to, whose pose is corrected by `pose` */
    double goal[3];
    robo_time over; /* since when it should be there; 0: not yet */
};

/* The options of the device, without those of its servos. */
struct robo__servos_wiring {
    const char *port, *profile; /* valid until the device is closed */
    int64_t baud, rate;
    double delay, latency, timeout, watchdog, tolerance;
    bool torque;
};

struct robo__servos {
    robo_device *device;
    uint8_t panic;
    bool is_virtual;
    bool threaded; /* the engine has a thread: the port is serial */
    bool ordered;  /* its dofs are on the robot's bus: each message has the goal of one */
    struct robo__servos_wiring wiring;
    struct robo__servos_line line;
    struct robo__servos_cycle cycle;
    robo_time period, timeout;
    size_t count; /* first the dofs, then the wheels */
    struct robo__servos_joint joint[ROBO__SERVOS_MOST];
    struct robo__dof_part part[ROBO__SERVOS_MOST];
    struct robo__dofs dofs; /* with the robot's mutex */
    struct robo__servos_base base;
    size_t sensors;
    struct robo__servos_sensor sensor[ROBO__SERVOS_SENSORS]; /* the engine's */

    /* frames that stop the servos at any position, made by open: speed 0 and current 0, or no torque */
    uint8_t still[4 * ROBO__SERVOS_FRAME];
    size_t stills;

    struct robo__servos_port port;
    pthread_t thread;
    bool started;
    atomic_bool closing;
    atomic_bool gone; /* the port is to be closed, and opened again */

    pthread_mutex_t
        lock; /* guards all below, and the marked part of joints; taken while holding the robot's mutex */
    pthread_cond_t settled; /* all servos are up, or one cannot be */
    bool open;              /* the port is */
    bool halted;            /* nothing may be switched on; goals are those of the halt */
    robo_time rested;       /* when dofs that were halted must have come to rest; 0: that is over */
    bool asks;              /* answers are awaited */
    robo_time free_at;      /* when the line has carried the last answer, or message */
    unsigned halts;         /* cycles that have written the goals of the halt */
    bool by_messages;       /* one was sent since the halt: cycles write no goals */
    bool up, failed;        /* for open */
    bool opened;            /* faults are reported to the robot */

    /* the engine's */
    robo_time next; /* when its next cycle begins */
    struct robo__servos_input input;
    bool late;        /* answers to the newest question have not come, and may still do */
    size_t slow;      /* servo of which such a block is read next */
    robo_time reopen; /* when to look for the port again */
    bool deaf;        /* the log has that the port cannot be opened */
};

/* ---- wiring.c ---- */

/* Reads the options of a device, which servos it has, and the cycle of their bus: 0, or ROBO_EINVAL and why. */
int robo__servos_wire(struct robo__servos *d, const struct robo_description *description,
                      unsigned device, char why[128]);

/* ---- simulated.c ---- */

/* Whether the port is a simulated bus. */
bool robo__servos_is_simulated(const struct robo__servos *d);
/* Makes that bus, with the described servos in their modes: 0, ROBO_ENOMEM, or ROBO_EDEVICE; why is text for the log. */
int robo__servos_simulate(struct robo__servos *d, robo_time now, char why[128]);

/* ---- line.c ---- */

/* The engine's clock: the port's. */
robo_time robo__servos_now(const struct robo__servos *d);
/* Opens the port: 0, or ROBO_EDEVICE with errno. */
int robo__servos_connect(struct robo__servos *d);
void robo__servos_disconnect(struct robo__servos *d);
/* With the lock. Writes a frame at once, or what the line takes of it: false: it takes nothing now, or is gone. */
bool robo__servos_say(struct robo__servos *d, const uint8_t *frame, size_t n);
/* The engine's, without the lock. Waits for the next answer until then; false: there was none. */
bool robo__servos_await(struct robo__servos *d, robo_time until, struct robo__servos_status *out);
/* The same, after writing a question to that many servos with answers of that size. begin: forgets answers to older ones that are late. */
bool robo__servos_begin(struct robo__servos *d, const uint8_t *frame, size_t n);
robo_time robo__servos_until(const struct robo__servos *d, size_t asked, size_t size);

/* ---- goals.c: with the lock ---- */

/* The servo's own limit of speed is this much above the dof's, when the driver makes the motion. */
#define ROBO__SERVOS_ABOVE 1.25

/* Encodes the goals of all live servos at that instant, and in a halt those of all wheels: at most ROBO__SERVOS_GOALS bytes. one: of
 * that alone, unless it is NULL. */
enum { ROBO__SERVOS_GOALS = 8 * ROBO__SERVOS_FRAME };
size_t robo__servos_goals(struct robo__servos *d, const struct robo__servos_joint *one,
                          robo_time now, uint8_t *out);
/* Writes the goal of one into its block, with what belongs to it. */
void robo__servos_goal_bytes(const struct robo__servos_joint *j, robo_time now, uint8_t *out);
/* The frames that stop at any position, into d->still. */
void robo__servos_make_still(struct robo__servos *d);
/* Frames of speed 0 and current 0, and those that switch the torque of all servos off: at most sizeof d->still bytes. */
size_t robo__servos_halt_wheels(const struct robo__servos *d, uint8_t *out);
size_t robo__servos_limp(const struct robo__servos *d, uint8_t *out);
/* Sets the motions of all servos to those of the panic policy. */
void robo__servos_stop(struct robo__servos *d, robo_time now);

/* ---- base.c: with the lock; without a base they do nothing ---- */

/* The base stands where the description, or the device before, says. */
void robo__servos_base_init(struct robo__servos *d, robo_time now);
/* Begins a command to the base: set_speed, go_to or a stop. */
void robo__servos_base_start(struct robo__servos *d, const struct robo_cmd *cmd, robo_ticket ticket,
                             robo_time now);
/* Ends its command, if that is over; when to look again. */
robo_time robo__servos_base_advance(struct robo__servos *d, robo_time now);
/* The speeds of its wheels at that instant. */
void robo__servos_base_roll(struct robo__servos *d, robo_time now);
/* Adds what the wheels have turned to its pose, once all were read. */
void robo__servos_base_reckon(struct robo__servos *d);
/* It stops as the panic policy says; at once without one (brakes false). */
void robo__servos_base_halt(struct robo__servos *d, bool brakes, robo_time now);
void robo__servos_base_override(struct robo__servos *d, double share, robo_time now);
void robo__servos_base_read(const struct robo__servos *d, struct robo_state *out);

/* ---- bring_up.c: the engine's ---- */

enum robo__servos_bring_up {
    ROBO__SERVOS_UP,    /* as far as it may */
    ROBO__SERVOS_LATER, /* not before j->again: it restarts */
    ROBO__SERVOS_REFUSED
};
/* Takes a servo of that stage through its steps, as far as it may go. why: a refusal, "" if it does not answer. */
enum robo__servos_bring_up robo__servos_bring_up(struct robo__servos *d,
                                                 struct robo__servos_joint *j, uint8_t stage,
                                                 char why[96]);
/* Asks one servo for registers, up to three times: the bytes are in out. */
bool robo__servos_ask(struct robo__servos *d, struct robo__servos_joint *j,
                      struct robo__servos_block block, struct robo__servos_status *out);

/* ---- engine.c ---- */

/* Carries out the cycles that are due at that instant of its clock; d->next: when the next one is. */
void robo__servos_run(struct robo__servos *d, robo_time now);
/* Writes the bytes that stop servos, and closes the port. */
void robo__servos_leave(struct robo__servos *d);
/* Writes the goals of all servos, or that they have no torque. */
void robo__servos_write_goals(struct robo__servos *d);
/* Takes a valid answer of a servo into account. */
void robo__servos_take(struct robo__servos *d, struct robo__servos_joint *j,
                       struct robo__servos_block block, const struct robo__servos_status *status);

/* ---- thread.c ---- */

/* Starts the engine, and waits until all servos are up: 0, ROBO_ESYSTEM or ROBO_EDEVICE. now: the robot's time. */
int robo__servos_start(struct robo__servos *d, robo_time now);
/* Ends it: the servos are stopped, and the port is closed. */
void robo__servos_end(struct robo__servos *d);

/* ---- sensors.c ---- */

/* Finds the sensors that the description gives to this device. */
void robo__servos_find_sensors(struct robo__servos *d);
/* Hands on new readings of a servo. */
void robo__servos_sense(struct robo__servos *d, const struct robo__servos_joint *j, robo_time now);
