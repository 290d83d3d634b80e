/* A program without Lua: a world with one robot, its driver in a shared object, and a client of it in the same process.
 *     cc host.c $(pkg-config --cflags --libs robotalk) && ./a.out ./cart.so */
#include <stdio.h>

#include "robotalk.h"
#include "robotalk/description.h"

static void print_line(void *owner, enum robo_log_level level, const char *line)
{
    (void)owner, (void)level;
    fprintf(stderr, "%s\n", line);
}

int main(int argc, char **argv)
{
    const struct robo_options options = { .size = sizeof options, .log = print_line };
    robo_world *world = robo_open(&options);
    if (argc != 2 || !world || robo_add_drivers(world) < 0)
        return 2;

    struct robo_joint root = { .parent = ROBO_WORLD };
    struct robo_description cart = { .name = "cart", .devices = 1, .joints = 1, .joint = &root };
    const struct robo_option file = {
        .name = "file", .type = ROBO_OPTION_TEXT, .value.text = argv[1]
    };
    cart.commands = 1 << (ROBO_SET_SPEED - ROBO_FIRST_OP) | 1 << (ROBO_STOP - ROBO_FIRST_OP);
    cart.device[0] =
        (struct robo_binding){ .driver = "file", .option = &file, .options = 1, .base = 1 };
    int error = robo_add(world, &cart, NULL);
    if (error < 0) {
        fprintf(stderr, "%s\n", robo_strerror(error));
        robo_close(world);
        return 1;
    }

    robo_client *client = robo_connect(world, "local:", 1000000000, NULL, NULL);
    robo_session_id session = robo_session(client, NULL, 1000000000);
    struct robo_cmd cmd = { .op = ROBO_SET_SPEED, .start = ROBO_AT_ONCE, .body.set_speed.x = 3 };
    robo_id id = robo_send(client, session, &cmd, 1);
    struct robo_result result;
    if (robo_wait(client, id, 1000000000) == 0 && robo_take(client, id, &result, sizeof result) == 1)
        printf("%s, %s\n", robo_signal_name(result.signal), robo_reason_name(result.reason));
    robo_disconnect(client);
    robo_close(world);
    return 0;
}
