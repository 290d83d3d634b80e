/* Robots for which no thread can be started. */
#include <stdint.h>

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "../test.h"
#include "../idle_driver.h"
#include "../patience.h"
#include "../scenery.h"
#include "base/workers.h"
#include "robotalk.h"
#include "robotalk/description.h"

static int refuse; /* how many threads the system refuses */
static int closed;
static atomic_int runs;

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *arg);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *arg);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *arg)
{
    if (getenv("ROBOTALK_ONE_THREAD")) {
        fputs("this test has threads: tests/CMakeLists.txt lists those\n", stderr);
        abort();
    }
    return refuse > 0 && refuse-- ? EAGAIN : __real_pthread_create(thread, attributes, run, arg);
}

struct part {
    robo_device *device;
};

static int open_part(void *state, robo_device *device, robo_time now)
{
    ((struct part *)state)->device = device;
    return 0;
}

/* As a thread of the driver's own does that has not ended yet. */
static void close_part(void *state)
{
    robo_post_fault(((struct part *)state)->device, ROBO_WHY_DEVICE);
    closed++;
}

static const robo_driver part_driver = { .size = sizeof(robo_driver),
                                         .name = "part",
                                         .state_size = sizeof(struct part),
                                         .open = open_part,
                                         .start = idle_start,
                                         .read = idle_read,
                                         .halt = idle_halt,
                                         .close = close_part };

TEST(closes_its_devices)
{
    robo_world *world = robo_open(NULL);
    assert_non_null(world);
    assert_int_equal(robo_add_driver(world, &part_driver), 0);
    struct robo_description d = { .link = NULL };
    begin_description(&d, 1,
                      (struct robo_description){ .name = "thing", .devices = 2, .joints = 1 });
    strcpy(d.device[0].driver, "part");
    strcpy(d.device[1].driver, "part");
    refuse = 1;
    assert_int_equal(robo_add(world, &d, NULL), ROBO_ESYSTEM);
    assert_int_equal(closed, 2);
    assert_null(robo_find(world, "thing"));
    assert_int_equal(robo_add(world, &d, NULL), 0);
    /* the second one needs a thread that stands by */
    strcpy(d.name, "other");
    refuse = 1;
    assert_int_equal(robo_add(world, &d, NULL), ROBO_ESYSTEM);
    assert_int_equal(closed, 4);
    assert_null(robo_find(world, "other"));
    assert_int_equal(robo_add(world, &d, NULL), 0);
    /* the third one finds both */
    strcpy(d.name, "third");
    refuse = 1;
    assert_int_equal(robo_add(world, &d, NULL), 0);
    refuse = 0;
    robo_close(world);
}

static robo_time run_job(struct robo__workers_job *job)
{
    atomic_fetch_add(&runs, 1);
    return ROBO_NEVER;
}

TEST(a_job_is_refused_only_without_a_worker)
{
    struct robo__workers_job job = { .name = "job", .run = run_job };
    refuse = 1;
    assert_int_equal(robo__workers_run(&job, 0), ROBO_ESYSTEM);
    assert_int_equal(robo__workers_run(&job, 0), 0);
    EVENTUALLY(atomic_load(&runs) == 1);
    refuse = 1000;
    assert_int_equal(robo__workers_run(&job, 0), 0);
    EVENTUALLY(atomic_load(&runs) == 2);
    refuse = 0;
    robo__workers_end(&job);
}
