/* The reader of MCAP: one record or chunk in memory. Every length is compared with what is there before memory is asked for. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/gzip.h"
#include "compression.h"
#include "index.h"
#include "mcap.h"

enum {
    IDS = 1 << 16,
    CHUNK_HEAD = 40, /* bytes of a chunk before its records, without the name of its compression */
    NAME = 64        /* of that name at most */
};

struct robo_mcap_reader {
    int fd;               /* -1: of bytes in memory */
    const uint8_t *given; /* those */
    uint64_t size;
    uint64_t place;    /* of the next record */
    bool at_end, done; /* behind the footer; there is no more */

    uint64_t from, until; /* log times */
    bool knows_all;       /* it was at the end, or has read the summary: all channels were noted */
    uint8_t schema[IDS / 8], channel[IDS / 8];

    /* CRCs of what was read: of the file up to here; of the summary up to here. whole, in_summary: whether they are. */
    uint32_t crc, summary_crc;
    bool whole, in_summary;

    struct robo__mcap_out raw, unpacked; /* a record as in the file; its chunk, decompressed */
    struct robo__mcap_in chunk;          /* what is left of the chunk */
    const uint8_t *chunk_bytes;
    uint64_t chunk_place;
};

static int wrong(char why[256], uint64_t place, const char *form, ...)
    __attribute__((format(printf, 3, 4)));
static int wrong(char why[256], uint64_t place, const char *form, ...)
{
    va_list args;
    const int n = snprintf(why, 256, "byte %" PRIu64 ": ", place);
    va_start(args, form);
    vsnprintf(why + n, 256 - (size_t)n, form, args);
    va_end(args);
    return ROBO_EBODY;
}

/* A record at this place does not end in the file. */
static int cut_off(robo_mcap_reader *r, char why[256], const char *form, uint64_t n)
{
    r->done = r->knows_all = true;
    return wrong(why, r->place, form, n);
}

/* n bytes at this place of the file, which has them: *bytes is borrowed until the next call. */
static int take(robo_mcap_reader *r, uint64_t place, size_t n, const uint8_t **bytes, char why[256])
{
    if (r->fd < 0) {
        *bytes = r->given + place;
        return 0;
    }
    r->raw.used = 0;
    if (robo__mcap_room(&r->raw, n + 1) < 0) {
        snprintf(why, 256, "%s", robo_strerror(ROBO_ENOMEM));
        return ROBO_ENOMEM;
    }
    errno = EIO; /* the file has become shorter */
    if (robo__store_read(r->fd, r->raw.bytes, n, (int64_t)place) < n) {
        snprintf(why, 256, "byte %" PRIu64 ": %s", place, strerror(errno));
        return ROBO_ESYSTEM;
    }
    *bytes = r->raw.bytes;
    return 0;
}

static bool test_bit(const uint8_t *bits, uint16_t id)
{
    return bits[id / 8] >> id % 8 & 1;
}

/* Notes a schema or a channel; what is wrong with a record that needs another, or NULL. */
static const char *note(robo_mcap_reader *r, const struct robo_mcap_record *record)
{
    if (record->kind == ROBO_MCAP_SCHEMA)
        r->schema[record->id / 8] |= (uint8_t)(1 << record->id % 8);
    if (record->kind == ROBO_MCAP_CHANNEL) {
        if (record->schema != 0 && !test_bit(r->schema, record->schema))
            return "the schema of this channel before it";
        r->channel[record->id / 8] |= (uint8_t)(1 << record->id % 8);
    }
    if (record->kind == ROBO_MCAP_MESSAGE && !test_bit(r->channel, record->id))
        return "the channel of this message before it";
    return NULL;
}

/* ---- chunks ---- */

/* The next record of the chunk: 1, or 0 at its end. */
static int next_in_chunk(robo_mcap_reader *r, struct robo_mcap_record *record, char why[256])
{
    *record = (struct robo_mcap_record){ .place = r->chunk_place };
    if (r->chunk.at == r->chunk.end)
        return 0;
    record->offset = (uint64_t)(r->chunk.at - r->chunk_bytes);
    record->kind = (int)robo__mcap_get(&r->chunk, 1);
    const struct robo_mcap_bytes content = robo__mcap_get_text(&r->chunk, 8);
    const char *expected =
        r->chunk.bad || record->kind < ROBO_MCAP_SCHEMA || record->kind > ROBO_MCAP_MESSAGE
            ? "a schema, a channel or a message that is whole"
            : robo__mcap_decode((struct robo__mcap_in){ content.at, r->chunk.at, false }, record);
    if (!expected)
        expected = note(r, record);
    if (!expected)
        return 1;
    if (r->chunk.bad)
        r->chunk.at = r->chunk.end; /* where the next one begins is not known */
    return wrong(why, record->place, "expected %s, at byte %" PRIu64 " of the chunk", expected,
                 record->offset);
}

/* Unpacks the records of a chunk, of which `in` is the content. */
static int open_chunk(robo_mcap_reader *r, struct robo__mcap_in in, struct robo_mcap_record *record,
                      char why[256])
{
    const uint8_t *content = in.at;
    const char *fault = NULL;
    for (int i = 0; i < 2; i++) /* the times */
        robo__mcap_get(&in, 8);
    const uint64_t size = robo__mcap_get(&in, 8);
    const uint32_t crc = (uint32_t)robo__mcap_get(&in, 4);
    const struct robo_mcap_bytes name = robo__mcap_get_text(&in, 4);
    const struct robo_mcap_bytes records = robo__mcap_get_text(&in, 8);
    record->data.size = (size_t)((const uint8_t *)records.at - content);
    if (in.bad)
        return wrong(why, record->place, "expected a chunk with its records");
    if (size > ROBO_MCAP_MOST)
        return wrong(why, record->place, "expected a chunk of at most %d bytes, got %" PRIu64,
                     ROBO_MCAP_MOST, size);
    const struct robo__compression *kind = robo__compression_find(name.at, name.size);
    if (!kind)
        return wrong(why, record->place, "expected the compression zstd, lz4 or none, got %.*s",
                     (int)(name.size < NAME ? name.size : NAME), (const char *)name.at);
    const int error = kind->load(why);
    if (error < 0)
        return error;
    r->unpacked.used = 0;
    r->chunk_bytes = records.at;
    if (!kind->fits((size_t)size, records.at, records.size)) {
        fault = "it is of another size";
    } else if (kind->decompress) {
        if (robo__mcap_room(&r->unpacked, (size_t)size + 1) < 0) {
            snprintf(why, 256, "%s", robo_strerror(ROBO_ENOMEM));
            return ROBO_ENOMEM;
        }
        r->chunk_bytes = r->unpacked.bytes;
        fault = kind->decompress(r->unpacked.bytes, (size_t)size, records.at, records.size);
    }
    if (fault)
        return wrong(why, record->place, "expected %" PRIu64 " bytes in this chunk: %s", size,
                     fault);
    const uint32_t got = crc ? robo__crc32(0, r->chunk_bytes, (size_t)size) : 0;
    if (got != crc)
        return wrong(why, record->place,
                     "expected a chunk of the CRC %08" PRIx32 ", got %08" PRIx32, crc, got);
    r->chunk_place = record->place;
    r->chunk = (struct robo__mcap_in){ r->chunk_bytes, r->chunk_bytes + size, false };
    return 1;
}

/* Whether the chunk with that content has no message of the range. */
static bool is_beside(const robo_mcap_reader *r, const uint8_t *content, uint64_t length)
{
    struct robo__mcap_in in = { content, content + 16, length < 16 };
    const uint64_t start = robo__mcap_get(&in, 8), stop = robo__mcap_get(&in, 8);
    return !in.bad && (stop < r->from || start >= r->until);
}

/* ---- the file ---- */

static int check_end(robo_mcap_reader *r, char why[256])
{
    const uint8_t *bytes;
    r->done = true;
    if (r->size - r->place == ROBO__MCAP_MAGIC) {
        const int error = take(r, r->place, ROBO__MCAP_MAGIC, &bytes, why);
        if (error < 0)
            return error;
        if (memcmp(bytes, robo__mcap_magic, ROBO__MCAP_MAGIC) == 0)
            return 0;
    }
    return wrong(why, r->place, "expected the magic of MCAP behind the footer, and nothing else");
}

/* Compares the CRCs of a data section or a summary that was read whole. */
static const char *check_sums(robo_mcap_reader *r, const struct robo_mcap_record *record)
{
    const bool footer = record->kind == ROBO_MCAP_FOOTER;
    struct robo__mcap_in in = { record->data.at,
                                (const uint8_t *)record->data.at + record->data.size, false };
    in.at += footer && record->data.size >= 16 ? 16 : 0;
    const uint32_t crc = (uint32_t)robo__mcap_get(&in, 4);
    if (in.bad)
        return "a CRC";
    if (footer && !r->in_summary)
        return "the end of the data before the footer";
    if (footer)
        return crc && crc != r->summary_crc ? "another CRC of the summary" : NULL;
    return crc && r->whole && crc != r->crc ? "another CRC of the records before it" : NULL;
}

/* Adds a record to the sums; `covered` bytes of its content count. */
static void add_sums(robo_mcap_reader *r, const uint8_t prefix[ROBO__MCAP_PREFIX],
                     const uint8_t *content, size_t covered)
{
    uint32_t *sum = r->in_summary ? &r->summary_crc : &r->crc;
    if (r->in_summary || r->whole)
        *sum = robo__crc32(robo__crc32(*sum, prefix, ROBO__MCAP_PREFIX), content, covered);
}

/* The next record that is in no chunk: 1; 0: it is left out. */
static int next_outside(robo_mcap_reader *r, struct robo_mcap_record *record, char why[256])
{
    uint8_t prefix[ROBO__MCAP_PREFIX];
    const uint8_t *bytes;
    const uint64_t place = r->place, left = r->size - place;
    *record = (struct robo_mcap_record){ .place = place, .offset = UINT64_MAX };
    if (left < ROBO__MCAP_PREFIX)
        return cut_off(r, why,
                       left ? "expected a record, got %" PRIu64 " bytes and the end"
                            : "expected a footer before the end (%" PRIu64 " bytes more)",
                       left);
    int error = take(r, place, ROBO__MCAP_PREFIX, &bytes, why);
    if (error < 0)
        return error;
    memcpy(prefix, bytes, sizeof prefix);
    struct robo__mcap_in in = { prefix, prefix + sizeof prefix, false };
    record->kind = (int)robo__mcap_get(&in, 1);
    const uint64_t length = robo__mcap_get(&in, 8);
    if (record->kind == 0)
        return cut_off(r, why, "expected the kind of a record, got 0 and %" PRIu64, length);
    if (length > left - ROBO__MCAP_PREFIX)
        return cut_off(r, why, "expected %" PRIu64 " bytes of a record before the end", length);
    const bool is_chunk = record->kind == ROBO_MCAP_CHUNK;
    const bool skips = is_chunk && r->knows_all && (r->from > 0 || r->until < UINT64_MAX);
    if (length > ROBO_MCAP_MOST) {
        r->place += ROBO__MCAP_PREFIX + length;
        r->whole = r->in_summary = false;
        return wrong(why, place, "expected a record of at most %d bytes, got %" PRIu64,
                     ROBO_MCAP_MOST, length);
    }
    if (skips && length >= CHUNK_HEAD) {
        error = take(r, place + ROBO__MCAP_PREFIX, CHUNK_HEAD, &bytes, why);
        if (error < 0)
            return error;
        if (is_beside(r, bytes, length)) {
            r->place += ROBO__MCAP_PREFIX + length;
            r->whole = false;
            return 0;
        }
    }
    error = take(r, place + ROBO__MCAP_PREFIX, (size_t)length, &bytes, why);
    if (error < 0)
        return error;
    r->place += ROBO__MCAP_PREFIX + length;
    const bool end = record->kind == ROBO_MCAP_DATA_END, footer = record->kind == ROBO_MCAP_FOOTER;
    if (!end)
        add_sums(r, prefix, bytes, footer && length >= 16 ? 16 : (size_t)length);
    const struct robo__mcap_in content = { bytes, bytes + length, false };
    const char *expected = robo__mcap_decode(content, record);
    if (!expected && (end || footer))
        expected = check_sums(r, record);
    if (!expected)
        expected = note(r, record);
    if (end) { /* the sum of the summary begins */
        r->in_summary = true;
        r->summary_crc = 0;
    }
    r->at_end = footer;
    r->knows_all |= footer;
    if (expected)
        return wrong(why, place, "expected %s", expected);
    return is_chunk ? open_chunk(r, content, record, why) : 1;
}

int robo_mcap_next(robo_mcap_reader *r, struct robo_mcap_record *record, char why[256])
{
    while (!r->done) {
        int n = next_in_chunk(r, record, why);
        if (n == 0 && r->at_end)
            return check_end(r, why);
        if (n == 0)
            n = next_outside(r, record, why);
        if (n < 0)
            return n;
        if (n > 0 && !(record->kind == ROBO_MCAP_MESSAGE &&
                       (record->log_time < r->from || record->log_time >= r->until)))
            return 1;
    }
    return 0;
}

int robo_mcap_summary(robo_mcap_reader *r, char why[256])
{
    enum { END = ROBO__MCAP_PREFIX + ROBO__MCAP_FOOTER + ROBO__MCAP_MAGIC };
    const uint8_t *bytes;
    if (r->size < END + ROBO__MCAP_MAGIC) {
        wrong(why, r->size, "expected a footer before the end");
        return ROBO_ENONE;
    }
    const uint64_t place = r->size - END;
    const int error = take(r, place, END, &bytes, why);
    if (error < 0)
        return error;
    struct robo__mcap_in in = { bytes, bytes + END, false };
    const uint64_t kind = robo__mcap_get(&in, 1), length = robo__mcap_get(&in, 8),
                   start = robo__mcap_get(&in, 8);
    if (kind != ROBO_MCAP_FOOTER || length != ROBO__MCAP_FOOTER ||
        memcmp(bytes + END - ROBO__MCAP_MAGIC, robo__mcap_magic, ROBO__MCAP_MAGIC) != 0 ||
        start == 0) {
        wrong(why, place, start == 0 ? "expected a summary" : "expected a footer before the end");
        return ROBO_ENONE;
    }
    if (start < ROBO__MCAP_MAGIC || start > place)
        return wrong(why, place, "expected a summary in front, got one at byte %" PRIu64, start);
    robo_mcap_range(r, r->from, r->until);
    r->place = start;
    r->whole = false;
    r->in_summary = true;
    return 0;
}

void robo_mcap_range(robo_mcap_reader *r, uint64_t from, uint64_t until)
{
    r->from = from;
    r->until = until;
    r->place = ROBO__MCAP_MAGIC;
    r->done = r->at_end = r->in_summary = false;
    r->whole = true;
    r->crc = robo__crc32(0, robo__mcap_magic, ROBO__MCAP_MAGIC);
    r->summary_crc = 0;
    r->chunk = (struct robo__mcap_in){ NULL, NULL, false };
}

/* ---- its life ---- */

static int begin(robo_mcap_reader *r, char why[256])
{
    const uint8_t *bytes = NULL;
    const size_t n = r->size < ROBO__MCAP_MAGIC ? (size_t)r->size : ROBO__MCAP_MAGIC;
    const int error = take(r, 0, n, &bytes, why);
    if (error < 0)
        return error;
    if (n < ROBO__MCAP_MAGIC || memcmp(bytes, robo__mcap_magic, n) != 0)
        return wrong(why, 0, "expected the magic of MCAP");
    robo_mcap_range(r, 0, UINT64_MAX);
    return 0;
}

static int open_file(robo_mcap_reader *r, const char *path, char why[256])
{
    struct stat status;
    r->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const bool is_there = r->fd >= 0 && fstat(r->fd, &status) == 0;
    if (!is_there || !S_ISREG(status.st_mode)) {
        snprintf(why, 256, "%.180s: %s", path, is_there ? "expected a file" : strerror(errno));
        return ROBO_ESYSTEM;
    }
    r->size = (uint64_t)status.st_size;
    return begin(r, why);
}

static robo_mcap_reader *open_reader(const char *path, const void *bytes, size_t n, int *error,
                                     char why[256])
{
    char words[256];
    robo_mcap_reader *r = calloc(1, sizeof *r);
    int result = ROBO_ENOMEM;
    snprintf(words, sizeof words, "%s", robo_strerror(result));
    if (r) {
        r->fd = -1;
        r->given = bytes;
        r->size = n;
        result = path ? open_file(r, path, words) : begin(r, words);
    }
    if (error)
        *error = result;
    if (result == 0)
        return r;
    if (why)
        memcpy(why, words, sizeof words);
    robo_mcap_close(r);
    return NULL;
}

robo_mcap_reader *robo_mcap_open(const char *path, int *error, char why[256])
{
    return open_reader(path, NULL, 0, error, why);
}

robo_mcap_reader *robo_mcap_open_bytes(const void *bytes, size_t n, int *error, char why[256])
{
    return open_reader(NULL, bytes, n, error, why);
}

void robo_mcap_close(robo_mcap_reader *r)
{
    if (!r)
        return;
    if (r->fd >= 0)
        close(r->fd);
    free(r->raw.bytes);
    free(r->unpacked.bytes);
    free(r);
}
