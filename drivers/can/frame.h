/* A classic CAN data frame. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct robo__can_frame {
    uint32_t id;   /* 11 bits, or 29 */
    bool extended; /* 29 */
    uint8_t size;  /* 0 to 8 */
    uint8_t data[8];
};
