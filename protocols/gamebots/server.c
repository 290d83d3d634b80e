/* The Gamebots protocol, server side: a connection's life and its lines, on the server's thread. */
#include "protocols.h"

#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "connection.h"
#include "net/detect_tls_http.h"
#include "net/loop.h"
#include "robot/client.h"
#include "bridge_side.h"

static const robo_time TICK = 100000000, UNREAD = 30000000000;

enum { UDK, UT2004, STRICT, BRIDGE, DEADMAN };
static const struct robo_scheme_option options[] = {
    [UDK] = { "udk", ROBO_SCHEME_FLAG, 0, 1, 0,
              "tells states and sensors as USARSim's later generation does" },
    [UT2004] = { "ut2004", ROBO_SCHEME_FLAG, 0, 1, 0,
                 "as the earlier one does, as without either" },
    [STRICT] = { "strict", ROBO_SCHEME_FLAG, 0, 1, 0,
                 "unknown messages, lines that lack something, and refusals are answered with RES" },
    [BRIDGE] = { "bridge", ROBO_SCHEME_FLAG, 0, 1, 0,
                 "what clients say goes to the script of --bridge, which commands the robot" },
    [DEADMAN] = { "deadman", ROBO_SCHEME_NUMBER, 0, 86400, 0,
                  "s; a robot that moves for a client of whom nothing is heard for so long stops; 0: never" },
    { NULL, ROBO_SCHEME_FLAG, 0, 0, 0, NULL },
};

static const char *wrong_options(const double *option)
{
    return option[UDK] && option[UT2004] ? "expected one dialect, udk or ut2004" : NULL;
}

/* ---- lines ---- */

static void greet(struct robo__gb_connection *c)
{
    char room[128];
    struct robo__gb_out out = robo__gb_out(room, sizeof room);
    if (c->greeted)
        return;
    c->greeted = true;
    robo__gb_hello(&out, "robotalk");
    robo__gb_say(c, &out);
}

static void init(struct robo__gb_connection *c, const struct robo__gb_line *line, robo_time now)
{
    const bool begins = !c->seat.session;
    robo__gb_do_init(c, line, now);
    if (!begins || !c->seat.session)
        return;
    c->read_at = now;
    if (c->bridged && !robo__gb_join_bridge(c, now))
        c->conn->closing = true; /* it must not drive without */
    robo__timer_start(c->conn->host->timers, &c->tick, now + TICK);
}

static void refuse(struct robo__gb_connection *c, const char *why)
{
    c->conn->refused = why;
    c->conn->closing = true;
}

/* A page in a browser can send a first line of its own choice to any port: bytes of another protocol reveal
 * themselves by it. */
static void carry_out(struct robo__gb_connection *c, struct robo__gb_text bytes, robo_time now)
{
    struct robo__gb_line line;
    const bool readable = robo__gb_parse(bytes, &line);
    if (!c->begun && (line.crowded || !robo__gb_knows(&line))) {
        refuse(c, robo__is_http((const uint8_t *)bytes.at, bytes.n)
                      ? "it speaks HTTP, and this address does not"
                      : "its first line is no message of Gamebots");
        return;
    }
    c->begun = true;
    c->lines++;
    if (!readable) {
        if (line.crowded)
            robo__gb_say_result(c, "Line", "", false, "expected at most 256 groups");
        return;
    }
    if (robo__gb_is(line.type, "INIT"))
        init(c, &line, now);
    else if (robo__gb_is(line.type, "GETSTARTPOSES"))
        robo__gb_say_starts(c);
    else if (robo__gb_is(line.type, "CONTROL"))
        robo__gb_say_result(c, "CONTROL", c->vehicle ? c->vehicle->name : "", false,
                            "the world here has no such control");
    else if (c->side)
        robo__gb_pass_on(c, bytes, &line, now);
    else if (c->vehicle)
        robo__gb_command(c, &line, now);
    else
        c->ignored++;
}

static size_t feed(void *state, const uint8_t *in, size_t n, bool one, robo_time now)
{
    struct robo__gb_connection *c = state;
    const char *bytes = (const char *)in;
    size_t done = 0;
    robo__seat_heard(&c->seat, now);
    greet(c);
    /* first, since wishes are for the robot as it is now */
    if (c->seat.session && !robo__gb_hear(c, now))
        return n;
    while (!c->conn->closing) { /* for a piece: then others have theirs */
        struct robo__gb_text line;
        size_t used;
        const enum robo__gb_step step =
            robo__gb_next(&c->reader, bytes + done, n - done, &line, &used);
        done += used;
        if (step == ROBO__GB_TOO_LONG && !c->begun)
            refuse(c, "its first line is no message of Gamebots");
        else if (step == ROBO__GB_TOO_LONG)
            robo__gb_say_result(c, "Line", "", false, "expected at most 65536 bytes");
        if (step == ROBO__GB_IS_LINE)
            carry_out(c, line, now);
        if (step == ROBO__GB_MORE || (one && step == ROBO__GB_IS_LINE) ||
            robo_now(c->conn->host->world) - now > ROBO__PIECE)
            break;
    }
    robo__gb_hand_over(c, now);
    return c->conn->closing ? n : done;
}

/* ---- time ---- */

/* A client that takes nothing for long is gone: a robot of its must not wait for the system to notice. */
static bool reads(struct robo__gb_connection *c, robo_time now)
{
    size_t left;
    robo__conn_output(c->conn, &left);
    if (left == 0 || left != c->unread)
        c->read_at = now;
    c->unread = left;
    if (now - c->read_at < UNREAD)
        return true;
    robo__world_log(c->conn->host->world, ROBO_LOG_WARNING,
                    "gamebots: the client reads nothing: the connection is closed");
    robo__conn_drop(c->conn);
    return false;
}

static void on_tick(struct robo__timer *timer, robo_time now)
{
    struct robo__gb_connection *c = robo__container_of(timer, struct robo__gb_connection, tick);
    struct robo__conn *conn = c->conn;
    const robo_time next = timer->due + TICK;
    greet(c);
    if (c->seat.session && reads(c, now)) {
        robo__timer_start(conn->host->timers, timer, next > now ? next : now + TICK);
        if (robo__gb_hear(c, now)) {
            robo__gb_watch_bridge(c, now);
            robo__gb_hand_over(c, now);
        }
        /* the newest values win: they are sent when the client has read */
        if (!conn->closing && !robo__gb_leaves_unread(c, ROBO__CONN_BUSY))
            robo__gb_report(c, now);
    }
    robo__conn_kick(conn); /* this may free the connection */
}

/* ---- life ---- */

static int open_connection(void *state, struct robo__conn *conn, const struct robo__url *url)
{
    struct robo__gb_connection *c = state;
    const robo_time now = robo_now(conn->host->world);
    c->conn = conn;
    c->dialect = url->option[UDK] ? ROBO__GB_UDK : ROBO__GB_UT2004;
    c->strict = url->option[STRICT] != 0;
    c->bridged = url->option[BRIDGE] != 0;
    robo__seat_init(&c->seat, &robo__gb_clients, conn, (robo_time)(url->option[DEADMAN] * 1e9));
    snprintf(c->wanted, sizeof c->wanted, "%s", url->robot);
    c->read_at = now;
    c->tick.fire = on_tick;
    /* the first tick greets: a transport is not yet there */
    robo__timer_start(conn->host->timers, &c->tick, now);
    return 0;
}

static void close_connection(void *state)
{
    struct robo__gb_connection *c = state;
    robo__timer_stop(c->conn->host->timers, &c->tick);
    if (c->unknown > 0 || c->ignored > 0 || c->reader.too_long > 0)
        robo__world_log(
            c->conn->host->world, ROBO_LOG_INFO,
            "gamebots: of %llu lines %llu were unknown, %llu came before INIT, %llu were"
            " too long",
            (unsigned long long)c->lines, (unsigned long long)c->unknown,
            (unsigned long long)c->ignored, (unsigned long long)c->reader.too_long);
    robo__gb_let_go(c, robo_now(c->conn->host->world));
}

const struct robo__protocol robo__gamebots = { .name = "gamebots",
                                               .port = 3000,
                                               .size = sizeof(struct robo__gb_connection),
                                               .options = options,
                                               .wrong = wrong_options,
                                               .open = open_connection,
                                               .feed = feed,
                                               .close = close_connection };
