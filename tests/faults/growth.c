/* Whether memory grows from run to run. */
#include "faults.h"

/* The least amount of memory within a window of runs is compared, since garbage of the modes' scripts comes and goes;
 * the first runs fill the pools. */
enum { RUNS = 500, FIRST = 2, SLACK = 64 << 10 };

void robo__growth_note(struct robo__growth *g, size_t held, struct robo_test_report *report)
{
    g->least = g->runs % RUNS == 0 || held < g->least ? held : g->least;
    if (++g->runs % RUNS != 0)
        return;
    if (g->runs == FIRST * RUNS)
        g->first = g->least;
    if (g->first == 0 || g->least < g->first + SLACK)
        return;
    report->broken = ROBO__GREW;
    snprintf(report->text, sizeof report->text, "%zu bytes more than %llu runs before",
             g->least - g->first, (unsigned long long)(g->runs - FIRST * RUNS));
    *g = (struct robo__growth){ 0 };
}
