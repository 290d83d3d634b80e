/* Pictures to clients. */
#include "views.h"

#include <stdlib.h>
#include <string.h>

#include "picture/jpeg.h"
#include "base/time.h"
#include "net/viewer.h"
#include "robot/client.h"
#include "server_session.h"

/* PIECE: bytes of a picture in one answer; HEADS: beside them */
enum { PIECE = 1 << 14, HEADS = 128 };
/* LEAST_PERIOD: no camera is quicker, so that is each picture. AHEAD: a client that got the last picture in so short a time has the next
 * one made while one is sent, if it is not older then */
static const robo_time LEAST_PERIOD = 1000000, LATER = 50 * 1000000, AHEAD = 20 * 1000000;
/* A picture of which the client takes no piece for that long is kept no longer. */
static const robo_time PATIENCE = 5LL * 1000000000;

/* A picture that is held for the client. */
struct kept {
    struct robo_picture *picture; /* NULL: none */
    size_t charged;               /* bytes of the world's budget for its buffer */
    robo_time came;
};

struct robo__view {
    struct robo__viewer viewer; /* first */
    struct robo__server_session *ss;
    uint32_t id;
    uint16_t op;
    robo_time period;              /* from one picture to the next */
    uint64_t granted, sent, heard; /* bytes: at most so many may be under way */
    struct kept out, next;         /* the one that is sent, and the one that follows */
    size_t at;                     /* how much of it was sent */
    robo_time took;                /* until the last one had gone */
    struct robo__timer patience;   /* while one goes out: since its last piece */
};

static struct robo__conn *conn_of(const struct robo__view *v)
{
    return v->ss->serve->conn;
}

static struct robo__budget *budget_of(const struct robo__view *v)
{
    return robo__world_pictures(conn_of(v)->host->world);
}

static void put_down(struct robo__view *v, struct kept *h)
{
    robo__picture_release(h->picture);
    robo__budget_give(budget_of(v), h->charged);
    v->ss->serve->pictures -= h->charged;
    conn_of(v)->share->pictures -= h->charged;
    *h = (struct kept){ 0 };
}

/* Holds a picture, which is charged to the client as a whole, though others may have it too; false: that would be more than its
 * share. */
static bool hold(struct robo__view *v, struct kept *h, struct robo_picture *picture, robo_time now)
{
    struct robo__serve *serve = v->ss->serve;
    const size_t room = robo__picture_room(picture);
    struct robo__share *share = serve->conn->share;
    const size_t have = robo__share_have(share, serve->pictures, share->pictures);
    if (!robo__budget_take(budget_of(v), have, room)) {
        robo__picture_release(picture);
        return false;
    }
    serve->pictures += room;
    share->pictures += room;
    *h = (struct kept){ .picture = picture, .charged = room, .came = now };
    return true;
}

static void close_view(struct robo__view *v)
{
    struct robo__server_session *ss = v->ss;
    robo__timer_stop(conn_of(v)->host->timers, &v->patience);
    robo__viewer_leave(&v->viewer);
    put_down(v, &v->out);
    put_down(v, &v->next);
    for (size_t i = 0; i < ROBO__VIEWS; i++)
        if (ss->view[i] == v)
            ss->view[i] = NULL;
    robo__viewer_close(&v->viewer);
}

/* Ends it with a notice to the client. */
static void end(struct robo__view *v, int error, robo_time now)
{
    const struct robo_header header = { .session = v->ss->id };
    struct robo__serve *serve = v->ss->serve;
    char why[256];
    const char *words = NULL;
    if (error == ROBO_ENONE)
        words = "the camera is gone, or the robot was described anew";
    else if (error == ROBO_EDEVICE)
        words = "the camera gives no picture";
    else if (error == ROBO_ETIMEOUT)
        words = "no piece of its picture was taken for 5 s";
    else if (error == ROBO_EBODY)
        words = "the camera gave a damaged picture";
    else if (error == ROBO_ESYSTEM && robo__jpeg_load(why) < 0)
        words = why;
    const uint32_t id = v->id;
    close_view(v);
    robo__serve_fault(serve, &header, error, id, 0, words, now);
}

static void wait_for_client(struct robo__view *v, robo_time now)
{
    robo__timer_start(conn_of(v)->host->timers, &v->patience, now + PATIENCE);
}

static void on_patience_over(struct robo__timer *timer, robo_time now)
{
    struct robo__view *v = robo__container_of(timer, struct robo__view, patience);
    struct robo__conn *conn = conn_of(v);
    end(v, ROBO_ETIMEOUT, now);
    robo__conn_kick(conn);
}

/* ---- pieces ---- */

/* One piece; false: the connection is closing. */
static bool send_piece(struct robo__view *v, robo_time now)
{
    const struct robo_picture *p = v->out.picture;
    struct robo__serve *serve = v->ss->serve;
    const size_t left = p->size - v->at, count = left < PIECE ? left : PIECE;
    struct robo_reply_picture a = { .number = p->number,
                                    .time = p->time,
                                    .width = p->width,
                                    .height = p->height,
                                    .format = p->format,
                                    .size = (uint32_t)p->size,
                                    .offset = (uint32_t)v->at,
                                    .count = (uint16_t)count };
    memcpy(a.bytes, p->bytes + v->at, count);
    if (!robo__serve_begin(serve, ROBO_HEADER_SIZE + HEADS + count))
        return false;
    robo_package_add(&serve->out, v->op, v->id, NULL, NULL,
                     robo_operation_find(robo__queries, v->op)->reply, &a);
    robo__serve_end(serve, ROBO_TYPE_REPLY, v->ss, 0, now);
    v->at += count;
    v->sent += count;
    wait_for_client(v, now);
    return true;
}

/* Sends as much as possible now; true: all of the picture was sent. */
static bool send_pieces(struct robo__view *v, robo_time now)
{
    struct robo__conn *conn = conn_of(v);
    const size_t size = v->out.picture->size;
    while (v->at < size) {
        const size_t left = size - v->at, count = left < PIECE ? left : PIECE;
        size_t waiting;
        robo__conn_output(conn, &waiting);
        if (v->sent - v->heard + count > v->granted)
            return false; /* until the client has acknowledged more */
        if (waiting > ROBO__CONN_BUSY) {
            conn->owes = true;
            return false;
        }
        if (!send_piece(v, now))
            return false;
    }
    return true;
}

/* ---- from one picture to the next ---- */

/* Takes a finished picture, unless it would take more memory than this client may have: then it is left out. */
static void take(struct robo__view *v, struct robo_picture *p, int error, robo_time now)
{
    const bool lasts = error == ROBO_ENONE || error == ROBO_ESYSTEM;
    if (!p && v->op == ROBO_Q_VIEW && !lasts) {
        v->viewer.due =
            now + LATER; /* the device may come back, and the next picture be a better one */
    } else if (!p) {
        end(v, error, now);
    } else {
        const uint64_t number = p->number;
        const robo_time due = v->viewer.due;
        v->viewer.due = (due > now - v->period ? due : now) + v->period;
        if (hold(v, &v->next, p, now))
            return;
        v->viewer.look.after = number;
        if (v->op == ROBO_Q_PICTURE)
            end(v, ROBO_ENOMEM, now);
    }
}

/* The picture that goes out next; false: it has to come yet. */
static bool begin(struct robo__view *v, robo_time now)
{
    if (v->next.picture && now > v->next.came + AHEAD) {
        put_down(v, &v->next); /* perhaps it is the newest no more */
        v->viewer.due = now;
    }
    if (!v->next.picture) {
        robo__viewer_ask(&v->viewer, now);
        return false;
    }
    v->out = v->next;
    v->out.came = now;
    v->next = (struct kept){ 0 };
    v->at = 0;
    v->viewer.look.after = v->out.picture->number;
    wait_for_client(v, now);
    return true;
}

/* Goes on as far as it can. */
static void run(struct robo__view *v, robo_time now)
{
    while (v->out.picture || begin(v, now)) {
        if (v->took <= AHEAD && !v->next.picture && v->op == ROBO_Q_VIEW)
            robo__viewer_ask(&v->viewer, now);
        if (!send_pieces(v, now))
            return;
        v->took = now - v->out.came;
        put_down(v, &v->out);
        robo__timer_stop(conn_of(v)->host->timers, &v->patience);
        if (v->op == ROBO_Q_PICTURE) {
            close_view(v);
            return;
        }
    }
}

static void go_on(struct robo__viewer *viewer, robo_time now)
{
    run(robo__container_of(viewer, struct robo__view, viewer), now);
}

/* ---- requests of clients ---- */

static struct robo__view *find(const struct robo__server_session *ss, uint32_t id)
{
    for (size_t i = 0; i < ROBO__VIEWS; i++)
        if (ss->view[i] && ss->view[i]->id == id)
            return ss->view[i];
    return NULL;
}

static void on_answer(struct robo__viewer *viewer, struct robo_picture *picture, int error,
                      robo_time now)
{
    struct robo__view *v = robo__container_of(viewer, struct robo__view, viewer);
    struct robo__server_session *ss = v->ss;
    const uint32_t id = v->id;
    take(v, picture, error, now);
    v = find(ss, id);
    if (v) /* else it is over */
        run(v, now);
}

int robo__view_open(struct robo__server_session *ss, uint32_t id, uint16_t op,
                    const struct robo_request_picture *request, robo_time now)
{
    robo_robot *robot = robo__session_robot(ss->session);
    struct robo__camera_slot *camera =
        robo__camera_find(robo__robot_senses(robot), request->camera);
    struct robo__view **place = NULL;
    if (!camera || !robo__camera_is_there(camera))
        return ROBO_ENONE;
    if (op == ROBO_Q_VIEW && (request->period < LEAST_PERIOD || request->period > ROBO__HORIZON))
        return ROBO_ERANGE;
    if (find(ss, id))
        return ROBO_EEXISTS;
    for (size_t i = 0; i < ROBO__VIEWS && !place; i++)
        if (!ss->view[i])
            place = &ss->view[i];
    if (!place)
        return ROBO_ELIMIT;
    struct robo__view *v = calloc(1, sizeof *v);
    if (!v)
        return ROBO_ENOMEM;
    *v = (struct robo__view){ .ss = ss,
                              .id = id,
                              .op = op,
                              .period = request->period > LEAST_PERIOD ? request->period : 0,
                              .took = ROBO_NEVER,
                              .granted = request->window,
                              .patience.fire = on_patience_over,
                              .viewer = { .camera = camera,
                                          .due = now,
                                          .answered = on_answer,
                                          .go_on = go_on,
                                          .look = { .form = { .format = request->format,
                                                              .quality = request->quality,
                                                              .width = request->width,
                                                              .height = request->height },
                                                    .after = request->after } } };
    robo__viewer_open(&v->viewer, conn_of(v));
    *place = v;
    run(v, now);
    return 0;
}

int robo__view_heard(struct robo__server_session *ss, uint32_t id, uint64_t bytes)
{
    struct robo__view *v = find(ss, id);
    if (v && (bytes < v->heard || bytes > v->sent))
        return ROBO_ERANGE;
    if (v)
        v->heard = bytes;
    return 0;
}

int robo__view_close(struct robo__server_session *ss, uint32_t id)
{
    struct robo__view *v = find(ss, id);
    if (!v)
        return ROBO_ENONE;
    close_view(v);
    return 0;
}

void robo__views_close(struct robo__server_session *ss)
{
    for (size_t i = 0; i < ROBO__VIEWS; i++)
        if (ss->view[i])
            close_view(ss->view[i]);
}

void robo__views_resume(struct robo__server_session *ss, robo_time now)
{
    for (size_t i = 0; i < ROBO__VIEWS; i++)
        if (ss->view[i] && ss->view[i]->out.picture)
            run(ss->view[i], now);
}
