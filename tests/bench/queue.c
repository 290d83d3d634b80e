/* The command queue with a million pending, beside std::priority_queue. */
#include <string.h>

#include "bench.h"
#include "base/queue.h"
#include "base/random.h"

enum { PENDING = 1000000, OPERATIONS = 1000000, PAYLOAD = 128, TURNS = 5 };

static double ours(void)
{
    struct robo__queue q;
    struct robo__queue_owner owner = { 0 }, *whose;
    struct robo__random r;
    uint8_t payload[PAYLOAD] = { 0 };
    robo__random_seed(&r, 1);
    if (robo__queue_init(&q, PENDING + 1, 0, PAYLOAD) != 0)
        return 0;
    for (int i = 0; i < PENDING; i++)
        memcpy(robo__queue_push(&q, (robo_time)(robo__random_u64(&r) >> 20), &owner), payload,
               PAYLOAD);
    robo_time begin = now_ns();
    for (int i = 0; i < OPERATIONS; i++) {
        memcpy(robo__queue_push(&q, robo__queue_head(&q) + (robo_time)(robo__random_u64(&r) >> 20),
                                &owner),
               payload, PAYLOAD);
        memcpy(payload, robo__queue_peek(&q, &whose), PAYLOAD);
        robo__queue_pop(&q);
    }
    double ns = (double)(now_ns() - begin) / OPERATIONS;
    robo__queue_free(&q);
    return ns;
}

void bench_queue(reporter *report)
{
    struct samples a = { 0 }, b = { 0 };
    for (int i = 0; i < TURNS; i++) {
        samples_add(&a, ours());
        samples_add(&b, limit_queue_ns(PENDING, OPERATIONS));
    }
    struct row row = { .name = "queue",
                       .what = "push and pop, a million pending",
                       .unit = "ns",
                       .goal = 1,
                       .of = "p50" };
    row_report(&row, report, &a, &b);
}
