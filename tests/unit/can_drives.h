/* Drives on a CAN bus, simulated behind a pseudo-terminal by a thread of their own, and a robot that hangs on them. In real
 * time: a serial line cannot be simulated; nothing depends on how long anything takes, it is waited for. */
#pragma once

#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "../chain.h"
#include "../patience.h"
#include "drivers.h"
#include "driver_options.h"
#include "one_robot.h"

/* ---- drives behind a pseudo-terminal ---- */

enum { NODES = 3, GENERIC = 2, HEARD = 1 << 18 };

struct node {
    atomic_uint status; /* CiA 402 */
    _Atomic double position, speed;
    double stored;
    bool waits;            /* for SYNC: its RPDO has transmission type 1 */
    atomic_bool mute;      /* tells nothing */
    atomic_uint emergency; /* to be told once */
    atomic_int objects;    /* that were written */
};

static struct {
    int master, keep;
    char path[64]; /* a name that stays, as udev gives one to an adapter */
    pthread_t thread;
    atomic_bool over;
    atomic_int refuse;  /* so many frames with BEL */
    atomic_bool silent; /* no answers to frames */
    struct node node[NODES];
    pthread_mutex_t lock;
    char out[1 << 16]; /* what it has not said yet */
    size_t unsaid;
    char heard[HEARD]; /* lines, as they came */
    size_t count;
    atomic_bool deaf; /* reads nothing */
} arm = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* What the line does not take yet is said later, as a real adapter has a buffer of its own. */
static void say(const char *bytes, size_t n)
{
    if (arm.unsaid + n <= sizeof arm.out) {
        memcpy(arm.out + arm.unsaid, bytes, n);
        arm.unsaid += n;
    }
}

static void flush(void)
{
    ssize_t n = arm.unsaid > 0 ? write(arm.master, arm.out, arm.unsaid) : 0;
    if (n > 0) {
        arm.unsaid -= (size_t)n;
        memmove(arm.out, arm.out + n, arm.unsaid);
    }
}

static void say_frame(unsigned id, unsigned size, const uint8_t *data)
{
    char line[32];
    int n = sprintf(line, "t%03X%u", id, size);
    for (unsigned i = 0; i < size; i++)
        n += sprintf(line + n, "%02X", data[i]);
    line[n++] = '\r';
    say(line, (size_t)n);
}

/* What a drive tells every 5 ms, unless nobody reads. */
static void tell(unsigned i)
{
    struct node *n = &arm.node[i];
    int32_t raw = (int32_t)lrint(n->position * 1000), speed = (int32_t)lrint(n->speed * 1000);
    unsigned status = n->status;
    if (n->mute)
        return;
    uint8_t data[8] = { (uint8_t)status,       (uint8_t)(status >> 8), (uint8_t)raw,
                        (uint8_t)(raw >> 8),   (uint8_t)(raw >> 16),   (uint8_t)(raw >> 24),
                        (uint8_t)(speed >> 0), (uint8_t)(speed >> 8) };
    if (i == GENERIC) {
        uint8_t own[8] = { data[2], data[3], data[4], data[5] };
        say_frame(0x199, 4, own);
        return;
    }
    say_frame(0x381 + i, 6, data);
    unsigned emergency = atomic_exchange(&n->emergency, 0);
    if (emergency) {
        uint8_t code[8] = { (uint8_t)emergency, (uint8_t)(emergency >> 8), 1 };
        say_frame(0x081 + i, 8, code);
    }
}

static void control(unsigned i, unsigned word)
{
    struct node *n = &arm.node[i];
    unsigned s = n->status;
    if (word & 0x80)
        s = 0x0240;
    else if (s == 0x0208)
        return; /* a fault wants a reset first */
    else if ((word & 0x06) != 0x06)
        s = 0x0240; /* disable voltage */
    else if (word == 0x06)
        s = 0x0231;
    else if (word == 0x07 && (s == 0x0231 || s == 0x0237))
        s = 0x0233;
    else if ((word & 0x0F) == 0x0F && (s == 0x0233 || s == 0x0237))
        s = 0x0237;
    if (s != 0x0237)
        n->speed = 0;
    if (s != n->status) {
        n->status = s;
        uint8_t data[2] = { (uint8_t)s, (uint8_t)(s >> 8) };
        if (!n->mute)
            say_frame(0x181 + i, 2, data);
    }
}

static void obey(unsigned id, unsigned size, const uint8_t *data)
{
    int32_t raw = 0;
    if (size >= 6)
        raw = (int32_t)((uint32_t)data[2] | (uint32_t)data[3] << 8 | (uint32_t)data[4] << 16 |
                        (uint32_t)data[5] << 24);
    if (id == 0x080)
        for (unsigned i = 0; i < NODES; i++)
            if (arm.node[i].waits && arm.node[i].status == 0x0237)
                arm.node[i].speed = arm.node[i].stored;
    for (unsigned i = 0; i < GENERIC; i++) {
        struct node *n = &arm.node[i];
        if (id == 0x201 + i && size == 2)
            control(i, data[0] | (unsigned)data[1] << 8);
        if (id == 0x501 + i && size == 6) {
            control(i, data[0] | (unsigned)data[1] << 8);
            n->stored = raw / 1000.0;
            if (n->status == 0x0237 && !n->waits)
                n->speed = n->stored;
        }
        if (id == 0x601 + i && size == 8) {
            uint8_t ok[8] = { 0x60, data[1], data[2], data[3] };
            n->objects++;
            if (data[1] == 0x03 && data[2] == 0x14 && data[3] == 2)
                n->waits = data[4] == 1;
            say_frame(0x581 + i, 8, ok);
        }
    }
    if (id == 0x211 && size == 8) /* big-endian mrad/s */
        arm.node[GENERIC].speed = (int32_t)((uint32_t)data[0] << 24 | (uint32_t)data[1] << 16 |
                                            (uint32_t)data[2] << 8 | data[3]) /
                                  1000.0;
}

static void on_line(const char *line, size_t n)
{
    unsigned id, size, byte;
    uint8_t data[8];
    pthread_mutex_lock(&arm.lock);
    if (arm.count + n < HEARD) {
        memcpy(arm.heard + arm.count, line, n);
        arm.count += n;
    }
    pthread_mutex_unlock(&arm.lock);
    if (line[0] == 't' && sscanf(line, "t%3x%1u", &id, &size) == 2 && size <= 8) {
        if (arm.refuse > 0) {
            arm.refuse--;
            say("\a", 1);
            return;
        }
        for (unsigned i = 0; i < size && sscanf(line + 5 + 2 * i, "%2x", &byte) == 1; i++)
            data[i] = (uint8_t)byte;
        if (!arm.silent)
            say("z\r", 2);
        obey(id, size, data);
    } else {
        say("\r", 1);
    }
}

/* What the arm moves at most between two looks at the line, in seconds: when nobody lets it look, it is slow rather than
 * far away. */
static const double LONGEST_STEP = 0.005;

static void *be_an_arm(void *arg)
{
    char line[64];
    size_t length = 0;
    double last = 1e-9 * (double)patience_clock(), told = last;
    while (!arm.over) {
        struct pollfd p = { .fd = arm.master, .events = POLLIN };
        char bytes[256];
        if (arm.deaf) {
            poll(NULL, 0, 1);
            continue;
        }
        ssize_t n = poll(&p, 1, 2) > 0 ? read(arm.master, bytes, sizeof bytes) : 0;
        double now = 1e-9 * (double)patience_clock();
        for (unsigned i = 0; i < NODES; i++)
            arm.node[i].position =
                arm.node[i].position + arm.node[i].speed * fmin(now - last, LONGEST_STEP);
        last = now;
        for (ssize_t i = 0; i < n; i++) {
            if (length < sizeof line)
                line[length++] = bytes[i];
            if (bytes[i] == '\r') {
                on_line(line, length);
                length = 0;
            }
        }
        if (now - told > 0.005 && arm.unsaid == 0) {
            for (unsigned i = 0; i < NODES; i++)
                tell(i);
            told = now;
        }
        flush();
    }
    return NULL;
}

/* Weak: the two files that include this share one of each, in place of the C library's poll. */
#define SHARED __attribute__((weak))

/* While a test holds it, the driver hears nothing. */
SHARED pthread_mutex_t ear = PTHREAD_MUTEX_INITIALIZER;

/* A driver that is to close its line does not give up before something comes of it: machines are of all sorts. */
SHARED atomic_bool closes_in_peace;

/* The driver waits for two things, its line and whoever wakes it; for 1 ms when it is to close that. */
SHARED int poll(struct pollfd *fds, nfds_t n, int milliseconds)
{
    if (n == 2) {
        pthread_mutex_lock(&ear);
        pthread_mutex_unlock(&ear);
    }
    if (n == 2 && milliseconds == 1 && closes_in_peace)
        milliseconds = (int)(patience() / 1000000);
    struct timespec t = { milliseconds / 1000, milliseconds % 1000 * 1000000 };
    return ppoll(fds, n, milliseconds < 0 ? NULL : &t, NULL);
}

static void plug_in(void)
{
    struct termios t;
    char tty[64];
    arm.master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    assert_true(arm.master >= 0 && grantpt(arm.master) == 0 && unlockpt(arm.master) == 0);
    assert_int_equal(ptsname_r(arm.master, tty, sizeof tty), 0);
    if (!arm.path[0])
        snprintf(arm.path, sizeof arm.path, "/tmp/robotalk-can-%d", (int)getpid());
    unlink(arm.path);
    assert_int_equal(symlink(tty, arm.path), 0);
    arm.keep = open(arm.path, O_RDWR | O_NOCTTY); /* so that nobody there is no hang-up */
    assert_int_equal(tcgetattr(arm.keep, &t), 0);
    cfmakeraw(&t);
    assert_int_equal(tcsetattr(arm.keep, TCSANOW, &t), 0);
    arm.over = false;
    arm.unsaid = 0;
    assert_int_equal(pthread_create(&arm.thread, NULL, be_an_arm, NULL), 0);
}

static void unplug(void)
{
    arm.over = true;
    pthread_join(arm.thread, NULL);
    unlink(arm.path);
    close(arm.keep);
    close(arm.master);
}

static bool was_said(const char *line)
{
    pthread_mutex_lock(&arm.lock);
    arm.heard[arm.count < HEARD ? arm.count : HEARD - 1] = 0;
    bool found = strstr(arm.heard, line) != NULL;
    pthread_mutex_unlock(&arm.lock);
    return found;
}

/* ---- the robot that hangs on it ---- */

static char logged[256]; /* the last line of the log; under arm.lock */

static void on_log(void *owner, enum robo_log_level level, const char *line)
{
    assert_int_equal(level, ROBO_LOG_ERROR);
    pthread_mutex_lock(&arm.lock);
    snprintf(logged, sizeof logged, "%s", line);
    pthread_mutex_unlock(&arm.lock);
}

static const struct robo_options LOGGED = { .size = sizeof LOGGED, .log = on_log };

/* Seconds of silence after which a drive counts as lost: longer than any machine lets a thread wait, unless silence is
 * what a test is about. */
static double timeout = 600;

/* How the arm is wired. */
static struct robo_option wired[] = {
    TEXT("port", NULL),
    REAL("timeout", 0),
    INTEGER("patience", 0),
    TEXT("joint1", "velocity node=1 scale=1000"),
    TEXT("joint2", "velocity node=2 scale=1000"),
    TEXT("joint3", "generic set=0x211:i32be@0*1000 position=0x199:i32@0*1000"),
};

static void describe(struct robo_description *d, uint8_t order, uint8_t panic)
{
    begin_description(d, NODES + 1,
                      (struct robo_description){ .name = "arm",
                                                 .devices = 1,
                                                 .commands = UINT64_MAX,
                                                 .bus_rate = 500,
                                                 .bus_order = order,
                                                 .panic = panic });
    strcpy(d->device[0].driver, "can");
    wired[0].value.text = arm.path;
    wired[1].value.real = timeout;
    wired[2] = (struct robo_option)INTEGER("patience", 600);
    TAKES(d->device[0], wired);
    make_chain(d, NODES, ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED,
               (struct robo_dof){ .name = "q",
                                  .axis = { 0, 0, 1 },
                                  .low = -2,
                                  .high = 2,
                                  .speed = 1,
                                  .acceleration = 10 });
}

static void open_robot(uint8_t order, uint8_t panic)
{
    static struct robo_description d;
    char why[128] = "";
    memset(arm.node, 0, sizeof arm.node);
    for (int i = 0; i < NODES; i++)
        arm.node[i].status = 0x0240;
    arm.refuse = 0;
    arm.silent = false;
    arm.count = 0;
    plug_in();
    describe(&d, order, panic);
    assert_int_equal(robo_can_driver.check(&d, 0, why), 0);
    open_world_with(&LOGGED, NULL, &d);
}

static void close_robot(void)
{
    close_world();
    unplug();
}

static struct robo_result word;

static bool answered(uint32_t id)
{
    struct robo_result results[16];
    size_t n = robo__session_results(session, results, 16);
    for (size_t i = 0; i < n; i++)
        if (results[i].id == id)
            word = results[i];
    return word.id == id;
}

/* Gives the command until it is carried out: a robot whose arm is not let move for half a second counts what it has reached
 * as the end. */
static void expect_obeyed(struct robo_cmd cmd)
{
    do {
        uint32_t id = give(cmd);
        EVENTUALLY(answered(id));
    } while (word.signal == ROBO_MODIFIED);
    assert_int_equal(word.signal, ROBO_SUCCESS);
}

/* As soon as the driver has its line again, where that was lost. */
static void expect_well_again(void)
{
    do {
        robo_reset(robot);
        uint32_t id = give(go(1, 0.1));
        EVENTUALLY(answered(id));
    } while (word.signal == ROBO_ERROR && word.reason == ROBO_WHY_LINK);
    expect_obeyed(go(1, 0.1));
}

static bool in_panic(void)
{
    robo__robot_lock(robot);
    bool panic = robo__robot_alarm(robot).panic != 0;
    robo__robot_unlock(robot);
    return panic;
}
