/* A protocol of lines, as an example for docs/protocol.md: what is written here is all that a protocol needs. A client writes one verb a line
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
#include "robot/world/surroundings.h"

enum { LINE = 128, WORDS = 4, DEADMAN = 0 };

static const struct robo_scheme_option options[] = {
    [DEADMAN] = { "deadman", ROBO_SCHEME_NUMBER, 0, 86400, 1,
                  "s; a robot that moves for a client of whom nothing is heard for so long stops; 0: never" },
    { NULL, ROBO_SCHEME_FLAG, 0, 0, 0, NULL },
};

struct turtle {
    struct robo__conn *conn;
    struct robo__seat seat;
    robo_robot *robot; /* held */
    bool begun;        /* its first line was a verb */
    bool keeps;        /* it has taken the lease, and has not lost it */
    uint32_t asked;    /* the command whose result is the answer to this line */
    struct robo_result result;
};

static void say(struct turtle *t, const char *what, const char *why)
{
    char line[LINE + 64];
    const int n = snprintf(line, sizeof line, "%s%s%s\n", what, *why ? " " : "", why);
    uint8_t *out = robo__conn_reserve(t->conn, (size_t)n);
    if (!out)
        return; /* the connection closes */
    memcpy(out, line, (size_t)n);
    robo__conn_commit(t->conn, (size_t)n);
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

/* Tells the news. false: the robot is gone, and the connection closes. */
static bool look(struct turtle *t, robo_time now)
{
    const unsigned changed = robo__seat_look(&t->seat, now).changed;
    struct robo_notice_latched latch;
    robo__seat_results(&t->seat);
    robo__session_latch(t->seat.session, &latch);
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
    t->conn->closing |= (changed & ROBO__SEAT_GONE) != 0;
    return !(changed & ROBO__SEAT_GONE);
}

/* At each pulse of the seat: news between two lines, and whether the lease is renewed. */
static bool keeps(struct robo__seat *seat, robo_time now)
{
    struct turtle *t = robo__container_of(seat, struct turtle, seat);
    return look(t, now) && t->keeps;
}

static void command(struct turtle *t, struct robo_cmd cmd, robo_time now);

static void on_silence(struct robo__seat *seat, robo_time now)
{
    struct turtle *t = robo__container_of(seat, struct turtle, seat);
    command(t, (struct robo_cmd){ .op = ROBO_STOP, .body.stop.scope = 1 }, now);
    say(t, "! silent", "");
}

static const struct robo__seat_kind clients = {
    .client = "turtle client", .result = on_result, .silent = on_silence, .keeps = keeps
};

/* ---- verbs ---- */

/* Gives it at once; its line is answered by its result, or "ok" while it goes on. */
static void command(struct turtle *t, struct robo_cmd cmd, robo_time now)
{
    cmd.id = t->asked = ++t->seat.commands;
    cmd.start = ROBO_AT_ONCE;
    cmd.revision = (uint8_t)robo__robot_revision(t->robot);
    t->result = (struct robo_result){ .signal = ROBO_SUCCESS };
    if (robo__seat_give(&t->seat, &cmd, 1, now) == 0)
        t->result = (struct robo_result){ .signal = ROBO_BUSY, .reason = ROBO_WHY_FULL };
    t->asked = 0;
}

/* "", or why not. */
static const char *answer(const struct turtle *t)
{
    const char *why = robo__reason_doc(t->result.reason);
    if (t->result.signal == ROBO_SUCCESS || t->result.signal == ROBO_MODIFIED)
        return "";
    return *why ? why : robo_signal_name(t->result.signal);
}

static const char *drive(struct turtle *t, const double *v, robo_time now)
{
    command(t, (struct robo_cmd){ .op = ROBO_SET_SPEED, .body.set_speed = { v[0], v[1], v[2] } },
            now);
    return answer(t);
}

static const char *joint(struct turtle *t, const char *name, double angle, robo_time now)
{
    const struct robo_description *d = robo__robot_description(t->robot);
    for (unsigned i = 0; i < d->joints; i++) {
        if (strcmp(d->joint[i].name, name) != 0)
            continue;
        command(t,
                (struct robo_cmd){ .op = ROBO_SET_JOINT,
                                   .body.servo = { (uint16_t)i, .mask = 1, .value = { angle } } },
                now);
        return answer(t);
    }
    return "there is no such joint";
}

static const char *stop(struct turtle *t, robo_time now)
{
    command(t, (struct robo_cmd){ .op = ROBO_STOP }, now);
    return answer(t);
}

static const char *panic(struct turtle *t)
{
    robo_panic(t->robot);
    return "";
}

/* Of the panics that this client was notified of. */
static const char *reset(struct turtle *t)
{
    return robo__conn_role(t->conn) < ROBO_ROLE_OPERATE ? "this client may not"
           : robo__seat_reset(&t->seat) < 0             ? "there was another panic meanwhile"
                                                        : "";
}

static const char *take(struct turtle *t, robo_time now)
{
    t->keeps = robo__seat_take(&t->seat, now);
    return t->keeps ? "" : "another client has it";
}

static const char *give(struct turtle *t, robo_time now)
{
    t->keeps = false;
    robo__seat_give_back(&t->seat, now);
    return "";
}

static const char *resume(struct turtle *t)
{
    struct robo_notice_latched latch;
    robo__session_latch(t->seat.session, &latch);
    const struct robo_request_resume what = { .stop = latch.stop };
    return robo__session_resume(t->seat.session, &what, ROBO_ROLE_DRIVE) < 0
               ? "no stop holds this client"
               : "";
}

static const char *state(const struct turtle *t, char text[LINE])
{
    struct robo_state s;
    robo_read(t->robot, &s, sizeof s);
    snprintf(text, LINE, "ok %.3f %.3f %.3f", s.pose[0], s.pose[1], s.attitude[2]);
    return text;
}

/* ---- lines ---- */

/* The verb of a line and its words; false: it is none of these. *why: "" or the reason; of state the answer itself. */
static bool carry_out(struct turtle *t, char word[WORDS][LINE], int words, char text[LINE],
                      const char **why, robo_time now)
{
    double v[WORDS] = { 0 };
    bool numbers = true; /* of all words but the first; of joint but the first two */
    const bool joints = strcmp(word[0], "joint") == 0;
    for (int i = 1 + joints; i < words; i++)
        numbers &= robo__number_is(word[i], strlen(word[i]), &v[i]);
    if (strcmp(word[0], "drive") == 0)
        *why = words == 4 && numbers ? drive(t, &v[1], now) : "expected drive X Y TURN";
    else if (joints)
        *why = words == 3 && numbers ? joint(t, word[1], v[2], now) : "expected joint NAME RAD";
    else if (strcmp(word[0], "stop") == 0)
        *why = stop(t, now);
    else if (strcmp(word[0], "panic") == 0)
        *why = panic(t);
    else if (strcmp(word[0], "reset") == 0)
        *why = reset(t);
    else if (strcmp(word[0], "take") == 0)
        *why = take(t, now);
    else if (strcmp(word[0], "give") == 0)
        *why = give(t, now);
    else if (strcmp(word[0], "resume") == 0)
        *why = resume(t);
    else if (strcmp(word[0], "state") == 0)
        *why = state(t, text);
    else if (strcmp(word[0], "quit") == 0)
        *why = "", t->conn->closing = true;
    else
        return false;
    return true;
}

static void take_line(struct turtle *t, const uint8_t *in, size_t n, robo_time now)
{
    char line[LINE], word[WORDS][LINE] = { "" }, text[LINE];
    const char *why = "";
    memcpy(line, in, n);
    line[n] = 0;
    const int words = sscanf(line, "%127s %127s %127s %127s", word[0], word[1], word[2], word[3]);
    if (words <= 0)
        return;
    if (!carry_out(t, word, words, text, &why, now)) {
        /* a page in a browser can send lines to any port: they begin with another protocol's verb */
        t->conn->closing |= !t->begun;
        why = "there is no such verb";
    }
    t->begun = true;
    if (why == text)
        say(t, text, "");
    else
        say(t, *why ? "no" : "ok", why);
}

static size_t feed(void *connection, const uint8_t *in, size_t n, bool one, robo_time now)
{
    struct turtle *t = connection;
    const uint8_t *end;
    size_t used = 0;
    robo__seat_heard(&t->seat, now);
    if (!look(t, now))
        return n;
    while (used < n && !t->conn->closing && !robo__conn_full(t->conn) &&
           (end = memchr(in + used, '\n', n - used)) != NULL) {
        const size_t length = (size_t)(end - in) - used;
        t->conn->closing |= length >= LINE;
        if (length < LINE)
            take_line(t, in + used, length, now);
        used += length + 1;
        if (one)
            break;
    }
    t->conn->closing |= n - used >= LINE && !memchr(in + used, '\n', n - used);
    return t->conn->closing ? n : used;
}

/* ---- life ---- */

static int open_connection(void *connection, struct robo__conn *conn, const struct robo__url *url)
{
    struct turtle *t = connection;
    uint64_t cursor = 0;
    int error = ROBO_ENONE;
    t->conn = conn;
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
