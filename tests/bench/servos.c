/* The driver of servos on a pseudo-terminal, in real time: its cycles beside a bare loop that writes and reads the same bytes at the same
 * port, in turns; and how late its goals are beside a loaded processor, next to absolute clock_nanosleep wake-ups. */
#include <fcntl.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <termios.h>
#include <unistd.h>

#include "../chain.h"
#include "../servo_bus/terminal.h"
#include "../unit/driver_options.h"
#include "base/thread.h"
#include "bench.h"
#include "robot/devices/device.h"
#include "robot/robot.h"
#include "robotalk/description.h"
#include "robotalk/serial.h"
#include "servos/device.h"

enum { SERVOS = 6, BAUD = 1000000, TURNS = 31, BLOCKS = 7, RATE = 100, POINTS = 250, TRIES = 5 };
enum { FASTEST = 740 }; /* as many as the bytes of a cycle allow at that baud rate */
static const robo_time SECOND = 1000000000, TURN = 300000000;

/* ---- the bus; servos do not wait for a processor ---- */

static struct robo__servo_bus_terminal terminal;

static void *serve_bus(void *stop)
{
    robo__thread_hurry();
    robo__servo_bus_terminal_serve(&terminal, *(int *)stop);
    return NULL;
}

static struct robo__servo_bus *open_bus(void)
{
    const struct robo__servo_bus_options options = { .baud = BAUD };
    struct robo__servo_bus *bus = robo__servo_bus_open(&options, robo__time_monotonic());
    char why[ROBO__SERVO_BUS_WHY];
    if (bus && robo__servo_bus_add(bus, "sts3215:1-6", why) == 0 &&
        robo__servo_bus_terminal_open(&terminal, bus, BAUD) == 0)
        return bus;
    robo__servo_bus_close(bus);
    return NULL;
}

/* ---- the driver ---- */

/* With the device's lock: the cycles whose goals it has written, when the newest one was due, and how late each was, us, a period after
 * the one before at the latest. */
static struct {
    struct robo__servos *device;
    long cycles;
    robo_time due;
    struct samples *late;
} seen;

static ssize_t write_and_look(struct robo__servos_port *p, const uint8_t *bytes, size_t n)
{
    if (n > 4 && bytes[4] == ROBO__SERVOS_SYNC_WRITE) {
        const struct robo__servos *d = seen.device;
        const robo_time due = seen.cycles++ ? seen.due + d->period : d->next;
        if (seen.late)
            samples_add(seen.late, (double)(now_ns() - due) / 1e3);
        seen.due = d->next;
    }
    return robo__servos_serial.write(p, bytes, n);
}

/* Cycles a second of the driver at that rate for that long; 0: it could not be opened. */
static double drive(int64_t rate, robo_time span, struct samples *late)
{
    static struct robo__servos_port_kind looks;
    static struct robo_description d;
    static struct robo_option wired[] = { TEXT("port", terminal.path),
                                          INTEGER("rate", 0),
                                          REAL("delay", 0),
                                          REAL("latency", 0),
                                          TEXT("joint1", "sts3215 id=1"),
                                          TEXT("joint2", "sts3215 id=2"),
                                          TEXT("joint3", "sts3215 id=3"),
                                          TEXT("joint4", "sts3215 id=4"),
                                          TEXT("joint5", "sts3215 id=5"),
                                          TEXT("joint6", "sts3215 id=6") };
    robo_world *world = robo_open(&(struct robo_options){ .size = sizeof(struct robo_options) });
    robo_robot *robot = NULL;
    wired[1].value.integer = rate;
    make_flat_arm(&d, SERVOS, ROBO_SERVO_SETPOINT, "servos");
    TAKES(d.device[0], wired);
    double cycles = 0;
    if (world && robo_add_drivers(world) == 0 && robo_add(world, &d, &robot) == 0) {
        struct robo__servos *device = seen.device = robot->devices.at[0]->state;
        looks = robo__servos_serial;
        looks.write = write_and_look;
        seen.cycles = 0;
        seen.late = late;
        const robo_time begin = now_ns();
        device->port.kind = &looks;
        usleep((useconds_t)(span / 1000));
        device->port.kind = &robo__servos_serial;
        cycles = (double)seen.cycles / ((double)(now_ns() - begin) * 1e-9);
    }
    robo_release(robot);
    robo_close(world);
    return cycles;
}

/* ---- the bare loop: writes that, and reads so many bytes ---- */

static bool carry(int fd, const uint8_t *frame, size_t n, size_t answers)
{
    uint8_t bytes[512];
    if (write(fd, frame, n) != (ssize_t)n)
        return false;
    for (ssize_t got; answers > 0; answers -= (size_t)got)
        if ((got = read(fd, bytes, answers)) <= 0)
            return false;
    return true;
}

/* Its cycles a second into a double; 0: it failed. */
static void *loop(void *out)
{
    const struct robo__servos_family *f = robo__servos_model("sts3215")->family;
    const struct robo__servos_packets *p = f->packets;
    static const uint8_t ids[SERVOS] = { 1, 2, 3, 4, 5, 6 },
                         middle[2 * SERVOS] = { 0, 8, 0, 8, 0, 8, 0, 8, 0, 8, 0, 8 };
    uint8_t frame[2 * ROBO__SERVOS_FRAME];
    const int fd = robo_serial_open(terminal.path, BAUD);
    robo__thread_hurry();
    fcntl(fd, F_SETFL, 0);
    usleep(20000); /* answers to the driver may still be on their way */
    tcflush(fd, TCIFLUSH);
    bool good = fd >= 0;
    long cycles = 0;
    const robo_time begin = now_ns();
    for (; good && now_ns() - begin < TURN; cycles++) {
        const struct robo__servos_block slow = f->slow[cycles / SERVOS % 2];
        size_t n = robo__servos_sync_write(p, 42, 2, ids, middle, SERVOS, frame);
        n += robo__servos_sync_read(p, f->fast.address, f->fast.size, ids, SERVOS, frame + n);
        good = carry(fd, frame, n, SERVOS * (p->answer + f->fast.size));
        n = robo__servos_read(p, ids[cycles % SERVOS], slow.address, slow.size, frame);
        good = good && carry(fd, frame, n, p->answer + slow.size);
    }
    *(double *)out = good ? (double)cycles / ((double)(now_ns() - begin) * 1e-9) : 0;
    close(fd);
    return NULL;
}

void bench_servos(reporter *report)
{
    struct robo__servo_bus *bus = open_bus();
    struct trial cycles = { 0 }, late = { 0 };
    pthread_t thread, bare;
    if (!bus)
        return;
    int stop = eventfd(0, EFD_CLOEXEC);
    pthread_create(&thread, NULL, serve_bus, &stop);
    for (int i = 0; i < TURNS; i++) {
        double ours = 0, limit = 0;
        for (int k = 0; k < TRIES && (ours == 0 || limit == 0); k++) {
            ours = drive(FASTEST, TURN, NULL);
            pthread_create(&bare, NULL, loop, &limit);
            pthread_join(bare, NULL);
        }
        samples_add(&cycles.ours, ours);
        samples_add(&cycles.limit, limit);
        trial_block(&cycles);
    }
    load_start();
    for (int i = 0; i < BLOCKS; i++) {
        drive(RATE, SECOND * POINTS / RATE, &late.ours);
        sleep_late(SECOND / RATE, POINTS, &late.limit);
        trial_block(&late);
    }
    load_stop();
    eventfd_write(stop, 1);
    pthread_join(thread, NULL);
    close(stop);
    robo__servo_bus_terminal_close(&terminal);
    robo__servo_bus_close(bus);
    trial_report(&cycles,
                 &(struct row){ .name = "servos",
                                .what = "cycles a second, six servos at 1 Mbaud",
                                .unit = "/s",
                                .of = "p50",
                                .more_is_better = true,
                                .goal = 0.95 },
                 report);
    trial_report(&late,
                 &(struct row){ .name = "servos",
                                .what = "lateness of goals at 100 Hz, processors full",
                                .unit = "us",
                                .of = "p99",
                                .goal = 2 },
                 report);
    trial_free(&cycles);
    trial_free(&late);
}
