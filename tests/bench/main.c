/* robotalk-bench: the budgets of the design, each beside its limit in the same run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench.h"

void samples_add(struct samples *s, double ns)
{
    if (s->count == s->size) {
        s->size = s->size ? 2 * s->size : 1024;
        s->value = realloc(s->value, s->size * sizeof *s->value);
        if (!s->value)
            abort();
    }
    s->value[s->count++] = ns;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double samples_quantile(struct samples *s, double q)
{
    if (s->count == 0)
        return 0;
    qsort(s->value, s->count, sizeof *s->value, by_size);
    size_t i = (size_t)(q * (double)s->count);
    return s->value[i < s->count ? i : s->count - 1];
}

void samples_free(struct samples *s)
{
    free(s->value);
    *s = (struct samples){ 0 };
}

double ratio_of(double ours, double limit)
{
    return ours > 0 && limit > 0 ? ours / limit : NAN;
}

void row_fill(struct row *row, struct samples *ours, struct samples *limit)
{
    static const double quantile[3] = { 0.5, 0.99, 0.999 };
    for (int i = 0; i < 3; i++) {
        row->ours[i] = samples_quantile(ours, quantile[i]);
        row->limit[i] = samples_quantile(limit, quantile[i]);
    }
}

void row_report(struct row *row, reporter *report, struct samples *ours, struct samples *limit)
{
    static const char *const name[3] = { "p50", "p99", "p99.9" };
    row_fill(row, ours, limit);
    row->blocks = 1;
    row->samples = ours->count;
    for (int i = 0; i < 3; i++)
        if (strcmp(row->of, name[i]) == 0)
            row->ratio = ratio_of(row->ours[i], row->limit[i]);
    report(row);
    samples_free(ours);
    samples_free(limit);
}

/* ---- trials ---- */

static const struct {
    const char *name;
    double of;
} quantiles[] = {
    { "min", 0 }, { "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 }, { "p99.9", 0.999 }
};

static double quantile_of(const char *name)
{
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++)
        if (strcmp(quantiles[i].name, name) == 0)
            return quantiles[i].of;
    abort();
}

void trial_block(struct trial *t)
{
    if (t->blocks == BLOCKS_MOST)
        abort();
    t->end[t->blocks][0] = t->ours.count;
    t->end[t->blocks++][1] = t->limit.count;
}

static double part_quantile(const struct samples *s, size_t begin, size_t end, double q)
{
    struct samples part = { .value = s->value + begin, .count = end - begin };
    return samples_quantile(&part, q);
}

/* Of all blocks; their samples stay in order of blocks. */
static void copy_quantiles(const struct samples *s, double out[3])
{
    static const double quantile[3] = { 0.5, 0.99, 0.999 };
    struct samples copy = { 0 };
    for (size_t i = 0; i < s->count; i++)
        samples_add(&copy, s->value[i]);
    for (int i = 0; i < 3; i++)
        out[i] = samples_quantile(&copy, quantile[i]);
    samples_free(&copy);
}

void trial_report(struct trial *t, struct row *row, reporter *report)
{
    const double q = quantile_of(row->of);
    struct samples ratio = { 0 };
    bool complete = t->blocks > 0;
    size_t at[2] = { 0 };
    for (size_t i = 0; i < t->blocks; i++) {
        double ours = part_quantile(&t->ours, at[0], t->end[i][0], q);
        double limit = part_quantile(&t->limit, at[1], t->end[i][1], q);
        complete = complete && !isnan(ratio_of(ours, limit));
        samples_add(&ratio, ours / limit);
        at[0] = t->end[i][0], at[1] = t->end[i][1];
    }
    copy_quantiles(&t->ours, row->ours);
    copy_quantiles(&t->limit, row->limit);
    row->ratio = complete ? samples_quantile(&ratio, 0.5) : NAN;
    row->least = complete ? ratio.value[0] : NAN;
    row->most = complete ? ratio.value[ratio.count - 1] : NAN;
    row->blocks = t->blocks;
    row->samples = t->ours.count;
    row->lost = t->lost;
    report(row);
    samples_free(&ratio);
}

void trial_free(struct trial *t)
{
    samples_free(&t->ours);
    samples_free(&t->limit);
    *t = (struct trial){ 0 };
}

static const struct {
    const char *name;
    void (*run)(reporter *report);
} benches[] = {
    { "start", bench_start },
    { "direct", bench_direct },
    { "frame", bench_frame },
    { "rctp", bench_rctp },
    { "player", bench_player },
    { "gamebots", bench_gamebots },
    { "lateness", bench_lateness },
    { "robots", bench_robots },
    { "panic", bench_panic },
    { "neighbour", bench_neighbour },
    { "crowd", bench_crowd },
    { "queue", bench_queue },
    { "pipeline", bench_pipeline },
    { "kinematics", bench_kinematics },
    { "ordering", bench_ordering },
    { "steady", bench_steady },
    { "ffi", bench_ffi },
    { "tls", bench_tls },
    { "scripts", bench_scripts },
    { "readings", bench_readings },
    { "pictures", bench_pictures },
    { "rcml", bench_rcml },
    { "network", bench_network },
    { "slow", bench_slow },
    { "physics", bench_physics },
    { "cameras", bench_cameras },
    { "world", bench_world },
    { "python", bench_python },
    { "servos", bench_servos },
    { "record", bench_record },
    { "websocket", bench_websocket },
};
enum { BENCHES = sizeof benches / sizeof benches[0] };

static bool measured(const struct row *r)
{
    return r->lost > 0 || !isnan(r->ratio);
}

static bool reached(const struct row *r)
{
    return r->lost == 0 && (r->more_is_better ? r->ratio >= r->goal : r->ratio <= r->goal);
}

static void print_text(const struct row *r)
{
    char ratio[32] = "-";
    if (!isnan(r->ratio))
        snprintf(ratio, sizeof ratio, "%.3g", r->ratio);
    printf("%-46s %9.2f %9.2f %9.2f  %9.2f %9.2f %9.2f  %-2s %8s %s%-6.3g %-5s %s\n", r->what,
           r->ours[0], r->ours[1], r->ours[2], r->limit[0], r->limit[1], r->limit[2], r->unit,
           ratio, r->more_is_better ? ">=" : "<=", r->goal, r->of,
           !measured(r) ? "not measured"
           : reached(r) ? "reached"
                        : "NOT REACHED");
    if (r->blocks > 1 && !isnan(r->ratio))
        printf("%48s%zu blocks: %.3g to %.3g; %zu samples\n", "", r->blocks, r->least, r->most,
               r->samples);
    if (r->lost > 0)
        printf("%48s%ld lost\n", "", r->lost);
    fflush(stdout);
}

static int printed;

/* A member of a JSON record; what is no number of JSON, as NaN, is null. */
static void print_number(const char *before, double x)
{
    if (isfinite(x))
        printf("%s%.17g", before, x);
    else
        printf("%snull", before);
}

static void print_three(const char *before, const double x[3])
{
    printf("%s", before);
    print_number("{\"p50\":", x[0]);
    print_number(",\"p99\":", x[1]);
    print_number(",\"p999\":", x[2]);
    printf("}");
}

static void print_json(const struct row *r)
{
    printf("%s{\"name\":\"%s\",\"what\":\"%s\",\"unit\":\"%s\"", printed++ ? "," : "[", r->name,
           r->what, r->unit);
    print_three(",\"ours\":", r->ours);
    print_three(",\"limit\":", r->limit);
    print_number(",\"ratio\":", r->ratio);
    printf(",\"of\":\"%s\"", r->of);
    print_number(",\"goal\":", r->goal);
    print_number(",\"least\":", r->least);
    print_number(",\"most\":", r->most);
    printf(",\"blocks\":%zu,\"samples\":%zu,\"lost\":%ld", r->blocks, r->samples, r->lost);
    printf(",\"reached\":%s}", !measured(r) ? "null" : reached(r) ? "true" : "false");
}

static bool json;
static int rows, good, unmeasured;

static void count_and_print(const struct row *r)
{
    rows++;
    good += measured(r) && reached(r);
    unmeasured += !measured(r);
    (json ? print_json : print_text)(r);
}

/* A benchmark without a single row could not run; the reason is on stderr. */
static void run(int i)
{
    const int before = rows;
    if (isatty(2))
        fprintf(stderr, "\r%s … ", benches[i].name);
    benches[i].run(count_and_print);
    if (rows == before)
        count_and_print(&(struct row){
            .name = benches[i].name, .what = benches[i].name, .unit = "", .of = "", .ratio = NAN });
}

static int usage(FILE *f, int status)
{
    fprintf(
        f,
        "usage: robotalk-bench [NAME …] [--json]\n\nThe benchmarks, each beside its limit in the same run:");
    for (int i = 0; i < BENCHES; i++)
        fprintf(f, " %s", benches[i].name);
    fprintf(
        f,
        ".\nExample: robotalk-bench direct queue\nExit codes: 0 all were measured, whether goals are reached or "
        "not; 1 some were not measured; 2 wrong usage\n");
    return status;
}

int main(int argc, char **argv)
{
    bool chosen[BENCHES] = { false }, any = false;
    for (int i = 1; i < argc; i++) {
        int k = 0;
        while (k < BENCHES && strcmp(argv[i], benches[k].name) != 0)
            k++;
        if (k < BENCHES)
            chosen[k] = any = true;
        else if (strcmp(argv[i], "--json") == 0)
            json = true;
        else if (strcmp(argv[i], "--help") == 0)
            return usage(stdout, 0);
        else
            return usage(stderr, 2);
    }
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    if (!json)
        printf("%-46s %29s  %29s\n%-46s %9s %9s %9s  %9s %9s %9s  %-2s %8s %-8s %s\n", "", "ours",
               "limit", "", "p50", "p99", "p99.9", "p50", "p99", "p99.9", "", "ratio", "goal",
               "of");
    for (int i = 0; i < BENCHES; i++)
        if (!any || chosen[i])
            run(i);
    if (json)
        printf(printed ? "]\n" : "[]\n");
    else if (unmeasured > 0)
        printf("%d of %d reached, %d not measured\n", good, rows, unmeasured);
    else
        printf("%d of %d reached\n", good, rows);
    return unmeasured > 0;
}
