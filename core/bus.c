/* A robot's bus. */
#include "bus.h"

#include <math.h>
#include <string.h>

#include "robot.h"
#include "time.h"

static const double RATE = 1000;              /* of a bus that says nothing */
static const double NOTHING = 2e-5;           /* m/s: what a message must gain to be sent */
static const robo_time GLANCE = 20 * 1000000; /* between looks at places that are held */

/* ---- what hangs on it ---- */

static bool hangs(const robo_robot *robot, unsigned device)
{
    const struct robo_description *d = robot->description;
    return robot->device[device]->driver->send || (d->bus_order > 0 && !d->device[device].base);
}

static enum robo__order_scheme scheme_of(uint8_t word)
{
    static const enum robo__order_scheme schemes[] = {
        [ROBO_ORDER_SEQUENTIAL] = ROBO__ORDER_SEQUENTIAL,
        [ROBO_ORDER_UPDATED] = ROBO__ORDER_UPDATED,
        [ROBO_ORDER_SYNCHRONISED] = ROBO__ORDER_SYNCHRONISED,
        [ROBO_ORDER_PREDICTIVE] = ROBO__ORDER_SYNCHRONISED, /* of what aim_all foresees */
        [ROBO_ORDER_GREATEST] = ROBO__ORDER_OPTIMAL,
        [ROBO_ORDER_OPTIMAL] = ROBO__ORDER_ALIGNED,
        [ROBO_ORDER_PLANNED] = ROBO__ORDER_PLANNED,
    };
    return schemes[word];
}

/* The optimiser's numbers are speeds: a set-point that is off by x calls for the speed GAIN x. */
static double unit_of(const struct robo__bus_dof *dof)
{
    return dof->by_place && dof->goal != ROBO__BUS_FORCE ? ROBO__BUS_GAIN : 1;
}

static void add_dof(robo_robot *robot, unsigned joint, unsigned number,
                    const struct robo_state *state, robo_time now)
{
    struct robo__bus *bus = &robot->bus;
    const struct robo_joint *j = &robot->description->joint[joint];
    struct robo__bus_dof *dof = &bus->dof[bus->dofs];
    *dof = (struct robo__bus_dof){ .joint = (uint8_t)joint,
                                   .number = (uint8_t)number,
                                   .index = (uint8_t)(j->first + number),
                                   .device = j->device,
                                   .by_place = !(j->servo & ROBO_SERVO_SPEED) };
    robo__servo_init(&dof->way, &robot->description->dof[dof->index], now);
    bus->order.sent[bus->dofs] = dof->by_place ? ROBO__BUS_GAIN * state->position[dof->index] : 0;
    bus->dofs++;
}

void robo__bus_init(robo_robot *robot, robo_time now)
{
    const struct robo_description *d = robot->description;
    struct robo__bus *bus = &robot->bus;
    struct robo_state state;
    *bus = (struct robo__bus){ .next = ROBO_NEVER };
    bus->rate = d->bus_rate > 0 ? d->bus_rate : RATE;
    bus->period = 1 / bus->rate;
    bus->gain = (1 - exp(-ROBO__BUS_GAIN * bus->period)) / bus->period;
    bus->order_word = d->bus_order ? d->bus_order : ROBO_ORDER_OPTIMAL;
    bool weighed = false;
    for (int i = 0; i < 7; i++)
        weighed |= d->bus_weight[i] > 0;
    for (int i = 0; i < 6; i++)
        bus->linear[i] = weighed ? d->bus_weight[i] : i < 3 ? 1 : 0.4;
    bus->joints = weighed ? d->bus_weight[6] : 0.4;
    if (robo__order_init(&bus->order, scheme_of(bus->order_word), 1, 1) < 0)
        return;
    robo__robot_read(robot, now, &state);
    for (unsigned i = 0; i < d->devices; i++)
        robot->device[i]->on_bus = hangs(robot, i);
    for (unsigned i = 0; i < d->joints; i++)
        for (unsigned k = 0; k < d->joint[i].dofs; k++)
            if (!d->dof[d->joint[i].first + k].mimics && robot->device[d->joint[i].device]->on_bus)
                add_dof(robot, i, k, &state, now);
    bus->there = bus->dofs > 0;
    bus->order.joints = bus->dofs;
    bus->order.most_messages = 4 * bus->dofs;
    bus->order.most_time = d->bus_age;
    bus->order.least = NOTHING;
    for (unsigned i = 0; i < bus->dofs; i++)
        bus->order.when[i] = now;
    if (bus->there)
        bus->next = robo__order_due(&bus->order);
}

bool robo__bus_has(const robo_robot *robot, uint64_t dofs)
{
    for (unsigned i = 0; i < robot->bus.dofs; i++)
        if (dofs >> robot->bus.dof[i].index & 1)
            return true;
    return false;
}

double robo__bus_hold(const robo_robot *robot)
{
    return robot->bus.period * (robot->bus.dofs > 1 ? robot->bus.dofs : 1);
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

void robo__bus_wake(robo_robot *robot, robo_time now)
{
    struct robo__bus *bus = &robot->bus;
    if (!bus->there || robo__robot_alarm(robot).panic)
        return;
    if (next_slot(bus) < now)
        begin_slots(bus, now);
    robo_time at = next_slot(bus);
    if (at < bus->next)
        bus->next = at;
}

robo_time robo__bus_due(const robo_robot *robot)
{
    return robot->bus.there && !robo__robot_alarm(robot).panic ? robot->bus.next : ROBO_NEVER;
}

/* The task's rows: six for each frame that moves dofs of the bus, one for every other dof. */
static void make_rows(robo_robot *robot)
{
    struct robo__bus *bus = &robot->bus;
    const unsigned n = bus->dofs, all = robot->description->dofs;
    unsigned rows = 0;
    uint64_t taken = 0;
    for (int c = 0; c < ROBO__CARTESIANS; c++) {
        const struct robo__cartesian *frame = &robot->cartesian[c];
        if (!frame->on_bus || frame->op == 0 || frame->op == ROBO_SET_FRAME_FORCE)
            continue;
        taken |= frame->dofs;
        for (unsigned r = 0; r < 6; r++, rows++) {
            bus->order.weight[rows] = r >= 3 && frame->radian == 0 ? 0 : bus->linear[r];
            for (unsigned k = 0; k < n; k++) {
                unsigned index = bus->dof[k].index;
                bus->jacobian[rows * n + k] =
                    frame->dofs >> index & 1 ? frame->jacobian[r * all + index] : 0;
            }
        }
    }
    for (unsigned i = 0; i < n; i++) {
        const struct robo__bus_dof *dof = &bus->dof[i];
        if (taken >> dof->index & 1)
            continue;
        bool turns = robot->description->dof[dof->index].kind == ROBO_REVOLUTE;
        memset(&bus->jacobian[rows * n], 0, n * sizeof(double));
        bus->jacobian[rows * n + i] = 1;
        bus->order.weight[rows++] = turns ? bus->joints : 1;
    }
    bus->order.rows = rows;
}

/* What is left of the task's error with what the dofs were told. */
static void note_error(struct robo__bus *bus, const double *u)
{
    double sum = 0, part = fmin(1, bus->period);
    for (unsigned r = 0; r < bus->order.rows; r++) {
        double e = 0;
        for (unsigned k = 0; k < bus->dofs; k++)
            e += bus->jacobian[r * bus->dofs + k] * (u[k] - bus->order.sent[k]);
        sum += e * e * bus->order.weight[r] * bus->order.weight[r];
    }
    bus->error = sqrt(sum);
    bus->mean += part * (sum - bus->mean);
}

/* One message to one dof. */
static int tell(robo_robot *robot, const struct robo__choice *choice, robo_time now)
{
    struct robo__bus *bus = &robot->bus;
    const struct robo__bus_dof *dof = &bus->dof[choice->joint];
    robo_device *device = robot->device[dof->device];
    struct robo_message message = { .kind =
                                        choice->kind == ROBO__STORE ? ROBO_BUS_STORE : ROBO_BUS_SET,
                                    .servo = dof->goal == ROBO__BUS_FORCE ? ROBO_SERVO_FORCE
                                             : dof->by_place              ? ROBO_SERVO_SETPOINT
                                                                          : ROBO_SERVO_SPEED,
                                    .joint = dof->joint,
                                    .dof = dof->number,
                                    .value = choice->value / unit_of(dof) };
    if (device->driver->send)
        return device->driver->send(device->state, &message, now);
    struct robo_cmd cmd = { .op = message.servo == ROBO_SERVO_FORCE      ? ROBO_SET_JOINT_FORCE
                                  : message.servo == ROBO_SERVO_SETPOINT ? ROBO_SET_JOINT
                                                                         : ROBO_SET_JOINT_SPEED };
    cmd.body.set_joint.joint = dof->joint;
    cmd.body.set_joint.mask = (uint8_t)(1u << dof->number);
    cmd.body.set_joint.value[dof->number] = message.value;
    robo__device_give(device, &cmd, 0, now); /* nobody waits: ticket 0 is stale */
    return 0;
}

/* To all of them; the first device that cannot says why. */
static int tell_all(robo_robot *robot, robo_time now)
{
    const struct robo_message message = { .kind = ROBO_BUS_SYNCHRONISE };
    int error = 0;
    for (unsigned i = 0; i < robot->description->devices && error >= 0; i++) {
        const robo_device *device = robot->device[i];
        if (device->driver->send)
            error = device->driver->send(device->state, &message, now);
    }
    return error;
}

/* Drivers tell when they want to be called next. */
static void look_after(robo_robot *robot, robo_time now)
{
    for (unsigned i = 0; i < robot->description->devices; i++) {
        robo_device *device = robot->device[i];
        if (device->driver->send && device->driver->advance)
            device->next = device->driver->advance(device->state, now);
    }
}

static void send(robo_robot *robot, const struct robo__choice *choice, robo_time now)
{
    struct robo__bus *bus = &robot->bus;
    if (choice->kind == ROBO__SEND_NOTHING)
        return;
    int error = choice->kind == ROBO__SYNCHRONISE ? tell_all(robot, now) : tell(robot, choice, now);
    if (error == ROBO_EFULL) {
        bus->refused++;
    } else if (error < 0) {
        enum robo_reason why = error == ROBO_ELINK ? ROBO_WHY_LINK : ROBO_WHY_DEVICE;
        unsigned devices = 0;
        for (unsigned i = 0; i < bus->dofs; i++)
            if (choice->kind == ROBO__SYNCHRONISE || i == choice->joint)
                devices |= 1u << bus->dof[i].device;
        for (unsigned i = 0; i < robot->description->devices; i++)
            if (devices >> i & 1)
                robo__motion_fault(robot, i, why);
    } else {
        bus->messages++;
        if (choice->kind != ROBO__SYNCHRONISE)
            bus->dof[choice->joint].messages++;
        robo__order_sent(&bus->order, choice, now);
        look_after(robot, now);
    }
}

/* A sensor reports NaN: drives hold their speeds, so they are stopped, and their commands answered. */
static void stop_on_bad_reading(robo_robot *robot, robo_time now)
{
    for (unsigned i = 0; i < robot->description->devices; i++) {
        robo_device *device = robot->device[i];
        if (!device->on_bus)
            continue;
        robo__device_halt(device, now);
        robo__motion_fault(robot, i, ROBO_WHY_DEVICE);
    }
}

static bool are_numbers(const struct robo__bus *bus, const struct robo_state *state)
{
    for (unsigned i = 0; i < bus->dofs; i++)
        if (!isfinite(state->position[bus->dof[i].index]) ||
            !isfinite(state->speed[bus->dof[i].index]))
            return false; /* limits would make a greatest speed of it */
    return true;
}

/* What every dof should be told in this slot; which of them change by themselves, or are held in their places. */
static void aim_all(robo_robot *robot, const struct robo_state *state, robo_time now, double *u,
                    bool *busy, bool *holds)
{
    struct robo__bus *bus = &robot->bus;
    /* D tells what will be right when they all begin */
    unsigned ahead = bus->order_word == ROBO_ORDER_PREDICTIVE
                         ? bus->dofs + 1 - bus->order.turn % (bus->dofs + 1)
                         : 1;
    robo_time later = now + (robo_time)llround(ahead * bus->period * 1e9);
    for (unsigned i = 0; i < bus->dofs; i++) {
        const struct robo__bus_dof *dof = &bus->dof[i];
        u[i] = robo__bus_aim(bus, dof, state, now, later);
        *busy |= robo__bus_under_way(bus, dof, u[i], now);
        *holds |= dof->goal == ROBO__BUS_PLACE && !dof->by_place;
    }
}

/* When the next slot is wanted. */
static void plan_next(struct robo__bus *bus, bool busy, bool holds, robo_time now)
{
    robo_time next = robo__order_due(&bus->order);
    if (busy || (holds && now + GLANCE < next))
        next = busy ? now : now + GLANCE;
    /* this one was later than a slot: what was missed is not made up for */
    if (next_slot(bus) <= now) {
        begin_slots(bus, now);
        bus->count = 1;
    }
    if (next < next_slot(bus))
        next = next_slot(bus);
    if (next < bus->next)
        bus->next = next;
}

void robo__bus_run(robo_robot *robot, robo_time now)
{
    struct robo__bus *bus = &robot->bus;
    bool old = robo__order_due(&bus->order) <= now,
         goes_round = bus->order.scheme < ROBO__ORDER_OPTIMAL;
    struct robo_state state;
    struct robo__choice choice;
    double u[ROBO_MAX_DOFS];
    if (next_slot(bus) != bus->next)
        begin_slots(bus, bus->next);
    bus->next = ROBO_NEVER;
    bus->count++;
    bus->slots++;
    bool busy = robo__cartesian_slot(robot, now), holds = false;
    robo__robot_read(robot, now, &state);
    aim_all(robot, &state, now, u, &busy, &holds);
    make_rows(robot);
    if (!are_numbers(bus, &state) ||
        robo__order_pick(&bus->order, bus->jacobian, u, now, &choice) < 0) {
        stop_on_bad_reading(robot, now);
        return;
    }
    /* who goes round would find something to say for ever */
    if (!goes_round || busy || old) {
        send(robot, &choice, now);
        note_error(bus, u);
        busy |= !goes_round && choice.kind == ROBO__SEND;
    }
    robo__bus_arrive(robot, &state, now);
    plan_next(bus, busy, holds, now);
}

void robo_unsent(robo_device *device, unsigned joint, unsigned dof)
{
    robo_robot *robot = device->robot;
    struct robo__bus *bus = &robot->bus;
    for (unsigned i = 0; i < bus->dofs && device == robot->device[device->index]; i++) {
        if (bus->dof[i].joint != joint || bus->dof[i].number != dof)
            continue;
        bus->lost++;
        robo__order_unsent(&bus->order, i);
        robo__bus_wake(robot, robo__robot_now(robot));
    }
}

void robo_post_unsent(robo_device *device, unsigned joint, unsigned dof)
{
    robo__robot_lock(device->robot);
    robo_unsent(device, joint, dof);
    robo__robot_unlock(device->robot);
}

int robo__bus_report(robo_robot *robot, struct robo_answer_bus *out)
{
    robo__robot_lock(robot);
    const struct robo__bus *bus = &robot->bus;
    robo_time now = robo__robot_now(robot);
    int error = bus->there ? 0 : ROBO_ENONE;
    if (bus->there) {
        *out = (struct robo_answer_bus){ .order = bus->order_word,
                                         .rate = bus->rate,
                                         .slots = bus->slots,
                                         .messages = bus->messages,
                                         .refused = bus->refused,
                                         .lost = bus->lost,
                                         .error = bus->error,
                                         .rms = sqrt(bus->mean),
                                         .dofs = robot->description->dofs };
        for (unsigned i = 0; i < ROBO_MAX_DOFS; i++)
            out->age[i] = -1000;
        for (unsigned i = 0; i < bus->dofs; i++) {
            out->told[bus->dof[i].index] = bus->dof[i].messages;
            out->age[bus->dof[i].index] = now - bus->order.when[i];
        }
    }
    robo__robot_unlock(robot);
    return error;
}
