/* libjpeg-turbo alone, as its documentation has it: a picture of RGB in memory to a JPEG in memory. */
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

#include "limits.h"

struct limit_jpeg {
    struct jpeg_compress_struct info;
    struct jpeg_error_mgr errors;
    JSAMPROW *row;
    unsigned char *out, *given;
    unsigned long room;
};

struct limit_jpeg *limit_jpeg_open(unsigned width, unsigned height, int quality)
{
    struct limit_jpeg *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->room = (unsigned long)width * height * 3;
    l->row = calloc(height, sizeof *l->row);
    l->out = malloc(l->room);
    l->info.err = jpeg_std_error(&l->errors);
    jpeg_create_compress(&l->info);
    l->info.image_width = width;
    l->info.image_height = height;
    l->info.input_components = 3;
    l->info.in_color_space = JCS_RGB;
    jpeg_set_defaults(&l->info);
    jpeg_set_quality(&l->info, quality, TRUE);
    return l;
}

size_t limit_jpeg_encode(struct limit_jpeg *l, const unsigned char *pixels)
{
    unsigned long size = l->room;
    for (unsigned y = 0; y < l->info.image_height; y++)
        l->row[y] = (JSAMPROW)pixels + (size_t)3 * y * l->info.image_width;
    l->given = l->out;
    jpeg_mem_dest(&l->info, &l->given, &size);
    jpeg_start_compress(&l->info, TRUE);
    while (l->info.next_scanline < l->info.image_height)
        jpeg_write_scanlines(&l->info, l->row + l->info.next_scanline,
                             l->info.image_height - l->info.next_scanline);
    jpeg_finish_compress(&l->info);
    return size;
}

const unsigned char *limit_jpeg_bytes(const struct limit_jpeg *l)
{
    return l->given;
}

void limit_jpeg_close(struct limit_jpeg *l)
{
    jpeg_destroy_compress(&l->info);
    free(l->row);
    free(l->out);
    free(l);
}
