/* The protocols that have addresses here, ended by NULL. listen = "SCHEME://host" finds its row here; unix:PATH is the first's.
 * A further protocol is a folder beside this file and a row in protocols.c. */
#ifndef ROBO_PROTOCOLS_H
#define ROBO_PROTOCOLS_H

#include "net/conn.h"

extern const struct robo__protocol *const robo__protocols[];

#endif
