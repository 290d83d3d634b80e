/* The stage of scenes with a real server: a world of a real clock, its thread, and a loop with a listening UNIX socket, to which the
 * clients connect. The clock of the process stands until the test moves it on: what sleeps on it sleeps until the test wakes it. */
#pragma once

#include "../unit/scene_body.h"

#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "net/server.h"
#include "protocols.h"
#include "robotalk/client.h"

/* ---- the clock ---- */

static const robo_time FIRST = 1000000000; /* as in a virtual world */
static atomic_bool is_held;
static _Atomic robo_time held_at = 1000000000;

int __real_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t);
int __real_sem_clockwait(sem_t *bell, clockid_t clock, const struct timespec *until);
int __wrap_sem_clockwait(sem_t *bell, clockid_t clock, const struct timespec *until);
int __real_timerfd_settime(int fd, int flags, const struct itimerspec *at, struct itimerspec *old);
int __wrap_timerfd_settime(int fd, int flags, const struct itimerspec *at, struct itimerspec *old);

int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
    if (!atomic_load(&is_held) || clock != CLOCK_MONOTONIC)
        return __real_clock_gettime(clock, t);
    const robo_time now = atomic_load(&held_at);
    *t = (struct timespec){ .tv_sec = now / 1000000000, .tv_nsec = now % 1000000000 };
    return 0;
}

/* Until it is rung. */
int __wrap_sem_clockwait(sem_t *bell, clockid_t clock, const struct timespec *until)
{
    return atomic_load(&is_held) ? sem_wait(bell) : __real_sem_clockwait(bell, clock, until);
}

/* It fires in the next turn, which looks at the clock. */
int __wrap_timerfd_settime(int fd, int flags, const struct itimerspec *at, struct itimerspec *old)
{
    const struct itimerspec soon = { .it_value.tv_nsec = 1 };
    return __real_timerfd_settime(fd, flags, atomic_load(&is_held) ? &soon : at, old);
}

/* ---- the stage ---- */

enum { STAGE_IS_VIRTUAL = 0, QUIET = 4 /* turns */, TRIES = 1 << 22 };

static robo_loop *stage_loop;
static robo_server *stage_server;
static char stage_url[64];
static size_t carried_bytes; /* scene_wire.h */
#define stage_host stage_loop->host

static void stage_clear(void)
{
    atomic_store(&held_at, FIRST);
    atomic_store(&is_held, true);
}

static void stage_begin(void)
{
    char why[256], address[80];
    struct robo__url url;
    stage_loop = robo_loop_open(world);
    assert_non_null(stage_loop);
    static unsigned scenes_so_far;
    snprintf(stage_url, sizeof stage_url, "unix:/tmp/robotalk-scene-%d.%u", (int)getpid(),
             scenes_so_far++);
    snprintf(address, sizeof address, "%s?takeover", stage_url);
    if (robo__url_parse(address, robo__protocols, &url, why) != 0 ||
        robo__server_open(stage_loop, &url, NULL, &stage_server, why) != 0)
        fail_msg("%s", why);
}

static void stage_end(void)
{
    robo_unserve(stage_server);
    robo_loop_close(stage_loop);
}

/* Until when the robot's thread sleeps; 0: it works. */
static robo_time asleep_until(void)
{
    return atomic_load(&world->keeper.asleep_until);
}

static robo_time stage_next(void)
{
    const robo_time timers = robo__timers_next(&stage_loop->host.own), robots = asleep_until();
    return timers < robots ? timers : robots;
}

/* Turns the loop until the robot's thread sleeps again and nothing has been received for some turns. Bytes in a UNIX socket have
 * arrived. */
static void stage_deliver(void)
{
    int tries = 0;
    for (int quiet = 0; quiet < QUIET; tries++) {
        const size_t before = carried_bytes;
        robo__loop_step(stage_loop, 0);
        const bool works = asleep_until() <= atomic_load(&held_at);
        quiet = works || carried_bytes != before ? 0 : quiet + 1;
        if (works)
            sched_yield();
        assert_true(tries < TRIES);
    }
}

static void stage_advance(robo_time until)
{
    if (atomic_exchange(&held_at, until) != until && asleep_until() <= until)
        sem_post(&world->keeper.bell);
    stage_deliver();
}

/* A worker connects. */
static robo_client *stage_connect(const char *url, struct robo__client_setup *setup, int *error,
                                  char why[256])
{
    setup->host = &stage_loop->host;
    setup->loop = stage_loop;
    robo_client *client = robo__client_open(world, url, setup, error, why);
    for (int tries = 0; client && robo_client_state(client) == 0; tries++) {
        robo__loop_step(stage_loop, 0);
        sched_yield();
        assert_true(tries < TRIES);
    }
    stage_deliver();
    return client;
}

/* A client is what it is: of this machine, by a socket, with the role that it has asked for. */
static void stage_admit(const robo_client *client, bool local)
{
}

static void stage_role(const robo_client *client, uint8_t role)
{
}
