/* The geometry of a description, prepared for computing. Every dof turns about or slides along the z axis of a frame of
 * its own; all that is constant between two such frames is one transform. */
#pragma once

#include <stdbool.h>

#include "dof_set.h"
#include "robotalk/kinematics.h"

enum { ROBO__ROOT = -1 }; /* in place of a dof: the reference of the tree */

struct robo__joint_frame {
    struct robo_pose before; /* from the frame of the dof before it, moved, to its own, not moved */
    int before_dof;          /* or ROBO__ROOT */
    bool prismatic;
    uint16_t source;     /* the dof whose position moves it: itself, or the one that it mimics */
    double ratio, shift; /* it is ratio * that + shift */
};

/* A link or a control frame: fixed to the frame of the last dof that moves it. */
struct robo__attachment {
    int dof; /* or ROBO__ROOT */
    struct robo_pose after;
};

/* Its arrays stand behind it, in one block. */
struct robo_model {
    unsigned links, dofs, frames;
    uint16_t *order; /* of the dofs: from the roots on */
    struct robo__joint_frame *joint_frame;
    struct robo__attachment *link, *frame;
    /* the dofs between the root and each control frame, in this order; those of all frames stand in one array */
    const uint16_t **chain;
    uint16_t *length, *chains;
    unsigned longest; /* of these chains */
    /* limits of a dof and of all that mimic it; infinite where there are none */
    double *low, *high;
    /* kg or kg m2 that each dof moves, with all others at home; 1 for a body without masses */
    double *inertia;
};

/* Of a description that robo_description_check has passed; NULL: out of memory. */
robo_model *robo__model_make(const struct robo_description *description);
void robo__model_free(robo_model *model);

/* Computes the inertia that each dof moves. false: out of memory. */
bool robo__model_weigh(robo_model *model, const struct robo_description *description);

/* Adds the dofs that move a control frame by themselves, not by mimicking others; none: it has no such frame. */
void robo__model_frame_dofs(const robo_model *model, unsigned frame, struct robo__dof_set *dofs);

/* a = a * b. */
void robo__pose_append(struct robo_pose *a, const struct robo_pose *b);

/* From pose to pose: the translation, and the rotation as a rotation vector, both along the reference's axes. */
void robo__pose_difference(const struct robo_pose *from, const struct robo_pose *to, double out[6]);
/* The pose at a share of that way. */
void robo__pose_along(const struct robo_pose *from, const double way[6], double share,
                      struct robo_pose *out);
/* Its length in metres: a radian counts as `weight` metres. */
double robo__pose_distance(const struct robo_pose *from, const struct robo_pose *to, double weight);
