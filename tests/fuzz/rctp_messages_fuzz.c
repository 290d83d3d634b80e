/* Any bytes as messages of RCTP's live session, of objects laid out in all ways: what is read is written and read again. */
#include <stdlib.h>
#include <string.h>

#include "robotalk/rctp.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    static const uint8_t type[7] = { 0, 1, 2, 2, 0, 1, 0 };
    static struct robo_rctp_layout layout[ROBO_RCTP_IDS];
    static struct robo_rctp_message m, again;
    static uint8_t out[ROBO_RCTP_FRAME];
    for (unsigned i = 1; i < 255; i++) /* every third number is nobody's */
        layout[i] = (struct robo_rctp_layout){ .kind = i % 3 == 2    ? 0
                                                       : i % 10 == 1 ? ROBO_RCTP_TEXT
                                                       : i % 10 == 3 ? ROBO_RCTP_BINARY
                                                                     : ROBO_RCTP_CONTROL,
                                               .stamp_size = (uint8_t)(i % 5 * 2),
                                               .masked = i / 3 % 2,
                                               .parameters = i % 7 ? i % 7 : 100 + i,
                                               .type = i % 7 ? type : NULL };
    ptrdiff_t length = robo_rctp_frame(in, n);
    if (length > 0) {
        in += ROBO_RCTP_HEAD;
        n = (size_t)length;
    }
    while (n > 0) {
        ptrdiff_t used = robo_rctp_decode(layout, in, n, &m);
        if (used <= 0)
            break;
        if ((size_t)used > n)
            abort();
        if (!m.why) {
            ptrdiff_t size = robo_rctp_encode(layout, &m, out, sizeof out);
            if (size != used || robo_rctp_decode(layout, out, (size_t)size, &again) != size ||
                again.why || again.count != m.count || again.length != m.length)
                abort();
        } else if (m.at >= (size_t)used) {
            abort();
        }
        in += used;
        n -= (size_t)used;
    }
    return 0;
}
