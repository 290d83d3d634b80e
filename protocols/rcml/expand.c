/* Instances of PROTOs: copies of the nodes of a body and its ROUTEs, in which the instance's values stand where IS was written. */
#include <string.h>

#include "rcml/reader.h"

struct copying {
    struct robo__reader *r;
    const struct robo_scene_node *instance;
    const uint8_t *at;
    uint32_t number; /* of this expansion, by which nodes know their copies */
};

static struct robo_scene_node *copy_node(const struct copying *c,
                                         const struct robo_scene_node *node);

/* The value that an instance has for a name of its PROTO; NULL: that is an event. */
static const struct robo_scene_value *value_of(const struct robo_scene_node *instance,
                                               const char *name)
{
    for (uint32_t i = 0; i < instance->fields; i++)
        if (instance->field[i].name == name)
            return &instance->field[i].value;
    const struct robo_scene_kind *kind = instance->kind;
    for (uint32_t i = 0; i < kind->declarations; i++)
        if (kind->declaration[i].name == name)
            return kind->declaration[i].access <= ROBO_SCENE_EXPOSED ? &kind->declaration[i].value
                                                                     : NULL;
    return NULL;
}

/* Values without nodes are the same for all instances. */
static void copy_value(const struct copying *c, struct robo_scene_value *value)
{
    if (!robo__type_is_node(value->type) || value->count == 0)
        return;
    struct robo_scene_node **list = robo__take(c->r, value->count * sizeof *list);
    for (uint32_t i = 0; i < value->count; i++)
        list[i] = value->node[i] ? copy_node(c, value->node[i]) : NULL;
    value->node = list;
}

static void copy_fields(const struct copying *c, struct robo_scene_node *copy,
                        const struct robo_scene_node *node)
{
    struct robo_scene_field *list =
        node->fields ? robo__take(c->r, node->fields * sizeof *list) : NULL;
    for (uint32_t i = 0; i < node->fields; i++) {
        struct robo_scene_field field = node->field[i];
        if (field.is) {
            const struct robo_scene_value *value = value_of(c->instance, field.is);
            if (!value)
                continue;
            field = (struct robo_scene_field){ .name = field.name, .value = *value };
        } else {
            copy_value(c, &field.value);
        }
        list[copy->fields++] = field;
    }
    copy->field = list;
}

static void copy_declarations(const struct copying *c, struct robo_scene_node *copy,
                              const struct robo_scene_node *script)
{
    const uint32_t count = script->declarations;
    if (count == 0)
        return;
    struct robo_scene_declaration *list = robo__take(c->r, count * sizeof *list);
    for (uint32_t i = 0; i < count; i++) {
        list[i] = script->declaration[i];
        if (!list[i].is) {
            copy_value(c, &list[i].value);
            continue;
        }
        const struct robo_scene_value *value = value_of(c->instance, list[i].is);
        if (value)
            list[i].value = *value;
        list[i].is = NULL;
    }
    copy->declaration = list;
    copy->declarations = count;
}

static struct robo_scene_node *copy_node(const struct copying *c,
                                         const struct robo_scene_node *node)
{
    struct robo__node *original = robo__node_of(node);
    if (original->copied == c->number)
        return original->copy;
    if (c->r->expanding++ == ROBO_SCENE_DEPTH)
        robo__give_up(c->r, c->at, "instances of PROTOs nest deeper than %d nodes",
                      ROBO_SCENE_DEPTH);
    struct robo_scene_node *copy = robo__make_node(c->r, node->kind);
    copy->name = node->name;
    copy->line = node->line;
    copy->column = node->column;
    original->copy = copy; /* known before it is complete: a Script may hold itself */
    original->copied = c->number;
    copy_fields(c, copy, node);
    copy_declarations(c, copy, node);
    robo__node_measure(copy);
    if (copy->kind->origin == ROBO_SCENE_PROTO)
        robo__expand(c->r, copy, c->at);
    c->r->expanding--;
    return copy;
}

/* ROUTEs between nodes that were copied. */
static void copy_routes(const struct copying *c, struct robo_scene_node *instance,
                        const struct robo_scene_part *body)
{
    struct robo_scene_route *list =
        body->routes ? robo__take(c->r, body->routes * sizeof *list) : NULL;
    for (uint32_t i = 0; i < body->routes; i++) {
        const struct robo_scene_route *route = &body->route[i];
        const struct robo__node *from = robo__node_of(route->from), *to = robo__node_of(route->to);
        if (from->copied != c->number || to->copied != c->number)
            continue; /* a node that stands nowhere in the body */
        list[instance->routes++] =
            (struct robo_scene_route){ from->copy, to->copy, route->event_out, route->event_in };
    }
    instance->route = list;
}

void robo__expand(struct robo__reader *r, struct robo_scene_node *instance, const uint8_t *at)
{
    const struct robo_scene_part *body = &instance->kind->body;
    const struct copying c = { r, instance, at, ++r->expansion };
    struct robo_scene_node **list = body->nodes ? robo__take(r, body->nodes * sizeof *list) : NULL;
    for (uint32_t i = 0; i < body->nodes; i++)
        list[i] = copy_node(&c, body->node[i]);
    instance->body = list;
    instance->bodies = body->nodes;
    copy_routes(&c, instance, body);
    robo__node_measure(instance);
    if (robo__node_of(instance)->depth > ROBO_SCENE_DEPTH)
        robo__give_up(r, at, "nodes nest deeper than %d where USE and PROTOs are followed",
                      ROBO_SCENE_DEPTH);
}
