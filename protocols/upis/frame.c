/* Frames of USARSim's image server. */
#include "frame.h"

#include <string.h>

int robo__upis_quality(unsigned type)
{
    static const int quality[ROBO__UPIS_TYPES] = { 0, 100, 75, 50, 25, 10 };
    return quality[type];
}

void robo__upis_head(unsigned type, size_t size, uint8_t *out)
{
    out[0] = (uint8_t)type;
    for (int i = 0; i < 4; i++)
        out[1 + i] = (uint8_t)(size >> (24 - 8 * i));
}

size_t robo__upis_row_size(const struct robo__upis_area *area)
{
    return ((size_t)area->width * 3 + 3) & ~(size_t)3;
}

void robo__upis_raw_head(const struct robo__upis_area *area, uint8_t *out)
{
    robo__upis_head(ROBO__UPIS_RAW, 4 + robo__upis_row_size(area) * area->height, out);
    out[5] = (uint8_t)(area->width >> 8);
    out[6] = (uint8_t)area->width;
    out[7] = (uint8_t)(area->height >> 8);
    out[8] = (uint8_t)area->height;
}

void robo__upis_row(const uint8_t *rgb, unsigned width, const struct robo__upis_area *area,
                    uint32_t row, uint8_t *out)
{
    const uint8_t *from = rgb + ((size_t)(area->y + row) * width + area->x) * 3;
    const size_t n = (size_t)area->width * 3;
    for (size_t i = 0; i < n; i += 3) {
        out[i] = from[i + 2];
        out[i + 1] = from[i + 1];
        out[i + 2] = from[i];
    }
    memset(out + n, 0, robo__upis_row_size(area) - n);
}
