/* A description as programs read it that do not know its structs. */
#include <string.h>

#include "description.h"
#include "base/sized.h"
#include "robotalk.h"

const char *robo_description_name(const struct robo_description *d)
{
    return d->name;
}

unsigned robo_description_count(const struct robo_description *d, enum robo_record record)
{
    if ((unsigned)record >= ROBO__SECTIONS)
        return 0;
    return (unsigned)robo__section_has(d, &robo__sections[record]);
}

/* All records begin with their names but shapes, which have none. */
_Static_assert(offsetof(struct robo_link, name) == 0 && offsetof(struct robo_joint, name) == 0 &&
                   offsetof(struct robo_dof, name) == 0 && offsetof(struct robo_frame, name) == 0 &&
                   offsetof(struct robo_camera, name) == 0 &&
                   offsetof(struct robo_sensor, name) == 0 &&
                   offsetof(struct robo_widget, name) == 0,
               "names come first");

const char *robo_description_record(const struct robo_description *d, enum robo_record record,
                                    unsigned number)
{
    if (number >= robo_description_count(d, record))
        return NULL;
    return record == ROBO_RECORD_SHAPE ? ""
                                       : robo__section_record(d, &robo__sections[record], number);
}

int robo_description_find(const struct robo_description *d, enum robo_record record,
                          const char *name)
{
    const unsigned count = robo_description_count(d, record);
    for (unsigned i = 0; i < count; i++)
        if (strcmp(robo_description_record(d, record, i), name) == 0)
            return (int)i;
    return ROBO_ENONE;
}

int robo_description_limits(const struct robo_description *d, unsigned dof,
                            struct robo_limits *limits)
{
    if (dof >= d->dofs)
        return ROBO_ENONE;
    const struct robo_dof *of = &d->dof[dof];
    return robo__sized_give(limits,
                            &(struct robo_limits){ sizeof *limits, of->low, of->high, of->speed,
                                                   of->acceleration, of->force });
}

int robo_description_dofs(const struct robo_description *d, unsigned joint, unsigned *first)
{
    if (joint >= d->joints)
        return ROBO_ENONE;
    *first = d->joint[joint].first;
    return d->joint[joint].dofs;
}

const struct robo_option *robo_description_option(const struct robo_description *d, unsigned device,
                                                  unsigned number)
{
    if (device >= d->devices || number >= d->device[device].options)
        return NULL;
    return &d->device[device].option[number];
}
