/* Sockets that connect to an address, and that listen at one. */
#ifndef ROBO_SOCKET_H
#define ROBO_SOCKET_H

#include "url.h"

/* ns that a recv of a connected socket sleeps at most, so that timers are seen to. */
enum { ROBO__NAP = 20 * 1000000 };

/* A connected, blocking, close-on-exec socket, TCP_NODELAY on; waits at most `timeout`. Tries every address of the
 * host, IPv6 and IPv4. A descriptor, or ROBO_EADDRESS, ROBO_ETIMEOUT with words in why. */
int robo__socket_connect(const struct robo__url *url, robo_time timeout, char why[256]);

/* What a connection of ours is like, once it is there: no waiting for more bytes before any are sent, and an end that
 * is gone without a word is noticed within half a minute, whether bytes are under way or not. A unix socket refuses
 * all of it, and needs none. */
void robo__socket_tune(int fd);

/* Listening, non-blocking descriptors for all addresses of the host, at most n: how many. A port of 0 picks
 * one, told in url->port. A path where a dead socket lies is taken over; a living one is ROBO_EADDRESS. */
int robo__socket_listen(struct robo__url *url, int *fds, int n, char why[256]);

#endif
