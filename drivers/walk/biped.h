/* How a body with two legs walks without falling: its centre of mass goes as preview control says (preview_control.h) for the footsteps that are
 * planned (footsteps.h), its feet go from step to step, and its legs bend so that both is true. The measured lean of the real body turns
 * its ankles against its fall (S. Kajita et al., Biped walking stabilization based on linear inverted pendulum tracking, IROS 2010, does
 * so by the forces on its feet). struct robo__biped_kind is made once; the gait is a value. Pure, without allocation. */
#pragma once

#include <stdbool.h>

#include "footsteps.h"
#include "preview_control.h"
#include "robotalk.h"
#include "robotalk/records.h"

struct robo__biped_kind {
    const struct robo_description *description; /* of which it has the masses */
    const robo_model *model;
    struct robo__preview preview;
    struct robo__stepping stepping;
    double root, lift,
        ankle; /* m: the root of the standing body, a step's height, the foot's frame when it stands */
    double com[3]; /* of the standing body, from its root */
    double mass;
    unsigned frame[2];
    uint64_t others[2][ROBO_MAX_DOFS / 64]; /* as in robo_ik_options */
    double rotation[2][9];                  /* of the feet of the standing body */
};

/* The measured state of the real body, along axes that are level and point where its root points. */
struct robo__balance {
    double lean[2], spin[2]; /* of the root about x and y: rad, rad/s */
    double com[2];           /* m from the root: it carries something, or its arms are elsewhere */
};

struct robo__biped {
    struct robo__footsteps steps;
    struct robo__cart cart[2]; /* ahead and aside, in the frame of the footsteps */
    double x, y, z, theta;     /* the root, in the frame of the footsteps */
    double com[3];             /* of the last step, from the root */
    double off[2];             /* m: of the real centre of mass from there, as it is felt */
    double tilt[2];            /* rad about x and y: of feet that stand, against the root */
    bool reached;              /* both feet are where they shall be */
};

/* Computes values that follow from description, model, root, lift, frame, others and stepping's times. False: it has no
 * weight, or its feet are not beside each other with the first one on the left. */
bool robo__biped_make(struct robo__biped_kind *kind, double dt);

/* Where the centre of mass of a body is, from its root. */
void robo__biped_weigh(const struct robo__biped_kind *kind, const double *q, double com[3]);

/* It stands as these dofs say. */
void robo__biped_stand(const struct robo__biped_kind *kind, const double *q, struct robo__biped *b);

/* A step of the preview's dt. felt: NULL: the body is where the plan has it. q: of the dofs; those of its legs are written. True while it goes on. */
bool robo__biped_go(const struct robo__biped_kind *kind, const double velocity[3],
                    const struct robo__balance *felt, struct robo__biped *b, double *q);
