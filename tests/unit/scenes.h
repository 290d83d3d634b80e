/* What tests of scenes share: a file as text, its problems as text, and its nodes. Each test frees what it has read. */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../test.h"
#include "robotalk/rcml.h"

#define FILE_OF(body) "#VRML V2.0 utf8\n" body

static inline robo_scene *read_file(const char *text)
{
    robo_scene *scene = robo_scene_read(text, strlen(text), NULL);
    assert_non_null(scene);
    return scene;
}

/* "LINE:COLUMN: what" of each problem of that severity, a line each. */
static inline const char *problems_of(const robo_scene *scene, enum robo_scene_severity severity)
{
    static char text[8192];
    const struct robo_scene_problem *p;
    const uint32_t count = robo_scene_problems(scene, &p);
    size_t n = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < count && n < sizeof text - 600; i++)
        if (p[i].severity == severity)
            n += (size_t)snprintf(text + n, sizeof text - n, "%u:%u: %s\n", p[i].line, p[i].column,
                                  p[i].what);
    return text;
}

/* The scene of a file that is right. */
static inline robo_scene *read_right(const char *text)
{
    robo_scene *scene = read_file(text);
    assert_string_equal(problems_of(scene, ROBO_SCENE_ERROR), "");
    return scene;
}

/* Reads a file that is wrong, and compares its errors. */
static inline void check_errors(const char *text, const char *expected)
{
    robo_scene *scene = read_file(text);
    assert_string_equal(problems_of(scene, ROBO_SCENE_ERROR), expected);
    robo_scene_close(scene);
}

static inline void check_warnings(const char *text, const char *expected)
{
    robo_scene *scene = read_right(text);
    assert_string_equal(problems_of(scene, ROBO_SCENE_WARNING), expected);
    robo_scene_close(scene);
}

static inline void check_right(const char *text)
{
    robo_scene_close(read_right(text));
}

static inline const struct robo_scene_node *root(const robo_scene *scene, uint32_t i)
{
    const struct robo_scene_part *whole = robo_scene_whole(scene);
    assert_true(i < whole->nodes);
    return whole->node[i];
}

/* A field's value, of that type. */
static inline const struct robo_scene_value *value(const struct robo_scene_node *node,
                                                   const char *field, enum robo_scene_type type)
{
    const struct robo_scene_value *v = robo_scene_get(node, field);
    assert_non_null(v);
    assert_int_equal(v->type, type);
    return v;
}

/* A node in an SFNode, or the one of that number in an MFNode. */
static inline const struct robo_scene_node *child(const struct robo_scene_node *node,
                                                  const char *field, uint32_t i)
{
    const struct robo_scene_value *v = robo_scene_get(node, field);
    assert_non_null(v);
    assert_true(i < v->count);
    assert_non_null(v->node[i]);
    return v->node[i];
}
