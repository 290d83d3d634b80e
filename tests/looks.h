/* Somebody in a test who looks at the first camera of a robot: in a virtual world the answer is there at once, or he waits for it; else it
 * comes from the camera's job. */
#pragma once

#include "base/time.h"
#include "base/wakeup.h"
#include "robot/client.h"
#include "robot/senses/camera.h"

struct onlooker {
    struct robo__look look;
    struct robo__mailbox mailbox;
    struct robo__camera_slot *camera;
    bool answered;
};

static inline void on_look_answered(struct robo__wakeup *wakeup, robo_time now)
{
    struct robo__look *look = robo__container_of(wakeup, struct robo__look, wakeup);
    (void)now;
    robo__container_of(look, struct onlooker, look)->answered = true;
}

static inline void on_look_posted(struct robo__mailbox *mailbox)
{
    (void)mailbox; /* whoever looks drains it */
}

static inline bool is_answered(struct onlooker *o)
{
    robo__wakeup_drain(&o->mailbox, 0);
    return o->answered;
}

/* after: number of a picture: a newer one is wanted; 0: the newest. It is to be ended by look_away. */
static inline void look_after(struct onlooker *o, robo_robot *at, uint64_t after,
                              struct robo__form form)
{
    *o =
        (struct onlooker){ .look = { .wakeup.run = on_look_answered, .form = form, .after = after },
                           .mailbox.notify = on_look_posted,
                           .camera = robo__camera_find(robo__robot_senses(at), 0) };
    o->look.mailbox = &o->mailbox;
    assert_non_null(o->camera);
    robo__camera_look(o->camera, &o->look);
    is_answered(o);
}

static inline void look_at(struct onlooker *o, robo_robot *at, struct robo__form form)
{
    look_after(o, at, 0, form);
}

/* 0: a picture, or he waits; else the error. */
static inline int look_away(struct onlooker *o)
{
    const int error = o->look.picture ? 0 : o->look.error;
    robo__camera_leave(o->camera, &o->look);
    return error;
}

/* The number of the picture that is there at once, or the error; 0: one would have to wait. */
static inline int64_t number_seen(robo_robot *at, uint8_t format, uint8_t quality)
{
    struct onlooker o;
    look_at(&o, at, (struct robo__form){ .format = format, .quality = quality });
    const int64_t number = o.look.picture ? (int64_t)o.look.picture->number : 0;
    const int error = look_away(&o);
    return error < 0 ? error : number;
}
