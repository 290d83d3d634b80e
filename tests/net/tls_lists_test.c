/* Lists of who may come in, and keys, that change while a server runs. */
#include "tls_served.h"
#include "robotalk/session.h"
#include "../ids.h"

FIXTURE(begin, end);

TEST(who_is_revoked_is_let_out_and_stops)
{
    struct served s;
    char why[256], text[512], path[256];
    struct robo_reply_lists lists;
    allow("anna's", "olga's", true);
    serve(&s, join(text, SERVER, ALLOW));
    robo_client *anna = connect_with(&s, TRUST, "anna's", why),
                *olga = connect_with(&s, TRUST, "olga's", why),
                *by_key = connect_with(&s, join(text, TRUST, CLIENT), NULL, why);
    if (!anna || !olga || !by_key)
        fail_msg("%s", why);
    assert_int_equal(robo_client_role(anna), ROBO_ROLE_DRIVE);
    assert_int_equal(robo_client_role(olga), ROBO_ROLE_OPERATE);
    assert_int_equal(robo_client_role(by_key), ROBO_ROLE_WATCH);
    int64_t session = open_session(anna), other = open_session(olga);
    command(anna, session);
    int before = atomic_load(&starts);
    /* a list that cannot be read changes nothing */
    snprintf(path, sizeof path, "%s/allow", folder);
    chmod(path, 0640);
    assert_int_equal(robo_server_reload(s.server, why), ROBO_EADDRESS);
    assert_non_null(strstr(why, "only its owner may read"));
    command(anna, session);
    assert_int_equal(atomic_load(&starts), before + 1);
    /* nor does one that says the same */
    chmod(path, 0600);
    assert_int_equal(robo_server_reload(s.server, why), 0);
    command(anna, session);
    /* she is revoked: nobody else loses anything. Who may drive asks for nothing */
    allow(NULL, "olga's", true);
    int64_t id = robo_request(anna, 0, ROBO_Q_LISTS, NULL);
    assert_int_equal(robo_wait(anna, (uint32_t)id, patience()), 0);
    assert_int_equal(robo_take_reply(anna, (uint32_t)id, &lists, sizeof lists), ROBO_EROLE);
    id = robo_request(olga, 0, ROBO_Q_LISTS, NULL);
    assert_int_equal(robo_wait(olga, (uint32_t)id, patience()), 0);
    assert_int_equal(robo_take_reply(olga, (uint32_t)id, &lists, sizeof lists), 1);
    assert_int_equal(lists.addresses, 1);
    assert_int_equal(lists.ended, 1);
    await_loss(anna);
    EVENTUALLY(logged("it is not listed any more") == 1 && robo_server_connections(s.server) == 2);
    robo__robot_lock(robot);
    assert_int_equal(robot->movers.count, 1); /* hers has ended, and what it moved with it */
    robo__robot_unlock(robot);
    command(olga, other);
    assert_int_equal(robo_client_state(by_key), 1);
    robo_disconnect(anna);
    assert_null(connect_with(&s, TRUST, "anna's", why));
    assert_non_null(strstr(why, "does not know the token"));
    /* who has asked for it may be the one who goes */
    allow("olga's", NULL, false);
    id = robo_request(olga, 0, ROBO_Q_LISTS, NULL);
    assert_int_equal(robo_wait(olga, (uint32_t)id, patience()), 0);
    await_loss(olga);
    EVENTUALLY(robo_server_connections(s.server) == 0);
    robo_disconnect(olga);
    olga = connect_with(&s, TRUST, "olga's", why); /* with less than before */
    assert_non_null(olga);
    assert_int_equal(robo_client_role(olga), ROBO_ROLE_DRIVE);
    robo_disconnect(olga);
    robo_disconnect(by_key);
    serve_no_more(&s);
    unlink(path);
}

/* ---- while commands are under way ---- */

enum { CROWD = 3, TURNS = 6 };
static pthread_barrier_t turn;

/* Sends and sends, until its connection is lost: once in each turn. */
static void *flood(void *arg)
{
    const struct served *s = arg;
    char why[256];
    for (int i = 0; i < TURNS; i++) {
        pthread_barrier_wait(&turn); /* it is listed */
        robo_client *c = connect_with(s, TRUST, "anna's", why);
        int64_t session = c ? open_session(c) : 0;
        const struct robo_cmd cmds[] = { { .op = ROBO_SET_SPEED, .start = ROBO_AT_ONCE },
                                         { .op = ROBO_SET_SPEED, .start = ROBO_AT_ONCE } };
        struct robo_event event;
        while (session > 0 && robo_client_state(c) == 1) {
            struct robo_cmd copies[] = { cmds[0], cmds[1] };
            robo_send(c, (uint32_t)session, copies, 2);
            robo_poll(c, 0);
            while (robo_next_event(c, &event, sizeof event))
                ;
        }
        pthread_barrier_wait(&turn); /* it is lost, or was never there */
        robo_disconnect(c);
    }
    return NULL;
}

TEST(what_is_under_way_ends_with_who_is_revoked)
{
    struct served s;
    char why[256], text[512], path[256];
    pthread_t thread[CROWD];
    allow("anna's", "olga's", false);
    serve(&s, join(text, SERVER, ALLOW));
    pthread_barrier_init(&turn, NULL, CROWD + 1);
    for (int i = 0; i < CROWD; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, flood, &s), 0);
    for (int i = 0; i < TURNS; i++) {
        int before = atomic_load(&starts);
        pthread_barrier_wait(&turn);
        EVENTUALLY(robo_server_connections(s.server) == CROWD &&
                   atomic_load(&starts) > before + 20);
        allow(NULL, "olga's", false);
        assert_in_range(robo_server_reload(s.server, why), 1, CROWD);
        pthread_barrier_wait(&turn);
        EVENTUALLY(robo_server_connections(s.server) == 0);
        robo__robot_lock(robot);
        assert_int_equal(robot->movers.count, 0);
        robo__robot_unlock(robot);
        /* nothing of theirs starts any more, and what one of them held is free */
        before = atomic_load(&starts);
        robo_client *olga = connect_with(&s, TRUST, "olga's", why);
        assert_non_null(olga);
        command(olga, open_session(olga));
        assert_int_equal(atomic_load(&starts), before + 1);
        robo_disconnect(olga);
        allow("anna's", "olga's", false);
        assert_int_equal(robo_server_reload(s.server, why), 0);
    }
    for (int i = 0; i < CROWD; i++)
        pthread_join(thread[i], NULL);
    pthread_barrier_destroy(&turn);
    serve_no_more(&s);
    snprintf(path, sizeof path, "%s/allow", folder);
    unlink(path);
}

static void copy(const char *from, const char *kind)
{
    char path[256];
    FILE *in = fopen(certificate_file(path, folder, from, kind), "r"),
         *out = fopen(certificate_file(path, folder, "shown", kind), "w");
    chmod(path, 0600);
    for (int c; (c = fgetc(in)) != EOF;)
        fputc(c, out);
    fclose(in);
    fclose(out);
}

TEST(a_server_shows_its_new_key_to_who_comes_then)
{
    struct served s;
    char why[256], path[256];
    copy("server", "pem");
    copy("server", "key");
    serve(&s, "robotalk+tls://127.0.0.1:0?cert=%/shown.pem&key=%/shown.key");
    robo_client *c = connect_with(&s, TRUST, NULL, why);
    assert_non_null(c);
    int64_t session = open_session(c);
    copy("other", "pem"); /* its key has not come yet */
    assert_int_equal(robo_server_reload(s.server, why), ROBO_EADDRESS);
    assert_non_null(strstr(why, "expected the private key of the certificate"));
    copy("other", "key");
    assert_int_equal(robo_server_reload(s.server, why), 0);
    command(c, session); /* nobody's connection is lost */
    assert_null(connect_with(&s, TRUST, NULL, why));
    robo_client *later = connect_with(&s, "?trust=%/other.pem", NULL, why);
    assert_non_null(later);
    robo_disconnect(later);
    command(c, session);
    robo_disconnect(c);
    serve_no_more(&s);
    unlink(certificate_file(path, folder, "shown", "pem"));
    unlink(certificate_file(path, folder, "shown", "key"));
}

/* A reload that fails at the key changes no list either: else who was taken out would be neither let in nor let out. */
TEST(what_cannot_be_read_changes_nothing)
{
    struct served s;
    char why[256], path[256];
    copy("server", "pem");
    copy("server", "key");
    allow("anna's", "olga's", false);
    serve(&s, "robotalk+tls://127.0.0.1:0?cert=%/shown.pem&key=%/shown.key&allow=%/allow");
    robo_client *anna = connect_with(&s, TRUST, "anna's", why);
    assert_non_null(anna);
    int64_t session = open_session(anna);
    allow(NULL, "olga's", false);
    chmod(certificate_file(path, folder, "shown", "key"), 0640);
    assert_int_equal(robo_server_reload(s.server, why), ROBO_EADDRESS);
    assert_non_null(strstr(why, "only its owner may read"));
    command(anna, session);
    robo_client *again = connect_with(&s, TRUST, "anna's", why);
    assert_non_null(again);
    robo_disconnect(again);
    chmod(path, 0600);
    assert_int_equal(robo_server_reload(s.server, why), 1);
    await_loss(anna);
    robo_disconnect(anna);
    serve_no_more(&s);
    unlink(path);
    unlink(certificate_file(path, folder, "shown", "pem"));
    snprintf(path, sizeof path, "%s/allow", folder);
    unlink(path);
}
