/* What a robot's journal has, as messages: exactly, by the rows of the specification. */
#include <stdio.h>

#include "recording.h"
#include "robot/journal.h"
#include "robotalk/words.h"

/* The members of Foxglove's schemas are known by their names; the rest of a schema says which of them are bytes. */
static const struct {
    const char *name, *schema, *members, *message;
} topics[ROBO__TRACK_TOPICS] = {
    [ROBO__TRACK_SESSIONS] = { "session", "robotalk.session",
                               "time:n session:i over:i client:i holder:i local:i wordless:i name:s" },
    [ROBO__TRACK_MODES] = { "mode", "robotalk.mode",
                            "time:n session:i hold:i blocking:i buffered:i refills:i error:i shift:n again:n expiry:n" },
    [ROBO__TRACK_ARRIVALS] = { "arrival", "robotalk.arrival",
                               "time:n session:i package:i stamp:n" },
    [ROBO__TRACK_COMMANDS] = { "command", "robotalk.command",
                               "time:n session:i id:i op:s start:n stamp:n epoch:i stops:i revision:i body:o" },
    [ROBO__TRACK_RESULTS] = { "result", "robotalk.result",
                              "time:n session:i id:i op:s signal:s reason:s scheduled:n executed:n finished:n late:n "
                              "position_error:n rotation_error:n holder:i parts:[o" },
    [ROBO__TRACK_REQUESTS] = { "request", "robotalk.request", "time:n session:i request:s body:o" },
    [ROBO__TRACK_NOTICES] = { "notice", "robotalk.notice", "time:n session:i notice:s body:o" },
    [ROBO__TRACK_STATES] = { "state", "robotalk.state", "", "robo_state" },
    [ROBO__TRACK_JOINTS] = { "joints", "foxglove.JointStates", "timestamp:o joints:[o" },
    [ROBO__TRACK_FRAMES] = { "frames", "foxglove.FrameTransforms", "transforms:[o" },
    [ROBO__TRACK_ODOMETRY] = { "odometry", "foxglove.Odometry",
                               "timestamp:o frame_id:s body_frame_id:s pose:o linear_velocity:o angular_velocity:o" },
    [ROBO__TRACK_LOG] = { "log", "foxglove.Log",
                          "timestamp:o level:i message:s name:s file:s line:i" }
};

int robo__track_open(struct robo__track *t)
{
    for (unsigned i = 0; i < ROBO__TRACK_TOPICS; i++) {
        const struct robo_message *message =
            topics[i].message ? robo_message_named(topics[i].message) : NULL;
        t->topic[i] = robo__topic_find(t->recording, robo_robot_name(t->robot), topics[i].name,
                                       topics[i].schema, topics[i].members, message);
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
    robo__json_time(j, "{\"time\":", e->time);
    if (e->session > 0)
        robo__json_count(j, ",\"session\":", e->session);
    return j;
}

/* The arrays of a frame are behind it in the journal. */
static void put_frame(struct robo__json *j, const struct robo__journal_command *c)
{
    const struct robo_move_dof *dof = (const void *)(c + 1);
    const struct robo_move_frame *frame = (const void *)(dof + c->frame.dofs);
    robo__json_count(j, "{\"parts\":", c->frame.parts);
    robo__json_put(j, ",\"base\":");
    robo__json_numbers(j, c->frame.base, 3);
    robo__json_put(j, ",\"dofs\":[");
    for (unsigned i = 0; i < c->frame.dofs; i++) {
        robo__json_count(j, i ? ",{\"dof\":" : "{\"dof\":", dof[i].dof);
        robo__json_count(j, ",\"servo\":", dof[i].servo);
        robo__json_number(j, ",\"value\":", dof[i].value);
        robo__json_number(j, ",\"velocity\":", dof[i].velocity);
        robo__json_number(j, ",\"limit\":", dof[i].limit);
        robo__json_put(j, "}");
    }
    robo__json_put(j, "],\"frames\":[");
    for (unsigned i = 0; i < c->frame.frames; i++) {
        robo__json_count(j, i ? ",{\"frame\":" : "{\"frame\":", frame[i].frame);
        robo__json_count(j, ",\"servo\":", frame[i].servo);
        robo__json_count(j, ",\"free\":", frame[i].free);
        robo__json_put(j, ",\"value\":");
        robo__json_numbers(j, frame[i].value, 6);
        robo__json_put(j, "}");
    }
    robo__json_put(j, "]}");
}

/* what: as ",\"op\":\"" */
static void put_body(struct robo__json *j, const char *what, const struct robo_operation *op,
                     const struct robo_message *message, const void *body)
{
    robo__json_word(j, what, op->name);
    robo__json_put(j, ",\"body\":");
    robo__json_message(j, message, body);
}

static void write_command(struct robo__track *t, const struct robo__journal_entry *e)
{
    const struct robo__journal_command *c = robo__journal_body(e);
    const struct robo_operation *op = robo_operation_find(robo_commands(), c->cmd.op);
    struct robo__json *j = begin(t, e);
    robo__json_count(j, ",\"id\":", c->cmd.id);
    robo__json_count(j, ",\"epoch\":", c->epoch);
    robo__json_count(j, ",\"stops\":", c->stops);
    robo__json_count(j, ",\"revision\":", c->cmd.revision);
    robo__json_time(j, ",\"start\":", c->cmd.start);
    robo__json_time(j, ",\"stamp\":", c->stamp);
    if (c->cmd.op == ROBO_MOVE) {
        robo__json_put(j, ",\"op\":\"move\",\"body\":");
        put_frame(j, c);
    } else if (op) {
        put_body(j, ",\"op\":\"", op, op->request, &c->cmd.body);
    }
    write(t, ROBO__TRACK_COMMANDS, e, c->stamp);
}

static void put_signal(struct robo__json *j, unsigned signal, unsigned reason)
{
    robo__json_word(j, ",\"signal\":\"", robo_signal_name((int)signal));
    robo__json_word(j, ",\"reason\":\"", reason ? robo_reason_name((int)reason) : "");
}

static void write_result(struct robo__track *t, const struct robo__journal_entry *e,
                         const struct robo_result *r, const struct robo_part *part, size_t parts)
{
    static const char *const kinds[] = { "{\"kind\":\"base", "{\"kind\":\"dof",
                                         "{\"kind\":\"frame" };
    const bool begun = r->executed != ROBO_NO_TIME && r->scheduled != ROBO_NO_TIME;
    struct robo__json *j = begin(t, e);
    robo__json_count(j, ",\"id\":", r->id);
    robo__json_word(j, ",\"op\":\"", robo_op_name(r->op));
    put_signal(j, r->signal, r->reason);
    robo__json_count(j, ",\"holder\":", r->holder);
    robo__json_time(j, ",\"scheduled\":", r->scheduled);
    robo__json_time(j, ",\"executed\":", r->executed);
    robo__json_time(j, ",\"finished\":", r->finished);
    robo__json_time(j, ",\"late\":", begun ? r->executed - r->scheduled : ROBO_NO_TIME);
    robo__json_number(j, ",\"position_error\":", r->position_error);
    robo__json_number(j, ",\"rotation_error\":", r->rotation_error);
    robo__json_put(j, ",\"parts\":[");
    for (size_t i = 0; i < parts; i++) {
        robo__json_put(j, i ? "," : "");
        robo__json_put(j, kinds[part[i].kind]);
        robo__json_count(j, "\",\"number\":", part[i].number);
        put_signal(j, part[i].signal, part[i].reason);
        robo__json_put(j, "}");
    }
    robo__json_put(j, "]");
    write(t, ROBO__TRACK_RESULTS, e, ROBO_NO_TIME);
}

/* A refused command, as its client gets it. */
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
    return op == ROBO_N_PANICKED                                                 ? ERROR
           : op == ROBO_N_LATCHED || op == ROBO_N_FALLEN || op == ROBO_N_DEADMAN ? WARNING
                                                                                 : INFO;
}

static void write_notice(struct robo__track *t, const struct robo__journal_entry *e,
                         const struct robo_operation *op, const struct robo_message *message)
{
    struct robo__json *j = begin(t, e);
    put_body(j, ",\"notice\":\"", op, message, robo__journal_body(e));
    write(t, ROBO__TRACK_NOTICES, e, ROBO_NO_TIME);
    if (e->kind != ROBO__JOURNAL_HOLDER && op->op != ROBO_N_LEASES)
        robo__track_say(t, e->time, level_of(op->op), op->name);
    if (op->op == ROBO_N_REMOVED)
        t->over = true;
    if (op->op == ROBO_N_CHANGED) { /* the next tick looks at its new body */
        robo__track_see_no_more(t);
        robo_body_release(t->body);
        t->body = NULL;
        t->attached = false;
    }
}

static void write_request(struct robo__track *t, const struct robo__journal_entry *e)
{
    const struct robo_operation *op = robo_operation_find(robo_queries(), e->op);
    struct robo__json *j = begin(t, e);
    put_body(j, ",\"request\":\"", op, op->request, robo__journal_body(e));
    write(t, ROBO__TRACK_REQUESTS, e, ROBO_NO_TIME);
}

static void write_session(struct robo__track *t, const struct robo__journal_entry *e)
{
    const struct robo__journal_session *s = robo__journal_body(e);
    struct robo__json *j = begin(t, e);
    robo__json_count(j, ",\"over\":", s->over);
    robo__json_count(j, ",\"client\":", s->client);
    robo__json_count(j, ",\"holder\":", s->holder);
    robo__json_count(j, ",\"local\":", s->local);
    robo__json_count(j, ",\"wordless\":", s->wordless);
    robo__json_put(j, ",\"name\":");
    robo__json_text(j, s->name);
    write(t, ROBO__TRACK_SESSIONS, e, ROBO_NO_TIME);
}

static void write_mode(struct robo__track *t, const struct robo__journal_entry *e)
{
    const struct robo__journal_mode *m = robo__journal_body(e);
    struct robo__json *j = begin(t, e);
    robo__json_count(j, ",\"hold\":", m->hold);
    robo__json_count(j, ",\"blocking\":", m->blocking);
    robo__json_count(j, ",\"buffered\":", m->buffered);
    robo__json_count(j, ",\"refills\":", m->refills);
    robo__json_count(j, ",\"error\":", m->error);
    robo__json_time(j, ",\"shift\":", m->shift);
    robo__json_time(j, ",\"again\":", m->again);
    robo__json_time(j, ",\"expiry\":", m->expiry);
    write(t, ROBO__TRACK_MODES, e, ROBO_NO_TIME);
}

static void write_arrival(struct robo__track *t, const struct robo__journal_entry *e)
{
    const struct robo__journal_arrival *a = robo__journal_body(e);
    struct robo__json *j = begin(t, e);
    robo__json_count(j, ",\"package\":", a->package);
    robo__json_time(j, ",\"stamp\":", a->stamp);
    write(t, ROBO__TRACK_ARRIVALS, e, a->stamp);
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
    case ROBO__JOURNAL_MODE: write_mode(t, e); break;
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
    char words[48];
    snprintf(words, sizeof words, "lost records: %u", (unsigned)e->lost);
    struct robo__json *j = begin(t, &before);
    robo__json_count(j, ",\"notice\":\"lost\",\"body\":{\"records\":", e->lost);
    robo__json_put(j, "}");
    write(t, ROBO__TRACK_NOTICES, e, ROBO_NO_TIME);
    robo__track_say(t, e->time, level_of(ROBO_N_LATCHED), words);
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
