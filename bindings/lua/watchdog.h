/* The watchdog: one thread beside those of the scripts. A script that exceeds its time limit, or goes on after its order to
 * end, is cut off at its next Lua instruction (coroutine.c). Its motions are stopped first, on the watchdog's thread, which
 * gets the signals that end a program. A script inside a C function or a finalizer cannot be cut off. If it is the program's
 * main script, the watchdog halts the robots and ends the program one second later. A hosted script is given up: it is cut
 * off as soon as it comes back to Lua, and the deadman stops its motions. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "robotalk.h"

struct runtime;

enum { SCRIPT_PLACE = 128 };

/* The signals that end a program: SIGINT, SIGTERM, SIGHUP, SIGQUIT (process.c). */
enum { ENDINGS = 4 };
extern const int ending_signal[ENDINGS];

/* The watchdog's data of one script; a member of its runtime. */
struct watched {
    const char *name; /* of a hosted script; NULL: the program's main one */
    atomic_bool on;
    struct runtime *rt;
    struct watched *next; /* under the watchdog's lock */
    pthread_t script;
    clockid_t clock; /* of the script's processor time */

    /* its order to end; written by signal handlers and other threads */
    atomic_int signal; /* the first one received; 0: none */
    _Atomic robo_time signalled_at;
    atomic_bool again;  /* another was received after it */
    atomic_bool heeded; /* the script has taken note */
    atomic_bool
        blocks; /* it waits for something that ends by itself: a program (core.blocks), a hosted script */
    atomic_bool prompts; /* SIGINT ends the work of a typed line, and not the program */

    /* its file and line, for the report of a script that cannot be cut off */
    atomic_bool tell, told;
    char place[SCRIPT_PLACE];

    /* hosted: it cannot be cut off; NULL: nothing is known against that. Static text. */
    const char *_Atomic given_up;

    /* the watchdog's own */
    uint32_t slice;         /* the one that was seen last */
    robo_time slice_begin;  /* of the script's processor time, when it was first seen */
    robo_time signal_seen;  /* when the one came that it has seen */
    robo_time signal_begin; /* processor time, when the signal was first seen */
    uint32_t signal_slice;  /* the last that was to be cut off for it; 0: none */
    uint32_t block_slice;   /* the slice that may be blocked, after it was noted */
    robo_time block_time;   /* of the script's processor time, when it seemed to be */
    robo_time block_begin;  /* the same by CLOCK_MONOTONIC */
    uint32_t cut;           /* the slice that was cut off last, after it has taken note */
    unsigned cuts;          /* how many were */
    unsigned given_looks;   /* since it was given up */
    bool to_dismiss;        /* its motions must still be stopped; under the lock */
    bool logged;
};

/* Watches the calling thread, which is the script's, until watchdog_stop. false: the system refuses, or, of a hosted
 * script, the main one is not watched. Called again when the budget changes. */
bool watchdog_start(struct runtime *rt);
/* On the same thread. The main script's comes last. */
void watchdog_stop(struct runtime *rt);
/* The world whose robots it halts; NULL: none. */
void watchdog_world(robo_world *world);
/* A signal that ends the script was received; for any thread, and for a signal handler. A second one ends the
 * program, or, of a hosted script, does nothing. */
void watchdog_signal(struct watched *watched, int number);
/* The script has taken note of the signal and done its part; it may command again, and the next is the first again. */
void watchdog_heeded(struct watched *watched);
void watchdog_forget(struct watched *watched);
/* The script's loop is to be closed. */
void watchdog_leave(struct runtime *rt);

/* Halts the robots and ends the program, with that on the log; on the main script's thread. */
_Noreturn void watchdog_end(const char *why);
