/* The reader of a file, in parts: problems (problem.c), going on behind them (recover.c), values (value.c), nodes (node.c), their
 * allowed places (slots.c), PROTOs (proto.c), their instances (expand.c), ROUTEs (route.c) and the file as a whole (read.c). An end of
 * reading, no memory or a bound, leaves by a jump: all memory is in the scene, or freed by read.c. */
#pragma once

#include <setjmp.h>

#include "rcml/kinds.h"
#include "rcml/lexer.h"
#include "rcml/names.h"
#include "rcml/scene.h"

/* Where names of DEF hold: the file, the body of a PROTO, the value of a field that a PROTO declares. */
struct robo__scope {
    struct robo__scope *outer;
    uint32_t number;
    struct robo__list *part;
    struct robo_scene_kind *proto; /* whose body it is: the target of IS */
    bool in_body;                  /* of a PROTO: instances are expanded with it */
};

struct robo__reader {
    struct robo__lexer lexer;
    const uint8_t *text; /* where it begins */
    robo_scene *scene;
    struct robo__names defs, protos, routes;
    struct robo__scope *scope;
    uint32_t scopes, nodes, nesting, expansion, expanding;
    struct robo_scene_node
        *open[ROBO_SCENE_NESTING]; /* nodes that are being read, from outside in */
    uint32_t opens;
    /* PROTOs that are being read, from outside in */
    struct robo_scene_kind *declaring[ROBO_SCENE_PROTO_NESTING];
    uint32_t declarings;
    bool ended; /* the early end of the file was reported */
    struct robo__scratch {
        uint8_t *bytes; /* from malloc */
        size_t used, room;
    } scratch;  /* items of lists whose end has not come */
    int memory; /* the reader has ended for want of memory */
    jmp_buf out;
};

/* ---- problem.c ---- */

__attribute__((format(printf, 4, 5))) void robo__problem(struct robo__reader *r,
                                                         enum robo_scene_severity severity,
                                                         const uint8_t *at, const char *format,
                                                         ...);
/* The same, and the end. */
__attribute__((format(printf, 3, 4))) _Noreturn void
robo__give_up(struct robo__reader *r, const uint8_t *at, const char *format, ...);
/* The arena, or malloc, has given nothing. */
_Noreturn void robo__no_memory(struct robo__reader *r, int error);
/* "expected WHAT, got …" at the present place; of the end of the file once, with all that is open. */
void robo__unexpected(struct robo__reader *r, const char *what);

/* ---- memory that ends the reader when there is none ---- */

void *robo__take(struct robo__reader *r, size_t size);
char *robo__take_text(struct robo__reader *r, struct robo__span span);
/* Lists: begin, push any number, end. Lists that begin later end before. Within a list of items whose size is no multiple of 8
 * none may begin. */
size_t robo__list_begin(struct robo__reader *r);
void robo__list_grow(struct robo__reader *r, size_t size);
static inline void *robo__list_push(struct robo__reader *r, size_t size)
{
    if (size > r->scratch.room - r->scratch.used)
        robo__list_grow(r, size);
    void *item = r->scratch.bytes + r->scratch.used;
    r->scratch.used += size;
    return item;
}
/* The items, in the scene; *bytes: how many bytes they have. NULL: none. */
void *robo__list_end(struct robo__reader *r, size_t begin, size_t *bytes);

/* ---- recover.c: words ---- */

/* A name that is no keyword; false: "expected WHAT" was reported. */
bool robo__read_name(struct robo__reader *r, const char *what, struct robo__span *name);
/* This character; false: its lack was reported. */
bool robo__read_mark(struct robo__reader *r, char mark, const char *what);
/* Goes on to where the next field of a node, or the end of it, may be: over brackets, of which `within` are open. Names that
 * are given by DEF on the way are known then, as those of nodes that could not be read. */
void robo__skip_value(struct robo__reader *r, const struct robo_scene_node *node,
                      const struct robo_scene_kind *kind, unsigned within);
/* Over a { } or [ ] with all that is in it. */
void robo__skip_block(struct robo__reader *r);
/* To the next statement of a part. */
void robo__skip_statement(struct robo__reader *r);
/* The node in the place of one that was skipped, or cannot be used here. */
extern struct robo_scene_node robo__no_node;
/* A name stands for it: to use the name is no further mistake. */
void robo__remember_skipped(struct robo__reader *r, struct robo__span name);
/* The declaration of a field or event of a node, by itself or its kind; node may be NULL. */
const struct robo_scene_declaration *robo__find_field(const struct robo_scene_node *node,
                                                      const struct robo_scene_kind *kind,
                                                      struct robo__span name);

/* ---- value.c ---- */

/* Where nodes of a value stand: in this field of a node of that kind. named: the type of those whose type is not written; NULL: none. */
struct robo__slot {
    const struct robo_scene_kind *kind, *named;
    const char *field;
};

/* False: a fault was reported, and the lexer is there; *within: how many brackets are open. slot: NULL: in no node. */
bool robo__read_value(struct robo__reader *r, enum robo_scene_type type, bool rcml,
                      const struct robo__slot *slot, struct robo_scene_value *value,
                      unsigned *within);

/* ---- slots.c ---- */

/* Reports a node that may not be there. */
void robo__check_slot(struct robo__reader *r, const struct robo__slot *slot,
                      const struct robo_scene_node *node, const uint8_t *at);

/* ---- node.c ---- */

/* A node statement, up to its end whatever faults it has; robo__no_node: faults were reported; NULL: there is none, which was reported.
 * named: the type of a node whose type is not written; NULL: none. */
struct robo_scene_node *robo__read_node(struct robo__reader *r,
                                        const struct robo_scene_kind *named);
struct robo_scene_node *robo__make_node(struct robo__reader *r, const struct robo_scene_kind *kind);

/* ---- proto.c ---- */

void robo__read_proto(struct robo__reader *r);       /* its word has been passed */
void robo__read_externproto(struct robo__reader *r); /* its word has been passed, too */
/* A declaration of a Script, whose first word has been passed. */
void robo__read_script_declaration(struct robo__reader *r, struct robo_scene_node *node,
                                   enum robo_scene_access access);
/* The name behind IS, of a field or event of the PROTO, which stands for this one of a node; NULL: a fault was reported. */
const char *robo__read_is(struct robo__reader *r, const struct robo_scene_declaration *d);
const struct robo_scene_kind *robo__find_kind(const struct robo__reader *r, struct robo__span name);

/* ---- expand.c ---- */

/* Fills in the body of an instance of a PROTO. */
void robo__expand(struct robo__reader *r, struct robo_scene_node *instance, const uint8_t *at);

/* ---- route.c ---- */

void robo__read_route(struct robo__reader *r); /* its word has been passed */

/* ---- read.c ---- */

/* PROTO, EXTERNPROTO or ROUTE; false: none of them comes, and nothing is passed. */
bool robo__read_statement(struct robo__reader *r);
/* Statements up to `end`, '}' or -1; false: the file ended before. */
bool robo__read_part(struct robo__reader *r, struct robo__list *part, int end);
