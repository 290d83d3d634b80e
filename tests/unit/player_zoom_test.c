/* A camera that zooms, for a client of Player: the third number of ptz is its field of view. */
#include "fixture_player.h"

#include "../described.h"
#include "../zoom_robot.h"
#include "player/connection.h"
#include "drivers.h"

static int begin_zoomer(void **state)
{
    const struct robo_options options = virtual_options(1);
    forget_log();
    world = robo_open(&options);
    assert_non_null(world);
    assert_int_equal(robo_add_driver(world, &robo_sim_driver), 0);
    add_zoom_robot(world);
    robo__host_init(&host, world, NULL);
    return 0;
}

static void is_near(double x, double wanted)
{
    if (fabs(x - wanted) > 1e-6)
        fail_msg("%g, not %g", x, wanted);
}

FIXTURE(begin_zoomer, end);

TEST(its_field_of_view_is_set_and_told)
{
    struct client c;
    join(&c);
    subscribe(&c, PTZ, 0);
    pass(0.2);
    is_near(newest(&c, PTZ)->body.value[2], 0.850000023841858); /* a float's 0.85 */
    say(&c, PTZ, 0, CMD, 1, NUMBERS(0.5, 0, 0.25, 0, 0));
    pass(2);
    const struct came *m = newest(&c, PTZ);
    is_near(m->body.value[0], 0.5);
    is_near(m->body.value[2], 0.25);
    say(&c, PTZ, 0, CMD, 1, NUMBERS(-0.5, 0, 0, 0, 0)); /* 0: as it is */
    pass(2);
    m = newest(&c, PTZ);
    is_near(m->body.value[0], -0.5);
    is_near(m->body.value[2], 0.25);
    leave(&c);
}

/* Another thread reloads the robot while a message is worked on: the numbers of the message's device are the old ones then. */
TEST(a_reload_within_a_message_moves_no_other_joint)
{
    struct client c;
    struct robo__player_target t;
    struct robo_state seen;
    const struct robo__player_header header = { .type = CMD, .subtype = 1 };
    const struct robo__player_body body = { .values = 5, .value = { 0.5 } };
    robo_robot *zoomer = robo_find(world, "zoomer");
    join(&c);
    subscribe(&c, PTZ, 0);
    robo__reading_begin();
    assert_true(robo__player_find(c.conn.state, PTZ, 0, &t));
    struct robo_description d = *described(zoomer);
    struct robo_link link[3] = { d.link[0], d.link[1], { .name = "tip" } };
    struct robo_dof dof[3] = { d.dof[0], d.dof[0], d.dof[1] };
    struct robo_joint joint[3] = { d.joint[0], d.joint[1], d.joint[1] };
    strcpy(joint[1].name, "tail");
    joint[1].child = 2;
    joint[1].dofs = 1;
    joint[2].first = 1;
    strcpy(dof[0].name, "wag");
    d.links = d.joints = d.dofs = 3;
    d.link = link;
    d.joint = joint;
    d.dof = dof;
    assert_int_equal(robo_reload(zoomer, &d, NULL), 0);
    robo__player_command(c.conn.state, &t, &header, &body, robo_now(world));
    robo__reading_end();
    pass(2);
    robo_read(zoomer, &seen, sizeof seen);
    is_near(seen.position[0], 0);
    is_near(seen.position[1], 0.5);
    robo_release(zoomer);
    leave(&c);
}
