/* Which nodes may stand in which field: what ISO/IEC 14772-1 has elsewhere is read all the same, with a warning, as other readers
 * have it. */
#include "scenes.h"

TEST(children_are_groups_shapes_sensors_and_the_like)
{
    check_warnings(FILE_OF("Group { children [ Shape { } TimeSensor { } Script { } Inline { } ] }"),
                   "");
    check_warnings(FILE_OF("Group { children [ Shape { }\n Box { } ] }"),
                   "3:2: children of Group: expected a node such as Transform, Shape or Script, "
                   "got Box\n");
    check_warnings(FILE_OF("Switch { choice Material { } }"),
                   "2:17: choice of Switch: expected a node such as Transform, Shape or Script, "
                   "got Material\n");
    check_warnings(FILE_OF("LOD { level Color { } }"),
                   "2:13: level of LOD: expected a node such as Transform, Shape or Script, "
                   "got Color\n");
}

TEST(a_field_of_one_node_takes_its_types)
{
    check_warnings(
        FILE_OF("Shape { geometry Text { fontStyle FontStyle { } } appearance Appearance { "
                "material Material { } texture MovieTexture { } "
                "textureTransform TextureTransform { } } } Sound { source MovieTexture { } }"),
        "");
    check_warnings(FILE_OF("Shape { geometry IndexedFaceSet { coord Coordinate { } color Color { } "
                           "normal Normal { } texCoord TextureCoordinate { } } }"),
                   "");
    check_warnings(FILE_OF("Shape { geometry Group { } appearance Material { } }"),
                   "2:18: geometry of Shape: expected a geometry such as Box or IndexedFaceSet, "
                   "got Group\n"
                   "2:39: appearance of Shape: expected an Appearance, got Material\n");
    check_warnings(FILE_OF("Sound { source ImageTexture { } }"),
                   "2:16: source of Sound: expected an AudioClip or MovieTexture, "
                   "got ImageTexture\n");
    check_warnings(FILE_OF("Shape { geometry PointSet { coord NULL color Coordinate { } } }"),
                   "2:46: color of PointSet: expected a Color, got Coordinate\n");
}

TEST(use_stands_where_its_node_may)
{
    check_warnings(FILE_OF("Shape { geometry DEF B Box { } } Group { children\n USE B }"),
                   "3:2: children of Group: expected a node such as Transform, Shape or Script, "
                   "got Box\n");
}

TEST(an_instance_is_what_its_first_node_is)
{
    check_warnings(FILE_OF("PROTO G [ ] { Box { } Group { } } PROTO H [ ] { G { } }"
                           "Shape { geometry H { } }"),
                   "");
    check_warnings(FILE_OF("PROTO G [ ] { Box { } } PROTO H [ ] { G { } }\n"
                           "Group { children H { } }"),
                   "3:18: children of Group: expected a node such as Transform, Shape or Script, "
                   "got H\n");
    check_warnings(FILE_OF("EXTERNPROTO E [ ] \"e.wrl\" Shape { geometry E { } } "
                           "Group { children E { } }"),
                   "");
    check_warnings(FILE_OF("PROTO Material [ field SFNode material NULL ] { Group { } }"
                           "Group { children Material { material Box { } } }"),
                   "2:7: Material is a node of VRML97, from here on this holds\n");
    check_warnings(FILE_OF("Group { children RCML_Robot { } }"), "");
}
