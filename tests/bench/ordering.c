/* One decision of which joint is sent to next, the Jacobian and the solution for the speeds included, beside OROCOS KDL's
 * Jacobian alone of the same chain. */
#include <stdio.h>
#include <stdlib.h>

#include "../chain.h"
#include "bench.h"
#include "body/model.h"
#include "motion/bus_schedule.h"
#include "base/random.h"
#include "simbus/arm.h"

enum { POSTURES = 5000, TURNS = 7, MOST = 41, TASK = 7 };

struct problem {
    const char *name; /* of the scheme */
    enum robo_order scheme;
    unsigned dofs;
    bool paper; /* the arm and the task of paper 004, 7 rows; else a chain's tip, 6 */
    double goal;
};

/* At most half of KDL's Jacobian where E and AE have its task; less than all of it for the paper's, whose elbow KDL does
 * not know, and for a whole body. O looks at all subsets of the joints and may take longer. */
static const struct problem problems[] = {
    { "E", ROBO_ORDER_GREATEST, 7, false, 0.5 },  { "AE", ROBO_ORDER_OPTIMAL, 7, false, 0.5 },
    { "O", ROBO_ORDER_PLANNED, 7, false, 1.5 },   { "E", ROBO_ORDER_GREATEST, 7, true, 1 },
    { "AE", ROBO_ORDER_OPTIMAL, 7, true, 1 },     { "O", ROBO_ORDER_PLANNED, 7, true, 1.5 },
    { "O", ROBO_ORDER_PLANNED, 10, false, 3 },    { "E", ROBO_ORDER_GREATEST, MOST, false, 1 },
    { "AE", ROBO_ORDER_OPTIMAL, MOST, false, 1 },
};

static void jacobian_of(const struct problem *p, const robo_model *model, const double *q,
                        double *jacobian)
{
    if (!p->paper) {
        robo_jacobian(model, q, 0, NULL, jacobian);
        return;
    }
    struct robo__arm arm;
    robo__arm_place(&arm, q);
    robo__arm_jacobian(&arm, jacobian);
}

static double decision_ns(const struct problem *p, const robo_model *model, const double *q,
                          const double *wanted)
{
    static double jacobian[TASK * MOST];
    static struct robo__schedule schedule;
    struct robo_ordering_choice choice;
    unsigned told = 0;
    robo__schedule_init(&schedule, p->scheme, p->dofs, p->paper ? TASK : 6);
    robo_time begin = now_ns();
    for (size_t i = 0; i < POSTURES; i++) {
        jacobian_of(p, model, q + i * p->dofs, jacobian);
        if (robo__schedule_choose(&schedule, jacobian, wanted + i * TASK, 0, &choice) == 0)
            told += choice.kind == ROBO_CHOICE_SEND;
        robo__schedule_sent(&schedule, &choice, 0);
    }
    robo_time spent = now_ns() - begin;
    if (told < POSTURES / 2) /* not what was to be measured */
        abort();
    return (double)spent / POSTURES;
}

static void measure(const struct problem *p, const double *q, const double *wanted,
                    reporter *report)
{
    static struct robo_description d;
    struct samples ours = { 0 }, limit = { 0 };
    char what[96];
    make_turned_arm(&d, (uint8_t)p->dofs, -1);
    robo_model *model = robo__model_make(&d);
    if (!model)
        abort();
    for (int i = 0; i < TURNS; i++) {
        samples_add(&ours, decision_ns(p, model, q, wanted));
        samples_add(&limit, limit_jacobian_ns(p->dofs, q, POSTURES));
    }
    robo__model_free(model);
    snprintf(what, sizeof what, "%s, %u dofs%s; KDL: Jacobian", p->name, p->dofs,
             p->paper ? ", paper's task" : "");
    struct row row = {
        .name = "ordering", .what = what, .unit = "ns", .goal = p->goal, .of = "p50"
    };
    row_report(&row, report, &ours, &limit);
}

void bench_ordering(reporter *report)
{
    struct robo__random random;
    double *q = malloc(sizeof *q * MOST * POSTURES), *wanted = malloc(sizeof *q * TASK * POSTURES);
    if (!q || !wanted)
        abort();
    robo__random_seed(&random, 1);
    for (size_t i = 0; i < (size_t)MOST * POSTURES; i++)
        q[i] = robo__random_range(&random, -2, 2);
    for (size_t i = 0; i < (size_t)TASK * POSTURES; i++)
        wanted[i] = robo__random_range(&random, -0.3, 0.3);
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        measure(&problems[i], q, wanted, report);
    free(wanted);
    free(q);
}
