/* Log lines about refused clients and about refused requests. */
#include "complaint.h"

#include <stdio.h>

#include "host.h"
#include "socket.h"

static const robo_time SECOND = 1000000000;

static void on_quiet(struct robo__timer *timer, robo_time now)
{
    struct robo__complaint *c = robo__container_of(timer, struct robo__complaint, quiet);
    if (c->count == 0)
        return;
    if (c->count == 1)
        robo__world_log(c->host->world, ROBO_LOG_WARNING, "%s", c->last);
    else
        robo__world_log(c->host->world, ROBO_LOG_WARNING, "%u more; the last: %s", c->count,
                        c->last);
    c->count = 0;
    robo__timer_start(c->host->timers, timer, now + SECOND);
}

void robo__complaints_init(struct robo__host *host)
{
    for (int i = 0; i < ROBO__COMPLAINT_KINDS; i++)
        host->complaint[i] = (struct robo__complaint){ .host = host, .quiet.fire = on_quiet };
}

void robo__complaints_end(struct robo__host *host)
{
    for (int i = 0; i < ROBO__COMPLAINT_KINDS; i++)
        robo__timer_stop(host->timers, &host->complaint[i].quiet);
}

void robo__complain_of(struct robo__host *host, enum robo__complaint_kind kind, const char *line)
{
    struct robo__complaint *c = &host->complaint[kind];
    snprintf(c->last, sizeof c->last, "%s", line);
    c->count++;
    if (c->quiet.place == ROBO__TIMER_IDLE) {
        robo__world_log(host->world, ROBO_LOG_WARNING, "%s", c->last);
        c->count = 0;
        robo__timer_start(host->timers, &c->quiet, robo_now(host->world) + SECOND);
    }
}

void robo__complain(struct robo__host *host, int fd, const char *why)
{
    char peer[64], line[sizeof host->complaint[0].last];
    host->refused++;
    robo__socket_peer(fd, peer);
    snprintf(line, sizeof line, "%s is dropped: %s", peer[0] ? peer : "a client", why);
    robo__complain_of(host, ROBO__TURNED_AWAY, line);
}
