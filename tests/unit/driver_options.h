/* Options of a device, written down: static const struct robo_option rate = REAL("rate", 500); */
#pragma once

#include "robotalk.h"

#define OPTION(of, kind, member, it)                             \
    {                                                            \
        .name = (of), .type = (kind), .value = {.member = (it) } \
    }
#define FLAG(name, value)    OPTION(name, ROBO_OPTION_FLAG, integer, value)
#define INTEGER(name, value) OPTION(name, ROBO_OPTION_INTEGER, integer, value)
#define REAL(name, value)    OPTION(name, ROBO_OPTION_REAL, real, value)
#define TEXT(name, value)    OPTION(name, ROBO_OPTION_TEXT, text, value)

/* The device takes these, an array that lasts. */
#define TAKES(device, these)                                             \
    do {                                                                 \
        (device).option = (these);                                       \
        (device).options = (uint16_t)(sizeof(these) / sizeof(these)[0]); \
    } while (0)
