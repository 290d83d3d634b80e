/* An allocator that fails at the nth call. The programs are linked with --wrap, so that what the library asks for comes
 * here; what tests themselves ask for does not fail (CMakeLists.txt). */
#include "memory.h"

#include <errno.h>
#include <execinfo.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct memory_counts memory_own, *memory_counts = &memory_own;
static atomic_long live;
static int calls; /* that make a place; 0: allocations fail by their number alone */

enum { WITHIN = 3 /* calls of this file */, MOST_CALLS = 32 };

void memory_fail_at(long n)
{
    atomic_store(&memory_counts->fail_at, n);
    atomic_store(&memory_counts->calls, 0);
    atomic_store(&memory_counts->failed, false);
    atomic_store(&memory_counts->on, false);
}

void memory_fail_from(long n)
{
    memory_fail_at(n);
    atomic_store(&memory_counts->on, true);
}

bool memory_failed(void)
{
    return atomic_load(&memory_counts->failed);
}

long memory_live(void)
{
    return atomic_load(&live);
}

void memory_fail_new(int depth)
{
    atomic_store(&memory_counts->place_failed, false);
    calls = depth < MOST_CALLS - WITHIN ? depth : MOST_CALLS - WITHIN;
}

static bool is_new_place(void)
{
    void *call[MOST_CALLS];
    const int n = backtrace(call, WITHIN + calls);
    uint64_t hash = 1;
    for (int i = WITHIN; i < n; i++)
        hash = (hash ^ (uintptr_t)call[i]) * 1099511628211U;
    for (uint64_t i = 0, was; i < MEMORY_PLACES; i++) {
        was = 0;
        if (atomic_compare_exchange_strong(&memory_counts->place[(hash + i) % MEMORY_PLACES], &was,
                                           hash)) {
            backtrace_symbols_fd(call + WITHIN, n - WITHIN, STDERR_FILENO);
            return true;
        }
        if (was == hash)
            return false;
    }
    abort(); /* MEMORY_PLACES is too small */
}

static bool fails(void)
{
    if (calls > 0 && !atomic_load(&memory_counts->place_failed) && is_new_place()) {
        atomic_store(&memory_counts->place_failed, true);
        errno = ENOMEM;
        return true;
    }
    long call = atomic_fetch_add(&memory_counts->calls, 1) + 1,
         first = atomic_load(&memory_counts->fail_at);
    if (first == 0 || call < first || (call > first && !atomic_load(&memory_counts->on)))
        return false;
    atomic_store(&memory_counts->failed, true);
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

/* ---- whole programs: ROBOTALK_FAIL_AT=n, or 0 to count alone; the count goes into the file ROBOTALK_FAIL_COUNT ---- */

static void tell_count(void)
{
    FILE *f = fopen(getenv("ROBOTALK_FAIL_COUNT"), "w");
    if (!f)
        return;
    fprintf(f, "%ld\n", atomic_load(&memory_counts->calls));
    fclose(f);
}

__attribute__((constructor)) static void obey(void)
{
    const char *n = getenv("ROBOTALK_FAIL_AT");
    if (n)
        memory_fail_at(atol(n));
    if (n && getenv("ROBOTALK_FAIL_COUNT"))
        atexit(tell_count);
}
