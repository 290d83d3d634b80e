/* Halt bytes for devices, written when the program dies of a fault. They are prepared when the device is opened and
 * written by a signal handler, which may take no lock and call no driver. There is one table for the process. */
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
    size_t frame; /* bytes a write, for a descriptor that takes frames; 0: all at once */
};

/* 0, or ROBO_ELIMIT: there are 256 already. */
int robo__emergency_add(const struct robo__emergency *e);
/* Call it before fd is closed. It does nothing for an entry that is not in the table. */
void robo__emergency_remove(const struct robo__emergency *e);

/* Writes the bytes of all entries, and once more when all other threads have stopped writing to devices. For signal
 * handlers and for the exit of the process: the process ends after this, and a thread that removes an entry meanwhile
 * waits for the end. */
void robo__emergency_write(void);

/* Whether robo__emergency_write has begun: then no thread may write to a device any more. */
bool robo__emergency_has_begun(void);

/* Faults (SIGSEGV, SIGABRT, …) and signals that end a program which does not listen to them (SIGUSR1, SIGALRM, SIGXCPU,
 * …) write what is in the table, and then do what they did before. For programs, not for the library. */
void robo__emergency_on_faults(void);

/* Gives the handler a stack of its own on this thread, for the case of a stack overflow, unless it has one. The
 * caller's memory must last as long as the thread. */
enum { ROBO__EMERGENCY_STACK = 32768 };
void robo__emergency_stack(char stack[ROBO__EMERGENCY_STACK]);

#endif
