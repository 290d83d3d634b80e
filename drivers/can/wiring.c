/* How a CAN device is wired, by its options: the port of its line, and the layout of each drive's frames. */
#include <stdio.h>
#include <string.h>

#include "../options.h"
#include "device.h"

static const struct robo__option_row ROWS[] = {
    { "port", ROBO_OPTION_TEXT, offsetof(struct robo__can_wiring, port),
      .needed = "\"can0\" or the path of a serial port" },
    { "bitrate", ROBO_OPTION_INTEGER, offsetof(struct robo__can_wiring, bitrate), 500000, 1, 1e6,
      NULL },
    { "baud", ROBO_OPTION_INTEGER, offsetof(struct robo__can_wiring, baud), 115200, 1, 1e7, NULL },
    { "timeout", ROBO_OPTION_REAL, offsetof(struct robo__can_wiring, timeout), 0.5, 0.01, 1e6,
      NULL },
    { "patience", ROBO_OPTION_REAL, offsetof(struct robo__can_wiring, patience), 2, 0.01, 1e6,
      NULL },
};

static const struct robo__option_table OPTIONS = { ROWS, sizeof ROWS / sizeof ROWS[0],
                                                   robo__option_names_dof };

static bool read_drive(struct robo__can *can, const struct robo_description *d, unsigned joint,
                       unsigned number, char why[128])
{
    const struct robo_joint *j = &d->joint[joint];
    const struct robo_dof *dof = &d->dof[j->first + number];
    struct robo__can_drive *drive = &can->drive[can->drives];
    char reason[128];
    if (can->drives == ROBO__CAN_MOST_DRIVES) {
        snprintf(why, 128, "drives at most %d dofs; a body of more has several buses",
                 ROBO__CAN_MOST_DRIVES);
        return false;
    }
    const struct robo_option *layout = robo__option_of_dof(d, j->device, j, number);
    if (!layout || layout->type != ROBO_OPTION_TEXT) {
        bool only = j->dofs == 1 && strcmp(j->name, dof->name) == 0;
        snprintf(why, 128, "expected %s%s%s = \"LAYOUT …\": the frames of this dof", j->name,
                 only ? "" : ".", only ? "" : dof->name);
        return false;
    }
    if (j->servo & ROBO_SERVO_FORCE) {
        snprintf(why, 128, "%s: expected set-points or speeds, forces are not sent", j->name);
        return false;
    }
    if (!robo__can_layout_read(layout->value.text, &drive->layout, reason)) {
        snprintf(why, 128, "%.40s: %.80s", layout->name, reason);
        return false;
    }
    drive->joint = (uint16_t)joint;
    drive->number = (uint8_t)number;
    drive->index = (uint16_t)(j->first + number);
    drive->by_position = !(j->servo & ROBO_SERVO_SPEED);
    drive->retreat = dof->retreat;
    drive->retreats = dof->retreats;
    if (drive->layout.kind != ROBO__CAN_GENERIC &&
        drive->by_position != (drive->layout.kind == ROBO__CAN_POSITION)) {
        snprintf(why, 128, "%.40s: %s", layout->name,
                 drive->by_position ? "a joint without speeds wants the layout position"
                                    : "a joint with speeds wants the layout velocity");
        return false;
    }
    atomic_store(&drive->position, dof->home);
    drive->from = drive->by_position ? dof->home : 0;
    can->drives++;
    return true;
}

bool robo__can_wiring_read(struct robo__can *can, const struct robo_description *d, unsigned device,
                           char why[128])
{
    can->drives = 0;
    if (robo__options_read(&OPTIONS, d, device, &can->wiring, why) < 0)
        return false;
    if (d->device[device].base) {
        snprintf(why, 128, "drives joints, not a base");
        return false;
    }
    for (unsigned i = 0; i < d->joints; i++)
        for (unsigned k = 0; k < d->joint[i].dofs; k++)
            if (d->joint[i].device == device && !d->dof[d->joint[i].first + k].mimics &&
                !read_drive(can, d, i, k, why))
                return false;
    can->timeout = (robo_time)(can->wiring.timeout * 1e9);
    can->patience = (robo_time)(can->wiring.patience * 1e9);
    can->panic = d->panic;
    can->stored = d->bus_order == ROBO_ORDER_SYNCHRONISED || d->bus_order == ROBO_ORDER_PREDICTIVE;
    return true;
}

int robo__can_connect(struct robo__can *can)
{
    const struct robo__can_wiring *w = &can->wiring;
    return robo__can_line_open(&can->line, w->port, (long)w->bitrate, (long)w->baud);
}
