/* USARSim's image server (spec/images.md): pictures of a camera, one for each request. */
#ifndef ROBO_UPIS_SERVER_H
#define ROBO_UPIS_SERVER_H

#include "net/conn.h"

extern const struct robo__protocol robo__upis;

#endif
