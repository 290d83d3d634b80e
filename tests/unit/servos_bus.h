/* Servos on a bus behind a pseudo-terminal, played by a thread, and a robot that hangs on them. In real time; nothing depends on how long anything takes,
 * it is waited for. The packets are read here by code of its own: only answers are encoded by the driver's. */
#pragma once

#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "../chain.h"
#include "../kept_log.h"
#include "../patience.h"
#include "driver_options.h"
#include "one_robot.h"
#include "servos/dynamixel.h"
#include "servos/feetech.h"
#include "drivers.h"

enum { SERVOS = 3, MEMORY = 256 };

/* Where a kind of servo has what this bus plays. */
struct kind {
    const struct robo__servos_packets *packets;
    unsigned torque, goal, speed, position, wide, ram;
};
static const struct kind STS = { &robo__feetech_packets, 40, 42, 46, 56, 2, 40 };
static const struct kind AX = { &robo__feetech_packets, 24, 30, 32, 36, 2, 24 };
static const struct kind XL = { &robo__dynamixel_packets, 64, 116, 104, 132, 4, 64 };

static struct {
    const struct kind *kind;
    int master, keep;
    char path[64]; /* a name that stays, as udev gives one to an adapter */
    pthread_t thread;
    atomic_bool over;
    pthread_mutex_t lock; /* guards the servos */
    struct {
        uint8_t memory[MEMORY];
        bool mute, wheel;
        uint8_t error;    /* of its answers */
        unsigned damaged; /* so many answers with a wrong checksum */
    } servo[SERVOS];
    int step;            /* ticks that a servo moves between two looks */
    int jump;            /* the farthest goal from its position, of servos with torque */
    unsigned stored;     /* writes to EEPROM, or of 128 to the torque */
    unsigned blind;      /* torque was switched on while the goal was elsewhere */
    atomic_uint heard;   /* instructions */
    atomic_uint stopped; /* wheels that got speed 0 */
} bus = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int get(unsigned servo, unsigned at, unsigned bytes)
{
    uint32_t raw = 0;
    for (unsigned i = 0; i < bytes; i++)
        raw |= (uint32_t)bus.servo[servo].memory[at + i] << 8 * i;
    return (int)raw;
}

static void put(unsigned servo, unsigned at, unsigned bytes, int raw)
{
    for (unsigned i = 0; i < bytes; i++)
        bus.servo[servo].memory[at + i] = (uint8_t)(raw >> 8 * i);
}

/* For tests, from outside. */
static int peek(unsigned servo, unsigned at, unsigned bytes)
{
    pthread_mutex_lock(&bus.lock);
    const int raw = get(servo, at, bytes);
    pthread_mutex_unlock(&bus.lock);
    return raw;
}

static void poke(unsigned servo, unsigned at, unsigned bytes, int raw)
{
    pthread_mutex_lock(&bus.lock);
    put(servo, at, bytes, raw);
    pthread_mutex_unlock(&bus.lock);
}

#define WITH_BUS(...)                    \
    do {                                 \
        pthread_mutex_lock(&bus.lock);   \
        __VA_ARGS__;                     \
        pthread_mutex_unlock(&bus.lock); \
    } while (0)

static int position_of(unsigned servo)
{
    return peek(servo, bus.kind->position, bus.kind->wide);
}

/* Speeds of Feetech have a sign and a magnitude. */
static inline int speed_of(unsigned servo)
{
    const int raw = peek(servo, bus.kind->speed, bus.kind->wide);
    return bus.kind == &STS && raw & 0x8000 ? -(raw & 0x7FFF) : raw;
}

static bool has_torque(unsigned servo)
{
    return peek(servo, bus.kind->torque, 1) == 1;
}

static void write_memory(unsigned i, unsigned at, const uint8_t *data, unsigned n)
{
    const struct kind *k = bus.kind;
    const bool had = bus.servo[i].memory[k->torque] == 1;
    if (at + n > MEMORY)
        return;
    if (at < k->ram || (at <= k->torque && at + n > k->torque && data[k->torque - at] > 2))
        bus.stored++;
    if (at < k->ram) /* it is EEPROM: kept as it was, and counted */
        return;
    memcpy(bus.servo[i].memory + at, data, n);
    const bool has = bus.servo[i].memory[k->torque] == 1;
    const int off = abs(get(i, k->goal, k->wide) - get(i, k->position, k->wide));
    if (bus.servo[i].wheel) {
        bus.stopped += at == k->speed && get(i, k->speed, k->wide) == 0;
        return;
    }
    if (has && !had && off > 0)
        bus.blind++;
    if (has && off > bus.jump)
        bus.jump = off;
}

static void say(unsigned i, const uint8_t *data, unsigned n)
{
    uint8_t param[64] = { bus.servo[i].error }, out[ROBO__SERVOS_FRAME];
    const bool own = bus.kind->packets == &robo__dynamixel_packets;
    if (bus.servo[i].mute)
        return;
    memcpy(param + own, data, n);
    const size_t bytes = bus.kind->packets->encode(
        (uint8_t)(i + 1), own ? 0x55 : bus.servo[i].error, param, n + own, out);
    if (bus.servo[i].damaged > 0) {
        bus.servo[i].damaged--;
        out[bytes - 1] ^= 0x5A;
    }
    if (write(bus.master, out, bytes) < 0) {
        /* nobody reads */
    }
}

static void obey(uint8_t id, uint8_t instruction, const uint8_t *p, unsigned n)
{
    const unsigned a = (unsigned)bus.kind->packets->address;
    const unsigned at = n > 0 ? p[0] | (a > 1 ? (unsigned)p[1] << 8 : 0) : 0,
                   size = n > a ? p[a] : 0;
    bus.heard++;
    for (unsigned i = 0; i < SERVOS; i++) {
        const bool meant = id == i + 1;
        if (bus.servo[i].mute)
            continue;
        if (instruction == ROBO__SERVOS_READ && meant && at + size <= MEMORY)
            say(i, bus.servo[i].memory + at, size);
        if (instruction == ROBO__SERVOS_WRITE && meant) {
            write_memory(i, at, p + a, n - a);
            say(i, p, 0);
        }
        if (instruction == 0x08 && meant) /* restart */
            put(i, 70, 1, 0);
    }
    if (instruction == ROBO__SERVOS_SYNC_READ)
        for (unsigned k = 2 * a; k < n; k++)
            if (p[k] >= 1 && p[k] <= SERVOS && at + size <= MEMORY)
                say(p[k] - 1u, bus.servo[p[k] - 1].memory + at, size);
    if (instruction == ROBO__SERVOS_SYNC_WRITE)
        for (unsigned k = 2 * a; k + size < n; k += size + 1)
            if (p[k] >= 1 && p[k] <= SERVOS && !bus.servo[p[k] - 1].mute)
                write_memory(p[k] - 1u, at, p + k + 1, size);
}

/* The first instruction of these bytes is carried out; returns its length, 0: there is none yet. */
static size_t work(const uint8_t *b, size_t n)
{
    if (bus.kind->packets == &robo__feetech_packets) {
        if (n < 6 || n < 4u + b[3])
            return 0;
        assert_true(b[0] == 0xFF && b[1] == 0xFF);
        obey(b[2], b[4], b + 5, b[3] - 2u);
        return 4u + b[3];
    }
    const size_t length = n > 6 ? b[5] | (size_t)b[6] << 8 : 0;
    if (n < 10 || n < 7 + length)
        return 0;
    assert_true(b[2] == 0xFD && b[3] == 0);
    obey(b[4], b[7], b + 8, (unsigned)length - 3);
    return 7 + length;
}

static void move(unsigned i)
{
    const struct kind *k = bus.kind;
    const int is = get(i, k->position, k->wide), off = get(i, k->goal, k->wide) - is;
    if (bus.servo[i].memory[k->torque] == 1 && !bus.servo[i].wheel)
        put(i, k->position, k->wide,
            is + (off > bus.step    ? bus.step
                  : off < -bus.step ? -bus.step
                                    : off));
}

static void *be_a_bus(void *arg)
{
    uint8_t bytes[4096];
    size_t n = 0;
    while (!bus.over) {
        struct pollfd p = { .fd = bus.master, .events = POLLIN };
        ssize_t got = poll(&p, 1, 2) > 0 ? read(bus.master, bytes + n, sizeof bytes - n) : 0;
        n += got > 0 ? (size_t)got : 0;
        pthread_mutex_lock(&bus.lock);
        for (size_t used; (used = work(bytes, n)) > 0; n -= used)
            memmove(bytes, bytes + used, n - used);
        for (unsigned i = 0; i < SERVOS; i++)
            move(i);
        pthread_mutex_unlock(&bus.lock);
    }
    return NULL;
}

static void plug_in(void)
{
    struct termios t;
    char tty[64];
    bus.master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    assert_true(bus.master >= 0 && grantpt(bus.master) == 0 && unlockpt(bus.master) == 0);
    assert_int_equal(ptsname_r(bus.master, tty, sizeof tty), 0);
    if (!bus.path[0])
        snprintf(bus.path, sizeof bus.path, "/tmp/robotalk-servos-%d", (int)getpid());
    unlink(bus.path);
    bus.keep = open(tty, O_RDWR | O_NOCTTY); /* so that nobody there is no hang-up */
    assert_int_equal(tcgetattr(bus.keep, &t), 0);
    cfmakeraw(&t);
    assert_int_equal(tcsetattr(bus.keep, TCSANOW, &t), 0);
    assert_int_equal(symlink(tty, bus.path), 0);
    bus.over = false;
    assert_int_equal(pthread_create(&bus.thread, NULL, be_a_bus, NULL), 0);
}

static void unplug(void)
{
    bus.over = true;
    pthread_join(bus.thread, NULL);
    unlink(bus.path);
    close(bus.keep);
    close(bus.master);
}

/* New servos at 100, 200, 300 ticks from the middle. Kinds are STS3215, AX-12A, XL330. */
static void make_servos(const struct kind *kind)
{
    bus.kind = kind;
    bus.step = 400;
    bus.jump = 0;
    bus.stored = bus.blind = 0;
    memset(bus.servo, 0, sizeof bus.servo);
    for (unsigned i = 0; i < SERVOS; i++) {
        if (kind == &STS) {
            put(i, 3, 2, 777);
            put(i, 18, 1, 4);
            put(i, 62, 1, 121);
            put(i, 63, 1, 40);
            put(i, 69, 2, 100);
        } else if (kind == &AX) {
            put(i, 0, 2, 12);
            put(i, 8, 2, 1023);
        } else {
            put(i, 0, 2, 1200);
            put(i, 11, 1, 3);
            put(i, 144, 2, 50);
            put(i, 146, 1, 40);
        }
        const int middle = kind == &AX ? 512 : 2048;
        put(i, kind->position, kind->wide, middle + 100 * ((int)i + 1));
        put(i, kind->goal, kind->wide, middle + 400); /* as whoever was there before has left it */
    }
}

/* ---- the robot that hangs on it ---- */

static struct robo_option wired[] = {
    TEXT("port", NULL),
    REAL("latency", 0.05), /* what a machine that does something else needs to answer */
    REAL("timeout", 5),
    FLAG("torque", 1),
    TEXT("profile", "core"),
    TEXT("joint1", "sts3215 id=1"),
    TEXT("joint2", "sts3215 id=2"),
    TEXT("joint3", "sts3215 id=3"),
};
enum { TIMEOUT = 2, TORQUE = 3, PROFILE = 4, JOINT = 5 };

static void wire(const char *one, const char *two, const char *three)
{
    wired[TIMEOUT].value.real = 5;
    wired[TORQUE].value.integer = 1;
    wired[PROFILE].value.text = "core";
    wired[JOINT].value.text = one;
    wired[JOINT + 1].value.text = two;
    wired[JOINT + 2].value.text = three;
}

static struct robo_description description;

static void describe(uint8_t panic)
{
    begin_description(&description, SERVOS + 1,
                      (struct robo_description){
                          .name = "arm", .devices = 1, .commands = UINT64_MAX, .panic = panic });
    strcpy(description.device[0].driver, "servos");
    wired[0].value.text = bus.path;
    TAKES(description.device[0], wired);
    make_chain(&description, SERVOS, ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED,
               (struct robo_dof){ .name = "q",
                                  .axis = { 0, 0, 1 },
                                  .low = -2,
                                  .high = 2,
                                  .speed = 2,
                                  .acceleration = 10 });
}

static const struct robo_options LOGGED = { .size = sizeof LOGGED, .log = on_log };

static void open_described(void)
{
    char why[128] = "";
    assert_int_equal(robo_servos_driver.check(&description, 0, why), 0);
    forget_log();
    open_world_with(&LOGGED, NULL, &description);
}

static void begin_with(const struct kind *kind, uint8_t panic)
{
    make_servos(kind);
    plug_in();
    describe(panic);
}

/* Three STS servos that hold in a panic. */
static inline void open_arm(uint8_t panic)
{
    wire("sts3215 id=1", "sts3215 id=2", "sts3215 id=3");
    begin_with(&STS, panic);
    open_described();
}

static void close_arm(void)
{
    close_world();
    unplug();
    assert_int_equal(bus.stored, 0);
    assert_int_equal(bus.blind, 0);
}

static struct robo_result word;

static bool answered(uint32_t id)
{
    struct robo_result results[16];
    const size_t n = robo__session_results(session, results, 16);
    for (size_t i = 0; i < n; i++)
        if (results[i].id == id)
            word = results[i];
    return word.id == id;
}

static void await_answer(struct robo_cmd cmd)
{
    const uint32_t id = give(cmd);
    EVENTUALLY(answered(id));
}

/* Given again until it is carried out: a machine that is slow counts as a joint that is stuck. */
static void expect_obeyed(struct robo_cmd cmd)
{
    do
        await_answer(cmd);
    while (word.signal == ROBO_MODIFIED);
    assert_int_equal(word.signal, ROBO_SUCCESS);
}

static bool in_panic(void)
{
    robo__robot_lock(robot);
    const bool panic = robo__robot_alarm(robot).panic != 0;
    robo__robot_unlock(robot);
    return panic;
}

/* Ends panics until the arm obeys again. */
static inline void expect_well_again(uint8_t joint, double to)
{
    do {
        if (in_panic())
            robo_reset(robot);
        await_answer(go(joint, to));
    } while (word.signal == ROBO_ERROR || word.signal == ROBO_PANIC ||
             word.signal == ROBO_MODIFIED || word.signal == ROBO_INTERRUPTED);
    assert_int_equal(word.signal, ROBO_SUCCESS);
}

static int ticks(double rad)
{
    return 2048 + (int)lrint(rad * 4096 / 2 / 3.14159265358979323846);
}

static inline double reported(unsigned dof)
{
    struct robo_state now;
    robo_read(robot, &now, sizeof now);
    return now.position[dof];
}

static bool is_at(unsigned servo, double rad)
{
    return abs(position_of(servo) - ticks(rad)) <= 25;
}
