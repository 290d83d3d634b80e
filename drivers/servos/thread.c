/* The engine at work: in a thread, or, of a simulated bus, inside of the robot's calls. */
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/thread.h"
#include "base/time.h"
#include "device.h"

static const robo_time OPENING = (robo_time)20 * 1000000000; /* for all servos to come up */

static void *run(void *arg)
{
    pthread_setname_np(pthread_self(), "servos");
    robo__thread_hurry();
    struct robo__servos *d = arg;
    d->next = robo__servos_now(d);
    while (!atomic_load(&d->closing)) {
        robo__servos_run(d, robo__servos_now(d));
        d->port.kind->wait(&d->port, d->next);
    }
    robo__servos_leave(d);
    return NULL;
}

static int start_thread(struct robo__servos *d)
{
    const struct timespec until = robo__timespec(robo__time_monotonic() + OPENING);
    d->port.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    d->started = d->port.wake >= 0 && pthread_create(&d->thread, NULL, run, d) == 0;
    if (!d->started)
        return ROBO_ESYSTEM;
    pthread_mutex_lock(&d->lock);
    while (!d->up && !d->failed &&
           pthread_cond_clockwait(&d->settled, &d->lock, CLOCK_MONOTONIC, &until) == 0) {
    }
    const bool good = d->up && !d->failed;
    d->opened = good;
    pthread_mutex_unlock(&d->lock);
    return good ? 0 : ROBO_EDEVICE;
}

/* The servos come up before the robot is there. Then the clock is set to the robot's time. */
static int start_inside(struct robo__servos *d, robo_time now)
{
    for (d->next = now; !d->up && !d->failed && d->next < now + OPENING;)
        robo__servos_run(d, d->next);
    d->port.ahead += d->port.clock - now;
    d->port.clock = d->next = d->free_at = now;
    for (size_t i = 0; i < d->count; i++) {
        struct robo__servos_joint *j = &d->joint[i];
        j->heard = now;
        robo__profile_restart(&j->profile, j->value[ROBO__SERVOS_POSITION], now);
    }
    robo__servos_base_init(d, now);
    d->opened = d->up && !d->failed;
    return d->opened ? 0 : ROBO_EDEVICE;
}

int robo__servos_start(struct robo__servos *d, robo_time now)
{
    return d->threaded ? start_thread(d) : start_inside(d, now);
}

void robo__servos_end(struct robo__servos *d)
{
    static const uint64_t one = 1;
    atomic_store(&d->closing, true);
    if (d->started) {
        if (write(d->port.wake, &one, sizeof one) < 0) {
            /* it wakes by itself, later */
        }
        pthread_join(d->thread, NULL);
    } else {
        robo__servos_leave(d);
    }
    if (d->port.wake >= 0)
        close(d->port.wake);
}
