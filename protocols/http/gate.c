/* Access control of requests: by Host, Origin and Sec-Fetch-Site. */
#include "gate.h"

#include <string.h>

/* The host of HOST[:PORT]; false: it is none. */
static bool split(struct robo__http_text text, struct robo__http_text *host)
{
    const char *end;
    if (text.n > 0 && text.at[0] == '[') {
        end = memchr(text.at, ']', text.n);
        if (!end)
            return false;
        host->at = text.at + 1;
        host->n = (size_t)(end - text.at) - 1;
        end++;
    } else {
        end = memchr(text.at, ':', text.n);
        end = end ? end : text.at + text.n;
        host->at = text.at;
        host->n = (size_t)(end - text.at);
    }
    size_t left = text.n - (size_t)(end - text.at);
    if (left > 0 && (*end != ':' || left > 6))
        return false;
    for (size_t i = 1; i < left; i++)
        if (end[i] < '0' || end[i] > '9')
            return false;
    return host->n > 0;
}

/* Four numbers with dots, or an address in brackets. No name looks like that: a name's last part is no number. */
static bool is_address(struct robo__http_text text, struct robo__http_text host)
{
    unsigned dots = 0, digits = 0;
    if (text.at[0] == '[') {
        for (size_t i = 0; i < host.n; i++)
            if (!strchr("0123456789abcdefABCDEF:.", host.at[i]) || host.at[i] == 0)
                return false;
        return true;
    }
    for (size_t i = 0; i < host.n; i++) {
        const bool digit = host.at[i] >= '0' && host.at[i] <= '9';
        digits = digit ? digits + 1 : 0;
        dots += host.at[i] == '.';
        if ((!digit && host.at[i] != '.') || digits > 3 ||
            (host.at[i] == '.' && (i == 0 || host.at[i - 1] == '.')))
            return false;
    }
    return dots == 3 && digits > 0;
}

static bool is_ours(const struct robo__http_gate *gate, struct robo__http_text text)
{
    struct robo__http_text host;
    return split(text, &host) &&
           (gate->any || is_address(text, host) || robo__http_is_like(host, "localhost") ||
            (gate->name && robo__http_is_like(host, gate->name)));
}

static bool is_same(struct robo__http_text one, struct robo__http_text other)
{
    struct robo__http_text host, other_host;
    return split(one, &host) && split(other, &other_host) && robo__http_are_like(one, other);
}

/* SCHEME://HOST[:PORT] of the page that asks. */
static bool is_own_page(const struct robo__http_gate *gate, struct robo__http_text origin,
                        struct robo__http_text host)
{
    const char *scheme = gate->secure ? "https://" : "http://";
    const size_t n = strlen(scheme);
    return origin.n > n && robo__http_is_like((struct robo__http_text){ origin.at, n }, scheme) &&
           is_same((struct robo__http_text){ origin.at + n, origin.n - n }, host);
}

/* Checks the origin that a browser reports. A link that a user follows may come from anywhere: it shows its target, and the
 * page with the link gets nothing of that. */
static bool is_let(const struct robo__http_request *request)
{
    struct robo__http_text site, mode, to;
    if (!robo__http_find(request, "Sec-Fetch-Site", &site))
        return true;
    if (robo__http_is_like(site, "same-origin") || robo__http_is_like(site, "none"))
        return true;
    return robo__http_is(request->method, "GET") &&
           robo__http_find(request, "Sec-Fetch-Mode", &mode) &&
           robo__http_is_like(mode, "navigate") &&
           robo__http_find(request, "Sec-Fetch-Dest", &to) && robo__http_is_like(to, "document");
}

bool robo__http_gate_lists(const struct robo__http_gate *gate,
                           const struct robo__http_request *request)
{
    struct robo__http_text origin;
    if (!robo__http_find(request, "Origin", &origin))
        return false;
    for (const char *at = gate->origins ? gate->origins : ""; *at;) {
        const size_t n = strcspn(at, " ");
        if (robo__http_are_like((struct robo__http_text){ at, n }, origin))
            return true;
        at += n + (at[n] == ' ');
    }
    return false;
}

int robo__http_gate(const struct robo__http_gate *gate, const struct robo__http_request *request,
                    const struct robo__http_target *target, const char **why)
{
    struct robo__http_text host = target->host, origin;
    const bool named = robo__http_find(request, "Host", &host);
    if ((named && !is_ours(gate, host)) ||
        (target->host.n > 0 && (!named || !is_same(host, target->host)))) {
        *why = "this server does not have the name that was asked for: an address in numbers, or "
               "localhost, is one";
        return 421;
    }
    if (named && robo__http_gate_lists(gate, request))
        return 0;
    if (robo__http_find(request, "Origin", &origin) &&
        (!named || !is_own_page(gate, origin, host))) {
        *why = "a page of another server asks";
        return 403;
    }
    if (!is_let(request)) {
        *why = "a page of another server asks";
        return 403;
    }
    return 0;
}
