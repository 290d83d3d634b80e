/* Commands drawn by chance. */
#include <math.h>

#include "run.h"

/* A value around nought that the body may well have: mostly within `most`, often beyond it, and with that chance out of
 * all measure. */
static double value(struct robo__random *r, double most, double wild)
{
    static const double extreme[] = { 2e9,    -2e9,   1e6,   -1e6, 1e-6,     -1e-6,
                                      1e-300, 2.25e9, 1e300, M_PI, HUGE_VAL, NAN };
    double chance = robo__random_uniform(r);
    if (chance < wild)
        return extreme[robo__pick(r, sizeof extreme / sizeof extreme[0])];
    if (chance < wild + 0.08)
        return 0;
    if (chance < wild + 0.12)
        return most;
    return robo__random_range(r, -1.3, 1.3) * most;
}

static double limit_of(double limit, double otherwise)
{
    return limit > 0 ? limit : otherwise;
}

/* Set-points, speeds or forces of some dofs of a joint. */
static void draw_joint(struct robo__random *r, const struct robo_description *d, double wild,
                       struct robo_cmd *cmd)
{
    struct robo_servo_command *body = &cmd->body.servo;
    unsigned number = 0, tries = 0;
    do
        number = robo__pick(r, d->joints ? d->joints : 1);
    while (d->joints && d->joint[number].dofs == 0 && ++tries < 8);
    const struct robo_joint *joint = &d->joint[number];
    body->joint = (uint8_t)(robo__chance(r, wild) ? robo__pick(r, 256) : number);
    unsigned all = (1u << joint->dofs) - 1;
    body->mask = (uint8_t)(robo__chance(r, wild) ? robo__pick(r, 256) : 1 + robo__pick(r, all));
    for (unsigned i = 0; i < joint->dofs; i++) {
        const struct robo_dof *dof = &d->dof[joint->first + i];
        double reach = dof->low <= dof->high ? (dof->high - dof->low) / 2 : 3,
               middle = dof->low <= dof->high ? (dof->high + dof->low) / 2 : 0;
        double most = cmd->op == ROBO_SET_JOINT         ? reach
                      : cmd->op == ROBO_SET_JOINT_SPEED ? limit_of(dof->speed, 1)
                                                        : limit_of(dof->force, 1);
        body->value[i] = value(r, most, wild) + (cmd->op == ROBO_SET_JOINT ? middle : 0);
    }
    if (cmd->op == ROBO_SET_JOINT && robo__chance(r, 0.3))
        body->speed = fabs(value(r, 1, wild));
}

static void draw_frame(struct robo__random *r, const struct robo_description *d, double wild,
                       struct robo_cmd *cmd)
{
    struct robo_frame_command *body = &cmd->body.frame;
    bool pose = cmd->op == ROBO_SET_FRAME, twist = cmd->op == ROBO_SET_FRAME_SPEED;
    body->frame = (uint8_t)robo__pick(r, robo__chance(r, wild) ? 256 : d->frames);
    if (pose)
        body->free = (uint8_t)robo__chance(r, 0.5);
    for (int i = 0; i < 3; i++) {
        body->linear[i] = value(r, pose ? 0.7 : twist ? 0.3 : 10, wild);
        body->angular[i] = value(r, pose ? M_PI / 2 : twist ? 0.5 : 2, wild);
    }
}

/* What a body is asked for, and how often. Control frames cost most of the time: the core resolves them every 10 ms. */
static const struct {
    uint16_t op;
    double weight;
} KINDS[] = {
    { ROBO_SET_SPEED, 12 },
    { ROBO_GO_TO, 3 },
    { ROBO_SET_JOINT, 10 },
    { ROBO_SET_JOINT_SPEED, 8 },
    { ROBO_SET_JOINT_FORCE, 2 },
    { ROBO_HOME, 1 },
    { ROBO_STEP, 1 },
    { ROBO_SET_FRAME, 0.5 },
    { ROBO_SET_FRAME_SPEED, 0.3 },
    { ROBO_SET_FRAME_FORCE, 0.3 },
};

static uint16_t draw_kind(struct robo__random *r, const struct robo_description *d, double wild)
{
    double weight[sizeof KINDS / sizeof KINDS[0]];
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++) {
        bool can = d->commands >> (KINDS[i].op - ROBO_FIRST_OP) & 1;
        weight[i] = can ? KINDS[i].weight : 0.02;
    }
    if (robo__chance(r, wild / 4))
        return (uint16_t)(ROBO_FIRST_OP + robo__pick(r, ROBO_LAST_OP - ROBO_FIRST_OP + 1));
    return KINDS[robo__weighted(r, weight, sizeof weight / sizeof weight[0])].op;
}

void robo__draw_command(struct robo__random *r, const struct robo_description *d, double wild,
                        struct robo_cmd *cmd)
{
    *cmd = (struct robo_cmd){ .op = draw_kind(r, d, wild) };
    union robo_cmd_body *b = &cmd->body;
    switch (cmd->op) {
    case ROBO_SET_SPEED:
        b->set_speed.x = value(r, limit_of(d->base_speed[0], 1), wild);
        b->set_speed.y = robo__chance(r, 0.3) ? value(r, limit_of(d->base_speed[1], 1), wild) : 0;
        b->set_speed.theta = value(r, limit_of(d->base_speed[2], 1), wild);
        if (robo__chance(r, 0.1))
            b->set_speed = (struct robo_set_speed){ 0 };
        break;
    case ROBO_GO_TO:
        b->go_to.x = value(r, 2, wild);
        b->go_to.y = value(r, 2, wild);
        b->go_to.theta = value(r, M_PI, wild);
        break;
    case ROBO_STEP:
        b->step.leg = (uint8_t)robo__pick(r, 6);
        b->step.x = value(r, 0.1, wild);
        b->step.y = value(r, 0.1, wild);
        b->step.theta = value(r, 0.2, wild);
        break;
    case ROBO_SET_JOINT:
    case ROBO_SET_JOINT_SPEED:
    case ROBO_SET_JOINT_FORCE: draw_joint(r, d, wild, cmd); break;
    case ROBO_SET_FRAME:
    case ROBO_SET_FRAME_SPEED:
    case ROBO_SET_FRAME_FORCE: draw_frame(r, d, wild, cmd); break;
    default: break;
    }
}
