/* How late queued frames begin, at 1 kHz, beside absolute clock_nanosleep wake-ups under the same load. */
#include <pthread.h>
#include <time.h>

#include "base/thread.h"
#include "bench.h"
#include "../ids.h"

enum { FRAMES = 1000, BATCH = 250, BLOCKS = 7 };
static const robo_time PERIOD = 1000000;

/* How many frames have not run. */
static long ours(robo_client *c, uint32_t session, struct samples *s)
{
    long lost = 0;
    struct robo_cmd cmds[BATCH];
    robo_time begin = now_ns() + 100000000;
    int64_t first = 0;
    for (int i = 0; i < FRAMES; i += BATCH) {
        for (int k = 0; k < BATCH; k++)
            cmds[k] = (struct robo_cmd){ .op = ROBO_SET_SPEED, .start = begin + (i + k) * PERIOD };
        int64_t id = robo_send(c, session, cmds, BATCH);
        first = first ? first : id;
    }
    for (int64_t id = first; id < first + FRAMES; id++) {
        struct robo_result r;
        if (robo_wait(c, (uint32_t)id, 5000000000) == 0 &&
            robo_take(c, (uint32_t)id, &r, sizeof r) == 1 && r.executed)
            samples_add(s, (double)(r.executed - r.scheduled) / 1e3);
        else
            lost++;
        struct robo_event event;
        while (robo_next_event(c, &event, sizeof event))
            ;
    }
    return lost;
}

void *sleeper(void *arg)
{
    const struct sleeper *sleeper = arg;
    robo__thread_hurry();
    for (int i = 0; i < sleeper->count; i++) {
        robo_time at = sleeper->begin + i * sleeper->period;
        struct timespec t = { .tv_sec = at / 1000000000, .tv_nsec = at % 1000000000 };
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
        samples_add(sleeper->samples, (double)(now_ns() - at) / 1e3);
    }
    return NULL;
}

void sleep_late(robo_time period, int count, struct samples *samples)
{
    pthread_t thread;
    struct sleeper sleeps = {
        .begin = now_ns() + 10000000, .period = period, .count = count, .samples = samples
    };
    pthread_create(&thread, NULL, sleeper, &sleeps);
    pthread_join(thread, NULL);
}

static atomic_bool busy;
static pthread_t computing[2];

static void *compute(void *arg)
{
    (void)arg;
    volatile double x = 1;
    while (atomic_load(&busy))
        for (int i = 0; i < 1000; i++)
            x = x * 1.0000001;
    return NULL;
}

void load_start(void)
{
    atomic_store(&busy, true);
    for (int i = 0; i < 2; i++)
        pthread_create(&computing[i], NULL, compute, NULL);
}

void load_stop(void)
{
    atomic_store(&busy, false);
    for (int i = 0; i < 2; i++)
        pthread_join(computing[i], NULL);
}

static void measure(reporter *report, const char *what, bool loaded, bool spin, double goal)
{
    struct fixture fixture;
    struct trial t = { 0 };
    uint32_t session;
    fixture_open(&fixture, -1, spin);
    robo_client *c = fixture_client(&fixture, &session);
    static uint8_t nothing[65536];
    struct echo echo;
    struct flood flood = { .connections = 1, .bytes = nothing, .n = sizeof nothing };
    if (loaded) {
        /* computing on every core and a network that is full */
        load_start();
        echo_open(&echo, -1, 64, 64);
        flood.port = echo.port;
        flood_start(&flood);
    }
    for (int i = 0; i < BLOCKS; i++) {
        t.lost += ours(c, session, &t.ours);
        sleep_late(PERIOD, FRAMES, &t.limit);
        trial_block(&t);
    }
    if (loaded) {
        load_stop();
        flood_stop(&flood);
        echo_close(&echo);
    }
    struct row row = { .name = "lateness", .what = what, .unit = "us", .goal = goal };
    if (spin) { /* in us, not beside the limit */
        for (size_t i = 0; i < t.limit.count; i++)
            t.limit.value[i] = 1;
        row.of = "p50";
        trial_report(&t, &row, report);
    } else {
        row.of = "p99";
        trial_report(&t, &row, report);
    }
    robo_disconnect(c);
    fixture_close(&fixture);
    trial_free(&t);
}

void bench_lateness(reporter *report)
{
    measure(report, "lateness of queued frames at 1 kHz, idle", false, false, 1.2);
    measure(report, "the same, processors and network full", true, false, 2);
    measure(report, "the same, idle, spin: p50 in us", false, true, 1);
}
