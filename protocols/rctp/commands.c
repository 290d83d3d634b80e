/* Messages of a client become commands of its session. All of one frame are handed over together, so that they begin at one
 * instant; each has a status of its own. */
#include <math.h>
#include <string.h>

#include "base/command.h"
#include "session_state.h"
#include "robot/client.h"

static const double MOST = 1e9; /* no value of a robot is greater */
/* ns, from when the client's machine has received a stop or a panic by another client until its messages were sent with
 * knowledge of it */
static const robo_time HEARING = 100000000;

/* ---- handing over ---- */

enum { PLACE = 1023 }; /* the bits of a command's id that say where its message is kept, from 1 */

bool robo__rctp_take_pending(struct robo__rctp_session *s, uint32_t command,
                             struct robo__rctp_pending *out)
{
    const unsigned place = (command & PLACE) - 1;
    struct robo__rctp_pending *pending = &s->pending[place < ROBO__RCTP_SLOTS ? place : 0];
    if (!pending->open || pending->id != command)
        return false;
    pending->open = false;
    s->pending_count--;
    *out = *pending;
    return true;
}

void robo__rctp_base_rests(struct robo__rctp_session *s)
{
    memset(s->base, 0, sizeof s->base);
    memset(s->admitted, 0, sizeof s->admitted);
    s->driver = 0;
}

/* A place for a message: any that is free, wherever older ones still are. Of stops that find none the newest has the last
 * one, since a stop waits for nothing. NULL: there is none. */
static struct robo__rctp_pending *find_place(struct robo__rctp_session *s, bool stop)
{
    const unsigned most = stop ? ROBO__RCTP_SLOTS - 1 : ROBO__RCTP_PENDING;
    struct robo__rctp_pending *last = &s->pending[ROBO__RCTP_SLOTS - 1];
    if (s->pending_count >= most) {
        if (stop)
            s->pending_count -= last->open;
        return stop ? last : NULL;
    }
    while (s->pending[s->place].open)
        s->place = (s->place + 1) % (ROBO__RCTP_SLOTS - 1);
    return &s->pending[s->place];
}

/* Commands that found no room. */
static void refuse(struct robo__rctp_session *s, unsigned from)
{
    for (unsigned i = from; i < s->count; i++) {
        struct robo__rctp_pending pending;
        robo__move_free(robo__move_of(&s->cmd[i]));
        if (!robo__rctp_take_pending(s, s->cmd[i].id, &pending))
            continue;
        robo__rctp_base_answered(s, &pending, true);
        robo__rctp_send_status(s, pending.object, pending.stamp, 429, "too many commands wait");
    }
}

/* The newest panic that the sender of the present message knows. */
static uint32_t known_epoch(const struct robo__rctp_session *s, robo_time now)
{
    return s->beside != s->reset_beside && now < s->settled ? s->known - 1 : s->known;
}

/* Whether the client has had time to read it since its machine has it. */
static bool has_heard(const struct robo__rctp_session *s, struct robo__rctp_told *told,
                      robo_time now)
{
    if (!robo__conn_has_come(s->conn, told->end))
        told->at = now;
    return now - told->at >= HEARING;
}

/* Messages from now on were sent with knowledge of the stops and panics by others that the client has received. */
static void note_knowledge(struct robo__rctp_session *s, robo_time now)
{
    if (s->stops_known != s->seat.stops && has_heard(s, &s->stopped, now))
        s->stops_known = s->seat.stops;
    if (s->heard_of != s->named && has_heard(s, &s->panicked, now))
        s->heard_of = s->named;
}

void robo__rctp_hand_over(struct robo__rctp_session *s, robo_time now)
{
    /* in 16 bits: a client that knows any panic but the newest is taken to know the one before that, since there may have
     * been 65536 since */
    const uint32_t newest = robo__robot_alarm(s->robot).epoch, epoch = s->at_work->epoch;
    if (s->count == 0)
        return;
    const size_t admitted = robo__seat_command_knowing(
        &s->seat, s->cmd, s->count, epoch == newest ? newest : newest - 1, s->at_work->stops, now);
    if (admitted < s->count)
        refuse(s, (unsigned)admitted);
    s->count = 0;
    robo__seat_results(&s->seat);
    if (s->held) /* its own stop may have latched who kept it out */
        robo__rctp_note_held(s, now);
}

/* Speeds of the base that later messages leave out go on as this command says, unless it is refused. */
static void drive(struct robo__rctp_session *s, const struct robo_cmd *cmd,
                  struct robo__rctp_pending *pending)
{
    if (cmd->op == ROBO_GO_TO || (cmd->op == ROBO_STOP && robo__stop_has_base(&cmd->body.stop)))
        robo__rctp_base_rests(s);
    if (cmd->op != ROBO_SET_SPEED)
        return;
    const double base[3] = { cmd->body.set_speed.x, cmd->body.set_speed.y,
                             cmd->body.set_speed.theta };
    pending->drives = true;
    memcpy(pending->base, base, sizeof base);
    memcpy(s->base, base, sizeof base);
    s->driver = cmd->id;
}

void robo__rctp_base_answered(struct robo__rctp_session *s,
                              const struct robo__rctp_pending *pending, bool refused)
{
    if (!pending->drives)
        return;
    if (!refused)
        memcpy(s->admitted, pending->base, sizeof s->admitted);
    else if (pending->id == s->driver)
        memcpy(s->base, s->admitted, sizeof s->base);
}

void robo__rctp_add(struct robo__rctp_session *s, const struct robo_cmd *made, uint8_t object,
                    uint64_t stamp, robo_time start, robo_time now)
{
    if (s->count == ROBO__RCTP_TOGETHER)
        robo__rctp_hand_over(s, now);
    struct robo__rctp_pending *pending = find_place(s, made->op == ROBO_STOP);
    if (!pending) {
        robo__move_free(robo__move_of(made));
        robo__rctp_send_status(s, object, stamp, 429, "too many commands are unanswered");
        return;
    }
    struct robo_cmd *cmd = &s->cmd[s->count++];
    *cmd = *made;
    cmd->id = ++s->commands * (PLACE + 1) + (uint32_t)(pending - s->pending) + 1;
    cmd->start = start;
    cmd->revision = (uint8_t)s->revision;
    *pending = (struct robo__rctp_pending){
        .id = cmd->id, .open = true, .object = object, .stamp = stamp
    };
    s->pending_count++;
    drive(s, cmd, pending);
    if (start != ROBO_AT_ONCE && start > s->newest)
        s->newest = start;
}

/* ---- control objects ---- */

static uint8_t servo_of(enum robo__rcml_quantity quantity)
{
    return quantity == ROBO__RCML_POSITION ? ROBO_SERVO_SETPOINT
           : quantity == ROBO__RCML_SPEED  ? ROBO_SERVO_SPEED
                                           : ROBO_SERVO_FORCE;
}

static struct robo_cmd make_base(const struct robo__rctp_session *s,
                                 const struct robo__rcml_object *o)
{
    const struct robo_rctp_message *m = &s->message;
    double base[3];
    memcpy(base, s->base, sizeof base);
    for (unsigned i = 0; i < o->parameters; i++)
        if (m->sent[i])
            base[o->parameter[i].which] = m->value[i];
    return (struct robo_cmd){
        .op = ROBO_SET_SPEED,
        .body.set_speed = { base[0], base[1], base[2] },
    };
}

static struct robo_cmd make_joint(const struct robo__rctp_session *s,
                                  const struct robo__rcml_object *o)
{
    const struct robo_rctp_message *m = &s->message;
    const unsigned first = robo_body_description(s->body)->joint[o->number].first;
    struct robo_cmd cmd = {
        .op = robo__command_to(ROBO_MOVES_JOINT, servo_of(o->parameter[0].quantity)),
        .body.servo.joint = o->number,
    };
    for (unsigned i = 0; i < o->parameters; i++) {
        const unsigned dof = o->parameter[i].which - first;
        if (!m->sent[i])
            continue;
        cmd.body.servo.mask |= (uint8_t)(1u << dof);
        cmd.body.servo.value[dof] = m->value[i];
    }
    return cmd;
}

/* A frame of all joints: the dofs with set-points come first, then those with speeds, then those with forces. false: no
 * memory. */
static bool make_joints(struct robo__rctp_session *s, const struct robo__rcml_object *o,
                        struct robo_cmd *cmd)
{
    static const uint8_t order[] = { ROBO_SERVO_SETPOINT, ROBO_SERVO_SPEED, ROBO_SERVO_FORCE };
    static const uint16_t parts[] = { ROBO_MOVE_SETPOINTS, ROBO_MOVE_SPEEDS, ROBO_MOVE_FORCES };
    const struct robo_rctp_message *m = &s->message;
    struct robo__session_move *move = robo__session_make_move(s->seat.session, m->count, 0);
    unsigned n = 0;
    if (!move)
        return false;
    for (unsigned k = 0; k < 3; k++) {
        for (unsigned i = 0; i < o->parameters; i++) {
            const struct robo__rcml_parameter *p = &o->parameter[i];
            if (!m->sent[i] || servo_of(p->quantity) != order[k])
                continue;
            move->set.parts |= parts[k];
            move->set.dof[n++] =
                (struct robo_move_dof){ .value = m->value[i], .dof = p->which, .servo = order[k] };
        }
    }
    *cmd = (struct robo_cmd){ .op = ROBO_MOVE, .body.move = &move->set };
    return true;
}

/* A pose that has no attitude leaves that free; other parts that were not sent stay as they are now. */
static struct robo_cmd make_frame(struct robo__rctp_session *s, const struct robo__rcml_object *o)
{
    const struct robo_rctp_message *m = &s->message;
    const uint8_t servo = servo_of(o->parameter[0].quantity);
    const bool place = m->sent[0] || m->sent[1] || m->sent[2],
               attitude = m->sent[3] || m->sent[4] || m->sent[5];
    double value[6] = { 0 };
    struct robo_cmd cmd = { .op = robo__command_to(ROBO_MOVES_FRAME, servo),
                            .body.frame = { .frame = o->number } };
    if (servo == ROBO_SERVO_SETPOINT && m->count < 6)
        robo__rctp_read_object(s, o, value);
    for (unsigned i = 0; i < 6; i++)
        if (m->sent[i])
            value[i] = m->value[i];
    cmd.body.frame.free = servo == ROBO_SERVO_SETPOINT && place && !attitude;
    memcpy(cmd.body.frame.linear, value, sizeof cmd.body.frame.linear);
    memcpy(cmd.body.frame.angular, value + 3, sizeof cmd.body.frame.angular);
    return cmd;
}

static bool make(struct robo__rctp_session *s, const struct robo__rcml_object *o,
                 struct robo_cmd *cmd)
{
    switch (o->part) {
    case ROBO__RCML_BASE: *cmd = make_base(s, o); return true;
    case ROBO__RCML_JOINT: *cmd = make_joint(s, o); return true;
    case ROBO__RCML_FRAME: *cmd = make_frame(s, o); return true;
    default: return make_joints(s, o, cmd);
    }
}

static bool is_sane(const struct robo__rcml_object *o, const struct robo_rctp_message *m)
{
    for (unsigned i = 0; i < o->parameters; i++)
        if (m->sent[i] && !(fabs(m->value[i]) <= MOST))
            return false;
    return true;
}

/* A message to a control object that is in time. */
static void control(struct robo__rctp_session *s, const struct robo__rcml_object *o, robo_time now)
{
    const struct robo_rctp_message *m = &s->message;
    struct robo_cmd cmd;
    robo_time start;
    if (!is_sane(o, m))
        robo__rctp_send_status(s, m->id, m->stamp, 400, "value: expected at most 1e9");
    else if (!robo__rctp_intervals_date(&s->intervals, m->stamp, now, &start))
        robo__rctp_send_status(s, m->id, m->stamp, 400,
                               "stamp: expected an instant within an hour");
    else if (m->count == 0)
        return; /* it shows that the client is there */
    else if (!make(s, o, &cmd))
        robo__rctp_send_status(s, m->id, m->stamp, 429, "out of memory");
    else
        robo__rctp_add(s, &cmd, m->id, m->stamp, start, now);
}

/* ---- frames ---- */

/* Whether the client has an object by which it can say `reset`. */
static bool can_reset(const struct robo__rctp_session *s)
{
    for (unsigned id = 1; id <= ROBO__RCML_OBJECTS; id++) {
        const struct robo__rcml_object *o = s->object[id];
        if (o &&
            (o->part == ROBO__RCML_COMMAND ||
             (o->part == ROBO__RCML_WIDGET &&
              strncmp(robo_body_description(s->body)->widget[o->number].command, "reset", 5) == 0)))
            return true;
    }
    return false;
}

/* A client that cannot show that it knows of a panic would move nothing any more, and keep its lease. Its session ends. */
static void end_stale(struct robo__rctp_session *s)
{
    const bool stale = s->stale;
    s->stale = false;
    if (stale && !s->over && !robo__robot_alarm(s->robot).panic && !can_reset(s))
        robo__rctp_session_end(s, 503, "stale: there was a panic: expected a new session");
}

static bool may_control(struct robo__rctp_session *s, struct robo__rctp_frame *frame, robo_time now)
{
    const struct robo_rctp_message *m = &s->message;
    if (!s->controls) {
        robo__rctp_send_status(s, m->id, m->stamp, 409, "this client only watches");
        return false;
    }
    if (!frame->judged) {
        frame->judged = true;
        frame->verdict = robo__rctp_intervals_accept(&s->intervals, now);
        if (frame->verdict == ROBO__RCTP_ACCEPTED) {
            s->first = m->id;
            s->first_stamp = m->stamp;
            s->newest = 0;
        }
    }
    if (frame->verdict == ROBO__RCTP_EARLY)
        robo__rctp_send_status(s, m->id, m->stamp, 425, "sooner than command_interval allows");
    else if (frame->verdict == ROBO__RCTP_LOCKED)
        robo__rctp_send_status(s, m->id, m->stamp, 409,
                               "control_lock: expected to wait for status 100");
    return frame->verdict == ROBO__RCTP_ACCEPTED;
}

static void carry_out(struct robo__rctp_session *s, struct robo__rctp_frame *frame, robo_time now)
{
    const struct robo_rctp_message *m = &s->message;
    const struct robo__rcml_object *o = s->object[m->id];
    if (m->id == ROBO_RCTP_ALIVE)
        return;
    if (m->id == ROBO_RCTP_STATUS)
        robo__rctp_send_status(s, m->id, 0, 400, "255 is the robot's: a client sends no status");
    else if (o->output)
        robo__rctp_send_status(s, m->id, m->stamp, 409, "an output takes no commands");
    else if (m->why)
        robo__rctp_send_status(s, m->id, m->stamp, 400, m->why);
    else if (o->kind == ROBO__RCML_TEXT)
        robo__rctp_text(s, o, now);
    else if (o->kind != ROBO__RCML_CONTROL)
        robo__rctp_send_status(s, m->id, m->stamp, 501, NULL);
    else if (may_control(s, frame, now))
        control(s, o, now);
}

/* Reports bytes that cannot be read, from `in` on. */
static void tell_unreadable(struct robo__rctp_session *s, const uint8_t *in, ptrdiff_t error)
{
    if (error == ROBO_ESIZE)
        robo__rctp_send_status(s, in[0], s->message.stamp, 400, s->message.why);
    else if (error < 0)
        robo__rctp_send_status(s, in[0], 0, 404,
                               s->object[in[0]]
                                   ? "a camera takes no messages: the rest of the frame is dropped"
                                   : "no object has that number: the rest of the frame is dropped");
    else
        robo__rctp_send_status(s, in[0], 0, 400, "frame: expected whole messages");
}

static void begin_frame(struct robo__rctp_session *s, struct robo__rctp_frame *frame, robo_time now)
{
    frame->begun = true;
    note_knowledge(s, now); /* before this frame's own statuses wait */
    frame->epoch = known_epoch(s, now);
    frame->heard_of = s->own[s->beside] == s->named ? s->named : s->heard_of;
    frame->stops = s->resumed[s->beside] == s->seat.stops ? s->seat.stops : s->stops_known;
    robo__rctp_intervals_heard(&s->intervals, now);
    robo__seat_beat(&s->seat, now);
}

void robo__rctp_run_frame(struct robo__rctp_session *s, struct robo__rctp_frame *frame,
                          const uint8_t *in, robo_time now)
{
    if (!frame->begun)
        begin_frame(s, frame, now);
    s->at_work = frame;
    while (frame->left > 0 && !s->over && !(frame->in_turns && s->work >= ROBO__RCTP_TURN)) {
        const ptrdiff_t used = robo_rctp_decode(s->layout, in, frame->left, &s->message);
        if (used <= 0) {
            tell_unreadable(s, in, used);
            frame->left = 0;
            break;
        }
        s->work++;
        carry_out(s, frame, now);
        in += used;
        frame->left -= (size_t)used;
    }
    robo__rctp_hand_over(s, now);
    s->at_work = NULL;
    if (frame->left > 0)
        return;
    end_stale(s);
    if (!s->over)
        robo__rctp_send_permission(s, now);
}
