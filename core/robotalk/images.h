/* May change without notice between versions. */
/* Pictures over the network and on the disk (spec/images.md): a folder in which servers at images:// keep pictures, the contents of such
 * a folder, and a sender, which gives pictures to such a server, by any transport. */
#pragma once

#include "robotalk.h"

ROBO_API_BEGIN

typedef struct robo_images robo_images;             /* a folder of pictures; any thread */
typedef struct robo_image_sender robo_image_sender; /* its loop's thread */
typedef struct robo_image_list
    robo_image_list; /* the contents of a folder, as they were read; one thread */

/* ---- a folder of pictures ---- */

struct robo_images_options {
    size_t size; /* sizeof(struct robo_images_options) */
    const char *
        folder; /* is made if it is not there; NULL: pictures are checked and answered, and stored nowhere */
    uint64_t
        most; /* bytes of disk that the pictures take at most, then the oldest go; 0: no bound */
};

struct robo_images_counts {
    uint64_t frames;          /* received whole */
    uint64_t kept, refused;   /* of these */
    uint64_t removed;         /* the oldest, for `most` or on a full disk */
    uint64_t pictures, bytes; /* that are there, and the disk that they take */
};

/* Opens a folder, and writes there in the background. One process at a time has it. NULL on failure, with a message
 * in why: ROBO_EEXISTS: another process has it; ROBO_ESYSTEM: the system's message, with the place; ROBO_EINVAL; ROBO_ENOMEM. */
robo_images *robo_images_open(robo_world *world, const struct robo_images_options *options,
                              int *error, char why[256]);

/* Servers of that loop at images:// store their clients' pictures there. A loop that was started pauses meanwhile. ROBO_ENOMEM. */
int robo_loop_use_images(robo_loop *loop, robo_images *images);

void robo_images_counts(robo_images *images, struct robo_images_counts *counts);

/* Ends it when all received pictures were written; after the servers that use it. NULL: does nothing. */
void robo_images_close(robo_images *images);

/* ---- what a folder has ---- */

enum { ROBO_IMAGE_SOURCE = 79 /* bytes of a source's name at most */ };

struct robo_image_entry {
    uint64_t number; /* its file is NUMBER.jpg, of twelve digits */
    int64_t time;    /* us of the epoch: when the server had all of it */
    uint32_t size;   /* bytes */
    char source[ROBO_IMAGE_SOURCE + 1];
};

/* Reads the index of a folder, also while a server keeps pictures there. It lists the pictures whose files are there, the oldest
 * first; invalid lines are left out. NULL on failure, with a message in why: ROBO_ESYSTEM: the system's message, with the place;
 * ROBO_ENOMEM. */
robo_image_list *robo_image_list_open(const char *folder, int *error, char why[256]);
size_t robo_image_list_count(const robo_image_list *list);
/* From 0; borrowed until the list is closed. NULL: there are fewer. */
const struct robo_image_entry *robo_image_list_at(const robo_image_list *list, size_t place);
/* The place of the newest of that time or before, us of the epoch; ROBO_ENONE. */
ptrdiff_t robo_image_list_until(const robo_image_list *list, int64_t time);
void robo_image_list_close(robo_image_list *list); /* NULL: does nothing */

struct robo_image_question {
    size_t size;        /* sizeof(struct robo_image_question) */
    const char *source; /* NULL: of any */
    int64_t time;    /* us of the epoch: the newest of that time or before; INT64_MAX: the newest */
    uint64_t number; /* that one, and of that time or before; 0: of any number */
    int64_t step;    /* so many pictures of the source on from there; -1: the one before */
};

/* Finds one picture, without a look at the whole index: a folder may have millions. ROBO_ENONE: there is no such picture;
 * ROBO_ESYSTEM; ROBO_EINVAL; with a message in why. */
int robo_image_find(const char *folder, const struct robo_image_question *question,
                    struct robo_image_entry *entry, char why[256]);

/* ---- a sender ---- */

enum { ROBO_IMAGE_WINDOW = 64, ROBO_IMAGE_MOST = 1 << 24 /* bytes of a picture */ };

struct robo_image_sender_options {
    size_t size; /* sizeof(struct robo_image_sender_options) */
    /* 0: the newest picture takes the place of one that waits. 1: none is left out, and those without an answer are sent again after a lost
     * link, so that one may come twice. */
    int lossless;
    unsigned
        window; /* of a lossless one: pictures without an answer at most, up to ROBO_IMAGE_WINDOW; 0: 1 */
    const char *name; /* of the source, as ROBOT/CAMERA; NULL: as in the address, if it has one */
    /* Called in the loop's turns when something has changed, once until the sender's state is read. It may not close it. May be
     * NULL. */
    void (*changed)(void *owner);
    void *owner;
};

struct robo_image_sender_state {
    int up;    /* connected, and an image server has answered */
    int error; /* of the newest attempt to connect; 0: none has failed since it was up */
    char why[256];
    uint64_t given, sent;   /* pictures that were put; that have gone to the socket whole */
    uint64_t kept, refused; /* as the server has answered */
    uint64_t skipped;       /* left out for newer ones, or lost with the link */
    uint64_t links;         /* connections that there were */
    unsigned waiting;       /* that are not sent whole, or without an answer */
    robo_time moved;        /* when bytes of a picture went, or an answer came, last */
};

/* Begins to connect, in the background, and connects again whenever the link is lost. NULL on failure, as robo_dial. */
robo_image_sender *robo_image_sender_open(robo_loop *loop, const char *url,
                                          const struct robo_image_sender_options *options,
                                          int *error, char why[256]);

/* Gives it a JPEG, which is copied. name: of its source from now on; NULL: as before. ROBO_EFULL: of a lossless one, the window is full, or it would have more than 64 MiB;
 * ROBO_ESIZE: it is empty or too long; ROBO_EINVAL: no such name may be; ROBO_ENOMEM. */
int robo_image_sender_put(robo_image_sender *sender, const void *bytes, size_t n, const char *name);

void robo_image_sender_look(robo_image_sender *sender, struct robo_image_sender_state *state);
void robo_image_sender_close(robo_image_sender *sender); /* NULL: does nothing */

ROBO_API_END
