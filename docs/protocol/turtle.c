/* A protocol of lines, as an example for docs/protocol.md: a protocol needs no more than this. A client writes one verb a line
 * and receives one line for it, "ok" or "no" with a reason; lines that begin with "!" are news.
 *
 *   drive X Y TURN   base speeds, m/s ahead, m/s to the left, rad/s to the left, until the next
 *   joint NAME RAD   the first dof of a joint, to that angle
 *   stop             ends all motions of the robot, everybody's; others are held until they resume
 *   panic, reset     no motor moves until reset
 *   take, give       the lease of the whole robot
 *   resume           goes on after a stop by another client
 *   state            x, y and heading, m and rad
 *   quit
 */
#include <stdio.h>
#include <string.h>

#include "base/numbers.h"
#include "base/status.h"
#include "base/time.h"
#include "net/seat.h"

enum { LINE = 128, WORDS = 4, DEADMAN = 0 };

static const struct robo_scheme_option options[] = {
    [DEADMAN] = { "deadman", ROBO_SCHEME_NUMBER, 0, 86400, 1,
                  "s; a robot that moves for a client of whom nothing is heard for so long stops; 0: never" },
    { NULL, ROBO_SCHEME_FLAG, 0, 0, 0, NULL },
};

struct turtle {
    struct robo__seat seat;
    robo_robot *robot; /* held */
    bool begun;        /* its first line was a verb */
    bool keeps;        /* it has taken the lease, and has not lost it */
    uint32_t stop;     /* that holds it, as reported to it; 0: none */
    uint32_t asked;    /* the command whose result is the answer to this line */
    struct robo_result result;
    /* the line that is carried out: its words, those of them that are numbers, and its answer instead of "ok" */
    char word[WORDS][LINE], answer[LINE];
    double v[WORDS];
    robo_time now;
};

static void say(struct turtle *t, const char *what, const char *why)
{
    char line[LINE + 64];
    const int n = snprintf(line, sizeof line, "%s%s%s\n", what, *why ? " " : "", why);
    uint8_t *out = robo__conn_reserve(t->seat.conn, (size_t)n);
    if (!out)
        return; /* the connection closes */
    memcpy(out, line, (size_t)n);
    robo__conn_commit(t->seat.conn, (size_t)n);
}

/* ---- the robot's news ---- */

static void on_result(struct robo__seat *seat, const struct robo_result *result)
{
    struct turtle *t = robo__container_of(seat, struct turtle, seat);
    char text[LINE];
    if (result->id == t->asked) {
        t->result = *result;
    } else if (result->signal != ROBO_SUCCESS && result->reason != ROBO_WHY_SUPERSEDED) {
        snprintf(text, sizeof text, "%s %s", robo_signal_name(result->signal),
                 robo__reason_doc(result->reason));
        say(t, "!", text); /* a command ended that had been answered */
    }
}

/* Tells the news, after lines that were written without them: a stop that was not reported to the client ends or refuses what it wrote. false:
 * the robot is gone, and the connection closes. */
static bool look(struct turtle *t, robo_time now)
{
    const unsigned changed = robo__seat_look(&t->seat, now).changed;
    struct robo_notice_latched latch;
    robo__seat_results(&t->seat);
    robo__session_latch(t->seat.session, &latch);
    t->stop = latch.holds ? latch.stop : 0;
    if (changed & ROBO__SEAT_PANICKED)
        say(t, "! panic", "");
    if (changed & ROBO__SEAT_RESET)
        say(t, "! reset", "");
    if (changed & ROBO__SEAT_STOPPED)
        say(t, "! stopped by", latch.holds ? latch.name : "another client");
    if (changed & ROBO__SEAT_LOST) {
        t->keeps = false;
        say(t, "! lease lost", "");
    }
    if (changed & ROBO__SEAT_SILENT)
        say(t, "! deadman", "");
    t->seat.conn->closing |= (changed & ROBO__SEAT_GONE) != 0;
    return !(changed & ROBO__SEAT_GONE);
}

/* At each pulse of the seat: news between two lines, and whether the lease is renewed; without verbs for leases it returns false. */
static bool keeps(struct robo__seat *seat, robo_time now)
{
    struct turtle *t = robo__container_of(seat, struct turtle, seat);
    return look(t, now) && t->keeps;
}

static const char *command(struct turtle *t, struct robo_cmd cmd);

static void on_silence(struct robo__seat *seat, robo_time now)
{
    struct turtle *t = robo__container_of(seat, struct turtle, seat);
    t->now = now;
    command(t, (struct robo_cmd){ .op = ROBO_STOP, .body.stop.scope = 1 });
    say(t, "! silent", "");
}

static const struct robo__seat_kind clients = {
    .client = "turtle client", .result = on_result, .silent = on_silence, .keeps = keeps
};

/* ---- verbs ---- */

/* Gives it at once. Why it was refused; "": it was not, and may go on. */
static const char *command(struct turtle *t, struct robo_cmd cmd)
{
    cmd.id = t->asked = ++t->seat.commands;
    cmd.start = ROBO_AT_ONCE;
    cmd.revision = (uint8_t)robo__robot_revision(t->robot);
    t->result = (struct robo_result){ .signal = ROBO_SUCCESS };
    if (robo__seat_command_as_seen(&t->seat, &cmd, 1, t->now) == 0)
        t->result = (struct robo_result){ .signal = ROBO_BUSY, .reason = ROBO_WHY_FULL };
    t->asked = 0;
    const char *why = robo__reason_doc(t->result.reason);
    if (t->result.signal == ROBO_SUCCESS || t->result.signal == ROBO_MODIFIED)
        return "";
    return *why ? why : robo_signal_name(t->result.signal);
}

static const char *drive(struct turtle *t)
{
    const struct robo_set_speed speed = { t->v[1], t->v[2], t->v[3] };
    return command(t, (struct robo_cmd){ .op = ROBO_SET_SPEED, .body.set_speed = speed });
}

static const char *joint(struct turtle *t)
{
    const struct robo_description *d = robo__robot_description(t->robot);
    struct robo_cmd cmd = { .op = ROBO_SET_JOINT, .body.servo = { .mask = 1, .value = { t->v[2] } } };
    while (cmd.body.servo.joint < d->joints &&
           strcmp(d->joint[cmd.body.servo.joint].name, t->word[1]) != 0)
        cmd.body.servo.joint++;
    return cmd.body.servo.joint < d->joints ? command(t, cmd) : "there is no such joint";
}

static const char *stop(struct turtle *t)
{
    return command(t, (struct robo_cmd){ .op = ROBO_STOP });
}

static const char *panic(struct turtle *t)
{
    robo_panic(t->robot);
    return "";
}

/* Of the panics that this client was notified of. */
static const char *reset(struct turtle *t)
{
    return robo__conn_role(t->seat.conn) < ROBO_ROLE_OPERATE ? "this client may not"
           : robo__seat_reset(&t->seat) < 0             ? "there was another panic meanwhile"
                                                        : "";
}

static const char *take(struct turtle *t)
{
    t->keeps = robo__seat_take(&t->seat, t->now);
    return t->keeps ? "" : "another client has it";
}

static const char *give(struct turtle *t)
{
    t->keeps = false;
    robo__seat_give_back(&t->seat, t->now);
    return "";
}

static const char *resume(struct turtle *t)
{
    const struct robo_request_resume what = { .stop = t->stop };
    if (t->stop == 0)
        return "no stop holds this client";
    return robo__session_request(t->seat.session, ROBO_Q_RESUME, &what, ROBO_ROLE_DRIVE, NULL, t->now) < 0
               ? "there was another stop meanwhile"
               : "";
}

static const char *state(struct turtle *t)
{
    struct robo_state s;
    robo_read(t->robot, &s, sizeof s);
    snprintf(t->answer, LINE, "ok %.3f %.3f %.3f", s.pose[0], s.pose[1], s.attitude[2]);
    return "";
}

/* Each has so many words, of which the last are numbers from `numbers` on. Without a function it ends the connection. */
static const struct verb {
    const char *name, *expected;
    int words, numbers;
    const char *(*run)(struct turtle *t); /* "", or why not */
} verbs[] = {
    { "drive", "expected drive X Y TURN", 4, 1, drive },
    { "joint", "expected joint NAME RAD", 3, 2, joint },
    { "stop", "", 1, 1, stop },
    { "panic", "", 1, 1, panic },
    { "reset", "", 1, 1, reset },
    { "take", "", 1, 1, take },
    { "give", "", 1, 1, give },
    { "resume", "", 1, 1, resume },
    { "state", "", 1, 1, state },
    { "quit", "", 1, 1, NULL },
};

/* ---- lines ---- */

static void take_line(struct turtle *t, const uint8_t *in, size_t n)
{
    const struct verb *verb = verbs, *end = verbs + sizeof verbs / sizeof verbs[0];
    char text[LINE];
    memcpy(text, in, n);
    text[n] = 0;
    const int words =
        sscanf(text, "%127s %127s %127s %127s", t->word[0], t->word[1], t->word[2], t->word[3]);
    if (words <= 0)
        return;
    while (verb < end && strcmp(verb->name, t->word[0]) != 0)
        verb++;
    /* a page in a browser can send lines to any port: they begin with another protocol's verb */
    t->seat.conn->closing |= verb == end ? !t->begun : !verb->run;
    t->begun = true;
    bool good = verb < end && words >= verb->words;
    for (int i = good ? verb->numbers : words; good && i < verb->words; i++)
        good = robo__number_is(t->word[i], strlen(t->word[i]), &t->v[i]);
    strcpy(t->answer, "ok");
    const char *why = verb == end ? "there is no such verb"
                      : !good     ? verb->expected
                      : verb->run ? verb->run(t)
                                  : "";
    say(t, *why ? "no" : t->answer, why);
}

static size_t feed(void *connection, const uint8_t *in, size_t n, bool one, robo_time now)
{
    struct turtle *t = connection;
    const uint8_t *end;
    size_t used = 0;
    t->now = now;
    robo__seat_heard(&t->seat, now);
    /* also of a client that reads no answers: one of its lines may be a panic, and in the end it is dropped */
    while (used < n && !t->seat.conn->closing &&
           (end = memchr(in + used, '\n', n - used)) != NULL) {
        const size_t length = (size_t)(end - in) - used;
        t->seat.conn->closing |= length >= LINE;
        if (length < LINE)
            take_line(t, in + used, length);
        used += length + 1;
        if (one)
            break;
    }
    t->seat.conn->closing |= n - used >= LINE && !memchr(in + used, '\n', n - used);
    return !look(t, now) || t->seat.conn->closing ? n : used;
}

/* ---- life ---- */

static int open_connection(void *connection, struct robo__conn *conn, const struct robo__url *url)
{
    struct turtle *t = connection;
    uint64_t cursor = 0;
    int error = ROBO_ENONE;
    robo__seat_init(&t->seat, &clients, conn, (robo_time)(url->option[DEADMAN] * 1e9));
    t->robot = url->robot[0] ? robo_find(conn->host->world, url->robot)
                             : robo_next_robot(conn->host->world, &cursor);
    if (t->robot)
        error = robo__seat_open(&t->seat, t->robot, NULL, robo_now(conn->host->world));
    if (error < 0)
        robo_release(t->robot);
    return error;
}

static void close_connection(void *connection)
{
    struct turtle *t = connection;
    robo__seat_close(&t->seat);
    robo_release(t->robot);
}

extern const struct robo__protocol robo__turtle;
const struct robo__protocol robo__turtle = { .name = "turtle",
                                             .port = 10900,
                                             .size = sizeof(struct turtle),
                                             .options = options,
                                             .open = open_connection,
                                             .feed = feed,
                                             .close = close_connection };
