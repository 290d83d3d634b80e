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
    for (int i = 0; i < 3; i++)
        if (strcmp(row->of, name[i]) == 0)
            row->ratio = row->limit[i] > 0 ? row->ours[i] / row->limit[i] : 0;
    report(row);
    samples_free(ours);
    samples_free(limit);
}

static const struct {
    const char *name;
    void (*run)(reporter *report);
} benches[] = {
    { "direct", bench_direct },
    { "frame", bench_frame },
    { "lateness", bench_lateness },
    { "panic", bench_panic },
    { "neighbour", bench_neighbour },
    { "queue", bench_queue },
    { "pipeline", bench_pipeline },
    { "kinematics", bench_kinematics },
    { "ordering", bench_ordering },
    { "steady", bench_steady },
    { "ffi", bench_ffi },
    { "tls", bench_tls },
};
enum { BENCHES = sizeof benches / sizeof benches[0] };

static bool reached(const struct row *r)
{
    return r->more_is_better ? r->ratio >= r->goal : r->ratio <= r->goal;
}

static void print_text(const struct row *r)
{
    printf("%-46s %9.2f %9.2f %9.2f  %9.2f %9.2f %9.2f  %-2s %8.3g %s%-6.3g %-5s %s\n", r->what,
           r->ours[0], r->ours[1], r->ours[2], r->limit[0], r->limit[1], r->limit[2], r->unit,
           r->ratio, r->more_is_better ? ">=" : "<=", r->goal, r->of,
           reached(r) ? "reached" : "NOT REACHED");
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
    printf(",\"reached\":%s}", reached(r) ? "true" : "false");
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
        ".\nExample: robotalk-bench direct queue\nExit codes: 0 they ran, whether goals are reached or not; 1 they "
        "could not; 2 wrong usage\n");
    return status;
}

int main(int argc, char **argv)
{
    bool json = false, chosen[BENCHES] = { false }, any = false;
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
    for (int i = 0; i < BENCHES; i++) {
        if (any && !chosen[i])
            continue;
        if (isatty(2))
            fprintf(stderr, "\r%s … ", benches[i].name);
        benches[i].run(json ? print_json : print_text);
    }
    if (json)
        printf(printed ? "]\n" : "[]\n");
    return 0;
}
