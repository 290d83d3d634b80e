/* USARSim's image server: a client, its requests, and the picture that is sent to it, on the server's thread. Pictures are taken
 * and encoded by the camera's job. Pixels are turned round here, a few rows at a time, as the client reads. */
#include "protocols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture/jpeg.h"
#include "base/time.h"
#include "frame.h"
#include "net/viewer.h"
#include "robot/client.h"

/* PIECE: bytes that are put into the connection's buffer at once. ASKS: requests that wait; of more the rest is dropped. */
enum { PIECE = 1 << 14, ASKS = 16 };
static const robo_time SECOND = 1000000000, LATER = 100 * 1000000, UNREAD = 30000000000;

enum { LEGACY, TYPE, WIDTH, HEIGHT };
static const struct robo_scheme_option options[] = {
    [LEGACY] = { "legacy", ROBO_SCHEME_FLAG, 0, 1, 0,
                 "the first picture comes unasked, as from USARSim for UT2004" },
    [TYPE] = { "type", ROBO_SCHEME_NUMBER, 0, 5, 2,
               "of pictures: 0 pixels; JPEG, 1 of quality 100, 2 of 75, 3 of 50, 4 of 25, 5 of 10" },
    [WIDTH] = { "width", ROBO_SCHEME_NUMBER, 0, 65535, 0, "pixels, at most; 0: as it was taken" },
    [HEIGHT] = { "height", ROBO_SCHEME_NUMBER, 0, 65535, 0, "pixels, at most; 0: as it was taken" },
    { NULL, ROBO_SCHEME_FLAG, 0, 0, 0, NULL },
};

static const char *wrong_options(const double *option)
{
    return option[TYPE] != (int)option[TYPE] ? "expected a type of 0 to 5" : NULL;
}

struct view {
    struct robo__viewer viewer; /* first */
    struct robo__conn *conn;
    char robot[32], name[32]; /* as the address has them; empty: the first */
    unsigned type;            /* of whole pictures */
    robo_robot *held;         /* NULL: nothing was asked for yet */
    struct robo__upis_reader reader;
    struct robo__upis_ask ask[ASKS]; /* in the order in which they came */
    unsigned asks;
    bool unasked;                 /* the first picture is still to be sent so */
    struct robo_picture *picture; /* that goes out; NULL: none */
    struct robo__upis_area area;  /* of it, as pixels */
    size_t at, charged;           /* bytes, or rows, that have gone; bytes of the world's budget */
    struct robo__timer unread;
    size_t seen, left; /* at the last check: bytes sent, and bytes that the client had not read */
    robo_time read_at; /* when it last read some */
};

struct connection {
    struct view *view;
};

static struct robo__budget *budget_of(const struct view *v)
{
    return robo__world_pictures(v->conn->host->world);
}

static void put_down(struct view *v)
{
    robo__picture_release(v->picture);
    robo__budget_give(budget_of(v), v->charged);
    v->conn->share->pictures -= v->charged;
    v->picture = NULL;
    v->charged = 0;
}

static void close_with(struct view *v, const char *why)
{
    robo__world_log(v->conn->host->world, ROBO_LOG_WARNING, "upis: %s: the connection is closed",
                    why);
    v->conn->closing = true;
}

/* ---- a picture goes out ---- */

/* Room for n bytes more; NULL: the client has to read first, or the connection is closing. */
static uint8_t *room_for(struct view *v, size_t n)
{
    size_t waiting;
    robo__conn_output(v->conn, &waiting);
    if (waiting <= ROBO__CONN_BUSY)
        return robo__conn_reserve(v->conn, n);
    v->conn->owes = true;
    return NULL;
}

/* True: all of it has gone. */
static bool send_jpeg(struct view *v)
{
    const struct robo_picture *p = v->picture;
    while (v->at < p->size) {
        const size_t head = v->at == 0 ? ROBO__UPIS_HEAD : 0, left = p->size - v->at,
                     n = left < PIECE ? left : PIECE;
        uint8_t *out = room_for(v, head + n);
        if (!out)
            return false;
        if (head > 0)
            robo__upis_head(v->type, p->size, out);
        memcpy(out + head, p->bytes + v->at, n);
        robo__conn_commit(v->conn, head + n);
        v->at += n;
    }
    return true;
}

static bool send_pixels(struct view *v)
{
    const struct robo__upis_area *area = &v->area;
    const size_t size = robo__upis_row_size(area), most = size > 0 ? PIECE / size + 1 : 0;
    bool head = v->at == 0;
    while (head || v->at < area->height) {
        const size_t left = area->height - v->at, rows = left < most ? left : most;
        const size_t before = head ? ROBO__UPIS_RAW_HEAD : 0;
        uint8_t *out = room_for(v, before + rows * size);
        if (!out)
            return false;
        if (head)
            robo__upis_raw_head(area, out);
        for (size_t i = 0; i < rows; i++)
            robo__upis_row(v->picture->bytes, v->picture->width, area, (uint32_t)(v->at + i),
                           out + before + i * size);
        robo__conn_commit(v->conn, before + rows * size);
        v->at += rows;
        head = false;
    }
    return true;
}

static bool send_picture(struct view *v)
{
    return v->picture->format == ROBO_JPEG ? send_jpeg(v) : send_pixels(v);
}

/* Checks, while a picture goes out, whether the client has read any of it in time. */
static void on_unread(struct robo__timer *timer, robo_time now)
{
    struct view *v = robo__container_of(timer, struct view, unread);
    struct robo__conn *conn = v->conn;
    size_t left;
    if (!v->picture)
        return;
    robo__conn_output(conn, &left);
    if (left != v->left || v->at != v->seen)
        v->read_at = now;
    v->left = left;
    v->seen = v->at;
    if (now - v->read_at < UNREAD) {
        robo__timer_start(conn->host->timers, timer, now + SECOND);
        return;
    }
    close_with(v, "the client does not read its picture");
    robo__conn_drop(conn);
    robo__conn_kick(conn); /* this may free it */
}

static void watch_reading(struct view *v, robo_time now)
{
    if (v->unread.place != ROBO__TIMER_IDLE)
        return;
    robo__conn_output(v->conn, &v->left);
    v->seen = v->at;
    v->read_at = now;
    robo__timer_start(v->conn->host->timers, &v->unread, now + SECOND);
}

/* ---- from one picture to the next ---- */

/* The camera that the address names, of the robot as it is described now; false: there is none, and the connection is closing. */
static bool find_camera(struct view *v)
{
    if (!v->held)
        v->held = robo_find(v->conn->host->world, v->robot);
    if (!v->held) {
        close_with(v, "there is no such robot");
        return false;
    }
    const struct robo_description *d = robo__robot_description(v->held);
    unsigned i = 0;
    while (i < d->cameras && v->name[0] && strcmp(d->camera[i].name, v->name) != 0)
        i++;
    struct robo__camera_slot *camera =
        i < d->cameras ? robo__camera_find(robo__robot_senses(v->held), i) : NULL;
    if (camera)
        v->viewer.camera = robo__camera_hold(camera);
    else
        close_with(v, i < d->cameras ? "nobody gives pictures of its camera"
                                     : "the robot has no such camera");
    return v->viewer.camera;
}

/* Asks the camera for what the client wants next, when it is time. */
static void look(struct view *v, robo_time now)
{
    if (now >= v->viewer.due && !v->viewer.camera && !find_camera(v))
        return;
    const bool jpeg = v->ask[0].whole && v->type != ROBO__UPIS_RAW;
    v->viewer.look.form.format = jpeg ? ROBO_JPEG : ROBO_RGB;
    v->viewer.look.form.quality = (uint8_t)robo__upis_quality(v->type);
    robo__viewer_ask(&v->viewer, now);
}

/* Nothing in the protocol says that there is no picture: the client waits until there is. */
static void try_later(struct view *v, int error, robo_time now)
{
    char why[256];
    v->viewer.due = now + LATER;
    if (error == ROBO_ENONE) { /* the robot was reloaded, or removed */
        robo__viewer_leave(&v->viewer);
        v->viewer.look.after = 0;
        robo_release(v->held);
        v->held = NULL;
    } else if (error == ROBO_ESYSTEM) {
        close_with(v, robo__jpeg_load(why) < 0 ? why : "pictures cannot be encoded here");
    }
}

static void take(struct view *v, struct robo_picture *p, int error, robo_time now)
{
    if (!p) {
        try_later(v, error, now);
        return;
    }
    const size_t room = robo__picture_room(p);
    struct robo__share *share = v->conn->share;
    if (!robo__budget_take(budget_of(v), share->pictures, room)) {
        robo__picture_release(p);
        try_later(v, ROBO_ENOMEM, now);
        return;
    }
    v->picture = p;
    v->charged = room;
    share->pictures += room;
    v->at = 0;
    v->viewer.look.after = p->number;
    const struct robo__upis_area all = { 0, 0, p->width, p->height };
    v->area = v->ask[0].whole ? all : robo__upis_clip(v->ask[0].area, p->width, p->height);
}

/* Goes on as far as it can. */
static void run(struct view *v, robo_time now)
{
    while (v->asks > 0 && !v->viewer.looks && !v->conn->closing) {
        if (!v->picture) {
            look(v, now);
            return;
        }
        if (!send_picture(v)) {
            watch_reading(v, now);
            return;
        }
        put_down(v);
        memmove(v->ask, v->ask + 1, --v->asks * sizeof v->ask[0]);
    }
}

static void on_answer(struct robo__viewer *viewer, struct robo_picture *picture, int error,
                      robo_time now)
{
    struct view *v = robo__container_of(viewer, struct view, viewer);
    take(v, picture, error, now);
    run(v, now);
}

static void begin(struct view *v)
{
    if (!v->unasked)
        return;
    v->unasked = false;
    v->ask[v->asks++] = (struct robo__upis_ask){ .whole = true };
}

static void go_on(struct robo__viewer *viewer, robo_time now)
{
    struct view *v = robo__container_of(viewer, struct view, viewer);
    if (robo__conn_role(viewer->conn) > 0) /* else it has to identify itself by its first bytes */
        begin(v);
    run(v, now);
}

/* ---- a connection ---- */

static size_t feed(void *state, const uint8_t *in, size_t n, bool one, robo_time now)
{
    struct view *v = ((struct connection *)state)->view;
    struct robo__upis_ask ask;
    size_t done = 0, used;
    begin(v);
    while (done < n) {
        const bool is_whole = robo__upis_next(&v->reader, in + done, n - done, &used, &ask);
        done += used;
        if (is_whole && v->asks < ASKS)
            v->ask[v->asks++] = ask;
        if (is_whole && one)
            break;
    }
    if (!v->picture) /* else it goes on when the client has read */
        run(v, now);
    return done;
}

static void resume(void *state, robo_time now)
{
    run(((struct connection *)state)->view, now);
}

static int open_connection(void *state, struct robo__conn *conn, const struct robo__url *url)
{
    struct view *v = calloc(1, sizeof *v);
    if (!v)
        return ROBO_ENOMEM;
    ((struct connection *)state)->view = v;
    v->conn = conn;
    robo__viewer_open(&v->viewer, conn);
    v->viewer.answered = on_answer;
    v->viewer.go_on = go_on;
    v->type = (unsigned)url->option[TYPE];
    v->unasked = url->option[LEGACY] != 0;
    v->unread.fire = on_unread;
    v->viewer.look.form.width = (uint16_t)url->option[WIDTH];
    v->viewer.look.form.height = (uint16_t)url->option[HEIGHT];
    snprintf(v->robot, sizeof v->robot, "%s", url->robot);
    snprintf(v->name, sizeof v->name, "%s", url->part);
    if (v->unasked) /* then a transport is there, and access control */
        robo__timer_start(conn->host->timers, &v->viewer.timer, robo_now(conn->host->world));
    return 0;
}

static void close_connection(void *state)
{
    struct view *v = ((struct connection *)state)->view;
    robo__timer_stop(v->conn->host->timers, &v->unread);
    robo__viewer_leave(&v->viewer);
    put_down(v);
    robo_release(v->held);
    robo__viewer_close(&v->viewer);
}

const struct robo__protocol robo__upis = { .name = "upis",
                                           .port = 5003,
                                           .size = sizeof(struct connection),
                                           .options = options,
                                           .watches = true,
                                           .names_part = true,
                                           .wrong = wrong_options,
                                           .open = open_connection,
                                           .feed = feed,
                                           .resume = resume,
                                           .close = close_connection };
