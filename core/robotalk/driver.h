/* Drivers: the functions that the library calls to move devices, and those that drivers may call. */
#pragma once

#include <stddef.h>

#include "robotalk/command.h"

ROBO_API_BEGIN

enum { ROBO_JOINT_DOFS = 6 }; /* most dofs of a joint */

/* ---- what a robot is ---- */

/* An option of a driver, as the descriptor gives it: a name of its own within its driver, and a value. */
enum robo_option_type {
    ROBO_OPTION_FLAG,    /* integer: 0 or 1 */
    ROBO_OPTION_INTEGER, /* integer */
    ROBO_OPTION_REAL,    /* real: finite */
    ROBO_OPTION_TEXT     /* text */
};
enum {
    ROBO_MAX_OPTION_NAME = 63,
    ROBO_MAX_OPTION_TEXT = 1023
}; /* most bytes of a name and of a text */
struct robo_option {
    const char *name;
    union {
        int64_t integer;
        double real;
        const char *text;
    } value;
    uint8_t type; /* enum robo_option_type */
};

/* One message of a bus: to the controller of one dof, or to all of them. */
enum { ROBO_BUS_SET = 0, ROBO_BUS_STORE = 1, ROBO_BUS_SYNCHRONISE = 2 };
struct robo_bus_message {
    /* ROBO_BUS_SET: do it at once; ROBO_BUS_STORE: at the next ROBO_BUS_SYNCHRONISE, which names no dof */
    uint8_t kind;
    /* the kind of value: ROBO_SERVO_SETPOINT, ROBO_SERVO_SPEED or ROBO_SERVO_FORCE */
    uint8_t servo;
    uint8_t dof;    /* number of the dof within its joint */
    uint16_t joint; /* number of that */
    double value;   /* SI */
};

/* ---- the driver contract: spec/drivers.md ----
 *
 * Every call is made with the robot's mutex held: no allocation, no blocking, no Lua. now never runs
 * backwards. Between two calls a driver is asked for nothing. */
typedef struct robo_driver {
    size_t size;       /* sizeof(robo_driver) */
    const char *name;  /* as descriptors write it */
    size_t state_size; /* bytes of state; the core allots them, zeroed, before open */

    /* Once, without the mutex: allocating and waiting are allowed here. 0, or an enum robo_error; then
     * close is called all the same. */
    int (*open)(void *state, robo_device *device, robo_time now);

    /* Begins a command and returns at once. robo_done reports its end, now or later, exactly once. A
     * command on an axis that is under way replaces it: the core has already answered for the old one. */
    void (*start)(void *state, const struct robo_cmd *cmd, robo_ticket ticket, robo_time now);

    /* May be NULL. Brings the state to now; returns when it wants to be called next, or ROBO_NEVER. Also
     * called after every start; of those that a frame makes at one instant, after the last, and before read. */
    robo_time (*advance)(void *state, robo_time now);

    /* Writes this joint group's part of the state at now, without changing anything. */
    void (*read)(const void *state, robo_time now, struct robo_state *out);

    /* Panic: stops as the descriptor's panic policy says, with bytes made ready by open. Cannot fail. The
     * core has already answered for every command. */
    void (*halt)(void *state, robo_time now);

    /* Once, without the mutex, after a failed open too. */
    void (*close)(void *state);

    /* May be NULL. Sends one message of a bus and returns at once: 0 when it is being sent, ROBO_EFULL when the
     * line cannot take it now (it is tried again), ROBO_ELINK when the line is lost, ROBO_EDEVICE when the device
     * is. A driver that has it gets no start for its joints: set-points, speeds and stops are the core's, which
     * decides which message is sent when (core/motion/bus.h). One that has start as well has no bus, unless the
     * description orders its messages (bus_order), and may drive a base, which is on none; the other drives no base. */
    int (*send)(void *state, const struct robo_bus_message *message, robo_time now);

    /* May be NULL. Whether it could drive that device of a description: 0, or ROBO_EINVAL with the expected
     * options and joints in why, or ROBO_ENOMEM. Touches no device. */
    int (*check)(const struct robo_description *description, unsigned device, char why[128]);

    /* May be NULL: then the robot has no override but 1, unless a bus moves all that the device moves. From now on motions
     * have that share of their speeds, 0 to 1, within their accelerations and on the paths on which they are. At 0 they are
     * held: a goal waits where it has braked to, is not over, and goes on with the next share. Commands with ticket 0 are the
     * core's own, which has scaled them; stops and halts act as ever. After open it is called when the share is not 1. */
    void (*override)(void *state, double share, robo_time now);

    /* 1: a stop may name some of the device's axes, and the others go on (robo_stop; dofs are the robot's). 0: start gets
     * only stops of the whole device. */
    int parts;

    /* 1: it keeps below the speed and acceleration that goals carry. 0: goals with such bounds are NA, except
     * for the speed of set_joint, which all drivers get. */
    int bounds;

    /* 1: it takes the velocities of set_joint: such a set-point moves on from the command's begin, the dof catches up with it,
     * which is the end of the goal, and goes along until the next command. 0: start gets velocities of 0. */
    int velocities;

    /* May be NULL: then the forces of these dofs are unknown. Writes the forces and torques, N and N*m, that act on this joint
     * group's dofs at now, by the robot's numbers, without changing anything; a dof that it leaves at NAN is unknown. Only
     * called when a client asks for forces. */
    void (*forces)(const void *state, robo_time now, double *force);

    /* May be NULL: then readings come by robo_sensed as the device has them. For simulations: gives readings of those sensors
     * of the device, at state->time, by robo_sensed. Called when a reading is requested and the last one is older than its rate
     * allows, without the mutex, from any thread, one at a time for a robot, and never after close. before: the state a little
     * earlier, or NULL. */
    void (*sense)(robo_device *device, const struct robo_state *state,
                  const struct robo_state *before, const uint16_t *sensor, size_t count);

    /* May be NULL: then pictures come by robo_pictured as the device has them. Takes one with that camera of the device, by
     * robo_picture_open and robo_pictured: 0; 1: not yet, and it is asked again at once; or an error: later. Called while clients watch
     * the camera, as often as its rate allows, now on one thread and now on another; in a virtual world on the caller's. Without the mutex, one
     * at a time for each device and never after close, which waits for it: it may wait itself, 0.2 s at most. wanted 0: the last client
     * has left, and the device may rest. */
    int (*picture)(void *state, robo_device *device, unsigned camera, int wanted);

    /* May be NULL. The panic for which it was halted was reset: commands may come again. For devices that must be notified
     * before the next command. */
    void (*reset)(void *state, robo_time now);
} robo_driver;

/* A driver's one report on a command, from inside start or advance. A stale ticket does nothing. */
void robo_done(robo_device *device, robo_ticket ticket, enum robo_signal signal,
               enum robo_reason reason);

/* The same as robo_done from any other thread or moment: takes the robot's mutex. */
void robo_post_done(robo_device *device, robo_ticket ticket, enum robo_signal signal,
                    enum robo_reason reason);

/* The device itself is lost: its commands in progress are answered ERROR with that reason. From any thread. */
void robo_post_fault(robo_device *device, enum robo_reason reason);

/* A reading of a sensor that the description gives to this device, by its number there: as many values as
 * its kind has, SI, in the order of spec/sensors.lua; NAN: not known; INFINITY: beyond its range. time: when
 * it held; ROBO_NO_TIME and future instants: now. From any thread, with the mutex or without; never waits. ROBO_ENONE:
 * no such sensor, or, inside of open, a robot that is reloaded; ROBO_ERANGE: not as many values, one beyond 1e9, or
 * older than the newest; ROBO_EFULL: another thread is just giving one. */
int robo_sensed(robo_device *device, unsigned sensor, robo_time time, const double *value,
                size_t count);

enum robo_log_level { ROBO_LOG_ERROR = 1, ROBO_LOG_WARNING = 2, ROBO_LOG_INFO = 3 };

/* A line to the world's log, behind the names of robot and driver; formed as printf does it, and cut off after 255 bytes.
 * From anywhere in a driver. */
void robo_device_log(const robo_device *device, enum robo_log_level level, const char *form, ...)
    __attribute__((format(printf, 3, 4)));

/* The robot's description, until close, and the number of this device there, for robo_description_option. */
const struct robo_description *robo_device_description(const robo_device *device);
int robo_device_index(const robo_device *device);
/* Inside open: the state that the device goes on from after a reload, positions by the new numbers, NAN for dofs
 * that were not there, and no speeds; NULL for a new robot. */
const struct robo_state *robo_device_before(const robo_device *device);
/* Inside open: whether the robot is in panic, so that nothing may move or be switched on. It is halted after open, and
 * a panic may begin meanwhile. */
int robo_device_in_panic(const robo_device *device);

/* The function that a shared object with a driver exports. A device whose driver is "file", with a path that has a slash
 * as its option `file`, gets the driver of that object; it is unloaded when the last of its devices was closed. version:
 * ROBO_API_VERSION of the library. The table, which stays as long as the object; or NULL, when the driver was not made
 * for that version. A fault of an object goes to the log; then robo_add_body returns ROBO_EDEVICE. */
const robo_driver *robo_driver_entry(int version);

ROBO_API_END
