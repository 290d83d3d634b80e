/* RCTP, server side, on the server's thread. A connection's bytes are requests until GO was granted; then they are the live
 * session's (session.h). A request acts only if it has come through the gate (http/gate.h) and, where tokens are required, has
 * one: "Authorization: Bearer TOKEN". A refused client gets the reason, and its further bytes are dropped for a while, since a
 * connection that is closed with bytes unread takes the reply with it. */
#include "protocols.h"

#include <string.h>

#include "address.h"
#include "connection.h"
#include "pictures.h"
#include "robotalk/server.h"
#include "web/admission.h"
#include "web/links.h"
#include "web/websocket.h"
#include "robot/client.h"

enum { REPLY = 2048 /* bytes of a reply of our own */ };
static const char HTTP_METHODS[] = "GET, HEAD, OPTIONS, POST";
static const robo_time LEAVING = 1000000000, NEGOTIATION = 60000000000, FIRST_PICTURE = 10000000000;
static const robo_time LONG_TURN = 200000; /* of one client, before the others have theirs */

static const struct robo__http_dialect dialect = {
    .other = "RCTP/1.0",
    .http = ROBO__HTTP_USUAL,
    .limits_of_other = { .line = 1024,
                         .head = 16384,
                         .headers = 32,
                         .body = 0,
                         .idle = 10000000000,
                         .head_time = 10000000000,
                         .short_time = 2000000000,
                         .body_time = 10000000000 },
};

/* ---- replies ---- */

static const char *version_of(const struct robo__http_request *request)
{
    return request->other ? "RCTP/1.0" : "HTTP/1.1";
}

void robo__rctp_reply(struct robo__rctp_connection *c, const struct robo__http_request *request,
                      int status, bool keep, const char *text)
{
    uint8_t *out = robo__conn_reserve(c->conn, REPLY);
    keep = keep && request->keep;
    if (!out)
        return;
    robo__conn_commit(c->conn, robo__http_tell(out, REPLY, version_of(request), status, keep,
                                               !robo__http_is(request->method, "HEAD"), text));
    if (!keep)
        c->conn->closing = true;
}

void robo__rctp_reply_type(struct robo__rctp_connection *c,
                           const struct robo__http_request *request, const char *type)
{
    struct robo__http_reply reply;
    uint8_t *out = robo__conn_reserve(c->conn, REPLY);
    if (!out)
        return;
    robo__http_reply_begin(&reply, out, REPLY, version_of(request), 200, NULL);
    robo__http_reply_header(&reply, "Content-Type", "%s", type);
    robo__http_reply_header(&reply, "Connection", request->keep ? "keep-alive" : "close");
    robo__conn_commit(c->conn, robo__http_reply_end(&reply));
    if (!request->keep)
        c->conn->closing = true;
}

/* The final response to a client that is refused, or cannot be understood. other: in RCTP/1.0. */
static void refuse(struct robo__rctp_connection *c, bool other, int status, const char *why,
                   robo_time now)
{
    uint8_t *out = robo__conn_reserve(c->conn, REPLY);
    size_t n = 0;
    if (out && other) {
        n = robo__rctp_refuse(status, why, out, REPLY);
    } else if (out && status == 401) {
        n = robo__http_tell_with(out, REPLY, "HTTP/1.1", status, false, true, "WWW-Authenticate",
                                 "Bearer", why);
    } else if (out) {
        n = robo__http_tell(out, REPLY, "HTTP/1.1", status, false, true, why);
    }
    robo__conn_commit(c->conn, n);
    c->leaving = true;
    robo__timer_start(c->conn->host->timers, &c->due, now + LEAVING);
}

/* Whether a reply is under way, so that the next request waits. */
static bool is_busy(const struct robo__rctp_connection *c)
{
    return c->file || c->own || c->view;
}

/* ---- time ---- */

/* A negotiation is over then, whatever happens meanwhile. */
static void wait_until(struct robo__rctp_connection *c, robo_time due)
{
    robo__timer_start(c->conn->host->timers, &c->due, c->until < due ? c->until : due);
}

static void arm(struct robo__rctp_connection *c, robo_time now)
{
    robo_time due = robo__http_due(&c->reader);
    if (c->live || c->web || c->leaving || c->conn->closing)
        return;
    if (is_busy(c))
        due = now + (c->view && robo__rctp_view_waits(c->view) ? FIRST_PICTURE : dialect.http.idle);
    wait_until(c, due);
}

void robo__rctp_replied(struct robo__rctp_connection *c, robo_time now)
{
    robo__http_replied(&c->reader, now);
    robo__conn_output(c->conn, &c->left);
    arm(c, now);
}

static void on_due(struct robo__timer *timer, robo_time now)
{
    struct robo__rctp_connection *c = robo__container_of(timer, struct robo__rctp_connection, due);
    size_t left;
    robo__conn_output(c->conn, &left);
    const bool reads = left != c->left || (left == 0 && c->view);
    if (is_busy(c) && now >= c->until) {
        robo__conn_drop(c->conn); /* within a reply there is no room for an error */
    } else if (c->view && robo__rctp_view_waits(c->view)) {
        robo__rctp_view_late(c->view);
    } else if (reads && !c->leaving && now < c->until) {
        c->left = left;
        wait_until(c, now + dialect.http.idle);
    } else if (left > 0 || c->leaving) {
        robo__conn_drop(c->conn);
    } else {
        robo__http_expire(&c->reader);
        refuse(c, c->other || c->reader.other, 408, c->reader.why, now);
    }
    robo__conn_kick(c->conn); /* this may free the connection */
}

/* ---- the robot, as the negotiation asks for it ---- */

static int choose(void *owner, const char *robot)
{
    struct robo__rctp_connection *c = owner;
    struct robo__rctp_session *session = NULL;
    const int error = robo__rctp_session_open(c->conn, robot, &c->inputs, &session);
    if (error < 0)
        return error;
    robo__rctp_session_close(c->session);
    c->session = session;
    return 0;
}

static const struct robo__rcml_objects *objects(void *owner)
{
    const struct robo__rctp_connection *c = owner;
    return c->session ? robo__rctp_session_objects(c->session) : NULL;
}

static struct robo__rctp_assigned assign(void *owner, const char *object, robo_time now)
{
    struct robo__rctp_connection *c = owner;
    return robo__rctp_session_assign(c->session, object, now);
}

static void holder(void *owner, struct robo__rctp_holder *out, robo_time now)
{
    const struct robo__rctp_connection *c = owner;
    robo__rctp_session_holder(c->session, out->name, &out->left, now);
}

static uint16_t release(void *owner, const char *object, robo_time now)
{
    struct robo__rctp_connection *c = owner;
    return robo__rctp_session_release(c->session, object, now);
}

static void values(void *owner, const struct robo__rcml_object *object, double *value)
{
    struct robo__rctp_connection *c = owner;
    robo__rctp_session_values(c->session, object, value);
}

static bool open_datagrams(void *owner, uint32_t *token, uint16_t *port)
{
    struct robo__rctp_connection *c = owner;
    return robo__rctp_session_open_datagrams(c->session, token, port);
}

static uint16_t may_go(void *owner, const struct robo__rctp_go *go)
{
    const struct robo__rctp_connection *c = owner;
    return robo__rctp_session_may_go(c->session, go);
}

static const struct robo__rctp_port port = { choose,  objects, assign, holder,
                                             release, values,  may_go, open_datagrams };

/* ---- requests ---- */

/* Whether the negotiation goes on with the same token, or none, as that of the client to which objects were assigned.
 * Otherwise another client would take them over, as behind a proxy whose clients share a connection. */
static bool is_same(struct robo__rctp_connection *c)
{
    const struct robo__credentials *credentials = &c->conn->credentials;
    const bool same =
        credentials->has_token == c->negotiator.has_token &&
        memcmp(credentials->token, c->negotiator.token, sizeof credentials->token) == 0;
    if (c->negotiation.assigned > 0)
        return same;
    c->negotiator = *credentials;
    return true;
}

/* Each request identifies its client, also on a connection on which another client was accepted. Every request comes
 * through the gate. */
static bool admit(struct robo__rctp_connection *c, const struct robo__http_request *request,
                  const struct robo__http_target *target, robo_time now)
{
    const char *why = NULL;
    const int status = robo__web_gate(c->conn, &c->gate, request, target, &why);
    if (status != 0) {
        refuse(c, request->other, status, why, now);
        return false;
    }
    robo__web_take_cookie(c->conn, c->port, request);
    if (!robo__web_admit(c->conn, request)) {
        const char *wanted =
            strcmp(target->path, "/enter") == 0
                ? "this link was used, is too old or is not whole: ask for a new one"
                : "the server wants a token: Authorization: Bearer TOKEN; or, for a page, a link: "
                  "robotalk keys page";
        refuse(c, request->other, 401, wanted, now);
        return false;
    }
    if (request->other && !is_same(c)) {
        c->conn->refused = "a negotiation goes on with another token";
        refuse(c, true, 401, "requests of one negotiation have the same token", now);
        return false;
    }
    if (!c->admitted)
        robo__conn_greeted(c->conn);
    c->admitted = true;
    return true;
}

/* A request of RCTP/1.0 that is one of the negotiation's. */
static void negotiate(struct robo__rctp_connection *c, const struct robo__http_request *request,
                      robo_time now)
{
    size_t n = 0;
    const size_t room = robo__rctp_prepare(&c->negotiation, request);
    uint8_t *out = robo__conn_reserve(c->conn, room);
    struct robo__http_text name;
    if (!out)
        return;
    if (c->session && robo__http_find(request, "User-Agent", &name))
        robo__rctp_session_name(c->session, name.at, name.n);
    const enum robo__rctp_step step =
        robo__rctp_answer(&c->negotiation, request, now, out, room, &n);
    robo__conn_commit(c->conn, n);
    if (n == 0)
        c->conn->closing = true;
    if (c->until == ROBO_NEVER && c->negotiation.assigned > 0)
        c->until = now + NEGOTIATION;
    if (step != ROBO__RCTP_BEGUN)
        return;
    c->live = true;
    robo__timer_stop(c->conn->host->timers, &c->due);
    robo__rctp_session_go(c->session, &c->negotiation.go, now);
}

static void tell_methods(struct robo__rctp_connection *c, const struct robo__http_request *request)
{
    struct robo__http_reply reply;
    uint8_t *out = robo__conn_reserve(c->conn, REPLY);
    if (!out)
        return;
    robo__http_reply_begin(&reply, out, REPLY, "HTTP/1.1", 204, NULL);
    robo__http_reply_header(&reply, "Allow", "%s",
                            HTTP_METHODS); /* and no body, and no length of it */
    if (!request->keep)
        robo__http_reply_header(&reply, "Connection", "close");
    robo__conn_commit(c->conn, robo__http_reply_end(&reply));
    if (!request->keep)
        c->conn->closing = true;
}

/* Another method than those. */
static void refuse_method(struct robo__rctp_connection *c, const struct robo__http_request *request)
{
    uint8_t *out = robo__conn_reserve(c->conn, REPLY);
    if (!out)
        return;
    robo__conn_commit(c->conn,
                      robo__http_tell_with(
                          out, REPLY, "HTTP/1.1", 405, request->keep, true, "Allow", HTTP_METHODS,
                          "files are got by GET, robots are stopped by POST, and nothing else"));
    if (!request->keep)
        c->conn->closing = true;
}

/* ---- a WebSocket ---- */

static const char WEBSOCKET[] = "/robotalk", SUBPROTOCOL[] = "robotalk";

static void upgrade(struct robo__rctp_connection *c, const struct robo__http_request *request,
                    const struct robo__http_target *target, robo_time now)
{
    struct robo__http_text offered;
    char accept[29];
    const bool asked = robo__websocket_is_asked(request);
    const char *why = asked ? "WebSockets of RoboTalk are at /robotalk"
                            : "here is a WebSocket of RoboTalk, at ws://, and nothing else";
    int status = !asked ? 426
                 : strcmp(target->path, WEBSOCKET) == 0
                     ? robo__websocket_accept(request, accept, &why)
                     : 404;
    uint8_t *out = robo__conn_reserve(c->conn, REPLY);
    if (status == 0 && out && !(c->web = robo__websocket_open(c->conn, &robo__robotalk))) {
        status = 503;
        why = "not enough memory";
    }
    if (!out)
        return;
    if (status != 0) {
        robo__conn_commit(c->conn, robo__http_tell_with(out, REPLY, "HTTP/1.1", status, false, true,
                                                        asked ? "Sec-WebSocket-Version" : "Upgrade",
                                                        asked ? "13" : "websocket", why));
        c->leaving = true;
        robo__timer_start(c->conn->host->timers, &c->due, now + LEAVING);
        return;
    }
    robo__timer_stop(c->conn->host->timers, &c->due);
    robo__websocket_reply(c->conn, accept,
                          robo__http_find(request, "Sec-WebSocket-Protocol", &offered) &&
                                  robo__http_lists(offered, SUBPROTOCOL)
                              ? SUBPROTOCOL
                              : NULL);
}

/* /enter?link=SECRET: a GET gets a button, whose POST gets a cookie, and the page. Programs that look at links, as chats do to show
 * a preview of them, GET them and would spend what is for one browser. false: it is not for it. */
static bool is_let_in(struct robo__rctp_connection *c, const struct robo__http_request *request,
                      const struct robo__http_target *target)
{
    static const char entered[] =
        "<!doctype html><meta http-equiv=\"refresh\" content=\"0; url=/\"><a href=\"/\">robotalk</a>\n";
    static const char button[] =
        "<!doctype html><html lang=\"en\"><meta name=\"viewport\" content=\"width=device-width\">"
        "<title>robotalk</title><style>body{max-width:30rem;margin:3rem auto;color-scheme:light dark;font:1rem/1.5 system-ui}</style>"
        "<p>This link opens the page of this server's robots once, in one browser, which then may come in for 12 hours.</p>"
        "<form method=\"post\"><button autofocus>Open robotalk</button></form>\n";
    const bool posts = robo__http_is(request->method, "POST");
    const char *page = posts ? entered : button;
    struct robo__http_reply reply;
    struct robo__http_text secret = target->query;
    char text[ROBO__TOKEN_TEXT], cookie[ROBO__WEB_COOKIE] = "";
    const char *why;
    static const char link[] = "link=";
    const size_t n = sizeof link - 1;
    if ((!posts && !robo__http_is(request->method, "GET") &&
         !robo__http_is(request->method, "HEAD")) ||
        robo__http_gate(&c->gate, request, target, &why) != 0 || secret.n != n + sizeof text - 1 ||
        memcmp(secret.at, link, n) != 0)
        return false;
    memcpy(text, secret.at + n, sizeof text - 1);
    text[sizeof text - 1] = 0;
    uint8_t *out = robo__conn_reserve(c->conn, REPLY);
    if (!out || !robo__web_enter(c->conn, c->port, text, posts ? cookie : NULL))
        return false;
    robo__http_reply_begin(&reply, out, REPLY, "HTTP/1.1", 200, NULL);
    robo__http_reply_header(&reply, "Content-Type", "text/html; charset=utf-8");
    robo__http_reply_header(&reply, "Content-Length", "%zu", strlen(page));
    if (posts)
        robo__http_reply_header(&reply, "Set-Cookie", "%s", cookie);
    robo__http_reply_header(&reply, "Content-Security-Policy",
                            "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; "
                            "frame-ancestors 'none'");
    robo__http_reply_header(&reply, "Cache-Control", "no-store");
    robo__http_reply_header(&reply, "Referrer-Policy",
                            "same-origin"); /* so that the POST has an Origin */
    robo__http_reply_header(&reply, "Connection", "close");
    const size_t head = robo__http_reply_end(&reply),
                 body = robo__http_is(request->method, "HEAD") ? 0 : strlen(page);
    memcpy(out + head, page, body);
    robo__conn_commit(c->conn, head + body);
    c->conn->closing = true;
    return true;
}

static void answer(struct robo__rctp_connection *c, const struct robo__http_request *request,
                   robo_time now)
{
    struct robo__http_target target;
    const char *why = NULL;
    const int status = robo__http_target(request, &target, &why);
    c->other = request->other;
    if (status != 0) {
        refuse(c, request->other, status, why, now);
    } else if (strcmp(target.path, "/enter") == 0 && !request->other &&
               is_let_in(c, request, &target)) {
        return;
    } else if (!admit(c, request, &target, now)) {
        return;
    } else if (request->expects) {
        refuse(c, request->other, 417, "nothing here takes a body", now);
    } else if (c->www[0] && !robo__http_is(request->method, "GET") &&
               !robo__http_is(request->method, "HEAD")) {
        robo__rctp_reply(c, request, 405, true, "here are files, which are got by GET");
    } else if (!c->www[0] && !request->other &&
               (robo__websocket_is_asked(request) ||
                (robo__http_is(request->method, "GET") && strcmp(target.path, WEBSOCKET) == 0))) {
        upgrade(c, request, &target, now);
    } else if (robo__http_is(request->method, "GET") || robo__http_is(request->method, "HEAD")) {
        robo__rctp_get(c, request, &target, now);
    } else if (!request->other && robo__http_is(request->method, "POST") &&
               robo__rctp_post(c, request, &target, now)) {
        return;
    } else if (request->other) {
        negotiate(c, request, now);
    } else if (robo__http_is(request->method, "OPTIONS")) {
        tell_methods(c, request);
    } else if (robo__rctp_negotiates(request)) {
        robo__rctp_reply(c, request, 505, true, "ASSIGN, RELEASE and GO are requests of RCTP/1.0");
    } else {
        refuse_method(c, request);
    }
}

static size_t feed(void *state, const uint8_t *in, size_t n, bool one, robo_time now)
{
    struct robo__rctp_connection *c = state;
    struct robo__http_request request;
    size_t used = 0;
    /* a live session handles its input also while its client does not read: it may be a stop */
    while (!c->conn->closing && (c->live || c->web || !robo__conn_full(c->conn))) {
        if (c->leaving)
            return n;
        if (c->web) {
            robo__websocket_receive(c->web, in + used, n - used, now);
            return n;
        }
        if (c->live)
            return used + robo__rctp_session_feed(c->session, in + used, n - used, one, now);
        if (is_busy(c))
            break;
        size_t more;
        const enum robo__http_step step =
            robo__http_read(&c->reader, in + used, n - used, now, &request, &more);
        used += more;
        if (step == ROBO__HTTP_HEAD)
            answer(c, &request, now);
        else if (step == ROBO__HTTP_REFUSED)
            refuse(c, c->other || c->reader.other, c->reader.status, c->reader.why, now);
        if (step == ROBO__HTTP_WANTS)
            break;
        if (step == ROBO__HTTP_END && (one || robo_now(c->conn->host->world) - now > LONG_TURN))
            break;
    }
    arm(c, now);
    return used;
}

static void resume(void *state, robo_time now)
{
    struct robo__rctp_connection *c = state;
    if (c->web)
        robo__websocket_resume(c->web, now);
    else if (c->file || c->own)
        robo__rctp_file_more(c);
    else if (c->view)
        robo__rctp_view_resume(c->view, now);
    if (!is_busy(c) && !c->web)
        robo__rctp_replied(c, now);
}

/* ---- life ---- */

static int open_connection(void *state, struct robo__conn *conn, const struct robo__url *url)
{
    struct robo__rctp_connection *c = state;
    c->conn = conn;
    c->inputs = robo__rctp_group_of(url->option);
    c->shows_world = robo__rctp_shows_world(url->option);
    c->secure = url->medium == ROBO__TLS;
    c->port = url->port;
    if (url->medium == ROBO__TCP || url->medium == ROBO__TLS)
        strcpy(c->listened, url->host);
    strcpy(c->origins, url->text[0]);
    robo__http_unescape((struct robo__http_text){ url->text[1], strlen(url->text[1]) }, c->www,
                        sizeof c->www);
    c->gate = (struct robo__http_gate){ .name = c->listened,
                                        .any = url->medium != ROBO__TCP,
                                        .secure = c->secure,
                                        .origins = c->origins };
    c->until = ROBO_NEVER;
    c->due.fire = on_due;
    c->negotiation = (struct robo__rctp_negotiation){ .port = &port, .owner = c };
    strcpy(c->negotiation.robot, url->robot);
    robo__http_open(&c->reader, &dialect, robo_now(conn->host->world));
    arm(c, robo_now(conn->host->world));
    return 0;
}

static void close_connection(void *state)
{
    struct robo__rctp_connection *c = state;
    robo__timer_stop(c->conn->host->timers, &c->due);
    robo__rctp_file_close(c);
    robo__websocket_close(c->web);
    robo__rctp_view_close(c->view);
    robo__rctp_session_close(c->session);
}

static void dismiss(void *state, robo_time now)
{
    struct robo__rctp_connection *c = state;
    if (c->live)
        robo__rctp_session_send_last(c->session, 403, "role: this client is not listed any more",
                                     now);
    else if (c->web)
        robo__websocket_dismiss(c->web, now);
}

static void shut_down(void *state, robo_time now)
{
    struct robo__rctp_connection *c = state;
    if (c->live)
        robo__rctp_session_send_last(c->session, 503, "closes: the server is closing", now);
    else if (c->web)
        robo__websocket_shut_down(c->web, now);
}

const struct robo__protocol robo__rctp = { .name = "rctp",
                                           .port = 7077,
                                           .tells_token = true,
                                           .speaks_http = true,
                                           .size = sizeof(struct robo__rctp_connection),
                                           .greeting = { .bytes = 1 << 16, .within = 30000000000 },
                                           .options = robo__rctp_options,
                                           .wrong = robo__rctp_wrong_options,
                                           .open = open_connection,
                                           .feed = feed,
                                           .resume = resume,
                                           .dismiss = dismiss,
                                           .shutdown = shut_down,
                                           .close = close_connection };
