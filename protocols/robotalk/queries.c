/* Queries of a client, answered at once (RoboTalk IV.A: priority 0). */
#include "queries.h"
#include "configuration.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robot/client.h"
#include "base/time.h"
#include "robot/world/world.h"

enum { LEASE_WORK = 1 << 12 }; /* of a query about leases, besides its look at them */
static const char SERVER_NAME[] = "robotalk";

/* In all versions hello begins with the range of versions. ROBO_EVERSION: ours is not in it, and the rest is not read. */
static int check_versions(const uint8_t *body, size_t n)
{
    return n >= 2 && (body[0] > ROBO_VERSION || body[1] < ROBO_VERSION) ? ROBO_EVERSION : 0;
}

bool robo__is_hello(const struct robo_header *header, const uint8_t *payload)
{
    struct robo_entry entry;
    const uint8_t *body;
    size_t at = 0;
    return header->type == ROBO_TYPE_QUERY &&
           robo_next_entry(payload, header->size, &at, &entry, &body) == 1 &&
           entry.op == ROBO_Q_HELLO;
}

static int on_hello(const struct asked *q, const struct robo_request_hello *request)
{
    const uint8_t most = robo__conn_admit(q->serve->conn, request->token);
    if (most == 0) {
        snprintf(q->text, 128, "%s",
                 request->token[0]
                     ? "it does not know the token"
                     : "it wants a token (--token-file FILE, or token=FILE behind the "
                       "address)");
        return ROBO_ETOKEN;
    }
    /* the role that it asks for, as far as it may; a number that is no role stands for the nearest one */
    const uint8_t asked = request->role < ROBO_ROLE_WATCH ? ROBO_ROLE_WATCH : request->role;
    q->serve->role = asked < most ? asked : most;
    q->serve->who.key = request->lease;
    q->serve->who.number = robo__world_number(q->serve->conn->host->world);
    q->serve->who.name = q->serve->name;
    q->serve->who.local = q->serve->conn->access == NULL;
    memcpy(q->serve->name, request->name, sizeof q->serve->name);
    robo__conn_greeted(q->serve->conn);
    robo__serve_let_in(q->serve);
    struct robo_reply_hello a = { .version = ROBO_VERSION,
                                  .role = q->serve->role,
                                  .robots =
                                      (uint16_t)robo__world_count(q->serve->conn->host->world),
                                  .now = q->now };
    memcpy(a.name, SERVER_NAME, sizeof SERVER_NAME);
    return answer(q, &a);
}

/* The access lists are read on this thread: they are few and small. */
static int on_lists(const struct asked *q)
{
    char why[256];
    unsigned ended = 0;
    int count = robo__host_read_lists(q->serve->conn->host, &ended, why);
    if (count < 0) {
        snprintf(q->text, 128, "%.127s", why);
        return count;
    }
    const struct robo_reply_lists a = { .addresses = (uint16_t)count, .ended = ended };
    return answer(q, &a);
}

static int on_robot(const struct asked *q, const struct robo_request_robot *request)
{
    robo_robot *robot = NULL;
    uint64_t cursor = 0;
    for (uint32_t i = 0; i <= request->index; i++) {
        robo_release(robot);
        robot = robo_next_robot(q->serve->conn->host->world, &cursor);
        if (!robot)
            return ROBO_ENONE;
    }
    struct robo_reply_robot a = { 0 };
    const unsigned sessions = robo__robot_sessions(robot);
    memcpy(a.name, robo__robot_description(robot)->name, sizeof a.name);
    a.sessions = (uint16_t)(sessions < UINT16_MAX ? sessions : UINT16_MAX);
    a.panic = robo__robot_alarm(robot).panic != 0;
    robo_release(robot);
    return answer(q, &a);
}

int robo__answer_no_robot(const struct asked *q, const char *name)
{
    uint64_t cursor = 0;
    robo_robot *robot;
    int n = snprintf(q->text, 128, "=no robot '%s' there; those there:", name);
    for (; (robot = robo_next_robot(q->serve->conn->host->world, &cursor)); robo_release(robot))
        if (n < 128)
            n +=
                snprintf(q->text + n, 128 - (size_t)n, " %s", robo__robot_description(robot)->name);
    return ROBO_ENONE;
}

static int on_open(const struct asked *q, const struct robo_request_open *request)
{
    struct robo__serve *serve = q->serve;
    struct robo__host *host = serve->conn->host;
    size_t slot = 0;
    while (slot < ROBO__SERVER_SESSIONS && serve->server_session[slot])
        slot++;
    if (slot == ROBO__SERVER_SESSIONS)
        return ROBO_ELIMIT;
    struct robo__server_session *ss = calloc(1, sizeof *ss);
    if (!ss)
        return ROBO_ENOMEM;
    struct robo__session_request mode = { .name = request->mode,
                                          .options = request->options,
                                          .delay = request->delay,
                                          .duration = request->duration,
                                          .deadman = request->deadman,
                                          .gap = request->gap,
                                          .expiry = request->expiry,
                                          .jitter = request->jitter,
                                          .errors_only = request->errors != 0,
                                          .newest = request->newest != 0,
                                          .who = &serve->who,
                                          .share = serve->conn->share,
                                          .traffic = &serve->conn->traffic };
    ss->serve = serve;
    ss->held_by = ROBO__NOBODY;
    ss->wakeup.run = robo__server_session_on_wakeup;
    ss->again.fire = robo__server_session_on_again;
    robo_robot *robot = robo_find(host->world, request->robot);
    int error = robot ? robo__session_open(robot, host->modes, &mode, robo__server_session_wake, ss,
                                           q->now, &ss->session, q->text)
                      : robo__answer_no_robot(q, request->robot);
    robo_release(robot);
    if (error < 0) {
        free(ss);
        return error;
    }
    serve->server_session[slot] = ss;
    ss->id = ++serve->last_session;

    robot = robo__session_robot(ss->session);
    const struct robo__alarm alarm = robo__robot_alarm(robot);
    ss->epoch = alarm.epoch;
    ss->revision = robo__robot_revision(robot);
    ss->panic = alarm.panic != 0;
    if (robo__session_decision(ss->session)->hold)
        robo__conn_keep_traffic(serve->conn);
    const struct robo__news news = robo__session_news(ss->session, q->now);
    ss->stops = news.stops;
    ss->losses = news.loss.times;
    ss->answers = news.answer.count;
    struct robo_notice_latched latch;
    robo__session_latch(ss->session, &latch);
    if (robo__session_retains(ss->session, ss->retained) || latch.holds) /* a notice follows */
        robo__server_session_wake(ss);
    struct robo_reply_open a = {
        .session = ss->id, .epoch = ss->epoch, .stops = ss->stops, .panic = ss->panic
    };
    robo__session_describe(ss->session, &a);
    memcpy(a.robot, robo__robot_description(robot)->name, sizeof a.robot);
    return answer(q, &a);
}

static int on_sync(const struct asked *q, const struct robo_request_sync *request)
{
    struct robo_reply_sync a = { .sent = request->sent, .received = q->now };
    a.replied = robo_now(q->serve->conn->host->world);
    return answer(q, &a);
}

/* A picture, or view: they ask in the same way. The pieces follow in packages of their own. */
static int on_look(const struct asked *q, const void *request)
{
    struct robo_request_picture look;
    _Static_assert(sizeof look == sizeof(struct robo_request_view), "the same fields");
    memcpy(&look, request, sizeof look);
    return robo__view_open(q->server_session, q->entry->id, q->entry->op, &look, q->now);
}

static int on_pieces(const struct asked *q, const struct robo_request_pieces *request)
{
    int error = robo__view_heard(q->server_session, request->query, request->bytes);
    if (error == 0)
        error = robo__broadcast_heard(q->server_session, request->query, request->bytes);
    return error < 0 ? error : answer(q, NULL);
}

static int on_describe(const struct asked *q)
{
    uint32_t revision;
    const struct robo_description *d = robo_body_description(
        robo__robot_newest(robo__session_robot(q->server_session->session), &revision));
    struct robo_reply_describe a = { .links = d->links,
                                     .joints = d->joints,
                                     .frames = d->frames,
                                     .dofs = d->dofs,
                                     .commands = d->commands,
                                     .deadman = d->deadman,
                                     .revision = revision };
    memcpy(a.name, d->name, sizeof a.name);
    memcpy(a.model, d->model, sizeof a.model);
    return answer(q, &a);
}

/* One record of the description. */
static int on_record(const struct asked *q, unsigned number)
{
    const struct robo_description *d =
        robo__robot_description(robo__session_robot(q->server_session->session));
    switch (q->entry->op) {
    case ROBO_Q_JOINT:
        if (number >= d->joints)
            return ROBO_ENONE;
        return answer(q, &d->joint[number]);
    case ROBO_Q_DOF:
        if (number >= d->dofs)
            return ROBO_ENONE;
        return answer(q, &d->dof[number]);
    case ROBO_Q_LINK:
        if (number >= d->links)
            return ROBO_ENONE;
        return answer(q, &d->link[number]);
    default:
        if (number >= d->frames)
            return ROBO_ENONE;
        return answer(q, &d->frame[number]);
    }
}

/* A piece of the configuration block. The block is encoded again for each piece, since clients ask for it seldom. */
static int on_configuration(const struct asked *q, const struct robo_request_configuration *request)
{
    uint32_t revision;
    const struct robo_description *d = robo_body_description(
        robo__robot_newest(robo__session_robot(q->server_session->session), &revision));
    size_t size = robo__configuration_size(d);
    struct robo_reply_configuration *a = calloc(1, sizeof *a);
    uint8_t *block = malloc(size);
    int error = a && block ? 0 : ROBO_ENOMEM;
    if (error == 0 && !spend(q, size))
        error = ROBO_ELIMIT;
    if (error == 0) {
        ptrdiff_t used = robo__configuration_encode(d, block, size, NULL);
        error = used < 0 ? (int)used : request->offset > size ? ROBO_ERANGE : 0;
    }
    if (error == 0) {
        size_t left = size - request->offset;
        a->revision = revision;
        a->size = (uint32_t)size;
        a->count = (uint16_t)(left < sizeof a->bytes ? left : sizeof a->bytes);
        memcpy(a->bytes, block + request->offset, a->count);
        error = answer(q, a);
    }
    free(block);
    free(a);
    return error;
}

/* Charges a look at all leases of the query's robot. */
static bool spend_on_leases(const struct asked *q)
{
    return spend(q, LEASE_WORK + robo__session_holders_work(q->server_session->session));
}

static int on_reload(const struct asked *q, const struct robo_request_reload *request)
{
    struct robo_reply_reload a;
    if (!spend_on_leases(q))
        return ROBO_ELIMIT;
    if (robo__session_is_shared(q->server_session->session, q->now))
        return ROBO_ELEASE;
    int answered = robo__serve_reload(q->serve, q->server_session, q->header, q->entry->id, request,
                                      &a, q->text);
    return answered > 0 ? answer(q, &a) : answered;
}

static int on_bus(const struct asked *q)
{
    struct robo_reply_bus a;
    int error = robo__robot_bus(robo__session_robot(q->server_session->session), &a);
    return error < 0 ? error : answer(q, &a);
}

static int on_holder(const struct asked *q, const struct robo_request_holder *request)
{
    struct robo_reply_holder a;
    struct robo__session *session = q->server_session->session;
    if (!spend_on_leases(q))
        return ROBO_ELIMIT;
    return robo__session_holder(session, request->index, q->now, &a) ? answer(q, &a) : ROBO_ENONE;
}

/* A query that the monitor carries out. */
static int on_request(const struct asked *q, const void *request)
{
    struct robo_reply_take a; /* of one that has a reply */
    struct robo__session *session = q->server_session->session;
    if (q->entry->op == ROBO_Q_OVERRIDE
            ? !spend(q, robo__override_work(robo__session_robot(session)))
            : !spend_on_leases(q))
        return ROBO_ELIMIT;
    int error = robo__session_request(session, q->entry->op, request, q->serve->role, &a, q->now);
    robo__server_session_wake(q->server_session); /* losses by that */
    return error < 0 ? error : answer(q, &a);
}

static int on_take(const struct asked *q, const struct robo_request_take *request)
{
    if (request->force && !q->serve->takeover)
        snprintf(q->text, 128, "force: the address of this server has not the option takeover");
    if (request->force && !(q->serve->takeover && q->serve->role >= ROBO_ROLE_OPERATE))
        return ROBO_EROLE;
    return on_request(q, request);
}

static int on_latch(const struct asked *q, const struct robo_request_latch *request)
{
    struct robo_reply_latch a;
    if (!spend_on_leases(q))
        return ROBO_ELIMIT;
    return robo__session_latched(q->server_session->session, request->index, &a) ? answer(q, &a)
                                                                                 : ROBO_ENONE;
}

/* Queries of a session. */
static int work_session_query(const struct asked *q, const void *request)
{
    if (!q->server_session)
        return ROBO_ENONE;
    struct robo__session *session = q->server_session->session;
    struct robo_reply_cancel cancelled;
    struct robo_reply_status status;
    struct robo_reply_pauses pauses;
    switch (q->entry->op) {
    case ROBO_Q_CLOSE:
        robo__server_session_close(q->serve, q->server_session);
        return answer(q, NULL);
    case ROBO_Q_STATE:
        return robo__answer_state(q, ((const struct robo_request_state *)request)->more);
    case ROBO_Q_SENSE: return robo__answer_sense(q, request);
    case ROBO_Q_WATCH: return robo__begin_watch(q, request);
    case ROBO_Q_RECORD: return robo__answer_record(q, request);
    case ROBO_Q_BROADCAST: return robo__begin_states(q, request);
    case ROBO_Q_BROADCAST_CANCEL: return robo__cancel_broadcast(q, request);
    case ROBO_Q_PICTURE:
    case ROBO_Q_VIEW: return on_look(q, request);
    case ROBO_Q_PIECES: return on_pieces(q, request);
    case ROBO_Q_CANCEL:
        if (!spend(q, robo__session_waiting(session)))
            return ROBO_ELIMIT;
        cancelled.count = robo__session_cancel(
            session, ((const struct robo_request_cancel *)request)->command, q->now);
        return answer(q, &cancelled);
    case ROBO_Q_STATUS: robo__session_status(session, &status); return answer(q, &status);
    case ROBO_Q_HOLDER: return on_holder(q, request);
    case ROBO_Q_TAKE: return on_take(q, request);
    case ROBO_Q_LATCH: return on_latch(q, request);
    case ROBO_Q_PAUSES: robo__session_pauses(session, &pauses); return answer(q, &pauses);
    case ROBO_Q_FINISH: robo__session_finish(session, q->now); return answer(q, NULL);
    case ROBO_Q_DESCRIBE: return on_describe(q);
    case ROBO_Q_BUS: return on_bus(q);
    case ROBO_Q_CONFIGURATION: return on_configuration(q, request);
    case ROBO_Q_RELOAD: return on_reload(q, request);
    case ROBO_Q_JOINT:
    case ROBO_Q_DOF:
    case ROBO_Q_LINK:
    case ROBO_Q_FRAME: return on_record(q, *(const uint16_t *)request);
    default: return on_request(q, request);
    }
}

static int work_query(struct asked *q, const void *request)
{
    q->server_session = robo__server_session_find(q->serve, q->header->session);
    switch (q->entry->op) {
    case ROBO_Q_HELLO: return on_hello(q, request);
    case ROBO_Q_ROBOT: return on_robot(q, request);
    case ROBO_Q_OPEN: return on_open(q, request);
    case ROBO_Q_SYNC: return on_sync(q, request);
    case ROBO_Q_LISTS: return on_lists(q);
    case ROBO_Q_RECORDING: return robo__answer_recording(q, request);
    case ROBO_Q_SCRIPT:
    case ROBO_Q_SCRIPT_START:
    case ROBO_Q_SCRIPT_STOP:
    case ROBO_Q_SCRIPT_RELOAD:
    case ROBO_Q_EPISODE:
        return robo__serve_script(q->serve, q->header, q->entry->id, q->op, request);
    default: return work_session_query(q, request);
    }
}

/* Answers all commands of a session before its close is answered. */
static void end_session(struct robo__serve *serve, uint32_t session, robo_time now)
{
    struct robo__server_session *ss = robo__server_session_find(serve, session);
    if (!ss)
        return;
    robo__session_end(ss->session, now);
    robo__server_session_all_results(ss, now);
}

/* Room that the reply to a query takes, and the head of its entry. */
static size_t reply_room(struct robo__serve *serve, uint32_t session,
                         const struct robo_operation *op, const void *request)
{
    const struct robo__server_session *of = robo__server_session_find(serve, session);
    if (of && op->reply == &robo_reply_sense_message)
        return robo__sense_room(robo__session_robot(of->session), op->op, request);
    if (op->reply != &robo_reply_state_message || !of)
        return op->reply->size + 64;
    return robo__state_room(robo__session_robot(of->session),
                            op->op == ROBO_Q_STATE
                                ? ((const struct robo_request_state *)request)->more
                                : ((const struct robo_request_broadcast *)request)->more);
}

/* Each query has a reply package of its own, which keeps the bound of its size simple. */
void robo__serve_queries(struct robo__serve *serve, const struct robo_header *header,
                         const uint8_t *payload, robo_time now)
{
    union {
        struct robo_request_hello hello;
        struct robo_request_open open;
        struct robo_request_reload reload; /* the largest */
    } request;
    size_t at = 0, offset = 0;
    struct robo_entry entry;
    const uint8_t *body;
    serve->work = 0;
    while (robo_next_entry(payload, header->size, &at, &entry, &body) == 1) {
        const char *field = NULL;
        char text[128] = "";
        const struct robo_operation *op = robo_operation_find(robo__queries, entry.op);
        int error = op ? 0 : robo_operation_find(robo__commands, entry.op) ? ROBO_EMIXED : ROBO_EOP;
        if (op && entry.id == 0) {
            error = ROBO_EINVAL;
            field = "id: 0 is none";
        } else if (op && (serve->role != 0) == (op->op == ROBO_Q_HELLO)) {
            error = ROBO_EINVAL;
            field = "hello comes first, and once";
        } else if (op && op->op == ROBO_Q_HELLO && check_versions(body, entry.size) < 0) {
            error = ROBO_EVERSION;
        } else if (op) {
            memset(&request, 0, op->request->size);
            error = robo_message_decode_body(op->request, body, entry.size, &request, &field);
            if (error == 0 && serve->role < op->role)
                error = ROBO_EROLE;
        }
        uint32_t session = header->session;
        /* the results of a session that closes may need more than half of the output buffer */
        size_t most = op && op->op == ROBO_Q_CLOSE ? ROBO__CONN_OUT : ROBO__CONN_MOST / 2;
        if (!error && serve->conn->out_count > most) {
            error = ROBO_ELIMIT;
            field = "one package asks for more than the client has read";
        }
        if (!error && op->op == ROBO_Q_CLOSE)
            end_session(serve, session, now);
        if (!error && !robo__serve_begin(serve, ROBO_HEADER_SIZE +
                                                    reply_room(serve, session, op, &request))) {
            robo__serve_unexecuted(serve, header, entry.id);
        } else if (!error) {
            struct asked q = { .serve = serve,
                               .header = header,
                               .entry = &entry,
                               .op = op,
                               .now = now,
                               .text = text };
            error = work_query(&q, &request);
            /* the header of the reply names the session; the query may have closed it */
            struct robo__server_session *ss = robo__server_session_find(serve, session);
            robo__serve_end(serve, ROBO_TYPE_REPLY, ss, header->id, now);
            /* these write packages of their own, which follow the reply */
            if (ss && op->op == ROBO_Q_FINISH)
                robo__server_session_arm(ss, now);
            if (ss && op->op == ROBO_Q_RESUME)
                robo__server_session_report(ss, now);
            /* the report closes the session of a robot that was removed */
            ss = robo__server_session_find(serve, session);
            if (ss && op->op == ROBO_Q_PIECES)
                robo__views_resume(ss, now);
            if (ss)
                robo__server_session_results(ss, now);
        }
        if (error == ROBO_EMIXED)
            robo__serve_unread(serve, header, &entry, error, ROBO_HEADER_SIZE + offset, now);
        else if (error < 0)
            robo__serve_fault(serve, header, error, entry.id, ROBO_HEADER_SIZE + offset,
                              text[0] ? text : field, now);
        if (error == ROBO_EVERSION || error == ROBO_ETOKEN)
            serve->conn->closing = true;
        offset = at;
    }
}
