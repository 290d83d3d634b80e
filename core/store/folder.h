/* A store's (store.h) view of its folder: descriptors, the pictures, and the repairs of recover.c. Private to the files store*.c. */
#pragma once

#include "store.h"

struct robo__store {
    char path[256];
    int folder, lock, index; /* descriptors; -1: not open */
    uint64_t most, next;     /* the number of the next picture */
    uint64_t bytes;          /* of disk that the pictures take */
    uint64_t lines,
        gone; /* of the index, which has all that is known of pictures; those of pictures that have gone are its first */
    struct robo__store_counts counts;
    bool full;        /* the log has that the disk is full */
    uint64_t full_at; /* pictures that were kept when it was so last */
    bool troubled;    /* the log has that pictures are refused, and none was kept since */
    void (*log)(void *owner, enum robo_log_level level, const char *line);
    void *owner;
};

void robo__store_tell(const struct robo__store *store, enum robo_log_level level, const char *form,
                      ...) __attribute__((format(printf, 3, 4)));
/* Writes PATH/NAME and errno's message; returns the error. */
int robo__store_fault(const struct robo__store *store, const char *name, char why[256]);

/* Bytes of disk of a picture. */
uint64_t robo__store_cost(size_t size);
/* The oldest picture goes. */
void robo__store_remove_oldest(struct robo__store *store);

/* All of it, also when the system takes it in pieces, or when a signal comes; false with errno. */
bool robo__store_write(int fd, const void *bytes, size_t n, int64_t at);

/* Opens the index of a folder, by its descriptor; flags of open. Returns the fault, and then fd is -1; NULL: it is open. The
 * index must be a file: the reader of a FIFO would wait for its writer. */
const char *robo__store_open_index(int folder, int flags, int *fd);

/* A file that is temporary by its name, or an empty folder of that name; false: it is still there. */
bool robo__store_remove_temporary(const struct robo__store *store, const char *name);

/* A new file of that name, in place of a temporary one: a descriptor, or -1 with errno, EEXIST: that cannot be removed. Nothing that
 * is there is opened: a FIFO would wait for its reader. */
int robo__store_make_temporary(const struct robo__store *store, const char *name);

/* Rewrites the index with these lines: 0 or -1 with errno. */
int robo__store_renew(struct robo__store *store, const char *lines, size_t count);

/* Lists the folder, and makes the index agree with it. */
int robo__store_recover(struct robo__store *store, char why[256]);
