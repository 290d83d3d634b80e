/* A simulated arm on a bus (paper 004, section IV): each dof has a controller that reaches the last speed it was sent with constant
 * acceleration and keeps it; the line carries a limited number of messages a second. Drives the joints of any description. */
#include "drivers.h"

#include <stdio.h>
#include <stdlib.h>

#include "../sim/senses.h"
#include "../camera/test_card.h"
#include "../options.h"
#include "base/random.h"
#include "motion/profile.h"
#include "base/time.h"
#include "robot/world/world.h"
#include "robotalk/device.h"

/* A joint-local controller. */
struct drive {
    uint16_t joint, index;
    uint8_t number;
    struct robo__profile servo;
    struct robo_bus_message stored; /* for the next synchronise; servo 0: none */
    robo_time told;                 /* when a message came last */
    bool runs;                      /* at a speed, which its watchdog would end */
    double retreat;
    bool retreats;
    bool lost; /* its last message; reported to the core in the next turn */
};

struct simbus {
    robo_device *device;
    uint8_t panic;
    bool halted; /* since then there was no message */
    double loss; /* share of messages that are lost */
    robo_time period, watchdog;
    robo_time free_at; /* when the line has carried all that it was given */
    struct robo__random random;
    size_t drives;
    struct drive *drive;
};

/* The line's options in descriptors. */
struct line {
    double rate, loss, watchdog; /* messages/s, 0: any; share; s, 0: none */
};

static const struct robo__option_row ROWS[] = {
    { "rate", ROBO_OPTION_REAL, offsetof(struct line, rate), .least = 1, .most = 1e6 },
    { "loss", ROBO_OPTION_REAL, offsetof(struct line, loss), .least = 0, .most = 1 },
    { "watchdog", ROBO_OPTION_REAL, offsetof(struct line, watchdog), .least = 0, .most = 1e6 },
};
static const struct robo__option_table OPTIONS = { ROWS, sizeof ROWS / sizeof ROWS[0], NULL };

static int read_line(const struct robo_description *d, unsigned device, struct line *line,
                     char why[128])
{
    if (d->device[device].base) {
        snprintf(why, 128, "drives joints, not a base");
        return ROBO_EINVAL;
    }
    for (unsigned i = 0; i < d->joints; i++) {
        const struct robo_joint *j = &d->joint[i];
        if (j->device == device && j->servo & ROBO_SERVO_FORCE) {
            snprintf(why, 128, "%s: expected set-points or speeds, forces are not sent", j->name);
            return ROBO_EINVAL;
        }
    }
    return robo__options_read(&OPTIONS, d, device, line, why);
}

static int check_simbus(const struct robo_description *d, unsigned device, char why[128])
{
    struct line line;
    return read_line(d, device, &line, why);
}

static int open_simbus(void *state, robo_device *device, robo_time now)
{
    struct simbus *bus = state;
    const struct robo_description *d = robo_device_description(device);
    const struct robo_state *before = robo_device_before(device);
    struct line line;
    char why[128];
    if (read_line(d, (unsigned)robo_device_index(device), &line, why) < 0) {
        robo_device_log(device, ROBO_LOG_ERROR, "%s", why);
        return ROBO_EINVAL;
    }
    bus->device = device;
    bus->panic = d->panic;
    bus->period = line.rate > 0 ? (robo_time)(1e9 / line.rate) : 0;
    bus->loss = line.loss;
    bus->watchdog = (robo_time)(line.watchdog * 1e9);
    robo__random_seed(&bus->random, robo__world_seed(robo_device_world(device)) ^ 0x62757373);
    bus->drive = calloc(d->dofs + 1u, sizeof *bus->drive);
    if (!bus->drive)
        return ROBO_ENOMEM;
    for (uint16_t i = 0; i < d->joints; i++) {
        const struct robo_joint *j = &d->joint[i];
        if (j->device != robo_device_index(device))
            continue;
        for (uint8_t k = 0; k < j->dofs; k++) {
            const struct robo_dof *is = &d->dof[j->first + k];
            if (is->mimics)
                continue; /* the core sees to it */
            struct drive *drive = &bus->drive[bus->drives++];
            *drive = (struct drive){ .joint = i,
                                     .number = k,
                                     .index = (uint16_t)(j->first + k),
                                     .told = now,
                                     .retreat = is->retreat,
                                     .retreats = is->retreats };
            robo__profile_init(&drive->servo, is, now);
            if (before)
                robo__profile_resume(&drive->servo, before->position[drive->index]);
        }
    }
    return 0;
}

static void obey(struct drive *drive, const struct robo_bus_message *message, robo_time now)
{
    robo__profile_cut(&drive->servo, now);
    drive->told = now;
    drive->runs = message->servo == ROBO_SERVO_SPEED && message->value != 0;
    if (message->servo == ROBO_SERVO_SETPOINT)
        robo__profile_move(&drive->servo, message->value, (struct robo__bounds){ 0, 0 });
    else
        robo__profile_run(&drive->servo, message->value);
}

static int send(void *state, const struct robo_bus_message *message, robo_time now)
{
    struct simbus *bus = state;
    if (bus->free_at - now > bus->period / 2) /* slots may be late, and the next ones early */
        return ROBO_EFULL;
    bus->free_at = (bus->free_at > now ? bus->free_at : now) + bus->period;
    bus->halted = false;
    bool lost = bus->loss > 0 && robo__random_uniform(&bus->random) < bus->loss;
    for (size_t i = 0; i < bus->drives; i++) {
        struct drive *drive = &bus->drive[i];
        if (message->kind == ROBO_BUS_SYNCHRONISE) {
            if (drive->stored.servo && !lost)
                obey(drive, &drive->stored, now);
            drive->stored.servo = 0;
        } else if (drive->joint == message->joint && drive->number == message->dof) {
            drive->lost = lost;
            if (!lost && message->kind == ROBO_BUS_STORE)
                drive->stored = *message;
            else if (!lost)
                obey(drive, message, now);
        }
    }
    return 0;
}

/* When the drive's watchdog stops it; ROBO_NEVER: it has none, or the drive is stopped. */
static robo_time trips_at(const struct simbus *bus, const struct drive *drive)
{
    return bus->watchdog > 0 && drive->runs && !bus->halted ? drive->told + bus->watchdog
                                                            : ROBO_NEVER;
}

static robo_time advance(void *state, robo_time now)
{
    struct simbus *bus = state;
    robo_time next = ROBO_NEVER;
    for (size_t i = 0; i < bus->drives; i++) {
        struct drive *drive = &bus->drive[i];
        robo__profile_advance(&drive->servo, now);
        if (drive->lost) {
            drive->lost = false;
            robo_message_lost(bus->device, drive->joint, drive->number);
        }
        if (trips_at(bus, drive) <= now) {
            robo__profile_cut(&drive->servo, now);
            robo__profile_stop(&drive->servo);
            drive->runs = false;
        }
        if (trips_at(bus, drive) < next)
            next = trips_at(bus, drive);
    }
    return next;
}

static void read_simbus(const void *state, robo_time now, struct robo_state *out)
{
    const struct simbus *bus = state;
    for (size_t i = 0; i < bus->drives; i++) {
        unsigned k = bus->drive[i].index;
        robo__profile_read(&bus->drive[i].servo, now, &out->position[k], &out->speed[k]);
        if (out->speed[k] != 0)
            out->moving = 1;
    }
}

static void halt(void *state, robo_time now)
{
    struct simbus *bus = state;
    bus->halted = true;
    for (size_t i = 0; i < bus->drives; i++) {
        struct drive *drive = &bus->drive[i];
        robo__profile_cut(&drive->servo, now);
        drive->stored.servo = 0;
        if (bus->panic == ROBO_BRAKE)
            robo__profile_stop(&drive->servo);
        else if (bus->panic == ROBO_LIMP)
            robo__profile_coast(&drive->servo);
        else if (bus->panic == ROBO_RETREAT && drive->retreats)
            robo__profile_move(&drive->servo, drive->retreat, (struct robo__bounds){ 0, 0 });
        else
            robo__profile_halt(&drive->servo);
    }
}

static void close_simbus(void *state)
{
    free(((struct simbus *)state)->drive);
}

const robo_driver robo_simbus_driver = { .size = sizeof(robo_driver),
                                         .name = "simbus",
                                         .state_size = sizeof(struct simbus),
                                         .open = open_simbus,
                                         .advance = advance,
                                         .read = read_simbus,
                                         .sense = robo__sim_sense,
                                         .picture = robo__card_picture,
                                         .halt = halt,
                                         .close = close_simbus,
                                         .send = send,
                                         .check = check_simbus };
