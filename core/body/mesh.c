/* Meshes, from bytes: binary STL is known by its length, STL in text by its first word; anything else is OBJ. */
#include "mesh.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "robotalk/scenery.h"

enum { STL_HEAD = 84, STL_FACE = 50, WHY = 256 };
static const double FLATTEST = 1e-6; /* of the box around it: less than this is no volume */

struct reader {
    const uint8_t *at, *end; /* of the line, of texts */
    const uint8_t *next;     /* line */
    const uint8_t *all;      /* the end of the file */
    unsigned line;
    struct robo_mesh *mesh;
    uint32_t room_vertices, room_faces;
    int error;
    char *why;
};

static bool fail(struct reader *r, int error, const char *form, ...)
    __attribute__((format(printf, 3, 4)));

static bool fail(struct reader *r, int error, const char *form, ...)
{
    va_list arguments;
    va_start(arguments, form);
    const int n = r->line > 0 ? snprintf(r->why, WHY, "line %u: ", r->line) : 0;
    vsnprintf(r->why + n, (size_t)(WHY - n), form, arguments);
    va_end(arguments);
    r->error = error;
    return false;
}

/* Room for one more of `has` things: doubled when it is full. */
static void *grow(void *list, uint32_t has, uint32_t *room, size_t size)
{
    if (has < *room)
        return list;
    const uint32_t more = *room > 0 ? 2 * *room : 64;
    void *longer = realloc(list, more * size);
    if (longer)
        *room = more;
    return longer;
}

static bool add_vertex(struct reader *r, const float v[3])
{
    struct robo_mesh *m = r->mesh;
    for (int i = 0; i < 3; i++)
        if (!(fabsf(v[i]) <= (float)ROBO_FARTHEST))
            return fail(r, ROBO_EBODY, "expected a vertex within 1000 km, got %g", (double)v[i]);
    if (m->vertices == ROBO__MESH_VERTICES)
        return fail(r, ROBO_ELIMIT, "expected at most %d vertices", ROBO__MESH_VERTICES);
    float(*list)[3] = grow(m->vertex, m->vertices, &r->room_vertices, sizeof *list);
    if (!list)
        return fail(r, ROBO_ENOMEM, "out of memory");
    m->vertex = list;
    memcpy(list[m->vertices++], v, sizeof *list);
    return true;
}

static bool add_face(struct reader *r, uint32_t a, uint32_t b, uint32_t c)
{
    struct robo_mesh *m = r->mesh;
    if (m->faces == ROBO__MESH_FACES)
        return fail(r, ROBO_ELIMIT, "expected at most %d triangles", ROBO__MESH_FACES);
    uint32_t(*list)[3] = grow(m->face, m->faces, &r->room_faces, sizeof *list);
    if (!list)
        return fail(r, ROBO_ENOMEM, "out of memory");
    m->face = list;
    list[m->faces][0] = a;
    list[m->faces][1] = b;
    list[m->faces++][2] = c;
    return true;
}

/* A face of the newest three vertices. */
static bool add_newest(struct reader *r)
{
    const uint32_t n = r->mesh->vertices;
    return add_face(r, n - 3, n - 2, n - 1);
}

/* ---- binary STL ---- */

static uint32_t little(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static bool is_binary_stl(const uint8_t *at, size_t size)
{
    return size >= STL_HEAD && (size - STL_HEAD) % STL_FACE == 0 &&
           (size - STL_HEAD) / STL_FACE == little(at + 80);
}

static bool read_binary(struct reader *r)
{
    for (const uint8_t *face = r->next + STL_HEAD; face < r->all; face += STL_FACE) {
        for (int i = 0; i < 3; i++) {
            float v[3];
            for (int k = 0; k < 3; k++) {
                const uint32_t bits = little(face + 12 + 12 * i + 4 * k);
                memcpy(&v[k], &bits, sizeof bits);
            }
            if (!add_vertex(r, v))
                return false;
        }
        if (!add_newest(r))
            return false;
    }
    return true;
}

/* ---- texts ---- */

static bool next_line(struct reader *r)
{
    if (r->next >= r->all)
        return false;
    const uint8_t *end = memchr(r->next, '\n', (size_t)(r->all - r->next));
    r->at = r->next;
    r->end = end ? end : r->all;
    r->next = end ? end + 1 : r->all;
    r->line++;
    return true;
}

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The next word of the line, its end in *end; empty at the end of the line. */
static const uint8_t *take_word(struct reader *r, const uint8_t **end)
{
    while (r->at < r->end && is_blank(*r->at))
        r->at++;
    const uint8_t *word = r->at;
    while (r->at < r->end && !is_blank(*r->at))
        r->at++;
    *end = r->at;
    return word;
}

static bool is_word(const uint8_t *word, const uint8_t *end, const char *text)
{
    return (size_t)(end - word) == strlen(text) && memcmp(word, text, strlen(text)) == 0;
}

/* Takes three numbers that make a vertex. */
static bool take_vertex(struct reader *r)
{
    float v[3];
    for (int i = 0; i < 3; i++) {
        const uint8_t *end, *at = take_word(r, &end);
        if (at == end || robo__number_float(&at, end, &v[i]) != ROBO__NUMBER_OK || at != end)
            return fail(r, ROBO_EBODY, "expected a vertex, three numbers");
    }
    return add_vertex(r, v);
}

static bool read_text_stl(struct reader *r)
{
    unsigned corners = 0;
    bool in_facet = false;
    while (next_line(r)) {
        const uint8_t *end, *word = take_word(r, &end);
        if (is_word(word, end, "vertex")) {
            if (!in_facet || corners == 3)
                return fail(r, ROBO_EBODY, "expected three vertices in each facet");
            if (!take_vertex(r))
                return false;
            corners++;
        } else if (is_word(word, end, "facet")) {
            if (in_facet)
                return fail(r, ROBO_EBODY, "expected endfacet before another facet");
            in_facet = true;
            corners = 0;
        } else if (is_word(word, end, "endfacet")) {
            if (!in_facet || corners != 3)
                return fail(r, ROBO_EBODY, "expected three vertices in each facet");
            in_facet = false;
            if (!add_newest(r))
                return false;
        } else if (word != end && !is_word(word, end, "outer") && !is_word(word, end, "endloop") &&
                   !is_word(word, end, "solid") && !is_word(word, end, "endsolid")) {
            return fail(r, ROBO_EBODY,
                        "expected facet, outer loop, vertex, endloop, endfacet or endsolid");
        }
    }
    return in_facet ? fail(r, ROBO_EBODY, "the file ends within a facet") : true;
}

/* The vertex that a corner of a face names: from 1 on, or from the newest backwards; the part after a slash is
 * ignored. */
static bool take_corner(struct reader *r, const uint8_t *word, const uint8_t *end, uint32_t *vertex)
{
    const uint8_t *slash = memchr(word, '/', (size_t)(end - word)), *at = word;
    int32_t number = 0;
    if (robo__number_integer(&at, slash ? slash : end, &number) != ROBO__NUMBER_OK ||
        at != (slash ? slash : end))
        return fail(r, ROBO_EBODY, "expected numbers of vertices");
    const int64_t which = number < 0 ? (int64_t)r->mesh->vertices + number : (int64_t)number - 1;
    if (which < 0 || which >= r->mesh->vertices)
        return fail(r, ROBO_EBODY, "expected the number of one of the %u vertices before, got %d",
                    r->mesh->vertices, number);
    *vertex = (uint32_t)which;
    return true;
}

/* A polygon, as a fan of triangles around its first corner. */
static bool take_face(struct reader *r)
{
    uint32_t first = 0, last = 0, corner = 0;
    for (unsigned n = 0;; n++) {
        const uint8_t *end, *word = take_word(r, &end);
        if (word == end)
            return n >= 3 ? true : fail(r, ROBO_EBODY, "expected three corners or more");
        if (!take_corner(r, word, end, &corner) || (n >= 2 && !add_face(r, first, last, corner)))
            return false;
        if (n == 0)
            first = corner;
        last = corner;
    }
}

static bool read_obj(struct reader *r)
{
    while (next_line(r)) {
        const uint8_t *end, *word = take_word(r, &end);
        if (memchr(word, 0, (size_t)(r->end - word)))
            return fail(r, ROBO_EBODY, "expected a text: OBJ, or STL");
        if (is_word(word, end, "v") ? !take_vertex(r) : is_word(word, end, "f") && !take_face(r))
            return false;
    }
    return true;
}

/* ---- all ---- */

/* The box around it, and whether it is more than a sheet: the sum of the tetrahedra between the middle and each face. */
static bool measure(struct reader *r)
{
    struct robo_mesh *m = r->mesh;
    double middle[3], box = 1, volume = 0;
    r->line = 0;
    if (m->faces == 0)
        return fail(r, ROBO_EBODY, "expected STL or OBJ with triangles, found none");
    for (int k = 0; k < 3; k++) {
        m->low[k] = INFINITY;
        m->high[k] = -INFINITY;
        for (uint32_t i = 0; i < m->vertices; i++) {
            m->low[k] = fmin(m->low[k], m->vertex[i][k]);
            m->high[k] = fmax(m->high[k], m->vertex[i][k]);
        }
        middle[k] = (m->low[k] + m->high[k]) / 2;
        box *= m->high[k] - m->low[k];
    }
    for (uint32_t i = 0; i < m->faces; i++) {
        double v[3][3];
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++)
                v[c][k] = m->vertex[m->face[i][c]][k] - middle[k];
        volume += fabs(v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) -
                       v[0][1] * (v[1][0] * v[2][2] - v[1][2] * v[2][0]) +
                       v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0])) /
                  6;
    }
    if (!(volume > FLATTEST * box))
        return fail(r, ROBO_EBODY, "expected a body with a volume: this one is flat");
    return true;
}

robo_mesh *robo_mesh_read(const void *bytes, size_t size, int *error, char why[WHY])
{
    struct reader r = { .next = bytes, .why = why };
    why[0] = 0;
    *error = ROBO_ENOMEM;
    r.mesh = calloc(1, sizeof *r.mesh);
    if (!r.mesh)
        return NULL;
    r.mesh->holders = 1;
    r.all = r.next + size;
    bool good;
    if (size > ROBO__MESH_FILE)
        good = fail(&r, ROBO_ELIMIT, "expected at most %d bytes", ROBO__MESH_FILE);
    else if (is_binary_stl(bytes, size))
        good = read_binary(&r);
    else if (size >= 5 && memcmp(bytes, "solid", 5) == 0)
        good = read_text_stl(&r);
    else
        good = read_obj(&r);
    if (good && measure(&r)) {
        *error = 0;
        return r.mesh;
    }
    *error = r.error;
    robo_mesh_release(r.mesh);
    return NULL;
}

robo_mesh *robo_mesh_hold(robo_mesh *mesh)
{
    if (mesh)
        mesh->holders++;
    return mesh;
}

void robo_mesh_release(robo_mesh *mesh)
{
    if (!mesh || --mesh->holders > 0)
        return;
    free(mesh->vertex);
    free(mesh->face);
    free(mesh);
}

void robo_mesh_box(const robo_mesh *mesh, double low[3], double high[3])
{
    memcpy(low, mesh->low, sizeof mesh->low);
    memcpy(high, mesh->high, sizeof mesh->high);
}
