/* How late frames of 64 robots in one world begin, at 100 Hz each: all at the same instants, beside as many sleeping
 * threads; and each at instants of its own, beside one of the robots while the others rest. */
#include <pthread.h>
#include <stdio.h>

#include "bench.h"
#include "../ids.h"

enum { ROBOTS = 64, FRAMES = 100, STEP = 20, BLOCKS = 7 };
static const robo_time PERIOD = 10000000;

struct client {
    robo_client *client;
    uint32_t session;
    int64_t first; /* id of a block's first frame */
};

/* A block of frames of the first n robots, `apart` between one robot's and the next one's: how many have not run. */
static long ours(struct client *clients, int n, robo_time apart, struct samples *s)
{
    long lost = 0;
    struct robo_cmd cmds[FRAMES];
    const robo_time begin = now_ns() + 300000000;
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < FRAMES; i++)
            cmds[i] =
                (struct robo_cmd){ .op = ROBO_SET_SPEED, .start = begin + i * PERIOD + k * apart };
        clients[k].first = robo_send(clients[k].client, clients[k].session, cmds, FRAMES);
    }
    const size_t before = s->count;
    const bool in_time = now_ns() < begin;
    /* everybody's answers are taken before they are many */
    for (int step = 0; step < FRAMES; step += STEP)
        for (int k = 0; k < n; k++) {
            robo_client *c = clients[k].client;
            for (uint32_t id = (uint32_t)clients[k].first + (uint32_t)step, i = 0; i < STEP;
                 i++, id++) {
                struct robo_result r;
                if (robo_wait(c, id, 5000000000) == 0 && robo_take(c, id, &r, sizeof r) == 1 &&
                    r.executed)
                    samples_add(s, (double)(r.executed - r.scheduled) / 1e3);
                else
                    lost++;
            }
            struct robo_event event;
            while (robo_next_event(c, &event, sizeof event))
                ;
        }
    if (in_time)
        return lost;
    s->count = before; /* a machine so busy that they were sent too late */
    return ours(clients, n, apart, s);
}

/* The same instants for threads that do nothing else. */
static void sleepers(int n, robo_time apart, struct samples *s)
{
    pthread_t thread[ROBOTS];
    struct sleeper plan[ROBOTS];
    struct samples each[ROBOTS] = { 0 };
    const robo_time begin = now_ns() + 100000000;
    for (int k = 0; k < n; k++) {
        plan[k] = (struct sleeper){
            .begin = begin + k * apart, .period = PERIOD, .count = FRAMES, .samples = &each[k]
        };
        pthread_create(&thread[k], NULL, sleeper, &plan[k]);
    }
    for (int k = 0; k < n; k++) {
        pthread_join(thread[k], NULL);
        for (size_t i = 0; i < each[k].count; i++)
            samples_add(s, each[k].value[i]);
        samples_free(&each[k]);
    }
}

void bench_robots(reporter *report)
{
    struct fixture fixture;
    static struct client clients[ROBOTS];
    fixture_open(&fixture, -1, false);
    for (int k = 0; k < ROBOTS; k++) {
        char url[24];
        snprintf(url, sizeof url, "local:r%d", k); /* one clock for all */
        fixture_add(&fixture, url + 6);
        clients[k].client = fixture_client_at(&fixture, url, &clients[k].session);
    }
    struct trial together = { 0 }, apart = { 0 };
    for (int i = 0; i < BLOCKS; i++) {
        together.lost += ours(clients, ROBOTS, 0, &together.ours);
        sleepers(ROBOTS, 0, &together.limit);
        trial_block(&together);
        apart.lost += ours(clients, ROBOTS, PERIOD / ROBOTS, &apart.ours);
        apart.lost += ours(clients, 1, 0, &apart.limit);
        trial_block(&apart);
    }
    trial_report(&together,
                 &(struct row){ .name = "robots",
                                .what = "lateness of 64 robots, 100 Hz, at one instant",
                                .unit = "us",
                                .of = "p90",
                                .goal = 1.2 },
                 report);
    trial_report(&apart,
                 &(struct row){ .name = "robots",
                                .what = "the same, each at its own, beside one robot",
                                .unit = "us",
                                .of = "p90",
                                .goal = 1.2 },
                 report);
    for (int k = 0; k < ROBOTS; k++)
        robo_disconnect(clients[k].client);
    fixture_close(&fixture);
    trial_free(&together);
    trial_free(&apart);
}
