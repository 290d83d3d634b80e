/* A reserve of memory for libev. */
#include "loop_memory.h"

#include <ev.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* libev's largest array has 16 bytes for each descriptor number, and doubles: enough for 200,000 of them. */
enum { RESERVE = 16 << 20, ALIGN = 16 };

/* The bytes in use, in the lower half, and the blocks that are live. They change in one step, so that no thread waits for another. */
enum { LIVE = 32 };

/* Blocks lie one after the other, each behind its size. Memory is reused when all blocks are freed. */
static struct {
    uint8_t *base;
    _Atomic uint64_t state;
} reserve;

static size_t used_of(uint64_t state)
{
    return (uint32_t)state;
}

static bool is_in_reserve(const void *p)
{
    return p && (uintptr_t)p - (uintptr_t)reserve.base < RESERVE;
}

static void *take(size_t size)
{
    const size_t room = ALIGN + (size + ALIGN - 1) / ALIGN * ALIGN;
    uint64_t was = atomic_load(&reserve.state);
    do {
        if (size > RESERVE || room > RESERVE - used_of(was))
            return NULL;
    } while (
        !atomic_compare_exchange_weak(&reserve.state, &was, was + room + (UINT64_C(1) << LIVE)));
    uint8_t *p = reserve.base + used_of(was) + ALIGN;
    memcpy(p - ALIGN, &size, sizeof size);
    return p;
}

/* Pages go back to the system before the last block is over: as long as it lives, all that others take lies behind them. */
static void release(void *p)
{
    if (!is_in_reserve(p)) {
        free(p);
        return;
    }
    uint64_t was = atomic_load(&reserve.state), then;
    do {
        then = was - (UINT64_C(1) << LIVE);
        if (then >> LIVE == 0) {
            const size_t page = (size_t)sysconf(_SC_PAGESIZE);
            madvise(reserve.base, used_of(was) / page * page, MADV_DONTNEED);
            then = 0;
        }
    } while (!atomic_compare_exchange_weak(&reserve.state, &was, then));
}

static size_t size_of(void *p)
{
    size_t size = 0;
    if (is_in_reserve(p))
        memcpy(&size, (uint8_t *)p - ALIGN, sizeof size);
    else if (p)
        size = malloc_usable_size(p);
    return size;
}

/* As realloc. NULL for a size of 0 alone, as long as robo__loop_memory_left is asked. */
static void *allocate(void *old, long wanted)
{
    size_t size = (size_t)wanted, had = size_of(old);
    void *p = NULL;
    if (size > 0 && !is_in_reserve(old) && (p = realloc(old, size)) != NULL)
        return p;
    if (size > 0 && is_in_reserve(old))
        p = malloc(size);
    if (size > 0 && !p)
        p = take(size);
    if (p && old)
        memcpy(p, old, had < size ? had : size);
    if (p || size == 0)
        release(old);
    return p;
}

static void init(void)
{
    void *base = mmap(NULL, RESERVE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return;
    reserve.base = base;
    ev_set_allocator(allocate);
}

bool robo__loop_memory_init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, init);
    return reserve.base != NULL;
}

bool robo__loop_memory_left(void)
{
    return used_of(atomic_load_explicit(&reserve.state, memory_order_relaxed)) < RESERVE / 2;
}

void robo__loop_memory_trim(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
