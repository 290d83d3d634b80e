/* Between the frames of Gamebots and our own. There: x forward, y right, z down; ours: x ahead, y left, z up. Both are right-handed, and
 * each is the other turned by half a turn about x. Positions, velocities, rates and the attitude (roll, pitch, yaw about the fixed axes)
 * all change alike: y and z, pitch and yaw change their signs. So yaw grows clockwise there, seen from above. This is the only place
 * that knows. */
#pragma once

#include "robotalk.h"
#include "robotalk/records.h"

/* A vector, or a triple of roll, pitch, yaw, into the other frame; in either direction, since twice is as before. */
void robo__gb_turn(const double from[3], double to[3]);

/* x, y, theta on the floor, into the other frame: a place or a velocity. */
void robo__gb_turn_floor(const double from[3], double to[3]);

/* An attitude as its clients have it: roll and yaw from 0 up to a whole turn. */
void robo__gb_attitude(const double attitude[3], double to[3]);

/* 1 or -1: the factor of a dof's position, there and back. There a dof is positive about, or along, its frame's axis x, y or z,
 * whichever its own is closest to: a pan is positive to the right, a tilt upwards. */
double robo__gb_sign(const struct robo_dof *dof);

/* Wheels on one axle, rad/s and positive ahead, and the velocity of the base between them: m/s ahead and rad/s to our left. */
struct robo__gb_wheels {
    double radius, separation; /* m; from the middle of a left wheel to that of a right one */
    double base;               /* m from front to rear axle; 0: there is one */
};
void robo__gb_drive(const struct robo__gb_wheels *wheels, double left, double right,
                    double velocity[3]);

/* The same for wheels that are steered, rad, positive to the right: speed of the wheels in rad/s, and angles of the front and rear ones.
 * Without a distance between axles nothing turns. */
void robo__gb_steer(const struct robo__gb_wheels *wheels, double speed, double front, double rear,
                    double velocity[3]);
