/* A command mode in C: everything two beats later, for a robot that dances with a drummer. A simulated world, so that time
 * is exact and nobody waits for it.
 *     cc late.c $(pkg-config --cflags --libs robotalk) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robotalk.h"
#include "robotalk/description.h"
#include "robotalk/mode.h"

static const robo_time SECOND = 1000000000;

/* A session opens. The client gives the beat as an option of the mode, bpm=120. */
static int open_late(void *owner, const struct robo_mode_request *request,
                     struct robo_mode_decision *decision, void **own, char why[128])
{
    (void)owner, (void)own;
    double bpm = strncmp(request->options, "bpm=", 4) == 0 ? atof(request->options + 4) : 0;
    if (!(bpm >= 1)) {
        snprintf(why, 128, "bpm: expected beats a minute");
        return ROBO_EMODE;
    }
    decision->buffered = 1;
    decision->shift = (robo_time)(2 * 60 / bpm * 1e9);
    return 0;
}

int main(void)
{
    const struct robo_options options = { .size = sizeof options, .virtual_clock = 1, .seed = 1 };
    robo_world *world = robo_open(&options);
    robo_loop *loop = world ? robo_loop_open(world) : NULL;
    const struct robo_mode late = { .size = sizeof late, .name = "late", .open = open_late };
    if (!loop || robo_add_drivers(world) < 0 || robo_loop_add_mode(loop, &late) < 0)
        return 2;

    struct robo_joint root = { .parent = ROBO_WORLD };
    struct robo_description cart = { .name = "cart", .devices = 1, .joints = 1, .joint = &root };
    cart.commands = 1 << (ROBO_SET_SPEED - ROBO_FIRST_OP) | 1 << (ROBO_STOP - ROBO_FIRST_OP);
    cart.device[0] = (struct robo_binding){ .driver = "sim", .base = 1 };
    if (robo_add(world, &cart, NULL) < 0)
        return 1;

    robo_client *client = robo_client_open(loop, "local:", NULL, NULL, NULL);
    const struct robo_session_options dance = { .size = sizeof dance,
                                                .mode = "late",
                                                .options = "bpm=120" };
    robo_session_id session = robo_session(client, &dance, SECOND);
    struct robo_cmd cmd = { .op = ROBO_SET_SPEED, .body.set_speed.x = 0.1 };
    cmd.start = robo_now(world);
    robo_id id = robo_send(client, session, &cmd, 1);
    struct robo_result result;
    if (robo_wait(client, id, 5 * SECOND) == 0 &&
        robo_take(client, id, &result, sizeof result) == 1)
        printf("%s after %g s\n", robo_signal_name(result.signal),
               (double)(result.executed - cmd.start) / (double)SECOND);
    robo_disconnect(client);
    robo_loop_close(loop);
    robo_close(world);
    return 0;
}
