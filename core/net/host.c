/* A host: timers and a mailbox for the connections of one thread. */
#include "inbox.h"

#include <stdalign.h>
#include <stdlib.h>

#include "base/time.h"

struct robo__host_part {
    struct robo__host_part *next;
    const void *key;
    alignas(max_align_t) unsigned char bytes[];
};

static void on_mailbox_timer(struct robo__timer *timer, robo_time now)
{
    struct robo__host *host = robo__container_of(timer, struct robo__host, mailbox_timer);
    robo__wakeup_drain(&host->mailbox, now);
}

/* One thread, so the answer only has to wait until whoever rang has returned. */
static void notify_virtual(struct robo__mailbox *mailbox)
{
    struct robo__host *host = robo__container_of(mailbox, struct robo__host, mailbox);
    robo__timer_start(host->timers, &host->mailbox_timer, robo_now(host->world));
}

void robo__host_init(struct robo__host *host, robo_world *world,
                     void (*notify)(struct robo__mailbox *))
{
    *host = (struct robo__host){ .world = robo__world_hold(world) };
    robo__timers_init(&host->own);
    host->timers = robo_is_virtual(world) ? robo__world_timers(world) : &host->own;
    host->mailbox.notify = robo_is_virtual(world) ? notify_virtual : notify;
    host->mailbox_timer.fire = on_mailbox_timer;
    robo__complaints_init(host);
    robo__mode_list_init(&host->own_modes);
    robo__random_seed(&host->random, robo__world_seed(world));
}

void *robo__host_part(struct robo__host *host, const void *key, size_t size)
{
    struct robo__host_part *part = host->parts;
    while (part && part->key != key)
        part = part->next;
    if (part)
        return part->bytes;
    part = calloc(1, sizeof *part + size);
    if (!part)
        return NULL;
    part->next = host->parts;
    part->key = key;
    host->parts = part;
    return part->bytes;
}

void robo__host_free(struct robo__host *host)
{
    while (host->parts) {
        struct robo__host_part *part = host->parts;
        host->parts = part->next;
        free(part);
    }
    robo__mode_list_clear(&host->own_modes);
    robo__files_clear(&host->files);
    robo__text_cache_clear(&host->texts);
    robo__host_use_inbox(host, NULL);
    /* calls that outlived their owners free themselves */
    while (robo__wakeup_drain(&host->mailbox, robo_now(host->world)))
        ;
    if (robo_is_virtual(host->world))
        robo__timer_stop(host->timers, &host->mailbox_timer);
    robo__complaints_end(host);
    robo__timers_free(&host->own);
    robo__world_release(host->world);
}

int robo__host_read_lists(struct robo__host *host, unsigned *ended, char why[256])
{
    char other[256] = "";
    int count = 0, error = 0;
    for (struct robo__lists *l = host->lists; l; l = l->next, count++) {
        int wrong = l->read(l, ended, error < 0 ? other : why);
        if (error == 0)
            error = wrong;
    }
    return error < 0 ? error : count;
}
