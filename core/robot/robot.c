/* The monitor: a robot's life, its mutex, its state, and answers to commands that never begin. */
#include "robot.h"
#include "step.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "body/description.h"
#include "base/linear.h"
#include "base/mutex.h"
#include "base/time.h"
#include "base/sized.h"
#include "robot/sessions/playback.h"
#include "robotalk/description.h"

robo_time robo__robot_now(const robo_robot *robot)
{
    return robo_now(robot->member.world);
}

struct robo__alarm robo__robot_alarm(const robo_robot *robot)
{
    return atomic_load(&robot->alarm);
}

/* Adds the panic to a state from the devices or the snapshot. */
static void put_alarm(struct robo__alarm alarm, struct robo_state *state)
{
    state->epoch = alarm.epoch;
    state->panic = (uint8_t)alarm.panic;
}

void robo__robot_lock(robo_robot *robot)
{
    pthread_mutex_lock(&robot->mutex);
}

robo_time robo__robot_next_due(const robo_robot *robot)
{
    if (robot->port.detached)
        return ROBO_NEVER;
    robo_time next = robo__queue_head(&robot->timeline.queue);
    for (size_t i = 0; i < robot->description->devices; i++)
        if (robot->devices.at[i]->next < next)
            next = robot->devices.at[i]->next;
    for (size_t i = 0; i < ROBO__STAGES; i++) {
        robo_time due = robot->axes.stage[i]->kind->due(robot->axes.stage[i]);
        if (due < next)
            next = due;
    }
    robo_time deadman = robo__deadman_due(&robot->timeline), taking = robo__ask_due(&robot->axes);
    next = deadman < next ? deadman : next;
    return taking < next ? taking : next;
}

void robo__robot_unlock(robo_robot *robot)
{
    robo__effects_carry_out(robot);
    const robo_time more = robo__robot_answer_cut(robot), due = robo__robot_next_due(robot),
                    next = more < due ? more : due;
    robo__movers_carry_out(&robot->movers, next);
    if (robot->member.world->is_virtual) {
        if (next == ROBO_NEVER)
            robo__timer_stop(&robot->member.world->timers, &robot->member.timer);
        else if (!robo__timer_is_for(&robot->member.timer, next))
            robo__timer_start(&robot->member.world->timers, &robot->member.timer, next);
    } else if (next < robot->member.told) {
        robo__timekeeper_tell(&robot->member, next);
    }
    pthread_mutex_unlock(&robot->mutex);
}

/* Pose and twist of a root that dofs move. */
static void read_root(robo_robot *robot, struct robo_state *state)
{
    const unsigned n = state->dofs;
    struct robo_pose reference, pose;
    double jacobian[6 * ROBO_MAX_DOFS], twist[6] = { 0 }, rotation[9];
    robo__reference_of(robot->description, &reference);
    robo_jacobian(robot->port.model, state->position, 0, &pose, jacobian);
    for (unsigned i = 0; i < 6; i++)
        for (unsigned k = 0; k < n; k++)
            twist[i] += jacobian[i * n + k] * state->speed[k];
    robo__turn_back(pose.rotation, twist, state->twist);
    robo__turn_back(pose.rotation, twist + 3, state->spin);
    robo__turn(reference.rotation, pose.position, state->pose);
    for (int i = 0; i < 3; i++)
        state->pose[i] += reference.position[i];
    robo__rotate(reference.rotation, pose.rotation, rotation);
    robo_rotation_to_attitude(rotation, state->attitude);
    state->attitude[2] += 2 * M_PI * round((robot->heading - state->attitude[2]) / (2 * M_PI));
    robot->heading = state->attitude[2];
}

void robo__robot_read(robo_robot *robot, robo_time now, struct robo_state *state)
{
    now = robo__port_forward(&robot->port, now);
    if (!robot->port.detached)
        robo__effects_carry_out(robot); /* the state is that after them */
    robo__robot_look(robot, now, state);
}

void robo__robot_look(robo_robot *robot, robo_time now, struct robo_state *state)
{
    if (robot->port.detached) {
        robo__snapshot_read(&robot->revisions->snapshot, state);
        state->time = now;
        put_alarm(robo__robot_alarm(robot), state);
        return;
    }
    robo__state_clear(state, robot->description->dofs);
    state->time = now;
    put_alarm(robo__robot_alarm(robot), state);
    state->override = robot->port.override;
    for (size_t i = 0; i < robot->description->devices; i++)
        robot->devices.at[i]->driver->read(robot->devices.at[i]->state, now, state);
    for (size_t i = 0; i < state->dofs; i++) {
        const struct robo_dof *dof = &robot->description->dof[i];
        if (dof->mimics) {
            state->position[i] = dof->ratio * state->position[dof->mimics - 1] + dof->shift;
            state->speed[i] = dof->ratio * state->speed[dof->mimics - 1];
        }
    }
    if (robot->port.model && robo__root_has_dofs(robot->description))
        read_root(robot, state);
}

static void publish(robo_robot *robot, robo_time now, struct robo_state *state)
{
    robo__robot_read(robot, now, state);
    robo__snapshot_write(&robot->revisions->snapshot, state);
    robot->published = now;
}

void robo__robot_publish(robo_robot *robot, robo_time now)
{
    struct robo_state state;
    publish(robot, now, &state);
}

/* robo_read into a state as it is known here. */
static void read_state(robo_robot *robot, struct robo_state *state)
{
    if (pthread_mutex_trylock(&robot->mutex) == 0) {
        bool alive = !robot->removed;
        if (alive)
            publish(robot, robo__robot_now(robot), state);
        pthread_mutex_unlock(&robot->mutex);
        if (alive)
            return;
    }
    /* the alarm first: a reader that sees a panic sees no state from before it */
    struct robo__alarm alarm = robo__robot_alarm(robot);
    robo__reading_begin();
    robo__snapshot_read(&robot->revisions->snapshot, state);
    robo__reading_end();
    put_alarm(alarm, state);
}

void robo_read(robo_robot *robot, struct robo_state *state, size_t size)
{
    if (size == sizeof *state) {
        read_state(robot, state);
        return;
    }
    struct robo_state known;
    read_state(robot, &known);
    robo__sized_copy(state, size, &known, sizeof known);
}

/* ---- its senses ---- */

static void read_for_senses(struct robo__senses *senses, struct robo_state *state)
{
    read_state(robo__container_of(senses, robo_robot, senses), state);
}

struct robo__senses *robo__robot_senses(robo_robot *robot)
{
    return &robot->senses;
}

int robo_sense(robo_robot *robot, unsigned sensor, uint64_t number, struct robo_reading *reading,
               size_t size, double *value, size_t room)
{
    return robo__sense(&robot->senses, sensor, number, reading, size, value, room);
}

static void on_timer(struct robo__timer *timer, robo_time now)
{
    robo_robot *robot = robo__container_of(timer, robo_robot, member.timer);
    robo__robot_lock(robot);
    robo__robot_run_due(robot, now);
    robo__robot_unlock(robot);
}

int robo__robot_bus(robo_robot *robot, struct robo_reply_bus *out)
{
    robo__robot_lock(robot);
    int error = robo__bus_report(&robot->bus, out);
    robo__robot_unlock(robot);
    return error;
}

/* ---- life ---- */

robo_robot *robo_hold(robo_robot *robot)
{
    atomic_fetch_add(&robot->member.holders, 1);
    return robot;
}

void robo_release(robo_robot *robot)
{
    if (!robot || atomic_fetch_sub(&robot->member.holders, 1) > 1)
        return;
    robo_world *world = robot->member.world;
    robo__revision_free(robot->revisions);
    robo__revision_free_left(robot->left);
    robo__queue_free(&robot->timeline.queue);
    robo__robot_close_port(robot);
    pthread_cond_destroy(&robot->changed);
    pthread_mutex_destroy(&robot->mutex);
    robo__senses_close(&robot->senses);
    robo__holder_free(robot->clients.first);
    free(robot);
    robo__world_release(world);
}

/* ---- as a member of its world ---- */

static robo_time run_due(struct robo__member *member, robo_time now)
{
    robo_robot *robot = member->robot;
    const robo_time due = robo__robot_run_due(robot, now), more = robo__robot_answer_cut(robot);
    return more < due ? more : due;
}

static void look_ahead(struct robo__member *member)
{
    robo_robot *robot = member->robot;
    robo__robot_lock(robot);
    robo__devices_advance(&robot->devices, robo__robot_now(robot));
    robo__robot_unlock(robot);
}

static void remove_member(struct robo__member *member)
{
    robo_remove(member->robot);
}

static void release_member(struct robo__member *member)
{
    robo_release(member->robot);
}

static const struct robo__member_kind MEMBER = {
    .run = run_due, .look = look_ahead, .remove = remove_member, .release = release_member
};

/* ---- coming and going ---- */

/* A robot that one holds, without devices, queue and thread. It takes over the revision; NULL: out of memory. */
static robo_robot *make_robot(robo_world *world, struct robo__revision *revision)
{
    robo_robot *robot = calloc(1, sizeof *robot);
    if (!robot || robo__robot_open_port(robot) < 0) {
        free(robot);
        robo__revision_free(revision);
        return NULL;
    }
    atomic_init(&robot->member.holders, 1);
    snprintf(robot->member.name, sizeof robot->member.name, "%s", revision->body->description.name);
    robo__robot_become(robot, revision);
    robot->retained.of[ROBO_RETAINED_OVERRIDE].body[0].override.share = 1;
    robot->member.world = robo__world_hold(world);
    robot->member.kind = &MEMBER;
    robot->member.robot = robot;
    robot->member.timer.fire = on_timer;
    robot->member.mutex = &robot->mutex;
    robot->clients.lease_time = &world->lease;
    robo__mutex_init(&robot->mutex);
    pthread_cond_init(&robot->changed, NULL);
    robot->devices.world = world;
    robot->senses = (struct robo__senses){ .world = world,
                                           .seed = world->seed,
                                           .timers = world->is_virtual ? &world->timers : NULL,
                                           .revisions = &robot->revisions,
                                           .read = read_for_senses };
    robo__senses_open(&robot->senses);
    return robot;
}

/* Its queue, its devices and its place with the timekeeper; on an error it has none of them. */
static int start_robot(robo_robot *robot)
{
    robo_device *device[ROBO_MAX_DEVICES];
    int error = robo__queue_init(&robot->timeline.queue, ROBO__QUEUE, ROBO__SESSION_GRANTED,
                                 sizeof(struct robo_cmd));
    /* one of them may be lost, which is a panic, before all are there */
    robot->port.detached = true;
    if (error >= 0)
        error = robo__robot_open_devices(robot, robot->revisions->body, NULL, device);
    if (error < 0)
        return error;
    if (!robot->member.world->is_virtual)
        error = robo__timekeeper_enter(&robot->member);
    if (error < 0) {
        robo__robot_close_devices(robot, device);
        return error;
    }
    robo__robot_lock(robot);
    robot->member.told = ROBO_NEVER;
    robo_time now = robo__robot_now(robot);
    robo__step(robot, &(struct robo__step_event){ .kind = ROBO__ON_ATTACH, .as.devices = device },
               now);
    robo__robot_publish(robot, now);
    robo__robot_unlock(robot);
    return 0;
}

int robo_add_body(robo_world *world, robo_body *body, robo_robot **out)
{
    struct robo__revision *revision;
    int error = robo__revision_make(body, &revision);
    if (error < 0)
        return error;
    robo_robot *robot = make_robot(world, revision);
    if (!robot)
        return ROBO_ENOMEM;
    /* the name is taken before anything is opened: of two callers that add one name, one gets to the devices */
    error = robo__world_enter(&robot->member);
    if (error >= 0) {
        error = start_robot(robot);
        if (error < 0)
            robo__world_leave(&robot->member);
    }
    if (error < 0) {
        robo_release(robot);
        return error;
    }
    if (out)
        *out = robo_hold(robot);
    robo__world_show(&robot->member); /* from here on it is the world's: others may remove it */
    return 0;
}

int robo_add(robo_world *world, const struct robo_description *description, robo_robot **out)
{
    robo_body *body;
    int error = robo__body_make_any(description, &body);
    if (error < 0)
        return error;
    error = robo_add_body(world, body, out);
    robo_body_release(body);
    return error;
}

void robo_remove(robo_robot *robot)
{
    if (!robo__world_hide(&robot->member))
        return;
    /* the world's reference is ours to release now */
    robo__robot_lock(robot);
    robo__step(robot, &(struct robo__step_event){ .kind = ROBO__ON_REMOVE },
               robo__robot_now(robot));
    robo__robot_unlock(robot);
    if (!robot->member.world->is_virtual)
        robo__timekeeper_leave(&robot->member);

    robo_device *device[ROBO_MAX_DEVICES];
    pthread_mutex_lock(&robot->mutex);
    while (robot->reloading)
        pthread_cond_wait(&robot->changed, &robot->mutex);
    memcpy(device, robot->devices.at, sizeof device);
    memset(robot->devices.at, 0, sizeof robot->devices.at);
    pthread_mutex_unlock(&robot->mutex);
    robo__robot_close_devices(robot, device);
    robo__world_leave(&robot->member);
    robo_release(robot);
}

uint64_t robo__robot_number(const robo_robot *robot)
{
    return robot->member.number;
}

robo_world *robo__robot_world(const robo_robot *robot)
{
    return robot->member.world;
}

const char *robo_robot_name(const robo_robot *robot)
{
    return robot->member.name;
}

robo_body *robo_robot_body(const robo_robot *robot)
{
    robo__reading_begin();
    robo_body *body = robo_body_hold(robo__robot_body(robot));
    robo__reading_end();
    return body;
}

robo_body *robo__robot_newest(const robo_robot *robot, uint32_t *revision)
{
    const struct robo__revision *newest = robot->revisions;
    *revision = newest->revision;
    return newest->body;
}

unsigned robo__robot_sessions(robo_robot *robot)
{
    robo__robot_lock(robot);
    const unsigned sessions = robot->movers.count;
    robo__robot_unlock(robot);
    return sessions;
}

uint32_t robo__robot_revision(const robo_robot *robot)
{
    return robot->revisions->revision;
}

robo_body *robo__robot_body(const robo_robot *robot)
{
    assert(robo__is_reading());
    return robot->revisions->body;
}

const struct robo_description *robo__robot_description(const robo_robot *robot)
{
    assert(robo__is_reading());
    return robot->description;
}

uint32_t robo_robot_stopper(robo_robot *robot, char name[64], int *others)
{
    pthread_mutex_lock(&robot->mutex);
    const uint32_t number = robot->clients.newest_stop.by;
    *others = robot->clients.stopped_others;
    memcpy(name, robot->clients.newest_stop.name, ROBO__HOLDER_NAME);
    pthread_mutex_unlock(&robot->mutex);
    return number;
}
