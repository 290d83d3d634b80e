/* A servo: its motor, which follows its order with the speed, acceleration and torque that it has; and its restarts. */
#include <math.h>
#include <string.h>

#include "inside.h"

static const double STRONGEST = 25000; /* ticks/s2, of a motor without a limit of its own */
static const double AROUND = 25;       /* degrees Celsius */
static const double RISE = 45; /* of the temperature, with the greatest torque, after a long time */
static const double INERTIA_OF_HEAT = 150; /* s */

static double clamp(double x, double lo, double hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

/* The speed towards the goal from which the motor can still stop there. */
static double approach(double left, double speed, double acceleration, double dt)
{
    double change = acceleration * dt, far = fabs(left);
    double v = change * (sqrt(0.25 + 2 * far / (change * dt)) - 0.5);
    return copysign(fmin(fmin(v, far / dt), speed), left);
}

/* One step of dt seconds. */
static void move(struct robo__sbus_motor *m, const struct robo__sbus_model *model, double dt)
{
    const struct robo__sbus_order *o = &m->order;
    double top = model->top * fmin(1, m->voltage / model->voltage);
    double acceleration = o->acceleration > 0 ? fmin(o->acceleration, STRONGEST) : STRONGEST;
    double limit = o->how == ROBO__SBUS_FREE ? 0 : o->limit, wanted = 0;
    if (o->how == ROBO__SBUS_POSITION)
        wanted = approach(o->goal - m->angle, fmin(o->speed, top), acceleration, dt);
    else if (o->how == ROBO__SBUS_SPEED)
        wanted = o->speed;

    /* the torque that is left decides how fast it can be; a load alone turns no gear */
    double lo = fmin(0, fmax(-1, m->burden - limit)) * top;
    double hi = fmax(0, fmin(1, m->burden + limit)) * top;
    double change = acceleration * dt;
    double next = m->speed + clamp(wanted - m->speed, -change, change);
    if (o->how == ROBO__SBUS_FREE)
        next = m->speed - clamp(m->speed, -STRONGEST * dt, STRONGEST * dt);
    else
        next = clamp(next, lo, hi);

    double gained = (next - m->speed) / (STRONGEST * dt);
    m->torque = clamp(0.1 * gained - m->burden, -limit, limit);
    m->duty = clamp(next / top + m->torque, -limit, limit);
    m->speed = next;
    m->angle += next * dt;
    if (m->angle < m->least || m->angle > m->most) {
        double stop = m->angle < m->least ? m->least : m->most;
        m->angle = stop;
        m->speed = 0;
        if (wanted != 0) /* it presses on */
            m->torque = m->duty = copysign(limit, wanted);
    }
    double settled = AROUND + RISE * m->torque * m->torque;
    m->temperature += (settled - m->temperature) * dt / INERTIA_OF_HEAT;
}

void robo__sbus_restart(struct robo__sbus_servo *s, robo_time now)
{
    const struct robo__sbus_model *model = s->model;
    memcpy(s->memory, s->kept, sizeof s->memory);
    for (size_t i = 0; i < model->count; i++)
        if (model->rows[i].kind == ROBO__SBUS_RAM)
            robo__sbus_put(s->memory + model->rows[i].at, model->rows[i].size,
                           (uint32_t)model->rows[i].preset);
    s->registered = 0;
    s->strained = s->drained = 0;
    s->status = 0;
    s->is_shut = s->has_tripped = s->is_held = false;
    s->speed = s->acceleration = 0;
    /* turns are forgotten */
    s->turns = floor(s->motor.angle / ROBO__SBUS_TICKS) * ROBO__SBUS_TICKS;
    s->starts = now + model->protocol->boot;
    s->fed = s->starts;
    s->motor.order = (struct robo__sbus_order){ .how = ROBO__SBUS_FREE };
    model->protocol->refresh(s);
    model->protocol->start(s);
}

void robo__sbus_one_step(struct robo__sbus_servo *s, robo_time now)
{
    move(&s->motor, s->model, ROBO__SBUS_STEP);
    if (now >= s->starts)
        s->model->protocol->watch(s, now);
}
