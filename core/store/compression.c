/* Compression by the libraries of others; only what is called of them is declared. */
#include "compression.h"

#include <stdio.h>
#include <string.h>

#include "base/shared_library.h"
#include "robotalk.h"
#include "robotalk/compression.h"
#include "snappy.h"

/* ---- zstd (zstd.h) ---- */

enum { LEVEL = 1 }; /* the fastest: a recorder must keep up */

static struct {
    size_t (*bound)(size_t n);
    size_t (*compress)(void *out, size_t room, const void *in, size_t n, int level);
    size_t (*decompress)(void *out, size_t room, const void *in, size_t n);
    unsigned long long (*size)(const void *in, size_t n);
    unsigned (*is_error)(size_t result);
    const char *(*error)(size_t result);
} zstd;
static const struct robo__shared_function zstd_functions[] = {
    { "ZSTD_compressBound", &zstd.bound },   { "ZSTD_compress", &zstd.compress },
    { "ZSTD_decompress", &zstd.decompress }, { "ZSTD_getFrameContentSize", &zstd.size },
    { "ZSTD_isError", &zstd.is_error },      { "ZSTD_getErrorName", &zstd.error },
};
static struct robo__shared_library zstd_library = ROBO__SHARED_LIBRARY(
    "compression by zstd needs libzstd", "libzstd.so.1", "libzstd1", zstd_functions, NULL);

static int load_zstd(char why[256])
{
    return robo__shared_library_load(&zstd_library, why);
}

static size_t bound_zstd(size_t n)
{
    return zstd.bound(n);
}

static size_t compress_zstd(void *out, size_t room, const void *in, size_t n)
{
    const size_t made = zstd.compress(out, room, in, n, LEVEL);
    return zstd.is_error(made) ? 0 : made;
}

static bool fits_zstd(size_t size, const void *in, size_t n)
{
    const unsigned long long unknown = -1ull, said = zstd.size(in, n);
    return said == size || said == unknown;
}

static const char *decompress_zstd(void *out, size_t size, const void *in, size_t n)
{
    const size_t made = zstd.decompress(out, size, in, n);
    if (zstd.is_error(made))
        return zstd.error(made);
    return made == size ? NULL : "it is shorter";
}

/* ---- lz4 (lz4frame.h) ---- */

enum { LZ4F_VERSION = 100 };

static struct {
    size_t (*bound)(size_t n, const void *preferences);
    size_t (*compress)(void *out, size_t room, const void *in, size_t n, const void *preferences);
    size_t (*begin)(void **context, unsigned version);
    size_t (*end)(void *context);
    size_t (*decompress)(void *context, void *out, size_t *made, const void *in, size_t *taken,
                         const void *options);
    unsigned (*is_error)(size_t result);
    const char *(*error)(size_t result);
} lz4;
static const struct robo__shared_function lz4_functions[] = {
    { "LZ4F_compressFrameBound", &lz4.bound },
    { "LZ4F_compressFrame", &lz4.compress },
    { "LZ4F_createDecompressionContext", &lz4.begin },
    { "LZ4F_freeDecompressionContext", &lz4.end },
    { "LZ4F_decompress", &lz4.decompress },
    { "LZ4F_isError", &lz4.is_error },
    { "LZ4F_getErrorName", &lz4.error },
};
static struct robo__shared_library lz4_library = ROBO__SHARED_LIBRARY(
    "compression by lz4 needs liblz4", "liblz4.so.1", "liblz4-1", lz4_functions, NULL);

static int load_lz4(char why[256])
{
    return robo__shared_library_load(&lz4_library, why);
}

static size_t bound_lz4(size_t n)
{
    return lz4.bound(n, NULL);
}

static size_t compress_lz4(void *out, size_t room, const void *in, size_t n)
{
    const size_t made = lz4.compress(out, room, in, n, NULL);
    return lz4.is_error(made) ? 0 : made;
}

static bool fits_lz4(size_t size, const void *in, size_t n)
{
    enum { MOST = 255 }; /* times as many bytes */
    (void)in;
    return size / MOST <= n;
}

static const char *decompress_lz4(void *out, size_t size, const void *in, size_t n)
{
    const char *wrong = NULL;
    void *context = NULL;
    size_t made = 0, taken = 0, result = lz4.begin(&context, LZ4F_VERSION);
    do {
        size_t some = size - made, given = n - taken;
        if (!lz4.is_error(result))
            result = lz4.decompress(context, (char *)out + made, &some, (const char *)in + taken,
                                    &given, NULL);
        if (lz4.is_error(result))
            wrong = lz4.error(result);
        else if (some == 0 && given == 0)
            wrong = taken < n ? "it is longer" : "it ends too early";
        made += some;
        taken += given;
    } while (!wrong && (result != 0 || taken < n));
    lz4.end(context);
    return wrong || made == size ? wrong : "it is shorter";
}

/* ---- none ---- */

static int load_none(char why[256])
{
    (void)why;
    return 0;
}

static size_t bound_none(size_t n)
{
    return n;
}

static bool fits_none(size_t size, const void *in, size_t n)
{
    (void)in;
    return size == n;
}

static size_t copy(void *out, size_t room, const void *in, size_t n)
{
    (void)room;
    memcpy(out, in, n);
    return n;
}

static const struct robo__compression kinds[] = {
    { "zstd", load_zstd, bound_zstd, compress_zstd, fits_zstd, decompress_zstd },
    { "lz4", load_lz4, bound_lz4, compress_lz4, fits_lz4, decompress_lz4 },
    { "", load_none, bound_none, copy, fits_none, NULL },
};

const struct robo__compression *robo__compression_find(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strlen(kinds[i].name) == n && (n == 0 || memcmp(kinds[i].name, name, n) == 0))
            return &kinds[i];
    return NULL;
}

const struct robo__compression *robo__compression_best(void)
{
    const struct robo__compression *kind = kinds;
    while (kind->load(NULL) < 0)
        kind++;
    return kind;
}

int robo_decompress(const char *name, void *out, size_t size, const void *in, size_t n,
                    char why[256])
{
    const bool snappy = strcmp(name, "snappy") == 0;
    const struct robo__compression *kind = robo__compression_find("zstd", 4);
    if (!snappy && strcmp(name, kind->name) != 0) {
        snprintf(why, 256, "there is no decompression of this kind");
        return ROBO_ENONE;
    }
    const int error = snappy ? 0 : kind->load(why);
    if (error < 0)
        return error;
    const char *wrong = NULL;
    if (!(snappy ? robo__snappy_fits : kind->fits)(size, in, n))
        wrong = "it has another size";
    else if (out)
        wrong = (snappy ? robo__snappy_decompress : kind->decompress)(out, size, in, n);
    if (wrong)
        snprintf(why, 256, "%s", wrong);
    return wrong ? ROBO_EBODY : 0;
}
