/* Libraries that are loaded when they are first used: what is missing is told in words. */
#include <string.h>

#include "base/shared_library.h"
#include "fixture_core.h"

static char why[256];
static int begun;

static int load(const char *needs, const char *file, const char *package,
                const struct robo__shared_function *functions, size_t count)
{
    struct robo__shared_library library = { needs,     file,  package,
                                            functions, count, .once = PTHREAD_ONCE_INIT };
    return robo__shared_library_load(&library, why);
}

TEST(its_functions_are_found)
{
    size_t (*length)(const char *) = NULL;
    const struct robo__shared_function wanted[] = { { "strlen", &length } };
    assert_int_equal(load("tests need C", "libc.so.6", "libc6", wanted, 1), 0);
    assert_non_null(length);
    assert_int_equal(length("four"), 4);
}

static void begin(char failure[256])
{
    if (begun++ == 0)
        strcpy(failure, "not today");
}

TEST(its_use_begins_once_and_the_failure_lasts)
{
    struct robo__shared_library library = {
        "tests need C", "libc.so.6", "libc6", NULL, 0, begin, .once = PTHREAD_ONCE_INIT
    };
    assert_int_equal(robo__shared_library_load(&library, why), ROBO_ESYSTEM);
    assert_string_equal(why, "not today");
    assert_int_equal(robo__shared_library_load(&library, NULL), ROBO_ESYSTEM);
    assert_int_equal(begun, 1);
}

TEST(a_function_that_it_has_not_is_named)
{
    size_t (*length)(const char *) = NULL;
    void (*none)(void) = NULL;
    const struct robo__shared_function wanted[] = { { "strlonger", &none }, { "strlen", &length } };
    assert_int_equal(load("tests need C", "libc.so.6", "libc6", wanted, 2), ROBO_ESYSTEM);
    assert_string_equal(why, "tests need C: libc.so.6 has no strlonger");
}

TEST(a_library_that_is_not_there_is_told_with_its_package)
{
    void (*none)(void) = NULL;
    const struct robo__shared_function wanted[] = { { "f", &none } };
    assert_int_equal(load("tests need nothing", "libnowhere.so.0", "nowhere0", wanted, 1),
                     ROBO_ESYSTEM);
    static const char start[] = "tests need nothing (apt-get install nowhere0): ";
    assert_memory_equal(why, start, strlen(start));
    assert_non_null(strstr(why, "libnowhere.so.0"));
    assert_null(none);
}
