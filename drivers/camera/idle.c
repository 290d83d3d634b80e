/* Drivers that move nothing. */
#include "idle.h"

#include "../options.h"

static const struct robo__option_table NONE = { .rows = 0 };

int robo__idle_open(void *state, robo_device *device, robo_time now)
{
    struct robo__idle *idle = state;
    (void)now;
    idle->device = device;
    return robo__options_open(&NONE, device, NULL);
}

void robo__idle_start(void *state, const struct robo_cmd *cmd, robo_ticket ticket, robo_time now)
{
    const struct robo__idle *idle = state;
    (void)now;
    if (cmd->op == ROBO_STOP)
        robo_done(idle->device, ticket, ROBO_SUCCESS, ROBO_WHY_NONE);
    else
        robo_done(idle->device, ticket, ROBO_NA, ROBO_WHY_UNSUPPORTED);
}

void robo__idle_read(const void *state, robo_time now, struct robo_state *out)
{
    (void)state, (void)now, (void)out;
}

void robo__idle_halt(void *state, robo_time now)
{
    (void)state, (void)now;
}

void robo__idle_close(void *state)
{
    (void)state;
}

int robo__idle_check(const struct robo_description *d, unsigned device, char why[128])
{
    return robo__options_read(&NONE, d, device, NULL, why);
}
