/* Who is let in by TLS, who is not, and what both ends are told. */
#include "tls_served.h"
#include "../ids.h"

FIXTURE(begin, end);

TEST(commands_and_panics_go_by_tls)
{
    struct served s;
    char why[256], text[512];
    serve(&s, join(text, SERVER, LISTED));
    robo_client *c = connect_by(&s, "robotalk+tls", join(text, TRUST, CLIENT), why);
    if (!c)
        fail_msg("%s", why);
    int64_t session = open_session(c);
    for (int i = 0; i < 100; i++)
        command(c, session);
    assert_int_equal(atomic_load(&starts), 100);
    int before = atomic_load(&halts);
    assert_int_equal(robo_client_panic(c, 0), 0);
    EVENTUALLY(atomic_load(&halts) > before);
    robo_disconnect(c);
    EVENTUALLY(robo_server_connections(s.server) == 0);
    assert_string_equal(log_text, "");
    serve_no_more(&s);
}

static void refused(const char *server, const char *scheme, const char *options, const char *client,
                    const char *log)
{
    struct served s;
    char why[256] = "";
    forget_log();
    serve(&s, server);
    robo_client *c = connect_by(&s, scheme, options, why);
    assert_null(c);
    if (!strstr(why, client))
        fail_msg("%s: %s", options, why);
    EVENTUALLY(robo_server_connections(s.server) == 0);
    if (log) {
        EVENTUALLY(logged(log) == 1);
        assert_int_equal(logged(" is dropped: "), 1);
        assert_int_equal(logged("127.0.0.1:"), 1);
    }
    serve_no_more(&s);
    if (!log)
        assert_string_equal(log_text, "");
}

TEST(who_does_not_fit_is_refused_and_told)
{
    char text[512], more[512];
    const char *listed = join(text, SERVER, LISTED);
    refused(SERVER, "robotalk+tls", "?trust=%/other.pem", "not among those that are trusted",
            "the other end does not trust this one's certificate");
    refused(listed, "robotalk+tls", TRUST, "wants to see a certificate (cert=FILE&key=FILE)",
            "it shows no certificate");
    refused(listed, "robotalk+tls", "?trust=%/server.pem&cert=%/other.pem&key=%/other.key",
            "does not trust this one's certificate", "not among those that are trusted");
    /* whom a listed one has signed is not listed */
    refused(join(more, SERVER, "&clients=%/ca.pem"), "robotalk+tls",
            "?trust=%/server.pem&cert=%/named.pem&key=%/named.key", "", "not among those");
    refused(join(more, SERVER, "&clients=%/expired.pem"), "robotalk+tls",
            "?trust=%/server.pem&cert=%/expired.pem&key=%/expired.key", "expired",
            "its certificate is refused: certificate has expired");
    refused("robotalk+tls://127.0.0.1:0?cert=%/expired.pem&key=%/expired.key", "robotalk+tls",
            "?trust=%/expired.pem", "its certificate is refused: certificate has expired",
            "certificate expired");
    refused("robotalk+tls://127.0.0.1:0?cert=%/away.pem&key=%/away.key", "robotalk+tls",
            "?trust=%/ca.pem", "its certificate names another host", NULL);
    refused(SERVER, "robotalk", "", "the server speaks TLS", "TLS is not spoken there");
    refused("robotalk://127.0.0.1:0", "robotalk+tls", TRUST,
            "before the handshake was done, without a word: it may speak no TLS",
            "it speaks TLS, and this address does not");
}

TEST(who_was_signed_by_a_trusted_one_is_known_by_its_host)
{
    struct served s;
    char why[256];
    serve(&s, "robotalk+tls://127.0.0.1:0?cert=%/named.pem&key=%/named.key");
    robo_client *c = connect_by(&s, "robotalk+tls", "?trust=%/ca.pem", why);
    assert_non_null(c);
    robo_disconnect(c);
    serve_no_more(&s);
}

/* Whose certificate is not named is known from the first time on. */
TEST(a_server_is_known_by_the_first_key_that_it_shows)
{
    struct served s;
    char why[256], file[512], text[512];
    uint8_t key[ROBO__HASH] = { 1, 2, 3 };
    serve(&s, SERVER);
    for (int i = 0; i < 2; i++) {
        robo_client *c = connect_by(&s, "robotalk+tls", "", why);
        if (!c)
            fail_msg("%s", why);
        robo_disconnect(c);
        assert_int_equal(logged("is new here: from now on it is known by its key"), 1);
    }
    assert_int_equal(robo__known_servers_look(&s.url, key, why), 1);
    snprintf(file, sizeof file, "%s/robotalk/known_servers", folder);
    struct stat st;
    assert_int_equal(stat(file, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    /* another machine is at that address now */
    unlink(file);
    key[0] ^= 1;
    assert_int_equal(robo__known_servers_add(&s.url, key, why), 0);
    assert_null(connect_by(&s, "robotalk+tls", "", why));
    snprintf(text, sizeof text, "robotalk keys forget 127.0.0.1:%u", s.url.port);
    assert_non_null(strstr(why, "it shows another key than before"));
    if (!strstr(why, text))
        fail_msg("%s", why);
    /* who names its certificate asks nobody */
    robo_client *c = connect_by(&s, "robotalk+tls", TRUST, why);
    assert_non_null(c);
    robo_disconnect(c);
    /* a list that others may write is none */
    chmod(file, 0622);
    assert_null(connect_by(&s, "robotalk+tls", "", why));
    assert_non_null(strstr(why, "only its owner may write"));
    /* one that cannot be read is not replaced */
    unlink(file);
    FILE *f = fopen(file, "w");
    fprintf(f, "# known\nnonsense\n");
    fclose(f);
    assert_null(connect_by(&s, "robotalk+tls", "", why));
    assert_non_null(strstr(why, "known_servers:2: expected HOST:PORT HASH"));
    /* where nothing can be written down nobody is trusted */
    unlink(file);
    mkdir(file, 0700);
    assert_null(connect_by(&s, "robotalk+tls", "", why));
    rmdir(file);
    assert_int_equal(setenv("XDG_CONFIG_HOME", "/proc", 1), 0);
    assert_null(connect_by(&s, "robotalk+tls", "", why));
    assert_non_null(strstr(why, "trust=FILE"));
    assert_int_equal(setenv("XDG_CONFIG_HOME", folder, 1), 0);
    serve_no_more(&s);
    *strrchr(file, '/') = 0;
    rmdir(file);
}

TEST(a_server_needs_its_files)
{
    static const struct {
        const char *options, *why;
    } bad[] = {
        { "", "expected cert=FILE&key=FILE" },
        { "?cert=%/server.pem", "expected cert=FILE&key=FILE" },
        { "?cert=%/none&key=%/server.key", "none: No such file" },
        { "?cert=%/server.pem&key=%/none", "none: No such file" },
        { "?cert=%/server.key&key=%/server.key", "expected a certificate in PEM" },
        { "?cert=%/server.pem&key=%/ca.pem", "only its owner may read" },
        { "?cert=%/server.pem&key=%/other.key", "expected the private key of the certificate" },
        { "?cert=%/server.pem&key=%/server.key&clients=%/none", "none: No such file" },
        { "?cert=%/server.pem&key=%/server.key&clients=%/server.key", "expected certificates" },
        { "?cert=%/server.pem&key=%/server.key&trust=%/ca.pem", "clients=FILE" },
    };
    char why[256], text[512];
    struct robo__url url;
    robo_server *server;
    robo_loop *loop = robo_loop_open(world);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(parse(&url, join(text, "echo+tls://127.0.0.1:0", bad[i].options), why), 0);
        assert_int_equal(robo__server_open(loop, &url, NULL, &server, why), ROBO_EADDRESS);
        if (!strstr(why, bad[i].why))
            fail_msg("%s: %s", bad[i].options, why);
    }
    /* a PEM that its owner alone may read, but no key */
    char file[256];
    chmod(certificate_file(file, folder, "ca", "pem"), 0600);
    assert_int_equal(parse(&url, "echo+tls://127.0.0.1:0?cert=%/server.pem&key=%/ca.pem", why), 0);
    assert_int_equal(robo__server_open(loop, &url, NULL, &server, why), ROBO_EADDRESS);
    assert_non_null(strstr(why, "expected a private key in PEM"));
    /* everybody could write themselves into that one */
    chmod(certificate_file(file, folder, "client", "pem"), 0646);
    assert_int_equal(parse(&url, join(text, ECHO, LISTED), why), 0);
    assert_int_equal(robo__server_open(loop, &url, NULL, &server, why), ROBO_EADDRESS);
    assert_non_null(strstr(why, "expected a file that not everybody may write (chmod o-w)"));
    /* nobody waits for who writes into a pipe */
    unlink(file);
    mkfifo(file, 0600);
    assert_int_equal(robo__server_open(loop, &url, NULL, &server, why), ROBO_EADDRESS);
    assert_non_null(strstr(why, "a pipe"));
    robo_loop_close(loop);
}
