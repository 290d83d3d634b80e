/* What goes with requests of HTTP: targets in words, the gate that keeps pages of other servers out, and replies. */
#include <stdio.h>
#include <string.h>

#include "../test.h"
#include "http/gate.h"
#include "http/reply.h"

static const struct robo__http_limits limits = { .line = 1024, .head = 4096, .headers = 32 };

/* One request, read. The text is kept by the caller. */
static struct robo__http_request read(const char *text)
{
    const struct robo__http_dialect dialect = { "RCTP/1.0", limits, limits };
    struct robo__http_reader reader;
    struct robo__http_request request;
    size_t used;
    robo__http_open(&reader, &dialect, 0);
    assert_int_equal(
        robo__http_read(&reader, (const uint8_t *)text, strlen(text), 0, &request, &used),
        ROBO__HTTP_HEAD);
    return request;
}

static int target_of(const char *text, struct robo__http_target *target)
{
    char line[800];
    const char *why = NULL;
    snprintf(line, sizeof line, "GET %s RCTP/1.0\r\n\r\n", text);
    const struct robo__http_request request = read(line);
    int status = robo__http_target(&request, target, &why);
    assert_true((status != 0) == (why != NULL));
    return status;
}

TEST(targets_are_paths_and_queries)
{
    static const struct {
        const char *text, *path;
    } good[] = { { "/", "/" },        { "/a/b.wrl", "/a/b.wrl" }, { "/a%20b%2Fc", "/a b/c" },
                 { "*", "*" },        { "/a?b", "/a" },           { "http://h:1/a?b", "/a" },
                 { "HTTPS://h", "" }, { "/%C3%A4", "/\xc3\xa4" }, { "/..a/b..", "/..a/b.." },
                 { "head", "head" } };
    static const char *const bad[] = { "/%",    "/%4",   "/%4g",   "/%00",     "/%0d%0a",
                                       "/../a", "/a/..", "/a/./b", "/%2e%2e/", "/a%2f..%2fb",
                                       "/%7f",  "..",    "/a/%2e", "/%-1",     "/%+1" };
    struct robo__http_target target;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_int_equal(target_of(good[i].text, &target), 0);
        assert_string_equal(target.path, good[i].path);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(target_of(bad[i], &target), 400);
    char path[300] = "/";
    memset(path + 1, 'a', 254);
    assert_int_equal(target_of(path, &target), 0);
    memset(path + 1, 'a', 255);
    assert_int_equal(target_of(path, &target), 414);
}

TEST(a_query_is_options)
{
    struct robo__http_text rest = { "rate=5&a%3Db=c%20d&e&=", 22 };
    char name[ROBO__HTTP_VALUE + 1], value[ROBO__HTTP_VALUE + 1], long_one[80];
    static const char *const expected[][2] = {
        { "rate", "5" }, { "a=b", "c d" }, { "e", "" }, { "", "" }
    };
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(robo__http_next_option(&rest, name, value), 1);
        assert_string_equal(name, expected[i][0]);
        assert_string_equal(value, expected[i][1]);
    }
    assert_int_equal(robo__http_next_option(&rest, name, value), 0);
    memset(long_one, 'a', sizeof long_one);
    rest = (struct robo__http_text){ long_one, ROBO__HTTP_VALUE };
    assert_int_equal(robo__http_next_option(&rest, name, value), 1);
    rest = (struct robo__http_text){ long_one, ROBO__HTTP_VALUE + 1 };
    assert_int_equal(robo__http_next_option(&rest, name, value), -1);
}

/* ---- the gate ---- */

static int gate_of(const struct robo__http_gate *gate, const char *line, const char *headers)
{
    char text[600];
    const char *why = NULL;
    struct robo__http_target target;
    snprintf(text, sizeof text, "%s\r\n%s\r\n", line, headers);
    const struct robo__http_request request = read(text);
    assert_int_equal(robo__http_target(&request, &target, &why), 0);
    return robo__http_gate(gate, &request, &target, &why);
}

TEST(a_name_that_strangers_can_give_is_refused)
{
    static const struct robo__http_gate gate = { .name = "robots.example" }, any = { .any = true };
    static const struct {
        const char *host;
        int status;
    } table[] = { { "localhost", 0 },
                  { "LocalHost:7077", 0 },
                  { "127.0.0.1", 0 },
                  { "127.0.0.1:80", 0 },
                  { "10.1.2.3:1", 0 },
                  { "[::1]:7077", 0 },
                  { "[::ffff:1.2.3.4]", 0 },
                  { "robots.example:7077", 0 },
                  { "evil.example", 421 },
                  { "localhost.evil.example", 421 },
                  { "127.0.0.1.evil.example", 421 },
                  { "1.2.3.4x", 421 },
                  { "1.2.3", 421 },
                  { "1.2..3", 421 },
                  { "1.2.3.", 421 },
                  { "1.2.3.4.5", 421 },
                  { "localhost:80:80", 421 },
                  { "localhost:evil", 421 },
                  { "[evil.example]", 421 },
                  { "[::1", 421 },
                  { "[::1]x", 421 },
                  { "[]", 421 },
                  { "", 421 },
                  { "evil@localhost", 421 } };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        char host[100];
        snprintf(host, sizeof host, "Host: %s\r\n", table[i].host);
        assert_int_equal(gate_of(&gate, "GET / HTTP/1.1", host), table[i].status);
    }
    assert_int_equal(gate_of(&any, "GET / HTTP/1.1", "Host: evil.example\r\n"), 0);
    assert_int_equal(gate_of(&gate, "GET / HTTP/1.0", ""), 0);
    assert_int_equal(gate_of(&gate, "ASSIGN head RCTP/1.0", ""), 0);
    /* a target that is a whole address names its host, too */
    assert_int_equal(gate_of(&gate, "GET http://evil.example/ HTTP/1.1", "Host: localhost\r\n"),
                     421);
    assert_int_equal(gate_of(&gate, "GET http://localhost/ HTTP/1.1", "Host: localhost\r\n"), 0);
    assert_int_equal(gate_of(&gate, "GET http://localhost/ RCTP/1.0", ""), 421);
}

TEST(pages_of_other_servers_are_refused)
{
    static const struct robo__http_gate gate = { .name = NULL },
                                        secure = { .any = true, .secure = true };
    static const struct {
        const char *headers;
        int status;
    } table[] = {
        { "Host: localhost:7077\r\nOrigin: http://localhost:7077\r\n", 0 },
        { "Host: localhost:7077\r\nOrigin: HTTP://LOCALHOST:7077\r\n", 0 },
        { "Host: localhost:7077\r\nOrigin: http://localhost:7078\r\n", 403 },
        { "Host: localhost:7077\r\nOrigin: http://localhost\r\n", 403 },
        { "Host: localhost:7077\r\nOrigin: https://localhost:7077\r\n", 403 },
        { "Host: localhost:7077\r\nOrigin: http://127.0.0.1:7077\r\n", 403 },
        { "Host: localhost:7077\r\nOrigin: http://evil.example\r\n", 403 },
        { "Host: localhost:7077\r\nOrigin: null\r\n", 403 },
        { "Host: localhost:7077\r\nOrigin:\r\n", 403 },
        { "Host: localhost:7077\r\nOrigin: http://\r\n", 403 },
        { "Origin: http://localhost\r\n", 403 },
        { "Host: localhost\r\nSec-Fetch-Site: same-origin\r\n", 0 },
        { "Host: localhost\r\nSec-Fetch-Site: none\r\n", 0 },
        { "Host: localhost\r\nSec-Fetch-Site: same-site\r\n", 403 },
        { "Host: localhost\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n"
          "Sec-Fetch-Dest: image\r\n",
          403 },
        /* a link to the file of a robot, on a page that describes it (paper 001, 4.3.1) */
        { "Host: localhost\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n"
          "Sec-Fetch-Dest: document\r\n",
          0 },
        { "Host: localhost\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n"
          "Sec-Fetch-Dest: iframe\r\n",
          403 },
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        assert_int_equal(gate_of(&gate, "GET / HTTP/1.0", table[i].headers), table[i].status);
    assert_int_equal(gate_of(&gate, "POST / HTTP/1.0",
                             "Host: localhost\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: "
                             "navigate\r\nSec-Fetch-Dest: document\r\n"),
                     403);
    assert_int_equal(
        gate_of(&secure, "GET / HTTP/1.0", "Host: robot.lab\r\nOrigin: https://robot.lab\r\n"), 0);
    assert_int_equal(
        gate_of(&secure, "GET / HTTP/1.0", "Host: robot.lab\r\nOrigin: http://robot.lab\r\n"), 403);
}

/* ---- replies ---- */

TEST(a_reply_is_text)
{
    static const char expected[] = "RCTP/1.0 201 OK\r\nID: 1\r\nCurrent Value: 30 10 5\r\n\r\n";
    char out[200];
    for (size_t size = 0; size <= sizeof out; size++) {
        struct robo__http_reply r;
        robo__http_reply_begin(&r, out, size, "RCTP/1.0", 201, "OK");
        robo__http_reply_header(&r, "ID", "%d", 1);
        robo__http_reply_name(&r, "Current Value");
        robo__http_reply_text(&r, "%g %g", 30.0, 10.0);
        robo__http_reply_text(&r, " %g", 5.0);
        robo__http_reply_line(&r);
        assert_int_equal(robo__http_reply_end(&r),
                         size < sizeof expected - 1 ? 0 : sizeof expected - 1);
    }
    assert_memory_equal(out, expected, sizeof expected - 1);
}

TEST(no_value_begins_a_line)
{
    static const char expected[] = "HTTP/1.1 404 Not Found\r\nWatch: a  Set-Cookie: b  c\r\n\r\n";
    char out[200];
    struct robo__http_reply r;
    robo__http_reply_begin(&r, out, sizeof out, "HTTP/1.1", 404, NULL);
    robo__http_reply_header(&r, "Watch", "%s",
                            "a\r\nSet-Cookie: b\n\x7f"
                            "c");
    assert_int_equal(robo__http_reply_end(&r), sizeof expected - 1);
    assert_memory_equal(out, expected, sizeof expected - 1);
}

TEST(words_for_people_are_a_body)
{
    char out[512];
    size_t n = robo__http_tell(out, sizeof out, "HTTP/1.1", 400, false, true, "no");
    assert_true(n > 0 && n < sizeof out);
    out[n] = 0;
    assert_string_equal(out, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: "
                             "text/plain; charset=utf-8\r\nX-Content-Type-Options: nosniff\r\n"
                             "Content-Length: 3\r\n\r\nno\n");
    size_t head = robo__http_tell(out, sizeof out, "HTTP/1.1", 400, false, false, "no");
    assert_int_equal(head, n - 3);
    for (size_t size = 0; size < n; size++)
        assert_int_equal(robo__http_tell(out, size, "HTTP/1.1", 400, false, true, "no"), 0);
}

TEST(a_stream_is_parts)
{
    static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; "
                               "boundary=robotalk-picture\r\n",
                      part[] = "--robotalk-picture\r\nContent-Type: image/jpeg\r\n"
                               "Content-Length: 12345\r\nX-Timestamp: 7.000000500\r\n\r\n";
    char out[512];
    size_t n = robo__http_parts(out, sizeof out, "HTTP/1.1");
    assert_memory_equal(out, head, sizeof head - 1);
    assert_memory_equal(out + n - 4, "\r\n\r\n", 4);
    assert_int_equal(robo__http_parts(out, n - 1, "HTTP/1.1"), 0);
    assert_int_equal(robo__http_part(out, 256, "image/jpeg", 12345, 7000000500), sizeof part - 1);
    assert_memory_equal(out, part, sizeof part - 1);
    assert_int_equal(robo__http_part(out, sizeof part - 2, "image/jpeg", 12345, 7000000500), 0);
    assert_string_equal(robo__http_part_end, "\r\n");
}
