/* The bus: bytes on their way, and what happens at which instant. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"
#include "robotalk.h"

enum { ROOM = 16384, SERVOS = ROBO__SERVO_BUS_MOST, FAULTS_MOST = 6000 };

static const robo_time SECOND = 1000000000;
static const double TICK = 2 * M_PI / ROBO__SBUS_TICKS; /* rad */
static const robo_time STEP = 1000000;                  /* of the motors */
static const robo_time STALE = 10 * 1000000; /* after such a silence half a packet is forgotten */

/* Bytes on their way in one direction, in the order of their instants. */
struct wire {
    struct byte_on_wire {
        robo_time begin, end;
        uint8_t value;
    } bytes[ROOM];
    size_t first, count;
};

struct robo__servo_bus {
    struct robo__sbus_servo servos[SERVOS];
    unsigned count;
    const struct robo__sbus_protocol *protocol; /* NULL: no servo yet */
    struct robo__servo_bus_options options;
    struct robo__random random;
    robo_time opened, now, stepped; /* now: the latest instant that was named */
    uint32_t baud;                  /* of the port */
    robo_time byte;                 /* how long one takes */
    robo_time delay;                /* the newest return delay */
    struct wire in, out;            /* from the port and to it */
    robo_time in_end;               /* of the last byte that the port has sent */
    robo_time heard;                /* of the last one that has arrived */
    uint8_t packet[ROBO__SBUS_PACKET];
    size_t packet_size;
    struct robo__sbus_fault faults[SERVOS];
    unsigned fault_count;
};

static struct byte_on_wire *nth(const struct wire *w, size_t i)
{
    return (struct byte_on_wire *)&w->bytes[(w->first + i) % ROOM];
}

/* Takes the first byte that has arrived by then. */
static bool take(struct wire *w, robo_time now, struct byte_on_wire *b)
{
    if (w->count == 0 || nth(w, 0)->end > now)
        return false;
    *b = *nth(w, 0);
    w->first++;
    w->count--;
    return true;
}

/* ---- faults ---- */

/* how long each kind lasts; 0: a status packet, or no time */
static const uint16_t usual_seconds[ROBO__SBUS_KINDS] = { 0, 0, 0, 3, 60, 1, 0, 1, 0 };

static void put_byte(struct robo__servo_bus *bus, robo_time begin, uint8_t value)
{
    struct byte_on_wire b = { begin, begin + bus->byte, value }, *o;
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

/* Returns its end. */
static robo_time send_noise(struct robo__servo_bus *bus, robo_time at)
{
    for (unsigned n = 1 + (unsigned)(robo__random_u64(&bus->random) % 6); n-- > 0; at += bus->byte)
        put_byte(bus, at, (uint8_t)robo__random_u64(&bus->random));
    return at;
}

/* Another servo like this one, which begins with its values. */
static void make_twin(struct robo__sbus_servo *s, robo_time now, robo_time lasts)
{
    struct robo__servo_bus *bus = s->bus;
    if (s->is_twin || s->is_twinned || bus->count == SERVOS)
        return;
    struct robo__sbus_servo *twin = &bus->servos[bus->count++];
    *twin = *s;
    twin->is_twin = s->is_twinned = true;
    twin->motor.angle += ROBO__SBUS_TICKS / 4.0;
    memset(twin->faulty, 0, sizeof twin->faulty);
    memset(twin->once, 0, sizeof twin->once);
    robo__sbus_restart(twin, now - s->model->protocol->boot);
    twin->faulty[ROBO__SBUS_TWIN] = lasts > 0 ? robo__time_cut(now + lasts) : ROBO_NEVER;
}

static void begin_fault(struct robo__sbus_servo *s, const struct robo__sbus_fault *f, robo_time now)
{
    robo_time lasts = f->lasts > 0 ? f->lasts : usual_seconds[f->kind] * SECOND;
    if (f->kind == ROBO__SBUS_TWIN)
        make_twin(s, now, lasts);
    else if (f->kind == ROBO__SBUS_RESTART)
        robo__sbus_restart(s, now);
    else if (lasts > 0)
        s->faulty[f->kind] = robo__time_cut(now + lasts);
    else
        s->once[f->kind] = true;
}

static bool has_id(const struct robo__sbus_servo *s, unsigned id)
{
    return id == ROBO__SERVO_BUS_ALL || s->memory[s->model->protocol->id_at] == id;
}

static struct robo__sbus_servo *find(struct robo__servo_bus *bus, unsigned id)
{
    for (unsigned i = 0; i < bus->count; i++)
        if (id != ROBO__SERVO_BUS_ALL && has_id(&bus->servos[i], id))
            return &bus->servos[i];
    return NULL;
}

static void run_faults(struct robo__servo_bus *bus, robo_time now)
{
    if (robo__random_uniform(&bus->random) < bus->options.faults_per_minute / 60000 && bus->count) {
        /* any but a twin, which would never leave */
        struct robo__sbus_fault f = { .kind = robo__random_u64(&bus->random) % ROBO__SBUS_TWIN };
        begin_fault(&bus->servos[robo__random_u64(&bus->random) % bus->count], &f, now);
    }
    for (unsigned i = bus->fault_count; i-- > 0;) {
        struct robo__sbus_fault f = bus->faults[i];
        if (bus->opened + f.at > now)
            continue;
        bus->faults[i] = bus->faults[--bus->fault_count];
        bool of_line = f.kind == ROBO__SBUS_NOISE && f.id == ROBO__SERVO_BUS_ALL && f.lasts == 0;
        if (of_line)
            send_noise(bus, now);
        for (unsigned k = 0, n = of_line ? 0 : bus->count; k < n; k++)
            if (has_id(&bus->servos[k], f.id))
                begin_fault(&bus->servos[k], &f, now);
    }
    for (unsigned i = 0; i < bus->count; i++)
        if (bus->servos[i].is_twin && bus->servos[i].faulty[ROBO__SBUS_TWIN] <= now)
            bus->servos[i].starts = ROBO_NEVER; /* it is gone */
}

int robo__sbus_add_fault(struct robo__servo_bus *bus, const struct robo__sbus_fault *f)
{
    if (bus->fault_count == SERVOS)
        return ROBO_EFULL;
    if (f->id != ROBO__SERVO_BUS_ALL && !find(bus, f->id))
        return ROBO_ENONE;
    bus->faults[bus->fault_count++] = *f;
    return 0;
}

/* ---- time ---- */

void robo__sbus_settle(struct robo__servo_bus *bus, robo_time now)
{
    while (bus->stepped + STEP <= now) {
        bus->stepped += STEP;
        run_faults(bus, bus->stepped);
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
            protocol->bauds[s->memory[protocol->baud_at]] == bus->baud &&
            now >= s->faulty[ROBO__SBUS_CABLE])
            return s;
    }
    return NULL;
}

/* ---- from the port ---- */

/* A byte that overlaps another one on the wire: a 0 wins over a 1. */
static uint8_t collide(struct robo__servo_bus *bus, const struct byte_on_wire *b)
{
    uint8_t value = b->value;
    struct byte_on_wire *o;
    for (size_t i = bus->out.count; i-- > 0 && (o = nth(&bus->out, i))->end > b->begin;)
        if (o->begin < b->end)
            value = o->value &= value;
    return value;
}

static void take_byte(struct robo__servo_bus *bus, const struct byte_on_wire *b)
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
    struct byte_on_wire b;
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
            (struct byte_on_wire){ bus->in_end, bus->in_end + bus->byte, bytes[i] };
    return i;
}

/* ---- to the port ---- */

void robo__sbus_pass(struct robo__servo_bus *bus, robo_time *at, size_t n)
{
    *at += bus->delay + (robo_time)n * bus->byte;
}

/* Whether this status packet has the fault; one that is due once is over then. */
static bool take_fault(struct robo__sbus_servo *s, enum robo__sbus_fault_kind kind, robo_time now)
{
    bool has = now < s->faulty[kind] || s->once[kind];
    s->once[kind] = false;
    return has;
}

void robo__sbus_answer(struct robo__sbus_servo *s, robo_time *at, const uint8_t *packet, size_t n,
                       size_t checksum)
{
    struct robo__servo_bus *bus = s->bus;
    bus->delay = (robo_time)s->memory[s->model->protocol->delay_at] * 2000;
    robo_time begin = *at + bus->delay;
    robo__sbus_pass(bus, at, n);
    if (take_fault(s, ROBO__SBUS_SILENT, begin))
        return;
    if (s->is_twin || s->is_twinned) /* their clocks differ */
        begin += (robo_time)(robo__random_uniform(&bus->random) * (double)bus->byte);
    if (take_fault(s, ROBO__SBUS_NOISE, begin)) { /* its answer comes later */
        robo_time noise = send_noise(bus, begin) - begin;
        begin += noise;
        *at += noise;
    }
    bool wrong = take_fault(s, ROBO__SBUS_CHECKSUM, begin);
    for (size_t i = 0; i < n; i++, begin += bus->byte) {
        uint8_t flip = 0;
        if (wrong && i == n - checksum)
            flip = (uint8_t)(1u << robo__random_u64(&bus->random) % 8);
        put_byte(bus, begin, packet[i] ^ flip);
    }
}

size_t robo__servo_bus_send(struct robo__servo_bus *bus, robo_time now, uint8_t *bytes,
                            robo_time *ends, size_t size)
{
    advance(bus, now);
    struct byte_on_wire b;
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

int robo__sbus_add(struct robo__servo_bus *bus, const char *name, unsigned id)
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
    if (find(bus, id))
        return ROBO_EEXISTS;
    if (bus->count == SERVOS)
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

int robo__servo_bus_view(struct robo__servo_bus *bus, unsigned id, robo_time now,
                         struct robo__servo_bus_view *view)
{
    advance(bus, now);
    const struct robo__sbus_servo *s = find(bus, id);
    if (!s)
        return ROBO_ENONE;
    const struct robo__sbus_motor *m = &s->motor;
    bool runs = bus->now >= s->starts && bus->now >= s->faulty[ROBO__SBUS_CABLE];
    bool holds = runs && m->order.how != ROBO__SBUS_FREE;
    *view = (struct robo__servo_bus_view){
        m->angle * TICK, m->speed * TICK, m->duty, m->temperature, m->voltage, runs, holds
    };
    return 0;
}

int robo__servo_bus_touch(struct robo__servo_bus *bus, unsigned id, robo_time now,
                          const struct robo__servo_bus_touch *touch)
{
    advance(bus, now);
    struct robo__sbus_servo *s = find(bus, id);
    if (!s)
        return ROBO_ENONE;
    s->motor.burden = touch->torque;
    s->motor.least = touch->is_stopped ? touch->least / TICK : -HUGE_VAL;
    s->motor.most = touch->is_stopped ? touch->most / TICK : HUGE_VAL;
    if (touch->is_turned)
        s->motor.angle = touch->angle / TICK;
    return 0;
}

int robo__servo_bus_register(struct robo__servo_bus *bus, unsigned id, robo_time now,
                             unsigned address, unsigned size, uint32_t *value)
{
    advance(bus, now);
    struct robo__sbus_servo *s = find(bus, id);
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
    struct robo__sbus_servo *s = find(bus, id);
    if (error < 0)
        return error;
    robo__sbus_put(s->memory + address, size, value);
    robo__sbus_put(s->kept + address, size, value);
    return 0;
}

struct robo__servo_bus *robo__servo_bus_open(const struct robo__servo_bus_options *options,
                                             robo_time now)
{
    if (options->return_delay < -1 || options->return_delay > 254 ||
        !(options->faults_per_minute >= 0 && options->faults_per_minute <= FAULTS_MOST) ||
        options->baud > 10000000)
        return NULL;
    struct robo__servo_bus *bus = calloc(1, sizeof *bus);
    if (!bus)
        return NULL;
    bus->options = *options;
    if (bus->options.baud == 0)
        bus->options.baud = 1000000;
    robo__random_seed(&bus->random, options->seed);
    bus->opened = bus->now = bus->stepped = bus->heard = robo__time_cut(now);
    robo__servo_bus_set_baud(bus, now, bus->options.baud);
    return bus;
}

void robo__servo_bus_close(struct robo__servo_bus *bus)
{
    free(bus);
}
