/* Any bytes to a server's connection at an address that asks for tokens. The first of them says what comes before:
 * nothing, a greeting with a wrong token, or one that may watch. Who was not let in changes nothing, and who may watch moves
 * nothing and resets nothing. */
#include <stdlib.h>
#include <string.h>

#include "net/conn.h"
#include "robot/robot.h"
#include "robotalk/server.h"
#include "robotalk/wire.h"
#include "sim_world.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

static const char TOKEN[] = "rtk_watch";

static void greet(struct robo__conn *conn, const char *token, robo_time now)
{
    struct robo_request_hello hello = { .lowest = ROBO_VERSION,
                                        .highest = ROBO_VERSION,
                                        .role = ROBO_ROLE_OPERATE };
    const struct robo_header header = { .type = ROBO_TYPE_QUERY, .id = 1, .stamp = now };
    struct robo_package package;
    uint8_t out[1024];
    strcpy(hello.token, token);
    robo_package_begin(&package, out, sizeof out);
    robo_package_add(&package, ROBO_Q_HELLO, 1, NULL, NULL,
                     robo_operation_find(robo__queries, ROBO_Q_HELLO)->request, &hello);
    robo__conn_receive(conn, out, (size_t)robo_package_end(&package, &header), now);
}

static void look(const struct robo__conn *conn, const robo_robot *robot, bool *panicked)
{
    const struct robo__alarm now = atomic_load(&robot->alarm);
    if (conn->role == 0 && (now.epoch > 0 || robot->movers.count > 0))
        abort(); /* nothing acts before the greeting is accepted */
    if (conn->role > ROBO_ROLE_WATCH || (*panicked && !now.panic))
        abort(); /* who may watch has reset */
    *panicked = now.panic;
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    robo_world *world = open_sim_world(0);
    robo_robot *robot = robo_find(world, "robot");
    struct robo__host host;
    struct robo__conn conn;
    struct robo__access access = { .listed = true };
    struct robo__access_entry entry = { .name = "entry", .role = ROBO_ROLE_WATCH };
    bool panicked = false;
    robo__host_init(&host, world, NULL);
    if (!robo__secret_hash(TOKEN, strlen(TOKEN), entry.hash) ||
        !robo__access_list_add(&access.list, &entry) ||
        robo__conn_init(&conn, &host, &(struct robo__url){ .protocol = &robo__robotalk }, NULL) < 0)
        abort();
    robo__conn_enter(&conn, &access, true);
    if (n > 0 && in[0] % 3 > 0)
        greet(&conn, in[0] % 3 == 1 ? "rtk_wrong" : TOKEN, robo_now(world));
    while (n > 0 && !conn.closing) {
        size_t piece = 1 + in[0] % 97, left;
        in++, n--;
        if (piece > n)
            piece = n;
        robo__conn_receive(&conn, in, piece, robo_now(world));
        in += piece;
        n -= piece;
        look(&conn, robot, &panicked);
        robo__conn_output(&conn, &left);
        robo__conn_written(&conn, left);
        robo_advance(world, robo_now(world) + 1000000);
        look(&conn, robot, &panicked);
    }
    robo__conn_free(&conn);
    robo__access_close(&access);
    robo__host_free(&host);
    robo_release(robot);
    robo_close(world);
    return 0;
}
