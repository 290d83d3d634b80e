/* The table of vehicle classes: which of our robots a class that a client asks for may be. */
#include "vehicle.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Classes of USARSim's own robots; robots on wheels or tracks are a Pioneer here, and flying ones are the flyer. A user's table
 * comes before it. */
static const struct {
    const char *class, *robot;
} known[] = {
    { "P2AT", "pioneer2" },    { "P2DX", "pioneer2" },
    { "P3AT", "pioneer2" },    { "ATRVJr", "pioneer2" },
    { "Zerg", "pioneer2" },    { "Kenaf", "pioneer2" },
    { "Talon", "pioneer2" },   { "Tarantula", "pioneer2" },
    { "Element", "pioneer2" }, { "StereoP2AT", "pioneer2" },
    { "AirRobot", "flyer" },   { "QuadRotor", "flyer" },
    { "ERS", "aibo" },         { "Nao", "asimo" },
    { "QRIO", "asimo" },
};

/* Without the package before its name. */
static struct robo__gb_text bare(struct robo__gb_text class)
{
    for (size_t i = class.n; i-- > 0;)
        if (class.at[i] == '.')
            return (struct robo__gb_text){ class.at + i + 1, class.n - i - 1 };
    return class;
}

static void take_number(const struct robo__gb_line *line, const char *name, double *value)
{
    const struct robo__gb_text text = robo__gb_find(line, name);
    if (text.at && robo__gb_number(text, value))
        *value = 0;
}

/* The next line of a table, whose last one may lack an end; false: there are no more. */
static bool next_row(const char **table, size_t *n, struct robo__gb_text *row)
{
    struct robo__gb_reader reader = { .looked = 0 };
    size_t used;
    if (robo__gb_next(&reader, *table, *n, row, &used) != ROBO__GB_IS_LINE) {
        *row = (struct robo__gb_text){ *table, *n };
        used = *n;
    }
    *table += used;
    *n -= used;
    return row->n > 0;
}

/* Looks in the user's table; false: the class is not there. */
static bool look(const char *table, size_t n, struct robo__gb_text class,
                 struct robo__gb_class *row)
{
    struct robo__gb_line line;
    struct robo__gb_text bytes;
    while (next_row(&table, &n, &bytes)) {
        char name[ROBO__GB_NAME];
        if (!robo__gb_parse(bytes, &line) || !robo__gb_is(line.type, "VEHICLE"))
            continue;
        robo__gb_copy(robo__gb_find(&line, "Class"), name, sizeof name);
        if (!robo__gb_is(class, name))
            continue;
        robo__gb_copy(robo__gb_find(&line, "Robot"), row->robot, sizeof row->robot);
        take_number(&line, "WheelRadius", &row->wheels.radius);
        take_number(&line, "WheelSeparation", &row->wheels.separation);
        take_number(&line, "WheelBase", &row->wheels.base);
        row->ackerman = robo__gb_is(robo__gb_find(&line, "Steering"), "Ackerman");
        return true;
    }
    return false;
}

bool robo__gb_class_of(const char *table, size_t n, struct robo__gb_text class,
                       struct robo__gb_class *row)
{
    *row = (struct robo__gb_class){ .ackerman = false };
    class = bare(class);
    robo__gb_copy(class, row->name, sizeof row->name);
    if (table && look(table, n, class, row))
        return true;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (!robo__gb_is(class, known[i].class))
            continue;
        snprintf(row->robot, sizeof row->robot, "%s", known[i].robot);
        return true;
    }
    memcpy(row->robot, row->name, sizeof row->robot);
    return false;
}

bool robo__gb_class_has(const struct robo__gb_class *row,
                        const struct robo_description *description)
{
    const size_t n = strlen(row->robot);
    const char *name = description->name;
    if (n == 0)
        return false;
    return (strncasecmp(name, row->robot, n) == 0 &&
            (name[n] == 0 || name[n] == '_' || name[n] == '-')) ||
           strcasecmp(description->model, row->robot) == 0;
}
