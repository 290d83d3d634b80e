/* Any bytes as a file of VRML97. Whatever is wrong with it, what was read of it is written as a file that is right, and is then
 * written as the same text; all that the tree leads to is within its bounds. */
#include <stdlib.h>
#include <string.h>

#include "robotalk.h"
#include "robotalk/rcml.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

/* How many nodes are met, as who draws them would; no deeper than the bound. */
static unsigned long walk(const struct robo_scene_node *node, unsigned depth)
{
    unsigned long met = 1;
    if (depth > ROBO_SCENE_DEPTH || !node->kind || !node->line)
        abort();
    if (strcmp(node->kind->name, "Script") == 0)
        return met;
    for (uint32_t i = 0; i < node->bodies; i++)
        met += walk(node->body[i], depth + 1);
    for (uint32_t i = 0; i < node->fields && node->bodies == 0; i++) {
        const struct robo_scene_value *v = &node->field[i].value;
        if (v != robo_scene_get(node, node->field[i].name))
            abort();
        if (v->type == ROBO_SF_NODE || v->type == ROBO_MF_NODE)
            for (uint32_t k = 0; k < v->count; k++)
                met += v->node[k] ? walk(v->node[k], depth + 1) : 0;
    }
    return met;
}

static char *text_of(robo_scene *scene, size_t *size)
{
    int error;
    const char *text = robo_scene_text(scene, size, &error);
    if (!text && error != ROBO_ERANGE)
        abort();
    return text ? memcpy(malloc(*size + 1), text, *size + 1) : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    size_t size = 0, again_size = 0;
    robo_scene *scene = robo_scene_read(in, n, NULL);
    if (!scene)
        abort();
    const struct robo_scene_problem *p;
    const uint32_t problems = robo_scene_problems(scene, &p);
    for (uint32_t i = 0; i < problems; i++)
        if (!p[i].what[0] || strlen(p[i].what) > 400)
            abort();
    const struct robo_scene_part *whole = robo_scene_whole(scene);
    unsigned long met = 0;
    for (uint32_t i = 0; i < whole->nodes; i++)
        met += walk(whole->node[i], 1);
    if (met > ROBO_SCENE_NODES)
        abort();
    char *text = text_of(scene, &size);
    robo_scene *second = text ? robo_scene_read(text, size, NULL) : NULL;
    if (second && robo_scene_errors(second) > 0)
        abort();
    char *again = second ? text_of(second, &again_size) : NULL;
    if (again && (again_size != size || memcmp(again, text, size) != 0))
        abort();
    free(again);
    free(text);
    robo_scene_close(second);
    robo_scene_close(scene);
    return 0;
}
