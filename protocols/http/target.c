/* Targets of requests. */
#include "target.h"

#include <stdio.h>
#include <string.h>

bool robo__http_unescape(struct robo__http_text text, char *out, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.at[i];
        if (c == '%') {
            const int high = i + 2 < text.n ? robo__http_hex(text.at[i + 1]) : -1,
                      low = i + 2 < text.n ? robo__http_hex(text.at[i + 2]) : -1;
            if (high < 0 || low < 0)
                return false;
            c = (unsigned char)(high << 4 | low);
            i += 2;
        }
        if (c < ' ' || c == 0x7f || n + 1 >= size)
            return false;
        out[n++] = (char)c;
    }
    out[n] = 0;
    return true;
}

void robo__http_escape(const char *text, char *out, size_t size)
{
    for (out[0] = 0; *text && size > 3; text++) {
        const unsigned char c = (unsigned char)*text;
        const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                           (c >= 'A' && c <= 'Z') || strchr("_-.~/", *text);
        const size_t n = (size_t)snprintf(out, size, plain ? "%c" : "%%%02X", c);
        out += n;
        size -= n;
    }
}

/* Whether one of its parts between slashes is "." or "..". */
static bool climbs(const char *path)
{
    while (*path) {
        const size_t n = strcspn(path, "/");
        if ((n == 1 && path[0] == '.') || (n == 2 && memcmp(path, "..", 2) == 0))
            return true;
        path += n + (path[n] == '/');
    }
    return false;
}

static const char *const schemes[] = { "http://", "https://" };

int robo__http_target(const struct robo__http_request *request, struct robo__http_target *target,
                      const char **why)
{
    struct robo__http_text text = request->target;
    *target = (struct robo__http_target){ .query = { "", 0 }, .host = { "", 0 } };
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0] && target->host.n == 0; i++) {
        const size_t n = strlen(schemes[i]);
        if (text.n <= n || !robo__http_is_like((struct robo__http_text){ text.at, n }, schemes[i]))
            continue;
        size_t end = n;
        while (end < text.n && text.at[end] != '/' && text.at[end] != '?')
            end++;
        target->host = (struct robo__http_text){ text.at + n, end - n };
        text = (struct robo__http_text){ text.at + end, text.n - end };
    }
    const char *mark = memchr(text.at, '?', text.n);
    if (mark) {
        const size_t n = (size_t)(mark - text.at);
        target->query = (struct robo__http_text){ mark + 1, text.n - n - 1 };
        text.n = n;
    }
    if (!robo__http_unescape(text, target->path, sizeof target->path)) {
        *why = text.n > ROBO__HTTP_PATH ? "the path is too long" : "the path cannot be read";
        return text.n > ROBO__HTTP_PATH ? 414 : 400;
    }
    if (climbs(target->path)) {
        *why = "the path has . or .. in it";
        return 400;
    }
    return 0;
}

int robo__http_next_option(struct robo__http_text *rest, char name[ROBO__HTTP_VALUE + 1],
                           char value[ROBO__HTTP_VALUE + 1])
{
    const char *end, *is;
    if (rest->n == 0)
        return 0;
    end = memchr(rest->at, '&', rest->n);
    const size_t n = end ? (size_t)(end - rest->at) : rest->n;
    is = memchr(rest->at, '=', n);
    const size_t named = is ? (size_t)(is - rest->at) : n;
    const struct robo__http_text words[2] = {
        { rest->at, named }, { rest->at + named + (is != NULL), n - named - (is != NULL) }
    };
    rest->at += n + (end != NULL);
    rest->n -= n + (end != NULL);
    return robo__http_unescape(words[0], name, ROBO__HTTP_VALUE + 1) &&
                   robo__http_unescape(words[1], value, ROBO__HTTP_VALUE + 1)
               ? 1
               : -1;
}
