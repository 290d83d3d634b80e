/* The last that a device hears when the program dies of a fault: bytes that halt it, made ready when it was opened, and
 * written by a signal handler, which may take no lock and call no driver. One table for the process. */
#ifndef ROBO_EMERGENCY_H
#define ROBO_EMERGENCY_H

#include <stdbool.h>
#include <stddef.h>

#include "robotalk.h"

/* A member of the device that it belongs to. Nothing of it may change while it is in the table. */
struct robo__emergency {
    int fd;            /* does not block */
    const void *bytes; /* what halts the device */
    size_t size;
    size_t frame; /* bytes of one write, for a descriptor that takes frames; 0: all at once */
};

/* 0, or ROBO_ELIMIT: there are 256 already. */
int robo__emergency_add(const struct robo__emergency *e);
/* Before fd is closed. What is not in the table does no harm. */
void robo__emergency_remove(const struct robo__emergency *e);

/* Writes the bytes of all that are in the table, and once more when other threads have seen that nothing else is to be
 * written. For signal handlers, and when the process exits: it ends after this, and whoever removes something meanwhile
 * waits for that end. */
void robo__emergency_write(void);

/* Whether that has begun: then nobody writes to a device any more. */
bool robo__emergency_has_begun(void);

/* Faults (SIGSEGV, SIGABRT, …) and signals that end a program which does not listen to them (SIGUSR1, SIGALRM, SIGXCPU,
 * …) write what is in the table, and then do what they did before. For programs, not for the library. */
void robo__emergency_on_faults(void);

/* A stack for the handler, for threads that may fill their own, unless the thread has one. The caller gives the memory,
 * which must last as long as the thread. */
enum { ROBO__EMERGENCY_STACK = 32768 };
void robo__emergency_stack(char stack[ROBO__EMERGENCY_STACK]);

#endif
