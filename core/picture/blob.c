/* Connected regions of a colour in a picture: one pass over its rows, by union-find over the runs of two rows. Memory is that of the
 * picture's width, whatever is in it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pixels.h"

/* Pixels of the colour from `begin` to the one before `end`, side by side in a row. */
struct run {
    unsigned begin, end;
    unsigned label; /* of its region */
};

/* The region so far. */
struct region {
    uint64_t area, sum_x, sum_y; /* pixels, and sums of their places */
    uint64_t first;              /* the place of its first pixel, counted row by row */
    unsigned left, right, top, bottom;
};

/* Regions that touch the row before, and those that begin in the row that is read. Labels are assigned again after each row. */
struct search {
    const struct robo_picture *picture;
    const struct robo_colour *colour;
    unsigned labels;   /* in use */
    unsigned *parent;  /* of each label; its own: it is a region's */
    unsigned *renamed; /* the label of a region in the next row; GONE: it does not touch this one */
    struct region *region;    /* of each label that is its own parent */
    struct run *run, *before; /* of this row, and of the one before */
    unsigned runs, runs_before;
    uint64_t least;
    struct robo_blob best;
    uint64_t best_first;
};

enum { GONE = UINT32_MAX };

/* ---- colours ---- */

static bool within(double x, const double bounds[2])
{
    const double slack = 1e-9; /* for sums of decimal fractions */
    return x >= bounds[0] - slack && x <= bounds[1] + slack;
}

/* Degrees, 0 to 360; `most`: the largest of the three; `span`: by how much it is larger than the least, not 0. */
static double hue_of(const uint8_t rgb[3], int most, int span)
{
    const int r = rgb[0], g = rgb[1], b = rgb[2];
    const double sixth = most == r   ? (double)(g - b) / span
                         : most == g ? (double)(b - r) / span + 2
                                     : (double)(r - g) / span + 4;
    return 60 * (sixth < 0 ? sixth + 6 : sixth);
}

static bool is_colour(const uint8_t rgb[3], const struct robo_colour *colour)
{
    int most = rgb[0] > rgb[1] ? rgb[0] : rgb[1], least = rgb[0] < rgb[1] ? rgb[0] : rgb[1];
    most = rgb[2] > most ? rgb[2] : most;
    least = rgb[2] < least ? rgb[2] : least;
    const int span = most - least;
    if (!within(most / 255.0, colour->value) ||
        !within(most > 0 ? (double)span / most : 0, colour->saturation))
        return false;
    if (colour->hue[1] - colour->hue[0] >= 360)
        return true;
    if (span == 0) /* gray has no hue */
        return false;
    const double hue = hue_of(rgb, most, span);
    return within(hue, colour->hue) || within(hue + 360, colour->hue) ||
           within(hue - 360, colour->hue);
}

static bool good_bounds(const double bounds[2], double least, double most)
{
    return isfinite(bounds[0]) && isfinite(bounds[1]) && bounds[0] >= least && bounds[1] <= most &&
           bounds[0] <= bounds[1];
}

/* ---- union-find ---- */

static unsigned root_of(unsigned *parent, unsigned label)
{
    while (parent[label] != label) {
        parent[label] = parent[parent[label]];
        label = parent[label];
    }
    return label;
}

/* Two regions are one: the label of both. */
static unsigned join(struct search *s, unsigned a, unsigned b)
{
    a = root_of(s->parent, a);
    b = root_of(s->parent, b);
    if (a == b)
        return a;
    struct region *to = &s->region[a];
    const struct region *from = &s->region[b];
    to->area += from->area;
    to->sum_x += from->sum_x;
    to->sum_y += from->sum_y;
    to->first = from->first < to->first ? from->first : to->first;
    to->left = from->left < to->left ? from->left : to->left;
    to->right = from->right > to->right ? from->right : to->right;
    to->top = from->top < to->top ? from->top : to->top;
    to->bottom = from->bottom > to->bottom ? from->bottom : to->bottom;
    s->parent[b] = a;
    return a;
}

/* ---- rows ---- */

/* The runs of row y, with no labels yet. */
static void find_runs(struct search *s, unsigned y)
{
    const struct robo_picture *p = s->picture;
    const unsigned components = robo__pixels_components(p);
    const uint8_t *at = p->bytes + (size_t)y * p->width * components;
    s->runs = 0;
    for (unsigned x = 0; x < p->width; x++, at += components) {
        const uint8_t gray[3] = { *at, *at, *at };
        if (!is_colour(components == 3 ? at : gray, s->colour))
            continue;
        if (s->runs == 0 || s->run[s->runs - 1].end != x)
            s->run[s->runs++] = (struct run){ x, x, GONE };
        s->run[s->runs - 1].end++;
    }
}

/* Adds the pixels of a run to a region. */
static void add_run(struct region *region, const struct run *run, unsigned y)
{
    const uint64_t n = run->end - run->begin;
    region->area += n;
    region->sum_x += n * (run->begin + run->end - 1) / 2;
    region->sum_y += n * y;
    region->left = run->begin < region->left ? run->begin : region->left;
    region->right = run->end > region->right ? run->end : region->right;
    region->bottom = y + 1;
}

/* Gives each run of row y the region of the runs above that it touches by a side, or one of its own. */
static void label_runs(struct search *s, unsigned y)
{
    unsigned above = 0;
    for (unsigned i = 0; i < s->runs; i++) {
        struct run *run = &s->run[i];
        while (above < s->runs_before && s->before[above].end <= run->begin)
            above++;
        for (unsigned k = above; k < s->runs_before && s->before[k].begin < run->end; k++)
            run->label =
                join(s, run->label == GONE ? s->before[k].label : run->label, s->before[k].label);
        if (run->label == GONE) {
            run->label = s->labels++;
            s->parent[run->label] = run->label;
            s->region[run->label] = (struct region){
                .first = (uint64_t)y * s->picture->width + run->begin, .left = run->begin, .top = y
            };
        }
        add_run(&s->region[run->label], run, y);
    }
}

/* A region that no later row can touch. */
static void finish(struct search *s, const struct region *r)
{
    if (r->area < s->least)
        return;
    s->best.regions++;
    if (r->area < s->best.area || (r->area == s->best.area && r->first > s->best_first))
        return;
    s->best_first = r->first;
    s->best.x = (double)r->sum_x / (double)r->area;
    s->best.y = (double)r->sum_y / (double)r->area;
    s->best.left = r->left;
    s->best.top = r->top;
    s->best.width = r->right - r->left;
    s->best.height = r->bottom - r->top;
    s->best.area = r->area;
}

/* Regions that touch this row move to the first labels; the others are finished. */
static void next_row(struct search *s)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < s->labels; i++)
        s->renamed[i] = GONE;
    for (unsigned i = 0; i < s->runs; i++) {
        s->run[i].label = root_of(s->parent, s->run[i].label);
        s->renamed[s->run[i].label] = 0;
    }
    for (unsigned i = 0; i < s->labels; i++) {
        if (s->parent[i] == i && s->renamed[i] == GONE) {
            finish(s, &s->region[i]);
        } else if (s->parent[i] == i) {
            s->region[kept] = s->region[i];
            s->renamed[i] = kept++;
        }
    }
    for (unsigned i = 0; i < s->runs; i++)
        s->run[i].label = s->renamed[s->run[i].label];
    for (unsigned i = 0; i < kept; i++)
        s->parent[i] = i;
    s->labels = kept;
    struct run *run = s->before;
    s->before = s->run;
    s->run = run;
    s->runs_before = s->runs;
    s->runs = 0;
}

int robo_picture_blob(const struct robo_picture *picture, const struct robo_colour *colour,
                      uint64_t least, struct robo_blob *blob)
{
    if (!good_bounds(colour->hue, -360, 720) || colour->hue[1] - colour->hue[0] > 360 ||
        !good_bounds(colour->saturation, 0, 1) || !good_bounds(colour->value, 0, 1) ||
        (picture->format != ROBO_RGB && picture->format != ROBO_GRAY) || picture->size == 0 ||
        picture->size != robo__pixels_size((enum robo_picture_format)picture->format,
                                           picture->width, picture->height))
        return ROBO_EINVAL;
    /* every other pixel of a row begins a run; as many regions come from the row before */
    const size_t most = (picture->width + 1u) / 2;
    const size_t each = 2 * sizeof(struct region) + 2 * sizeof(struct run) + 4 * sizeof(unsigned);
    struct region *room = malloc(most * each);
    if (!room)
        return ROBO_ENOMEM;
    struct search s = { .picture = picture, .colour = colour, .least = least ? least : 1 };
    s.region = room;
    s.run = (struct run *)(void *)(room + 2 * most);
    s.before = s.run + most;
    s.parent = (unsigned *)(void *)(s.before + most);
    s.renamed = s.parent + 2 * most;
    for (unsigned y = 0; y < picture->height; y++) {
        find_runs(&s, y);
        label_runs(&s, y);
        next_row(&s);
    }
    next_row(&s); /* as if below the picture there were a row without the colour */
    free(room);
    if (s.best.regions == 0)
        return 0;
    *blob = s.best;
    return 1;
}
