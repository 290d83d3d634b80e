/* Compression by libzstd and liblz4, which are loaded when they are first used. Any thread; no locks. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct robo__compression {
    const char *name; /* as MCAP has it: "zstd", "lz4" (frames), or "" */
    /* 0, or ROBO_ESYSTEM with a message in why, which may be NULL: its library is not there */
    int (*load)(char why[256]);
    /* Bytes that n become at most. */
    size_t (*bound)(size_t n);
    /* How many the bytes have become; 0: it has no memory. room: at least the bound. */
    size_t (*compress)(void *out, size_t room, const void *in, size_t n);
    /* Whether the bytes may have become `size`, before there is memory for these. */
    bool (*fits)(size_t size, const void *in, size_t n);
    /* Exactly `size` bytes. NULL, or what is wrong, a static text. NULL where nothing is compressed. */
    const char *(*decompress)(void *out, size_t size, const void *in, size_t n);
};

/* Of that name, with n bytes; NULL: there is none. */
const struct robo__compression *robo__compression_find(const char *name, size_t n);
/* The first in the order above whose library is there. */
const struct robo__compression *robo__compression_best(void);
