/* A gripper with beams as Player's clients see it, to the byte: spec/player.md has the layouts, and p2os and Stage the bits of its
 * beams (4 the outer one, 8 the inner one). */
#include "fixture_player.h"

#include "../base_robot.h"

enum { GRIPPER = ROBO__PLAYER_GRIPPER };

/* A ball of 3 cm lies 0.5 m ahead. Fingers of 0.125 x 0.0625 x 0.03125 m, whose mesh says no size, open to 0.25 m; beams at 0.45 m and 0.5 m. */
static int begin_hand(void **state)
{
    static struct robo_sensor sensor[] = {
        { .name = "grip", .kind = "gripper", .link = 1, .low = 0, .high = 0.25 },
        { .name = "outer",
          .kind = "beam",
          .position = { 0.5, 0.125, 0.03 },
          .attitude = { 0, 0, -M_PI / 2 },
          .high = 0.25 },
        { .name = "inner",
          .kind = "beam",
          .position = { 0.45, 0.125, 0.03 },
          .attitude = { 0, 0, -M_PI / 2 },
          .high = 0.25 },
    };
    static struct robo_link link[] = { { .name = "base" }, { .name = "finger" } };
    static struct robo_shape shape[] = {
        { .kind = ROBO_SHAPE_BOX, .link = 1, .size = { 0.125, 0.0625, 0.03125 } },
        { .kind = ROBO_SHAPE_MESH, .link = 1, .size = { 1, 1, 1 }, .position = { 2, 2, 2 } },
    };
    static struct robo_dof dof = { .name = "width",
                                   .kind = ROBO_PRISMATIC,
                                   .axis = { 0, 1, 0 },
                                   .high = 0.125,
                                   .speed = 0.2,
                                   .acceleration = 2 };
    static struct robo_joint joint[] = {
        { .name = "root", .parent = ROBO_WORLD },
        { .name = "claw",
          .child = 1,
          .dofs = 1,
          .servo = ROBO_SERVO_SETPOINT,
          .inboard = { 0.4375, 0, 0.03125 },
          .rest = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } },
    };
    const struct robo_thing ball = { .shape = ROBO_SHAPE_SPHERE,
                                     .size = { 0.03 },
                                     .position = { 0.5, 0, 0.03 } };
    struct robo_description d = base_robot("hand", "sim");
    d.links = d.joints = 2;
    d.link = link;
    d.joint = joint;
    d.dofs = 1;
    d.dof = &dof;
    d.shapes = 2;
    d.shape = shape;
    d.sensors = 3;
    d.sensor = sensor;
    open_stage(&d, &ball);
    return 0;
}

/* The body of the newest message of the gripper, as hex. */
static const char *body_of(struct client *c)
{
    static char text[512];
    size_t at = c->read, from = 0, n = 0;
    struct robo__player_header h = { .size = 0 };
    const char *why;
    while (c->count - at >= ROBO__PLAYER_HEADER) {
        assert_true(robo__player_get_header(c->got + at, &h, &why));
        if (h.interf == GRIPPER)
            from = at + ROBO__PLAYER_HEADER, n = h.size;
        at += ROBO__PLAYER_HEADER + h.size;
    }
    c->read = at;
    assert_true(from > 0);
    text[0] = 0;
    for (size_t i = 0; i < n; i++)
        sprintf(text + strlen(text), "%s%02x", i > 0 && i % 4 == 0 ? " " : "", c->got[from + i]);
    return text;
}

FIXTURE(begin_hand, end);

TEST(its_state_and_its_beams_are_told)
{
    struct client c;
    join(&c);
    subscribe(&c, GRIPPER, 0);
    pass(0.3);
    assert_string_equal(body_of(&c), "00000002 00000004 00000000"); /* closed around the ball */
    say(&c, GRIPPER, 0, CMD, 1, EMPTY);
    pass(0.3);
    assert_string_equal(body_of(&c), "00000003 00000004 00000000"); /* moving */
    pass(1);
    assert_string_equal(body_of(&c), "00000001 00000004 00000000"); /* open */
    assert_int_equal(robo_surround(world, NULL, 0), 0);             /* the ball goes */
    say(&c, GRIPPER, 0, CMD, 2, EMPTY);
    pass(0.3);
    say(&c, GRIPPER, 0, CMD, 3, EMPTY);
    pass(1);
    /* between its ends, with nothing there: an error, as p2os says */
    assert_string_equal(body_of(&c), "00000004 00000000 00000000");
    leave(&c);
}

TEST(fingers_that_stop_around_something_are_closed)
{
    struct client c;
    join(&c);
    subscribe(&c, GRIPPER, 0);
    say(&c, GRIPPER, 0, CMD, 1, EMPTY);
    pass(0.3);
    say(&c, GRIPPER, 0, CMD, 3, EMPTY);
    pass(1);
    assert_string_equal(body_of(&c), "00000002 00000004 00000000");
    leave(&c);
}

/* Its pose, 0.4375, 0, 0.03125; outside 0.375 wide, 0.125 long and 0.03125 m high, inside 0.25 m wide; two beams, room for nothing:
 * doubles as IEEE 754 has them. */
TEST(its_geometry_is_told)
{
    struct client c;
    join(&c);
    say(&c, GRIPPER, 0, REQ, 1, EMPTY);
    assert_string_equal(body_of(&c), "3fdc0000 00000000 00000000 00000000 3fa00000 00000000"
                                     " 00000000 00000000 00000000 00000000 00000000 00000000"
                                     " 3fd80000 00000000 3fc00000 00000000 3fa00000 00000000"
                                     " 3fd00000 00000000 3fc00000 00000000 3fa00000 00000000"
                                     " 00000002 00000000");
    leave(&c);
}

TEST(nothing_can_be_stored)
{
    struct client c;
    join(&c);
    for (unsigned subtype = 4; subtype <= 5; subtype++) {
        say(&c, GRIPPER, 0, CMD, subtype, EMPTY); /* a command has no reply */
        const struct came *m =
            (say(&c, GRIPPER, 0, REQ, 255, NUMBERS(CMD, subtype)), expect(&c, GRIPPER, NACK, 255));
        assert_int_equal(m->header.size, 0);
    }
    leave(&c);
}
