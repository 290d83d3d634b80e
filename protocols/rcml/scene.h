/* The structure of a scene, for the reader, the builder and the writer. */
#pragma once

#include "rcml/arena.h"
#include "robotalk.h"
#include "robotalk/rcml.h"

/* A part that grows, in the arena. */
struct robo__list {
    struct robo_scene_part part;
    uint32_t node_room, kind_room, route_room;
};

struct robo_scene {
    struct robo__arena arena;
    struct robo__list whole;
    struct robo_scene_problem *problem;
    uint32_t problems, problem_room, count[3]; /* count: of each severity, with those not kept */
    uint32_t writings;
    char *text; /* the last text, from malloc */
    size_t text_size, text_room;
};

/* Private data of a node. */
struct robo__node {
    struct robo_scene_node node;
    uint32_t field_room, declaration_room; /* of lists that grow */
    uint32_t depth;                        /* of nodes in it, with itself */
    uint64_t met; /* how many nodes are met in it, with itself; ROBO__MET_MOST: or more */
    bool open;    /* it is being read: its } has not come */
    struct robo_scene_node *copy; /* the last that was made of it, */
    uint32_t copied;              /* in this expansion */
    uint32_t number, put;         /* the writings that have met it, and written it */
    const char *written;          /* by this name; NULL: without one */
};

/* Private data of a PROTO or EXTERNPROTO. */
struct robo__kind {
    struct robo_scene_kind kind;
    uint32_t met;        /* by this writing, */
    const char *written; /* which has it by this name */
};

enum { ROBO__MET_MOST = 1 << 30 };

static inline struct robo__node *robo__node_of(const struct robo_scene_node *node)
{
    return (struct robo__node *)(uintptr_t)node;
}

static inline struct robo__kind *robo__kind_of(const struct robo_scene_kind *kind)
{
    return (struct robo__kind *)(uintptr_t)kind;
}

static inline bool robo__type_is_node(enum robo_scene_type type)
{
    return type == ROBO_SF_NODE || type == ROBO_MF_NODE;
}

bool robo__node_is_script(const struct robo_scene_node *node);
/* Bytes of one element of a type's array: of a number, a string's or a node's pointer. */
size_t robo__element_size(enum robo_scene_type type);
/* How many elements a value has. */
size_t robo__elements(const struct robo_scene_value *value);

/* Sets depth and met by the contents of its fields and body. */
void robo__node_measure(struct robo_scene_node *node);

/* Adds to a part; false: there is no memory. */
bool robo__part_add_node(robo_scene *scene, struct robo__list *part, struct robo_scene_node *node);
bool robo__part_add_kind(robo_scene *scene, struct robo__list *part, struct robo_scene_kind *kind);
bool robo__part_add_route(robo_scene *scene, struct robo__list *part,
                          const struct robo_scene_route *route);

/* The declaration of the event by which a route leaves or reaches a node; NULL: none. */
const struct robo_scene_declaration *robo__node_event(const struct robo_scene_node *node,
                                                      const char *name, size_t size,
                                                      enum robo_scene_access access);
