/* Structs that a host fills: their first member is their size. */
#include "sized.h"

#include <string.h>

#include "robotalk.h"

enum { MOST = 4096 };

/* Rows of these have no size: robotalk.h promises that theirs stays. */
_Static_assert(sizeof(struct robo_cmd) == 136, "of 1.0");
_Static_assert(sizeof(struct robo_move) == 48, "of 1.0");
_Static_assert(sizeof(struct robo_move_dof) == 32, "of 1.0");
_Static_assert(sizeof(struct robo_move_frame) == 56, "of 1.0");

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

void robo__sized_copy(void *to, size_t size, const void *from, size_t known)
{
    const size_t common = size < known ? size : known;
    memcpy(to, from, common);
    memset((char *)to + common, 0, size - common);
}

int robo__sized_give(void *to, const void *from)
{
    size_t wanted, known;
    memcpy(&wanted, to, sizeof wanted);
    memcpy(&known, from, sizeof known);
    if (wanted < sizeof wanted || wanted > MOST)
        return ROBO_EINVAL;
    robo__sized_copy(to, wanted, from, known);
    memcpy(to, &wanted, sizeof wanted);
    return 0;
}
