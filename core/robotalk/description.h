/* May change without notice between versions. */
/* Descriptions as structs, which get further members with the specification: to make bodies and robots of them. */
#pragma once

#include <stddef.h>

#include "robotalk/records.h"
#include "robotalk/host.h"

ROBO_API_BEGIN

/* ---- descriptions ---- */

/* Whether a description makes sense: numbers of records within their sections, names, a tree of links, axes
 * that are directions, rest matrices that are rotations (all 0 stands for no turn), masses and inertias that
 * can be, limits in order. 0, or ROBO_EINVAL with a message in why, which may be NULL. */
int robo_description_check(const struct robo_description *description, char why[128]);

/* Makes a body of a copy of the description. ROBO_EINVAL: robo_description_check refuses it, with a message in why
 * (may be NULL); ROBO_ENOMEM. */
int robo_body_make(const struct robo_description *description, robo_body **body, char why[128]);

/* robo_add_body for a description that no body was made of yet. It may lack a geometry; the robot has no control frames
 * then. */
int robo_add(robo_world *world, const struct robo_description *description, robo_robot **robot);

/* robo_reload_body for a description, as robo_add. */
int robo_reload(robo_robot *robot, const struct robo_description *description,
                struct robo_reload_report *report);

/* Writes the block of a body, in which its drivers are not: those are its robot's own affair. block NULL: how many bytes it
 * takes. Bytes written; ROBO_EFULL: `size` is less; ROBO_ERANGE: a value that does not fit into its field, which why (may be
 * NULL) names. */
ptrdiff_t robo_body_write(const robo_body *body, void *block, size_t size, char why[192]);
size_t robo_body_most(void); /* bytes of the largest block that there is */

robo_body *robo_body_hold(robo_body *body); /* one more reference to the same */

/* Gives a shape that is a mesh its triangles, which the body holds from then on: a description has only the name of their file,
 * and the driver `physics` computes contacts with the triangles it has. Before a robot has the body. ROBO_EINVAL: there is no
 * such shape, or it is no mesh; ROBO_ENOMEM. */
int robo_body_set_mesh(robo_body *body, unsigned shape, robo_mesh *mesh);
robo_mesh *robo_body_mesh(const robo_body *body,
                          unsigned shape); /* as long as the body; NULL: none */

/* The kind of a sensor; and how many values a reading of it has, 1 to ROBO_MAX_READING. */
enum robo_sense robo_sensor_sense(const struct robo_sensor *sensor);
unsigned robo_sensor_values(const struct robo_sensor *sensor);

ROBO_API_END
