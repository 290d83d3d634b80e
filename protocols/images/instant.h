/* Instants as people write them, in UTC by default: those that scripts/robotalk/text/instant.lua takes. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ROBO__INSTANT_FORMS \
    "a time as 2026-11-23T04:53:48.007Z, 2026-11-23T04:53+01:00, 2026-11-23, or s of the epoch"

/* us of the epoch; false: it is none of ROBO__INSTANT_FORMS, or before the epoch. */
bool robo__instant_read(const char *text, int64_t *time);
