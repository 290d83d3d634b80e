/* A port of servos for tools that set servos up (core/robotalk/servos.h). */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../servo_bus/servo_bus.h"
#include "base/time.h"
#include "dynamixel.h"
#include "feetech.h"
#include "models.h"
#include "port.h"
#include "robotalk/serial.h"
#include "robotalk/servos.h"

/* An adapter that has not been set up hands its bytes over after 16 ms. A machine that is busy may need longer: with each try of a
 * question, which has one answer, it is twice as long. */
static const double PATIENCE = 0.025;
enum { TRIES = 4, BITS = 10, ALERT = 0x80 };

struct robo_servo_port {
    struct robo__servos_port port;
    atomic_bool closing; /* never */
    char path[];
};

static const struct robo__servos_packets *packets_of(enum robo_servo_packets packets)
{
    return packets == ROBO_SERVO_FEETECH ? &robo__feetech_packets : &robo__dynamixel_packets;
}

/* ---- models ---- */

static int mode_number(uint32_t bits)
{
    static const int usual[] = { 3, 0, 1 }; /* of several, the one that is plain */
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
        if (bits >> usual[i] & 1)
            return usual[i];
    return -1;
}

bool robo_servo_model(unsigned row, struct robo_servo_model *out)
{
    const struct robo__servos_model *m = robo__servos_row(row);
    if (!m)
        return false;
    const struct robo__servos_family *f = m->family;
    *out = (struct robo_servo_model){ .name = m->name,
                                      .packets = f->packets == &robo__feetech_packets
                                                     ? ROBO_SERVO_FEETECH
                                                     : ROBO_SERVO_DYNAMIXEL,
                                      .middle = m->middle,
                                      .tick = f->place[ROBO__SERVOS_POSITION].unit,
                                      .rate = f->rate,
                                      .locks = robo__servos_has(m, ROBO__SERVOS_LOCK) };
    for (int i = 0; i < 3; i++)
        out->mode[i] = robo__servos_has(m, ROBO__SERVOS_MODE) ? mode_number(f->mode[i]) : -1;
    memcpy(out->alarm, f->alarm, sizeof out->alarm);
    return true;
}

/* ---- the port ---- */

static robo_servo_port *make(const char *path, int *error)
{
    robo_servo_port *p = calloc(1, sizeof *p + strlen(path) + 1);
    *error = ROBO_ENOMEM;
    if (!p)
        return NULL;
    memcpy(p->path, path, strlen(path) + 1);
    p->port =
        (struct robo__servos_port){ .path = p->path, .fd = -1, .closing = &p->closing, .wake = -1 };
    return p;
}

static int error_of_port(void)
{
    return errno == EINVAL ? ROBO_EINVAL : ROBO_EDEVICE;
}

robo_servo_port *robo_servo_port_open(const char *path, long baud, int *error)
{
    robo_servo_port *p = make(path, error);
    if (!p)
        return NULL;
    p->port.kind = &robo__servos_serial;
    p->port.baud = baud;
    if (p->port.kind->open(&p->port) == 0)
        return p;
    const int number = errno;
    *error = error_of_port();
    free(p);
    errno = number;
    return NULL;
}

int robo_servo_port_set_baud(robo_servo_port *p, long baud)
{
    if (p->port.bus)
        robo__servo_bus_set_baud(p->port.bus, p->port.clock + p->port.ahead, (uint32_t)baud);
    else if (robo_serial_set(p->port.fd, baud) < 0)
        return error_of_port();
    p->port.baud = baud;
    return 0;
}

robo_servo_port *robo_servo_port_simulate(const char *servos, int *error, char why[256])
{
    const struct robo__servo_bus_options options = { .return_delay = -1 };
    char reason[ROBO__SERVO_BUS_WHY] = "";
    robo_servo_port *p = make("", error);
    if (!p)
        return NULL;
    p->port.kind = &robo__servos_simulated;
    p->port.clock = robo__time_monotonic();
    p->port.bus = robo__servo_bus_open(&options, p->port.clock);
    *error = p->port.bus ? robo__servo_bus_add(p->port.bus, servos, reason) : ROBO_ENOMEM;
    if (*error >= 0) {
        p->port.kind->wait(&p->port, p->port.clock + 1000000000); /* servos need time to start */
        return p;
    }
    snprintf(why, 256, "%s", reason);
    robo_servo_port_close(p);
    return NULL;
}

void robo_servo_port_close(robo_servo_port *p)
{
    if (!p)
        return;
    p->port.kind->close(&p->port);
    robo__servo_bus_close(p->port.bus);
    free(p);
}

/* ---- questions ---- */

/* Sends a packet, and collects answers for that time, or until there are so many: their number, or an error. */
static int ask(robo_servo_port *p, const struct robo__servos_packets *packets, const uint8_t *frame,
               size_t n, double wait, struct robo__servos_status *out, int most)
{
    struct robo__servos_input input = { .count = 0 };
    int count = 0, found = 1;
    if (p->port.bus) /* the bus's clock has stood since the last question */
        p->port.kind->wait(&p->port, robo__time_monotonic());
    p->port.kind->forget(&p->port);
    if (p->port.kind->write(&p->port, frame, n) != (ssize_t)n)
        return ROBO_ELINK;
    const robo_time until = p->port.kind->now(&p->port) + (robo_time)(wait * 1e9);
    while (count < most &&
           (found = robo__servos_next(&p->port, packets, &input, until, &out[count])) > 0)
        count++;
    if (found < 0)
        return ROBO_ELINK;
    if (input.count + input.noise > 0 && (count == 0 || most > 1)) /* a servo may be hidden in it */
        return ROBO_EBODY;
    return count > 0 ? count : ROBO_ETIMEOUT;
}

/* The same for one servo, whose answer of that size is awaited as long as its bytes need. */
static int ask_one(robo_servo_port *p, const struct robo__servos_packets *packets, uint8_t id,
                   const uint8_t *frame, size_t n, size_t size, struct robo__servos_status *out)
{
    const double baud = p->port.bus ? 1e6 : (double)p->port.baud,
                 bytes = 2.0 * BITS * (double)(n + 16) / baud;
    double patience = PATIENCE;
    int status = ROBO_ETIMEOUT;
    for (int i = 0; i < TRIES && status < 0 && status != ROBO_ELINK; i++, patience *= 2) {
        status = ask(p, packets, frame, n, patience + bytes, out, 1);
        if (status > 0 && (out->id != id || out->count != size))
            status = ROBO_EBODY;
        if (status < 0 || i > 0) /* answers that are late are dropped by the next question */
            p->port.kind->wait(&p->port, p->port.kind->now(&p->port) + (robo_time)(patience * 1e9));
    }
    return status < 0 ? status : 0;
}

int robo_servo_ping(robo_servo_port *p, enum robo_servo_packets packets, uint8_t id, double wait,
                    uint8_t ids[ROBO_SERVO_IDS + 1])
{
    struct robo__servos_status answer[ROBO_SERVO_IDS + 1];
    uint8_t frame[ROBO__SERVOS_FRAME];
    const size_t n = packets_of(packets)->encode(id, ROBO__SERVOS_PING, NULL, 0, frame);
    const int count = ask(p, packets_of(packets), frame, n, wait, answer,
                          id == ROBO_SERVO_ALL ? ROBO_SERVO_IDS + 1 : 1);
    if (count == 1 && id != ROBO_SERVO_ALL && answer[0].id != id) /* a late one */
        return ROBO_ETIMEOUT;
    for (int i = 0; i < count; i++)
        ids[i] = answer[i].id;
    return count;
}

static int read_register(robo_servo_port *p, const struct robo__servos_model *m, uint8_t id,
                         enum robo__servos_register r, int64_t *value)
{
    const struct robo__servos_place *place = &m->family->place[r];
    struct robo__servos_status answer;
    uint8_t frame[ROBO__SERVOS_FRAME];
    const size_t n = robo__servos_read(m->family->packets, id, place->address, place->size, frame);
    const int error = ask_one(p, m->family->packets, id, frame, n, place->size, &answer);
    if (error < 0)
        return error;
    *value = robo__servos_raw(m, r, answer.data);
    return 0;
}

int robo_servo_identify(robo_servo_port *p, enum robo_servo_packets packets, uint8_t id,
                        int64_t *number)
{
    const struct robo__servos_model *m;
    const struct robo__servos_family *last = NULL;
    for (unsigned row = 0; (m = robo__servos_row(row)) != NULL; row++) {
        if (m->family->packets != packets_of(packets))
            continue;
        const int error =
            m->family == last ? 0 : read_register(p, m, id, ROBO__SERVOS_MODEL, number);
        if (error < 0)
            return error;
        if (*number == m->number)
            return (int)row;
        last = m->family;
    }
    return ROBO_ENONE;
}

int robo_servo_read(robo_servo_port *p, unsigned row, uint8_t id, const char *name, int64_t *value)
{
    const struct robo__servos_model *m = robo__servos_row(row);
    const enum robo__servos_register r = robo__servos_register(name);
    return m && robo__servos_has(m, r) ? read_register(p, m, id, r, value) : ROBO_EINVAL;
}

int robo_servo_write(robo_servo_port *p, unsigned row, uint8_t id, const char *name, int64_t value)
{
    const struct robo__servos_model *m = robo__servos_row(row);
    const enum robo__servos_register r = robo__servos_register(name);
    if (!m || !robo__servos_has(m, r))
        return ROBO_EINVAL;
    const struct robo__servos_place *place = &m->family->place[r];
    struct robo__servos_status answer;
    uint8_t data[4], frame[ROBO__SERVOS_FRAME];
    robo__servos_put(m, r, value, data);
    const size_t n =
        robo__servos_write(m->family->packets, id, place->address, data, place->size, frame);
    const int status = ask(p, m->family->packets, frame, n, PATIENCE, &answer, 1);
    if (status < 0)
        return status == ROBO_ELINK ? status : 0;
    return m->family->latched && answer.error & ~ALERT ? ROBO_ERANGE : 0;
}
