/* A driver whose work is done in Lua: commands go into a ring, the script's runtime takes them out. */
#ifndef ROBO_LUA_DEVICE_H
#define ROBO_LUA_DEVICE_H

#include "robotalk.h"

extern const robo_driver lua_driver;

#endif
