/* May change without notice between versions. */
/* Recordings: files of MCAP (https://mcap.dev/spec), which Foxglove and other tools open. A file has schemas, channels of such messages,
 * and messages, in compressed chunks, each of which is on the disk before the next one is begun: a kill or a loss of power takes
 * the last one at most. The records that a reader returns are those that a writer accepts: a loop over both copies a file, and
 * repairs one that was cut off. */
#pragma once

#include "robotalk.h"

ROBO_API_BEGIN

/* Each has one thread at a time. All functions but robo_mcap_add read or write files: on a server they are for a worker. */
typedef struct robo_mcap_writer robo_mcap_writer;
typedef struct robo_mcap_reader robo_mcap_reader;

/* With the numbers of the format. */
enum robo_mcap_kind {
    ROBO_MCAP_HEADER = 1,
    ROBO_MCAP_FOOTER,
    ROBO_MCAP_SCHEMA,
    ROBO_MCAP_CHANNEL,
    ROBO_MCAP_MESSAGE,
    ROBO_MCAP_CHUNK,
    ROBO_MCAP_MESSAGE_INDEX,
    ROBO_MCAP_CHUNK_INDEX,
    ROBO_MCAP_ATTACHMENT,
    ROBO_MCAP_ATTACHMENT_INDEX,
    ROBO_MCAP_STATISTICS,
    ROBO_MCAP_METADATA,
    ROBO_MCAP_METADATA_INDEX,
    ROBO_MCAP_SUMMARY_OFFSET,
    ROBO_MCAP_DATA_END
};

enum { ROBO_MCAP_MOST = 1 << 28 /* bytes of a record, and of a chunk */ };

/* Bytes, or a text of UTF-8, without a NUL. */
struct robo_mcap_bytes {
    const void *at;
    size_t size;
};

/* A record of any kind. Of the last five members, those of its kind:
 *   schema: id (not 0), name, encoding, data
 *   channel: id, schema (0: none), name (its topic), encoding (of its messages), map
 *   message: id of its channel, sequence, log_time, publish_time, data
 *   attachment: log_time, publish_time (when it was made), name, encoding (its media type), data
 *   metadata: name, map
 *   others, which a writer makes by itself: data, the content as in the file; of a chunk, that before its records */
struct robo_mcap_record {
    int kind; /* enum robo_mcap_kind, or more */
    uint16_t id, schema;
    uint32_t sequence;
    uint64_t log_time, publish_time; /* ns */
    /* a reader's: the byte of the file where it begins, or the chunk that it is in; where it begins in the uncompressed chunk, else
     * UINT64_MAX */
    uint64_t place, offset;
    struct robo_mcap_bytes name, encoding, data;
    struct robo_mcap_bytes
        map; /* keys and values in turns, each behind its length, a u32 of little endian */
};

/* ---- writing ---- */

struct robo_mcap_options {
    size_t size; /* sizeof(struct robo_mcap_options) */
    const char
        *compression;     /* "zstd", "lz4" or ""; NULL: the first of these whose library is there */
    uint32_t chunk_bytes; /* of a chunk, uncompressed, unless one message is larger; 0: 1 MiB */
    uint64_t chunk_time;  /* ns between its first message and its last; 0: 1 s */
};

/* A new file. Its memory is that of two chunks, and of an index of 60 bytes for each chunk and 10 for each channel in one. NULL on
 * failure, with a message in why: ROBO_EEXISTS: there is such a file; ROBO_ESYSTEM: the system's message, or the library of the
 * compression is not there; ROBO_EINVAL; ROBO_ENOMEM. options may be NULL. */
robo_mcap_writer *robo_mcap_create(const char *path, const struct robo_mcap_options *options,
                                   int *error, char why[256]);

/* Copies a schema, a channel or a message into the chunk; never blocks. ROBO_EFULL: the chunk is to be flushed first; ROBO_EINVAL: its
 * schema or channel was not added before, or it is of no such kind; ROBO_EEXISTS: another one has this id (the same again is left out);
 * ROBO_ESIZE; ROBO_ENOMEM. */
int robo_mcap_add(robo_mcap_writer *writer, const struct robo_mcap_record *record);

/* Compresses the chunk, writes it with its indexes, and syncs the file: for each second in which messages came. ROBO_ESYSTEM with a message
 * in why: the file has all chunks before, and this one is kept: it is tried again with the next call. ROBO_ENOMEM. */
int robo_mcap_flush(robo_mcap_writer *writer, char why[256]);

/* Adds, and flushes where that is due; writes attachments and metadata. Errors as of both. */
int robo_mcap_write(robo_mcap_writer *writer, const struct robo_mcap_record *record, char why[256]);

/* Records as bytes in pieces of any length, as the query recording returns them: writes each that is whole by now. Errors as of
 * robo_mcap_write, where the record is tried again with the next call; ROBO_EBODY: what follows is none. */
int robo_mcap_feed(robo_mcap_writer *writer, const void *bytes, size_t n, char why[256]);

/* Flushes, writes the index and the summary, and closes the file; also frees the writer when it fails. NULL: does nothing. */
int robo_mcap_finish(robo_mcap_writer *writer, char why[256]);

/* ---- reading ---- */

/* Opens a file, or bytes that stay until it is closed. NULL on failure, with a message in why: ROBO_EBODY: no MCAP; ROBO_ESYSTEM;
 * ROBO_ENOMEM. A file that is being written is read as far as it was when it was opened. */
robo_mcap_reader *robo_mcap_open(const char *path, int *error, char why[256]);
robo_mcap_reader *robo_mcap_open_bytes(const void *bytes, size_t n, int *error, char why[256]);

/* The next record, borrowed until the next call: 1; 0: the end. A chunk is returned before the records that it has. ROBO_EBODY with the
 * byte and what was expected in why: a part is damaged, or the file is cut off; the next call goes on behind that. All CRCs are
 * checked. ROBO_ESYSTEM; ROBO_ENOMEM. */
int robo_mcap_next(robo_mcap_reader *reader, struct robo_mcap_record *record, char why[256]);

/* Continues with the summary, from which all schemas and channels are known without reading the messages. ROBO_ENONE: the file has none,
 * or is unfinished; ROBO_EBODY; ROBO_ESYSTEM. */
int robo_mcap_summary(robo_mcap_reader *reader, char why[256]);

/* Goes back to the first record. Messages are left out unless from <= log_time < until, ns; once the summary was read to its end, chunks
 * without such messages are skipped, and no CRC of the whole is checked then. */
void robo_mcap_range(robo_mcap_reader *reader, uint64_t from, uint64_t until);

void robo_mcap_close(robo_mcap_reader *reader); /* NULL: does nothing */

ROBO_API_END
