/* Connections of bytes that a program opens, whatever carries them. */
#include "dial.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "base/time.h"
#include "transport.h"

struct robo_socket {
    struct robo__endpoint end;
    robo_loop *loop;
    struct robo__url url;
    struct robo_dial_options options;
};

static robo_socket *socket_of(struct robo__endpoint *end)
{
    return robo__container_of(end, robo_socket, end);
}

/* Each of these may close the socket. */
static void on_received(struct robo__endpoint *end, const uint8_t *bytes, size_t n, robo_time now)
{
    const struct robo_dial_options *o = &socket_of(end)->options;
    (void)now;
    o->received(o->owner, bytes, n);
}

static void on_writable(struct robo__endpoint *end)
{
    const struct robo_dial_options *o = &socket_of(end)->options;
    if (o->writable)
        o->writable(o->owner);
}

static void on_lost(struct robo__endpoint *end, int error, const char *why)
{
    const struct robo_dial_options *o = &socket_of(end)->options;
    robo__endpoint_close(end);
    o->lost(o->owner, error, why);
}

static int connect_endpoint(robo_socket *s, robo_time timeout, const struct robo_channel *channel,
                            char why[256])
{
    struct robo__loopback *loopback;
    struct robo__contact contact;
    int error;
    if (s->url.medium == ROBO__LOCAL) {
        error = robo__loopback_open(&s->loop->host, &s->url, channel, &loopback);
        if (error == 0)
            robo__endpoint_loopback(&s->end, loopback);
        return error;
    }
    const struct robo__transport *transport = robo__transport_of(s->url.medium);
    why[0] = 0;
    error = transport->connect(&s->url, timeout, &contact, why);
    if (error == 0 && why[0])
        robo__world_log(s->loop->host.world, ROBO_LOG_INFO, "%s", why);
    return error < 0 ? error : transport->attach(&s->end, s->loop, &contact, NULL);
}

int robo__dial(robo_loop *loop, const struct robo__url *url, robo_time timeout,
               const struct robo_dial_options *options, robo_socket **out, char why[256])
{
    struct robo_dial_options o;
    struct robo_channel channel;
    int error = options ? robo__sized_take(&o, sizeof o, options) : ROBO_EINVAL;
    if (error == 0 && o.channel)
        error = robo__sized_take(&channel, sizeof channel, o.channel);
    if (error < 0 || !o.received || !o.lost) {
        snprintf(why, 256, "options without a size, received or lost");
        return ROBO_EINVAL;
    }
    if (!loop->ev && url->medium != ROBO__LOCAL) {
        snprintf(why, 256, "a virtual world has no sockets");
        return ROBO_EINVAL;
    }
    robo_socket *s = malloc(sizeof *s);
    if (!s)
        return ROBO_ENOMEM;
    *s = (robo_socket){ .end = { .turn = ROBO__TURN_MOST,
                                 .received = on_received,
                                 .writable = on_writable,
                                 .lost = on_lost },
                        .loop = loop,
                        .url = *url,
                        .options = o };
    error = connect_endpoint(s, timeout, o.channel ? &channel : NULL, why);
    if (error < 0) {
        free(s);
        return error;
    }
    robo__loop_use(loop);
    robo_socket_want(s, 1, 0);
    *out = s;
    return 0;
}

ptrdiff_t robo_socket_write(robo_socket *s, const void *bytes, size_t n)
{
    ptrdiff_t taken = s->end.transport ? s->end.transport->write(&s->end, bytes, n) : -EPIPE;
    if (taken >= 0)
        return taken;
    errno = (int)-taken;
    return ROBO_ELINK;
}

void robo_socket_want(robo_socket *s, int read, int write)
{
    if (s->end.transport)
        s->end.transport->want(&s->end, read != 0, write != 0);
}

void robo_socket_scheme(const robo_socket *s, struct robo_scheme *scheme)
{
    robo__scheme_of(s->url.protocol, scheme);
}

double robo_socket_option(const robo_socket *s, const char *name)
{
    struct robo_scheme scheme;
    robo_socket_scheme(s, &scheme);
    for (int i = 0; scheme.option[i].name; i++)
        if (strcmp(scheme.option[i].name, name) == 0)
            return s->url.option[i];
    return NAN;
}

int robo_socket_take_fd(robo_socket *s)
{
    if (s->end.transport != &robo__sockets)
        return ROBO_EINVAL;
    robo_socket_want(s, 0, 0);
    s->end.transport = NULL;
    int fd = s->end.in.fd;
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    robo_socket_close(s);
    return fd;
}

void robo_socket_close(robo_socket *s)
{
    if (!s)
        return;
    robo__endpoint_close(&s->end);
    robo__loop_leave(s->loop);
    free(s);
}
