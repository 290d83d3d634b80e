/* Jobs of a device whose driver asks: its commands, from their arrival to their end. The robot's mutex is held. */
#include "claimed.h"

#include "base/command.h"
#include "motion/move.h"
#include "robot/reports.h"
#include "robotalk/device.h"

void robo__claimed_wake(struct robo__claimed *d)
{
    if (d->claim && d->claim->wake)
        d->claim->wake(d->claim->owner);
}

int64_t robo__claimed_job_number(const struct robo__claimed *d, const struct robo__claimed_job *job)
{
    return (int64_t)job->generation * d->jobs + (job - d->job);
}

struct robo__claimed_job *robo__claimed_job_of(struct robo__claimed *d, int64_t number)
{
    if (number <= 0)
        return NULL;
    struct robo__claimed_job *job = &d->job[number % d->jobs];
    return job->phase == ROBO__JOB_RUNS && job->generation == number / d->jobs ? job : NULL;
}

struct robo__claimed_job *robo__claimed_job_first(struct robo__claimed *d, int phase)
{
    struct robo__claimed_job *first = NULL;
    for (size_t i = 0; i < d->jobs; i++)
        if ((int)d->job[i].phase == phase && (!first || d->job[i].turn < first->turn))
            first = &d->job[i];
    return first;
}

void robo__claimed_job_answer(struct robo__claimed *d, struct robo__claimed_job *job,
                              enum robo_signal signal, enum robo_reason reason)
{
    if (!job->answered)
        robo_done(d->device, job->ticket, signal, reason);
    job->answered = true;
}

bool robo__claimed_job_lives(const struct robo__claimed_job *job)
{
    return job->phase == ROBO__JOB_WAITS || job->phase == ROBO__JOB_RUNS;
}

/* Ends a command, and drops its bytes that wait for the line. */
static void end_job(struct robo__claimed *d, struct robo__claimed_job *job)
{
    if (job->phase == ROBO__JOB_RUNS && d->port)
        robo__outbox_drop(&d->port->out, robo__claimed_job_number(d, job));
    job->phase = job->phase == ROBO__JOB_RUNS ? ROBO__JOB_OVER : ROBO__JOB_NONE;
}

void robo__claimed_end_all(struct robo__claimed *d)
{
    for (size_t i = 0; i < d->jobs; i++)
        if (robo__claimed_job_lives(&d->job[i]))
            end_job(d, &d->job[i]);
}

void robo__claimed_overtake(struct robo__claimed *d, const struct robo__claimed_job *later)
{
    for (size_t i = 0; i < d->jobs; i++) {
        struct robo__claimed_job *job = &d->job[i];
        if (!robo__claimed_job_lives(job) || job->cmd.op == ROBO_STOP ||
            !(robo__dof_set_meet(&job->dofs, &later->dofs) || (job->base && later->base)))
            continue;
        end_job(d, job);
        /* unless the core has answered it, as it does for a stop */
        robo__claimed_job_answer(d, job, ROBO_MODIFIED, ROBO_WHY_SUPERSEDED);
    }
}

/* Ends the stops whose axes were all taken over by later commands. Their bytes are still sent. */
static void relieve_stops(struct robo__claimed *d, const struct robo__claimed_job *later)
{
    for (size_t i = 0; i < d->jobs; i++) {
        struct robo__claimed_job *stop = &d->job[i];
        if (stop == later || stop->phase != ROBO__JOB_RUNS || stop->cmd.op != ROBO_STOP)
            continue;
        robo__dof_set_subtract(&stop->dofs, &later->dofs);
        stop->base &= !later->base;
        if (robo__dof_set_is_empty(&stop->dofs) && !stop->base)
            stop->phase = ROBO__JOB_OVER;
    }
}

struct robo__claimed_job *robo__claimed_take(struct robo__claimed *d)
{
    for (size_t i = 0; i < d->jobs; i++)
        if (d->job[i].phase == ROBO__JOB_RUNS && d->job[i].cmd.op == ROBO_STOP && !d->job[i].begun)
            return NULL;
    struct robo__claimed_job *job = robo__claimed_job_first(d, ROBO__JOB_WAITS);
    if (job)
        job->phase = ROBO__JOB_RUNS;
    return job;
}

bool robo__claimed_begin(struct robo__claimed *d, int64_t number)
{
    struct robo__claimed_job *job = robo__claimed_job_of(d, number);
    if (!job)
        return false;
    if (!job->begun && !robo__cmd_is_rest(&job->cmd) &&
        robo__device_expired(d->device, job->ticket, robo__robot_now(d->robot))) {
        end_job(d, job);
        robo__claimed_job_answer(d, job, ROBO_ERROR, ROBO_WHY_EXPIRED);
        robo__claimed_wake(d);
        return false;
    }
    relieve_stops(d, job);
    job->begun = true;
    return true;
}

/* The dofs of a stop, or of going home: the device's own. */
static void aim_at_own(const struct robo__claimed *d, struct robo__claimed_job *job)
{
    const struct robo_description *body = robo_device_description(d->device);
    const struct robo_stop *stop = job->cmd.op == ROBO_STOP ? &job->cmd.body.stop : NULL;
    for (size_t i = 0; i < body->joints; i++) {
        const struct robo_joint *j = &body->joint[i];
        for (unsigned k = 0; j->device == robo_device_index(d->device) && k < j->dofs; k++)
            if (!stop || robo__stop_has_dof(stop, j->first + k))
                robo__dof_set_add(&job->dofs, j->first + k);
    }
    if (stop && robo_device_binding(d->device)->base)
        job->base = robo__stop_has_base(stop);
}

void robo__claimed_aim(const struct robo__claimed *d, struct robo__claimed_job *job)
{
    const struct robo_description *body = robo_device_description(d->device);
    const struct robo_servo_command *servo = &job->cmd.body.servo;
    robo__dof_set_empty(&job->dofs, body->dofs);
    switch (robo__command_of(job->cmd.op)->moves) {
    case ROBO_MOVES_JOINT:
        robo__dof_set_add_mask(&job->dofs, &body->joint[servo->joint], servo->mask);
        break;
    case ROBO_MOVES_JOINTS:
    case ROBO_MOVES_ALL: aim_at_own(d, job); break;
    default: job->base = true; break;
    }
}
