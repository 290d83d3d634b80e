/* Judges the motion of robots by their states. */
#include <math.h>
#include <string.h>

#include "robot/robot.h"
#include "run.h"
#include "base/time.h"

/* Time until a motion shows in the state. */
static const robo_time BEGINNING = 50 * 1000000;
/* The same for dofs on a bus without messages. */
static const robo_time RETURN = 2LL * 1000000000;
/* Tolerance of a state beyond the limits of a description. */
static const double TOLERANCE = 1e-6;
/* Speed of what an override holds: a stop ends with what rounding leaves. */
static const double REST = 1e-4;

robo_time robo__look_silent(const struct robo__visit *v)
{
    /* what a buffered session has queued counts as it begins */
    const robo_time word = v->buffered && v->begun > v->heard ? v->begun : v->heard,
                    till = v->deadman == 0 ? ROBO__MOST_TIME
                                           : word + (v->buffered ? v->gap : v->deadman);
    return v->closed && v->closed_at < till ? v->closed_at : till;
}

robo_time robo__look_rest_by(const struct robo__run *run, unsigned robot)
{
    const struct robo__run_robot *r = &run->robot[robot];
    /* a sleeping machine stops nothing; dofs on a bus move on meanwhile, and then back to their set-points */
    robo_time by = run->woke + (r->bus && run->woke ? RETURN : 0);
    for (unsigned i = 0; i < run->visits; i++) {
        const struct robo__visit *v = &run->visit[i];
        if (v->robot != robot || !v->drives)
            continue;
        /* legs that the late word of a silent client has moved go back below the body, though it is stopped at once */
        const robo_time silent = robo__look_silent(v),
                        till = r->walks && v->begun > silent ? v->begun : silent;
        by = till > by ? till : by;
    }
    return by + (robo_time)(r->brake * 1e9);
}

static bool finite_all(const double *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(v[i]))
            return false;
    return true;
}

/* A walking body sways beside its path. */
static bool has_wheels(const struct robo_description *d)
{
    for (unsigned i = 0; i < d->devices; i++)
        if (d->device[i].base && strcmp(d->device[i].driver, "sim") == 0)
            return true;
    return false;
}

static void check_numbers(struct robo__run *run, unsigned robot, const struct robo_state *s)
{
    const struct robo_description *d = described(run->robot[robot].robot);
    if (!finite_all(s->pose, 3) || !finite_all(s->attitude, 3) || !finite_all(s->twist, 3) ||
        !finite_all(s->spin, 3) || !isfinite(s->voltage) || !isfinite(s->charge) ||
        !finite_all(s->position, s->dofs) || !finite_all(s->speed, s->dofs))
        robo__run_find(run, ROBO__NOT_FINITE,
                       "robot %u has a state with a number that is not finite", robot);
    for (unsigned i = 0; i < d->dofs && i < s->dofs; i++) {
        const struct robo_dof *dof = &d->dof[i];
        if (dof->mimics)
            continue;
        if (dof->low <= dof->high &&
            (s->position[i] < dof->low - TOLERANCE || s->position[i] > dof->high + TOLERANCE))
            robo__run_find(run, ROBO__BEYOND_LIMITS,
                           "robot %u: dof %u is at %.9g, limits %.9g to %.9g", robot, i,
                           s->position[i], dof->low, dof->high);
        if (dof->speed > 0 && fabs(s->speed[i]) > dof->speed + TOLERANCE)
            robo__run_find(run, ROBO__BEYOND_LIMITS, "robot %u: dof %u moves with %.9g, limit %.9g",
                           robot, i, s->speed[i], dof->speed);
    }
    const bool wheels = has_wheels(d);
    const double speed[3] = { s->twist[0], s->twist[1], s->spin[2] };
    for (unsigned i = 0; wheels && i < 3; i++)
        if (d->base_speed[i] > 0 && fabs(speed[i]) > d->base_speed[i] + TOLERANCE)
            robo__run_find(run, ROBO__BEYOND_LIMITS,
                           "robot %u: its base moves with %.9g, limit %.9g", robot, speed[i],
                           d->base_speed[i]);
}

/* s that it takes to rest on its path: that of a control frame leaves a third of the accelerations of its dofs for corrections and
 * for the override (core/motion/cartesian.c). */
static double brake_on_path(const struct robo__run_robot *r)
{
    bool frame = false;
    for (int i = 0; i < ROBO__CARTESIANS; i++)
        frame |= r->robot->frames.frame[i].servo == ROBO_SERVO_SETPOINT;
    return (frame ? 3 : 1) * r->brake;
}

/* How fast a robot with an override may be; not its joints, since a force is no speed. */
static void check_share(struct robo__run *run, unsigned robot, const struct robo_state *s,
                        robo_time now)
{
    const struct robo__run_robot *r = &run->robot[robot];
    const struct robo_description *d = described(r->robot);
    const double speed[3] = { s->twist[0], s->twist[1], s->spin[2] };
    const robo_time since = (run->woke > r->shared ? run->woke : r->shared) + (r->bus ? RETURN : 0);
    double dofs = 0;
    if (r->share >= 1 || now - since <= (robo_time)(brake_on_path(r) * 1e9))
        return;
    for (unsigned i = 0; i < s->dofs; i++)
        dofs = fmax(dofs, fabs(s->speed[i]));
    for (unsigned i = 0; i < 3; i++)
        if (fabs(speed[i]) > r->share * d->base_speed[i] + REST &&
            (r->share <= 0 || (has_wheels(d) && d->base_speed[i] > 0)))
            robo__run_find(run, ROBO__HELD_MOVED,
                           "robot %u: its base moves with %.9g, override %.6f", robot, speed[i],
                           r->share);
    if (r->share <= 0 && dofs > REST)
        robo__run_find(run, ROBO__HELD_MOVED, "robot %u: a dof moves with %.9g, override 0", robot,
                       dofs);
}

const char *robo__look_motion(const struct robo_state *s, char text[64])
{
    unsigned dof = 0;
    while (dof < s->dofs && s->speed[dof] == 0)
        dof++;
    if (dof < s->dofs)
        snprintf(text, 64, "dof %u with %.6g from %.6g", dof, s->speed[dof], s->position[dof]);
    else
        snprintf(text, 64, "its base with %.6g, %.6g, %.6g", s->twist[0], s->twist[1], s->spin[2]);
    return text;
}

void robo__look(struct robo__run *run, unsigned robot, robo_time now)
{
    struct robo__run_robot *r = &run->robot[robot];
    struct robo_state s;
    if (!r->robot)
        return;
    robo_read(r->robot, &s, sizeof s);
    robo__judge_state(run, robot, &s);
    check_numbers(run, robot, &s);
    check_share(run, robot, &s, now);
    robo__hold_check(run, robot, now);
    if (!s.moving) {
        /* a motion that has just begun may not move yet; some are planned first, and some held by an override */
        for (unsigned i = 0; i < run->visits; i++) {
            struct robo__visit *v = &run->visit[i];
            if (v->robot == robot && v->running == 0 && now - v->begun > BEGINNING &&
                r->share >= 1 && now - r->shared > BEGINNING)
                v->drives = false;
        }
        return;
    }
    robo_time panicked = r->panic_count && r->panic_count <= ROBO__RUN_MARKS
                             ? r->panics[r->panic_count - 1].at
                             : now;
    if (r->panic && now - panicked > (robo_time)(r->brake * 1e9))
        robo__run_find(run, ROBO__PANIC_MOVED, "robot %u still moves %.3f s after the panic, %s",
                       robot, robo__seconds(now - panicked),
                       robo__look_motion(&s, (char[64]){ 0 }));
    robo_time by = robo__look_rest_by(run, robot);
    if (now > by)
        robo__run_find(run, ROBO__SILENT_MOVED,
                       "robot %u still moves %.3f s after it should stand, %s", robot,
                       robo__seconds(now - by), robo__look_motion(&s, (char[64]){ 0 }));
}

void robo__look_left(struct robo__run *run)
{
    for (unsigned i = 0; i < run->robots && !run->over; i++) {
        robo_robot *robot = run->robot[i].robot;
        struct robo_state state;
        unsigned tickets = 0;
        if (!robot)
            continue;
        robo_read(robot, &state, sizeof state);
        for (unsigned k = 0; k < robot->axes.tickets; k++)
            tickets += robot->axes.ticket[k].taken;
        if (state.moving)
            robo__run_find(run, ROBO__END_MOVED, "robot %u still moves, %s", i,
                           robo__look_motion(&state, (char[64]){ 0 }));
        if (robot->movers.first || robot->movers.moving || robot->timeline.queue.count ||
            robot->axes.held || tickets)
            robo__run_find(run, ROBO__LEAKED,
                           "robot %u: sessions %d, moving %d, queued %u, axes held %u, tickets %u",
                           i, robot->movers.first != NULL, robot->movers.moving != NULL,
                           robot->timeline.queue.count, robot->axes.held, tickets);
        robo__hold_left(run, i);
    }
}
