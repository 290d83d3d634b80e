/* ROUTEs, from an event of a node to one of another. */
#include <string.h>

#include "rcml/reader.h"

static struct robo_scene_node *read_end(struct robo__reader *r, struct robo__span *event, bool *ok)
{
    struct robo__span name;
    *ok = robo__read_name(r, "the name of a node", &name);
    if (!*ok)
        return NULL;
    const uint8_t *at = r->lexer.at - name.size;
    struct robo_scene_node *node =
        robo__names_find(&r->defs, r->scope->number, name.text, name.size);
    if (!node)
        robo__problem(r, ROBO_SCENE_ERROR, at,
                      "ROUTE %.*s: expected a name that DEF has given before",
                      (int)(name.size < 60 ? name.size : 60), name.text);
    *ok = robo__read_mark(r, '.', ". and an event") && robo__read_name(r, "an event", event);
    return node;
}

static const struct robo_scene_declaration *
find_event(struct robo__reader *r, const struct robo_scene_node *node, struct robo__span event,
           enum robo_scene_access access, const uint8_t *at)
{
    const struct robo_scene_declaration *d = robo__node_event(node, event.text, event.size, access);
    if (!d)
        robo__problem(r, ROBO_SCENE_ERROR, at, "%s has no %s %.*s", node->kind->name,
                      access == ROBO_SCENE_EVENT_IN ? "eventIn" : "eventOut",
                      (int)(event.size < 60 ? event.size : 60), event.text);
    return d;
}

/* Whether there was the same before, in this part. */
static bool is_known(struct robo__reader *r, struct robo_scene_route *route, struct robo__span out,
                     struct robo__span in)
{
    const struct robo_scene_node *ends[] = { route->from, route->to };
    const size_t size = sizeof ends + out.size + 1 + in.size;
    char *key = robo__take(r, size);
    memcpy(key, ends, sizeof ends);
    memcpy(key + sizeof ends, out.text, out.size);
    memcpy(key + size - in.size, in.text, in.size);
    key[sizeof ends + out.size] = '.';
    if (robo__names_find(&r->routes, r->scope->number, key, size))
        return true;
    if (!robo__names_set(&r->routes, r->scope->number, key, size, route->from))
        robo__no_memory(r, ROBO_ENOMEM);
    return false;
}

void robo__read_route(struct robo__reader *r)
{
    struct robo__span out, in;
    bool ok;
    robo__lex_blank(&r->lexer);
    const uint8_t *at = r->lexer.at;
    struct robo_scene_route route = { .from = read_end(r, &out, &ok) };
    if (!ok)
        return;
    if (!robo__lex_word(&r->lexer, "TO")) {
        robo__unexpected(r, "TO");
        return;
    }
    route.to = read_end(r, &in, &ok);
    if (!ok || !route.from || !route.to || route.from == &robo__no_node ||
        route.to == &robo__no_node)
        return;
    const struct robo_scene_declaration *a =
        find_event(r, route.from, out, ROBO_SCENE_EVENT_OUT, at);
    const struct robo_scene_declaration *b = find_event(r, route.to, in, ROBO_SCENE_EVENT_IN, at);
    if (!a || !b)
        return;
    if (a->value.type != b->value.type) {
        robo__problem(r, ROBO_SCENE_ERROR, at, "ROUTE from %s to %s: expected one type",
                      robo_scene_type_name(a->value.type), robo_scene_type_name(b->value.type));
        return;
    }
    if (is_known(r, &route, out, in))
        return;
    route.event_out = robo__take_text(r, out);
    route.event_in = robo__take_text(r, in);
    if (!robo__part_add_route(r->scene, r->scope->part, &route))
        robo__no_memory(r, r->scene->arena.error);
}
