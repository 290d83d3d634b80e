/* The options of a server's address, rctp://HOST?stamp=4&mask: when commands of the robots' inputs come, and how. */
#pragma once

#include "rcml/objects.h"
#include "robotalk.h"
#include "robotalk/address.h"

/* Ends with a NULL name; the values of an address are in this order. */
extern const struct robo_scheme_option robo__rctp_options[];

/* How commands come by these. */
struct robo__rcml_group robo__rctp_group_of(const double *option);

/* Whether robots' files show their surroundings. */
bool robo__rctp_shows_world(const double *option);

/* Their fault; NULL: none. */
const char *robo__rctp_wrong_options(const double *option);
