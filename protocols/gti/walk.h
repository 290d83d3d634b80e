/* The base of a robot, as one connection of the Golog-Tekkotsu interface commands it: by a session that is opened for the first
 * command that moves. The newest command wins, whoever sent it; an end here ends this connection's walk and no other. A stop by
 * another client latches each connection for itself. On its host's thread. */
#pragma once

#include "net/seat.h"

struct robo__gti_walk {
    struct robo__seat seat;
    char robot[32];          /* empty: the first of the world */
    struct robo__timer over; /* the time of a walk */
    bool stands;             /* by the newest: no need to notify a client that cannot walk */
    bool held;               /* the newest was refused since another client drives the base */
    char told[128];          /* the newest message that is sent once */
};

void robo__gti_walk_open(struct robo__gti_walk *walk, struct robo__conn *conn, const char *robot,
                         robo_time deadman);

/* Velocity: m/s ahead and to the left, rad/s to the left; for so many seconds, INFINITY: until changed. */
void robo__gti_walk_set(struct robo__gti_walk *walk, const double velocity[3], double seconds,
                        robo_time now);

/* The client wants the robot to stand: motions of other clients stop, too, for which no lease is needed. */
void robo__gti_walk_stop(struct robo__gti_walk *walk, robo_time now);

/* The client has sent a motion that is not a walk: false: a stop by another client holds it, or there is no room for its session;
 * both are logged. *stop is then the number of the newest stop, or 0. */
bool robo__gti_walk_lets(struct robo__gti_walk *walk, const char *what, uint32_t *stop,
                         robo_time now);

/* Whether another client has stopped the robot, or a panic has, since the last call: what the client sent before moves nothing. */
bool robo__gti_walk_take_end(struct robo__gti_walk *walk, robo_time now);

/* The robot stops if this walk moved it. */
void robo__gti_walk_close(struct robo__gti_walk *walk);
