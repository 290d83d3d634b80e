/* The Golog-Tekkotsu interface, server side (spec/gti.md). */
#pragma once

#include "robotalk/gti.h"
#include "net/conn.h"

extern const struct robo__protocol robo__gti;

/* The layout of structures that an address asks for. */
struct robo_gti_format robo__gti_format_of(const struct robo__url *url);
