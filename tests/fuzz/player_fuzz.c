/* Any bytes as messages of Player: headers, and bodies by the layout that the header names. What is read is written again, and read
 * from that it is the same bytes. */
#include <stdlib.h>
#include <string.h>

#include "player/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(const char *layout, const uint8_t *bytes, size_t n)
{
    static uint8_t out[1 << 16], again[1 << 16];
    struct robo__player_body body, copy;
    struct robo__player_mistake mistake;
    char text[ROBO__PLAYER_NAME];
    if (n > sizeof out)
        return;
    if (!robo__player_decode(layout, bytes, n, &body, &mistake)) {
        if (!mistake.why || mistake.at > n)
            abort();
        return;
    }
    if (robo__player_encode(layout, &body, out, sizeof out) != n ||
        !robo__player_decode(layout, out, n, &copy, &mistake) ||
        robo__player_encode(layout, &copy, again, sizeof again) != n || memcmp(out, again, n) != 0)
        abort();
    for (unsigned i = 0; i < body.arrays; i++) {
        robo__player_item(&body.array[i], body.array[i].count, 0);
        robo__player_item(&body.array[i], body.array[i].count - 1, 3);
        robo__player_text(&body.array[i], text, sizeof text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct robo__player_header header;
    const char *why;
    while (size >= ROBO__PLAYER_HEADER && robo__player_get_header(data, &header, &why)) {
        const struct robo__player_kind *k =
            robo__player_kind_of(header.interf, header.type, header.subtype);
        data += ROBO__PLAYER_HEADER;
        size -= ROBO__PLAYER_HEADER;
        const size_t n = header.size < size ? header.size : size;
        if (k)
            look(k->body, data, n);
        if (k && k->reply)
            look(k->reply, data, n);
        data += n;
        size -= n;
    }
    return 0;
}
