/* NAME [ARGUMENT]: runs the tests of that file, to which the argument is its own. */
#include <stdio.h>
#include <string.h>

#define TEST(name) int name(void);
#include <tests.gen.h>
#undef TEST

static const struct {
    const char *name;
    int (*run)(void);
} tests[] = {
#define TEST(name) { #name, name },
#include <tests.gen.h>
};

const char *test_argument; /* NULL: there is none */

int main(int argc, char **argv)
{
    test_argument = argc == 3 ? argv[2] : NULL;
    for (size_t i = 0; (argc == 2 || argc == 3) && i < sizeof tests / sizeof tests[0]; i++)
        if (strcmp(tests[i].name, argv[1]) == 0)
            return tests[i].run();
    fprintf(stderr, "usage: %s NAME [ARGUMENT], NAME one of:\n", argv[0]);
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        fprintf(stderr, "    %s\n", tests[i].name);
    return 2;
}
