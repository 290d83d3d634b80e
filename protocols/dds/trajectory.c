/* Joint trajectories. */
#include "trajectory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 8192, DOFS = 64 };

/* The dof of a joint's name as joint_states has it; -1: there is none. */
static int dof_of(const struct robo_description *d, const char *name)
{
    for (const struct robo_joint *j = d->joint; j < d->joint + d->joints; j++)
        for (unsigned k = 0; k < j->dofs; k++) {
            char full[80];
            snprintf(full, sizeof full, j->dofs > 1 ? "%s.%s" : "%s%.0s", j->name,
                     d->dof[j->first + k].name);
            if (strcmp(full, name) == 0)
                return (int)(j->first + k);
        }
    return -1;
}

void robo__ros_trajectory_free(struct robo__ros_trajectory *t)
{
    free(t->dof);
    free(t->position);
    free(t->velocity);
    free(t->time);
    *t = (struct robo__ros_trajectory){ 0 };
}

/* A sequence of that many numbers in the order of `place`; false: it is empty. */
static bool read_row(struct robo__ros_in *in, const unsigned *place, unsigned dofs, double *out,
                     const char **wrong)
{
    const uint32_t n = robo__ros_get_count(in);
    if (n != dofs && n != 0)
        *wrong = "a value for each joint";
    for (uint32_t i = 0; i < n; i++) {
        const double x = robo__ros_get_number(in);
        if (!isfinite(x))
            *wrong = "finite numbers";
        if (n == dofs && out)
            out[place[i]] = x;
    }
    return n > 0;
}

/* The joints' dofs in ascending order; place: of each joint among these. */
static const char *read_joints(struct robo__ros_trajectory *t, struct robo__ros_in *in,
                               const struct robo_description *d, unsigned place[DOFS],
                               char text[160])
{
    uint16_t named[DOFS];
    t->dofs = robo__ros_get_count(in);
    if (t->dofs == 0 || t->dofs > DOFS)
        return "1 to 64 joints";
    t->dof = calloc(t->dofs, sizeof *t->dof);
    for (unsigned i = 0; i < t->dofs; i++) {
        const char *name = robo__ros_get_text(in);
        const int dof = dof_of(d, name);
        if (dof < 0) {
            snprintf(text, 160, "joints of %s, which has no %.40s", d->name, name);
            return text;
        }
        named[i] = (uint16_t)dof;
    }
    for (unsigned i = 0; i < t->dofs; i++) {
        place[i] = 0;
        for (unsigned k = 0; k < t->dofs; k++) {
            place[i] += named[k] < named[i];
            if (k != i && named[k] == named[i])
                return "each joint once";
        }
        if (t->dof)
            t->dof[place[i]] = named[i];
    }
    return t->dof ? NULL : "memory";
}

const char *robo__ros_trajectory_read(struct robo__ros_trajectory *t, struct robo__ros_in *in,
                                      const struct robo_description *d, char text[160])
{
    unsigned place[DOFS];
    *t = (struct robo__ros_trajectory){ 0 };
    robo__ros_skip(in, "header");
    const char *wrong = read_joints(t, in, d, place, text);
    if (wrong)
        return wrong;
    t->points = robo__ros_get_count(in);
    if (t->points == 0 || t->points > POINTS)
        return "1 to 8192 points";
    const size_t values = (size_t)t->points * t->dofs;
    t->position = calloc(values, sizeof *t->position);
    t->velocity = calloc(values, sizeof *t->velocity);
    t->time = calloc(t->points, sizeof *t->time);
    if (!t->position || !t->velocity || !t->time)
        return "memory";
    bool velocities = true;
    for (unsigned i = 0; i < t->points && !wrong; i++) {
        const size_t row = (size_t)i * t->dofs;
        if (!read_row(in, place, t->dofs, t->position + row, &wrong) && !wrong)
            wrong = "positions at each point";
        velocities &= read_row(in, place, t->dofs, t->velocity + row, &wrong);
        read_row(in, place, t->dofs, NULL, &wrong);
        read_row(in, place, t->dofs, NULL, &wrong);
        t->time[i] = robo__ros_get_time(in);
        if (t->time[i] < 0 || t->time[i] > 86400000000000 ||
            (i > 0 && t->time[i] <= t->time[i - 1]))
            wrong = "times that grow from point to point, a day at most";
    }
    if (!wrong) { /* joints of several dofs have several names here */
        robo__ros_skip(in, "header");
        robo__ros_skip(in, "joint_names");
        if (robo__ros_get_count(in) > 0)
            wrong = "no multi_dof_trajectory";
    }
    if (!velocities) {
        free(t->velocity);
        t->velocity = NULL;
    }
    return wrong;
}

/* A cubic with the positions and velocities at both ends. */
static void between(const double p[2], const double v[2], double span, double s, double *position,
                    double *velocity)
{
    const double a = 2 * (p[0] - p[1]) + span * (v[0] + v[1]),
                 b = 3 * (p[1] - p[0]) - span * (2 * v[0] + v[1]), c = span * v[0];
    *position = ((a * s + b) * s + c) * s + p[0];
    *velocity = ((3 * a * s + 2 * b) * s + c) / span;
}

void robo__ros_trajectory_at(const struct robo__ros_trajectory *t, const double *start,
                             robo_time time, double *position, double *velocity)
{
    unsigned next = 0;
    while (next < t->points && t->time[next] <= time)
        next++;
    const robo_time since = next > 0 ? t->time[next - 1] : 0;
    for (unsigned i = 0; i < t->dofs; i++) {
        const size_t before = (size_t)(next > 0 ? next - 1 : 0) * t->dofs + i,
                     after = (size_t)next * t->dofs + i;
        const double from = next > 0 ? t->position[before] : start[i];
        position[i] = from;
        velocity[i] = 0;
        if (next == t->points)
            continue;
        const double span = (double)(t->time[next] - since) * 1e-9,
                     s = (double)(time - since) * 1e-9 / span;
        const double p[2] = { from, t->position[after] };
        if (t->velocity) {
            const double v[2] = { next > 0 ? t->velocity[before] : 0, t->velocity[after] };
            between(p, v, span, s, &position[i], &velocity[i]);
        } else {
            position[i] = p[0] + (p[1] - p[0]) * s;
            velocity[i] = (p[1] - p[0]) / span;
        }
    }
}
