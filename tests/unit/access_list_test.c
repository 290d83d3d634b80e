/* The list of who may come in, tokens and the files of both. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../test.h"
#include "net/access_list.h"
#include "net/known_servers.h"
#include "robotalk.h"
#include "robotalk/access.h"

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static int parse(struct robo__access_list *list, const char *text, unsigned *line, char why[256])
{
    *list = (struct robo__access_list){ 0 };
    return robo__access_list_parse(list, text, strlen(text), line, why);
}

TEST(a_list_tells_names_roles_and_hashes)
{
    struct robo__access_list list;
    unsigned line;
    char why[256];
    uint8_t a[ROBO__HASH], b[ROBO__HASH], c[ROBO__HASH];
    memset(a, 0xaa, sizeof a);
    memset(b, 0xbb, sizeof b);
    memset(c, 0xcc, sizeof c);
    assert_int_equal(parse(&list,
                           "# who\n\n  anna\tdrive token " A "\r\nbob watch key " B
                           "\nanna operate key " B "\n  # nobody\nbob@home watch token " A,
                           &line, why),
                     0);
    assert_int_equal(list.count, 4);
    assert_int_equal(list.keys, 2);
    assert_string_equal(list.entry[3].name, "bob@home");
    /* the greatest of several */
    assert_int_equal(robo__access_list_role(&list, false, a), ROBO_ROLE_DRIVE);
    assert_int_equal(robo__access_list_role(&list, true, b), ROBO_ROLE_OPERATE);
    /* a token is no key */
    assert_int_equal(robo__access_list_role(&list, true, a), 0);
    assert_int_equal(robo__access_list_role(&list, false, b), 0);
    assert_int_equal(robo__access_list_role(&list, false, c), 0);
    b[31] ^= 1;
    assert_int_equal(robo__access_list_role(&list, true, b), 0);
    robo__access_list_free(&list);
    assert_int_equal(parse(&list, "", &line, why), 0);
    assert_int_equal(robo__access_list_role(&list, false, a), 0);
}

TEST(a_wrong_line_is_told)
{
    static const struct {
        const char *text, *why;
        unsigned line;
    } bad[] = {
        { "anna", "expected NAME ROLE token|key HASH", 1 },
        { "\n#\nanna drive token", "expected NAME ROLE", 3 },
        { "anna drive token " A " more", "expected NAME ROLE", 1 },
        { "an/na drive token " A, "expected a name", 1 },
        { "a2345678901234567890123456789012 drive token " A, "expected a name of at most 31", 1 },
        { "anna drives token " A, "expected a role: watch, drive or operate", 1 },
        { "anna Drive token " A, "expected a role", 1 },
        { "anna drive tokens " A, "expected token, key or page", 1 },
        { "anna drive token " A "a", "expected a hash of 64", 1 },
        { "anna drive token aa", "expected a hash", 1 },
        { "anna drive token g" A, "expected a hash", 1 },
        { "anna drive token " A "\nrtk_secret", "expected NAME", 2 },
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct robo__access_list list;
        unsigned line;
        char why[256];
        assert_int_equal(parse(&list, bad[i].text, &line, why), ROBO_EADDRESS);
        assert_int_equal(line, bad[i].line);
        if (!strstr(why, bad[i].why))
            fail_msg("%s: %s", bad[i].text, why);
        assert_null(strstr(why, "secret")); /* what stands there is not told */
        robo__access_list_free(&list);
    }
}

TEST(a_known_server_is_found_by_its_name)
{
    static const char text[] =
        "# a\n\nhost:7600 " A "\n [::1]:80\t" B "\r\nhost:7600 " B "\nlast:1 " A;
    static const char *const bad[] = { "host:1", "x " A " more", "x " A "a", "x rtk" };
    uint8_t key[ROBO__HASH];
    unsigned line;
    assert_int_equal(robo__known_servers_find(text, sizeof text - 1, "host:7600", key, &line), 1);
    assert_int_equal(key[0], 0xaa); /* the first of several */
    assert_int_equal(robo__known_servers_find(text, sizeof text - 1, "[::1]:80", key, &line), 1);
    assert_int_equal(key[31], 0xbb);
    assert_int_equal(robo__known_servers_find(text, sizeof text - 1, "last:1", key, &line), 1);
    assert_int_equal(robo__known_servers_find(text, sizeof text - 1, "host:760", key, &line), 0);
    assert_int_equal(robo__known_servers_find(text, 0, "host:7600", key, &line), 0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(robo__known_servers_find(bad[i], strlen(bad[i]), "host:7600", key, &line),
                         ROBO_EADDRESS);
        assert_int_equal(line, 1);
    }
}

static char folder[] = "/tmp/robotalk-list-XXXXXX";

static int make_folder(void **state)
{
    strcpy(folder + sizeof folder - 7, "XXXXXX");
    return !mkdtemp(folder);
}

static int remove_folder(void **state)
{
    return rmdir(folder);
}

static const char *write_file(const char *text, size_t n, mode_t mode)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/file", folder);
    FILE *f = fopen(path, "w");
    fwrite(text, 1, n, f);
    fclose(f);
    chmod(path, mode);
    return path;
}

TEST(a_file_that_others_may_read_is_refused, make_folder, remove_folder)
{
    static const mode_t bad[] = { 0644, 0640, 0604, 0660, 0620, 0602, 0601, 0777 };
    static const char text[] = "anna drive token " A "\n";
    struct robo__access_list list = { 0 };
    char why[256], token[256];
    const char *file = NULL;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        file = write_file(text, sizeof text - 1, bad[i]);
        assert_int_equal(robo__access_list_read(&list, file, why), ROBO_EADDRESS);
        assert_non_null(strstr(why, "only its owner may read (chmod 600)"));
        assert_int_equal(robo__secret_token_file(file, token, why), ROBO_EADDRESS);
        assert_non_null(strstr(why, "only its owner may read (chmod 600)"));
    }
    file = write_file(text, sizeof text - 1, 0600);
    assert_int_equal(robo__access_list_read(&list, file, why), 0);
    assert_int_equal(list.count, 1);
    robo__access_list_free(&list);
    file = write_file("\nanna", 5, 0400);
    assert_int_equal(robo__access_list_read(&list, file, why), ROBO_EADDRESS);
    assert_non_null(strstr(why, "/file:2: expected NAME"));
    robo__access_list_free(&list);
    unlink(file);
    assert_int_equal(robo__access_list_read(&list, file, why), ROBO_EADDRESS);
    assert_non_null(strstr(why, "No such file"));
    assert_int_equal(robo__access_list_read(&list, folder, why), ROBO_EADDRESS);
    assert_non_null(strstr(why, "expected a file, got a folder"));
    mkfifo(file, 0600); /* nobody waits for who writes */
    assert_int_equal(robo__access_list_read(&list, file, why), ROBO_EADDRESS);
    assert_non_null(strstr(why, "a pipe"));
    unlink(file);
}

TEST(a_link_is_as_good_as_what_it_leads_to, make_folder, remove_folder)
{
    struct robo__access_list list = { 0 };
    char why[256], link[256];
    const char *file = write_file("anna drive token " A, 81, 0600);
    snprintf(link, sizeof link, "%s/link", folder);
    assert_int_equal(symlink(file, link), 0);
    assert_int_equal(robo__access_list_read(&list, link, why), 0);
    assert_int_equal(list.count, 1);
    robo__access_list_free(&list);
    chmod(file, 0604);
    assert_int_equal(robo__access_list_read(&list, link, why), ROBO_EADDRESS);
    assert_non_null(strstr(why, "only its owner may read"));
    unlink(file);
    assert_int_equal(robo__access_list_read(&list, link, why), ROBO_EADDRESS);
    unlink(link);
}

/* Else who owns the file would say who may come in at a server of root's. */
TEST(a_list_of_another_user_is_refused, make_folder, remove_folder)
{
    struct robo__access_list list = { 0 };
    char why[256], token[256];
    const char *file = write_file("anna drive token " A, 81, 0600);
    if (chown(file, 1, (gid_t)-1) < 0) { /* root alone may; nobody else could read the file */
        unlink(file);
        skip();
    }
    assert_int_equal(robo__access_list_read(&list, file, why), ROBO_EADDRESS);
    assert_non_null(strstr(why, "expected a file of the user who runs this, or of root (chown)"));
    assert_int_equal(list.count, 0);
    /* what a client tells may be anybody's */
    assert_int_equal(robo__secret_token_file(file, token, why), 0);
    unlink(file);
}

TEST(a_token_in_place_of_its_file_is_not_repeated)
{
    char token[256], why[256];
    assert_int_equal(robo__secret_token_file("rtk_" A, token, why), ROBO_EADDRESS);
    assert_non_null(strstr(why, "expected a file that holds the token, got a token"));
    assert_null(strstr(why, "aaaa"));
}

TEST(a_token_is_the_first_line_of_its_file, make_folder, remove_folder)
{
    static const char *const good[] = { "rtk_1", "rtk_1\n", "  rtk_1 \r\nmore", "rtk_1\tfor anna" };
    char token[256], why[256], longest[258];
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_int_equal(
            robo__secret_token_file(write_file(good[i], strlen(good[i]), 0600), token, why), 0);
        assert_string_equal(token, "rtk_1");
    }
    memset(longest, 'x', sizeof longest);
    assert_int_equal(robo__secret_token_file(write_file(longest, 255, 0600), token, why), 0);
    assert_int_equal(strlen(token), 255);
    static const struct {
        const char *text;
        size_t n;
    } bad[] = { { "", 0 }, { "\nrtk_1", 6 }, { "rtk\0_1", 6 } };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(
            robo__secret_token_file(write_file(bad[i].text, bad[i].n, 0600), token, why),
            ROBO_EADDRESS);
    assert_int_equal(robo__secret_token_file(write_file(longest, 256, 0600), token, why),
                     ROBO_EADDRESS);
    unlink(write_file("", 0, 0600));
}

TEST(tokens_differ_and_are_told_by_their_hash)
{
    char a[ROBO_TOKEN_SIZE], b[ROBO_TOKEN_SIZE], hash[ROBO_HASH_TEXT], why[256];
    uint8_t bytes[ROBO__HASH], again[ROBO__HASH];
    assert_int_equal(robo_token_make(a, hash, why), 0);
    assert_int_equal(strlen(a), ROBO__TOKEN_TEXT - 1);
    assert_true(robo__secret_read_hash(hash, strlen(hash), bytes));
    assert_true(robo__secret_hash(a, strlen(a), again));
    assert_true(robo__secret_same(bytes, again));
    again[0] ^= 0x80;
    assert_false(robo__secret_same(bytes, again));
    assert_int_equal(robo_token_make(b, hash, why), 0);
    assert_string_not_equal(a, b);
    /* SHA-256 of "abc" */
    assert_true(robo__secret_hash("abc", 3, bytes));
    robo__secret_write_hash(bytes, hash);
    assert_string_equal(hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}
