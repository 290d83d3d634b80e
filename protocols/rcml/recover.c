/* Required words, and how a reader recovers behind an unreadable part. */
#include "rcml/reader.h"

struct robo_scene_node robo__no_node;

/* ---- words ---- */

bool robo__read_name(struct robo__reader *r, const char *what, struct robo__span *name)
{
    if (!robo__lex_look_name(&r->lexer, name) || robo__lex_keyword(*name)) {
        robo__unexpected(r, what);
        return false;
    }
    if (name->size > ROBO_SCENE_NAME)
        robo__give_up(r, r->lexer.at, "a name of more than %d bytes", ROBO_SCENE_NAME);
    r->lexer.at += name->size;
    return true;
}

bool robo__read_mark(struct robo__reader *r, char mark, const char *what)
{
    if (robo__lex_look(&r->lexer) != mark) {
        robo__unexpected(r, what);
        return false;
    }
    r->lexer.at++;
    return true;
}

/* ---- going on ---- */

void robo__remember_skipped(struct robo__reader *r, struct robo__span name)
{
    if (!robo__names_find(&r->defs, r->scope->number, name.text, name.size) &&
        !robo__names_set(&r->defs, r->scope->number, robo__take_text(r, name), name.size,
                         &robo__no_node))
        robo__no_memory(r, ROBO_ENOMEM);
}

/* Skips the next item, which is no bracket. */
static void skip_word(struct robo__reader *r)
{
    struct robo__lexer *l = &r->lexer;
    struct robo__span span;
    bool escaped;
    if (*l->at == '"') {
        if (!robo__lex_string(l, &span, &escaped))
            l->at = l->end;
    } else if (robo__lex_look_name(l, &span)) {
        l->at += span.size;
        if (robo__span_is(span, "DEF") && robo__lex_look_name(l, &span))
            robo__remember_skipped(r, span);
    } else {
        do
            l->at++;
        while (l->at < l->end && robo__lex_class[*l->at] & ROBO__LEX_IN_NUMBER);
    }
}

const struct robo_scene_declaration *robo__find_field(const struct robo_scene_node *node,
                                                      const struct robo_scene_kind *kind,
                                                      struct robo__span name)
{
    const struct robo_scene_declaration *d =
        node && node->declarations
            ? robo__declaration_find(node->declaration, node->declarations, name.text, name.size)
            : NULL;
    return d ? d
             : robo__declaration_find(kind->declaration, kind->declarations, name.text, name.size);
}

/* Whether a field may begin here. */
static bool at_field(struct robo__reader *r, const struct robo_scene_node *node,
                     const struct robo_scene_kind *kind)
{
    static const char *const words[] = { "ROUTE",    "PROTO", "EXTERNPROTO", "eventIn",
                                         "eventOut", "field", "exposedField" };
    struct robo__span name;
    if (!robo__lex_look_name(&r->lexer, &name))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (robo__span_is(name, words[i]))
            return true;
    const struct robo_scene_declaration *list = kind->declaration;
    return robo__find_field(node, kind, name) ||
           robo__event_find(list, kind->declarations, name.text, name.size, ROBO_SCENE_EVENT_IN) ||
           robo__event_find(list, kind->declarations, name.text, name.size, ROBO_SCENE_EVENT_OUT);
}

/* Skips brackets and their contents, until all open ones are closed and a field of `node` or `kind`, unless NULL, begins. */
static void skip(struct robo__reader *r, const struct robo_scene_node *node,
                 const struct robo_scene_kind *kind, unsigned within)
{
    enum { DEEPEST = 2 * ROBO_SCENE_NESTING };
    char open[DEEPEST];
    unsigned depth = 0;
    while (depth < within)
        open[depth++] = '[';
    if (depth > 0 && kind && at_field(r, node, kind))
        return; /* a ] was forgotten */
    for (;;) {
        const int c = robo__lex_look(&r->lexer);
        if (c == -1)
            return;
        while (c == '}' && depth > 0 && open[depth - 1] == '[')
            depth--; /* and here, too */
        if (depth == 0 && kind && (c == '}' || at_field(r, node, kind)))
            return;
        if (c == '[' || c == '{') {
            if (depth == DEEPEST)
                robo__give_up(r, r->lexer.at, "brackets nest deeper than %d", DEEPEST);
            else
                open[depth++] = (char)c;
            r->lexer.at++;
        } else if (c == ']' || c == '}') {
            depth -= depth > 0 && (c == '}' || open[depth - 1] == '[');
            r->lexer.at++;
        } else {
            skip_word(r);
        }
        if (depth == 0 && !kind)
            return;
    }
}

void robo__skip_value(struct robo__reader *r, const struct robo_scene_node *node,
                      const struct robo_scene_kind *kind, unsigned within)
{
    skip(r, node, kind, within);
}

void robo__skip_block(struct robo__reader *r)
{
    skip(r, NULL, NULL, 0);
}

void robo__skip_statement(struct robo__reader *r)
{
    static const char *const words[] = { "DEF", "USE", "PROTO", "EXTERNPROTO", "ROUTE" };
    robo__skip_block(r);
    for (int c; (c = robo__lex_look(&r->lexer)) != -1 && c != '}';) {
        struct robo__span name;
        if (robo__lex_look_name(&r->lexer, &name)) {
            for (size_t i = 0; i < sizeof words / sizeof *words; i++)
                if (robo__span_is(name, words[i]))
                    return;
            const struct robo__lexer before = r->lexer;
            r->lexer.at += name.size;
            const bool is_node = robo__lex_look(&r->lexer) == '{';
            r->lexer = before;
            if (is_node)
                return;
        }
        robo__skip_block(r);
    }
}
