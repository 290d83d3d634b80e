/* Events of evdev become the state of axes and buttons, which changes with complete reports (SYN_REPORT) alone. When the
 * kernel has lost events (SYN_DROPPED), the device is asked for its whole state. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "input/calls.h"

enum {
    EVENTS = 64,
    READS = 16 /* of a call, so that a device that never stops cannot hold it up */
};

_Static_assert(ROBO_INPUT_AXES == ABS_CNT && ROBO_INPUT_BUTTONS == KEY_CNT, "codes of Linux");

struct robo_input {
    const struct robo__input_calls *calls;
    void *self;
    int fd;
    struct robo_input_state state;
    /* as of the newest event; the state follows with the report */
    struct input_absinfo axis[ABS_CNT];
    uint8_t button[KEY_CNT / 8];
    bool lost, gone; /* events were lost, until the next report; the device is */
    struct input_event event[EVENTS];
    size_t at, count;
};

static bool has(const uint8_t *bits, unsigned n)
{
    return bits[n / 8] >> n % 8 & 1;
}

static bool has_any(const uint8_t *bits, unsigned first, unsigned last)
{
    while (first <= last && !has(bits, first))
        first++;
    return first <= last;
}

static int ask(robo_input *in, unsigned long request, void *answer)
{
    int result;
    do
        result = in->calls->ioctl(in->self, in->fd, request, answer);
    while (result < 0 && errno == EINTR);
    return result;
}

static enum robo_input_kind kind_of(robo_input *in)
{
    uint8_t types[EV_CNT / 8] = { 0 }, properties[(INPUT_PROP_CNT + 7) / 8] = { 0 };
    const uint8_t *button = in->state.has_button, *axis = in->state.has_axis;
    ask(in, EVIOCGBIT(0, sizeof types), types);
    ask(in, EVIOCGPROP(sizeof properties), properties);
    if (has(properties, INPUT_PROP_ACCELEROMETER))
        return ROBO_INPUT_OTHER;
    if (has(button, BTN_GAMEPAD))
        return ROBO_INPUT_GAMEPAD;
    /* sticks and rudder pedals, which may have no button; no mouse, no tablet, no touch screen */
    if (has_any(button, BTN_JOYSTICK, BTN_DEAD) ||
        (has(axis, ABS_X) && has(axis, ABS_Y) && !has_any(button, BTN_MOUSE, BTN_TASK) &&
         !has_any(button, BTN_DIGI, BTN_TOOL_QUADTAP)))
        return ROBO_INPUT_JOYSTICK;
    return has(types, EV_KEY) && !has(types, EV_REL) && !has(types, EV_ABS) ? ROBO_INPUT_KEYS
                                                                            : ROBO_INPUT_OTHER;
}

/* Codes of triggers, by the kernel's description of gamepads. Without axes RX and RY the axes Z and RZ are the second stick. */
bool robo__input_one_sided(const uint8_t has_axis[ABS_CNT / 8], unsigned code)
{
    if (code == ABS_Z || code == ABS_RZ)
        return has(has_axis, ABS_RX) && has(has_axis, ABS_RY);
    return code == ABS_GAS || code == ABS_BRAKE || code == ABS_HAT2X || code == ABS_HAT2Y;
}

static double share_of(const struct input_absinfo *axis, bool one_sided)
{
    const double low = axis->minimum, high = axis->maximum;
    const double rest = one_sided ? low : (low + high) / 2, off = axis->value - rest;
    if (!(high > low) || fabs(off) <= axis->flat)
        return 0;
    return fmax(one_sided ? 0 : -1, fmin(off / (high - rest), 1));
}

/* The report is complete. Whether a button has changed: 2; an axis: 1; nothing: 0. */
static int publish(robo_input *in)
{
    struct robo_input_state *s = &in->state;
    int changed = 0;
    for (unsigned i = 0; i < ABS_CNT; i++) {
        const double share =
            has(s->has_axis, i) ? share_of(&in->axis[i], robo__input_one_sided(s->has_axis, i)) : 0;
        if (share != s->axis[i])
            changed = 1;
        s->axis[i] = share;
    }
    for (size_t i = 0; i < sizeof s->button; i++) {
        const uint8_t button = in->button[i] & s->has_button[i];
        if (button != s->button[i])
            changed = 2;
        s->button[i] = button;
    }
    return changed;
}

/* The whole state, by asking for it. false: the device is gone. */
static bool ask_all(robo_input *in)
{
    for (unsigned i = 0; i < ABS_CNT; i++)
        if (has(in->state.has_axis, i) && ask(in, EVIOCGABS(i), &in->axis[i]) < 0)
            return false;
    return ask(in, EVIOCGKEY(sizeof in->button), in->button) >= 0;
}

static robo_input *fail(robo_input *in, const char *path, int *error, char why[256])
{
    const int number = errno;
    *error = number == ENOENT ? ROBO_ENONE : number == ENOMEM ? ROBO_ENOMEM : ROBO_EDEVICE;
    snprintf(why, 256, "%.180s: %s", path,
             number == EACCES
                 ? "no permission; the group input has it: sudo usermod -aG input \"$USER\""
             : number == ENOTTY || number == EINVAL ? "no input device"
                                                    : strerror(number));
    robo_input_close(in);
    return NULL;
}

robo_input *robo__input_open(const struct robo__input_calls *calls, void *self, const char *path,
                             int *error, char why[256])
{
    char name[80] = "";
    robo_input *in = calloc(1, sizeof *in);
    if (!in) {
        calls->close(self, -1);
        *error = ROBO_ENOMEM;
        snprintf(why, 256, "out of memory");
        return NULL;
    }
    in->calls = calls;
    in->self = self;
    in->fd = calls->open(self, path);
    if (in->fd < 0 || ask(in, EVIOCGNAME(sizeof name - 1), name) < 0)
        return fail(in, path, error, why);
    robo__text_copy(in->state.name, sizeof in->state.name, name, strlen(name));
    /* of a device without buttons, or without axes, these may fail */
    ask(in, EVIOCGBIT(EV_KEY, sizeof in->state.has_button), in->state.has_button);
    ask(in, EVIOCGBIT(EV_ABS, sizeof in->state.has_axis), in->state.has_axis);
    in->state.kind = kind_of(in);
    if (!ask_all(in))
        return fail(in, path, error, why);
    publish(in);
    return in;
}

void robo__input_change(struct input_absinfo axis[ABS_CNT], uint8_t button[KEY_CNT / 8],
                        const struct input_event *e)
{
    const uint8_t bit = (uint8_t)(1 << e->code % 8);
    if (e->type == EV_ABS && e->code < ABS_CNT) {
        axis[e->code].value = e->value;
    } else if (e->type == EV_KEY && e->code < KEY_CNT) {
        button[e->code / 8] &= (uint8_t)~bit;
        button[e->code / 8] |= e->value ? bit : 0; /* 2 is a repeat */
    }
}

/* Takes an event: -1: the device is gone; else as publish. */
static int take(robo_input *in, const struct input_event *e)
{
    robo__input_change(in->axis, in->button, e);
    if (e->type == EV_SYN && e->code == SYN_DROPPED)
        in->lost = true;
    if (e->type != EV_SYN || e->code != SYN_REPORT)
        return 0;
    if (in->lost && !ask_all(in))
        return -1;
    in->lost = false;
    return publish(in);
}

int robo_input_read(robo_input *in, robo_time now)
{
    int changed = 0;
    for (int reads = 0; !in->gone;) {
        if (in->at == in->count) {
            if (reads++ == READS)
                return changed;
            const ptrdiff_t n = in->calls->read(in->self, in->fd, in->event, sizeof in->event, now);
            if (n < 0 && errno == EINTR)
                continue;
            if (n < 0 && errno == EAGAIN)
                return changed;
            if (n < (ptrdiff_t)sizeof in->event[0])
                break;
            in->at = 0;
            in->count = (size_t)n / sizeof in->event[0];
        }
        const int news = take(in, &in->event[in->at++]);
        if (news < 0)
            break;
        if (news == 2)
            return 1;
        changed |= news;
    }
    in->gone = true;
    memset(in->state.axis, 0, sizeof in->state.axis);
    memset(in->state.button, 0, sizeof in->state.button);
    return ROBO_EDEVICE;
}

const struct robo_input_state *robo_input_state(const robo_input *in)
{
    return &in->state;
}

int robo_input_fd(const robo_input *in)
{
    return in->calls->due ? -1 : in->fd;
}

robo_time robo_input_due(const robo_input *in)
{
    return in->calls->due ? in->calls->due(in->self) : ROBO_NEVER;
}

void robo_input_close(robo_input *in)
{
    if (!in)
        return;
    in->calls->close(in->self, in->fd);
    free(in);
}
