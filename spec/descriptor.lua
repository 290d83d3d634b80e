-- The description of a robot: every field of a descriptor, once, with its properties in all formats. A descriptor is a
-- Lua file that returns one table (kind "robot" below). scripts/robotalk/descriptor walks this page to check a descriptor,
-- to make the records of the wire (paper 000, III.B) and to convert records back to a descriptor. gen.lua makes the C
-- structs and enums, the tables for writing and reading the configuration block, spec/fields.md and the editor's
-- annotations. Prose and examples: spec/descriptors.md.
--
-- A kind is a list of fields: { name, type, doc =, unit =, least =, most =, max =, needed = true, words =, default = }
--   text       at most `max` characters        number   `least` to `most`, in `unit`
--   flag       true or false                   whole    a whole number
--   place      three numbers, x, y, z          angles   three numbers: roll, pitch, yaw about fixed axes x, y, z
--   turn       angles, or three rows of a rotation matrix
--   direction  three numbers, not all 0        range    two numbers, the lower first
--   spot       two numbers, x, y, on the floor
--   starts     a list of two numbers, x, y, or three, with a heading, or four, with a height
--   path       a list of spots, two at least
--   tensor     { xx, yy, zz }, { xx, yy, zz, xy, xz, yz } or three rows
--   plane      { x =, y =, theta = }           greatest a number, 0 or more, or { low, high }, whose larger size counts
--   size       one to three numbers, 0 or more
--   each       a number, or a list of up to three: one for each unit of a reading, in its order
--   word       one of `words`                  words    one of them, or a list of them
--   link       number or name of a link        colour   "#rrggbb", "#rrggbbaa"
--   options    names with texts, numbers or flags, defined by the driver
--   rcml       an RCML_Robot: its fields and those of its nodes, by their names in files
--   panic      a word, or { joint = { dof = position } }: where to retreat to
--   one K      a table of kind K               list K   a list of them
--   named K    name -> table of kind K         numbered K   the keys are the numbers on the wire, from `first` on
-- A kind with a `section` has records, one for each table, whose fields are also those of the kind. Kinds without a
-- section are parts of the robot's record. spec/records.lua has the types of a record. These keys are for the record:
--   record   the field's name in the record, if it differs; false: it is in no record; two names: of a range
--   default  the value of a field that is not written; without it 0, or an empty text
--   wire     the record's type, if it does not follow from the field's; a field without a type is only in the record, and
--            scripts/robotalk/descriptor/records.lua and user.lua make it
--   by_hand  true: it is made there, too, since it depends on more than the field itself
--   scale    value of one count on the wire, if it is not a billionth
--   there    the record's own { doc =, unit = }, if they differ
--   host     true: it is in the C struct and never on the wire; drivers are the server's own matter
--   optional true: records of older versions end before it; it is 0 in them
-- "; default: VALUE" in a doc is for descriptors only: spec/records.lua removes it.
-- A new field is one row here, unless it is by_hand.

-- Words that have a number: from 0 on, or a bit each. C: prefix of their names in C; tag: name of the enum.
local words = {
  panic = { C = "ROBO_", tag = "robo_halt", doc = "the effect of a halt on a body", { "hold", "servos stay on" },
    { "brake", "within the acceleration limits" }, { "limp", "motors off" }, { "retreat", "to a posture", unsaid = true } },
  servo = { C = "ROBO_SERVO_", tag = "robo_servo", bits = true, doc = "servo commands that a joint or a control frame accepts",
    { "setpoint", "set-points" }, { "speed", "speeds" }, { "force", "forces, torques" } },
  order = { C = "ROBO_ORDER_", tag = "robo_order", doc = "which joint gets the next message on a bus (paper 004)",
    { "none", "commands go straight to the drivers" },
    { "sequential", "scheme A: speeds computed once for a round through all joints" },
    { "updated", "B: one joint after the other, computed again for each message" },
    { "synchronised", "C: as A, stored at the joints; a broadcast starts all of them" },
    { "predictive", "D: as C, with the speeds at the instant of the broadcast" },
    { "greatest", "E, the paper's: the joint whose error counts most (equation 11)" },
    { "optimal", "F: the joint that reduces the remaining error most" },
    { "planned", "O: the first joint of the order of all joints that leaves the least error; at most 10 dofs" } },
  -- Kinds of shapes; their geometry is in core/body/shape.c:
  --   sizes   how many it has                 each   names of these in URDF, radii first; else there is one, "size"
  --   caps    true: its ends are half balls   called a thing of a world that has no name
  --   entry   an entry of a world's lists, whose first fields are the sizes, or the one with all of them
  --   geom    its number in MuJoCo's mjtGeom; its name there, and as an element in URDF, is the same
  --   vrml    the nodes of VRML97 that draw it, with the fields of its sizes; at: where on its axis, in halves of its length
  shape = { C = "ROBO_SHAPE_", tag = "robo_shape_kind", doc = "kinds of shapes, and the meaning of their sizes",
    { "box", "along x, y, z", sizes = 3, called = "a box", entry = "block", geom = 6, vrml = { { "Box", "size" } } },
    { "cylinder", "along z: radius, length", sizes = 2, each = { "radius", "length" }, called = "a pillar", entry = "pillar", geom = 5,
      vrml = { { "Cylinder", "radius", "height" } } },
    { "sphere", "radius", sizes = 1, each = { "radius" }, caps = true, called = "a ball", entry = "ball", geom = 2, vrml = { { "Sphere", "radius" } } },
    { "mesh", "scale along x, y, z", sizes = 3, called = "a box", geom = 7 },
    { "capsule", "along z: radius, length without its round ends", sizes = 2, each = { "radius", "length" }, caps = true,
      called = "a capsule", entry = "capsule", geom = 3,
      vrml = { { "Cylinder", "radius", "height" }, { "Sphere", "radius", at = 1 }, { "Sphere", "radius", at = -1 } } } },
  roll = { C = "ROBO_ROLL_", tag = "robo_roll", doc = "the way in which a shape of the root link rolls, for simulators with physics",
    { "not", "it does not", unsaid = true }, { "wheel", "driven, about its cylinder's axis" },
    { "omni", "as a wheel, and it slips freely along that axis" }, { "caster", "freely, in all directions" } },
  dof = { C = "ROBO_", tag = "robo_dof_kind", doc = "kinds of dofs", { "revolute", "it turns" }, { "prismatic", "it slides" } },
  floor = { C = "ROBO_FLOOR_", tag = "robo_floor_texture", doc = "the texture of a world's floor", { "plain", "one colour" },
    { "checker", "squares of two colours" }, { "stripes", "along y, of two colours" } },
  widget = { C = "ROBO_WIDGET_", tag = "robo_widget_kind", doc = "kinds of controls", { "slider", "" }, { "knob", "" },
    { "number", "" }, { "button", "" }, { "pad", "" }, { "label", "" } },
}

local position = { "position", "place", unit = "m", doc = "in the link's frame",
  there = { doc = "x, y, z in the link's frame" } }
local attitude = { "attitude", "angles", unit = "rad", doc = "rotation against the link's frame",
  there = { doc = "roll, pitch, yaw about the fixed axes x, y, z of the link's frame" } }
local function mounted(kind)
  table.move(kind, 1, #kind, 5)
  kind[1] = { "name", "text", max = 31, needed = true, doc = "its name" }
  kind[2] = { "link", "link", needed = true, doc = "the link that it is fixed to" }
  kind[3], kind[4] = position, attitude
  return kind
end
local function translator(doc)
  return { "translator", "text", max = 63, optional = true, doc = doc or "name of the translator between it and a user's device, "
    .. "for RCTP clients: a bundled one, or NAME.lua next to the descriptor; default: none" }
end
local function count(of, doc) return { of, wire = "u16", doc = doc or "records in the section of " .. of } end

local base_translator = translator()
base_translator.record = false

local kinds = {
  robot = { doc = "a descriptor (RoboTalk III.B): links in a tree of joints, and fields of the whole robot; the "
      .. "records are in arrays of its creator, with the lengths given by the counts; a body has copies, which are read-only",
    { "name", "text", max = 31, needed = true, doc = "its name" },
    { "model", "text", max = 63, doc = "its body, for people" },
    { "from", "text", max = 255, record = false, doc =
      "another descriptor in Lua on which this one is based; its own fields override it: a bundled one, or a path relative to this file" },
    count("links"),
    count("joints", "records in the section of joints; joint 0 is the root's"),
    count("dofs"),
    count("frames", "records in the section of control frames; control frame 0 is the root link's own frame"),
    count("shapes"), count("cameras"), count("sensors"), count("widgets"),
    { "deadman", "number", unit = "s", least = 0, most = 1e6, default = 0.5,
      doc = "silence of its client after which it stops; 0: none; default: 0.5" },
    { "deadman_limit", "number", unit = "s", least = 0, most = 3600, doc = "longest deadman time that a client may request; default: 5",
      there = { doc = "longest deadman time that a client may request; 0: 5 s" } },
    { "gap_limit", "number", unit = "s", least = 0, most = 3600,
      doc = "longest time between two frames that a buffered session may request; a longer one counts as silence; default: 5",
      there = { doc = "longest time between two frames that a buffered session may request; 0: 5 s" } },
    { "panic", "panic", words = "panic", by_hand = true, doc =
      "effect of a halt on this body: hold (servos stay on; the default), brake (within the acceleration limits), limp (motors off), or a posture to retreat to",
      there = { doc = "effect of a halt on this body" } },
    { "base", "one base", doc = "the mobile base, which moves the root link over the floor; without it go_to and set_speed answer na" },
    { "battery", "one battery", doc = "its battery; use discharges it" },
    { "bus", "one bus", doc = "the bus that its joints are on" },
    { "links", "numbered link", first = 0, doc = "rigid bodies; link 0 is the root" },
    { "joints", "numbered joint", first = 1, doc = "joint 0 is the root's own, and is only needed if it has dofs" },
    { "frames", "numbered frame", first = 1, doc = "control frames; frame 0 is the root link's own" },
    { "cameras", "list camera", doc = "they point along the x axis of their frames" },
    { "sensors", "list sensor", doc = "they point along the x axis of their frames" },
    { "widgets", "list widget", doc = "controls of an operator's panel" },
    { "drivers", "named driver", doc = "its drivers; joints and base refer to them by name" },
    { "rcml", "rcml", record = false, doc =
      "objects and parameters of the RCML file that it was read from, for `convert` to a .wrl file; default: derived from the robot" },
    { "commands", "commands", wire = "u64", by_hand = true,
      doc = "names of the commands that it supports; default: those that base, joints and frames allow",
      there = { doc = "bit n: command 256 + n is supported" } },
    { "base_translator", wire = "chars", max = 63, optional = true, doc = "name of the base's translator; empty: none" },
    { "devices", wire = "u8", host = true, doc = "number of its drivers" },
  },
  base = {
    { "driver", "text", max = 31, record = false, doc = "entry of drivers, or a driver's name; default: sim" },
    { "holonomic", "flag", doc = "it can move sideways", there = { doc = "1: the base can move sideways" } },
    { "speed", "plane", least = 0, record = "base_speed", there = { unit = "dof/s" }, doc = "greatest: x, y m/s, theta rad/s" },
    { "acceleration", "plane", least = 0, record = "base_acceleration", there = { unit = "dof/s2" },
      doc = "greatest: x, y m/s2, theta rad/s2" },
    base_translator,
  },
  battery = {
    { "capacity", "number", unit = "J", least = 0, most = 2e9, scale = 1e-6, record = "battery", doc = "of the full battery" },
    { "voltage", "number", unit = "V", least = 0, most = 2000, doc = "of the full battery" },
  },
  bus = {
    { "rate", "number", unit = "1/s", least = 1, most = 20000, record = "bus_rate",
      doc = "messages a second that it carries; default: 1000 for drivers of buses" },
    { "order", "word", words = "order", record = "bus_order", by_hand = true,
      doc = "which joint gets the next message (paper 004); with none, commands go straight to the drivers; default: planned up to 10 dofs, optimal beyond" },
    { "max_age", "number", unit = "s", least = 0, most = 1e6, record = "bus_age",
      doc = "longest time between messages to a joint: less than the watchdogs of its controllers" },
    { "weights", "one weights", record = "bus_weight", wire = "real", by_hand = true,
      doc = "weights of errors in the choice of the next message",
      there = { doc = "weights of errors: x, y, z of frames; roll, pitch, yaw and revolute dofs in metres a radian; all 0: not known" } },
  },
  weights = {
    { "x", "number", least = 0, most = 1000, default = 1, doc = "of a control frame's speed along the root's x; default: 1" },
    { "y", "number", least = 0, most = 1000, default = 1, doc = "along y; default: 1" },
    { "z", "number", least = 0, most = 1000, default = 1, doc = "along z; more where it presses against something stiff; default: 1" },
    { "roll", "number", unit = "m/rad", least = 0, most = 1000, default = 0.4,
      doc = "about x: lever that converts a rotation into a distance; default: 0.4" },
    { "pitch", "number", unit = "m/rad", least = 0, most = 1000, default = 0.4, doc = "lever about y; default: 0.4" },
    { "yaw", "number", unit = "m/rad", least = 0, most = 1000, default = 0.4, doc = "lever about z; default: 0.4" },
    { "joints", "number", unit = "m/rad", least = 0, most = 1000, default = 0.4,
      doc = "lever of a revolute dof that no control frame moves; default: 0.4" },
  },
  link = { section = "links", max = 512, doc = "a rigid body",
    { "name", "text", max = 31, doc = "its name; default: that of its joint" },
    { "mass", "number", unit = "kg", least = 0, most = 2e6, doc = "0: not known" },
    { "com", "place", unit = "m", doc = "centre of mass in the link's frame" },
    { "inertia", "tensor", unit = "kg*m2", doc = "about the centre of mass, along the link's axes",
      there = { doc = "about the centre of mass, along the link's axes: xx, yy, zz, xy, xz, yz" } },
    { "position", "place", unit = "m", doc = "roots only: in the world" },
    { "attitude", "angles", unit = "rad", doc = "roots only: in the world" },
    { "shapes", "list shape", doc = "its appearance and hull" },
  },
  shape = { section = "shapes", max = 1024, doc = "a shape of a link",
    { "link", wire = "u16", doc = "the link that it is part of" },
    { "type", "word", words = "shape", record = "kind", needed = true, doc = "cylinders and capsules lie along z" },
    { "size", "size", unit = "m", least = 0, most = 2e6, by_hand = true,
      doc = "box: along x, y, z; cylinder: radius, length; sphere: radius; mesh: scale; capsule: radius, length without its "
        .. "round ends. One number for a box or a mesh: all three" },
    position, attitude,
    { "colour", "colour", doc = "#rrggbb or #rrggbbaa", there = { doc = "0xrrggbbaa; 0: unspecified" } },
    { "file", "text", max = 127, doc = "of a mesh" },
    { "solid", "flag", doc = "for collisions and not for pictures",
      there = { doc = "1: for collisions; 0: for pictures" } },
    { "roll", "word", words = "roll", optional = true,
      doc = "for a shape that carries the root link, with physics: a wheel or an omni wheel (cylinders), "
        .. "which the base drives, or a caster (a sphere); default: none" },
    { "friction", "number", least = 0.001, most = 10, optional = true,
      doc = "coefficient of sliding friction, with physics: of two touching things the lower one counts; default: 1",
      there = { doc = "coefficient of sliding friction; 0: 1" } },
  },
  joint = { section = "joints", max = 512, doc = "the connection of a link to its parent, with its dofs in the order in which they act",
    { "name", "text", max = 31, doc = "its name; default: joint1, joint2, …", there = { doc = "its name" } },
    { "parent", "link", by_hand = true, doc = "or \"world\"; default: the link before its child",
      there = { doc = "link; 65535: the world" } },
    { "child", "link", by_hand = true, doc = "default: the link with the joint's number", there = { doc = "link" } },
    { "driver", "text", max = 31, record = false, doc = "entry of drivers, or a driver's name; default: sim" },
    { "servo", "words", words = "servo", by_hand = true, doc = "default: setpoint and speed for the drivers sim, physics and walk, otherwise setpoint" },
    { "leg", "whole", least = 0, most = 8, doc = "number of the leg that it belongs to, for walking" },
    { "inboard", "place", unit = "m", by_hand = true, doc = "position of the joint from the parent's centre of mass, along the parent's axes" },
    { "outboard", "place", unit = "m", by_hand = true, doc = "position of the joint from the child's centre of mass, along the child's axes" },
    { "position", "place", unit = "m", record = false,
      doc = "instead of these two: position of the joint in the parent's frame; it is the origin of the child's frame" },
    { "rest", "turn", unit = "rad", doc = "rotation from the joint's axes to the parent's when all dofs are 0",
      there = { doc = "rest matrix, row by row: rotation from the joint's axes to the parent's when all dofs are 0" } },
    { "first", wire = "u16", doc = "number of its first dof" },
    { "dofs", "list dof", max = 6, wire = "u8", hi = 6, by_hand = true,
      doc = "1 to 6, in the order in which they act, beginning at the parent",
      there = { doc = "1 to 6; 0 for the joint of a root that no dof moves" } },
    translator(),
    { "device", wire = "u8", host = true, doc = "number of its driver" },
  },
  dof = { section = "dofs", max = 512, doc = "a degree of freedom",
    { "name", "text", max = 31, by_hand = true, doc = "its name; default: that of its joint, or one after its axis", there = { doc = "its name" } },
    { "type", "word", words = "dof", record = "kind", doc = "default: revolute" },
    { "axis", "direction", default = { 0.0, 0.0, 1.0 }, doc = "in the joint's frame; default: z" },
    { "limit", "range", unit = "dof", record = { "low", "high" }, default = { 1.0, -1.0 }, doc = "default: none",
      there = { doc = "limit" } },
    { "speed", "greatest", unit = "dof/s", doc = "greatest; 0: not known" },
    { "acceleration", "greatest", unit = "dof/s2", doc = "greatest; 0: not known" },
    { "force", "greatest", unit = "dof force", doc = "greatest; 0: not known" },
    { "home", "number", unit = "dof", by_hand = true, doc = "its position after home and at the start; default: 0" },
    { "retreats", wire = "u8", hi = 1, doc = "1: on panic it moves to `retreat`, if the robot's panic is a retreat" },
    { "retreat", wire = "real", unit = "dof", doc = "position to retreat to" },
    { "mimics", wire = "u16", doc = "number of the dof that it follows, plus 1; 0: none" },
    { "mimic", "one mimic", by_hand = true, doc = "it follows another dof and accepts no commands" },
  },
  mimic = {
    { "joint", "text", max = 31, needed = true, record = false, doc = "name of the joint that it follows" },
    { "dof", "text", max = 31, record = false, doc = "name of the dof there; default: the first" },
    { "ratio", "number", default = 1, doc = "default: 1", there = { doc = "its position is ratio * the other's position + shift" } },
    { "shift", "number", unit = "dof", doc = "its position is ratio * the other's position + shift", there = { doc = "shift of that position" } },
  },
  frame = mounted { section = "frames", max = 256, doc = "a control frame, fixed to its link",
    { "servo", "words", words = "servo", by_hand = true, doc = "default: those of setpoint and speed that its joints accept" },
    { "speed", "greatest", unit = "m/s", doc = "greatest; 0: not known" },
    { "turn", "greatest", unit = "rad/s", doc = "greatest; 0: not known" },
    translator "name of the translator, as for a joint; default: pose" },
  camera = mounted { section = "cameras", max = 16, doc = "a camera; it points along the x axis of its frame",
    { "width", "whole", least = 0, most = 65535, doc = "pixels" },
    { "height", "whole", least = 0, most = 65535, doc = "pixels" },
    { "fov", "number", unit = "rad", least = 0, most = 6.284, doc = "horizontal field of view" },
    { "rate", "number", unit = "1/s", least = 0, most = 1e6, doc = "pictures a second" },
    translator(),
    { "driver", "text", max = 31, record = false,
      doc = "entry of drivers, or a driver's name, that gives its pictures; default: that of the base, otherwise of the first joint" },
    { "device", wire = "u8", host = true, doc = "which driver gives its pictures; 255: none" } },
  sensor = mounted { section = "sensors", max = 256, doc = "a sensor; it points along the x axis of its frame",
    { "type", "text", max = 31, needed = true, record = "kind", doc = "one of the kinds of docs/sensors.md (sonar, laser, bumper, imu, …), or a custom type" },
    { "range", "range", record = { "low", "high" }, there = { unit = "dof", doc = "reading, in its unit" },
      doc = "least and greatest reading, in its unit" },
    { "opening", "number", unit = "rad", least = 0, most = 6.284, doc = "opening angle; 0: a ray" },
    { "unit", "text", max = 15, doc = "of its readings" },
    { "count", "whole", least = 0, most = 2048, optional = true, by_hand = true,
      doc = "number of values: ranges of a scan, switches of a bumper; default: 1",
      there = { doc = "number of values of a reading" } },
    { "rate", "number", unit = "1/s", least = 0, most = 1e6, optional = true, doc = "readings a second; default: that of its kind",
      there = { doc = "readings a second; 0: that of its kind" } },
    { "fov", "number", unit = "rad", least = 0, most = 6.284, optional = true, doc = "of a scan: angle from the first beam, on the right, to the last" },
    { "values", "text", max = 127, optional = true, by_hand = true,
      doc = "of a custom type: names of its values, separated by spaces; default: value",
      there = { doc = "of a custom type: names of its values, separated by spaces" } },
    translator(),
    { "noise", "each", least = 0, optional = true, doc = "simulated: standard deviation of each reading, in its unit",
      there = { unit = "dof" } },
    { "noise_scale", "number", least = 0, most = 10, optional = true,
      doc = "simulated: further standard deviation, as a share of the reading" },
    { "bias", "each", optional = true, doc = "simulated: constant that is added to each reading, in its unit", there = { unit = "dof" } },
    { "resolution", "each", least = 0, optional = true, doc = "simulated: readings are multiples of this step, in their unit",
      there = { unit = "dof" } },
    { "dropout", "number", least = 0, most = 1, optional = true,
      doc = "simulated: probability that a reading is missing; for a range, that it reports no obstacle" },
    { "latency", "number", unit = "s", least = 0, most = 10, optional = true,
      doc = "simulated: delay of a reading" },
    { "slip", "number", least = 0, most = 1, optional = true,
      doc = "simulated odometry: standard deviation of the distance counted after 1 m, m, and of the rotation, rad" },
    { "driver", "text", max = 31, record = false,
      doc = "entry of drivers, or a driver's name, that gives its readings; default: that of the base, otherwise of the first joint" },
    { "device", wire = "u8", host = true, doc = "which driver gives its readings; 255: none" } },
  widget = { section = "widgets", max = 1024, doc = "a control on an operator's panel",
    { "name", "text", max = 31, needed = true, doc = "its label" },
    { "type", "word", words = "widget", record = "kind", needed = true, doc = "its appearance" },
    { "command", "text", max = 31, doc = "the command that it gives" },
    { "joint", "text", max = 31, wire = "u16", by_hand = true, doc = "name of the joint that it is for",
      there = { doc = "the joint that it is for; 65535: none" } },
    { "dof", "text", max = 31, wire = "u8", by_hand = true, doc = "name of the dof that it is for",
      there = { doc = "dof within the joint; 255: none" } },
    { "range", "range", record = { "low", "high" }, by_hand = true, there = { unit = "dof", doc = "range" },
      doc = "least and greatest value; default: those of the dof" },
    { "step", "number", least = 0, most = 1e6, there = { unit = "dof" }, doc = "smallest change; 0: none" },
  },
  driver = { max = 8, doc = "a driver of joints or the base, and its options, which a new body copies",
    { "driver", "text", max = 255, record = false,
      doc = "the driver's name, or the path of a shared object, with a slash, relative to the descriptor; default: the name of the entry" },
    { "script", "text", max = 255, record = false, doc = "path of the script of a driver in Lua" },
    { "driver", wire = "chars", max = 31, host = true, doc = "its name; file: a shared object (robo_driver_entry)" },
    { "base", wire = "u8", host = true, doc = "1: it moves the root link: go_to, set_speed, step" },
    { "options", wire = "u16", host = true, doc = "number of its options" },
    { "option", wire = "option", host = true, doc = "the other keys of the entry in the descriptor" },
  },
}

-- The world around simulated robots, in its own file (--world; docs/worlds.md).
local colour = { "colour", "colour", doc = "#rrggbb or #rrggbbaa; default: that of its kind" }
local friction = { "friction", "number", least = 0.001, most = 10, default = 1, doc = "coefficient of sliding friction; default: 1" }
local at = { "position", "spot", needed = true, unit = "m", doc = "of its middle on the floor" }
local heading = { "heading", "number", unit = "rad", doc = "counter-clockwise from x" }
local width = { "width", "number", unit = "m", least = 0.01, most = 1000, default = 1, doc = "default: 1" }

-- Fields of things that may lie anywhere, and move.
local function movable(kind)
  for _, field in ipairs { at,
    { "raised", "number", unit = "m", least = 0, most = 1000, doc = "height of its lowest point above the floor" }, heading,
    { "attitude", "angles", unit = "rad", doc = "instead of heading: rotation against the world" },
    { "name", "text", max = 63, doc = "its unique name" }, colour,
    { "mass", "number", unit = "kg", least = 1e-4, most = 1e5, doc = "with physics, a thing that has a mass can be moved; default: it is fixed" },
    friction } do
    table.insert(kind, field)
  end
  return kind
end

-- Fields of things that go up from their lower edge.
local function ascent(kind)
  for i, field in ipairs { { "position", "spot", needed = true, unit = "m", doc = "of the middle of its lower edge" },
    { "heading", "number", unit = "rad", doc = "direction of the ascent" }, width } do
    table.insert(kind, i, field)
  end
  table.insert(kind, colour)
  table.insert(kind, friction)
  return kind
end

local worlds = {
  world = { doc = "the table that a file of --world returns",
    { "floor", "one floor", doc = "the floor under the robots; there is always one" },
    { "walls", "list wall", doc = "along their points" },
    { "boxes", "list block", doc = "cuboids" },
    { "pillars", "list pillar", doc = "cylinders, upright unless they have an attitude" },
    { "balls", "list ball", doc = "spheres" },
    { "capsules", "list capsule", doc = "cylinders with round ends, upright unless they have an attitude" },
    { "ramps", "list ramp", doc = "plates that go up" },
    { "steps", "list stairs", doc = "stairs" },
    { "meshes", "list mesh", doc = "bodies from files of STL or OBJ" },
    { "marks", "list mark", doc = "lines that are painted on the floor" },
    { "lights", "list light", doc = "light sources; default: from above" },
    { "sky", "one sky", doc = "the background of camera pictures; default: a light one" },
    { "start", "starts", unit = "m, rad",
      doc = "{ { x, y, heading, height }, … }: start places, in order, of robots that have no position of their own; height: of a table, for robots without a base" },
    { "view", "one view", doc = "default viewpoint of films" },
    { "gravity", "number", unit = "m/s2", least = 0, most = 1000, default = 9.80665, doc = "downwards; default: 9.80665" },
    { "step", "number", unit = "s", least = 1e-4, most = 0.02, doc = "of physics; default: chosen by it" } },
  view = { doc = "a viewpoint",
    { "from", "place", needed = true, unit = "m", doc = "position of the viewpoint" },
    { "to", "place", needed = true, unit = "m", doc = "point in the middle of its picture" } },
  floor = { doc = "the floor",
    colour, { "other", "colour", doc = "of every second square or stripe" },
    { "texture", "word", words = "floor", doc = "default: plain with one colour; checker with none or two" },
    { "tile", "number", unit = "m", least = 0.001, most = 1000, default = 0.5, doc = "side of a square, width of a stripe; default: 0.5" },
    friction },
  wall = { max = 256, doc = "a wall along points on the floor",
    { "points", "path", needed = true, doc = "its corners on the floor: { { x, y }, { x, y }, … }", unit = "m" },
    { "closed", "flag", doc = "it continues from the last point to the first" },
    { "height", "number", unit = "m", least = 0.01, most = 1000, default = 1, doc = "default: 1" },
    { "thickness", "number", unit = "m", least = 0.001, most = 100, default = 0.1, doc = "default: 0.1" }, colour, friction },
  block = movable { max = 1024, doc = "a box",
    { "size", "place", needed = true, unit = "m", doc = "along x, y, z" } },
  pillar = movable { max = 1024, doc = "a cylinder, upright unless it has an attitude",
    { "radius", "number", needed = true, unit = "m", least = 0.001, most = 1000, doc = "its radius" },
    { "height", "number", unit = "m", least = 0.001, most = 1000, default = 1, doc = "default: 1" } },
  ball = movable { max = 1024, doc = "a ball",
    { "radius", "number", needed = true, unit = "m", least = 0.001, most = 1000, doc = "its radius" } },
  capsule = movable { max = 1024, doc = "a cylinder with half a ball at each end, upright unless it has an attitude",
    { "radius", "number", needed = true, unit = "m", least = 0.001, most = 1000, doc = "its radius" },
    { "length", "number", needed = true, unit = "m", least = 0.001, most = 1000, doc = "of its cylinder, without the ends" } },
  ramp = ascent { max = 256, doc = "an inclined plate; the space under it is free",
    { "length", "number", needed = true, unit = "m", least = 0.01, most = 1000, doc = "along the floor" },
    { "height", "number", needed = true, unit = "m", least = 0.001, most = 1000, doc = "difference between its edges" },
    { "raised", "number", unit = "m", least = 0, most = 1000, doc = "height of its lower edge above the floor" },
    { "thickness", "number", unit = "m", least = 0.001, most = 100, default = 0.05, doc = "below its face; default: 0.05" } },
  stairs = ascent { max = 256, doc = "stairs: each step is a box from the floor up",
    { "count", "whole", needed = true, least = 1, most = 64, doc = "number of steps" },
    { "rise", "number", unit = "m", least = 0.001, most = 10, default = 0.17, doc = "of each step; default: 0.17" },
    { "depth", "number", unit = "m", least = 0.01, most = 100, default = 0.28, doc = "of each step; default: 0.28" } },
  mesh = movable { max = 1024, doc = "a mesh; its convex hull counts for contacts",
    { "file", "text", needed = true, max = 255, doc = "STL or OBJ in metres, relative to the world's file; at most 8 MiB and 100000 triangles" },
    { "scale", "size", least = 0, doc = "along x, y, z, or one number for all; default: 1" } },
  mark = { max = 256, doc = "a line painted on the floor: visible, but no obstacle",
    { "points", "path", needed = true, doc = "its corners: { { x, y }, { x, y }, … }", unit = "m" },
    { "closed", "flag", doc = "it continues from the last point to the first" },
    { "width", "number", unit = "m", least = 0.001, most = 100, default = 0.05, doc = "default: 0.05" }, colour },
  sky = { doc = "the sky, above and beyond all things",
    { "top", "colour", doc = "straight above: #rrggbb; default: as the horizon" },
    { "horizon", "colour", doc = "around, and below where the floor ends; default: as the top" } },
  light = { max = 16, doc = "a light source",
    { "position", "place", unit = "m", doc = "its position; a sun needs none" },
    { "direction", "direction", default = { 0.0, 0.0, -1.0 }, doc = "in which it shines; default: downwards" },
    { "sun", "flag", doc = "it shines in that direction everywhere, not from its position" }, colour },
}

-- The kinds of a world are in no record. Their fields are copies, since several kinds share some.
for name, kind in pairs(worlds) do
  kinds[name] = { max = kind.max, doc = kind.doc }
  for i, field in ipairs(kind) do
    local copy = { record = false }
    for key, value in pairs(field) do if copy[key] == nil then copy[key] = value end end
    kinds[name][i] = copy
  end
end

-- A field's words by their names; words that descriptors cannot use are only in `all`.
for _, kind in pairs(kinds) do
  for _, field in ipairs(kind) do
    local list = words[field.words]
    if list then
      field.words, field.all = {}, list
      for _, word in ipairs(list) do
        if not word.unsaid then table.insert(field.words, word[1]) end
      end
    end
  end
end

return {
  kinds = kinds, words = words,
  world = 65535, -- as the parent of a joint: its child is a root; as the joint of a widget: none
  nothing = 255, -- as the dof of a widget

  -- the kinds of which there are records, in the order of the block
  sections = { "link", "joint", "dof", "frame", "shape", "camera", "sensor", "widget" },
  magic = 0x52544342, -- "RTCB"

  -- the first part of the block's header: where the sections are
  block = {
    { "magic", "u32", doc = "0x52544342, the letters RTCB" },
    { "version", "u16", doc = "2" },
    { "header", "u16", doc = "bytes of the header: this part and the next" },
    { "size", "u32", doc = "bytes of the whole block" },
    { "offset", "u32", count = 8, doc = "first byte of each section: links, joints, dofs, control frames, shapes, cameras, sensors, widgets" },
    { "bytes", "u16", count = 8, doc = "bytes of one record of each section" },
  },
}
