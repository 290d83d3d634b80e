/* The driver of serial servos on a port of the system: the simulated bus behind a pseudo-terminal, in real time. What does not depend on the port is in
 * unit/servos_*_test.c. */
#include "../chain.h"
#include "../kept_log.h"
#include "../patience.h"
#include "../unit/driver_options.h"
#include "../unit/one_robot.h"

#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "robotalk/emergency.h"
#include "../servo_bus/faults.h"
#include "../servo_bus/terminal.h"

static struct robo__servo_bus *bus;
static struct robo__servo_bus_terminal terminal;
static pthread_t thread;
static int end_bus;
static char path[64]; /* of the port: a name that stays, as udev gives one to an adapter */
static struct robo_result word;

static void *serve(void *arg)
{
    robo__servo_bus_terminal_serve(&terminal, end_bus);
    return arg;
}

static void open_terminal(void)
{
    assert_int_equal(robo__servo_bus_terminal_open(&terminal, bus, 1000000), 0);
    snprintf(path, sizeof path, "/tmp/robotalk-servos-%d", (int)getpid());
    unlink(path);
    assert_int_equal(symlink(terminal.path, path), 0);
}

static void start_bus(void)
{
    end_bus = eventfd(0, EFD_CLOEXEC);
    assert_int_equal(pthread_create(&thread, NULL, serve, NULL), 0);
}

static void plug_in(void)
{
    open_terminal();
    start_bus();
}

static void open_bus(const char *servos)
{
    const struct robo__servo_bus_options options = { .baud = 1000000, .return_delay = -1 };
    char why[ROBO__SERVO_BUS_WHY];
    bus = robo__servo_bus_open(&options, robo__time_monotonic());
    assert_non_null(bus);
    assert_int_equal(robo__servo_bus_add(bus, servos, why), 0);
    plug_in();
}

/* From then on the bus is the test's. */
static void stop_bus(void)
{
    assert_int_equal(write(end_bus, &(uint64_t){ 1 }, sizeof(uint64_t)), sizeof(uint64_t));
    pthread_join(thread, NULL);
    close(end_bus);
}

static void unplug(void)
{
    stop_bus();
    unlink(path);
    robo__servo_bus_terminal_close(&terminal);
}

static void close_bus(void)
{
    unlink(path);
    robo__servo_bus_terminal_close(&terminal);
    robo__servo_bus_close(bus);
}

/* Two joints of that model, the second a wheel or not; what is slow on a busy machine is waited for. */
static void open_arm(const char *one, const char *two, bool wheel)
{
    static struct robo_option wired[] = { TEXT("port", path),   REAL("latency", 0.05),
                                          REAL("timeout", 600), REAL("watchdog", 0),
                                          TEXT("joint1", NULL), TEXT("joint2", NULL) };
    static const struct robo_options logged_world = { .size = sizeof logged_world, .log = on_log };
    static struct robo_description d;
    wired[4].value.text = one;
    wired[5].value.text = two;
    begin_description(
        &d, 3,
        (struct robo_description){
            .name = "arm", .devices = 1, .commands = UINT64_MAX, .panic = ROBO_HOLD });
    strcpy(d.device[0].driver, "servos");
    TAKES(d.device[0], wired);
    make_chain(&d, 2, ROBO_SERVO_SETPOINT,
               (struct robo_dof){ .name = "q",
                                  .axis = { 0, 0, 1 },
                                  .low = -1.5,
                                  .high = 1.5,
                                  .speed = 2,
                                  .acceleration = 10 });
    if (wheel) {
        d.joint[2].servo = ROBO_SERVO_SPEED;
        d.dof[1].low = 1;
        d.dof[1].high = 0;
    }
    forget_log();
    open_world_with(&logged_world, NULL, &d);
}

static bool answered(uint32_t id)
{
    struct robo_result results[16];
    const size_t n = robo__session_results(session, results, 16);
    for (size_t i = 0; i < n; i++)
        if (results[i].id == id)
            word = results[i];
    return word.id == id;
}

/* The shaft of a servo that turns from the middle of its range. */
static void expect_angle(unsigned id, double wanted)
{
    struct robo__servo_bus_view view;
    assert_int_equal(robo__servo_bus_view(bus, id, robo__time_monotonic(), &view), 0);
    assert_true(fabs(view.angle - 3.14159265358979 - wanted) < 0.05);
    assert_true(view.holds);
}

static void move_both(const char *servos, const char *one, const char *two)
{
    open_bus(servos);
    open_arm(one, two, false);
    for (unsigned i = 1; i <= 2; i++)
        do { /* a machine that is slow counts as a joint that is stuck */
            const uint32_t id = give(go((uint8_t)i, i == 1 ? 0.8 : -0.4));
            EVENTUALLY(answered(id));
        } while (word.signal == ROBO_MODIFIED);
    assert_int_equal(word.signal, ROBO_SUCCESS);
    close_world();
    stop_bus();
    expect_angle(1, 0.8);
    expect_angle(2, -0.4);
    close_bus();
}

TEST(feetech_servos_go_where_they_are_sent_and_hold_at_the_end)
{
    move_both("sts3215:1-2", "sts3215 id=1", "sts3215 id=2");
}

TEST(dynamixel_servos_go_where_they_are_sent_and_hold_at_the_end)
{
    move_both("xl330:1-2", "xl330 id=1", "xl330 id=2");
}

/* ---- wheels, which have no watchdog of their own ---- */

/* A bus whose servo 2 was made a wheel. */
static void make_wheel(void)
{
    const struct robo__servo_bus_options options = { .baud = 1000000, .return_delay = -1 };
    char why[ROBO__SERVO_BUS_WHY];
    bus = robo__servo_bus_open(&options, robo__time_monotonic());
    assert_int_equal(robo__servo_bus_add(bus, "sts3215:1-2", why), 0);
    assert_int_equal(robo__servo_bus_set_register(bus, 2, robo__time_monotonic(), 33, 1, 1), 0);
}

/* A robot whose wheel turns. */
static void turn_wheel(void)
{
    struct robo_state now = { 0 };
    open_arm("sts3215 id=1", "sts3215 id=2", true);
    give(run(2, 1));
    REPEAT_UNTIL(now.speed[1] > 0.9, robo_read(robot, &now, sizeof now));
}

static void open_wheel(void)
{
    make_wheel();
    plug_in();
    turn_wheel();
}

/* Whether it stands; then the bus is the test's. */
static bool stands(void)
{
    struct robo__servo_bus_view view;
    stop_bus();
    assert_int_equal(robo__servo_bus_view(bus, 2, robo__time_monotonic(), &view), 0);
    if (view.speed != 0)
        start_bus();
    return view.speed == 0;
}

TEST(a_wheel_is_stopped_when_the_robot_is_closed)
{
    open_wheel();
    close_world();
    EVENTUALLY(stands());
    close_bus();
}

/* In a signal handler a program has only the bytes that were made when the robot was added. */
TEST(a_wheel_is_stopped_by_a_program_that_dies)
{
    make_wheel();
    open_terminal();
    const pid_t program = fork(); /* before there is a thread */
    if (program == 0) {
        turn_wheel();
        robo_emergency_write();
        _exit(0);
    }
    start_bus();
    int status;
    assert_int_equal(waitpid(program, &status, 0), program);
    assert_int_equal(status, 0);
    EVENTUALLY(stands());
    close_bus();
}

TEST(a_port_that_is_unplugged_is_opened_again_by_its_path)
{
    open_wheel();
    unplug();
    EVENTUALLY(logged("is gone") == 1);
    plug_in();
    EVENTUALLY(logged("is back") >= 1);
    EVENTUALLY(stands());
    close_world();
    close_bus();
}
