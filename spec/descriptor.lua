-- What a robot is: every field that people write in a descriptor, once, with all that is made of it. A descriptor is a
-- Lua file that returns one table (kind "robot" below); scripts/robotalk/descriptor walks this page to check it, to
-- make the records of the wire (paper 000, III.B) and to make a descriptor of records again. gen.lua makes the C structs
-- and enums, the tables by which the configuration block is written and read, spec/fields.md and the editor's
-- annotations. Prose and examples: spec/descriptors.md.
--
-- A kind is a list of fields: { name, type, doc =, unit =, least =, most =, max =, needed = true, words =, default = }
--   text       at most `max` characters        number   `least` to `most`, in `unit`
--   flag       true or false                   whole    a whole number
--   place      three numbers, x, y, z          angles   three numbers: roll, pitch, yaw about fixed axes x, y, z
--   turn       angles, or three rows of a rotation matrix
--   direction  three numbers, not all 0        range    two numbers, the lower first
--   spot       two numbers, x, y, on the floor
--   starts     a list of two numbers, x, y, or three, with a heading
--   path       a list of spots, two at least
--   tensor     { xx, yy, zz }, { xx, yy, zz, xy, xz, yz } or three rows
--   plane      { x =, y =, theta = }           greatest a number, 0 or more, or { low, high }, whose larger size counts
--   size       one to three numbers, 0 or more
--   each       a number, or a list of up to three: one for each unit of a reading, in its order
--   word       one of `words`                  words    one of them, or a list of them
--   link       number or name of a link        colour   "#rrggbb", "#rrggbbaa"
--   options    names and texts, numbers, flags: the driver's own
--   rcml       an RCML_Robot: its fields and those of the nodes in it, by the names that they have in files
--   panic      a word, or { joint = { dof = position } }: where to retreat to
--   one K      a table of kind K               list K   a list of them
--   named K    name -> table of kind K         numbered K   the keys are the numbers on the wire, from `first` on
-- Of a kind with a `section` there are records, one for each table; a field is a field of its record, too. Kinds
-- without one lie within the record of the robot. What a type is in a record: spec/records.lua. Of the record tell
--   record   the field's name there, if it is another; false: it is in no record; two names: of a range
--   default  what stands there when people say nothing; without it 0, or an empty text
--   wire     the record's type, where the field's does not tell it; a field with no type is in the record only, and
--            scripts/robotalk/descriptor/records.lua and user.lua make it
--   by_hand  true: likewise made there, since it takes more than the field itself
--   scale    what one count is worth on the wire, where it is not a billionth
--   there    what is said of it in the record, where that is something else: { doc =, unit = }
--   host     true: stands in the C struct and never on the wire; who drives is the server's own affair
--   optional true: records of older versions end before it; it is 0 there
-- A new field is a row here and nothing else, unless it is by_hand.

-- Words that have a number: from 0 on, or a bit each. C and tag: how their names begin there, and that of the enum.
local words = {
  panic = { C = "ROBO_", tag = "robo_halt", doc = "what halt means for a body", { "hold", "servos stay on" },
    { "brake", "within the acceleration limits" }, { "limp", "motors off" }, { "retreat", "to a posture", unsaid = true } },
  servo = { C = "ROBO_SERVO_", tag = "robo_servo", bits = true, doc = "what a joint or a control frame takes",
    { "setpoint", "set-points" }, { "speed", "speeds" }, { "force", "forces, torques" } },
  order = { C = "ROBO_ORDER_", tag = "robo_order", doc = "which joint gets the next message on a bus (paper 004)",
    { "none", "commands go straight to the drivers" },
    { "sequential", "scheme A: speeds computed once for a round through all joints" },
    { "updated", "B: one joint after the other, computed anew for each message" },
    { "synchronised", "C: as A, stored at the joints; a broadcast begins them all" },
    { "predictive", "D: as C, with the speeds of the instant of the broadcast" },
    { "greatest", "E, the paper's: the joint whose error counts most (equation 11)" },
    { "optimal", "F: the joint that takes most off what is left of the error" },
    { "planned", "O: the first of the order of all joints that leaves the least error; at most 10 dofs" } },
  shape = { C = "ROBO_SHAPE_", tag = "robo_shape_kind", doc = "of a shape; what its size is",
    { "box", "along x, y, z", sizes = 3 }, { "cylinder", "along z: radius, length", sizes = 2 },
    { "sphere", "radius", sizes = 1 }, { "mesh", "scale along x, y, z", sizes = 3 } },
  roll = { C = "ROBO_ROLL_", tag = "robo_roll", doc = "how a shape of the root link rolls, for simulators with physics",
    { "not", "it does not", unsaid = true }, { "wheel", "driven, about its cylinder's axis" },
    { "omni", "likewise, and it slips freely along that axis" }, { "caster", "freely, every way" } },
  dof = { C = "ROBO_", tag = "robo_dof_kind", doc = "of a dof", { "revolute", "it turns" }, { "prismatic", "it slides" } },
  floor = { C = "ROBO_FLOOR_", tag = "robo_floor_texture", doc = "what the floor of a world looks like", { "plain", "one colour" },
    { "checker", "squares of two colours" }, { "stripes", "along y, of two colours" } },
  widget = { C = "ROBO_WIDGET_", tag = "robo_widget_kind", doc = "of a control", { "slider", "" }, { "knob", "" },
    { "number", "" }, { "button", "" }, { "pad", "" }, { "label", "" } },
}

local position = { "position", "place", unit = "m", doc = "in the link's frame",
  there = { doc = "x, y, z in the link's frame" } }
local attitude = { "attitude", "angles", unit = "rad", doc = "turned against the link's frame",
  there = { doc = "roll, pitch, yaw about the fixed axes x, y, z of the link's frame" } }
local function mounted(kind)
  table.move(kind, 1, #kind, 5)
  kind[1] = { "name", "text", max = 31, needed = true, doc = "its name" }
  kind[2] = { "link", "link", needed = true, doc = "what it is fixed to" }
  kind[3], kind[4] = position, attitude
  return kind
end
local function translator(doc)
  return { "translator", "text", max = 63, optional = true, doc = doc or "name of the translator between a user's device and it, "
    .. "for clients of RCTP: one that comes along, or NAME.lua beside the descriptor; none unless said" }
end
local function count(of, doc) return { of, wire = "u16", doc = doc or "likewise" } end

local base_translator = translator()
base_translator.record = false

local kinds = {
  robot = { doc = "a descriptor (RoboTalk III.B): links in a tree of joints, and what holds for the whole; the "
      .. "records stand in arrays of whoever makes it, as long as the counts say; a body has copies, which nobody writes",
    { "name", "text", max = 31, needed = true, doc = "its name" },
    { "model", "text", max = 63, doc = "its body, for people" },
    { "from", "text", max = 255, record = false, doc =
      "another descriptor in Lua that this one is but for what it says itself: one that comes along, or a path, from where this one is" },
    count("links", "records in the section of links"),
    count("joints", "likewise; joint 0 is the root's"),
    count("dofs"),
    count("frames", "likewise; control frame 0 is the root link's own frame"),
    count("shapes"), count("cameras"), count("sensors"), count("widgets"),
    { "deadman", "number", unit = "s", least = 0, most = 1e6, default = 0.5,
      doc = "silence after which it stops; 0: none; 0.5 unless said" },
    { "deadman_limit", "number", unit = "s", least = 0, most = 3600, doc = "longest deadman time that a client may ask for; 5 unless said",
      there = { doc = "longest deadman time that a client may ask for; 0: 5 s" } },
    { "gap_limit", "number", unit = "s", least = 0, most = 3600,
      doc = "longest time between two frames that a buffered session may state; a longer one is silence; 5 unless said",
      there = { doc = "longest time between two frames that a buffered session may state; 0: 5 s" } },
    { "panic", "panic", words = "panic", by_hand = true, doc =
      "what halt means for this body: hold (servos stay on; unless said), brake (within the acceleration limits), limp (motors off), or a posture to retreat to",
      there = { doc = "what halt means for this body" } },
    { "base", "one base", doc = "moves the root link over the floor; without it go_to and set_speed answer na" },
    { "battery", "one battery", doc = "runs empty by use" },
    { "bus", "one bus", doc = "what its joints hang on" },
    { "links", "numbered link", first = 0, doc = "rigid bodies; link 0 is the root" },
    { "joints", "numbered joint", first = 1, doc = "joint 0 is the root's own and need not be written unless it has dofs" },
    { "frames", "numbered frame", first = 1, doc = "control frames; frame 0 is the root link's own" },
    { "cameras", "list camera", doc = "they look along the x axis of their frames" },
    { "sensors", "list sensor", doc = "they look along the x axis of their frames" },
    { "widgets", "list widget", doc = "controls of an operator's panel" },
    { "drivers", "named driver", doc = "who moves what: entries are named by joints and base" },
    { "rcml", "rcml", record = false, doc =
      "objects and parameters of the RCML file that it was read from, for `convert` to a .wrl file; what follows from the robot unless said" },
    { "commands", "commands", wire = "u64", by_hand = true,
      doc = "names of those it supports; what base, joints and frames allow unless said",
      there = { doc = "bit n: command 256 + n is supported" } },
    { "base_translator", wire = "chars", max = 63, optional = true, doc = "name of the base's translator; empty: none" },
    { "devices", wire = "u8", host = true, doc = "how many drivers it has" },
  },
  base = {
    { "driver", "text", max = 31, record = false, doc = "entry of drivers, or a driver's name; sim unless said" },
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
      doc = "messages a second that it carries; 1000 for drivers of buses unless said" },
    { "order", "word", words = "order", record = "bus_order", by_hand = true,
      doc = "which joint gets the next message (paper 004); planned up to 10 dofs and optimal beyond unless said. With none, commands go straight to the drivers" },
    { "max_age", "number", unit = "s", least = 0, most = 1e6, record = "bus_age",
      doc = "longest that a joint may go without a message: less than the watchdogs of its controllers" },
    { "weights", "one weights", record = "bus_weight", wire = "real", by_hand = true,
      doc = "what counts how much when the next one is chosen",
      there = { doc = "what counts how much: x, y, z of frames; roll, pitch, yaw and revolute dofs in metres a radian; all 0: not known" } },
  },
  weights = {
    { "x", "number", least = 0, most = 1000, default = 1, doc = "of a control frame's speed along the root's x; 1 unless said" },
    { "y", "number", least = 0, most = 1000, default = 1, doc = "likewise" },
    { "z", "number", least = 0, most = 1000, default = 1, doc = "likewise; more where it presses against something stiff" },
    { "roll", "number", unit = "m/rad", least = 0, most = 1000, default = 0.4,
      doc = "about x: the lever by which a turn counts; 0.4 unless said" },
    { "pitch", "number", unit = "m/rad", least = 0, most = 1000, default = 0.4, doc = "likewise, about y" },
    { "yaw", "number", unit = "m/rad", least = 0, most = 1000, default = 0.4, doc = "likewise, about z" },
    { "joints", "number", unit = "m/rad", least = 0, most = 1000, default = 0.4,
      doc = "of a revolute dof that no control frame moves; 0.4 unless said" },
  },
  link = { section = "links", max = 512, doc = "a rigid body",
    { "name", "text", max = 31, doc = "its name; that of its joint unless said" },
    { "mass", "number", unit = "kg", least = 0, most = 2e6, doc = "0: not known" },
    { "com", "place", unit = "m", doc = "centre of mass in the link's frame" },
    { "inertia", "tensor", unit = "kg*m2", doc = "about the centre of mass, along the link's axes",
      there = { doc = "about the centre of mass, along the link's axes: xx, yy, zz, xy, xz, yz" } },
    { "position", "place", unit = "m", doc = "roots only: in the world" },
    { "attitude", "angles", unit = "rad", doc = "roots only: in the world" },
    { "shapes", "list shape", doc = "what it looks like" },
  },
  shape = { section = "shapes", max = 1024, doc = "what a link looks like",
    { "link", wire = "u16", doc = "link it is part of" },
    { "type", "word", words = "shape", record = "kind", needed = true, doc = "cylinders lie along z" },
    { "size", "size", unit = "m", least = 0, most = 2e6, by_hand = true,
      doc = "box: along x, y, z; cylinder: radius, length; sphere: radius; mesh: scale. One number for a box or a mesh: all three" },
    position, attitude,
    { "colour", "colour", doc = "#rrggbb or #rrggbbaa", there = { doc = "0xrrggbbaa; 0: not said" } },
    { "file", "text", max = 127, doc = "of a mesh" },
    { "solid", "flag", doc = "for collisions and not for pictures",
      there = { doc = "1: for collisions; 0: for pictures" } },
    { "roll", "word", words = "roll", optional = true,
      doc = "of a shape of the root link that carries it, where there is physics: a wheel or an omni wheel (cylinders), "
        .. "which the base drives, or a caster (a sphere); none unless said" },
    { "friction", "number", least = 0.001, most = 10, optional = true,
      doc = "coefficient of sliding, where there is physics: of two things that touch the lesser counts; 1 by default",
      there = { doc = "coefficient of sliding; 0: 1" } },
  },
  joint = { section = "joints", max = 512, doc = "what holds a link to its parent, and its dofs in the order in which they act",
    { "name", "text", max = 31, doc = "joint1, joint2, … unless said", there = { doc = "its name" } },
    { "parent", "link", by_hand = true, doc = "or \"world\"; the link before its child unless said",
      there = { doc = "link; 65535: the world" } },
    { "child", "link", by_hand = true, doc = "the link with the joint's number unless said", there = { doc = "link" } },
    { "driver", "text", max = 31, record = false, doc = "entry of drivers, or a driver's name; sim unless said" },
    { "servo", "words", words = "servo", by_hand = true, doc = "setpoint and speed for the drivers sim, physics and walk, else setpoint, unless said" },
    { "leg", "whole", least = 0, most = 8, doc = "number of the leg it belongs to, which walking moves" },
    { "inboard", "place", unit = "m", by_hand = true, doc = "the joint from the parent's centre of mass, along the parent's axes" },
    { "outboard", "place", unit = "m", by_hand = true, doc = "the joint from the child's centre of mass, along the child's axes" },
    { "position", "place", unit = "m", record = false,
      doc = "instead of these two: the joint in the parent's frame; the child's frame begins there" },
    { "rest", "turn", unit = "rad", doc = "turns the joint's axes into the parent's when all dofs are 0",
      there = { doc = "rest matrix, row by row: turns the joint's axes into the parent's when all dofs are 0" } },
    { "first", wire = "u16", doc = "number of its first dof" },
    { "dofs", "list dof", max = 6, wire = "u8", hi = 6, by_hand = true,
      doc = "1 to 6, in the order in which they act from the parent on",
      there = { doc = "1 to 6; 0 for the joint of a root that no dof moves" } },
    translator(),
    { "device", wire = "u8", host = true, doc = "who drives it" },
  },
  dof = { section = "dofs", max = 512, doc = "a degree of freedom",
    { "name", "text", max = 31, by_hand = true, doc = "that of its joint, or one after its axis, unless said", there = { doc = "its name" } },
    { "type", "word", words = "dof", record = "kind", doc = "revolute unless said" },
    { "axis", "direction", default = { 0.0, 0.0, 1.0 }, doc = "in the joint's frame; z unless said" },
    { "limit", "range", unit = "dof", record = { "low", "high" }, default = { 1.0, -1.0 }, doc = "none unless said",
      there = { doc = "limit" } },
    { "speed", "greatest", unit = "dof/s", doc = "greatest; 0: not known" },
    { "acceleration", "greatest", unit = "dof/s2", doc = "greatest; 0: not known" },
    { "force", "greatest", unit = "dof force", doc = "greatest; 0: not known" },
    { "home", "number", unit = "dof", by_hand = true, doc = "where home puts it, and where it starts; 0 unless said" },
    { "retreats", wire = "u8", hi = 1, doc = "1: on panic it moves to `retreat`, if that is the robot's way" },
    { "retreat", wire = "real", unit = "dof", doc = "where to" },
    { "mimics", wire = "u16", doc = "number of the dof it follows, plus 1; 0: none" },
    { "mimic", "one mimic", by_hand = true, doc = "it follows another dof and takes no commands" },
  },
  mimic = {
    { "joint", "text", max = 31, needed = true, record = false, doc = "name of the joint it follows" },
    { "dof", "text", max = 31, record = false, doc = "name of the dof there; the first unless said" },
    { "ratio", "number", default = 1, doc = "1 unless said", there = { doc = "it is ratio * the other's position + shift" } },
    { "shift", "number", unit = "dof", doc = "ratio * the other + shift", there = { doc = "likewise" } },
  },
  frame = mounted { section = "frames", max = 256, doc = "a control frame, fixed to its link",
    { "servo", "words", words = "servo", by_hand = true, doc = "of setpoint and speed what its joints take, unless said" },
    { "speed", "greatest", unit = "m/s", doc = "greatest; 0: not known" },
    { "turn", "greatest", unit = "rad/s", doc = "greatest; 0: not known" },
    translator "likewise; pose unless said" },
  camera = mounted { section = "cameras", max = 16, doc = "a camera; it looks along the x axis of its frame",
    { "width", "whole", least = 0, most = 65535, doc = "pixels" },
    { "height", "whole", least = 0, most = 65535, doc = "pixels" },
    { "fov", "number", unit = "rad", least = 0, most = 6.284, doc = "horizontal field of view" },
    { "rate", "number", unit = "1/s", least = 0, most = 1e6, doc = "pictures a second" },
    translator(),
    { "driver", "text", max = 31, record = false,
      doc = "entry of drivers, or a driver's name, that gives its pictures; that of the base, else of the first joint, unless said" },
    { "device", wire = "u8", host = true, doc = "which driver gives its pictures; 255: none" } },
  sensor = mounted { section = "sensors", max = 256, doc = "a sensor; it looks along the x axis of its frame",
    { "type", "text", max = 31, needed = true, record = "kind", doc = "one of the kinds of docs/sensors.md (sonar, laser, bumper, imu, …), or one's own" },
    { "range", "range", record = { "low", "high" }, there = { unit = "dof", doc = "reading, in its unit" },
      doc = "least and greatest reading, in its unit" },
    { "opening", "number", unit = "rad", least = 0, most = 6.284, doc = "opening angle; 0: a ray" },
    { "unit", "text", max = 15, doc = "of its readings" },
    { "count", "whole", least = 0, most = 2048, optional = true, by_hand = true,
      doc = "how many values: ranges of a scan, switches of a bumper; 1 unless said",
      there = { doc = "how many values a reading has" } },
    { "rate", "number", unit = "1/s", least = 0, most = 1e6, optional = true, doc = "readings a second; that of its kind unless said",
      there = { doc = "readings a second; 0: that of its kind" } },
    { "fov", "number", unit = "rad", least = 0, most = 6.284, optional = true, doc = "of a scan: angle from the first beam, on the right, to the last" },
    { "values", "text", max = 127, optional = true, by_hand = true,
      doc = "of a type of one's own: names of its values, with spaces between them; value unless said",
      there = { doc = "of a kind of one's own: names of its values, with spaces between them" } },
    translator(),
    { "noise", "each", least = 0, optional = true, doc = "simulated: standard deviation of each reading, in its unit",
      there = { unit = "dof" } },
    { "noise_scale", "number", least = 0, most = 10, optional = true,
      doc = "simulated: standard deviation beside it, as a share of what is read" },
    { "bias", "each", optional = true, doc = "simulated: what each reading has too much, in its unit", there = { unit = "dof" } },
    { "resolution", "each", least = 0, optional = true, doc = "simulated: readings are multiples of it, in their unit",
      there = { unit = "dof" } },
    { "dropout", "number", least = 0, most = 1, optional = true,
      doc = "simulated: probability that a reading does not come; of a range, that it tells nothing is there" },
    { "latency", "number", unit = "s", least = 0, most = 10, optional = true,
      doc = "simulated: so long after its time a reading comes" },
    { "slip", "number", least = 0, most = 1, optional = true,
      doc = "simulated odometry: standard deviation of the way that it counts after 1 m, m, and of the turn, rad" },
    { "driver", "text", max = 31, record = false,
      doc = "entry of drivers, or a driver's name, that gives its readings; that of the base, else of the first joint, unless said" },
    { "device", wire = "u8", host = true, doc = "which driver gives its readings; 255: none" } },
  widget = { section = "widgets", max = 1024, doc = "a control on an operator's panel",
    { "name", "text", max = 31, needed = true, doc = "what is written beside it" },
    { "type", "word", words = "widget", record = "kind", needed = true, doc = "what it looks like" },
    { "command", "text", max = 31, doc = "the command it gives" },
    { "joint", "text", max = 31, wire = "u16", by_hand = true, doc = "name of the joint it is for",
      there = { doc = "joint it is for; 65535: none" } },
    { "dof", "text", max = 31, wire = "u8", by_hand = true, doc = "name of the dof it is for",
      there = { doc = "dof within the joint; 255: none" } },
    { "range", "range", record = { "low", "high" }, by_hand = true, there = { unit = "dof", doc = "range" },
      doc = "least and greatest; those of the dof unless said" },
    { "step", "number", least = 0, most = 1e6, there = { unit = "dof" }, doc = "0: none" },
  },
  driver = { max = 8, doc = "who drives joints or the base, and its options, which a body copies as it is made",
    { "driver", "text", max = 255, record = false,
      doc = "the driver's name, that of the entry unless said; or the path of a shared object, from where the descriptor is, with a slash" },
    { "script", "text", max = 255, record = false, doc = "of a driver in Lua" },
    { "driver", wire = "chars", max = 31, host = true, doc = "its name; file: that of a shared object (robo_driver_entry)" },
    { "base", wire = "u8", host = true, doc = "1: it moves the root link: go_to, set_speed, step" },
    { "options", wire = "u16", host = true, doc = "how many there are" },
    { "option", wire = "option", host = true, doc = "what the descriptor says beside" },
  },
}

-- No part of a robot: what stands around simulated ones, in a file of its own (--world; docs/worlds.md).
local colour = { "colour", "colour", doc = "#rrggbb or #rrggbbaa; that of its kind unless said" }
local friction = { "friction", "number", least = 0.001, most = 10, default = 1, doc = "coefficient of sliding; 1 unless said" }
local at = { "position", "spot", needed = true, unit = "m", doc = "of its middle on the floor" }
local heading = { "heading", "number", unit = "rad", doc = "counter-clockwise from x" }
local width = { "width", "number", unit = "m", least = 0.01, most = 1000, default = 1, doc = "1 unless said" }

-- What may lie anywhere, and move.
local function movable(kind)
  for _, field in ipairs { at,
    { "raised", "number", unit = "m", least = 0, most = 1000, doc = "its lowest point above the floor" }, heading,
    { "attitude", "angles", unit = "rad", doc = "instead of heading: turned against the world" },
    { "name", "text", max = 63, doc = "no other thing has it" }, colour,
    { "mass", "number", unit = "kg", least = 1e-4, most = 1e5, doc = "where there is physics it moves then; it stands fast unless said" },
    friction } do
    table.insert(kind, field)
  end
  return kind
end

-- What goes up from its lower edge.
local function ascent(kind)
  for i, field in ipairs { { "position", "spot", needed = true, unit = "m", doc = "of the middle of its lower edge" },
    { "heading", "number", unit = "rad", doc = "the way up" }, width } do
    table.insert(kind, i, field)
  end
  table.insert(kind, colour)
  table.insert(kind, friction)
  return kind
end

local worlds = {
  world = { doc = "what a file of --world returns",
    { "floor", "one floor", doc = "what robots stand on; there is one in any case" },
    { "walls", "list wall", doc = "along their points" },
    { "boxes", "list block", doc = "cuboids" },
    { "pillars", "list pillar", doc = "cylinders, upright unless they have an attitude" },
    { "balls", "list ball", doc = "spheres" },
    { "ramps", "list ramp", doc = "plates that go up" },
    { "steps", "list stairs", doc = "stairs" },
    { "meshes", "list mesh", doc = "bodies from files of STL or OBJ" },
    { "marks", "list mark", doc = "lines that are painted on the floor" },
    { "lights", "list light", doc = "what shines; from above unless said" },
    { "sky", "one sky", doc = "what cameras see where nothing stands; a light one unless said" },
    { "start", "starts", unit = "m, rad", doc = "{ { x, y, heading }, … }: where robots are put, one after the other, that come without a position of their own" },
    { "view", "one view", doc = "where films of it are taken from unless told" },
    { "gravity", "number", unit = "m/s2", least = 0, most = 1000, default = 9.80665, doc = "downwards; 9.80665 unless said" },
    { "step", "number", unit = "s", least = 1e-4, most = 0.02, doc = "of physics; its own unless said" } },
  view = { doc = "a place to look from",
    { "from", "place", needed = true, unit = "m", doc = "where it is" },
    { "to", "place", needed = true, unit = "m", doc = "what is in the middle of its picture" } },
  floor = { doc = "the floor",
    colour, { "other", "colour", doc = "of every second square or stripe" },
    { "texture", "word", words = "floor", doc = "plain unless said; checker when no colour is, or two" },
    { "tile", "number", unit = "m", least = 0.001, most = 1000, default = 0.5, doc = "side of a square, width of a stripe; 0.5 unless said" },
    friction },
  wall = { max = 256, doc = "a wall along points on the floor",
    { "points", "path", needed = true, doc = "its corners on the floor: { { x, y }, { x, y }, … }", unit = "m" },
    { "closed", "flag", doc = "it goes on from the last point to the first" },
    { "height", "number", unit = "m", least = 0.01, most = 1000, default = 1, doc = "1 unless said" },
    { "thickness", "number", unit = "m", least = 0.001, most = 100, default = 0.1, doc = "0.1 unless said" }, colour, friction },
  block = movable { max = 1024, doc = "a box",
    { "size", "place", needed = true, unit = "m", doc = "along x, y, z" } },
  pillar = movable { max = 1024, doc = "a cylinder, upright unless it has an attitude",
    { "radius", "number", needed = true, unit = "m", least = 0.001, most = 1000, doc = "of it" },
    { "height", "number", unit = "m", least = 0.001, most = 1000, default = 1, doc = "1 unless said" } },
  ball = movable { max = 1024, doc = "a ball",
    { "radius", "number", needed = true, unit = "m", least = 0.001, most = 1000, doc = "of it" } },
  ramp = ascent { max = 256, doc = "a plate that goes up; what is under it is free",
    { "length", "number", needed = true, unit = "m", least = 0.01, most = 1000, doc = "along the floor" },
    { "height", "number", needed = true, unit = "m", least = 0.001, most = 1000, doc = "that it goes up" },
    { "raised", "number", unit = "m", least = 0, most = 1000, doc = "its lower edge above the floor" },
    { "thickness", "number", unit = "m", least = 0.001, most = 100, default = 0.05, doc = "below its face; 0.05 unless said" } },
  stairs = ascent { max = 256, doc = "steps, each a box from the floor on",
    { "count", "whole", needed = true, least = 1, most = 64, doc = "steps" },
    { "rise", "number", unit = "m", least = 0.001, most = 10, default = 0.17, doc = "of each; 0.17 unless said" },
    { "depth", "number", unit = "m", least = 0.01, most = 100, default = 0.28, doc = "of each; 0.28 unless said" } },
  mesh = movable { max = 1024, doc = "a mesh; whatever touches it touches its convex hull",
    { "file", "text", needed = true, max = 255, doc = "of STL or OBJ in metres, from where the world's file is; at most 8 MiB and 100000 triangles" },
    { "scale", "size", least = 0, doc = "along x, y, z, or of all; 1 unless said" } },
  mark = { max = 256, doc = "a line that is painted on the floor: to be seen, and in nobody's way",
    { "points", "path", needed = true, doc = "its corners: { { x, y }, { x, y }, … }", unit = "m" },
    { "closed", "flag", doc = "it goes on from the last point to the first" },
    { "width", "number", unit = "m", least = 0.001, most = 100, default = 0.05, doc = "0.05 unless said" }, colour },
  sky = { doc = "the sky, above and beyond all that stands there",
    { "top", "colour", doc = "straight above: #rrggbb; as the horizon unless said" },
    { "horizon", "colour", doc = "around, and below where the floor ends; as its top unless said" } },
  light = { max = 16, doc = "what shines",
    { "position", "place", unit = "m", doc = "where; a sun needs none" },
    { "direction", "direction", default = { 0.0, 0.0, -1.0 }, doc = "in which it shines; downwards unless said" },
    { "sun", "flag", doc = "it shines in that direction everywhere, not from its position" }, colour },
}

-- What stands around robots is in no record. The fields are copies, since those of several kinds are the same.
for name, kind in pairs(worlds) do
  kinds[name] = { max = kind.max, doc = kind.doc }
  for i, field in ipairs(kind) do
    local copy = { record = false }
    for key, value in pairs(field) do if copy[key] == nil then copy[key] = value end end
    kinds[name][i] = copy
  end
end

-- A field's words by their names; what people do not write is in `all` alone.
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
