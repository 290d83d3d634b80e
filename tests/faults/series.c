/* Many runs, in processes of their own: what crashes or does not end is a finding like others. The processes write what
 * they found into memory that they share with their parent; each takes every n-th seed. */
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdbool.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/sized.h"
#include "faults.h"

enum { JOBS = 64 };

/* One process's part of the shared memory. */
struct job {
    pid_t pid;               /* the parent's: 0: it has ended */
    _Atomic uint64_t at;     /* the run under way: 0 is the first of the series */
    _Atomic uint64_t rounds; /* runs that this job has done */
    struct robo_test_tally tally;
    struct robo_test_report report;
    uint64_t seen; /* the parent's: rounds, and when they changed */
    double seen_at;
};

static double real_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Adds a run to a tally. */
static void count(struct robo_test_tally *t, const struct robo_test_report *r)
{
    t->runs++;
    t->digest += r->digest;
    t->commands += r->commands;
    t->begun += r->begun;
    t->answered += r->answered;
    t->panics += r->panics;
    t->stops += r->stops;
    t->mishaps += r->mishaps;
    t->links += r->links;
    t->seconds += r->seconds;
    if (r->broken && (t->found[r->broken]++ == 0 || r->seed < t->first[r->broken].seed))
        t->first[r->broken] = *r;
}

static void add(struct robo_test_tally *to, const struct robo_test_tally *t)
{
    to->runs += t->runs;
    to->digest += t->digest;
    to->commands += t->commands;
    to->begun += t->begun;
    to->answered += t->answered;
    to->panics += t->panics;
    to->stops += t->stops;
    to->mishaps += t->mishaps;
    to->links += t->links;
    to->seconds += t->seconds;
    for (int i = 0; i < ROBO__INVARIANTS; i++) {
        if (t->found[i] && (to->found[i] == 0 || t->first[i].seed < to->first[i].seed))
            to->first[i] = t->first[i];
        to->found[i] += t->found[i];
    }
}

/* No run behind this one is begun. Those before it still count: the first finding is the same with any number of jobs. */
static void stop_behind(_Atomic uint64_t *stop_at, uint64_t at)
{
    uint64_t old = atomic_load(stop_at);
    while (at < old && !atomic_compare_exchange_weak(stop_at, &old, at))
        ;
}

/* The child's life: every n-th run from its own first one on. */
static void work(const struct robo_test_plan *plan, const struct robo_test_series *series,
                 struct job *job, _Atomic uint64_t *stop_at)
{
    struct robo__run *run = robo__run_open(plan);
    struct robo__growth growth = { 0 };
    if (!run)
        _exit(70);
    /* worlds come and go: their memory stays */
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    mallopt(M_TOP_PAD, 16 << 20);
    for (uint64_t at; (at = atomic_load(&job->at)) < atomic_load(stop_at);
         atomic_store(&job->at, at + series->jobs)) {
        robo__run_perform(run, series->first + at, NULL, &job->report);
        if (!job->report.broken)
            robo__growth_note(&growth, mallinfo2().uordblks, &job->report);
        count(&job->tally, &job->report);
        if (job->report.broken && !series->all)
            stop_behind(stop_at, at);
        atomic_fetch_add(&job->rounds, 1);
    }
    robo__run_close(run);
    _exit(0);
}

static int start(const struct robo_test_plan *plan, const struct robo_test_series *series,
                 struct job *job, _Atomic uint64_t *stop_at)
{
    pid_t pid = fork();
    if (pid < 0)
        return ROBO_ESYSTEM;
    if (pid == 0) {
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        work(plan, series, job, stop_at);
    }
    job->pid = pid; /* the child sees this memory too: it writes nothing here */
    job->seen_at = real_time();
    return 0;
}

/* The run under way is a finding; another process goes on behind it. */
static int give_up(const struct robo_test_plan *plan, const struct robo_test_series *series,
                   struct job *job, enum robo__invariant broken, const char *why,
                   _Atomic uint64_t *stop_at)
{
    uint64_t at = atomic_load(&job->at);
    struct robo_test_report report = { .seed = series->first + at, .broken = broken };
    strncpy(report.text, why, sizeof report.text - 1);
    count(&job->tally, &report);
    atomic_store(&job->at, at + series->jobs);
    if (!series->all)
        stop_behind(stop_at, at);
    if (at + series->jobs >= atomic_load(stop_at))
        return 0;
    return start(plan, series, job, stop_at);
}

/* Looks after one job; 0 or an error. */
static int watch(const struct robo_test_plan *plan, const struct robo_test_series *series,
                 struct job *job, _Atomic uint64_t *stop_at)
{
    int status;
    pid_t ended = waitpid(job->pid, &status, WNOHANG);
    if (ended == 0) {
        uint64_t rounds = atomic_load(&job->rounds);
        double now = real_time();
        if (rounds != job->seen) {
            job->seen = rounds;
            job->seen_at = now;
        } else if (now - job->seen_at > series->patience) {
            kill(job->pid, SIGKILL);
            waitpid(job->pid, &status, 0);
            job->pid = 0;
            return give_up(plan, series, job, ROBO__ENDLESS, "it does not end", stop_at);
        }
        return 0;
    }
    job->pid = 0;
    if (ended < 0)
        return ROBO_ESYSTEM;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    return give_up(plan, series, job, ROBO__CRASHED,
                   WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "it exits", stop_at);
}

static void sum(const struct robo_test_series *series, const struct job *jobs, uint64_t stop_at,
                double began, struct robo_test_tally *tally)
{
    memset(tally, 0, sizeof *tally);
    tally->elapsed = real_time() - began;
    uint64_t next = UINT64_MAX;
    for (unsigned i = 0; i < series->jobs; i++) {
        add(tally, &jobs[i].tally);
        uint64_t at = atomic_load(&jobs[i].at);
        next = at < next ? at : next;
    }
    tally->next = series->first + (stop_at < series->runs ? stop_at + 1
                                   : next < series->runs  ? next
                                                          : series->runs);
}

int robo_test_run_series(const struct robo_test_plan *from, const struct robo_test_series *wanted,
                         struct robo_test_tally *tally)
{
    struct robo_test_plan plan;
    struct robo_test_series series;
    if (robo__plan_take(&plan, from) < 0 || robo__sized_take(&series, sizeof series, wanted) < 0 ||
        series.jobs == 0 || series.jobs > JOBS)
        return ROBO_EINVAL;
    if (series.patience == 0)
        series.patience = 60;
    struct {
        _Atomic uint64_t stop_at;
        struct job job[JOBS];
    } *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return ROBO_ENOMEM;
    atomic_store(&shared->stop_at, series.runs);
    int error = 0, goes_on = 1;
    double began = real_time();
    for (unsigned i = 0; i < series.jobs && error == 0; i++) {
        atomic_store(&shared->job[i].at, i);
        error = start(&plan, &series, &shared->job[i], &shared->stop_at);
    }
    for (bool any = true; any && error == 0 && goes_on;) {
        any = false;
        usleep(20000);
        for (unsigned i = 0; i < series.jobs && error == 0; i++) {
            if (shared->job[i].pid > 0)
                error = watch(&plan, &series, &shared->job[i], &shared->stop_at);
            any |= shared->job[i].pid > 0;
        }
        sum(&series, shared->job, atomic_load(&shared->stop_at), began, tally);
        if (series.progress)
            goes_on = series.progress(series.owner, tally);
    }
    for (unsigned i = 0; i < series.jobs; i++) {
        if (shared->job[i].pid <= 0)
            continue;
        kill(shared->job[i].pid, SIGKILL);
        waitpid(shared->job[i].pid, NULL, 0);
    }
    sum(&series, shared->job, atomic_load(&shared->stop_at), began, tally);
    munmap(shared, sizeof *shared);
    return error;
}
