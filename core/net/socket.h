/* Sockets that connect to an address or listen at one. */
#pragma once

#include "url.h"

/* Longest sleep of a recv on a connected socket, ns, so that timers run in time. */
enum { ROBO__NAP = 20 * 1000000 };

/* A connected, blocking, close-on-exec socket, TCP_NODELAY on; waits at most `timeout`. Tries every address of
 * the host, IPv6 and IPv4. A descriptor, or ROBO_EADDRESS, ROBO_ETIMEOUT with a message in why. */
int robo__socket_connect(const struct robo__url *url, robo_time timeout, char why[256]);

/* Bytes of a TCP connection that the kernel keeps before it sends them. Above that a socket takes no more, so that the newest
 * data is chosen late: a picture that waits there cannot be replaced by a newer one. */
enum { ROBO__UNSENT = 1 << 16 };

/* Options of a connected socket: bytes are sent without delay (TCP_NODELAY), few wait in the kernel (ROBO__UNSENT), and a dead peer is
 * noticed within half a minute, with or without bytes in transit (keepalive, user timeout). A unix socket refuses these options and needs
 * none. */
void robo__socket_tune(int fd);

/* The system takes no more than about so many bytes that TCP has not sent yet; other sockets stay as they are. */
void robo__socket_keep_back(int fd, int bytes);

/* The address of the other end of a connected socket, "" if it has none. */
void robo__socket_peer(int fd, char text[64]);

enum { ROBO__ORIGIN = 8 /* bytes */ };

/* The machine at the other end, as far as its address identifies it: that of IPv4; of IPv6 the network, since one machine has as
 * many addresses there as it likes, or, within a link, the machine. By a UNIX socket the user of this one: 0, 0, 0, 1, and the
 * number. */
void robo__socket_origin(int fd, uint8_t origin[ROBO__ORIGIN]);

/* Listening, non-blocking descriptors for all addresses of the host, at most n; returns how many. A port of 0
 * picks one and stores it in url->port. The path of a dead socket is replaced; that of a live one is
 * ROBO_EADDRESS. */
int robo__socket_listen(struct robo__url *url, int *fds, int n, char why[256]);
