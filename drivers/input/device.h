/* An input device by the functions that reach it: those of the system, of a recording, or of a test. It has the part of
 * core/robotalk/input.h that needs no clock. One thread. */
#pragma once

#include "robotalk/input.h"

/* How a device is reached. They return what the system calls of their names do, and set errno. */
struct robo__input_calls {
    int (*open)(void *self, const char *path);
    int (*ioctl)(void *self, unsigned long request, void *answer);
    ptrdiff_t (*read)(void *self, void *to, size_t size);
    void (*close)(void *self); /* after a failed open, too */
};

struct robo__input_device;

/* Opens it and asks for its state; NULL: why, and *error. self lasts as long as the device; it is closed when this fails. */
struct robo__input_device *robo__input_device_open(const struct robo__input_calls *calls,
                                                   void *self, const char *path, int *error,
                                                   char why[256]);
int robo__input_device_read(struct robo__input_device *device); /* as robo_input_read */
const struct robo_input_state *robo__input_device_state(const struct robo__input_device *device);
void robo__input_device_close(struct robo__input_device *device);

/* Whether that axis rests at its minimum, as triggers do, on a device with these axes. */
bool robo__input_one_sided(const bool has_axis[ROBO_INPUT_AXES], unsigned code);
