/* Workers. */
#include "workers.h"

#include "mutex.h"
#include "robotalk.h"
#include "thread.h"

/* KEPT: workers that stay when they are idle. MOST: so many jobs may block before others wait; PATIENT: so many patient ones */
enum { KEPT = 2, MOST = 256, PATIENT = 192 };
/* Others stay for so long after the last start: they may be needed again soon. */
static const robo_time LINGER = 1000000000;

/* On its thread's stack. */
struct worker {
    struct robo__workers_job *job; /* that it runs; NULL: none */
    robo_time again;               /* was to run again, when that was said meanwhile */
    bool last;                     /* it is not to run again */
    struct worker *next;
};

static struct {
    pthread_mutex_t lock; /* guards all below; no job runs while it is held */
    pthread_cond_t some, over;
    struct robo__timers due, patient; /* jobs that are to run; patient ones apart */
    unsigned patients;                /* of these run */
    struct worker *workers;
    unsigned count, idle; /* idle: these look for a job, also when they have just been started */
    robo_time watched;    /* until then, at most, an idle worker waits; ROBO_NEVER: none does */
    robo_time started;    /* the last worker */
} pool;

static void init(void)
{
    pool.workers = NULL;
    pool.count = pool.idle = pool.patients = 0;
    pool.watched = ROBO_NEVER;
    robo__timers_init(&pool.due);
    robo__timers_init(&pool.patient);
    robo__mutex_init(&pool.lock); /* a loop with real-time priority takes it */
    pthread_cond_init(&pool.some, NULL);
    pthread_cond_init(&pool.over, NULL);
}

static void before_fork(void)
{
    pthread_mutex_lock(&pool.lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&pool.lock);
}

/* A process that is forked off has no workers, and no job is to run there. */
static void in_child(void)
{
    robo__timers_free(&pool.due);
    robo__timers_free(&pool.patient);
    init();
}

static void init_once(void)
{
    init();
    pthread_atfork(before_fork, after_fork, in_child);
}

static void lock(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, init_once);
    pthread_mutex_lock(&pool.lock);
}

static void *work(void *arg);

static struct robo__timers *timers_of(const struct robo__workers_job *job)
{
    return job->patient ? &pool.patient : &pool.due;
}

/* When the next job is due that may run. */
static robo_time next_due(void)
{
    const robo_time due = robo__timers_next(&pool.due),
                    patient =
                        pool.patients < PATIENT ? robo__timers_next(&pool.patient) : ROBO_NEVER;
    return due < patient ? due : patient;
}

static struct robo__timer *take(robo_time now)
{
    struct robo__timer *timer = robo__timers_take(&pool.due, now);
    return timer || pool.patients == PATIENT ? timer : robo__timers_take(&pool.patient, now);
}

/* Sees to it that a worker takes the next job when it is due. */
static void watch(void)
{
    pthread_t thread;
    if (next_due() >= pool.watched)
        return;
    if (pool.idle > 0) {
        pthread_cond_signal(&pool.some);
    } else if (pool.count < MOST && robo__thread_create(&thread, work, NULL) == 0) {
        pthread_detach(thread);
        pool.started = robo__time_monotonic();
        pool.count++;
        pool.idle++;
    }
}

static void arm(struct robo__workers_job *job, robo_time due)
{
    if (due != ROBO_NEVER && (job->timer.place == ROBO__TIMER_IDLE || due < job->timer.due))
        robo__timer_start(timers_of(job), &job->timer, due);
}

/* The job may be gone once it has run, unless it is to run again. */
static void run(struct worker *w, struct robo__workers_job *job)
{
    const bool patient = job->patient;
    *w = (struct worker){ .job = job, .again = ROBO_NEVER, .next = w->next };
    pool.patients += patient;
    pthread_mutex_unlock(&pool.lock);
    pthread_setname_np(pthread_self(), job->name);
    const robo_time again = job->run(job);
    pthread_setname_np(pthread_self(), "worker");
    pthread_mutex_lock(&pool.lock);
    pool.patients -= patient;
    w->job = NULL;
    if (!w->last)
        arm(job, again < w->again ? again : w->again);
    pthread_cond_broadcast(&pool.over);
}

/* Until the next job is due, or one worker is to end, unless another one waits for that. */
static void wait_for_job(void)
{
    robo_time due = next_due();
    if (pool.idle > KEPT && due > pool.started + LINGER)
        due = pool.started + LINGER;
    if (due >= pool.watched) {
        pthread_cond_wait(&pool.some, &pool.lock);
        return;
    }
    const struct timespec at = robo__timespec(due);
    pool.watched = due;
    pthread_cond_clockwait(&pool.some, &pool.lock, CLOCK_MONOTONIC, &at);
    if (pool.watched == due)
        pool.watched = ROBO_NEVER;
}

static void *work(void *arg)
{
    struct worker self = { .job = NULL };
    (void)arg;
    pthread_setname_np(pthread_self(), "worker");
    lock();
    self.next = pool.workers;
    pool.workers = &self;
    while (true) {
        const robo_time now = robo__time_monotonic();
        struct robo__timer *timer = take(now);
        if (timer) {
            struct robo__workers_job *job =
                robo__container_of(timer, struct robo__workers_job, timer);
            pool.idle--;
            if (!job->brief)
                watch();
            run(&self, job);
            pool.idle++;
        } else if (pool.idle > KEPT && now >= pool.started + LINGER) {
            break;
        } else {
            wait_for_job();
        }
    }
    struct worker **at = &pool.workers;
    while (*at != &self)
        at = &(*at)->next;
    *at = self.next;
    pool.count--;
    pool.idle--;
    watch(); /* it may have been woken for that */
    if (pool.idle > KEPT)
        pthread_cond_signal(&pool.some);
    pthread_mutex_unlock(&pool.lock);
    return NULL;
}

/* The worker that runs it, or NULL. */
static struct worker *find(const struct robo__workers_job *job)
{
    struct worker *w = pool.workers;
    while (w && w->job != job)
        w = w->next;
    return w;
}

int robo__workers_run(struct robo__workers_job *job, robo_time due)
{
    int error = 0;
    lock();
    struct worker *w = find(job);
    if (w) {
        w->again = due < w->again ? due : w->again;
    } else {
        arm(job, due);
        watch();
        error = pool.count > 0 ? 0 : ROBO_ESYSTEM;
        if (error)
            robo__timer_stop(timers_of(job), &job->timer);
    }
    pthread_mutex_unlock(&pool.lock);
    return error;
}

void robo__workers_end(struct robo__workers_job *job)
{
    struct worker *w;
    lock();
    robo__timer_stop(timers_of(job), &job->timer);
    while ((w = find(job)) != NULL) {
        w->last = true;
        pthread_cond_wait(&pool.over, &pool.lock);
    }
    pthread_mutex_unlock(&pool.lock);
}
