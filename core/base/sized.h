/* Structs that a host fills: their first member is their size. */
#pragma once

#include <stddef.h>

/* Takes over a struct that begins with its size, a size_t, as a host has filled it. A host that was compiled with
 * an older header fills fewer members: the others are 0. A host with a newer header may fill more: those that are
 * not known here must be 0. to: `size` bytes. from NULL: all are 0. ROBO_EINVAL: no size, none that can be, or
 * members that are not known. */
int robo__sized_take(void *to, size_t size, const void *from);

/* Fills such a struct of a caller's, which has set its size: `from` is the same as this library knows it. Members that are not known
 * here become 0. ROBO_EINVAL: no size, or none that can be. */
int robo__sized_give(void *to, const void *from);

/* Fills a struct of a caller's that has no such member, of `size` bytes, from one of `known` bytes here. */
void robo__sized_copy(void *to, size_t size, const void *from, size_t known);
