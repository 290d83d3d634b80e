/* May change without notice between versions. */
/* A program's own work on a loop: timers, descriptors, calls from other threads; and a loop that two threads share. */
#pragma once

#include "robotalk/base.h"

ROBO_API_BEGIN

/* ---- what a program runs on a loop ----
 *
 * Timers, descriptors and calls of the program's own, beside clients and servers, so that a program needs no other loop. Their
 * functions are called in the loop's turns. These may open and close any of them, and use clients, but may neither turn a loop
 * nor end one, nor wait. All of it belongs to the loop's thread, except robo_async_post. Each keeps its loop valid, as a client
 * does. robo_…_close(NULL) does nothing. */

/* A timer: `fire` is called once when it is due. It is not set yet. NULL: out of memory. */
robo_timeout *robo_timeout_open(robo_loop *loop, void (*fire)(void *owner, robo_time now),
                                void *owner);
/* Sets it, or changes it, for an instant of the world's clock. An instant in the past is due in the next turn. */
void robo_timeout_set(robo_timeout *timeout, robo_time at);
void robo_timeout_stop(robo_timeout *timeout); /* it does not fire until it is set again */
void robo_timeout_close(robo_timeout *timeout);

/* A descriptor: while it is started, `ready` is called in each turn in which the descriptor can be read, or written to. It is to
 * be closed before the descriptor is, which stays the program's. NULL: out of memory, or a virtual world, which has none. */
enum robo_io_kind { ROBO_IO_READ = 1, ROBO_IO_WRITE = 2 };
robo_io *robo_io_open(robo_loop *loop, int fd, enum robo_io_kind kind, void (*ready)(void *owner),
                      void *owner);
void robo_io_start(robo_io *io);
void robo_io_stop(robo_io *io);
void robo_io_close(robo_io *io);

/* A call from any thread: `run` is called on the loop's thread soon after robo_async_post, once for all posts until then. NULL: out
 * of memory. */
robo_async *robo_async_open(robo_loop *loop, void (*run)(void *owner, robo_time now), void *owner);
/* From any thread, in a virtual world from its own. Takes no lock, allocates nothing and does not wait: a driver may call it
 * with the robot's mutex held. No thread may post to a closed one. */
void robo_async_post(robo_async *async);
void robo_async_close(robo_async *async); /* posted calls that have not run will not run */

/* The next of the loop's random numbers, at least 0 and less than 1. In a virtual world they are the same for the same seed. */
double robo_loop_random(robo_loop *loop);

/* ---- a shared loop ----
 *
 * After robo_loop_share other threads may use the clients of the loop, too (robotalk/connect.h, session.h, link.h): each of their functions
 * takes the loop's lock, and gives it back while it waits and when it returns. The thread that turns the loop holds the lock in its turns,
 * except in their waits. A caller that needs several calls without a turn between them takes the lock itself, as often as it likes; so does
 * a caller that reads what robo_client_why, robo_look and robo_take_reply of a picture point to.
 *
 * A shared loop may be started (robo_loop_start). A function of a client that waits then awaits the turns of the loop's thread, or of another
 * thread that waits, or turns the loop itself: for 1 ms after such a wait the loop's thread begins no turn. Several threads may wait at once.
 * robo_poll returns at once when there are events, and else after a turn. A client is closed when no other thread uses it any more. */

/* To be called between turns, and not for a loop that is started; in a virtual world it does nothing. */
void robo_loop_share(robo_loop *loop);
void robo_loop_lock(robo_loop *loop);
/* Only of a shared loop: 1: it has the lock; 0: another thread has it. */
int robo_loop_try_lock(robo_loop *loop);
/* Of a loop that is not started, robo_loop_wake lets it see the changes afterwards. */
void robo_loop_unlock(robo_loop *loop);

ROBO_API_END
