/* The RoboTalk protocol, server side (spec/robotalk.md). */
#pragma once

#include "net/conn.h"

extern const struct robo__protocol robo__robotalk;
