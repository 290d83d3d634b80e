/* Events of evdev become the state of axes and buttons, which changes with complete reports (SYN_REPORT) alone. When the
 * kernel has lost events (SYN_DROPPED), the device is asked for its whole state. */
#include <errno.h>
#include <linux/input.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "input/device.h"

enum {
    EVENTS = 64,
    READS = 16 /* of a call, so that a device that never stops cannot hold it up */
};

_Static_assert(ROBO_INPUT_AXES == ABS_CNT && ROBO_INPUT_BUTTONS == KEY_CNT,
               "codes of <linux/input.h>");

struct robo__input_device {
    const struct robo__input_calls *calls;
    void *self;
    struct robo_input_state state;
    struct input_absinfo range[ABS_CNT];
    bool one_sided[ABS_CNT]; /* at rest at its minimum, as triggers are */
    /* of the report whose events are being read */
    int32_t value[ABS_CNT];
    uint8_t button[KEY_CNT / 8];
    bool lost; /* events, until the next report */
    bool gone;
    struct input_event event[EVENTS];
    size_t at, count;
};

static bool has(const uint8_t *bits, unsigned n)
{
    return bits[n / 8] >> n % 8 & 1;
}

static bool has_any(const uint8_t *bits, unsigned first, unsigned last)
{
    for (unsigned n = first; n <= last; n++)
        if (has(bits, n))
            return true;
    return false;
}

static int ask(struct robo__input_device *d, unsigned long request, void *answer)
{
    int result;
    do
        result = d->calls->ioctl(d->self, request, answer);
    while (result < 0 && errno == EINTR);
    return result;
}

static enum robo_input_kind kind_of(struct robo__input_device *d)
{
    uint8_t types[EV_CNT / 8] = { 0 }, properties[(INPUT_PROP_CNT + 7) / 8] = { 0 };
    const uint8_t *button = d->state.has_button;
    const bool *axis = d->state.has_axis;
    ask(d, EVIOCGBIT(0, sizeof types), types);
    ask(d, EVIOCGPROP(sizeof properties), properties);
    if (has(properties, INPUT_PROP_ACCELEROMETER))
        return ROBO_INPUT_OTHER;
    if (has(button, BTN_GAMEPAD))
        return ROBO_INPUT_GAMEPAD;
    /* sticks and rudder pedals, which may have no button; no mouse, no tablet, no touch screen */
    if (has_any(button, BTN_JOYSTICK, BTN_DEAD) ||
        (axis[ABS_X] && axis[ABS_Y] && !has_any(button, BTN_MOUSE, BTN_TASK) &&
         !has_any(button, BTN_DIGI, BTN_TOOL_QUADTAP)))
        return ROBO_INPUT_JOYSTICK;
    return has(types, EV_KEY) && !has(types, EV_REL) && !has(types, EV_ABS) ? ROBO_INPUT_KEYS
                                                                            : ROBO_INPUT_OTHER;
}

/* Codes for triggers, by the kernel's description of gamepads; where no other axes are a second stick, Z and RZ are. */
bool robo__input_one_sided(const bool axis[ABS_CNT], unsigned code)
{
    if (code == ABS_Z || code == ABS_RZ)
        return axis[ABS_RX] && axis[ABS_RY];
    return code == ABS_GAS || code == ABS_BRAKE || code == ABS_HAT2X || code == ABS_HAT2Y;
}

static double share_of(const struct input_absinfo *range, double value, bool one_sided)
{
    const double low = range->minimum, high = range->maximum;
    const double rest = one_sided ? low : (low + high) / 2;
    if (!(high > low) || fabs(value - rest) <= range->flat)
        return 0;
    const double share = (value - rest) / (high - rest);
    return fmax(one_sided ? 0 : -1, fmin(share, 1));
}

/* The report is complete. Whether a button has changed: 2; an axis: 1; nothing: 0. */
static int publish(struct robo__input_device *d)
{
    int changed = 0;
    for (unsigned i = 0; i < ABS_CNT; i++) {
        if (!d->state.has_axis[i])
            continue;
        const double share = share_of(&d->range[i], d->value[i], d->one_sided[i]);
        if (share != d->state.axis[i])
            changed = 1;
        d->state.axis[i] = share;
    }
    if (memcmp(d->state.button, d->button, sizeof d->button) != 0)
        changed = 2;
    memcpy(d->state.button, d->button, sizeof d->button);
    return changed;
}

/* The whole state, by asking for it. false: the device is gone. */
static bool ask_all(struct robo__input_device *d)
{
    uint8_t button[KEY_CNT / 8] = { 0 };
    if (ask(d, EVIOCGKEY(sizeof button), button) < 0)
        return false;
    for (size_t i = 0; i < sizeof button; i++)
        d->button[i] = button[i] & d->state.has_button[i];
    for (unsigned i = 0; i < ABS_CNT; i++) {
        if (!d->state.has_axis[i])
            continue;
        if (ask(d, EVIOCGABS(i), &d->range[i]) < 0)
            return false;
        d->value[i] = d->range[i].value;
    }
    return true;
}

/* The device is gone: whatever was held is not held any more. */
static int lose(struct robo__input_device *d)
{
    d->gone = true;
    memset(d->state.axis, 0, sizeof d->state.axis);
    memset(d->state.button, 0, sizeof d->state.button);
    return ROBO_EDEVICE;
}

static int fail(struct robo__input_device *d, const char *path, int *error, char why[256])
{
    const int number = errno;
    *error = number == ENOENT ? ROBO_ENONE : number == ENOMEM ? ROBO_ENOMEM : ROBO_EDEVICE;
    snprintf(why, 256, "%.180s: %s", path,
             number == EACCES ? "no permission; the group input has it: sudo adduser $USER input"
             : number == ENOTTY || number == EINVAL ? "no input device"
                                                    : strerror(number));
    robo__input_device_close(d);
    return *error;
}

struct robo__input_device *robo__input_device_open(const struct robo__input_calls *calls,
                                                   void *self, const char *path, int *error,
                                                   char why[256])
{
    struct robo__input_device *d = calloc(1, sizeof *d);
    char name[sizeof d->state.name] = "";
    uint8_t axes[ABS_CNT / 8] = { 0 };
    if (!d) {
        calls->close(self);
        *error = ROBO_ENOMEM;
        snprintf(why, 256, "out of memory");
        return NULL;
    }
    d->calls = calls;
    d->self = self;
    if (calls->open(self, path) < 0 || ask(d, EVIOCGNAME(sizeof name - 1), name) < 0)
        return fail(d, path, error, why), NULL;
    robo__text_copy(d->state.name, sizeof d->state.name, name, strlen(name));
    /* of a device without buttons, or without axes, these may fail */
    ask(d, EVIOCGBIT(EV_KEY, sizeof d->state.has_button), d->state.has_button);
    ask(d, EVIOCGBIT(EV_ABS, sizeof axes), axes);
    for (unsigned i = 0; i < ABS_CNT; i++)
        d->state.has_axis[i] = has(axes, i);
    for (unsigned i = 0; i < ABS_CNT; i++)
        d->one_sided[i] = robo__input_one_sided(d->state.has_axis, i);
    d->state.kind = kind_of(d);
    if (!ask_all(d))
        return fail(d, path, error, why), NULL;
    publish(d);
    return d;
}

/* Takes an event: -1: the device is gone; else as publish. */
static int take(struct robo__input_device *d, const struct input_event *e)
{
    if (e->type == EV_SYN && e->code == SYN_DROPPED) {
        d->lost = true;
    } else if (e->type == EV_SYN && e->code == SYN_REPORT) {
        if (d->lost && !ask_all(d))
            return -1;
        d->lost = false;
        return publish(d);
    } else if (e->type == EV_ABS && e->code < ABS_CNT) {
        d->value[e->code] = e->value;
    } else if (e->type == EV_KEY && e->code < KEY_CNT && has(d->state.has_button, e->code)) {
        const uint8_t bit = (uint8_t)(1 << e->code % 8);
        d->button[e->code / 8] =
            (uint8_t)(e->value ? d->button[e->code / 8] | bit : d->button[e->code / 8] & ~bit);
    }
    return 0;
}

int robo__input_device_read(struct robo__input_device *d)
{
    int changed = 0;
    for (int reads = 0; !d->gone;) {
        if (d->at == d->count) {
            if (reads++ == READS)
                return changed;
            const ptrdiff_t n = d->calls->read(d->self, d->event, sizeof d->event);
            if (n < 0 && errno == EINTR)
                continue;
            if (n < 0 && errno == EAGAIN)
                return changed;
            if (n < (ptrdiff_t)sizeof d->event[0])
                break;
            d->at = 0;
            d->count = (size_t)n / sizeof d->event[0];
        }
        const int news = take(d, &d->event[d->at++]);
        if (news < 0)
            break;
        if (news == 2)
            return 1;
        changed |= news;
    }
    return lose(d);
}

const struct robo_input_state *robo__input_device_state(const struct robo__input_device *d)
{
    return &d->state;
}

void robo__input_device_close(struct robo__input_device *d)
{
    if (!d)
        return;
    d->calls->close(d->self);
    free(d);
}
