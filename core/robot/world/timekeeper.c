/* The threads that run what falls due in robots. */
#include "timekeeper.h"

#include <stdlib.h>

#include "base/mutex.h"
#include "base/thread.h"
#include "base/time.h"
#include "inside.h"

/* With spin: this much of a wait is spent looking at the clock. */
static const robo_time SPIN = 200 * 1000;
/* A robot that is due waits that long for a thread that is at another robot; then the next one takes over. No multiple
 * of a usual period of frames, so that the two do not wake together. */
static const robo_time RELIEF = 2300 * 1000;

/* An instant that is over; 0 means that nobody sleeps. */
static const robo_time LONG_AGO = 1;

struct robo__hand {
    pthread_t thread;
    struct robo__hand *next;
};

static bool is_watched(const struct robo__timekeeper *k)
{
    return atomic_load(&k->asleep_until) != 0;
}

/* The thread that watches does not sleep beyond that instant. The lock is held. */
static void wake_by(struct robo__timekeeper *k, robo_time due)
{
    robo_time until = atomic_load(&k->asleep_until);
    if (due < until && atomic_compare_exchange_strong(&k->asleep_until, &until, due))
        sem_post(&k->bell); /* else it has woken just now */
}

/* The lock is held. */
static void arm(struct robo__timekeeper *k, struct robo__member *member, robo_time due)
{
    robo__timer_start(&k->timers, &member->timer, due);
    wake_by(k, due);
}

/* The one that stands by must not wake too late for the next instant. The lock is held. */
static void call_back(struct robo__timekeeper *k)
{
    if (k->backed && robo__timers_next(&k->timers) < k->back_at - RELIEF) {
        k->back_at = 0;
        pthread_cond_signal(&k->second);
    }
}

void robo__timekeeper_tell(struct robo__member *member, robo_time due)
{
    struct robo__timekeeper *k = &member->world->keeper;
    member->told = due;
    if (due < LONG_AGO)
        due = LONG_AGO;
    pthread_mutex_lock(&k->lock);
    if (!member->served) {
        arm(k, member, due);
        call_back(k);
    } else if (due < member->timer.due) {
        /* the thread that has it sleeps; else it sees for itself, since it waits for the mutex */
        member->timer.due = due;
        wake_by(k, due);
    }
    pthread_mutex_unlock(&k->lock);
}

/* ---- the threads; the lock is held ---- */

static void through_with(struct robo__timekeeper *k, struct robo__member *member)
{
    member->served = false;
    pthread_cond_broadcast(&k->done);
}

/* The robot's mutex, and not the lock. A robot whose mutex another thread has just now is put off once, when others
 * wait as well. Otherwise it is waited for: the thread that has it inherits the priority. */
static bool take_mutex(struct robo__timekeeper *k, struct robo__member *member)
{
    if (pthread_mutex_trylock(member->mutex) == 0)
        return true;
    pthread_mutex_lock(&k->lock);
    const robo_time now = robo__time_monotonic();
    bool put_off = !member->put_off && robo__timers_next(&k->timers) <= now;
    if (put_off) {
        member->put_off = true;
        arm(k, member, now);
        through_with(k, member);
    }
    pthread_mutex_unlock(&k->lock);
    if (!put_off)
        pthread_mutex_lock(member->mutex);
    return !put_off;
}

/* Runs what is due in a robot that this thread has. The lock is held after it, and not before. */
static void serve(struct robo__timekeeper *k, struct robo__member *member)
{
    if (!take_mutex(k, member)) {
        pthread_mutex_lock(&k->lock);
        return;
    }
    const robo_time now = robo__time_monotonic(), next = member->kind->run(member, now);
    pthread_mutex_lock(&k->lock);
    member->put_off = false;
    member->told = next;
    if (next != ROBO_NEVER) /* the rest has its turn after all that waits already */
        arm(k, member, next > now ? next : now);
    pthread_mutex_unlock(member->mutex);
    through_with(k, member);
}

/* Sleeps until then, or spins for the last part of it, and watches no more; false: something comes sooner. The lock is not held. */
static bool sleep_until(struct robo__timekeeper *k, robo_time due)
{
    const robo_time wake = k->spin && due != ROBO_NEVER ? due - SPIN : due;
    const struct timespec t = robo__timespec(wake);
    for (robo_time now;
         atomic_load(&k->asleep_until) == due && (now = robo__time_monotonic()) < due;)
        if (due == ROBO_NEVER)
            sem_wait(&k->bell);
        else if (now < wake)
            sem_clockwait(&k->bell, CLOCK_MONOTONIC, &t);
    return atomic_exchange(&k->asleep_until, 0) == due;
}

/* One thread more, which is counted already; the lock is not held. */
static int hire(struct robo__timekeeper *k);

/* Calls another thread, if nobody would stand by while this one is at a robot; true: there is none, it is to be hired. */
static bool call_another(struct robo__timekeeper *k)
{
    if (k->robots < 2 || k->backed || k->called)
        return false;
    k->called = true;
    if (k->idle == 0) {
        k->threads++;
        return true;
    }
    pthread_cond_signal(&k->third);
    return false;
}

/* A thread that watches has the robot whose turn is next, so that it needs no lock when it wakes. */
static void watch(struct robo__timekeeper *k)
{
    struct robo__timer *timer = robo__timers_take(&k->timers, ROBO_NEVER);
    struct robo__member *member =
        timer ? robo__container_of(timer, struct robo__member, timer) : NULL;
    const robo_time due = member ? timer->due : ROBO_NEVER;
    bool too_few = false;
    if (member) {
        member->served = true;
        call_back(k);
        too_few = call_another(k);
    }
    atomic_store(&k->asleep_until, due);
    pthread_mutex_unlock(&k->lock);
    if (too_few)
        (void)hire(k); /* if there is none to be had, it is tried again the next time */
    if (sleep_until(k, due) && member) {
        serve(k, member);
        return;
    }
    pthread_mutex_lock(&k->lock);
    if (!member)
        return;
    if (member->timer.due != ROBO_NEVER) /* else it leaves */
        arm(k, member, member->timer.due);
    through_with(k, member);
}

/* Until somebody must take over. */
static void stand_by(struct robo__timekeeper *k)
{
    k->backed = true;
    while (!k->closing) {
        const robo_time now = robo__time_monotonic(), next = robo__timers_next(&k->timers);
        const bool watched = is_watched(k);
        if (!watched && next <= now - RELIEF)
            break;
        const robo_time from = watched && next < now ? now : next;
        k->back_at = from < ROBO_NEVER - RELIEF ? from + RELIEF : ROBO_NEVER;
        if (k->back_at == ROBO_NEVER) {
            pthread_cond_wait(&k->second, &k->lock);
        } else {
            const struct timespec t = robo__timespec(k->back_at);
            pthread_cond_clockwait(&k->second, &k->lock, CLOCK_MONOTONIC, &t);
        }
    }
    k->backed = false;
}

static void *keep_time(void *arg)
{
    pthread_setname_np(pthread_self(), "timekeeper");
    struct robo__timekeeper *k = arg;
    robo__thread_hurry();
    pthread_mutex_lock(&k->lock);
    k->called = false;
    while (!k->closing) {
        if (!is_watched(k)) {
            watch(k);
        } else if (!k->backed) {
            stand_by(k);
        } else {
            call_back(k);
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
    sem_init(&k->bell, 0, 0);
    robo__mutex_init(&k->lock);
    pthread_cond_init(&k->second, NULL);
    pthread_cond_init(&k->third, NULL);
    pthread_cond_init(&k->done, NULL);
}

int robo__timekeeper_enter(struct robo__member *member)
{
    struct robo__timekeeper *k = &member->world->keeper;
    pthread_mutex_lock(&k->lock);
    k->robots++;
    const bool too_few = k->threads < 2 && k->threads < k->robots;
    k->threads += too_few;
    pthread_mutex_unlock(&k->lock);
    int error = too_few ? hire(k) : 0;
    if (error < 0)
        robo__timekeeper_leave(member);
    return error;
}

void robo__timekeeper_leave(struct robo__member *member)
{
    struct robo__timekeeper *k = &member->world->keeper;
    pthread_mutex_lock(&k->lock);
    /* a thread that is at it may still put it off; one that has it and sleeps lets it go */
    while (robo__timer_stop(&k->timers, &member->timer), member->served) {
        member->timer.due = ROBO_NEVER;
        wake_by(k, LONG_AGO);
        pthread_cond_wait(&k->done, &k->lock);
    }
    k->robots--;
    pthread_mutex_unlock(&k->lock);
}

void robo__timekeeper_close(struct robo__timekeeper *k)
{
    pthread_mutex_lock(&k->lock);
    k->closing = true;
    wake_by(k, LONG_AGO);
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
    sem_destroy(&k->bell);
    pthread_cond_destroy(&k->second);
    pthread_cond_destroy(&k->third);
    pthread_cond_destroy(&k->done);
    pthread_mutex_destroy(&k->lock);
}
