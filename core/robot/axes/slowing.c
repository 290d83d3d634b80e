/* Axes that are decelerating without a command that reports their rest: a command for other axes of the device has
 * taken the place of their stop, or they were stopped together with axes that another client has moved. Other clients
 * wait until an axis must rest by its speed, and by its braking in the description. The mutex is held. */
#include "slowing.h"

#include <math.h>

#include "motion/profile.h"
#include "motions.h"

/* m/s^2 or rad/s^2 of a base of which no acceleration is stated; and how much longer than from its greatest speed a limb takes
 * that is limp, whose own friction brakes it. */
static const double BASE = 0.5, LIMP = 5;
/* At most, ns; and more than it should take, for what drivers and links need. */
static const double MOST = 10e9, MORE = 20e6;

/* Seconds that an axis takes to brake. */
static double braking_of(const struct robo_description *d, unsigned axis,
                         const struct robo_state *s, bool limp)
{
    const double speed[3] = { s->twist[0], s->twist[1], s->spin[2] };
    double longest = 0;
    if (axis != ROBO__BASE_AXIS) {
        const struct robo_dof *dof = &d->dof[axis];
        const double v = axis < s->dofs ? fabs(s->speed[axis]) : 0,
                     from = limp && v > 0 ? LIMP * fmax(v, dof->speed) : v;
        return from / robo__profile_acceleration(dof);
    }
    for (unsigned i = 0; i < 3; i++) {
        const double a = d->base_acceleration[i] > 0 ? d->base_acceleration[i] : BASE;
        longest = fmax(longest, (limp ? LIMP : 1) * fabs(speed[i]) / a);
    }
    return longest;
}

/* Once an instant: the parts of a frame begin in one. */
static void read_braking(struct robo__axes *a, bool powerless, robo_time now)
{
    const bool limp = powerless && a->port->description->panic == ROBO_LIMP;
    struct robo_state state;
    if (a->slowing_read == now && !limp)
        return;
    a->slowing_read = now;
    a->port->look(a->port, now, &state);
    for (ROBO__EACH_AXIS(a, i))
        a->row[i].slowing.braking = braking_of(a->port->description, i, &state, limp);
}

static void begin(struct robo__axes *a, const struct robo__resources *axes,
                  const struct robo__party *client, bool powerless, robo_time now)
{
    bool read = false;
    for (ROBO__EACH_AXIS(a, i)) {
        const struct robo__party of = client ? *client : robo__holder_of_motion(a, i);
        if (!robo__resources_has(axes, i) || robo__party_is(of, ROBO__NOBODY))
            continue;
        if (!read)
            read_braking(a, powerless, now);
        read = true;
        double span = a->row[i].slowing.braking * 1e9;
        if (!(span > 0))
            continue;
        struct robo__slowing *c = &a->row[i].slowing;
        const robo_time until = now + (robo_time)fmin(span + MORE, MOST);
        c->of = of;
        c->until = until > c->until ? until : c->until;
        if (c->until > a->slowings)
            a->slowings = c->until;
    }
}

void robo__slowing_begin(struct robo__axes *a, const struct robo__resources *axes,
                         const struct robo__party *client, robo_time now)
{
    begin(a, axes, client, a->port->halted, now);
}

void robo__slowing_powerless(struct robo__axes *a, const struct robo__resources *axes,
                             robo_time now)
{
    begin(a, axes, NULL, true, now);
}

void robo__slowing_forget(struct robo__axes *a)
{
    for (unsigned i = 0; i < ROBO__AXES; i++)
        a->row[i].slowing = (struct robo__slowing){ 0 };
    a->slowings = a->slowing_read = 0;
}

bool robo__slowing_keeps(const struct robo__axes *a, unsigned axis, struct robo__party client)
{
    const struct robo__party of = robo__slowing_of(a, axis);
    return !robo__party_is(of, ROBO__NOBODY) && !robo__party_is(of, client);
}
