/* Faults of robots and server: descriptions change, robots and the server are removed and come back, devices fail, and
 * an operator presses panic. */
#include <stdio.h>

#include "robot/devices/device.h"
#include "robot/robot.h"
#include "run.h"
#include "base/time.h"
#include "robot/world/inside.h"
#include "robotalk/description.h"
#include "robotalk/device.h"

static void panic_by_hand(struct robo__run *run, unsigned robot)
{
    robo__judge_panic(run, robot, robo_now(run->world));
    robo_panic(run->robot[robot].robot);
}

static void reset_by_hand(struct robo__run *run, unsigned robot)
{
    ROBO__NOTE(run, "robot %u: reset by hand", robot);
    run->robot[robot].panic = false;
    robo_reset(run->robot[robot].robot);
}

/* Reloads with the same body, with one that lacks a joint or has narrower limits, or with one whose driver does not
 * open. */
static void change(struct robo__run *run, unsigned robot)
{
    struct robo__random *r = &run->random;
    struct robo__run_robot *is = &run->robot[robot];
    struct robo_description *d = robo__run_describe(run, robot);
    const char *how = "as it was";
    unsigned joint = robo__pick(r, d->joints);
    if (robo__chance(r, 0.3)) {
        how = "with a joint renamed";
        snprintf(d->joint[joint].name, sizeof d->joint[joint].name, "renamed");
    } else if (robo__chance(r, 0.3)) {
        how = "with narrower limits";
        for (unsigned i = 0; i < d->dofs; i++)
            if (d->dof[i].low < d->dof[i].high && !d->dof[i].mimics) {
                d->dof[i].low += 0.1 * (d->dof[i].home - d->dof[i].low);
                d->dof[i].high -= 0.1 * (d->dof[i].high - d->dof[i].home);
            }
    } else if (robo__chance(r, 0.2)) {
        how = "with a driver that is not there";
        snprintf(d->device[0].driver, sizeof d->device[0].driver, "nobody");
    }
    struct robo_reload_report report;
    int error = robo_reload(is->robot, d, &report);
    is->lost = report.lost;
    ROBO__NOTE(run, "robot %u: described anew, %s: %s", robot, how,
               error < 0 ? robo_strerror(error) : "done");
}

static void remove_robot(struct robo__run *run, unsigned robot)
{
    ROBO__NOTE(run, "robot %u: removed", robot);
    robo__ledger_robot_gone(run, robot, robo_now(run->world));
    robo_robot *gone = run->robot[robot].robot;
    run->robot[robot].robot = NULL;
    robo_remove(gone);
    robo_release(gone);
}

/* The server ends and starts again: every connection is closed from its side, every robot begins anew. */
static void restart(struct robo__run *run)
{
    robo_time now = robo_now(run->world);
    ROBO__NOTE(run, "the server ends");
    for (unsigned i = 0; i < run->lines; i++) {
        struct robo__loopback *loopback = run->line[i].loopback;
        if (!loopback)
            continue;
        loopback->conn.protocol->shutdown(loopback->conn.state, now);
        loopback->conn.closing = true;
        robo__conn_kick(&loopback->conn);
    }
    for (unsigned i = 0; i < run->robots; i++)
        if (run->robot[i].robot)
            remove_robot(run, i);
    for (unsigned i = 0; i < run->robots; i++)
        robo__run_add_robot(run, i);
    ROBO__NOTE(run, "the server starts");
}

/* A device reports a fault and stands, or is lost with limbs that may still move. */
static void fail_device(struct robo__run *run, unsigned robot)
{
    struct robo__run_robot *r = &run->robot[robot];
    robo_device *device = r->robot->devices.at[0];
    if (r->lost || !device)
        return;
    bool lost = robo__chance(&run->random, 0.5);
    ROBO__NOTE(run, "robot %u: device 0 %s", robot, lost ? "is lost" : "reports a fault");
    if (lost) {
        robo__judge_panic(run, robot, robo_now(run->world));
        robo_post_lost(device, ROBO_WHY_DEVICE);
    } else {
        device->driver->halt(device->state, robo_now(run->world));
        robo_post_fault(device, ROBO_WHY_DEVICE);
    }
}

static void on_mishap(struct robo__timer *timer, robo_time now)
{
    struct robo__run *run = robo__container_of(timer, struct robo__run, mishap);
    struct robo__random *r = &run->random;
    if (run->over)
        return;
    robo__timer_start(&run->world->timers, timer, now + robo__about(r, run->mishaps_pace));
    run->report->mishaps++;
    unsigned robot = robo__pick(r, run->robots);
    if (!run->robot[robot].robot) {
        robo__run_add_robot(run, robot);
        return;
    }
    switch (robo__pick(r, 12)) {
    case 0:
    case 1:
    case 2: panic_by_hand(run, robot); break;
    case 3:
    case 4:
    case 5: reset_by_hand(run, robot); break;
    case 6:
    case 7:
    case 8: change(run, robot); break;
    case 9: fail_device(run, robot); break;
    case 10: remove_robot(run, robot); break;
    default: restart(run); break;
    }
}

void robo__mishap_start(struct robo__run *run)
{
    run->mishap = (struct robo__timer){ .fire = on_mishap };
    if (run->mishaps_pace > 0)
        robo__timer_start(&run->world->timers, &run->mishap,
                          robo_now(run->world) + robo__about(&run->random, run->mishaps_pace));
}
