/* The RoboTalk protocol, server side: packages in, calls of the core, packages out. No socket, no thread.
 *
 * A package is worked on when it is complete, but its flags when its header is: a panic does not wait for a
 * payload (RoboTalk III.C). Each session of the connection is a struct desk; robots ring for it when its
 * return queue has something, when it was stopped by its deadman, and at panic and reset. */
#include "serve.h"

#include <stdlib.h>
#include <string.h>

#include "robot.h"
#include "time.h"
#include "wire.h"

enum {
    DESKS = 16,
    BROADCASTS = 8,
    PACKAGE_COMMANDS = 4096,
    WINDOW = 64,
    RESULTS = 64,
    FAULT_BYTES = 256,
    SESSION_AT = 16 /* the header's byte */
};
static const robo_time LEAST_PERIOD = 1000000; /* of a broadcast: 1 ms */
static const char SERVER_NAME[] = "robotalk";

struct desk;

struct broadcast {
    struct desk *desk; /* NULL: free */
    uint32_t id;
    robo_time period;
    struct robo__timer timer;
};

/* One open session. Outlives it when the bell still holds its call. */
struct desk {
    struct robo__call call;
    struct serve *serve; /* NULL: closed */
    struct robo__session *session;
    uint32_t id, epoch; /* epoch and panic: as the client was last told */
    bool panic;
    struct robo__timer again; /* the mode wants to be asked */
    struct broadcast broadcast[BROADCASTS];
};

struct serve {
    struct robo__conn *conn;
    struct desk *desk[DESKS];
    uint32_t last_session, last_package;
    uint64_t seen;            /* packages last_package, last_package - 1, … that have come */
    bool any, acted, greeted; /* acted: on the flags of the package that is coming in */
    struct robo__package out;
};

/* ---- packages out ---- */

static struct desk *find_desk(struct serve *serve, uint32_t id)
{
    for (size_t i = 0; i < DESKS; i++)
        if (serve->desk[i] && serve->desk[i]->id == id)
            return serve->desk[i];
    return NULL;
}

static bool begin_package(struct serve *serve, size_t room)
{
    uint8_t *out = robo__conn_reserve(serve->conn, room);
    return out && robo__package_begin(&serve->out, out, room) == 0;
}

static void end_package(struct serve *serve, enum robo_type type, const struct desk *desk,
                        uint32_t id, robo_time now)
{
    struct robo_header header = { .type = (uint8_t)type, .id = id, .stamp = now };
    if (desk) {
        header.session = desk->id;
        header.epoch = desk->epoch;
    }
    ptrdiff_t n = serve->out.count > 0 ? robo__package_end(&serve->out, &header) : 0;
    if (n > 0)
        robo__conn_commit(serve->conn, (size_t)n);
}

static void send_notice(struct serve *serve, const struct desk *desk, enum robo_notice op,
                        const struct robo__message *body, const void *msg, robo_time now)
{
    if (!begin_package(serve, ROBO__HEADER_SIZE + FAULT_BYTES))
        return;
    robo__package_add(&serve->out, (uint16_t)op, 0, NULL, NULL, body, msg);
    end_package(serve, ROBO_TYPE_NOTICE, desk, 0, now);
}

static const struct robo__message *notice_body(enum robo_notice op)
{
    return robo__op_find(robo__notices, (uint16_t)op)->ask;
}

static void fault(struct serve *serve, const struct robo_header *header, int error, uint32_t query,
                  size_t offset, const char *field, robo_time now)
{
    struct robo_notice_fault f = {
        .code = (uint16_t)-error, .package = header->id, .query = query, .offset = (uint32_t)offset
    };
    const char *words = robo_strerror(error);
    strncpy(f.text, words, sizeof f.text - 1);
    if (field) {
        strncat(f.text, ": ", sizeof f.text - 1 - strlen(f.text));
        strncat(f.text, field, sizeof f.text - 1 - strlen(f.text));
    }
    const struct desk *desk = find_desk(serve, header->session);
    send_notice(serve, desk, ROBO_N_FAULT, notice_body(ROBO_N_FAULT), &f, now);
}

/* The return queue to the wire, as long as the client reads. */
static void send_results(struct desk *desk, robo_time now)
{
    struct robo_result results[RESULTS];
    struct serve *serve = desk->serve;
    size_t n;
    while ((n = robo__session_results(desk->session, results, RESULTS)) > 0) {
        if (!begin_package(serve, ROBO__HEADER_SIZE + RESULTS * 40))
            return;
        for (size_t i = 0; i < n; i++)
            robo__package_add_result(&serve->out, &results[i]);
        end_package(serve, ROBO_TYPE_SIGNAL, desk, 0, now);
    }
}

/* Commands that found no room, or no session, were never admitted; their refusal is written here. */
static void refuse(struct serve *serve, const struct desk *desk, const struct robo_cmd *cmds,
                   size_t n, enum robo_reason why, robo_time now)
{
    for (size_t i = 0; i < n; i += RESULTS) {
        if (!begin_package(serve, ROBO__HEADER_SIZE + RESULTS * 40))
            return;
        for (size_t k = i; k < n && k < i + RESULTS; k++) {
            struct robo_result r = { .id = cmds[k].id,
                                     .op = cmds[k].op,
                                     .signal = ROBO_ERROR,
                                     .reason = (uint8_t)why,
                                     .scheduled = cmds[k].start,
                                     .finished = now };
            robo__package_add_result(&serve->out, &r);
        }
        end_package(serve, ROBO_TYPE_SIGNAL, desk, 0, now);
    }
}

/* ---- desks ---- */

static void close_desk(struct serve *serve, struct desk *desk)
{
    struct robo__timers *timers = serve->conn->host->timers;
    robo__timer_stop(timers, &desk->again);
    for (size_t i = 0; i < BROADCASTS; i++)
        robo__timer_stop(timers, &desk->broadcast[i].timer);
    robo__session_close(desk->session);
    for (size_t i = 0; i < DESKS; i++)
        if (serve->desk[i] == desk)
            serve->desk[i] = NULL;
    desk->serve = NULL;
    desk->session = NULL;
    if (!atomic_load(&desk->call.rung))
        free(desk);
}

/* A holding mode is asked again in time. */
static void arm(struct desk *desk)
{
    const struct robo__decision *d = &desk->session->decision;
    struct robo__timers *timers = desk->serve->conn->host->timers;
    if (d->hold && d->again != 0 && desk->session->arrivals.frames > 0)
        robo__timer_start(timers, &desk->again, d->again);
    else
        robo__timer_stop(timers, &desk->again);
}

static void on_again(struct robo__timer *timer, robo_time now)
{
    struct desk *desk = robo__container_of(timer, struct desk, again);
    robo__session_decide(desk->session, now);
    arm(desk);
    send_results(desk, now);
    robo__conn_kick(desk->serve->conn);
}

/* Tells the client of a panic or a reset that it does not know of. */
static void tell_panic(struct desk *desk, robo_time now)
{
    struct robo_state state;
    robo_read(desk->session->robot, &state);
    if (state.epoch == desk->epoch && (state.panic != 0) == desk->panic)
        return;
    struct robo_notice_panicked body = { .epoch = state.epoch };
    struct robo_notice_reset reset = { .epoch = state.epoch };
    if (state.epoch != desk->epoch) {
        robo__session_panicked(desk->session, now);
        desk->epoch = state.epoch;
        send_results(desk, now);
        send_notice(desk->serve, desk, ROBO_N_PANICKED, notice_body(ROBO_N_PANICKED), &body, now);
    }
    if (!state.panic)
        send_notice(desk->serve, desk, ROBO_N_RESET, notice_body(ROBO_N_RESET), &reset, now);
    desk->panic = state.panic != 0;
}

static void on_call(struct robo__call *call, robo_time now)
{
    struct desk *desk = robo__container_of(call, struct desk, call);
    struct serve *serve = desk->serve;
    if (!serve) {
        free(desk);
        return;
    }
    send_results(desk, now);
    struct robo_notice_deadman silent = { .silence = robo__session_silence(desk->session) };
    if (silent.silence != 0)
        send_notice(serve, desk, ROBO_N_DEADMAN, notice_body(ROBO_N_DEADMAN), &silent, now);
    tell_panic(desk, now);
    if (robo__session_gone(desk->session)) {
        send_notice(serve, desk, ROBO_N_REMOVED, notice_body(ROBO_N_REMOVED), NULL, now);
        close_desk(serve, desk);
    }
    robo__conn_kick(serve->conn);
}

static void ring(struct robo__session *session)
{
    struct desk *desk = session->owner;
    robo__bell_ring(&desk->serve->conn->host->bell, &desk->call);
}

/* ---- queries ---- */

struct asked {
    struct serve *serve;
    struct desk *desk; /* NULL: none or unknown session */
    const struct robo_header *header;
    const struct robo_entry *entry;
    const struct robo__op *op;
    robo_time now;
};

static void answer(const struct asked *q, const void *msg)
{
    robo__package_add(&q->serve->out, q->entry->op, q->entry->id, NULL, NULL, q->op->answer, msg);
}

static int ask_hello(const struct asked *q, const struct robo_ask_hello *ask)
{
    if (ask->lowest > ROBO_VERSION || ask->highest < ROBO_VERSION)
        return ROBO_EVERSION;
    q->serve->greeted = true;
    struct robo_answer_hello a = { .version = ROBO_VERSION,
                                   .robots =
                                       (uint16_t)robo__world_count(q->serve->conn->host->world),
                                   .now = q->now };
    memcpy(a.name, SERVER_NAME, sizeof SERVER_NAME);
    answer(q, &a);
    return 0;
}

static int ask_robot(const struct asked *q, const struct robo_ask_robot *ask)
{
    robo_robot *robot = robo__world_robot(q->serve->conn->host->world, ask->index);
    if (!robot)
        return ROBO_ENONE;
    struct robo_answer_robot a = { 0 };
    robo__robot_lock(robot);
    memcpy(a.name, robot->description.name, sizeof a.name);
    for (struct robo__session *s = robot->sessions; s; s = s->next)
        a.sessions++;
    a.panic = robot->panic;
    robo__robot_unlock(robot);
    answer(q, &a);
    return 0;
}

static int ask_open(const struct asked *q, const struct robo_ask_open *ask, char text[128])
{
    struct serve *serve = q->serve;
    struct robo__host *host = serve->conn->host;
    size_t slot = 0;
    while (slot < DESKS && serve->desk[slot])
        slot++;
    if (slot == DESKS)
        return ROBO_ELIMIT;
    robo_robot *robot = robo_find(host->world, ask->robot);
    if (!robot)
        return ROBO_ENONE;
    struct desk *desk = calloc(1, sizeof *desk);
    if (!desk)
        return ROBO_ENOMEM;
    struct robo__mode_request request = { .name = ask->mode,
                                          .options = ask->options,
                                          .delay = ask->delay,
                                          .duration = ask->duration,
                                          .deadman = ask->deadman,
                                          .expiry = ask->expiry,
                                          .jitter = ask->jitter };
    desk->serve = serve;
    desk->call.answer = on_call;
    desk->again.fire = on_again;
    desk->id = ++serve->last_session;
    int error =
        robo__session_open(robot, host->modes, &request, ring, desk, q->now, &desk->session, text);
    if (error < 0) {
        free(desk);
        return error;
    }
    serve->desk[slot] = desk;

    struct robo_state state;
    robo_read(robot, &state);
    desk->epoch = state.epoch;
    desk->panic = state.panic != 0;
    const struct robo__session *s = desk->session;
    struct robo_answer_open a = { .session = desk->id,
                                  .epoch = desk->epoch,
                                  .panic = state.panic,
                                  .blocking = s->decision.blocking,
                                  .deadman = s->deadman,
                                  .expiry = s->decision.expiry < 0 ? -1000 : s->decision.expiry };
    memcpy(a.robot, robot->description.name, sizeof a.robot);
    answer(q, &a);
    return 0;
}

static int ask_sync(const struct asked *q, const struct robo_ask_sync *ask)
{
    struct robo_answer_sync a = { .sent = ask->sent, .received = q->now };
    a.replied = robo_now(q->serve->conn->host->world);
    answer(q, &a);
    return 0;
}

static void on_broadcast(struct robo__timer *timer, robo_time now)
{
    struct broadcast *b = robo__container_of(timer, struct broadcast, timer);
    struct desk *desk = b->desk;
    struct serve *serve = desk->serve;
    /* the query puts a delayed copy of itself back (V.D); beats that were slept through are left out */
    robo_time next = timer->due + b->period;
    if (next <= now)
        next = now + b->period;
    robo__timer_start(serve->conn->host->timers, timer, next);
    size_t waiting;
    robo__conn_output(serve->conn, &waiting);
    if (waiting > ROBO__CONN_BUSY)
        return;
    struct robo_state state;
    robo_read(desk->session->robot, &state);
    if (begin_package(serve, ROBO__HEADER_SIZE + sizeof state + 64)) {
        robo__package_add(&serve->out, ROBO_Q_BROADCAST, b->id, NULL, NULL, &robo_state_message,
                          &state);
        end_package(serve, ROBO_TYPE_REPLY, desk, 0, now);
    }
    robo__conn_kick(serve->conn);
}

static int ask_broadcast(const struct asked *q, const struct robo_ask_broadcast *ask)
{
    if (ask->period < LEAST_PERIOD)
        return ROBO_ERANGE;
    for (size_t i = 0; i < BROADCASTS; i++) {
        struct broadcast *b = &q->desk->broadcast[i];
        if (b->desk)
            continue;
        *b = (struct broadcast){ .desk = q->desk,
                                 .id = q->entry->id,
                                 .period = robo__time_cut(ask->period) };
        b->timer.fire = on_broadcast;
        struct robo_state state;
        robo_read(q->desk->session->robot, &state);
        answer(q, &state);
        return robo__timer_start(q->serve->conn->host->timers, &b->timer, q->now + b->period);
    }
    return ROBO_ELIMIT;
}

static int ask_broadcast_cancel(const struct asked *q, const struct robo_ask_broadcast_cancel *ask)
{
    for (size_t i = 0; i < BROADCASTS; i++) {
        struct broadcast *b = &q->desk->broadcast[i];
        if (!b->desk || b->id != ask->broadcast)
            continue;
        robo__timer_stop(q->serve->conn->host->timers, &b->timer);
        b->desk = NULL;
        answer(q, NULL);
        return 0;
    }
    return ROBO_ENONE;
}

static int ask_describe(const struct asked *q)
{
    const struct robo_description *d = robo_robot_description(q->desk->session->robot);
    struct robo_answer_describe a = { .links = d->links,
                                      .joints = d->joints,
                                      .dofs = d->dofs,
                                      .commands = d->commands,
                                      .deadman = d->deadman };
    memcpy(a.name, d->name, sizeof a.name);
    memcpy(a.model, d->model, sizeof a.model);
    answer(q, &a);
    return 0;
}

static int ask_joint(const struct asked *q, const struct robo_ask_joint *ask)
{
    const struct robo_description *d = robo_robot_description(q->desk->session->robot);
    if (ask->joint >= d->joints)
        return ROBO_ENONE;
    const struct robo_joint *j = &d->joint[ask->joint];
    struct robo_answer_joint a = { .parent = j->parent,
                                   .child = j->child,
                                   .servo = j->servo,
                                   .first = j->first,
                                   .dofs = j->dofs };
    memcpy(a.name, j->name, sizeof a.name);
    for (size_t i = 0; i < j->dofs; i++) {
        a.kind[i] = j->dof[i].kind;
        a.low[i] = j->dof[i].low;
        a.high[i] = j->dof[i].high;
        a.speed[i] = j->dof[i].speed;
    }
    answer(q, &a);
    return 0;
}

static int ask_dof(const struct asked *q, const struct robo_ask_dof *ask)
{
    const struct robo_description *d = robo_robot_description(q->desk->session->robot);
    if (ask->joint >= d->joints || ask->dof >= d->joint[ask->joint].dofs)
        return ROBO_ENONE;
    struct robo_answer_dof a = { 0 };
    memcpy(a.name, d->joint[ask->joint].dof[ask->dof].name, sizeof a.name);
    answer(q, &a);
    return 0;
}

/* Queries of a session. */
static int work_session_query(const struct asked *q, const void *ask)
{
    if (!q->desk)
        return ROBO_ENONE;
    struct robo__session *session = q->desk->session;
    struct robo_state state;
    struct robo_answer_cancel cancelled;
    struct robo_answer_status status;
    switch (q->entry->op) {
    case ROBO_Q_CLOSE:
        close_desk(q->serve, q->desk);
        answer(q, NULL);
        return 0;
    case ROBO_Q_STATE:
        robo_read(session->robot, &state);
        answer(q, &state);
        return 0;
    case ROBO_Q_BROADCAST: return ask_broadcast(q, ask);
    case ROBO_Q_BROADCAST_CANCEL: return ask_broadcast_cancel(q, ask);
    case ROBO_Q_CANCEL:
        cancelled.count =
            robo__session_cancel(session, ((const struct robo_ask_cancel *)ask)->command, q->now);
        answer(q, &cancelled);
        return 0;
    case ROBO_Q_STATUS:
        robo__session_status(session, &status);
        answer(q, &status);
        return 0;
    case ROBO_Q_FINISH:
        robo__session_finish(session, q->now);
        arm(q->desk);
        answer(q, NULL);
        return 0;
    case ROBO_Q_DESCRIBE: return ask_describe(q);
    case ROBO_Q_JOINT: return ask_joint(q, ask);
    case ROBO_Q_DOF: return ask_dof(q, ask);
    default: return ROBO_EOP;
    }
}

static int work_query(struct asked *q, const void *ask, char text[128])
{
    q->desk = find_desk(q->serve, q->header->session);
    switch (q->entry->op) {
    case ROBO_Q_HELLO: return ask_hello(q, ask);
    case ROBO_Q_ROBOT: return ask_robot(q, ask);
    case ROBO_Q_OPEN: return ask_open(q, ask, text);
    case ROBO_Q_SYNC: return ask_sync(q, ask);
    default: return work_session_query(q, ask);
    }
}

/* The largest answer is the state; one query a reply package keeps the bound simple. */
static void work_queries(struct serve *serve, const struct robo_header *header,
                         const uint8_t *payload, robo_time now)
{
    union {
        struct robo_ask_hello hello;
        struct robo_ask_open open;
        struct robo_state largest;
    } ask;
    size_t at = 0, offset = 0;
    struct robo_entry entry;
    const uint8_t *body;
    while (robo__next_entry(payload, header->size, &at, &entry, &body) == 1) {
        const char *field = NULL;
        char text[128] = "";
        const struct robo__op *op = robo__op_find(robo__queries, entry.op);
        int error = op ? 0 : robo__op_find(robo__commands, entry.op) ? ROBO_EMIXED : ROBO_EOP;
        if (op) {
            memset(&ask, 0, sizeof ask);
            ptrdiff_t n = robo__decode(op->ask, body, entry.size, &ask, &field);
            if (n != (ptrdiff_t)entry.size)
                error = ROBO_EBODY;
        }
        uint32_t session = header->session;
        if (!error && begin_package(serve, ROBO__HEADER_SIZE + sizeof(struct robo_state) + 64)) {
            struct asked q = {
                .serve = serve, .header = header, .entry = &entry, .op = op, .now = now
            };
            error = work_query(&q, &ask, text);
            /* an answer has the session that was asked for; it may have been closed by the query */
            const struct desk *desk = find_desk(serve, session);
            end_package(serve, ROBO_TYPE_REPLY, desk, header->id, now);
            if (desk)
                send_results((struct desk *)desk, now);
        }
        if (error < 0)
            fault(serve, header, error, entry.id, ROBO__HEADER_SIZE + offset,
                  text[0] ? text : field, now);
        if (error == ROBO_EVERSION)
            serve->conn->closing = true;
        offset = at;
    }
}

/* ---- commands ---- */

static void work_commands(struct serve *serve, const struct robo_header *header,
                          const uint8_t *payload, robo_time now)
{
    struct desk *desk = find_desk(serve, header->session);
    struct robo_cmd few[16], *cmds = few;
    if (header->count > 16 && !(cmds = malloc(header->count * sizeof *cmds))) {
        fault(serve, header, ROBO_ENOMEM, 0, 0, NULL, now);
        return;
    }
    size_t at = 0, offset = 0, n = 0;
    struct robo_entry entry;
    const uint8_t *body;
    while (robo__next_entry(payload, header->size, &at, &entry, &body) == 1) {
        const char *field = NULL;
        int error = robo__command_decode(&entry, body, &cmds[n], &field);
        if (error < 0)
            fault(serve, header,
                  error == ROBO_EOP && robo__op_find(robo__queries, entry.op) ? ROBO_EMIXED : error,
                  entry.id, ROBO__HEADER_SIZE + offset, field, now);
        else
            n++;
        offset = at;
    }
    if (desk) {
        size_t admitted =
            robo__session_commands(desk->session, cmds, n, header->epoch, header->stamp, now);
        arm(desk);
        send_results(desk, now);
        refuse(serve, desk, cmds + admitted, n - admitted, ROBO_WHY_FULL, now);
    } else {
        fault(serve, header, ROBO_ENONE, 0, SESSION_AT, "session", now);
        refuse(serve, NULL, cmds, n, ROBO_WHY_SESSION, now);
    }
    if (cmds != few)
        free(cmds);
}

/* ---- packages in ---- */

/* A transport may deliver twice or late (UDP, DDS): each package is worked once. */
static bool is_repeated(const struct serve *serve, uint32_t id)
{
    int32_t ahead = (int32_t)(id - serve->last_package);
    if (!serve->any || ahead > 0)
        return false;
    return -(int64_t)ahead >= WINDOW || (serve->seen >> -ahead & 1) != 0;
}

static void note_package(struct serve *serve, uint32_t id)
{
    int32_t ahead = (int32_t)(id - serve->last_package);
    if (!serve->any || ahead > 0) {
        serve->seen = serve->any && ahead < WINDOW ? serve->seen << ahead | 1 : 1;
        serve->last_package = id;
        serve->any = true;
    } else {
        serve->seen |= (uint64_t)1 << -ahead;
    }
}

static void act_on_robot(robo_robot *robot, uint8_t flags)
{
    if (flags & ROBO_FLAG_PANIC)
        robo_panic(robot);
    else if (flags & ROBO_FLAG_RESET)
        robo_reset(robot);
}

/* Panic and reset: as soon as the header is in. */
static void act(struct serve *serve, const struct robo_header *header, robo_time now)
{
    if (header->session != 0) {
        struct desk *desk = find_desk(serve, header->session);
        if (desk)
            act_on_robot(desk->session->robot, header->flags);
        else
            fault(serve, header, ROBO_ENONE, 0, SESSION_AT, "session", now);
    } else {
        robo *world = serve->conn->host->world;
        robo_robot *robot;
        for (size_t i = 0; (robot = robo__world_robot(world, i)) != NULL; i++)
            act_on_robot(robot, header->flags);
    }
    /* this client hears of it with its next answer, which is now */
    for (size_t i = 0; i < DESKS; i++) {
        if (serve->desk[i]) {
            send_results(serve->desk[i], now);
            tell_panic(serve->desk[i], now);
        }
    }
}

static void work_package(struct serve *serve, const struct robo_header *header,
                         const uint8_t *payload, robo_time now)
{
    if (is_repeated(serve, header->id))
        return;
    note_package(serve, header->id);
    /* any word from the client counts for all its sessions */
    for (size_t i = 0; i < DESKS; i++)
        if (serve->desk[i])
            robo__session_word(serve->desk[i]->session, now);
    if (header->type == ROBO_TYPE_QUERY)
        work_queries(serve, header, payload, now);
    else if (header->type == ROBO_TYPE_COMMAND)
        work_commands(serve, header, payload, now);
    else if (header->type != ROBO_TYPE_NONE)
        fault(serve, header, ROBO_ETYPE, 0, 4, "a client sends queries and commands", now);
}

/* Whether the entries fill the payload exactly, as many as the header says. */
static bool entries_fit(const struct robo_header *header, const uint8_t *payload)
{
    size_t at = 0, count = 0;
    struct robo_entry entry;
    const uint8_t *body;
    int more;
    while ((more = robo__next_entry(payload, header->size, &at, &entry, &body)) == 1)
        count++;
    return more == 0 && count == header->count;
}

/* Where in a header that error lies. */
static size_t header_byte(int error)
{
    return error == ROBO_EVERSION ? 2 : error == ROBO_ETYPE ? 4 : error == ROBO_ESIZE ? 8 : 0;
}

static size_t feed(void *state, const uint8_t *in, size_t n, bool one, robo_time now)
{
    struct serve *serve = state;
    size_t used = 0;
    while (n - used >= ROBO__HEADER_SIZE && !serve->conn->closing) {
        const uint8_t *package = in + used;
        struct robo_header header;
        int error = robo__header_decode(package, &header);
        if (error < 0) {
            /* after a wrong header nobody knows where the next one begins */
            fault(serve, &header, error, 0, header_byte(error), NULL, now);
            serve->conn->closing = true;
            break;
        }
        if (header.flags && !serve->acted) {
            serve->acted = true;
            /* a panic is never one too many; a reset that comes again might end a later panic */
            if (header.flags & ROBO_FLAG_PANIC || !is_repeated(serve, header.id))
                act(serve, &header, now);
        }
        if (n - used < ROBO__HEADER_SIZE + (size_t)header.size)
            break;
        serve->acted = false;
        if (entries_fit(&header, package + ROBO__HEADER_SIZE))
            work_package(serve, &header, package + ROBO__HEADER_SIZE, now);
        else
            fault(serve, &header, ROBO_ESIZE, 0, ROBO__HEADER_SIZE,
                  "entries do not fill the payload", now);
        used += ROBO__HEADER_SIZE + (size_t)header.size;
        if (one)
            break;
    }
    return used;
}

static int open_serve(void *state, struct robo__conn *conn)
{
    struct serve *serve = state;
    serve->conn = conn;
    return 0;
}

static void shutdown_serve(void *state, robo_time now)
{
    send_notice(state, NULL, ROBO_N_SHUTDOWN, notice_body(ROBO_N_SHUTDOWN), NULL, now);
}

static void close_serve(void *state)
{
    struct serve *serve = state;
    for (size_t i = 0; i < DESKS; i++)
        if (serve->desk[i])
            close_desk(serve, serve->desk[i]);
}

const struct robo__protocol robo__robotalk = { .name = "robotalk",
                                               .size = sizeof(struct serve),
                                               .open = open_serve,
                                               .feed = feed,
                                               .shutdown = shutdown_serve,
                                               .close = close_serve };
