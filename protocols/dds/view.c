/* Pictures for a topic. */
#include "view.h"

#include <stdlib.h>

#include "net/viewer.h"
#include "robot/client.h"

enum { QUALITY = 80 };

struct robo__ros_view {
    struct robo__viewer viewer; /* first: it frees the view */
    robo_time period;
    void (*arrived)(void *owner, const struct robo_picture *picture);
    void *owner;
};

static void on_picture(struct robo__viewer *viewer, struct robo_picture *p, int error,
                       robo_time now)
{
    struct robo__ros_view *v = robo__container_of(viewer, struct robo__ros_view, viewer);
    (void)error; /* the device may come back */
    viewer->due = now + v->period;
    if (p) {
        viewer->look.after = p->number;
        v->arrived(v->owner, p);
        robo__picture_release(p);
    }
    robo__viewer_ask(viewer, now);
}

struct robo__ros_view *
robo__ros_view_open(struct robo__conn *conn, const struct robo__ros_topic *topic, robo_time period,
                    void (*arrived)(void *owner, const struct robo_picture *picture), void *owner,
                    robo_time now)
{
    struct robo__camera_slot *camera =
        robo__camera_find(robo__robot_senses(topic->robot), topic->number);
    struct robo__ros_view *v =
        camera && robo__camera_is_there(camera) ? calloc(1, sizeof *v) : NULL;
    if (!v)
        return NULL;
    *v = (struct robo__ros_view){ .viewer = { .camera = camera,
                                              .due = now,
                                              .answered = on_picture,
                                              .go_on = robo__viewer_ask,
                                              .look.form = { .format = ROBO_JPEG,
                                                             .quality = QUALITY } },
                                  .period = period,
                                  .arrived = arrived,
                                  .owner = owner };
    robo__viewer_open(&v->viewer, conn);
    robo__viewer_ask(&v->viewer, now);
    return v;
}

void robo__ros_view_close(struct robo__ros_view *v)
{
    if (!v)
        return;
    robo__viewer_leave(&v->viewer);
    robo__viewer_close(&v->viewer);
}
