/* Complaints about those who are not let in, or who ask in vain. */
#include "complaint.h"

#include <stdio.h>

#include "host.h"
#include "socket.h"

static const robo_time SECOND = 1000000000;

static void on_quiet(struct robo__timer *timer, robo_time now)
{
    struct robo__host *host = robo__container_of(timer, struct robo__host, complaints.quiet);
    struct robo__complaints *c = &host->complaints;
    if (c->count == 0)
        return;
    if (c->count == 1)
        robo__world_log(host->world, ROBO_LOG_WARNING, "%s", c->last);
    else
        robo__world_log(host->world, ROBO_LOG_WARNING, "%u more; the last: %s", c->count, c->last);
    c->count = 0;
    robo__timer_start(host->timers, timer, now + SECOND);
}

void robo__complaints_init(struct robo__complaints *complaints)
{
    *complaints = (struct robo__complaints){ .quiet.fire = on_quiet };
}

void robo__complain_of(struct robo__host *host, const char *line)
{
    struct robo__complaints *c = &host->complaints;
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
    char peer[64], line[sizeof host->complaints.last];
    robo__socket_peer(fd, peer);
    snprintf(line, sizeof line, "%s is dropped: %s", peer[0] ? peer : "a client", why);
    robo__complain_of(host, line);
}
