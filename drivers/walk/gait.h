/* A kinematic gait for any number of legs: standing feet are fixed in the world, swinging feet move to where the body
 * will need them, and the angles of the legs follow by inverse kinematics. It computes no forces: a real body might
 * fall with these footsteps, but the simulated one follows its path with plausible legs (paper 000, III.A: a humanoid's
 * GOTO is a walking gait in its leg drivers).
 *
 * A gait is a value: where it stands at one instant. A step of it depends on nothing but the gait before and the body's
 * way over the floor, which is known ahead. */
#pragma once

#include <stdbool.h>

#include "../sim/base.h"
#include "biped.h"
#include "robotalk.h"

enum { ROBO__LEGS = 8 };

struct robo__gait_kind;

/* The legs of a body; made once. */
struct robo__legs {
    const robo_model *model; /* whose: the driver's */
    const struct robo_description *description;
    const struct robo__gait_kind *kind;
    unsigned dofs, legs;
    struct robo__leg_kind {
        unsigned frame; /* its foot */
        uint64_t others[ROBO_MAX_DOFS /
                        64]; /* dofs that do not belong to the leg, as in robo_ik_options */
        bool flat;           /* whether it has enough dofs to keep the sole level */
        double offset;       /* in the cycle, 0 to 1 */
        double x, y, height; /* of the foot below the standing body, and above the floor */
        double rotation[9];  /* of the foot of the standing body */
    } leg[ROBO__LEGS];
    double root;                                      /* height of the root of the standing body */
    double period, swing, lift, sway, bob;            /* s, share of the period, m */
    double home[ROBO_MAX_DOFS], speed[ROBO_MAX_DOFS]; /* of the dofs; greatest, 0: not known */
    struct robo__biped_kind biped;                    /* of the gait "preview" */
};

/* The measured motion of a body with weight, from its simulator; all along axes that turn with its root and stay level. */
struct robo__felt {
    bool known;                  /* else it is where the gait has it */
    double roll, pitch;          /* of the root, rad */
    double velocity[3], spin[3]; /* of the root, m/s, rad/s */
    double com[3], drift[3];     /* centre of mass from the root, m, and its velocity */
    double zmp[2], load; /* where the floor bears it, from the root, m; and with how much, N */
};

struct robo__gait {
    struct robo__felt felt; /* at the begin of the next step; the simulator writes it */
    double phase;           /* cycles since it began */
    double envelope;        /* 0 to 1: how much the body sways */
    struct robo__foot {
        bool swings;
        double u;              /* of the swing, 0 to 1 */
        double x, y, z, theta; /* in the world; z above its standing height */
        double clear;          /* m, that it is lifted higher above a body that leans to its side */
        double from_x, from_y, from_z, from_theta; /* where the swing began */
        /* Inverse kinematics that goes on from a straight leg may end in the other of its two solutions. So the leg is
         * compared with the solution that home leads to when it leaves the floor, and goes back to that in the air. */
        enum { ROBO__BENT_AS_HOME, ROBO__BENT_ASTRAY, ROBO__BENDING_BACK } bent;
    } foot[ROBO__LEGS];
    unsigned single; /* number of the leg that makes one step, or 0 */
    double pace;     /* share of its speed that the override leaves a single step */
    double most;     /* greatest speed of its foot over the floor, m/s; 0: as it steps */
    double goal[3];  /* of that step, in the world */
    double sway, z;  /* of the root: to its left, and its height in the world */
    /* m, ahead and to the left: where feet belong while it walks, from where they are at home: below the measured weight; and how
     * far the root has moved over feet that stand: after them when it stops, or for its weight to be off a foot that is to be lifted */
    double ahead[2], after[2];
    double q[ROBO_MAX_DOFS];
    struct robo__biped biped; /* of the gait "preview" */
    bool reached;             /* all feet reached their places, with legs that are fast enough */
};

/* How a body sets its feet. All are pure functions, and a step costs neither memory nor time that is not bounded. */
struct robo__gait_kind {
    const char *name;
    /* May be NULL: precomputes constants. 0; ROBO_EINVAL and why. The model and the places of the feet are not yet known. */
    int (*prepare)(struct robo__legs *legs, char why[128]);
    /* May be NULL: the rest of it, when these are known. False: such legs cannot go so. */
    bool (*place)(struct robo__legs *legs);
    /* May be NULL: speeds no faster than its steps are long, and accelerations no greater than these get longer. */
    void (*limit)(const struct robo__legs *legs, struct robo__sim_base *base);
    /* May be NULL: after the feet were set to where they are. */
    void (*begin)(const struct robo__legs *legs, const struct robo__sim_base *base,
                  struct robo__gait *gait);
    /* As robo__gait_step, when no single step is under way. The angles of the legs follow where it puts feet and root. */
    bool (*step)(const struct robo__legs *legs, const struct robo__sim_base *base, double dt,
                 struct robo__gait *gait);
    /* May be NULL: where the base will be, x, y, theta from the root as it is now, when the next foot is lifted of which the place is
     * not certain; in how many s that is. */
    double (*foresee)(const struct robo__legs *legs, const struct robo__gait *gait,
                      double ahead[3]);
    /* May be NULL: a step of one foot (from 0) to a place in the root's frame begins, of a body that stands; most: m/s, 0: as it
     * steps. `step` makes it, and no further one. Else a gait has struct robo__gait's `single`. */
    void (*single)(const struct robo__legs *legs, unsigned leg, const double place[3], double most,
                   struct robo__gait *gait);
    /* May be NULL: whether the kind allows that step, if the leg reaches so far. */
    bool (*may)(const struct robo__legs *legs, unsigned leg, const double place[3]);
    bool bends; /* `step` bends the legs, too */
    /* How servos bear the body: bandwidth, Hz, and damping ratio of a leg that moves the whole body about the floor, and the part of
     * that inertia that its motors have of their own; all 0: as other servos. */
    struct {
        double bandwidth, damping, motors;
    } bearing;
};

extern const struct robo__gait_kind robo__gait_plain, robo__gait_preview;
extern const struct robo__gait_kind
    *const robo__gait_kinds[]; /* the first is the default; ended by NULL */

/* The gait of a body that stands at home on the floor below that base. */
void robo__gait_stand(const struct robo__legs *legs, const struct robo__sim_base *base,
                      struct robo__gait *gait);

/* Sets the feet to where these dofs put them. */
void robo__gait_place(const struct robo__legs *legs, const struct robo__sim_base *base,
                      const double *q, struct robo__gait *gait);

/* One step of `dt` s; base: the body's way, at the end of it. True while it goes on: the body moves, or a foot is not yet
 * where it belongs. */
bool robo__gait_step(const struct robo__legs *legs, const struct robo__sim_base *base, double dt,
                     struct robo__gait *gait);

/* Whether the legs are long and fast enough for that speed ahead (axis 0, m/s), sideways (1) or turning (2, rad/s),
 * either way, from rest below that base. */
bool robo__gait_can(const struct robo__legs *legs, const struct robo__sim_base *base, int axis,
                    double speed);

/* Whether the foot of a leg (from 0) of the standing body reaches that place on the floor, in the root's frame. */
bool robo__gait_reaches(const struct robo__legs *legs, const struct robo__gait *gait,
                        const struct robo__sim_base *base, unsigned leg, const double place[3]);

/* The same of a place that is out of reach: it becomes the nearest one on the way there. True: it was in reach. */
bool robo__gait_near(const struct robo__legs *legs, const struct robo__gait *gait,
                     const struct robo__sim_base *base, unsigned leg, double place[3]);

/* Where the root has to be from where it is, ahead and to the left, for its weight, at `com` from it, to be borne by the feet but that of a leg
 * (from 0), or, leg being their number, by all. Of three feet at least that stand. */
void robo__gait_unload(const struct robo__legs *legs, const struct robo__gait *gait,
                       const struct robo__sim_base *base, unsigned leg, const double com[2],
                       double out[2]);
