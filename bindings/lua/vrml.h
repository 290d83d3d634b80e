/* Shared by the two sides of scenes (vrml.c, vrml_write.c). */
#pragma once

#include "robotalk/rcml.h"
#include "runtime.h"

/* A userdatum, so that the collector closes the scene whatever happens; NULL is in it. */
robo_scene **new_scene(lua_State *L);
int l_vrml_write(lua_State *L);
