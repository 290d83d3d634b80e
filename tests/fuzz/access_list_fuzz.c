/* Any text as the list of who may come in, and as that of the servers that are known. */
#include <stdlib.h>
#include <string.h>

#include "net/access_list.h"
#include "net/known_servers.h"
#include "robotalk.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    struct robo__access_list list = { 0 };
    unsigned line;
    char why[256] = "";
    uint8_t hash[ROBO__HASH] = { 0 }, key[ROBO__HASH];
    const char *text = (const char *)in;
    if (robo__access_list_parse(&list, text, n, &line, why) < 0 && (!why[0] || line == 0))
        abort(); /* what is refused is explained */
    for (size_t i = 0; i < list.count; i++) {
        const struct robo__access_entry *g = &list.entry[i];
        if (!memchr(g->name, 0, sizeof g->name) || g->role < ROBO_ROLE_WATCH ||
            g->role > ROBO_ROLE_OPERATE ||
            robo__access_list_role(&list, g->is_key, g->hash) < g->role)
            abort();
    }
    if (robo__access_list_role(&list, false, hash) > 0 && list.count == list.keys)
        abort();
    robo__access_list_free(&list);
    if (robo__known_servers_find(text, n, "host:7600", key, &line) < 0 && line == 0)
        abort();
    return 0;
}
