/* May change without notice between versions. */
/* Gamepads, joysticks and pedals of Linux (evdev), and recordings of them. A program opens one, waits until its descriptor can be
 * read or its recording goes on, and reads reports until there are no more. One thread; reading never waits. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "robotalk/base.h"

ROBO_API_BEGIN

typedef struct robo_input robo_input; /* an open device */

enum robo_input_kind {
    ROBO_INPUT_OTHER, /* a mouse, a tablet, a motion sensor … */
    ROBO_INPUT_KEYS,  /* a keyboard, or pedals that type */
    ROBO_INPUT_JOYSTICK,
    ROBO_INPUT_GAMEPAD
};

enum { ROBO_INPUT_AXES = 0x40, ROBO_INPUT_BUTTONS = 0x300 }; /* codes of <linux/input.h> */

/* The kind of a device, its axes and buttons, and their state as of its newest complete report. Bit n % 8 of byte n / 8 is that of code n. */
struct robo_input_state {
    char name[80]; /* UTF-8, without control characters */
    enum robo_input_kind kind;
    uint8_t has_axis[ROBO_INPUT_AXES / 8], has_button[ROBO_INPUT_BUTTONS / 8];
    double axis[ROBO_INPUT_AXES]; /* -1 to 1, a trigger's 0 to 1; 0: at rest */
    uint8_t button[ROBO_INPUT_BUTTONS / 8];
};

/* Opens a device, or a file: a recording of evemu-record (docs/drive.md), which begins at that instant. NULL: why, and *error is
 * ROBO_ENONE, there is none; ROBO_EDEVICE, it is no such device or may not be read; ROBO_EBODY, no such recording; ROBO_ENOMEM. */
robo_input *robo_input_open(const char *path, robo_time now, int *error, char why[256]);
/* 1: there is a newer state, and perhaps more, so that no press of a button is missed; 0: there is no newer one for now;
 * ROBO_EDEVICE: the device is gone, its state is that of a device at rest. */
int robo_input_read(robo_input *input, robo_time now);
const struct robo_input_state *robo_input_state(const robo_input *input); /* until it is closed */
int robo_input_fd(const robo_input *input);                               /* -1: of a recording */
/* The instant of what a recording has next, by the clock with which it was opened and is read; ROBO_NEVER: of a device. */
robo_time robo_input_due(const robo_input *input);
void robo_input_close(robo_input *input); /* NULL: does nothing */

ROBO_API_END
