/* The 54 nodes of VRML97 (ISO/IEC 14772-1, 6), with their fields, events and defaults. */
#include "rcml/kinds.h"

static const struct robo_scene_declaration anchor[] = {
    NONE("url", EXPOSED, MF_STRING),
    STRINGS("description", EXPOSED, SF_STRING, 1, ""),
    NONE("parameter", EXPOSED, MF_STRING),
    NONE("children", EXPOSED, MF_NODE),
    NUMBERS("bboxCenter", FIELD, SF_VEC3F, 1, 0, 0, 0),
    NUMBERS("bboxSize", FIELD, SF_VEC3F, 1, -1, -1, -1),
    EVENT("addChildren", EVENT_IN, MF_NODE),
    EVENT("removeChildren", EVENT_IN, MF_NODE),
};
static const struct robo_scene_declaration appearance[] = {
    NODE("material", EXPOSED),
    NODE("texture", EXPOSED),
    NODE("textureTransform", EXPOSED),
};
static const struct robo_scene_declaration audio_clip[] = {
    TIMES("stopTime", EXPOSED, SF_TIME, 1, 0),
    STRINGS("description", EXPOSED, SF_STRING, 1, ""),
    TIMES("startTime", EXPOSED, SF_TIME, 1, 0),
    NUMBERS("pitch", EXPOSED, SF_FLOAT, 1, 1),
    NONE("url", EXPOSED, MF_STRING),
    INTEGERS("loop", EXPOSED, SF_BOOL, 1, false),
    EVENT("duration_changed", EVENT_OUT, SF_TIME),
    EVENT("isActive", EVENT_OUT, SF_BOOL),
};
static const struct robo_scene_declaration background[] = {
    NONE("groundAngle", EXPOSED, MF_FLOAT),
    NONE("rightUrl", EXPOSED, MF_STRING),
    NONE("topUrl", EXPOSED, MF_STRING),
    NONE("backUrl", EXPOSED, MF_STRING),
    NONE("groundColor", EXPOSED, MF_COLOR),
    NONE("leftUrl", EXPOSED, MF_STRING),
    NONE("frontUrl", EXPOSED, MF_STRING),
    NONE("bottomUrl", EXPOSED, MF_STRING),
    NUMBERS("skyColor", EXPOSED, MF_COLOR, 1, 0, 0, 0),
    NONE("skyAngle", EXPOSED, MF_FLOAT),
    EVENT("set_bind", EVENT_IN, SF_BOOL),
    EVENT("isBound", EVENT_OUT, SF_BOOL),
};
static const struct robo_scene_declaration billboard[] = {
    NUMBERS("axisOfRotation", EXPOSED, SF_VEC3F, 1, 0, 1, 0),
    NONE("children", EXPOSED, MF_NODE),
    NUMBERS("bboxCenter", FIELD, SF_VEC3F, 1, 0, 0, 0),
    NUMBERS("bboxSize", FIELD, SF_VEC3F, 1, -1, -1, -1),
    EVENT("addChildren", EVENT_IN, MF_NODE),
    EVENT("removeChildren", EVENT_IN, MF_NODE),
};
static const struct robo_scene_declaration box[] = {
    NUMBERS("size", FIELD, SF_VEC3F, 1, 2, 2, 2),
};
static const struct robo_scene_declaration collision[] = {
    INTEGERS("collide", EXPOSED, SF_BOOL, 1, true),
    NODE("proxy", FIELD),
    NONE("children", EXPOSED, MF_NODE),
    NUMBERS("bboxCenter", FIELD, SF_VEC3F, 1, 0, 0, 0),
    NUMBERS("bboxSize", FIELD, SF_VEC3F, 1, -1, -1, -1),
    EVENT("addChildren", EVENT_IN, MF_NODE),
    EVENT("removeChildren", EVENT_IN, MF_NODE),
    EVENT("collideTime", EVENT_OUT, SF_TIME),
};
static const struct robo_scene_declaration color[] = {
    NONE("color", EXPOSED, MF_COLOR),
};
static const struct robo_scene_declaration color_interpolator[] = {
    NONE("keyValue", EXPOSED, MF_COLOR),
    NONE("key", EXPOSED, MF_FLOAT),
    EVENT("set_fraction", EVENT_IN, SF_FLOAT),
    EVENT("value_changed", EVENT_OUT, SF_COLOR),
};
static const struct robo_scene_declaration cone[] = {
    INTEGERS("bottom", FIELD, SF_BOOL, 1, true),
    INTEGERS("side", FIELD, SF_BOOL, 1, true),
    NUMBERS("bottomRadius", FIELD, SF_FLOAT, 1, 1),
    NUMBERS("height", FIELD, SF_FLOAT, 1, 2),
};
static const struct robo_scene_declaration coordinate[] = {
    NONE("point", EXPOSED, MF_VEC3F),
};
static const struct robo_scene_declaration coordinate_interpolator[] = {
    NONE("keyValue", EXPOSED, MF_VEC3F),
    NONE("key", EXPOSED, MF_FLOAT),
    EVENT("set_fraction", EVENT_IN, SF_FLOAT),
    EVENT("value_changed", EVENT_OUT, MF_VEC3F),
};
static const struct robo_scene_declaration cylinder[] = {
    INTEGERS("top", FIELD, SF_BOOL, 1, true), INTEGERS("bottom", FIELD, SF_BOOL, 1, true),
    NUMBERS("radius", FIELD, SF_FLOAT, 1, 1), INTEGERS("side", FIELD, SF_BOOL, 1, true),
    NUMBERS("height", FIELD, SF_FLOAT, 1, 2),
};
static const struct robo_scene_declaration cylinder_sensor[] = {
    NUMBERS("minAngle", EXPOSED, SF_FLOAT, 1, 0),
    NUMBERS("offset", EXPOSED, SF_FLOAT, 1, 0),
    NUMBERS("diskAngle", EXPOSED, SF_FLOAT, 1, 0.262F),
    INTEGERS("enabled", EXPOSED, SF_BOOL, 1, true),
    INTEGERS("autoOffset", EXPOSED, SF_BOOL, 1, true),
    NUMBERS("maxAngle", EXPOSED, SF_FLOAT, 1, -1),
    EVENT("rotation_changed", EVENT_OUT, SF_ROTATION),
    EVENT("isActive", EVENT_OUT, SF_BOOL),
    EVENT("trackPoint_changed", EVENT_OUT, SF_VEC3F),
};
static const struct robo_scene_declaration directional_light[] = {
    NUMBERS("color", EXPOSED, SF_COLOR, 1, 1, 1, 1),
    INTEGERS("on", EXPOSED, SF_BOOL, 1, true),
    NUMBERS("intensity", EXPOSED, SF_FLOAT, 1, 1),
    NUMBERS("ambientIntensity", EXPOSED, SF_FLOAT, 1, 0),
    NUMBERS("direction", EXPOSED, SF_VEC3F, 1, 0, 0, -1),
};
static const struct robo_scene_declaration elevation_grid[] = {
    INTEGERS("zDimension", FIELD, SF_INT32, 1, 0),
    NUMBERS("xSpacing", FIELD, SF_FLOAT, 1, 1),
    NUMBERS("creaseAngle", FIELD, SF_FLOAT, 1, 0),
    NODE("normal", EXPOSED),
    INTEGERS("solid", FIELD, SF_BOOL, 1, true),
    INTEGERS("ccw", FIELD, SF_BOOL, 1, true),
    NODE("texCoord", EXPOSED),
    NONE("height", FIELD, MF_FLOAT),
    NODE("color", EXPOSED),
    INTEGERS("colorPerVertex", FIELD, SF_BOOL, 1, true),
    INTEGERS("xDimension", FIELD, SF_INT32, 1, 0),
    NUMBERS("zSpacing", FIELD, SF_FLOAT, 1, 1),
    INTEGERS("normalPerVertex", FIELD, SF_BOOL, 1, true),
    EVENT("set_height", EVENT_IN, MF_FLOAT),
};
static const struct robo_scene_declaration extrusion[] = {
    INTEGERS("beginCap", FIELD, SF_BOOL, 1, true),
    NUMBERS("scale", FIELD, MF_VEC2F, 1, 1, 1),
    NUMBERS("creaseAngle", FIELD, SF_FLOAT, 1, 0),
    INTEGERS("convex", FIELD, SF_BOOL, 1, true),
    NUMBERS("spine", FIELD, MF_VEC3F, 2, 0, 0, 0, 0, 1, 0),
    NUMBERS("crossSection", FIELD, MF_VEC2F, 5, 1, 1, 1, -1, -1, -1, -1, 1, 1, 1),
    INTEGERS("ccw", FIELD, SF_BOOL, 1, true),
    INTEGERS("solid", FIELD, SF_BOOL, 1, true),
    INTEGERS("endCap", FIELD, SF_BOOL, 1, true),
    NUMBERS("orientation", FIELD, MF_ROTATION, 1, 0, 0, 1, 0),
    EVENT("set_crossSection", EVENT_IN, MF_VEC2F),
    EVENT("set_orientation", EVENT_IN, MF_ROTATION),
    EVENT("set_scale", EVENT_IN, MF_VEC2F),
    EVENT("set_spine", EVENT_IN, MF_VEC3F),
};
static const struct robo_scene_declaration fog[] = {
    NUMBERS("color", EXPOSED, SF_COLOR, 1, 1, 1, 1),
    NUMBERS("visibilityRange", EXPOSED, SF_FLOAT, 1, 0),
    STRINGS("fogType", EXPOSED, SF_STRING, 1, "LINEAR"),
    EVENT("set_bind", EVENT_IN, SF_BOOL),
    EVENT("isBound", EVENT_OUT, SF_BOOL),
};
static const struct robo_scene_declaration font_style[] = {
    STRINGS("style", FIELD, SF_STRING, 1, "PLAIN"),
    INTEGERS("topToBottom", FIELD, SF_BOOL, 1, true),
    STRINGS("family", FIELD, MF_STRING, 1, "SERIF"),
    STRINGS("language", FIELD, SF_STRING, 1, ""),
    INTEGERS("horizontal", FIELD, SF_BOOL, 1, true),
    STRINGS("justify", FIELD, MF_STRING, 1, "BEGIN"),
    NUMBERS("spacing", FIELD, SF_FLOAT, 1, 1),
    INTEGERS("leftToRight", FIELD, SF_BOOL, 1, true),
    NUMBERS("size", FIELD, SF_FLOAT, 1, 1),
};
static const struct robo_scene_declaration group[] = {
    NONE("children", EXPOSED, MF_NODE),
    NUMBERS("bboxCenter", FIELD, SF_VEC3F, 1, 0, 0, 0),
    NUMBERS("bboxSize", FIELD, SF_VEC3F, 1, -1, -1, -1),
    EVENT("addChildren", EVENT_IN, MF_NODE),
    EVENT("removeChildren", EVENT_IN, MF_NODE),
};
static const struct robo_scene_declaration image_texture[] = {
    NONE("url", EXPOSED, MF_STRING),
    INTEGERS("repeatS", FIELD, SF_BOOL, 1, true),
    INTEGERS("repeatT", FIELD, SF_BOOL, 1, true),
};
static const struct robo_scene_declaration indexed_face_set[] = {
    NONE("colorIndex", FIELD, MF_INT32),
    NODE("normal", EXPOSED),
    INTEGERS("solid", FIELD, SF_BOOL, 1, true),
    INTEGERS("ccw", FIELD, SF_BOOL, 1, true),
    NONE("coordIndex", FIELD, MF_INT32),
    NODE("texCoord", EXPOSED),
    INTEGERS("normalPerVertex", FIELD, SF_BOOL, 1, true),
    NODE("color", EXPOSED),
    INTEGERS("colorPerVertex", FIELD, SF_BOOL, 1, true),
    NODE("coord", EXPOSED),
    INTEGERS("convex", FIELD, SF_BOOL, 1, true),
    NONE("normalIndex", FIELD, MF_INT32),
    NONE("texCoordIndex", FIELD, MF_INT32),
    NUMBERS("creaseAngle", FIELD, SF_FLOAT, 1, 0),
    EVENT("set_coordIndex", EVENT_IN, MF_INT32),
    EVENT("set_texCoordIndex", EVENT_IN, MF_INT32),
    EVENT("set_colorIndex", EVENT_IN, MF_INT32),
    EVENT("set_normalIndex", EVENT_IN, MF_INT32),
};
static const struct robo_scene_declaration indexed_line_set[] = {
    NODE("color", EXPOSED),
    INTEGERS("colorPerVertex", FIELD, SF_BOOL, 1, true),
    NONE("colorIndex", FIELD, MF_INT32),
    NODE("coord", EXPOSED),
    NONE("coordIndex", FIELD, MF_INT32),
    EVENT("set_coordIndex", EVENT_IN, MF_INT32),
    EVENT("set_colorIndex", EVENT_IN, MF_INT32),
};
static const struct robo_scene_declaration inlined[] = {
    NONE("url", EXPOSED, MF_STRING),
    NUMBERS("bboxCenter", FIELD, SF_VEC3F, 1, 0, 0, 0),
    NUMBERS("bboxSize", FIELD, SF_VEC3F, 1, -1, -1, -1),
};
static const struct robo_scene_declaration lod[] = {
    NONE("range", FIELD, MF_FLOAT),
    NUMBERS("center", FIELD, SF_VEC3F, 1, 0, 0, 0),
    NONE("level", EXPOSED, MF_NODE),
};
static const struct robo_scene_declaration material[] = {
    NUMBERS("specularColor", EXPOSED, SF_COLOR, 1, 0, 0, 0),
    NUMBERS("emissiveColor", EXPOSED, SF_COLOR, 1, 0, 0, 0),
    NUMBERS("transparency", EXPOSED, SF_FLOAT, 1, 0),
    NUMBERS("diffuseColor", EXPOSED, SF_COLOR, 1, 0.8F, 0.8F, 0.8F),
    NUMBERS("ambientIntensity", EXPOSED, SF_FLOAT, 1, 0.2F),
    NUMBERS("shininess", EXPOSED, SF_FLOAT, 1, 0.2F),
};
static const struct robo_scene_declaration movie_texture[] = {
    TIMES("stopTime", EXPOSED, SF_TIME, 1, 0),
    TIMES("startTime", EXPOSED, SF_TIME, 1, 0),
    NONE("url", EXPOSED, MF_STRING),
    NUMBERS("speed", EXPOSED, SF_FLOAT, 1, 1),
    INTEGERS("repeatS", FIELD, SF_BOOL, 1, true),
    INTEGERS("repeatT", FIELD, SF_BOOL, 1, true),
    INTEGERS("loop", EXPOSED, SF_BOOL, 1, false),
    EVENT("duration_changed", EVENT_OUT, SF_TIME),
    EVENT("isActive", EVENT_OUT, SF_BOOL),
};
static const struct robo_scene_declaration navigation_info[] = {
    NUMBERS("speed", EXPOSED, SF_FLOAT, 1, 1),
    NUMBERS("avatarSize", EXPOSED, MF_FLOAT, 3, 0.25F, 1.6F, 0.75F),
    INTEGERS("headlight", EXPOSED, SF_BOOL, 1, true),
    STRINGS("type", EXPOSED, MF_STRING, 2, "WALK", "ANY"),
    NUMBERS("visibilityLimit", EXPOSED, SF_FLOAT, 1, 0),
    EVENT("set_bind", EVENT_IN, SF_BOOL),
    EVENT("isBound", EVENT_OUT, SF_BOOL),
};
static const struct robo_scene_declaration normal[] = {
    NONE("vector", EXPOSED, MF_VEC3F),
};
static const struct robo_scene_declaration normal_interpolator[] = {
    NONE("keyValue", EXPOSED, MF_VEC3F),
    NONE("key", EXPOSED, MF_FLOAT),
    EVENT("set_fraction", EVENT_IN, SF_FLOAT),
    EVENT("value_changed", EVENT_OUT, MF_VEC3F),
};
static const struct robo_scene_declaration orientation_interpolator[] = {
    NONE("keyValue", EXPOSED, MF_ROTATION),
    NONE("key", EXPOSED, MF_FLOAT),
    EVENT("set_fraction", EVENT_IN, SF_FLOAT),
    EVENT("value_changed", EVENT_OUT, SF_ROTATION),
};
static const struct robo_scene_declaration pixel_texture[] = {
    INTEGERS("image", EXPOSED, SF_IMAGE, 3, 0, 0, 0),
    INTEGERS("repeatS", FIELD, SF_BOOL, 1, true),
    INTEGERS("repeatT", FIELD, SF_BOOL, 1, true),
};
static const struct robo_scene_declaration plane_sensor[] = {
    NUMBERS("maxPosition", EXPOSED, SF_VEC2F, 1, -1, -1),
    INTEGERS("enabled", EXPOSED, SF_BOOL, 1, true),
    INTEGERS("autoOffset", EXPOSED, SF_BOOL, 1, true),
    NUMBERS("minPosition", EXPOSED, SF_VEC2F, 1, 0, 0),
    NUMBERS("offset", EXPOSED, SF_VEC3F, 1, 0, 0, 0),
    EVENT("translation_changed", EVENT_OUT, SF_VEC3F),
    EVENT("isActive", EVENT_OUT, SF_BOOL),
    EVENT("trackPoint_changed", EVENT_OUT, SF_VEC3F),
};
static const struct robo_scene_declaration point_light[] = {
    INTEGERS("on", EXPOSED, SF_BOOL, 1, true),
    NUMBERS("intensity", EXPOSED, SF_FLOAT, 1, 1),
    NUMBERS("attenuation", EXPOSED, SF_VEC3F, 1, 1, 0, 0),
    NUMBERS("radius", EXPOSED, SF_FLOAT, 1, 100),
    NUMBERS("location", EXPOSED, SF_VEC3F, 1, 0, 0, 0),
    NUMBERS("color", EXPOSED, SF_COLOR, 1, 1, 1, 1),
    NUMBERS("ambientIntensity", EXPOSED, SF_FLOAT, 1, 0),
};
static const struct robo_scene_declaration point_set[] = {
    NODE("color", EXPOSED),
    NODE("coord", EXPOSED),
};
static const struct robo_scene_declaration position_interpolator[] = {
    NONE("keyValue", EXPOSED, MF_VEC3F),
    NONE("key", EXPOSED, MF_FLOAT),
    EVENT("set_fraction", EVENT_IN, SF_FLOAT),
    EVENT("value_changed", EVENT_OUT, SF_VEC3F),
};
static const struct robo_scene_declaration proximity_sensor[] = {
    INTEGERS("enabled", EXPOSED, SF_BOOL, 1, true),
    NUMBERS("center", EXPOSED, SF_VEC3F, 1, 0, 0, 0),
    NUMBERS("size", EXPOSED, SF_VEC3F, 1, 0, 0, 0),
    EVENT("position_changed", EVENT_OUT, SF_VEC3F),
    EVENT("enterTime", EVENT_OUT, SF_TIME),
    EVENT("exitTime", EVENT_OUT, SF_TIME),
    EVENT("orientation_changed", EVENT_OUT, SF_ROTATION),
    EVENT("isActive", EVENT_OUT, SF_BOOL),
};
static const struct robo_scene_declaration scalar_interpolator[] = {
    NONE("keyValue", EXPOSED, MF_FLOAT),
    NONE("key", EXPOSED, MF_FLOAT),
    EVENT("set_fraction", EVENT_IN, SF_FLOAT),
    EVENT("value_changed", EVENT_OUT, SF_FLOAT),
};
static const struct robo_scene_declaration script[] = {
    NONE("url", EXPOSED, MF_STRING),
    INTEGERS("directOutput", FIELD, SF_BOOL, 1, false),
    INTEGERS("mustEvaluate", FIELD, SF_BOOL, 1, false),
};
static const struct robo_scene_declaration shape[] = {
    NODE("geometry", EXPOSED),
    NODE("appearance", EXPOSED),
};
static const struct robo_scene_declaration sound[] = {
    NUMBERS("priority", EXPOSED, SF_FLOAT, 1, 0),
    NUMBERS("minFront", EXPOSED, SF_FLOAT, 1, 1),
    NUMBERS("intensity", EXPOSED, SF_FLOAT, 1, 1),
    NUMBERS("location", EXPOSED, SF_VEC3F, 1, 0, 0, 0),
    NODE("source", EXPOSED),
    NUMBERS("maxBack", EXPOSED, SF_FLOAT, 1, 10),
    NUMBERS("minBack", EXPOSED, SF_FLOAT, 1, 1),
    NUMBERS("maxFront", EXPOSED, SF_FLOAT, 1, 10),
    INTEGERS("spatialize", FIELD, SF_BOOL, 1, true),
    NUMBERS("direction", EXPOSED, SF_VEC3F, 1, 0, 0, 1),
};
static const struct robo_scene_declaration sphere[] = {
    NUMBERS("radius", FIELD, SF_FLOAT, 1, 1),
};
static const struct robo_scene_declaration sphere_sensor[] = {
    INTEGERS("enabled", EXPOSED, SF_BOOL, 1, true),
    INTEGERS("autoOffset", EXPOSED, SF_BOOL, 1, true),
    NUMBERS("offset", EXPOSED, SF_ROTATION, 1, 0, 1, 0, 0),
    EVENT("rotation_changed", EVENT_OUT, SF_ROTATION),
    EVENT("isActive", EVENT_OUT, SF_BOOL),
    EVENT("trackPoint_changed", EVENT_OUT, SF_VEC3F),
};
static const struct robo_scene_declaration spot_light[] = {
    INTEGERS("on", EXPOSED, SF_BOOL, 1, true),
    NUMBERS("direction", EXPOSED, SF_VEC3F, 1, 0, 0, -1),
    NUMBERS("attenuation", EXPOSED, SF_VEC3F, 1, 1, 0, 0),
    NUMBERS("radius", EXPOSED, SF_FLOAT, 1, 100),
    NUMBERS("location", EXPOSED, SF_VEC3F, 1, 0, 0, 0),
    NUMBERS("intensity", EXPOSED, SF_FLOAT, 1, 1),
    NUMBERS("color", EXPOSED, SF_COLOR, 1, 1, 1, 1),
    NUMBERS("ambientIntensity", EXPOSED, SF_FLOAT, 1, 0),
    NUMBERS("beamWidth", EXPOSED, SF_FLOAT, 1, 1.570796F),
    NUMBERS("cutOffAngle", EXPOSED, SF_FLOAT, 1, 0.785398F),
};
static const struct robo_scene_declaration switched[] = {
    INTEGERS("whichChoice", EXPOSED, SF_INT32, 1, -1),
    NONE("choice", EXPOSED, MF_NODE),
};
static const struct robo_scene_declaration text[] = {
    NONE("length", EXPOSED, MF_FLOAT),
    NODE("fontStyle", EXPOSED),
    NONE("string", EXPOSED, MF_STRING),
    NUMBERS("maxExtent", EXPOSED, SF_FLOAT, 1, 0),
};
static const struct robo_scene_declaration texture_coordinate[] = {
    NONE("point", EXPOSED, MF_VEC2F),
};
static const struct robo_scene_declaration texture_transform[] = {
    NUMBERS("rotation", EXPOSED, SF_FLOAT, 1, 0),
    NUMBERS("scale", EXPOSED, SF_VEC2F, 1, 1, 1),
    NUMBERS("translation", EXPOSED, SF_VEC2F, 1, 0, 0),
    NUMBERS("center", EXPOSED, SF_VEC2F, 1, 0, 0),
};
static const struct robo_scene_declaration time_sensor[] = {
    TIMES("cycleInterval", EXPOSED, SF_TIME, 1, 1),
    TIMES("stopTime", EXPOSED, SF_TIME, 1, 0),
    INTEGERS("enabled", EXPOSED, SF_BOOL, 1, true),
    INTEGERS("loop", EXPOSED, SF_BOOL, 1, false),
    TIMES("startTime", EXPOSED, SF_TIME, 1, 0),
    EVENT("fraction_changed", EVENT_OUT, SF_FLOAT),
    EVENT("cycleTime", EVENT_OUT, SF_TIME),
    EVENT("isActive", EVENT_OUT, SF_BOOL),
    EVENT("time", EVENT_OUT, SF_TIME),
};
static const struct robo_scene_declaration touch_sensor[] = {
    INTEGERS("enabled", EXPOSED, SF_BOOL, 1, true),
    EVENT("isOver", EVENT_OUT, SF_BOOL),
    EVENT("hitTexCoord_changed", EVENT_OUT, SF_VEC2F),
    EVENT("hitNormal_changed", EVENT_OUT, SF_VEC3F),
    EVENT("hitPoint_changed", EVENT_OUT, SF_VEC3F),
    EVENT("touchTime", EVENT_OUT, SF_TIME),
    EVENT("isActive", EVENT_OUT, SF_BOOL),
};
static const struct robo_scene_declaration transform[] = {
    NUMBERS("scale", EXPOSED, SF_VEC3F, 1, 1, 1, 1),
    NUMBERS("center", EXPOSED, SF_VEC3F, 1, 0, 0, 0),
    NUMBERS("translation", EXPOSED, SF_VEC3F, 1, 0, 0, 0),
    NUMBERS("scaleOrientation", EXPOSED, SF_ROTATION, 1, 0, 0, 1, 0),
    NUMBERS("rotation", EXPOSED, SF_ROTATION, 1, 0, 0, 1, 0),
    NONE("children", EXPOSED, MF_NODE),
    NUMBERS("bboxCenter", FIELD, SF_VEC3F, 1, 0, 0, 0),
    NUMBERS("bboxSize", FIELD, SF_VEC3F, 1, -1, -1, -1),
    EVENT("addChildren", EVENT_IN, MF_NODE),
    EVENT("removeChildren", EVENT_IN, MF_NODE),
};
static const struct robo_scene_declaration viewpoint[] = {
    INTEGERS("jump", EXPOSED, SF_BOOL, 1, true),
    NUMBERS("position", EXPOSED, SF_VEC3F, 1, 0, 0, 10),
    NUMBERS("fieldOfView", EXPOSED, SF_FLOAT, 1, 0.785398F),
    NUMBERS("orientation", EXPOSED, SF_ROTATION, 1, 0, 0, 1, 0),
    STRINGS("description", FIELD, SF_STRING, 1, ""),
    EVENT("set_bind", EVENT_IN, SF_BOOL),
    EVENT("bindTime", EVENT_OUT, SF_TIME),
    EVENT("isBound", EVENT_OUT, SF_BOOL),
};
static const struct robo_scene_declaration visibility_sensor[] = {
    INTEGERS("enabled", EXPOSED, SF_BOOL, 1, true),
    NUMBERS("center", EXPOSED, SF_VEC3F, 1, 0, 0, 0),
    NUMBERS("size", EXPOSED, SF_VEC3F, 1, 0, 0, 0),
    EVENT("exitTime", EVENT_OUT, SF_TIME),
    EVENT("enterTime", EVENT_OUT, SF_TIME),
    EVENT("isActive", EVENT_OUT, SF_BOOL),
};
static const struct robo_scene_declaration world_info[] = {
    NONE("info", FIELD, MF_STRING),
    STRINGS("title", FIELD, SF_STRING, 1, ""),
};

const struct robo_scene_kind robo__vrml_kinds[ROBO__VRML_KINDS] = {
    KIND("Anchor", VRML, anchor),
    KIND("Appearance", VRML, appearance),
    KIND("AudioClip", VRML, audio_clip),
    KIND("Background", VRML, background),
    KIND("Billboard", VRML, billboard),
    KIND("Box", VRML, box),
    KIND("Collision", VRML, collision),
    KIND("Color", VRML, color),
    KIND("ColorInterpolator", VRML, color_interpolator),
    KIND("Cone", VRML, cone),
    KIND("Coordinate", VRML, coordinate),
    KIND("CoordinateInterpolator", VRML, coordinate_interpolator),
    KIND("Cylinder", VRML, cylinder),
    KIND("CylinderSensor", VRML, cylinder_sensor),
    KIND("DirectionalLight", VRML, directional_light),
    KIND("ElevationGrid", VRML, elevation_grid),
    KIND("Extrusion", VRML, extrusion),
    KIND("Fog", VRML, fog),
    KIND("FontStyle", VRML, font_style),
    KIND("Group", VRML, group),
    KIND("ImageTexture", VRML, image_texture),
    KIND("IndexedFaceSet", VRML, indexed_face_set),
    KIND("IndexedLineSet", VRML, indexed_line_set),
    KIND("Inline", VRML, inlined),
    KIND("LOD", VRML, lod),
    KIND("Material", VRML, material),
    KIND("MovieTexture", VRML, movie_texture),
    KIND("NavigationInfo", VRML, navigation_info),
    KIND("Normal", VRML, normal),
    KIND("NormalInterpolator", VRML, normal_interpolator),
    KIND("OrientationInterpolator", VRML, orientation_interpolator),
    KIND("PixelTexture", VRML, pixel_texture),
    KIND("PlaneSensor", VRML, plane_sensor),
    KIND("PointLight", VRML, point_light),
    KIND("PointSet", VRML, point_set),
    KIND("PositionInterpolator", VRML, position_interpolator),
    KIND("ProximitySensor", VRML, proximity_sensor),
    KIND("ScalarInterpolator", VRML, scalar_interpolator),
    KIND("Script", VRML, script),
    KIND("Shape", VRML, shape),
    KIND("Sound", VRML, sound),
    KIND("Sphere", VRML, sphere),
    KIND("SphereSensor", VRML, sphere_sensor),
    KIND("SpotLight", VRML, spot_light),
    KIND("Switch", VRML, switched),
    KIND("Text", VRML, text),
    KIND("TextureCoordinate", VRML, texture_coordinate),
    KIND("TextureTransform", VRML, texture_transform),
    KIND("TimeSensor", VRML, time_sensor),
    KIND("TouchSensor", VRML, touch_sensor),
    KIND("Transform", VRML, transform),
    KIND("Viewpoint", VRML, viewpoint),
    KIND("VisibilitySensor", VRML, visibility_sensor),
    KIND("WorldInfo", VRML, world_info),
};
