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

static struct robo_description body;
static const double weight = 1;
static const struct robo_test_plan plan = {
    .size = sizeof plan, .body = &body, .weight = &weight, .bodies = 1, .mode = modes, .modes = 3
};

static int make_body(void **state)
{
    body = make_description("body", true);
    strcpy(body.device[0].driver, "sim");
    return 0;
}

static struct robo_test_tally series(void (*defect)(void), double patience)
{
    const struct robo_test_series ten = {
        .size = sizeof ten, .first = 1, .runs = 10, .jobs = 2, .all = 1, .patience = patience
    };
    struct robo_test_tally tally;
    deed = defect;
    assert_int_equal(robo_test_run_series(&plan, &ten, &tally), 0);
    assert_int_equal(tally.runs, 10);
    return tally;
}

ONCE(make_body, NULL);

TEST(runs_that_end_well)
{
    struct robo_test_tally tally = series(NULL, 1e9);
    for (int i = 1; i < ROBO__INVARIANTS; i++)
        if (tally.found[i])
            fail_msg("seed %llu: %s", (unsigned long long)tally.first[i].seed, tally.first[i].text);
    assert_true(tally.begun > 0);
}

TEST(runs_that_crash)
{
    struct robo_test_tally tally = series(crash, 1e9);
    assert_true(tally.found[ROBO__CRASHED] > 0);
    assert_int_equal(tally.found[ROBO__ENDLESS], 0);
}

/* However impatient: a run that waits for ever is waited for as long as that. */
TEST(runs_that_do_not_end)
{
    struct robo_test_tally tally = series(wait_for_ever, 0.2);
    assert_true(tally.found[ROBO__ENDLESS] > 0);
    assert_int_equal(tally.found[ROBO__CRASHED], 0);
}

TEST(a_run_tells_all_that_happened)
{
    struct robo_test_report first, again, other;
    char *trace, *same;
    deed = NULL;
    assert_int_equal(robo_test_run(&plan, 7, &trace, &first), 0);
    assert_int_equal(first.broken, ROBO__HOLDS);
    assert_true(first.commands > 0 && first.seconds > 0);
    assert_non_null(strstr(trace, "opens session"));
    assert_int_equal(robo_test_run(&plan, 7, &same, &again), 0);
    assert_string_equal(same, trace);
    assert_true(again.digest == first.digest);
    assert_int_equal(robo_test_run(&plan, 8, NULL, &other), 0);
    assert_true(other.digest != first.digest);
    free(trace);
    free(same);
}

static int stop_it(void *owner, const struct robo_test_tally *so_far)
{
    ++*(int *)owner;
    return 0;
}

TEST(a_series_may_be_stopped)
{
    int times = 0;
    struct robo_test_tally tally;
    const struct robo_test_series many = { .size = sizeof many,
                                           .runs = 1u << 30,
                                           .jobs = 1,
                                           .patience = 1e9,
                                           .progress = stop_it,
                                           .owner = &times };
    deed = NULL;
    assert_int_equal(robo_test_run_series(&plan, &many, &tally), 0);
    assert_int_equal(times, 1);
    assert_true(tally.runs < many.runs);
}

TEST(what_cannot_be_tried_is_refused)
{
    struct robo_test_report report;
    struct robo_test_tally tally;
    struct robo_test_plan bad = plan;
    struct robo_test_series few = { .size = sizeof few, .runs = 1, .jobs = 1 };
    const double nothing = 0;
    bad.bodies = 0;
    assert_int_equal(robo_test_run(&bad, 1, NULL, &report), ROBO_EINVAL);
    assert_int_equal(robo_test_run_series(&bad, &few, &tally), ROBO_EINVAL);
    bad = plan;
    bad.body = NULL;
    assert_int_equal(robo_test_run(&bad, 1, NULL, &report), ROBO_EINVAL);
    bad = plan;
    bad.mode = NULL;
    assert_int_equal(robo_test_run(&bad, 1, NULL, &report), ROBO_EINVAL);
    bad = plan;
    bad.weight = NULL;
    assert_int_equal(robo_test_run(&bad, 1, NULL, &report), ROBO_EINVAL);
    bad.weight = &nothing;
    assert_int_equal(robo_test_run(&bad, 1, NULL, &report), ROBO_EINVAL);
    bad = plan;
    bad.size = 0;
    assert_int_equal(robo_test_run(&bad, 1, NULL, &report), ROBO_EINVAL);

    /* what no world takes is a finding, and nothing is left of that world */
    struct robo_mode no_size = { .name = "no_size" };
    bad = plan;
    bad.mode = &no_size;
    bad.modes = 1;
    assert_int_equal(robo_test_run(&bad, 1, NULL, &report), 0);
    assert_int_equal(report.broken, ROBO__CRASHED);
    few.jobs = 65;
    assert_int_equal(robo_test_run_series(&plan, &few, &tally), ROBO_EINVAL);
    few.jobs = 1;
    few.size = 0;
    assert_int_equal(robo_test_run_series(&plan, &few, &tally), ROBO_EINVAL);
}

TEST(every_invariant_has_words)
{
    struct robo_word word, other;
    for (unsigned i = 0; i < ROBO_TEST_INVARIANTS; i++) {
        assert_int_equal(robo_test_invariant(i, &word), 0);
        assert_true(word.number == (int)i && word.name[0] && word.doc[0]);
        for (unsigned k = 0; k < i; k++) {
            assert_int_equal(robo_test_invariant(k, &other), 0);
            assert_string_not_equal(word.name, other.name);
        }
    }
    assert_int_equal(robo_test_invariant(ROBO_TEST_INVARIANTS, &word), ROBO_ENONE);
}
