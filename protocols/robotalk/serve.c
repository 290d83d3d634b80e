/* The RoboTalk protocol, server side: packages in, calls of the core, packages out. No socket, no thread.
 *
 * A package is worked on when it is complete, but its flags when its header is: a panic does not wait for a
 * payload (RoboTalk III.C). Each session of the connection has a desk (desk.h); queries.c answers what is asked. */
#include "serve.h"

#include <stdlib.h>

#include "desk.h"
#include "robot.h"

enum { WINDOW = 64, SESSION_AT = 16 /* the header's byte */ };

/* ---- commands ---- */

static void work_commands(struct robo__serve *serve, const struct robo_header *header,
                          const uint8_t *payload, robo_time now)
{
    struct robo__desk *desk = robo__desk_find(serve, header->session);
    struct robo_cmd few[16], *cmds = few;
    if (header->count > 16 && !(cmds = malloc(header->count * sizeof *cmds))) {
        robo__serve_fault(serve, header, ROBO_ENOMEM, 0, 0, NULL, now);
        return;
    }
    size_t at = 0, offset = 0, n = 0;
    struct robo_entry entry;
    const uint8_t *body;
    while (robo__next_entry(payload, header->size, &at, &entry, &body) == 1) {
        const char *field = NULL;
        int error = robo__command_decode(&entry, body, &cmds[n], &field);
        if (error < 0)
            robo__serve_fault(
                serve, header,
                error == ROBO_EOP && robo__op_find(robo__queries, entry.op) ? ROBO_EMIXED : error,
                entry.id, ROBO__HEADER_SIZE + offset, field, now);
        else
            cmds[n++].generation = header->generation;
        offset = at;
    }
    if (desk) {
        size_t admitted =
            robo__session_commands(desk->session, cmds, n, header->epoch, header->stamp, now);
        robo__desk_arm(desk);
        robo__desk_results(desk, now);
        robo__serve_refuse(serve, desk, cmds + admitted, n - admitted, ROBO_WHY_FULL, now);
    } else {
        robo__serve_fault(serve, header, ROBO_ENONE, 0, SESSION_AT, "session", now);
        robo__serve_refuse(serve, NULL, cmds, n, ROBO_WHY_SESSION, now);
    }
    if (cmds != few)
        free(cmds);
}

/* ---- packages in ---- */

/* A transport may deliver twice or late (UDP, DDS): each package is worked once. */
static bool is_repeated(const struct robo__serve *serve, uint32_t id)
{
    int32_t ahead = (int32_t)(id - serve->last_package);
    if (!serve->any || ahead > 0)
        return false;
    return -(int64_t)ahead >= WINDOW || (serve->seen >> -ahead & 1) != 0;
}

static void note_package(struct robo__serve *serve, uint32_t id)
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
static void act(struct robo__serve *serve, const struct robo_header *header, robo_time now)
{
    if (header->session != 0) {
        struct robo__desk *desk = robo__desk_find(serve, header->session);
        if (desk)
            act_on_robot(desk->session->robot, header->flags);
        else
            robo__serve_fault(serve, header, ROBO_ENONE, 0, SESSION_AT, "session", now);
    } else {
        uint64_t cursor = 0;
        for (robo_robot *robot;
             (robot = robo__world_next(serve->conn->host->world, &cursor)) != NULL;) {
            act_on_robot(robot, header->flags);
            robo_release(robot);
        }
    }
    /* this client hears of it with its next answer, which is now */
    for (size_t i = 0; i < ROBO__DESKS; i++) {
        if (serve->desk[i]) {
            robo__desk_results(serve->desk[i], now);
            robo__desk_tell_panic(serve->desk[i], now);
        }
    }
}

static void work_package(struct robo__serve *serve, const struct robo_header *header,
                         const uint8_t *payload, robo_time now)
{
    if (is_repeated(serve, header->id))
        return;
    note_package(serve, header->id);
    /* any word from the client counts for all its sessions */
    for (size_t i = 0; i < ROBO__DESKS; i++)
        if (serve->desk[i])
            robo__session_word(serve->desk[i]->session, now);
    if (header->type == ROBO_TYPE_QUERY)
        robo__serve_queries(serve, header, payload, now);
    else if (header->type == ROBO_TYPE_COMMAND)
        work_commands(serve, header, payload, now);
    else if (header->type != ROBO_TYPE_NONE)
        robo__serve_fault(serve, header, ROBO_ETYPE, 0, 4, "a client sends queries and commands",
                          now);
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
    struct robo__serve *serve = state;
    size_t used = 0;
    while (n - used >= ROBO__HEADER_SIZE && !serve->conn->closing) {
        const uint8_t *package = in + used;
        struct robo_header header;
        int error = robo__header_decode(package, &header);
        if (error == ROBO_ERANGE)
            error = ROBO_ETYPE;
        if (error < 0) {
            /* after a wrong header nobody knows where the next one begins */
            robo__serve_fault(serve, &header, error, 0, header_byte(error), NULL, now);
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
            robo__serve_fault(serve, &header, ROBO_ESIZE, 0, ROBO__HEADER_SIZE,
                              "entries do not fill the payload", now);
        used += ROBO__HEADER_SIZE + (size_t)header.size;
        if (one)
            break;
    }
    return used;
}

static int open_serve(void *state, struct robo__conn *conn)
{
    struct robo__serve *serve = state;
    serve->conn = conn;
    return 0;
}

static void shutdown_serve(void *state, robo_time now)
{
    robo__serve_notice(state, NULL, ROBO_N_SHUTDOWN, NULL, now);
}

static void close_serve(void *state)
{
    struct robo__serve *serve = state;
    for (size_t i = 0; i < ROBO__DESKS; i++)
        if (serve->desk[i])
            robo__desk_close(serve, serve->desk[i]);
}

const struct robo__protocol robo__robotalk = { .name = "robotalk",
                                               .size = sizeof(struct robo__serve),
                                               .open = open_serve,
                                               .feed = feed,
                                               .shutdown = shutdown_serve,
                                               .close = close_serve };
