/* Texts of a client, in pieces: the lines of `command` and the buttons' texts become commands of its session,
 * panics and resets. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/numbers.h"
#include "session_state.h"
#include "robot/client.h"

static const double MOST = 1e9;          /* no number of a text is greater */
static const char SPACE[] = " \t\v\f\r"; /* the end of a word, as for sscanf */
/* ns: of one client's frames one by datagram and one by the connection may change places within that; both are of this machine */
static const robo_time BESIDE = 100000000;

/* Numbers behind a word, at most `most`; returns how many; -1: one of them is invalid. */
static int numbers_of(const char *text, double *number, int most)
{
    const uint8_t *at = (const uint8_t *)text, *end = at + strlen(text);
    int n = 0;
    for (;;) {
        double x;
        while (at < end && *at == ' ')
            at++;
        if (at == end)
            return n;
        if (n == most || robo__number_double(&at, end, &x) != ROBO__NUMBER_OK ||
            !(fabs(x) <= MOST) || (at < end && *at != ' '))
            return -1;
        number[n++] = x;
    }
}

/* The number of a panic: a new one, but that of the same client's just before by the same way, as long as that lasts and there was no
 * other. So thousands in one frame are the work of one. */
static uint32_t panic_of(struct robo__rctp_session *s, robo_time now)
{
    const struct robo__alarm alarm = robo__robot_alarm(s->robot);
    if (!alarm.panic || s->made_at != now || s->made != alarm.epoch || s->made_beside != s->beside)
        s->made = robo__panic_told(s->robot, NULL);
    s->made_at = now;
    s->made_beside = s->beside;
    return s->made;
}

/* Messages before it in its frame were sent without knowledge of it. Later messages by the same path have it: a reset is of this
 * panic, unless there is a panic by another client between, which this client has not received. Messages by the other path may have
 * been sent before it. */
static void panic(struct robo__rctp_session *s, uint8_t object, uint64_t stamp, robo_time now)
{
    char text[40];
    robo__rctp_hand_over(s, now);
    /* an earlier panic by another client: later only the newest is reported */
    robo__rctp_tell_panic(s, now);
    const uint32_t before = s->made, number = panic_of(s, now);
    const bool repeats = before == s->named && number == before + 1; /* by the other way, perhaps */
    if (repeats || number == s->at_work->heard_of + 1)
        s->named = s->own[s->beside] = s->at_work->heard_of = number;
    snprintf(text, sizeof text, "panic: reset %u", (unsigned)number);
    robo__rctp_send_status(s, object, stamp, 200, text);
    robo__rctp_send_news(s, now);
    if (s->named == number)
        robo__rctp_note_told(s, &s->panicked, now);
}

/* Shows that the client knows a panic, and ends it. Any client may name a panic that is over. */
static void reset(struct robo__rctp_session *s, const char *number, uint8_t object, uint64_t stamp,
                  robo_time now)
{
    struct robo__rctp_frame *frame = s->at_work;
    double named = frame->heard_of;
    const int n = numbers_of(number, &named, 1);
    const struct robo__alarm alarm = robo__robot_alarm(s->robot);
    const bool is_newest = named == alarm.epoch, is_over = is_newest && !alarm.panic;
    const struct robo__known known = { .epoch = (uint16_t)alarm.epoch };
    if (n < 0) {
        robo__rctp_send_status(s, object, stamp, 400, "expected reset, or reset NUMBER");
    } else if (is_newest && !is_over && robo__conn_role(s->conn) < ROBO_ROLE_OPERATE) {
        robo__rctp_send_status(s, object, stamp, 403, "reset: this client may not");
    } else if (!is_newest || (!is_over && robo__reset_known(s->robot, known, "") < 0)) {
        robo__rctp_send_status(s, object, stamp, 503, "there was another panic meanwhile");
        robo__rctp_name_panic(s, alarm.epoch, now); /* which that message reports */
    } else {
        if (s->known != alarm.epoch) {
            s->settled = now + BESIDE;
            s->reset_beside = s->beside;
        }
        s->known = s->named = s->heard_of = alarm.epoch; /* it is over, for both ways */
        frame->epoch = frame->heard_of = alarm.epoch;
        robo__rctp_send_status(s, object, stamp, 200, NULL);
    }
}

/* Ends the latch that a stop by another client has set. The number of that stop shows that the client knows of it, so that later messages
 * by the same path count at once. Without a number it is for the newest stop, once the client has had time to receive that. */
static void resume(struct robo__rctp_session *s, const char *number, uint8_t object, uint64_t stamp,
                   robo_time now)
{
    struct robo_notice_latched latch;
    char text[80];
    robo__rctp_hand_over(s, now); /* messages before it in its frame */
    robo__session_latch(s->seat.session, &latch);
    const bool heard = s->at_work->stops == robo__session_stops(s->seat.session);
    double named = heard ? latch.stop : 0;
    const int n = numbers_of(number, &named, 1);
    if (n < 0) {
        robo__rctp_send_status(s, object, stamp, 400, "expected resume, or resume NUMBER");
        return;
    }
    const struct robo_request_resume what = { .stop = named > 0 ? (uint32_t)named : 0 };
    if (robo__session_request(s->seat.session, ROBO_Q_RESUME, &what, ROBO_ROLE_DRIVE, NULL, now) ==
        0) {
        if (n == 1 && latch.holds)
            s->resumed[s->beside] = s->at_work->stops = s->seat.stops;
        robo__rctp_send_status(s, object, stamp, 200, NULL);
    } else if (n == 1) {
        snprintf(text, sizeof text,
                 "resume: %.0f is not the number of the stop that holds this client", named);
        robo__rctp_send_status(s, object, stamp, 503, text);
    } else {
        robo__rctp_send_status(s, object, stamp, 503,
                               "resume: the stop is younger than 0.1 s: resume NUMBER");
    }
    robo__rctp_send_news(s, now);
}

/* Adds the dofs of some parameters of a joint's object, or of that of all joints. */
static void stop_dofs(struct robo_stop *stop, const struct robo__rcml_parameter *p, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const unsigned dof = p[i].which;
        stop->mask[dof / 8] |= (uint8_t)(1u << dof % 8);
        if (dof / 8 >= stop->bytes)
            stop->bytes = (uint8_t)(dof / 8 + 1);
    }
}

/* The part of the robot with that name: the base, a joint, or one dof by its name among those of all joints. false: none. */
static bool stop_part(const struct robo__rctp_session *s, const char *name, struct robo_stop *stop)
{
    const struct robo__rcml_object *o = robo__rcml_find(s->objects, name);
    if (o && !o->output && o->part == ROBO__RCML_BASE) {
        stop->base = 1;
        return true;
    }
    if (o && !o->output && (o->part == ROBO__RCML_JOINT || o->part == ROBO__RCML_JOINTS)) {
        stop_dofs(stop, o->parameter, o->parameters);
        return true;
    }
    const struct robo__rcml_object *all = robo__rcml_find(s->objects, "joints");
    for (unsigned i = 0; all && all->part == ROBO__RCML_JOINTS && i < all->parameters; i++) {
        if (strcmp(all->parameter[i].name, name) != 0)
            continue;
        stop_dofs(stop, &all->parameter[i], 1);
        return true;
    }
    return false;
}

/* Stops everything, or the parts that are named, or with `own` the parts that this client moves. */
static void stop(struct robo__rctp_session *s, char *names, uint8_t object, uint64_t stamp,
                 robo_time now)
{
    struct robo_cmd cmd = { .op = ROBO_STOP };
    char *rest = NULL;
    for (char *name = strtok_r(names, SPACE, &rest); name; name = strtok_r(NULL, SPACE, &rest)) {
        const bool own = strcmp(name, "own") == 0;
        cmd.body.stop.scope |= own;
        if (own || stop_part(s, name, &cmd.body.stop))
            continue;
        robo__rctp_send_status(s, object, stamp, 400,
                               "stop: expected own, base, a joint or JOINT.DOF");
        return;
    }
    robo__rctp_add(s, &cmd, object, stamp, ROBO_AT_ONCE, now);
}

/* A command as text, which this function may overwrite. Stops and panics never wait, and any client may give them. */
static void words(struct robo__rctp_session *s, char *text, uint8_t object, uint64_t stamp,
                  robo_time now)
{
    double at[4] = { 0 };
    char word[16] = "";
    int used = 0, n;
    sscanf(text, "%15s%n", word, &used);
    if (strcmp(word, "panic") == 0) {
        panic(s, object, stamp, now);
    } else if (strcmp(word, "stop") == 0) {
        stop(s, text + used, object, stamp, now);
    } else if (strcmp(word, "reset") == 0) {
        reset(s, text + used, object, stamp, now);
    } else if (strcmp(word, "resume") == 0) {
        resume(s, text + used, object, stamp, now);
    } else if (strcmp(word, "home") != 0 && strcmp(word, "go_to") != 0) {
        robo__rctp_send_status(
            s, object, stamp, 400,
            "expected stop, resume, panic, reset, home or go_to X Y THETA SPEED");
    } else if (!s->controls) {
        robo__rctp_send_status(s, object, stamp, 409, "this client only watches");
    } else if ((n = numbers_of(text + used, at, 4)) < 0 || at[3] < 0 ||
               (word[0] == 'h' ? n > 0 : n < 2)) {
        robo__rctp_send_status(s, object, stamp, 400, "expected home, or go_to X Y THETA SPEED");
    } else if (word[0] == 'h') {
        robo__rctp_add(s, &(struct robo_cmd){ .op = ROBO_HOME }, object, stamp, ROBO_AT_ONCE, now);
    } else {
        const struct robo_go_to go = { .x = at[0], .y = at[1], .theta = at[2], .speed = at[3] };
        robo__rctp_add(s, &(struct robo_cmd){ .op = ROBO_GO_TO, .body.go_to = go }, object, stamp,
                       ROBO_AT_ONCE, now);
    }
}

/* A text is whole: of the object of commands each line is one, of a button any text is its command. */
static void whole_text(struct robo__rctp_session *s, const struct robo__rcml_object *o,
                       robo_time now)
{
    const struct robo_rctp_message *m = &s->message;
    struct robo__rctp_text *whole = &s->text[s->beside];
    char *line = whole->text, *end;
    line[whole->count] = 0;
    whole->object = 0;
    if (o->part == ROBO__RCML_WIDGET) {
        snprintf(line, sizeof whole->text, "%s",
                 robo_body_description(s->body)->widget[o->number].command);
        words(s, line, m->id, m->stamp, now);
        return;
    }
    do {
        end = strchr(line, '\n');
        if (end)
            *end = 0;
        line[strcspn(line, "\r")] = 0;
        s->work++;
        if (*line)
            words(s, line, m->id, m->stamp, now);
        line = end ? end + 1 : line;
    } while (end && !s->over); /* during a panic the robot may turn out to be gone */
}

void robo__rctp_text(struct robo__rctp_session *s, const struct robo__rcml_object *o, robo_time now)
{
    const struct robo_rctp_message *m = &s->message;
    struct robo__rctp_text *line = &s->text[s->beside];
    if (line->object != m->id) /* of two texts at one time the first is lost */
        *line = (struct robo__rctp_text){ .object = m->id };
    line->too_long |= m->length > ROBO__RCTP_TEXT - line->count;
    if (!line->too_long) {
        memcpy(line->text + line->count, m->bytes, m->length);
        line->count += m->length;
    }
    if (m->more)
        return;
    if (line->too_long)
        robo__rctp_send_status(s, m->id, m->stamp, 413, "text: expected at most 1024 bytes");
    else
        whole_text(s, o, now);
    line->object = 0;
}
