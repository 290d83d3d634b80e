/* Addresses of robots and servers. */
#include "url.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

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

int robo__url_parse(const char *text, struct robo__url *url, char why[256])
{
    *url = (struct robo__url){ .port = ROBO_PORT };
    why[0] = 0;
    if (strncmp(text, "unix:", 5) == 0) {
        url->scheme = ROBO__UNIX;
        const char *robot = strchr(text, '#'); /* unix:PATH#robot */
        size_t n = robot ? (size_t)(robot - text) - 5 : strlen(text) - 5;
        if (n == 0 || n >= sizeof((struct sockaddr_un *)0)->sun_path)
            return fail(why, "expected a path of 1 to 107 characters after unix:");
        memcpy(url->host, text + 5, n);
        return robot ? copy_robot(robot + 1, url, why) : 0;
    }
    if (strncmp(text, "local:", 6) == 0 || !strstr(text, ":")) {
        url->scheme = ROBO__LOCAL;
        return copy_robot(strncmp(text, "local:", 6) == 0 ? text + 6 : text, url, why);
    }
    if (strncmp(text, "robotalk://", 11) != 0)
        return fail(
            why, "expected robotalk://host[:port]/robot, unix:PATH, local:robot or a robot's name");
    url->scheme = ROBO__TCP;
    text += 11;
    size_t n = strcspn(text, "/");
    int error = parse_host(text, n, url, why);
    if (error == 0 && text[n] == '/')
        error = copy_robot(text + n + 1, url, why);
    return error;
}

bool robo__url_is_localhost(const struct robo__url *url)
{
    return strcmp(url->host, "localhost") == 0;
}

bool robo__url_is_loopback(const struct robo__url *url)
{
    if (url->scheme != ROBO__TCP || robo__url_is_localhost(url))
        return true;
    struct in_addr v4;
    struct in6_addr v6;
    if (inet_pton(AF_INET, url->host, &v4) == 1)
        return ntohl(v4.s_addr) >> 24 == 127;
    return inet_pton(AF_INET6, url->host, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}
