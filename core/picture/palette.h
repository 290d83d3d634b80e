/* The colours that suit a picture best, at most so many, by median cut (Heckbert 1982, "Color image quantization for frame buffer
 * display"). */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
    ROBO__PALETTE_BINS = 1 << 15, /* colours are distinguished by 5 bits each */
    ROBO__PALETTE_MOST = 255
};

struct robo__palette {
    unsigned colours;
    uint8_t rgb[3 * ROBO__PALETTE_MOST];
    uint8_t
        nearest[ROBO__PALETTE_BINS]; /* by bin: a colour's number; of bins that were not there 0 */
    /* while it is made */
    struct robo__bin {
        uint32_t count, sum[3];
        uint16_t bin;
    } used[ROBO__PALETTE_BINS];
};

static inline unsigned robo__palette_bin(const uint8_t rgb[3])
{
    return (unsigned)(rgb[0] >> 3 << 10 | rgb[1] >> 3 << 5 | rgb[2] >> 3);
}

/* Of so many pixels; those with a mark count, marked NULL: all. At most 2^24 pixels. */
void robo__palette_make(struct robo__palette *palette, const uint8_t *rgb, const uint8_t *marked,
                        size_t pixels);
