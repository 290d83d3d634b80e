/* Addresses: SCHEME://host[:port][/robot][?options], SCHEME+tls://host[:port][/robot][?options],
 * [SCHEME+]unix:PATH[?options][#robot], [SCHEME+]local:[robot][?options]; a protocol may name a part, too: robot/part. The scheme names a protocol of a table that the
 * caller hands in; an address without one means the table's first. Options are NAME, NAME=NUMBER, NAME=FILE, NAME=ROLE or NAME=TEXT,
 * with & or a comma between them (so a file's path has neither); the protocol's row says which there are, and those of all addresses
 * and of TLS are here. */
#pragma once

#include <stdbool.h>

#include "robotalk.h"
#include "robotalk/address.h"

struct robo__protocol;

enum { ROBO__OPTIONS = 12 /* of a protocol */, ROBO__URL_TEXTS = 3, ROBO__OPTION_NAME = 31 };

enum robo__medium { ROBO__TCP, ROBO__TLS, ROBO__UNIX, ROBO__LOCAL, ROBO__DDS };

/* The options of all addresses (robo_scheme_common_options), then those of a +tls one (robo_scheme_tls_options), each ended by one
 * without a name; protocols have none of these names. */
enum {
    ROBO__ALLOW,
    ROBO__ROLE,
    ROBO__TOKEN,
    ROBO__COMMON_OPTIONS,
    ROBO__CERT = ROBO__COMMON_OPTIONS + 1,
    ROBO__KEY,
    ROBO__CLIENTS,
    ROBO__TRUST,
    ROBO__URL_OPTIONS
};
extern const struct robo_scheme_option robo__url_options[];

struct robo__url {
    const struct robo__protocol *protocol;
    enum robo__medium medium;
    char host[256]; /* or the path of a unix socket */
    uint16_t port;
    char robot[32];               /* empty: the first */
    char part[32];                /* of the robot, where the protocol names parts; empty: none */
    double option[ROBO__OPTIONS]; /* in the order of the protocol's row */
    /* of its options that are texts, in that order; several with blanks between them */
    char text[ROBO__URL_TEXTS][256];
    uint8_t role; /* enum robo_role of that option; 0: it is not written */
    char file[ROBO__URL_OPTIONS][256];
};

/* protocols ends with NULL. ROBO_EURL with what was expected in why. A text without a colon is a robot of this process. */
int robo__url_parse(const char *text, const struct robo__protocol *const *protocols,
                    struct robo__url *url, char why[256]);

/* Describes a protocol for programs. */
void robo__scheme_of(const struct robo__protocol *protocol, struct robo_scheme *scheme);

/* An address within this process that means that protocol, with its options as they are unless written. */
struct robo__url robo__url_local(const struct robo__protocol *protocol);

/* The part of an address before its host or its path: "robotalk://", "gti+tls://", "unix:", "gti+unix:",
 * "local:". */
void robo__url_prefix(const struct robo__url *url, const struct robo__protocol *const *protocols,
                      char prefix[64]);

/* enum robo_role: watch, drive or operate; 0: none of them. */
uint8_t robo__role_of(const char *text, size_t n);

/* Whether the host is written localhost: both of its addresses, also where nothing resolves the name. */
bool robo__url_is_localhost(const struct robo__url *url);

/* Whether only this machine can reach a listener at url. */
bool robo__url_is_loopback(const struct robo__url *url);
