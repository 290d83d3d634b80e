/* Input devices by recordings, and by calls that fail: what the state is after events, lost events and a loss of the device. */
#include <errno.h>
#include <linux/input.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../test.h"
#include "input/recording.h"

static int error;
static char why[256];

/* One stick, of which the kernel says that 3000 about the middle is the middle; two triggers, two buttons. */
#define PAD                                                                     \
    "# EVEMU 1.3\nN: A\x1b[31m pad\nI: 0003 045e 028e 0114\n"                   \
    "P: 00 00 00 00 00 00 00 00\nB: 00 0b 00 00 00 00 00 00 00\n"               \
    "B: 01 00 00 00 00 00 00 00 00\nB: 01 00 00 00 00 00 00 00 00\n"            \
    "B: 01 00 00 00 00 00 00 00 00\nB: 01 00 00 00 00 00 00 00 00\n"            \
    "B: 01 00 00 00 00 00 00 03 00\nB: 03 3f 00 00 00 00 00 00 00\n"            \
    "A: 00 -32768 32767 16 3000\nA: 01 -32768 32767 16 3000\nA: 02 0 255 0 0\n" \
    "A: 03 0 255 0 0 0\nA: 04 0 255 0 0\nA: 05 0 255 0 0\n"

static struct robo__input_recording *recording;
static robo_time now;

static robo_input *device_of(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    assert_non_null(copy);
    strcpy(copy, text);
    recording = robo__input_recording_open(copy, strlen(text), now = 0, &error, why);
    return recording
               ? robo__input_open(&robo__input_recording_calls, recording, "test", &error, why)
               : NULL;
}

static bool is_held(const robo_input *d, unsigned code)
{
    return robo_input_state(d)->button[code / 8] >> code % 8 & 1;
}

static double axis(const robo_input *d, unsigned code)
{
    return robo_input_state(d)->axis[code];
}

TEST(a_state_changes_with_complete_reports)
{
    robo_input *d =
        device_of(PAD "E: 0.5 0003 0000 32767\nE: 1.0 0003 0002 255\nE: 1.0 0000 0000 0\n"
                      "E: 2 0003 0000 -2999\nE: 2 0000 0000 0\nE: 3 0003 0000 1 # none\n");
    assert_non_null(d);
    assert_string_equal(robo_input_state(d)->name, "A?[31m pad");
    assert_int_equal(robo_input_state(d)->kind, ROBO_INPUT_GAMEPAD);
    assert_int_equal(robo_input_read(d, now), 0);
    assert_int_equal(robo_input_due(d), 500000000);
    now = 999999999;
    assert_int_equal(robo_input_read(d, now), 0);
    assert_true(axis(d, ABS_X) == 0);
    now = 1000000000;
    assert_int_equal(robo_input_read(d, now), 1);
    assert_true(axis(d, ABS_X) == 1 && axis(d, ABS_Z) == 1 && axis(d, ABS_RX) < 0.01);
    now = 2000000000;
    assert_int_equal(robo_input_read(d, now), 1);
    assert_true(axis(d, ABS_X) == 0); /* as flat as the kernel says */
    now = 3000000000;
    assert_int_equal(robo_input_read(d, now), ROBO_EDEVICE);
    assert_true(axis(d, ABS_Z) == 0);
    assert_int_equal(robo_input_read(d, now), ROBO_EDEVICE);
    robo_input_close(d);
}

TEST(no_press_is_missed)
{
    robo_input *d =
        device_of(PAD "E: 0 0001 0130 1\nE: 0 0000 0000 0\nE: 0 0001 0130 2\nE: 0 0000 0000 0\n"
                      "E: 0 0001 0130 0\nE: 0 0000 0000 0\nE: 0 0001 0132 1\nE: 0 0000 0000 0\n"
                      "E: 1 0000 0000 0");
    assert_non_null(d);
    assert_int_equal(robo_input_read(d, now), 1);
    assert_true(is_held(d, BTN_SOUTH));
    assert_int_equal(robo_input_read(d, now), 1);
    assert_false(is_held(d, BTN_SOUTH));
    assert_int_equal(robo_input_read(d, now), 0); /* a repeat, and a button that it does not have */
    robo_input_close(d);
}

TEST(what_is_held_at_the_begin_is_asked_for)
{
    robo_input *d = device_of(PAD "V: 0 0001 0131 1\nV: 0 0003 0001 -32768\nE: 1 0000 0000 0\n");
    assert_non_null(d);
    assert_true(is_held(d, BTN_EAST) && axis(d, ABS_Y) == -1);
    robo_input_close(d);
}

TEST(after_lost_events_the_device_is_asked_for_all)
{
    robo_input *d =
        device_of(PAD "E: 0 0001 0130 1\nE: 0 0003 0000 32767\nE: 0 0000 0000 0\n"
                      "V: 1 0001 0130 0\nV: 1 0003 0000 0\nE: 1 0000 0003 0\nE: 1 0003 0001 32767\n"
                      "E: 2 0001 0131 1\nE: 2 0000 0000 0\nE: 3 0000 0000 0\n");
    assert_non_null(d);
    assert_int_equal(robo_input_read(d, now), 1);
    assert_true(is_held(d, BTN_SOUTH) && axis(d, ABS_X) == 1);
    now = 1000000000;
    assert_int_equal(robo_input_read(d, now), 0); /* not before the report is complete */
    assert_true(is_held(d, BTN_SOUTH));
    now = 2000000000;
    assert_int_equal(robo_input_read(d, now), 1);
    assert_true(!is_held(d, BTN_SOUTH) && is_held(d, BTN_EAST) && axis(d, ABS_X) == 0 &&
                axis(d, ABS_Y) == 1);
    robo_input_close(d);
}

/* Of many events, some of them lost, the last complete report leaves what the device has. */
TEST(whatever_is_lost_the_state_is_right_in_the_end)
{
    static char text[65536];
    unsigned seed = 7;
    for (int run = 0; run < 50; run++) {
        int value[2] = { 0 }, held = 0;
        bool lost = false;
        size_t n = (size_t)snprintf(text, sizeof text, "%s", PAD);
        for (int i = 0; i < 200; i++) {
            seed = seed * 1103515245 + 12345;
            const unsigned what = seed >> 16 & 7, x = seed >> 20 & 0xff;
            const char line = lost ? 'V' : 'E';
            if (what < 4) {
                value[what % 2] = (int)x * 256 - 32640;
                n += (size_t)snprintf(text + n, sizeof text - n, "%c: %d 0003 %04x %d\n", line, i,
                                      what % 2, value[what % 2]);
            } else if (what < 6) {
                held = x & 1;
                n += (size_t)snprintf(text + n, sizeof text - n, "%c: %d 0001 0130 %d\n", line, i,
                                      held);
            } else if (what == 6 && !lost) {
                n += (size_t)snprintf(text + n, sizeof text - n, "E: %d 0000 0003 0\n", i);
                lost = true;
            } else if (what == 7) {
                n += (size_t)snprintf(text + n, sizeof text - n, "E: %d 0000 0000 0\n", i);
                lost = false;
            }
        }
        snprintf(text + n, sizeof text - n, "E: 200 0000 0000 0\nE: 300 0000 0000 0\n");
        robo_input *d = device_of(text);
        assert_non_null(d);
        now = 200000000000;
        int news;
        while ((news = robo_input_read(d, now)) > 0)
            continue;
        assert_int_equal(news, 0);
        assert_int_equal(is_held(d, BTN_SOUTH), held);
        for (unsigned i = 0; i < 2; i++) {
            const double want = abs(value[i]) <= 3000 ? 0 : (value[i] + 0.5) / 32767.5;
            assert_true(axis(d, i) > want - 1e-9 && axis(d, i) < want + 1e-9);
        }
        robo_input_close(d);
    }
}

TEST(a_bad_recording_is_explained)
{
    static const char *const bad[][2] = {
        { "", "line 0: expected a recording of evemu-record, with a line N: NAME" },
        { "robots\n", "line 1: expected a recording" },
        { "N: x\nB: 01 00\n", "line 2: B: expected a type and 8 bytes" },
        { "N: x\nP: 00\n", "line 2: P: expected 8 bytes" },
        { "N: x\nA: 40 0 1 0 0\n", "line 2: A: expected" },
        { "N: x\nE: x 0003 0000 1\n", "line 2: E, V: expected" },
        { "N: x\nE: -1 0003 0000 1\n", "line 2: E, V: expected" },
        { "N: x\n\nE: 1 0003 0000\n", "line 3: E, V: expected" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_null(device_of(bad[i][0]));
        assert_int_equal(error, ROBO_EBODY);
        assert_non_null(strstr(why, bad[i][1]));
    }
}

/* ---- calls that fail ---- */

static int calls_left, closed;

static int fails_later(int number)
{
    errno = number;
    return -1;
}

static int open_failing(void *self, const char *path)
{
    return calls_left-- > 0 ? robo__input_recording_calls.open(self, path) : fails_later(EACCES);
}

static int answer_failing(void *self, int fd, unsigned long request, void *answer)
{
    if (calls_left-- <= 0)
        return fails_later(calls_left % 2 ? ENODEV : EINTR);
    return robo__input_recording_calls.ioctl(self, fd, request, answer);
}

static ptrdiff_t read_failing(void *self, int fd, void *to, size_t size, robo_time at)
{
    return calls_left-- > 0 ? robo__input_recording_calls.read(self, fd, to, size, at)
                            : fails_later(ENODEV);
}

static void close_failing(void *self, int fd)
{
    closed++;
    robo__input_recording_calls.close(self, fd);
}

/* The kernel forgets a device between any two calls. */
TEST(a_device_that_goes_at_any_call_is_gone)
{
    static const struct robo__input_calls calls = { open_failing, answer_failing, read_failing,
                                                    close_failing, NULL };
    static const char text[] =
        PAD "V: 0 0001 0130 1\nE: 0 0000 0003 0\nE: 0 0000 0000 0\nE: 9 0000 0000 0";
    int opened = 0;
    closed = 0;
    for (int n = 0; n < 40; n++) {
        char *copy = malloc(sizeof text);
        assert_non_null(copy);
        memcpy(copy, text, sizeof text);
        recording = robo__input_recording_open(copy, sizeof text - 1, now = 0, &error, why);
        assert_non_null(recording);
        calls_left = n;
        robo_input *d = robo__input_open(&calls, recording, "/dev/input/event9", &error, why);
        if (d) {
            opened++;
            assert_true(is_held(d, BTN_SOUTH));
            int news = robo_input_read(d, now);
            if (news == ROBO_EDEVICE)
                assert_false(is_held(d, BTN_SOUTH));
            robo_input_close(d);
        } else {
            assert_int_equal(error, ROBO_EDEVICE);
            assert_non_null(strstr(why, n == 0 ? "no permission; the group input" : "event9: "));
        }
        assert_int_equal(closed, n + 1);
    }
    assert_in_range(opened, 20, 35);
}

TEST(a_file_is_a_recording)
{
    char path[] = "/tmp/input_test_XXXXXX";
    const int fd = mkstemp(path);
    const char *text = PAD "E: 0.25 0001 0130 1\nE: 0.25 0000 0000 0\nE: 1 0000 0000 0\n";
    assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    robo_input *in = robo_input_open(path, 5000000000, &error, why);
    if (!in)
        remove(path);
    assert_non_null(in);
    assert_int_equal(robo_input_fd(in), -1);
    assert_int_equal(robo_input_read(in, 5000000000), 0);
    assert_int_equal(robo_input_due(in), 5250000000);
    assert_int_equal(robo_input_read(in, 5250000000), 1);
    assert_true(robo_input_state(in)->button[BTN_SOUTH / 8] & 1);
    assert_int_equal(robo_input_read(in, 5250000000), 0);
    assert_int_equal(robo_input_due(in), 6000000000);
    assert_int_equal(robo_input_read(in, 6000000000), ROBO_EDEVICE);
    robo_input_close(in);
    robo_input_close(NULL);
    assert_int_equal(truncate(path, 8), 0);
    in = robo_input_open(path, 0, &error, why);
    remove(path);
    assert_null(in);
    assert_int_equal(error, ROBO_EBODY);
    assert_non_null(strstr(why, "input_test_"));
}

TEST(what_is_no_device_is_refused)
{
    assert_null(robo_input_open("/nowhere/event0", 0, &error, why));
    assert_int_equal(error, ROBO_ENONE);
    assert_string_equal(why, "/nowhere/event0: No such file or directory");
    assert_null(robo_input_open("/dev/null", 0, &error, why));
    assert_int_equal(error, ROBO_EDEVICE);
    assert_string_equal(why, "/dev/null: no input device");
    assert_null(robo_input_open("/", 0, &error, why));
    assert_int_equal(error, ROBO_EDEVICE);
}

static enum robo_input_kind kind_of(const char *lines)
{
    char text[1024];
    snprintf(text, sizeof text, "N: x\n%s", lines);
    robo_input *d = device_of(text);
    assert_non_null(d);
    const enum robo_input_kind kind = robo_input_state(d)->kind;
    robo_input_close(d);
    return kind;
}

#define NO_KEYS            "B: 01 00 00 00 00 00 00 00 00\n"
#define KEYS_256_TO(bytes) /* of byte 32 on */ NO_KEYS NO_KEYS NO_KEYS NO_KEYS "B: 01 " bytes "\n"

TEST(devices_have_a_kind)
{
    /* a stick with a trigger; rudder pedals without buttons; a mouse; a touch screen; a gamepad's motion sensor; pedals that type */
    assert_int_equal(kind_of("B: 00 0b 00 00 00 00 00 00 00\n" KEYS_256_TO(
                         "00 00 00 00 01 00 00 00") "B: 03 03 00 00 00 00 00 00 00\n"),
                     ROBO_INPUT_JOYSTICK);
    assert_int_equal(kind_of("B: 00 09 00 00 00 00 00 00 00\nB: 03 23 00 00 00 00 00 00 00\n"),
                     ROBO_INPUT_JOYSTICK);
    assert_int_equal(
        kind_of("B: 00 07 00 00 00 00 00 00 00\n" KEYS_256_TO("00 00 07 00 00 00 00 00")),
        ROBO_INPUT_OTHER);
    assert_int_equal(
        kind_of("B: 00 0b 00 00 00 00 00 00 00\n" KEYS_256_TO(
            "00 00 00 00 00 00 00 00") "B: 01 00 04 00 00 00 00 00 00\nB: 03 03 00 00 00 00 00 00 00\n"),
        ROBO_INPUT_OTHER);
    assert_int_equal(
        kind_of(
            "P: 40 00 00 00 00 00 00 00\nB: 00 09 00 00 00 00 00 00 00\nB: 03 3f 00 00 00 00 00 00 00\n"),
        ROBO_INPUT_OTHER);
    assert_int_equal(kind_of("B: 00 03 00 00 00 00 00 00 00\nB: 01 00 00 00 40 00 00 01 00\n"),
                     ROBO_INPUT_KEYS);
    assert_int_equal(kind_of(""), ROBO_INPUT_OTHER);
}
