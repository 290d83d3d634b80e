/* Origins of connections. */
#include "origin.h"

#include <stdlib.h>
#include <string.h>

enum { LISTS = 256 };

/* The list that an origin is in; NULL: no memory. */
static struct robo__origin **list_of(struct robo__host *host, const uint8_t from[ROBO__ORIGIN])
{
    static const char key;
    struct robo__origin **list = robo__host_part(host, &key, LISTS * sizeof(struct robo__origin *));
    uint32_t sum = 0;
    for (size_t i = 0; i < ROBO__ORIGIN; i++)
        sum = sum * 31 + from[i];
    return list ? &list[sum % LISTS] : NULL;
}

struct robo__share *robo__origin_join(struct robo__host *host, const uint8_t from[ROBO__ORIGIN])
{
    struct robo__origin **at = list_of(host, from);
    if (!at)
        return NULL;
    while (*at && memcmp((*at)->from, from, ROBO__ORIGIN) != 0)
        at = &(*at)->next;
    if (!*at) {
        if (!(*at = calloc(1, sizeof **at)))
            return NULL;
        memcpy((*at)->from, from, ROBO__ORIGIN);
    }
    (*at)->share.clients++;
    return &(*at)->share;
}

void robo__origin_leave(struct robo__host *host, struct robo__share *share)
{
    struct robo__origin *origin = (struct robo__origin *)share;
    if (!origin || --share->clients > 0)
        return;
    struct robo__origin **at = list_of(host, origin->from);
    while (*at != origin)
        at = &(*at)->next;
    *at = origin->next;
    free(origin);
}
