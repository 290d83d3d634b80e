/* A simulated bus in the place of a port: a pure function of the bytes and of its clock, which goes on while its user waits for answers. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../servo_bus/servo_bus.h"
#include "device.h"

/* ---- the port ---- */

static robo_time bus_time(const struct robo__servos_port *p)
{
    return p->clock + p->ahead;
}

static void wait_until(struct robo__servos_port *p, robo_time until)
{
    if (until > p->clock)
        p->clock = until;
}

static int open_port(struct robo__servos_port *p)
{
    errno = ENODEV;
    return p->unplugged ? ROBO_EDEVICE : 0;
}

static void close_port(struct robo__servos_port *p)
{
    (void)p; /* its servos go on */
}

static ssize_t write_port(struct robo__servos_port *p, const uint8_t *bytes, size_t n)
{
    return p->unplugged ? -1 : (ssize_t)robo__servo_bus_receive(p->bus, bus_time(p), bytes, n);
}

static ssize_t read_port(struct robo__servos_port *p, robo_time until, uint8_t *bytes, size_t room)
{
    while (!p->unplugged) {
        const size_t n = robo__servo_bus_send(p->bus, bus_time(p), bytes, NULL, room);
        const robo_time due = robo__servo_bus_due(p->bus);
        if (n > 0)
            return (ssize_t)n;
        if (due == ROBO_NEVER || due - p->ahead > until) {
            wait_until(p, until);
            return 0;
        }
        wait_until(p, due - p->ahead);
    }
    return -1;
}

static void forget(struct robo__servos_port *p)
{
    uint8_t bytes[256];
    while (robo__servo_bus_send(p->bus, bus_time(p), bytes, NULL, sizeof bytes) > 0) {
    }
}

static void drain(struct robo__servos_port *p)
{
    for (robo_time due; (due = robo__servo_bus_due(p->bus)) != ROBO_NEVER;) {
        wait_until(p, due - p->ahead);
        forget(p);
    }
}

static robo_time now(const struct robo__servos_port *p)
{
    return p->clock;
}

const struct robo__servos_port_kind robo__servos_simulated = {
    .open = open_port,
    .close = close_port,
    .write = write_port,
    .read = read_port,
    .forget = forget,
    .wait = wait_until,
    .drain = drain,
    .now = now,
};

/* ---- the bus behind it ---- */

bool robo__servos_is_simulated(const struct robo__servos *d)
{
    return strcmp(d->wiring.port, "simulated") == 0;
}

/* As a program has left the servo that sets it up. */
static void set_mode(struct robo__servo_bus *bus, const struct robo__servos_servo *s, robo_time now)
{
    const struct robo__servos_family *f = s->model->family;
    const struct robo__servos_place *p = &f->place[ROBO__SERVOS_MODE];
    unsigned number = 0;
    while (!(f->mode[s->mode] >> number & 1))
        number++;
    robo__servo_bus_set_register(bus, s->id, now, p->address, p->size, number);
}

int robo__servos_simulate(struct robo__servos *d, robo_time now, char why[128])
{
    const struct robo__servo_bus_options options = { .baud = (uint32_t)d->wiring.baud,
                                                     .return_delay =
                                                         (int)(d->wiring.delay / 2e-6 + 0.5) };
    d->port.bus = robo__servo_bus_open(&options, now);
    if (!d->port.bus) {
        snprintf(why, 128, "not enough memory, or a delay of more than 508 us");
        return ROBO_ENOMEM;
    }
    for (size_t i = 0; i < d->count; i++) {
        const struct robo__servos_servo *s = &d->joint[i].servo;
        char text[64], reason[ROBO__SERVO_BUS_WHY];
        snprintf(text, sizeof text, "%s:%u", s->model->name, s->id);
        if (robo__servo_bus_add(d->port.bus, text, reason) < 0) {
            snprintf(why, 128, "%.31s: %.90s", d->joint[i].name, reason);
            return ROBO_EDEVICE;
        }
        if (s->mode != ROBO__SERVOS_BY_POSITION) /* which it has from the factory */
            set_mode(d->port.bus, s, now);
    }
    return 0;
}
