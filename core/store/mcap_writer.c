/* The writer of MCAP: one chunk in memory, and the index of those on the disk. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/gzip.h"
#include "base/sized.h"
#include "compression.h"
#include "folder.h"
#include "mcap.h"

enum {
    IDS = 1 << 16,
    GROUPS = ROBO_MCAP_DATA_END,
    CHUNK_BYTES = 1 << 20,
    HEAD = 128 /* bytes of records that the writer makes, without their lists */
};
#define CHUNK_TIME UINT64_C(1000000000)

struct channel {
    bool known;
    uint64_t count;       /* messages in the file */
    uint32_t first, last; /* messages of the chunk, in w->entry */
    uint32_t in_chunk;    /* how many */
};

/* A message of the chunk. */
struct entry {
    uint64_t time, offset;
    uint32_t next; /* of its channel */
};

struct robo_mcap_writer {
    int fd;
    uint64_t end; /* of what the file has whole */
    uint32_t crc; /* of that */
    uint64_t chunk_bytes, chunk_time;
    const struct robo__compression *compression;

    struct robo__mcap_out chunk;
    uint64_t begun, start,
        stop; /* log times: of the chunk's first message, the least and the greatest */
    struct entry *entry;
    uint32_t entries, entry_room;

    struct channel *channel; /* by their ids */
    uint32_t channel_room;
    uint8_t schema[IDS / 8]; /* bits of those that are known */

    struct robo__mcap_out out;           /* what goes to the file next */
    struct robo__mcap_out fed;           /* the begin of a record */
    struct robo__mcap_out group[GROUPS]; /* records of the summary, by their kinds */
    uint32_t count[GROUPS];              /* how many; of messages: in the file */
    uint64_t messages, first, last;      /* in the file, and the range of their log times */
};

/* ---- the file ---- */

static int fault(const char *what, char why[256])
{
    snprintf(why, 256, "%.180s: %s", what, strerror(errno));
    return ROBO_ESYSTEM;
}

static int no_memory(char why[256])
{
    snprintf(why, 256, "%s", robo_strerror(ROBO_ENOMEM));
    return ROBO_ENOMEM;
}

/* Writes w->out at the end of the file, and syncs it; when that fails, the file is as it was. */
static int write_out(robo_mcap_writer *w, char why[256])
{
    if (!robo__store_write(w->fd, w->out.bytes, w->out.used, (int64_t)w->end) ||
        fdatasync(w->fd) < 0) {
        const int error = errno;
        const int ignored = ftruncate(w->fd, (off_t)w->end); /* readers stop there in any case */
        (void)ignored;
        errno = error;
        return fault("the recording is not written", why);
    }
    w->crc = robo__crc32(w->crc, w->out.bytes, w->out.used);
    w->end += w->out.used;
    return 0;
}

/* ---- chunks ---- */

static bool has_schema(const robo_mcap_writer *w, uint16_t id)
{
    return w->schema[id / 8] >> id % 8 & 1;
}

static struct channel *find_channel(const robo_mcap_writer *w, uint16_t id)
{
    return id < w->channel_room && w->channel[id].known ? &w->channel[id] : NULL;
}

/* Room for a channel of that id. */
static int make_channel(robo_mcap_writer *w, uint16_t id)
{
    if (id < w->channel_room)
        return 0;
    const uint32_t room = id + 64u;
    struct channel *more = realloc(w->channel, room * sizeof *more);
    if (!more)
        return ROBO_ENOMEM;
    memset(more + w->channel_room, 0, (room - w->channel_room) * sizeof *more);
    w->channel = more;
    w->channel_room = room;
    return 0;
}

static int make_entry(robo_mcap_writer *w)
{
    if (w->entries < w->entry_room)
        return 0;
    const uint32_t room = w->entry_room ? 2 * w->entry_room : 256;
    struct entry *more = realloc(w->entry, room * sizeof *more);
    if (!more)
        return ROBO_ENOMEM;
    w->entry = more;
    w->entry_room = room;
    return 0;
}

static void enter_message(robo_mcap_writer *w, const struct robo_mcap_record *r)
{
    struct channel *c = &w->channel[r->id];
    if (w->entries == 0)
        w->begun = w->start = w->stop = r->log_time;
    w->start = r->log_time < w->start ? r->log_time : w->start;
    w->stop = r->log_time > w->stop ? r->log_time : w->stop;
    *(c->in_chunk ? &w->entry[c->last].next : &c->first) = w->entries;
    c->last = w->entries;
    c->in_chunk++;
    w->entry[w->entries++] = (struct entry){ r->log_time, w->chunk.used, 0 };
}

static bool is_valid(const robo_mcap_writer *w, const struct robo_mcap_record *r)
{
    switch (r->kind) {
    case ROBO_MCAP_SCHEMA: return r->id != 0;
    case ROBO_MCAP_CHANNEL:
        return (r->schema == 0 || has_schema(w, r->schema)) && robo__mcap_is_map(r->map);
    case ROBO_MCAP_MESSAGE: return find_channel(w, r->id);
    case ROBO_MCAP_METADATA: return robo__mcap_is_map(r->map);
    default: return r->kind == ROBO_MCAP_ATTACHMENT;
    }
}

static bool is_due(const robo_mcap_writer *w, const struct robo_mcap_record *r, size_t size)
{
    if (w->chunk.used > 0 && w->chunk.used + size > w->chunk_bytes)
        return true;
    return r->kind == ROBO_MCAP_MESSAGE && w->entries > 0 && r->log_time > w->begun &&
           r->log_time - w->begun >= w->chunk_time;
}

int robo_mcap_add(robo_mcap_writer *w, const struct robo_mcap_record *r)
{
    const size_t size = robo__mcap_size(r);
    const bool message = r->kind == ROBO_MCAP_MESSAGE, channel = r->kind == ROBO_MCAP_CHANNEL;
    struct robo__mcap_out *group = &w->group[channel ? ROBO_MCAP_CHANNEL : ROBO_MCAP_SCHEMA];
    if (r->kind > ROBO_MCAP_MESSAGE || !is_valid(w, r))
        return ROBO_EINVAL;
    if (size > ROBO_MCAP_MOST)
        return ROBO_ESIZE;
    if (!message && (channel ? find_channel(w, r->id) != NULL : has_schema(w, r->id))) {
        w->out.used = 0;
        if (robo__mcap_room(&w->out, size) < 0)
            return ROBO_ENOMEM;
        robo__mcap_encode(&w->out, r);
        return memmem(group->bytes, group->used, w->out.bytes, w->out.used) ? 0 : ROBO_EEXISTS;
    }
    if (is_due(w, r, size))
        return ROBO_EFULL;
    int error = robo__mcap_room(&w->chunk, size);
    if (error == 0)
        error = message ? make_entry(w) : robo__mcap_room(group, size);
    if (error == 0 && channel)
        error = make_channel(w, r->id);
    if (error < 0)
        return error;
    if (message)
        enter_message(w, r);
    robo__mcap_encode(&w->chunk, r);
    if (message)
        return 0;
    robo__mcap_encode(group, r);
    w->count[r->kind]++;
    if (channel)
        w->channel[r->id].known = true;
    else
        w->schema[r->id / 8] |= (uint8_t)(1 << r->id % 8);
    return 0;
}

/* The chunk into w->out: its bytes, compressed; 0: out of memory. */
static size_t put_chunk(robo_mcap_writer *w)
{
    struct robo__mcap_out *out = &w->out;
    const struct robo_mcap_bytes name = { w->compression->name, strlen(w->compression->name) };
    const size_t content = robo__mcap_begin(out, ROBO_MCAP_CHUNK);
    robo__mcap_put_all(out, "8884",
                       (uint64_t[]){ w->start, w->stop, w->chunk.used,
                                     robo__crc32(0, w->chunk.bytes, w->chunk.used) });
    robo__mcap_put_text(out, name);
    const size_t at = out->used + 8, n = w->compression->compress(out->bytes + at, out->room - at,
                                                                  w->chunk.bytes, w->chunk.used);
    robo__mcap_put(out, n, 8);
    out->used += n;
    robo__mcap_end(out, content);
    return n;
}

/* Their indexes behind it, and its own into the summary, where there is room. */
static void put_indexes(robo_mcap_writer *w, size_t compressed)
{
    struct robo__mcap_out *out = &w->out, *index = &w->group[ROBO_MCAP_CHUNK_INDEX];
    const struct robo_mcap_bytes name = { w->compression->name, strlen(w->compression->name) };
    const size_t length = out->used, content = robo__mcap_begin(index, ROBO_MCAP_CHUNK_INDEX);
    robo__mcap_put_all(index, "8888", (uint64_t[]){ w->start, w->stop, w->end, length });
    const size_t map = index->used;
    robo__mcap_put(index, 0, 4);
    for (uint32_t id = 0; id < w->channel_room; id++) {
        const struct channel *c = &w->channel[id];
        if (c->in_chunk == 0)
            continue;
        robo__mcap_put_all(index, "28", (uint64_t[]){ id, w->end + out->used });
        const size_t list = robo__mcap_begin(out, ROBO_MCAP_MESSAGE_INDEX);
        robo__mcap_put_all(out, "24", (uint64_t[]){ id, (uint64_t)c->in_chunk * 16 });
        for (uint32_t i = 0, e = c->first; i < c->in_chunk; i++, e = w->entry[e].next)
            robo__mcap_put_all(out, "88", (uint64_t[]){ w->entry[e].time, w->entry[e].offset });
        robo__mcap_end(out, list);
    }
    const size_t end = index->used;
    index->used = map;
    robo__mcap_put(index, end - map - 4, 4);
    index->used = end;
    robo__mcap_put(index, out->used - length, 8);
    robo__mcap_put_text(index, name);
    robo__mcap_put_all(index, "88", (uint64_t[]){ compressed, w->chunk.used });
    robo__mcap_end(index, content);
}

/* The chunk is on the disk. */
static void begin_chunk(robo_mcap_writer *w)
{
    for (uint32_t id = 0; id < w->channel_room; id++) {
        w->channel[id].count += w->channel[id].in_chunk;
        w->channel[id].in_chunk = 0;
    }
    if (w->entries > 0) {
        w->first = w->messages == 0 || w->start < w->first ? w->start : w->first;
        w->last = w->stop > w->last ? w->stop : w->last;
    }
    w->messages += w->entries;
    w->count[ROBO_MCAP_CHUNK_INDEX]++;
    w->entries = 0;
    w->chunk.used = 0;
    w->start = w->stop = 0;
}

int robo_mcap_flush(robo_mcap_writer *w, char why[256])
{
    struct robo__mcap_out *index = &w->group[ROBO_MCAP_CHUNK_INDEX];
    size_t used = 0;
    if (w->chunk.used == 0)
        return 0;
    for (uint32_t id = 0; id < w->channel_room; id++)
        used += w->channel[id].in_chunk > 0;
    w->out.used = 0;
    const size_t before = index->used;
    if (robo__mcap_room(&w->out, w->compression->bound(w->chunk.used) + HEAD +
                                     used * (ROBO__MCAP_PREFIX + 6) + w->entries * 16ul) < 0 ||
        robo__mcap_room(index, HEAD + used * 10) < 0)
        return no_memory(why);
    const size_t compressed = put_chunk(w);
    if (compressed == 0)
        return no_memory(why);
    put_indexes(w, compressed);
    const int error = write_out(w, why);
    if (error < 0) {
        index->used = before;
        return error;
    }
    begin_chunk(w);
    return 0;
}

/* ---- what is in no chunk ---- */

static int write_apart(robo_mcap_writer *w, const struct robo_mcap_record *r, char why[256])
{
    const bool attachment = r->kind == ROBO_MCAP_ATTACHMENT;
    const int kind = attachment ? ROBO_MCAP_ATTACHMENT_INDEX : ROBO_MCAP_METADATA_INDEX;
    struct robo__mcap_out *index = &w->group[kind];
    const size_t size = robo__mcap_size(r);
    const uint64_t place = w->end;
    if (size > ROBO_MCAP_MOST)
        return ROBO_ESIZE;
    w->out.used = 0;
    if (robo__mcap_room(&w->out, size) < 0 || robo__mcap_room(index, size + HEAD) < 0)
        return no_memory(why);
    robo__mcap_encode(&w->out, r);
    const int error = write_out(w, why);
    if (error < 0)
        return error;
    const size_t content = robo__mcap_begin(index, kind);
    robo__mcap_put_all(
        index, attachment ? "88888" : "88",
        (uint64_t[]){ place, w->out.used, r->log_time, r->publish_time, r->data.size });
    robo__mcap_put_text(index, r->name);
    if (attachment)
        robo__mcap_put_text(index, r->encoding);
    robo__mcap_end(index, content);
    w->count[kind]++;
    return 0;
}

int robo_mcap_write(robo_mcap_writer *w, const struct robo_mcap_record *r, char why[256])
{
    const bool apart = r->kind == ROBO_MCAP_ATTACHMENT || r->kind == ROBO_MCAP_METADATA;
    int error = !apart           ? robo_mcap_add(w, r)
                : is_valid(w, r) ? write_apart(w, r, why)
                                 : ROBO_EINVAL;
    if (error == ROBO_EFULL) {
        error = robo_mcap_flush(w, why);
        if (error == 0)
            error = robo_mcap_add(w, r);
    }
    if (error < 0 && error != ROBO_ESYSTEM)
        snprintf(why, 256, "%s", robo_strerror(error));
    return error;
}

int robo_mcap_feed(robo_mcap_writer *w, const void *bytes, size_t n, char why[256])
{
    int error = 0;
    if (robo__mcap_room(&w->fed, n) < 0)
        return no_memory(why);
    robo__mcap_put_bytes(&w->fed, bytes, n);
    struct robo__mcap_in rest = { w->fed.bytes, w->fed.bytes + w->fed.used, false };
    while (error == 0 && rest.end - rest.at >= ROBO__MCAP_PREFIX) {
        struct robo__mcap_in in = rest;
        struct robo_mcap_record record = { .kind = (int)robo__mcap_get(&in, 1) };
        const uint8_t *content = in.at + 8;
        const uint64_t size = robo__mcap_get(&in, 8);
        const char *wrong = size > ROBO_MCAP_MOST ? "a shorter record" : NULL;
        if (!wrong && (uint64_t)(rest.end - content) < size)
            break;
        if (!wrong)
            wrong = robo__mcap_decode((struct robo__mcap_in){ content, content + size, false },
                                      &record);
        error = wrong ? ROBO_EBODY : robo_mcap_write(w, &record, why);
        if (wrong)
            snprintf(why, 256, "expected %s", wrong);
        if (error == 0)
            rest.at = content + size;
    }
    w->fed.used = (size_t)(rest.end - rest.at);
    memmove(w->fed.bytes, rest.at, w->fed.used);
    return error;
}

/* ---- its life ---- */

/* DataEnd, the summary, the offsets of its groups, the footer and the magic. */
static int put_end(robo_mcap_writer *w)
{
    static const uint8_t order[] = { ROBO_MCAP_SCHEMA,         ROBO_MCAP_CHANNEL,
                                     ROBO_MCAP_CHUNK_INDEX,    ROBO_MCAP_ATTACHMENT_INDEX,
                                     ROBO_MCAP_METADATA_INDEX, ROBO_MCAP_STATISTICS };
    enum { GROUP_COUNT = sizeof order, OFFSET = ROBO__MCAP_PREFIX + 17 };
    struct robo__mcap_out *out = &w->out, *statistics = &w->group[ROBO_MCAP_STATISTICS];
    uint64_t start[GROUP_COUNT + 1];
    size_t size = 2 * HEAD + GROUP_COUNT * OFFSET;
    if (robo__mcap_room(statistics, HEAD + w->channel_room * 10ul) < 0)
        return ROBO_ENOMEM;
    statistics->used = 0;
    size_t content = robo__mcap_begin(statistics, ROBO_MCAP_STATISTICS);
    robo__mcap_put_all(
        statistics, "824444884",
        (uint64_t[]){ w->messages, w->count[ROBO_MCAP_SCHEMA], w->count[ROBO_MCAP_CHANNEL],
                      w->count[ROBO_MCAP_ATTACHMENT_INDEX], w->count[ROBO_MCAP_METADATA_INDEX],
                      w->count[ROBO_MCAP_CHUNK_INDEX], w->first, w->last,
                      w->count[ROBO_MCAP_CHANNEL] * 10ul });
    for (uint32_t id = 0; id < w->channel_room; id++)
        if (w->channel[id].known)
            robo__mcap_put_all(statistics, "28", (uint64_t[]){ id, w->channel[id].count });
    robo__mcap_end(statistics, content);
    for (size_t i = 0; i < GROUP_COUNT; i++)
        size += w->group[order[i]].used;
    out->used = 0;
    if (robo__mcap_room(out, size) < 0)
        return ROBO_ENOMEM;
    content = robo__mcap_begin(out, ROBO_MCAP_DATA_END);
    robo__mcap_put(out, w->crc, 4);
    robo__mcap_end(out, content);
    const size_t summary = out->used;
    for (size_t i = 0; i < GROUP_COUNT; i++) {
        start[i] = w->end + out->used;
        robo__mcap_put_bytes(out, w->group[order[i]].bytes, w->group[order[i]].used);
    }
    start[GROUP_COUNT] = w->end + out->used;
    for (size_t i = 0; i < GROUP_COUNT; i++) {
        if (start[i + 1] == start[i])
            continue;
        content = robo__mcap_begin(out, ROBO_MCAP_SUMMARY_OFFSET);
        robo__mcap_put_all(out, "188", (uint64_t[]){ order[i], start[i], start[i + 1] - start[i] });
        robo__mcap_end(out, content);
    }
    content = robo__mcap_begin(out, ROBO_MCAP_FOOTER);
    robo__mcap_put_all(out, "884", (uint64_t[]){ w->end + summary, start[GROUP_COUNT], 0 });
    robo__mcap_end(out, content);
    out->used -= 4; /* the CRC covers the length in front of it, too */
    robo__mcap_put(out, robo__crc32(0, out->bytes + summary, out->used - summary), 4);
    robo__mcap_put_bytes(out, robo__mcap_magic, sizeof robo__mcap_magic);
    return 0;
}

static void free_writer(robo_mcap_writer *w)
{
    for (size_t i = 0; i < GROUPS; i++)
        free(w->group[i].bytes);
    free(w->chunk.bytes);
    free(w->out.bytes);
    free(w->fed.bytes);
    free(w->entry);
    free(w->channel);
    if (w->fd >= 0)
        close(w->fd);
    free(w);
}

int robo_mcap_finish(robo_mcap_writer *w, char why[256])
{
    if (!w)
        return 0;
    int error = robo_mcap_flush(w, why);
    if (error == 0 && put_end(w) < 0)
        error = no_memory(why);
    else if (error == 0)
        error = write_out(w, why);
    free_writer(w);
    return error;
}

/* A power cut takes a file whose name is not on the disk. */
static int sync_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char folder[4096];
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    const int fd = open(slash == path ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int error = fd < 0 || fsync(fd) < 0 ? -1 : 0;
    if (fd >= 0)
        close(fd);
    return error;
}

static int begin_file(robo_mcap_writer *w, const char *path, char why[256])
{
    const char library[] = "robotalk " ROBOTALK_VERSION;
    const struct robo_mcap_record header = { .kind = ROBO_MCAP_HEADER,
                                             .encoding = { library, sizeof library - 1 } };
    if (robo__mcap_room(&w->out, HEAD + sizeof library) < 0)
        return no_memory(why);
    w->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, (mode_t)0666);
    if (w->fd < 0) {
        const int error = errno == EEXIST ? ROBO_EEXISTS : ROBO_ESYSTEM;
        fault(path, why);
        return error;
    }
    robo__mcap_put_bytes(&w->out, robo__mcap_magic, sizeof robo__mcap_magic);
    robo__mcap_encode(&w->out, &header);
    int error = write_out(w, why);
    if (error == 0 && sync_folder(path) < 0)
        error = fault(path, why);
    if (error < 0)
        unlink(path);
    return error;
}

static int set_up(robo_mcap_writer *w, const char *path, const struct robo_mcap_options *options,
                  char why[256])
{
    struct robo_mcap_options o;
    if (robo__sized_take(&o, sizeof o, options) < 0 || o.chunk_bytes > ROBO_MCAP_MOST) {
        snprintf(why, 256, "%s", robo_strerror(ROBO_EINVAL));
        return ROBO_EINVAL;
    }
    w->chunk_bytes = o.chunk_bytes ? o.chunk_bytes : CHUNK_BYTES;
    w->chunk_time = o.chunk_time ? o.chunk_time : CHUNK_TIME;
    w->compression = o.compression ? robo__compression_find(o.compression, strlen(o.compression))
                                   : robo__compression_best();
    if (!w->compression) {
        snprintf(why, 256, "expected the compression zstd, lz4 or none, got %.100s", o.compression);
        return ROBO_EINVAL;
    }
    const int error = w->compression->load(why);
    return error < 0 ? error : begin_file(w, path, why);
}

robo_mcap_writer *robo_mcap_create(const char *path, const struct robo_mcap_options *options,
                                   int *error, char why[256])
{
    char words[256];
    robo_mcap_writer *w = calloc(1, sizeof *w);
    int result = ROBO_ENOMEM;
    if (w) {
        w->fd = -1;
        result = set_up(w, path, options, words);
    } else {
        no_memory(words);
    }
    if (error)
        *error = result;
    if (result == 0)
        return w;
    if (why)
        memcpy(why, words, sizeof words);
    if (w)
        free_writer(w);
    return NULL;
}
