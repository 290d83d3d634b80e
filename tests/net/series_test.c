/* A series of fault runs, in processes of their own: one that crashes or does not end is found, and the others go on. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "../unit/fixture_core.h"
#include "faults.h"

/* What its runs do when a session is opened. */
static void crash(void)
{
    signal(SIGABRT, SIG_DFL);
    abort();
}

static void wait_for_ever(void)
{
    for (;;)
        pause();
}

static void (*deed)(void);

static int open_mode(void *owner, const struct robo_mode_request *request,
                     struct robo_mode_decision *decision, void **own, char why[128])
{
    (void)owner, (void)own, (void)why;
    if (deed)
        deed();
    decision->blocking = strcmp(request->name, "direct") == 0;
    decision->buffered = strcmp(request->name, "delay") == 0;
    decision->expiry = decision->buffered ? -1 : S(1);
    decision->shift = request->delay;
    return 0;
}

static const struct robo_mode modes[] = {
    { .size = sizeof(struct robo_mode), .name = "direct", .open = open_mode },
    { .size = sizeof(struct robo_mode), .name = "broadcast", .open = open_mode },
    { .size = sizeof(struct robo_mode), .name = "delay", .open = open_mode },
};

static struct robo__fault_tally series(void (*defect)(void), double patience)
{
    struct robo_description body = make_description("body", true);
    const double weight = 1;
    const struct robo__fault_plan plan = {
        .body = &body, .weight = &weight, .bodies = 1, .mode = modes, .modes = 3
    };
    const struct robo__fault_series ten = {
        .first = 1, .runs = 10, .jobs = 2, .all = 1, .patience = patience
    };
    struct robo__fault_tally tally;
    strcpy(body.device[0].driver, "sim");
    deed = defect;
    assert_int_equal(robo__series_perform(&plan, &ten, NULL, NULL, &tally), 0);
    assert_int_equal(tally.runs, 10);
    return tally;
}

static void test_runs_that_end_well(void **state)
{
    (void)state;
    struct robo__fault_tally tally = series(NULL, 1e9);
    for (int i = 1; i < ROBO__INVARIANTS; i++)
        if (tally.found[i])
            fail_msg("seed %llu: %s", (unsigned long long)tally.first[i].seed, tally.first[i].text);
    assert_true(tally.begun > 0);
}

static void test_runs_that_crash(void **state)
{
    (void)state;
    struct robo__fault_tally tally = series(crash, 1e9);
    assert_true(tally.found[ROBO__CRASHED] > 0);
    assert_int_equal(tally.found[ROBO__ENDLESS], 0);
}

/* However impatient: a run that waits for ever is waited for as long as that. */
static void test_runs_that_do_not_end(void **state)
{
    (void)state;
    struct robo__fault_tally tally = series(wait_for_ever, 0.2);
    assert_true(tally.found[ROBO__ENDLESS] > 0);
    assert_int_equal(tally.found[ROBO__CRASHED], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_that_end_well),
        cmocka_unit_test(test_runs_that_crash),
        cmocka_unit_test(test_runs_that_do_not_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
