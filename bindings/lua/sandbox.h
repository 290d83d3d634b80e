/* A sandbox: a closed Lua state for a user's file that only computes, a command mode or a description. The file is text
 * and sees arithmetic, texts and lists: nothing of the system, nothing of other states. Each call has a bound on memory,
 * instructions and processor time that the file cannot catch, and no function that it can call works long within one
 * instruction. Whoever opens a sandbox closes it; one thread uses it at a time; it needs no lock. */
#pragma once

#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

#include "robotalk.h"

enum { SANDBOX_WORDS = 256 };

struct sandbox_limits {
    size_t memory; /* bytes, of the state as a whole */
    size_t text;   /* bytes of a text: to compare two is one instruction; 0: as the memory */
    uint64_t instructions; /* of the virtual machine, a call */
    robo_time time;        /* ns of the thread's processor time, a call */
};

/* Of one call. */
struct sandbox_report {
    bool cut_off;              /* it went beyond a limit */
    robo_time time;            /* that it took, ns of processor time */
    char words[SANDBOX_WORDS]; /* why it failed, with file and line where there is one */
};

struct sandbox;

/* NULL: out of memory. */
struct sandbox *sandbox_open(const struct sandbox_limits *limits);
void sandbox_close(struct sandbox *box);

/* The limits of later calls. */
void sandbox_limit(struct sandbox *box, const struct sandbox_limits *limits);

/* Calls fn with `argument` as light userdata, protected and within the limits. Values that fn leaves on the stack
 * are dropped. false: it has failed; the report says why. */
bool sandbox_call(struct sandbox *box, lua_CFunction fn, void *argument,
                  struct sandbox_report *report);

/* For a C function that a file may call: the thread's processor time, ns; sandbox_excuse: the time since then does not
 * count against the file's limit. */
robo_time sandbox_clock(void);
void sandbox_excuse(lua_State *L, robo_time since);

/* The state, for reading the results of calls in its registry. */
lua_State *sandbox_state(struct sandbox *box);

/* Releases a reference of luaL_ref in the registry; does not raise. */
void sandbox_unref(struct sandbox *box, int reference);

/* Runs a chunk of text, from within a function of sandbox_call: leaves its first result on the stack, or raises. */
void sandbox_run(lua_State *L, const char *text, size_t size, const char *chunk);
