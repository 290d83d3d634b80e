/* Links of pages, and their cookies. */
#include "links.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { COOKIES = 64, LIFE = 43200 /* s */ };

struct links {
    struct cookie {
        bool given;
        uint8_t hash[ROBO__HASH], link[ROBO__HASH];
        time_t until;
    } cookie[COOKIES];
    unsigned next; /* is replaced then */
};

static struct links *links_of(struct robo__host *host)
{
    static const char key;
    return robo__host_part(host, &key, sizeof(struct links));
}

static bool is_used(const struct links *links, const uint8_t link[ROBO__HASH])
{
    bool used = false;
    for (unsigned i = 0; i < COOKIES; i++)
        used |= links->cookie[i].given && robo__secret_same(links->cookie[i].link, link);
    return used;
}

/* Whether the link lets in now; the log has why its list cannot be read. */
static bool is_open(struct robo__conn *conn, const uint8_t link[ROBO__HASH])
{
    char why[256] = "";
    const int open = robo__access_open_link(conn->access, link, time(NULL), why);
    if (open < 0)
        robo__complain_of(conn->host, ROBO__IN_VAIN, why);
    return open > 0;
}

/* The cookie's name, with its "=": a browser gives the cookies of a host to all of its ports. */
static size_t name_cookie(char name[24], uint16_t port)
{
    return (size_t)snprintf(name, 24, "robotalk-%u=", port);
}

bool robo__web_enter(struct robo__conn *conn, uint16_t port, const char *secret,
                     char cookie[ROBO__WEB_COOKIE])
{
    struct links *links = links_of(conn->host);
    char value[ROBO__TOKEN_TEXT], why[256], name[24];
    uint8_t link[ROBO__HASH];
    if (!links || !conn->access || !robo__secret_hash(secret, strlen(secret), link) ||
        is_used(links, link) || !is_open(conn, link))
        return false;
    if (!cookie)
        return true;
    struct cookie *c = &links->cookie[links->next];
    if (robo__secret_token(value, why) < 0 || !robo__secret_hash(value, strlen(value), c->hash))
        return false;
    links->next = (links->next + 1) % COOKIES;
    name_cookie(name, port);
    c->given = true;
    c->until = time(NULL) + LIFE;
    memcpy(c->link, link, sizeof link);
    snprintf(cookie, ROBO__WEB_COOKIE,
             "%s%s; Path=/; Max-Age=%d; HttpOnly; Secure; SameSite=Strict", name, value, LIFE);
    return true;
}

void robo__web_take_cookie(struct robo__conn *conn, uint16_t port,
                           const struct robo__http_request *request)
{
    char name[24];
    struct robo__http_text text;
    uint8_t hash[ROBO__HASH];
    conn->credentials.has_page = false;
    if (!conn->access || !conn->access->listed || !robo__http_find(request, "Cookie", &text))
        return;
    const size_t n = name_cookie(name, port), value = ROBO__TOKEN_TEXT - 1;
    for (const char *at = text.at, *end = at + text.n; at < end;
         at = (at = memchr(at, ';', (size_t)(end - at))) ? at + 1 : end) {
        while (at < end && *at == ' ')
            at++;
        struct links *links = links_of(conn->host);
        if ((size_t)(end - at) < n + value || memcmp(at, name, n) != 0 || !links ||
            !robo__secret_hash(at + n, value, hash))
            continue;
        for (unsigned i = 0; i < COOKIES; i++) {
            const struct cookie *c = &links->cookie[i];
            if (!c->given || !robo__secret_same(c->hash, hash) || c->until < time(NULL))
                continue;
            conn->credentials.has_page = true;
            memcpy(conn->credentials.page, c->link, sizeof c->link);
        }
        return;
    }
}
