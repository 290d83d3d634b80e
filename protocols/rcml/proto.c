/* PROTOs, the declarations of PROTOs and Scripts, and IS. */
#include <string.h>

#include "rcml/reader.h"

static const char *const words[] = { "field", "exposedField", "eventIn", "eventOut" };

const struct robo_scene_kind *robo__find_kind(const struct robo__reader *r, struct robo__span name)
{
    for (const struct robo__scope *s = r->scope; s; s = s->outer) {
        const struct robo_scene_kind *kind =
            robo__names_find(&r->protos, s->number, name.text, name.size);
        if (kind)
            return kind;
    }
    return robo__kind_find(name.text, name.size);
}

/* Whether two declarations cannot stand side by side: x declares set_x and x_changed, where it is an exposedField. */
static bool clash(const struct robo_scene_declaration *a, const struct robo_scene_declaration *b)
{
    return strcmp(a->name, b->name) == 0 ||
           robo__event_find(a, 1, b->name, strlen(b->name), b->access);
}

/* A growing list of declarations. */
struct declared {
    struct robo_scene_declaration *list;
    uint32_t count, *room;
};

/* Adds one; a declaration that clashes with another is refused. */
static void add(struct robo__reader *r, struct declared *declared,
                const struct robo_scene_declaration *d, const uint8_t *at)
{
    for (uint32_t i = 0; i < declared->count; i++)
        if (clash(declared->list + i, d) || clash(d, declared->list + i)) {
            robo__problem(r, ROBO_SCENE_ERROR, at,
                          "%s is declared already, as %s, expected another name", d->name,
                          declared->list[i].name);
            return;
        }
    if (declared->count == ROBO_SCENE_FIELDS)
        robo__give_up(r, at, "more than %d fields and events are declared", ROBO_SCENE_FIELDS);
    struct robo_scene_declaration *list = robo__arena_grow(
        &r->scene->arena, declared->list, declared->count, declared->room, sizeof *list);
    if (list) {
        declared->list = list;
        list[declared->count++] = *d;
    } else {
        robo__no_memory(r, r->scene->arena.error);
    }
}

/* The type and the name. */
static bool read_head(struct robo__reader *r, struct robo_scene_declaration *d)
{
    struct robo__span name;
    if (!robo__lex_look_name(&r->lexer, &name) ||
        !robo__type_find(name.text, name.size, &d->value.type)) {
        robo__unexpected(r, "a type, as SFFloat or MFNode");
        return false;
    }
    r->lexer.at += name.size;
    if (!robo__read_name(r, "a name", &name))
        return false;
    d->name = robo__take_text(r, name);
    return true;
}

/* The value that a declaration gives. Names of nodes in it hold there alone. */
static bool read_default(struct robo__reader *r, bool rcml, struct robo_scene_value *value)
{
    unsigned within;
    struct robo__scope scope = { r->scope, ++r->scopes, r->scope->part, NULL, false };
    r->scope = &scope;
    const bool ok = robo__read_value(r, value->type, rcml, NULL, value, &within);
    r->scope = scope.outer;
    return ok;
}

/* To the next declaration, or the ] after the last. */
static void skip_declaration(struct robo__reader *r)
{
    for (int c; (c = robo__lex_look(&r->lexer)) != -1 && c != ']';) {
        struct robo__span name;
        if (robo__lex_look_name(&r->lexer, &name))
            for (size_t i = 0; i < sizeof words / sizeof *words; i++)
                if (robo__span_is(name, words[i]))
                    return;
        robo__skip_block(r);
    }
}

/* [ declarations ]; with values, except in an EXTERNPROTO. */
static bool read_interface(struct robo__reader *r, struct robo_scene_kind *kind)
{
    uint32_t room = 0;
    struct declared declared = { .room = &room };
    const bool rcml = robo__kind_is_rcml(kind->name, strlen(kind->name));
    if (!robo__read_mark(r, '[', "["))
        return false;
    while (robo__lex_look(&r->lexer) != ']') {
        struct robo_scene_declaration d = { 0 };
        unsigned access = 0;
        while (access < 4 && !robo__lex_word(&r->lexer, words[access]))
            access++;
        if (access == 4) {
            robo__unexpected(r, "field, exposedField, eventIn, eventOut or ]");
            if (robo__lex_look(&r->lexer) == '{' || r->lexer.at == r->lexer.end)
                return false;
            skip_declaration(r);
            continue;
        }
        d.access = (enum robo_scene_access)access;
        const bool head = read_head(r, &d);
        const uint8_t *at = r->lexer.at;
        if (head && (access > ROBO_SCENE_EXPOSED || kind->origin == ROBO_SCENE_EXTERN ||
                     read_default(r, rcml, &d.value)))
            add(r, &declared, &d, at);
        else
            skip_declaration(r);
        kind->declaration = declared.list;
        kind->declarations = declared.count;
    }
    r->lexer.at++;
    return true;
}

/* From here on the type is known. */
static void declare(struct robo__reader *r, struct robo_scene_kind *kind, const uint8_t *at)
{
    const size_t size = strlen(kind->name);
    if (robo__names_find(&r->protos, r->scope->number, kind->name, size))
        robo__problem(r, ROBO_SCENE_WARNING, at, "%s is declared again, from here on this holds",
                      kind->name);
    else if (robo__kind_find(kind->name, size) && !robo__kind_is_rcml(kind->name, size))
        robo__problem(r, ROBO_SCENE_WARNING, at, "%s is a node of VRML97, from here on this holds",
                      kind->name);
    if (!robo__names_set(&r->protos, r->scope->number, kind->name, size, kind))
        robo__no_memory(r, ROBO_ENOMEM);
    if (!robo__part_add_kind(r->scene, r->scope->part, kind))
        robo__no_memory(r, r->scene->arena.error);
}

static struct robo_scene_kind *make_kind(struct robo__reader *r, struct robo__span name,
                                         enum robo_scene_origin origin)
{
    struct robo__kind *whole = robo__take(r, sizeof *whole);
    struct robo_scene_kind *kind = &whole->kind;
    kind->name = robo__take_text(r, name);
    kind->origin = origin;
    kind->url.type = ROBO_MF_STRING;
    kind->line = r->lexer.line;
    kind->column = (uint32_t)(r->lexer.at - name.size - r->lexer.line_begin + 1);
    return kind;
}

void robo__read_proto(struct robo__reader *r)
{
    struct robo__span name;
    if (!robo__read_name(r, "a name for the PROTO", &name)) {
        robo__skip_statement(r);
        return;
    }
    const uint8_t *at = r->lexer.at - name.size;
    struct robo_scene_kind *kind = make_kind(r, name, ROBO_SCENE_PROTO);
    if (r->declarings == ROBO_SCENE_PROTO_NESTING)
        robo__give_up(r, at, "PROTOs nest deeper than %d", ROBO_SCENE_PROTO_NESTING);
    r->declaring[r->declarings++] = kind;
    if (!read_interface(r, kind) || !robo__read_mark(r, '{', "{ and the nodes of the PROTO")) {
        robo__skip_statement(r);
    } else {
        struct robo__list *body = robo__take(r, sizeof *body);
        struct robo__scope scope = { r->scope, ++r->scopes, body, kind, true };
        r->scope = &scope;
        if (!robo__read_part(r, body, '}'))
            robo__unexpected(r, "a node, DEF, USE, PROTO, EXTERNPROTO, ROUTE or }");
        r->scope = scope.outer;
        kind->body = body->part;
        if (body->part.nodes == 0)
            robo__problem(r, ROBO_SCENE_WARNING, at,
                          "the PROTO %s has no nodes, other readers expect at least one",
                          kind->name);
    }
    r->declarings--;
    declare(r, kind, at);
}

void robo__read_externproto(struct robo__reader *r)
{
    struct robo__span name;
    unsigned within;
    if (!robo__read_name(r, "a name for the EXTERNPROTO", &name)) {
        robo__skip_statement(r);
        return;
    }
    const uint8_t *at = r->lexer.at - name.size;
    struct robo_scene_kind *kind = make_kind(r, name, ROBO_SCENE_EXTERN);
    if (!read_interface(r, kind) ||
        !robo__read_value(r, ROBO_MF_STRING, false, NULL, &kind->url, &within))
        robo__skip_statement(r);
    robo__problem(r, ROBO_SCENE_NOTE, at, "%s is defined in another file, which is not looked for",
                  kind->name);
    declare(r, kind, at);
}

/* ---- Scripts and IS ---- */

void robo__read_script_declaration(struct robo__reader *r, struct robo_scene_node *node,
                                   enum robo_scene_access access)
{
    struct robo_scene_declaration d = { .access = access };
    unsigned within = 0;
    const uint8_t *at = r->lexer.at;
    if (!read_head(r, &d)) {
        robo__skip_value(r, node, node->kind, 0);
        return;
    }
    if (access == ROBO_SCENE_EXPOSED)
        robo__problem(r, ROBO_SCENE_ERROR, at, "a Script has no exposedField, expected field");
    if (robo__lex_word(&r->lexer, "IS")) {
        d.is = robo__read_is(r, &d);
        if (!d.is)
            return;
    } else if (access <= ROBO_SCENE_EXPOSED &&
               !robo__read_value(r, d.value.type, false, NULL, &d.value, &within)) {
        robo__skip_value(r, node, node->kind, within);
        return;
    }
    if (access == ROBO_SCENE_EXPOSED)
        return;
    for (uint32_t i = 0; i < node->kind->declarations; i++)
        if (clash(node->kind->declaration + i, &d)) {
            robo__problem(r, ROBO_SCENE_ERROR, at, "every Script has %s, expected another name",
                          d.name);
            return;
        }
    struct declared own = { (void *)(uintptr_t)node->declaration, node->declarations,
                            &robo__node_of(node)->declaration_room };
    add(r, &own, &d, at);
    node->declaration = own.list;
    node->declarations = own.count;
}

const char *robo__read_is(struct robo__reader *r, const struct robo_scene_declaration *d)
{
    struct robo__span name;
    const struct robo_scene_kind *proto = r->scope->proto;
    if (!robo__read_name(r, "a name that the PROTO declares", &name))
        return NULL;
    const uint8_t *at = r->lexer.at - name.size;
    if (!proto) {
        robo__problem(r, ROBO_SCENE_ERROR, at,
                      "IS outside of the body of a PROTO, expected a value");
        return NULL;
    }
    const struct robo_scene_declaration *p =
        robo__declaration_find(proto->declaration, proto->declarations, name.text, name.size);
    if (!p) {
        robo__problem(r, ROBO_SCENE_ERROR, at, "the PROTO %s declares no %.*s", proto->name,
                      (int)(name.size < 60 ? name.size : 60), name.text);
        return NULL;
    }
    if (p->value.type != d->value.type) {
        robo__problem(r, ROBO_SCENE_ERROR, at, "%s is %s, expected %s as %s is", p->name,
                      robo_scene_type_name(p->value.type), robo_scene_type_name(d->value.type),
                      d->name);
        return NULL;
    }
    if (d->access != ROBO_SCENE_EXPOSED && d->access != p->access) {
        const bool mild = d->access == ROBO_SCENE_FIELD && p->access == ROBO_SCENE_EXPOSED;
        robo__problem(r, mild ? ROBO_SCENE_WARNING : ROBO_SCENE_ERROR, at,
                      "%s is declared as %s, expected %s as %s is", p->name, words[p->access],
                      words[d->access], d->name);
        if (!mild)
            return NULL;
    }
    return p->name;
}
