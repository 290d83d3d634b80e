/* For the wire's test and its fuzzer: takes a whole package apart with the codec, as a server and a
 * client do, and puts it together again. What must always hold traps at once, so that a fuzzer sees
 * it too. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "robotalk/wire.h"
#include "robotalk/words.h"

#define MUST(condition)       \
    do {                      \
        if (!(condition))     \
            __builtin_trap(); \
    } while (0)

/* One entry taken apart: what its bytes mean, as one or two tables and their structs. */
struct unpacked {
    struct robo_entry head;
    size_t known;     /* bytes of its body that mean something here; the rest is skipped */
    const char *name; /* of the op */
    const struct robo_message *first,
        *body; /* first: of commands and signals; body: NULL if no more */
    const void *first_msg;
    struct robo_start start;
    struct robo_result_entry result_entry;
    union {
        struct robo_cmd cmd;
        uint8_t place[sizeof(struct robo_reply_state)];
        uint64_t align;
    } as;
    const void *msg;
    struct robo_move move; /* of a move; its arrays stay until the next is taken apart */
    size_t part_count;     /* of a signal */
    struct robo_part part[13200];
};

/* The most that a body of 65,535 bytes can hold. */
static struct robo_move_dof most_dofs[16400];
static struct robo_move_frame most_frames[2400];

/* A move is counted before there is room for it: both readings agree. */
static inline int unpack_move(const struct robo_entry *head, const uint8_t *body,
                              struct unpacked *u, const char **field)
{
    struct robo_move counts = { 0 };
    const char *other = *field;
    int error = robo_move_decode(head, body, NULL, &counts, &other);
    MUST(error || (counts.dofs <= 16400 && counts.frames <= 2400));
    u->move.dof = most_dofs;
    u->move.frame = most_frames;
    MUST(error || robo_move_decode(head, body, &u->as.cmd, &u->move, field) == 0);
    if (error)
        *field = other;
    else
        MUST(counts.parts == u->move.parts && counts.dofs == u->move.dofs &&
             counts.frames == u->move.frames && u->as.cmd.body.move == &u->move);
    return error;
}

struct package {
    struct robo_header header;
    size_t offset;     /* on failure: of the header or the entry where it went wrong */
    const char *field; /* on failure: which one, or NULL */
    bool skipped;      /* something that is not known here was left out: it is written shorter */
    void (*entry)(void *context, unsigned index, const struct unpacked *entry); /* may be NULL */
    void *context;
};

static inline int unpack_entry(uint8_t type, const struct robo_entry *head, const uint8_t *body,
                               struct unpacked *u, const char **field)
{
    memset(u, 0, offsetof(struct unpacked, part));
    u->head = *head;
    u->msg = u->as.place;

    if (type == ROBO_TYPE_COMMAND) {
        int error = head->op == ROBO_MOVE ? unpack_move(head, body, u, field)
                                          : robo_command_decode(head, body, &u->as.cmd, field);
        if (error)
            return error;
        const struct robo_operation *op = robo_operation_find(robo__commands, head->op);
        MUST(op && u->as.cmd.op == head->op && u->as.cmd.id == head->id);
        u->name = op->name;
        u->first = &robo_start_message;
        u->start.start = u->as.cmd.start;
        u->first_msg = &u->start;
        u->body = op->request;
        u->msg = &u->as.cmd.body;
        static uint8_t again[ROBO_HEADER_SIZE + ROBO_MAX_PAYLOAD];
        struct robo_package p;
        MUST(robo_package_begin(&p, again, sizeof again) == 0);
        MUST(robo_package_add_command(&p, &u->as.cmd) == 0);
        u->known = p.used - ROBO_HEADER_SIZE - ROBO_ENTRY_SIZE;
        return 0;
    }

    if (type == ROBO_TYPE_SIGNAL) {
        struct robo_result result;
        struct robo_missed missed = { 0 };
        u->name = robo_op_name(head->op);
        u->first = &robo_result_entry_message;
        u->first_msg = &u->result_entry;
        *field = "size";
        ptrdiff_t used = robo_message_decode(u->first, body, head->size, &u->result_entry, field),
                  more = 0;
        if (used > 0 && head->size - (size_t)used >= robo_missed_message.bytes)
            more = robo_message_decode(&robo_missed_message, body + used, head->size - (size_t)used,
                                       &missed, field);
        if (more > 0) {
            u->body = &robo_missed_message;
            memcpy(u->as.place, &missed, sizeof missed);
        }
        ptrdiff_t parts =
            used > 0 && more >= 0
                ? robo_parts_decode(head, body, u->part, sizeof u->part / sizeof u->part[0])
                : -1;
        u->part_count = parts > 0 ? (size_t)parts : 0;
        bool good = used > 0 && more >= 0 && parts >= 0;
        int error = good ? 0 : used < 0 ? (int)used : more < 0 ? (int)more : ROBO_EBODY;
        u->known =
            (size_t)(used + more) + (parts > 0 ? 2 + u->part_count * robo_part_message.bytes : 0);

        /* the other way to read a signal says the same */
        MUST(robo_result_decode(head, body, &result) == error);
        MUST(!good ||
             (result.op == head->op && result.id == head->id &&
              result.signal == u->result_entry.signal && result.reason == u->result_entry.reason &&
              result.scheduled == u->result_entry.scheduled &&
              result.executed == u->result_entry.executed &&
              result.finished == u->result_entry.finished &&
              result.position_error == missed.position_error &&
              result.rotation_error == missed.rotation_error));
        return error;
    } else {
        const struct robo_operation *op =
            robo_operation_find(type == ROBO_TYPE_NOTICE ? robo__notices : robo__queries, head->op);
        if (!op) {
            *field = "op";
            return ROBO_EOP;
        }
        u->name = op->name;
        u->body = type == ROBO_TYPE_REPLY ? op->reply : op->request;
    }
    *field = "size";
    ptrdiff_t used = robo_message_decode(u->body, body, head->size, u->as.place, field);
    int good = used > 0 || (used == 0 && u->body->least == 0);
    u->known = (size_t)used;
    if (good && u->body->least < u->body->nfields) {
        /* zeros that might have been left out are left out */
        static uint8_t shortest[ROBO_MAX_PAYLOAD];
        ptrdiff_t n = robo_message_encode(u->body, u->msg, shortest, sizeof shortest, NULL);
        MUST(n >= 0 && n <= used);
        u->known = (size_t)n;
    }
    MUST(used <= head->size && (used >= 0 || used == ROBO_EBODY || used == ROBO_ERANGE));
    return good ? 0 : used < 0 ? (int)used : ROBO_EBODY;
}

/* Adds an entry as it was taken apart. A refusal leaves the package as it was. */
static inline int repack_entry(uint8_t type, struct robo_package *p, const struct unpacked *u)
{
    const struct robo_package before = *p;
    int error;
    if (type == ROBO_TYPE_COMMAND)
        error = robo_package_add_command(p, &u->as.cmd);
    else if (type == ROBO_TYPE_SIGNAL) {
        struct robo_missed missed = { 0 };
        if (u->body)
            memcpy(&missed, u->msg, sizeof missed);
        struct robo_result result = { .id = u->head.id,
                                      .op = u->head.op,
                                      .signal = u->result_entry.signal,
                                      .reason = u->result_entry.reason,
                                      .scheduled = u->result_entry.scheduled,
                                      .executed = u->result_entry.executed,
                                      .finished = u->result_entry.finished,
                                      .position_error = missed.position_error,
                                      .rotation_error = missed.rotation_error };
        /* errors below half a micrometre were sent as 0 */
        if (u->part_count > 0)
            error = robo_package_add_parts(p, &result, u->part, u->part_count);
        else if (u->body && missed.position_error == 0 && missed.rotation_error == 0)
            error = robo_package_add(p, u->head.op, u->head.id, u->first, &u->result_entry, u->body,
                                     &missed);
        else
            error = robo_package_add_result(p, &result);
    } else
        error = robo_package_add(p, u->head.op, u->head.id, NULL, NULL, u->body, u->msg);
    MUST(error <= 0);
    if (error)
        MUST(before.out == p->out && before.room == p->room && before.used == p->used &&
             before.count == p->count);
    else
        MUST(p->used == before.used + ROBO_ENTRY_SIZE + u->known && p->used <= p->room);
    return error;
}

/* Takes the package at `in` apart and writes it again to `out`. Bytes used, of both unless something was skipped; 0 when
 * more are wanted; an error of reading; ROBO_EFULL when `out` is too small. What has no type that is known, or no payload by
 * its type, is written as a header alone. */
static inline ptrdiff_t repack(struct package *k, const uint8_t *in, size_t n, uint8_t *out,
                               size_t room)
{
    k->offset = 0;
    k->field = NULL;
    k->skipped = false;
    if (n < ROBO_HEADER_SIZE)
        return 0;
    int error = robo_header_decode(in, &k->header);
    if (error) {
        MUST(error == ROBO_EMAGIC || error == ROBO_EVERSION || error == ROBO_ESIZE ||
             error == ROBO_ERANGE);
        return error;
    }
    if (n - ROBO_HEADER_SIZE < k->header.size)
        return 0;

    struct robo_package p;
    if ((error = robo_package_begin(&p, out, room)) < 0)
        return error;
    size_t at = 0, entry_at = 0;
    unsigned count = 0;
    struct robo_entry head;
    struct unpacked u;
    const uint8_t *body;
    int more = 0;
    struct robo_header again = k->header;
    again.flags &= ROBO_FLAG_PANIC | ROBO_FLAG_RESET;
    bool plain = again.type == ROBO_TYPE_NONE || again.type > ROBO_TYPE_NOTICE;
    if (plain) {
        again.type = ROBO_TYPE_NONE;
        at = k->header.size;
        count = k->header.count;
        k->skipped = count > 0 || at > 0;
    }
    k->skipped |= again.flags != k->header.flags || again.type != k->header.type;
    while (!plain &&
           (more = robo_next_entry(in + ROBO_HEADER_SIZE, k->header.size, &at, &head, &body)) > 0) {
        k->offset = ROBO_HEADER_SIZE + entry_at;
        if (count == k->header.count)
            return ROBO_ESIZE;
        if ((error = unpack_entry(k->header.type, &head, body, &u, &k->field)) < 0)
            return error;
        k->field = NULL;
        if (k->entry)
            k->entry(k->context, count, &u);
        if ((error = repack_entry(k->header.type, &p, &u)) < 0)
            return error;
        k->skipped |= u.known < head.size;
        entry_at = at;
        count++;
    }
    k->offset = ROBO_HEADER_SIZE + entry_at;
    if (more < 0 || count != k->header.count)
        return ROBO_ESIZE;

    ptrdiff_t used = robo_package_end(&p, &again);
    MUST(k->skipped || used == (ptrdiff_t)(ROBO_HEADER_SIZE + k->header.size));
    return (ptrdiff_t)(ROBO_HEADER_SIZE + k->header.size);
}
