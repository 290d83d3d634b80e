/* Section IV of paper 004, and the set-up of section V in simulation: the arm follows a trajectory over a bus that carries
 * so many messages a second, each to one joint, whose local controller reaches that speed with constant acceleration and
 * holds it. */
#pragma once

#include "arm.h"
#include "motion/bus_schedule.h"

struct robo__trial {
    enum robo_trial_task task;
    enum robo_order scheme;
    bool aware;  /* speeds are optimal for being held for a whole slot */
    double rate; /* messages a second */
    double seconds;
    unsigned servos, together; /* on the bus; that get a message */
    double late;               /* s from its decision until it is executed */
    double weight[ROBO_TRIAL_JOINTS];
    double start[ROBO_TRIAL_JOINTS]; /* posture; at rest */
    uint32_t most_messages;          /* age of a joint; 0: no guard, as in the paper */
    double gain, kp, ki, stiffness, wanted_force, acceleration;
    double known_stiffness; /* stiffness that an aware command assumes */

    /* called after every message, and after every part of a slot (choice NULL); may be NULL */
    void (*look)(void *context, double time, const struct robo_ordering_choice *choice,
                 const double *task, double force_error);
    void *context;
};

/* The paper's: 5 s, a = 10 /s, kP = 0.0125 m/s/N, kI = kP / 3, 10 kN/m, 20 N, 100 rad/s2, W the identity, and a start
 * on the trajectory; on the countertop of section V 7 s, a = 1 /s, kP = 0.03 m/s/N, kI = kP / 3, 1.73 kN/m, 5 N. */
void robo__trial_init(struct robo__trial *trial, enum robo_trial_task task, enum robo_order scheme,
                      double rate);

void robo__trial_run(const struct robo__trial *trial, struct robo_trial_result *result);
