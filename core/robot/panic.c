/* The latched panic. What waits ends in timeline/timeline.c, and what moves in axes/ending.c. */
#include <string.h>

#include "robot.h"
#include "step.h"

void robo__panic_halt(robo_robot *robot, robo_time now)
{
    robot->panicking = true;
    robo__devices_halt(&robot->devices,
                       now); /* a removed one was halted for good, and is detached */
}

void robo__panic_halted(robo_robot *robot)
{
    robot->panicking = false;
    robot->port.halted = true;
}

void robo__panic_raise(robo_robot *robot, robo_time now)
{
    /* before the alarm: a reader that sees it also sees the halted state */
    robo__robot_publish(robot, now);
    /* each panic has a new epoch: commands that were sent after the last one, and a reset of it, are now too old */
    atomic_store(&robot->alarm, ((struct robo__alarm){ robo__robot_alarm(robot).epoch + 1, 1 }));
}

static void set_panic_name(robo_robot *robot, const char *name)
{
    memcpy(robot->panic_name, name, strnlen(name, ROBO__HOLDER_NAME - 1) + 1);
    robot->panic_name[ROBO__HOLDER_NAME - 1] = '\0';
}

/* The devices halt before anybody is answered. */
static void halt(robo_robot *robot, const char *name)
{
    set_panic_name(robot, name);
    const robo_time now = robo__robot_now(robot);
    robo__step(robot, &(struct robo__step_event){ .kind = ROBO__ON_PANIC }, now);
    robo__step(robot, &(struct robo__step_event){ .kind = ROBO__ON_PANICKED }, now);
}

static void tell_all(robo_robot *robot)
{
    robo__movers_wake(&robot->movers);
}

void robo__panic(robo_robot *robot)
{
    halt(robot, "");
    tell_all(robot);
}

void robo__panic_by(robo_robot *robot, const char *name)
{
    robo__robot_lock(robot);
    halt(robot, name);
    tell_all(robot);
    robo__robot_unlock(robot);
}

void robo_panic(robo_robot *robot)
{
    robo__panic_by(robot, "");
}

uint32_t robo__panic_told(robo_robot *robot, const robo_device *by)
{
    robo__robot_lock(robot);
    robot->told_by = by;
    robo__panic(robot);
    robot->told_by = NULL;
    const uint32_t number = robo__robot_alarm(robot).epoch;
    robo__robot_unlock(robot);
    return number;
}

/* Walks through all robots twice. The first walk leaves to the second what unlocking does besides (robo__robot_unlock): answers of
 * long queues do not come between two halts. */
void robo__panic_all(robo_world *world, const char *name)
{
    uint64_t cursor = 0;
    for (robo_robot *robot; (robot = robo_next_robot(world, &cursor)) != NULL;) {
        robo__robot_lock(robot);
        halt(robot, name);
        pthread_mutex_unlock(&robot->mutex);
        robo_release(robot);
    }
    cursor = 0;
    for (robo_robot *robot; (robot = robo_next_robot(world, &cursor)) != NULL;) {
        robo__robot_lock(robot);
        tell_all(robot);
        robo__robot_unlock(robot);
        robo_release(robot);
    }
}

void robo__panic_reset(robo_robot *robot, robo_time now)
{
    struct robo__alarm alarm = robo__robot_alarm(robot);
    if (!alarm.panic)
        return;
    atomic_store(&robot->alarm, ((struct robo__alarm){ alarm.epoch, 0 }));
    robot->port.halted = false;
    for (size_t i = 0; i < robot->description->devices && !robot->port.detached; i++)
        robo__device_reset(robot->devices.at[i], now);
    for (unsigned i = 0; i < ROBO__STAGES; i++)
        if (robot->axes.stage[i]->kind->wake)
            robot->axes.stage[i]->kind->wake(robot->axes.stage[i], now);
    tell_all(robot);
}

static void reset(robo_robot *robot, const char *name)
{
    if (robo__robot_alarm(robot).panic)
        set_panic_name(robot, name);
    robo__step(robot, &(struct robo__step_event){ .kind = ROBO__ON_RESET }, robo__robot_now(robot));
}

void robo_reset(robo_robot *robot)
{
    robo__robot_lock(robot);
    reset(robot, "");
    robo__robot_unlock(robot);
}

void robo__robot_panic_name(robo_robot *robot, char name[ROBO__HOLDER_NAME])
{
    pthread_mutex_lock(&robot->mutex);
    memcpy(name, robot->panic_name, ROBO__HOLDER_NAME);
    pthread_mutex_unlock(&robot->mutex);
}

void robo__robot_health(robo_robot *robot, struct robo__health *health)
{
    *health = (struct robo__health){ 0 };
    pthread_mutex_lock(&robot->mutex);
    const struct robo__retained *retained = &robot->retained;
    health->lost = robot->axes.faults;
    health->tally = robot->movers.tally;
    health->silences = robot->movers.silences;
    health->sessions = robot->movers.count;
    health->underruns = robot->movers.underruns;
    for (const struct robo__mover *m = robot->movers.first; m; m = m->next)
        health->late += m->underruns;
    health->lies = robo__retained(retained, ROBO_RETAINED_FALLEN)->fallen.lies;
    strcpy(health->blocked, robo__retained(retained, ROBO_RETAINED_BLOCKED)->blocked.name);
    memcpy(health->panic_name, robot->panic_name, sizeof health->panic_name);
    pthread_mutex_unlock(&robot->mutex);
}

int robo__reset_known(robo_robot *robot, struct robo__known known, const char *name)
{
    robo__robot_lock(robot);
    bool newest = known.epoch == (uint16_t)robo__robot_alarm(robot).epoch;
    if (newest)
        reset(robot, name);
    robo__robot_unlock(robot);
    return newest ? 0 : ROBO_EPANIC;
}
