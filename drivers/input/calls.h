/* How an input device is reached: by the system, a recording, or a test. */
#pragma once

#include <linux/input.h>

#include "robotalk/input.h"

/* They return what the system calls of these names do, and set errno. */
struct robo__input_calls {
    int (*open)(void *self, const char *path); /* a descriptor, which the others get */
    int (*ioctl)(void *self, int fd, unsigned long request, void *answer);
    ptrdiff_t (*read)(void *self, int fd, void *to, size_t size, robo_time now);
    void (*close)(void *self, int fd); /* after a failed open, too: -1 */
    /* When there is more to be read; NULL: the descriptor can be waited for. */
    robo_time (*due)(const void *self);
};

/* As robo_input_open. self is closed when this fails, too. */
robo_input *robo__input_open(const struct robo__input_calls *calls, void *self, const char *path,
                             int *error, char why[256]);

/* Takes an event of an axis or a button into account; others change nothing. */
void robo__input_change(struct input_absinfo axis[ABS_CNT], uint8_t button[KEY_CNT / 8],
                        const struct input_event *event);
/* Whether that axis rests at its minimum, as triggers do, on a device with these axes. */
bool robo__input_one_sided(const uint8_t has_axis[ROBO_INPUT_AXES / 8], unsigned code);
