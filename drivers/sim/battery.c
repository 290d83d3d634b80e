/* A simulated battery. */
#include "battery.h"

static const double IDLE = 12, PER_METRE = 6, PER_RADIAN = 1.5; /* W, J/m, J/rad */

void robo__sim_battery_init(struct robo__sim_battery *b, const struct robo_description *d,
                            robo_time now)
{
    *b = (struct robo__sim_battery){ .capacity = d->battery, .full = d->voltage, .since = now };
}

double robo__sim_battery_charge(const struct robo__sim_battery *b, robo_time now, double path,
                                double turned)
{
    if (b->capacity <= 0)
        return 0;
    double drawn = IDLE * (double)(now - b->since) * 1e-9 + PER_METRE * path + PER_RADIAN * turned;
    return drawn < b->capacity ? 1 - drawn / b->capacity : 0;
}

double robo__sim_battery_voltage(const struct robo__sim_battery *b, double charge)
{
    return b->capacity > 0 ? b->full * (0.85 + 0.15 * charge) : 0;
}
