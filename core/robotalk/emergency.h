/* May change without notice between versions. */
/* What halts devices when the program dies of a fault. */
#pragma once

#include <stddef.h>

#include "robotalk/base.h"

ROBO_API_BEGIN

/* ---- halt bytes ----
 *
 * What halts a device when the program dies of a fault: a driver prepares the bytes in open, and a signal handler writes them,
 * which may take no lock and call no driver. There is one table for the process. */

/* A member of the device that it belongs to. Nothing of it may change while it is in the table. */
struct robo_emergency {
    size_t size;       /* sizeof(struct robo_emergency) */
    int fd;            /* does not block */
    const void *bytes; /* what halts the device */
    size_t count;      /* of the bytes */
    size_t frame;      /* bytes a write, for a descriptor that takes frames; 0: all at once */
};

/* 0; ROBO_ELIMIT: there are 256 already; ROBO_EINVAL: it has no size. */
int robo_emergency_add(const struct robo_emergency *e);
/* To be called before fd is closed. Does nothing for an entry that is not in the table. */
void robo_emergency_remove(const struct robo_emergency *e);

/* Writes the bytes of all entries, and once more when all other threads have stopped writing to devices. For signal
 * handlers and for the exit of the process: the process ends after this, and a thread that removes an entry meanwhile
 * waits for the end. */
void robo_emergency_write(void);

/* 1: robo_emergency_write has begun: then no thread may write any more to a device that has bytes in the table. */
int robo_emergency_has_begun(void);

/* Faults (SIGSEGV, SIGABRT, …) and signals that end a program which does not listen to them (SIGUSR1, SIGALRM, SIGXCPU,
 * …) write what is in the table, and then do what they did before. For programs: the library does not call it. */
void robo_emergency_on_faults(void);

/* Gives the handler a stack of its own on this thread, for the case of a stack overflow, unless it has one. The
 * caller's memory must last as long as the thread. */
enum { ROBO_EMERGENCY_STACK = 32768 };
void robo_emergency_stack(char stack[ROBO_EMERGENCY_STACK]);

ROBO_API_END
