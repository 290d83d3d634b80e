/* Any bytes to the Golog-Tekkotsu interface's server side, in a format that the first byte tells: what is read as a request
 * is written and read again. */
#include <stdlib.h>
#include <string.h>

#include "gti/gti.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct robo__gti g = { .format = { data[0] & 1, data[0] & 2, data[0] & 4 } };
    static struct robo__gti_request request, again;
    const uint8_t *at = data + 1;
    size--;
    while (size > 0 && robo__gti_feed(&g, &at, &size, &request) == ROBO__GTI_REQUEST) {
        uint8_t bytes[ROBO__GTI_HEADER + ROBO__GTI_BODY];
        size_t n = robo__gti_encode(g.format, &request, bytes);
        const uint8_t *from = bytes;
        struct robo__gti other = { .format = g.format };
        if (n == 0 || robo__gti_feed(&other, &from, &n, &again) != ROBO__GTI_REQUEST || n != 0 ||
            memcmp(&request, &again, sizeof request) != 0)
            abort();
        struct robo__gti_reply reply;
        uint8_t zeros[ROBO__GTI_MOST * 8] = { 0 };
        if (robo__gti_reply_size(g.format, &request) <= sizeof zeros)
            robo__gti_read_reply(g.format, &request, zeros, &reply);
    }
    return 0;
}
