/* Whether a robot is in panic. */
#pragma once

#include <stdint.h>

/* The latest panic, in one atomic value that is always right. */
struct robo__alarm {
    uint32_t epoch; /* how many panics there were */
    uint32_t panic; /* 1: the latest is not reset yet */
};
