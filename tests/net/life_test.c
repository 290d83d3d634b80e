/* Life and death under threads: robots, sessions and connections come and go while others use them. What is asserted
 * is little: the address and thread sanitizers see the rest. Real threads and clocks; nothing here measures time, it
 * only waits, long enough. */
#include <stdint.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../test.h"
#include "../base_robot.h"
#include "../idle_driver.h"
#include "../patience.h"
#include "robot/robot.h"
#include "robotalk/client.h"
#include "protocols.h"
#include "net/server.h"
#include "robot/world/inside.h"
#include "results.h"
#include "robotalk/description.h"
#include "../ids.h"

enum { MOST_THREADS = 8 };
static const robo_time SECOND = 1000000000;

static void pause_for(long nanoseconds)
{
    nanosleep(&(struct timespec){ .tv_nsec = nanoseconds }, NULL);
}

/* ---- a driver that one robot may have open at a time, like a serial port ---- */

static atomic_int inside, clashes, opens;
static void (*_Atomic on_halt)(robo_device *device);

struct port {
    robo_device *device;
    bool open;
};

static int open_port(void *state, robo_device *device, robo_time now)
{
    struct port *port = state;
    *port = (struct port){ device, true };
    if (atomic_fetch_add(&inside, 1) > 0)
        atomic_fetch_add(&clashes, 1);
    atomic_fetch_add(&opens, 1);
    pause_for(20000);
    return 0;
}

static void start_port(void *state, const struct robo_cmd *cmd, robo_ticket ticket, robo_time now)
{
    robo_done(((struct port *)state)->device, ticket, ROBO_SUCCESS, ROBO_WHY_NONE);
}

static void halt_port(void *state, robo_time now)
{
    void (*then)(robo_device *) = atomic_load(&on_halt);
    if (then)
        then(((struct port *)state)->device);
}

static void close_port(void *state)
{
    struct port *port = state;
    if (port->open)
        atomic_fetch_sub(&inside, 1);
    port->open = false;
}

static const robo_driver port_driver = { .size = sizeof(robo_driver),
                                         .name = "port",
                                         .state_size = sizeof(struct port),
                                         .open = open_port,
                                         .start = start_port,
                                         .read = idle_read,
                                         .halt = halt_port,
                                         .close = close_port };

/* ---- the world ---- */

static robo_world *world;
static atomic_bool stop;

static int add(const char *name)
{
    struct robo_description d = base_robot(name, "port");
    return robo_add(world, &d, NULL);
}

static void take_out(const char *name)
{
    robo_robot *robot = robo_find(world, name);
    if (robot)
        robo_remove(robot);
    robo_release(robot);
}

static int begin(void **state)
{
    atomic_store(&inside, 0);
    atomic_store(&clashes, 0);
    atomic_store(&opens, 0);
    atomic_store(&on_halt, NULL);
    atomic_store(&stop, false);
    world = robo_open(NULL);
    return world ? robo_add_driver(world, &port_driver) : -1;
}

/* The test has closed the world or not; every device is closed then. */
static int end(void **state)
{
    robo_close(world);
    return atomic_load(&inside);
}

struct crew {
    pthread_t thread[MOST_THREADS];
    int count;
};

static void start_thread(struct crew *crew, void *(*work)(void *), void *arg)
{
    assert_int_equal(pthread_create(&crew->thread[crew->count++], NULL, work, arg), 0);
}

static void join_all(struct crew *crew)
{
    atomic_store(&stop, true);
    while (crew->count > 0)
        pthread_join(crew->thread[--crew->count], NULL);
}

/* ---- clients ---- */

static char server_url[128];
static atomic_int opened;

static robo_client *connect_to(const char *url)
{
    int error;
    char why[256];
    return robo_connect(world, url, patience(), &error, why);
}

static int64_t open_session(robo_client *c, const char *robot)
{
    const struct robo_session_options options = { .size = sizeof options,
                                                  .robot = robot,
                                                  .expiry = patience() };
    return robo_session(c, &options, patience());
}

static int64_t send_speed(robo_client *c, int64_t session)
{
    struct robo_cmd cmd = { .op = ROBO_SET_SPEED, .start = ROBO_AT_ONCE };
    return robo_send(c, (uint32_t)session, &cmd, 1);
}

/* Frames at once, soon and later, of which the body has the base alone; their bodies are given back whatever becomes of
 * them. */
static void send_frames(robo_client *c, int64_t session)
{
    struct robo_move_dof dof[] = { { .dof = 0, .servo = ROBO_SERVO_SETPOINT, .value = 1 },
                                   { .dof = 700, .servo = ROBO_SERVO_SPEED, .value = 1 } };
    struct robo_move_frame frame = { .frame = 2, .servo = ROBO_SERVO_SPEED };
    struct robo_move move = {
        .parts = ROBO_MOVE_SPEED, .dofs = 2, .frames = 1, .dof = dof, .frame = &frame
    };
    struct robo_cmd cmds[4];
    const robo_time now = robo_now(world);
    for (int i = 0; i < 4; i++)
        cmds[i] = (struct robo_cmd){ .op = ROBO_MOVE,
                                     .start = i > 0 ? now + i * i * SECOND / 2000 : 0,
                                     .body.move = &move };
    robo_send(c, (uint32_t)session, cmds, 4);
}

/* Takes what has come; notices are counted. */
static void drain(robo_client *c, atomic_uint *panicked, atomic_uint *reset)
{
    struct robo_event event;
    struct robo_result result;
    while (robo_next_event(c, &event, sizeof event)) {
        if (event.kind == ROBO_EVENT_RESULT)
            robo_take(c, event.id.value, &result, sizeof result);
        if (event.kind == ROBO_EVENT_NOTICE && event.op == ROBO_N_PANICKED && panicked)
            atomic_fetch_add(panicked, 1);
        if (event.kind == ROBO_EVENT_NOTICE && event.op == ROBO_N_RESET && reset)
            atomic_fetch_add(reset, 1);
    }
}

/* Opens sessions, one after the other, and commands a little. */
static void *visit(void *arg)
{
    const char *url = arg;
    while (!atomic_load(&stop)) {
        robo_client *c = connect_to(url);
        int64_t session = c ? open_session(c, "robot") : -1;
        if (session > 0) {
            atomic_fetch_add(&opened, 1);
            send_speed(c, session);
            send_frames(c, session);
            robo_poll(c, SECOND / 2000);
            send_speed(c, session);
            send_frames(c, session);
            drain(c, NULL, NULL);
        }
        robo_disconnect(c);
    }
    return NULL;
}

/* ---- a server on a thread of its own ---- */

static robo_loop *loop;
static robo_server *server;
static pthread_t server_thread;
static char folder[] = "/tmp/robotalk-life-XXXXXX";

static void *run(void *arg)
{
    robo__loop_run(arg);
    return NULL;
}

static void serve(void)
{
    char why[256];
    struct robo__url url;
    strcpy(folder + sizeof folder - 7, "XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(server_url, sizeof server_url, "unix:%s/socket", folder);
    loop = robo_loop_open(world);
    assert_non_null(loop);
    assert_int_equal(robo__url_parse(server_url, robo__protocols, &url, why), 0);
    assert_int_equal(robo__server_open(loop, &url, NULL, &server, why), 0);
    assert_int_equal(pthread_create(&server_thread, NULL, run, loop), 0);
}

static void serve_no_more(void)
{
    robo__loop_end(loop);
    pthread_join(server_thread, NULL);
    robo_unserve(server);
    robo_loop_close(loop);
    rmdir(folder);
}

/* ---- robots come and go ---- */

FIXTURE(begin, end);

TEST(robots_go_while_sessions_open_and_close)
{
    struct crew crew = { 0 };
    serve();
    for (int i = 0; i < 2; i++) {
        start_thread(&crew, visit, "local:");
        start_thread(&crew, visit, server_url);
    }
    for (int i = 0; i < 200; i++) {
        int before = atomic_load(&opened);
        assert_int_equal(add("robot"), 0);
        EVENTUALLY(atomic_load(&opened) > before);
        take_out("robot");
    }
    join_all(&crew);
    serve_no_more();
}

static void *look_up(void *arg)
{
    while (!atomic_load(&stop)) {
        robo_robot *robot = robo_find(world, "robot");
        struct robo_state state;
        if (!robot)
            continue;
        atomic_fetch_add(&opened, 1);
        robo_read(robot, &state, sizeof state);
        robo_panic(robot);
        robo_read(robot, &state, sizeof state);
        robo_reset(robot);
        if (strcmp(robo_robot_name(robot), "robot") != 0)
            atomic_fetch_add(&clashes, 1);
        robo_release(robot);
    }
    return NULL;
}

static void *reload(void *arg)
{
    struct robo_description d = base_robot("robot", "port");
    while (!atomic_load(&stop)) {
        robo_robot *robot = robo_find(world, "robot");
        if (robot)
            robo_reload(robot, &d, NULL);
        robo_release(robot);
    }
    return NULL;
}

static void *remove_it(void *arg)
{
    while (!atomic_load(&stop)) {
        take_out("robot");
        pause_for(100000);
    }
    return NULL;
}

/* Those who have found a robot can use it, whoever removes it meanwhile; and a new robot of that name gets to the
 * devices when the old one has closed them, and not before. */
TEST(found_robots_outlive_their_removal)
{
    struct crew crew = { 0 };
    for (int i = 0; i < 2; i++) {
        start_thread(&crew, look_up, NULL);
        start_thread(&crew, reload, NULL);
        start_thread(&crew, remove_it, NULL);
    }
    for (int i = 0; i < 500; i++) {
        int error = add("robot");
        assert_true(error == 0 || error == ROBO_EEXISTS);
        int before = atomic_load(&opened);
        EVENTUALLY(error != 0 || atomic_load(&opened) > before || !robo__world_count(world));
    }
    join_all(&crew);
    take_out("robot");
    assert_int_equal(atomic_load(&inside), 0);
    assert_int_equal(atomic_load(&clashes), 0);
}

/* ---- one name ---- */

static pthread_barrier_t gate;
static atomic_int added, refused;

static void *add_one(void *arg)
{
    for (int i = 0; i < 200; i++) {
        pthread_barrier_wait(&gate);
        int error = add("robot");
        atomic_fetch_add(error == 0 ? &added : &refused, 1);
        pthread_barrier_wait(&gate);
    }
    return NULL;
}

TEST(of_two_who_add_one_name_one_succeeds)
{
    struct crew crew = { 0 };
    pthread_barrier_init(&gate, NULL, 3);
    atomic_store(&added, 0);
    atomic_store(&refused, 0);
    for (int i = 0; i < 2; i++)
        start_thread(&crew, add_one, NULL);
    for (int i = 0; i < 200; i++) {
        pthread_barrier_wait(&gate);
        pthread_barrier_wait(&gate);
        take_out("robot");
    }
    join_all(&crew);
    pthread_barrier_destroy(&gate);
    assert_int_equal(atomic_load(&added), 200);
    assert_int_equal(atomic_load(&refused), 200);
    assert_int_equal(atomic_load(&opens), 200); /* the other never got to the device */
    assert_int_equal(atomic_load(&clashes), 0);
}

/* ---- panic for all ---- */

static void *take_out_first(void *arg)
{
    take_out("first");
    return NULL;
}

/* While the second is being halted, the first goes. */
static void remove_first(robo_device *device)
{
    pthread_t thread;
    if (strcmp(robo_device_description(device)->name, "second") == 0 &&
        pthread_create(&thread, NULL, take_out_first, NULL) == 0)
        pthread_join(thread, NULL);
}

TEST(a_panic_for_all_leaves_none_out_when_one_goes)
{
    struct robo_state s;
    assert_int_equal(add("first") + add("second") + add("third"), 0);
    robo_client *c = connect_to("local:");
    assert_non_null(c);
    atomic_store(&on_halt, remove_first);
    assert_int_equal(robo_client_panic(c, 0), 0);
    robo_robot *third = robo_find(world, "third");
    robo_read(third, &s, sizeof s);
    assert_true(s.panic);
    robo_release(third);
    assert_null(robo_find(world, "first"));
    robo_disconnect(c);
}

/* ---- panic and its notices ---- */

struct listener {
    atomic_bool ready;
    atomic_uint panicked, reset;
};

/* A client that commands as fast as it can, in its own thread, and listens: so the robot's mutex is often taken. */
static void *command(void *arg)
{
    struct listener *l = arg;
    robo_client *c = connect_to("local:");
    int64_t session = c ? open_session(c, "robot") : -1;
    atomic_store(&l->ready, session > 0);
    while (session > 0 && !atomic_load(&stop)) {
        for (int i = 0; i < 20; i++)
            send_speed(c, session);
        robo_poll(c, SECOND / 1000);
        drain(c, &l->panicked, &l->reset);
    }
    robo_disconnect(c);
    return NULL;
}

static void start_listeners(struct crew *crew, struct listener listener[3])
{
    for (int i = 0; i < 3; i++) {
        start_thread(crew, command, &listener[i]);
        EVENTUALLY(atomic_load(&listener[i].ready));
    }
}

TEST(everybody_hears_of_every_panic_and_of_its_reset)
{
    static struct listener listener[3];
    struct crew crew = { 0 };
    assert_int_equal(add("robot"), 0);
    robo_robot *robot = robo_find(world, "robot");
    start_listeners(&crew, listener);
    for (unsigned n = 1; n <= 2000; n++) {
        robo_panic(robot);
        robo_reset(robot); /* at once */
        for (int i = 0; i < 3; i++)
            EVENTUALLY(atomic_load(&listener[i].panicked) == n &&
                       atomic_load(&listener[i].reset) == n);
    }
    join_all(&crew);
    robo_release(robot);
}

/* The epoch that a session begins in is the robot's, however busy it is. */
TEST(a_session_opened_after_a_reset_is_heard)
{
    static struct listener listener[3];
    struct crew crew = { 0 };
    assert_int_equal(add("robot"), 0);
    robo_robot *robot = robo_find(world, "robot");
    start_listeners(&crew, listener);
    for (int i = 0; i < 100; i++) {
        robo_panic(robot);
        robo_reset(robot);
        robo_client *c = connect_to("local:");
        assert_non_null(c);
        int64_t session = open_session(c, "robot");
        assert_true(session > 0);
        int64_t id = send_speed(c, session);
        assert_int_equal(result_of(c, id).signal, ROBO_SUCCESS);
        robo_disconnect(c);
    }
    join_all(&crew);
    robo_release(robot);
}

/* ---- the world goes ---- */

TEST(a_world_is_closed_while_sessions_are_open)
{
    struct robo_state s;
    assert_int_equal(add("robot"), 0);
    serve();
    robo_robot *robot = robo_find(world, "robot");
    robo_client *c[2] = { connect_to("local:"), connect_to(server_url) };
    int64_t session[2];
    for (int i = 0; i < 2; i++) {
        assert_non_null(c[i]);
        session[i] = open_session(c[i], "robot");
        assert_true(session[i] > 0);
        send_speed(c[i], session[i]);
    }
    robo_close(world);
    assert_int_equal(atomic_load(&inside), 0);
    world = NULL;
    for (int i = 0; i < 2; i++) {
        send_speed(c[i], session[i]);
        robo_poll(c[i], SECOND / 100);
        assert_true(open_session(c[i], "robot") < 0);
        robo_disconnect(c[i]);
    }
    robo_read(robot, &s, sizeof s);
    robo_panic(robot);
    robo_reset(robot);
    robo_release(robot);
    serve_no_more();
}

/* ---- everything at once ---- */

static void *raise_alarms(void *arg)
{
    robo_client *c = connect_to(arg);
    while (c && !atomic_load(&stop)) {
        robo_client_panic(c, 0);
        robo_poll(c, SECOND / 5000);
        robo_client_reset(c, 0);
        robo_poll(c, SECOND / 5000);
        drain(c, NULL, NULL);
    }
    robo_disconnect(c);
    return NULL;
}

TEST(everything_at_once)
{
    struct crew crew = { 0 };
    assert_int_equal(add("robot"), 0);
    serve();
    start_thread(&crew, visit, "local:");
    start_thread(&crew, visit, server_url);
    start_thread(&crew, visit, server_url);
    start_thread(&crew, raise_alarms, server_url);
    start_thread(&crew, look_up, NULL);
    start_thread(&crew, reload, NULL);
    start_thread(&crew, remove_it, NULL);
    for (int i = 0; i < 500; i++) {
        int error = add("robot");
        assert_true(error == 0 || error == ROBO_EEXISTS);
        pause_for(200000);
    }
    /* the server goes while clients talk, and the robot while it is used */
    serve_no_more();
    take_out("robot");
    join_all(&crew);
    assert_int_equal(atomic_load(&clashes), 0);
}
