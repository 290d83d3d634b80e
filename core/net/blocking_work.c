/* Work that may block. */
#include "blocking_work.h"

#include <pthread.h>

#include "loop.h"

static void *work_thread(void *arg)
{
    pthread_setname_np(pthread_self(), "work");
    struct robo__work *work = arg;
    robo_loop *loop = work->loop;
    work->run(work);
    robo__wakeup_post(&loop->host.mailbox, &work->wakeup); /* work may be gone after this */
    robo__loop_release(loop);
    return NULL;
}

int robo__work_begin(struct robo__work *work, struct robo__host *host)
{
    pthread_t thread;
    work->loop = robo__container_of(host, robo_loop, host);
    robo__loop_hold(work->loop);
    if (pthread_create(&thread, NULL, work_thread, work) == 0) {
        pthread_detach(thread);
        return 0;
    }
    robo__loop_release(work->loop);
    work->loop = NULL;
    return ROBO_ESYSTEM;
}
