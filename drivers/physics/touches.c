/* Data of a model, with room for contacts in a block of its own. */
#include "touches.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include <mujoco/mjxmacro.h>

/* A ball among balls has twelve neighbours, each of which is the neighbour's, too; a box, four to eight points with each of those
 * that it lies between. */
enum { BALL = 8, OTHER = 24, SPARE = 100 };
/* A row is as long as the model has dofs, and numbers of its items are ints. */
static const double MOST_NUMBERS = 1 << 30;
enum { LEAST_ROWS = 200, MOST_STACK = 1 << 28, ALIGNED = 64 };

struct head {
    size_t bytes; /* of the whole block, this too */
};

/* Rows that a contact takes, with the pyramids that friction has here. */
static int rows_of(int dimensions)
{
    return dimensions == 1 ? 1 : 2 * (dimensions - 1);
}

static void count(const mjModel *m, double *contacts, double *rows)
{
    *contacts = SPARE;
    *rows = 6.0 * m->neq + 2.0 * m->njnt + 3.0 * m->ntendon + m->nv + SPARE * rows_of(3);
    for (int i = 0; i < m->ngeom; i++) {
        const bool moves = m->body_weldid[m->geom_bodyid[i]] > 0,
                   touches = m->geom_contype[i] || m->geom_conaffinity[i];
        const double most = m->geom_type[i] == mjGEOM_SPHERE ? BALL : OTHER;
        if (!moves || !touches)
            continue;
        *contacts += most;
        *rows += most * rows_of(m->geom_condim[i]);
    }
}

/* Takes the next part of the block, or only says how far that goes. */
static void take(unsigned char *block, size_t *at, void *pointer, size_t size)
{
    const size_t begin = (*at + ALIGNED - 1) / ALIGNED * ALIGNED;
    void *part = block + begin;
    if (block)
        memcpy(pointer, &part, sizeof part);
    *at = begin + size;
}

/* Lays out each contact and each row in the block, without the parts that only dual solvers use; returns its size. */
static size_t lay_out(const mjModel *m, mjData *d, unsigned char *block)
{
    size_t at = sizeof(struct head);
#define IS(text, word) (__builtin_strcmp(text, word) == 0)
#define ROW_(type, name, count, each, count_text, each_text)                                      \
    if ((IS(count_text, "nconmax") || IS(count_text, "njmax") || IS(each_text, "MJ_M(njmax)")) && \
        !IS(#name, "efc_AR") && !IS(#name, "efc_AR_colind"))                                      \
        take(block, &at, &d->name, sizeof(type) * (size_t)m->count * (size_t)(each));
#define X(type, name, count, each) ROW_(type, name, count, each, #count, #each)
    MJDATA_POINTERS_PREAMBLE(m)
    /* cppcheck-suppress unknownMacro; MuJoCo's */
    MJDATA_POINTERS
#undef X
#undef ROW_
#undef IS
    return at;
}

/* The model has its numbers of contacts and rows. */
static bool widen(const mjModel *m, mjData *d)
{
    const size_t bytes = lay_out(m, d, NULL);
    void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block == MAP_FAILED)
        return false;
    ((struct head *)block)->bytes = bytes;
    lay_out(m, d, block);
    return true;
}

/* Numbers that a step needs for itself: matrices of the dofs, some for each row and some for each contact; five times the
 * measured need. */
static int stack_of(const mjModel *m)
{
    const double dofs = m->nv + m->neq + 100,
                 wanted = 5 * dofs * dofs + 100.0 * m->njmax + 100.0 * m->nconmax;
    return (int)(wanted < MOST_STACK ? wanted : MOST_STACK);
}

mjData *robo__touches_data(const struct robo__engine *e, mjModel *m)
{
    double contacts, rows;
    count(m, &contacts, &rows);
    const double most = MOST_NUMBERS / (m->nv + 1);
    if (rows > most) {
        contacts *= most / rows;
        rows = most;
    }
    m->nconmax = (int)contacts + 1;
    m->njmax = (int)rows + 1;
    m->nstack = stack_of(m);
    const int room = m->nconmax, lines = m->njmax;
    m->nconmax = m->njmax = 1;
    mjData *d = e->mj_makeData(m);
    m->nconmax = room;
    m->njmax = lines;
    if (!d)
        return NULL;
    while (!widen(m, d)) {
        if (m->njmax < LEAST_ROWS) {
            e->mj_deleteData(d);
            return NULL;
        }
        m->nconmax = m->nconmax / 2 + 1;
        m->njmax /= 2;
    }
    return d;
}

void robo__touches_delete(const struct robo__engine *e, mjData *d)
{
    if (!d)
        return;
    /* contacts are the first in it */
    struct head *block = (struct head *)(void *)((unsigned char *)d->contact - ALIGNED);
    munmap(block, block->bytes);
    e->mj_deleteData(d);
}
