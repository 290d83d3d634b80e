/* Arrays in one block of memory, one behind the other. The same lines lay them out twice: first without a block, to
 * compute its size, and then in it. */
#pragma once

#include <stddef.h>

struct robo__layout_block {
    char *bytes; /* NULL: only their number is wanted */
    size_t used;
};

/* The next array; it may hold whatever malloc's memory may. */
static inline void *robo__block_take(struct robo__layout_block *block, size_t count, size_t size)
{
    void *at = block->bytes ? block->bytes + block->used : NULL;
    block->used += (count * size + 15) & ~(size_t)15;
    return at;
}
