/* Who may come in at an address, and what a connection there may do before and after it has said who it is. */
#include <sys/stat.h>
#include <unistd.h>

#include "net/access.h"
#include "peer.h"
#include "protocols.h"
#include "robotalk/access.h"

/* ---- what an address needs ---- */

static char folder[] = "/tmp/robotalk-access-XXXXXX";

static int make_folder(void **state)
{
    strcpy(folder + sizeof folder - 7, "XXXXXX");
    return !mkdtemp(folder) || setenv("XDG_CONFIG_HOME", folder, 1) < 0;
}

static int remove_folder(void **state)
{
    unsetenv("XDG_CONFIG_HOME");
    return rmdir(folder);
}

/* A list in the folder, of tokens and keys of nobody. */
static const char *write_list(const char *name, bool token, bool key)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    if (token)
        fprintf(f, "anna drive token %064d\n", 0);
    if (key)
        fprintf(f, "bob drive key %064d\n", 0);
    fclose(f);
    chmod(path, 0600);
    return path;
}

static int open_at(struct robo__access *access, const char *address, const char *list,
                   char why[256])
{
    struct robo__url url;
    char text[600];
    snprintf(text, sizeof text, address, list);
    assert_int_equal(robo__url_parse(text, robo__protocols, &url, why), 0);
    int error = robo__access_open(access, &url, why);
    robo__access_close(access);
    return error;
}

TEST(addresses_of_this_machine_are_open, make_folder, remove_folder)
{
    static const struct {
        const char *address;
        uint8_t open;
    } good[] = {
        { "robotalk://localhost", ROBO_ROLE_OPERATE },
        { "robotalk://[::1]:0", ROBO_ROLE_OPERATE },
        { "unix:/tmp/socket", ROBO_ROLE_OPERATE },
        { "gti://127.0.0.1", ROBO_ROLE_OPERATE },
        { "robotalk+tls://localhost?cert=c&key=k", ROBO_ROLE_OPERATE },
        { "robotalk://localhost?role=watch", ROBO_ROLE_WATCH },
        { "robotalk://localhost?allow=%s", 0 },
        { "unix:/tmp/socket?allow=%s&role=watch", ROBO_ROLE_WATCH },
    };
    char why[256], list[256];
    struct robo__access access;
    strcpy(list, write_list("list", true, false));
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        if (open_at(&access, good[i].address, list, why) < 0)
            fail_msg("%s: %s", good[i].address, why);
        assert_int_equal(access.open, good[i].open);
    }
    unlink(list);
}

TEST(others_take_tls_and_a_list, make_folder, remove_folder)
{
    static const struct {
        const char *address, *why;
        bool token, key;
    } bad[] = {
        { "robotalk://0.0.0.0:7",
          "robotalk keys server && robotalk keys token anna drive && "
          "robotalk serve … --listen robotalk+tls://0.0.0.0:7",
          true, true },
        { "robotalk://[::]:7?allow=%s", "robotalk+tls://[::]:7", true, true },
        { "gti://10.0.0.1",
          "robotalk keys client anna drive && robotalk serve … --listen "
          "gti+tls://10.0.0.1:10700",
          true, true },
        { "robotalk+tls://h", "Type: robotalk keys server && robotalk keys token anna drive", true,
          true },
        { "robotalk+tls://h?cert=c&key=k", "Type: robotalk keys token anna drive", true, true },
        { "robotalk+tls://h?cert=c&key=k&allow=%s", "the list is empty", false, false },
        { "robotalk+tls://h?cert=c&key=k&allow=%s&role=watch", "only at addresses of this machine",
          true, true },
        { "gti+tls://h?cert=c&key=k&allow=%s", "its clients have no tokens", true, false },
        { "gti+tls://localhost?cert=c&key=k&allow=%s", "its clients have no tokens", true, false },
        { "gti://localhost?allow=%s", "takes +tls and keys", true, true },
        { "robotalk://localhost?allow=%s", "the list has no token", false, true },
        { "robotalk://localhost?token=%s", "a server lists tokens by allow=FILE", true, true },
        { "robotalk://localhost?allow=%s/none", "/none: ", true, true },
    };
    static const struct {
        const char *address;
        bool token, key;
    } good[] = {
        { "robotalk+tls://h?cert=c&key=k&allow=%s", true, false },
        { "robotalk+tls://h?cert=c&key=k&allow=%s", false, true },
        { "gti+tls://0.0.0.0?cert=c&key=k&allow=%s", true, true },
    };
    char why[256];
    struct robo__access access;
    const char *list = NULL;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        list = write_list("list", bad[i].token, bad[i].key);
        assert_int_equal(open_at(&access, bad[i].address, list, why), ROBO_EADDRESS);
        if (!strstr(why, bad[i].why))
            fail_msg("%s: %s", bad[i].address, why);
    }
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        list = write_list("list", good[i].token, good[i].key);
        if (open_at(&access, good[i].address, list, why) < 0)
            fail_msg("%s: %s", good[i].address, why);
        assert_int_equal(access.open, 0);
    }
    unlink(list);
}

TEST(files_of_the_users_own_need_no_name, make_folder, remove_folder)
{
    char why[256], path[256];
    struct robo__access access;
    struct robo__url url;
    snprintf(path, sizeof path, "%s/robotalk", folder);
    mkdir(path, 0700);
    char *files[] = { strdup(write_list("robotalk/allow", true, false)),
                      strdup(write_list("robotalk/server.pem", false, false)) };
    assert_int_equal(robo__url_parse("robotalk+tls://0.0.0.0", robo__protocols, &url, why), 0);
    assert_int_equal(robo__access_open(&access, &url, why), 0);
    assert_string_equal(url.file[ROBO__ALLOW], files[0]);
    assert_string_equal(url.file[ROBO__CERT], files[1]);
    assert_non_null(strstr(url.file[ROBO__KEY], "/robotalk/server.key"));
    robo__access_close(&access);
    /* what is there need not be made again */
    assert_int_equal(robo__url_parse("robotalk://0.0.0.0:7", robo__protocols, &url, why), 0);
    assert_int_equal(robo__access_open(&access, &url, why), ROBO_EADDRESS);
    assert_non_null(strstr(why, "Type: robotalk serve … --listen robotalk+tls://0.0.0.0:7"));
    /* this machine's stay open */
    assert_int_equal(robo__url_parse("robotalk+tls://localhost", robo__protocols, &url, why), 0);
    assert_int_equal(robo__access_open(&access, &url, why), 0);
    assert_int_equal(access.open, ROBO_ROLE_OPERATE);
    robo__access_close(&access);
    for (int i = 0; i < 2; i++) {
        unlink(files[i]);
        free(files[i]);
    }
    rmdir(path);
}

/* ---- who waits ---- */

TEST(one_machine_that_floods_is_in_its_own_way, NULL)
{
    enum { FLOOD = 300 };
    static struct robo__unauthenticated flood[FLOOD], other[2], crowd[ROBO__UNAUTHENTICATED];
    struct robo__access access = { 0 };
    other[0].origin[0] = 1;
    other[1].origin[0] = 2;
    robo__access_wait(&access, &other[0]);
    for (int i = 0; i < FLOOD; i++) {
        robo__access_wait(&access, &flood[i]);
        struct robo__unauthenticated *oldest = robo__access_crowded(&access, &flood[i]);
        assert_ptr_equal(
            oldest, i < ROBO__UNAUTHENTICATED - 1 ? NULL : &flood[i - ROBO__UNAUTHENTICATED + 1]);
        if (oldest)
            robo__access_wait_no_more(&access, oldest);
    }
    /* many machines, of which each is seldom there, go by turns */
    robo__access_wait(&access, &other[1]);
    assert_ptr_equal(robo__access_crowded(&access, &other[1]), &other[0]);
    access = (struct robo__access){ 0 };
    for (int i = 0; i < ROBO__UNAUTHENTICATED; i++) {
        crowd[i].origin[7] = (uint8_t)i;
        robo__access_wait(&access, &crowd[i]);
    }
    robo__access_wait(&access, &other[1]);
    assert_ptr_equal(robo__access_crowded(&access, &other[1]), &crowd[0]);
}

/* ---- connections ---- */

static struct robo__access control;
static char drives[ROBO_TOKEN_SIZE], watches[ROBO_TOKEN_SIZE];

static void list(const char *name, enum robo_role role, bool is_key, const char *text)
{
    struct robo__access_entry entry = { .role = (uint8_t)role, .is_key = is_key };
    strcpy(entry.name, name);
    assert_true(robo__secret_hash(text, strlen(text), entry.hash));
    assert_true(robo__access_list_add(&control.list, &entry));
}

static int enter(void **state)
{
    char hash[ROBO_HASH_TEXT], why[256];
    control = (struct robo__access){ .listed = true };
    if (robo_token_make(drives, hash, why) < 0 || robo_token_make(watches, hash, why) < 0)
        return -1;
    list("anna", ROBO_ROLE_DRIVE, false, drives);
    list("bob", ROBO_ROLE_WATCH, false, watches);
    list("eve", ROBO_ROLE_OPERATE, true, "her key");
    return open_host(state);
}

static int leave(void **state)
{
    robo__access_close(&control);
    return close_host(state);
}

FIXTURE(enter, leave);

static struct peer *come(void)
{
    struct peer *p = peer_open();
    p->conn.access = &control;
    return p;
}

/* The role that it gets; 0: it is refused, and its connection closes. */
static int greet(struct peer *p, const char *token, enum robo_role role)
{
    struct robo_request_hello hello = { .lowest = ROBO_VERSION,
                                        .highest = ROBO_VERSION,
                                        .role = (uint8_t)role };
    strcpy(hello.token, token);
    uint32_t id = peer_request(p, ROBO_Q_HELLO, &hello);
    const struct received *t = received_of(p, ROBO_TYPE_REPLY, id);
    if (t)
        return t->as.hello.role;
    expect_fault(p, ROBO_ETOKEN, false);
    assert_int_equal(told_fault(p)->query, id);
    assert_non_null(p->conn.refused);
    return 0;
}

static int greets(const char *token, enum robo_role role)
{
    struct peer *p = come();
    int got = greet(p, token, role);
    peer_close(p);
    return got;
}

TEST(a_token_has_its_role)
{
    assert_int_equal(greets(drives, ROBO_ROLE_OPERATE), ROBO_ROLE_DRIVE);
    assert_int_equal(greets(drives, ROBO_ROLE_WATCH), ROBO_ROLE_WATCH);
    assert_int_equal(greets(drives, 0), ROBO_ROLE_WATCH);
    assert_int_equal(greets(drives, 200), ROBO_ROLE_DRIVE);
    assert_int_equal(greets(watches, ROBO_ROLE_DRIVE), ROBO_ROLE_WATCH);
}

TEST(who_is_not_listed_is_not_let_in)
{
    char text[ROBO_TOKEN_SIZE];
    assert_int_equal(greets("", ROBO_ROLE_WATCH), 0);
    assert_int_equal(greets("x", ROBO_ROLE_WATCH), 0);
    assert_int_equal(greets("her key", ROBO_ROLE_WATCH), 0); /* a key's hash is no token's */
    strcpy(text, drives);
    text[strlen(text) - 1] = 0; /* short */
    assert_int_equal(greets(text, ROBO_ROLE_WATCH), 0);
    strcpy(text, drives); /* long */
    strcat(text, "x");
    assert_int_equal(greets(text, ROBO_ROLE_WATCH), 0);
    memset(text, 'x', 255);
    text[255] = 0;
    assert_int_equal(greets(text, ROBO_ROLE_WATCH), 0);
    for (size_t i = 0; i < strlen(drives); i++) { /* wrong in one place */
        strcpy(text, drives);
        text[i] ^= 1;
        assert_int_equal(greets(text, ROBO_ROLE_WATCH), 0);
    }
    /* its hash is none either */
    robo__secret_write_hash(control.list.entry[0].hash, text);
    assert_int_equal(greets(text, ROBO_ROLE_WATCH), 0);
}

TEST(a_key_that_was_proved_needs_no_token)
{
    struct peer *p = come();
    p->conn.credentials.has_key = robo__secret_hash("her key", 7, p->conn.credentials.key);
    assert_int_equal(greet(p, "", ROBO_ROLE_OPERATE), ROBO_ROLE_OPERATE);
    peer_close(p);
    /* the greater of both; but a wrong token is never right */
    p = come();
    p->conn.credentials.has_key = robo__secret_hash("her key", 7, p->conn.credentials.key);
    assert_int_equal(greet(p, watches, ROBO_ROLE_OPERATE), ROBO_ROLE_OPERATE);
    peer_close(p);
    p = come();
    p->conn.credentials.has_key = robo__secret_hash("her key", 7, p->conn.credentials.key);
    assert_int_equal(greet(p, "x", ROBO_ROLE_OPERATE), 0);
    peer_close(p);
}

TEST(who_shows_nothing_has_the_role_of_the_address)
{
    control.open = ROBO_ROLE_WATCH;
    assert_int_equal(greets("", ROBO_ROLE_OPERATE), ROBO_ROLE_WATCH);
    assert_int_equal(greets(drives, ROBO_ROLE_OPERATE), ROBO_ROLE_DRIVE);
    assert_int_equal(greets("x", ROBO_ROLE_OPERATE), 0);
    /* without a list nobody looks at tokens */
    control.listed = false;
    assert_int_equal(greets("x", ROBO_ROLE_OPERATE), ROBO_ROLE_WATCH);
}

TEST(nothing_acts_before_the_greeting_is_accepted)
{
    struct peer *p = come();
    peer_flag(p, 0, ROBO_FLAG_PANIC);
    peer_flag(p, 7, ROBO_FLAG_PANIC);
    peer_flag(p, 0, ROBO_FLAG_RESET);
    peer_listen(p);
    assert_int_equal(read_robot(robot).epoch, 0);
    assert_int_equal(greet(p, "x", ROBO_ROLE_OPERATE), 0);
    peer_flag(p, 0, ROBO_FLAG_PANIC);
    assert_int_equal(read_robot(robot).epoch, 0);
    peer_close(p);
    /* it has waited for the greeting */
    p = come();
    peer_flag(p, 0, ROBO_FLAG_PANIC);
    assert_int_equal(read_robot(robot).epoch, 0);
    assert_int_equal(greet(p, watches, ROBO_ROLE_OPERATE), ROBO_ROLE_WATCH);
    assert_int_equal(read_robot(robot).epoch, 1);
    peer_flag(p, 0, ROBO_FLAG_PANIC); /* and does not any more */
    assert_int_equal(read_robot(robot).epoch, 2);
    peer_close(p);
    /* also while the greeting is half there */
    p = come();
    struct robo_request_hello hello = { .lowest = ROBO_VERSION, .highest = ROBO_VERSION };
    strcpy(hello.token, watches);
    peer_begin(p);
    peer_add_query(p, ROBO_Q_HELLO, &hello);
    size_t n = peer_end(p, ROBO_TYPE_QUERY);
    p->out[3] |= ROBO_FLAG_PANIC;
    peer_feed(p, p->out, n - 1);
    assert_int_equal(read_robot(robot).epoch, 2);
    peer_feed(p, p->out + n - 1, 1);
    assert_int_equal(read_robot(robot).epoch, 3);
    peer_close(p);
    /* who has proved its key is known already, and so is everybody where nobody asks */
    p = come();
    p->conn.credentials.has_key = robo__secret_hash("her key", 7, p->conn.credentials.key);
    peer_flag(p, 0, ROBO_FLAG_PANIC);
    assert_int_equal(read_robot(robot).epoch, 4);
    peer_close(p);
    control.open = ROBO_ROLE_WATCH;
    p = come();
    peer_flag(p, 0, ROBO_FLAG_PANIC);
    assert_int_equal(read_robot(robot).epoch, 5);
    peer_close(p);
}
