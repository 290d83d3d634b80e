/* The RCML file of a robot, as programs ask for it. */
#include <string.h>

#include "base/sized.h"
#include "robot_file.h"
#include "robotalk/rcml.h"

/* 0 or ROBO_EINVAL. */
static int group_of(const struct robo_rcml_options *o, struct robo__rcml_group *group)
{
    *group = robo__rcml_group_default;
    group->stamp_size = o->stamp_size;
    group->event_driven = o->event_driven != 0;
    group->lock = o->lock != 0;
    group->mask = o->mask != 0;
    if (o->unit != 0)
        group->unit = o->unit;
    if (o->interval[0] != 0 || o->interval[1] != 0)
        memcpy(group->interval, o->interval, sizeof group->interval);
    return robo__rcml_group_valid(group) ? 0 : ROBO_EINVAL;
}

ptrdiff_t robo_rcml_write(const robo_body *body, const struct robo_rcml_options *options,
                          char *text, size_t size)
{
    struct robo_rcml_options o = { .size = sizeof o };
    struct robo__rcml_group group;
    if (options && robo__sized_take(&o, sizeof o, options) < 0)
        return ROBO_EINVAL;
    if (group_of(&o, &group) < 0)
        return ROBO_EINVAL;
    struct robo__rcml_objects *objects = robo__rcml_objects_make(body, &group);
    if (!objects)
        return ROBO_ENOMEM;
    const struct robo__rcml_place place = { .url = o.url,
                                            .pictures = o.pictures,
                                            .robot = o.robot };
    const ptrdiff_t used = robo__rcml_write(body, objects, &place, text, size);
    robo__rcml_objects_free(objects);
    return used >= 0 && text && (size_t)used > size ? ROBO_EFULL : used;
}
