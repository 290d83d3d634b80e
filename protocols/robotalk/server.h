/* The RoboTalk protocol, server side (spec/robotalk.md). */
#ifndef ROBO_ROBOTALK_SERVE_H
#define ROBO_ROBOTALK_SERVE_H

#include "net/conn.h"

extern const struct robo__protocol robo__robotalk;

#endif
