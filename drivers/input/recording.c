/* Recordings of input devices: their lines are checked once, and then taken as time goes on. */
#include <errno.h>
#include <linux/input.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "input/recording.h"

enum { TYPES = EV_ABS + 1, LINE = 256 /* of a longer one the begin */ };

struct robo__input_recording {
    char *text;
    const char *at, *end;
    robo_time now, due;
    char name[LINE];
    uint8_t bits[TYPES][KEY_CNT / 8], properties[(INPUT_PROP_CNT + 7) / 8], button[KEY_CNT / 8];
    struct input_absinfo axis[ABS_CNT];
};

/* Copies the line that begins there; where the next one begins. */
static const char *next_line(const char *at, const char *end, char line[LINE])
{
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    size_t n = (size_t)((stop ? stop : end) - at);
    n = n < LINE ? n : LINE - 1;
    memcpy(line, at, n);
    line[n] = 0;
    return stop ? stop + 1 : end;
}

static bool is(const char *line, const char *kinds)
{
    return line[0] && strchr(kinds, line[0]) && line[1] == ':';
}

/* SECONDS TYPE CODE VALUE, behind the kind of the line. */
static bool read_event(const char *line, robo_time *instant, struct input_event *event)
{
    double seconds;
    const char *text = line + 2 + strspn(line + 2, " ");
    const uint8_t *at = (const uint8_t *)text;
    unsigned type, code;
    int value;
    if (robo__number_double(&at, at + strcspn(text, " "), &seconds) != ROBO__NUMBER_OK ||
        !(seconds >= 0 && seconds < 4e9) ||
        sscanf((const char *)at, "%4x %4x %d", &type, &code, &value) != 3)
        return false;
    *instant = (robo_time)(seconds * 1e9);
    *event = (struct input_event){ .type = (uint16_t)type, .code = (uint16_t)code, .value = value };
    return true;
}

/* TYPE and bytes, or bytes alone: how many numbers there are. */
static int read_bytes(const char *line, unsigned byte[9])
{
    return sscanf(line + 2, "%2x %2x %2x %2x %2x %2x %2x %2x %2x", byte, byte + 1, byte + 2,
                  byte + 3, byte + 4, byte + 5, byte + 6, byte + 7, byte + 8);
}

static void add_bytes(uint8_t *to, size_t size, size_t *count, const unsigned byte[8])
{
    for (int i = 0; i < 8 && *count < size; i++)
        to[(*count)++] = (uint8_t)byte[i];
}

/* Takes what tells of the device, and checks the events. NULL: all lines are good; else what was expected in that line. */
static const char *check(struct robo__input_recording *r, int *number)
{
    size_t count[TYPES] = { 0 }, properties = 0;
    bool named = false;
    char line[LINE];
    *number = 0;
    for (const char *at = r->text; at < r->end;) {
        unsigned byte[9];
        struct input_absinfo a = { 0 };
        struct input_event event;
        robo_time instant;
        at = next_line(at, r->end, line);
        ++*number;
        if (is(line, "N")) {
            named = true;
            snprintf(r->name, sizeof r->name, "%s", line + 2 + strspn(line + 2, " "));
        } else if (is(line, "B")) {
            if (read_bytes(line, byte) != 9)
                return "B: expected a type and 8 bytes";
            if (byte[0] < TYPES)
                add_bytes(r->bits[byte[0]], sizeof r->bits[0], &count[byte[0]], byte + 1);
        } else if (is(line, "P")) {
            if (read_bytes(line, byte) != 8)
                return "P: expected 8 bytes";
            add_bytes(r->properties, sizeof r->properties, &properties, byte);
        } else if (is(line, "A")) {
            if (sscanf(line + 2, "%2x %d %d %d %d", byte, &a.minimum, &a.maximum, &a.fuzz,
                       &a.flat) != 5 ||
                byte[0] >= ABS_CNT)
                return "A: expected the code of an axis, its minimum, maximum, fuzz and flat";
            r->axis[byte[0]] = a;
        } else if (is(line, "EV") && !read_event(line, &instant, &event)) {
            return "E, V: expected seconds, type, code and value";
        }
    }
    return named ? NULL : "expected a recording of evemu-record, with a line N: NAME";
}

/* Until an event tells more, sticks are in the middle and triggers are released. */
static void release(struct robo__input_recording *r)
{
    bool has_axis[ABS_CNT];
    for (unsigned i = 0; i < ABS_CNT; i++)
        has_axis[i] = r->bits[EV_ABS][i / 8] >> i % 8 & 1;
    for (unsigned i = 0; i < ABS_CNT; i++) {
        struct input_absinfo *a = &r->axis[i];
        a->value = robo__input_one_sided(has_axis, i)
                       ? a->minimum
                       : (int32_t)(((int64_t)a->minimum + a->maximum) / 2);
    }
}

struct robo__input_recording *robo__input_recording_open(char *text, size_t size, int *error,
                                                         char why[160])
{
    struct robo__input_recording *r = calloc(1, sizeof *r);
    int line;
    if (!r) {
        *error = ROBO_ENOMEM;
        snprintf(why, 160, "out of memory");
        free(text);
        return NULL;
    }
    r->text = text;
    r->at = text;
    r->end = text + size;
    const char *wrong = check(r, &line);
    if (wrong) {
        *error = ROBO_EBODY;
        snprintf(why, 160, "line %d: %s", line, wrong);
        robo__input_recording_calls.close(r);
        return NULL;
    }
    release(r);
    return r;
}

void robo__input_recording_advance(struct robo__input_recording *r, robo_time now)
{
    r->now = now;
}

robo_time robo__input_recording_due(const struct robo__input_recording *r)
{
    return r->due;
}

/* What ioctls answer from now on. */
static void change(struct robo__input_recording *r, const struct input_event *e)
{
    const uint8_t bit = (uint8_t)(1 << e->code % 8);
    if (e->type == EV_ABS && e->code < ABS_CNT)
        r->axis[e->code].value = e->value;
    else if (e->type == EV_KEY && e->code < KEY_CNT && e->value)
        r->button[e->code / 8] |= bit;
    else if (e->type == EV_KEY && e->code < KEY_CNT)
        r->button[e->code / 8] &= (uint8_t)~bit;
}

/* Takes lines until now, with that many events: how many it has found. */
static size_t take(struct robo__input_recording *r, struct input_event *out, size_t most)
{
    struct input_event event;
    robo_time instant;
    size_t n = 0;
    while (r->at < r->end) {
        char line[LINE];
        const char *next = next_line(r->at, r->end, line);
        if (is(line, "EV") && read_event(line, &instant, &event)) {
            r->due = instant;
            if (instant > r->now || (line[0] == 'E' && n == most))
                break;
            change(r, &event);
            if (line[0] == 'E')
                out[n++] = event;
        }
        r->at = next;
    }
    return n;
}

static int open_recording(void *self, const char *path)
{
    (void)path;
    take(self, NULL, 0); /* what is held at the begin */
    return 0;
}

static int answer(void *self, unsigned long request, void *out)
{
    const struct robo__input_recording *r = self;
    const unsigned number = _IOC_NR(request);
    const void *from = NULL;
    size_t size = 0;
    if (number == _IOC_NR(EVIOCGNAME(0))) {
        from = r->name;
        size = sizeof r->name;
    } else if (number == _IOC_NR(EVIOCGPROP(0))) {
        from = r->properties;
        size = sizeof r->properties;
    } else if (number == _IOC_NR(EVIOCGKEY(0))) {
        from = r->button;
        size = sizeof r->button;
    } else if (number >= _IOC_NR(EVIOCGBIT(0, 0)) && number < _IOC_NR(EVIOCGBIT(TYPES, 0))) {
        from = r->bits[number - _IOC_NR(EVIOCGBIT(0, 0))];
        size = sizeof r->bits[0];
    } else if (number >= _IOC_NR(EVIOCGABS(0)) && number < _IOC_NR(EVIOCGABS(ABS_CNT))) {
        from = &r->axis[number - _IOC_NR(EVIOCGABS(0))];
        size = sizeof r->axis[0];
    } else {
        errno = EINVAL;
        return -1;
    }
    size = size < _IOC_SIZE(request) ? size : _IOC_SIZE(request);
    memcpy(out, from, size);
    return (int)size;
}

static ptrdiff_t read_events(void *self, void *to, size_t size)
{
    struct robo__input_recording *r = self;
    const size_t n = take(r, to, size / sizeof(struct input_event));
    if (n > 0)
        return (ptrdiff_t)(n * sizeof(struct input_event));
    errno = r->at < r->end ? EAGAIN : ENODEV;
    return -1;
}

static void close_recording(void *self)
{
    struct robo__input_recording *r = self;
    free(r->text);
    free(r);
}

const struct robo__input_calls robo__input_recording_calls = { open_recording, answer, read_events,
                                                               close_recording };
