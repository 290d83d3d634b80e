/* A recorder: what it costs a direct command's round trip, with 10,000 messages a second and four cameras; its processor time, beside a bare
 * writer of the same bytes; its memory in an hour. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../base_robot.h"
#include "../ids.h"
#include "bench.h"
#include "camera/test_card.h"
#include "drivers.h"
#include "robot/client.h"
#include "robotalk/description.h"
#include "robotalk/mcap.h"
#include "robotalk/record.h"

enum {
    BLOCKS = 15,
    ROUNDS = 1000,
    CAMERAS = 4,
    SPANS = 15,
    SPAN = 10,
    COMMANDS = 3333,
    EARLY = 360,
    HOUR = 3600
};
static const robo_time SECOND = 1000000000;

static char path[64];

static robo_recording *record(robo_world *world, double images)
{
    const struct robo_record_options options = { .size = sizeof options, .images = images };
    int error;
    char why[256];
    snprintf(path, sizeof path, "/tmp/robotalk-bench-%d.mcap", (int)getpid());
    unlink(path);
    robo_recording *recording = robo_record_open(world, path, &options, &error, why);
    uint64_t cursor = 0;
    for (robo_robot *robot; recording && (robot = robo_next_robot(world, &cursor)) != NULL;) {
        robo_record_robot(recording, robot);
        robo_release(robot);
    }
    return recording;
}

/* ---- the round trip ---- */

static bool add_cameras(struct fixture *f)
{
    static struct robo_camera camera[CAMERAS];
    struct robo_description d = base_robot("eyes", "pattern");
    for (int i = 0; i < CAMERAS; i++) {
        camera[i] = (struct robo_camera){ .width = 640, .height = 480, .rate = 30 };
        snprintf(camera[i].name, sizeof camera[i].name, "camera%d", i);
    }
    d.device[0].base = 0;
    d.cameras = CAMERAS;
    d.camera = camera;
    return robo_add_driver(f->world, &robo_pattern_driver) == 0 &&
           robo_add(f->world, &d, NULL) == 0;
}

/* Three messages for each command: so many commands a second. */
static void paced_rounds(robo_client *c, uint32_t session, struct samples *s)
{
    robo_time next = now_ns();
    for (int i = 0; i < ROUNDS; i++, next += SECOND / COMMANDS) {
        while (now_ns() < next)
            ;
        direct_rounds(c, session, s, 1);
    }
}

static void measure_trips(reporter *report)
{
    struct fixture f;
    struct trial t = { 0 };
    struct robo_record_counts counts;
    uint32_t session;
    char why[256];
    fixture_open(&f, 0, false);
    bool good = add_cameras(&f);
    pin(1);
    robo_client *c = fixture_client(&f, &session);
    direct_rounds(c, session, &t.ours, ROUNDS);
    t.ours.count = 0; /* warm now */
    for (int i = 0; i < BLOCKS && good; i++) {
        for (int k = 0; k < 2; k++) {
            const bool with = (i + k) % 2;
            robo_recording *recording = with ? record(f.world, 30) : NULL;
            usleep(100000);
            paced_rounds(c, session, with ? &t.ours : &t.limit);
            if (!recording)
                continue;
            robo_record_counts(recording, &counts);
            t.lost += (long)counts.lost;
            good &= robo_record_close(recording, why) == 0;
        }
        trial_block(&t);
    }
    pin(-1);
    struct row row = { .name = "record",
                       .what = "round trip, 10,000 messages/s and 4 cameras; not recorded",
                       .unit = "us",
                       .goal = 1.1,
                       .of = "p50" };
    trial_report(&t, &row, report);
    trial_free(&t);
    robo_disconnect(c);
    fixture_close(&f);
    unlink(path);
}

/* ---- processor time ---- */

static double spent(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static robo_world *virtual_world(struct robo__session **session)
{
    static const struct robo__session_request direct;
    char text[128];
    robo_world *world = robo_open(
        &(struct robo_options){ .size = sizeof(struct robo_options), .virtual_clock = 1 });
    struct robo_description d = base_robot("robot", "sim");
    robo_robot *robot = NULL;
    if (robo_add_driver(world, &robo_sim_driver) == 0 && robo_add(world, &d, &robot) == 0)
        robo__session_open(robot, NULL, &direct, NULL, NULL, 0, session, text);
    robo_release(robot);
    return world;
}

/* Commands of so many seconds. */
static void command(robo_world *world, struct robo__session *s, int seconds)
{
    struct robo_result result;
    const robo_time begin = robo_now(world);
    for (uint32_t i = 1; i <= (uint32_t)(seconds * COMMANDS); i++) {
        struct robo_cmd cmd = { .op = ROBO_SET_SPEED,
                                .id = i,
                                .start = ROBO_AT_ONCE,
                                .body.set_speed.x = 0.1 + 1e-3 * (i % 100) };
        const robo_time now = begin + i * (SECOND / COMMANDS);
        robo_advance(world, now);
        robo__session_heard(s, i, now - 1000, now);
        robo__session_commands(s, &cmd, 1, (struct robo__known){ 0 }, now - 1000, now);
        while (robo__session_results(s, &result, 1) == 1)
            ;
    }
}

/* s of processor for a span. */
static double measure_span(bool recorded, long *lost)
{
    struct robo__session *s = NULL;
    struct robo_record_counts counts;
    char why[256];
    robo_world *world = virtual_world(&s);
    const double before = spent();
    robo_recording *recording = recorded ? record(world, 0) : NULL;
    command(world, s, SPAN);
    if (recording) {
        robo_record_counts(recording, &counts);
        *lost += (long)counts.lost;
        robo_record_close(recording, why);
    }
    const double took = spent() - before;
    robo__session_close(s);
    robo_close(world);
    return took;
}

/* Writes the records of the file at `path` once more: s of processor, without the reading. */
static double write_again(void)
{
    char copy[80], why[256];
    robo_mcap_reader *reader = robo_mcap_open(path, NULL, why);
    struct robo_mcap_record r;
    enum { ROOM = 1 << 18 };
    size_t n = 0;
    struct robo_mcap_record *all = malloc(ROOM * sizeof *all);
    while (reader && n < ROOM && robo_mcap_next(reader, &r, why) == 1) {
        if (r.kind != ROBO_MCAP_SCHEMA && r.kind != ROBO_MCAP_CHANNEL &&
            r.kind != ROBO_MCAP_MESSAGE)
            continue;
        struct robo_mcap_bytes *part[] = { &r.name, &r.encoding, &r.data, &r.map };
        for (int i = 0; i < 4; i++)
            part[i]->at = memcpy(malloc(part[i]->size + 1), part[i]->at, part[i]->size);
        all[n++] = r;
    }
    robo_mcap_close(reader);
    snprintf(copy, sizeof copy, "%s.copy", path);
    unlink(copy);
    const double before = spent();
    robo_mcap_writer *w = robo_mcap_create(copy, NULL, NULL, why);
    for (size_t i = 0; i < n; i++)
        robo_mcap_write(w, &all[i], why);
    robo_mcap_finish(w, why);
    const double took = spent() - before;
    for (size_t i = 0; i < n; i++) {
        free((void *)all[i].name.at);
        free((void *)all[i].encoding.at);
        free((void *)all[i].data.at);
        free((void *)all[i].map.at);
    }
    free(all);
    unlink(copy);
    return took;
}

static void measure_processor(reporter *report)
{
    struct trial t = { 0 };
    for (int i = 0; i < SPANS; i++) {
        const double without = measure_span(false, &t.lost), with = measure_span(true, &t.lost);
        samples_add(&t.ours, 1e2 * (with - without) / SPAN);
        samples_add(&t.limit, 1e2 * write_again() / SPAN);
        trial_block(&t);
    }
    struct row row = { .name = "record",
                       .what = "share of a core, 10,000 messages/s; a bare writer of these",
                       .unit = "%",
                       .goal = 1.3,
                       .of = "p50" };
    trial_report(&t, &row, report);
    trial_free(&t);
}

/* ---- memory ---- */

/* MiB of the process. */
static double in_use(void)
{
    long pages[2] = { 0 };
    FILE *file = fopen("/proc/self/statm", "r");
    const int n = file ? fscanf(file, "%ld %ld", &pages[0], &pages[1]) : 0;
    if (file)
        fclose(file);
    return n == 2 ? (double)pages[1] * (double)sysconf(_SC_PAGESIZE) / (1 << 20) : 0;
}

static void measure_memory(reporter *report)
{
    struct samples hour = { 0 }, early = { 0 };
    struct robo__session *s = NULL;
    char why[256];
    robo_world *world = virtual_world(&s);
    robo_recording *recording = record(world, 0);
    robo_advance(world, EARLY * SECOND);
    samples_add(&early, in_use());
    robo_advance(world, HOUR * SECOND);
    samples_add(&hour, in_use());
    robo_record_close(recording, why);
    robo__session_close(s);
    robo_close(world);
    unlink(path);
    struct row row = { .name = "record",
                       .what = "memory after an hour; after 6 minutes",
                       .unit = "MiB",
                       .goal = 1.1,
                       .of = "p50" };
    row_report(&row, report, &hour, &early);
}

void bench_record(reporter *report)
{
    measure_trips(report);
    measure_processor(report);
    measure_memory(report);
}
