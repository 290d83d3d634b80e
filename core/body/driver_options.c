/* The options that a description's drivers are given. */
#include "driver_options.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_good(const struct robo_option *o)
{
    if (!o->name || !o->name[0] || strlen(o->name) > ROBO_MAX_OPTION_NAME)
        return false;
    switch (o->type) {
    case ROBO_OPTION_FLAG: return o->value.integer == 0 || o->value.integer == 1;
    case ROBO_OPTION_INTEGER: return true;
    case ROBO_OPTION_REAL: return isfinite(o->value.real);
    case ROBO_OPTION_TEXT: return o->value.text && strlen(o->value.text) <= ROBO_MAX_OPTION_TEXT;
    default: return false;
    }
}

int robo__bindings_check(const struct robo_description *d, char why[128])
{
    for (unsigned i = 0; i < d->devices && i < ROBO_MAX_DEVICES; i++) {
        const struct robo_binding *b = &d->device[i];
        for (unsigned k = 0; k < b->options; k++) {
            if (is_good(&b->option[k]))
                continue;
            if (why)
                snprintf(why, 128,
                         "device %u (%.31s): option %u has no name, or no value that can be", i,
                         b->driver, k);
            return ROBO_EINVAL;
        }
    }
    return 0;
}

static size_t bytes_of(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

static const char *text_of(const struct robo_option *o)
{
    return o->type == ROBO_OPTION_TEXT ? o->value.text : NULL;
}

static const char *put(char **at, const char *text)
{
    size_t n = bytes_of(text);
    const char *copy = memcpy(*at, text, n);
    *at += n;
    return copy;
}

int robo__bindings_copy(struct robo_description *d, void **memory)
{
    size_t options = 0, bytes = 0;
    for (unsigned i = 0; i < d->devices; i++) {
        options += d->device[i].options;
        for (unsigned k = 0; k < d->device[i].options; k++)
            bytes +=
                bytes_of(d->device[i].option[k].name) + bytes_of(text_of(&d->device[i].option[k]));
    }
    *memory = NULL;
    if (options == 0)
        return 0;
    struct robo_option *o = *memory = malloc(options * sizeof *o + bytes);
    if (!o)
        return ROBO_ENOMEM;
    char *at = (char *)(o + options);
    for (unsigned i = 0; i < d->devices; i++) {
        struct robo_binding *b = &d->device[i];
        const struct robo_option *from = b->option;
        b->option = o;
        for (unsigned k = 0; k < b->options; k++, o++) {
            *o = from[k];
            o->name = put(&at, from[k].name);
            if (text_of(o))
                o->value.text = put(&at, from[k].value.text);
        }
    }
    return 0;
}

enum { UNKNOWN = ROBO_MAX_DEVICES, NOBODY = 255 };

static uint8_t device_of(const struct robo_description *d, const char *joint)
{
    for (unsigned i = 0; i < d->joints; i++)
        if (strcmp(d->joint[i].name, joint) == 0)
            return d->joint[i].device;
    return UNKNOWN;
}

/* Of sensors by their names; a new one has the driver of the first. */
static void inherit_sensors(struct robo_description *d, const struct robo_description *from)
{
    for (unsigned i = 0; i < d->sensors; i++) {
        const int was = robo_description_find(from, ROBO_RECORD_SENSOR, d->sensor[i].name);
        d->sensor[i].device = was >= 0            ? from->sensor[was].device
                              : from->sensors > 0 ? from->sensor[0].device
                                                  : NOBODY;
    }
}

/* The same for cameras. */
static void inherit_cameras(struct robo_description *d, const struct robo_description *from)
{
    for (unsigned i = 0; i < d->cameras; i++) {
        const int was = robo_description_find(from, ROBO_RECORD_CAMERA, d->camera[i].name);
        d->camera[i].device = was >= 0            ? from->camera[was].device
                              : from->cameras > 0 ? from->camera[0].device
                                                  : NOBODY;
    }
}

void robo__bindings_inherit(struct robo_description *d, const struct robo_description *from)
{
    uint16_t holder[ROBO_MAX_LINKS]; /* of each link: the joint whose child it is */
    memset(holder, 0xff, sizeof holder);
    d->devices = from->devices;
    memcpy(d->device, from->device, sizeof d->device);
    inherit_sensors(d, from);
    inherit_cameras(d, from);
    for (uint16_t i = 0; i < d->joints; i++) {
        struct robo_joint *j = &d->joint[i];
        j->device = device_of(from, j->name);
        if (j->child < ROBO_MAX_LINKS)
            holder[j->child] = i;
    }
    for (unsigned i = 0; i < d->joints; i++) {
        /* nothing has checked yet that the links are a tree: there are no more steps than joints */
        const struct robo_joint *j = &d->joint[i];
        for (unsigned steps = 0; j->device == UNKNOWN && steps < d->joints; steps++) {
            if (j->parent >= ROBO_MAX_LINKS || holder[j->parent] >= d->joints)
                break;
            j = &d->joint[holder[j->parent]];
        }
        d->joint[i].device = j->device == UNKNOWN ? 0 : j->device;
    }
}
