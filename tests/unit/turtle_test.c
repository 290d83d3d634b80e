/* The protocol of docs/protocol.md is one: its file is compiled with this program, and spoken by two clients, line by line, in virtual time. What a
 * seat does for a client is seen from outside: leases, stops that hold, panics, a deadman. */
#include "../kept_log.h"
#include "dialled.h"
#include "fixture_host.h"

extern const struct robo__protocol robo__turtle;

/* ---- two clients ---- */

struct client {
    struct robo__conn conn;
    char got[512];
};

static struct client clients_of[2];

static void settle(struct robo__conn *conn)
{
    struct client *c = robo__container_of(conn, struct client, conn);
    bool more = true;
    while (more) {
        size_t n;
        const uint8_t *out = robo__conn_output(conn, &n);
        assert_true(strlen(c->got) + n < sizeof c->got);
        if (n > 0)
            strncat(c->got, (const char *)out, n);
        robo__conn_written(conn, n);
        more = robo__conn_resume(conn, robo_now(world));
    }
}

static void join(struct client *c, const char *address)
{
    static const struct robo__protocol *const table[] = { &robo__turtle, NULL };
    char why[256];
    struct robo__url url;
    memset(c, 0, sizeof *c);
    assert_int_equal(robo__url_parse(address, table, &url, why), 0);
    assert_int_equal(robo__conn_init(&c->conn, &host, &url, settle), 0);
}

/* A turn of a talk: after so many seconds client 0 or 1 writes a line, "": nothing, and has received these lines since its last turn. */
struct turn {
    double after;
    int client;
    const char *says, *hears;
};

static void talk(const struct turn *turns, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct client *c = &clients_of[turns[i].client];
        char line[128];
        robo_advance(world, robo_now(world) + S(turns[i].after));
        snprintf(line, sizeof line, "%s\n", turns[i].says);
        if (turns[i].says[0])
            robo__conn_receive(&c->conn, (const uint8_t *)line, strlen(line), robo_now(world));
        settle(&c->conn);
        if (strcmp(c->got, turns[i].hears) != 0)
            fail_msg("turn %zu: \"%s\" got \"%s\", expected \"%s\"", i, turns[i].says, c->got,
                     turns[i].hears);
        c->got[0] = 0;
    }
}

#define TALK(...)                              \
    talk((const struct turn[]){ __VA_ARGS__ }, \
         sizeof((const struct turn[]){ __VA_ARGS__ }) / sizeof(struct turn))

static int open_both(void **state)
{
    const int error = open_host(state);
    for (int i = 0; error == 0 && i < 2; i++)
        join(&clients_of[i], "turtle+local:");
    return error;
}

static int close_both(void **state)
{
    for (int i = 0; i < 2; i++)
        robo__conn_free(&clients_of[i].conn);
    return close_host(state);
}

FIXTURE(open_both, close_both);

/* ---- talks ---- */

TEST(a_line_is_answered)
{
    TALK({ 0, 0, "drive 0.2 0 0", "ok\n" }, { 0.5, 0, "drive 0 0 0", "ok\n" },
         { 0.5, 0, "joint arm 0.1", "ok\n" },
         { 0, 0, "joint am 0.1", "no there is no such joint\n" },
         { 0, 0, "drive fast", "no expected drive X Y TURN\n" },
         { 0, 0, "jump", "no there is no such verb\n" });
    assert_false(clients_of[0].conn.closing);
}

TEST(a_lease_is_kept_until_it_is_given)
{
    TALK({ 0, 0, "take", "ok\n" }, { 0, 1, "take", "no another client has it\n" },
         { 60, 1, "take", "no another client has it\n" },
         { 0, 1, "drive 0.2 0 0", "no another client holds the lease of what the command moves\n" },
         { 0, 0, "give", "ok\n" }, { 0, 1, "take", "ok\n" });
}

TEST(a_stop_holds_the_other_until_it_resumes)
{
    TALK({ 0, 0, "drive 0.2 0 0", "ok\n" }, { 0.1, 1, "stop", "ok\n" });
    TALK({ 0.5, 0, "drive 0.2 0 0", "! stopped by turtle client\nno a stop ended the motion\n" });
    TALK({ 0, 0, "resume", "ok\n" }, { 0, 0, "drive 0.2 0 0", "ok\n" },
         { 0, 0, "resume", "no no stop holds this client\n" });
}

TEST(a_panic_ends_by_the_reset_of_a_client_that_knows_it)
{
    TALK({ 0, 0, "drive 0.2 0 0", "ok\n" }, { 0.1, 1, "panic", "ok\n! panic\n" },
         { 1, 0, "drive 0.2 0 0", "! panic\nno the robot is in panic until someone resets it\n" },
         { 0, 0, "reset", "ok\n! reset\n" }, { 0, 0, "drive 0.2 0 0", "ok\n" });
}

TEST(a_client_that_is_silent_is_stopped)
{
    TALK({ 0, 0, "drive 0.2 0 0", "ok\n" }, { 0.9, 0, "", "" }, { 0.3, 0, "", "! silent\n" });
}

TEST(a_page_in_a_browser_is_not_listened_to)
{
    TALK({ 0, 0, "POST /drive HTTP/1.1", "" });
    assert_true(clients_of[0].conn.closing);
}

/* It leaves half a megabyte of answers unread. */
TEST(a_panic_waits_for_no_answer_to_be_read)
{
    enum { LINES = 20000 };
    static char flood[LINES * 6 + 8];
    for (int i = 0; i < LINES; i++)
        memcpy(flood + 6 * i, "state\n", 6);
    strcpy(flood + 6 * LINES, "panic\n");
    struct client *c = &clients_of[0];
    robo__conn_receive(&c->conn, (const uint8_t *)flood, strlen(flood), robo_now(world));
    size_t unread;
    robo__conn_output(&c->conn, &unread);
    assert_true(unread > ROBO__CONN_OUT);
    assert_true(robo__robot_alarm(robot).panic);
}

/* A command written before the notice came is refused, also when there is nothing left to refuse it for. */
TEST(a_line_was_written_with_what_was_told_before)
{
    TALK({ 0, 0, "drive 0.2 0 0", "ok\n" }, { 0, 1, "stop", "ok\n" },
         { 0, 0, "state", "ok 0.000 0.000 0.000\n! stopped by turtle client\n" },
         { 0, 1, "stop", "ok\n" },
         { 0, 0, "resume", "no there was another stop meanwhile\n! stopped by turtle client\n" });
    TALK({ 0, 1, "panic", "ok\n! panic\n" },
         { 0, 0, "reset", "no there was another panic meanwhile\n! panic\n" });
}
