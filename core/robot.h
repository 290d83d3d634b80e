/* The monitor of a robot: one mutex, one command queue, its devices, one published snapshot. Whoever holds
 * the mutex may run what is due, so that a command with start 0 runs in its caller's thread; a timer thread
 * runs the rest (in a virtual world: the world's timers). Under the mutex: no Lua, no allocation, no
 * blocking call. */
#ifndef ROBO_ROBOT_H
#define ROBO_ROBOT_H

#include <pthread.h>

#include "session.h"
#include "snapshot.h"
#include "timer.h"

enum {
    ROBO__TICKETS = 256,
    ROBO__BASE_AXIS = ROBO_MAX_DOFS,
    ROBO__AXES = ROBO_MAX_DOFS + 1,
    ROBO__QUEUE = 65536
};

struct robo_device {
    robo_robot *robot;
    const robo_driver *driver;
    void *state;
    uint8_t index;
    bool opened;
    robo_time next; /* when advance is wanted */
};

/* A speed or force that holds until changed, of one axis. */
struct robo__lasting {
    struct robo__session *session; /* who set it; NULL: none */
    uint8_t devices;               /* bit: device */
};

/* A command that has been started and not answered. */
struct robo__ticket {
    uint32_t generation;
    bool taken;
    uint8_t pending; /* devices that have not reported */
    uint8_t signal, reason;
    uint8_t holds; /* axes that it holds */
    bool setpoint, stop;
    uint8_t devices;               /* bit: device */
    struct robo__session *session; /* NULL: closed meanwhile */
    struct robo_result result;
};

struct robo_robot {
    robo *world;
    robo_robot *next; /* of the world's list, under its lock */
    struct robo_description description;

    pthread_mutex_t mutex;  /* guards all below */
    pthread_cond_t changed; /* an earlier head, or stopping */
    pthread_t thread;
    bool threaded, stopping;
    bool removed;             /* out of the world; the last session to close frees it */
    robo_time asleep_until;   /* what the timer thread waits for */
    struct robo__timer timer; /* virtual worlds: stands for the thread */

    struct robo__queue queue; /* of struct robo_cmd; start is the scheduled time */
    struct robo__session *sessions;
    robo_device device[ROBO_MAX_DEVICES];
    struct robo__ticket ticket[ROBO__TICKETS];
    uint16_t axis[ROBO__AXES]; /* ticket that holds it, plus 1 */
    uint32_t held;             /* axes held */
    struct robo__lasting lasting[ROBO__AXES];
    struct robo__session
        *moving; /* sessions that move something, of which the deadman wants word */
    uint32_t epoch;
    bool panic;
    robo_time published;
    struct robo__snapshot snapshot;
};

/* ---- motion.c: commands to drivers and back; the mutex is held ---- */

/* Begins a command, or answers it at once. */
void robo__motion_begin(robo_robot *robot, struct robo__session *session,
                        const struct robo_cmd *cmd, robo_time scheduled, robo_time now);

/* Ends every motion of anybody with that signal. The caller sees to the devices. */
void robo__motion_end(robo_robot *robot, enum robo_signal signal, enum robo_reason reason);

/* Stops the devices that a session moves, without a command. Its motions are answered INTERRUPTED with that
 * reason; what others have under way on the same devices is stopped too. */
void robo__motion_stop(robo_robot *robot, struct robo__session *session, enum robo_reason reason,
                       robo_time now);

/* ---- panic.c ---- */

/* When the next deadman of this robot falls due, or ROBO_NEVER; the mutex is held. */
robo_time robo__deadman_due(const robo_robot *robot);
/* Stops what silent sessions move; the mutex is held. */
void robo__deadman_run(robo_robot *robot, robo_time now);

/* ---- robot.c ---- */

/* Frees a removed robot that no session holds any more; the mutex is not held. */
void robo__robot_release(robo_robot *robot);

robo_time robo__robot_now(const robo_robot *robot);

/* The mutex, and on the way out: the timer thread is told if it must wake earlier. */
void robo__robot_lock(robo_robot *robot);
void robo__robot_unlock(robo_robot *robot);

/* Runs all that is due; returns when the next falls due. The mutex is held. */
robo_time robo__robot_turn(robo_robot *robot, robo_time now);

/* Answers a command that never began; the mutex is held. */
void robo__robot_refuse(struct robo__session *session, const struct robo_cmd *cmd,
                        robo_time scheduled, enum robo_signal signal, enum robo_reason reason,
                        robo_time now);

/* Takes all that a session has queued off the command queue, answering each; returns how many. */
uint32_t robo__robot_flush(robo_robot *robot, struct robo__session *session,
                           enum robo_signal signal, enum robo_reason reason, robo_time now);

#endif
