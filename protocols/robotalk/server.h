/* The RoboTalk protocol, server side (spec/robotalk.md). */
#pragma once

#include "net/conn.h"

extern const struct robo__protocol robo__robotalk;
/* The same by DDS, where a server shows its robots, too (dds/fleet.h). */
extern const struct robo__protocol robo__dds;
