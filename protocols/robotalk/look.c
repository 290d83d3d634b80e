/* State of a client that needs no query: its answers, its sessions, its link. */
#include "client_internal.h"
#include "robotalk/session.h"

#include <stdlib.h>
#include <string.h>

int robo_look(const robo_client *c, robo_id id, struct robo_answer *answer)
{
    ROBO__LOCKED(c);
    const struct robo__cached_answer *a = robo__client_answer_of(c, id);
    if (!a)
        return robo__none_of(id.value);
    if (!a->done)
        return 0;
    *answer = (struct robo_answer){ .query = a->query, .op = a->op, .more = a->more };
    if (a->query) {
        answer->error = a->error;
        answer->reply = a->error ? NULL : a->body;
        answer->size = a->error ? 0 : a->size;
    } else {
        answer->result = &a->result;
        answer->part = a->body;
        answer->parts = a->body ? (uint32_t)(a->size / sizeof(struct robo_part)) : 0;
    }
    return 1;
}

void robo_drop(robo_client *c, robo_id id)
{
    ROBO__LOCKED(c);
    struct robo__cached_answer *a = robo__client_answer_of(c, id);
    if (a && a->done && !(a->query && robo__goes_on(a->op) && a->error == 0))
        robo__cache_remove(&c->cache, a);
}

int robo_session_news(robo_client *c, robo_session_id session, struct robo_session_news *news)
{
    ROBO__LOCKED(c);
    const struct robo__client_session *s = robo__client_session_of(c, session);
    if (!s)
        return robo__none_of(session.value);
    *news = (struct robo_session_news){ .open = s->open,
                                        .blocking = s->blocking,
                                        .panic = s->panic,
                                        .epoch = s->epoch,
                                        .deadman = s->deadman,
                                        .holder = s->holder,
                                        .told = s->told,
                                        .latched = s->latch.holds,
                                        .stop = s->latch.stop,
                                        .stopper = s->latch.by,
                                        .stopped_at = s->latch.since };
    memcpy(news->holder_name, s->holder_name, sizeof news->holder_name);
    memcpy(news->stopper_name, s->latch.name, sizeof news->stopper_name);
    memcpy(news->panic_name, s->panic_name, sizeof news->panic_name);
    memcpy(news->retained, s->retained, sizeof news->retained);
    return 0;
}

/* Of so many askers at once something is known: more than a server has sessions that are as patient. */
enum { ASKED_MOST = 256 };

/* Forgets requests that are due, and an older one of the same client; and the oldest, if there are too
 * many. */
static void forget_asked(robo_client *c, uint32_t session, uint32_t holder)
{
    const robo_time now = robo_now(c->world);
    size_t kept = 0;
    for (size_t i = c->asked_count >= ASKED_MOST; i < c->asked_count; i++) {
        const struct robo__client_asked *a = &c->asked[i];
        if (a->what.due > now && !(a->session == session && a->what.holder == holder))
            c->asked[kept++] = *a;
    }
    c->asked_count = kept;
}

void robo__client_keep_asked(robo_client *c, uint32_t session, const struct robo_notice_asked *what)
{
    forget_asked(c, session, what->holder);
    if (c->asked_count == c->asked_size) {
        const size_t size = c->asked_size ? 2 * c->asked_size : 4;
        struct robo__client_asked *more = realloc(c->asked, size * sizeof *more);
        if (!more)
            return;
        c->asked = more;
        c->asked_size = size;
    }
    c->asked[c->asked_count++] = (struct robo__client_asked){ session, *what };
}

int robo_session_asked(robo_client *c, robo_session_id session, uint32_t holder,
                       struct robo_notice_asked *asked)
{
    ROBO__LOCKED(c);
    for (size_t i = 0; i < c->asked_count; i++) {
        if (c->asked[i].session != session.value || c->asked[i].what.holder != holder)
            continue;
        *asked = c->asked[i].what;
        return 0;
    }
    return ROBO_ENONE;
}

int robo_clock_offset(robo_client *c, robo_time *offset, robo_time *uncertainty)
{
    ROBO__LOCKED(c);
    if (!robo__sync_ready(&c->sync))
        return ROBO_ENONE;
    robo_time now = robo_now(c->world);
    *offset = robo__sync_offset(&c->sync, now, uncertainty);
    return 0;
}

int robo_client_timing(robo_client *c, struct robo_timing *timing)
{
    ROBO__LOCKED(c);
    *timing = (struct robo_timing){ .drift = robo__sync_drift(&c->sync),
                                    .least = robo__sync_least_trip(&c->sync),
                                    .median = robo__sync_median_trip(&c->sync),
                                    .jitter = c->greatest_trip - c->least_trip,
                                    .exchanges = c->exchanges,
                                    .probing = c->probes_left };
    return robo_clock_offset(c, &timing->offset, &timing->uncertainty);
}

int robo_client_role(const robo_client *c)
{
    ROBO__LOCKED(c);
    return c->role;
}

const char *robo_client_why(const robo_client *c)
{
    return c->why;
}
