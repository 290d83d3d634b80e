/* MCAP: what is written, what a reader makes of any part of it, and of damage; disks that are full. Other programs read the same files in
 * tests/e2e/mcap.sh. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../test.h"
#include "base/gzip.h"
#include "store/mcap.h"

enum { MESSAGES = 10, ROOM = 1 << 20, SECOND = 1000000000 };

static char folder[32], path[64], why[256];
static robo_mcap_writer *writer;
static robo_mcap_reader *reader;
static uint8_t file[ROOM];
static uint8_t *copy; /* a block of its own, so that a sanitizer sees reading beyond it */
static size_t size;

static int begin(void **state)
{
    writer = NULL;
    reader = NULL;
    strcpy(folder, "/tmp/mcap.XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/a.mcap", folder);
    return 0;
}

static int end(void **state)
{
    robo_mcap_finish(writer, why);
    robo_mcap_close(reader);
    free(copy);
    copy = NULL;
    unlink(path);
    return rmdir(folder);
}

FIXTURE(begin, end);

static struct robo_mcap_bytes text(const char *words)
{
    return (struct robo_mcap_bytes){ words, strlen(words) };
}

static const char object[] = "{\"type\":\"object\"}";

static struct robo_mcap_record schema(uint16_t id)
{
    return (struct robo_mcap_record){ .kind = ROBO_MCAP_SCHEMA,
                                      .id = id,
                                      .name = text("robotalk.Position"),
                                      .encoding = text("jsonschema"),
                                      .data = text(object) };
}

static struct robo_mcap_record channel(uint16_t id, uint16_t schema_id)
{
    return (struct robo_mcap_record){ .kind = ROBO_MCAP_CHANNEL,
                                      .id = id,
                                      .schema = schema_id,
                                      .name = text("/robot/position"),
                                      .encoding = text("json") };
}

static struct robo_mcap_record message(uint16_t id, unsigned i, uint64_t time, const char *words)
{
    return (struct robo_mcap_record){ .kind = ROBO_MCAP_MESSAGE,
                                      .id = id,
                                      .sequence = i,
                                      .log_time = time,
                                      .publish_time = time,
                                      .data = text(words) };
}

/* ---- files ---- */

static void create(const char *compression, uint32_t chunk_bytes)
{
    const struct robo_mcap_options options = { sizeof options, compression, chunk_bytes, 0 };
    int error;
    writer = robo_mcap_create(path, &options, &error, why);
    assert_non_null(writer);
    assert_int_equal(error, 0);
}

static void put(struct robo_mcap_record record)
{
    assert_int_equal(robo_mcap_write(writer, &record, why), 0);
}

static void read_file(void)
{
    const int fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    const ssize_t n = read(fd, file, sizeof file);
    close(fd);
    assert_in_range(n, 1, ROOM - 1);
    size = (size_t)n;
}

static void finish(void)
{
    robo_mcap_writer *w = writer;
    writer = NULL;
    assert_int_equal(robo_mcap_finish(w, why), 0);
    read_file();
}

/* A message of each tenth of a second, from one second on. */
static void put_messages(unsigned n)
{
    char words[32];
    for (unsigned i = 0; i < n; i++) {
        snprintf(words, sizeof words, "{\"x\":%u}", i);
        put(message(1, i, SECOND + i * UINT64_C(100000000), words));
    }
}

static void write_small(const char *compression)
{
    create(compression, 0);
    put(schema(1));
    put(channel(1, 1));
    put_messages(MESSAGES);
    finish();
}

static int open_bytes(size_t n)
{
    int error = 0;
    robo_mcap_close(reader);
    free(copy);
    copy = malloc(n + !n);
    memcpy(copy, file, n);
    reader = robo_mcap_open_bytes(copy, n, &error, why);
    assert_true(reader || error == ROBO_EBODY || error == ROBO_ENOMEM);
    return error;
}

/* The records that a reader finds until its end. */
struct found {
    unsigned messages, chunks, records, errors;
    uint64_t sum; /* of the numbers of the messages */
};

static struct found look(void)
{
    struct found found = { 0 };
    struct robo_mcap_record r;
    int n;
    why[0] = 0;
    while (found.errors < 1000 && (n = robo_mcap_next(reader, &r, why)) != 0) {
        assert_true(n == 1 || n == ROBO_EBODY || n == ROBO_ENOMEM);
        found.errors += n < 0;
        found.records += n > 0;
        found.messages += n > 0 && r.kind == ROBO_MCAP_MESSAGE;
        found.chunks += n > 0 && r.kind == ROBO_MCAP_CHUNK;
        if (n > 0 && r.kind == ROBO_MCAP_MESSAGE)
            found.sum += r.sequence;
        if (n == ROBO_ENOMEM)
            fail();
    }
    assert_true(found.errors < 1000);
    return found;
}

/* ---- bytes ---- */

/* The smallest file, by hand: 585 bytes for ten messages. */
static void write_by_hand(void)
{
    struct robo__mcap_out out = { file, 0, ROOM };
    const struct robo_mcap_record records[] = {
        { .kind = ROBO_MCAP_HEADER, .encoding = text("unit tests of robot") },
        { .kind = ROBO_MCAP_DATA_END, .data = { "\0\0\0\0", 4 } },
        { .kind = ROBO_MCAP_FOOTER, .data = { "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20 } }
    };
    const struct robo_mcap_record s = schema(1), c = channel(1, 1);
    robo__mcap_put_bytes(&out, robo__mcap_magic, 8);
    robo__mcap_encode(&out, &records[0]);
    robo__mcap_encode(&out, &s);
    robo__mcap_encode(&out, &c);
    for (unsigned i = 0; i < MESSAGES; i++) {
        char words[32];
        snprintf(words, sizeof words, "{\"x\":%u}", i);
        const struct robo_mcap_record m = message(1, i, i, words);
        robo__mcap_encode(&out, &m);
    }
    robo__mcap_encode(&out, &records[1]);
    robo__mcap_encode(&out, &records[2]);
    robo__mcap_put_bytes(&out, robo__mcap_magic, 8);
    size = out.used;
}

TEST(a_record_has_the_bytes_of_the_format)
{
    static const uint8_t expected[] = { 5,   27,   0,    0,    0,  0, 0, 0, 0, /* kind, length */
                                        1,   0,                                /* channel */
                                        7,   0,    0,    0,                    /* sequence */
                                        0,   0xca, 0x9a, 0x3b, 0,  0, 0, 0,    /* log time, 1 s */
                                        0,   0xca, 0x9a, 0x3b, 0,  0, 0, 0,    /* publish time */
                                        '{', 'x',  '}',  '1',  '2' };
    uint8_t bytes[128];
    struct robo__mcap_out out = { bytes, 0, sizeof bytes };
    const struct robo_mcap_record m = message(1, 7, SECOND, "{x}12");
    robo__mcap_encode(&out, &m);
    assert_int_equal(out.used, sizeof expected);
    assert_memory_equal(bytes, expected, sizeof expected);
}

TEST(the_smallest_file_is_read)
{
    write_by_hand();
    assert_int_equal(size, 585);
    assert_int_equal(open_bytes(size), 0);
    const struct found found = look();
    assert_int_equal(found.messages, MESSAGES);
    assert_int_equal(found.errors, 0);
    assert_int_equal(robo_mcap_summary(reader, why), ROBO_ENONE);
    assert_non_null(strstr(why, "expected a summary"));
}

/* A file from records in pieces; what is none is refused, and the rest stays. */
TEST(records_in_pieces)
{
    enum { BEGIN = 44, END = 50 }; /* bytes before and behind those that a writer takes */
    static const uint8_t none[] = { 4, 1, 0, 0, 0, 0, 0, 0, 0, 0 },
                         vast[] = { 4, 0, 0, 0, 0, 0, 0, 1, 0 };
    for (size_t step = 1; step < 600; step = 5 * step + 2) {
        write_by_hand();
        create("", 0);
        for (size_t at = BEGIN; at < size - END; at += step)
            assert_int_equal(robo_mcap_feed(writer, file + at,
                                            at + step < size - END ? step : size - END - at, why),
                             0);
        finish();
        assert_int_equal(open_bytes(size), 0);
        const struct found found = look();
        assert_int_equal(found.messages, MESSAGES);
        assert_int_equal(found.errors, 0);
        robo_mcap_close(reader);
        reader = NULL;
        unlink(path);
    }
    create("", 0);
    assert_int_equal(robo_mcap_feed(writer, none, 9, why), 0);
    assert_int_equal(robo_mcap_feed(writer, none + 9, 1, why), ROBO_EBODY);
    assert_string_equal(why, "expected a channel that is whole");
    finish();
    unlink(path);
    create("", 0);
    assert_int_equal(robo_mcap_feed(writer, vast, 9, why), ROBO_EBODY);
}

/* The records of the file that the writer makes, in their order and with their places: all of the format in one line. */
TEST(a_file_has_its_records_in_order)
{
    char line[512] = "";
    struct robo_mcap_record r;
    write_small("");
    assert_int_equal(open_bytes(size), 0);
    while (robo_mcap_next(reader, &r, why) == 1)
        if (r.kind != ROBO_MCAP_MESSAGE)
            snprintf(line + strlen(line), sizeof line - strlen(line), "%d@%u ", r.kind,
                     (unsigned)r.place);
    /* header, chunk with schema and channel, its index; data end, schema, channel, index of the chunk, statistics, four
     * offsets, footer */
    assert_string_equal(line, "1@8 6@39 3@39 4@39 7@579 15@754 3@767 4@834 8@878 11@961 14@1026 "
                              "14@1052 14@1078 14@1104 2@1130 ");
    assert_int_equal(size, 1167);
    /* without the header, which has a version */
    assert_int_equal(robo__crc32(0, file + 39, 579 - 39), 0xb9a42dc1);
}

TEST(each_cut_is_read_up_to_its_last_whole_record)
{
    for (int kind = 0; kind < 2; kind++) {
        unsigned before = 0;
        if (kind == 0) {
            write_by_hand();
        } else {
            write_small("");
            unlink(path);
        }
        for (size_t n = 0; n < size; n++) {
            if (open_bytes(n) < 0) {
                assert_in_range(n, 0, 7);
                continue;
            }
            const struct found found = look();
            assert_int_equal(found.errors, 1);
            assert_non_null(strstr(why, n == size - 1 ? "magic" : "byte "));
            assert_in_range(found.records, before, before + 13);
            before = found.records;
            assert_int_equal(robo_mcap_next(reader, &(struct robo_mcap_record){ 0 }, why), 0);
        }
        assert_int_equal(open_bytes(size), 0);
        assert_int_equal(look().errors, 0);
    }
}

TEST(each_damaged_byte_is_noticed)
{
    static uint8_t whole[ROOM];
    write_small("zstd");
    memcpy(whole, file, size);
    for (size_t n = 0; n < size; n++) {
        file[n] ^= 0x10;
        if (open_bytes(size) == 0) {
            const struct found found = look();
            /* bytes of the message index are in the CRC of the data section */
            assert_true(found.errors > 0);
        }
        file[n] = whole[n];
    }
}

TEST(a_damaged_chunk_leaves_the_others)
{
    create("", 200);
    put(schema(1));
    put(channel(1, 1));
    put_messages(50);
    finish();
    assert_int_equal(open_bytes(size), 0);
    struct found found = look();
    assert_int_equal(found.messages, 50);
    assert_in_range(found.chunks, 10, 25);
    file[size / 3] ^= 1; /* one of a chunk */
    assert_int_equal(open_bytes(size), 0);
    found = look();
    assert_int_equal(found.errors, 2); /* the chunk's CRC, and that of the data section */
    assert_in_range(found.messages, 40, 49);
}

/* ---- compression ---- */

TEST(compressed_chunks_are_read)
{
    static const char *const kinds[] = { "", "lz4", "zstd", NULL };
    size_t plain = 0;
    for (int i = 0; i < 4; i++) {
        create(kinds[i], 0);
        put(schema(1));
        put(channel(1, 1));
        put_messages(2000);
        finish();
        unlink(path);
        plain = i == 0 ? size : plain;
        assert_true(i == 0 || size < plain);
        assert_int_equal(open_bytes(size), 0);
        const struct found found = look();
        assert_int_equal(found.messages, 2000);
        assert_int_equal(found.sum, 2000 * 1999 / 2);
        assert_int_equal(found.chunks, 200); /* one a second */
    }
}

TEST(an_unknown_compression_is_told)
{
    const struct robo_mcap_options options = { .size = sizeof options, .compression = "rar" };
    int error;
    assert_null(robo_mcap_create(path, &options, &error, why));
    assert_int_equal(error, ROBO_EINVAL);
    assert_string_equal(why, "expected the compression zstd, lz4 or none, got rar");
    assert_int_equal(access(path, F_OK), -1);
}

/* ---- what is left out, and what is refused ---- */

TEST(a_range_skips_chunks)
{
    create("", 0);
    put(schema(1));
    put(channel(1, 1));
    put_messages(100);
    finish();
    assert_int_equal(open_bytes(size), 0);
    robo_mcap_range(reader, 3 * (uint64_t)SECOND, 5 * (uint64_t)SECOND);
    struct found found = look();
    assert_int_equal(found.messages, 20);
    assert_int_equal(found.chunks, 10);
    assert_int_equal(robo_mcap_summary(reader, why), 0);
    found = look();
    assert_int_equal(found.messages + found.chunks + found.errors, 0);
    robo_mcap_range(reader, 3 * (uint64_t)SECOND, 5 * (uint64_t)SECOND);
    found = look();
    assert_int_equal(found.messages, 20);
    assert_int_equal(found.chunks, 2);
    assert_int_equal(found.errors, 0);
}

static void refused(int error, struct robo_mcap_record record)
{
    assert_int_equal(robo_mcap_write(writer, &record, why), error);
    assert_string_equal(why, robo_strerror(error));
}

TEST(what_is_not_valid_is_refused)
{
    create("", 0);
    refused(ROBO_EINVAL, schema(0));
    refused(ROBO_EINVAL, channel(1, 1));
    refused(ROBO_EINVAL, message(1, 0, 0, ""));
    put(schema(1));
    put(schema(1)); /* the same again */
    struct robo_mcap_record other = schema(1);
    other.name = text("other");
    refused(ROBO_EEXISTS, other);
    other = channel(7, 0);
    other.map = text("no map");
    refused(ROBO_EINVAL, other);
    put(channel(7, 0));
    refused(ROBO_EEXISTS, channel(7, 1));
    other = message(7, 0, 0, "");
    other.data.size = ROBO_MCAP_MOST;
    refused(ROBO_EINVAL, (struct robo_mcap_record){ .kind = ROBO_MCAP_FOOTER });
    refused(ROBO_ESIZE, other);
    finish();
    assert_int_equal(open_bytes(size), 0);
    assert_int_equal(look().errors, 0);
    int error;
    assert_null(robo_mcap_create(path, NULL, &error, why));
    assert_int_equal(error, ROBO_EEXISTS);
}

TEST(adding_never_writes)
{
    struct stat status;
    const struct robo_mcap_record c = channel(1, 0), m = message(1, 0, 0, "0123456789"),
                                  later = message(1, 1, SECOND, "");
    create("", 100);
    stat(path, &status);
    assert_int_equal(robo_mcap_add(writer, &c), 0);
    assert_int_equal(robo_mcap_add(writer, &m), ROBO_EFULL);
    assert_int_equal(robo_mcap_flush(writer, why), 0);
    assert_int_equal(robo_mcap_add(writer, &m), 0);
    assert_int_equal(robo_mcap_add(writer, &later), ROBO_EFULL); /* a second has gone by */
    finish();
    assert_true(size > (size_t)status.st_size);
    assert_int_equal(open_bytes(size), 0);
    assert_int_equal(look().messages, 1);
}

TEST(attachments_and_metadata_are_kept)
{
    struct robo_mcap_record r, a = { .kind = ROBO_MCAP_ATTACHMENT,
                                     .log_time = 5,
                                     .publish_time = 6,
                                     .name = text("robot.urdf"),
                                     .encoding = text("text/xml"),
                                     .data = text("<robot/>") };
    const struct robo_mcap_record m = { .kind = ROBO_MCAP_METADATA,
                                        .name = text("by"),
                                        .map = { "\1\0\0\0a\2\0\0\0bc", 11 } };
    unsigned found = 0;
    create("", 0);
    put(a);
    put(m);
    finish();
    assert_int_equal(open_bytes(size), 0);
    while (robo_mcap_next(reader, &r, why) == 1) {
        found += r.kind == ROBO_MCAP_ATTACHMENT_INDEX || r.kind == ROBO_MCAP_METADATA_INDEX;
        if (r.kind == ROBO_MCAP_ATTACHMENT) {
            found += 10;
            assert_int_equal(r.data.size, 8);
            assert_memory_equal(r.data.at, "<robot/>", 8);
            assert_int_equal(r.publish_time, 6);
        }
        if (r.kind == ROBO_MCAP_METADATA) {
            found += 100;
            assert_memory_equal(r.map.at, m.map.at, 11);
        }
    }
    assert_int_equal(found, 112);
}

/* ---- a disk that is full ---- */

static void limit_file(rlim_t bytes)
{
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static int lift_limit(void **state)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, SIG_DFL);
    return end(state);
}

TEST(a_full_disk_leaves_whole_chunks_and_goes_on_when_there_is_room, begin, lift_limit)
{
    unsigned i = 0, kept = 0;
    create("", 300);
    put(channel(1, 0));
    limit_file(1000);
    for (; i < 100; i++) {
        struct robo_mcap_record m = message(1, i, i, "0123456789");
        const int error = robo_mcap_write(writer, &m, why);
        assert_true(error == 0 || error == ROBO_ESYSTEM);
        kept += error == 0;
        if (error < 0)
            assert_string_equal(why, "the recording is not written: File too large");
    }
    assert_in_range(kept, 10, 30);
    read_file();
    assert_int_equal(open_bytes(size), 0);
    struct found found = look();
    assert_int_equal(found.errors, 1);
    assert_non_null(strstr(why, "expected a footer before the end"));
    assert_in_range(found.messages, 1, kept - 1);
    limit_file(1 << 20);
    for (; i < 200; i++, kept++)
        put(message(1, i, i, "0123456789"));
    finish();
    assert_int_equal(open_bytes(size), 0);
    found = look();
    assert_int_equal(found.messages, kept);
    assert_int_equal(found.errors, 0);
}

TEST(what_cannot_be_written_is_told)
{
    char nowhere[64];
    int error;
    snprintf(nowhere, sizeof nowhere, "%s/b/a.mcap", folder);
    assert_null(robo_mcap_create(nowhere, NULL, &error, why));
    assert_int_equal(error, ROBO_ESYSTEM);
    assert_non_null(strstr(why, "/b/a.mcap: No such file or directory"));
    assert_null(robo_mcap_open(folder, &error, why));
    assert_int_equal(error, ROBO_ESYSTEM);
    assert_non_null(strstr(why, ": expected a file"));
}

/* ---- what was cut off is whole again ---- */

TEST(a_cut_file_is_copied_into_a_whole_one)
{
    char cut[64];
    struct robo_mcap_record r;
    int n, error;
    create(NULL, 0);
    put(schema(1));
    put(channel(1, 1));
    put_messages(100);
    finish();
    snprintf(cut, sizeof cut, "%s/cut.mcap", folder);
    rename(path, cut);
    assert_int_equal(truncate(cut, (off_t)size / 2), 0);
    create(NULL, 0);
    reader = robo_mcap_open(cut, &error, why);
    unlink(cut);
    assert_non_null(reader);
    while ((n = robo_mcap_next(reader, &r, why)) != 0)
        if (n == 1 && r.kind >= ROBO_MCAP_SCHEMA && r.kind <= ROBO_MCAP_MESSAGE)
            assert_int_equal(robo_mcap_write(writer, &r, why), 0);
    finish();
    assert_int_equal(open_bytes(size), 0);
    assert_int_equal(robo_mcap_summary(reader, why), 0);
    robo_mcap_range(reader, 0, UINT64_MAX);
    const struct found found = look();
    assert_in_range(found.messages, 20, 90);
    assert_int_equal(found.errors, 0);
}
