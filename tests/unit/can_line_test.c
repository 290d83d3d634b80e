/* The line of drives on a CAN bus: a SocketCAN interface, and what a line carries when it is halted or the program dies. A
 * pair of sockets stands in for both kinds of line. */

#include <linux/can.h>
#include <linux/can/error.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../test.h"
#include "can/line.h"

/* ---- a SocketCAN interface: a pair of sockets stands in for one, with the kernel's frames ---- */

TEST(interface)
{
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

TEST(a_halt_overtakes_what_waits)
{
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

TEST(a_halt_is_sent_when_an_interface_has_room)
{
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
        robo_emergency_write();
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

TEST(a_program_that_dies_halts)
{
    /* a line that was half sent is ended first; and all of it twice */
    expect_last_words(true, "\rt201100\rt2020\r\rt201100\rt2020\r");
    expect_last_words(false, "201 202 201 202 ");
}
