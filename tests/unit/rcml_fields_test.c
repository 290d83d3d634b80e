/* A node that is given a field that its type does not have: the names of those that it has are told as far as there is room for
 * them, whatever their lengths are. The address sanitizer looks on. */
#include <stdint.h>

#include <stdio.h>
#include <string.h>

#include "../test.h"
#include "robotalk/rcml.h"

/* What is said of an instance with a field "none" of a PROTO with a name of that length, and then others. */
static void refuse(int length, char said[1024])
{
    char text[2048], name[512];
    memset(name, 'a', (size_t)length);
    name[length] = 0;
    snprintf(
        text, sizeof text,
        "#VRML V2.0 utf8\nPROTO P [ field SFInt32 %s 0 field SFInt32 second 0 field SFInt32 third 0 ] "
        "{ Group { } }\nP { none 1 }\n",
        name);
    robo_scene *scene = robo_scene_read(text, strlen(text), NULL);
    assert_non_null(scene);
    const struct robo_scene_problem *problem = NULL;
    assert_true(robo_scene_problems(scene, &problem) > 0);
    assert_non_null(problem);
    snprintf(said, 1024, "%s", problem->what);
    robo_scene_close(scene);
}

TEST(names_that_have_room_are_told)
{
    char said[1024];
    refuse(1, said);
    assert_non_null(strstr(said, "P has no field none, expected one of a, second, third"));
}

TEST(of_more_than_there_is_room_for_there_are_dots)
{
    char said[1024];
    for (int length = 200; length <= 260; length++) {
        refuse(length, said);
        assert_non_null(strstr(said, "P has no field none, expected "));
        /* 240 bytes, with the dots and a 0 */
        assert_int_equal(strstr(said, "aaa") != NULL, length <= 234);
        if (length == 234)
            assert_string_equal(said + strlen(said) - strlen("a, …"), "a, …");
    }
}
