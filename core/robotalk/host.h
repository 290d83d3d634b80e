/* May change without notice between versions. */
/* Further functions for programs that host robots for others. */
#pragma once

#include <stddef.h>

#include "robotalk/driver.h"
#include "robotalk/robot.h"
#include "robotalk/serve.h"

ROBO_API_BEGIN

/* ---- worlds ---- */

/* 1: its time moves only in robo_advance. */
int robo_is_virtual(const robo_world *world);

/* Virtual clock only: when something falls due next, which may be now; ROBO_NEVER: nothing will. */
robo_time robo_next_due(const robo_world *world);

/* One of those of the library; NULL: none has that name. */
const robo_driver *robo_built_in_driver(const char *name);

/* A driver of the world, valid as long as the world; NULL: there is none. */
const robo_driver *robo_find_driver(robo_world *world, const char *name);

/* ---- robots ---- */

/* The outcome of queued commands, and whether the robot is without devices since neither the new nor the old
 * ones could be opened. */
struct robo_reload_report {
    uint32_t kept, dropped;
    int lost;
};

/* Gives a living robot another body, under the same name: sessions, queues and positions stay, by the names of
 * joints, dofs and frames. Motions are stopped and answered INTERRUPTED, changed; queued commands for parts that are
 * gone are answered ERROR, changed. A body that is refused, or whose drivers do not open, leaves the old one running.
 * No callback of the robot's drivers may call it. report may be NULL. ROBO_ENONE: the robot was removed, or is being
 * reloaded by another thread; ROBO_EINVAL: another name, or a body that no robot can have; else as robo_add_body. */
int robo_reload_body(robo_robot *robot, robo_body *body, struct robo_reload_report *report);

/* The client that stopped all of the robot last: its number, as leases have it, and the name that it had then; 0: none yet.
 * *others: 1: another client drove some of it. */
uint32_t robo_robot_stopper(robo_robot *robot, char name[64], int *others);

/* The state with optional parts: bits of enum robo_more. All are of the same instant, but it waits for the robot's mutex:
 * only drivers know their forces. Poses are computed when it has been given back. */
void robo_read_more(robo_robot *robot, unsigned more, struct robo_reply_state *state);

/* ---- servers ---- */

/* Reads the access lists and the server's own certificate again. New connections use the new files. The server disconnects
 * clients whose permissions were reduced, and stops their motions. Returns the number of these clients; ROBO_E… with a message
 * in why (may be NULL), and then all is as it was. A loop that was started pauses meanwhile. */
int robo_server_reload(robo_server *server, char why[256]);

size_t robo_server_connections(const robo_server *server); /* how many there are now; any thread */

/* The address that a client connects to, with the port that was picked. */
void robo_server_url(const robo_server *server, char url[320]);

enum {
    ROBO_MAX_FILES = 256,     /* of one loop */
    ROBO_MAX_FILE = 1 << 20,  /* bytes of one */
    ROBO_MAX_FILE_PATH = 127, /* bytes of a path, and of a media type */
    ROBO_MAX_FILE_TYPE = 63
};
/* A file that the servers of the loop give to accepted clients by HTTP, as servers of RCTP do: GET /PATH. Names of the path are of
 * letters, digits, _, - and ., with / between them. All is copied. It replaces a file of the same path. A loop that was started
 * pauses meanwhile. ROBO_EINVAL: no such path or media type; ROBO_ESIZE; ROBO_EFULL; ROBO_ENOMEM. */
int robo_loop_add_file(robo_loop *loop, const char *path, const char *type, const void *bytes,
                       size_t size);

/* ---- dismissal ---- */

/* The client of that key is to end, whatever its own thread does. Key 0: the program itself, with its clients that were opened with
 * key 0 and not `apart`; clients of other programs are not affected. On all robots of this world its motions are stopped, its waiting
 * commands are INTERRUPTED, closed, and its leases are free. Its commands are answered so from now on, also by sessions that it opens
 * later; its stops still act. For any thread that is in no driver. */
void robo_dismiss(robo_world *world, uint64_t key);

/* The same without waiting for robots that another thread is busy with, as one whose driver blocks: 1: it is done; 0: such robots
 * are left, and it is to be called again. Sessions that the client opens are refused from the first call on. */
int robo_try_dismiss(robo_world *world, uint64_t key);

/* The same for all clients of robots of this world, also future ones: the program is to end. */
int robo_try_dismiss_all(robo_world *world);

/* The program goes on: after robo_try_dismiss(world, 0) its own clients command again. For any thread that is in no driver. */
void robo_readmit(robo_world *world);

ROBO_API_END
