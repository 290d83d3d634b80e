/* The messages of senders of pictures. */
#include "wire.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "store/store.h"

void robo__images_head(unsigned type, size_t size, uint8_t *out)
{
    out[0] = (uint8_t)type;
    for (int i = 0; i < 4; i++)
        out[1 + i] = (uint8_t)(size >> (24 - 8 * i));
}

/* back: how many bytes ago it was. */
static enum robo__images_event bad(struct robo__images_reader *r, size_t back, const char *want)
{
    snprintf(r->why, sizeof r->why, "byte %" PRIu64 ": expected %s", r->place - back, want);
    return ROBO__IMAGES_BAD;
}

/* The head was received whole. */
static enum robo__images_event begin(struct robo__images_reader *r)
{
    const uint8_t type = r->head[0];
    r->size = (uint32_t)r->head[1] << 24 | (uint32_t)r->head[2] << 16 | (uint32_t)r->head[3] << 8 |
              r->head[4];
    r->left = r->size;
    r->heads = 0;
    r->greeted = true;
    if (type == ROBO__IMAGES_NAME) {
        if (r->size < 1 || r->size > ROBO__STORE_SOURCE)
            return bad(r, 4, "a name of 1 to 79 bytes");
        memset(r->name, 0, sizeof r->name);
        return ROBO__IMAGES_MORE;
    }
    if (r->size < 1 || r->size > ROBO__PICTURE_MOST)
        return bad(r, 4, "a picture of 1 byte to 16 MiB");
    r->in_picture = true;
    return ROBO__IMAGES_BEGIN;
}

/* One byte of a head. */
static enum robo__images_event take(struct robo__images_reader *r, uint8_t byte)
{
    r->place++;
    r->head[r->heads++] = byte;
    if (!r->greeted && r->head[0] == 'O') {
        if (r->heads == 1)
            return ROBO__IMAGES_MORE;
        if (byte != 'K')
            return bad(r, 1, "K behind O");
        r->heads = 0;
        r->greeted = true;
        return ROBO__IMAGES_HELLO;
    }
    if (r->heads == 1 && byte != ROBO__IMAGES_NAME && (byte < 1 || byte > ROBO__IMAGES_LAST))
        return bad(r, 1,
                   r->greeted ? "a type of 1 to 5, or 255" : "OK, or a type of 1 to 5 or 255");
    return r->heads == ROBO__IMAGES_HEAD ? begin(r) : ROBO__IMAGES_MORE;
}

enum robo__images_event robo__images_next(struct robo__images_reader *r, const uint8_t *in,
                                          size_t n, size_t *used)
{
    *used = 0;
    if (r->in_picture && r->left == 0) {
        r->in_picture = false;
        return ROBO__IMAGES_END;
    }
    while (*used < n) {
        if (r->left == 0) {
            const enum robo__images_event event = take(r, in[(*used)++]);
            if (event != ROBO__IMAGES_MORE)
                return event;
            continue;
        }
        const size_t some = n - *used < r->left ? n - *used : r->left;
        if (!r->in_picture)
            memcpy(r->name + (r->size - r->left), in + *used, some);
        r->left -= (uint32_t)some;
        r->place += some;
        *used += some;
        r->bytes = some;
        if (r->in_picture)
            return ROBO__IMAGES_BYTES;
        if (r->left > 0)
            continue;
        return robo__store_is_source(r->name, r->size) ? ROBO__IMAGES_NAMED
                                                       : bad(r, r->size, "a name without blanks");
    }
    return ROBO__IMAGES_MORE;
}
