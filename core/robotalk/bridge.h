/* May change without notice between versions. */
/* A bridge (paper 003, spec/gamebots.md): a script between clients of Gamebots and a robot. A client's lines wait here until the
 * script takes them. The script's motions and its answers go back to the client's connection, whose session with the robot carries
 * them out. So a client that disconnects, a panic and a stop end all motion without the script.
 *
 * One script has the bridge of a robot. It belongs to the script's thread. The data that it shares with the connection's thread
 * is under its lock; a thread that holds this lock neither waits nor holds another lock. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "robotalk.h"

ROBO_API_BEGIN

enum {
    ROBO_BRIDGE_LINES = 131072, /* bytes of lines that wait; beyond these the oldest are dropped */
    ROBO_BRIDGE_WORDS = 131072, /* bytes of the script that the connection has not taken */
    ROBO_BRIDGE_DOFS = 256,     /* dofs in one wish */
    ROBO_BRIDGE_GROUPS = 256,   /* groups of a line; one with more is refused */
    ROBO_BRIDGE_NAME = 64       /* bytes of a name, with its end */
};

/* ---- a robot's bridge ---- */

typedef struct robo_bridge robo_bridge; /* a robot's; the thread that opened it */

/* Opens the bridge of that robot. key: of the client that the program is to robots (robo_dismiss), or 0. wake(owner) is called when
 * there is something new to read, from any thread and under the bridge's lock: it may call robo_async_post. NULL on failure, with *error
 * set: ROBO_EEXISTS: another script has it; ROBO_ENOMEM. */
robo_bridge *robo_bridge_open(robo_world *world, const char *robot, uint64_t key,
                              void (*wake)(void *owner), void *owner, int *error);
/* Its motion stops, and its client is notified. NULL: does nothing. */
void robo_bridge_close(robo_bridge *bridge);
/* Any thread: the program that has opened bridges with that key is to end. These bridges have no script any more,
 * whatever the script's thread does. */
void robo_bridge_dismiss(robo_world *world, uint64_t key);

/* The state of the client. epoch: increases whenever earlier lines must not be carried out any more: a client has connected or
 * disconnected; the robot was stopped, is in panic or was reset; its description has changed; a device of it is lost; control was
 * lost. A wish of an older epoch is dropped. */
struct robo_bridge_view {
    uint32_t epoch;
    uint32_t user; /* a number for each client that takes the robot; 0: there is none */
    bool panic;
    char name[ROBO_BRIDGE_NAME]; /* that the client gave the robot */
    uint64_t dropped;            /* lines so far, since they were too many */
};

/* Reads the state, and takes all lines that wait. A script that has not called this for the robot's deadman time is silent:
 * the robot stops, and the client is notified. */
void robo_bridge_look(robo_bridge *bridge, struct robo_bridge_view *view);
/* The next of the lines that were taken, without its end; until the next look. NULL: there are no more. */
const char *robo_bridge_line(robo_bridge *bridge, size_t *n);

/* ---- what a client says ---- */

/* A name and its value, which point into the line. */
struct robo_bridge_group {
    const char *name, *value;
    size_t name_size, value_size;
};

/* A line by the grammar of Gamebots: its type into *type, as a name; how many groups it has. ROBO_EBODY: it has no type,
 * or more groups than that. */
int robo_bridge_parse(const char *line, size_t n, struct robo_bridge_group *type,
                      struct robo_bridge_group group[ROBO_BRIDGE_GROUPS]);

/* The wish for a dof, in our own frame. */
struct robo_bridge_dof {
    uint16_t dof;
    uint8_t servo;  /* ROBO_SERVO_SETPOINT, SPEED or FORCE */
    uint8_t camera; /* 1: it carries a camera */
    double value;
};
struct robo_bridge_wish {
    bool stops; /* all that moves */
    bool base;
    double velocity[4]; /* m/s ahead, to the left and up, rad/s to the left */
    unsigned dofs;
    struct robo_bridge_dof dof[ROBO_BRIDGE_DOFS];
};

/* Translates a line into a wish. 1: it is in *wish, and the reply to the client in said, *said_size bytes of at most `room`;
 * 0: the line moves nothing, and is the connection's: robo_bridge_pass. */
int robo_bridge_mean(robo_bridge *bridge, const char *line, size_t n, struct robo_bridge_wish *wish,
                     char *said, size_t room, size_t *said_size);

/* ---- what the script says ---- */

/* Hands over a wish, which replaces, dof by dof, a wish that was not carried out yet. ROBO_ECLOSED: its epoch is over;
 * ROBO_ERANGE: a dof that the robot has not, or too many. */
int robo_bridge_hand_over(robo_bridge *bridge, uint32_t epoch, const struct robo_bridge_wish *wish);

/* The following do nothing for a client that has disconnected: user, of a view. ROBO_EFULL: too much waits. */

/* Says whole lines to the client. */
int robo_bridge_say(robo_bridge *bridge, uint32_t user, const char *text, size_t n);
/* Has the connection carry out a line. */
int robo_bridge_pass(robo_bridge *bridge, uint32_t user, const char *line, size_t n);
/* The script cannot carry out the client's lines: the robot stops, an epoch is over, and the client receives `why`, unless that
 * is "". */
void robo_bridge_fail(robo_bridge *bridge, uint32_t user, const char *why);
/* The client is done: the robot stops, and its connection is closed. */
void robo_bridge_quit(robo_bridge *bridge, uint32_t user);

ROBO_API_END
