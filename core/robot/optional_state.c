/* The optional parts of a state: forces, goals, and poses of control frames. */
#include "robot.h"

#include <math.h>
#include <stddef.h>

_Static_assert(offsetof(struct robo_reply_state, position) ==
                       offsetof(struct robo_state, position) &&
                   offsetof(struct robo_reply_state, speed) == offsetof(struct robo_state, speed),
               "it begins as a state");

/* The mutex is held. */
static void read_forces(const robo_robot *robot, robo_time now, double *force)
{
    for (size_t i = 0; !robot->port.detached && i < robot->description->devices; i++) {
        const robo_device *device = robot->devices.at[i];
        if (device->driver->forces)
            device->driver->forces(device->state, now, force);
    }
}

/* Of n values, which of them are there, and these. */
static void put(const double *from, unsigned n, uint8_t *known, double *value)
{
    for (unsigned i = 0; i < n; i++) {
        known[i] = isfinite(from[i]);
        value[i] = known[i] ? from[i] : 0;
    }
}

static void put_frames(const struct robo__revision *revision, struct robo_reply_state *state)
{
    const robo_model *model = robo_body_model(revision->body);
    const struct robo_description *d = robo_body_description(revision->body);
    state->frames = model && state->dofs == d->dofs ? d->frames : 0; /* nothing has been read yet */
    for (unsigned i = 0; i < state->frames; i++) {
        struct robo_pose pose;
        double attitude[3];
        robo_frame_pose(model, state->position, i, &pose);
        robo_rotation_to_attitude(pose.rotation, attitude);
        state->x[i] = pose.position[0];
        state->y[i] = pose.position[1];
        state->z[i] = pose.position[2];
        state->roll[i] = attitude[0];
        state->pitch[i] = attitude[1];
        state->yaw[i] = attitude[2];
    }
}

void robo_read_more(robo_robot *robot, unsigned more, struct robo_reply_state *out)
{
    struct robo_state state;
    double force[ROBO_MAX_DOFS];
    struct robo__goals goals;
    for (size_t i = 0; i < ROBO_MAX_DOFS; i++)
        force[i] = NAN;
    robo__goals_clear(&goals);
    robo__reading_begin(); /* the revision stays */
    robo__robot_lock(robot);
    const struct robo__revision *revision = robot->revisions;
    const bool alive = !robot->removed;
    if (alive) {
        robo__robot_read(robot, robo__robot_now(robot), &state);
        if (more & ROBO_MORE_FORCES)
            read_forces(robot, state.time, force);
        if (more & ROBO_MORE_GOALS)
            goals = robot->room->goals;
    }
    robo__robot_unlock(robot);
    if (!alive)
        robo_read(robot, &state, sizeof state);
    robo__state_copy((struct robo_state *)(void *)out, &state);
    out->forces = more & ROBO_MORE_FORCES ? out->dofs : 0;
    out->goals = more & ROBO_MORE_GOALS ? out->dofs : 0;
    out->frames = 0;
    put(force, out->forces, out->known, out->force);
    put(goals.at, out->goals, out->aimed, out->goal);
    if (more & ROBO_MORE_FRAMES)
        put_frames(revision, out);
    robo__reading_end();
}
