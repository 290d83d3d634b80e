/* A robot's bus. */
#include "bus.h"

#include <math.h>
#include <string.h>

#include "cartesian.h"
#include "base/command.h"
#include "base/time.h"

static const double RATE = 1000;              /* of a bus that says nothing */
static const double NOTHING = 2e-5;           /* m/s: the least gain for which a message is sent */
static const robo_time GLANCE = 20 * 1000000; /* between looks at positions that are held */

/* ---- what hangs on it ---- */

static struct robo__bus *bus_of(struct robo__stage *stage)
{
    return robo__container_of(stage, struct robo__bus, stage);
}

/* The devices whose joints hang on it: those whose driver sends messages, and if it orders messages, all but the base's. */
static uint8_t hanging(const struct robo__port *port)
{
    const struct robo_description *d = port->description;
    uint8_t devices = port->senders;
    for (unsigned i = 0; i < d->devices && d->bus_order > 0; i++)
        if (!d->device[i].base)
            devices |= (uint8_t)(1u << i);
    return devices;
}

/* The optimiser's numbers are speeds: a set-point that is off by x calls for the speed GAIN x. */
static double unit_of(const struct robo__bus_dof *dof)
{
    return dof->by_position && dof->goal != ROBO__BUS_FORCE ? ROBO__BUS_GAIN : 1;
}

static void init_dof(struct robo__bus *bus, unsigned i, const struct robo_state *state,
                     robo_time now)
{
    struct robo__bus_dof *dof = &bus->dof[i];
    const struct robo__dof_part *part = &bus->dofs.dof[i];
    dof->part = part;
    dof->by_position = !(part->servo & ROBO_SERVO_SPEED);
    robo__profile_init(&dof->profile, &bus->stage.port->description->dof[part->index], now);
    dof->profile.override = bus->stage.port->override;
    bus->schedule.sent[i] = dof->by_position ? ROBO__BUS_GAIN * state->position[part->index] : 0;
}

/* The description's order; none is named for the bus of a driver that is a bus by itself. */
static enum robo_order order_of(const struct robo_description *d, unsigned dofs)
{
    return d->bus_order ? d->bus_order : robo__schedule_default(dofs);
}

static void begin(struct robo__stage *stage, robo_time now)
{
    struct robo__bus *bus = bus_of(stage);
    const struct robo_description *d = stage->port->description;
    struct robo_state state;
    *bus = (struct robo__bus){ .stage = *stage,
                               .frames = bus->frames,
                               .room = bus->room,
                               .dof = bus->room->dof,
                               .next = ROBO_NEVER };
    bus->rate = d->bus_rate > 0 ? d->bus_rate : RATE;
    bus->period = 1 / bus->rate;
    bus->gain = (1 - exp(-ROBO__BUS_GAIN * bus->period)) / bus->period;
    bool weighed = false;
    for (int i = 0; i < 7; i++)
        weighed |= d->bus_weight[i] > 0;
    for (int i = 0; i < 6; i++)
        bus->linear[i] = weighed ? d->bus_weight[i] : i < 3 ? 1 : 0.4;
    bus->joints = weighed ? d->bus_weight[6] : 0.4;
    bus->devices = hanging(stage->port);
    robo__dofs_init(&bus->dofs, &robo__bus_dofs, d, bus->devices, bus->room->part);
    bus->scheme = order_of(d, bus->dofs.count);
    /* target_all foresees the messages of D */
    enum robo_order scheme =
        bus->scheme == ROBO_ORDER_PREDICTIVE ? ROBO_ORDER_SYNCHRONISED : bus->scheme;
    if (robo__schedule_init(&bus->schedule, scheme, 1, 1) < 0)
        return;
    stage->port->read(stage->port, now, &state);
    memset(bus->dof, 0, bus->dofs.count * sizeof *bus->dof);
    for (unsigned i = 0; i < bus->dofs.count; i++)
        init_dof(bus, i, &state, now);
    bus->there = bus->dofs.count > 0;
    bus->schedule.joints = bus->dofs.count;
    bus->schedule.most_messages = 4 * bus->dofs.count;
    bus->schedule.most_time = d->bus_age;
    bus->schedule.least = NOTHING;
    for (unsigned i = 0; i < bus->dofs.count; i++)
        bus->schedule.when[i] = now;
    if (bus->there)
        bus->next = robo__schedule_due(&bus->schedule);
}

bool robo__bus_has(const struct robo__bus *bus, const struct robo__dof_set *dofs)
{
    for (unsigned i = 0; i < bus->dofs.count; i++)
        if (robo__dof_set_has(dofs, bus->dof[i].part->index))
            return true;
    return false;
}

double robo__bus_hold(const struct robo__bus *bus)
{
    return bus->period * (bus->dofs.count > 1 ? bus->dofs.count : 1);
}

/* ---- slots ---- */

static robo_time next_slot(const struct robo__bus *bus)
{
    return bus->origin + (robo_time)llround((double)bus->count * 1e9 * bus->period);
}

/* Slots are counted from here on. */
static void begin_slots(struct robo__bus *bus, robo_time at)
{
    bus->origin = at;
    bus->count = 0;
}

void robo__bus_wake(struct robo__bus *bus, robo_time now)
{
    if (!bus->there || bus->stage.port->halted)
        return;
    if (next_slot(bus) < now)
        begin_slots(bus, now);
    robo_time at = next_slot(bus);
    if (at < bus->next)
        bus->next = at;
}

static robo_time due_at(const struct robo__stage *stage)
{
    const struct robo__bus *bus = robo__container_of(stage, const struct robo__bus, stage);
    return bus->there && !stage->port->halted ? bus->next : ROBO_NEVER;
}

/* The task's rows: six for each frame that moves dofs of the bus, one for every other dof. */
static void make_rows(struct robo__bus *bus)
{
    const unsigned n = bus->dofs.count, all = bus->stage.port->description->dofs;
    unsigned rows = 0;
    struct robo__dof_set taken;
    robo__dof_set_empty(&taken, all);
    for (int c = 0; c < ROBO__CARTESIANS; c++) {
        const struct robo__cartesian *frame = &bus->frames->frame[c];
        if (!frame->on_bus || frame->servo == 0 || frame->servo == ROBO_SERVO_FORCE)
            continue;
        robo__dof_set_unite(&taken, &frame->dofs);
        for (unsigned r = 0; r < 6; r++, rows++) {
            bus->schedule.weight[rows] = r >= 3 && frame->radian == 0 ? 0 : bus->linear[r];
            for (unsigned k = 0; k < n; k++) {
                unsigned index = bus->dof[k].part->index;
                bus->room->jacobian[rows * n + k] =
                    robo__dof_set_has(&frame->dofs, index) ? frame->jacobian[r * all + index] : 0;
            }
        }
    }
    for (unsigned i = 0; i < n; i++) {
        const struct robo__bus_dof *dof = &bus->dof[i];
        bool turns = bus->stage.port->description->dof[dof->part->index].kind == ROBO_REVOLUTE;
        bus->schedule.own[i] = robo__dof_set_has(&taken, dof->part->index) ? 0
                               : turns                                     ? bus->joints
                                                                           : 1;
    }
    bus->schedule.rows = rows;
}

/* The rest of the task's error, with the dofs' last messages. */
static void note_error(struct robo__bus *bus, const double *u)
{
    double sum = 0, part = fmin(1, bus->period);
    for (unsigned r = 0; r < bus->schedule.rows; r++) {
        double e = 0;
        for (unsigned k = 0; k < bus->dofs.count; k++)
            e += bus->room->jacobian[r * bus->dofs.count + k] * (u[k] - bus->schedule.sent[k]);
        sum += e * e * bus->schedule.weight[r] * bus->schedule.weight[r];
    }
    for (unsigned k = 0; k < bus->dofs.count; k++) {
        double e = bus->schedule.own[k] * (u[k] - bus->schedule.sent[k]);
        sum += e * e;
    }
    bus->error = sqrt(sum);
    bus->mean += part * (sum - bus->mean);
}

/* One message to one dof. */
static int send_one(struct robo__bus *bus, const struct robo_ordering_choice *choice, robo_time now)
{
    struct robo__port *port = bus->stage.port;
    const struct robo__bus_dof *dof = &bus->dof[choice->joint];
    struct robo_bus_message message = { .kind = choice->kind == ROBO_CHOICE_STORE ? ROBO_BUS_STORE
                                                                                  : ROBO_BUS_SET,
                                        .servo = dof->goal == ROBO__BUS_FORCE ? ROBO_SERVO_FORCE
                                                 : dof->by_position           ? ROBO_SERVO_SETPOINT
                                                                              : ROBO_SERVO_SPEED,
                                        .joint = dof->part->joint,
                                        .dof = dof->part->number,
                                        .value = choice->value / unit_of(dof) };
    if (port->senders >> dof->part->device & 1)
        return port->send(port, dof->part->device, &message, now);
    struct robo_cmd cmd = { .op = robo__command_to(ROBO_MOVES_JOINT, message.servo) };
    cmd.body.servo.joint = dof->part->joint;
    cmd.body.servo.mask = (uint8_t)(1u << dof->part->number);
    cmd.body.servo.value[dof->part->number] = message.value;
    port->give(port, dof->part->device, &cmd, 0, now); /* no command waits: ticket 0 is stale */
    return 0;
}

/* To all of them; the first device that cannot says why. */
static int send_all(struct robo__bus *bus, robo_time now)
{
    const struct robo_bus_message message = { .kind = ROBO_BUS_SYNCHRONISE };
    struct robo__port *port = bus->stage.port;
    int error = 0;
    for (unsigned i = 0; i < port->description->devices && error >= 0; i++)
        if (port->senders >> i & 1)
            error = port->send(port, i, &message, now);
    return error;
}

/* These are of no use any more. */
static void give_up(struct robo__bus *bus, unsigned devices, enum robo_reason why, robo_time now)
{
    struct robo__port *port = bus->stage.port;
    for (unsigned i = 0; i < port->description->devices; i++)
        if (devices >> i & 1)
            port->fault(port, i, why, now);
}

static void send(struct robo__bus *bus, const struct robo_ordering_choice *choice, robo_time now)
{
    const bool all = choice->kind == ROBO_CHOICE_SYNCHRONISE;
    if (choice->kind == ROBO_CHOICE_NOTHING)
        return;
    int error = all ? send_all(bus, now) : send_one(bus, choice, now);
    if (error == ROBO_EFULL) {
        bus->refused++;
    } else if (error < 0) {
        give_up(bus, all ? bus->devices : 1u << bus->dof[choice->joint].part->device,
                error == ROBO_ELINK ? ROBO_WHY_LINK : ROBO_WHY_DEVICE, now);
    } else {
        bus->messages++;
        if (!all)
            bus->dof[choice->joint].messages++;
        robo__schedule_sent(&bus->schedule, choice, now);
    }
}

static bool are_numbers(const struct robo__bus *bus, const struct robo_state *state)
{
    for (unsigned i = 0; i < bus->dofs.count; i++)
        if (!isfinite(state->position[bus->dof[i].part->index]) ||
            !isfinite(state->speed[bus->dof[i].part->index]))
            return false; /* limits would make a greatest speed of it */
    return true;
}

/* The message that every dof should get in this slot; which of them change by themselves, or are held in their places. */
static void target_all(struct robo__bus *bus, const struct robo_state *state, robo_time now,
                       double *u, bool *busy, bool *holds)
{
    /* D sends the speed that will be right when they all begin */
    unsigned ahead = bus->scheme == ROBO_ORDER_PREDICTIVE
                         ? bus->dofs.count + 1 - bus->schedule.turn % (bus->dofs.count + 1)
                         : 1;
    robo_time later = now + (robo_time)llround(ahead * bus->period * 1e9);
    for (unsigned i = 0; i < bus->dofs.count; i++) {
        const struct robo__bus_dof *dof = &bus->dof[i];
        u[i] = robo__bus_target(bus, dof, state, now, later);
        *busy |= robo__bus_under_way(bus, dof, u[i], now);
        *holds |= dof->goal == ROBO__BUS_POSITION && !dof->by_position;
    }
}

/* When the next slot is wanted. */
static void plan_next(struct robo__bus *bus, bool busy, bool holds, robo_time now)
{
    robo_time next = robo__schedule_due(&bus->schedule);
    if (busy || (holds && now + GLANCE < next))
        next = busy ? now : now + GLANCE;
    /* this one was later than a slot: missed slots are not made up for */
    if (next_slot(bus) <= now) {
        begin_slots(bus, now);
        bus->count = 1;
    }
    if (next < next_slot(bus))
        next = next_slot(bus);
    if (next < bus->next)
        bus->next = next;
}

static void run(struct robo__stage *stage, robo_time now)
{
    struct robo__bus *bus = bus_of(stage);
    bool old = robo__schedule_due(&bus->schedule) <= now,
         goes_round = bus->schedule.scheme < ROBO_ORDER_GREATEST;
    struct robo_state state;
    struct robo_ordering_choice choice;
    double u[ROBO_MAX_DOFS];
    if (next_slot(bus) != bus->next)
        begin_slots(bus, bus->next);
    bus->next = ROBO_NEVER;
    bus->count++;
    bus->slots++;
    bool busy = robo__frames_slot(bus->frames, now), holds = false;
    bus->stage.port->read(bus->stage.port, now, &state);
    target_all(bus, &state, now, u, &busy, &holds);
    make_rows(bus);
    if (!are_numbers(bus, &state) ||
        robo__schedule_pick(&bus->schedule, bus->room->jacobian, u, now, &choice) < 0) {
        /* a sensor reports NaN: drives hold their speeds, so they are stopped, and their commands answered */
        give_up(bus, bus->devices, ROBO_WHY_DEVICE, now);
        return;
    }
    /* a round-robin scheme would send for ever */
    if (!goes_round || busy || old) {
        send(bus, &choice, now);
        note_error(bus, u);
        busy |= !goes_round && choice.kind == ROBO_CHOICE_SEND;
    }
    robo__bus_arrive(bus, &state, now);
    plan_next(bus, busy, holds, now);
}

static void forget(struct robo__stage *stage, unsigned devices)
{
    robo__bus_forget(bus_of(stage), devices);
}

static void wake(struct robo__stage *stage, robo_time now)
{
    robo__bus_wake(bus_of(stage), now);
}

static void override(struct robo__stage *stage, robo_time now)
{
    struct robo__bus *bus = bus_of(stage);
    if (!bus->there)
        return;
    robo__bus_override(bus, now);
    robo__bus_wake(bus, now);
}

void robo__bus_init(struct robo__bus *bus, struct robo__port *port, struct robo__frames *frames,
                    struct robo__bus_room *room)
{
    static const struct robo__stage_kind kind = { .late = true,
                                                  .begin = begin,
                                                  .due = due_at,
                                                  .run = run,
                                                  .forget = forget,
                                                  .override = override,
                                                  .wake = wake };
    *bus = (struct robo__bus){ .stage = { &kind, port },
                               .frames = frames,
                               .room = room,
                               .dof = room->dof,
                               .next = ROBO_NEVER };
}

void robo__bus_message_lost(struct robo__bus *bus, unsigned joint, unsigned number)
{
    for (unsigned i = 0; i < bus->dofs.count; i++) {
        if (bus->dof[i].part->joint != joint || bus->dof[i].part->number != number)
            continue;
        bus->lost++;
        robo__schedule_lost(&bus->schedule, i);
        robo__bus_wake(bus, bus->stage.port->now(bus->stage.port));
    }
}

int robo__bus_report(const struct robo__bus *bus, struct robo_reply_bus *out)
{
    if (!bus->there)
        return ROBO_ENONE;
    const robo_time now = bus->stage.port->now(bus->stage.port);
    *out = (struct robo_reply_bus){ .order = (uint8_t)bus->scheme,
                                    .rate = bus->rate,
                                    .slots = bus->slots,
                                    .messages = bus->messages,
                                    .refused = bus->refused,
                                    .lost = bus->lost,
                                    .error = bus->error,
                                    .rms = sqrt(bus->mean),
                                    .dofs = bus->stage.port->description->dofs };
    for (unsigned i = 0; i < out->dofs; i++)
        out->age[i] = -1000;
    for (unsigned i = 0; i < bus->dofs.count; i++) {
        out->told[bus->dof[i].part->index] = bus->dof[i].messages;
        out->age[bus->dof[i].part->index] = now - bus->schedule.when[i];
    }
    return 0;
}
