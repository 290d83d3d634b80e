/* What a client knows without asking: its answers, its sessions, its link. */
#include "client.h"

int robo_look(const robo_client *c, uint32_t id, struct robo_answer *answer)
{
    const struct robo__cached_answer *a = robo__cache_find(&c->cache, id);
    if (!a)
        return ROBO_ENONE;
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

void robo_drop(robo_client *c, uint32_t id)
{
    struct robo__cached_answer *a = robo__cache_find(&c->cache, id);
    if (a && a->done && !(a->query && robo__goes_on(a->op) && a->error == 0))
        robo__cache_remove(&c->cache, a);
}

int robo_session_news(robo_client *c, uint32_t session, struct robo_session_news *news)
{
    const struct robo__client_session *s = robo__client_session_find(c, session);
    if (!s)
        return ROBO_ENONE;
    *news = (struct robo_session_news){ .open = s->open,
                                        .blocking = s->blocking,
                                        .panic = s->panic,
                                        .epoch = s->epoch,
                                        .deadman = s->deadman,
                                        .holder = s->holder,
                                        .holder_name = s->holder_name };
    return 0;
}

int robo_session_asked(robo_client *c, uint32_t session, struct robo_notice_asked *asked)
{
    const struct robo__client_session *s = robo__client_session_find(c, session);
    if (!s || s->asked.due == 0)
        return ROBO_ENONE;
    *asked = s->asked;
    return 0;
}

int robo_clock_offset(robo_client *c, robo_time *offset, robo_time *uncertainty)
{
    if (!robo__sync_ready(&c->sync))
        return ROBO_ENONE;
    robo_time now = robo_now(c->world);
    *offset = robo__sync_offset(&c->sync, now, uncertainty);
    return 0;
}

int robo_client_timing(robo_client *c, struct robo_timing *timing)
{
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
    return c->role;
}

const char *robo_client_why(const robo_client *c)
{
    return c->why;
}
