/* The RCML objects of a robot (paper 001, 2.2 and table 2; spec/rcml.md): its base, joints, control frames, sensors and
 * cameras, as a client of RCTP names and assigns them. One list, made of a body alone, serves the RCML file, ASSIGN and the
 * live session; the same body gives the same list, in the same order.
 *
 * Names are as the robot's view has them: an input takes commands, an output gives readings. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "robotalk.h"
#include "robotalk/rcml.h"

enum {
    ROBO__RCML_OBJECTS = 254, /* most of one robot: their numbers in a live session are 1 to 254 */
    ROBO__RCML_NAME = ROBO_RCML_NAME /* most bytes of a name */
};

/* The kind of its node; together with `output`: RCML_VideoInput, RCML_VideoOutput, … */
enum robo__rcml_kind {
    ROBO__RCML_VIDEO,
    ROBO__RCML_AUDIO,
    ROBO__RCML_CONTROL,
    ROBO__RCML_TEXT,
    ROBO__RCML_BINARY
};

/* The part of the robot that it stands for; `number` says which one. */
enum robo__rcml_part {
    ROBO__RCML_BASE,    /* one */
    ROBO__RCML_JOINT,   /* a joint */
    ROBO__RCML_JOINTS,  /* all dofs of all joints that take commands: one */
    ROBO__RCML_FRAME,   /* a control frame */
    ROBO__RCML_COMMAND, /* lines of text: one (spec/rctp.md) */
    ROBO__RCML_WIDGET,  /* a button of the descriptor: any text gives its command */
    ROBO__RCML_SENSOR,  /* a sensor */
    ROBO__RCML_CAMERA,  /* a camera */
    ROBO__RCML_NOTICES, /* the robot's own messages: one */
    ROBO__RCML_OTHER /* nothing that is known here: an object of a file that another program wrote */
};

/* value_type of table 3. */
enum robo__rcml_type { ROBO__RCML_FLOAT, ROBO__RCML_INTEGER, ROBO__RCML_BOOL };

/* The quantity of a parameter. `which` is, of a joint and of all joints, the number of the dof in the description; of the
 * base 0 to 2: x, y, theta; of a control frame 0 to 5: x, y, z, roll, pitch, yaw, or the parts of a twist or a wrench; of
 * a sensor the place in its reading. */
enum robo__rcml_quantity {
    ROBO__RCML_POSITION, /* m, rad */
    ROBO__RCML_SPEED,    /* m/s, rad/s */
    ROBO__RCML_FORCE,    /* N, N*m */
    ROBO__RCML_READING   /* in the sensor's unit */
};

struct robo__rcml_parameter {
    char name[ROBO__RCML_NAME + 1];
    enum robo__rcml_type type;
    enum robo__rcml_quantity quantity;
    uint16_t which;
    uint8_t control_type; /* table 3: 0 a horizontal scroll bar, 1 a vertical one */
    double low, high;     /* value_range; high less than low: none */
    double scale;         /* range_scale: the value in device units is the value times this */
};

/* Properties that the parameters of a control object share (3.4.4). */
struct robo__rcml_group {
    uint8_t stamp_size;  /* time_stamp_size: 0, 2, 4, 6 or 8 bytes */
    robo_time unit;      /* time_unit */
    bool mask;           /* data_mask: a packet says which parameters it has; without, it has all */
    bool event_driven;   /* command_mode 1 */
    bool lock;           /* control_lock: one command at a time without an answer */
    int32_t interval[2]; /* command_interval: least and greatest, ms; one negative: no rule */
};

/* The defaults of the paper: no stamp, 10 ms, no mask, time driven, no lock, no interval. */
extern const struct robo__rcml_group robo__rcml_group_default;

struct robo__rcml_object {
    char name[ROBO__RCML_NAME +
              1]; /* unique among all objects; letters, digits, _ - . : and bytes from 0x80 on */
    enum robo__rcml_kind kind;
    bool output;
    enum robo__rcml_part part;
    uint16_t number; /* of the joint, control frame, widget, sensor or camera; else 0 */
    char translator[ROBO__RCML_NAME + 1]; /* "": none */
    double rate; /* times a second that there is news of a sensor or camera; 0: not known */
    /* of a control object */
    struct robo__rcml_group group;
    const struct robo__rcml_parameter *parameter;
    uint16_t parameters;
    /* of a camera */
    uint16_t width, height; /* pixels; 0: not known */
    uint8_t bits;           /* of colour */
};

struct robo__rcml_objects {
    unsigned count, inputs; /* inputs stand before outputs */
    unsigned
        left_out; /* beyond ROBO__RCML_OBJECTS: buttons first, then sensors, cameras, control frames, joints */
    const struct robo__rcml_object *object;
};

/* The objects of a body. inputs, unless NULL, replaces the paper's defaults for the groups of all inputs; that of all
 * joints, and those of outputs, of which not every value is always known, have a mask in any case. One block, freed by
 * robo__rcml_objects_free; it keeps nothing of the body. NULL: out of memory. */
struct robo__rcml_objects *robo__rcml_objects_make(const robo_body *body,
                                                   const struct robo__rcml_group *inputs);
void robo__rcml_objects_free(struct robo__rcml_objects *objects);

/* The one of that name; NULL: there is none. */
const struct robo__rcml_object *robo__rcml_find(const struct robo__rcml_objects *objects,
                                                const char *name);

/* Whether a group can be (3.4.4): its stamp's size, its unit, and its intervals in order. */
bool robo__rcml_group_valid(const struct robo__rcml_group *group);
