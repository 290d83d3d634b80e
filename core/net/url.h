/* Addresses: robotalk://host[:port]/robot, unix:PATH, local:robot. */
#ifndef ROBO_URL_H
#define ROBO_URL_H

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

/* Whether the host is written localhost: both of its addresses, also where nothing resolves the name. */
bool robo__url_is_localhost(const struct robo__url *url);

/* Whether only this machine can reach what listens at url. */
bool robo__url_is_loopback(const struct robo__url *url);

#endif
