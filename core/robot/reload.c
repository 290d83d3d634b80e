/* Reloading: a running robot gets a new body; sessions and queues stay. The new body is checked before anything is
 * changed. The devices are closed and opened again without the mutex; no command begins meanwhile. */
#include <math.h>
#include <string.h>

#include "robot.h"
#include "step.h"
#include "base/time.h"
#include "robotalk/description.h"

/* The positions of all dofs, by the new numbers. */
static void carry_over(const struct robo__revision *old, const struct robo_state *was,
                       const struct robo__revision *fresh, struct robo_state *now)
{
    const unsigned dofs = fresh->body->description.dofs;
    robo__state_copy(now, was);
    now->dofs = (uint16_t)dofs;
    for (size_t i = 0; i < dofs; i++) {
        now->position[i] = NAN;
        now->speed[i] = 0;
    }
    for (size_t i = 0; i < was->dofs; i++)
        if (old->dof[i] != ROBO__GONE)
            now->position[old->dof[i]] = was->position[i];
}

/* Without devices nothing is known to move. */
static void publish_rest(struct robo__revision *current, const struct robo_state *was)
{
    struct robo_state rests;
    robo__state_copy(&rests, was);
    memset(rests.speed, 0, rests.dofs * sizeof rests.speed[0]);
    memset(rests.twist, 0, sizeof rests.twist);
    memset(rests.spin, 0, sizeof rests.spin);
    rests.moving = 0;
    robo__snapshot_write(&current->snapshot, &rests);
}

/* Publishes the state that is seen from the new revision on until the devices are read: new dofs are at home. */
static void publish_carried(struct robo__revision *fresh, const struct robo_state *before)
{
    struct robo_state seen;
    robo__state_copy(&seen, before);
    for (size_t i = 0; i < seen.dofs; i++)
        if (isnan(seen.position[i]))
            seen.position[i] = fresh->body->description.dof[i].home;
    robo__snapshot_write(&fresh->snapshot, &seen);
}

int robo__robot_open_devices(robo_robot *robot, robo_body *body, const struct robo_state *before,
                             robo_device *device[ROBO_MAX_DEVICES])
{
    int error = robo__devices_open(&robot->devices, body, before, device);
    if (error == 0)
        error = robo__senses_attach(&robot->senses, body, device);
    if (error < 0) {
        robo__robot_close_devices(robot, device);
        return error;
    }
    robo__footprint_open(&robot->member, &body->description);
    return 0;
}

void robo__robot_close_devices(robo_robot *robot, robo_device *device[ROBO_MAX_DEVICES])
{
    robo__senses_detach(&robot->senses);
    robo__devices_close(device);
}

/* Halts the devices and detaches them: the caller closes them. */
void robo__robot_detach(robo_robot *robot, robo_time now)
{
    robot->reloading = true;
    robo__devices_halt(&robot->devices, now);
    robo__robot_publish(robot, now);
    robot->port.detached = true;
}

void robo__robot_attach(robo_robot *robot, struct robo__step_event *e, robo_time now)
{
    robo_device **const device = e->as.devices;
    bool halted = robo__robot_alarm(robot).panic || robot->removed;
    memcpy(robot->devices.at, device, sizeof robot->devices.at);
    for (size_t i = 0; i < ROBO_MAX_DEVICES; i++)
        robot->axes.traits[i] = device[i] ? &device[i]->traits : NULL;
    robot->port.detached = robot->removed; /* the thread that removes the robot closes them */
    robot->reloading = false;
    pthread_cond_broadcast(&robot->changed);
    for (size_t i = 0; halted && i < robot->description->devices; i++)
        if (robot->devices.at[i])
            robo__device_halt(robot->devices.at[i], now);
    if (robot->devices.at[0] || robot->description->devices == 0)
        robo__robot_begin_stages(robot, now);
    if (robot->devices.at[0]) /* in a panic too: its reset does not notify them */
        robo__override_again(robot, e, now);
    robot->published = 0;
    robo__movers_wake(&robot->movers);
}

int robo_reload_body(robo_robot *robot, robo_body *body, struct robo_reload_report *report)
{
    struct robo_reload_report nobody;
    struct robo__revision *fresh;
    robo_device *old[ROBO_MAX_DEVICES], *device[ROBO_MAX_DEVICES];
    struct robo_state was, before;
    if (!report)
        report = &nobody;
    *report = (struct robo_reload_report){ 0 };
    if (strcmp(body->description.name, robot->member.name) != 0)
        return ROBO_EINVAL;
    int error = robo__revision_make(body, &fresh);
    if (error < 0)
        return error;

    robo__robot_lock(robot);
    if (robot->removed || robot->reloading) {
        robo__robot_unlock(robot);
        robo__revision_free(fresh);
        return ROBO_ENONE;
    }
    struct robo__revision *current = robot->revisions;
    robo__step(robot, &(struct robo__step_event){ .kind = ROBO__ON_DETACH },
               robo__robot_now(robot));
    robo__snapshot_read(&robot->revisions->snapshot, &was);
    memcpy(old, robot->devices.at, sizeof old);
    memset(robot->devices.at, 0, sizeof robot->devices.at);
    memset(robot->axes.traits, 0, sizeof robot->axes.traits);
    robo__robot_unlock(robot);

    robo__revision_link(current, fresh);
    carry_over(current, &was, fresh, &before);
    robo__robot_close_devices(robot, old);
    publish_carried(fresh, &before);
    error = robo__robot_open_devices(robot, body, &before, device);
    bool replaced = error == 0;
    if (!replaced) {
        /* a bad body leaves the old one running */
        int again = robo__robot_open_devices(robot, current->body, &was, device);
        report->lost = again < 0;
    }

    robo__robot_lock(robot);
    robo_time now = robo__robot_now(robot);
    struct robo__revision *left = NULL;
    if (replaced) {
        fresh->revision = current->revision + 1;
        fresh->older = current;
        /* its devices report it if it lies, or something is in its way */
        robo__step(robot, &(struct robo__step_event){ .kind = ROBO__ON_FALLEN }, now);
        robo__step(robot, &(struct robo__step_event){ .kind = ROBO__ON_BLOCKED, .as.obstacle = "" },
                   now);
        robo__robot_become(robot, fresh);
        robo__step(
            robot,
            &(struct robo__step_event){ .kind = ROBO__ON_RENEW, .as.renew = { current, report } },
            now);
        robo__revision_leave(fresh, &robot->left);
        left = robo__revision_left(&robot->left);
    }
    robo__step(robot, &(struct robo__step_event){ .kind = ROBO__ON_ATTACH, .as.devices = device },
               now);
    robot->port.detached |= report->lost; /* without devices until a better description comes */
    if (report->lost)
        publish_rest(current, &was);
    robo__robot_unlock(robot);
    robo__revision_free_left(left);
    if (!replaced)
        robo__revision_free(fresh);
    return error;
}

int robo_reload(robo_robot *robot, const struct robo_description *description,
                struct robo_reload_report *report)
{
    robo_body *body;
    if (report)
        *report = (struct robo_reload_report){ 0 };
    int error = robo__body_make_any(description, &body);
    if (error < 0)
        return error;
    error = robo_reload_body(robot, body, report);
    robo_body_release(body);
    return error;
}
