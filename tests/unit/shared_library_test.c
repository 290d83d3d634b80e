/* Libraries that are loaded when they are first used: what is missing is told in words. */
#include <string.h>

#include "base/shared_library.h"
#include "fixture_core.h"

static const struct robo__shared_library C_LIBRARY = { "tests need C", "libc.so.6", "libc6" };
static char failure[256];

TEST(its_functions_are_found)
{
    size_t (*length)(const char *) = NULL;
    const struct robo__shared_function wanted[] = { { "strlen", &length } };
    strcpy(failure, "of before");
    robo__shared_library_load(&C_LIBRARY, wanted, 1, failure);
    assert_string_equal(failure, "");
    assert_non_null(length);
    assert_int_equal(length("four"), 4);
}

TEST(a_function_that_it_has_not_is_named)
{
    size_t (*length)(const char *) = NULL;
    void (*none)(void) = NULL;
    const struct robo__shared_function wanted[] = { { "strlonger", &none }, { "strlen", &length } };
    robo__shared_library_load(&C_LIBRARY, wanted, 2, failure);
    assert_string_equal(failure, "tests need C: libc.so.6 has no strlonger");
}

TEST(a_library_that_is_not_there_is_told_with_its_package)
{
    static const struct robo__shared_library nowhere = { "tests need nothing", "libnowhere.so.0",
                                                         "nowhere0" };
    void (*none)(void) = NULL;
    const struct robo__shared_function wanted[] = { { "f", &none } };
    robo__shared_library_load(&nowhere, wanted, 1, failure);
    static const char start[] = "tests need nothing (apt-get install nowhere0): ";
    assert_memory_equal(failure, start, strlen(start));
    assert_non_null(strstr(failure, "libnowhere.so.0"));
    assert_null(none);
}
