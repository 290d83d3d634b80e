/* The fault simulator tries bodies and command modes in worlds in which everything fails. One run is one virtual world, made from
 * one seed: one to three simulated robots, one to three clients over links that lose, stall, reorder and break, and mishaps of
 * robots and server. A judge compares all events with the promises of spec/robotalk.md, by the world's own clock and by the calls that reach the
 * drivers. More in docs/faults.md.
 *
 * The same seed gives the same run, on every machine and whatever ran before. One thread a process at a time. */
#pragma once

#include "robotalk.h"
#include "robotalk/mode.h"
#include "robotalk/records.h"
#include "robotalk/words.h"

enum { ROBO_TEST_INVARIANTS = 44 }; /* that of number 0 is: all hold */

/* The name of an invariant, and the rule that must hold, as text: 0; ROBO_ENONE: there are fewer. Static. */
int robo_test_invariant(unsigned number, struct robo_word *word);

/* The plan of a run; borrowed for the call. */
struct robo_test_plan {
    size_t size;                         /* sizeof(struct robo_test_plan) */
    const struct robo_description *body; /* robots are copies of these, driven by simulators */
    const double *weight;                /* of each: how often, in proportion */
    size_t bodies;                       /* at least one */
    const struct robo_mode *
        mode; /* clients ask for direct, delay, playback, broadcast, and for a mode that there is not */
    size_t modes;
};

/* The outcome of a run. */
struct robo_test_report {
    uint64_t seed;
    unsigned broken; /* number of the invariant with which it ended */
    char text[200];  /* details of that */
    uint64_t digest; /* of all events: equal seeds give equal digests */
    uint32_t commands, begun, answered, panics, stops, mishaps, links;
    double seconds; /* of the world's time */
};

/* One run, which ends with the first invariant that is broken. trace: NULL, or where a text of every event goes, a line each, for
 * free(). 0; ROBO_EINVAL: a plan without a size or a body; ROBO_ENOMEM. */
int robo_test_run(const struct robo_test_plan *plan, uint64_t seed, char **trace,
                  struct robo_test_report *report);

struct robo_test_tally {
    uint64_t runs, next;                                 /* next: the first seed that was not run */
    uint64_t digest;                                     /* of all runs, in whatever order */
    uint64_t found[ROBO_TEST_INVARIANTS];                /* how many runs broke it */
    struct robo_test_report first[ROBO_TEST_INVARIANTS]; /* and the lowest seed of them */
    double commands, begun, answered, panics, stops, mishaps, links, seconds; /* sums */
    double elapsed; /* s of real time, more than 0 */
};

struct robo_test_series {
    size_t size;          /* sizeof(struct robo_test_series) */
    uint64_t first, runs; /* seeds first, first + 1, … */
    unsigned jobs;        /* processes that share them, 1 to 64 */
    int all;              /* 1: go on after a finding */
    double patience;      /* seconds of real time after which a run does not end; 0: 60 */
    /* NULL, or a function that is called about ten times a second with the results so far; it ends the series by returning 0 */
    int (*progress)(void *owner, const struct robo_test_tally *so_far);
    void *owner;
};

/* Many runs, in processes of their own, so that a crash is a finding like others. 0; ROBO_EINVAL: a plan or a series that cannot
 * be; ROBO_ENOMEM; ROBO_ESYSTEM: no process. */
int robo_test_run_series(const struct robo_test_plan *plan, const struct robo_test_series *series,
                         struct robo_test_tally *tally);
