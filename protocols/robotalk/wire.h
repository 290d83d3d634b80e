/* The RoboTalk wire: packages, entries and bodies between bytes and structs, driven by the field tables
 * that spec/gen.lua makes. Pure functions: no socket, no allocation, no clock. */
#ifndef ROBO_WIRE_H
#define ROBO_WIRE_H

#include <stdbool.h>
#include <stddef.h>

#include "robotalk.h"
#include "base/time.h"

enum robo_field_kind {
    ROBO_FIELD_U8,
    ROBO_FIELD_U16,
    ROBO_FIELD_U32,
    ROBO_FIELD_U64,
    ROBO_FIELD_I64,
    ROBO_FIELD_TIME,   /* robo_time in C, i64 microseconds on the wire */
    ROBO_FIELD_REAL64, /* double in C, i64 counts of scale on the wire */
    ROBO_FIELD_REAL32, /* likewise, i32 */
    ROBO_FIELD_TEXT,   /* char[max + 1] in C, u16 length and bytes on the wire */
    ROBO_FIELD_CHARS   /* char[max + 1] in C and on the wire, filled up with zeros */
};

enum { ROBO_FIELD_FIXED = 0xffff, ROBO_HEADER_SIZE = 32, ROBO_ENTRY_SIZE = 8 };

/* Ranges of what travels (spec/messages.lua): counts of a quantity, which a double still tells apart, and microseconds. */
#define ROBO__MOST_COUNTS (INT64_C(1) << 51)
#define ROBO__MOST_US     (ROBO__MOST_TIME / 1000)

struct robo_field {
    const char *name, *unit, *doc;
    uint8_t kind;
    uint16_t offset;     /* of the field in its struct */
    uint16_t counter;    /* offset of the number that says how many, or ROBO_FIELD_FIXED */
    uint8_t wide;        /* 1: that number is a u16 and no u8 */
    uint8_t none;        /* 1: an instant that may be ROBO_NO_TIME */
    uint16_t count, max; /* how many when fixed; most */
    double per;          /* counts in one SI unit */
    int64_t lo, hi;      /* allowed range of an integer; both 0: any */
};

/* How many elements that field has in msg. */
static inline size_t robo_field_count(const struct robo_field *f, const void *msg)
{
    if (f->counter == ROBO_FIELD_FIXED)
        return f->count;
    const void *at = (const char *)msg + f->counter;
    return f->wide ? *(const uint16_t *)at : *(const uint8_t *)at;
}

struct robo_message {
    const char *name;
    size_t size;  /* of the struct */
    size_t fixed; /* of that, before the first row with a count */
    size_t bytes; /* on the wire; of a fixed length only */
    size_t least; /* fields that are always there; those behind them are left out where all are 0 */
    size_t nfields;
    const struct robo_field *fields;
};

/* One query (request and reply), command or notice (request only). Lists end with a NULL name. */
struct robo_operation {
    const char *name;
    uint16_t op;
    const struct robo_message *request, *reply;
    const char *doc;
};

extern const struct robo_operation robo__queries[], robo__commands[], robo__notices[];
extern const struct robo_message robo_block_message, robo_configuration_message, robo_link_message,
    robo_joint_message, robo_dof_message, robo_frame_message, robo_shape_message,
    robo_camera_message, robo_sensor_message, robo_widget_message;
extern const struct robo_message robo_header_message, robo_entry_message, robo_state_message,
    robo_reply_state_message, robo_start_message, robo_result_entry_message, robo_missed_message,
    robo_part_message;

/* The entry of a list for op, or NULL. */
const struct robo_operation *robo_operation_find(const struct robo_operation *list, uint16_t op);
const struct robo_operation *robo_operation_named(const struct robo_operation *list,
                                                  const char *name);

/* Writes msg, which may be NULL where nothing has to be there. Bytes written; ROBO_EFULL if they do not fit in n, ROBO_ERANGE for a value that its integer
 * cannot hold (NaN and infinities too), then *where names the field (may be NULL). */
ptrdiff_t robo_message_encode(const struct robo_message *table, const void *msg, uint8_t *out,
                              size_t n, const char **where);

/* Reads msg. Bytes used; 0 when more are wanted; ROBO_ERANGE for a value out of range and ROBO_EBODY for what else cannot
 * be, then *where names the field. What a count does not cover stays as it was. msg is untouched unless the result is
 * positive, or 0 of a table of which nothing has to be there. */
ptrdiff_t robo_message_decode(const struct robo_message *table, const uint8_t *in, size_t n,
                              void *msg, const char **where);

/* *to says the same; what a count does not cover stays as it was. */
void robo__message_copy(const struct robo_message *table, void *to, const void *from);

/* As robo_message_decode, for the fields of a struct that has others too: straight into *msg, of which it touches no other
 * fields. A failure leaves it half filled. */
ptrdiff_t robo__decode_part(const struct robo_message *table, const uint8_t *in, size_t n,
                            void *msg, const char **where);

/* Reads a body of n bytes: 0, ROBO_ERANGE or ROBO_EBODY. What a later version has put behind its fields is skipped. */
int robo_message_decode_body(const struct robo_message *table, const uint8_t *in, size_t n,
                             void *msg, const char **where);

/* Reads and checks a package header from its first ROBO_HEADER_SIZE bytes: ROBO_EMAGIC, ROBO_EVERSION,
 * ROBO_ESIZE, and ROBO_ERANGE for a stamp beyond the clock, in this order of checking; *header is filled
 * as far as it could be read. After ROBO_ERANGE the framing still stands. Types and flags that are unknown go through. */
int robo_header_decode(const uint8_t in[ROBO_HEADER_SIZE], struct robo_header *header);

/* A package being written into a caller's buffer: begin, entries, end. */
struct robo_package {
    uint8_t *out;
    size_t room, used; /* used 0: not begun */
    uint16_t count;
};

/* Leaves room for the header. ROBO_EFULL when even that does not fit. */
int robo_package_begin(struct robo_package *p, uint8_t *out, size_t room);

/* Adds an entry: head, then `first` (may be NULL table: none), then body (likewise), e.g. a command's start
 * and its body. On an error the package is as it was before. */
int robo_package_add(struct robo_package *p, uint16_t op, uint32_t id,
                     const struct robo_message *first, const void *first_msg,
                     const struct robo_message *body, const void *msg);

/* Fills in magic, version, count and size of *header, writes it; the package's bytes. ROBO_ETYPE for a type or a flag that
 * there is not, ROBO_ESIZE for a payload of type none. */
ptrdiff_t robo_package_end(struct robo_package *p, struct robo_header *header);

/* One command or result as an entry; they walk the same tables. */
int robo_package_add_command(struct robo_package *p, const struct robo_cmd *cmd);
int robo_package_add_result(struct robo_package *p, const struct robo_result *result);
/* The result of a move, with what became of so many of its parts. */
int robo_package_add_parts(struct robo_package *p, const struct robo_result *result,
                           const struct robo_part *parts, size_t count);
/* ROBO_ERANGE also for dofs that are not in order. */
int robo_package_add_move(struct robo_package *p, const struct robo_cmd *cmd);

/* Bytes that the body of a move takes at most, without its start. */
size_t robo__move_most(const struct robo_move *move);

/* Reads the next entry of a payload: its head, and *body to its body (a view into the payload). 1; 0 at the
 * end; ROBO_ESIZE when the payload ends inside an entry. *at is the offset, 0 at first. */
int robo_next_entry(const uint8_t *payload, size_t n, size_t *at, struct robo_entry *entry,
                    const uint8_t **body);

/* A command's entry to a command: ROBO_EOP, ROBO_ERANGE, ROBO_EBODY; *where as above. What follows its fields is skipped. 
 * ROBO_EINVAL: it is a move. */
int robo_command_decode(const struct robo_entry *entry, const uint8_t *body, struct robo_cmd *cmd,
                        const char **where);
/* A move's entry: ROBO_EBODY. Into its arrays `dof` and `frame`, which have room; where they are NULL nothing is kept, but
 * its counts say how much there would be. cmd, NULL or the command, gets the move itself as its body. */
int robo_move_decode(const struct robo_entry *entry, const uint8_t *body, struct robo_cmd *cmd,
                     struct robo_move *move, const char **where);

int robo_result_decode(const struct robo_entry *entry, const uint8_t *body,
                       struct robo_result *result);
/* What became of a move's parts, as it stands behind its result, as many as there is room for: how many there are.
 * ROBO_EBODY. */
ptrdiff_t robo_parts_decode(const struct robo_entry *entry, const uint8_t *body,
                            struct robo_part *parts, size_t room);

#endif
