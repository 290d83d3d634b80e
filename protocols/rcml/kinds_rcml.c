/* The 15 nodes of RCML (paper 001, 3.4, table 2; spec/rcml.md), as PROTOs that a file need not declare. A robot has its objects in
 * inputs and outputs, or by the names of their types, as the paper has it. */
#include "rcml/kinds.h"

static const struct robo_scene_declaration robot[] = {
    STRINGS("name", FIELD, SF_STRING, 1, ""),
    NODE("server", FIELD),
    NODE("client", FIELD),
    NONE("inputs", FIELD, MF_NODE),
    NONE("outputs", FIELD, MF_NODE),
    NONE("robot_nodes", FIELD, MF_STRING),
    NODE("RCML_Server", FIELD),
    NODE("RCML_Client", FIELD),
    NONE("RCML_VideoInput", FIELD, MF_NODE),
    NONE("RCML_AudioInput", FIELD, MF_NODE),
    NONE("RCML_ControlInput", FIELD, MF_NODE),
    NONE("RCML_TextInput", FIELD, MF_NODE),
    NONE("RCML_BinaryInput", FIELD, MF_NODE),
    NONE("RCML_VideoOutput", FIELD, MF_NODE),
    NONE("RCML_AudioOutput", FIELD, MF_NODE),
    NONE("RCML_ControlOutput", FIELD, MF_NODE),
    NONE("RCML_TextOutput", FIELD, MF_NODE),
    NONE("RCML_BinaryOutput", FIELD, MF_NODE),
};
static const struct robo_scene_declaration server[] = {
    STRINGS("language", FIELD, SF_STRING, 1, "RCML /1.0"),
    STRINGS("os", FIELD, SF_STRING, 1, ""),
    STRINGS("serversoft", FIELD, SF_STRING, 1, ""),
    NONE("url", FIELD, MF_STRING),
};
static const struct robo_scene_declaration client[] = {
    STRINGS("language", FIELD, SF_STRING, 1, "RCML /1.0"),
    STRINGS("os", FIELD, SF_STRING, 1, ""),
    STRINGS("clientsoft", FIELD, SF_STRING, 1, ""),
    NONE("url", FIELD, MF_STRING),
};
static const struct robo_scene_declaration video[] = {
    STRINGS("name", FIELD, SF_STRING, 1, ""),     STRINGS("translator", FIELD, SF_STRING, 1, ""),
    INTEGERS("channel", FIELD, SF_INT32, 1, 1),   INTEGERS("xsize", FIELD, SF_INT32, 1, 0),
    INTEGERS("ysize", FIELD, SF_INT32, 1, 0),     INTEGERS("color", FIELD, SF_INT32, 1, 0),
    NUMBERS("samplerate", FIELD, SF_FLOAT, 1, 0), NONE("url", FIELD, MF_STRING),
};
static const struct robo_scene_declaration audio[] = {
    STRINGS("name", FIELD, SF_STRING, 1, ""),   STRINGS("translator", FIELD, SF_STRING, 1, ""),
    INTEGERS("channel", FIELD, SF_INT32, 1, 1), NUMBERS("samplerate", FIELD, SF_FLOAT, 1, 0),
    INTEGERS("bits", FIELD, SF_INT32, 1, 16),   NONE("url", FIELD, MF_STRING),
};
static const struct robo_scene_declaration control_input[] = {
    STRINGS("name", FIELD, SF_STRING, 1, ""),
    INTEGERS("time_stamp_size", FIELD, SF_INT32, 1, 0),
    STRINGS("time_unit", FIELD, SF_STRING, 1, "10ms"),
    INTEGERS("data_mask", FIELD, SF_BOOL, 1, false),
    INTEGERS("command_mode", FIELD, SF_INT32, 1, 0),
    INTEGERS("control_lock", FIELD, SF_BOOL, 1, false),
    INTEGERS("command_interval", FIELD, MF_INT32, 2, -1, 0),
    STRINGS("translator", FIELD, SF_STRING, 1, ""),
    NONE("url", FIELD, MF_STRING),
    NONE("RCML_ControlInputData", FIELD, MF_NODE),
};
static const struct robo_scene_declaration control_output[] = {
    STRINGS("name", FIELD, SF_STRING, 1, ""),
    INTEGERS("time_stamp_size", FIELD, SF_INT32, 1, 0),
    STRINGS("time_unit", FIELD, SF_STRING, 1, "10ms"),
    INTEGERS("data_mask", FIELD, SF_BOOL, 1, false),
    INTEGERS("command_mode", FIELD, SF_INT32, 1, 0),
    INTEGERS("control_lock", FIELD, SF_BOOL, 1, false),
    INTEGERS("command_interval", FIELD, MF_INT32, 2, -1, 0),
    STRINGS("translator", FIELD, SF_STRING, 1, ""),
    NONE("url", FIELD, MF_STRING),
    NONE("RCML_ControlOutputData", FIELD, MF_NODE),
};
static const struct robo_scene_declaration control_data[] = {
    STRINGS("name", FIELD, SF_STRING, 1, ""),         INTEGERS("value_type", FIELD, SF_INT32, 1, 0),
    NUMBERS("value_range", FIELD, MF_VEC2F, 1, 0, 1), NUMBERS("range_scale", FIELD, MF_FLOAT, 1, 1),
    INTEGERS("control_type", FIELD, SF_INT32, 1, 0),  NONE("url", FIELD, MF_STRING),
};
static const struct robo_scene_declaration data[] = {
    STRINGS("name", FIELD, SF_STRING, 1, ""),
    STRINGS("translator", FIELD, SF_STRING, 1, ""),
    NONE("url", FIELD, MF_STRING),
};

const struct robo_scene_kind robo__rcml_kinds[ROBO__RCML_KINDS] = {
    KIND("RCML_AudioInput", RCML, audio),
    KIND("RCML_AudioOutput", RCML, audio),
    KIND("RCML_BinaryInput", RCML, data),
    KIND("RCML_BinaryOutput", RCML, data),
    KIND("RCML_Client", RCML, client),
    KIND("RCML_ControlInput", RCML, control_input),
    KIND("RCML_ControlInputData", RCML, control_data),
    KIND("RCML_ControlOutput", RCML, control_output),
    KIND("RCML_ControlOutputData", RCML, control_data),
    KIND("RCML_Robot", RCML, robot),
    KIND("RCML_Server", RCML, server),
    KIND("RCML_TextInput", RCML, data),
    KIND("RCML_TextOutput", RCML, data),
    KIND("RCML_VideoInput", RCML, video),
    KIND("RCML_VideoOutput", RCML, video),
};
