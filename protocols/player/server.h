/* Player 3's protocol, server side (spec/player.md): clients of Player drive the robots of a world. */
#ifndef ROBO_PLAYER_SERVER_H
#define ROBO_PLAYER_SERVER_H

#include "net/conn.h"

extern const struct robo__protocol robo__player;

#endif
