/* May change without notice between versions. */
/* Kinematics of a body: poses of links and control frames, Jacobians, inverse kinematics. */
#pragma once

#include <stddef.h>

#include "robotalk/base.h"

ROBO_API_BEGIN

/* ---- kinematics ----
 *
 * A model is a body's geometry made ready for computing; it never changes, so any thread may use it. q is
 * one number for each dof of the description, in its order; the value of a mimicking dof is ignored. The
 * poses of a tree are relative to its reference: where its root joint starts from, which is the root link's
 * own frame unless the root joint has dofs. Nothing here allocates. */

/* NULL for the body of a robot whose description has no geometry. */
const robo_model *robo_body_model(const robo_body *body);

struct robo_pose {
    double position[3];
    double rotation[9]; /* row by row: turns the frame's axes into those of the reference */
};

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

ROBO_API_END
