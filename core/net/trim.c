/* Memory that goes back to the system. */
#include "trim.h"

#include "base/time.h"
#include "loop_memory.h"

/* Memory is trimmed when a maximum of MUCH or more has fallen to the SHARE-th part. EACH: bytes of a connection beside
 * those that are charged to it. */
enum { MUCH = 1 << 22, SHARE = 4, EACH = 1 << 14 };
static const robo_time QUIET = 1000000000;

static void on_quiet(struct robo__timer *timer, robo_time now)
{
    struct robo__trim *trim = robo__container_of(timer, struct robo__trim, timer);
    (void)now;
    trim->most = trim->bytes;
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
    robo_world *world = host->world;
    trim->count = count;
    trim->bytes = count * EACH +
                  atomic_load_explicit(&robo__world_memory(world)->used, memory_order_relaxed) +
                  atomic_load_explicit(&robo__world_pictures(world)->used, memory_order_relaxed);
    if (trim->bytes > trim->most)
        trim->most = trim->bytes;
    if (trim->most < MUCH)
        return;
    if (trim->bytes > trim->most / SHARE)
        robo__timer_stop(host->timers, &trim->timer);
    else if (left)
        robo__timer_start(host->timers, &trim->timer, robo_now(host->world) + QUIET);
}
