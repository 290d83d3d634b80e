/* Bodies: the structure of a robot, and how its links and control frames move. */
#ifndef ROBOTALK_BODY_H
#define ROBOTALK_BODY_H

#include <stddef.h>

#include "robotalk/base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* cdef { */

/* ---- bodies ----
 *
 * A body is a description that was checked, with the model that was made of it. Whoever makes or holds one gives it back
 * by robo_body_release; the robots that have it hold it themselves. */

/* Makes a body of a copy of the description. ROBO_EINVAL: robo_description_check refuses it, with a message in why
 * (may be NULL); ROBO_ENOMEM. */
int robo_body_make(const struct robo_description *description, robo_body **body, char why[128]);

/* Makes a body of a configuration block, the bytes with which a server describes its robot and that `robotalk convert
 * x.lua x.block` writes: a descriptor is a script, which C alone does not read. A block names no drivers. driver, if
 * not NULL, drives the joints, and the base if it says so; without one the body is for computations. ROBO_EBODY: why
 * (may be NULL) has the fault and its byte; ROBO_ENOMEM. */
int robo_body_read(const void *block, size_t size, const struct robo_binding *driver,
                   robo_body **body, char why[192]);

/* Writes the block of a body, in which its drivers are not: those are its robot's own affair. block NULL: how many bytes it
 * takes. Bytes written; ROBO_EFULL: `size` is less; ROBO_ERANGE: a value that does not fit into its field, which why (may be
 * NULL) names. */
ptrdiff_t robo_body_write(const robo_body *body, void *block, size_t size, char why[192]);
size_t robo_body_most(void); /* bytes of the largest block that there is */

/* Gives a shape that is a mesh its triangles, which the body holds from then on: a description has only the name of their file,
 * and the driver `physics` computes contacts with the triangles it has. Before a robot has the body. ROBO_EINVAL: there is no
 * such shape, or it is no mesh; ROBO_ENOMEM. */
int robo_body_set_mesh(robo_body *body, unsigned shape, robo_mesh *mesh);
robo_mesh *robo_body_mesh(const robo_body *body,
                          unsigned shape); /* as long as the body; NULL: none */

robo_body *robo_body_hold(robo_body *body); /* one more reference to the same */
void robo_body_release(robo_body *body);    /* NULL: does nothing */

/* Of a description's sensors: the number of the one with that name, or ROBO_ENONE; its kind; and how many values a
 * reading of it has, 1 to ROBO_MAX_READING. */
int robo_find_sensor(const struct robo_description *description, const char *name);
int robo_find_camera(const struct robo_description *description, const char *name); /* its number */
enum robo_sense robo_sensor_sense(const struct robo_sensor *sensor);
unsigned robo_sensor_values(const struct robo_sensor *sensor);

/* Both stay as long as the body. */
const struct robo_description *robo_body_description(const robo_body *body);
/* NULL for the body of a robot whose description has no geometry. */
const robo_model *robo_body_model(const robo_body *body);

/* ---- kinematics ----
 *
 * A model is a body's geometry made ready for computing; it never changes, so any thread may use it. q is
 * one number for each dof of the description, in its order; the value of a mimicking dof is ignored. The
 * poses of a tree are relative to its reference: where its root joint starts from, which is the root link's
 * own frame unless the root joint has dofs. Nothing here allocates. */

struct robo_pose {
    double position[3];
    double rotation[9]; /* row by row: turns the frame's axes into those of the reference */
};

/* Whether a description makes sense: numbers of records within their sections, names, a tree of links, axes
 * that are directions, rest matrices that are rotations (all 0 stands for no turn), masses and inertias that
 * can be, limits in order. 0, or ROBO_EINVAL with a message in why, which may be NULL. */
int robo_description_check(const struct robo_description *description, char why[128]);

/* Pose of every link, each relative to its own tree's reference; link has one place for each. */
void robo_fk(const robo_model *model, const double *q, struct robo_pose *link);

/* Pose of a control frame, alone. ROBO_ENONE: no such frame. */
int robo_frame_pose(const robo_model *model, const double *q, unsigned frame,
                    struct robo_pose *pose);

/* Geometric Jacobian of a control frame's origin: 6 rows (linear x, y, z m/s, angular x, y, z rad/s, along the
 * reference's axes) of as many columns as there are dofs, row by row. A mimicking dof's column is 0: its share is
 * in the column of the dof that it follows. pose may be NULL. */
int robo_jacobian(const robo_model *model, const double *q, unsigned frame, struct robo_pose *pose,
                  double *jacobian);

struct robo_ik_options {
    size_t size;               /* sizeof(struct robo_ik_options) */
    double position_tolerance; /* m; 0: 1e-6 */
    double rotation_tolerance; /* rad; 0: 1e-6 */
    /* m per rad, how much a radian counts; 0: 0.3; negative: position alone */
    double rotation_weight;
    unsigned iterations;                /* of each attempt; 0: 100 */
    unsigned attempts;                  /* start postures; the first is q as given; 0: 20 */
    uint64_t seed;                      /* of the further ones */
    uint64_t fixed[ROBO_MAX_DOFS / 64]; /* bit n % 64 of word n / 64: dof n stays as it is */
};

struct robo_ik_report {
    double position_error, rotation_error; /* the remaining errors, m and rad */
    uint64_t at_limit[ROBO_MAX_DOFS / 64]; /* the bit of dof n: it is at a limit */
    /* least singular value over the greatest, of the weighted Jacobian; 0: singular */
    double singularity;
    unsigned iterations, attempts;
};

/* Inverse kinematics by damped least squares within the limits: 1 when the frame gets to the pose within the
 * tolerances, 0 when not; q is the best that was found either way. options and report may be NULL. ROBO_ENONE: no such
 * frame; ROBO_ERANGE: goal or q are not finite; ROBO_EINVAL: options without a size. */
int robo_ik(const robo_model *model, unsigned frame, const struct robo_pose *goal,
            const struct robo_ik_options *options, double *q, struct robo_ik_report *report);

/* Roll, pitch, yaw about the fixed axes x, y, z, to a rotation and back (pitch within a quarter turn). */
void robo_attitude_to_rotation(const double attitude[3], double rotation[9]);
void robo_rotation_to_attitude(const double rotation[9], double attitude[3]);

/* cdef } */

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
