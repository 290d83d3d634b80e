/* Looking back by HTTP: a connection with one request, and its answer that goes out in pieces. */
#include "rewind_http.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "http/gate.h"
#include "http/reply.h"
#include "instant.h"

/* REPLY: bytes of a reply's head, or of a refusal. PIECE: bytes that are put into the connection's buffer at once. */
enum { REPLY = 1024, PIECE = 1 << 14, LISTED = 1000 };
static const robo_time HEAD_TIME = 10000000000, UNREAD = 30000000000;

/* The keeper's part, which outlasts the connection. */
struct sight {
    struct robo__glance glance;   /* first */
    struct robo__images_web *web; /* NULL: it is closed */
};

struct robo__images_web {
    struct robo__conn *conn;
    robo_images *keeper;
    struct robo__http_gate gate;
    struct robo__http_reader reader;
    struct robo__timer timer;    /* of the request, then of the client's reading */
    bool asked, body;            /* the request is in; its answer has a body (it is no HEAD) */
    struct sight *sight;         /* NULL: nothing is looked for */
    struct robo__store_answer a; /* that goes out */
    size_t at, left; /* bytes of it that have gone; that the client had not read at the last look */
};

static const struct robo__http_dialect dialect = { .http = ROBO__HTTP_USUAL };

static void put_down(struct robo__host *host, struct robo__store_answer *a)
{
    robo__budget_give(robo__world_memory(host->world), a->charged);
    free(a->bytes);
    *a = (struct robo__store_answer){ .bytes = NULL };
}

static void tell(struct robo__images_web *w, int status, const char *text)
{
    uint8_t *out = robo__conn_reserve(w->conn, REPLY);
    if (out)
        robo__conn_commit(w->conn,
                          robo__http_tell(out, REPLY, "HTTP/1.1", status, false, w->body, text));
    w->conn->closing = true;
}

/* ---- the answer ---- */

void robo__images_web_resume(struct robo__images_web *w)
{
    while (w->at < w->a.size) {
        const size_t left = w->a.size - w->at, n = left < PIECE ? left : PIECE;
        size_t waiting;
        robo__conn_output(w->conn, &waiting);
        if (waiting > ROBO__CONN_BUSY) {
            w->conn->owes = true;
            return;
        }
        uint8_t *out = robo__conn_reserve(w->conn, n);
        if (!out)
            break;
        memcpy(out, w->a.bytes + w->at, n);
        robo__conn_commit(w->conn, n);
        w->at += n;
    }
    if (!w->asked || w->sight)
        return;
    put_down(w->conn->host, &w->a);
    w->at = 0;
    w->conn->closing = true;
}

static void answer(struct robo__images_web *w, bool list)
{
    struct robo__http_reply reply;
    const struct robo_image_entry *e = &w->a.entry;
    uint8_t *out = robo__conn_reserve(w->conn, REPLY);
    if (!out)
        return;
    robo__http_reply_begin(&reply, out, REPLY, "HTTP/1.1", 200, NULL);
    robo__http_reply_header(&reply, "Content-Type", "%s", list ? "application/json" : "image/jpeg");
    robo__http_reply_header(&reply, "Content-Length", "%zu", w->a.size);
    if (!list) {
        robo__http_reply_header(&reply, "X-Number", "%" PRIu64, e->number);
        robo__http_reply_header(&reply, "X-Source", "%s", e->source);
        robo__http_reply_header(&reply, "X-Timestamp", "%" PRId64 ".%06d", e->time / 1000000,
                                (int)(e->time % 1000000));
    }
    robo__http_reply_header(&reply, "Cache-Control", "no-cache");
    robo__http_reply_header(&reply, "X-Content-Type-Options", "nosniff");
    robo__http_reply_header(&reply, "Cross-Origin-Resource-Policy", "same-origin");
    robo__http_reply_header(&reply, "Connection", "close");
    robo__conn_commit(w->conn, robo__http_reply_end(&reply));
    if (!w->body)
        put_down(w->conn->host, &w->a);
    robo__images_web_resume(w);
}

static void on_found(struct robo__wakeup *wakeup, robo_time now)
{
    struct sight *sight = (struct sight *)robo__container_of(wakeup, struct robo__glance, wakeup);
    struct robo__images_web *w = sight->web;
    struct robo__glance *g = &sight->glance;
    if (!w) {
        put_down(g->host, &g->answer);
        free(sight);
        return;
    }
    struct robo__conn *conn = w->conn;
    const bool list = g->question.list;
    w->a = g->answer;
    w->sight = NULL;
    free(sight);
    robo__conn_output(conn, &w->left);
    robo__timer_start(conn->host->timers, &w->timer, now + UNREAD);
    if (w->a.error == 0) {
        answer(w, list);
    } else {
        const int error = w->a.error;
        put_down(conn->host, &w->a);
        tell(w, error == ROBO_ENONE ? 404 : 503,
             error == ROBO_ENONE ? "there is no such picture; / lists those that there are"
                                 : robo_strerror(error));
    }
    robo__conn_kick(conn); /* this may free it */
}

static void on_due(struct robo__timer *timer, robo_time now)
{
    struct robo__images_web *w = robo__container_of(timer, struct robo__images_web, timer);
    struct robo__conn *conn = w->conn;
    size_t left;
    robo__conn_output(conn, &left);
    if (w->sight || (w->asked && left != w->left)) {
        w->left = left;
        robo__timer_start(conn->host->timers, timer, now + UNREAD);
        return;
    }
    if (!w->asked) {
        w->body = true;
        tell(w, 408, "the request has not come in time");
    } else {
        robo__conn_drop(conn);
    }
    robo__conn_kick(conn); /* this may free it */
}

/* ---- the question ---- */

static bool read_number(const char *text, long least, long most, long *number)
{
    char *end;
    *number = strtol(text, &end, 10);
    return end != text && !*end && *number >= least && *number <= most;
}

/* Reads an option: NULL, or what was expected. Of a list, of a source's pictures and of a number other ones count. */
static const char *read_option(struct robo__store_question *q, const char *name, const char *value)
{
    long number;
    static const char time[] = "at, from, to: expected " ROBO__INSTANT_FORMS;
    const bool one = !q->list && q->number == 0;
    if (one && strcmp(name, "at") == 0)
        return robo__instant_read(value, &q->at) ? NULL : time;
    if (q->list && strcmp(name, "from") == 0)
        return robo__instant_read(value, &q->from) ? NULL : time;
    if (q->list && strcmp(name, "to") == 0)
        return robo__instant_read(value, &q->to) ? NULL : time;
    if (q->list && strcmp(name, "source") == 0) {
        snprintf(q->source, sizeof q->source, "%s", value);
        return NULL;
    }
    if (!q->list && strcmp(name, "step") == 0) {
        if (!read_number(value, -1000000000, 1000000000, &number))
            return "step: expected a whole number";
        q->step = number;
        return NULL;
    }
    if (q->list && strcmp(name, "most") == 0) {
        if (!read_number(value, 1, ROBO__STORE_LISTED, &number))
            return "most: expected 1 to 10000";
        q->most = (unsigned)number;
        return NULL;
    }
    return q->list ? "options: expected from, to, source or most, of a list"
           : one   ? "options: expected at or step, of a source"
                   : "options: expected step, of a number";
}

static const char *read_question(const struct robo__http_target *target,
                                 struct robo__store_question *q)
{
    char name[ROBO__HTTP_VALUE + 1], value[ROBO__HTTP_VALUE + 1];
    struct robo__http_text rest = target->query;
    const char *path = target->path[0] == '/' ? target->path + 1 : target->path, *why = NULL;
    int more;
    *q = (struct robo__store_question){
        .list = !path[0], .at = INT64_MAX, .to = INT64_MAX, .most = LISTED
    };
    if (!q->list && !robo__store_number(path, ".jpg", &q->number)) {
        if (!robo__store_is_source(path, strlen(path)))
            return "expected /, /ROBOT/CAMERA or /NUMBER.jpg";
        memcpy(q->source, path, strlen(path) + 1);
    }
    while (!why && (more = robo__http_next_option(&rest, name, value)) != 0)
        why = more < 0 ? "the query cannot be read" : read_option(q, name, value);
    if (!why && q->list && q->from > q->to)
        why = "from: expected an instant that is not later than that of to";
    return why;
}

static void look(struct robo__images_web *w, const struct robo__store_question *q)
{
    struct sight *sight = calloc(1, sizeof *sight);
    if (!sight) {
        tell(w, 503, "not enough memory");
        return;
    }
    sight->web = w;
    sight->glance.host = w->conn->host;
    sight->glance.wakeup.run = on_found;
    sight->glance.question = *q;
    w->sight = sight;
    robo__picture_writer_look(w->keeper, &sight->glance);
}

static void ask(struct robo__images_web *w, const struct robo__http_request *request)
{
    struct robo__http_target target;
    struct robo__store_question q;
    const char *why = NULL;
    w->body = !robo__http_is(request->method, "HEAD");
    int status = robo__http_target(request, &target, &why);
    if (status == 0)
        status = robo__http_gate(&w->gate, request, &target, &why);
    if (status == 0 && w->body && !robo__http_is(request->method, "GET")) {
        status = 405;
        why = "expected GET";
    }
    if (status == 0 && (why = read_question(&target, &q)) != NULL)
        status = 400;
    if (status != 0)
        tell(w, status, why);
    else
        look(w, &q);
}

size_t robo__images_web_feed(struct robo__images_web *w, const uint8_t *in, size_t n, robo_time now)
{
    struct robo__http_request request;
    size_t done = 0, used;
    while (!w->asked && !w->conn->closing) {
        const enum robo__http_step step =
            robo__http_read(&w->reader, in + done, n - done, now, &request, &used);
        done += used;
        if (step == ROBO__HTTP_WANTS)
            return done;
        w->asked = true;
        w->body = true;
        if (step == ROBO__HTTP_HEAD)
            ask(w, &request);
        else
            tell(w, w->reader.status, w->reader.why);
    }
    return n; /* one request of a connection; later bytes are dropped */
}

/* ---- its life ---- */

struct robo__images_web *robo__images_web_open(struct robo__conn *conn, robo_images *keeper,
                                               const struct robo__images_place *place,
                                               robo_time now)
{
    struct robo__images_web *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->conn = conn;
    w->keeper = keeper;
    w->gate =
        (struct robo__http_gate){ .name = place->name, .any = place->any, .secure = place->secure };
    w->timer.fire = on_due;
    robo__http_open(&w->reader, &dialect, now);
    robo__timer_start(conn->host->timers, &w->timer, now + HEAD_TIME);
    return w;
}

void robo__images_web_close(struct robo__images_web *w)
{
    if (!w)
        return;
    robo__timer_stop(w->conn->host->timers, &w->timer);
    if (w->sight)
        w->sight->web = NULL;
    put_down(w->conn->host, &w->a);
    free(w);
}
