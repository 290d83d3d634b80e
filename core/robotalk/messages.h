/* May change without notice between versions. */
/* The RoboTalk protocol as data, and its packages between bytes and structs: for programs that show or make messages of any
 * kind without naming their fields, and for those that use the protocol without robo_client, such as recorders, gateways
 * and tests. spec/robotalk.md says what the messages mean; spec/messages.md lists all of them.
 *
 * Pure functions: no socket, no allocation, no clock, any thread. The data that they return and point to is static. */
#pragma once

#include "robotalk.h"

ROBO_API_BEGIN

/* ---- messages as data ---- */

enum robo_field_kind {
    ROBO_FIELD_U8,
    ROBO_FIELD_U16,
    ROBO_FIELD_U32,
    ROBO_FIELD_U64,
    ROBO_FIELD_I64,
    ROBO_FIELD_TIME,   /* robo_time in C, i64 microseconds on the wire */
    ROBO_FIELD_REAL64, /* double in C, i64 counts of the unit on the wire */
    ROBO_FIELD_REAL32, /* double in C, i32 counts of the unit on the wire */
    ROBO_FIELD_TEXT,   /* char[max + 1] in C, u16 length and bytes on the wire */
    ROBO_FIELD_CHARS,  /* char[max + 1] in C and on the wire, filled up with zeros */
    /* doubles in C; u8, 4 or 8, and i32 or i64 counts of a millionth on the wire, where the least integer is NAN */
    ROBO_FIELD_PACKED
};
enum { ROBO_FIELD_FIXED = 0xffff };

/* A member of a struct of robotalk/spec.h. */
struct robo_field {
    const char *name, *unit, *doc; /* unit: "" for a value without one */
    uint8_t kind;                  /* enum robo_field_kind */
    uint16_t offset;               /* of the member in its struct */
    uint16_t counter; /* offset of the member that says how many there are, or ROBO_FIELD_FIXED */
    uint8_t wide;     /* 1: that one is a uint16_t; 0: a uint8_t */
    uint8_t none;     /* 1: an instant that may be ROBO_NO_TIME */
    uint16_t count, max; /* how many when fixed; most. Of a text: most bytes */
    double per;          /* counts in one SI unit */
    int64_t lo, hi;      /* allowed range of an integer; both 0: any */
};

/* A struct of robotalk/spec.h, as it travels. */
struct robo_message {
    const char *name; /* of the struct: "robo_state" */
    size_t size;      /* of the struct */
    size_t fixed; /* of that, before the first member of which there are as many as another says */
    size_t bytes; /* on the wire; of a fixed length only */
    size_t least; /* fields that are always there; those behind them are left out where all are 0 */
    size_t nfields;
    const struct robo_field *fields;
};

/* A query, with its reply, a command or a notice. */
struct robo_operation {
    const char *name;
    uint16_t op;                                /* enum robo_query, robo_op or robo_notice */
    const struct robo_message *request, *reply; /* never NULL; a message may have no fields */
    const char *doc;
    uint8_t retained; /* of a notice: 1 + enum robo_retained, or 0 */
    uint8_t role;     /* of a query: the least that it needs (enum robo_role), or 0 */
};

/* Lists, ended by one without a name. */
const struct robo_operation *robo_queries(void);
const struct robo_operation *robo_commands(void);
const struct robo_operation *robo_notices(void);

/* One of a list; NULL: it has none. */
const struct robo_operation *robo_operation_find(const struct robo_operation *list, uint16_t op);
const struct robo_operation *robo_operation_named(const struct robo_operation *list,
                                                  const char *name);

/* The message of a struct, also of those that are of no query, command or notice: "robo_state", "robo_header",
 * "robo_result_entry". NULL: none has that name, or it does not travel. */
const struct robo_message *robo_message_named(const char *name);

/* The records of one kind in a description. */
struct robo_section {
    const char *noun, *record; /* "link", and the name of its struct for robo_message_named */
    size_t count,
        first; /* where struct robo_description has their number, a uint16_t, and the pointer to them */
    size_t size; /* of a record */
    unsigned most;
};
/* All of them, in the order of the block of robo_body_write; ended by one without a noun. */
const struct robo_section *robo_sections(void);

/* ---- one message ---- */

/* Writes msg, which may be NULL where nothing has to be there. Bytes written; ROBO_EFULL if they do not fit in n; ROBO_ERANGE for a
 * value that its integer cannot hold, NaN and infinities too: then *where names the field (may be NULL). */
ptrdiff_t robo_message_encode(const struct robo_message *message, const void *msg, uint8_t *out,
                              size_t n, const char **where);

/* Reads msg. Bytes used; 0 when more are wanted; ROBO_ERANGE for a value out of range and ROBO_EBODY for other faults,
 * then *where names the field. Items beyond a count stay as they were. msg is untouched unless the result is positive,
 * or 0 of a message whose fields are all optional. */
ptrdiff_t robo_message_decode(const struct robo_message *message, const uint8_t *in, size_t n,
                              void *msg, const char **where);

/* The same for the whole body of an entry, n bytes: 0, ROBO_ERANGE or ROBO_EBODY. Fields of a later version behind its
 * own are skipped. */
int robo_message_decode_body(const struct robo_message *message, const uint8_t *in, size_t n,
                             void *msg, const char **where);

/* ---- packages ---- */

enum { ROBO_HEADER_SIZE = 32, ROBO_ENTRY_SIZE = 8 }; /* bytes */

/* Reads and checks a package's header: ROBO_EMAGIC, ROBO_EVERSION, ROBO_ESIZE, and ROBO_ERANGE for a stamp beyond the clock, in
 * this order of checking; *header is filled as far as it could be read. After ROBO_ERANGE the framing still stands. Types and
 * flags that are unknown go through. */
int robo_header_decode(const uint8_t in[ROBO_HEADER_SIZE], struct robo_header *header);

/* Reads the next entry of a payload of n bytes: its head, and *body to its body within the payload. 1; 0 at the end;
 * ROBO_ESIZE when the payload ends inside an entry. *at is the offset, 0 at first. */
int robo_next_entry(const uint8_t *payload, size_t n, size_t *at, struct robo_entry *entry,
                    const uint8_t **body);

/* A command's entry to a command: ROBO_EOP, ROBO_ERANGE, ROBO_EBODY; *where as above. Bytes behind its fields are
 * skipped. ROBO_EINVAL: it is a move. */
int robo_command_decode(const struct robo_entry *entry, const uint8_t *body, struct robo_cmd *cmd,
                        const char **where);
/* A move's entry: ROBO_EBODY. Into its arrays `dof` and `frame`, which have room; where they are NULL nothing is kept, but
 * its counts say how much there would be. cmd, NULL or the command, gets the move itself as its body. */
int robo_move_decode(const struct robo_entry *entry, const uint8_t *body, struct robo_cmd *cmd,
                     struct robo_move *move, const char **where);

/* A signal's entry: 0 or ROBO_EBODY. */
int robo_result_decode(const struct robo_entry *entry, const uint8_t *body,
                       struct robo_result *result);
/* The results of a move's parts, from the bytes behind its result, as many as there is room for; returns how
 * many there are. ROBO_EBODY. */
ptrdiff_t robo_parts_decode(const struct robo_entry *entry, const uint8_t *body,
                            struct robo_part *parts, size_t room);

/* A package being written into a caller's buffer: begin, entries, end. ROBO_MAX_PAYLOAD and a header are room for any. */
struct robo_package {
    uint8_t *out;
    size_t room, used; /* used 0: not begun */
    uint16_t count;
};

/* Leaves room for the header. ROBO_EFULL when even that does not fit. */
int robo_package_begin(struct robo_package *p, uint8_t *out, size_t room);

/* Adds an entry: head, then `first` (NULL: none), then body (NULL: none), e.g. a command's start and its body. 0;
 * ROBO_EFULL; ROBO_ERANGE. On an error the package is as it was before; so, too, for the functions that follow. */
int robo_package_add(struct robo_package *p, uint16_t op, uint32_t id,
                     const struct robo_message *first, const void *first_msg,
                     const struct robo_message *body, const void *msg);

/* One command or result as an entry. */
int robo_package_add_command(struct robo_package *p, const struct robo_cmd *cmd);
int robo_package_add_result(struct robo_package *p, const struct robo_result *result);
/* The result of a move, with the results of so many of its parts. */
int robo_package_add_parts(struct robo_package *p, const struct robo_result *result,
                           const struct robo_part *parts, size_t count);

/* Fills in magic, version, count and size of *header, writes it; the package's bytes. ROBO_ETYPE for a type or a flag that
 * there is not, ROBO_ESIZE for a payload of type none. */
ptrdiff_t robo_package_end(struct robo_package *p, struct robo_header *header);

ROBO_API_END

/* How many elements that field has in msg. */
static inline size_t robo_field_count(const struct robo_field *f, const void *msg)
{
    if (f->counter == ROBO_FIELD_FIXED)
        return f->count;
    const void *at = (const char *)msg + f->counter;
    return f->wide ? *(const uint16_t *)at : *(const uint8_t *)at;
}
