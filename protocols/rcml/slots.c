/* Which nodes may stand in which field of a node of VRML97 (ISO/IEC 14772-1, 4.6.5 and the node reference). An instance of a PROTO
 * counts as the first node of its body. */
#include <string.h>

#include "rcml/reader.h"

/* The categories of nodes, by their allowed places. */
enum category {
    CHILD,
    GEOMETRY,
    APPEARANCE,
    MATERIAL,
    TEXTURE,
    TEXTURE_TRANSFORM,
    COLOR,
    COORDINATE,
    NORMAL,
    TEXTURE_COORDINATE,
    FONT_STYLE,
    AUDIO_CLIP,
    MOVIE, /* a texture, and a sound's source */
    ANY    /* not known, or anything */
};

/* All other nodes stand among the children of a group. */
static const struct {
    const char *name;
    enum category category;
} nodes[] = {
    { "Appearance", APPEARANCE },
    { "AudioClip", AUDIO_CLIP },
    { "Box", GEOMETRY },
    { "Color", COLOR },
    { "Cone", GEOMETRY },
    { "Coordinate", COORDINATE },
    { "Cylinder", GEOMETRY },
    { "ElevationGrid", GEOMETRY },
    { "Extrusion", GEOMETRY },
    { "FontStyle", FONT_STYLE },
    { "ImageTexture", TEXTURE },
    { "IndexedFaceSet", GEOMETRY },
    { "IndexedLineSet", GEOMETRY },
    { "Material", MATERIAL },
    { "MovieTexture", MOVIE },
    { "Normal", NORMAL },
    { "PixelTexture", TEXTURE },
    { "PointSet", GEOMETRY },
    { "Sphere", GEOMETRY },
    { "Text", GEOMETRY },
    { "TextureCoordinate", TEXTURE_COORDINATE },
    { "TextureTransform", TEXTURE_TRANSFORM },
};

/* A name of a field means the same in all nodes that have one of nodes by it. */
static const struct {
    const char *name;
    enum category category, other;
    const char *what;
} fields[] = {
    { "children", CHILD, CHILD, "a node such as Transform, Shape or Script" },
    { "choice", CHILD, CHILD, "a node such as Transform, Shape or Script" },
    { "level", CHILD, CHILD, "a node such as Transform, Shape or Script" },
    { "proxy", CHILD, CHILD, "a node such as Transform, Shape or Script" },
    { "geometry", GEOMETRY, GEOMETRY, "a geometry such as Box or IndexedFaceSet" },
    { "appearance", APPEARANCE, APPEARANCE, "an Appearance" },
    { "material", MATERIAL, MATERIAL, "a Material" },
    { "texture", TEXTURE, MOVIE, "an ImageTexture, MovieTexture or PixelTexture" },
    { "textureTransform", TEXTURE_TRANSFORM, TEXTURE_TRANSFORM, "a TextureTransform" },
    { "color", COLOR, COLOR, "a Color" },
    { "coord", COORDINATE, COORDINATE, "a Coordinate" },
    { "normal", NORMAL, NORMAL, "a Normal" },
    { "texCoord", TEXTURE_COORDINATE, TEXTURE_COORDINATE, "a TextureCoordinate" },
    { "fontStyle", FONT_STYLE, FONT_STYLE, "a FontStyle" },
    { "source", AUDIO_CLIP, MOVIE, "an AudioClip or MovieTexture" },
};

static enum category category_of(const struct robo_scene_kind *kind)
{
    while (kind->origin == ROBO_SCENE_PROTO) {
        if (kind->body.nodes == 0)
            return ANY;
        kind = kind->body.node[0]->kind;
    }
    if (kind->origin == ROBO_SCENE_EXTERN)
        return ANY;
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
        if (strcmp(nodes[i].name, kind->name) == 0)
            return nodes[i].category;
    return CHILD;
}

void robo__check_slot(struct robo__reader *r, const struct robo__slot *slot,
                      const struct robo_scene_node *node, const uint8_t *at)
{
    if (!slot || slot->kind->origin != ROBO_SCENE_VRML)
        return;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (strcmp(fields[i].name, slot->field) != 0)
            continue;
        const enum category category = category_of(node->kind);
        if (category != fields[i].category && category != fields[i].other && category != ANY)
            robo__problem(r, ROBO_SCENE_WARNING, at, "%s of %s: expected %s, got %.60s",
                          slot->field, slot->kind->name, fields[i].what, node->kind->name);
        return;
    }
}
