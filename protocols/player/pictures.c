/* Pictures of a camera for a client of a Player server: as JPEG, the newest wins, as often as the client gets data. */
#include <stdlib.h>

#include "base/time.h"
#include "connection.h"
#include "net/viewer.h"
#include "robot/client.h"

enum { QUALITY = 80, RGB888 = 5, JPEG = 1 };
static const robo_time LATER = 200 * 1000000;

struct robo__player_view {
    struct robo__viewer viewer; /* first */
    struct robo__player_connection *c;
    robo_robot *robot; /* held */
    uint16_t index;
};

void robo__player_view_close(struct robo__player_view *v)
{
    if (!v)
        return;
    robo__viewer_leave(&v->viewer);
    robo_release(v->robot);
    robo__budget_give(robo__world_memory(v->c->conn->host->world), sizeof *v);
    robo__viewer_close(&v->viewer);
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

static void on_answer(struct robo__viewer *viewer, struct robo_picture *p, int error, robo_time now)
{
    struct robo__player_view *v = robo__container_of(viewer, struct robo__player_view, viewer);
    (void)error;
    viewer->due = now + (p ? v->c->period : LATER); /* without one: the device may come back */
    if (p) {
        viewer->look.after = p->number;
        send(v, p);
        robo__picture_release(p);
    }
    robo__viewer_ask(viewer, now);
}

bool robo__player_view_open(struct robo__player_connection *c, struct robo__player_subscription *s,
                            robo_time now)
{
    struct robo__player_part part;
    if (!robo__player_part(robo__robot_description(s->robot), s->interf, s->number, &part))
        return false;
    struct robo__camera_slot *camera = robo__camera_find(robo__robot_senses(s->robot), part.camera);
    if (!camera || !robo__camera_is_there(camera))
        return false;
    struct robo__budget *budget = robo__world_memory(c->conn->host->world);
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
        .index = s->index,
        .viewer = { .camera = camera,
                    .due = now,
                    .answered = on_answer,
                    .go_on = robo__viewer_ask,
                    .look.form = { .format = ROBO_JPEG, .quality = QUALITY } },
    };
    s->view = v;
    robo__viewer_open(&v->viewer, c->conn);
    robo__viewer_ask(&v->viewer, now);
    return true;
}
