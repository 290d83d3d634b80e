/* Devices that a script has claimed, for the files that share them. On the script's thread. */
#pragma once

#include <lua.h>

#include "robotalk.h"

/* Of the handle that is the first argument; raises when the device is gone. */
robo_claim *check_device(lua_State *L);
/* The result of a call on a device, except where the device has gone. */
int check_gone(lua_State *L, int result);

/* Functions of panics, into the table on top. */
void open_device_panics(lua_State *L);
