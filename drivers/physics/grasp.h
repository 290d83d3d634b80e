/* The grip of grippers across a reload of their robots: the new device goes on holding. */
#pragma once

#include "robotalk.h"
#include "simulation.h"

/* A member of a simulation, guarded by its lock; zeroed: nothing. Only the newest are kept. */
struct robo__grasps {
    struct robo__grasp {
        uint64_t robot; /* its number (robot/world/surroundings.h) */
        char dof[70];
        double position, force;
    } grasp[32];
    unsigned next;
};

/* Keeps the force with which a dof of a leaving device presses there; 0: it does not, and its former grip is forgotten. Any thread, no
 * lock. */
void robo__grasp_keep(const robo_device *device, unsigned joint, unsigned dof, double position,
                      double force);

/* The force with which a dof at that position goes on pressing: 0, when it was left somewhere else. Any thread, no lock. */
double robo__grasp_of(const robo_device *device, unsigned joint, unsigned dof, double position);
