/* May change without notice between versions. */
/* Addresses: the protocols that they name, and their options. */
#pragma once

#include "robotalk/base.h"

ROBO_API_BEGIN

/* ---- addresses ----
 *
 * SCHEME://host[:port][/robot][?options], SCHEME+tls://host[:port][/robot][?options], [SCHEME+]unix:PATH[?options][#robot],
 * [SCHEME+]local:[robot][?options]. The scheme names a protocol; an address without one is of the first. Options are NAME,
 * NAME=NUMBER, NAME=FILE, NAME=ROLE or NAME=TEXT, with & or a comma between them. */

enum robo_scheme_option_kind {
    ROBO_SCHEME_FLAG,
    ROBO_SCHEME_NUMBER,
    ROBO_SCHEME_FILE,
    ROBO_SCHEME_ROLE,
    ROBO_SCHEME_TEXT
};

/* An option that addresses of a scheme may give. */
struct robo_scheme_option {
    const char *name;
    /* A flag is 1 when its name is written, else 0. A number is between least and most, `otherwise` unless written. A file is
     * a path, "" unless written. A role is watch, drive or operate. A text is any, "" unless written; of one that is written several
     * times all count, with blanks between them. Protocols have flags, numbers and texts alone. */
    enum robo_scheme_option_kind kind;
    double least, most, otherwise;
    const char *doc; /* one sentence without its end, with the unit */
};

/* A protocol of the library, as addresses name it. */
struct robo_scheme {
    const char *name;
    uint16_t port;                           /* meant by an address that names none */
    const struct robo_scheme_option *option; /* as many as it has, ended by one without a name */
};

/* That scheme, from 0: 0; ROBO_ENONE: there are fewer. The memory that it points to is static. */
int robo_scheme_at(unsigned number, struct robo_scheme *scheme);
/* The options of all addresses, and those of all addresses with +tls, each ended by one without a name; static. */
const struct robo_scheme_option *robo_scheme_common_options(void);
const struct robo_scheme_option *robo_scheme_tls_options(void);

ROBO_API_END
