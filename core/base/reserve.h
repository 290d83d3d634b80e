/* Zeroed memory that costs nothing before it is touched: for buffers that could be large and
 * seldom are. */
#pragma once

#include <stddef.h>
#include <sys/mman.h>

/* NULL: there is no more. */
static inline void *robo__reserve(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static inline void robo__unreserve(void *p, size_t bytes) /* NULL: does nothing */
{
    if (p)
        munmap(p, bytes);
}
