/* Replies. */
#include "reply.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    int status;
    const char *reason;
} reasons[] = { { 100, "Continue" },
                { 101, "Switching Protocols" },
                { 200, "OK" },
                { 201, "Created" },
                { 204, "No Content" },
                { 303, "See Other" },
                { 400, "Bad Request" },
                { 401, "Unauthorized" },
                { 403, "Forbidden" },
                { 404, "Not Found" },
                { 405, "Method Not Allowed" },
                { 406, "Not Acceptable" },
                { 408, "Request Timeout" },
                { 409, "Conflict" },
                { 412, "Precondition Failed" },
                { 413, "Content Too Large" },
                { 414, "URI Too Long" },
                { 417, "Expectation Failed" },
                { 421, "Misdirected Request" },
                { 426, "Upgrade Required" },
                { 431, "Request Header Fields Too Large" },
                { 500, "Internal Server Error" },
                { 501, "Not Implemented" },
                { 503, "Service Unavailable" },
                { 505, "Version Not Supported" } };

const char *robo__http_reason(int status)
{
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (reasons[i].status == status)
            return reasons[i].reason;
    return "";
}

static void put(struct robo__http_reply *reply, const char *text, size_t n)
{
    if (reply->n <= reply->size && n <= reply->size - reply->n)
        memcpy(reply->at + reply->n, text, n);
    reply->n += n;
}

void robo__http_reply_begin(struct robo__http_reply *reply, void *out, size_t size,
                            const char *version, int status, const char *reason)
{
    *reply = (struct robo__http_reply){ .at = out, .size = size };
    robo__http_reply_text(reply, "%s %03d %s", version, status,
                          reason ? reason : robo__http_reason(status));
    robo__http_reply_line(reply);
}

void robo__http_reply_name(struct robo__http_reply *reply, const char *name)
{
    put(reply, name, strlen(name));
    put(reply, ": ", 2);
}

/* Texts come from robots, clients and files. */
static void put_clean(struct robo__http_reply *reply, const char *text)
{
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        put(reply, c < ' ' || c == 0x7f ? " " : text, 1);
    }
}

static void put_formatted(struct robo__http_reply *reply, const char *format, va_list values)
{
    char text[1024] = "";
    const int n = vsnprintf(text, sizeof text, format, values);
    if (n < 0 || (size_t)n >= sizeof text)
        reply->n = reply->size + 1;
    else
        put_clean(reply, text);
}

void robo__http_reply_text(struct robo__http_reply *reply, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    put_formatted(reply, format, values);
    va_end(values);
}

void robo__http_reply_line(struct robo__http_reply *reply)
{
    put(reply, "\r\n", 2);
}

void robo__http_reply_header(struct robo__http_reply *reply, const char *name, const char *format,
                             ...)
{
    va_list values;
    robo__http_reply_name(reply, name);
    va_start(values, format);
    put_formatted(reply, format, values);
    va_end(values);
    robo__http_reply_line(reply);
}

size_t robo__http_reply_end(struct robo__http_reply *reply)
{
    robo__http_reply_line(reply);
    return reply->n <= reply->size ? reply->n : 0;
}

size_t robo__http_tell(void *out, size_t size, const char *version, int status, bool keep,
                       bool body, const char *text)
{
    return robo__http_tell_with(out, size, version, status, keep, body, NULL, NULL, text);
}

size_t robo__http_tell_with(void *out, size_t size, const char *version, int status, bool keep,
                            bool body, const char *header, const char *value, const char *text)
{
    struct robo__http_reply reply;
    const size_t n = strlen(text);
    robo__http_reply_begin(&reply, out, size, version, status, NULL);
    if (header)
        robo__http_reply_header(&reply, header, "%s", value);
    if (!keep)
        robo__http_reply_header(&reply, "Connection", "close");
    robo__http_reply_header(&reply, "Content-Type", "text/plain; charset=utf-8");
    robo__http_reply_header(&reply, "X-Content-Type-Options", "nosniff");
    robo__http_reply_header(&reply, "Content-Length", "%zu", n + 1);
    if (robo__http_reply_end(&reply) == 0)
        return 0;
    if (body) {
        put(&reply, text, n);
        put(&reply, "\n", 1);
    }
    return reply.n <= reply.size ? reply.n : 0;
}

/* ---- parts ---- */

#define BOUNDARY "robotalk-picture"

const char robo__http_part_end[3] = "\r\n";

size_t robo__http_parts(void *out, size_t size, const char *version)
{
    struct robo__http_reply reply;
    robo__http_reply_begin(&reply, out, size, version, 200, NULL);
    robo__http_reply_header(&reply, "Content-Type", "multipart/x-mixed-replace; boundary=%s",
                            BOUNDARY);
    robo__http_reply_header(&reply, "Cache-Control", "no-store");
    robo__http_reply_header(&reply, "X-Content-Type-Options", "nosniff");
    robo__http_reply_header(&reply, "Cross-Origin-Resource-Policy", "same-origin");
    robo__http_reply_header(&reply, "Connection", "close");
    return robo__http_reply_end(&reply);
}

size_t robo__http_part(void *out, size_t size, const char *type, size_t n, robo_time time)
{
    struct robo__http_reply reply = { .at = out, .size = size };
    put(&reply, "--" BOUNDARY, sizeof "--" BOUNDARY - 1);
    robo__http_reply_line(&reply);
    robo__http_reply_header(&reply, "Content-Type", "%s", type);
    robo__http_reply_header(&reply, "Content-Length", "%zu", n);
    robo__http_reply_header(&reply, "X-Timestamp", "%lld.%09lld", (long long)(time / 1000000000),
                            (long long)(time % 1000000000));
    return robo__http_reply_end(&reply);
}
