/* Loads URDF files into MuJoCo, lets each robot fall about for a second of simulated time, and tells what there is of it.
 * Ends with 1 when the engine refuses a file, or when a number stops being finite. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <mujoco/mujoco.h>

/* MuJoCo's answer to a mistake is to end the program: with the reason. */
static void on_error(const char *message)
{
    printf("%s\n", message);
    exit(1);
}

static bool are_finite(const mjtNum *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

/* MuJoCo starts anew when a number gets too large, and counts that as a warning. */
static bool is_good(const mjModel *m, const mjData *d)
{
    for (int i = 0; i < mjNWARNING; i++)
        if (d->warning[i].number > 0)
            return false;
    return are_finite(d->qpos, m->nq) && are_finite(d->qvel, m->nv) && are_finite(d->qacc, m->nv);
}

static bool run(const char *path)
{
    char why[1000] = "";
    mjModel *m = mj_loadXML(path, NULL, why, sizeof why);
    if (!m) {
        printf("%s: %s\n", path, why);
        return false;
    }
    mjData *d = mj_makeData(m);
    double mass = 0;
    for (int i = 0; i < m->nbody; i++)
        mass += m->body_mass[i];
    while (d->time < 1)
        mj_step(m, d);
    const bool good = is_good(m, d);
    printf("%s: %d bodies, %d dofs, %.6g kg%s\n", path, m->nbody, m->nv, mass,
           good ? "" : ", but not finite after a second");
    mj_deleteData(d);
    mj_deleteModel(m);
    return good;
}

int main(int count, char **paths)
{
    bool good = count > 1;
    mju_user_error = on_error;
    for (int i = 1; i < count; i++)
        good &= run(paths[i]);
    return good ? 0 : 1;
}
