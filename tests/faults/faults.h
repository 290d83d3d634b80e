/* The seeded fault simulator. One run is one virtual world, made from one seed: one to three simulated robots, one to
 * three clients over links that lose, stall, reorder and break, and mishaps of robots and server. A judge compares all
 * events with the promises of spec/robotalk.md, by the world's own clock and by the calls that reach the drivers.
 *
 * The same seed gives the same run, on every machine and whatever ran before. Not thread-safe: one thread a process. */
#ifndef ROBO_FAULTS_H
#define ROBO_FAULTS_H

#include <stdio.h>

#include "robotalk.h"

/* The invariants. robo__fault_words has the text of each. */
enum robo__invariant {
    ROBO__HOLDS,
    ROBO__EXPIRED_BEGAN,
    ROBO__LATE_BEGAN,
    ROBO__PANIC_IGNORED,
    ROBO__PANIC_REACHED,
    ROBO__PANIC_SURVIVED,
    ROBO__PANIC_LEFT,
    ROBO__PANIC_MOVED,
    ROBO__STOP_SURVIVED,
    ROBO__STOP_SWEPT,
    ROBO__STOP_REFUSED,
    ROBO__STOP_WAITED,
    ROBO__REST_REFUSED,
    ROBO__STRANGER_BEGAN,
    ROBO__TWICE_BEGAN,
    ROBO__REFUSED_BEGAN,
    ROBO__NO_ANSWER,
    ROBO__TWO_ANSWERS,
    ROBO__FALSE_ANSWER,
    ROBO__CLOCK_WRONG,
    ROBO__NOT_TOLD,
    ROBO__TOLD_TWICE,
    ROBO__LINK_UNTOLD,
    ROBO__NOT_PLAYED,
    ROBO__RUSHED,
    ROBO__SILENT_MOVED,
    ROBO__END_MOVED,
    ROBO__NOT_FINITE,
    ROBO__BEYOND_LIMITS,
    ROBO__LEAKED,
    ROBO__GREW,
    ROBO__ENDLESS,
    ROBO__CRASHED,
    ROBO__INVARIANTS
};

/* Of each invariant: its name and its text. */
extern const struct robo__fault_word {
    const char *name, *words;
} robo__fault_words[ROBO__INVARIANTS];

/* The input of runs; borrowed. */
struct robo__fault_plan {
    const struct robo_description *body; /* robots are copies of these */
    const double *weight;                /* weight of each */
    size_t bodies;
    const struct robo_mode *mode;
    size_t modes;
};

/* The result of a run. */
struct robo__fault_report {
    uint64_t seed;
    enum robo__invariant broken;
    char text[200];  /* details of the finding */
    uint64_t digest; /* digest of all events: equal seeds give equal digests */
    uint32_t commands, begun, answered, panics, stops, mishaps, links;
    double seconds; /* of the world's time */
};

struct robo__run;

/* Memory that runs use one after the other; NULL: out of memory. */
struct robo__run *robo__run_open(const struct robo__fault_plan *plan);
void robo__run_close(struct robo__run *run);

/* One run. trace: every event as a line, or NULL. The run ends with the first invariant that is broken. */
void robo__run_perform(struct robo__run *run, uint64_t seed, FILE *trace,
                       struct robo__fault_report *report);

/* ---- growth.c: the memory that a process holds ---- */

struct robo__growth {
    uint64_t runs;
    size_t least, first; /* of the runs under way; of the first ones that count */
};

/* Notes the memory in use after one more run. If it has grown for long, this run's report says so. */
void robo__growth_note(struct robo__growth *growth, size_t held, struct robo__fault_report *report);

/* ---- series.c: many runs ---- */

struct robo__fault_series {
    uint64_t first, runs; /* seeds first, first + 1, … */
    unsigned jobs;        /* processes that share them */
    int all;              /* 1: go on after a finding */
    double patience;      /* seconds of real time after which a run does not end */
};

struct robo__fault_tally {
    uint64_t runs, next;                               /* next: the first seed that was not run */
    uint64_t digest;                                   /* of all runs, in whatever order */
    uint64_t found[ROBO__INVARIANTS];                  /* how many runs broke it */
    struct robo__fault_report first[ROBO__INVARIANTS]; /* and the lowest seed of them */
    double commands, begun, answered, panics, stops, mishaps, links, seconds; /* sums */
    double elapsed; /* s of real time, more than 0 */
};

/* Runs them in processes of their own, so that a crash is a finding like others. progress may be NULL; it is called
 * about ten times a second with what is done so far, and ends the series by returning 0. Negative: an error. */
int robo__series_perform(const struct robo__fault_plan *plan,
                         const struct robo__fault_series *series,
                         int (*progress)(void *context, const struct robo__fault_tally *so_far),
                         void *context, struct robo__fault_tally *tally);

#endif
