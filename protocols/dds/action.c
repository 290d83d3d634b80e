/* Goals of follow_joint_trajectory. */
#include "action.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/readers.h"
#include "base/status.h"
#include "base/time.h"
#include "motion/move.h"
#include "net/seat.h"
#include "robot/client.h"
#include "robot/world/world.h"
#include "trajectory.h"

static const robo_time STEP = 20000000, AHEAD = 100000000, FEEDBACK = 100000000,
                       SETTLE = 1000000000; /* to reach the last point */

enum { NAME = 160, UUID = 16, DOFS = 64, KEPT = 8 /* goals, and requests for results */ };
enum { SEND, CANCEL, RESULT, SERVICES };
/* action_msgs/msg/GoalStatus; codes of control_msgs' result */
enum { EXECUTING = 2, SUCCEEDED = 4, CANCELED = 5, ABORTED = 6 };
enum { INVALID_GOAL = -1, PATH_TOLERANCE_VIOLATED = -4, GOAL_TOLERANCE_VIOLATED = -5 };

struct goal {
    uint8_t id[UUID];
    robo_time accepted; /* since 1970 */
    int status;         /* 0: there is none */
    int code;
    char text[160];
};

struct asked {
    uint8_t id[UUID];
    uint64_t call[2];
    bool waits;
};

struct robo__ros_action {
    struct robo__listener *listener;
    struct robo__ros_pilots *pilots;
    robo_robot *robot;
    robo_dds_reader *request[SERVICES];
    robo_dds_writer *reply[SERVICES], *feedback, *status;
    struct robo__seat seat;
    struct robo__timer due;
    struct goal goal[KEPT]; /* the newest first */
    struct asked asked[KEPT];
    unsigned asks;
    struct robo__ros_trajectory path; /* of the newest goal, as long as it is executed */
    /* instants of the world: its begin, the next set-point, the last feedback, the last look. While the robot is slowed down its begin moves on */
    robo_time begin, next, told, looked;
    uint64_t writer;    /* of the newest goal */
    uint32_t last;      /* number of the command of the last point; 0: it was not given yet */
    bool reached;       /* the last point */
    double start[DOFS]; /* positions at its begin */
    struct robo__json bytes;
};

static const struct {
    const char *end, *type;
} services[] = {
    [SEND] = { "send_goal", "control_msgs/action/FollowJointTrajectory_SendGoal" },
    [CANCEL] = { "cancel_goal", "action_msgs/srv/CancelGoal" },
    [RESULT] = { "get_result", "control_msgs/action/FollowJointTrajectory_GetResult" },
};

static const struct robo__ros_message *message_of(const char *type, const char *end)
{
    char name[96];
    snprintf(name, sizeof name, "%s%s", type, end);
    return robo__ros_message(name);
}

static robo_time now_of(const struct robo__ros_action *a)
{
    return robo_now(a->listener->loop->host.world);
}

/* ---- answers ---- */

static void begin(struct robo__ros_action *a, struct robo__ros_out *out, const char *type,
                  const char *end)
{
    a->bytes.used = 0;
    a->bytes.failed = false;
    robo__ros_begin(out, &a->bytes, ROBO__ROS_CDR, message_of(type, end));
}

static void put(struct robo__ros_action *a, struct robo__ros_out *out, robo_dds_writer *writer)
{
    if (robo__ros_end(out) && !a->bytes.failed)
        robo_dds_put(writer, a->bytes.at, a->bytes.used);
}

static void write_status(struct robo__ros_action *a)
{
    struct robo__ros_out out;
    uint32_t n = 0;
    while (n < KEPT && a->goal[n].status)
        n++;
    begin(a, &out, "action_msgs/msg/GoalStatusArray", "");
    robo__ros_put_count(&out, n);
    for (uint32_t i = 0; i < n; i++) {
        robo__ros_put_bytes(&out, a->goal[i].id, UUID);
        robo__ros_put_time(&out, a->goal[i].accepted);
        robo__ros_put_number(&out, a->goal[i].status);
    }
    put(a, &out, a->status);
}

static void write_result(struct robo__ros_action *a, const struct asked *asked,
                         const struct goal *g)
{
    struct robo__ros_out out;
    begin(a, &out, services[RESULT].type, "_Response");
    robo__ros_put_call(&out, asked->call);
    robo__ros_put_number(&out, g ? g->status : 0);
    robo__ros_put_number(&out, g ? g->code : INVALID_GOAL);
    robo__ros_put_text(&out, "%s", g ? g->text : "there is no such goal");
    put(a, &out, a->reply[RESULT]);
}

static struct goal *find_goal(struct robo__ros_action *a, const uint8_t id[UUID])
{
    for (unsigned i = 0; i < KEPT; i++)
        if (a->goal[i].status && memcmp(a->goal[i].id, id, UUID) == 0)
            return &a->goal[i];
    return NULL;
}

static void put_row(struct robo__ros_out *out, const double *position, const double *velocity,
                    unsigned n, robo_time time)
{
    robo__ros_put_list(out, position, n);
    robo__ros_put_list(out, velocity, velocity ? n : 0);
    robo__ros_put_count(out, 0);
    robo__ros_put_count(out, 0);
    robo__ros_put_time(out, time);
}

static void write_feedback(struct robo__ros_action *a, robo_time now)
{
    const struct robo_description *d = robo__robot_description(a->robot);
    const unsigned n = a->path.dofs;
    struct robo__ros_out out;
    struct robo_state state;
    double wanted[DOFS], speed[DOFS], is[DOFS], moves[DOFS], error[DOFS];
    robo_read(a->robot, &state, sizeof state);
    if (state.dofs != d->dofs || now < a->begin)
        return;
    robo__ros_trajectory_at(&a->path, a->start, now - a->begin, wanted, speed);
    for (unsigned i = 0; i < n; i++) {
        is[i] = state.position[a->path.dof[i]];
        moves[i] = state.speed[a->path.dof[i]];
        error[i] = wanted[i] - is[i];
    }
    begin(a, &out, "control_msgs/action/FollowJointTrajectory_FeedbackMessage", "");
    robo__ros_put_bytes(&out, a->goal[0].id, UUID);
    robo__ros_put_time(&out, robo__time_read(CLOCK_REALTIME));
    robo__ros_put_text(&out, "%s", "");
    robo__ros_put_count(&out, n);
    for (unsigned i = 0; i < n; i++) {
        const struct robo_joint *j = d->joint;
        while (a->path.dof[i] >= j->first + j->dofs)
            j++;
        robo__ros_put_text(&out, j->dofs > 1 ? "%s.%s" : "%s%.0s", j->name,
                           d->dof[a->path.dof[i]].name);
    }
    put_row(&out, wanted, speed, n, now - a->begin);
    put_row(&out, is, moves, n, now - a->begin);
    put_row(&out, error, NULL, n, now - a->begin);
    robo__ros_put_count(&out, 0); /* of joints with several dofs: */
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            robo__ros_put_count(&out, 0);
        robo__ros_put_time(&out, 0);
    }
    put(a, &out, a->feedback);
}

/* ---- a goal ---- */

/* The newest goal ends: what it moves stops. */
static void end_goal(struct robo__ros_action *a, int status, int code, const char *text)
{
    struct goal *g = &a->goal[0];
    if (g->status != EXECUTING)
        return;
    g->status = status;
    g->code = code;
    snprintf(g->text, sizeof g->text, "%s", text);
    robo__timer_stop(a->listener->loop->host.timers, &a->due);
    robo__seat_close(&a->seat);
    robo__ros_trajectory_free(&a->path);
    write_status(a);
    for (unsigned i = 0; i < KEPT; i++) {
        struct asked *asked = &a->asked[i];
        const struct goal *of = asked->waits ? find_goal(a, asked->id) : NULL;
        if (!asked->waits || (of && of->status == EXECUTING))
            continue;
        asked->waits = false;
        write_result(a, asked, of);
    }
}

static void on_result(struct robo__seat *seat, const struct robo_result *r)
{
    struct robo__ros_action *a = robo__container_of(seat, struct robo__ros_action, seat);
    struct goal *g = &a->goal[0];
    const bool last = r->id == a->last;
    a->reached |= last && r->signal == ROBO_SUCCESS;
    if (r->signal == ROBO_SUCCESS || (r->signal == ROBO_MODIFIED && !last) || g->code != 0)
        return;
    /* the session is in use: the timer ends the goal */
    g->code =
        last && r->reason == ROBO_WHY_LIMIT ? GOAL_TOLERANCE_VIOLATED : PATH_TOLERANCE_VIOLATED;
    snprintf(g->text, sizeof g->text, "%s: %s", robo_signal_name(r->signal),
             robo__reason_doc((enum robo_reason)r->reason));
}

/* One set-point of all its dofs, which begins at that instant. */
static bool give(struct robo__ros_action *a, robo_time at)
{
    const unsigned n = a->path.dofs;
    double position[DOFS], velocity[DOFS];
    struct robo__session_move *move = robo__session_make_move(a->seat.session, n, 0);
    if (!move)
        return false;
    robo__ros_trajectory_at(&a->path, a->start, at - a->begin, position, velocity);
    move->set.parts = ROBO_MOVE_SETPOINTS | ROBO_MOVE_VELOCITIES;
    for (unsigned i = 0; i < n; i++)
        move->set.dof[i] = (struct robo_move_dof){ .value = position[i],
                                                   .velocity = velocity[i],
                                                   .dof = a->path.dof[i],
                                                   .servo = ROBO_SERVO_SETPOINT };
    struct robo_cmd cmd = { .op = ROBO_MOVE,
                            .id = ++a->seat.commands,
                            .start = at,
                            .revision = (uint8_t)robo__robot_revision(a->robot),
                            .body.move = &move->set };
    if (at >= a->begin + a->path.time[a->path.points - 1])
        a->last = cmd.id;
    if (robo__seat_command_as_seen(&a->seat, &cmd, 1, now_of(a)) > 0)
        return true;
    robo__move_free(robo__move_of(&cmd));
    return false;
}

/* The goal is over: why; NULL: it is not. Results have the reasons of stops that name some of the joints, and of lost devices. */
static const char *why_over(const struct robo__ros_action *a, unsigned changed)
{
    return a->goal[0].code                 ? a->goal[0].text
           : changed & ROBO__SEAT_PANICKED ? "the robot is in panic"
           : changed & ROBO__SEAT_STOPPED  ? "another client has stopped the robot"
           : changed & ROBO__SEAT_SILENT   ? "its server was late"
           : changed & (ROBO__SEAT_REVISED | ROBO__SEAT_GONE)
               ? "the robot has changed, or was removed"
               : NULL;
}

static void on_due(struct robo__timer *timer, robo_time now)
{
    struct robo__ros_action *a = robo__container_of(timer, struct robo__ros_action, due);
    struct robo_state state;
    uint8_t guid[UUID];
    if (!a->seat.session) { /* its pulse has seen that the robot was removed */
        end_goal(a, ABORTED, PATH_TOLERANCE_VIOLATED, "the robot was removed");
        return;
    }
    robo__reading_begin();
    robo_read(a->robot, &state, sizeof state);
    a->begin += (robo_time)((double)(now - a->looked) * (1 - state.override));
    a->looked = now;
    const robo_time end = a->begin + a->path.time[a->path.points - 1];
    while (a->goal[0].code == 0 && a->last == 0 && a->next < now + AHEAD) {
        if (!give(a, a->next < end ? a->next : end))
            break;
        a->next += STEP;
    }
    const unsigned changed = robo__seat_look(&a->seat, now).changed;
    robo__seat_results(&a->seat);
    const char *why = why_over(a, changed);
    char text[sizeof a->goal[0].text];
    if (why) {
        snprintf(text, sizeof text, "%s", why);
        end_goal(a, ABORTED, a->goal[0].code ? a->goal[0].code : PATH_TOLERANCE_VIOLATED, text);
    } else if (a->reached) {
        end_goal(a, SUCCEEDED, 0, "");
    } else if (now >= end + SETTLE && state.override > 0) {
        end_goal(a, ABORTED, GOAL_TOLERANCE_VIOLATED,
                 "1 s after its time the joints are not at the last point");
    } else if (now - a->told >= FEEDBACK &&
               robo_dds_source(a->request[SEND], a->writer, guid) < 0) {
        end_goal(a, CANCELED, INVALID_GOAL, "its client has gone");
    } else {
        if (now - a->told >= FEEDBACK) {
            a->told = now;
            if (robo_dds_readers(a->feedback) > 0)
                write_feedback(a, now);
        }
        robo__timer_start(a->listener->loop->host.timers, timer, now + STEP);
    }
    robo__reading_end();
}

/* NULL: it is executed; else why it is not. */
static const char *start(struct robo__ros_action *a, struct robo__ros_trajectory *path,
                         uint32_t client, robo_time now)
{
    static const struct robo__seat_kind kind = { .client = "ROS 2 node",
                                                 .wordless = true,
                                                 .result = on_result };
    struct robo_state state;
    robo_read(a->robot, &state, sizeof state);
    robo__seat_init(&a->seat, &kind, robo__ros_pilots_conn(a->pilots), 0);
    a->seat.number = client;
    if (robo__seat_open(&a->seat, a->robot, NULL, now) < 0)
        return "the robot has no room for another client";
    if (state.panic) {
        robo__seat_close(&a->seat);
        return "the robot is in panic";
    }
    a->path = *path;
    *path = (struct robo__ros_trajectory){ 0 };
    for (unsigned i = 0; i < a->path.dofs; i++)
        a->start[i] = state.position[a->path.dof[i]];
    a->begin = a->next = a->looked = now;
    a->told = 0;
    a->last = 0;
    a->reached = false;
    return NULL;
}

static void on_send(void *owner, const struct robo_dds_sample *s)
{
    struct robo__ros_action *a = owner;
    struct robo__ros_in in;
    struct robo__ros_out out;
    struct robo__ros_trajectory path = { 0 };
    uint64_t call[2];
    uint32_t size, client;
    char text[160];
    if (s->event != ROBO_DDS_SAMPLE)
        return;
    robo__ros_open(&in, s->bytes, s->size, message_of(services[SEND].type, "_Request"));
    robo__ros_get_call(&in, call);
    const uint8_t *id = robo__ros_get_octets(&in, &size);
    robo__reading_begin();
    const robo_time now = now_of(a);
    const char *why =
        robo__ros_trajectory_read(&path, &in, robo__robot_description(a->robot), text);
    if (!robo__ros_close(&in)) {
        robo__reading_end();
        robo__ros_trajectory_free(&path);
        return;
    }
    if (!why && !robo__ros_pilots_client(a->pilots, a->request[SEND], s, &client))
        why = "a client that may drive";
    if (!why && find_goal(a, id))
        why = "a goal with an id of its own";
    if (!why && a->goal[0].status == EXECUTING && a->seat.number != client)
        why = "no goal of another client in progress";
    if (!why) {
        end_goal(a, CANCELED, INVALID_GOAL, "another goal has come");
        why = start(a, &path, client, now);
    }
    robo__reading_end();
    robo__ros_trajectory_free(&path);
    const robo_time wall = robo__time_read(CLOCK_REALTIME);
    if (!why) {
        memmove(&a->goal[1], &a->goal[0], sizeof a->goal - sizeof a->goal[0]);
        a->goal[0] = (struct goal){ .accepted = wall, .status = EXECUTING };
        memcpy(a->goal[0].id, id, UUID);
        a->writer = s->writer;
    } else {
        char line[200];
        snprintf(line, sizeof line, "ROS 2 node: %s: a trajectory is refused: expected %s",
                 robo_robot_name(a->robot), why);
        robo__complain_of(&a->listener->loop->host, ROBO__IN_VAIN, line);
    }
    begin(a, &out, services[SEND].type, "_Response");
    robo__ros_put_call(&out, call);
    robo__ros_put_number(&out, !why);
    robo__ros_put_time(&out, wall);
    put(a, &out, a->reply[SEND]);
    if (!why) {
        write_status(a);
        on_due(&a->due, now);
    }
}

/* A goal of that id, or any with zeros; accepted until then, if there is a stamp: the newest is the only one that is executed. */
static void on_cancel(void *owner, const struct robo_dds_sample *s)
{
    static const uint8_t any[UUID];
    struct robo__ros_action *a = owner;
    struct robo__ros_in in;
    struct robo__ros_out out;
    uint64_t call[2];
    uint32_t size;
    if (s->event != ROBO_DDS_SAMPLE)
        return;
    robo__ros_open(&in, s->bytes, s->size, message_of(services[CANCEL].type, "_Request"));
    robo__ros_get_call(&in, call);
    const uint8_t *id = robo__ros_get_octets(&in, &size);
    const robo_time until = robo__ros_get_time(&in);
    if (!robo__ros_close(&in))
        return;
    const struct goal *g = &a->goal[0];
    const bool all = memcmp(id, any, UUID) == 0,
               found =
                   g->status == EXECUTING && ((all && until == 0) || memcmp(id, g->id, UUID) == 0 ||
                                              (until != 0 && g->accepted <= until));
    begin(a, &out, services[CANCEL].type, "_Response");
    robo__ros_put_call(&out, call);
    robo__ros_put_number(&out, found || all       ? 0
                               : find_goal(a, id) ? 3
                                                  : 2); /* it has ended; it is unknown */
    robo__ros_put_count(&out, found);
    if (found) {
        robo__ros_put_bytes(&out, g->id, UUID);
        robo__ros_put_time(&out, g->accepted);
    }
    put(a, &out, a->reply[CANCEL]);
    if (found)
        end_goal(a, CANCELED, 0, "cancelled");
}

static void on_ask(void *owner, const struct robo_dds_sample *s)
{
    struct robo__ros_action *a = owner;
    struct robo__ros_in in;
    struct asked *asked = &a->asked[a->asks % KEPT];
    uint32_t size;
    uint64_t call[2];
    if (s->event != ROBO_DDS_SAMPLE)
        return;
    robo__ros_open(&in, s->bytes, s->size, message_of(services[RESULT].type, "_Request"));
    robo__ros_get_call(&in, call);
    const uint8_t *id = robo__ros_get_octets(&in, &size);
    if (!robo__ros_close(&in))
        return;
    a->asks++;
    memcpy(asked->call, call, sizeof asked->call);
    memcpy(asked->id, id, UUID);
    const struct goal *g = find_goal(a, id);
    asked->waits = g && g->status == EXECUTING;
    if (!asked->waits)
        write_result(a, asked, g);
}

/* ---- life ---- */

static struct robo_dds_topic topic_of(const char *name, const struct robo__ros_message *message)
{
    return (struct robo_dds_topic){ .size = sizeof(struct robo_dds_topic),
                                    .name = name,
                                    .type = message->dds,
                                    .partition = "",
                                    .depth = 10,
                                    .reliable = 1 };
}

static bool open_service(struct robo__ros_action *a, robo_dds *dds, const char *name, int which,
                         void (*arrived)(void *owner, const struct robo_dds_sample *sample))
{
    char request[NAME], reply[NAME], why[256];
    snprintf(request, sizeof request, "rq%s/_action/%sRequest", name, services[which].end);
    snprintf(reply, sizeof reply, "rr%s/_action/%sReply", name, services[which].end);
    const struct robo_dds_topic asked =
                                    topic_of(request, message_of(services[which].type, "_Request")),
                                answered =
                                    topic_of(reply, message_of(services[which].type, "_Response"));
    a->reply[which] = robo_dds_write(dds, &answered, NULL, NULL, why);
    a->request[which] = a->reply[which] ? robo_dds_read(dds, &asked, arrived, a, why) : NULL;
    return a->request[which] != NULL;
}

static robo_dds_writer *open_topic(robo_dds *dds, const char *name, const char *end,
                                   const char *type, bool latched)
{
    char full[NAME], why[256];
    snprintf(full, sizeof full, "rt%s/_action/%s", name, end);
    struct robo_dds_topic topic = topic_of(full, robo__ros_message(type));
    topic.lasting = latched;
    topic.depth = latched ? 1 : 10;
    return robo_dds_write(dds, &topic, NULL, NULL, why);
}

struct robo__ros_action *robo__ros_action_open(struct robo__listener *listener, robo_dds *dds,
                                               struct robo__ros_pilots *pilots, robo_robot *robot,
                                               const char *name)
{
    struct robo__ros_action *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->listener = listener;
    a->pilots = pilots;
    a->robot = robot;
    a->due.fire = on_due;
    a->feedback = open_topic(dds, name, "feedback",
                             "control_msgs/action/FollowJointTrajectory_FeedbackMessage", false);
    a->status = open_topic(dds, name, "status", "action_msgs/msg/GoalStatusArray", true);
    if (a->feedback && a->status && open_service(a, dds, name, SEND, on_send) &&
        open_service(a, dds, name, CANCEL, on_cancel) && open_service(a, dds, name, RESULT, on_ask))
        return a;
    robo__ros_action_close(a);
    return NULL;
}

void robo__ros_action_close(struct robo__ros_action *a)
{
    if (!a)
        return;
    end_goal(a, ABORTED, PATH_TOLERANCE_VIOLATED, "the robot has changed, or is there no more");
    for (int i = 0; i < SERVICES; i++) {
        if (a->request[i])
            robo_dds_reader_close(a->request[i]);
        if (a->reply[i])
            robo_dds_writer_close(a->reply[i]);
    }
    if (a->feedback)
        robo_dds_writer_close(a->feedback);
    if (a->status)
        robo_dds_writer_close(a->status);
    robo__json_free(&a->bytes);
    free(a);
}

void robo__ros_action_guids(const struct robo__ros_action *a, bool writers,
                            void (*each)(void *owner, const uint8_t guid[16]), void *owner)
{
    robo_dds_writer *const writer[] = { a->reply[SEND], a->reply[CANCEL], a->reply[RESULT],
                                        a->feedback, a->status };
    uint8_t guid[16];
    for (size_t i = 0; writers && i < sizeof writer / sizeof writer[0]; i++) {
        robo_dds_writer_guid(writer[i], guid);
        each(owner, guid);
    }
    for (size_t i = 0; !writers && i < SERVICES; i++) {
        robo_dds_reader_guid(a->request[i], guid);
        each(owner, guid);
    }
}
