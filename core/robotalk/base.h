/* Names that all parts of robotalk.h use: instants, objects and the version. */
#pragma once

#include "robotalk/spec.h"

/* No instant: when a command began that never did, and the stamp of a client that does not know the server's clock. A command
 * that has it as its start begins at once; 0 is an instant like any other. */
#define ROBO_NO_TIME INT64_MIN
#define ROBO_AT_ONCE ROBO_NO_TIME

/* An instant in the infinite future. */
#define ROBO_NEVER INT64_MAX

ROBO_API_BEGIN

typedef struct robo_world robo_world;   /* one world: its clock and its robots; any thread */
typedef struct robo_robot robo_robot;   /* one robot; counted; any thread */
typedef struct robo_body robo_body;     /* a description; counted, never changes; any thread */
typedef struct robo_model robo_model;   /* a body's geometry; never changes; any thread */
typedef struct robo_device robo_device; /* a robot's joint group and the driver that moves it */
typedef struct robo_mesh robo_mesh;   /* triangles of a file; counted, never changes; any thread */
typedef struct robo_claim robo_claim; /* a device that the program drives; counted; any thread */
typedef struct robo_loop robo_loop;   /* a thread that clients and servers live on; that thread */
typedef struct robo_timeout robo_timeout; /* a timer of the program's on a loop; its thread */
typedef struct robo_io robo_io;           /* a descriptor that a loop watches; its thread */
typedef struct robo_async robo_async;     /* a call that any thread has a loop make */
typedef struct robo_socket robo_socket;   /* a connection of bytes; its loop's thread */
/* questions of protocols to the program; its loop's thread */
typedef struct robo_questions robo_questions;
typedef struct robo_client robo_client; /* one connection to a server; its loop's thread */
typedef struct robo_server robo_server; /* an address that clients connect to; its loop's thread */
struct
    robo_description; /* what a robot is: read by robo_description_…, made by a block or robotalk/description.h */
struct robo_binding; /* the driver of a device */
/* A client's number for a session, and for a command or query. Below 0: there is none, and it is the enum robo_error. Functions
 * that get such a number return that error. */
typedef struct robo_session_id {
    int64_t value;
} robo_session_id;
typedef struct robo_id {
    int64_t value;
} robo_id;
typedef uint32_t robo_ticket; /* a command under way in a driver; a stale one is refused */

/* ---- versions ---- */

/* Increases when a program that was compiled with an older header must be recompiled. */
enum { ROBO_API_VERSION = 7 };
int robo_api_version(void); /* that of the library */

/* ---- names ---- */

/* Static texts, never NULL; for a number that this version does not know "unknown". */
const char *robo_strerror(int error);
const char *robo_signal_name(int signal); /* enum robo_signal */
const char *robo_reason_name(int reason); /* enum robo_reason */

ROBO_API_END
