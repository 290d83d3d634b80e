/* A simulated battery: the power of electronics and wheels, in closed form.
 *
 * Estimates, not measurements: 12 W for computer and electronics at rest, and per metre and per radian of driving
 * the work that moves some 10 kg against rolling resistance of 3 per cent and losses as large. */
#pragma once

#include "robotalk.h"
#include "robotalk/records.h"

struct robo__sim_battery {
    double capacity, full; /* J, V; capacity 0: none */
    robo_time since;
};

void robo__sim_battery_init(struct robo__sim_battery *battery,
                            const struct robo_description *description, robo_time now);

/* The remaining charge, 0 to 1, after such a drive. */
double robo__sim_battery_charge(const struct robo__sim_battery *battery, robo_time now, double path,
                                double turned);

/* Voltage; it falls linearly from full to 85 per cent. */
double robo__sim_battery_voltage(const struct robo__sim_battery *battery, double charge);
