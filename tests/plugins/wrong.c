/* Shared objects that are no drivers; which one, WRONG says. */
#include "robotalk.h"

static int open_wrong(void *state, robo_device *device, robo_time now)
{
    (void)state, (void)device, (void)now;
    return 0;
}

static void start_wrong(void *state, const struct robo_cmd *cmd, robo_ticket ticket, robo_time now)
{
    (void)state, (void)cmd, (void)ticket, (void)now;
}

static void read_wrong(const void *state, robo_time now, struct robo_state *out)
{
    (void)state, (void)now, (void)out;
}

static void close_wrong(void *state)
{
    (void)state;
}

/* It cannot be halted. */
static const robo_driver unhalted = { .size = sizeof(robo_driver),
                                      .name = "wrong",
                                      .open = open_wrong,
                                      .start = start_wrong,
                                      .read = read_wrong,
                                      .close = close_wrong };

#define NO_ENTRY      1
#define OTHER_VERSION 2
#define NO_HALT       3

#if WRONG == NO_ENTRY
const robo_driver *some_other_entry(int version);
const robo_driver *some_other_entry(int version)
#else
const robo_driver *robo_driver_entry(int version)
#endif
{
    return version == ROBO_API_VERSION + (WRONG == OTHER_VERSION) ? &unhalted : NULL;
}
