/* Timing statistics of a connection's packages. */
#include "delay_estimate.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"

/* RUNS: more when they are short. STEPS: of all runs together, which bounds the time. BLOCK: packages in a row that are
 * drawn together, so that bursts stay bursts; an eighth of the known passages when these are few. */
enum { RUNS_LEAST = 100, RUNS_MOST = 400, STEPS = 1 << 17, BLOCK = 20, BLOCK_SHARE = 8 };

static const robo_time AT_ONCE = 1000000; /* packages sent within this are a train */
/* A passage that is longer than the longest one by this much (scheduling noise) is news; s. */
static const float ROOM = 1.15F, SLACK = 0.005F;
/* Error of stamps; s. */
static const float CLOCK = 0.001F;

bool robo__traffic_keep(struct robo__traffic *t)
{
    if (!t->passage)
        t->passage = calloc(ROBO__PASSAGES, sizeof *t->passage);
    return t->passage != NULL;
}

void robo__traffic_free(struct robo__traffic *t)
{
    free(t->passage);
    *t = (struct robo__traffic){ 0 };
}

void robo__traffic_note(struct robo__traffic *t, robo_time sent, robo_time arrived)
{
    robo_time way = robo__time_since(sent, arrived);
    if (way > ROBO__HORIZON || way < -ROBO__HORIZON)
        return; /* such a stamp is unusable */
    bool train = t->any && llabs(sent - t->sent) < AT_ONCE;
    if (t->passage && t->any) {
        t->passage[t->next] = (struct robo__passage){ .way = (float)way * 1e-9F,
                                                      .gap = (float)(arrived - t->arrived) * 1e-9F,
                                                      .train = train };
        t->next = (t->next + 1) % ROBO__PASSAGES;
        t->count += t->count < ROBO__PASSAGES;
        t->trained |= train;
    }
    t->any = true;
    t->sent = sent;
    t->arrived = arrived;
}

void robo__traffic_pass(struct robo__traffic *t, robo_time arrived)
{
    t->arrived = arrived;
}

/* The samples to draw from. `base`: how much longer a transit is than a service on average; a package waits when the
 * one before arrives later than that after it was sent. */
struct known {
    float way[ROBO__PASSAGES], service[ROBO__PASSAGES];
    uint32_t count;
    double base, mean;
};

struct mean {
    double sum, squares, n;
};

static void add(struct mean *m, double x)
{
    m->sum += x;
    m->squares += x * x;
    m->n++;
}

static double mean_of(const struct mean *m)
{
    return m->n > 0 ? m->sum / m->n : 0;
}

static double variance_of(const struct mean *m)
{
    double x = mean_of(m);
    return m->n > 0 ? fmax(0, m->squares / m->n - x * x) : 0;
}

/* How much longer a transit is than a service on average; 0 where the difference is not significant. */
static double base_of(const struct mean *ways, const struct mean *services)
{
    if (ways->n == 0 || services->n == 0)
        return 0;
    double base = mean_of(ways) - mean_of(services),
           variance = fmax(variance_of(ways), variance_of(services));
    return fabs(base) > 3 * sqrt(variance / ways->n + variance / services->n) ? base : 0;
}

/* The newest is 0. */
static const struct robo__passage *at(const struct robo__traffic *t, uint32_t ago)
{
    return &t->passage[(t->next + ROBO__PASSAGES - 1 - ago) % ROBO__PASSAGES];
}

static bool waited(const struct robo__passage *p, double base)
{
    return p->train || p->way - p->gap > base;
}

/* Each passage gives either its transit or its service; the other one differs by the base. */
static void look(const struct robo__traffic *t, uint32_t count, struct known *known)
{
    struct mean ways = { 0 }, services = { 0 };
    const struct robo__passage *seen[ROBO__PASSAGES] = { 0 };
    known->count = count < t->count ? count : t->count;
    for (uint32_t i = 0; i < known->count; i++) {
        const struct robo__passage *p = seen[i] = at(t, known->count - 1 - i);
        if (p->train)
            add(&services, p->gap);
        else if (p->gap >= p->way - CLOCK)
            add(&ways, p->way);
    }
    const double base = known->base = base_of(&ways, &services);
    known->mean = 0;
    for (uint32_t i = 0; i < known->count; i++) {
        const struct robo__passage *p = seen[i];
        bool behind = waited(p, base);
        known->service[i] = behind ? p->gap : p->way - (float)base;
        known->way[i] = behind ? p->gap + (float)base : p->way;
        known->mean += (double)known->service[i] / known->count;
    }
}

/* The longest service is replaced by the mean: it has happened only once. */
static void forget_longest(struct known *known)
{
    uint32_t longest = 0;
    for (uint32_t i = 1; i < known->count; i++)
        if (known->service[i] > known->service[longest])
            longest = i;
    if (known->count > 1)
        known->mean -= ((double)known->service[longest] - known->mean) / (known->count - 1);
    known->service[longest] = (float)known->mean;
    known->way[longest] = (float)(known->mean + known->base);
}

struct robo__pace robo__traffic_pace(const struct robo__traffic *t, uint32_t known)
{
    struct known all;
    if (t->count == 0 || known == 0)
        return (struct robo__pace){ 0 };
    look(t, known, &all);
    return (struct robo__pace){ all.mean, all.base };
}

bool robo__traffic_differs(const struct robo__traffic *t, uint32_t newest)
{
    float before = 0, now = 0;
    if (newest >= t->count)
        return false;
    for (uint32_t i = 0; i < t->count; i++) {
        const struct robo__passage *p = at(t, i);
        float service = p->gap < p->way || p->train ? p->gap : p->way,
              *longest = i < newest ? &now : &before;
        if (service > *longest)
            *longest = service;
    }
    return now > before * ROOM + SLACK;
}

/* Blocks of known passages, in the order of their arrival. */
struct draw {
    const struct known *known;
    uint32_t start[ROBO__PASSAGES], starts; /* of the blocks of this run */
    uint32_t block, at, left;
};

static uint32_t below(struct robo__random *random, uint32_t n)
{
    return (uint32_t)((robo__random_u64(random) >> 32) * n >> 32);
}

/* Other blocks for each run: so the runs also differ because the known passages are only a sample. */
static void shuffle(struct draw *d, struct robo__random *random)
{
    uint32_t n = d->known->count;
    d->block = n / BLOCK_SHARE < BLOCK ? n / BLOCK_SHARE + 1 : BLOCK;
    d->starts = (n + d->block - 1) / d->block;
    for (uint32_t i = 0; i < d->starts; i++)
        d->start[i] = below(random, n);
    d->left = 0;
}

static uint32_t next(struct draw *d, struct robo__random *random)
{
    if (d->left-- == 0) {
        d->left = d->block - 1;
        d->at = d->start[below(random, d->starts)];
    }
    uint32_t i = d->at++;
    return i < d->known->count ? i : i % d->known->count;
}

/* The greatest lateness of one run. */
static double run(struct draw *d, const struct robo__outlook *o, uint32_t packages,
                  struct robo__random *random)
{
    const struct known *known = d->known;
    double way = o->way, lag = o->lateness - o->way, greatest = -HUGE_VAL;
    for (uint32_t i = 0; i < packages; i++) {
        way -= o->send_gap;
        lag += o->send_gap - o->start_gap;
        way = way > known->base ? way + known->service[next(d, random)]
                                : known->way[below(random, known->count)];
        if (i == 0 && way < o->overdue)
            way = o->overdue;
        if (way + lag > greatest)
            greatest = way + lag;
    }
    return greatest;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double robo__traffic_need(const struct robo__traffic *t, const struct robo__outlook *o,
                          double certainty, uint64_t seed)
{
    struct known known;
    struct draw draw = { .known = &known };
    struct robo__random random;
    double result[RUNS_MOST] = { 0 };
    if (t->count == 0 || o->known == 0 || !(o->rest >= 1))
        return 0;
    look(t, o->known, &known);
    if (o->accident)
        forget_longest(&known);
    robo__random_seed(&random, seed);
    uint32_t most = STEPS / RUNS_LEAST, packages = o->rest < most ? (uint32_t)o->rest : most;
    uint32_t runs = STEPS / packages < RUNS_MOST ? STEPS / packages : RUNS_MOST;
    for (uint32_t i = 0; i < runs; i++) {
        shuffle(&draw, &random);
        result[i] = run(&draw, o, packages, &random);
    }
    qsort(result, runs, sizeof result[0], by_size);
    double place = ceil(certainty * runs) - 1;
    double need = result[place < 0 ? 0 : place < runs ? (uint32_t)place : runs - 1];
    /* beyond the bound of steps the drift is extrapolated */
    double gap = known.mean > o->send_gap ? known.mean : o->send_gap;
    double drift = gap - o->start_gap;
    return need + (drift > 0 ? drift * (o->rest - packages) : 0);
}
