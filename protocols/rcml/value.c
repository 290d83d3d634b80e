/* Values of fields, by their types. */
#include <string.h>

#include "base/numbers.h"
#include "rcml/reader.h"

/* The type of an element of a value. */
enum element { FLOAT, TIME, INTEGER, BOOLEAN, STRING };

static const char *const wanted[][2] = {
    [FLOAT] = { "a number", "a number or ]" },
    [TIME] = { "a number", "a number or ]" },
    [INTEGER] = { "an integer", "an integer or ]" },
    [BOOLEAN] = { "TRUE or FALSE", "TRUE or FALSE" },
    [STRING] = { "a string", "a string or ]" },
};

static bool is_many(enum robo_scene_type type)
{
    return type >= ROBO_MF_COLOR;
}

/* An alias of table 3 where a number should be, as the paper prints it. */
static bool read_alias(struct robo__reader *r, int32_t *x)
{
    struct robo__span name;
    if (!robo__lex_look_name(&r->lexer, &name) || !robo__alias_find(name.text, name.size, x))
        return false;
    robo__problem(r, ROBO_SCENE_WARNING, r->lexer.at,
                  "%.*s is an alias that other readers do not know: expected %d", (int)name.size,
                  name.text, *x);
    r->lexer.at += name.size;
    return true;
}

static bool read_boolean(struct robo__reader *r, int32_t *x)
{
    *x = robo__lex_word(&r->lexer, "TRUE");
    return *x || robo__lex_word(&r->lexer, "FALSE");
}

/* 10ms without quotes, as the paper prints it. */
static bool read_duration(struct robo__reader *r, const char **text)
{
    const uint8_t *p = r->lexer.at, *end = r->lexer.end;
    while (p < end && ((*p >= '0' && *p <= '9') || *p == '.'))
        p++;
    const size_t digits = (size_t)(p - r->lexer.at);
    while (p < end && *p >= 'a' && *p <= 'z')
        p++;
    const struct robo__span unit = { (const char *)r->lexer.at + digits,
                                     (size_t)(p - r->lexer.at) - digits };
    if (digits == 0 ||
        !(robo__span_is(unit, "s") || robo__span_is(unit, "ms") || robo__span_is(unit, "us")))
        return false;
    const struct robo__span all = { (const char *)r->lexer.at, digits + unit.size };
    robo__problem(r, ROBO_SCENE_WARNING, r->lexer.at, "other readers want quotes here: \"%.*s\"",
                  (int)(all.size < 40 ? all.size : 40), all.text);
    *text = robo__take_text(r, all);
    r->lexer.at = p;
    return true;
}

static bool read_string(struct robo__reader *r, const char **text)
{
    const uint8_t *begin = r->lexer.at;
    const uint32_t line = r->lexer.line;
    struct robo__span inside;
    bool escaped;
    if (robo__lex_look(&r->lexer) != '"')
        return false;
    if (!robo__lex_string(&r->lexer, &inside, &escaped)) {
        r->lexer.at = r->lexer.end;
        robo__give_up(r, r->lexer.at, "the string of line %u does not end: expected \"", line);
    }
    if (inside.size > ROBO_SCENE_STRING)
        robo__give_up(r, begin, "a string of more than %d bytes, which begins in line %u",
                      ROBO_SCENE_STRING, line);
    char *copy = robo__take_text(r, inside);
    *text = copy;
    for (const char *p = copy; escaped && *p; p++) {
        p += *p == '\\' && (p[1] == '"' || p[1] == '\\');
        *copy++ = *p;
    }
    if (escaped)
        *copy = 0;
    return true;
}

/* Says why a number is none. */
static void refuse_number(struct robo__reader *r, enum element element, bool in_list,
                          enum robo__number why)
{
    if (why == ROBO__NUMBER_LARGE)
        robo__problem(r, ROBO_SCENE_ERROR, r->lexer.at,
                      element == INTEGER
                          ? "expected an integer of 32 bits, got one that is too large"
                      : element == TIME ? "expected a number that a double holds, got a larger one"
                                        : "expected a number that a float holds, got a larger one");
    else
        robo__unexpected(r, wanted[element][in_list]);
}

/* One element into *slot; false: there is none, or a fault was reported. */
static inline bool read_element(struct robo__reader *r, enum element element, bool rcml,
                                bool in_list, void *slot)
{
    struct robo__lexer *l = &r->lexer;
    enum robo__number why = ROBO__NUMBER_NONE;
    bool ok = false;
    robo__lex_blank(l);
    switch (element) {
    case FLOAT: why = robo__number_float(&l->at, l->end, slot); break;
    case TIME: why = robo__number_double(&l->at, l->end, slot); break;
    case INTEGER: why = robo__number_integer(&l->at, l->end, slot); break;
    case BOOLEAN: ok = read_boolean(r, slot); break;
    case STRING: ok = read_string(r, slot) || (rcml && !in_list && read_duration(r, slot)); break;
    }
    if (ok || (element < BOOLEAN && why == ROBO__NUMBER_OK) ||
        (element == INTEGER && rcml && read_alias(r, slot)))
        return true;
    refuse_number(r, element, in_list, why);
    return false;
}

/* Whether another number could come, where RCML leaves out the brackets. */
static bool number_comes(struct robo__reader *r)
{
    struct robo__span name;
    int32_t x;
    const int c = robo__lex_look(&r->lexer);
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' ||
           (robo__lex_look_name(&r->lexer, &name) && robo__alias_find(name.text, name.size, &x));
}

static inline bool read_list(struct robo__reader *r, enum element element, size_t size, bool rcml,
                             unsigned *within)
{
    const bool brackets = *within > 0;
    for (;;) {
        const int c = robo__lex_look(&r->lexer);
        if (brackets ? c == ']' : !number_comes(r))
            break;
        /* the element is read first: a string takes room of its own */
        union {
            double time;
            const char *string;
            int32_t integer;
        } slot;
        if (!read_element(r, element, rcml, brackets, &slot))
            return false;
        memcpy(robo__list_push(r, size), &slot, size);
    }
    if (brackets) {
        r->lexer.at++;
        *within = 0;
    }
    return true;
}

/* Values of one or many, of any element but nodes and images. */
static inline bool read_plain(struct robo__reader *r, enum element element, bool rcml,
                              struct robo_scene_value *value, unsigned *within)
{
    const unsigned width = robo_scene_type_width(value->type);
    const size_t size = robo__element_size(value->type), begin = robo__list_begin(r);
    const bool many = is_many(value->type), loose = rcml && element != STRING;
    size_t bytes;
    if (many && robo__lex_look(&r->lexer) == '[') {
        r->lexer.at++;
        *within = 1;
    }
    bool ok = true;
    const bool brackets = *within > 0;
    if (brackets || (many && loose)) {
        ok = read_list(r, element, size, rcml, within);
        if (ok && !brackets && r->scratch.used == begin) {
            robo__unexpected(r, wanted[element][0]);
            ok = false;
        }
    } else {
        union {
            float number[4]; /* or an integer */
            double time;
            const char *string;
        } slot = { .number = { 0 } };
        for (unsigned i = 0; i < width && ok; i++)
            ok = read_element(r, element, rcml, false, slot.number + i);
        memcpy(robo__list_push(r, width * size), &slot, width * size);
    }
    const size_t count = (r->scratch.used - begin) / size;
    if (ok && !brackets && count > width)
        robo__problem(r, ROBO_SCENE_WARNING, r->lexer.at,
                      "other readers want [ ] around several values");
    if (ok && count % width != 0) {
        robo__problem(r, ROBO_SCENE_ERROR, r->lexer.at,
                      "%s: expected %u numbers for each value, got %zu for the last",
                      robo_scene_type_name(value->type), width, count % width);
        ok = false;
    }
    if (!ok) {
        r->scratch.used = begin;
        return false;
    }
    value->number = robo__list_end(r, begin, &bytes);
    value->count = (uint32_t)(count / width);
    return true;
}

static bool read_image(struct robo__reader *r, struct robo_scene_value *value)
{
    const size_t begin = robo__list_begin(r);
    const uint8_t *at = r->lexer.at;
    size_t bytes;
    int32_t head[3];
    for (int i = 0; i < 3; i++) {
        robo__lex_blank(&r->lexer);
        at = r->lexer.at;
        if (!read_element(r, INTEGER, false, false, head + i))
            return false;
        if (head[i] < 0 || (i == 2 && head[i] > 4)) {
            robo__problem(r, ROBO_SCENE_ERROR, at,
                          i == 2 ? "expected 0 to 4 components of a picture"
                                 : "expected the size of a picture, 0 or more");
            return false;
        }
    }
    const int64_t pixels = (int64_t)head[0] * head[1];
    if (pixels > r->lexer.end - r->lexer.at) {
        robo__problem(r, ROBO_SCENE_ERROR, at,
                      "expected %lld pixels, the file has fewer characters", (long long)pixels);
        return false;
    }
    memcpy(robo__list_push(r, sizeof head), head, sizeof head);
    for (int64_t i = 0; i < pixels; i++) {
        int32_t pixel;
        if (!read_element(r, INTEGER, false, false, &pixel)) {
            r->scratch.used = begin;
            return false;
        }
        memcpy(robo__list_push(r, sizeof pixel), &pixel, sizeof pixel);
    }
    value->integer = robo__list_end(r, begin, &bytes);
    value->count = (uint32_t)(bytes / sizeof(int32_t));
    return true;
}

static bool read_one_node(struct robo__reader *r, const struct robo_scene_kind *named,
                          struct robo_scene_node **node)
{
    *node = robo__read_node(r, named);
    if (!*node)
        return false;
    if (*node == &robo__no_node)
        *node = NULL;
    return true;
}

static bool read_nodes(struct robo__reader *r, const struct robo__slot *slot,
                       struct robo_scene_value *value, unsigned *within)
{
    const size_t begin = robo__list_begin(r);
    size_t bytes;
    struct robo_scene_node *node;
    const bool many = value->type == ROBO_MF_NODE;
    const bool brackets = many && robo__lex_look(&r->lexer) == '[';
    r->lexer.at += brackets;
    *within = brackets;
    do {
        if (brackets && robo__lex_look(&r->lexer) == ']')
            break;
        robo__lex_blank(&r->lexer);
        const uint8_t *at = r->lexer.at;
        const bool is_null = robo__lex_word(&r->lexer, "NULL");
        node = NULL;
        if (!is_null && !read_one_node(r, slot ? slot->named : NULL, &node)) {
            r->scratch.used = begin;
            return false;
        }
        if (many && is_null)
            robo__problem(r, ROBO_SCENE_WARNING, at, "NULL is no value of MFNode: expected [ ]");
        if (node)
            robo__check_slot(r, slot, node, at);
        if (node || !many)
            memcpy(robo__list_push(r, sizeof node), &node, sizeof node);
    } while (brackets);
    r->lexer.at += brackets;
    *within = 0;
    value->node = robo__list_end(r, begin, &bytes);
    value->count = (uint32_t)(bytes / sizeof node);
    return true;
}

bool robo__read_value(struct robo__reader *r, enum robo_scene_type type, bool rcml,
                      const struct robo__slot *slot, struct robo_scene_value *value,
                      unsigned *within)
{
    *value = (struct robo_scene_value){ .type = type };
    *within = 0;
    switch (type) {
    case ROBO_SF_NODE:
    case ROBO_MF_NODE: return read_nodes(r, slot, value, within);
    case ROBO_SF_IMAGE: return read_image(r, value);
    case ROBO_SF_BOOL: return read_plain(r, BOOLEAN, rcml, value, within);
    case ROBO_SF_STRING:
    case ROBO_MF_STRING: return read_plain(r, STRING, rcml, value, within);
    case ROBO_SF_TIME:
    case ROBO_MF_TIME: return read_plain(r, TIME, rcml, value, within);
    case ROBO_SF_INT32:
    case ROBO_MF_INT32: return read_plain(r, INTEGER, rcml, value, within);
    default: return read_plain(r, FLOAT, rcml, value, within);
    }
}
