/* Nodes and their fields. */
#include <stdio.h>
#include <string.h>

#include "rcml/reader.h"

/* ---- fields ---- */

/* An unknown field: lists the names of the fields. */
static void refuse_field(struct robo__reader *r, const struct robo_scene_kind *kind,
                         struct robo__span name)
{
    static const char MORE[] = ", …";
    char list[240] = "";
    size_t n = 0;
    for (uint32_t i = 0; i < kind->declarations; i++) {
        if (kind->declaration[i].access > ROBO_SCENE_EXPOSED)
            continue;
        const int m =
            snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "", kind->declaration[i].name);
        if (m < 0 || n + (size_t)m > sizeof list - sizeof MORE) {
            strcpy(list + n, n ? MORE : "");
            break;
        }
        n += (size_t)m;
    }
    robo__problem(r, ROBO_SCENE_ERROR, r->lexer.at - name.size,
                  "%s has no field %.*s, expected %s%s", kind->name,
                  (int)(name.size < 60 ? name.size : 60), name.text, n ? "one of " : "}", list);
}

/* The last value of a field holds, unless it joins those before it. */
static void keep_field(struct robo__reader *r, size_t begin, const struct robo_scene_field *field,
                       bool rcml, const uint8_t *at)
{
    const size_t count = (r->scratch.used - begin) / sizeof *field;
    struct robo_scene_field *list = count ? (void *)(r->scratch.bytes + begin) : NULL;
    for (size_t i = 0; i < count; i++) {
        struct robo_scene_value *old = &list[i].value;
        /* the name is that of the declaration, but where IS stands for a part of an exposedField */
        if (list[i].name != field->name && !(field->is && strcmp(list[i].name, field->name) == 0))
            continue;
        if (rcml && field->value.type == ROBO_MF_NODE && !field->is && !list[i].is) {
            /* "any number of" them, as the paper has it */
            const uint32_t a = old->count, b = field->value.count;
            if (b == 0)
                return;
            struct robo_scene_node **both = robo__take(r, (a + b) * sizeof *both);
            if (a > 0)
                memcpy(both, old->node, a * sizeof *both);
            memcpy(both + a, field->value.node, b * sizeof *both);
            *old = (struct robo_scene_value){ ROBO_MF_NODE, a + b, { .node = both } };
            return;
        }
        robo__problem(r, ROBO_SCENE_WARNING, at, "%s is given twice, the last holds", field->name);
        list[i] = *field;
        return;
    }
    memcpy(robo__list_push(r, sizeof *field), field, sizeof *field);
}

/* "field SFNode name", as the paper prints instances: the word and the type are passed. */
static bool read_pseudo(struct robo__reader *r, bool rcml)
{
    struct robo__span name;
    enum robo_scene_type type;
    const struct robo__lexer before = r->lexer;
    if (!rcml || !robo__lex_word(&r->lexer, "field"))
        return false;
    if (!robo__lex_look_name(&r->lexer, &name) || !robo__type_find(name.text, name.size, &type)) {
        r->lexer = before;
        return false;
    }
    r->lexer.at += name.size;
    robo__problem(r, ROBO_SCENE_WARNING, before.at,
                  "a field of a node has no type: expected its name and its value");
    return true;
}

/* Whether the paper's "field SFNode name" ends without a value. */
static bool no_value_comes(struct robo__reader *r)
{
    struct robo__span name;
    return robo__lex_look(&r->lexer) == '}' ||
           (robo__lex_look_name(&r->lexer, &name) && robo__span_is(name, "field"));
}

/* A field with its value, or IS; after a fault, which is reported, reading goes on behind it. */
static void read_field(struct robo__reader *r, struct robo_scene_node *node, size_t begin)
{
    const struct robo_scene_kind *kind = node->kind;
    const bool rcml = robo__kind_is_rcml(kind->name, strlen(kind->name));
    const bool pseudo = read_pseudo(r, rcml);
    struct robo__span name;
    unsigned within = 0;
    if (!robo__read_name(r, "a field or }", &name)) {
        robo__skip_block(r); /* at least this, or it would be met again */
        robo__skip_value(r, node, kind, 0);
        return;
    }
    const uint8_t *at = r->lexer.at - name.size;
    const struct robo_scene_declaration *d = robo__find_field(node, kind, name), *event = NULL;
    if (!d || d->access > ROBO_SCENE_EXPOSED) {
        event = robo__node_event(node, name.text, name.size, ROBO_SCENE_EVENT_IN);
        if (!event)
            event = robo__node_event(node, name.text, name.size, ROBO_SCENE_EVENT_OUT);
    }
    if (!d && !event) {
        refuse_field(r, kind, name);
        robo__skip_value(r, node, kind, 0);
        return;
    }
    struct robo_scene_field field = { .name = d ? d->name : robo__take_text(r, name) };
    if (robo__lex_word(&r->lexer, "IS")) {
        struct robo_scene_declaration as;
        if (!event) {
            as = *d;
        } else {
            as = *event;
            if (!d) /* set_x or x_changed of an exposedField */
                as.access = name.size > 4 && memcmp(name.text, "set_", 4) == 0
                                ? ROBO_SCENE_EVENT_IN
                                : ROBO_SCENE_EVENT_OUT;
        }
        as.name = field.name;
        field.value.type = as.value.type;
        field.is = robo__read_is(r, &as);
        if (!field.is)
            return;
    } else if (event) {
        robo__problem(r, ROBO_SCENE_ERROR, at,
                      "%s is an event of %s and has no value, expected a field", field.name,
                      kind->name);
        robo__skip_value(r, node, kind, 0);
        return;
    } else {
        if (pseudo && no_value_comes(r))
            return;
        const struct robo_scene_kind *named =
            rcml && robo__lex_look(&r->lexer) == '{' ? robo__find_kind(r, name) : NULL;
        const struct robo__slot slot = { kind, named, field.name };
        if (!robo__read_value(r, d->value.type, rcml, &slot, &field.value, &within)) {
            robo__skip_value(r, node, kind, within);
            return;
        }
    }
    keep_field(r, begin, &field, rcml, at);
}

/* ---- nodes ---- */

struct robo_scene_node *robo__make_node(struct robo__reader *r, const struct robo_scene_kind *kind)
{
    if (r->nodes++ == ROBO_SCENE_NODES)
        robo__give_up(r, r->lexer.at, "more than %d nodes, with those of instances of PROTOs",
                      ROBO_SCENE_NODES);
    struct robo__node *n = robo__take(r, sizeof *n);
    n->node.kind = kind;
    n->node.line = r->lexer.line;
    n->node.column = (uint32_t)(r->lexer.at - r->lexer.line_begin + 1);
    return &n->node;
}

/* A declaration of a Script; false: none comes. */
static bool read_own(struct robo__reader *r, struct robo_scene_node *node)
{
    static const char *const words[] = { "field", "exposedField", "eventIn", "eventOut" };
    if (!robo__node_is_script(node))
        return false;
    for (unsigned i = 0; i < 4; i++)
        if (robo__lex_word(&r->lexer, words[i])) {
            robo__read_script_declaration(r, node, (enum robo_scene_access)i);
            return true;
        }
    return false;
}

/* From { to }. */
static void read_body(struct robo__reader *r, struct robo_scene_node *node)
{
    const size_t begin = robo__list_begin(r);
    size_t bytes;
    r->lexer.at++;
    for (;;) {
        const int c = robo__lex_look(&r->lexer);
        if (c == '}') {
            r->lexer.at++;
            break;
        }
        if (c == -1) {
            robo__unexpected(r, "a field or }");
            break;
        }
        if (!robo__read_statement(r) && !read_own(r, node))
            read_field(r, node, begin);
    }
    node->field = robo__list_end(r, begin, &bytes);
    node->fields = (uint32_t)(bytes / sizeof *node->field);
}

static struct robo_scene_node *read_use(struct robo__reader *r)
{
    struct robo__span name;
    if (!robo__read_name(r, "the name of a node", &name))
        return NULL;
    const uint8_t *at = r->lexer.at - name.size;
    struct robo_scene_node *node =
        robo__names_find(&r->defs, r->scope->number, name.text, name.size);
    if (!node) {
        robo__problem(r, ROBO_SCENE_ERROR, at,
                      "USE %.*s: expected a name that DEF has given before",
                      (int)(name.size < 60 ? name.size : 60), name.text);
        return &robo__no_node;
    }
    if (node == &robo__no_node || !robo__node_of(node)->open)
        return node;
    for (uint32_t i = r->opens; i > 0; i--) {
        if (robo__node_is_script(r->open[i - 1]))
            return node;
        if (r->open[i - 1] == node)
            break;
    }
    robo__problem(r, ROBO_SCENE_ERROR, at,
                  "USE %s within %s itself, which only a Script may do: expected another node",
                  node->name, node->name);
    return &robo__no_node;
}

static void refuse_kind(struct robo__reader *r, struct robo__span name)
{
    const uint8_t *at = r->lexer.at - name.size;
    for (uint32_t i = 0; i < r->declarings; i++)
        if (robo__span_is(name, r->declaring[i]->name)) {
            robo__problem(r, ROBO_SCENE_ERROR, at,
                          "%s stands in its own PROTO, expected a type that is declared before",
                          r->declaring[i]->name);
            return;
        }
    robo__problem(
        r, ROBO_SCENE_ERROR, at,
        "there is no node type %.*s, expected one of VRML97 or RCML, or a PROTO before this",
        (int)(name.size < 60 ? name.size : 60), name.text);
}

/* Gives a node its name: from here on USE finds it. */
static void name_node(struct robo__reader *r, struct robo_scene_node *node, struct robo__span def)
{
    char *text = robo__take_text(r, def);
    node->name = text;
    if (!robo__names_set(&r->defs, r->scope->number, text, def.size, node))
        robo__no_memory(r, ROBO_ENOMEM);
}

static void check_size(struct robo__reader *r, const struct robo_scene_node *node,
                       const uint8_t *at)
{
    if (robo__node_of(node)->depth > ROBO_SCENE_DEPTH)
        robo__give_up(r, at, "nodes nest deeper than %d where USE and PROTOs are followed",
                      ROBO_SCENE_DEPTH);
}

struct robo_scene_node *robo__read_node(struct robo__reader *r, const struct robo_scene_kind *named)
{
    struct robo__span def = { 0 }, type = { 0 };
    if (robo__lex_word(&r->lexer, "USE"))
        return read_use(r);
    const bool has_def = robo__lex_word(&r->lexer, "DEF");
    if (has_def && !robo__read_name(r, "a name for the node", &def))
        return NULL;
    robo__lex_blank(&r->lexer);
    const uint8_t *at = r->lexer.at;
    const uint32_t line = r->lexer.line;
    const uint32_t column = (uint32_t)(at - r->lexer.line_begin + 1);
    if (!(named && robo__lex_look(&r->lexer) == '{') &&
        !robo__read_name(r, has_def ? "a node type" : "a node", &type))
        return NULL;
    const struct robo_scene_kind *kind = type.size ? robo__find_kind(r, type) : named;
    if (!kind) {
        refuse_kind(r, type);
        if (has_def)
            robo__remember_skipped(r, def);
    }
    if (robo__lex_look(&r->lexer) != '{') {
        if (kind)
            robo__unexpected(r, "{");
        return kind ? NULL : &robo__no_node;
    }
    if (!kind) {
        robo__skip_block(r);
        return &robo__no_node;
    }
    if (r->nesting++ == ROBO_SCENE_NESTING)
        robo__give_up(r, r->lexer.at, "nodes nest deeper than %d", ROBO_SCENE_NESTING);
    struct robo_scene_node *node = robo__make_node(r, kind);
    node->line = line;
    node->column = column;
    if (has_def)
        name_node(r, node, def);
    r->open[r->opens++] = node;
    robo__node_of(node)->open = true;
    read_body(r, node);
    robo__node_of(node)->open = false;
    r->opens--;
    r->nesting--;
    robo__node_measure(node);
    if (kind->origin == ROBO_SCENE_PROTO && !r->scope->in_body)
        robo__expand(r, node, at);
    check_size(r, node, at);
    return node;
}
