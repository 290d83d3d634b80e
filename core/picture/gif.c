/* GIF by giflib. Of each picture only the difference from the one before is written, in a palette of its own. The palette is ours
 * (palette.c): giflib's quantizer is deprecated, has no pixels that are ignored, and cuts all components to 5 bits, so that pictures of
 * a room become darker: squares of differences are 15 to 30 by the mean, where those of palette.c are 0.2 to 1.2. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gif_lib.h>

#include "palette.h"
#include "robotalk/film.h"
#include "base/shared_library.h"

enum {
    SIDE = 4096,     /* pixels */
    COLOURS = 256,   /* of a palette */
    UNCHANGED = 255, /* the number of the transparent colour, which leaves the pixel as it was */
    BITS = 8         /* of a component */
};

/* clang-format off */
#define FUNCTIONS(X) \
    X(EGifOpen) X(EGifSetGifVersion) X(EGifPutScreenDesc) X(EGifPutExtension) \
    X(EGifPutExtensionLeader) X(EGifPutExtensionBlock) X(EGifPutExtensionTrailer) \
    X(EGifGCBToExtension) X(EGifPutImageDesc) X(EGifPutLine) X(EGifCloseFile)
/* clang-format on */

static struct {
    FUNCTIONS(ROBO__SHARED_MEMBER)
} giflib;
static const struct robo__shared_function functions[] = {
#define ROW(name) { #name, &giflib.name },
    FUNCTIONS(ROW)
};
static struct robo__shared_library library =
    ROBO__SHARED_LIBRARY("films as GIF need giflib", "libgif.so.7", "libgif7", functions, NULL);

struct robo_gif {
    unsigned width, height;
    bool begun;
    double rest;       /* s that are not yet shown */
    uint8_t *before;   /* the picture that is shown, as it came */
    uint8_t *marked;   /* which pixels have changed */
    GifFileType *file; /* NULL: it has ended */
    struct robo__palette palette;
    /* the output; it grows */
    uint8_t *bytes;
    size_t length, room;
    bool failed; /* for good: a picture may stand there in part */
};

/* Called by giflib: how many bytes were taken. */
static int put(GifFileType *file, const GifByteType *bytes, int n)
{
    robo_gif *g = file->UserData;
    size_t room = g->room ? g->room : 1 << 14;
    while (room - g->length < (size_t)n)
        room *= 2;
    if (room > g->room) {
        uint8_t *larger = g->failed ? NULL : realloc(g->bytes, room);
        if (!larger) {
            g->failed = true;
            return 0;
        }
        g->bytes = larger;
        g->room = room;
    }
    memcpy(g->bytes + g->length, bytes, (size_t)n);
    g->length += (size_t)n;
    return n;
}

static ptrdiff_t give(const robo_gif *g, const uint8_t **bytes)
{
    *bytes = g->bytes;
    return g->failed ? ROBO_ENOMEM : (ptrdiff_t)g->length;
}

static void check(robo_gif *g, int outcome)
{
    g->failed |= outcome == GIF_ERROR;
}

static robo_gif *make(unsigned width, unsigned height)
{
    robo_gif *g = calloc(1, sizeof *g);
    int why;
    if (!g)
        return NULL;
    g->width = width;
    g->height = height;
    g->before = malloc((size_t)3 * width * height);
    g->marked = malloc((size_t)width * height);
    g->file = g->before && g->marked ? giflib.EGifOpen(g, put, &why) : NULL;
    if (g->file)
        return g;
    robo_gif_close(g);
    return NULL;
}

robo_gif *robo_gif_open(unsigned width, unsigned height, int *error, char why[256])
{
    *error = ROBO_EINVAL;
    snprintf(why, 256, "expected 1 to %d pixels each way", SIDE);
    if (width < 1 || width > SIDE || height < 1 || height > SIDE)
        return NULL;
    *error = robo__shared_library_load(&library, why);
    if (*error < 0)
        return NULL;
    robo_gif *g = make(width, height);
    *error = g ? 0 : ROBO_ENOMEM;
    if (!g)
        snprintf(why, 256, "out of memory");
    return g;
}

/* Marks changed pixels; the box around them: left, top, right, bottom. A GIF wants one pixel at least. */
static void compare(robo_gif *g, const uint8_t *rgb, unsigned box[4])
{
    box[0] = g->width, box[1] = g->height, box[2] = box[3] = 0;
    for (unsigned y = 0; y < g->height; y++)
        for (unsigned x = 0; x < g->width; x++) {
            const size_t i = (size_t)y * g->width + x;
            g->marked[i] = !g->begun || memcmp(rgb + 3 * i, g->before + 3 * i, 3) != 0;
            if (!g->marked[i])
                continue;
            box[0] = x < box[0] ? x : box[0];
            box[1] = y < box[1] ? y : box[1];
            box[2] = x >= box[2] ? x + 1 : box[2];
            box[3] = y + 1;
        }
    if (box[2] == 0)
        box[0] = box[1] = 0, box[2] = box[3] = 1;
}

static void put_head(robo_gif *g)
{
    giflib.EGifSetGifVersion(g->file, true);
    check(g, giflib.EGifPutScreenDesc(g->file, (int)g->width, (int)g->height, BITS, 0, NULL));
    check(g, giflib.EGifPutExtensionLeader(g->file, APPLICATION_EXT_FUNC_CODE));
    check(g, giflib.EGifPutExtensionBlock(g->file, 11, "NETSCAPE2.0"));
    check(g, giflib.EGifPutExtensionBlock(g->file, 3, "\x01\0\0")); /* again and again */
    check(g, giflib.EGifPutExtensionTrailer(g->file));
}

/* It stays when the next one comes, and has a colour that lets through. */
static void put_control(robo_gif *g, int hundredths)
{
    const GraphicsControlBlock control = { .DisposalMode = DISPOSE_DO_NOT,
                                           .DelayTime = hundredths,
                                           .TransparentColor = UNCHANGED };
    GifByteType bytes[4];
    const size_t n = giflib.EGifGCBToExtension(&control, bytes);
    check(g, giflib.EGifPutExtension(g->file, GRAPHICS_EXT_FUNC_CODE, (int)n, bytes));
}

static void put_picture(robo_gif *g, const uint8_t *rgb, const unsigned box[4])
{
    GifColorType colour[COLOURS] = { { 0 } };
    GifByteType row[SIDE];
    const ColorMapObject palette = { .ColorCount = COLOURS,
                                     .BitsPerPixel = BITS,
                                     .Colors = colour };
    const unsigned wide = box[2] - box[0];
    for (unsigned i = 0; i < g->palette.colours; i++)
        colour[i] = (GifColorType){ g->palette.rgb[3 * i], g->palette.rgb[3 * i + 1],
                                    g->palette.rgb[3 * i + 2] };
    check(g, giflib.EGifPutImageDesc(g->file, (int)box[0], (int)box[1], (int)wide,
                                     (int)(box[3] - box[1]), false, &palette));
    for (unsigned y = box[1]; y < box[3] && !g->failed; y++) {
        for (unsigned x = 0; x < wide; x++) {
            const size_t i = (size_t)y * g->width + box[0] + x;
            row[x] = g->marked[i] ? g->palette.nearest[robo__palette_bin(rgb + 3 * i)] : UNCHANGED;
        }
        check(g, giflib.EGifPutLine(g->file, row, (int)wide));
    }
}

ptrdiff_t robo_gif_add(robo_gif *g, const uint8_t *rgb, double seconds, const uint8_t **bytes)
{
    unsigned box[4];
    if (!g->file || !(seconds >= 0 && seconds <= 600))
        return ROBO_EINVAL;
    g->length = 0;
    if (!g->begun)
        put_head(g);
    compare(g, rgb, box);
    robo__palette_make(&g->palette, rgb, g->marked, (size_t)g->width * g->height);
    g->rest += seconds;
    const double hundredths = floor(g->rest * 100 + 0.5);
    g->rest -= hundredths / 100;
    put_control(g, (int)hundredths);
    put_picture(g, rgb, box);
    if (!g->failed) {
        memcpy(g->before, rgb, (size_t)3 * g->width * g->height);
        g->begun = true;
    }
    return give(g, bytes);
}

/* giflib writes the end of a file when it closes it. */
static void end_file(robo_gif *g)
{
    int why;
    if (g->file)
        check(g, giflib.EGifCloseFile(g->file, &why));
    g->file = NULL;
}

ptrdiff_t robo_gif_end(robo_gif *g, const uint8_t **bytes)
{
    g->length = 0;
    if (g->file && !g->begun)
        put_head(g);
    end_file(g);
    return give(g, bytes);
}

void robo_gif_close(robo_gif *g)
{
    if (!g)
        return;
    end_file(g);
    free(g->before);
    free(g->marked);
    free(g->bytes);
    free(g);
}
