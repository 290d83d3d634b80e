/* Work that may block. */
#include "blocking_work.h"

#include "loop.h"

static robo_time run(struct robo__workers_job *job)
{
    struct robo__work *work = robo__container_of(job, struct robo__work, job);
    robo_loop *loop = work->loop;
    work->run(work);
    robo__wakeup_post(&loop->host.mailbox, &work->wakeup); /* work may be gone after this */
    robo__loop_release(loop);
    return ROBO_NEVER;
}

int robo__work_begin(struct robo__work *work, robo_loop *loop)
{
    work->job.run = run;
    work->loop = loop;
    robo__loop_hold(loop);
    const int error = robo__workers_run(&work->job, 0);
    if (error < 0) {
        robo__loop_release(loop);
        work->loop = NULL;
    }
    return error;
}
