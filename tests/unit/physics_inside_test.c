/* Who is put inside of something is told, once. */
#include "physics_body.h"

static struct {
    unsigned warnings;
    char line[256]; /* the last */
} told;

static void listen(void *owner, enum robo_log_level level, const char *line)
{
    if (level != ROBO_LOG_WARNING)
        return;
    told.warnings++;
    snprintf(told.line, sizeof told.line, "%s", line);
}

/* A base on wheels whose body, 0.15 m ahead of its frame, is so much above the floor as its wheels are. */
static void open_base(double height)
{
    struct robo_options options = VIRTUAL;
    options.log = listen;
    told.warnings = 0;
    make_base(&body);
    body.link[0].position[2] = height;
    add_wheel(&body, 0, 0.2, 0);
    add_wheel(&body, 0, -0.2, 0);
    add_caster(&body);
    open_world_with(&options, NULL, &body);
}

/* A box that begins so far ahead of the base's frame. */
static void furnish(double ahead, const char *name)
{
    const struct robo_thing crate = { .name = name,
                                      .shape = ROBO_SHAPE_BOX,
                                      .size = { 0.2, 0.4, 0.4 },
                                      .position = { ahead + 0.1, 0, 0.2 } };
    const struct robo_scenery room = { .size = sizeof room, .thing = &crate, .things = 1 };
    assert_int_equal(robo_furnish(world, &room), 0);
}

FIXTURE(NULL, close_it);

TEST(a_world_that_is_furnished_where_a_robot_stands_says_so)
{
    open_base(0);
    assert_int_equal(told.warnings, 0);
    furnish(0.12, "crate");
    assert_int_equal(told.warnings, 1);
    assert_string_equal(told.line, "physics: body of base begins inside of crate, 30 mm deep: they "
                                   "are thrown apart");
    run_for(0.1);
    assert_int_equal(told.warnings, 1);
}

TEST(things_without_a_name_have_a_number)
{
    open_base(0);
    furnish(0.12, NULL);
    assert_non_null(strstr(told.line, "inside of thing #"));
}

TEST(what_only_touches_is_no_worry)
{
    open_base(0);
    furnish(0.147, "crate"); /* 3 mm: shapes are coarse */
    assert_int_equal(told.warnings, 0);
}

TEST(a_robot_that_is_sunk_into_the_floor_is_told)
{
    open_base(-0.02);
    assert_int_equal(told.warnings, 1);
    assert_string_equal(told.line, "physics: body of base begins inside of the floor, 20 mm deep: "
                                   "they are thrown apart");
}

/* Both are looked at when the world is furnished anew. */
TEST(two_robots_in_one_another_are_told_once)
{
    open_base(0);
    struct robo_description other = body;
    strcpy(other.name, "other");
    other.link[0].position[1] = 0.05;
    assert_int_equal(robo_add(world, &other, NULL), 0);
    assert_int_equal(told.warnings, 1);
    furnish(5, "crate");
    assert_int_equal(told.warnings, 2);
    assert_non_null(strstr(told.line, "of other"));
    assert_non_null(strstr(told.line, "of base"));
}
