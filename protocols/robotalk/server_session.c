/* Server sessions: the state of a connection for each open session, and the packages that are sent from there. */
#include "server_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robot/client.h"
#include "robot/world/world.h"
#include "base/time.h"

/* RESULTS: more than a busy robot gives before it lets go of its mutex, else there would be no end of them. */
enum { RESULTS = 2 * ROBO__TURN, RESULT_BYTES = 56, FAULT_BYTES = 256 };
/* parts of a frame that are reported at most, and the bytes of each */
enum { PARTS = 1024, PART_BYTES = 5 };

struct robo__server_session *robo__server_session_find(struct robo__serve *serve, uint32_t id)
{
    for (size_t i = 0; i < ROBO__SERVER_SESSIONS; i++)
        if (serve->server_session[i] && serve->server_session[i]->id == id)
            return serve->server_session[i];
    return NULL;
}

bool robo__serve_begin(struct robo__serve *serve, size_t room)
{
    uint8_t *out = robo__conn_reserve(serve->conn, room);
    return robo_package_begin(&serve->out, out, out ? room : 0) == 0;
}

void robo__serve_end(struct robo__serve *serve, enum robo_type type,
                     const struct robo__server_session *ss, uint32_t id, robo_time now)
{
    struct robo_header header = { .type = (uint8_t)type, .id = id, .stamp = now };
    if (ss) {
        header.session = ss->id;
        header.epoch = (uint16_t)ss->epoch;
        header.stops = (uint16_t)ss->stops;
    }
    ptrdiff_t n = serve->out.count > 0 ? robo_package_end(&serve->out, &header) : 0;
    if (n > 0)
        robo__conn_commit(serve->conn, (size_t)n);
}

void robo__serve_notice(struct robo__serve *serve, const struct robo__server_session *ss,
                        enum robo_notice op, const void *msg, robo_time now)
{
    if (!robo__serve_begin(serve, ROBO_HEADER_SIZE + FAULT_BYTES))
        return;
    const struct robo_operation *notice = robo_operation_find(robo__notices, (uint16_t)op);
    robo_package_add(&serve->out, notice->op, 0, NULL, NULL, notice->request, msg);
    robo__serve_end(serve, ROBO_TYPE_NOTICE, ss, 0, now);
}

void robo__serve_fault(struct robo__serve *serve, const struct robo_header *header, int error,
                       uint32_t query, size_t offset, const char *field, robo_time now)
{
    if (serve->overrun)
        return;
    struct robo_notice_fault f = {
        .code = (uint16_t)-error, .package = header->id, .query = query, .offset = (uint32_t)offset
    };
    if (error == ROBO_EVERSION)
        f.lowest = f.highest = ROBO_VERSION;
    const bool whole = field && field[0] == '='; /* the program's text is the whole message */
    snprintf(f.text, sizeof f.text, "%s%s%s", whole ? "" : robo_strerror(error),
             field && !whole ? ": " : "", field ? field + whole : "");
    const struct robo__server_session *ss = robo__server_session_find(serve, header->session);
    robo__serve_notice(serve, ss, ROBO_N_FAULT, &f, now);
}

/* Adds a result; that of a frame with the results of its parts. false: there is no room. */
static bool fits(struct robo__serve *serve, const struct robo_result *result,
                 const struct robo_part *parts, unsigned count)
{
    int error = result->op == ROBO_MOVE ? robo_package_add_parts(&serve->out, result, parts, count)
                                        : robo_package_add_result(&serve->out, result);
    return error != ROBO_EFULL;
}

/* Parts need more room than was made for results: where it ends, a package of the same kind follows the one that is being
 * written. `left`: results that are still to come. */
static void add_result(struct robo__server_session *ss, const struct robo_result *result,
                       size_t left, robo_time now)
{
    struct robo__serve *serve = ss->serve;
    struct robo_part parts[PARTS];
    unsigned count = 0;
    if (result->op == ROBO_MOVE)
        count = robo__move_report(robo__session_next_move(ss->session), parts, PARTS);
    count = count < PARTS ? count : PARTS;
    if (fits(serve, result, parts, count))
        return;
    robo__serve_end(serve, ROBO_TYPE_SIGNAL, ss, 0, now);
    if (robo__serve_begin(serve, ROBO_HEADER_SIZE + left * RESULT_BYTES + count * PART_BYTES))
        fits(serve, result, parts, count);
}

/* Sends those of that retained notice that are news. */
static void send_retained(struct robo__server_session *ss, const struct robo_operation *notice,
                          robo_time now)
{
    const enum robo_retained kind = notice->retained - 1;
    union robo_retained_body body;
    while (robo__session_retained(ss->session, kind, &ss->retained[kind], &body))
        robo__serve_notice(ss->serve, ss, notice->op, &body, now);
}

/* Reports the holder of the lease for which a command was refused, before its result. */
static void tell_holder(struct robo__server_session *ss, const struct robo_result *result,
                        size_t left, robo_time now)
{
    struct robo__serve *serve = ss->serve;
    struct robo_notice_held body = { .holder = result->holder };
    if (result->reason != ROBO_WHY_LEASE || result->signal != ROBO_BUSY ||
        result->holder == ss->held_by)
        return;
    ss->held_by = result->holder;
    robo__serve_end(serve, ROBO_TYPE_SIGNAL, ss, 0, now);
    robo__session_name_of(ss->session, result->holder, body.name);
    robo__serve_notice(serve, ss, ROBO_N_HELD, &body, now);
    robo__serve_begin(serve, ROBO_HEADER_SIZE + left * RESULT_BYTES);
}

/* The retained notice that explains a result, before it: that of its reason's name. */
static void tell_retained(struct robo__server_session *ss, const struct robo_result *result,
                          size_t left, robo_time now)
{
    const uint16_t op = robo__explained_by[result->reason];
    if (!op)
        return;
    const struct robo_operation *notice = robo_operation_find(robo__notices, op);
    uint32_t known = ss->retained[notice->retained - 1];
    union robo_retained_body body;
    if (!robo__session_retained(ss->session, notice->retained - 1u, &known, &body))
        return;
    robo__serve_end(ss->serve, ROBO_TYPE_SIGNAL, ss, 0, now);
    send_retained(ss, notice, now);
    robo__serve_begin(ss->serve, ROBO_HEADER_SIZE + left * RESULT_BYTES);
}

/* Whether the client does not know yet that a stop has latched it, or has done so no longer; or the number of its own stop. */
static bool latch_is_news(const struct robo__server_session *ss, struct robo_notice_latched *body)
{
    robo__session_latch(ss->session, body);
    return body->stop != ss->latch || body->holds != ss->latched;
}

static void send_latch(struct robo__server_session *ss, robo_time now)
{
    struct robo_notice_latched body;
    if (!latch_is_news(ss, &body))
        return;
    ss->latch = body.stop;
    ss->latched = body.holds;
    robo__serve_notice(ss->serve, ss, ROBO_N_LATCHED, &body, now);
}

/* The same before a result which that explains, once for a queue of them. */
static bool tell_latch(struct robo__server_session *ss, const struct robo_result *result,
                       size_t left, robo_time now)
{
    struct robo_notice_latched body;
    if (result->reason != ROBO_WHY_STOPPED && result->op != ROBO_STOP)
        return false;
    if (!latch_is_news(ss, &body))
        return true;
    robo__serve_end(ss->serve, ROBO_TYPE_SIGNAL, ss, 0, now);
    send_latch(ss, now);
    robo__serve_begin(ss->serve, ROBO_HEADER_SIZE + left * RESULT_BYTES);
    return true;
}

/* The return queue to the wire, as far as that; `all`: whether the client reads or not. */
static void send_results(struct robo__server_session *ss, bool all, robo_time now)
{
    struct robo_result results[RESULTS];
    struct robo__serve *serve = ss->serve;
    size_t n = RESULTS;
    bool told = false;
    /* fewer than were asked for: there are no more */
    while (n == RESULTS) {
        if (!all && robo__conn_full(serve->conn)) {
            serve->conn->owes = true;
            return;
        }
        n = robo__session_results(ss->session, results, RESULTS);
        if (n == 0 || !robo__serve_begin(serve, ROBO_HEADER_SIZE + n * RESULT_BYTES))
            break;
        for (size_t i = 0; i < n; i++) {
            tell_holder(ss, &results[i], n - i, now);
            tell_retained(ss, &results[i], n - i, now);
            told = told || tell_latch(ss, &results[i], n - i, now);
            add_result(ss, &results[i], n - i, now);
        }
        robo__serve_end(serve, ROBO_TYPE_SIGNAL, ss, 0, now);
    }
    struct robo_notice_settled settled;
    if (robo__session_settled(ss->session, &settled.succeeded))
        robo__serve_notice(serve, ss, ROBO_N_SETTLED, &settled, now);
    const char *why;
    const int error = robo__session_mode_error(ss->session, &why);
    if (error && !ss->mode_failed) {
        const struct robo_header header = { .session = ss->id };
        ss->mode_failed = true;
        robo__serve_fault(serve, &header, error, 0, 0, why, now);
    }
}

void robo__server_session_results(struct robo__server_session *ss, robo_time now)
{
    send_results(ss, false, now);
}

void robo__server_session_all_results(struct robo__server_session *ss, robo_time now)
{
    send_results(ss, true, now);
}

/* Commands that found no room, or no session, were never admitted; their refusal is written here. */
static void refuse(struct robo__serve *serve, const struct robo__server_session *ss,
                   const struct robo_cmd *cmds, size_t n, enum robo_signal signal,
                   enum robo_reason why, robo_time now)
{
    for (size_t i = 0; i < n && !serve->overrun; i += RESULTS) {
        size_t count = n - i < RESULTS ? n - i : RESULTS;
        if (!robo__serve_begin(serve, ROBO_HEADER_SIZE + count * RESULT_BYTES))
            return;
        for (size_t k = i; k < i + count; k++) {
            struct robo_result r = { .id = cmds[k].id,
                                     .op = cmds[k].op,
                                     .signal = (uint8_t)signal,
                                     .reason = (uint8_t)why,
                                     .scheduled = cmds[k].start,
                                     .executed = ROBO_NO_TIME,
                                     .finished = now };
            robo_package_add_result(&serve->out, &r);
        }
        robo__serve_end(serve, ROBO_TYPE_SIGNAL, ss, 0, now);
    }
    if (ss && n > 0)
        robo__session_refused(ss->session, n);
}

void robo__serve_refuse(struct robo__serve *serve, const struct robo__server_session *ss,
                        const struct robo_cmd *cmds, size_t n, enum robo_reason why, robo_time now)
{
    refuse(serve, ss, cmds, n, ROBO_ERROR, why, now);
}

void robo__serve_unread(struct robo__serve *serve, const struct robo_header *header,
                        const struct robo_entry *entry, int error, size_t offset, robo_time now)
{
    const struct robo_cmd cmd = { .op = entry->op, .id = entry->id, .start = ROBO_NO_TIME };
    enum robo_reason why = error == ROBO_EOP      ? ROBO_WHY_UNSUPPORTED
                           : error == ROBO_ERANGE ? ROBO_WHY_RANGE
                                                  : ROBO_WHY_MALFORMED;
    if (entry->id == 0)
        robo__serve_fault(serve, header, ROBO_EINVAL, 0, offset, "id: 0 is none", now);
    else
        refuse(serve, robo__server_session_find(serve, header->session), &cmd, 1,
               error == ROBO_EOP ? ROBO_NA : ROBO_ERROR, why, now);
}

void robo__server_session_close(struct robo__serve *serve, struct robo__server_session *ss)
{
    struct robo__timers *timers = serve->conn->host->timers;
    robo__timer_stop(timers, &ss->again);
    for (size_t i = 0; i < ROBO__BROADCASTS; i++)
        robo__timer_stop(timers, &ss->broadcast[i].timer);
    robo__views_close(ss);
    robo__session_close(ss->session);
    for (size_t i = 0; i < ROBO__SERVER_SESSIONS; i++)
        if (serve->server_session[i] == ss)
            serve->server_session[i] = NULL;
    ss->serve = NULL;
    ss->session = NULL;
    if (!atomic_load(&ss->wakeup.posted))
        free(ss);
}

/* Notifies the client that its sequence waits for a frame, or goes on. */
static void send_pauses(struct robo__server_session *ss, robo_time now)
{
    struct robo_notice_paused paused;
    struct robo_notice_resumed resumed;
    if (robo__session_paused(ss->session, ss->paused, &paused)) {
        ss->paused = paused.count;
        robo__serve_notice(ss->serve, ss, ROBO_N_PAUSED, &paused, now);
    }
    if (robo__session_resumed(ss->session, ss->resumed, &resumed)) {
        ss->resumed = resumed.count;
        robo__serve_notice(ss->serve, ss, ROBO_N_RESUMED, &resumed, now);
    }
}

void robo__server_session_arm(struct robo__server_session *ss, robo_time now)
{
    struct robo__timers *timers = ss->serve->conn->host->timers;
    robo_time next = robo__session_next(ss->session);
    if (next != ROBO_NEVER)
        robo__timer_start(timers, &ss->again, next);
    else
        robo__timer_stop(timers, &ss->again);
    send_pauses(ss, now);
}

void robo__server_session_on_again(struct robo__timer *timer, robo_time now)
{
    struct robo__server_session *ss = robo__container_of(timer, struct robo__server_session, again);
    robo__session_decide(ss->session, now);
    robo__server_session_arm(ss, now);
    robo__server_session_results(ss, now);
    robo__conn_kick(ss->serve->conn);
}

/* Notifies the client of a panic or a reset that it does not know of. */
void robo__server_session_send_panic(struct robo__server_session *ss, robo_time now)
{
    const struct robo__alarm alarm = robo__robot_alarm(robo__session_robot(ss->session));
    if (alarm.epoch == ss->epoch && (alarm.panic != 0) == ss->panic)
        return;
    struct robo_notice_panicked body = { .epoch = alarm.epoch };
    struct robo_notice_reset reset = { .epoch = alarm.epoch };
    robo__robot_panic_name(robo__session_robot(ss->session), alarm.panic ? body.name : reset.name);
    if (alarm.epoch != ss->epoch) {
        robo__session_panicked(ss->session, now);
        ss->epoch = alarm.epoch;
        robo__server_session_results(ss, now);
        robo__serve_notice(ss->serve, ss, ROBO_N_PANICKED, &body, now);
    }
    if (!alarm.panic)
        robo__serve_notice(ss->serve, ss, ROBO_N_RESET, &reset, now);
    ss->panic = alarm.panic != 0;
}

/* Notifies the client that another session has stopped the robot. */
static void send_stopped(struct robo__server_session *ss, uint32_t stops, robo_time now)
{
    struct robo_notice_stopped body = { .stops = stops };
    if (stops == ss->stops)
        return;
    ss->stops = stops;
    robo__server_session_results(ss, now); /* commands that the stop ended, before its own result */
    robo__serve_notice(ss->serve, ss, ROBO_N_STOPPED, &body, now);
}

/* Notifies the client that the robot was reloaded. */
static void send_changed(struct robo__server_session *ss, robo_time now)
{
    struct robo_notice_changed body = { .revision = robo__robot_revision(
                                            robo__session_robot(ss->session)) };
    if (body.revision == ss->revision)
        return;
    ss->revision = body.revision;
    robo__serve_notice(ss->serve, ss, ROBO_N_CHANGED, &body, now);
}
/* Notifies the client that others have other leases than before. */
static void send_leases(struct robo__server_session *ss, uint32_t changes, robo_time now)
{
    struct robo_notice_leases body = { .changes = changes };
    if (changes == ss->leases)
        return;
    ss->leases = changes;
    robo__serve_notice(ss->serve, ss, ROBO_N_LEASES, &body, now);
}

/* Notifies the client that another one has taken its leases, and the operator, who sees a motion stop. */
static void send_lost(struct robo__server_session *ss, struct robo__loss loss, robo_time now)
{
    struct robo_notice_lost body = { .holder = loss.to, .count = loss.times - ss->losses };
    robo_robot *robot = robo__session_robot(ss->session);
    const uint32_t loser = robo__session_client(ss->session);
    char to[ROBO__HOLDER_NAME], from[ROBO__HOLDER_NAME];
    if (loss.times == ss->losses)
        return;
    ss->losses = loss.times;
    robo__session_name_of(ss->session, loss.to, body.name);
    robo__serve_notice(ss->serve, ss, ROBO_N_LOST, &body, now);
    robo__session_name_of(ss->session, loss.to, to);
    robo__session_name_of(ss->session, loser, from);
    robo__world_log(ss->serve->conn->host->world, ROBO_LOG_INFO,
                    "robot %s: %s %u took over from %s %u", robo_robot_name(robot), to, loss.to,
                    from, loser);
}

/* Notifies the client of requests by others. */
static void send_asked(struct robo__server_session *ss, uint32_t asks, robo_time now)
{
    struct robo_notice_asked body;
    while (ss->asks != asks && robo__session_asked(ss->session, &ss->asks, &body))
        robo__serve_notice(ss->serve, ss, ROBO_N_ASKED, &body, now);
}

/* Notifies the client that its requests to others are decided. */
static void send_answered(struct robo__server_session *ss, struct robo__outcome answer,
                          robo_time now)
{
    const struct robo_notice_answered body = { .state = answer.state };
    if (ss->answers == answer.count)
        return;
    ss->answers = answer.count;
    robo__serve_notice(ss->serve, ss, ROBO_N_ANSWERED, &body, now);
}

/* Notifies the client that the deadman has stopped the robot, and the operator, who sees a robot stop without a command. */
static void send_deadman(struct robo__server_session *ss, robo_time silence, robo_time now)
{
    const struct robo_notice_deadman body = { .silence = silence };
    const robo_robot *robot = robo__session_robot(ss->session);
    robo__serve_notice(ss->serve, ss, ROBO_N_DEADMAN, &body, now);
    robo__world_log(ss->serve->conn->host->world, ROBO_LOG_WARNING,
                    "%s: deadman: a client was not heard for %.2f s; what it moved was stopped",
                    robo_robot_name(robot), (double)silence / 1e9);
}

void robo__server_session_report(struct robo__server_session *ss, robo_time now)
{
    struct robo__serve *serve = ss->serve;
    const struct robo__news news = robo__session_news(ss->session, now);
    send_latch(ss, now);
    if (news.retained != ss->changes)
        for (const struct robo_operation *n = robo__notices; n->name; n++)
            if (n->retained)
                send_retained(ss, n, now);
    ss->changes = news.retained;
    robo__server_session_results(ss, now);
    if (news.silence != 0)
        send_deadman(ss, news.silence, now);
    robo__server_session_send_panic(ss, now);
    send_lost(ss, news.loss, now);
    send_stopped(ss, news.stops, now);
    send_leases(ss, news.leases, now);
    send_asked(ss, news.asks, now);
    send_answered(ss, news.answer, now);
    send_changed(ss, now);
    if (!news.gone)
        return;
    /* commands that ended since, and those that wait in the session, before the notice of its end */
    robo__session_end(ss->session, now);
    robo__server_session_results(ss, now);
    if (serve->conn->owes)
        return;
    robo__serve_notice(serve, ss, ROBO_N_REMOVED, NULL, now);
    robo__server_session_close(serve, ss);
}

void robo__server_session_on_wakeup(struct robo__wakeup *wakeup, robo_time now)
{
    struct robo__server_session *ss =
        robo__container_of(wakeup, struct robo__server_session, wakeup);
    if (!ss->serve) {
        free(ss);
        return;
    }
    struct robo__conn *conn = ss->serve->conn;
    robo__server_session_report(ss, now);
    robo__conn_kick(conn);
}

void robo__server_session_wake(void *server_session)
{
    struct robo__server_session *ss = server_session;
    robo__wakeup_post(&ss->serve->conn->host->mailbox, &ss->wakeup);
}
