/* The messages of a Gamebots server in both dialects, with their groups in the orders that real clients count on
 * (spec/gamebots.md). Each function writes whole lines into the remaining room; pure. Values come in our own frame and units, and
 * go out as frame.h says. */
#pragma once

#include "vehicle.h"

/* ---- at the begin ---- */

/* The greeting. */
void robo__gb_hello(struct robo__gb_out *out, const char *level);

struct robo__gb_start {
    char name[ROBO__GB_NAME];
    double position[3], attitude[3];
};
void robo__gb_starts(struct robo__gb_out *out, enum robo__gb_dialect dialect,
                     const struct robo__gb_start *start, unsigned count);

/* RES. why: NULL, or what was expected. */
void robo__gb_result(struct robo__gb_out *out, const char *type, const char *name, bool good,
                     const char *why);

/* ---- periodic: status.c ---- */

struct robo__gb_status {
    double time;            /* s */
    const double *position; /* of each dof */
    const double *force;    /* of each dof, NaN: not known; NULL: of none */
    double battery;         /* 0 to 1 */
    double left;            /* s that it lasts, by what is drawn from it; 0: not known */
    bool light;
    double front, rear; /* steering angles, rad */
};

/* STA, then a MISSTA or ASTA of each package, then an EFF of each gripper. */
void robo__gb_status(struct robo__gb_out *out, const struct robo__gb_vehicle *vehicle,
                     const struct robo__gb_status *status);

/* ---- sensors: sense.c ---- */

/* Sensors whose readings share one line in ut2004 are of one family; the others have the family ALONE. */
enum robo__gb_family {
    ROBO__GB_ALONE,
    ROBO__GB_SONARS,
    ROBO__GB_INFRAREDS,
    ROBO__GB_ENCODERS,
    ROBO__GB_TOUCHES,
    ROBO__GB_FAMILIES
};

/* Type and name by which a client knows a sensor; its type is "" when it is not reported. */
const char *robo__gb_sensor_type(const struct robo_sensor *sensor);
enum robo__gb_family robo__gb_family_of(const struct robo_sensor *sensor);

/* A tick of an encoder, rad or m. */
#define ROBO__GB_TICK 0.01

/* The period of USARSim's sensors of that type, s; ours are no faster. */
double robo__gb_period(const struct robo_sensor *sensor);
/* {Resolution} of a scan of count beams over fov, rad, of which each step-th beam is reported: rounded down, with as many decimals as it takes that
 * floor(FOV / Resolution) + 1, by which clients count the beams, is their number. */
void robo__gb_put_resolution(struct robo__gb_out *out, double fov, unsigned count, unsigned step);

/* The name of one of its values: F1 to F8 and R1 to R8 of sonars, else the sensor's, with a number if it has several. */
void robo__gb_value_name(const struct robo_description *description, unsigned sensor,
                         unsigned value, char name[ROBO__GB_NAME]);

/* SEN of one sensor: in udk of any, in ut2004 of a sensor of the family ALONE. */
void robo__gb_sensed(struct robo__gb_out *out, const struct robo__gb_vehicle *vehicle, double time,
                     unsigned sensor, const double *value, unsigned count);

/* SEN of a family in one line: begin, add of each of its sensors, robo__gb_end. */
void robo__gb_begin_family(struct robo__gb_out *out, double time, enum robo__gb_family family);
void robo__gb_add(struct robo__gb_out *out, const struct robo_description *description,
                  unsigned sensor, const double *value, unsigned count);

/* SEN of the odometry of a base that has no such sensor: x, y, theta. */
void robo__gb_odometry(struct robo__gb_out *out, double time, const char *name,
                       const double place[3]);

/* SEN of where a robot is that flies: INS, which those of USARSim have. */
void robo__gb_inertial(struct robo__gb_out *out, double time, const char *name,
                       const double position[3], const double attitude[3]);

/* ---- answers: answers.c ---- */

/* GEO and CONF of that type, of all of it or of the item of that name; nothing if there is none. */
void robo__gb_geometry(struct robo__gb_out *out, const struct robo__gb_vehicle *vehicle,
                       struct robo__gb_text type, struct robo__gb_text name);
void robo__gb_configuration(struct robo__gb_out *out, const struct robo__gb_vehicle *vehicle,
                            struct robo__gb_text type, struct robo__gb_text name);
