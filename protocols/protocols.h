/* The protocols that have addresses here, ended by NULL. listen = "SCHEME://host" finds its row here; unix:PATH is the first's.
 * A further protocol is a folder beside this file and a row in protocols.c. */
#pragma once

#include "net/conn.h"

extern const struct robo__protocol *const robo__protocols[];

/* Rows whose folders have no header for others. */
extern const struct robo__protocol robo__foxglove; /* its WebSocket, spec/foxglove.md */
extern const struct robo__protocol robo__gamebots; /* USARSim's, spec/gamebots.md */
extern const struct robo__protocol
    robo__images; /* senders of pictures that are kept, spec/images.md */
extern const struct robo__protocol robo__player;    /* Player 3's, spec/player.md */
extern const struct robo__protocol robo__rctp;      /* paper 001, section 4; spec/rctp.md */
extern const struct robo__protocol robo__rosbridge; /* pages of roslib, spec/rosbridge.md */
extern const struct robo__protocol robo__upis;      /* USARSim's image server, spec/images.md */
