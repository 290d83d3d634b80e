/* All tests of a program: once, after which everything must have been freed, or with every allocation failing once. With
 * ROBOTALK_FAIL set, each test runs again and again, each time in a process of its own in which one allocation fails: the
 * first from a place from which none has failed in this program. A place is the innermost calls (DEPTH). A failed
 * assertion is no fault: the test has not got its robot. A crash, an abort, a sanitizer's report and a test that does not
 * end are; and when the test passes all the same, everything must have been freed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants these four before it */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory.h"
#include "patience.h"

enum {
    LEAKED = 98,
    NO_FIXTURE = 97,
    DEPTH = 6,
    LONG_DEPTH = 16,
    SECONDS = 120 /* of processor time */
};

/* A sanitizer's report must not look like a failed assertion. */
#define SEEN __attribute__((visibility("default")))
SEEN const char *__asan_default_options(void);
SEEN const char *__asan_default_options(void)
{
    return "abort_on_error=1";
}
SEEN const char *__ubsan_default_options(void);
SEEN const char *__ubsan_default_options(void)
{
    return "abort_on_error=1:print_stacktrace=1";
}

/* Mesa's llvmpipe, which draws pictures of physics worlds, is not compiled for the thread sanitizer: it sees its locks, and not the
 * atomic counts with which threads of it let go of what they share. */
SEEN const char *__tsan_default_suppressions(void);
SEEN const char *__tsan_default_suppressions(void)
{
    return "race:swrast_dri.so\n";
}

/* Ends at once: what a failed test has left behind is no leak. */
static void leave(int status, void *unused)
{
    (void)unused;
    _exit(status);
}

/* Blocks that were not freed. Those of a thread that nobody waits for, which looks up a name, may still be. */
static long left_over(long before)
{
    int64_t until = patience_clock() + patience() / 10;
    while (memory_live() > before && patience_clock() < until)
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    return memory_live() - before;
}

static void run_child(const struct CMUnitTest *test, int out)
{
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    on_exit(leave, NULL); /* without cmocka around it, a failed assertion is exit(1) */
    alarm((unsigned)(patience() / 1000000000));
    setrlimit(RLIMIT_CPU, &(struct rlimit){ SECONDS, SECONDS });
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    void *state = test->initial_state;
    memory_fail_new(getenv("ROBOTALK_LONG") ? LONG_DEPTH : DEPTH);
    long before = memory_live();
    if (test->setup_func && test->setup_func(&state) != 0)
        exit(NO_FIXTURE);
    test->test_func(&state);
    if (test->teardown_func && test->teardown_func(&state) != 0)
        exit(EXIT_FAILURE);
    long leaked = left_over(before);
    if (leaked > 0) {
        printf("%ld blocks are not freed\n", leaked);
        fflush(stdout);
        exit(LEAKED);
    }
    exit(EXIT_SUCCESS);
}

static const char *verdict(int status)
{
    static char text[64];
    if (WIFSIGNALED(status)) {
        snprintf(text, sizeof text, "%s", strsignal(WTERMSIG(status)));
        return text;
    }
    return WEXITSTATUS(status) == LEAKED ? "leak" : NULL;
}

/* Runs one test with an allocation of each new place failing; how many of those runs went wrong. */
static int try_one(const struct CMUnitTest *test, long *runs)
{
    int wrong = 0;
    for (bool failed = true; failed;) {
        int out = memfd_create("output", 0), status;
        atomic_store(&memory_counts->place_failed, false);
        pid_t child = fork();
        if (child == 0)
            run_child(test, out);
        waitpid(child, &status, 0);
        ++*runs;
        failed = atomic_load(&memory_counts->place_failed);
        const char *what = verdict(status);
        if (what) {
            wrong++;
            printf("%s: an allocation fails: %s\n", test->name, what);
            fflush(stdout);
            lseek(out, 0, SEEK_SET);
            char text[4096];
            for (ssize_t k; (k = read(out, text, sizeof text)) > 0;)
                fwrite(text, 1, (size_t)k, stdout);
        }
        close(out);
    }
    return wrong;
}

int __real__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t n,
                                   CMFixtureFunction setup, CMFixtureFunction teardown);
int __wrap__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t n,
                                   CMFixtureFunction setup, CMFixtureFunction teardown);

int __wrap__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t n,
                                   CMFixtureFunction setup, CMFixtureFunction teardown)
{
    const char *only =
        getenv("ROBOTALK_FAIL"); /* "": all tests; else those with that in their name */
    if (!only) {
        long before = memory_live();
        int failed = __real__cmocka_run_group_tests(name, tests, n, setup, teardown);
        long leaked = failed ? 0 : left_over(before);
        if (leaked <= 0)
            return failed;
        printf("%ld blocks are not freed\n", leaked);
        return 1;
    }
    int wrong = 0;
    long runs = 0;
    void *state = NULL;
    memory_counts = mmap(NULL, sizeof *memory_counts, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (setup && setup(&state) != 0)
        return 1;
    for (size_t i = 0; i < n; i++) {
        long before = runs;
        if (strstr(tests[i].name, only))
            wrong += try_one(&tests[i], &runs);
        printf("%6ld  %s\n", runs - before, tests[i].name);
        fflush(stdout);
    }
    printf("%ld runs, %d went wrong\n", runs, wrong);
    return wrong > 0;
}
