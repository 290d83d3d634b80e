/* The threads that run what falls due in robots. */
#include "timekeeper.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "base/mutex.h"
#include "base/time.h"
#include "robot.h"
#include "world.h"

/* With spin: this much of a wait is spent looking at the clock. */
static const robo_time SPIN = 200 * 1000;
/* What is due waits that long for a thread that is at another robot; then the next one takes over. No multiple of a usual
 * period of frames, so that the two do not wake together. */
static const robo_time RELIEF = 2300 * 1000;

struct robo__hand {
    pthread_t thread;
    struct robo__hand *next;
};

/* Waits for a signal, or until then. The lock is held on both sides. */
static void wait_until(struct robo__timekeeper *k, pthread_cond_t *signal, robo_time until)
{
    if (until == ROBO_NEVER) {
        pthread_cond_wait(signal, &k->lock);
    } else {
        struct timespec t = robo__timespec(until);
        pthread_cond_clockwait(signal, &k->lock, CLOCK_MONOTONIC, &t);
    }
}

static void note_next(struct robo__timekeeper *k)
{
    atomic_store(&k->next, robo__timers_next(&k->timers));
}

/* The lock is held. */
static void arm(struct robo__timekeeper *k, robo_robot *robot, robo_time due)
{
    robo__timer_start(&k->timers, &robot->timer, due);
    note_next(k);
    if (due < k->asleep_until) {
        k->asleep_until = due;
        pthread_cond_signal(&k->first);
    }
}

/* No thread watches. The one that stands by must not wake too late for what comes next. */
static void call_back(struct robo__timekeeper *k)
{
    if (k->backed && robo__timers_next(&k->timers) < k->back_at - RELIEF) {
        k->back_at = 0;
        pthread_cond_signal(&k->second);
    }
}

void robo__timekeeper_tell(robo_robot *robot, robo_time due)
{
    struct robo__timekeeper *k = &robot->world->keeper;
    robot->told = due;
    pthread_mutex_lock(&k->lock);
    /* else the thread that is at it sees for itself: it waits for the mutex */
    if (!robot->served) {
        arm(k, robot, due);
        if (!k->watched)
            call_back(k);
    }
    pthread_mutex_unlock(&k->lock);
}

/* ---- the threads; the lock is held ---- */

static void through_with(struct robo__timekeeper *k, robo_robot *robot)
{
    robot->served = false;
    pthread_cond_broadcast(&k->done);
}

/* The robot's mutex, and not the lock. A robot whose mutex another thread has just now is put off once, when others wait
 * as well. Otherwise it is waited for: who has it inherits the priority. */
static bool take_mutex(struct robo__timekeeper *k, robo_robot *robot, robo_time now)
{
    if (pthread_mutex_trylock(&robot->mutex) == 0)
        return true;
    pthread_mutex_lock(&k->lock);
    bool put_off = !robot->put_off && robo__timers_next(&k->timers) <= now;
    if (put_off) {
        robot->put_off = true;
        arm(k, robot, now);
        through_with(k, robot);
    }
    pthread_mutex_unlock(&k->lock);
    if (!put_off)
        pthread_mutex_lock(&robot->mutex);
    return !put_off;
}

/* Runs what is due in a robot that was taken off the timers. The lock is held after it, and not before. */
static void serve(struct robo__timekeeper *k, robo_robot *robot, robo_time now)
{
    if (!take_mutex(k, robot, now)) {
        pthread_mutex_lock(&k->lock);
        return;
    }
    now = robo__robot_now(robot);
    robo_time next = robo__robot_run_due(robot, now);
    pthread_mutex_lock(&k->lock);
    robot->put_off = false;
    robot->told = next;
    if (next != ROBO_NEVER) /* what is left over has its turn after all that waits already */
        arm(k, robot, next > now ? next : now);
    pthread_mutex_unlock(&robot->mutex);
    through_with(k, robot);
}

/* Sleeps until something is due, or spins for the last part of it. Returns the present. */
static robo_time await_due(struct robo__timekeeper *k)
{
    for (;;) {
        const robo_time due = robo__timers_next(&k->timers), now = robo__time_monotonic();
        if (due <= now || k->closing)
            return now;
        const robo_time wake = k->spin && due != ROBO_NEVER ? due - SPIN : due;
        if (now < wake) {
            k->asleep_until = wake;
            wait_until(k, &k->first, wake);
            k->asleep_until = 0;
        } else {
            pthread_mutex_unlock(&k->lock);
            for (robo_time t = now; t < due && t < atomic_load(&k->next);)
                t = robo__time_monotonic();
            pthread_mutex_lock(&k->lock);
        }
    }
}

/* One thread more, which is counted already; the lock is not held. */
static int hire(struct robo__timekeeper *k);

static void watch(struct robo__timekeeper *k)
{
    k->watched = true;
    const robo_time now = await_due(k);
    k->watched = false;
    struct robo__timer *timer = robo__timers_take(&k->timers, now);
    if (k->closing || !timer)
        return;
    robo_robot *robot = robo__container_of(timer, robo_robot, timer);
    robot->served = true;
    note_next(k);
    call_back(k);
    const bool alone = k->robots > 1 && !k->backed && !k->called;
    const bool too_few = alone && k->idle == 0;
    k->called |= alone;
    k->threads += too_few;
    if (alone && !too_few)
        pthread_cond_signal(&k->third);
    pthread_mutex_unlock(&k->lock);
    if (too_few)
        (void)hire(k); /* if there is none to be had, it is tried again the next time */
    serve(k, robot, now);
}

/* Until somebody must take over. */
static void stand_by(struct robo__timekeeper *k)
{
    k->backed = true;
    while (!k->closing) {
        const robo_time now = robo__time_monotonic(), next = robo__timers_next(&k->timers);
        if (!k->watched && next <= now - RELIEF)
            break;
        const robo_time from = k->watched && next < now ? now : next;
        k->back_at = from < ROBO_NEVER - RELIEF ? from + RELIEF : ROBO_NEVER;
        wait_until(k, &k->second, k->back_at);
    }
    k->backed = false;
}

static void *keep_time(void *arg)
{
    struct robo__timekeeper *k = arg;
    /* precise sleeps: no timer slack, and real-time priority where we are allowed */
    prctl(PR_SET_TIMERSLACK, 1UL);
    struct sched_param priority = { .sched_priority = 10 };
    (void)pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority);

    pthread_mutex_lock(&k->lock);
    k->called = false;
    while (!k->closing) {
        if (!k->watched) {
            watch(k);
        } else if (!k->backed) {
            stand_by(k);
        } else {
            k->idle++;
            pthread_cond_wait(&k->third, &k->lock);
            k->idle--;
            k->called = false;
        }
    }
    pthread_mutex_unlock(&k->lock);
    return NULL;
}

static int hire(struct robo__timekeeper *k)
{
    struct robo__hand *hand = malloc(sizeof *hand);
    int error = hand ? 0 : ROBO_ENOMEM;
    if (!error && pthread_create(&hand->thread, NULL, keep_time, k) != 0)
        error = ROBO_ESYSTEM;
    pthread_mutex_lock(&k->lock);
    if (error) {
        k->threads--;
        k->called = false;
        free(hand);
    } else {
        hand->next = k->hands;
        k->hands = hand;
    }
    pthread_mutex_unlock(&k->lock);
    return error;
}

/* ---- life ---- */

void robo__timekeeper_open(struct robo__timekeeper *k, bool spin)
{
    *k = (struct robo__timekeeper){ .spin = spin };
    robo__timers_init(&k->timers);
    note_next(k);
    robo__mutex_init(&k->lock);
    pthread_cond_init(&k->first, NULL);
    pthread_cond_init(&k->second, NULL);
    pthread_cond_init(&k->third, NULL);
    pthread_cond_init(&k->done, NULL);
}

int robo__timekeeper_enter(robo_robot *robot)
{
    struct robo__timekeeper *k = &robot->world->keeper;
    pthread_mutex_lock(&k->lock);
    k->robots++;
    const bool too_few = k->threads < 2 && k->threads < k->robots;
    k->threads += too_few;
    pthread_mutex_unlock(&k->lock);
    int error = too_few ? hire(k) : 0;
    if (error < 0)
        robo__timekeeper_leave(robot);
    return error;
}

void robo__timekeeper_leave(robo_robot *robot)
{
    struct robo__timekeeper *k = &robot->world->keeper;
    pthread_mutex_lock(&k->lock);
    /* a thread that is at it may still put it off */
    while (robo__timer_stop(&k->timers, &robot->timer), robot->served)
        pthread_cond_wait(&k->done, &k->lock);
    note_next(k);
    k->robots--;
    pthread_mutex_unlock(&k->lock);
}

void robo__timekeeper_close(struct robo__timekeeper *k)
{
    pthread_mutex_lock(&k->lock);
    k->closing = true;
    pthread_cond_broadcast(&k->first);
    pthread_cond_broadcast(&k->second);
    pthread_cond_broadcast(&k->third);
    for (struct robo__hand *hand; (hand = k->hands) != NULL;) {
        k->hands = hand->next;
        pthread_mutex_unlock(&k->lock); /* a thread may still hire another before it ends */
        pthread_join(hand->thread, NULL);
        free(hand);
        pthread_mutex_lock(&k->lock);
    }
    pthread_mutex_unlock(&k->lock);
}

void robo__timekeeper_free(struct robo__timekeeper *k)
{
    pthread_cond_destroy(&k->first);
    pthread_cond_destroy(&k->second);
    pthread_cond_destroy(&k->third);
    pthread_cond_destroy(&k->done);
    pthread_mutex_destroy(&k->lock);
}
