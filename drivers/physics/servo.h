/* The servo of a simulated dof: a profile (motion/profile.h) says where the dof shall be, and a spring and a damper pull it there
 * with no more than the dof's force. A servo of a device's dofs is a member of its state and guarded by its lock. */
#pragma once

#include <stdbool.h>

#include "motion/profile.h"
#include "robotalk.h"

/* How servos are tuned. */
struct robo__tuning {
    double bandwidth; /* Hz, of a dof that moves its own inertia */
    double damping;   /* ratio; 1: it does not overshoot */
    double tolerance; /* rad or m, within which a goal is reached; 0: 0.02 rad, 0.005 m */
    bool holds;       /* stiffer than that, if its weight takes more to be held near to its goal */
};

/* The forces on a dof in a step: a force, and a damping of the joint, which MuJoCo computes with the speed at the end of the
 * step: so it holds at whatever inertia the dof has just now. Their sum at the speed at its begin is the motor's, which is no
 * more than the dof's force. Their sum at its end differs by damping * step * acceleration: as if the motor had so much inertia,
 * damping * step, of its own. */
struct robo__pull {
    double force, damping;
};

struct robo__servo {
    struct robo__profile profile;
    double home, retreat;
    bool retreats;
    bool
        grips; /* a gripper's: whatever halts it, it goes on holding, unless that switches its motor off. Set after init */
    bool limp; /* its motor is off: only a command or a reset of the panic switches it on again */
    bool led;  /* it goes as another one plans, and not as its profile */
    double lead[2]; /* position and speed there */
    double tolerance, stiffness, damping;
    /* force with which a gripper holds that was halted, at the profile's position; 0: it does not. Where it is `room` from
     * there, its object is gone, and it stands */
    double press, room;
    /* of a dof that bears more than its own: the inertia that it moves with its foot in the air, and the simulator's
     * step, s; else 0 */
    double own, step;
    /* how far a dof that is driven by speed was held back, which its profile does not know */
    double behind;
    robo_time
        over; /* since when the motion to its goal is over, and it should be there; ROBO_NEVER */
    /* as the last step has left it; the force is that of the motor, of which the damping is a part: without the force that
     * stops the inertia for which the damping stands, as when the dof hits something */
    double position, speed, force;
    double drag; /* the damping of the step under way */
};

/* At its rest position. */
void robo__servo_init(struct robo__servo *servo, const struct robo_dof *dof,
                      const struct robo__tuning *tuning, robo_time now);

/* The inertia that it moves: kg or kg m2, and the load that may hang on it, N or N m. */
void robo__servo_load(struct robo__servo *servo, const struct robo__tuning *tuning, double inertia,
                      double weight);

/* After that, of a dof that bears much more than its own inertia, as a leg does: `own`, kg or kg m2, of which the motor has
 * `motor` at least. The inertia of its motor, which is as much as the simulator needs to go on by such steps (s). */
double robo__servo_bear(struct robo__servo *servo, double step, double own, double motor);

/* Its part of a command; false when a value was clipped. The motion begins where the servo is, or, when nothing has held the dof,
 * where that is. */
bool robo__servo_give(struct robo__servo *servo, const struct robo_cmd *cmd, unsigned number,
                      bool scaled, robo_time now);

/* As the panic policy says (enum robo_halt). A gripper that presses on something goes on as hard as that, and so it does when a
 * stop is given, and while an override of 0 holds it. */
void robo__servo_halt(struct robo__servo *servo, unsigned policy, robo_time now);

/* A dof that hangs loose is held where it is. */
void robo__servo_reset(struct robo__servo *servo, robo_time now);

void robo__servo_override(struct robo__servo *servo, double share, robo_time now);

/* It gets no further: it stays where it is. Limp, it stays so. */
void robo__servo_give_up(struct robo__servo *servo, robo_time now);

enum robo__servo_stage { ROBO__SERVO_MOVES, ROBO__SERVO_ARRIVED, ROBO__SERVO_STUCK };

/* Whether a goal is over by now; *next: when to look again. A dof is stuck when it is not there a second after it should be. */
enum robo__servo_stage robo__servo_look(struct robo__servo *servo, robo_time now, robo_time *next);

/* It follows these positions before each step, until it is laid to rest there, or gets another command. The caller has planned
 * without the lock, and a halt may have come meanwhile: a limp servo is not led, and one that is not led any more is not laid to
 * rest. */
void robo__servo_lead(struct robo__servo *servo, double position, double speed);
void robo__servo_rest(struct robo__servo *servo, robo_time now);

/* Where it is to be now. */
double robo__servo_place(const struct robo__servo *servo, robo_time now);

/* The servo's pull in the step that begins now. */
void robo__servo_pull(struct robo__servo *servo, robo_time now, struct robo__pull *pull);

/* After the step, with its final position and speed; force: the pull that was requested. */
void robo__servo_pulled(struct robo__servo *servo, double force);
