/* Loops, which run clients and servers. */
#pragma once

#include "robotalk/base.h"

ROBO_API_BEGIN

/* ---- a loop ----
 *
 * A loop runs clients and servers, and all of them belong to the thread that turns it. The program chooses how the loop is
 * turned:
 *
 *   by itself, with robo_loop_dispatch, or with robo_poll and robo_wait of a client on it;
 *   by another loop of the program's, poll(2), epoll or libev: that waits until robo_loop_fd is readable, and calls
 *   robo_loop_dispatch(loop, 0) then. No time-out is needed: the descriptor is readable for timers, too;
 *   by a thread of the library's: robo_loop_start. Clients there are for their `notify` alone, or, if the loop was shared before
 *   (robotalk/watchers.h), for any thread.
 *
 * In a virtual world a loop has no descriptor and no thread: its turn is robo_advance. */

robo_loop *robo_loop_open(robo_world *world); /* NULL: out of memory or descriptors */

/* Stops its thread. Clients and servers that are still on it go on to be valid, and to be turned, until the last of them is
 * closed. NULL: does nothing. */
void robo_loop_close(robo_loop *loop);

/* A descriptor that is readable whenever there is something for robo_loop_dispatch to do; it belongs to the loop, and is
 * for waiting alone. ROBO_EINVAL: a virtual world, or a loop that was started; ROBO_ENOMEM. */
int robo_loop_fd(robo_loop *loop);

/* One turn: waits for work, for `wait` ns at most, and does it; 0 or less: does the work that is ready. In a virtual
 * world time goes on meanwhile. ROBO_EINVAL: called from inside a turn, the loop was started, or a negative wait in a
 * virtual world, whose time does not go back. */
int robo_loop_dispatch(robo_loop *loop, robo_time wait);

/* Ends the wait of a turn, or makes the descriptor readable. From any thread, and from a signal handler. */
void robo_loop_wake(robo_loop *loop);

/* A thread of the library's turns the loop from now on, until robo_loop_stop or robo_loop_close; they return when it has
 * ended. ROBO_EINVAL: a virtual world, a loop that is started already, or one whose descriptor was asked for; ROBO_ESYSTEM.
 * When clients flood it, a second thread lends it a real-time priority for the input of others, where the system allows that. */
int robo_loop_start(robo_loop *loop);
void robo_loop_stop(robo_loop *loop);

ROBO_API_END
