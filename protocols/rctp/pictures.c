/* Pictures by HTTP. */
#include "pictures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "net/viewer.h"
#include "robot/client.h"

/* PIECE: bytes of a picture that are put into the connection's buffer at once. HEAD: of the lines before it. QUALITY: of JPEG, by
 * default. */
enum { PIECE = 1 << 14, HEAD = 512, QUALITY = 80 };
static const robo_time LEAST_PERIOD = 1000000, LATER = 50 * 1000000;

struct robo__rctp_view {
    struct robo__viewer viewer; /* first */
    struct robo__rctp_connection *c;
    robo_robot *robot; /* held */
    bool still;        /* one picture */
    bool keep;         /* and the connection stays behind it */
    bool begun;        /* the head of the reply has been written */
    const char *version;
    robo_time period;             /* from one picture to the next */
    struct robo_picture *picture; /* that goes out, and how much of it has */
    size_t at, charged;           /* bytes; those of the world's budget */
};

static struct robo__budget *budget_of(const struct robo__rctp_view *v)
{
    return robo__world_pictures(v->c->conn->host->world);
}

static void put_down(struct robo__rctp_view *v)
{
    robo__picture_release(v->picture);
    robo__budget_give(budget_of(v), v->charged);
    v->c->conn->share->pictures -= v->charged;
    v->picture = NULL;
    v->charged = 0;
}

void robo__rctp_view_close(struct robo__rctp_view *v)
{
    if (!v)
        return;
    robo__viewer_leave(&v->viewer);
    put_down(v);
    robo_release(v->robot);
    v->c->view = NULL;
    robo__viewer_close(&v->viewer);
}

bool robo__rctp_view_waits(const struct robo__rctp_view *v)
{
    return !v->begun;
}

/* No picture comes: the client is notified, unless it is within a reply. */
static void fail(struct robo__rctp_view *v, int error)
{
    static const struct robo__http_request silent = { .other = false };
    struct robo__rctp_connection *c = v->c;
    const bool begun = v->begun;
    robo__rctp_view_close(v);
    if (begun)
        c->conn->closing = true;
    else
        robo__rctp_reply(c, &silent, error == ROBO_ENONE ? 404 : 503, false,
                         error == ROBO_ENONE     ? "the camera is gone"
                         : error == ROBO_ESYSTEM ? "pictures cannot be encoded here"
                         : error == ROBO_ENOMEM  ? "not enough memory"
                                                 : "the camera gives no picture");
}

void robo__rctp_view_late(struct robo__rctp_view *view)
{
    fail(view, ROBO_EDEVICE);
}

/* ---- one picture ---- */

/* Writes the lines before a picture; false: the connection is closing. */
static bool write_head(struct robo__rctp_view *v)
{
    const struct robo_picture *p = v->picture;
    struct robo__http_reply reply;
    uint8_t *out = robo__conn_reserve(v->c->conn, 2 * HEAD);
    size_t n = 0;
    if (!out)
        return false;
    if (v->still) {
        robo__http_reply_begin(&reply, out, HEAD, v->version, 200, NULL);
        robo__http_reply_header(&reply, "Content-Type", "image/jpeg");
        robo__http_reply_header(&reply, "Content-Length", "%zu", p->size);
        robo__http_reply_header(&reply, "Cache-Control", "no-store");
        robo__http_reply_header(&reply, "X-Content-Type-Options", "nosniff");
        robo__http_reply_header(&reply, "Cross-Origin-Resource-Policy", "same-origin");
        robo__http_reply_header(&reply, "Connection", v->keep ? "keep-alive" : "close");
        n = robo__http_reply_end(&reply);
    } else {
        if (!v->begun)
            n = robo__http_parts(out, HEAD, v->version);
        n += robo__http_part(out + n, HEAD, "image/jpeg", p->size, p->time);
    }
    v->begun = true;
    robo__conn_commit(v->c->conn, n);
    return true;
}

static bool put_bytes(struct robo__rctp_view *v, const void *bytes, size_t n)
{
    uint8_t *out = robo__conn_reserve(v->c->conn, n);
    if (!out)
        return false;
    memcpy(out, bytes, n);
    robo__conn_commit(v->c->conn, n);
    return true;
}

/* Sends as much as possible now; true: all of the picture was sent. */
static bool send_pieces(struct robo__rctp_view *v)
{
    const struct robo_picture *p = v->picture;
    while (v->at < p->size) {
        const size_t left = p->size - v->at, n = left < PIECE ? left : PIECE;
        size_t waiting;
        robo__conn_output(v->c->conn, &waiting);
        if (waiting > ROBO__CONN_BUSY) {
            v->c->conn->owes = true;
            return false;
        }
        if ((v->at == 0 && !write_head(v)) || !put_bytes(v, p->bytes + v->at, n))
            return false;
        v->at += n;
    }
    return v->still || put_bytes(v, robo__http_part_end, sizeof robo__http_part_end - 1);
}

/* ---- from one picture to the next ---- */

/* Takes a finished picture, unless it would take more memory than this client may have: then it is left out. */
static void take(struct robo__rctp_view *v, struct robo_picture *p, int error, robo_time now)
{
    const bool lasts = error == ROBO_ENONE || error == ROBO_ESYSTEM;
    if (!p && v->begun && !lasts) {
        v->viewer.due =
            now + LATER; /* the device may come back, and the next picture be a better one */
        return;
    }
    if (!p) {
        fail(v, error);
        return;
    }
    v->picture = p;
    v->at = 0;
    v->viewer.look.after = p->number;
    const robo_time due = v->viewer.due;
    v->viewer.due = (due > now - v->period ? due : now) + v->period;
    const size_t room = robo__picture_room(p); /* as long as it is kept, all of its buffer is */
    struct robo__share *share = v->c->conn->share;
    if (robo__budget_take(budget_of(v), share->pictures, room))
        share->pictures += v->charged = room;
    else if (v->begun)
        put_down(v);
    else
        fail(v, ROBO_ENOMEM);
}

/* Goes on as far as it can. It may be over then. */
static void run(struct robo__rctp_view *v, robo_time now)
{
    while (!v->viewer.looks) {
        if (!v->picture) {
            robo__viewer_ask(&v->viewer, now);
            return;
        }
        if (!send_pieces(v))
            return;
        put_down(v);
        if (v->still) {
            struct robo__rctp_connection *c = v->c;
            if (!v->keep)
                c->conn->closing = true;
            robo__rctp_view_close(v);
            robo__rctp_replied(c, now);
            return;
        }
    }
}

static void on_answer(struct robo__viewer *viewer, struct robo_picture *picture, int error,
                      robo_time now)
{
    struct robo__rctp_view *v = robo__container_of(viewer, struct robo__rctp_view, viewer);
    struct robo__rctp_connection *c = v->c;
    take(v, picture, error, now);
    if (c->view) /* else it is over */
        run(c->view, now);
}

static void go_on(struct robo__viewer *viewer, robo_time now)
{
    run(robo__container_of(viewer, struct robo__rctp_view, viewer), now);
}

void robo__rctp_view_resume(struct robo__rctp_view *v, robo_time now)
{
    if (v->picture)
        run(v, now);
}

/* ---- requests of clients ---- */

/* The number of a camera, by its own name or that of its RCML object; -1: there is none. */
static int camera_of(const struct robo__rctp_connection *c, const robo_robot *robot,
                     const char *name)
{
    const struct robo_description *d = robo__robot_description(robot);
    for (unsigned i = 0; i < d->cameras; i++)
        if (strcmp(d->camera[i].name, name) == 0)
            return (int)i; /* without a list of all objects for each picture */
    struct robo__rcml_objects *objects =
        robo__rcml_objects_make(robo__robot_body(robot), &c->inputs);
    const struct robo__rcml_object *object = objects ? robo__rcml_find(objects, name) : NULL;
    const int number = object && object->part == ROBO__RCML_CAMERA ? object->number : -1;
    robo__rcml_objects_free(objects);
    return number;
}

/* A number within a range; false: it is none. */
static bool read_number(const char *text, double least, double most, double *number)
{
    const uint8_t *at = (const uint8_t *)text, *end = at + strlen(text);
    return !text[strspn(text, "0123456789.")] &&
           robo__number_double(&at, end, number) == ROBO__NUMBER_OK && at == end &&
           *number >= least && *number <= most;
}

static bool read_query(struct robo__rctp_view *v, struct robo__http_text query)
{
    char name[ROBO__HTTP_VALUE + 1], value[ROBO__HTTP_VALUE + 1];
    struct robo__form *form = &v->viewer.look.form;
    int more;
    double x;
    while ((more = robo__http_next_option(&query, name, value)) == 1) {
        if (strcmp(name, "rate") == 0 && read_number(value, 0.001, 1000, &x))
            v->period = (robo_time)(1e9 / x);
        else if (strcmp(name, "width") == 0 && read_number(value, 1, 65535, &x))
            form->width = (uint16_t)x;
        else if (strcmp(name, "height") == 0 && read_number(value, 1, 65535, &x))
            form->height = (uint16_t)x;
        else if (strcmp(name, "quality") == 0 && read_number(value, 1, 100, &x))
            form->quality = (uint8_t)x;
        else
            return false;
    }
    return more == 0;
}

static struct robo__rctp_view *make_view(struct robo__rctp_connection *c,
                                         const struct robo__http_request *request,
                                         robo_robot *robot, struct robo__camera_slot *camera,
                                         bool still, robo_time now)
{
    struct robo__rctp_view *v = calloc(1, sizeof *v);
    if (!v)
        return NULL;
    *v = (struct robo__rctp_view){
        .c = c,
        .robot = robo_hold(robot),
        .still = still,
        .keep = still && request->keep,
        .version = request->other ? "RCTP/1.0" : "HTTP/1.1",
        .period = LEAST_PERIOD,
        .viewer = { .camera = camera,
                    .due = now,
                    .answered = on_answer,
                    .go_on = go_on,
                    .look.form = { .format = ROBO_JPEG, .quality = QUALITY } },
    };
    robo__viewer_open(&v->viewer, c->conn);
    return v;
}

/* The robot is held. */
static void look(struct robo__rctp_connection *c, const struct robo__http_request *request,
                 robo_robot *robot, const char *name, bool still, struct robo__http_text query,
                 robo_time now)
{
    const int number = camera_of(c, robot, name);
    struct robo__camera_slot *camera =
        number < 0 ? NULL : robo__camera_find(robo__robot_senses(robot), (unsigned)number);
    if (number < 0) {
        robo__rctp_reply(c, request, 404, true, "the robot has no such camera");
        return;
    }
    if (!camera || !robo__camera_is_there(camera)) {
        robo__rctp_reply(c, request, 503, true, "nobody gives pictures of this camera");
        return;
    }
    struct robo__rctp_view *v = make_view(c, request, robot, camera, still, now);
    if (!v) {
        robo__rctp_reply(c, request, 503, true, "not enough memory");
        return;
    }
    c->view = v;
    if (!read_query(v, query)) {
        robo__rctp_view_close(v);
        robo__rctp_reply(c, request, 400, true,
                         "expected rate=0.001 to 1000, width, height in pixels, quality=1 to 100");
    } else if (robo__http_is(request->method, "HEAD")) {
        robo__rctp_view_close(v);
        robo__rctp_reply_type(c, request, still ? "image/jpeg" : "multipart/x-mixed-replace");
    } else {
        run(v, now);
    }
}

void robo__rctp_get_picture(struct robo__rctp_connection *c,
                            const struct robo__http_request *request, const char *robot,
                            const char *name, struct robo__http_text query, robo_time now)
{
    char camera[ROBO__HTTP_PATH + 1];
    const size_t n = strlen(name);
    const bool still = n > 4 && strcmp(name + n - 4, ".jpg") == 0;
    robo_robot *found = robot[0] ? robo_find(c->conn->host->world, robot) : NULL;
    snprintf(camera, sizeof camera, "%.*s", (int)(still ? n - 4 : n), name);
    if (found)
        look(c, request, found, camera, still, query, now);
    else
        robo__rctp_reply(c, request, 404, true,
                         "there is no such robot; / lists those that there are");
    robo_release(found);
}
