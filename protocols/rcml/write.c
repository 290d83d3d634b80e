/* Scenes as text. First all nodes are met once: which are met again, and by which names they are written; then they are written. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rcml/kinds.h"
#include "rcml/names.h"
#include "rcml/page.h"
#include "rcml/scene.h"

enum { WIDTH = 100 };

struct writer {
    robo_scene *scene;
    size_t line_begin;      /* in the text */
    unsigned indent, depth; /* depth: of nodes */
    uint32_t turn; /* a number for this writing, by which nodes and kinds know that they are met */
    uint32_t scope, scopes;            /* where names of nodes hold */
    struct robo__names taken, numbers; /* numbers: that follow a name which was taken */
    bool rcml[ROBO__RCML_KINDS];       /* kinds that are used */
    int error;
    jmp_buf out;
};

static _Noreturn void fail(struct writer *w, int error)
{
    w->error = error;
    longjmp(w->out, 1);
}

/* ---- text ---- */

static void put(struct writer *w, const char *text, size_t size)
{
    robo_scene *s = w->scene;
    if (size >= s->text_room - s->text_size) {
        size_t room = s->text_room ? 2 * s->text_room : 4096;
        while (room - s->text_size <= size)
            room *= 2;
        if (s->text_size + size > ROBO_SCENE_FILE)
            fail(w, ROBO_ERANGE);
        char *larger = realloc(s->text, room);
        if (!larger)
            fail(w, ROBO_ENOMEM);
        s->text = larger;
        s->text_room = room;
    }
    memcpy(s->text + s->text_size, text, size);
    s->text_size += size;
    s->text[s->text_size] = 0;
}

static void put_text(struct writer *w, const char *text)
{
    put(w, text, strlen(text));
}

/* A list of texts, ended by NULL. */
static void put_list(struct writer *w, const char *const *text)
{
    for (; *text; text++)
        put_text(w, *text);
}

#define PUT_TEXTS(w, ...) put_list((w), (const char *const[]){ __VA_ARGS__, NULL })

static void new_line(struct writer *w)
{
    put(w, "\n", 1);
    w->line_begin = w->scene->text_size;
    for (unsigned i = 0; i < w->indent; i++)
        put(w, "  ", 2);
}

/* ---- names ---- */

/* A free name, as near to this as can be. */
static const char *free_name(struct writer *w, uint32_t scope, const char *name, void *means)
{
    enum { LONGEST = ROBO_SCENE_NAME - 24 }; /* the suffix finds room */
    const size_t length = strlen(name), size = length < LONGEST ? length : LONGEST;
    size_t number = (size_t)(uintptr_t)robo__names_find(&w->numbers, scope, name, size);
    char *text = robo__arena_take(&w->scene->arena, length + 24);
    if (!text)
        fail(w, ROBO_ENOMEM);
    memcpy(text, name, length + 1);
    while (robo__names_find(&w->taken, scope, text, strlen(text))) {
        number = number ? number + 1 : 2;
        snprintf(text + size, 24, "_%zu", number);
    }
    if (!robo__names_set(&w->numbers, scope, name, size, (void *)(uintptr_t)number) ||
        !robo__names_set(&w->taken, scope, text, strlen(text), means))
        fail(w, ROBO_ENOMEM);
    return text;
}

enum { OF_KINDS = 0 }; /* the scope of the names of kinds */

static const char *name_of_kind(const struct robo_scene_kind *kind)
{
    return kind->origin >= ROBO_SCENE_PROTO ? robo__kind_of(kind)->written : kind->name;
}

static void name_kind(struct writer *w, const struct robo_scene_kind *kind)
{
    struct robo__kind *k = robo__kind_of(kind);
    if (k->met == w->turn)
        return;
    k->met = w->turn;
    k->written = free_name(w, OF_KINDS, kind->name, k);
}

static void name_node(struct writer *w, struct robo__node *n)
{
    if (!n->written)
        n->written = free_name(w, w->scope, n->node.name ? n->node.name : "node", n);
}

/* ---- meeting ---- */

static void meet_node(struct writer *w, const struct robo_scene_node *node, bool of_script);

static void meet_value(struct writer *w, const struct robo_scene_value *value, bool of_script)
{
    if (robo__type_is_node(value->type))
        for (uint32_t i = 0; i < value->count; i++)
            if (value->node[i])
                meet_node(w, value->node[i], of_script);
}

static void meet_node(struct writer *w, const struct robo_scene_node *node, bool of_script)
{
    struct robo__node *n = robo__node_of(node);
    const bool script = of_script || robo__node_is_script(node);
    if (n->number == w->turn) {
        if (n->open && !of_script)
            fail(w, ROBO_ERANGE);
        name_node(w, n);
        return;
    }
    if (w->depth++ == ROBO_SCENE_DEPTH)
        fail(w, ROBO_ERANGE);
    n->number = w->turn;
    n->written = NULL;
    if (node->kind->origin == ROBO_SCENE_RCML)
        w->rcml[node->kind - robo__rcml_kinds] = true;
    n->open = true;
    for (uint32_t i = 0; i < node->fields; i++)
        meet_value(w, &node->field[i].value, script);
    for (uint32_t i = 0; i < node->declarations; i++)
        meet_value(w, &node->declaration[i].value, true);
    n->open = false;
    w->depth--;
    if (node->name)
        name_node(w, n);
}

static void meet_part(struct writer *w, const struct robo_scene_part *part);

static void meet_kind(struct writer *w, const struct robo_scene_kind *kind)
{
    const uint32_t outer = w->scope;
    for (uint32_t i = 0; i < kind->declarations; i++) {
        w->scope = ++w->scopes;
        meet_value(w, &kind->declaration[i].value, false);
    }
    meet_part(w, &kind->body);
    w->scope = outer;
}

static void meet_part(struct writer *w, const struct robo_scene_part *part)
{
    const uint32_t scope = w->scope = ++w->scopes;
    for (uint32_t i = 0; i < part->kinds; i++)
        meet_kind(w, part->kind[i]);
    w->scope = scope;
    for (uint32_t i = 0; i < part->nodes; i++)
        meet_node(w, part->node[i], false);
    for (uint32_t i = 0; i < part->routes; i++) {
        struct robo__node *ends[] = { robo__node_of(part->route[i].from),
                                      robo__node_of(part->route[i].to) };
        for (int k = 0; k < 2; k++)
            if (ends[k]->number == w->turn)
                name_node(w, ends[k]);
    }
}

static void name_kinds(struct writer *w, const struct robo_scene_part *part)
{
    for (uint32_t i = 0; i < part->kinds; i++) {
        name_kind(w, part->kind[i]);
        name_kinds(w, &part->kind[i]->body);
    }
}

/* ---- values ---- */

static void put_number(struct writer *w, double x, bool is_float)
{
    char text[40];
    put(w, text, (size_t)robo__page_number_text(x, is_float, text));
}

static void put_string(struct writer *w, const char *text)
{
    put(w, "\"", 1);
    for (size_t n; *text; text += n) {
        n = strcspn(text, "\"\\");
        if (n == 0) {
            put(w, "\\", 1);
            n = 1;
        }
        put(w, text, n);
    }
    put(w, "\"", 1);
}

static void put_element(struct writer *w, const struct robo_scene_value *v, size_t i)
{
    char text[24];
    switch (v->type) {
    case ROBO_SF_BOOL: put_text(w, v->integer[i] ? "TRUE" : "FALSE"); break;
    case ROBO_SF_INT32:
    case ROBO_MF_INT32:
        put(w, text, (size_t)snprintf(text, sizeof text, "%d", v->integer[i]));
        break;
    case ROBO_SF_IMAGE:
        put(w, text,
            (size_t)snprintf(text, sizeof text, i < 3 ? "%u" : "0x%X", (unsigned)v->integer[i]));
        break;
    case ROBO_SF_TIME:
    case ROBO_MF_TIME: put_number(w, v->time[i], false); break;
    case ROBO_SF_STRING:
    case ROBO_MF_STRING: put_string(w, v->string[i]); break;
    default: put_number(w, (double)v->number[i], true);
    }
}

static void put_node(struct writer *w, const struct robo_scene_node *node);

static void put_nodes(struct writer *w, const struct robo_scene_value *v)
{
    if (v->type == ROBO_SF_NODE) {
        if (v->count && v->node[0])
            put_node(w, v->node[0]);
        else
            put_text(w, "NULL");
        return;
    }
    if (v->count == 0) {
        put_text(w, "[ ]");
        return;
    }
    put(w, "[", 1);
    w->indent++;
    for (uint32_t i = 0; i < v->count; i++) {
        new_line(w);
        put_node(w, v->node[i]);
    }
    w->indent--;
    new_line(w);
    put(w, "]", 1);
}

static void put_value(struct writer *w, const struct robo_scene_value *v)
{
    const size_t n = robo__elements(v);
    const unsigned width = robo_scene_type_width(v->type);
    const bool brackets = v->type >= ROBO_MF_COLOR, image = v->type == ROBO_SF_IMAGE;
    if (robo__type_is_node(v->type)) {
        put_nodes(w, v);
        return;
    }
    if (brackets)
        put(w, "[ ", 2);
    w->indent++;
    for (size_t i = 0; i < n; i++) {
        if (i > 0) {
            if (brackets && i % width == 0)
                put(w, ",", 1);
            if (i % width == 0 && w->scene->text_size - w->line_begin > WIDTH - 20 &&
                (brackets || image))
                new_line(w);
            else
                put(w, " ", 1);
        }
        put_element(w, v, i);
    }
    w->indent--;
    if (brackets)
        put_text(w, n ? " ]" : "]");
}

/* ---- nodes ---- */

static const char *const accesses[] = { "field ", "exposedField ", "eventIn ", "eventOut " };

static void put_declaration(struct writer *w, const struct robo_scene_declaration *d,
                            bool with_value)
{
    new_line(w);
    PUT_TEXTS(w, accesses[d->access], robo_scene_type_name(d->value.type), " ", d->name);
    if (d->is) {
        PUT_TEXTS(w, " IS ", d->is);
    } else if (d->access <= ROBO_SCENE_EXPOSED && with_value) {
        put(w, " ", 1);
        put_value(w, &d->value);
    }
}

static void put_node(struct writer *w, const struct robo_scene_node *node)
{
    struct robo__node *n = robo__node_of(node);
    if (n->put == w->turn) {
        PUT_TEXTS(w, "USE ", n->written);
        return;
    }
    n->put = w->turn;
    if (n->written)
        PUT_TEXTS(w, "DEF ", n->written, " ");
    PUT_TEXTS(w, name_of_kind(node->kind), " {");
    w->indent++;
    for (uint32_t i = 0; i < node->declarations; i++)
        put_declaration(w, node->declaration + i, true);
    for (uint32_t i = 0; i < node->fields; i++) {
        const struct robo_scene_field *f = node->field + i;
        new_line(w);
        put_text(w, f->name);
        if (f->is) {
            PUT_TEXTS(w, " IS ", f->is);
        } else {
            put(w, " ", 1);
            put_value(w, &f->value);
        }
    }
    w->indent--;
    if (node->declarations + node->fields > 0)
        new_line(w);
    else
        put(w, " ", 1);
    put(w, "}", 1);
}

/* ---- parts ---- */

static void put_kind(struct writer *w, const struct robo_scene_kind *kind);

static void put_part(struct writer *w, const struct robo_scene_part *part)
{
    for (uint32_t i = 0; i < part->kinds; i++) {
        new_line(w);
        put_kind(w, part->kind[i]);
    }
    for (uint32_t i = 0; i < part->nodes; i++) {
        new_line(w);
        put_node(w, part->node[i]);
    }
    for (uint32_t i = 0; i < part->routes; i++) {
        const struct robo_scene_route *route = part->route + i;
        const struct robo__node *from = robo__node_of(route->from), *to = robo__node_of(route->to);
        if (from->put != w->turn || to->put != w->turn)
            continue; /* a node that stands nowhere */
        new_line(w);
        PUT_TEXTS(w, "ROUTE ", from->written, ".", route->event_out, " TO ", to->written, ".",
                  route->event_in);
    }
}

/* The fields, and [ ] around them. */
static void put_interface(struct writer *w, const struct robo_scene_kind *kind)
{
    put(w, " [", 2);
    w->indent++;
    for (uint32_t i = 0; i < kind->declarations; i++)
        put_declaration(w, kind->declaration + i, kind->origin != ROBO_SCENE_EXTERN);
    w->indent--;
    if (kind->declarations)
        new_line(w);
    else
        put(w, " ", 1);
    put(w, "]", 1);
}

static void put_kind(struct writer *w, const struct robo_scene_kind *kind)
{
    const bool external = kind->origin == ROBO_SCENE_EXTERN;
    PUT_TEXTS(w, external ? "EXTERNPROTO " : "PROTO ", name_of_kind(kind));
    put_interface(w, kind);
    put(w, " ", 1);
    if (external) {
        put_value(w, &kind->url);
        return;
    }
    put(w, "{", 1);
    w->indent++;
    put_part(w, &kind->body);
    w->indent--;
    new_line(w);
    put(w, "}", 1);
}

/* An RCML node as a PROTO of a Script that does nothing, as the paper has it. A url of the node is none of a script: a viewer must not
 * fetch it. */
static void put_rcml(struct writer *w, const struct robo_scene_kind *kind)
{
    PUT_TEXTS(w, "PROTO ", kind->name);
    put_interface(w, kind);
    put_text(w, " {");
    w->indent++;
    new_line(w);
    put_text(w, "Script {");
    w->indent++;
    for (uint32_t i = 0; i < kind->declarations; i++) {
        struct robo_scene_declaration d = kind->declaration[i];
        d.is = d.name;
        if (strcmp(d.name, "url") != 0)
            put_declaration(w, &d, false);
    }
    w->indent--;
    new_line(w);
    put_text(w, "}");
    w->indent--;
    new_line(w);
    put_text(w, "}");
}

/* ---- all of it ---- */

/* Names that PROTOs of the file must not take. */
static void reserve(struct writer *w)
{
    for (unsigned i = 0; i < ROBO__VRML_KINDS; i++)
        free_name(w, OF_KINDS, robo__vrml_kinds[i].name, w);
    for (unsigned i = 0; i < ROBO__RCML_KINDS; i++)
        if (w->rcml[i])
            free_name(w, OF_KINDS, robo__rcml_kinds[i].name, w);
}

static void write_all(struct writer *w, bool kinds_alone)
{
    const struct robo_scene_part *whole = &w->scene->whole.part;
    if (setjmp(w->out))
        return;
    put(w, "", 0);
    meet_part(w, whole);
    reserve(w);
    name_kinds(w, whole);
    if (kinds_alone) {
        put_part(w, &(struct robo_scene_part){ .kind = whole->kind, .kinds = whole->kinds });
        return;
    }
    put_text(w, "#VRML V2.0 utf8");
    for (unsigned i = 0; i < ROBO__RCML_KINDS; i++)
        if (w->rcml[i]) {
            new_line(w);
            put_rcml(w, robo__rcml_kinds + i);
        }
    put_part(w, whole);
    new_line(w);
}

static const char *text_of(robo_scene *scene, bool kinds_alone, size_t *size, int *error)
{
    struct writer *w = calloc(1, sizeof *w);
    int result = ROBO_ENOMEM;
    if (w) {
        w->scene = scene;
        w->turn = ++scene->writings;
        scene->text_size = 0;
        write_all(w, kinds_alone);
        robo__names_free(&w->taken);
        robo__names_free(&w->numbers);
        result = w->error;
        free(w);
    }
    if (size)
        *size = result == 0 ? scene->text_size : 0;
    if (error)
        *error = result;
    return result == 0 ? scene->text : NULL;
}

const char *robo_scene_text(robo_scene *scene, size_t *size, int *error)
{
    return text_of(scene, false, size, error);
}

const char *robo_scene_kinds_text(robo_scene *scene, size_t *size, int *error)
{
    return text_of(scene, true, size, error);
}
