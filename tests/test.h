/* A test stands in its file as TEST(its_name) { ... }, and is listed by that: `unit FILE` and `net FILE` run the tests of a file from
 * its top to its end. FIXTURE(begin, end) names what runs before and after each test of the file, ONCE(begin, end) what runs before
 * the first and after the last; one of a pair may be NULL. TEST(its_name, begin, end) has its own in place of the file's,
 * TEST(its_name, NULL) none. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants these four before it */
#include <cmocka.h>

struct test_pair {
    CMFixtureFunction begin, end;
};

/* of a file that names none, both are empty */
static const struct test_pair test_fixture, test_once;

struct test {
    struct CMUnitTest unit;
    const char *file;
    int line;
    const struct test_pair *fixture, *once;
};

void test_add(const struct test *test); /* program.c */

#define FIXTURE(...) static const struct test_pair test_fixture = { __VA_ARGS__ }
#define ONCE(...)    static const struct test_pair test_once = { __VA_ARGS__ }

#define TEST(name, ...)                                                              \
    static void test_##name(void **state);                                           \
    __attribute__((constructor)) static void test_##name##_added(void)               \
    {                                                                                \
        static const struct test_pair test_own[] = { { __VA_ARGS__ } };              \
        test_add(&(struct test){ { #name, test_##name, NULL, NULL, NULL },           \
                                 __FILE__,                                           \
                                 __LINE__,                                           \
                                 sizeof #__VA_ARGS__ > 1 ? test_own : &test_fixture, \
                                 &test_once });                                      \
    }                                                                                \
    static void test_##name(void **state)
