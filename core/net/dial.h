/* Connections of bytes that a program opens to an address: struct robo_socket of robotalk/socket.h. */
#pragma once

#include "url.h"
#include "robotalk/socket.h"

/* Connects. ROBO_EINVAL: a virtual world has no sockets, or options without a size or a function that may not be NULL;
 * with a message in why. */
int robo__dial(robo_loop *loop, const struct robo__url *url, robo_time timeout,
               const struct robo_dial_options *options, robo_socket **socket, char why[256]);
