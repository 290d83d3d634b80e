/* A WebSocket of messages. */
#include "door.h"

#include <string.h>
#include <time.h>

#include "admission.h"
#include "base/time.h"
#include "http/reply.h"
#include "robot/world/world.h"

enum { REPLY = 1024 /* bytes */ };
static const robo_time LEAVING = 1000000000;

static const struct robo__http_dialect dialect = { .http = ROBO__HTTP_USUAL };

/* ---- the request ---- */

static void refuse(struct robo__door *d, int status, const char *why, robo_time now)
{
    const char *header = status == 401   ? "WWW-Authenticate"
                         : status == 426 ? "Upgrade"
                                         : "Sec-WebSocket-Version",
               *value = status == 401   ? "Bearer"
                        : status == 426 ? "websocket"
                                        : "13";
    uint8_t *out = robo__conn_reserve(d->conn, REPLY);
    if (out)
        robo__conn_commit(d->conn, robo__http_tell_with(out, REPLY, "HTTP/1.1", status, false, true,
                                                        header, value, why));
    d->leaving = true;
    robo__timer_start(d->conn->host->timers, &d->due, now + LEAVING);
}

/* The best that the client offers; NULL: none. */
static const char *choose(const struct robo__door_kind *kind,
                          const struct robo__http_request *request)
{
    struct robo__http_text offered;
    const char *const *best = kind->subprotocols;
    if (!best || !robo__http_find(request, "Sec-WebSocket-Protocol", &offered))
        return NULL;
    while (*best && !robo__http_lists(offered, *best))
        best++;
    return *best;
}

static void answer(struct robo__door *d, const struct robo__http_request *request, robo_time now)
{
    struct robo__http_target target;
    const struct robo__door_kind *kind = d->kind;
    char accept[29], text[128];
    const char *why = NULL;
    int status = robo__http_target(request, &target, &why);
    if (status == 0)
        status = robo__web_gate(d->conn, &d->gate, request, &target, &why);
    if (status == 0 && !robo__web_admit(d->conn, request)) {
        status = 401;
        why = "the server wants a token: Authorization: Bearer TOKEN";
    }
    const char *subprotocol = choose(kind, request);
    if (status == 0 && !robo__websocket_is_asked(request)) {
        status = 426;
        snprintf(text, sizeof text, "here is a WebSocket of %s, at ws://, and nothing else",
                 kind->what);
        why = text;
    } else if (status == 0 && kind->subprotocols && !subprotocol) {
        status = 400;
        snprintf(text, sizeof text, "expected the subprotocol %s", kind->subprotocols[0]);
        why = text;
    }
    if (status == 0)
        status = robo__websocket_accept(request, accept, &why);
    if (status == 0 && !(d->web = robo__websocket_open_messages(d->conn, &kind->reader, d))) {
        status = 503;
        why = "not enough memory";
    }
    if (status != 0) {
        refuse(d, status, why, now);
        return;
    }
    robo__timer_stop(d->conn->host->timers, &d->due);
    robo__conn_greeted(d->conn);
    robo__websocket_reply(d->conn, accept, subprotocol);
    if (kind->opened)
        kind->opened(d, now);
}

size_t robo__door_feed(void *door, const uint8_t *in, size_t n, bool one, robo_time now)
{
    struct robo__door *d = door;
    struct robo__http_request request;
    size_t used = 0;
    (void)one;
    if (!d->web && !d->leaving) {
        const enum robo__http_step step = robo__http_read(&d->reader, in, n, now, &request, &used);
        if (step == ROBO__HTTP_HEAD)
            answer(d, &request, now);
        else if (step == ROBO__HTTP_REFUSED)
            refuse(d, d->reader.status, d->reader.why, now);
        else
            robo__timer_start(d->conn->host->timers, &d->due, robo__http_due(&d->reader));
    }
    if (d->web && used < n)
        robo__websocket_receive(d->web, in + used, n - used, now);
    return d->web || d->leaving ? n : used;
}

static void on_due(struct robo__timer *timer, robo_time now)
{
    struct robo__door *d = robo__container_of(timer, struct robo__door, due);
    if (d->leaving) {
        robo__conn_drop(d->conn);
    } else {
        robo__http_expire(&d->reader);
        refuse(d, 408, d->reader.why, now);
    }
    robo__conn_kick(d->conn); /* this may free the connection */
}

/* ---- messages ---- */

void robo__door_send(struct robo__door *d)
{
    if (d->json.failed)
        robo__conn_drop(d->conn);
    else
        robo__websocket_send(d->web, true, d->json.at, d->json.used);
    d->json.used = 0;
    if (d->json.room > 1 << 16) /* a picture was in it */
        robo__json_free(&d->json);
}

bool robo__door_is_busy(struct robo__door *d, robo_time now)
{
    size_t waiting;
    robo__conn_output(d->conn, &waiting);
    return waiting > ROBO__CONN_BUSY || robo__conn_is_busy(d->conn, now);
}

/* ---- life ---- */

void robo__door_open(struct robo__door *d, const struct robo__door_kind *kind,
                     struct robo__conn *conn, const struct robo__url *url)
{
    const robo_time now = robo_now(conn->host->world);
    d->kind = kind;
    d->conn = conn;
    d->due.fire = on_due;
    if (url->medium == ROBO__TCP || url->medium == ROBO__TLS)
        strcpy(d->listened, url->host);
    strcpy(d->origins, url->text[0]);
    d->gate = (struct robo__http_gate){ .name = d->listened,
                                        .any = url->medium != ROBO__TCP,
                                        .secure = url->medium == ROBO__TLS,
                                        .origins = d->origins };
    if (!robo_is_virtual(conn->host->world))
        d->shift = robo__time_read(CLOCK_REALTIME) - now;
    robo__http_open(&d->reader, &dialect, now);
    robo__timer_start(conn->host->timers, &d->due, robo__http_due(&d->reader));
}

void robo__door_close(struct robo__door *d)
{
    robo__timer_stop(d->conn->host->timers, &d->due);
    robo__websocket_close(d->web);
    robo__json_free(&d->json);
}

void robo__door_resume(void *door, robo_time now)
{
    struct robo__door *d = door;
    if (d->web)
        robo__websocket_resume(d->web, now);
}

void robo__door_dismiss(void *door, robo_time now)
{
    struct robo__door *d = door;
    if (d->web)
        robo__websocket_dismiss(d->web, now);
}

void robo__door_shut_down(void *door, robo_time now)
{
    struct robo__door *d = door;
    if (d->web)
        robo__websocket_shut_down(d->web, now);
}
