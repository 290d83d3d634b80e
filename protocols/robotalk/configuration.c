/* The configuration block. */
#include "configuration.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "body/driver_options.h"
#include "robotalk/description.h"

const struct robo_message *const robo__records[ROBO__SECTIONS] = {
    &robo_link_message,  &robo_joint_message,  &robo_dof_message,    &robo_frame_message,
    &robo_shape_message, &robo_camera_message, &robo_sensor_message, &robo_widget_message,
};

static size_t header_size(void)
{
    return robo_block_message.bytes + robo_configuration_message.bytes;
}

size_t robo__configuration_most(void)
{
    size_t size = header_size();
    for (size_t i = 0; i < ROBO__SECTIONS; i++)
        size += robo__sections[i].most * robo__records[i]->bytes;
    return size;
}

size_t robo__configuration_size(const struct robo_description *d)
{
    size_t size = header_size();
    for (size_t i = 0; i < ROBO__SECTIONS; i++)
        size += robo__section_has(d, &robo__sections[i]) * robo__records[i]->bytes;
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
        block.bytes[i] = (uint16_t)robo__records[i]->bytes;
        at += (size_t)robo__section_has(d, &robo__sections[i]) * block.bytes[i];
    }

    ptrdiff_t used = robo_message_encode(&robo_block_message, &block, out, n, where);
    ptrdiff_t more =
        robo_message_encode(&robo_configuration_message, d, out + used, n - (size_t)used, where);
    if (more < 0)
        return more;
    at = (size_t)(used + more);
    /* fields that need not be there are there: the header has one size, and so have the records of one section */
    memset(out + at, 0, block.header - at);
    at = block.header;
    for (size_t i = 0; i < ROBO__SECTIONS; i++) {
        const struct robo_section *s = &robo__sections[i];
        for (size_t k = 0; k < robo__section_has(d, s); k++) {
            more = robo_message_encode(robo__records[i], robo__section_record(d, s, k), out + at,
                                       n - at, where);
            if (more < 0)
                return more;
            memset(out + at + more, 0, block.bytes[i] - (size_t)more);
            at += block.bytes[i];
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
    const struct robo_section *s = &robo__sections[i];
    const struct robo_message *records = robo__records[i];
    size_t count = robo__section_has(d, s), bytes = block->bytes[i], at = block->offset[i];
    char text[64];
    /* a later version may have put more behind the fields of a record: that is skipped, here and in the header. An earlier
       version ends a record after its own fields, before those that are optional */
    if (bytes < records->bytes && (bytes == 0 || records->least == records->nfields)) {
        snprintf(text, sizeof text, "records of %zu bytes or more, got %zu", records->bytes, bytes);
        return wrong(why, 0, s->noun, text);
    }
    if (at < block->header || at > n || (n - at) / bytes < count)
        return wrong(why, at, s->noun, "a section that lies within the block");
    for (size_t k = 0; k < count; k++, at += bytes) {
        const char *field = "";
        if (robo_message_decode(records, in + at, bytes, robo__section_record(d, s, k), &field) <=
            0) {
            snprintf(text, sizeof text, "%s %zu, %s", s->noun, k, field);
            return wrong(why, at, text, "a value of its range");
        }
    }
    return 0;
}

/* Room for the records that the header announces, in zeros. */
static int make_room(struct robo_description *d, void **room, char why[192])
{
    char text[64];
    for (size_t i = 0; i < ROBO__SECTIONS; i++) {
        const struct robo_section *s = &robo__sections[i];
        if (robo__section_has(d, s) <= s->most)
            continue;
        snprintf(text, sizeof text, "at most %u, got %u", s->most, robo__section_has(d, s));
        return wrong(why, 0, s->noun, text);
    }
    *room = calloc(1, robo__description_room(d) + 1);
    robo__description_move(d, *room);
    return *room ? 0 : ROBO_ENOMEM;
}

static int decode(const uint8_t *in, size_t n, struct robo_description *d, void **room,
                  char why[192])
{
    struct robo_block block;
    const char *field = "";
    ptrdiff_t used = robo_message_decode(&robo_block_message, in, n, &block, &field);
    if (used == 0)
        return wrong(why, n, "header", "more bytes");
    if (used < 0)
        return wrong(why, 0, field, "a value of its range");
    if (block.magic != ROBO_BLOCK_MAGIC)
        return wrong(why, 0, "magic", "the letters RTCB");
    if (block.version != ROBO_VERSION)
        return wrong(why, 4, "version", "2");
    /* an earlier version lacks optional fields */
    if (block.header < robo_block_message.bytes ||
        (block.header < header_size() &&
         robo_configuration_message.least == robo_configuration_message.nfields))
        return wrong(why, 6, "header", "the size of this version's header or more");
    if (block.size != n)
        return wrong(why, 8, "size", "the bytes that are there");
    if (n < block.header)
        return wrong(why, n, "header", "more bytes");
    if (robo__decode_part(&robo_configuration_message, in + used, block.header - (size_t)used, d,
                          &field) <= 0)
        return wrong(why, (size_t)used, field, "a value of its range");
    int error = make_room(d, room, why);
    for (size_t i = 0; error == 0 && i < ROBO__SECTIONS; i++)
        error = decode_section(in, n, &block, i, d, why);
    return error;
}

static int read_body(const void *block, size_t size, const struct robo_binding *driver,
                     const struct robo_description *old, robo_body **body, char text[192])
{
    char what[128], ignored[192];
    char *why = text ? text : ignored;
    struct robo_description d = { .name = "" };
    void *room = NULL;
    why[0] = 0;
    int error = decode(block, size, &d, &room, why);
    if (error == 0 && driver) {
        d.devices = 1; /* joints name none, and so the first */
        d.device[0] = *driver;
    }
    if (error == 0 && old)
        robo__bindings_inherit(&d, old);
    if (error == 0)
        error = robo_body_make(&d, body, what);
    if (error == ROBO_EINVAL) {
        snprintf(why, 192, "configuration block: %s", what);
        error = ROBO_EBODY;
    }
    free(room);
    return error;
}

int robo_body_read(const void *block, size_t size, const struct robo_binding *driver,
                   robo_body **body, char text[192])
{
    return read_body(block, size, driver, NULL, body, text);
}

int robo__configuration_renew(const void *block, size_t size, const struct robo_description *old,
                              robo_body **body, char text[192])
{
    return read_body(block, size, NULL, old, body, text);
}

ptrdiff_t robo_body_write(const robo_body *body, void *block, size_t size, char why[192])
{
    const struct robo_description *d = robo_body_description(body);
    const char *where = "";
    if (!block)
        return (ptrdiff_t)robo__configuration_size(d);
    const ptrdiff_t used = robo__configuration_encode(d, block, size, &where);
    if (used < 0 && why)
        snprintf(why, 192, "%s", where);
    return used;
}

size_t robo_body_most(void)
{
    return robo__configuration_most();
}
