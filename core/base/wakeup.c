/* Wake-ups: a list that any thread pushes to and its owner takes whole. */
#include "wakeup.h"

void robo__wakeup_post(struct robo__mailbox *mailbox, struct robo__wakeup *wakeup)
{
    if (atomic_exchange(&wakeup->posted, true))
        return;
    struct robo__wakeup *first = atomic_load(&mailbox->first);
    do
        wakeup->next = first;
    while (!atomic_compare_exchange_weak(&mailbox->first, &first, wakeup));
    if (!first)
        mailbox->notify(mailbox);
}

bool robo__wakeup_drain(struct robo__mailbox *mailbox, robo_time now)
{
    struct robo__wakeup *taken = atomic_exchange(&mailbox->first, NULL), *list = NULL;
    bool any = taken != NULL;
    while (taken) {
        struct robo__wakeup *next = taken->next;
        taken->next = list;
        list = taken;
        taken = next;
    }
    while (list) {
        /* run may post it again, or free it */
        struct robo__wakeup *wakeup = list;
        list = wakeup->next;
        atomic_store(&wakeup->posted, false);
        wakeup->run(wakeup, now);
    }
    return any;
}
