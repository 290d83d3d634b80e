/* The RoboTalk protocol, client side: the life of a connection, up and down. */
#include "client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client_internal.h"
#include "base/sized.h"
#include "base/text.h"
#include "net/secret.h"
#include "server.h"
#include "base/time.h"
#include "robotalk/session.h"

enum { FIRST_EVENTS = 64, SPARE_EVENTS = 8 };

static const robo_time CONNECT_TIMEOUT = 5LL * 1000000000, FIRST_RETRY = 100 * 1000000,
                       LAST_RETRY = 2LL * 1000000000;

void robo__client_notify(robo_client *c)
{
    if (c->options.notify)
        c->options.notify(c->options.owner, c);
}

bool robo__client_room(robo_client *c, size_t n)
{
    size_t want = c->event_count + c->cache.pending + n + SPARE_EVENTS;
    size_t size = c->event_size ? c->event_size : FIRST_EVENTS;
    while (size < want && size < ROBO__CLIENT_EVENTS)
        size *= 2;
    if (size == c->event_size)
        return true;
    struct robo_event *event = malloc(size * sizeof *event);
    if (!event)
        return false;
    for (size_t i = 0; i < c->event_count; i++)
        event[i] = c->event[(c->event_first + i) % c->event_size];
    free(c->event);
    c->event = event;
    c->event_size = size;
    c->event_first = 0;
    return true;
}

void robo__client_event(robo_client *c, int kind, uint16_t op, uint32_t session, uint32_t id)
{
    /* a request has reserved its room; without memory a notice or a broadcast is lost */
    bool unasked = kind == ROBO_EVENT_NOTICE || robo__goes_on(op);
    if (unasked && !robo__client_room(c, 1))
        return;
    if (c->event_count == c->event_size) {
        /* they are not taken: the oldest goes, and its answer with it */
        struct robo__cached_answer *old = robo__client_answer_of(c, c->event[c->event_first].id);
        if (old && old->done && !robo__goes_on(old->op)) /* which goes on */
            robo__cache_remove(&c->cache, old);
        c->event_first = (c->event_first + 1) % c->event_size;
        c->event_count--;
    }
    c->event[(c->event_first + c->event_count++) % c->event_size] =
        (struct robo_event){ .kind = kind, .op = op, .session = { session }, .id = { id } };
}

void robo__client_explain(robo_client *c, const char *text)
{
    robo__text_copy(c->why, sizeof c->why, text, strlen(text));
}

static void drop_own_answers(robo_client *c)
{
    /* taking one out may move another into its place */
    for (size_t i = 0; i < c->cache.size;) {
        if (c->cache.slot[i].id != 0 && c->cache.slot[i].own)
            robo__cache_remove(&c->cache, &c->cache.slot[i]);
        else
            i++;
    }
}

/* ---- up and down ---- */

static void retry_later(robo_client *c, robo_time now)
{
    c->state = ROBO__DOWN;
    if (!c->options.reconnect || c->refused)
        return;
    /* a server that greets and hangs up is not asked again at once for ever */
    if (c->up_since != 0 && now - c->up_since > LAST_RETRY)
        c->retry_after = 0;
    c->up_since = 0;
    c->retry_after = c->retry_after ? 2 * c->retry_after : FIRST_RETRY;
    if (c->retry_after > LAST_RETRY)
        c->retry_after = LAST_RETRY;
    robo__timer_start(c->host->timers, &c->retry, now + c->retry_after);
}

static void go_down(robo_client *c, int error, const char *why, robo_time now)
{
    bool was_down = c->state == ROBO__DOWN;
    c->refused = c->state == ROBO__GREETING && error == ROBO_ETOKEN;
    c->error = error;
    robo__client_explain(c, why);
    robo__timer_stop(c->host->timers, &c->life);
    c->probes_left = 0;
    for (size_t i = 0; i < ROBO__CLIENT_SESSIONS; i++)
        c->session[i].open = false;
    robo__client_end_answers(c, 0, error, ROBO_ERROR, ROBO_WHY_LINK, now);
    drop_own_answers(c);
    if (!was_down || !c->options.reconnect)
        robo__client_event(c, ROBO_EVENT_LINK, (uint16_t)-error, 0, 0);
    retry_later(c, now);
    robo__client_notify(c);
}

void robo__client_drop(robo_client *c, int error, const char *why, robo_time now)
{
    robo__stream_close(&c->stream);
    go_down(c, error, why, now);
}

static void on_lost(struct robo__stream *stream, int error, const char *why, robo_time now)
{
    go_down(robo__container_of(stream, robo_client, stream), error, why, now);
}

static void on_opened(struct robo__stream *stream, robo_time now)
{
    robo_client *c = robo__container_of(stream, robo_client, stream);
    c->state = ROBO__GREETING;
    struct robo_request_hello request = { .lowest = ROBO_VERSION,
                                          .highest = ROBO_VERSION,
                                          .role = (uint8_t)(c->options.role ? c->options.role
                                                                            : ROBO_ROLE_OPERATE) };
    memcpy(request.name, c->name, sizeof request.name);
    request.lease = c->options.apart ? 0
                    : c->options.key ? c->options.key
                                     : robo__world_key(c->world);
    memcpy(request.token, c->token, sizeof request.token);
    c->hello = robo__pulse_greet(c, now);
    int64_t id = robo__client_request(c, ROBO_Q_HELLO, &request);
    if (id < 0) {
        robo__stream_close(stream);
        go_down(c, (int)id, robo_strerror((int)id), now);
    }
}

void robo__client_greeted(robo_client *c, const struct robo_reply_hello *a, robo_time now)
{
    if (a->version != ROBO_VERSION) { /* none that it was offered */
        robo__client_drop(c, ROBO_EVERSION, robo_strerror(ROBO_EVERSION), now);
        return;
    }
    c->state = ROBO__UP;
    c->role = a->role;
    c->error = 0;
    c->up_since = now;
    robo__pulse_greeted(c, a->now, now);
    for (size_t i = 0; i < ROBO__CLIENT_SESSIONS; i++) {
        int error = c->session[i].used ? robo__client_open_session(c, &c->session[i], true) : 0;
        if (error < 0 && c->stream.up) /* no memory for it: all of it once more, later */
            robo__client_drop(c, error, robo_strerror(error), now);
        if (!c->stream.up)
            return;
    }
    robo__client_event(c, ROBO_EVENT_LINK, 0, 0, 0);
}

static void connect_now(robo_client *c)
{
    c->state = ROBO__CONNECTING;
    int error = robo__stream_open(&c->stream, &c->url, CONNECT_TIMEOUT,
                                  c->options.channel ? &c->channel : NULL);
    if (error < 0)
        go_down(c, error, robo_strerror(error), robo_now(c->world));
}

static void on_retry(struct robo__timer *timer, robo_time now)
{
    (void)now;
    connect_now(robo__container_of(timer, robo_client, retry));
}

/* ---- life ---- */

/* The token that it will send; without TLS it stays on this machine. */
static int take_token(char token[256], const struct robo__url *url, const char *given,
                      char why[256])
{
    const char *file = url->file[ROBO__TOKEN];
    int error = 0;
    token[0] = 0;
    if (*file)
        error = robo__secret_token_file(file, token, why);
    else if (given && strlen(given) > 255) {
        strcpy(why, "a token has at most 255 characters");
        error = ROBO_EINVAL;
    } else if (given)
        strcpy(token, given);
    if (error == 0 && token[0] && url->medium != ROBO__TLS && !robo__url_is_loopback(url)) {
        strcpy(why, "others could read the token on its way: connect to robotalk+tls://");
        error = ROBO_EADDRESS;
    }
    return error;
}

robo_client *robo__client_open(robo_world *world, const char *url,
                               const struct robo__client_setup *options, int *error, char why[256])
{
    static const struct robo__protocol *const spoken[] = { &robo__robotalk, &robo__dds, NULL };
    struct robo__url parsed;
    *error = robo__url_parse(url, spoken, &parsed, why);
    char token[256];
    if (*error == 0)
        *error = take_token(token, &parsed, options->token, why);
    if (*error < 0)
        return NULL;
    robo_client *c = calloc(1, sizeof *c);
    if (!c || !robo__client_room(c, 0)) {
        free(c);
        *error = ROBO_ENOMEM;
        return NULL;
    }
    c->world = world;
    c->options = *options;
    snprintf(c->name, sizeof c->name, "%s", options->name ? options->name : "robotalk");
    c->options.name = c->name;
    if (options->channel)
        c->channel = *options->channel;
    c->host = options->host;
    c->url = parsed;
    memcpy(c->token, token, sizeof token);
    if (options->protocol)
        c->url.protocol = options->protocol;
    c->retry.fire = on_retry;
    c->life.fire = robo__pulse_tick;
    robo__sync_init(&c->sync);
    robo__stream_init(&c->stream, options->host, options->loop);
    c->stream.opened = on_opened;
    c->stream.received = robo__client_received;
    c->stream.lost = on_lost;
    connect_now(c);
    return c;
}

robo_client *robo_client_open(robo_loop *loop, const char *url,
                              const struct robo_client_options *options, int *error, char why[256])
{
    char ignored[256];
    int unused;
    struct robo_client_options o;
    struct robo_channel channel;
    if (!error)
        error = &unused;
    if (!why)
        why = ignored;
    *error = robo__sized_take(&o, sizeof o, options);
    if (*error == 0 && o.channel)
        *error = robo__sized_take(&channel, sizeof channel, o.channel);
    if (*error < 0) {
        strcpy(why, "options without a size");
        return NULL;
    }
    robo_world *world = loop->host.world;
    const struct robo__client_setup setup = {
        .host = &loop->host,
        .loop = robo_is_virtual(world) ? NULL : loop,
        .channel = o.channel ? &channel : NULL,
        .reconnect = o.reconnect != 0,
        .role = (enum robo_role)o.role,
        .name = o.name,
        .apart = o.apart != 0,
        .token = o.token,
        .key = o.key,
        .notify = o.notify,
        .owner = o.owner,
    };
    robo_loop_lock(loop);
    robo_client *c = robo__client_open(world, url, &setup, error, why);
    if (c) {
        robo__loop_use(loop);
        c->loop = loop;
    }
    robo_loop_unlock(loop);
    return c;
}

int robo_client_state(const robo_client *c)
{
    ROBO__LOCKED(c);
    return c->state == ROBO__UP ? 1 : c->state == ROBO__DOWN ? c->error : 0;
}

robo_loop *robo_client_loop(const robo_client *c)
{
    return c->loop;
}

int robo_client_wait(robo_client *c, robo_time timeout, char text[256])
{
    ROBO__LOCKED(c);
    robo_time until = robo_now(c->world) + robo__time_cut(timeout);
    while ((c->state == ROBO__CONNECTING || c->state == ROBO__GREETING || c->probes_left > 0) &&
           robo_now(c->world) < until)
        robo__client_turn(c, until - robo_now(c->world));
    if (c->state == ROBO__UP)
        return 0;
    if (text)
        snprintf(text, 256, "%s", c->error ? c->why : robo_strerror(ROBO_ETIMEOUT));
    return c->error ? c->error : ROBO_ETIMEOUT;
}

robo_client *robo_connect(robo_world *world, const char *url, robo_time timeout, int *error,
                          char text[256])
{
    char ignored[256];
    int unused;
    if (!error)
        error = &unused;
    if (!text)
        text = ignored;
    robo_loop *loop = robo_loop_open(world);
    if (!loop) {
        *error = ROBO_ESYSTEM;
        snprintf(text, 256, "%s", robo_strerror(*error));
        return NULL;
    }
    robo_client *c = robo_client_open(loop, url, NULL, error, text);
    robo_loop_close(loop); /* its only user is the client */
    if (!c)
        return NULL;
    c->owns_loop = true;
    *error = robo_client_wait(c, timeout, text);
    if (*error == 0)
        return c;
    robo_disconnect(c);
    return NULL;
}

void robo_disconnect(robo_client *c)
{
    if (!c)
        return;
    robo_loop *loop = robo__client_lock(c);
    robo__stream_close(&c->stream);
    robo__timer_stop(c->host->timers, &c->life);
    robo__timer_stop(c->host->timers, &c->retry);
    robo__cache_free(&c->cache);
    free(c->asked);
    free(c->event);
    free(c);
    if (!loop)
        return;
    /* with the last user the lock goes, too */
    const bool last = loop->users == 1;
    if (last)
        robo_loop_unlock(loop);
    robo__loop_leave(loop);
    if (!last)
        robo_loop_unlock(loop);
}
