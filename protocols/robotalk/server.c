/* The RoboTalk protocol, server side: packages in, calls of the core, packages out. No socket, no thread.
 *
 * A package is processed when it is complete, but its flags act when its header is: a panic does not wait for a
 * payload (RoboTalk III.C). Each session of the connection has a server session (server_session.h); queries.c answers
 * queries. */
#include "server.h"

#include "dds/fleet.h"
#include "dds/ros.h"
#include "net/dds.h"

#include <stdlib.h>

#include "server_session.h"
#include "robot/client.h"

enum { WINDOW = 64, FEW = 64 /* commands of a package that need no memory */ };
static const robo_time LONG_TURN = 2000000; /* of one client, before the others have theirs */
/* bytes of the header */
enum {
    VERSION_AT = 2,
    FLAGS_AT = 3,
    TYPE_AT = 4,
    SIZE_AT = 8,
    ID_AT = 12,
    SESSION_AT = 16,
    EPOCH_AT = 20
};

/* ---- commands ---- */

/* Reads one command of a session, or of none (NULL). Memory of a frame is allocated, and the caller frees it. */
static int read_command(struct robo__session *session, const struct robo_entry *entry,
                        const uint8_t *body, struct robo_cmd *cmd)
{
    struct robo_move counts = { 0 };
    if (entry->op != ROBO_MOVE)
        return robo_command_decode(entry, body, cmd, NULL);
    int error = robo_move_decode(entry, body, NULL, &counts, NULL);
    if (error < 0)
        return error;
    struct robo__session_move *move =
        session ? robo__session_make_move(session, counts.dofs, counts.frames)
                : robo__move_make(counts.dofs, counts.frames);
    return move ? robo_move_decode(entry, body, cmd, &move->set, NULL) : ROBO_ENOMEM;
}

/* Frees the frames of commands that no session has taken. */
static void drop(const struct robo_cmd *cmds, size_t n)
{
    for (size_t i = 0; i < n; i++)
        robo__move_free(robo__move_of(&cmds[i]));
}

/* Reads at most `most` commands of the payload, from byte *at on; returns how many. Commands that cannot be read
 * are answered here, except a stop: a stop whose body cannot be read acts at once. */
static size_t read_commands(struct robo__serve *serve, struct robo__server_session *ss,
                            const struct robo_header *header, const uint8_t *payload, size_t *at,
                            struct robo_cmd *cmds, size_t most, robo_time now)
{
    size_t offset = *at, n = 0;
    struct robo_entry entry;
    const uint8_t *body;
    while (n < most && robo_next_entry(payload, header->size, at, &entry, &body) == 1) {
        int error = read_command(ss ? ss->session : NULL, &entry, body, &cmds[n]);
        if (error == ROBO_ENOMEM) {
            const struct robo_cmd lost = { .op = entry.op, .id = entry.id, .start = ROBO_NO_TIME };
            robo__serve_refuse(serve, ss, &lost, 1, ROBO_WHY_FULL, now);
        } else if (error == ROBO_EOP && robo_operation_find(robo__queries, entry.op))
            robo__serve_fault(serve, header, ROBO_EMIXED, entry.id, ROBO_HEADER_SIZE + offset, NULL,
                              now);
        else if (entry.op != ROBO_STOP && (error < 0 || entry.id == 0)) {
            if (error == 0)
                drop(&cmds[n], 1);
            robo__serve_unread(serve, header, &entry, error, ROBO_HEADER_SIZE + offset, now);
        } else {
            if (error < 0)
                cmds[n] =
                    (struct robo_cmd){ .op = entry.op, .id = entry.id, .start = ROBO_AT_ONCE };
            cmds[n++].revision = header->revision;
        }
        offset = *at;
    }
    return n;
}

/* Refuses commands, but not stops: how many are left. */
static size_t keep_stops(struct robo__serve *serve, struct robo__server_session *ss,
                         struct robo_cmd *cmds, size_t n, enum robo_reason why, robo_time now)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (cmds[i].op == ROBO_STOP)
            cmds[kept++] = cmds[i];
        else {
            robo__serve_refuse(serve, ss, &cmds[i], 1, why, now);
            drop(&cmds[i], 1);
        }
    }
    return kept;
}

static void admit_commands(struct robo__serve *serve, struct robo__server_session *ss,
                           const struct robo_header *header, struct robo_cmd *cmds, size_t n,
                           robo_time now)
{
    struct robo__known known = { header->epoch, header->stops };
    size_t admitted = robo__session_commands(ss->session, cmds, n, known, header->stamp, now);
    robo__server_session_arm(ss, now);
    robo__server_session_results(ss, now);
    if (admitted < n)
        robo__serve_refuse(serve, ss, cmds + admitted, n - admitted,
                           robo__session_gone(ss->session) ? ROBO_WHY_CLOSED : ROBO_WHY_FULL, now);
    drop(cmds + admitted, n - admitted);
}

/* why: if it is not ROBO_WHY_NONE, the stops act and all other commands are refused for that reason. */
static void work_commands(struct robo__serve *serve, const struct robo_header *header,
                          const uint8_t *payload, enum robo_reason why, robo_time now)
{
    struct robo__server_session *ss = robo__server_session_find(serve, header->session);
    struct robo_cmd few[FEW], *many = NULL, *cmds = few;
    size_t most = FEW, at = 0;
    if (header->count > FEW && (many = malloc(header->count * sizeof *many)) != NULL) {
        cmds = many;
        most = header->count;
    }
    if (!ss)
        robo__serve_fault(serve, header, ROBO_ENONE, 0, SESSION_AT, "session", now);
    else if (why == ROBO_WHY_NONE && serve->role < ROBO_ROLE_DRIVE)
        why = ROBO_WHY_ROLE;
    /* in one piece, or a few at a time when there is no memory for the whole */
    do {
        size_t n = read_commands(serve, ss, header, payload, &at, cmds, most, now);
        if (why)
            n = keep_stops(serve, ss, cmds, n, why, now);
        if (ss)
            admit_commands(serve, ss, header, cmds, n, now);
        else {
            robo__serve_refuse(serve, NULL, cmds, n, ROBO_WHY_SESSION, now);
            drop(cmds, n);
        }
    } while (at < header->size);
    free(many);
}

/* ---- packages in ---- */

/* A transport may deliver packages twice or out of order: each is processed once. A header without a payload needs no
 * number, since its flags may act twice. */
enum arrival { NEW, SEEN, TOO_LATE, UNNUMBERED };

static enum arrival arrival_of(const struct robo__serve *serve, const struct robo_header *header)
{
    uint32_t id = header->id;
    int32_t ahead = (int32_t)(id - serve->last_package);
    if (id == 0)
        return header->type == ROBO_TYPE_NONE ? NEW : UNNUMBERED;
    if (!serve->any || ahead > 0)
        return NEW;
    if (-(int64_t)ahead >= WINDOW)
        return TOO_LATE;
    return serve->seen >> -ahead & 1 ? SEEN : NEW;
}

static void note_package(struct robo__serve *serve, uint32_t id)
{
    int32_t ahead = (int32_t)(id - serve->last_package);
    if (id == 0)
        return;
    if (!serve->any || ahead > 0) {
        serve->seen = serve->any && ahead < WINDOW ? serve->seen << ahead | 1 : 1;
        serve->last_package = id;
        serve->any = true;
    } else {
        serve->seen |= (uint64_t)1 << -ahead;
    }
}

/* Whether the client must identify itself before anything acts, and has not yet. */
static bool is_unauthenticated(const struct robo__serve *serve)
{
    return serve->role == 0 && robo__conn_role(serve->conn) == 0;
}

/* A panic of an unknown session is one of all robots: better one robot too many than one too few. */
static void act_panic(struct robo__serve *serve, const struct robo__server_session *ss)
{
    if (ss)
        robo__panic_by(robo__session_robot(ss->session), serve->name);
    else
        robo__panic_all(serve->conn->host->world, serve->name);
}

/* A reset names one robot, and its sender knows of the newest panic. */
static void act_reset(struct robo__serve *serve, const struct robo__server_session *ss,
                      const struct robo_header *header, robo_time now)
{
    struct robo__known known = { header->epoch, header->stops };
    if (!ss)
        robo__serve_fault(serve, header, ROBO_ENONE, 0, SESSION_AT, "session of the reset", now);
    else if (serve->role < ROBO_ROLE_OPERATE)
        robo__serve_fault(serve, header, ROBO_EROLE, 0, FLAGS_AT, "reset", now);
    else if (robo__reset_known(robo__session_robot(ss->session), known, serve->name) < 0)
        robo__serve_fault(serve, header, ROBO_EPANIC, 0, EPOCH_AT,
                          "epoch: there has been a panic since", now);
}

void robo__serve_let_in(struct robo__serve *serve)
{
    if (serve->panic)
        act_panic(serve, NULL); /* it has no sessions yet */
    serve->panic = false;
}

/* Panic and reset, as soon as the header is in: a panic whatever else is wrong with the header, a reset only of a good
 * one. */
static void act(struct robo__serve *serve, const struct robo_header *header, int error,
                robo_time now)
{
    const struct robo__server_session *ss = robo__server_session_find(serve, header->session);
    if (header->flags & ROBO_FLAG_PANIC && error != ROBO_EMAGIC && is_unauthenticated(serve))
        serve->panic = true;
    else if (header->flags & ROBO_FLAG_PANIC && error != ROBO_EMAGIC)
        act_panic(serve, ss);
    else if (header->flags & ROBO_FLAG_RESET && error == 0)
        act_reset(serve, ss, header, now);
    else
        return;
    /* the client is notified in this turn */
    for (size_t i = 0; i < ROBO__SERVER_SESSIONS; i++) {
        if (serve->server_session[i]) {
            robo__server_session_results(serve->server_session[i], now);
            robo__server_session_send_panic(serve->server_session[i], now);
        }
    }
}

/* A stamp is the earliest possible instant, and inexact when its sender has not read the clock for long: before a train
 * it has. When frames were sent, their sessions know better. */
static void note_traffic(struct robo__traffic *traffic, const struct robo_header *header,
                         robo_time now)
{
    if (header->type == ROBO_TYPE_COMMAND)
        return;
    if (header->stamp != ROBO_NO_TIME && (header->type == ROBO_TYPE_NONE || !traffic->trained))
        robo__traffic_note(traffic, header->stamp, now);
    else
        robo__traffic_pass(traffic, now);
}

/* Answers a package that has no number, or too old a one: it may have been processed before. Each query gets a fault of its
 * own, since its client waits for an answer. */
static void tell_unworked(struct robo__serve *serve, const struct robo_header *header,
                          const uint8_t *payload, robo_time now)
{
    int error = header->id == 0 ? ROBO_EINVAL : ROBO_ERANGE;
    const char *words =
        header->id == 0 ? "package id: 0 is none" : "package id: 64 or more behind the newest";
    struct robo_entry entry = { 0 };
    const uint8_t *body;
    size_t at = 0;
    while (header->type == ROBO_TYPE_QUERY &&
           robo_next_entry(payload, header->size, &at, &entry, &body) == 1)
        robo__serve_fault(serve, header, error, entry.id, ID_AT, words, now);
    if (at == 0)
        robo__serve_fault(serve, header, error, 0, ID_AT, words, now);
}

static void work_package(struct robo__serve *serve, const struct robo_header *header,
                         const uint8_t *payload, robo_time now)
{
    enum arrival arrival = arrival_of(serve, header);
    if (arrival == SEEN)
        return;
    if (arrival != NEW)
        tell_unworked(serve, header, payload, now);
    else
        note_package(serve, header->id);
    note_traffic(&serve->conn->traffic, header, now);
    /* any package from the client counts for all its sessions */
    for (size_t i = 0; i < ROBO__SERVER_SESSIONS && arrival == NEW; i++)
        if (serve->server_session[i])
            robo__session_heard(serve->server_session[i]->session, header->id, header->stamp, now);
    if (header->type == ROBO_TYPE_QUERY && arrival == NEW)
        robo__serve_queries(serve, header, payload, now);
    else if (header->type == ROBO_TYPE_COMMAND)
        work_commands(serve, header, payload,
                      arrival == NEW        ? ROBO_WHY_NONE
                      : arrival == TOO_LATE ? ROBO_WHY_EXPIRED
                                            : ROBO_WHY_MALFORMED,
                      now);
}

/* For a package of commands whose entries do not fill the payload: its stops act, and its other commands are answered. The
 * last may have no more than its head. */
static void answer_heads(struct robo__serve *serve, const struct robo_header *header,
                         const uint8_t *payload, robo_time now)
{
    struct robo__server_session *ss = robo__server_session_find(serve, header->session);
    struct robo_entry entry;
    for (size_t at = 0; at < header->size; at += ROBO_ENTRY_SIZE + entry.size) {
        if (robo_message_decode(&robo_entry_message, payload + at, header->size - at, &entry,
                                NULL) <= 0)
            break;
        struct robo_cmd stop = { .op = ROBO_STOP, .id = entry.id, .start = ROBO_AT_ONCE };
        if (entry.op == ROBO_STOP && ss)
            admit_commands(serve, ss, header, &stop, 1, now);
        else if (robo_operation_find(robo__commands, entry.op))
            robo__serve_unread(serve, header, &entry, ROBO_ESIZE, ROBO_HEADER_SIZE + at, now);
    }
}

void robo__serve_unexecuted(struct robo__serve *serve, const struct robo_header *header,
                            uint32_t entry)
{
    if (serve->unexecuted.package == 0)
        serve->unexecuted = (struct robo__unexecuted){ header->id, entry };
}

static uint32_t first_entry(const struct robo_header *header, const uint8_t *payload, size_t n)
{
    struct robo_entry entry = { 0 };
    if (n >= ROBO_ENTRY_SIZE && header->count > 0)
        robo_message_decode(&robo_entry_message, payload, ROBO_ENTRY_SIZE, &entry, NULL);
    return entry.id;
}

/* Whether the entries fill the payload exactly, as many as the header says. */
static bool entries_fit(const struct robo_header *header, const uint8_t *payload)
{
    size_t at = 0, count = 0;
    struct robo_entry entry;
    const uint8_t *body;
    int more;
    while ((more = robo_next_entry(payload, header->size, &at, &entry, &body)) == 1)
        count++;
    return more == 0 && count == header->count;
}

/* Of a package that comes too late to be executed the stops act. */
static void stops_only(struct robo__serve *serve, const struct robo_header *header,
                       const uint8_t *payload, robo_time now)
{
    if (header->type != ROBO_TYPE_COMMAND)
        return;
    if (entries_fit(header, payload))
        work_commands(serve, header, payload, ROBO_WHY_FULL, now);
    else
        answer_heads(serve, header, payload, now);
}

/* Closes the connection after a wrong header: the begin of the next one is unknown. */
static void lose_framing(struct robo__serve *serve, const struct robo_header *header, int error,
                         robo_time now)
{
    size_t at = error == ROBO_EVERSION ? VERSION_AT : error == ROBO_ESIZE ? SIZE_AT : 0;
    robo__serve_fault(serve, header, error, 0, at, NULL, now);
    serve->conn->closing = true;
}

/* Handles a received package. The payload of a type that holds none for a server is skipped. */
static void take_package(struct robo__serve *serve, const struct robo_header *header,
                         const uint8_t *payload, robo_time now)
{
    bool entries = header->type == ROBO_TYPE_QUERY || header->type == ROBO_TYPE_COMMAND;
    if (header->version != ROBO_VERSION && !robo__is_hello(header, payload)) {
        lose_framing(serve, header, ROBO_EVERSION, now);
        return;
    }
    if (serve->overrun || serve->conn->overrun) {
        robo__serve_unexecuted(serve, header, first_entry(header, payload, header->size));
        stops_only(serve, header, payload, now);
        return;
    }
    if (!entries && header->type != ROBO_TYPE_NONE)
        robo__serve_fault(serve, header, ROBO_ETYPE, 0, TYPE_AT,
                          "a client sends queries and commands", now);
    if (!entries || entries_fit(header, payload)) {
        work_package(serve, header, payload, now);
        return;
    }
    robo__serve_fault(serve, header, ROBO_ESIZE, 0, ROBO_HEADER_SIZE,
                      "entries do not fill the payload", now);
    if (header->type == ROBO_TYPE_COMMAND)
        answer_heads(serve, header, payload, now);
}

/* Acts on the flags of a new header. Returns its error, if the framing is lost. A header of another version is no error
 * before the greeting: its payload may be hello. */
static int look(struct robo__serve *serve, const uint8_t *in, size_t at, struct robo_header *header,
                robo_time now)
{
    int error = robo_header_decode(in + at, header);
    if (error == ROBO_ERANGE) {
        /* the stamp is out of range; schedule.c refuses commands of such a stamp */
        header->stamp = ROBO_NEVER;
        error = 0;
    }
    if (at >= serve->unseen)
        act(serve, header, error, now);
    if (error == ROBO_EVERSION && serve->role == 0 && header->size <= ROBO_MAX_PAYLOAD)
        error = 0;
    if (at >= serve->unseen)
        serve->unseen = at + ROBO_HEADER_SIZE + (error ? 0 : header->size);
    return error;
}

/* Whether the packages of this client have taken so long that other clients are first. */
static bool is_long_turn(const struct robo__serve *serve, robo_time since)
{
    return robo_now(serve->conn->host->world) - since > LONG_TURN;
}

static size_t feed(void *state, const uint8_t *in, size_t n, bool one, robo_time now)
{
    struct robo__serve *serve = state;
    struct robo_header header;
    size_t used = 0;
    while (n - used >= ROBO_HEADER_SIZE && !serve->conn->closing &&
           (serve->overrun || !robo__conn_full(serve->conn)) &&
           !(used > 0 && is_long_turn(serve, now))) {
        int error = look(serve, in, used, &header, now);
        if (error < 0) {
            lose_framing(serve, &header, error, now);
            break;
        }
        if (n - used < ROBO_HEADER_SIZE + (size_t)header.size)
            break;
        take_package(serve, &header, in + used + ROBO_HEADER_SIZE, now);
        used += ROBO_HEADER_SIZE + (size_t)header.size;
        if (one)
            break;
    }
    /* packages may have to wait until the client has read, or for the turn of others; the flags of panics do not */
    while (!one && serve->unseen >= used && n >= ROBO_HEADER_SIZE &&
           serve->unseen <= n - ROBO_HEADER_SIZE && !serve->conn->closing)
        if (look(serve, in, serve->unseen, &header, now) < 0)
            break;
    serve->unseen = serve->unseen > used ? serve->unseen - used : 0;
    return used;
}

enum { TAKEOVER };
#define TAKEOVER_OPTION                    \
    "takeover", ROBO_SCHEME_FLAG, 0, 1, 0, \
        "who operates may take leases without asking who has them"
static const struct robo_scheme_option options[] = {
    [TAKEOVER] = { TAKEOVER_OPTION },
    { NULL, ROBO_SCHEME_FLAG, 0, 0, 0, NULL },
};

static int open_serve(void *state, struct robo__conn *conn, const struct robo__url *url)
{
    struct robo__serve *serve = state;
    serve->conn = conn;
    serve->takeover = url->option[TAKEOVER] != 0;
    return 0;
}

/* The fault names the first package, and its first entry, that is not executed. */
static void overrun_serve(void *state, const uint8_t *in, size_t n, robo_time now)
{
    struct robo__serve *serve = state;
    struct robo_header header = { 0 };
    if (n >= ROBO_HEADER_SIZE) {
        robo_header_decode(in, &header);
        robo__serve_unexecuted(serve, &header,
                               first_entry(&header, in + ROBO_HEADER_SIZE, n - ROBO_HEADER_SIZE));
    }
    robo__serve_fault(
        serve, &(struct robo_header){ .id = serve->unexecuted.package }, ROBO_ELIMIT,
        serve->unexecuted.entry, 0,
        "=too many answers are unread: from here on nothing is executed but panics and stops", now);
    serve->overrun = true;
}

static void resume_serve(void *state, robo_time now)
{
    struct robo__serve *serve = state;
    for (size_t i = 0; i < ROBO__SERVER_SESSIONS; i++) {
        if (serve->server_session[i])
            robo__server_session_report(serve->server_session[i], now);
        if (serve->server_session[i]) /* it may be over */
            robo__views_resume(serve->server_session[i], now);
    }
}

static void shutdown_serve(void *state, robo_time now)
{
    robo__serve_notice(state, NULL, ROBO_N_SHUTDOWN, NULL, now);
}

static void dismiss_serve(void *state, robo_time now)
{
    static const struct robo_header none;
    robo__serve_fault(state, &none, ROBO_ETOKEN, 0, 0, "it is not listed any more", now);
}

static void close_serve(void *state)
{
    struct robo__serve *serve = state;
    robo__serve_leave_reload(serve);
    robo__serve_leave_recording(serve);
    robo__asker_close(&serve->scripts);
    for (size_t i = 0; i < ROBO__SERVER_SESSIONS; i++)
        if (serve->server_session[i])
            robo__server_session_close(serve, serve->server_session[i]);
}

#define ROW                                                                                    \
    .tells_token = true, .size = sizeof(struct robo__serve),                                   \
    .greeting = { .bytes = 1 << 16, .within = 30000000000 }, .open = open_serve, .feed = feed, \
    .overrun = overrun_serve, .resume = resume_serve, .dismiss = dismiss_serve,                \
    .shutdown = shutdown_serve, .close = close_serve

const struct robo__protocol robo__robotalk = {
    .name = "robotalk", .port = ROBO_PORT, .options = options, ROW
};

static const struct robo_scheme_option dds_options[] = {
    [TAKEOVER] = { TAKEOVER_OPTION },
    ROBO__DDS_OPTIONS,
    ROBO__ROS_OPTIONS,
    { NULL, ROBO_SCHEME_FLAG, 0, 0, 0, NULL },
};

const struct robo__protocol robo__dds = {
    .name = "dds",
    .port = 7400, /* the base of its ports, which follow from the domain */
    .medium = ROBO__DDS,
    .options = dds_options,
    .serve = robo__fleet_serve,
    .unserve = robo__fleet_unserve,
    ROW
};
