/* Python through bindings/python, beside the same in plain C: round trips of direct commands, and pictures that are copied once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "robotalk/picture.h"
#include "../ids.h"

enum { TURNS = 5, BLOCKS = 4, ROUNDS = 2000, SPAN = 2 };
static const double MORE = 25; /* us that a round trip may take more than in C */

static void plain(robo_client *c, uint32_t session, struct samples *s)
{
    struct samples block = { 0 };
    direct_rounds(c, session, &block, ROUNDS);
    struct robo_event event;
    while (robo_next_event(c, &event, sizeof event))
        ;
    samples_add(s, samples_quantile(&block, 0.5));
    samples_free(&block);
}

static bool from_python(const char *url, const char *what, int n, struct samples *s)
{
    char command[1024];
    double value;
    snprintf(
        command, sizeof command,
        "PATH=/usr/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONPATH='%s/bindings/python' ROBOTALK_LIBRARY='%s/librobotalk.so' "
        "python3 %s/tests/bench/python.py %s %s %d",
        ROBOTALK_SOURCE, ROBOTALK_BUILD, ROBOTALK_SOURCE, url, what, n);
    FILE *pipe = popen(command, "r");
    while (pipe && fscanf(pipe, "%lf", &value) == 1)
        samples_add(s, value);
    return pipe && pclose(pipe) == 0;
}

static bool report_trips(struct fixture *fixture, reporter *report)
{
    struct samples ours = { 0 }, limit = { 0 };
    uint32_t session;
    char blocks[16];
    bool good = true;
    snprintf(blocks, sizeof blocks, "%d", BLOCKS);
    for (int i = 0; i < TURNS && good; i++) {
        robo_client *c = fixture_client(fixture, &session);
        for (int k = 0; k < BLOCKS; k++)
            plain(c, session, &limit);
        robo_disconnect(c); /* its lease, too */
        good = from_python(fixture->url, blocks, ROUNDS, &ours);
    }
    if (good) {
        struct samples more = { 0 }, most = { 0 };
        samples_add(&more, samples_quantile(&ours, 0.5) - samples_quantile(&limit, 0.5));
        samples_add(&most, MORE);
        struct row row = { .name = "python",
                           .what = "direct round trip from Python, beside plain C",
                           .unit = "us",
                           .goal = 1.5,
                           .of = "p50" };
        row_report(&row, report, &ours, &limit);
        row = (struct row){ .name = "python",
                            .what = "what it takes more, of what it may",
                            .unit = "us",
                            .goal = 1,
                            .of = "p50" };
        row_report(&row, report, &more, &most);
    }
    return good;
}

/* Pictures a second of a client in C that copies each. */
static double copied(const struct fixture *fixture, const char *url)
{
    static uint8_t bytes[ROBO_MAX_PICTURE];
    uint32_t session;
    robo_client *c = fixture_client_at((struct fixture *)fixture, url, &session);
    const struct robo_request_view request = {
        .format = ROBO_RGB, .quality = 80, .window = 1 << 24, .period = 1000000
    };
    const int64_t id = robo_request(c, session, ROBO_Q_VIEW, &request);
    const robo_time end = robo_now(fixture->world) + (SPAN + 1) * 1000000000LL;
    robo_time begin = 0;
    uint64_t last = 0, n = 0;
    while (robo_now(fixture->world) < end) {
        struct robo_picture p = { .bytes = bytes };
        struct robo_event event;
        robo_poll(c, 100000000);
        while (robo_next_event(c, &event, sizeof event))
            ;
        if (robo_take_picture(c, id, &p, sizeof bytes) != 1 || p.number == last)
            continue;
        last = p.number;
        n += begin > 0;
        if (begin == 0)
            begin = robo_now(fixture->world);
    }
    const double took = (double)(robo_now(fixture->world) - begin) / 1e9;
    robo_disconnect(c);
    return begin > 0 ? (double)n / took : 0;
}

static bool report_pictures(struct fixture *fixture, reporter *report)
{
    struct samples ours = { 0 }, limit = { 0 };
    robo_robot *eye = NULL;
    char url[600];
    bool good = eye_add(fixture, &eye);
    snprintf(url, sizeof url, "%s/eye", fixture->url);
    for (int i = 0; i < TURNS && good; i++) {
        samples_add(&limit, copied(fixture, url));
        good = from_python(url, "pictures", SPAN, &ours);
    }
    robo_release(eye);
    if (good) {
        struct row row = { .name = "python",
                           .what = "pictures of 1280 x 720 pixels as arrays, beside C with a copy",
                           .unit = "/s",
                           .goal = 0.8,
                           .of = "p50",
                           .more_is_better = true };
        row_fill(&row, &ours, &limit);
        row.ratio = ratio_of(row.ours[0], row.limit[0]);
        report(&row);
    }
    samples_free(&ours);
    samples_free(&limit);
    return good;
}

void bench_python(reporter *report)
{
    struct fixture fixture;
    fixture_open(&fixture, 0, false);
    pin(1);
    if (!report_trips(&fixture, report) || !report_pictures(&fixture, report))
        fprintf(stderr, "robotalk-bench: python: python3 tests/bench/python.py failed\n");
    fixture_close(&fixture);
    pin(-1);
}
