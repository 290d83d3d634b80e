/* The Gamebots protocol of USARSim, server side (spec/gamebots.md). */
#ifndef ROBO_GAMEBOTS_SERVER_H
#define ROBO_GAMEBOTS_SERVER_H

#include "net/conn.h"

extern const struct robo__protocol robo__gamebots;

#endif
