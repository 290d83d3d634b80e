/* What a client of RCTP is told: statuses of its commands and of the session, notices, and the values of outputs. A client
 * that does not read loses statuses and outputs, and holds up nobody. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "base/time.h"
#include "session_state.h"
#include "robot/readings.h"
#include "robot/robot.h"

/* RESULTS: taken at once; WORDS: bytes of a status's text; BATCH: of the outputs of one frame; DATAGRAM: of one datagram, but
 * for a message that is longer by itself */
enum { RESULTS = 64, WORDS = 200, STATUS = 4 + 8 + 2 + WORDS, BATCH = 16384, DATAGRAM = 1400 };
static const robo_time SECOND = 1000000000;

/* ---- out ---- */

/* `surely`: by the connection, also when there are datagrams, of which one may be lost. */
static bool is_full(const struct robo__rctp_session *play, size_t above, bool surely)
{
    size_t waiting;
    robo__conn_output(play->conn, &waiting);
    return (surely || !play->datagram.has_peer) && waiting > above;
}

/* Writes messages as a frame. */
static void write_frame(struct robo__rctp_session *play, const uint8_t *messages, size_t n,
                        bool surely)
{
    const size_t head = play->wish.bare ? 0 : ROBO_RCTP_HEAD;
    if (play->datagram.has_peer && !surely) {
        robo__rctp_send_datagram(play, messages, n);
        return;
    }
    uint8_t *out = robo__conn_reserve(play->conn, head + n);
    if (!out)
        return;
    if (head > 0)
        robo_rctp_head(out, n);
    memcpy(out + head, messages, n);
    robo__conn_commit(play->conn, head + n);
}

static void write_message(struct robo__rctp_session *play, const struct robo_rctp_message *m,
                          bool surely)
{
    uint8_t bytes[STATUS];
    const ptrdiff_t n = robo_rctp_encode(play->layout, m, bytes, sizeof bytes);
    if (n > 0 && !is_full(play, ROBO__CONN_OUT, surely))
        write_frame(play, bytes, (size_t)n, surely);
}

/* ---- statuses and notices ---- */

static bool is_wished(enum robo__rctp_report report, uint16_t code)
{
    switch (report) {
    case ROBO__RCTP_REPORT_ALL: return true;
    case ROBO__RCTP_REPORT_SOME: return code == 206 || code >= 400;
    case ROBO__RCTP_REPORT_ERRORS: return code >= 400;
    default: return false;
    }
}

/* What is told of the whole session is a line of the robot's notices, too. */
static void put_notices(struct robo__rctp_session *play, const char *text, size_t length)
{
    struct robo_rctp_message m; /* what a text has no use for is not set: it is large */
    m.more = 0;
    m.stamp = 0;
    m.bytes = (const uint8_t *)text;
    m.length = (uint32_t)length;
    for (unsigned id = 1; id <= ROBO__RCML_OBJECTS; id++) {
        m.id = (uint8_t)id;
        if (play->object[id] && play->object[id]->part == ROBO__RCML_NOTICES)
            write_message(play, &m, true);
    }
}

void robo__rctp_send_status(struct robo__rctp_session *play, uint8_t object, uint64_t stamp,
                            uint16_t code, const char *text)
{
    struct robo_rctp_message m; /* likewise */
    const size_t length = text ? strnlen(text, WORDS) : 0;
    if (!play->live || (object != 0 && code != 100 && !is_wished(play->wish.report, code)))
        return;
    m.id = ROBO_RCTP_STATUS;
    m.subject = object;
    m.code = code;
    m.stamp = stamp;
    m.bytes = (const uint8_t *)text;
    m.length = (uint32_t)length;
    write_message(play, &m, object == 0 || code == 100);
    if (object == 0 && text)
        put_notices(play, text, length);
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

/* The name of a reason, and what it means. */
static const char *words_of(uint8_t reason, char text[WORDS + 1])
{
    for (const struct robo_word *w = robo__reason_words; reason != ROBO_WHY_NONE && w->name; w++)
        if (w->number == reason)
            snprintf(text, WORDS + 1, "%s: %s", w->name, w->doc);
    return text;
}

static void tell_result(struct robo__rctp_session *play, const struct robo_result *r)
{
    char text[WORDS + 1] = "";
    struct robo__rctp_pending asked;
    const uint16_t code = code_of(r);
    if (!robo__rctp_take_pending(play, r->id, &asked))
        return;
    robo__rctp_base_answered(play, &asked, r->signal != ROBO_SUCCESS && r->signal != ROBO_MODIFIED);
    if (is_wished(play->wish.report, code))
        robo__rctp_send_status(play, asked.object, asked.stamp, code, words_of(r->reason, text));
}

void robo__rctp_send_results(struct robo__rctp_session *play)
{
    struct robo_result results[RESULTS];
    size_t n = RESULTS;
    while (n == RESULTS) {
        n = robo__session_results(play->session, results, RESULTS);
        for (size_t i = 0; i < n; i++)
            tell_result(play, &results[i]);
    }
}

void robo__rctp_send_permission(struct robo__rctp_session *play, robo_time now)
{
    if (!play->intervals.waits)
        return;
    if (robo__session_waiting(play->session) == 0) {
        robo__rctp_send_results(play); /* what has begun and ended by now, before */
        if (robo__rctp_intervals_permit(&play->intervals))
            robo__rctp_send_status(play, play->first, play->first_stamp, 100, NULL);
        return;
    }
    /* the last of them begins then, if the timekeeper is in time */
    const robo_time due = play->newest > now ? play->newest : now + SECOND / 1000;
    robo__timer_start(play->conn->host->timers, &play->permit, due);
}

/* ---- news ---- */

static void tell_panic(struct robo__rctp_session *play, robo_time now)
{
    const struct robo__alarm alarm = robo__robot_alarm(play->robot);
    if (alarm.epoch != play->epoch) {
        robo__session_panicked(play->session, now);
        play->epoch = alarm.epoch;
        robo__rctp_base_rests(play);
        robo__rctp_send_results(play);
        robo__rctp_send_status(play, 0, 0, 503, "panic: nothing is carried out before the reset");
        play->panic = true;
    }
    if (play->panic && !alarm.panic)
        robo__rctp_send_status(play, 0, 0, 200, "reset: the panic is over");
    play->panic = alarm.panic != 0;
}

void robo__rctp_send_news(struct robo__rctp_session *play, robo_time now)
{
    char text[WORDS + 1];
    const struct robo__news news = robo__session_news(play->session, now);
    robo__rctp_send_results(play);
    if (news.silence != 0) {
        robo__rctp_base_rests(play);
        snprintf(text, sizeof text,
                 "deadman: nothing has come for %.2f s; what this client moved was stopped",
                 (double)news.silence / 1e9);
        robo__rctp_send_status(play, 0, 0, 408, text);
    }
    tell_panic(play, now);
    if (news.loss.times != play->losses)
        robo__rctp_lose_control(play);
    else if (news.stops != play->stops)
        robo__rctp_send_status(play, 0, 0, 409, "stopped: another client has stopped the robot");
    if (news.stops != play->stops)
        robo__rctp_base_rests(play);
    play->losses = news.loss.times;
    play->stops = news.stops;
    if (news.gone)
        robo__rctp_session_end(play, 503, "removed: the robot is not there any more");
    else if (play->revision != play->robot->revisions->revision)
        robo__rctp_session_end(play, 503, "changed: the robot was described anew");
    else
        robo__rctp_send_permission(play, now);
}

/* ---- values ---- */

/* The state of a robot, read once for several objects. */
struct look {
    bool any, frames;
    struct robo_reply_state state;
};

static const struct robo_reply_state *look_at(struct robo__rctp_session *play, struct look *look,
                                              bool frames)
{
    if (frames ? !look->frames : !look->any) {
        if (frames)
            robo_read_more(play->robot, ROBO_MORE_FRAMES, &look->state);
        else
            robo_read(play->robot, (struct robo_state *)(void *)&look->state);
        look->any = true;
        look->frames = frames;
    }
    return &look->state;
}

static double base_value(const struct robo_reply_state *s, const struct robo__rcml_parameter *p)
{
    if (p->quantity == ROBO__RCML_POSITION)
        return p->which == 2 ? s->attitude[2] : s->pose[p->which];
    return p->which == 2 ? s->spin[2] : s->twist[p->which];
}

static double frame_value(const struct robo_reply_state *s, unsigned frame, unsigned which)
{
    const double *const part[6] = { s->x, s->y, s->z, s->roll, s->pitch, s->yaw };
    return frame < s->frames ? part[which][frame] : 0;
}

static double value_of(const struct robo_reply_state *s, const struct robo__rcml_object *o,
                       const struct robo__rcml_parameter *p)
{
    if (o->part == ROBO__RCML_BASE)
        return base_value(s, p);
    if (o->part == ROBO__RCML_FRAME)
        return p->quantity == ROBO__RCML_POSITION ? frame_value(s, o->number, p->which) : 0;
    if (p->which >= s->dofs || p->quantity == ROBO__RCML_FORCE)
        return 0;
    return p->quantity == ROBO__RCML_POSITION ? s->position[p->which] : s->speed[p->which];
}

static uint64_t look_at_sensor(struct robo__rctp_session *play, const struct robo__rcml_object *o,
                               double *values)
{
    struct robo_reading reading;
    if (robo_sense(play->robot, o->number, 0, &reading, values, o->parameters) == 1 &&
        reading.count == o->parameters)
        return reading.number;
    memset(values, 0, o->parameters * sizeof *values);
    return 0;
}

static uint64_t look_at_object(struct robo__rctp_session *play, struct look *look,
                               const struct robo__rcml_object *o, double *values)
{
    if (o->part == ROBO__RCML_SENSOR)
        return look_at_sensor(play, o, values);
    const struct robo_reply_state *s = look_at(play, look, o->part == ROBO__RCML_FRAME);
    for (unsigned i = 0; i < o->parameters; i++)
        values[i] = value_of(s, o, &o->parameter[i]);
    return 0;
}

uint64_t robo__rctp_read_object(struct robo__rctp_session *play,
                                const struct robo__rcml_object *object, double *values)
{
    struct look look; /* it is large: the state is not cleared */
    look.any = look.frames = false;
    return look_at_object(play, &look, object, values);
}

/* ---- outputs ---- */

/* Makes values such that they can be written: a range without end is a very great one, and what is not known is left out.
 * false: nothing is known, or what is cannot be told alone, since there is no mask. */
static bool trim(struct robo_rctp_message *m, const struct robo__rcml_object *o)
{
    unsigned known = 0;
    for (unsigned i = 0; i < o->parameters; i++) {
        const bool is_known = !isnan(m->value[i]);
        m->sent[i] = is_known;
        known += is_known;
        if (is_known)
            m->value[i] = fmin(fmax(m->value[i], -(double)FLT_MAX), (double)FLT_MAX);
    }
    return known == o->parameters || (known > 0 && o->group.mask);
}

/* Whether there is something to say about that object; then it is in *m, and its number, of a reading, in *number. */
static bool has_news(struct robo__rctp_session *play, struct look *look, uint8_t id,
                     struct robo_rctp_message *m, uint64_t *number)
{
    const struct robo__rcml_object *o = play->object[id];
    if (!o || !o->output || o->kind != ROBO__RCML_CONTROL)
        return false;
    *number = look_at_object(play, look, o, m->value);
    if (o->part == ROBO__RCML_SENSOR && *number == play->told[id])
        return false;
    m->id = id;
    m->stamp = 0;
    return trim(m, o);
}

static void put_outputs(struct robo__rctp_session *play)
{
    uint8_t bytes[BATCH];
    size_t n = 0, most = play->datagram.has_peer ? DATAGRAM : BATCH;
    struct look look;           /* both are large: */
    struct robo_rctp_message m; /* what is not used is not set */
    look.any = look.frames = false;
    for (unsigned id = 1; id <= ROBO__RCML_OBJECTS; id++) {
        uint64_t number;
        if (!has_news(play, &look, (uint8_t)id, &m, &number))
            continue;
        const size_t size = robo_rctp_size(&play->layout[id], NULL);
        if (n > 0 && n + size > most) {
            write_frame(play, bytes, n, false);
            n = 0;
        }
        const ptrdiff_t used = robo_rctp_encode(play->layout, &m, bytes + n, BATCH - n);
        if (used <= 0)
            continue;
        n += (size_t)used;
        play->told[id] = number;
    }
    if (n > 0)
        write_frame(play, bytes, n, false);
}

void robo__rctp_on_outputs(struct robo__timer *timer, robo_time now)
{
    struct robo__rctp_session *play = robo__container_of(timer, struct robo__rctp_session, outputs);
    struct robo__conn *conn = play->conn;
    const robo_time period = (robo_time)((double)SECOND / play->wish.rate);
    const robo_time next = timer->due + period;
    robo__timer_start(conn->host->timers, timer, next > now ? next : now + period);
    if (is_full(play, ROBO__CONN_BUSY, false))
        return; /* the newest wins: they are told when the client has read */
    put_outputs(play);
    robo__conn_kick(conn);
}
