/* Frames: their memory, and how one is split into parts that drivers know. */
#include "move.h"

#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "body/revision.h"

/* ---- memory ---- */

size_t robo__move_size(unsigned dofs, unsigned frames)
{
    return sizeof(struct robo__session_move) + dofs * sizeof(struct robo_move_dof) +
           frames * sizeof(struct robo_move_frame) +
           (1 + dofs + frames) * sizeof(struct robo__part_result);
}

struct robo__session_move *robo__move_make(unsigned dofs, unsigned frames)
{
    struct robo__session_move *move = malloc(robo__move_size(dofs, frames));
    if (move)
        robo__move_empty(move, dofs, frames);
    return move;
}

void robo__move_empty(struct robo__session_move *move, unsigned dofs, unsigned frames)
{
    memset(move, 0, robo__move_size(dofs, frames));
    move->set.dofs = (uint16_t)dofs;
    move->set.frames = (uint16_t)frames;
    /* those of the strictest alignment first */
    move->set.dof = (struct robo_move_dof *)(move + 1);
    move->set.frame = (struct robo_move_frame *)(move->set.dof + dofs);
    move->part = (struct robo__part_result *)(move->set.frame + frames);
}

void robo__move_free(struct robo__session_move *move)
{
    free(move);
}

/* ---- what it is ---- */

static bool is_zero(const double *value, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (value[i] != 0)
            return false;
    return true;
}

bool robo__move_is_rest(const struct robo_move *m)
{
    if (m->parts & ROBO_MOVE_PLACE || !is_zero(m->base, 3))
        return false;
    for (unsigned i = 0; i < m->dofs; i++)
        if (m->dof[i].servo != ROBO_SERVO_SPEED || m->dof[i].value != 0)
            return false;
    for (unsigned i = 0; i < m->frames; i++)
        if (m->frame[i].servo != ROBO_SERVO_SPEED || !is_zero(m->frame[i].value, 6))
            return false;
    return m->parts & ROBO_MOVE_SPEED || m->dofs + m->frames > 0;
}

bool robo__cmd_is_rest(const struct robo_cmd *cmd)
{
    const struct robo_command_kind *kind = robo__command_of(cmd->op);
    const struct robo_servo_command *servo = &cmd->body.servo;
    if (cmd->op == ROBO_STOP)
        return true;
    if (cmd->op == ROBO_MOVE)
        return robo__move_is_rest(cmd->body.move);
    if (!kind || kind->servo != ROBO_SERVO_SPEED)
        return false;
    if (kind->moves != ROBO_MOVES_JOINT)
        return robo__command_is_zero(kind, cmd);
    for (unsigned i = 0; i < ROBO_JOINT_DOFS; i++)
        if (servo->mask >> i & 1 && servo->value[i] != 0)
            return false;
    return true;
}

static unsigned count_of(const struct robo__session_move *m)
{
    return 1u + m->set.dofs + m->set.frames;
}

/* Whether each part ended as the whole did, whose result then says it all. */
static bool is_uniform(const struct robo__session_move *m)
{
    const bool base = m->set.parts & (ROBO_MOVE_PLACE | ROBO_MOVE_SPEED);
    for (unsigned i = base ? 0 : 1; i < count_of(m); i++)
        if (m->part[i].signal != m->result.signal || m->part[i].reason != m->result.reason)
            return false;
    return true;
}

unsigned robo__move_report(const struct robo__session_move *m, struct robo_part *parts,
                           unsigned room)
{
    unsigned n = 0;
    if (is_uniform(m))
        return 0;
    for (unsigned i = 0; i < count_of(m); i++) {
        const struct robo__part_result *part = &m->part[i];
        if (part->signal == 0 || part->signal == ROBO_SUCCESS)
            continue;
        if (n < room)
            parts[n] = (struct robo_part){
                .kind = i == 0             ? ROBO_PART_BASE
                        : i <= m->set.dofs ? ROBO_PART_DOF
                                           : ROBO_PART_FRAME,
                .signal = part->signal,
                .reason = part->reason,
                .number = i == 0             ? 0
                          : i <= m->set.dofs ? m->set.dof[i - 1].dof
                                             : m->set.frame[i - 1 - m->set.dofs].frame,
            };
        n++;
    }
    return n;
}

/* ---- its parts ---- */

/* All that go to a driver together with that one: a joint has no more dofs than that, and they stand near each other. */
static unsigned end_of(const struct robo__session_move *m, unsigned first)
{
    unsigned end = first + ROBO_JOINT_DOFS;
    return first == 0 || first > m->set.dofs ? first + 1
           : end > m->set.dofs + 1u          ? m->set.dofs + 1u
                                             : end;
}

void robo__move_mark(struct robo__session_move *m, unsigned first, enum robo_signal signal,
                     enum robo_reason reason)
{
    for (unsigned i = first; i < end_of(m, first); i++)
        if (m->part[i].of == first)
            m->part[i] =
                (struct robo__part_result){ (uint8_t)signal, (uint8_t)reason, (uint16_t)first };
}

/* The joint that a dof belongs to, looked for from that one on; NULL: the body has no such dof, or it follows another. */
static const struct robo_joint *joint_of(const struct robo_description *d, unsigned dof,
                                         const struct robo_joint *from)
{
    if (dof >= d->dofs || d->dof[dof].mimics)
        return NULL;
    const struct robo_joint *joint = from, *end = d->joint + d->joints;
    while (dof < joint->first || dof >= joint->first + joint->dofs)
        joint = joint + 1 == end ? d->joint : joint + 1;
    return joint;
}

void robo__move_leave_out(struct robo__session_move *m, unsigned first, enum robo_reason why)
{
    robo__move_mark(m, first, ROBO_NA, why);
    for (unsigned i = end_of(m, first); i-- > first;)
        if (m->part[i].of == first)
            m->part[i].of = ROBO__NO_PART;
    if (m->result.reason == ROBO_WHY_NONE)
        m->result.reason = (uint8_t)why;
}

/* Sets out which dofs go together: those of a joint, with one servo and one limit. */
static void group(struct robo__session_move *m, const struct robo_description *d)
{
    const struct robo_joint *joint = d->joint;
    m->part[0].of = 0;
    for (unsigned i = 1 + m->set.dofs; i < count_of(m); i++)
        m->part[i].of = (uint16_t)i;
    for (unsigned i = 0; i < m->set.dofs; i++)
        m->part[i + 1].of = ROBO__NO_PART;
    for (unsigned i = 0; i < m->set.dofs; i++) {
        const struct robo_move_dof *dof = &m->set.dof[i];
        const struct robo_joint *of = joint_of(d, dof->dof, joint);
        if (!of || m->part[i + 1].of != ROBO__NO_PART)
            continue;
        joint = of;
        for (unsigned k = i; k + 1 < end_of(m, i + 1); k++) {
            const struct robo_move_dof *other = &m->set.dof[k];
            if (other->dof >= of->first && other->dof < of->first + of->dofs &&
                !d->dof[other->dof].mimics && other->servo == dof->servo &&
                other->limit == dof->limit && m->part[k + 1].of == ROBO__NO_PART)
                m->part[k + 1].of = (uint16_t)(i + 1);
        }
    }
}

static void base_command(const struct robo_move *m, struct robo_cmd *cmd)
{
    bool goes = m->parts & ROBO_MOVE_PLACE;
    cmd->op = goes ? ROBO_GO_TO : ROBO_SET_SPEED;
    if (goes)
        cmd->body.go_to =
            (struct robo_go_to){ .x = m->base[0], .y = m->base[1], .theta = m->base[2] };
    else
        cmd->body.set_speed =
            (struct robo_set_speed){ .x = m->base[0], .y = m->base[1], .theta = m->base[2] };
}

static void frame_command(const struct robo_move_frame *frame, struct robo_cmd *cmd)
{
    cmd->op = robo__command_to(ROBO_MOVES_FRAME, frame->servo);
    cmd->body.frame.frame = frame->frame;
    cmd->body.frame.free = frame->free;
    for (unsigned i = 0; i < 3; i++) {
        cmd->body.frame.linear[i] = frame->value[i];
        cmd->body.frame.angular[i] = frame->value[i + 3];
    }
}

static void joint_command(const struct robo__session_move *m, const struct robo_description *d,
                          const struct robo_joint *joint, unsigned first, struct robo_cmd *cmd)
{
    const struct robo_move_dof *dof = &m->set.dof[first - 1];
    struct robo_servo_command *servo = &cmd->body.servo;
    cmd->op = robo__command_to(ROBO_MOVES_JOINT, dof->servo);
    servo->joint = (uint16_t)(joint - d->joint);
    servo->speed = dof->limit;
    for (unsigned i = first; i < end_of(m, first); i++) {
        if (m->part[i].of != first)
            continue;
        unsigned number = m->set.dof[i - 1].dof - joint->first;
        servo->mask |= (uint8_t)(1u << number);
        servo->value[number] = m->set.dof[i - 1].value;
        servo->velocity[number] = m->set.dof[i - 1].velocity;
        if (servo->velocity[number] != 0 && servo->velocities <= number)
            servo->velocities = (uint8_t)(number + 1);
    }
}

struct robo__move_walk robo__move_parts(struct robo__session_move *m,
                                        const struct robo_description *d)
{
    group(m, d);
    for (unsigned i = 1; i <= m->set.dofs; i++) {
        const unsigned dof = m->set.dof[i - 1].dof;
        if (m->part[i].of != ROBO__NO_PART)
            continue;
        m->part[i].of = (uint16_t)i;
        robo__move_leave_out(m, i, dof < d->dofs ? ROBO_WHY_SERVO : ROBO_WHY_JOINT);
    }
    return robo__move_again(m, d);
}

struct robo__move_walk robo__move_again(const struct robo__session_move *m,
                                        const struct robo_description *d)
{
    return (struct robo__move_walk){ .move = m, .description = d, .joint = d->joint };
}

bool robo__move_next(struct robo__move_walk *walk, struct robo_cmd *cmd, unsigned *at)
{
    const struct robo__session_move *m = walk->move;
    const unsigned end = count_of(m);
    const bool base = m->set.parts & (ROBO_MOVE_PLACE | ROBO_MOVE_SPEED);
    unsigned i = walk->next;
    while (i < end && (m->part[i].of != i || (i == 0 && !base)))
        i++;
    walk->next = i + 1;
    *at = i;
    if (i >= end)
        return false;
    cmd->body = (union robo_cmd_body){ 0 };
    if (i == 0) {
        base_command(&m->set, cmd);
    } else if (i <= m->set.dofs) {
        walk->joint = joint_of(walk->description, m->set.dof[i - 1].dof, walk->joint);
        joint_command(m, walk->description, walk->joint, i, cmd);
    } else {
        frame_command(&m->set.frame[i - 1 - m->set.dofs], cmd);
    }
    return true;
}

/* ---- its axes ---- */

/* Adds the axes that a frame of the newest revision moves. */
static void add_axes(const struct robo__revision *newest, const struct robo_cmd *cmd,
                     struct robo__resources *axes)
{
    const struct robo_description *d = &newest->body->description;
    const struct robo_move *m = cmd->body.move;
    for (unsigned i = 0; i < m->dofs; i++)
        if (m->dof[i].dof < d->dofs)
            robo__dof_set_add(&axes->dofs, m->dof[i].dof);
    for (unsigned i = 0; i <= m->frames; i++) {
        struct robo_cmd part = { 0 };
        struct robo__resources its;
        if (i > 0)
            frame_command(&m->frame[i - 1], &part);
        else if (m->parts & (ROBO_MOVE_PLACE | ROBO_MOVE_SPEED))
            base_command(m, &part);
        if (robo__resources_of(d, newest->body->model, &part, &its) != ROBO_WHY_NONE)
            continue;
        axes->base |= its.base;
        robo__dof_set_unite(&axes->dofs, &its.dofs);
    }
}

const struct robo__resources *robo__move_need(const struct robo__revision *newest,
                                              const struct robo_cmd *cmd)
{
    struct robo__session_move *m = robo__move_of(cmd);
    if (m->axes_of != newest->revision + 1) {
        robo__resources_nothing(&m->axes, newest->body->description.dofs);
        add_axes(newest, cmd, &m->axes);
        m->axes_of = newest->revision + 1;
    }
    return &m->axes;
}

bool robo__cmd_meets(const struct robo__revision *newest, const struct robo_cmd *cmd,
                     const struct robo__resources *resources)
{
    struct robo_cmd renewed = *cmd;
    struct robo__resources its;
    if (cmd->op == ROBO_MOVE)
        return cmd->revision != (uint8_t)newest->revision ||
               robo__resources_meets(robo__move_need(newest, cmd), resources);
    return cmd->op != ROBO_STOP && robo__revision_renew(newest, &renewed) &&
           robo__resources_of(&newest->body->description, newest->body->model, &renewed, &its) ==
               ROBO_WHY_NONE &&
           robo__resources_meets(&its, resources);
}

bool robo__stop_names(const struct robo__revision *newest, const struct robo_cmd *stop,
                      struct robo__resources *resources)
{
    /* the numbers of an older revision may be of other axes */
    return stop->revision == (uint8_t)newest->revision &&
           robo__resources_of(&newest->body->description, newest->body->model, stop, resources) ==
               ROBO_WHY_NONE &&
           resources->parts;
}
