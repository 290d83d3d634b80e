/* robotalk: a scriptable robot runtime. The public C API is in the headers that are included at the end of this one; this
 * comment describes what they have in common. spec/ holds the motion specification.
 *
 * Time is robo_time, integer nanoseconds of the runtime's clock: CLOCK_MONOTONIC, or a virtual clock that moves only in
 * robo_advance. Quantities are SI; x ahead, y left, z up; angles in radians.
 *
 * A program that drives a robot which is served elsewhere (`robotalk serve pioneer2`), without looking at errors; docs/c.md has
 * a whole one, and says how it is built:
 *
 *     const robo_time SECOND = 1000000000;
 *     robo_world *world = robo_open(NULL);
 *     robo_client *client = robo_connect(world, "robotalk://localhost", SECOND, NULL, NULL);
 *     robo_session_id session = robo_session(client, NULL, SECOND);
 *     struct robo_cmd go = { .op = ROBO_GO_TO, .start = ROBO_AT_ONCE, .body.go_to = { .x = 0.5 } };
 *     robo_id id = robo_send(client, session, &go, 1);
 *     struct robo_result result;
 *     if (robo_wait(client, id, 30 * SECOND) == 0 && robo_take(client, id, &result, sizeof result) == 1)
 *         puts(robo_signal_name(result.signal));
 *     robo_disconnect(client);
 *     robo_close(world);
 *
 * Objects and their lives
 *
 *   A world (robo_world) is a clock, its drivers and its robots: robo_open, robo_close. A program needs one, and may have
 *   several.
 *   A body (robo_body) is a description that was checked, with its model. It never changes; those who hold it share it until
 *   robo_body_release.
 *   A robot (robo_robot) is a body, devices and queues; threads of its world run what falls due. robo_add_body starts it,
 *   robo_remove stops it for good. Robots are counted: the holder of a reference may use it until robo_release, also
 *   after robo_remove and robo_close. A robot is commanded through a client only.
 *   A loop (robo_loop) runs clients and servers: robo_loop_open, robo_loop_close. The program turns it, or a thread of the
 *   library's. It also runs the program's own command modes (struct robo_mode), its timers, descriptors, calls from other
 *   threads (robo_timeout, robo_io, robo_async) and connections of bytes (robo_socket). Questions of clients to the program
 *   itself come to a loop (robo_questions).
 *   A client (robo_client) is a connection to a server, or to the robots of this process ("local:"): robo_client_open, or
 *   robo_connect with a loop of its own; robo_disconnect. It sends commands, asks queries, and keeps the answers until they are
 *   taken (robo_take) or the client is closed.
 *   A session connects a client with one robot in one command mode; it is a number: robo_session, robo_session_end. A command
 *   is a struct robo_cmd, which robo_send copies; its id is its client's number for it.
 *   A server (robo_server) is an address at which clients of other processes reach the robots: robo_serve, robo_unserve.
 *   A device (robo_device) is what a driver moves: the core makes and frees it, and gives it to the driver's functions.
 *   A claim (robo_claim) is a device whose driver is a part of the program that polls for its jobs: robo_claim_open,
 *   robo_claim_release. It is counted, and may be used also when its device was closed.
 *   A model (robo_model) is geometry for computations; it never changes.
 *
 * The opener of an object closes it. A pointer that a function returns is borrowed, and the comment says until when. Descriptions,
 * commands, options, modes and the tables of drivers are copied by the function that takes them; what these point to, names of
 * drivers and owners, must last.
 *
 * Threads
 *
 *   Functions of a world, of a robot and of a claim may be called from any thread. A loop and what lives on it belong to the thread
 *   that turns the loop, except robo_async_post and robo_loop_wake; a virtual world with all that is in it belongs to the thread
 *   that calls robo_advance. Bodies and models may be used by any thread. Signal handlers may call robo_loop_wake and
 *   robo_emergency_write, and no other function.
 *   robo_add_body, robo_reload_body, robo_remove and robo_close open and close devices, which may take as long as the driver likes.
 *   robo_connect, robo_dial, robo_client_wait, robo_session, robo_wait, robo_poll and robo_loop_dispatch wait until their
 *   timeouts. Where a loop that was started pauses or ends, the call waits until the turn in progress is over. All others wait
 *   only for a lock.
 *
 * Locks
 *
 *   Each robot has one mutex, and each world has one for its list of robots; no thread holds both, nor those of two robots. The
 *   functions of a driver are called with the robot's mutex held, except open, close, check, sense and picture. They may call
 *
 *     with the mutex held         robo_done, robo_message_lost
 *     anywhere in a driver        robo_device_…, robo_sensed, robo_body_…, robo_now, robo_async_post, the model's functions
 *     in open and close           robo_emergency_add, robo_emergency_remove
 *     without the mutex           robo_post_…, robo_claim_…, robo_panic, robo_read: in open, and on threads of the driver's own
 *     nowhere in a driver         robo_add_body…, robo_reload…, robo_remove, robo_close
 *
 *   A driver that takes a lock of its own in start, advance, send or halt must not call a function of the fourth line while
 *   it holds that lock. docs/architecture.md lists all locks and their order.
 *
 * Errors
 *
 *   Functions return 0 or more on success and a negative enum robo_error otherwise; robo_strerror has its text. Functions
 *   that return a pointer return NULL otherwise, and may have parameters for the error and its message. Results are written on
 *   success only. The outcome of a command is not an error but its result: a signal and a reason (enum robo_signal, enum
 *   robo_reason). The library never exits, prints or aborts: further messages of a driver go to the log of struct robo_options.
 *
 * Other headers
 *
 *   Programs include this header, not its parts, and those of robotalk/ that they need beyond it; docs/c.md has a table. What this
 *   header declares is promised: a later 1.x has it, too, with the same meaning. Each of the others says in its first line that
 *   it may change without notice between versions.
 *
 * Versions
 *
 *   ROBO_API_VERSION is that of these headers, robo_api_version() that of the library that is loaded. A program that finds them
 *   different must be recompiled, since structs have changed. A struct that a program fills, and that may get further
 *   members, begins with `size`, its own sizeof. Such a struct may be of an older header, and then the members that it lacks
 *   count as 0, or of a newer one, and then those that the library does not know must be 0. Without a size it is refused.
 *   struct robo_cmd, struct robo_move and their parts have no size, since programs make rows of them: they keep theirs in all of 1.x.
 *   A struct that the library hands to a driver's function may get further members at its end.
 *   A function that fills a struct of the program's is given the struct's sizeof, in a parameter `size` or in its first member: it
 *   writes so many bytes at most, and members that the library does not know become 0. */
#pragma once

/* Each knows those before it alone. LuaJIT hosts hand ffi.cdef what stands between the two marks of each, in this order. */
#include "robotalk/api.h"     /* the two marks */
#include "robotalk/spec.h"    /* made of spec/: commands, queries, states, errors */
#include "robotalk/base.h"    /* instants, the objects' names, the version */
#include "robotalk/command.h" /* commands and their results */
#include "robotalk/driver.h"  /* the driver contract */
#include "robotalk/world.h"   /* worlds, and the drivers that they know */
#include "robotalk/body.h"    /* bodies, and what a robot is */
#include "robotalk/robot.h"   /* robots: to come and go, state, readings, panic */
#include "robotalk/loop.h"    /* loops */
#include "robotalk/serve.h"   /* servers */
#include "robotalk/connect.h" /* clients and sessions */
