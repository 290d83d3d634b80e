/* Pictures of a camera for a client of a Player server: as JPEG, the newest wins, as often as the client hears of anything. */
#include <stdlib.h>

#include "base/time.h"
#include "connection.h"
#include "robot/camera.h"
#include "robot/robot.h"

enum { QUALITY = 80, RGB888 = 5, JPEG = 1 };
static const robo_time LATER = 200 * 1000000;

struct robo__player_view {
    struct robo__look look;            /* first */
    struct robo__player_connection *c; /* NULL: it is over, and freed when its wake-up has run */
    robo_robot *robot;                 /* held */
    struct robo__camera_slot *camera;
    uint16_t index;
    bool looks; /* has asked the camera, and not heard yet */
    robo_time due;
    struct robo__timer timer;
};

void robo__player_view_close(struct robo__player_view *v)
{
    if (!v)
        return;
    robo__timer_stop(v->c->conn->host->timers, &v->timer);
    robo__camera_leave(v->camera, &v->look);
    robo_release(v->robot);
    robo__budget_give(&v->c->conn->host->world->memory, sizeof *v);
    v->c = NULL;
    if (!atomic_load(&v->look.wakeup.posted))
        free(v);
}

static void wait_until(struct robo__player_view *v, robo_time due)
{
    if (due != ROBO_NEVER)
        robo__timer_start(v->c->conn->host->timers, &v->timer, due);
}

static void ask(struct robo__player_view *v, robo_time now)
{
    if (now < v->due) {
        wait_until(v, v->due);
        return;
    }
    v->looks = true;
    wait_until(v, robo__camera_look(v->camera, &v->look));
}

static void send(struct robo__player_view *v, const struct robo_picture *p)
{
    const struct robo__player_body body = {
        .value = { p->width, p->height, 24, RGB888, 1, JPEG },
        .array = { { .count = (uint32_t)p->size, .raw = p->bytes } },
    };
    if (p->size <= ROBO__PLAYER_PICTURE)
        robo__player_say(v->c, ROBO__PLAYER_CAMERA, v->index, ROBO__PLAYER_DATA, 1, p->time, "6ux",
                         &body);
    else
        v->c->queue.dropped_all++;
}

static void take(struct robo__player_view *v, robo_time now)
{
    struct robo_picture *p = v->look.picture;
    v->look.picture = NULL;
    v->looks = false;
    v->due = now + (p ? v->c->period : LATER); /* without one: the device may come back */
    if (!p)
        return;
    v->look.after = p->number;
    send(v, p);
    robo__picture_release(p);
}

static void on_wakeup(struct robo__wakeup *wakeup, robo_time now)
{
    struct robo__player_view *v = robo__container_of(wakeup, struct robo__player_view, look.wakeup);
    if (!v->c) {
        free(v);
        return;
    }
    struct robo__conn *conn = v->c->conn;
    if (v->looks && !v->look.waits) {
        take(v, now);
        ask(v, now);
    }
    robo__conn_kick(conn); /* this may free it */
}

static void on_due(struct robo__timer *timer, robo_time now)
{
    struct robo__player_view *v = robo__container_of(timer, struct robo__player_view, timer);
    struct robo__conn *conn = v->c->conn;
    if (v->looks)
        wait_until(v, robo__camera_try(v->camera, &v->look));
    else
        ask(v, now);
    robo__conn_kick(conn);
}

bool robo__player_view_open(struct robo__player_connection *c, struct robo__player_subscription *s,
                            robo_time now)
{
    struct robo__player_part part;
    if (!robo__player_part(robo_robot_description(s->robot), s->interf, s->number, &part))
        return false;
    struct robo__camera_slot *camera = robo__camera_find(s->robot, part.camera);
    if (!camera || !robo__camera_is_there(camera))
        return false;
    struct robo__budget *budget = &c->conn->host->world->memory;
    if (!robo__budget_take(budget, c->conn->memory, sizeof(struct robo__player_view)))
        return false;
    struct robo__player_view *v = calloc(1, sizeof *v);
    if (!v) {
        robo__budget_give(budget, sizeof *v);
        return false;
    }
    *v = (struct robo__player_view){
        .c = c,
        .robot = robo_hold(s->robot),
        .camera = camera,
        .index = s->index,
        .due = now,
        .timer.fire = on_due,
        .look = { .wakeup.run = on_wakeup,
                  .mailbox = &c->conn->host->mailbox,
                  .form = { .format = ROBO_JPEG, .quality = QUALITY } },
    };
    s->view = v;
    ask(v, now);
    return true;
}
