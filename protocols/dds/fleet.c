/* The robots of a server in a domain of DDS. */
#include "fleet.h"

#include <stdlib.h>
#include <string.h>

#include "net/dds.h"
#include "robot/facts.h"

static const robo_time PERIOD = 100000000;

/* A robot that the domain knows. */
struct known {
    struct known *next;
    robo_robot *robot; /* held */
    uint8_t key[ROBO_DDS_KEY];
    bool seen; /* in this turn */
};

struct fleet {
    struct robo__listener *listener;
    robo_dds *dds;
    uint8_t server[ROBO_DDS_KEY];
    robo_dds_writer *robots;
    struct robo__timer due;
    struct known *first;
};

static void introduce(struct fleet *f, const struct known *k)
{
    uint8_t bytes[128] = { 0, 1, 0, 0 };
    const char *name = robo_robot_name(k->robot);
    const uint32_t n = (uint32_t)strlen(name) + 1;
    memcpy(bytes + 4, k->key, ROBO_DDS_KEY);
    memcpy(bytes + 20, f->server, ROBO_DDS_KEY);
    memcpy(bytes + 36, &n, 4);
    memcpy(bytes + 40, name, n);
    robo_dds_put(f->robots, bytes, 40 + n);
}

static void forget(struct fleet *f, struct known **at)
{
    struct known *k = *at;
    *at = k->next;
    robo_dds_dispose(f->robots, k->key);
    robo_release(k->robot);
    free(k);
}

static void meet(struct fleet *f, robo_robot *robot)
{
    struct known *k = f->first;
    while (k && k->robot != robot)
        k = k->next;
    if (k) {
        k->seen = true;
        return;
    }
    k = calloc(1, sizeof *k);
    if (!k)
        return; /* the next turn tries again */
    const uint32_t number = (uint32_t)robo__robot_number(robot);
    memcpy(k->key, f->server, ROBO_DDS_KEY);
    memcpy(k->key + 12, &number, 4);
    k->robot = robo_hold(robot);
    k->seen = true;
    k->next = f->first;
    f->first = k;
    introduce(f, k);
}

static void on_due(struct robo__timer *timer, robo_time now)
{
    struct fleet *f = robo__container_of(timer, struct fleet, due);
    struct robo__host *host = &f->listener->loop->host;
    uint64_t cursor = 0;
    for (struct known *k = f->first; k; k = k->next)
        k->seen = false;
    for (robo_robot *r; (r = robo_next_robot(host->world, &cursor)) != NULL; robo_release(r))
        meet(f, r);
    for (struct known **at = &f->first; *at;)
        if ((*at)->seen)
            at = &(*at)->next;
        else
            forget(f, at);
    robo__timer_start(host->timers, &f->due, now + PERIOD);
}

int robo__fleet_serve(struct robo__listener *listener, char why[256])
{
    struct fleet *f = calloc(1, sizeof *f);
    if (!f)
        return ROBO_ENOMEM;
    f->listener = listener;
    f->dds = robo__dds_of(listener, f->server);
    f->robots = robo_dds_write(f->dds, &robo__dds_robots, NULL, NULL, why);
    if (!f->robots) {
        free(f);
        return ROBO_ESYSTEM;
    }
    f->due.fire = on_due;
    listener->served = f;
    on_due(&f->due, robo_now(listener->loop->host.world));
    return 0;
}

void robo__fleet_unserve(struct robo__listener *listener)
{
    struct fleet *f = listener->served;
    robo__timer_stop(listener->loop->host.timers, &f->due);
    while (f->first)
        forget(f, &f->first);
    robo_dds_writer_close(f->robots);
    free(f);
}
