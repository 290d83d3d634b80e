/* A bell: a list that any thread pushes to and its owner takes whole. */
#include "bell.h"

void robo__bell_ring(struct robo__bell *bell, struct robo__call *call)
{
    if (atomic_exchange(&call->rung, true))
        return;
    struct robo__call *first = atomic_load(&bell->first);
    do
        call->next = first;
    while (!atomic_compare_exchange_weak(&bell->first, &first, call));
    if (!first)
        bell->notify(bell);
}

bool robo__bell_answer(struct robo__bell *bell, robo_time now)
{
    struct robo__call *taken = atomic_exchange(&bell->first, NULL), *list = NULL;
    bool any = taken != NULL;
    while (taken) {
        struct robo__call *next = taken->next;
        taken->next = list;
        list = taken;
        taken = next;
    }
    while (list) {
        /* its answer may ring it again, or free it */
        struct robo__call *call = list;
        list = call->next;
        atomic_store(&call->rung, false);
        call->answer(call, now);
    }
    return any;
}
