/* The limit of the queue: std::priority_queue of start, arrival and slot, payloads of the same size copied in and out
 * of slots of the same kind. */
#include <cstring>
#include <queue>
#include <vector>

#include <time.h>

#include "limits.h"

extern "C" {
#include "base/random.h"
}

namespace
{
struct entry {
    int64_t start;
    uint64_t arrival;
    uint32_t slot;
};
struct later {
    bool operator()(const entry &a, const entry &b) const
    {
        return a.start != b.start ? a.start > b.start : a.arrival > b.arrival;
    }
};
struct payload {
    unsigned char bytes[128];
};
double seconds()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
} // namespace

double limit_queue_ns(size_t pending, size_t operations)
{
    std::priority_queue<entry, std::vector<entry>, later> queue;
    std::vector<payload> slots(pending + 1);
    std::vector<uint32_t> free_slots;
    robo__random r;
    payload p = {};
    uint64_t arrivals = 0;
    robo__random_seed(&r, 1);
    for (size_t i = 0; i < pending; i++) {
        slots[i] = p;
        queue.push({ (int64_t)(robo__random_u64(&r) >> 20), arrivals++, (uint32_t)i });
    }
    free_slots.push_back((uint32_t)pending);
    double begin = seconds();
    for (size_t i = 0; i < operations; i++) {
        uint32_t s = free_slots.back();
        free_slots.pop_back();
        slots[s] = p;
        queue.push({ queue.top().start + (int64_t)(robo__random_u64(&r) >> 20), arrivals++, s });
        s = queue.top().slot;
        p = slots[s];
        queue.pop();
        free_slots.push_back(s);
    }
    return (seconds() - begin) * 1e9 / (double)operations;
}
