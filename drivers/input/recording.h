/* A recording of an input device in place of one: the text that evemu-record writes, with the answers of ioctls (lines N, P, B and A)
 * and events with their instants (E). Lines `V: SECONDS TYPE CODE VALUE` are changes without an event: what is held at the begin, and
 * what the kernel loses. At the end of the recording the device is unplugged. One thread. */
#pragma once

#include "input/calls.h"

struct robo__input_recording;

/* Their self is a recording, which close frees. */
extern const struct robo__input_calls robo__input_recording_calls;

/* Begins then. Owns the text of that size, which has a NUL behind its end, also when this fails. NULL: why; ROBO_EBODY, no recording;
 * ROBO_ENOMEM. */
struct robo__input_recording *robo__input_recording_open(char *text, size_t size, robo_time begin,
                                                         int *error, char why[256]);
