/* The objects of a robot, as programs ask for them. */
#include <string.h>

#include "body/body.h"
#include "objects.h"

static const char *const kinds[] = { [ROBO__RCML_VIDEO] = "video",
                                     [ROBO__RCML_AUDIO] = "audio",
                                     [ROBO__RCML_CONTROL] = "control",
                                     [ROBO__RCML_TEXT] = "text",
                                     [ROBO__RCML_BINARY] = "binary" };

static const char *const parts[] = {
    [ROBO__RCML_BASE] = "base",       [ROBO__RCML_JOINT] = "joint",
    [ROBO__RCML_JOINTS] = "joints",   [ROBO__RCML_FRAME] = "frame",
    [ROBO__RCML_COMMAND] = "command", [ROBO__RCML_WIDGET] = "widget",
    [ROBO__RCML_SENSOR] = "sensor",   [ROBO__RCML_CAMERA] = "camera",
    [ROBO__RCML_NOTICES] = "notices", [ROBO__RCML_OTHER] = "other",
};

static const char *const quantities[] = { [ROBO__RCML_POSITION] = "position",
                                          [ROBO__RCML_SPEED] = "speed",
                                          [ROBO__RCML_FORCE] = "force",
                                          [ROBO__RCML_READING] = "reading" };

/* By quantity, of prismatic and of revolute dofs. */
static const char *const units[][2] = { [ROBO__RCML_POSITION] = { "m", "rad" },
                                        [ROBO__RCML_SPEED] = { "m/s", "rad/s" },
                                        [ROBO__RCML_FORCE] = { "N", "N*m" },
                                        [ROBO__RCML_READING] = { "", "" } };

static bool turns(const struct robo_description *d, enum robo__rcml_part part, unsigned which)
{
    switch (part) {
    case ROBO__RCML_BASE: return which == 2;
    case ROBO__RCML_FRAME: return which >= 3;
    case ROBO__RCML_JOINT:
    case ROBO__RCML_JOINTS: return d->dof[which].kind != ROBO_PRISMATIC;
    default: return false;
    }
}

static struct robo_rcml_item_parameter parameter_of(const struct robo_description *d,
                                                    enum robo__rcml_part part,
                                                    const struct robo__rcml_parameter *p)
{
    struct robo_rcml_item_parameter out = { .quantity = quantities[p->quantity],
                                            .unit = units[p->quantity][turns(d, part, p->which)],
                                            .which = p->which,
                                            .low = p->low,
                                            .high = p->high };
    memcpy(out.name, p->name, sizeof out.name);
    return out;
}

static struct robo_rcml_item object_of(const struct robo__rcml_object *o, size_t first)
{
    struct robo_rcml_item out = { .type = kinds[o->kind],
                                  .part = parts[o->part],
                                  .output = o->output,
                                  .number = o->number,
                                  .parameters = o->parameters,
                                  .first = (uint32_t)first };
    memcpy(out.name, o->name, sizeof out.name);
    memcpy(out.translator, o->translator, sizeof out.translator);
    return out;
}

int robo_rcml_objects(const robo_body *body, struct robo_rcml_item *object, size_t objects,
                      struct robo_rcml_item_parameter *parameter, size_t parameters, size_t *all)
{
    struct robo__rcml_objects *list = robo__rcml_objects_make(body, NULL);
    if (!list)
        return ROBO_ENOMEM;
    size_t first = 0;
    for (unsigned i = 0; i < list->count; i++) {
        const struct robo__rcml_object *o = &list->object[i];
        if (object && i < objects)
            object[i] = object_of(o, first);
        for (unsigned k = 0; k < o->parameters; k++, first++)
            if (parameter && first < parameters)
                parameter[first] = parameter_of(&body->description, o->part, &o->parameter[k]);
    }
    *all = first;
    const int count = (int)list->count;
    robo__rcml_objects_free(list);
    return count;
}
