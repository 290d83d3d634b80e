/* Steady samples of simulated sensors. */
#include "sampler.h"

#include "base/time.h"
#include "readings.h"
#include "robot/robot.h"
#include "robot/world/inside.h"

/* ---- the thread ---- */

/* Until something is due; the lock is held. */
static void wait_for(struct robo__sampler *s, robo_time due)
{
    if (due == ROBO_NEVER) {
        pthread_cond_wait(&s->changed, &s->lock);
        return;
    }
    const struct timespec t = robo__timespec(due);
    pthread_cond_clockwait(&s->changed, &s->lock, CLOCK_MONOTONIC, &t);
}

static void *sampler_thread(void *arg)
{
    pthread_setname_np(pthread_self(), "sampler");
    struct robo__sampler *s = arg;
    pthread_mutex_lock(&s->lock);
    while (!s->closing) {
        const robo_time now = robo__time_monotonic();
        struct robo__timer *timer = robo__timers_take(&s->timers, now);
        if (!timer) {
            wait_for(s, robo__timers_next(&s->timers));
            continue;
        }
        robo_robot *robot = robo__container_of(timer, robo_robot, sampling.timer);
        s->at = robot;
        pthread_mutex_unlock(&s->lock);
        const robo_time next = robo__readings_measure(robot, now);
        pthread_mutex_lock(&s->lock);
        s->at = NULL;
        if (robot->sampling.entered && next != ROBO_NEVER)
            robo__timer_start(&s->timers, timer, next);
        pthread_cond_broadcast(&s->done);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* ---- a virtual world ---- */

/* Everything else at that instant comes first, such as the step of a simulation. */
static void on_timer(struct robo__timer *timer, robo_time now)
{
    robo_robot *robot = robo__container_of(timer, robo_robot, sampling.timer);
    robot->sampling.last = !robot->sampling.last;
    if (robot->sampling.last) {
        robo__timer_start(&robot->world->timers, timer, now);
        return;
    }
    const robo_time next = robo__readings_measure(robot, now);
    if (next != ROBO_NEVER)
        robo__timer_start(&robot->world->timers, timer, next);
}

/* ---- robots ---- */

int robo__sampler_enter(robo_robot *robot, robo_time due)
{
    struct robo__sampler *s = &robot->world->sampler;
    struct robo__timer *timer = &robot->sampling.timer;
    timer->fire = on_timer;
    if (robot->world->is_virtual) {
        robot->sampling.entered = true;
        robot->sampling.last = false;
        robo__timer_start(&robot->world->timers, timer, due);
        return 0;
    }
    pthread_mutex_lock(&s->lock);
    if (!s->running)
        s->running = pthread_create(&s->thread, NULL, sampler_thread, s) == 0;
    const bool running = s->running;
    robot->sampling.entered = running;
    if (running)
        robo__timer_start(&s->timers, timer, due);
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
    return running ? 0 : ROBO_ESYSTEM;
}

void robo__sampler_leave(robo_robot *robot)
{
    struct robo__sampler *s = &robot->world->sampler;
    if (robot->world->is_virtual) {
        if (robot->sampling.entered)
            robo__timer_stop(&robot->world->timers, &robot->sampling.timer);
        robot->sampling.entered = false;
        return;
    }
    pthread_mutex_lock(&s->lock);
    if (robot->sampling.entered)
        robo__timer_stop(&s->timers, &robot->sampling.timer);
    robot->sampling.entered = false;
    while (s->at == robot)
        pthread_cond_wait(&s->done, &s->lock);
    pthread_mutex_unlock(&s->lock);
}

/* ---- its life ---- */

void robo__sampler_open(struct robo__sampler *s)
{
    *s = (struct robo__sampler){ .at = NULL };
    robo__timers_init(&s->timers);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    pthread_cond_init(&s->done, NULL);
}

void robo__sampler_close(struct robo__sampler *s)
{
    pthread_mutex_lock(&s->lock);
    s->closing = true;
    const bool running = s->running;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
    if (running)
        pthread_join(s->thread, NULL);
}

void robo__sampler_free(struct robo__sampler *s)
{
    robo__timers_free(&s->timers);
    pthread_cond_destroy(&s->changed);
    pthread_cond_destroy(&s->done);
    pthread_mutex_destroy(&s->lock);
}
