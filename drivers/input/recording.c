/* Recordings of input devices: their lines are checked once, and then taken as time goes on. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "input/recording.h"

enum { TYPES = EV_ABS + 1, LINE = 256 /* of a longer one the begin */ };

struct robo__input_recording {
    char *text;
    const char *at, *end;
    robo_time begin, due;
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
    const char *text = line + 2 + strspn(line + 2, " ");
    const uint8_t *at = (const uint8_t *)text;
    double seconds;
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

/* Hexadecimal bytes; false: there are not n. */
static bool read_bytes(const char *line, unsigned *byte, int n)
{
    return sscanf(line + 2, "%2x %2x %2x %2x %2x %2x %2x %2x %2x", byte, byte + 1, byte + 2,
                  byte + 3, byte + 4, byte + 5, byte + 6, byte + 7, byte + 8) == n;
}

static void add_bytes(uint8_t *to, size_t size, size_t *count, const unsigned byte[8])
{
    for (int i = 0; i < 8 && *count < size; i++)
        to[(*count)++] = (uint8_t)byte[i];
}

/* Takes what describes the device, and checks the events. NULL: all lines are good; else what was expected in that line. */
static const char *check(struct robo__input_recording *r, int *number)
{
    size_t count[TYPES] = { 0 }, properties = 0;
    const char *at = r->text, *wrong = NULL;
    while (at < r->end && !wrong) {
        unsigned byte[9];
        struct input_absinfo a = { 0 };
        struct input_event event;
        robo_time instant;
        char line[LINE];
        at = next_line(at, r->end, line);
        ++*number;
        if (is(line, "N")) {
            snprintf(r->name, sizeof r->name, "%s", line + 2 + strspn(line + 2, " "));
        } else if (is(line, "B")) {
            if (!read_bytes(line, byte, 9))
                wrong = "B: expected a type and 8 bytes";
            else if (byte[0] < TYPES)
                add_bytes(r->bits[byte[0]], sizeof r->bits[0], &count[byte[0]], byte + 1);
        } else if (is(line, "P")) {
            if (!read_bytes(line, byte, 8))
                wrong = "P: expected 8 bytes";
            else
                add_bytes(r->properties, sizeof r->properties, &properties, byte);
        } else if (is(line, "A")) {
            if (sscanf(line + 2, "%2x %d %d %d %d", byte, &a.minimum, &a.maximum, &a.fuzz,
                       &a.flat) != 5 ||
                byte[0] >= ABS_CNT)
                wrong = "A: expected the code of an axis, its minimum, maximum, fuzz and flat";
            else
                r->axis[byte[0]] = a;
        } else if (is(line, "EV") && !read_event(line, &instant, &event)) {
            wrong = "E, V: expected seconds, type, code and value";
        }
    }
    return wrong || r->name[0] ? wrong
                               : "expected a recording of evemu-record, with a line N: NAME";
}

static void close_recording(void *self, int fd)
{
    struct robo__input_recording *r = self;
    (void)fd;
    free(r->text);
    free(r);
}

struct robo__input_recording *robo__input_recording_open(char *text, size_t size, robo_time begin,
                                                         int *error, char why[256])
{
    struct robo__input_recording *r = calloc(1, sizeof *r);
    int line = 0;
    if (!r) {
        *error = ROBO_ENOMEM;
        snprintf(why, 256, "out of memory");
        free(text);
        return NULL;
    }
    r->text = text;
    r->at = text;
    r->end = text + size;
    r->begin = begin;
    const char *wrong = check(r, &line);
    if (wrong) {
        *error = ROBO_EBODY;
        snprintf(why, 256, "line %d: %s", line, wrong);
        close_recording(r, -1);
        return NULL;
    }
    /* until an event has other values, sticks are in the middle and triggers are released */
    for (unsigned i = 0; i < ABS_CNT; i++) {
        struct input_absinfo *a = &r->axis[i];
        const bool one_sided = robo__input_one_sided(r->bits[EV_ABS], i);
        a->value = one_sided ? a->minimum : (int32_t)(((int64_t)a->minimum + a->maximum) / 2);
    }
    return r;
}

/* Takes lines until now, with that many events: how many it has found. */
static size_t take(struct robo__input_recording *r, struct input_event *out, size_t most,
                   robo_time now)
{
    struct input_event event;
    robo_time instant;
    size_t n = 0;
    while (r->at < r->end) {
        char line[LINE];
        const char *next = next_line(r->at, r->end, line);
        if (is(line, "EV") && read_event(line, &instant, &event)) {
            r->due = r->begin + instant;
            if (r->due > now || (line[0] == 'E' && n == most))
                break;
            robo__input_change(r->axis, r->button,
                               &event); /* the ioctls answer with it from now on */
            if (line[0] == 'E')
                out[n++] = event;
        }
        r->at = next;
    }
    return n;
}

static int open_recording(void *self, const char *path)
{
    struct robo__input_recording *r = self;
    (void)path;
    take(r, NULL, 0, r->begin); /* what is held at the begin */
    return 0;
}

static int answer(void *self, int fd, unsigned long request, void *out)
{
    const struct robo__input_recording *r = self;
    const unsigned long number = _IOC_NR(request), size = _IOC_SIZE(request);
    const unsigned long type = number - _IOC_NR(EVIOCGBIT(0, 0)),
                        axis = number - _IOC_NR(EVIOCGABS(0));
    const void *from = number == _IOC_NR(EVIOCGNAME(0))   ? r->name
                       : number == _IOC_NR(EVIOCGPROP(0)) ? (const void *)r->properties
                       : number == _IOC_NR(EVIOCGKEY(0))  ? r->button
                       : axis < ABS_CNT                   ? (const void *)&r->axis[axis]
                       : type < TYPES                     ? r->bits[type]
                                                          : NULL;
    (void)fd;
    if (from)
        memcpy(out, from, size); /* as large as that, by the caller's buffers */
    errno = EINVAL;
    return from ? (int)size : -1;
}

static ptrdiff_t read_events(void *self, int fd, void *to, size_t size, robo_time now)
{
    struct robo__input_recording *r = self;
    const size_t n = take(r, to, size / sizeof(struct input_event), now);
    (void)fd;
    errno = r->at < r->end ? EAGAIN : ENODEV;
    return n > 0 ? (ptrdiff_t)(n * sizeof(struct input_event)) : -1;
}

static robo_time due(const void *self)
{
    return ((const struct robo__input_recording *)self)->due;
}

const struct robo__input_calls robo__input_recording_calls = { open_recording, answer, read_events,
                                                               close_recording, due };
