/* A camera that takes pictures as fast as they can be encoded, and ten clients that watch it: pictures a second at the client
 * that gets the fewest, beside libjpeg-turbo alone, which encodes the same pictures, and beside libjpeg-turbo while another thread
 * sends what it makes to as many connections. And the processor time that the camera's job takes for each, beside that of
 * libjpeg-turbo alone, which tells of the program, whatever else the cores have to do. The driver writes the pixels of a buffer only once, and then a mark: cameras write
 * theirs by themselves. */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../chain.h"
#include "bench.h"
#include "robot/client.h"
#include "robot/senses/camera.h"
#include "robotalk/description.h"
#include "robotalk/device.h"
#include "../ids.h"

enum {
    CLIENTS = 10,
    WIDTH = 1280,
    HEIGHT = 720,
    SIZE = 3 * WIDTH * HEIGHT,
    QUALITY = 80,
    BLOCKS = 9
};
static const robo_time BLOCK = 400000000;

/* ---- the camera ---- */

struct eye {
    robo_device *device;
    const uint8_t *written[32]; /* buffers that have its pixels */
    unsigned count;
};

static uint8_t pixels[SIZE];
static _Atomic uint64_t taken;

/* Slopes, edges and noise, of which a JPEG takes about a tenth. */
static void draw(void)
{
    uint32_t x = 1;
    for (int y = 0; y < HEIGHT; y++)
        for (int i = 0; i < 3 * WIDTH; i++) {
            x = x * 1664525 + 1013904223;
            const int slope = (i / 3 + y * (1 + i % 3)) / 8, edge = (i / 96 + y / 32) % 2 ? 60 : 0;
            pixels[y * 3 * WIDTH + i] = (uint8_t)((slope + edge + (int)(x >> 28)) & 255);
        }
}

static void mark(uint8_t *at, uint64_t number)
{
    memcpy(at, &number, sizeof number);
}

static int open_eye(void *state, robo_device *device, robo_time now)
{
    (void)now;
    ((struct eye *)state)->device = device;
    return 0;
}

static void start_eye(void *state, const struct robo_cmd *cmd, robo_ticket ticket, robo_time now)
{
    (void)cmd, (void)now;
    robo_done(((struct eye *)state)->device, ticket, ROBO_SUCCESS, ROBO_WHY_NONE);
}

static void read_eye(const void *state, robo_time now, struct robo_state *out)
{
    (void)state, (void)now, (void)out;
}

static void halt_eye(void *state, robo_time now)
{
    (void)state, (void)now;
}

static void close_eye(void *state)
{
    (void)state;
}

static void write_pixels(struct eye *e, uint8_t *bytes)
{
    for (unsigned i = 0; i < e->count; i++)
        if (e->written[i] == bytes)
            return;
    memcpy(bytes, pixels, SIZE);
    if (e->count < sizeof e->written / sizeof *e->written)
        e->written[e->count++] = bytes;
}

static int take(void *state, robo_device *device, unsigned camera, int wanted)
{
    struct eye *e = state;
    struct robo_picture *p = wanted ? robo_picture_open(device, camera, SIZE) : NULL;
    e->count = wanted ? e->count : 0; /* buffers may go */
    if (!p)
        return 0;
    write_pixels(e, p->bytes);
    mark(p->bytes, p->number);
    p->format = ROBO_RGB;
    p->size = SIZE;
    atomic_fetch_add(&taken, 1);
    return robo_pictured(p, ROBO_NO_TIME);
}

static const robo_driver driver = { .size = sizeof(robo_driver),
                                    .name = "eye",
                                    .state_size = sizeof(struct eye),
                                    .open = open_eye,
                                    .start = start_eye,
                                    .read = read_eye,
                                    .halt = halt_eye,
                                    .close = close_eye,
                                    .picture = take };

bool eye_add(struct fixture *f, robo_robot **robot)
{
    static struct robo_description d;
    static struct robo_camera camera = {
        .name = "eye", .width = WIDTH, .height = HEIGHT, .rate = 1000
    };
    draw();
    make_flat_arm(&d, 1, ROBO_SERVO_SETPOINT, "eye");
    strcpy(d.name, "eye");
    d.cameras = 1;
    d.camera = &camera;
    return robo_add_driver(f->world, &driver) == 0 && robo_add(f->world, &d, robot) == 0;
}

/* ---- those who watch ---- */

struct watcher {
    robo_client *client;
    uint32_t session, id;
    uint64_t got, last;
};

struct watchers {
    struct fixture *fixture;
    struct watcher one[CLIENTS];
    double rate;    /* of the one that got the fewest */
    double encoded; /* times a picture */
    double cost;    /* us of the camera's job, each */
    robo_robot *robot;
};

static bool open_watcher(struct watcher *w, robo_loop *loop, const struct fixture *f)
{
    int error;
    char why[256];
    const struct robo_session_options options = { .size = sizeof options, .robot = "eye" };
    w->client = robo_client_open(loop, f->url, NULL, &error, why);
    if (!w->client || robo_client_wait(w->client, 5000000000, why) < 0)
        return false;
    const int64_t session = robo_session(w->client, &options, 5000000000);
    w->session = session > 0 ? (uint32_t)session : 0;
    return session > 0;
}

static void watch(struct watcher *w)
{
    const struct robo_request_view view = {
        .format = ROBO_JPEG, .quality = QUALITY, .window = 1 << 20, .period = 1000000
    };
    const int64_t id = robo_request(w->client, w->session, ROBO_Q_VIEW, &view);
    w->id = id > 0 ? (uint32_t)id : 0;
}

static void unwatch(struct watcher *w)
{
    const struct robo_request_broadcast_cancel end = { .broadcast = w->id };
    const int64_t id = robo_request(w->client, w->session, ROBO_Q_BROADCAST_CANCEL, &end);
    if (id > 0 && robo_wait(w->client, (uint32_t)id, 5000000000) == 0)
        robo_take_reply(w->client, (uint32_t)id, NULL, 0);
}

static void read_events(struct watcher *w)
{
    struct robo_event event;
    struct robo_picture p;
    while (robo_next_event(w->client, &event, sizeof event))
        if (event.id.value == w->id && robo_take_reply(w->client, w->id, &p, sizeof p) == 1) {
            w->got += p.number > w->last;
            w->last = p.number;
        }
}

/* Processor time that a thread has taken, us. */
static double taken_by(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static const char *read_line(const char *path, char *line, int room)
{
    FILE *f = fopen(path, "r");
    if (f && !fgets(line, room, f))
        *line = 0;
    if (f)
        fclose(f);
    return line;
}

/* That of all workers, of which a camera's job has now the one, now the other; us. */
static double taken_by_workers(void)
{
    double sum = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (const struct dirent *e; tasks && (e = readdir(tasks)) != NULL;) {
        char path[64], name[20] = "", ns[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%.16s/comm", e->d_name);
        read_line(path, name, sizeof name);
        snprintf(path, sizeof path, "/proc/self/task/%.16s/schedstat", e->d_name);
        if (strcmp(name, "worker\n") == 0 || strcmp(name, "camera\n") == 0)
            sum += atof(read_line(path, ns, sizeof ns)) * 1e-3;
    }
    if (tasks)
        closedir(tasks);
    return sum;
}

static void measure(struct watchers *w)
{
    double before = 0;
    struct robo__camera_slot *camera = robo__camera_find(robo__robot_senses(w->robot), 0);
    robo_time begin = 0;
    uint64_t encoded = 0, first = 0;
    for (int i = 0; i < CLIENTS; i++)
        watch(&w->one[i]);
    for (robo_time until = robo_now(w->fixture->world) + BLOCK / 4, now;
         (now = robo_now(w->fixture->world)) < until || begin == 0;) {
        if (now >= until) { /* warm now */
            begin = now;
            until = now + BLOCK;
            encoded = robo__camera_encoded(camera);
            first = atomic_load(&taken);
            before = taken_by_workers();
            for (int i = 0; i < CLIENTS; i++)
                w->one[i].got = 0;
        }
        robo_poll(w->one[0].client, 10000000);
        for (int i = 0; i < CLIENTS; i++)
            read_events(&w->one[i]);
    }
    const double seconds = (double)(robo_now(w->fixture->world) - begin) * 1e-9;
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < CLIENTS; i++)
        least = w->one[i].got < least ? w->one[i].got : least;
    w->rate = (double)least / seconds;
    encoded = robo__camera_encoded(camera) - encoded;
    w->cost = encoded ? (taken_by_workers() - before) / (double)encoded : 0;
    const uint64_t all = atomic_load(&taken) - first;
    w->encoded = all ? (double)encoded / (double)all : 0;
    for (int i = 0; i < CLIENTS; i++)
        unwatch(&w->one[i]);
}

/* ---- libjpeg-turbo alone ---- */

static double measure_alone(double *cost)
{
    struct limit_jpeg *l = limit_jpeg_open(WIDTH, HEIGHT, QUALITY);
    static uint8_t frame[SIZE];
    uint64_t n = 0;
    memcpy(frame, pixels, SIZE);
    const robo_time begin = now_ns();
    const double before = taken_by(CLOCK_THREAD_CPUTIME_ID);
    robo_time now;
    do {
        mark(frame, ++n);
        limit_jpeg_encode(l, frame);
        now = now_ns();
    } while (now < begin + BLOCK);
    *cost = (taken_by(CLOCK_THREAD_CPUTIME_ID) - before) / (double)n;
    limit_jpeg_close(l);
    return (double)n * 1e9 / (double)(now - begin);
}

void bench_pictures(reporter *report)
{
    struct fixture f;
    static struct watchers w;
    struct trial t = { 0 }, sends = { 0 }, costs = { 0 };
    double cost;
    struct samples encoded = { 0 }, once = { 0 };
    bool good = true;
    fixture_open(&f, -1, false);
    w.fixture = &f;
    good = eye_add(&f, &w.robot);
    robo_loop *loop = robo_loop_open(f.world);
    for (int i = 0; i < CLIENTS && good; i++)
        good = loop && open_watcher(&w.one[i], loop, &f);
    if (!good)
        fprintf(stderr, "robotalk-bench: pictures: no clients\n");
    for (int i = 0; i < BLOCKS && good; i++) {
        measure(&w);
        samples_add(&t.ours, w.rate);
        samples_add(&t.limit, measure_alone(&cost));
        trial_block(&t);
        samples_add(&costs.ours, w.cost);
        samples_add(&costs.limit, cost);
        trial_block(&costs);
        samples_add(&sends.ours, w.rate);
        samples_add(&sends.limit, bare_pictures(pixels, WIDTH, HEIGHT, QUALITY, CLIENTS, BLOCK));
        trial_block(&sends);
        samples_add(&encoded, w.encoded);
        samples_add(&once, 1);
    }
    struct row row = { .name = "pictures",
                       .what = "a camera to 10 clients; libjpeg-turbo alone",
                       .unit = "/s",
                       .goal = 0.99,
                       .of = "p50",
                       .more_is_better = true };
    struct row beside = { .name = "pictures",
                          .what = "the same; libjpeg-turbo beside bare sends to 10",
                          .unit = "/s",
                          .goal = 0.99,
                          .of = "p50",
                          .more_is_better = true };
    struct row spent = { .name = "pictures",
                         .what = "processor time of each; libjpeg-turbo alone",
                         .unit = "us",
                         .goal = 1 / 0.99,
                         .of = "p50" };
    struct row times = { .name = "pictures",
                         .what = "how often each is encoded for them; once",
                         .unit = "",
                         .goal = 1,
                         .of = "p50" };
    if (good) {
        trial_report(&t, &row, report);
        trial_report(&sends, &beside, report);
        trial_report(&costs, &spent, report);
        row_report(&times, report, &encoded, &once);
    }
    trial_free(&t);
    trial_free(&sends);
    trial_free(&costs);
    for (int i = 0; i < CLIENTS; i++)
        if (w.one[i].client)
            robo_disconnect(w.one[i].client);
    if (loop)
        robo_loop_close(loop);
    robo_release(w.robot);
    fixture_close(&f);
}
