/* What a robot's journal has, as messages: exactly, by the rows of the specification. */
#include <stdio.h>

#include "recording.h"
#include "robot/journal.h"
#include "robotalk/words.h"

#define INTEGER(name) "\"" name "\":{\"type\":\"integer\"}"
#define NUMBER(name)  "\"" name "\":{\"type\":[\"number\",\"null\"]}"
#define WORD(name)    "\"" name "\":{\"type\":\"string\"}"
#define HEAD          NUMBER("time") "," INTEGER("session")

/* The members of Foxglove's schemas are known by their names; the rest of a schema says which of them are bytes. */
static const struct {
    const char *name, *schema, *properties, *message;
} topics[ROBO__TRACK_TOPICS] = {
    [ROBO__TRACK_SESSIONS] = { "session", "robotalk.session",
                               HEAD "," INTEGER("client") "," WORD("name"), NULL },
    [ROBO__TRACK_ARRIVALS] = { "arrival", "robotalk.arrival", HEAD "," NUMBER("stamp"), NULL },
    [ROBO__TRACK_COMMANDS] = { "command", "robotalk.command",
                               HEAD
                               "," INTEGER("id") "," WORD("op") "," NUMBER("start") "," NUMBER("stamp") "," INTEGER(
                                   "epoch") "," INTEGER("stops") "," INTEGER("revision") ",\"body\":{\"type\":\"object\"}",
                               NULL },
    [ROBO__TRACK_RESULTS] = { "result", "robotalk.result",
                              HEAD
                              "," INTEGER("id") "," WORD("op") "," WORD("signal") "," WORD("reason") "," NUMBER("scheduled") "," NUMBER("executed") "," NUMBER(
                                  "finished") "," NUMBER("late") "," NUMBER("position_error") "," NUMBER("rotation_error") "," INTEGER("holder") ",\"parts\":{\"type\":\"array\",\"items\":{"
                                                                                                                                                 "\"type\":\"object\"}}",
                              NULL },
    [ROBO__TRACK_REQUESTS] = { "request", "robotalk.request",
                               HEAD "," WORD("request") ",\"body\":{\"type\":\"object\"}", NULL },
    [ROBO__TRACK_NOTICES] = { "notice", "robotalk.notice",
                              NUMBER("time") "," WORD("notice") ",\"body\":{\"type\":\"object\"}",
                              NULL },
    [ROBO__TRACK_STATES] = { "state", "robotalk.state", "", "robo_state" },
    [ROBO__TRACK_JOINTS] = { "joints", "foxglove.JointStates",
                             "\"timestamp\":{\"type\":\"object\"},\"joints\":{\"type\":\"array\","
                             "\"items\":{\"type\":\"object\",\"properties\":{" WORD(
                                 "name") "," NUMBER("position") "," NUMBER("velocity") "}}}",
                             NULL },
    [ROBO__TRACK_FRAMES] = { "frames", "foxglove.FrameTransforms",
                             "\"transforms\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}}",
                             NULL },
    [ROBO__TRACK_ODOMETRY] = { "odometry", "foxglove.Odometry",
                               "\"timestamp\":{\"type\":\"object\"}," WORD("frame_id") "," WORD(
                                   "body_frame_id") ",\"pose\":{\"type\":\"object\"},\"linear_"
                                                    "velocity\":{\"type\":\"object\"},\"angular_"
                                                    "velocity\":{\"type\":\"object\"}",
                               NULL },
    [ROBO__TRACK_LOG] = { "log", "foxglove.Log",
                          "\"timestamp\":{\"type\":\"object\"}," INTEGER("level") "," WORD(
                              "message") "," WORD("name") "," WORD("file") "," INTEGER("line"),
                          NULL }
};

int robo__track_open(struct robo__track *t)
{
    for (unsigned i = 0; i < ROBO__TRACK_TOPICS; i++) {
        const struct robo_message *message =
            topics[i].message ? robo_message_named(topics[i].message) : NULL;
        t->topic[i] = robo__topic_find(t->recording, robo_robot_name(t->robot), topics[i].name,
                                       topics[i].schema, topics[i].properties, message);
        if (!t->topic[i])
            return ROBO_ENOMEM;
    }
    return 0;
}

/* ---- records ---- */

static void write(struct robo__track *t, enum robo__track_topic topic,
                  const struct robo__journal_entry *e, robo_time sent)
{
    robo__json_put(&t->recording->json, "}");
    robo__recording_write(t->recording, t->topic[topic], e->time, sent);
}

static struct robo__json *begin(struct robo__track *t, const struct robo__journal_entry *e)
{
    struct robo__json *j = &t->recording->json;
    j->used = 0;
    robo__json_put(j, "{\"time\":");
    robo__json_time(j, e->time);
    if (e->session > 0)
        robo__json_format(j, ",\"session\":%u", (unsigned)e->session);
    return j;
}

static void put_time(struct robo__json *j, const char *name, robo_time time)
{
    robo__json_format(j, ",\"%s\":", name);
    robo__json_time(j, time);
}

/* The arrays of a frame are behind it in the journal. */
static void put_frame(struct robo__json *j, const struct robo__journal_command *c)
{
    const struct robo_move_dof *dof = (const void *)(c + 1);
    const struct robo_move_frame *frame = (const void *)(dof + c->frame.dofs);
    robo__json_format(j, "{\"parts\":%u,\"base\":", (unsigned)c->frame.parts);
    robo__json_numbers(j, c->frame.base, 3);
    robo__json_put(j, ",\"dofs\":[");
    for (unsigned i = 0; i < c->frame.dofs; i++) {
        robo__json_format(j, "%s{\"dof\":%u,\"servo\":%u,\"value\":", i ? "," : "",
                          (unsigned)dof[i].dof, (unsigned)dof[i].servo);
        robo__json_number(j, dof[i].value);
        robo__json_put(j, ",\"velocity\":");
        robo__json_number(j, dof[i].velocity);
        robo__json_put(j, ",\"limit\":");
        robo__json_number(j, dof[i].limit);
        robo__json_put(j, "}");
    }
    robo__json_put(j, "],\"frames\":[");
    for (unsigned i = 0; i < c->frame.frames; i++) {
        robo__json_format(j, "%s{\"frame\":%u,\"servo\":%u,\"free\":%u,\"value\":", i ? "," : "",
                          (unsigned)frame[i].frame, (unsigned)frame[i].servo,
                          (unsigned)frame[i].free);
        robo__json_numbers(j, frame[i].value, 6);
        robo__json_put(j, "}");
    }
    robo__json_put(j, "]}");
}

static void put_body(struct robo__json *j, const char *what, const struct robo_operation *op,
                     const struct robo_message *message, const void *body)
{
    robo__json_format(j, ",\"%s\":\"%s\",\"body\":", what, op->name);
    robo__json_message(j, message, body);
}

static void write_command(struct robo__track *t, const struct robo__journal_entry *e)
{
    const struct robo__journal_command *c = robo__journal_body(e);
    const struct robo_operation *op = robo_operation_find(robo_commands(), c->cmd.op);
    struct robo__json *j = begin(t, e);
    robo__json_format(j, ",\"id\":%u,\"epoch\":%u,\"stops\":%u,\"revision\":%u",
                      (unsigned)c->cmd.id, (unsigned)c->epoch, (unsigned)c->stops,
                      (unsigned)c->cmd.revision);
    put_time(j, "start", c->cmd.start);
    put_time(j, "stamp", c->stamp);
    if (c->cmd.op == ROBO_MOVE) {
        robo__json_put(j, ",\"op\":\"move\",\"body\":");
        put_frame(j, c);
    } else if (op) {
        put_body(j, "op", op, op->request, &c->cmd.body);
    }
    write(t, ROBO__TRACK_COMMANDS, e, c->stamp);
}

static void write_result(struct robo__track *t, const struct robo__journal_entry *e,
                         const struct robo_result *r, const struct robo_part *part, size_t parts)
{
    struct robo__json *j = begin(t, e);
    robo__json_format(j,
                      ",\"id\":%u,\"op\":\"%s\",\"signal\":\"%s\",\"reason\":\"%s\",\"holder\":%u",
                      (unsigned)r->id, robo_op_name(r->op), robo_signal_name(r->signal),
                      r->reason ? robo_reason_name(r->reason) : "", (unsigned)r->holder);
    const bool begun = r->executed != ROBO_NO_TIME && r->scheduled != ROBO_NO_TIME;
    put_time(j, "scheduled", r->scheduled);
    put_time(j, "executed", r->executed);
    put_time(j, "finished", r->finished);
    put_time(j, "late", begun ? r->executed - r->scheduled : ROBO_NO_TIME);
    robo__json_put(j, ",\"position_error\":");
    robo__json_number(j, r->position_error);
    robo__json_put(j, ",\"rotation_error\":");
    robo__json_number(j, r->rotation_error);
    robo__json_put(j, ",\"parts\":[");
    for (size_t i = 0; i < parts; i++) {
        static const char *const kinds[] = { "base", "dof", "frame" };
        robo__json_format(j,
                          "%s{\"kind\":\"%s\",\"number\":%u,\"signal\":\"%s\",\"reason\":\"%s\"}",
                          i ? "," : "", kinds[part[i].kind], (unsigned)part[i].number,
                          robo_signal_name(part[i].signal),
                          part[i].reason ? robo_reason_name(part[i].reason) : "");
    }
    robo__json_put(j, "]");
    write(t, ROBO__TRACK_RESULTS, e, ROBO_NO_TIME);
}

/* As the sender is told. */
static void write_refused(struct robo__track *t, const struct robo__journal_entry *e)
{
    const struct robo__journal_command *c = robo__journal_body(e);
    const struct robo_result r = { .id = c->cmd.id,
                                   .op = c->cmd.op,
                                   .signal = ROBO_ERROR,
                                   .reason = ROBO_WHY_FULL,
                                   .scheduled = ROBO_NO_TIME,
                                   .executed = ROBO_NO_TIME,
                                   .finished = e->time };
    write_result(t, e, &r, NULL, 0);
}

/* Levels of foxglove.Log. */
static int level_of(unsigned op)
{
    enum { INFO = 2, WARNING, ERROR };
    return op == ROBO_N_PANICKED                         ? ERROR
           : op == ROBO_N_LATCHED || op == ROBO_N_FALLEN ? WARNING
                                                         : INFO;
}

static void write_notice(struct robo__track *t, const struct robo__journal_entry *e,
                         const struct robo_operation *op, const struct robo_message *message)
{
    struct robo__json *j = begin(t, e);
    put_body(j, "notice", op, message, robo__journal_body(e));
    write(t, ROBO__TRACK_NOTICES, e, ROBO_NO_TIME);
    if (e->kind != ROBO__JOURNAL_HOLDER && op->op != ROBO_N_LEASES)
        robo__track_say(t, e->time, level_of(op->op), op->name, "");
    if (op->op == ROBO_N_REMOVED)
        t->over = true;
    if (op->op == ROBO_N_CHANGED) { /* the next tick looks at its new body */
        robo__track_see_no_more(t);
        robo_body_release(t->body);
        t->body = NULL;
    }
}

static void write_request(struct robo__track *t, const struct robo__journal_entry *e)
{
    const struct robo_operation *op = robo_operation_find(robo_queries(), e->op);
    struct robo__json *j = begin(t, e);
    put_body(j, "request", op, op->request, robo__journal_body(e));
    write(t, ROBO__TRACK_REQUESTS, e, ROBO_NO_TIME);
}

static void write_session(struct robo__track *t, const struct robo__journal_entry *e)
{
    const struct robo__journal_session *s = robo__journal_body(e);
    struct robo__json *j = begin(t, e);
    robo__json_format(j, ",\"client\":%u,\"name\":", (unsigned)s->client);
    robo__json_text(j, s->name);
    write(t, ROBO__TRACK_SESSIONS, e, ROBO_NO_TIME);
}

static void write_arrival(struct robo__track *t, const struct robo__journal_entry *e)
{
    const robo_time *stamp = robo__journal_body(e);
    put_time(begin(t, e), "stamp", *stamp);
    write(t, ROBO__TRACK_ARRIVALS, e, *stamp);
}

static const struct robo_operation *retained_notice(unsigned kind)
{
    const struct robo_operation *op = robo_notices();
    while (op->retained != 1 + kind)
        op++;
    return op;
}

static void write_entry(struct robo__track *t, const struct robo__journal_entry *e)
{
    const struct robo_result *result = robo__journal_body(e);
    const struct robo_operation *op;
    switch (e->kind) {
    case ROBO__JOURNAL_SESSION: write_session(t, e); break;
    case ROBO__JOURNAL_ARRIVAL: write_arrival(t, e); break;
    case ROBO__JOURNAL_COMMAND: write_command(t, e); break;
    case ROBO__JOURNAL_REFUSED: write_refused(t, e); break;
    case ROBO__JOURNAL_RESULT:
        write_result(t, e, result, (const void *)(result + 1),
                     (e->size - sizeof *result) / sizeof(struct robo_part));
        break;
    case ROBO__JOURNAL_REQUEST: write_request(t, e); break;
    case ROBO__JOURNAL_NOTICE:
        op = robo_operation_find(robo_notices(), e->op);
        write_notice(t, e, op, op->request);
        break;
    case ROBO__JOURNAL_RETAINED:
        op = retained_notice(e->op);
        write_notice(t, e, op, op->request);
        break;
    case ROBO__JOURNAL_HOLDER:
        op = robo_operation_find(robo_queries(), e->op);
        write_notice(t, e, op, op->reply);
        break;
    default: break;
    }
}

/* Records for which there was no room in the journal. */
static void write_lost(struct robo__track *t, const struct robo__journal_entry *e)
{
    const struct robo__journal_entry before = { .time = e->time };
    char count[32];
    snprintf(count, sizeof count, " %u", (unsigned)e->lost);
    robo__json_format(begin(t, &before), ",\"notice\":\"lost\",\"body\":{\"records\":%u}",
                      (unsigned)e->lost);
    write(t, ROBO__TRACK_NOTICES, e, ROBO_NO_TIME);
    robo__track_say(t, e->time, level_of(ROBO_N_LATCHED), "lost records:", count);
}

void robo__track_drain(struct robo__track *t)
{
    /* what comes meanwhile is for the next tick, so that a flood does not hold up the others */
    const uint64_t until = atomic_load(&t->journal.written);
    for (const struct robo__journal_entry *e;
         atomic_load(&t->journal.taken) < until && (e = robo__journal_next(&t->journal)) != NULL;) {
        if (e->lost > 0)
            write_lost(t, e);
        write_entry(t, e);
        robo__journal_take(&t->journal, e);
    }
}
