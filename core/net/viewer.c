/* A connection's view of a camera. */
#include "viewer.h"

#include <stdlib.h>

static void wait_until(struct robo__viewer *v, robo_time due)
{
    if (due != ROBO_NEVER)
        robo__timer_start(v->conn->host->timers, &v->timer, due);
}

static void on_wakeup(struct robo__wakeup *wakeup, robo_time now)
{
    struct robo__viewer *v = robo__container_of(wakeup, struct robo__viewer, look.wakeup);
    struct robo__conn *conn = v->conn;
    if (!conn) {
        free(v);
        return;
    }
    if (v->looks && !v->look.waits) {
        struct robo_picture *picture = v->look.picture;
        v->look.picture = NULL;
        v->looks = false;
        v->answered(v, picture, v->look.error, now);
    } else {
        v->go_on(v, now);
    }
    robo__conn_kick(conn); /* this may free it */
}

static void on_due(struct robo__timer *timer, robo_time now)
{
    struct robo__viewer *v = robo__container_of(timer, struct robo__viewer, timer);
    struct robo__conn *conn = v->conn;
    if (v->looks)
        wait_until(v, robo__camera_try(v->camera, &v->look));
    else
        v->go_on(v, now);
    robo__conn_kick(conn); /* this may free it */
}

void robo__viewer_open(struct robo__viewer *v, struct robo__conn *conn)
{
    v->conn = conn;
    if (v->camera)
        robo__camera_hold(v->camera);
    v->timer.fire = on_due;
    v->look.wakeup.run = on_wakeup;
    v->look.mailbox = &conn->host->mailbox;
}

void robo__viewer_ask(struct robo__viewer *v, robo_time now)
{
    if (v->looks)
        return;
    if (now < v->due) {
        wait_until(v, v->due);
        return;
    }
    v->looks = true;
    wait_until(v, robo__camera_look(v->camera, &v->look));
}

void robo__viewer_leave(struct robo__viewer *v)
{
    if (v->camera) {
        robo__camera_leave(v->camera, &v->look);
        robo__camera_release(v->camera);
    }
    v->camera = NULL;
    v->looks = false;
}

void robo__viewer_close(struct robo__viewer *v)
{
    robo__timer_stop(v->conn->host->timers, &v->timer);
    robo__viewer_leave(v);
    v->conn = NULL;
    if (!atomic_load(&v->look.wakeup.posted))
        free(v);
}
