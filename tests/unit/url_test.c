/* Addresses. What is good and what is bad: core/net/url.h and PRODUCT's list of URLs. */
#include <string.h>

#include "../test.h"
#include "protocols.h"
#include "net/url.h"

TEST(good_urls)
{
    static const struct {
        const char *text;
        enum robo__medium medium;
        const char *host;
        uint16_t port;
        const char *robot;
        bool loopback;
    } table[] = {
        { "robotalk://host", ROBO__TCP, "host", 7600, "", false },
        { "robotalk://host/", ROBO__TCP, "host", 7600, "", false },
        { "robotalk://host/asimo", ROBO__TCP, "host", 7600, "asimo", false },
        { "robotalk://host:1/a b", ROBO__TCP, "host", 1, "a b", false },
        { "robotalk://host:0", ROBO__TCP, "host", 0, "", false },
        { "robotalk://host:65535/r", ROBO__TCP, "host", 65535, "r", false },
        { "robotalk://10.0.0.1:7601/r", ROBO__TCP, "10.0.0.1", 7601, "r", false },
        { "robotalk://localhost", ROBO__TCP, "localhost", 7600, "", true },
        { "robotalk://127.0.0.1", ROBO__TCP, "127.0.0.1", 7600, "", true },
        { "robotalk://127.1.2.3", ROBO__TCP, "127.1.2.3", 7600, "", true },
        { "robotalk://128.0.0.1", ROBO__TCP, "128.0.0.1", 7600, "", false },
        { "robotalk://0.0.0.0", ROBO__TCP, "0.0.0.0", 7600, "", false },
        { "robotalk://[::1]", ROBO__TCP, "::1", 7600, "", true },
        { "robotalk://[::1]:80/r", ROBO__TCP, "::1", 80, "r", true },
        { "robotalk://[::]:80", ROBO__TCP, "::", 80, "", false },
        { "robotalk://[fe80::1]/r", ROBO__TCP, "fe80::1", 7600, "r", false },
        { "robotalk://host/r/with/slashes", ROBO__TCP, "host", 7600, "r/with/slashes", false },
        { "robotalk+tls://10.0.0.1:7601/r", ROBO__TLS, "10.0.0.1", 7601, "r", false },
        { "robotalk+tls://[::1]", ROBO__TLS, "::1", 7600, "", true },
        { "unix:/run/r.sock", ROBO__UNIX, "/run/r.sock", 7600, "", true },
        { "unix:relative", ROBO__UNIX, "relative", 7600, "", true },
        { "unix:/run/r.sock#asimo", ROBO__UNIX, "/run/r.sock", 7600, "asimo", true },
        { "local:", ROBO__LOCAL, "", 7600, "", true },
        { "local:r", ROBO__LOCAL, "", 7600, "r", true },
        { "pioneer2", ROBO__LOCAL, "", 7600, "pioneer2", true },
        { "", ROBO__LOCAL, "", 7600, "", true },
        { "a23456789b23456789c23456789d234", ROBO__LOCAL, "", 7600,
          "a23456789b23456789c23456789d234", true },
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct robo__url url;
        char why[256];
        assert_int_equal(robo__url_parse(table[i].text, robo__protocols, &url, why), 0);
        assert_int_equal(url.medium, table[i].medium);
        assert_string_equal(url.host, table[i].host);
        assert_int_equal(url.port, table[i].port);
        assert_string_equal(url.robot, table[i].robot);
        assert_int_equal(robo__url_is_loopback(&url), table[i].loopback);
        assert_string_equal(why, "");
    }
}

TEST(bad_urls)
{
    char long_host[400] = "robotalk://", long_path[200] = "unix:";
    memset(long_host + 11, 'h', 256);
    memset(long_path + 5, 'p', 108);
    const struct {
        const char *text, *expected;
    } table[] = {
        { "robotalk://", "a host name of 1 to 255" },
        { "robotalk:///r", "a host name of 1 to 255" },
        { "robotalk://:80", "a host name of 1 to 255" },
        { long_host, "a host name of 1 to 255" },
        { "robotalk://host:", "a port after ':'" },
        { "robotalk://host:/r", "a port after ':'" },
        { "robotalk://host:65536", "a port of 0 to 65535" },
        { "robotalk://host:99999999999999999999", "a port of 0 to 65535" },
        { "robotalk://host:-1", "a port of 0 to 65535" },
        { "robotalk://host:8o", "a port of 0 to 65535" },
        { "robotalk://host: 80", "a port of 0 to 65535" },
        { "robotalk://[::1", "']' after an IPv6 address" },
        { "robotalk://[::1/r", "']' after an IPv6 address" },
        { "robotalk://[]", "a host name of 1 to 255" },
        { "robotalk://[::1]80", "':' and a port after ']'" },
        { "robotalk://[::1]:", "a port after ':'" },
        { "robotalk://host/a23456789b23456789c23456789d2345", "a robot name of at most 31" },
        { "local:a23456789b23456789c23456789d2345", "a robot name of at most 31" },
        { "a23456789b23456789c23456789d2345", "a robot name of at most 31" },
        { "unix:", "a path of 1 to 107" },
        { "unix:#r", "a path of 1 to 107" },
        { long_path, "a path of 1 to 107" },
        { "unix:/x#a23456789b23456789c23456789d2345", "a robot name of at most 31" },
        { "http://host", "robotalk://host[:port]/robot" },
        { "robotalk:host", "robotalk://host[:port]/robot" },
        { "host:7600", "robotalk://host[:port]/robot" },
        { "ROBOTALK://host", "robotalk://host[:port]/robot" },
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct robo__url url;
        char why[256];
        assert_int_equal(robo__url_parse(table[i].text, robo__protocols, &url, why), ROBO_EURL);
        assert_non_null(strstr(why, "expected "));
        assert_non_null(strstr(why, table[i].expected));
    }
}

TEST(a_protocol_may_name_a_part_of_a_robot)
{
    static const struct {
        const char *text, *robot, *part;
    } table[] = {
        { "upis://host", "", "" },
        { "upis://host/r", "r", "" },
        { "upis://host/r/eye", "r", "eye" },
        { "upis://host//eye?legacy", "", "eye" },
        { "upis+unix:path?type=1#r/eye/left", "r", "eye/left" },
        { "upis+local:r/eye?legacy", "r", "eye" },
        { "gti://host/r/eye", "r/eye", "" },
    };
    struct robo__url url;
    char why[256];
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        assert_int_equal(robo__url_parse(table[i].text, robo__protocols, &url, why), 0);
        assert_string_equal(url.robot, table[i].robot);
        assert_string_equal(url.part, table[i].part);
    }
    assert_int_equal(robo__url_parse("upis://host/r/a23456789b23456789c23456789d2345",
                                     robo__protocols, &url, why),
                     ROBO_EURL);
    assert_non_null(strstr(why, "expected a part of the robot with at most 31 characters"));
    assert_int_equal(robo__url_parse("upis://host?type=1.5", robo__protocols, &url, why),
                     ROBO_EURL);
    assert_non_null(strstr(why, "expected a type of 0 to 5"));
}

/* ---- addresses of several protocols ---- */

static const struct robo_scheme_option options[] = {
    { "big", ROBO_SCHEME_FLAG, 0, 1, 0, "the greatest byte first" },
    { "deadman", ROBO_SCHEME_NUMBER, 0, 86400, 30, "s" },
    { NULL, ROBO_SCHEME_FLAG, 0, 0, 0, NULL },
};
static const struct robo__protocol first = { .name = "ab", .port = 10 },
                                   second = { .name = "abc", .port = 20, .options = options };
static const struct robo__protocol *const two[] = { &first, &second, NULL };

TEST(schemes_come_from_the_table)
{
    static const struct {
        const char *text;
        const struct robo__protocol *protocol;
        enum robo__medium medium;
        uint16_t port;
        const char *host, *robot, *prefix;
    } table[] = {
        { "ab://h", &first, ROBO__TCP, 10, "h", "", "ab://" },
        { "abc://h", &second, ROBO__TCP, 20, "h", "", "abc://" },
        { "abc://h:5/r", &second, ROBO__TCP, 5, "h", "r", "abc://" },
        { "unix:/p#r", &first, ROBO__UNIX, 10, "/p", "r", "unix:" },
        { "ab+tls://h", &first, ROBO__TLS, 10, "h", "", "ab+tls://" },
        { "abc+tls://[::1]:5/r", &second, ROBO__TLS, 5, "::1", "r", "abc+tls://" },
        { "ab+unix:/p", &first, ROBO__UNIX, 10, "/p", "", "unix:" },
        { "abc+unix:/p#r", &second, ROBO__UNIX, 20, "/p", "r", "abc+unix:" },
        { "local:r", &first, ROBO__LOCAL, 10, "", "r", "local:" },
        { "abc+local:r", &second, ROBO__LOCAL, 20, "", "r", "abc+local:" },
    };
    char why[256], prefix[64];
    struct robo__url url;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        assert_int_equal(robo__url_parse(table[i].text, two, &url, why), 0);
        assert_ptr_equal(url.protocol, table[i].protocol);
        assert_int_equal(url.medium, table[i].medium);
        assert_int_equal(url.port, table[i].port);
        assert_string_equal(url.host, table[i].host);
        assert_string_equal(url.robot, table[i].robot);
        robo__url_prefix(&url, two, prefix);
        assert_string_equal(prefix, table[i].prefix);
    }
    static const char *const bad[] = { "a://h",    "abcd://h",  "ab:h",
                                       "ab+tcp:h", "x+unix:/p", "ab+tls:h" };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(robo__url_parse(bad[i], two, &url, why), ROBO_EURL);
        assert_string_equal(why, "expected ab://host[:port]/robot, abc://, unix:PATH, "
                                 "local:robot or a robot's name");
    }
    assert_int_equal(robo__url_parse("abc+unix:", two, &url, why), ROBO_EURL);
    assert_non_null(strstr(why, "a path of 1 to 107"));
}

TEST(options_are_the_protocols)
{
    static const struct {
        const char *text, *host, *robot;
        double big, deadman;
    } good[] = {
        { "abc://h", "h", "", 0, 30 },
        { "abc://h?big", "h", "", 1, 30 },
        { "abc://h:5/r?big&deadman=0.5", "h", "r", 1, 0.5 },
        { "abc://h?deadman=0,big", "h", "", 1, 0 },
        { "abc://h?deadman=5&deadman=6", "h", "", 0, 6 },
        { "abc://h?", "h", "", 0, 30 },
        { "abc+unix:/p?big#r", "/p", "r", 1, 30 },
        { "abc+unix:/p#r", "/p", "r", 0, 30 },
        { "abc+local:r?big", "", "r", 1, 30 },
        { "abc+local:?deadman=86400", "", "", 0, 86400 },
    };
    static const struct {
        const char *text, *expected;
    } bad[] = {
        { "abc://h?bigg", "abc has no option 'bigg': did you mean 'big'?" },
        { "abc://h/r?Deadman=1", "abc has no option 'Deadman': did you mean 'deadman'?" },
        { "abc+local:?fast",
          "abc has no option 'fast'; expected big, deadman=NUMBER, allow=FILE, role=ROLE, token=FILE" },
        { "abc://h?big,,deadman=1",
          "abc has no option ''; expected big, deadman=NUMBER, allow=FILE, role=ROLE, token=FILE" },
        { "abc://h?big=1", "option big: expected no value" },
        { "abc+unix:/p?deadman#r", "option deadman: expected deadman=NUMBER, 0 to 86400" },
        { "abc://h?deadman=", "option deadman: expected deadman=NUMBER, 0 to 86400" },
        { "abc://h?deadman=nan", "option deadman: expected deadman=NUMBER, 0 to 86400" },
        { "abc://h?deadman=0x10", "option deadman: expected deadman=NUMBER, 0 to 86400" },
        { "abc://h?deadman= 1", "option deadman: expected deadman=NUMBER, 0 to 86400" },
        { "abc://h?deadman=1s", "option deadman: expected deadman=NUMBER, 0 to 86400" },
        { "abc://h?deadman=86401", "option deadman: expected deadman=NUMBER, 0 to 86400" },
        { "abc://h?deadman=1e400", "option deadman: expected deadman=NUMBER, 0 to 86400" },
        { "ab://h?big", "ab has no option 'big'; expected allow=FILE, role=ROLE, token=FILE" },
        { "local:r?big", "ab has no option 'big'; expected allow=FILE, role=ROLE, token=FILE" },
    };
    char why[256];
    struct robo__url url;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_int_equal(robo__url_parse(good[i].text, two, &url, why), 0);
        assert_string_equal(url.host, good[i].host);
        assert_string_equal(url.robot, good[i].robot);
        assert_true(url.option[0] == good[i].big && url.option[1] == good[i].deadman);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(robo__url_parse(bad[i].text, two, &url, why), ROBO_EURL);
        assert_string_equal(why, bad[i].expected);
    }
    url = robo__url_local(&second);
    assert_true(url.medium == ROBO__LOCAL && url.option[1] == 30);
    /* whatever is written, the answer fits */
    char text[600] = "abc://h?";
    memset(text + 8, 'x', 500);
    assert_int_equal(robo__url_parse(text, two, &url, why), ROBO_EURL);
    assert_true(strlen(why) < sizeof why);
}

/* The files of an address with +tls, beside its protocol's options. */
TEST(tls_has_files)
{
    static const struct {
        const char *text, *why;
    } bad[] = {
        { "abc://h?cert=a", "option cert: expected an address abc+tls://host" },
        { "unix:/p?trust=a", "option trust: expected an address ab+tls://host" },
        { "ab+tls://h?cert", "option cert: expected cert=FILE, at most 255 characters" },
        { "ab+tls://h?key=", "option key: expected key=FILE, at most 255 characters" },
        { "ab+tls://h?clint=a", "ab has no option 'clint': did you mean 'clients'?" },
        { "abc+tls://h?x",
          "abc has no option 'x'; expected big, deadman=NUMBER, allow=FILE, role=ROLE, token=FILE, "
          "cert=FILE, key=FILE, clients=FILE, trust=FILE" },
    };
    char why[256], text[600] = "ab+tls://h?trust=";
    struct robo__url url;
    assert_int_equal(robo__url_parse("abc+tls://h/r?cert=/a?b#c&key=d=e,deadman=5", two, &url, why),
                     0);
    assert_string_equal(url.file[ROBO__CERT], "/a?b#c");
    assert_string_equal(url.file[ROBO__KEY], "d=e");
    assert_string_equal(url.file[ROBO__CLIENTS], "");
    assert_string_equal(url.file[ROBO__TRUST], "");
    assert_string_equal(url.robot, "r");
    assert_true(url.option[1] == 5);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(robo__url_parse(bad[i].text, two, &url, why), ROBO_EURL);
        assert_string_equal(why, bad[i].why);
    }
    memset(text + strlen(text), 'x', 255);
    assert_int_equal(robo__url_parse(text, two, &url, why), 0);
    assert_int_equal(strlen(url.file[ROBO__TRUST]), 255);
    text[strlen(text)] = 'x';
    assert_int_equal(robo__url_parse(text, two, &url, why), ROBO_EURL);
}

/* Who may come in, at any address. */
TEST(every_address_has_access_control)
{
    static const struct {
        const char *text, *allow, *token;
        uint8_t role;
    } good[] = {
        { "ab://h?allow=/a b,role=watch", "/a b", "", ROBO_ROLE_WATCH },
        { "unix:/p?role=drive#r", "", "", ROBO_ROLE_DRIVE },
        { "abc+local:?role=operate", "", "", ROBO_ROLE_OPERATE },
        { "abc+tls://h?token=t&cert=c", "", "t", 0 },
    };
    static const char *const bad[] = { "ab://h?role", "ab://h?role=", "ab://h?role=driv",
                                       "ab://h?role=drives", "ab://h?role=Watch" };
    char why[256];
    struct robo__url url;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_int_equal(robo__url_parse(good[i].text, two, &url, why), 0);
        assert_string_equal(url.file[ROBO__ALLOW], good[i].allow);
        assert_string_equal(url.file[ROBO__TOKEN], good[i].token);
        assert_int_equal(url.role, good[i].role);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(robo__url_parse(bad[i], two, &url, why), ROBO_EURL);
        assert_string_equal(why, "option role: expected role=watch, drive or operate");
    }
}

/* Schemes as programs see them: addresses are told apart by them. */
TEST(schemes_have_names_of_their_own)
{
    struct robo_scheme scheme, other;
    const struct robo_scheme_option *tls = robo_scheme_tls_options(),
                                    *access = robo_scheme_common_options();
    unsigned schemes = 0;
    for (; robo_scheme_at(schemes, &scheme) == 0; schemes++) {
        assert_true(scheme.port > 0 && strlen(scheme.name) < 32);
        for (unsigned k = 0; k < schemes; k++) {
            assert_int_equal(robo_scheme_at(k, &other), 0);
            assert_string_not_equal(scheme.name, other.name);
            assert_int_not_equal(scheme.port, other.port);
        }
        size_t count = 0;
        for (const struct robo_scheme_option *o = scheme.option; o->name; o++, count++) {
            assert_true(strlen(o->name) <= ROBO__OPTION_NAME && o->doc &&
                        o->otherwise >= o->least && o->otherwise <= o->most);
            assert_true(o->kind == ROBO_SCHEME_FLAG || o->kind == ROBO_SCHEME_NUMBER ||
                        o->kind == ROBO_SCHEME_TEXT);
            for (size_t k = 0; tls[k].name; k++)
                assert_string_not_equal(o->name, tls[k].name);
            for (size_t k = 0; access[k].name; k++)
                assert_string_not_equal(o->name, access[k].name);
        }
        assert_true(count <= ROBO__OPTIONS);
    }
    assert_true(schemes >= 2);
    assert_int_equal(robo_scheme_at(schemes, &scheme), ROBO_ENONE);
    assert_int_equal(robo_scheme_at(0, &scheme), 0);
    assert_string_equal(scheme.name, "robotalk"); /* which an address without a scheme means */
    assert_int_equal(scheme.port, ROBO_PORT);
    assert_string_equal(tls[ROBO__TRUST - ROBO__CERT].name, "trust");
    assert_null(tls[ROBO__URL_OPTIONS - ROBO__CERT].name);
}
