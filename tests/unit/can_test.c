/* The driver of drives on a CAN bus: the ASCII protocol of serial adapters, frame layouts byte for byte, and the driver
 * against simulated drives behind a pseudo-terminal. The adapter's lines are those of LAWICEL's CAN232 manual; the
 * identifiers, objects and state words those of CiA 301 and CiA 402. In real time: a serial line cannot be simulated;
 * nothing depends on how long anything takes, it is waited for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/can.h>
#include <linux/can/error.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "../patience.h"
#include "can/can.h"
#include "can/layout.h"
#include "can/line.h"
#include "drivers.h"
#include "robot.h"

/* ---- the adapter's lines ---- */

static void expect_line(const struct robo__can_frame *frame, const char *line)
{
    char out[ROBO__SLCAN_LINE];
    size_t n = robo__slcan_encode(frame, out);
    assert_int_equal(n, strlen(line));
    assert_memory_equal(out, line, n);
    /* and back, byte for byte */
    struct robo__slcan s = { .length = 0 };
    struct robo__can_frame again;
    uint8_t flags;
    for (size_t i = 0; i < n; i++) {
        const uint8_t *at = (const uint8_t *)out + i;
        size_t one = 1;
        enum robo__slcan_event e = robo__slcan_feed(&s, &at, &one, &again, &flags);
        assert_int_equal(e, i + 1 < n ? ROBO__SLCAN_MORE : ROBO__SLCAN_FRAME);
    }
    assert_int_equal(again.id, frame->id);
    assert_int_equal(again.extended, frame->extended);
    assert_int_equal(again.size, frame->size);
    assert_memory_equal(again.data, frame->data, frame->size);
}

static void test_lines_of_frames(void **state)
{
    (void)state;
    expect_line(&(struct robo__can_frame){ .id = 0x100 }, "t1000\r");
    expect_line(&(struct robo__can_frame){ .id = 0x7FF, .size = 2, .data = { 0x01, 0xAB } },
                "t7FF201AB\r");
    expect_line(
        &(struct robo__can_frame){
            .id = 0x1FFFFFFF, .extended = true, .size = 8, .data = { 0, 1, 2, 3, 4, 5, 6, 0xFF } },
        "T1FFFFFFF800010203040506FF\r");
}

/* All events of these bytes, a letter each. */
static void expect_events(const char *bytes, size_t n, const char *events)
{
    struct robo__slcan s = { .length = 0 };
    struct robo__can_frame frame;
    const uint8_t *at = (const uint8_t *)bytes;
    uint8_t flags;
    char heard[64] = "";
    for (size_t i = 0; i < 63; i++) {
        enum robo__slcan_event e = robo__slcan_feed(&s, &at, &n, &frame, &flags);
        heard[i] = ".FDRSOG"[e];
        if (e == ROBO__SLCAN_MORE)
            break;
    }
    assert_string_equal(heard, events);
}

static void test_lines_that_are_none(void **state)
{
    (void)state;
#define EXPECT(text, events) expect_events(text, sizeof text - 1, events)
    EXPECT("\r\a\rz\rZ\r", "DRDDD.");
    EXPECT("t10021122\rt1002112\r", "FG.");       /* a digit too few */
    EXPECT("t1009112233445566778899\r", "G.");    /* nine bytes */
    EXPECT("t80000\rt8000\r", "GG.");             /* an identifier of 12 bits */
    EXPECT("T200000000\rT1FFFFFFF0\r", "GF.");    /* of 30 */
    EXPECT("t1001112233\rt10011122334\r", "FG."); /* one byte, and a time of four digits */
    EXPECT("t10011122334\rt100111ABCD\r", "GF.");
    EXPECT("t100zz\rtxyz0\r", "GG.");
    EXPECT("F00\rF8\rFxx\rF80\r", "SGGS.");
    EXPECT("V1013\rN1234\rr1000\r", "OOO.");
    EXPECT("zz\rq\r\nt1000\r", "GGG.");
    EXPECT("tttttttttttttttttttttttttttttttttttttttttttttttttttttttt\rt1000\r", "GF.");
    EXPECT("t10\at1000\r", "RF."); /* BEL ends what came before it */
    EXPECT("t1002", ".");
    EXPECT("\0\0\r", "G.");
}

/* ---- layouts ---- */

static struct robo__can_layout layout(const char *text)
{
    struct robo__can_layout l;
    char why[128] = "";
    if (!robo__can_layout_read(text, &l, why))
        fail_msg("%s: %s", text, why);
    return l;
}

static void expect_set(const char *text, double value, const char *lines)
{
    struct robo__can_layout l = layout(text);
    struct robo__can_frame frame[2];
    char all[128] = "", one[ROBO__SLCAN_LINE] = "";
    unsigned n = robo__can_layout_set(&l, value, frame);
    for (unsigned i = 0; i < n; i++)
        strncat(all, one, robo__slcan_encode(&frame[i], one));
    assert_string_equal(all, lines);
}

static void test_set_points_and_speeds(void **state)
{
    (void)state;
    /* RPDO4 of node 3, 0x503: controlword 0x000F, and 1.5 rad/s of 1000 = 1500 = 0x5DC, both little-endian */
    expect_set("velocity node=3 scale=1000", 1.5, "t50360F00DC050000\r");
    expect_set("velocity node=3 scale=1000", -1.5, "t50360F0024FAFFFF\r");
    expect_set("velocity node=3 scale=1000 speed_scale=10", 1.5, "t50360F000F000000\r");
    /* 32 bits and no further */
    expect_set("velocity node=127 scale=1e9", 9, "t57F60F00FFFFFF7F\r");
    expect_set("velocity node=127 scale=1e9", -9, "t57F60F0000000080\r");
    /* RPDO3 of node 2, 0x402: (0.5 + 0.25) rad of 4000 = 3000 = 0xBB8 */
    expect_set("position node=2 scale=4000 zero=0.25 cyclic", 0.5, "t40260F00B80B0000\r");
    /* a profile's set-point: bit 4 falls (RPDO1, 0x202) and rises again, with bit 5 */
    expect_set("position node=2 scale=-4000", 0.5, "t20220F00\rt40263F0030F8FFFF\r");
    expect_set("generic set=0x201:i16be@2*100", -1.23, "t20180000FF8500000000\r");
    expect_set("generic set=0x12345678:f32@4", 1,
               "T12345678800000000"
               "0000803F\r");
    expect_set("generic set=513:u8@0*10", -5, "t20180000000000000000\r");
    expect_set("generic set=0x201:f64be@0", 1, "t20183FF0000000000000\r");
}

static void expect_wrong(const char *text, const char *expected)
{
    struct robo__can_layout l;
    char why[128] = "";
    assert_false(robo__can_layout_read(text, &l, why));
    if (!strstr(why, expected))
        fail_msg("%s: %s, and not %s", text, why, expected);
}

static void test_layouts_that_are_none(void **state)
{
    (void)state;
    expect_wrong("", "expected velocity, position or generic first, got nothing");
    expect_wrong("torque node=1", "got torque");
    expect_wrong("velocity", "expected node=1…127");
    expect_wrong("velocity node=0 scale=1", "node=0");
    expect_wrong("velocity node=128 scale=1", "node=128");
    expect_wrong("velocity node=1.5 scale=1", "node=1.5");
    expect_wrong("velocity node=1", "expected scale=");
    expect_wrong("velocity node=1 scale=0", "scale=0");
    expect_wrong("velocity node=1 scale=nan", "scale=nan");
    expect_wrong("velocity node=1 scale=1 speed", "got speed");
    expect_wrong("velocity node=1 scale=1 set=0x1:i8@0", "got set=");
    expect_wrong("generic", "expected set=");
    expect_wrong("generic set=0x201", "expected ID:TYPE@OFFSET*SCALE");
    expect_wrong("generic set=0x20000000:i8@0", "expected ID:TYPE");
    expect_wrong("generic set=-1:i8@0", "expected ID:TYPE");
    expect_wrong("generic set=0x201:i24@0", "expected ID:TYPE");
    expect_wrong("generic set=0x201:f16@0", "expected ID:TYPE");
    expect_wrong("generic set=0x201:i32@5", "expected ID:TYPE");
    expect_wrong("generic set=0x201:i32@0*0", "expected ID:TYPE");
    expect_wrong("generic set=0x201:i32@0x", "expected ID:TYPE");
    expect_wrong("generic set=0x201:i32@0 halt=0x1:0", "halt: expected ID:BYTES");
    expect_wrong("generic set=0x201:i32@0 halt=0x1:001122334455667788", "halt: expected ID:BYTES");
    expect_wrong("generic set=0x201:i32@0 node=1", "got node");
    char longest[300];
    memset(longest, 'x', sizeof longest);
    longest[299] = 0;
    expect_wrong(longest, "at most 255 characters");
}

static struct robo__can_news hear(const char *text, uint32_t id, uint8_t size, const char *bytes)
{
    struct robo__can_layout l = layout(text);
    struct robo__can_frame f = { .id = id, .extended = id > 0x7FF, .size = size };
    struct robo__can_news news;
    memcpy(f.data, bytes, size);
    robo__can_layout_hear(&l, &f, &news);
    return news;
}

static void test_feedback(void **state)
{
    (void)state;
    const char *drive = "velocity node=5 scale=1000 zero=1";
    /* TPDO3, 0x385: statusword 0x0237, and -2500 increments */
    struct robo__can_news n = hear(drive, 0x385, 6, "\x37\x02\x3C\xF6\xFF\xFF");
    assert_int_equal(n.says, ROBO__CAN_SAYS_STATUS | ROBO__CAN_SAYS_POSITION);
    assert_int_equal(n.status, 0x0237);
    assert_float_equal(n.position, -3.5, 1e-12);
    n = hear(drive, 0x485, 6, "\x37\x02\xE8\x03\x00\x00");
    assert_float_equal(n.speed, 1, 1e-12);
    assert_int_equal(hear(drive, 0x185, 2, "\x40\x02").says, ROBO__CAN_SAYS_STATUS);
    n = hear(drive, 0x085, 8, "\x10\x23\x01\x00\x00\x00\x00\x00"); /* 0x2310: current too high */
    assert_int_equal(n.says, ROBO__CAN_SAYS_EMERGENCY);
    assert_int_equal(n.emergency, 0x2310);
    assert_int_equal(hear(drive, 0x085, 8, "\0\0\0\0\0\0\0\0").says, 0); /* it is over */
    assert_int_equal(hear(drive, 0x705, 1, "\x05").says, ROBO__CAN_SAYS_LIFE);
    /* others, and frames that are too short */
    assert_int_equal(hear(drive, 0x386, 6, "\0\0\0\0\0\0").says, 0);
    assert_int_equal(hear(drive, 0x385, 5, "\0\0\0\0\0").says, 0);
    assert_int_equal(hear(drive, 0x80 + 0x385 - 0x80 + 0x1000, 6, "\0\0\0\0\0\0").says, 0);
    const char *generic = "generic set=1:i8@0 position=0x181:i32@0*1000 speed=0x181:i16be@4*100";
    n = hear(generic, 0x181, 6, "\x18\xFC\xFF\xFF\xFF\x9C");
    assert_int_equal(n.says, ROBO__CAN_SAYS_POSITION | ROBO__CAN_SAYS_SPEED);
    assert_float_equal(n.position, -1, 1e-12);
    assert_float_equal(n.speed, -1, 1e-12);
    assert_int_equal(hear(generic, 0x181, 5, "\0\0\0\0\0").says, ROBO__CAN_SAYS_POSITION);
    /* a number that is none is no news */
    assert_int_equal(hear("generic set=1:i8@0 position=2:f32@0", 2, 4, "\x00\x00\xC0\x7F").says, 0);
}

static void test_state_machine(void **state)
{
    (void)state;
    assert_int_equal(robo__cia402_next(0x0000), 0x06); /* not ready to switch on */
    assert_int_equal(robo__cia402_next(0x0240), 0x06); /* switch on disabled */
    assert_int_equal(robo__cia402_next(0x0231), 0x07); /* ready to switch on */
    assert_int_equal(robo__cia402_next(0x0233), 0x0F); /* switched on */
    assert_int_equal(robo__cia402_next(0x0237), 0x0F); /* operation enabled */
    assert_int_equal(robo__cia402_next(0x0207), 0x00); /* quick stop active */
    assert_int_equal(robo__cia402_next(0x0208), 0x80); /* fault */
    assert_true(robo__cia402_is_enabled(0x1637) && !robo__cia402_is_enabled(0x0233));
    struct robo__can_layout l = layout("position node=9 scale=1");
    static const char *const lines[] = { "t60982F60600001000000\r", "t60982F02140201000000\r",
                                         "t60982F021802FF000000\r", "t60982B0218050A000000\r",
                                         "t00020109\r" };
    struct robo__can_frame frame;
    for (unsigned i = 0; i < 5; i++) {
        assert_true(robo__cia402_prepare(&l, i, true, &frame));
        expect_line(&frame, lines[i]);
    }
    assert_false(robo__cia402_prepare(&l, 5, true, &frame));
}

/* ---- a SocketCAN interface: a pair of sockets stands in for one, with the kernel's frames ---- */

static void test_interface(void **state)
{
    (void)state;
    struct robo__can_line line;
    struct can_frame raw;
    struct robo__can_frame frame = {
        .id = 0x12345, .extended = true, .size = 3, .data = { 1, 2, 3 }
    };
    int pair[2], tag;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair), 0);
    robo__can_line_init(&line, &frame, 1);
    assert_int_equal(robo__can_line_adopt(&line, pair[0], false), 0);
    assert_int_equal(robo__can_line_send(&line, &frame, 7), 0);
    assert_int_equal(read(pair[1], &raw, sizeof raw), sizeof raw);
    assert_int_equal(raw.can_id, 0x12345 | CAN_EFF_FLAG);
    assert_int_equal(raw.can_dlc, 3);
    assert_memory_equal(raw.data, "\1\2\3", 3);
    /* until the queue is full */
    int error = 0;
    for (int i = 0; i < 100000 && error == 0; i++)
        error = robo__can_line_send(&line, &frame, 7);
    assert_int_equal(error, ROBO_EFULL);
    assert_int_equal(robo__can_line_wait(&line, 0, &frame, &tag), ROBO__CAN_NOTHING);
    raw = (struct can_frame){ .can_id = 0x181, .can_dlc = 2, .data = { 0xAA, 0x55 } };
    assert_int_equal(write(pair[1], &raw, sizeof raw), sizeof raw);
    assert_int_equal(robo__can_line_wait(&line, 1000, &frame, &tag), ROBO__CAN_FRAME);
    assert_true(frame.id == 0x181 && !frame.extended && frame.size == 2 && frame.data[1] == 0x55);
    raw = (struct can_frame){ .can_id = CAN_ERR_FLAG | CAN_ERR_ACK, .can_dlc = CAN_ERR_DLC };
    assert_int_equal(write(pair[1], &raw, sizeof raw), sizeof raw);
    assert_int_equal(robo__can_line_wait(&line, 1000, &frame, &tag), ROBO__CAN_REFUSED);
    raw.can_id = CAN_ERR_FLAG | CAN_ERR_BUSOFF;
    assert_int_equal(write(pair[1], &raw, sizeof raw), sizeof raw);
    assert_int_equal(robo__can_line_wait(&line, 1000, &frame, &tag), ROBO__CAN_OFF);
    assert_int_equal(write(pair[1], "xx", 2), 2); /* no frame at all */
    assert_int_equal(robo__can_line_wait(&line, 1000, &frame, &tag), ROBO__CAN_GONE);
    robo__can_line_free(&line);
    close(pair[1]);
    robo__can_line_init(&line, NULL, 0);
    assert_int_equal(robo__can_line_open(&line, "no_such_can", 500000, 115200), ROBO_EDEVICE);
    assert_int_equal(robo__can_line_open(&line, "/dev/no_such_tty", 500000, 115200), ROBO_EDEVICE);
    assert_int_equal(robo__can_line_open(&line, "/dev/no_such_tty", 300000, 115200), ROBO_EINVAL);
    robo__can_line_free(&line);
}

/* ---- a line that is halted: a pair of sockets stands in for an adapter ---- */

static const struct robo__can_frame STILL[] = { { .id = 0x201, .size = 1 }, { .id = 0x202 } };

static struct robo__can_line line_of_test;

/* The adapter's end of a line whose last words are STILL. */
static int open_line(struct robo__can_line *line, bool serial)
{
    const int small = 1;
    int pair[2];
    assert_int_equal(
        socketpair(AF_UNIX, (serial ? SOCK_STREAM : SOCK_SEQPACKET) | SOCK_NONBLOCK, 0, pair), 0);
    assert_int_equal(setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof small), 0);
    robo__can_line_init(line, STILL, 2);
    assert_int_equal(robo__can_line_adopt(line, pair[0], serial), 0);
    return pair[1];
}

static void test_a_halt_overtakes_what_waits(void **state)
{
    (void)state;
    struct robo__can_line *line = &line_of_test;
    static const struct robo__can_frame motion = { .id = 0x501, .size = 1, .data = { 0x7F } };
    static char heard[1 << 20];
    struct robo__can_frame frame;
    int adapter = open_line(line, true), tag, refused = 0;
    while (robo__can_line_send(line, &motion, 3) == 0)
        ;
    assert_int_equal(robo__can_line_send(line, &motion, 3), ROBO_EFULL);
    robo__can_line_halt(line, STILL, 2);
    assert_int_equal(robo__can_line_send(line, &motion, 3), ROBO_EPANIC);
    /* the adapter takes what it hears, but for the last line */
    size_t n = 0, lines = 0, taken = 0;
    enum robo__can_event event;
    for (int i = 0; i < 10000 && !refused; i++) {
        if (read(adapter, heard + n, 1) == 1 && heard[n++] == '\r') {
            bool last = n >= 6 && memcmp(heard + n - 6, "t2020\r", 6) == 0;
            lines++;
            assert_int_equal(write(adapter, last ? "\a" : "z\r", last ? 1 : 2), last ? 1 : 2);
        }
        while ((event = robo__can_line_wait(line, 0, &frame, &tag)) != ROBO__CAN_NOTHING) {
            taken += event == ROBO__CAN_TAKEN;
            refused = event == ROBO__CAN_REFUSED ? tag : refused;
        }
    }
    assert_int_equal(refused, ROBO__CAN_HALT_TAG);
    assert_true(lines > 2);
    assert_int_equal(taken, lines - 1);
    assert_int_equal(n, 8 * (lines - 2) + 8 + 6);
    for (size_t i = 0; i < lines - 2; i++)
        assert_memory_equal(heard + 8 * i, "t50117F\r", 8);
    assert_memory_equal(heard + n - 14, "t201100\rt2020\r", 14);
    robo__can_line_resume(line);
    robo__can_line_halt_again(line); /* too late */
    assert_int_equal(robo__can_line_send(line, &motion, 3), 0);
    assert_int_equal(read(adapter, heard, sizeof heard), 8);
    robo__can_line_free(line);
    close(adapter);
}

static void test_a_halt_is_sent_when_an_interface_has_room(void **state)
{
    (void)state;
    struct robo__can_line *line = &line_of_test;
    static const struct robo__can_frame motion = { .id = 0x501, .size = 1 };
    struct robo__can_frame frame;
    struct can_frame raw;
    int bus = open_line(line, false), tag;
    while (robo__can_line_send(line, &motion, 3) == 0)
        ;
    robo__can_line_halt(line, STILL, 2);
    unsigned last[2] = { 0 };
    for (int i = 0; i < 10000; i++) {
        if (read(bus, &raw, sizeof raw) == (ssize_t)sizeof raw) {
            last[0] = last[1];
            last[1] = raw.can_id;
        }
        robo__can_line_wait(line, 0, &frame, &tag);
    }
    assert_int_equal(last[0], 0x201);
    assert_int_equal(last[1], 0x202);
    robo__can_line_free(line);
    close(bus);
}

/* What a line hears when the program dies, in a child; of an interface the identifiers. */
static void expect_last_words(bool serial, const char *words)
{
    int adapter = open_line(&line_of_test, serial);
    pid_t child = fork();
    if (child == 0) {
        robo__emergency_write();
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    char heard[256] = "", *end = heard;
    struct can_frame raw;
    if (serial)
        assert_true(read(adapter, heard, sizeof heard - 1) > 0);
    while (!serial && read(adapter, &raw, sizeof raw) == (ssize_t)sizeof raw)
        end += sprintf(end, "%03X ", raw.can_id);
    assert_string_equal(heard, words);
    robo__can_line_free(&line_of_test);
    close(adapter);
}

static void test_a_program_that_dies_halts(void **state)
{
    (void)state;
    /* a line that was half sent is ended first; and all of it twice */
    expect_last_words(true, "\rt201100\rt2020\r\rt201100\rt2020\r");
    expect_last_words(false, "201 202 201 202 ");
}

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
} arm;

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
    (void)arg;
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

/* Who has it keeps the driver from hearing what comes. */
static pthread_mutex_t ear = PTHREAD_MUTEX_INITIALIZER;

/* In place of the C library's: the driver waits for two things, its line and whoever wakes it. */
int poll(struct pollfd *fds, nfds_t n, int milliseconds)
{
    struct timespec t = { milliseconds / 1000, milliseconds % 1000 * 1000000 };
    if (n == 2) {
        pthread_mutex_lock(&ear);
        pthread_mutex_unlock(&ear);
    }
    return ppoll(fds, n, milliseconds < 0 ? NULL : &t, NULL);
}

static int unheard(void)
{
    int bytes = 0;
    ioctl(arm.keep, FIONREAD, &bytes);
    return bytes;
}

/* Bytes that the adapter has not read. */
static int untaken(void)
{
    int bytes = 0;
    ioctl(arm.master, FIONREAD, &bytes);
    return bytes;
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

/* ---- the robot that hangs on it ---- */

static robo *world;
static robo_robot *robot;
static struct robo__session *session;

/* Seconds of silence after which a drive counts as lost: longer than any machine lets a thread wait, unless silence is
 * what a test is about. */
static double timeout = 600;

static void describe(struct robo_description *d, uint8_t order, uint8_t panic)
{
    *d = (struct robo_description){ .links = NODES + 1,
                                    .joints = NODES + 1,
                                    .dofs = NODES,
                                    .devices = 1,
                                    .commands = UINT64_MAX,
                                    .bus_rate = 500,
                                    .bus_order = order,
                                    .panic = panic };
    strcpy(d->name, "arm");
    strcpy(d->device[0].driver, "can");
    snprintf(
        d->device[0].options, sizeof d->device[0].options,
        "port=%s,timeout=%g,patience=600,joint1=velocity node=1 scale=1000,joint2=velocity node=2 "
        "scale=1000,joint3=generic set=0x211:i32be@0*1000 position=0x199:i32@0*1000",
        arm.path, timeout);
    for (uint8_t i = 0; i <= NODES; i++) {
        struct robo_joint *j = &d->joint[i];
        snprintf(d->link[i].name, sizeof d->link[i].name, "link%u", i);
        snprintf(j->name, sizeof j->name, "joint%u", i);
        j->parent = i ? (uint8_t)(i - 1) : ROBO_WORLD;
        j->child = i;
        if (i == 0)
            continue;
        j->servo = ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED;
        j->first = (uint8_t)(i - 1);
        j->dofs = 1;
        d->dof[i - 1] = (struct robo_dof){
            .name = "q", .axis = { 0, 0, 1 }, .low = -2, .high = 2, .speed = 1, .acceleration = 10
        };
    }
}

static void open_robot(uint8_t order, uint8_t panic)
{
    static const struct robo__mode_request direct;
    struct robo_description d;
    char why[128] = "";
    memset(arm.node, 0, sizeof arm.node);
    for (int i = 0; i < NODES; i++)
        arm.node[i].status = 0x0240;
    arm.refuse = 0;
    arm.silent = false;
    arm.count = 0;
    plug_in();
    describe(&d, order, panic);
    world = robo_open(NULL);
    assert_non_null(world);
    assert_int_equal(robo__drivers_add(world), 0);
    assert_int_equal(robo_can_driver.check(&d, 0, why), 0);
    assert_int_equal(robo_add(world, &d, &robot), 0);
    assert_int_equal(
        robo__session_open(robot, NULL, &direct, NULL, NULL, robo_now(world), &session, why), 0);
}

static void close_robot(void)
{
    robo__session_close(session);
    robo_release(robot);
    robo_close(world);
    unplug();
}

static uint32_t give(struct robo_cmd cmd)
{
    static uint32_t last;
    robo_time now = robo_now(world);
    robo__robot_lock(robot);
    uint32_t epoch = robo__robot_alarm(robot).epoch;
    robo__robot_unlock(robot);
    cmd.id = ++last;
    assert_int_equal(robo__session_commands(session, &cmd, 1,
                                            (struct robo__known){ .epoch = (uint16_t)epoch }, now,
                                            now),
                     1);
    return cmd.id;
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

static struct robo_cmd go(uint8_t joint, double to)
{
    return (struct robo_cmd){ .op = ROBO_SET_JOINT,
                              .body.set_joint = { .joint = joint, .mask = 1, .value = { to } } };
}

/* For minutes, so that it is still under way when the test comes to look. */
static const double SLOW = 0.01;
static struct robo_cmd go_slowly(uint8_t joint)
{
    struct robo_cmd cmd = go(joint, 1.9);
    cmd.body.set_joint.speed = SLOW;
    return cmd;
}

static struct robo_cmd run(uint8_t joint, double speed)
{
    return (struct robo_cmd){ .op = ROBO_SET_JOINT_SPEED,
                              .body.set_joint_speed = {
                                  .joint = joint, .mask = 1, .value = { speed } } };
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

static bool in_panic(void)
{
    robo__robot_lock(robot);
    bool panic = robo__robot_alarm(robot).panic != 0;
    robo__robot_unlock(robot);
    return panic;
}

static bool was_said(const char *line)
{
    pthread_mutex_lock(&arm.lock);
    arm.heard[arm.count < HEARD ? arm.count : HEARD - 1] = 0;
    bool found = strstr(arm.heard, line) != NULL;
    pthread_mutex_unlock(&arm.lock);
    return found;
}

static bool was_said_twice(const char *line)
{
    pthread_mutex_lock(&arm.lock);
    arm.heard[arm.count < HEARD ? arm.count : HEARD - 1] = 0;
    const char *once = strstr(arm.heard, line);
    bool twice = once && strstr(once + 1, line);
    pthread_mutex_unlock(&arm.lock);
    return twice;
}

static void test_drives_are_woken_and_moved(void **state)
{
    (void)state;
    open_robot(ROBO_ORDER_OPTIMAL, ROBO_HOLD);
    /* first of all the adapter: closed, 500 kbit/s, open; then the drives, byte for byte */
    static const char first[] = "C\rS6\rO\r"
                                "t60182F60600003000000\r" /* node 1: profile velocity */
                                "t60182F031402FF000000\r" /* RPDO4 at once */
                                "t60182F021802FF000000\r" /* TPDO3 by its timer */
                                "t60182B0218050A000000\r" /* of 10 ms */
                                "t00020101\r"             /* start */
                                "t60282F60600003000000\r";
    EVENTUALLY(was_said("t00020102\r"));
    assert_memory_equal(arm.heard, first, sizeof first - 1);
    assert_true(was_said("t20120600\r") && was_said("t20120700\r") && was_said("t20120F00\r"));
    assert_true(arm.node[0].objects >= 4); /* drives that are not ready in time are told again */
    expect_obeyed(go(1, 0.3));
    EVENTUALLY(fabs(arm.node[0].position - 0.3) < 5e-3);
    expect_obeyed(go(3, -0.2));
    EVENTUALLY(fabs(arm.node[2].position + 0.2) < 5e-3);
    give(run(2, SLOW));
    EVENTUALLY(arm.node[1].speed == SLOW);
    assert_true(was_said("t50260F000A000000\r")); /* 10 mrad/s */
    robo_panic(robot);
    EVENTUALLY(arm.node[1].speed == 0);
    assert_int_equal(arm.node[1].status, 0x0237); /* held, not let go */
    close_robot();
}

static void test_limp_arms_are_woken_after_the_reset(void **state)
{
    (void)state;
    open_robot(ROBO_ORDER_OPTIMAL, ROBO_LIMP);
    give(run(1, SLOW));
    EVENTUALLY(arm.node[0].speed == SLOW);
    robo_panic(robot);
    EVENTUALLY(arm.node[0].status == 0x0240 && arm.node[1].status == 0x0240);
    assert_true(arm.node[0].speed == 0);
    robo_reset(robot);
    expect_obeyed(go(2, 0.2));
    assert_int_equal(arm.node[0].status, 0x0237);
    close_robot();
}

/* Drives that were in operation say so until they are let go; whoever reads that later is not to believe it. */
static void test_what_drives_told_before_they_were_let_go(void **state)
{
    (void)state;
    struct robo_answer_bus before, report;
    open_robot(ROBO_ORDER_OPTIMAL, ROBO_LIMP);
    robo__bus_report(robot, &before);
    pthread_mutex_lock(&ear);
    EVENTUALLY(unheard() > 1000);
    robo_panic(robot);
    EVENTUALLY(arm.node[0].status == 0x0240 && arm.node[1].status == 0x0240);
    robo_reset(robot);
    uint32_t id = give(go(2, 0.2));
    EVENTUALLY(robo__bus_report(robot, &report) == 0 && report.refused > before.refused);
    pthread_mutex_unlock(&ear);
    EVENTUALLY(answered(id));
    assert_true(word.signal == ROBO_SUCCESS || word.signal == ROBO_MODIFIED);
    close_robot();
}

static void test_broadcasts(void **state)
{
    (void)state;
    open_robot(ROBO_ORDER_SYNCHRONISED, ROBO_HOLD);
    assert_true(was_said("t60182F03140201000000\r")); /* RPDO4 waits for SYNC */
    give(run(1, SLOW));
    give(run(2, -SLOW));
    EVENTUALLY(arm.node[0].speed == SLOW && arm.node[1].speed == -SLOW);
    assert_true(was_said("t0800\r"));
    robo_panic(robot);
    EVENTUALLY(arm.node[0].speed == 0 && arm.node[1].speed == 0);
    close_robot();
}

/* What is running is answered ERROR with that reason, the robot panics, and after a reset it goes on. */
static void expect_lost(uint32_t id, enum robo_reason reason)
{
    EVENTUALLY(answered(id));
    assert_int_equal(word.signal, ROBO_ERROR);
    assert_string_equal(robo_reason_name(word.reason), robo_reason_name(reason));
    EVENTUALLY(in_panic());
    EVENTUALLY(arm.node[0].speed == 0);
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

static void test_a_drive_that_falls_silent(void **state)
{
    (void)state;
    timeout = 1e-9 * (double)patience() / 200;
    open_robot(ROBO_ORDER_OPTIMAL, ROBO_HOLD);
    uint32_t id = give(go_slowly(1));
    EVENTUALLY(arm.node[0].speed > 0 || in_panic()); /* another may be late first */
    arm.node[1].mute = true;
    expect_lost(id, ROBO_WHY_DEVICE);
    arm.node[1].mute = false;
    do { /* until nobody is late */
        robo_reset(robot);
        id = give(go(1, 0.1));
        EVENTUALLY(answered(id));
    } while (word.signal != ROBO_SUCCESS);
    close_robot();
    timeout = 600;
}

static void test_a_drive_with_a_fault(void **state)
{
    (void)state;
    open_robot(ROBO_ORDER_OPTIMAL, ROBO_HOLD);
    uint32_t id = give(go_slowly(1));
    EVENTUALLY(arm.node[0].speed > 0);
    arm.node[1].status = 0x0208;
    expect_lost(id, ROBO_WHY_DEVICE);
    expect_well_again(); /* the fault was reset when it was woken */
    assert_true(was_said("t20228000\r"));
    id = give(go_slowly(1));
    EVENTUALLY(arm.node[0].speed > 0);
    arm.node[1].emergency = 0x2310;
    expect_lost(id, ROBO_WHY_DEVICE);
    expect_well_again();
    close_robot();
}

static void test_lost_frames(void **state)
{
    (void)state;
    struct robo_answer_bus report;
    open_robot(ROBO_ORDER_OPTIMAL, ROBO_HOLD);
    arm.refuse = 3; /* fewer than it takes for the line to be lost */
    give(run(1, SLOW));
    EVENTUALLY(arm.node[0].speed == SLOW);
    EVENTUALLY(robo__bus_report(robot, &report) == 0 && report.lost == 3);
    assert_false(in_panic());
    uint32_t id = give(go_slowly(2));
    EVENTUALLY(arm.node[1].speed > 0);
    arm.refuse = INT_MAX; /* nobody takes anything any more: the adapter's bus is off */
    EVENTUALLY(answered(id));
    assert_int_equal(word.signal, ROBO_ERROR);
    EVENTUALLY(in_panic());
    assert_true(arm.node[1].speed > 0); /* it runs on, until the adapter takes the halt */
    arm.refuse = 0;
    EVENTUALLY(arm.node[1].speed == 0);
    expect_well_again();
    close_robot();
}

static void test_an_adapter_that_is_unplugged(void **state)
{
    (void)state;
    open_robot(ROBO_ORDER_OPTIMAL, ROBO_HOLD);
    uint32_t id = give(go_slowly(1));
    EVENTUALLY(arm.node[0].speed > 0);
    unplug();
    EVENTUALLY(answered(id));
    assert_int_equal(word.signal, ROBO_ERROR);
    assert_int_equal(word.reason, ROBO_WHY_LINK);
    EVENTUALLY(in_panic());
    robo_reset(robot);
    id = give(go(1, 0.5)); /* it is still gone */
    EVENTUALLY(answered(id));
    assert_int_equal(word.signal, ROBO_ERROR);
    assert_int_equal(word.reason, ROBO_WHY_LINK);
    /* plugged in again: its drives have lost their power meanwhile */
    for (int i = 0; i < NODES; i++)
        arm.node[i].status = 0x0240;
    plug_in();
    expect_well_again();
    assert_true(was_said_twice("C\rS6\rO\r"));
    close_robot();
}

static size_t count_heard(void)
{
    pthread_mutex_lock(&arm.lock);
    size_t count = arm.count;
    pthread_mutex_unlock(&arm.lock);
    return count;
}

static void test_nothing_but_the_halt_until_the_reset(void **state)
{
    (void)state;
    open_robot(ROBO_ORDER_OPTIMAL, ROBO_LIMP);
    robo_panic(robot);
    EVENTUALLY(was_said("t2118000000000000")); /* the last of the halt */
    robo_reset(robot);
    /* a panic while drives are being woken, which takes one of them long */
    arm.node[1].mute = true;
    pthread_mutex_lock(&arm.lock);
    arm.count = 0;
    pthread_mutex_unlock(&arm.lock);
    give(run(1, 0.5));
    EVENTUALLY(arm.node[0].status == 0x0237);
    robo_panic(robot);
    EVENTUALLY(arm.node[0].status == 0x0240);
    EVENTUALLY(was_said("t2118000000000000"));
    size_t heard = count_heard();
    /* drives are asked again every 0.5 s as long as they are being woken */
    nanosleep(&(struct timespec){ .tv_nsec = 700000000 }, NULL);
    arm.node[1].mute = false;
    nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
    assert_int_equal(count_heard(), heard);
    assert_int_equal(arm.node[0].status, 0x0240);
    expect_well_again();
    close_robot();
}

static void forget_what_was_heard(void)
{
    pthread_mutex_lock(&arm.lock);
    arm.count = 0;
    pthread_mutex_unlock(&arm.lock);
}

/* Describes the robot anew, as it is; what it returns. */
static void *reload(void *error)
{
    struct robo_description d;
    describe(&d, ROBO_ORDER_OPTIMAL, ROBO_LIMP);
    *(atomic_int *)error = robo_reload(robot, &d, NULL);
    return NULL;
}

static void test_drives_stay_limp_when_their_robot_is_described_anew_in_a_panic(void **state)
{
    (void)state;
    atomic_int error = 1; /* 1: not over */
    pthread_t thread;
    open_robot(ROBO_ORDER_OPTIMAL, ROBO_LIMP);
    robo_panic(robot);
    EVENTUALLY(arm.node[0].status == 0x0240 && was_said("t2118000000000000"));
    forget_what_was_heard();
    reload(&error);
    assert_int_equal(error, 0);
    EVENTUALLY(was_said("O\r"));
    EVENTUALLY(was_said("t2118000000000000"));
    assert_false(was_said("t601") || was_said("t0002") || was_said("t20120600"));
    assert_int_equal(arm.node[0].status, 0x0240);
    robo_reset(robot);
    expect_obeyed(go(2, 0.1));
    /* a panic while they are woken, one of them never */
    arm.node[1].mute = true;
    forget_what_was_heard();
    error = 1;
    assert_int_equal(pthread_create(&thread, NULL, reload, &error), 0);
    EVENTUALLY(was_said("t00020102") || error < 0);
    forget_what_was_heard();
    robo_panic(robot);
    pthread_join(thread, NULL);
    assert_int_equal(error, 0);
    EVENTUALLY(arm.node[0].status == 0x0240);
    arm.node[1].mute = false;
    robo_reset(robot);
    expect_obeyed(go(2, 0.2));
    close_robot();
}

static void *remove_it(void *arg)
{
    (void)arg;
    robo_remove(robot);
    return NULL;
}

static bool is_gone(void)
{
    robo_robot *still = robo_find(world, "arm");
    robo_release(still);
    return !still;
}

static void test_a_line_takes_the_halt_before_it_is_closed(void **state)
{
    (void)state;
    pthread_t thread;
    open_robot(ROBO_ORDER_OPTIMAL, ROBO_HOLD);
    give(run(1, 0.5));
    EVENTUALLY(arm.node[0].speed == 0.5);
    /* the adapter takes nothing more when the robot goes, and then again */
    pthread_mutex_lock(&ear);
    arm.deaf = true;
    int flags = fcntl(arm.keep, F_GETFL);
    assert_int_equal(fcntl(arm.keep, F_SETFL, flags | O_NONBLOCK), 0);
    while (write(arm.keep, "\r", 1) == 1)
        ;
    assert_int_equal(pthread_create(&thread, NULL, remove_it, NULL), 0);
    EVENTUALLY(is_gone());
    arm.deaf = false;
    EVENTUALLY(untaken() == 0);
    pthread_mutex_unlock(&ear);
    pthread_join(thread, NULL);
    EVENTUALLY(arm.node[0].speed == 0);
    close_robot();
}

static void test_a_halt_that_the_adapter_refuses_is_sent_again(void **state)
{
    (void)state;
    open_robot(ROBO_ORDER_OPTIMAL, ROBO_HOLD);
    give(run(1, 0.5));
    EVENTUALLY(arm.node[0].speed == 0.5);
    arm.refuse = 20; /* more than it takes for a drive to be given up */
    robo_panic(robot);
    EVENTUALLY(arm.node[0].speed == 0);
    arm.refuse = 0;
    expect_well_again();
    close_robot();
}

static void test_drives_that_ran_on_are_halted_when_the_adapter_is_back(void **state)
{
    (void)state;
    open_robot(ROBO_ORDER_OPTIMAL, ROBO_HOLD);
    give(run(1, 0.5));
    EVENTUALLY(arm.node[0].speed == 0.5);
    unplug();
    EVENTUALLY(in_panic());
    assert_true(arm.node[0].speed == 0.5);
    plug_in();
    EVENTUALLY(arm.node[0].speed == 0);
    expect_well_again();
    close_robot();
}

static void test_drives_that_do_not_answer_at_open(void **state)
{
    (void)state;
    struct robo_description d;
    memset(arm.node, 0, sizeof arm.node);
    arm.count = 0;
    plug_in();
    for (int i = 0; i < NODES; i++)
        arm.node[i].mute = true;
    describe(&d, ROBO_ORDER_OPTIMAL, ROBO_HOLD);
    char *patience = strstr(d.device[0].options, "patience=600");
    assert_non_null(patience);
    memcpy(patience, "patience=0.1", strlen("patience=0.1")); /* the longest wait of all */
    world = robo_open(NULL);
    assert_non_null(world);
    assert_int_equal(robo__drivers_add(world), 0);
    assert_int_equal(robo_add(world, &d, &robot), ROBO_EDEVICE);
    strcpy(d.device[0].options, "port=/dev/no_such_tty,joint1=velocity node=1 scale=1");
    assert_int_equal(robo_add(world, &d, &robot), ROBO_EINVAL);
    robo_close(world);
    unplug();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_of_frames),
        cmocka_unit_test(test_lines_that_are_none),
        cmocka_unit_test(test_set_points_and_speeds),
        cmocka_unit_test(test_layouts_that_are_none),
        cmocka_unit_test(test_feedback),
        cmocka_unit_test(test_state_machine),
        cmocka_unit_test(test_interface),
        cmocka_unit_test(test_a_halt_overtakes_what_waits),
        cmocka_unit_test(test_a_halt_is_sent_when_an_interface_has_room),
        cmocka_unit_test(test_a_program_that_dies_halts),
        cmocka_unit_test(test_drives_are_woken_and_moved),
        cmocka_unit_test(test_limp_arms_are_woken_after_the_reset),
        cmocka_unit_test(test_what_drives_told_before_they_were_let_go),
        cmocka_unit_test(test_broadcasts),
        cmocka_unit_test(test_a_drive_that_falls_silent),
        cmocka_unit_test(test_a_drive_with_a_fault),
        cmocka_unit_test(test_lost_frames),
        cmocka_unit_test(test_an_adapter_that_is_unplugged),
        cmocka_unit_test(test_nothing_but_the_halt_until_the_reset),
        cmocka_unit_test(test_drives_stay_limp_when_their_robot_is_described_anew_in_a_panic),
        cmocka_unit_test(test_a_line_takes_the_halt_before_it_is_closed),
        cmocka_unit_test(test_a_halt_that_the_adapter_refuses_is_sent_again),
        cmocka_unit_test(test_drives_that_ran_on_are_halted_when_the_adapter_is_back),
        cmocka_unit_test(test_drives_that_do_not_answer_at_open),
    };
    pthread_mutex_init(&arm.lock, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
