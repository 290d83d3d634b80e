/* The robot of a test of the physics: it is made as a test wants it, and then put into a world of its own. */
#pragma once

#include "physics_robot.h"

static struct robo_description body;

UNUSED static void open_it(void)
{
    open_world_with(&VIRTUAL, NULL, &body);
}

/* With sensors: a description that is not sound has no kinematics, and they would tell nothing. */
UNUSED static void open_sensing(const struct robo_options *options)
{
    char why[128] = "";
    if (robo_description_check(&body, why) < 0)
        fail_msg("%s", why);
    open_world_with(options, NULL, &body);
}

UNUSED static int close_it(void **state)
{
    close_world();
    return 0;
}
