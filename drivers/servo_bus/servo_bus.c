/* The bus: bytes on their way, and what happens at which instant. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"
#include "robotalk.h"

enum { ROOM = ROBO__SBUS_ROOM };

static const robo_time SECOND = 1000000000;
static const robo_time STEP = 1000000;       /* of the motors */
static const robo_time STALE = 10 * 1000000; /* after such a silence half a packet is forgotten */

static struct robo__sbus_byte *nth(const struct robo__sbus_wire *w, size_t i)
{
    return (struct robo__sbus_byte *)&w->bytes[(w->first + i) % ROOM];
}

/* Takes the first byte that has arrived by then. */
static bool take(struct robo__sbus_wire *w, robo_time now, struct robo__sbus_byte *b)
{
    if (w->count == 0 || nth(w, 0)->end > now)
        return false;
    *b = *nth(w, 0);
    w->first++;
    w->count--;
    return true;
}

void robo__sbus_put_byte(struct robo__servo_bus *bus, robo_time begin, uint8_t value)
{
    struct robo__sbus_byte b = { begin, begin + bus->byte, value }, *o;
    size_t i = bus->out.count;
    for (; i > 0 && (o = nth(&bus->out, i - 1))->end > b.begin; i--)
        if (o->begin < b.end) { /* two servos at a time: a 0 wins over a 1 */
            o->value &= value;
            return;
        }
    if (bus->out.count == ROOM)
        return;
    for (size_t k = bus->out.count++; k > i; k--)
        *nth(&bus->out, k) = *nth(&bus->out, k - 1);
    *nth(&bus->out, i) = b;
}

struct robo__sbus_servo *robo__sbus_find(struct robo__servo_bus *bus, unsigned id)
{
    for (unsigned i = 0; i < bus->count; i++)
        if (bus->servos[i].memory[bus->protocol->id_at] == id)
            return &bus->servos[i];
    return NULL;
}

/* ---- time ---- */

void robo__sbus_settle(struct robo__servo_bus *bus, robo_time now)
{
    while (bus->stepped + STEP <= now) {
        bus->stepped += STEP;
        if (bus->faults)
            bus->faults->step(bus, bus->stepped);
        for (unsigned i = 0; i < bus->count; i++)
            if (bus->servos[i].starts != ROBO_NEVER)
                robo__sbus_one_step(&bus->servos[i], bus->stepped);
    }
}

struct robo__sbus_servo *robo__sbus_next(struct robo__servo_bus *bus, unsigned id, robo_time now,
                                         unsigned *at)
{
    while (*at < bus->count) {
        struct robo__sbus_servo *s = &bus->servos[(*at)++];
        const struct robo__sbus_protocol *protocol = s->model->protocol;
        if ((id == ROBO__SBUS_ANY || s->memory[protocol->id_at] == id) && now >= s->starts &&
            protocol->bauds[s->memory[protocol->baud_at]] == bus->baud)
            return s;
    }
    return NULL;
}

/* ---- from the port ---- */

/* A byte that overlaps another one on the wire: a 0 wins over a 1. */
static uint8_t collide(struct robo__servo_bus *bus, const struct robo__sbus_byte *b)
{
    uint8_t value = b->value;
    struct robo__sbus_byte *o;
    for (size_t i = bus->out.count; i-- > 0 && (o = nth(&bus->out, i))->end > b->begin;)
        if (o->begin < b->end)
            value = o->value &= value;
    return value;
}

static void take_byte(struct robo__servo_bus *bus, const struct robo__sbus_byte *b)
{
    if (b->begin - bus->heard > STALE)
        bus->packet_size = 0;
    bus->heard = b->end;
    bus->packet[bus->packet_size++] = collide(bus, b);
    while (bus->packet_size > 0 && bus->protocol) {
        size_t used = bus->protocol->parse(bus, bus->packet, bus->packet_size, b->end);
        if (used == 0 && bus->packet_size == sizeof bus->packet)
            used = 1;
        if (used == 0)
            return;
        bus->packet_size -= used;
        memmove(bus->packet, bus->packet + used, bus->packet_size);
    }
    if (!bus->protocol)
        bus->packet_size = 0;
}

static void advance(struct robo__servo_bus *bus, robo_time now)
{
    now = robo__time_cut(now);
    if (now < bus->now)
        now = bus->now;
    struct robo__sbus_byte b;
    while (take(&bus->in, now, &b))
        take_byte(bus, &b);
    robo__sbus_settle(bus, now);
    bus->now = now;
}

size_t robo__servo_bus_receive(struct robo__servo_bus *bus, robo_time now, const uint8_t *bytes,
                               size_t n)
{
    advance(bus, now);
    if (bus->in_end < bus->now)
        bus->in_end = bus->now;
    size_t i = 0;
    for (; i < n && bus->in.count < ROOM; i++, bus->in_end += bus->byte)
        *nth(&bus->in, bus->in.count++) =
            (struct robo__sbus_byte){ bus->in_end, bus->in_end + bus->byte, bytes[i] };
    return i;
}

/* ---- to the port ---- */

void robo__sbus_pass(struct robo__servo_bus *bus, robo_time *at, size_t n)
{
    *at += bus->delay + (robo_time)n * bus->byte;
}

void robo__sbus_answer(struct robo__sbus_servo *s, robo_time *at, uint8_t *packet, size_t n,
                       size_t checksum)
{
    struct robo__servo_bus *bus = s->bus;
    bus->delay = (robo_time)s->memory[s->model->protocol->delay_at] * 2000;
    robo_time begin = *at + bus->delay;
    robo__sbus_pass(bus, at, n);
    if (bus->faults && !bus->faults->answer(s, packet, n - checksum, &begin, at))
        return;
    for (size_t i = 0; i < n; i++, begin += bus->byte)
        robo__sbus_put_byte(bus, begin, packet[i]);
}

size_t robo__servo_bus_send(struct robo__servo_bus *bus, robo_time now, uint8_t *bytes,
                            robo_time *ends, size_t size)
{
    advance(bus, now);
    struct robo__sbus_byte b;
    size_t n = 0;
    for (; n < size && take(&bus->out, bus->now, &b); n++) {
        bytes[n] = b.value;
        if (ends)
            ends[n] = b.end;
    }
    return n;
}

robo_time robo__servo_bus_due(const struct robo__servo_bus *bus)
{
    robo_time due = ROBO_NEVER;
    for (size_t i = 0; i < bus->out.count && nth(&bus->out, i)->begin <= due; i++)
        due = nth(&bus->out, i)->end;
    if (bus->in.count > 0 && bus->in_end < due)
        due = bus->in_end;
    return due;
}

void robo__servo_bus_set_baud(struct robo__servo_bus *bus, robo_time now, uint32_t baud)
{
    advance(bus, now);
    if (baud == 0 || baud == bus->baud)
        return;
    bus->baud = baud;
    bus->byte = (10 * SECOND + baud / 2) / baud;
    bus->packet_size = 0;
}

/* ---- servos ---- */

static int add(struct robo__servo_bus *bus, const char *name, unsigned id)
{
    const struct robo__sbus_model *model = robo__sbus_model_find(name);
    if (!model)
        return ROBO_ENONE;
    const struct robo__sbus_protocol *protocol = model->protocol;
    unsigned index = 0;
    while (index < model->bauds && protocol->bauds[index] != bus->options.baud)
        index++;
    if ((bus->protocol && bus->protocol != protocol) || index == model->bauds)
        return ROBO_EINVAL;
    if (id >= protocol->ids)
        return ROBO_ERANGE;
    if (robo__sbus_find(bus, id))
        return ROBO_EEXISTS;
    if (bus->count == ROBO__SERVO_BUS_MOST)
        return ROBO_EFULL;
    struct robo__sbus_servo *s = &bus->servos[bus->count++];
    *s = (struct robo__sbus_servo){ .model = model, .bus = bus };
    s->motor = (struct robo__sbus_motor){ .angle = ROBO__SBUS_TICKS / 2.0,
                                          .temperature = 25,
                                          .voltage = model->voltage,
                                          .least = -HUGE_VAL,
                                          .most = HUGE_VAL };
    for (size_t i = 0; i < model->count; i++)
        if (model->rows[i].kind != ROBO__SBUS_RAM)
            robo__sbus_put(s->kept + model->rows[i].at, model->rows[i].size,
                           (uint32_t)model->rows[i].preset);
    s->kept[protocol->id_at] = (uint8_t)id;
    s->kept[protocol->baud_at] = (uint8_t)index;
    if (bus->options.return_delay >= 0)
        s->kept[protocol->delay_at] = (uint8_t)bus->options.return_delay;
    robo__sbus_restart(s, bus->now - protocol->boot);
    bus->delay = (robo_time)s->memory[protocol->delay_at] * 2000;
    bus->protocol = protocol;
    return 0;
}

static int refuse(char why[ROBO__SERVO_BUS_WHY], int status, const char *what, const char *text)
{
    snprintf(why, ROBO__SERVO_BUS_WHY, "%s: %.40s", what, text);
    return status;
}

int robo__servo_bus_add(struct robo__servo_bus *bus, const char *text,
                        char why[ROBO__SERVO_BUS_WHY])
{
    static const char *const form = "want MODEL:IDS, such as sts3215:1-6";
    char model[16];
    int used = 0;
    if (sscanf(text, "%15[^:]%n", model, &used) != 1 || text[used] != ':')
        return refuse(why, ROBO_EINVAL, form, text);
    const char *at = text + used;
    do {
        unsigned first, last;
        int n = sscanf(++at, "%3u%n-%3u%n", &first, &used, &last, &used);
        if (n < 1 || (at[used] && at[used] != ',') || (n == 2 && last < first))
            return refuse(why, ROBO_EINVAL, form, text);
        for (unsigned id = first; id <= (n == 2 ? last : first); id++) {
            int status = add(bus, model, id);
            const char *reason = status == ROBO_ENONE    ? "want sts3215, xl430, xl330 or xm430"
                                 : status == ROBO_EINVAL ? "not the bus's protocol or baud rate"
                                                         : robo_strerror(status);
            if (status < 0)
                return refuse(why, status, reason, text);
        }
        at += used;
    } while (*at);
    return 0;
}

int robo__servo_bus_register(struct robo__servo_bus *bus, unsigned id, robo_time now,
                             unsigned address, unsigned size, uint32_t *value)
{
    advance(bus, now);
    struct robo__sbus_servo *s = robo__sbus_find(bus, id);
    if (!s)
        return ROBO_ENONE;
    if (size > 4 || address + size > ROBO__SBUS_MEMORY)
        return ROBO_EINVAL;
    s->model->protocol->refresh(s);
    *value = robo__sbus_get(s->memory + address, size);
    return 0;
}

int robo__servo_bus_set_register(struct robo__servo_bus *bus, unsigned id, robo_time now,
                                 unsigned address, unsigned size, uint32_t value)
{
    uint32_t before;
    const int error = robo__servo_bus_register(bus, id, now, address, size, &before);
    struct robo__sbus_servo *s = robo__sbus_find(bus, id);
    if (error < 0)
        return error;
    robo__sbus_put(s->memory + address, size, value);
    robo__sbus_put(s->kept + address, size, value);
    return 0;
}

struct robo__servo_bus *robo__servo_bus_open(const struct robo__servo_bus_options *options,
                                             robo_time now)
{
    if (options->return_delay < -1 || options->return_delay > 254 || options->baud > 10000000)
        return NULL;
    struct robo__servo_bus *bus = calloc(1, sizeof *bus);
    if (!bus)
        return NULL;
    bus->options = *options;
    if (bus->options.baud == 0)
        bus->options.baud = 1000000;
    bus->opened = bus->now = bus->stepped = bus->heard = robo__time_cut(now);
    robo__servo_bus_set_baud(bus, now, bus->options.baud);
    return bus;
}

void robo__servo_bus_close(struct robo__servo_bus *bus)
{
    if (bus)
        free(bus->faults);
    free(bus);
}
