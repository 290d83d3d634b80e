/* A file as a whole: its first line and its statements. */
#include <stdlib.h>
#include <string.h>

#include "base/gzip.h"
#include "rcml/reader.h"

/* ---- statements ---- */

bool robo__read_statement(struct robo__reader *r)
{
    if (robo__lex_word(&r->lexer, "ROUTE"))
        robo__read_route(r);
    else if (robo__lex_word(&r->lexer, "PROTO"))
        robo__read_proto(r);
    else if (robo__lex_word(&r->lexer, "EXTERNPROTO"))
        robo__read_externproto(r);
    else
        return false;
    return true;
}

/* Counts the nodes that a walk through the file meets. */
static void count_met(struct robo__reader *r, const struct robo_scene_node *node, uint64_t *met)
{
    *met += robo__node_of(node)->met;
    if (*met > ROBO_SCENE_NODES)
        robo__give_up(r, r->lexer.at, "more than %d nodes where USE and PROTOs are followed",
                      ROBO_SCENE_NODES);
}

bool robo__read_part(struct robo__reader *r, struct robo__list *part, int end)
{
    uint64_t met = 0;
    for (;;) {
        struct robo__span name;
        const int c = robo__lex_look(&r->lexer);
        if (c == end || c == -1) {
            r->lexer.at += c != -1;
            return c == end;
        }
        if (robo__read_statement(r))
            continue;
        if (!robo__lex_look_name(&r->lexer, &name)) {
            robo__unexpected(r, "a node, DEF, USE, PROTO, EXTERNPROTO or ROUTE");
            robo__skip_statement(r);
            continue;
        }
        struct robo_scene_node *node = robo__read_node(r, NULL);
        if (!node) {
            if (robo__lex_look(&r->lexer) != '}')
                robo__skip_statement(r);
        } else if (node != &robo__no_node) {
            if (end == -1)
                count_met(r, node, &met);
            if (!robo__part_add_node(r->scene, part, node))
                robo__no_memory(r, r->scene->arena.error);
        }
    }
}

/* ---- the file ---- */

static bool begins(const struct robo__lexer *l, const char *text)
{
    const size_t size = strlen(text);
    return (size_t)(l->end - l->at) >= size && memcmp(l->at, text, size) == 0;
}

static void read_signature(struct robo__reader *r)
{
    static const char signature[] = "#VRML V2.0 utf8";
    struct robo__lexer *l = &r->lexer;
    if (begins(l, "\xef\xbb\xbf")) {
        robo__problem(r, ROBO_SCENE_WARNING, l->at, "a byte order mark before the signature");
        l->at += 3;
    }
    if (begins(l, "#VRML V1.0"))
        robo__give_up(r, l->at, "this is VRML 1.0, expected %s", signature);
    if (begins(l, "#X3D"))
        robo__give_up(r, l->at, "this is X3D, expected %s", signature);
    if (!begins(l, signature))
        robo__give_up(r, l->at, "this is no VRML97, expected %s in the first line", signature);
}

/* The reading, apart from memory to be freed after a jump. */
static void read_file(struct robo__reader *r)
{
    struct robo__scope scope = { .number = ++r->scopes, .part = &r->scene->whole };
    if (setjmp(r->out))
        return;
    /* cppcheck-suppress autoVariables ; whoever reads it is called from here */
    r->scope = &scope;
    read_signature(r);
    robo__read_part(r, &r->scene->whole, -1);
}

static int read_text(robo_scene *scene, const uint8_t *text, size_t size)
{
    struct robo__reader *r = calloc(1, sizeof *r);
    if (!r)
        return ROBO_ENOMEM;
    r->scene = scene;
    r->text = text;
    r->lexer = (struct robo__lexer){ text, text + size, text, 1 };
    if (size > ROBO_SCENE_FILE) {
        if (setjmp(r->out) == 0)
            robo__give_up(r, text, "a file of more than %d MiB", ROBO_SCENE_FILE >> 20);
    } else {
        read_file(r);
    }
    const int error = r->memory ? ROBO_ENOMEM : 0;
    robo__names_free(&r->defs);
    robo__names_free(&r->protos);
    robo__names_free(&r->routes);
    free(r->scratch.bytes);
    free(r);
    return error;
}

/* One problem without a text that could be read. */
static int refuse(robo_scene *scene, const char *what)
{
    struct robo_scene_problem *p = robo__arena_take(&scene->arena, sizeof *p);
    if (!p)
        return ROBO_ENOMEM;
    *p = (struct robo_scene_problem){ .severity = ROBO_SCENE_ERROR,
                                      .what = robo__arena_text(&scene->arena, what, strlen(what)) };
    if (!p->what)
        return ROBO_ENOMEM;
    scene->problem = p;
    scene->problems = scene->count[ROBO_SCENE_ERROR] = 1;
    return 0;
}

static int read_gzip(robo_scene *scene, const uint8_t *bytes, size_t size)
{
    uint8_t *text = NULL;
    size_t length = 0;
    char why[256] = "";
    const int error = robo__gunzip(bytes, size, ROBO_SCENE_FILE, &text, &length, why);
    if (error == ROBO_ENOMEM)
        return error;
    const int result = error < 0 ? refuse(scene, why) : read_text(scene, text, length);
    free(text);
    return result;
}

robo_scene *robo_scene_read(const void *bytes, size_t size, int *error)
{
    const uint8_t *text = bytes;
    robo_scene *scene = robo_scene_open();
    int result = scene ? 0 : ROBO_ENOMEM;
    if (scene && size >= 2 && text[0] == 0x1f && text[1] == 0x8b)
        result = read_gzip(scene, text, size);
    else if (scene)
        result = read_text(scene, text, size);
    if (error)
        *error = result;
    if (result == 0)
        return scene;
    robo_scene_close(scene);
    return NULL;
}
