/* Robots whose base or joints other drivers than the physics move: a look puts their bodies where these drivers have them. They touch
 * nothing, and steps are made with them at home, so a run does not depend on who looks. */
#include <stdlib.h>
#include <string.h>

#include "rig.h"

/* The next such robot, held; NULL: those were all. number: from which on it is looked for. */
static robo_robot *next_led(struct robo__simulation *s, unsigned *number)
{
    robo_robot *robot = NULL;
    robo__simulation_lock(s);
    for (struct robo__rig *rig = s->rigs; rig && !robot; rig = rig->next) {
        if (rig->number < *number || !rig->led)
            continue;
        *number = rig->number + 1;
        robot = robo_hold(rig->robot);
    }
    robo__simulation_unlock(s);
    return robot;
}

/* Keeps where all bodies are at home, once for each model with a robot that others lead. */
static bool keep_homes(struct robo__simulation *s)
{
    const mjModel *model = s->now.model;
    const size_t n = (size_t)model->nbody;
    bool leads = false;
    for (const struct robo__rig *rig = s->rigs; rig && !s->elsewhere; rig = rig->next)
        leads |= rig->led;
    if (!leads)
        return s->elsewhere != NULL;
    s->elsewhere = malloc((7 * n + (size_t)model->nq) * sizeof *s->elsewhere);
    if (!s->elsewhere)
        return false;
    memcpy(s->elsewhere, model->body_pos, 3 * n * sizeof *s->elsewhere);
    memcpy(s->elsewhere + 3 * n, model->body_quat, 4 * n * sizeof *s->elsewhere);
    return true;
}

/* Computes positions that follow from where bodies are, but no contacts. */
static void settle(void *context)
{
    const struct robo__mechanics *now = context;
    now->engine->mj_kinematics(now->model, now->data);
    now->engine->mj_comPos(now->model, now->data);
    now->engine->mj_camlight(now->model, now->data);
}

/* Shows bodies where they are put. Quaternions stay as they were: it normalizes them, and steps would go on from others. */
static void show(struct robo__simulation *s)
{
    char why[256];
    struct robo__mechanics *now = &s->now;
    const size_t size = (size_t)now->model->nq * sizeof(mjtNum);
    mjtNum *kept = s->elsewhere + 7 * now->model->nbody;
    memcpy(kept, now->data->qpos, size);
    robo__engine_try(settle, now, why);
    memcpy(now->data->qpos, kept, size);
}

static void exchange(mjtNum *one, mjtNum *other, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const mjtNum kept = one[i];
        one[i] = other[i];
        other[i] = kept;
    }
}

void robo__simulation_put_led(struct robo__simulation *s)
{
    if (!keep_homes(s))
        return;
    const size_t n = (size_t)s->now.model->nbody;
    exchange(s->now.model->body_pos, s->elsewhere, 3 * n);
    exchange(s->now.model->body_quat, s->elsewhere + 3 * n, 4 * n);
    show(s);
}

/* Whether a body was elsewhere. */
static bool put(const struct robo__mechanics *now, int body, const double position[3],
                const double quaternion[4])
{
    mjtNum *at = now->model->body_pos + 3 * body, *turned = now->model->body_quat + 4 * body;
    if (memcmp(at, position, 3 * sizeof *at) == 0 &&
        memcmp(turned, quaternion, 4 * sizeof *turned) == 0)
        return false;
    memcpy(at, position, 3 * sizeof *at);
    memcpy(turned, quaternion, 4 * sizeof *turned);
    return true;
}

static void follow(struct robo__simulation *s, const robo_robot *robot,
                   const struct robo_state *state)
{
    struct robo__mechanics *now = robo__simulation_lock(s);
    bool moved = false;
    for (const struct robo__rig *rig = now->model ? s->rigs : NULL; rig; rig = rig->next) {
        const struct robo_description *d = rig->description;
        for (unsigned i = 0; rig->robot == robot && i < d->links; i++) {
            double position[3], quaternion[4];
            const int body = robo__simulation_find(now, mjOBJ_BODY, d->name, d->link[i].name);
            if (body > 0 && robo__mjcf_led(d, i, state, position, quaternion) && keep_homes(s))
                moved |= put(now, body, position, quaternion);
        }
    }
    if (moved)
        show(s);
    robo__simulation_unlock(s);
}

void robo__simulation_follow(struct robo__simulation *s)
{
    unsigned number = 0;
    robo_robot *robot;
    while ((robot = next_led(s, &number)) != NULL) {
        struct robo_state state;
        robo_read(robot, &state, sizeof state);
        follow(s, robot, &state);
        robo_release(robot);
    }
}
