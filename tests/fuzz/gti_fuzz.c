/* Any bytes to the Golog-Tekkotsu interface's server side, in a format that the first byte tells: what is read as a request
 * is written and read again. */
#include <stdlib.h>
#include <string.h>

#include "robotalk/gti.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct robo_gti_parser g = { .format = { data[0] & 1, data[0] & 2, data[0] & 4 } };
    static struct robo_gti_request request, again;
    const uint8_t *at = data + 1;
    size--;
    while (size > 0 && robo_gti_feed(&g, &at, &size, &request) == ROBO_GTI_REQUEST) {
        uint8_t bytes[ROBO_GTI_HEADER + ROBO_GTI_BODY];
        size_t n = robo_gti_encode(g.format, &request, bytes);
        const uint8_t *from = bytes;
        struct robo_gti_parser other = { .format = g.format };
        if (n == 0 || robo_gti_feed(&other, &from, &n, &again) != ROBO_GTI_REQUEST || n != 0 ||
            memcmp(&request, &again, sizeof request) != 0)
            abort();
        struct robo_gti_reply reply;
        uint8_t zeros[ROBO_GTI_MOST * 8] = { 0 };
        if (robo_gti_reply_size(g.format, &request) <= sizeof zeros)
            robo_gti_read_reply(g.format, &request, zeros, &reply);
    }
    return 0;
}
