/* What a device hears of frames when its line is slow and a halt overtakes them. The line is a pseudo-terminal, which takes
 * parts of frames, or a pair of sockets, which tells how much it holds. */

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include "../test.h"
#include "outbox.h"
#include "robotalk.h"
#include "robotalk/emergency.h"

enum { FRAME = 700 };

static int line[2]; /* ours, and the device's */
static struct robo__outbox box;
static char heard[1 << 20];
static size_t heard_size;

static int open_terminal(void **state)
{
    struct termios raw;
    char path[64];
    heard_size = 0;
    line[1] = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (line[1] < 0 || grantpt(line[1]) < 0 || unlockpt(line[1]) < 0 ||
        ptsname_r(line[1], path, sizeof path) != 0)
        return -1;
    line[0] = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (line[0] < 0 || tcgetattr(line[0], &raw) < 0)
        return -1;
    cfmakeraw(&raw);
    robo__outbox_init(&box, line[0]);
    return tcsetattr(line[0], TCSANOW, &raw);
}

static int open_sockets(void **state)
{
    heard_size = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, line) < 0)
        return -1;
    robo__outbox_init(&box, line[0]);
    return 0;
}

static int tear_down(void **state)
{
    close(line[0]);
    close(line[1]);
    return 0;
}

/* A long frame: its letter, and ; at its end. */
static int put(char letter)
{
    char frame[FRAME];
    memset(frame, letter, sizeof frame);
    frame[FRAME - 1] = ';';
    return robo__outbox_put(&box, frame, sizeof frame, letter);
}

/* The device reads that much, or all that there is. */
static void device_reads(size_t most)
{
    for (ssize_t n; most > 0 && (n = read(line[1], heard + heard_size, most)) > 0;
         most -= (size_t)n)
        heard_size += (size_t)n;
}

/* Goes on where the terminal was stopped, and reads until nothing waits. */
static void device_reads_all(void)
{
    tcflow(line[0], TCOON);
    do
        device_reads(sizeof heard - heard_size);
    while (robo__outbox_flush(&box));
    device_reads(sizeof heard - heard_size);
}

/* Fills the line until it takes no more, with a frame half on its way; returns that frame's letter. What a terminal holds
 * the kernel moves on when it comes to it, and then it takes more: so it is stopped there, as by XOFF. */
static char fill_until_half_a_frame(void)
{
    char letter = 'a';
    put(letter);
    while (!box.begun && heard_size < sizeof heard) {
        if (box.frames > 0) {
            device_reads(1); /* the line took whole frames only: it shall take a part of the next */
            robo__outbox_flush(&box);
        } else {
            letter = letter == 'z' ? 'a' : (char)(letter + 1);
            put(letter);
        }
    }
    assert_true(box.begun);
    assert_int_equal(tcflow(line[0], TCOOFF), 0);
    return letter;
}

/* What was heard is frames, whole from the first to the last; returns how many. */
static size_t whole_frames(void)
{
    size_t frames = 0;
    for (size_t i = 0; i < heard_size; frames++) {
        if (heard_size - i >= 5 && memcmp(heard + i, "HALT;", 5) == 0) {
            i += 5;
            continue;
        }
        assert_true(heard_size - i >= FRAME);
        for (size_t k = 1; k < FRAME - 1; k++)
            assert_int_equal(heard[i + k], heard[i]);
        assert_int_equal(heard[i + FRAME - 1], ';');
        i += FRAME;
    }
    return frames;
}

FIXTURE(open_terminal, tear_down);

TEST(frames_go_out_in_order)
{
    assert_int_equal(robo__outbox_put(&box, "one;", 4, 0), 0);
    assert_int_equal(robo__outbox_put(&box, "two;", 4, 0), 0);
    device_reads_all();
    assert_int_equal(heard_size, 8);
    assert_memory_equal(heard, "one;two;", 8);
}

TEST(a_halt_goes_out_between_two_frames)
{
    char half = fill_until_half_a_frame();
    while (put('!') == 0)
        ;
    size_t waited = box.frames;
    assert_true(waited > 3);
    assert_int_equal(robo__outbox_overtake(&box, "HALT;", 5), waited - 1);
    assert_int_equal(box.frames, 2); /* it, behind the one that is half on its way */
    device_reads_all();
    whole_frames();
    assert_memory_equal(heard + heard_size - 5, "HALT;", 5);
    assert_int_equal(heard[heard_size - 5 - FRAME], half);
    assert_null(memchr(heard, '!', heard_size));
}

TEST(a_halt_overtakes_what_was_not_begun, open_sockets, tear_down)
{
    box.paced = true; /* as a terminal would be: the kernel holds one frame, the others wait */
    assert_int_equal(put('a'), 0);
    assert_int_equal(put('b'), 0);
    assert_int_equal(put('c'), 0);
    assert_int_equal(box.frames, 2);
    robo__outbox_overtake(&box, "HALT;", 5);
    assert_int_equal(box.frames, 0);
    device_reads_all();
    assert_int_equal(heard_size, FRAME + 5);
    assert_int_equal(heard[0], 'a');
    assert_memory_equal(heard + FRAME, "HALT;", 5);
}

TEST(frames_of_one_owner_are_forgotten)
{
    char half = fill_until_half_a_frame();
    for (const char *letter = "1221"; *letter; letter++)
        put(*letter);
    size_t frames = box.frames;
    assert_int_equal(robo__outbox_drop(&box, half), 0); /* it is half on its way */
    assert_int_equal(robo__outbox_drop(&box, '1'), 2);
    assert_int_equal(robo__outbox_drop(&box, '3'), 0);
    assert_int_equal(box.frames, frames - 2);
    put('3');
    device_reads_all();
    whole_frames();
    assert_null(memchr(heard, '1', heard_size));
    const char *last = heard + heard_size - 3 * FRAME;
    assert_true(last[-FRAME] == half && last[0] == '2' && last[FRAME] == '2' &&
                last[2 * FRAME] == '3');
}

TEST(a_paced_line_goes_on_when_the_kernel_is_empty, open_sockets, tear_down)
{
    box.paced = true;
    assert_int_equal(put('a'), 0);
    assert_int_equal(put('b'), 0);
    assert_true(robo__outbox_flush(&box)); /* not yet: the device has not read the first */
    device_reads(FRAME);
    assert_false(robo__outbox_flush(&box));
    device_reads_all();
    assert_int_equal(whole_frames(), 2);
}

TEST(what_is_too_much_is_refused_whole)
{
    fill_until_half_a_frame();
    size_t sent = heard_size;
    while (put('x') == 0)
        ;
    assert_int_equal(put('x'), ROBO_EFULL);
    device_reads_all();
    assert_true(heard_size > sent);
    whole_frames();
}

TEST(a_line_that_is_gone, open_sockets, tear_down)
{
    close(line[1]);
    line[1] = -1;
    assert_int_equal(put('a'), ROBO_EDEVICE);
    assert_int_equal(box.frames, 0);
}

/* Other devices have had their bytes by then, and nothing may come behind these. It lasts until the process ends: the last tests. */
TEST(in_an_emergency_nothing_else_is_written, open_sockets, tear_down)
{
    robo_emergency_write();
    assert_int_equal(put('a'), 0);
    assert_int_equal(robo__outbox_overtake(&box, "HALT;", 5), 1);
    assert_true(robo__outbox_flush(&box));
    device_reads(FRAME);
    assert_int_equal(heard_size, 0);
}

TEST(in_an_emergency_a_line_without_such_bytes_has_its_halt_between_two_frames)
{
    box.goes_on = true;
    const char half = fill_until_half_a_frame();
    while (put('!') == 0)
        ;
    robo_emergency_write();
    robo__outbox_overtake(&box, "HALT;", 5);
    device_reads_all();
    whole_frames();
    assert_memory_equal(heard + heard_size - 5, "HALT;", 5);
    assert_int_equal(heard[heard_size - 5 - FRAME], half);
}
