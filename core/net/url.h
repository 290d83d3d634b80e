/* Addresses: SCHEME://host[:port][/robot][?options], SCHEME+tls://host[:port][/robot][?options],
 * [SCHEME+]unix:PATH[?options][#robot], [SCHEME+]local:[robot][?options]. The scheme names a protocol of a table that the
 * caller hands in; an address without one means the table's first. Options are NAME, NAME=NUMBER or NAME=FILE, with & or a
 * comma between them (so a file's path has neither); the protocol's row says which there are, and those of TLS are here. */
#ifndef ROBO_URL_H
#define ROBO_URL_H

#include <stdbool.h>

#include "robotalk.h"

struct robo__protocol;

enum { ROBO__OPTIONS = 8 /* of a protocol */, ROBO__OPTION_NAME = 31 };

enum robo__medium { ROBO__TCP, ROBO__TLS, ROBO__UNIX, ROBO__LOCAL };

/* The options of a +tls address (robo_scheme_tls_options), ended by one without a name; protocols have none of these names. */
enum { ROBO__CERT, ROBO__KEY, ROBO__CLIENTS, ROBO__TRUST, ROBO__TLS_OPTIONS };
extern const struct robo_scheme_option robo__tls_options[];

struct robo__url {
    const struct robo__protocol *protocol;
    enum robo__medium medium;
    char host[256]; /* or the path of a unix socket */
    uint16_t port;
    char robot[32];               /* empty: the first */
    double option[ROBO__OPTIONS]; /* in the order of the protocol's row */
    char file[ROBO__TLS_OPTIONS][256];
};

/* protocols ends with NULL. ROBO_EURL with what was expected in why. A text without a colon is a robot of this process. */
int robo__url_parse(const char *text, const struct robo__protocol *const *protocols,
                    struct robo__url *url, char why[256]);

/* What programs see of a protocol. */
void robo__scheme_of(const struct robo__protocol *protocol, struct robo_scheme *scheme);

/* An address within this process that means that protocol, with its options as they are unless written. */
struct robo__url robo__url_local(const struct robo__protocol *protocol);

/* The part of an address before its host or its path: "robotalk://", "gti+tls://", "unix:", "gti+unix:",
 * "local:". */
void robo__url_prefix(const struct robo__url *url, const struct robo__protocol *const *protocols,
                      char prefix[64]);

/* Whether the host is written localhost: both of its addresses, also where nothing resolves the name. */
bool robo__url_is_localhost(const struct robo__url *url);

/* Whether only this machine can reach what listens at url. */
bool robo__url_is_loopback(const struct robo__url *url);

#endif
