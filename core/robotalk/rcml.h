/* May change without notice between versions. */
/* Scenes: files of VRML97 (ISO/IEC 14772-1, UTF-8), which RCML files are too (paper 001, spec/rcml.md). They are read into a tree of
 * nodes, checked against the node types, with the PROTOs expanded; or a tree is built, and written as text.
 *
 * Pure functions over memory: no file, no socket, any thread. A scene owns all that can be reached from it, until it is closed;
 * one thread at a time uses it. The size of a file's contents is bounded: enum robo_scene_limit. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "robotalk.h"
#include "robotalk/scenery.h"

ROBO_API_BEGIN

/* ---- the tree of a scene ---- */

typedef struct robo_scene robo_scene;

enum robo_scene_limit {
    ROBO_SCENE_FILE = 64 << 20,     /* bytes of a file, and of a decompressed one */
    ROBO_SCENE_MEMORY = 512 << 20,  /* bytes of a scene */
    ROBO_SCENE_STRING = 1 << 20,    /* bytes of a string */
    ROBO_SCENE_NAME = 1024,         /* bytes of a name */
    ROBO_SCENE_NESTING = 1024,      /* nodes in nodes, as they stand in a file */
    ROBO_SCENE_PROTO_NESTING = 256, /* PROTOs in PROTOs, at most */
    ROBO_SCENE_DEPTH = 2048,        /* nodes in nodes, where USE and instances are followed */
    ROBO_SCENE_NODES =
        1000000, /* with those of expanded PROTOs; and those met where USE is followed, too */
    ROBO_SCENE_FIELDS = 256, /* fields and events that a PROTO or a Script declares */
    ROBO_SCENE_PROBLEMS =
        100 /* a reader stops after so many errors; it keeps so many warnings, and notes */
};

/* Types of fields: SF have one value, MF any number. */
enum robo_scene_type {
    ROBO_SF_BOOL,
    ROBO_SF_COLOR,
    ROBO_SF_FLOAT,
    ROBO_SF_IMAGE,
    ROBO_SF_INT32,
    ROBO_SF_NODE,
    ROBO_SF_ROTATION,
    ROBO_SF_STRING,
    ROBO_SF_TIME,
    ROBO_SF_VEC2F,
    ROBO_SF_VEC3F,
    ROBO_MF_COLOR,
    ROBO_MF_FLOAT,
    ROBO_MF_INT32,
    ROBO_MF_NODE,
    ROBO_MF_ROTATION,
    ROBO_MF_STRING,
    ROBO_MF_TIME,
    ROBO_MF_VEC2F,
    ROBO_MF_VEC3F,
    ROBO_SCENE_TYPES /* how many there are */
};

const char *robo_scene_type_name(enum robo_scene_type type); /* "SFBool" */
/* How many numbers, strings or nodes one value has: 3 for SFVec3f and MFVec3f, 1 for SFFloat. */
unsigned robo_scene_type_width(enum robo_scene_type type);

struct robo_scene_node;

/* A value. The member of the union that the type uses has count times the type's width elements. */
struct robo_scene_value {
    enum robo_scene_type type;
    uint32_t count; /* values: 1 of SF types; of SFImage its integers */
    union {
        const int32_t *integer; /* Bool (0, 1), Int32; Image: width, height, components, pixels */
        const float *number;    /* Color, Float, Rotation (axis, angle), Vec2f, Vec3f */
        const double *time;     /* Time */
        const char *const *string;
        struct robo_scene_node *const *node; /* an SFNode may be NULL there */
    };
};

enum robo_scene_access {
    ROBO_SCENE_FIELD,
    ROBO_SCENE_EXPOSED, /* exposedField x is also an eventIn set_x and an eventOut x_changed */
    ROBO_SCENE_EVENT_IN,
    ROBO_SCENE_EVENT_OUT
};

/* A declaration of a node type, or of a Script. */
struct robo_scene_declaration {
    const char *name;
    enum robo_scene_access access;
    /* its default, of a Script's field its value; of an event the type alone */
    struct robo_scene_value value;
    const char
        *is; /* of a Script in a PROTO: the name of the PROTO that it stands for; NULL: none */
};

enum robo_scene_origin {
    ROBO_SCENE_VRML,  /* one of the 54 nodes of VRML97 */
    ROBO_SCENE_RCML,  /* one of the 15 RCML nodes, which need not be declared */
    ROBO_SCENE_PROTO, /* declared in the file */
    ROBO_SCENE_EXTERN /* declared in the file, defined elsewhere, and not looked for */
};

/* Nodes, PROTOs and ROUTEs that stand together: of a file, or of a PROTO. */
struct robo_scene_part {
    struct robo_scene_node *const *node; /* in the order of the file */
    struct robo_scene_kind *const *kind; /* PROTOs declared here, also within its nodes */
    const struct robo_scene_route *route;
    uint32_t nodes, kinds, routes;
};

/* A node type. */
struct robo_scene_kind {
    const char *name;
    enum robo_scene_origin origin;
    uint32_t declarations;
    const struct robo_scene_declaration *declaration;
    struct robo_scene_part body; /* of a PROTO */
    struct robo_scene_value url; /* MFString, of an EXTERNPROTO */
    uint32_t line, column;       /* of a PROTO or EXTERNPROTO; 0: not from a file */
};

struct robo_scene_route {
    struct robo_scene_node *from, *to;
    const char *event_out, *event_in; /* as they are written */
};

/* A field that a node was given. */
struct robo_scene_field {
    const char *name;
    struct robo_scene_value value;
    const char
        *is; /* in a PROTO: "field IS x", and the value is that of no file; NULL: it has a value */
};

struct robo_scene_node {
    const struct robo_scene_kind *kind;
    const char *name;      /* by DEF; NULL: none */
    uint32_t line, column; /* from 1, in bytes; 0: not from a file */
    uint32_t fields, declarations, bodies;
    const struct robo_scene_field *field;             /* those given, in order */
    const struct robo_scene_declaration *declaration; /* of a Script: its own */
    /* of an instance of a PROTO of the file: copies of the nodes of its body, with the instance's values in place. The first
     * stands for the instance; others are not drawn. Nodes among the instance's values are not copied: they are here, too */
    struct robo_scene_node *const *body;
    /* of an instance: ROUTEs of its body, between these copies; events that IS gives to the instance are none */
    const struct robo_scene_route *route;
    uint32_t routes;
};

/* The nodes of the file. A node that is used several times occurs several times, with the same pointer. A walk from node to
 * node, through an instance's fields or its body, goes down at most ROBO_SCENE_DEPTH nodes and meets at most ROBO_SCENE_NODES,
 * as long as the fields of Scripts are left out: those may lead back to the Script. */
const struct robo_scene_part *robo_scene_whole(const robo_scene *scene);

/* The value of a field of a node: given, or the default; NULL: the node has no such field. */
const struct robo_scene_value *robo_scene_get(const struct robo_scene_node *node, const char *name);

/* A node type: a PROTO of the file (the last of that name), or a built-in type, which needs no declaration; NULL: there
 * is none. Without a scene: built-in types alone. */
const struct robo_scene_kind *robo_scene_kind_named(const robo_scene *scene, const char *name);
/* The built-in types, from 0; NULL: there are no more. */
const struct robo_scene_kind *robo_scene_kind_at(unsigned number);
/* The declaration of that name in a node type; NULL: there is none. */
const struct robo_scene_declaration *robo_scene_declared(const struct robo_scene_kind *kind,
                                                         const char *name);

/* ---- reading ---- */

enum robo_scene_severity {
    ROBO_SCENE_ERROR,   /* it is left out */
    ROBO_SCENE_WARNING, /* it is read, other programs may read it otherwise */
    ROBO_SCENE_NOTE     /* nothing is wrong */
};

struct robo_scene_problem {
    enum robo_scene_severity severity;
    uint32_t line, column; /* from 1, in bytes; 0: it is of no place */
    const char *what;      /* the fault, and what was expected */
};

/* Reads the text of a file, or the bytes of a file compressed by gzip. Its faults become problems, its readable part the
 * scene. NULL: *error, which may be NULL, is ROBO_ENOMEM. */
robo_scene *robo_scene_read(const void *bytes, size_t size, int *error);
void robo_scene_close(robo_scene *scene); /* NULL: does nothing */

/* Problems in the order in which they were found; how many, and the first of them. */
uint32_t robo_scene_problems(const robo_scene *scene, const struct robo_scene_problem **first);
uint32_t robo_scene_errors(const robo_scene *scene); /* how many of them are errors */

/* ---- building and writing ---- */

robo_scene *robo_scene_open(void); /* an empty one; NULL: there is no memory */

/* A node of a kind of this scene, or of one that needs no declaration. name may be NULL; it is used where the node is written
 * more than once or has a ROUTE, too. It has no parent yet. NULL: *error is ROBO_ENOMEM; or ROBO_EINVAL: the name is invalid. */
struct robo_scene_node *robo_scene_add(robo_scene *scene, const struct robo_scene_kind *kind,
                                       const char *name, int *error);
/* Gives a node a value, which is copied, nodes as pointers. 0; ROBO_EINVAL: no such field, another type, numbers that are not
 * finite, an image of another size, or text that is not of a field; ROBO_ENOMEM. */
int robo_scene_give(robo_scene *scene, struct robo_scene_node *node, const char *field,
                    const struct robo_scene_value *value);
/* Gives a Script a field or an event of its own; the value, and the name, are copied. Errors as of robo_scene_add; ROBO_EINVAL
 * also: it has the name. */
int robo_scene_declare(robo_scene *scene, struct robo_scene_node *script,
                       const struct robo_scene_declaration *declaration);
/* Puts a node at the end of the scene. 0 or ROBO_ENOMEM. */
int robo_scene_put(robo_scene *scene, struct robo_scene_node *node);
/* Adds a ROUTE. 0; ROBO_EINVAL: no such events, or not of one type; ROBO_ENOMEM. */
int robo_scene_route_add(robo_scene *scene, const struct robo_scene_route *route);

/* The scene as the text of a file: PROTOs first, also of those RCML nodes that it uses without a declaration, nodes, ROUTEs. A
 * node that occurs again is written as USE; names are made unique. The text ends with a 0 that *size does not count, and belongs
 * to the scene until this is called again. NULL: *error is ROBO_ENOMEM; ROBO_ERANGE: the text would be longer than
 * ROBO_SCENE_FILE, or a node contains itself, other than by a Script. */
const char *robo_scene_text(robo_scene *scene, size_t *size, int *error);
/* The text of its PROTOs and EXTERNPROTOs alone, without a signature, as robo_scene_text. */
const char *robo_scene_kinds_text(robo_scene *scene, size_t *size, int *error);

/* ---- the file of a robot ---- */

/* How a robot is served, for its file. size is sizeof(struct robo_rcml_options); NULL or 0: left out. */
struct robo_rcml_options {
    size_t size;
    const char *url;      /* of its RCTP server: "rctp://host:7077/robot" */
    const char *pictures; /* the address before a camera's name: "http://host:7077/robot/camera/" */
    /* properties of its control inputs (paper 001, 3.4.4): bytes of a time stamp, 0, 2, 4, 6 or 8; its unit, 0: 10 ms; whether
     * commands come when they change, not at a constant interval; and whether each waits for the answer to the one before */
    uint8_t stamp_size, event_driven, lock;
    robo_time unit;
    int32_t interval[2]; /* ms between two commands, the least and the greatest; both 0: no rule */
    uint8_t
        mask; /* 1: each command lists its parameters, for all inputs; those of all joints do so anyway */
    const char
        *robot; /* text of another RCML_Robot, with its prototypes, in place of the robot's own */
};

/* The RCML file of a robot: its links, shapes and joints as a world of VRML97, and its inputs and outputs (spec/rcml.md).
 * text NULL: returns how many bytes it has. Bytes written, without a 0 at the end; ROBO_EFULL: `size` is less; ROBO_EINVAL:
 * options without a size, or invalid ones; ROBO_ENOMEM. options may be NULL. */
ptrdiff_t robo_rcml_write(const robo_body *body, const struct robo_rcml_options *options,
                          char *text, size_t size);

/* The same robot as a file of glTF 2.0, binary (docs/robots.md), as robo_rcml_write; ROBO_ERANGE: it would be longer than
 * ROBO_SCENE_FILE. Meshes are those that the body has. */
ptrdiff_t robo_gltf_write(const robo_body *body, void *bytes, size_t size);

/* Writes the scenery of a world as a file of VRML97, as robo_rcml_write; room: as of robo_furnish,
 * which would take it. */
ptrdiff_t robo_rcml_write_room(const struct robo_scenery *room, char *text, size_t size);

/* ---- the objects of a robot ---- */

enum { ROBO_RCML_NAME = 63 }; /* most bytes of a name of an object or a parameter */

/* An object of a robot's RCML file, which RCTP assigns. Texts are static. */
struct robo_rcml_item {
    char name[ROBO_RCML_NAME + 1]; /* another for each object */
    const char *type;              /* "control", "video" or "text" */
    const char *
        part; /* the part of the robot: "base", "joint", "joints" (all of them), "frame", "command", "widget", "sensor",
                       * "camera" or "notices" */
    char translator[ROBO_RCML_NAME + 1]; /* "": none */
    uint8_t output;                      /* 1: an output; 0: it takes commands */
    uint16_t
        number; /* which joint, control frame, widget, sensor or camera of the description it is; else 0 */
    uint16_t parameters;
    uint32_t first; /* where its parameters begin */
};

struct robo_rcml_item_parameter {
    char name[ROBO_RCML_NAME + 1];
    const char *quantity; /* "position", "speed", "force" or "reading" */
    const char
        *unit; /* "m", "rad", "m/s", "rad/s", "N", "N*m"; of a reading "": its sensor has it */
    /* of a joint and of all joints the number of the dof in the description; of the base 0 to 2: x, y, theta; of a control
     * frame 0 to 5; of a sensor the place in its reading */
    uint16_t which;
    double low, high; /* its range; high less than low: it is not known */
};

/* The objects of a robot, inputs before outputs, and the parameters of all of them in the same order: as many as there is room
 * for, of none where the pointer is NULL. How many objects there are, and *all of how many parameters; ROBO_ENOMEM. */
int robo_rcml_objects(const robo_body *body, struct robo_rcml_item *object, size_t objects,
                      struct robo_rcml_item_parameter *parameter, size_t parameters, size_t *all);

ROBO_API_END
