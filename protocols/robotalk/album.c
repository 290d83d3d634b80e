/* Received pieces of pictures. */
#include "album.h"

#include <stdlib.h>
#include <string.h>

#include "picture/pixels.h"

struct pages {
    struct robo_picture picture; /* of which `size` bytes are to come */
    size_t room;
};

struct robo__album {
    struct pages whole, coming;
    size_t got; /* bytes of the incomplete one */
    uint8_t format;
    uint32_t window;
    uint64_t heard, told; /* bytes of all pieces */
    bool complete;        /* there is a whole one */
};

struct robo__album *robo__album_open(const struct robo_request_picture *request)
{
    struct robo__album *a = calloc(1, sizeof *a);
    if (a) {
        a->format = request->format;
        a->window = request->window;
    }
    return a;
}

void robo__album_free(struct robo__album *a)
{
    if (!a)
        return;
    free(a->whole.picture.bytes);
    free(a->coming.picture.bytes);
    free(a);
}

/* Whether such a picture may begin. */
static bool may_begin(const struct robo__album *a, const struct robo_reply_picture *piece)
{
    if (piece->format != a->format || piece->width == 0 || piece->height == 0 || piece->size == 0)
        return false;
    return a->format == ROBO_JPEG
               ? piece->size <= ROBO_MAX_PICTURE
               : piece->size == robo__pixels_size(a->format, piece->width, piece->height);
}

static int begin(struct robo__album *a, const struct robo_reply_picture *piece)
{
    struct robo_picture *p = &a->coming.picture;
    a->got = 0;
    p->number = 0;
    if (!may_begin(a, piece))
        return ROBO_EBODY;
    p->number = piece->number;
    p->time = piece->time;
    p->width = piece->width;
    p->height = piece->height;
    p->format = piece->format;
    p->size = piece->size;
    return 0;
}

/* At most twice the received size: a server that only announces much costs nothing. */
static bool make_room(struct pages *pages, size_t need)
{
    if (need <= pages->room)
        return true;
    size_t room = 2 * need < pages->picture.size ? 2 * need : pages->picture.size;
    uint8_t *bytes = realloc(pages->picture.bytes, room);
    if (!bytes)
        return false;
    pages->picture.bytes = bytes;
    pages->room = room;
    return true;
}

static int drop(struct robo__album *a, int error)
{
    a->got = 0;
    a->coming.picture.number = 0;
    return error;
}

int robo__album_add(struct robo__album *a, const struct robo_reply_picture *piece)
{
    struct robo_picture *p = &a->coming.picture;
    a->heard += piece->count;
    if (piece->offset == 0 && begin(a, piece) < 0)
        return drop(a, ROBO_EBODY);
    if (piece->number == 0 || piece->number != p->number || piece->offset != a->got ||
        piece->size != p->size || piece->count == 0 || piece->count > p->size - a->got)
        return drop(a, ROBO_EBODY);
    if (!make_room(&a->coming, a->got + piece->count))
        return drop(a, ROBO_ENOMEM);
    memcpy(p->bytes + a->got, piece->bytes, piece->count);
    a->got += piece->count;
    if (a->got < p->size)
        return 0;
    const struct pages whole = a->whole;
    a->whole = a->coming;
    a->coming = whole;
    a->complete = true;
    drop(a, 0);
    return 1;
}

struct robo_picture *robo__album_newest(struct robo__album *a)
{
    return a->complete ? &a->whole.picture : NULL;
}

uint64_t robo__album_tell(struct robo__album *a)
{
    if (a->heard - a->told < a->window / 4)
        return 0;
    return a->told = a->heard;
}
