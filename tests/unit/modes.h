/* Command modes for tests, in C: "delay" shifts by what was asked for; "hold" keeps frames until `enough` have
 * come or the client has finished, then shifts all by `shift`; "tape" plays its first frame `wait` later than its start, and
 * all others that must wait; "direct" and "broadcast" as they are; others are refused. */
#pragma once

#include <stdio.h>
#include <string.h>

#include "robot/timeline/mode.h"

struct test_modes {
    struct robo__modes modes; /* first */
    uint64_t enough;
    robo_time shift, again,
        expiry;          /* again: after how long a holding mode wants to be asked; 0: not */
    const char *failure; /* of a holding mode when it is asked; NULL: it does not fail */
    robo_time wait;      /* of "tape": how long it holds at least, and again after a pause */
    int opened, asked, closed;
    robo_time asked_at;
};

static inline int test_modes_open(struct robo__modes *modes,
                                  const struct robo__session_request *request,
                                  struct robo_mode_decision *d, void **mode, char why[128])
{
    struct test_modes *m = (struct test_modes *)modes;
    *mode = m;
    m->opened++;
    *d = (struct robo_mode_decision){ .buffered = true,
                                      .expiry = m->expiry,
                                      .refills = strcmp(request->name, "tape") == 0 };
    if (strcmp(request->name, "delay") == 0) {
        d->shift = request->delay;
    } else if (strcmp(request->name, "hold") == 0 || d->refills) {
        d->hold = true;
    } else if (strcmp(request->name, "direct") == 0 || strcmp(request->name, "broadcast") == 0) {
        *d = (struct robo_mode_decision){ .blocking = request->name[0] == 'd',
                                          .expiry = 1000000000 };
    } else {
        snprintf(why, 128, "there is no mode '%s'", request->name);
        return ROBO_EMODE;
    }
    return 0;
}

static inline int test_modes_arrived(struct robo__modes *modes, void *mode,
                                     const struct robo__arrivals *arrivals, robo_time now,
                                     struct robo_mode_decision *d, char why[128])
{
    struct test_modes *m = (struct test_modes *)modes;
    m->asked++;
    m->asked_at = now;
    if (m->failure) {
        snprintf(why, 128, "%s", m->failure);
        return ROBO_EMODE;
    }
    if (d->refills) {
        d->shift = now - arrivals->next_start;
        d->hold = d->shift < m->wait && !arrivals->finished;
        d->again = arrivals->next_start + m->wait;
        return 0;
    }
    d->hold = arrivals->frames < m->enough && !arrivals->finished;
    d->shift = m->shift;
    d->again = m->again ? now + m->again : 0;
    return 0;
}

static inline void test_modes_close(struct robo__modes *modes, void *mode)
{
    ((struct test_modes *)modes)->closed++;
}

static inline void test_modes_init(struct test_modes *m, uint64_t enough)
{
    *m = (struct test_modes){ .modes = { test_modes_open, test_modes_arrived, test_modes_close },
                              .enough = enough,
                              .expiry = -1 };
}
