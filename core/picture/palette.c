/* Median cut. */
#include "palette.h"

#include <stdlib.h>
#include <string.h>

/* Bins of `used` that shall have one colour together. */
struct box {
    unsigned first, bins;
    uint64_t pixels;
    unsigned widest, width; /* the component in which they differ most, and by how much */
};

static unsigned component(const struct robo__bin *b, unsigned k)
{
    return b->bin >> (10 - 5 * k) & 31;
}

static void measure(const struct robo__palette *p, struct box *box)
{
    box->pixels = 0;
    box->width = 0;
    for (unsigned i = 0; i < box->bins; i++)
        box->pixels += p->used[box->first + i].count;
    for (unsigned k = 0; k < 3; k++) {
        unsigned low = 31, high = 0;
        for (unsigned i = 0; i < box->bins; i++) {
            const unsigned x = component(&p->used[box->first + i], k);
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        if (high - low >= box->width) {
            box->width = high - low;
            box->widest = k;
        }
    }
}

static int by_red(const void *a, const void *b)
{
    const struct robo__bin *x = a, *y = b;
    return (int)x->bin - (int)y->bin;
}

/* Rotates the components, so that the one in question counts most. */
static unsigned turned(unsigned bin, unsigned k)
{
    return (bin << 5 * k | bin >> (15 - 5 * k)) & 0x7fff;
}

static int by_green(const void *a, const void *b)
{
    const struct robo__bin *x = a, *y = b;
    return (int)turned(x->bin, 1) - (int)turned(y->bin, 1);
}

static int by_blue(const void *a, const void *b)
{
    const struct robo__bin *x = a, *y = b;
    return (int)turned(x->bin, 2) - (int)turned(y->bin, 2);
}

/* Halves its pixels. */
static void cut(struct robo__palette *p, struct box *box, struct box *other)
{
    static int (*const order[])(const void *, const void *) = { by_red, by_green, by_blue };
    uint64_t seen = 0;
    unsigned n = 0;
    qsort(p->used + box->first, box->bins, sizeof *p->used, order[box->widest]);
    while (n < box->bins - 1 && (n == 0 || 2 * seen < box->pixels))
        seen += p->used[box->first + n++].count;
    *other = (struct box){ .first = box->first + n, .bins = box->bins - n };
    box->bins = n;
    measure(p, box);
    measure(p, other);
}

/* The one in which most pixels differ most; NULL: each is one bin. */
static struct box *find_largest(struct box *box, unsigned boxes)
{
    struct box *largest = NULL;
    uint64_t most = 0;
    for (unsigned i = 0; i < boxes; i++)
        if (box[i].bins > 1 && box[i].pixels * box[i].width > most) {
            most = box[i].pixels * box[i].width;
            largest = &box[i];
        }
    return largest;
}

static void paint(struct robo__palette *p, const struct box *box, unsigned colour)
{
    uint64_t sum[3] = { 0 };
    for (unsigned i = 0; i < box->bins; i++) {
        const struct robo__bin *b = &p->used[box->first + i];
        p->nearest[b->bin] = (uint8_t)colour;
        for (unsigned k = 0; k < 3; k++)
            sum[k] += b->sum[k];
    }
    for (unsigned k = 0; k < 3; k++)
        p->rgb[3 * colour + k] = (uint8_t)((sum[k] + box->pixels / 2) / box->pixels);
}

void robo__palette_make(struct robo__palette *p, const uint8_t *rgb, const uint8_t *marked,
                        size_t pixels)
{
    struct box box[ROBO__PALETTE_MOST], *largest;
    unsigned used = 0, boxes = 1;
    memset(p->used, 0, sizeof p->used);
    memset(p->nearest, 0, sizeof p->nearest);
    for (size_t i = 0; i < pixels; i++) {
        struct robo__bin *b = &p->used[robo__palette_bin(rgb + 3 * i)];
        if (marked && !marked[i])
            continue;
        b->count++;
        for (unsigned k = 0; k < 3; k++)
            b->sum[k] += rgb[3 * i + k];
    }
    for (unsigned i = 0; i < ROBO__PALETTE_BINS; i++)
        if (p->used[i].count > 0) {
            p->used[used] = p->used[i];
            p->used[used++].bin = (uint16_t)i;
        }
    p->colours = 0;
    if (used == 0)
        return;
    box[0] = (struct box){ .bins = used };
    measure(p, &box[0]);
    while (boxes < ROBO__PALETTE_MOST && (largest = find_largest(box, boxes)) != NULL)
        cut(p, largest, &box[boxes++]);
    for (unsigned i = 0; i < boxes; i++)
        paint(p, &box[i], i);
    p->colours = boxes;
}
