/* Structs that a host fills: their first member is their size. */
#include "sized.h"

#include <string.h>

#include "robotalk.h"

enum { MOST = 4096 };

int robo__sized_take(void *to, size_t size, const void *from)
{
    size_t given = size;
    if (from)
        memcpy(&given, from, sizeof given);
    if (given < sizeof given || given > MOST)
        return ROBO_EINVAL;
    for (size_t i = size; i < given; i++)
        if (((const char *)from)[i] != 0)
            return ROBO_EINVAL;
    memset(to, 0, size);
    if (from)
        memcpy(to, from, given < size ? given : size);
    memcpy(to, &size, sizeof size);
    return 0;
}
