/* Addresses and sockets: robotalk://host[:port]/robot, unix:PATH, local:robot. */
#ifndef ROBO_SOCKET_H
#define ROBO_SOCKET_H

#include <stdbool.h>

#include "robotalk.h"

enum robo__scheme { ROBO__TCP, ROBO__UNIX, ROBO__LOCAL };

struct robo__url {
    enum robo__scheme scheme;
    char host[256]; /* or the path of a unix socket */
    uint16_t port;
    char robot[32]; /* empty: the first */
};

/* ROBO_EURL with what was expected in text. A text without a scheme is a robot of this process. */
int robo__url_parse(const char *text, struct robo__url *url, char why[256]);

/* A connected, close-on-exec socket, TCP_NODELAY on; waits at most `timeout`. Tries every address of the
 * host, IPv6 and IPv4. A descriptor, or ROBO_EADDRESS, ROBO_ETIMEOUT with words in why. */
int robo__socket_connect(const struct robo__url *url, robo_time timeout, char why[256]);

/* What a connection of ours is like, once it is there: no waiting for more bytes before any are sent, and an end that
 * is gone without a word is noticed within half a minute, whether bytes are under way or not. A unix socket refuses
 * all of it, and needs none. */
void robo__socket_tune(int fd);

/* Listening, non-blocking descriptors for all addresses of the host, at most n: how many. A port of 0 picks
 * one, told in url->port. A path where a dead socket lies is taken over; a living one is ROBO_EADDRESS. */
int robo__socket_listen(struct robo__url *url, int *fds, int n, char why[256]);

/* Whether only this machine can reach what listens at url. */
bool robo__url_is_loopback(const struct robo__url *url);

#endif
