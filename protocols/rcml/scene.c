/* A scene: its life, its parts, and queries of its nodes. */
#include "rcml/scene.h"

#include <stdlib.h>
#include <string.h>

#include "rcml/kinds.h"

robo_scene *robo_scene_open(void)
{
    robo_scene *scene = calloc(1, sizeof *scene);
    if (scene)
        scene->arena.most = ROBO_SCENE_MEMORY;
    return scene;
}

void robo_scene_close(robo_scene *scene)
{
    if (!scene)
        return;
    robo__arena_free(&scene->arena);
    free(scene->text);
    free(scene);
}

const struct robo_scene_part *robo_scene_whole(const robo_scene *scene)
{
    return &scene->whole.part;
}

uint32_t robo_scene_problems(const robo_scene *scene, const struct robo_scene_problem **first)
{
    *first = scene->problem;
    return scene->problems;
}

uint32_t robo_scene_errors(const robo_scene *scene)
{
    return scene->count[ROBO_SCENE_ERROR];
}

bool robo__node_is_script(const struct robo_scene_node *node)
{
    return node->kind->origin == ROBO_SCENE_VRML && strcmp(node->kind->name, "Script") == 0;
}

size_t robo__element_size(enum robo_scene_type type)
{
    switch (type) {
    case ROBO_SF_TIME:
    case ROBO_MF_TIME: return sizeof(double);
    case ROBO_SF_STRING:
    case ROBO_MF_STRING: return sizeof(char *);
    case ROBO_SF_NODE:
    case ROBO_MF_NODE: return sizeof(struct robo_scene_node *);
    default: return sizeof(int32_t); /* or a float */
    }
}

size_t robo__elements(const struct robo_scene_value *value)
{
    return (size_t)value->count * robo_scene_type_width(value->type);
}

const struct robo_scene_value *robo_scene_get(const struct robo_scene_node *node, const char *name)
{
    for (uint32_t i = 0; i < node->fields; i++)
        if (strcmp(node->field[i].name, name) == 0)
            return &node->field[i].value;
    const struct robo_scene_declaration *d =
        node->declarations && name[0]
            ? robo__declaration_find(node->declaration, node->declarations, name, strlen(name))
            : NULL;
    if (!d)
        d = robo_scene_declared(node->kind, name);
    return d && d->access <= ROBO_SCENE_EXPOSED ? &d->value : NULL;
}

const struct robo_scene_kind *robo_scene_kind_named(const robo_scene *scene, const char *name)
{
    const struct robo_scene_part *whole = scene ? &scene->whole.part : NULL;
    for (uint32_t i = whole ? whole->kinds : 0; i > 0; i--)
        if (strcmp(whole->kind[i - 1]->name, name) == 0)
            return whole->kind[i - 1];
    return name[0] ? robo__kind_find(name, strlen(name)) : NULL;
}

const struct robo_scene_declaration *robo__node_event(const struct robo_scene_node *node,
                                                      const char *name, size_t size,
                                                      enum robo_scene_access access)
{
    const struct robo_scene_declaration *d =
        robo__event_find(node->declaration, node->declarations, name, size, access);
    return d ? d
             : robo__event_find(node->kind->declaration, node->kind->declarations, name, size,
                                access);
}

/* ---- how large it is ---- */

static void measure_value(const struct robo_scene_value *value, uint32_t *depth, uint64_t *met)
{
    if (!robo__type_is_node(value->type))
        return;
    for (uint32_t i = 0; i < value->count; i++) {
        const struct robo__node *n = robo__node_of(value->node[i]);
        if (!n)
            continue;
        if (n->depth > *depth)
            *depth = n->depth;
        *met += n->met;
        if (*met > ROBO__MET_MOST)
            *met = ROBO__MET_MOST;
    }
}

void robo__node_measure(struct robo_scene_node *node)
{
    uint32_t depth = 0;
    uint64_t met = 0, in_body = 0;
    if (!robo__node_is_script(node)) {
        for (uint32_t i = 0; i < node->fields; i++)
            measure_value(&node->field[i].value, &depth, &met);
        measure_value(
            &(struct robo_scene_value){ ROBO_MF_NODE, node->bodies, { .node = node->body } },
            &depth, &in_body);
    }
    robo__node_of(node)->depth = depth + 1;
    robo__node_of(node)->met = (met > in_body ? met : in_body) + 1;
}

/* ---- parts ---- */

bool robo__part_add_node(robo_scene *scene, struct robo__list *p, struct robo_scene_node *node)
{
    struct robo_scene_node **list = robo__arena_grow(&scene->arena, (void *)(uintptr_t)p->part.node,
                                                     p->part.nodes, &p->node_room, sizeof *list);
    if (!list)
        return false;
    p->part.node = list;
    list[p->part.nodes++] = node;
    return true;
}

bool robo__part_add_kind(robo_scene *scene, struct robo__list *p, struct robo_scene_kind *kind)
{
    struct robo_scene_kind **list = robo__arena_grow(&scene->arena, (void *)(uintptr_t)p->part.kind,
                                                     p->part.kinds, &p->kind_room, sizeof *list);
    if (!list)
        return false;
    p->part.kind = list;
    list[p->part.kinds++] = kind;
    return true;
}

bool robo__part_add_route(robo_scene *scene, struct robo__list *p,
                          const struct robo_scene_route *route)
{
    struct robo_scene_route *list =
        robo__arena_grow(&scene->arena, (void *)(uintptr_t)p->part.route, p->part.routes,
                         &p->route_room, sizeof *list);
    if (!list)
        return false;
    p->part.route = list;
    list[p->part.routes++] = *route;
    return true;
}
