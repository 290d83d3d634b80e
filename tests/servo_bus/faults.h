/* Faults, loads and hands of a simulated bus of servos (drivers/servo_bus/servo_bus.h). */
#pragma once

#include "servo_bus/servo_bus.h"

/* Adds a fault, KIND:ID@S or KIND:ID@S+S: it begins that many seconds after the bus was opened, and lasts as long as the second
 * number says, or as usual: "silent:3@2.5", "cable:254@10+2"; 254 are all servos. The kinds, described in spec/servos.md, are silent,
 * checksum, noise, overload, heat, voltage, restart, cable, twin. ROBO_EINVAL: a malformed text; ROBO_ENONE: no such servo;
 * ROBO_EFULL. */
int robo__servo_bus_add_fault(struct robo__servo_bus *bus, const char *text,
                              char why[ROBO__SERVO_BUS_WHY]);
/* Adds random faults of all kinds but twin, so many on average. */
void robo__servo_bus_add_random_faults(struct robo__servo_bus *bus, uint64_t seed,
                                       double per_minute);

/* These return ROBO_ENONE: no such servo. */

struct robo__servo_bus_view {
    double angle;       /* of the shaft, rad, turns counted; 0 at the encoder's 0 */
    double speed;       /* rad/s */
    double load;        /* duty of the motor, -1 to 1 */
    double temperature; /* degrees Celsius */
    double voltage;     /* V */
    bool runs;          /* has power and has started */
    bool holds;         /* the motor is on */
};
int robo__servo_bus_view(struct robo__servo_bus *bus, unsigned id, robo_time now,
                         struct robo__servo_bus_view *view);
struct robo__servo_bus_touch {
    double torque;   /* on the shaft, lasting, of the greatest that the motor has, -1 to 1 */
    bool is_stopped; /* mechanical stops are there, rad */
    double least, most;
    bool is_turned; /* the shaft is turned by hand to that angle, rad */
    double angle;
};
int robo__servo_bus_touch(struct robo__servo_bus *bus, unsigned id, robo_time now,
                          const struct robo__servo_bus_touch *touch);
