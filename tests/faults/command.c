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

/* Set-points, speeds and forces of some dofs, each of what it takes as a rule. */
static void draw_dofs(struct robo__random *r, const struct robo_description *d, double wild,
                      struct robo_move *m)
{
    uint8_t servo[ROBO_MAX_DOFS] = { 0 };
    const double often = fmin(0.6, 12.0 / (d->dofs + 1));
    for (unsigned j = 0; j < d->joints; j++)
        for (unsigned k = 0; k < d->joint[j].dofs; k++) {
            uint8_t one = (uint8_t)(1u << robo__pick(r, 3));
            bool takes = d->joint[j].servo & one;
            if (robo__chance(r, often) && (takes || robo__chance(r, wild)))
                servo[d->joint[j].first + k] = one;
        }
    for (uint8_t group = ROBO_SERVO_SETPOINT; group <= ROBO_SERVO_FORCE; group *= 2) {
        for (unsigned i = 0; i < d->dofs && m->dofs < ROBO__DRAWN_DOFS; i++) {
            const struct robo_dof *dof = &d->dof[i];
            bool set = group == ROBO_SERVO_SETPOINT;
            double most = set                         ? 1
                          : group == ROBO_SERVO_SPEED ? limit_of(dof->speed, 1)
                                                      : limit_of(dof->force, 1);
            if (servo[i] == group)
                m->dof[m->dofs++] = (struct robo_move_dof){
                    .dof = (uint16_t)(robo__chance(r, wild) ? i + 1000 : i),
                    .servo = group,
                    .value = value(r, most, wild),
                    .velocity = set ? value(r, 0.1, wild) : 0,
                    .limit = set && robo__chance(r, 0.2) ? fabs(value(r, 1, wild)) : 0
                };
        }
    }
    m->parts |= robo__chance(r, 0.5) ? ROBO_MOVE_LIMITS : 0;
    m->parts |= robo__chance(r, 0.3) ? ROBO_MOVE_VELOCITIES : 0;
    m->parts |= robo__chance(r, 0.1) ? ROBO_MOVE_WIDE : 0;
}

static void draw_move(struct robo__run *run, struct robo__random *r,
                      const struct robo_description *d, struct robo_cmd *cmd)
{
    const double wild = run->wild;
    struct robo__drawn_move *drawn = &run->drawn[run->last_drawn++ % ROBO__DRAWN];
    struct robo_move *m = cmd->body.move = &drawn->move;
    *m = (struct robo_move){ .dof = drawn->dof, .frame = drawn->frame };
    if (robo__chance(r, 0.4)) {
        m->parts = robo__chance(r, 0.8) ? ROBO_MOVE_SPEED : ROBO_MOVE_PLACE;
        for (int i = 0; i < 3; i++)
            m->base[i] = i == 1 ? 0 : value(r, limit_of(d->base_speed[i], 1), wild);
    }
    draw_dofs(r, d, wild, m);
    if (m->dofs > 0 && robo__chance(r, 0.9))
        return;
    m->frames = (uint16_t)(d->frames > 0 && robo__chance(r, 0.2));
    if (m->frames) {
        struct robo_move_frame *frame = &m->frame[0];
        *frame = (struct robo_move_frame){ .frame = (uint16_t)robo__pick(
                                               r, robo__chance(r, wild) ? 256 : d->frames),
                                           .servo = (uint8_t)(1u << robo__pick(r, 3)) };
        frame->free = (uint8_t)(frame->servo == ROBO_SERVO_SETPOINT && robo__chance(r, 0.5));
        for (int i = 0; i < 6; i++)
            frame->value[i] = value(r, 0.5, wild);
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
    { ROBO_MOVE, 6 },
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

void robo__draw_command(struct robo__run *run, struct robo__random *r,
                        const struct robo_description *d, struct robo_cmd *cmd)
{
    const double wild = run->wild;
    *cmd = (struct robo_cmd){ .op = draw_kind(r, d, wild), .start = ROBO_AT_ONCE };
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
    case ROBO_MOVE: draw_move(run, r, d, cmd); break;
    default: break;
    }
}
