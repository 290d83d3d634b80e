/* A Gamebots client's view of a robot: its kind of vehicle, its wheels, and its joints as packages of links. Made of the
 * robot's description when a client takes it; pure. */
#pragma once

#include "frame.h"
#include "line.h"
#include "line_write.h"

enum { ROBO__GB_NAME = 64 }; /* bytes of a name or class, with its end */

enum robo__gb_type {
    ROBO__GB_GROUND,
    ROBO__GB_AERIAL,
    ROBO__GB_NAUTIC,
    ROBO__GB_LEGGED,
    ROBO__GB_STATIC
};

/* A row of the table of classes: which robots a class may be, and the values that override theirs. */
struct robo__gb_class {
    char name[ROBO__GB_NAME]; /* P2AT */
    char
        robot[ROBO__GB_NAME]; /* a robot's name, or its beginning before "_" or "-", or its model */
    struct robo__gb_wheels wheels; /* 0: as the description has them */
    bool ackerman;
};

/* One dof of a joint. Links of a package count from 1. */
struct robo__gb_link {
    uint16_t dof, joint;
    uint8_t within;  /* which dof of the joint */
    uint8_t sign;    /* 1: its position there is less than 0 where ours is more */
    uint16_t parent; /* link that it moves on; 0: the robot's body */
};

/* Joints in a row that a client commands together. */
struct robo__gb_package {
    char name[32];         /* as this dialect has it */
    char joint[32];        /* the first joint's: another name of it */
    uint16_t first, count; /* of the links */
};

struct robo__gb_vehicle {
    const struct robo_description *description; /* of the connection's body */
    enum robo__gb_dialect dialect;
    enum robo__gb_type type;
    char name[ROBO__GB_NAME], class[ROBO__GB_NAME];
    struct robo__gb_wheels wheels;
    bool ackerman;
    bool has_base;                /* it drives */
    bool moved_by_dofs;           /* its root is moved by dofs: control frame 0 */
    double speed;                 /* greatest of a wheel, rad/s */
    double size[3];               /* m, of its body along x, y, z */
    double fov[ROBO_MAX_CAMERAS]; /* rad, of each camera as it is now */
    uint16_t links, packages;
    struct robo__gb_link *link;
    struct robo__gb_package *package;
};

/* Bytes of a vehicle. */
size_t robo__gb_vehicle_size(const struct robo_description *description);
/* NULL: no memory. */
struct robo__gb_vehicle *robo__gb_vehicle_make(const struct robo_description *description,
                                               enum robo__gb_dialect dialect,
                                               const struct robo__gb_class *row, const char *name);
void robo__gb_vehicle_free(struct robo__gb_vehicle *vehicle);

const char *robo__gb_type_name(enum robo__gb_type type);

/* The package of that name, without case; NULL: there is none. */
const struct robo__gb_package *robo__gb_package_of(const struct robo__gb_vehicle *vehicle,
                                                   struct robo__gb_text name);
/* The link of that dof's name, or of that joint's, its first dof; NULL: there is none. */
const struct robo__gb_link *robo__gb_link_of(const struct robo__gb_vehicle *vehicle,
                                             struct robo__gb_text name);
/* The package that carries the camera of that name, of an empty one the first that is carried; NULL: there is none. */
const struct robo__gb_package *robo__gb_camera_package(const struct robo__gb_vehicle *vehicle,
                                                       struct robo__gb_text name);
/* The joint that moves that link of the robot, of which there is a package; NULL: it is a part of the body. */
const struct robo__gb_package *robo__gb_mount_of(const struct robo__gb_vehicle *vehicle,
                                                 unsigned link);

/* ---- classes ---- */

/* The row of a class, in whatever case and with a package before its name ("USARBot.P2AT"): of the user's table, lines of "VEHICLE
 * {Class P2AT} {Robot pioneer2} {WheelRadius 0.11} {WheelSeparation 0.4} {WheelBase 0} {Steering Ackerman}", which may be NULL, or of
 * the bundled one. false: there is none, and the row has the class alone, which then is the robot's name. */
bool robo__gb_class_of(const char *table, size_t n, struct robo__gb_text class,
                       struct robo__gb_class *row);

/* Whether a robot is of that row. */
bool robo__gb_class_has(const struct robo__gb_class *row,
                        const struct robo_description *description);
