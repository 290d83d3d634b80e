/* A driver around each simulator: shows the judge what reaches the devices. */
#include <stddef.h>
#include <string.h>

#include "robot/devices/device.h"
#include "robot/robot.h"
#include "run.h"
#include "base/time.h"
#include "robot/world/inside.h"

struct tracer {
    struct robo__run *run;
    const robo_driver *inner;
    const robo_robot *body;
    unsigned robot, device;
    _Alignas(max_align_t) unsigned char state[];
};

/* Robots are called by their number: r0, r1, … */
static unsigned number_of(const struct robo_description *d)
{
    return (unsigned)(d->name[1] - '0');
}

static int open_tracer(void *state, robo_device *device, robo_time now)
{
    struct tracer *t = state;
    const struct robo__driver_entry *of =
        robo__container_of(device->driver, struct robo__driver_entry, table);
    const struct robo__traced *traced = robo__container_of(of->given, struct robo__traced, driver);
    t->run = traced->run;
    t->inner = traced->inner;
    t->body = robo__device_robot(device);
    t->robot = number_of(robo_device_description(device));
    t->device = (unsigned)robo_device_index(device);
    return t->inner->open(t->state, device, now);
}

/* A command that the core resolves into servo commands begins with the first of them, which bears no number. Of a speed of zero the
 * frame is over by then, and its ticket is not. */
static void tell_resolved(struct tracer *t, robo_time now)
{
    for (int i = 0; i < ROBO__CARTESIANS; i++) {
        const struct robo__cartesian *c = &t->body->frames.frame[i];
        const struct robo__ticket *of = &t->body->axes.ticket[c->ticket % ROBO__MOST_TICKETS];
        if (of->taken && of->generation == c->ticket / ROBO__MOST_TICKETS)
            robo__judge_resolves(t->run, of->result.id, now);
    }
}

/* What a command that reaches this device moves there, and who may. A body that walks sways by itself. */
static void tell_axes(struct tracer *t, const struct robo_cmd *cmd, robo_time now)
{
    static struct robo_state state;
    struct robo__resources axes;
    const struct robo__errand *e = cmd->id ? robo__ledger_errand(t->run, cmd->id) : NULL;
    if (!t->run->apart || cmd->op == ROBO_STOP || t->run->robot[t->robot].bus ||
        robo__resources_of(t->body->description, t->body->port.model, cmd, &axes) != ROBO_WHY_NONE)
        return;
    if (e) {
        state.dofs = t->body->description->dofs;
        memset(state.speed, 0, sizeof state.speed);
        memset(state.twist, 0, sizeof state.twist);
        memset(state.spin, 0, sizeof state.spin);
        t->inner->read(t->state, now, &state);
        robo__hold_begins(t->run, e, &axes, strcmp(t->inner->name, "sim") == 0 ? &state : NULL,
                          now);
    } else {
        robo__hold_moves(t->run, t->robot, &axes);
    }
}

static void start(void *state, const struct robo_cmd *cmd, robo_ticket ticket, robo_time now)
{
    struct tracer *t = state;
    robo__judge_begins(t->run, t->robot, t->device, cmd, now);
    tell_axes(t, cmd, now);
    if (cmd->id == 0 && cmd->op != ROBO_STOP)
        tell_resolved(t, now);
    t->inner->start(t->state, cmd, ticket, now);
}

static robo_time advance(void *state, robo_time now)
{
    struct tracer *t = state;
    return t->inner->advance(t->state, now);
}

static void read_tracer(const void *state, robo_time now, struct robo_state *out)
{
    const struct tracer *t = state;
    t->inner->read(t->state, now, out);
}

static void halt(void *state, robo_time now)
{
    struct tracer *t = state;
    ROBO__NOTE(t->run, "robot %u: device %u is halted", t->robot, t->device);
    t->inner->halt(t->state, now);
}

static void override_tracer(void *state, double share, robo_time now)
{
    struct tracer *t = state;
    t->inner->override(t->state, share, now);
}

static void close_tracer(void *state)
{
    struct tracer *t = state;
    if (t->inner)
        t->inner->close(t->state);
}

static int send_tracer(void *state, const struct robo_bus_message *message, robo_time now)
{
    struct tracer *t = state;
    robo__judge_message(t->run, t->robot, now);
    return t->inner->send(t->state, message, now);
}

int robo__tracer_add(struct robo__run *run, const struct robo_description *d)
{
    for (unsigned i = 0; i < d->devices; i++) {
        const robo_driver *inner = robo_built_in_driver(d->device[i].driver);
        if (!inner)
            return ROBO_EDEVICE;
        struct robo__traced *traced = run->traced;
        while (traced->inner && traced->inner != inner)
            if (++traced == run->traced + ROBO__RUN_DRIVERS)
                return ROBO_ELIMIT;
        if (traced->inner)
            continue;
        *traced = (struct robo__traced){ .inner = inner,
                                         .run = run,
                                         .driver = { .size = sizeof(robo_driver),
                                                     .name = inner->name,
                                                     .state_size =
                                                         sizeof(struct tracer) + inner->state_size,
                                                     .open = open_tracer,
                                                     .start = start,
                                                     .read = read_tracer,
                                                     .halt = halt,
                                                     .close = close_tracer } };
        if (inner->advance)
            traced->driver.advance = advance;
        if (inner->override)
            traced->driver.override = override_tracer;
        if (inner->send)
            traced->driver.send = send_tracer;
        int error = robo_add_driver(run->world, &traced->driver);
        if (error < 0)
            return error;
    }
    return 0;
}
