/* The head of a request: its first line and its headers. */
#include <string.h>

#include "request.h"

/* ---- words ---- */

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c);
}

bool robo__http_is(struct robo__http_text text, const char *expected)
{
    return text.n == strlen(expected) && memcmp(text.at, expected, text.n) == 0;
}

bool robo__http_are_like(struct robo__http_text one, struct robo__http_text other)
{
    if (one.n != other.n)
        return false;
    for (size_t i = 0; i < one.n; i++)
        if (lower(one.at[i]) != lower(other.at[i]))
            return false;
    return true;
}

bool robo__http_is_like(struct robo__http_text text, const char *expected)
{
    return robo__http_are_like(text, (struct robo__http_text){ expected, strlen(expected) });
}

int robo__http_hex(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static struct robo__http_text trim(struct robo__http_text text)
{
    while (text.n > 0 && is_blank(text.at[0]))
        text.at++, text.n--;
    while (text.n > 0 && is_blank(text.at[text.n - 1]))
        text.n--;
    return text;
}

bool robo__http_lists(struct robo__http_text list, const char *word)
{
    while (list.n > 0) {
        const char *comma = memchr(list.at, ',', list.n);
        const size_t n = comma ? (size_t)(comma - list.at) : list.n;
        if (robo__http_is_like(trim((struct robo__http_text){ list.at, n }), word))
            return true;
        list.at += n + (comma != NULL);
        list.n -= n + (comma != NULL);
    }
    return false;
}

bool robo__http_find(const struct robo__http_request *request, const char *name,
                     struct robo__http_text *value)
{
    for (unsigned i = 0; i < request->headers; i++) {
        if (!robo__http_is_like(request->header[i].name, name))
            continue;
        *value = request->header[i].value;
        return true;
    }
    return false;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The characters of a method or a header's name (RFC 9110, 5.6.2). */
static bool is_token(struct robo__http_text text)
{
    for (size_t i = 0; i < text.n; i++) {
        const char c = lower(text.at[i]);
        if (!(c >= 'a' && c <= 'z') && !is_digit(c) && (c == 0 || !strchr("!#$%&'*+-.^_`|~", c)))
            return false;
    }
    return text.n > 0;
}

/* ---- the first line ---- */

/* NAME/digit.digit */
static bool is_version(struct robo__http_text text)
{
    const char *slash = memchr(text.at, '/', text.n);
    const size_t name = slash ? (size_t)(slash - text.at) : 0;
    for (size_t i = 0; i < name; i++)
        if (text.at[i] < 'A' || text.at[i] > 'Z')
            return false;
    return name > 0 && text.n == name + 4 && is_digit(slash[1]) && slash[2] == '.' &&
           is_digit(slash[3]);
}

static int read_version(const struct robo__http_dialect *dialect,
                        struct robo__http_request *request, const char **why)
{
    const struct robo__http_text version = request->version;
    if (!is_version(version)) {
        *why = "a request ends with its version, as in \"GET / HTTP/1.1\"";
        return 400;
    }
    request->other = dialect->other && robo__http_is(version, dialect->other);
    if (request->other)
        return 0;
    if (version.n != 8 || memcmp(version.at, "HTTP/1.", 7) != 0) {
        *why = "this version is not spoken here";
        return 505;
    }
    request->minor = (uint8_t)(version.at[7] - '0');
    return 0;
}

static const char STRANGE[] = "a request's first line has a character that it may not have";

int robo__http_first_line(const struct robo__http_dialect *dialect, struct robo__http_text line,
                          struct robo__http_request *request, const char **why)
{
    struct robo__http_text word[3];
    unsigned words = 0;
    size_t from = 0;
    bool ascii = true;
    for (size_t i = 0; i <= line.n; i++) {
        if (i < line.n && line.at[i] != ' ') {
            const unsigned char c = (unsigned char)line.at[i];
            if (c < ' ' || c == 0x7f) {
                *why = STRANGE;
                return 400;
            }
            ascii &= c < 0x80;
            continue;
        }
        if (words == 3 || i == from) {
            words = 0;
            break;
        }
        word[words++] = (struct robo__http_text){ line.at + from, i - from };
        from = i + 1;
    }
    if (words < 2 || !is_token(word[0])) {
        *why = "a request begins with a method, a target and a version, with one blank between";
        return 400;
    }
    request->method = word[0];
    request->target = words == 3 ? word[1] : (struct robo__http_text){ "", 0 };
    request->version = word[words - 1];
    const int status = read_version(dialect, request, why);
    if (status == 0 && !ascii && !request->other) {
        *why = STRANGE;
        return 400;
    }
    if (status == 0 && words == 2 && !request->other) {
        *why = "a request of HTTP has a target";
        return 400;
    }
    return status;
}

/* ---- headers ---- */

int robo__http_header_line(struct robo__http_text line, struct robo__http_header *header,
                           const char **why)
{
    const char *colon = memchr(line.at, ':', line.n);
    if (line.n > 0 && is_blank(line.at[0])) {
        *why = "a header goes on in a second line";
        return 400;
    }
    if (!colon || !is_token((struct robo__http_text){ line.at, (size_t)(colon - line.at) })) {
        *why = "a header is a name, a colon at once, and a value";
        return 400;
    }
    header->name = (struct robo__http_text){ line.at, (size_t)(colon - line.at) };
    header->value = trim((struct robo__http_text){ colon + 1, line.n - header->name.n - 1 });
    for (size_t i = 0; i < header->value.n; i++) {
        const unsigned char c = (unsigned char)header->value.at[i];
        if ((c < ' ' && c != '\t') || c == 0x7f) {
            *why = "a header's value has a control character";
            return 400;
        }
    }
    return 0;
}

static int read_length(struct robo__http_text value, const struct robo__http_limits *limits,
                       uint64_t *length, const char **why)
{
    *length = 0;
    for (size_t i = 0; i < value.n; i++) {
        if (!is_digit(value.at[i])) {
            *why = "Content-Length: expected digits alone";
            return 400;
        }
    }
    if (value.n == 0) {
        *why = "Content-Length: expected digits";
        return 400;
    }
    for (size_t i = 0; i < value.n; i++) {
        *length = *length * 10 + (uint64_t)(value.at[i] - '0');
        if (*length > limits->body) {
            *why = "the body is too large";
            return 413;
        }
    }
    return 0;
}

static unsigned count(const struct robo__http_request *request, const char *name)
{
    unsigned n = 0;
    for (unsigned i = 0; i < request->headers; i++)
        n += robo__http_is_like(request->header[i].name, name);
    return n;
}

/* Where the request ends. */
static int read_framing(struct robo__http_request *request, const struct robo__http_limits *limits,
                        const char **why)
{
    const unsigned lengths = count(request, "Content-Length"),
                   encodings = count(request, "Transfer-Encoding");
    struct robo__http_text value;
    if (lengths + encodings > 1) {
        *why = "the length of the body is told twice";
        return 400;
    }
    if (robo__http_find(request, "Content-Length", &value))
        return read_length(value, limits, &request->length, why);
    if (!robo__http_find(request, "Transfer-Encoding", &value))
        return 0;
    if (!request->other && request->minor == 0) {
        *why = "HTTP/1.0 has no Transfer-Encoding";
        return 400;
    }
    if (!robo__http_is_like(value, "chunked")) {
        *why = "Transfer-Encoding: chunked alone is understood";
        return 501;
    }
    request->chunked = true;
    return 0;
}

static int read_rest(struct robo__http_request *request, const char **why)
{
    struct robo__http_text value;
    const unsigned hosts = count(request, "Host");
    if (hosts > 1 || (hosts == 0 && !request->other && request->minor > 0)) {
        *why = hosts ? "more than one Host" : "a request of HTTP/1.1 has a Host";
        return 400;
    }
    if (count(request, "Authorization") > 1 || count(request, "Origin") > 1) {
        *why = "a header that says who asks is there twice";
        return 400;
    }
    bool ends = false, stays = request->other || request->minor > 0;
    for (unsigned i = 0; i < request->headers; i++) {
        if (!robo__http_is_like(request->header[i].name, "Connection"))
            continue;
        ends |= robo__http_lists(request->header[i].value, "close");
        stays |= robo__http_lists(request->header[i].value, "keep-alive");
    }
    request->keep = stays && !ends;
    if (robo__http_find(request, "Expect", &value)) {
        if (!robo__http_is_like(value, "100-continue")) {
            *why = "Expect: 100-continue alone is understood";
            return 417;
        }
        request->expects = request->other || request->minor > 0;
    }
    return 0;
}

int robo__http_headers(struct robo__http_text lines, const struct robo__http_limits *limits,
                       struct robo__http_request *request, const char **why)
{
    request->headers = 0;
    while (lines.n > 0) {
        const char *end = memchr(lines.at, '\n', lines.n);
        size_t n = (size_t)(end - lines.at);
        const struct robo__http_text line = { lines.at, n - (n > 0 && end[-1] == '\r') };
        if (request->headers == ROBO__HTTP_HEADERS) {
            *why = "too many headers";
            return 431;
        }
        const int status = robo__http_header_line(line, &request->header[request->headers++], why);
        if (status != 0)
            return status;
        lines.at += n + 1;
        lines.n -= n + 1;
    }
    const int status = read_framing(request, limits, why);
    return status != 0 ? status : read_rest(request, why);
}
