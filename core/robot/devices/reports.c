/* Reports of drivers from their own threads: each is an event of the robot, and takes its mutex. */
#include "robot/robot.h"
#include "robot/step.h"

void robo_post_done(robo_device *device, robo_ticket ticket, enum robo_signal signal,
                    enum robo_reason reason)
{
    robo__robot_lock(device->robot);
    robo__port_forward(&device->robot->port, robo__robot_now(device->robot));
    robo_done(device, ticket, signal, reason);
    robo__robot_unlock(device->robot);
}

void robo_post_fault(robo_device *device, enum robo_reason reason)
{
    robo_robot *robot = device->robot;
    struct robo__step_event fault = { .kind = ROBO__ON_FAULT,
                                      .as.report = { .device = device->index, .reason = reason } };
    robo__robot_lock(robot);
    robo__step(robot, &fault, robo__robot_now(robot));
    robo__robot_unlock(robot);
}

void robo_post_lost(robo_device *device, enum robo_reason reason)
{
    robo_post_fault(device, reason);
    robo_panic(device->robot);
}

void robo_message_lost(robo_device *device, unsigned joint, unsigned dof)
{
    robo_robot *robot = device->robot;
    if (device == robot->device[device->index])
        robo__bus_message_lost(&robot->bus, joint, dof);
}

void robo_post_message_lost(robo_device *device, unsigned joint, unsigned dof)
{
    robo__robot_lock(device->robot);
    robo_message_lost(device, joint, dof);
    robo__robot_unlock(device->robot);
}
