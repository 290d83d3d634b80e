/* The round trip of a direct command to a robot with weight in the living room, in real time, while its camera streams to a viewer,
 * beside the same robot by the simple simulator without a world and without a viewer. While the one server is measured, the other is
 * stopped. Client and server's loop have a core each, or one; what the physics, the pictures, their encoder and the viewer compute
 * runs where it likes, there too. */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "bench.h"

enum { BLOCKS = 15, TRIPS = 50, APART = 2000 /* us */ };
static const robo_time SPAN = 250000000, PATIENCE = 20000000000; /* ns */

struct viewer {
    int fd;
    pthread_t thread;
    atomic_long pictures;
};

/* Counts the heads of parts of the stream, of which a piece may begin in one read and end in the next. */
static void *watch(void *arg)
{
    static const char mark[] = "X-Timestamp:";
    struct viewer *v = arg;
    char bytes[65536];
    size_t same = 0;
    ssize_t n;
    while ((n = recv(v->fd, bytes, sizeof bytes, 0)) > 0)
        for (ssize_t i = 0; i < n; i++) {
            same = bytes[i] == mark[same] ? same + 1 : bytes[i] == mark[0];
            if (mark[same])
                continue;
            same = 0;
            atomic_fetch_add(&v->pictures, 1);
        }
    return NULL;
}

static bool view(struct viewer *v, const struct served *s)
{
    static const char get[] = "GET /pioneer2/camera/camera HTTP/1.1\r\nHost: localhost\r\n\r\n";
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    snprintf(at.sun_path, sizeof at.sun_path, "%s/pages", s->folder);
    v->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (v->fd >= 0 && connect(v->fd, (struct sockaddr *)&at, sizeof at) == 0 &&
        send(v->fd, get, sizeof get - 1, MSG_NOSIGNAL) == (ssize_t)sizeof get - 1 &&
        pthread_create(&v->thread, NULL, watch, v) == 0)
        return true;
    close(v->fd);
    v->fd = -1;
    return false;
}

static void look_away(struct viewer *v)
{
    if (v->fd < 0)
        return;
    shutdown(v->fd, SHUT_RDWR);
    pthread_join(v->thread, NULL);
    close(v->fd);
}

static bool serve_world(struct served *s, struct viewer *v)
{
    char commands[64], pages[64];
    if (!served_folder(s))
        return false;
    snprintf(commands, sizeof commands, "unix:%s/socket", s->folder);
    snprintf(pages, sizeof pages, "rctp+unix:%s/pages", s->folder);
    return served_start(s, (char *const[]){ "robotalk", "serve", "pioneer2", "--physics", "--world",
                                            "living_room", "--listen", commands, "--listen", pages,
                                            NULL }) &&
           view(v, s);
}

static bool serve_alone(struct served *s)
{
    char commands[64];
    if (!served_folder(s))
        return false;
    snprintf(commands, sizeof commands, "unix:%s/socket", s->folder);
    return served_start(
        s, (char *const[]){ "robotalk", "serve", "pioneer2", "--listen", commands, NULL });
}

/* Round trips, flat out or with a pause after each. */
static void measure(const struct served *s, struct samples *samples, useconds_t pause)
{
    served_continue(s);
    usleep(50000); /* what was due while it was stopped is over */
    for (const robo_time end = now_ns() + SPAN; now_ns() < end;) {
        direct_rounds(s->client, s->session, samples, pause > 0 ? 1 : TRIPS);
        if (pause > 0)
            usleep(pause);
    }
    served_pause(s);
}

/* How often a thread has waited until now. */
static long waits_of(pid_t program, pid_t thread)
{
    char path[64], line[128];
    long waits = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/status", (int)program, (int)thread);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        sscanf(line, "voluntary_ctxt_switches: %ld", &waits);
    if (f)
        fclose(f);
    return waits;
}

/* The thread of a server that talks with its clients: while commands go there and back, none waits as often. */
static pid_t loop_of(const struct served *s)
{
    pid_t thread[64], loop = 0;
    long before[64], most = 0;
    size_t count = 0;
    char path[64];
    struct samples warm = { 0 };
    snprintf(path, sizeof path, "/proc/%d/task", (int)s->program);
    DIR *tasks = opendir(path);
    for (struct dirent *e; tasks && count < 64 && (e = readdir(tasks));)
        if (e->d_name[0] != '.')
            thread[count++] = (pid_t)strtol(e->d_name, NULL, 10);
    if (tasks)
        closedir(tasks);
    for (size_t i = 0; i < count; i++)
        before[i] = waits_of(s->program, thread[i]);
    measure(s, &warm, 0);
    samples_free(&warm);
    for (size_t i = 0; i < count; i++) {
        const long waits = waits_of(s->program, thread[i]) - before[i];
        loop = waits > most ? thread[i] : loop;
        most = waits > most ? waits : most;
    }
    return loop;
}

static void pin_loop(pid_t loop, int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    sched_setaffinity(loop, sizeof set, &set);
}

/* Until pictures come: the first takes long. */
static bool has_begun(struct viewer *v)
{
    for (const robo_time end = now_ns() + PATIENCE; now_ns() < end; usleep(10000))
        if (atomic_load(&v->pictures) > 1)
            return true;
    return false;
}

struct pair {
    struct served with, without;
    struct viewer viewer;
    pid_t loop[2];
    struct trial pictures;
};

static void in_turns(struct pair *p, const char *what, int cpu, useconds_t pause, reporter *report)
{
    struct trial round = { 0 };
    struct row row = { .name = "world", .what = what, .unit = "us", .goal = 1.2, .of = "p50" };
    pin(0);
    pin_loop(p->loop[0], cpu);
    pin_loop(p->loop[1], cpu);
    for (int i = 0; i < BLOCKS; i++) {
        const long before = atomic_load(&p->viewer.pictures);
        const robo_time begin = now_ns();
        measure(&p->with, &round.ours, pause);
        const double came = (double)(atomic_load(&p->viewer.pictures) - before);
        samples_add(&p->pictures.ours, came * 1e9 / (double)(now_ns() - begin));
        samples_add(&p->pictures.limit, 25); /* what the camera's descriptor says */
        measure(&p->without, &round.limit, pause);
        trial_block(&round);
        trial_block(&p->pictures);
    }
    trial_report(&round, &row, report);
    trial_free(&round);
    pin(-1);
}

static void all_ways(struct pair *p, reporter *report)
{
    struct row pictures = { .name = "world",
                            .what = "pictures that were streamed meanwhile",
                            .unit = "/s",
                            .goal = 0.5,
                            .of = "p50",
                            .more_is_better = true };
    served_pause(&p->with);
    p->loop[1] = loop_of(&p->without);
    p->loop[0] = loop_of(&p->with);
    in_turns(p, "command in a world, camera streams; one core", 0, 0, report);
    in_turns(p, "the same, on two cores", 1, 0, report);
    in_turns(p, "the same, on one core, 2 ms apart", 0, APART, report);
    trial_report(&p->pictures, &pictures, report);
    trial_free(&p->pictures);
}

void bench_world(reporter *report)
{
    struct pair p = { .viewer.fd = -1 };
    const char *why = NULL;
    if (!serve_world(&p.with, &p.viewer) || !serve_alone(&p.without))
        why = "a server cannot be started";
    else if (!has_begun(&p.viewer))
        why = "the camera gives no picture";
    if (why)
        fprintf(stderr, "robotalk-bench: world: %s\n", why);
    else
        all_ways(&p, report);
    look_away(&p.viewer);
    served_end(&p.with);
    served_end(&p.without);
}
