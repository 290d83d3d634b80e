/* Requests of HTTP and RCTP: what is understood, what is refused and how, at every size of pieces, and what is late. Statuses are
 * those of RFC 9110; what must be refused is said by RFC 9112, 2.2, 3, 5 and 6. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "http/request.h"

static const robo_time SECOND = 1000000000;

static const struct robo__http_dialect dialect = {
    .other = "RCTP/1.0",
    .http = { .line = 200,
              .head = 600,
              .headers = 8,
              .body = 1000,
              .idle = 30000000000,
              .head_time = 10000000000,
              .short_time = 10000000000,
              .body_time = 20000000000 },
    .limits_of_other = { .line = 60,
                         .head = 300,
                         .headers = 4,
                         .body = 10,
                         .idle = 5000000000,
                         .head_time = 10000000000,
                         .short_time = 2000000000,
                         .body_time = 20000000000 },
};

/* What has been read, as a text: requests as METHOD TARGET VERSION{name=value}[body], a refusal as !status. */
struct told {
    char text[4096];
    size_t n;
    const char *why;
    int status;
};

static void tell(struct told *t, const char *text, size_t n)
{
    assert_true(t->n + n < sizeof t->text);
    memcpy(t->text + t->n, text, n);
    t->n += n;
    t->text[t->n] = 0;
}

static void tell_text(struct told *t, struct robo__http_text text, const char *behind)
{
    tell(t, text.at, text.n);
    tell(t, behind, strlen(behind));
}

static void tell_step(struct told *t, enum robo__http_step step,
                      const struct robo__http_request *request,
                      const struct robo__http_reader *reader)
{
    char status[16];
    switch (step) {
    case ROBO__HTTP_HEAD:
        tell_text(t, request->method, " ");
        tell_text(t, request->target, " ");
        tell_text(t, request->version, "{");
        for (unsigned i = 0; i < request->headers; i++) {
            tell_text(t, request->header[i].name, "=");
            tell_text(t, request->header[i].value, ";");
        }
        tell(t, "}[", 2);
        break;
    case ROBO__HTTP_PIECE: tell_text(t, request->piece, ""); break;
    case ROBO__HTTP_END: tell(t, "]", 1); break;
    case ROBO__HTTP_REFUSED:
        snprintf(status, sizeof status, "!%d", reader->status);
        tell(t, status, strlen(status));
        t->why = reader->why;
        t->status = reader->status;
        break;
    default: break;
    }
}

/* Reads all of it, `piece` more bytes at a time. The bytes lie in memory of exactly their size, so that a sanitizer sees who reads
 * beyond them. */
static void read_pieces(const char *text, size_t n, size_t piece, struct told *t)
{
    struct robo__http_reader reader;
    struct robo__http_request request;
    size_t from = 0, there = 0;
    *t = (struct told){ .n = 0 };
    robo__http_open(&reader, &dialect, 0);
    while (there < n) {
        there = n - there < piece ? n : there + piece;
        for (;;) {
            size_t used, left = there - from;
            uint8_t *bytes = malloc(left);
            assert_true(bytes || left == 0);
            if (left > 0)
                memcpy(bytes, text + from, left);
            const enum robo__http_step step =
                robo__http_read(&reader, bytes, left, 0, &request, &used);
            assert_true(used <= left);
            tell_step(t, step, &request, &reader);
            free(bytes);
            from += used;
            if (step == ROBO__HTTP_REFUSED)
                return;
            if (step == ROBO__HTTP_WANTS)
                break;
        }
    }
}

static void expect_bytes(const char *text, size_t n, const char *expected)
{
    struct told t;
    for (size_t piece = n; piece > 0; piece = piece > 8 ? piece / 2 : piece - 1) {
        read_pieces(text, n, piece, &t);
        if (strcmp(t.text, expected) != 0)
            print_message("in pieces of %zu: %s\n  %s\n", piece, text, t.why ? t.why : "");
        assert_string_equal(t.text, expected);
        assert_true(t.status == 0 || (t.why && t.why[0]));
    }
}

static void expect(const char *text, const char *expected)
{
    expect_bytes(text, strlen(text), expected);
}

#define H                              "Host: localhost\r\n"
#define expect_literal(text, expected) expect_bytes(text, sizeof(text) - 1, expected)

TEST(requests_are_read)
{
    expect("GET / HTTP/1.1\r\n" H "\r\n", "GET / HTTP/1.1{Host=localhost;}[]");
    expect("GET /a?b=c HTTP/1.0\r\n\r\n", "GET /a?b=c HTTP/1.0{}[]");
    expect("GET / HTTP/1.9\nHost:x\n\n", "GET / HTTP/1.9{Host=x;}[]");
    expect("HEAD * HTTP/1.1\r\n" H "X:  a  b \t\r\nY:\r\n\r\n",
           "HEAD * HTTP/1.1{Host=localhost;X=a  b;Y=;}[]");
    expect("POST / HTTP/1.1\r\n" H "Content-Length: 5\r\n\r\nhello",
           "POST / HTTP/1.1{Host=localhost;Content-Length=5;}[hello]");
    expect("POST / HTTP/1.1\r\n" H "content-LENGTH: 0\r\n\r\n",
           "POST / HTTP/1.1{Host=localhost;content-LENGTH=0;}[]");
    /* empty lines before one: a client that has ended a body with a line too many */
    expect("\r\n\nGET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.0{}[]");
    expect("\n\n\n\n\nGET / HTTP/1.0\r\n\r\n", "!400");
}

TEST(requests_of_another_version_need_no_host_and_no_target)
{
    /* paper 001, 4.3.2 */
    expect("ASSIGN head RCTP/1.0\r\n\r\nASSIGN arm RCTP/1.0\r\n\r\nGO RCTP/1.0\r\n\r\n",
           "ASSIGN head RCTP/1.0{}[]ASSIGN arm RCTP/1.0{}[]GO  RCTP/1.0{}[]");
    expect("ASSIGN head RCTP/1.0\nDof: 2\n\n", "ASSIGN head RCTP/1.0{Dof=2;}[]");
    expect("GO RCTP/1.1\r\n\r\n", "!505");
    expect("ASSIGN head RCTP/2.0\r\n", "!505");
    expect("GET / HTTP/2.0\r\n", "!505");
    expect("l Q/0.1\n", "!505");
    expect("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "!505");
    expect("ASSIGN head rctp/1.0\r\n", "!400");
    expect("ASSIGN head\r\n", "!400");
    expect("GET HTTP/1.1\r\n", "!400");
    expect("GET /\r\n", "!400");
}

TEST(requests_follow_one_another)
{
    expect("GET /1 HTTP/1.1\r\n" H "\r\nGET /2 HTTP/1.1\r\n" H "\r\nGET /3 HTTP/1.1\r\n" H "\r\n",
           "GET /1 HTTP/1.1{Host=localhost;}[]GET /2 HTTP/1.1{Host=localhost;}[]"
           "GET /3 HTTP/1.1{Host=localhost;}[]");
    /* what looks like one within a body is none */
    expect("POST / HTTP/1.1\r\n" H "Content-Length: 21\r\n\r\nASSIGN a RCTP/1.0\r\n\r\n"
           "GO RCTP/1.0\r\n\r\n",
           "POST / HTTP/1.1{Host=localhost;Content-Length=21;}[ASSIGN a RCTP/1.0\r\n\r\n]"
           "GO  RCTP/1.0{}[]");
}

TEST(bodies_come_in_chunks)
{
    static const char head[] = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
                      told[] = "POST / HTTP/1.1{Host=a;Transfer-Encoding=chunked;}[";
    static const struct {
        const char *body, *expected;
    } table[] = {
        { "5\r\nhello\r\n0\r\n\r\n", "hello]" },
        { "00000005\r\nhello\r\n1;a=b\r\n!\r\n0;x\r\nEnd: of it\r\n\r\n", "hello!]" },
        { "a\r\n0123456789\r\nA\r\n0123456789\r\n000\r\n\r\nGO RCTP/1.0\r\n\r\n",
          "01234567890123456789]GO  RCTP/1.0{}[]" },
        { "5\nhello\r\n0\r\n\r\n", "!400" },
        { "5\r\nhello\n0\r\n\r\n", "hello!400" },
        { "5\r\nhello!\r\n0\r\n\r\n", "hello!400" },
        { "5\r\nhellohello\r\n0\r\n\r\n", "hello!400" },
        { "-5\r\nhello\r\n", "!400" },
        { "+5\r\nhello\r\n", "!400" },
        { "0x5\r\nhello\r\n", "!400" },
        { "5 \r\nhello\r\n", "!400" },
        { " 5\r\nhello\r\n", "!400" },
        { "5;\x01\r\nhello\r\n", "!400" },
        { "\r\nhello\r\n", "!400" },
        { "g\r\n", "!400" },
        { "100000000\r\n", "!400" },
        { "ffffffff\r\n", "!413" },
        { "3e9\r\n", "!413" },
        { "0\r\nno header\r\n\r\n", "!400" },
        { "0\r\nName : x\r\n\r\n", "!400" },
        { "0\r\na:\r\nb:\r\nc:\r\nd:\r\ne:\r\nf:\r\ng:\r\n\r\n", "!431" },
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        char text[400], expected[400];
        snprintf(text, sizeof text, "%s%s", head, table[i].body);
        snprintf(expected, sizeof expected, "%s%s", told, table[i].expected);
        expect(text, expected);
    }
    char text[600];
    snprintf(text, sizeof text, "%s5;%0300d\r\n", head, 0);
    char expected[100];
    snprintf(expected, sizeof expected, "%s!400", told);
    expect(text, expected);
}

TEST(a_length_is_told_once_and_in_digits)
{
    static const struct {
        const char *headers;
        int status;
    } table[] = {
        { "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", 400 },
        { "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n", 400 },
        { "Content-Length: 1\r\nContent-Length: 2\r\n", 400 },
        { "Content-Length: 1\r\nContent-Length: 1\r\n", 400 },
        { "Content-Length: 1, 1\r\n", 400 },
        { "Content-Length: +1\r\n", 400 },
        { "Content-Length: -1\r\n", 400 },
        { "Content-Length: 0x1\r\n", 400 },
        { "Content-Length: 1 1\r\n", 400 },
        { "Content-Length: 1.0\r\n", 400 },
        { "Content-Length: \r\n", 400 },
        { "Content-Length: \x0b"
          "1\r\n",
          400 },
        { "Content-Length: 1001\r\n", 413 },
        { "Content-Length: 99999999999999999999999999\r\n", 413 },
        { "Content-Length: 18446744073709551617\r\n", 413 },
        { "Content-Length : 1\r\n", 400 },
        { "Transfer-Encoding: chunked, chunked\r\n", 501 },
        { "Transfer-Encoding: gzip, chunked\r\n", 501 },
        { "Transfer-Encoding: identity\r\n", 501 },
        { "Transfer-Encoding: xchunked\r\n", 501 },
        { "Transfer-Encoding: \"chunked\"\r\n", 501 },
        { "Transfer-Encoding:\r\n", 501 },
        { "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", 400 },
        { "Transfer-Encoding : chunked\r\n", 400 },
        { " Transfer-Encoding: chunked\r\n", 400 },
        { "X: y\r\n Transfer-Encoding: chunked\r\n", 400 },
        { "X: y\r\n\tz\r\n", 400 },
        { "X: a\rTransfer-Encoding: chunked\r\n", 400 },
        { "X: a\r\r\n", 400 },
        { "X\r: a\r\n", 400 },
        { "X\r\n", 400 },
        { ": x\r\n", 400 },
        { "X y: z\r\n", 400 },
        { "X\t: z\r\n", 400 },
        { "X: \x7f\r\n", 400 },
        { "Host: other\r\n", 400 },
        { "Authorization: Bearer a\r\nAuthorization: Bearer b\r\n", 400 },
        { "Origin: http://a\r\nOrigin: http://b\r\n", 400 },
        { "Expect: more\r\n", 417 },
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        char text[300], expected[8];
        snprintf(text, sizeof text, "POST / HTTP/1.1\r\n" H "%s\r\n", table[i].headers);
        snprintf(expected, sizeof expected, "!%d", table[i].status);
        expect(text, expected);
    }
    expect("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", "!400");
    expect("GET / HTTP/1.1\r\n\r\n", "!400"); /* no Host */
    expect_literal("GET / HTTP/1.0\r\nX: a\0b\r\n\r\n", "!400");
    expect_literal("GET / HTTP/1.0\r\nX\0: b\r\n\r\n", "!400");
    expect_literal("GET /\0 HTTP/1.0\r\n\r\n", "!400");
}

TEST(a_first_line_has_three_words)
{
    static const char *const bad[] = {
        "GET  / HTTP/1.1\r\n",    " GET / HTTP/1.1\r\n",
        "GET / HTTP/1.1 \r\n",    "GET / HTTP/1.1 x\r\n",
        "GET /\tx HTTP/1.1\r\n",  "GET / HTTP/11\r\n",
        "GET / HTTP/1.\r\n",      "GET / http/1.1\r\n",
        "GET / HTTP /1.1\r\n",    "GE(T / HTTP/1.1\r\n",
        "GET /\x80 HTTP/1.1\r\n", "GET / /1.1\r\n",
        "GET /\rx HTTP/1.1\r\n",  "GET\r\n",
        "\x16\x03\x01\r\n",       "GET / HTTP/1.1\r\r\n",
        "GET / HTTP/1.123\r\n",   "GET /a /b HTTP/1.1\r\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        expect(bad[i], "!400");
}

/* A request with a first line, a header or headers of some length. */
static void expect_size(const char *version, size_t target, size_t value, unsigned headers,
                        int status)
{
    char text[2000], expected[8] = "";
    size_t n = (size_t)sprintf(text, "GET /");
    for (size_t i = 1; i < target; i++)
        text[n++] = 'x';
    n += (size_t)sprintf(text + n, " %s\r\nHost: a\r\n", version);
    for (unsigned h = 1; h < headers; h++) {
        n += (size_t)sprintf(text + n, "X: ");
        for (size_t i = 0; i < value; i++)
            text[n++] = 'y';
        n += (size_t)sprintf(text + n, "\r\n");
    }
    n += (size_t)sprintf(text + n, "\r\n");
    snprintf(expected, sizeof expected, "!%d", status);
    struct told t;
    for (size_t piece = 1; piece <= n; piece = piece < n / 2 ? 2 * piece : piece < n ? n : n + 1) {
        read_pieces(text, n, piece, &t);
        assert_int_equal(t.status, status);
    }
}

TEST(what_is_too_long_is_refused)
{
    expect_size("HTTP/1.1", 187, 1, 2, 0); /* GET, two blanks, HTTP/1.1: 13 of 200 */
    expect_size("HTTP/1.1", 188, 1, 2, 414);
    expect_size("HTTP/1.1", 900, 1, 2, 414);
    expect_size("HTTP/1.1", 1, 197, 2, 0); /* "X: " */
    expect_size("HTTP/1.1", 1, 198, 2, 431);
    expect_size("HTTP/1.1", 1, 1, 8, 0);
    expect_size("HTTP/1.1", 1, 1, 9, 431);
    expect_size("HTTP/1.1", 1, 100, 7, 431); /* 600 in all */
    expect_size("RCTP/1.0", 47, 1, 2, 0);
    expect_size("RCTP/1.0", 48, 1, 2, 414);
    expect_size("RCTP/1.0", 1, 57, 2, 0);
    expect_size("RCTP/1.0", 1, 58, 2, 431);
    expect_size("RCTP/1.0", 1, 1, 5, 431);
}

/* Reads that, in one piece, at that time; what remains unused is handed in again. */
static size_t read_at(struct robo__http_reader *reader, const char *text, robo_time now,
                      enum robo__http_step expected)
{
    struct robo__http_request request;
    size_t used;
    assert_int_equal(
        robo__http_read(reader, (const uint8_t *)text, strlen(text), now, &request, &used),
        expected);
    return used;
}

TEST(slow_clients_are_late)
{
    struct robo__http_reader reader;
    robo__http_open(&reader, &dialect, SECOND);
    assert_int_equal(robo__http_due(&reader), 31 * SECOND);
    /* the head counts from its first byte, however often more comes */
    read_at(&reader, "GET / HT", 5 * SECOND, ROBO__HTTP_WANTS);
    assert_int_equal(robo__http_due(&reader), 15 * SECOND);
    read_at(&reader, "GET / HTTP/1.1\r\n", 14 * SECOND, ROBO__HTTP_WANTS);
    read_at(&reader, "GET / HTTP/1.1\r\n" H, 14 * SECOND, ROBO__HTTP_WANTS);
    assert_int_equal(robo__http_due(&reader), 15 * SECOND);
    robo__http_expire(&reader);
    assert_int_equal(reader.status, 408);
    read_at(&reader, "GET / HTTP/1.1\r\n" H "\r\n", 15 * SECOND, ROBO__HTTP_REFUSED);
    assert_true(robo__http_due(&reader) == ROBO_NEVER);

    /* a body counts from the end of the head */
    robo__http_open(&reader, &dialect, 0);
    read_at(&reader, "POST / HTTP/1.0\r\nContent-Length: 4\r\n\r\n", SECOND, ROBO__HTTP_HEAD);
    assert_int_equal(robo__http_due(&reader), 21 * SECOND);
    read_at(&reader, "bod", 20 * SECOND, ROBO__HTTP_PIECE);
    assert_int_equal(robo__http_due(&reader), 21 * SECOND);
    read_at(&reader, "y", 20 * SECOND, ROBO__HTTP_PIECE);
    read_at(&reader, "", 20 * SECOND, ROBO__HTTP_END);
    /* and the next request from its reply */
    robo__http_replied(&reader, 40 * SECOND);
    assert_int_equal(robo__http_due(&reader), 70 * SECOND);

    /* also when the caller has not looked for the end of the last one meanwhile */
    read_at(&reader, "GET / HTTP/1.0\r\n\r\n", 45 * SECOND, ROBO__HTTP_HEAD);
    robo__http_replied(&reader, 100 * SECOND);
    assert_int_equal(robo__http_due(&reader), 130 * SECOND);
    read_at(&reader, "", 100 * SECOND, ROBO__HTTP_WANTS);

    /* after a request of the other version, by its limits */
    read_at(&reader, "ASSIGN a RCTP/1.0\r\n\r\n", 110 * SECOND, ROBO__HTTP_HEAD);
    read_at(&reader, "", 110 * SECOND, ROBO__HTTP_END);
    assert_int_equal(robo__http_due(&reader), 115 * SECOND);

    /* GO is at its end with its first line, but for the empty one: who leaves that out waits for nothing */
    robo__http_open(&reader, &dialect, 0);
    read_at(&reader, "GO RCTP/1.0\r\n", SECOND, ROBO__HTTP_WANTS);
    assert_int_equal(robo__http_due(&reader), 3 * SECOND);
    robo__http_open(&reader, &dialect, 0);
    read_at(&reader, "ASSIGN a RCTP/1.0\r\n", SECOND, ROBO__HTTP_WANTS);
    assert_int_equal(robo__http_due(&reader), 11 * SECOND);
}

static void keeps(const char *text, bool keep)
{
    struct robo__http_reader reader;
    struct robo__http_request request;
    size_t used;
    robo__http_open(&reader, &dialect, 0);
    assert_int_equal(
        robo__http_read(&reader, (const uint8_t *)text, strlen(text), 0, &request, &used),
        ROBO__HTTP_HEAD);
    assert_int_equal(request.keep, keep);
}

TEST(a_connection_is_kept_when_the_client_wants_it)
{
    keeps("GET / HTTP/1.1\r\n" H "\r\n", true);
    keeps("GET / HTTP/1.1\r\n" H "Connection: Close\r\n\r\n", false);
    keeps("GET / HTTP/1.1\r\n" H "Connection: a, close ,b\r\n\r\n", false);
    keeps("GET / HTTP/1.1\r\n" H "Connection: closed\r\n\r\n", true);
    keeps("GET / HTTP/1.0\r\n\r\n", false);
    keeps("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", true);
    keeps("GET / HTTP/1.0\r\nConnection: close\r\nConnection: keep-alive\r\n\r\n", false);
    keeps("GO RCTP/1.0\r\n\r\n", true);
}
