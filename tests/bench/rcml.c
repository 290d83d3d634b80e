/* A file of VRML97 that is nearly all points: how fast it is read, beside the goal of 100 MB/s, a loop of strtof and strtol over the
 * same numbers, which keeps nothing but their sum, and memcpy of the file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "base/random.h"
#include "robotalk/rcml.h"

enum { POINTS = 200000, FACES = 100000, TURNS = 11, ROOM = POINTS * 40 + FACES * 40 + 1000 };

/* As exporters write meshes: six decimals, a point a line. */
static size_t make_file(char *text)
{
    struct robo__random r;
    char *p = stpcpy(
        text, "#VRML V2.0 utf8\nShape { geometry IndexedFaceSet {\n coord Coordinate { point [\n");
    robo__random_seed(&r, 1);
    for (int i = 0; i < POINTS; i++) {
        double x[3];
        for (int k = 0; k < 3; k++)
            x[k] = (double)(int64_t)(robo__random_u64(&r) % 4000000) / 1e6 - 2;
        p += sprintf(p, "  %.6f %.6f %.6f,\n", x[0], x[1], x[2]);
    }
    p = stpcpy(p, " ] }\n coordIndex [\n");
    for (int i = 0; i < FACES; i++)
        p += sprintf(p, "  %u, %u, %u, -1,\n", (unsigned)(robo__random_u64(&r) % POINTS),
                     (unsigned)(robo__random_u64(&r) % POINTS),
                     (unsigned)(robo__random_u64(&r) % POINTS));
    p = stpcpy(p, " ] } }\n");
    return (size_t)(p - text);
}

static double speed(size_t bytes, robo_time begin)
{
    return (double)bytes * 1e3 / (double)(now_ns() - begin); /* MB/s */
}

static double read_scene(const char *text, size_t size)
{
    const robo_time begin = now_ns();
    robo_scene *scene = robo_scene_read(text, size, NULL);
    const double result = speed(size, begin);
    const struct robo_scene_part *whole = scene ? robo_scene_whole(scene) : NULL;
    const struct robo_scene_node *faces =
        whole && whole->nodes == 1 ? robo_scene_get(whole->node[0], "geometry")->node[0] : NULL;
    const bool good = faces && robo_scene_errors(scene) == 0 &&
                      robo_scene_get(faces, "coordIndex")->count == 4 * FACES;
    robo_scene_close(scene);
    return good ? result : 0;
}

static volatile double sum;

static double read_numbers(const char *text, size_t size)
{
    const robo_time begin = now_ns();
    double total = 0;
    const char *p = strstr(text, "point [") + sizeof "point [";
    for (int i = 0; i < 3 * POINTS; i++) {
        char *end;
        total += (double)strtof(p, &end);
        p = end + strspn(end, ", \n");
    }
    p = strstr(p, "coordIndex [") + sizeof "coordIndex [";
    for (int i = 0; i < 4 * FACES; i++) {
        char *end;
        total += (double)strtol(p, &end, 10);
        p = end + strspn(end, ", \n");
    }
    sum = total;
    return speed(size, begin);
}

static double copy(char *to, const char *text, size_t size)
{
    const robo_time begin = now_ns();
    memcpy(to, text, size);
    sum = to[size / 2];
    return speed(size, begin);
}

/* goal: times the limit, more is better. */
static void tell(reporter *report, const char *what, double goal, const struct samples *ours,
                 const struct samples *limit)
{
    struct samples a = { 0 }, b = { 0 };
    for (size_t i = 0; i < ours->count; i++) {
        samples_add(&a, ours->value[i]);
        samples_add(&b, limit->value[i]);
    }
    struct row row = { .name = "rcml",
                       .what = what,
                       .unit = "MB/s",
                       .goal = goal,
                       .more_is_better = true,
                       .of = "p50" };
    row_report(&row, report, &a, &b);
}

void bench_rcml(reporter *report)
{
    struct samples ours = { 0 }, wanted = { 0 }, numbers = { 0 }, copies = { 0 };
    char *text = malloc(ROOM), *to = malloc(ROOM);
    if (!text || !to)
        abort();
    const size_t size = make_file(text);
    copy(to, text, size); /* its memory is there */
    for (int i = 0; i < TURNS; i++) {
        samples_add(&ours, read_scene(text, size));
        samples_add(&wanted, 100);
        samples_add(&numbers, read_numbers(text, size));
        samples_add(&copies, copy(to, text, size));
    }
    tell(report, "a scene of points, beside 100 MB/s", 1, &ours, &wanted);
    tell(report, "the same, beside strtof and strtol", 1, &ours, &numbers);
    tell(report, "the same, beside memcpy", 0.01, &ours, &copies);
    samples_free(&ours);
    samples_free(&wanted);
    samples_free(&numbers);
    samples_free(&copies);
    free(text);
    free(to);
}
