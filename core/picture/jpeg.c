/* JPEG by libjpeg-turbo. */
#include "jpeg.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

#include "jpeg_scan.h"
#include "pixels.h"
#include "base/shared_library.h"

/* Of a progressive JPEG, each scan of which costs as much as a whole picture, and takes a few bytes: so many at most, with so
 * many pixels in all. Those of cameras and programs have about ten. */
enum { SCANS = 100, PIXELS = 1 << 28, FIRST = 1 << 14 };
enum { TOGETHER = 64 }; /* rows that are handed to the library at once */

/* clang-format off */
#define FUNCTIONS(X) \
    X(jpeg_std_error) X(jpeg_CreateCompress) X(jpeg_set_defaults) X(jpeg_set_quality) \
    X(jpeg_start_compress) X(jpeg_write_scanlines) X(jpeg_finish_compress) \
    X(jpeg_destroy_compress) X(jpeg_CreateDecompress) X(jpeg_mem_src) X(jpeg_read_header) \
    X(jpeg_start_decompress) X(jpeg_read_scanlines) X(jpeg_finish_decompress) \
    X(jpeg_destroy_decompress)
/* clang-format on */

static struct {
    FUNCTIONS(ROBO__SHARED_MEMBER)
} jpeg;
static const struct robo__shared_function functions[] = {
#define ROW(name) { #name, &jpeg.name },
    FUNCTIONS(ROW)
};

/* By the version of its interface. */
#define OF_VERSION(v, old, seven, eight, nine) \
    ((v) >= 90 ? (nine) : (v) >= 80 ? (eight) : (v) >= 70 ? (seven) : (old))
#define FILE_OF(v)    OF_VERSION(v, "libjpeg.so.62", "libjpeg.so.7", "libjpeg.so.8", "libjpeg.so.9")
#define PACKAGE_OF(v) OF_VERSION(v, "libjpeg62-turbo", "libjpeg7", "libjpeg-turbo8", "libjpeg9")
static struct robo__shared_library library =
    ROBO__SHARED_LIBRARY("pictures need libjpeg-turbo", FILE_OF(JPEG_LIB_VERSION),
                         PACKAGE_OF(JPEG_LIB_VERSION), functions, NULL);

struct robo__jpeg_library robo__jpeg_library(int version)
{
    return (struct robo__jpeg_library){ FILE_OF(version), PACKAGE_OF(version) };
}

const char *robo_jpeg_library(void)
{
    return library.file;
}

int robo__jpeg_load(char why[256])
{
    return robo__shared_library_load(&library, why);
}

/* ---- faults ---- */

struct trouble {
    struct jpeg_error_mgr manager; /* first: the library knows no more of it */
    jmp_buf out;
    bool memory; /* there was none */
};

/* The library must not go on. */
static void give_up(j_common_ptr info)
{
    struct trouble *t = (struct trouble *)(void *)info->err;
    t->memory = t->manager.msg_code == JERR_OUT_OF_MEMORY;
    longjmp(t->out, 1);
}

static void note(j_common_ptr info, int level)
{
    struct trouble *t = (struct trouble *)(void *)info->err;
    /* cameras put bytes between their pictures, which is harmless; other warnings mean that pixels would be
     * made up from here on */
    if (level < 0 && t->manager.msg_code != JWRN_EXTRANEOUS_DATA)
        give_up(info);
}

static void keep_quiet(j_common_ptr info)
{
    (void)info;
}

static struct jpeg_error_mgr *prepare(struct trouble *t)
{
    t->memory = false;
    jpeg.jpeg_std_error(&t->manager);
    t->manager.error_exit = give_up;
    t->manager.emit_message = note;
    t->manager.output_message = keep_quiet;
    return &t->manager;
}

/* ---- to JPEG ---- */

/* Memory that grows. */
struct target {
    struct jpeg_destination_mgr manager; /* first */
    uint8_t *bytes;
    size_t room;
};

static struct target *target_of(j_compress_ptr info)
{
    return (struct target *)(void *)info->dest;
}

static void begin_target(j_compress_ptr info)
{
    struct target *t = target_of(info);
    t->manager.next_output_byte = t->bytes;
    t->manager.free_in_buffer = t->room;
}

/* All of it is used. */
static boolean grow_target(j_compress_ptr info)
{
    struct target *t = target_of(info);
    const size_t room = t->room * 2;
    uint8_t *bytes = room <= 2 * (size_t)ROBO_MAX_PICTURE ? realloc(t->bytes, room) : NULL;
    if (!bytes) {
        info->err->msg_code = JERR_OUT_OF_MEMORY;
        info->err->error_exit((j_common_ptr)info);
    }
    t->manager.next_output_byte = bytes + t->room;
    t->manager.free_in_buffer = room - t->room;
    t->bytes = bytes;
    t->room = room;
    return TRUE;
}

static void end_target(j_compress_ptr info)
{
    (void)info;
}

/* Rows that are as the library wants them go together: each call of it costs as much as some pixels. */
static void write_rows(j_compress_ptr info, const struct robo_picture *p, unsigned divisor,
                       uint8_t *room)
{
    const bool as_they_are = divisor == 1 && p->format != ROBO_YUYV;
    while (info->next_scanline < info->image_height) {
        uint8_t *row[TOGETHER];
        const unsigned y = info->next_scanline, left = info->image_height - y;
        const unsigned n = !as_they_are ? 1 : left < TOGETHER ? left : TOGETHER;
        for (unsigned i = 0; i < n; i++) /* the library does not write to it */
            row[i] = (uint8_t *)robo__pixels_row(p, divisor, y + i, room);
        jpeg.jpeg_write_scanlines(info, row, n);
    }
}

static ptrdiff_t encode(const struct robo_picture *p, unsigned divisor, int quality,
                        struct target *target, uint8_t *row)
{
    struct jpeg_compress_struct info;
    struct trouble trouble;
    memset(&info, 0, sizeof info);
    info.err = prepare(&trouble);
    if (setjmp(trouble.out)) {
        jpeg.jpeg_destroy_compress(&info);
        return trouble.memory ? ROBO_ENOMEM : ROBO_EINVAL;
    }
    jpeg.jpeg_CreateCompress(&info, JPEG_LIB_VERSION, sizeof info);
    info.dest = &target->manager;
    info.image_width = p->width / divisor;
    info.image_height = p->height / divisor;
    info.input_components = (int)robo__pixels_components(p);
    info.in_color_space = p->format == ROBO_GRAY   ? JCS_GRAYSCALE
                          : p->format == ROBO_YUYV ? JCS_YCbCr
                                                   : JCS_RGB;
    jpeg.jpeg_set_defaults(&info);
    jpeg.jpeg_set_quality(&info, quality, TRUE);
    jpeg.jpeg_start_compress(&info, TRUE);
    write_rows(&info, p, divisor, row);
    jpeg.jpeg_finish_compress(&info);
    jpeg.jpeg_destroy_compress(&info);
    return (ptrdiff_t)(target->room - target->manager.free_in_buffer);
}

ptrdiff_t robo__jpeg_encode(const struct robo_picture *p, unsigned divisor, int quality,
                            uint8_t **bytes, size_t *room)
{
    struct target target = { .manager = { .init_destination = begin_target,
                                          .empty_output_buffer = grow_target,
                                          .term_destination = end_target } };
    if (robo__jpeg_load(NULL) < 0)
        return ROBO_ESYSTEM;
    if (divisor == 0 || p->width / divisor == 0 || p->height / divisor == 0)
        return ROBO_EINVAL;
    uint8_t *row = malloc((size_t)p->width * 3);
    target.room = *bytes && *room >= FIRST ? *room : FIRST;
    target.bytes = target.room == *room && *bytes ? *bytes : realloc(*bytes, target.room);
    ptrdiff_t size = ROBO_ENOMEM;
    if (target.bytes) {
        if (row)
            size = encode(p, divisor, quality, &target, row);
        *bytes = target.bytes;
        *room = target.room;
    }
    free(row);
    return size;
}

/* ---- from JPEG ---- */

static void watch_scans(j_common_ptr info)
{
    j_decompress_ptr d = (j_decompress_ptr)info;
    const uint64_t scans = (uint64_t)d->input_scan_number;
    if (scans > SCANS || scans * d->image_width * d->image_height > PIXELS)
        info->err->error_exit(info);
}

/* The result of reading a JPEG: its head, and its pixels, if they are wanted, into `out`, or nowhere. */
struct reading {
    enum robo_picture_format format;
    bool pixels;
    uint8_t *out;
    size_t room;
    unsigned size[2];
    size_t at; /* the byte where it could not be read on */
};

static void read_rows(j_decompress_ptr info, const struct reading *r, size_t stride)
{
    uint8_t *nowhere = NULL;
    if (!r->out) /* the library frees it */
        nowhere = info->mem->alloc_small((j_common_ptr)info, JPOOL_IMAGE, stride);
    info->out_color_space = r->format == ROBO_GRAY ? JCS_GRAYSCALE : JCS_RGB;
    jpeg.jpeg_start_decompress(info);
    while (info->output_scanline < info->output_height) {
        uint8_t *row = nowhere ? nowhere : r->out + info->output_scanline * stride;
        jpeg.jpeg_read_scanlines(info, &row, 1);
    }
    jpeg.jpeg_finish_decompress(info);
}

static int decode(const uint8_t *bytes, size_t n, struct reading *r)
{
    struct jpeg_decompress_struct info;
    struct jpeg_progress_mgr progress = { .progress_monitor = watch_scans };
    struct trouble trouble;
    memset(&info, 0, sizeof info);
    info.err = prepare(&trouble);
    if (setjmp(trouble.out)) {
        r->at = info.src && info.src->bytes_in_buffer <= n ? n - info.src->bytes_in_buffer : 0;
        jpeg.jpeg_destroy_decompress(&info);
        return trouble.memory ? ROBO_ENOMEM : ROBO_EBODY;
    }
    jpeg.jpeg_CreateDecompress(&info, JPEG_LIB_VERSION, sizeof info);
    info.progress = &progress;
    jpeg.jpeg_mem_src(&info, bytes, (unsigned long)n);
    jpeg.jpeg_read_header(&info, TRUE);
    r->size[0] = info.image_width;
    r->size[1] = info.image_height;
    const size_t stride = (size_t)info.image_width * (r->format == ROBO_GRAY ? 1 : 3);
    if (robo__pixels_size(ROBO_RGB, r->size[0], r->size[1]) == 0 ||
        (r->out && stride * info.image_height > r->room))
        info.err->error_exit((j_common_ptr)&info);
    if (r->pixels)
        read_rows(&info, r, stride);
    jpeg.jpeg_destroy_decompress(&info);
    return 0;
}

int robo_jpeg_size(const uint8_t *bytes, size_t n, unsigned *width, unsigned *height)
{
    struct reading r = { .format = ROBO_RGB };
    if (robo__jpeg_load(NULL) < 0)
        return ROBO_ESYSTEM;
    int error = decode(bytes, n, &r);
    if (error < 0)
        return error;
    *width = r.size[0];
    *height = r.size[1];
    return 0;
}

int robo_jpeg_decode(const uint8_t *bytes, size_t n, enum robo_picture_format format, uint8_t *out,
                     size_t room)
{
    struct reading r = { .format = format, .pixels = true, .out = out, .room = room };
    if (robo__jpeg_load(NULL) < 0)
        return ROBO_ESYSTEM;
    return decode(bytes, n, &r);
}

const char *robo_jpeg_fault(const uint8_t *bytes, size_t n, size_t *at)
{
    struct reading r = { .format = ROBO_RGB, .pixels = true };
    *at = 0;
    if (robo__jpeg_load(NULL) < 0 || decode(bytes, n, &r) != ROBO_EBODY)
        return NULL;
    const char *fault = robo__jpeg_fault(bytes, n, at);
    if (fault)
        return fault;
    *at = r.at;
    _Static_assert(ROBO_MAX_PICTURE == 64 << 20, "as the words have it");
    if (r.size[0] > 0 && robo__pixels_size(ROBO_RGB, r.size[0], r.size[1]) == 0)
        return "expected a picture of at most 64 MiB of pixels";
    return "expected data that a decoder can read";
}
