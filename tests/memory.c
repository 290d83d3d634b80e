/* An allocator that fails at the nth call, for every C test. The test programs are linked with --wrap, so that what the
 * library asks for comes here; what the tests themselves ask for does not (CMakeLists.txt).
 *
 * With ROBOTALK_FAIL set, a program runs each of its tests again and again, each time in a process of its own in which
 * one allocation fails: the first, the second, and so on until the test needs no more. Where there are many, not every
 * one is tried. A failed assertion is no fault: the test has not got its robot. A crash, an abort, a sanitizer's report
 * and a test that does not end are; and when the test passes all the same, everything must have been freed. */
#include "memory.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
/* cmocka wants four of them before it */
#include <cmocka.h>

#include "patience.h"

enum {
    LEAKED = 98,
    NO_FIXTURE = 97,
    EVERY = 20,
    LONG_EVERY = 500,
    SECONDS = 120 /* of processor time */
};

static struct shared {
    atomic_long calls; /* since memory_fail_at */
    atomic_long fail_at;
    atomic_bool failed, on; /* on: all that follow fail too */
} own, *counts = &own;      /* of a child process: in memory that its parent sees */
static atomic_long live;

void memory_fail_at(long n)
{
    atomic_store(&counts->fail_at, n);
    atomic_store(&counts->calls, 0);
    atomic_store(&counts->failed, false);
    atomic_store(&counts->on, false);
}

void memory_fail_from(long n)
{
    memory_fail_at(n);
    atomic_store(&counts->on, true);
}

bool memory_failed(void)
{
    return atomic_load(&counts->failed);
}

long memory_live(void)
{
    return atomic_load(&live);
}

static bool fails(void)
{
    long call = atomic_fetch_add(&counts->calls, 1) + 1, first = atomic_load(&counts->fail_at);
    if (first == 0 || call < first || (call > first && !atomic_load(&counts->on)))
        return false;
    atomic_store(&counts->failed, true);
    errno = ENOMEM;
    return true;
}

static void *count(void *p)
{
    if (p)
        atomic_fetch_add(&live, 1);
    return p;
}

/* What tests ask for themselves: counted, since some of it goes from hand to hand, but never refused. */
void *memory_malloc(size_t size)
{
    return count(__real_malloc(size));
}

void *memory_calloc(size_t n, size_t size)
{
    return count(__real_calloc(n, size));
}

void *memory_realloc(void *old, size_t size)
{
    void *p = __real_realloc(old, size);
    return old ? p : count(p);
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : memory_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : memory_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : memory_realloc(old, size);
}

void __wrap_free(void *p)
{
    if (p)
        atomic_fetch_sub(&live, 1);
    __real_free(p);
}

/* ---- all tests of a program, with every allocation failing once ---- */

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

/* Ends at once: what a failed test has left behind is no leak. */
static void leave(int status, void *unused)
{
    (void)unused;
    _exit(status);
}

static void run_child(const struct CMUnitTest *test, long n, int out)
{
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    on_exit(leave, NULL); /* without cmocka around it, a failed assertion is exit(1) */
    alarm((unsigned)(patience() / 1000000000));
    setrlimit(RLIMIT_CPU, &(struct rlimit){ SECONDS, SECONDS });
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    void *state = test->initial_state;
    memory_fail_at(n);
    long before = memory_live();
    if (test->setup_func && test->setup_func(&state) != 0)
        exit(NO_FIXTURE);
    test->test_func(&state);
    if (test->teardown_func && test->teardown_func(&state) != 0)
        exit(EXIT_FAILURE);
    if (memory_live() > before) {
        printf("%ld blocks are not freed\n", memory_live() - before);
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

/* Runs one test with each allocation failing; how many of those runs went wrong. */
static int try_one(const struct CMUnitTest *test, long *runs)
{
    int wrong = 0;
    const long every = getenv("ROBOTALK_LONG") ? LONG_EVERY : EVERY;
    for (long n = 1, failed = 1; failed; n += n < every ? 1 : n / 4) {
        int out = memfd_create("output", 0), status;
        atomic_store(&counts->failed, false);
        pid_t child = fork();
        if (child == 0)
            run_child(test, n, out);
        waitpid(child, &status, 0);
        ++*runs;
        failed = memory_failed();
        const char *what = verdict(status);
        if (what) {
            wrong++;
            printf("%s: allocation %ld fails: %s\n", test->name, n, what);
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
    if (!only)
        return __real__cmocka_run_group_tests(name, tests, n, setup, teardown);
    int wrong = 0;
    long runs = 0;
    void *state = NULL;
    counts = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
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
