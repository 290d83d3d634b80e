/* The table of protocols, and the search of a row by an address: servers, and connections of bytes. */
#include "protocols.h"

#include <stdio.h>
#include <string.h>

#include "base/sized.h"
#include "gti/server.h"
#include "net/dds.h"
#include "net/dial.h"
#include "net/server.h"
#include "robotalk/server.h"

const struct robo__protocol *const robo__protocols[] = {
    &robo__robotalk, &robo__gti,       &robo__rctp,     &robo__gamebots, &robo__player, &robo__upis,
    &robo__images,   &robo__rosbridge, &robo__foxglove, &robo__dds,      NULL
};

int robo_scheme_at(unsigned number, struct robo_scheme *scheme)
{
    enum { PROTOCOLS = sizeof robo__protocols / sizeof robo__protocols[0] - 1 };
    if (number >= PROTOCOLS)
        return ROBO_ENONE;
    robo__scheme_of(robo__protocols[number], scheme);
    return 0;
}

/* Writes the address and the reason: a long address is cut to its beginning, so that the reason fits. */
static int refuse_address(const char *url, const char *what, char why[256])
{
    enum { SHOWN = 48 }; /* bytes */
    snprintf(why, 256, "%.*s%s is nothing to listen at: ", SHOWN, url,
             strlen(url) > SHOWN ? "..." : "");
    strncat(why, what, 255 - strlen(why));
    return ROBO_EURL;
}

/* A shorter lease would end between two commands; a longer one would keep other clients from taking over. */
static const robo_time LEAST_LEASE = 100 * 1000000, MOST_LEASE = 3600LL * 1000000000;

static int serve(robo_loop *loop, const char *text, const struct robo_serve_options *options,
                 robo_server **server, char why[256])
{
    struct robo_serve_options o;
    struct robo__url url;
    char what[256] = "";
    int error = robo__sized_take(&o, sizeof o, options);
    if (error < 0 || robo_is_virtual(loop->host.world)) {
        strcpy(why, error < 0 ? "options without a size" : "a virtual world has no sockets");
        return ROBO_EINVAL;
    }
    if (o.lease != 0 && (o.lease < LEAST_LEASE || o.lease > MOST_LEASE)) {
        strcpy(why, "lease: expected seconds, 0.1 to 3600");
        return ROBO_ERANGE;
    }
    error = robo__url_parse(text, robo__protocols, &url, what);
    if (error == 0 && url.medium == ROBO__LOCAL) {
        strcpy(
            what,
            "it is an address within this process; expected robotalk://host[:port] or unix:PATH");
        error = ROBO_EURL;
    }
    if (error == 0)
        error = robo__dds_site(&url, what);
    if (error < 0)
        return error == ROBO_EURL ? refuse_address(text, what, why) : error;
    bool started = robo__loop_pause(loop);
    error = robo__server_open(loop, &url, &o, server, why);
    robo__loop_resume(loop, started);
    if (error == 0 && o.lease != 0)
        robo__world_set_lease(loop->host.world, o.lease);
    return error;
}

/* Stores the result where the caller has room for that, and its message, if there is one. */
static void tell(int result, int *error, const char *words, char why[256])
{
    if (error)
        *error = result;
    if (why && result < 0)
        snprintf(why, 256, "%s", words[0] ? words : robo_strerror(result));
}

robo_server *robo_serve(robo_loop *loop, const char *url, const struct robo_serve_options *options,
                        int *error, char why[256])
{
    char words[256] = "";
    robo_server *server = NULL;
    const int result = serve(loop, url, options, &server, words);
    tell(result, error, words, why);
    return result < 0 ? NULL : server;
}

robo_socket *robo_dial(robo_loop *loop, const char *text, robo_time timeout,
                       const struct robo_dial_options *options, int *error, char why[256])
{
    char words[256] = "";
    struct robo__url url;
    robo_socket *socket = NULL;
    int result = robo__url_parse(text, robo__protocols, &url, words);
    if (result == 0)
        result = robo__dial(loop, &url, timeout, options, &socket, words);
    tell(result, error, words, why);
    return socket;
}

void robo_server_url(const robo_server *server, char text[320])
{
    const struct robo__url *url = robo__server_address(server);
    char prefix[64];
    robo__url_prefix(url, robo__protocols, prefix);
    if (url->medium == ROBO__UNIX)
        snprintf(text, 320, "%s%.255s", prefix, url->host);
    else if (url->medium == ROBO__DDS)
        snprintf(text, 320, "%s%.200s%s%s", prefix, url->host, url->part[0] ? "/" : "", url->part);
    else
        snprintf(text, 320, strchr(url->host, ':') ? "%s[%.240s]:%u" : "%s%.240s:%u", prefix,
                 url->host, url->port);
}

robo_dds *robo_dds_open(robo_loop *loop, const char *text, int *error, char why[256])
{
    static const struct robo__protocol *const dds[] = { &robo__dds, NULL };
    struct robo__url url;
    int unused;
    char ignored[256];
    if (!error)
        error = &unused;
    if (!why)
        why = ignored;
    *error =
        robo_is_virtual(loop->host.world) ? ROBO_EINVAL : robo__url_parse(text, dds, &url, why);
    if (*error == ROBO_EINVAL)
        strcpy(why, "a virtual world has no DDS");
    if (*error == 0 && url.medium != ROBO__DDS) {
        strcpy(why, "expected dds://DOMAIN[/PARTITION]");
        *error = ROBO_EURL;
    }
    if (*error == 0)
        *error = robo__dds_site(&url, why);
    return *error == 0 ? robo__dds_open(loop, &url, error, why) : NULL;
}
