/* Messages to a client of RCTP: statuses of its commands and of the session, and notices. A client that does not read
 * loses statuses, and delays no other client. */
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "base/time.h"
#include "robot/client.h"
#include "robot/world/world.h"
#include "session_state.h"

/* WORDS: bytes of a status's text */
enum { WORDS = 200, STATUS = 4 + 8 + 2 + WORDS };
static const robo_time SECOND = 1000000000;

/* ---- out ---- */

bool robo__rctp_is_full(const struct robo__rctp_session *s, size_t above, bool surely)
{
    size_t waiting;
    robo__conn_output(s->conn, &waiting);
    return (surely || !s->datagram.has_peer) && waiting > above;
}

void robo__rctp_send_frame(struct robo__rctp_session *s, const uint8_t *messages, size_t n,
                           bool surely)
{
    const size_t head = s->go.bare ? 0 : ROBO_RCTP_HEAD;
    if (s->datagram.has_peer && !surely) {
        robo__rctp_send_datagram(s, messages, n);
        return;
    }
    uint8_t *out = robo__conn_reserve(s->conn, head + n);
    if (!out)
        return;
    if (head > 0)
        robo_rctp_head(out, n);
    memcpy(out + head, messages, n);
    robo__conn_commit(s->conn, head + n);
}

static void write_message(struct robo__rctp_session *s, const struct robo_rctp_message *m,
                          bool surely)
{
    uint8_t bytes[STATUS];
    const size_t head = s->go.bare ? 0 : ROBO_RCTP_HEAD;
    ptrdiff_t n;
    if (robo__rctp_is_full(s, ROBO__CONN_OUT, surely))
        return;
    if (s->datagram.has_peer && !surely) {
        if ((n = robo_rctp_encode(s->layout, m, bytes, sizeof bytes)) > 0)
            robo__rctp_say_datagram(s, bytes, (size_t)n);
        return;
    }
    /* where it is sent from */
    uint8_t *out = robo__conn_reserve(s->conn, head + STATUS);
    if (!out || (n = robo_rctp_encode(s->layout, m, out + head, STATUS)) <= 0)
        return;
    if (head > 0)
        robo_rctp_head(out, (size_t)n);
    robo__conn_commit(s->conn, head + (size_t)n);
}

/* ---- statuses and notices ---- */

static bool is_reported(enum robo__rctp_report report, uint16_t code)
{
    switch (report) {
    case ROBO__RCTP_REPORT_ALL: return true;
    case ROBO__RCTP_REPORT_SOME: return code == 206 || code >= 400;
    case ROBO__RCTP_REPORT_ERRORS: return code >= 400;
    default: return false;
    }
}

/* A status of the whole session is a line of the robot's notices, too. */
static void put_notices(struct robo__rctp_session *s, const char *text, size_t length)
{
    struct robo_rctp_message m; /* members that a text does not use are not set: it is large */
    m.more = 0;
    m.stamp = 0;
    m.bytes = (const uint8_t *)text;
    m.length = (uint32_t)length;
    for (unsigned id = 1; id <= ROBO__RCML_OBJECTS; id++) {
        m.id = (uint8_t)id;
        if (s->object[id] && s->object[id]->part == ROBO__RCML_NOTICES)
            write_message(s, &m, true);
    }
}

void robo__rctp_send_status(struct robo__rctp_session *s, uint8_t object, uint64_t stamp,
                            uint16_t code, const char *text)
{
    struct robo_rctp_message m; /* unused members are not set */
    const size_t length = text ? strnlen(text, WORDS) : 0;
    if (!s->live || (object != 0 && code != 100 && !is_reported(s->go.report, code)))
        return;
    m.id = ROBO_RCTP_STATUS;
    m.subject = object;
    m.code = code;
    m.stamp = stamp;
    m.bytes = (const uint8_t *)text;
    m.length = (uint32_t)length;
    write_message(s, &m, object == 0 || code == 100);
    if (object == 0 && text)
        put_notices(s, text, length);
}

/* ---- results ---- */

static uint16_t code_of_error(uint8_t reason)
{
    switch (reason) {
    case ROBO_WHY_EXPIRED: return 408;
    case ROBO_WHY_FULL: return 429;
    case ROBO_WHY_ROLE: return 403;
    case ROBO_WHY_STALE:
    case ROBO_WHY_PANIC: return 503;
    case ROBO_WHY_DEVICE:
    case ROBO_WHY_LINK:
    case ROBO_WHY_MODE: return 500;
    default: return 400;
    }
}

static uint16_t code_of(const struct robo_result *r)
{
    switch (r->signal) {
    case ROBO_SUCCESS: return 200;
    case ROBO_MODIFIED: return r->reason == ROBO_WHY_SUPERSEDED ? 205 : 206;
    case ROBO_INTERRUPTED:
        return r->reason == ROBO_WHY_DEADMAN || r->reason == ROBO_WHY_LINK ? 408 : 409;
    case ROBO_BUSY: return 409;
    case ROBO_NA: return 501;
    case ROBO_PANIC: return 503;
    default: return code_of_error(r->reason);
    }
}

/* The name of a reason, and its meaning. */
static const char *words_of(const struct robo_result *r, char text[WORDS + 1])
{
    const uint8_t reason = r->reason;
    if (reason == ROBO_WHY_LEASE &&
        r->signal == ROBO_INTERRUPTED) /* not refused: it was under way */
        return "taken: another client has taken control";
    if (reason == ROBO_WHY_STALE)
        return "stale: there was a panic: expected reset, or a new session, before commands";
    for (const struct robo_word *w = robo__reason_words; reason != ROBO_WHY_NONE && w->name; w++)
        if (w->number == reason)
            snprintf(text, WORDS + 1, "%s: %s", w->name, w->doc);
    return text;
}

static void on_result(struct robo__seat *seat, const struct robo_result *r)
{
    struct robo__rctp_session *s = robo__container_of(seat, struct robo__rctp_session, seat);
    char text[WORDS + 1] = "";
    struct robo__rctp_pending pending;
    const uint16_t code = code_of(r);
    s->stale |= r->reason == ROBO_WHY_STALE;
    if (!robo__rctp_take_pending(s, r->id, &pending))
        return;
    robo__rctp_base_answered(s, &pending, r->signal != ROBO_SUCCESS && r->signal != ROBO_MODIFIED);
    if (is_reported(s->go.report, code))
        robo__rctp_send_status(s, pending.object, pending.stamp, code, words_of(r, text));
}

static void wake(struct robo__seat *seat)
{
    struct robo__rctp_session *s = robo__container_of(seat, struct robo__rctp_session, seat);
    robo__wakeup_post(&seat->conn->host->mailbox, &s->wakeup);
}

const struct robo__seat_kind robo__rctp_clients = {
    .client = "RCTP client", .beats = true, .result = on_result, .wake = wake
};

void robo__rctp_send_permission(struct robo__rctp_session *s, robo_time now)
{
    if (!s->intervals.waits || s->frame.left > 0 || s->datagram_frame.left > 0)
        return; /* then at the frame's end */
    if (robo__session_waiting(s->seat.session) == 0) {
        robo__seat_results(&s->seat); /* commands that have begun and ended by now, before */
        if (robo__rctp_intervals_permit(&s->intervals))
            robo__rctp_send_status(s, s->first, s->first_stamp, 100, NULL);
        return;
    }
    /* the last of them begins then, if the timekeeper is in time */
    const robo_time due = s->newest > now ? s->newest : now + SECOND / 1000;
    robo__timer_start(s->conn->host->timers, &s->permit, due);
}

/* ---- news ---- */

void robo__rctp_note_told(struct robo__rctp_session *s, struct robo__rctp_told *told, robo_time now)
{
    *told = (struct robo__rctp_told){ .at = now, .end = robo__conn_place(s->conn) };
}

void robo__rctp_name_panic(struct robo__rctp_session *s, uint32_t epoch, robo_time now)
{
    if (s->named == epoch)
        return; /* it knows of it 0.1 s after the first notice, however often that is repeated */
    s->named = epoch;
    robo__rctp_note_told(s, &s->panicked, now);
}

static void send_panic(struct robo__rctp_session *s, unsigned epoch)
{
    char text[WORDS + 1];
    snprintf(text, sizeof text, "panic: nothing is carried out before: reset %u", epoch);
    robo__rctp_send_status(s, 0, 0, 503, text);
    s->panic = true;
}

void robo__rctp_send_old_panic(struct robo__rctp_session *s)
{
    const struct robo__alarm alarm = robo__robot_alarm(s->robot);
    if (alarm.panic && alarm.epoch == s->epoch)
        send_panic(s, alarm.epoch);
}

void robo__rctp_tell_panic(struct robo__rctp_session *s, robo_time now)
{
    const struct robo__alarm alarm = robo__robot_alarm(s->robot);
    if (alarm.epoch != s->epoch) {
        s->epoch = alarm.epoch;
        robo__rctp_base_rests(s);
        robo__seat_results(&s->seat);
        send_panic(s, alarm.epoch);
        if (s->named == s->known)
            robo__rctp_name_panic(s, alarm.epoch, now);
    }
    if (s->panic && !alarm.panic)
        robo__rctp_send_status(s, 0, 0, 200, "reset: the panic is over");
    s->panic = alarm.panic != 0;
}

/* Requests of other clients for its lease. The client cannot answer them except by its end, and without an answer
 * it finally loses the lease. */
static void send_asked(struct robo__rctp_session *s, uint32_t asks)
{
    struct robo_notice_asked asked;
    char text[WORDS + 1], name[ROBO__HOLDER_NAME];
    while (s->asks != asks && robo__session_asked(s->seat.session, &s->asks, &asked)) {
        robo__rctp_call(asked.holder, asked.name, name);
        snprintf(text, sizeof text, "asks: %s asks for control", name);
        robo__rctp_send_status(s, 0, 0, 100, text);
    }
}

void robo__rctp_note_held(struct robo__rctp_session *s, robo_time now)
{
    struct robo_reply_holder holder;
    const bool before = s->held;
    s->held = !s->controls && robo__session_is_shared(s->seat.session, now);
    if (s->held &&
        robo__session_longest_holder(s->seat.session, now, &holder)) /* a lapse gives no notice */
        robo__timer_start(s->conn->host->timers, &s->renew, now + holder.left + 1);
    if (before && !s->held && !s->controls)
        robo__rctp_send_status(s, 0, 0, 100, "free: no other client controls the robot");
}

/* Notifies the client, and the operator, who sees a robot stop without a command. */
static void tell_deadman(struct robo__rctp_session *s, robo_time silence)
{
    char text[WORDS + 1], name[ROBO__HOLDER_NAME];
    const double seconds = (double)silence / 1e9;
    robo__rctp_base_rests(s);
    snprintf(text, sizeof text,
             "deadman: nothing has come for %.2f s; what this client moved was stopped", seconds);
    robo__rctp_send_status(s, 0, 0, 408, text);
    robo__rctp_call(s->seat.number, s->name[0] ? s->name : robo__rctp_clients.client, name);
    robo__world_log(s->conn->host->world, ROBO_LOG_WARNING,
                    "%s: deadman: %s was not heard for %.2f s; what it moved was stopped",
                    robo_robot_name(s->robot), name, seconds);
}

/* Notifies the client of a stop by another one: whether that holds, or did until now; and that there was one, which may be all. */
static void tell_stop(struct robo__rctp_session *s, bool fresh)
{
    char text[WORDS + 1], name[ROBO__HOLDER_NAME];
    struct robo_notice_latched latch;
    robo__session_latch(s->seat.session, &latch);
    const uint32_t number = latch.holds ? latch.stop : 0;
    if (number != 0 && number != s->latch) {
        robo__rctp_call(latch.by, latch.name, name);
        snprintf(text, sizeof text, "stopped: by %s; nothing moves before: resume %u", name,
                 (unsigned)number);
        robo__rctp_send_status(s, 0, 0, 409, text);
    } else if (number == 0 && s->latch != 0) {
        robo__rctp_send_status(s, 0, 0, 100, "resume: commands that move are carried out again");
    } else if (number == 0 && fresh) {
        robo__rctp_send_status(s, 0, 0, 409, "stopped: another client has stopped the robot");
    }
    s->latch = number;
}

void robo__rctp_send_news(struct robo__rctp_session *s, robo_time now)
{
    const struct robo__seat_news news = robo__seat_look(&s->seat, now);
    const bool lost = news.changed & ROBO__SEAT_LOST, stopped = news.changed & ROBO__SEAT_STOPPED;
    robo__seat_results(&s->seat);
    if (news.changed & ROBO__SEAT_SILENT)
        tell_deadman(s, news.silence);
    robo__rctp_tell_panic(s, now);
    if (lost)
        robo__rctp_lose_control(s);
    tell_stop(s, stopped && !lost);
    if (stopped) {
        robo__rctp_base_rests(s);
        robo__rctp_note_told(s, &s->stopped, now);
    }
    if (lost || stopped ||
        (news.changed & ROBO__SEAT_LEASES)) /* a stop may have latched who kept this one out */
        robo__rctp_note_held(s, now);
    send_asked(s, news.asks);
    if (news.changed & ROBO__SEAT_GONE)
        robo__rctp_session_end(s, 503, "gone: the robot was removed");
    else if (s->revision != robo__robot_revision(s->robot))
        robo__rctp_session_end(s, 503, "gone: the robot was described anew");
    else
        robo__rctp_send_permission(s, now);
}
