/* The wishes of a Gamebots client for its robot, gathered over a turn: of lines that arrive together only the newest counts, so that a
 * flood of them is one command. And their outcome. */
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "base/time.h"
#include "connection.h"
#include "robotalk/spec.h"
#include "robot/client.h"
#include "bridge_side.h"

enum { TOGETHER = 64 }; /* commands that are handed over at once */

/* ---- gathering ---- */

void robo__gb_wish_base(struct robo__gb_connection *c, const double velocity[4])
{
    c->wish.base = true;
    c->again = false;
    memcpy(c->wish.velocity, velocity, sizeof c->wish.velocity);
}

void robo__gb_wish_link(struct robo__gb_connection *c, const struct robo__gb_link *link,
                        uint8_t servo, double value)
{
    c->wish.dofs = true;
    c->wish.dof[link->dof] = (struct robo__gb_dof_wish){
        .value = link->sign && value != 0 ? -value : value, .servo = servo, .type = c->mover
    };
}

/* Dofs that wait do so no more. */
static void drop_dofs(struct robo__gb_connection *c)
{
    for (unsigned i = 0; c->wish.again && i < c->vehicle->description->dofs; i++)
        if (c->wish.dof[i].again)
            c->wish.dof[i] = (struct robo__gb_dof_wish){ .servo = 0 };
    c->wish.again = false;
}

void robo__gb_forget(struct robo__gb_connection *c)
{
    c->wish.base = c->wish.dofs = c->wish.again = c->again = c->drives = false;
    c->driver = 0; /* if it was refused, it does not wait */
    for (unsigned i = 0; c->wish.dof && i < c->vehicle->description->dofs; i++)
        c->wish.dof[i] = (struct robo__gb_dof_wish){ .servo = 0 };
    memset(c->steering, 0, sizeof c->steering);
    memset(c->flight, 0, sizeof c->flight);
    robo__gb_end_epoch(c);
}

/* ---- results ---- */

enum { TOLD = sizeof((struct robo__gb_connection *)0)->told };

/* Whether a stop by another client holds this one: then by whom, and until when. */
static bool words_of_latch(const struct robo__gb_connection *c, char text[TOLD])
{
    struct robo_notice_latched latch;
    robo__session_latch(c->seat.session, &latch);
    if (latch.holds)
        snprintf(text, TOLD,
                 "stopped by %s %u: nothing moves before a speed of 0 at rest, 5 s without motion "
                 "commands or a new connection",
                 latch.name, (unsigned)latch.by);
    return latch.holds;
}

/* Whether the latch of a stop that the client was told of has refused it. */
static bool is_held(const struct robo__gb_connection *c, const struct robo_result *r)
{
    return r->signal == ROBO_INTERRUPTED && r->reason == ROBO_WHY_STOPPED && c->latched &&
           (int32_t)(r->id - c->latched_at) > 0;
}

static void words_of(const struct robo__gb_connection *c, const struct robo_result *r,
                     char text[TOLD])
{
    const char *why = robo__reason_doc(r->reason);
    if (!is_held(c, r) || !words_of_latch(c, text))
        snprintf(text, TOLD, "%s%s%s", robo_signal_name(r->signal), *why ? ": " : "", why);
}

/* About events that others may cause again and again: the log has a line a second at most. */
static void complain(struct robo__gb_connection *c, const char *why)
{
    char line[224];
    snprintf(line, sizeof line, "gamebots: %s: %s", c->vehicle->name, why);
    robo__complain_of(c->conn->host, ROBO__OVERRULED, line);
}

/* Whether a wish of a bridge's script is lost since no command can carry it out: the script's behaviours go on with it, and
 * their next wishes would move the robot as soon as commands are possible again. An obstacle of a base is no such loss; nor
 * is a joint that does not come to its goal. */
static bool is_lost(const struct robo__gb_connection *c, const struct robo_result *r)
{
    const bool base = r->op == ROBO_SET_SPEED || r->op == ROBO_SET_FRAME_SPEED;
    return c->side && r->signal == ROBO_ERROR && r->op != ROBO_STOP &&
           (r->reason == ROBO_WHY_LINK || (base && r->reason != ROBO_WHY_BLOCKED));
}

/* Whether a command has found its axes braking for their former owner: it waits, unless another one has come since. The
 * base waits for another motion that holds it, too; joints do not, since that may take long, as a walk of legs. */
static bool waits(struct robo__gb_connection *c, const struct robo_result *r)
{
    bool any = r->id == c->driver;
    if (r->signal != ROBO_BUSY || (r->reason != ROBO_WHY_AXIS && r->reason != ROBO_WHY_BRAKING))
        return false;
    c->again |= any;
    if (r->reason != ROBO_WHY_BRAKING)
        return any;
    for (unsigned i = 0; i < c->vehicle->description->dofs; i++) {
        struct robo__gb_dof_wish *wish = &c->wish.dof[i];
        if (wish->id != r->id)
            continue;
        wish->value = wish->given;
        wish->servo = wish->by;
        wish->again = c->wish.again = any = true;
    }
    return any;
}

/* The type of the line for which that command was given; id 0: of the first that waits. A newer command
 * to its joint, which was refused, may have taken its place here: most likely it is of the same type. */
static const char *type_of(const struct robo__gb_connection *c, uint32_t id, bool joint)
{
    const char *newer = NULL;
    for (unsigned i = 0; i < c->vehicle->description->dofs; i++) {
        const struct robo__gb_dof_wish *wish = &c->wish.dof[i];
        if (wish->type && (id ? wish->id == id : wish->again))
            return wish->type;
        if (joint && !newer && wish->id > id)
            newer = wish->type;
    }
    return newer ? newer : "DRIVE";
}

/* Notifies the client of a refusal, once as long as it stays the same. */
static void tell(struct robo__seat *seat, const struct robo_result *r)
{
    struct robo__gb_connection *c = robo__container_of(seat, struct robo__gb_connection, seat);
    char text[TOLD];
    const bool held = is_held(c, r);
    if (waits(c, r))
        return;
    if (r->signal == ROBO_SUCCESS || r->signal == ROBO_MODIFIED ||
        (r->signal == ROBO_INTERRUPTED && !held)) {
        c->drives &= r->signal != ROBO_INTERRUPTED || r->id != c->driver;
        if (r->signal != ROBO_SUCCESS || r->op == ROBO_STOP)
            return;
        c->told[0] = 0;
        if (c->lost_device)
            robo__gb_say_control(c, NULL);
        c->lost_device = false;
        return;
    }
    c->drives &= r->id != c->driver;
    words_of(c, r, text);
    const bool known = strcmp(text, c->told) == 0;
    if (is_lost(c, r))
        c->lost = true, c->lost_news |= !known;
    if (known)
        return;
    memcpy(c->told, text, sizeof c->told);
    if (held)
        complain(c, text);
    else
        robo__world_log(c->conn->host->world, ROBO_LOG_WARNING, "gamebots: %s: %s",
                        c->vehicle->name, text);
    const bool joint =
        r->op == ROBO_SET_JOINT || r->op == ROBO_SET_JOINT_SPEED || r->op == ROBO_SET_JOINT_FORCE;
    if (c->strict)
        robo__gb_say_result(c, type_of(c, r->id, joint), c->vehicle->name, false, text);
}

/* All wishes are over since some were lost. */
static void end_lost(struct robo__gb_connection *c, robo_time now)
{
    if (!c->lost)
        return;
    robo__gb_fail_bridge(c, c->lost_news ? c->told : NULL, now);
    c->lost = c->lost_news = false;
}

/* The other client may have taken a part alone: all that this one moves stops, since none of its lines is carried out any more. */
static void lose(struct robo__gb_connection *c, const char *why, robo_time now)
{
    c->controls = false;
    robo__gb_stop(c, now);
    robo__world_log(c->conn->host->world, ROBO_LOG_WARNING, "gamebots: %s: %s", c->vehicle->name,
                    why);
    robo__gb_say_control(c, why);
}

static const char STOPPED[] = "the robot was stopped, or a part of it: all of it stops";

/* Ends the waiting wishes, and reports it, since their end is invisible. base: that of the base, too. */
static void end_waiting(struct robo__gb_connection *c, bool base, const char *why)
{
    char text[128];
    if (!c->wish.again && !(base && c->again))
        return;
    snprintf(text, sizeof text, "what waits for the robot to brake is not done any more: %s", why);
    complain(c, text);
    if (c->strict)
        robo__gb_say_result(c, base && c->again ? "DRIVE" : type_of(c, 0, false), c->vehicle->name,
                            false, text);
    drop_dofs(c);
}

/* Events of the robot that end earlier lines: waiting commands are not given once more, and all wishes of a bridge's script are
 * over, whatever of them still moves. Without a bridge the base goes on with its last line when another part is stopped or lost. */
static void hear_ends(struct robo__gb_connection *c, unsigned changes, robo_time now)
{
    const bool stopped = changes & (ROBO__SEAT_STOPS | ROBO__SEAT_STOPPED),
               lost = changes & ROBO__SEAT_FAULT, silent = changes & ROBO__SEAT_SILENT,
               changed = changes & ROBO__SEAT_REVISED, /* a reload has stopped it */
        base = !c->vehicle->has_base || (changes & ROBO__SEAT_BASE) || silent || changed;
    if (!stopped && !lost && !silent && !changed)
        return;
    const char *why = lost      ? "a device of the robot is lost"
                      : stopped ? "the robot was stopped, or a part of it"
                      : changed ? "the robot is described anew"
                                : "its deadman has stopped it";
    char latch[TOLD];
    const bool holds = stopped && !lost && words_of_latch(c, latch);
    end_waiting(c, base || c->side, why);
    c->lost_device |= lost;
    if (c->side && stopped && !lost)
        complain(c, holds ? latch : STOPPED);
    if (c->side && (lost || stopped)) {
        robo__gb_fail_bridge(c,
                             lost    ? "a device of the robot is lost: the robot stops"
                             : holds ? latch
                                     : STOPPED,
                             now);
        return;
    }
    if (base || c->side)
        robo__gb_forget(c);
    if (c->seat.commands != c->commands_told || lost || (holds && !c->latched))
        robo__gb_say_control(c, holds ? latch : why);
}

/* A panic, and its reset. */
static void hear_panic(struct robo__gb_connection *c, const struct robo__seat_news *news)
{
    robo__gb_hear_for_bridge(c, c->seat.panic);
    if (news->changed & ROBO__SEAT_PANICKED) {
        robo__gb_forget(c);
        if (!news->was_in_panic)
            robo__gb_say_control(c, robo__reason_doc(ROBO_WHY_PANIC));
    }
    if (news->changed & ROBO__SEAT_RESET)
        robo__gb_say_control(c, NULL);
}

/* The end of a stop's latch: by another client's resume, or by the next command of this one (robo__latch_refuse). */
static void hear_latch(struct robo__gb_connection *c)
{
    struct robo_notice_latched latch;
    robo__session_latch(c->seat.session, &latch);
    if (c->latched && !latch.holds)
        robo__gb_say_control(c, NULL);
    if (!c->latched && latch.holds)
        c->latched_at = c->seat.commands;
    c->latched = latch.holds;
}

bool robo__gb_hear(struct robo__gb_connection *c, robo_time now)
{
    if (c->conn->closing) /* there may be no vehicle any more */
        return false;
    const struct robo__seat_news news = robo__seat_look(&c->seat, now);
    hear_ends(c, news.changed, now);
    hear_panic(c, &news);
    robo__seat_results(&c->seat);
    hear_latch(c);
    end_lost(c, now);
    if ((news.changed & ROBO__SEAT_GONE) ||
        (c->revision != robo__robot_revision(c->robot) && !robo__gb_renew(c))) {
        c->conn->closing = true;
        return false;
    }
    if ((news.changed & ROBO__SEAT_LOST) && c->controls)
        lose(c, "another client has taken control", now);
    return true;
}

/* The robot and its lease stay the client's, as long as it is there. */
static bool keeps(struct robo__seat *seat, robo_time now)
{
    struct robo__gb_connection *c = robo__container_of(seat, struct robo__gb_connection, seat);
    return robo__gb_hear(c, now) && c->controls;
}

static void on_silence(struct robo__seat *seat, robo_time now)
{
    struct robo__gb_connection *c = robo__container_of(seat, struct robo__gb_connection, seat);
    char why[80];
    snprintf(why, sizeof why, "nothing has come from its client for %g s: it stops",
             (double)seat->deadman / 1e9);
    robo__world_log(c->conn->host->world, ROBO_LOG_WARNING, "gamebots: %s: %s", c->vehicle->name,
                    why);
    robo__gb_stop(c, now);
    robo__gb_say_control(c, why);
}

const struct robo__seat_kind robo__gb_clients = { .client = "Gamebots client",
                                                  .wordless = true,
                                                  .result = tell,
                                                  .silent = on_silence,
                                                  .keeps = keeps };

/* ---- handing over ---- */

struct batch {
    struct robo_cmd cmd[TOGETHER];
    unsigned count;
    bool again; /* they are given once more */
};

static void send_batch(struct robo__gb_connection *c, struct batch *b, robo_time now)
{
    if (b->count == 0)
        return;
    /* a bridge's script was told of stops and panics, and repeated lines belong to what was known then; all others are of now */
    if (c->side || b->again)
        robo__seat_command_as_seen(&c->seat, b->cmd, b->count, now);
    else
        robo__seat_command(&c->seat, b->cmd, b->count, now);
    b->count = 0;
}

static struct robo_cmd *add(struct robo__gb_connection *c, struct batch *b, uint16_t op,
                            robo_time now)
{
    if (b->count == TOGETHER)
        send_batch(c, b, now);
    struct robo_cmd *cmd = &b->cmd[b->count++];
    *cmd = (struct robo_cmd){
        .op = op, .id = ++c->seat.commands, .revision = (uint8_t)c->revision, .start = ROBO_AT_ONCE
    };
    return cmd;
}

static void add_base(struct robo__gb_connection *c, struct batch *b, robo_time now)
{
    const double *v = c->wish.velocity;
    if (c->vehicle->has_base) {
        struct robo_cmd *cmd = add(c, b, ROBO_SET_SPEED, now);
        cmd->body.set_speed = (struct robo_set_speed){ v[0], v[1], v[3] };
    } else {
        struct robo_cmd *cmd = add(c, b, ROBO_SET_FRAME_SPEED, now);
        memcpy(cmd->body.frame.linear, v, sizeof cmd->body.frame.linear);
        cmd->body.frame.angular[2] = v[3];
    }
    c->driver = c->seat.commands;
    c->drives = v[0] != 0 || v[1] != 0 || v[2] != 0 || v[3] != 0;
    c->wish.base = false;
}

/* A joint's dofs with wishes for the same servo are one command: those that wait, or the others. */
static void add_joint(struct robo__gb_connection *c, struct batch *b, unsigned joint, robo_time now)
{
    static const uint16_t ops[] = { ROBO_SET_JOINT, ROBO_SET_JOINT_SPEED, ROBO_SET_JOINT_FORCE };
    static const uint8_t servos[] = { ROBO_SERVO_SETPOINT, ROBO_SERVO_SPEED, ROBO_SERVO_FORCE };
    const struct robo_joint *j = &c->vehicle->description->joint[joint];
    for (unsigned k = 0; k < 3; k++) {
        struct robo_cmd *cmd = NULL;
        for (unsigned i = 0; i < j->dofs; i++) {
            struct robo__gb_dof_wish *wish = &c->wish.dof[j->first + i];
            if (wish->servo != servos[k] || wish->again != b->again)
                continue;
            if (!cmd)
                cmd = add(c, b, ops[k], now);
            cmd->body.servo.joint = (uint16_t)joint;
            cmd->body.servo.mask = (uint8_t)(cmd->body.servo.mask | 1u << i);
            cmd->body.servo.value[i] = wish->value;
            *wish = (struct robo__gb_dof_wish){
                .by = wish->servo, .given = wish->value, .id = cmd->id, .type = wish->type
            };
        }
    }
}

static void add_joints(struct robo__gb_connection *c, struct batch *b, robo_time now)
{
    for (unsigned i = 0; i < c->vehicle->description->joints; i++)
        add_joint(c, b, i, now);
}

void robo__gb_hand_over(struct robo__gb_connection *c, robo_time now)
{
    struct batch b;
    if (!c->robot || (!c->wish.base && !c->wish.dofs && !c->again && !c->wish.again))
        return;
    b.count = 0;
    b.again = c->again;
    if (!c->controls) {
        robo__gb_forget(c);
        return;
    }
    if (c->wish.base || c->again)
        add_base(c, &b, now);
    c->again = false;
    if (c->wish.again) {
        if (!b.again)
            send_batch(c, &b, now);
        b.again = true;
        c->wish.again = false;
        add_joints(c, &b, now);
    }
    if (b.again)
        send_batch(c, &b, now);
    b.again = false;
    if (c->wish.dofs)
        add_joints(c, &b, now);
    c->wish.dofs = false;
    send_batch(c, &b, now);
    end_lost(c, now);
}

void robo__gb_halt(struct robo__gb_connection *c, robo_time now)
{
    struct batch b;
    b.count = 0;
    b.again = false;
    c->drives = c->again = false;
    drop_dofs(c);
    add(c, &b, ROBO_STOP, now)->body.stop.scope = 1;
    send_batch(c, &b, now);
}

void robo__gb_stop(struct robo__gb_connection *c, robo_time now)
{
    robo__gb_forget(c);
    robo__gb_halt(c, now);
}
