/* Scenes that are built, node by node. */
#include <math.h>
#include <string.h>

#include "rcml/kinds.h"
#include "rcml/lexer.h"
#include "rcml/scene.h"

static bool is_name(const char *text)
{
    struct robo__lexer l = { .at = (const uint8_t *)text,
                             .end = (const uint8_t *)text + strlen(text) };
    struct robo__span name;
    return robo__lex_look_name(&l, &name) && name.text == text && text[name.size] == 0 &&
           name.size <= ROBO_SCENE_NAME && !robo__lex_keyword(name);
}

struct robo_scene_node *robo_scene_add(robo_scene *scene, const struct robo_scene_kind *kind,
                                       const char *name, int *error)
{
    int unused;
    if (!error)
        error = &unused;
    *error = ROBO_EINVAL;
    if (name && !is_name(name))
        return NULL;
    *error = ROBO_ENOMEM;
    struct robo__node *n = robo__arena_take(&scene->arena, sizeof *n);
    if (!n)
        return NULL;
    n->node.kind = kind;
    if (name) {
        n->node.name = robo__arena_text(&scene->arena, name, strlen(name));
        if (!n->node.name)
            return NULL;
    }
    n->depth = 1;
    n->met = 1;
    *error = 0;
    return &n->node;
}

/* Whether a file may hold it. */
static bool is_right(const struct robo_scene_value *v)
{
    const size_t n = robo__elements(v);
    const bool many = v->type >= ROBO_MF_COLOR;
    switch (v->type) {
    case ROBO_SF_IMAGE:
        return n >= 3 && v->integer[0] >= 0 && v->integer[1] >= 0 && v->integer[2] >= 0 &&
               v->integer[2] <= 4 && (uint64_t)v->integer[0] * (uint64_t)v->integer[1] == n - 3;
    case ROBO_SF_STRING:
    case ROBO_MF_STRING:
        for (size_t i = 0; i < n; i++)
            if (!v->string[i] || strlen(v->string[i]) > ROBO_SCENE_STRING)
                return false;
        break;
    case ROBO_SF_TIME:
    case ROBO_MF_TIME:
        for (size_t i = 0; i < n; i++)
            if (!isfinite(v->time[i]))
                return false;
        break;
    case ROBO_MF_NODE:
        for (size_t i = 0; i < n; i++)
            if (!v->node[i])
                return false;
        break;
    case ROBO_SF_BOOL:
    case ROBO_SF_INT32:
    case ROBO_MF_INT32:
    case ROBO_SF_NODE: break;
    default:
        for (size_t i = 0; i < n; i++)
            if (!isfinite(v->number[i]))
                return false;
    }
    return many || v->count == 1;
}

/* Copies the data that the value points to. */
static bool copy(robo_scene *scene, struct robo_scene_value *v)
{
    const size_t n = robo__elements(v), size = robo__element_size(v->type);
    if (n == 0) {
        v->number = NULL;
        return true;
    }
    void *list = robo__arena_take(&scene->arena, n * size);
    if (!list)
        return false;
    memcpy(list, v->number, n * size);
    if (v->type == ROBO_SF_STRING || v->type == ROBO_MF_STRING) {
        const char **strings = list;
        for (size_t i = 0; i < n; i++) {
            strings[i] = robo__arena_text(&scene->arena, strings[i], strlen(strings[i]));
            if (!strings[i])
                return false;
        }
    }
    v->number = list;
    return true;
}

int robo_scene_give(robo_scene *scene, struct robo_scene_node *node, const char *field,
                    const struct robo_scene_value *value)
{
    const struct robo_scene_declaration *d = robo_scene_declared(node->kind, field);
    struct robo__node *own = robo__node_of(node);
    if (!d || d->access > ROBO_SCENE_EXPOSED || d->value.type != value->type || !is_right(value))
        return ROBO_EINVAL;
    struct robo_scene_field given = { .name = d->name, .value = *value };
    struct robo_scene_field *list = (void *)(uintptr_t)node->field;
    if (!copy(scene, &given.value))
        return ROBO_ENOMEM;
    for (uint32_t i = 0; i < node->fields; i++)
        if (list[i].name == d->name) {
            list[i] = given;
            return 0;
        }
    list = robo__arena_grow(&scene->arena, list, node->fields, &own->field_room, sizeof *list);
    if (!list)
        return ROBO_ENOMEM;
    node->field = list;
    list[node->fields++] = given;
    return 0;
}

int robo_scene_declare(robo_scene *scene, struct robo_scene_node *script,
                       const struct robo_scene_declaration *declaration)
{
    struct robo_scene_declaration d = *declaration;
    struct robo_scene_declaration *list = (void *)(uintptr_t)script->declaration;
    if (!robo__node_is_script(script) || !d.name || !is_name(d.name) || d.is ||
        d.access == ROBO_SCENE_EXPOSED || (unsigned)d.access > ROBO_SCENE_EVENT_OUT ||
        (unsigned)d.value.type >= ROBO_SCENE_TYPES || script->declarations == ROBO_SCENE_FIELDS ||
        robo__node_event(script, d.name, strlen(d.name), d.access) ||
        robo__declaration_find(list, script->declarations, d.name, strlen(d.name)) ||
        robo_scene_declared(script->kind, d.name))
        return ROBO_EINVAL;
    if (d.access != ROBO_SCENE_FIELD)
        d.value.count = 0;
    else if (!is_right(&d.value))
        return ROBO_EINVAL;
    d.name = robo__arena_text(&scene->arena, d.name, strlen(d.name));
    if (!d.name || !copy(scene, &d.value))
        return ROBO_ENOMEM;
    list = robo__arena_grow(&scene->arena, list, script->declarations,
                            &robo__node_of(script)->declaration_room, sizeof *list);
    if (!list)
        return ROBO_ENOMEM;
    script->declaration = list;
    list[script->declarations++] = d;
    return 0;
}

int robo_scene_put(robo_scene *scene, struct robo_scene_node *node)
{
    return robo__part_add_node(scene, &scene->whole, node) ? 0 : ROBO_ENOMEM;
}

int robo_scene_route_add(robo_scene *scene, const struct robo_scene_route *route)
{
    struct robo_scene_route copied = *route;
    if (!route->event_out[0] || !route->event_in[0])
        return ROBO_EINVAL;
    const struct robo_scene_declaration *out = robo__node_event(
        route->from, route->event_out, strlen(route->event_out), ROBO_SCENE_EVENT_OUT);
    const struct robo_scene_declaration *in =
        robo__node_event(route->to, route->event_in, strlen(route->event_in), ROBO_SCENE_EVENT_IN);
    if (!out || !in || out->value.type != in->value.type)
        return ROBO_EINVAL;
    copied.event_out = robo__arena_text(&scene->arena, route->event_out, strlen(route->event_out));
    copied.event_in = robo__arena_text(&scene->arena, route->event_in, strlen(route->event_in));
    if (!copied.event_out || !copied.event_in ||
        !robo__part_add_route(scene, &scene->whole, &copied))
        return ROBO_ENOMEM;
    return 0;
}
