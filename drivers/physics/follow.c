/* Robots of which others than the physics move the base, or joints: their bodies go where these have them. */
#include <string.h>

#include "rig.h"

/* The next such robot, held; NULL: those were all. number: from which on it is looked for. */
static robo_robot *next_led(struct robo__simulation *s, unsigned *number)
{
    robo_robot *robot = NULL;
    robo__simulation_lock(s);
    for (struct robo__rig *rig = s->rigs; rig && !robot; rig = rig->next) {
        if (rig->number < *number || !robo__mjcf_is_led(rig->description))
            continue;
        *number = rig->number + 1;
        robot = robo_hold(rig->robot);
    }
    robo__simulation_unlock(s);
    return robot;
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

static void settle(void *context)
{
    const struct robo__mechanics *now = context;
    now->engine->mj_forward(now->model, now->data);
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
            if (body > 0 && robo__mjcf_led(d, i, state, position, quaternion))
                moved |= put(now, body, position, quaternion);
        }
    }
    char why[256];
    if (moved)
        robo__engine_try(settle, now, why);
    robo__simulation_unlock(s);
}

void robo__simulation_follow(struct robo__simulation *s)
{
    unsigned number = 0;
    robo_robot *robot;
    while ((robot = next_led(s, &number)) != NULL) {
        struct robo_state state;
        robo_read(robot, &state);
        follow(s, robot, &state);
        robo_release(robot);
    }
}
