/* Records of MCAP as bytes (facts of the format: https://mcap.dev/spec), for its writer and its reader. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "robotalk/mcap.h"

enum {
    ROBO__MCAP_MAGIC = 8,
    ROBO__MCAP_PREFIX = 9, /* the kind and the length in front of a record */
    ROBO__MCAP_FOOTER = 20 /* bytes of its content */
};
extern const uint8_t robo__mcap_magic[ROBO__MCAP_MAGIC];

/* Bytes that are written one behind the other. */
struct robo__mcap_out {
    uint8_t *bytes; /* from malloc */
    size_t used, room;
};

/* Room for n more bytes; ROBO_ENOMEM. */
int robo__mcap_room(struct robo__mcap_out *out, size_t n);
/* Where there is room: an integer of n bytes; several, with their sizes as digits; bytes; a text behind its length. */
void robo__mcap_put(struct robo__mcap_out *out, uint64_t value, unsigned n);
void robo__mcap_put_all(struct robo__mcap_out *out, const char *sizes, const uint64_t *values);
void robo__mcap_put_bytes(struct robo__mcap_out *out, const void *bytes, size_t n);
void robo__mcap_put_text(struct robo__mcap_out *out, struct robo_mcap_bytes text);

/* A record's content, which begins at the result, is put between these two. */
size_t robo__mcap_begin(struct robo__mcap_out *out, int kind);
void robo__mcap_end(struct robo__mcap_out *out, size_t content);

/* Bytes that its encoding has at most. */
size_t robo__mcap_size(const struct robo_mcap_record *record);
/* Appends it with its prefix; where there is room. */
void robo__mcap_encode(struct robo__mcap_out *out, const struct robo_mcap_record *record);

/* Bytes that are read one behind the other. */
struct robo__mcap_in {
    const uint8_t *at, *end;
    bool bad; /* they have ended too early: all that is read then is 0 */
};

uint64_t robo__mcap_get(struct robo__mcap_in *in, unsigned n);
/* Bytes behind their length of so many bytes. */
struct robo_mcap_bytes robo__mcap_get_text(struct robo__mcap_in *in, unsigned n);

/* Whether it is such a map. */
bool robo__mcap_is_map(struct robo_mcap_bytes map);
/* Fills the members of record->kind from its content. NULL, or what is wrong. */
const char *robo__mcap_decode(struct robo__mcap_in in, struct robo_mcap_record *record);
