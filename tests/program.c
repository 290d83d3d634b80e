/* NAME [ARGUMENT]: runs the tests of that file, to which the argument is its own. */
#include "test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Files that make their list themselves have a main, which is called NAME. */
#define NAME(name) __attribute__((weak)) int name(void);
#include <tests.gen.h>
#undef NAME

static const struct {
    const char *name;
    int (*run)(void);
} files[] = {
#define NAME(name) { #name, name },
#include <tests.gen.h>
};

enum { MOST = 4000 };
static struct test all[MOST];
static size_t count;

const char *test_argument; /* NULL: there is none */

void test_add(const struct test *test)
{
    if (count == MOST)
        abort();
    all[count++] = *test;
}

static int by_line(const void *a, const void *b)
{
    return ((const struct test *)a)->line - ((const struct test *)b)->line;
}

static bool is_of(const struct test *test, const char *name)
{
    const char *file = strrchr(test->file, '/') + 1;
    return strncmp(file, name, strlen(name)) == 0 && strcmp(file + strlen(name), ".c") == 0;
}

static int run_tests_of(const char *name)
{
    static struct CMUnitTest tests[MOST];
    const struct test_pair *once = NULL;
    size_t n = 0;
    qsort(all, count, sizeof all[0], by_line);
    for (size_t i = 0; i < count; i++)
        if (is_of(&all[i], name)) {
            tests[n] = all[i].unit;
            tests[n].setup_func = all[i].fixture->begin;
            tests[n++].teardown_func = all[i].fixture->end;
            once = all[i].once;
        }
    return n == 0 ? 1 : _cmocka_run_group_tests(name, tests, n, once->begin, once->end);
}

int main(int argc, char **argv)
{
    test_argument = argc == 3 ? argv[2] : NULL;
    for (size_t i = 0; (argc == 2 || argc == 3) && i < sizeof files / sizeof files[0]; i++)
        if (strcmp(files[i].name, argv[1]) == 0)
            return files[i].run ? files[i].run() : run_tests_of(argv[1]);
    fprintf(stderr, "usage: %s NAME [ARGUMENT], NAME one of:\n", argv[0]);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        fprintf(stderr, "    %s\n", files[i].name);
    return 2;
}
