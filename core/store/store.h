/* A folder of pictures that a server keeps: NUMBER.jpg for each, and an index (index.h). Every picture in the index is whole, whenever
 * the process is killed: it is written to NUMBER.part, synced, renamed, the folder is synced, and only then it gets its line, which is
 * synced, too. The oldest go when there are to be no more bytes.
 *
 * One process at a time has a folder, by a lock on its file `lock`; others may read it. All of it blocks on the disk: it belongs to
 * one thread, the keeper's (picture_writer.h). */
#pragma once

#include "robotalk.h"
#include "index.h"

enum {
    ROBO__PICTURE_MOST = 1 << 24, /* bytes of a picture */
    ROBO__STORE_BLOCK = 4096,     /* bytes of disk: the size of a picture is rounded up to it */
    ROBO__STORE_LINES =
        384 /* of the index, for each picture: twice, and once while it is rewritten */
};

struct robo__store;

/* A picture to be stored, and the outcome. */
struct robo__stored {
    const uint8_t *bytes;
    size_t size;
    int64_t time; /* us of the epoch */
    const char *source;
    uint64_t number; /* that it has got */
    int error;       /* 0: it is kept and synced; an enum robo_error */
};

struct robo__store_counts {
    uint64_t kept, refused, removed;
    uint64_t pictures, bytes; /* that are there; the bytes of disk are those of `most` */
};

/* Makes the folder, if it is not there; its parent must be. Puts right what a kill or a loss of power has left: temporary files go,
 * an index that disagrees with the folder is rewritten. most: bytes of disk; 0: no bound. log may be NULL; it is called on the
 * thread that calls here. ROBO_EEXISTS: another process keeps pictures there; ROBO_ESYSTEM; ROBO_ENOMEM; with a message in why. */
int robo__store_open(const char *folder, uint64_t most,
                     void (*log)(void *owner, enum robo_log_level level, const char *line),
                     void *owner, struct robo__store **store, char why[256]);

/* Stores n pictures; `error` of each has its result. They are synced together, which costs little more than one. When the disk
 * is full, the oldest tenth is removed. */
void robo__store_keep(struct robo__store *store, struct robo__stored *picture, size_t n);

struct robo__store_counts robo__store_counts(const struct robo__store *store);
void robo__store_close(struct robo__store *store); /* NULL: does nothing */
