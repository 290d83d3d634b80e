/* Addresses of robots and servers. */
#include "url.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

#include "conn.h"

/* Refused: what was expected. */
static int fail(char why[256], const char *expected)
{
    snprintf(why, 256, "%s", expected);
    return ROBO_EURL;
}

/* host, host:port, [v6]:port; the port stays as it is when none is written */
static int parse_host(const char *text, size_t n, struct robo__url *url, char why[256])
{
    const char *end = text + n, *host = text, *host_end = end, *port = NULL;
    if (n > 0 && *text == '[') {
        host = text + 1;
        host_end = memchr(host, ']', (size_t)(end - host));
        if (!host_end)
            return fail(why, "expected ']' after an IPv6 address");
        if (host_end + 1 < end) {
            if (host_end[1] != ':')
                return fail(why, "expected ':' and a port after ']'");
            port = host_end + 2;
        }
    } else {
        const char *colon = memchr(text, ':', n);
        if (colon) {
            host_end = colon;
            port = colon + 1;
        }
    }
    size_t length = (size_t)(host_end - host);
    if (length == 0 || length >= sizeof url->host)
        return fail(why, "expected a host name of 1 to 255 characters");
    memcpy(url->host, host, length);
    url->host[length] = 0;
    if (port) {
        unsigned long number = 0;
        if (port == end)
            return fail(why, "expected a port after ':'");
        for (; port < end; port++) {
            if (*port < '0' || *port > '9' ||
                (number = number * 10 + (unsigned long)(*port - '0')) > 65535)
                return fail(why, "expected a port of 0 to 65535");
        }
        url->port = (uint16_t)number;
    }
    return 0;
}

static int copy_robot(const char *text, struct robo__url *url, char why[256])
{
    if (strlen(text) >= sizeof url->robot)
        return fail(why, "expected a robot name of at most 31 characters");
    strcpy(url->robot, text);
    return 0;
}

/* PATH#robot */
static int parse_path(const char *text, struct robo__url *url, char why[256])
{
    const char *robot = strchr(text, '#');
    size_t n = robot ? (size_t)(robot - text) : strlen(text);
    if (n == 0 || n >= sizeof((struct sockaddr_un *)0)->sun_path)
        return fail(why, "expected a path of 1 to 107 characters after unix:");
    memcpy(url->host, text, n);
    return robot ? copy_robot(robot + 1, url, why) : 0;
}

/* What follows `prefix` in text, or NULL. */
static const char *after(const char *text, const char *prefix)
{
    size_t n = strlen(prefix);
    return strncmp(text, prefix, n) == 0 ? text + n : NULL;
}

/* No protocol's: which there are. */
static int fail_scheme(char why[256], const struct robo__protocol *const *protocols)
{
    size_t n = (size_t)snprintf(why, 256, "expected ");
    for (; *protocols && n < 256; protocols++)
        n += (size_t)snprintf(why + n, 256 - n, "%s://host[:port]/robot, ", (*protocols)->name);
    if (n < 256)
        snprintf(why + n, 256 - n, "unix:PATH, local:robot or a robot's name");
    return ROBO_EURL;
}

int robo__url_parse(const char *text, const struct robo__protocol *const *protocols,
                    struct robo__url *url, char why[256])
{
    const char *rest = after(text, "local:");
    *url = (struct robo__url){ .protocol = protocols[0], .port = protocols[0]->port };
    why[0] = 0;
    if (rest || !strchr(text, ':')) {
        url->medium = ROBO__LOCAL;
        return copy_robot(rest ? rest : text, url, why);
    }
    rest = after(text, "unix:");
    url->medium = rest ? ROBO__UNIX : ROBO__TCP;
    for (size_t i = 0; !rest && protocols[i]; i++) {
        const char *scheme = after(text, protocols[i]->name);
        if (!scheme)
            continue;
        url->protocol = protocols[i];
        url->port = protocols[i]->port;
        if ((rest = after(scheme, "+unix:")) != NULL)
            url->medium = ROBO__UNIX;
        else
            rest = after(scheme, "://");
    }
    if (!rest)
        return fail_scheme(why, protocols);
    if (url->medium == ROBO__UNIX)
        return parse_path(rest, url, why);
    size_t n = strcspn(rest, "/");
    int error = parse_host(rest, n, url, why);
    if (error == 0 && rest[n] == '/')
        error = copy_robot(rest + n + 1, url, why);
    return error;
}

void robo__url_prefix(const struct robo__url *url, const struct robo__protocol *const *protocols,
                      char prefix[64])
{
    if (url->medium == ROBO__LOCAL)
        strcpy(prefix, "local:");
    else if (url->medium == ROBO__UNIX && url->protocol == protocols[0])
        strcpy(prefix, "unix:");
    else
        snprintf(prefix, 64, url->medium == ROBO__UNIX ? "%s+unix:" : "%s://", url->protocol->name);
}

bool robo__url_is_localhost(const struct robo__url *url)
{
    return strcmp(url->host, "localhost") == 0;
}

bool robo__url_is_loopback(const struct robo__url *url)
{
    if (url->medium != ROBO__TCP || robo__url_is_localhost(url))
        return true;
    struct in_addr v4;
    struct in6_addr v6;
    if (inet_pton(AF_INET, url->host, &v4) == 1)
        return ntohl(v4.s_addr) >> 24 == 127;
    return inet_pton(AF_INET6, url->host, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}
