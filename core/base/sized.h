/* Structs that a host fills: their first member is their size. */
#ifndef ROBO_SIZED_H
#define ROBO_SIZED_H

#include <stddef.h>

/* Takes over a struct that begins with its size, a size_t, as a host has filled it. A host that was compiled with
 * an older header fills fewer members: the others are 0. A host with a newer header may fill more: those that are
 * not known here must be 0. to: `size` bytes. from NULL: all are 0. ROBO_EINVAL: no size, none that can be, or
 * members that are not known. */
int robo__sized_take(void *to, size_t size, const void *from);

#endif
