/* A world: its clock and its list of robots. */
#include "world.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "robot.h"
#include "time.h"

robo *robo_open(const struct robo_options *options)
{
    robo *world = calloc(1, sizeof *world);
    if (!world)
        return NULL;
    if (options) {
        world->is_virtual = options->virtual_clock != 0;
        world->spin = options->spin != 0;
        world->seed = options->seed;
    }
    /* a virtual world begins at one second, since 0 means "at once" or "unknown" everywhere */
    world->now = 1000000000;
    robo__timers_init(&world->timers);
    pthread_mutex_init(&world->lock, NULL);
    return world;
}

void robo_close(robo *world)
{
    if (!world)
        return;
    while (world->robots)
        robo_remove(world->robots);
    robo__timers_free(&world->timers);
    pthread_mutex_destroy(&world->lock);
    free(world);
}

robo_time robo_now(const robo *world)
{
    if (world->is_virtual)
        return world->now;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (robo_time)t.tv_sec * 1000000000 + t.tv_nsec;
}

int robo_advance(robo *world, robo_time until)
{
    if (!world->is_virtual || until < world->now)
        return ROBO_EINVAL;
    for (robo_time next; (next = robo__timers_next(&world->timers)) <= until;) {
        if (next > world->now)
            world->now = next;
        robo__timers_run(&world->timers, world->now);
    }
    world->now = until;
    return 0;
}

int robo_add_driver(robo *world, const robo_driver *driver)
{
    if (!driver || !driver->name || !driver->open || !(driver->start || driver->send) ||
        !driver->read || !driver->halt || !driver->close)
        return ROBO_EINVAL;
    int error = ROBO_ELIMIT;
    pthread_mutex_lock(&world->lock);
    for (size_t i = 0; i < ROBO__MOST_DRIVERS; i++) {
        if (!world->driver[i]) {
            world->driver[i] = driver;
            error = 0;
            break;
        }
        if (strcmp(world->driver[i]->name, driver->name) == 0) {
            error = world->driver[i] == driver ? 0 : ROBO_EEXISTS;
            break;
        }
    }
    pthread_mutex_unlock(&world->lock);
    return error;
}

const robo_driver *robo__driver_find(robo *world, const char *name)
{
    const robo_driver *found = NULL;
    pthread_mutex_lock(&world->lock);
    for (size_t i = 0; i < ROBO__MOST_DRIVERS && world->driver[i] && !found; i++)
        if (strcmp(world->driver[i]->name, name) == 0)
            found = world->driver[i];
    pthread_mutex_unlock(&world->lock);
    return found;
}

robo_robot *robo_find(robo *world, const char *name)
{
    pthread_mutex_lock(&world->lock);
    robo_robot *robot = world->robots;
    while (robot && name[0] && strcmp(robot->description->name, name) != 0)
        robot = robot->next;
    pthread_mutex_unlock(&world->lock);
    return robot;
}

robo_robot *robo__world_robot(robo *world, size_t n)
{
    pthread_mutex_lock(&world->lock);
    robo_robot *robot = world->robots;
    while (robot && n--)
        robot = robot->next;
    pthread_mutex_unlock(&world->lock);
    return robot;
}

size_t robo__world_count(robo *world)
{
    size_t n = 0;
    pthread_mutex_lock(&world->lock);
    for (robo_robot *robot = world->robots; robot; robot = robot->next)
        n++;
    pthread_mutex_unlock(&world->lock);
    return n;
}
