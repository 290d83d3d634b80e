/* The optional parts of a state: forces, and poses of control frames. */
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

static void put_forces(const double *force, struct robo_reply_state *state)
{
    state->forces = state->dofs;
    for (unsigned i = 0; i < state->dofs; i++) {
        state->known[i] = isfinite(force[i]);
        state->force[i] = state->known[i] ? force[i] : 0;
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
    for (size_t i = 0; i < ROBO_MAX_DOFS; i++)
        force[i] = NAN;
    robo__reading_begin(); /* the revision stays */
    robo__robot_lock(robot);
    const struct robo__revision *revision = robot->revisions;
    const bool alive = !robot->removed;
    if (alive) {
        robo__robot_read(robot, robo__robot_now(robot), &state);
        if (more & ROBO_MORE_FORCES)
            read_forces(robot, state.time, force);
    }
    robo__robot_unlock(robot);
    if (!alive)
        robo_read(robot, &state, sizeof state);
    robo__state_copy((struct robo_state *)(void *)out, &state);
    out->forces = out->frames = 0;
    if (more & ROBO_MORE_FORCES)
        put_forces(force, out);
    if (more & ROBO_MORE_FRAMES)
        put_frames(revision, out);
    robo__reading_end();
}
