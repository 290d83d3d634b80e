/* What comes from a serial adapter, and what people write as frame layouts: any bytes. Frames that are read are written
 * and read again; layouts that are read carry any value and hear any frame. The first byte says which it is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "can/layout.h"
#include "can/slcan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void adapter(const uint8_t *data, size_t size)
{
    struct robo__slcan s = { .length = 0 };
    struct robo__can_frame frame, again;
    uint8_t flags;
    while (size > 0) {
        if (robo__slcan_feed(&s, &data, &size, &frame, &flags) != ROBO__SLCAN_FRAME)
            continue;
        char line[ROBO__SLCAN_LINE];
        size_t n = robo__slcan_encode(&frame, line);
        const uint8_t *at = (const uint8_t *)line;
        struct robo__slcan other = { .length = 0 };
        if (robo__slcan_feed(&other, &at, &n, &again, &flags) != ROBO__SLCAN_FRAME || n != 0 ||
            again.id != frame.id || again.extended != frame.extended || again.size != frame.size ||
            memcmp(again.data, frame.data, frame.size) != 0)
            abort();
    }
}

static void layouts(const uint8_t *data, size_t size)
{
    char text[300], why[128] = "";
    struct robo__can_layout layout;
    struct robo__can_frame frame[2];
    struct robo__can_news news;
    size_t n = size < sizeof text - 1 ? size : sizeof text - 1;
    memcpy(text, data, n);
    text[n] = 0;
    if (!robo__can_layout_read(text, &layout, why)) {
        if (!why[0] || strlen(why) >= sizeof why)
            abort();
        return;
    }
    static const double values[] = { 0, 1, -1, 1e300, -1e300, 1e-300, HUGE_VAL };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        unsigned frames = robo__can_layout_set(&layout, values[i], frame);
        if (frames < 1 || frames > 2 || frame[frames - 1].size > 8)
            abort();
        for (unsigned k = 0; k < frames; k++)
            robo__can_layout_hear(&layout, &frame[k], &news);
        if (news.says & ROBO__CAN_SAYS_POSITION && !isfinite(news.position))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 0)
        (data[0] & 1 ? layouts : adapter)(data + 1, size - 1);
    return 0;
}
