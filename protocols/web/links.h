/* Links that let a browser in: `robotalk keys page` lists the hash of a secret, and prints a link that has it. Within 5 minutes the server
 * takes that by a POST, once, and gives the browser a cookie for it, which no script reads and which goes to no other page's requests.
 * Cookies belong to the host (net/host.h), and end with it; so does one whose link is not listed any more. */
#pragma once

#include "http/request.h"
#include "net/conn.h"

enum { ROBO__WEB_COOKIE = 200 };

/* The value of Set-Cookie for that link's secret, at the server of that port; cookie NULL: whether there would be one, and nothing is spent.
 * false: the secret is not listed, too old, or used. */
bool robo__web_enter(struct robo__conn *conn, uint16_t port, const char *secret,
                     char cookie[ROBO__WEB_COOKIE]);

/* Takes the cookie of a request as one of the client's proofs, in place of that of the request before. */
void robo__web_take_cookie(struct robo__conn *conn, uint16_t port,
                           const struct robo__http_request *request);
