/* Steady samples of simulated sensors. */
#include "senses.h"

#include "base/time.h"

static robo_time run(struct robo__workers_job *job)
{
    return robo__readings_measure(robo__container_of(job, struct robo__senses, sampling.job),
                                  robo__time_monotonic());
}

/* In a virtual world: everything else at that instant comes first, such as the step of a simulation. */
static void on_timer(struct robo__timer *timer, robo_time now)
{
    struct robo__senses *senses = robo__container_of(timer, struct robo__senses, sampling.timer);
    senses->sampling.last = !senses->sampling.last;
    if (senses->sampling.last) {
        robo__timer_start(senses->timers, timer, now);
        return;
    }
    const robo_time next = robo__readings_measure(senses, now);
    if (next != ROBO_NEVER)
        robo__timer_start(senses->timers, timer, next);
}

int robo__sampler_enter(struct robo__senses *senses, robo_time due)
{
    struct robo__sampling *s = &senses->sampling;
    if (!senses->timers) {
        s->job.name = "sample";
        s->job.brief = true;
        s->job.run = run;
        return robo__workers_run(&s->job, due);
    }
    s->timer.fire = on_timer;
    s->last = false;
    robo__timer_start(senses->timers, &s->timer, due);
    return 0;
}

void robo__sampler_leave(struct robo__senses *senses)
{
    if (senses->timers)
        robo__timer_stop(senses->timers, &senses->sampling.timer);
    else
        robo__workers_end(&senses->sampling.job);
}
