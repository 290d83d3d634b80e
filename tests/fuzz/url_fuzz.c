/* Any text as an address. */
#include <stdlib.h>
#include <string.h>

#include "protocols.h"
#include "net/url.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    char *text = malloc(n + 1), why[256];
    if (!text)
        return 0;
    memcpy(text, in, n);
    text[n] = 0;
    struct robo__url url;
    if (robo__url_parse(text, robo__protocols, &url, why) == 0) {
        if (strlen(url.host) >= sizeof url.host || strlen(url.robot) >= sizeof url.robot)
            abort();
        robo__url_is_loopback(&url);
    } else if (!why[0]) {
        abort(); /* what is refused is explained */
    }
    free(text);
    return 0;
}
