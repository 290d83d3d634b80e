/* Motions: commands on their way to the drivers, axes they hold, and the robot's word when they end.
 *
 * An axis is the base or one dof. A goal motion (go_to, a set-point) holds its axes from start to end. On a
 * held axis a later command
 *   - is answered BUSY as a rule;
 *   - takes over, when both are servo commands of the same session to a joint: the earlier set-point is
 *     answered MODIFIED, superseded. Streams of set-points live from that;
 *   - takes over a stop that is still braking.
 * STOP takes everything, from anybody: what it ends is answered INTERRUPTED, stopped. What waits in queues is
 * schedule.c's.
 *
 * A speed or a force holds no axis but lasts until changed; who set it is kept for each axis, since the robot
 * moves for that session and its deadman must know. */
#include <math.h>
#include <string.h>

#include "robot.h"

/* What a command needs of the body. */
struct need {
    bool base, setpoint;
    uint64_t dofs;
    uint8_t devices;
    bool keeps;        /* ends at its target and holds its axes until then */
    bool cartesian;    /* the core resolves it into servo commands */
    bool lasting_base; /* the base, or these dofs, move after it until told otherwise */
    uint64_t lasting_dofs;
};

/* Keeps the robot's list of sessions that move something, after one of its counts has changed. Who only brakes needs no
 * heartbeat: stopping is what its silence would bring about. */
static void count_moving(robo_robot *robot, struct robo__session *session)
{
    bool moving = session->running > session->braking || session->lasting > 0;
    if (moving == session->moving)
        return;
    session->moving = moving;
    if (moving) {
        robo__deadman_watch(session);
        session->next_moving = robot->moving;
        robot->moving = session;
    } else {
        struct robo__session **p = &robot->moving;
        while (*p != session)
            p = &(*p)->next_moving;
        *p = session->next_moving;
    }
}

void robo__motion_set_lasting(robo_robot *robot, unsigned axis, struct robo__session *session,
                              uint8_t devices)
{
    struct robo__lasting *lasting = &robot->lasting[axis];
    struct robo__session *old = lasting->now.session;
    *lasting = (struct robo__lasting){ .now = { session, devices } };
    if (old == session)
        return;
    if (old) {
        old->lasting--;
        count_moving(robot, old);
    }
    if (session) {
        session->lasting++;
        count_moving(robot, session);
    }
}

/* Nothing lasts any more on those devices. */
static void end_lasting(robo_robot *robot, unsigned devices)
{
    for (unsigned i = 0; i < ROBO__AXES; i++)
        if (robot->lasting[i].now.session && robot->lasting[i].now.devices & devices)
            robo__motion_set_lasting(robot, i, NULL, 0);
}

static robo_ticket number_of(const robo_robot *robot, const struct robo__ticket *t)
{
    return t->generation * ROBO__TICKETS + (robo_ticket)(t - robot->ticket);
}

/* A command that its driver has refused, or not yet carried out, leaves the axes as they were. */
static void put_back_lasting(robo_robot *robot, const struct robo__ticket *t)
{
    const robo_ticket ticket = number_of(robot, t);
    for (unsigned i = 0; t->over && i < ROBO__AXES; i++) {
        const struct robo__setter before = robot->lasting[i].before;
        if (robot->lasting[i].since == ticket && before.session)
            robo__motion_set_lasting(robot, i, before.session, before.devices);
    }
}

static void finish(robo_robot *robot, struct robo__ticket *t)
{
    for (unsigned i = 0; t->holds && i < ROBO__AXES; i++) {
        if (robot->axis[i] && &robot->ticket[robot->axis[i] - 1] == t) {
            robot->axis[i] = 0;
            robot->held--;
            t->holds--;
        }
    }
    t->taken = false;
    if (t->session) {
        t->result.signal = t->signal;
        t->result.reason = t->reason;
        t->result.finished = robo__robot_now(robot);
        t->session->running--;
        t->session->braking -= t->stop;
        count_moving(robot, t->session);
        robo__session_answer(t->session, &t->result);
    }
}

static void end(robo_robot *robot, struct robo__ticket *t, enum robo_signal signal,
                enum robo_reason reason)
{
    t->signal = (uint8_t)signal;
    t->reason = (uint8_t)reason;
    finish(robot, t);
}

static struct robo__ticket *find(robo_robot *robot, robo_ticket ticket)
{
    struct robo__ticket *t = &robot->ticket[ticket % ROBO__TICKETS];
    return t->taken && t->generation == ticket / ROBO__TICKETS ? t : NULL;
}

/* How bad a word is; of several devices' words the worst is the command's. */
static int badness(uint8_t signal)
{
    static const int rank[] = {
        [ROBO_SUCCESS] = 1,     [ROBO_MODIFIED] = 2, [ROBO_NA] = 3,   [ROBO_BUSY] = 4,
        [ROBO_INTERRUPTED] = 5, [ROBO_ERROR] = 6,    [ROBO_PANIC] = 7
    };
    return signal < sizeof rank / sizeof rank[0] ? rank[signal] : 0;
}

void robo_done(robo_device *device, robo_ticket ticket, enum robo_signal signal,
               enum robo_reason reason)
{
    struct robo__ticket *t = find(device->robot, ticket);
    if (!t || !(t->devices & 1u << device->index) || t->pending == 0)
        return;
    if (badness((uint8_t)signal) > badness(t->signal)) {
        t->signal = (uint8_t)signal;
        t->reason = (uint8_t)reason;
    }
    if (--t->pending > 0)
        return;
    if (badness(t->signal) > badness(ROBO_MODIFIED))
        put_back_lasting(device->robot, t);
    finish(device->robot, t);
}

void robo__motion_done(robo_robot *robot, robo_ticket ticket, enum robo_signal signal,
                       enum robo_reason reason)
{
    struct robo__ticket *t = find(robot, ticket);
    if (t)
        end(robot, t, signal, reason);
}

void robo__motion_missed(robo_robot *robot, robo_ticket ticket, double position, double rotation)
{
    struct robo__ticket *t = find(robot, ticket);
    if (!t)
        return;
    t->result.position_error = position;
    t->result.rotation_error = rotation;
    end(robot, t, ROBO_MODIFIED, ROBO_WHY_LIMIT);
}

void robo_post_done(robo_device *device, robo_ticket ticket, enum robo_signal signal,
                    enum robo_reason reason)
{
    robo__robot_lock(device->robot);
    robo_done(device, ticket, signal, reason);
    robo__robot_unlock(device->robot);
}

void robo__motion_fault(robo_robot *robot, unsigned device, enum robo_reason reason)
{
    for (unsigned i = 0; i < ROBO__TICKETS; i++) {
        struct robo__ticket *t = &robot->ticket[i];
        if (t->taken && t->devices & 1u << device)
            end(robot, t, ROBO_ERROR, reason);
    }
    robo__cartesian_forget(robot, 1u << device);
    robo__bus_forget(robot, 1u << device);
    end_lasting(robot, 1u << device);
}

void robo_post_fault(robo_device *device, enum robo_reason reason)
{
    robo_robot *robot = device->robot;
    robo__robot_lock(robot);
    robo__motion_fault(robot, device->index, reason);
    robo__robot_unlock(robot);
}

void robo_post_lost(robo_device *device, enum robo_reason reason)
{
    robo_post_fault(device, reason);
    robo_panic(device->robot);
}

void robo__motion_end(robo_robot *robot, enum robo_signal signal, enum robo_reason reason)
{
    for (unsigned i = 0; i < ROBO__TICKETS; i++)
        if (robot->ticket[i].taken)
            end(robot, &robot->ticket[i], signal, reason);
    robo__cartesian_yield(robot, UINT64_MAX, 0);
    robo__bus_forget(robot, UINT8_MAX);
    end_lasting(robot, UINT8_MAX);
}

/* The session is not there any more, or silent. Where others command what it had moved, that is theirs now, should their
 * commands be refused. */
static void pass_on(robo_robot *robot, const struct robo__session *session)
{
    for (unsigned i = 0; i < ROBO__AXES; i++) {
        struct robo__lasting *lasting = &robot->lasting[i];
        if (lasting->before.session != session)
            continue;
        const struct robo__ticket *t = find(robot, lasting->since);
        lasting->before.session = t && t->session != session ? t->session : NULL;
    }
}

void robo__motion_stop(robo_robot *robot, struct robo__session *session, enum robo_reason reason,
                       robo_time now)
{
    static const struct robo_cmd stop = { .op = ROBO_STOP };
    unsigned devices = 0;
    pass_on(robot, session);
    if (session->running + session->lasting == 0)
        return;
    for (unsigned i = 0; i < ROBO__AXES; i++)
        if (robot->lasting[i].now.session == session)
            devices |= robot->lasting[i].now.devices;
    for (unsigned i = 0; i < ROBO__TICKETS; i++)
        if (robot->ticket[i].taken && robot->ticket[i].session == session)
            devices |= robot->ticket[i].devices;
    for (unsigned i = 0; i < ROBO__TICKETS; i++) {
        struct robo__ticket *t = &robot->ticket[i];
        if (t->taken && t->devices & devices)
            end(robot, t, ROBO_INTERRUPTED, t->session == session ? reason : ROBO_WHY_STOPPED);
    }
    robo__cartesian_forget(robot, devices);
    end_lasting(robot, devices);
    for (unsigned i = 0; i < robot->description->devices; i++)
        if (devices & 1u << i)
            robo__device_start(robot->device[i], &stop, 0,
                               now); /* nobody waits: its ticket is stale */
}

static uint64_t joint_dofs(const struct robo_joint *joint, unsigned mask)
{
    return joint->dofs ? (uint64_t)mask << joint->first : 0;
}

static bool finite_all(const double *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(v[i]))
            return false;
    return true;
}

/* A servo command to one joint: which dofs and device it needs. */
static enum robo_reason need_joint(const struct robo_description *d, unsigned number, unsigned mask,
                                   unsigned servo, const double value[6], double speed,
                                   struct need *need)
{
    if (number >= d->joints)
        return ROBO_WHY_JOINT;
    const struct robo_joint *joint = &d->joint[number];
    if (mask == 0 || mask >> joint->dofs)
        return ROBO_WHY_JOINT;
    if (!finite_all(value, ROBO_JOINT_DOFS) || !isfinite(speed) || speed < 0)
        return ROBO_WHY_RANGE;
    if (!(joint->servo & servo))
        return ROBO_WHY_SERVO;
    for (unsigned i = 0; i < joint->dofs; i++)
        if (mask & 1u << i && d->dof[joint->first + i].mimics)
            return ROBO_WHY_SERVO;
    need->dofs = joint_dofs(joint, mask);
    need->devices = (uint8_t)(1u << joint->device);
    need->setpoint = true;
    need->keeps = servo == ROBO_SERVO_SETPOINT;
    /* a force of zero is no rest: what moves goes on */
    for (unsigned i = 0; i < joint->dofs; i++)
        if (!need->keeps && mask & 1u << i && (value[i] != 0 || servo == ROBO_SERVO_FORCE))
            need->lasting_dofs |= joint_dofs(joint, 1u << i);
    return ROBO_WHY_NONE;
}

static enum robo_reason need_base(const struct robo_description *d, const double *value, size_t n,
                                  struct need *need)
{
    if (!finite_all(value, n))
        return ROBO_WHY_RANGE;
    for (unsigned i = 0; i < d->devices; i++)
        if (d->device[i].base)
            need->devices |= (uint8_t)(1u << i);
    need->base = true;
    return need->devices ? ROBO_WHY_NONE : ROBO_WHY_UNSUPPORTED;
}

/* A command to a control frame: all dofs between it and its root that take such servo commands. */
static enum robo_reason need_frame(const struct robo_description *d, unsigned frame, unsigned servo,
                                   const double *value, size_t n, struct need *need)
{
    if (d->frames == 0)
        return ROBO_WHY_UNSUPPORTED;
    if (frame >= d->frames)
        return ROBO_WHY_FRAME;
    if (!finite_all(value, n))
        return ROBO_WHY_RANGE;
    if (!(d->frame[frame].servo & servo))
        return ROBO_WHY_SERVO;
    need->dofs = robo__cartesian_dofs(d, frame);
    if (!need->dofs)
        return ROBO_WHY_UNSUPPORTED;
    for (unsigned i = 0; i < d->joints; i++)
        if (need->dofs & joint_dofs(&d->joint[i], (1u << d->joint[i].dofs) - 1))
            need->devices |= (uint8_t)(1u << d->joint[i].device);
    need->cartesian = need->setpoint = true;
    need->keeps = servo == ROBO_SERVO_SETPOINT;
    for (size_t i = 0; i < n && !need->keeps; i++)
        if (value[i] != 0 || servo == ROBO_SERVO_FORCE)
            need->lasting_dofs = need->dofs;
    return ROBO_WHY_NONE;
}

/* go_to and set_speed: of the base, or of a root that dofs move. */
static enum robo_reason need_root(const struct robo_description *d, unsigned servo,
                                  const double value[3], struct need *need)
{
    return robo__cartesian_root(d) ? need_frame(d, 0, servo, value, 3, need)
                                   : need_base(d, value, 3, need);
}

/* What a command needs, or why it cannot be. */
static enum robo_reason needs(const struct robo_description *d, const struct robo_cmd *cmd,
                              struct need *need)
{
    const union robo_body *b = &cmd->body;
    unsigned n = (unsigned)cmd->op - ROBO_FIRST_OP;
    if (cmd->op < ROBO_FIRST_OP || cmd->op > ROBO_LAST_OP ||
        !(d->commands >> n & 1 || cmd->op == ROBO_STOP))
        return ROBO_WHY_UNSUPPORTED;

    switch (cmd->op) {
    case ROBO_GO_TO:
        need->keeps = true;
        return need_root(d, ROBO_SERVO_SETPOINT,
                         (double[]){ b->go_to.x, b->go_to.y, b->go_to.theta }, need);
    case ROBO_SET_SPEED:
        need->lasting_base = b->set_speed.x != 0 || b->set_speed.y != 0 || b->set_speed.theta != 0;
        return need_root(d, ROBO_SERVO_SPEED,
                         (double[]){ b->set_speed.x, b->set_speed.y, b->set_speed.theta }, need);
    case ROBO_STEP:
        need->keeps = true;
        return need_base(d, (double[]){ b->step.x, b->step.y, b->step.theta }, 3, need);
    case ROBO_SET_JOINT:
        return need_joint(d, b->set_joint.joint, b->set_joint.mask, ROBO_SERVO_SETPOINT,
                          b->set_joint.value, b->set_joint.speed, need);
    case ROBO_SET_JOINT_SPEED:
        return need_joint(d, b->set_joint_speed.joint, b->set_joint_speed.mask, ROBO_SERVO_SPEED,
                          b->set_joint_speed.value, 0, need);
    case ROBO_SET_JOINT_FORCE:
        return need_joint(d, b->set_joint_force.joint, b->set_joint_force.mask, ROBO_SERVO_FORCE,
                          b->set_joint_force.value, 0, need);
    case ROBO_HOME:
        need->setpoint = need->keeps = true;
        for (unsigned i = 0; i < d->joints; i++) {
            if (!(d->joint[i].servo & ROBO_SERVO_SETPOINT))
                continue;
            need->dofs |= joint_dofs(&d->joint[i], (1u << d->joint[i].dofs) - 1);
            need->devices |= (uint8_t)(1u << d->joint[i].device);
        }
        return need->devices ? ROBO_WHY_NONE : ROBO_WHY_UNSUPPORTED;
    case ROBO_STOP:
        need->base = true;
        need->dofs = UINT64_MAX;
        need->devices = (uint8_t)((1u << d->devices) - 1);
        return ROBO_WHY_NONE;
    case ROBO_SET_FRAME:
        return need_frame(d, b->set_frame.frame, ROBO_SERVO_SETPOINT, b->set_frame.position, 6,
                          need);
    case ROBO_SET_FRAME_SPEED:
        return need_frame(d, b->set_frame_speed.frame, ROBO_SERVO_SPEED, b->set_frame_speed.linear,
                          6, need);
    case ROBO_SET_FRAME_FORCE:
        return need_frame(d, b->set_frame_force.frame, ROBO_SERVO_FORCE, b->set_frame_force.force,
                          6, need);
    default: return ROBO_WHY_UNSUPPORTED;
    }
}

static enum robo_signal signal_of(enum robo_reason reason)
{
    return reason == ROBO_WHY_UNSUPPORTED || reason == ROBO_WHY_SERVO ? ROBO_NA : ROBO_ERROR;
}

static bool yields(const struct robo__ticket *held, const struct need *need,
                   const struct robo__session *session)
{
    return held->stop || (held->setpoint && need->setpoint && held->session == session);
}

static bool wants(const struct need *need, unsigned axis)
{
    return axis == ROBO__BASE_AXIS ? need->base : (need->dofs >> axis & 1) != 0;
}

/* A later command takes some axes of a motion, which is over with that. Its set-points for others stand: they go on
 * there, for the same session, as a speed does. */
static void supersede(robo_robot *robot, struct robo__ticket *t, const struct need *need)
{
    const uint16_t number = (uint16_t)(t - robot->ticket + 1);
    struct robo__session *session = t->session;
    put_back_lasting(robot, t);
    for (unsigned i = 0; i < ROBO__AXES && t->holds > 1; i++)
        if (t->setpoint && session && robot->axis[i] == number && !wants(need, i))
            robo__motion_set_lasting(robot, i, session, t->devices);
    end(robot, t, ROBO_MODIFIED, ROBO_WHY_SUPERSEDED);
}

/* Frees the axes a command needs; false, and nothing changed, when one of them is held against it. */
static bool take_axes(robo_robot *robot, const struct need *need, bool stop,
                      const struct robo__session *session)
{
    if (stop) {
        /* all, not just what holds an axis: a stop shall not lack a ticket since drivers are slow */
        for (unsigned i = 0; i < ROBO__TICKETS; i++) {
            struct robo__ticket *t = &robot->ticket[i];
            if (!t->taken)
                continue;
            put_back_lasting(robot, t);
            end(robot, t, t->stop ? ROBO_MODIFIED : ROBO_INTERRUPTED,
                t->stop ? ROBO_WHY_SUPERSEDED : ROBO_WHY_STOPPED);
        }
        return true;
    }
    if (robot->held == 0)
        return true;
    for (unsigned i = 0; i < ROBO__AXES; i++)
        if (robot->axis[i] && wants(need, i) &&
            !yields(&robot->ticket[robot->axis[i] - 1], need, session))
            return false;
    for (unsigned i = 0; i < ROBO__AXES; i++)
        if (robot->axis[i] && wants(need, i))
            supersede(robot, &robot->ticket[robot->axis[i] - 1], need);
    return true;
}

static struct robo__ticket *take_ticket(robo_robot *robot)
{
    for (unsigned i = 0; i < ROBO__TICKETS; i++) {
        struct robo__ticket *t = &robot->ticket[i];
        if (t->taken)
            continue;
        uint32_t generation =
            t->generation % (UINT32_MAX / ROBO__TICKETS) + 1; /* never 0: ticket 0 is nobody's */
        *t = (struct robo__ticket){ .taken = true, .generation = generation };
        return t;
    }
    return NULL;
}

static void note_axis(robo_robot *robot, unsigned axis, struct robo__session *session,
                      struct robo__ticket *t)
{
    struct robo__lasting *lasting = &robot->lasting[axis];
    const struct robo__setter before = lasting->now;
    robo__motion_set_lasting(robot, axis, session, t->devices);
    if (!before.session)
        return;
    lasting->before = before;
    lasting->since = number_of(robot, t);
    t->over = true;
}

/* Whose speeds last on the axes that a command is for. */
static void note_lasting(robo_robot *robot, const struct need *need, struct robo__ticket *t)
{
    if (need->base)
        note_axis(robot, ROBO__BASE_AXIS, need->lasting_base ? t->session : NULL, t);
    for (unsigned i = 0; need->dofs && i < robot->description->dofs; i++)
        if (wants(need, i))
            note_axis(robot, i, need->lasting_dofs >> i & 1 ? t->session : NULL, t);
}

static void hold_axes(robo_robot *robot, struct robo__ticket *t, const struct need *need)
{
    for (unsigned i = 0; i < ROBO__AXES; i++) {
        if (!wants(need, i) || (i != ROBO__BASE_AXIS && i >= robot->description->dofs))
            continue;
        robot->axis[i] = (uint16_t)(t - robot->ticket + 1);
        robot->held++;
        t->holds++;
    }
}

void robo__motion_begin(robo_robot *robot, struct robo__session *session,
                        const struct robo_cmd *cmd, robo_time scheduled, robo_time now)
{
    bool stop = cmd->op == ROBO_STOP;
    struct need need = { 0 };
    struct robo_cmd renewed;
    now = robo__robot_forward(robot, now);
    if (cmd->generation != (uint8_t)robot->versions->generation && !stop) {
        renewed = *cmd;
        if (!robo__version_renew(robot->versions, &renewed)) {
            robo__robot_refuse(session, cmd, scheduled, ROBO_ERROR, ROBO_WHY_CHANGED, now);
            return;
        }
        cmd = &renewed;
    }
    enum robo_reason why = needs(robot->description, cmd, &need);
    if (why) {
        robo__robot_refuse(session, cmd, scheduled, signal_of(why), why, now);
        return;
    }
    if (robot->away && stop) { /* that is what its devices were left with */
        struct robo_result done = { .id = cmd->id, .op = cmd->op, .signal = ROBO_SUCCESS };
        done.scheduled = scheduled;
        done.executed = done.finished = now;
        session->executed++;
        robo__session_answer(session, &done);
        return;
    }
    if (robot->away) {
        robo__robot_refuse(session, cmd, scheduled, ROBO_BUSY, ROBO_WHY_CHANGED, now);
        return;
    }
    if (!take_axes(robot, &need, stop, session)) {
        robo__robot_refuse(session, cmd, scheduled, ROBO_BUSY, ROBO_WHY_AXIS, now);
        return;
    }
    struct robo__ticket *t = take_ticket(robot);
    if (!t) {
        robo__robot_refuse(session, cmd, scheduled, ROBO_ERROR, ROBO_WHY_FULL, now);
        return;
    }

    t->setpoint = need.setpoint;
    t->stop = stop;
    t->devices = need.devices;
    t->session = session;
    t->result = (struct robo_result){
        .id = cmd->id, .op = cmd->op, .scheduled = scheduled, .executed = now
    };
    const robo_ticket ticket = number_of(robot, t);
    if (need.keeps || stop)
        hold_axes(robot, t, &need);

    session->running++;
    session->braking += stop;
    note_lasting(robot, &need, t);
    count_moving(robot, session);
    session->executed++;
    if (!session->begun) {
        session->begun = true;
        session->first_delay = now - scheduled + session->shift;
    }
    if (now - scheduled > session->worst)
        session->worst = now - scheduled;
    if (session->buffered)
        atomic_store_explicit(&session->word, now, memory_order_relaxed);

    robo__cartesian_yield(robot, stop ? UINT64_MAX : need.dofs, now);
    if (need.cartesian) {
        enum robo_reason what = robo__cartesian_begin(robot, cmd, need.dofs, ticket, now);
        if (what == ROBO_WHY_AXIS) {
            put_back_lasting(robot, t);
            robo__motion_done(robot, ticket, ROBO_BUSY, what);
        } else if (!need.keeps)
            robo__motion_done(robot, ticket, what ? ROBO_MODIFIED : ROBO_SUCCESS, what);
        return;
    }
    for (unsigned i = 0; i < robot->description->devices; i++)
        if (need.devices & 1u << i)
            t->pending++;
    /* all are counted before any is started: one that reports at once must not end the whole */
    for (unsigned i = 0; i < robot->description->devices; i++)
        if (need.devices & 1u << i)
            robo__device_start(robot->device[i], cmd, ticket, now);
    if (need.devices == 0) /* a robot without devices stands */
        robo__motion_done(robot, ticket, ROBO_SUCCESS, ROBO_WHY_NONE);
}
