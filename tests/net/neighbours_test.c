/* Clients that harm: floods, silence, half-open links, readers who do not read; and what their neighbours feel.
 * Real sockets on loopback, real clocks; nothing here measures time, it only waits, long enough. */
#include <stdint.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../test.h"
#include "../base_robot.h"
#include "../patience.h"
#include "robot/robot.h"
#include "robotalk/client.h"
#include "protocols.h"
#include "net/server.h"
#include "drivers.h"
#include "robot/world/inside.h"
#include "results.h"
#include "robotalk/description.h"
#include "../ids.h"

static const robo_time SECOND = 1000000000;

/* ---- the server, on a thread of its own ---- */

static robo_world *world;
static robo_loop *loop;
static robo_server *server;
static struct robo__url url;
static pthread_t server_thread;
static char address[300];

static void *run(void *arg)
{
    robo__loop_run(arg);
    return NULL;
}

static int add_robot(const char *name)
{
    struct robo_description d = base_robot(name, "sim");
    d.deadman = SECOND / 2;
    d.base_speed[0] = d.base_speed[2] = 1;
    for (int i = 0; i < 3; i++)
        d.base_acceleration[i] = 10;
    return robo_add(world, &d, NULL);
}

static int begin(void **state)
{
    char why[256];
    world = robo_open(NULL);
    robo_add_driver(world, &robo_sim_driver);
    if (add_robot("robot") != 0 || !(loop = robo_loop_open(world)) ||
        robo__url_parse("robotalk://127.0.0.1:0", robo__protocols, &url, why) != 0 ||
        robo__server_open(loop, &url, NULL, &server, why) != 0)
        return -1;
    snprintf(address, sizeof address, "robotalk://127.0.0.1:%u", url.port);
    return pthread_create(&server_thread, NULL, run, loop);
}

static int end(void **state)
{
    robo__loop_end(loop);
    pthread_join(server_thread, NULL);
    robo_unserve(server);
    robo_loop_close(loop);
    robo_close(world);
    return 0;
}

static robo_client *client(int64_t *session, robo_time deadman)
{
    int error;
    char why[256];
    robo_client *c = robo_connect(world, address, patience(), &error, why);
    if (!c)
        fail_msg("%s: %s", address, why);
    /* what is late here is late since the machine is busy */
    const struct robo_session_options options = { .size = sizeof options,
                                                  .deadman = deadman,
                                                  .expiry = patience() };
    *session = robo_session(c, &options, patience());
    assert_true(*session > 0);
    return c;
}

static struct robo_result command(robo_client *c, int64_t session, struct robo_cmd cmd)
{
    const struct robo_result result = carry_out(c, session, cmd);
    forget_events(c);
    return result;
}

static struct robo_cmd speed(double x)
{
    return (struct robo_cmd){ .op = ROBO_SET_SPEED, .start = ROBO_AT_ONCE, .body.set_speed.x = x };
}

static struct robo_state state_now(void)
{
    struct robo_state s;
    robo_robot *robot = robo_find(world, "robot");
    robo_read(robot, &s, sizeof s);
    robo_release(robot);
    return s;
}

/* ---- a bare socket that has greeted and opened session 1 ---- */

struct bare {
    int fd;
    uint32_t package, entry;
    uint8_t out[ROBO_HEADER_SIZE + ROBO_MAX_PAYLOAD];
    struct robo_package p;
};

static struct bare *bare_open(void)
{
    struct bare *b = calloc(1, sizeof *b);
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(url.port) };
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    b->fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(b->fd, (struct sockaddr *)&a, sizeof a), 0);
    return b;
}

static void bare_close(struct bare *b)
{
    close(b->fd);
    free(b);
}

static void bare_begin(struct bare *b)
{
    robo_package_begin(&b->p, b->out, sizeof b->out);
}

static void bare_query(struct bare *b, enum robo_query query, const void *body)
{
    robo_package_add(&b->p, (uint16_t)query, ++b->entry, NULL, NULL,
                     robo_operation_find(robo__queries, (uint16_t)query)->request, body);
}

static size_t bare_end(struct bare *b, enum robo_type type, uint32_t session)
{
    struct robo_header header = {
        .type = (uint8_t)type, .id = ++b->package, .session = session, .stamp = ROBO_NO_TIME
    };
    return (size_t)robo_package_end(&b->p, &header);
}

/* All of it, or false when the server takes no more. */
static bool bare_send(struct bare *b, size_t n)
{
    for (size_t done = 0; done < n;) {
        struct pollfd p = { .fd = b->fd, .events = POLLOUT };
        ssize_t k = poll(&p, 1, (int)(patience() / 1000000)) == 1
                        ? send(b->fd, b->out + done, n - done, MSG_DONTWAIT | MSG_NOSIGNAL)
                        : -1;
        if (k < 0)
            return false;
        done += (size_t)k;
    }
    return true;
}

static void bare_enter_at(struct bare *b, const char *robot)
{
    struct robo_request_open ask = { .mode = "direct" };
    snprintf(ask.robot, sizeof ask.robot, "%s", robot);
    bare_begin(b);
    bare_query(b, ROBO_Q_HELLO,
               &(struct robo_request_hello){ .lowest = ROBO_VERSION,
                                             .highest = ROBO_VERSION,
                                             .role = ROBO_ROLE_OPERATE,
                                             .lease = world->key }); /* of this program, too */
    bare_query(b, ROBO_Q_OPEN, &ask);
    assert_true(bare_send(b, bare_end(b, ROBO_TYPE_QUERY, 0)));
    /* each query has a package of its own as its answer */
    for (int i = 0; i < 2; i++) {
        uint8_t in[ROBO_HEADER_SIZE + ROBO_MAX_PAYLOAD];
        struct robo_header header;
        assert_int_equal(recv(b->fd, in, ROBO_HEADER_SIZE, MSG_WAITALL), ROBO_HEADER_SIZE);
        assert_int_equal(robo_header_decode(in, &header), 0);
        assert_int_equal(header.type, ROBO_TYPE_REPLY);
        assert_int_equal(recv(b->fd, in, header.size, MSG_WAITALL), header.size);
    }
}

static void bare_enter(struct bare *b)
{
    bare_enter_at(b, "");
}

/* ---- floods ---- */

static atomic_bool flooding;

static void *flood(void *arg)
{
    int64_t session;
    robo_client *c = client(&session, 0);
    struct robo_cmd cmds[300];
    struct robo_event event;
    struct robo_result result;
    while (atomic_load(&flooding)) {
        for (int i = 0; i < 300; i++)
            cmds[i] = speed(0.1);
        robo_send(c, (uint32_t)session, cmds, 300); /* as fast as the buffers take it */
        robo_poll(c, 0);
        while (robo_next_event(c, &event, sizeof event))
            robo_take(c, event.id.value, &result, sizeof result);
    }
    robo_disconnect(c);
    return NULL;
}

FIXTURE(begin, end);

TEST(panic_while_others_flood)
{
    pthread_t thread[3];
    atomic_store(&flooding, true);
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, flood, NULL), 0);
    int64_t session;
    robo_client *c = client(&session, 0);
    for (uint32_t round = 1; round <= 10; round++) {
        for (int i = 0; i < 5; i++) /* a neighbour's commands get through */
            assert_int_equal(command(c, session, speed(0.1)).signal, ROBO_SUCCESS);
        assert_int_equal(robo_client_panic(c, 0), 0);
        /* its next answer comes after the panic was acted on, however much the others have sent */
        assert_int_equal(command(c, session, speed(0.1)).signal, ROBO_PANIC);
        struct robo_state s = state_now();
        assert_true(s.panic && s.epoch == round);
        assert_float_equal(s.twist[0], 0, 1e-9); /* nothing of the flood moves it again */
        assert_int_equal(robo_client_reset(c, (uint32_t)session), 0);
        /* the notice brings the new epoch; commands of the old one are stale */
        REPEAT_UNTIL(command(c, session, speed(0)).signal == ROBO_SUCCESS,
                     robo_poll(c, SECOND / 100));
    }
    atomic_store(&flooding, false);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    robo_disconnect(c);
}

/* ---- silence ---- */

/* A peer that is gone without a word, its socket still open: as far as the server can know, half open. */
TEST(half_open_peer)
{
    struct bare *b = bare_open();
    bare_enter(b);
    bare_begin(b);
    struct robo_cmd cmd = speed(0.5);
    cmd.id = 1;
    robo_package_add_command(&b->p, &cmd);
    assert_true(bare_send(b, bare_end(b, ROBO_TYPE_COMMAND, 1)));
    int64_t session;
    robo_client *c = client(&session, 0);
    bool moved = false, stands = false;
    REPEAT_UNTIL(moved && stands, { /* the deadman, whatever TCP believes */
                                    robo_poll(c, SECOND / 100);
                                    struct robo_state s = state_now();
                                    moved |= s.pose[0] > 0;
                                    stands = s.twist[0] == 0;
    });
    assert_int_equal(command(c, session, speed(0.1)).signal, ROBO_SUCCESS);
    /* it was told, and may go on */
    bare_begin(b);
    cmd.id = 2;
    robo_package_add_command(&b->p, &cmd);
    assert_true(bare_send(b, bare_end(b, ROBO_TYPE_COMMAND, 1)));
    robo_disconnect(c);
    bare_close(b);
}

/* A client that lives keeps its robot moving, also when its thread only waits. */
TEST(a_waiting_client_is_not_silent)
{
    int64_t session;
    const robo_time deadman = patience() / 100; /* a thread that is not run sends no sign of life */
    robo_client *c = client(&session, deadman);
    assert_int_equal(command(c, session, speed(0.5)).signal, ROBO_SUCCESS);
    robo_time until = robo_now(world) + 3 * deadman;
    struct robo_event event;
    while (robo_now(world) < until) {
        robo_poll(c, until - robo_now(world));
        while (robo_next_event(c, &event, sizeof event))
            assert_false(event.kind == ROBO_EVENT_NOTICE && event.op == ROBO_N_DEADMAN);
    }
    assert_true(state_now().twist[0] > 0.4);
    robo_disconnect(c);
}

/* ---- readers who do not read ---- */

TEST(broadcasts_nobody_reads)
{
    struct bare *b[20];
    for (int i = 0; i < 20; i++) {
        b[i] = bare_open();
        bare_enter(b[i]);
        bare_begin(b[i]);
        for (int k = 0; k < 8; k++)
            bare_query(b[i], ROBO_Q_BROADCAST,
                       &(struct robo_request_broadcast){ .period = 1000000 });
        assert_true(bare_send(b[i], bare_end(b[i], ROBO_TYPE_QUERY, 1)));
    }
    int64_t session;
    robo_client *c = client(&session, 0);
    for (int i = 0; i < 500; i++)
        assert_int_equal(command(c, session, speed(0.1)).signal, ROBO_SUCCESS);
    assert_int_equal(robo_server_connections(server),
                     21); /* beats are left out, nobody is dropped */
    for (int i = 0; i < 20; i++)
        bare_close(b[i]);
    robo_disconnect(c);
}

/* The queues of 16 robots, swept away by one panic, are 4.4 MB of answers. They wait for one who does not read; who goes on
 * to send, too, is dropped. */
TEST(answers_nobody_reads)
{
    enum { ROBOTS = 15 };
    struct bare *b = bare_open();
    int small = 4096;
    setsockopt(b->fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    bare_enter(b);
    bare_begin(b);
    for (int i = 0; i < ROBOTS; i++) {
        struct robo_request_open ask = { .mode = "direct" };
        snprintf(ask.robot, sizeof ask.robot, "r%d", i);
        assert_int_equal(add_robot(ask.robot), 0);
        bare_query(b, ROBO_Q_OPEN, &ask);
    }
    assert_true(bare_send(b, bare_end(b, ROBO_TYPE_QUERY, 0)));
    struct robo_cmd cmd = { .op = ROBO_HOME, .id = 1, .start = robo_now(world) + 1000 * SECOND };
    for (uint32_t s = 1; s <= 1 + ROBOTS; s++) {
        for (int k = 0; k < 4; k++) {
            bare_begin(b);
            while (robo_package_add_command(&b->p, &cmd) == 0)
                cmd.id++;
            assert_true(bare_send(b, bare_end(b, ROBO_TYPE_COMMAND, s)));
        }
    }
    /* all of them have arrived when the robots say so */
    int64_t session;
    robo_client *c = client(&session, 0);
    uint32_t queued = 0;
    REPEAT_UNTIL(queued == (1 + ROBOTS) * ROBO__SESSION_MOST, {
        queued = 0;
        uint64_t cursor = 0;
        for (robo_robot *r; (r = robo_next_robot(world, &cursor)) != NULL; robo_release(r)) {
            robo__robot_lock(r);
            queued += r->timeline.queue.count;
            robo__robot_unlock(r);
        }
        robo_poll(c, SECOND / 100);
    });
    assert_int_equal(robo_client_panic(c, 0), 0);
    for (int i = 0; i < 10; i++)
        robo_poll(c, SECOND / 100);
    assert_int_equal(robo_server_connections(server), 2);
    REPEAT_UNTIL(robo_server_connections(server) == 1, {
        bare_begin(b);
        while (robo_package_add_command(&b->p, &cmd) == 0)
            cmd.id++;
        bare_send(b, bare_end(b, ROBO_TYPE_COMMAND, 1)); /* or it is dropped meanwhile */
        robo_poll(c, SECOND / 100);
    });
    assert_int_equal(command(c, session, speed(0.1)).signal,
                     ROBO_PANIC); /* the neighbour is well */
    robo_disconnect(c);
    bare_close(b);
}

/* Ten who want each picture in pixels four times over, of 230 kB each, and read none; one who reads, and drives. */
TEST(pictures_nobody_reads)
{
    enum { DEAF = 10, VIEWS = 4, WIDTH = 320, HEIGHT = 240, SIZE = 3 * WIDTH * HEIGHT };
    struct robo_camera camera = { .name = "eye", .width = WIDTH, .height = HEIGHT, .rate = 1000 };
    struct robo_description d = base_robot("seer", "sim");
    struct bare *b[DEAF];
    int small = 4096;
    d.base_speed[0] = d.base_acceleration[0] = 1;
    d.cameras = 1;
    d.camera = &camera;
    assert_int_equal(robo_add(world, &d, NULL), 0);
    int64_t session;
    robo_client *c = client(&session, 0);
    const size_t before = atomic_load(&world->pictures.used);
    for (int i = 0; i < DEAF; i++) {
        b[i] = bare_open();
        setsockopt(b[i]->fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
        bare_enter_at(b[i], "seer");
        bare_begin(b[i]);
        for (int k = 0; k < VIEWS; k++)
            bare_query(
                b[i], ROBO_Q_VIEW,
                &(struct robo_request_view){
                    .format = ROBO_RGB, .quality = 80, .window = 1 << 24, .period = 1000000 });
        assert_true(bare_send(b[i], bare_end(b[i], ROBO_TYPE_QUERY, 1)));
    }
    const int64_t seer =
        robo_session(c,
                     &(struct robo_session_options){ .size = sizeof(struct robo_session_options),
                                                     .robot = "seer" },
                     patience());
    assert_true(seer > 0);
    size_t most = 0;
    uint64_t last = 0;
    for (int i = 0; i < 200; i++) {
        struct robo_picture p;
        const int64_t id =
            robo_request(c, (uint32_t)seer, ROBO_Q_PICTURE,
                         &(struct robo_request_picture){
                             .format = ROBO_RGB, .quality = 80, .window = 1 << 16, .after = last });
        assert_int_equal(command(c, session, speed(0.1)).signal, ROBO_SUCCESS);
        assert_int_equal(robo_wait(c, (uint32_t)id, patience()), 0);
        assert_int_equal(robo_take_reply(c, (uint32_t)id, &p, sizeof p), 1);
        assert_true(p.number > last);
        last = p.number;
        const size_t used = atomic_load(&world->pictures.used) - before;
        most = used > most ? used : most;
    }
    /* of each view one that goes out and the next, in buffers of at most twice their size */
    assert_true(most < (size_t)(DEAF * VIEWS + 1) * 2 * 2 * SIZE + (DEAF + 2) * (1 << 17));
    assert_true(most > SIZE);
    assert_int_equal(robo_server_connections(server), DEAF + 1);
    for (int i = 0; i < DEAF; i++)
        bare_close(b[i]);
    REPEAT_UNTIL(robo_server_connections(server) == 1, robo_poll(c, SECOND / 100));
    robo_disconnect(c);
    REPEAT_UNTIL(atomic_load(&world->pictures.used) <= before, sched_yield());
}
