/* Meshes from files: what STL and OBJ say, and what is wrong with those that say something else. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "body/mesh.h"
#include "robotalk.h"
#include "robotalk/scenery.h"

static int error;
static char why[256];

static robo_mesh *read_text(const char *text)
{
    return robo_mesh_read(text, strlen(text), &error, why);
}

/* A corner of a cube: a tetrahedron, 2 by 1 by 3. */
static const char OBJ[] = "# a comment\n"
                          "mtllib none.mtl\r\n"
                          "v 0 0 0\nv 2 0 0 1.0\nv 0 1 0\nv 0 0 -3\nvn 0 0 1\n"
                          "f 1 2 3\nf 1/1/1 4//1 2\nf -4 -2 -1\nf 2 4 3\n";

TEST(an_obj_has_vertices_and_faces)
{
    double low[3], high[3];
    robo_mesh *m = read_text(OBJ);
    assert_non_null(m);
    assert_int_equal(error, 0);
    assert_int_equal(m->vertices, 4);
    assert_int_equal(m->faces, 4);
    static const uint32_t faces[4][3] = { { 0, 1, 2 }, { 0, 3, 1 }, { 0, 2, 3 }, { 1, 3, 2 } };
    assert_memory_equal(m->face, faces, sizeof faces);
    robo_mesh_box(m, low, high);
    assert_true(low[0] == 0 && high[0] == 2 && high[1] == 1 && low[2] == -3);
    assert_ptr_equal(robo_mesh_hold(m), m);
    robo_mesh_release(m);
    assert_true(m->vertex[1][0] == 2); /* held once more */
    robo_mesh_release(m);
    robo_mesh_release(NULL);
}

TEST(a_polygon_is_a_fan_of_triangles)
{
    robo_mesh *m = read_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv .5 .5 1\n"
                             "f 4 3 2 1\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5");
    assert_non_null(m);
    assert_int_equal(m->faces, 6);
    static const uint32_t first[2][3] = { { 3, 2, 1 }, { 3, 1, 0 } };
    assert_memory_equal(m->face, first, sizeof first);
    robo_mesh_release(m);
}

#define FACET(a, b, c)                                                                  \
    " facet normal 0 0 0\n  outer loop\n   vertex " a "\n   vertex " b "\n   vertex " c \
    "\n  endloop\n endfacet\n"
static const char STL[] =
    "solid corner\n" FACET("0 0 0", "0 1e0 0", "1 0 0") FACET("0 0 0", "1 0 0", "0 0 1")
        FACET("0 0 0", "0 0 1", "0 1 0") FACET("1 0 0", "0 1 0", "0 0 1") "endsolid corner\n";

TEST(stl_in_text_and_in_bytes_is_the_same)
{
    uint8_t bytes[84 + 4 * 50] = "solid, it says, and is none";
    robo_mesh *text = read_text(STL);
    assert_non_null(text);
    assert_int_equal(text->faces, 4);
    bytes[80] = 4;
    for (int i = 0; i < 4; i++) /* this machine's floats are little-endian */
        memcpy(bytes + 84 + 50 * i + 12, text->vertex[3 * i], 36);
    robo_mesh *binary = robo_mesh_read(bytes, sizeof bytes, &error, why);
    assert_non_null(binary);
    assert_int_equal(binary->vertices, 12);
    assert_memory_equal(binary->vertex, text->vertex, 12 * sizeof *text->vertex);
    assert_memory_equal(binary->face, text->face, 4 * sizeof *text->face);
    robo_mesh_release(text);
    robo_mesh_release(binary);
}

static void refused(const char *text, int number, const char *words)
{
    assert_null(read_text(text));
    assert_int_equal(error, number);
    assert_string_equal(why, words);
}

TEST(what_is_wrong_has_its_line)
{
    refused("", ROBO_EBODY, "expected STL or OBJ with triangles, found none");
    refused("v 0 0 0\nv 1 x 0\n", ROBO_EBODY, "line 2: expected a vertex, three numbers");
    refused("v 0 0\n", ROBO_EBODY, "line 1: expected a vertex, three numbers");
    refused("v 0 0 nan\n", ROBO_EBODY, "line 1: expected a vertex, three numbers");
    refused("v 0 0 2e6\n", ROBO_EBODY, "line 1: expected a vertex within 1000 km, got 2e+06");
    refused("v 0 0 0\nf 1 1 2\n", ROBO_EBODY,
            "line 2: expected the number of one of the 1 vertices before, got 2");
    refused("v 0 0 0\nf 0 1 1\n", ROBO_EBODY,
            "line 2: expected the number of one of the 1 vertices before, got 0");
    refused("v 0 0 0\nf -2 1 1\n", ROBO_EBODY,
            "line 2: expected the number of one of the 1 vertices before, got -2");
    refused("v 0 0 0\nf 1 1\n", ROBO_EBODY, "line 2: expected three corners or more");
    refused("v 0 0 0\nf a b c\n", ROBO_EBODY, "line 2: expected numbers of vertices");
    refused("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", ROBO_EBODY,
            "expected a body with a volume: this one is flat");
    refused("solid\nvertex 0 0 0\n", ROBO_EBODY, "line 2: expected three vertices in each facet");
    refused("solid\nfacet\nfacet\n", ROBO_EBODY, "line 3: expected endfacet before another facet");
    refused("solid\nfacet\nvertex 0 0 0\nendfacet\n", ROBO_EBODY,
            "line 4: expected three vertices in each facet");
    refused("solid\nfacet\n", ROBO_EBODY, "line 2: the file ends within a facet");
    refused("solid\nfact\n", ROBO_EBODY,
            "line 2: expected facet, outer loop, vertex, endloop, endfacet or endsolid");
    assert_null(robo_mesh_read("v 1\0 2", 6, &error, why));
    assert_string_equal(why, "line 1: expected a text: OBJ, or STL");
}

TEST(what_is_too_large_is_refused)
{
    const size_t size = ROBO__MESH_FILE + 1;
    char *text = calloc(size, 1);
    assert_non_null(text);
    assert_null(robo_mesh_read(text, size, &error, why));
    assert_int_equal(error, ROBO_ELIMIT);
    /* a polygon of more corners than there may be triangles */
    size_t at = (size_t)sprintf(text, "v 0 0 0\nf");
    for (int i = 0; i < ROBO__MESH_FACES + 3; i++, at += 2)
        memcpy(text + at, " 1", 2);
    assert_null(robo_mesh_read(text, at, &error, why));
    assert_int_equal(error, ROBO_ELIMIT);
    assert_string_equal(why, "line 2: expected at most 100000 triangles");
    at = 0;
    for (int i = 0; i <= ROBO__MESH_VERTICES; i++, at += 8)
        memcpy(text + at, "v 0 0 0\n", 8);
    assert_null(robo_mesh_read(text, at, &error, why));
    assert_string_equal(why, "line 300001: expected at most 300000 vertices");
    free(text);
}
