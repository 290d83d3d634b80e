/* Joint-local controllers on a CAN bus, CiA 402 drives or frames of a custom layout (layout.h): over a SocketCAN interface or over a
 * serial adapter with the slcan protocol. The core's bus decides when each message is sent. This driver sends it, receives the
 * replies, and reports when a drive, an adapter or the bus is lost. For real devices: its thread uses the real clock. */
#include "drivers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "device.h"

/* ---- opening ---- */

static int check_can(const struct robo_description *d, unsigned device, char why[128])
{
    struct robo__can *scratch = calloc(1, sizeof *scratch);
    if (!scratch) {
        snprintf(why, 128, "not enough memory");
        return ROBO_ENOMEM;
    }
    const bool good = robo__can_wiring_read(scratch, d, device, why);
    free(scratch);
    return good ? 0 : ROBO_EINVAL;
}

static int open_can(void *state, robo_device *device, robo_time now)
{
    struct robo__can *can = state;
    char why[128];
    (void)now;
    can->device = device;
    bool good = robo__can_wiring_read(can, robo_device_description(device),
                                      (unsigned)robo_device_index(device), why);
    can->stills = good ? robo__can_halt_frames(can, NULL, can->still) : 0;
    robo__can_line_init(&can->line, can->still, can->stills);
    sem_init(&can->woke, 0, 0);
    if (!good) {
        robo_device_log(device, ROBO_LOG_ERROR, "%s", why);
        return ROBO_EINVAL;
    }
    errno = 0;
    int error = robo__can_connect(can);
    if (error < 0) {
        robo_device_log(device, ROBO_LOG_ERROR, "%s cannot be opened: %s", can->wiring.port,
                        errno ? strerror(errno) : robo_strerror(error));
        return error;
    }
    error = robo__can_listen(can);
    return error < 0 ? error : robo__can_await(can);
}

static void close_can(void *state)
{
    struct robo__can *can = state;
    robo__can_hush(can);
    robo__can_line_free(&can->line);
    sem_destroy(&can->woke);
}

/* ---- with the robot's mutex ---- */

static int send_value(struct robo__can *can, size_t i, double value, robo_time now)
{
    struct robo__can_frame frame[2];
    unsigned n = robo__can_layout_set(&can->drive[i].layout, value, frame);
    int error = 0;
    for (unsigned k = 0; k < n && error == 0; k++)
        error = robo__can_line_send(&can->line, &frame[k], (int)i);
    if (error == 0)
        robo__can_note(&can->drive[i], value, now);
    return error;
}

static int send_can(void *state, const struct robo_bus_message *message, robo_time now)
{
    static const struct robo__can_frame sync = { .id = ROBO__CAN_SYNC };
    struct robo__can *can = state;
    if (can->halted)
        robo__can_line_resume(&can->line);
    can->halted = false;
    switch (atomic_load(&can->phase)) {
    case ROBO__CAN_DOWN: return ROBO_ELINK;
    case ROBO__CAN_RESTING:                /* the first command after a halt enables the drives */
        robo__can_line_resume(&can->line); /* the line may have been reopened */
        atomic_store(&can->woken, robo__time_monotonic());
        robo__can_turn(can, ROBO__CAN_RESTING, ROBO__CAN_WAKING);
        robo__can_line_wake(&can->line);
        return ROBO_EFULL;
    case ROBO__CAN_WAKING:
    case ROBO__CAN_PREPARING:
        if (robo__time_monotonic() - can->woken < can->patience)
            return ROBO_EFULL;
        robo__can_turn(can, ROBO__CAN_WAKING, ROBO__CAN_RESTING); /* until the next command */
        robo__can_turn(can, ROBO__CAN_PREPARING, ROBO__CAN_RESTING);
        return ROBO_EDEVICE;
    default: break;
    }
    if (message->kind == ROBO_BUS_SYNCHRONISE)
        return robo__can_line_send(&can->line, &sync, ROBO__CAN_NO_TAG);
    for (size_t i = 0; i < can->drives; i++)
        if (can->drive[i].joint == message->joint && can->drive[i].number == message->dof)
            return send_value(can, i, message->value, now);
    return ROBO_EINVAL;
}

static void halt_can(void *state, robo_time now)
{
    struct robo__can *can = state;
    struct robo__can_frame frame[ROBO__CAN_HALT];
    can->halted = true;
    /* stops enabling the drives; a drive that is released leaves operation, which is no fault */
    robo__can_turn(can, ROBO__CAN_WAKING, ROBO__CAN_RESTING);
    robo__can_turn(can, ROBO__CAN_PREPARING, ROBO__CAN_RESTING);
    if (can->panic == ROBO_LIMP)
        robo__can_turn(can, ROBO__CAN_READY, ROBO__CAN_RESTING);
    robo__can_line_halt(&can->line, frame, robo__can_halt_frames(can, &now, frame));
    robo__can_note_halt(can, now);
}

static void read_can(const void *state, robo_time now, struct robo_state *out)
{
    const struct robo__can *can = state;
    for (size_t i = 0; i < can->drives; i++) {
        const struct robo__can_drive *d = &can->drive[i];
        out->position[d->index] = robo__can_position(d, now);
        out->speed[d->index] = d->knows_speed ? d->speed : d->by_position ? 0 : d->told;
        if (out->speed[d->index] != 0)
            out->moving = 1;
    }
}

const robo_driver robo_can_driver = { .size = sizeof(robo_driver),
                                      .name = "can",
                                      .state_size = sizeof(struct robo__can),
                                      .open = open_can,
                                      .read = read_can,
                                      .halt = halt_can,
                                      .close = close_can,
                                      .send = send_can,
                                      .check = check_can };
