/* An allocator for tests, which fails on demand; memory_tests.c explains how all tests run under it. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MEMORY_PLACES = 1 << 16 };

/* Behind a pointer, so that a process may share it with its children. */
struct memory_counts {
    atomic_long calls;      /* since memory_fail_at */
    atomic_long fail_at;    /* 0: none */
    atomic_bool failed, on; /* on: all that follow fail too */
    atomic_bool place_failed;
    _Atomic uint64_t place[MEMORY_PLACES]; /* from which one has failed: hashes of call stacks */
};
extern struct memory_counts memory_own, *memory_counts;

/* The first allocation from here on fails, alone, whose `depth` innermost calls are those of none that has failed so. */
void memory_fail_new(int depth);
/* The nth allocation of the library from here on fails, alone; 0: none. */
void memory_fail_at(long n);
/* That one and all that follow. */
void memory_fail_from(long n);
/* Whether that allocation was reached. */
bool memory_failed(void);
/* Blocks that the library has allocated and not freed. */
long memory_live(void);

void *memory_malloc(size_t size);
void *memory_calloc(size_t n, size_t size);
void *memory_realloc(void *old, size_t size);
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *p);
