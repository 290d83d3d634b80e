/* A driver that blocks where it must not, in a call under its robot's mutex: a set_speed returns when the pipe has a byte, or
 * has gone, that is in the place of its option "pipe". */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "robotalk.h"
#include "robotalk/device.h"
#include "robotalk/records.h"

struct blocks {
    robo_device *device;
    char until[200];
};

static int open_blocks(void *state, robo_device *device, robo_time now)
{
    struct blocks *blocks = state;
    const struct robo_binding *binding = robo_device_binding(device);
    (void)now;
    blocks->device = device;
    for (unsigned i = 0; i < binding->options; i++)
        if (strcmp(binding->option[i].name, "pipe") == 0)
            strncpy(blocks->until, binding->option[i].value.text, sizeof blocks->until - 1);
    return 0;
}

static void start_blocks(void *state, const struct robo_cmd *cmd, robo_ticket ticket, robo_time now)
{
    struct blocks *blocks = state;
    char byte;
    (void)now;
    if (cmd->op == ROBO_SET_SPEED) {
        const int pipe = open(blocks->until, O_RDONLY);
        const ssize_t n = read(pipe, &byte, 1);
        (void)n;
        close(pipe);
    }
    robo_done(blocks->device, ticket, ROBO_SUCCESS, ROBO_WHY_NONE);
}

static void read_blocks(const void *state, robo_time now, struct robo_state *out)
{
    (void)state, (void)now, (void)out;
}

static void halt_blocks(void *state, robo_time now)
{
    (void)state, (void)now;
}

static void close_blocks(void *state)
{
    (void)state;
}

static const robo_driver blocks_driver = { .size = sizeof(robo_driver),
                                           .name = "blocks",
                                           .state_size = sizeof(struct blocks),
                                           .open = open_blocks,
                                           .start = start_blocks,
                                           .read = read_blocks,
                                           .halt = halt_blocks,
                                           .close = close_blocks };

const robo_driver *robo_driver_entry(int version);
const robo_driver *robo_driver_entry(int version)
{
    return version == ROBO_API_VERSION ? &blocks_driver : NULL;
}
