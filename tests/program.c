/* NAME: runs the tests of that file. */
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

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof tests / sizeof tests[0]; i++)
        if (strcmp(tests[i].name, argv[1]) == 0)
            return tests[i].run();
    fprintf(stderr, "usage: %s NAME, one of:\n", argv[0]);
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        fprintf(stderr, "    %s\n", tests[i].name);
    return 2;
}
