/* What is spoken where something else is expected, told by its first bytes. No protocol here begins so. */
#ifndef ROBO_FOREIGN_H
#define ROBO_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether these bytes begin a TLS handshake. */
bool robo__is_tls(const uint8_t *bytes, size_t n);

/* Whether these bytes begin an HTTP request: its method and the blank behind it. Any page in a browser can send one to any port
 * of this machine, with lines of its own behind it; so who speaks a protocol of lines asks before it works on the first of them,
 * as servers do of the first bytes that come (server.c). */
bool robo__is_http(const uint8_t *bytes, size_t n);

#endif
