/* Memory that goes back to the system. */
#include "trim.h"

#include "base/time.h"
#include "loop_memory.h"

enum { MANY = 256, SHARE = 4 }; /* a trim when of MANY or more the SHARE-th part is left */
static const robo_time QUIET = 1000000000;

static void on_quiet(struct robo__timer *timer, robo_time now)
{
    struct robo__trim *trim = robo__container_of(timer, struct robo__trim, timer);
    (void)now;
    trim->most = trim->count;
    trim->done++;
    robo__loop_memory_trim();
}

void robo__trim_init(struct robo__trim *trim)
{
    *trim = (struct robo__trim){ .timer.fire = on_quiet };
}

void robo__trim_note(struct robo__trim *trim, struct robo__host *host, size_t count)
{
    const bool left = count < trim->count;
    trim->count = count;
    if (count > trim->most)
        trim->most = count;
    if (trim->most < MANY)
        return;
    if (count > trim->most / SHARE)
        robo__timer_stop(host->timers, &trim->timer);
    else if (left)
        robo__timer_start(host->timers, &trim->timer, robo_now(host->world) + QUIET);
}
