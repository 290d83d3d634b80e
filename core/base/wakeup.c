/* Wake-ups: a list that any thread pushes to and its owner takes whole. */
#include "wakeup.h"

#include "readers.h"

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

/* The posted wake-ups, the oldest first. */
static struct robo__wakeup *take(struct robo__mailbox *mailbox)
{
    struct robo__wakeup *taken = atomic_exchange(&mailbox->first, NULL), *list = NULL;
    while (taken) {
        struct robo__wakeup *next = taken->next;
        taken->next = list;
        list = taken;
        taken = next;
    }
    return list;
}

static bool run_first(struct robo__wakeup **list, robo_time now)
{
    /* run may post it again, or free it */
    struct robo__wakeup *wakeup = *list;
    if (!wakeup)
        return false;
    *list = wakeup->next;
    atomic_store(&wakeup->posted, false);
    wakeup->run(wakeup, now);
    return true;
}

bool robo__wakeup_drain(struct robo__mailbox *mailbox, robo_time now)
{
    bool any = false;
    robo__reading_begin();
    while (mailbox->left && run_first(&mailbox->left, now))
        any = true;
    struct robo__wakeup *list = take(mailbox);
    while (run_first(&list, now))
        any = true;
    robo__reading_end();
    return any;
}

bool robo__wakeup_drain_some(struct robo__mailbox *mailbox, robo_time now, int most)
{
    if (!mailbox->left)
        mailbox->left = take(mailbox);
    while (most-- > 0 && run_first(&mailbox->left, now))
        ;
    return mailbox->left || atomic_load(&mailbox->first);
}
