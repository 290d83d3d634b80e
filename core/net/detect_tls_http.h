/* Detects TLS or HTTP on ports of other protocols, by the first bytes. No protocol here begins with
 * these bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether these bytes begin a TLS handshake. */
bool robo__is_tls(const uint8_t *bytes, size_t n);

/* Whether these bytes begin an HTTP request: its method and the blank behind it. Any page in a browser can send one to any
 * port of this machine, with lines of its own behind it. So a protocol of lines checks before it executes the first line, and
 * servers check the first bytes that arrive (server.c). */
bool robo__is_http(const uint8_t *bytes, size_t n);
