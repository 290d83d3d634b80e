/* Any bytes as the goal of a trajectory for a robot with a joint of two dofs and one of one: what is taken has times that grow, and can be looked at at
 * any of them. */
#include <stdlib.h>

#include "dds/trajectory.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    static struct robo_joint joint[] = { { .name = "head", .first = 0, .dofs = 2 },
                                         { .name = "jaw", .first = 2, .dofs = 1 } };
    static struct robo_dof dof[] = { { .name = "pan" }, { .name = "tilt" }, { .name = "jaw" } };
    static const double start[3];
    struct robo_description d = { .name = "r", .joints = 2, .dofs = 3, .joint = joint, .dof = dof };
    struct robo__ros_trajectory t;
    struct robo__ros_in reader;
    double position[3], velocity[3];
    char text[160];
    uint8_t *bytes = malloc(n); /* its end is known to the sanitizer */
    memcpy(bytes, in, n);
    robo__ros_open(&reader, bytes, n,
                   robo__ros_message("control_msgs/action/FollowJointTrajectory_Goal"));
    const char *why = robo__ros_trajectory_read(&t, &reader, &d, text);
    if (robo__ros_close(&reader) && !why) {
        if (t.dofs == 0 || t.dofs > 3 || t.points == 0)
            abort();
        for (unsigned i = 0; i < t.points; i++) {
            if (t.time[i] < 0 || (i > 0 && t.time[i] <= t.time[i - 1]))
                abort();
            robo__ros_trajectory_at(&t, start, t.time[i], position, velocity);
            for (unsigned k = 0; k < t.dofs; k++)
                if (position[k] != t.position[(size_t)i * t.dofs + k])
                    abort();
            robo__ros_trajectory_at(&t, start, t.time[i] - 1, position, velocity);
        }
    }
    robo__ros_trajectory_free(&t);
    free(bytes);
    return 0;
}
