/* The threads that run what falls due in the robots of a world: few for many robots, and no robot is held up by another
 * one. Real threads and clocks; nothing here measures time, it only waits, long enough. */
#include <stdint.h>
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../test.h"
#include "../base_robot.h"
#include "../idle_driver.h"
#include "../patience.h"
#include "robot/robot.h"
#include "robot/world/inside.h"
#include "robotalk/description.h"

enum { ROBOTS = 64, WARM = 10, COUNTED = 100 };
static const robo_time SOON = 300000, LONG = 100000000000;

/* ---- what is counted ---- */

static atomic_long locks;

int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __real_pthread_mutex_trylock(pthread_mutex_t *mutex);
int __real_pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
                                  const struct timespec *until);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_trylock(pthread_mutex_t *mutex);
int __wrap_pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
                                  const struct timespec *until);

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    atomic_fetch_add(&locks, 1);
    return __real_pthread_mutex_lock(mutex);
}

int __wrap_pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    atomic_fetch_add(&locks, 1);
    return __real_pthread_mutex_trylock(mutex);
}

/* It gives the mutex back and takes it again. */
int __wrap_pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
                                  const struct timespec *until)
{
    atomic_fetch_add(&locks, 1);
    return __real_pthread_cond_clockwait(cond, mutex, clock, until);
}

/* ---- a driver that wants to be called again and again ---- */

static struct part {
    atomic_long turns;
    atomic_bool blocks;   /* its next turn does not end while this is so */
    atomic_bool inside;   /* it is in a turn */
    atomic_bool greedy;   /* it always wants the next turn at once */
    atomic_bool slow;     /* it wants none for a long time */
    atomic_long locks[2]; /* that had been taken when it had WARM turns, and COUNTED more */
} part[ROBOTS];
static atomic_int wrong;

struct ticking {
    struct part *part;
    bool open;
};

static int open_ticking(void *state, robo_device *device, robo_time now)
{
    *(struct ticking *)state =
        (struct ticking){ &part[atoi(robo_device_description(device)->name + 1)], true };
    return 0;
}

static robo_time advance(void *state, robo_time now)
{
    struct ticking *t = state;
    if (!t->open || atomic_exchange(&t->part->inside, true))
        atomic_fetch_add(&wrong, 1);
    while (atomic_load(&t->part->blocks))
        nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
    const long turns = atomic_load(&t->part->turns);
    if (turns == WARM || turns == WARM + COUNTED)
        atomic_store(&t->part->locks[turns > WARM], atomic_load(&locks));
    atomic_store(&t->part->turns, turns + 1);
    atomic_store(&t->part->inside, false);
    if (atomic_load(&t->part->greedy))
        return now;
    return now + (atomic_load(&t->part->slow) ? LONG : SOON);
}

static void close_ticking(void *state)
{
    struct ticking *t = state;
    if (!t->open || atomic_load(&t->part->inside))
        atomic_fetch_add(&wrong, 1);
    t->open = false;
}

static const robo_driver ticking_driver = { .size = sizeof(robo_driver),
                                            .name = "ticking",
                                            .state_size = sizeof(struct ticking),
                                            .open = open_ticking,
                                            .start = idle_start,
                                            .advance = advance,
                                            .read = idle_read,
                                            .halt = idle_halt,
                                            .close = close_ticking };

/* ---- the world ---- */

static robo_world *world;

static void open_world(bool spin)
{
    const struct robo_options options = { .size = sizeof options, .spin = spin };
    memset(part, 0, sizeof part);
    atomic_store(&wrong, 0);
    world = robo_open(&options);
    assert_non_null(world);
    assert_int_equal(robo_add_driver(world, &ticking_driver), 0);
}

static void close_world(void)
{
    robo_close(world);
    assert_int_equal(atomic_load(&wrong), 0);
}

/* Its driver has a turn now. */
static void call(robo_robot *robot)
{
    robo__robot_lock(robot);
    robot->devices.at[0]->next = robo_now(world);
    robo__robot_unlock(robot);
}

/* Robot number i, whose driver has its first turn now; the caller releases it. */
static robo_robot *add(int i)
{
    char name[8];
    robo_robot *robot;
    snprintf(name, sizeof name, "r%d", i);
    struct robo_description d = base_robot(name, "ticking");
    assert_int_equal(robo_add(world, &d, &robot), 0);
    call(robot);
    return robot;
}

static void add_all(int n)
{
    for (int i = 0; i < n; i++)
        robo_release(add(i));
}

static void it_goes_on(int i)
{
    const long before = atomic_load(&part[i].turns);
    EVENTUALLY(atomic_load(&part[i].turns) > before + 5);
}

static int threads(void)
{
    int n = 0;
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    while (readdir(tasks))
        n++;
    closedir(tasks);
    return n;
}

TEST(a_few_threads_serve_many_robots)
{
    open_world(false);
    const int before = threads();
    add_all(ROBOTS);
    for (int i = 0; i < ROBOTS; i++)
        it_goes_on(i);
    assert_in_range(threads(), before + 1, before + ROBOTS / 4);
    close_world();
}

TEST(one_robot_has_one_thread)
{
    open_world(false);
    const int before = threads();
    for (int i = 0; i < 3; i++) {
        robo_robot *robot = add(0);
        it_goes_on(0);
        assert_int_equal(threads(), before + 1);
        robo_remove(robot);
        robo_release(robot);
    }
    close_world();
}

/* The timekeeper's and the robot's. */
TEST(a_turn_takes_two_locks)
{
    open_world(false);
    add_all(1);
    EVENTUALLY(atomic_load(&part[0].turns) > WARM + COUNTED);
    assert_int_equal(atomic_load(&part[0].locks[1]) - atomic_load(&part[0].locks[0]), 2 * COUNTED);
    close_world();
}

/* Of the robot whose instant it has waited for, or of another one. */
TEST(a_thread_that_sleeps_for_long_is_woken)
{
    robo_robot *robot[3];
    open_world(false);
    for (int i = 0; i < 3; i++) {
        atomic_store(&part[i].slow, true);
        robot[i] = add(i);
        EVENTUALLY(atomic_load(&part[i].turns) == 1);
    }
    for (int n = 0; n < 8; n++)
        for (int i = 0; i < 3; i++)
            for (int again = 0; again < 2; again++) {
                const long before = atomic_load(&part[i].turns);
                call(robot[i]);
                EVENTUALLY(atomic_load(&part[i].turns) == before + 1);
            }
    for (int i = 0; i < 3; i++) {
        robo_remove(robot[i]);
        robo_release(robot[i]);
    }
    close_world();
}

TEST(robots_that_block_hold_up_no_others)
{
    open_world(false);
    add_all(6);
    for (int blocked = 0; blocked < 5; blocked++) {
        atomic_store(&part[blocked].blocks, true);
        EVENTUALLY(atomic_load(&part[blocked].inside));
        for (int i = blocked + 1; i < 6; i++)
            it_goes_on(i);
    }
    for (int i = 0; i < 5; i++)
        atomic_store(&part[i].blocks, false);
    for (int i = 0; i < 6; i++)
        it_goes_on(i);
    close_world();
}

/* The only robot blocks, and others come then. */
TEST(robots_are_added_while_one_blocks)
{
    open_world(false);
    add_all(1);
    atomic_store(&part[0].blocks, true);
    EVENTUALLY(atomic_load(&part[0].inside));
    for (int i = 1; i < 4; i++) {
        robo_release(add(i));
        it_goes_on(i);
    }
    atomic_store(&part[0].blocks, false);
    close_world();
}

TEST(a_mutex_that_is_kept_holds_up_no_others)
{
    open_world(false);
    robo_robot *robot[4];
    for (int i = 0; i < 4; i++)
        robot[i] = add(i);
    for (int kept = 0; kept < 3; kept++) {
        robo__robot_lock(robot[kept]);
        for (int i = kept + 1; i < 4; i++)
            it_goes_on(i);
    }
    for (int i = 0; i < 3; i++)
        robo__robot_unlock(robot[i]);
    for (int i = 0; i < 4; i++) {
        it_goes_on(i);
        robo_release(robot[i]);
    }
    close_world();
}

TEST(a_greedy_robot_leaves_others_their_turns)
{
    open_world(false);
    atomic_store(&part[0].greedy, true);
    robo_robot *greedy = add(0);
    for (int i = 1; i < 4; i++) {
        robo_release(add(i));
        it_goes_on(i);
    }
    struct robo_state s;
    for (int i = 0; i < 20; i++) { /* and whoever wants its mutex */
        robo__robot_lock(greedy);
        robo__robot_read(greedy, robo_now(world), &s);
        robo__robot_unlock(greedy);
    }
    robo_remove(greedy);
    robo_release(greedy);
    close_world();
}

static void *remove_first(void *removed)
{
    robo_robot *robot = robo_find(world, "r0");
    robo_remove(robot);
    robo_release(robot);
    atomic_store((atomic_bool *)removed, true);
    return NULL;
}

/* What it holds is not closed under a turn of its driver. */
TEST(a_removal_waits_for_the_end_of_a_turn)
{
    atomic_bool removed = false;
    pthread_t thread;
    open_world(false);
    add_all(2);
    atomic_store(&part[0].blocks, true);
    EVENTUALLY(atomic_load(&part[0].inside));
    assert_int_equal(pthread_create(&thread, NULL, remove_first, &removed), 0);
    it_goes_on(1);
    assert_false(atomic_load(&removed));
    atomic_store(&part[0].blocks, false);
    pthread_join(thread, NULL);
    const long turns = atomic_load(&part[0].turns);
    it_goes_on(1);
    assert_int_equal(atomic_load(&part[0].turns), turns);
    close_world();
}

/* ---- robots come and go ---- */

static atomic_bool stop;

static void *come_and_go(void *arg)
{
    const int i = *(int *)arg;
    for (unsigned n = 0; !atomic_load(&stop); n++) {
        robo_robot *robot = add(i);
        if (n % 3)
            it_goes_on(i);
        if (n % 2) { /* another gets hold of it meanwhile */
            robo__robot_lock(robot);
            robo__robot_unlock(robot);
        }
        robo_remove(robot);
        robo__robot_lock(robot); /* there is still a robot, without devices */
        robo__robot_unlock(robot);
        robo_release(robot);
    }
    return NULL;
}

static void *block_now_and_then(void *arg)
{
    for (int i = 0; !atomic_load(&stop); i = (i + 1) % 4) {
        atomic_store(&part[i].blocks, true);
        nanosleep(&(struct timespec){ .tv_nsec = 4000000 }, NULL);
        atomic_store(&part[i].blocks, false);
    }
    return NULL;
}

static void robots_come_and_go(bool spin)
{
    pthread_t thread[5];
    int number[4] = { 0, 1, 2, 3 };
    open_world(spin);
    atomic_store(&stop, false);
    robo_release(add(4));
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, come_and_go, &number[i]), 0);
    assert_int_equal(pthread_create(&thread[4], NULL, block_now_and_then, NULL), 0);
    for (int i = 0; i < 40; i++)
        it_goes_on(4);
    atomic_store(&stop, true);
    for (int i = 0; i < 5; i++)
        pthread_join(thread[i], NULL);
    close_world();
}

TEST(robots_come_and_go_while_they_are_served)
{
    robots_come_and_go(false);
}

TEST(the_same_with_spin)
{
    robots_come_and_go(true);
}
