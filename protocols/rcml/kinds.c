/* Node types, field types and aliases by their names. */
#include "rcml/kinds.h"

#include <string.h>

static const struct {
    const char *name;
    unsigned width;
} types[ROBO_SCENE_TYPES] = {
    [ROBO_SF_BOOL] = { "SFBool", 1 },         [ROBO_SF_COLOR] = { "SFColor", 3 },
    [ROBO_SF_FLOAT] = { "SFFloat", 1 },       [ROBO_SF_IMAGE] = { "SFImage", 1 },
    [ROBO_SF_INT32] = { "SFInt32", 1 },       [ROBO_SF_NODE] = { "SFNode", 1 },
    [ROBO_SF_ROTATION] = { "SFRotation", 4 }, [ROBO_SF_STRING] = { "SFString", 1 },
    [ROBO_SF_TIME] = { "SFTime", 1 },         [ROBO_SF_VEC2F] = { "SFVec2f", 2 },
    [ROBO_SF_VEC3F] = { "SFVec3f", 3 },       [ROBO_MF_COLOR] = { "MFColor", 3 },
    [ROBO_MF_FLOAT] = { "MFFloat", 1 },       [ROBO_MF_INT32] = { "MFInt32", 1 },
    [ROBO_MF_NODE] = { "MFNode", 1 },         [ROBO_MF_ROTATION] = { "MFRotation", 4 },
    [ROBO_MF_STRING] = { "MFString", 1 },     [ROBO_MF_TIME] = { "MFTime", 1 },
    [ROBO_MF_VEC2F] = { "MFVec2f", 2 },       [ROBO_MF_VEC3F] = { "MFVec3f", 3 },
};

static bool is_text(const char *name, const char *text, size_t size)
{
    return strncmp(name, text, size) == 0 && name[size] == 0;
}

const char *robo_scene_type_name(enum robo_scene_type type)
{
    return (unsigned)type < ROBO_SCENE_TYPES ? types[type].name : NULL;
}

unsigned robo_scene_type_width(enum robo_scene_type type)
{
    return (unsigned)type < ROBO_SCENE_TYPES ? types[type].width : 0;
}

bool robo__type_find(const char *name, size_t size, enum robo_scene_type *type)
{
    for (unsigned i = 0; i < ROBO_SCENE_TYPES; i++)
        if (is_text(types[i].name, name, size)) {
            *type = (enum robo_scene_type)i;
            return true;
        }
    return false;
}

static const struct robo_scene_kind *search(const struct robo_scene_kind *list, unsigned count,
                                            const char *name, size_t size)
{
    unsigned first = 0, end = count;
    while (first < end) {
        const unsigned middle = (first + end) / 2;
        int order = strncmp(name, list[middle].name, size);
        if (order == 0 && list[middle].name[size])
            order = -1;
        if (order == 0)
            return list + middle;
        if (order < 0)
            end = middle;
        else
            first = middle + 1;
    }
    return NULL;
}

enum { PREFIX = sizeof "RCML_" - 1 };

bool robo__kind_is_rcml(const char *name, size_t size)
{
    return size > PREFIX &&
           (memcmp(name, "RCML_", PREFIX) == 0 || memcmp(name, "Rcml_", PREFIX) == 0);
}

const struct robo_scene_kind *robo__kind_find(const char *name, size_t size)
{
    char other[64] = "RCML_";
    if (!robo__kind_is_rcml(name, size))
        return search(robo__vrml_kinds, ROBO__VRML_KINDS, name, size);
    if (size >= sizeof other)
        return NULL;
    memcpy(other + PREFIX, name + PREFIX, size - PREFIX);
    return search(robo__rcml_kinds, ROBO__RCML_KINDS, other, size);
}

const struct robo_scene_kind *robo_scene_kind_at(unsigned number)
{
    if (number < ROBO__VRML_KINDS)
        return robo__vrml_kinds + number;
    number -= ROBO__VRML_KINDS;
    return number < ROBO__RCML_KINDS ? robo__rcml_kinds + number : NULL;
}

const struct robo_scene_declaration *
robo__declaration_find(const struct robo_scene_declaration *list, uint32_t count, const char *name,
                       size_t size)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i].name[0] == name[0] && is_text(list[i].name, name, size))
            return list + i;
    if (!robo__kind_is_rcml(name, size))
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        if (robo__kind_is_rcml(list[i].name, strlen(list[i].name)) &&
            is_text(list[i].name + PREFIX, name + PREFIX, size - PREFIX))
            return list + i;
    return NULL;
}

const struct robo_scene_declaration *robo_scene_declared(const struct robo_scene_kind *kind,
                                                         const char *name)
{
    return name[0]
               ? robo__declaration_find(kind->declaration, kind->declarations, name, strlen(name))
               : NULL;
}

const struct robo_scene_declaration *robo__event_find(const struct robo_scene_declaration *list,
                                                      uint32_t count, const char *name, size_t size,
                                                      enum robo_scene_access access)
{
    enum { BEFORE = sizeof "set_" - 1, BEHIND = sizeof "_changed" - 1 };
    const struct robo_scene_declaration *d = robo__declaration_find(list, count, name, size);
    if (d && (d->access == access || d->access == ROBO_SCENE_EXPOSED))
        return d;
    if (access == ROBO_SCENE_EVENT_IN && size > BEFORE && memcmp(name, "set_", BEFORE) == 0)
        d = robo__declaration_find(list, count, name + BEFORE, size - BEFORE);
    else if (access == ROBO_SCENE_EVENT_OUT && size > BEHIND &&
             memcmp(name + size - BEHIND, "_changed", BEHIND) == 0)
        d = robo__declaration_find(list, count, name, size - BEHIND);
    return d && d->access == ROBO_SCENE_EXPOSED ? d : NULL;
}

bool robo__alias_find(const char *name, size_t size, int32_t *value)
{
    static const struct {
        const char *name;
        int32_t value;
    } aliases[] = {
        { "float_type", 0 }, { "integer_type", 1 }, { "bool_type", 2 },    { "h_scroll", 0 },
        { "v_scroll", 1 },   { "Time_Driven", 0 },  { "Event_Driven", 1 },
    };
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (is_text(aliases[i].name, name, size)) {
            *value = aliases[i].value;
            return true;
        }
    return false;
}
