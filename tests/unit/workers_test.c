/* Jobs, and the threads that run them. */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../test.h"
#include "../patience.h"
#include "base/workers.h"

enum { MS = 1000000, KEPT = 2, BLOCKED = 8 };

struct task {
    struct robo__workers_job job;
    sem_t may; /* it goes on */
    atomic_int begun, over, beside;
    int times; /* it runs so often by itself, each millisecond */
    robo_time at;
};

static robo_time note(struct robo__workers_job *job)
{
    struct task *t = robo__container_of(job, struct task, job);
    t->at = robo__time_monotonic();
    return atomic_fetch_add(&t->over, 1) + 1 < t->times ? t->at + MS : ROBO_NEVER;
}

/* Blocks until it may go on; returns at once when it has to end. */
static robo_time block(struct robo__workers_job *job)
{
    struct task *t = robo__container_of(job, struct task, job);
    assert_int_equal(atomic_fetch_add(&t->beside, 1), 0);
    atomic_fetch_add(&t->begun, 1);
    sem_wait(&t->may);
    atomic_fetch_add(&t->over, 1);
    atomic_fetch_sub(&t->beside, 1);
    return t->times ? 0 : ROBO_NEVER;
}

static void open_task(struct task *t, robo_time (*run)(struct robo__workers_job *))
{
    *t = (struct task){ .job = { .name = "task", .run = run } };
    sem_init(&t->may, 0, 0);
}

/* Threads of this process with that name. */
static int named(const char *name)
{
    int n = 0;
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    for (const struct dirent *e; (e = readdir(tasks)) != NULL;) {
        char path[300], line[20] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", e->d_name);
        FILE *f = fopen(path, "r");
        if (f && fgets(line, sizeof line, f))
            n += strcspn(line, "\n") == strlen(name) && strncmp(line, name, strlen(name)) == 0;
        if (f)
            fclose(f);
    }
    closedir(tasks);
    return n;
}

TEST(jobs_run_when_they_are_due)
{
    struct task late, soon, now;
    open_task(&late, note);
    open_task(&soon, note);
    open_task(&now, note);
    const robo_time start = robo__time_monotonic();
    assert_int_equal(robo__workers_run(&late.job, start + (robo_time)3600000 * MS), 0);
    assert_int_equal(robo__workers_run(&soon.job, start + 20 * MS), 0);
    assert_int_equal(robo__workers_run(&now.job, 0), 0);
    EVENTUALLY(atomic_load(&now.over) == 1 && atomic_load(&soon.over) == 1);
    assert_true(soon.at >= start + 20 * MS);
    assert_int_equal(late.over, 0);
    /* the earlier of two instants, in whatever order */
    assert_int_equal(robo__workers_run(&late.job, 0), 0);
    assert_int_equal(robo__workers_run(&late.job, start + (robo_time)3600000 * MS), 0);
    EVENTUALLY(atomic_load(&late.over) == 1);
    struct task *all[] = { &late, &soon, &now };
    for (int i = 0; i < 3; i++)
        robo__workers_end(&all[i]->job);
    assert_int_equal(late.over + soon.over + now.over, 3);
}

TEST(a_job_runs_again_when_it_says_so)
{
    struct task t;
    open_task(&t, note);
    t.times = 5;
    const robo_time start = robo__time_monotonic();
    assert_int_equal(robo__workers_run(&t.job, 0), 0);
    EVENTUALLY(atomic_load(&t.over) == 5);
    robo__workers_end(&t.job);
    assert_true(t.at >= start + 4 * MS);
    assert_int_equal(t.over, 5);
}

TEST(a_run_that_has_begun_is_followed_by_one_other)
{
    struct task t;
    open_task(&t, block);
    assert_int_equal(robo__workers_run(&t.job, 0), 0);
    EVENTUALLY(atomic_load(&t.begun) == 1);
    for (int i = 0; i < 3; i++)
        assert_int_equal(robo__workers_run(&t.job, 0), 0);
    sem_post(&t.may);
    EVENTUALLY(atomic_load(&t.begun) == 2);
    sem_post(&t.may);
    EVENTUALLY(atomic_load(&t.over) == 2);
    robo__workers_end(&t.job);
    assert_int_equal(t.begun, 2);
}

static void *let_on(void *arg)
{
    struct task *t = arg;
    usleep(20000);
    assert_int_equal(atomic_load(&t->over), 0);
    sem_post(&t->may);
    return NULL;
}

TEST(the_end_waits_for_a_run_and_no_other_follows)
{
    struct task t;
    pthread_t thread;
    open_task(&t, block);
    t.times = 2;
    assert_int_equal(robo__workers_run(&t.job, 0), 0);
    EVENTUALLY(atomic_load(&t.begun) == 1);
    assert_int_equal(robo__workers_run(&t.job, 0), 0);
    assert_int_equal(pthread_create(&thread, NULL, let_on, &t), 0);
    robo__workers_end(&t.job);
    assert_int_equal(t.over, 1);
    pthread_join(thread, NULL);
    /* it may begin anew */
    assert_int_equal(robo__workers_run(&t.job, 0), 0);
    EVENTUALLY(atomic_load(&t.begun) == 2);
    t.times = 0;
    sem_post(&t.may);
    EVENTUALLY(atomic_load(&t.over) == 2);
    robo__workers_end(&t.job);
}

TEST(jobs_that_block_delay_nobody)
{
    struct task blocked[BLOCKED], t;
    for (int i = 0; i < BLOCKED; i++) {
        open_task(&blocked[i], block);
        assert_int_equal(robo__workers_run(&blocked[i].job, 0), 0);
    }
    for (int i = 0; i < BLOCKED; i++)
        EVENTUALLY(atomic_load(&blocked[i].begun) == 1);
    assert_int_equal(named("task"), BLOCKED);
    open_task(&t, note);
    t.times = 5;
    assert_int_equal(robo__workers_run(&t.job, robo__time_monotonic() + MS), 0);
    EVENTUALLY(atomic_load(&t.over) == 5);
    robo__workers_end(&t.job);
    for (int i = 0; i < BLOCKED; i++)
        sem_post(&blocked[i].may);
    for (int i = 0; i < BLOCKED; i++) {
        EVENTUALLY(atomic_load(&blocked[i].over) == 1);
        robo__workers_end(&blocked[i].job);
    }
    EVENTUALLY(named("worker") == KEPT);
}

static int policy;
static sigset_t blocked_signals;

static robo_time note_thread(struct robo__workers_job *job)
{
    policy = sched_getscheduler(0);
    pthread_sigmask(SIG_BLOCK, NULL, &blocked_signals);
    return note(job);
}

TEST(workers_have_no_priority_and_only_signals_of_faults)
{
    struct task blocked[KEPT + 1], t;
    const struct sched_param urgent = { .sched_priority = 1 }, usual = { .sched_priority = 0 };
    (void)pthread_setschedparam(pthread_self(), SCHED_FIFO, &urgent);
    /* so that another one is started, with this priority if that is permitted */
    for (int i = 0; i < KEPT + 1; i++) {
        open_task(&blocked[i], block);
        assert_int_equal(robo__workers_run(&blocked[i].job, 0), 0);
        EVENTUALLY(atomic_load(&blocked[i].begun) == 1);
    }
    open_task(&t, note_thread);
    assert_int_equal(robo__workers_run(&t.job, 0), 0);
    pthread_setschedparam(pthread_self(), SCHED_OTHER, &usual);
    EVENTUALLY(atomic_load(&t.over) == 1);
    robo__workers_end(&t.job);
    assert_int_equal(policy, SCHED_OTHER);
    assert_true(sigismember(&blocked_signals, SIGINT));
    assert_true(sigismember(&blocked_signals, SIGUSR1));
    assert_false(sigismember(&blocked_signals, SIGSEGV));
    assert_false(sigismember(&blocked_signals, SIGABRT));
    for (int i = 0; i < KEPT + 1; i++) {
        sem_post(&blocked[i].may);
        EVENTUALLY(atomic_load(&blocked[i].over) == 1);
        robo__workers_end(&blocked[i].job);
    }
}

TEST(a_forked_process_has_workers_of_its_own)
{
#ifdef __SANITIZE_THREAD__ /* it does not allow that */
    skip();
#endif
    struct task t;
    open_task(&t, note);
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        const int error = robo__workers_run(&t.job, 0);
        while (error == 0 && atomic_load(&t.over) == 0)
            usleep(1000);
        robo__workers_end(&t.job);
        _exit(error == 0 ? 7 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

TEST(patient_jobs_leave_workers_to_others)
{
    enum { MANY = 300, PATIENT = 192 };
    static struct task patient[MANY], other;
    int begun = 0;
    for (int i = 0; i < MANY; i++) {
        open_task(&patient[i], block);
        patient[i].job.patient = true;
        assert_int_equal(robo__workers_run(&patient[i].job, 0), 0);
    }
    open_task(&other, note);
    assert_int_equal(robo__workers_run(&other.job, 0), 0);
    EVENTUALLY(atomic_load(&other.over) == 1);
    for (int i = 0; i < MANY; i++)
        begun += atomic_load(&patient[i].begun);
    assert_true(begun <= PATIENT);
    for (int i = 0; i < MANY; i++)
        sem_post(&patient[i].may);
    for (int i = 0; i < MANY; i++)
        EVENTUALLY(atomic_load(&patient[i].over) == 1);
    for (int i = 0; i < MANY; i++)
        robo__workers_end(&patient[i].job);
    robo__workers_end(&other.job);
}
