/* A robot behind a server of Player 3, as P2OS's or Stage's are (spec/player.md): base, head, sensors, battery, camera. Its thread
 * keeps a connection, and makes another one when that is lost; commands are written by the caller's thread. For real devices: it
 * uses the real clock. */
#ifndef ROBO_PLAYER_DRIVER_H
#define ROBO_PLAYER_DRIVER_H

#include "robotalk.h"

extern const robo_driver robo_player_driver;

#endif
