/* The seeded fault simulator, as far as it is no program's affair: simulator.h describes it. */
#pragma once

#include <stdio.h>

#include "simulator.h"

/* What the runs of a plan use, checked: 0, or ROBO_EINVAL. */
int robo__plan_take(struct robo_test_plan *to, const struct robo_test_plan *from);

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
    ROBO__USURPED,
    ROBO__GRABBED,
    ROBO__LOSS_SURVIVED,
    ROBO__UNRESTED,
    ROBO__LOSS_UNTOLD,
    ROBO__HELD_ON,
    ROBO__OUTRANKED,
    ROBO__MISTAKEN,
    ROBO__OVERRIDDEN,
    ROBO__HELD_MOVED,
    ROBO__LATCH_IGNORED,
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

struct robo__run;

/* Memory that runs of a plan use one after the other, which they borrow; NULL: out of memory. */
struct robo__run *robo__run_open(const struct robo_test_plan *plan);
void robo__run_close(struct robo__run *run);

/* One run. trace: every event as a line, or NULL. The run ends with the first invariant that is broken. */
void robo__run_perform(struct robo__run *run, uint64_t seed, FILE *trace,
                       struct robo_test_report *report);

/* ---- growth.c: the memory that a process holds ---- */

struct robo__growth {
    uint64_t runs;
    size_t least, first; /* of the runs under way; of the first ones that count */
};

/* Notes the memory in use after one more run. If it has grown for long, this run's report says so. */
void robo__growth_note(struct robo__growth *growth, size_t held, struct robo_test_report *report);
