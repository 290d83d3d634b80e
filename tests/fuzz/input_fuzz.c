/* Input devices: a text as a recording, or any answers of ioctls and any bytes of events. The first byte chooses. */
#include <errno.h>
#include <linux/input.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "input/recording.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Axes are in their range, buttons are those that there are, the name is text. gone: all is at rest. */
static void look(const struct robo_input_state *s, bool gone)
{
    for (unsigned i = 0; i < ROBO_INPUT_AXES; i++) {
        if (!(s->axis[i] >= (robo__input_one_sided(s->has_axis, i) ? 0 : -1) && s->axis[i] <= 1))
            abort();
        if (s->axis[i] != 0 && (gone || !(s->has_axis[i / 8] >> i % 8 & 1)))
            abort();
    }
    for (size_t i = 0; i < sizeof s->button; i++)
        if (s->button[i] & ~(gone ? 0 : s->has_button[i]))
            abort();
    for (size_t i = 0, n; i < strlen(s->name); i += n)
        if ((n = robo__text_character(s->name + i, strlen(s->name + i))) == 0)
            abort();
}

static void recorded(const uint8_t *data, size_t size)
{
    char why[256] = "", *text = malloc(size + 1);
    int error = 0, news;
    robo_time now = 0;
    memcpy(text, data, size);
    text[size] = 0;
    struct robo__input_recording *r = robo__input_recording_open(text, size, now, &error, why);
    if (!r) {
        if (error != ROBO_EBODY || !why[0])
            abort();
        return;
    }
    robo_input *in = robo__input_open(&robo__input_recording_calls, r, "recording", &error, why);
    if (!in)
        abort();
    /* each look takes a line at least, or a report of those that are waiting */
    for (size_t looks = 0; (news = robo_input_read(in, now)) >= 0; looks++) {
        look(robo_input_state(in), false);
        if (looks > 2 * size)
            abort();
        if (news == 0)
            now = robo_input_due(in);
    }
    look(robo_input_state(in), true);
    robo_input_close(in);
}

struct bytes {
    const uint8_t *at;
    size_t left;
};

static size_t take(struct bytes *b, void *to, size_t most)
{
    const size_t n = b->left < most ? b->left : most;
    memcpy(to, b->at, n);
    b->at += n;
    b->left -= n;
    return n;
}

static int open_bytes(void *self, const char *path)
{
    (void)self, (void)path;
    return 0;
}

static int fails(uint8_t what)
{
    static const int numbers[] = { EAGAIN, EINTR, ENODEV, EIO };
    errno = numbers[what % 4];
    return -1;
}

static int answer(void *self, int fd, unsigned long request, void *out)
{
    (void)fd;
    uint8_t what = 2;
    take(self, &what, 1);
    if (what >= 252)
        return fails(what);
    const size_t size = _IOC_SIZE(request);
    return (int)take(self, out, what % 2 && what % 16 < size ? what % 16 : size);
}

static ptrdiff_t read_bytes(void *self, int fd, void *out, size_t size, robo_time now)
{
    (void)fd, (void)now;
    uint8_t what = 2;
    struct bytes *b = self;
    if (b->left == 0 || !take(b, &what, 1) || what >= 224)
        return fails(what);
    if (what >= 192) { /* events that look well */
        struct input_event event[2] = { { .type = what % 4, .code = 0 },
                                        { .type = EV_SYN,
                                          .code = what & 4 ? SYN_DROPPED : SYN_REPORT } };
        uint8_t values[3] = { 0 };
        take(b, values, 3);
        event[0].code = (uint16_t)(values[0] | (values[1] & 3) << 8);
        event[0].value = (int8_t)values[2];
        memcpy(out, event, sizeof event);
        return sizeof event;
    }
    return (ptrdiff_t)take(b, out, size < what ? size : what);
}

static void close_bytes(void *self, int fd)
{
    (void)self, (void)fd;
}

static void any(const uint8_t *data, size_t size)
{
    static const struct robo__input_calls calls = { open_bytes, answer, read_bytes, close_bytes,
                                                    NULL };
    struct bytes b = { data, size };
    char why[256] = "";
    int error = 0, news;
    robo_input *d = robo__input_open(&calls, &b, "bytes", &error, why);
    if (!d) {
        if (error >= 0 || !why[0])
            abort();
        return;
    }
    look(robo_input_state(d), false);
    while ((news = robo_input_read(d, 0)) >= 0) {
        look(robo_input_state(d), false);
        if (b.left == 0 && news == 0)
            break;
    }
    if (news < 0 && news != ROBO_EDEVICE)
        abort();
    if (news < 0 && robo_input_read(d, 0) != ROBO_EDEVICE)
        abort();
    look(robo_input_state(d), news < 0);
    robo_input_close(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 0)
        (data[0] & 1 ? any : recorded)(data + 1, size - 1);
    return 0;
}
