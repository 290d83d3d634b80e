/* The configuration block. */
#include "configuration.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct robo__section robo__sections[ROBO__SECTIONS] = {
#define SECTION(noun, many)                                                         \
    {                                                                               \
        &robo_##noun##_message, #noun, offsetof(struct robo_description, noun),     \
            offsetof(struct robo_description, many),                                \
            sizeof((struct robo_description *)0)->noun / sizeof(struct robo_##noun) \
    }
    SECTION(link, links),     SECTION(joint, joints),   SECTION(dof, dofs),
    SECTION(frame, frames),   SECTION(shape, shapes),   SECTION(camera, cameras),
    SECTION(sensor, sensors), SECTION(widget, widgets),
#undef SECTION
};

static size_t count_of(const struct robo_description *d, const struct robo__section *s)
{
    return *(const uint16_t *)(const void *)((const char *)d + s->count);
}

static size_t header_size(void)
{
    return robo__message_bytes(&robo_block_message) +
           robo__message_bytes(&robo_configuration_message);
}

size_t robo__configuration_most(void)
{
    size_t size = header_size();
    for (size_t i = 0; i < ROBO__SECTIONS; i++)
        size += robo__sections[i].most * robo__message_bytes(robo__sections[i].record);
    return size;
}

size_t robo__configuration_size(const struct robo_description *d)
{
    size_t size = header_size();
    for (size_t i = 0; i < ROBO__SECTIONS; i++)
        size += count_of(d, &robo__sections[i]) * robo__message_bytes(robo__sections[i].record);
    return size;
}

ptrdiff_t robo__configuration_encode(const struct robo_description *d, uint8_t *out, size_t n,
                                     const char **where)
{
    struct robo_block block = { .magic = ROBO_BLOCK_MAGIC,
                                .version = ROBO_VERSION,
                                .header = (uint16_t)header_size(),
                                .size = (uint32_t)robo__configuration_size(d) };
    if (n < block.size)
        return ROBO_EFULL;
    size_t at = block.header;
    for (size_t i = 0; i < ROBO__SECTIONS; i++) {
        block.offset[i] = (uint32_t)at;
        block.bytes[i] = (uint16_t)robo__message_bytes(robo__sections[i].record);
        at += count_of(d, &robo__sections[i]) * block.bytes[i];
    }

    ptrdiff_t used = robo__encode(&robo_block_message, &block, out, n, where);
    ptrdiff_t more =
        robo__encode(&robo_configuration_message, d, out + used, n - (size_t)used, where);
    if (more < 0)
        return more;
    at = (size_t)(used + more);
    for (size_t i = 0; i < ROBO__SECTIONS; i++) {
        const struct robo__section *s = &robo__sections[i];
        for (size_t k = 0; k < count_of(d, s); k++) {
            const uint8_t *record = (const uint8_t *)d + s->offset + k * s->record->size;
            more = robo__encode(s->record, record, out + at, n - at, where);
            if (more < 0)
                return more;
            at += (size_t)more;
        }
    }
    return (ptrdiff_t)at;
}

static int wrong(char why[192], size_t byte, const char *what, const char *expected)
{
    snprintf(why, 192, "configuration block, byte %zu: %s: expected %s", byte, what, expected);
    return ROBO_EBODY;
}

static int decode_section(const uint8_t *in, size_t n, const struct robo_block *block, size_t i,
                          struct robo_description *d, char why[192])
{
    const struct robo__section *s = &robo__sections[i];
    size_t count = count_of(d, s), bytes = block->bytes[i], at = block->offset[i];
    char text[64];
    if (count > s->most) {
        snprintf(text, sizeof text, "at most %zu, got %zu", s->most, count);
        return wrong(why, 0, s->noun, text);
    }
    if (bytes != robo__message_bytes(s->record)) {
        snprintf(text, sizeof text, "records of %zu bytes, got %zu", robo__message_bytes(s->record),
                 bytes);
        return wrong(why, 0, s->noun, text);
    }
    if (at < block->header || at > n || (n - at) / bytes < count)
        return wrong(why, at, s->noun, "a section that lies within the block");
    for (size_t k = 0; k < count; k++, at += bytes) {
        const char *field = "";
        uint8_t *record = (uint8_t *)d + s->offset + k * s->record->size;
        if (robo__decode(s->record, in + at, bytes, record, &field) <= 0) {
            snprintf(text, sizeof text, "%s %zu, %s", s->noun, k, field);
            return wrong(why, at, text, "a value of its range");
        }
    }
    return 0;
}

static int decode(const uint8_t *in, size_t n, struct robo_description *d, char why[192])
{
    struct robo_block block;
    const char *field = "";
    ptrdiff_t used = robo__decode(&robo_block_message, in, n, &block, &field);
    if (used == 0)
        return wrong(why, n, "header", "more bytes");
    if (used < 0)
        return wrong(why, 0, field, "a value of its range");
    if (block.magic != ROBO_BLOCK_MAGIC)
        return wrong(why, 0, "magic", "the letters RTCB");
    if (block.version != ROBO_VERSION)
        return wrong(why, 4, "version", "1");
    if (block.header != header_size())
        return wrong(why, 6, "header", "the size of this version's header");
    if (block.size != n)
        return wrong(why, 8, "size", "the bytes that are there");
    if (n < block.header)
        return wrong(why, n, "header", "more bytes");
    if (robo__decode_part(&robo_configuration_message, in + used, block.header - (size_t)used, d,
                          &field) <= 0)
        return wrong(why, (size_t)used, field, "a value of its range");
    for (size_t i = 0; i < ROBO__SECTIONS; i++) {
        int error = decode_section(in, n, &block, i, d, why);
        if (error < 0)
            return error;
    }
    return 0;
}

int robo__configuration_decode(const uint8_t *in, size_t n, robo_body **body, char why[192])
{
    char what[128];
    struct robo_description *d = calloc(1, sizeof *d);
    why[0] = 0;
    int error = d ? decode(in, n, d, why) : ROBO_ENOMEM;
    if (error == 0)
        error = robo_body_make(d, body, what);
    if (error == ROBO_EINVAL) {
        snprintf(why, 192, "configuration block: %s", what);
        error = ROBO_EBODY;
    }
    free(d);
    return error;
}
