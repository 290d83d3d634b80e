/* The round trip of one client among 10,000 that have a session of its robot, of whom one in ten asks for the state ten times a second,
 * beside one that is alone; and the memory of each of them, greeted and with a session. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"
#include "robotalk/wire.h"

/* SPARE: descriptors that others need. */
enum { MOST = 10000, SPARE = 200, BLOCKS = 9, ROUNDS = 500 };

struct crowd {
    int *fd;
    int count;
    const uint8_t *ask;
    size_t ask_n;
    atomic_bool stop;
    atomic_long asked, heard;
};

static void *ask_again(void *arg)
{
    struct crowd *crowd = arg;
    uint8_t in[4096];
    while (!atomic_load(&crowd->stop)) {
        for (int i = 0; i < crowd->count && !atomic_load(&crowd->stop); i += 10) {
            if (recv(crowd->fd[i], in, sizeof in, MSG_DONTWAIT) > 0)
                atomic_fetch_add(&crowd->heard, 1);
            atomic_fetch_add(&crowd->asked, 1);
            send(crowd->fd[i], crowd->ask, crowd->ask_n, MSG_NOSIGNAL | MSG_DONTWAIT);
            if (i % 500 == 0)
                usleep(4000);
        }
    }
    return NULL;
}

static long resident_kib(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f) {
        if (fscanf(f, "%*d %ld", &pages) != 1)
            pages = 0;
        fclose(f);
    }
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Sends all of them the same package and waits for the answer of each: KiB that each has cost. */
static double say(const struct crowd *crowd, const uint8_t *package, size_t n)
{
    const long before = resident_kib();
    for (int i = 0; i < crowd->count; i++) {
        uint8_t in[1024];
        send(crowd->fd[i], package, n, MSG_NOSIGNAL);
        recv(crowd->fd[i], in, sizeof in, 0);
    }
    return (double)(resident_kib() - before) / crowd->count;
}

static void report_memory(const char *what, double each, reporter *report)
{
    struct row row = {
        .name = "crowd", .what = what, .unit = "KiB", .of = "mean", .ratio = each, .goal = 16
    };
    for (int i = 0; i < 3; i++)
        row.ours[i] = each, row.limit[i] = 16;
    report(&row);
}

void bench_crowd(reporter *report)
{
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    /* both ends are here */
    int count = files.rlim_cur / 2 < MOST + SPARE ? (int)(files.rlim_cur / 2) - SPARE : MOST;
    struct fixture alone, among;
    struct trial t = { 0 };
    uint32_t session[2];
    uint8_t hello[256], open[256], ask[128];
    struct robo_package p;
    struct robo_header header = { .type = ROBO_TYPE_QUERY, .id = 1, .stamp = ROBO_NO_TIME };
    robo_package_begin(&p, hello, sizeof hello);
    add_hello(&p);
    size_t hello_n = (size_t)robo_package_end(&p, &header);
    const struct robo_request_sync sync = { 0 };
    robo_package_begin(&p, open, sizeof open);
    robo_package_add(&p, ROBO_Q_OPEN, 2, NULL, NULL,
                     robo_operation_find(robo__queries, ROBO_Q_OPEN)->request,
                     &(struct robo_request_open){ .delay = 0 });
    header.id = 2;
    const size_t open_n = (size_t)robo_package_end(&p, &header);
    robo_package_begin(&p, ask, sizeof ask);
    robo_package_add(&p, ROBO_Q_SYNC, 3, NULL, NULL,
                     robo_operation_find(robo__queries, ROBO_Q_SYNC)->request, &sync);
    header.id = 3;
    struct crowd crowd = { .fd = calloc((size_t)count, sizeof(int)), .ask = ask };
    crowd.ask_n = (size_t)robo_package_end(&p, &header);
    if (!crowd.fd)
        abort();

    fixture_open(&among, 0, false);
    robo_client *c = fixture_client(&among, &session[0]);
    long before = resident_kib();
    while (crowd.count < count)
        crowd.fd[crowd.count++] = connect_to(among.port);
    double each = (double)(resident_kib() - before) / count + say(&crowd, hello, hello_n);
    const double session_each = each + say(&crowd, open, open_n);
    fixture_open(&alone, 0, false);
    robo_client *d = fixture_client(&alone, &session[1]);
    pthread_t thread;
    pthread_create(&thread, NULL, ask_again, &crowd);
    direct_rounds(c, session[0], &t.ours, ROUNDS);
    direct_rounds(d, session[1], &t.limit, ROUNDS);
    t.ours.count = t.limit.count = 0; /* warm now */
    for (int i = 0; i < BLOCKS; i++) {
        direct_rounds(c, session[0], &t.ours, ROUNDS);
        direct_rounds(d, session[1], &t.limit, ROUNDS);
        trial_block(&t);
    }
    atomic_store(&crowd.stop, true);
    pthread_join(thread, NULL);

    char what[64];
    snprintf(what, sizeof what, "round trip among %d clients; alone", count + 1);
    struct row row = { .name = "crowd", .what = what, .unit = "us", .goal = 1.5, .of = "p50" };
    trial_report(&t, &row, report);
    report_memory("memory of a client that has greeted", each, report);
    report_memory("memory of a client with a session", session_each, report);
    trial_free(&t);
    for (int i = 0; i < crowd.count; i++)
        close(crowd.fd[i]);
    free(crowd.fd);
    robo_disconnect(c);
    robo_disconnect(d);
    fixture_close(&alone);
    fixture_close(&among);
}
