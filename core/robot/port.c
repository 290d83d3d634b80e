/* The robot's side of the port that its stages use. */
#include "event.h"
#include "reports.h"
#include "robot.h"
#include "base/reserve.h"
#include "base/time.h"

static robo_robot *robot_of(struct robo__port *port)
{
    return robo__container_of(port, robo_robot, port);
}

static robo_time port_now(const struct robo__port *port)
{
    return robo__robot_now(robo__container_of(port, const robo_robot, port));
}

static void port_read(struct robo__port *port, robo_time now, struct robo_state *state)
{
    robo__robot_read(robot_of(port), now, state);
}

static void port_look(struct robo__port *port, robo_time now, struct robo_state *state)
{
    robo__robot_look(robot_of(port), now, state);
}

static void port_give(struct robo__port *port, unsigned device, const struct robo_cmd *cmd,
                      robo_ticket ticket, robo_time now)
{
    robo__port_forward(port, now);
    robo__effect_start(&robot_of(port)->effects, device, cmd, ticket);
}

static int port_send(struct robo__port *port, unsigned device,
                     const struct robo_bus_message *message, robo_time now)
{
    const int error = robo__device_send(robot_of(port)->devices.at[device], message, now);
    if (error >= 0)
        robo__goals_message(&robot_of(port)->room->goals, port->description, message);
    return error;
}

static void port_done(struct robo__port *port, unsigned device, robo_ticket ticket,
                      enum robo_signal signal, enum robo_reason reason)
{
    robo_done(robot_of(port)->devices.at[device], ticket, signal, reason);
}

static void port_ended(struct robo__port *port, robo_ticket ticket, enum robo_signal signal,
                       enum robo_reason reason, double position, double rotation)
{
    robo_robot *robot = robot_of(port);
    struct robo__step_event ended = { .kind = ROBO__ON_ENDED,
                                      .as.report = { .ticket = ticket,
                                                     .signal = signal,
                                                     .reason = reason,
                                                     .position = position,
                                                     .rotation = rotation } };
    robo__axes_step(&robot->axes, &ended, robot->port.latest);
}

static void port_fault(struct robo__port *port, unsigned device, enum robo_reason reason,
                       robo_time now)
{
    robo_robot *robot = robot_of(port);
    robo__device_halt(robot->devices.at[device], now);
    robo__device_fault(robot->devices.at[device], reason);
}

static void carry_out(struct robo__devices *devices)
{
    robo__effects_carry_out(robo__container_of(devices, robo_robot, devices));
}

int robo__robot_open_port(robo_robot *robot)
{
    robot->room = robo__reserve(sizeof *robot->room);
    if (!robot->room)
        return ROBO_ENOMEM;
    robot->port = (struct robo__port){ .override = 1,
                                       .now = port_now,
                                       .read = port_read,
                                       .look = port_look,
                                       .give = port_give,
                                       .send = port_send,
                                       .done = port_done,
                                       .ended = port_ended,
                                       .fault = port_fault };
    robot->effects.list = robot->room->effect;
    robo__frames_init(&robot->frames, &robot->port, &robot->bus, robot->room->frame);
    robo__bus_init(&robot->bus, &robot->port, &robot->frames, &robot->room->bus);
    robot->effects.carry_out = robo__effects_act;
    robot->devices.port = &robot->port;
    robot->devices.effects = &robot->effects;
    robot->devices.senses = &robot->senses;
    robot->devices.carry_out = carry_out;
    robot->axes.port = &robot->port;
    robot->axes.frames = &robot->frames;
    robot->axes.bus = &robot->bus;
    robot->axes.stage[0] = &robot->frames.stage;
    robot->axes.stage[1] = &robot->bus.stage;
    robot->axes.effects = &robot->effects;
    robot->axes.movers = &robot->movers;
    robot->axes.clients = &robot->clients;
    robot->movers.queue = &robot->timeline.queue;
    robot->movers.port = &robot->port;
    robot->clients.movers = &robot->movers;
    robot->clients.axes = &robot->axes;
    robot->timeline = (struct robo__timeline){ .axes = &robot->axes,
                                               .clients = &robot->clients,
                                               .movers = &robot->movers,
                                               .alarm = &robot->alarm,
                                               .stop_at = ROBO_NEVER };
    robot->axes.resources = robot->room->resources;
    return 0;
}

void robo__robot_close_port(robo_robot *robot)
{
    robo__unreserve(robot->room, sizeof *robot->room);
}

void robo__robot_become(robo_robot *robot, struct robo__revision *revision)
{
    const unsigned tickets =
        revision->body->description.dofs > 64 ? ROBO__MOST_TICKETS : ROBO__TICKETS;
    if (tickets > robot->axes.tickets)
        robot->axes.tickets = tickets;
    robot->revisions = revision;
    robot->port.revisions = revision;
    robot->port.model = revision->body->model;
    robot->port.description = &revision->body->description;
    atomic_store(&robot->description, &revision->body->description);
}

void robo__robot_begin_stages(robo_robot *robot, robo_time now)
{
    const struct robo_description *is = robot->description;
    robot->port.senders = 0;
    robo__goals_clear(&robot->room->goals);
    for (unsigned i = 0; i < is->devices; i++) {
        const robo_driver *driver = robot->devices.at[i]->driver;
        /* one that takes commands, too, has a bus only where the description orders its messages */
        if (driver->send && (!driver->start || (is->bus_order && !is->device[i].base)))
            robot->port.senders |= (uint8_t)(1u << i);
    }
    for (unsigned i = 0; i < ROBO__STAGES; i++)
        if (robot->axes.stage[i]->kind->begin)
            robot->axes.stage[i]->kind->begin(robot->axes.stage[i], now);
}
