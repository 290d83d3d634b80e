/* Node types that need not be declared: the 54 of VRML97, and the 15 of RCML. */
#pragma once

#include "robotalk/rcml.h"

enum { ROBO__VRML_KINDS = 54, ROBO__RCML_KINDS = 15 };
/* Sorted by name; tables.lua makes them of kinds_vrml.txt and kinds_rcml.txt. */
extern const struct robo_scene_kind robo__vrml_kinds[ROBO__VRML_KINDS];
extern const struct robo_scene_kind robo__rcml_kinds[ROBO__RCML_KINDS];

/* NULL: there is none of that name. RCML nodes are found by Rcml_, too. */
const struct robo_scene_kind *robo__kind_find(const char *name, size_t size);
/* Whether a node type, or a field, is named as those of RCML are. */
bool robo__kind_is_rcml(const char *name, size_t size);

/* The declaration of that name in a kind; of RCML fields also by Rcml_. */
const struct robo_scene_declaration *
robo__declaration_find(const struct robo_scene_declaration *list, uint32_t count, const char *name,
                       size_t size);
/* The declaration that has this event: itself, or an exposedField x by x, set_x or x_changed. access: which event. */
const struct robo_scene_declaration *robo__event_find(const struct robo_scene_declaration *list,
                                                      uint32_t count, const char *name, size_t size,
                                                      enum robo_scene_access access);

/* The number of a table 3 alias (float_type, Time_Driven, …); false: it is none. */
bool robo__alias_find(const char *name, size_t size, int32_t *value);
/* A type by its name; false: there is none. */
bool robo__type_find(const char *name, size_t size, enum robo_scene_type *type);
