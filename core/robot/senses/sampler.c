/* Steady samples of simulated sensors. */
#include "sampler.h"

#include "base/time.h"
#include "readings.h"
#include "robot/robot.h"
#include "robot/world/inside.h"

static robo_time run(struct robo__workers_job *job)
{
    return robo__readings_measure(robo__container_of(job, robo_robot, sampling.job),
                                  robo__time_monotonic());
}

/* In a virtual world: everything else at that instant comes first, such as the step of a simulation. */
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

int robo__sampler_enter(robo_robot *robot, robo_time due)
{
    struct robo__sampling *s = &robot->sampling;
    if (!robot->world->is_virtual) {
        s->job.name = "sample";
        s->job.brief = true;
        s->job.run = run;
        return robo__workers_run(&s->job, due);
    }
    s->timer.fire = on_timer;
    s->last = false;
    robo__timer_start(&robot->world->timers, &s->timer, due);
    return 0;
}

void robo__sampler_leave(robo_robot *robot)
{
    if (robot->world->is_virtual)
        robo__timer_stop(&robot->world->timers, &robot->sampling.timer);
    else
        robo__workers_end(&robot->sampling.job);
}
