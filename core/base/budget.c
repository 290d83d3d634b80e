/* A budget of memory. */
#include "budget.h"

bool robo__budget_take(struct robo__budget *budget, size_t have, size_t more)
{
    size_t used = atomic_load_explicit(&budget->used, memory_order_relaxed);
    do {
        size_t left = used < budget->total ? budget->total - used : 0;
        if (more > left || have > left - more)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&budget->used, &used, used + more,
                                                    memory_order_relaxed, memory_order_relaxed));
    return true;
}

void robo__budget_give(struct robo__budget *budget, size_t bytes)
{
    atomic_fetch_sub_explicit(&budget->used, bytes, memory_order_relaxed);
}
